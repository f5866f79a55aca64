/* core/plugins/topology-spread.h - pod topology spread: few more pods of a kind on one value of a node label than on another.
 *
 * Counted are the pods of the pod's namespace that the constraint's selector picks and that are not in deletion, per value of the topology key, on
 * the nodes that have the keys of all constraints in question, that the pod's node affinity accepts (unless the policy says Ignore) and, if the
 * policy says Honor, whose taints it tolerates. Such a node makes its value a domain, even without pods.
 *   filter   hard constraints (DoNotSchedule)   a node without the key                                                    UU
 *                                               count of its value + 1 (if the pod picks itself) - least count of a domain > maxSkew    U
 *                                               (the least is 0 when there are fewer domains than minDomains)
 *   score    soft ones (ScheduleAnyway)         raw = sum of count * ln (values + 2) + maxSkew - 1, rounded; 100 * (greatest + least - raw) /
 *                                               greatest; nodes without a key get 0. The host name counts the node's own pods
 * Kubernetes' default constraints need a Service or a ReplicaSet that owns the pod; there are none here.
 *
 * Mirrors the Kubernetes plugin podtopologyspread (v1.36) with the system's defaults. */
#pragma once
#include "core/session/session.h"
#include "pod-tally.h"
G_BEGIN_DECLS

/** The filter by what PreFilter found (VcTask.prefilter_at). NULL passes, else the reason with its @code. */
const char *vc_topology_spread_filter (VcTallies *t, const VcTask *task, guint32 node, VcCode *code);
/** Normalised scores 0..100 of @nodes. FALSE: the pod has no soft constraint. */
gboolean vc_topology_spread_score (VcTallies *t, const VcTask *task, const guint32 *nodes, guint n, gint64 *score);

G_END_DECLS
