/* commands.csv: what users tell the controllers of jobs and queues to do, and when. */
#include "workloads/k8s/k8s-job.h"
#include "workloads/text/csv-table.h"
#include "workloads/text/parse.h"
#include <string.h>

enum { C_TIME, C_NAMESPACE, C_JOB, C_QUEUE, C_ACTION, N_COLUMNS };
static const WlColumn columns[N_COLUMNS] = {
  [C_TIME] = { "time", TRUE },
  [C_NAMESPACE] = { "namespace", FALSE },
  [C_JOB] = { "job", FALSE },
  [C_QUEUE] = { "queue", FALSE },
  [C_ACTION] = { "action", TRUE },
};

static void
command_clear (gpointer data)
{
  WlCommand *c = data;

  g_free (c->ns);
  g_free (c->job);
  g_free (c->queue);
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
  const char *action = wl_csv_required (csv, where[C_ACTION], "an action", error);

  if (action == NULL)
    return FALSE;
  const char *job = wl_csv_cell (csv, where[C_JOB]), *queue = wl_csv_cell (csv, where[C_QUEUE]);

  if (*job == '\0' && *queue == '\0')
    return wl_csv_required (csv, where[C_JOB], "a job name, or a queue", error) != NULL;
  if (*job != '\0' && *queue != '\0')
    return wl_csv_refuse (csv, where[C_QUEUE], WL_ERROR_CONFLICT, "a command for a job and a queue", "one of them", "both", error);
  gboolean of_queue = *queue != '\0' || strcmp (action, "OpenQueue") == 0 || strcmp (action, "CloseQueue") == 0;

  c->ns = g_strdup (*ns != '\0' ? ns : "default");
  c->job = of_queue ? NULL : g_strdup (job);
  c->queue = of_queue ? g_strdup (*queue != '\0' ? queue : job) : NULL;
  c->action = g_strdup (action);
  c->line = wl_csv_line (csv);
  return TRUE;
}

GArray *
wl_read_commands (const char *path, GError **error)
{
  return wl_csv_read_rows (path, columns, N_COLUMNS, sizeof (WlCommand), read_row, command_clear, error);
}
