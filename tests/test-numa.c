/* tests/test-numa.c - CPUs of nodes: lists of them, what a session takes and gives back, what the cache keeps until an agent reports. */
#include "cell.h"
#include "core/cache/cache-private.h"
#include "run-helper.h"
#include "suite.h"
#include <string.h>

/* ---- sets and topologies ------------------------------------------------------------------------------ */

static void
lists_of_cpus (void)
{
  static const struct { const char *text; gint64 top; guint64 set; const char *back; } cases[] = {
    { "", 0, 0, "none" },       { "0", 1, 1, "0" },     { "0-3,8", 9, 0x10f, "0-3,8" }, { "8,0-3,2", 9, 0x10f, "0-3,8" }, { "5-5", 6, 0x20, "5" },
    { "+1", 2, 2, "1" },        { "0,1", 2, 3, "0-1" }, { "1,", -1, 0, "" },            { "3-1", -1, 0, "" },             { "-1", -1, 0, "" },
    { "1-2-3", -1, 0, "" },     { "a", -1, 0, "" },     { "0 ", -1, 0, "" },            { "65535", 65536, 0, "" },        { "65536", -2, 0, "" },
    { "0-99999999", -2, 0, "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree guint64 *set = g_new0 (guint64, VC_CPU_LIMIT / 64);
    gint64 top = vc_cpu_list_parse (cases[i].text, NULL);

    if (!suite_check (top == cases[i].top, "'%s': %" G_GINT64_FORMAT, cases[i].text, top) || top < 0 || top > 64)
      continue;
    g_autoptr (GString) back = g_string_new (NULL);
    vc_cpu_list_parse (cases[i].text, set);
    vc_cpu_list_append (back, set, 1);
    suite_check (set[0] == cases[i].set && strcmp (back->str, cases[i].back) == 0, "'%s': %s", cases[i].text, back->str);
  }
}

/* Core ids that start anew on each socket, and CPU ids with gaps beyond one word: two sockets of 2 cores x 2 threads, CPUs 100-107. */
static void
ids_need_not_be_dense (void)
{
  VcCpuDetail detail[9];
  guint64 free[2] = { 0, 0 }, got[2];

  for (guint i = 0; i < 8; i++) {
    detail[i] = (VcCpuDetail) { 107 - i, i / 4, i / 4, i % 4 / 2 };
    vc_cpu_add (free, 100 + i);
  }
  detail[8] = (VcCpuDetail) { 100, 1, 1, 1 }; /* the same again */
  g_autoptr (VcCpuTopology) t = vc_cpu_topology_new (detail, 9, 0);
  CU_ASSERT_EQUAL (vc_cpu_topology_words (t), 2);
  CU_ASSERT_EQUAL (vc_cpu_topology_nodes (t), 3);
  CU_ASSERT_EQUAL (vc_cpu_topology_span (t, free), 3);
  /* no socket or core has the id of a CPU, so single CPUs are taken: cores 0 and 1 tie but for the id, core 0 has 102, 103, 106, 107 */
  CU_ASSERT_TRUE (vc_cpu_take (t, free, 4, got));
  g_autoptr (GString) text = g_string_new (NULL);
  vc_cpu_list_append (text, got, 2);
  suite_check (strcmp (text->str, "102-103,106-107") == 0, "%s", text->str);
  CU_ASSERT_FALSE (vc_cpu_take (t, free, 9, got));
  CU_ASSERT_EQUAL (got[0] | got[1], 0);
}

/* Nothing is known of the CPUs: no hint at all, and nothing to give. */
static void
a_machine_without_details (void)
{
  const guint64 free[1] = { 0xff };
  guint64 got[1];
  g_autoptr (GArray) hints = g_array_new (FALSE, FALSE, sizeof (VcNumaHint));
  g_autoptr (VcCpuTopology) t = vc_cpu_topology_new (NULL, 0, 8);
  VcNumaHint best;

  vc_cpu_hints (t, free, 1, hints);
  CU_ASSERT_EQUAL (hints->len, 0);
  const VcNumaHints of = { NULL, 0, FALSE };
  CU_ASSERT_FALSE (vc_numa_policy_admits (VC_NUMA_RESTRICTED, 0, &of, 1, &best));
  CU_ASSERT_TRUE (vc_numa_policy_admits (VC_NUMA_BEST_EFFORT, 0, &of, 1, &best));
  vc_cpu_give (t, free, 1, &best, got);
  CU_ASSERT_EQUAL (got[0], 0);
  CU_ASSERT_EQUAL (vc_cpu_topology_span (t, free), 1); /* a CPU without a detail is on node 0 */
}

/* ---- small clusters ------------------------------------------------------------------------------------ */

#define NODE(name) "- {apiVersion: v1, kind: Node, metadata: {name: " name "}, status: {allocatable: {cpu: 8, memory: 16Gi, pods: 99}}}\n"
/* 2 NUMA nodes = 2 sockets, 2 cores each, 2 threads */
#define CPUS(name, policy, free, more)                                                                                                                                       \
  "- {apiVersion: nodeinfo.volcano.sh/v1alpha1, kind: Numatopology, metadata: {name: " name "}, spec: {policies: {CPUManagerPolicy: static, TopologyManagerPolicy: " policy    \
  "}, numares: {cpu: {allocatable: '" free "', capacity: 8}}, cpuDetail: {'0': {}, '1': {}, '2': {core: 1}, '3': {core: 1}, '4': {numa: 1, socket: 1, core: 2}, "            \
  "'5': {numa: 1, socket: 1, core: 2}, '6': {numa: 1, socket: 1, core: 3}, '7': {numa: 1, socket: 1, core: 3}}" more "}}\n"
#define POLICY(policy) ", volcano.sh/numa-topology-policy: " policy
#define CONF "actions: \"%s\"\ntiers:\n- plugins:\n  - name: priority\n  - name: gang\n- plugins:\n  - name: predicates\n  - name: numa-aware\n"
#define ALLOCATE "actions: \"allocate\"\ntiers:\n- plugins:\n  - name: priority\n  - name: gang\n- plugins:\n  - name: predicates\n  - name: numa-aware\n"
#define WANTS(name, group, policy, cpus) POD (name, group, policy "}", "cpu: " cpus ", memory: 1Gi", PENDING)

/* Free CPUs of the node as the scheduler sees them now. */
static char *
free_cpus (const Cell *c, const char *node)
{
  VcCluster *cluster = vc_cache_cluster (c->cache);
  GString *out = g_string_new (NULL);

  vc_numa_refresh (c->cache->numa);
  const VcNumaNode *n = vc_numa_node (c->cache->numa, vc_cluster_node (cluster, node));
  if (n == NULL)
    g_string_append (out, "unknown");
  else
    vc_cpu_list_append (out, n->free, vc_cpu_topology_words (n->topology));
  return g_string_free (out, FALSE);
}

static void
check_free (const Cell *c, const char *node, const char *want, guint line)
{
  g_autofree char *got = free_cpus (c, node);

  suite_check (strcmp (got, want) == 0, "line %u: free on %s are %s, expected %s", line, node, got, want);
}
#define IS_FREE(node, cpus) check_free (&c, (node), (cpus), __LINE__)

static void
check_cycle (Cell *c, const char *want, guint line)
{
  g_autofree char *got = cell_cycle (c, TRUE);

  suite_check (strcmp (got, want) == 0, "line %u: %s, expected%s", line, got, want);
}
#define DECIDES(want) check_cycle (&c, (want), __LINE__)

/* ---- decisions ----------------------------------------------------------------------------------------- */

/* 04 §8.8: 4 CPUs are on one NUMA node of a, on two of b. */
static void
few_numa_nodes_win (void)
{
  g_auto (Cell) c = { 0 };

  if (!cell_start (&c, NODE ("b") NODE ("a") CPUS ("b", "best-effort", "2-5", "") CPUS ("a", "best-effort", "0-7", "") GROUP ("g", "1") WANTS ("p", "g", POLICY ("best-effort"), "4"), ALLOCATE))
    return;
  DECIDES (" p>a");
  IS_FREE ("a", "4-7");
  IS_FREE ("b", "2-5");
  CU_ASSERT_TRUE (c.result.changed);
}

/* Why the one node does not take the pod. */
static void
refused (const char *node, const char *pod, const char *reason)
{
  g_autofree char *items = g_strconcat (NODE ("n"), node, GROUP ("g", "1"), pod, NULL);
  g_auto (Cell) c = { 0 };

  if (!cell_start (&c, items, ALLOCATE))
    return;
  VcCluster *cluster = vc_cache_cluster (c.cache);
  DECIDES (*reason == '\0' ? " p>n" : "");
  const VcFit *fit = cluster->job[cluster->task[task_named (&c, "p")].job].fit;
  suite_check (*reason == '\0' ? fit == NULL : fit != NULL && fit->n_reasons == 1 && strcmp (fit->reason[0].reason, reason) == 0, "%s: %s", reason, fit != NULL && fit->n_reasons > 0 ? fit->reason[0].reason : "none");
}

static void
pods_are_refused (void)
{
  refused ("", WANTS ("p", "g", POLICY ("restricted"), "2"), "numa info is empty");
  refused ("", WANTS ("p", "g", POLICY ("none"), "2"), "");
  refused ("", WANTS ("p", "g", "", "2"), "");
  refused (CPUS ("n", "restricted", "0-7", ""), WANTS ("p", "g", POLICY ("best-effort"), "2"), "task topology policy[best-effort] is different with node[restricted]");
  refused ("- {apiVersion: nodeinfo.volcano.sh/v1alpha1, kind: Numatopology, metadata: {name: n}}\n", WANTS ("p", "g", POLICY ("best-effort"), "2"), "cpu manager policy isn't static");
  refused (CPUS ("n", "restricted", "", ""), WANTS ("p", "g", POLICY ("restricted"), "2"), "cpu allocatable map is empty");
  refused (CPUS ("n", "restricted", "no list", ""), WANTS ("p", "g", POLICY ("restricted"), "2"), "cpu allocatable map is empty");
  refused (CPUS ("n", "restricted", "2-5", ""), WANTS ("p", "g", POLICY ("restricted"), "4"), "container  cannot be assigned by numa");
  refused (CPUS ("n", "restricted", "2-5", ""), WANTS ("p", "g", "", "4"), "container  cannot be assigned by numa"); /* the node's policy counts */
  refused (CPUS ("n", "single-numa-node", "0-7", ""), WANTS ("p", "g", "", "5"), "container  cannot be assigned by numa");
  refused (CPUS ("n", "single-numa-node", "0-7", ""), WANTS ("p", "g", POLICY ("single-numa-node"), "1500m"), ""); /* no whole CPUs */
  refused (CPUS ("n", "best-effort", "2-5", ""), WANTS ("p", "g", POLICY ("best-effort"), "4"), "");
  refused (CPUS ("n", "restricted", "0-7", ", resReserved: {cpu: 1500m}"), WANTS ("p", "g", POLICY ("restricted"), "4"), ""); /* 0 and 1 are set aside, 4-7 are left */
  refused (CPUS ("n", "restricted", "0-5", ", resReserved: {cpu: 1500m}"), WANTS ("p", "g", POLICY ("restricted"), "4"), "container  cannot be assigned by numa");
  refused (CPUS ("n", "restricted", "0-5", ", resReserved: {cpu: 1500m, fpga: '1'}"), WANTS ("p", "g", POLICY ("restricted"), "4"), ""); /* unreadable: none counts */
  /* burstable: not looked at, whatever it says */
  refused (CPUS ("n", "restricted", "", ""), "- {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: ns, uid: p, annotations: {scheduling.k8s.io/group-name: g" POLICY ("restricted") "}}, spec: {containers: [{resources: {requests: {cpu: 1, memory: 1Gi}}}]}, status: {phase: Pending}}\n", "");
}

/* The first gang does not come about: what its pods took is there for the second. */
static void
a_gang_that_fails_gives_back (void)
{
  g_auto (Cell) c = { 0 };

  if (!cell_start (&c, NODE ("n") CPUS ("n", "single-numa-node", "0-7", "") GROUP ("a", "3") WANTS ("a1", "a", POLICY ("single-numa-node"), "3") WANTS ("a2", "a", POLICY ("single-numa-node"), "3") WANTS ("a3", "a", POLICY ("single-numa-node"), "2") GROUP ("b", "1") WANTS ("b1", "b", POLICY ("single-numa-node"), "4"), ALLOCATE))
    return;
  DECIDES (" b1>n");
  IS_FREE ("n", "4-7");
}

/* A job is tried in each HyperNode of a tier, and the best of these plans is carried out in the end, with the CPUs that it had: s2 has both pods on one NUMA
 * node each. What was tried in s1 is free again. */
static void
plans_are_carried_out (void)
{
  static const char hypers[] = "- {apiVersion: topology.volcano.sh/v1alpha1, kind: HyperNode, metadata: {name: s1}, spec: {tier: 1, members: [{type: Node, selector: {exactMatch: {name: n1}}}]}}\n"
                               "- {apiVersion: topology.volcano.sh/v1alpha1, kind: HyperNode, metadata: {name: s2}, spec: {tier: 1, members: [{type: Node, selector: {exactMatch: {name: n2}}}]}}\n"
                               "- {apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: g, namespace: ns}, spec: {minMember: 2, queue: q, networkTopology: {mode: hard, highestTierAllowed: 1}}, status: {phase: Inqueue}}\n";
  static const char *const more[] = { "", GROUP ("r", "0") "- {apiVersion: v1, kind: Pod, metadata: {name: x, namespace: ns, uid: x, annotations: {scheduling.k8s.io/group-name: r}}, spec: {nodeName: n2, containers: [{resources: {requests: {memory: 4Gi}}}]}, status: {phase: Running}}\n" };
  static const char *const want[] = { " a>n1 b>n1", " a>n2 b>n2" }; /* the tree's scores prefer the fuller HyperNode */
  static const char *const free[2][2] = { { "4-7", "0-7" }, { "0-7", "4-7" } };

  for (guint i = 0; i < G_N_ELEMENTS (more); i++)
    for (guint plain = 0; plain < 2; plain++) {
      g_autofree char *items = g_strconcat (NODE ("n1") NODE ("n2") CPUS ("n1", "best-effort", "0-7", "") CPUS ("n2", "best-effort", "0-7", ""), hypers, more[i], WANTS ("a", "g", POLICY ("best-effort"), "2") WANTS ("b", "g", POLICY ("best-effort"), "2"), NULL);
      g_auto (Cell) c = { .plain = plain != 0 };

      if (!cell_start (&c, items, ALLOCATE "  - name: network-topology-aware\n"))
        return;
      DECIDES (want[i]);
      IS_FREE ("n1", free[i][0]);
      IS_FREE ("n2", free[i][1]);
    }
}

/* ---- until the agent reports ----------------------------------------------------------------------------- */

static void
decisions_stay_until_all_are_reported (void)
{
  g_auto (Cell) c = { 0 };

  if (!cell_start (&c, NODE ("n") CPUS ("n", "best-effort", "0-7", "") GROUP ("g", "2") WANTS ("a", "g", POLICY ("best-effort"), "2") WANTS ("b", "g", POLICY ("best-effort"), "2"), ALLOCATE))
    return;
  DECIDES (" a>n b>n");
  IS_FREE ("n", "4-7");
  DECIDES ("");
  DECIDES ("");
  CU_ASSERT_FALSE (c.result.changed); /* nothing new is decided */
  guint32 a = task_named (&c, "a"), b = task_named (&c, "b");
  vc_cache_pod_status (c.cache, a, VC_RUNNING);
  IS_FREE ("n", "4-7");
  vc_cache_pod_status (c.cache, a, VC_SUCCEEDED); /* reported no more, and never while b was: still subtracted */
  IS_FREE ("n", "4-7");
  vc_cache_pod_status (c.cache, b, VC_RUNNING);
  IS_FREE ("n", "4-7");
  vc_cache_remove_pod (c.cache, a);
  IS_FREE ("n", "0-1,4-7");
  vc_cache_pod_status (c.cache, b, VC_SUCCEEDED);
  IS_FREE ("n", "0-7");
}

static void
a_pod_that_never_ran_leaves (void)
{
  g_auto (Cell) c = { 0 };

  if (!cell_start (&c, NODE ("n") CPUS ("n", "best-effort", "0-7", "") GROUP ("g", "1") WANTS ("a", "g", POLICY ("best-effort"), "4"), ALLOCATE))
    return;
  DECIDES (" a>n");
  vc_cache_remove_pod (c.cache, task_named (&c, "a"));
  IS_FREE ("n", "0-7");
}

/* The object names a pod by its uid, or by namespace and name: it is reported. What it holds is missing among the free ones already. */
static void
an_object_reports_pods (void)
{
  g_auto (Cell) c = { 0 };
  static const VcNumaPod pods[] = { { "", "ns", "a" }, { "b", "", "" }, { "c", "", "" } };
  VcNumatopologyObject o = { .name = "n", .cpu_manager = "static", .topology_manager = "best-effort", .cpus = "4-7", .pod = pods, .n_pods = 1 };

  if (!cell_start (&c, NODE ("n") CPUS ("n", "best-effort", "0-7", "") GROUP ("g", "2") WANTS ("a", "g", POLICY ("best-effort"), "2") WANTS ("b", "g", POLICY ("best-effort"), "2"), ALLOCATE))
    return;
  const VcNumatopologyObject *first = NULL;
  for (guint i = 0; i < c.objects->objects->len; i++)
    if (((const WlObject *) c.objects->objects->pdata[i])->kind == WL_OBJECT_NUMATOPOLOGY)
      first = &((const WlObject *) c.objects->objects->pdata[i])->numatopology;
  o.detail = first->detail;
  o.n_details = first->n_details;
  DECIDES (" a>n b>n");
  vc_cache_add_numatopology (c.cache, &o);
  IS_FREE ("n", "4-7");
  o.cpus = "0-7"; /* b is not reported: both stay subtracted */
  vc_cache_add_numatopology (c.cache, &o);
  IS_FREE ("n", "4-7");
  o.n_pods = 2;
  vc_cache_add_numatopology (c.cache, &o);
  IS_FREE ("n", "0-7");
  vc_cache_remove_node (c.cache, "n");
  IS_FREE ("n", "unknown");
}

/* A pod that is only pipelined takes CPUs, too, and they stay taken where it never ran: upstream forgets them when the pod goes. */
static void
pipelined_pods_take_cpus (void)
{
  g_autofree char *conf = g_strdup_printf (CONF, "allocate, preempt");
  g_auto (Cell) c = { 0 };

  if (!cell_start (&c, NODE ("n") CPUS ("n", "best-effort", "4-7", "") GROUP ("low", "0") POD ("v", "low", "}", "cpu: 8, memory: 1Gi", ON ("n")) GROUP ("g", "1")
                       "- {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: ns, uid: p, annotations: {scheduling.k8s.io/group-name: g" POLICY ("best-effort") "}}, spec: {priority: 9, containers: [{resources: {limits: {cpu: 2, memory: 1Gi}, requests: {cpu: 2, memory: 1Gi}}}]}, status: {phase: Pending}}\n"
                       "- {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 9}\n"
                       "- {apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: g, namespace: ns}, spec: {minMember: 1, queue: q, priorityClassName: high}, status: {phase: Inqueue}}\n", conf))
    return;
  DECIDES (" p~n !v");
  IS_FREE ("n", "6-7");
  CU_ASSERT_TRUE (c.result.changed);
  vc_cache_remove_pod (c.cache, task_named (&c, "p")); /* not by its node: that one is not known of it */
  IS_FREE ("n", "6-7");
}

/* ---- shortcuts ------------------------------------------------------------------------------------------- */

static const char *
pick (guint64 *state, const char *const *list, guint n)
{
  return list[suite_random (state) % n];
}

static char *
random_world (guint64 *state)
{
  static const char *const policies[] = { "none", "best-effort", "restricted", "single-numa-node" };
  static const char *const free[] = { "0-7", "2-5", "0-3,6", "0,2,4,6", "1-7", "4-5" };
  static const char *const cpus[] = { "1", "2", "3", "4", "5", "1500m", "2" };
  GString *out = g_string_new (NULL);
  guint nodes = 2 + (guint) (suite_random (state) % 5), groups = 2 + (guint) (suite_random (state) % 4);

  for (guint i = 0; i < nodes; i++) {
    g_string_append_printf (out, NODE ("n%u"), i);
    if (suite_random (state) % 6 > 0)
      g_string_append_printf (out, CPUS ("n%u", "%s", "%s", ""), i, pick (state, policies, 4), pick (state, free, 6));
  }
  for (guint g = 0; g < groups; g++) {
    guint pods = 1 + (guint) (suite_random (state) % 4);

    g_string_append_printf (out, "- {apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: g%u, namespace: ns}, spec: {minMember: %u, queue: q}, status: {phase: Inqueue}}\n", g, 1 + (guint) (suite_random (state) % pods));
    const char *policy = pick (state, policies, 4), *size = pick (state, cpus, 7);
    for (guint p = 0; p < pods; p++) {
      const char *mine = suite_random (state) % 4 == 0 ? pick (state, policies, 4) : policy, *cpu = suite_random (state) % 4 == 0 ? pick (state, cpus, 7) : size;

      g_string_append_printf (out, POD ("g%u-p%u", "g%u" POLICY ("%s"), "}", "cpu: %s, memory: 1Gi", PENDING), g, p, g, p, g, mine, cpu, cpu);
    }
  }
  return g_string_free (out, FALSE);
}

static void
shortcuts_decide_the_same (void)
{
  guint64 state = 20260101;
  guint bound = 0;

  for (guint i = 0; i < 150; i++) {
    g_autofree char *items = random_world (&state);
    g_auto (Cell) fast = { 0 }, plain = { .plain = TRUE };

    if (!cell_start (&fast, items, ALLOCATE "  - name: nodeorder\n") || !cell_start (&plain, items, ALLOCATE "  - name: nodeorder\n"))
      return;
    for (guint k = 0; k < 3; k++) {
      g_autofree char *a = cell_cycle (&fast, TRUE), *b = cell_cycle (&plain, TRUE);

      bound += *a != '\0';
      if (!suite_check (strcmp (a, b) == 0 && fast.result.changed == plain.result.changed, "world %u, cycle %u: %s, plain:%s\n%s", i, k, a, b, items))
        return;
      for (guint32 t = 0; t < vc_cache_cluster (fast.cache)->n_tasks; t++)
        if (vc_cache_cluster (fast.cache)->task[t].status == VC_BOUND && suite_random (&state) % 3 == 0) {
          vc_cache_pod_status (fast.cache, t, VC_RUNNING);
          vc_cache_pod_status (plain.cache, t, VC_RUNNING);
        } else if (vc_cache_cluster (fast.cache)->task[t].status == VC_RUNNING && suite_random (&state) % 3 == 0) {
          vc_cache_pod_status (fast.cache, t, VC_SUCCEEDED);
          vc_cache_pod_status (plain.cache, t, VC_SUCCEEDED);
        }
      for (guint n = 0; n < vc_cache_cluster (fast.cache)->nodes.n; n++) {
        g_autofree char *l = free_cpus (&fast, vc_cache_cluster (fast.cache)->nodes.info[n].name), *r = free_cpus (&plain, vc_cache_cluster (fast.cache)->nodes.info[n].name);

        suite_check (strcmp (l, r) == 0, "world %u, cycle %u: free CPUs %s and %s", i, k, l, r);
      }
    }
  }
  suite_check (bound > 100, "%u cycles with placements", bound);
}

/* ---- runs ------------------------------------------------------------------------------------------------- */

#define JOB(name, submit, duration)                                                                                                                                          \
  "---\napiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: " name ", annotations: {volsim.io/submit: '" submit "'}}\n"                                       \
  "spec:\n  minAvailable: 1\n  tasks:\n  - name: w\n    replicas: 1\n    topologyPolicy: single-numa-node\n    template:\n      metadata: {annotations: {volsim.io/duration: '" duration "'}}\n" \
  "      spec: {restartPolicy: Never, containers: [{name: c, image: i, resources: {limits: {cpu: '3', memory: 1Gi}}}]}\n"

/* 64 CPUs to Kubernetes, 8 of them exclusive, on 2 NUMA nodes: 3 CPUs fit twice. The third job gets those of the first when it has ended. The node goes at
 * 300 and returns at 400: its agent reports all CPUs free again. */
static void
a_run_gives_cpus_out (void)
{
  g_autofree char *dir = test_make_dir ();
  g_autofree char *nodes = test_write (dir, "nodes.csv", "time,node,event,cpu,memory\n0,n,add,64,64Gi\n300,n,remove,,\n400,n,add,64,64Gi\n");
  g_autofree char *conf = test_write (dir, "v.conf", "actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n  - name: numa-aware\n");
  static const struct { const char *job, *start; } want[] = { { "a", "1" }, { "b", "1" }, { "c", "61" }, { "d", "71" }, { "e", "91" }, { "f", "400" } };
  g_autofree char *objects = test_write (dir, "objects.yaml", (CPUS ("n", "single-numa-node", "0-7", "") JOB ("a", "0", "60") JOB ("b", "0", "90") JOB ("c", "1", "10") JOB ("d", "2", "200") JOB ("e", "3", "1000") JOB ("f", "350", "10")) + 2);
  const char *const args[] = { "--nodes", nodes, "--objects", objects, "--conf", conf, NULL };
  g_autofree char *out = test_run_all_ways (dir, args), *table = g_build_filename (out, "tasks.csv", NULL);
  g_auto (TestTable) t = { 0 };

  if (suite_check (test_table_read (&t, table, NULL), "%s", table))
    for (guint k = 0; k < G_N_ELEMENTS (want); k++) {
      const char *start = "";

      for (guint r = t.rows->len; r-- > 0;) /* the first attempt */
        if (strcmp (test_table_cell (&t, r, test_table_column (&t, "job")), want[k].job) == 0)
          start = test_table_cell (&t, r, test_table_column (&t, "running"));
      suite_check (strcmp (start, want[k].start) == 0, "%s runs at '%s', expected %s", want[k].job, start, want[k].start);
    }
  test_remove_tree (dir);
}

static CU_TestInfo tests[] = {
  { "lists of CPUs", lists_of_cpus },
  { "ids need not be dense", ids_need_not_be_dense },
  { "a machine without details", a_machine_without_details },
  { "few NUMA nodes win", few_numa_nodes_win },
  { "pods are refused", pods_are_refused },
  { "a gang that fails gives back", a_gang_that_fails_gives_back },
  { "plans are carried out", plans_are_carried_out },
  { "decisions stay until all are reported", decisions_stay_until_all_are_reported },
  { "a pod that never ran leaves", a_pod_that_never_ran_leaves },
  { "an object reports pods", an_object_reports_pods },
  { "pipelined pods take CPUs", pipelined_pods_take_cpus },
  { "shortcuts decide the same", shortcuts_decide_the_same },
  { "a run gives CPUs out", a_run_gives_cpus_out },
  CU_TEST_INFO_NULL,
};

int
main (void)
{
  return suite_run ("numa", tests);
}
