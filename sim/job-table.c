/* sim/job-table.c - see job-table.h. */
#include "job-table.h"
#include "chain.h"
#include "job-requests.h"
#include "kinds.h"
#include "queues.h"
#include "record.h"
#include "workloads/admission.h"
#include "scaling.h"

/* How many rows a table of @cap gets so that @more go behind the @n that it holds. */
static guint32
enough (guint32 n, guint32 more, guint32 cap)
{
  g_assert (more < SIM_NONE - n);
  return MAX (n + more, (guint32) MIN ((guint64) cap * 2, SIM_NONE - 1));
}

void
sim_jobs_reserve (SimWorld *w, guint32 n_jobs, guint32 n_roles)
{
  if (n_jobs > w->cap_jobs - w->n_jobs) {
    w->cap_jobs = enough (w->n_jobs, n_jobs, w->cap_jobs);
    w->job = g_renew (SimJob, w->job, w->cap_jobs);
  }
  if (n_roles > w->cap_roles - w->n_roles) {
    w->cap_roles = enough (w->n_roles, n_roles, w->cap_roles);
    w->role = g_renew (SimRole, w->role, w->cap_roles);
  }
}

guint32
sim_job_add (SimWorld *w, guint32 n_roles)
{
  sim_jobs_reserve (w, 1, n_roles);
  guint32 row = w->n_jobs++;

  w->jobs_total++;
  w->job[row] = (SimJob){ .first_role = w->n_roles,
                          .n_roles = n_roles,
                          .owner = SIM_NONE,
                          .min_success = -1,
                          .preemptable = -1,
                          .ttl = -1,
                          .submit = w->now,
                          .pg = VC_NONE,
                          .wait_place = SIM_NONE,
                          .first_delayed = SIM_NONE,
                          .inqueue = SIM_NO_TIME,
                          .first_bind = SIM_NO_TIME,
                          .gang_start = SIM_NO_TIME,
                          .finish = SIM_NO_TIME,
                          .changed = SIM_NO_TIME };
  for (guint32 i = 0; i < n_roles; i++)
    w->role[w->n_roles++] = (SimRole){ .job = row };
  return row;
}

char *
sim_job_refusal (const SimWorld *w, guint32 job)
{
  const SimJob *j = &w->job[job];

  return sim_queue_admit_job (w, j->queue, j->spec != NULL ? j->spec->refusal : NULL);
}

void
sim_job_submit (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];

  if (j->kube != NULL) {
    sim_kind_submit (w, job);
    return;
  }
  g_autofree char *reason = sim_job_refusal (w, job);

  j->followed = w->chain != NULL && sim_chain_chooses (w->chain, j->ns, j->name);
  sim_step (w, job, "webhook", "MutateJobs", "Job %s/%s: queue %s; minAvailable %d; maxRetry %u", j->ns, j->name, w->queue[j->queue].name,
            j->min_available, j->max_retry);
  sim_step (w, job, "webhook", "AdmitJobs", "Job %s/%s: %s", j->ns, j->name, reason == NULL ? "allowed" : reason);
  if (reason != NULL) {
    j->rejected = TRUE;
    j->reason = g_string_chunk_insert (w->text, reason);
    w->jobs_finished++;
    sim_record_job_phase (w, job, "Rejected");
    sim_record_event (w, "Job", j->ns, j->name, "rejected", reason);
    sim_world_flush_jobs (w, FALSE);
    return;
  }
  if ((w->webhooks & WL_WEBHOOK_POD_GROUPS_MUTATE) != 0)
    sim_queue_redirect (w, job);
  sim_job_begin (w, job);
  sim_record_event (w, "Job", j->ns, j->name, "submitted", w->queue[j->queue].name);
  sim_scaling_begin (w, job);
  sim_step (w, job, "job-controller", "addJob", "Job %s/%s", j->ns, j->name);
  sim_jobs_job_changed (w, job);
}
