/* workloads/k8s/job-plugins.h - the plugins of a Job: what they mean for admission and for the pods (05 §4.13). Private to the Kubernetes reader.
 *
 * Most of them add variables, files and services, which nothing here depends on. What remains: mpi needs its master task, ray fails the making of
 * pods without its head task, pytorch may let workers wait for the master. Mirrors pkg/controllers/job/plugins. */
#pragma once
#include "k8s-fields.h"
#include "k8s-job.h"
G_BEGIN_DECLS

typedef struct {
  VcNames names;          /* by name, with those that admission adds */
  VcNames unknown;        /* names that are no plugins */
  const char *mpi_master; /* the task that the plugin mpi asks for; NULL without the plugin */
  const char *ray_head;   /* likewise of ray */
  WlMasterWait wait;      /* of pytorch; worker NULL: nobody waits */
} JobPlugins;
K8sReadFunc read_job_plugins; /* JobPlugins */

/** Write into @job what the plugins do to its pods. */
void apply_job_plugins (VcArena *arena, const JobPlugins *plugins, WlJobObject *job);

G_END_DECLS
