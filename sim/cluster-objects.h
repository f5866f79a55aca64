/* sim/cluster-objects.h - objects of the simulated cluster that say what others may do: ResourceQuotas, PodDisruptionBudgets, HyperNodes,
 * Namespaces.
 *
 * Their status is kept as a cluster keeps it: a quota's `used` counts the pods of its namespace that have not finished (on top of what the
 * object said at the start), and pods beyond its `hard` are refused; a budget's `disruptionsAllowed` is what its healthy pods exceed
 * minAvailable by. Mirrors the quota admission, the resource quota controller and the disruption controller of Kubernetes. */
#pragma once
#include "world.h"
G_BEGIN_DECLS

/** Object @i of the input: there from the start, or to come at its time; gone at its time. */
void sim_objects_load (SimWorld *w, guint32 i);
/** Object @i appears, or disappears. */
void sim_object_add (SimWorld *w, guint32 i);
void sim_object_remove (SimWorld *w, guint32 i);

/** A pod (@sign 1) enters its state, or (-1) leaves it: quotas count it. */
void sim_quota_count (SimWorld *w, const SimPod *p, int sign);
/** Does every quota of the namespace have room for one more pod of @role? NULL, or what the API server answers to @pod. (transfer full) */
char *sim_quota_refusal (const SimWorld *w, guint32 role, const char *pod);
/** Something has changed for a pod (phase, deletion, readiness of its container, its row in the cache), or whether its node is heard of:
 * does it count on the side of budgets by now? */
void sim_budgets_look (SimWorld *w, guint32 pod);
void sim_budgets_look_at_node (SimWorld *w, guint32 node);
/** The pod goes; while the cache still has it. */
void sim_budgets_leave (SimWorld *w, guint32 pod);
/** Is it known of the pod whether it counts? */
gboolean sim_budgets_know (const SimWorld *w, const SimPod *p);
/** Count all pods afresh: the name of a budget whose count differs, NULL: none does. */
const char *sim_budgets_recount (const SimWorld *w);
/** Tell the scheduler what has changed in quotas and budgets; before a cycle. */
void sim_objects_flush (SimWorld *w);

typedef enum {
  SIM_EVICTION_GRANTED,   /* the pod may be deleted */
  SIM_EVICTION_LATER,     /* a budget does not allow it now (429) */
  SIM_EVICTION_ERROR,     /* never in this way: more than one budget covers the pod (500) */
} SimEviction;
/** What pods/eviction answers for the pod; *budget names the budget that is against it. Mirrors pkg/registry/core/pod/storage/eviction.go. */
SimEviction sim_eviction_ask (const SimWorld *w, guint32 pod, const char **budget);

/** The queue that the namespace names for PodGroups of the default queue, NULL: none. */
const char *sim_namespace_queue (const SimWorld *w, const char *ns);

void sim_objects_free (SimWorld *w);

G_END_DECLS
