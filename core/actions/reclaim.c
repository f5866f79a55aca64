/* reclaim - a queue below its share takes room back from other queues.
 *
 * Policy: queues by queue order unless overused, their starving jobs by job order; each pending task goes to the first node, in scan order, where
 * running tasks of reclaimable foreign queues can be evicted to make room. Committed per job when it is then pipelined.
 * A node without such tasks is passed over even when it has room (Q11). Mirrors pkg/scheduler/actions/reclaim/reclaim.go.
 *
 * Most attempts are in vain, and most tasks that wait are alike in all that the victim filters read. What one of them has found on a node is
 * remembered for the others, until a task is placed or evicted: how far victims would make room, or, when the filters read what the task
 * requests, that they do not make enough. */
#include "evict.h"

const VcArgSpec vc_reclaim_args[] = {
  { "predicateErrorCacheEnable", VC_ARG_BOOL, "accepted as upstream does; each task has a helper of its own, so it changes nothing (default true)" },
  { NULL, VC_ARG_ANY, NULL },
};

enum { NOTHING = 1, NOT_ENOUGH, SOME_ROOM }; /* what is found on a node: no candidates; too little for the shape; `room` */

/* What evictors of one queue, or of one queue and shape, have found in this session. */
typedef struct {
  guint32 *moves; /* [node row] the session's moves by then, and */
  guint8 *found;  /* [node row] what was found; 0: nobody has looked */
  double *room;   /* [node row][resource] FutureIdle with all victims; NULL where the shape counts */
} Findings;

typedef struct {
  VcSession *ssn;
  gboolean error_cache, remembered;
  VcVictimReads reads;
  GHashTable *findings; /* queue, and shape where that counts (gint64) → Findings */
  Findings *now;        /* of the present task; NULL: nothing is remembered */
  GArray *nodes, *candidates, *victims, *reclaimees;
  VcHeap heap;
} Reclaim;

static void
findings_free (gpointer p)
{
  Findings *f = p;

  g_free (f->moves);
  g_free (f->found);
  g_free (f->room);
  g_free (f);
}

static Findings *
findings_for (Reclaim *r, guint32 task)
{
  const VcCluster *c = r->ssn->cluster;
  const VcTask *t = &c->task[task];
  gint64 key = (gint64) c->job[t->job].queue << 32 | (r->reads == VC_READS_SHAPE ? t->shape->id : 0);
  Findings *f;

  if (r->reads == VC_READS_EVICTOR)
    return NULL;
  f = g_hash_table_lookup (r->findings, &key);
  if (f == NULL) {
    f = g_new0 (Findings, 1);
    f->moves = g_new (guint32, c->nodes.n);
    f->found = g_new0 (guint8, c->nodes.n);
    if (r->reads == VC_READS_QUEUE)
      f->room = g_new (double, (gsize) c->nodes.n * c->n_res);
    g_hash_table_insert (r->findings, g_memdup2 (&key, sizeof key), f);
  }
  return f;
}

/* Is it known that the task gets no room on the node? */
static gboolean
known_in_vain (const Reclaim *r, guint32 task, guint32 node)
{
  const Findings *f = r->now;
  const VcCluster *c = r->ssn->cluster;
  const VcShape *shape = c->task[task].shape;

  if (f == NULL || f->found[node] == 0 || f->moves[node] != r->ssn->moves)
    return FALSE;
  if (f->found[node] != SOME_ROOM)
    return TRUE;
  for (guint64 left = shape->dims; left != 0; left &= left - 1) {
    guint d = (guint) __builtin_ctzll (left);
    if (!vc_le (shape->request->v[d], f->room[(gsize) node * c->n_res + d]))
      return TRUE;
  }
  return FALSE;
}

static void
note (Reclaim *r, guint32 node, guint8 found)
{
  Findings *f = r->now;
  const VcCluster *c = r->ssn->cluster;

  if (f == NULL)
    return;
  f->moves[node] = r->ssn->moves;
  f->found[node] = found;
  if (found != SOME_ROOM)
    return;
  double *room = f->room + (gsize) node * c->n_res;
  for (guint d = 0; d < c->n_res; d++)
    room[d] = c->nodes.future[d][node];
  for (guint i = 0; i < r->victims->len; i++) {
    const VcShape *shape = c->task[g_array_index (r->victims, guint32, i)].shape;
    for (guint64 left = shape->dims; left != 0; left &= left - 1) {
      guint d = (guint) __builtin_ctzll (left);
      room[d] += shape->request->v[d];
    }
  }
}

static gboolean
may_reclaim (const VcCluster *c, guint32 queue, guint32 candidate)
{
  const VcTask *v = &c->task[candidate];

  return v->status == VC_RUNNING && v->preemptable && vc_job_in_session (c, v->job) && c->job[v->job].queue != queue &&
         c->queue[c->job[v->job].queue].reclaimable;
}

/* Victims for the task on the node: r->victims, when they make room enough. */
static gboolean
find_victims (Reclaim *r, guint32 task, guint32 node)
{
  VcSession *ssn = r->ssn;
  VcCluster *c = ssn->cluster;
  guint n;
  const guint32 *on_node = vc_evict_tasks_of (c, node, &n);

  g_array_set_size (r->reclaimees, 0);
  for (guint i = 0; i < n; i++)
    if (may_reclaim (c, c->job[c->task[task].job].queue, on_node[i]))
      g_array_append_val (r->reclaimees, on_node[i]);
  if (r->reclaimees->len == 0) {
    note (r, node, NOTHING);
    return FALSE;
  }
  /* The filters only take away: when all of them together do not make room, no victim list can (02 §13 S10). Others may need less. */
  if (r->reads != VC_READS_QUEUE && !vc_evict_enough (c, task, node, r->reclaimees)) {
    note (r, node, NOT_ENOUGH);
    return FALSE;
  }
  vc_session_victims (ssn, VC_HOOK_RECLAIMABLE, task, (const guint32 *) (gpointer) r->reclaimees->data, r->reclaimees->len, r->victims);
  if (r->reads == VC_READS_QUEUE)
    note (r, node, SOME_ROOM);
  if (vc_evict_enough (c, task, node, r->victims))
    return TRUE;
  if (r->reads == VC_READS_SHAPE)
    note (r, node, NOT_ENOUGH);
  return FALSE;
}

static gboolean
reclaim_on (Reclaim *r, VcStatement *st, guint32 task, guint32 node)
{
  VcSession *ssn = r->ssn;
  VcCluster *c = ssn->cluster;
  const VcShape *shape = c->task[task].shape;
  gboolean evicted = FALSE;

  if (known_in_vain (r, task, node) || !find_victims (r, task, node))
    return FALSE;
  if (r->remembered)
    vc_search_ask_evictable (ssn, task, node);
  VC_RES_LOCAL (room, c->n_res);
  for (guint d = 0; d < c->n_res; d++)
    room->v[d] = c->nodes.future[d][node];
  VcVictimOrder order = { ssn, task };
  g_autoptr (VcStatement) here = vc_statement_new (ssn);
  vc_evict_fill (&r->heap, &order, r->victims);
  for (;;) {
    gboolean fits = TRUE;
    for (guint64 left = shape->dims; left != 0 && fits; left &= left - 1) {
      guint d = (guint) __builtin_ctzll (left);
      fits = vc_le (shape->request->v[d], room->v[d]);
    }
    if (fits) {
      if (!vc_statement_pipeline (here, task, node, evicted))
        break;
      vc_statement_merge (st, here);
      return TRUE;
    }
    if (vc_heap_is_empty (&r->heap))
      break;
    guint32 victim = vc_heap_pop (&r->heap);
    vc_statement_evict (here, victim, "reclaim");
    evicted = TRUE;
    for (guint d = 0; d < c->n_res; d++)
      room->v[d] += c->task[victim].shape->request->v[d];
  }
  vc_statement_discard (here);
  return FALSE;
}

static void
reclaim_task (Reclaim *r, VcStatement *st, guint32 task)
{
  VcSession *ssn = r->ssn;
  VcCluster *c = ssn->cluster;
  guint32 job = c->task[task].job;

  if (c->task[task].never_preempts || !vc_session_preemptive (ssn, c->job[job].queue, &task, 1) || vc_session_pre_predicate (ssn, task) != NULL)
    return;
  r->remembered = vc_search_evictable (ssn, task, r->error_cache, r->nodes, r->candidates);
  r->now = findings_for (r, task);
  vc_search_by_shard (ssn, (guint32 *) (gpointer) r->candidates->data, r->candidates->len);
  for (guint i = 0; i < r->candidates->len; i++)
    if (reclaim_on (r, st, task, g_array_index (r->candidates, guint32, i)))
      return;
}

static void
reclaim (VcSession *ssn)
{
  VcEngine *e = ssn->engine;
  VcCluster *c = ssn->cluster;
  g_autofree guint32 *jobs_of = g_new (guint32, c->n_queues + 1);
  guint32 *tasks_of = vc_session_job_slots (ssn);
  g_autoptr (VcStatement) st = vc_statement_new (ssn);
  g_auto (VcHeap) queues = { 0 };
  Reclaim r = { .ssn = ssn,
                .error_cache = TRUE,
                .reads = vc_session_victims_read (ssn, VC_HOOK_RECLAIMABLE),
                .findings = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, findings_free),
                .nodes = g_array_new (FALSE, FALSE, sizeof (guint32)),
                .candidates = g_array_new (FALSE, FALSE, sizeof (guint32)),
                .victims = g_array_new (FALSE, FALSE, sizeof (guint32)),
                .reclaimees = g_array_new (FALSE, FALSE, sizeof (guint32)) };

  vc_args_get_bool (vc_conf_action_args (e->conf, "reclaim"), "predicateErrorCacheEnable", &r.error_cache);
  vc_evict_queues (ssn, &queues, jobs_of, tasks_of);
  while (!vc_heap_is_empty (&queues)) {
    guint32 queue = vc_heap_pop (&queues);

    if (vc_session_overused (ssn, queue))
      continue;
    while (jobs_of[queue] != VC_NONE && !vc_heap_is_empty (&e->heap[jobs_of[queue]])) {
      guint32 job = vc_heap_pop (&e->heap[jobs_of[queue]]);
      while (vc_session_job_starving (ssn, job) && tasks_of[job] != VC_NONE && !vc_heap_is_empty (&e->heap[tasks_of[job]]))
        reclaim_task (&r, st, vc_heap_pop (&e->heap[tasks_of[job]]));
      if (vc_session_job_pipelined (ssn, job))
        vc_statement_commit (st);
      else
        vc_statement_discard (st);
      /* After every job, as upstream: what is pushed more than once finds its jobs gone, but Overused is asked once more (Q9), and under
       * hierarchical capacity, where shares change while queues wait in the heap, each push decides who comes next. */
      if (!vc_heap_is_empty (&e->heap[jobs_of[queue]]))
        vc_heap_push (&queues, queue);
    }
  }
  vc_heap_clear (&r.heap);
  g_hash_table_unref (r.findings);
  g_array_unref (r.nodes);
  g_array_unref (r.candidates);
  g_array_unref (r.victims);
  g_array_unref (r.reclaimees);
}

const VcActionClass vc_action_reclaim = {
  .name = "reclaim",
  .summary = "a queue below its share evicts tasks of other queues",
  .args = vc_reclaim_args,
  .run = reclaim,
};
