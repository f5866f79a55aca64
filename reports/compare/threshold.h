/* reports/compare/threshold.h - conditions on figures, for continuous integration: "p95_wait(queue=prod) > 1.05 * base". */
#pragma once
#include "compare.h"
G_BEGIN_DECLS

typedef struct RpThreshold RpThreshold;
/** FIGURE OP LIMIT: OP is one of < <= > >=, LIMIT a number, a time such as 30m, or, unless the run is @alone, a factor of the first run's figure
 * ("1.05 * base", "base"). @where begins the messages, those of rp_threshold_check() too: "--fail-if", "limits:2". NULL with @error, which says
 * what was expected. (transfer full) */
RpThreshold *rp_threshold_parse (const char *text, const char *where, gboolean alone, GError **error);
void rp_threshold_free (RpThreshold *t);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RpThreshold, rp_threshold_free)

/** Have @side, and the first run if that is the limit, the figure at all? FALSE with @error (RP_ERROR_INPUT) that says which has not. */
gboolean rp_threshold_can_judge (const RpThreshold *t, const RpComparison *c, guint side, GError **error);
/** Does the condition hold for side @side? One line that says so, NULL when it does not or a side has no such figure. A figure that the comparison has nowhere
 * is an @error. */
char *rp_threshold_check (const RpThreshold *t, const RpComparison *c, guint side, GError **error);

/** The figure of @side against the condition, whether it holds or not: "p95_wait <= 1h: 2.3h". (transfer full) */
char *rp_threshold_words (const RpThreshold *t, const RpComparison *c, guint side);
const char *rp_threshold_text (const RpThreshold *t);   /* as it was given */
const char *rp_threshold_figure (const RpThreshold *t); /* its name */
/** Its limit; NaN when that is a factor of base. */
double rp_threshold_limit (const RpThreshold *t);

G_END_DECLS
