/* tests/test-webhooks.c - webhooks that the chart leaves off, and how webhooks are switched. */
#include "run-helper.h"
#include "suite.h"
#include "workloads/admission/admission.h"
#include "workloads/native/native.h"
#include <string.h>

#define CONF                                                                                       \
  "actions: \"enqueue, allocate, backfill\"\n"                                                     \
  "tiers:\n- plugins:\n  - name: priority\n  - name: gang\n"                                       \
  "- plugins:\n  - name: predicates\n  - name: proportion\n"
#define CHART "/jobs/mutate,/jobs/validate,/queues/mutate,/queues/validate,/hypernodes/validate,/cronjobs/validate,/podgroups/validate"

static void
put (const char *dir, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (dir, name, NULL);

  suite_check (g_file_set_contents (path, text, -1, NULL), "%s is written", path);
}

/* Run the scenario s.yaml of @dir. */
static void
run (const char *dir)
{
  g_autofree char *scenario = g_build_filename (dir, "s.yaml", NULL), *out = g_strdup_printf ("--out=%s/results", dir), *complaint = NULL;
  char *args[] = { (char *) g_getenv ("VOLSIM_BIN"), (char *) "run", scenario, out, (char *) "--no-charts", NULL };
  int status;

  put (dir, "volcano-scheduler.conf", CONF);
  status = test_run (args, NULL, &complaint);
  suite_check (status == 0, "%d: %s", status, complaint);
}

static void
has_rows (const char *dir, const char *file, const char *const *columns, const char *want)
{
  g_autofree char *path = g_build_filename (dir, "results", file, NULL);
  g_auto (TestTable) t = { 0 };
  g_autoptr (GString) got = g_string_new (NULL);

  if (!suite_check (test_table_read (&t, path, NULL), "%s", path))
    return;
  for (guint r = 0; r < t.rows->len; r++) {
    for (guint c = 0; columns[c] != NULL; c++)
      g_string_append_printf (got, "%s%s", c > 0 ? " " : "", test_table_cell (&t, r, test_table_column (&t, columns[c])));
    g_string_append_c (got, '\n');
  }
  suite_check (strcmp (got->str, want) == 0, "%s: wanted\n%s    got\n%s", file, want, got->str);
}

/* Pods of namespace team go to the tainted node with the group's label; those with the annotation want
 * to be away from it; those of "other" are another scheduler's. An affinity of their own stays. */
static void
resource_groups_change_pods (void)
{
  static const char *const columns[] = { "pod", "node", NULL };
  g_autofree char *dir = test_make_dir ();

  put (dir, "nodes.csv", "node,cpu,memory,labels,taints\nn,8,8Gi,,\nm,8,8Gi,zone=m,own=yes:NoSchedule\n");
  put (dir, "jobs.csv", "job,namespace,submit,cpu,memory,duration\na,team,0,1,1Gi,5\nb,rest,0,1,1Gi,5\nc,other,0,1,1Gi,5\n");
  put (dir, "objects.yaml", "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: d, annotations: {volsim.io/submit: '0', volsim.io/duration: '5'}}\n"
                            "spec: {tasks: [{replicas: 1, template: {metadata: {annotations: {volcano.sh/resource-group: far}}, spec: {tolerations: [{operator: Exists}], "
                            "containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]}}}]}\n");
  put (dir, "admission.conf", "resourceGroups:\n"
                              "- resourceGroup: near\n  object: {key: namespace, value: [team]}\n  labels: {zone: m}\n"
                              "  tolerations: [{key: own, operator: Exists, effect: NoSchedule}]\n"
                              "- resourceGroup: elsewhere\n  object: {key: namespace, value: [other]}\n  schedulerName: default-scheduler\n"
                              "- resourceGroup: far\n  affinity: '{\"nodeAffinity\": {\"requiredDuringSchedulingIgnoredDuringExecution\": "
                              "{\"nodeSelectorTerms\": [{\"matchExpressions\": [{\"key\": \"zone\", \"operator\": \"Exists\"}]}]}}}'\n");
  put (dir, "s.yaml", "nodes: nodes.csv\njobs: jobs.csv\nobjects: objects.yaml\nconf: volcano-scheduler.conf\nuntil: 20\n"
                      "admission_conf: admission.conf\nenabled_admission: '" CHART ",/pods/mutate'\n");
  run (dir);
  has_rows (dir, "tasks.csv", columns, "b-task-0 n\na-task-0 m\nc-task-0 \nd-default0-0 m\n");
  put (dir, "s.yaml", "nodes: nodes.csv\njobs: jobs.csv\nconf: volcano-scheduler.conf\nadmission_conf: admission.conf\n");
  run (dir); /* the webhook is off */
  has_rows (dir, "tasks.csv", columns, "c-task-0 n\nb-task-0 n\na-task-0 n\n");
  test_remove_tree (dir);
}

/* PodGroups of the default queue go where their namespace says; what is for another queue stays. */
static void
a_namespace_has_a_queue (void)
{
  g_autofree char *dir = test_make_dir ();

  put (dir, "nodes.csv", "node,cpu,memory\nn,8,8Gi\n");
  put (dir, "jobs.csv", "job,namespace,queue,submit,cpu,memory,duration\na,team,,0,1,1Gi,5\nb,team,p,0,1,1Gi,5\nc,rest,,0,1,1Gi,5\n");
  put (dir, "queues.csv", "queue\np\nq\n");
  put (dir, "objects.yaml", "{apiVersion: v1, kind: Namespace, metadata: {name: team, annotations: {scheduling.volcano.sh/queue-name: q}}}\n");
  put (dir, "s.yaml", "nodes: nodes.csv\njobs: jobs.csv\nqueues: queues.csv\nobjects: objects.yaml\nconf: volcano-scheduler.conf\n"
                      "enabled_admission: '" CHART ",/podgroups/mutate'\n");
  run (dir);
  has_rows (dir, "jobs.csv", (const char *const[]){ "job", "queue", "phase", NULL }, "a q Completed\nb p Completed\nc default Completed\n");
  test_remove_tree (dir);
}

/* A queue with pods cannot be deleted when the flag says so; without the queues' webhook anything can. */
static void
switches_work (void)
{
  static const char *const columns[] = { "time", "kind", "name", "phase", NULL };
  g_autofree char *dir = test_make_dir ();

  put (dir, "nodes.csv", "node,cpu,memory\nn,8,8Gi\n");
  put (dir, "jobs.csv", "job,queue,submit,cpu,memory,duration\na,q,0,1,1Gi,5\n");
  put (dir, "queues.csv", "queue,time,state\nq,,\nq,3,Deleted\nq,20,Deleted\n");
  put (dir, "s.yaml", "nodes: nodes.csv\njobs: jobs.csv\nqueues: queues.csv\nconf: volcano-scheduler.conf\nenable_queue_allocated_pods_check: true\n");
  run (dir);
  has_rows (dir, "phases.csv", columns,
            "0 job a Pending\n0 podgroup a Inqueue\n1 job a Running\n2 podgroup a Running\n3 queue q Rejected\n6 job a Completed\n20 queue q Deleted\n");
  put (dir, "queues.csv", "queue,time,guarantee/cpu\nq,,\nq,3,4\n");
  put (dir, "s.yaml", "nodes: nodes.csv\njobs: jobs.csv\nqueues: queues.csv\nconf: volcano-scheduler.conf\n"
                      "enabled_admission: '/jobs/mutate,/jobs/validate,/queues/mutate,/hypernodes/validate,/cronjobs/validate'\n");
  run (dir);
  has_rows (dir, "phases.csv", columns, "0 job a Pending\n0 podgroup a Inqueue\n1 job a Running\n2 podgroup a Running\n6 job a Completed\n");
  test_remove_tree (dir);
}

static void
pods_are_judged_by_their_budgets (void)
{
#define MIN_KEY "volcano.sh/jdb-min-available"
#define MAX_KEY "volcano.sh/jdb-max-unavailable"
  static const struct { const char *max, *min, *text; } cases[] = {
    { NULL, "1", NULL },
    { NULL, "99%", NULL },
    { "2", NULL, NULL },
    { NULL, "0", "invalid value <\"0\"> for " MIN_KEY ", it must be a positive integer" },
    { "-3", NULL, "invalid value <\"-3\"> for " MAX_KEY ", it must be a positive integer" },
    { NULL, "100%", "invalid value <\"100%\"> for " MIN_KEY ", it must be a valid percentage which between 1% ~ 99%" },
    { NULL, "half", "invalid value strconv.Atoi: parsing \"half\": invalid syntax for " MIN_KEY },
    { "2", "1", "not allow configure multiple annotations <[" MIN_KEY " " MAX_KEY "]> at same time" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    VcPair pair[2];
    guint n = 0;

    if (cases[i].max != NULL)
      pair[n++] = (VcPair){ MAX_KEY, cases[i].max };
    if (cases[i].min != NULL)
      pair[n++] = (VcPair){ MIN_KEY, cases[i].min };
    const VcPairs notes = { pair, n };
    g_autofree char *got = wl_admit_pod (&notes);

    suite_check (g_strcmp0 (got, cases[i].text) == 0, "wanted '%s', got '%s'", cases[i].text, got);
  }
}

/* The webhook refuses every pod: the job is terminated when all tries have failed. */
static void
a_refused_pod_ends_its_job (void)
{
  g_autofree char *dir = test_make_dir ();

  put (dir, "nodes.csv", "node,cpu,memory\nn,8,8Gi\n");
  put (dir, "objects.yaml", "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: j, annotations: {volsim.io/submit: '0', " MIN_KEY ": '0'}}\n"
                            "spec: {tasks: [{replicas: 1, template: {spec: {containers: [{name: c, image: i}]}}}]}\n");
  put (dir, "s.yaml", "nodes: nodes.csv\nobjects: objects.yaml\nconf: volcano-scheduler.conf\nenabled_admission: '" CHART ",/pods/validate'\n");
  run (dir);
  has_rows (dir, "phases.csv", (const char *const[]){ "time", "kind", "phase", NULL },
            "0 job Pending\n0 podgroup Inqueue\n163.835 job Terminating\n163.835 job Terminated\n");
  test_remove_tree (dir);
}

static void
lists_of_webhooks_are_read (void)
{
  static const struct { const char *text; guint bits; const char *error; } cases[] = {
    { CHART, WL_WEBHOOKS_OF_CHART, NULL },
    { CHART ", /pods/validate", WL_WEBHOOKS_OF_CHART | WL_WEBHOOK_PODS_VALIDATE, NULL },
    { CHART ",/pods/eat", 0, "expected paths of webhooks such as /queues/validate, found '/pods/eat'" },
    { "/jobs/mutate", 0, "without /jobs/validate" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    guint bits = 0;
    g_autoptr (GError) error = NULL;
    gboolean good = wl_parse_webhooks (cases[i].text, &bits, &error);

    suite_check (good == (cases[i].error == NULL), "%s", cases[i].text);
    if (cases[i].error == NULL)
      suite_check (bits == cases[i].bits, "%s: %u", cases[i].text, bits);
    else if (error != NULL)
      suite_check (strstr (error->message, cases[i].error) != NULL, "%s: %s", cases[i].text, error->message);
  }
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "resource groups change pods", resource_groups_change_pods },
    { "a namespace has a queue", a_namespace_has_a_queue },
    { "switches work", switches_work },
    { "pods are judged by their budgets", pods_are_judged_by_their_budgets },
    { "a refused pod ends its job", a_refused_pod_ends_its_job },
    { "lists of webhooks are read", lists_of_webhooks_are_read },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("webhooks", tests);
}
