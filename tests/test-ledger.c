/* tests/test-ledger.c - ledger.csv: the intervals of every job add up to its wait, in every scenario that is carried, and small cases whose
 * causes follow from Volcano's rules by hand. */
#include "ledger-check.h"
#include "run-helper.h"
#include "suite.h"
#include <string.h>

static gboolean
run (const char *results, const char *const *more)
{
  g_autoptr (GPtrArray) args = g_ptr_array_new ();
  g_autofree char *complaint = NULL;

  g_ptr_array_add (args, (gpointer) g_getenv ("VOLSIM_BIN"));
  g_ptr_array_add (args, (gpointer) "run");
  for (; *more != NULL; more++)
    g_ptr_array_add (args, (gpointer) *more);
  g_ptr_array_add (args, (gpointer) "--no-charts");
  g_ptr_array_add (args, (gpointer) "--out");
  g_ptr_array_add (args, (gpointer) results);
  g_ptr_array_add (args, NULL);
  int status = test_run ((char **) args->pdata, NULL, &complaint);

  return suite_check (status == 0, "exit status %d: %s", status, complaint);
}

static void
the_intervals_of_every_scenario_add_up (void)
{
  g_autofree char *dir = g_build_filename (g_getenv ("VOLSIM_SOURCE"), "scenarios", NULL), *tmp = test_make_dir ();
  g_autofree char *results = g_build_filename (tmp, "results", NULL);
  g_autoptr (GDir) d = g_dir_open (dir, 0, NULL);
  const char *name;
  guint n = 0;

  while (d != NULL && (name = g_dir_read_name (d)) != NULL) {
    if (!g_str_has_suffix (name, ".yaml"))
      continue;
    g_autofree char *path = g_build_filename (dir, name, NULL);
    const char *const args[] = { path, NULL };

    if (!run (results, args))
      continue;
    g_autoptr (GPtrArray) faults = ledger_faults (results);

    for (guint i = 0; i < faults->len; i++)
      suite_check (FALSE, "%s: %s", name, (const char *) faults->pdata[i]);
    n++;
  }
  suite_check (n >= 5, "%u scenarios", n);
  test_remove_tree (tmp);
}

/* ---- cases by hand ---- */

typedef struct {
  const char *what, *nodes, *jobs, *queues, *conf;
  const char *ledger; /* without the header */
} Case;

#define NO_QUEUE_PLUGIN                                                                                                                \
  "actions: \"enqueue, allocate, backfill\"\ntiers:\n- plugins:\n  - name: priority\n  - name: gang\n- plugins:\n  - name: predicates\n"      \
  "  - name: nodeorder\n"

static const Case cases[] = {
  { "overcommit keeps a job out until the other one has ended",
    /* a: enqueued at 0, bound at 1, ends at 11. overcommit lets in 1.2 × 4 cpu: 4 are taken, b asks for 4. At 11 it enters, at 12 it is bound. */
    "node,cpu,memory\nn,4,8Gi\n",
    "job,submit,replicas,cpu,memory,duration\na,0,1,4,1Gi,10\nb,0.5,2,2,1Gi,5\n", NULL, NULL,
    "default,a,default,0,1,first,cycle,,,0,0,,\n"
    "default,b,default,0.5,1,first,cycle,,,0,0,,\n"
    "default,b,default,1,11,first,enqueue,overcommit,,0,0,,\n"
    "default,b,default,11,12,first,cycle,,,0,0,,\n" },
  { "a gang that fits in part, and one of which nothing fits",
    /* a takes 3 of 4 cpu from 1 to 21. b (2 × 1 cpu): one pod fits, so one is missing; c (1 × 2 cpu): nothing fits. From 21 on both run.
     * Without a plugin that votes every job enters at once. */
    "node,cpu,memory\nn,4,8Gi\n",
    "job,submit,replicas,cpu,memory,duration\na,0,1,3,1Gi,20\nb,2,2,1,1Gi,5\nc,2,1,2,1Gi,5\n", NULL, NO_QUEUE_PLUGIN,
    "default,a,default,0,1,first,cycle,,,0,0,,\n"
    "default,b,default,2,3,first,cycle,,,0,0,,\n"
    "default,c,default,2,3,first,cycle,,,0,0,,\n"
    "default,b,default,3,21,first,gang,,Insufficient cpu,1,1,,\n"
    "default,c,default,3,21,first,nodes,,Insufficient cpu,1,1,,\n" },
  { "room that a job of higher priority takes first",
    /* At 21 a's 4 cpu are free: high (3) has its turn before mid (1) and low (2). mid finds the last one, low would have found two before high came;
     * mid has its turn before low, too (m comes after l, but it is the older one), and without mid alone there would still be one cpu. high ends at 31. */
    "node,cpu,memory\nn,4,8Gi\n",
    "job,submit,replicas,cpu,memory,duration,priority\na,0,1,4,1Gi,20,\nmid,0.5,1,1,1Gi,50,\nlow,1.5,1,2,1Gi,5,\nhigh,2.5,1,3,1Gi,10,10\n", NULL, NO_QUEUE_PLUGIN,
    "default,a,default,0,1,first,cycle,,,0,0,,\n"
    "default,mid,default,0.5,2,first,cycle,,,0,0,,\n"
    "default,low,default,1.5,3,first,cycle,,,0,0,,\n"
    "default,high,default,2.5,4,first,cycle,,,0,0,,\n"
    "default,mid,default,2,21,first,nodes,,Insufficient cpu,1,1,,\n"
    "default,high,default,4,21,first,nodes,,Insufficient cpu,1,1,,\n"
    "default,low,default,3,21,first,nodes,,Insufficient cpu,1,1,,\n"
    "default,low,default,21,31,first,nodes,,Insufficient cpu,1,1,default/high,jobs: priority\n" },
  { "room that a job of the queue with the smaller share takes first",
    /* 10 cpu: a (qa, 2) and c (qb, 4) run; x and y ask for 4 each. qa has used 2 of 5, qb 4 of 5, so x has its turn. y fits when c has gone. */
    "node,cpu,memory\nn,10,80Gi\n",
    "job,submit,queue,replicas,cpu,memory,duration\na,0,qa,1,2,1Gi,100\nc,0,qb,1,4,1Gi,20\nx,2.5,qa,1,4,1Gi,60\ny,2.5,qb,1,4,1Gi,20\n",
    "queue,deserved/cpu\nqa,5\nqb,5\n",
    "actions: \"allocate\"\ntiers:\n- plugins:\n  - name: priority\n  - name: gang\n- plugins:\n  - name: predicates\n  - name: capacity\n",
    "default,a,qa,0,1,first,cycle,,,0,0,,\n"
    "default,c,qb,0,1,first,cycle,,,0,0,,\n"
    "default,x,qa,2.5,4,first,cycle,,,0,0,,\n"
    "default,y,qb,2.5,4,first,cycle,,,0,0,,\n"
    "default,y,qb,4,21,first,nodes,,Insufficient cpu,1,1,default/x,queues: capacity\n" },
  { "share of the queue that another job of it takes first",
    /* q may use 4 of 10 cpu: a takes 3 of them, b asks for 2; d asks for 5, which the queue may never give. */
    "node,cpu,memory\nn,10,80Gi\n",
    "job,submit,queue,replicas,cpu,memory,duration\na,0,q,1,3,1Gi,20\nb,0,q,1,2,1Gi,20\nd,0,q,1,5,1Gi,20\n",
    "queue,capability/cpu\nq,4\n",
    "actions: \"allocate\"\ntiers:\n- plugins:\n  - name: priority\n  - name: gang\n- plugins:\n  - name: predicates\n  - name: capacity\n",
    "default,a,q,0,1,first,cycle,,,0,0,,\n"
    "default,d,q,0,1,first,cycle,,,0,0,,\n"
    "default,b,q,0,1,first,cycle,,,0,0,,\n"
    "default,b,q,1,21,first,quota,capacity,,0,0,default/a,jobs: name\n"
    "default,d,q,1,41,first,quota,capacity,,0,0,,\n" },
  { "admission that an older job takes first",
    /* overcommit lets in 1.2 × 4 cpu: a (3) comes first, b (2) not then; it is let in when a has ended, at 11. */
    "node,cpu,memory\nn,4,8Gi\n",
    "job,submit,replicas,cpu,memory,duration\na,0,1,3,1Gi,10\nb,0,1,2,1Gi,5\n", NULL, NULL,
    "default,a,default,0,1,first,cycle,,,0,0,,\n"
    "default,b,default,0,11,first,enqueue,overcommit,,0,0,default/a,jobs: name\n"
    "default,b,default,11,12,first,cycle,,,0,0,,\n" },
};

static void
causes_are_those_of_volcano (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const Case *c = &cases[i];
    g_autofree char *tmp = test_make_dir (), *results = g_build_filename (tmp, "results", NULL);
    const char *const text[] = { c->nodes, c->jobs, c->queues, c->conf };
    const char *const option[] = { "--nodes", "--jobs", "--queues", "--conf" };
    char *path[4] = { NULL };
    const char *args[9] = { NULL };
    guint n = 0;

    for (guint k = 0; k < 4; k++)
      if (text[k] != NULL) {
        path[k] = g_build_filename (tmp, option[k] + 2, NULL);
        suite_check (g_file_set_contents (path[k], text[k], -1, NULL), "%s", path[k]);
        args[n++] = option[k];
        args[n++] = path[k];
      }
    if (run (results, args)) {
      g_autofree char *file = g_build_filename (results, "ledger.csv", NULL), *got = test_read (file, NULL, NULL);
      const char *rows = got != NULL ? strchr (got, '\n') : NULL;

      suite_check (rows != NULL && strcmp (rows + 1, c->ledger) == 0, "%s: ledger.csv is\n%s", c->what, rows != NULL ? rows + 1 : "missing");
    }
    test_remove_tree (tmp);
    for (guint k = 0; k < 4; k++)
      g_free (path[k]);
  }
}

/* ---- who took it, against runs without that job ---- */

#define RIVALS 9u
#define SEEDS 3u

typedef struct { guint replicas, cpu; } Ask;

/* Jobs a… with what they ask for; all come at once, so that they have their turns by name. */
static void
write_jobs (const char *path, const Ask *ask, guint n, const Ask *last)
{
  g_autoptr (GString) text = g_string_new ("job,submit,replicas,cpu,memory,duration\n");

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%c,0,%u,%u,1Gi,1000\n", 'a' + (int) i, ask[i].replicas, ask[i].cpu);
  if (last != NULL)
    g_string_append_printf (text, "z,0,%u,%u,1Gi,1000\n", last->replicas, last->cpu);
  suite_check (g_file_set_contents (path, text->str, -1, NULL), "%s", path);
}

/* Does z start, or is it let in, in the first cycle that could? */
static gboolean
z_gets_in (const char *tmp, const char *const *args, const Ask *ask, guint n, const Ask *last, gboolean admission)
{
  g_autofree char *results = g_build_filename (tmp, "without", NULL), *jobs = g_build_filename (tmp, "jobs.csv", NULL);
  g_autofree char *file = g_build_filename (results, "jobs.csv", NULL);
  g_auto (TestTable) table = { 0 };
  gboolean in = FALSE;

  write_jobs (jobs, ask, n, last);
  if (!run (results, args) || !suite_check (test_table_read (&table, file, NULL), "%s", file))
    return FALSE;
  for (guint i = 0; i < table.rows->len; i++) {
    const char *when = test_table_cell (&table, i, test_table_column (&table, admission ? "inqueue" : "gang_start"));

    if (strcmp (test_table_cell (&table, i, test_table_column (&table, "job")), "z") == 0)
      in = strcmp (when, admission ? "0" : "1") == 0;
  }
  return in;
}

/* Each job that got nothing in that cycle: with all that had their turns before its rival and itself behind them it gets in, with the rival, too, it does
 * not; and one without a rival would not even by itself. */
static void
check_rivals (guint seed, gboolean admission)
{
  g_autofree char *tmp = test_make_dir (), *results = g_build_filename (tmp, "results", NULL), *ledger = g_build_filename (results, "ledger.csv", NULL);
  g_autofree char *nodes = g_build_filename (tmp, "nodes.csv", NULL), *jobs = g_build_filename (tmp, "jobs.csv", NULL), *conf = g_build_filename (tmp, "conf", NULL);
  const char *const args[] = { "--nodes", nodes, "--jobs", jobs, "--conf", conf, "--until", "5", NULL };
  g_autofree char *cluster = NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  g_auto (TestTable) table = { 0 };
  Ask ask[RIVALS];

  cluster = g_strdup_printf ("node,cpu,memory,count\nn,%d,64Gi,%d\n", g_rand_int_range (rand, 3, 7), g_rand_int_range (rand, 1, 4));
  for (guint i = 0; i < RIVALS; i++)
    ask[i] = (Ask){ (guint) g_rand_int_range (rand, 1, 4), (guint) g_rand_int_range (rand, 1, 6) };
  write_jobs (jobs, ask, RIVALS, NULL);
  suite_check (g_file_set_contents (nodes, cluster, -1, NULL) &&
                   g_file_set_contents (conf, admission ? "actions: \"enqueue\"\ntiers:\n- plugins:\n  - name: gang\n  - name: overcommit\n  - name: proportion\n" : NO_QUEUE_PLUGIN, -1, NULL),
               "inputs");
  if (!run (results, args) || !suite_check (test_table_read (&table, ledger, NULL), "%s", ledger))
    return;
  for (guint i = 0; i < table.rows->len; i++) {
    const char *cause = test_table_cell (&table, i, test_table_column (&table, "cause")), *rival = test_table_cell (&table, i, test_table_column (&table, "lost_to"));
    guint me = (guint) (*test_table_cell (&table, i, test_table_column (&table, "job")) - 'a');

    if (admission ? strcmp (cause, "enqueue") != 0 : strcmp (cause, "nodes") != 0 && strcmp (cause, "gang") != 0)
      continue;
    if (*rival == '\0') {
      suite_check (!z_gets_in (tmp, args, ask, 0, &ask[me], admission), "seed %u: %c has no rival, and gets in by itself", seed, 'a' + (int) me);
      continue;
    }
    guint before = (guint) (rival[strlen ("default/")] - 'a');

    suite_check (before < me, "seed %u: the rival of %c is %s", seed, 'a' + (int) me, rival);
    suite_check (z_gets_in (tmp, args, ask, before, &ask[me], admission), "seed %u: %c does not get in before %s either", seed, 'a' + (int) me, rival);
    suite_check (!z_gets_in (tmp, args, ask, before + 1, &ask[me], admission), "seed %u: %c gets in behind %s", seed, 'a' + (int) me, rival);
  }
  test_remove_tree (tmp);
}

static void
rivals_made_the_difference (void)
{
  for (guint seed = 1; seed <= SEEDS; seed++) {
    check_rivals (seed, FALSE);
    check_rivals (seed, TRUE);
  }
}

/* explain on the run of the second case: 2 + 1 s until a cycle, 18 s each for b and c. */
static void
explain_sums_the_ledger (void)
{
  const Case *c = &cases[1];
  g_autofree char *tmp = test_make_dir (), *results = g_build_filename (tmp, "results", NULL), *text = NULL, *json = NULL, *job = NULL;
  g_autofree char *nodes = g_build_filename (tmp, "nodes.csv", NULL), *jobs = g_build_filename (tmp, "jobs.csv", NULL);
  g_autofree char *conf = g_build_filename (tmp, "conf", NULL);
  const char *const args[] = { "--nodes", nodes, "--jobs", jobs, "--conf", conf, NULL };
  const char *bin = g_getenv ("VOLSIM_BIN");
  char *table_args[] = { (char *) bin, (char *) "explain", results, NULL };
  char *json_args[] = { (char *) bin, (char *) "explain", results, (char *) "-o", (char *) "json", NULL };
  char *job_args[] = { (char *) bin, (char *) "explain", results, (char *) "--job", (char *) "b", NULL };

  suite_check (g_file_set_contents (nodes, c->nodes, -1, NULL) && g_file_set_contents (jobs, c->jobs, -1, NULL) &&
                   g_file_set_contents (conf, c->conf, -1, NULL),
               "inputs");
  if (run (results, args)) {
    CU_ASSERT_EQUAL (test_run (table_args, &text, NULL), 0);
    suite_check (strstr (text, "no node takes a pod: Insufficient cpu                  1        0.01   46.2 %") != NULL, "%s", text);
    CU_ASSERT_EQUAL (test_run (json_args, &json, NULL), 0);
    suite_check (strstr (json, "\"first_wait_s\": 39,") != NULL && strstr (json, "\"cause\": \"gang\"") != NULL, "%s", json);
    CU_ASSERT_EQUAL (test_run (job_args, &job, NULL), 0);
    suite_check (strstr (job, "only a part of the gang fits: Insufficient cpu on 1 node; the gang lacks 1 pod\n") != NULL, "%s", job);
  }
  test_remove_tree (tmp);
}

/* What is no result, and results that somebody has edited. */
static void
damaged_results_are_refused (void)
{
  static const struct { const char *file, *text, *complaint; } faults[] = {
    { "summary.json", "{}", "not a summary of volsim: expected schema 'volsim-results/1', found ''" },
    { "summary.json", "{", "not a summary of volsim: byte 2: expected a text, found the end" },
    { "summary.json", "{\"schema\": \"volsim-results/1\", \"end_s\": 1e99}", "not a summary of volsim: 'end_s': expected a number from 0 to 9e+12, found 1e99" },
    { "summary.json", "{\"schema\": \"volsim-results/1\"}", "not a summary of volsim: 'end_s': expected a number, found none" },
    { "jobs.csv", "namespace,job\n", "expected a column 'queue', found none" },
    { "ledger.csv", "namespace,job,queue,from,to,wait,cause,by,reason,nodes,missing,lost_to,ahead\nd,a,q,soon,1,first,order,,,0,0,,\n",
      "ledger.csv:2:7: a cell of the results, expected a number, found 'soon'" },
    { "ledger.csv", "namespace,job,queue,from,to,wait,cause,by,reason,nodes,missing,lost_to,ahead\nd,a\n", "ledger.csv:2:" },
  };
  g_autofree char *dir = g_build_filename (g_getenv ("VOLSIM_SOURCE"), "scenarios", "chain.yaml", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (faults); i++) {
    g_autofree char *tmp = test_make_dir (), *results = g_build_filename (tmp, "results", NULL), *complaint = NULL;
    g_autofree char *file = g_build_filename (results, faults[i].file, NULL);
    const char *const args[] = { dir, NULL };
    char *explain[] = { (char *) g_getenv ("VOLSIM_BIN"), (char *) "explain", results, NULL };

    if (run (results, args) && suite_check (g_file_set_contents (file, faults[i].text, -1, NULL), "%s", file)) {
      int status = test_run (explain, NULL, &complaint);

      suite_check (status == 2 && strstr (complaint, faults[i].complaint) != NULL, "wanted '%s', got %d: %s", faults[i].complaint, status, complaint);
    }
    test_remove_tree (tmp);
  }
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "the intervals of every scenario add up", the_intervals_of_every_scenario_add_up },
    { "causes are those of Volcano", causes_are_those_of_volcano },
    { "rivals made the difference", rivals_made_the_difference },
    { "explain sums the ledger", explain_sums_the_ledger },
    { "damaged results are refused", damaged_results_are_refused },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("ledger", tests);
}
