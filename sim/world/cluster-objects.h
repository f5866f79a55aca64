/* sim/world/cluster-objects.h - objects of the simulated cluster that say what others may do: ResourceQuotas, PodDisruptionBudgets, HyperNodes,
 * Namespaces.
 *
 * Their status is kept as a cluster keeps it: a quota's `used` counts the pods of its namespace that have not finished (on top of what the
 * object said at the start), and pods beyond its `hard` are refused. Mirrors the quota admission and the resource quota controller of Kubernetes. */
#pragma once
#include "world.h"
G_BEGIN_DECLS

static inline const WlObject *
sim_object_at (const SimWorld *w, guint32 i) /* of the input */
{
  return w->objects->objects->pdata[i];
}
/** Object @i of the input: there from the start, or to come at its time; gone at its time. */
void sim_objects_load (SimWorld *w, guint32 i);
/** Object @i appears, or disappears. */
void sim_object_add (SimWorld *w, guint32 i);
void sim_object_remove (SimWorld *w, guint32 i);

/** A pod (@sign 1) enters its state, or (-1) leaves it: quotas count it. */
void sim_quota_count (SimWorld *w, const SimPod *p, int sign);
/** Does every quota of the namespace have room for one more pod of @role? NULL, or what the API server answers to @pod. (transfer full) */
char *sim_quota_refusal (const SimWorld *w, guint32 role, const char *pod);
/** Tell the scheduler what has changed in quotas and budgets; before a cycle. */
void sim_objects_flush (SimWorld *w);

/** The queue that the namespace names for PodGroups of the default queue, NULL: none. */
const char *sim_namespace_queue (const SimWorld *w, const char *ns);

void sim_objects_free (SimWorld *w);

G_END_DECLS
