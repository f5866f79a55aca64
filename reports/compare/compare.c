#include "compare.h"
#include <math.h>
#include <string.h>

struct RpComparison {
  const RpSide *side;
  guint n;
  GArray *rows;
  guint queues, users;
  GHashTable *by_name; /* place in rows + 1, for look-ups only */
};

/* ---- rows --------------------------------------------------------------------------------------- */

/* Two-sided 95 % points of Student's distribution for 1, 2, … degrees of freedom. */
static double
student (guint freedom)
{
  static const double point[] = { 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
                                  2.120,  2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042 };

  return freedom <= G_N_ELEMENTS (point) ? point[freedom - 1] : 1.96;
}

static double
value_of (GHashTable *metrics, const char *name)
{
  const RpMetric *m = g_hash_table_lookup (metrics, name);

  return m != NULL ? m->value : (double) NAN;
}

/* One side's figures while they are compared. */
typedef struct {
  GHashTable *own;
  GPtrArray *shaken; /* GHashTable * */
} Figures;

static Figures *
figures_of (const RpSide *side, guint n)
{
  Figures *f = g_new (Figures, n);

  for (guint i = 0; i < n; i++) {
    f[i] = (Figures){ rp_metrics_index (side[i].metrics), g_ptr_array_new_with_free_func ((GDestroyNotify) g_hash_table_unref) };
    for (guint k = 0; k < side[i].n_shaken; k++)
      g_ptr_array_add (f[i].shaken, rp_metrics_index (side[i].shaken[k]));
  }
  return f;
}

static void
figures_free (Figures *f, guint n)
{
  for (guint i = 0; i < n; i++) {
    g_hash_table_unref (f[i].own);
    g_ptr_array_unref (f[i].shaken);
  }
  g_free (f);
}

static void
row_clear (gpointer data)
{
  RpComparedRow *r = data;

  g_free (r->value);
  g_free (r->difference);
  g_free (r->half);
  g_free (r->verdict);
}

/* Mean and half interval of the differences of the shaken pairs; without pairs the difference of the two values and no interval. */
static void
difference (const Figures *base, const Figures *other, const char *name, double *mean, double *half)
{
  guint n = 0, pairs = MIN (base->shaken->len, other->shaken->len);
  double sum = 0, squares = 0;

  for (guint k = 0; k < pairs; k++) {
    double d = value_of (other->shaken->pdata[k], name) - value_of (base->shaken->pdata[k], name);

    if (isnan (d))
      continue;
    n++;
    sum += d;
    squares += d * d;
  }
  *half = (double) NAN;
  if (n == 0) {
    *mean = value_of (other->own, name) - value_of (base->own, name);
    return;
  }
  *mean = sum / n;
  if (n > 1) {
    double variance = (squares - sum * sum / n) / (n - 1);

    *half = student (n - 1) * sqrt (fmax (variance, 0) / n);
  }
}

static RpVerdict
judge (int better, double mean, double half)
{
  if (isnan (mean) || mean == 0)
    return RP_VERDICT_NONE;
  if (!isnan (half) && fabs (mean) <= half)
    return RP_VERDICT_CHANCE;
  if (better == 0)
    return RP_VERDICT_OTHER;
  return (mean > 0) == (better > 0) ? RP_VERDICT_BETTER : RP_VERDICT_WORSE;
}

static void
add_row (RpComparison *c, const Figures *f, const RpMetric *m)
{
  RpComparedRow r = { .name = m->name,
                      .group = m->group,
                      .unit = m->unit,
                      .n = c->n,
                      .value = g_new (double, c->n),
                      .difference = g_new0 (double, c->n),
                      .half = g_new0 (double, c->n),
                      .verdict = g_new0 (RpVerdict, c->n) };

  for (guint i = 0; i < c->n; i++) {
    r.value[i] = value_of (f[i].own, m->name);
    if (i == 0)
      continue;
    difference (&f[0], &f[i], m->name, &r.difference[i], &r.half[i]);
    r.verdict[i] = judge (m->better, r.difference[i], r.half[i]);
  }
  c->queues += g_str_has_prefix (m->name, "jobs(queue=");
  c->users += g_str_has_prefix (m->name, "jobs(user=");
  g_array_append_val (c->rows, r);
  g_hash_table_insert (c->by_name, (gpointer) m->name, GUINT_TO_POINTER (c->rows->len));
}

const RpComparedRow *
rp_comparison_find (const RpComparison *c, const char *name)
{
  guint place = GPOINTER_TO_UINT (g_hash_table_lookup (c->by_name, name));

  return place > 0 ? &g_array_index (c->rows, RpComparedRow, place - 1) : NULL;
}

RpComparison *
rp_compare (const RpSide *sides, guint n)
{
  RpComparison *c = g_new0 (RpComparison, 1);
  Figures *f = figures_of (sides, n);

  c->side = sides;
  c->n = n;
  c->rows = g_array_new (FALSE, FALSE, sizeof (RpComparedRow));
  g_array_set_clear_func (c->rows, row_clear);
  c->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < n; i++) /* figures that only a later side has come last */
    for (guint k = 0; k < sides[i].metrics->len; k++) {
      const RpMetric *m = &g_array_index (sides[i].metrics, RpMetric, k);

      if (i == 0 || rp_comparison_find (c, m->name) == NULL)
        add_row (c, f, m);
    }
  figures_free (f, n);
  return c;
}

void
rp_comparison_free (RpComparison *c)
{
  if (c == NULL)
    return;
  g_array_unref (c->rows);
  g_hash_table_unref (c->by_name);
  g_free (c);
}

const RpSide *
rp_comparison_sides (const RpComparison *c, guint *n)
{
  if (n != NULL)
    *n = c->n;
  return c->side;
}

guint
rp_comparison_queues (const RpComparison *c)
{
  return c->queues;
}

guint
rp_comparison_users (const RpComparison *c)
{
  return c->users;
}

const GArray *
rp_comparison_rows (const RpComparison *c)
{
  return c->rows;
}

/* ---- first divergence ----------------------------------------------------------------------------- */

static int
by_time (gconstpointer a, gconstpointer b)
{
  const RpDecision *l = a, *r = b;
  int order = l->time < r->time ? -1 : l->time > r->time ? 1 : strcmp (l->what, r->what);

  if (order == 0)
    order = strcmp (l->ns, r->ns);
  if (order == 0)
    order = strcmp (l->name, r->name);
  return order != 0 ? order : strcmp (l->detail, r->detail);
}

/* What the scheduler decided: who may enter, where pods go, who has to leave. */
static GArray *
decisions (const RpRunData *d)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (RpDecision));

  for (guint i = 0; i < d->jobs->len; i++) {
    const RpJob *j = &g_array_index (d->jobs, RpJob, i);
    RpDecision e = { j->inqueue, "inqueue", j->ns, j->job, j->ns, j->job, "" };

    if (j->inqueue != RP_NONE)
      g_array_append_val (out, e);
  }
  for (guint i = 0; i < d->tasks->len; i++) {
    const RpTask *t = &g_array_index (d->tasks, RpTask, i);
    RpDecision bind = { t->assumed, "bind", t->ns, t->pod, t->ns, t->job, t->node };
    RpDecision evict = { t->evicted, "evict", t->ns, t->pod, t->ns, t->job, t->node };

    if (t->assumed != RP_NONE && *t->node != '\0')
      g_array_append_val (out, bind);
    if (t->evicted != RP_NONE && strcmp (t->outcome, "Evicted") == 0)
      g_array_append_val (out, evict);
  }
  g_array_sort (out, by_time);
  return out;
}

void
rp_divergence_find (const RpRunData *a, const RpRunData *b, RpDivergence *out)
{
  g_autoptr (GArray) l = decisions (a), r = decisions (b);
  guint i = 0, k = 0;

  *out = (RpDivergence){ .only = { g_array_new (FALSE, FALSE, sizeof (RpDecision)), g_array_new (FALSE, FALSE, sizeof (RpDecision)) } };
  for (;;) {
    const RpDecision *x = i < l->len ? &g_array_index (l, RpDecision, i) : NULL, *y = k < r->len ? &g_array_index (r, RpDecision, k) : NULL;
    int order = x == NULL && y == NULL ? 0 : x == NULL ? 1 : y == NULL ? -1 : by_time (x, y);
    const RpDecision *first = order <= 0 ? x : y;

    if (first == NULL || (out->found && first->time != out->time))
      return;
    if (order != 0) {
      out->found = TRUE;
      out->time = first->time;
      g_array_append_val (out->only[order > 0], *first);
    }
    i += order <= 0;
    k += order >= 0;
  }
}

void
rp_divergence_clear (RpDivergence *d)
{
  g_clear_pointer (&d->only[0], g_array_unref);
  g_clear_pointer (&d->only[1], g_array_unref);
}

/* ---- winners and losers ---------------------------------------------------------------------------- */

gint64
rp_job_waited (const RpRunData *d, const RpJob *j)
{
  return (j->gang_start != RP_NONE ? j->gang_start : j->finish != RP_NONE ? j->finish : MAX (d->end, j->submit)) - j->submit;
}

static int
by_change (gconstpointer a, gconstpointer b)
{
  const RpMove *l = a, *r = b;
  int order = l->change < r->change ? -1 : l->change > r->change;

  if (order == 0)
    order = strcmp (l->base->ns, r->base->ns);
  return order != 0 ? order : strcmp (l->base->job, r->base->job);
}

GArray *
rp_moves (const RpRunData *base, const RpRunData *other)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (RpMove));
  g_autoptr (GHashTable) by_name = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL); /* for look-ups only */

  for (guint i = 0; i < other->jobs->len; i++) {
    RpJob *j = &g_array_index (other->jobs, RpJob, i);

    g_hash_table_insert (by_name, g_strconcat (j->ns, "/", j->job, NULL), j);
  }
  for (guint i = 0; i < base->jobs->len; i++) {
    const RpJob *j = &g_array_index (base->jobs, RpJob, i);
    g_autofree char *key = g_strconcat (j->ns, "/", j->job, NULL);
    const RpJob *o = g_hash_table_lookup (by_name, key);
    RpMove m = { j, o, 0 };

    if (o == NULL || strcmp (j->phase, "Rejected") == 0 || strcmp (o->phase, "Rejected") == 0)
      continue;
    m.change = rp_job_waited (other, o) - rp_job_waited (base, j);
    if (m.change != 0)
      g_array_append_val (out, m);
  }
  g_array_sort (out, by_change);
  return out;
}
