/* sim/controllers/rollouts.h - Deployments and StatefulSets whose pod template changes while a run goes on, and how their pods go over from the old one to the new one.
 *
 * Each template of a Deployment has a ReplicaSet, which is a row of the table of jobs: the first one the Deployment's own, later ones NAME-2 and so on. A
 * Deployment that is never updated is its only ReplicaSet and has none of this. Mirrors kubernetes/pkg/controller/deployment (sync.go, rolling.go,
 * recreate.go). Each template of a StatefulSet is a role of its job, of which the first has the replicas; kinds-sets.c brings its pods over. */
#pragma once
#include "sim/world/world.h"
#include "workloads/k8s/k8s-job.h"
G_BEGIN_DECLS

typedef struct SimDeployment SimDeployment;
void sim_rollouts_free (SimRollouts *r); /* NULL is fine */

/* ---- before the run ---- */
/** @job is what the Deployment of row @first is updated to. Is its template one that the Deployment has had? Then TRUE, and nobody else is needed. FALSE:
 * a row has to be added, for sim_rollout_add_set(). @number counts its ReplicaSets from 1. */
gboolean sim_rollout_plan (SimWorld *w, guint32 first, const WlJobObject *original, const WlJobObject *job, SimTime time, guint32 *number);
/** Row @set is for the template of the update that was planned last. */
void sim_rollout_add_set (SimWorld *w, guint32 first, guint32 set);

/** The Deployment of row @first is paused when it comes: it has no ReplicaSet before it is resumed. */
void sim_rollout_plan_paused (SimWorld *w, guint32 first, const WlJobObject *original);

/** What the StatefulSet of row @job is updated to: the template of its role number @revision. */
void sim_rollout_plan_stateful (SimWorld *w, guint32 job, guint revision, const WlJobObject *update, SimTime time);

/* ---- in the run ---- */
/** Update @i of the input: its user applies it. */
void sim_rollout_update (SimWorld *w, guint32 i);
/** The Deployment's controller looks at it, as one of its ReplicaSets, @job, has been looked at. */
void sim_rollout_sync (SimWorld *w, guint32 job);
/** Its user scales it. */
void sim_rollout_scale (SimWorld *w, guint32 job, guint32 replicas);
/** Its user deletes it: the other ReplicaSets go with the first row. */
void sim_rollout_delete (SimWorld *w, guint32 job);

/** The row whose scale that of @job is: the Deployment's first row, else itself. */
guint32 sim_rollout_first (const SimWorld *w, guint32 job);
/** What the workload's user wants of it: the Deployment's replicas, not the ReplicaSet's. */
guint32 sim_rollout_replicas (const SimWorld *w, guint32 job);

G_END_DECLS
