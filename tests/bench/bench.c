/* tests/bench/bench.c - how long scheduling cycles take on large clusters made in memory, in the processor time of the process (other work
 * on the machine hardly counts) and by the clock on the wall.
 *
 *   bench [--repeat N] [--plain] [--in-process] [FILTER]     FILTER: only the lines whose name contains it
 *
 * Every measurement runs in a process of its own, so that peak memory is its own too; the best of N
 * (default 3) is shown. --in-process runs each work once in this process, for a profiler. Nothing here is a test: the figures depend on the machine. Build with
 * --buildtype=release. */
#include "core/session/engine.h"
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GPU "nvidia.com/gpu"
#define VGPU "volcano.sh/vgpu-"
#define VGPU_REGISTER "volcano.sh/node-vgpu-register"
#define CARDS 8
#define CARD_MIB 40000
#define ZONE "topology.kubernetes.io/zone"
#define HOST "kubernetes.io/hostname"
#define GIB (G_GINT64_CONSTANT (1) << 30)
#define NOW (G_GINT64_CONSTANT (1767225600) * G_USEC_PER_SEC) /* 2026-01-01 */

typedef enum {
  PENDING, STEADY, FULL,
  RECLAIM, /* one queue runs on everything, another one wants its half */
  PREEMPT, /* gangs of a high priority, in the queue that runs on everything */
  TOPOLOGY, /* racks of 16 nodes, blocks of 10 racks, all of it: every gang within one rack */
  MIXED,    /* the same; each gang has a leader of another size */
  CROWDED,  /* the same; no rack has room for a gang, as every node is filled up but for a small rest on one in four */
  RELATED,  /* apps whose pods keep away from each other or spread, in 10 zones; a fifth of the pods runs already */
  SHARES,   /* vGPUs: 8 cards on each node, every pod takes a part of one or two */
  CPUS      /* exclusive CPUs: 4 NUMA nodes of 16 CPUs on each node, policy single-numa-node */
} Kind;
typedef struct {
  const char *name;
  Kind kind;
  guint nodes, gangs, gang, shapes;
  gint64 percentage; /* of nodes to find; 0: adaptive sampling, as Volcano does by default */
  const char *action; /* that evicts */
} Work;

static const Work works[] = {
  { "pods", PENDING, 5000, 10000, 1, 8, 0, NULL },
  { "pods, one shape", PENDING, 5000, 10000, 1, 1, 0, NULL },
  { "pods, all nodes searched", PENDING, 5000, 10000, 1, 8, 100, NULL },
  { "pods", PENDING, 1000, 10000, 1, 8, 0, NULL },
  { "pods, one shape", PENDING, 1000, 10000, 1, 1, 0, NULL },
  { "pods, all nodes searched", PENDING, 1000, 10000, 1, 8, 100, NULL },
  { "gangs of 10", PENDING, 5000, 1000, 10, 8, 0, NULL },
  { "gangs of 10", PENDING, 1000, 1000, 10, 8, 0, NULL },
  { "gangs of 100", PENDING, 5000, 100, 100, 8, 0, NULL },
  { "gangs of 100, one shape", PENDING, 5000, 100, 100, 1, 0, NULL },
  { "gangs of 100, all nodes searched", PENDING, 5000, 100, 100, 8, 100, NULL },
  { "gangs of 100", PENDING, 1000, 100, 100, 8, 0, NULL },
  { "steady: 10,000 run, 100 new", STEADY, 5000, 100, 1, 8, 0, NULL },
  { "steady: 10,000 run, 100 new", STEADY, 1000, 100, 1, 8, 0, NULL },
  { "nothing fits, 1,000 jobs", FULL, 5000, 1000, 1, 1000, 0, NULL },
  { "nothing fits, 1,000 jobs, one shape", FULL, 5000, 1000, 1, 1, 0, NULL },
  { "nothing fits, 4,000 jobs", FULL, 1000, 4000, 1, 4000, 0, NULL },
  { "nothing fits, 4,000 jobs, one shape", FULL, 1000, 4000, 1, 1, 0, NULL },
  { "reclaim, 4,000 run, 4,000 wait", RECLAIM, 500, 4000, 1, 1, 0, "reclaim" },
  { "preempt, 4,000 run, 100 gangs of 8", PREEMPT, 500, 100, 8, 1, 0, "preempt" },
  { "gangpreempt, the same", PREEMPT, 500, 100, 8, 1, 0, "gangpreempt" },
  { "gangs of 16 in racks", TOPOLOGY, 4000, 500, 16, 8, 0, NULL },
  { "gangs of 1 and 15 in racks", MIXED, 4000, 500, 16, 8, 0, NULL },
  { "gangs of 16, no rack has room", CROWDED, 4000, 500, 16, 8, 0, NULL },
  { "pods that avoid and spread", RELATED, 5000, 10000, 1, 1, 0, NULL },
  { "pods that avoid and spread, all nodes", RELATED, 5000, 10000, 1, 1, 100, NULL },
  { "shares of GPUs", SHARES, 1000, 5000, 1, 8, 0, NULL },
  { "shares of GPUs, all nodes searched", SHARES, 1000, 5000, 1, 8, 100, NULL },
  { "pods with CPUs of their own", CPUS, 1000, 5000, 1, 8, 0, NULL },
};

typedef struct {
  double wall_ms, cpu_ms;
} Span;
typedef struct {
  Span first, second; /* the measured cycle, and another one right after it */
  guint binds, evictions;
  double peak_mib;
} Figures;

static double
milliseconds (clockid_t clock)
{
  struct timespec t;

  clock_gettime (clock, &t);
  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6;
}

/* ---- a cluster ---- */

static VcAmount
amount (const char *name, gint64 milli)
{
  VcAmount a = { name, { (milli + 999) / 1000, milli } };

  return a;
}

static VcAmount
bytes (const char *name, gint64 n)
{
  VcAmount a = { name, { n, n * 1000 } };

  return a;
}

static void
add_queue (VcCache *cache, const char *name, const char *parent)
{
  const VcQueueObject q = {
    .name = name, .parent = parent, .state = "Open", .created = 0, .weight = 1, .reclaimable = -1
  };

  vc_cache_add_queue (cache, &q);
}

/* The annotation by which the device plugin announces the cards of a node. (transfer full) */
static char *
cards_of (guint node)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < CARDS; i++)
    g_string_append_printf (out, "GPU-%u-%u,10,%d,NVIDIA-A,true,hami-core:", node, i, CARD_MIB);
  return g_string_free (out, FALSE);
}

static void
add_cpus (VcCache *cache, const char *node)
{
  VcCpuDetail detail[64];

  for (guint i = 0; i < G_N_ELEMENTS (detail); i++)
    detail[i] = (VcCpuDetail){ .cpu = i, .numa = i / 16, .socket = i / 32, .core = i / 2 };
  const VcNumatopologyObject o = { .name = node, .cpu_manager = "static", .topology_manager = "single-numa-node", .cpus = "0-63", .detail = detail, .n_details = G_N_ELEMENTS (detail) };
  vc_cache_add_numatopology (cache, &o);
}

static VcCache *
new_cluster (guint nodes, Kind kind)
{
  gboolean gpus = kind == RECLAIM || kind == PREEMPT;

  VcCacheOptions options;
  VcCache *cache;

  const char *const scalars[] = { GPU, VGPU "number", VGPU "memory", VGPU "cores" };
  const VcPriorityClassObject high = { "high", 1000, FALSE };

  vc_cache_options_init (&options);
  cache = vc_cache_new (vc_res_names_new (scalars, kind == SHARES ? 4 : gpus ? 1 : 0, NULL), &options);
  vc_cache_add_priority_class (cache, &high);
  add_queue (cache, "root", "");
  add_queue (cache, "default", "root");
  if (gpus)
    add_queue (cache, "other", "root");
  for (guint i = 0; i < nodes; i++) {
    g_autofree char *name = g_strdup_printf ("node-%05u", i);
    const VcAmount room[]
        = { amount ("cpu", 64000), bytes ("memory", 256 * GIB), amount ("pods", 110000), amount (GPU, 8000) };
    const VcAmount shares[] = { room[0], room[1], room[2], amount (VGPU "number", 10 * CARDS * 1000), amount (VGPU "memory", (gint64) CARDS * CARD_MIB * 1000),
                                amount (VGPU "cores", 100 * CARDS * 1000) };
    g_autofree char *cards = cards_of (i), *zone = g_strdup_printf ("zone-%02u", i % 10);
    const VcPair labels[] = { { HOST, name }, { ZONE, zone } }, annotation = { VGPU_REGISTER, cards };
    const VcNodeObject node = { .name = name,
                                .allocatable = { kind == SHARES ? shares : room, kind == SHARES ? 6 : gpus ? 4 : 3, TRUE },
                                .labels = { labels, 2 },
                                .annotations = { &annotation, kind == SHARES } };

    vc_cache_add_node (cache, &node);
    if (kind == CPUS)
      add_cpus (cache, name);
  }
  return cache;
}

/* Request @shape of @shapes: a few cores each, all different. */
static void
request_of (guint shape, guint shapes, VcAmount out[2])
{
  if (shapes <= 8) {
    static const gint64 cpu[] = { 2000, 500, 1000, 4000, 1500, 3000, 250, 6000 };

    out[0] = amount ("cpu", cpu[shape % 8]);
    out[1] = bytes ("memory", (gint64) (shape % 8 + 1) * GIB);
    return;
  }
  out[0] = amount ("cpu", 2000 + shape);
  out[1] = bytes ("memory", 4 * GIB + (gint64) shape * 1024 * 1024);
}

typedef struct {
  const char *prefix, *queue, *class;
  guint size;
  const VcAmount *request;
  guint n_request;
  VcTopologySpec topology;
  const VcAmount *leader; guint n_leader; /* what the first pod asks for, where it differs; NULL */
  const VcPodSpec *rules;                 /* of the pods, without containers; NULL: none */
  const char *app;                        /* label; NULL: none */
  VcPair annotation;                      /* of the pods; key NULL: none */
} Gang;

/* A PodGroup that is Inqueue already, with all of its pods pending, or running on @node. */
static void
add_gang (VcCache *cache, const Gang *gang, guint id, const char *node)
{
  guint size = gang->size;
  g_autofree char *group = g_strdup_printf ("%s-%06u", gang->prefix, id);
  const VcPair annotations[]
      = { { "scheduling.k8s.io/group-name", group }, { "volcano.sh/task-spec", "w" }, gang->annotation };
  const VcPair leader[] = { annotations[0], { "volcano.sh/task-spec", "l" } }, label = { "app", gang->app };
  const VcPodGroupObject pod_group = {
    .ns = "default",
    .name = group,
    .uid = group,
    .created = 0,
    .queue = gang->queue,
    .priority_class = gang->class,
    .min_member = (gint32) size,
    .phase = node != NULL ? "Running" : "Inqueue",
    .topology = gang->topology,
  };

  vc_cache_add_pod_group (cache, &pod_group);
  for (guint i = 0; i < size; i++) {
    g_autofree char *name = g_strdup_printf ("%s-w-%u", group, i);
    gboolean leads = i == 0 && gang->leader != NULL;
    const VcAmounts asks = { leads ? gang->leader : gang->request, leads ? gang->n_leader : gang->n_request, TRUE };
    const VcContainer container = { .name = "main", .request = asks, .limit = asks };
    VcPodSpec spec = gang->rules != NULL ? *gang->rules : (VcPodSpec){ 0 };

    spec.container = &container;
    spec.n_containers = 1;
    const VcPodObject pod = {
      .ns = "default",
      .name = name,
      .uid = name,
      .annotations = { leads ? leader : annotations, gang->annotation.key != NULL ? 3 : 2 },
      .labels = { &label, gang->app != NULL },
      .created = 0,
      .phase = node != NULL ? VC_POD_RUNNING : VC_POD_PENDING,
      .node = node,
      .start_time = VC_NO_TIME,
      .spec = spec,
    };

    vc_cache_add_pod (cache, &pod);
  }
}

static void
add_gangs (VcCache *cache, const char *prefix, guint gangs, guint size, guint shapes, VcTopologySpec topology, gboolean leaders)
{
  const VcAmount leader[] = { amount ("cpu", 750), bytes ("memory", 3 * GIB) };

  for (guint g = 0; g < gangs; g++) {
    VcAmount request[2];

    const Gang gang = { prefix, "default", NULL, size, request, 2, topology, leaders ? leader : NULL, 2, NULL, NULL, { NULL, NULL } };

    request_of (g % shapes, shapes, request);
    add_gang (cache, &gang, g, NULL);
  }
}

/* Pods of 50 apps, one after the other: of five apps the first keeps its pods on different nodes, the second would rather and spreads them over zones
 * evenly, the third spreads over zones evenly and over nodes if it can, the fourth keeps them on different nodes and likes the zones of the first, the
 * fifth asks for nothing, but has others around. */
static void
add_related (VcCache *cache, const char *prefix, guint pods)
{
  enum { APPS = 50 };

  for (guint i = 0; i < pods; i++) {
    guint app = i % APPS;
    char name[16], friend[16];
    VcAmount request[2];

    g_snprintf (name, sizeof name, "app-%02u", app);
    g_snprintf (friend, sizeof friend, "app-%02u", app / 5 * 5);
    const VcPair own = { "app", name }, other = { "app", friend };
    const VcSelector of_own = { TRUE, { &own, 1 }, NULL, 0 };
    const VcPodTerm apart = { .topology_key = HOST, .selector = of_own, .weight = 50 }, near = { .topology_key = ZONE, .selector = { TRUE, { &other, 1 }, NULL, 0 }, .weight = 20 };
    const VcSpread spread[] = { { .topology_key = ZONE, .selector = of_own, .max_skew = 1, .min_domains = 1, .hard = TRUE },
                                { .topology_key = HOST, .selector = of_own, .max_skew = 1, .min_domains = 1 } };
    const VcPodSpec rules = {
      .affinity = { app % 5 == 3, NULL, 0, &near, app % 5 == 3 },
      .anti_affinity = { app % 5 == 0 || app % 5 == 1 || app % 5 == 3, &apart, app % 5 == 0 || app % 5 == 3, &apart, app % 5 == 1 },
      .spread = spread,
      .n_spreads = app % 5 == 1 ? 1 : app % 5 == 2 ? 2 : 0,
    };
    const Gang gang = { prefix, "default", NULL, 1, request, 2, { 0 }, NULL, 0, &rules, name, { NULL, NULL } };

    request_of (app, 8, request);
    add_gang (cache, &gang, i, NULL);
  }
}

/* Parts of one card, or of two. */
static void
add_shares (VcCache *cache, guint pods, guint shapes)
{
  for (guint i = 0; i < pods; i++) {
    guint shape = i % shapes;
    const VcAmount request[] = { amount ("cpu", 1000), bytes ("memory", GIB), amount (VGPU "number", shape % 4 == 3 ? 2000 : 1000),
                                 amount (VGPU "memory", (gint64) (4000 + 2000 * shape) * 1000), amount (VGPU "cores", (gint64) (5 + 5 * shape) * 1000) };
    const Gang gang = { "new", "default", NULL, 1, request, 5, { 0 }, NULL, 0, NULL, NULL, { NULL, NULL } };

    add_gang (cache, &gang, i, NULL);
  }
}

static void
add_pinned (VcCache *cache, guint pods, guint shapes)
{
  for (guint i = 0; i < pods; i++) {
    const VcAmount request[] = { amount ("cpu", (gint64) (1 + i % shapes) * 1000), bytes ("memory", GIB) };
    const VcPodSpec rules = { .qos = VC_QOS_GUARANTEED };
    const Gang gang = { "new", "default", NULL, 1, request, 2, { 0 }, NULL, 0, &rules, NULL, { "volcano.sh/numa-topology-policy", "single-numa-node" } };

    add_gang (cache, &gang, i, NULL);
  }
}

/* HyperNodes of @tier, each with @each of the @n members, which are called after @child. How many there are.  */
static guint
add_tier (VcCache *cache, guint tier, const char *child, guint n, guint each)
{
  VcMember *member = g_new0 (VcMember, each);
  guint made = 0;

  for (guint first = 0; first < n; first += each, made++) {
    g_autofree char *name = g_strdup_printf ("tier%u-%05u", tier, made);
    VcHyperNodeObject o = { .name = name, .tier = tier, .member = member, .n_members = MIN (each, n - first) };

    for (guint i = 0; i < o.n_members; i++)
      member[i] = (VcMember){ .type = tier == 1 ? VC_MEMBER_NODE : VC_MEMBER_HYPER_NODE, .exact = g_strdup_printf ("%s-%05u", child, first + i) };
    vc_cache_add_hyper_node (cache, &o);
    for (guint i = 0; i < o.n_members; i++)
      g_free ((char *) member[i].exact);
  }
  g_free (member);
  return made;
}

static void
add_hyper_nodes (VcCache *cache, guint nodes)
{
  guint racks = add_tier (cache, 1, "node", nodes, 16), blocks = add_tier (cache, 2, "tier1", racks, 10);

  add_tier (cache, 3, "tier2", blocks, blocks);
}

/* Evicted pods are on their way. */
static void
let_leave (VcCache *cache)
{
  const GArray *evicts = vc_cache_evicts (cache);

  for (guint i = 0; i < evicts->len; i++) {
    vc_cache_pod_status (cache, g_array_index (evicts, VcEvict, i).task, VC_RELEASING);
    vc_cache_pod_evicted (cache, g_array_index (evicts, VcEvict, i).task);
  }
}

/* Binds become running pods, as after the cycle in a simulation. */
static guint
let_run (VcCache *cache)
{
  GArray *binds = vc_cache_binds (cache);
  guint n = binds->len;

  for (guint i = 0; i < n; i++)
    vc_cache_pod_status (cache, g_array_index (binds, VcBind, i).task, VC_RUNNING);
  g_array_set_size (binds, 0);
  g_array_set_size (vc_cache_evicts (cache), 0);
  g_array_set_size (vc_cache_statuses (cache), 0);
  return n;
}

static Span
timed_cycle (VcEngine *engine)
{
  VcCycleResult result;
  double wall = milliseconds (CLOCK_MONOTONIC), cpu = milliseconds (CLOCK_PROCESS_CPUTIME_ID);

  vc_engine_cycle (engine, NOW, &result);
  return (Span) { milliseconds (CLOCK_MONOTONIC) - wall, milliseconds (CLOCK_PROCESS_CPUTIME_ID) - cpu };
}

/* Eight jobs of one GPU run on every node, so that none is left. */
static void
fill_with_gpu_jobs (VcCache *cache, guint nodes, const VcAmount request[3])
{
  const Gang low = { "low", "default", NULL, 1, request, 3, { 0 }, NULL, 0, NULL, NULL, { NULL, NULL } };

  for (guint i = 0; i < nodes * 8; i++) {
    g_autofree char *node = g_strdup_printf ("node-%05u", i % nodes);

    add_gang (cache, &low, i, node);
  }
}

static gboolean
is_topology (Kind kind)
{
  return kind == TOPOLOGY || kind == MIXED || kind == CROWDED;
}

static VcConf *
conf_of (const Work *w)
{
  static const char usual[] = "actions: \"enqueue, allocate, backfill\"\ntiers:\n- plugins: [{name: priority}, {name: gang, enablePreemptable: false}, "
                              "{name: conformance}]\n- plugins: [{name: overcommit}, {name: drf, enablePreemptable: false}, {name: predicates}, "
                              "{name: proportion}, {name: nodeorder}, {name: binpack}";
  const char *more = is_topology (w->kind) ? ", {name: network-topology-aware}]\n"
                     : w->kind == SHARES ? ", {name: deviceshare, arguments: {deviceshare.VGPUEnable: true, deviceshare.SchedulePolicy: binpack, deviceshare.ScheduleWeight: 10}}]\n"
                     : w->kind == CPUS ? ", {name: numa-aware, arguments: {weight: 10}}]\n" : NULL;
  g_autofree char *text = g_strconcat (usual, more, NULL);
  VcConf *conf = more != NULL ? vc_conf_parse (text, strlen (text), "bench", vc_catalog (), FALSE, NULL, NULL) : vc_conf_chart ();
  const char *actions[] = { "allocate", w->action, "backfill", NULL };

  if (w->action != NULL) {
    g_strfreev (conf->actions);
    conf->actions = g_strdupv ((char **) actions);
  }
  return conf;
}

/* ---- one measurement ---- */

static Figures
measure (const Work *w, gboolean plain)
{
  g_autoptr (VcCache) cache = new_cluster (w->nodes, w->kind);
  g_autoptr (VcEngine) engine = NULL;
  VcEngineOptions options;
  Figures f = { 0 };
  struct rusage usage;

  vc_engine_options_init (&options);
  options.percentage_nodes_to_find = w->percentage;
  options.plain = plain;
  engine = vc_engine_new (cache, conf_of (w), FALSE, &options, NULL);
  if (w->kind == STEADY) {
    add_gangs (cache, "old", 10000, 1, w->shapes, (VcTopologySpec){ 0 }, FALSE);
    for (guint i = 0; i < 3; i++) { /* placed, then seen running, then at rest */
      timed_cycle (engine);
      let_run (cache);
    }
  } else if (w->kind == RELATED) {
    add_related (cache, "old", w->gangs / 4);
    timed_cycle (engine);
    let_run (cache);
  } else if (w->kind == CROWDED) {
    for (guint i = 0; i < w->nodes; i++) {
      g_autofree char *node = g_strdup_printf ("node-%05u", i);
      const VcAmount most[] = { amount ("cpu", i % 4 == 0 ? 63300 : 63900), bytes ("memory", 200 * GIB) };
      const Gang full = { "full", "default", NULL, 1, most, 2, { 0 }, NULL, 0, NULL, NULL, { NULL, NULL } };

      add_gang (cache, &full, i, node);
    }
  } else if (w->kind == FULL) {
    const VcAmount all[] = { amount ("cpu", 63000), bytes ("memory", 200 * GIB) };
    const Gang full = { "full", "default", NULL, 1, all, 2, { 0 }, NULL, 0, NULL, NULL, { NULL, NULL } };

    for (guint i = 0; i < w->nodes; i++) {
      g_autofree char *node = g_strdup_printf ("node-%05u", i);

      add_gang (cache, &full, i, node);
    }
    timed_cycle (engine);
    let_run (cache);
  }
  if (w->kind == RECLAIM || w->kind == PREEMPT) {
    const VcAmount one[] = { amount ("cpu", 4000), bytes ("memory", 8 * GIB), amount (GPU, 1000) };
    const Gang gang = { "new", w->kind == RECLAIM ? "other" : "default", w->kind == PREEMPT ? "high" : NULL, w->gang, one, 3, { 0 }, NULL, 0, NULL, NULL, { NULL, NULL } };

    fill_with_gpu_jobs (cache, w->nodes, one);
    timed_cycle (engine);
    let_run (cache);
    for (guint g = 0; g < w->gangs; g++)
      add_gang (cache, &gang, g, NULL);
  } else if (w->kind == RELATED) {
    add_related (cache, "new", w->gangs);
  } else if (w->kind == SHARES) {
    add_shares (cache, w->gangs, w->shapes);
  } else if (w->kind == CPUS) {
    add_pinned (cache, w->gangs, w->shapes);
  } else {
    const VcTopologySpec rack = { VC_TOPOLOGY_HARD, TRUE, 1, NULL };

    if (is_topology (w->kind))
      add_hyper_nodes (cache, w->nodes);
    add_gangs (cache, "new", w->gangs, w->gang, w->shapes, is_topology (w->kind) ? rack : (VcTopologySpec){ 0 }, w->kind == MIXED);
  }
  f.first = timed_cycle (engine);
  f.evictions = vc_cache_evicts (cache)->len;
  let_leave (cache);
  f.binds = let_run (cache);
  f.second = timed_cycle (engine);
  getrusage (RUSAGE_SELF, &usage);
  f.peak_mib = (double) usage.ru_maxrss / 1024;
  return f;
}

static gboolean
measure_apart (const Work *w, gboolean plain, Figures *out)
{
  int ends[2], status = 0;
  pid_t child;
  gboolean ok;

  if (pipe (ends) != 0)
    return FALSE;
  fflush (stdout);
  child = fork ();
  if (child == 0) {
    Figures f = measure (w, plain);

    _exit (write (ends[1], &f, sizeof f) == (ssize_t) sizeof f ? 0 : 1);
  }
  close (ends[1]);
  ok = child > 0 && read (ends[0], out, sizeof *out) == (ssize_t) sizeof *out;
  close (ends[0]);
  return child > 0 && waitpid (child, &status, 0) == child && status == 0 && ok;
}

static void
print_line (const Work *w, const Figures *f)
{
  double placed = f->binds;

  printf ("%-36s %6u %8u %8u %11.3f %11.3f %11.3f %11.3f", w->name, w->nodes, f->binds, f->evictions, f->first.cpu_ms, f->second.cpu_ms,
          f->first.wall_ms, f->second.wall_ms);
  if (f->binds > 0)
    printf (" %11.3f %12.0f", f->first.cpu_ms * 1e3 / placed, placed / f->first.cpu_ms * 1e3);
  else
    printf (" %11s %12s", "-", "-");
  printf (" %9.1f\n", f->peak_mib);
  fflush (stdout);
}

int
main (int argc, char **argv)
{
  const char *filter = "";
  int repeat = 3;
  gboolean plain = FALSE, in_process = FALSE;

  for (int i = 1; i < argc; i++)
    if (strcmp (argv[i], "--plain") == 0)
      plain = TRUE;
    else if (strcmp (argv[i], "--in-process") == 0)
      in_process = TRUE;
    else if (strcmp (argv[i], "--repeat") == 0 && i + 1 < argc)
      repeat = (int) g_ascii_strtoll (argv[++i], NULL, 10);
    else if (argv[i][0] != '-')
      filter = argv[i];
    else {
      fprintf (stderr, "usage: bench [--repeat N] [--plain] [--in-process] [FILTER]\n");
      return 2;
    }
  printf ("%-36s %6s %8s %8s %11s %11s %11s %11s %11s %12s %9s\n", "work", "nodes", "placed", "evicted", "cycle cpu", "next cpu",
          "cycle wall", "next wall", "us/placed", "placed/s", "peak MiB");
  for (guint i = 0; i < G_N_ELEMENTS (works); i++) {
    const Work *w = &works[i];
    Figures best = { 0 };

    if (strstr (w->name, filter) == NULL)
      continue;
    if (in_process)
      best = measure (w, plain);
    for (int k = 0; k < MAX (repeat, 1) && !in_process; k++) {
      Figures f;

      if (!measure_apart (w, plain, &f)) {
        fprintf (stderr, "bench: '%s' on %u nodes failed\n", w->name, w->nodes);
        return 1;
      }
      if (k == 0 || f.first.cpu_ms < best.first.cpu_ms)
        best = f;
    }
    print_line (w, &best);
  }
  return 0;
}
