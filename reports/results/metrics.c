#include "metrics.h"
#include "summary.h"
#include "reports/words.h"
#include <math.h>
#include <string.h>

/* Jobs of one queue, user or class. */
typedef struct {
  int kind; /* Kind */
  const char *name;
  GArray *wait, *response, *slowdown; /* of double */
  RpTopologySum topology;
  guint64 jobs, started, finished, evictions;
  double *wasted, *used;              /* [n_res] */
  gboolean tells_waste;
  RpDeadlines deadlines;
} Group;

static void
group_free (gpointer data)
{
  Group *g = data;

  g_array_unref (g->wait);
  g_array_unref (g->response);
  g_array_unref (g->slowdown);
  rp_topology_sum_clear (&g->topology);
  g_free (g->wasted);
  g_free (g->used);
  g_free (g);
}

typedef enum { CLUSTER, QUEUE, USER, CLASS, N_KINDS } Kind; /* in the order in which they are told */
static const char *const kind_name[N_KINDS] = { "cluster", "queue", "user", "class" };

typedef struct {
  GPtrArray *all;
  GHashTable *by_name[N_KINDS]; /* for look-ups only */
} Groups;

static Group *
group_of (Groups *groups, Kind kind, const char *name, guint n_res)
{
  Group *g = g_hash_table_lookup (groups->by_name[kind], name);

  if (g != NULL)
    return g;
  g = g_new0 (Group, 1);

  g->kind = kind;
  g->name = name;
  g->wait = g_array_new (FALSE, FALSE, sizeof (double));
  g->response = g_array_new (FALSE, FALSE, sizeof (double));
  g->slowdown = g_array_new (FALSE, FALSE, sizeof (double));
  rp_topology_sum_init (&g->topology);
  g->wasted = g_new0 (double, n_res + 1);
  g->used = g_new0 (double, n_res + 1);
  g_ptr_array_add (groups->all, g);
  g_hash_table_insert (groups->by_name[kind], (gpointer) name, g);
  return g;
}

static void
count_job (Group *g, const RpJob *j, guint n_res)
{
  double v;

  g->jobs++;
  rp_topology_sum_add (&g->topology, j);
  rp_deadlines_add (&g->deadlines, j);
  g->evictions += j->evictions;
  g->tells_waste |= j->wasted != NULL;
  for (guint d = 0; d < n_res; d++) {
    g->used[d] += j->used != NULL ? j->used[d] : 0;
    g->wasted[d] += j->wasted != NULL ? j->wasted[d] : 0;
  }
  if (j->gang_start != RP_NONE) {
    g->started++;
    v = (double) (j->gang_start - j->submit) / 1e6;
    g_array_append_val (g->wait, v);
  }
  if (j->finish != RP_NONE) {
    g->finished++;
    v = (double) (j->finish - j->submit) / 1e6;
    g_array_append_val (g->response, v);
  }
  v = rp_job_slowdown (j);
  if (!isnan (v))
    g_array_append_val (g->slowdown, v);
}

const char *
rp_job_class (const RpJob *j)
{
  guint n = j->min_available;

  return n <= 1 ? "1" : n < 8 ? "2-7" : n < 64 ? "8-63" : "64+";
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  const Group *l = *(Group *const *) a, *r = *(Group *const *) b;

  return l->kind != r->kind ? (l->kind < r->kind ? -1 : 1) : strcmp (l->name, r->name);
}

static GPtrArray *
gather (const RpRunData *d)
{
  Groups groups = { .all = g_ptr_array_new_with_free_func (group_free) };
  int user = -1;

  for (guint k = 0; k < N_KINDS; k++)
    groups.by_name[k] = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < d->n_extra; i++)
    if (strcmp (d->extra[i], "x_user") == 0)
      user = (int) i;
  group_of (&groups, CLUSTER, "", d->n_res);
  for (guint i = 0; i < d->jobs->len; i++) {
    const RpJob *j = &g_array_index (d->jobs, RpJob, i);

    if (strcmp (j->phase, "Rejected") == 0 || j->submit > d->end)
      continue;
    count_job (groups.all->pdata[0], j, d->n_res);
    count_job (group_of (&groups, QUEUE, j->queue, d->n_res), j, d->n_res);
    count_job (group_of (&groups, CLASS, rp_job_class (j), d->n_res), j, d->n_res);
    if (user >= 0 && *j->extra[user] != '\0')
      count_job (group_of (&groups, USER, j->extra[user], d->n_res), j, d->n_res);
  }
  for (guint k = 0; k < N_KINDS; k++)
    g_hash_table_unref (groups.by_name[k]);
  g_ptr_array_sort (groups.all, by_name);
  return groups.all;
}

/* ---- figures ------------------------------------------------------------------------------------- */

typedef struct {
  GArray *out;
  const Group *g;
  gboolean placed;        /* some job of the run was in HyperNodes */
  const double *capacity; /* [n_res] ∫ capacity dt */
} Writer;

static void
put (Writer *w, const char *metric, const char *resource, RpUnit unit, int better, double value)
{
  g_autoptr (GString) name = g_string_new (metric);
  gboolean grouped = w->g->kind != CLUSTER;

  if (grouped || resource != NULL)
    g_string_append_c (name, '(');
  if (grouped)
    g_string_append_printf (name, "%s=%s", kind_name[w->g->kind], w->g->name);
  if (resource != NULL)
    g_string_append_printf (name, "%sresource=%s", grouped ? "," : "", resource);
  if (grouped || resource != NULL)
    g_string_append_c (name, ')');
  RpMetric m = { g_strdup (name->str), kind_name[w->g->kind], unit, (gint8) better, value };

  g_array_append_val (w->out, m);
}

static void
put_quantiles (Writer *w, const char *what, GArray *values, RpUnit unit)
{
  RpQuantiles q = rp_quantiles (values);
  const struct { const char *prefix; double value; } of[] = { { "mean", q.mean }, { "p50", q.p50 }, { "p90", q.p90 }, { "p95", q.p95 }, { "p99", q.p99 }, { "max", q.max } };

  for (guint i = 0; i < G_N_ELEMENTS (of); i++) {
    g_autofree char *name = g_strconcat (of[i].prefix, "_", what, NULL);

    put (w, name, NULL, unit, -1, q.n > 0 ? of[i].value : (double) NAN);
  }
}

/* ∫ a dt over the rows of cycles.csv, each of which holds until the next, up to the end. NaN: nobody tells it. */
static double
over_time (const RpRunData *d, guint res, gsize offset)
{
  double sum = 0;
  gboolean told = FALSE;

  for (guint i = 0; i < d->cycles->len; i++) {
    const RpCycle *c = &g_array_index (d->cycles, RpCycle, i);
    gint64 until = i + 1 < d->cycles->len ? g_array_index (d->cycles, RpCycle, i + 1).time : d->end;
    const double *v = G_STRUCT_MEMBER (const double *, c, offset);

    told |= v != NULL;
    sum += (v != NULL ? v[res] : 0) * (double) (until - c->time);
  }
  return told ? sum : (double) NAN;
}

static double
ratio (double a, double b)
{
  return b > 0 ? a / b : (double) NAN;
}

static void
put_group (Writer *w, const RpRunData *d)
{
  const Group *g = w->g;

  put_quantiles (w, "wait", g->wait, RP_UNIT_SECONDS);
  put_quantiles (w, "response", g->response, RP_UNIT_SECONDS);
  put_quantiles (w, "slowdown", g->slowdown, RP_UNIT_NUMBER);
  put (w, "jobs", NULL, RP_UNIT_NUMBER, 0, (double) g->jobs);
  put (w, "started", NULL, RP_UNIT_NUMBER, 1, (double) g->started);
  put (w, "finished", NULL, RP_UNIT_NUMBER, 1, (double) g->finished);
  put (w, "never_started", NULL, RP_UNIT_NUMBER, -1, (double) (g->jobs - g->started));
  put (w, "evictions", NULL, RP_UNIT_NUMBER, -1, (double) g->evictions);
  if (w->placed) {
    put_quantiles (w, "topology_cost", g->topology.costs, RP_UNIT_NUMBER);
    put (w, "crossing_jobs", NULL, RP_UNIT_NUMBER, -1, (double) g->topology.crossing);
  }
  if (g->deadlines.jobs > 0)
    put (w, "deadlines_met", NULL, RP_UNIT_RATIO, 1, ratio ((double) g->deadlines.met, (double) g->deadlines.jobs));
  for (guint i = 0; i < d->n_res; i++)
    if (g->used[i] > 0)
      put (w, "work_lost", d->resource[i], strcmp (d->resource[i], "memory") == 0 ? RP_UNIT_BYTE_HOURS : RP_UNIT_HOURS, -1, g->tells_waste ? g->wasted[i] / 3600 : (double) NAN);
  for (guint i = 0; g->kind == QUEUE && i < d->n_res; i++)
    put (w, "utilisation", d->resource[i], RP_UNIT_RATIO, 0, ratio (g->used[i] * 1e6, w->capacity[i]));
}

static void
put_cluster (Writer *w, const RpRunData *d)
{
  gint64 first = G_MAXINT64, last = RP_NONE;

  for (guint i = 0; i < d->n_res; i++) {
    double allocated = d->left_out > 0 ? w->g->used[i] * 1e6 : over_time (d, i, G_STRUCT_OFFSET (RpCycle, allocated)); /* of the jobs that are left */

    put (w, "utilisation", d->resource[i], RP_UNIT_RATIO, 1, ratio (allocated, w->capacity[i]));
    put (w, "fragmentation", d->resource[i], RP_UNIT_RATIO, -1, ratio (over_time (d, i, G_STRUCT_OFFSET (RpCycle, fragmented)), w->capacity[i]));
    put (w, "goodput", d->resource[i], RP_UNIT_RATIO, 1, w->g->used[i] > 0 && w->g->tells_waste ? 1 - w->g->wasted[i] / w->g->used[i] : (double) NAN);
  }
  for (guint i = 0; i < d->jobs->len; i++) {
    const RpJob *j = &g_array_index (d->jobs, RpJob, i);

    first = MIN (first, j->submit);
    last = j->finish != RP_NONE ? MAX (last, j->finish) : last;
  }
  put (w, "makespan", NULL, RP_UNIT_SECONDS, -1, last != RP_NONE ? (double) (last - first) / 1e6 : (double) NAN);
  put (w, "fairness", NULL, RP_UNIT_NUMBER, 1, d->jain);
}

static void
metric_clear (gpointer data)
{
  g_free (((RpMetric *) data)->name);
}

GArray *
rp_metrics (const RpRunData *d)
{
  g_autoptr (GPtrArray) groups = gather (d);
  GArray *out = g_array_new (FALSE, FALSE, sizeof (RpMetric));
  gboolean placed = FALSE;
  g_autofree double *capacity = g_new0 (double, d->n_res + 1);

  for (guint i = 0; i < d->jobs->len && !placed; i++)
    placed = g_array_index (d->jobs, RpJob, i).hyper_node != NULL;
  for (guint i = 0; i < d->n_res; i++)
    capacity[i] = over_time (d, i, G_STRUCT_OFFSET (RpCycle, capacity));
  g_array_set_clear_func (out, metric_clear);
  for (guint i = 0; i < groups->len; i++) {
    Writer w = { out, groups->pdata[i], placed, capacity };

    put_group (&w, d);
    if (i == 0)
      put_cluster (&w, d);
  }
  return out;
}

const RpMetric *
rp_metrics_find (const GArray *metrics, const char *name)
{
  for (guint i = 0; i < metrics->len; i++)
    if (strcmp (g_array_index (metrics, RpMetric, i).name, name) == 0)
      return &g_array_index (metrics, RpMetric, i);
  return NULL;
}

GHashTable *
rp_metrics_index (const GArray *metrics)
{
  GHashTable *t = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < metrics->len; i++) {
    RpMetric *m = &g_array_index (metrics, RpMetric, i);

    g_hash_table_insert (t, m->name, m);
  }
  return t;
}

/* "633k h" from @limit on: three digits are enough to compare by eye. */
static char *
amount (double value, double limit, const char *unit)
{
  static const char *const prefix[] = { "", "k", "M", "G", "T", "P" };
  guint k = 0;

  while (fabs (value) >= limit && k + 1 < G_N_ELEMENTS (prefix)) {
    value /= 1000;
    k++;
    limit = 999.5;
  }
  return k > 0 ? g_strdup_printf ("%.3g%s %s", value, prefix[k], unit) : g_strdup_printf ("%.1f %s", value, unit);
}

char *
rp_metric_text (RpUnit unit, double value)
{
  if (isnan (value))
    return g_strdup ("–");
  if (unit == RP_UNIT_SECONDS)
    return rp_span (value);
  if (unit == RP_UNIT_RATIO)
    return rp_percent (value);
  if (unit == RP_UNIT_HOURS)
    return amount (value, 99999.95, "h");
  if (unit == RP_UNIT_BYTE_HOURS)
    return amount (value / (double) (1 << 30), 999.95, "GiB h");
  if (value == floor (value) && fabs (value) < 1e15)
    return value < 0 ? g_strdup_printf ("-%.0f", -value) : rp_number ((guint64) value);
  return g_strdup_printf ("%.3g", value);
}
