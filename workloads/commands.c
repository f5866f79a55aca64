/* commands.csv: what users tell the job controller to do, and when. */
#include "csv-table.h"
#include "k8s-job.h"
#include "parse.h"

enum { C_TIME, C_NAMESPACE, C_JOB, C_ACTION, N_COLUMNS };
static const WlColumn columns[N_COLUMNS] = {
  [C_TIME] = { "time", TRUE },
  [C_NAMESPACE] = { "namespace", FALSE },
  [C_JOB] = { "job", TRUE },
  [C_ACTION] = { "action", TRUE },
};

static void
command_clear (gpointer data)
{
  WlCommand *c = data;

  g_free (c->ns);
  g_free (c->job);
  g_free (c->action);
}

static gboolean
read_row (WlCsv *csv, const int *where, WlCommand *c, GError **error)
{
  const char *time = wl_csv_required (csv, where[C_TIME], "a time", error), *ns = wl_csv_cell (csv, where[C_NAMESPACE]);

  if (time == NULL)
    return FALSE;
  if (!wl_parse_time (time, FALSE, &c->time, error))
    return wl_csv_locate (csv, where[C_TIME], error);
  const char *job = wl_csv_required (csv, where[C_JOB], "a job name", error);

  if (job == NULL)
    return FALSE;
  const char *action = wl_csv_required (csv, where[C_ACTION], "an action", error);

  if (action == NULL)
    return FALSE;
  c->ns = g_strdup (*ns != '\0' ? ns : "default");
  c->job = g_strdup (job);
  c->action = g_strdup (action);
  c->line = wl_csv_line (csv);
  return TRUE;
}

GArray *
wl_read_commands (const char *path, GError **error)
{
  g_autoptr (WlCsv) csv = wl_csv_open (path, error);
  g_autoptr (GArray) rows = g_array_new (FALSE, TRUE, sizeof (WlCommand));
  g_autoptr (GArray) others = g_array_new (FALSE, FALSE, sizeof (guint));
  int where[N_COLUMNS];

  g_array_set_clear_func (rows, command_clear);
  if (csv == NULL || !wl_csv_columns (csv, columns, N_COLUMNS, where, others, error))
    return NULL;
  if (others->len > 0) {
    wl_csv_unknown_column (csv, g_array_index (others, guint, 0), columns, N_COLUMNS, error);
    return NULL;
  }
  for (;;) {
    gboolean got = FALSE;
    WlCommand c = { 0 };

    if (!wl_csv_next (csv, &got, error))
      return NULL;
    if (!got)
      return g_steal_pointer (&rows);
    if (!read_row (csv, where, &c, error)) {
      command_clear (&c);
      return NULL;
    }
    g_array_append_val (rows, c);
  }
}
