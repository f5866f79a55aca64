/* tests/test-import-kubernetes.c - Kubernetes objects and what others keep of them: dumps of a cluster at work, manifests, KWOK, and back again from an export. The
 * documents are made up; larger ones are in tests/import-kubernetes. */
#include "run-helper.h"
#include "suite.h"
#include "workloads/import/import.h"
#include "workloads/transform/transform.h"
#include <gio/gio.h>
#include <string.h>

typedef struct {
  const char *format;     /* as it is recognised */
  const char *options;    /* "a=1 b=2" */
  const char *from;       /* a file of tests/import-kubernetes, NULL: */
  struct { const char *name, *text; } file[3];
  const char *report[12]; /* parts of the report */
  struct { const char *name, *part; } holds[8]; /* parts of written files */
  const char *tasks[16];  /* "pod,node,running,finished" of the run; NULL: no run */
} Case;

static char *
write_or_find (const char *dir, const Case *c, guint i)
{
  if (c->from == NULL)
    return test_write (dir, c->file[i].name, c->file[i].text);
  g_autofree char *name = g_build_filename ("import-kubernetes", c->from, NULL);
  gsize len;
  g_autofree char *text = suite_read (name, &len);

  return test_write (dir, c->from, text);
}

static void
check_tasks (const char *dir, const char *scenario, const Case *c)
{
  const char *const args[] = { scenario, NULL };
  g_autofree char *out = test_run_all_ways (dir, args), *path = g_build_filename (out, "tasks.csv", NULL);
  g_auto (TestTable) t = { 0 };
  g_autoptr (GError) error = NULL;

  if (!suite_check (test_table_read (&t, path, &error), "%s: %s", c->format, error != NULL ? error->message : ""))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (c->tasks) && c->tasks[i] != NULL; i++) {
    g_auto (GStrv) want = g_strsplit (c->tasks[i], ",", -1);
    gboolean found = FALSE;

    for (guint r = 0; r < t.rows->len; r++) {
      static const char *const columns[] = { "pod", "node", "running", "finished" };
      gboolean same = TRUE;

      for (guint k = 0; k < G_N_ELEMENTS (columns); k++)
        same = same && strcmp (test_table_cell (&t, r, test_table_column (&t, columns[k])), want[k]) == 0;
      found = found || same;
    }
    g_autofree char *text = found ? NULL : test_read (path, NULL, NULL);

    suite_check (found, "%s: tasks.csv has no '%s':\n%s", c->format, c->tasks[i], text);
  }
}

static void
check_case (const Case *c)
{
  g_autofree char *dir = test_make_dir (), *out = g_build_filename (dir, "out", NULL), *report = NULL;
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) options = g_strsplit (c->options, " ", -1);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (c->file) && (c->from != NULL ? i == 0 : c->file[i].name != NULL); i++)
    g_ptr_array_add (paths, write_or_find (dir, c, i));
  const WlImportFormat *format = wl_import_detect ((const char *const *) paths->pdata, paths->len, &error);

  if (suite_check (format != NULL && strcmp (format->name, c->format) == 0, "%s is taken for %s: %s", c->format, format != NULL ? format->name : "nothing", error != NULL ? error->message : "")) {
    gboolean good = wl_import_run (format, (const char *const *) paths->pdata, paths->len, (const char *const *) (*c->options != '\0' ? options : NULL), out, &report, &error);

    suite_check (good, "%s: %s", c->format, error != NULL ? error->message : "");
    for (guint i = 0; good && i < G_N_ELEMENTS (c->report) && c->report[i] != NULL; i++)
      suite_check (strstr (report, c->report[i]) != NULL, "%s: the report has no '%s':\n%s", c->format, c->report[i], report);
    for (guint i = 0; good && i < G_N_ELEMENTS (c->holds) && c->holds[i].name != NULL; i++) {
      g_autofree char *path = g_build_filename (out, c->holds[i].name, NULL), *text = test_read (path, NULL, NULL);

      suite_check (text != NULL && strstr (text, c->holds[i].part) != NULL, "%s: %s has no '%s':\n%s", c->format, c->holds[i].name, c->holds[i].part, text);
    }
    g_autofree char *scenario = g_build_filename (out, "scenario.yaml", NULL);

    if (good)
      check_tasks (dir, scenario, c);
  }
  test_remove_tree (dir);
}

#define NODE "{apiVersion: v1, kind: Node, metadata: {name: n}, status: {allocatable: {cpu: 8, memory: 32Gi, pods: 20}}}\n"
#define VCJOB(name, spec) "---\n{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: " name "}, spec: {" spec "}}\n"
#define TASK(replicas) "tasks: [{name: w, replicas: " replicas ", template: {spec: {restartPolicy: Never, containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]}}}]"

/* Import @data as @format. The report; NULL when it is refused, which has to say @says (nullable: any words). */
static char *
import_bytes (const char *format, const guint8 *data, gsize len, const char *says)
{
  g_autofree char *dir = test_make_dir (), *out = g_build_filename (dir, "out", NULL), *path = g_build_filename (dir, "a.yaml", NULL);
  const char *const paths[] = { path };
  g_autoptr (GError) error = NULL;
  char *report = NULL;

  suite_check (g_file_set_contents (path, (const char *) data, (gssize) len, NULL), "%s is written", path);
  const WlImportFormat *found = wl_import_detect (paths, 1, NULL);

  if (says == NULL)
    suite_check (found != NULL && strcmp (found->name, format) == 0, "%s is taken for %s", format, found != NULL ? found->name : "nothing");
  if (!wl_import_run (wl_import_find (format), paths, 1, NULL, out, &report, &error)) {
    suite_check (says != NULL && strstr (error->message, says) != NULL && strchr (error->message, '\n') == NULL, "%s should say %s, says: %s", format, says, error->message);
    suite_check (!g_file_test (out, G_FILE_TEST_EXISTS), "nothing is written");
  }
  test_remove_tree (dir);
  return report;
}

static void
check_refusal (const char *format, const char *text, gssize len, const char *says)
{
  g_autofree char *report = import_bytes (format, (const guint8 *) text, len < 0 ? strlen (text) : (gsize) len, says);

  suite_check (report == NULL, "%s: %s is not refused", format, says);
}

static guint32
crc32_of (const char *text, gsize n)
{
  guint32 crc = 0xffffffffu;

  for (gsize i = 0; i < n; i++) {
    crc ^= (guint8) text[i];
    for (guint k = 0; k < 8; k++)
      crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

/* ---- a cluster at work ------------------------------------------------------------------------------------ */

static void
a_dump_becomes_a_run_that_begins_with_its_state (void)
{
  static const Case snapshot = {
    "kubernetes", "duration=1h", "cluster.yaml", { { NULL, NULL } },
    { "Rows         27 read = 23 imported + 4 dropped + 0 bad", "1  Secret objects: no run knows them", "1  Job objects: a workload that is held back is not simulated",
      "1  Deployment objects of other schedulers", "1  jobs and pods that were over, or ending", "Made         9 jobs of 17 pods, 1 queues, 2 nodes; the record of 9 jobs",
      "1  mode (snapshot)", "7  running time of pods (--duration)", "5  running time of pods that always restart", "1  queues that are not among the objects", "13  Pod objects read",
      "1  volumes with claims are left out" },
    { { "nodes.csv", "w1.example.com,8,32Gi," },
      { "scenario.yaml", "start: 2025-01-02T00:04:00Z" },
      { "recorded.csv", "prod,train,0,0,0,,Running,0,w1.example.com|w1.example.com\n" },
      { "recorded.csv", "prod,big,0,,,,Pending,0,\n" },
      { "objects.yaml", "volsim.io/node: \"w1.example.com|w1.example.com\"" },
      { "objects.yaml", "volsim.io/duration: \"520>600|530>600\"" } },
    { "train-w-0,w1.example.com,0,520", "train-w-1,w1.example.com,0,530", /* 600 s by runningEstimate, of which 80 and 70 are over */
      "web-1-p0,w1.example.com,0,", "web-1-p1,w2,0,", "db-0,w2,0,",       /* services, on their nodes */
      "etl-p0,w2,0,0", "etl-p1,w2,0,75", "etl-p2,w1.example.com,0,120",   /* one had taken 120 s; of the second 45 s are over, the third is new */
      "g-0,w1.example.com,0,3490", "agent,w1.example.com,0,", "going,w2,0,25.000001" },
  };
  static const Case replay = {
    "kubernetes", "mode=replay", "cluster.yaml", { { NULL, NULL } },
    { "Rows         27 read = 24 imported + 3 dropped + 0 bad", "Times        submissions from 0 to 240 s; 0 is 1735776000 s of the trace" },
    { { "recorded.csv", "prod,train,150,20,170,,Running,0,w1.example.com|w1.example.com\n" }, { "recorded.csv", "prod,etl,60,10,70,,,0,w2|w2\n" } },
    { "train-w-0,w1.example.com,151,751", "etl-p0,w1.example.com,60,180", "agent,w1.example.com,0," },
  };
  static const Case later = {
    "kubernetes", "at=2025-01-02T00:10:00Z", "cluster.yaml", { { NULL, NULL } },
    { "0 is 1735776600 s of the trace" }, { { "scenario.yaml", "start: 2025-01-02T00:10:00Z" } }, { "train-w-0,w1.example.com,0,160", "train-w-1,w1.example.com,0,170" },
  };

  check_case (&snapshot);
  check_case (&replay);
  check_case (&later);
}

/* ---- manifests ---------------------------------------------------------------------------------------------- */

static void
manifests_become_jobs (void)
{
  static const Case cases[] = {
    { "kubernetes", "duration=90 nodes=2 node-cpu=4", NULL,
      { { "job.yaml", "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: q}, spec: {weight: 2}}\n" VCJOB ("a", "queue: q, " TASK ("2")) },
        { "more.json", "{\"apiVersion\": \"batch.volcano.sh/v1alpha1\", \"kind\": \"Job\", \"metadata\": {\"name\": \"b\"}, \"spec\": {\"tasks\": [{\"name\": \"w\", \"replicas\": 1, "
                       "\"template\": {\"spec\": {\"restartPolicy\": \"Never\", \"containers\": [{\"name\": \"c\", \"image\": \"i\", \"resources\": {\"requests\": {\"x.io/y\": \"1\"}}}]}}}]}}" } },
      { "Rows         3 read = 3 imported", "Made         2 jobs of 3 pods, 1 queues, 2 nodes", "2  submission (0)", "3  running time of pods (--duration)", "1  mode (replay)" },
      { { "objects.yaml", "limits:\n              x.io/y: \"1\"" } },
      { "a-w-0,n-0,1,91", "a-w-1,n-0,1,91" } },
    { "kubernetes", "duration=9", NULL, /* a Job of each kind, and what each of them has made */
      { { "jobs.yaml", NODE VCJOB ("a", TASK ("1")) "---\n{apiVersion: batch/v1, kind: Job, metadata: {name: a, uid: u}, spec: {template: {spec: {restartPolicy: Never, schedulerName: volcano, "
                       "containers: [{name: c, image: i}]}}}}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: a-xyz, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: a, uid: u, controller: true}]}, "
                       "spec: {schedulerName: volcano, restartPolicy: Never, nodeName: n, containers: [{name: c, image: i}]}, status: {phase: Running}}\n" } },
      { "Rows         4 read = 4 imported", "Made         2 jobs of 2 pods", "1  objects that share their name with one of another kind" }, { { NULL, NULL } }, { "a-w-0,n,1,10", "a-batchjob-p0,n,0,9" } },
    { "kubernetes", "", NULL, /* the cluster's scheduler is configured */
      { { "conf.yaml", NODE "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: volcano-scheduler-configmap, namespace: volcano-system}\ndata:\n  volcano-scheduler.conf: |\n    actions: \"enqueue, allocate\"\n"
                       "    tiers:\n    - plugins:\n      - name: gang\n" },
        { "broken.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\ndata:\n  volcano-scheduler.conf: |\n    actions: \"dance\"\n" } },
      { "Rows         3 read = 2 imported + 1 dropped", "1  ConfigMaps with the configuration of the scheduler, which holds for the run", "1  configuration of the scheduler that cannot be used: volcano-scheduler.conf:1:" },
      { { "scenario.yaml", "conf: volcano-scheduler.conf\n" }, { "volcano-scheduler.conf", "actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n" } }, { NULL } },
    { "kubernetes", "duration=30", NULL,
      { { "cron.yaml", NODE "---\n{apiVersion: batch.volcano.sh/v1alpha1, kind: CronJob, metadata: {name: t}, spec: {schedule: '@every 2m', jobTemplate: {spec: {" TASK ("1") "}}}}\n" } },
      { "1  submission (0)", "1  running time of pods of JobTemplates and CronJobs (--duration)", "1  end of the run, as CronJobs go on for ever" }, { { "scenario.yaml", "until: 24h" } },
      { "t-29453762-w-0,n,122,152", "t-29453764-w-0,n,242,272" } },
    { "kubernetes", "end=5m duration=1h", NULL,
      { { "cron.yaml", NODE "---\n{apiVersion: batch.volcano.sh/v1alpha1, kind: CronJob, metadata: {name: t}, spec: {schedule: '@every 2m', jobTemplate: {metadata: {annotations: {volsim.io/duration: '20'}}, "
                            "spec: {" TASK ("1") "}}}}\n" } },
      { "1  submission (0)" }, { { "scenario.yaml", "until: 5m" } }, { NULL } },
    { "kubernetes", "", NULL, /* annotations that an export writes count as they are */
      { { "noted.yaml", NODE "---\n{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: a, annotations: {volsim.io/submit: '12.5', volsim.io/duration: '30>40'}}, spec: {" TASK ("1") "}}\n" } },
      { "Times        submissions from 12.5 to 12.5 s; 0 is 0 s of the trace" }, { { NULL, NULL } }, { "a-w-0,n,14,44" } },
    { "kubernetes", "", NULL, /* a limit of null is none: the request is the limit */
      { { "null.yaml", NODE "---\n{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: a, annotations: {volsim.io/submit: '0', volsim.io/duration: '9'}}, spec: {tasks: [{name: w, replicas: 1, "
                            "template: {spec: {restartPolicy: Never, containers: [{name: c, image: i, resources: {requests: {cpu: 1, nvidia.com/gpu: 2}, limits: {cpu: null, nvidia.com/gpu: null}}}]}}}]}}\n" } },
      { "Made         1 jobs" }, { { "objects.yaml", "limits:\n              nvidia.com/gpu: 2\n" } }, { NULL } },
    { "kubernetes", "", NULL, /* and so does the state in which an export found a dump; nodes that are not there hold nothing */
      { { "found.yaml", NODE "---\n{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: a, annotations: {volsim.io/submit: '0', volsim.io/duration: '30>40', volsim.io/age: '20', "
                             "volsim.io/phase: Running}}, spec: {tasks: [{name: w, replicas: 2, template: {metadata: {annotations: {volsim.io/node: 'n|gone'}}, "
                             "spec: {restartPolicy: Never, containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]}}}]}}\n" } },
      { "1  places of pods (volsim.io/node) on nodes that are not among the objects: left out" },
      { { "objects.yaml", "volsim.io/age: \"20\"\n    volsim.io/phase: \"Running\"\n" }, { "objects.yaml", "volsim.io/node: \"n|\"\n" } }, { "a-w-0,n,0,30" } },
    { "kubernetes", "", NULL, /* so do the node and the grace period of a pod that runs at the start */
      { { "found.yaml", NODE "---\n{apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {volsim.io/submit: '0', volsim.io/age: '60', volsim.io/phase: Running, volsim.io/duration: '40'}}, "
                        "spec: {nodeName: n, terminationGracePeriodSeconds: 196, restartPolicy: Never, containers: [{name: c, image: i}]}}\n" } },
      { "1  mode (replay)" }, { { "objects.yaml", "terminationGracePeriodSeconds: 196\n" }, { "objects.yaml", "nodeName: \"n\"\n" }, { "objects.yaml", "volsim.io/age: \"60\"\n" } }, { "p,n,0,40" } },
    { "kubernetes", "mode=snapshot", NULL, /* classes and queues that only the dump knows; a priority without a class; a closed queue with a job in it */
      { { "p.yaml", NODE "---\n{apiVersion: v1, kind: Pod, metadata: {name: p, creationTimestamp: '2025-01-01T00:00:00Z', annotations: {scheduling.volcano.sh/queue-name: old}}, spec: {schedulerName: volcano, "
                    "restartPolicy: Never, priority: 9, priorityClassName: fast, nodeName: n, containers: [{name: c, image: i}]}, status: {phase: Running}}\n---\n"
                    "{apiVersion: v1, kind: Pod, metadata: {name: q, creationTimestamp: '2025-01-01T00:00:01Z'}, spec: {schedulerName: volcano, restartPolicy: Never, priority: -3, containers: [{name: c, image: i}]}}\n---\n"
                    "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: old}, spec: {weight: 1}, status: {state: Closed}}\n" } },
      { "1  queues that are closed with jobs in them are open here" },
      { { "objects.yaml", "name: \"fast\"\nvalue: 9" }, { "objects.yaml", "name: \"volsim-priority-minus-3\"\nvalue: -3" } }, { "p,n,0,3600", "q,n,0,3600" } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_case (&cases[i]);
}

/* ---- KWOK ---------------------------------------------------------------------------------------------------- */

#define FAKE "apiVersion: v1\nkind: Node\nmetadata: {name: kwok-0, annotations: {kwok.x-k8s.io/node: fake}}\nspec:\n  taints: [{key: kwok.x-k8s.io/node, value: fake, effect: NoSchedule}]\n" \
             "status: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}}\n"
#define STAGE(name, selector, delay, weight, phase)                                                                                                   \
  "---\napiVersion: kwok.x-k8s.io/v1alpha1\nkind: Stage\nmetadata: {name: " name "}\nspec:\n  resourceRef: {apiGroup: v1, kind: Pod}\n  selector: {" selector "}\n" \
  "  weight: " weight "\n  delay: {" delay "}\n  next:\n    statusTemplate: |\n      phase: " phase "\n"
#define OF_JOBS "matchExpressions: [{key: .metadata.deletionTimestamp, operator: DoesNotExist}, {key: .status.phase, operator: In, values: [Running]}, {key: '.metadata.ownerReferences.[].kind', operator: In, values: [Job]}]"

static void
stages_of_kwok_say_how_long_pods_run (void)
{
  static const Case cases[] = {
    { "kubernetes", "stage-delay=least", NULL, /* as not all of them show a sign of KWOK */
      { { "a.yaml", FAKE STAGE ("done", OF_JOBS, "durationMilliseconds: 60000, jitterDurationMilliseconds: 90000", "1", "Succeeded") }, { "b.yaml", "# jobs\n" VCJOB ("a", TASK ("1")) } },
      { "Rows         3 read = 3 imported", "1  taints kwok.x-k8s.io/node are left out" }, { { NULL, NULL } }, { "a-w-0,kwok-0,1,61" } },
    { "kwok", "stage-delay=most", NULL, { { "a.yaml", FAKE STAGE ("done", OF_JOBS, "durationMilliseconds: 60000, jitterDurationMilliseconds: 90000", "1", "\"Failed\"") VCJOB ("a", "maxRetry: 1, " TASK ("1")) } },
      { "Rows         3 read = 3 imported" }, { { "objects.yaml", "volsim.io/exit-code: \"1\"" } }, { "a-w-0,kwok-0,1,91" } },
    { "kwok", "fake-taint=keep duration=5", NULL,
      { { "a.yaml", FAKE STAGE ("ready", "matchExpressions: [{key: .status.phase, operator: In, values: [Pending]}]", "durationMilliseconds: 10", "1", "Running")
                    STAGE ("odd", "matchExpressions: [{key: .spec.nodeName, operator: Exists}]", "durationMilliseconds: 10", "1", "Succeeded")
                    STAGE ("labelled", "matchLabels: {a: b}", "durationMilliseconds: 10", "1", "Succeeded") VCJOB ("a", TASK ("1")) } },
      { "Rows         5 read = 3 imported + 2 dropped", "1  Stages that end no pods", "1  Stages whose selector is not understood", "1  running time of pods (--duration)" },
      { { "nodes.csv", "kwok.x-k8s.io/node=fake:NoSchedule" } }, { "a-w-0,,," } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_case (&cases[i]);
}

static char *
durations_by (const char *options)
{
  g_autofree char *dir = test_make_dir (), *out = g_build_filename (dir, "out", NULL), *report = NULL;
  g_autofree char *path = test_write (dir, "a.yaml", FAKE STAGE ("short", OF_JOBS, "durationMilliseconds: 1000, jitterDurationMilliseconds: 2000", "1", "Succeeded")
                                                       STAGE ("long", OF_JOBS, "durationMilliseconds: 100000", "3", "Succeeded") VCJOB ("a", TASK ("40")));
  const char *const paths[] = { path };
  g_auto (GStrv) list = g_strsplit (options, " ", -1);
  g_autoptr (GError) error = NULL;

  suite_check (wl_import_run (wl_import_find ("kwok"), paths, 1, (const char *const *) list, out, &report, &error), "%s", error != NULL ? error->message : "");
  g_autofree char *name = g_build_filename (out, "objects.yaml", NULL), *text = test_read (name, NULL, NULL);
  const char *at = text != NULL ? strstr (text, "volsim.io/duration: \"") : NULL;
  char *runs = at != NULL ? g_strndup (at + 21, strcspn (at + 21, "\"")) : g_strdup ("");

  test_remove_tree (dir);
  return runs;
}

/* Of two Stages each pod gets one by their weights, and its own delay. */
static void
what_stages_leave_open_is_drawn_by_the_seed (void)
{
  g_autofree char *first = durations_by ("seed=7"), *again = durations_by ("seed=7"), *other = durations_by ("seed=8");
  g_auto (GStrv) run = g_strsplit (first, "|", -1);
  guint longs = 0, inside = 0, n = g_strv_length (run);

  suite_check (strcmp (first, again) == 0 && strcmp (first, other) != 0, "draws: %s, %s, %s", first, again, other);
  for (guint i = 0; i < n; i++) {
    double t = g_ascii_strtod (run[i], NULL);

    longs += t == 100;
    inside += t >= 1 && t <= 2;
  }
  suite_check (n == 40 && longs + inside == 40 && longs >= 22 && longs <= 38, "three of four pods run 100 s, the others 1 to 2 s: %s", first);
}

/* ---- options --------------------------------------------------------------------------------------------------- */

static void
options_that_mean_nothing_are_told (void)
{
  static const struct { const char *format, *options, *text, *says; } bad[] = {
    { "kubernetes", "at=abc", VCJOB ("a", TASK ("1")), "--at: expected a time such as 2025-03-03T08:20:00Z, found 'abc'" },
    { "pfnet", "at=abc", "tick: 5\ncluster:\n- metadata: {name: a}\n  status: {allocatable: {cpu: 4}}\n", "--at: expected a time" },
    { "simkube", "at=abc", "{\"version\": 2, \"config\": {\"trackedObjects\": {}}, \"events\": [], \"index\": {}, \"pod_lifecycles\": {}}", "--at: expected a time" },
    { "kubernetes", "schedulers=abc", NODE "---\n{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {schedulerName: mine, containers: [{name: c, image: i}]}}\n",
      "--schedulers: expected a schedulerName of the objects, such as 'mine', found 'abc', which none of them has" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autofree char *dir = test_make_dir (), *out = g_build_filename (dir, "out", NULL), *path = test_write (dir, "a.yaml", bad[i].text), *report = NULL;
    const char *const paths[] = { path }, *const options[] = { bad[i].options, NULL };
    g_autoptr (GError) error = NULL;

    suite_check (!wl_import_run (wl_import_find (bad[i].format), paths, 1, options, out, &report, &error) && strstr (error->message, bad[i].says) != NULL, "%s %s should say %s, says: %s",
                 bad[i].format, bad[i].options, bad[i].says, error != NULL ? error->message : "nothing");
    test_remove_tree (dir);
  }
}

static void
made_up_nodes_have_the_labels_of_any_kubelet (void)
{
  static const Case cases[] = {
    { "kubernetes", "nodes=1 at=2025-03-03T08:20:00Z duration=60", NULL,
      { { "a.yaml", "---\n{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: a}, spec: {tasks: [{name: w, replicas: 1, template: {spec: {restartPolicy: Never, nodeSelector: "
                    "{kubernetes.io/os: linux}, containers: [{name: c, image: i}]}}}]}}\n" } },
      { "1  --at means nothing: this is no snapshot" }, { { "nodes.csv", "kubernetes.io/arch=amd64;kubernetes.io/os=linux" } }, { "a-w-0,n,1,61" } },
    { "kubernetes", "nodes=1", NULL,
      { { "a.yaml", "{apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {alibabacloud.com/gpu-milli: '500'}}, spec: {containers: [{name: c, image: i}]}}\n" } },
      { "1  pods that ask for parts of GPUs by annotations" }, { { NULL, NULL } }, { NULL } },
    { "kubernetes", "nodes=1", NULL,
      { { "a.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {volcano-scheduler.conf: \"actions: allocate\"}}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: d}, data: {a: b}}\n" } },
      { "Rows         2 read = 1 imported + 1 dropped + 0 bad", "1  ConfigMaps with the configuration of the scheduler" }, { { "volcano-scheduler.conf", "actions: allocate" } }, { NULL } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_case (&cases[i]);
}

/* ---- k8s-cluster-simulator --------------------------------------------------------------------------------------- */

static void
a_configuration_of_pfnet_is_a_cluster (void)
{
  static const char config[] = "tick: 5\nstartClock: 2019-01-01T00:00:00+09:00\nmetricsLogger:\n- dest: stdout\ncluster:\n- metadata:\n    name: a\n    labels: {os: sim}\n  spec: {unschedulable: true}\n"
                               "  status:\n    allocatable: {cpu: 4, memory: 8Gi, nvidia.com/gpu: 1, pods: 2}\n- metadata: {name: b}\n  status:\n    allocatable: {cpu: 2, memory: 4Gi, pods: 4}\n";
  static const char pod[] = "{apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {simSpec: \"- {seconds: 5, resourceUsage: {cpu: 1}}\\n- {seconds: 10, resourceUsage: {cpu: 2}}\"}}, "
                            "spec: {schedulerName: mine, restartPolicy: Never, containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]}}\n";
  static const Case cases[] = {
    { "pfnet", "", NULL, { { "config.yaml", config } }, { "Rows         2 read = 2 imported", "Made         0 jobs of 0 pods, 1 queues, 2 nodes" },
      { { "nodes.csv", "a,add,4,8Gi,1,2,os=sim\na,cordon," }, { "scenario.yaml", "start: 2018-12-31T15:00:00Z\nperiod: 5\n" } }, { NULL } },
    { "pfnet", "", NULL, { { "config.yaml", config }, { "pods.yaml", pod } }, { "Rows         3 read = 3 imported" }, { { NULL, NULL } }, { "p,b,0,15" } },
  };
  static const struct { const char *text, *says; } bad[] = {
    { "tick: soon\ncluster: []\n", "a.yaml:1:7: tick: expected 1 to 86400 seconds, found 'soon'" },
    { "tick: 1\nstartClock: today\ncluster: []\n", "a.yaml:2:13: startClock: expected a time" },
    { "tick: 1\ncluster: 7\n", "a.yaml:2:10: expected a list of nodes, found '7'" },
    { "tick: 1\ncluster:\n- metadata: {name: a}\n  status: {allocatable: {cpu: lots}}\n", "a.yaml:4:31: Node a: status.allocatable.cpu: expected a quantity" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_case (&cases[i]);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    check_refusal ("pfnet", bad[i].text, -1, bad[i].says);
}

/* ---- KAI ----------------------------------------------------------------------------------------------------------- */

#define KAI_NODE(name) "{\"metadata\": {\"name\": \"" name "\", \"labels\": {\"nvidia.com/gpu.product\": \"A100\", \"rack\": \"r1\"}}, \"status\": {\"allocatable\": {\"cpu\": \"32\", \"memory\": \"128Gi\", \"pods\": \"20\", \"nvidia.com/gpu\": \"2\"}}}"
#define KAI_POD(name, group, notes, spec, gpus)                                                                                                                                                    \
  "{\"metadata\": {\"name\": \"" name "\", \"namespace\": \"x\", \"creationTimestamp\": \"2025-01-01T00:00:00Z\", \"labels\": {\"kai.scheduler/queue\": \"team\", \"kai.scheduler/subgroup-name\": \"s\"}, \"annotations\": {\"pod-group-name\": \"" group "\"" notes "}}, " \
  "\"spec\": {\"schedulerName\": \"kai-scheduler\"" spec ", \"containers\": [{\"name\": \"c\", \"resources\": {\"requests\": {\"cpu\": \"1\"" gpus "}}}]}, \"status\": {\"phase\": \"Pending\"}}"
#define KAI_GROUP(name, spec) "{\"metadata\": {\"name\": \"" name "\", \"namespace\": \"x\"}, \"spec\": {\"queue\": \"team\", " spec "}}"
#define KAI(pods, groups, more)                                                                                                                                                                     \
  "{\"config\": {\"actions\": \"allocate\"}, \"schedulerParams\": {\"schedulerName\": \"kai-scheduler\"}, \"rawObjects\": {\"nodes\": [" KAI_NODE ("n") "], \"pods\": [" pods "], \"podGroups\": [" groups "],\n"      \
  "\"queues\": [{\"metadata\": {\"name\": \"dept\"}, \"spec\": {\"resources\": {\"gpu\": {\"quota\": -1, \"limit\": -1, \"overQuotaWeight\": 1}}}},\n{\"metadata\": {\"name\": \"team\"}, \"spec\": {\"parentQueue\": \"dept\", \"priority\": 7, "   \
  "\"resources\": {\"gpu\": {\"quota\": 2, \"limit\": 2.5, \"overQuotaWeight\": 3}, \"cpu\": {\"quota\": 16000, \"limit\": -1}, \"memory\": {\"quota\": 5, \"limit\": -1}}}}]" more "}}"

static void
a_snapshot_of_kai_becomes_a_cluster (void)
{
  static const char shared[] = KAI (KAI_POD ("a", "g", ", \"gpu-fraction\": \"0.25\"", "", "") ", " KAI_POD ("b", "h", "", "", ", \"nvidia.com/gpu\": \"1\""), KAI_GROUP ("g", "\"minMember\": 1, \"preemptibility\": \"non-preemptible\"") ", " KAI_GROUP ("h", "\"minMember\": 1"),
                                    ", \"bindRequests\": [{\"metadata\": {\"name\": \"b\", \"namespace\": \"x\"}, \"spec\": {\"podName\": \"b\", \"selectedNode\": \"n\"}}]");
  static const char whole[] = KAI (KAI_POD ("a", "g", "", "", ", \"nvidia.com/gpu\": \"2\""), KAI_GROUP ("g", "\"minMember\": 1, \"priorityClassName\": \"high\", \"topologyConstraint\": {\"topology\": \"net\", \"requiredTopologyLevel\": \"rack\"}, "
                                                                                                "\"subGroups\": [{\"name\": \"s\", \"minMember\": 1}]"),
                                   ", \"priorityClasses\": [{\"metadata\": {\"name\": \"high\"}, \"value\": 200}], \"topologies\": [{\"metadata\": {\"name\": \"net\"}, \"spec\": {\"levels\": [{\"nodeLabel\": \"rack\"}]}}]");
  const Case cases[] = {
    { "kai", "", NULL, { { "snapshot.json", shared } },
      { "Rows         8 read = 8 imported", "Made         2 jobs of 2 pods, 2 queues, 1 nodes", "GPU shares   device", "configuration of another scheduler is not applied (actions: allocate)", "2  restartPolicy (Never)",
        "1  preemptibility (by the value of the class" },
      { { "objects.yaml", "volcano.sh/vgpu-number: 1\n        volcano.sh/vgpu-cores: 25\n        volcano.sh/vgpu-memory: 4000" },
        { "objects.yaml", "weight: 3\n  parent: \"dept\"\n  priority: 7\n  deserved:\n    volcano.sh/vgpu-number: \"2\"\n    cpu: \"16\"\n    memory: \"5000000\"\n  capability:\n    volcano.sh/vgpu-number: \"2500m\"" },
        { "objects.yaml", "volcano.sh/preemptable: \"false\"" },
        { "nodes.csv", "gpu-model=A100" },
        { "objects.yaml", "nodeName: \"n\"" } },
      { "a,n,0,3600", "b,n,0,3600" } },
    { "kai", "gpu-share=pooled duration=60", NULL, { { "snapshot.json", shared } }, { "GPU shares   pooled" },
      { { "objects.yaml", "volsim.io/gpu-milli: 250" }, { "objects.yaml", "volsim.io/gpu-milli: 1000" }, { "objects.yaml", "volsim.io/gpu-milli: \"2500\"" } }, { "a,n,0,60" } },
    { "kai", "", NULL, { { "snapshot.json", whole } }, { "Rows         7 read = 7 imported", "1  topology constraints, which the plugin network-topology-aware must be configured for" },
      { { "objects.yaml", "nvidia.com/gpu: 2" }, { "objects.yaml", "highestTierName: \"rack\"" }, { "objects.yaml", "kai.scheduler/subgroup-name" },
        { "scenario.yaml", "network_topology_types: \n  \"net\": [\"rack\", kubernetes.io/hostname]" }, { "objects.yaml", "volcano.sh/preemptable: \"false\"" } },
      { "a,n,0,3600" } },
  };
  static const struct { const char *text, *says; } bad[] = {
    { "{\"rawObjects\": 5}", "rawObjects: expected the objects of a snapshot" },
    { "{\"rawObjects\": {\"pods\": {}}}", "a.yaml:1:1: expected a list, found " },
    { KAI (KAI_POD ("a", "g", ", \"gpu-fraction\": \"half\"", "", ""), "", ""), "Pod x/a: annotation gpu-fraction: expected a part of a card, above 0 and at most 1, found 'half'" },
    { KAI ("", KAI_GROUP ("g", "\"minMember\": -2"), ""), "PodGroup g: spec.minMember: expected a number from 0, found '-2'" },
    { KAI ("", KAI_GROUP ("g", "\"preemptibility\": \"maybe\""), ""), "spec.preemptibility: expected preemptible or non-preemptible, found 'maybe'" },
    { "{\"rawObjects\": {\"queues\": [{\"metadata\": {\"name\": \"q\"}, \"spec\": {\"resources\": {\"cpu\": {\"quota\": \"many\"}}}}]}}", "Queue q: quota: expected a number from 0, or -1, found 'many'" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_case (&cases[i]);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    check_refusal ("kai", bad[i].text, -1, bad[i].says);
}

/* The first file of a zip, behind a folder: deflated, and stored. Without libarchive zips are refused by name. */
static void
snapshots_come_in_a_zip (void)
{
#ifdef HAVE_LIBARCHIVE
  static const char complaint[] = "damaged compressed data, expected an intact file";
#else
  static const char complaint[] = "built without libarchive";
#endif
  static const char text[] = KAI (KAI_POD ("a", "g", "", "", ""), KAI_GROUP ("g", "\"minMember\": 1"), "");

  for (guint stored = 0; stored < 2; stored++) {
    g_autoptr (GConverter) raw = G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_RAW, 6));
    g_autofree guint8 *packed = g_malloc (2 * sizeof text);
    g_autoptr (GByteArray) zip = g_byte_array_new ();
    gsize used = 0, made = 0, n = strlen (text);
    static const char *const names[] = { "d/", "d/snapshot.json" };

    suite_check (g_converter_convert (raw, text, n, packed, 2 * sizeof text, G_CONVERTER_INPUT_AT_END, &used, &made, NULL) == G_CONVERTER_FINISHED, "it is packed");
    for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
      const guint8 *data = stored ? (const guint8 *) text : packed;
      gsize size = i == 0 ? 0 : stored ? n : made, whole = i == 0 ? 0 : n;
      guint32 crc = i == 0 ? 0 : crc32_of (text, n);
      const guint8 head[30] = { 'P', 'K', 3, 4, 20, 0, 0, 0, (guint8) (i == 0 || stored ? 0 : 8), 0, 0, 0, 0x21, 0, (guint8) crc, (guint8) (crc >> 8), (guint8) (crc >> 16), (guint8) (crc >> 24),
                                (guint8) size, (guint8) (size >> 8), 0, 0, (guint8) whole, (guint8) (whole >> 8), 0, 0, (guint8) strlen (names[i]), 0, 0, 0 };

      g_byte_array_append (zip, head, sizeof head);
      g_byte_array_append (zip, (const guint8 *) names[i], (guint) strlen (names[i]));
      if (size > 0)
        g_byte_array_append (zip, data, (guint) size);
    }
#ifdef HAVE_LIBARCHIVE
    g_autofree char *report = import_bytes ("kai", zip->data, zip->len, NULL);

    suite_check (report != NULL && strstr (report, "Rows         5 read = 5 imported") != NULL, "zip: %s", report);
#endif
    zip->data[zip->len - 40] ^= 0xff; /* damaged, or cut off: never taken for whole */
    g_autofree char *cut = import_bytes ("kai", zip->data, zip->len / 2, complaint);

    suite_check (cut == NULL, "half a zip: %s", cut);
  }
}

/* ---- SimKube --------------------------------------------------------------------------------------------------------- */

#define DEPLOYMENT(name, replicas, image)                                                                                                                                                   \
  "{\"apiVersion\": \"apps/v1\", \"kind\": \"Deployment\", \"metadata\": {\"name\": \"" name "\", \"namespace\": \"x\"}, \"spec\": {\"replicas\": " replicas ", \"template\": {\"metadata\": {\"creationTimestamp\": null}, "       \
  "\"spec\": {\"schedulerName\": \"default-scheduler\", \"containers\": [{\"name\": \"c\", \"image\": \"" image "\", \"resources\": {\"requests\": {\"cpu\": \"1\"}}}]}}}}"
#define BARE(name) "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"" name "\", \"namespace\": \"x\"}, \"spec\": {\"restartPolicy\": \"Never\", \"schedulerName\": \"default-scheduler\", \"containers\": [{\"name\": \"c\", \"image\": \"i\"}]}}"
#define EVENT(ts, applied, deleted) "{\"ts\": " ts ", \"applied_objs\": [" applied "], \"deleted_objs\": [" deleted "]}"
#define SIMKUBE(events, lives) "{\"version\": 2, \"config\": {\"trackedObjects\": {}}, \"events\": [" events "], \"index\": {}, \"pod_lifecycles\": " lives "}"

static const char simkube[] = SIMKUBE (EVENT ("1700000000", DEPLOYMENT ("w", "2", "a") ", " BARE ("p"), "") ", " EVENT ("1700000010", DEPLOYMENT ("w", "3", "a") ", " BARE ("q"), BARE ("never")) ", "
                                       EVENT ("1700000020", DEPLOYMENT ("w", "1", "b") ", {\"apiVersion\": \"v1\", \"kind\": \"Service\", \"metadata\": {\"name\": \"s\"}}", BARE ("q")) ", "
                                       EVENT ("1700000030", BARE ("q"), DEPLOYMENT ("w", "1", "b")),
                                       "{\"[\\\"v1.Pod\\\", \\\"x/p\\\"]\": {\"17\": [{\"Finished\": [1700000001, 1700000008]}]}, \"v1.Pod,x/q\": {\"1\": [{\"start_ts\": 1700000011}]}, \"v1.Pod,x/gone\": {\"1\": [{\"Running\": 5}]}}");

static void
traces_of_simkube_become_workloads (void)
{
  const Case c = { "simkube", "", NULL, { { "trace.json", simkube } },
                   { "Rows         4 read = 4 imported + 0 dropped + 0 bad", "Made         4 jobs of 5 pods, 1 queues, 10 nodes", "0 is 1700000000 s of the trace", "1  Service objects: no run knows them",
                     "1  deletions of objects that were not there", "1  changes of objects other than of their replicas are left out", "1  lives of pods whose owner is not among the objects", "10  nodes" },
                   { { "objects.yaml", "volsim.io/delete: \"30\"\n    volsim.io/scale: \"10:3>20:1\"" } },
                   { "p,n-1,0,7", "w-1-p1,n-0,0,60", "w-1-p2,n-0,10,50", "q,n-1,10,50", "q-pod,n-1,30," } };
  static const struct { const char *text, *says; } bad[] = {
    { "{\"config\": {\"trackedObjects\": {}}, \"events\": []}", "version: expected a trace of version 2, found one without a version" },
    { "{\"version\": 1, \"events\": []}", "a.yaml:1:13: version: expected 2, found '1'" },
    { "{\"version\": 2, \"events\": 7}", "events: expected a list, found none" },
    { "{\"version\": 2,\n \"events\": [{\"ts\": \"now\"}]}", "a.yaml:2:20: ts: expected seconds since 1970, found 'now'" },
    { "{\"version\": 2, \"events\": [{\"ts\": 1, \"applied_objs\": {}}]}", "expected a list of objects" },
    { "{\"version\": 2, \"events\": [{\"ts\": 1, \"applied_objs\": [{\"kind\": \"Pod\"}]}]}", "expected an object with apiVersion and kind" },
  };

  check_case (&c);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    check_refusal ("simkube", bad[i].text, -1, bad[i].says);
}

/* A document as MessagePack: whole numbers as such, the key of two parts as a list. */
static void
pack (GByteArray *out, SuiteNode *node, gboolean key)
{
  if (fy_node_is_scalar (node)) {
    gsize len;
    const char *text = fy_node_get_scalar (node, &len);
    g_autofree char *copy = g_strndup (text, len);
    gint64 v;

    if (key && copy[0] == '[') { /* ["a", "b"] */
      g_autoptr (SuiteDoc) pair = fy_document_build_from_string (NULL, copy, len);

      pack (out, fy_document_root (pair), FALSE);
    } else if ((fy_node_get_style (node) == FYNS_PLAIN || key) && g_ascii_string_to_signed (copy, 10, 0, G_MAXUINT32, &v, NULL)) {
      const guint8 bytes[] = { 0xce, (guint8) (v >> 24), (guint8) (v >> 16), (guint8) (v >> 8), (guint8) v };

      g_byte_array_append (out, bytes, sizeof bytes);
    } else if (fy_node_get_style (node) == FYNS_PLAIN && strcmp (copy, "null") == 0) {
      g_byte_array_append (out, (const guint8 *) "\xc0", 1);
    } else {
      const guint8 head[] = { 0xda, (guint8) (len >> 8), (guint8) len };

      g_byte_array_append (out, head, sizeof head);
      g_byte_array_append (out, (const guint8 *) copy, (guint) len);
    }
    return;
  }
  gboolean map = fy_node_is_mapping (node);
  int n = map ? fy_node_mapping_item_count (node) : fy_node_sequence_item_count (node);
  const guint8 head[] = { (guint8) (map ? 0xde : 0xdc), (guint8) (n >> 8), (guint8) n };
  void *at = NULL;

  g_byte_array_append (out, head, sizeof head);
  for (int i = 0; i < n; i++) {
    struct fy_node_pair *pair = map ? fy_node_mapping_iterate (node, &at) : NULL;

    if (map)
      pack (out, fy_node_pair_key (pair), TRUE);
    pack (out, map ? fy_node_pair_value (pair) : fy_node_sequence_iterate (node, &at), FALSE);
  }
}

static void
simkube_as_messagepack_is_the_same (void)
{
  g_autoptr (SuiteDoc) doc = fy_document_build_from_string (NULL, simkube, strlen (simkube));
  g_autoptr (GByteArray) packed = g_byte_array_new ();

  pack (packed, fy_document_root (doc), FALSE);
  packed->data[0] = 0x80 | packed->data[2]; /* a short map, as SimKube writes it */
  g_byte_array_remove_range (packed, 1, 2);
  g_autofree char *binary = import_bytes ("simkube", packed->data, packed->len, NULL), *text = import_bytes ("simkube", (const guint8 *) simkube, strlen (simkube), NULL);
  const char *a = binary != NULL ? strstr (binary, "Rows") : NULL, *b = text != NULL ? strstr (text, "Rows") : NULL;

  suite_check (a != NULL && b != NULL && strcmp (a, b) == 0, "MessagePack:\n%s\nJSON:\n%s", binary, text);
  for (guint cut = 1; cut < packed->len; cut += 37) { /* cut off anywhere, it is refused */
    g_autofree char *part = import_bytes ("simkube", packed->data, packed->len - cut, "MessagePack, expected more bytes, found the end at byte");

    suite_check (part == NULL, "cut by %u", cut);
  }
}

/* ---- what cannot be read ---------------------------------------------------------------------------------------- */

static void
bad_objects_are_refused_with_their_place_or_counted (void)
{
  static const struct { const char *text, *says, *skipped; } bad[] = {
    { NODE "---\n{apiVersion: v1, kind: Node, metadata: {name: m}, status: {allocatable: {cpu: many}}}\n", ":3:79: Node m: status.allocatable.cpu: expected a quantity, found 'many'", "Rows         2 read = 1 imported + 0 dropped + 1 bad" },
    { NODE "---\napiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: a}\nspec:\n  tasks: 5\n", ":7:10: Job default/a: spec.tasks: expected a list, found ", "+ 1 bad" },
    { NODE "---\napiVersion: v1\nkind: Pod\nmetadata: {name: ''}\n", "metadata.name: missing", "+ 1 bad" },
    { NODE "---\napiVersion: v1\nmetadata: {name: x}\n", ":3:1: kind: missing", "+ 1 bad" },
    { "apiVersion: v1\nkind: List\nitems:\n- 7\n- " NODE, ":4:3: ", "Rows         2 read = 1 imported + 0 dropped + 1 bad" },
    { NODE "---\n{apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {simSpec: 'soon'}}, spec: {schedulerName: volcano, restartPolicy: Never, containers: [{name: c, image: i}]}}\n",
      "annotation simSpec: expected a list of phases with seconds", "+ 1 bad" },
    { NODE "---\n{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: a}, spec: {runningEstimate: long, " TASK ("1") "}}\n",
      "spec.runningEstimate: expected a time such as 6h0m0s, found long", "+ 1 bad" },
    { NODE "---\n{apiVersion: kwok.x-k8s.io/v1alpha1, kind: Stage, metadata: {name: s}, spec: {delay: {durationMilliseconds: -1}}}\n", "durationMilliseconds: expected 0 to ", "+ 1 bad" },
    { NODE "---\napiVersion: v1\nkind: [\n", "bad YAML or JSON", NULL }, /* what is no document ends it all */
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autofree char *dir = test_make_dir (), *out = g_build_filename (dir, "out", NULL), *path = test_write (dir, "a.yaml", bad[i].text), *report = NULL;
    const char *const paths[] = { path }, *const skip[] = { "on-bad-row=skip", NULL };
    g_autoptr (GError) error = NULL, e = NULL;
    gboolean good = wl_import_run (wl_import_find ("kubernetes"), paths, 1, NULL, out, &report, &error);

    suite_check (!good && strstr (error->message, bad[i].says) != NULL && strstr (error->message, "a.yaml:") != NULL && strchr (error->message, '\n') == NULL, "it should say %s, says: %s", bad[i].says,
                 error != NULL ? error->message : "nothing");
    suite_check (!g_file_test (out, G_FILE_TEST_EXISTS), "nothing is written");
    g_clear_pointer (&report, g_free);
    good = wl_import_run (wl_import_find ("kubernetes"), paths, 1, skip, out, &report, &e);
    suite_check (bad[i].skipped == NULL ? !good : good && strstr (report, bad[i].skipped) != NULL, "skipped: %s%s", report, e != NULL ? e->message : "");
    test_remove_tree (dir);
  }
}

/* ---- the same in other clothes ------------------------------------------------------------------------------------ */

static char *
written_for (const char *text, const char *name)
{
  g_autofree char *dir = test_make_dir (), *out = g_build_filename (dir, "out", NULL), *path = test_write (dir, name, text), *report = NULL;
  const char *const paths[] = { path };
  g_autoptr (GError) error = NULL;

  suite_check (wl_import_run (wl_import_find ("kubernetes"), paths, 1, NULL, out, &report, &error), "%s", error != NULL ? error->message : "");
  g_autofree char *objects = g_build_filename (out, "objects.yaml", NULL), *nodes = g_build_filename (out, "nodes.csv", NULL);
  g_autofree char *a = test_read (objects, NULL, NULL), *b = test_read (nodes, NULL, NULL);
  char *all = g_strconcat (b, a, NULL);

  test_remove_tree (dir);
  return all;
}

static void
lists_streams_and_documents_are_the_same (void)
{
  static const char node[] = "{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": \"n\"}, \"status\": {\"allocatable\": {\"cpu\": \"8\", \"memory\": \"32Gi\", \"pods\": \"20\"}}}";
  static const char job[] = "{\"apiVersion\": \"batch.volcano.sh/v1alpha1\", \"kind\": \"Job\", \"metadata\": {\"name\": \"a\", \"labels\": {\"x\": \"1\"}}, \"spec\": {\"minAvailable\": 1, \"tasks\": [{\"name\": \"w\", \"replicas\": 2, "
                            "\"template\": {\"spec\": {\"restartPolicy\": \"Never\", \"containers\": [{\"name\": \"c\", \"image\": \"i\"}]}}}]}}";
  g_autofree char *documents = g_strdup_printf ("%s\n---\n%s\n", node, job), *stream = g_strdup_printf ("%s\n%s\n", node, job);
  g_autofree char *list = g_strdup_printf ("{\"kind\": \"List\", \"apiVersion\": \"v1\", \"items\": [%s,\n%s]}", node, job);
  g_autofree char *yaml = g_strdup ("apiVersion: v1\nkind: Node\nmetadata: {name: n}\nstatus:\n  allocatable:\n    cpu: \"8\"\n    memory: 32Gi\n    pods: \"20\"\n---\napiVersion: batch.volcano.sh/v1alpha1\nkind: Job\n"
                                    "metadata:\n  name: a\n  labels: {x: '1'}\nspec:\n  minAvailable: 1\n  tasks:\n  - name: w\n    replicas: 2\n    template:\n      spec:\n        restartPolicy: Never\n"
                                    "        containers: [{name: c, image: i}]\n");
  g_autofree char *first = written_for (documents, "a.yaml"), *second = written_for (stream, "a.json"), *third = written_for (list, "b.json");

  suite_check (strcmp (first, second) == 0 && strcmp (first, third) == 0, "documents:\n%s\nstream:\n%s\nlist:\n%s", first, second, third);
  g_autofree char *block = written_for (yaml, "c.yaml");
  g_auto (GStrv) part = g_strsplit (first, "\"", -1), other = g_strsplit (block, "\"", -1); /* plain words need no quotes in YAML */
  g_autofree char *bare = g_strjoinv ("", part), *bare_block = g_strjoinv ("", other);

  suite_check (strcmp (bare, bare_block) == 0, "JSON:\n%s\nYAML:\n%s", first, block);
}

/* ---- there and back ------------------------------------------------------------------------------------------------- */

static int
volsim (const char *const *args)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  g_autofree char *complaint = NULL;

  g_ptr_array_add (all, (gpointer) g_getenv ("VOLSIM_BIN"));
  for (guint i = 0; args[i] != NULL; i++)
    g_ptr_array_add (all, (gpointer) args[i]);
  g_ptr_array_add (all, NULL);
  int status = test_run ((char **) all->pdata, NULL, &complaint);

  suite_check (status == 0, "%s: %s", args[0], complaint);
  return status;
}

static void
an_export_that_is_imported_runs_as_before (void)
{
  static const char nodes[] = "node,event,cpu,memory,nvidia.com/gpu,pods,labels,taints,count\n"
                              "g,add,16,64Gi,4,20,zone=a;gpu=A100,nvidia.com/gpu=yes:NoSchedule,2\nc,add,8000m,16Gi,,20,zone=b,,2\n"
                              "out,add,8,16Gi,,20,zone=b,,\nout,cordon,,,,,,,\noff,add,8,16Gi,,20,zone=b,,\noff,notready,,,,,,,\n";
  static const char queues[] = "queue,parent,weight,reclaimable,capability/cpu,deserved/cpu,guarantee/cpu\nroot,,1,,,,\nteams,root,2,,40,,\nblue,teams,3,true,,20,4\nred,teams,1,false,16,8,\n";
  static const char jobs[] = "job,namespace,submit,queue,priority,min_available,preemptable,delete,task,replicas,task_min_available,cpu,memory,nvidia.com/gpu,duration,exit_code,node_selector,tolerations\n"
                             "a,x,0,blue,10,3,true,,w,3,2,2,4Gi,1,100|50|20>70,0|1>0|0,gpu=A100,nvidia.com/gpu=yes:NoSchedule\n"
                             "a,x,0,blue,10,3,true,,m,1,1,500m,1Gi,,30,,,\n"
                             "b,x,5.5,red,-5,4,false,,w,6,,2500m,3Gi,,250,,zone=a|b;gpu!=H100,:\n"
                             "c,y,7,blue,0,1,,60,w,2,1,1,1Gi,2,inf,,gpu=*,nvidia.com/gpu:NoSchedule\n"
                             "d,y,9,default,100,2,,,w,2,,7,12Gi,,40,3,,\n"
                             "e,y,300,red,0,8,,,w,8,,2,2Gi,,15,,,:\n";
  static const char *const same[] = { "jobs.csv", "tasks.csv", "cycles.csv", "queues.csv", "phases.csv", "events.csv", "nodes.csv" };
  g_autofree char *dir = test_make_dir (), *folder = g_build_filename (dir, "native", NULL);

  (void) g_mkdir_with_parents (folder, 0700);
  g_free (test_write (folder, "nodes.csv", nodes));
  g_free (test_write (folder, "jobs.csv", jobs));
  g_free (test_write (folder, "queues.csv", queues));
  g_autofree char *s = test_write (folder, "scenario.yaml", "nodes: nodes.csv\njobs: jobs.csv\nqueues: queues.csv\n");
  g_autofree char *made = g_build_filename (dir, "made", NULL), *yaml = g_build_filename (dir, "all.yaml", NULL), *export = g_strdup_printf ("kubernetes=%s", yaml);
  g_autofree char *back = g_build_filename (dir, "back", NULL), *scenario = g_build_filename (back, "scenario.yaml", NULL);
  g_autofree char *first = g_build_filename (dir, "first", NULL), *second = g_build_filename (dir, "second", NULL);
  const char *const transform[] = { "transform", folder, "--out", made, "--export", export, NULL }, *const import[] = { "import", yaml, "-o", back, NULL };
  const char *const run_first[] = { "run", s, "--out", first, "--no-charts", NULL }, *const run_second[] = { "run", scenario, "--out", second, "--no-charts", NULL };

  if (volsim (transform) == 0 && volsim (import) == 0 && volsim (run_first) == 0 && volsim (run_second) == 0)
    for (guint i = 0; i < G_N_ELEMENTS (same); i++) {
      g_autofree char *a = test_find (first, same[i]), *b = test_find (second, same[i]), *one = a != NULL ? test_read (a, NULL, NULL) : NULL, *two = b != NULL ? test_read (b, NULL, NULL) : NULL;

      suite_check (g_strcmp0 (one, two) == 0, "%s differs:\n%s\n%s", same[i], one, two);
    }
  g_autofree char *tasks = test_find (first, "tasks.csv"), *text = test_read (tasks, NULL, NULL);

  suite_check (text != NULL && strstr (text, "Failed") != NULL && strstr (text, "Succeeded") != NULL, "the run is one in which something happens:\n%s", text);
  test_remove_tree (dir);
}

/* Classes and the scheduler's configuration go along as objects. */
static void
settings_of_a_scenario_are_objects (void)
{
  g_autofree char *dir = test_make_dir (), *back = g_build_filename (dir, "back", NULL), *report = NULL;
  g_autoptr (GPtrArray) notes = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;

  g_free (test_write (dir, "a.conf", "actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n"));
  g_free (test_write (dir, "scenario.yaml", "nodes: nodes.csv\nconf: a.conf\nperiod: 5\ngrace: 3\npriority_classes:\n  high: 1000\n  low: -5\n"));
  g_autoptr (GString) made = wl_export_settings (dir, notes, &error);

  if (!suite_check (made != NULL && notes->len == 1 && strstr (notes->pdata[0], "are left out: period, grace") != NULL, "%s", error != NULL ? error->message : "notes"))
    return;
  g_autofree char *path = test_write (dir, "all.yaml", made->str);
  const char *const paths[] = { path };

  suite_check (wl_import_run (wl_import_find ("kubernetes"), paths, 1, NULL, back, &report, &error), "%s", error != NULL ? error->message : "");
  g_autofree char *o = g_build_filename (back, "objects.yaml", NULL), *c = g_build_filename (back, "volcano-scheduler.conf", NULL), *objects = test_read (o, NULL, NULL), *conf = test_read (c, NULL, NULL);

  suite_check (objects != NULL && strstr (objects, "name: \"high\"") != NULL && strstr (objects, "value: 1000") != NULL && strstr (objects, "value: -5") != NULL, "classes: %s", objects);
  suite_check (g_strcmp0 (conf, "actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n") == 0, "configuration: %s", conf);
  g_free (test_write (dir, "scenario.yaml", "priority_classes:\n  high: very\n"));
  g_autoptr (GString) none = wl_export_settings (dir, notes, &error);

  suite_check (none == NULL && strstr (error->message, "scenario.yaml:2:1: priority_classes: ") != NULL, "%s", error != NULL ? error->message : "nothing");
  test_remove_tree (dir);
}

static CU_TestInfo tests[] = {
  { "a dump becomes a run that begins with its state", a_dump_becomes_a_run_that_begins_with_its_state },
  { "manifests become jobs", manifests_become_jobs },
  { "stages of KWOK say how long pods run", stages_of_kwok_say_how_long_pods_run },
  { "what stages leave open is drawn by the seed", what_stages_leave_open_is_drawn_by_the_seed },
  { "a configuration of pfnet is a cluster", a_configuration_of_pfnet_is_a_cluster },
  { "a snapshot of KAI becomes a cluster", a_snapshot_of_kai_becomes_a_cluster },
  { "snapshots come in a zip", snapshots_come_in_a_zip },
  { "traces of SimKube become workloads", traces_of_simkube_become_workloads },
  { "SimKube as MessagePack is the same", simkube_as_messagepack_is_the_same },
  { "options that mean nothing are told", options_that_mean_nothing_are_told },
  { "made-up nodes have the labels of any kubelet", made_up_nodes_have_the_labels_of_any_kubelet },
  { "bad objects are refused with their place or counted", bad_objects_are_refused_with_their_place_or_counted },
  { "lists, streams and documents are the same", lists_streams_and_documents_are_the_same },
  { "an export that is imported runs as before", an_export_that_is_imported_runs_as_before },
  { "settings of a scenario are objects", settings_of_a_scenario_are_objects },
  CU_TEST_INFO_NULL,
};

int
main (void)
{
  return suite_run ("import kubernetes", tests);
}
