/* tests/test-plugins-queue.c - capacity, resourcequota and pdb: single answers in a session opened
 * on a small cluster that is written out as Kubernetes objects, and how these objects are read. */
#include "core/model/quota.h"
#include "core/session/engine.h"
#include "sim/cycle/cycle.h"
#include "suite.h"
#include <math.h>
#include <string.h>

#define GI 1073741824.0

/* ---- a session on objects ------------------------------------------------------------------- */

typedef struct {
  VcCache *cache;
  VcCluster *c;
  VcEngine *engine;
} World;

static void
world_clear (World *w)
{
  g_clear_pointer (&w->engine, vc_engine_free);
  g_clear_pointer (&w->cache, vc_cache_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (World, world_clear)

static gboolean
world_load (World *w, const char *first, const char *more, const char *plugins, gboolean gates)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *objects = g_strconcat (first, more, NULL);
  g_autoptr (WlObjects) o = wl_objects_parse (objects, strlen (objects), "objects", &error);
  g_autofree char *conf_text
      = g_strconcat ("actions: \"allocate\"\ntiers:\n- plugins:\n", plugins, NULL);
  VcConf *conf = vc_conf_parse (conf_text, strlen (conf_text), "conf", vc_catalog (), FALSE, NULL,
                                &error);
  VcCacheOptions cache_options;
  VcEngineOptions options;

  vc_cache_options_init (&cache_options);
  vc_engine_options_init (&options);
  options.gates_admission = gates;
  if (o != NULL && conf != NULL)
    w->cache = sim_cycle_load (o, &cache_options, NULL, &error);
  if (w->cache != NULL) {
    w->c = vc_cache_cluster (w->cache);
    w->engine = vc_engine_new (w->cache, conf, FALSE, &options, &error);
  }
  return suite_check (w->engine != NULL, "%s", error != NULL ? error->message : "no engine");
}

static guint32
queue_named (const World *w, const char *name)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (w->c->queue_rows, name)) - 1;
}

static guint32
job_named (const World *w, const char *name)
{
  g_autofree char *key = g_strconcat ("default/", name, NULL);
  return GPOINTER_TO_UINT (g_hash_table_lookup (w->c->job_rows, key)) - 1;
}

static guint32
task_named (const World *w, const char *name)
{
  g_autofree char *uid = g_strconcat ("default-", name, NULL);
  return GPOINTER_TO_UINT (g_hash_table_lookup (w->c->task_rows, uid)) - 1;
}

static gboolean
allocatable (const World *w, VcSession *ssn, const char *queue, const char *task)
{
  return vc_session_allocatable (ssn, queue_named (w, queue), task_named (w, task));
}

static gboolean
preemptive (const World *w, VcSession *ssn, const char *queue, const char *task)
{
  guint32 t = task_named (w, task);
  return vc_session_preemptive (ssn, queue_named (w, queue), &t, 1);
}

/* The victims among @candidates (names separated by blanks), in the same form. (transfer full) */
static char *
victims (const World *w, VcSession *ssn, VcHookFamily f, const char *evictor,
         const char *candidates)
{
  g_auto (GStrv) name = g_strsplit (candidates, " ", -1);
  g_autoptr (GArray) in = g_array_new (FALSE, FALSE, sizeof (guint32)),
                     out = g_array_new (FALSE, FALSE, sizeof (guint32));
  GString *text = g_string_new (NULL);

  for (guint i = 0; name[i] != NULL; i++) {
    guint32 t = task_named (w, name[i]);
    g_array_append_val (in, t);
  }
  vc_session_victims (ssn, f, task_named (w, evictor), (const guint32 *) (gpointer) in->data,
                      in->len, out);
  for (guint i = 0; i < out->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "",
                            w->c->task[g_array_index (out, guint32, i)].name);
  return g_string_free (text, FALSE);
}

#define CHECK_VICTIMS(w, ssn, f, evictor, candidates, want)                                        \
  G_STMT_START                                                                                     \
  {                                                                                                \
    g_autofree char *got_ = victims ((w), (ssn), (f), (evictor), (candidates));                    \
    suite_check (strcmp (got_, (want)) == 0, "victims for %s: '%s', wanted '%s'", (evictor), got_, \
                 (want));                                                                          \
  }                                                                                                \
  G_STMT_END

/* ---- objects in short ----------------------------------------------------------------------- */

#define NODE                                                                                       \
  "apiVersion: v1\nkind: Node\nmetadata: {name: n}\n"                                              \
  "status: {allocatable: {cpu: '100', memory: 1000Gi, pods: '110', a/gpu: '8'}}\n---\n"
#define QUEUE(name, spec)                                                                          \
  "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: " name "}\nspec: {"    \
  "weight: 1, " spec "}\nstatus: {state: Open}\n---\n"
#define GROUP(name, queue, more)                                                                   \
  "apiVersion: scheduling.volcano.sh/v1beta1\nkind: PodGroup\nmetadata: {name: " name              \
  ", namespace: default}\nspec: {minMember: 1, queue: " queue "" more                              \
  "}\nstatus: {phase: Inqueue}\n---\n"
#define POD_WITH(name, meta, group, requests, spec, phase)                                         \
  "apiVersion: v1\nkind: Pod\nmetadata: {name: " name ", namespace: default, " meta                \
  "annotations: {scheduling.k8s.io/group-name: " group                                             \
  ", volcano.sh/preemptable: 'true'}}\nspec: {" spec                                               \
  "containers: [{name: c, resources: {requests: {" requests "}}}]}\nstatus: {phase: " phase        \
  "}\n---\n"
#define RUNS(name, group, requests) POD_WITH (name, , group, requests, "nodeName: n, ", "Running")
#define WAITS(name, group, requests) POD_WITH (name, , group, requests, , "Pending")

/* ---- capacity as a tree ----------------------------------------------------------------------
 *
 *   queue    guarantee  deserved    capability  allocated | deserved  capability  real      share
 *   root     -          -           -           9c 18Gi   | 10c 20Gi  no limit    no limit  0.9
 *   A        4c 8Gi     6c 12Gi     8c 16Gi     6c 12Gi   | 6  12     8 16        8  16     1
 *   A1 (A)   1c 2Gi     3c 6Gi      -           5c 10Gi   | 3  6      8 16        6  12     1.667
 *   A2 (A)   2c 4Gi     1c 2Gi      5c 10Gi     1c 2Gi    | 2  4      5 10        5  10     0.5
 *   B        -          4c 8Gi      -           3c 6Gi    | 4  8      no limit    no limit  0.75
 */
static const char tree_queues[]
    = NODE QUEUE ("root", )
      QUEUE ("a", "guarantee: {resource: {cpu: 4, memory: 8Gi}}, deserved: {cpu: 6, memory: 12Gi}, "
                  "capability: {cpu: 8, memory: 16Gi}")
      QUEUE ("a1", "parent: a, guarantee: {resource: {cpu: 1, memory: 2Gi}}, "
                   "deserved: {cpu: 3, memory: 6Gi}")
      QUEUE ("a2", "parent: a, guarantee: {resource: {cpu: 2, memory: 4Gi}}, "
                   "deserved: {cpu: 1, memory: 2Gi}, capability: {cpu: 5, memory: 10Gi}")
      QUEUE ("b", "parent: root, deserved: {cpu: 4, memory: 8Gi}")
      GROUP ("ga1", "a1", ) GROUP ("ga2", "a2", ) GROUP ("gb", "b", )
      GROUP ("inner", "b", ", minResources: {cpu: 1}");
static const char tree_pods[]
    = RUNS ("a1-x", "ga1", "cpu: 2, memory: 4Gi") RUNS ("a1-y", "ga1", "cpu: 2, memory: 4Gi")
      RUNS ("a1-z", "ga1", "cpu: 1, memory: 2Gi") RUNS ("a2-x", "ga2", "cpu: 1, memory: 2Gi")
      RUNS ("b-x", "gb", "cpu: 3, memory: 6Gi") WAITS ("one", "ga1", "cpu: 1, memory: 1Gi")
      WAITS ("three", "ga2", "cpu: 3, memory: 1Gi") WAITS ("b-one", "gb", "cpu: 1, memory: 2Gi")
      WAITS ("b-two", "gb", "cpu: 2, memory: 4Gi");

static void
check_tree (VcSession *ssn, gpointer user)
{
  const World *w = user;
  guint32 a1 = queue_named (w, "a1"), a2 = queue_named (w, "a2"), b = queue_named (w, "b");

  suite_check (vc_session_queue_less (ssn, a2, a1), "siblings by their own shares");
  suite_check (vc_session_queue_less (ssn, b, a2), "b (0.75) before a (1), whatever a2 has");
  suite_check (vc_session_queue_less (ssn, b, queue_named (w, "a")), "leaves first");
  suite_check (vc_session_victim_queue_less (ssn, a2, b, a1), "relatives are evicted first");
  suite_check (allocatable (w, ssn, "a1", "one"), "6 of 6, above it 7 of 8");
  suite_check (!allocatable (w, ssn, "a2", "three"), "4 of 5, but above it 9 of 8");
  suite_check (!allocatable (w, ssn, "a", "one"), "a has children");
  suite_check (preemptive (w, ssn, "b", "b-one"), "4 of 4");
  suite_check (!preemptive (w, ssn, "b", "b-two"), "5 of 4 and 10 of 8 Gi");
  suite_check (vc_session_job_enqueueable (ssn, job_named (w, "inner")), "b has no limit");
  /* By inverse task order a1-y is first: a1 holds 5 > 3 and then 3, so a1-x stays; a2 would fall
   * below its guarantee. */
  CHECK_VICTIMS (w, ssn, VC_HOOK_RECLAIMABLE, "b-one", "a1-x a1-y a2-x", "a1-y");
}

static void
check_tree_with_parents (VcSession *ssn, gpointer user)
{
  CHECK_VICTIMS (user, ssn, VC_HOOK_RECLAIMABLE, "b-one", "a1-x a1-y a2-x", "");
}

static void
a_tree_gives_every_queue_its_bounds (void)
{
  static const struct {
    const char *name;
    double deserved[2], limit[2], real[2], share;
  } want[] = {
    { "root", { 10, 20 }, { 0 }, { 0 }, 0.9 },
    { "a", { 6, 12 }, { 8, 16 }, { 8, 16 }, 1 },
    { "a1", { 3, 6 }, { 8, 16 }, { 6, 12 }, 5.0 / 3 },
    { "a2", { 2, 4 }, { 5, 10 }, { 5, 10 }, 0.5 },
    { "b", { 4, 8 }, { 0 }, { 0 }, 0.75 },
  };
  g_auto (World) w = { 0 };

  if (!world_load (&w, tree_queues, tree_pods, "  - name: capacity\n    enableHierarchy: true\n", FALSE))
    return;
  vc_engine_with_session (w.engine, 0, check_tree, &w);
  for (guint i = 0; i < G_N_ELEMENTS (want); i++) {
    const VcQueueGauge *g = vc_engine_gauge (w.engine, queue_named (&w, want[i].name));

    suite_check (g->published && g->parts == 15, "%s: everything is published", want[i].name);
    for (guint d = 0; d < 2; d++) {
      double unit = d == 0 ? 1000 : GI;
      double limit = want[i].limit[d] > 0 ? want[i].limit[d] * unit : VC_RES_HUGE,
             real = want[i].real[d] > 0 ? want[i].real[d] * unit : VC_RES_HUGE;

      suite_check (g->deserved->v[d] == want[i].deserved[d] * unit, "%s deserves %g", want[i].name,
                   g->deserved->v[d]);
      suite_check (g->capacity->v[d] == limit, "%s: capability %g", want[i].name,
                   g->capacity->v[d]);
      suite_check (g->real_capacity->v[d] == real, "%s: real capability %g", want[i].name,
                   g->real_capacity->v[d]);
    }
    suite_check (fabs (g->share - want[i].share) < 1e-12, "%s: share %g", want[i].name, g->share);
    suite_check (g->overused == (want[i].share > 1), "%s: overused", want[i].name);
  }
}

static void
parents_can_forbid_to_reclaim (void)
{
  g_auto (World) w = { 0 };

  if (world_load (&w, tree_queues, tree_pods,
                  "  - name: capacity\n    enableHierarchy: true\n    arguments:\n"
                  "      ancestorReclaimLevel: 1\n",
                  FALSE))
    vc_engine_with_session (w.engine, 0, check_tree_with_parents, &w);
}

static void
check_unsound (VcSession *ssn, gpointer user)
{
  const World *w = user;

  suite_check (!allocatable (w, ssn, "leaf", "p"), "nothing is allocated");
  suite_check (!vc_session_job_enqueueable (ssn, job_named (w, "g")), "nothing is admitted");
  suite_check (!preemptive (w, ssn, "leaf", "p"), "nothing is reclaimed");
}

static void
an_unsound_tree_stops_its_queues (void)
{
  static const char objects[]
      = NODE QUEUE ("root", ) QUEUE ("leaf", ) QUEUE ("x", "parent: nobody")
          GROUP ("g", "leaf", ", minResources: {cpu: 1}") WAITS ("p", "g", "cpu: 1");
  g_auto (World) w = { 0 };

  if (!world_load (&w, objects, "", "  - name: capacity\n    enableHierarchy: true\n", FALSE))
    return;
  vc_engine_with_session (w.engine, 0, check_unsound, &w);
  const VcQueueGauge *g = vc_engine_gauge (w.engine, queue_named (&w, "leaf"));
  suite_check (!g->published && g->parts == VC_GAUGE_OVERUSED, "only `overused` is published");
}

/* ---- flat capacity --------------------------------------------------------------------------- */

/* 100 cpu and 1000 Gi; guarantees of 60 cpu are set aside: q may use 40 + 10, of which 30 by its
 * capability; it deserves what its guarantee gives at least. */
static const char flat[]
    = NODE QUEUE ("q", "guarantee: {resource: {cpu: 10}}, deserved: {cpu: 5, memory: 40Gi}, "
                       "capability: {cpu: 30}")
        QUEUE ("other", "guarantee: {resource: {cpu: 50}}, deserved: {a/gpu: 2}")
            QUEUE ("idle", "capability: {memory: 1Gi}")
            GROUP ("g", "q", ", minResources: {cpu: 2}") GROUP ("o", "other", )
            RUNS ("g0", "g", "cpu: 28, memory: 1Gi") RUNS ("o0", "o", "cpu: 55, a/gpu: 1")
            RUNS ("o1", "o", "cpu: 2, memory: 1Gi") WAITS ("g1", "g", "cpu: 2")
            WAITS ("g2", "g", "cpu: 3") WAITS ("g3", "g", "memory: 1Gi");

static void
check_flat (VcSession *ssn, gpointer user)
{
  const World *w = user;
  VC_RES_LOCAL (removed, w->c->n_res);
  VcSimState state = { .removed = removed };
  guint32 q = queue_named (w, "q"), g2 = task_named (w, "g2"), g0 = task_named (w, "g0");

  suite_check (allocatable (w, ssn, "q", "g1"), "28 + 2 of 30");
  suite_check (!allocatable (w, ssn, "q", "g2"), "28 + 3 of 30");
  suite_check (!preemptive (w, ssn, "q", "g1"), "it has more cpu than it deserves");
  suite_check (preemptive (w, ssn, "q", "g3"), "but not more memory");
  /* o0 holds a resource that its queue deserves, and no more of it; o1 holds none such, and the
   * guarantee of 50 cpu stays. */
  CHECK_VICTIMS (w, ssn, VC_HOOK_RECLAIMABLE, "g3", "o0 o1", "o1");
  CHECK_VICTIMS (w, ssn, VC_HOOK_RECLAIMABLE, "g1", "o0 o1", "o1");
  vc_session_set_eviction (ssn, VC_EVICT_GANG_RECLAIM, job_named (w, "g"));
  CHECK_VICTIMS (w, ssn, VC_HOOK_UNIFIED_EVICTABLE, "g1", "o0 o1", "o1");
  vc_session_set_eviction (ssn, VC_EVICT_GANG_PREEMPT, job_named (w, "g"));
  CHECK_VICTIMS (w, ssn, VC_HOOK_UNIFIED_EVICTABLE, "g1", "o0 o1", "o0 o1");

  suite_check (!vc_session_sim_remove (ssn, &state, g2, g0, 0), "no copy of the figures yet");
  suite_check (vc_session_pre_predicate (ssn, g2) == NULL, "now there is one");
  suite_check (!vc_session_sim_allocatable (ssn, &state, q, g2), "28 + 3 of 30");
  suite_check (vc_session_sim_remove (ssn, &state, g2, g0, 0), "g0 is taken away");
  vc_res_add (removed, w->c->task[g0].shape->request);
  suite_check (vc_session_sim_allocatable (ssn, &state, q, g2), "0 + 3 of 30");
  suite_check (vc_session_sim_add (ssn, &state, g2, g0, 0), "and comes back");
}

static void
flat_queues_share_what_is_not_guaranteed (void)
{
  g_auto (World) w = { 0 };
  const VcQueueGauge *g;

  if (!world_load (&w, flat, "", "  - name: capacity\n", FALSE))
    return;
  vc_engine_with_session (w.engine, 0, check_flat, &w);
  g = vc_engine_gauge (w.engine, queue_named (&w, "q"));
  suite_check (g->real_capacity->v[0] == 30000 && g->deserved->v[0] == 10000, "q: %g, deserves %g",
               g->real_capacity->v[0], g->deserved->v[0]);
  suite_check (g->share == 2.8 && g->overused, "q: share %g", g->share);
  g = vc_engine_gauge (w.engine, queue_named (&w, "other"));
  suite_check (g->real_capacity->v[0] == 90000 && g->parts == 15, "other: %g",
               g->real_capacity->v[0]);
  g = vc_engine_gauge (w.engine, queue_named (&w, "idle"));
  suite_check (g->published && g->parts == (VC_GAUGE_CAPACITY | VC_GAUGE_REAL_CAPACITY),
               "a queue without jobs has no share");
  suite_check (g->real_capacity->v[0] == 0 && g->real_capacity->v[1] == GI,
               "and is shown with no cpu: %g", g->real_capacity->v[0]);
}

/* ---- the gate of queue admission ------------------------------------------------------------- */

static const char gated[]
    = NODE QUEUE ("q", "capability: {cpu: 3}") GROUP ("g", "q", )
        POD_WITH ("plain", , "g", "cpu: 2", , "Pending")
        "apiVersion: v1\nkind: Pod\nmetadata: {name: past, namespace: default, annotations: "
        "{scheduling.k8s.io/group-name: g, scheduling.volcano.sh/queue-allocation-gate: 'true'}}\n"
        "spec: {containers: [{name: c, resources: {requests: {cpu: 2}}}]}\n"
        "status: {phase: Pending}\n";

static void
check_reserved (VcSession *ssn, gpointer user)
{
  const World *w = user;

  suite_check (allocatable (w, ssn, "q", "past"), "what it has reserved is its own");
  suite_check (!allocatable (w, ssn, "q", "plain"), "2 of 3 cpu are reserved");
}

static void
check_not_reserved (VcSession *ssn, gpointer user)
{
  const World *w = user;

  suite_check (allocatable (w, ssn, "q", "past") && allocatable (w, ssn, "q", "plain"),
               "the feature is off");
}

static void
pods_past_the_gate_reserve_their_room (void)
{
  for (guint on = 0; on < 2; on++) {
    g_auto (World) w = { 0 };

    if (world_load (&w, gated, "", "  - name: capacity\n", (gboolean) on))
      vc_engine_with_session (w.engine, 0, on ? check_reserved : check_not_reserved, &w);
  }
}

/* ---- resourcequota --------------------------------------------------------------------------- */

#define QUOTA(name, status)                                                                        \
  "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: " name                                    \
  ", namespace: default}\nstatus: {" status "}\n---\n"

static const char quotas[]
    = QUEUE ("q", ) QUOTA ("one", "hard: {cpu: 2, memory: 2G, count/pods: 3, nobody/asks: 0}, "
                                  "used: {cpu: 500m, pods: 7}")
        QUOTA ("two", "hard: {requests.cpu: 1}") GROUP ("free", "q", )
            GROUP ("big", "q", ", minResources: {cpu: 20, memory: 20G}")
                GROUP ("first", "q", ", minResources: {cpu: 1, memory: 2G}")
                    GROUP ("second", "q", ", minResources: {cpu: 501m}")
                        GROUP ("exact", "q", ", minResources: {cpu: 500m}")
                            GROUP ("memory", "q", ", minResources: {memory: 1}")
                                GROUP ("count", "q", ", minResources: {count/pods: 4}")
                                    GROUP ("by-name", "q", ", minResources: {requests.cpu: 2}");

static gboolean
may_enqueue (const World *w, VcSession *ssn, const char *job)
{
  return vc_session_job_enqueueable (ssn, job_named (w, job));
}

static void
check_quotas (VcSession *ssn, gpointer user)
{
  const World *w = user;

  suite_check (may_enqueue (w, ssn, "free"), "it asks for nothing");
  suite_check (!may_enqueue (w, ssn, "big"), "20 of 2 cpu");
  suite_check (!may_enqueue (w, ssn, "count"), "4 of 3 pods by name");
  suite_check (!may_enqueue (w, ssn, "by-name"), "2 of 1 in the second quota");
  suite_check (may_enqueue (w, ssn, "first"), "0.5 + 1 of 2 cpu, all memory");
  vc_session_job_enqueued (ssn, job_named (w, "first"));
  suite_check (!may_enqueue (w, ssn, "second"), "0.5 + 1 + 0.501 of 2 cpu");
  suite_check (may_enqueue (w, ssn, "exact"), "0.5 + 1 + 0.5 of 2 cpu");
  suite_check (!may_enqueue (w, ssn, "memory"), "one byte too much");
}

static void
jobs_stay_within_the_quotas_of_their_namespace (void)
{
  g_auto (World) w = { 0 };

  if (!world_load (&w, quotas, "", "  - name: resourcequota\n", FALSE))
    return;
  vc_engine_with_session (w.engine, 0, check_quotas, &w);
  vc_engine_with_session (w.engine, 0, check_quotas, &w); /* each session starts anew */
  vc_cache_remove_resource_quota (w.cache, "default", "two");
  vc_cache_remove_resource_quota (w.cache, "default", "three");
  suite_check (w.c->quotas->len == 1, "one quota is left");
}

/* ---- pdb ------------------------------------------------------------------------------------- */

#define BUDGET(name, selector, status)                                                             \
  "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: " name                       \
  ", namespace: default}\nspec: {minAvailable: 50%" selector "}\nstatus: {" status "}\n---\n"
#define LABELLED(name, label)                                                                      \
  POD_WITH (name, "labels: {" label "}, ", "g", "cpu: 1", "nodeName: n, ", "Running")

static const char budgets[]
    = NODE QUEUE ("q", ) GROUP ("g", "q", )
        BUDGET ("a", ", selector: {matchLabels: {app: a}}",
                "disruptionsAllowed: 1, disruptedPods: {a2: '2026-01-01T00:00:00Z'}")
        BUDGET ("not-b",
                ", selector: {matchExpressions: [{key: app, operator: NotIn, values: [b]}]}",
                "disruptionsAllowed: 3")
        BUDGET ("nobody", , "disruptionsAllowed: 0") BUDGET ("empty", ", selector: {}", )
        BUDGET ("broken", ", selector: {matchExpressions: [{key: app, operator: In}]}", )
        LABELLED ("a0", "app: a") LABELLED ("a1", "app: a") LABELLED ("a2", "app: a")
        LABELLED ("b0", "app: b") LABELLED ("c0", "app: c")
        RUNS ("bare", "g", "cpu: 1") WAITS ("p", "g", "cpu: 1");

static void
check_budgets (VcSession *ssn, gpointer user)
{
  const World *w = user;
  const guint32 both[] = { task_named (w, "a1"), task_named (w, "a0") };
  g_autoptr (GArray) out = g_array_new (FALSE, FALSE, sizeof (guint32));

  CHECK_VICTIMS (w, ssn, VC_HOOK_PREEMPTABLE, "p", "a1 a0 b0 bare", "a1 b0");
  CHECK_VICTIMS (w, ssn, VC_HOOK_RECLAIMABLE, "p", "a0 a1", "a0");
  /* a2 is disrupted already; a1 uses up the third of not-b though it is refused; c0 is too late. */
  CHECK_VICTIMS (w, ssn, VC_HOOK_RECLAIMABLE, "p", "a2 a0 a1 c0", "a2 a0");
  vc_session_victim_tasks (ssn, both, 2, out);
  suite_check (out->len == 1 && g_array_index (out, guint32, 0) == both[0], "the first of two");
}

static void
evictions_keep_within_the_budgets (void)
{
  g_auto (World) w = { 0 };

  if (!world_load (&w, budgets, "", "  - name: pdb\n", FALSE))
    return;
  vc_engine_with_session (w.engine, 0, check_budgets, &w);
  const VcBudget *b = w.c->budgets->pdata[0];
  suite_check (b->min_available.percent && b->min_available.value == 50
                   && !b->max_unavailable.given,
               "minAvailable is read");
}

/* ---- reading --------------------------------------------------------------------------------- */

static void
bad_budgets_and_quotas_are_refused (void)
{
  static const struct {
    const char *objects, *message;
  } bad[] = {
    { "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b}\n"
      "spec: {maxUnavailable: x%}\n",
      "objects:4:24: PodDisruptionBudget default/b: spec.maxUnavailable: expected a whole number "
      "or a percentage, found 'x%'" },
    { "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: b}\nstatus: {hard: {cpu: many}}\n",
      "objects:4:22: ResourceQuota default/b: status.hard.cpu: expected a quantity, found 'many'" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (WlObjects) o
        = wl_objects_parse (bad[i].objects, strlen (bad[i].objects), "objects", &error);

    suite_check (o == NULL && strcmp (error->message, bad[i].message) == 0, "case %u: %s", i,
                 error != NULL ? error->message : "no error");
  }
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "a tree gives every queue its bounds", a_tree_gives_every_queue_its_bounds },
    { "parents can forbid to reclaim", parents_can_forbid_to_reclaim },
    { "an unsound tree stops its queues", an_unsound_tree_stops_its_queues },
    { "flat queues share what is not guaranteed", flat_queues_share_what_is_not_guaranteed },
    { "pods past the gate reserve their room", pods_past_the_gate_reserve_their_room },
    { "jobs stay within the quotas of their namespace",
      jobs_stay_within_the_quotas_of_their_namespace },
    { "evictions keep within the budgets", evictions_keep_within_the_budgets },
    { "bad budgets and quotas are refused",
      bad_budgets_and_quotas_are_refused },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("plugins-queue", tests);
}
