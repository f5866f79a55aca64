#include "plan.h"
#include "results-read.h"
#include "reports/folder.h"
#include "sim/cycle/cycle.h"
#include "sim/interrupt.h"
#include "sim/scheduler/batch.h"
#include <glib/gstdio.h>
#include <string.h>

#define SECTIONS 3 /* points that a round looks at: the same whatever the number of threads, so that the curve is, too */

static void
point_clear (gpointer data)
{
  SimPoint *p = data;

  g_free (p->broken);
  g_clear_pointer (&p->metrics, g_array_unref);
}

GArray *
sim_points_new (void)
{
  GArray *points = g_array_new (FALSE, FALSE, sizeof (SimPoint));

  g_array_set_clear_func (points, point_clear);
  return points;
}

/* ---- runs ---------------------------------------------------------------------------------------- */

typedef struct {
  const SimPlan *plan;
  const double *xs;
  SimPlanSet *set;
  gpointer user;
  SimPoint *point; /* [n] */
  char *dir;
} Round;

/* The figures are those of the files, as `compare` reads them. */
static GArray *
measure (const char *dir, GError **error)
{
  g_autoptr (RpRunData) d = sim_results_read (dir, error);

  return d != NULL ? rp_metrics (d) : NULL;
}

static gboolean
run_point (gpointer user, guint index, GError **error)
{
  Round *r = user;
  g_autoptr (GPtrArray) key = g_ptr_array_new_with_free_func (g_free), value = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *name = g_strdup_printf ("%u", index), *dir = g_build_filename (r->dir, name, NULL);

  for (guint i = 0; r->plan->key != NULL && r->plan->key[i] != NULL; i++) {
    g_ptr_array_add (key, g_strdup (r->plan->key[i]));
    g_ptr_array_add (value, g_strdup (r->plan->value[i]));
  }
  r->set (r->user, r->xs[index], key, value);
  g_ptr_array_add (key, NULL);
  g_ptr_array_add (value, NULL);
  SimVariant v = { .file = r->plan->scenario,
                   .preset = r->plan->preset,
                   .key = (char **) key->pdata,
                   .value = (char **) value->pdata,
                   .out = dir,
                   .cache = r->plan->cache,
                   .engine = r->plan->engine,
                   .interrupted = sim_interrupted () };
  g_autoptr (RpResults) results = sim_variant_run (&v, error);
  SimPoint *p = &r->point[index];

  p->x = r->xs[index];
  p->metrics = results != NULL ? measure (dir, error) : NULL;
  rp_results_remove (dir);
  return p->metrics != NULL;
}

/* ---- promises ------------------------------------------------------------------------------------ */

static gboolean
judge (const SimPlan *plan, SimPoint *p, GError **error)
{
  RpSide side = { "this setting", NULL, p->metrics, NULL, 0 };
  g_autoptr (RpComparison) c = rp_compare (&side, 1);
  const RpMetric *stuck = rp_metrics_find (p->metrics, "never_started");

  p->good = TRUE;
  if (!plan->promise.allow_stuck && stuck != NULL && stuck->value > 0) {
    p->good = FALSE;
    p->broken = g_strdup_printf ("%.0f jobs never start", stuck->value);
    return TRUE;
  }
  for (guint i = 0; i < plan->promise.conditions->len && p->good; i++) {
    const RpThreshold *t = plan->promise.conditions->pdata[i];
    GError *e = NULL;
    g_autofree char *holds = rp_threshold_check (t, c, 0, &e);

    if (e != NULL) {
      g_propagate_error (error, e);
      return FALSE;
    }
    p->good = holds != NULL;
    if (!p->good)
      p->broken = rp_threshold_words (t, c, 0);
  }
  return TRUE;
}

gboolean
sim_plan_points (const SimPlan *plan, const double *xs, guint n, SimPlanSet *set, gpointer user, GArray *points, GError **error)
{
  g_autofree SimPoint *point = g_new0 (SimPoint, n + 1);
  Round r = { plan, xs, set, user, point, rp_folder_temporary (error) };
  gboolean good = TRUE;

  if (r.dir == NULL)
    return FALSE;
  double low = xs[0], high = xs[0];

  for (guint i = 1; i < n; i++) {
    low = MIN (low, xs[i]);
    high = MAX (high, xs[i]);
  }
  g_autofree char *what = g_strdup_printf ("runs%s%s between %.10g and %.10g", plan->label != NULL ? " of " : "", plan->label != NULL ? plan->label : "", low, high);
  SimBatch b = { .n = n, .threads = plan->threads, .fn = run_point, .user = &r, .what = what, .interrupted = sim_interrupted () };
  GError **errors = sim_batch_run (&b);

  for (guint i = 0; i < n; i++) {
    if (good && errors[i] != NULL) {
      g_propagate_error (error, g_steal_pointer (&errors[i]));
      good = FALSE;
    }
    if (good && point[i].metrics == NULL) {
      g_set_error_literal (error, SIM_ERROR, SIM_ERROR_INTERRUPTED, "interrupted; there is no plan");
      good = FALSE;
    }
    good = good && judge (plan, &point[i], error);
  }
  if (good)
    g_array_append_vals (points, point, n);
  else
    for (guint i = 0; i < n; i++)
      point_clear (&point[i]);
  sim_batch_errors_free (errors, n);
  (void) g_rmdir (r.dir);
  g_free (r.dir);
  return good;
}

/* ---- search -------------------------------------------------------------------------------------- */

static int
by_x (gconstpointer a, gconstpointer b)
{
  double l = ((const SimPoint *) a)->x, r = ((const SimPoint *) b)->x;

  return l < r ? -1 : l > r;
}

static const SimPoint *
at (const GArray *points, double x)
{
  for (guint i = 0; i < points->len; i++)
    if (g_array_index (points, SimPoint, i).x == x)
      return &g_array_index (points, SimPoint, i);
  return NULL;
}

/* Run what is not there of the steps @k. */
static gboolean
look (const SimPlan *plan, const gint64 *k, guint n, double step, SimPlanSet *set, gpointer user, GArray *points, GError **error)
{
  double xs[SECTIONS + 2];
  guint m = 0;

  for (guint i = 0; i < n; i++) {
    double x = (double) k[i] * step;
    gboolean known = at (points, x) != NULL;

    for (guint j = 0; j < m; j++)
      known |= xs[j] == x;
    if (!known)
      xs[m++] = x;
  }
  return m == 0 || sim_plan_points (plan, xs, m, set, user, points, error);
}

gboolean
sim_plan_search (const SimPlan *plan, gint64 low, gint64 high, double step, gboolean more_helps, SimPlanSet *set, gpointer user,
                 GArray *points, gint64 *border, gboolean *found, GError **error)
{
  gint64 ends[2] = { low, high };

  if (!look (plan, ends, 2, step, set, user, points, error))
    return FALSE;
  gboolean low_good = at (points, (double) low * step)->good, high_good = at (points, (double) high * step)->good;

  *found = more_helps ? high_good : low_good;
  *border = more_helps ? (low_good ? low : high) : (high_good ? high : low);
  if (*found && low_good != high_good) {
    while (high - low > 1) { /* one end is good, the other is not */
      gint64 k[SECTIONS];
      guint n = 0;

      for (guint i = 1; i <= SECTIONS; i++) {
        gint64 next = low + (high - low) * (gint64) i / (SECTIONS + 1);

        if (next > low && next < high && (n == 0 || k[n - 1] != next))
          k[n++] = next;
      }
      if (!look (plan, k, n, step, set, user, points, error))
        return FALSE;
      for (guint i = 0; i < n; i++) { /* the first change from the low end on */
        if (at (points, (double) k[i] * step)->good == low_good) {
          low = k[i];
        } else {
          high = k[i];
          break;
        }
      }
    }
    *border = more_helps ? high : low;
  }
  g_array_sort (points, by_x);
  return TRUE;
}
