/* workloads/k8s/k8s-workload.h - workloads of Kubernetes' own in a run: Pod, PodGroup with its pods, ReplicaSet, Deployment, StatefulSet, batch
 * Job. Private to the Kubernetes reader; what comes out is described in k8s-job.h. */
#pragma once
#include "k8s-fields.h"
#include "k8s-job.h"
G_BEGIN_DECLS

/** Read an object of @kind. Arrays that it keeps go to @arrays. */
gboolean k8s_read_workload (K8sReader *r, const K8sTop *top, const K8sMeta *meta, WlKind kind, GPtrArray *arrays, WlJobObject *out);
/** Pods that name a PodGroup leave @jobs (WlJobObject *) and become its tasks, in the order of the input. A PodGroup that nobody gives is
 * refused. Lists go to @arena. */
gboolean k8s_join_pod_groups (VcArena *arena, GPtrArray *jobs, GError **error);

G_END_DECLS
