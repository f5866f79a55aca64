/* core/plugins/proportion.c - the cluster is split between queues by weight.
 *
 * Policy: max-min fairness by water-filling. Each round hands what remains to the queues that want more, in proportion to their weights;
 * a queue takes no more than it requests and its real capability allows, and no less than its guarantee.
 *   realCapability = total - all guarantees + own guarantee, bounded by capability
 *   deserved      += remaining * (weight / weights of the queues not met yet); then the bounds above
 *   met            = request <= deserved, or nothing changed in this round
 *   share          = max over resources of allocated / deserved
 * until nothing remains, nothing changes or every queue is met. It is computed once, when the session opens, in doubles in exactly this
 * order of operations, as the tests below compare without tolerance.
 *   order       = queue priority, then the smaller share
 *   overused    = deserved <= allocated in every resource
 *   allocatable = queue is Open, and allocated + request <= deserved in every resource asked for
 *   admission   = queue is Open, and min + allocated + inqueue - elastic <= realCapability in every resource asked for
 *   reclaimable = from a queue while its allocation is not <= deserved (tested before the victim is taken off)
 * No arguments.
 *
 * Example (total 16000m, 32Gi; `pods` left out): a has weight 1, requests 3000m/20Gi, allocated 1000m/4Gi; b 2, 12000m/6Gi, 6000m/6Gi; c 1,
 * 8000m/16Gi, capability 5000m/16Gi, 4000m/4Gi; d 1, requests nothing, guarantee 1000m/2Gi. Round 1 gives a 3000m/6.4Gi, b 6400m/6Gi,
 * c 3200m/6.4Gi, d 1000m/2Gi; 2400m/11.2Gi remain. After 29 rounds: a 3000m/12Gi, b 8000m/6Gi, c 4000m/12Gi, d 1000m/2Gi.
 *
 * Mirrors pkg/scheduler/plugins/proportion/proportion.go. */
#include "plugins.h"
#include "support.h"

/* vectors of a queue */
enum { DESERVED, ALLOCATED, REQUEST, INQUEUE, ELASTIC, CAPABILITY, REQUEST_GAUGE, INQUEUE_GAUGE, REST, N_VECTORS };

typedef struct {
  double share;
  gint32 weight;
  gboolean active;    /* has a job in this session */
  gboolean met;
  gboolean overused;  /* when somebody asked last in this session */
  guint64 known;      /* scalars that some gauge of the queue has named by now */
  guint64 known_allocated, known_request, known_inqueue, known_deserved; /* the same when that gauge was set last */
} QueueAttr;

typedef struct {
  QueueAttr *attr;    /* per queue */
  guint32 n_attr;
  VcVectors vec;
  VcMarks seen;       /* queues of the current list of candidates: REST is valid */
  VcMarks copied;     /* tasks whose PrePredicate has run in this session */
} Proportion;

static inline VcRes *
vec (const Proportion *pp, guint32 queue, guint which)
{
  return vc_vectors_at (&pp->vec, queue, which);
}

static void
update_share (Proportion *pp, guint32 q)
{
  const VcRes *deserved = vec (pp, q, DESERVED), *allocated = vec (pp, q, ALLOCATED);
  double best = 0;

  for (guint d = 0; d < deserved->n; d++)
    if (deserved->v[d] >= VC_RES_EPSILON) {
      double share = allocated->v[d] / deserved->v[d];

      if (share > best)
        best = share;
    }
  pp->attr[q].share = best;
}

/* ---- session open --------------------------------------------------------------------------- */

/* Capability and guarantee of a queue that has jobs. @unreserved: total less every guarantee. */
static void
open_queue (Proportion *pp, const VcCluster *c, guint32 q, const VcRes *unreserved)
{
  const VcQueue *queue = vc_queue (c, q);
  QueueAttr *attr = &pp->attr[q];
  VcRes *real = vec (pp, q, CAPABILITY);

  *attr = (QueueAttr) { .active = TRUE, .weight = queue->weight };
  for (guint w = 0; w < N_VECTORS; w++)
    if (w != CAPABILITY && w != REST)
      vc_res_clear (vec (pp, q, w));
  vc_res_copy (real, unreserved);
  vc_res_add (real, queue->guarantee);
  if (queue->has_capability) {
    VC_RES_LOCAL (limit, c->n_res);

    vc_res_copy (limit, queue->capability);
    for (guint d = 0; d < VC_RES_FIRST_SCALAR; d++)
      if (limit->v[d] <= 0)
        limit->v[d] = VC_RES_HUGE; /* not given: no limit */
    vc_res_min_dimension (real, limit, VC_ABSENT_INFINITY);
  }
}

/* @part is scratch. */
static void
add_inqueue (Proportion *pp, const VcCluster *c, guint32 q, const VcJob *j, VcRes *part)
{
  vc_job_inqueue_resource (j, part);
  vc_job_deduct_gated (j, c->names, part);
  vc_res_add (vec (pp, q, INQUEUE), part);
}

/* Jobs lie in memory as they came, and so do their vectors: fetch those of the next ones early. */
static inline void
fetch_ahead (const VcCluster *c, const guint32 *jobs, guint i, guint n)
{
  enum { JOBS = 8, VECTORS = 4 };

  if (i + JOBS < n) {
    const char *next = (const char *) vc_job (c, jobs[i + JOBS]);

    for (gsize at = 0; at < sizeof (VcJob); at += 64)
      __builtin_prefetch (next + at);
  }
  if (i + VECTORS < n) {
    const VcJob *j = vc_job (c, jobs[i + VECTORS]);

    __builtin_prefetch (j->allocated->v);
    __builtin_prefetch (j->pending->v);
    __builtin_prefetch (j->min_resources->v);
  }
}

/* The gauges name a scalar from the first figure of the queue that had it on; known_* keep what each named when it was set. */
static void
publish_usage (Proportion *pp, guint32 q)
{
  QueueAttr *attr = &pp->attr[q];

  vc_res_copy (vec (pp, q, REQUEST_GAUGE), vec (pp, q, REQUEST));
  vc_res_copy (vec (pp, q, INQUEUE_GAUGE), vec (pp, q, INQUEUE));
  attr->known_allocated = attr->known |= vec (pp, q, ALLOCATED)->has;
  attr->known_request = attr->known |= vec (pp, q, REQUEST)->has;
  attr->known_inqueue = attr->known |= vec (pp, q, INQUEUE)->has;
}

/* One queue's part of a round. The ratio first, then the product: exactly as upstream rounds. */
static void
fill_queue (Proportion *pp, VcCluster *c, guint32 q, const VcRes *remaining, gint32 weights, VcRes *increased, VcRes *decreased)
{
  QueueAttr *attr = &pp->attr[q];
  VcRes *deserved = vec (pp, q, DESERVED);
  VC_RES_LOCAL (before, c->n_res);
  VC_RES_LOCAL (part, c->n_res);
  VC_RES_LOCAL (up, c->n_res);
  VC_RES_LOCAL (down, c->n_res);

  vc_res_copy (before, deserved);
  vc_res_copy (part, remaining);
  vc_res_scale (part, (double) attr->weight / (double) weights);
  vc_res_add (deserved, part);
  vc_res_min_dimension (deserved, vec (pp, q, CAPABILITY), VC_ABSENT_INFINITY);
  vc_res_min_dimension (deserved, vec (pp, q, REQUEST), VC_ABSENT_ZERO);
  vc_res_max (deserved, vc_queue (c, q)->guarantee, part);
  vc_res_copy (deserved, part);
  update_share (pp, q);
  attr->met = vc_res_less_equal (vec (pp, q, REQUEST), deserved, VC_ABSENT_ZERO) || vc_res_same (deserved, before);
  vc_res_diff (deserved, before, VC_ABSENT_ZERO, up, down);
  vc_res_add (increased, up);
  vc_res_add (decreased, down);
  attr->known_deserved = attr->known |= deserved->has;
}

static void
fill (Proportion *pp, VcSession *ssn, const guint32 *queues, guint n)
{
  VcCluster *c = vc_session_cluster (ssn);
  VC_RES_LOCAL (remaining, c->n_res);
  VC_RES_LOCAL (sum, c->n_res);
  VC_RES_LOCAL (increased, c->n_res);
  VC_RES_LOCAL (decreased, c->n_res);
  guint rounds = 0;

  vc_res_copy (remaining, vc_session_total (ssn));
  for (;;) {
    guint32 weights = 0; /* unsigned, as the 32-bit sum wraps around upstream */

    for (guint i = 0; i < n; i++)
      if (pp->attr[queues[i]].active && !pp->attr[queues[i]].met)
        weights += (guint32) pp->attr[queues[i]].weight;
    if (weights == 0)
      break;
    rounds++;
    vc_res_clear (increased);
    vc_res_clear (decreased);
    for (guint i = 0; i < n; i++)
      if (pp->attr[queues[i]].active && !pp->attr[queues[i]].met)
        fill_queue (pp, c, queues[i], remaining, (gint32) weights, increased, decreased);
    vc_res_copy (sum, remaining);
    vc_res_add (sum, decreased);
    VC_RES_LOCAL (rest, c->n_res);
    vc_res_exceeded (sum, increased, rest);
    gboolean stuck = vc_res_same (rest, remaining);
    vc_res_copy (remaining, rest);
    if (stuck || vc_res_is_empty (remaining, c->names))
      break;
  }
  if (vc_session_logs (ssn, 4))
    vc_session_log (ssn, 4, "proportion: deserved of the queues after %u rounds", rounds);
}

/* ---- hooks ---------------------------------------------------------------------------------- */

static int
proportion_queue_order (gpointer self, VcSession *ssn, guint32 l, guint32 r)
{
  const Proportion *pp = self;
  const VcCluster *c = vc_session_cluster (ssn);
  gint32 lp = vc_queue (c, l)->priority, rp = vc_queue (c, r)->priority;
  double ls = pp->attr[l].share, rs = pp->attr[r].share;

  if (lp != rp)
    return (lp < rp) - (lp > rp);
  return (ls > rs) - (ls < rs);
}

static gboolean
proportion_overused (gpointer self, VcSession *ssn, guint32 q)
{
  Proportion *pp = self;
  QueueAttr *attr = &pp->attr[q];

  if (!attr->active) /* nobody asks: a queue without jobs has nothing to place */
    return FALSE;
  attr->overused = vc_res_less_equal (vec (pp, q, DESERVED), vec (pp, q, ALLOCATED), VC_ABSENT_ZERO);
  if (attr->overused && vc_session_logs (ssn, 3))
    vc_session_log (ssn, 3, "proportion: queue %s is overused, share %g", vc_queue (vc_session_cluster (ssn), q)->name, attr->share);
  return attr->overused;
}

/* allocated + @request <= deserved, strictly, in what @request asks for but `pods`. */
static gboolean
fits_deserved (const Proportion *pp, const VcCluster *c, guint32 q, const VcRes *request)
{
  VC_RES_LOCAL (future, c->n_res);

  if (!pp->attr[q].active)
    return FALSE;
  vc_res_copy (future, vec (pp, q, ALLOCATED));
  vc_res_add (future, request);
  return vc_res_less_equal_dimension (future, vec (pp, q, DESERVED), request, c->names, NULL);
}

static gboolean
proportion_allocatable (gpointer self, VcSession *ssn, guint32 q, guint32 task)
{
  const VcCluster *c = vc_session_cluster (ssn);

  return vc_queue_is_open (vc_queue (c, q)) && fits_deserved (self, c, q, vc_task (c, task)->shape->request);
}

static gboolean
proportion_preemptive (gpointer self, VcSession *ssn, guint32 q, const guint32 *tasks, guint n)
{
  const VcCluster *c = vc_session_cluster (ssn);
  VC_RES_LOCAL (request, c->n_res);

  if (!vc_queue_is_open (vc_queue (c, q)))
    return FALSE;
  for (guint i = 0; i < n; i++)
    vc_res_add (request, vc_task (c, tasks[i])->shape->request);
  return fits_deserved (self, c, q, request);
}

/* ---- dry runs of evictions: they start from a copy of the figures that PrePredicate makes. It is made right before each dry run, so the
 * live figures less what the run has taken away are the copy's. ---- */

static const char *
proportion_pre_predicate (gpointer self, VcSession *ssn, guint32 task)
{
  Proportion *pp = self;

  vc_marks_add (&pp->copied, task);
  return NULL;
}

/* Victims and what becomes of them are counted by the caller; here it only matters whether upstream would. */
static gboolean
proportion_simulate_change (gpointer self, VcSession *ssn, gpointer state, guint32 task, guint32 changed, guint32 node)
{
  const Proportion *pp = self;
  const VcCluster *c = vc_session_cluster (ssn);
  guint32 job = vc_task (c, changed)->job;

  return vc_marks_has (&pp->copied, task) && vc_session_has_job (ssn, job) && pp->attr[vc_job (c, job)->queue].active;
}

/* As allocatable, but the queue's state does not count. */
static gboolean
proportion_simulate_allocatable (gpointer self, VcSession *ssn, gpointer state, guint32 q, guint32 task)
{
  const Proportion *pp = self;
  const VcCluster *c = vc_session_cluster (ssn);
  const VcSimState *run = state;
  const VcRes *request = vc_task (c, task)->shape->request;
  VC_RES_LOCAL (future, c->n_res);

  if (!vc_marks_has (&pp->copied, task) || !pp->attr[q].active)
    return FALSE;
  vc_res_copy (future, vec (pp, q, ALLOCATED));
  vc_res_sub_unchecked (future, run->removed);
  vc_res_add (future, request);
  return vc_res_less_equal_dimension (future, vec (pp, q, DESERVED), request, c->names, NULL);
}

static VcVote
proportion_reclaimable (gpointer self, VcSession *ssn, guint32 evictor, const guint32 *candidates, guint n, guint32 *out, guint *n_out)
{
  Proportion *pp = self;
  const VcCluster *c = vc_session_cluster (ssn);
  guint kept = 0;

  vc_marks_begin (&pp->seen);
  for (guint i = 0; i < n; i++) {
    const VcTask *t = vc_task (c, candidates[i]);

    if (!vc_session_has_job (ssn, t->job))
      continue;
    guint32 q = vc_job (c, t->job)->queue;
    if (!pp->attr[q].active)
      continue;
    VcRes *rest = vec (pp, q, REST);
    if (vc_marks_add (&pp->seen, q))
      vc_res_copy (rest, vec (pp, q, ALLOCATED));
    if (!vc_res_less_equal (rest, vec (pp, q, DESERVED), VC_ABSENT_ZERO)) {
      vc_res_sub_unchecked (rest, t->shape->request);
      out[kept++] = candidates[i];
    }
  }
  *n_out = kept;
  return VC_PERMIT;
}

static void
log_rejection (VcSession *ssn, const VcCluster *c, const VcJob *j, guint64 lacking)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (; lacking != 0; lacking &= lacking - 1)
    g_string_append_printf (names, "%sinsufficient %s", names->len > 0 ? ", " : "",
                            vc_res_names_get (c->names, (guint) __builtin_ctzll (lacking)));
  vc_session_log (ssn, 3, "proportion: job %s stays out, queue resource quota insufficient: %s", j->key, names->str);
}

static VcVote
proportion_job_enqueueable (gpointer self, VcSession *ssn, guint32 job)
{
  const Proportion *pp = self;
  const VcCluster *c = vc_session_cluster (ssn);
  const VcJob *j = vc_job (c, job);
  guint32 q = j->queue;
  guint64 lacking;

  if (!vc_queue_is_open (vc_queue (c, q)))
    return VC_REJECT;
  if (!j->has_min_resources)
    return VC_PERMIT;
  VC_RES_LOCAL (sum, c->n_res);
  vc_res_copy (sum, j->min_resources);
  vc_res_add (sum, vec (pp, q, ALLOCATED));
  vc_res_add (sum, vec (pp, q, INQUEUE));
  vc_res_sub_unchecked (sum, vec (pp, q, ELASTIC));
  if (vc_res_less_equal_dimension (sum, vec (pp, q, CAPABILITY), j->min_resources, c->names, &lacking))
    return VC_PERMIT;
  if (vc_session_logs (ssn, 3))
    log_rejection (ssn, c, j, lacking);
  return VC_REJECT;
}

static void
proportion_job_enqueued (gpointer self, VcSession *ssn, guint32 job)
{
  const Proportion *pp = self;
  const VcCluster *c = vc_session_cluster (ssn);
  const VcJob *j = vc_job (c, job);

  if (!j->has_min_resources || !pp->attr[j->queue].active)
    return;
  VC_RES_LOCAL (min, c->n_res);
  vc_res_copy (min, j->min_resources);
  vc_job_deduct_gated (j, c->names, min);
  vc_res_add (vec (pp, j->queue, INQUEUE), min);
}

/* The queue of a task whose job is in the session and whose queue has figures, else VC_NONE. */
static guint32
queue_of (const Proportion *pp, VcSession *ssn, const VcTask *t)
{
  if (!vc_session_has_job (ssn, t->job))
    return VC_NONE;
  guint32 q = vc_job (vc_session_cluster (ssn), t->job)->queue;
  return pp->attr[q].active ? q : VC_NONE;
}

static void
task_moved (Proportion *pp, guint32 q)
{
  QueueAttr *attr = &pp->attr[q];

  attr->known_allocated = attr->known |= vec (pp, q, ALLOCATED)->has;
  update_share (pp, q);
}

static gboolean
proportion_allocated (gpointer self, VcSession *ssn, guint32 task)
{
  Proportion *pp = self;
  const VcTask *t = vc_task (vc_session_cluster (ssn), task);
  guint32 q = queue_of (pp, ssn, t);

  if (q != VC_NONE) {
    vc_res_add (vec (pp, q, ALLOCATED), t->shape->request);
    task_moved (pp, q);
  }
  return TRUE;
}

static void
proportion_deallocated (gpointer self, VcSession *ssn, guint32 task)
{
  Proportion *pp = self;
  const VcTask *t = vc_task (vc_session_cluster (ssn), task);
  guint32 q = queue_of (pp, ssn, t);

  if (q != VC_NONE) {
    vc_res_sub_unchecked (vec (pp, q, ALLOCATED), t->shape->request);
    task_moved (pp, q);
  }
}

static void
proportion_session_open (gpointer self, VcSession *ssn)
{
  Proportion *pp = self;
  const VcCluster *c = vc_session_cluster (ssn);
  guint n_queues, n_jobs;
  const guint32 *queues = vc_session_queues (ssn, &n_queues), *jobs = vc_session_jobs (ssn, &n_jobs);
  VC_RES_LOCAL (guaranteed, c->n_res);
  VC_RES_LOCAL (unreserved, c->n_res);
  VC_RES_LOCAL (part, c->n_res);

  if (c->n_queues > pp->n_attr) {
    pp->attr = g_renew (QueueAttr, pp->attr, c->n_queues);
    pp->n_attr = c->n_queues;
  }
  vc_vectors_reserve (&pp->vec, c->n_queues, N_VECTORS, c->n_res);
  vc_marks_reserve (&pp->seen, c->n_queues);
  vc_marks_reserve (&pp->copied, c->n_tasks);
  vc_marks_begin (&pp->copied);
  for (guint32 q = 0; q < c->n_queues; q++)
    pp->attr[q] = (QueueAttr) { 0 };
  for (guint i = 0; i < n_queues; i++)
    vc_res_add (guaranteed, vc_queue (c, queues[i])->guarantee);
  vc_res_exceeded (vc_session_total (ssn), guaranteed, unreserved);
  for (guint i = 0; i < n_jobs; i++) {
    const VcJob *j = vc_job (c, jobs[i]);

    fetch_ahead (c, jobs, i, n_jobs);
    if (!pp->attr[j->queue].active)
      open_queue (pp, c, j->queue, unreserved);
    vc_job_add_usage (j, vec (pp, j->queue, ALLOCATED), vec (pp, j->queue, REQUEST), vec (pp, j->queue, ELASTIC));
    if (j->has_min_resources
        && (j->phase == VC_PG_INQUEUE || (j->phase == VC_PG_RUNNING && (gint64) vc_job_allocated_num (j) >= j->min_available)))
      add_inqueue (pp, c, j->queue, j, part);
  }
  for (guint i = 0; i < n_queues; i++)
    if (pp->attr[queues[i]].active)
      publish_usage (pp, queues[i]);
  fill (pp, ssn, queues, n_queues);

  vc_session_add_compare (ssn, VC_HOOK_QUEUE_ORDER, proportion_queue_order);
  vc_session_add_victims_of (ssn, VC_HOOK_RECLAIMABLE, proportion_reclaimable, VC_READS_QUEUE);
  vc_session_add_overused (ssn, proportion_overused);
  vc_session_add_allocatable (ssn, proportion_allocatable);
  vc_session_add_pre_predicate (ssn, proportion_pre_predicate);
  vc_session_add_simulation (ssn, NULL, proportion_simulate_change, proportion_simulate_change, proportion_simulate_allocatable);
  vc_session_add_preemptive (ssn, proportion_preemptive);
  vc_session_add_job_vote (ssn, VC_HOOK_JOB_ENQUEUEABLE, proportion_job_enqueueable);
  vc_session_add_job_enqueued (ssn, proportion_job_enqueued);
  vc_session_add_handlers (ssn, proportion_allocated, proportion_deallocated);
}

/* ---- close: gauges -------------------------------------------------------------------------- */

static void
copy_gauge (VcRes *to, const VcRes *from, guint64 known)
{
  vc_res_copy (to, from);
  to->has |= known;
  to->map |= to->has != 0;
}

/* Figures change all through a session; what counts is how they stand at its end, so they are handed over once. */
static void
proportion_session_close (gpointer self, VcSession *ssn)
{
  const Proportion *pp = self;
  guint n;
  const guint32 *queues = vc_session_queues (ssn, &n);

  for (guint i = 0; i < n; i++) {
    guint32 q = queues[i];
    const QueueAttr *attr = &pp->attr[q];
    VcQueueGauge *gauge = vc_session_gauge (ssn, q);

    if (!attr->active) { /* its three figures were set to zero at open: after capacity's, when that plugin stands before this one */
      vc_res_clear (gauge->allocated);
      vc_res_clear (gauge->request);
      vc_res_clear (gauge->inqueue);
      continue;
    }
    gauge->published = TRUE;
    gauge->parts |= VC_GAUGE_SHARE;
    gauge->weight = attr->weight;
    gauge->share = attr->share;
    if (!(gauge->parts & VC_GAUGE_OVERUSED)) /* capacity says it later, whichever comes first in the configuration */
      gauge->overused = attr->overused;
    gauge->parts |= VC_GAUGE_OVERUSED;
    copy_gauge (gauge->allocated, vec (pp, q, ALLOCATED), attr->known_allocated);
    copy_gauge (gauge->request, vec (pp, q, REQUEST_GAUGE), attr->known_request);
    copy_gauge (gauge->inqueue, vec (pp, q, INQUEUE_GAUGE), attr->known_inqueue);
    copy_gauge (gauge->deserved, vec (pp, q, DESERVED), attr->known_deserved);
  }
}

static void
proportion_clear (gpointer self)
{
  Proportion *pp = self;

  vc_vectors_clear (&pp->vec);
  vc_marks_clear (&pp->seen);
  vc_marks_clear (&pp->copied);
  g_free (pp->attr);
}

const VcPluginClass vc_plugin_proportion = {
  .name = "proportion",
  .summary = VC_PROPORTION_SUMMARY,
  .instance_size = sizeof (Proportion),
  .session_open = proportion_session_open,
  .session_close = proportion_session_close,
  .clear = proportion_clear,
};
