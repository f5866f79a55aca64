/* reports/charts/curve.c - see curve.h. */
#include "curve.h"

#include <math.h>

void
rp_curve_init (RpCurve *c, guint limit)
{
  c->points = NULL;
  c->limit = MAX (limit, 16);
}

void
rp_curve_clear (RpCurve *c)
{
  g_clear_pointer (&c->points, g_array_unref);
}

/* Keep of each of @n_buckets stretches of time the lowest, the highest and the last point: @dst
 * gets them in order, and may be @src since it never overtakes the reading. */
static guint
thin (const RpPoint *src, guint n, guint n_buckets, RpPoint *dst)
{
  const gint64 t0 = src[0].time;
  const double span = (double) (src[n - 1].time - t0) + 1;
  guint out = 0;

  for (guint i = 0; i < n;) {
    const guint bucket = (guint) ((double) (src[i].time - t0) / span * n_buckets);
    guint low = i, high = i, last = i;
    RpPoint keep[3];
    guint n_keep = 0;

    for (i++; i < n && (guint) ((double) (src[i].time - t0) / span * n_buckets) == bucket; i++) {
      last = i;
      if (isnan (src[low].value) || src[i].value < src[low].value)
        low = i;
      if (isnan (src[high].value) || src[i].value > src[high].value)
        high = i;
    }
    keep[n_keep++] = src[MIN (low, high)];
    if (low != high)
      keep[n_keep++] = src[MAX (low, high)];
    if (last != low && last != high)
      keep[n_keep++] = src[last];
    for (guint k = 0; k < n_keep; k++)
      dst[out++] = keep[k];
  }
  return out;
}

void
rp_curve_add (RpCurve *c, gint64 time, double value)
{
  RpPoint p = { time, value };

  if (c->points == NULL)
    c->points = g_array_new (FALSE, FALSE, sizeof (RpPoint));
  if (c->points->len > 0) {
    RpPoint *last = &g_array_index (c->points, RpPoint, c->points->len - 1);

    g_assert (time >= last->time);
    if (last->value == value || (isnan (last->value) && isnan (value)))
      return;
    if (last->time == time) {
      last->value = value;
      return;
    }
  }
  if (c->points->len >= c->limit) {
    RpPoint *all = &g_array_index (c->points, RpPoint, 0);

    g_array_set_size (c->points, thin (all, c->points->len, c->limit / 6, all));
  }
  g_array_append_val (c->points, p);
}

GArray *
rp_curve_thinned (const RpCurve *c)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (RpPoint));

  if (c->points == NULL || c->points->len == 0)
    return out;
  g_array_append_vals (out, c->points->data, c->points->len);
  if (out->len > RP_CURVE_POINTS) {
    RpPoint *all = &g_array_index (out, RpPoint, 0);

    g_array_set_size (out, thin (all, out->len, RP_CURVE_POINTS / 3, all));
  }
  return out;
}
