/* sim/scheduler/binder.c - mirrors the bind path of pkg/scheduler/cache/cache.go behind AddBindTask. */
#include "binder.h"
#include "core/model/volumes.h"
#include "sim/controllers/job-requests.h"
#include "sim/record/chain.h"
#include "sim/record/record.h"
#include "sim/record/watch.h"
#include "sim/world/bucket.h"
#include "sim/world/chance.h"
#include "sim/world/claims.h"
#include "sim/world/faults.h"
#include "sim/world/kubelet.h"
#include "sim/world/machines.h"
#include "sim/world/storage.h"
#include "sim/world/taints.h"
#include "sim/world/views.h"

/* The limiter of errTasks: each item doubles its own wait, and all share a bucket. */
#define RESYNC_FIRST (5 * SIM_SECOND / 1000)
#define RESYNC_LONGEST (1000 * SIM_SECOND)
#define RESYNC_QPS 100
#define RESYNC_BURST 1000

typedef enum { FLIGHT_FREE, FLIGHT_VOLUMES /* waits for volumes */, FLIGHT_WAITS /* for its turn in the batch */, FLIGHT_CALLED, FLIGHT_FAILED /* its batch does not know yet */, FLIGHT_RESYNC } FlightState;

/* A bind that is under way. */
typedef struct {
  guint64 pod_uid;      /* the row may belong to another pod by the time of the answer */
  guint32 pod, node;    /* rows of the world */
  guint32 first, next;  /* of its batch; next also chains the free rows */
  guint32 stamp;        /* events with another one are dead */
  guint32 resyncs;      /* that have failed */
  SimTime sent, done;   /* of its call; done also of its wait for volumes */
  guint64 volumes;      /* bits of those that it waits for */
  guint8 state;         /* FlightState */
  guint8 view;          /* of the scheduler that binds */
  gboolean fails, orphan /* its process is gone */, prepared /* PreBind has begun */;
  gboolean stuck;       /* before its call: PreBind of its claims on devices has failed */
} Flight;

struct SimBinder {
  GArray *batch;          /* VcBind: what came out of the channel */
  GArray *posts;          /* guint32: flights whose call has begun, to be posted by pod UID */
  GHashTable *failures;   /* "ns/pod" → how many of its next binds fail; for look-ups only */
  GArray *flight;         /* Flight */
  guint32 free_flight;
  SimBucket *calls, *resyncs; guint n_buckets; /* by view: each scheduler has a client of its own */
  SimTime patience;       /* of a bind that waits for volumes; -1: not known yet */
  gboolean waits;         /* do binds wait for them at all? */
};

SimBinder *
sim_binder_new (void)
{
  SimBinder *b = g_new0 (SimBinder, 1);

  b->batch = g_array_new (FALSE, FALSE, sizeof (VcBind));
  b->posts = g_array_new (FALSE, FALSE, sizeof (guint32));
  b->failures = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  b->flight = g_array_new (FALSE, TRUE, sizeof (Flight));
  b->free_flight = SIM_NONE;
  b->patience = -1;
  return b;
}

void
sim_binder_free (SimBinder *b)
{
  if (b == NULL)
    return;
  g_array_unref (b->batch);
  g_array_unref (b->posts);
  g_array_unref (b->flight);
  g_free (b->calls);
  g_free (b->resyncs);
  g_hash_table_unref (b->failures);
  g_free (b);
}

void
sim_binder_fail (SimBinder *b, const char *ns_pod, guint n)
{
  g_hash_table_insert (b->failures, g_strdup (ns_pod), GUINT_TO_POINTER (n));
}

/* One of @buckets in the view that is entered. */
static SimBucket *
bucket_of (SimWorld *w, SimBucket **buckets)
{
  SimBinder *b = w->binder;

  if (b->n_buckets < w->n_views) {
    b->calls = g_renew (SimBucket, b->calls, w->n_views);
    b->resyncs = g_renew (SimBucket, b->resyncs, w->n_views);
    for (; b->n_buckets < w->n_views; b->n_buckets++)
      b->calls[b->n_buckets] = b->resyncs[b->n_buckets] = (SimBucket){ 0 };
  }
  return &(*buckets)[w->at];
}

/* Does the API server refuse this bind, by the list that the run was given? */
static gboolean
is_listed (SimWorld *w, guint32 pod)
{
  SimBinder *b = w->binder;

  if (g_hash_table_size (b->failures) == 0)
    return FALSE;
  g_autofree char *key = g_strconcat (w->job[w->pod[pod].job].ns, "/", sim_pod_name (w, pod), NULL);
  guint32 left = GPOINTER_TO_UINT (g_hash_table_lookup (b->failures, key));

  if (left == 0)
    return FALSE;
  sim_binder_fail (b, key, left - 1);
  return TRUE;
}

/* ---- flights -------------------------------------------------------------------------------- */

static inline Flight *
flight_at (SimWorld *w, guint32 row)
{
  return &g_array_index (w->binder->flight, Flight, row);
}

static guint32
new_flight (SimWorld *w, guint32 pod, guint32 node)
{
  SimBinder *b = w->binder;
  guint32 row = b->free_flight;

  if (row != SIM_NONE) {
    b->free_flight = flight_at (w, row)->next;
  } else {
    row = b->flight->len;
    g_array_set_size (b->flight, row + 1);
  }
  Flight *f = flight_at (w, row);

  *f = (Flight){ .pod_uid = w->pod[pod].uid, .pod = pod, .node = node, .first = row, .next = SIM_NONE, .stamp = f->stamp + 1, .state = FLIGHT_WAITS, .view = (guint8) w->at };
  return row;
}

static void
free_flight (SimWorld *w, guint32 row)
{
  Flight *f = flight_at (w, row);

  f->stamp++;
  f->state = FLIGHT_FREE;
  f->next = w->binder->free_flight;
  w->binder->free_flight = row;
}

/* Is the pod still the one that is being bound? */
static gboolean
is_wanted (const SimWorld *w, const Flight *f)
{
  return w->pod[f->pod].live && w->pod[f->pod].uid == f->pod_uid;
}

static void
post (SimWorld *w, guint32 row, SimTime time)
{
  sim_event_queue_post (w->events, time, SIM_RANK_POD, SIM_EVENT_POD_BIND, row, flight_at (w, row)->stamp);
}

/* ---- outcomes ------------------------------------------------------------------------------- */

/* The API server has the pod's binding now: nodeName is written. */
static void
arrive (SimWorld *w, guint32 pod, guint32 node)
{
  SimPod *p = &w->pod[pod];
  SimJob *j = &w->job[p->job];

  p->bound = w->now;
  sim_pod_place (w, pod, node);
  if (j->first_bind == SIM_NO_TIME)
    j->first_bind = w->now;
  sim_record_pod_event (w, pod, "bound", w->node[node].name);
  sim_step (w, p->job, "binder", "DefaultBinder.Bind", "pod %s to node %s: nodeName written %.6g s after its creation", sim_pod_name (w, pod),
            w->node[node].name, (double) (w->now - p->created) / (double) SIM_SECOND);
  sim_watch_pod_bound (w, pod, node);
  sim_jobs_pod_updated (w, pod);
  if (!w->node[node].present) {
    sim_node_lose_pod (w, pod); /* the machine went while the bind was under way */
    return;
  }
  sim_pod_accept (w, pod);
  sim_taints_meet (w, pod);
}

/* processResyncTask: the pod is read again, so its task is Pending before the next cycle. FALSE: the API server did not answer. */
static gboolean
resync_task (SimWorld *w, guint32 row)
{
  Flight *f = flight_at (w, row);
  guint32 pod = f->pod;

  if (is_wanted (w, f) && w->pod[pod].node == SIM_NONE) {
    if (sim_pod_happens (w, pod, w->model->resync_error, "resync-error", w->pod[pod].binds << 16 | f->resyncs)) {
      SimTime own = MIN (RESYNC_FIRST << MIN (f->resyncs, 30), RESYNC_LONGEST);
      SimTime shared = sim_bucket_take (bucket_of (w, &w->binder->resyncs), w->now, RESYNC_QPS, RESYNC_BURST);

      f->resyncs++;
      f->state = FLIGHT_RESYNC;
      post (w, row, MAX (w->now + own, shared));
      sim_record_pod_event (w, pod, "resync-failed", "");
      sim_step (w, w->pod[pod].job, "binder", "resyncTask", "pod %s: cannot be read, tried again later", sim_pod_name (w, pod));
      return FALSE;
    }
    sim_step (w, w->pod[pod].job, "binder", "resyncTask", "pod %s: PodScheduled=False; SchedulerError; read again as Pending", sim_pod_name (w, pod));
    vc_cache_pod_status (w->cache, sim_view_task (w, pod), VC_PENDING);
  }
  free_flight (w, row);
  return TRUE;
}

/* The scheduler hears that a bind has failed: the pod's condition PodScheduled says SchedulerError, and the task is queued to be resynced. */
static void
bind_failed (SimWorld *w, guint32 row, const char *function)
{
  const Flight *f = flight_at (w, row);
  guint32 pod = f->pod;
  gboolean wanted = is_wanted (w, f);

  if (wanted) {
    sim_step (w, w->pod[pod].job, "binder", f->stuck ? "executePreBind" : function, "pod %s to node %s: error", sim_pod_name (w, pod), w->node[f->node].name);
    sim_record_pod_event (w, pod, "bind-failed", w->node[f->node].name);
    if (!f->stuck) {
      vc_cache_unbind_resource_claims (w->cache, sim_view_task (w, pod));
      sim_claims_unbound (w, pod);
    }
  }
  resync_task (w, row);
  if (wanted)
    sim_jobs_pod_updated (w, pod);
}

/* ---- calls ---------------------------------------------------------------------------------- */

/* DefaultBinder.Bind for one task: the call goes out as soon as the client has a token for it. */
static void
call (SimWorld *w, guint32 row)
{
  const SimModel *m = w->model;
  Flight *f = flight_at (w, row);
  SimTime sent = w->now;

  if (m->bind_qps > 0)
    sent = sim_bucket_take (bucket_of (w, &w->binder->calls), w->now, m->bind_qps, m->bind_burst > 0 ? (double) m->bind_burst : MAX (m->bind_qps, 1));
  f->state = FLIGHT_CALLED;
  f->sent = sent;
  f->done = sim_time_after (sent, is_wanted (w, f) ? sim_pod_draw (w, f->pod, &m->bind_latency, "bind-latency", w->pod[f->pod].binds) : 0);
}

/* Bind, behind the calls of the whole batch: what failed is resynced. */
static void
end_batch (SimWorld *w, guint32 row)
{
  while (row != SIM_NONE) {
    guint32 next = flight_at (w, row)->next;

    if (flight_at (w, row)->state == FLIGHT_FAILED)
      bind_failed (w, row, "DefaultBinder.Bind");
    else
      free_flight (w, row);
    row = next;
  }
}

/* ---- PreBind: volumes ----------------------------------------------------------------------- */

static gboolean
has_claims (const SimWorld *w, const Flight *f)
{
  return w->binder->waits && is_wanted (w, f) && w->role[w->pod[f->pod].role].shape->spec.n_volumes > 0;
}

static void
prepare (SimWorld *w, Flight *f)
{
  if (f->prepared || !has_claims (w, f))
    return;
  f->prepared = TRUE;
  f->volumes = sim_storage_prebind (w, f->pod);
  f->done = w->now + w->binder->patience;
  if (f->volumes != 0)
    sim_step (w, w->pod[f->pod].job, "binder", "executePreBind", "pod %s waits for its volumes", sim_pod_name (w, f->pod));
}

/* executePreBinds, one after the other from @row on. TRUE: there is none left to wait for. */
static gboolean
pre_bind (SimWorld *w, guint32 row)
{
  for (; row != SIM_NONE; row = flight_at (w, row)->next) {
    Flight *f = flight_at (w, row);

    prepare (w, f);
    if (f->volumes == 0)
      continue;
    f->state = FLIGHT_VOLUMES;
    post (w, row, MIN (w->now + SIM_SECOND, f->done));
    return FALSE;
  }
  return TRUE;
}

/* A flight leaves its batch; the first one that stays, SIM_NONE. */
static guint32
leave_batch (SimWorld *w, guint32 row)
{
  guint32 first = flight_at (w, row)->first, next = flight_at (w, row)->next;

  for (guint32 i = first; i != SIM_NONE; i = flight_at (w, i)->next) {
    if (flight_at (w, i)->next == row)
      flight_at (w, i)->next = next;
    if (first == row)
      flight_at (w, i)->first = next;
  }
  return first == row ? next : first;
}

/* A look at the volumes that a bind waits for. FALSE: nothing has changed. */
static gboolean
look_at_volumes (SimWorld *w, guint32 row)
{
  Flight *f = flight_at (w, row);
  guint32 first = f->first, next = f->next;
  SimVolumesState state = !is_wanted (w, f) || w->now >= f->done ? SIM_VOLUMES_FAILED : sim_storage_check (w, f->pod, f->node, f->volumes);

  if (state == SIM_VOLUMES_WAIT) {
    post (w, row, MIN (w->now + SIM_SECOND, f->done));
    return FALSE;
  }
  f->volumes = 0;
  f->state = FLIGHT_WAITS;
  if (state == SIM_VOLUMES_FAILED) {
    first = leave_batch (w, row);
    bind_failed (w, row, "executePreBind");
  }
  if (pre_bind (w, next) && first != SIM_NONE) {
    call (w, first);
    post (w, first, flight_at (w, first)->done);
  }
  return TRUE;
}

/* ---- answers -------------------------------------------------------------------------------- */

static gboolean
answered (SimWorld *w, guint32 row)
{
  Flight *f = flight_at (w, row);
  guint32 first = f->first, next = f->next;
  gboolean wanted = is_wanted (w, f);

  if (wanted && !f->fails) {
    f->fails = w->pod[f->pod].node != SIM_NONE; /* a call of a process that is gone came first: a conflict */
    if (!f->fails)
      arrive (w, f->pod, f->node);
  }
  f = flight_at (w, row);
  f->state = f->fails && !f->orphan ? FLIGHT_FAILED : FLIGHT_FREE;
  if (next == SIM_NONE) {
    end_batch (w, first);
    return wanted;
  }
  call (w, next);
  post (w, next, flight_at (w, next)->done);
  return wanted;
}

void
sim_binder_abandon (SimWorld *w)
{
  for (guint32 row = 0; row < w->binder->flight->len; row++) {
    Flight *f = flight_at (w, row);

    if (f->state == FLIGHT_FREE || f->view != w->at)
      continue;
    if (is_wanted (w, f) && !f->orphan && w->pod[f->pod].node == SIM_NONE) {
      sim_record_pod_event (w, f->pod, "bind-abandoned", f->state == FLIGHT_CALLED && f->sent <= w->now ? "under way" : "not sent");
      vc_cache_pod_status (w->cache, sim_view_task (w, f->pod), VC_PENDING);
    }
    if (f->state == FLIGHT_CALLED && (f->orphan || f->sent <= w->now)) {
      f->orphan = TRUE;
      f->first = row;
      f->next = SIM_NONE;
    } else {
      free_flight (w, row);
    }
  }
  *bucket_of (w, &w->binder->calls) = *bucket_of (w, &w->binder->resyncs) = (SimBucket){ 0 }; /* another client, with full buckets */
  w->binder->patience = -1;
  if (w->cluster->volumes != NULL)
    vc_volumes_drop_assumptions (w->cluster->volumes);
}

static gboolean
go_on (SimWorld *w, const SimEvent *ev)
{
  const Flight *f = flight_at (w, ev->subject);

  if (f->state == FLIGHT_VOLUMES)
    return look_at_volumes (w, ev->subject);
  if (f->state == FLIGHT_CALLED)
    return answered (w, ev->subject);
  return resync_task (w, ev->subject);
}

gboolean
sim_binder_event (SimWorld *w, const SimEvent *ev)
{
  const Flight *f = flight_at (w, ev->subject);
  guint back = w->at;

  if (f->stamp != ev->stamp)
    return FALSE;
  sim_view_enter (w, f->view);
  gboolean wanted = go_on (w, ev);

  sim_view_enter (w, back);
  return wanted;
}

/* ---- what a cycle hands over ---------------------------------------------------------------- */

static int
flight_by_uid (gconstpointer a, gconstpointer b, gpointer user)
{
  const Flight *flight = user;
  guint64 l = flight[*(const guint32 *) a].pod_uid, r = flight[*(const guint32 *) b].pod_uid;

  return l < r ? -1 : l > r;
}

/* Calls that take no time, by the pods' UIDs. */
static void
bind_at_once (SimWorld *w, GArray *rows)
{
  g_array_sort_with_data (rows, flight_by_uid, w->binder->flight->data);
  for (guint i = 0; i < rows->len; i++) {
    guint32 row = g_array_index (rows, guint32, i);
    const Flight *f = flight_at (w, row);

    if (f->fails) {
      bind_failed (w, row, "DefaultBinder.Bind");
    } else {
      arrive (w, f->pod, f->node);
      free_flight (w, row);
    }
  }
}

/* BindTask: one goroutine for each batch. */
static void
begin_batches (SimWorld *w, GArray *rows)
{
  GArray *posts = w->binder->posts;
  guint size = (guint) MIN (w->model->bind_batch, (gint64) MAX (rows->len, 1));

  g_array_set_size (posts, 0);
  for (guint i = 0; i < rows->len; i++) {
    guint32 row = g_array_index (rows, guint32, i), first = g_array_index (rows, guint32, i - i % size);

    flight_at (w, row)->first = first;
    if (i % size > 0)
      flight_at (w, g_array_index (rows, guint32, i - 1))->next = row;
  }
  for (guint i = 0; i < rows->len; i += size) {
    guint32 row = g_array_index (rows, guint32, i);

    if (!pre_bind (w, row))
      continue;
    call (w, row);
    g_array_append_val (posts, row);
  }
  g_array_sort_with_data (posts, flight_by_uid, w->binder->flight->data);
  for (guint i = 0; i < posts->len; i++) {
    guint32 row = g_array_index (posts, guint32, i);

    post (w, row, flight_at (w, row)->done);
  }
}

/* A task out of the channel. SIM_NONE: its pod is gone, and the cache hears of that with the answer. */
static guint32
take (SimWorld *w, const VcBind *b, gboolean *refused)
{
  guint32 pod = sim_pod_of_task (w, b->task);

  if (pod == SIM_NONE) {
    vc_cache_unbind_resource_claims (w->cache, b->task);
    vc_cache_remove_pod (w->cache, b->task);
    return SIM_NONE;
  }
  guint32 row = new_flight (w, pod, sim_view_world_node (w, b->node));
  SimPod *p = &w->pod[pod];

  p->assumed = w->now;
  sim_step (w, p->job, "binder", "processBindTask", "pod %s out of BindFlowChannel", sim_pod_name (w, pod));
  flight_at (w, row)->stuck = !vc_cache_bind_resource_claims (w->cache, b->task, sim_world_second (w));
  sim_claims_bound (w, pod);
  *refused = flight_at (w, row)->stuck || is_listed (w, pod);
  flight_at (w, row)->fails = *refused || sim_pod_happens (w, pod, sim_faults_bind_error (w), "bind-error", p->binds);
  p->binds++;
  return row;
}

/* Is there a pod with claims in the channel? Its batch waits with it. */
static gboolean
some_wait (const SimWorld *w, const GArray *channel)
{
  for (guint i = 0; w->binder->waits && i < channel->len; i++)
    if (w->cluster->task[g_array_index (channel, VcBind, i).task].shape->spec.n_volumes > 0)
      return TRUE;
  return FALSE;
}

guint32
sim_binder_process (SimWorld *w, gint64 patience)
{
  SimBinder *b = w->binder;
  GArray *channel = vc_cache_binds (w->cache), *batch = b->batch;
  g_autoptr (GArray) slow = g_array_sized_new (FALSE, FALSE, sizeof (guint32), channel->len);
  g_autoptr (GArray) quick = g_array_sized_new (FALSE, FALSE, sizeof (guint32), channel->len);
  const WlDistribution *latency = &w->model->bind_latency;
  gboolean takes_time = w->model->bind_qps > 0 || !wl_distribution_is_constant (latency) || latency->a > 0;
  guint32 failing = 0;

  b->waits = patience >= 0;
  if (b->patience < 0 && b->waits)
    b->patience = patience * SIM_SECOND; /* what the plugin was made with holds as long as the scheduler runs */
  takes_time |= w->model->bind_batch > 1 && some_wait (w, channel);
  g_array_set_size (batch, 0);
  g_array_append_vals (batch, channel->data, channel->len);
  g_array_set_size (channel, 0);
  for (guint i = 0; i < batch->len; i++) {
    gboolean refused;
    guint32 row = take (w, &g_array_index (batch, VcBind, i), &refused);

    if (row == SIM_NONE) {
      failing++;
      continue;
    }
    Flight *f = flight_at (w, row);

    failing += f->fails;
    if (w->model->bind_batch == 1)
      prepare (w, f);
    if ((takes_time && !refused) || f->volumes != 0) {
      sim_record_pod_event (w, f->pod, "binding", w->node[f->node].name);
      g_array_append_val (slow, row);
    } else { /* what is on the list is refused at once */
      g_array_append_val (quick, row);
    }
  }
  bind_at_once (w, quick);
  begin_batches (w, slow);
  return failing;
}
