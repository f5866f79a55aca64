/* sim/job-controller.c - mirrors pkg/controllers/job/job_controller_actions.go. */
#include "job-controller.h"
#include "kubelet.h"
#include "min-resources.h"
#include "queue-controller.h"
#include "record.h"
#include <string.h>

/* ---- requests ------------------------------------------------------------------------------- */

void
sim_jobs_request (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];

  if (j->sync_queued || !j->exists || j->settled)
    return;
  if (w->n_requests == w->cap_requests) { /* a full ring is laid out straight again */
    guint32 cap = MAX (w->cap_requests * 2, 64);
    guint32 *fresh = g_new (guint32, cap);

    for (guint32 i = 0; i < w->n_requests; i++)
      fresh[i] = w->request[(w->request_head + i) % w->cap_requests];
    g_free (w->request);
    w->request = fresh;
    w->cap_requests = cap;
    w->request_head = 0;
  }
  w->request[(w->request_head + w->n_requests++) % w->cap_requests] = job;
  j->sync_queued = TRUE;
}

void
sim_jobs_settle (SimWorld *w)
{
  while (w->n_requests > 0) {
    guint32 job = w->request[w->request_head];

    w->request_head = (w->request_head + 1) % w->cap_requests;
    w->n_requests--;
    w->job[job].sync_queued = FALSE;
    sim_job_execute (w, job, SIM_ACTION_SYNC_JOB);
  }
}

/* ---- status --------------------------------------------------------------------------------- */

static void
enter_phase (SimWorld *w, guint32 job, SimJobPhase phase)
{
  SimJob *j = &w->job[job];

  j->phase = (guint8) phase;
  sim_record_job_phase (w, job, sim_job_phase_names[phase]);
  if (sim_job_phase_is_final (phase) || phase == SIM_JOB_ABORTED) {
    if (j->finish == SIM_NO_TIME)
      sim_job_finished (w, job);
    j->finish = w->now;
    if (j->ttl >= 0 && phase != SIM_JOB_ABORTED) {
      SimTime due = sim_time_after (sim_time_seconds (w->now) * SIM_SECOND, j->ttl * SIM_SECOND);

      sim_event_queue_post (w->events, MAX (due, w->now), SIM_RANK_TIMER, SIM_EVENT_JOB_EXPIRE, job, 0);
    }
  }
}

/* Let the rule of phase and action look at @counts, and write what came out. */
static void
update_status (SimWorld *w, guint32 job, SimJobAction action, gboolean has_rule, const SimJobCounts *counts)
{
  SimJob *j = &w->job[job];
  SimJobPhase phase = (SimJobPhase) j->phase;
  gboolean moved = FALSE;

  if (has_rule) {
    if (j->n_roles > w->cap_rules) {
      w->cap_rules = j->n_roles;
      w->rule_min = g_renew (gint64, w->rule_min, w->cap_rules);
      w->rule_succeeded = g_renew (gint64, w->rule_succeeded, w->cap_rules);
    }
    for (guint32 i = 0; i < j->n_roles; i++) {
      const SimRole *r = &w->role[j->first_role + i];
      guint32 seen = r->live.pending + r->live.running + r->live.succeeded + r->live.failed;

      w->rule_min[i] = r->min_available;
      w->rule_succeeded[i] = seen > 0 ? (gint64) r->live.succeeded : -1;
    }
    SimJobRules rules = { j->min_available, j->max_retry, j->min_success, j->replicas, j->n_roles, w->rule_min, w->rule_succeeded };

    moved = sim_job_state_update (action, &rules, counts, &phase, &j->retry);
  }
  if (moved || memcmp (counts, &j->status, sizeof *counts) != 0) {
    j->status = *counts;
    j->changed = w->now;
  }
  if (moved) {
    enter_phase (w, job, phase);
    sim_jobs_request (w, job);
  }
}

/* ---- PodGroup ------------------------------------------------------------------------------- */

static void
create_group (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];
  g_autofree SimGroupTask *task = g_new0 (SimGroupTask, MAX (j->n_roles, 1));
  g_autofree VcRoleMin *minimum = g_new (VcRoleMin, MAX (j->n_roles, 1));
  g_autoptr (GArray) amounts = g_array_new (FALSE, FALSE, sizeof (VcAmount));
  VcPair label = { "volcano.sh/preemptable", j->preemptable == 1 ? "true" : "false" };

  for (guint32 i = 0; i < j->n_roles; i++) {
    const SimRole *r = &w->role[j->first_role + i];
    guint32 k = i;

    task[i] = (SimGroupTask){ r->replicas, r->min_available, 0, r->request };
    while (k > 0 && strcmp (minimum[k - 1].role, r->name) > 0) {
      minimum[k] = minimum[k - 1];
      k--;
    }
    minimum[k] = (VcRoleMin){ r->name, r->min_available };
  }
  if (j->has_min_resources)
    g_array_append_vals (amounts, j->min_resources, j->n_min_resources);
  else
    sim_min_resources (j->min_available, task, j->n_roles, NULL, amounts);
  g_string_printf (w->group_name, "%s-%08u", j->name, job);
  VcPodGroupObject o = {
    .ns = j->ns,
    .name = w->group_name->str,
    .uid = w->group_name->str,
    .labels = { &label, j->preemptable >= 0 ? 1u : 0u },
    .created = sim_world_second (w),
    .queue = w->queue[j->queue].name,
    .priority_class = j->priority_class,
    .min_member = j->min_available,
    .role_min = minimum,
    .n_role_mins = j->n_roles,
    .min_resources = { (const VcAmount *) (gpointer) amounts->data, amounts->len, TRUE },
  };

  j->pg = vc_cache_add_pod_group (w->cache, &o);
  w->cluster->job[j->pg].user = job;
  j->has_pg = TRUE;
  j->pg_phase = VC_PG_EMPTY;
  w->groups[VC_PG_EMPTY]++;
  w->queue[j->queue].n_groups++;
  sim_queue_request (w, j->queue, SIM_QUEUE_SYNC);
}

static void
delete_group (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];

  if (!j->has_pg)
    return;
  j->has_pg = FALSE;
  w->groups[j->pg_phase]--;
  w->queue[j->queue].n_groups--;
  sim_queue_request (w, j->queue, SIM_QUEUE_SYNC);
  vc_cache_remove_pod_group (w->cache, j->pg);
  j->pg = VC_NONE;
}

/* ---- sync and kill -------------------------------------------------------------------------- */

static SimJobCounts
counts_of (const SimPodCounts *c)
{
  return (SimJobCounts){ .pending = c->pending,
                         .running = c->running,
                         .succeeded = c->succeeded,
                         .failed = c->failed,
                         .terminating = c->terminating };
}

static void
create_missing_pods (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];

  if (j->n_objects >= j->replicas)
    return;
  for (guint32 k = 0; k < j->n_roles; k++) {
    guint32 role = j->first_role + k;
    const SimRole *r = &w->role[role];

    if (r->objects >= r->replicas)
      continue;
    for (guint32 i = 0; i < r->replicas; i++)
      if (j->slot[r->first_slot + i].pod == SIM_NONE)
        sim_pod_create (w, role, i);
  }
}

static void
sync_job (SimWorld *w, guint32 job, SimJobAction action)
{
  SimJob *j = &w->job[job];

  if (j->phase == SIM_JOB_NEW) {
    j->changed = w->now;
    j->phase = SIM_JOB_PENDING;
    sim_record_job_phase (w, job, sim_job_phase_names[SIM_JOB_PENDING]);
    sim_jobs_request (w, job);
  }
  if (!j->has_pg)
    create_group (w, job);
  if (j->pg_phase == VC_PG_EMPTY || j->pg_phase == VC_PG_PENDING) {
    SimJobCounts stored = j->status; /* the gang is not admitted: nothing is made, counted or deleted */

    update_status (w, job, action, TRUE, &stored);
    return;
  }
  create_missing_pods (w, job);
  SimJobCounts fresh = counts_of (&j->live);

  update_status (w, job, action, TRUE, &fresh);
}

static void
kill_job (SimWorld *w, guint32 job, SimJobAction action, const SimJobPlan *plan)
{
  SimJob *j = &w->job[job];
  gboolean keep = plan->keep_finished || (gint64) j->retry >= (gint64) j->max_retry - 1; /* the last run's pods stay to be looked at */
  SimJobCounts counts = { 0 };

  j->version++;
  counts.terminating = j->live.terminating;
  if (j->live.pending + j->live.running > 0 || (!keep && j->live.succeeded + j->live.failed > 0)) {
    sim_job_pods (w, job);
    g_autofree guint32 *pod = g_memdup2 (w->rows->data, w->rows->len * sizeof (guint32));
    guint n = w->rows->len;

    for (guint i = 0; i < n; i++) {
      SimPod *p = &w->pod[pod[i]];

      if (!p->live || p->deleting || (keep && (p->phase == SIM_POD_SUCCEEDED || p->phase == SIM_POD_FAILED)))
        continue;
      p->out_of_sync = TRUE;
      counts.terminating++;
      sim_pod_delete (w, pod[i]);
    }
  }
  update_status (w, job, action, plan->has_rule, &counts);
  delete_group (w, job);
}

void
sim_job_execute (SimWorld *w, guint32 job, SimJobAction action)
{
  SimJob *j = &w->job[job];

  if (!j->exists || j->settled)
    return;
  SimJobPlan plan = sim_job_state_plan ((SimJobPhase) j->phase, action);

  switch (plan.call) {
  case SIM_CALL_SYNC:
    sync_job (w, job, action);
    break;
  case SIM_CALL_KILL:
    kill_job (w, job, action, &plan);
    break;
  case SIM_CALL_KILL_TARGET: /* only policies aim at a target */
  default:
    break;
  }
  if (sim_job_phase_is_final ((SimJobPhase) w->job[job].phase))
    sim_job_settle (w, job);
}

void
sim_job_delete (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];

  if (!j->exists)
    return;
  sim_record_job_phase (w, job, "Deleted");
  sim_record_event (w, "Job", j->ns, j->name, "deleted", "");
  j->exists = FALSE;
  j->deleted = TRUE;
  if (j->finish == SIM_NO_TIME)
    sim_job_finished (w, job);
  delete_group (w, job);
  if (!j->settled) {
    sim_job_pods (w, job);
    g_autofree guint32 *pod = g_memdup2 (w->rows->data, w->rows->len * sizeof (guint32));
    guint n = w->rows->len;

    for (guint i = 0; i < n; i++)
      if (w->pod[pod[i]].live && !w->pod[pod[i]].deleting)
        sim_pod_delete (w, pod[i]);
    sim_job_settle (w, job);
  }
}
