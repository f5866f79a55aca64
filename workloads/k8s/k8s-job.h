/* workloads/k8s/k8s-job.h - Job objects (batch.volcano.sh/v1alpha1) as a workload: what is submitted when, and what its pods do.
 *
 * The admission webhook's defaults are filled in (05 §12.1), and what it would refuse carries the reason (05 §12.2). Times and the
 * behaviour of pods come from annotations: volsim.io/submit (required), volsim.io/delete, volsim.io/age and volsim.io/phase on the job; volsim.io/duration,
 * volsim.io/exit-code, volsim.io/start-delay and those of behaviour.h on a task's pod template, else on the job; volsim.io/node on the template. */
#pragma once
#include "core/model/objects.h"
#include "workloads/native/native.h"
G_BEGIN_DECLS

typedef struct {
  const char *action;
  const char *const *event; guint n_events;
  gboolean has_exit_code; gint32 exit_code;
  WlTime timeout;                /* WL_TIME_NONE: none */
} WlPolicy;

/* What an object of the workload is. */
typedef enum {
  WL_KIND_VCJOB,        /* Job of batch.volcano.sh */
  WL_KIND_POD,          /* by itself */
  WL_KIND_POD_GROUP,    /* with the pods that name it */
  WL_KIND_REPLICA_SET,
  WL_KIND_DEPLOYMENT,
  WL_KIND_STATEFUL_SET,
  WL_KIND_BATCH_JOB,    /* Job of batch */
  WL_N_KINDS
} WlKind;

/* What a workload of Kubernetes' own says besides its pods. */
typedef struct {
  const char *group;                 /* Pod: the PodGroup that it names, NULL: none */
  const VcPodGroupObject *pod_group; /* PodGroup */
  gboolean parallel;                 /* StatefulSet: its pods come and go at once */
  gint32 first_ordinal, min_ready;   /* StatefulSet; min_ready in seconds, of Deployments too */
  gboolean has_replicas;             /* they are given */
  gboolean recreate;                 /* Deployment: its old pods go before new ones come */
  gboolean paused;                   /* Deployment: nothing but its size is seen to */
  VcIntOrPercent max_surge, max_unavailable; /* Deployment: while it is rolled out; StatefulSet: max_unavailable, not given: its pods go one by one */
  gint32 partition;                  /* StatefulSet: ordinals below it keep their template in an update */
  gboolean on_delete;                /* StatefulSet: pods get another template only when somebody deletes them */
  gint32 completions;                /* batch Job; -1: one success is enough, and no pod is made after it */
  gint32 backoff_limit, deadline;    /* batch Job; deadline in seconds, -1: none */
  gboolean indexed, waits;           /* batch Job; waits: a pod is made again only when the one before is gone */
} WlWorkload;

typedef struct WlJobObject WlJobObject;
typedef struct {
  const char *name;
  gint32 replicas, min_available, max_retry;
  const WlPolicy *policy; guint n_policies;
  VcPairs labels, annotations;   /* of the template */
  VcPodSpec raw;                 /* as written */
  VcPodSpec spec;                /* as the API server completes it: a limit is a request where none is given */
  const char *scheduler;         /* of the template, else of the job; NULL: the default */
  const char *restart_policy;    /* Never, OnFailure, Always */
  WlTime grace;                  /* WL_TIME_NONE: not given */
  gboolean has_deadline;         /* activeDeadlineSeconds */
  GArray *durations, *exit_codes; /* as WlRole has them */
  GArray *start_delays;          /* the same; NULL: not given */
  WlBehaviour *behaviour;        /* of annotations; NULL: nothing given */
  GArray *scale;                 /* WlScaleStep; NULL: not given */
  VcNames nodes;                 /* by replica, where its first pod is from the moment at which it is made; "": nowhere */
  const char *const *depends; guint n_depends;
  gboolean depends_on_any, divided;
  gint32 partitions, partition_size, min_partitions; /* of a divided task */
  VcTopologySpec topology;       /* of its partitions */
  gboolean two_tiers;            /* which names the highest tier twice */
  const WlJobObject *pod;        /* of a PodGroup: the pod that this task is, else NULL */
  gint32 first_index;            /* the same: how many pods of its task come before it */
} WlTask;

/* Storage that every pod of the job gets. */
typedef struct {
  const char *mount_path, *claim; /* "" when not given */
  const struct VcPersistentVolumeClaimObject *made; /* the claim that is made for the job; NULL: none */
} WlVolume;

/* What admission has against a job, the queue aside. */
typedef struct {
  const char *text;              /* NULL: nothing */
  gboolean alone;                /* nothing more is said */
  gboolean no_order;             /* its tasks wait for each other for ever; that is said last */
} WlJobRefusal;

/* Pods of the task @worker start only once the first pod of @master runs; they look every 2 s and give up after @timeout. */
typedef struct {
  const char *master, *worker, *image; /* worker NULL: nobody waits */
  WlTime timeout;
} WlMasterWait;

struct WlJobObject {
  WlKind kind;
  const WlWorkload *workload;    /* NULL: a vcjob */
  const char *ns, *name, *file;
  guint32 line;
  VcPairs labels, annotations;
  const char *queue, *priority_class; /* priority_class NULL: none */
  gint32 min_available, max_retry;
  gint32 min_success;            /* -1: not given */
  gint64 ttl;                    /* seconds, -1: not given */
  WlTime submit, remove;         /* remove WL_TIME_NONE: never */
  WlTime walltime;               /* that the user asked for, WL_TIME_NONE */
  WlTime age;                    /* of the object, and of the pods that it has at once, when it is submitted */
  const char *phase;             /* that its PodGroup is in then; NULL: a new one's */
  const WlPolicy *policy; guint n_policies;
  const WlTask *task; guint n_tasks;
  const WlVolume *volume; guint n_volumes;
  VcTopologySpec topology;
  gboolean two_tiers;            /* which names the highest tier twice */
  VcNames plugins;               /* by name, with those that admission adds */
  WlMasterWait wait;
  const char *pod_error;         /* what the making of a pod fails with, NULL */
  WlJobRefusal refusal;
  guint64 frozen[2];             /* digest of all that an update must leave as it is; of a Deployment or StatefulSet, of its pod template */
};

/* ---- commands.csv: time, namespace, job or queue, action ---- */
typedef struct {
  WlTime time;
  char *ns, *job, *action;
  char *queue; /* NULL: the command is for the job, else that is NULL */
  guint32 line;
} WlCommand;
/** In the order of the file; free with g_array_unref(). */
GArray *wl_read_commands (const char *path, GError **error);

G_END_DECLS
