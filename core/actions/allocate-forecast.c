#include "allocate-forecast.h"
#include "core/session/rooms.h"
#include <math.h>

#define MOST_OF_SEVERAL_SHAPES 1000u /* each is compared with each */

struct VcLastTransaction {
  guint32 task, node;
  guint8 status;
  gboolean evicted;
};

typedef struct {
  guint32 task;      /* the first one */
  guint n;
  guint64 enough;    /* room for so many tasks of this shape alone is certainly enough */
} ShapeNeed;

/* ---- how many tasks are needed ------------------------------------------------------------------------ */

/* Pretend that one task after the other is allocated, nowhere, and ask whether the sub-job is ready. FALSE: it never is, or a part of it would do. */
static gboolean
find_need (VcForecast *f, const VcHeap *tasks)
{
  VcSession *ssn = f->a->ssn;
  VcCluster *c = ssn->cluster;
  VcJob *j = &c->job[f->job];
  VcSubJob *b = vc_job_sub (j, f->sub);
  g_auto (VcHeap) left = { 0 };
  gboolean ready = FALSE, part = FALSE;

  VC_RES_LOCAL (allocated, c->n_res);
  VC_RES_LOCAL (pending, c->n_res);
  VC_RES_LOCAL (pending_of_sub, c->n_res);
  vc_res_copy (allocated, j->allocated);
  vc_res_copy (pending, j->pending);
  vc_res_copy (pending_of_sub, b->pending);
  vc_heap_clone (&left, tasks);
  while (!ready && !part && !vc_heap_is_empty (&left)) {
    guint32 task = vc_heap_pop (&left);

    g_array_append_val (f->order, task);
    vc_task_move (c, task, VC_ALLOCATED, VC_NONE);
    ready = vc_session_sub_job_ready (ssn, f->job, f->sub);
    part = !ready && vc_session_sub_job_pipelined (ssn, f->job, f->sub);
  }
  for (guint i = f->order->len; i-- > 0;)
    vc_task_move (c, g_array_index (f->order, guint32, i), VC_PENDING, VC_NONE);
  vc_res_copy (j->allocated, allocated); /* with the names that it had */
  vc_res_copy (j->pending, pending);
  vc_res_copy (b->pending, pending_of_sub);
  f->need = f->order->len;
  return ready;
}

/* Tasks that forecasts know to handle. *alike: they all have one shape. */
static gboolean
are_plain (VcSession *ssn, const VcHeap *tasks, gboolean *alike)
{
  const VcShape *shape = NULL;

  *alike = TRUE;
  for (guint32 i = 0; i < tasks->n; i++) {
    const VcTask *t = &ssn->cluster->task[tasks->item[i]];
    if (t->gated || t->gate_opt_in || t->best_effort || t->node != VC_NONE)
      return FALSE;
    if (t->shape == shape)
      continue;
    *alike &= shape == NULL;
    shape = t->shape;
    if (!vc_rooms_serve (ssn, shape))
      return FALSE;
  }
  return TRUE;
}

/* How much room for tasks like @shape one task like @other takes at most. */
static guint64
most_taken (const VcShape *shape, const VcShape *other)
{
  guint64 most = 1; /* a pod slot */

  for (guint64 left = shape->dims & other->dims; left != 0; left &= left - 1) {
    guint d = (guint) __builtin_ctzll (left);
    if (shape->request->v[d] > 0) /* one that asks for 0 of it loses no room by it */
      most = MAX (most, (guint64) MIN (ceil (other->request->v[d] / shape->request->v[d]), (double) G_MAXUINT32));
  }
  return most;
}

static const VcShape *
shape_of (const VcForecast *f, guint i)
{
  return f->a->ssn->cluster->task[g_array_index (f->order, guint32, i)].shape;
}

static void
find_shapes (VcForecast *f)
{
  f->shapes = g_array_new (FALSE, TRUE, sizeof (ShapeNeed));
  for (guint i = 0; i < f->need; i++) {
    guint k = 0;

    while (k < f->shapes->len && f->a->ssn->cluster->task[g_array_index (f->shapes, ShapeNeed, k).task].shape != shape_of (f, i))
      k++;
    if (k == f->shapes->len)
      g_array_set_size (f->shapes, k + 1);
    ShapeNeed *s = &g_array_index (f->shapes, ShapeNeed, k);
    if (s->n++ == 0)
      s->task = g_array_index (f->order, guint32, i);
    s->enough = 1; /* this one, behind all others */
    for (guint j = 0; j < i; j++)
      s->enough += most_taken (shape_of (f, i), shape_of (f, j));
  }
}

gboolean
vc_forecast_init (VcForecast *f, VcAllocate *a, guint32 job, guint32 sub, const VcHeap *tasks)
{
  VcSession *ssn = a->ssn;
  const VcCluster *c = ssn->cluster;
  gboolean alike;

  *f = (VcForecast) { .a = a, .job = job, .sub = sub, .left = tasks->n };
  if (a->no_forecasts || tasks->n == 0 || c->job[job].nominated_any || vc_allocate_pinned (a, job, sub) != VC_HYPER_NONE || !vc_rooms_open (ssn) ||
      !are_plain (ssn, tasks, &alike) || (!alike && (c->job[job].mixed_roles || tasks->n > MOST_OF_SEVERAL_SHAPES)))
    return FALSE;
  f->order = g_array_sized_new (FALSE, FALSE, sizeof (guint32), 16);
  if (!find_need (f, tasks) || (!alike && f->need < f->left)) {
    vc_forecast_clear (f);
    return FALSE;
  }
  if (!alike)
    find_shapes (f);
  f->rotating = ssn->engine->rotating;
  f->before = g_new (struct VcLastTransaction, tasks->n);
  for (guint32 i = 0; i < tasks->n; i++) {
    const VcTask *t = &c->task[tasks->item[i]];
    f->before[i] = (struct VcLastTransaction) { tasks->item[i], t->last_node, t->last_status, t->last_evicted };
  }
  return TRUE;
}

void
vc_forecast_clear (VcForecast *f)
{
  g_clear_pointer (&f->order, g_array_unref);
  g_clear_pointer (&f->shapes, g_array_unref);
  g_clear_pointer (&f->before, g_free);
}

/* ---- a trial --------------------------------------------------------------------------------------------- */

static guint32
nodes_of (const VcForecast *f, guint32 hyper)
{
  VcSession *ssn = f->a->ssn;
  return hyper == VC_HYPER_ROOT ? ssn->cluster->nodes.n_list : vc_session_hypers (ssn)->hyper[hyper].n_nodes;
}

/* Of several shapes. */
static VcOutcome
mixed_trial (const VcForecast *f, guint32 hyper)
{
  VcSession *ssn = f->a->ssn;
  guint32 n = nodes_of (f, hyper);
  gboolean enough = TRUE, short_of = FALSE;

  if (n > vc_search_limit (ssn, n))
    return (VcOutcome) { 0 };
  for (guint i = 0; i < f->shapes->len; i++) {
    const ShapeNeed *s = &g_array_index (f->shapes, ShapeNeed, i);
    VcRoom room = vc_rooms_of (ssn, s->task, hyper);

    if (!room.known)
      return (VcOutcome) { 0 };
    enough &= room.tasks >= s->enough;
    short_of |= room.tasks < s->n;
  }
  return enough ? (VcOutcome) { TRUE, TRUE, FALSE, f->need } : (VcOutcome) { short_of, FALSE, TRUE, 0 };
}

/* The search must not stop before it has seen every node: where it would begin next is not known else. */
VcOutcome
vc_forecast_trial (const VcForecast *f, guint32 hyper)
{
  VcSession *ssn = f->a->ssn;
  if (f->shapes != NULL)
    return mixed_trial (f, hyper);
  VcRoom room = vc_rooms_of (ssn, g_array_index (f->order, guint32, 0), hyper);
  guint placed = (guint) MIN (room.tasks, f->need);

  if (!room.known || room.nodes > vc_search_limit (ssn, nodes_of (f, hyper)))
    return (VcOutcome) { 0 };
  return (VcOutcome) { TRUE, placed == f->need, FALSE, placed };
}

guint
vc_forecast_supposes (const VcForecast *f, VcOutcome o)
{
  return o.fits || o.vague ? f->need : MIN (o.placed + 1, f->left);
}

void
vc_forecast_undone (const VcForecast *f, guint placed)
{
  for (guint i = 0; i < placed; i++) {
    VcTask *t = &f->a->ssn->cluster->task[g_array_index (f->order, guint32, i)];
    t->last_status = VC_ALLOCATED; /* nobody asks for the node of such a transaction */
    t->last_evicted = FALSE;
  }
}

void
vc_forecast_rotate (const VcForecast *f, guint32 hyper, guint32 *rotating)
{
  guint32 n = nodes_of (f, hyper);

  if (n > 0) /* every search goes all the way round */
    *rotating %= n;
}

void
vc_forecast_take_back (const VcForecast *f)
{
  VcSession *ssn = f->a->ssn;

  ssn->engine->rotating = f->rotating;
  for (guint i = 0; i < f->left; i++) {
    VcTask *t = &ssn->cluster->task[f->before[i].task];
    t->last_node = f->before[i].node;
    t->last_status = f->before[i].status;
    t->last_evicted = f->before[i].evicted != 0;
  }
}

gboolean
vc_forecast_came_true (const VcForecast *f, const VcStatement *st)
{
  const VcCluster *c = f->a->ssn->cluster;

  if (vc_statement_length (st) != f->need)
    return FALSE;
  for (guint i = 0; i < f->need; i++)
    if (c->task[g_array_index (f->order, guint32, i)].status != VC_ALLOCATED)
      return FALSE;
  return TRUE;
}

/* ---- fit errors -------------------------------------------------------------------------------------------- */

VcKeptFits
vc_forecast_keep_fits (VcSession *ssn, guint32 job)
{
  const VcJob *j = &ssn->cluster->job[job];
  VcKeptFits k = { .failed_session = vc_arena_new0 (ssn->arena, guint32, j->n_roles + 1) };

  for (VcFit *x = j->fit; x != NULL; x = x->next)
    k.n++;
  k.fit = vc_arena_new0 (ssn->arena, VcFit *, k.n + 1);
  guint i = 0;
  for (VcFit *x = j->fit; x != NULL; x = x->next)
    k.fit[i++] = x;
  for (guint r = 0; r < j->n_roles; r++)
    k.failed_session[r] = j->role[r].failed_session;
  return k;
}

void
vc_forecast_restore_fits (VcSession *ssn, guint32 job, const VcKeptFits *k)
{
  VcJob *j = &ssn->cluster->job[job];

  j->fit = k->fit[0];
  for (guint i = 0; i < k->n; i++)
    k->fit[i]->next = k->fit[i + 1];
  for (guint r = 0; r < j->n_roles; r++)
    j->role[r].failed_session = k->failed_session[r];
}
