/* workloads/k8s-job.h - Job objects (batch.volcano.sh/v1alpha1) as a workload: what is submitted when, and what its pods do.
 *
 * The admission webhook's defaults are filled in (05 §12.1), and what it would refuse carries the reason (05 §12.2). Times and the
 * behaviour of pods come from annotations: volsim.io/submit (required) and volsim.io/delete on the job; volsim.io/duration,
 * volsim.io/exit-code, volsim.io/start-delay and those of behaviour.h on a task's pod template, else on the job. */
#pragma once
#include "core/model/objects.h"
#include "native.h"
G_BEGIN_DECLS

typedef struct {
  const char *action;
  const char *const *event; guint n_events;
  gboolean has_exit_code; gint32 exit_code;
  WlTime timeout;                /* WL_TIME_NONE: none */
} WlPolicy;

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
  GArray *durations, *exit_codes; /* as WlRole has them */
  GArray *start_delays;          /* the same; NULL: not given */
  WlBehaviour *behaviour;        /* of annotations; NULL: nothing given */
  GArray *scale;                 /* WlScaleStep; NULL: not given */
  const char *const *depends; guint n_depends;
  gboolean depends_on_any, divided;
  gint32 partitions, partition_size, min_partitions; /* of a divided task */
  gboolean two_tiers;            /* the network topology of its partitions names the highest tier twice */
} WlTask;

/* Storage that every pod of the job gets. */
typedef struct {
  const char *mount_path, *claim; /* "" when not given */
  gboolean makes_claim;           /* a claim is made for the job */
} WlVolume;

/* What admission has against a job, the queue aside. */
typedef struct {
  const char *text;              /* NULL: nothing */
  gboolean alone;                /* nothing more is said */
  gboolean no_order;             /* its tasks wait for each other for ever; that is said last */
} WlJobRefusal;

typedef struct WlJobObject {
  const char *ns, *name, *file;
  guint32 line;
  VcPairs labels, annotations;
  const char *queue, *priority_class; /* priority_class NULL: none */
  gint32 min_available, max_retry;
  gint32 min_success;            /* -1: not given */
  gint64 ttl;                    /* seconds, -1: not given */
  WlTime submit, remove;         /* remove WL_TIME_NONE: never */
  const WlPolicy *policy; guint n_policies;
  const WlTask *task; guint n_tasks;
  const WlVolume *volume; guint n_volumes;
  gboolean two_tiers;            /* its network topology names the highest tier twice */
  WlJobRefusal refusal;
  guint64 frozen[2];             /* digest of all that an update must leave as it is */
} WlJobObject;

/* ---- commands.csv: time, namespace, job, action ---- */
typedef struct {
  WlTime time;
  char *ns, *job, *action;
  guint32 line;
} WlCommand;
/** In the order of the file; free with g_array_unref(). */
GArray *wl_read_commands (const char *path, GError **error);

G_END_DECLS
