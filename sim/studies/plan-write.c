#include "plan-write.h"
#include "reports/charts/plan-chart.h"
#include "reports/csv-writer.h"
#include "reports/folder.h"
#include "reports/pages/page.h"
#include "reports/words.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- table --------------------------------------------------------------------------------------- */

static gboolean
write_csv (const SimPlanReport *r, const char *dir, GError **error)
{
  g_autofree char *path = g_build_filename (dir, "plan.csv", NULL);
  g_autoptr (GPtrArray) names = sim_plan_columns (r);
  g_autoptr (RpCsv) w = rp_csv_open_over (path, 3 + names->len, error);

  if (w == NULL)
    return FALSE;
  rp_csv_text (w, "search");
  rp_csv_text (w, "x");
  rp_csv_text (w, "promise");
  for (guint c = 0; c < names->len; c++)
    rp_csv_text (w, names->pdata[c]);
  rp_csv_end_row (w);
  for (guint i = 0; i < r->answers->len; i++) {
    const SimPlanAnswer *a = r->answers->pdata[i];

    for (guint k = 0; k < a->points->len; k++) {
      const SimPoint *p = &g_array_index (a->points, SimPoint, k);
      g_autofree char *x = sim_plan_step_text (r, (gint64) llround (p->x / r->unit));

      rp_csv_int (w, i);
      rp_csv_text (w, x);
      rp_csv_text (w, p->good ? "kept" : "broken");
      for (guint c = 0; c < names->len; c++) {
        const RpMetric *m = rp_metrics_find (p->metrics, names->pdata[c]);

        rp_csv_double (w, m != NULL ? m->value : (double) NAN);
      }
      rp_csv_end_row (w);
    }
  }
  return rp_csv_close (w, error);
}

/* ---- chart --------------------------------------------------------------------------------------- */

/* The figure of the promise over the setting. */
static gboolean
draw_curve (const SimPlanReport *r, const char *dir, char **warning, GError **error)
{
  const SimPlanAnswer *a = r->answers->pdata[0];
  g_autoptr (GPtrArray) names = sim_plan_columns (r);
  g_autofree RpPlanPoint *point = g_new (RpPlanPoint, a->points->len + 1);
  RpUnit unit = RP_UNIT_NUMBER;

  for (guint i = 0; i < a->points->len; i++) {
    const SimPoint *p = &g_array_index (a->points, SimPoint, i);
    const RpMetric *m = rp_metrics_find (p->metrics, names->pdata[0]);

    unit = m != NULL ? m->unit : unit;
    point[i] = (RpPlanPoint){ p->x, m != NULL ? m->value : (double) NAN, p->good };
  }
  double scale = unit == RP_UNIT_SECONDS ? 3600 : 1;
  g_autofree char *y = g_strdup_printf ("%s%s", (const char *) names->pdata[0], unit == RP_UNIT_SECONDS ? " (hours)" : "");
  double limit = r->conditions != NULL && r->conditions->len > 0 ? rp_threshold_limit (r->conditions->pdata[0]) : (double) NAN;

  for (guint i = 0; i < a->points->len; i++)
    point[i].y /= scale;
  RpPlanChart chart = { .title = r->question,
                        .subtitle = "each point is a whole replay",
                        .x_label = r->x_name,
                        .y_label = y,
                        .point = point,
                        .n = a->points->len,
                        .limit = limit / scale,
                        .border = a->found ? (double) a->border * r->unit : (double) NAN };

  return a->points->len == 0 || rp_plan_chart_draw (&chart, dir, "plan", warning, error); /* a mix has no curve */
}

/* Which share of the trials does with how many nodes. */
static gboolean
draw_trials (const SimPlanReport *r, const char *dir, char **warning, GError **error)
{
  g_autoptr (GArray) all = sim_plan_borders (r, 0);
  g_autofree RpPlanPoint *point = g_new (RpPlanPoint, all->len + 1);

  if (all->len == 0)
    return TRUE;
  for (guint i = 0; i < all->len; i++)
    point[i] = (RpPlanPoint){ (double) g_array_index (all, gint64, i), 100.0 * (i + 1) / all->len, TRUE };
  RpPlanChart chart = { .title = r->question,
                        .subtitle = "each point is a trial: the smallest cell that still holds the jobs, by the order in which nodes are taken away",
                        .x_label = r->x_name,
                        .y_label = "trials that need no more (%)",
                        .point = point,
                        .n = all->len,
                        .limit = (double) NAN,
                        .border = sim_plan_report_found (r) ? (double) sim_plan_percentile (all, 0.9) : (double) NAN,
                        .trials = TRUE };

  return rp_plan_chart_draw (&chart, dir, "plan", warning, error);
}

static void
warn (const char *warning)
{
  if (warning != NULL)
    fprintf (stderr, "volsim: warning: %s\n", warning);
}

/* ---- page ---------------------------------------------------------------------------------------- */

static void
append_conditions (GString *out, const SimPlanReport *r)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; r->conditions != NULL && i < r->conditions->len; i++)
    g_string_append_printf (text, "%s\n", rp_threshold_text (r->conditions->pdata[i]));
  if (!r->allow_stuck)
    g_string_append (text, "every job starts\n");
  rp_page_heading (out, 2, "The promise");
  rp_page_pre (out, text->str);
}

static void
append_curve (GString *out, const SimPlanReport *r, const SimPlanAnswer *a)
{
  g_autoptr (GPtrArray) names = sim_plan_columns (r), head = g_ptr_array_new ();
  char columns[] = { (char) ('2' + names->len), (char) ('3' + names->len), '\0' }; /* the promise, and what breaks it */

  g_ptr_array_add (head, r->x_name);
  for (guint c = 0; c < names->len; c++)
    g_ptr_array_add (head, names->pdata[c]);
  g_ptr_array_add (head, (gpointer) "promise");
  g_ptr_array_add (head, (gpointer) "what breaks it");
  rp_page_table_begin (out, (const char *const *) head->pdata, head->len, names->len <= 3 ? columns : "");
  for (guint i = 0; i < a->points->len; i++) {
    const SimPoint *p = &g_array_index (a->points, SimPoint, i);
    g_autoptr (GPtrArray) cell = g_ptr_array_new_with_free_func (g_free);

    g_ptr_array_add (cell, sim_plan_step_text (r, (gint64) llround (p->x / r->unit)));
    for (guint c = 0; c < names->len; c++) {
      const RpMetric *m = rp_metrics_find (p->metrics, names->pdata[c]);

      g_ptr_array_add (cell, m != NULL ? rp_metric_text (m->unit, m->value) : g_strdup ("–"));
    }
    g_ptr_array_add (cell, g_strdup (p->good ? "kept" : "broken"));
    g_ptr_array_add (cell, g_strdup (p->broken != NULL ? p->broken : ""));
    rp_page_row (out, (const char *const *) cell->pdata, cell->len);
  }
  rp_page_table_end (out);
}

/* One line a search: the scenario as it is and shaken, or the trials. */
static void
append_searches (GString *out, const SimPlanReport *r)
{
  const char *const head[] = { r->trials ? "trial" : "search", r->x_name, "runs" };

  rp_page_heading (out, 2, r->trials ? "Trials" : "Searches");
  rp_page_table_begin (out, head, G_N_ELEMENTS (head), "");
  for (guint i = 0; i < r->answers->len; i++) {
    const SimPlanAnswer *a = r->answers->pdata[i];
    g_autofree char *name = r->trials ? g_strdup_printf ("%u", i + 1) : i == 0 ? g_strdup ("as the scenario says") : g_strdup_printf ("shaken, seed %u", i);
    g_autofree char *answer = a->found ? sim_plan_step_text (r, a->border) : g_strdup ("none"), *runs = g_strdup_printf ("%u", MAX (a->points->len, a->runs));
    const char *const cell[] = { name, answer, runs };

    rp_page_row (out, cell, G_N_ELEMENTS (cell));
  }
  rp_page_table_end (out);
}

static void
append_mix (GString *out, const SimPlanReport *r, const SimPlanAnswer *a)
{
  static const char *const head[] = { "kind of node", "number" };

  rp_page_heading (out, 2, "The cheapest mix");
  rp_page_table_begin (out, head, G_N_ELEMENTS (head), "");
  for (guint i = 0; i < r->kinds->len; i++) {
    g_autofree char *n = g_strdup_printf ("%" G_GINT64_FORMAT, a->mix[i]);
    const char *const cell[] = { r->kinds->pdata[i], n };

    rp_page_row (out, cell, G_N_ELEMENTS (cell));
  }
  rp_page_table_end (out);
}

static void
append_facts (GString *out, const SimPlanReport *r)
{
  const SimPlanAnswer *first = r->answers->pdata[0];
  g_autoptr (GArray) all = sim_plan_borders (r, r->trials ? 0 : 1);
  gboolean found = sim_plan_report_found (r);
  guint runs = 0;

  for (guint i = 0; i < r->answers->len; i++)
    runs += MAX (((const SimPlanAnswer *) r->answers->pdata[i])->points->len, ((const SimPlanAnswer *) r->answers->pdata[i])->runs);
  g_autofree char *answer = !found ? g_strdup ("none") : r->trials ? sim_plan_step_text (r, sim_plan_percentile (all, 0.9)) : sim_plan_step_text (r, first->border);
  g_autofree char *number = g_strdup_printf ("%u", runs);

  rp_page_facts_begin (out);
  if (first->mix == NULL)
    rp_page_fact (out, r->trials ? "nodes, 90th percentile of the trials" : r->x_name, answer);
  if (first->mix != NULL) {
    g_autofree char *cost = found ? g_strdup_printf ("%.10g", first->cost) : g_strdup ("none");

    rp_page_fact (out, "price of the cheapest mix", cost);
  }
  if (r->trials) {
    g_autofree char *whole = g_strdup_printf ("%u", r->whole), *share = found ? g_strdup_printf ("%.1f %%", 100.0 * (double) sim_plan_percentile (all, 0.9) / r->whole) : NULL;

    if (share != NULL)
      rp_page_fact (out, "of the whole cell", share);
    rp_page_fact (out, "nodes of the whole cell", whole);
  }
  if (all->len > 0) {
    g_autofree char *low = sim_plan_step_text (r, sim_plan_percentile (all, 0)), *high = sim_plan_step_text (r, sim_plan_percentile (all, 1));
    g_autofree char *range = g_strdup_printf ("%s to %s", low, high);

    rp_page_fact (out, r->trials ? "range of the trials" : "with shaken submissions", range);
  }
  rp_page_fact (out, "whole replays", number);
  rp_page_facts_end (out);
  g_autofree char *beside = found && !r->trials && first->mix == NULL ? sim_plan_neighbour (r, first) : NULL;

  if (beside != NULL)
    rp_page_paragraph (out, beside);
  g_autofree char *caution = found ? sim_plan_caution (r) : NULL;

  if (caution != NULL)
    rp_page_paragraph (out, caution);
  if (r->trials && found && sim_plan_percentile (all, 0.9) > r->whole)
    rp_page_paragraph (out, "More than the cell has: packed in other orders its jobs need more nodes, which are clones of its own.");
}

static void
append_origin (GString *out, const SimPlanOrigin *o, const char *rest)
{
  if (o->configuration != NULL) {
    rp_page_heading (out, 2, "Scheduler configuration");
    rp_page_pre (out, o->configuration);
  }
  rp_page_inputs (out, (const char *const *) o->input->pdata, (const char *const *) o->digest->pdata, o->input->len, NULL, 0);
  rp_page_fidelity (out);
  rp_page_again (out, o->command, VOLSIM_VERSION, rest);
}

static void
append_chart (GString *out, const char *dir, const char *caption)
{
  RpPageChart chart = { "plan", caption };

  rp_page_charts (out, dir, &chart, 1, "Chart");
}

static char *
report_page (const SimPlanReport *r, const SimPlanOrigin *o, const char *dir)
{
  const SimPlanAnswer *first = r->answers->pdata[0];
  GString *out = rp_page_begin (o->title != NULL ? o->title : r->question);

  if (o->title != NULL)
    rp_page_paragraph (out, r->question);
  append_facts (out, r);
  append_conditions (out, r);
  if (first->mix != NULL && first->found)
    append_mix (out, r, first);
  append_chart (out, dir, r->trials ? "Which share of the trials does with how many nodes. Between the first and the last step the order of packing decides." : "Each point is a whole replay; the search goes on between the last that keeps the promise and the first that breaks it.");
  if (!r->trials && first->points->len > 0) {
    rp_page_heading (out, 2, "The curve");
    append_curve (out, r, first);
  }
  if (r->answers->len > 1)
    append_searches (out, r);
  append_origin (out, o, "plan.json and plan.csv beside this page hold every point.");
  return rp_page_end (out);
}

/* ---- files --------------------------------------------------------------------------------------- */

/* The files of one answer; an old chart must not stand beside a new table. */
static gboolean
write_text (const char *dir, const char *name, const char *text, GError **error)
{
  g_autofree char *path = g_build_filename (dir, name, NULL);

  return rp_file_write (path, text, strlen (text), error);
}

static void
remove_old (const char *dir)
{
  static const char *const files[] = { "plan.json", "plan.csv", "plan.svg", "plan.png", "report.html" };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *path = g_build_filename (dir, files[i], NULL);

    rp_folder_remove (path);
  }
}

gboolean
sim_plan_report_write (const SimPlanReport *r, const SimPlanOrigin *o, const char *dir, GError **error)
{
  g_autofree char *json = sim_plan_report_json (r), *warning = NULL;

  remove_old (dir);
  if (!write_csv (r, dir, error) || !write_text (dir, "plan.json", json, error) ||
      !(r->trials ? draw_trials (r, dir, &warning, error) : draw_curve (r, dir, &warning, error)))
    return FALSE;
  warn (warning);
  g_autofree char *page = report_page (r, o, dir);

  return write_text (dir, "report.html", page, error);
}

/* ---- fit ----------------------------------------------------------------------------------------- */

static char *
fit_page (const SimFit *f, const char *question, const SimPlanOrigin *o, const char *dir)
{
  static const char *const head[] = { "what became of them", "copies" };
  GString *out = rp_page_begin (o->title != NULL ? o->title : question);
  const struct { const char *what; guint n; } facts[] = { { "fit", f->now }, { "start later", f->later }, { "never start", f->never }, { "copies that came", f->jobs } };

  if (o->title != NULL)
    rp_page_paragraph (out, question);
  rp_page_facts_begin (out);
  for (guint i = 0; i < G_N_ELEMENTS (facts); i++) {
    g_autofree char *n = rp_number (facts[i].n);

    rp_page_fact (out, facts[i].what, n);
  }
  rp_page_facts_end (out);
  append_chart (out, dir, "How many of the copies have started by when.");
  rp_page_heading (out, 2, "How they end");
  rp_page_table_begin (out, head, G_N_ELEMENTS (head), "");
  for (guint i = 0; f->ends != NULL && i < f->ends->len; i++) {
    const SimFitEnd *e = &g_array_index (f->ends, SimFitEnd, i);
    g_autofree char *what = g_strdup_printf ("%s %s", e->waits ? "wait:" : "end as", e->what), *n = rp_number (e->n);
    const char *const cell[] = { what, n };

    rp_page_row (out, cell, G_N_ELEMENTS (cell));
  }
  rp_page_table_end (out);
  append_origin (out, o, "plan.json beside this page holds the same figures.");
  return rp_page_end (out);
}

gboolean
sim_fit_write (const SimFit *f, SimTime at, SimTime within, const SimPlanOrigin *o, const char *dir, GError **error)
{
  g_autofree char *json = sim_fit_json (f, at, within), *warning = NULL, *when = rp_span ((double) at / 1e6), *span = rp_span ((double) within / 1e6);
  g_autofree char *question = g_strdup_printf ("How many more copies fit at %s?", when), *subtitle = g_strdup_printf ("a copy fits when it starts within %s", span);

  remove_old (dir);
  if (!write_text (dir, "plan.json", json, error) ||
      (f->starts != NULL && f->starts->len > 0 &&
       !rp_fit_chart_draw (question, subtitle, (const gint64 *) (gpointer) f->starts->data, f->starts->len, at, f->end, dir, "plan", &warning, error)))
    return FALSE;
  warn (warning);
  g_autofree char *page = fit_page (f, question, o, dir);

  return write_text (dir, "report.html", page, error);
}
