/* allocate - place the pending tasks of admitted jobs.
 *
 * Policy: queues by queue order, in a queue the best job, of a job the tasks by task order until it is ready; then the job goes
 * back, so that each further task competes anew. A gang is committed whole or not at all; one that only fits what is being
 * released stays pipelined until the session closes.
 * Jobs with topology or sub-group specifications are not read yet, so only the flat path exists.
 * Mirrors pkg/scheduler/actions/allocate/allocate.go. */
#include "actions.h"

const VcArgSpec vc_allocate_args[] = {
  { "predicateErrorCacheEnable", VC_ARG_BOOL, "reuse failed (job, role, node) tests within one task loop (default true)" },
  { NULL, VC_ARG_ANY, NULL },
};

typedef struct {
  VcSession *ssn;
  gboolean error_cache;
  VcStatement *st;
  guint32 *tasks_of; /* job row → heap slot of its pending tasks */
} Allocate;

/* Pending tasks of a job that allocate may place, as a heap; FALSE when there is none. A task whose only gate is the admission gate enters (and
 * is dropped later); a best-effort task is backfill's. */
static gboolean
build_tasks (Allocate *a, guint32 job)
{
  VcSession *ssn = a->ssn;
  VcCluster *c = ssn->cluster;
  VcJob *j = &c->job[job];
  VcHeap *h = NULL;

  if (j->count[VC_PENDING] == j->pending_best_effort)
    return FALSE;
  for (guint32 i = 0; i < j->n_tasks; i++) {
    const VcTask *t = &c->task[j->task[i]];
    if (t->status != VC_PENDING || t->best_effort || (t->gated && !t->gate_only_queue))
      continue;
    if (h == NULL)
      h = vc_session_heap (ssn, &a->tasks_of[job], vc_session_heap_task_less);
    vc_heap_push (h, j->task[i]);
  }
  return h != NULL;
}

/* The nominated node first, when the task fits what it will have free. */
static VcSearchResult
try_nominated (Allocate *a, VcSearch *search, guint32 task, guint32 *node)
{
  VcCluster *c = a->ssn->cluster;
  const VcTask *t = &c->task[task];

  if (t->nominated >= VC_NOMINATED_UNKNOWN || !c->nodes.info[t->nominated].listed)
    return VC_NO_CANDIDATE;
  if (!vc_shape_fits (t->shape, c->nodes.future, t->nominated))
    return VC_NO_CANDIDATE;
  return vc_search_pick_one (search, task, t->nominated, node);
}

/* The node of each pending task that its pod was nominated to, when all of them could go there one by one. */
static gboolean
plan_nominated (Allocate *a, guint32 job, VcHeap *tasks, GArray *plan)
{
  VcSession *ssn = a->ssn;
  VcCluster *c = ssn->cluster;
  VcSearch *search = vc_search_new (ssn, job, VC_SEARCH_ALLOCATE, a->error_cache);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (guint32));

  while (!vc_heap_is_empty (tasks)) {
    guint32 task = vc_heap_pop (tasks), node = c->task[task].nominated;

    if (!vc_session_allocatable (ssn, c->job[job].queue, task) || node >= VC_NOMINATED_UNKNOWN || !c->nodes.info[node].listed ||
        vc_session_pre_predicate (ssn, task) != NULL)
      return FALSE;
    vc_search_candidates (search, task, &node, 1, found);
    if (found->len == 0)
      return FALSE;
    g_array_append_val (plan, task);
  }
  return TRUE;
}

/* A gang that gangpreempt or gangreclaim has placed in this session: all its other tasks go to their nominated nodes, gated ones too,
 * and one that finds no room there any more is left out. Else the gang loses its nominations (02 §3.9). */
static gboolean
allocate_nominated (Allocate *a, guint32 job)
{
  VcSession *ssn = a->ssn;
  VcCluster *c = ssn->cluster;
  VcHeap *heap = &ssn->engine->heap[a->tasks_of[job]];
  g_auto (VcHeap) preview = { 0 };
  g_autoptr (GArray) plan = g_array_new (FALSE, FALSE, sizeof (guint32));

  vc_heap_clone (&preview, heap);
  gboolean good = plan_nominated (a, job, &preview, plan);
  for (guint i = 0; i < plan->len && good; i++) {
    guint32 task = g_array_index (plan, guint32, i), node = c->task[task].nominated;

    if (vc_shape_fits (c->task[task].shape, c->nodes.idle, node))
      good = vc_statement_allocate (a->st, task, node);
    else if (vc_shape_fits (c->task[task].shape, c->nodes.future, node))
      good = vc_statement_pipeline (a->st, task, node, FALSE);
  }
  if (good) {
    heap->n = 0;
    return TRUE;
  }
  vc_statement_discard (a->st);
  c->job[job].placed_session = 0;
  for (guint32 i = 0; i < heap->n; i++)
    if (c->task[heap->item[i]].nominated != VC_NONE) {
      c->task[heap->item[i]].nominated = VC_NONE;
      ssn->result.changed = TRUE;
    }
  return FALSE;
}

/* One task: TRUE to go on with the next one, FALSE to leave the loop. */
static gboolean
allocate_task (Allocate *a, VcSearch *search, guint32 job, guint32 task)
{
  VcSession *ssn = a->ssn;
  VcCluster *c = ssn->cluster;
  VcTask *t = &c->task[task];
  guint32 node = VC_NONE;

  if (!vc_session_allocatable (ssn, c->job[job].queue, task))
    return TRUE; /* dropped without a fit error */
  if (t->gated)
    return TRUE; /* removing the admission gate is asynchronous: it shows in a later cycle */
  if (vc_fit_role_failed (ssn, task)) {
    g_autofree char *text = g_strdup_printf ("Task %s with role spec %s has already predicated failed, skip", t->name, c->job[job].role[t->role].name);
    vc_fit_record_text (ssn, task, vc_arena_strdup (ssn->arena, text), FALSE);
    return TRUE;
  }
  const char *refusal = vc_session_pre_predicate (ssn, task);
  if (refusal != NULL) {
    vc_fit_record_text (ssn, task, refusal, TRUE);
    return vc_fit_need_continue (ssn, job);
  }
  VcSearchResult found = c->job[job].nominated_any ? try_nominated (a, search, task, &node) : VC_NO_CANDIDATE;
  if (found == VC_NO_CANDIDATE)
    found = vc_search_pick (search, task, &node);
  if (found == VC_NO_CANDIDATE)
    return vc_fit_need_continue (ssn, job);
  if (found == VC_NO_CHOICE)
    return TRUE;
  gboolean placed = vc_shape_fits (t->shape, c->nodes.idle, node) ? vc_statement_allocate (a->st, task, node) : vc_statement_pipeline (a->st, task, node, FALSE);
  return !placed || !vc_session_sub_job_ready (ssn, job);
}

/* The task loop (02 §3.5). TRUE: the statement stands (it may be empty). */
static gboolean
allocate_tasks (Allocate *a, guint32 job)
{
  VcSession *ssn = a->ssn;
  VcSearch *search = vc_search_new (ssn, job, VC_SEARCH_ALLOCATE, a->error_cache);

  if (ssn->cluster->nodes.n_list == 0)
    return FALSE;
  while (!vc_heap_is_empty (&ssn->engine->heap[a->tasks_of[job]]))
    if (!allocate_task (a, search, job, vc_heap_pop (&ssn->engine->heap[a->tasks_of[job]])))
      break;
  if (vc_session_sub_job_ready (ssn, job) || vc_session_sub_job_pipelined (ssn, job))
    return TRUE;
  vc_statement_discard (a->st);
  return FALSE;
}

static void
allocate (VcSession *ssn)
{
  VcEngine *e = ssn->engine;
  VcCluster *c = ssn->cluster;
  g_autoptr (VcStatement) st = vc_statement_new (ssn);
  g_autofree guint32 *jobs_of = g_new (guint32, c->n_queues + 1); /* queue row → heap slot */
  g_auto (VcHeap) queues = { 0 };
  Allocate a = { .ssn = ssn, .error_cache = TRUE, .st = st, .tasks_of = vc_session_job_slots (ssn) };

  vc_args_get_bool (vc_conf_action_args (e->conf, "allocate"), "predicateErrorCacheEnable", &a.error_cache);
  vc_heap_init (&queues, vc_session_heap_queue_less, ssn);
  for (guint32 q = 0; q < c->n_queues; q++)
    jobs_of[q] = VC_NONE;
  for (guint i = 0; i < ssn->n_jobs; i++) {
    guint32 job = ssn->jobs[i];
    VcJob *j = &c->job[job];
    const char *reason, *message;

    if (vc_job_is_pending (j)) {
      if (e->has_enqueue)
        continue;
      j->phase = VC_PG_INQUEUE; /* without the hooks of enqueue (Q23) */
    }
    if (j->count[VC_PENDING] == j->pending_best_effort || !vc_session_job_valid (ssn, job, &reason, &message) || !build_tasks (&a, job))
      continue;
    if (jobs_of[j->queue] == VC_NONE) {
      vc_session_heap (ssn, &jobs_of[j->queue], vc_session_heap_job_less);
      vc_heap_push (&queues, j->queue);
    }
    vc_heap_push (&e->heap[jobs_of[j->queue]], job);
  }
  while (!vc_heap_is_empty (&queues)) {
    guint32 queue = vc_heap_pop (&queues);

    if (vc_session_overused (ssn, queue)) {
      vc_session_log (ssn, 3, "queue %s is overused", c->queue[queue].name);
      continue; /* for this cycle */
    }
    if (vc_heap_is_empty (&e->heap[jobs_of[queue]]))
      continue;
    guint32 job = vc_heap_pop (&e->heap[jobs_of[queue]]);
    ssn->result.jobs_considered++;
    if ((c->job[job].placed_session == ssn->number && allocate_nominated (&a, job)) || allocate_tasks (&a, job)) {
      if (vc_session_job_ready (ssn, job)) {
        vc_statement_commit (st);
        c->job[job].placed_session = 0;
        if (!vc_heap_is_empty (&e->heap[a.tasks_of[job]]))
          vc_heap_push (&e->heap[jobs_of[queue]], job);
      } else {
        /* Pipelined only: kept for the rest of the cycle, never bound, never undone. */
        g_autoptr (VcStatement) kept = vc_statement_new (ssn);
        vc_statement_merge (kept, st);
      }
    }
    vc_heap_push (&queues, queue);
  }
}

const VcActionClass vc_action_allocate = {
  .name = "allocate",
  .summary = "place the pending tasks of admitted jobs, gangs whole or not at all",
  .args = vc_allocate_args,
  .run = allocate,
};
