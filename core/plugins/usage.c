/* core/plugins/usage.c - look at the measured load of nodes, and guess that of pods too young to be measured.
 *
 * Policy: measured are averages in percent over the period 10m, taken at a time; older than 5 minutes they count as unknown.
 *   filter     measured cpu above thresholds.cpu, or memory above thresholds.mem: no eviction helps; unknown passes
 *   comp       per dimension clamp ((percent / 100 * C + shadow) / C, 0, 1), 0 when C <= 0; C = the node's capacity
 *   score      ((1 - comp cpu) * wc + (1 - comp mem) * wm) / (wc + wm) * 100 * usage.weight; unknown scores 0
 *   shadow     per node the estimates of its pods that are Allocated, Binding, Bound, or Running for less than metrics.interval (or since an
 *              unknown time), in the order of their names when a session opens; then pods come and go as the session places and takes them
 *   estimate   clamp ((request * request_ratio + (limit - request) * burst_ratio) * risk, 0, limit), where a limit that is missing or below
 *              the request is the request; a best-effort pod counts be_cpu * risk, be_mem * risk
 *   risk       risk_factor when (comp cpu * wc + comp mem * wm) / (wc + wm) >= risk_threshold before the pod counts, else 1
 * What was added for a pod is taken back exactly. An eviction that is undone adds an estimate for a pod measured long ago, as upstream does;
 * unknown load still counts for the risk.
 *
 * Example: node 4000m, 8Gi at 50 %, 50 %, no shadow: load 0.5, risk 1; a pod of 1000m, 1Gi adds 700m, 0.7Gi. For a second one comp is 0.675
 * and 0.5875, the load 0.63 reaches 0.6, so it adds 840m, 0.84Gi.
 *
 * Mirrors pkg/scheduler/plugins/usage/{usage,estimator,shadow_cache}.go. */
#include "plugins.h"
#include "support.h"
#include "core/base/go-duration.h"
#include <math.h>

#define ACTIVE_US (G_GINT64_CONSTANT (300) * G_USEC_PER_SEC)
#define PERIOD "10m"

const VcArgSpec vc_usage_args[] = {
  { "usage.weight", VC_ARG_INT, "weight of the score (default 5)" },
  { "cpu.weight", VC_ARG_INT, "share of cpu in the load (default 1)" },
  { "memory.weight", VC_ARG_INT, "share of memory in the load (default 1)" },
  { "thresholds", VC_ARG_ANY, "map: cpu and mem, the measured load in percent up to which a node takes pods (default 80 and 80)" },
  { "estimator", VC_ARG_ANY, "map: request_ratio (default 0.7), burst_ratio (0), risk_threshold (0.6), risk_factor (1.2), "
                             "be_cpu (milli-cores or quantity, 250), be_mem (MiB or quantity, 200)" },
  { NULL, VC_ARG_ANY, NULL },
};

enum { CPU, MEMORY, N_DIMS };

typedef struct {
  guint32 node;
  double est[N_DIMS];
} Snapshot;

typedef struct {
  gint64 weight;
  double part[N_DIMS];      /* cpu.weight, memory.weight */
  double limit[N_DIMS];
  double request_ratio, burst_ratio, risk_threshold, risk_factor, best_effort[N_DIMS];
  gint64 interval_ns;
  /* of the session */
  double (*shadow)[N_DIMS]; /* by node row */
  guint32 n_shadows;
  VcMarks known;            /* tasks that have a snapshot */
  Snapshot *snapshot;       /* by task row */
} Usage;

/* ---- arguments -------------------------------------------------------------------------------- */

static gint64
int_within (const VcArgs *args, const char *key, gint64 fallback, gint64 most)
{
  gint64 v = fallback;

  vc_args_get_int (args, key, &v);
  return v >= 0 && v <= most ? v : fallback;
}

static double
float_within (const VcArgs *args, const char *key, double fallback, double least, double most)
{
  double v = fallback;

  vc_args_get_float (args, key, &v);
  return v >= least && v <= most ? v : fallback;
}

/* A whole number counts in @unit; a text is a quantity. */
static double
amount (const VcArgs *args, const char *key, double fallback, double unit, gboolean milli)
{
  const VcArg *a = vc_args_find (args, key);
  VcQuantity q;

  if (a != NULL && a->type == VC_VALUE_INT && a->i >= 0)
    return (double) a->i * unit;
  if (a != NULL && a->type == VC_VALUE_STRING && vc_quantity_parse (a->s, &q, NULL) && q.value >= 0)
    return (double) (milli ? q.milli : q.value);
  return fallback;
}

static const VcArgs *
section (const VcArgs *args, const char *key)
{
  const VcArg *a = vc_args_find (args, key);
  return a != NULL && !a->is_list ? a->child : NULL;
}

static gboolean
usage_init (gpointer self, const VcPluginOption *option, gboolean lenient, GError **error)
{
  Usage *u = self;
  const VcArgs *args = &option->args, *limits = section (args, "thresholds"), *e = section (args, "estimator");
  const double mib = 1048576;

  u->weight = int_within (args, "usage.weight", 5, G_MAXINT64);
  u->part[CPU] = (double) int_within (args, "cpu.weight", 1, G_MAXINT64);
  u->part[MEMORY] = (double) int_within (args, "memory.weight", 1, G_MAXINT64);
  u->limit[CPU] = (double) int_within (limits, "cpu", 80, 100);
  u->limit[MEMORY] = (double) int_within (limits, "mem", 80, 100);
  u->request_ratio = float_within (e, "request_ratio", 0.7, 0, 1);
  u->burst_ratio = float_within (e, "burst_ratio", 0, 0, 1);
  u->risk_threshold = float_within (e, "risk_threshold", 0.6, 0, 1);
  u->risk_factor = float_within (e, "risk_factor", 1.2, 1, HUGE_VAL);
  u->best_effort[CPU] = amount (e, "be_cpu", 250, 1, TRUE);
  u->best_effort[MEMORY] = amount (e, "be_mem", 200 * mib, mib, FALSE);
  u->interval_ns = G_GINT64_CONSTANT (30000000000);
  return TRUE;
}

/* ---- load ------------------------------------------------------------------------------------- */

static void
measured (const VcNode *node, double *percent)
{
  percent[CPU] = percent[MEMORY] = 0;
  for (guint i = 0; node->usage != NULL && i < node->usage->n; i++)
    if (strcmp (node->usage->average[i].period, PERIOD) == 0) {
      percent[CPU] = node->usage->average[i].cpu;
      percent[MEMORY] = node->usage->average[i].memory;
    }
}

static gboolean
is_fresh (VcSession *ssn, const VcNode *node)
{
  return node->usage != NULL && vc_session_now (ssn) - node->usage->time_us <= ACTIVE_US;
}

static double
composite (double percent, double shadow, double capacity)
{
  if (capacity <= 0)
    return 0;
  return CLAMP ((percent / 100.0 * capacity + shadow) / capacity, 0, 1.0);
}

static void
composites (const Usage *u, const VcCluster *c, guint32 node, double *comp)
{
  const VcNode *info = &c->nodes.info[node];
  double percent[N_DIMS];

  measured (info, percent);
  comp[CPU] = composite (percent[CPU], u->shadow[node][CPU], info->capacity->v[VC_RES_CPU]);
  comp[MEMORY] = composite (percent[MEMORY], u->shadow[node][MEMORY], info->capacity->v[VC_RES_MEMORY]);
}

static double
risk_of (const Usage *u, const VcCluster *c, guint32 node)
{
  double comp[N_DIMS], parts = u->part[CPU] + u->part[MEMORY], load = 0;

  composites (u, c, node, comp);
  if (parts != 0)
    load = (comp[CPU] * u->part[CPU] + comp[MEMORY] * u->part[MEMORY]) / parts;
  return load >= u->risk_threshold ? u->risk_factor : 1;
}

static double
estimate (const Usage *u, double request, double limit, double risk)
{
  double v;

  if (limit <= 0 || limit < request)
    limit = request;
  v = (request * u->request_ratio + (limit - request) * u->burst_ratio) * risk;
  return CLAMP (v, 0, limit);
}

/* ---- shadow ----------------------------------------------------------------------------------- */

static void
forget (Usage *u, guint32 task)
{
  const Snapshot *s = &u->snapshot[task];

  if (!vc_marks_has (&u->known, task))
    return;
  for (guint d = 0; d < N_DIMS; d++)
    u->shadow[s->node][d] = MAX (u->shadow[s->node][d] - s->est[d], 0);
  u->known.stamp[task] = 0;
}

static void
remember (Usage *u, const VcCluster *c, guint32 task, guint32 node)
{
  const VcShape *shape = c->task[task].shape;
  double risk = risk_of (u, c, node);
  Snapshot s = { .node = node };

  for (guint d = 0; d < N_DIMS; d++) {
    double request = shape->request->v[d == CPU ? VC_RES_CPU : VC_RES_MEMORY];
    s.est[d] = shape->best_effort ? u->best_effort[d] * risk : estimate (u, request, shape->limit[d], risk);
  }
  forget (u, task);
  for (guint d = 0; d < N_DIMS; d++)
    u->shadow[node][d] += s.est[d];
  u->snapshot[task] = s;
  vc_marks_add (&u->known, task);
}

/* Placed, and not measured yet? */
static gboolean
is_young (const Usage *u, VcSession *ssn, const VcTask *t)
{
  if (t->status == VC_ALLOCATED || t->status == VC_BINDING || t->status == VC_BOUND)
    return TRUE;
  if (t->status != VC_RUNNING)
    return FALSE;
  return t->start_time == VC_NO_TIME || (vc_session_now (ssn) - t->start_time * G_USEC_PER_SEC) < u->interval_ns / 1000 + (u->interval_ns % 1000 != 0);
}

static int
compare_keys (gconstpointer a, gconstpointer b, gpointer user)
{
  const VcTask *task = user;
  return strcmp (task[*(const guint32 *) a].key, task[*(const guint32 *) b].key);
}

static void
warm_up (Usage *u, VcSession *ssn)
{
  const VcCluster *c = vc_session_cluster (ssn);
  g_autoptr (GArray) young = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint32 i = 0; i < c->nodes.n_list; i++) {
    guint32 node = c->nodes.list[i];
    const VcNode *info = &c->nodes.info[node];

    g_array_set_size (young, 0);
    for (guint32 k = 0; k < info->n_tasks; k++)
      if (is_young (u, ssn, &c->task[info->task[k]]))
        g_array_append_val (young, info->task[k]);
    g_array_sort_with_data (young, compare_keys, c->task);
    for (guint k = 0; k < young->len; k++)
      remember (u, c, g_array_index (young, guint32, k), node);
  }
}

static gboolean
usage_allocated (gpointer self, VcSession *ssn, guint32 task)
{
  const VcCluster *c = vc_session_cluster (ssn);
  guint32 node = c->task[task].node;

  if (node != VC_NONE && c->nodes.info[node].listed)
    remember (self, c, task, node);
  return TRUE;
}

static void
usage_deallocated (gpointer self, VcSession *ssn, guint32 task)
{
  forget (self, task);
}

/* ---- filter and score ------------------------------------------------------------------------- */

static gboolean
usage_predicate (gpointer self, VcSession *ssn, guint32 task, guint32 node, VcFitError *e)
{
  static const char *const reason[N_DIMS] = { "the CPU load of the node exceeds the upper limit.",
                                              "the memory load of the node exceeds the upper limit." };
  const Usage *u = self;
  const VcNode *info = &vc_session_cluster (ssn)->nodes.info[node];
  double percent[N_DIMS];

  if (!is_fresh (ssn, info))
    return TRUE;
  measured (info, percent);
  for (guint d = 0; d < N_DIMS; d++)
    if (percent[d] > u->limit[d]) {
      vc_fit_error_add (e, VC_UNRESOLVABLE, reason[d], "usage");
      return FALSE;
    }
  return TRUE;
}

static gboolean
usage_score (gpointer self, VcSession *ssn, guint32 task, const guint32 *nodes, guint n, double *score)
{
  const Usage *u = self;
  const VcCluster *c = vc_session_cluster (ssn);
  double parts = u->part[CPU] + u->part[MEMORY];

  for (guint i = 0; i < n && parts != 0; i++) {
    double comp[N_DIMS];

    if (!is_fresh (ssn, &c->nodes.info[nodes[i]]))
      continue;
    composites (u, c, nodes[i], comp);
    score[i] += ((1.0 - comp[CPU]) * u->part[CPU] + (1.0 - comp[MEMORY]) * u->part[MEMORY]) / parts * 100.0 * (double) u->weight;
  }
  return TRUE;
}

/* What a node answers changes with the clock and with new measurements, which no change log tells. */
static VcScope
usage_scope (gpointer self, VcSession *ssn, const VcShape *shape)
{
  return VC_SCOPE_CLUSTER;
}

static void
usage_session_open (gpointer self, VcSession *ssn)
{
  Usage *u = self;
  const VcCluster *c = vc_session_cluster (ssn);
  const char *text = vc_session_metrics_interval (ssn);
  gint64 interval;

  if (text != NULL && vc_go_duration_parse (text, &interval) && interval > 0)
    u->interval_ns = interval;
  if (u->n_shadows < c->nodes.n) {
    u->n_shadows = c->nodes.cap;
    u->shadow = g_realloc_n (u->shadow, u->n_shadows, sizeof *u->shadow);
  }
  if (c->nodes.n > 0)
    memset (u->shadow, 0, u->n_shadows * sizeof *u->shadow);
  if (u->known.rows < c->n_tasks) {
    vc_marks_reserve (&u->known, c->n_tasks);
    u->snapshot = g_renew (Snapshot, u->snapshot, u->known.rows);
  }
  vc_marks_begin (&u->known);
  warm_up (u, ssn);
  vc_session_add_handlers (ssn, usage_allocated, usage_deallocated);
  vc_session_add_predicate (ssn, usage_predicate, NULL, usage_scope);
  vc_session_add_node_order (ssn, usage_score, usage_scope);
}

static void
usage_clear (gpointer self)
{
  Usage *u = self;

  g_free (u->shadow);
  g_free (u->snapshot);
  vc_marks_clear (&u->known);
}

const VcPluginClass vc_plugin_usage = {
  .name = "usage",
  .summary = VC_USAGE_SUMMARY,
  .args = vc_usage_args,
  .instance_size = sizeof (Usage),
  .init = usage_init,
  .session_open = usage_session_open,
  .clear = usage_clear,
};
