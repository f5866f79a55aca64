#include "allocate-forecast.h"
#include "core/session/rooms.h"
#include <string.h>

struct VcLastTransaction {
  guint32 task, node;
  guint8 status;
  gboolean evicted;
};

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

static gboolean
all_alike (const VcCluster *c, const VcHeap *tasks)
{
  const VcShape *shape = c->task[tasks->item[0]].shape;

  for (guint32 i = 0; i < tasks->n; i++) {
    const VcTask *t = &c->task[tasks->item[i]];
    if (t->shape != shape || t->gated || t->gate_opt_in || t->best_effort || t->node != VC_NONE)
      return FALSE;
  }
  return TRUE;
}

gboolean
vc_forecast_init (VcForecast *f, VcAllocate *a, guint32 job, guint32 sub, const VcHeap *tasks)
{
  VcSession *ssn = a->ssn;
  const VcCluster *c = ssn->cluster;

  *f = (VcForecast) { .a = a, .job = job, .sub = sub, .left = tasks->n };
  if (a->no_forecasts || tasks->n == 0 || c->job[job].nominated_any || vc_allocate_pinned (a, job, sub) != VC_HYPER_NONE || !vc_rooms_open (ssn) ||
      !all_alike (c, tasks) || !vc_rooms_serve (ssn, c->task[tasks->item[0]].shape))
    return FALSE;
  f->order = g_array_sized_new (FALSE, FALSE, sizeof (guint32), 16);
  if (!find_need (f, tasks)) {
    vc_forecast_clear (f);
    return FALSE;
  }
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
  g_clear_pointer (&f->before, g_free);
}

/* ---- a trial --------------------------------------------------------------------------------------------- */

static guint32
nodes_of (const VcForecast *f, guint32 hyper)
{
  VcSession *ssn = f->a->ssn;
  return hyper == VC_HYPER_ROOT ? ssn->cluster->nodes.n_list : vc_session_hypers (ssn)->hyper[hyper].n_nodes;
}

/* The search must not stop before it has seen every node: where it would begin next is not known else. */
VcOutcome
vc_forecast_trial (const VcForecast *f, guint32 hyper)
{
  VcSession *ssn = f->a->ssn;
  VcRoom room = vc_rooms_of (ssn, g_array_index (f->order, guint32, 0), hyper);
  guint placed = (guint) MIN (room.tasks, f->need);

  if (!room.known || room.nodes > vc_search_limit (ssn, nodes_of (f, hyper)))
    return (VcOutcome) { FALSE, FALSE, 0 };
  return (VcOutcome) { TRUE, placed == f->need, placed };
}

guint
vc_forecast_supposes (const VcForecast *f, VcOutcome o)
{
  return o.fits ? f->need : MIN (o.placed + 1, f->left);
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
