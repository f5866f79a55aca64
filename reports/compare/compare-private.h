/* reports/compare/compare-private.h - how the terminal and the page tell a compared figure. */
#pragma once
#include "compare.h"
G_BEGIN_DECLS

/** Is it among the figures that a first look needs? */
gboolean rp_compared_row_is_shown (const RpComparison *c, const RpComparedRow *r);
/** "p95_wait(queue=prod)" as "p95_wait, queue prod". (transfer full) */
char *rp_compared_row_title (const RpComparedRow *r);
/** "+12.5s", with its interval where there is one. (transfer full) */
char *rp_compared_row_change (const RpComparedRow *r, guint i);
/** How many jobs were left out because the record does not know them, a line for each side. (transfer full) */
char *rp_comparison_left_out (const RpComparison *c);
const char *rp_verdict_word (RpVerdict v);
const char *rp_compared_row_verdict (const RpComparedRow *r, guint i); /* the word; "" also of a difference too small to be shown */

G_END_DECLS
