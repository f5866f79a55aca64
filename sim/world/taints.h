/* sim/world/taints.h - the taint eviction controller: pods on a node with NoExecute taints that they do not tolerate, or no longer, are deleted.
 *
 * Admission lets every pod tolerate an unreachable node for some time (unreachable_toleration) unless the pod says otherwise.
 * Mirrors pkg/controller/tainteviction and plugin/pkg/admission/defaulttolerationseconds of Kubernetes 1.36. */
#pragma once
#include "world.h"
G_BEGIN_DECLS

#define SIM_TAINT_UNREACHABLE "node.kubernetes.io/unreachable"

/** The taints of the node are @taint now; what of them is NoExecute takes effect on its pods, by UID. Texts are borrowed for as long as they last. */
void sim_taints_set (SimWorld *w, guint32 node, const VcTaint *taint, guint n);
/** The pod has come to its node. */
void sim_taints_meet (SimWorld *w, guint32 pod);
/** A pod's toleration is over. FALSE: it has been taken back, or the pod is gone. */
gboolean sim_taints_event (SimWorld *w, const SimEvent *ev);

G_END_DECLS
