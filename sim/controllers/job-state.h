/* sim/controllers/job-state.h - the state machine of a vcjob: pure functions on phases and counters (05 §4.4, §4.9).
 *
 * A request becomes an action; phase and action say which routine runs (sync, kill, kill of a target), which finished pods a kill
 * leaves alone, and which rule then looks at the fresh counters. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

typedef enum {
  SIM_JOB_NEW, /* no phase yet */
  SIM_JOB_PENDING,
  SIM_JOB_RUNNING,
  SIM_JOB_RESTARTING,
  SIM_JOB_ABORTING,
  SIM_JOB_ABORTED,
  SIM_JOB_COMPLETING,
  SIM_JOB_COMPLETED,
  SIM_JOB_TERMINATING,
  SIM_JOB_TERMINATED,
  SIM_JOB_FAILED,
  SIM_N_JOB_PHASES
} SimJobPhase;
extern const char *const sim_job_phase_names[SIM_N_JOB_PHASES]; /* "", "Pending", … */

typedef enum {
  SIM_ACTION_SYNC_JOB,
  SIM_ACTION_ENQUEUE_JOB,
  SIM_ACTION_RESTART_JOB,
  SIM_ACTION_RESTART_TASK,
  SIM_ACTION_RESTART_POD,
  SIM_ACTION_RESTART_PARTITION,
  SIM_ACTION_ABORT_JOB,
  SIM_ACTION_TERMINATE_JOB,
  SIM_ACTION_COMPLETE_JOB,
  SIM_ACTION_RESUME_JOB,
  SIM_ACTION_OTHER, /* any other text: a command may hold one, and a policy on an exit code */
  SIM_N_ACTIONS
} SimJobAction;
extern const char *const sim_job_action_names[SIM_N_ACTIONS];

typedef struct { guint32 pending, running, succeeded, failed, terminating, unknown; } SimJobCounts;

typedef struct {
  gint64 min_available;      /* of the spec; the status field equals it */
  guint32 max_retry;
  gint64 min_success;        /* -1: not given */
  guint64 replicas;          /* over all tasks */
  guint n_tasks;
  const gint64 *task_min;    /* [n_tasks] minAvailable, -1: not given */
  const gint64 *task_succeeded; /* [n_tasks] succeeded pods, -1: the task is not in taskStatusCount. NULL: none is */
} SimJobRules;

typedef enum { SIM_CALL_SYNC, SIM_CALL_KILL, SIM_CALL_KILL_TARGET } SimJobCall;
typedef struct {
  SimJobCall call;
  gboolean keep_finished; /* a kill leaves Succeeded and Failed pods alone */
  gboolean has_rule;      /* sim_job_state_update() is to be called with the fresh counters */
} SimJobPlan;

/** What a job in @phase does on @action. */
SimJobPlan sim_job_state_plan (SimJobPhase phase, SimJobAction action);
/** The rule of @phase and @action on fresh counters: *phase and *retry may change. TRUE when it reports a change.
 * Without a rule nothing happens. */
gboolean sim_job_state_update (SimJobAction action, const SimJobRules *rules, const SimJobCounts *counts, SimJobPhase *phase,
                               guint32 *retry);

/** Completed, Failed or Terminated: nothing but deletion follows. */
static inline gboolean
sim_job_phase_is_final (SimJobPhase p)
{
  return p == SIM_JOB_COMPLETED || p == SIM_JOB_FAILED || p == SIM_JOB_TERMINATED;
}

G_END_DECLS
