/* sim/world/kubelet.h - what pods do on their nodes: start, end, graceful deletion (07 §6.3). */
#pragma once
#include "world.h"
G_BEGIN_DECLS

/** The pod is bound to its node: its containers start after their delay. */
void sim_pod_accept (SimWorld *w, guint32 pod);
/** A pod that has just been made is where its task says that it is from the beginning, and runs there, whoever would have to agree; no effect when
 * it says nothing, or when that node is not there. */
void sim_pod_found (SimWorld *w, guint32 pod);
/** An event of the pod as it is now, @delay from now on. */
void sim_pod_post (SimWorld *w, guint32 pod, SimTime delay, SimEventKind kind);
/** The scheduler evicts the pod: its task is Releasing in the cache already. */
void sim_pod_evict (SimWorld *w, guint32 pod, const char *reason, guint32 for_pod);
/** Delete a pod object: gracefully when it is bound and not finished, else at once. */
void sim_pod_delete (SimWorld *w, guint32 pod);
/** Its containers have ended with @exit_code: phase Succeeded or Failed. */
void sim_pod_finish (SimWorld *w, guint32 pod, gint32 exit_code);
/** Its node is lost: phase Failed without any word from a container. */
void sim_pod_fail (SimWorld *w, guint32 pod);
/** The pod object disappears now. */
void sim_pod_vanish (SimWorld *w, guint32 pod);
/** Its node speaks again: what was due while it did not happens now. */
void sim_pod_release (SimWorld *w, guint32 pod);
/** Its machine, which had stopped, runs again: a pod that is being deleted is gone, one that had not started starts anew, the containers of
 * others have ended with @exit_code. */
void sim_pod_revive (SimWorld *w, guint32 pod, gint32 exit_code);
/** An event of a pod that is due. FALSE: the pod has moved on since it was posted, or its node cannot tell. */
gboolean sim_pod_event (SimWorld *w, const SimEvent *ev);

G_END_DECLS
