#include "gnuplot.h"
#include "reports/results/results.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>

char *
rp_gnuplot_quote (const char *text, glong most)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  GString *out = g_string_new ("'");
  glong n = 0;

  for (const char *p = valid; *p != '\0'; p = g_utf8_next_char (p)) {
    const gunichar c = g_utf8_get_char (p);

    if (++n > most) {
      g_string_append (out, "…");
      break;
    }
    if (c == '\'')
      g_string_append (out, "''");
    else
      g_string_append_unichar (out, g_unichar_iscntrl (c) ? ' ' : c);
  }
  g_string_append_c (out, '\'');
  return g_string_free (out, FALSE);
}

gboolean
rp_gnuplot_run (const char *script, gsize length, const char *dir, char **warning, GError **error)
{
  static const char script_name[] = ".charts.gp";
  g_autofree char *path = g_build_filename (dir, script_name, NULL), *talk = NULL;
  g_autoptr (GError) local = NULL;
  g_auto (GStrv) env = g_environ_setenv (g_get_environ (), "LC_ALL", "C", TRUE);
  char *argv[] = { (char *) "gnuplot", (char *) "-d", (char *) script_name,
                   NULL }; /* -d: no start-up files of the user */
  gboolean ok;
  int status;
  FILE *f = fopen (path, "wxe");

  *warning = NULL;
  if (f != NULL) {
    ok = fwrite (script, 1, length, f) == length;
    ok = fclose (f) == 0 && ok;
  }
  if (f == NULL || !ok) {
    g_set_error (error, RP_ERROR, RP_ERROR_IO, "cannot write '%s': %s", path, g_strerror (errno));
    return FALSE;
  }
  ok = g_spawn_sync (dir, argv, env, G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL,
                     NULL, &talk, &status, &local);
  (void) g_unlink (path);
  if (!ok) {
    *warning = g_error_matches (local, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT)
                   ? g_strdup ("no charts: gnuplot is not installed")
                   : g_strdup_printf ("no charts: gnuplot did not start: %s", local->message);
    return TRUE;
  }
  if (!g_spawn_check_wait_status (status, &local)) {
    g_strstrip (talk);
    *warning = g_strdup_printf ("no charts: gnuplot failed: %s%s%.500s", local->message,
                                talk[0] != '\0' ? ": " : "", talk);
    return TRUE;
  }
  return TRUE;
}
