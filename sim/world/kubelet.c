/* sim/world/kubelet.c - the kubelets of the simulated cluster. */
#include "kubelet.h"
#include "budgets.h"
#include "chance.h"
#include "claims.h"
#include "machines.h"
#include "storage.h"
#include "taints.h"
#include "views.h"
#include "work.h"
#include "sim/controllers/job-controller.h"
#include "sim/controllers/job-requests.h"
#include "sim/load/images.h"
#include "sim/record/chain.h"
#include "sim/record/record.h"
#include "sim/record/watch.h"

/* The back-off of a container that is restarted in place: none the first time, then doubling. */
#define BACKOFF_FIRST (10 * SIM_SECOND)
#define BACKOFF_LONGEST (300 * SIM_SECOND)
#define BACKOFF_RESET (600 * SIM_SECOND) /* after a run of that length it starts anew */

void
sim_pod_post (SimWorld *w, guint32 pod, SimTime delay, SimEventKind kind)
{
  sim_event_queue_post (w->events, sim_time_after (w->now, delay), SIM_RANK_POD, kind, pod, w->pod[pod].stamp);
}

/* ---- start ---------------------------------------------------------------------------------- */

void
sim_pod_accept (SimWorld *w, guint32 pod)
{
  const SimPod *p = &w->pod[pod];
  const SimTaskSpec *t = w->role[p->role].spec;
  const char *missing = sim_pod_overflow (w, pod);

  if (missing != NULL) { /* GeneralPredicates of the kubelet's admission: OutOfcpu and the like */
    sim_record_pod_event (w, pod, "out-of-room", missing);
    w->view[sim_view_of_role (w, &w->role[p->role])].refused++;
    sim_pod_fail (w, pod);
    return;
  }
  SimTime pulled = sim_images_pull (w, pod) - w->now;
  SimTime delay = t != NULL && t->start_delay != NULL ? sim_schedule_at (t->start_delay, p->index, p->attempt)
                                                      : sim_pod_draw (w, pod, &w->model->start_delay, "start-delay", 0);

  sim_pod_post (w, pod, sim_time_after (pulled, delay), SIM_EVENT_POD_START);
}

/* FALSE: the pod does not start, not now at least. */
static gboolean
may_start (SimWorld *w, guint32 pod)
{
  const SimModel *m = w->model;
  SimPod *p = &w->pod[pod];

  if (sim_pod_happens (w, pod, m->start_failure, "start-failure", 0)) {
    sim_record_pod_event (w, pod, "start-failed", w->node[p->node].name);
    sim_pod_fail (w, pod);
    return FALSE;
  }
  if (p->stuck || !sim_pod_happens (w, pod, m->start_stuck, "start-stuck", 0))
    return TRUE;
  p->stuck = TRUE;
  sim_record_pod_event (w, pod, "start-stuck", w->node[p->node].name);
  if (!m->stuck_for_ever)
    sim_pod_post (w, pod, sim_pod_draw (w, pod, &m->start_stuck_time, "start-stuck-time", 0), SIM_EVENT_POD_START);
  return FALSE;
}

/* The containers begin a run. */
static void
run (SimWorld *w, guint32 pod)
{
  sim_pod_post (w, pod, sim_work_begin (w, pod), SIM_EVENT_POD_END);
}

/* ---- pods that wait for a master ---- */

static gboolean
master_runs (const SimWorld *w, const SimPod *p)
{
  guint32 pod = sim_role_pod (&w->role[w->job[p->job].first_role + w->role[p->role].spec->master], 0);

  return pod != SIM_NONE && w->pod[pod].phase == SIM_POD_RUNNING && !w->pod[pod].unready;
}

/* The init container has waited too long: that fails the pod, or begins anew after a back-off. */
static void
give_up_waiting (SimWorld *w, guint32 pod)
{
  SimPod *p = &w->pod[pod];
  const SimTaskSpec *t = w->role[p->role].spec;
  SimTime delay = p->backoff;

  if (!t->restarts_all && !t->restarts_failed) {
    sim_pod_fail (w, pod); /* its own containers never ran */
    return;
  }
  p->backoff = delay == 0 ? BACKOFF_FIRST : MIN (2 * delay, BACKOFF_LONGEST);
  p->waits = FALSE;
  p->init_restarts++;
  w->role[p->role].restarts++;
  sim_record_pod_event (w, pod, "init-restarted", "");
  sim_jobs_pod_updated (w, pod);
  sim_pod_post (w, pod, delay, SIM_EVENT_POD_START);
}

/* As the script of pytorch's init container: a look, then a sleep of 2 s. TRUE: the pod may go on. */
static gboolean
has_waited (SimWorld *w, guint32 pod)
{
  SimPod *p = &w->pod[pod];
  const SimTaskSpec *t = w->role[p->role].spec;

  if (t == NULL || t->master == SIM_NONE)
    return TRUE;
  if (!p->waits) {
    p->waits = TRUE;
    p->run_start = w->now;
  }
  if (master_runs (w, p)) {
    p->waits = FALSE;
    p->backoff = 0;
    return TRUE;
  }
  if (w->now - p->run_start >= t->master_timeout)
    give_up_waiting (w, pod);
  else
    sim_pod_post (w, pod, 2 * SIM_SECOND, SIM_EVENT_POD_START);
  return FALSE;
}

static void
begin (SimWorld *w, guint32 pod)
{
  SimPod *p = &w->pod[pod];
  SimJob *j = &w->job[p->job];

  p->running = w->now;
  sim_pod_set (w, pod, SIM_POD_RUNNING, FALSE);
  sim_record_pod_event (w, pod, "running", w->node[p->node].name);
  sim_step (w, p->job, "kubelet", "syncPod", "pod %s: Running on node %s", sim_pod_name (w, pod), w->node[p->node].name);
  sim_watch_pod_status (w, pod, VC_RUNNING);
  sim_jobs_pod_started (w, pod);
  if (!j->started && (gint64) j->live.running >= j->min_available)
    sim_job_started (w, p->job);
  run (w, pod);
}

static void
start (SimWorld *w, guint32 pod)
{
  if (sim_storage_may_start (w, pod) && has_waited (w, pod) && may_start (w, pod))
    begin (w, pod);
}

void
sim_pod_found (SimWorld *w, guint32 pod)
{
  SimPod *p = &w->pod[pod];
  SimJob *j = &w->job[p->job];
  const SimTaskSpec *t = w->role[p->role].spec;
  guint32 node = t != NULL && p->attempt == 0 && p->index < t->n_nodes ? t->node[p->index] : SIM_NONE;

  if (node == SIM_NONE || !w->node[node].present)
    return;
  p->bound = w->now;
  sim_pod_place (w, pod, node);
  if (j->first_bind == SIM_NO_TIME)
    j->first_bind = w->now;
  sim_record_pod_event (w, pod, "bound", w->node[node].name);
  sim_step (w, p->job, "kubelet", "syncPod", "pod %s: found on node %s", sim_pod_name (w, pod), w->node[node].name);
  sim_watch_pod_bound (w, pod, node);
  begin (w, pod);
  sim_taints_meet (w, pod);
}

static void
restart (SimWorld *w, guint32 pod)
{
  SimPod *p = &w->pod[pod];

  p->unready = FALSE;
  sim_budgets_look (w, pod);
  p->restarts++;
  w->role[p->role].restarts++;
  sim_record_pod_event (w, pod, "restarted", "");
  sim_jobs_pod_updated (w, pod);
  run (w, pod);
}

static void
back_off (SimWorld *w, guint32 pod)
{
  SimPod *p = &w->pod[pod];
  SimTime delay = w->now - p->run_start >= BACKOFF_RESET ? 0 : p->backoff;

  p->backoff = delay == 0 ? BACKOFF_FIRST : MIN (2 * delay, BACKOFF_LONGEST);
  if (delay == 0) {
    restart (w, pod);
    return;
  }
  p->unready = TRUE;
  sim_budgets_look (w, pod);
  sim_jobs_pod_updated (w, pod);
  sim_pod_post (w, pod, delay, SIM_EVENT_POD_RESTART);
}

/* ---- ends ----------------------------------------------------------------------------------- */

static void
end_pod (SimWorld *w, guint32 pod, gboolean good)
{
  SimPod *p = &w->pod[pod];

  p->finished = w->now;
  p->stamp++;
  p->held = 0;
  w->role[p->role].restarts -= p->restarts + p->init_restarts;
  sim_pod_account (w, pod, good);
  sim_pod_set (w, pod, good ? SIM_POD_SUCCEEDED : SIM_POD_FAILED, FALSE);
  sim_record_pod_event (w, pod, good ? "succeeded" : "failed", "");
  sim_step (w, p->job, "kubelet", "syncPod", "pod %s: %s; exit code %d", sim_pod_name (w, pod), good ? "Succeeded" : "Failed", p->exit_code);
  sim_watch_pod_status (w, pod, good ? VC_SUCCEEDED : VC_FAILED);
  sim_claims_leave (w, pod);
  sim_jobs_pod_ended (w, pod, p->exit_code);
}

void
sim_pod_finish (SimWorld *w, guint32 pod, gint32 exit_code)
{
  w->pod[pod].exit_code = exit_code;
  end_pod (w, pod, exit_code == 0);
}

void
sim_pod_fail (SimWorld *w, guint32 pod)
{
  w->pod[pod].exit_code = 0; /* no container status, which reads as 0 */
  end_pod (w, pod, FALSE);
}

/* A container has ended: what its restart policy makes of it. */
static void
container_ended (SimWorld *w, guint32 pod, gint32 code)
{
  const SimRole *r = &w->role[w->pod[pod].role];

  sim_work_end (w, pod, sim_work_is_cut (w, pod));
  if (r->spec != NULL && (r->spec->restarts_all || (r->spec->restarts_failed && code != 0)))
    back_off (w, pod);
  else
    sim_pod_finish (w, pod, code);
}

void
sim_pod_vanish (SimWorld *w, guint32 pod)
{
  SimPod *p = &w->pod[pod];
  guint32 job = p->job;

  sim_work_end (w, pod, TRUE);
  if (p->finished == SIM_NO_TIME) {
    p->finished = w->now;
    sim_pod_account (w, pod, FALSE);
  }
  sim_record_pod_event (w, pod, "removed", "");
  sim_step (w, job, "kubelet", "syncPod", "pod %s: gone", sim_pod_name (w, pod));
  sim_jobs_pod_removed (w, pod);
  sim_pod_remove (w, pod, NULL);
  if (!w->job[job].exists || sim_job_phase_is_final ((SimJobPhase) w->job[job].phase))
    sim_job_settle (w, job);
}

/* From the deletion until the pod is gone: its preparations and what its containers take after the signal, cut off by the grace period. */
static SimTime
time_to_go (SimWorld *w, guint32 pod)
{
  const SimModel *m = w->model;
  const SimTaskSpec *t = w->role[w->pod[pod].role].spec;
  const WlBehaviour *b = w->role[w->pod[pod].role].behaviour;
  gboolean own_end = b != NULL && b->has_termination, own_hook = b != NULL && b->has_pre_stop;
  SimTime grace = t != NULL && t->grace != SIM_NO_TIME ? t->grace : w->options.grace;

  if (!own_end && !m->terminates)
    return grace;
  SimTime hook = sim_pod_draw (w, pod, own_hook ? &b->pre_stop : &m->pre_stop, "pre-stop", 0);

  return MIN (grace, sim_time_after (hook, sim_pod_draw (w, pod, own_end ? &b->termination : &m->termination, "termination", 0)));
}

static void
begin_deletion (SimWorld *w, guint32 pod)
{
  SimPod *p = &w->pod[pod];

  sim_step (w, p->job, "kubelet", "syncPod", "pod %s: terminating", sim_pod_name (w, pod));
  p->evicted = w->now;
  p->stamp++; /* neither start nor end happens any more */
  p->held = 0;
  sim_pod_set (w, pod, (SimPodPhase) p->phase, TRUE);
  if (!p->lost)
    sim_pod_post (w, pod, time_to_go (w, pod), SIM_EVENT_POD_REMOVE);
  sim_jobs_pod_updated (w, pod);
}

void
sim_pod_evict (SimWorld *w, guint32 pod, const char *reason, guint32 for_pod)
{
  SimPod *p = &w->pod[pod];

  p->evicted_by_scheduler = TRUE;
  w->job[p->job].evictions++;
  sim_record_pod_event (w, pod, "evicted", reason != NULL ? reason : "");
  sim_record_eviction (w, pod, reason != NULL ? reason : "", for_pod);
  if (p->node == SIM_NONE) { /* its bind is under way: nothing runs that would have to stop */
    sim_pod_vanish (w, pod);
    return;
  }
  sim_watch_pod_evicted (w, pod);
  begin_deletion (w, pod);
}

void
sim_pod_delete (SimWorld *w, guint32 pod)
{
  SimPod *p = &w->pod[pod];

  if (p->phase == SIM_POD_SUCCEEDED || p->phase == SIM_POD_FAILED || p->node == SIM_NONE) {
    sim_pod_vanish (w, pod);
    return;
  }
  sim_record_pod_event (w, pod, "deleted", "");
  sim_watch_pod_status (w, pod, VC_RELEASING);
  begin_deletion (w, pod);
}

/* ---- events --------------------------------------------------------------------------------- */

static void
dispatch (SimWorld *w, guint32 pod, SimEventKind kind)
{
  if (kind == SIM_EVENT_POD_START)
    start (w, pod);
  else if (kind == SIM_EVENT_POD_END)
    container_ended (w, pod, sim_work_exit_code (w, pod));
  else if (kind == SIM_EVENT_POD_RESTART)
    restart (w, pod);
  else
    sim_pod_vanish (w, pod); /* SIM_EVENT_POD_REMOVE */
}

void
sim_pod_revive (SimWorld *w, guint32 pod, gint32 exit_code)
{
  SimPod *p = &w->pod[pod];

  p->lost = FALSE;
  if (p->deleting) {
    sim_pod_vanish (w, pod);
  } else if (p->phase == SIM_POD_PENDING) {
    p->stuck = p->waits = FALSE;
    sim_pod_accept (w, pod);
  } else {
    container_ended (w, pod, exit_code);
  }
}

void
sim_pod_release (SimWorld *w, guint32 pod)
{
  guint8 held = w->pod[pod].held;

  w->pod[pod].held = 0;
  if (held != 0)
    dispatch (w, pod, (SimEventKind) (held - 1));
}

gboolean
sim_pod_event (SimWorld *w, const SimEvent *ev)
{
  SimPod *p = &w->pod[ev->subject];
  SimEventKind kind = sim_event_kind (ev);

  if (!p->live || p->stamp != ev->stamp)
    return FALSE;
  if (p->node != SIM_NONE && sim_node_is_mute (&w->node[p->node])) {
    p->held = (guint8) (kind + 1); /* nobody hears of it, and nothing new starts there */
    return FALSE;
  }
  dispatch (w, ev->subject, kind);
  return TRUE;
}
