/* workloads/native/distribution.h - a value, or the distribution that values are drawn from, as cells and options name it.
 *
 *   12.5 or 1m                     always that
 *   uniform:LOW:HIGH               evenly between the two
 *   exponential:MEAN
 *   lognormal:MEDIAN:SIGMA         SIGMA is the deviation of the logarithm
 *   weibull:SCALE:SHAPE            SHAPE 1 is exponential; below 1 failures come early, above 1 with age
 *   gamma:SHAPE:SCALE
 *   loggamma:SHAPE:SCALE:MOST      e to the power of a gamma value, in seconds where times are asked for; drawn again above MOST
 *   pareto:LOW:HIGH:SHAPE          bounded Pareto: a density of x^(-SHAPE - 1) between the two
 *   shifted:LEAST:MEAN             LEAST and an exponential value more
 *   empirical:A|B|C                one of the list, each equally likely
 *   weighted:A=2|B=1               one of the list, by its weight
 *   quantiles:A|B|C                evenly between neighbours of an ascending list, each interval equally likely
 *
 * MEAN, MEDIAN, SCALE, LOW, HIGH, LEAST, MOST and the lists are times, plain numbers where a factor is asked for, or amounts ("16Gi"). */
#pragma once
#include "native.h"
#include "core/base/random.h"
G_BEGIN_DECLS

typedef enum {
  WL_CONSTANT, WL_UNIFORM, WL_EXPONENTIAL, WL_LOGNORMAL, WL_WEIBULL, WL_GAMMA, WL_LOGGAMMA, WL_PARETO, WL_SHIFTED, WL_EMPIRICAL, WL_WEIGHTED, WL_QUANTILES
} WlDistributionKind;
/* What the values are: numbers, times in microseconds, or amounts of a resource in units (cores, bytes, devices). */
typedef enum { WL_NUMBERS, WL_TIMES, WL_AMOUNTS } WlValues;

typedef struct {
  WlDistributionKind kind;
  double a, b, c;   /* the parameters in their order, or the value. Times are in microseconds. */
  double unit;      /* loggamma: of the power */
  double *value; guint n_values; /* of lists */
  double *up_to;    /* weighted: sum of the weights up to each value */
} WlDistribution;

/** Read @text; @times: its values are times, else numbers. A refusal is "what, expected …, found …" without a place, @out is untouched. */
gboolean wl_parse_distribution (const char *text, gboolean times, WlDistribution *out, GError **error);
void wl_distribution_clear (WlDistribution *d);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (WlDistribution, wl_distribution_clear)

/** The same for any kind of values. */
gboolean wl_parse_distribution_of (const char *text, WlValues values, WlDistribution *out, GError **error);
/** The text that reads back as @d, numbers with 9 digits. (transfer full) */
char *wl_distribution_text (const WlDistribution *d, WlValues values);

/** A value, not negative. A constant draws nothing from @r. */
double wl_distribution_draw (const WlDistribution *d, VcRandom *r);
/** A time in whole microseconds, rounded half up, at most 285 years. */
WlTime wl_distribution_draw_time (const WlDistribution *d, VcRandom *r);
gboolean wl_distribution_is_constant (const WlDistribution *d);

G_END_DECLS
