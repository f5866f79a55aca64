/* reports/compare/compare.h - runs side by side: figures, differences and whether they are more than chance, winners and losers, and the first decision
 * in which two runs part. */
#pragma once
#include "reports/results/metrics.h"
G_BEGIN_DECLS

/* One configuration: its run as the scenario says, and the same with shaken submissions, one for each repeat. */
typedef struct {
  const char *label;
  const RpRunData *run;       /* as the scenario says */
  const GArray *metrics;      /* of it */
  const GArray *const *shaken; /* [n_shaken] RpMetric arrays; repeat k of one side meets the same shaking as repeat k of another */
  guint n_shaken;
} RpSide;

typedef enum { RP_VERDICT_NONE, RP_VERDICT_BETTER, RP_VERDICT_WORSE, RP_VERDICT_OTHER /* differs, and neither is good */, RP_VERDICT_CHANCE } RpVerdict;

typedef struct {
  const char *name, *group;
  RpUnit unit;
  guint n;            /* sides */
  double *value;      /* [n] NaN: none */
  double *difference; /* [n] to side 0: mean over the shaken pairs, or that of the two values without any; [0] is 0 */
  double *half;       /* [n] half of its 95 % interval (Student); NaN with fewer than two pairs */
  RpVerdict *verdict; /* [n] NONE: no difference, or nothing to compare; CHANCE: the interval holds 0 */
} RpComparedRow;

typedef struct RpComparison RpComparison;
/** @sides are borrowed and outlive the comparison. (transfer full) */
RpComparison *rp_compare (const RpSide *sides, guint n);
void rp_comparison_free (RpComparison *c);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RpComparison, rp_comparison_free)
const RpSide *rp_comparison_sides (const RpComparison *c, guint *n); /* @n nullable */
guint rp_comparison_queues (const RpComparison *c); /* how many have figures of their own */
guint rp_comparison_users (const RpComparison *c);
const GArray *rp_comparison_rows (const RpComparison *c); /* RpComparedRow */
const RpComparedRow *rp_comparison_find (const RpComparison *c, const char *name); /* NULL: none of that name */

/* ---- first divergence ---- */
typedef struct {
  gint64 time;
  const char *what;        /* "inqueue", "bind", "evict" */
  const char *ns, *name;   /* of the job (inqueue) or pod */
  const char *ns_job, *job;
  const char *detail;      /* node, or reason */
} RpDecision;
typedef struct {
  gboolean found;
  gint64 time;
  GArray *only[2];         /* RpDecision of that instant that only one of the runs has, by kind and name */
} RpDivergence;
/** Where @a and @b part. Clear it with rp_divergence_clear(). */
void rp_divergence_find (const RpRunData *a, const RpRunData *b, RpDivergence *out);
void rp_divergence_clear (RpDivergence *d);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RpDivergence, rp_divergence_clear)

/* ---- winners and losers ---- */
/** How long @j waited for its first start, to its end or that of the run when it never came. */
gint64 rp_job_waited (const RpRunData *d, const RpJob *j);
typedef struct { const RpJob *base, *other; gint64 change; /* of the wait; negative: it gained */ } RpMove;
/** Jobs whose wait differs between the runs, the greatest gain first; a job that never starts waits to the end. (transfer full: RpMove) */
GArray *rp_moves (const RpRunData *base, const RpRunData *other);

/** One screen. (transfer full) */
char *rp_comparison_text (const RpComparison *c);
/** Everything, stable. @part (nullable) for each side but the first: how its run parts from the first one's, in words. (transfer full) */
char *rp_comparison_json (const RpComparison *c, const char *const *part, gsize *length);

G_END_DECLS
