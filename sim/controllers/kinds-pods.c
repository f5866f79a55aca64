/* sim/controllers/kinds-pods.c - pods by themselves, and PodGroups that their users make with pods that name them. No controller makes such pods again. */
#include "kinds.h"
#include "pod-groups.h"
#include "sim/record/record.h"

/* ---- a pod ---------------------------------------------------------------------------------- */

static SimJobPhase
phase_of (const SimPod *p)
{
  switch ((SimPodPhase) p->phase) {
  case SIM_POD_RUNNING:
    return SIM_JOB_RUNNING;
  case SIM_POD_SUCCEEDED:
    return SIM_JOB_COMPLETED;
  case SIM_POD_FAILED:
    return SIM_JOB_FAILED;
  case SIM_POD_PENDING:
  default:
    return SIM_JOB_PENDING;
  }
}

/* The object is gone, and with it what it owns. */
static void
pod_is_gone (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];

  sim_pod_group_remove (w, job);
  if (!j->deleted && j->finish == SIM_NO_TIME) { /* evicted, or its node went */
    j->deleted = TRUE;
    sim_job_finished (w, job);
    sim_record_job_phase (w, job, "Deleted");
  }
  j->exists = FALSE;
  sim_job_settle (w, job);
}

gboolean
sim_bare_pod_sync (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];
  guint32 pod = sim_role_pod (&w->role[j->first_role], 0);

  if (pod == SIM_NONE && j->kube->made == 0)
    return sim_kind_make_pod (w, j->first_role, 0);
  if (pod == SIM_NONE)
    pod_is_gone (w, job);
  else if (!j->deleted)
    sim_kind_enter (w, job, phase_of (&w->pod[pod]));
  return TRUE;
}

/* ---- a PodGroup and its pods ----------------------------------------------------------------- */

void
sim_group_pod_removed (SimWorld *w, guint32 pod)
{
  const SimPod *p = &w->pod[pod];

  w->job[p->job].kube->succeeded += p->phase == SIM_POD_SUCCEEDED;
}

/* It is over when all of its pods are: done if every one has succeeded. */
gboolean
sim_group_sync (SimWorld *w, guint32 job)
{
  const SimJob *j = &w->job[job];

  if (j->kube->made < j->n_roles || j->n_roles == 0 || j->live.pending + j->live.running + j->live.terminating > 0)
    return TRUE;
  sim_kind_enter (w, job, j->kube->succeeded + j->live.succeeded == j->n_roles ? SIM_JOB_COMPLETED : SIM_JOB_FAILED);
  return TRUE;
}
