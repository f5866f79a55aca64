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
    { "explain sums the ledger", explain_sums_the_ledger },
    { "damaged results are refused", damaged_results_are_refused },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("ledger", tests);
}
