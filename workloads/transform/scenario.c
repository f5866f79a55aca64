/* What scenario.yaml says beside its tables goes with the trace: the date of time 0, the configuration, classes of priority, the period and so on. */
#include "trace-private.h"
#include "workloads/import/import.h"
#include "workloads/text/parse.h"
#include <string.h>

#define MAX_BYTES (4 << 20)

/* Keys that name other files, pods or jobs, which the steps do not know. */
static const char *const refused[] = { "commands", "scale", "images", "node_usage", "more_jobs", "conf_at", "schedulers", "bind_fail", "follow", "admission_conf", NULL };
static const char *const tables[] = { "nodes", "jobs", "queues", "faults", "recorded", "objects", "out", NULL };

static gboolean
read_start (WlTrace *t, const char *value, guint line, GError **error)
{
  g_autofree char *text = g_strstrip (g_strdup (value));
  WlTime time;

  if (*text == '"' || *text == '\'') { /* in quotes */
    text[strcspn (text + 1, "\"'") + 1] = '\0';
    memmove (text, text + 1, strlen (text));
  }
  if (!wl_import_parse_clock (text, &time, error)) {
    g_prefix_error (error, "%s/scenario.yaml:%u:1: start: ", t->folder, line);
    return FALSE;
  }
  t->start = time;
  return TRUE;
}

static gboolean
read_conf (WlTrace *t, const char *value, GError **error)
{
  g_autofree char *name = g_strstrip (g_strdup (value)), *path = NULL;
  gsize len = strlen (name);

  if (len >= 2 && (*name == '"' || *name == '\'') && name[len - 1] == *name) {
    name[len - 1] = '\0';
    memmove (name, name + 1, len - 1);
  }
  path = g_path_is_absolute (name) ? g_strdup (name) : g_build_filename (t->folder, name, NULL);
  g_free (t->conf);
  t->conf = wl_read_file (path, MAX_BYTES, NULL, error);
  return t->conf != NULL;
}

gboolean
wl_trace_read_scenario (WlTrace *t, GError **error)
{
  g_autofree char *path = g_build_filename (t->folder, "scenario.yaml", NULL), *text = NULL;
  GString *rest = g_string_new (NULL);
  gboolean keep = FALSE;

  t->start = WL_TIME_NONE;
  t->settings = rest;
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  if ((text = wl_read_file (path, MAX_BYTES, NULL, error)) == NULL)
    return FALSE;
  g_auto (GStrv) line = g_strsplit (text, "\n", -1);

  for (guint i = 0; line[i] != NULL; i++) {
    const char *at = line[i], *colon = strchr (at, ':');

    g_strchomp (line[i]);
    if (at[strspn (at, " ")] == '\0' || at[strspn (at, " ")] == '#' || strcmp (at, "---") == 0)
      continue;
    if (*at != ' ' && *at != '-') { /* a key, and what is indented below it */
      g_autofree char *key = colon != NULL ? g_strndup (at, (gsize) (colon - at)) : NULL;

      if (key == NULL || key[strspn (key, "abcdefghijklmnopqrstuvwxyz_")] != '\0' || g_strv_contains (refused, key)) {
        g_autofree char *shown = wl_shown (at);
        g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s:%u:1: cannot be transformed, expected settings that do not name other files or jobs, found %s", path, i + 1, shown);
        return FALSE;
      }
      keep = !g_strv_contains (tables, key) && strcmp (key, "start") != 0 && strcmp (key, "conf") != 0;
      if ((strcmp (key, "start") == 0 && !read_start (t, colon + 1, i + 1, error)) || (strcmp (key, "conf") == 0 && !read_conf (t, colon + 1, error)))
        return FALSE;
    }
    if (keep)
      g_string_append_printf (rest, "%s\n", at);
  }
  return TRUE;
}

/* Settings without the seed: each trace may have its own, the first one's counts. */
static char *
without_seed (const GString *settings)
{
  g_auto (GStrv) line = g_strsplit (settings->str, "\n", -1);
  GString *out = g_string_new (NULL);

  for (char **l = line; *l != NULL; l++)
    if (!g_str_has_prefix (*l, "seed:"))
      g_string_append_printf (out, "%s\n", *l);
  return g_string_free (out, FALSE);
}

gboolean
wl_trace_same_settings (const WlTrace *a, const WlTrace *b, GError **error)
{
  g_autofree char *of_a = without_seed (a->settings), *of_b = without_seed (b->settings);

  if (strcmp (of_a, of_b) == 0 && g_strcmp0 (a->conf, b->conf) == 0)
    return TRUE;
  g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s/scenario.yaml: cannot be merged, expected the settings and the configuration of %s/scenario.yaml, found others", b->folder, a->folder);
  return FALSE;
}

void
wl_trace_append_settings (const WlTrace *t, GString *scenario)
{
  if (t->conf != NULL)
    g_string_append (scenario, "conf: volcano-scheduler.conf\n");
  if (t->start != WL_TIME_NONE) {
    g_autoptr (GDateTime) date = g_date_time_new_from_unix_utc (wl_trace_start (t));
    g_autofree char *text = date != NULL ? g_date_time_format (date, "%Y-%m-%dT%H:%M:%SZ") : NULL;

    if (text != NULL)
      g_string_append_printf (scenario, "start: %s\n", text);
  }
  g_string_append (scenario, t->settings->str);
}

gint64
wl_trace_start (const WlTrace *t)
{
  return t->start == WL_TIME_NONE ? -1 : t->start / G_USEC_PER_SEC - (t->start % G_USEC_PER_SEC < 0);
}
