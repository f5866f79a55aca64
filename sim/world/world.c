/* sim/world/world.c - pods and jobs: their objects, their counters, their end. */
#include "world.h"
#include "budgets.h"
#include "claims.h"
#include "cluster-objects.h"
#include "faults.h"
#include "node-load.h"
#include "pod-object.h"
#include "storage.h"
#include "views.h"
#include "sim/controllers/kinds.h"
#include "sim/controllers/makers.h"
#include "sim/controllers/rollouts.h"
#include "sim/controllers/shard-controller.h"
#include "sim/load/images.h"
#include "sim/record/chain.h"
#include "sim/record/ledger.h"
#include "sim/record/placement.h"
#include "sim/record/record.h"
#include "sim/record/watch.h"
#include "sim/scheduler/binder.h"
#include "sim/scheduler/shards.h"
#include <string.h>

SimWorld *
sim_world_new (VcCache *cache, const VcCacheOptions *of_cache, const SimWorldOptions *options, const SimModel *model)
{
  SimWorld *w = g_new0 (SimWorld, 1);

  w->options = *options;
  w->model = model;
  w->text = g_string_chunk_new (1 << 14);
  w->scheduler_name = of_cache->scheduler_names[0];
  sim_views_add (w, cache, of_cache);
  w->n_res = w->cluster->n_res;
  w->events = sim_event_queue_new ();
  w->arena = vc_arena_new ();
  w->behaviours = g_ptr_array_new_with_free_func ((GDestroyNotify) wl_behaviour_unref);
  w->binder = sim_binder_new ();
  w->free_pod = w->free_delayed = SIM_NONE;
  w->annotations = g_array_new (FALSE, FALSE, sizeof (VcPair));
  w->labels = g_array_new (FALSE, FALSE, sizeof (VcPair));
  w->partition = g_string_new (NULL);
  w->held = g_array_new (FALSE, FALSE, sizeof (SimRequest));
  w->running = g_new0 (double, w->n_res);
  w->requested = g_new0 (double, w->n_res);
  w->waiting = g_array_new (FALSE, FALSE, sizeof (guint32));
  w->active = g_array_new (FALSE, FALSE, sizeof (guint32));
  w->pending_shapes = g_array_new (FALSE, FALSE, sizeof (guint32));
  w->name = g_string_new (NULL);
  w->group_name = g_string_new (NULL);
  w->index_text = g_string_new (NULL);
  w->rows = g_array_new (FALSE, FALSE, sizeof (guint32));
  return w;
}

void
sim_world_free (SimWorld *w)
{
  if (w == NULL)
    return;
  for (guint32 i = 0; i < w->n_jobs; i++) {
    g_free (w->job[i].used);
    g_free (w->job[i].spread);
    if (w->job[i].kube != NULL)
      g_clear_pointer (&w->job[i].kube->batch.gone_failures, g_array_unref);
  }
  for (guint32 i = 0; i < w->n_roles; i++)
    g_free (w->role[i].slot);
  for (guint32 i = 0; i < w->n_queues; i++)
    g_free (w->queue[i].running);
  sim_event_queue_free (w->events);
  sim_images_free (w->images);
  sim_faults_free (w->faults);
  sim_claims_free (w->claims);
  sim_watch_free (w);
  sim_node_load_free (w->load);
  for (guint32 i = 0; i < w->n_nodes; i++) {
    g_free (w->node[i].no_execute);
    g_free (w->node[i].used);
    vc_res_free (w->node[i].room);
  }
  sim_storage_free (w->storage);
  sim_shards_free (w->shards);
  sim_shard_controller_free (w->shard_controller);
  sim_rollouts_free (w->rollouts);
  sim_views_free (w);
  sim_objects_free (w);
  g_free (w->job);
  g_free (w->role);
  g_free (w->node);
  g_free (w->queue);
  g_free (w->change);
  g_free (w->queue_change);
  g_free (w->pod);
  g_free (w->node_of_row);
  sim_makers_free (w->makers);
  g_clear_pointer (&w->job_names, g_hash_table_unref);
  g_clear_pointer (&w->old_names, g_hash_table_unref);
  g_free (w->request);
  g_free (w->request_due);
  g_free (w->command);
  g_free (w->edit);
  g_free (w->usage_node);
  wl_node_usage_free (w->usage);
  wl_objects_free (w->objects);
  wl_admission_conf_free (w->admission);
  g_ptr_array_unref (w->behaviours);
  g_array_unref (w->held);
  g_array_unref (w->annotations);
  g_array_unref (w->labels);
  g_string_free (w->partition, TRUE);
  g_clear_pointer (&w->delayed, g_array_unref);
  g_clear_pointer (&w->retry, g_array_unref);
  g_clear_pointer (&w->retry_rows, g_hash_table_unref);
  g_free (w->running);
  g_free (w->requested);
  g_free (w->unbound_of_shape);
  g_free (w->place_of_shape);
  g_array_unref (w->pending_shapes);
  g_clear_pointer (&w->queue_requests, g_array_unref);
  sim_binder_free (w->binder);
  g_free (w->rule_min);
  g_free (w->rule_succeeded);
  g_array_unref (w->waiting);
  g_array_unref (w->active);
  g_array_unref (w->rows);
  g_string_free (w->name, TRUE);
  g_string_free (w->group_name, TRUE);
  g_string_free (w->index_text, TRUE);
  g_string_chunk_free (w->text);
  vc_arena_free (w->arena);
  g_free (w);
}

/* ---- counters ------------------------------------------------------------------------------- */

static void
add_request (double *sum, const VcRes *request, int sign)
{
  for (guint d = 0; d < request->n; d++)
    sum[d] += sign * request->v[d];
}

static void
bump (SimPodCounts *c, const SimPod *p, guint32 by)
{
  if (p->deleting)
    c->terminating += by;
  else if (p->phase == SIM_POD_PENDING)
    c->pending += by;
  else if (p->phase == SIM_POD_RUNNING)
    c->running += by;
  else if (p->phase == SIM_POD_SUCCEEDED)
    c->succeeded += by;
  else
    c->failed += by;
}

static guint32
list_job (GArray *list, guint32 job)
{
  g_array_append_val (list, job);
  return list->len - 1;
}

/* The last of the list takes the place. Returns it. */
static guint32
unlist_job (GArray *list, guint32 place)
{
  guint32 last = g_array_index (list, guint32, list->len - 1);

  g_array_index (list, guint32, place) = last;
  g_array_set_size (list, list->len - 1);
  return last;
}

static void
waiting_changed (SimWorld *w, SimJob *j)
{
  if (j->unbound > 0 && j->wait_place == SIM_NONE) {
    j->wait_place = list_job (w->waiting, (guint32) (j - w->job));
  } else if (j->unbound == 0 && j->wait_place != SIM_NONE) {
    w->job[unlist_job (w->waiting, j->wait_place)].wait_place = j->wait_place;
    j->wait_place = SIM_NONE;
  }
}

static void
count_shape (SimWorld *w, guint32 id, guint32 by)
{
  if (id >= w->n_shapes) {
    guint32 n = MAX (id + 1, vc_shape_table_count (w->cluster->shapes));

    w->unbound_of_shape = g_renew (guint32, w->unbound_of_shape, n);
    w->place_of_shape = g_renew (guint32, w->place_of_shape, n);
    memset (w->unbound_of_shape + w->n_shapes, 0, (n - w->n_shapes) * sizeof (guint32));
    w->n_shapes = n;
  }
  guint32 before = w->unbound_of_shape[id];

  w->unbound_of_shape[id] += by;
  if (before == 0) {
    w->place_of_shape[id] = w->pending_shapes->len;
    g_array_append_val (w->pending_shapes, id);
  } else if (w->unbound_of_shape[id] == 0) {
    guint32 last = g_array_index (w->pending_shapes, guint32, w->pending_shapes->len - 1);

    g_array_index (w->pending_shapes, guint32, w->place_of_shape[id]) = last;
    w->place_of_shape[last] = w->place_of_shape[id];
    g_array_set_size (w->pending_shapes, w->pending_shapes->len - 1);
  }
}

/* What the pod's own scheduler takes it for: with what its volumes attach. */
static const VcShape *
shape_in_sums (SimWorld *w, const SimPod *p)
{
  SimRole *role = &w->role[p->role];
  guint back = w->at;

  if (role->shape->spec.n_volumes == 0)
    return role->shape;
  sim_view_enter (w, sim_view_of_role (w, role));
  guint32 task = sim_view_task (w, (guint32) (p - w->pod));
  const VcShape *shape = task != VC_NONE ? w->cluster->task[task].shape : role->shape;

  sim_view_enter (w, back);
  return shape;
}

/* Put a pod into every counter that its state belongs to, or take it out. */
static void
count_pod (SimWorld *w, SimPod *p, int sign)
{
  guint32 by = (guint32) sign; /* modulo 2^32: -1 subtracts */
  SimRole *role = &w->role[p->role];
  SimJob *j = &w->job[p->job];

  if (sign > 0)
    p->sum_shape = shape_in_sums (w, p);
  const VcRes *request = p->sum_shape->request;

  sim_job_touched (w, p->job);
  if (w->quotas != NULL)
    sim_quota_count (w, p, sign);
  bump (&role->live, p, by);
  bump (&j->live, p, by);
  bump (&w->pods, p, by);
  if (p->deleting)
    return;
  if (p->phase == SIM_POD_RUNNING) {
    add_request (w->running, request, sign);
    if (!sim_role_is_foreign (role))
      add_request (w->queue[j->queue].running, request, sign);
  } else if (p->phase == SIM_POD_PENDING) {
    add_request (w->requested, request, sign);
    if (p->node == SIM_NONE) {
      count_shape (w, role->shape->id, by);
      j->unbound += by;
      waiting_changed (w, j);
    }
  }
}

/* A job that has run waits again when its gang is not whole any more: pods that are gone or going, not those that have ended by themselves. */
static void
watch_gang (SimWorld *w, const SimPod *p)
{
  const SimJob *j = &w->job[p->job];

  if (!j->started || !j->exists || j->deleted || (j->phase != SIM_JOB_PENDING && j->phase != SIM_JOB_RUNNING && j->phase != SIM_JOB_RESTARTING))
    return;
  if ((gint64) j->live.running + j->live.succeeded + j->live.failed >= j->min_available || j->replicas == 0)
    sim_ledger_end (w, p->job);
  else
    sim_ledger_wait (w, p->job, p->evicted_by_scheduler ? "evicted" : "restart");
}

/* The node counts the request of a pod that is bound to it and has not finished. */
static void
book (SimWorld *w, SimPod *p, gboolean on)
{
  SimNode *n = &w->node[p->node];

  if (p->booked == (on != 0))
    return;
  p->booked = on != 0;
  if (n->used == NULL)
    n->used = g_new0 (double, w->n_res);
  add_request (n->used, w->role[p->role].shape->request, on ? 1 : -1);
}

const char *
sim_pod_overflow (const SimWorld *w, guint32 pod)
{
  const SimPod *p = &w->pod[pod];
  const SimNode *n = &w->node[p->node];
  const VcShape *s = w->role[p->role].shape;

  if (n->room == NULL)
    return NULL;
  for (guint64 left = s->dims; left != 0; left &= left - 1) {
    guint d = (guint) __builtin_ctzll (left);
    gboolean known = d < VC_RES_FIRST_SCALAR || (n->room->has >> d & 1) != 0; /* a kubelet knows nothing of others */

    if (known && s->request->v[d] > 0 && n->used[d] > n->room->v[d] + 1e-6)
      return vc_res_names_get (w->cluster->names, d);
  }
  return NULL;
}

void
sim_pod_set (SimWorld *w, guint32 pod, SimPodPhase phase, gboolean deleting)
{
  SimPod *p = &w->pod[pod];

  count_pod (w, p, -1);
  if (p->node != SIM_NONE && (phase == SIM_POD_SUCCEEDED || phase == SIM_POD_FAILED))
    book (w, p, FALSE);
  p->phase = (guint8) phase;
  p->deleting = deleting != 0;
  count_pod (w, p, 1);
  sim_budgets_look (w, pod);
  watch_gang (w, p);
}

void
sim_pod_place (SimWorld *w, guint32 pod, guint32 node)
{
  SimPod *p = &w->pod[pod];
  SimNode *n = &w->node[node];

  count_pod (w, p, -1);
  p->node = node;
  count_pod (w, p, 1);
  p->prev_on_node = SIM_NONE;
  p->next_on_node = n->first_pod;
  if (n->first_pod != SIM_NONE)
    w->pod[n->first_pod].prev_on_node = pod;
  n->first_pod = pod;
  book (w, p, TRUE);
  sim_shard_controller_note (w, node);
  sim_storage_pod_placed (w, pod);
}

static void
leave_node (SimWorld *w, SimPod *p)
{
  if (p->node == SIM_NONE)
    return;
  book (w, p, FALSE);
  if (!p->stays)
    sim_shard_controller_note (w, p->node);
  if (p->prev_on_node != SIM_NONE)
    w->pod[p->prev_on_node].next_on_node = p->next_on_node;
  else
    w->node[p->node].first_pod = p->next_on_node;
  if (p->next_on_node != SIM_NONE)
    w->pod[p->next_on_node].prev_on_node = p->prev_on_node;
}

/* ---- pods ----------------------------------------------------------------------------------- */

static guint32
new_pod (SimWorld *w)
{
  guint32 row = w->free_pod;

  if (row != SIM_NONE) {
    w->free_pod = w->pod[row].next_on_node;
  } else {
    if (w->n_pods == w->cap_pods) {
      w->cap_pods = MAX (w->cap_pods * 2, 256);
      w->pod = g_renew (SimPod, w->pod, w->cap_pods);
    }
    row = w->n_pods++;
    w->pod[row].stamp = 0;
  }
  guint32 stamp = w->pod[row].stamp;

  w->pod[row] = (SimPod){ .stamp = stamp + 1,
                          .live = TRUE,
                          .node = SIM_NONE,
                          .task = VC_NONE,
                          .next_on_node = SIM_NONE,
                          .prev_on_node = SIM_NONE,
                          .evict_at = SIM_NEVER,
                          .counted_from = SIM_NO_TIME,
                          .created = w->now,
                          .assumed = SIM_NO_TIME,
                          .bound = SIM_NO_TIME,
                          .running = SIM_NO_TIME,
                          .evicted = SIM_NO_TIME,
                          .finished = SIM_NO_TIME };
  return row;
}

/* Pods of an indexed batch Job: a place for each index, then another one for each in its second life, and so on. */
static guint32
indices_of (const SimJob *j)
{
  return j->kube != NULL && j->kube->work->indexed ? (guint32) MAX (j->kube->work->completions, 1) : G_MAXUINT32;
}

void
sim_pod_create (SimWorld *w, guint32 role, guint32 place)
{
  guint32 row = new_pod (w);
  SimPod *p = &w->pod[row];
  SimRole *r = &w->role[role];
  SimJob *j = &w->job[r->job];
  SimSlot *slot = &r->slot[place];
  guint32 n = indices_of (j);

  p->uid = w->next_uid++;
  w->pods_made++;
  p->job = r->job;
  p->role = role;
  p->place = place;
  p->index = place % n;
  p->attempt = slot->attempts++ + place / n;
  p->number = j->kube != NULL ? j->kube->made++ : place;
  p->version = j->version;
  slot->pod = row;
  r->objects++;
  j->n_objects++;
  j->last_uid = p->uid;
  count_pod (w, p, 1);
  sim_record_pod_event (w, row, "created", "");
  sim_pod_tell (w, row);
  if (r->shape->spec.n_volumes > 0) {
    sim_storage_pod_made (w, row);
    count_pod (w, p, -1);
    count_pod (w, p, 1);
  }
}

void
sim_pod_account (SimWorld *w, guint32 pod, gboolean succeeded)
{
  SimPod *p = &w->pod[pod];
  SimJob *j = &w->job[p->job];

  if (p->counted_from == SIM_NO_TIME)
    return;
  const VcRes *request = p->sum_shape->request;
  double seconds = (double) (w->now - p->counted_from) / (double) SIM_SECOND;
  double wasted = succeeded ? (double) (p->lost_work - p->lost_counted) / (double) SIM_SECOND : seconds - (double) p->kept / (double) SIM_SECOND;

  p->counted_from = SIM_NO_TIME;
  for (guint d = 0; d < w->n_res; d++) {
    j->used[d] += request->v[d] * seconds;
    j->wasted[d] += request->v[d] * wasted;
  }
  p->kept = 0;
  p->lost_counted = p->lost_work;
}

void
sim_pod_remove (SimWorld *w, guint32 pod, const char *outcome)
{
  SimPod *p = &w->pod[pod];
  SimRole *r = &w->role[p->role];
  SimJob *j = &w->job[p->job];

  j->lost_work += p->lost_work;
  sim_record_pod (w, pod, outcome);
  sim_storage_pod_gone (w, pod, p->stays);
  sim_claims_leave (w, pod);
  sim_budgets_leave (w, pod);
  sim_watch_pod_removed (w, pod);
  count_pod (w, p, -1);
  if (p->phase == SIM_POD_PENDING || p->phase == SIM_POD_RUNNING)
    r->restarts -= p->restarts + p->init_restarts;
  leave_node (w, p);
  r->objects--;
  j->n_objects--;
  if (r->slot != NULL)
    r->slot[p->place].pod = SIM_NONE;
  p->live = FALSE;
  w->pods_removed++;
  p->stamp++;
  p->next_on_node = w->free_pod;
  w->free_pod = pod;
  sim_job_vanish (w, p->job);
}

static int
by_uid (gconstpointer a, gconstpointer b, gpointer user)
{
  const SimPod *pod = user;
  guint64 l = pod[*(const guint32 *) a].uid, r = pod[*(const guint32 *) b].uid;

  return l < r ? -1 : l > r;
}

void
sim_pods_sort (const SimWorld *w, GArray *rows)
{
  g_array_sort_with_data (rows, by_uid, w->pod);
}

void
sim_job_pods (SimWorld *w, guint32 job)
{
  const SimJob *j = &w->job[job];

  g_array_set_size (w->rows, 0);
  if (j->n_objects == 0)
    return;
  for (guint32 k = 0; k < j->n_roles; k++) {
    const SimRole *r = &w->role[j->first_role + k];

    for (guint32 i = 0; i < r->n_slots; i++)
      if (sim_role_pod (r, i) != SIM_NONE)
        g_array_append_val (w->rows, r->slot[i].pod);
  }
  sim_pods_sort (w, w->rows);
}

/* ---- jobs ----------------------------------------------------------------------------------- */

void
sim_role_grow (SimRole *r, guint32 n)
{
  if (r->slot != NULL && n <= r->n_slots)
    return;
  r->slot = g_renew (SimSlot, r->slot, MAX (n, 1));
  for (guint32 i = r->n_slots; i < n; i++)
    r->slot[i] = (SimSlot){ SIM_NONE, 0, 0 };
  r->n_slots = n;
}

void
sim_job_begin (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];

  sim_job_touched (w, job);
  j->submitted = TRUE;
  j->exists = TRUE;
  if (j->active_place == SIM_NONE)
    j->active_place = list_job (w->active, job);
  for (guint32 k = 0; k < j->n_roles; k++)
    sim_role_grow (&w->role[j->first_role + k], w->role[j->first_role + k].replicas);
  j->used = g_new0 (double, 2 * w->n_res);
  j->wasted = j->used + w->n_res;
  w->jobs_waiting++;
  w->queue[j->queue].waiting_jobs++;
  sim_ledger_wait (w, job, "cycle");
}

void
sim_job_started (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];

  if (j->started)
    return;
  sim_ledger_end (w, job);
  j->started = TRUE;
  j->gang_start = w->now;
  sim_placement_gang_started (w, job);
  w->jobs_waiting--;
  w->jobs_running++;
  w->queue[j->queue].waiting_jobs--;
  w->queue[j->queue].running_jobs++;
}

void
sim_job_finished (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];
  SimQueue *q = &w->queue[j->queue];

  sim_ledger_end (w, job);
  if (j->started) {
    w->jobs_running--;
    q->running_jobs--;
  } else {
    w->jobs_waiting--;
    q->waiting_jobs--;
  }
  w->jobs_finished++;
}

void
sim_job_resumed (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];
  SimQueue *q = &w->queue[j->queue];

  if (j->started) {
    w->jobs_running++;
    q->running_jobs++;
  } else {
    w->jobs_waiting++;
    q->waiting_jobs++;
  }
  w->jobs_finished--;
}

void
sim_job_vanish (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];

  if (!j->lingers || j->n_objects > 0)
    return;
  j->lingers = FALSE;
  sim_makers_bury (w, job);
}

void
sim_job_settle (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];

  if (j->settled || j->n_requests > 0 || (j->exists && !sim_job_phase_is_final (j->phase)) || j->has_pg ||
      j->live.pending + j->live.running + j->live.terminating > 0)
    return;
  sim_job_pods (w, job);
  for (guint i = 0; i < w->rows->len; i++) {
    w->pod[g_array_index (w->rows, guint32, i)].stays = j->exists;
    sim_pod_remove (w, g_array_index (w->rows, guint32, i), NULL);
  }
  for (guint32 k = 0; k < j->n_roles; k++) {
    g_clear_pointer (&w->role[j->first_role + k].slot, g_free);
    w->role[j->first_role + k].n_slots = 0;
  }
  sim_job_touched (w, job);
  j->settled = TRUE;
  if (j->active_place != SIM_NONE) {
    w->job[unlist_job (w->active, j->active_place)].active_place = j->active_place;
    j->active_place = SIM_NONE;
  }
  sim_world_flush_jobs (w, FALSE);
}
