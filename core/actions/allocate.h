/* core/actions/allocate.h - between the flat path of allocate and the one over HyperNodes and sub-jobs.
 *
 * A job without a hard topology and without sub-group policies is placed task by task over all nodes (allocate.c). The others are tried in
 * one HyperNode after the other, each trial is undone, and the best one is done again (allocate-topology.c).
 * Mirrors pkg/scheduler/actions/allocate/{allocate,recorder}.go. */
#pragma once
#include "worksheet.h"
G_BEGIN_DECLS

/* What trials decided for a sub-job: under the HyperNode of the job, the one that would hold the sub-job then. Kept for the whole action, also of
 * trials that were not chosen (finding W6). */
typedef struct { guint32 job_hyper, sub, hyper; } VcSubDecision;
typedef struct {
  VcWorksheet *sheet;
  guint32 hyper;       /* last choice for the job, VC_HYPER_NONE */
  GArray *decisions;   /* VcSubDecision; NULL until the first */
} VcDividedJob;

typedef struct {
  VcSession *ssn;
  gboolean error_cache;
  guint32 *tasks_of;       /* job row → heap slot of its pending tasks, for jobs without sub-jobs */
  VcDividedJob **divided;  /* job row → what the job has to place, for jobs with sub-jobs; NULL: nothing */
  gboolean no_forecasts;   /* make every trial (allocate-forecast.h) */
  /* of the last task loop */
  guint asked;             /* tasks that a node was searched for */
  gboolean dropped;        /* some task was refused before that, or got no place although nodes passed */
} VcAllocate;

/** The task loop over the nodes of @hyper (02 §3.5). FALSE: the sub-job is neither ready nor pipelined, and what @st holds is to be undone. */
gboolean vc_allocate_tasks (VcAllocate *a, VcStatement *st, guint32 job, guint32 sub, VcHeap *tasks, guint32 hyper);
/** The HyperNode that a gang action promised to the tasks of (job, sub) in this session; VC_HYPER_NONE: none. */
guint32 vc_allocate_pinned (const VcAllocate *a, guint32 job, guint32 sub);
/** The nominations of a gang action in this session for (job, sub), within @hyper; FALSE: none, or they do not hold any more and are gone. */
gboolean vc_allocate_nominated (VcAllocate *a, VcStatement *st, guint32 job, guint32 sub, VcHeap *tasks, guint32 hyper);

/** One attempt at a job by HyperNodes; TRUE: @st holds the chosen placements. */
gboolean vc_allocate_divided (VcAllocate *a, VcStatement *st, guint32 job);
/** The job's statement was committed: what it holds now (Recorder.UpdateDecisionToJob). */
void vc_allocate_keep_decision (VcAllocate *a, guint32 job);
VcDividedJob *vc_divided_job_new (VcSession *ssn, guint32 job);
void vc_divided_job_free (VcDividedJob *d); /* NULL is fine */

G_END_DECLS
