/* reports/results/summary.h - the figures of a run, gathered row by row: integrals, exact percentiles,
 * fairness, stuck jobs.
 *
 * Memory: three numbers per finished job, one curve per resource and queue (see curve.h), at most
 * RP_STUCK_LISTED stuck jobs with their texts. Formulas stand in reports/results/schema.c. */
#pragma once
#include <glib.h>
#include "results.h"
#include "schema.h"
#include "reports/charts/curve.h"
#include "reports/placement.h"
G_BEGIN_DECLS

#define RP_STUCK_LISTED 1000u
#define RP_REASONS_COUNTED 100u

typedef struct {
  guint64 n;
  double mean, p50, p90, p95, p99, max;
} RpQuantiles;

/** Sort @values (doubles) and take nearest-rank percentiles; all zero when there are none. */
RpQuantiles rp_quantiles (GArray *values);

/* Jobs with a deadline: how many completed by then, and how many ended later or did not complete; the rest had not ended. */
typedef struct { guint64 jobs, met, late; } RpDeadlines;
void rp_deadlines_add (RpDeadlines *d, const RpJob *j);

typedef struct {
  char *name;
  guint64 jobs, started, finished, evictions;
  RpTopologySum topology;
  RpDeadlines deadlines;
  GArray *waits, *responses, *slowdowns, *raw_slowdowns; /* of double: seconds, seconds, ratio, ratio without a bound */
  /* state since last_time, and integrals up to there (× µs) */
  gboolean seen, active, published;
  gint64 last_time;
  double share, deserved_share, weight;
  double share_all, share_active, weight_active, share_published, deserved_published;
  gboolean was_active;
  RpCurve share_curve, deserved_curve;
  char *scheduler; /* whose deserved amounts these are; NULL: none told */
} RpQueueSum;

typedef struct {
  char *name;
  guint64 n;
} RpCount;
typedef struct {
  char *ns, *job, *queue, *phase, *reason;
  gint64 submit;
} RpStuck;

/* Jobs of a run that follows a record: they started as recorded, later, never; the record does not tell. */
typedef struct {
  gboolean told;
  guint64 on_time, later, never, unknown;
} RpFollowed;

struct RpSummary {
  guint n_res;
  const RpResource *res; /* borrowed */
  /* cycles */
  gboolean any_cycle;
  gint64 first_cycle, last_cycle, end;
  guint64 n_cycles, binds, evictions, discarded;
  guint32 peak_pending;
  gint64 peak_time;
  double *capacity, *allocated;         /* of the last row */
  double *capacity_sum, *allocated_sum; /* ∫ × µs */
  double *requested_max, *allocated_max, *capacity_max;
  RpCurve *capacity_curve, *allocated_curve, *idle_curve, *fragmented_curve; /* [n_res] */
  RpCurve waiting_curve, running_curve, finished_curve;
  /* queues */
  GPtrArray *queues; /* of RpQueueSum, by first appearance */
  GHashTable *queue_by_name;
  guint next_queue; /* guess: queues come in the same order in every cycle */
  /* jobs and tasks */
  gint64 first_submit, last_finish; /* RP_NONE */
  guint64 n_jobs, n_tasks, n_stuck;
  GArray *assumed, *bound;          /* of double: seconds from a pod's creation */
  GPtrArray *phases, *outcomes, *reasons; /* of RpCount, by first appearance */
  GPtrArray *stuck;                       /* of RpStuck */
  double *used, *wasted;
  RpPlacement placement;
  RpFollowed followed;
};

typedef enum { RP_FAIR_NONE, RP_FAIR_DESERVED, RP_FAIR_WEIGHT } RpFairBasis;
typedef struct {
  double jain;
  RpFairBasis basis;
  guint n;
} RpFairness; /* jain: NaN without a queue that got something */

RpDeadlines rp_summary_all_deadlines (const RpSummary *s);
void rp_summary_init (RpSummary *s, const RpResource *res, guint n_res);
void rp_summary_clear (RpSummary *s);
void rp_summary_cycle (RpSummary *s, const RpCycle *c);
/** Gives the two dominant shares of the row (deserved NaN when not published), from the capacity of
 * the last cycle row. */
void rp_summary_queue (RpSummary *s, const RpQueue *q, double *share, double *deserved_share);
void rp_summary_job (RpSummary *s, const RpJob *j);
/** Gives the dominant share of the row. */
double rp_summary_rack (RpSummary *s, const RpRack *k);
void rp_summary_task (RpSummary *s, const RpTask *t);
/** max(1, response / max(run, 10 s)); NaN when it did not finish or never started. */
double rp_job_slowdown (const RpJob *j);
/** Bring every integral up to @end; rows after it do not count. */
void rp_summary_end (RpSummary *s, gint64 end);

/* after rp_summary_end() */
RpFairness rp_summary_fairness (const RpSummary *s);
/** The x of the fairness index; NaN when the queue does not enter it. */
double rp_summary_fair_x (const RpQueueSum *q, RpFairBasis basis);
double rp_summary_utilisation (const RpSummary *s, guint res); /* NaN: no capacity */
double rp_summary_goodput (const RpSummary *s, guint res);     /* NaN: nothing used */
gint64 rp_summary_makespan (const RpSummary *s);               /* RP_NONE: no job finished */
/** Queues in byte order of their names. (transfer container) */
GPtrArray *rp_summary_queues_sorted (const RpSummary *s);
/** Reasons of stuck jobs, most frequent first. (transfer container) */
GPtrArray *rp_summary_reasons_sorted (const RpSummary *s);
/** By name. (transfer container) */
GPtrArray *rp_counts_sorted (const GPtrArray *counts);
/** Gangs of all queues. (transfer full) */
void rp_summary_all_topology (const RpSummary *s, RpTopologySum *out);
/** All values of one kind over all queues. @offset: G_STRUCT_OFFSET (RpQueueSum, waits) or alike.
 * (transfer full) */
GArray *rp_summary_all_values (const RpSummary *s, gsize offset);

#define RP_NO_FILE G_MAXUINT64
/** summary.json; @rows are the data rows of each file, RP_NO_FILE where this run has none. (transfer full) */
char *rp_summary_json (const RpSummary *s, const RpManifest *m, const guint64 rows[RP_N_FILES],
                       gsize *length);
/** timing.json; @charts: what gnuplot took, NULL: nothing was drawn. (transfer full) */
char *rp_timing_json (const RpTiming *t, const RpTook *charts, gint64 end, gsize *length);
/** One screen for the terminal. (transfer full) */
char *rp_summary_text (const RpSummary *s, const char *version, const char *beyond, const char *dir, gboolean charts);

G_END_DECLS
