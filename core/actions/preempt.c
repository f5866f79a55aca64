/* preempt - starving jobs take room from lower ones of their own queue.
 *
 * Policy: phase 1, per queue, each starving job by job order: its pending tasks look for a node where evicting allowed victims of other jobs
 * of the queue makes room; all of it is committed when the job is then pipelined, else undone. Phase 2: inside each job, higher
 * tasks take room from lower ones, task by task.
 * With enableTopologyAwarePreemption the node is chosen by a dry run that spares victims (preempt-dry-run.c).
 * Mirrors pkg/scheduler/actions/preempt/preempt.go. */
#include "evict.h"
#include <math.h>

const VcArgSpec vc_preempt_args[] = {
  { "predicateErrorCacheEnable", VC_ARG_BOOL, "one cache of failed (job, role, node) tests for the whole action (default true)" },
  { "enableTopologyAwarePreemption", VC_ARG_BOOL, "choose nodes by a dry run that spares victims (default false)" },
  { "topologyAwarePreemptWorkerNum", VC_ARG_INT, "accepted; the dry run is serial (default 16)" },
  { "minCandidateNodesPercentage", VC_ARG_INT, "size of the dry run's shortlist, percent of the nodes (default 10)" },
  { "minCandidateNodesAbsolute", VC_ARG_INT, "its lower limit (default 1)" },
  { "maxCandidateNodesAbsolute", VC_ARG_INT, "its upper limit (default 100)" },
  { NULL, VC_ARG_ANY, NULL },
};

typedef struct {
  VcSession *ssn;
  gboolean error_cache, dry_run;
  VcDryRunLimits limits;
  VcSearch **search; /* job row → helper: one cache for the whole action */
  GArray *nodes, *candidates, *victims, *preemptees;
  VcHeap heap;
} Preempt;

/* F1 and F2 of 02 §5.2: another job of the queue, or the same job. */
static gboolean
may_evict (VcSession *ssn, guint32 preemptor, guint32 candidate, gboolean same_job)
{
  const VcCluster *c = ssn->cluster;
  const VcTask *p = &c->task[preemptor], *v = &c->task[candidate];

  if ((v->status != VC_BOUND && v->status != VC_RUNNING) || (p->best_effort && !v->best_effort) || !v->preemptable || !vc_job_in_session (c, v->job))
    return FALSE;
  if (same_job)
    return v->job == p->job;
  return v->job != p->job && c->job[v->job].queue == c->job[p->job].queue;
}

/* A pod that was nominated once waits for its node, unless that node is beyond help or nobody is leaving it (02 §5.4.1, C2, C3). */
static gboolean
eligible (VcSession *ssn, guint32 task)
{
  const VcCluster *c = ssn->cluster;
  const VcTask *t = &c->task[task];
  VcFitError e = { 0 };

  if (t->never_preempts)
    return FALSE;
  if (t->nominated == VC_NONE)
    return TRUE;
  if (t->nominated == VC_NOMINATED_UNKNOWN || !c->nodes.info[t->nominated].listed)
    return FALSE;
  if (vc_session_predicate (ssn, task, t->nominated, &e))
    return FALSE;
  for (guint i = 0; i < e.n; i++)
    if (e.item[i].code == VC_UNRESOLVABLE)
      return TRUE;
  const VcNode *node = &c->nodes.info[t->nominated];
  for (guint32 i = 0; i < node->n_tasks; i++) {
    const VcTask *v = &c->task[node->task[i]];
    if (v->deleting && v->preemption_victim && v->pod_priority < t->pod_priority)
      return FALSE;
  }
  return TRUE;
}

static gboolean
room_for (Preempt *p, guint32 task, guint32 node)
{
  VcFitError e = { 0 };

  return vc_session_allocatable (p->ssn, p->ssn->cluster->job[p->ssn->cluster->task[task].job].queue, task) &&
         vc_shape_fits (p->ssn->cluster->task[task].shape, p->ssn->cluster->nodes.future, node) && vc_session_predicate (p->ssn, task, node, &e);
}

/* One node: evict in victim order until the task has room, then pipeline it. */
static gboolean
preempt_on (Preempt *p, VcStatement *st, guint32 task, guint32 node, gboolean same_job)
{
  VcSession *ssn = p->ssn;
  VcCluster *c = ssn->cluster;
  guint n;
  const guint32 *on_node = vc_evict_tasks_of (c, node, &n);

  g_array_set_size (p->preemptees, 0);
  for (guint i = 0; i < n; i++)
    if (may_evict (ssn, task, on_node[i], same_job))
      g_array_append_val (p->preemptees, on_node[i]);
  vc_session_victims (ssn, VC_HOOK_PREEMPTABLE, task, (const guint32 *) (gpointer) p->preemptees->data, p->preemptees->len, p->victims);
  if (!vc_evict_enough (c, task, node, p->victims))
    return FALSE;
  g_autoptr (VcStatement) here = vc_statement_new (ssn);
  VcVictimOrder order = { ssn, task };
  gboolean evicted = FALSE, fits = room_for (p, task, node);
  vc_evict_fill (&p->heap, &order, p->victims);
  while (!fits && !vc_heap_is_empty (&p->heap)) {
    guint32 victim = vc_heap_pop (&p->heap);
    vc_statement_evict (here, victim, "preempt");
    evicted |= !c->task[victim].best_effort;
    fits = room_for (p, task, node);
  }
  if (fits && vc_statement_pipeline (here, task, node, evicted)) {
    vc_statement_merge (st, here);
    return TRUE;
  }
  vc_statement_discard (here);
  return FALSE;
}

typedef struct { guint32 node, place; double score; } Scored;

static int
compare_scored (gconstpointer a, gconstpointer b)
{
  const Scored *l = a, *r = b;
  if (l->score != r->score)
    return l->score > r->score ? -1 : 1;
  return l->place < r->place ? -1 : l->place > r->place;
}

static gboolean
preempt_scored (Preempt *p, VcStatement *st, guint32 task, gboolean same_job, const guint32 *rows, guint n)
{
  g_autofree double *total = g_new (double, n);
  g_autofree Scored *order = g_new (Scored, n);

  if (!vc_session_scores (p->ssn, task, rows, n, total))
    return FALSE;
  guint left = 0;
  for (guint i = 0; i < n; i++)
    if (!isnan (total[i])) /* upstream looks the nodes up by their score, and finds none under NaN */
      order[left++] = (Scored) { rows[i], i, total[i] };
  qsort (order, left, sizeof *order, compare_scored);
  for (guint i = 0; i < left; i++)
    if (preempt_on (p, st, task, order[i].node, same_job))
      return TRUE;
  return FALSE;
}

static gboolean
preempt_in (Preempt *p, VcStatement *st, guint32 task, gboolean same_job, const guint32 *rows, guint n)
{
  if (p->dry_run)
    return vc_preempt_dry_run (p->ssn, st, task, same_job, may_evict, &p->limits, rows, n);
  return preempt_scored (p, st, task, same_job, rows, n);
}

static gboolean
preempt_task (Preempt *p, VcStatement *st, guint32 task, gboolean same_job)
{
  VcSession *ssn = p->ssn;
  guint32 job = ssn->cluster->task[task].job;

  if (!eligible (ssn, task) || vc_session_pre_predicate (ssn, task) != NULL)
    return FALSE;
  if (p->search[job] == NULL)
    p->search[job] = vc_search_new (ssn, job, VC_SEARCH_PREEMPT, p->error_cache);
  vc_search_resolvable_nodes (ssn, task, p->nodes);
  vc_search_candidates (p->search[job], task, (const guint32 *) (gpointer) p->nodes->data, p->nodes->len, p->candidates);
  guint32 *rows = (guint32 *) (gpointer) p->candidates->data;
  guint n = p->candidates->len, own = vc_search_by_shard (ssn, rows, n);
  return (own > 0 && preempt_in (p, st, task, same_job, rows, own)) || (own < n && preempt_in (p, st, task, same_job, rows + own, n - own));
}

/* Phase 1 for one queue: between jobs. */
static void
between_jobs (Preempt *p, VcHeap *jobs, const guint32 *tasks_of)
{
  VcSession *ssn = p->ssn;
  g_autoptr (VcStatement) st = vc_statement_new (ssn);

  while (!vc_heap_is_empty (jobs)) {
    guint32 job = vc_heap_pop (jobs);

    while (vc_session_job_starving (ssn, job) && tasks_of[job] != VC_NONE && !vc_heap_is_empty (&ssn->engine->heap[tasks_of[job]]))
      preempt_task (p, st, vc_heap_pop (&ssn->engine->heap[tasks_of[job]]), FALSE);
    if (vc_session_job_pipelined (ssn, job))
      vc_statement_commit (st);
    else
      vc_statement_discard (st);
  }
}

/* Phase 2: inside one job, until a task finds no room. */
static void
inside_job (Preempt *p, guint32 job)
{
  VcSession *ssn = p->ssn;
  g_autoptr (VcStatement) st = vc_statement_new (ssn);
  guint32 slot = VC_NONE;

  if (!vc_evict_pending_heap (ssn, job, &slot))
    return;
  while (!vc_heap_is_empty (&ssn->engine->heap[slot])) {
    guint32 task = vc_heap_pop (&ssn->engine->heap[slot]);
    if (!preempt_task (p, st, task, TRUE)) {
      vc_statement_discard (st);
      return;
    }
    vc_statement_commit (st);
  }
}

static void
read_arguments (Preempt *p)
{
  const VcArgs *args = vc_conf_action_args (p->ssn->engine->conf, "preempt");

  p->error_cache = TRUE;
  p->limits = (VcDryRunLimits) { 10, 1, 100 };
  vc_args_get_bool (args, "predicateErrorCacheEnable", &p->error_cache);
  vc_args_get_bool (args, "enableTopologyAwarePreemption", &p->dry_run);
  vc_args_get_int (args, "minCandidateNodesPercentage", &p->limits.percent);
  vc_args_get_int (args, "minCandidateNodesAbsolute", &p->limits.least);
  vc_args_get_int (args, "maxCandidateNodesAbsolute", &p->limits.most);
}

static void
preempt (VcSession *ssn)
{
  VcEngine *e = ssn->engine;
  VcCluster *c = ssn->cluster;
  g_autofree guint32 *jobs_of = g_new (guint32, c->n_queues + 1);
  guint32 *tasks_of = vc_session_job_slots (ssn);
  g_autoptr (GArray) starving = g_array_new (FALSE, FALSE, sizeof (guint32)); /* in job order of keys */
  g_auto (VcHeap) queues = { 0 };
  Preempt p = { .ssn = ssn,
                .search = vc_arena_new0 (ssn->arena, VcSearch *, c->n_jobs),
                .nodes = g_array_new (FALSE, FALSE, sizeof (guint32)),
                .candidates = g_array_new (FALSE, FALSE, sizeof (guint32)),
                .victims = g_array_new (FALSE, FALSE, sizeof (guint32)),
                .preemptees = g_array_new (FALSE, FALSE, sizeof (guint32)) };

  read_arguments (&p);
  for (guint32 q = 0; q < c->n_queues; q++)
    jobs_of[q] = VC_NONE;
  for (guint i = 0; i < ssn->n_jobs; i++) {
    guint32 job = ssn->jobs[i];
    const char *reason, *message;

    if (vc_job_is_pending (&c->job[job]) || !vc_session_job_valid (ssn, job, &reason, &message) || !vc_session_job_starving (ssn, job) ||
        vc_job_has_topology (&c->job[job])) /* upstream does not preempt for them yet */
      continue;
    if (jobs_of[c->job[job].queue] == VC_NONE)
      vc_session_heap (ssn, &jobs_of[c->job[job].queue], vc_session_heap_job_less);
    vc_heap_push (&e->heap[jobs_of[c->job[job].queue]], job);
    g_array_append_val (starving, job);
    vc_evict_pending_heap (ssn, job, &tasks_of[job]);
  }
  vc_heap_init (&queues, vc_session_heap_queue_less, ssn);
  for (guint32 i = 0; i < c->n_queue_order; i++)
    if (jobs_of[c->queue_order[i]] != VC_NONE)
      vc_heap_push (&queues, c->queue_order[i]);
  while (!vc_heap_is_empty (&queues)) {
    guint32 queue = vc_heap_pop (&queues);
    /* Heaps of the engine move when one is added: phase 2 adds some, phase 1 does not. */
    between_jobs (&p, &e->heap[jobs_of[queue]], tasks_of);
    for (guint i = 0; i < starving->len; i++)
      if (c->job[g_array_index (starving, guint32, i)].queue == queue)
        inside_job (&p, g_array_index (starving, guint32, i));
  }
  vc_heap_clear (&p.heap);
  g_array_unref (p.nodes);
  g_array_unref (p.candidates);
  g_array_unref (p.victims);
  g_array_unref (p.preemptees);
}

const VcActionClass vc_action_preempt = {
  .name = "preempt",
  .summary = "starving jobs evict lower ones of their own queue",
  .args = vc_preempt_args,
  .run = preempt,
};
