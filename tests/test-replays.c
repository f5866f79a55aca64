/* tests/test-replays.c - recorded replays of Volcano, run again through the program; and the
 * promises about bytes: the same inputs give the same files, however often, and with cycles skipped
 * or not, and with the engine's shortcuts or without. */
#include "json-doc.h"
#include "ledger-check.h"
#include "run-helper.h"
#include "suite.h"
#include <math.h>
#include <string.h>

#define SHOWN 6 /* differences printed of one replay */

static const char *const replays[] = {
  "s01-default",    "s02-priority-gang-binpack", "s03-drf",      "s08-backfill-besteffort",
  "s09-roles",      "s11-sampling-adaptive",     "s13-period10", "s14-taints-selectors",
  "s15-no-enqueue", "x04-enqueue-deadlock",      "r03-itp06",
  /* evictions */
  "s04-proportion-reclaim", "s06-preempt-priority", "s07-capacity-hierarchy",
  "x01-nominated-lockout", "x02-preempt-pair", "w14-gangpreempt",
  /* nodes, queues and configurations over time; latencies */
  "w09-conf-swap", "w10-latency", "w18-cordon-preempt", "w19-queue-close-mini",
  "w07-node-trouble", "w08-queue-changes", "w11-bind-failures",
  /* plugins that read the clock */
  "w13-sla", "w15-tdm",
  /* the job controller */
  "w01-policies", "w02-policy-timeouts", "w03-retries", "w04-failures-elastic", "w05-deletion-ttl",
  "w06-dependson", "w16-unknown-policies", "w20-delayed-actions", "w21-requeue-limit",
  /* HyperNodes, sub-groups */
  "w12-topology", "w17-partitions",
};

/* ---- running ---- */

/* conf_at is a list of {time, file}, bind_failures a map from pod to number. */
static void
add_repeated (GPtrArray *args, const char *dir, const Jd *value)
{
  for (guint i = 0; i < value->n; i++) {
    const Jd *time = jd_get (value->child[i], "time"), *file = jd_get (value->child[i], "file");

    if (time != NULL && file != NULL)
      g_ptr_array_add (args, g_strdup_printf ("--conf-at=%s=%s/%s", jd_text (time, "?"), dir,
                                              jd_text (file, "?")));
    else
      g_ptr_array_add (args, g_strdup_printf ("--bind-fail=%s=%.0f", value->key[i],
                                              jd_number (value->child[i], 0)));
  }
}

/* Keys of options.json that have another name on the command line than their own with '-' for '_'.
 */
static void
add_options (GPtrArray *args, const char *dir)
{
  g_autofree char *path = g_build_filename (dir, "options.json", NULL), *text = NULL;
  g_autoptr (VcArena) arena = vc_arena_new ();
  gsize len = 0;
  Jd *options;

  text = test_read (path, &len, NULL);
  options = text != NULL ? jd_parse (arena, text, len, NULL) : NULL;
  if (!suite_check (options != NULL, "%s is JSON", path))
    return;
  for (guint i = 0; i < options->n; i++) {
    if (strcmp (options->key[i], "conf_at") == 0
        || strcmp (options->key[i], "bind_failures") == 0) {
      add_repeated (args, dir, options->child[i]);
      continue;
    }
    g_autofree char *name = g_strdelimit (g_strdup (options->key[i]), "_", '-');
    g_autofree char *raw = jd_dup_raw (options->child[i]);

    g_ptr_array_add (args, g_strdup_printf ("--%s=%s", name, jd_text (options->child[i], raw)));
  }
}

static void
add_input (GPtrArray *args, const char *flag, const char *dir, const char *name)
{
  char *path = test_find (dir, name);

  if (path == NULL)
    return;
  g_ptr_array_add (args, g_strdup (flag));
  g_ptr_array_add (args, path);
}

/* Run the replay in @dir into @out; @extra is one more flag or NULL. */
static gboolean
run_replay (const char *dir, const char *out, const char *extra)
{
  g_autoptr (GPtrArray) args = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *complaint = NULL;
  const char *volsim = g_getenv ("VOLSIM_BIN");
  int status;

  if (!suite_check (volsim != NULL, "VOLSIM_BIN names the program"))
    return FALSE;
  g_ptr_array_add (args, g_strdup (volsim));
  g_ptr_array_add (args, g_strdup ("run"));
  add_input (args, "--nodes", dir, "nodes.csv");
  add_input (args, "--jobs", dir, "jobs.csv");
  add_input (args, "--queues", dir, "queues.csv");
  add_input (args, "--objects", dir, "objects.yaml");
  add_input (args, "--commands", dir, "commands.csv");
  add_input (args, "--conf", dir, "volcano-scheduler.conf");
  add_options (args, dir);
  g_ptr_array_add (args, g_strdup ("--out"));
  g_ptr_array_add (args, g_strdup (out));
  g_ptr_array_add (args, g_strdup ("--no-charts"));
  if (extra != NULL)
    g_ptr_array_add (args, g_strdup (extra));
  g_ptr_array_add (args, NULL);
  status = test_run ((char **) args->pdata, NULL, &complaint);
  return suite_check (status == 0, "%s %s: exit status %d: %s", dir, extra != NULL ? extra : "",
                      status, complaint);
}

/* ---- comparing ---- */

G_GNUC_PRINTF (2, 3) static void differs (GPtrArray *out, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_ptr_array_add (out, g_strdup_vprintf (format, args));
  va_end (args);
}

static gboolean
read_number (const char *text, double *out)
{
  char *end;

  *out = g_ascii_strtod (text, &end);
  return end != text && *end == '\0';
}

static gboolean
same_cell (const char *a, const char *b)
{
  double x, y;

  return strcmp (a, b) == 0 || (read_number (a, &x) && read_number (b, &y) && x == y);
}

static gint64
microseconds (const char *text)
{
  double t = 0;

  return read_number (text, &t) ? (gint64) llround (t * 1e6) : G_MININT64;
}

static char *
row_key (const TestTable *t, guint row, const char *const *columns)
{
  g_autoptr (GString) key = g_string_new (NULL);

  for (guint i = 0; columns[i] != NULL; i++)
    g_string_append_printf (key, "%s%s", i > 0 ? " " : "",
                            test_table_cell (t, row, test_table_column (t, columns[i])));
  return g_string_free (g_steal_pointer (&key), FALSE);
}

/* Every column of @want, row by row of the same key; no row on one side only. */
static void
compare_keyed (const char *what, const TestTable *want, const TestTable *got,
               const char *const *columns, GPtrArray *out)
{
  g_autoptr (GHashTable) rows = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree int *column = g_new (int, want->names->len);

  for (guint c = 0; c < want->names->len; c++)
    column[c] = test_table_column (got, g_ptr_array_index (want->names, c));
  for (guint r = 0; r < got->rows->len; r++)
    g_hash_table_insert (rows, row_key (got, r, columns), GUINT_TO_POINTER (r + 1));
  if (g_hash_table_size (rows) != got->rows->len)
    differs (out, "%s: two rows of one key", what);
  for (guint r = 0; r < want->rows->len; r++) {
    g_autofree char *key = row_key (want, r, columns);
    guint g = GPOINTER_TO_UINT (g_hash_table_lookup (rows, key));

    if (g == 0) {
      differs (out, "%s %s: missing", what, key);
      continue;
    }
    g_hash_table_remove (rows, key);
    for (guint c = 0; c < want->names->len; c++) {
      const char *a = test_table_cell (want, r, (int) c),
                 *b = test_table_cell (got, g - 1, column[c]);

      if (!same_cell (a, b))
        differs (out, "%s %s, %s: Volcano '%s', volsim '%s'", what, key,
                 (char *) g_ptr_array_index (want->names, c), a, b);
    }
  }
  if (g_hash_table_size (rows) > 0)
    differs (out, "%s: %u rows that Volcano does not have", what, g_hash_table_size (rows));
}

/* Last row at or before @time of rows [0, n) with ascending times; -1: none. */
static int
row_at (const gint64 *times, guint n, gint64 time)
{
  guint lo = 0, hi = n;

  while (lo < hi) {
    guint mid = lo + (hi - lo) / 2;

    if (times[mid] <= time)
      lo = mid + 1;
    else
      hi = mid;
  }
  return (int) lo - 1;
}

typedef struct {
  GArray *time, *row;
} QueueRows;

static void
queue_rows_free (gpointer p)
{
  QueueRows *q = p;

  g_array_unref (q->time);
  g_array_unref (q->row);
  g_free (q);
}

static GHashTable *
index_queues (const TestTable *t)
{
  GHashTable *queues = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, queue_rows_free);
  int name = test_table_column (t, "queue"), time = test_table_column (t, "time");

  for (guint r = 0; r < t->rows->len; r++) {
    const char *key = test_table_cell (t, r, name);
    QueueRows *q = g_hash_table_lookup (queues, key);
    gint64 us = microseconds (test_table_cell (t, r, time));

    if (q == NULL) {
      q = g_new (QueueRows, 1);
      q->time = g_array_new (FALSE, FALSE, sizeof (gint64));
      q->row = g_array_new (FALSE, FALSE, sizeof (guint));
      g_hash_table_insert (queues, (gpointer) key, q);
    }
    g_array_append_val (q->time, us);
    g_array_append_val (q->row, r);
  }
  return queues;
}

/* Recorded vectors are "cpu:4000 memory:17179869184": cpu and extended resources in thousandths. */
static void
compare_vector (const char *when, const char *queue, const char *what, const char *vector,
                const TestTable *t, GHashTable *queues, GPtrArray *out)
{
  QueueRows *q = g_hash_table_lookup (queues, queue);
  int at = q != NULL ? row_at ((gint64 *) (void *) q->time->data, q->time->len, microseconds (when))
                     : -1;
  g_auto (GStrv) parts = g_strsplit (vector, " ", -1);

  for (guint i = 0; parts[i] != NULL; i++) {
    char *colon = strrchr (parts[i], ':');
    g_autofree char *column = NULL;
    double want, got = 0;

    if (colon == NULL)
      continue;
    *colon = '\0';
    column = g_strdup_printf ("%s/%s", what, parts[i]);
    read_number (colon + 1, &want);
    if (strcmp (parts[i], "memory") != 0)
      want /= 1000;
    if (at >= 0)
      read_number (
          test_table_cell (t, g_array_index (q->row, guint, at), test_table_column (t, column)),
          &got);
    if (fabs (want - got) > 1e-6 * MAX (1.0, MAX (fabs (want), fabs (got))))
      differs (out, "cycle %s, queue %s, %s: Volcano %.17g, volsim %.17g", when, queue, column,
               want, got);
  }
}

static gboolean
decides (const TestTable *t, guint row)
{
  return strcmp (test_table_cell (t, row, test_table_column (t, "binds")), "0") != 0
         || strcmp (test_table_cell (t, row, test_table_column (t, "evictions")), "0") != 0;
}

static void
compare_cycles (const TestTable *want, const TestTable *got, const TestTable *queue_table,
                GPtrArray *out)
{
  static const char *const decisions[] = { "binds", "evictions" };
  g_autoptr (GHashTable) queues = index_queues (queue_table);
  g_autofree gint64 *times = g_new0 (gint64, got->rows->len + 1);
  guint deciding = 0, matched = 0;

  for (guint r = 0; r < got->rows->len; r++) {
    times[r] = microseconds (test_table_cell (got, r, test_table_column (got, "time")));
    deciding += decides (got, r);
  }
  for (guint r = 0; r < want->rows->len; r++) {
    const char *when = test_table_cell (want, r, test_table_column (want, "time"));
    int g = row_at (times, got->rows->len, microseconds (when));
    gboolean exact = g >= 0 && times[g] == microseconds (when);

    matched += exact && decides (got, (guint) g);
    for (guint c = 0; c < G_N_ELEMENTS (decisions); c++) {
      const char *a = test_table_cell (want, r, test_table_column (want, decisions[c]));
      const char *b
          = exact ? test_table_cell (got, (guint) g, test_table_column (got, decisions[c])) : "0";

      if (!same_cell (a, b))
        differs (out, "cycle %s, %s: Volcano %s, volsim %s", when, decisions[c], a, b);
    }
    for (guint c = 0; c < want->names->len; c++) {
      const char *name = g_ptr_array_index (want->names, c),
                 *cell = test_table_cell (want, r, (int) c);
      const char *dot = strrchr (name, '.');

      if (strcmp (name, "time") == 0 || strcmp (name, "binds") == 0
          || strcmp (name, "evictions") == 0)
        continue;
      if (dot != NULL) {
        g_autofree char *queue = g_strndup (name, (gsize) (dot - name));

        if (*cell != '\0')
          compare_vector (when, queue, dot + 1, cell, queue_table, queues, out);
      } else if (!same_cell (
                     cell,
                     g >= 0 ? test_table_cell (got, (guint) g, test_table_column (got, name)) : ""))
        differs (out, "cycle %s, %s: Volcano %s, volsim %s", when, name, cell,
                 g >= 0 ? test_table_cell (got, (guint) g, test_table_column (got, name))
                        : "nothing");
    }
  }
  if (matched != deciding)
    differs (out, "cycles: %u cycles of volsim decide something where Volcano decides nothing",
             deciding - matched);
}

static gboolean
read_pair (TestTable *want, TestTable *got, const char *dir, const char *results, const char *name,
           GPtrArray *out)
{
  g_autofree char *expected = g_strdup_printf ("%s/expected-%s", dir, name),
                  *found = g_build_filename (results, name, NULL);
  g_autoptr (GError) error = NULL;

  if (test_table_read (want, expected, &error) && test_table_read (got, found, &error))
    return TRUE;
  differs (out, "%s", error->message);
  return FALSE;
}

/* The history of phases, in its order. The version of a job counts every single request of its
 * controller: it is not compared. */
static void
compare_phases (const TestTable *want, const TestTable *got, GPtrArray *out)
{
  static const char *const columns[] = { "time", "kind", "namespace", "name", "phase", "retry" };

  for (guint r = 0; r < MIN (want->rows->len, got->rows->len); r++)
    for (guint c = 0; c < G_N_ELEMENTS (columns); c++) {
      const char *a = test_table_cell (want, r, test_table_column (want, columns[c]));
      const char *b = test_table_cell (got, r, test_table_column (got, columns[c]));

      if (same_cell (a, b))
        continue;
      differs (out, "phases, row %u, %s: Volcano '%s', volsim '%s'", r + 1, columns[c], a, b);
      return; /* the rows after it shift */
    }
  if (want->rows->len != got->rows->len)
    differs (out, "phases: Volcano has %u rows, volsim %u", want->rows->len, got->rows->len);
}

static void
compare_results (const char *dir, const char *results, GPtrArray *out)
{
  static const char *const job_key[] = { "namespace", "job", NULL };
  static const char *const task_key[] = { "namespace", "job", "task", "index", "attempt", NULL };
  g_auto (TestTable) jobs = { 0 }, tasks = { 0 }, cycles = { 0 };
  g_auto (TestTable) got_jobs = { 0 }, got_tasks = { 0 }, got_cycles = { 0 }, queues = { 0 };
  g_auto (TestTable) phases = { 0 }, got_phases = { 0 };
  g_autofree char *path = g_build_filename (results, "queues.csv", NULL);
  g_autofree char *history = test_find (dir, "expected-phases.csv");
  g_autoptr (GError) error = NULL;

  if (read_pair (&jobs, &got_jobs, dir, results, "jobs.csv", out))
    compare_keyed ("job", &jobs, &got_jobs, job_key, out);
  if (read_pair (&tasks, &got_tasks, dir, results, "tasks.csv", out))
    compare_keyed ("task", &tasks, &got_tasks, task_key, out);
  if (history != NULL && read_pair (&phases, &got_phases, dir, results, "phases.csv", out))
    compare_phases (&phases, &got_phases, out);
  if (!read_pair (&cycles, &got_cycles, dir, results, "cycles.csv", out))
    return;
  if (!test_table_read (&queues, path, &error))
    differs (out, "%s", error->message);
  else
    compare_cycles (&cycles, &got_cycles, &queues, out);
}

static void
check_replay (const char *dir)
{
  g_autofree char *tmp = test_make_dir (), *results = g_build_filename (tmp, "results", NULL);
  g_autoptr (GPtrArray) out = g_ptr_array_new_with_free_func (g_free);

  if (run_replay (dir, results, NULL))
    {
      g_autoptr (GPtrArray) faults = ledger_faults (results);

      compare_results (dir, results, out);
      for (guint i = 0; i < faults->len; i++)
        differs (out, "ledger: %s", (const char *) g_ptr_array_index (faults, i));
    }
  for (guint i = 0; i < MIN (out->len, SHOWN); i++)
    g_print ("    %s: %s\n", dir, (const char *) g_ptr_array_index (out, i));
  suite_check (out->len == 0, "%s differs in %u places", dir, out->len);
  test_remove_tree (tmp);
}

/* ---- tests ---- */

static char *
replay_dir (const char *name)
{
  return g_build_filename (g_getenv ("G_TEST_SRCDIR"), "replays", name, NULL);
}

static void
every_replay_is_as_recorded (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (replays); i++) {
    g_autofree char *dir = replay_dir (replays[i]);

    check_replay (dir);
  }
}

static void
a_replay_given_by_its_folder_is_as_recorded (void)
{
  const char *dir = g_getenv ("VOLSIM_OPENB_REPLAY");

  if (dir == NULL || *dir == '\0') {
    g_print ("(not given) ");
    CU_PASS ("left out");
    return;
  }
  check_replay (dir);
}

/* Every result file but timing.json has the same bytes with @flag as without. */
static void
check_bytes (const char *flag)
{
  for (guint i = 0; i < G_N_ELEMENTS (replays); i++) {
    g_autofree char *dir = replay_dir (replays[i]), *tmp = test_make_dir ();
    g_autofree char *a = g_build_filename (tmp, "results", NULL),
                    *b = g_build_filename (tmp, "again", NULL);

    if (run_replay (dir, a, NULL) && run_replay (dir, b, flag)) {
      g_autofree char *difference = test_first_difference (a, b, "timing.json");

      suite_check (difference == NULL, "%s %s: %s", replays[i], flag != NULL ? flag : "again",
                   difference);
    }
    test_remove_tree (tmp);
  }
}

static void
a_second_run_gives_the_same_bytes (void)
{
  check_bytes (NULL);
}

static void
skipping_cycles_changes_no_byte (void)
{
  check_bytes ("--no-skip");
}

static void
shortcuts_change_no_byte (void)
{
  check_bytes ("--plain");
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "every replay is as recorded", every_replay_is_as_recorded },
    { "a replay given by its folder is as recorded", a_replay_given_by_its_folder_is_as_recorded },
    { "a second run gives the same bytes", a_second_run_gives_the_same_bytes },
    { "skipping cycles changes no byte", skipping_cycles_changes_no_byte },
    { "shortcuts change no byte", shortcuts_change_no_byte },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("replays", tests);
}
