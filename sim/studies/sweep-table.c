#include "sweep-table.h"
#include "results-read.h"
#include "core/base/json.h"
#include "reports/csv-writer.h"
#include <string.h>

typedef struct { const char *column, *path; } Figure; /* path: members of summary.json, "/" between them */

static const Figure figures[] = {
  { "jobs", "jobs/number" },
  { "started", "jobs/started" },
  { "finished", "jobs/finished" },
  { "stuck", "stuck/jobs" },
  { "evictions", "evictions" },
  { "end_s", "end_s" },
  { "makespan_s", "makespan_s" },
  { "wait_mean_s", "overall/wait_s/mean" },
  { "wait_p50_s", "overall/wait_s/p50" },
  { "wait_p90_s", "overall/wait_s/p90" },
  { "wait_p95_s", "overall/wait_s/p95" },
  { "wait_p99_s", "overall/wait_s/p99" },
  { "wait_max_s", "overall/wait_s/max" },
  { "response_mean_s", "overall/response_s/mean" },
  { "bounded_slowdown_mean", "overall/bounded_slowdown/mean" },
  { "bounded_slowdown_p95", "overall/bounded_slowdown/p95" },
  { "jain", "fairness/jain" },
};
static const char *const families[] = { "utilisation", "goodput" }; /* one column per resource each */

struct SimSweepTable {
  const SimGrid *grid;
  VcArena *arena;
  GArray *rows;         /* const VcJson *: the summaries, NULL for none */
  GPtrArray *resources; /* const char *: of all runs, in order of appearance */
};

SimSweepTable *
sim_sweep_table_new (const SimGrid *grid)
{
  SimSweepTable *t = g_new0 (SimSweepTable, 1);

  t->grid = grid;
  t->arena = vc_arena_new ();
  t->rows = g_array_new (FALSE, TRUE, sizeof (const VcJson *));
  t->resources = g_ptr_array_new ();
  return t;
}

void
sim_sweep_table_free (SimSweepTable *t)
{
  if (t == NULL)
    return;
  g_array_unref (t->rows);
  g_ptr_array_unref (t->resources);
  vc_arena_free (t->arena);
  g_free (t);
}

gboolean
sim_sweep_table_add (SimSweepTable *t, guint index, const char *dir, GError **error)
{
  const VcJson *doc = sim_summary_read (dir, t->arena, NULL, error);

  if (doc == NULL)
    return FALSE;
  g_array_set_size (t->rows, index + 1);
  g_array_index (t->rows, const VcJson *, index) = doc;
  const VcJson *used = vc_json_get (doc, "utilisation");

  for (const VcJson *r = used != NULL ? used->child : NULL; r != NULL; r = r->next) {
    guint k = 0;

    while (k < t->resources->len && strcmp (t->resources->pdata[k], r->key) != 0)
      k++;
    if (k == t->resources->len)
      g_ptr_array_add (t->resources, (gpointer) r->key);
  }
  return TRUE;
}

/* The number as summary.json writes it; nothing for null. */
static void
write_number (RpCsv *w, const VcJson *v)
{
  rp_csv_text (w, v != NULL && v->kind == VC_JSON_NUMBER ? v->text : NULL);
}

const SimGrid *
sim_sweep_table_grid (const SimSweepTable *t)
{
  return t->grid;
}

const VcJson *
sim_sweep_table_summary (const SimSweepTable *t, guint index)
{
  return index < t->rows->len ? g_array_index (t->rows, const VcJson *, index) : NULL;
}

const VcJson *
sim_summary_figure (const VcJson *doc, const char *path)
{
  g_auto (GStrv) step = g_strsplit (path, "/", -1);

  for (guint i = 0; step[i] != NULL; i++)
    doc = vc_json_get (doc, step[i]);
  return doc;
}

static void
write_header (RpCsv *w, const SimSweepTable *t)
{
  rp_csv_text (w, "run");
  for (guint k = 0; k < t->grid->axes->len; k++)
    rp_csv_text (w, ((const SimAxis *) t->grid->axes->pdata[k])->key);
  for (guint i = 0; i < G_N_ELEMENTS (figures); i++)
    rp_csv_text (w, figures[i].column);
  for (guint f = 0; f < G_N_ELEMENTS (families); f++)
    for (guint r = 0; r < t->resources->len; r++) {
      g_autofree char *name = g_strconcat (families[f], "/", t->resources->pdata[r], NULL);

      rp_csv_text (w, name);
    }
  rp_csv_end_row (w);
}

static void
write_row (RpCsv *w, const SimSweepTable *t, guint run)
{
  const VcJson *doc = g_array_index (t->rows, const VcJson *, run);

  rp_csv_int (w, run);
  for (guint k = 0; k < t->grid->axes->len; k++)
    rp_csv_text (w, sim_grid_value (t->grid, run, k));
  for (guint f = 0; f < G_N_ELEMENTS (figures); f++)
    write_number (w, sim_summary_figure (doc, figures[f].path));
  for (guint f = 0; f < G_N_ELEMENTS (families); f++)
    for (guint r = 0; r < t->resources->len; r++) /* names of resources have slashes themselves */
      write_number (w, vc_json_get (vc_json_get (doc, families[f]), t->resources->pdata[r]));
  rp_csv_end_row (w);
}

gboolean
sim_sweep_table_write (const SimSweepTable *t, const char *path, GError **error)
{
  guint columns = 1 + t->grid->axes->len + (guint) G_N_ELEMENTS (figures) + (guint) G_N_ELEMENTS (families) * t->resources->len;
  g_autoptr (RpCsv) w = rp_csv_open_over (path, columns, error);

  if (w == NULL)
    return FALSE;
  write_header (w, t);
  for (guint i = 0; i < t->rows->len; i++)
    write_row (w, t, i);
  return rp_csv_close (w, error);
}
