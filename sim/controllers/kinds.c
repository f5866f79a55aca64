/* sim/controllers/kinds.c - the table of kinds, and what they share. */
#include "kinds.h"
#include "job-requests.h"
#include "pod-groups.h"
#include "rollouts.h"
#include "scaling.h"
#include "sim/record/chain.h"
#include "sim/record/ledger.h"
#include "sim/record/record.h"
#include "sim/world/cluster-objects.h"
#include "sim/world/kubelet.h"
#include "sim/world/queues.h"
#include "workloads/admission/admission.h"

/* The limiter of the controllers' work queues: each item doubles its own wait. */
#define RETRY_FIRST (5 * SIM_SECOND / 1000)
#define RETRY_LONGEST (1000 * SIM_SECOND)

const SimKind sim_kinds[WL_N_KINDS] = {
  [WL_KIND_VCJOB] = { "vcjob", "Job", NULL, NULL },
  [WL_KIND_POD] = { "pod", "Pod", sim_bare_pod_sync, NULL },
  [WL_KIND_POD_GROUP] = { "podgroup", "PodGroup", sim_group_sync, sim_group_pod_removed },
  [WL_KIND_REPLICA_SET] = { "replicaset", "ReplicaSet", sim_replica_set_sync, NULL },
  [WL_KIND_DEPLOYMENT] = { "deployment", "Deployment", sim_replica_set_sync, NULL },
  [WL_KIND_STATEFUL_SET] = { "statefulset", "StatefulSet", sim_stateful_set_sync, NULL },
  [WL_KIND_BATCH_JOB] = { "batchjob", "BatchJob", sim_batch_job_sync, sim_batch_pod_removed },
};

/* ---- pods ----------------------------------------------------------------------------------- */

gboolean
sim_pod_is_ready (const SimWorld *w, const SimPod *p)
{
  return p->phase == SIM_POD_RUNNING && !p->unready && !w->node[p->node].unreachable;
}

gint64
sim_pod_ready_since (const SimWorld *w, const SimPod *p)
{
  return sim_time_seconds (MAX (p->run_start, w->node[p->node].told));
}

gboolean
sim_pod_is_available (SimWorld *w, guint32 job, const SimPod *p)
{
  gint64 wait = w->job[job].kube->work->min_ready;

  if (p->deleting || !sim_pod_is_ready (w, p))
    return FALSE;
  SimTime due = (sim_pod_ready_since (w, p) + wait) * SIM_SECOND;

  if (wait == 0 || due <= w->now)
    return TRUE;
  sim_kind_look_again (w, job, due - w->now);
  return FALSE;
}

/* What the API server has against another pod of the role. (transfer full) */
static char *
pod_refusal (SimWorld *w, guint32 role)
{
  const SimRole *r = &w->role[role];

  if (r->pod_error != NULL)
    return g_strdup (r->pod_error);
  return w->quotas != NULL ? sim_quota_refusal (w, role, w->job[r->job].name) : NULL;
}

gboolean
sim_kind_make_pod (SimWorld *w, guint32 role, guint32 index)
{
  SimRole *r = &w->role[role];
  const SimJob *j = &w->job[r->job];

  g_autofree char *reason = pod_refusal (w, role);

  if (reason != NULL) {
    sim_record_event (w, sim_kind_of (j)->object, j->ns, j->name, "pod-refused", reason);
    return FALSE;
  }
  sim_pod_create (w, role, index);
  sim_step (w, r->job, sim_kind_of (j)->name, "createPod", "pod %s", sim_pod_name (w, r->slot[index].pod));
  sim_jobs_pod_added (w, r->slot[index].pod);
  sim_pod_found (w, r->slot[index].pod);
  return TRUE;
}

guint32
sim_kind_free_place (SimWorld *w, guint32 role)
{
  SimRole *r = &w->role[role];
  guint32 i = 0;

  if (r->objects < r->n_slots)
    while (r->slot[i].pod != SIM_NONE)
      i++;
  else
    i = r->n_slots;
  if (i == r->n_slots)
    sim_role_grow (r, i + 1);
  return i;
}

/* ---- phases --------------------------------------------------------------------------------- */

void
sim_kind_enter (SimWorld *w, guint32 job, SimJobPhase phase)
{
  SimJob *j = &w->job[job];

  if (j->phase == phase || sim_job_phase_is_final ((SimJobPhase) j->phase))
    return;
  j->phase = (guint8) phase;
  j->changed = w->now;
  sim_record_job_phase (w, job, sim_job_phase_names[phase]);
  if (!sim_job_phase_is_final (phase))
    return;
  sim_job_finished (w, job);
  j->finish = w->now;
  if (j->ttl >= 0) {
    SimTime due = sim_time_after (sim_time_seconds (w->now) * SIM_SECOND, j->ttl * SIM_SECOND);

    sim_event_queue_post (w->events, MAX (due, w->now), SIM_RANK_TIMER, SIM_EVENT_JOB_EXPIRE, job, 0);
  }
}

/* Running while enough pods run; what asks for no pods stays as it is. */
static void
follow_pods (SimWorld *w, guint32 job)
{
  const SimJob *j = &w->job[job];

  if (j->replicas > 0 && (j->phase == SIM_JOB_PENDING || j->phase == SIM_JOB_RUNNING))
    sim_kind_enter (w, job, (gint64) j->live.running >= MAX (j->min_available, 1) ? SIM_JOB_RUNNING : SIM_JOB_PENDING);
}

/* ---- looking again --------------------------------------------------------------------------- */

void
sim_kind_look_again (SimWorld *w, guint32 job, SimTime delay)
{
  SimKube *k = w->job[job].kube;
  SimTime due = sim_time_after (w->now, delay);

  if (k->wake <= due && k->wake > w->now)
    return;
  k->wake = due;
  sim_event_queue_post (w->events, due, SIM_RANK_TIMER, SIM_EVENT_JOB_WAKE, job, 0);
}

gboolean
sim_kind_wake (SimWorld *w, const SimEvent *ev)
{
  SimJob *j = &w->job[ev->subject];

  if (!j->exists || (sim_event_kind (ev) == SIM_EVENT_JOB_AGAIN && j->kube->failures != ev->stamp))
    return FALSE;
  guint64 uid = w->next_uid;
  guint32 objects = j->n_objects, terminating = j->live.terminating;
  guint32 requests = w->n_requests;
  guint8 phase = j->phase;

  sim_kind_sync (w, ev->subject);
  return w->n_requests != requests || w->next_uid != uid || j->n_objects != objects || j->live.terminating != terminating || j->phase != phase;
}

void
sim_kind_sync (SimWorld *w, guint32 job)
{
  SimKube *k = w->job[job].kube;

  if (sim_kind_of (&w->job[job])->sync (w, job)) {
    k->failures = 0;
  } else {
    SimTime delay = MIN (RETRY_FIRST << MIN (k->failures, 18), RETRY_LONGEST);

    k->failures++;
    sim_event_queue_post (w->events, sim_time_after (w->now, delay), SIM_RANK_TIMER, SIM_EVENT_JOB_AGAIN, job, k->failures);
  }
  if (w->job[job].exists && w->job[job].kind != WL_KIND_POD)
    follow_pods (w, job);
  sim_rollout_sync (w, job);
}

/* ---- from outside ---------------------------------------------------------------------------- */

static void
begin (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];

  if (j->submitted)
    return;
  j->followed = w->chain != NULL && sim_chain_chooses (w->chain, j->ns, j->name);
  sim_job_begin (w, job);
  j->kube->uid = w->next_uid++;
  j->phase = SIM_JOB_PENDING;
  j->changed = w->now;
}

static void
reject (SimWorld *w, guint32 job, const char *reason)
{
  SimJob *j = &w->job[job];

  j->reason = g_string_chunk_insert (w->text, reason);
  sim_record_job_phase (w, job, "Rejected");
  sim_record_event (w, sim_kind_of (j)->object, j->ns, j->name, "rejected", reason);
  if (j->submitted)
    return; /* pods of its name are there, and wait in vain */
  j->rejected = TRUE;
  w->jobs_finished++;
  sim_world_flush_jobs (w, FALSE);
}

/* What the API server has against the object. (transfer full) */
static char *
refusal_of (SimWorld *w, guint32 job)
{
  const SimJob *j = &w->job[job];

  if (j->kind == WL_KIND_POD_GROUP)
    return sim_pod_group_refusal (w, job);
  return j->kind == WL_KIND_POD ? pod_refusal (w, j->first_role) : NULL;
}

void
sim_kind_submit (SimWorld *w, guint32 job)
{
  const SimJob *j = &w->job[job];

  if ((w->webhooks & WL_WEBHOOK_POD_GROUPS_MUTATE) != 0 && (j->kind == WL_KIND_POD_GROUP || j->replicas <= 1)) /* the next pod writes the queue back */
    sim_queue_redirect (w, job);
  g_autofree char *reason = refusal_of (w, job);

  if (reason != NULL) {
    reject (w, job, reason);
    return;
  }
  begin (w, job);
  sim_record_event (w, sim_kind_of (j)->object, j->ns, j->name, "submitted", w->queue[j->queue].name);
  sim_step (w, job, sim_kind_of (j)->name, "add", "%s %s/%s", sim_kind_of (j)->object, j->ns, j->name);
  sim_record_job_phase (w, job, sim_job_phase_names[SIM_JOB_PENDING]);
  if (j->kind == WL_KIND_POD_GROUP) {
    VcPodGroupObject o = *j->kube->work->pod_group;

    o.created = sim_world_second (w);
    o.uid = o.name;
    sim_pod_group_add (w, job, &o);
  }
  sim_scaling_begin (w, job);
  sim_jobs_job_changed (w, job);
}

void
sim_kind_delete (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];

  sim_record_job_phase (w, job, "Deleted");
  sim_record_event (w, sim_kind_of (j)->object, j->ns, j->name, "deleted", "");
  if (j->kind == WL_KIND_POD_GROUP) {
    sim_pod_group_remove (w, job);
    sim_jobs_job_changed (w, job);
    return;
  }
  guint32 pod = sim_role_pod (&w->role[j->first_role], 0);

  j->deleted = TRUE;
  if (j->finish == SIM_NO_TIME)
    sim_job_finished (w, job);
  if (pod != SIM_NONE && !w->pod[pod].deleting)
    sim_pod_delete (w, pod);
}

void
sim_member_submit (SimWorld *w, guint32 role)
{
  guint32 job = w->role[role].job;

  if (w->job[job].rejected)
    return;
  begin (w, job); /* maybe before its PodGroup */
  sim_kind_make_pod (w, role, 0);
}

void
sim_member_delete (SimWorld *w, guint32 role)
{
  guint32 pod = sim_role_pod (&w->role[role], 0);

  if (pod != SIM_NONE && !w->pod[pod].deleting)
    sim_pod_delete (w, pod);
}

void
sim_kind_scaled (SimWorld *w, guint32 job, guint32 before)
{
  const SimJob *j = &w->job[job];

  if (j->kind == WL_KIND_BATCH_JOB)
    return;
  if (j->replicas == 0)
    sim_pod_group_remove (w, job); /* addReplicaSet and addStatefulSet of the PodGroup controller */
  else if (before == 0 && j->started)
    sim_ledger_wait (w, job, "cycle");
}
