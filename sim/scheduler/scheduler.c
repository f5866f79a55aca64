/* sim/scheduler/scheduler.c - mirrors pkg/scheduler/scheduler.go and the writes of pkg/scheduler/cache/cache.go. */
#include "scheduler.h"
#include "binder.h"
#include "shards.h"
#include "sim/controllers/job-requests.h"
#include "sim/controllers/queue-controller.h"
#include "sim/invariants.h"
#include "sim/record/chain.h"
#include "sim/record/record.h"
#include "sim/record/watch.h"
#include "sim/world/claims.h"
#include "sim/world/cluster-objects.h"
#include "sim/world/hyper-nodes.h"
#include "sim/world/kubelet.h"
#include "sim/world/node-events.h"
#include "sim/world/views.h"
#include <string.h>

struct SimScheduler {
  SimWorld *w;
  guint view;
  VcEngine *engine;
  SimSchedulerTiming timing;
  SimTime due, step, wake;
  SimTime ready;          /* of a scheduler that sleeps: when its next cycle could be; SIM_NO_TIME: it does not */
  gboolean gone;          /* between two processes */
  gboolean broken;        /* the file of the configuration is */
  GError **failure;       /* of invariants; NULL: they are not checked */
  GArray *evicts; /* a copy, sorted by pod UID */
};

SimScheduler *
sim_scheduler_new (SimWorld *w, guint view, VcEngine *engine, const SimSchedulerTiming *timing)
{
  SimScheduler *s = g_new0 (SimScheduler, 1);

  s->w = w;
  s->view = view;
  s->engine = engine;
  w->view[view].engine = engine;
  s->timing = *timing;
  s->step = timing->period;
  s->due = timing->offset;
  s->wake = SIM_NEVER;
  s->ready = SIM_NO_TIME;
  s->evicts = g_array_new (FALSE, FALSE, sizeof (VcEvict));
  return s;
}

void
sim_scheduler_free (SimScheduler *s)
{
  if (s == NULL)
    return;
  s->w->view[s->view].engine = NULL;
  g_array_unref (s->evicts);
  g_free (s);
}

/* ---- time ----------------------------------------------------------------------------------- */

SimTime
sim_scheduler_due (const SimScheduler *s)
{
  return s->due;
}

SimTime
sim_scheduler_step (const SimScheduler *s)
{
  return s->step;
}

SimTime
sim_scheduler_e2e (const SimScheduler *s)
{
  return s->step - s->timing.period;
}

void
sim_scheduler_skip (SimScheduler *s, gint64 n)
{
  s->due += n * s->step;
  s->w->view[s->view].cycles += (guint64) n;
}

void
sim_scheduler_finish (SimScheduler *s, SimTime end)
{
  SimTime last = s->due - s->step;

  if (last > end && s->step > 0)
    s->w->view[s->view].cycles -= (guint64) ((last - end + s->step - 1) / s->step);
}

gboolean
sim_scheduler_follows_events (const SimScheduler *s)
{
  return s->timing.period == 0;
}

void
sim_scheduler_sleep (SimScheduler *s, SimTime time)
{
  s->ready = s->due;
  s->due = MAX (s->due, time);
}

gboolean
sim_scheduler_rouse (SimScheduler *s, SimTime *since)
{
  if (s->ready == SIM_NO_TIME)
    return FALSE;
  *since = s->ready;
  s->due = MIN (s->due, MAX (s->ready, s->w->now));
  s->ready = SIM_NO_TIME;
  return TRUE;
}

SimTime
sim_scheduler_wake (const SimScheduler *s)
{
  return s->wake;
}

static void
wait_until_next (SimScheduler *s)
{
  const SimSchedulerTiming *t = &s->timing;

  s->step = t->period + t->cost + t->cost_node * (gint64) s->w->nodes_present + t->cost_pod * (gint64) s->w->pods.pending;
  s->due = sim_time_after (s->w->now, s->step);
}

guint
sim_scheduler_view (const SimScheduler *s)
{
  return s->view;
}

VcEngine *
sim_scheduler_engine (const SimScheduler *s)
{
  return s->engine;
}

/* ---- configuration -------------------------------------------------------------------------- */

gboolean
sim_scheduler_load_conf (SimScheduler *s, SimConfSwap *swap, gboolean lenient, GError **error)
{
  sim_step (s->w, SIM_NONE, "scheduler", "loadSchedulerConf", "%s: %s", swap->file, swap->conf != NULL ? "loaded" : "broken; the old one stays");
  sim_record_event (s->w, "Scheduler", "", swap->file, swap->conf != NULL ? "configuration" : "configuration-refused", "");
  s->broken = swap->conf == NULL;
  if (swap->conf == NULL || vc_engine_set_conf (s->engine, g_steal_pointer (&swap->conf), lenient, error))
    return TRUE;
  g_prefix_error (error, "%s: ", swap->file);
  return FALSE;
}

/* Events name the scheduler where there are several. */
static const char *
name_of (const SimScheduler *s)
{
  return s->w->n_views > 1 ? s->w->view[s->view].name : "";
}

/* ---- processes ------------------------------------------------------------------------------- */

void
sim_scheduler_leave (SimScheduler *s, SimTime back)
{
  g_autofree char *until = g_strdup_printf ("back at %.6g", (double) back / (double) SIM_SECOND);

  sim_record_event (s->w, "Scheduler", "", name_of (s), "stopped", until);
  sim_view_enter (s->w, s->view);
  sim_binder_abandon (s->w);
  sim_view_enter (s->w, 0);
  s->due = s->gone ? MAX (s->due, back) : back;
  s->gone = TRUE;
}

static int
by_name (gconstpointer a, gconstpointer b, gpointer user)
{
  const SimNode *node = user;

  return strcmp (node[*(const guint32 *) a].name, node[*(const guint32 *) b].name);
}

/* The informers of a new process list the nodes as the API server keeps them: by name. */
static void
list_nodes (SimWorld *w)
{
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint32 i = 0; i < w->n_nodes; i++)
    if (w->node[i].present)
      g_array_append_val (rows, i);
  g_array_sort_with_data (rows, by_name, w->node);
  vc_cache_forget_nodes (w->cache);
  for (guint i = 0; i < rows->len; i++)
    sim_node_list (w, g_array_index (rows, guint32, i));
}

gboolean
sim_scheduler_arrive (SimScheduler *s, GError **error)
{
  if (!s->gone)
    return TRUE;
  s->gone = FALSE;
  sim_view_enter (s->w, s->view);
  sim_watch_flush (s->w);
  sim_record_event (s->w, "Scheduler", "", name_of (s), "started", s->broken ? "default configuration" : "");
  list_nodes (s->w);
  sim_hyper_nodes_list (s->w);
  sim_shards_list (s->w);
  vc_cache_forget_allocations (s->w->cache);
  sim_claims_list_pods (s->w);
  sim_view_enter (s->w, 0);
  return vc_engine_restart (s->engine, s->broken ? vc_conf_default () : NULL, error);
}

/* ---- what a cycle writes --------------------------------------------------------------------- */

static int
evict_by_uid (gconstpointer a, gconstpointer b, gpointer user)
{
  const SimWorld *w = user;

  return strcmp (w->cluster->task[((const VcEvict *) a)->task].uid, w->cluster->task[((const VcEvict *) b)->task].uid);
}

static void
evict_pods (SimScheduler *s)
{
  SimWorld *w = s->w;
  GArray *evicts = vc_cache_evicts (w->cache);

  g_array_set_size (s->evicts, 0);
  g_array_append_vals (s->evicts, evicts->data, evicts->len);
  g_array_set_size (evicts, 0);
  g_array_sort_with_data (s->evicts, evict_by_uid, w);
  for (guint i = 0; i < s->evicts->len; i++) {
    const VcEvict *e = &g_array_index (s->evicts, VcEvict, i);

    guint32 pod = sim_pod_of_task (w, e->task);

    if (pod != SIM_NONE)
      sim_pod_evict (w, pod, e->reason, e->for_task != VC_NONE ? sim_pod_of_task (w, e->for_task) : SIM_NONE);
    else
      vc_cache_remove_pod (w->cache, e->task); /* its pod is gone, and the resync finds out */
  }
}

/* The other schedulers' watchers hear of the phase at once. */
static void
tell_others (SimWorld *w, guint32 job, VcPgPhase phase)
{
  guint from = w->at;

  SIM_EACH_VIEW (w, back) {
    guint32 group = w->at != from ? sim_view_group (w, job) : VC_NONE;

    if (group != VC_NONE)
      vc_cache_pod_group_phase (w->cache, group, phase);
  }
}

/* UpdatePodGroup of one changed status: the object changes, and its watchers hear of it. */
static void
update_pod_group (SimWorld *w, const VcStatusWrite *s)
{
  guint32 job = w->cluster->job[s->job].user;
  SimJob *j = &w->job[job];

  if (!j->has_pg || sim_view_group (w, job) != s->job || j->pg_phase == s->phase)
    return;
  sim_count_group (w, j->queue, j->pg_phase, -1);
  j->pg_phase = s->phase;
  sim_count_group (w, j->queue, j->pg_phase, 1);
  tell_others (w, job, (VcPgPhase) s->phase);
  if (s->phase == VC_PG_INQUEUE && j->inqueue == SIM_NO_TIME)
    j->inqueue = w->now;
  if (s->phase == VC_PG_PENDING)
    j->waited = TRUE;
  sim_step (w, job, "cache", "UpdatePodGroup", "PodGroup of %s/%s: phase %s", j->ns, j->name, vc_pg_phase_names[s->phase]);
  sim_record_group_phase (w, job);
  sim_jobs_group_changed (w, job);
  sim_queue_request (w, j->queue, SIM_QUEUE_SYNC);
}

static void
write_statuses (SimScheduler *s)
{
  GArray *statuses = vc_cache_statuses (s->w->cache);

  for (guint i = 0; i < statuses->len; i++) /* in the order of the jobs' keys */
    update_pod_group (s->w, &g_array_index (statuses, VcStatusWrite, i));
  g_array_set_size (statuses, 0);
}

static void
write_nominations (SimScheduler *s)
{
  guint n;
  const VcNomination *nomination = vc_engine_nominations (s->engine, &n);

  for (guint i = 0; i < n; i++)
    vc_cache_pod_nominate (s->w->cache, nomination[i].task, nomination[i].node);
}

void
sim_scheduler_check (SimScheduler *s, GError **failure)
{
  s->failure = failure;
}

/* ---- a cycle --------------------------------------------------------------------------------- */

void
sim_scheduler_run_once (SimScheduler *s, VcCycleResult *result)
{
  SimWorld *w = s->w;

  SimView *view = &w->view[s->view];

  *result = (VcCycleResult){ 0 };
  sim_objects_flush (w);
  sim_view_enter (w, s->view);
  view->cycle_uid = w->next_uid;
  sim_chain_cycle_begins (w);
  vc_engine_cycle (s->engine, w->options.epoch * SIM_SECOND + w->now, result);
  s->wake = result->wake > 0 ? result->wake - w->options.epoch * SIM_SECOND : SIM_NEVER;
  gboolean told = sim_chain_cycle_ends (w);

  if (s->failure != NULL && *s->failure == NULL)
    sim_invariants_check_binds (w, s->engine, s->failure);

  if (vc_cache_end_claims (w->cache)) {
    result->changed = TRUE;
    sim_claims_given_back (w);
  }
  result->binds -= sim_binder_process (w, vc_engine_bind_patience (s->engine));
  evict_pods (s);
  write_nominations (s);
  write_statuses (s);
  view->cycles++;
  view->binds += result->binds;
  view->evictions += result->evictions;
  view->enqueued += result->enqueued;
  wait_until_next (s);
  if (told)
    sim_step (w, SIM_NONE, "scheduler", "UpdateE2eDuration", "%.6g s", (double) sim_scheduler_e2e (s) / (double) SIM_SECOND);
  sim_view_enter (w, 0);
}
