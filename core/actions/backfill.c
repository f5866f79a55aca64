/* backfill - place best-effort tasks (empty requests) wherever the predicates let them.
 *
 * Policy: queues, jobs, tasks once, in their orders; queue limits are not looked at. A task is bound when its job is ready, else the
 * placement evaporates at the end of the cycle. Mirrors pkg/scheduler/actions/backfill/backfill.go. */
#include "actions.h"
#include "core/session/job-lines.h"

const VcArgSpec vc_backfill_args[] = {
  { "predicateErrorCacheEnable", VC_ARG_BOOL, "accepted as upstream does; each task has a helper of its own, so it changes nothing (default true)" },
  { NULL, VC_ARG_ANY, NULL },
};

/* Best-effort tasks of a job: pending and ungated, and pipelined ones, whose reservation is taken back at once. */
static gboolean
pick_up (VcSession *ssn, guint32 job, guint32 *slot)
{
  VcCluster *c = ssn->cluster;
  VcJob *j = &c->job[job];
  VcHeap *h = NULL;

  for (int pipelined = 0; pipelined < 2; pipelined++)
    for (guint32 i = 0; i < j->n_tasks; i++) {
      guint32 task = j->task[i];
      const VcTask *t = &c->task[task];

      if (!t->best_effort || t->gated || t->status != (pipelined ? VC_PIPELINED : VC_PENDING))
        continue;
      if (pipelined) {
        /* those just put into the heap by the first pass are Pending, not Pipelined: no task is taken twice */
        vc_session_unpipeline (ssn, task);
      }
      if (h == NULL)
        h = vc_session_heap (ssn, slot, vc_session_heap_task_less);
      vc_heap_push (h, task);
    }
  return h != NULL;
}

static void
place (VcSession *ssn, gboolean error_cache, guint32 task)
{
  VcCluster *c = ssn->cluster;
  guint32 node = VC_NONE;
  const char *refusal = vc_session_pre_predicate (ssn, task);

  if (refusal != NULL) {
    vc_fit_record_refusal (ssn, task, refusal, c->nodes.n_list);
    return;
  }
  VcSearch *search = vc_search_new (ssn, c->task[task].job, VC_SEARCH_PLUGINS, error_cache);
  if (vc_search_pick (search, task, &node) == VC_FOUND)
    vc_session_allocate (ssn, task, node);
}

static void
backfill (VcSession *ssn)
{
  VcEngine *e = ssn->engine;
  VcCluster *c = ssn->cluster;
  gboolean error_cache = TRUE;
  VcJobLines *jobs = vc_job_lines_begin (ssn);
  guint32 *tasks_of = vc_session_job_slots (ssn);
  g_auto (VcHeap) queues = { 0 };
  GArray *order = e->rows;

  vc_args_get_bool (vc_conf_action_args (e->conf, "backfill"), "predicateErrorCacheEnable", &error_cache);
  vc_heap_init (&queues, vc_session_heap_queue_less, ssn);
  for (guint i = 0; i < ssn->n_jobs; i++) {
    guint32 job = ssn->jobs[i];
    VcJob *j = &c->job[job];
    const char *reason, *message;

    if (vc_job_is_pending (j) || (j->pending_best_effort == 0 && j->count[VC_PIPELINED] == 0))
      continue;
    if (!vc_session_job_valid (ssn, job, &reason, &message) || !pick_up (ssn, job, &tasks_of[job]))
      continue;
    if (vc_job_lines_add (jobs, j->queue, job))
      vc_heap_push (&queues, j->queue);
  }
  vc_job_lines_close (jobs);
  g_array_set_size (order, 0);
  while (!vc_heap_is_empty (&queues)) {
    guint32 queue = vc_heap_pop (&queues);
    while (!vc_job_lines_is_empty (jobs, queue)) {
      VcHeap *tasks = &e->heap[tasks_of[vc_job_lines_pop (jobs, queue)]];
      while (!vc_heap_is_empty (tasks)) {
        guint32 task = vc_heap_pop (tasks);
        g_array_append_val (order, task);
      }
    }
  }
  for (guint i = 0; i < order->len; i++)
    place (ssn, error_cache, g_array_index (order, guint32, i));
}

const VcActionClass vc_action_backfill = {
  .name = "backfill",
  .summary = "place best-effort tasks of admitted jobs",
  .args = vc_backfill_args,
  .run = backfill,
};
