/* core/plugins/pod-affinity.h - pod affinity and anti-affinity: which nodes a pod may or would rather use, by the pods that run around them.
 *
 * A term picks pods (label selector) in namespaces; around a node are the nodes with the same value of the term's topology key.
 *   filter   affinity rules        the node has every term's key, and around it, for each, runs a pod that matches all terms. The first of
 *                                  its kind (nothing matches anywhere, but the pod itself does) needs the keys alone              UU
 *            anti-affinity rules   around the node no pod matches a term of the pod                                             U
 *            existing pods' rules  around the node no pod has a term that the pod matches                                       U
 *   score    weights of the preferred terms of the pod that pods around the node match, and of theirs that it matches; anti-affinity counts
 *            negative; normalised 100 * (raw - least) / (greatest - least), cut
 * Existing pods' required anti-affinity is looked for on the nodes alone that had such pods when the session opened; likewise the preferred terms
 * of existing pods, unless the pod has preferred terms itself.
 *
 * Mirrors the Kubernetes plugin interpodaffinity (v1.36) as volcano's predicates and nodeorder use it. */
#pragma once
#include "core/session/session.h"
#include "pod-tally.h"
G_BEGIN_DECLS

/** Lists for vc_tallies_open: of the filter, of the score. */
gboolean vc_pod_affinity_repels (const VcShape *shape);
gboolean vc_pod_affinity_relates (const VcShape *shape);

/** PreFilter at the present end of the journal. FALSE: the filter may be skipped. */
gboolean vc_pod_affinity_prepare (VcTallies *t, const VcTask *task);
/** The filter by what PreFilter found (VcTask.prefilter_at), but for the pods @gone from @node (guint32 tasks; NULL: none). NULL passes, else the
 * reason with its @code. */
const char *vc_pod_affinity_filter (VcTallies *t, const VcTask *task, guint32 node, const GArray *gone, VcCode *code);
/** Normalised scores 0..100 of @nodes. FALSE: no pod has an opinion. */
gboolean vc_pod_affinity_score (VcTallies *t, const VcTask *task, const guint32 *nodes, guint n, gint64 *score);

G_END_DECLS
