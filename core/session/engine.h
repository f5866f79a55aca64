/* core/session/engine.h - the scheduler: configuration, plugin instances and what lives from cycle to cycle.
 *
 * Opaque and without globals: two engines can run in two threads. Mirrors pkg/scheduler/scheduler.go (runOnce). */
#pragma once
#include "session.h"
G_BEGIN_DECLS

/* What a record says of jobs (VcJob.user) and tasks, for core/beyond. */
typedef struct {
  /** When the job started, microseconds since the epoch, and whether it was over at that very instant. FALSE: nobody knows. */
  gboolean (*start) (gpointer user, guint32 job, gint64 *start, gboolean *no_time);
  /** On which node the task was; VC_NONE: on any. FALSE: on one that the cluster does not have. */
  gboolean (*node) (gpointer user, guint32 task, guint32 *node);
  /** The task could not start there for this reason, which is static or interned. */
  void (*refused) (gpointer user, guint32 job, guint32 task, const char *reason);
} VcRecordHooks;

typedef struct {
  gint64 percentage_nodes_to_find, minimum_feasible_nodes, minimum_percentage_nodes_to_find; /* 0, 100, 5 */
  gboolean gates_admission;     /* feature gate SchedulingGatesQueueAdmission */
  gboolean plain;               /* run the plain twin of every shortcut */
  gboolean messages;            /* build condition and fit texts */
  gboolean exact_fit;           /* keep upstream's exact reason counts for every task that found no node */
  gboolean random_ties; guint64 tie_seed; /* --ties=random:SEED */
  int verbosity;
  void (*log) (gpointer user, int level, const char *text);
  gpointer log_user;
  const VcObserver *observer; /* NULL = nobody watches */
  /** Called in every cycle after the statuses are computed and before what is uncommitted is rolled back. May be NULL. */
  void (*at_close) (VcSession *ssn, gpointer user);
  gpointer at_close_user;
  /** Monotonic nanoseconds for the engine's own timing, or NULL: core reads no clock. */
  gint64 (*clock) (void);
  /** What the embedding knows of a job (VcJob.user) beyond its objects; FALSE: nothing. NULL: of no job. For core/beyond. */
  gboolean (*outlook) (gpointer user, guint32 job, VcOutlook *out);
  gboolean (*progress) (gpointer user, guint32 job, VcProgress *out);
  const VcRecordHooks *record; /* of the same user; NULL: there is none */
  gpointer outlook_user;
  /** How plugins reach HTTP services, or NULL: core opens no socket. Must outlive the engine. */
  const VcHttpTransport *http;
} VcEngineOptions;
void vc_engine_options_init (VcEngineOptions *o);

typedef struct {
  guint32 binds, evictions, pipelined, discarded, jobs_considered, enqueued;
  /* in HyperNodes: trials that were made, those that were foreseen, attempts whose forecasts did not come true. Decisions do not depend on them. */
  guint32 trials, foreseen, astray;
  gint64 wake;      /* a plugin wants a cycle by then, microseconds since the epoch; 0: none does */
  gboolean changed; /* a decision, a phase, a condition or the rotating index changed: the next cycle may differ (07 §1.10) */
  gboolean only_turned; /* and it was nothing but the place where the next scan of nodes begins */
} VcCycleResult;

/** @conf is taken over. The names in it must be known to vc_catalog(). NULL with @error when a plugin refuses its arguments. */
VcEngine *vc_engine_new (VcCache *cache, VcConf *conf, gboolean lenient, const VcEngineOptions *options, GError **error);
void vc_engine_free (VcEngine *e);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VcEngine, vc_engine_free)
/** Another configuration from the next cycle on (hot reload); the rotating index stays. FALSE with @error keeps the old one. */
gboolean vc_engine_set_conf (VcEngine *e, VcConf *conf, gboolean lenient, GError **error);
/** A new process of the scheduler: the rotating index, the cursor of dry runs and whatever plugins remember start anew. @conf (nullable, taken
 * over) is another configuration than the present one. FALSE with @error as above. */
gboolean vc_engine_restart (VcEngine *e, VcConf *conf, GError **error);
/** Another observer from now on, or NULL. */
void vc_engine_set_observer (VcEngine *e, const VcObserver *observer);
/** One cycle at @now (microseconds since the epoch): open session, actions, close session. */
void vc_engine_cycle (VcEngine *e, gint64 now, VcCycleResult *out);
/** Open and close a session without actions, calling @fn in between (tests of single callbacks). */
void vc_engine_with_session (VcEngine *e, gint64 now, void (*fn) (VcSession *ssn, gpointer user), gpointer user);

/* What the last session left to look at, until the next one opens. */
const VcQueueGauge *vc_engine_gauge (const VcEngine *e, guint32 queue);
const VcFit *vc_engine_fits (const VcEngine *e, guint32 job); /* tasks of the job that found no node */
/** A task's state at close of the last session, before the roll-back: status, and node for Pipelined ones. */
typedef struct { guint32 task, node; guint8 status; } VcLeftover;
const VcLeftover *vc_engine_leftovers (const VcEngine *e, guint *n); /* tasks that were Allocated or Pipelined at close */
/** Pods whose status.nominatedNodeName the session wrote: evictions were made, or planned in vain, for them (02 §11.2). The caller passes
 * them on to vc_cache_pod_nominate(). */
typedef struct { guint32 task, node; } VcNomination;
const VcNomination *vc_engine_nominations (const VcEngine *e, guint *n);
/** Number of the last session, from 1: what VcJob.undone_session and its like are compared with. */
guint32 vc_engine_session (const VcEngine *e);
/** Does a plugin of the configuration read the clock (then no cycle may be skipped)? */
gboolean vc_engine_reads_clock (const VcEngine *e);
/** Is there such a plugin, with @flag on? */
gboolean vc_engine_has_plugin (const VcEngine *e, const char *name, VcFlag flag);
/** Seconds that the bind of a pod waits for its volumes; -1: no plugin makes it wait. */
gint64 vc_engine_bind_patience (const VcEngine *e);
gboolean vc_engine_has_action (const VcEngine *e, const char *name);
guint vc_engine_n_actions (const VcEngine *e);
const char *vc_engine_action_name (const VcEngine *e, guint i);
/** Wall time spent since the engine was made, in seconds: action i, session open, session close. 0 without a clock. */
double vc_engine_action_seconds (const VcEngine *e, guint i);
double vc_engine_open_seconds (const VcEngine *e);
double vc_engine_close_seconds (const VcEngine *e);

/* ---- registries ---- */
typedef struct {
  const char *name, *summary;
  const VcArgSpec *args;
  void (*run) (VcSession *ssn);
} VcActionClass;
extern const VcActionClass *const vc_action_classes[]; /* NULL-terminated, sorted by name */
extern const VcPluginClass *const vc_plugin_classes[]; /* NULL-terminated, sorted by name */
const VcPluginClass *vc_plugin_find (const char *name);
const VcActionClass *vc_action_find (const char *name);
/** Every plugin and action of upstream, those that exist here with their arguments. Static. */
const VcCatalog *vc_catalog (void);

G_END_DECLS
