/* PodGroup phases and counts at close. Mirrors getPodGroupPhase, jobStatus (pkg/scheduler/framework/session.go) and job_updater.go. */
#include "session-private.h"

/* Was the job flagged unschedulable in this very session? */
static gboolean
unschedulable_now (const VcSession *ssn, const VcJob *j, const char *type, const char *yes)
{
  for (guint i = 0; i < j->n_conds; i++)
    if (j->cond[i].session == ssn->number && j->cond[i].type == type && j->cond[i].status == yes)
      return TRUE;
  return FALSE;
}

static guint8
phase (const VcSession *ssn, const VcJob *j, const char *type, const char *yes)
{
  gint64 scheduled = (gint64) vc_job_scheduled_num (j) + j->releasing_placed;
  gint64 completed = (gint64) j->count[VC_SUCCEEDED] + j->count[VC_FAILED];

  if (j->count[VC_RUNNING] > 0 && unschedulable_now (ssn, j, type, yes))
    return VC_PG_UNKNOWN;
  if (scheduled >= j->min_available)
    return scheduled == completed ? VC_PG_COMPLETED : VC_PG_RUNNING; /* also 0 = 0 with a minimum of 0 (Q7) */
  return j->phase == VC_PG_INQUEUE ? VC_PG_INQUEUE : VC_PG_PENDING;
}

void
vc_job_updater_run (VcSession *ssn)
{
  VcCluster *c = ssn->cluster;
  const char *type = vc_cluster_intern (c, "Unschedulable"), *yes = vc_cluster_intern (c, "True");

  for (guint i = 0; i < ssn->n_jobs; i++) {
    guint32 row = ssn->jobs[i];
    VcJob *j = &c->job[row];

    j->phase = phase (ssn, j, type, yes);
    j->phase_text = vc_pg_phase_names[j->phase];
    j->running = j->count[VC_RUNNING];
    j->succeeded = j->count[VC_SUCCEEDED];
    j->failed = j->count[VC_FAILED];
    if (j->phase != j->old_phase) {
      vc_step (c, "JobUpdater.updateJob", row, VC_NONE, "PodGroup %s: phase %s; was %s; %u Running of %d", j->key, vc_step_text (vc_pg_phase_names[j->phase]),
               vc_step_text (vc_pg_phase_names[j->old_phase]), j->count[VC_RUNNING], j->min_available);
      vc_cache_write_status (ssn->cache, row);
      ssn->result.changed = TRUE;
    }
  }
}
