/* core/session/search.h - which node for a task: predicate scan with a limit, candidate classes, scores (02 §1.9, §1.10, §3.5).
 *
 * Two ways to the same answer: the plain scan asks every hook for every node; the shape views (search-shapes.c) keep the
 * answers per task shape and node and bring up to date only the nodes that changed. `plain` forces the first. Mirrors
 * pkg/scheduler/util/{predicate_helper,scheduler_helper}.go. */
#pragma once
#include "session.h"
G_BEGIN_DECLS

typedef enum {
  VC_SEARCH_ALLOCATE, /* request <= FutureIdle first, then the predicates */
  VC_SEARCH_PLUGINS,  /* the predicates alone (backfill) */
  VC_SEARCH_TRIAL,    /* request <= FutureIdle, then as PREEMPT (gang plans) */
  VC_SEARCH_PREEMPT   /* the predicates, but what an eviction may cure does not fail (PredicateForPreemptAction) */
} VcSearchMode;

/* A predicate helper: the failed (role, node) pairs of one task loop. */
typedef struct VcSearch VcSearch;
/** For tasks of one job; @cache: predicateErrorCacheEnable. Lives until the session closes. */
VcSearch *vc_search_new (VcSession *ssn, guint32 job, VcSearchMode mode, gboolean cache);

/** The same, for one search after another: there is one such helper, and each call empties it. Many trials cost no memory. */
VcSearch *vc_search_scratch (VcSession *ssn, guint32 job, VcSearchMode mode, gboolean cache);

typedef enum { VC_FOUND, VC_NO_CANDIDATE, VC_NO_CHOICE } VcSearchResult;
/** Choose a node for @task among the session's nodes. VC_NO_CANDIDATE: no node passed; the reasons are recorded for the task.
 * VC_NO_CHOICE: nodes passed but scoring chose none. Moves the rotating index exactly as upstream's scan does. */
VcSearchResult vc_search_pick (VcSearch *s, guint32 task, guint32 *node);
/** The same among the nodes of a HyperNode of the session. */
VcSearchResult vc_search_pick_within (VcSearch *s, guint32 task, guint32 hyper, guint32 *node);
/** The same over one node (the nominated one). VC_NO_CANDIDATE records nothing. */
VcSearchResult vc_search_pick_one (VcSearch *s, guint32 task, guint32 only, guint32 *node);

/** PredicateNodes over any list: the feasible nodes in scan order, at most K. Records nothing, moves the rotating index. */
void vc_search_candidates (VcSearch *s, guint32 task, const guint32 *list, guint n, GArray *found);
/** The feasible nodes for reclaim, which has a helper for each task: vc_search_resolvable_nodes, written to @nodes, then their candidates.
 * TRUE: these are remembered of the shape, and no predicate was called. */
gboolean vc_search_evictable (VcSession *ssn, guint32 task, gboolean cache, GArray *nodes, GArray *found);
/** Call the predicates for one node that was remembered: plugins note whom they let in. */
void vc_search_ask_evictable (VcSession *ssn, guint32 task, guint32 node);
/** The choice of vc_search_pick over any list, by the plain scan; failures record nothing. */
VcSearchResult vc_search_pick_list (VcSearch *s, guint32 task, const guint32 *list, guint n, guint32 *node);
/** Nodes that an eviction might make fit: all of the list, or, when allocate has found some beyond help in this session, the others by
 * name (FilterOutUnschedulableAndUnresolvableNodesForTask). */
void vc_search_resolvable_nodes (VcSession *ssn, guint32 task, GArray *out);

/** With soft sharding: nodes of the scheduler's own shard first, each group in its order; the number of those. Else all of them count as its own. */
guint vc_search_by_shard (const VcSession *ssn, guint32 *nodes, guint n);
#define VC_OUTSIDE_SHARD "node isn't in scheduler node shard"
/** With hard sharding: may the scheduler use the node? */
gboolean vc_search_may_use (const VcSession *ssn, guint32 node);

/** K: how many feasible nodes to look for in a list of @n (15.1). */
guint32 vc_search_limit (const VcSession *ssn, guint32 n);

/* Fit errors of a job's tasks in this session. */
void vc_fit_record_refusal (VcSession *ssn, guint32 task, const char *reason, guint32 nodes); /* the same reason on so many nodes */
/** Tasks that are not looked at, as their role has failed: all @n of them in one record. More than one must stay where they are until the next session opens. */
void vc_fit_record_skipped (VcSession *ssn, const guint32 *task, guint32 n);
gboolean vc_fit_role_failed (VcSession *ssn, guint32 task);    /* TaskHasFitErrors */
gboolean vc_fit_need_continue (VcSession *ssn, guint32 job, guint32 sub); /* NeedContinueAllocating */
/** Forget the records of a job (@sub VC_NONE) or of one of its sub-jobs: ResetFitErr, ResetSubJobFitErr. */
void vc_fit_reset (VcSession *ssn, guint32 job, guint32 sub);
const VcFit *vc_fit_of_task (VcSession *ssn, guint32 task);    /* newest record, or NULL */

G_END_DECLS
