/* sim/world/pod-object.h - a pod as an object: its name, labels and annotations, and what the scheduler hears of it. */
#pragma once
#include "world.h"
#include "sim/controllers/pod-group.h"
G_BEGIN_DECLS

/* Room for what the description of a pod points to. */
typedef struct {
  char uid[24], owner_uid[24], index[12], revision[12];
  VcPair annotation[6], label[1];
} SimPodText;

/** The pod as it was when it was made, without what controllers of claims have added. Points into @text and into scratch texts of the world: valid until
 * the next pod is named or described. */
VcPodObject sim_pod_describe (SimWorld *w, guint32 pod, SimPodText *text);
/** The pod object of this row appears to the schedulers. FALSE: not yet, its PodGroup is refused. */
gboolean sim_pod_tell (SimWorld *w, guint32 pod);
/** The controller of the workload's pods as an owner; @uid is borrowed. A Deployment's is its ReplicaSet, which has its annotations. NULL: none,
 * else @out. */
const SimPodOwner *sim_workload_owner (const SimJob *j, const char *uid, SimPodOwner *out);

G_END_DECLS
