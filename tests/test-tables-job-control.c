/* tests/test-tables-job-control.c - parts of the controllers against recorded values: the minimal
 * resources of a PodGroup, every step of the job's state machine and of the queue's. */
#include "sim/controllers/job-state.h"
#include "sim/world/min-resources.h"
#include "sim/controllers/pod-group.h"
#include "sim/controllers/queue-controller.h"
#include "suite.h"
#include <string.h>

#define TASKS_MAX 8

/* ---- minResources ---- */

static gint64
class_value (const char *name)
{
  return strcmp (name, "hi") == 0    ? 1000
         : strcmp (name, "mid") == 0 ? 500
         : strcmp (name, "lo") == 0  ? 10
                                     : 0;
}

static VcQuantity
quantity (const char *text)
{
  VcQuantity q = { 0, 0 };
  g_autoptr (GError) error = NULL;

  suite_check (vc_quantity_parse (text, &q, &error), "'%s' is a quantity", text);
  return q;
}

/* The templates of this table have one container each. @amounts keeps the list. */
static SimGroupTask
read_group_task (SuiteNode *node, GArray *amounts)
{
  SuiteNode *spec = suite_need (node, "spec"), *containers = suite_need (spec, "containers"),
            *value;
  SuiteNode *class = suite_get (spec, "priorityClassName"), *min = suite_get (node, "minAvailable");
  SuiteNode *requests = suite_get (suite_need (suite_at (containers, 0), "resources"), "requests");
  SimGroupTask t = {
    .replicas = (guint32) suite_int (suite_need (node, "replicas")),
    .min_available = min != NULL && !suite_is_null (min) ? suite_int (min) : -1,
    .priority = class != NULL ? class_value (suite_text (class)) : 0,
  };
  const char *name;

  suite_check (suite_count (containers) == 1, "one container");
  for (void *at = NULL; (value = suite_next_pair (requests, &at, &name)) != NULL;) {
    VcAmount a = { name, quantity (suite_text (value)) };

    g_array_append_val (amounts, a);
  }
  t.usage = (VcAmounts){ (const VcAmount *) (void *) amounts->data, amounts->len, TRUE };
  return t;
}

static void
check_amounts (guint i, SuiteNode *want, const GArray *got)
{
  SuiteNode *value;
  const char *name;
  guint n = 0;

  for (void *at = NULL; (value = suite_next_pair (want, &at, &name)) != NULL; n++) {
    VcQuantity q = quantity (suite_text (value));
    const VcAmount *found = NULL;

    for (guint k = 0; k < got->len; k++)
      if (strcmp (g_array_index (got, VcAmount, k).name, name) == 0)
        found = &g_array_index (got, VcAmount, k);
    suite_check (found != NULL && found->q.value == q.value && found->q.milli == q.milli,
                 "row %u: %s, wanted %s", i, name, suite_text (value));
  }
  suite_check (n == got->len, "row %u: %u amounts, wanted %u", i, got->len, n);
}

static void
minimal_resources_are_as_recorded (void)
{
  g_autoptr (SuiteDoc) doc = suite_load ("group-min-resources.json");
  SuiteNode *rows = suite_need (suite_root (doc), "rows"), *row, *node;
  guint i = 0;

  for (void *at = NULL; (row = suite_next (rows, &at)) != NULL; i++) {
    GArray *amounts[TASKS_MAX] = { NULL };
    SimGroupTask tasks[TASKS_MAX];
    g_autoptr (GArray) out = g_array_new (FALSE, FALSE, sizeof (VcAmount));
    g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
    guint n = 0;

    for (void *k = NULL;
         n < TASKS_MAX && (node = suite_next (suite_need (row, "tasks"), &k)) != NULL; n++) {
      amounts[n] = g_array_new (FALSE, FALSE, sizeof (VcAmount));
      tasks[n] = read_group_task (node, amounts[n]);
    }
    sim_min_resources (suite_int (suite_need (row, "minAvailable")), tasks, n, names, out);
    check_amounts (i, suite_need (row, "minResources"), out);
    for (guint k = 0; k < n; k++)
      g_array_unref (amounts[k]);
  }
  suite_check (i >= 50, "rows");
}

/* ---- what a quota counts of a pod ---- */

static VcAmounts
read_amounts (SuiteNode *map, GPtrArray *lists)
{
  GArray *amounts = g_array_new (FALSE, FALSE, sizeof (VcAmount));
  SuiteNode *value;
  const char *name;

  g_ptr_array_add (lists, amounts);
  for (void *at = NULL; (value = suite_next_pair (map, &at, &name)) != NULL;) {
    VcAmount a = { name, quantity (suite_text (value)) };

    g_array_append_val (amounts, a);
  }
  return (VcAmounts){ (const VcAmount *) (void *) amounts->data, amounts->len, map != NULL };
}

static void
read_containers (SuiteNode *list, gboolean init, VcPodSpec *spec, VcContainer *out,
                 GPtrArray *lists)
{
  SuiteNode *node;

  for (void *at = NULL;
       spec->n_containers < TASKS_MAX && (node = suite_next (list, &at)) != NULL;) {
    SuiteNode *restart = suite_get (node, "restartPolicy");
    VcContainer *c = &out[spec->n_containers++];

    *c = (VcContainer){ .init = init, .sidecar = restart != NULL };
    c->request = read_amounts (suite_get (suite_need (node, "resources"), "requests"), lists);
  }
}

/* Keys that begin with "limits." are for quotas alone; no PodGroup is judged by them. */
static void
quotas_count_what_is_recorded (void)
{
  g_autoptr (SuiteDoc) doc = suite_load ("pod-quota-usage.json");
  SuiteNode *rows = suite_need (suite_root (doc), "rows"), *row, *value;
  const char *name;
  guint i = 0;

  for (void *at = NULL; (row = suite_next (rows, &at)) != NULL; i++) {
    g_autoptr (GPtrArray) lists = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
    SuiteNode *node = suite_need (row, "spec"), *level = suite_get (node, "resources"), *want;
    VcContainer container[TASKS_MAX];
    VcPodSpec spec = { .container = container,
                       .overhead = read_amounts (suite_get (node, "overhead"), lists) };
    g_autoptr (GArray) usage = g_array_new (FALSE, FALSE, sizeof (VcAmount));

    if (level != NULL)
      spec.pod_level = read_amounts (suite_get (level, "requests"), lists);
    read_containers (suite_get (node, "initContainers"), TRUE, &spec, container, lists);
    read_containers (suite_get (node, "containers"), FALSE, &spec, container, lists);
    sim_quota_requests (&spec, usage);
    void *times_at = NULL;
    while ((want = suite_next_pair (suite_need (row, "times"), &times_at, &name)) != NULL) {
      guint n = (guint) g_ascii_strtoull (name, NULL, 10), kept = 0;
      const SimGroupTask task
          = { n, n, 0, { (const VcAmount *) (void *) usage->data, usage->len, TRUE } };
      g_autoptr (GPtrArray) made = g_ptr_array_new_with_free_func (g_free);
      g_autoptr (GArray) got = g_array_new (FALSE, FALSE, sizeof (VcAmount));

      sim_min_resources (n, &task, 1, made, got);
      void *want_at = NULL;
      while ((value = suite_next_pair (want, &want_at, &name)) != NULL) {
        gboolean found = FALSE;

        if (g_str_has_prefix (name, "limits."))
          continue;
        kept++;
        for (guint k = 0; k < got->len; k++) {
          const VcAmount *a = &g_array_index (got, VcAmount, k);

          if (strcmp (a->name, name) == 0)
            found = a->q.milli == quantity (suite_text (value)).milli;
        }
        suite_check (found, "row %u, %u pods: %s", i, n, name);
      }
      suite_check (kept == got->len, "row %u, %u pods: %u amounts", i, n, got->len);
    }
  }
  suite_check (i >= 10, "rows");
}

/* ---- the state machine ---- */

typedef struct {
  SimJobRules rules;
  gint64 task_min[TASKS_MAX], task_succeeded[TASKS_MAX];
} Spec;

static gint64
optional (SuiteNode *map, const char *key)
{
  SuiteNode *v = suite_get (map, key);

  return v != NULL && !suite_is_null (v) ? suite_int (v) : -1;
}

static void
read_spec (SuiteNode *node, SuiteNode *per_task, Spec *s)
{
  SuiteNode *tasks = suite_need (node, "tasks"), *task;
  gboolean given = per_task != NULL && !suite_is_null (per_task);

  memset (s, 0, sizeof *s);
  s->rules.min_available = suite_int (suite_need (node, "minAvailable"));
  s->rules.max_retry = (guint32) suite_int (suite_need (node, "maxRetry"));
  s->rules.min_success = optional (node, "minSuccess");
  s->rules.task_min = s->task_min;
  s->rules.task_succeeded = given ? s->task_succeeded : NULL;
  for (void *at = NULL; s->rules.n_tasks < TASKS_MAX && (task = suite_next (tasks, &at)) != NULL;
       s->rules.n_tasks++) {
    SuiteNode *counts = given ? suite_get (per_task, suite_text (suite_need (task, "name"))) : NULL;

    s->rules.replicas += (guint64) suite_int (suite_need (task, "replicas"));
    s->task_min[s->rules.n_tasks] = optional (task, "minAvailable");
    s->task_succeeded[s->rules.n_tasks]
        = counts != NULL ? MAX (optional (counts, "Succeeded"), 0) : -1;
  }
}

static guint
index_of (const char *const *names, guint n, const char *text)
{
  for (guint i = 0; i < n; i++)
    if (strcmp (names[i], text) == 0)
      return i;
  g_error ("'%s' is not known", text);
}

static const char *
call_name (SimJobCall call)
{
  return call == SIM_CALL_SYNC ? "sync" : call == SIM_CALL_KILL ? "kill" : "kill-target";
}

static void
check_step (guint i, SuiteNode *row, const Spec *s)
{
  SuiteNode *n = suite_at (row, 3);
  SimJobPhase phase = (SimJobPhase) index_of (sim_job_phase_names, SIM_N_JOB_PHASES,
                                              suite_text (suite_at (row, 1)));
  SimJobAction action = (SimJobAction) index_of (sim_job_action_names, SIM_N_ACTIONS,
                                                 suite_text (suite_at (row, 2)));
  const SimJobCounts counts = {
    .pending = (guint32) suite_int (suite_at (n, 0)),
    .running = (guint32) suite_int (suite_at (n, 1)),
    .succeeded = (guint32) suite_int (suite_at (n, 2)),
    .failed = (guint32) suite_int (suite_at (n, 3)),
    .terminating = (guint32) suite_int (suite_at (n, 4)),
  };
  guint32 retry = (guint32) suite_int (suite_at (row, 4));
  SimJobPlan plan = sim_job_state_plan (phase, action);
  gboolean ruled = !suite_is_null (suite_at (row, 8));
  gboolean changed = sim_job_state_update (action, &s->rules, &counts, &phase, &retry);

  suite_check (strcmp (call_name (plan.call), suite_text (suite_at (row, 6))) == 0, "row %u: %s", i,
               call_name (plan.call));
  if (plan.call != SIM_CALL_SYNC)
    suite_check (plan.keep_finished == (suite_count (suite_at (row, 7)) == 2),
                 "row %u: which pods stay", i);
  suite_check (plan.has_rule == ruled, "row %u: a rule", i);
  if (ruled)
    suite_check (changed == suite_bool (suite_at (row, 8)), "row %u: a change", i);
  suite_check (strcmp (sim_job_phase_names[phase], suite_text (suite_at (row, 9))) == 0,
               "row %u: %s, wanted %s", i, sim_job_phase_names[phase],
               suite_text (suite_at (row, 9)));
  suite_check (retry == (guint32) suite_int (suite_at (row, 10)), "row %u: retry count %u", i,
               retry);
}

static void
every_step_of_the_state_machine_is_as_recorded (void)
{
  g_autoptr (SuiteDoc) doc = suite_load ("job-state.json");
  SuiteNode *specs = suite_need (suite_root (doc), "specs"),
            *rows = suite_need (suite_root (doc), "rows"), *row;
  guint i = 0;

  for (void *at = NULL; (row = suite_next (rows, &at)) != NULL; i++) {
    Spec spec;

    read_spec (suite_at (specs, (guint) suite_int (suite_at (row, 0))), suite_at (row, 5), &spec);
    check_step (i, row, &spec);
  }
  suite_check (i >= 3600, "rows");
}

static void
every_step_of_a_queue_is_as_recorded (void)
{
  static const char *const calls[] = { "sync", "open", "close" };
  g_autoptr (SuiteDoc) doc = suite_load ("queue-state.json");
  SuiteNode *rows = suite_need (suite_root (doc), "rows"), *row;
  guint i = 0;

  for (void *at = NULL; (row = suite_next (rows, &at)) != NULL; i++) {
    const char *state = suite_text (suite_at (row, 0)), *after = NULL;
    SimQueueAction action = (SimQueueAction) index_of (sim_queue_action_names, SIM_N_QUEUE_ACTIONS,
                                                       suite_text (suite_at (row, 1)));
    guint32 n_groups = (guint32) suite_int (suite_at (row, 2));
    SimQueueCall call = sim_queue_state_plan (state, action, n_groups, &after);

    suite_check (strcmp (calls[call], suite_text (suite_at (row, 3))) == 0, "row %u: %s", i,
                 calls[call]);
    suite_check (strcmp (after, suite_text (suite_at (row, 4))) == 0, "row %u: %s, wanted %s", i,
                 after, suite_text (suite_at (row, 4)));
  }
  suite_check (i == 30, "rows");
}

/* ---- PodGroups of pods that name none ---- */

static VcPairs
read_pairs (SuiteNode *map, GPtrArray *lists)
{
  GArray *pairs = g_array_new (FALSE, FALSE, sizeof (VcPair));
  SuiteNode *value;
  const char *key;

  g_ptr_array_add (lists, pairs);
  if (map != NULL && !suite_is_null (map))
    for (void *at = NULL; (value = suite_next_pair (map, &at, &key)) != NULL;) {
      VcPair pair = { key, suite_text (value) };

      g_array_append_val (pairs, pair); /* keys ascend in the table */
    }
  return (VcPairs){ (const VcPair *) (void *) pairs->data, pairs->len };
}

static void
check_pairs (guint i, const char *what, SuiteNode *want, const GArray *got)
{
  SuiteNode *value;
  const char *key;
  guint n = 0;

  for (void *at = NULL; (value = suite_next_pair (want, &at, &key)) != NULL; n++) {
    const VcPair *p = n < got->len ? &g_array_index (got, VcPair, n) : NULL;

    suite_check (p != NULL && strcmp (p->key, key) == 0 && strcmp (p->value, suite_text (value)) == 0,
                 "row %u: %s %s", i, what, key);
  }
  suite_check (n == got->len, "row %u: %u %s, wanted %u", i, got->len, what, n);
}

static void
check_group_spec (guint i, SuiteNode *want, const SimPodGroup *got)
{
  SuiteNode *min = suite_get (want, "minMember"), *queue = suite_get (want, "queue"),
            *class = suite_get (want, "priorityClassName"),
            *topology = suite_get (want, "networkTopology");

  suite_check (got->min_member == (min != NULL ? suite_int (min) : 0), "row %u: minMember %d", i,
               got->min_member);
  suite_check (g_strcmp0 (got->queue, queue != NULL ? suite_text (queue) : NULL) == 0,
               "row %u: queue %s", i, got->queue);
  suite_check (g_strcmp0 (got->priority_class, class != NULL ? suite_text (class) : NULL) == 0,
               "row %u: class %s", i, got->priority_class);
  check_amounts (i, suite_need (want, "minResources"), got->min_resources);
  suite_check ((got->topology.mode != VC_TOPOLOGY_NONE) == (topology != NULL), "row %u: topology", i);
  if (topology == NULL)
    return;
  SuiteNode *tier = suite_get (topology, "highestTierAllowed");

  suite_check (strcmp (got->topology.mode == VC_TOPOLOGY_SOFT ? "soft" : "hard", suite_text (suite_need (topology, "mode"))) == 0,
               "row %u: mode", i);
  suite_check (got->topology.has_tier == (tier != NULL) && (tier == NULL || got->topology.tier == suite_int (tier)),
               "row %u: tier", i);
}

/* The row's owners; the annotations belong to the ReplicaSet among them. */
static guint
read_owners (SuiteNode *row, VcPairs annotations, SimPodOwner *owner)
{
  SuiteNode *item;
  guint n = 0;

  for (void *at = NULL;
       n < TASKS_MAX && (item = suite_next (suite_need (row, "owners"), &at)) != NULL; n++) {
    owner[n] = (SimPodOwner){ .kind = suite_text (suite_need (item, "kind")),
                              .uid = suite_text (suite_need (item, "uid")),
                              .controller = suite_bool (suite_need (item, "controller")) };
    if (strcmp (owner[n].kind, "ReplicaSet") == 0)
      owner[n].annotations = annotations;
  }
  return n;
}

static void
a_pod_gets_the_recorded_group (void)
{
  g_autoptr (SuiteDoc) doc = suite_load ("podgroup-of-pod.json");
  SuiteNode *rows = suite_need (suite_root (doc), "rows"), *row;
  VcAmount request[] = { { "cpu", quantity ("1") }, { "memory", quantity ("1Gi") } };
  const VcContainer container = { .request = { request, 2, TRUE } };
  guint i = 0;

  for (void *at = NULL; (row = suite_next (rows, &at)) != NULL; i++) {
    g_autoptr (GPtrArray) lists = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
    g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
    g_autoptr (GString) name = g_string_new (NULL);
    const char *class = suite_text (suite_need (row, "priority_class"));
    SuiteNode *by = suite_need (row, "owned_by");
    SimPodOwner owner[TASKS_MAX];
    g_auto (SimPodGroup) g = { 0 };
    guint n = read_owners (row, read_pairs (suite_get (row, "owner_annotations"), lists), owner);
    const VcPodObject pod = {
      .uid = "u-p1",
      .annotations = read_pairs (suite_get (row, "pod_annotations"), lists),
      .labels = read_pairs (suite_get (row, "pod_labels"), lists),
      .spec = { .container = &container, .n_containers = 1, .priority_class = *class != '\0' ? class : NULL },
    };

    sim_pod_group_name (name, &pod, owner, n);
    sim_pod_group_build (&pod, owner, n, suite_bool (suite_need (row, "inherit")), names, &g);
    suite_check (strcmp (name->str, suite_text (suite_need (row, "name"))) == 0, "row %u: name %s", i,
                 name->str);
    check_group_spec (i, suite_need (row, "spec"), &g);
    check_pairs (i, "annotations", suite_need (row, "annotations"), g.annotations);
    check_pairs (i, "labels", suite_need (row, "labels"), g.labels);
    if (sim_pod_controller (owner, n) == NULL) {
      suite_check (suite_count (by) == 1 && strcmp (suite_text (suite_at (by, 0)), "Pod/u-p1") == 0,
                   "row %u: owned by the pod", i);
    } else {
      suite_check (suite_count (by) == n, "row %u: as many owners as the pod has", i);
      for (guint k = 0; k < n; k++) {
        g_autofree char *text = g_strdup_printf ("%s/%s", owner[k].kind, owner[k].uid);

        suite_check (strcmp (text, suite_text (suite_at (by, k))) == 0, "row %u: owner %s", i, text);
      }
    }
    suite_check (strcmp (g.phase, suite_text (suite_need (row, "phase"))) == 0, "row %u: phase", i);
  }
  suite_check (i == 17, "rows");
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "minimal resources are as recorded", minimal_resources_are_as_recorded },
    { "quotas count what is recorded", quotas_count_what_is_recorded },
    { "every step of the state machine is as recorded",
      every_step_of_the_state_machine_is_as_recorded },
    { "a pod gets the recorded group", a_pod_gets_the_recorded_group },
    { "every step of a queue is as recorded", every_step_of_a_queue_is_as_recorded },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("tables-job-control", tests);
}
