#include "ledger-check.h"
#include "json-doc.h"
#include "run-helper.h"
#include <math.h>
#include <string.h>

#define NONE G_MININT64

typedef struct {
  gint64 first_to, last_to; /* end of the first wait so far; of any interval */
  guint rows;
} Job;

static gint64
time_at (const TestTable *t, guint row, const char *column)
{
  const char *text = test_table_cell (t, row, test_table_column (t, column));

  return *text == '\0' ? NONE : (gint64) llround (g_ascii_strtod (text, NULL) * 1e6);
}

static char *
key_of (const TestTable *t, guint row)
{
  return g_strdup_printf ("%s/%s", test_table_cell (t, row, test_table_column (t, "namespace")), test_table_cell (t, row, test_table_column (t, "job")));
}

static void
wrong (GPtrArray *out, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
wrong (GPtrArray *out, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_ptr_array_add (out, g_strdup_vprintf (format, args));
  va_end (args);
}

static gint64
end_of_run (const char *results, GPtrArray *out)
{
  g_autofree char *path = g_build_filename (results, "summary.json", NULL), *text = NULL;
  g_autoptr (VcArena) arena = vc_arena_new ();
  gsize len = 0;

  text = test_read (path, &len, NULL);
  Jd *doc = text != NULL ? jd_parse (arena, text, len, NULL) : NULL;

  if (doc == NULL)
    wrong (out, "%s cannot be read", path);
  return doc != NULL ? (gint64) llround (jd_number (jd_get (doc, "end_s"), 0) * 1e6) : 0;
}

static void
check_jobs (const TestTable *jobs, GHashTable *seen, gint64 end, GPtrArray *out)
{
  for (guint i = 0; i < jobs->rows->len; i++) {
    g_autofree char *key = key_of (jobs, i);
    gint64 submit = time_at (jobs, i, "submit"), start = time_at (jobs, i, "gang_start"), finish = time_at (jobs, i, "finish");
    gint64 wait = time_at (jobs, i, "wait");
    const char *phase = test_table_cell (jobs, i, test_table_column (jobs, "phase"));
    const Job *j = g_hash_table_lookup (seen, key);
    gint64 until = start != NONE ? start : finish != NONE ? finish : end;

    if (strcmp (phase, "Rejected") == 0 || submit > end) {
      if (j != NULL)
        wrong (out, "%s was rejected or never submitted and has waited", key);
      continue;
    }
    if (start == NONE && strcmp (phase, "Deleted") == 0)
      continue; /* its end is in no column */
    if (wait != NONE && wait != start - submit)
      wrong (out, "%s: wait is not gang_start - submit", key);
    if (until == submit ? (j != NULL && j->first_to != NONE && j->first_to != submit) : (j == NULL || j->first_to != until))
      wrong (out, "%s: its first wait ends at %.6f, expected %.6f", key, j != NULL ? (double) j->first_to / 1e6 : -1, (double) until / 1e6);
  }
}

GPtrArray *
ledger_faults (const char *results)
{
  GPtrArray *out = g_ptr_array_new_with_free_func (g_free);
  g_auto (TestTable) jobs = { 0 }, ledger = { 0 };
  g_autofree char *jobs_path = g_build_filename (results, "jobs.csv", NULL), *ledger_path = g_build_filename (results, "ledger.csv", NULL);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GHashTable) submitted = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GError) error = NULL;

  if (!test_table_read (&jobs, jobs_path, &error) || !test_table_read (&ledger, ledger_path, &error)) {
    wrong (out, "%s", error->message);
    return out;
  }
  for (guint i = 0; i < jobs.rows->len; i++) {
    gint64 *t = g_new (gint64, 1);

    *t = time_at (&jobs, i, "submit");
    g_hash_table_replace (submitted, key_of (&jobs, i), t);
  }
  for (guint i = 0; i < ledger.rows->len; i++) {
    g_autofree char *key = key_of (&ledger, i);
    gint64 from = time_at (&ledger, i, "from"), to = time_at (&ledger, i, "to");
    gboolean first = strcmp (test_table_cell (&ledger, i, test_table_column (&ledger, "wait")), "first") == 0;
    const gint64 *submit = g_hash_table_lookup (submitted, key);
    Job *j = g_hash_table_lookup (seen, key);

    if (submit == NULL) {
      wrong (out, "%s is not in jobs.csv", key);
      continue;
    }
    if (j == NULL) {
      j = g_new (Job, 1);
      *j = (Job){ NONE, NONE, 0 };
      g_hash_table_insert (seen, g_strdup (key), j);
    }
    if (from >= to)
      wrong (out, "%s: an interval from %.6f to %.6f", key, (double) from / 1e6, (double) to / 1e6);
    if (first && from != (j->first_to != NONE ? j->first_to : *submit))
      wrong (out, "%s: its first wait has a gap before %.6f", key, (double) from / 1e6);
    if (!first && j->last_to != NONE && from < j->last_to)
      wrong (out, "%s: two intervals at %.6f", key, (double) from / 1e6);
    if (first)
      j->first_to = to;
    j->last_to = to;
    j->rows++;
  }
  check_jobs (&jobs, seen, end_of_run (results, out), out);
  return out;
}
