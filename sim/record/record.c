/* sim/record/record.c - rows of the results. Nothing here changes the world. */
#include "record.h"
#include "placement.h"
#include "sim/controllers/kinds.h"
#include "sim/world/views.h"
#include <string.h>

typedef struct {
  guint32 binds, evictions, pending, running, releasing, pg_pending, pg_inqueue, pg_running, pg_unknown;
  guint32 pipelined, discarded, jobs_considered, enqueued, jobs_waiting, jobs_running, jobs_finished, nodes;
} Counts;

typedef struct {
  gboolean published, overused;
  guint32 pending_jobs, running_jobs, pg_pending, pg_inqueue, pg_running, pg_unknown, pg_completed;
  double share, weight;
} QueueFigures;

/* What a row says, beside its counts. */
typedef struct {
  double *vector;        /* cluster, then each queue */
  QueueFigures *figures; /* [n_queues] */
  GPtrArray *reason;     /* const char *, interned in the world */
  GArray *reason_pods;
} Row;

/* The row before, of one scheduler. */
typedef struct {
  gboolean any;
  Counts counts;
  Row row;
  SimTime e2e, time;
} Before;

struct SimRecord {
  SimWorld *w;
  RpResults *results;
  SimTime sample, last_row;
  guint64 binds;
  guint n_vectors;      /* doubles of a row */
  Before *before;       /* [n_views] */
  Row fresh;            /* the one that is being made */
  double *idle, *fragmented, *least;
  SimRacks *racks;      /* NULL: there are no HyperNodes */
  SimPools *pools;
  double *pod;          /* [2][n_res] what a job asks for */
};

enum { CAPACITY, ALLOCATED, REQUESTED, N_CLUSTER };
enum { Q_ALLOCATED, Q_DESERVED, Q_REQUEST, Q_INQUEUE, N_QUEUE };

static void
row_init (Row *row, const SimRecord *r)
{
  *row = (Row){ .vector = g_new0 (double, r->n_vectors),
                .figures = g_new0 (QueueFigures, MAX (r->w->n_queues, 1)),
                .reason = g_ptr_array_new (),
                .reason_pods = g_array_new (FALSE, FALSE, sizeof (guint32)) };
}

static void
row_clear (Row *row)
{
  g_free (row->vector);
  g_free (row->figures);
  g_ptr_array_unref (row->reason);
  g_array_unref (row->reason_pods);
}

SimRecord *
sim_record_new (SimWorld *w, RpResults *results, SimTime sample)
{
  SimRecord *r = g_new0 (SimRecord, 1);

  r->w = w;
  r->results = results;
  r->sample = sample;
  r->n_vectors = (N_CLUSTER + N_QUEUE * w->n_queues) * w->n_res;
  r->before = g_new0 (Before, w->n_views);
  for (guint v = 0; v < w->n_views; v++)
    row_init (&r->before[v].row, r);
  row_init (&r->fresh, r);
  r->idle = g_new0 (double, w->n_res);
  r->fragmented = g_new0 (double, w->n_res);
  r->least = g_new0 (double, w->n_res);
  r->racks = sim_racks_possible (w) ? sim_racks_new (w, results) : NULL;
  r->pools = sim_pools_new ();
  r->pod = g_new0 (double, 2 * w->n_res);
  w->record = r;
  for (guint32 i = 0; i < w->n_queues; i++)
    sim_record_quota (w, i);
  return r;
}

void
sim_record_free (SimRecord *r)
{
  if (r == NULL)
    return;
  r->w->record = NULL;
  for (guint v = 0; v < r->w->n_views; v++)
    row_clear (&r->before[v].row);
  g_free (r->before);
  row_clear (&r->fresh);
  g_free (r->idle);
  g_free (r->fragmented);
  g_free (r->least);
  sim_racks_free (r->racks);
  g_free (r->pod);
  sim_pools_free (r->pools);
  g_free (r);
}

SimPools *
sim_record_pools (const SimRecord *r)
{
  return r->pools;
}

RpResults *
sim_record_results (const SimRecord *r)
{
  return r->results;
}

guint64
sim_record_binds (const SimRecord *r)
{
  return r->binds;
}

SimTime
sim_record_last_row (const SimRecord *r)
{
  return r->last_row;
}

/* ---- objects -------------------------------------------------------------------------------- */

void
sim_record_event (SimWorld *w, const char *kind, const char *ns, const char *name, const char *event, const char *detail)
{
  RpEvent e = { w->now, kind, ns, name, event, detail };

  rp_results_event (w->record->results, &e);
}

void
sim_record_pod_event (SimWorld *w, guint32 pod, const char *event, const char *detail)
{
  sim_record_event (w, "Pod", w->job[w->pod[pod].job].ns, sim_pod_name (w, pod), event, detail);
}

static const char *const pod_phase_names[] = { "Pending", "Running", "Succeeded", "Failed" };

void
sim_record_pod (SimWorld *w, guint32 pod, const char *outcome)
{
  const SimPod *p = &w->pod[pod];
  const SimJob *j = &w->job[p->job];
  const SimRole *role = &w->role[p->role];
  gboolean ended = p->phase == SIM_POD_SUCCEEDED || p->phase == SIM_POD_FAILED;

  if (ended)
    outcome = pod_phase_names[p->phase];
  else if (outcome == NULL)
    outcome = p->evicted_by_scheduler ? "Evicted" : "Deleted";
  RpTask t = { .ns = j->ns,
               .job = j->name,
               .task = role->name,
               .index = role->first_index + p->index,
               .attempt = p->attempt,
               .pod = sim_pod_name (w, pod),
               .node = p->node != SIM_NONE ? w->node[p->node].name : "",
               .created = p->created,
               .assumed = p->assumed,
               .bound = p->bound,
               .running = p->running,
               .evicted = p->evicted,
               .finished = p->finished,
               .outcome = outcome,
               .lost = p->lost_work,
               .scheduler = sim_role_scheduler (w, role) };

  rp_results_task (w->record->results, &t);
}

static const char *
last_reason (const SimJob *j)
{
  if (j->reason != NULL)
    return j->reason;
  return j->waited ? "not admitted by enqueue" : "";
}

void
sim_record_job (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];
  const char *phase = j->rejected  ? "Rejected"
                      : j->deleted && !sim_job_phase_is_final ((SimJobPhase) j->phase) ? "Deleted"
                                                                                       : sim_job_phase_names[j->phase];
  RpJob row = { .ns = j->ns,
                .job = j->name,
                .queue = w->queue[j->queue].name,
                .submit = j->submit,
                .inqueue = j->inqueue,
                .first_bind = j->first_bind,
                .gang_start = j->gang_start,
                .finish = j->finish,
                .phase = phase,
                .podgroup = j->has_pg ? vc_pg_phase_names[MAX (j->pg_phase, VC_PG_PENDING)] : "",
                .evictions = j->evictions,
                .restarts = j->retry,
                .pods = j->replicas,
                .min_available = (guint32) j->min_available,
                .run = j->finish != SIM_NO_TIME && j->gang_start != SIM_NO_TIME ? j->finish - j->gang_start : RP_NONE,
                .used = j->used,
                .wasted = j->wasted,
                .reason = last_reason (j),
                .owner = j->owner_text,
                .lost = j->lost_work,
                .kind = sim_kind_of (j)->name,
                .scheduler = j->n_roles > 0 ? sim_role_scheduler (w, &w->role[j->first_role]) : "",
                .extra = j->extra,
                .has_deadline = j->deadline != SIM_NO_TIME,
                .to_come = j->submit > w->now,
                .deadline = j->deadline != SIM_NO_TIME ? sim_time_after (j->submit, j->deadline) : RP_NONE };

  if (j->spread != NULL) {
    row.hyper_node = j->spread->hyper_node;
    row.tier_name = j->spread->tier_name;
    row.tier = j->spread->tier;
    row.racks = j->spread->racks;
    row.topology_cost = j->spread->cost;
  }

  if (j->used == NULL) { /* never began */
    j->used = g_new0 (double, 2 * w->n_res);
    row.used = j->used;
    row.wasted = j->used + w->n_res;
  }
  sim_record_asks (w, job, &row, w->record->pod, w->record->pod + w->n_res);
  rp_results_job (w->record->results, &row);
  g_clear_pointer (&j->used, g_free);
  g_clear_pointer (&j->spread, g_free);
  j->wasted = NULL;
  j->written = TRUE;
}

void
sim_world_flush_jobs (SimWorld *w, gboolean all)
{
  while (w->next_written < w->n_jobs) {
    const SimJob *j = &w->job[w->next_written];

    if (!all && !(j->settled || j->rejected))
      break;
    sim_record_job (w, w->next_written++);
  }
}

static void
write_phase (SimWorld *w, const char *kind, const char *ns, const char *name, const char *phase, guint32 retry, guint32 version)
{
  RpPhase p = { w->now, kind, ns, name, phase, retry, version };

  rp_results_phase (w->record->results, &p);
}

void
sim_record_job_phase (SimWorld *w, guint32 job, const char *phase)
{
  static const char *const event[SIM_N_JOB_PHASES] = {
    [SIM_JOB_PENDING] = "pending", [SIM_JOB_RUNNING] = "running",         [SIM_JOB_RESTARTING] = "restarting",   [SIM_JOB_ABORTING] = "aborting",
    [SIM_JOB_ABORTED] = "aborted",         [SIM_JOB_COMPLETING] = "completing",   [SIM_JOB_COMPLETED] = "completed",
    [SIM_JOB_TERMINATING] = "terminating", [SIM_JOB_TERMINATED] = "terminated",   [SIM_JOB_FAILED] = "failed",
  };
  const SimJob *j = &w->job[job];

  if (j->kind == WL_KIND_POD_GROUP && phase == sim_job_phase_names[j->phase])
    return; /* the PodGroup's own phases tell */
  write_phase (w, j->kube == NULL ? "job" : sim_kind_of (j)->name, j->ns, j->name, phase, j->retry, j->version);
  if (phase == sim_job_phase_names[j->phase] && event[j->phase] != NULL)
    sim_record_event (w, sim_kind_of (j)->object, j->ns, j->name, event[j->phase], "");
}

void
sim_record_group_phase (SimWorld *w, guint32 job)
{
  static const char *const event[] = { "", "pending", "inqueue", "running", "unknown", "completed", "" };
  const SimJob *j = &w->job[job];

  write_phase (w, "podgroup", j->ns, j->name, vc_pg_phase_names[j->pg_phase], 0, 0);
  sim_record_event (w, "PodGroup", j->ns, j->name, event[j->pg_phase], "");
}

void
sim_record_phase (SimWorld *w, const char *kind, const char *ns, const char *name, const char *phase)
{
  write_phase (w, kind, ns, name, phase, 0, 0);
}

void
sim_record_queue_phase (SimWorld *w, guint32 queue, const char *state)
{
  sim_record_phase (w, "queue", "", w->queue[queue].name, state);
}

/* ---- cycles --------------------------------------------------------------------------------- */

static inline double *
cluster_vector (const SimRecord *r, double *v, guint what)
{
  return v + what * r->w->n_res;
}

static inline double *
queue_vector (const SimRecord *r, double *v, guint32 queue, guint what)
{
  return v + (N_CLUSTER + N_QUEUE * queue + what) * r->w->n_res;
}

/* What the last session of the job's own scheduler found; NULL: nothing. @text: what is to be said when there is no more. */
static const VcFit *
fit_of (SimWorld *w, guint32 job, const char **text)
{
  SimJob *j = &w->job[job];
  guint back = w->at;

  sim_view_enter (w, sim_view_of_job (w, job));
  guint32 group = j->has_pg ? sim_view_group (w, job) : VC_NONE;
  const VcFit *fit = group != VC_NONE && w->view[w->at].engine != NULL ? vc_engine_fits (w->view[w->at].engine, group) : NULL;

  *text = j->last_uid >= w->view[w->at].cycle_uid ? "new: no cycle has seen the pod" : "the last cycle did not get to the pod";
  if (fit == NULL && group != VC_NONE && w->view[w->at].engine != NULL
      && w->cluster->job[group].homeless_session == vc_engine_session (w->view[w->at].engine))
    j->reason = *text = g_string_chunk_insert_const (w->text, "no HyperNode of an allowed tier has room");
  sim_view_enter (w, back);
  return fit;
}

/* Pending pods by the first reason that the last session found: that of the first task of their job that found no node. */
static void
collect_reasons (SimRecord *r)
{
  SimWorld *w = r->w;
  GPtrArray *reason = r->fresh.reason;
  GArray *pods = r->fresh.reason_pods;

  g_ptr_array_set_size (reason, 0);
  g_array_set_size (pods, 0);
  for (guint i = 0; i < w->waiting->len; i++) {
    SimJob *j = &w->job[g_array_index (w->waiting, guint32, i)];
    const char *otherwise, *text = NULL;
    const VcFit *fit = fit_of (w, (guint32) (j - w->job), &otherwise);
    guint k = 0;

    while (fit != NULL && fit->next != NULL)
      fit = fit->next;
    if (fit != NULL && fit->n_reasons > 0)
      text = fit->reason[0].reason;
    text = g_string_chunk_insert_const (w->text, text != NULL ? text : otherwise);
    if (fit != NULL)
      j->reason = text;
    while (k < reason->len && reason->pdata[k] != text)
      k++;
    if (k == reason->len) { /* insert in the order of the texts */
      guint32 none = 0;

      for (k = 0; k < reason->len && strcmp (reason->pdata[k], text) < 0; k++)
        ;
      g_ptr_array_insert (reason, (gint) k, (gpointer) text);
      g_array_insert_val (pods, k, none);
    }
    g_array_index (pods, guint32, k) += j->unbound;
  }
}

static void
collect_queues (SimRecord *r, const VcEngine *engine)
{
  SimWorld *w = r->w;
  gsize bytes = w->n_res * sizeof (double);

  for (guint32 q = 0; q < w->n_queues; q++) {
    const SimQueue *queue = &w->queue[q];
    const VcQueueGauge *g = vc_engine_gauge (engine, queue->row);
    QueueFigures *f = &r->fresh.figures[q];

    memset (f, 0, sizeof *f); /* compared as bytes */
    f->pending_jobs = queue->waiting_jobs;
    f->running_jobs = queue->running_jobs;
    f->pg_pending = queue->groups_in[VC_PG_EMPTY] + queue->groups_in[VC_PG_PENDING];
    f->pg_inqueue = queue->groups_in[VC_PG_INQUEUE];
    f->pg_running = queue->groups_in[VC_PG_RUNNING];
    f->pg_unknown = queue->groups_in[VC_PG_UNKNOWN];
    f->pg_completed = queue->groups_in[VC_PG_COMPLETED];
    f->published = g != NULL && g->published;
    f->weight = queue->weight;
    memcpy (queue_vector (r, r->fresh.vector, q, Q_ALLOCATED), queue->running, bytes);
    if (!f->published) {
      memset (queue_vector (r, r->fresh.vector, q, Q_DESERVED), 0, 3 * bytes);
      continue;
    }
    f->share = g->share;
    f->overused = g->overused;
    memcpy (queue_vector (r, r->fresh.vector, q, Q_DESERVED), g->deserved->v, bytes);
    memcpy (queue_vector (r, r->fresh.vector, q, Q_REQUEST), g->request->v, bytes);
    memcpy (queue_vector (r, r->fresh.vector, q, Q_INQUEUE), g->inqueue->v, bytes);
  }
}

static gboolean
has_room (const VcNodes *n, guint32 node, const double *request, guint n_res)
{
  for (guint d = 0; d < n_res; d++)
    if (request[d] > n->idle[d][node])
      return FALSE;
  return TRUE;
}

/* Idle amounts on nodes that have no room for any pending pod, by amount alone. */
static void
measure_fragmentation (SimRecord *r)
{
  SimWorld *w = r->w;
  const VcNodes *n = &w->cluster->nodes;
  const guint32 *shape = (const guint32 *) (gpointer) w->pending_shapes->data;
  guint n_shapes = w->pending_shapes->len;

  memset (r->fragmented, 0, w->n_res * sizeof (double));
  if (n_shapes == 0)
    return;
  /* What every pending pod asks for at least: a node without that needs no closer look, and most full ones are such. */
  for (guint d = 0; d < w->n_res; d++)
    r->least[d] = G_MAXDOUBLE;
  for (guint s = 0; s < n_shapes; s++) {
    const VcRes *request = vc_shape_get (w->cluster->shapes, shape[s])->request;

    for (guint d = 0; d < w->n_res; d++)
      r->least[d] = MIN (r->least[d], request->v[d]);
  }
  for (guint32 i = 0; i < n->n_list; i++) {
    guint32 row = n->list[i];
    gboolean fits = has_room (n, row, r->least, w->n_res);

    if (fits && n_shapes > 1) {
      fits = FALSE;
      for (guint s = 0; s < n_shapes && !fits; s++)
        fits = has_room (n, row, vc_shape_get (w->cluster->shapes, shape[s])->request->v, w->n_res);
    }
    if (!fits)
      for (guint d = 0; d < w->n_res; d++)
        r->fragmented[d] += MAX (n->idle[d][row], 0);
  }
}

static void
write_queues (SimRecord *r, const Before *b, SimTime time)
{
  const SimWorld *w = r->w;

  for (guint32 q = 0; q < w->n_queues; q++) {
    const QueueFigures *f = &b->row.figures[q];

    if (w->queue[q].row == VC_NONE)
      continue; /* comes later */
    RpQueue row = { .time = time,
                    .queue = w->queue[q].name,
                    .scheduler = w->view[b - r->before].name,
                    .share = f->share,
                    .weight = f->weight,
                    .overused = f->overused,
                    .pending_jobs = f->pending_jobs,
                    .running_jobs = f->running_jobs,
                    .pg_pending = f->pg_pending,
                    .pg_inqueue = f->pg_inqueue,
                    .pg_running = f->pg_running,
                    .pg_unknown = f->pg_unknown,
                    .pg_completed = f->pg_completed,
                    .allocated = queue_vector (r, b->row.vector, q, Q_ALLOCATED) };

    if (f->published) {
      row.deserved = queue_vector (r, b->row.vector, q, Q_DESERVED);
      row.request = queue_vector (r, b->row.vector, q, Q_REQUEST);
      row.inqueue = queue_vector (r, b->row.vector, q, Q_INQUEUE);
    }
    rp_results_queue (r->results, &row);
  }
}

static void
write_row (SimRecord *r, Before *b, SimTime time)
{
  const Counts *c = &b->counts;
  const double *capacity = cluster_vector (r, b->row.vector, CAPACITY), *allocated = cluster_vector (r, b->row.vector, ALLOCATED);

  for (guint d = 0; d < r->w->n_res; d++)
    r->idle[d] = capacity[d] - allocated[d];
  RpCycle row = { .time = time,
                  .binds = c->binds,
                  .evictions = c->evictions,
                  .pending = c->pending,
                  .running = c->running,
                  .releasing = c->releasing,
                  .pg_pending = c->pg_pending,
                  .pg_inqueue = c->pg_inqueue,
                  .pg_running = c->pg_running,
                  .pg_unknown = c->pg_unknown,
                  .pipelined = c->pipelined,
                  .discarded = c->discarded,
                  .jobs_considered = c->jobs_considered,
                  .enqueued = c->enqueued,
                  .jobs_waiting = c->jobs_waiting,
                  .jobs_running = c->jobs_running,
                  .jobs_finished = c->jobs_finished,
                  .capacity = capacity,
                  .allocated = allocated,
                  .requested = cluster_vector (r, b->row.vector, REQUESTED),
                  .idle = r->idle,
                  .fragmented = r->fragmented,
                  .nodes = c->nodes,
                  .n_reasons = b->row.reason->len,
                  .reason = (const char *const *) b->row.reason->pdata,
                  .e2e = b->e2e,
                  .scheduler = r->w->view[b - r->before].name,
                  .reason_pods = (const guint32 *) (gpointer) b->row.reason_pods->data };

  rp_results_cycle (r->results, &row);
  write_queues (r, b, time);
  r->last_row = b->time = time;
}

static gboolean
same_reasons (const Row *a, const Row *b)
{
  if (a->reason->len != b->reason->len)
    return FALSE;
  return a->reason->len == 0 || (memcmp (a->reason->pdata, b->reason->pdata, a->reason->len * sizeof (gpointer)) == 0 &&
                                 memcmp (a->reason_pods->data, b->reason_pods->data, a->reason->len * sizeof (guint32)) == 0);
}

gboolean
sim_record_cycle (SimRecord *r, guint view, const VcCycleResult *result, SimTime e2e)
{
  SimWorld *w = r->w;
  Before *b = &r->before[view];
  gsize bytes = w->n_res * sizeof (double);
  Counts c = { .binds = result->binds,
               .evictions = result->evictions,
               .pending = w->pods.pending,
               .running = w->pods.running,
               .releasing = w->pods.terminating,
               .pg_pending = w->groups[VC_PG_EMPTY] + w->groups[VC_PG_PENDING],
               .pg_inqueue = w->groups[VC_PG_INQUEUE],
               .pg_running = w->groups[VC_PG_RUNNING],
               .pg_unknown = w->groups[VC_PG_UNKNOWN],
               .pipelined = result->pipelined,
               .discarded = result->discarded,
               .jobs_considered = result->jobs_considered,
               .enqueued = result->enqueued,
               .jobs_waiting = w->jobs_waiting,
               .jobs_running = w->jobs_running,
               .jobs_finished = w->jobs_finished,
               .nodes = w->nodes_present };

  memcpy (cluster_vector (r, r->fresh.vector, CAPACITY), vc_cluster_total (w->cluster)->v, bytes);
  memcpy (cluster_vector (r, r->fresh.vector, ALLOCATED), w->running, bytes);
  memcpy (cluster_vector (r, r->fresh.vector, REQUESTED), w->requested, bytes);
  collect_queues (r, w->view[view].engine);
  collect_reasons (r);
  r->binds += result->binds;
  b->e2e = e2e;
  gboolean differs = !b->any || result->binds + result->evictions > 0 || memcmp (&c, &b->counts, sizeof c) != 0 ||
                     memcmp (b->row.vector, r->fresh.vector, r->n_vectors * sizeof (double)) != 0 ||
                     memcmp (b->row.figures, r->fresh.figures, w->n_queues * sizeof (QueueFigures)) != 0 || !same_reasons (&b->row, &r->fresh);

  if (!differs) {
    if (r->sample > 0 && w->now - b->time >= r->sample)
      write_row (r, b, w->now);
    return FALSE;
  }
  b->any = TRUE;
  b->counts = c;
  Row old = b->row;

  b->row = r->fresh;
  r->fresh = old;
  measure_fragmentation (r);
  write_row (r, b, w->now);
  if (r->racks != NULL)
    sim_racks_write (r->racks);
  return TRUE;
}

SimTime
sim_record_sample_due (const SimRecord *r, guint view, SimTime first, SimTime step)
{
  SimTime due = r->sample > 0 ? sim_time_after (r->before[view].time, r->sample) : SIM_NEVER;

  if (due == SIM_NEVER || due <= first)
    return MAX (due, first);
  return first + (due - first + step - 1) / step * step;
}

void
sim_record_sample (SimRecord *r, guint view, SimTime at)
{
  write_row (r, &r->before[view], at);
}
