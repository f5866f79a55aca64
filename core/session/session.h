/* core/session/session.h - one scheduling cycle: extension points, their combination rules, helpers for actions and plugins.
 *
 * A session works on the live tables of the cache (VcCluster). Plugins add hooks in session_open; the configuration (tiers,
 * order, enable flags) decides who is asked. The combination rules live in hooks.c, one function each.
 * Mirrors pkg/scheduler/framework/{session,session_plugins,framework}.go. */
#pragma once
#include "core/cache/cache.h"
#include "core/conf/conf.h"
#include "core/devices/devices.h"
#include "core/model/sub-jobs.h"
#include "core/numa/numa.h"
G_BEGIN_DECLS

typedef struct VcSession VcSession;
typedef struct VcEngine VcEngine;

/* ---- what hooks return ---- */
typedef enum { VC_REJECT = -1, VC_ABSTAIN = 0, VC_PERMIT = 1 } VcVote;
typedef enum { VC_OK, VC_ERROR, VC_UNSCHEDULABLE, VC_UNRESOLVABLE, VC_WAIT, VC_SKIP } VcCode; /* upstream's status codes */
#define VC_FIT_MAX 8
typedef struct { guint n; struct { VcCode code; const char *reason, *plugin; } item[VC_FIT_MAX]; } VcFitError; /* reasons: static or interned */
void vc_fit_error_add (VcFitError *e, VcCode code, const char *reason, const char *plugin);

/* How far a hook looks for one task: what a change of another node invalidates. */
typedef enum { VC_SCOPE_NODE /* this node alone */, VC_SCOPE_GROUP /* the candidate list (normalised score) */, VC_SCOPE_CLUSTER } VcScope;

/* ---- hook types: `self` is the plugin's instance; tasks, jobs, queues, nodes are rows ---- */
typedef int (*VcCompareFn) (gpointer self, VcSession *ssn, guint32 l, guint32 r);     /* < 0: l first */
typedef int (*VcVictimQueueFn) (gpointer self, VcSession *ssn, guint32 l, guint32 r, guint32 preemptor_queue);
typedef gboolean (*VcJobTestFn) (gpointer self, VcSession *ssn, guint32 job);
typedef VcVote (*VcJobVoteFn) (gpointer self, VcSession *ssn, guint32 job);
typedef void (*VcJobNoteFn) (gpointer self, VcSession *ssn, guint32 job);
/** JobValid: TRUE passes; else *reason and *message (static or interned) may be set. */
typedef gboolean (*VcJobValidFn) (gpointer self, VcSession *ssn, guint32 job, const char **reason, const char **message);
typedef gboolean (*VcQueueTestFn) (gpointer self, VcSession *ssn, guint32 queue);
typedef gboolean (*VcQueueTaskFn) (gpointer self, VcSession *ssn, guint32 queue, guint32 task);
typedef gboolean (*VcQueueTasksFn) (gpointer self, VcSession *ssn, guint32 queue, const guint32 *tasks, guint n);
/** Victim filter: write the accepted candidates to @out (room for n), their number to *n_out; the vote 0 means no opinion. */
typedef VcVote (*VcVictimFn) (gpointer self, VcSession *ssn, guint32 evictor, const guint32 *candidates, guint n, guint32 *out, guint *n_out);
typedef void (*VcVictimTasksFn) (gpointer self, VcSession *ssn, const guint32 *tasks, guint n, GArray *out);
/** PrePredicate: NULL passes; else a text (interned) that refuses the task on every node. */
typedef const char *(*VcPrePredicateFn) (gpointer self, VcSession *ssn, guint32 task);
/** Predicate: TRUE passes; else statuses are added to @e. */
typedef gboolean (*VcPredicateFn) (gpointer self, VcSession *ssn, guint32 task, guint32 node, VcFitError *e);
/** The same for many nodes: clear ok[i] where nodes[i] fails; entries already 0 may be skipped. Must agree with the scalar form. */
typedef void (*VcPredicateColumnFn) (gpointer self, VcSession *ssn, guint32 task, const guint32 *nodes, guint n, guint8 *ok);
/** How many more tasks like @task the predicate passes on the node when they are placed there one after the other: what PrePredicate does for them
 * has been done, and what the actions test (resources) does not count. VC_ROOM_MAX: any number. Must agree with the predicate. */
typedef guint32 (*VcRoomFn) (gpointer self, VcSession *ssn, guint32 task, guint32 node);
#define VC_ROOM_MAX (1u << 30)
#define VC_ROOM_UNKNOWN G_MAXUINT32
/** Node score: add to score[i] for nodes[i]. FALSE: the callback fails for the task (its nodes keep only the other parts). In NODE_ORDER
 * a node alone fails when its score is made -INFINITY: it loses what all plugins of this family gave. */
typedef gboolean (*VcNodeScoreFn) (gpointer self, VcSession *ssn, guint32 task, const guint32 *nodes, guint n, double *score);
typedef VcScope (*VcScopeFn) (gpointer self, VcSession *ssn, const VcShape *shape);
typedef void (*VcTaskEventFn) (gpointer self, VcSession *ssn, guint32 task);
/** AllocateFunc: FALSE when the handler reports an error (Statement then rolls the operation back). */
typedef gboolean (*VcTaskAllocatedFn) (gpointer self, VcSession *ssn, guint32 task);
typedef guint32 (*VcBestNodeFn) (gpointer self, VcSession *ssn, guint32 task, const guint32 *nodes, const double *scores, guint n); /* VC_NONE: no answer */
typedef guint32 (*VcTargetJobFn) (gpointer self, VcSession *ssn, const guint32 *jobs, guint n);
typedef void (*VcReservedNodesFn) (gpointer self, VcSession *ssn);
typedef gboolean (*VcNodeMapFn) (gpointer self, VcSession *ssn, guint32 task, guint32 node, double *score);
typedef gboolean (*VcNodeReduceFn) (gpointer self, VcSession *ssn, guint32 task, const guint32 *nodes, gint64 *scores, guint n);
/* simulation of evictions (topology-aware preemption): @state is the caller's VcSimState. add/remove: FALSE is an error that drops the node. */
typedef struct {
  VcRes *removed; /* requests of the victims taken away so far; all are of the preemptor's queue */
  GArray *gone;   /* guint32: for predicates: those of these victims that it was told of; all are on the node in question */
  GArray *off;    /* guint32: all of them, in the order in which they were taken away */
} VcSimState;
typedef gboolean (*VcSimTaskFn) (gpointer self, VcSession *ssn, gpointer state, guint32 task, guint32 changed, guint32 node);
typedef gboolean (*VcSimQueueFn) (gpointer self, VcSession *ssn, gpointer state, guint32 queue, guint32 task);

/* Sub-jobs are rows of their job's; a job without any is its own sub-job 0. */
typedef int (*VcSubCompareFn) (gpointer self, VcSession *ssn, guint32 job, guint32 l, guint32 r);
typedef gboolean (*VcSubTestFn) (gpointer self, VcSession *ssn, guint32 job, guint32 sub);
typedef VcVote (*VcSubVoteFn) (gpointer self, VcSession *ssn, guint32 job, guint32 sub);
/* HyperNodes in the order in which they are tried: groups of equal rank, each by itself. */
typedef struct { GArray *hyper /* guint32 */, *end /* guint: where each group ends */; } VcGradients;
void vc_gradients_init (VcGradients *g);
void vc_gradients_clear (VcGradients *g);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (VcGradients, vc_gradients_clear)
typedef enum { VC_FOR_PLACEMENT, VC_FOR_EVICTION } VcPurpose;
/** HyperNodes within @hyper for a job (@sub VC_NONE) or one of its sub-jobs, appended to @out. */
typedef void (*VcGradientFn) (gpointer self, VcSession *ssn, guint32 job, guint32 sub, guint32 hyper, VcPurpose purpose, VcGradients *out);
/** Score of HyperNodes for a sub-job: add to score[i] for hypers[i]. */
typedef void (*VcHyperScoreFn) (gpointer self, VcSession *ssn, guint32 job, guint32 sub, const guint32 *hypers, guint n, double *score);

/** What an order of jobs goes by, as a number: the smaller goes first, and jobs with the same are equal to the comparison. It may change in a session
 * only for a job whose tasks are placed or evicted. FALSE: this job's cannot be said in a number. */
typedef gboolean (*VcJobKeyFn) (gpointer self, VcSession *ssn, guint32 job, gint64 *key);
/** The number of a double that is neither negative nor NaN: in the same order. */
static inline gint64
vc_job_key_of (double v)
{
  union { double v; gint64 bits; } u = { .v = v + 0.0 }; /* -0 becomes 0 */
  return u.bits;
}

/* ---- families ---- */
typedef enum {
  VC_HOOK_JOB_ORDER, VC_HOOK_QUEUE_ORDER, VC_HOOK_TASK_ORDER, VC_HOOK_SUB_JOB_ORDER, VC_HOOK_CLUSTER_ORDER, VC_HOOK_VICTIM_QUEUE_ORDER,
  VC_HOOK_JOB_READY, VC_HOOK_SUB_JOB_READY, VC_HOOK_JOB_PIPELINED, VC_HOOK_SUB_JOB_PIPELINED, VC_HOOK_JOB_VALID, VC_HOOK_JOB_STARVING,
  VC_HOOK_JOB_ENQUEUEABLE, VC_HOOK_JOB_ENQUEUED, VC_HOOK_OVERUSED, VC_HOOK_ALLOCATABLE, VC_HOOK_PREEMPTIVE, VC_HOOK_PREEMPTABLE,
  VC_HOOK_RECLAIMABLE, VC_HOOK_UNIFIED_EVICTABLE, VC_HOOK_VICTIM_TASKS, VC_HOOK_PRE_PREDICATE, VC_HOOK_PREDICATE, VC_HOOK_NODE_ORDER,
  VC_HOOK_BATCH_NODE_ORDER, VC_HOOK_NODE_MAP, VC_HOOK_NODE_REDUCE, VC_HOOK_BEST_NODE, VC_HOOK_TARGET_JOB, VC_HOOK_RESERVED_NODES,
  VC_HOOK_SIM_PREDICATE, VC_HOOK_SIM_ADD_TASK, VC_HOOK_SIM_REMOVE_TASK, VC_HOOK_SIM_ALLOCATABLE, VC_HOOK_GRADIENT, VC_HOOK_HYPER_ORDER,
  VC_HOOK_ROOM,
  VC_N_HOOKS
} VcHookFamily;

/* What became of a HyperNode that a job or a sub-job was tried in. */
typedef struct { guint32 hyper; gboolean fits; double score; } VcHyperTrial;

/* A turn in enqueue or allocate: a job of a queue is tried (VC_NONE: none was), and behind it wait others of the queue and other queues; VC_NONE: none
 * does. `…_by` is who told them apart: a plugin, "created", "name"; NULL: nobody, by what plugins say now. The lower the rank, the earlier it is asked. */
typedef struct {
  gboolean admission; /* of enqueue */
  guint32 queue, job, next_queue, next_job;
  const char *queue_by, *job_by;
  guint queue_rank, job_rank;
} VcTurnSeen;

/* Who watches decisions being made (cycle --explain). Every callback may be NULL; none may change anything. */
typedef struct {
  gpointer user;
  /** A plugin voted on a job: VC_HOOK_JOB_ENQUEUEABLE or VC_HOOK_JOB_PIPELINED. */
  void (*vote) (gpointer user, VcSession *ssn, VcHookFamily f, guint32 job, const char *plugin, VcVote vote);
  /** A plugin refused a queue (VC_HOOK_OVERUSED; task VC_NONE) or a task in it (VC_HOOK_ALLOCATABLE, VC_HOOK_PREEMPTIVE). */
  void (*refused) (gpointer user, VcSession *ssn, VcHookFamily f, guint32 queue, guint32 task, const char *plugin);
  /** A victim filter with an opinion answered: @accepted of @candidates. */
  void (*victims) (gpointer user, VcSession *ssn, VcHookFamily f, guint32 evictor, const char *plugin, const guint32 *candidates, guint n,
                   const guint32 *accepted, guint m);
  /** allocate or backfill is about to choose one of @nodes for a task (@resources: the request must fit too), and what it chose (VC_NONE: none).
   * @hyper: row of the HyperNode that the task is tried in, VC_NONE: of none. */
  void (*pick) (gpointer user, VcSession *ssn, guint32 task, gboolean resources, guint32 hyper, const guint32 *nodes, guint n);
  void (*picked) (gpointer user, VcSession *ssn, guint32 task, guint32 node);
  /** A task was put on its node; @good FALSE: some handler refused, the placement is about to be taken back. */
  void (*placed) (gpointer user, VcSession *ssn, guint32 task, gboolean good);
  /** allocate tried a job (@sub VC_NONE) or a sub-job in the HyperNodes of gradient @gradient, from 0: @chosen is a row of HyperNodes, VC_NONE when none
   * fits. */
  void (*hypers) (gpointer user, VcSession *ssn, guint32 job, guint32 sub, guint gradient, const VcHyperTrial *trial, guint n, guint32 chosen);
  /** A job has its turn. */
  void (*turn) (gpointer user, VcSession *ssn, const VcTurnSeen *turn);
  /** A plugin answered no when it was asked about a job: VC_HOOK_JOB_VALID, VC_HOOK_JOB_READY or VC_HOOK_JOB_STARVING. @plugin NULL: all of them have said
   * yes, whatever they said before. */
  void (*denied) (gpointer user, VcSession *ssn, VcHookFamily f, guint32 job, const char *plugin);
  /** The action enqueue is over: the time for vc_session_kept_out_by(). */
  void (*enqueued) (gpointer user, VcSession *ssn);
  /** The actions are over, and the session is as they left it: the time for vc_session_lost_to(). */
  void (*closing) (gpointer user, VcSession *ssn);
} VcObserver;

/** One part of a plugin's score of nodes, for explanations: its name, the weight and the weighted scores. */
typedef void (*VcScoreTermFn) (gpointer user, const char *name, gint64 weight, const double *score);

/* What Volcano's objects do not say of a job, but the embedding may: policies that know run times need it (core/beyond). Microseconds. */
typedef struct {
  gint64 submitted; /* since the epoch */
  guint32 place;    /* order of jobs submitted at one time */
  gint64 walltime;  /* time that its user asked for, -1: none */
} VcOutlook;
typedef struct {
  gint64 started;   /* since the epoch: when its present pods were bound, -1: none is */
  gint64 left;      /* running time that it still needs, if nothing stops it; -1: for ever */
} VcProgress;

/* ---- plugins ---- */
typedef struct VcHttpTransport VcHttpTransport; /* core/plugins/extender-http.h */
typedef struct VcPluginClass {
  const char *name, *summary;
  const VcArgSpec *args;   /* ends with key NULL; NULL = none */
  gsize instance_size;     /* zeroed before init() */
  /** Read the arguments; NULL = none. FALSE with @error refuses the configuration. */
  gboolean (*init) (gpointer self, const VcPluginOption *option, gboolean lenient, GError **error);
  /** After init: take the way to call HTTP services; @http is NULL when there is none. NULL = calls nobody. FALSE with @error refuses. */
  gboolean (*connect) (gpointer self, const VcHttpTransport *http, GError **error);
  /** Adds this plugin's hooks (vc_session_add_*) and builds its view of the cluster. Required. */
  void (*session_open) (gpointer self, VcSession *ssn);
  void (*session_close) (gpointer self, VcSession *ssn); /* NULL = nothing to do */
  /** Tell the parts of what the plugin's hook of family @f (NODE_ORDER or BATCH_NODE_ORDER) scores; NULL = there is one part. */
  void (*score_terms) (gpointer self, VcSession *ssn, VcHookFamily f, guint32 task, const guint32 *nodes, guint n, VcScoreTermFn tell, gpointer user);
  void (*clear) (gpointer self);                         /* NULL = nothing allocated */
  gboolean (*reads_clock) (gpointer self);               /* do its answers depend on the time (then no cycle may be skipped)? NULL = no, but see vc_engine_reads_clock() */
  gint64 (*bind_patience) (gpointer self);               /* seconds that the bind of a pod waits for its volumes, -1: it does not wait. NULL = -1 */
  /** Explain what the plugin makes of a task on a node: lines without indentation, appended to @out. NULL = the answers tell it all. */
  void (*explain) (gpointer self, VcSession *ssn, guint32 task, guint32 node, GString *out);
} VcPluginClass;

/* hooks: call from session_open. Registering again under the same plugin name replaces (W10). `scope` of predicates and scores tells what a
 * cached answer depends on; NULL = node-local for every shape. */
void vc_session_add_compare (VcSession *ssn, VcHookFamily f, VcCompareFn fn); /* queue, task, cluster order */
/** The order of jobs; @key (NULL: none) says the same in a number. */
void vc_session_add_job_order (VcSession *ssn, VcCompareFn fn, VcJobKeyFn key);
/** An order of tasks that depends on nothing but the two pods, and is transitive. (One that may change is added with vc_session_add_compare().) */
void vc_session_add_steady_task_order (VcSession *ssn, VcCompareFn fn);
void vc_session_add_sub_job_order (VcSession *ssn, VcSubCompareFn fn);
void vc_session_add_sub_job_ready (VcSession *ssn, VcSubTestFn fn);
void vc_session_add_sub_job_pipelined (VcSession *ssn, VcSubVoteFn fn);
void vc_session_add_gradient (VcSession *ssn, VcGradientFn fn);
void vc_session_add_hyper_order (VcSession *ssn, VcHyperScoreFn fn);
void vc_session_add_victim_queue_order (VcSession *ssn, VcVictimQueueFn fn);
void vc_session_add_job_test (VcSession *ssn, VcHookFamily f, VcJobTestFn fn); /* JOB_READY, JOB_STARVING */
void vc_session_add_job_vote (VcSession *ssn, VcHookFamily f, VcJobVoteFn fn); /* JOB_PIPELINED, JOB_ENQUEUEABLE */
void vc_session_add_job_enqueued (VcSession *ssn, VcJobNoteFn fn);
void vc_session_add_job_valid (VcSession *ssn, VcJobValidFn fn);
void vc_session_add_overused (VcSession *ssn, VcQueueTestFn fn);
void vc_session_add_allocatable (VcSession *ssn, VcQueueTaskFn fn);
void vc_session_add_preemptive (VcSession *ssn, VcQueueTasksFn fn);
void vc_session_add_victims (VcSession *ssn, VcHookFamily f, VcVictimFn fn); /* PREEMPTABLE, RECLAIMABLE, UNIFIED_EVICTABLE */
/* What a victim filter looks at of the evictor. Its answer then holds for all evictors that are alike in that, until a task is placed or evicted. */
typedef enum { VC_READS_EVICTOR, VC_READS_SHAPE /* and its queue */, VC_READS_QUEUE } VcVictimReads;
/** The same for a filter that looks at no more than @reads, and leaves nothing behind when it is asked. */
void vc_session_add_victims_of (VcSession *ssn, VcHookFamily f, VcVictimFn fn, VcVictimReads reads);
void vc_session_add_victim_tasks (VcSession *ssn, VcVictimTasksFn fn);
void vc_session_add_pre_predicate (VcSession *ssn, VcPrePredicateFn fn);
void vc_session_add_predicate (VcSession *ssn, VcPredicateFn fn, VcPredicateColumnFn column, VcScopeFn scope);
/** How far the predicate just added lets one node be filled (core/session/rooms.h). Without it every trial in a HyperNode is really made. */
void vc_session_add_room (VcSession *ssn, VcRoomFn fn);
void vc_session_add_node_order (VcSession *ssn, VcNodeScoreFn fn, VcScopeFn scope);
void vc_session_add_batch_node_order (VcSession *ssn, VcNodeScoreFn fn, VcScopeFn scope);
void vc_session_add_node_map (VcSession *ssn, VcNodeMapFn map, VcNodeReduceFn reduce);
void vc_session_add_best_node (VcSession *ssn, VcBestNodeFn fn);
void vc_session_add_target_job (VcSession *ssn, VcTargetJobFn fn);
void vc_session_add_reserved_nodes (VcSession *ssn, VcReservedNodesFn fn);
void vc_session_add_simulation (VcSession *ssn, VcSimTaskFn predicate, VcSimTaskFn add, VcSimTaskFn remove, VcSimQueueFn allocatable);
void vc_session_add_handlers (VcSession *ssn, VcTaskAllocatedFn allocated, VcTaskEventFn deallocated);

/* Whom a unified eviction serves: set before vc_session_victims (UNIFIED_EVICTABLE), read by the filters. */
typedef enum { VC_EVICT_GANG_PREEMPT, VC_EVICT_GANG_RECLAIM, VC_EVICT_TASK_PREEMPT, VC_EVICT_TASK_RECLAIM } VcEvictionKind;
void vc_session_set_eviction (VcSession *ssn, VcEvictionKind kind, guint32 job);
VcEvictionKind vc_session_eviction_kind (VcSession *ssn);
guint32 vc_session_eviction_job (VcSession *ssn);

/** VictimTasks of a plugin that names the node's own record of the task: its eviction leaves the node's Releasing as it is where upstream's does
 * (finding W3). */
void vc_session_mark_node_victim (VcSession *ssn, guint32 task);

/* ---- combination rules (hooks.c) ---- */
int vc_session_job_compare (VcSession *ssn, guint32 l, guint32 r);       /* JobOrderCompareFn: no fallback */
gboolean vc_session_job_less (VcSession *ssn, guint32 l, guint32 r);
gboolean vc_session_queue_less (VcSession *ssn, guint32 l, guint32 r);
int vc_session_task_compare (VcSession *ssn, guint32 l, guint32 r);
gboolean vc_session_task_less (VcSession *ssn, guint32 l, guint32 r);
gboolean vc_task_default_less (const VcTask *l, const VcTask *r);        /* CompareTask */
gboolean vc_session_victim_queue_less (VcSession *ssn, guint32 l, guint32 r, guint32 preemptor_queue);
/** Is task l evicted before task r when @preemptor wants their room (BuildVictimsPriorityQueue)? */
gboolean vc_session_victim_before (VcSession *ssn, guint32 preemptor, guint32 l, guint32 r);
gboolean vc_session_job_ready (VcSession *ssn, guint32 job);
gboolean vc_session_sub_job_ready (VcSession *ssn, guint32 job, guint32 sub);
gboolean vc_session_job_pipelined (VcSession *ssn, guint32 job);
gboolean vc_session_sub_job_pipelined (VcSession *ssn, guint32 job, guint32 sub);
gboolean vc_session_sub_job_less (VcSession *ssn, guint32 job, guint32 l, guint32 r);
gboolean vc_session_job_valid (VcSession *ssn, guint32 job, const char **reason, const char **message);
gboolean vc_session_job_starving (VcSession *ssn, guint32 job);
gboolean vc_session_job_enqueueable (VcSession *ssn, guint32 job);
void vc_session_job_enqueued (VcSession *ssn, guint32 job);
gboolean vc_session_overused (VcSession *ssn, guint32 queue);
gboolean vc_session_allocatable (VcSession *ssn, guint32 queue, guint32 task);
gboolean vc_session_preemptive (VcSession *ssn, guint32 queue, const guint32 *tasks, guint n);
/** Victims by @f (PREEMPTABLE, RECLAIMABLE or UNIFIED_EVICTABLE): written to @out (guint32 rows, emptied first). */
void vc_session_victims (VcSession *ssn, VcHookFamily f, guint32 evictor, const guint32 *candidates, guint n, GArray *out);
/** The most that any filter of @f reads. Everything is read when somebody watches, who is to hear of each answer, and under --plain. */
VcVictimReads vc_session_victims_read (VcSession *ssn, VcHookFamily f);
void vc_session_victim_tasks (VcSession *ssn, const guint32 *tasks, guint n, GArray *out);
const char *vc_session_pre_predicate (VcSession *ssn, guint32 task);
gboolean vc_session_predicate (VcSession *ssn, guint32 task, guint32 node, VcFitError *e);
/** Totals of 02 §1.10 for a candidate list. FALSE: scoring failed as a whole (no node). */
gboolean vc_session_scores (VcSession *ssn, guint32 task, const guint32 *nodes, guint n, double *total);
guint32 vc_session_best_node (VcSession *ssn, guint32 task, const guint32 *nodes, const double *scores, guint n);
/** HyperNodeGradientForJobFn (@sub VC_NONE) and …ForSubJobFn: the first participant's answer, else @hyper alone. @out is emptied first. */
void vc_session_gradients (VcSession *ssn, guint32 job, guint32 sub, guint32 hyper, VcPurpose purpose, VcGradients *out);
/** The observer that wants to hear of trials in HyperNodes, NULL: nobody does. */
const VcObserver *vc_session_hyper_observer (const VcSession *ssn);
/** PrioritizeHyperNodes: total[i] for hypers[i]. */
void vc_session_hyper_scores (VcSession *ssn, guint32 job, guint32 sub, const guint32 *hypers, guint n, double *total);
gboolean vc_session_sim_predicate (VcSession *ssn, gpointer state, guint32 task, guint32 node);
gboolean vc_session_sim_add (VcSession *ssn, gpointer state, guint32 task, guint32 changed, guint32 node);
gboolean vc_session_sim_remove (VcSession *ssn, gpointer state, guint32 task, guint32 changed, guint32 node);
gboolean vc_session_sim_allocatable (VcSession *ssn, gpointer state, guint32 queue, guint32 task);
/** enableHierarchy of the first entry of that plugin name. */
gboolean vc_session_hierarchy_enabled (VcSession *ssn, const char *plugin);

/* One participant at a time, for explanations: in the order in which they are asked. */
guint vc_session_participants (VcSession *ssn, VcHookFamily f);
const char *vc_session_participant (VcSession *ssn, VcHookFamily f, guint i); /* plugin name */
gboolean vc_session_participant_predicate (VcSession *ssn, guint i, guint32 task, guint32 node, VcFitError *e);
/** What the plugin has to add to its answer to a predicate: lines, appended to @out. */
void vc_session_participant_explain (VcSession *ssn, guint i, guint32 task, guint32 node, GString *out);
/** Adds to @score; @f is VC_HOOK_NODE_ORDER or VC_HOOK_BATCH_NODE_ORDER. */
gboolean vc_session_participant_score (VcSession *ssn, VcHookFamily f, guint i, guint32 task, const guint32 *nodes, guint n, double *score);
/** The parts of that score, for a plugin that has several; else tells nothing. */
void vc_session_participant_terms (VcSession *ssn, VcHookFamily f, guint i, guint32 task, const guint32 *nodes, guint n, VcScoreTermFn tell, gpointer user);
guint32 vc_session_rotating_index (VcSession *ssn);
guint32 vc_session_node_limit (VcSession *ssn, guint32 n);

/* ---- what a plugin or action reads ---- */
VcCluster *vc_session_cluster (VcSession *ssn);
guint32 vc_session_number (VcSession *ssn);         /* the session's identity (condition TransitionID) */
VcDevices *vc_session_devices (VcSession *ssn);     /* shared devices of the nodes (core/devices/devices.h) */
VcNuma *vc_session_numa (VcSession *ssn);           /* their CPUs and NUMA nodes (core/numa/numa.h) */
/** Was the node that the task is about to get, or got last, found in what is remembered of its shape, so that no predicate was called for it? */
gboolean vc_session_remembered (VcSession *ssn, guint32 task);
/** The plugin leaves something behind that the next session looks at: it must not be skipped. */
void vc_session_note_change (VcSession *ssn);
gboolean vc_session_is_plain (VcSession *ssn);      /* --plain: leave shortcuts aside */
/** What is known of a job beyond its objects. Without anybody who knows: its PodGroup's second of creation, no requested time. */
void vc_session_outlook (VcSession *ssn, guint32 job, VcOutlook *out);
/** How far it is, by its pods: takes time that grows with them. */
void vc_session_progress (VcSession *ssn, guint32 job, VcProgress *out);
/** There should be a cycle at @time (microseconds since the epoch, after now), though nothing may have happened by then. */
void vc_session_wake_at (VcSession *ssn, gint64 time);
gint64 vc_session_now (VcSession *ssn);             /* wall clock of the cycle, microseconds since the epoch */
const VcRes *vc_session_total (VcSession *ssn);     /* TotalResource */
const VcHyperView *vc_session_hypers (VcSession *ssn); /* the tree of HyperNodes with its root; made when first asked for */
const char *vc_session_metrics_interval (VcSession *ssn); /* of the configuration, as written; NULL */
const guint32 *vc_session_jobs (VcSession *ssn, guint *n);   /* rows in the snapshot (PodGroup and queue exist), by key */
const guint32 *vc_session_queues (VcSession *ssn, guint *n); /* by name */
static inline VcTask *vc_task (const VcCluster *c, guint32 t) { return &c->task[t]; }
static inline VcJob *vc_job (const VcCluster *c, guint32 j) { return &c->job[j]; }
static inline VcQueue *vc_queue (const VcCluster *c, guint32 q) { return &c->queue[q]; }
gboolean vc_session_has_job (VcSession *ssn, guint32 job); /* VC_NONE, or a job outside the snapshot: FALSE */
/** A condition of @type on the job: replaces the one of the same type, else is appended. Texts static or interned;
 * @message is taken over (may be NULL). TransitionID = this session. */
void vc_session_set_condition (VcSession *ssn, guint32 job, const char *type, const char *status, const char *reason, char *message);
gboolean vc_session_gates_admission (VcSession *ssn); /* feature gate SchedulingGatesQueueAdmission */
gboolean vc_session_wants_messages (VcSession *ssn); /* build message texts? (dry run; not in long replays) */
/** FitError text of a job (01 §17). (transfer full) */
char *vc_session_job_fit_text (VcSession *ssn, guint32 job);
/** What a queue plugin publishes for this session (queue_* metrics). Copied. */
typedef enum { VC_GAUGE_SHARE = 1, VC_GAUGE_OVERUSED = 2, VC_GAUGE_CAPACITY = 4, VC_GAUGE_REAL_CAPACITY = 8 } VcGaugePart;
typedef struct {
  gboolean published;      /* allocated, request, inqueue and deserved were set in this session */
  guint parts;             /* VcGaugePart: what was set besides */
  double share, weight;
  gboolean overused;
  VcRes *deserved, *allocated, *request, *inqueue, *capacity, *real_capacity; /* owned by the session */
} VcQueueGauge;
/** Who took what a job lacks. */
typedef struct {
  guint32 job;       /* the last one without which it could have started in this session */
  gboolean by_queue; /* the order of queues put that one first; else the order of jobs in the queue */
  const char *by;    /* who told the two apart: a plugin, "created" or "name"; NULL: nobody does */
} VcLoss;
/** Was anything bound in a turn of this session? */
gboolean vc_session_anything_taken (VcSession *ssn);
/** Would the job, which is admitted and got no place (@share: whose queue may take no more), have started in this session if another job had not had
 * its turn before it? TRUE only if it is sure: not asked of pods that differ, look at other pods or at HyperNodes, or ask for devices, volumes or
 * claims. While VcObserver.closing runs. */
gboolean vc_session_lost_to (VcSession *ssn, guint32 job, gboolean share, VcLoss *out);
/** Jobs that enqueue has admitted in this session so far. */
guint32 vc_session_admitted (VcSession *ssn);
/** Would the votes have let the job in, which they kept out when @turn jobs were admitted, if another job had not been admitted before it? TRUE only if it
 * is sure: asked of proportion, capacity, overcommit and sla. While VcObserver.enqueued runs. */
gboolean vc_session_kept_out_by (VcSession *ssn, guint32 job, guint32 turn, VcLoss *out);
VcQueueGauge *vc_session_gauge (VcSession *ssn, guint32 queue); /* zeroed at session open; vectors exist (empty) */
/** Tell that the engine decided something worth a log line: levels as upstream's (3 decisions, 4 considered, 5 scores). */
gboolean vc_session_logs (VcSession *ssn, int level);
void vc_session_log (VcSession *ssn, int level, const char *format, ...) G_GNUC_PRINTF (3, 4);

G_END_DECLS
