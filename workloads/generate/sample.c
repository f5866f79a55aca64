/* Marginals of a trace, and the distributions that are nearest to them. */
#include "sample.h"
#include "workloads/native/append.h"
#include "workloads/text/parse.h"
#include <math.h>
#include <string.h>

#define HOUR (G_GINT64_CONSTANT (3600) * G_USEC_PER_SEC)
#define GIB 1073741824.0
#define STRATA 500u      /* values of an empirical form */
#define TRIALS 20000u    /* draws by which a form is judged */
#define PREFERRED 0.01   /* a form with parameters may be that much worse than the values themselves */

int
wl_compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

double
wl_percentile (const GArray *ascending, double p)
{
  if (ascending->len == 0)
    return 0;
  return g_array_index (ascending, double, (guint) CLAMP (ceil (p / 100 * ascending->len) - 1, 0, ascending->len - 1.0));
}

double
wl_ks_distance (const GArray *a, const GArray *b)
{
  guint i = 0, k = 0;
  double most = 0;

  if (a->len == 0 || b->len == 0)
    return a->len != b->len;
  while (i < a->len && k < b->len) {
    double x = MIN (g_array_index (a, double, i), g_array_index (b, double, k));

    while (i < a->len && g_array_index (a, double, i) <= x)
      i++;
    while (k < b->len && g_array_index (b, double, k) <= x)
      k++;
    most = MAX (most, fabs ((double) i / a->len - (double) k / b->len));
  }
  return most;
}

/* ---- a trace ------------------------------------------------------------------------------------- */

guint64
wl_job_pods (const WlJob *job)
{
  guint64 n = 0;

  for (guint i = 0; i < job->roles->len; i++)
    n += g_array_index (job->roles, WlRole, i).replicas;
  return n;
}

double
wl_role_seconds (const WlRole *role)
{
  double most = 0;

  for (guint i = 0; i < role->durations->len; i++) {
    const GArray *runs = g_array_index (role->durations, GArray *, i);
    WlTime t = runs->len > 0 ? g_array_index (runs, WlTime, 0) : WL_TIME_NEVER;

    if (t == WL_TIME_NEVER)
      return -1;
    most = MAX (most, (double) t / G_USEC_PER_SEC);
  }
  return role->durations->len > 0 ? most : -1;
}

const char *
wl_job_user (const WlJob *job)
{
  for (guint i = 0; i < job->extra->len; i++)
    if (strcmp (g_array_index (job->extra, WlPair, i).key, "x_user") == 0)
      return g_array_index (job->extra, WlPair, i).value;
  return NULL;
}

static GArray *
marginal (WlSample *s, const char *name)
{
  for (guint i = 0; i < s->marginals->len; i++)
    if (strcmp (((WlMarginal *) s->marginals->pdata[i])->name, name) == 0)
      return ((WlMarginal *) s->marginals->pdata[i])->values;
  WlMarginal *m = g_new (WlMarginal, 1);

  *m = (WlMarginal) { g_strdup (name), g_array_new (FALSE, FALSE, sizeof (double)) };
  g_ptr_array_add (s->marginals, m);
  return m->values;
}

static void
add (WlSample *s, const char *name, double v)
{
  g_array_append_val (marginal (s, name), v);
}

static void
marginal_free (gpointer data)
{
  WlMarginal *m = data;

  g_free (m->name);
  g_array_unref (m->values);
  g_free (m);
}

static void
count (GHashTable *table, const char *name)
{
  g_hash_table_replace (table, g_strdup (name), GSIZE_TO_POINTER (GPOINTER_TO_SIZE (g_hash_table_lookup (table, name)) + 1));
}

static void
add_work (WlSample *s, const WlJob *job)
{
  g_autoptr (GHashTable) sums = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);

  for (guint i = 0; i < job->roles->len; i++) {
    const WlRole *role = &g_array_index (job->roles, WlRole, i);
    double seconds = wl_role_seconds (role);

    for (guint k = 0; k < role->resources->len && seconds >= 0; k++) {
      const WlResource *r = &g_array_index (role->resources, WlResource, k);
      double *sum = g_hash_table_lookup (sums, r->name);

      if (sum == NULL)
        g_hash_table_insert (sums, r->name, sum = g_new0 (double, 1));
      *sum += wl_units (r) * role->replicas * seconds;
    }
  }
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (sums), (GCompareFunc) strcmp);
  for (GList *l = names; l != NULL; l = l->next) {
    gboolean bytes = wl_resource_is_bytes (l->data);
    g_autofree char *name = g_strdup_printf ("%s × s of a job%s", (const char *) l->data, bytes ? ", GiB" : "");

    add (s, name, *(double *) g_hash_table_lookup (sums, l->data) / (bytes ? GIB : 1));
  }
}

WlSample *
wl_sample_new (const GArray *jobs)
{
  WlSample *s = g_new0 (WlSample, 1);
  g_autoptr (GArray) submits = g_array_new (FALSE, FALSE, sizeof (double));

  s->marginals = g_ptr_array_new_with_free_func (marginal_free);
  s->queues = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  s->users = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  s->n_jobs = jobs->len;
  marginal (s, "s between jobs");
  marginal (s, "jobs in an hour");
  for (guint i = 0; i < jobs->len; i++) {
    const WlJob *job = &g_array_index (jobs, WlJob, i);
    double t = (double) job->submit;
    const char *user = wl_job_user (job);

    g_array_append_val (submits, t);
    add (s, "pods of a job", (double) wl_job_pods (job));
    count (s->queues, job->queue);
    if (user != NULL)
      count (s->users, user);
    for (guint k = 0; k < job->roles->len; k++) {
      const WlRole *role = &g_array_index (job->roles, WlRole, k);
      double seconds = wl_role_seconds (role);

      add (s, WL_ENDLESS, seconds < 0);
      if (seconds >= 0)
        add (s, "s of running", seconds);
      for (guint q = 0; q < role->resources->len; q++) {
        const WlResource *r = &g_array_index (role->resources, WlResource, q);
        gboolean bytes = wl_resource_is_bytes (r->name);
        g_autofree char *name = g_strdup_printf ("%s of a pod%s", r->name, bytes ? ", GiB" : "");

        add (s, name, wl_units (r) / (bytes ? GIB : 1));
      }
    }
    add_work (s, job);
  }
  g_array_sort (submits, wl_compare_doubles);
  for (guint i = 1; i < submits->len; i++)
    add (s, "s between jobs", (g_array_index (submits, double, i) - g_array_index (submits, double, i - 1)) / G_USEC_PER_SEC);
  for (guint i = 0; i < submits->len;) {
    double first = g_array_index (submits, double, 0), hour = floor ((g_array_index (submits, double, i) - first) / HOUR);
    guint n = i;

    while (i < submits->len && floor ((g_array_index (submits, double, i) - first) / HOUR) == hour)
      i++;
    add (s, "jobs in an hour", i - n);
    double next = i < submits->len ? floor ((g_array_index (submits, double, i) - first) / HOUR) : hour + 1;

    for (double h = hour + 1; h < next && h - hour < 1e5; h++)
      add (s, "jobs in an hour", 0);
  }
  for (guint i = 0; i < s->marginals->len; i++)
    g_array_sort (((WlMarginal *) s->marginals->pdata[i])->values, wl_compare_doubles);
  return s;
}

void
wl_sample_free (WlSample *s)
{
  if (s == NULL)
    return;
  g_ptr_array_unref (s->marginals);
  g_hash_table_unref (s->queues);
  g_hash_table_unref (s->users);
  g_free (s);
}

/* ---- forms --------------------------------------------------------------------------------------- */

/* Likelihood's best Weibull of the values from @from on, which are above 0. */
static void
fit_weibull (const GArray *values, guint from, double mean_log, WlDistribution *d)
{
  double low = 0.02, high = 50, most = g_array_index (values, double, values->len - 1);

  for (guint turn = 0; turn < 60; turn++) { /* the likelihood's slope falls with the shape */
    double k = sqrt (low * high), s0 = 0, s1 = 0;

    for (guint i = from; i < values->len; i++) {
      double l = vc_random_log (g_array_index (values, double, i) / most), p = vc_random_exp (k * l);

      s0 += p;
      s1 += p * l;
    }
    if (1 / k + (mean_log - vc_random_log (most)) - s1 / s0 > 0)
      low = k;
    else
      high = k;
    d->a = most * vc_random_exp (vc_random_log (s0 / (values->len - from)) / k);
    d->b = k;
  }
}

/* The same of a Pareto between the least and the greatest value. */
static void
fit_pareto (const GArray *values, guint from, double mean_log, WlDistribution *d)
{
  double low = 0.01, high = 50, ratio;

  d->a = g_array_index (values, double, from);
  d->b = g_array_index (values, double, values->len - 1);
  ratio = vc_random_log (d->b / d->a);
  for (guint turn = 0; turn < 60; turn++) {
    double alpha = sqrt (low * high), q = vc_random_exp (-alpha * ratio);

    if (1 / alpha - q * ratio / (1 - q) - (mean_log - vc_random_log (d->a)) > 0)
      low = alpha;
    else
      high = alpha;
    d->c = alpha;
  }
}

/* Likelihood's best of @kind for the values above 0, which begin at @from. FALSE: there is none. */
static gboolean
fit_kind (const GArray *values, guint from, WlDistributionKind kind, WlDistribution *d)
{
  guint n = values->len - from;
  double sum = 0, logs = 0, squares = 0;

  for (guint i = from; i < values->len; i++) {
    double x = g_array_index (values, double, i), l = vc_random_log (x);

    sum += x;
    logs += l;
    squares += l * l;
  }
  double mean_log = logs / n;

  *d = (WlDistribution) { .kind = kind };
  if (kind == WL_EXPONENTIAL)
    d->a = sum / n;
  else if (kind == WL_LOGNORMAL) {
    d->a = vc_random_exp (mean_log);
    d->b = sqrt (MAX (squares / n - mean_log * mean_log, 0));
  } else if (g_array_index (values, double, from) == g_array_index (values, double, values->len - 1))
    return FALSE;
  else if (kind == WL_WEIBULL)
    fit_weibull (values, from, mean_log, d);
  else
    fit_pareto (values, from, mean_log, d);
  return TRUE;
}

/* The means of equal parts of the sorted values: the mean stays what it is. */
static void
empirical (const GArray *values, WlDistribution *d)
{
  guint n = MIN (values->len, STRATA);

  *d = (WlDistribution) { .kind = WL_EMPIRICAL, .n_values = n, .value = g_new0 (double, n) };
  for (guint i = 0; i < n; i++) {
    guint from = (guint) ((guint64) values->len * i / n), to = (guint) ((guint64) values->len * (i + 1) / n);

    for (guint k = from; k < to; k++)
      d->value[i] += g_array_index (values, double, k) / (to - from);
  }
}

static double
distance (const GArray *values, const WlDistribution *d)
{
  g_autoptr (GArray) drawn = g_array_sized_new (FALSE, FALSE, sizeof (double), TRIALS);
  VcRandom r;

  vc_random_init (&r, 0, "fit", NULL, (guint64) d->kind);
  for (guint i = 0; i < TRIALS; i++) {
    double x = wl_distribution_draw (d, &r);

    g_array_append_val (drawn, x);
  }
  g_array_sort (drawn, wl_compare_doubles);
  return wl_ks_distance (values, drawn);
}

char *
wl_fit_distribution (const GArray *values, const char *how, WlValues values_are)
{
  static const WlDistributionKind kinds[] = { WL_EXPONENTIAL, WL_LOGNORMAL, WL_WEIBULL, WL_PARETO };
  g_auto (WlDistribution) best = { 0 };
  double near = G_MAXDOUBLE;
  guint from = 0;

  if (values->len == 0 || g_array_index (values, double, 0) == g_array_index (values, double, values->len - 1)) {
    best.a = values->len > 0 ? g_array_index (values, double, 0) : 0;
    return wl_distribution_text (&best, values_are);
  }
  while (g_array_index (values, double, from) <= 0)
    from++;
  for (guint i = 0; i < G_N_ELEMENTS (kinds) && strcmp (how, "empirical") != 0; i++) {
    WlDistribution d;
    double ks;

    if (fit_kind (values, from, kinds[i], &d) && (ks = distance (values, &d)) < near) {
      near = ks;
      best = d;
    }
  }
  if (strcmp (how, "parametric") != 0) {
    g_auto (WlDistribution) d = { 0 };

    empirical (values, &d);
    if (distance (values, &d) < near - PREFERRED) {
      best = d;
      d = (WlDistribution) { 0 };
    }
  }
  return wl_distribution_text (&best, values_are);
}
