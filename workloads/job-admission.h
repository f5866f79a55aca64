/* workloads/job-admission.h - what the admission webhook says of a new Job (05 §12.2). Private to the Kubernetes reader. */
#pragma once
#include "core/base/arena.h"
#include "k8s-fields.h"
#include "k8s-job.h"
G_BEGIN_DECLS

typedef struct {
  const char *unknown;    /* the first name that is no plugin, NULL */
  const char *mpi_master; /* the task that the plugin mpi asks for; NULL without the plugin */
} JobPlugins;
K8sReadFunc read_job_plugins; /* JobPlugins */

/** Everything that admission has against the job as defaulted, in its words; NULL: nothing. What depends on the queue is left out. */
const char *judge_job (VcArena *arena, const WlJobObject *job, const JobPlugins *plugins);

G_END_DECLS
