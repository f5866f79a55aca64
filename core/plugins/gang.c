/* core/plugins/gang.c - all or nothing up to minAvailable.
 *
 * Policy: a job starts only when minAvailable of its tasks (and, where the role minimums sum up to no more than that, the minimum of
 * every role) can run together, and it is not shrunk below minAvailable afterwards.
 *   ready     = Allocated, Binding, Bound, Running and Succeeded tasks, + best-effort Pending ones, >= minAvailable
 *   pipelined = the same with Pipelined tasks
 * A job with sub-group policies also needs, of each policy, minSubGroups sub-jobs that are there (valid), ready or pipelined; a sub-job is
 * ready or pipelined as a job is, by its own minimum.
 *   victims   = in the order of the candidates, ready - minAvailable tasks of each job
 *   order     = jobs that are not ready go first
 * No arguments.
 *
 * At session close every job with tasks gets a condition: Scheduled when it is ready, else Unschedulable - unless its Releasing tasks
 * still hold its place (none Pending or Pipelined, scheduled + releasing >= minAvailable).
 *
 * Example: minAvailable 2, four tasks Running: of the candidates t0 t1 t2 t3 the first two may be evicted. minAvailable 2, one Running and
 * one Releasing task on a node: no condition is written; with a Pending replacement for the latter the gang waits for it:
 * Unschedulable, "1/3 tasks in gang unschedulable: ...".
 *
 * Mirrors pkg/scheduler/plugins/gang/gang.go. */
#include "plugins.h"
#include "support.h"

typedef struct {
  VcMarks seen;   /* jobs met in the current list of candidates */
  gint64 *left;   /* of a job met: tasks that still count as ready */
  guint32 n_left;
} Gang;

static gboolean
gang_job_valid (gpointer self, VcSession *ssn, guint32 job, const char **reason, const char **message)
{
  VcCluster *c = vc_session_cluster (ssn);
  const VcJob *j = vc_job (c, job);
  guint32 valid = vc_job_valid_num (j);

  if (!vc_job_roles_valid (j)) {
    *reason = "NotEnoughPodsOfTask";
    *message = "Not enough valid pods of each task for gang-scheduling";
    return FALSE;
  }
  if (!vc_job_groups_valid (j)) {
    *reason = "NotEnoughPodsOfTask";
    *message = "Not enough valid subGroups of each task for gang-scheduling";
    return FALSE;
  }
  if ((gint64) valid >= j->min_available)
    return TRUE;
  *reason = "NotEnoughTasks";
  if (vc_session_wants_messages (ssn)) {
    g_autofree char *text
      = g_strdup_printf ("Not enough valid tasks for gang-scheduling, valid: %u, min: %d", valid, j->min_available);

    *message = vc_cluster_intern (c, text);
  }
  return FALSE;
}

static VcVote
gang_victims (gpointer self, VcSession *ssn, guint32 evictor, const guint32 *candidates, guint n, guint32 *out, guint *n_out)
{
  Gang *gang = self;
  const VcCluster *c = vc_session_cluster (ssn);
  guint kept = 0;

  vc_marks_begin (&gang->seen);
  for (guint i = 0; i < n; i++) {
    guint32 job = vc_task (c, candidates[i])->job;

    if (!vc_session_has_job (ssn, job))
      continue;
    const VcJob *j = vc_job (c, job);
    if (vc_marks_add (&gang->seen, job))
      gang->left[job] = vc_job_ready_num (j);
    if (gang->left[job] > j->min_available) {
      gang->left[job]--;
      out[kept++] = candidates[i];
    }
  }
  *n_out = kept;
  return VC_PERMIT;
}

/* The gang actions keep minAvailable by the way they bundle victims, so all may go. */
static VcVote
gang_unified_evictable (gpointer self, VcSession *ssn, guint32 evictor, const guint32 *candidates, guint n, guint32 *out, guint *n_out)
{
  for (guint i = 0; i < n; i++)
    out[i] = candidates[i];
  *n_out = n;
  return VC_PERMIT;
}

static int
gang_job_order (gpointer self, VcSession *ssn, guint32 l, guint32 r)
{
  const VcCluster *c = vc_session_cluster (ssn);

  return (int) vc_job_is_ready (vc_job (c, l)) - (int) vc_job_is_ready (vc_job (c, r));
}

static gboolean
gang_job_key (gpointer self, VcSession *ssn, guint32 job, gint64 *key)
{
  *key = vc_job_is_ready (vc_job (vc_session_cluster (ssn), job));
  return TRUE;
}

static int
gang_sub_job_order (gpointer self, VcSession *ssn, guint32 job, guint32 l, guint32 r)
{
  const VcJob *j = vc_job (vc_session_cluster (ssn), job);

  return (int) vc_sub_job_is_ready (vc_job_sub (j, l)) - (int) vc_sub_job_is_ready (vc_job_sub (j, r));
}

static gboolean
gang_job_ready (gpointer self, VcSession *ssn, guint32 job)
{
  const VcJob *j = vc_job (vc_session_cluster (ssn), job);

  return vc_job_is_ready (j) && vc_job_roles_ready (j) && vc_job_groups_ready (j);
}

static gboolean
gang_sub_job_ready (gpointer self, VcSession *ssn, guint32 job, guint32 sub)
{
  return vc_sub_job_is_ready (vc_job_sub (vc_job (vc_session_cluster (ssn), job), sub));
}

static VcVote
gang_job_pipelined (gpointer self, VcSession *ssn, guint32 job)
{
  const VcJob *j = vc_job (vc_session_cluster (ssn), job);

  return vc_job_is_pipelined (j) && vc_job_roles_pipelined (j) && vc_job_groups_pipelined (j) ? VC_PERMIT : VC_REJECT;
}

static VcVote
gang_sub_job_pipelined (gpointer self, VcSession *ssn, guint32 job, guint32 sub)
{
  return vc_sub_job_is_pipelined (vc_job_sub (vc_job (vc_session_cluster (ssn), job), sub)) ? VC_PERMIT : VC_REJECT;
}

/* Role minimums do not count here. */
static gboolean
gang_job_starving (gpointer self, VcSession *ssn, guint32 job)
{
  return vc_job_is_starving (vc_job (vc_session_cluster (ssn), job));
}

static void
gang_session_open (gpointer self, VcSession *ssn)
{
  Gang *gang = self;
  guint32 n_jobs = vc_session_cluster (ssn)->n_jobs;

  vc_marks_reserve (&gang->seen, n_jobs);
  if (n_jobs > gang->n_left) {
    gang->n_left = gang->seen.rows;
    gang->left = g_renew (gint64, gang->left, gang->n_left);
  }
  vc_session_add_job_valid (ssn, gang_job_valid);
  vc_session_add_victims (ssn, VC_HOOK_PREEMPTABLE, gang_victims);
  vc_session_add_victims_of (ssn, VC_HOOK_RECLAIMABLE, gang_victims, VC_READS_QUEUE);
  vc_session_add_victims (ssn, VC_HOOK_UNIFIED_EVICTABLE, gang_unified_evictable);
  vc_session_add_job_order (ssn, gang_job_order, gang_job_key);
  vc_session_add_sub_job_order (ssn, gang_sub_job_order);
  vc_session_add_job_test (ssn, VC_HOOK_JOB_READY, gang_job_ready);
  vc_session_add_sub_job_ready (ssn, gang_sub_job_ready);
  vc_session_add_job_vote (ssn, VC_HOOK_JOB_PIPELINED, gang_job_pipelined);
  vc_session_add_sub_job_pipelined (ssn, gang_sub_job_pipelined);
  vc_session_add_job_test (ssn, VC_HOOK_JOB_STARVING, gang_job_starving);
}

/* ---- close ---------------------------------------------------------------------------------- */

/* Releasing tasks that still sit on nodes fill the gang, and no task waits for a place. */
static gboolean
releasing_tasks_hold_the_gang (const VcJob *j)
{
  return j->releasing_placed > 0 && j->count[VC_PENDING] == 0 && j->count[VC_PIPELINED] == 0
         && (gint64) vc_job_scheduled_num (j) + j->releasing_placed >= j->min_available;
}

/* Tasks that count as schedulable: ready ones, and Pending ones that had a place which was given back. */
static gint64
schedulable_tasks (const VcCluster *c, const VcJob *j)
{
  gint64 n = vc_job_ready_num (j);

  for (guint32 i = 0; i < j->n_tasks; i++) {
    const VcTask *t = vc_task (c, j->task[i]);

    if (t->status == VC_PENDING && t->last_status != VC_N_STATUS && vc_status_allocated (t->last_status))
      n++;
  }
  return n;
}

static char *
unschedulable_message (VcSession *ssn, guint32 job)
{
  const VcCluster *c = vc_session_cluster (ssn);
  const VcJob *j = vc_job (c, job);
  g_autofree char *fit = vc_session_job_fit_text (ssn, job);

  return g_strdup_printf ("%" G_GINT64_FORMAT "/%u tasks in gang unschedulable: %s", j->min_available - schedulable_tasks (c, j),
                          j->n_tasks, fit);
}

static void
gang_session_close (gpointer self, VcSession *ssn)
{
  const VcCluster *c = vc_session_cluster (ssn);
  gboolean texts = vc_session_wants_messages (ssn);
  guint n;
  const guint32 *jobs = vc_session_jobs (ssn, &n);

  for (guint i = 0; i < n; i++) {
    const VcJob *j = vc_job (c, jobs[i]);

    if (j->n_tasks == 0)
      continue;
    if (vc_job_is_ready (j))
      vc_session_set_condition (ssn, jobs[i], "Scheduled", "True", "tasks in gang are ready to be scheduled",
                                texts ? g_strdup ("") : NULL);
    else if (!releasing_tasks_hold_the_gang (j))
      vc_session_set_condition (ssn, jobs[i], "Unschedulable", "True", "NotEnoughResources",
                                texts ? unschedulable_message (ssn, jobs[i]) : NULL);
  }
}

static void
gang_clear (gpointer self)
{
  Gang *gang = self;

  vc_marks_clear (&gang->seen);
  g_free (gang->left);
}

const VcPluginClass vc_plugin_gang = {
  .name = "gang",
  .summary = VC_GANG_SUMMARY,
  .instance_size = sizeof (Gang),
  .session_open = gang_session_open,
  .session_close = gang_session_close,
  .clear = gang_clear,
};
