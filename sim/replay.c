/* sim/replay.c - virtual time. Nothing else moves the clock. */
#include "replay.h"
#include "binder.h"
#include "cluster-objects.h"
#include "cycle.h"
#include "drain.h"
#include "faults.h"
#include "hyper-nodes.h"
#include "hypernode-controller.h"
#include "images.h"
#include "invariants.h"
#include "job-controller.h"
#include "job-requests.h"
#include "job-table.h"
#include "kinds.h"
#include "kubelet.h"
#include "ledger.h"
#include "machines.h"
#include "makers.h"
#include "node-events.h"
#include "node-load.h"
#include "queue-controller.h"
#include "pod-groups.h"
#include "queues.h"
#include "scaling.h"
#include "storage.h"
#include "taints.h"
#include "watch.h"

#define PATIENCE (7 * 86400 * SIM_SECOND) /* how long plugins that read the clock may think it over; the windows of tdm are daily */

typedef struct {
  SimWorld *w;
  SimScheduler *scheduler;
  SimRecord *record;
  const SimReplayOptions *o;
  SimReplayResult *out;
  GError *error;          /* what a new configuration was refused for */
} Replay;

/* ---- events --------------------------------------------------------------------------------- */

/* A Command object finds its job by the name; without one it comes to nothing. */
static void
command (SimWorld *w, const SimCommand *c)
{
  if (c->queue != SIM_NONE) {
    sim_queue_request (w, c->queue, (SimQueueAction) c->action);
    return;
  }
  guint32 job = c->job != SIM_NONE ? c->job : sim_job_find (w, c->ns, c->name);

  if (job != SIM_NONE)
    sim_jobs_command (w, job, (SimJobAction) c->action);
}

/* FALSE: the event is stale, its pod has moved on. */
static gboolean
apply (Replay *r, const SimEvent *ev)
{
  SimWorld *w = r->w;

  w->n_events++;
  switch (sim_event_kind (ev)) {
  case SIM_EVENT_NODE:
    sim_node_change (w, ev->subject);
    break;
  case SIM_EVENT_NODE_USAGE:
    sim_node_measure (w, ev->subject);
    break;
  case SIM_EVENT_NODE_GC:
    sim_node_collect (w, ev);
    break;
  case SIM_EVENT_NODE_MISSED:
    return sim_node_notice (w, ev);
  case SIM_EVENT_NODE_DRAIN:
    return sim_drain_event (w, ev);
  case SIM_EVENT_FAULT_LEAD:
    return sim_faults_lead (w, ev);
  case SIM_EVENT_FAULT_BEGIN:
  case SIM_EVENT_FAULT_AGAIN:
    return sim_faults_begin (w, ev);
  case SIM_EVENT_FAULT_END:
    return sim_faults_end (w, ev);
  case SIM_EVENT_LOAD:
    sim_node_load_measure (w);
    return FALSE; /* only plugins that have every cycle run look at it */
  case SIM_EVENT_WATCH:
    sim_watch_event (w);
    break;
  case SIM_EVENT_CONTROLLER:
    break; /* they act behind the events of this instant */
  case SIM_EVENT_POD_TAINT:
    return sim_taints_event (w, ev);
  case SIM_EVENT_QUEUE:
    sim_queue_change (w, ev->subject, FALSE);
    break;
  case SIM_EVENT_OBJECT:
    sim_object_add (w, ev->subject);
    break;
  case SIM_EVENT_OBJECT_GONE:
    sim_object_remove (w, ev->subject);
    break;
  case SIM_EVENT_HYPER_RETRY:
    return sim_hyper_node_event (w, ev);
  case SIM_EVENT_QUEUE_RETRY:
    sim_queue_retry (w, ev);
    break;
  case SIM_EVENT_CONF:
    if (r->error == NULL)
      sim_scheduler_load_conf (r->scheduler, &r->o->swap[ev->subject], r->o->lenient, &r->error);
    break;
  case SIM_EVENT_JOB_SUBMIT:
    sim_job_submit (w, ev->subject);
    break;
  case SIM_EVENT_JOB_DELETE:
  case SIM_EVENT_JOB_EXPIRE:
    sim_job_delete (w, ev->subject, sim_event_kind (ev) == SIM_EVENT_JOB_EXPIRE);
    break;
  case SIM_EVENT_JOB_WAKE:
  case SIM_EVENT_JOB_AGAIN:
    return sim_kind_wake (w, ev);
  case SIM_EVENT_POD_GROUP:
    return sim_pod_group_retry (w, ev);
  case SIM_EVENT_MEMBER_SUBMIT:
    sim_member_submit (w, ev->subject);
    break;
  case SIM_EVENT_MEMBER_DELETE:
    sim_member_delete (w, ev->subject);
    break;
  case SIM_EVENT_MAKER_SUBMIT:
  case SIM_EVENT_MAKER_DELETE:
  case SIM_EVENT_MAKER_TIMER:
    return sim_makers_event (w, ev);
  case SIM_EVENT_JOB_SCALE:
    sim_scaling_edit (w, ev->subject);
    break;
  case SIM_EVENT_JOB_SCHEDULE:
    return sim_scaling_step (w, ev);
  case SIM_EVENT_COMMAND:
    command (w, &w->command[ev->subject]);
    break;
  case SIM_EVENT_JOB_DELAYED:
  case SIM_EVENT_JOB_RETRY:
    return sim_jobs_timer (w, ev);
  case SIM_EVENT_NODE_IMAGE:
    return sim_images_event (w, ev);
  case SIM_EVENT_PROVISIONED:
    return sim_storage_event (w, ev);
  case SIM_EVENT_POD_BIND:
    return sim_binder_event (w, ev);
  case SIM_EVENT_POD_START:
  case SIM_EVENT_POD_END:
  case SIM_EVENT_POD_RESTART:
  case SIM_EVENT_POD_REMOVE:
    return sim_pod_event (w, ev);
  default:
    g_assert_not_reached ();
  }
  return TRUE;
}

/* Everything that is due now, then the controllers. FALSE: nothing has changed. */
static gboolean
happen (Replay *r)
{
  SimWorld *w = r->w;
  gboolean some = FALSE;
  SimEvent ev;

  while (sim_event_queue_next (w->events) == w->now && sim_event_queue_pop (w->events, &ev))
    some |= apply (r, &ev);
  if (w->scheduler_back != SIM_NO_TIME) {
    sim_scheduler_leave (r->scheduler, w->scheduler_back);
    w->scheduler_back = SIM_NO_TIME;
  }
  sim_hyper_nodes_discover (w);
  sim_controllers_settle (w);
  return some;
}

/* ---- a cycle --------------------------------------------------------------------------------- */

/* A job goes by the name of its PodGroup in a session. */
static char *
explain_target (const SimWorld *w, const char *name)
{
  for (guint32 i = 0; i < w->n_jobs; i++) {
    const SimJob *j = &w->job[i];
    gsize n = strlen (j->ns);

    if (j->has_pg && j->pg != VC_NONE && strncmp (name, j->ns, n) == 0 && name[n] == '/' && strcmp (name + n + 1, j->name) == 0)
      return g_strdup (w->cluster->job[j->pg].key);
  }
  return g_strdup (name);
}

static void
explain_cycle (Replay *r, VcCycleResult *result)
{
  g_autofree char *target = explain_target (r->w, r->o->explain);

  r->out->explained = sim_explain_new (target);
  vc_engine_set_observer (sim_scheduler_engine (r->scheduler), sim_explain_observer (r->out->explained));
  sim_scheduler_run_once (r->scheduler, result);
}

/* TRUE: nothing was decided, and nothing has happened since. */
static gboolean
cycle (Replay *r)
{
  SimWorld *w = r->w;
  VcCycleResult result;
  guint32 n_jobs = w->n_jobs;

  if (r->o->explain != NULL && w->now == r->o->explain_at)
    explain_cycle (r, &result);
  else
    sim_scheduler_run_once (r->scheduler, &result);
  r->out->cycles++;
  sim_controllers_settle (w);
  gboolean quiet = !result.changed;

  while (happen (r))
    quiet = FALSE;
  quiet = quiet && w->n_jobs == n_jobs; /* controllers may have made some */
  if (w->ledger != NULL)
    sim_ledger_cycle (w->ledger, sim_scheduler_engine (r->scheduler));
  sim_record_cycle (r->record, &result, sim_scheduler_e2e (r->scheduler));
  if (r->o->check && r->error == NULL)
    sim_invariants_check (w, &r->error);
  return quiet;
}

/* ---- the loop ------------------------------------------------------------------------------- */

gboolean
sim_replay_run (SimWorld *w, VcEngine *engine, SimRecord *record, const SimReplayOptions *o, SimReplayResult *out, GError **error)
{
  g_autoptr (SimScheduler) scheduler = sim_scheduler_new (w, engine, &o->timing);
  Replay r = { w, scheduler, record, o, out, NULL };
  gboolean timed = vc_engine_reads_clock (engine), quiet = FALSE;
  SimTime stirred = 0; /* the last time at which something happened or was decided */

  *out = (SimReplayResult){ 0 };
  if (o->check)
    sim_scheduler_check (scheduler, &r.error);
  for (guint i = 0; i < o->n_swaps; i++)
    sim_event_queue_post (w->events, o->swap[i].time, SIM_RANK_CONF, SIM_EVENT_CONF, i, 0);
  for (;;) {
    SimTime next = sim_event_queue_next (w->events), tick = sim_scheduler_due (scheduler);

    if (o->interrupted != NULL && *o->interrupted != 0) {
      g_set_error_literal (error, SIM_ERROR, SIM_ERROR_INTERRUPTED, "interrupted; no results are written");
      return FALSE;
    }
    gboolean done = w->jobs_finished == w->jobs_total;
    gboolean left = !sim_event_queue_is_idle (w->events, done) || (next != SIM_NEVER && o->until != SIM_NEVER && !done);

    if (!left && quiet && (!timed || w->jobs_finished == w->jobs_total || (o->until == SIM_NEVER && tick - stirred > PATIENCE)))
      break; /* nothing is left that could change anything */
    if (quiet && o->skip && !timed && next > tick) {
      SimTime stop = MIN (next, o->until == SIM_NEVER ? SIM_NEVER : o->until + 1);
      SimTime step = sim_scheduler_step (scheduler);

      if (o->explain != NULL && o->explain_at >= tick)
        stop = MIN (stop, o->explain_at);
      gint64 n = (stop - tick + step - 1) / step;

      sim_record_skipped (record, tick, step, tick + n * step);
      out->skipped += (guint64) n;
      sim_scheduler_skip (scheduler, n);
      tick = sim_scheduler_due (scheduler);
    }
    w->now = MIN (next, tick);
    if (w->now > o->until) {
      w->now = out->end = o->until;
      out->stopped = TRUE;
      break;
    }
    while (happen (&r)) {
      quiet = FALSE;
      out->end = stirred = w->now;
      timed = vc_engine_reads_clock (engine);
    }
    if (r.error == NULL && w->now == sim_scheduler_due (scheduler) && sim_scheduler_arrive (scheduler, &r.error)) {
      quiet = cycle (&r);
      if (!quiet)
        stirred = w->now;
      if (out->explained != NULL)
        break;
    }
    if (r.error != NULL) {
      g_propagate_error (error, r.error);
      return FALSE;
    }
    if (o->progress != NULL)
      o->progress (o->progress_user, w->now, w->jobs_finished);
  }
  out->end = MAX (out->end, sim_record_last_row (record));
  if (w->ledger != NULL)
    out->end = MAX (out->end, sim_ledger_last_change (w->ledger));
  w->now = out->end; /* the last cycles may have found nothing */
  out->events = w->n_events;
  return TRUE;
}
