/* sim/cycle/diagnose-queues.c - jobs that wait in one cycle on account of queues: not admitted although room would be made for them, or claiming what nobody may be
 * evicted from. The counterparts for whole runs are in reports/diagnose/diagnose-admission.c and reports/diagnose/diagnose-waits.c. */
#include "diagnose-cycle-private.h"
#include <string.h>

/* A kind of finding: the first job of it, and how many there are. */
typedef struct {
  const char *code, *entry;
  guint jobs;
  guint32 first, other; /* jobs; queue or job that is named with it */
  guint dim;
} Kind;

enum { GUARANTEE, RECLAIM, PREEMPT, PROTECTED, N_KINDS };

static const VcJob *
job_at (const SimCycleDiagnosis *x, guint32 row)
{
  return &x->c->job[row];
}

static gboolean
is_leaf (const SimCycleDiagnosis *x, guint32 queue)
{
  for (guint32 i = 0; i < x->c->n_queue_order; i++)
    if (strcmp (x->c->queue[x->c->queue_order[i]].parent, x->c->queue[queue].name) == 0)
      return FALSE;
  return TRUE;
}

/* "1.5 cpu", "64 Gi memory" */
static char *
show (const SimCycleDiagnosis *x, guint dim, double v)
{
  if (dim == VC_RES_MEMORY)
    return g_strdup_printf ("%g Gi memory", v / 1073741824.0);
  return g_strdup_printf ("%g %s", dim == vc_res_names_pods (x->c->names) ? v : v / 1000, vc_res_names_get (x->c->names, dim));
}

/* ---- who owes whom ------------------------------------------------------------------------------- */

/* What the job needs at once, as the action enqueue counts it; NULL: it asks for nothing in particular, and is let in. */
static const VcRes *
needs (const VcJob *j)
{
  return j->min_list != NULL ? j->min_resources : NULL;
}

static gboolean
is_asked (const SimCycleDiagnosis *x, const VcRes *need, guint dim)
{
  return need->v[dim] > 0 && dim != vc_res_names_pods (x->c->names);
}

/* Does its queue deserve all that the job needs, on top of what the queue holds? */
static gboolean
is_deserved (const SimCycleDiagnosis *x, const VcQueueGauge *own, const VcRes *need)
{
  gboolean promised = FALSE;

  for (guint dim = 0; dim < x->c->n_res; dim++) {
    if (!is_asked (x, need, dim) || own->deserved->v[dim] <= 0)
      continue;
    if (!vc_le (own->allocated->v[dim] + need->v[dim], own->deserved->v[dim]))
      return FALSE;
    promised = TRUE;
  }
  return promised;
}

/* Does the queue hold more than it deserves of what is needed? */
static gboolean
lends (const SimCycleDiagnosis *x, const VcEngine *engine, guint32 queue, const VcRes *need)
{
  const VcQueueGauge *g = vc_engine_gauge (engine, queue);

  for (guint dim = 0; dim < x->c->n_res && g != NULL && g->published; dim++)
    if (is_asked (x, need, dim) && !vc_le (g->allocated->v[dim], g->deserved->v[dim]))
      return TRUE;
  return FALSE;
}

static gboolean
finds_guarantee (const SimCycleDiagnosis *x, Kind *k)
{
  const VcRes *total = vc_cluster_total ((VcCluster *) x->c);

  for (guint32 i = 0; i < x->c->n_queue_order; i++)
    for (guint dim = 0; dim < x->c->n_res; dim++)
      if (!vc_le (x->c->queue[x->c->queue_order[i]].guarantee->v[dim], total->v[dim])) {
        k->other = x->c->queue_order[i];
        k->dim = dim;
        return TRUE;
      }
  return FALSE;
}

/* A queue that reclaim would take the room from. */
static gboolean
finds_lender (const SimCycleDiagnosis *x, const VcEngine *engine, const VcJob *j, guint32 *lender)
{
  const VcQueueGauge *own = vc_engine_gauge (engine, j->queue);

  if (x->reclaims == NULL || own == NULL || !own->published || !is_deserved (x, own, needs (j)))
    return FALSE;
  for (guint32 i = 0; i < x->c->n_queue_order; i++) {
    guint32 q = x->c->queue_order[i];

    if (q == j->queue || !x->c->queue[q].reclaimable || !is_leaf (x, q) || !lends (x, engine, q, needs (j)))
      continue;
    *lender = q;
    return TRUE;
  }
  return FALSE;
}

gboolean
sim_cycle_find_victims (const SimCycleDiagnosis *x, const VcJob *j, const VcRes *need, guint32 *victim)
{
  VC_RES_LOCAL (room, x->c->n_res);

  *victim = VC_NONE;
  for (guint32 i = 0; i < x->c->nodes.n_list; i++)
    for (guint dim = 0; dim < x->c->n_res; dim++)
      room->v[dim] += x->c->nodes.idle[dim][x->c->nodes.list[i]];
  for (guint32 i = 0; i < x->n_tasks; i++) {
    const VcTask *t = sim_diagnosed_task (x, i);

    if (!t->live || t->status != VC_RUNNING || !t->preemptable || t->job == VC_NONE || job_at (x, t->job)->queue != j->queue || job_at (x, t->job)->priority >= j->priority)
      continue;
    *victim = t->job;
    for (guint dim = 0; dim < x->c->n_res; dim++)
      room->v[dim] += t->shape->request->v[dim];
  }
  for (guint dim = 0; dim < x->c->n_res; dim++)
    if (!vc_le (need->v[dim], room->v[dim]))
      return FALSE;
  return *victim != VC_NONE;
}

/* It was let in, and room is lent that its queue deserves; but no pod of those that have it may be evicted. @holder: a job of theirs. */
static gboolean
finds_protected (const SimCycleDiagnosis *x, const VcEngine *engine, const VcJob *j, guint32 *holder)
{
  guint32 lender;

  *holder = VC_NONE;
  if (!finds_lender (x, engine, j, &lender))
    return FALSE;
  for (guint32 i = 0; i < x->n_tasks; i++) {
    const VcTask *t = sim_diagnosed_task (x, i);

    if (!t->live || (t->status != VC_RUNNING && t->status != VC_RELEASING) || t->job == VC_NONE || job_at (x, t->job)->queue == VC_NONE ||
        !lends (x, engine, job_at (x, t->job)->queue, needs (j)))
      continue;
    if (t->status == VC_RELEASING || t->preemptable)
      return FALSE;
    *holder = t->job;
  }
  return *holder != VC_NONE;
}

/* ---- findings ------------------------------------------------------------------------------------ */

static char *
loosen (const SimCycleDiagnosis *x)
{
  if (x->overcommit <= 0)
    return g_strdup ("leave out the action enqueue");
  return g_strdup_printf ("overcommit-factor: %g or more (it is %g), or leave out the action enqueue", x->overcommit < 2 ? 2.0 : x->overcommit + 1, x->overcommit);
}

static void
report (SimCycleDiagnosis *x, guint kind, const Kind *k)
{
  const VcJob *j = job_at (x, k->first);
  g_autofree char *more = k->jobs > 1 ? g_strdup_printf (" (and %u more)", k->jobs - 1) : g_strdup ("");
  g_autofree char *head = g_strdup_printf ("'%s' of queue '%s'%s is not admitted", j->key, j->queue_name, more);
  char *what = NULL, *advice = NULL;

  if (kind == GUARANTEE) {
    const VcQueue *q = &x->c->queue[k->other];
    g_autofree char *given = show (x, k->dim, q->guarantee->v[k->dim]), *has = show (x, k->dim, vc_cluster_total ((VcCluster *) x->c)->v[k->dim]);

    what = g_strdup_printf ("%s: queue '%s' is guaranteed %s and the cluster has %s", head, q->name, given, has);
    advice = g_strdup_printf ("a guarantee that cannot be met leaves nothing to the others: lower the guarantee of queue '%s' to less than %s", q->name, has);
  } else if (kind == RECLAIM) {
    what = g_strdup_printf ("%s. Its queue is below its share and queue '%s' above, but '%s' looks at admitted jobs only and does not see it", head, x->c->queue[k->other].name, x->reclaims);
    advice = loosen (x);
  } else if (kind == PREEMPT) {
    what = g_strdup_printf ("%s. Jobs of lower priority run in its queue ('%s'), but '%s' looks at admitted jobs only and does not see it", head, job_at (x, k->other)->key, x->preempts);
    advice = loosen (x);
  } else {
    what = g_strdup_printf ("'%s' of queue '%s'%s gets nothing: its queue is below its share, but no pod of those above theirs may be evicted ('%s')", j->key, j->queue_name, more,
                            job_at (x, k->other)->key);
    advice = g_strdup ("leave the label volcano.sh/preemptable: \"false\" off the pods that take what is lent, or do not lend");
  }
  sim_cycle_find (x, k->code, k->entry, what, advice);
}

/* Is its PodGroup still waiting for the action enqueue? */
static gboolean
is_kept_out (const SimCycleDiagnosis *x, const VcJob *j)
{
  return x->enqueues && vc_job_is_pending (j);
}

static gboolean
classify (const SimCycleDiagnosis *x, const VcEngine *engine, guint32 row, guint *kind, Kind *k)
{
  const VcJob *j = job_at (x, row);

  if (is_kept_out (x, j)) {
    *kind = finds_guarantee (x, k) ? GUARANTEE : finds_lender (x, engine, j, &k->other) ? RECLAIM : x->preempts != NULL && sim_cycle_find_victims (x, j, needs (j), &k->other) ? PREEMPT : N_KINDS;
    return *kind != N_KINDS;
  }
  *kind = PROTECTED;
  return (j->phase == VC_PG_INQUEUE || !x->enqueues) && (gint64) vc_job_ready_num (j) < j->min_available && j->count[VC_PIPELINED] == 0 && finds_protected (x, engine, j, &k->other);
}

void
sim_cycle_find_waiting (SimCycleDiagnosis *x, const VcEngine *engine)
{
  Kind kinds[N_KINDS] = { [GUARANTEE] = { "guarantee-beyond-cluster", "g44-guarantee-typo", 0, VC_NONE, VC_NONE, 0 },
                          [RECLAIM] = { "admission-blocks-reclaim", "g08-enqueue-blocks-reclaim", 0, VC_NONE, VC_NONE, 0 },
                          [PREEMPT] = { "admission-blocks-preempt", "g15-preempt-never-asked", 0, VC_NONE, VC_NONE, 0 },
                          [PROTECTED] = { "nothing-evictable", "g65-not-preemptable-lender", 0, VC_NONE, VC_NONE, 0 } };

  for (guint32 i = 0; i < x->c->n_job_order; i++) {
    guint32 row = x->c->job_order[i];
    Kind k = { 0 };
    guint kind;

    if (row >= x->n_jobs || !job_at (x, row)->has_pg || job_at (x, row)->queue == VC_NONE || needs (job_at (x, row)) == NULL || !classify (x, engine, row, &kind, &k))
      continue;
    if (kinds[kind].jobs++ > 0)
      continue;
    kinds[kind].first = row;
    kinds[kind].other = k.other;
    kinds[kind].dim = k.dim;
  }
  for (guint i = 0; i < N_KINDS; i++)
    if (kinds[i].jobs > 0)
      report (x, i, &kinds[i]);
}
