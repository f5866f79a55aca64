/* sim/controllers/job-policy.h - from a request to an action: the lifecycle policies of a job and its tasks (05 §4.1, §4.2). Pure functions. */
#pragma once
#include "job-state.h"
#include "sim/world/sim-time.h"
G_BEGIN_DECLS

typedef enum {
  SIM_CAUSE_NONE, /* the empty event of a PodGroup that changes its phase */
  SIM_CAUSE_OUT_OF_SYNC,
  SIM_CAUSE_COMMAND_ISSUED,
  SIM_CAUSE_POD_PENDING,
  SIM_CAUSE_POD_RUNNING,
  SIM_CAUSE_POD_FAILED,
  SIM_CAUSE_POD_EVICTED,
  SIM_CAUSE_UNKNOWN,
  SIM_CAUSE_TASK_COMPLETED,
  SIM_CAUSE_TASK_FAILED,
  SIM_CAUSE_JOB_UPDATED,
  SIM_CAUSE_ANY, /* only in policies */
  SIM_N_CAUSES
} SimCause;
extern const char *const sim_cause_names[SIM_N_CAUSES]; /* "", "OutOfSync", … "*" */

#define SIM_NO_ACTION 0xff
#define SIM_NO_POD G_MAXUINT64

/* One reaction. */
typedef struct {
  guint32 causes;    /* bit per SimCause; 0: none, the exit code decides */
  guint8 action;     /* SimJobAction */
  gboolean has_exit_code;
  gint32 exit_code;
  SimTime timeout;   /* SIM_NO_TIME: none */
} SimPolicy;
typedef struct { const SimPolicy *item; guint n; } SimPolicies;

/* What the controller is asked to do. Two requests are the same when all fields are: keep padding at zero. */
typedef struct {
  guint64 pod_uid;     /* SIM_NO_POD: not about a pod */
  guint32 job;
  guint32 role, index; /* of the pod, G_MAXUINT32 without one; the partition follows from them */
  guint32 version;     /* of the job when the pod was made; 0 without a pod */
  gint32 exit_code;
  guint8 cause;        /* SimCause */
  guint8 action;       /* SimJobAction that is asked for, or SIM_NO_ACTION */
  guint16 reserved;
} SimRequest;

typedef struct {
  SimJobAction action;
  SimTime delay;       /* 0: now */
} SimReaction;

/** What @req means for a job of @version. @task (nullable): policies of the request's task. @same_job: the request does not come
 * from a pod of an earlier job of the same name. */
SimReaction sim_job_policy_apply (const SimPolicies *job, const SimPolicies *task, const SimRequest *req, guint32 version,
                                  gboolean same_job);
/** An action by its name; SIM_ACTION_OTHER for anything else. */
SimJobAction sim_job_action_find (const char *name);
/** Sync and its like, which cancel no delayed action. */
gboolean sim_job_action_is_internal (SimJobAction action);

G_END_DECLS
