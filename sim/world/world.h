/* sim/world/world.h - the cluster as its API server would hold it: jobs, pods, nodes, queues, and what the scheduler's cache knows of them.
 *
 * Tables are dense and rows are identities: a job's row is the place at which it came (those of the
 * input first, in its order; see job-table.h), a pod's row is reused once its object is gone
 * and its line is written. Every change of a pod goes through sim_pod_*(), which keep the counters of pod, role, job, queue and
 * cluster in step. Only sim/ uses this header. */
#pragma once
#include "event-queue.h"
#include "model.h"
#include "core/cache/cache.h"
#include "sim/controllers/job-policy.h"
#include "workloads/admission/admission-conf.h"
#include "workloads/k8s/k8s-objects.h"
#include "workloads/native/behaviour.h"
#include "workloads/native/node-usage.h"
G_BEGIN_DECLS

#define SIM_NONE G_MAXUINT32

/* ---- what replicas and runs do: a list for each replica, an entry for each run; the last one of either holds for the rest ---- */
typedef struct { guint32 n; const gint64 *value; } SimRuns;
typedef struct { guint32 n; const SimRuns *replica; } SimSchedule;
static inline gint64
sim_schedule_at (const SimSchedule *s, guint32 replica, guint32 run)
{
  const SimRuns *r = &s->replica[MIN (replica, s->n - 1)];

  return r->value[MIN (run, r->n - 1)];
}

typedef struct { guint32 pending, running, succeeded, failed, terminating; } SimPodCounts;

/* Replicas by time since the submission, in order of time; roles counted from the job's first. */
typedef struct { SimTime after; guint32 role; gint32 replicas; } SimScaleStep;
typedef struct { guint32 n; const SimScaleStep *step; } SimScaleSchedule;
/* One edit of a job; -1: as it is. */
typedef struct {
  SimTime time;
  guint32 job, role;    /* role counted from the job's first, SIM_NONE: of the job alone */
  gint32 replicas, task_min, min_available;
  gboolean more;        /* the next edit belongs to the same update */
} SimEdit;

/* ---- jobs ---- */
typedef struct SimKube SimKube;
typedef struct SimSpread SimSpread;
/* What only a Job object says of a task. */
typedef struct {
  SimPolicies policies;
  VcPairs labels, annotations;  /* of the pod template */
  const char *scheduler;
  const char *priority_class;   /* of the template; NULL: the job's */
  gint32 priority;              /* its value */
  SimTime grace;                /* SIM_NO_TIME: as in the options */
  const SimSchedule *start_delay; /* NULL: as in the options */
  const VcPodVolume *volume;    /* of the template, with what is made for a pod: the first ones of the shape */
  guint32 max_retry;            /* restarts of containers that make the task a failed one */
  guint32 partition_size, partitions, min_partitions; /* 0: not divided */
  guint32 master;               /* role, counted from the job's first, whose first pod has to run before a pod of this task starts; SIM_NONE: none */
  SimTime master_timeout;       /* how long it is waited for */
  guint restarts_failed : 1, restarts_all : 1; /* restartPolicy OnFailure, Always */
  guint has_deadline : 1; /* activeDeadlineSeconds of the pods */
  guint depends_on_any : 1;
  const guint32 *depends; guint n_depends; /* roles that have to be up first, counted from the job's first */
  const char *pod;              /* name of the only pod, of a PodGroup's; NULL: the kind of the job makes names */
  const VcPodClaim *claim; guint n_claims; /* resource claims, as written */
  const guint32 *node; guint n_nodes; /* by index, where the first pod is from the moment at which it is made; SIM_NONE: nowhere */
  gint64 age;                   /* of that pod then, in seconds */
  const char *const *gate; guint n_gates; /* scheduling gates: nobody takes them away */
  gboolean foreign;             /* no scheduler of the run knows such pods: they take room, and belong to no queue */
} SimTaskSpec;
/* Storage of all pods of a job: a claim that is there, or one that is made for it. */
typedef struct { const char *claim; const VcPersistentVolumeClaimObject *made; /* NULL: it is there */ } SimJobVolume;
/* What only a Job object says of the job. */
typedef struct {
  SimPolicies policies;
  VcPairs labels, annotations;
  const char *file;
  const WlJobRefusal *refusal;  /* what admission has against the object itself */
  VcNames plugins;
  const SimJobVolume *volume; guint n_volumes;
  const char *pod_error;        /* what the making of each pod fails with, NULL */
  VcTopologySpec topology;
  const VcSubGroupPolicy *sub_group; guint n_sub_groups; /* one for each divided task */
  gint64 age;                   /* of its first PodGroup when that is made, in seconds */
  const char *phase;            /* of that; NULL: a new one's */
} SimJobSpec;

typedef struct {
  guint32 pod;      /* row, SIM_NONE: no object of that name */
  guint32 attempts; /* objects of that name so far */
  SimTime saved;    /* work that a checkpoint keeps for the next run */
} SimSlot;

typedef struct {
  const char *name;
  guint32 job;
  guint32 first_index;          /* of its pods: ordinals of a StatefulSet, places in a PodGroup */
  guint32 replicas;             /* that are asked for now */
  gint32 min_available;         /* after defaults */
  guint32 n_slots;              /* places for pods, by index: more than replicas once the role was scaled down */
  SimSlot *slot;                /* [n_slots] while the job lives, else NULL */
  const VcShape *shape;
  VcAmounts request;            /* of one pod of the raw template; with limits.… where there are quotas */
  VcAmounts quota;              /* what quotas count of one pod: requests and limits.…; only where there are quotas */
  const SimSchedule *duration;  /* microseconds, SIM_NEVER */
  const SimSchedule *exit_code;
  const WlBehaviour *behaviour; /* NULL: as the model says */
  SimPodCounts live;            /* pod objects as they are */
  guint32 objects;
  guint32 restarts;             /* of containers of pods that are Pending or Running */
  const char *scheduler;        /* that a resource group gives its pods; NULL: none does */
  const char *pod_error;        /* what the making of each pod fails with, NULL */
  const SimTaskSpec *spec;      /* NULL: from jobs.csv */
  const char *apart;            /* label of its pods, which keep away from each other; NULL: none */
  guint8 view;                  /* 1 more than that of its scheduler (views.h), 0: nobody has looked yet */
} SimRole;

/* What makes jobs while the run goes on. */
typedef enum { SIM_OWNER_NONE, SIM_OWNER_JOB_FLOW, SIM_OWNER_CRON_JOB } SimOwnerKind;

typedef struct {
  /* given */
  const char *ns, *name;
  const char *owner_text;       /* "JobFlow/f", NULL: a job of the input */
  guint32 owner;                /* row in the table of its kind */
  guint8 owner_kind;            /* SimOwnerKind */
  const char *priority_class;   /* NULL */
  const char *const *extra;     /* [n_extra] user columns */
  const SimJobSpec *spec;       /* NULL: from jobs.csv */
  SimKube *kube;                /* kinds.h; NULL: a vcjob */
  const SimScaleSchedule *schedule; /* NULL: none */
  const VcAmount *min_resources; /* override, with n_min_resources */
  guint32 n_min_resources;
  gboolean has_min_resources;
  guint32 first_role, n_roles, replicas, queue, line;
  gint32 priority;              /* value of the class, 0 without one */
  gint32 min_available, min_success; /* min_success -1: not given */
  guint32 max_retry;
  gint8 preemptable;            /* -1 not given */
  gint64 ttl;                   /* seconds, -1 not given */
  SimTime submit;
  SimTime walltime;             /* that the user asked for, SIM_NO_TIME */
  SimTime sla;                  /* waiting time of plugin sla, for the PodGroup; SIM_NO_TIME */
  SimTime deadline;             /* after the submission, for figures alone; SIM_NO_TIME */
  guint8 kind;                  /* WlKind */
  /* as the API server has it */
  guint8 phase;                 /* SimJobPhase */
  guint8 pg_phase;              /* VcPgPhase, while has_pg */
  guint exists : 1, submitted : 1, deleted : 1, rejected : 1, has_pg : 1, settled : 1, written : 1,
    started : 1 /* the gang ran at once */, followed : 1 /* in chain.csv */, waited : 1 /* a close left the PodGroup Pending */,
    lingers : 1 /* its deletion was asked for, but the object stays until its pods are gone */,
    timed : 1 /* status.runningDuration is there */, seen_finished : 1 /* its CronJob knows */, in_active_list : 1 /* of its CronJob */,
    grouped : 1 /* it has had a PodGroup */, has_claims : 1 /* its volumes */, scaled : 1 /* replicas or minima were edited */, group_old : 1 /* and the PodGroup does not know yet */;
  guint32 predecessor;          /* row of the job that had the name before and whose pods still have theirs, SIM_NONE */
  guint32 retry, version;
  guint32 queued;               /* requests without a pod that wait: bit per SimCause, then per SimJobAction */
  guint32 n_requests;           /* all that wait */
  guint32 first_delayed;        /* delayed actions in their slots, SIM_NONE */
  SimJobCounts status;          /* as last written */
  gint64 status_min;
  SimTime changed;              /* status.state.lastTransitionTime */
  guint32 pg;                   /* row in the cache, VC_NONE */
  guint32 n_objects;
  SimPodCounts live;
  guint32 unbound;              /* live pods without a node */
  guint64 last_uid;             /* of the pod that was made last */
  guint32 wait_place;           /* place in SimWorld.waiting, SIM_NONE */
  guint32 active_place;         /* place in SimWorld.active, SIM_NONE */
  /* history */
  SimTime inqueue, first_bind, gang_start, finish;
  guint32 evictions;
  double *used, *wasted;        /* [n_res] each, in one block, engine amount × seconds */
  SimTime lost_work;            /* running time of its pods whose work is lost */
  const char *reason;           /* static, interned by the engine or NULL */
  SimSpread *spread;            /* placement.h: of the gang when it started; NULL */
} SimJob;

/* ---- pods ---- */
typedef enum { SIM_POD_PENDING, SIM_POD_RUNNING, SIM_POD_SUCCEEDED, SIM_POD_FAILED } SimPodPhase;
typedef struct {
  guint64 uid;          /* order of creation */
  guint32 job, role;    /* rows; role in SimWorld.role */
  guint32 index, attempt; /* index in its role */
  guint32 place;        /* in the role's slots: the index, but for pods of an indexed batch Job */
  guint32 number;       /* of the pod among all that its workload made: names are made of it where they never come again */
  const VcShape *sum_shape; /* what it counts as: the role's, with what its volumes attach */
  guint32 task;         /* row in the cache, VC_NONE once it has left it */
  guint32 node;         /* row in SimWorld.node once bound */
  guint32 binds;        /* that were tried */
  guint32 stamp;        /* events with another one are dead */
  guint32 version;      /* of the job when the pod was made */
  guint32 restarts;     /* of its container */
  guint32 init_restarts; /* of the one that waits for the master */
  guint32 queued;       /* requests about it that wait: bit per SimCause */
  SimTime backoff;      /* before the next restart */
  SimTime evict_since, evict_at; /* a NoExecute taint ends its stay then, SIM_NEVER */
  SimTime run_start;    /* of the container */
  SimTime length;       /* of the run, if nothing comes in between */
  double slowdown;      /* running time for each unit of work */
  SimTime kept;         /* running time of runs that were cut short and whose work is saved; not in the job's sums yet */
  SimTime lost_work, lost_counted; /* running time whose work is lost; the part of it that is in the job's sums */
  SimTime counted_from; /* its running time is not in the job's sums from there on, SIM_NO_TIME: it does not run */
  guint32 next_on_node, prev_on_node;
  struct SimCover *cover; /* the budgets that cover it (budgets.c), NULL: none does */
  guint8 phase;         /* SimPodPhase */
  guint live : 1, deleting : 1, out_of_sync : 1, evicted_by_scheduler : 1, lost : 1 /* its machine has stopped or gone */,
    waits : 1 /* for the master of its job */, unready : 1 /* its container waits for a restart */, stays : 1 /* its object outlives its row here */, stuck : 1 /* it has not started when it was due */, runs : 1 /* its containers do */,
    counted : 1 /* its end, by the controller of batch Jobs */, booked : 1 /* its node counts its request */, healthy : 1 /* it counts on the side of the budgets that cover it */;
  guint8 fate;          /* of the run (work.c) */
  guint8 group_tries;   /* to make its PodGroup, that failed */
  guint8 drain;         /* is it to leave its node (drain.c)? */
  guint8 held;          /* SimEventKind + 1 of what waits for the node to be heard again, 0: nothing */
  gint32 exit_code;     /* of its container, once the pod has finished */
  SimTime created, assumed, bound, running, evicted, finished;
} SimPod;

/* ---- nodes and queues ---- */
typedef struct {
  const char *name;
  guint32 row;          /* in the cache, VC_NONE before the first add */
  gboolean present, cordoned, notready; /* by rows of the trace */
  gboolean unreachable; /* so it is tainted: it is not heard of */
  SimTime told;         /* when its pods were last called ready or not, as it fell silent or spoke again */
  gboolean missed;      /* that its machine is off has been noticed */
  guint16 silent, down, fenced; /* reasons why it is not heard of, off, cordoned by a fault */
  VcAmounts resources;
  VcPairs labels;
  const VcTaint *taint; guint n_taints;
  VcPairs annotations;
  guint32 first_pod;    /* of the pods bound to it, newest first */
  const VcNumatopologyObject *numa; /* what its agent reports when the node comes, NULL */
  const VcNodeUsageObject *usage; /* its measured load as it is known by now, NULL */
  VcTaint *no_execute; guint n_no_execute; /* of its taints */
  VcRes *room;          /* allocatable, as the object says; NULL before the first add */
  double *used;         /* [n_res] requests of the pods bound to it that have not finished */
  SimTime gone;         /* when its object last went */
  SimTime lowered;      /* when the room last became less in some dimension, SIM_NO_TIME */
  guint32 gc_stamp, drain_stamp; /* events with another one are dead */
  guint32 machine;      /* grows when the machine stops or goes: what was under way on it is lost */
} SimNode;

static inline gboolean
sim_node_is_cordoned (const SimNode *n)
{
  return n->cordoned || n->fenced > 0;
}

typedef struct {
  const char *name, *parent, *state;
  guint32 row;          /* in the cache, VC_NONE while the queue does not exist */
  gint32 weight, priority;
  int reclaimable;
  gint64 created;       /* second of the calendar */
  VcAmounts capability, guarantee, deserved;
  VcNodeGroups groups;
  VcPairs annotations;
  guint32 unknown_job;  /* SIM_NONE; else no row makes the queue, and this is the first job that names it */
  gint8 closed_by_parent; /* annotation volcano.sh/closed-by-parent: -1 not there, 0 false, 1 true */
  guint32 n_groups;     /* PodGroups that name it */
  guint32 groups_in[VC_PG_OTHER + 1]; /* by phase */
  guint32 waiting_jobs, running_jobs;
  double *running;      /* [n_res] requests of Running pods */
} SimQueue;

/* Rows of the input, ready for use. */
typedef struct {
  guint32 queue, line;
  const WlObject *object;      /* a Queue object takes the queue's place; NULL: what follows is given one by one */
  gboolean removes;            /* a user deletes the queue; the rest means nothing */
  const char *hierarchy, *hierarchy_weights; /* annotations; NULL: not given */
  VcNames groups[WL_N_GROUP_LISTS]; /* item NULL: not given */
  const char *parent, *state;  /* NULL: not given */
  gint32 weight, priority;     /* -1: not given */
  int reclaimable;
  VcAmounts capability, guarantee, deserved; /* empty: not given */
} SimQueueChange;

typedef struct {
  guint32 node;
  int event;            /* WlNodeEvent */
  VcAmounts resources;
  VcPairs labels;
  const VcTaint *taint; guint n_taints;
  VcPairs annotations;
  gboolean has_resources, has_labels, has_taints, has_annotations;
} SimNodeChange;

typedef struct {
  SimTime grace;
  gint64 epoch;         /* second of the calendar at time 0 */
} SimWorldOptions;

/* To the queue, to the job, or, where both are SIM_NONE, to the job that has the name by then. */
typedef struct {
  guint32 job, queue;
  guint8 action;        /* SimJobAction or SimQueueAction */
  const char *ns, *name;
} SimCommand;

typedef struct SimImages SimImages;
typedef struct SimClaims SimClaims;
typedef struct SimFaults SimFaults;
typedef struct SimWatch SimWatch;
typedef struct SimNodeLoad SimNodeLoad;
typedef struct SimStorage SimStorage;
typedef struct SimRecorded SimRecorded;
typedef struct SimRecord SimRecord;
typedef struct SimBinder SimBinder;
typedef struct SimChain SimChain;
typedef struct SimLedger SimLedger;
typedef struct SimDelayed SimDelayed;
typedef struct SimQuota SimQuota;
typedef struct SimBudget SimBudget;
typedef struct SimHypers SimHypers;
typedef struct SimTopologyType SimTopologyType;
typedef struct SimView SimView;
typedef struct SimShards SimShards;
typedef struct SimShardController SimShardController;
typedef struct SimRollouts SimRollouts;

typedef struct {
  SimWorldOptions options;
  const SimModel *model; /* borrowed */
  SimTime now;
  SimEventQueue *events;
  SimView *view; guint n_views; /* the schedulers' (views.h) */
  guint at;             /* the view that is entered, */
  VcCache *cache;       /* its cache, */
  VcCluster *cluster;   /* and the cluster of that */
  SimShards *shards;    /* NodeShards; nullable */
  SimShardController *shard_controller; /* nullable: it is off */
  SimRollouts *rollouts; /* of Deployments that are updated; nullable */
  guint n_res;
  SimRecord *record;
  SimImages *images;    /* nullable */
  SimFaults *faults;    /* nullable */
  SimClaims *claims;    /* NULL: no pod has any */
  SimNodeLoad *load;    /* nullable: nothing is measured */
  SimWatch *watch;      /* nullable: nothing has been late yet */
  SimStorage *storage;  /* nullable */
  SimRecorded *recorded; /* what the run follows; nullable, borrowed */
  VcArena *arena;       /* what lives as long as the world */
  GStringChunk *text;   /* names */
  WlObjects *objects;   /* texts of Job objects; nullable */
  GPtrArray *behaviours; /* WlBehaviour: those that roles have */
  WlNodeUsage *usage;   /* measured loads; nullable */
  guint32 *usage_node;  /* [usage->n] row here of each, SIM_NONE: no such node */
  const char *scheduler_name; /* of pods that name none */
  SimJob *job; guint32 n_jobs, cap_jobs;
  SimRole *role; guint32 n_roles, cap_roles;
  SimNode *node; guint32 n_nodes;
  SimQueue *queue; guint32 n_queues;
  SimNodeChange *change; guint32 n_changes;
  SimQueueChange *queue_change; guint32 n_queue_changes;
  SimPod *pod; guint32 n_pods, cap_pods, free_pod;
  guint64 pods_made, pods_removed; /* objects */
  guint64 next_uid;
  guint32 *node_of_row; guint32 n_node_rows; /* cache row → row here */
  SimCommand *command; guint32 n_commands;
  struct SimMakers *makers; /* nullable */
  GHashTable *job_names, *old_names; /* nullable; "ns/name" → row + 1 of the Job object of that name, of one that has only pods left; for look-ups */
  SimEdit *edit; guint32 n_edits;
  /* the job controller: requests in the order of their arrival, and what a request in progress causes */
  SimRequest *request; guint32 request_head, n_requests, cap_requests;
  SimTime *request_due; /* [cap_requests] when each may be handled */
  SimTime requests_woken; /* the last event that was posted for them */
  GArray *held;         /* SimRequest */
  gboolean holding, held_job;
  guint32 held_for;     /* the job whose request is handled */
  GArray *delayed; guint32 free_delayed; /* SimDelayed */
  GArray *retry; GHashTable *retry_rows; guint32 free_retry; /* requests that failed, by content; free rows are chained, row + 1 */
  GArray *quotas;       /* SimQuota: those that are there; nullable */
  GPtrArray *budgets, *budgets_dirty; /* SimBudget: those that are there, those that the scheduler has to be told of; nullable */
  guint budget_changes; /* how often one has come or gone */
  gboolean has_quotas;  /* the input has some */
  guint webhooks;       /* WlWebhook bits */
  gboolean check_pods_of_queues; /* a queue with allocated pods cannot be deleted */
  WlAdmissionConf *admission;    /* nullable */
  SimHypers *hypers;    /* HyperNodes; nullable */
  SimTopologyType *topology_type; guint n_topology_types; /* what HyperNodes are made of */
  gboolean hypers_stale; /* nodes or HyperNodes have changed since their labels were looked at */
  GArray *queue_requests; guint queue_request_head; /* SimQueueRequest: to the queue controller, one for each event */
  SimBinder *binder;
  SimLedger *ledger;    /* nullable */
  SimChain *chain;      /* nullable: nobody is followed */
  /* counters */
  SimPodCounts pods;
  guint32 groups[VC_PG_OTHER + 1]; /* PodGroups by phase */
  guint32 jobs_waiting, jobs_running, jobs_finished, jobs_total;
  guint32 nodes_present;
  double *running, *requested; /* [n_res] of running and of pending pods */
  guint32 *unbound_of_shape, *place_of_shape; guint32 n_shapes; /* pending pods without a node, and place in pending_shapes, by shape id */
  GArray *pending_shapes; /* guint32: ids of shapes that such pods have, in no order that means anything */
  GArray *waiting;      /* guint32: jobs with pending pods that have no node */
  GArray *changed;      /* guint32: jobs whose pods, PodGroup or place in `active` have changed since somebody looked; NULL: nobody does */
  GArray *active;       /* guint32: jobs from their submission until they are settled, in no order that means anything */
  guint64 n_events;
  guint32 next_written; /* jobs.csv is complete before this job */
  /* scratch */
  GString *name, *group_name, *index_text, *partition;
  GArray *annotations, *labels; /* VcPair */
  GArray *rows;         /* guint32 */
  gint64 *rule_min, *rule_succeeded; guint32 cap_rules;
} SimWorld;

/** The job's pods, its PodGroup or its place in `active` change. */
static inline void
sim_job_touched (SimWorld *w, guint32 job)
{
  if (w->changed != NULL)
    g_array_append_val (w->changed, job);
}

/** An empty world on the @cache (taken over) of a scheduler, which was made with @of_cache; @model is borrowed, and so are the texts in @of_cache. (transfer full) */
SimWorld *sim_world_new (VcCache *cache, const VcCacheOptions *of_cache, const SimWorldOptions *options, const SimModel *model);
void sim_world_free (SimWorld *w);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SimWorld, sim_world_free)

static inline gint64
sim_world_second (const SimWorld *w) /* of the calendar, cut */
{
  return w->options.epoch + sim_time_seconds (w->now);
}

/** Which partition of its task a pod belongs to, SIM_NONE: the task is not divided. */
static inline guint32
sim_role_partition (const SimRole *r, guint32 index)
{
  return r->spec != NULL && r->spec->partition_size > 0 ? index / r->spec->partition_size : SIM_NONE;
}

/** Are its pods those of a scheduler that the run does not have? */
static inline gboolean
sim_role_is_foreign (const SimRole *r)
{
  return r->spec != NULL && r->spec->foreign;
}

/** How old a pod of the role is when it is made, in seconds. */
static inline gint64
sim_pod_age (const SimRole *r, const SimPod *p)
{
  return r->spec != NULL && p->attempt == 0 ? r->spec->age : 0;
}

/** The pod object at index @index of the role, SIM_NONE: there is none. */
static inline guint32
sim_role_pod (const SimRole *r, guint32 index)
{
  return r->slot != NULL && index < r->n_slots ? r->slot[index].pod : SIM_NONE;
}

/** Room for pods up to @n of a role whose job lives. */
void sim_role_grow (SimRole *r, guint32 n);
/** A PodGroup of the queue enters (@by 1) or leaves (-1) a phase. */
static inline void
sim_count_group (SimWorld *w, guint32 queue, guint8 phase, int by)
{
  w->groups[phase] += (guint32) by;
  w->queue[queue].groups_in[phase] += (guint32) by;
}

/** `<job>-<role>-<index>`, or what another kind calls its pods; valid until the next call. */
const char *sim_pod_name (SimWorld *w, guint32 pod);
/** Make the pod object of a slot: phase Pending, known to the scheduler. */
void sim_pod_create (SimWorld *w, guint32 role, guint32 place);
/** A pod changes phase or is being deleted: @phase and @deleting take effect together with every counter. */
void sim_pod_set (SimWorld *w, guint32 pod, SimPodPhase phase, gboolean deleting);
/** Would the pod, which is bound, be too much for its node? NULL, or the name of the resource that it has not enough of. */
const char *sim_pod_overflow (const SimWorld *w, guint32 pod);
/** Bind the pod object to a node (row here). */
void sim_pod_place (SimWorld *w, guint32 pod, guint32 node);
/** The pod object goes: its line is written, its row is free. @outcome: NULL takes what its life says. */
void sim_pod_remove (SimWorld *w, guint32 pod, const char *outcome);
/** Sort rows of pods (guint32) by UID. */
void sim_pods_sort (const SimWorld *w, GArray *rows);
/** Rows of all pod objects of a job by UID, in w->rows. */
void sim_job_pods (SimWorld *w, guint32 job);
/** The pod stops running, for now or for good: its request × running time goes to the job's sums. */
void sim_pod_account (SimWorld *w, guint32 pod, gboolean succeeded);
/** The job's slots, sums and counters for its life; on submission. */
void sim_job_begin (SimWorld *w, guint32 job);
/** The job counts as started or finished from now on. */
void sim_job_started (SimWorld *w, guint32 job);
void sim_job_finished (SimWorld *w, guint32 job);
/** An aborted job is resumed: it counts as unfinished again. */
void sim_job_resumed (SimWorld *w, guint32 job);
/** A finished job without live pods and requests: its pods leave the cache, their lines are written, its memory is given back. No effect otherwise. */
void sim_job_settle (SimWorld *w, guint32 job);
/** A job that lingers and has no pods left: its object goes, once everybody has had a look at it. No effect otherwise. */
void sim_job_vanish (SimWorld *w, guint32 job);
/** Write the lines of jobs.csv that are final, in the order of the input; @all at the end of the run. */
void sim_world_flush_jobs (SimWorld *w, gboolean all);

G_END_DECLS
