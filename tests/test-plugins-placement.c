/* tests/test-plugins-placement.c - the plugins that say where tasks of a queue or job belong: nodegroup, resource-strategy-fit,
 * task-topology. Worked by hand; recorded answers are in test-tables-calls and test-conformance. */
#include "plugin-world.h"

static VcNames
names (const char *const *item)
{
  guint n = 0;

  while (item[n] != NULL)
    n++;
  return (VcNames){ item, n };
}
#define NAMES(...) names ((const char *const[]){ __VA_ARGS__, NULL })

static guint32
add_labelled_node (World *w, const char *name, const char *group, Have has)
{
  const VcPair label = { "volcano.sh/nodegroup-name", group };
  const VcNodeObject more = { .labels = { &label, group != NULL } };

  return add_node (w, name, has, &more);
}

static guint32
add_ruled_queue (World *w, const char *name, const char *parent, const VcNodeGroups *groups, const char *limits)
{
  const VcPair annotation = { "volcano.sh/nodegroup-resource-limits", limits };
  VcQueueObject o = { .name = name, .parent = parent, .state = "Open", .created = VC_NO_TIME, .weight = 1, .reclaimable = -1 };

  if (groups != NULL)
    o.groups = *groups;
  if (limits != NULL)
    o.annotations = (VcPairs){ &annotation, 1 };
  return vc_cache_add_queue (w->cache, &o);
}

static gboolean
fits (VcSession *ssn, guint32 task, guint32 node, const char **reason)
{
  VcFitError e = { 0 };
  gboolean ok = vc_session_predicate (ssn, task, node, &e);

  suite_check (ok == (e.n == 0), "a reason exactly when it does not fit");
  suite_check (ok || e.item[0].code == VC_UNRESOLVABLE, "no eviction helps");
  *reason = ok ? "" : e.item[0].reason;
  return ok;
}

/* ---- nodegroup ------------------------------------------------------------------------------ */

enum { A, B, C, D, BARE };

static void
look_at_rules (VcSession *ssn, gpointer user)
{
  static const double want[] = { 100, 150, -1, 0, 0 };
  static const char *const refusal[] = { "", "", "", "node does not satisfy the node group affinity", "node group label not found" };
  Look *l = user;
  const char *reason;

  for (guint n = A; n <= BARE; n++) {
    suite_check (near (score_of (ssn, l->task[0], l->node[n]), want[n]), "score of node %u", n);
    fits (ssn, l->task[0], l->node[n], &reason);
    suite_check (strcmp (reason, refusal[n]) == 0, "node %u: '%s'", n, reason);
    fits (ssn, l->task[1], l->node[n], &reason); /* a queue without rules */
    suite_check (strcmp (reason, n == BARE ? "node group label not found" : "node group affinity not specified") == 0, "node %u: '%s'", n, reason);
    suite_check (score_of (ssn, l->task[1], l->node[n]) == 0, "no rules, no score");
  }
}

static void
add_lettered_nodes (World *w, Look *l)
{
  static const char *const group[] = { "a", "b", "c", "d", NULL };

  for (guint n = A; n <= BARE; n++) {
    g_autofree char *name = g_strdup_printf ("n%u", n);
    l->node[n] = add_labelled_node (w, name, group[n], HAVE (8000, 16 * GI, 20));
  }
}

static void
queues_keep_to_their_groups (void)
{
  g_auto (World) w = { 0 };
  Look l = { 0 };
  const VcNodeGroups rules = { TRUE, NAMES ("a", "b"), NAMES ("b"), NAMES ("c", "d"), NAMES ("c") };

  world_init (&w);
  add_lettered_nodes (&w, &l);
  add_ruled_queue (&w, "ruled", NULL, &rules, NULL);
  add_ruled_queue (&w, "free", NULL, NULL, NULL);
  add_group (&w, "j", "ruled", 1, "Inqueue", NULL);
  add_group (&w, "k", "free", 1, "Inqueue", NULL);
  l.task[0] = add_pod (&w, "j", "j-0", HAVE (1000, GI), NULL, NULL);
  l.task[1] = add_pod (&w, "k", "k-0", HAVE (1000, GI), NULL, NULL);
  look_at (&w, &l, TIERS "  - name: nodegroup\n", look_at_rules);
}

static void
look_at_exclusion (VcSession *ssn, gpointer user)
{
  Look *l = user;
  const char *reason;

  suite_check (!fits (ssn, l->task[0], l->node[D], &reason), "anti-required excludes what is required");
  suite_check (score_of (ssn, l->task[0], l->node[D]) == 100, "its score stays");
  suite_check (fits (ssn, l->task[1], l->node[BARE], &reason), "not strict: no rules, no label");
  suite_check (!fits (ssn, l->task[0], l->node[BARE], &reason), "not strict: rules need a label");
  suite_check (!fits (ssn, l->task[1], l->node[A], &reason), "not strict: a label needs rules");
  /* three distinct names; c is listed twice and has its last place, 3 */
  suite_check (near (score_of (ssn, l->task[2], l->node[A]), 50.0), "first of three");
  suite_check (near (score_of (ssn, l->task[2], l->node[B]), 100 / 3.0), "second of three");
  suite_check (near (score_of (ssn, l->task[2], l->node[C]), 0), "a repeated name counts in its last place");
}

static void
exclusion_wins_and_order_counts (void)
{
  g_auto (World) w = { 0 };
  Look l = { 0 };
  const VcNodeGroups excluded = { .given = TRUE, .required = NAMES ("d"), .anti_required = NAMES ("d") };
  const VcNodeGroups empty = { .given = TRUE }, ordered = { .given = TRUE, .preferred = NAMES ("a", "b", "c", "c") };

  world_init (&w);
  add_lettered_nodes (&w, &l);
  add_ruled_queue (&w, "q0", NULL, &excluded, NULL);
  add_ruled_queue (&w, "q1", NULL, &empty, NULL);
  add_ruled_queue (&w, "q2", NULL, &ordered, NULL);
  for (guint i = 0; i < 3; i++) {
    g_autofree char *queue = g_strdup_printf ("q%u", i), *job = g_strdup_printf ("j%u", i), *pod = g_strdup_printf ("p%u", i);
    add_group (&w, job, queue, 1, "Inqueue", NULL);
    l.task[i] = add_pod (&w, job, pod, HAVE (1000, GI), NULL, NULL);
  }
  look_at (&w, &l, TIERS "  - name: nodegroup\n    arguments: {strict: false, enablePreferredOrder: true}\n", look_at_exclusion);
}

static void
look_at_inheritance (VcSession *ssn, gpointer user)
{
  static const double want[] = { 100, 100, 0, 0, 0 }; /* on group a */
  Look *l = user;

  for (guint i = 0; i < G_N_ELEMENTS (want); i++)
    suite_check (score_of (ssn, l->task[i], l->node[A]) == want[i], "queue %u", i);
}

/* 0 has rules; 1 below it, by way of 5, inherits; 2 has empty rules of its own; 3 and 4 are each other's parent. */
static void
rules_are_inherited_from_the_nearest_ancestor (void)
{
  g_auto (World) w = { 0 };
  Look l = { 0 };
  const VcNodeGroups rules = { .given = TRUE, .required = NAMES ("a") }, empty = { .given = TRUE };

  world_init (&w);
  add_lettered_nodes (&w, &l);
  add_ruled_queue (&w, "root", NULL, NULL, NULL);
  add_ruled_queue (&w, "q0", "root", &rules, NULL);
  add_ruled_queue (&w, "q5", "q0", NULL, NULL);
  add_ruled_queue (&w, "q1", "q5", NULL, NULL);
  add_ruled_queue (&w, "q2", "q0", &empty, NULL);
  add_ruled_queue (&w, "q3", "q4", NULL, NULL);
  add_ruled_queue (&w, "q4", "q3", NULL, NULL);
  for (guint i = 0; i < 5; i++) {
    g_autofree char *queue = g_strdup_printf ("q%u", i), *job = g_strdup_printf ("j%u", i), *pod = g_strdup_printf ("p%u", i);
    add_group (&w, job, queue, 1, "Inqueue", NULL);
    l.task[i] = add_pod (&w, job, pod, HAVE (1000, GI), NULL, NULL);
  }
  look_at (&w, &l, TIERS "  - name: nodegroup\n    enableHierarchy: true\n", look_at_inheritance);
}

static void
look_at_limits (VcSession *ssn, gpointer user)
{
  Look *l = user;
  const char *reason;

  fits (ssn, l->task[0], l->node[A], &reason);
  g_string_append_printf (l->w->log, "<%s>", reason);
}

/* 2 cpu of the queue run in group a; a task of 2 cpu comes. */
static void
limits_cap_a_queue_in_a_group (void)
{
  static const struct {
    const char *limits, *reason;
  } cases[] = {
    { "{\"a\":{\"cpu\":\"4\"}}", "" },
    { "{\"a\":{\"cpu\":\"3900m\"}}", "node group resource limit exceeded" },
    { "{\"a\":{\"cpu\":3}}", "node group resource limit exceeded" },
    { "{\"b\":{\"cpu\":\"1\"}}", "" },
    { "{\"a\":{\"memory\":\"1Gi\"}}", "node group resource limit exceeded" },
    { "{\"a\":{\"cpu\":\"1\"},\"a\":{\"cpu\":\"8\"}}", "" },
    { "{\"a\":{\"cpu\":\"8\",\"cpu\":\"1\"}}", "node group resource limit exceeded" },
    { "{\"a\":{\"nobody.example/has\":\"0\"}}", "" },
    { "{\"a\":{\"nobody.example/has\":\"-1\"}}", "node group resource limit exceeded" },
    { "{\"a\":null}", "" },
    { "{\"a\":{\"pods\":\"1\"}}", "node group resource limit exceeded" },
    { "null", "" },
    { "", "" },
    { "{oops", "node group resource limit annotation invalid" },
    { "{\"a\":{\"cpu\":\"4\"}} x", "node group resource limit annotation invalid" },
    { "{\"a\":{\"cpu\":\"many\"}}", "node group resource limit annotation invalid" },
    { "{\"a\":{\"cpu\":true}}", "node group resource limit annotation invalid" },
    { "{\"a\":4}", "node group resource limit annotation invalid" },
    { "[]", "node group resource limit annotation invalid" },
  };
  const VcNodeGroups rules = { .given = TRUE, .required = NAMES ("a") };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (World) w = { 0 };
    Look l = { 0 };
    g_autofree char *want = g_strdup_printf ("<%s>", cases[i].reason);

    world_init (&w);
    add_lettered_nodes (&w, &l);
    add_ruled_queue (&w, "q", NULL, &rules, cases[i].limits);
    add_group (&w, "j", "q", 1, "Running", NULL);
    add_pod (&w, "j", "j-0", HAVE (2000, GI), "n0", NULL);
    l.task[0] = add_pod (&w, "j", "j-1", HAVE (2000, GI), NULL, NULL);
    look_at (&w, &l, TIERS "  - name: nodegroup\n", look_at_limits);
    suite_check (strcmp (w.log->str, want) == 0, "%s: %s, wanted %s", cases[i].limits, w.log->str, want);
  }
}

/* What a plugin keeps from session to session follows its objects. */
static void
changes_of_queues_and_nodes_are_seen (void)
{
  g_auto (World) w = { 0 };
  Look l = { 0 };
  const VcNodeGroups a = { .given = TRUE, .required = NAMES ("a") }, z = { .given = TRUE, .required = NAMES ("z") };

  world_init (&w);
  add_lettered_nodes (&w, &l);
  add_ruled_queue (&w, "q", NULL, &a, "{\"a\":{\"cpu\":\"1\"}}");
  add_group (&w, "j", "q", 1, "Inqueue", NULL);
  l.task[0] = add_pod (&w, "j", "j-0", HAVE (2000, GI), NULL, NULL);
  look_at (&w, &l, TIERS "  - name: nodegroup\n", look_at_limits);
  add_ruled_queue (&w, "q", NULL, &a, NULL);
  vc_engine_with_session (w.engine, 0, look_at_limits, &l);
  add_ruled_queue (&w, "q", NULL, &z, NULL);
  vc_engine_with_session (w.engine, 0, look_at_limits, &l);
  add_labelled_node (&w, "n0", "z", HAVE (8000, 16 * GI, 20));
  vc_engine_with_session (w.engine, 0, look_at_limits, &l);
  suite_check (strcmp (w.log->str, "<node group resource limit exceeded><><node does not satisfy the node group affinity><>") == 0, "%s", w.log->str);
}

/* ---- resource-strategy-fit ------------------------------------------------------------------ */

static guint32
add_annotated_pod (World *w, const char *job, const char *name, Have request, const char *weights, const char *type)
{
  const VcPair annotation[] = { { "scheduling.k8s.io/group-name", job },
                                { "volcano.sh/resource-strategy-scoring-type", type },
                                { "volcano.sh/resource-strategy-weight", weights } };
  const VcPodObject more = { .annotations = { annotation, 3 } };

  return add_pod (w, job, name, request, NULL, &more);
}

/* A node of 4 gpu, 8 cpu, 16 Gi with 1 gpu, 2 cpu, 4 Gi used. */
static void
rsf_world (World *w, Look *l)
{
  world_init (w);
  l->node[0] = add_node (w, "n0", HAVE (8000, 16 * GI, 20, 4), NULL);
  l->node[1] = add_node (w, "n1", HAVE (8000, 16 * GI, 20), NULL);
  add_queue (w, "q", 1, NONE, NONE);
  add_group (w, "j", "q", 1, "Running", NULL);
  add_pod (w, "j", "j-0", HAVE (2000, 4 * GI, 0, 1), "n0", NULL);
  l->task[0] = add_pod (w, "j", "j-1", HAVE (2000, 4 * GI, 0, 1), NULL, NULL);
}

typedef struct {
  const char *arguments;
  double score[2];
} Strategy;

static void
look_at_strategy (VcSession *ssn, gpointer user)
{
  Look *l = user;

  for (guint n = 0; n < 2; n++)
    g_string_append_printf (l->w->log, "%.6f ", score_of (ssn, l->task[0], l->node[n]));
}

static void
strategies_score_by_resource (void)
{
  static const Strategy cases[] = {
    /* the head comment's: (2/4 * 2 + 4/8) / 3 * 1000; a node without gpu: (6/8) / 3 */
    { "{resources: {nvidia.com/gpu: {type: MostAllocated, weight: 2}, cpu: {type: LeastAllocated, weight: 1}}}", { 500, 250 } },
    { "{}", { 500, 750 } }, /* cpu and memory, LeastAllocated */
    { "{resources: {}}", { 500, 750 } },
    { "{resourceStrategyFitWeight: -3}", { 500, 750 } },
    { "{resourceStrategyFitWeight: 2.9}", { 100, 150 } },
    { "{resourceStrategyFitWeight: 0}", { 0, 0 } },
    { "{resourceStrategyFitWeight: null}", { 0, 0 } },
    { "{resources: {cpu: {type: Weird, weight: -2}}}", { 500, 750 } },
    { "{resources: {cpu: null}}", { 500, 750 } },
    { "{resources: {\"c*\": {type: MostAllocated}, \"cp*\": {type: LeastAllocated}, cpu: {Type: MostAllocated}}}", { 500, 250 } },
    { "{resources: {\"c*\": {type: MostAllocated}, \"cp*\": {type: LeastAllocated}}}", { 500, 750 } },
    { "{resources: {\"*\": {type: MostAllocated}, \"*cpu\": {type: MostAllocated}, \"c*u\": {type: MostAllocated}}}", { 0, 0 } },
    /* sra: the node with the gpu loses its weight 2 of 3; one without it cannot take the task */
    { "{resourceStrategyFitWeight: 0, sra: {enable: true, weight: 3, resources: \"nvidia.com/gpu, example.com/foo\", resourceWeight: {nvidia.com/gpu: 2}}}",
      { 100, 0 } },
    { "{resourceStrategyFitWeight: 0, sra: {enable: true, weight: 0, resources: nvidia.com/gpu}}", { 0, 0 } },
    { "{resourceStrategyFitWeight: 0, sra: {enable: false, weight: 3, resources: nvidia.com/gpu}}", { 0, 0 } },
    /* a name that is listed twice counts twice below the line */
    { "{resourceStrategyFitWeight: 0, sra: {enable: true, weight: 1, resources: \"nvidia.com/gpu,nvidia.com/gpu\"}}", { 50, 0 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (World) w = { 0 };
    Look l = { 0 };
    g_autofree char *conf = g_strconcat (TIERS "  - name: resource-strategy-fit\n    arguments: ", cases[i].arguments, "\n", NULL);
    g_autofree char *want = g_strdup_printf ("%.6f %.6f ", cases[i].score[0], cases[i].score[1]);

    rsf_world (&w, &l);
    look_at (&w, &l, conf, look_at_strategy);
    suite_check (strcmp (w.log->str, want) == 0, "%s: %s, wanted %s", cases[i].arguments, w.log->str, want);
  }
}

static void
arguments_that_end_volcano_are_refused (void)
{
  static const char *const bad[] = { "{resourceStrategyFitWeight: \"5\"}", "{resourceStrategyFitWeight: true}", "{resources: [cpu]}", "{resources: {cpu: 1}}",
                                     "{resources: {cpu: {type: 1}}}", "{resources: {cpu: {weight: \"1\"}}}", "{sra: 1}", "{sra: {enable: \"true\"}}",
                                     "{sra: {resources: [cpu]}}", "{sra: {resourceWeight: {cpu: x}}}", "{proportional: {resourceProportion: {a.cpu: x}}}",
                                     "{proportional: {enable: 1}}" };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_auto (World) w = { 0 };
    Look l = { 0 };
    g_autofree char *text = g_strconcat (TIERS "  - name: resource-strategy-fit\n    arguments: ", bad[i], "\n", NULL);
    g_autoptr (GError) error = NULL;
    VcConf *conf = vc_conf_parse (text, strlen (text), "conf", vc_catalog (), FALSE, NULL, &error);
    VcEngineOptions options;

    rsf_world (&w, &l);
    vc_engine_options_init (&options);
    if (conf != NULL)
      w.engine = vc_engine_new (w.cache, conf, FALSE, &options, &error);
    suite_check (w.engine == NULL && error != NULL && strstr (error->message, "expected") != NULL, "%s: %s", bad[i],
                 error != NULL ? error->message : "taken");
  }
}

static void
look_at_own_strategies (VcSession *ssn, gpointer user)
{
  static const double want[] = { 500, 500, 0, 0, 500, 0 };
  Look *l = user;

  for (guint i = 0; i < G_N_ELEMENTS (want); i++)
    suite_check (near (score_of (ssn, l->task[i], l->node[0]), want[i]), "pod %u: %g", i, score_of (ssn, l->task[i], l->node[0]));
}

static void
pods_bring_their_own_strategy (void)
{
  g_auto (World) w = { 0 };
  Look l = { 0 };
  const Have request = HAVE (2000, 4 * GI, 0, 1);

  rsf_world (&w, &l);
  l.task[0] = add_annotated_pod (&w, "j", "p0", request, "{\"nvidia.com/gpu\":2,\"nobody.example/has\":9}", "MostAllocated");
  l.task[1] = add_annotated_pod (&w, "j", "p1", request, "{\"cpu\":1,\"memory\":1}", "LeastAllocated");
  l.task[2] = add_annotated_pod (&w, "j", "p2", request, "{\"cpu\":1.5}", "LeastAllocated");
  l.task[3] = add_annotated_pod (&w, "j", "p3", request, "{\"cpu\":1}", "Weird");
  l.task[4] = add_annotated_pod (&w, "j", "p4", request, "{bad", ""); /* no type: the configuration's */
  l.task[5] = add_annotated_pod (&w, "j", "p5", request, "", "MostAllocated");
  suite_check (w.c->task[l.task[0]].shape != w.c->task[l.task[1]].shape, "what scores in another way is of another shape");
  suite_check (w.c->task[l.task[4]].shape == w.c->task[1].shape, "an empty type changes nothing");
  look_at (&w, &l, TIERS "  - name: resource-strategy-fit\n", look_at_own_strategies);
}

static void
look_at_room (VcSession *ssn, gpointer user)
{
  Look *l = user;
  const char *reason;

  suite_check (fits (ssn, l->task[0], l->node[0], &reason), "leaves 1 cpu for each of 3 gpus");
  suite_check (!fits (ssn, l->task[1], l->node[0], &reason), "leaves less");
  suite_check (strcmp (reason, "proportional of resource nvidia.com/gpu check failed") == 0, "%s", reason);
  suite_check (fits (ssn, l->task[2], l->node[0], &reason), "asks for a gpu itself");
  suite_check (fits (ssn, l->task[1], l->node[1], &reason), "a node without gpus");
}

static void
idle_gpus_keep_their_share (void)
{
  g_auto (World) w = { 0 };
  Look l = { 0 };

  rsf_world (&w, &l); /* idle: 6 cpu, 12 Gi, 3 gpu */
  l.task[0] = add_pod (&w, "j", "p0", HAVE (3000, GI), NULL, NULL);
  l.task[1] = add_pod (&w, "j", "p1", HAVE (3001, GI), NULL, NULL);
  l.task[2] = add_pod (&w, "j", "p2", HAVE (6000, GI, 0, 1), NULL, NULL);
  look_at (&w, &l, TIERS "  - name: resource-strategy-fit\n    arguments: {proportional: {enable: true, resources: nvidia.com/gpu}}\n", look_at_room);
}

/* ---- task-topology -------------------------------------------------------------------------- */

static guint32
add_role_pod (World *w, const char *job, const char *role, guint i)
{
  const VcPair annotation[] = { { "scheduling.k8s.io/group-name", job }, { "volcano.sh/task-spec", role } };
  const VcPodObject more = { .annotations = { annotation, 2 } };
  g_autofree char *name = g_strdup_printf ("%s-%s-%u", job, role, i);

  return add_pod (w, job, name, HAVE (1000, GI), NULL, &more);
}

static void
add_topology_job (World *w, const char *name, const char *affinity, const char *anti, const char *order)
{
  VcPair annotation[3];
  guint n = 0;

  if (affinity != NULL)
    annotation[n++] = (VcPair){ "volcano.sh/task-topology-affinity", affinity };
  if (anti != NULL)
    annotation[n++] = (VcPair){ "volcano.sh/task-topology-anti-affinity", anti };
  if (order != NULL)
    annotation[n++] = (VcPair){ "volcano.sh/task-topology-task-order", order };
  const VcPodGroupObject o = { .ns = "ns", .name = name, .uid = name, .created = VC_NO_TIME, .queue = "q", .min_member = 1, .phase = "Inqueue",
                               .annotations = { annotation, n } };
  vc_cache_add_pod_group (w->cache, &o);
}

/* Nodes of 4 cpu and of 1 cpu; two ps, two worker, one outside. */
static void
topology_world (World *w, Look *l, const char *affinity, const char *anti, const char *order)
{
  world_init (w);
  l->node[0] = add_node (w, "n0", HAVE (4000, 8 * GI, 20), NULL);
  l->node[1] = add_node (w, "n1", HAVE (1000, 2 * GI, 20), NULL);
  add_queue (w, "q", 1, NONE, NONE);
  add_topology_job (w, "j", affinity, anti, order);
  for (guint i = 0; i < 2; i++) {
    l->task[i] = add_role_pod (w, "j", "ps", i);
    l->task[2 + i] = add_role_pod (w, "j", "worker", i);
  }
  l->task[4] = add_role_pod (w, "j", "other", 0);
}

static void
look_at_buckets (VcSession *ssn, gpointer user)
{
  Look *l = user;

  suite_check (near (score_of (ssn, l->task[0], l->node[0]), 100), "both fit");
  suite_check (near (score_of (ssn, l->task[0], l->node[1]), 50), "one fits");
  suite_check (near (score_of (ssn, l->task[4], l->node[0]), 0), "outside");
  suite_check (vc_session_task_less (ssn, l->task[3], l->task[4]) && !vc_session_task_less (ssn, l->task[4], l->task[3]), "inside before outside");
  suite_check (vc_session_task_compare (ssn, l->task[0], l->task[2]) < 0, "in a bucket the higher priority first");
  suite_check (vc_session_task_compare (ssn, l->task[2], l->task[1]) < 0, "the older bucket first");
}

static void
tasks_that_like_each_other_share_a_bucket (void)
{
  g_auto (World) w = { 0 };
  Look l = { 0 };

  topology_world (&w, &l, "ps,worker", "ps", NULL);
  look_at (&w, &l, TIERS "  - name: task-topology\n", look_at_buckets);
}

static void
look_at_order (VcSession *ssn, gpointer user)
{
  Look *l = user;

  suite_check (vc_session_task_compare (ssn, l->task[2], l->task[0]) < 0, "the order given goes before the priority");
}

static void
the_given_order_counts_first (void)
{
  g_auto (World) w = { 0 };
  Look l = { 0 };

  topology_world (&w, &l, "ps,worker", "ps", "worker,ps");
  look_at (&w, &l, TIERS "  - name: task-topology\n", look_at_order);
}

static void
look_at_nothing (VcSession *ssn, gpointer user)
{
  Look *l = user;

  suite_check (score_of (ssn, l->task[0], l->node[0]) == 0 && vc_session_task_compare (ssn, l->task[0], l->task[4]) == 0, "the job is left alone");
}

static void
a_wrong_annotation_leaves_the_job_alone (void)
{
  static const char *const wrong[][3] = { { "nobody,ps" }, { "ps,ps" }, { "ps,worker", "chief" }, { "ps,worker", NULL, "ps,nobody" }, { "ps;worker,worker" },
                                          { NULL, NULL, "ps,worker" } /* an order alone puts nobody into a bucket */ };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_auto (World) w = { 0 };
    Look l = { 0 };

    topology_world (&w, &l, wrong[i][0], wrong[i][1], wrong[i][2]);
    look_at (&w, &l, TIERS "  - name: task-topology\n", look_at_nothing);
  }
}

/* Commas and semicolons without names between them are let pass. */
static void
look_at_gaps (VcSession *ssn, gpointer user)
{
  Look *l = user;

  suite_check (near (score_of (ssn, l->task[0], l->node[0]), 100), "%g", score_of (ssn, l->task[0], l->node[0]));
}

static void
empty_names_are_let_pass (void)
{
  g_auto (World) w = { 0 };
  Look l = { 0 };

  topology_world (&w, &l, "ps,,worker,;", "ps", "");
  look_at (&w, &l, TIERS "  - name: task-topology\n", look_at_gaps);
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "queues keep to their groups of nodes", queues_keep_to_their_groups },
    { "exclusion wins, and the order of preferred groups counts", exclusion_wins_and_order_counts },
    { "rules are inherited from the nearest ancestor", rules_are_inherited_from_the_nearest_ancestor },
    { "limits cap a queue in a group", limits_cap_a_queue_in_a_group },
    { "changes of queues and nodes are seen", changes_of_queues_and_nodes_are_seen },
    { "strategies score by resource", strategies_score_by_resource },
    { "arguments that end Volcano are refused", arguments_that_end_volcano_are_refused },
    { "pods bring their own strategy", pods_bring_their_own_strategy },
    { "idle gpus keep their share", idle_gpus_keep_their_share },
    { "tasks that like each other share a bucket", tasks_that_like_each_other_share_a_bucket },
    { "the given order counts first", the_given_order_counts_first },
    { "a wrong annotation leaves the job alone", a_wrong_annotation_leaves_the_job_alone },
    { "empty names are let pass", empty_names_are_let_pass },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("plugins-placement", tests);
}
