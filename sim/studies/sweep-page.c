#include "sweep-page.h"
#include "reports/pages/page.h"
#include "reports/results/metrics.h"
#include "reports/words.h"
#include "sim/run.h"
#include <math.h>
#include <string.h>

#define ROWS_SHOWN 1000u /* a browser takes more, a reader does not */

typedef struct { const char *title, *path; RpUnit unit; } Column; /* path: as in runs.csv */

static const Column columns[] = {
  { "jobs", "jobs/number", RP_UNIT_NUMBER },
  { "never started", "stuck/jobs", RP_UNIT_NUMBER },
  { "mean wait", "overall/wait_s/mean", RP_UNIT_SECONDS },
  { "p95 wait", "overall/wait_s/p95", RP_UNIT_SECONDS },
  { "longest", "overall/wait_s/max", RP_UNIT_SECONDS },
  { "mean slowdown", "overall/bounded_slowdown/mean", RP_UNIT_NUMBER },
  { "evictions", "evictions", RP_UNIT_NUMBER },
  { "makespan", "makespan_s", RP_UNIT_SECONDS },
};

static void
append_row (GString *out, const SimGrid *grid, guint run, const VcJson *doc)
{
  g_autoptr (GPtrArray) cell = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_add (cell, g_strdup_printf ("%u", run));
  for (guint k = 0; k < grid->axes->len; k++)
    g_ptr_array_add (cell, g_strdup (sim_grid_value (grid, run, k)));
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++) {
    const VcJson *v = doc != NULL ? sim_summary_figure (doc, columns[i].path) : NULL;
    double x = (double) NAN;

    if (v != NULL && v->kind == VC_JSON_NUMBER)
      vc_json_as_double (v, &x, NULL);
    g_ptr_array_add (cell, doc == NULL ? g_strdup (i == 0 ? "missing" : "") : rp_metric_text (columns[i].unit, x));
  }
  rp_page_row (out, (const char *const *) cell->pdata, cell->len);
}

static void
append_runs (GString *out, const SimSweepTable *t, const SimGrid *grid)
{
  g_autoptr (GPtrArray) head = g_ptr_array_new ();

  g_ptr_array_add (head, (gpointer) "run");
  for (guint k = 0; k < grid->axes->len; k++)
    g_ptr_array_add (head, ((SimAxis *) grid->axes->pdata[k])->key);
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    g_ptr_array_add (head, (gpointer) columns[i].title);
  rp_page_heading (out, 2, "Runs");
  rp_page_table_begin (out, (const char *const *) head->pdata, head->len, "");
  for (guint i = 0; i < MIN (grid->n, ROWS_SHOWN); i++)
    append_row (out, grid, i, sim_sweep_table_summary (t, i));
  rp_page_table_end (out);
  if (grid->n > ROWS_SHOWN) {
    g_autofree char *rest = rp_number (grid->n - ROWS_SHOWN), *words = g_strdup_printf ("%s runs more in runs.csv.", rest);

    rp_page_paragraph (out, words);
  }
}

/* The grid itself, then what the runs have read. */
static void
append_inputs (GString *out, const SimSweepTable *t, const SimGrid *grid)
{
  g_autoptr (GPtrArray) name = g_ptr_array_new_with_free_func (g_free), digest = g_ptr_array_new_with_free_func (g_free), docs = g_ptr_array_new ();

  sim_run_input (grid->source, name, digest);
  for (guint i = 0; i < grid->n; i++)
    if (sim_sweep_table_summary (t, i) != NULL)
      g_ptr_array_add (docs, (gpointer) sim_sweep_table_summary (t, i));
  rp_page_inputs (out, (const char *const *) name->pdata, (const char *const *) digest->pdata, name->len, (const VcJson *const *) docs->pdata, docs->len);
}

char *
sim_sweep_page (const SimSweepTable *t, const char *command)
{
  const SimGrid *grid = sim_sweep_table_grid (t);
  g_autofree char *all = rp_number (grid->n), *name = g_path_get_basename (grid->source), *title = g_strdup_printf ("Sweep %s", name);
  guint missing = 0;
  GString *out = rp_page_begin (title);

  for (guint i = 0; i < grid->n; i++)
    missing += sim_sweep_table_summary (t, i) == NULL;
  g_autofree char *lost = rp_number (missing);

  rp_page_facts_begin (out);
  rp_page_fact (out, "runs", all);
  if (missing > 0)
    rp_page_fact (out, "failed or missing", lost);
  for (guint k = 0; k < grid->axes->len; k++) {
    const SimAxis *a = grid->axes->pdata[k];
    g_autofree char *n = rp_number (a->values->len), *what = g_strdup_printf ("values of %s", a->key);

    rp_page_fact (out, what, n);
  }
  rp_page_facts_end (out);
  append_runs (out, t, grid);
  append_inputs (out, t, grid);
  rp_page_fidelity (out);
  rp_page_again (out, command, VOLSIM_VERSION, "runs.csv beside this page holds every figure, runs/ the results of each.");
  return rp_page_end (out);
}
