/* reports/diagnose/diagnose-private.h - what the rules of diagnose-*.c share: a run's data with look-ups by name and time. */
#pragma once
#include "diagnose.h"
#include "reports/room.h"
G_BEGIN_DECLS

typedef struct {
  const char *name;
  GArray *rows;      /* guint: of d->queues, in order of time */
  GArray *quotas;    /* guint: of d->quotas */
  GArray *children;  /* guint: queues whose parent it is, at the end */
} RpCaseQueue;

/* A job and what it waited for in the end. */
typedef struct {
  guint job;           /* row of d->jobs */
  guint queue;         /* RpCaseQueue */
  GArray *waits;       /* guint: rows of d->waits, in order of time */
} RpCaseJob;

/* A job that waited long for its first start, and the one thing that it waited for most. */
typedef struct {
  guint job, queue;
  const char *cause, *by, *reason; /* as in the ledger */
  gint64 wait;         /* all of its first wait */
  gint64 from, to;     /* the longest stretch with that cause */
  gboolean forever;    /* it never ended, and nothing could happen any more */
  RpRoomAnswer room;   /* during that stretch; nothing asked: it is not known */
} RpWaiter;

typedef struct {
  const RpRunData *d;
  const VcConf *conf;
  GArray *waiter;      /* RpWaiter, the longest first */
  GArray *job;         /* RpCaseJob, one for each row of d->jobs */
  GArray *queue;       /* RpCaseQueue, by name */
  GHashTable *job_row, *queue_row; /* for look-ups only */
  guint *by_submit;    /* [jobs] rows in order of submission */
  guint64 meets[RP_MAX_POOLS]; /* bit i: pools with a node in common */
  guint8 *explained;   /* [jobs] a diagnosis names the job already */
  GPtrArray *out;      /* RpDiagnosis */
} RpCase;

#define RP_NOBODY G_MAXUINT

/* ---- look-ups ---- */
guint rp_case_job (const RpCase *c, const char *ns, const char *job);   /* row of d->jobs, RP_NOBODY */
guint rp_case_queue (const RpCase *c, const char *name);
static inline const RpJob *
rp_case_row (const RpCase *c, guint job)
{
  return &g_array_index (c->d->jobs, RpJob, job);
}
/** The row of queues.csv that holds at @time, or with @before just before; NULL. */
const RpQueue *rp_case_queue_at (const RpCase *c, guint queue, gint64 time, gboolean before);
const RpQuota *rp_case_quota_at (const RpCase *c, guint queue, gint64 time);
/** What the queue deserves in dimension @dim: as published, else as it says; 0: nothing is known. */
double rp_case_deserved (const RpCase *c, guint queue, gint64 time, guint dim);
/** What pods of the queue and of all below it hold just before the cycle at @time. */
double rp_case_held (const RpCase *c, guint queue, gint64 time, guint dim);
/** Is there a node that pods of both jobs may use? TRUE where it is not known. */
gboolean rp_case_share_nodes (const RpCase *c, guint a, guint b);
const RpCycle *rp_case_cycle_at (const RpCase *c, gint64 time);
const VcPluginOption *rp_case_plugin (const RpCase *c, const char *name, guint *tier);
int rp_case_action (const RpCase *c, const char *name); /* place, -1 */
/** Is some action there that evicts for queues (reclaim), or for priorities (preempt)? Its name, NULL. */
const char *rp_case_reclaims (const RpCase *c);
const char *rp_case_preempts (const RpCase *c);
/** capacity or proportion; NULL. */
const char *rp_case_queue_plugin (const RpCase *c);

/* ---- waiting ---- */
/** The job never started, still wanted to when the run ended, and nothing could happen any more. */
gboolean rp_case_forever (const RpCase *c, guint job);
/** When its first wait ended: gang start, finish, or the end of the run. */
gint64 rp_case_wait_end (const RpCase *c, guint job);
/** At all moments but a few that were looked at. */
static inline gboolean
rp_nearly_always (guint n, guint of)
{
  return of > 0 && 10 * n >= 9 * of;
}
/** The middle of the stretch. */
static inline gint64
rp_waiter_at (const RpWaiter *w)
{
  return w->from + (w->to - w->from) / 2;
}

/* ---- writing ---- */
/** A new diagnosis, to be filled in; a member of c->out. */
RpDiagnosis *rp_case_add (RpCase *c, const char *code, const char *entry, gint64 at, guint job);
void rp_figure (RpDiagnosis *x, const char *name, double value);
/** "4 cpu", "16 Gi memory". (transfer full) */
char *rp_amount (const RpCase *c, guint dim, double v);
/** "default/a", or only the name in the namespace default. (transfer full) */
char *rp_job_name (const RpCase *c, guint job);
/** "30 s", "2.1h", or "for ever". (transfer full) */
char *rp_wait_words (gint64 wait, gboolean forever);
static inline gboolean
rp_more (double a, double b) /* beyond rounding */
{
  return a > b + 1e-9 * MAX (b < 0 ? -b : b, 1);
}

/* ---- the rules ---- */
void rp_diagnose_evictions (RpCase *c);
void rp_diagnose_admission (RpCase *c);
void rp_diagnose_waits (RpCase *c);

G_END_DECLS
