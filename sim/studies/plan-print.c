#include "plan-print.h"
#include "reports/json.h"
#include "reports/words.h"
#include <math.h>
#include <string.h>

/* ---- report -------------------------------------------------------------------------------------- */

static void
answer_free (gpointer data)
{
  SimPlanAnswer *a = data;

  g_array_unref (a->points);
  g_free (a->mix);
  g_free (a);
}

void
sim_plan_report_init (SimPlanReport *r)
{
  *r = (SimPlanReport){ .unit = 1, .kinds = g_ptr_array_new_with_free_func (g_free), .answers = g_ptr_array_new_with_free_func (answer_free) };
}

void
sim_plan_report_clear (SimPlanReport *r)
{
  g_clear_pointer (&r->question, g_free);
  g_clear_pointer (&r->x_name, g_free);
  g_clear_pointer (&r->kinds, g_ptr_array_unref);
  g_clear_pointer (&r->answers, g_ptr_array_unref);
}

SimPlanAnswer *
sim_plan_report_add (SimPlanReport *r)
{
  SimPlanAnswer *a = g_new0 (SimPlanAnswer, 1);

  a->points = sim_points_new ();
  g_ptr_array_add (r->answers, a);
  return a;
}

static int
by_value (gconstpointer a, gconstpointer b)
{
  gint64 l = *(const gint64 *) a, r = *(const gint64 *) b;

  return l < r ? -1 : l > r;
}

GArray *
sim_plan_borders (const SimPlanReport *r, guint from)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint i = from; i < r->answers->len; i++) {
    const SimPlanAnswer *a = r->answers->pdata[i];

    if (a->found)
      g_array_append_val (out, a->border);
  }
  g_array_sort (out, by_value);
  return out;
}

gint64
sim_plan_percentile (const GArray *sorted, double p)
{
  guint rank = (guint) ceil (p * sorted->len);

  return g_array_index (sorted, gint64, MAX (rank, 1) - 1);
}

gboolean
sim_plan_report_found (const SimPlanReport *r)
{
  g_autoptr (GArray) all = sim_plan_borders (r, 0);

  return r->trials ? all->len == r->answers->len : ((const SimPlanAnswer *) r->answers->pdata[0])->found;
}

char *
sim_plan_step_text (const SimPlanReport *r, gint64 step)
{
  return r->unit == 1 ? g_strdup_printf ("%" G_GINT64_FORMAT, step) : g_strdup_printf ("%.2f", (double) step * r->unit);
}

/* ---- text ---------------------------------------------------------------------------------------- */

static void
add_column (GPtrArray *out, const char *name)
{
  for (guint i = 0; i < out->len; i++)
    if (strcmp (out->pdata[i], name) == 0)
      return;
  g_ptr_array_add (out, (gpointer) name);
}

GPtrArray *
sim_plan_columns (const SimPlanReport *r)
{
  GPtrArray *out = g_ptr_array_new ();

  for (guint i = 0; r->conditions != NULL && i < r->conditions->len; i++)
    add_column (out, rp_threshold_figure (r->conditions->pdata[i]));
  if (out->len == 0)
    add_column (out, "p95_wait");
  add_column (out, "never_started");
  return out;
}

static void
append_curve (GString *out, const SimPlanReport *r, const SimPlanAnswer *a)
{
  g_autoptr (GPtrArray) names = sim_plan_columns (r);

  g_string_append_c (out, '\n');
  rp_append_cell (out, r->x_name, 18, TRUE);
  for (guint c = 0; c < names->len; c++)
    rp_append_cell (out, names->pdata[c], 22, TRUE);
  g_string_append_c (out, '\n');
  for (guint i = 0; i < a->points->len; i++) {
    const SimPoint *p = &g_array_index (a->points, SimPoint, i);
    g_autofree char *x = sim_plan_step_text (r, (gint64) llround (p->x / r->unit));

    rp_append_cell (out, x, 18, TRUE);
    for (guint c = 0; c < names->len; c++) {
      const RpMetric *m = rp_metrics_find (p->metrics, names->pdata[c]);
      g_autofree char *text = m != NULL ? rp_metric_text (m->unit, m->value) : g_strdup ("–");

      rp_append_cell (out, text, 22, TRUE);
    }
    g_string_append_printf (out, "  %s\n", p->good ? "keeps it" : "breaks it");
  }
}

char *
sim_plan_neighbour (const SimPlanReport *r, const SimPlanAnswer *a)
{
  for (guint i = 0; i < a->points->len; i++) {
    const SimPoint *p = &g_array_index (a->points, SimPoint, i);
    gint64 step = (gint64) llround (p->x / r->unit);

    if (!p->good && step == a->border + (r->less_helps ? 1 : -1)) {
      g_autofree char *x = sim_plan_step_text (r, step);

      return g_strdup_printf ("%s breaks it: %s", x, p->broken);
    }
  }
  return NULL;
}

static void
append_mix (GString *out, const SimPlanReport *r, const SimPlanAnswer *a)
{
  for (guint i = 0; i < r->kinds->len; i++)
    g_string_append_printf (out, "%s%" G_GINT64_FORMAT " × %s", i > 0 ? ", " : "", a->mix[i], (const char *) r->kinds->pdata[i]);
  g_string_append_printf (out, " at a price of %.10g (cheapest mix, %u runs)\n", a->cost, a->runs);
}

/* A point of the search that keeps the promise though one with more help breaks it; *beyond is that one. NULL: there is none. */
static const SimPoint *
out_of_order (const SimPlanReport *r, const SimPlanAnswer *a, const SimPoint **beyond)
{
  for (guint i = 0; i < a->points->len; i++)
    for (guint k = i + 1; k < a->points->len; k++) { /* in ascending order */
      const SimPoint *low = &g_array_index (a->points, SimPoint, i), *high = &g_array_index (a->points, SimPoint, k);
      const SimPoint *less = r->less_helps ? high : low, *more = r->less_helps ? low : high;

      if (less->good && !more->good) {
        *beyond = more;
        return less;
      }
    }
  return NULL;
}

char *
sim_plan_caution (const SimPlanReport *r)
{
  const SimPoint *beyond = NULL, *point;
  guint seen = 0;

  if (r->trials) {
    for (guint i = 0; i < r->answers->len; i++)
      seen += out_of_order (r, r->answers->pdata[i], &beyond) != NULL;
    g_autofree char *met = seen > 0 ? g_strdup_printf (", as the search met in %u of the trials", seen) : g_strdup ("");

    return g_strdup_printf ("Near the border a node more can hold less%s: it changes the order of packing. A trial's answer is a size that holds while the next "
                            "smaller one does not; how far the trials lie apart tells how much such luck weighs.", met);
  }
  const SimPlanAnswer *first = r->answers->len > 0 ? r->answers->pdata[0] : NULL;

  point = first != NULL && first->mix == NULL ? out_of_order (r, first, &beyond) : NULL;
  if (point == NULL)
    return NULL;
  g_autofree char *good = sim_plan_step_text (r, (gint64) llround (point->x / r->unit)), *bad = sim_plan_step_text (r, (gint64) llround (beyond->x / r->unit));

  return g_strdup_printf ("The curve turns back: %s keeps the promise and %s breaks it. The answer is one border among several; look at the points beside it.", good, bad);
}

char *
sim_plan_report_text (const SimPlanReport *r)
{
  GString *out = g_string_new (r->question);
  const SimPlanAnswer *first = r->answers->pdata[0];

  g_string_append_c (out, '\n');
  if (r->trials) {
    g_autoptr (GArray) all = sim_plan_borders (r, 0);

    if (!sim_plan_report_found (r)) {
      g_string_append (out, "not even four times the whole cell holds them in every trial\n");
      return g_string_free (out, FALSE);
    }
    gint64 p90 = sim_plan_percentile (all, 0.9);

    g_string_append_printf (out, "%" G_GINT64_FORMAT " of %u nodes (%.1f %%): 90th percentile of %u trials, %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT "\n", p90,
                            r->whole, 100.0 * (double) p90 / r->whole, all->len, sim_plan_percentile (all, 0), sim_plan_percentile (all, 1));
    for (guint i = 0; i < r->answers->len; i++)
      g_string_append_printf (out, "%s%" G_GINT64_FORMAT, i == 0 ? "trials: " : ", ", ((const SimPlanAnswer *) r->answers->pdata[i])->border);
    g_autofree char *caution = sim_plan_caution (r);

    g_string_append_printf (out, "\n%s\n", caution);
    return g_string_free (out, FALSE);
  }
  if (!first->found) {
    const SimPoint *last = first->points->len > 0 ? &g_array_index (first->points, SimPoint, r->less_helps ? 0 : first->points->len - 1) : NULL;

    g_string_append_printf (out, "none: %s\n", last != NULL && last->broken != NULL ? last->broken : "no setting keeps it");
  } else if (first->mix != NULL) {
    append_mix (out, r, first);
  } else {
    g_autofree char *x = sim_plan_step_text (r, first->border), *beside = sim_plan_neighbour (r, first);

    g_autofree char *caution = sim_plan_caution (r);

    g_string_append_printf (out, "%s\n%s%s%s%s", x, beside != NULL ? beside : "", beside != NULL ? "\n" : "", caution != NULL ? caution : "", caution != NULL ? "\n" : "");
  }
  if (r->answers->len > 1) {
    g_autoptr (GArray) shaken = sim_plan_borders (r, 1);

    if (shaken->len > 0) {
      g_autofree char *low = sim_plan_step_text (r, sim_plan_percentile (shaken, 0)), *high = sim_plan_step_text (r, sim_plan_percentile (shaken, 1));

      g_string_append_printf (out, "%u searches with shaken submissions: %s to %s%s\n", r->answers->len - 1, low, high,
                              shaken->len < r->answers->len - 1 ? ", some without an answer" : "");
    }
  }
  if (first->points->len > 0)
    append_curve (out, r, first);
  return g_string_free (out, FALSE);
}

/* ---- JSON ---------------------------------------------------------------------------------------- */

static void
json_answer (RpJson *j, const SimPlanReport *r, const SimPlanAnswer *a)
{
  g_autoptr (GPtrArray) names = sim_plan_columns (r);

  rp_json_begin_object (j, NULL);
  rp_json_double (j, "answer", a->found ? (double) a->border * r->unit : (double) NAN);
  if (a->mix != NULL) {
    rp_json_begin_object (j, "mix");
    for (guint i = 0; i < r->kinds->len; i++)
      rp_json_uint (j, r->kinds->pdata[i], (guint64) a->mix[i]);
    rp_json_end_object (j);
    rp_json_double (j, "cost", a->cost);
  }
  rp_json_begin_array (j, "curve");
  for (guint i = 0; i < a->points->len; i++) {
    const SimPoint *p = &g_array_index (a->points, SimPoint, i);

    rp_json_begin_object (j, NULL);
    rp_json_double (j, "x", p->x);
    rp_json_text (j, "promise", p->good ? "kept" : "broken");
    for (guint c = 0; c < names->len; c++) {
      const RpMetric *m = rp_metrics_find (p->metrics, names->pdata[c]);

      rp_json_double (j, names->pdata[c], m != NULL ? m->value : (double) NAN);
    }
    rp_json_end_object (j);
  }
  rp_json_end_array (j);
  rp_json_end_object (j);
}

char *
sim_plan_report_json (const SimPlanReport *r)
{
  g_autoptr (GArray) all = sim_plan_borders (r, r->trials ? 0 : MIN (1, r->answers->len - 1));
  const SimPlanAnswer *first = r->answers->pdata[0];
  gsize length;
  RpJson j;

  rp_json_init (&j);
  rp_json_text (&j, "question", r->question);
  rp_json_text (&j, "x", r->x_name);
  rp_json_double (&j, "answer", !sim_plan_report_found (r) ? (double) NAN : r->trials ? (double) sim_plan_percentile (all, 0.9) : (double) first->border * r->unit);
  rp_json_double (&j, "low", all->len > 0 ? (double) sim_plan_percentile (all, 0) * r->unit : (double) NAN);
  rp_json_double (&j, "high", all->len > 0 ? (double) sim_plan_percentile (all, 1) * r->unit : (double) NAN);
  rp_json_begin_array (&j, "searches");
  for (guint i = 0; i < r->answers->len; i++)
    json_answer (&j, r, r->answers->pdata[i]);
  rp_json_end_array (&j);
  return rp_json_finish (&j, &length);
}

/* ---- fit ----------------------------------------------------------------------------------------- */

void
sim_fit_clear (SimFit *f)
{
  for (guint i = 0; f->ends != NULL && i < f->ends->len; i++)
    g_free (g_array_index (f->ends, SimFitEnd, i).what);
  g_clear_pointer (&f->ends, g_array_unref);
  g_clear_pointer (&f->starts, g_array_unref);
  *f = (SimFit){ 0 };
}

void
sim_fit_start (SimFit *f, SimTime start)
{
  if (f->starts == NULL)
    f->starts = g_array_new (FALSE, FALSE, sizeof (SimTime));
  g_array_append_val (f->starts, start);
}

void
sim_fit_count (SimFit *f, const char *what, gboolean waits)
{
  if (f->ends == NULL)
    f->ends = g_array_new (FALSE, FALSE, sizeof (SimFitEnd));
  for (guint i = 0; i < f->ends->len; i++) {
    SimFitEnd *e = &g_array_index (f->ends, SimFitEnd, i);

    if (e->waits == waits && strcmp (e->what, what) == 0) {
      e->n++;
      return;
    }
  }
  SimFitEnd e = { g_strdup (what), waits, 1 };

  g_array_append_val (f->ends, e);
}

char *
sim_fit_text (const SimFit *f, SimTime at, SimTime within)
{
  GString *out = g_string_new (NULL);
  g_autofree char *when = rp_span ((double) at / 1e6), *span = rp_span ((double) within / 1e6);

  g_string_append_printf (out, "%u copies fit at %s (start within %s)", f->now, when, span);
  if (f->now == f->jobs)
    g_string_append (out, ", and no more were tried (--max-copies)");
  g_string_append_printf (out, "\nof %u that came: %u start at once, %u later, %u never\n", f->jobs, f->now, f->later, f->never);
  for (guint i = 0; f->ends != NULL && i < f->ends->len; i++) {
    const SimFitEnd *e = &g_array_index (f->ends, SimFitEnd, i);

    g_string_append_printf (out, "  %u %s %s\n", e->n, e->waits ? "wait:" : "end as", e->what);
  }
  return g_string_free (out, FALSE);
}

char *
sim_fit_json (const SimFit *f, SimTime at, SimTime within)
{
  gsize length;
  RpJson j;

  rp_json_init (&j);
  rp_json_time (&j, "at_s", at);
  rp_json_time (&j, "within_s", within);
  rp_json_uint (&j, "copies", f->jobs);
  rp_json_uint (&j, "fit", f->now);
  rp_json_uint (&j, "later", f->later);
  rp_json_uint (&j, "never", f->never);
  rp_json_begin_array (&j, "ends");
  for (guint i = 0; f->ends != NULL && i < f->ends->len; i++) {
    const SimFitEnd *e = &g_array_index (f->ends, SimFitEnd, i);

    rp_json_begin_object (&j, NULL);
    rp_json_text (&j, e->waits ? "reason" : "phase", e->what);
    rp_json_uint (&j, "jobs", e->n);
    rp_json_end_object (&j);
  }
  rp_json_end_array (&j);
  return rp_json_finish (&j, &length);
}
