/* reports/ledger.h - the sums of ledger.csv: how long jobs waited for what. */
#pragma once
#include "reports/results/run-data.h"
G_BEGIN_DECLS

typedef struct {
  const char *cause, *by, *reason; /* of the run's data; of jobs that lost to another one "lost", why that one came first, and the shortage */
  guint64 jobs;    /* that ever waited for it */
  gint64 time;     /* job × microseconds */
} RpBlame;

/** All waits of @queue (NULL: of all) summed by cause, plugin and reason, the longest first. @again: of gangs that were lost; else first waits.
 * (transfer full: RpBlame) */
GArray *rp_ledger_blame (const RpRunData *d, const char *queue, gboolean again);
/** Sum of the first waits over all jobs: what the rows above add up to. */
gint64 rp_ledger_total (const RpRunData *d, const char *queue, gboolean again);

/** Who took what others waited for. */
typedef struct {
  const char *job;   /* namespace/name */
  guint64 losers;    /* jobs that lost to it */
  gint64 time;       /* that they waited for it, job × microseconds */
} RpWinner;
/** Those to whom others lost most time first. (transfer full: RpWinner) */
GArray *rp_ledger_winners (const RpRunData *d);

/** One screen: causes overall, then per queue. (transfer full) */
char *rp_ledger_text (const RpRunData *d);
/** The intervals of one job. NULL when the run has no such job. (transfer full) */
char *rp_ledger_job_text (const RpRunData *d, const char *ns, const char *job);
/** The same as JSON, with the diagnoses (diagnose.h). (transfer full) */
char *rp_ledger_json (const RpRunData *d, const GPtrArray *diagnoses, gsize *length);

G_END_DECLS
