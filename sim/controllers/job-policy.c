/* sim/controllers/job-policy.c - mirrors applyPolicies (pkg/controllers/job/job_controller_util.go). */
#include "job-policy.h"
#include <string.h>

const char *const sim_cause_names[SIM_N_CAUSES] = {
  "",           "OutOfSync", "CommandIssued", "PodPending", "PodRunning", "PodFailed",
  "PodEvicted", "Unknown",   "TaskCompleted", "TaskFailed", "JobUpdated", "*",
};

SimJobAction
sim_job_action_find (const char *name)
{
  for (guint i = 0; i < SIM_ACTION_OTHER; i++)
    if (strcmp (sim_job_action_names[i], name) == 0)
      return (SimJobAction) i;
  return SIM_ACTION_OTHER;
}

gboolean
sim_job_action_is_internal (SimJobAction action)
{
  return action == SIM_ACTION_SYNC_JOB || action == SIM_ACTION_ENQUEUE_JOB;
}

static gboolean
matches (const SimPolicy *p, const SimRequest *req)
{
  guint32 wanted = (1u << req->cause) | (1u << SIM_CAUSE_ANY);

  /* A pending pod is nothing to react to at once: it counts only where a timeout waits for it to stay so. */
  if ((p->causes & wanted) != 0 && req->cause != SIM_CAUSE_NONE && (req->cause != SIM_CAUSE_POD_PENDING || p->timeout != SIM_NO_TIME))
    return TRUE;
  return p->has_exit_code && p->exit_code == req->exit_code;
}

static gboolean
search (const SimPolicies *list, const SimRequest *req, SimReaction *out)
{
  for (guint i = 0; list != NULL && i < list->n; i++)
    if (matches (&list->item[i], req)) {
      *out = (SimReaction){ (SimJobAction) list->item[i].action, MAX (list->item[i].timeout, 0) };
      return TRUE;
    }
  return FALSE;
}

SimReaction
sim_job_policy_apply (const SimPolicies *job, const SimPolicies *task, const SimRequest *req, guint32 version, gboolean same_job)
{
  SimReaction reaction = { SIM_ACTION_SYNC_JOB, 0 };

  if (req->action != SIM_NO_ACTION)
    return (SimReaction){ (SimJobAction) req->action, 0 };
  if (req->cause == SIM_CAUSE_OUT_OF_SYNC || req->cause == SIM_CAUSE_COMMAND_ISSUED || req->cause == SIM_CAUSE_POD_RUNNING)
    return reaction;
  if (!same_job || req->version < version) /* what belongs to an earlier generation of pods only asks for a look */
    return reaction;
  if (!search (task, req, &reaction))
    search (job, req, &reaction);
  return reaction;
}
