/* recorded.csv: what happened to jobs in reality. Nothing of it is shown to a scheduler. */
#include "workloads/text/csv-table.h"
#include "workloads/text/parse.h"
#include "workloads/text/trace-columns.h"

enum { C_NAMESPACE, C_JOB, C_SUBMIT, C_WAIT, C_START, C_END, C_STATUS, C_EVICTIONS, C_NODES, N_COLUMNS };
static const WlColumn columns[N_COLUMNS] = {
  [C_NAMESPACE] = { "namespace", FALSE },
  [C_JOB] = { "job", TRUE },
  [C_SUBMIT] = { "submit", FALSE },
  [C_WAIT] = { "wait", FALSE },
  [C_START] = { "start", FALSE },
  [C_END] = { "end", FALSE },
  [C_STATUS] = { "status", FALSE },
  [C_EVICTIONS] = { "evictions", FALSE },
  [C_NODES] = { "nodes", FALSE },
};

static void
record_clear (gpointer data)
{
  WlRecord *r = data;

  g_free (r->ns);
  g_free (r->job);
  g_free (r->status);
  g_strfreev (r->nodes);
}

/* What happened before the trace began has a time below 0. */
static gboolean
read_time (const WlCsv *csv, int cell, WlTime *out, GError **error)
{
  const char *text = wl_csv_cell (csv, cell);
  gboolean below = *text == '-';

  *out = WL_TIME_NONE;
  if (*text == '\0')
    return TRUE;
  if (!wl_parse_time (below ? text + 1 : text, FALSE, out, error))
    return wl_csv_locate (csv, cell, error);
  *out = below ? -*out : *out;
  return TRUE;
}

static gboolean
refuse_end (const WlCsv *csv, const int *where, int before, const char *what, GError **error)
{
  g_autofree char *shown = wl_shown (wl_csv_cell (csv, where[C_END])), *first = g_strdup (wl_csv_cell (csv, where[before])),
                  *expected = g_strdup_printf ("%s or later", first);

  return wl_csv_refuse (csv, where[C_END], WL_ERROR_VALUE, what, expected, shown, error);
}

/* What cannot have been. A start before the submission can: clocks differ, and it counts as one at the submission. */
static gboolean
judge_times (const WlCsv *csv, const int *where, const WlRecord *r, GError **error)
{
  if (r->wait != WL_TIME_NONE && r->wait < 0) {
    g_autofree char *shown = wl_shown (wl_csv_cell (csv, where[C_WAIT]));

    return wl_csv_refuse (csv, where[C_WAIT], WL_ERROR_VALUE, "column 'wait': negative time", "0 or more", shown, error);
  }
  if (r->end == WL_TIME_NONE)
    return TRUE;
  if (r->start != WL_TIME_NONE && r->end < r->start)
    return refuse_end (csv, where, C_START, "column 'end': before the job's start", error);
  if (r->submit != WL_TIME_NONE && r->end < r->submit)
    return refuse_end (csv, where, C_SUBMIT, "column 'end': before the job's submission", error);
  return TRUE;
}

static gboolean
read_row (WlCsv *csv, const int *where, gpointer row, GError **error)
{
  WlRecord *r = row;
  const char *job = wl_csv_required (csv, where[C_JOB], "a job name", error);
  const char *ns = wl_csv_cell (csv, where[C_NAMESPACE]), *nodes = wl_csv_cell (csv, where[C_NODES]);

  if (job == NULL || !read_time (csv, where[C_SUBMIT], &r->submit, error) || !read_time (csv, where[C_WAIT], &r->wait, error) ||
      !read_time (csv, where[C_START], &r->start, error) || !read_time (csv, where[C_END], &r->end, error) ||
      !wl_trace_int (csv, where[C_EVICTIONS], 0, G_MAXINT32, &r->evictions, error) || !judge_times (csv, where, r, error))
    return FALSE;
  r->ns = g_strdup (*ns != '\0' ? ns : "default");
  r->job = g_strdup (job);
  r->status = g_strdup (wl_csv_cell (csv, where[C_STATUS]));
  r->nodes = *nodes != '\0' ? g_strsplit (nodes, "|", -1) : NULL;
  return TRUE;
}

GArray *
wl_read_recorded (const char *path, GError **error)
{
  return wl_csv_read_rows (path, columns, N_COLUMNS, sizeof (WlRecord), read_row, record_clear, error);
}
