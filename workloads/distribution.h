/* workloads/distribution.h - a value, or the distribution that values are drawn from, as cells and options name it.
 *
 *   12.5 or 1m                     always that
 *   uniform:LOW:HIGH               evenly between the two
 *   exponential:MEAN
 *   lognormal:MEDIAN:SIGMA         SIGMA is the deviation of the logarithm
 *   weibull:SCALE:SHAPE            SHAPE 1 is exponential; below 1 failures come early, above 1 with age
 *   empirical:A|B|C                one of the list, each equally likely
 *
 * MEAN, MEDIAN, SCALE, LOW, HIGH and the list are times, or plain numbers where a factor is asked for. */
#pragma once
#include "core/base/random.h"
#include "native.h"
G_BEGIN_DECLS

typedef enum { WL_CONSTANT, WL_UNIFORM, WL_EXPONENTIAL, WL_LOGNORMAL, WL_WEIBULL, WL_EMPIRICAL } WlDistributionKind;

typedef struct {
  WlDistributionKind kind;
  double a, b;      /* LOW, MEAN, MEDIAN, SCALE or the value; HIGH, SIGMA, SHAPE. Times are in microseconds. */
  double *value; guint n_values; /* empirical */
} WlDistribution;

/** Read @text; @times: its values are times, else numbers. A refusal is "what, expected …, found …" without a place, @out is untouched. */
gboolean wl_parse_distribution (const char *text, gboolean times, WlDistribution *out, GError **error);
void wl_distribution_clear (WlDistribution *d);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (WlDistribution, wl_distribution_clear)

/** A value, not negative. A constant draws nothing from @r. */
double wl_distribution_draw (const WlDistribution *d, VcRandom *r);
/** A time in whole microseconds, rounded half up, at most 285 years. */
WlTime wl_distribution_draw_time (const WlDistribution *d, VcRandom *r);
gboolean wl_distribution_is_constant (const WlDistribution *d);

G_END_DECLS
