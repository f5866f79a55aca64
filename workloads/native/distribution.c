#include "distribution.h"
#include "workloads/text/parse.h"
#include <math.h>
#include <string.h>

/* ---- what there is -------------------------------------------------------------------------- */

/* Parameters: v a value, n a number above 0, s a number that may be 0. A list alone: l of values, w with weights. */
typedef struct { const char *name, *form, *parameters; WlDistributionKind kind; } Form;
static const Form forms[] = {
  { "uniform", "uniform:LOW:HIGH with LOW not above HIGH", "zz", WL_UNIFORM },
  { "exponential", "exponential:MEAN with a MEAN above 0", "v", WL_EXPONENTIAL },
  { "lognormal", "lognormal:MEDIAN:SIGMA with a MEDIAN above 0 and a number", "vs", WL_LOGNORMAL },
  { "weibull", "weibull:SCALE:SHAPE with a SCALE above 0 and a number above 0", "vn", WL_WEIBULL },
  { "gamma", "gamma:SHAPE:SCALE with a number above 0 and a SCALE above 0", "nv", WL_GAMMA },
  { "loggamma", "loggamma:SHAPE:SCALE:MOST with two numbers and a MOST above 0", "nnv", WL_LOGGAMMA },
  { "pareto", "pareto:LOW:HIGH:SHAPE with LOW above 0 and below HIGH and a number above 0", "vvn", WL_PARETO },
  { "shifted", "shifted:LEAST:MEAN with a MEAN above 0", "zv", WL_SHIFTED },
  { "empirical", "empirical:A|B|C", "l", WL_EMPIRICAL },
  { "weighted", "weighted:A=2|B=1 with weights of which one is above 0", "w", WL_WEIGHTED },
  { "quantiles", "quantiles:A|B|C, an ascending list of at least two", "l", WL_QUANTILES },
};

/* ---- reading -------------------------------------------------------------------------------- */

static gboolean
refuse (GError **error, WlValues values, const char *form, const char *text)
{
  static const char *const kinds[] = { [WL_NUMBERS] = "a number", [WL_TIMES] = "a time", [WL_AMOUNTS] = "an amount" };
  g_autofree char *shown = wl_shown (text);

  if (form != NULL) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "not a distribution, expected %s, found %s", form, shown);
    return FALSE;
  }
  g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "expected %s or a distribution such as lognormal:MEDIAN:SIGMA (docs/scenario.md lists them), found %s", kinds[values], shown);
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
read_value (const char *text, WlValues values, double *out)
{
  VcQuantity q;
  WlTime t;

  if (values == WL_NUMBERS)
    return read_number (text, out);
  if (values == WL_TIMES) {
    if (!wl_parse_time (text, FALSE, &t, NULL) || t < 0)
      return FALSE;
    *out = (double) t;
    return TRUE;
  }
  if (!wl_parse_amount ("memory", text, &q, NULL)) /* the widest range */
    return FALSE;
  *out = q.milli < G_MAXINT64 ? (double) q.milli / 1000 : (double) q.value;
  return TRUE;
}

static gboolean
read_list (const char *text, WlValues values, gboolean weights, WlDistribution *d)
{
  g_auto (GStrv) part = g_strsplit (text, "|", -1);
  guint n = g_strv_length (part);
  double sum = 0;

  d->value = g_new (double, MAX (n, 1));
  if (weights)
    d->up_to = g_new (double, MAX (n, 1));
  for (d->n_values = 0; d->n_values < n; d->n_values++) {
    char *weight = weights ? strchr (part[d->n_values], '=') : NULL;
    double w = 0;

    if (weights && (weight == NULL || !read_number (weight + 1, &w)))
      return FALSE;
    if (weight != NULL)
      *weight = '\0';
    if (!read_value (part[d->n_values], values, &d->value[d->n_values]))
      return FALSE;
    if (weights)
      d->up_to[d->n_values] = sum += w;
  }
  return n > 0 && (!weights || sum > 0);
}

static gboolean
read_parameters (const Form *f, char **part, WlValues values, WlDistribution *d)
{
  double *const to[] = { &d->a, &d->b, &d->c };

  d->kind = f->kind;
  if (strchr ("lw", *f->parameters) != NULL) {
    if (!read_list (part[0], values, *f->parameters == 'w', d))
      return FALSE;
    if (d->kind != WL_QUANTILES)
      return TRUE;
    for (guint i = 1; i < d->n_values; i++)
      if (d->value[i] < d->value[i - 1])
        return FALSE;
    return d->n_values > 1;
  }
  for (guint i = 0; f->parameters[i] != '\0'; i++) {
    char type = f->parameters[i];
    gboolean value = type == 'v' || type == 'z';

    if (!(value ? read_value (part[i], values, to[i]) : read_number (part[i], to[i])) || (strchr ("vn", type) != NULL && !(*to[i] > 0)))
      return FALSE;
  }
  if (d->kind == WL_LOGGAMMA)
    d->unit = values == WL_TIMES ? G_USEC_PER_SEC : 1;
  return !(d->kind == WL_UNIFORM && d->a > d->b) && !(d->kind == WL_PARETO && d->a >= d->b);
}

gboolean
wl_parse_distribution_of (const char *text, WlValues values, WlDistribution *out, GError **error)
{
  g_auto (GStrv) part = g_strsplit (text, ":", -1);
  g_auto (WlDistribution) d = { .kind = WL_CONSTANT };
  guint n = g_strv_length (part), k = 0;

  if (n < 2) {
    if (n == 0 || !read_value (part[0], values, &d.a))
      return refuse (error, values, NULL, text);
    *out = d;
    return TRUE;
  }
  while (k < G_N_ELEMENTS (forms) && strcmp (forms[k].name, part[0]) != 0)
    k++;
  if (k == G_N_ELEMENTS (forms))
    return refuse (error, values, NULL, text);
  if (n != strlen (forms[k].parameters) + 1 || !read_parameters (&forms[k], part + 1, values, &d))
    return refuse (error, values, forms[k].form, text);
  *out = d;
  d.value = d.up_to = NULL;
  return TRUE;
}

gboolean
wl_parse_distribution (const char *text, gboolean times, WlDistribution *out, GError **error)
{
  return wl_parse_distribution_of (text, times ? WL_TIMES : WL_NUMBERS, out, error);
}

void
wl_distribution_clear (WlDistribution *d)
{
  g_clear_pointer (&d->value, g_free);
  g_clear_pointer (&d->up_to, g_free);
  *d = (WlDistribution){ 0 };
}

/* ---- writing -------------------------------------------------------------------------------- */

static void
append (GString *out, double v, gboolean time)
{
  char buf[G_ASCII_DTOSTR_BUF_SIZE];

  if (time)
    wl_append_time (out, (WlTime) floor (v + 0.5));
  else
    g_string_append (out, g_ascii_formatd (buf, sizeof buf, v == floor (v) && v < 1e15 ? "%.0f" : "%.9g", v));
}

char *
wl_distribution_text (const WlDistribution *d, WlValues values)
{
  const gboolean times = values == WL_TIMES;
  const double p[] = { d->a, d->b, d->c };
  GString *out = g_string_new (NULL);
  const Form *f = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    if (forms[i].kind == d->kind)
      f = &forms[i];
  if (f == NULL) {
    append (out, d->a, times);
    return g_string_free (out, FALSE);
  }
  g_string_append (out, f->name);
  for (guint i = 0; d->n_values == 0 && f->parameters[i] != '\0'; i++) {
    g_string_append_c (out, ':');
    append (out, p[i], times && strchr ("vz", f->parameters[i]) != NULL);
  }
  for (guint i = 0; i < d->n_values; i++) {
    g_string_append_c (out, i == 0 ? ':' : '|');
    append (out, d->value[i], times);
    if (d->up_to != NULL) {
      g_string_append_c (out, '=');
      append (out, d->up_to[i] - (i > 0 ? d->up_to[i - 1] : 0), FALSE);
    }
  }
  return g_string_free (out, FALSE);
}

/* ---- drawing -------------------------------------------------------------------------------- */

/* Exponential with mean 1. */
static double
wait (VcRandom *r)
{
  return -vc_random_log (1 - vc_random_unit (r));
}

static double
power (double x, double y)
{
  return x > 0 ? vc_random_exp (y * vc_random_log (x)) : 0;
}

/* Gamma of scale 1, by Marsaglia and Tsang's squeeze of 2000; a shape below 1 through the next one. */
static double
gamma_value (VcRandom *r, double shape)
{
  double boost = 1;

  if (shape < 1) {
    boost = power (1 - vc_random_unit (r), 1 / shape);
    shape += 1;
  }
  double d = shape - 1.0 / 3, c = 1 / sqrt (9 * d);

  for (;;) {
    double x = vc_random_normal (r), v = 1 + c * x;

    if (v <= 0)
      continue;
    v = v * v * v;
    if (vc_random_log (1 - vc_random_unit (r)) < x * x / 2 + d - d * v + d * vc_random_log (v))
      return boost * d * v;
  }
}

static double
pick_weighted (const WlDistribution *d, VcRandom *r)
{
  double at = vc_random_unit (r) * d->up_to[d->n_values - 1];
  guint low = 0, high = d->n_values - 1;

  while (low < high) { /* the first whose sum is above */
    guint mid = low + (high - low) / 2;

    if (d->up_to[mid] > at)
      high = mid;
    else
      low = mid + 1;
  }
  return d->value[low];
}

double
wl_distribution_draw (const WlDistribution *d, VcRandom *r)
{
  switch (d->kind) {
  case WL_UNIFORM:
    return d->a + (d->b - d->a) * vc_random_unit (r);
  case WL_EXPONENTIAL:
    return d->a * wait (r);
  case WL_LOGNORMAL:
    return d->a * vc_random_exp (d->b * vc_random_normal (r));
  case WL_WEIBULL:
    return d->a * power (wait (r), 1 / d->b);
  case WL_GAMMA:
    return d->b * gamma_value (r, d->a);
  case WL_LOGGAMMA:
    for (guint i = 0; i < 1000; i++) {
      double x = d->unit * vc_random_exp (MIN (d->b * gamma_value (r, d->a), 700));

      if (x <= d->c)
        return x;
    }
    return d->c; /* parameters that hardly ever stay below it */
  case WL_PARETO:
    return d->a * power (1 - vc_random_unit (r) * (1 - power (d->a / d->b, d->c)), -1 / d->c);
  case WL_SHIFTED:
    return d->a + d->b * wait (r);
  case WL_EMPIRICAL:
    return d->value[vc_random_below (r, d->n_values)];
  case WL_WEIGHTED:
    return pick_weighted (d, r);
  case WL_QUANTILES: {
    double at = vc_random_unit (r) * (d->n_values - 1);
    guint i = MIN ((guint) at, d->n_values - 2);

    return d->value[i] + (d->value[i + 1] - d->value[i]) * (at - i);
  }
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
