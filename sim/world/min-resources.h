/* sim/world/min-resources.h - the minResources that the job controller writes into a PodGroup: a pure function (05 §4.5).
 *
 * It says how much the enqueue gate must find, not which pods fill the gang. */
#pragma once
#include "core/model/objects.h"
G_BEGIN_DECLS

typedef struct {
  guint32 replicas;
  gint64 min_available; /* -1: not given: its replicas count into the sum, and nothing of it comes first */
  gint64 priority;      /* of the class that the pod template names, 0 without one */
  VcAmounts usage;      /* request of one pod of the raw template */
} SimGroupTask;

/** Append what one pod of the raw template @spec asks for, as quotas count it: init containers, sidecars, overhead and pod-level
 * requests included (VcAmount; names borrowed). */
void sim_quota_requests (const VcPodSpec *spec, GArray *out);

/** The same of its limits, under the plain names. */
void sim_quota_limits (const VcPodSpec *spec, GArray *out);

/** How many pods of each task a gang of @min_available pods is thought of: tasks by descending priority (stable); each
 * task's minimum first unless the gang is smaller than the sum of the minima. @taken has room for @n. */
void sim_min_resources_pods (gint64 min_available, const SimGroupTask *task, guint n, guint32 *taken);

/** Append the resulting ResourceList to @out (VcAmount; names borrowed from @task or static), one entry per name: `pods` and the
 * requested resources in order of appearance. @quota_names (nullable, of char *) makes the list complete as upstream writes
 * it, with `count/pods` and the `requests.` forms; it gets the names made for that and must outlive @out. Nothing is
 * appended when no pod is taken. */
void sim_min_resources (gint64 min_available, const SimGroupTask *task, guint n, GPtrArray *quota_names, GArray *out);

G_END_DECLS
