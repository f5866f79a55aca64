/* sim/replay.c - virtual time. Nothing else moves the clock. */
#include "replay.h"
#include "invariants.h"
#include "sim/controllers/hypernode-controller.h"
#include "sim/controllers/job-controller.h"
#include "sim/controllers/job-requests.h"
#include "sim/controllers/kinds.h"
#include "sim/controllers/makers.h"
#include "sim/controllers/pod-groups.h"
#include "sim/controllers/queue-controller.h"
#include "sim/controllers/rollouts.h"
#include "sim/controllers/scaling.h"
#include "sim/controllers/shard-controller.h"
#include "sim/cycle/cycle.h"
#include "sim/cycle/save-cycle.h"
#include "sim/load/images.h"
#include "sim/record/ledger.h"
#include "sim/record/watch.h"
#include "sim/scheduler/binder.h"
#include "sim/world/cluster-objects.h"
#include "sim/world/drain.h"
#include "sim/world/faults.h"
#include "sim/world/hyper-nodes.h"
#include "sim/world/job-table.h"
#include "sim/world/kubelet.h"
#include "sim/world/machines.h"
#include "sim/world/node-events.h"
#include "sim/world/node-load.h"
#include "sim/world/queues.h"
#include "sim/world/storage.h"
#include "sim/world/taints.h"
#include "sim/world/views.h"

#define PATIENCE (7 * 86400 * SIM_SECOND) /* how long plugins that read the clock may think it over; the windows of tdm are daily */

#define RESTLESS 100000 /* cycles of one instant: what goes on for longer will not end */

typedef struct {
  SimWorld *w;
  GPtrArray *scheduler;   /* SimScheduler, in the order in which they run at one instant */
  gboolean *quiet;        /* by scheduler: its last cycle decided nothing, and nothing has happened since */
  SimRecord *record;
  const SimReplayOptions *o;
  SimReplayResult *out;
  SimInvariants *invariants; /* NULL: not checked */
  GError *error;          /* what a new configuration was refused for */
  SimTime last_cycle; guint n_cycles; /* time of the last cycle, and how many there were at that time */
} Replay;

static inline SimScheduler *
scheduler_at (const Replay *r, guint i)
{
  return r->scheduler->pdata[i];
}

/* A scheduler that follows events has something to look at. */
static void
rouse (Replay *r, guint i)
{
  SimTime since, at;

  if (!sim_scheduler_rouse (scheduler_at (r, i), &since))
    return;
  while ((at = sim_record_sample_due (r->record, i, since, 1)) < r->w->now) /* while it slept */
    sim_record_sample (r->record, i, at);
}

static void
stir (Replay *r)
{
  for (guint i = 0; i < r->scheduler->len; i++) {
    r->quiet[i] = FALSE;
    rouse (r, i);
  }
}

static gboolean
is_quiet (const Replay *r)
{
  gboolean quiet = TRUE;

  for (guint i = 0; i < r->scheduler->len; i++)
    quiet = quiet && r->quiet[i];
  return quiet;
}

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

/* Those that read this file find another one there. */
static void
load_conf (Replay *r, guint swap)
{
  for (guint i = 0; i < r->scheduler->len; i++)
    if (r->error == NULL && r->o->swap[swap].scheduler == i)
      sim_scheduler_load_conf (scheduler_at (r, i), &r->o->swap[swap], r->o->lenient, &r->error);
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
    load_conf (r, ev->subject);
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
  case SIM_EVENT_SHARDING:
  case SIM_EVENT_SHARDING_PERIOD:
    return sim_shard_controller_event (w, ev);
  case SIM_EVENT_ROLLOUT:
    sim_rollout_update (w, ev->subject);
    break;
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
  for (guint i = 0; i < r->scheduler->len; i++)
    if (w->view[i].back != SIM_NO_TIME) {
      sim_scheduler_leave (scheduler_at (r, i), w->view[i].back);
      w->view[i].back = SIM_NO_TIME;
    }
  sim_hyper_nodes_discover (w);
  sim_controllers_settle (w);
  return sim_shard_controller_settle (w) || some;
}

/* ---- a cycle --------------------------------------------------------------------------------- */

/* The job of that name, "namespace/name"; SIM_NONE. */
static guint32
find_job (const SimWorld *w, const char *name)
{
  for (guint32 i = 0; i < w->n_jobs; i++) {
    const SimJob *j = &w->job[i];
    gsize n = strlen (j->ns);

    if (strncmp (name, j->ns, n) == 0 && name[n] == '/' && strcmp (name + n + 1, j->name) == 0)
      return i;
  }
  return SIM_NONE;
}

/* Is there a cycle, yet to come, that is to be explained or saved? */
static gboolean
is_awaited (const Replay *r)
{
  return (r->o->explain != NULL || r->o->saved != NULL) && !r->out->shown;
}

/* Is it the next one? */
static gboolean
is_shown (const Replay *r)
{
  return is_awaited (r) && r->w->now == r->o->explain_at;
}

/* A job goes by the name of its PodGroup in a session of its own scheduler. FALSE: this is another one. */
static gboolean
explain_cycle (Replay *r, guint i, VcCycleResult *result)
{
  SimWorld *w = r->w;
  guint32 job = find_job (w, r->o->explain);
  guint own = job != SIM_NONE ? sim_view_of_job (w, job) : i;

  if (own != i)
    return FALSE;
  sim_view_enter (w, own);
  guint32 group = job != SIM_NONE && w->job[job].has_pg ? sim_view_group (w, job) : VC_NONE;

  r->out->explained = sim_explain_new (group != VC_NONE ? w->cluster->job[group].key : r->o->explain);
  sim_view_enter (w, 0);
  vc_engine_set_observer (sim_scheduler_engine (scheduler_at (r, i)), sim_explain_observer (r->out->explained));
  sim_scheduler_run_once (scheduler_at (r, i), result);
  return TRUE;
}

/* Nothing to decide until something happens, a plugin wants a cycle, or the cycle is due that is to be explained. */
static void
lie_down (Replay *r, SimScheduler *s)
{
  SimTime wake = sim_scheduler_wake (s);

  if (is_awaited (r) && r->o->explain_at >= r->w->now)
    wake = MIN (wake, r->o->explain_at);
  sim_scheduler_sleep (s, wake);
}

/* Cycles that follow each other at one instant without end. */
static void
check_rest (Replay *r)
{
  r->n_cycles = r->w->now == r->last_cycle ? r->n_cycles + 1 : 0;
  r->last_cycle = r->w->now;
  if (r->n_cycles >= RESTLESS && r->error == NULL)
    g_set_error (&r->error, SIM_ERROR, SIM_ERROR_FAILED, "cycles do not come to rest at %.6f s: %u of them, and each decided something ('period' is 0)",
                 (double) r->w->now / (double) SIM_SECOND, r->n_cycles);
}

/* A cycle of one scheduler, and what follows from it at this instant. */
static void
cycle (Replay *r, guint i)
{
  SimWorld *w = r->w;
  SimScheduler *s = scheduler_at (r, i);
  VcCycleResult result;
  guint32 n_jobs = w->n_jobs;
  gboolean shown = is_shown (r);

  if (shown && r->o->saved != NULL && r->error == NULL)
    *r->o->saved = sim_save_cluster (w->cluster, w->view[i].name, &r->error);
  if (!shown || r->o->explain == NULL || !explain_cycle (r, i, &result))
    sim_scheduler_run_once (s, &result);
  r->out->shown |= shown && (r->o->explain == NULL || r->out->explained != NULL);
  r->out->cycles++;
  sim_controllers_settle (w);
  gboolean follows = sim_scheduler_follows_events (s), quiet = !result.changed || (result.only_turned && follows);

  while (happen (r))
    quiet = FALSE;
  quiet = quiet && w->n_jobs == n_jobs; /* controllers may have made some */
  if (w->ledger != NULL) {
    sim_view_enter (w, i);
    sim_ledger_cycle (w->ledger, sim_scheduler_engine (s));
    sim_view_enter (w, 0);
  }
  if (sim_record_cycle (r->record, i, &result, sim_scheduler_e2e (s)) && r->scheduler->len > 1)
    quiet = FALSE; /* rows of the others show what this one has found */
  if (r->invariants != NULL && r->error == NULL)
    sim_invariants_check (r->invariants, &r->error);
  if (!quiet)
    stir (r); /* the others may decide differently now */
  else if (r->quiet[i] = TRUE, follows)
    lie_down (r, s);
  if (follows)
    check_rest (r);
}

/* Does a scheduler want a cycle at some time, whatever happens? */
static gboolean
is_expected (const Replay *r)
{
  for (guint i = 0; i < r->scheduler->len; i++)
    if (sim_scheduler_wake (scheduler_at (r, i)) != SIM_NEVER)
      return TRUE;
  return FALSE;
}

/* The earliest cycle that is due. */
static SimTime
next_tick (const Replay *r)
{
  SimTime tick = SIM_NEVER;

  for (guint i = 0; i < r->scheduler->len; i++)
    tick = MIN (tick, sim_scheduler_due (scheduler_at (r, i)));
  return tick;
}

/* Samples of the cycles before @stop, in the order in which these would have run. */
static void
sample (Replay *r, SimTime stop)
{
  for (;;) {
    SimTime best = stop;
    guint who = 0;

    for (guint i = 0; i < r->scheduler->len; i++) {
      const SimScheduler *s = scheduler_at (r, i);
      SimTime at = sim_record_sample_due (r->record, i, sim_scheduler_due (s), sim_scheduler_step (s));

      if (at < best && at < sim_scheduler_wake (s)) { /* it has a cycle then */
        best = at;
        who = i;
      }
    }
    if (best >= stop)
      return;
    sim_record_sample (r->record, who, best);
  }
}

/* Leave out the cycles before @stop. */
static void
skip (Replay *r, SimTime stop)
{
  sample (r, stop);
  for (guint i = 0; i < r->scheduler->len; i++) {
    SimScheduler *s = scheduler_at (r, i);
    SimTime due = sim_scheduler_due (s), step = sim_scheduler_step (s), until = MIN (stop, sim_scheduler_wake (s));

    if (sim_scheduler_follows_events (s))
      continue; /* it sleeps */
    gint64 n = until > due ? (until - due + step - 1) / step : 0;

    r->out->skipped += (guint64) n;
    sim_scheduler_skip (s, n);
  }
}

/* One that follows events would not notice that time alone has changed what a plugin thinks. */
static gboolean
reads_clock (Replay *r)
{
  gboolean timed = FALSE;

  for (guint i = 0; i < r->scheduler->len; i++) {
    if (!vc_engine_reads_clock (sim_scheduler_engine (scheduler_at (r, i))))
      continue;
    timed = TRUE;
    if (sim_scheduler_follows_events (scheduler_at (r, i)) && r->error == NULL)
      g_set_error_literal (&r->error, SIM_ERROR, SIM_ERROR_INPUT,
                           "'period', expected more than 0, as a plugin of the configuration decides by the clock (tdm, cdp, rescheduling, usage, extender), found 0");
  }
  return timed;
}

/* All schedulers whose cycle is due now, one after the other. FALSE: none. */
static gboolean
run_cycles (Replay *r)
{
  gboolean any = FALSE;

  for (guint i = 0; i < r->scheduler->len && r->error == NULL; i++) {
    SimScheduler *s = scheduler_at (r, i);

    if (r->w->now != sim_scheduler_due (s) || !sim_scheduler_arrive (s, &r->error))
      continue;
    any = TRUE;
    rouse (r, i); /* by a plugin's wish */
    cycle (r, i);
  }
  return any;
}

/* Is there, at the cycle that was explained, neither job nor PodGroup nor pod of the name? */
static gboolean
refuse_to_explain (const Replay *r, GError **error)
{
  const SimWorld *w = r->w;
  const char *target = r->o->explain;

  if (r->out->explained == NULL || find_job (w, target) != SIM_NONE)
    return FALSE;
  for (guint v = 0; v < w->n_views; v++)
    if (sim_explain_exists (r->out->explained, w->view[v].cluster))
      return FALSE;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  for (guint32 i = 0; i < w->n_jobs; i++)
    g_ptr_array_add (names, g_strconcat (w->job[i].ns, "/", w->job[i].name, NULL));
  const char *near = vc_nearest_name (target, (const char *const *) names->pdata, names->len);

  g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--explain: expected a job, or a PodGroup or pod that is there at %g, found '%s'%s%s%s", (double) w->now / (double) SIM_SECOND,
               target, near != NULL ? "; did you mean '" : "", near != NULL ? near : "", near != NULL ? "'?" : "");
  return TRUE;
}

/* ---- the loop ------------------------------------------------------------------------------- */

gboolean
sim_replay_run (SimWorld *w, VcEngine *const *engine, const SimSchedulerTiming *timing, SimRecord *record, const SimReplayOptions *o, SimReplayResult *out, GError **error)
{
  g_autoptr (GPtrArray) schedulers = g_ptr_array_new_with_free_func ((GDestroyNotify) sim_scheduler_free);
  g_autofree gboolean *quiet = g_new0 (gboolean, w->n_views);
  g_autoptr (SimInvariants) invariants = o->check ? sim_invariants_new (w, o->check_fully) : NULL;
  Replay r = { w, schedulers, quiet, record, o, out, invariants, NULL, SIM_NO_TIME, 0 };
  SimTime stirred = 0; /* the last time at which something happened or was decided */

  *out = (SimReplayResult){ 0 };
  for (guint i = 0; i < w->n_views; i++) {
    g_ptr_array_add (schedulers, sim_scheduler_new (w, i, engine[i], &timing[i]));
    if (o->check)
      sim_scheduler_check (scheduler_at (&r, i), &r.error);
  }
  gboolean timed = reads_clock (&r);

  for (guint i = 0; i < o->n_swaps; i++)
    sim_event_queue_post (w->events, o->swap[i].time, SIM_RANK_CONF, SIM_EVENT_CONF, i, 0);
  for (;;) {
    SimTime next = sim_event_queue_next (w->events), tick = next_tick (&r);

    if (o->interrupted != NULL && *o->interrupted != 0) {
      g_set_error_literal (error, SIM_ERROR, SIM_ERROR_INTERRUPTED, "interrupted; no results are written");
      return FALSE;
    }
    gboolean done = w->jobs_finished == w->jobs_total;
    gboolean left = !sim_event_queue_is_idle (w->events, done) || is_expected (&r) || (next != SIM_NEVER && o->until != SIM_NEVER && !done);

    if (!left && is_quiet (&r) && (!timed || w->jobs_finished == w->jobs_total || (o->until == SIM_NEVER && tick - stirred > PATIENCE)))
      break; /* nothing is left that could change anything */
    if (is_quiet (&r) && o->skip && !timed && next > tick) {
      SimTime stop = MIN (next, o->until == SIM_NEVER ? SIM_NEVER : o->until + 1);

      if (is_awaited (&r) && o->explain_at >= tick)
        stop = MIN (stop, o->explain_at);
      skip (&r, stop);
      tick = next_tick (&r);
    }
    w->now = MIN (next, tick);
    if (w->now > o->until) {
      w->now = out->end = o->until;
      out->stopped = TRUE;
      break;
    }
    while (happen (&r)) {
      stir (&r);
      out->end = stirred = w->now;
      timed = reads_clock (&r);
    }
    if (r.error == NULL && run_cycles (&r)) {
      if (!is_quiet (&r))
        stirred = w->now;
      if (out->shown && r.error == NULL)
        break;
    }
    if (r.error != NULL) {
      g_propagate_error (error, r.error);
      return FALSE;
    }
    if (o->progress != NULL)
      o->progress (o->progress_user, w->now, w->jobs_finished);
  }
  if (invariants != NULL && !sim_invariants_finish (invariants, error))
    return FALSE;
  if (refuse_to_explain (&r, error)) {
    g_clear_pointer (&out->explained, sim_explain_free);
    return FALSE;
  }
  out->end = MAX (out->end, sim_record_last_row (record));
  if (w->ledger != NULL)
    out->end = MAX (out->end, sim_ledger_last_change (w->ledger));
  for (guint i = 0; i < schedulers->len; i++)
    sim_scheduler_finish (scheduler_at (&r, i), out->end);
  w->now = out->end; /* the last cycles may have found nothing */
  out->events = w->n_events;
  return TRUE;
}
