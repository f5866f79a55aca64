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
read_row (WlCsv *csv, const int *where, gpointer row, GError **error)
{
  WlCommand *c = row;
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
  return wl_csv_read_rows (path, columns, N_COLUMNS, sizeof (WlCommand), read_row, command_clear, error);
}
