/* allocate - place the pending tasks of admitted jobs.
 *
 * Policy: queues by queue order, in a queue the best job, of a job the tasks by task order until it is ready; then the job goes
 * back, so that each further task competes anew. A gang is committed whole or not at all; one that only fits what is being
 * released stays pipelined until the session closes.
 * Jobs with a hard network topology or with sub-group policies are tried in one HyperNode after the other (allocate-topology.c).
 * Mirrors pkg/scheduler/actions/allocate/allocate.go. */
#include "allocate.h"
#include "core/session/job-lines.h"
#include "core/session/task-lines.h"
#include "core/session/turns.h"

const VcArgSpec vc_allocate_args[] = {
  { "predicateErrorCacheEnable", VC_ARG_BOOL, "reuse failed (job, role, node) tests within one task loop (default true)" },
  { NULL, VC_ARG_ANY, NULL },
};

/* Pending tasks of a job that allocate may place, as a heap; FALSE when there is none. A task whose only gate is the admission gate enters (and
 * is dropped later); a best-effort task is backfill's. */
static gboolean
build_tasks (VcAllocate *a, guint32 job)
{
  VcSession *ssn = a->ssn;
  VcCluster *c = ssn->cluster;
  VcJob *j = &c->job[job];
  VcHeap *h = NULL;
  const VcTaskLine *line = vc_task_line (ssn, job);

  if (line != NULL) {
    if (line->n > 0)
      vc_heap_of_line (vc_session_heap (ssn, &a->tasks_of[job], vc_session_heap_task_less), line->task, line->n);
    return line->n > 0;
  }
  for (guint32 i = 0; i < j->n_tasks; i++) {
    if (!vc_task_may_be_placed (&c->task[j->task[i]]))
      continue;
    if (h == NULL)
      h = vc_session_heap (ssn, &a->tasks_of[job], vc_session_heap_task_less);
    vc_heap_push (h, j->task[i]);
  }
  return h != NULL;
}

static gboolean
build_work (VcAllocate *a, guint32 job)
{
  const VcJob *j = &a->ssn->cluster->job[job];

  if (j->count[VC_PENDING] == j->pending_best_effort)
    return FALSE;
  if (j->subs == NULL)
    return build_tasks (a, job);
  if (!vc_session_hypers (a->ssn)->ready && vc_job_has_topology (j))
    return FALSE;
  VcDividedJob *d = vc_divided_job_new (a->ssn, job);
  if (vc_worksheet_is_empty (d->sheet))
    g_clear_pointer (&d, vc_divided_job_free);
  a->divided[job] = d;
  return d != NULL;
}

/* The nominated node first, when it is one of @hyper and the task fits what it will have free. */
static VcSearchResult
try_nominated (VcAllocate *a, VcSearch *search, guint32 task, guint32 hyper, guint32 *node)
{
  VcCluster *c = a->ssn->cluster;
  const VcTask *t = &c->task[task];

  if (t->nominated >= VC_NOMINATED_UNKNOWN || !c->nodes.info[t->nominated].listed)
    return VC_NO_CANDIDATE;
  if (hyper != VC_HYPER_ROOT && !vc_hyper_holds (vc_session_hypers (a->ssn), hyper, t->nominated))
    return VC_NO_CANDIDATE;
  if (!vc_shape_fits (t->shape, c->nodes.future, t->nominated))
    return VC_NO_CANDIDATE;
  return vc_search_pick_one (search, task, t->nominated, node);
}

/* Where a nominated task goes when its node still takes it: idle room, room that is being released, or nowhere (no error). */
static gboolean
place_on (VcStatement *st, const VcCluster *c, guint32 task, guint32 node)
{
  if (vc_shape_fits (c->task[task].shape, c->nodes.idle, node))
    return vc_statement_allocate (st, task, node);
  return !vc_shape_fits (c->task[task].shape, c->nodes.future, node) || vc_statement_pipeline (st, task, node, FALSE);
}

/* ---- nominations of the gang actions ---------------------------------------------------------------- */

guint32
vc_allocate_pinned (const VcAllocate *a, guint32 job, guint32 sub)
{
  const VcSession *ssn = a->ssn;
  const VcJob *j = &ssn->cluster->job[job];
  const VcSubJob *b = j->subs != NULL ? vc_job_sub (j, sub) : NULL;

  if (b == NULL)
    return j->placed_session == ssn->number ? VC_HYPER_ROOT : VC_HYPER_NONE;
  return b->nominated_session == ssn->number ? b->nominated : VC_HYPER_NONE;
}

static void
forget_nomination (const VcSession *ssn, guint32 job, guint32 sub)
{
  VcJob *j = &ssn->cluster->job[job];

  j->placed_session = 0;
  if (j->subs != NULL)
    vc_job_sub (j, sub)->nominated_session = 0;
}

/* The node of each pending task that its pod was nominated to, when all of them could go there one by one. */
static gboolean
plan_nominated (VcAllocate *a, guint32 job, guint32 pinned, const VcHeap *tasks, GArray *plan)
{
  VcSession *ssn = a->ssn;
  VcCluster *c = ssn->cluster;
  VcSearch *search = vc_search_scratch (ssn, job, VC_SEARCH_ALLOCATE, a->error_cache);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_auto (VcHeap) preview = { 0 };

  vc_heap_clone (&preview, tasks);
  while (!vc_heap_is_empty (&preview)) {
    guint32 task = vc_heap_pop (&preview), node = c->task[task].nominated;

    if (!vc_session_allocatable (ssn, c->job[job].queue, task) || node >= VC_NOMINATED_UNKNOWN || !c->nodes.info[node].listed ||
        (pinned != VC_HYPER_ROOT && !vc_hyper_holds (vc_session_hypers (ssn), pinned, node)) || vc_session_pre_predicate (ssn, task) != NULL)
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
gboolean
vc_allocate_nominated (VcAllocate *a, VcStatement *st, guint32 job, guint32 sub, VcHeap *tasks, guint32 hyper)
{
  VcSession *ssn = a->ssn;
  VcCluster *c = ssn->cluster;
  guint32 pinned = vc_allocate_pinned (a, job, sub);
  VcSubJob *b = c->job[job].subs != NULL ? vc_job_sub (&c->job[job], sub) : NULL;
  g_autoptr (GArray) plan = g_array_new (FALSE, FALSE, sizeof (guint32));

  if (pinned == VC_HYPER_NONE)
    return FALSE;
  gboolean good = (pinned == VC_HYPER_ROOT ? c->nodes.n_list : vc_session_hypers (ssn)->hyper[pinned].n_nodes) > 0 &&
                  plan_nominated (a, job, pinned, tasks, plan);
  for (guint i = 0; i < plan->len && good; i++) {
    guint32 task = g_array_index (plan, guint32, i);

    if (b != NULL && b->rule.given) {
      c->task[task].job_hyper = pinned;
      vc_session_touch (ssn, task); /* it ends with the session */
    }
    good = place_on (st, c, task, c->task[task].nominated);
  }
  if (good) {
    tasks->n = 0;
    if (b != NULL)
      b->allocated = vc_hyper_lca (vc_session_hypers (ssn), b->allocated, pinned);
    return TRUE;
  }
  vc_statement_discard (st);
  forget_nomination (ssn, job, sub);
  for (guint32 i = 0; i < tasks->n; i++)
    if (c->task[vc_heap_item (tasks, i)].nominated != VC_NONE) {
      c->task[vc_heap_item (tasks, i)].nominated = VC_NONE;
      ssn->result.changed = TRUE;
    }
  return FALSE;
}

/* ---- the task loop ----------------------------------------------------------------------------------- */

typedef struct {
  VcAllocate *a;
  VcStatement *st;
  VcSearch *search;
  guint32 job, sub, hyper;
  gboolean aware;  /* the sub-job has a topology: scores know what it holds */
  guint32 held;    /* HyperNode of what it holds, with what this loop has placed */
  enum { LOOKED_AT, REFUSED, SKIPPED } how; /* what became of the last task: refused by its queue, or skipped with its role */
  guint n_alike;   /* roles of a line whose tasks fare alike as long as nothing is placed; 0: a task is not like another */
  guint64 stretch; /* since something was placed */
  guint n_refused, n_skipped; /* roles of which a task was, in this stretch */
} Loop;

/* One task: TRUE to go on with the next one, FALSE to leave the loop. */
static gboolean
allocate_task (Loop *l, guint32 task)
{
  VcSession *ssn = l->a->ssn;
  VcCluster *c = ssn->cluster;
  VcTask *t = &c->task[task];
  guint32 node = VC_NONE, before = t->job_hyper;

  l->how = LOOKED_AT;
  if (!vc_session_allocatable (ssn, c->job[l->job].queue, task)) {
    l->how = REFUSED;
    l->a->dropped = TRUE; /* without a fit error */
    return TRUE;
  }
  if (t->gated) {
    l->a->dropped = TRUE;
    return TRUE; /* removing the admission gate is asynchronous: it shows in a later cycle */
  }
  if (vc_fit_role_failed (ssn, task)) {
    l->how = SKIPPED;
    vc_fit_record_skipped (ssn, &task, 1);
    return TRUE;
  }
  const char *refusal = vc_session_pre_predicate (ssn, task);
  if (refusal != NULL) {
    l->a->dropped = TRUE;
    vc_fit_record_refusal (ssn, task, refusal, l->hyper == VC_HYPER_ROOT ? c->nodes.n_list : vc_session_hypers (ssn)->hyper[l->hyper].n_nodes);
    return vc_fit_need_continue (ssn, l->job, l->sub);
  }
  if (l->aware)
    t->job_hyper = l->held;
  l->a->asked++;
  VcSearchResult found = c->job[l->job].nominated_any ? try_nominated (l->a, l->search, task, l->hyper, &node) : VC_NO_CANDIDATE;
  if (found == VC_NO_CANDIDATE)
    found = vc_search_pick_within (l->search, task, l->hyper, &node);
  if (found == VC_NO_CANDIDATE) {
    t->job_hyper = before;
    return vc_fit_need_continue (ssn, l->job, l->sub);
  }
  if (found == VC_NO_CHOICE) {
    l->a->dropped = TRUE;
    if (l->aware)
      vc_session_touch (ssn, task); /* job_hyper ends with the session */
    return TRUE;
  }
  gboolean placed = vc_shape_fits (t->shape, c->nodes.idle, node) ? vc_statement_allocate (l->st, task, node) : vc_statement_pipeline (l->st, task, node, FALSE);
  if (!placed) {
    l->a->dropped = TRUE;
    return TRUE;
  }
  if (l->aware && vc_hyper_lowest (vc_session_hypers (ssn), node) != VC_HYPER_NONE)
    l->held = vc_hyper_lca (vc_session_hypers (ssn), vc_hyper_lowest (vc_session_hypers (ssn), node), l->held);
  return !vc_session_sub_job_ready (ssn, l->job, l->sub);
}

/* Once each role had a task refused or skipped, and nothing has been placed since, all that follow fare like these. */
static void
treat_alike (Loop *l, guint32 last, VcHeap *tasks)
{
  VcSession *ssn = l->a->ssn;
  VcRole *role = &ssn->cluster->job[l->job].role[ssn->cluster->task[last].role];

  if (l->how == LOOKED_AT) {
    l->stretch = ++ssn->engine->loops;
    l->n_refused = l->n_skipped = 0;
    return;
  }
  if (role->settled == l->stretch)
    return;
  role->settled = l->stretch;
  *(l->how == REFUSED ? &l->n_refused : &l->n_skipped) += 1;
  if (l->n_skipped == l->n_alike)
    vc_fit_record_skipped (ssn, tasks->line, tasks->n);
  if (l->n_skipped == l->n_alike || l->n_refused == l->n_alike)
    tasks->n = 0;
}

gboolean
vc_allocate_tasks (VcAllocate *a, VcStatement *st, guint32 job, guint32 sub, VcHeap *tasks, guint32 hyper)
{
  VcSession *ssn = a->ssn;
  const VcSubJob *b = ssn->cluster->job[job].subs != NULL ? vc_job_sub (&ssn->cluster->job[job], sub) : NULL;
  Loop l = { .a = a, .st = st, .job = job, .sub = sub, .hyper = hyper, .aware = b != NULL && b->rule.given, .held = b != NULL ? b->allocated : VC_HYPER_NONE };

  a->asked = 0;
  a->dropped = FALSE;
  if ((hyper == VC_HYPER_ROOT ? ssn->cluster->nodes.n_list : vc_session_hypers (ssn)->hyper[hyper].n_nodes) == 0)
    return FALSE;
  l.search = vc_search_scratch (ssn, job, VC_SEARCH_ALLOCATE, a->error_cache);
  l.n_alike = tasks->line != NULL ? vc_task_line_roles_alike (ssn, job) : 0;
  l.stretch = ++ssn->engine->loops;
  while (!vc_heap_is_empty (tasks)) {
    guint32 task = vc_heap_pop (tasks);

    if (!allocate_task (&l, task))
      break;
    if (l.n_alike > 0)
      treat_alike (&l, task, tasks);
  }
  return vc_session_sub_job_ready (ssn, job, sub) || vc_session_sub_job_pipelined (ssn, job, sub);
}

/* ---- jobs ------------------------------------------------------------------------------------------- */

/* Pipelined only: kept for the rest of the cycle, never bound, never undone. */
static void
keep_pipelined (VcSession *ssn, VcStatement *st)
{
  g_autoptr (VcStatement) kept = vc_statement_new (ssn);
  vc_statement_merge (kept, st);
}

/* TRUE: the job goes back to its queue. */
static gboolean
allocate_flat (VcAllocate *a, VcStatement *st, guint32 job)
{
  VcSession *ssn = a->ssn;
  VcJob *j = &ssn->cluster->job[job];
  guint32 sub = 0; /* the default sub-job is the only one */
  VcHeap *tasks = j->subs != NULL ? &a->divided[job]->sheet->tasks[sub] : &ssn->engine->heap[a->tasks_of[job]];

  if (!vc_allocate_nominated (a, st, job, sub, tasks, VC_HYPER_ROOT) && !vc_allocate_tasks (a, st, job, sub, tasks, VC_HYPER_ROOT)) {
    vc_statement_discard (st);
    return FALSE;
  }
  if (!vc_session_job_ready (ssn, job)) {
    keep_pipelined (ssn, st);
    return FALSE;
  }
  vc_statement_commit (st);
  forget_nomination (ssn, job, sub);
  return !vc_heap_is_empty (tasks);
}

static gboolean
allocate_job (VcAllocate *a, VcStatement *st, guint32 job)
{
  VcSession *ssn = a->ssn;
  VcJob *j = &ssn->cluster->job[job];

  if (!vc_job_has_policies (j) && !vc_job_has_hard_topology (j))
    return allocate_flat (a, st, job);
  if (!vc_allocate_divided (a, st, job))
    return FALSE;
  if (!vc_session_job_ready (ssn, job)) {
    keep_pipelined (ssn, st);
    return FALSE;
  }
  vc_statement_commit (st);
  vc_allocate_keep_decision (a, job);
  return !vc_worksheet_is_empty (a->divided[job]->sheet);
}

static void
allocate (VcSession *ssn)
{
  VcEngine *e = ssn->engine;
  VcCluster *c = ssn->cluster;
  g_autoptr (VcStatement) st = vc_statement_new (ssn);
  VcJobLines *jobs = vc_job_lines_begin (ssn);
  g_autofree VcDividedJob **divided = c->n_divided > 0 ? g_new0 (VcDividedJob *, c->n_jobs) : NULL;
  g_auto (VcHeap) queues = { 0 };
  VcAllocate a = { .ssn = ssn, .error_cache = TRUE, .tasks_of = vc_session_job_slots (ssn), .divided = divided };

  vc_args_get_bool (vc_conf_action_args (e->conf, "allocate"), "predicateErrorCacheEnable", &a.error_cache);
  vc_heap_init (&queues, vc_session_heap_queue_less, ssn);
  for (guint i = 0; i < ssn->n_jobs; i++) {
    guint32 job = ssn->jobs[i];
    VcJob *j = &c->job[job];
    const char *reason, *message;

    if (vc_job_is_pending (j)) {
      if (e->has_enqueue)
        continue;
      j->phase = VC_PG_INQUEUE; /* without the hooks of enqueue (Q23) */
    }
    if (j->count[VC_PENDING] == j->pending_best_effort || !vc_session_job_valid (ssn, job, &reason, &message) || !build_work (&a, job))
      continue;
    if (vc_job_lines_add (jobs, j->queue, job))
      vc_heap_push (&queues, j->queue);
  }
  vc_job_lines_close (jobs);
  while (!vc_heap_is_empty (&queues)) {
    guint32 queue = vc_heap_pop (&queues);

    if (vc_session_overused (ssn, queue)) {
      vc_session_log (ssn, 3, "queue %s is overused", c->queue[queue].name);
      vc_turns_queue (ssn, queue, &queues);
      continue; /* for this cycle */
    }
    if (vc_job_lines_is_empty (jobs, queue)) {
      vc_turns_queue (ssn, queue, &queues);
      continue;
    }
    guint32 job = vc_job_lines_pop (jobs, queue);
    ssn->result.jobs_considered++;
    vc_turns_job (ssn, job, vc_job_lines_next (jobs, queue), &queues);
    if (allocate_job (&a, st, job))
      vc_job_lines_push (jobs, queue, job);
    vc_heap_push (&queues, queue);
  }
  vc_turns_end (ssn);
  for (guint32 i = 0; divided != NULL && i < c->n_jobs; i++)
    vc_divided_job_free (divided[i]);
}

const VcActionClass vc_action_allocate = {
  .name = "allocate",
  .summary = "place the pending tasks of admitted jobs, gangs whole or not at all",
  .args = vc_allocate_args,
  .run = allocate,
};
