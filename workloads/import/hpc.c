#include "hpc.h"
#include "workloads/text/parse.h"
#include <string.h>

void
wl_hpc_limit (WlImport *imp, gboolean kill, WlTime walltime, WlTime *run, int *exit_code)
{
  if (!kill || walltime <= 0 || *run <= walltime)
    return;
  *run = walltime;
  *exit_code = WL_HPC_KILLED;
  wl_import_note (imp, "killed at the requested time", 1);
}

void
wl_hpc_spread (gint64 total, gint64 pods, gint64 *each, gint64 *n_more)
{
  *each = total / pods;
  *n_more = total % pods;
}

gboolean
wl_hpc_check_text (const char *line, gsize len, GError **error)
{
  gsize i = 0;

  while (i < len && ((guchar) line[i] >= 0x20 || line[i] == '\t') && line[i] != 0x7f)
    i++;
  if (i == len && g_utf8_validate_len (line, len, NULL))
    return TRUE;
  g_set_error (error, WL_ERROR, WL_ERROR_SYNTAX, "bytes that no text has, expected UTF-8 without control characters, found %s", i < len ? "a control character" : "something else");
  return FALSE;
}

void
wl_uses_add (GArray *uses, WlTime start, WlTime end, gint64 amount)
{
  const WlUse both[] = { { start, amount }, { end, -amount } };

  if (end > start)
    g_array_append_vals (uses, both, 2);
}

static int
by_time (gconstpointer a, gconstpointer b)
{
  const WlUse *l = a, *r = b;

  if (l->time != r->time)
    return l->time < r->time ? -1 : 1;
  return l->change < r->change ? -1 : l->change > r->change;
}

gint64
wl_uses_peak (GArray *uses)
{
  gint64 now = 0, most = 0;

  g_array_sort (uses, by_time);
  for (guint i = 0; i < uses->len; i++) {
    now += g_array_index (uses, WlUse, i).change;
    most = MAX (most, now);
  }
  return most;
}

static int
by_level (gconstpointer a, gconstpointer b)
{
  const WlUse *l = a, *r = b;

  return l->change < r->change ? -1 : l->change > r->change;
}

gint64
wl_uses_share (GArray *uses, guint percent)
{
  g_autoptr (GArray) level = g_array_new (FALSE, FALSE, sizeof (WlUse)); /* how long (time) so much (change) was in use */
  gint64 now = 0;
  WlTime all = 0, below = 0;

  g_array_sort (uses, by_time);
  for (guint i = 0; i < uses->len; i++) {
    const WlUse *u = &g_array_index (uses, WlUse, i);
    const WlUse until = { i > 0 ? u->time - u[-1].time : 0, now };

    g_array_append_val (level, until);
    all += until.time;
    now += u->change;
  }
  g_array_sort (level, by_level);
  for (guint i = 0; i < level->len; i++) {
    below += g_array_index (level, WlUse, i).time;
    if (below > 0 && (double) below >= (double) all * percent / 100)
      return g_array_index (level, WlUse, i).change;
  }
  return 0;
}

char *
wl_hpc_word (char **at)
{
  char *p = *at + strspn (*at, " \t"), *end = p + strcspn (p, " \t");

  if (*p == '\0')
    return NULL;
  *at = *end != '\0' ? end + 1 : end;
  *end = '\0';
  return p;
}
