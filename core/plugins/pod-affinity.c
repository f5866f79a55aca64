#include "pod-affinity.h"
#include "core/model/selector.h"
#include <string.h>

enum { SLOT_ATTRACTED, SLOT_AVOIDS, SLOT_REPELLED, SLOT_PREFERS, SLOT_PREFERRED };

/* ---- terms ---------------------------------------------------------------------------------------- */

/* Does it match a pod of namespace @ns with @labels? @own_ns: of the pod that has the term. @incoming: that one is the pod to place; its namespace
 * selectors are resolved among the namespaces that are known, those of other pods read the labels of @ns, known or not. */
static gboolean
term_matches (const VcCluster *c, const VcPodTerm *t, const char *own_ns, gboolean incoming, const char *ns, const VcPairs *labels)
{
  gboolean in = t->n_ns == 0 && !t->ns_selector.given && own_ns == ns;

  for (guint i = 0; i < t->n_ns && !in; i++)
    in = strcmp (t->ns[i], ns) == 0;
  if (!in && t->ns_selector.given) {
    static const VcMeta unknown = { 0 };
    const VcMeta *known = g_hash_table_lookup (c->namespaces, ns);

    in = vc_selector_is_empty (&t->ns_selector)
         || ((known != NULL || !incoming) && vc_selector_matches (&t->ns_selector, known != NULL ? &known->labels : &unknown.labels));
  }
  return in && vc_selector_matches (&t->selector, labels);
}

static gboolean
all_terms_match (const VcCluster *c, const VcPodTerms *terms, const char *own_ns, const VcTask *pod)
{
  for (guint i = 0; i < terms->n_required; i++)
    if (!term_matches (c, &terms->required[i], own_ns, TRUE, pod->ns, &pod->meta->labels))
      return FALSE;
  return terms->n_required > 0;
}

gboolean
vc_pod_affinity_repels (const VcShape *s)
{
  return s->spec.anti_affinity.n_required > 0;
}

gboolean
vc_pod_affinity_relates (const VcShape *s)
{
  return s->has_pod_terms;
}

/* ---- sums of the filter --------------------------------------------------------------------------- */

/* Pods that match all required affinity terms of the incoming one, under each term's key. */
static void
attracted_init (VcTallies *t, VcTally *tally)
{
  const VcPodTerms *terms = &tally->key.shape->spec.affinity;

  for (guint i = 0; i < terms->n_required; i++)
    if (vc_tally_find (tally, terms->required[i].topology_key) == NULL)
      vc_tally_add_count (t, tally, terms->required[i].topology_key, vc_tallies_topology (t, terms->required[i].topology_key));
}

static void
attracted_add (VcTallies *t, VcTally *tally, const VcTask *pod, guint32 node, gint32 sign)
{
  const VcPodTerms *terms = &tally->key.shape->spec.affinity;

  if (!all_terms_match (vc_tallies_cluster (t), terms, tally->key.ns, pod))
    return;
  for (guint i = 0; i < terms->n_required; i++)
    vc_tally_bump (t, tally, terms->required[i].topology_key, node, sign);
}

/* Pods that match required anti-affinity terms of the incoming one. */
static void
avoids_add (VcTallies *t, VcTally *tally, const VcTask *pod, guint32 node, gint32 sign)
{
  const VcPodTerms *terms = &tally->key.shape->spec.anti_affinity;

  for (guint i = 0; i < terms->n_required; i++)
    if (term_matches (vc_tallies_cluster (t), &terms->required[i], tally->key.ns, TRUE, pod->ns, &pod->meta->labels))
      vc_tally_bump (t, tally, terms->required[i].topology_key, node, sign);
}

/* Required anti-affinity terms of placed pods that match the incoming one. */
static void
repelled_add (VcTallies *t, VcTally *tally, const VcTask *pod, guint32 node, gint32 sign)
{
  const VcPodTerms *terms = &pod->shape->spec.anti_affinity;

  for (guint i = 0; i < terms->n_required; i++)
    if (term_matches (vc_tallies_cluster (t), &terms->required[i], pod->ns, FALSE, tally->key.ns, &tally->key.meta->labels))
      vc_tally_bump (t, tally, terms->required[i].topology_key, node, sign);
}

static const VcTallyKind attracted = { SLOT_ATTRACTED, attracted_init, attracted_add };
static const VcTallyKind avoids = { SLOT_AVOIDS, NULL, avoids_add };
static const VcTallyKind repelled = { SLOT_REPELLED, NULL, repelled_add };

static VcTally *
own_tally (VcTallies *t, const VcTask *task, const VcTallyKind *kind, guint32 at)
{
  const VcTallyKey key = { kind, task->shape, NULL, task->ns, FALSE };
  return vc_tally_get (t, &key, at);
}

static VcTally *
others_tally (VcTallies *t, const VcTask *task, const VcTallyKind *kind, gboolean listed_only, guint32 at)
{
  const VcTallyKey key = { kind, NULL, task->meta->bare, task->ns, listed_only != FALSE };
  return vc_tally_get (t, &key, at);
}

gboolean
vc_pod_affinity_prepare (VcTallies *t, const VcTask *task)
{
  if (task->shape->spec.affinity.n_required > 0 || task->shape->spec.anti_affinity.n_required > 0)
    return TRUE;
  return vc_tallies_n_listed (t) > 0
         && !vc_tally_is_zero (others_tally (t, task, &repelled, TRUE, vc_tallies_cluster (t)->n_journal));
}

/* ---- the filter ------------------------------------------------------------------------------------- */

static gboolean
affinity_holds (VcTallies *t, const VcTask *task, const VcTally *tally, guint32 node)
{
  const VcPodTerms *terms = &task->shape->spec.affinity;
  gboolean found = TRUE;

  for (guint i = 0; i < terms->n_required; i++) {
    const VcTopologyCount *c = vc_tally_find (tally, terms->required[i].topology_key);

    if (c->topology->domain[node] == VC_NONE)
      return FALSE;
    found = found && vc_topology_count_at (c, node) > 0;
  }
  return found || (vc_tally_is_zero (tally) && all_terms_match (vc_tallies_cluster (t), terms, task->ns, task));
}

static gboolean
is_positive (const VcTally *tally, guint32 node)
{
  for (guint i = 0; i < tally->n_counts; i++)
    if (vc_topology_count_at (&tally->count[i], node) > 0)
      return TRUE;
  return FALSE;
}

static void
take (VcTallies *t, VcTally *tally, guint32 node, const GArray *gone, gint32 sign)
{
  const VcCluster *c = vc_tallies_cluster (t);

  for (guint i = 0; tally != NULL && gone != NULL && i < gone->len; i++)
    tally->key.kind->add (t, tally, &c->task[g_array_index (gone, guint32, i)], node, sign);
}

const char *
vc_pod_affinity_filter (VcTallies *t, const VcTask *task, guint32 node, const GArray *gone, VcCode *code)
{
  const VcPodSpec *spec = &task->shape->spec;
  guint32 at = task->prefilter_at;
  VcTally *a = spec->affinity.n_required > 0 ? own_tally (t, task, &attracted, at) : NULL;
  VcTally *b = spec->anti_affinity.n_required > 0 ? own_tally (t, task, &avoids, at) : NULL;
  VcTally *d = vc_tallies_n_listed (t) > 0 ? others_tally (t, task, &repelled, TRUE, at) : NULL;
  const char *reason = NULL;

  take (t, a, node, gone, -1);
  take (t, b, node, gone, -1);
  take (t, d, node, gone, -1);
  if (a != NULL && !affinity_holds (t, task, a, node)) {
    reason = "node(s) didn't match pod affinity rules";
    *code = VC_UNRESOLVABLE;
  } else if (b != NULL && is_positive (b, node)) {
    reason = "node(s) didn't match pod anti-affinity rules";
    *code = VC_UNSCHEDULABLE;
  } else if (d != NULL && is_positive (d, node)) {
    reason = "node(s) didn't satisfy existing pods anti-affinity rules";
    *code = VC_UNSCHEDULABLE;
  }
  take (t, a, node, gone, 1);
  take (t, b, node, gone, 1);
  take (t, d, node, gone, 1);
  return reason;
}

/* ---- the score -------------------------------------------------------------------------------------- */

static void
prefers_add (VcTallies *t, VcTally *tally, const VcTask *pod, guint32 node, gint32 sign)
{
  const VcPodSpec *spec = &tally->key.shape->spec;

  for (int anti = 0; anti < 2; anti++) {
    const VcPodTerms *terms = anti ? &spec->anti_affinity : &spec->affinity;
    for (guint i = 0; i < terms->n_preferred; i++)
      if (term_matches (vc_tallies_cluster (t), &terms->preferred[i], tally->key.ns, TRUE, pod->ns, &pod->meta->labels))
        vc_tally_bump (t, tally, terms->preferred[i].topology_key, node, (gint64) terms->preferred[i].weight * (anti ? -sign : sign));
  }
}

static void
preferred_add (VcTallies *t, VcTally *tally, const VcTask *pod, guint32 node, gint32 sign)
{
  if (!pod->shape->has_preferred_pods)
    return;
  for (int anti = 0; anti < 2; anti++) {
    const VcPodTerms *terms = anti ? &pod->shape->spec.anti_affinity : &pod->shape->spec.affinity;
    for (guint i = 0; i < terms->n_preferred; i++)
      if (term_matches (vc_tallies_cluster (t), &terms->preferred[i], pod->ns, FALSE, tally->key.ns, &tally->key.meta->labels))
        vc_tally_bump (t, tally, terms->preferred[i].topology_key, node, (gint64) terms->preferred[i].weight * (anti ? -sign : sign));
  }
}

static const VcTallyKind prefers = { SLOT_PREFERS, NULL, prefers_add };
static const VcTallyKind preferred = { SLOT_PREFERRED, NULL, preferred_add };

static void
add_column (const VcTally *tally, const guint32 *nodes, guint n, gint64 *score)
{
  for (guint k = 0; k < tally->n_counts; k++)
    for (guint i = 0; i < n; i++)
      score[i] += vc_topology_count_at (&tally->count[k], nodes[i]);
}

gboolean
vc_pod_affinity_score (VcTallies *t, const VcTask *task, const guint32 *nodes, guint n, gint64 *score)
{
  const VcCluster *c = vc_tallies_cluster (t);
  gboolean own = task->shape->has_preferred_pods;
  gint64 least = G_MAXINT64, greatest = G_MININT64;

  if (!own && (vc_tallies_n_listed (t) == 0 || c->n_preferring == 0))
    return FALSE;
  memset (score, 0, n * sizeof *score);
  if (own)
    add_column (own_tally (t, task, &prefers, c->n_journal), nodes, n, score);
  if (c->n_preferring > 0)
    add_column (others_tally (t, task, &preferred, !own, c->n_journal), nodes, n, score);
  for (guint i = 0; i < n; i++) {
    least = MIN (least, score[i]);
    greatest = MAX (greatest, score[i]);
  }
  for (guint i = 0; i < n; i++)
    score[i] = greatest > least ? (gint64) (100.0 * ((double) (score[i] - least) / (double) (greatest - least))) : 0;
  return TRUE;
}
