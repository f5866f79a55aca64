/* sim/pod-object.h - a pod as an object: its name, labels and annotations, and what the scheduler hears of it. */
#pragma once
#include "pod-group.h"
#include "world.h"
G_BEGIN_DECLS

/** The pod object of this row appears to the scheduler. FALSE: not yet, its PodGroup is refused. */
gboolean sim_pod_tell (SimWorld *w, guint32 pod);
/** The controller of the workload's pods as an owner; @uid is borrowed. A Deployment's is its ReplicaSet, which has its annotations. NULL: none,
 * else @out. */
const SimPodOwner *sim_workload_owner (const SimJob *j, const char *uid, SimPodOwner *out);

G_END_DECLS
