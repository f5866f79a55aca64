/* sim/world.c - pods and jobs: their objects, their counters, their end. */
#include "world.h"
#include "binder.h"
#include "chain.h"
#include "images.h"
#include "cluster-objects.h"
#include "record.h"
#include <string.h>

SimWorld *
sim_world_new (VcCache *cache, const SimWorldOptions *options, const SimModel *model)
{
  SimWorld *w = g_new0 (SimWorld, 1);

  w->options = *options;
  w->model = model;
  w->cache = cache;
  w->cluster = vc_cache_cluster (cache);
  w->n_res = w->cluster->n_res;
  w->events = sim_event_queue_new ();
  w->arena = vc_arena_new ();
  w->behaviours = g_ptr_array_new_with_free_func ((GDestroyNotify) wl_behaviour_unref);
  w->text = g_string_chunk_new (1 << 14);
  w->binder = sim_binder_new ();
  w->free_pod = w->free_delayed = SIM_NONE;
  w->annotations = g_array_new (FALSE, FALSE, sizeof (VcPair));
  w->labels = g_array_new (FALSE, FALSE, sizeof (VcPair));
  w->partition = g_string_new (NULL);
  w->held = g_array_new (FALSE, FALSE, sizeof (SimRequest));
  w->running = g_new0 (double, w->n_res);
  w->requested = g_new0 (double, w->n_res);
  w->waiting = g_array_new (FALSE, FALSE, sizeof (guint32));
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
  for (guint32 i = 0; i < w->n_jobs; i++)
    g_free (w->job[i].used);
  for (guint32 i = 0; i < w->n_roles; i++)
    g_free (w->role[i].slot);
  for (guint32 i = 0; i < w->n_queues; i++)
    g_free (w->queue[i].running);
  sim_event_queue_free (w->events);
  sim_images_free (w->images);
  vc_cache_free (w->cache);
  g_free (w->job);
  g_free (w->role);
  g_free (w->node);
  g_free (w->queue);
  g_free (w->change);
  g_free (w->queue_change);
  g_free (w->pod);
  g_free (w->node_of_row);
  g_free (w->request);
  g_free (w->command);
  g_free (w->usage_node);
  wl_node_usage_free (w->usage);
  wl_objects_free (w->objects);
  g_ptr_array_unref (w->behaviours);
  g_array_unref (w->held);
  g_array_unref (w->annotations);
  g_array_unref (w->labels);
  g_string_free (w->partition, TRUE);
  sim_objects_free (w);
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

static void
waiting_changed (SimWorld *w, SimJob *j)
{
  if (j->unbound > 0 && j->wait_place == SIM_NONE) {
    guint32 row = (guint32) (j - w->job);

    j->wait_place = w->waiting->len;
    g_array_append_val (w->waiting, row);
  } else if (j->unbound == 0 && j->wait_place != SIM_NONE) {
    guint32 last = g_array_index (w->waiting, guint32, w->waiting->len - 1);

    g_array_index (w->waiting, guint32, j->wait_place) = last;
    w->job[last].wait_place = j->wait_place;
    g_array_set_size (w->waiting, w->waiting->len - 1);
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

/* Put a pod into every counter that its state belongs to, or take it out. */
static void
count_pod (SimWorld *w, const SimPod *p, int sign)
{
  guint32 by = (guint32) sign; /* modulo 2^32: -1 subtracts */
  SimRole *role = &w->role[p->role];
  SimJob *j = &w->job[p->job];
  const VcRes *request = role->shape->request;

  if (w->quotas != NULL)
    sim_quota_count (w, p, sign);
  bump (&role->live, p, by);
  bump (&j->live, p, by);
  bump (&w->pods, p, by);
  if (p->deleting)
    return;
  if (p->phase == SIM_POD_RUNNING) {
    add_request (w->running, request, sign);
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

void
sim_pod_set (SimWorld *w, guint32 pod, SimPodPhase phase, gboolean deleting)
{
  SimPod *p = &w->pod[pod];

  count_pod (w, p, -1);
  p->phase = (guint8) phase;
  p->deleting = deleting != 0;
  count_pod (w, p, 1);
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
}

static void
leave_node (SimWorld *w, SimPod *p)
{
  if (p->node == SIM_NONE)
    return;
  if (p->prev_on_node != SIM_NONE)
    w->pod[p->prev_on_node].next_on_node = p->next_on_node;
  else
    w->node[p->node].first_pod = p->next_on_node;
  if (p->next_on_node != SIM_NONE)
    w->pod[p->next_on_node].prev_on_node = p->prev_on_node;
}

/* ---- pods ----------------------------------------------------------------------------------- */

static void
append_number (GString *s, guint64 v, guint width)
{
  char digit[20];
  guint n = 0;

  do
    digit[n++] = (char) ('0' + v % 10);
  while ((v /= 10) > 0);
  while (n < width)
    digit[n++] = '0';
  while (n > 0)
    g_string_append_c (s, digit[--n]);
}

const char *
sim_pod_name (SimWorld *w, guint32 pod)
{
  const SimPod *p = &w->pod[pod];

  g_string_assign (w->name, w->job[p->job].name);
  g_string_append_c (w->name, '-');
  g_string_append (w->name, w->role[p->role].name);
  g_string_append_c (w->name, '-');
  append_number (w->name, p->index, 1);
  return w->name->str;
}

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
                          .created = w->now,
                          .assumed = SIM_NO_TIME,
                          .bound = SIM_NO_TIME,
                          .running = SIM_NO_TIME,
                          .evicted = SIM_NO_TIME,
                          .finished = SIM_NO_TIME };
  return row;
}

static void
put_pair (GArray *pairs, const char *key, const char *value)
{
  VcPair pair = { key, value };
  guint at = pairs->len;

  while (at > 0 && strcmp (g_array_index (pairs, VcPair, at - 1).key, key) > 0)
    at--;
  if (at > 0 && strcmp (g_array_index (pairs, VcPair, at - 1).key, key) == 0)
    g_array_index (pairs, VcPair, at - 1) = pair;
  else
    g_array_insert_val (pairs, at, pair);
}

static void
copy_pair (GArray *to, const VcPairs *from, const char *key)
{
  const char *value = vc_pairs_get (from, key);

  if (value != NULL)
    put_pair (to, key, value);
}

static void
put_pairs (GArray *to, const VcPairs *from)
{
  if (from->n > 0)
    g_array_append_vals (to, from->item, from->n);
}

/* Labels and annotations of a pod, in w->annotations and w->labels, where objects may look at them; @annotation is what every pod gets. */
static void
dress_pod (SimWorld *w, const SimPod *p, const VcPair *annotation, guint n, const char *index)
{
  static const char *const from_annotations[] = { "volcano.sh/preemptable", "volcano.sh/cooldown-time", "volcano.sh/revocable-zone" };
  static const char *const from_labels[] = { "volcano.sh/preemptable", "volcano.sh/cooldown-time" };
  const SimJob *j = &w->job[p->job];
  const SimRole *role = &w->role[p->role];
  static const VcPairs nothing = { NULL, 0 };
  const VcPairs *job_notes = j->spec != NULL ? &j->spec->annotations : &nothing, *job_labels = j->spec != NULL ? &j->spec->labels : &nothing;
  guint32 partition = sim_role_partition (role, p->index);

  g_array_set_size (w->annotations, 0);
  g_array_set_size (w->labels, 0);
  if (role->spec != NULL) {
    put_pairs (w->annotations, &role->spec->annotations);
    put_pairs (w->labels, &role->spec->labels);
  }
  for (guint i = 0; i < n; i++)
    put_pair (w->annotations, annotation[i].key, annotation[i].value);
  put_pair (w->annotations, "volcano.sh/queue-name", w->queue[j->queue].name);
  for (guint i = 0; i < G_N_ELEMENTS (from_annotations); i++)
    copy_pair (w->annotations, job_notes, from_annotations[i]);
  copy_pair (w->annotations, job_notes,
             vc_pairs_get (job_notes, "volcano.sh/jdb-min-available") != NULL ? "volcano.sh/jdb-min-available"
                                                                                          : "volcano.sh/jdb-max-unavailable");
  put_pair (w->labels, "volcano.sh/job-name", j->name);
  put_pair (w->labels, "volcano.sh/job-namespace", j->ns);
  put_pair (w->labels, "volcano.sh/queue-name", w->queue[j->queue].name);
  put_pair (w->labels, "volcano.sh/task-index", index);
  put_pair (w->labels, "volcano.sh/task-spec", role->name);
  for (guint i = 0; i < G_N_ELEMENTS (from_labels); i++)
    copy_pair (w->labels, job_labels, from_labels[i]);
  if (j->preemptable >= 0)
    put_pair (w->labels, "volcano.sh/preemptable", j->preemptable ? "true" : "false");
  if (partition != SIM_NONE) {
    g_string_printf (w->partition, "%u", partition);
    put_pair (w->labels, "volcano.sh/partition-id", w->partition->str);
  }
}

/* What the job controller gives a pod besides its template (05 §4.11), for the keys that somebody reads. */
static void
tell_scheduler (SimWorld *w, guint32 pod)
{
  SimPod *p = &w->pod[pod];
  const SimJob *j = &w->job[p->job];
  const SimRole *role = &w->role[p->role];
  char uid[24], index[12];
  VcPair annotation[6], label[1];
  guint n = 0;

  g_string_assign (w->index_text, "");
  append_number (w->index_text, p->uid, 16);
  memcpy (uid, w->index_text->str, 17);
  g_string_assign (w->index_text, "");
  append_number (w->index_text, p->index, 1);
  g_strlcpy (index, w->index_text->str, sizeof index);
  const char *name = sim_pod_name (w, pod);
  g_string_truncate (w->index_text, 0);
  g_string_append_len (w->index_text, name, (gssize) (w->name->len - strlen (index) - 1)); /* <job>-<role> */
  g_string_assign (w->group_name, j->name);
  g_string_append_c (w->group_name, '-');
  append_number (w->group_name, p->job, 8);
  annotation[n++] = (VcPair){ "scheduling.k8s.io/group-name", w->group_name->str };
  annotation[n++] = (VcPair){ "volcano.sh/job-name", j->name };
  if (j->preemptable >= 0)
    annotation[n++] = (VcPair){ "volcano.sh/preemptable", j->preemptable ? "true" : "false" };
  annotation[n++] = (VcPair){ "volcano.sh/task-index", index };
  annotation[n++] = (VcPair){ "volcano.sh/task-spec", role->name };
  annotation[n++] = (VcPair){ "volcano.sh/template-uid", w->index_text->str };
  label[0] = (VcPair){ "volcano.sh/preemptable", j->preemptable == 1 ? "true" : "false" };
  VcPodObject o = {
    .ns = j->ns,
    .name = name,
    .uid = uid,
    .annotations = { annotation, n },
    .labels = { label, j->preemptable >= 0 ? 1u : 0u },
    .created = sim_world_second (w),
    .phase = VC_POD_PENDING,
    .scheduler_name = w->scheduler_name,
    .start_time = VC_NO_TIME,
    .scheduled_time = VC_NO_TIME,
    .spec = role->shape->spec,
  };
  o.spec.priority_class = j->priority_class;
  o.spec.has_priority = TRUE;
  o.spec.priority = j->priority;
  if (role->spec != NULL || w->objects != NULL) {
    dress_pod (w, p, annotation, n, index);
    o.annotations = (VcPairs){ (const VcPair *) (gpointer) w->annotations->data, w->annotations->len };
    o.labels = (VcPairs){ (const VcPair *) (gpointer) w->labels->data, w->labels->len };
  }
  if (role->spec != NULL) {
    o.scheduler_name = role->spec->scheduler;
    if (role->spec->priority_class != NULL) {
      o.spec.priority_class = role->spec->priority_class;
      o.spec.priority = role->spec->priority;
    }
  }
  sim_chain_about (w, p->job);
  p->task = vc_cache_add_pod_of_shape (w->cache, &o, role->shape);
  if (p->task != VC_NONE)
    w->cluster->task[p->task].user = pod;
  sim_chain_about (w, SIM_NONE);
}

void
sim_pod_create (SimWorld *w, guint32 role, guint32 index)
{
  guint32 row = new_pod (w);
  SimPod *p = &w->pod[row];
  SimRole *r = &w->role[role];
  SimJob *j = &w->job[r->job];
  SimSlot *slot = &r->slot[index];

  p->uid = w->next_uid++;
  p->job = r->job;
  p->role = role;
  p->index = index;
  p->attempt = slot->attempts++;
  p->version = j->version;
  slot->pod = row;
  r->objects++;
  j->n_objects++;
  j->last_uid = p->uid;
  count_pod (w, p, 1);
  tell_scheduler (w, row);
}

void
sim_pod_account (SimWorld *w, guint32 pod, gboolean succeeded)
{
  SimPod *p = &w->pod[pod];
  SimJob *j = &w->job[p->job];

  if (p->running == SIM_NO_TIME || p->accounted)
    return;
  p->accounted = TRUE;
  const VcRes *request = w->role[p->role].shape->request;
  double seconds = (double) (w->now - p->running) / (double) SIM_SECOND;

  for (guint d = 0; d < w->n_res; d++) {
    j->used[d] += request->v[d] * seconds;
    if (!succeeded)
      j->wasted[d] += request->v[d] * seconds;
  }
}

void
sim_pod_remove (SimWorld *w, guint32 pod, const char *outcome)
{
  SimPod *p = &w->pod[pod];
  SimRole *r = &w->role[p->role];
  SimJob *j = &w->job[p->job];

  sim_record_pod (w, pod, outcome);
  if (p->task != VC_NONE)
    vc_cache_remove_pod (w->cache, p->task);
  count_pod (w, p, -1);
  if (p->phase == SIM_POD_PENDING || p->phase == SIM_POD_RUNNING)
    r->restarts -= p->restarts;
  leave_node (w, p);
  r->objects--;
  j->n_objects--;
  if (r->slot != NULL)
    r->slot[p->index].pod = SIM_NONE;
  p->live = FALSE;
  p->stamp++;
  p->next_on_node = w->free_pod;
  w->free_pod = pod;
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
    r->slot[i] = (SimSlot){ SIM_NONE, 0 };
  r->n_slots = n;
}

void
sim_job_begin (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];

  j->submitted = TRUE;
  j->exists = TRUE;
  for (guint32 k = 0; k < j->n_roles; k++)
    sim_role_grow (&w->role[j->first_role + k], w->role[j->first_role + k].replicas);
  j->used = g_new0 (double, 2 * w->n_res);
  j->wasted = j->used + w->n_res;
  w->jobs_waiting++;
  w->queue[j->queue].waiting_jobs++;
}

void
sim_job_started (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];

  if (j->started)
    return;
  j->started = TRUE;
  j->gang_start = w->now;
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
sim_job_settle (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];

  if (j->settled || j->n_requests > 0 || (j->exists && !sim_job_phase_is_final (j->phase)) || j->has_pg ||
      j->live.pending + j->live.running + j->live.terminating > 0)
    return;
  sim_job_pods (w, job);
  for (guint i = 0; i < w->rows->len; i++)
    sim_pod_remove (w, g_array_index (w->rows, guint32, i), NULL);
  for (guint32 k = 0; k < j->n_roles; k++) {
    g_clear_pointer (&w->role[j->first_role + k].slot, g_free);
    w->role[j->first_role + k].n_slots = 0;
  }
  j->settled = TRUE;
  sim_world_flush_jobs (w, FALSE);
}
