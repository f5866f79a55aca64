/* core/plugins/nodeorder.c - the kube-scheduler's scores, each 0..100 times an integer weight.
 *
 * Policy (A = the node object's allocatable, R = requests of the mirrored pods + the pod's own; divisions cut):
 *   LeastAllocated     mean over cpu, memory with A > 0 of (A - R) * 100 / A, 0 where R > A
 *   MostAllocated      the same of min (R, A) * 100 / A
 *   Balanced           50 + (50 + bal (with the pod) - bal (without)) / 2, where bal = (1 - std (fractions R / A, at most 1)) * 100 over
 *                      cpu, memory and, when the pod asks for it, nvidia.com/gpu; no score for a pod that asks for none of them
 *   NodeAffinity       weights of the preferred terms that match, normalised over the candidates: 100 * raw / greatest
 *   TaintToleration    PreferNoSchedule taints not tolerated, normalised the other way: 100 - 100 * raw / greatest
 *   InterPodAffinity   preferred terms of the pod and of others: pod-affinity.h
 *   PodTopologySpread  soft constraints: topology-spread.h
 *   ImageLocality      size * (nodes that have it / nodes) summed over the pod's images on the node, from 23 MiB to 1000 MiB per container
 * Least and Most count 100m and 200 MiB for a container that names no cpu or memory. All but ImageLocality are one batch, which fails as
 * a whole when a preferred term is malformed. Weights may be negative; 0 switches a scorer off.
 *
 * Example: node of 8 cpu, 32 Gi with 2 cpu, 24 Gi requested, pod of 2 cpu, 4 Gi: Least (50 + 12) / 2 = 31; Most (50 + 87) / 2 = 68; Balanced
 * 50 + (50 + 81 - 75) / 2 = 78. With the default weights 31 + 78 + 3 * 100 = 409, as no taints speak against the node.
 *
 * Mirrors pkg/scheduler/plugins/nodeorder/nodeorder.go and the Kubernetes plugins noderesources, nodeaffinity, tainttoleration and
 * imagelocality (v1.36). */
#include "plugins.h"
#include "pod-affinity.h"
#include "topology-spread.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

#define MAX_SCORE 100

const VcArgSpec vc_nodeorder_args[] = {
  { "leastrequested.weight", VC_ARG_INT, "prefer nodes with the most left (default 1)" },
  { "mostrequested.weight", VC_ARG_INT, "prefer nodes with the least left (default 0)" },
  { "balancedresource.weight", VC_ARG_INT, "prefer nodes where cpu, memory and gpu get used evenly (default 1)" },
  { "nodeaffinity.weight", VC_ARG_INT, "prefer nodes that match preferred node affinity (default 2)" },
  { "tainttoleration.weight", VC_ARG_INT, "prefer nodes with few PreferNoSchedule taints (default 3)" },
  { "imagelocality.weight", VC_ARG_INT, "prefer nodes that have the images (default 1)" },
  { "podaffinity.weight", VC_ARG_INT, "prefer nodes by preferred pod affinity and anti-affinity (default 2)" },
  { "podtopologyspread.weight", VC_ARG_INT, "prefer nodes by soft topology spread constraints (default 2)" },
  { NULL, VC_ARG_ANY, NULL },
};

typedef struct {
  gint64 least, most, balanced, affinity, taints, images, pods, spread;
  gint64 *raw;    /* scratch of one column: scores before they are normalised */
  guint32 n_raw;
  VcTallies *tallies; /* of pods around nodes */
} NodeOrder;

static gboolean
nodeorder_init (gpointer self, const VcPluginOption *option, gboolean lenient, GError **error)
{
  NodeOrder *no = self;

  no->least = 1;
  no->balanced = 1;
  no->affinity = 2;
  no->taints = 3;
  no->images = 1;
  no->pods = 2;
  no->spread = 2;
  vc_args_get_int (&option->args, "leastrequested.weight", &no->least);
  vc_args_get_int (&option->args, "mostrequested.weight", &no->most);
  vc_args_get_int (&option->args, "balancedresource.weight", &no->balanced);
  vc_args_get_int (&option->args, "nodeaffinity.weight", &no->affinity);
  vc_args_get_int (&option->args, "tainttoleration.weight", &no->taints);
  vc_args_get_int (&option->args, "imagelocality.weight", &no->images);
  vc_args_get_int (&option->args, "podaffinity.weight", &no->pods);
  vc_args_get_int (&option->args, "podtopologyspread.weight", &no->spread);
  no->tallies = vc_tallies_new ();
  return TRUE;
}

/* The product wraps around upstream. */
static inline double
weigh (gint64 score, gint64 weight)
{
  return (double) (gint64) ((guint64) score * (guint64) weight);
}

/* ---- requests ------------------------------------------------------------------------------- */

/* part * 100 / whole, cut, for whole > 0 and part >= 0. A double gives the same as int64 while both are below 2^46: the product is exact
 * below 2^53, and the true quotient, if it is not whole, lies at least 2^-46 below the next whole number, which at 100 is more than the
 * rounding error; and it takes a third of the time. */
static inline gint64
percent (gint64 part, gint64 whole)
{
  if (G_LIKELY ((((guint64) part | (guint64) whole) >> 46) == 0))
    return (gint64) ((double) part * 100.0 / (double) whole);
  return (gint64) ((guint64) part * 100u) / whole;
}

/* Weighted mean of cpu and memory where the node has them: equal weights, so plain. */
static inline gint64
mean (gint64 cpu, gint64 memory, gboolean has_cpu, gboolean has_memory)
{
  return has_cpu && has_memory ? (cpu + memory) / 2 : has_cpu ? cpu : has_memory ? memory : 0;
}

static void
least_and_most (const NodeOrder *no, const VcNodes *all, const VcShape *s, const guint32 *nodes, guint n, double *score)
{
  const gint64 *cpu = all->k_alloc[VC_K_CPU], *memory = all->k_alloc[VC_K_MEMORY];
  const gint64 *used_cpu = all->k_nonzero[VC_K_CPU], *used_memory = all->k_nonzero[VC_K_MEMORY];
  gint64 new_cpu = s->k_nonzero_new[VC_K_CPU], new_memory = s->k_nonzero_new[VC_K_MEMORY];

  for (guint i = 0; i < n; i++) {
    gint64 a = cpu[nodes[i]], b = memory[nodes[i]];
    gint64 x = used_cpu[nodes[i]] + new_cpu, y = used_memory[nodes[i]] + new_memory;

    if (no->least != 0)
      score[i] += weigh (mean (a == 0 || x > a ? 0 : percent (a - x, a), b == 0 || y > b ? 0 : percent (b - y, b), a != 0, b != 0),
                         no->least);
    if (no->most != 0)
      score[i] += weigh (mean (a == 0 ? 0 : percent (MIN (x, a), a), b == 0 ? 0 : percent (MIN (y, b), b), a != 0, b != 0), no->most);
  }
}

static inline double
fraction (gint64 requested, gint64 allocatable)
{
  double f = (double) requested / (double) allocatable;

  return f > 1 ? 1 : f;
}

/* How even two or more fractions are, 0..100. The steps are those of upstream, as the result is cut. */
static gint64
evenness (const double *f, guint n)
{
  double std = 0;

  if (n == 2) {
    std = fabs ((f[0] - f[1]) / 2);
  } else if (n > 2) {
    double total = 0, sum = 0;

    for (guint i = 0; i < n; i++)
      total += f[i];
    double middle = total / (double) n;
    for (guint i = 0; i < n; i++)
      sum = sum + (f[i] - middle) * (f[i] - middle);
    std = sqrt (sum / (double) n);
  }
  return (gint64) ((1 - std) * (double) MAX_SCORE);
}

static gint64
balanced_score (const VcNodes *all, const VcShape *s, guint32 node, guint n_kinds)
{
  double with[VC_K_N], without[VC_K_N];
  guint n = 0;

  for (guint k = 0; k < n_kinds; k++) {
    gint64 allocatable = all->k_alloc[k][node], requested = all->k_request[k][node];

    if (allocatable == 0)
      continue;
    with[n] = fraction (requested + s->k_request[k], allocatable);
    without[n++] = fraction (requested, allocatable);
  }
  return 50 + (50 + evenness (with, n) - evenness (without, n)) / 2;
}

static void
balanced (const NodeOrder *no, const VcNodes *all, const VcShape *s, const guint32 *nodes, guint n, double *score)
{
  const gint64 *cpu = all->k_alloc[VC_K_CPU], *memory = all->k_alloc[VC_K_MEMORY];
  const gint64 *used_cpu = all->k_request[VC_K_CPU], *used_memory = all->k_request[VC_K_MEMORY];
  gint64 new_cpu = s->k_request[VC_K_CPU], new_memory = s->k_request[VC_K_MEMORY];
  gboolean gpu = s->k_request[VC_K_GPU] != 0;

  if (new_cpu == 0 && new_memory == 0 && !gpu)
    return;
  for (guint i = 0; i < n; i++) {
    gint64 a = cpu[nodes[i]], b = memory[nodes[i]];

    if (a == 0 || b == 0 || (gpu && all->k_alloc[VC_K_GPU][nodes[i]] != 0)) {
      score[i] += weigh (balanced_score (all, s, nodes[i], gpu ? VC_K_N : VC_K_GPU), no->balanced);
      continue;
    }
    /* cpu and memory alone: the same as balanced_score, without a loop */
    gint64 x = used_cpu[nodes[i]], y = used_memory[nodes[i]];
    double with = fabs ((fraction (x + new_cpu, a) - fraction (y + new_memory, b)) / 2);
    double without = fabs ((fraction (x, a) - fraction (y, b)) / 2);
    gint64 gain = (gint64) ((1 - with) * MAX_SCORE) - (gint64) ((1 - without) * MAX_SCORE);

    score[i] += weigh (50 + (50 + gain) / 2, no->balanced);
  }
}

/* ---- preferences ---------------------------------------------------------------------------- */

static void
prefer_few_taints (const NodeOrder *no, const VcNodes *all, const VcShape *s, const guint32 *nodes, guint n, double *score)
{
  gint64 greatest = 0;

  if (all->n_prefer_taints > 0)
    for (guint i = 0; i < n; i++) {
      const VcNode *node = &all->info[nodes[i]];

      no->raw[i] = node->prefers_no_schedule ? vc_untolerated_preferences (s, &node->facts) : 0;
      greatest = MAX (greatest, no->raw[i]);
    }
  for (guint i = 0; i < n; i++)
    score[i] += weigh (greatest == 0 ? MAX_SCORE : MAX_SCORE - MAX_SCORE * no->raw[i] / greatest, no->taints);
}

/* FALSE: a normalised score is outside 0..100 (a term of negative weight), which fails the batch. */
static gboolean
prefer_affinity (const NodeOrder *no, const VcNodes *all, const VcShape *s, const guint32 *nodes, guint n, double *score)
{
  gint64 greatest = 0, smallest = 0;

  for (guint i = 0; i < n; i++) {
    gint64 raw = 0;

    for (guint t = 0; t < s->spec.n_preferred; t++)
      if (s->spec.preferred[t].weight != 0 && vc_term_matches (&s->spec.preferred[t], &all->info[nodes[i]].facts))
        raw += s->spec.preferred[t].weight;
    no->raw[i] = raw;
    greatest = MAX (greatest, raw);
    smallest = MIN (smallest, raw);
  }
  if (greatest == 0)
    return smallest == 0;
  for (guint i = 0; i < n; i++) {
    gint64 normal = MAX_SCORE * no->raw[i] / greatest;

    if (normal < 0)
      return FALSE;
    score[i] += weigh (normal, no->affinity);
  }
  return TRUE;
}

static void
prefer_by_pods (const NodeOrder *no, const VcTask *t, const guint32 *nodes, guint n, double *score)
{
  if (no->pods != 0 && vc_pod_affinity_score (no->tallies, t, nodes, n, no->raw))
    for (guint i = 0; i < n; i++)
      score[i] += weigh (no->raw[i], no->pods);
  if (no->spread != 0 && vc_topology_spread_score (no->tallies, t, nodes, n, no->raw))
    for (guint i = 0; i < n; i++)
      score[i] += weigh (no->raw[i], no->spread);
}

static gboolean
nodeorder_batch_score (gpointer self, VcSession *ssn, guint32 task, const guint32 *nodes, guint n, double *score)
{
  const NodeOrder *no = self;
  const VcCluster *c = vc_session_cluster (ssn);
  const VcShape *s = vc_task (c, task)->shape;

  g_assert (n <= no->n_raw);
  if (no->affinity != 0 && s->bad_preferred)
    return FALSE;
  if (no->least != 0 || no->most != 0)
    least_and_most (no, &c->nodes, s, nodes, n, score);
  if (no->balanced != 0)
    balanced (no, &c->nodes, s, nodes, n, score);
  if (no->taints != 0)
    prefer_few_taints (no, &c->nodes, s, nodes, n, score);
  if (c->n_preferring > 0 || s->n_soft_spreads > 0)
    prefer_by_pods (no, vc_task (c, task), nodes, n, score);
  return no->affinity == 0 || s->spec.n_preferred == 0 || prefer_affinity (no, &c->nodes, s, nodes, n, score);
}

/* A normalised score looks at all candidates. */
static VcScope
nodeorder_batch_scope (gpointer self, VcSession *ssn, const VcShape *shape)
{
  const NodeOrder *no = self;

  const VcCluster *c = vc_session_cluster (ssn);

  if (no->affinity != 0 && shape->spec.n_preferred > 0)
    return VC_SCOPE_GROUP;
  if ((no->pods != 0 && (shape->has_preferred_pods || (c->n_preferring > 0 && vc_tallies_n_listed (no->tallies) > 0)))
      || (no->spread != 0 && shape->n_soft_spreads > 0))
    return VC_SCOPE_CLUSTER;
  return no->taints != 0 && c->nodes.n_prefer_taints > 0 ? VC_SCOPE_GROUP : VC_SCOPE_NODE;
}

/* ---- images --------------------------------------------------------------------------------- */

/* Is @wanted, an image as a container names it, the image @present of a node? Without a tag it means ":latest". */
static gboolean
is_image (const char *wanted, const char *present)
{
  const char *tag = strrchr (wanted, ':'), *slash = strrchr (wanted, '/');
  gsize n = strlen (wanted);

  if (tag != NULL && (slash == NULL || tag > slash))
    return strcmp (wanted, present) == 0;
  return strncmp (wanted, present, n) == 0 && strcmp (present + n, ":latest") == 0;
}

static gint64
image_score (const VcShape *s, const VcNode *node, guint n_nodes)
{
  const gint64 mib = 1024 * 1024, least = 23 * mib, most = 1000 * mib * (gint64) s->spec.n_containers;
  gint64 sum = 0;

  for (guint i = 0; i < s->spec.n_containers; i++)
    for (guint k = 0; s->spec.container[i].image != NULL && k < node->n_images; k++)
      if (is_image (s->spec.container[i].image, node->image[k].name)) {
        double spread = (double) node->image[k].nodes_having / (double) n_nodes;

        sum += (gint64) ((double) node->image[k].size * spread);
        break;
      }
  if (sum < least)
    sum = least;
  else if (sum > most)
    sum = most;
  return MAX_SCORE * (sum - least) / (most - least);
}

static gboolean
nodeorder_score (gpointer self, VcSession *ssn, guint32 task, const guint32 *nodes, guint n, double *score)
{
  const NodeOrder *no = self;
  const VcCluster *c = vc_session_cluster (ssn);
  const VcShape *s = vc_task (c, task)->shape;

  if (no->images == 0 || s->n_images == 0 || c->nodes.n_images == 0)
    return TRUE;
  for (guint i = 0; i < n; i++) {
    const VcNode *node = &c->nodes.info[nodes[i]];

    if (node->n_images > 0)
      score[i] += (double) image_score (s, node, c->nodes.n_list) * (double) no->images;
  }
  return TRUE;
}

/* ---- explanations --------------------------------------------------------------------------- */

/* Each term is what the plugin says with the other weights at 0. */
static void
nodeorder_score_terms (gpointer self, VcSession *ssn, VcHookFamily f, guint32 task, const guint32 *nodes, guint n, VcScoreTermFn tell, gpointer user)
{
  static const struct { const char *name; gsize weight; gboolean alone; } terms[] = {
    { "LeastAllocated", offsetof (NodeOrder, least), FALSE },
    { "MostAllocated", offsetof (NodeOrder, most), FALSE },
    { "BalancedAllocation", offsetof (NodeOrder, balanced), FALSE },
    { "NodeAffinity", offsetof (NodeOrder, affinity), FALSE },
    { "InterPodAffinity", offsetof (NodeOrder, pods), FALSE },
    { "TaintToleration", offsetof (NodeOrder, taints), FALSE },
    { "PodTopologySpread", offsetof (NodeOrder, spread), FALSE },
    { "ImageLocality", offsetof (NodeOrder, images), TRUE },
  };
  const NodeOrder *no = self;
  g_autofree double *score = g_new (double, n);

  for (guint i = 0; i < G_N_ELEMENTS (terms); i++) {
    gint64 weight = G_STRUCT_MEMBER (gint64, self, terms[i].weight);
    NodeOrder one = { .raw = no->raw, .n_raw = no->n_raw, .tallies = no->tallies };

    if (weight == 0 || terms[i].alone != (f == VC_HOOK_NODE_ORDER))
      continue;
    G_STRUCT_MEMBER (gint64, &one, terms[i].weight) = weight;
    memset (score, 0, n * sizeof *score);
    if (terms[i].alone ? nodeorder_score (&one, ssn, task, nodes, n, score) : nodeorder_batch_score (&one, ssn, task, nodes, n, score))
      tell (user, terms[i].name, weight, score);
  }
}

/* ---- class ---------------------------------------------------------------------------------- */

static void
nodeorder_session_open (gpointer self, VcSession *ssn)
{
  NodeOrder *no = self;
  VcCluster *c = vc_session_cluster (ssn);
  const VcNodes *all = &c->nodes;

  vc_tallies_open (no->tallies, c, no->pods != 0 && c->n_preferring > 0 ? vc_pod_affinity_relates : NULL);
  vc_mirror_journal (c, c->n_pod_terms > 0 || c->n_spreading > 0);
  if (all->n > no->n_raw) {
    no->n_raw = MAX (all->n, no->n_raw * 2u);
    no->raw = g_renew (gint64, no->raw, no->n_raw);
  }
  /* Even when all weights are 0: they may have to replace those of an earlier entry of the same name. */
  vc_session_add_node_order (ssn, nodeorder_score, NULL);
  vc_session_add_batch_node_order (ssn, nodeorder_batch_score, nodeorder_batch_scope);
}

static void
nodeorder_session_close (gpointer self, VcSession *ssn)
{
  vc_mirror_journal (vc_session_cluster (ssn), FALSE);
}

static void
nodeorder_clear (gpointer self)
{
  NodeOrder *no = self;

  g_free (no->raw);
  vc_tallies_free (no->tallies);
}

const VcPluginClass vc_plugin_nodeorder = {
  .name = "nodeorder",
  .summary = VC_NODEORDER_SUMMARY,
  .args = vc_nodeorder_args,
  .instance_size = sizeof (NodeOrder),
  .init = nodeorder_init,
  .session_open = nodeorder_session_open,
  .session_close = nodeorder_session_close,
  .score_terms = nodeorder_score_terms,
  .clear = nodeorder_clear,
};
