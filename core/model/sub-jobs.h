/* core/model/sub-jobs.h - what a job with a network topology or with sub-group policies has besides its counters.
 *
 * A policy splits the pods that it selects by their values of its label keys: each combination is a sub-job, with a minimum, counters and a
 * topology of its own. Pods that no policy takes are the default sub-job, which has the job's topology. A job without policies has the
 * default sub-job alone. Rows of sub-jobs are stable; one that has no task does not exist for a session.
 * Mirrors pkg/scheduler/api/sub_job_info.go and the parts of job_info.go that deal with sub-jobs. */
#pragma once
#include "cluster.h"
#include "hyper-nodes.h"
G_BEGIN_DECLS

/* A topology as a session sees it: names of tiers are numbers, soft is hard up to the highest tier (adjustNetworkTopologySpec). */
typedef struct {
  gboolean given, hard; /* hard: mode hard and a tier */
  gint64 tier;          /* the highest allowed one, when hard */
} VcTopologyRule;

typedef struct {
  const char *uid, *gid;  /* interned; the order of uids is the order of sub-jobs */
  guint32 policy;         /* row in VcSubJobs.policy, VC_NONE: the default sub-job */
  gint64 match_index;     /* the first label value as a number, else 0 */
  gint32 min_available;
  gint32 priority;        /* highest priority of its tasks, never below 0 */
  guint32 n_tasks, count[VC_N_STATUS], pending_best_effort;
  VcRes *pending, *total; /* sums of requests: Pending tasks, all */
  guint32 allocated;      /* HyperNode that holds its allocated tasks (AllocatedHyperNode), VC_HYPER_NONE */
  /* session */
  VcTopologyRule rule;
  guint32 kept;           /* `allocated` of the cache */
  guint32 nominated, nominated_session; /* HyperNode chosen by gangpreempt or gangreclaim, and when */
} VcSubJob;

typedef struct { const char *gid; gint32 min; } VcGroupMin;

typedef struct VcSubJobs {
  VcArena *arena;            /* texts of the policies */
  VcTopologySpec topology;   /* of the job */
  VcSubGroupPolicy *policy; guint n_policies;
  const char **policy_gid;
  VcGroupMin *min; guint n_mins; /* minSubGroups by gid, ascending */
  VcSubJob *sub; guint n, cap;
  guint32 *order;            /* [n] rows by uid */
  guint32 allocated;         /* AllocatedHyperNode of the job */
  /* session */
  VcTopologyRule rule;
  guint32 kept;
  gboolean dirty;            /* `allocated` of job and sub-jobs is kept when the session closes */
} VcSubJobs;

/** Follow the PodGroup: makes job->subs, brings it up to date, or drops it when there is neither topology nor policy. */
void vc_sub_jobs_set (VcCluster *c, guint32 job, const VcPodGroupObject *o);
/** The PodGroup has another minMember now; its topology and its policies stay. */
void vc_sub_jobs_refresh (const VcJob *j);
/** The PodGroup is gone. */
void vc_sub_jobs_drop (VcCluster *c, guint32 job);
void vc_sub_jobs_free (VcSubJobs *s); /* NULL is fine */
/** No HyperNode is known to hold what is allocated. */
void vc_sub_jobs_forget (VcSubJobs *s);
/** A task entered the job: give it to its sub-job, without counting it. Call before vc_sub_jobs_count. */
void vc_sub_jobs_place (VcCluster *c, guint32 job, guint32 task);
/** A task is about to leave the job; its count is taken off already. */
void vc_sub_jobs_displace (VcCluster *c, guint32 job, guint32 task);
/** Count a task in its sub-job (sign 1) or take it out (-1), by its present status. */
void vc_sub_jobs_count (VcSubJobs *s, const VcTask *t, int sign);

static inline gboolean vc_job_has_policies (const VcJob *j) { return j->subs != NULL && j->subs->n_policies > 0; }
static inline VcSubJob *vc_job_sub (const VcJob *j, guint32 sub) { return &j->subs->sub[sub]; }
static inline guint32 vc_sub_job_allocated_num (const VcSubJob *b)
{
  return b->count[VC_BOUND] + b->count[VC_BINDING] + b->count[VC_RUNNING] + b->count[VC_ALLOCATED];
}
static inline guint32 vc_sub_job_ready_num (const VcSubJob *b) { return vc_sub_job_allocated_num (b) + b->count[VC_SUCCEEDED]; }
static inline gboolean vc_sub_job_is_ready (const VcSubJob *b)
{
  return (gint64) vc_sub_job_ready_num (b) + b->pending_best_effort >= b->min_available;
}
static inline gboolean vc_sub_job_is_pipelined (const VcSubJob *b)
{
  return (gint64) b->count[VC_PIPELINED] + vc_sub_job_ready_num (b) + b->pending_best_effort >= b->min_available;
}
gboolean vc_job_has_topology (const VcJob *j);      /* ContainsNetworkTopology */
gboolean vc_job_has_hard_topology (const VcJob *j); /* ContainsHardTopology, in a session */
gint32 vc_sub_jobs_min (const VcSubJobs *s, const char *gid); /* MinSubJobs, 0 when not given */
gboolean vc_job_groups_valid (const VcJob *j);      /* CheckSubJobValid */
gboolean vc_job_groups_ready (const VcJob *j);      /* CheckSubJobReady */
gboolean vc_job_groups_pipelined (const VcJob *j);  /* CheckSubJobPipelined */

G_END_DECLS
