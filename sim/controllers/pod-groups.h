/* sim/controllers/pod-groups.h - PodGroups as objects of the simulated cluster, and the PodGroup controller, which makes one for each pod that names none
 * (05 §5.3): one for all pods of a controller, else one for the pod.
 *
 * What it writes is in pod-group.h. It never edits: the pods that exist name their PodGroup already, and it leaves those alone. */
#pragma once
#include "pod-group.h"
#include "sim/world/world.h"
G_BEGIN_DECLS

/** The PodGroup of @job appears, without a phase or Pending. */
void sim_pod_group_add (SimWorld *w, guint32 job, const VcPodGroupObject *o);
/** It goes. No effect when there is none. */
void sim_pod_group_remove (SimWorld *w, guint32 job);

/** What admission has against its PodGroup; NULL: nothing. (transfer full) */
char *sim_pod_group_refusal (const SimWorld *w, guint32 job);
/** A pod of a workload that is no vcjob has appeared as @o: its PodGroup is made unless there is one. FALSE: admission refuses it; the pod stays
 * without, and the controller tries again after 5 ms, 10 ms and so on up to 1000 s. */
gboolean sim_pod_group_join (SimWorld *w, guint32 pod, const VcPodObject *o, const SimPodOwner *owner, guint n);
/** It is time for that. FALSE: nothing has changed. */
gboolean sim_pod_group_retry (SimWorld *w, const SimEvent *ev);

G_END_DECLS
