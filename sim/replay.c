/* sim/replay.c - virtual time. Nothing else moves the clock. */
#include "replay.h"
#include "cycle.h"
#include "job-controller.h"
#include "job-requests.h"
#include "kubelet.h"
#include "node-events.h"
#include "queue-controller.h"
#include "queues.h"

#define PATIENCE (7 * 86400 * SIM_SECOND) /* how long plugins that read the clock may think it over; the windows of tdm are daily */

typedef struct {
  SimWorld *w;
  VcEngine *engine;
  SimRecord *record;
  const SimReplayOptions *o;
  SimReplayResult *out;
  GArray *binds, *evicts; /* copies, sorted by pod UID */
  GError *error;          /* what a new configuration was refused for */
} Replay;

/* ---- events --------------------------------------------------------------------------------- */

static void
submit (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];

  const char *reason = j->spec != NULL && j->spec->rejected != NULL ? j->spec->rejected
                       : !sim_queue_admits (w, j->queue)            ? w->queue[j->queue].name
                                                                    : NULL;

  if (reason != NULL) {
    j->rejected = TRUE;
    w->jobs_finished++;
    sim_record_job_phase (w, job, "Rejected");
    sim_record_event (w, "Job", j->ns, j->name, "rejected", reason);
    sim_world_flush_jobs (w, FALSE);
    return;
  }
  sim_job_begin (w, job);
  sim_record_event (w, "Job", j->ns, j->name, "submitted", w->queue[j->queue].name);
  sim_jobs_job_changed (w, job);
}

/* As loadSchedulerConf does: what is broken changes nothing. */
static void
swap_conf (Replay *r, guint32 swap)
{
  SimConfSwap *s = &r->o->swap[swap];

  sim_record_event (r->w, "Scheduler", "", s->file, s->conf != NULL ? "configuration" : "configuration-refused", "");
  if (s->conf != NULL && r->error == NULL && !vc_engine_set_conf (r->engine, g_steal_pointer (&s->conf), r->o->lenient, &r->error))
    g_prefix_error (&r->error, "%s: ", s->file);
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
  case SIM_EVENT_NODE_EVICT:
    return sim_node_evict (w, ev);
  case SIM_EVENT_QUEUE:
    sim_queue_change (w, ev->subject);
    break;
  case SIM_EVENT_QUEUE_RETRY:
    sim_queue_retry (w, ev);
    break;
  case SIM_EVENT_CONF:
    swap_conf (r, ev->subject);
    break;
  case SIM_EVENT_JOB_SUBMIT:
    submit (w, ev->subject);
    break;
  case SIM_EVENT_JOB_DELETE:
  case SIM_EVENT_JOB_EXPIRE:
    sim_job_delete (w, ev->subject);
    break;
  case SIM_EVENT_JOB_COMMAND:
    sim_jobs_command (w, w->command[ev->subject].job, w->command[ev->subject].action);
    break;
  case SIM_EVENT_JOB_DELAYED:
  case SIM_EVENT_JOB_RETRY:
    return sim_jobs_timer (w, ev);
  case SIM_EVENT_POD_BIND:
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
  sim_controllers_settle (w);
  return some;
}

/* ---- a cycle and its writes ------------------------------------------------------------------ */

static int
bind_by_uid (gconstpointer a, gconstpointer b, gpointer user)
{
  const SimWorld *w = user;
  guint64 l = w->pod[w->cluster->task[((const VcBind *) a)->task].user].uid;
  guint64 r = w->pod[w->cluster->task[((const VcBind *) b)->task].user].uid;

  return l < r ? -1 : l > r;
}

static int
evict_by_uid (gconstpointer a, gconstpointer b, gpointer user)
{
  const SimWorld *w = user;
  guint64 l = w->pod[w->cluster->task[((const VcEvict *) a)->task].user].uid;
  guint64 r = w->pod[w->cluster->task[((const VcEvict *) b)->task].user].uid;

  return l < r ? -1 : l > r;
}

static void
write_statuses (SimWorld *w)
{
  GArray *statuses = vc_cache_statuses (w->cache);

  for (guint i = 0; i < statuses->len; i++) { /* in the order of the jobs' keys */
    const VcStatusWrite *s = &g_array_index (statuses, VcStatusWrite, i);
    guint32 job = w->cluster->job[s->job].user;
    SimJob *j = &w->job[job];

    if (!j->has_pg || j->pg != s->job || j->pg_phase == s->phase)
      continue;
    w->groups[j->pg_phase]--;
    j->pg_phase = s->phase;
    w->groups[j->pg_phase]++;
    if (s->phase == VC_PG_INQUEUE && j->inqueue == SIM_NO_TIME)
      j->inqueue = w->now;
    if (s->phase == VC_PG_PENDING)
      j->waited = TRUE;
    sim_record_group_phase (w, job);
    sim_jobs_group_changed (w, job);
    sim_queue_request (w, j->queue, SIM_QUEUE_SYNC);
  }
  g_array_set_size (statuses, 0);
}

/* @result loses the binds that fail. */
static void
write_decisions (Replay *r, VcCycleResult *result)
{
  SimWorld *w = r->w;
  GArray *binds = vc_cache_binds (w->cache), *evicts = vc_cache_evicts (w->cache);

  g_array_set_size (r->binds, 0);
  g_array_append_vals (r->binds, binds->data, binds->len);
  g_array_set_size (binds, 0);
  g_array_sort_with_data (r->binds, bind_by_uid, w);
  for (guint i = 0; i < r->binds->len; i++) {
    const VcBind *b = &g_array_index (r->binds, VcBind, i);

    if (!sim_pod_bind (w, w->cluster->task[b->task].user, w->node_of_row[b->node]))
      result->binds--;
  }
  g_array_set_size (r->evicts, 0);
  g_array_append_vals (r->evicts, evicts->data, evicts->len);
  g_array_set_size (evicts, 0);
  g_array_sort_with_data (r->evicts, evict_by_uid, w);
  for (guint i = 0; i < r->evicts->len; i++) {
    const VcEvict *e = &g_array_index (r->evicts, VcEvict, i);

    sim_pod_evict (w, w->cluster->task[e->task].user, e->reason);
  }
  guint n;
  const VcNomination *nomination = vc_engine_nominations (r->engine, &n);
  for (guint i = 0; i < n; i++)
    vc_cache_pod_nominate (w->cache, nomination[i].task, nomination[i].node);
  write_statuses (w);
}

/* TRUE: nothing was decided, and nothing has happened since. */
static gboolean
cycle (Replay *r)
{
  SimWorld *w = r->w;
  VcCycleResult result = { 0 };

  w->cycle_uid = w->next_uid;
  vc_engine_cycle (r->engine, w->options.epoch * SIM_SECOND + w->now, &result);
  r->out->cycles++;
  write_decisions (r, &result);
  sim_controllers_settle (w);
  gboolean quiet = !result.changed;

  while (happen (r))
    quiet = FALSE;
  sim_record_cycle (r->record, &result);
  return quiet;
}

/* ---- the loop ------------------------------------------------------------------------------- */

gboolean
sim_replay_run (SimWorld *w, VcEngine *engine, SimRecord *record, const SimReplayOptions *o, SimReplayResult *out, GError **error)
{
  g_autoptr (GArray) binds = g_array_new (FALSE, FALSE, sizeof (VcBind));
  g_autoptr (GArray) evicts = g_array_new (FALSE, FALSE, sizeof (VcEvict));
  Replay r = { w, engine, record, o, out, binds, evicts, NULL };
  gboolean timed = vc_engine_reads_clock (engine), quiet = FALSE;
  SimTime tick = 0, step = o->period, stirred = 0; /* the last time at which something happened or was decided */

  *out = (SimReplayResult){ 0 };
  for (guint i = 0; i < o->n_swaps; i++)
    sim_event_queue_post (w->events, o->swap[i].time, SIM_RANK_CONF, SIM_EVENT_CONF, i, 0);
  for (;;) {
    SimTime next = sim_event_queue_next (w->events);

    if (o->interrupted != NULL && *o->interrupted != 0) {
      g_set_error_literal (error, SIM_ERROR, SIM_ERROR_INTERRUPTED, "interrupted; no results are written");
      return FALSE;
    }
    if (next == SIM_NEVER && quiet && (!timed || w->jobs_finished == w->jobs_total || (o->until == SIM_NEVER && tick - stirred > PATIENCE)))
      break; /* nothing is left that could change anything */
    if (quiet && o->skip && !timed && next > tick) {
      SimTime stop = MIN (next, o->until == SIM_NEVER ? SIM_NEVER : o->until + 1);
      gint64 n = (stop - tick + step - 1) / step;

      sim_record_skipped (record, tick, step, tick + n * step);
      out->skipped += (guint64) n;
      tick += n * step;
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
    if (r.error != NULL) {
      g_propagate_error (error, r.error);
      return FALSE;
    }
    if (w->now == tick) {
      quiet = cycle (&r);
      if (!quiet)
        stirred = w->now;
      step = o->period + o->cost + o->cost_node * (gint64) w->nodes_present + o->cost_pod * (gint64) w->pods.pending;
      tick = sim_time_after (w->now, step);
    }
    if (o->progress != NULL)
      o->progress (o->progress_user, w->now, w->jobs_finished);
  }
  out->end = MAX (out->end, sim_record_last_row (record));
  out->events = w->n_events;
  return TRUE;
}
