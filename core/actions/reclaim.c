/* reclaim - a queue below its share takes room back from other queues.
 *
 * Policy: queues by queue order unless overused, their starving jobs by job order; each pending task goes to the first node, in scan order, where
 * running tasks of reclaimable foreign queues can be evicted to make room. Committed per job when it is then pipelined.
 * A node without such tasks is passed over even when it has room (Q11). Mirrors pkg/scheduler/actions/reclaim/reclaim.go. */
#include "evict.h"

const VcArgSpec vc_reclaim_args[] = {
  { "predicateErrorCacheEnable", VC_ARG_BOOL, "accepted as upstream does; each task has a helper of its own, so it changes nothing (default true)" },
  { NULL, VC_ARG_ANY, NULL },
};

typedef struct {
  VcSession *ssn;
  gboolean error_cache;
  GArray *nodes, *candidates, *victims, *reclaimees;
  VcHeap heap;
} Reclaim;

static gboolean
may_reclaim (const VcCluster *c, guint32 queue, guint32 candidate)
{
  const VcTask *v = &c->task[candidate];

  return v->status == VC_RUNNING && v->preemptable && vc_job_in_session (c, v->job) && c->job[v->job].queue != queue &&
         c->queue[c->job[v->job].queue].reclaimable;
}

static gboolean
reclaim_on (Reclaim *r, VcStatement *st, guint32 task, guint32 node)
{
  VcSession *ssn = r->ssn;
  VcCluster *c = ssn->cluster;
  guint n;
  const guint32 *on_node = vc_evict_tasks_of (c, node, &n);
  const VcShape *shape = c->task[task].shape;
  gboolean evicted = FALSE;

  g_array_set_size (r->reclaimees, 0);
  for (guint i = 0; i < n; i++)
    if (may_reclaim (c, c->job[c->task[task].job].queue, on_node[i]))
      g_array_append_val (r->reclaimees, on_node[i]);
  if (r->reclaimees->len == 0)
    return FALSE;
  /* The filters only take away: when all of them together do not make room, no victim list can (02 §13 S10). */
  if (!vc_evict_enough (c, task, node, r->reclaimees))
    return FALSE;
  vc_session_victims (ssn, VC_HOOK_RECLAIMABLE, task, (const guint32 *) (gpointer) r->reclaimees->data, r->reclaimees->len, r->victims);
  if (!vc_evict_enough (c, task, node, r->victims))
    return FALSE;
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
  VcSearch *search = vc_search_new (ssn, job, VC_SEARCH_PREEMPT, r->error_cache);
  vc_search_resolvable_nodes (ssn, task, r->nodes);
  vc_search_candidates (search, task, (const guint32 *) (gpointer) r->nodes->data, r->nodes->len, r->candidates);
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
