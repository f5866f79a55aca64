/* When the jobs of a synthetic trace come. */
#include "generate.h"
#include "workloads/text/parse.h"
#include <math.h>
#include <string.h>

#define DAY (G_GINT64_CONSTANT (86400) * G_USEC_PER_SEC)
#define JOBS_MOST 20000000u /* of a trace: beyond it a rate or a span is a slip of the pen */

/* ---- rates over the day and the week ------------------------------------------------------------- */

/* Time at the mean rate, and the real time at which as many jobs have come: rates are constant within parts of the day. */
typedef struct {
  guint n;         /* parts of the period */
  double part;     /* length of one, µs */
  double *up_to;   /* n + 1: mean-rate time from the start of the period to the start of a part */
} Warp;

static void
warp_init (Warp *w, const WlArrival *a)
{
  guint n_day = MAX (a->n_day, 1), days = a->week != NULL ? 7 : 1;
  double sum = 0;

  w->n = n_day * days;
  w->part = (double) DAY / n_day;
  w->up_to = g_new0 (double, w->n + 1);
  for (guint i = 0; i < w->n; i++) {
    double rate = (a->day != NULL ? a->day[i % n_day] : 1) * (a->week != NULL ? a->week[i / n_day] : 1);

    w->up_to[i + 1] = sum += rate;
  }
  for (guint i = 1; i <= w->n; i++) /* the mean rate is 1 */
    w->up_to[i] *= w->n * w->part / sum;
}

static double
warped (const Warp *w, double t)
{
  double period = w->n * w->part, whole = floor (t / period), rest = t - whole * period;
  guint low = 0, high = w->n; /* up_to[low] <= rest < up_to[high] */

  if (w->n == 1)
    return t;
  while (high - low > 1) {
    guint mid = low + (high - low) / 2;

    if (w->up_to[mid] <= rest)
      low = mid;
    else
      high = mid;
  }
  double width = w->up_to[low + 1] - w->up_to[low];

  return whole * period + w->part * (low + (width > 0 ? (rest - w->up_to[low]) / width : 0));
}

/* ---- one stream of arrivals ---------------------------------------------------------------------- */

static int
compare_times (gconstpointer a, gconstpointer b)
{
  const WlTime *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

static gboolean
too_many (GError **error)
{
  g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "expected at most %u jobs, found more: look at 'span' and the times between jobs", JOBS_MOST);
  return FALSE;
}

/* A whole number with this mean below 1, Poisson. */
static guint
children (double mean, VcRandom *r)
{
  double left = vc_random_exp (-mean), p = vc_random_unit (r);
  guint n = 0;

  while (p > left) {
    p *= vc_random_unit (r);
    n++;
  }
  return n;
}

/* Drawn pieces of a recorded timeline: each piece of the new one takes the arrivals of a piece of the old one at the same time of day. */
static gboolean
replay (const WlArrival *a, double rate, WlTime end, gint64 most, VcRandom *r, GArray *out, GError **error)
{
  g_autoptr (GArray) rows = wl_read_jobs (a->replay, error);
  g_autoptr (GArray) recorded = g_array_new (FALSE, FALSE, sizeof (WlTime));

  if (rows == NULL)
    return FALSE;
  for (guint i = 0; i < rows->len; i++)
    g_array_append_val (recorded, g_array_index (rows, WlJob, i).submit);
  g_array_sort (recorded, compare_times);
  WlTime last = recorded->len > 0 ? g_array_index (recorded, WlTime, recorded->len - 1) : 0;
  guint64 n_blocks = (guint64) (last / a->block) + 1, in_day = (guint64) (DAY / a->block);
  g_autofree guint *start = g_new0 (guint, n_blocks + 1);

  if (recorded->len == 0) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s: expected jobs whose submissions can be drawn again, found none", a->replay);
    return FALSE;
  }
  for (guint i = 0, b = 0; b <= n_blocks; b++) {
    while (i < recorded->len && (b == n_blocks || g_array_index (recorded, WlTime, i) < (WlTime) b * a->block))
      i++;
    start[b] = i;
  }
  start[0] = 0;
  for (guint64 k = 0; out->len < JOBS_MOST; k++) {
    guint64 phase = k % in_day, days = phase < n_blocks ? (n_blocks - 1 - phase) / in_day + 1 : 0;
    guint64 b = days > 0 ? phase + in_day * vc_random_below (r, days) : vc_random_below (r, n_blocks); /* a part of the day of which there is no record */
    double from = (double) k * (double) a->block / rate;

    if (end != WL_TIME_NONE && from > (double) end)
      return TRUE;
    for (guint i = start[b]; i < start[b + 1]; i++) {
      WlTime t = (WlTime) floor (from + (double) (g_array_index (recorded, WlTime, i) - (WlTime) b * a->block) / rate + 0.5);

      if (end != WL_TIME_NONE && t > end)
        break;
      if (most >= 0 && out->len >= (guint64) most)
        return TRUE;
      g_array_append_val (out, t);
    }
  }
  return too_many (error);
}

/* Times from 0 up to @end, at most @most of them (each may be "no limit"), in no order. */
static gboolean
stream (const WlArrival *a, double rate, WlTime end, gint64 most, VcRandom *r, GArray *out, GError **error)
{
  if (a->replay != NULL)
    return replay (a, rate, end, most, r, out, error);
  g_autoptr (GArray) born = g_array_new (FALSE, FALSE, sizeof (double)); /* mean-rate time; grows while it is walked */
  Warp warp = { 0 };
  double own_end = end != WL_TIME_NONE ? (double) end : G_MAXDOUBLE, parents = 1 - a->children, t = 0;

  warp_init (&warp, a);
  /* The interval is that between all jobs: those that come by themselves are rarer by the share of the others. Mean-rate time and real time agree
   * at the ends of days or weeks, so one period more than the span holds everything that may come in it. With a limit of jobs alone, as many as the
   * limit come by themselves at most. */
  double stop = end != WL_TIME_NONE ? own_end + warp.n * warp.part : G_MAXDOUBLE;
  guint64 alone = most >= 0 ? (guint64) most : G_MAXUINT64;

  while (born->len < alone) {
    t += wl_distribution_draw (&a->interval, r) / (parents * rate);
    if (t > stop || born->len >= JOBS_MOST)
      break;
    g_array_append_val (born, t);
  }
  /* With a limit of jobs alone, children of late parents would come behind the last parent; those are left out with the parents beyond the limit. */
  for (guint64 i = 0; a->children > 0 && i < born->len && born->len < JOBS_MOST; i++)
    for (guint n = children (a->children, r); n > 0; n--) {
      double at = g_array_index (born, double, i) + wl_distribution_draw (&a->delay, r) / rate;

      if (at <= stop && (end != WL_TIME_NONE || at <= t))
        g_array_append_val (born, at);
    }
  for (guint i = 0; i < born->len; i++) {
    double real = floor (warped (&warp, g_array_index (born, double, i)) + 0.5);

    if (real > own_end || real > (double) WL_TIME_MAX)
      continue;
    WlTime at = (WlTime) real;
    g_array_append_val (out, at);
  }
  g_free (warp.up_to);
  g_array_sort (out, compare_times);
  if (most >= 0 && out->len > (guint64) most)
    g_array_set_size (out, (guint) most);
  return born->len < JOBS_MOST || too_many (error);
}

/* ---- all of them --------------------------------------------------------------------------------- */

static int
compare_arrived (gconstpointer a, gconstpointer b)
{
  const WlArrived *x = a, *y = b;

  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  if (x->job_class != y->job_class)
    return x->job_class < y->job_class ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

static gint64
fewer (gint64 a, gint64 b)
{
  return a < 0 ? b : b < 0 ? a : MIN (a, b);
}

/* The common arrivals, each of a class that is drawn by its share. */
static gboolean
common (const WlProfile *p, double rate, GArray *out, GError **error)
{
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (WlTime));
  g_autofree double *up_to = g_new0 (double, p->classes->len);
  g_autofree guint32 *made = g_new0 (guint32, p->classes->len);
  double sum = 0;
  VcRandom r;

  wl_profile_random (p, WL_SEED_ARRIVALS, "", 0, &r);
  if (!stream (&p->arrival, rate, p->span, p->jobs, &r, times, error))
    return FALSE;
  for (guint i = 0; i < p->classes->len; i++) {
    const WlJobClass *c = &g_array_index (p->classes, WlJobClass, i);

    up_to[i] = sum += c->arrival.given ? 0 : c->share;
  }
  wl_profile_random (p, WL_SEED_SIZES, "class", 0, &r);
  for (guint i = 0; i < times->len; i++) {
    double at = vc_random_unit (&r) * sum;
    guint32 k = 0;

    while (up_to[k] <= at)
      k++;
    const WlJobClass *c = &g_array_index (p->classes, WlJobClass, k);
    if (c->jobs >= 0 && made[k] >= (guint64) c->jobs)
      continue;
    WlArrived one = { g_array_index (times, WlTime, i), k, made[k]++ };
    g_array_append_val (out, one);
  }
  return TRUE;
}

GArray *
wl_generate_arrivals (const WlProfile *p, double rate, GError **error)
{
  g_autoptr (GArray) out = g_array_new (FALSE, FALSE, sizeof (WlArrived));

  rate *= p->rate;
  if (p->arrival.given && !common (p, rate, out, error))
    return NULL;
  for (guint k = 0; k < p->classes->len; k++) {
    const WlJobClass *c = &g_array_index (p->classes, WlJobClass, k);
    g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (WlTime));
    VcRandom r;

    if (!c->arrival.given)
      continue;
    wl_profile_random (p, WL_SEED_ARRIVALS, c->name, 0, &r);
    if (p->span != WL_TIME_NONE && p->span < c->first)
      continue;
    if (!stream (&c->arrival, rate, p->span != WL_TIME_NONE ? p->span - c->first : WL_TIME_NONE, fewer (c->jobs, p->jobs), &r, times, error))
      return NULL;
    for (guint i = 0; i < times->len; i++) {
      WlArrived one = { g_array_index (times, WlTime, i) + c->first, k, i };
      g_array_append_val (out, one);
    }
  }
  g_array_sort (out, compare_arrived);
  if (p->jobs >= 0 && out->len > (guint64) p->jobs)
    g_array_set_size (out, (guint) p->jobs);
  return g_steal_pointer (&out);
}
