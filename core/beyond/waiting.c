#include "waiting.h"
#include "beyond.h"

/* ---- order ----------------------------------------------------------------------------------- */

gboolean
vc_waiting_before (VcSession *ssn, const VcWaiting *l, const VcWaiting *r)
{
  int order = vc_session_job_compare (ssn, l->job, r->job);

  if (order != 0)
    return order < 0;
  if (l->submitted != r->submitted)
    return l->submitted < r->submitted;
  if (l->place != r->place)
    return l->place < r->place;
  return strcmp (ssn->cluster->job[l->job].key, ssn->cluster->job[r->job].key) < 0;
}

static void
sift_down (VcSession *ssn, VcWaiting *x, guint n, guint i)
{
  for (;;) {
    guint child = 2 * i + 1;

    if (child >= n)
      return;
    if (child + 1 < n && vc_waiting_before (ssn, &x[child + 1], &x[child]))
      child++;
    if (!vc_waiting_before (ssn, &x[child], &x[i]))
      return;
    VcWaiting swap = x[i];

    x[i] = x[child];
    x[child] = swap;
    i = child;
  }
}

static gboolean
waits (VcSession *ssn, guint32 job)
{
  const VcJob *j = &ssn->cluster->job[job];
  const char *reason, *message;

  if (vc_job_is_pending (j))
    return TRUE;
  return j->count[VC_PENDING] > 0 && vc_session_job_valid (ssn, job, &reason, &message);
}

GArray *
vc_waiting_new (VcSession *ssn)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (VcWaiting));

  for (guint i = 0; i < ssn->n_jobs; i++) {
    VcOutlook o;

    if (!waits (ssn, ssn->jobs[i]))
      continue;
    vc_session_outlook (ssn, ssn->jobs[i], &o);
    VcWaiting x = { ssn->jobs[i], o.place, o.submitted, o.walltime >= 0 ? o.walltime : G_MAXINT64 };

    g_array_append_val (all, x);
  }
  for (guint i = all->len / 2; i-- > 0;)
    sift_down (ssn, (VcWaiting *) (gpointer) all->data, all->len, i);
  return all;
}

gboolean
vc_waiting_pop (VcSession *ssn, GArray *waiting, VcWaiting *first)
{
  VcWaiting *x = (VcWaiting *) (gpointer) waiting->data;

  if (waiting->len == 0)
    return FALSE;
  *first = x[0];
  x[0] = x[waiting->len - 1];
  g_array_set_size (waiting, waiting->len - 1);
  sift_down (ssn, x, waiting->len, 0);
  return TRUE;
}

static int
by_order (gconstpointer l, gconstpointer r, gpointer ssn)
{
  return vc_waiting_before (ssn, l, r) ? -1 : vc_waiting_before (ssn, r, l);
}

void
vc_waiting_sort (VcSession *ssn, GArray *waiting)
{
  g_array_sort_with_data (waiting, by_order, ssn);
}

/* ---- sums ------------------------------------------------------------------------------------- */

const VcRes *
vc_waiting_need (VcSession *ssn, const VcWaiting *x)
{
  const VcJob *j = &ssn->cluster->job[x->job];

  return j->n_tasks > 0 ? j->pending : j->min_resources;
}

gboolean
vc_waiting_fits (const VcRes *need, const VcRes *free_sum)
{
  for (guint d = 0; d < need->n; d++)
    if (need->v[d] > 0 && !vc_le (need->v[d], free_sum->v[d]))
      return FALSE;
  return TRUE;
}

void
vc_waiting_free_sum (VcSession *ssn, VcRes *out)
{
  const VcNodes *nodes = &ssn->cluster->nodes;

  vc_res_clear (out);
  for (guint d = 0; d < out->n; d++) {
    double sum = 0;

    for (guint32 i = 0; i < nodes->n_list; i++)
      sum += MAX (nodes->idle[d][nodes->list[i]], 0);
    vc_res_set (out, d, sum);
  }
}

/* ---- starting --------------------------------------------------------------------------------- */

gboolean
vc_waiting_admit (VcSession *ssn, const VcWaiting *x)
{
  VcJob *j = &ssn->cluster->job[x->job];

  if (!vc_job_is_pending (j))
    return FALSE;
  vc_session_job_enqueued (ssn, x->job);
  j->phase = VC_PG_INQUEUE;
  ssn->result.enqueued++;
  vc_step (ssn->cluster, "x-admit", x->job, VC_NONE, "PodGroup %s may enter", j->key);
  return j->count[VC_PENDING] == 0;
}

double
vc_beyond_devices (VcSession *ssn, guint32 job, const char *resource)
{
  const VcJob *j = &ssn->cluster->job[job];
  int dim = vc_res_names_find (ssn->cluster->names, resource);
  double amount = dim >= 0 ? MAX (j->total->v[dim], j->min_resources->v[dim]) : 0;

  return amount > 0 ? amount / (dim == VC_RES_MEMORY ? 1 : 1000) : 1;
}

guint32
vc_waiting_first_fit (VcSession *ssn, guint32 task, guint32 *from)
{
  const VcCluster *c = ssn->cluster;
  const VcShape *shape = c->task[task].shape;
  gboolean full = TRUE;

  for (guint32 i = *from; i < c->nodes.n_list; i++) {
    guint32 node = c->nodes.list[i];
    VcFitError error = { 0 };
    gboolean room = vc_shape_fits (shape, c->nodes.idle, node);

    if (full && !room)
      *from = i + 1;
    full = full && !room;
    if (room && vc_session_predicate (ssn, task, node, &error))
      return node;
  }
  return VC_NONE;
}

void
vc_waiting_tasks (VcSession *ssn, guint32 job, VcHeap *tasks)
{
  const VcJob *j = &ssn->cluster->job[job];

  vc_heap_init (tasks, vc_session_heap_task_less, ssn);
  for (guint32 i = 0; i < j->n_tasks; i++) {
    const VcTask *t = &ssn->cluster->task[j->task[i]];

    if (t->status == VC_PENDING && !t->gated)
      vc_heap_push (tasks, j->task[i]);
  }
}

gboolean
vc_waiting_is_whole (const VcJob *j)
{
  /* Pods without requests are placed by these policies, too: none is taken for granted. */
  return (gint64) vc_job_ready_num (j) >= j->min_available && vc_job_roles_ready (j);
}

VcStart
vc_waiting_start (VcSession *ssn, VcStatement *st, const VcWaiting *x)
{
  VcCluster *c = ssn->cluster;
  const VcShape *shape = NULL;
  guint32 from = 0;
  g_auto (VcHeap) tasks = { 0 };

  if (vc_waiting_admit (ssn, x))
    return VC_START_ADMITTED;
  ssn->result.jobs_considered++;
  vc_waiting_tasks (ssn, x->job, &tasks);
  if (vc_heap_is_empty (&tasks))
    return VC_START_ADMITTED;
  while (!vc_heap_is_empty (&tasks)) {
    guint32 task = vc_heap_pop (&tasks), node;

    if (c->task[task].shape != shape)
      from = 0;
    shape = c->task[task].shape;
    node = vc_session_pre_predicate (ssn, task) == NULL ? vc_waiting_first_fit (ssn, task, &from) : VC_NONE;
    if (node != VC_NONE)
      vc_statement_allocate (st, task, node);
  }
  if (vc_statement_length (st) == 0 || !vc_waiting_is_whole (&c->job[x->job])) {
    vc_statement_discard (st);
    return VC_START_REFUSED;
  }
  vc_statement_commit (st);
  vc_session_bind_allocated (ssn, x->job); /* an action before may have placed a part of the gang and kept it for a promise of the rest */
  return VC_START_DONE;
}
