/* sim/controllers/job-controller.c - mirrors pkg/controllers/job/job_controller_actions.go. */
#include "job-controller.h"
#include "delayed-actions.h"
#include "job-requests.h"
#include "kinds.h"
#include "makers.h"
#include "pod-groups.h"
#include "queue-controller.h"
#include "rollouts.h"
#include "sim/record/chain.h"
#include "sim/record/ledger.h"
#include "sim/record/record.h"
#include "sim/record/watch.h"
#include "sim/world/budgets.h"
#include "sim/world/cluster-objects.h"
#include "sim/world/job-table.h"
#include "sim/world/kubelet.h"
#include "sim/world/min-resources.h"
#include "sim/world/queues.h"
#include "sim/world/storage.h"
#include "workloads/admission/admission.h"
#include <string.h>

/* ---- status --------------------------------------------------------------------------------- */

static void
enter_phase (SimWorld *w, guint32 job, SimJobPhase phase)
{
  SimJob *j = &w->job[job];

  if (j->phase == SIM_JOB_ABORTED) {
    sim_ledger_resume (w, job, j->finish);
    j->finish = SIM_NO_TIME;
    sim_job_resumed (w, job);
  }
  sim_step (w, job, "job-controller", "UpdateStatus", "phase %s; was %s; retryCount %u", sim_job_phase_names[phase], sim_job_phase_names[j->phase],
            j->retry);
  j->phase = (guint8) phase;
  sim_record_job_phase (w, job, sim_job_phase_names[phase]);
  if (j->started && (phase == SIM_JOB_ABORTING || phase == SIM_JOB_COMPLETING || phase == SIM_JOB_TERMINATING))
    sim_ledger_end (w, job); /* what it loses now it does not wait for */
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

/* Let the rule of phase and action look at @counts, and write what came out. @killed: only a change of phase moves the time. */
static void
update_status (SimWorld *w, guint32 job, SimJobAction action, gboolean has_rule, const SimJobCounts *counts, gboolean killed)
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
  gboolean counted = memcmp (counts, &j->status, sizeof *counts) != 0;

  if (moved || (!killed && counted))
    j->changed = w->now;
  j->status = *counts;
  if (moved) {
    enter_phase (w, job, phase);
    sim_jobs_job_changed (w, job);
  }
  if (moved || killed || counted)
    sim_owner_job_updated (w, job);
}

/* ---- PodGroup ------------------------------------------------------------------------------- */

/* createOrUpdatePodGroup: make it, or tell it what was edited since. FALSE: admission refuses a new one. */
static gboolean
create_or_update_pod_group (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];

  if (j->has_pg && !j->group_old)
    return TRUE;
  if (!j->has_pg) {
    g_autofree char *reason = (w->webhooks & WL_WEBHOOK_POD_GROUPS_VALIDATE) != 0 ? sim_queue_admit_group (w, j->queue, NULL) : NULL;

    if (reason != NULL) {
      sim_record_event (w, "Job", j->ns, j->name, "podgroup-refused", reason);
      return FALSE;
    }
  }
  g_autofree SimGroupTask *task = g_new0 (SimGroupTask, MAX (j->n_roles, 1));
  g_autofree VcRoleMin *minimum = g_new (VcRoleMin, MAX (j->n_roles, 1));
  g_autoptr (GArray) amounts = g_array_new (FALSE, FALSE, sizeof (VcAmount));
  g_autoptr (GPtrArray) quota_names = w->has_quotas ? g_ptr_array_new_with_free_func (g_free) : NULL; /* read by quotas alone */
  VcPair label = { "volcano.sh/preemptable", j->preemptable == 1 ? "true" : "false" };
  g_autofree char *wait = j->sla != SIM_NO_TIME ? g_strdup_printf ("%" G_GINT64_FORMAT "us", j->sla) : NULL;
  VcPair sla = { "volcano.sh/sla-waiting-time", wait };

  j->group_old = FALSE;
  for (guint32 i = 0; i < j->n_roles; i++) {
    const SimRole *r = &w->role[j->first_role + i];
    guint32 k = i;

    task[i] = (SimGroupTask){ r->replicas, r->min_available, r->spec != NULL ? r->spec->priority : 0, r->request };
    while (k > 0 && strcmp (minimum[k - 1].role, r->name) > 0) {
      minimum[k] = minimum[k - 1];
      k--;
    }
    minimum[k] = (VcRoleMin){ r->name, r->min_available };
  }
  if (j->has_min_resources)
    g_array_append_vals (amounts, j->min_resources, j->n_min_resources);
  else
    sim_min_resources (j->min_available, task, j->n_roles, quota_names, amounts);
  g_string_printf (w->group_name, "%s-%08u", j->name, job);
  VcPodGroupObject o = {
    .ns = j->ns,
    .name = w->group_name->str,
    .uid = w->group_name->str,
    .labels = { &label, j->preemptable >= 0 ? 1u : 0u },
    .annotations = { &sla, wait != NULL ? 1u : 0u },
    .created = sim_world_second (w),
    .queue = w->queue[j->queue].name,
    .priority_class = j->priority_class,
    .min_member = j->min_available,
    .role_min = minimum,
    .n_role_mins = j->n_roles,
    .min_resources = { (const VcAmount *) (gpointer) amounts->data, amounts->len, TRUE },
  };

  if (j->spec != NULL) {
    o.labels = j->spec->labels;
    o.annotations = j->spec->annotations;
    o.topology = j->spec->topology;
    o.policy = j->spec->sub_group;
    o.n_policies = j->spec->n_sub_groups;
  }
  sim_step (w, job, "job-controller", "createOrUpdatePodGroup", "PodGroup %s/%s %s: minMember %d; queue %s", o.ns, o.name,
            j->has_pg ? "updated" : "created", o.min_member, o.queue);
  if (j->has_pg) {
    sim_watch_group (w, job, &o, FALSE);
    return TRUE;
  }
  sim_pod_group_add (w, job, &o);
  return TRUE;
}

static void
delete_pod_group (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];

  if (!j->has_pg)
    return;
  sim_step (w, job, "job-controller", "killPods", "its PodGroup is deleted");
  sim_pod_group_remove (w, job);
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

/* ---- tasks that wait for others ---- */

/* Pods of a task that have got as far as those who depend on them want: done, or up with their containers. */
static guint32
ready_pods (const SimWorld *w, const SimRole *r)
{
  guint32 n = 0;

  for (guint32 i = 0; i < r->replicas; i++) {
    guint32 pod = sim_role_pod (r, i);

    if (pod != SIM_NONE)
      n += w->pod[pod].phase == SIM_POD_SUCCEEDED || (w->pod[pod].phase == SIM_POD_RUNNING && !w->pod[pod].unready);
  }
  return n;
}

static gboolean
may_start (const SimWorld *w, const SimJob *j, const SimRole *r)
{
  const SimTaskSpec *t = r->spec;

  if (t == NULL || t->n_depends == 0)
    return TRUE;
  gboolean any = t->depends_on_any && t->n_depends > 1;

  for (guint i = 0; i < t->n_depends; i++) {
    const SimRole *other = &w->role[j->first_role + t->depends[i]];
    gboolean ready = (gint64) ready_pods (w, other) >= other->min_available;

    if (ready == any)
      return any;
  }
  return !any;
}

/* Does the API server take the pod? A refusal is an event of the job, FailedCreatePod. */
static gboolean
may_be_made (SimWorld *w, guint32 role, guint32 index)
{
  const SimRole *r = &w->role[role];
  const SimJob *j = &w->job[r->job];

  const char *error = j->spec != NULL && j->spec->pod_error != NULL ? j->spec->pod_error : r->pod_error;

  if (w->quotas == NULL && error == NULL)
    return TRUE;
  g_autofree char *pod = g_strdup_printf ("%s-%s-%u", j->name, r->name, index);
  g_autofree char *reason = error != NULL ? g_strdup (error) : sim_quota_refusal (w, role, pod);

  if (reason != NULL)
    sim_record_event (w, "Job", j->ns, j->name, "pod-refused", reason);
  return reason == NULL;
}

/* FALSE: some of them were refused. */
static gboolean
create_pods (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];
  gboolean good = TRUE;

  if (!j->scaled && j->n_objects >= j->replicas)
    return TRUE;
  for (guint32 k = 0; k < j->n_roles; k++) {
    guint32 role = j->first_role + k;
    const SimRole *r = &w->role[role];

    if ((r->n_slots == r->replicas && r->objects >= r->replicas) || !may_start (w, j, r))
      continue;
    for (guint32 i = 0; i < r->replicas; i++)
      if (sim_role_pod (r, i) == SIM_NONE && (j->predecessor == SIM_NONE || sim_pod_name_is_free (w, role, i))) {
        if (!may_be_made (w, role, i)) {
          good = FALSE;
          continue;
        }
        sim_pod_create (w, role, i);
        sim_step (w, job, "job-controller", "createJobPod", "pod %s", sim_pod_name (w, r->slot[i].pod));
        sim_jobs_pod_added (w, r->slot[i].pod);
        sim_pod_found (w, r->slot[i].pod);
      }
  }
  return good;
}

/* After a role was scaled down: its pods of the highest indices go, without the stamp of a kill, so that policies see it. How many vanish at
 * once: they count as terminating this time. */
static guint32
delete_surplus_pods (SimWorld *w, guint32 job)
{
  const SimJob *j = &w->job[job];
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 gone = 0;

  for (guint32 k = 0; k < j->n_roles; k++) {
    const SimRole *r = &w->role[j->first_role + k];

    for (guint32 i = r->replicas; i < r->n_slots; i++)
      if (sim_role_pod (r, i) != SIM_NONE)
        g_array_append_val (rows, r->slot[i].pod);
  }
  sim_pods_sort (w, rows);
  for (guint i = 0; i < rows->len; i++) {
    guint32 pod = g_array_index (rows, guint32, i);

    if (w->pod[pod].deleting)
      continue;
    sim_pod_delete (w, pod);
    gone += !w->pod[pod].live;
  }
  return gone;
}

static void
init_job_status (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];

  if (j->phase != SIM_JOB_NEW)
    return;
  sim_step (w, job, "job-controller", "initJobStatus", "phase %s", sim_job_phase_names[SIM_JOB_PENDING]);
  j->changed = w->now;
  j->phase = SIM_JOB_PENDING;
  sim_record_job_phase (w, job, sim_job_phase_names[SIM_JOB_PENDING]);
  sim_jobs_job_changed (w, job);
  sim_owner_job_updated (w, job);
}

/* initiateJob: at every sync of a job that is Pending. FALSE: the request is tried again. */
static gboolean
initiate_job (SimWorld *w, guint32 job)
{
  sim_step (w, job, "job-controller", "initiateJob", "Job %s/%s", w->job[job].ns, w->job[job].name);
  init_job_status (w, job);
  g_autofree char *problem = sim_storage_begin_job (w, job);

  if (problem != NULL) {
    sim_record_event (w, "Job", w->job[job].ns, w->job[job].name, "claim-missing", problem);
    return FALSE;
  }
  return create_or_update_pod_group (w, job);
}

/* initOnJobUpdate: the same for a job that has left Pending. */
static gboolean
init_on_job_update (SimWorld *w, guint32 job)
{
  return create_or_update_pod_group (w, job);
}

static gboolean
sync_job (SimWorld *w, guint32 job, SimJobAction action)
{
  SimJob *j = &w->job[job];
  gboolean first = j->phase == SIM_JOB_NEW || j->phase == SIM_JOB_PENDING;

  sim_step (w, job, "job-controller", "syncJob", "phase %s; PodGroup %s", vc_step_text (sim_job_phase_names[j->phase]),
            !j->has_pg ? "missing" : j->pg_phase == VC_PG_EMPTY ? "without a phase" : vc_pg_phase_names[j->pg_phase]);
  if (w->queue[j->queue].row == VC_NONE) {
    g_autofree char *reason = wl_queue_not_found (w->queue[j->queue].name);

    sim_record_event (w, "Job", j->ns, j->name, "sync-failed", reason);
    return FALSE;
  }
  if (!(first ? initiate_job (w, job) : init_on_job_update (w, job)))
    return FALSE;
  if (j->pg_phase == VC_PG_EMPTY || j->pg_phase == VC_PG_PENDING) {
    SimJobCounts stored = j->status; /* the gang is not admitted: nothing is made, counted or deleted */

    update_status (w, job, action, TRUE, &stored, FALSE);
    return TRUE;
  }
  if (!create_pods (w, job))
    return FALSE; /* what was made stays, but no status is written */
  guint32 gone = j->scaled ? delete_surplus_pods (w, job) : 0;
  SimJobCounts fresh = counts_of (&j->live);

  fresh.terminating += gone;
  if (j->timed) { /* a sync does not carry runningDuration on, which is a change of the status as well */
    j->timed = FALSE;
    j->changed = w->now;
    sim_owner_job_updated (w, job);
  }
  update_status (w, job, action, TRUE, &fresh, FALSE);
  return TRUE;
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
      sim_step (w, job, "job-controller", "killPods", "pod %s", sim_pod_name (w, pod[i]));
      sim_pod_delete (w, pod[i]);
    }
  }
  j->timed = TRUE;
  update_status (w, job, action, plan->has_rule, &counts, TRUE);
  delete_pod_group (w, job);
}

/* Is the pod among those that the action is aimed at? */
static gboolean
is_target (const SimWorld *w, SimJobAction action, const SimRequest *req, const SimPod *p)
{
  if (p->role != req->role)
    return FALSE;
  if (action == SIM_ACTION_RESTART_POD)
    return p->index == req->index;
  if (action == SIM_ACTION_RESTART_PARTITION)
    return sim_role_partition (&w->role[p->role], p->index) == sim_role_partition (&w->role[req->role], req->index);
  return TRUE;
}

static void
kill_target (SimWorld *w, guint32 job, SimJobAction action, const SimRequest *req)
{
  SimJobCounts counts = { 0 };
  guint n = 0;

  sim_job_pods (w, job);
  g_autofree guint32 *pod = g_new (guint32, MAX (w->rows->len, 1));

  for (guint i = 0; i < w->rows->len; i++) {
    guint32 row = g_array_index (w->rows, guint32, i);

    if (is_target (w, action, req, &w->pod[row]))
      pod[n++] = row;
  }
  if (action == SIM_ACTION_RESTART_PARTITION &&
      (n == 0 || sim_role_partition (&w->role[req->role], req->index) == SIM_NONE))
    return; /* no such partition: not even a retry is used up */
  for (guint i = 0; i < n; i++) {
    SimPod *p = &w->pod[pod[i]];

    p->out_of_sync = TRUE;
    counts.terminating++;
    if (p->deleting)
      sim_jobs_pod_updated (w, pod[i]);
    else
      sim_pod_delete (w, pod[i]);
  }
  w->job[job].timed = TRUE;
  update_status (w, job, action, TRUE, &counts, TRUE);
}

gboolean
sim_job_execute (SimWorld *w, guint32 job, SimJobAction action, const SimRequest *req)
{
  SimJob *j = &w->job[job];

  if (!j->exists)
    return TRUE;
  if (j->settled) { /* another kill that finds nothing */
    j->version++;
    sim_owner_job_updated (w, job);
    return TRUE;
  }
  SimJobPlan plan = sim_job_state_plan ((SimJobPhase) j->phase, action);

  switch (plan.call) {
  case SIM_CALL_SYNC:
    return sync_job (w, job, action);
  case SIM_CALL_KILL:
    kill_job (w, job, action, &plan);
    return TRUE;
  case SIM_CALL_KILL_TARGET:
  default:
    kill_target (w, job, action, req);
    return TRUE;
  }
}

void
sim_job_delete (SimWorld *w, guint32 job, gboolean foreground)
{
  SimJob *j = &w->job[job];

  if (!j->exists)
    return;
  if (j->kind == WL_KIND_POD || j->kind == WL_KIND_POD_GROUP) {
    sim_storage_job_gone (w, job);
    sim_kind_delete (w, job);
    return;
  }
  sim_record_job_phase (w, job, "Deleted");
  sim_record_event (w, sim_kind_of (j)->object, j->ns, j->name, "deleted", "");
  j->exists = FALSE;
  j->deleted = TRUE;
  sim_budgets_job_changed (w, job);
  if (j->finish == SIM_NO_TIME)
    sim_job_finished (w, job);
  sim_delayed_clear (w, job);
  delete_pod_group (w, job);
  sim_storage_job_gone (w, job);
  sim_rollout_delete (w, job);
  if (!j->settled) {
    sim_job_pods (w, job);
    g_autofree guint32 *pod = g_memdup2 (w->rows->data, w->rows->len * sizeof (guint32));
    guint n = w->rows->len;

    for (guint i = 0; i < n; i++)
      if (w->pod[pod[i]].live && !w->pod[pod[i]].deleting)
        sim_pod_delete (w, pod[i]);
    sim_job_settle (w, job);
  }
  if (foreground) {
    j->lingers = w->makers != NULL; /* nobody else would notice */
    sim_owner_job_updated (w, job);
    sim_job_vanish (w, job);
  } else {
    sim_job_forget (w, job);
  }
}
