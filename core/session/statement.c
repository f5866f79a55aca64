#include "statement.h"
#include "session-private.h"

typedef enum { OP_EVICT, OP_PIPELINE, OP_ALLOCATE } OpKind;
typedef struct {
  OpKind kind;
  guint32 task, node;
  gboolean evicted;
  const char *reason;
  /* of a saved plan: the task's last transaction by then */
  guint32 last_node;
  guint8 last_status;
  gboolean last_evicted;
} Op;
struct VcStatement {
  VcSession *ssn;
  GArray *ops;
};
struct VcPlan {
  GArray *ops;
};

VcStatement *
vc_statement_new (VcSession *ssn)
{
  VcStatement *st = g_new (VcStatement, 1);
  st->ssn = ssn;
  st->ops = g_array_new (FALSE, FALSE, sizeof (Op));
  return st;
}

void
vc_statement_free (VcStatement *st)
{
  if (st == NULL)
    return;
  g_array_unref (st->ops);
  g_free (st);
}

/* ---- the four moves of a task ---------------------------------------------------------------- */

static gboolean
fire_allocated (VcSession *ssn, guint32 task)
{
  gboolean good = TRUE;

  for (guint i = 0; i < ssn->n_handlers; i++) /* all of them, also after an error */
    if (ssn->handler[i].allocated != NULL)
      good &= ssn->handler[i].allocated (ssn->handler[i].self, ssn, task);
  return good;
}

static void
fire_deallocated (VcSession *ssn, guint32 task)
{
  for (guint i = 0; i < ssn->n_handlers; i++)
    if (ssn->handler[i].deallocated != NULL)
      ssn->handler[i].deallocated (ssn->handler[i].self, ssn, task);
}

static void
claim (VcCluster *c, const VcTask *t, double sign)
{
  for (guint64 left = t->shape->dims; left != 0; left &= left - 1) {
    guint d = (guint) __builtin_ctzll (left);
    c->nodes.claimed[d][t->node] += sign * t->shape->request->v[d];
  }
}

/* Put a pending task on a node as Allocated or Pipelined. */
static gboolean
place (VcSession *ssn, guint32 task, guint32 node, VcStatus status, gboolean evicted)
{
  VcCluster *c = ssn->cluster;

  ssn->moves++;
  vc_task_move (c, task, status, node);
  if (status == VC_ALLOCATED)
    c->task[task].bound_to = node; /* Pipeline leaves the pod's node name alone (V4) */
  c->task[task].evicted_for = evicted;
  vc_node_put (c, task);
  vc_devices_session_put (ssn->cache->devices, task);
  if (status == VC_ALLOCATED)
    claim (c, &c->task[task], 1);
  vc_session_touch (ssn, task);
  gboolean good = fire_allocated (ssn, task);
  const VcObserver *o = ssn->engine->options.observer;
  if (o != NULL && o->placed != NULL)
    o->placed (o->user, ssn, task, good);
  return good;
}

static void
unplace (VcSession *ssn, guint32 task)
{
  VcCluster *c = ssn->cluster;
  VcTask *t = &c->task[task];

  ssn->moves++;
  if (t->status == VC_ALLOCATED)
    claim (c, t, -1);
  vc_devices_session_take (ssn->cache->devices, task);
  vc_node_take (c, task);
  vc_task_move (c, task, VC_PENDING, t->node);
  fire_deallocated (ssn, task); /* the node name is still there for the handlers */
  c->task[task].node = VC_NONE;
  c->task[task].job_hyper = VC_NONE;
}

static void
evict (VcSession *ssn, guint32 task)
{
  VcCluster *c = ssn->cluster;

  ssn->moves++;
  c->task[task].was_bound |= c->task[task].status == VC_BOUND;
  vc_devices_session_take (ssn->cache->devices, task);
  vc_node_take (c, task);
  vc_task_move (c, task, VC_RELEASING, c->task[task].node);
  vc_node_put (c, task);
  vc_session_touch (ssn, task);
  fire_deallocated (ssn, task);
}

/* Always Running, also when it was Bound (Q2). The handlers' errors are ignored: the task stays out of the mirror (C1). */
static void
unevict (VcSession *ssn, guint32 task)
{
  VcCluster *c = ssn->cluster;

  ssn->moves++;
  vc_node_take (c, task);
  vc_task_move (c, task, VC_RUNNING, c->task[task].node);
  vc_node_put (c, task);
  vc_devices_session_put (ssn->cache->devices, task);
  fire_allocated (ssn, task);
}

/* ---- operations ------------------------------------------------------------------------------ */

void
vc_statement_evict (VcStatement *st, guint32 task, const char *reason)
{
  Op op = { .kind = OP_EVICT, .task = task, .node = st->ssn->cluster->task[task].node, .reason = reason };

  evict (st->ssn, task);
  g_array_append_val (st->ops, op);
}

gboolean
vc_statement_pipeline (VcStatement *st, guint32 task, guint32 node, gboolean evicted)
{
  Op op = { .kind = OP_PIPELINE, .task = task, .node = node, .evicted = evicted };

  if (!place (st->ssn, task, node, VC_PIPELINED, evicted)) {
    unplace (st->ssn, task);
    return FALSE;
  }
  g_array_append_val (st->ops, op);
  if (vc_session_logs (st->ssn, 3))
    vc_session_log (st->ssn, 3, "pipeline %s on %s", st->ssn->cluster->task[task].key, st->ssn->cluster->nodes.info[node].name);
  return TRUE;
}

gboolean
vc_statement_allocate (VcStatement *st, guint32 task, guint32 node)
{
  Op op = { .kind = OP_ALLOCATE, .task = task, .node = node };

  if (!place (st->ssn, task, node, VC_ALLOCATED, FALSE)) {
    unplace (st->ssn, task);
    return FALSE;
  }
  g_array_append_val (st->ops, op);
  if (vc_session_logs (st->ssn, 3))
    vc_session_log (st->ssn, 3, "allocate %s on %s", st->ssn->cluster->task[task].key, st->ssn->cluster->nodes.info[node].name);
  return TRUE;
}

void
vc_statement_discard (VcStatement *st)
{
  if (st->ops->len > 0)
    vc_session_note_discard (st->ssn, st->ssn->cluster->task[g_array_index (st->ops, Op, 0).task].job, st->ops->len);
  vc_statement_undo (st);
}

void
vc_session_note_discard (VcSession *ssn, guint32 job, guint operations)
{
  ssn->result.discarded++;
  ssn->cluster->job[job].undone = operations;
  ssn->cluster->job[job].undone_session = ssn->number;
  vc_step (ssn->cluster, "Statement.Discard", job, VC_NONE, "operations undone %u", operations);
}

void
vc_statement_undo (VcStatement *st)
{
  VcSession *ssn = st->ssn;

  for (guint i = st->ops->len; i-- > 0;) {
    const Op *op = &g_array_index (st->ops, Op, i);
    VcTask *t = &ssn->cluster->task[op->task];

    t->last_status = t->status;
    t->last_node = t->node;
    t->last_evicted = t->evicted_for;
    if (op->kind == OP_EVICT)
      unevict (ssn, op->task);
    else
      unplace (ssn, op->task);
  }
  g_array_set_size (st->ops, 0);
}

/* Every action evicts first and then promises the room: the task that is pipelined next is whom the eviction was for. */
static guint32
promised_after (const VcStatement *st, guint op)
{
  for (guint i = op + 1; i < st->ops->len; i++)
    if (g_array_index (st->ops, Op, i).kind == OP_PIPELINE)
      return g_array_index (st->ops, Op, i).task;
  return VC_NONE;
}

void
vc_statement_commit (VcStatement *st)
{
  VcSession *ssn = st->ssn;

  if (st->ops->len > 0)
    vc_step (ssn->cluster, "Statement.Commit", ssn->cluster->task[g_array_index (st->ops, Op, 0).task].job, VC_NONE, "operations %u", st->ops->len);

  for (guint i = 0; i < st->ops->len; i++) {
    const Op *op = &g_array_index (st->ops, Op, i);

    ssn->cluster->task[op->task].last_status = VC_N_STATUS;
    if (op->kind == OP_EVICT) {
      if (vc_cache_evict (ssn->cache, op->task, op->reason, promised_after (st, i))) {
        ssn->result.evictions++;
        vc_session_log (ssn, 3, "evict %s: %s", ssn->cluster->task[op->task].key, op->reason);
      } else {
        unevict (ssn, op->task);
        vc_step (ssn->cluster, "Statement.unevict", ssn->cluster->task[op->task].job, op->task, "task %s: Running", ssn->cluster->task[op->task].key);
      }
    } else if (op->kind == OP_ALLOCATE) {
      if (vc_cache_add_bind_task (ssn->cache, op->task))
        ssn->result.binds++;
      else {
        unplace (ssn, op->task);
        vc_step (ssn->cluster, "Statement.unallocate", ssn->cluster->task[op->task].job, op->task, "task %s: Pending", ssn->cluster->task[op->task].key);
      }
    }
  }
  g_array_set_size (st->ops, 0);
}

void
vc_statement_merge (VcStatement *st, VcStatement *other)
{
  g_array_append_vals (st->ops, other->ops->data, other->ops->len);
  g_array_set_size (other->ops, 0);
}

guint
vc_statement_length (const VcStatement *st)
{
  return st->ops->len;
}

gboolean
vc_statement_has_evictions (const VcStatement *st)
{
  for (guint i = 0; i < st->ops->len; i++)
    if (g_array_index (st->ops, Op, i).kind == OP_EVICT)
      return TRUE;
  return FALSE;
}

VcPlan *
vc_statement_save (VcStatement *const *statements, guint n)
{
  VcPlan *p = g_new (VcPlan, 1);

  p->ops = g_array_new (FALSE, FALSE, sizeof (Op));
  for (guint s = 0; s < n; s++)
    for (guint i = 0; i < statements[s]->ops->len; i++) {
      Op op = g_array_index (statements[s]->ops, Op, i);
      const VcTask *t = &statements[s]->ssn->cluster->task[op.task];

      op.last_node = t->last_node;
      op.last_status = t->last_status;
      op.last_evicted = t->last_evicted;
      g_array_append_val (p->ops, op);
    }
  return p;
}

gboolean
vc_statement_recover (VcStatement *st, const VcPlan *plan)
{
  for (guint i = 0; i < plan->ops->len; i++) {
    const Op *op = &g_array_index (plan->ops, Op, i);
    VcTask *t = &st->ssn->cluster->task[op->task];

    t->last_node = op->last_node;
    t->last_status = op->last_status;
    t->last_evicted = op->last_evicted != 0;
    t->job_hyper = VC_NONE; /* upstream replays copies of the tasks, which do not have it */
    if (op->kind == OP_EVICT)
      vc_statement_evict (st, op->task, op->reason);
    else if (op->kind == OP_PIPELINE ? !vc_statement_pipeline (st, op->task, op->node, op->evicted)
                                     : !vc_statement_allocate (st, op->task, op->node))
      return FALSE;
  }
  return TRUE;
}

guint
vc_plan_length (const VcPlan *p)
{
  return p->ops->len;
}

void
vc_plan_free (VcPlan *p)
{
  if (p == NULL)
    return;
  g_array_unref (p->ops);
  g_free (p);
}

/* ---- operations without a statement ----------------------------------------------------------- */

void
vc_session_bind_allocated (VcSession *ssn, guint32 job)
{
  const VcCluster *c = ssn->cluster;

  for (guint32 i = 0; i < c->job[job].n_tasks; i++) { /* ascending by UID */
    guint32 t = c->job[job].task[i];
    if (c->task[t].status != VC_ALLOCATED)
      continue;
    if (!vc_cache_add_bind_task (ssn->cache, t))
      break; /* the rest stays Allocated and evaporates at close (U7) */
    ssn->result.binds++;
  }
}

void
vc_session_allocate (VcSession *ssn, guint32 task, guint32 node)
{
  const VcCluster *c = ssn->cluster;
  guint32 job = c->task[task].job;

  place (ssn, task, node, VC_ALLOCATED, FALSE);
  vc_session_log (ssn, 3, "allocate %s on %s", c->task[task].key, c->nodes.info[node].name);
  if (vc_session_job_ready (ssn, job))
    vc_session_bind_allocated (ssn, job);
}

gboolean
vc_session_evict (VcSession *ssn, guint32 task, const char *reason)
{
  if (!vc_cache_evict (ssn->cache, task, reason, VC_NONE))
    return FALSE;
  ssn->result.evictions++;
  const VcTask *t = &ssn->cluster->task[task];
  gboolean hidden = FALSE;
  for (guint i = 0; i < ssn->node_victims->len && !hidden; i++)
    hidden = g_array_index (ssn->node_victims, guint32, i) == task;
  for (guint64 left = t->shape->dims; left != 0 && hidden; left &= left - 1) {
    guint d = (guint) __builtin_ctzll (left);
    hidden = vc_le (t->shape->request->v[d], ssn->cluster->nodes.releasing[d][t->node]);
  }
  evict (ssn, task);
  if (hidden) {
    vc_node_hide_released (ssn->cluster, t->node, t->shape, TRUE);
    g_array_append_val (ssn->unreleased, task);
  }
  return TRUE;
}

void
vc_session_unpipeline (VcSession *ssn, guint32 task)
{
  unplace (ssn, task);
}
