/* sim/world/job-table.c - see job-table.h. */
#include "job-table.h"
#include "queues.h"
#include "sim/controllers/job-requests.h"
#include "sim/controllers/kinds.h"
#include "sim/controllers/makers.h"
#include "sim/controllers/scaling.h"
#include "sim/record/chain.h"
#include "sim/record/record.h"
#include "workloads/admission/admission.h"
#include <string.h>

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

SimJob
sim_job_at_rest (void)
{
  return (SimJob){ .owner = SIM_NONE,
                   .predecessor = SIM_NONE,
                   .min_success = -1,
                   .preemptable = -1,
                   .ttl = -1,
                   .pg = VC_NONE,
                   .wait_place = SIM_NONE,
                   .active_place = SIM_NONE,
                   .first_delayed = SIM_NONE,
                   .inqueue = SIM_NO_TIME,
                   .first_bind = SIM_NO_TIME,
                   .gang_start = SIM_NO_TIME,
                   .finish = SIM_NO_TIME,
                   .walltime = SIM_NO_TIME,
                   .sla = SIM_NO_TIME,
                   .deadline = SIM_NO_TIME,
                   .changed = SIM_NO_TIME };
}

guint32
sim_job_add (SimWorld *w, guint32 n_roles)
{
  sim_jobs_reserve (w, 1, n_roles);
  guint32 row = w->n_jobs++;

  w->jobs_total++;
  w->job[row] = sim_job_at_rest ();
  w->job[row].first_role = w->n_roles;
  w->job[row].n_roles = n_roles;
  w->job[row].submit = w->now;
  for (guint32 i = 0; i < n_roles; i++)
    w->role[w->n_roles++] = (SimRole){ .job = row };
  return row;
}

/* ---- names ----------------------------------------------------------------------------------- */

static guint32
look_up (GHashTable *names, const char *ns, const char *name)
{
  g_autofree char *key = names != NULL ? g_strconcat (ns, "/", name, NULL) : NULL;

  return key != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (names, key)) - 1 : SIM_NONE;
}

guint32
sim_job_find (const SimWorld *w, const char *ns, const char *name)
{
  return look_up (w->job_names, ns, name);
}

void
sim_job_forget (SimWorld *w, guint32 job)
{
  const SimJob *j = &w->job[job];

  if (w->job_names == NULL)
    return;
  char *key = g_strconcat (j->ns, "/", j->name, NULL);

  g_hash_table_remove (w->job_names, key);
  if (j->n_objects > 0)
    g_hash_table_replace (w->old_names, key, GUINT_TO_POINTER (job + 1));
  else
    g_free (key);
  sim_owner_job_gone (w, job);
}

static void
take_name (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];

  if (w->job_names == NULL)
    return;
  char *key = g_strconcat (j->ns, "/", j->name, NULL);
  guint32 old = look_up (w->old_names, j->ns, j->name);

  if (old != SIM_NONE && w->job[old].n_objects > 0)
    j->predecessor = old;
  g_hash_table_remove (w->old_names, key);
  g_hash_table_insert (w->job_names, key, GUINT_TO_POINTER (job + 1));
}

gboolean
sim_pod_name_is_free (const SimWorld *w, guint32 role, guint32 index)
{
  const SimRole *r = &w->role[role];

  for (guint32 old = w->job[r->job].predecessor; old != SIM_NONE; old = w->job[old].predecessor) {
    const SimJob *j = &w->job[old];

    for (guint32 k = 0; j->n_objects > 0 && k < j->n_roles; k++) {
      const SimRole *theirs = &w->role[j->first_role + k];

      if (strcmp (theirs->name, r->name) == 0 && sim_role_pod (theirs, index) != SIM_NONE)
        return FALSE;
    }
  }
  return TRUE;
}

/* ---- submission ------------------------------------------------------------------------------ */

char *
sim_job_refusal (const SimWorld *w, guint32 job)
{
  const SimJob *j = &w->job[job];

  if (sim_job_find (w, j->ns, j->name) != SIM_NONE)
    return g_strdup_printf ("jobs.batch.volcano.sh \"%s\" already exists", j->name);
  return sim_queue_admit_job (w, j->queue, j->spec != NULL ? j->spec->refusal : NULL);
}

/* The webhooks have been asked; @reason: why they refuse the job, NULL. */
static void
note_admission (SimWorld *w, guint32 job, const char *reason)
{
  SimJob *j = &w->job[job];

  j->followed = w->chain != NULL && sim_chain_chooses (w->chain, j->ns, j->name);
  sim_step (w, job, "webhook", "MutateJobs", "Job %s/%s: queue %s; minAvailable %d; maxRetry %u", j->ns, j->name, w->queue[j->queue].name,
            j->min_available, j->max_retry);
  sim_step (w, job, "webhook", "AdmitJobs", "Job %s/%s: %s", j->ns, j->name, reason == NULL ? "allowed" : reason);
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

  if (reason != NULL) {
    note_admission (w, job, reason);
    j->rejected = TRUE;
    j->reason = g_string_chunk_insert (w->text, reason);
    w->jobs_finished++;
    sim_record_job_phase (w, job, "Rejected");
    sim_record_event (w, "Job", j->ns, j->name, "rejected", reason);
    sim_world_flush_jobs (w, FALSE);
    return;
  }
  sim_job_accept (w, job);
}

void
sim_job_accept (SimWorld *w, guint32 job)
{
  const SimJob *j = &w->job[job];

  note_admission (w, job, NULL);
  if ((w->webhooks & WL_WEBHOOK_POD_GROUPS_MUTATE) != 0)
    sim_queue_redirect (w, job);
  take_name (w, job);
  sim_job_begin (w, job);
  sim_record_event (w, "Job", j->ns, j->name, "submitted", w->queue[j->queue].name);
  sim_scaling_begin (w, job);
  sim_step (w, job, "job-controller", "addJob", "Job %s/%s", j->ns, j->name);
  sim_jobs_job_changed (w, job);
  sim_owner_job_added (w, job);
}
