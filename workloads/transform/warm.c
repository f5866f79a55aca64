/* A trace that begins in the middle: what ran then goes on, what waited waits. */
#include "trace-private.h"
#include "workloads/text/parse.h"
#include <string.h>

typedef struct { WlTime start, end; gboolean started, ended; guint row; } Record;

static gboolean
read_records (const WlTrace *t, GHashTable *by_name, GError **error)
{
  int ns = wl_table_column (t->recorded, "namespace"), job = wl_table_column (t->recorded, "job"), start = wl_table_column (t->recorded, "start"),
      end = wl_table_column (t->recorded, "end");

  for (guint i = 0; i < wl_table_rows (t->recorded); i++) {
    const char *space = wl_table_cell (t->recorded, i, ns);
    Record *r = g_new0 (Record, 1);

    r->row = i;
    g_hash_table_replace (by_name, g_strdup_printf ("%s/%s", *space != '\0' ? space : "default", wl_table_cell (t->recorded, i, job)), r);
    if (!wl_trace_time_of (t, t->recorded, "recorded.csv", i, start, &r->start, &r->started, error) ||
        !wl_trace_time_of (t, t->recorded, "recorded.csv", i, end, &r->end, &r->ended, error))
      return FALSE;
  }
  return TRUE;
}

/* Times of the cell in @column (`duration`, `walltime`), less what is done of the first run. */
static gboolean
shorten (WlTrace *t, guint row, const char *column, WlTime done, GError **error)
{
  g_autoptr (GString) made = g_string_new (NULL);
  int at = wl_table_column (t->jobs, column);
  const char *text = wl_table_cell (t->jobs, row, at);
  gboolean first = TRUE;

  if (*text == '\0')
    return TRUE;

  while (*text != '\0') {
    gsize len = strcspn (text, "|>");
    g_autofree char *one = g_strndup (text, len);
    WlTime time;

    if (!wl_parse_time (one, TRUE, &time, error))
      return wl_trace_locate (t, t->jobs, "jobs.csv", row, at, error);
    if (time == WL_TIME_NEVER)
      g_string_append (made, "inf");
    else
      wl_append_time (made, first ? MAX (time - done, 1000) : time); /* a pod that is a little over its time ends at once */
    text += len;
    first = *text == '|';
    if (*text != '\0')
      g_string_append_c (made, *text++);
  }
  wl_table_set (t->jobs, row, (guint) at, made->str);
  return TRUE;
}

/* Spans that began with the submission, of a job that was submitted @gone before the new beginning. */
static gboolean
shorten_spans (WlTrace *t, guint row, WlTime gone, GError **error)
{
  static const char *const names[] = { "x_deadline", "sla_waiting_time" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    int column = wl_table_column (t->jobs, names[i]);
    WlTime span = 0;
    gboolean given;

    if (!wl_trace_time_of (t, t->jobs, "jobs.csv", row, column, &span, &given, error))
      return FALSE;
    if (given)
      wl_trace_set_time (t->jobs, row, (guint) column, MAX (span - gone, 0));
  }
  return TRUE;
}

gboolean
wl_trace_warm_start (WlTrace *t, WlTime at, WlTime gap, GError **error)
{
  g_autoptr (GHashTable) records = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  int ns = wl_table_column (t->jobs, "namespace"), name = wl_table_column (t->jobs, "job"), submit = wl_table_column (t->jobs, "submit"), gone = wl_table_column (t->jobs, "delete");
  g_autofree gboolean *keep = g_new0 (gboolean, t->n_jobs + 1);
  int scale = wl_table_column (t->jobs, "scale");

  if (!wl_object_texts_refuse (t->objects, "--warm-start", error))
    return FALSE;
  if (t->recorded == NULL) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s: expected recorded.csv, which tells what ran when, found none; an import writes it where its trace knows", t->folder);
    return FALSE;
  }
  if (wl_table_rows (t->recorded) == 0) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s/recorded.csv: expected rows, which tell what ran when, found none", t->folder);
    return FALSE;
  }
  if (!read_records (t, records, error) || !wl_trace_sort_jobs (t, error))
    return FALSE;
  g_autofree gboolean *record_stays = g_new0 (gboolean, wl_table_rows (t->recorded) + 1);
  int start_column = wl_table_column (t->recorded, "start"), end_column = wl_table_column (t->recorded, "end"), submit_column = wl_table_column (t->recorded, "submit");

  for (guint i = 0; i < wl_table_rows (t->jobs); i++) {
    const char *space = wl_table_cell (t->jobs, i, ns);
    g_autofree char *key = g_strdup_printf ("%s/%s", *space != '\0' ? space : "default", wl_table_cell (t->jobs, i, name));
    const Record *r = g_hash_table_lookup (records, key);
    WlTime time = 0, deleted = WL_TIME_NEVER;
    gboolean given;

    if (!wl_trace_time_of (t, t->jobs, "jobs.csv", i, submit, &time, &given, error) || !wl_trace_time_of (t, t->jobs, "jobs.csv", i, gone, &deleted, &given, error))
      return FALSE;
    gboolean running = r != NULL && r->started && r->start <= at, over = (r != NULL && r->ended && r->end <= at) || deleted <= at;

    keep[t->job_of[i]] = !over;
    if (over)
      continue;
    if (time < at && *wl_table_cell (t->jobs, i, scale) != '\0') {
      g_set_error_literal (error, WL_ERROR, WL_ERROR_VALUE, "cannot be cut here, expected jobs of a fixed size, found one that has begun to change it");
      return wl_trace_locate (t, t->jobs, "jobs.csv", i, scale, error);
    }
    const WlTime come = running ? 0 : MAX (time - at, gap);
    /* What comes within the gap is moved to its end, and its record with it: nobody has started before he came. */
    const WlTime moved = time >= at ? come - (time - at) : r != NULL && r->started && !running ? MAX (come - (r->start - at), 0) : 0;

    wl_trace_set_time (t->jobs, i, (guint) submit, come);
    if (given)
      wl_trace_set_time (t->jobs, i, (guint) gone, MAX (deleted - at + moved, come + 1000)); /* at the same instant it would be deleted before it comes, and stay */
    if (time < at && !shorten_spans (t, i, at - time, error))
      return FALSE;
    if (running && (!shorten (t, i, "duration", at - r->start, error) || !shorten (t, i, "walltime", at - r->start, error)))
      return FALSE;
    if (r == NULL)
      continue;
    record_stays[r->row] = TRUE;
    if (submit_column >= 0)
      wl_trace_set_time (t->recorded, r->row, (guint) submit_column, come);
    if (r->started)
      wl_trace_set_time (t->recorded, r->row, (guint) start_column, MAX (r->start - at + moved, 0));
    if (r->ended)
      wl_trace_set_time (t->recorded, r->row, (guint) end_column, MAX (r->end - at + moved, come));
  }
  wl_table_filter (t->recorded, record_stays);
  wl_trace_keep_jobs (t, keep);
  return wl_trace_begin_at (t, at, error);
}
