/* sim/controllers/flow-step.c - mirrors deployJob, judge and getAllJobStatus (pkg/controllers/jobflow/jobflow_controller_action.go) and
 * pkg/controllers/jobflow/state. */
#include "flow-step.h"

const char *const sim_flow_phase_names[SIM_N_FLOW_PHASES] = { "", "Pending", "Running", "Succeed", "Failed", "Terminating" };

SimFlowList
sim_flow_list_of (SimJobPhase phase)
{
  switch (phase) {
  case SIM_JOB_PENDING:
    return SIM_FLOW_LIST_PENDING;
  case SIM_JOB_RUNNING:
    return SIM_FLOW_LIST_RUNNING;
  case SIM_JOB_FAILED:
    return SIM_FLOW_LIST_FAILED;
  case SIM_JOB_COMPLETED:
    return SIM_FLOW_LIST_COMPLETED;
  case SIM_JOB_TERMINATED:
    return SIM_FLOW_LIST_TERMINATED;
  case SIM_JOB_COMPLETING:
  case SIM_JOB_TERMINATING:
    return SIM_FLOW_LIST_NONE;
  case SIM_JOB_NEW:
  case SIM_JOB_RESTARTING:
  case SIM_JOB_ABORTING:
  case SIM_JOB_ABORTED:
  case SIM_N_JOB_PHASES:
  default:
    return SIM_FLOW_LIST_UNKNOWN;
  }
}

gboolean
sim_flow_is_synced (SimFlowPhase phase)
{
  return phase != SIM_FLOW_FAILED && phase != SIM_FLOW_TERMINATING;
}

SimFlowPhase
sim_flow_next_phase (SimFlowPhase phase, guint n_flows, const guint count[SIM_N_FLOW_LISTS])
{
  gboolean failed = count[SIM_FLOW_LIST_FAILED] > 0 || count[SIM_FLOW_LIST_TERMINATED] > 0;

  switch (phase) {
  case SIM_FLOW_NEW:
  case SIM_FLOW_PENDING:
    if (count[SIM_FLOW_LIST_RUNNING] + count[SIM_FLOW_LIST_COMPLETED] > 0 && count[SIM_FLOW_LIST_FAILED] == 0)
      return SIM_FLOW_RUNNING; /* whatever was Terminated meanwhile */
    return failed ? SIM_FLOW_FAILED : SIM_FLOW_PENDING;
  case SIM_FLOW_RUNNING:
    if (count[SIM_FLOW_LIST_COMPLETED] == n_flows)
      return SIM_FLOW_SUCCEED;
    return failed ? SIM_FLOW_FAILED : SIM_FLOW_RUNNING;
  case SIM_FLOW_SUCCEED:
  case SIM_FLOW_FAILED:
  case SIM_FLOW_TERMINATING:
  case SIM_N_FLOW_PHASES:
  default:
    return phase;
  }
}

static gboolean
may_start (const SimFlowStep *step, const SimFlowOps *ops)
{
  SimJobPhase phase;

  for (guint i = 0; i < step->n_targets; i++)
    if (!ops->find (ops->user, step->target[i], &phase) || phase != SIM_JOB_COMPLETED)
      return FALSE;
  return TRUE;
}

gboolean
sim_flow_deploy (const SimFlowStep *step, guint n, const SimFlowOps *ops)
{
  SimJobPhase phase;

  for (guint i = 0; i < n; i++)
    if (!ops->find (ops->user, step[i].job, &phase) && may_start (&step[i], ops) && !ops->make (ops->user, i))
      return FALSE;
  return TRUE;
}
