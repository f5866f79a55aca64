/* core/model/cluster.h - the tables of one cluster: nodes, tasks, jobs, queues.
 *
 * One live state serves the cache and the session: what a session leaves uncommitted is rolled back when it closes. Rows are dense
 * and stable; a row's place in an order list is its meaning (shared part 00):
 *   node list  = the order in which the cache learned of the nodes;
 *   by name    = nodes and queues by name, jobs by `<namespace>/<podgroup>`, a job's tasks by UID.
 * Only core/cache and core/session change these tables. Plugins read them. */
#pragma once
#include "core/base/resource.h"
#include <stdbool.h>
#include "shape.h"
G_BEGIN_DECLS

#define VC_NONE G_MAXUINT32

typedef enum { /* numeric order = upstream's bit order */
  VC_PENDING, VC_ALLOCATED, VC_PIPELINED, VC_BINDING, VC_BOUND, VC_RUNNING, VC_RELEASING, VC_SUCCEEDED, VC_FAILED, VC_UNKNOWN, VC_N_STATUS
} VcStatus;
extern const char *const vc_status_names[VC_N_STATUS];
static inline gboolean vc_status_allocated (VcStatus s) /* AllocatedStatus */
{
  return s == VC_ALLOCATED || s == VC_BINDING || s == VC_BOUND || s == VC_RUNNING;
}
static inline gboolean vc_status_terminated (VcStatus s) { return s == VC_SUCCEEDED || s == VC_FAILED; }

/* Labels and annotations of an object: equal ones share one record. */
typedef struct VcMeta VcMeta;
struct VcMeta {
  VcPairs labels, annotations;
  const VcMeta *bare; /* the record of the same labels without annotations: one for all that look alike to selectors, held by this one */
};

/* ---- tasks ---- */
typedef struct {
  char *name;             /* owned; uid and key live behind it */
  const char *uid;        /* order key */
  const char *key;        /* "<namespace>/<name>" */
  const char *ns;         /* interned */
  const VcShape *shape;
  const VcMeta *meta;     /* of the pod */
  struct VcPodClaims *claims; /* entries in spec.resourceClaims (claims.h), owned; NULL: none */
  const char *template_uid; /* annotation volcano.sh/template-uid, of meta; NULL */
  gint64 created;         /* second */
  gint64 index;           /* pod index from the name, when has_index */
  gint64 start_time;      /* VC_NO_TIME */
  gint64 scheduled_time;  /* since when PodScheduled is True, VC_NO_TIME */
  guint32 job, node;      /* rows, VC_NONE */
  guint32 pos_in_node;    /* place in the node's task array */
  guint32 bound_to;       /* node row that pod.spec.nodeName holds for the wrapped filters: set by Allocate, left by what undoes it; VC_NONE */
  guint32 nominated;      /* node row that status.nominatedNodeName names, VC_NONE: none; VC_NONE - 1: a node nobody knows */
  guint32 user;           /* the caller's row (sim: pod) */
  gint32 priority;        /* within the job (01 §2.1) */
  gint32 pod_priority;    /* spec.priority, 0 when unset */
  guint32 sub;            /* row in the job's sub-jobs, where it has any */
  guint32 job_hyper;      /* HyperNode of what the sub-job holds when allocate scores for the task (JobAllocatedHyperNode), VC_NONE */
  guint16 role;           /* row in the job's roles */
  guint8 status;          /* VcStatus */
  guint8 last_status;     /* LastTransaction: status, or VC_N_STATUS when there is none */
  guint32 last_node;
  bool has_index : 1, best_effort : 1, preemptable : 1, gated : 1, gate_only_queue : 1, gate_opt_in : 1, evicted_for : 1,
    never_preempts : 1, critical : 1 /* system-…-critical class or kube-system */, deleting : 1, in_mirror : 1, last_evicted : 1,
    preemption_victim : 1, has_pod_priority : 1, live : 1, revocable : 1, skip_node_affinity : 1, skip_ports : 1, prefilter_done : 1,
    skip_pod_affinity : 1, skip_spread : 1,
    was_bound : 1 /* evicted in this session while Bound */;
  guint32 prefilter_session; /* session in which the flags skip_*, prefilter_done were set */
  guint32 prefilter_at;      /* place in the mirror's journal when PrePredicate ran last in that session */
} VcTask;
#define VC_NOMINATED_UNKNOWN (VC_NONE - 1u)

/* ---- jobs (PodGroups) ---- */
typedef enum { VC_PG_EMPTY, VC_PG_PENDING, VC_PG_INQUEUE, VC_PG_RUNNING, VC_PG_UNKNOWN, VC_PG_COMPLETED, VC_PG_OTHER } VcPgPhase;
extern const char *const vc_pg_phase_names[]; /* "", "Pending", … */

typedef struct {
  const char *name;      /* interned; "" for tasks without a role */
  gint32 min;            /* minTaskMember, -1 when the role is not in it */
  guint32 count[VC_N_STATUS];
  guint32 tasks;         /* tasks of the role, any status */
  guint32 pending_empty; /* Pending with an empty request */
  const VcShape *shape;   /* of its first task */
  guint32 failed_session; /* session in which a task of this role found no node ("failed role") */
  guint64 settled;        /* loop of allocate in which the role's other tasks fare like the last one */
} VcRole;

typedef struct {
  const char *type, *status, *reason; /* interned */
  char *message;                      /* NULL: not built (vc_session_want_messages) */
  guint32 session;                    /* TransitionID: session number, 0 = an older one */
} VcCondition;

/* Why a task found no node: reason → number of nodes. @shortage: it tells of room, which time and other jobs can change. */
typedef struct { const char *reason; guint32 nodes; gboolean shortage; } VcFitReason;
typedef struct VcFit VcFit;
struct VcFit {
  VcFit *next;
  guint32 task;
  gboolean skipped;       /* the task was not looked at: one of its role had failed */
  const guint32 *rest; guint32 n_rest; /* tasks behind it, in task order, that were not looked at either and have no record of their own */
  const char *within;     /* HyperNode that was searched, NULL: all nodes */
  VcFitReason *reason; guint n_reasons; /* in order of appearance */
  guint32 nodes;          /* nodes with an error */
  const guint32 *unresolvable; guint n_unresolvable; /* nodes that no eviction can help (UnschedulableAndUnresolvable) */
};

struct VcSubJobs; /* sub-jobs.h */
struct VcHyperNodes; /* hyper-nodes.h */

typedef struct {
  char *key;              /* "<namespace>/<podgroup>": UID and order key */
  const char *ns, *name;  /* name points into key */
  guint32 user;           /* the caller's row */
  gboolean live;          /* the row is in use */
  guint32 serial;         /* no other job has had it, from 1 */
  gboolean has_pg;        /* the PodGroup exists */
  guint32 queue;          /* row, VC_NONE when no such queue */
  const char *queue_name; /* interned, after the default */
  const char *priority_class; /* interned, NULL */
  gint64 created;         /* second */
  gint64 priority;        /* of the class, refreshed at session open */
  gint32 min_available;
  gint64 role_min_total;
  const VcMeta *meta;     /* of the PodGroup; NULL before it exists */
  gboolean preemptable, revocable;
  gboolean preemptable_given; /* the PodGroup says so, by annotation or label */
  gint64 waiting_time_ns; /* of the sla annotations, 0: none */
  guint8 phase;           /* VcPgPhase */
  const char *phase_text; /* interned, as given */
  VcCondition *cond; guint n_conds;
  gboolean has_min_resources;
  VcRes *min_resources;   /* GetMinResources; never NULL */
  const VcAmounts *min_list; /* minResources by name, as given (vc_cluster_amounts); NULL when not given */
  guint64 min_names;      /* dimensions that minResources names and MININQ looks at (ephemeral-storage left out) */
  gboolean nominated_any; /* some task has a nominated node */
  /* tasks */
  guint32 *task; guint32 n_tasks, cap_tasks; /* by UID */
  guint32 pending_came, pending_left; /* how often a task became pending, or ceased to be */
  guint32 roster_version; /* grows when tasks come and go, and with their shape */
  VcRole *role; guint n_roles;
  guint32 count[VC_N_STATUS];
  guint32 pending_best_effort, releasing_placed, pending_gated, n_gated;
  gboolean mixed_roles;   /* some named role has (had) tasks of more than one shape */
  VcRes *allocated, *pending, *total; /* sums of requests: AllocatedStatus, Pending, all */
  VcRes *gated;           /* of gated tasks but those whose only gate is the queue-admission gate */
  struct VcSubJobs *subs; /* NULL: neither a network topology nor sub-group policies, so the job is its only sub-job */
  /* session */
  VcFit *fit;             /* newest first; arena of the session */
  guint32 placed_session; /* session in which gangpreempt or gangreclaim chose the domain of its tasks (NominatedHyperNode), 0: none */
  guint32 undone, undone_session; /* operations of its last discarded statement, and in which session that was */
  guint32 homeless_session; /* session in which no HyperNode that its topology allows had room, so that no task was looked at */
  guint8 old_phase;
  guint32 old_running, old_succeeded, old_failed;
  guint32 running, succeeded, failed; /* status counts last written */
} VcJob;

static inline guint32 vc_job_ready_num (const VcJob *j)
{
  return j->count[VC_BOUND] + j->count[VC_BINDING] + j->count[VC_RUNNING] + j->count[VC_ALLOCATED] + j->count[VC_SUCCEEDED];
}
static inline guint32 vc_job_allocated_num (const VcJob *j)
{
  return j->count[VC_BOUND] + j->count[VC_BINDING] + j->count[VC_RUNNING] + j->count[VC_ALLOCATED];
}
static inline guint32 vc_job_valid_num (const VcJob *j) { return vc_job_ready_num (j) + j->count[VC_PIPELINED] + j->count[VC_PENDING]; }
static inline guint32 vc_job_scheduled_num (const VcJob *j)
{
  return j->count[VC_BOUND] + j->count[VC_RUNNING] + j->count[VC_SUCCEEDED] + j->count[VC_FAILED];
}
static inline gboolean vc_job_is_ready (const VcJob *j)
{
  return (gint64) vc_job_ready_num (j) + j->pending_best_effort >= j->min_available;
}
static inline gboolean vc_job_is_pipelined (const VcJob *j)
{
  return (gint64) j->count[VC_PIPELINED] + vc_job_ready_num (j) + j->pending_best_effort >= j->min_available;
}
static inline gboolean vc_job_is_starving (const VcJob *j)
{
  return (gint64) j->count[VC_PIPELINED] + vc_job_ready_num (j) < j->min_available;
}
static inline gboolean vc_job_is_pending (const VcJob *j) { return !j->has_pg || j->phase == VC_PG_EMPTY || j->phase == VC_PG_PENDING; }
gboolean vc_job_roles_valid (const VcJob *j);     /* CheckTaskValid */
gboolean vc_job_roles_ready (const VcJob *j);     /* CheckTaskReady */
gboolean vc_job_roles_pipelined (const VcJob *j); /* CheckTaskPipelined */
gboolean vc_job_roles_starving (const VcJob *j);  /* CheckTaskStarving */
/** GetInqueueResource(job, job.Allocated); @out is cleared first. */
void vc_job_inqueue_resource (const VcJob *j, VcRes *out);
/** DeductSchGatedResources, in place. */
void vc_job_deduct_gated (const VcJob *j, const VcResNames *names, VcRes *inout);

/* ---- queues ---- */
typedef struct {
  char *name;
  gboolean live;
  const VcMeta *meta;
  const char *parent;     /* interned, "" */
  const char *state;      /* interned, "" when not set */
  gint64 created;
  gint32 weight, priority;
  gboolean reclaimable;
  VcRes *capability, *deserved, *guarantee; /* empty when not given */
  gboolean has_capability;
  struct VcDeviceQuota *devices; /* quotas of devices (claims.h); NULL: none is named */
  VcNodeGroups *groups;   /* spec.affinity, names interned; NULL: not given */
  guint32 n_jobs;         /* PodGroups of this queue */
  VcRes *status_allocated; /* status.allocated, written at close */
} VcQueue;
static inline gboolean vc_queue_is_open (const VcQueue *q) { return q->state[0] == 'O' && q->state[1] == 'p'; }

/* ---- nodes ---- */
/* A mirrored pod that came to (sign 1) or left (-1) a node. */
typedef struct { guint32 task, node; gint32 sign; } VcMirrorMove;
/* An image as the node's summary has it: frozen when this node was last added or updated (finding U3). */
typedef struct { const char *name; gint64 size; guint32 nodes_having; } VcNodeImage;
/* Measured load, texts interned. */
typedef struct { gint64 time_us; guint n; VcUsageAverage average[]; } VcNodeUsage;
typedef struct {
  char *name;
  gboolean ready;         /* a Node object exists (else: known through a pod only) */
  gboolean listed;        /* in VcNodes.list */
  gboolean cached;        /* the scheduler has an entry: of a Node object, or made for a pod whose node it does not know */
  gboolean in_shard;      /* the scheduler's own, when there are shards */
  gboolean no_scalars;    /* allocatable has no scalar map: Idle loses the scalars that are subtracted (01 §1.3, Q6) */
  gboolean idle_map;      /* has Idle a scalar map by now? */
  VcNodeFacts facts;      /* texts in its own arena */
  VcPairs annotations;    /* likewise */
  VcArena *arena;
  VcRes *allocatable;     /* with oversubscription */
  VcRes *capacity;        /* likewise */
  VcNodeUsage *usage;     /* measured load; NULL: never measured */
  gint32 max_pods;        /* pod slots of the node (MaxTaskNum) */
  double oversub_cpu, oversub_memory;
  VcNodeImage *image; guint n_images;
  guint32 *task; guint32 n_tasks, cap_tasks; /* on the node, any order */
  gboolean tasks_sorted;  /* by key at the moment (vc_evict_tasks_of) */
  const VcHostPort **port; guint32 n_ports, cap_ports; /* host ports of mirrored pods, one entry per pod and port */
  gboolean prefers_no_schedule; /* has a PreferNoSchedule taint */
  guint32 static_version; /* grows with labels, taints, unschedulable, images */
} VcNode;

typedef struct {
  guint32 n, cap;         /* rows ever made; columns have `cap` entries */
  VcNode *info;
  guint32 *list, n_list;  /* NodeList: present nodes in order */
  gboolean list_is_rows;  /* list[i] == i for all i */
  guint32 *by_name;       /* [n_list] present nodes by name */
  gboolean by_name_dirty;
  /* per dimension, per row */
  double **idle, **used, **releasing, **pipelined;
  double **future;        /* idle + releasing - pipelined, kept up to date */
  double **claimed;       /* requests of tasks Allocated in this session and not handed to the binder */
  /* the Kubernetes mirror: what the wrapped filters and scorers see */
  gint64 *k_alloc[VC_K_N]; /* node object's allocatable, without oversubscription */
  gint64 *k_request[VC_K_N], *k_nonzero[2];
  guint32 *mirror_pods;   /* pods on each node, those placed in this session included */
  guint32 n_with_ports;   /* nodes that have mirrored host ports */
  guint32 n_prefer_taints, n_hard_taints, n_unschedulable; /* present nodes with such */
  guint32 n_images;       /* present nodes that report images */
  /* change log: rows whose dynamic or static state changed, newest last; a reader remembers (epoch, position) */
  guint32 *log; gsize n_log, cap_log;
  guint32 log_epoch;      /* grows when the log is cut or rows come and go: readers rebuild */
  guint64 grown;          /* counts changes that may let a task fit that did not fit before */
  guint32 labels_version; /* grows when labels or rows of present nodes change */
} VcNodes;

/* Who follows jobs through the engine (steps.h). */
typedef struct {
  gboolean (*wants) (gpointer user, guint32 job); /* is it worth making the text? */
  void (*step) (gpointer user, const char *function, guint32 job, guint32 task, const char *text); /* NULL: nobody */
  gpointer user;
} VcListener;

typedef struct VcVolumes VcVolumes; /* volumes.h */
typedef struct VcClaims VcClaims; /* claims.h */
typedef struct VcCluster {
  VcListener listener;
  VcResNames *names;
  guint n_res;
  GStringChunk *text;     /* interned texts */
  GHashTable *text_index;
  VcShapeTable *shapes;
  GHashTable *metas;      /* of those that are held */
  GString *meta_key;      /* scratch */
  VcArena *meta_arena;
  VcNodes nodes;
  GHashTable *node_rows;  /* name → row + 1 */
  VcTask *task; guint32 n_tasks, cap_tasks; /* rows; free ones are chained through .node */
  guint32 free_task;
  GHashTable *task_rows;  /* uid → row + 1 */
  VcJob *job; guint32 n_jobs, cap_jobs; guint32 free_job, job_serials;
  guint32 *job_order, n_job_order, cap_job_order; /* live jobs by key */
  GHashTable *job_rows;   /* key → row + 1 */
  VcQueue *queue; guint32 n_queues, cap_queues;
  guint32 *queue_order, n_queue_order; /* live queues by name */
  GHashTable *queue_rows;
  GHashTable *classes;    /* priority class name → VcPriorityClassObject copy */
  gint64 default_priority;
  gboolean priorities_dirty;
  GHashTable *namespaces; /* name → VcMeta (labels) */
  /* live tasks whose shape has pod terms at all, required anti-affinity, preferred terms, a spread constraint */
  guint32 n_pod_terms, n_repelling, n_preferring, n_spreading;
  /* what happened to the mirror since the session opened; only while some reader keeps it going */
  VcMirrorMove *journal; guint32 n_journal, cap_journal; gboolean journal_on;
  struct VcHyperNodes *hyper; /* never NULL */
  guint32 n_divided;      /* jobs with sub-jobs */
  GPtrArray *quotas;      /* VcQuota (quota.h), in order of arrival; NULL: none */
  GPtrArray *budgets;     /* VcBudget, likewise */
  VcVolumes *volumes;     /* storage objects; NULL: none */
  VcClaims *claims;       /* devices and claims; NULL: none */
  GHashTable *amounts;    /* GBytes → VcAmounts, shared lists; NULL until the first */
  VcRes *total;           /* sum of allocatable over present nodes, in name order */
  gboolean total_dirty;
  VcRes *used_total;      /* sum of node.Used over present nodes */
} VcCluster;

/** `request <= room` on one node (LessEqual, Zero): @room is a set of columns such as nodes.idle or nodes.future. */
static inline gboolean
vc_shape_fits (const VcShape *s, double *const *room, guint32 node)
{
  for (guint64 left = s->dims; left != 0; left &= left - 1) {
    guint d = (guint) __builtin_ctzll (left);
    if (!vc_le (s->request->v[d], room[d][node]))
      return FALSE;
  }
  return TRUE;
}

/* The Kubernetes mirror: put a task that is on a node into the node's mirrored sums and ports, or take it out. No effect when it is
 * (not) there already. Between sessions the cache keeps mirror = tasks on the node; in a session the predicates plugin moves it. */
void vc_mirror_add (VcCluster *c, guint32 task);
void vc_mirror_remove (VcCluster *c, guint32 task);
/** Begin an empty journal of the mirror, or end it. */
void vc_mirror_journal (VcCluster *c, gboolean on);

const char *vc_cluster_intern (VcCluster *c, const char *text); /* NULL stays NULL */
/** The same of a text that is put together. */
const char *vc_cluster_internf (VcCluster *c, const char *format, ...) G_GNUC_PRINTF (2, 3);
/** The shared record of these labels and annotations, for one more holder; it and its texts live until all have dropped it, or as long as the cluster. */
const VcMeta *vc_cluster_meta (VcCluster *c, const VcPairs *labels, const VcPairs *annotations);
void vc_cluster_drop_meta (VcCluster *c, const VcMeta *meta); /* NULL is fine */
GHashTable *vc_metas_new (void);
/** The shared copy of this list; lives as long as the cluster. NULL when the list is not given. */
const VcAmounts *vc_cluster_amounts (VcCluster *c, const VcAmounts *amounts);
const VcRes *vc_cluster_total (VcCluster *c);                    /* refreshed when dirty */
const guint32 *vc_cluster_nodes_by_name (VcCluster *c);
/** Node row by name, or VC_NONE (also for nodes that were removed: check ready). */
guint32 vc_cluster_node (const VcCluster *c, const char *name);

G_END_DECLS
