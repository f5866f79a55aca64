/* workloads/admission/job-admission.h - what the admission webhook says of a new Job (05 §12.2). Private to the Kubernetes reader. */
#pragma once
#include "core/base/arena.h"
#include "workloads/k8s/job-plugins.h"
#include "workloads/k8s/k8s-fields.h"
#include "workloads/k8s/k8s-job.h"
G_BEGIN_DECLS

/** Everything that the API server and the webhook have against the job as defaulted, in their words, goes into its refusal; what depends on the
 * queue is left out. @spec (nullable) is the object's spec. The webhook is asked even where the schema refuses already, so that all that is
 * wrong is said at once. */
void judge_job (VcArena *arena, struct fy_node *spec, const JobPlugins *plugins, WlJobObject *job);

G_END_DECLS
