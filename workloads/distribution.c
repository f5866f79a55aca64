#include "distribution.h"
#include "parse.h"
#include <math.h>
#include <string.h>

/* ---- reading -------------------------------------------------------------------------------- */

static gboolean
refuse (GError **error, gboolean times, const char *form, const char *text)
{
  g_autofree char *shown = wl_shown (text);

  if (form != NULL)
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "not a distribution, expected %s, found %s", form, shown);
  else
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE,
                 "expected %s, or uniform:LOW:HIGH, exponential:MEAN, lognormal:MEDIAN:SIGMA, weibull:SCALE:SHAPE or empirical:A|B|C, found %s",
                 times ? "a time" : "a number", shown);
  return FALSE;
}

static gboolean
read_number (const char *text, double *out)
{
  char *end = NULL;
  double v;

  if (!g_ascii_isdigit (*text) && *text != '.')
    return FALSE;
  v = g_ascii_strtod (text, &end);
  if (end == text || *end != '\0' || !(v >= 0 && v <= 1e12))
    return FALSE;
  *out = v;
  return TRUE;
}

static gboolean
read_value (const char *text, gboolean times, double *out)
{
  WlTime t;

  if (!times)
    return read_number (text, out);
  if (!wl_parse_time (text, FALSE, &t, NULL) || t < 0)
    return FALSE;
  *out = (double) t;
  return TRUE;
}

static gboolean
read_list (const char *text, gboolean times, WlDistribution *d)
{
  g_auto (GStrv) part = g_strsplit (text, "|", -1);
  guint n = g_strv_length (part);

  d->value = g_new (double, MAX (n, 1));
  for (d->n_values = 0; d->n_values < n; d->n_values++)
    if (!read_value (part[d->n_values], times, &d->value[d->n_values]))
      return FALSE;
  return n > 0;
}

gboolean
wl_parse_distribution (const char *text, gboolean times, WlDistribution *out, GError **error)
{
  static const struct { const char *name, *form; WlDistributionKind kind; guint n; } known[] = {
    { "uniform", "uniform:LOW:HIGH with LOW not above HIGH", WL_UNIFORM, 2 },
    { "exponential", "exponential:MEAN with a MEAN above 0", WL_EXPONENTIAL, 1 },
    { "lognormal", "lognormal:MEDIAN:SIGMA with a MEDIAN above 0 and a number", WL_LOGNORMAL, 2 },
    { "weibull", "weibull:SCALE:SHAPE with a SCALE above 0 and a number above 0", WL_WEIBULL, 2 },
    { "empirical", "empirical:A|B|C", WL_EMPIRICAL, 1 },
  };
  g_auto (GStrv) part = g_strsplit (text, ":", -1);
  guint n = g_strv_length (part), k = 0;
  g_auto (WlDistribution) d = { .kind = WL_CONSTANT };

  if (n < 2) {
    if (n == 0 || !read_value (part[0], times, &d.a))
      return refuse (error, times, NULL, text);
    *out = d;
    return TRUE;
  }
  while (k < G_N_ELEMENTS (known) && strcmp (known[k].name, part[0]) != 0)
    k++;
  if (k == G_N_ELEMENTS (known))
    return refuse (error, times, NULL, text);
  d.kind = known[k].kind;
  gboolean good = n == known[k].n + 1;

  if (good && d.kind == WL_EMPIRICAL)
    good = read_list (part[1], times, &d);
  else if (good)
    good = read_value (part[1], times, &d.a) && (d.kind == WL_UNIFORM || d.a > 0);
  if (good && d.kind == WL_UNIFORM)
    good = read_value (part[2], times, &d.b) && d.a <= d.b;
  else if (good && known[k].n == 2)
    good = read_number (part[2], &d.b) && (d.kind != WL_WEIBULL || d.b > 0);
  if (!good)
    return refuse (error, times, known[k].form, text);
  *out = d;
  d.value = NULL;
  return TRUE;
}

void
wl_distribution_clear (WlDistribution *d)
{
  g_clear_pointer (&d->value, g_free);
  *d = (WlDistribution){ 0 };
}

/* ---- drawing -------------------------------------------------------------------------------- */

/* Exponential with mean 1. */
static double
wait (VcRandom *r)
{
  return -vc_random_log (1 - vc_random_unit (r));
}

double
wl_distribution_draw (const WlDistribution *d, VcRandom *r)
{
  double x;

  switch (d->kind) {
  case WL_UNIFORM:
    return d->a + (d->b - d->a) * vc_random_unit (r);
  case WL_EXPONENTIAL:
    return d->a * wait (r);
  case WL_LOGNORMAL:
    return d->a * vc_random_exp (d->b * vc_random_normal (r));
  case WL_WEIBULL:
    x = wait (r);
    return x > 0 ? d->a * vc_random_exp (vc_random_log (x) / d->b) : 0;
  case WL_EMPIRICAL:
    return d->value[vc_random_below (r, d->n_values)];
  case WL_CONSTANT:
  default:
    return d->a;
  }
}

WlTime
wl_distribution_draw_time (const WlDistribution *d, VcRandom *r)
{
  double x = floor (wl_distribution_draw (d, r) + 0.5);

  return x < (double) WL_TIME_MAX ? (WlTime) x : WL_TIME_MAX;
}

gboolean
wl_distribution_is_constant (const WlDistribution *d)
{
  return d->kind == WL_CONSTANT;
}
