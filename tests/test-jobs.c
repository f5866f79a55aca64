/* tests/test-jobs.c - Job objects through the program: what admission refuses, what the reader
 * refuses, and a few lives worked out by hand. */
#include "run-helper.h"
#include "suite.h"
#include <string.h>

#define CONF                                                                                       \
  "actions: \"enqueue, allocate, backfill\"\n"                                                     \
  "tiers:\n"                                                                                       \
  "- plugins:\n  - name: priority\n  - name: gang\n"                                               \
  "- plugins:\n  - name: predicates\n  - name: proportion\n"

static void
put (const char *dir, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (dir, name, NULL);

  suite_check (g_file_set_contents (path, text, -1, NULL), "%s is written", path);
}

/* Run @objects and @commands (nullable) on two nodes of 4 cpu; gives the exit status. */
static int
run (const char *dir, const char *objects, const char *commands, char **complaint)
{
  g_autofree char *out = g_strdup_printf ("--out=%s/results", dir);
  g_autofree char *nodes = g_strdup_printf ("--nodes=%s/nodes.csv", dir);
  g_autofree char *jobs = g_strdup_printf ("--objects=%s/jobs.yaml", dir);
  g_autofree char *conf = g_strdup_printf ("--conf=%s/volcano-scheduler.conf", dir);
  g_autofree char *told = g_strdup_printf ("--commands=%s/commands.csv", dir);
  char *args[] = { (char *) g_getenv ("VOLSIM_BIN"), (char *) "run", nodes, jobs, conf, out,
                   (char *) "--no-charts", (char *) "--grace=5", commands != NULL ? told : NULL,
                   NULL };

  put (dir, "nodes.csv", "node,cpu,memory,count\nn,4,8Gi,2\n");
  put (dir, "volcano-scheduler.conf", CONF);
  put (dir, "jobs.yaml", objects);
  if (commands != NULL)
    put (dir, "commands.csv", commands);
  return test_run (args, NULL, complaint);
}

/* A job of one task "w"; @spec and @task are more lines of them, @notes annotations of the pods. */
static char *
job (const char *spec, const char *task, const char *notes)
{
  return g_strdup_printf ("apiVersion: batch.volcano.sh/v1alpha1\n"
                          "kind: Job\n"
                          "metadata:\n"
                          "  name: j\n"
                          "  annotations: {volsim.io/submit: '0'}\n"
                          "spec:\n"
                          "%s"
                          "  tasks:\n"
                          "  - name: w\n"
                          "    replicas: 2\n"
                          "%s"
                          "    template:\n"
                          "      metadata:\n"
                          "        annotations: {%s}\n"
                          "      spec:\n"
                          "        restartPolicy: OnFailure\n"
                          "        containers:\n"
                          "        - {name: c, image: i, resources: {requests: {cpu: '1'}}}\n",
                          spec, task, notes);
}

/* Cells of the rows of @file, one row a line. */
static char *
rows (const char *dir, const char *file, const char *const *columns)
{
  g_autofree char *path = g_build_filename (dir, "results", file, NULL);
  g_auto (TestTable) t = { 0 };
  GString *got = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  if (!suite_check (test_table_read (&t, path, &error), "%s", error != NULL ? error->message : ""))
    return g_string_free (got, FALSE);
  for (guint r = 0; r < t.rows->len; r++) {
    for (guint c = 0; columns[c] != NULL; c++)
      g_string_append_printf (got, "%s%s", c > 0 ? " " : "",
                              test_table_cell (&t, r, test_table_column (&t, columns[c])));
    g_string_append_c (got, '\n');
  }
  return g_string_free (got, FALSE);
}

static void
what_admission_refuses_is_rejected_with_the_reason (void)
{
  static const struct { const char *spec, *task, *reason; } cases[] = {
    { "  minAvailable: 3\n", "", "job 'minAvailable' should not be greater than total replicas" },
    { "", "    minAvailable: 3\n", "'minAvailable' is greater than 'replicas' in task: w, job: j;" },
    { "  policies: [{event: PodRunning, action: AbortJob}]\n", "", "invalid policy event" },
    { "  policies: [{event: PodFailed, action: SyncJob}]\n", "", "invalid policy action" },
    { "  policies: [{event: PodFailed, exitCode: 3, action: AbortJob}]\n", "",
      "must not specify event and exitCode simultaneously" },
    { "  policies: [{action: AbortJob}]\n", "", "either event and exitCode should be specified" },
    { "  policies: [{exitCode: 0, action: AbortJob}]\n", "", "0 is not a valid error code" },
    { "  policies: [{exitCode: 3, action: AbortJob}, {exitCode: 3, action: RestartJob}]\n", "",
      "duplicate exitCode 3" },
    { "  policies: [{event: PodFailed, action: AbortJob}, {event: PodFailed, action: RestartJob}]\n",
      "", "duplicate event PodFailed  across different policy" },
    { "  policies: [{event: '*', action: AbortJob}, {event: PodFailed, action: RestartJob}]\n", "",
      "if there's * here, no other policy should be here" },
    { "  plugins: {nothing: []}\n", "", "unable to find job plugin: nothing;" },
    { "  plugins: {mpi: ['--master=m']}\n", "", "The specified mpi master task was not found" },
    { "", "    dependsOn: {name: [w]}\n", "doesn't form a directed acyclic graph(DAG);" },
    { "", "    dependsOn: {name: [other]}\n", "doesn't form a directed acyclic graph(DAG);" },
    { "", "    partitionPolicy: {totalPartitions: 2, partitionSize: 2}\n",
      "'Replicas' are not equal to TotalPartitions*PartitionSize in task: w, job: j" },
    { "  queue: nowhere\n", "", "nowhere" },
    { "  queue: root\n", "", "root" },
  };
  const char *const phase[] = { "job", "phase", NULL }, *const event[] = { "event", "detail", NULL };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *dir = test_make_dir (), *complaint = NULL;
    g_autofree char *text = job (cases[i].spec, cases[i].task, "");
    int status = run (dir, text, NULL, &complaint);

    if (suite_check (status == 0, "%s: %s", cases[i].reason, complaint)) {
      g_autofree char *jobs = rows (dir, "jobs.csv", phase), *events = rows (dir, "events.csv", event);

      suite_check (strcmp (jobs, "j Rejected\n") == 0, "%s: %s", cases[i].reason, jobs);
      suite_check (strstr (events, cases[i].reason) != NULL, "wanted '%s' in\n%s", cases[i].reason,
                   events);
    }
    test_remove_tree (dir);
  }
}

static void
what_is_not_simulated_is_refused_by_name (void)
{
  static const struct { const char *spec, *task, *notes, *message; } cases[] = {
    { "", "", "volsim.io/duration: soon", "annotation volsim.io/duration: " },
    { "", "", "volsim.io/duration: '1|2|3'", "expected at most 2 (one for each replica)" },
    { "  priorityClassName: urgent\n", "", "", "expected a PriorityClass object" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *dir = test_make_dir (), *complaint = NULL;
    g_autofree char *text = job (cases[i].spec, cases[i].task, cases[i].notes);
    int status = run (dir, text, NULL, &complaint);

    suite_check (status == 2 && strstr (complaint, cases[i].message) != NULL,
                 "wanted '%s', got %d: %s", cases[i].message, status, complaint);
    test_remove_tree (dir);
  }
}

/* The containers of both pods fail 10 s after they start at 1. The first restart comes at once, at 11:
 * the task has 2 of them. They fail again at 21, and after a back-off of 10 s the next restart makes
 * the third, which is too many. */
static void
a_task_fails_by_its_restarts (void)
{
  const char *const columns[] = { "time", "kind", "phase", NULL };
  g_autofree char *dir = test_make_dir (), *complaint = NULL;
  g_autofree char *text = job ("  policies: [{event: TaskFailed, action: TerminateJob}]\n", "",
                               "volsim.io/duration: '10', volsim.io/exit-code: '1'");

  if (suite_check (run (dir, text, NULL, &complaint) == 0, "%s", complaint)) {
    g_autofree char *phases = rows (dir, "phases.csv", columns);

    suite_check (strcmp (phases, "0 job Pending\n0 podgroup Inqueue\n1 job Running\n2 podgroup Running\n"
                                 "31 job Terminating\n36 job Terminated\n")
                     == 0,
                 "got\n%s", phases);
  }
  test_remove_tree (dir);
}

static void
commands_reach_their_job (void)
{
  const char *const columns[] = { "time", "kind", "phase", NULL };
  g_autofree char *dir = test_make_dir (), *complaint = NULL, *unknown = NULL;
  g_autofree char *text = job ("", "", "volsim.io/duration: '100'");

  if (suite_check (run (dir, text, "time,namespace,job,action\n20,default,j,TerminateJob\n",
                        &complaint)
                       == 0,
                   "%s", complaint)) {
    g_autofree char *phases = rows (dir, "phases.csv", columns);

    suite_check (strcmp (phases, "0 job Pending\n0 podgroup Inqueue\n1 job Running\n2 podgroup Running\n"
                                 "20 job Terminating\n25 job Terminated\n")
                     == 0,
                 "got\n%s", phases);
  }
  suite_check (run (dir, text, "time,job,action\n20,other,AbortJob\n", &unknown) == 2
                   && strstr (unknown, "commands.csv:2:1: job of a command, expected a job of this "
                                       "run, found 'default/other'")
                          != NULL,
               "%s", unknown);
  test_remove_tree (dir);
}

/* A running job is suspended at 5, its pods gone at 10, and resumed at 20: it restarts, which uses up a
 * retry. The cycle at 20 admits its new PodGroup, and the one at 21 places its pods. A job that waits
 * (for nobody takes 9 cpu) is suspended at once, since it has no pods, and resumed. What is resumed
 * without having been suspended only looks after itself. A last retry leads to Failed. */
static void
jobs_are_suspended_and_resumed (void)
{
  const char *const columns[] = { "time", "name", "phase", "retry", NULL };
  g_autofree char *dir = test_make_dir (), *complaint = NULL, *runs = job ("", "", "volsim.io/duration: '30'");
  g_autofree char *last = job ("  maxRetry: 1\n", "", "volsim.io/duration: '100'"), *waits = job ("", "", "");
  g_auto (GStrv) a = g_strsplit (last, "name: j\n", 2), b = g_strsplit (waits, "name: j\n", 2), c = g_strsplit (b[1], "cpu: '1'", 2);
  g_autofree char *objects = g_strconcat (runs, "---\n", a[0], "name: k\n", a[1], "---\n", b[0], "name: l\n", c[0], "cpu: '9'", c[1], NULL);

  if (suite_check (run (dir, objects,
                        "time,job,action\n3,j,ResumeJob\n5,j,AbortJob\n5,k,AbortJob\n5,l,AbortJob\n20,j,ResumeJob\n20,k,ResumeJob\n20,l,ResumeJob\n",
                        &complaint)
                       == 0,
                   "%s", complaint)) {
    g_autofree char *phases = rows (dir, "phases.csv", columns);
    g_auto (GStrv) line = g_strsplit (phases, "\n", -1);
    g_autoptr (GString) got = g_string_new (NULL);

    for (char **l = line; *l != NULL; l++)
      if (strlen (*l) > 0 && strstr (*l, "Inqueue") == NULL && !g_str_has_suffix (*l, " ")) /* the PodGroups have no retries */
        g_string_append_printf (got, "%s\n", *l);
    suite_check (strcmp (got->str, "0 j Pending 0\n0 k Pending 0\n0 l Pending 0\n"
                                   "1 j Running 0\n1 k Running 0\n"
                                   "5 j Aborting 0\n5 k Aborting 0\n5 l Aborting 0\n5 l Aborted 0\n"
                                   "10 j Aborted 0\n10 k Aborted 0\n"
                                   "20 j Restarting 1\n20 k Restarting 1\n20 l Restarting 1\n"
                                   "20 j Pending 1\n20 k Failed 1\n20 l Pending 1\n"
                                   "21 j Running 1\n51 j Completed 1\n")
                     == 0,
                 "got\n%s", got->str);
  }
  test_remove_tree (dir);
}

/* The gang needs a pod that is made only when the gang runs; and what the global default class gives
 * to pods is no matter of the file's order. */
static void
a_gang_that_waits_for_itself_is_warned_of (void)
{
  const char *const columns[] = { "job", "phase", NULL };
  g_autofree char *dir = test_make_dir (), *complaint = NULL;
  g_autofree char *text = job ("", "", "volsim.io/duration: '5'");
  g_autofree char *objects = g_strconcat (
      text,
      "  - name: late\n    replicas: 1\n    dependsOn: {name: [w]}\n    template:\n      spec:\n"
      "        containers:\n        - {name: c, image: i}\n"
      "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: usual}\n"
      "value: 7\nglobalDefault: true\n",
      NULL);

  if (suite_check (run (dir, objects, NULL, &complaint) == 0, "%s", complaint)) {
    g_autofree char *jobs = rows (dir, "jobs.csv", columns);

    suite_check (strcmp (jobs, "j Pending\n") == 0, "got\n%s", jobs);
    suite_check (strstr (complaint, "jobs.yaml:1:1: job 'j' can never start: its gang of 3 includes "
                                    "pods of task 'late'")
                     != NULL,
                 "%s", complaint);
  }
  test_remove_tree (dir);
}

/* One pod restarts for ever, though its runs end; the pods of a StatefulSet come one after the other, and its gang wants two at once. With a change of a
 * word each, neither is warned of. */
static void
what_never_ends_or_starts_is_warned_of (void)
{
#define ENDLESS(restart, order)                                                                                                                          \
  "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\n"                                                                                                  \
  "metadata: {name: j, annotations: {volsim.io/submit: '0', volsim.io/delete: '60', volsim.io/duration: '5'}}\n"                                        \
  "spec:\n  tasks:\n  - {name: w, replicas: 1, template: {spec: {restartPolicy: " restart                                                               \
  ", containers: [{name: c, image: i, resources: {requests: {cpu: '1'}}}]}}}\n"                                                                         \
  "---\napiVersion: apps/v1\nkind: StatefulSet\n"                                                                                                       \
  "metadata: {name: s, annotations: {volsim.io/submit: '0', volsim.io/delete: '60', scheduling.volcano.sh/group-min-member: '2'}}\n"                    \
  "spec:\n  replicas: 3\n  podManagementPolicy: " order                                                                                                 \
  "\n  template: {spec: {schedulerName: volcano, containers: [{name: c, image: i, resources: {requests: {cpu: '1'}}}]}}\n"
  g_autofree char *dir = test_make_dir (), *complaint = NULL, *silence = NULL;

  if (suite_check (run (dir, ENDLESS ("Always", "OrderedReady"), NULL, &complaint) == 0, "%s", complaint)) {
    suite_check (strstr (complaint, "jobs.yaml:1:1: pods of task 'w' of Job 'j' never end by themselves: restartPolicy Always") != NULL, "%s", complaint);
    suite_check (strstr (complaint, "jobs.yaml:8:1: StatefulSet 's' can never start: its gang of 2 includes pods that are not made before the first one runs") != NULL,
                 "%s", complaint);
  }
  if (suite_check (run (dir, ENDLESS ("OnFailure", "Parallel"), NULL, &silence) == 0, "%s", silence))
    suite_check (strstr (silence, "never") == NULL, "%s", silence);
  test_remove_tree (dir);
}

#define TORCH(limit, policy)                                                                       \
  "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\n"                                            \
  "metadata: {name: j, annotations: {volsim.io/submit: '0', volsim.io/duration: '20'}}\n"          \
  "spec:\n  plugins: {pytorch: ['--wait-master-enabled', '-wait-master-timeout', '" limit "']}\n" \
  "  tasks:\n"                                                                                    \
  "  - {name: master, replicas: 1, template: {metadata: {annotations: {volsim.io/start-delay: "     \
  "'7'}}, spec: {restartPolicy: Never, containers: [{name: c, image: i, resources: {requests: "    \
  "{cpu: '1'}}}]}}}\n"                                                                             \
  "  - {name: worker, replicas: 1, template: {spec: {restartPolicy: " policy ", containers: "        \
  "[{name: c, image: i, resources: {requests: {cpu: '1'}}}]}}}\n"

/* Both pods are bound at 1, the master runs at 8. The worker looks at 1, 3, 5, 7 and 9. With a limit of
 * 4 s it gives up at 5: for good, or it looks again at once until 9, when the master is there. */
static void
a_worker_waits_for_its_master (void)
{
  static const struct { const char *text, *rows; } cases[] = {
    { TORCH ("300", "Never"), "j-master-0 8 28 Succeeded\nj-worker-0 9 29 Succeeded\n" },
    { TORCH ("4", "Never"), "j-master-0 8 28 Succeeded\nj-worker-0  5 Failed\n" },
    { TORCH ("4", "OnFailure"), "j-master-0 8 28 Succeeded\nj-worker-0 9 29 Succeeded\n" },
  };
  static const char *const columns[] = { "pod", "running", "finished", "outcome", NULL };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *dir = test_make_dir (), *complaint = NULL;

    if (suite_check (run (dir, cases[i].text, NULL, &complaint) == 0, "%s", complaint)) {
      g_autofree char *got = rows (dir, "tasks.csv", columns);

      suite_check (strcmp (got, cases[i].rows) == 0, "case %u: got\n%s", i, got);
      suite_check (strstr (complaint, "plugins of jobs (pytorch, svc), of 1 job, the first is 'j'") != NULL, "%s", complaint);
    }
    test_remove_tree (dir);
  }
}

/* ray without its head task makes no pod: after 15 tries, the last 163.835 s after the first, the job
 * is terminated. */
static void
a_plugin_can_keep_pods_from_being_made (void)
{
  static const char *const columns[] = { "time", "kind", "phase", NULL };
  g_autofree char *dir = test_make_dir (), *complaint = NULL;
  g_autofree char *text = job ("  plugins: {ray: []}\n", "", "");

  if (suite_check (run (dir, text, NULL, &complaint) == 0, "%s", complaint)) {
    g_autofree char *phases = rows (dir, "phases.csv", columns);

    suite_check (strcmp (phases, "0 job Pending\n0 podgroup Inqueue\n163.835 job Terminating\n"
                                 "163.835 job Terminated\n")
                     == 0,
                 "got\n%s", phases);
  }
  test_remove_tree (dir);
}

/* Two of three pods of one name start on the two nodes, the third when one of them has ended; a pod without a name and one of another namespace do not mind. */
static void
pods_of_one_name_keep_apart (void)
{
  static const struct { const char *job, *start; } want[] = { { "a", "1" }, { "b", "1" }, { "c", "61" }, { "free", "1" }, { "other", "1" } };
  g_autofree char *dir = test_make_dir (), *nodes = test_write (dir, "nodes.csv", "node,cpu,memory,count\nn,8,8Gi,2\n");
  g_autofree char *jobs = test_write (dir, "rows.csv", "job,submit,namespace,cpu,duration,apart\na,0,,1,60,app-1\nb,0,,1,90,app-1\nc,0,,1,60,app-1\nfree,0,,1,60,\nother,0,ns,1,60,app-1\n");
  const char *const args[] = { "--nodes", nodes, "--jobs", jobs, NULL };
  g_autofree char *out = test_run_all_ways (dir, args), *table = g_build_filename (out, "jobs.csv", NULL), *complaint = NULL, *bad = NULL;
  g_auto (TestTable) t = { 0 };

  if (suite_check (test_table_read (&t, table, NULL) && t.rows->len == G_N_ELEMENTS (want), "%s", table))
    for (guint k = 0; k < G_N_ELEMENTS (want); k++)
      suite_check (strcmp (test_table_cell (&t, k, test_table_column (&t, "job")), want[k].job) == 0
                       && strcmp (test_table_cell (&t, k, test_table_column (&t, "gang_start")), want[k].start) == 0,
                   "job %s starts at %s", want[k].job, test_table_cell (&t, k, test_table_column (&t, "gang_start")));
  bad = test_write (dir, "bad.csv", "job,submit,cpu,duration,apart\na,0,1,60,App 1\n");
  char *refused[] = { (char *) g_getenv ("VOLSIM_BIN"), (char *) "run", (char *) "--nodes", nodes, (char *) "--jobs", bad, (char *) "--out", out, NULL };
  suite_check (test_run (refused, NULL, &complaint) == 2 && strstr (complaint, "bad.csv:2:10: column 'apart': not a valid name") != NULL, "%s", complaint);
  test_remove_tree (dir);
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "what admission refuses is Rejected, with the reason",
      what_admission_refuses_is_rejected_with_the_reason },
    { "what is not simulated is refused by name", what_is_not_simulated_is_refused_by_name },
    { "a task fails by the restarts of its containers", a_task_fails_by_its_restarts },
    { "a gang that waits for itself is warned of", a_gang_that_waits_for_itself_is_warned_of },
    { "what never ends or starts is warned of", what_never_ends_or_starts_is_warned_of },
    { "commands reach their job", commands_reach_their_job },
    { "jobs are suspended and resumed", jobs_are_suspended_and_resumed },
    { "a worker waits for its master", a_worker_waits_for_its_master },
    { "a plugin can keep pods from being made", a_plugin_can_keep_pods_from_being_made },
    { "pods of one name keep apart", pods_of_one_name_keep_apart },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("jobs", tests);
}
