/* sim/controllers/job-state.c - mirrors pkg/controllers/job/state. */
#include "job-state.h"

const char *const sim_job_phase_names[SIM_N_JOB_PHASES] = {
  "", "Pending", "Running", "Restarting", "Aborting", "Aborted", "Completing", "Completed", "Terminating", "Terminated", "Failed",
};
const char *const sim_job_action_names[SIM_N_ACTIONS] = {
  "SyncJob",  "EnqueueJob",   "RestartJob",  "RestartTask", "RestartPod", "RestartPartition",
  "AbortJob", "TerminateJob", "CompleteJob", "ResumeJob",   "",
};

static inline gboolean
is_targeted (SimJobAction a)
{
  return a == SIM_ACTION_RESTART_TASK || a == SIM_ACTION_RESTART_POD || a == SIM_ACTION_RESTART_PARTITION;
}

static inline gboolean
is_ending (SimJobAction a)
{
  return a == SIM_ACTION_ABORT_JOB || a == SIM_ACTION_TERMINATE_JOB || a == SIM_ACTION_COMPLETE_JOB;
}

SimJobPlan
sim_job_state_plan (SimJobPhase phase, SimJobAction action)
{
  switch (phase) {
  case SIM_JOB_NEW:
  case SIM_JOB_PENDING:
  case SIM_JOB_RUNNING:
    if (is_targeted (action))
      return (SimJobPlan){ SIM_CALL_KILL_TARGET, FALSE, TRUE };
    if (action == SIM_ACTION_RESTART_JOB)
      return (SimJobPlan){ SIM_CALL_KILL, FALSE, TRUE };
    if (is_ending (action))
      return (SimJobPlan){ SIM_CALL_KILL, TRUE, TRUE };
    return (SimJobPlan){ SIM_CALL_SYNC, FALSE, TRUE };
  case SIM_JOB_RESTARTING:
    /* only SyncJob syncs: whatever else comes, even an abort, kills again */
    if (is_targeted (action))
      return (SimJobPlan){ SIM_CALL_KILL_TARGET, FALSE, TRUE };
    return (SimJobPlan){ action == SIM_ACTION_SYNC_JOB ? SIM_CALL_SYNC : SIM_CALL_KILL, FALSE, TRUE };
  case SIM_JOB_ABORTED:
    return (SimJobPlan){ SIM_CALL_KILL, TRUE, action == SIM_ACTION_RESUME_JOB };
  case SIM_JOB_ABORTING:
  case SIM_JOB_COMPLETING:
  case SIM_JOB_TERMINATING:
    return (SimJobPlan){ SIM_CALL_KILL, TRUE, TRUE };
  case SIM_JOB_COMPLETED:
  case SIM_JOB_TERMINATED:
  case SIM_JOB_FAILED:
  case SIM_N_JOB_PHASES:
  default:
    return (SimJobPlan){ SIM_CALL_KILL, TRUE, FALSE };
  }
}

/* Are the succeeded pods of every task enough? Asked only when minAvailable reaches the sum of the tasks' own minima. */
static gboolean
task_minima_are_met (const SimJobRules *r)
{
  gint64 sum = 0;

  for (guint i = 0; i < r->n_tasks; i++)
    sum += MAX (r->task_min[i], 0);
  if (r->min_available < sum || r->task_succeeded == NULL)
    return TRUE;
  for (guint i = 0; i < r->n_tasks; i++)
    if (r->task_min[i] >= 0 && r->task_succeeded[i] >= 0 && r->task_succeeded[i] < r->task_min[i])
      return FALSE;
  return TRUE;
}

static SimJobPhase
after_running (const SimJobRules *r, const SimJobCounts *c)
{
  gint64 replicas = (gint64) r->replicas;

  if (replicas == 0)
    return SIM_JOB_RUNNING;
  if (r->min_success >= 0 && c->succeeded >= r->min_success)
    return SIM_JOB_COMPLETED;
  if ((gint64) c->succeeded + c->failed == replicas) {
    if (!task_minima_are_met (r) || (r->min_success >= 0 && c->succeeded < r->min_success))
      return SIM_JOB_FAILED;
    return c->succeeded >= r->min_available ? SIM_JOB_COMPLETED : SIM_JOB_FAILED;
  }
  return c->pending > replicas - r->min_available ? SIM_JOB_PENDING : SIM_JOB_RUNNING;
}

static SimJobPhase
after_restarting (const SimJobRules *r, const SimJobCounts *c, guint32 retry)
{
  if (retry >= r->max_retry)
    return SIM_JOB_FAILED;
  return (gint64) r->replicas - c->terminating >= r->min_available ? SIM_JOB_PENDING : SIM_JOB_RESTARTING;
}

gboolean
sim_job_state_update (SimJobAction action, const SimJobRules *r, const SimJobCounts *c, SimJobPhase *phase, guint32 *retry)
{
  SimJobPhase old = *phase;
  gboolean alive = c->terminating > 0 || c->pending > 0 || c->running > 0;

  switch (old) {
  case SIM_JOB_NEW:
  case SIM_JOB_PENDING:
  case SIM_JOB_RUNNING:
    if (is_targeted (action) || action == SIM_ACTION_RESTART_JOB) {
      *retry += 1;
      *phase = SIM_JOB_RESTARTING;
    } else if (is_ending (action)) {
      *phase = action == SIM_ACTION_ABORT_JOB       ? SIM_JOB_ABORTING
               : action == SIM_ACTION_TERMINATE_JOB ? SIM_JOB_TERMINATING
                                                    : SIM_JOB_COMPLETING;
    } else if (old == SIM_JOB_RUNNING) {
      *phase = after_running (r, c);
    } else if (r->min_available <= (gint64) c->running + c->succeeded + c->failed) {
      *phase = SIM_JOB_RUNNING;
    }
    break;
  case SIM_JOB_RESTARTING:
    *phase = after_restarting (r, c, *retry);
    break;
  case SIM_JOB_ABORTING:
  case SIM_JOB_ABORTED:
    if (action == SIM_ACTION_RESUME_JOB) {
      *retry += 1;
      *phase = SIM_JOB_RESTARTING;
    } else if (old == SIM_JOB_ABORTING && !alive) {
      *phase = SIM_JOB_ABORTED;
    }
    break;
  case SIM_JOB_COMPLETING:
    if (!alive)
      *phase = SIM_JOB_COMPLETED;
    break;
  case SIM_JOB_TERMINATING:
    if (!alive)
      *phase = SIM_JOB_TERMINATED;
    break;
  case SIM_JOB_COMPLETED:
  case SIM_JOB_TERMINATED:
  case SIM_JOB_FAILED:
  case SIM_N_JOB_PHASES:
  default:
    break;
  }
  return *phase != old;
}
