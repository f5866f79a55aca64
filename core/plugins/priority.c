/* core/plugins/priority.c - higher priority first, and only lower priority may be preempted.
 *
 * Policy: tasks of a job by pod priority, sub-jobs by their highest task priority (never below 0), jobs by the value of their priority
 * class; higher goes first. A victim of another job must have a lower job priority than the preemptor's job; a victim of the same job
 * a lower task priority than the preemptor. A job starves while ready + pipelined < number of its tasks. No arguments, no state.
 *
 * Reclaim between queues is not bound by priority: no Reclaimable hook, and UnifiedEvictable lets everything pass for gangreclaim; for the
 * other kinds the candidate's job must have a lower priority than the job that is served.
 *
 * Example: preemptor of a job of priority 500, candidates of jobs of priority 1000 and 100: only the second may be evicted.
 *
 * Mirrors pkg/scheduler/plugins/priority/priority.go. */
#include "plugins.h"

static inline int
higher_first (gint64 l, gint64 r)
{
  return (l < r) - (l > r);
}

static int
priority_task_order (gpointer self, VcSession *ssn, guint32 l, guint32 r)
{
  const VcCluster *c = vc_session_cluster (ssn);

  return higher_first (vc_task (c, l)->priority, vc_task (c, r)->priority);
}

static int
priority_job_order (gpointer self, VcSession *ssn, guint32 l, guint32 r)
{
  const VcCluster *c = vc_session_cluster (ssn);

  return higher_first (vc_job (c, l)->priority, vc_job (c, r)->priority);
}

static gboolean
priority_job_key (gpointer self, VcSession *ssn, guint32 job, gint64 *key)
{
  *key = ~vc_job (vc_session_cluster (ssn), job)->priority;
  return TRUE;
}

static int
priority_sub_job_order (gpointer self, VcSession *ssn, guint32 job, guint32 l, guint32 r)
{
  const VcJob *j = vc_job (vc_session_cluster (ssn), job);

  return higher_first (vc_job_sub (j, l)->priority, vc_job_sub (j, r)->priority);
}

static VcVote
priority_preemptable (gpointer self, VcSession *ssn, guint32 evictor, const guint32 *candidates, guint n, guint32 *out, guint *n_out)
{
  const VcCluster *c = vc_session_cluster (ssn);
  const VcTask *preemptor = vc_task (c, evictor);
  guint kept = 0;

  *n_out = 0;
  if (!vc_session_has_job (ssn, preemptor->job))
    return VC_PERMIT;
  gint64 bound = vc_job (c, preemptor->job)->priority;
  for (guint i = 0; i < n; i++) {
    const VcTask *t = vc_task (c, candidates[i]);

    if (!vc_session_has_job (ssn, t->job))
      continue;
    if (t->job == preemptor->job ? t->priority < preemptor->priority : vc_job (c, t->job)->priority < bound)
      out[kept++] = candidates[i];
  }
  *n_out = kept;
  return VC_PERMIT;
}

/* By job priority alone. A candidate without a job is left out (upstream would fail on it). */
static VcVote
priority_unified_evictable (gpointer self, VcSession *ssn, guint32 evictor, const guint32 *candidates, guint n, guint32 *out,
                            guint *n_out)
{
  const VcCluster *c = vc_session_cluster (ssn);
  gboolean all = vc_session_eviction_kind (ssn) == VC_EVICT_GANG_RECLAIM;
  gint64 bound = all ? 0 : vc_job (c, vc_session_eviction_job (ssn))->priority;
  guint kept = 0;

  for (guint i = 0; i < n; i++) {
    guint32 victim = vc_task (c, candidates[i])->job;

    if (all || (vc_session_has_job (ssn, victim) && vc_job (c, victim)->priority < bound))
      out[kept++] = candidates[i];
  }
  *n_out = kept;
  return VC_PERMIT;
}

static gboolean
priority_job_starving (gpointer self, VcSession *ssn, guint32 job)
{
  const VcJob *j = vc_job (vc_session_cluster (ssn), job);

  return vc_job_ready_num (j) + j->count[VC_PIPELINED] < j->n_tasks;
}

static void
priority_session_open (gpointer self, VcSession *ssn)
{
  vc_session_add_steady_task_order (ssn, priority_task_order);
  vc_session_add_job_order (ssn, priority_job_order, priority_job_key);
  vc_session_add_sub_job_order (ssn, priority_sub_job_order);
  vc_session_add_victims (ssn, VC_HOOK_PREEMPTABLE, priority_preemptable);
  vc_session_add_victims (ssn, VC_HOOK_UNIFIED_EVICTABLE, priority_unified_evictable);
  vc_session_add_job_test (ssn, VC_HOOK_JOB_STARVING, priority_job_starving);
}

const VcPluginClass vc_plugin_priority = {
  .name = "priority",
  .summary = VC_PRIORITY_SUMMARY,
  .session_open = priority_session_open,
};
