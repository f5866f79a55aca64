#include "topology-spread.h"
#include "core/model/selector.h"
#include <math.h>
#include <string.h>

enum { SLOT_HARD = 5, SLOT_SOFT }; /* after those of pod affinity */

#define HOSTNAME "kubernetes.io/hostname"

/* Does the constraint of a pod with labels @own pick @pod? A label key that the pod itself does not have is left out. Without a selector the label
 * keys decide alone, and nothing is picked without both. */
static gboolean
picks (const VcSpread *s, const VcPairs *own, const VcPairs *pod)
{
  gboolean keys = FALSE;

  for (guint i = 0; i < s->n_label_keys; i++) {
    const char *value = vc_pairs_get (own, s->label_key[i]), *other;

    if (value == NULL)
      continue;
    keys = TRUE;
    other = vc_pairs_get (pod, s->label_key[i]);
    if (other == NULL || strcmp (value, other) != 0)
      return FALSE;
  }
  return s->selector.given ? vc_selector_matches (&s->selector, pod) : keys;
}

/* The k-th constraint of a kind. */
static const VcSpread *
constraint (const VcShape *s, gboolean hard, guint k)
{
  for (guint i = 0;; i++)
    if (s->spec.spread[i].hard == hard && k-- == 0)
      return &s->spec.spread[i];
}

static guint
n_constraints (const VcShape *s, gboolean hard)
{
  return hard ? s->n_hard_spreads : s->n_soft_spreads;
}

/* ---- sums --------------------------------------------------------------------------------------- */

static gboolean
node_has_all_keys (const VcShape *s, gboolean hard, const VcNodeFacts *node)
{
  for (guint i = 0; i < s->spec.n_spreads; i++)
    if (s->spec.spread[i].hard == hard && vc_pairs_get (&node->labels, s->spec.spread[i].topology_key) == NULL)
      return FALSE;
  return TRUE;
}

static void
find_eligible_nodes (VcTallies *t, VcTopologyCount *count, const VcTally *tally, const VcSpread *spread)
{
  const VcShape *s = tally->key.shape;
  const VcNodes *n = &vc_tallies_cluster (t)->nodes;

  count->eligible = vc_tallies_alloc (t, n->n);
  count->present = vc_tallies_alloc (t, MAX (count->topology->n_domains, 1));
  for (guint32 i = 0; i < n->n_list; i++) {
    guint32 row = n->list[i], domain = count->topology->domain[row];
    const VcNodeFacts *node = &n->info[row].facts;

    if (!tally->has_keys[row] || (!spread->any_affinity && !vc_node_affinity_matches (s, node))
        || (spread->heeds_taints && !vc_tolerates_node (s, node)))
      continue;
    count->eligible[row] = TRUE;
    count->n_present += !count->present[domain];
    count->present[domain] = TRUE;
  }
}

static void
init (VcTallies *t, VcTally *tally, gboolean hard)
{
  const VcShape *s = tally->key.shape;
  const VcNodes *n = &vc_tallies_cluster (t)->nodes;

  tally->has_keys = vc_tallies_alloc (t, n->n);
  for (guint32 i = 0; i < n->n_list; i++)
    tally->has_keys[n->list[i]] = node_has_all_keys (s, hard, &n->info[n->list[i]].facts) != 0;
  for (guint k = 0; k < n_constraints (s, hard); k++) {
    const VcSpread *spread = constraint (s, hard, k);
    gboolean alone = !hard && strcmp (spread->topology_key, HOSTNAME) == 0;
    VcTopologyCount *count = vc_tally_add_count (t, tally, spread->topology_key, vc_tallies_topology (t, alone ? NULL : spread->topology_key));

    if (!alone)
      find_eligible_nodes (t, count, tally, spread);
  }
}

static void
add (VcTally *tally, const VcTask *pod, guint32 node, gint32 sign, gboolean hard)
{
  static const VcPairs none = { 0 };
  const VcShape *s = tally->key.shape;

  if (pod->ns != tally->key.ns || pod->deleting)
    return;
  for (guint k = 0; k < tally->n_counts; k++)
    if ((tally->count[k].eligible == NULL || tally->count[k].eligible[node])
        && picks (constraint (s, hard, k), tally->key.meta != NULL ? &tally->key.meta->labels : &none, &pod->meta->labels))
      vc_topology_count_bump (&tally->count[k], node, sign);
}

static void
hard_init (VcTallies *t, VcTally *tally)
{
  init (t, tally, TRUE);
}

static void
hard_add (VcTallies *t, VcTally *tally, const VcTask *pod, guint32 node, gint32 sign)
{
  add (tally, pod, node, sign, TRUE);
}

static void
soft_init (VcTallies *t, VcTally *tally)
{
  init (t, tally, FALSE);
}

static void
soft_add (VcTallies *t, VcTally *tally, const VcTask *pod, guint32 node, gint32 sign)
{
  add (tally, pod, node, sign, FALSE);
}

static const VcTallyKind hard_kind = { SLOT_HARD, hard_init, hard_add };
static const VcTallyKind soft_kind = { SLOT_SOFT, soft_init, soft_add };

static VcTally *
get (VcTallies *t, const VcTask *task, const VcTallyKind *kind, guint32 at)
{
  const VcTallyKey key = { kind, task->shape, task->shape->spread_reads_labels ? task->meta->bare : NULL, task->ns, FALSE };
  return vc_tally_get (t, &key, at);
}

/* ---- the filter --------------------------------------------------------------------------------- */

/* The smallest count of a domain; as Kubernetes has it when there is none: the greatest number. */
static gint64
least_count (VcTopologyCount *c)
{
  if (!c->least_known) {
    c->least = G_MAXINT32;
    for (guint32 d = 0; d < c->topology->n_domains; d++)
      if (c->present[d])
        c->least = MIN (c->least, c->count[d]);
    c->least_known = TRUE;
  }
  return c->least;
}

const char *
vc_topology_spread_filter (VcTallies *t, const VcTask *task, guint32 node, VcCode *code)
{
  VcTally *tally = get (t, task, &hard_kind, task->prefilter_at);

  for (guint k = 0; k < tally->n_counts; k++) {
    const VcSpread *s = constraint (task->shape, TRUE, k);
    VcTopologyCount *c = &tally->count[k];
    guint32 domain = c->topology->domain[node];

    if (domain == VC_NONE) {
      *code = VC_UNRESOLVABLE;
      return "node(s) didn't match pod topology spread constraints (missing required label)";
    }
    gint64 least = (gint64) c->n_present < s->min_domains ? 0 : least_count (c);
    gint64 self = picks (s, &task->meta->labels, &task->meta->labels);
    if (c->count[domain] + self - least > s->max_skew) {
      *code = VC_UNSCHEDULABLE;
      return "node(s) didn't match pod topology spread constraints";
    }
  }
  return NULL;
}

/* ---- the score ---------------------------------------------------------------------------------- */

/* Different values of @top among the nodes that are not ignored. */
static guint
count_values (const VcTopology *top, const guint32 *nodes, const guint8 *ignored, guint n)
{
  g_autofree guint8 *seen = g_new0 (guint8, MAX (top->n_domains, 1));
  guint values = 0;

  for (guint i = 0; i < n; i++)
    if (!ignored[i]) {
      values += !seen[top->domain[nodes[i]]];
      seen[top->domain[nodes[i]]] = TRUE;
    }
  return values;
}

gboolean
vc_topology_spread_score (VcTallies *t, const VcTask *task, const guint32 *nodes, guint n, gint64 *score)
{
  const VcCluster *c = vc_tallies_cluster (t);

  if (task->shape->n_soft_spreads == 0)
    return FALSE;
  const VcTally *tally = get (t, task, &soft_kind, c->n_journal);
  g_autofree guint8 *ignored = g_new (guint8, n);
  g_autofree double *sum = g_new0 (double, n);
  gint64 least = G_MAXINT64, greatest = 0;
  for (guint i = 0; i < n; i++)
    ignored[i] = !tally->has_keys[nodes[i]];
  for (guint k = 0; k < tally->n_counts; k++) {
    const VcTopologyCount *count = &tally->count[k];
    /* The logarithm may differ in its last bit from one library to the next; the sum is rounded to a whole number and comes nowhere near a half. */
    double weight = log ((double) (count_values (count->topology, nodes, ignored, n) + 2));

    for (guint i = 0; i < n; i++)
      if (!ignored[i])
        sum[i] += (double) vc_topology_count_at (count, nodes[i]) * weight + (double) (constraint (task->shape, FALSE, k)->max_skew - 1);
  }
  for (guint i = 0; i < n; i++) {
    score[i] = (gint64) round (sum[i]);
    if (!ignored[i]) {
      least = MIN (least, score[i]);
      greatest = MAX (greatest, score[i]);
    }
  }
  for (guint i = 0; i < n; i++)
    score[i] = ignored[i] ? 0 : greatest == 0 ? 100 : 100 * (greatest + least - score[i]) / greatest;
  return TRUE;
}
