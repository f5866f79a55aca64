/* Opening and closing a session. Mirrors OpenSession, openSession, CloseSession (pkg/scheduler/framework). */
#include "search.h"
#include "session-private.h"
#include "task-lines.h"
#include "core/model/volumes.h"
#include <stdarg.h>

VcCluster *vc_session_cluster (VcSession *ssn) { return ssn->cluster; }
VcDevices *vc_session_devices (VcSession *ssn) { return ssn->cache->devices; }
VcNuma *vc_session_numa (VcSession *ssn) { return ssn->cache->numa; }
gboolean vc_session_remembered (VcSession *ssn, guint32 task) { return ssn->remembered == task; }
void vc_session_note_change (VcSession *ssn) { ssn->result.changed = TRUE; }
guint32 vc_session_number (VcSession *ssn) { return ssn->number; }
gint64 vc_session_now (VcSession *ssn) { return ssn->now; }
const VcRes *vc_session_total (VcSession *ssn) { return vc_cluster_total (ssn->cluster); }
const char *vc_session_metrics_interval (VcSession *ssn) { return ssn->engine->conf->metrics_interval; }
gboolean vc_session_gates_admission (VcSession *ssn) { return ssn->engine->options.gates_admission; }
gboolean vc_session_wants_messages (VcSession *ssn) { return ssn->engine->options.messages; }
VcQueueGauge *vc_session_gauge (VcSession *ssn, guint32 queue) { return &ssn->engine->gauge[queue]; }
gboolean vc_session_is_plain (VcSession *ssn) { return ssn->engine->options.plain; }
gboolean vc_session_has_job (VcSession *ssn, guint32 job) { return vc_job_in_session (ssn->cluster, job); }

void
vc_session_set_eviction (VcSession *ssn, VcEvictionKind kind, guint32 job)
{
  ssn->eviction_kind = kind;
  ssn->eviction_job = job;
}

void
vc_session_mark_node_victim (VcSession *ssn, guint32 task)
{
  g_array_append_val (ssn->node_victims, task);
}

VcEvictionKind vc_session_eviction_kind (VcSession *ssn) { return ssn->eviction_kind; }
guint32 vc_session_eviction_job (VcSession *ssn) { return ssn->eviction_job; }

guint32 vc_session_rotating_index (VcSession *ssn) { return ssn->engine->rotating; }
guint32 vc_session_node_limit (VcSession *ssn, guint32 n) { return vc_search_limit (ssn, n); }

const guint32 *
vc_session_jobs (VcSession *ssn, guint *n)
{
  *n = ssn->n_jobs;
  return ssn->jobs;
}

const guint32 *
vc_session_queues (VcSession *ssn, guint *n)
{
  *n = ssn->cluster->n_queue_order;
  return ssn->cluster->queue_order;
}

gboolean
vc_session_logs (VcSession *ssn, int level)
{
  return ssn->engine->options.verbosity >= level && ssn->engine->options.log != NULL;
}

void
vc_session_log (VcSession *ssn, int level, const char *format, ...)
{
  va_list args;

  if (!vc_session_logs (ssn, level))
    return;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  ssn->engine->options.log (ssn->engine->options.log_user, level, text);
}

void
vc_session_touch (VcSession *ssn, guint32 task)
{
  ssn->touched = vc_grow (ssn->touched, &ssn->cap_touched, ssn->n_touched + 1, sizeof *ssn->touched);
  ssn->touched[ssn->n_touched++] = task;
}

VcHeap *
vc_session_heap (VcSession *ssn, guint32 *slot, VcHeapLess less)
{
  VcEngine *e = ssn->engine;

  if (e->n_heaps == e->cap_heaps)
    e->heap = vc_grow (e->heap, &e->cap_heaps, e->n_heaps + 1, sizeof *e->heap);
  VcHeap *h = &e->heap[e->n_heaps];
  h->n = 0;
  h->line = NULL;
  h->less = less;
  h->user = ssn;
  *slot = e->n_heaps++;
  return h;
}

guint32 *
vc_session_job_slots (VcSession *ssn)
{
  VcEngine *e = ssn->engine;

  e->job_slot = vc_grow (e->job_slot, &e->cap_job_slot, ssn->cluster->n_jobs, sizeof *e->job_slot);
  for (guint i = 0; i < ssn->n_jobs; i++)
    e->job_slot[ssn->jobs[i]] = VC_NONE;
  return e->job_slot;
}

/* Texts of conditions are a handful of literals: remember where each one's interned copy is. */
static const char *
intern_literal (VcSession *ssn, const char *text)
{
  guint i = 0;

  while (i < G_N_ELEMENTS (ssn->literal) && ssn->literal[i].raw != NULL && ssn->literal[i].raw != text)
    i++;
  if (i == G_N_ELEMENTS (ssn->literal))
    return vc_cluster_intern (ssn->cluster, text);
  if (ssn->literal[i].raw == NULL) {
    ssn->literal[i].raw = text;
    ssn->literal[i].interned = vc_cluster_intern (ssn->cluster, text);
  }
  return ssn->literal[i].interned;
}

void
vc_session_set_condition (VcSession *ssn, guint32 job, const char *type, const char *status, const char *reason, char *message)
{
  VcJob *j = &ssn->cluster->job[job];
  gboolean fresh = FALSE;
  guint i = 0;

  type = intern_literal (ssn, type);
  status = intern_literal (ssn, status);
  reason = intern_literal (ssn, reason);
  while (i < j->n_conds && j->cond[i].type != type)
    i++;
  if (i == j->n_conds) {
    j->cond = g_renew (VcCondition, j->cond, j->n_conds + 1);
    j->cond[j->n_conds++] = (VcCondition) { 0 };
    fresh = TRUE;
  } else {
    fresh = j->cond[i].status != status || j->cond[i].reason != reason;
  }
  ssn->conditions_changed |= fresh;
  if (fresh || *type == 'U')
    vc_step (ssn->cluster, "UpdatePodGroupCondition", job, VC_NONE, "PodGroup %s: %s=%s; %s", j->key, type, status, reason);
  g_free (j->cond[i].message);
  j->cond[i] = (VcCondition) { type, status, reason, message, ssn->number };
}

/* ---- open ------------------------------------------------------------------------------------ */

static void
refresh_priorities (VcEngine *e)
{
  VcCluster *c = e->cache->cluster;

  if (!c->priorities_dirty)
    return;
  for (guint32 i = 0; i < c->n_job_order; i++) {
    VcJob *j = &c->job[c->job_order[i]];
    const VcPriorityClassObject *class = j->priority_class != NULL ? g_hash_table_lookup (c->classes, j->priority_class) : NULL;
    j->priority = !e->cache->priority_class ? 0 : class != NULL ? class->value : c->default_priority;
  }
  c->priorities_dirty = FALSE;
}

static void
reset_gauges (VcEngine *e)
{
  VcCluster *c = e->cache->cluster;

  if (e->n_gauges < c->n_queues) {
    e->gauge = g_renew (VcQueueGauge, e->gauge, c->n_queues);
    for (guint32 q = e->n_gauges; q < c->n_queues; q++)
      e->gauge[q] = (VcQueueGauge) { .deserved = vc_res_new (c->n_res), .allocated = vc_res_new (c->n_res), .request = vc_res_new (c->n_res), .inqueue = vc_res_new (c->n_res), .capacity = vc_res_new (c->n_res), .real_capacity = vc_res_new (c->n_res) };
    e->n_gauges = c->n_queues;
  }
  for (guint32 q = 0; q < e->n_gauges; q++) {
    VcQueueGauge *g = &e->gauge[q];
    g->published = g->overused = FALSE;
    g->share = g->weight = 0;
    g->parts = 0;
    vc_res_clear (g->deserved);
    vc_res_clear (g->allocated);
    vc_res_clear (g->request);
    vc_res_clear (g->inqueue);
    vc_res_clear (g->capacity);
    vc_res_clear (g->real_capacity);
  }
}

void
vc_session_open (VcEngine *e, gint64 now)
{
  VcSession *ssn = &e->ssn;
  VcCluster *c = e->cache->cluster;

  ssn->engine = e;
  ssn->cache = e->cache;
  ssn->cluster = c;
  ssn->number = ++e->sessions;
  ssn->now = now;
  ssn->n_touched = 0;
  g_array_set_size (ssn->node_victims, 0);
  g_array_set_size (ssn->unreleased, 0);
  ssn->n_handlers = 0;
  ssn->conditions_changed = FALSE;
  ssn->remembered = VC_NONE;
  ssn->moves = 0;
  ssn->result = (VcCycleResult) { 0 };
  memset (ssn->literal, 0, sizeof ssn->literal);
  vc_arena_reset (ssn->arena);
  e->n_heaps = 0;
  vc_task_lines_begin (e->task_lines);
  if (c->volumes != NULL)
    vc_volumes_cut_log (c->volumes);
  refresh_priorities (e);
  reset_gauges (e);
  ssn->jobs = vc_grow (ssn->jobs, &ssn->cap_jobs, c->n_job_order, sizeof *ssn->jobs);
  ssn->n_jobs = 0;
  for (guint32 i = 0; i < c->n_job_order; i++) {
    VcJob *j = &c->job[c->job_order[i]];
    j->fit = NULL; /* also of a job that is not in the session: the arena it lay in is empty now */
    if (!vc_job_in_session (c, c->job_order[i]))
      continue;
    ssn->jobs[ssn->n_jobs++] = c->job_order[i];
    j->old_phase = j->phase;
  }
  /* A node whose allocatable has no scalar at all loses what is subtracted from its Idle: the snapshot's clone starts afresh. */
  for (guint32 i = 0; i < c->nodes.n_list; i++)
    if (c->nodes.info[c->nodes.list[i]].no_scalars)
      vc_node_recount (c, c->nodes.list[i]);
  vc_cluster_total (c);
  vc_numa_refresh (ssn->cache->numa);
  vc_session_open_topology (ssn);
  ssn->hooks_changed = FALSE;
  ssn->n_registered = 0;
  for (guint p = 0; p < e->n_plugins; p++) {
    ssn->opening = &e->plugin[p];
    e->plugin[p].class->session_open (e->plugin[p].self, ssn);
  }
  ssn->opening = NULL;
  vc_devices_session_open (ssn->cache->devices, now);
  vc_hooks_build (ssn);
}

/* ---- close ----------------------------------------------------------------------------------- */

static void
add_queue_status (VcCluster *c, const VcJob *j, const VcRes *allocated)
{
  guint32 root = GPOINTER_TO_UINT (g_hash_table_lookup (c->queue_rows, "root"));
  guint32 q = j->queue;

  vc_res_add (c->queue[q].status_allocated, allocated);
  for (guint depth = 0; root > 0 && depth < 64; depth++) { /* a parent cycle is refused at the edge; 64 is a backstop */
    const char *parent = *c->queue[q].parent != '\0' ? c->queue[q].parent : "root";
    guint32 row = GPOINTER_TO_UINT (g_hash_table_lookup (c->queue_rows, parent));
    if (row == 0)
      break; /* a missing ancestor is fatal upstream (W8) */
    vc_res_add (c->queue[row - 1].status_allocated, allocated);
    if (row == root)
      break;
    q = row - 1;
  }
}

typedef struct { VcRes *sum; const VcRes *request; } Replaced;

static void
replace_amount (gpointer user, guint dim, double amount)
{
  Replaced *r = user;

  vc_res_set (r->sum, dim, r->sum->v[dim] + amount - r->request->v[dim]);
}

/* The job's allocated with what shared devices count in place of the request (addNodeSharableDeviceUsage). */
static void
add_device_usage (VcSession *ssn, const VcJob *j, VcRes *sum)
{
  VcCluster *c = ssn->cluster;

  for (guint32 i = 0; i < j->n_tasks; i++) {
    const VcTask *t = &c->task[j->task[i]];
    Replaced r = { sum, t->shape->request };

    if (vc_status_allocated (t->status) && vc_devices_asked (ssn->cache->devices, t->shape))
      vc_devices_queue_amounts (ssn->cache->devices, j->task[i], replace_amount, &r);
  }
}

static gboolean
has_plugin (const VcEngine *e, const char *name)
{
  for (guint p = 0; p < e->n_plugins; p++)
    if (strcmp (e->plugin[p].class->name, name) == 0)
      return TRUE;
  return FALSE;
}

static void
update_queue_status (VcSession *ssn)
{
  VcCluster *c = ssn->cluster;
  gboolean devices = has_plugin (ssn->engine, "deviceshare") && has_plugin (ssn->engine, "extender"); /* who is told of a queue's status */

  for (guint32 i = 0; i < c->n_queue_order; i++)
    vc_res_clear (c->queue[c->queue_order[i]].status_allocated);
  for (guint i = 0; i < ssn->n_jobs; i++) {
    const VcJob *j = &c->job[ssn->jobs[i]];
    if (vc_job_allocated_num (j) == 0)
      continue;
    VC_RES_LOCAL (sum, c->n_res);
    if (devices) {
      vc_res_copy (sum, j->allocated);
      add_device_usage (ssn, j, sum);
    }
    add_queue_status (c, j, devices ? sum : j->allocated);
  }
}

static void
collect_leftovers (VcSession *ssn)
{
  VcEngine *e = ssn->engine;

  e->n_leftovers = 0;
  for (guint32 i = 0; i < ssn->n_touched; i++) {
    VcTask *t = &ssn->cluster->task[ssn->touched[i]];
    if ((t->status != VC_ALLOCATED && t->status != VC_PIPELINED) || t->prefilter_session == G_MAXUINT32)
      continue;
    e->leftover = vc_grow (e->leftover, &e->cap_leftovers, e->n_leftovers + 1, sizeof *e->leftover);
    e->leftover[e->n_leftovers++] = (VcLeftover) { ssn->touched[i], t->node, t->status };
    ssn->result.pipelined += t->status == VC_PIPELINED;
    t->prefilter_session = G_MAXUINT32; /* a mark against repeats; put back below */
  }
  for (guint32 i = 0; i < e->n_leftovers; i++)
    ssn->cluster->task[e->leftover[i].task].prefilter_session = 0; /* the session's prefilter state is dead by now */
}

/* What was taken back last counts, else what is. An unchanged name is not written again. */
static void
collect_nominations (VcSession *ssn)
{
  VcEngine *e = ssn->engine;

  e->n_nominations = 0;
  for (guint32 i = 0; i < ssn->n_touched; i++) {
    VcTask *t = &ssn->cluster->task[ssn->touched[i]];
    gboolean last = t->last_status != VC_N_STATUS;
    guint32 node = last ? t->last_node : t->node;

    if ((t->status != VC_PENDING && t->status != VC_ALLOCATED && t->status != VC_PIPELINED) || t->gated || !vc_job_in_session (ssn->cluster, t->job) ||
        (last ? t->last_status : t->status) != VC_PIPELINED || !(last ? t->last_evicted : t->evicted_for) || t->nominated == node || t->prefilter_session == G_MAXUINT32)
      continue;
    e->nomination = vc_grow (e->nomination, &e->cap_nominations, e->n_nominations + 1, sizeof *e->nomination);
    e->nomination[e->n_nominations++] = (VcNomination) { ssn->touched[i], node };
    t->prefilter_session = G_MAXUINT32; /* as above: a task may have been touched twice */
  }
  for (guint32 i = 0; i < e->n_nominations; i++)
    ssn->cluster->task[e->nomination[i].task].prefilter_session = 0;
  ssn->result.changed |= e->n_nominations > 0;
}

/* Room that a node was kept from seeing (finding W3): the cache knows it, so the next session does. */
static void
release_room (VcSession *ssn)
{
  VcCluster *c = ssn->cluster;

  for (guint i = 0; i < ssn->unreleased->len; i++) {
    const VcTask *t = &c->task[g_array_index (ssn->unreleased, guint32, i)];

    vc_node_hide_released (c, t->node, t->shape, FALSE);
  }
}

/* Only what was committed stays: everything else is pending again, and the mirror follows the nodes (02 §13 S18). */
static void
roll_back (VcSession *ssn)
{
  VcCluster *c = ssn->cluster;

  for (guint32 i = 0; i < ssn->n_touched; i++) {
    guint32 row = ssn->touched[i];
    VcTask *t = &c->task[row];

    t->last_status = VC_N_STATUS;
    t->last_evicted = FALSE;
    t->evicted_for = FALSE;
    t->job_hyper = VC_NONE;
    if (t->was_bound && t->status == VC_RUNNING)
      vc_task_move (c, row, VC_BOUND, t->node); /* an eviction taken back made it Running for the session only */
    t->was_bound = FALSE;
    if (t->status == VC_ALLOCATED || t->status == VC_PIPELINED) {
      if (t->status == VC_ALLOCATED)
        for (guint64 left = t->shape->dims; left != 0; left &= left - 1) {
          guint d = (guint) __builtin_ctzll (left);
          c->nodes.claimed[d][t->node] -= t->shape->request->v[d];
        }
      vc_mirror_remove (c, row);
      vc_node_take (c, row);
      vc_task_move (c, row, VC_PENDING, VC_NONE);
    } else if (t->pos_in_node != VC_NONE) {
      vc_mirror_add (c, row);
    }
    if (t->status == VC_PENDING)
      t->bound_to = VC_NONE; /* the status that is written for a waiting pod brings its object anew */
  }
}

void
vc_session_close (VcEngine *e, guint32 rotating_before, guint32 cursor_before)
{
  VcSession *ssn = &e->ssn;

  if (e->options.observer != NULL && e->options.observer->closing != NULL)
    e->options.observer->closing (e->options.observer->user, ssn);
  for (guint p = 0; p < e->n_plugins; p++)
    if (e->plugin[p].class->session_close != NULL)
      e->plugin[p].class->session_close (e->plugin[p].self, ssn);
  vc_job_updater_run (ssn);
  update_queue_status (ssn);
  collect_leftovers (ssn);
  collect_nominations (ssn);
  if (e->options.at_close != NULL)
    e->options.at_close (ssn, e->options.at_close_user);
  release_room (ssn);
  vc_devices_session_close (ssn->cache->devices);
  roll_back (ssn);
  ssn->result.changed |= vc_session_close_topology (ssn);
  ssn->result.changed |= ssn->result.binds > 0 || ssn->result.evictions > 0 || ssn->conditions_changed;
  if (!ssn->result.changed && ssn->cluster->volumes != NULL)
    ssn->result.changed = vc_volumes_assumptions_changed (ssn->cluster->volumes);
  ssn->result.only_turned = !ssn->result.changed && (e->rotating != rotating_before || e->dry_run_cursor != cursor_before);
  ssn->result.changed |= ssn->result.only_turned;
}

/* ---- beyond the objects ----------------------------------------------------------------------- */

void
vc_session_outlook (VcSession *ssn, guint32 job, VcOutlook *out)
{
  const VcEngineOptions *o = &ssn->engine->options;
  const VcJob *j = &ssn->cluster->job[job];

  if (o->outlook != NULL && o->outlook (o->outlook_user, j->user, out))
    return;
  *out = (VcOutlook){ .submitted = j->created * G_USEC_PER_SEC, .walltime = -1 };
}

void
vc_session_progress (VcSession *ssn, guint32 job, VcProgress *out)
{
  const VcEngineOptions *o = &ssn->engine->options;

  if (o->progress == NULL || !o->progress (o->outlook_user, ssn->cluster->job[job].user, out))
    *out = (VcProgress){ .started = -1, .left = -1 };
}

void
vc_session_wake_at (VcSession *ssn, gint64 time)
{
  gint64 *wake = &ssn->result.wake;

  if (time > ssn->now && (*wake == 0 || time < *wake))
    *wake = time;
}
