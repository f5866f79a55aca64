/* scale.csv: edits of replicas and minima while the run goes on. */
#include "workloads/text/csv-table.h"
#include "workloads/text/parse.h"
#include "workloads/text/trace-columns.h"

enum { C_TIME, C_NAMESPACE, C_JOB, C_TASK, C_REPLICAS, C_TASK_MIN, C_MIN_AVAILABLE, N_COLUMNS };
static const WlColumn columns[N_COLUMNS] = {
  [C_TIME] = { "time", TRUE },
  [C_NAMESPACE] = { "namespace", FALSE },
  [C_JOB] = { "job", TRUE },
  [C_TASK] = { "task", FALSE },
  [C_REPLICAS] = { "replicas", FALSE },
  [C_TASK_MIN] = { "task_min_available", FALSE },
  [C_MIN_AVAILABLE] = { "min_available", FALSE },
};

static void
edit_clear (gpointer data)
{
  WlScaleEdit *e = data;

  g_free (e->ns);
  g_free (e->job);
  g_free (e->task);
}

static gboolean
read_row (WlCsv *csv, const int *where, gpointer row, GError **error)
{
  WlScaleEdit *e = row;
  const char *time = wl_csv_required (csv, where[C_TIME], "a time", error);
  const char *ns = wl_csv_cell (csv, where[C_NAMESPACE]), *task = wl_csv_cell (csv, where[C_TASK]);

  if (time == NULL)
    return FALSE;
  if (!wl_parse_time (time, FALSE, &e->time, error))
    return wl_csv_locate (csv, where[C_TIME], error);
  const char *job = wl_csv_required (csv, where[C_JOB], "a job name", error);

  if (job == NULL)
    return FALSE;
  e->replicas = e->task_min = e->min_available = -1;
  if (!wl_trace_int (csv, where[C_REPLICAS], 0, WL_REPLICAS_MAX, &e->replicas, error)
      || !wl_trace_int (csv, where[C_TASK_MIN], 0, WL_REPLICAS_MAX, &e->task_min, error)
      || !wl_trace_int (csv, where[C_MIN_AVAILABLE], 0, G_MAXINT32, &e->min_available, error))
    return FALSE;
  if (e->replicas < 0 && e->task_min < 0 && e->min_available < 0)
    return wl_csv_refuse (csv, where[C_REPLICAS] >= 0 ? where[C_REPLICAS] : where[C_JOB], WL_ERROR_VALUE, "nothing to change",
                          "replicas, task_min_available or min_available", "none of them", error);
  e->ns = g_strdup (*ns != '\0' ? ns : "default");
  e->job = g_strdup (job);
  e->task = *task != '\0' ? g_strdup (task) : NULL;
  e->line = wl_csv_line (csv);
  return TRUE;
}

GArray *
wl_read_scale (const char *path, GError **error)
{
  return wl_csv_read_rows (path, columns, N_COLUMNS, sizeof (WlScaleEdit), read_row, edit_clear, error);
}
