/* core/plugins/network-topology-aware.c - keep a job within few switches, and fill network domains one after the other.
 *
 * Policy: HyperNodes are domains of nodes, one inside the other; tier 1 is the closest network, the virtual root above the highest tier holds
 * every node. A job (or sub-job) with a hard topology is offered the HyperNodes up to its highest tier, the lowest tier first; what it holds
 * already narrows them to its own branch. Without that, a HyperNode whose idle room, and room that will be idle, is below the job's
 * minResources (a sub-job's pending requests) is not offered; both are those of the session's opening. For evictions the widest come first,
 * at most max-hypernodes, and a HyperNode only has to be large enough.
 *   HyperNode for a sub-job = 100 weight (pack + tie), pack = sum w_r (used_r + request_r) / allocatable_r / sum w_r over all tasks of the sub-job,
 *     0 when one resource does not fit; among several best ones tie = share of the sub-job's tasks that are inside
 *   node for a task of a sub-job that has a topology and holds something: 100 weight (near + tie), near = 1 in the HyperNode that is held, else
 *     (maxTier - tier of the common ancestor) / (maxTier - minTier); tie as above, for the node's HyperNode of the lowest tier
 *   node for any other task = 100 weight * sum over tiers of fading^(tier - 1) pack / sum of fading^(tier - 1), pack of the node's HyperNode in
 *     that tier for the task's request, 1 where it has none
 * `used` follows what the session places and evicts; only cpu, memory and listed resources count.
 *
 * Example: s3, s4 in s1 and s5, s6 in s2 (tiers 1 and 2), s1 and s2 in s0 (tier 3), so the root has tier 4. A sub-job of 4 tasks holds
 * s1, two of its tasks are in s3, one is in s4: nodes of s3 get 100 (2/3 + 2/4) = 116.7, of s4 100 (2/3 + 1/4) = 91.7, of s5 100/3 = 33.3.
 *
 * Mirrors pkg/scheduler/plugins/network-topology-aware/network_topology_aware.go. */
#include "core/base/go-number.h"
#include "pack-weights.h"
#include "plugins.h"
#include "support.h"
#include <math.h>

#define PACK "hypernode.binpack."
#define LIST PACK "resources"
#define DEFAULT_FADING 0.8
#define DEFAULT_DOMAINS 8

const VcArgSpec vc_network_topology_aware_args[] = {
  { "weight", VC_ARG_INT, "weight of the scores (default 1; below 0 counts as 1)" },
  { PACK "cpu", VC_ARG_INT, "weight of cpu in packing HyperNodes (default 1; below 0 counts as 1)" },
  { PACK "memory", VC_ARG_INT, "weight of memory (default 1; below 0 counts as 1)" },
  { LIST, VC_ARG_STRING, "further resources that count, separated by commas (default none)" },
  { LIST ".*", VC_ARG_INT, "weight of a listed resource (default 1; below 0 counts as 1)" },
  { PACK "normal-pod.enable", VC_ARG_BOOL, "pack pods without a network topology, too (default true)" },
  { PACK "normal-pod.fading", VC_ARG_FLOAT, "weight of each tier, relative to the one below, in doing so (default 0.8; below 0 counts as 0.8)" },
  { "hypernode.gradient.evict.max-hypernodes", VC_ARG_INT, "HyperNodes that a gang is offered for evictions (default 8; 0 or less counts as 8)" },
  { NULL, VC_ARG_ANY, NULL },
};

typedef enum { ALLOCATABLE, USED, IDLE, FUTURE, N_FIGURES } Figure;

typedef struct {
  gint64 weight, max_domains;
  gboolean normal;
  double fading;
  VcPackWeights pack;
  guint by_name[VC_RES_MAX], n_by_name; /* all dimensions */
  /* sums over the nodes of each HyperNode, [row][figure][dimension] */
  double *sum;
  guint32 cap;
  VcMarks stale;
  guint32 version, epoch; /* of the tree and of the nodes' change log when the sums were made */
  gsize pos;
  /* of the session */
  const VcHyperView *v;
  gint64 min_tier, max_tier;
  GArray *tier_weight; /* double, from min_tier to max_tier */
  double total_weight;
  guint32 *inside;     /* [rows of HyperNodes] scratch, 0 */
} Topology;

/* ---- arguments ------------------------------------------------------------------------------------- */

static gboolean
topology_init (gpointer self, const VcPluginOption *option, gboolean lenient, GError **error)
{
  Topology *p = self;
  const VcArgs *args = &option->args;

  p->weight = vc_pack_weight_arg (args, "weight");
  vc_pack_weights_read (&p->pack, args, PACK);
  p->normal = TRUE;
  vc_args_get_bool (args, PACK "normal-pod.enable", &p->normal);
  p->fading = DEFAULT_FADING;
  vc_args_get_float (args, PACK "normal-pod.fading", &p->fading);
  if (p->fading < 0)
    p->fading = DEFAULT_FADING;
  p->max_domains = DEFAULT_DOMAINS;
  vc_args_get_int (args, "hypernode.gradient.evict.max-hypernodes", &p->max_domains);
  if (p->max_domains <= 0)
    p->max_domains = DEFAULT_DOMAINS;
  p->tier_weight = g_array_new (FALSE, FALSE, sizeof (double));
  return TRUE;
}

/* ---- figures of HyperNodes --------------------------------------------------------------------------- */

static inline double *
figure (const Topology *p, const VcCluster *c, guint32 hyper, Figure f)
{
  return p->sum + ((gsize) hyper * N_FIGURES + f) * c->n_res;
}

/* Sums run over the nodes by name. */
static void
sum_up (Topology *p, VcCluster *c, guint32 hyper)
{
  const VcHyperNode *h = &p->v->hyper[hyper];
  const guint32 *node = hyper == VC_HYPER_ROOT ? vc_cluster_nodes_by_name (c) : h->node;

  memset (figure (p, c, hyper, 0), 0, N_FIGURES * c->n_res * sizeof (double));
  for (guint d = 0; d < c->n_res; d++) {
    double *at = figure (p, c, hyper, 0) + d;
    for (guint32 i = 0; i < h->n_nodes; i++) {
      at[ALLOCATABLE * c->n_res] += c->nodes.info[node[i]].allocatable->v[d];
      at[USED * c->n_res] += c->nodes.used[d][node[i]];
      at[IDLE * c->n_res] += c->nodes.idle[d][node[i]];
      at[FUTURE * c->n_res] += c->nodes.future[d][node[i]];
    }
  }
}

/* Bring the sums to the state of the nodes: as a rule only HyperNodes of nodes that have changed since. */
static void
refresh_sums (Topology *p, VcCluster *c)
{
  const VcNodes *n = &c->nodes;
  gboolean all = p->version != p->v->version || p->epoch != n->log_epoch || p->v->n > p->cap;

  if (p->v->n > p->cap) {
    p->cap = MAX (p->v->n, p->cap * 2u);
    p->sum = g_renew (double, p->sum, (gsize) p->cap * N_FIGURES * c->n_res);
    g_free (p->inside);
    p->inside = g_new0 (guint32, p->cap);
  }
  vc_marks_reserve (&p->stale, p->cap);
  vc_marks_begin (&p->stale);
  for (gsize i = all ? n->n_log : p->pos; i < n->n_log; i++)
    for (guint32 k = p->v->holder_at[n->log[i]]; k < p->v->holder_at[n->log[i] + 1]; k++)
      if (vc_marks_add (&p->stale, p->v->holder[k]))
        sum_up (p, c, p->v->holder[k]);
  for (guint32 h = 0; all && h < p->v->n; h++)
    sum_up (p, c, h);
  p->version = p->v->version;
  p->epoch = n->log_epoch;
  p->pos = n->n_log;
}

static void
add_used (Topology *p, const VcCluster *c, guint32 task, double sign)
{
  const VcTask *t = &c->task[task];

  for (guint32 k = p->v->holder_at[t->node]; k < p->v->holder_at[t->node + 1]; k++) {
    double *used = figure (p, c, p->v->holder[k], USED);
    for (guint64 left = t->shape->dims; left != 0; left &= left - 1) {
      guint d = (guint) __builtin_ctzll (left);
      used[d] += sign * t->shape->request->v[d];
    }
  }
}

static gboolean
topology_allocated (gpointer self, VcSession *ssn, guint32 task)
{
  add_used (self, vc_session_cluster (ssn), task, 1);
  return TRUE;
}

static void
topology_deallocated (gpointer self, VcSession *ssn, guint32 task)
{
  add_used (self, vc_session_cluster (ssn), task, -1);
}

/* ---- packing ------------------------------------------------------------------------------------------- */

/* How full the HyperNode is with the request in it, over the given dimensions. */
static double
pack (const Topology *p, const VcCluster *c, guint32 hyper, const VcRes *request, const guint *dim, guint n)
{
  const double *allocatable = figure (p, c, hyper, ALLOCATABLE), *used = figure (p, c, hyper, USED);
  double total = 0;
  gint64 weight = 0;

  for (guint i = 0; i < n; i++) {
    guint d = dim[i];

    if (used[d] + request->v[d] > allocatable[d])
      return 0;
    total += (double) p->pack.w[d] * ((used[d] + request->v[d]) / allocatable[d]);
    weight += p->pack.w[d];
  }
  return weight > 0 ? total / (double) weight : 0;
}

/* Dimensions of the request that count: cpu, memory, then the others by name, or all of them by name. */
static guint
dimensions (const Topology *p, const VcRes *request, gboolean by_name, guint *dim)
{
  guint64 left = p->pack.weighted & vc_res_name_mask (request);
  guint n = 0;

  for (guint i = 0; by_name && i < p->n_by_name; i++)
    if ((left >> p->by_name[i]) & 1u)
      dim[n++] = p->by_name[i];
  for (; !by_name && left != 0; left &= left - 1)
    dim[n++] = (guint) __builtin_ctzll (left);
  return n;
}

/* Tasks of a sub-job by the HyperNodes that hold them: inside[h] goes up, or back to 0. */
static void
count_inside (Topology *p, const VcCluster *c, guint32 job, guint32 sub, gboolean on)
{
  const VcJob *j = vc_job (c, job);

  for (guint32 i = 0; i < j->n_tasks; i++) {
    const VcTask *t = vc_task (c, j->task[i]);

    if (t->sub != sub || t->node == VC_NONE)
      continue;
    for (guint32 k = p->v->holder_at[t->node]; k < p->v->holder_at[t->node + 1]; k++)
      p->inside[p->v->holder[k]] = on ? p->inside[p->v->holder[k]] + 1 : 0;
  }
}

/* Several best ones: the share of the sub-job's tasks inside is added. @hyper: of each entry, VC_HYPER_NONE holds nothing. */
static void
break_ties (Topology *p, const VcCluster *c, guint32 job, guint32 sub, const guint32 *hyper, double *score, guint n)
{
  double most = -1;
  guint many = 0;
  guint32 all = vc_job_sub (vc_job (c, job), sub)->n_tasks;

  for (guint i = 0; i < n; i++) {
    if (score[i] > most) {
      most = score[i];
      many = 0;
    }
    many += score[i] == most;
  }
  if (many < 2 || all == 0)
    return;
  count_inside (p, c, job, sub, TRUE);
  for (guint i = 0; i < n; i++)
    if (score[i] == most)
      score[i] += hyper[i] != VC_HYPER_NONE ? (double) p->inside[hyper[i]] / (double) all : 0;
  count_inside (p, c, job, sub, FALSE);
}

static inline double
scale (const Topology *p)
{
  return 100.0 * (double) p->weight;
}

static void
topology_hyper_order (gpointer self, VcSession *ssn, guint32 job, guint32 sub, const guint32 *hypers, guint n, double *score)
{
  Topology *p = self;
  const VcCluster *c = vc_session_cluster (ssn);
  const VcRes *request = vc_job_sub (vc_job (c, job), sub)->total;
  g_autofree double *own = g_new (double, n + 1);
  guint dim[VC_RES_MAX], n_dims = dimensions (p, request, TRUE, dim);

  for (guint i = 0; i < n; i++)
    own[i] = pack (p, c, hypers[i], request, dim, n_dims);
  break_ties (p, c, job, sub, hypers, own, n);
  for (guint i = 0; i < n; i++)
    score[i] += scale (p) * own[i];
}

/* ---- nodes ------------------------------------------------------------------------------------------------ */

/* Near to what the sub-job holds: near[i] of nodes[i] without ties, own[i] with them. FALSE: it holds nothing yet, and nothing is said. */
static gboolean
measure_aware (Topology *p, const VcCluster *c, guint32 task, const guint32 *nodes, guint n, double *near, double *own)
{
  const VcTask *t = vc_task (c, task);
  const VcHyperView *v = p->v;
  g_autofree guint32 *hyper = g_new (guint32, n + 1);
  guint32 last = VC_HYPER_NONE;

  if (t->job_hyper == VC_NONE)
    return FALSE;
  for (guint i = 0; i < n; i++) {
    hyper[i] = vc_hyper_lowest (v, nodes[i]);
    if (i == 0 || hyper[i] != last) {
      guint32 lca = hyper[i] != VC_HYPER_NONE ? vc_hyper_lca (v, hyper[i], t->job_hyper) : VC_HYPER_NONE;
      last = hyper[i];
      near[i] = hyper[i] == t->job_hyper ? 1 : lca == VC_HYPER_NONE ? 0 : p->min_tier == p->max_tier ? 1
                : v->hyper[lca].tier < p->min_tier || v->hyper[lca].tier > p->max_tier
                    ? 0 : (double) (p->max_tier - v->hyper[lca].tier) / (double) (p->max_tier - p->min_tier);
    } else {
      near[i] = near[i - 1];
    }
    own[i] = near[i];
  }
  break_ties (p, c, t->job, t->sub, hyper, own, n);
  return TRUE;
}

static void
score_aware (Topology *p, const VcCluster *c, guint32 task, const guint32 *nodes, guint n, double *score)
{
  g_autofree double *near = g_new (double, n + 1), *own = g_new (double, n + 1);

  if (!measure_aware (p, c, task, nodes, n, near, own))
    return;
  for (guint i = 0; i < n; i++)
    score[i] += scale (p) * own[i];
}

/* Tier @tier of the score of normal pods: weight times pack, added to own[i]. *@at: place among the tiers that there are. */
static void
add_tier (const Topology *p, const VcCluster *c, guint32 task, gint64 tier, guint *at, const guint32 *nodes, guint n, double *own)
{
  const VcRes *request = vc_task (c, task)->shape->request;
  const VcHyperTier *now = p->v->tier[*at].tier == tier ? &p->v->tier[(*at)++] : NULL;
  guint dim[VC_RES_MAX], n_dims = dimensions (p, request, FALSE, dim);
  double w = g_array_index (p->tier_weight, double, tier - p->min_tier), packed = 0;
  guint32 last = VC_HYPER_NONE;

  for (guint i = 0; i < n; i++) {
    guint32 hyper = now != NULL ? now->first[nodes[i]] : VC_HYPER_NONE;
    if (hyper != VC_HYPER_NONE && hyper != last)
      packed = pack (p, c, last = hyper, request, dim, n_dims);
    own[i] += w * (hyper != VC_HYPER_NONE ? packed : 1);
  }
}

static void
score_normal (const Topology *p, const VcCluster *c, guint32 task, const guint32 *nodes, guint n, double *score)
{
  g_autofree double *own = g_new0 (double, n + 1);
  guint at = 0;

  if (!p->normal || p->total_weight <= 0)
    return;
  for (gint64 tier = p->min_tier; tier <= p->max_tier; tier++)
    add_tier (p, c, task, tier, &at, nodes, n, own);
  for (guint i = 0; i < n; i++)
    score[i] += scale (p) * (own[i] / p->total_weight);
}

static gboolean
is_aware (const VcCluster *c, guint32 task)
{
  const VcTask *t = vc_task (c, task);
  const VcJob *j = vc_job (c, t->job);

  return j->subs != NULL && vc_job_sub (j, t->sub)->rule.given;
}

static gboolean
topology_score (gpointer self, VcSession *ssn, guint32 task, const guint32 *nodes, guint n, double *score)
{
  const VcCluster *c = vc_session_cluster (ssn);
  const VcTask *t = vc_task (c, task);

  if (!vc_session_has_job (ssn, t->job))
    return TRUE;
  if (is_aware (c, task))
    score_aware (self, c, task, nodes, n, score);
  else
    score_normal (self, c, task, nodes, n, score);
  return TRUE;
}

/* The distance to what is held and the share of tasks inside, or what each tier adds. */
static void
topology_score_terms (gpointer self, VcSession *ssn, VcHookFamily f, guint32 task, const guint32 *nodes, guint n, VcScoreTermFn tell, gpointer user)
{
  Topology *p = self;
  const VcCluster *c = vc_session_cluster (ssn);
  g_autofree double *near = g_new (double, n + 1), *own = g_new (double, n + 1);
  guint at = 0;

  if (!vc_session_has_job (ssn, vc_task (c, task)->job))
    return;
  if (is_aware (c, task)) {
    if (!measure_aware (p, c, task, nodes, n, near, own))
      return;
    for (guint i = 0; i < n; i++) {
      own[i] = scale (p) * (own[i] - near[i]);
      near[i] *= scale (p);
    }
    tell (user, "near", p->weight, near);
    tell (user, "inside", p->weight, own);
    return;
  }
  for (gint64 tier = p->min_tier; p->normal && p->total_weight > 0 && tier <= p->max_tier; tier++) {
    const guint before = at;
    g_autofree char *name = g_strdup_printf ("tier %" G_GINT64_FORMAT, tier);

    memset (own, 0, n * sizeof *own);
    add_tier (p, c, task, tier, &at, nodes, n, own);
    for (guint i = 0; i < n; i++)
      own[i] *= scale (p) / p->total_weight;
    if (at > before) /* tiers that nobody has are the same for every node */
      tell (user, name, p->weight, own);
  }
}

/* The score changes with placements on other nodes of the domain; it is 0 for every node when only topologies count and there are none. */
static VcScope
topology_scope (gpointer self, VcSession *ssn, const VcShape *shape)
{
  const Topology *p = self;

  return p->normal || vc_session_cluster (ssn)->n_divided > 0 ? VC_SCOPE_GROUP : VC_SCOPE_NODE;
}

/* ---- gradients ----------------------------------------------------------------------------------------------- */

static gboolean
fits (const VcRes *need, const double *room)
{
  for (guint d = 0; d < need->n; d++)
    if (vc_res_has (need, d) && !vc_le (need->v[d], room[d]))
      return FALSE;
  return TRUE;
}

/* Where the search begins: @given, narrowed to the branch that may hold more of what holds @allocated. VC_HYPER_NONE: nowhere. */
static guint32
search_root (const Topology *p, guint32 given, gint64 highest, guint32 allocated)
{
  const VcHyperView *v = p->v;
  guint32 top = VC_HYPER_NONE, n = 0;

  if (allocated == VC_HYPER_NONE)
    return given;
  for (guint32 x = allocated; x != VC_HYPER_NONE && n < v->n && v->hyper[x].tier <= highest; x = v->hyper[x].parent, n++)
    top = x;
  if (top == VC_HYPER_NONE)
    return VC_HYPER_NONE;
  guint32 lca = vc_hyper_lca (v, given, top);
  return lca == top ? given : lca == given ? top : VC_HYPER_NONE;
}

static gboolean
eligible (const Topology *p, const VcCluster *c, guint32 hyper, gint64 highest, guint32 allocated, const VcRes *need, VcPurpose purpose)
{
  if (p->v->hyper[hyper].tier > highest)
    return FALSE;
  if (allocated != VC_HYPER_NONE)
    return TRUE;
  if (purpose == VC_FOR_EVICTION)
    return fits (need, figure (p, c, hyper, ALLOCATABLE));
  return fits (need, figure (p, c, hyper, IDLE)) || fits (need, figure (p, c, hyper, FUTURE));
}

typedef struct { gint64 tier; guint32 hyper, place; } Eligible;

static int
compare_eligible (gconstpointer a, gconstpointer b)
{
  const Eligible *x = a, *y = b;

  if (x->tier != y->tier)
    return x->tier < y->tier ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

/* For evictions: the tiers from above, at most so many HyperNodes; a tier that does not fit keeps its last ones. */
static void
reverse_and_cap (const Topology *p, VcGradients *g)
{
  g_autoptr (GArray) hyper = g_steal_pointer (&g->hyper), end = g_steal_pointer (&g->end);
  guint left = (guint) MIN (p->max_domains, G_MAXINT);

  vc_gradients_init (g);
  for (guint i = end->len; i-- > 0 && left > 0;) {
    guint to = g_array_index (end, guint, i), from = i > 0 ? g_array_index (end, guint, i - 1) : 0;

    from = MAX (from, to - MIN (to, left));
    g_array_append_vals (g->hyper, &g_array_index (hyper, guint32, from), to - from);
    g_array_append_val (g->end, g->hyper->len);
    left -= to - from;
  }
}

static void
topology_gradient (gpointer self, VcSession *ssn, guint32 job, guint32 sub, guint32 hyper, VcPurpose purpose, VcGradients *out)
{
  Topology *p = self;
  const VcCluster *c = vc_session_cluster (ssn);
  const VcSubJobs *s = vc_job (c, job)->subs;
  const VcSubJob *b = s != NULL && sub != VC_NONE ? &s->sub[sub] : NULL;
  const VcTopologyRule *rule = b != NULL ? &b->rule : s != NULL ? &s->rule : NULL;

  if (rule == NULL || !rule->hard) {
    g_array_append_val (out->hyper, hyper);
    g_array_append_val (out->end, out->hyper->len);
    return;
  }
  const VcRes *need = b != NULL ? b->pending : vc_job (c, job)->min_resources;
  guint32 allocated = b != NULL ? b->allocated : s->allocated, root = search_root (p, hyper, rule->tier, allocated);
  g_autoptr (GArray) queue = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (Eligible));

  if (root == VC_HYPER_NONE)
    return;
  vc_marks_begin (&p->stale);
  vc_marks_add (&p->stale, root);
  g_array_append_val (queue, root);
  for (guint i = 0; i < queue->len; i++) {
    guint32 x = g_array_index (queue, guint32, i);
    const VcHyperNode *h = &p->v->hyper[x];

    if (eligible (p, c, x, rule->tier, allocated, need, purpose)) {
      Eligible e = { h->tier, x, i };
      g_array_append_val (found, e);
    }
    for (guint k = 0; k < h->n_children; k++)
      if (vc_marks_add (&p->stale, h->child[k]))
        g_array_append_val (queue, h->child[k]);
  }
  g_array_sort (found, compare_eligible);
  for (guint i = 0; i < found->len; i++) {
    const Eligible *e = &g_array_index (found, Eligible, i);
    g_array_append_val (out->hyper, e->hyper);
    if (i + 1 == found->len || g_array_index (found, Eligible, i + 1).tier != e->tier)
      g_array_append_val (out->end, out->hyper->len);
  }
  if (purpose == VC_FOR_EVICTION)
    reverse_and_cap (p, out);
}

/* ---- the session --------------------------------------------------------------------------------------------- */

static void
order_dimensions (Topology *p, const VcResNames *names)
{
  p->n_by_name = 0;
  for (guint d = 0; d < vc_res_names_count (names); d++) {
    guint at = p->n_by_name++;
    for (; at > 0 && strcmp (vc_res_names_get (names, p->by_name[at - 1]), vc_res_names_get (names, d)) > 0; at--)
      p->by_name[at] = p->by_name[at - 1];
    p->by_name[at] = d;
  }
}

static void
topology_session_open (gpointer self, VcSession *ssn)
{
  Topology *p = self;
  VcCluster *c = vc_session_cluster (ssn);

  p->v = vc_session_hypers (ssn);
  p->min_tier = p->v->tier[0].tier;
  p->max_tier = p->v->tier[p->v->n_tiers - 1].tier;
  g_array_set_size (p->tier_weight, 0);
  p->total_weight = 0;
  for (gint64 tier = p->min_tier; tier <= p->max_tier; tier++) {
    double w = vc_go_pow (p->fading, tier - 1);
    g_array_append_val (p->tier_weight, w);
    p->total_weight += w;
  }
  vc_pack_weights_set (&p->pack, c->names);
  order_dimensions (p, c->names);
  refresh_sums (p, c);
  vc_session_add_hyper_order (ssn, topology_hyper_order);
  vc_session_add_batch_node_order (ssn, topology_score, topology_scope);
  vc_session_add_gradient (ssn, topology_gradient);
  vc_session_add_handlers (ssn, topology_allocated, topology_deallocated);
}

static void
topology_clear (gpointer self)
{
  Topology *p = self;

  vc_pack_weights_clear (&p->pack);
  g_free (p->sum);
  g_free (p->inside);
  vc_marks_clear (&p->stale);
  g_clear_pointer (&p->tier_weight, g_array_unref);
}

const VcPluginClass vc_plugin_network_topology_aware = {
  .name = "network-topology-aware",
  .summary = VC_NETWORK_TOPOLOGY_AWARE_SUMMARY,
  .args = vc_network_topology_aware_args,
  .instance_size = sizeof (Topology),
  .init = topology_init,
  .session_open = topology_session_open,
  .score_terms = topology_score_terms,
  .clear = topology_clear,
};
