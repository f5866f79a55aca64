/* reports/results/results.h - the results directory of a run, complete or not at all.
 *
 * Files are written under a temporary name beside the target and renamed by rp_results_commit(); rp_results_free() without a commit removes
 * what was written. Columns, units and formulas stand in one table (reports/results/schema.h) that this writer, docs/results.md and the
 * tests share. No wall-clock figure enters a result file: those go to timing.json through RpTiming.
 *
 * Times are microseconds since the scenario's start, written in seconds with at most six decimals; RP_NONE is an empty cell.
 * Resource amounts come in engine units (cpu and scalars in thousandths, memory and ephemeral-storage in bytes… see RpResource)
 * and are written in units (cores, bytes, devices). */
#pragma once
#include <glib.h>
#include <signal.h>
G_BEGIN_DECLS

#define RP_NONE G_MININT64
#define RP_ERROR (rp_error_quark ())
typedef enum { RP_ERROR_IO, RP_ERROR_INTERRUPTED, RP_ERROR_INPUT } RpError;
GQuark rp_error_quark (void);

/* The resources of a run: names and what to divide an engine amount by (cpu 1000, memory 1, pods 1, ephemeral-storage 1000, others 1000). */
typedef struct { const char *name; double divisor; } RpResource;

typedef struct {
  gint64 time;
  guint32 binds, evictions;
  guint32 pending, running, releasing;                     /* pods, as 07 §5 counts them */
  guint32 pg_pending, pg_inqueue, pg_running, pg_unknown;  /* PodGroups by phase; an empty phase counts as Pending */
  guint32 pipelined, discarded, jobs_considered, enqueued; /* of this cycle */
  guint32 jobs_waiting, jobs_running, jobs_finished;       /* jobs: submitted and not yet gang-started; started and not finished; finished (cumulative) */
  const double *capacity, *allocated, *requested, *idle;   /* [n_resources]: allocatable; of running pods; of pending pods; capacity − allocated */
  const double *fragmented;                                /* [n_resources]: idle amount on nodes that fit no pending pod (0 when nothing is pending) */
  guint32 nodes;
  gint64 e2e;                                              /* virtual time that the cycle took */
  guint32 n_reasons;                                       /* pending pods by their first reason */
  const char *const *reason;                               /* [n_reasons], sorted by text */
  const guint32 *reason_pods;
  const char *scheduler;                                   /* whose cycle it was */
} RpCycle;

typedef struct {
  gint64 time;
  const char *queue;
  double share, weight;
  gboolean overused;
  guint32 pending_jobs, running_jobs;
  guint32 pg_pending, pg_inqueue, pg_running, pg_unknown, pg_completed;
  const double *allocated;                     /* [n_resources] requests of the queue's running pods */
  const double *deserved, *request, *inqueue;  /* NULL: not published in this session (empty cells) */
  const char *scheduler;                       /* whose figures these are */
} RpQueue;

typedef struct {
  const char *ns, *job, *queue;
  gint64 submit, inqueue, first_bind, gang_start, finish; /* RP_NONE: did not happen */
  const char *phase, *podgroup; /* the vcjob's and the PodGroup's at the end (podgroup "": deleted) */
  guint32 evictions, restarts, pods;
  guint32 min_available;
  gint64 run;                   /* time from gang_start to finish, RP_NONE */
  const double *used, *wasted;  /* [n_resources] amount × seconds of all attempts; of attempts that did not succeed */
  const char *reason;           /* last reason for waiting, "" when it never waited */
  const char *owner;            /* kind and name of what made it, "JobFlow/f"; NULL: its user */
  gint64 lost;                  /* running time of its pods whose work is lost */
  const char *kind;             /* what kind of workload it is, "vcjob" */
  const char *scheduler;        /* that its pods name */
  const char *hyper_node;       /* the smallest that holds the gang when it starts; NULL: there is none, and the next four mean nothing */
  const char *tier_name;        /* of that, "" */
  gint64 tier;
  guint32 racks;                /* that it spans */
  double topology_cost;         /* mean over the pairs of its pods; NaN: fewer than two pods */
  gint32 priority;
  gboolean preemptable;         /* its pods may be evicted */
  const double *pod, *least;    /* [n_resources] largest request of one of its pods; what its gang asks for at once */
  guint32 places;               /* pods of its gang that an empty cluster has room for */
  guint32 pool;                 /* kind of nodes that its pods may use (RpNode), RP_NO_POOL */
  const char *cause, *by;       /* what stood in its way when the run ended, as in the ledger; "" when it did not wait */
  guint32 missing;
  const char *const *extra;     /* [n_extra] user columns x_… (names given at creation), NULL entries are empty */
  gboolean has_deadline;
  gboolean to_come; /* submitted after the end of the run: it has not waited */
  gint64 deadline;              /* by which it is to be finished */
} RpJob;

typedef struct {
  gint64 time;
  const char *hyper_node;       /* NULL: the nodes that none holds */
  const char *within;           /* HyperNodes above it, from the top, with / between */
  gint64 tier;
  guint32 nodes;
  const double *capacity, *allocated; /* [n_resources] of these nodes */
} RpRack;                       /* racks.csv: a rack is a HyperNode that is the lowest one of some node */

typedef struct {
  const char *ns, *job, *task;
  guint32 index, attempt;
  const char *pod, *node;       /* node "" when never bound */
  gint64 created, assumed, bound, running, evicted, finished;
  const char *outcome;          /* Succeeded, Failed, Evicted, Deleted, or the phase at the end */
  gint64 lost;                  /* running time whose work is lost */
  const char *scheduler;
} RpTask;

typedef struct {
  gint64 time;
  const char *kind;             /* Job, PodGroup, Pod, Node, Queue, JobFlow, JobTemplate, CronJob, Scheduler, Cycle */
  const char *ns, *name;
  const char *event;            /* submitted, inqueue, bound, running, succeeded, failed, evicted, deleted, completed, cordoned, … */
  const char *detail;           /* node or reason; may be "" */
} RpEvent;

typedef struct {
  gint64 time;
  const char *kind, *ns, *name, *phase;
  guint32 retry, version;
} RpPhase;                      /* phases.csv (07 §6): one row per change, in the order of the writes */

typedef struct {
  const char *ns, *job, *queue;
  gint64 from, to;
  gboolean again;
  const char *cause, *by, *reason;
  guint32 nodes, missing;
  const char *lost_to, *ahead;  /* namespace/name of the job that took what it lacks, and why that one came first; "" */
} RpWait;                       /* ledger.csv */

typedef struct {
  gint64 time;
  const char *action, *ns, *job, *queue, *task;
  guint32 index, attempt;
  const char *node;             /* "" while its bind is under way */
  gint64 ran;                   /* RP_NONE: it did not run */
  const char *for_ns, *for_job, *for_queue; /* who is promised the room; "" nobody */
  const double *frees;          /* [n_resources] */
} RpEviction;                   /* evictions.csv */

typedef struct {
  gint64 time;
  const char *queue, *parent;
  gint32 weight, priority;
  gboolean reclaimable;
  const double *capability, *guarantee, *deserved; /* [n_resources] */
} RpQuota;                      /* quotas.csv */

#define RP_NO_POOL G_MAXUINT32
#define RP_MAX_POOLS 64u

typedef struct {
  const char *node;
  const double *capacity;       /* [n_resources] allocatable */
  guint64 pools;                /* bit i: pods of pool i may use it */
} RpNode;                       /* nodes.csv */

typedef struct {
  gint64 time;
  const char *component, *function, *ns, *job, *detail;
} RpStep;                       /* chain.csv */

typedef struct {
  const char *name, *sharding, *shard; /* shard "": none */
  guint32 nodes;                /* that count as its own at the end */
  guint64 cycles, binds, evictions, enqueued, refused;
  guint32 jobs, started, finished;
} RpScheduler;                  /* schedulers.csv */

typedef struct {
  const char *ns, *job;
  gint64 submit, wait, start, end; /* RP_NONE: not told */
  const char *status, *nodes;
  guint32 evictions;
} RpRecorded;                   /* recorded.csv */

typedef struct {
  const char *ns, *job, *queue;
  gint64 recorded, start;       /* RP_NONE: not told; never */
  const char *pod, *node;       /* the first one that found no room, "" none */
  const char *reason;           /* NULL: the job started as recorded, and all its pods found room */
} RpMisfit;                     /* misfits.csv */

/* What identifies a run, for summary.json. Texts are copied. */
typedef struct {
  const char *version;
  const char *conf_text;         /* the effective configuration, written as volcano-scheduler.conf; NULL: the chart's, which is not written */
  const char *command;           /* what runs it again, without what changes no result; nullable */
  const char *beyond;            /* actions and plugins of it that are not Volcano's, with commas between; nullable or "": none */
  const char *conf_digest;       /* SHA-256 of the effective configuration's text */
  guint n_inputs;
  const char *const *input_name; /* as the user gave them */
  const char *const *input_digest; /* SHA-256 of the content */
  gint64 period, until;          /* until RP_NONE: the run ends when nothing can happen any more */
  guint64 seed;
  const char *start_date;        /* RFC 3339 */
  const volatile sig_atomic_t *interrupted; /* nullable: nothing is kept when it is not 0 by the time the charts are drawn */
} RpManifest;

typedef struct RpResults RpResults;

/** Start a results directory for @dir. An existing @dir is replaced only at commit and only when it holds an earlier result (a
 * summary.json with our schema version) or is empty; otherwise an error now. NULL with @error when it cannot be made. @dir NULL: no files, only
 * the figures of rp_results_summary(). */
RpResults *rp_results_new (const char *dir, const RpResource *resources, guint n_resources, const char *const *extra_columns,
                           guint n_extra, GError **error);
/** Remove what a run has written into @dir, and @dir itself when nothing else is in it. Best effort. */
void rp_results_remove (const char *dir);
/* Rows keep the order of the calls; times do not go back within a file. Every cycle that is given makes a row (the caller drops
 * those that changed nothing), and comes before the queue rows of its instant: their shares are measured against its capacity.
 * A cycle's reasons go to reasons.csv, since their texts are not known when the header of cycles.csv is written. */
void rp_results_cycle (RpResults *r, const RpCycle *c);
void rp_results_queue (RpResults *r, const RpQueue *q);
void rp_results_job (RpResults *r, const RpJob *j);
void rp_results_task (RpResults *r, const RpTask *t);
void rp_results_event (RpResults *r, const RpEvent *e);
/** Retry and version are written for jobs only, and not for the phases Deleted and Rejected. */
void rp_results_phase (RpResults *r, const RpPhase *p);
void rp_results_wait (RpResults *r, const RpWait *wait);
void rp_results_eviction (RpResults *r, const RpEviction *e);
void rp_results_quota (RpResults *r, const RpQuota *q);
void rp_results_node (RpResults *r, const RpNode *n);
/** This run has a chain.csv, for rp_results_step(). */
gboolean rp_results_follow (RpResults *r, GError **error);
void rp_results_step (RpResults *r, const RpStep *s);
/** This run has a schedulers.csv, for rp_results_scheduler(). */
gboolean rp_results_several (RpResults *r, GError **error);
void rp_results_scheduler (RpResults *r, const RpScheduler *s);
/** This run has a recorded.csv, for rp_results_record(). */
gboolean rp_results_recorded (RpResults *r, GError **error);
void rp_results_record (RpResults *r, const RpRecorded *row);
/** This run may have a racks.csv, for rp_results_rack(). */
gboolean rp_results_racks (RpResults *r, GError **error);
/** A rack is other than it was. */
void rp_results_rack (RpResults *r, const RpRack *k);
/** This run follows a record: it has a misfits.csv, for rp_results_misfit(). */
gboolean rp_results_misfits (RpResults *r, GError **error);
/** One job of it; it gets a row when it has a reason, and is counted in any case. */
void rp_results_misfit (RpResults *r, const RpMisfit *m);
/** Time at which the run ended, for makespan and the integrals. */
void rp_results_end (RpResults *r, gint64 time);

/* Real time, and processor time in the program and in the kernel. */
typedef struct { double wall, user, system; } RpTook;
/** Since @since (NULL: since a time in the past): what this thread has used, or with @children the processes that it has started and that have ended. */
RpTook rp_took (const RpTook *since, gboolean children);

typedef struct {
  RpTook run; /* one thread */
  guint64 cycles, cycles_skipped, events, binds;
  guint n_actions;
  const char *const *action;
  const double *action_seconds;
  double open_seconds, close_seconds;
  guint64 peak_memory_bytes;
} RpTiming;

/** Write summary.json, charts/ unless @charts is FALSE, and timing.json; then rename into place. Any write error that happened before
 * (full disk) is reported here: FALSE with @error, and nothing is left behind. @warning (nullable) gets one text when charts could
 * not be drawn (no gnuplot): the run still succeeds. */
gboolean rp_results_commit (RpResults *r, const RpManifest *m, const RpTiming *t, gboolean charts, char **warning, GError **error);
typedef struct RpSummary RpSummary;
/** The figures so far (summary.h); final after rp_results_end(). */
const RpSummary *rp_results_summary (const RpResults *r);
/** The one-screen summary for the terminal, after commit. (transfer full) */
char *rp_results_summary_text (const RpResults *r);
void rp_results_free (RpResults *r);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RpResults, rp_results_free)

/* ---- progress on a terminal ----------------------------------------------------------------- */
typedef struct RpProgress RpProgress;
/** NULL when standard error is no terminal (every call below takes NULL). */
RpProgress *rp_progress_new (guint32 total_jobs);
/** At most ten updates a second reach the terminal: virtual time, jobs done, ETA. Cheap to call. */
void rp_progress_update (RpProgress *p, gint64 time, guint32 jobs_done);
void rp_progress_free (RpProgress *p); /* erases the line */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RpProgress, rp_progress_free)

G_END_DECLS
