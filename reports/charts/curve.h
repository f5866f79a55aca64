/* reports/charts/curve.h - a value over time in bounded memory, for the charts.
 *
 * A point holds until the next one. Points equal to the one before are dropped; when too many have
 * come, time is cut into equal buckets and of each the lowest, the highest and the last point are
 * kept, so peaks and what holds afterwards survive. The outcome depends on the points alone. NaN is
 * "no value from here on". */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

typedef struct {
  gint64 time;
  double value;
} RpPoint;

typedef struct {
  GArray *points; /* of RpPoint, ascending times; NULL while empty */
  guint limit;    /* points kept at most */
} RpCurve;

#define RP_CURVE_POINTS 2000u /* of a drawn curve */

void rp_curve_init (RpCurve *c, guint limit);
void rp_curve_clear (RpCurve *c);
/** Times must not go back (asserted). A second point at one time replaces the first. */
void rp_curve_add (RpCurve *c, gint64 time, double value);
/** At most RP_CURVE_POINTS points. (transfer full) */
GArray *rp_curve_thinned (const RpCurve *c);

G_END_DECLS
