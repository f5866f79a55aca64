#include "sweep-table.h"
#include "core/base/json.h"
#include "cycle.h"
#include "workloads/native.h"
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
  g_autofree char *path = g_build_filename (dir, "summary.json", NULL);
  gsize len = 0;
  g_autofree char *text = wl_read_file (path, 256u << 20, &len, error);
  const VcJson *doc = text != NULL ? vc_json_parse_all (text, len, t->arena, error) : NULL;

  if (doc == NULL) {
    if (text != NULL)
      g_prefix_error (error, "%s: ", path);
    return FALSE;
  }
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

static void
append_text (GString *out, const char *text)
{
  if (strpbrk (text, ",\"\r\n") == NULL) {
    g_string_append (out, text);
    return;
  }
  g_string_append_c (out, '"');
  for (; *text != '\0'; text++) {
    if (*text == '"')
      g_string_append_c (out, '"');
    g_string_append_c (out, *text);
  }
  g_string_append_c (out, '"');
}

/* The number as summary.json writes it; nothing for null. */
static void
append_figure (GString *out, const VcJson *doc, const char *path)
{
  g_auto (GStrv) step = g_strsplit (path, "/", -1);

  for (guint i = 0; step[i] != NULL; i++)
    doc = vc_json_get (doc, step[i]);
  g_string_append_c (out, ',');
  if (doc != NULL && doc->kind == VC_JSON_NUMBER)
    g_string_append (out, doc->text);
}

/* Names of resources have slashes themselves. */
static void
append_of_resource (GString *out, const VcJson *doc, const char *family, const char *resource)
{
  const VcJson *v = vc_json_get (vc_json_get (doc, family), resource);

  g_string_append_c (out, ',');
  if (v != NULL && v->kind == VC_JSON_NUMBER)
    g_string_append (out, v->text);
}

gboolean
sim_sweep_table_write (const SimSweepTable *t, const char *path, GError **error)
{
  g_autoptr (GString) out = g_string_new ("run");

  for (guint k = 0; k < t->grid->axes->len; k++) {
    g_string_append_c (out, ',');
    append_text (out, ((const SimAxis *) t->grid->axes->pdata[k])->key);
  }
  for (guint i = 0; i < G_N_ELEMENTS (figures); i++)
    g_string_append_printf (out, ",%s", figures[i].column);
  for (guint f = 0; f < G_N_ELEMENTS (families); f++)
    for (guint r = 0; r < t->resources->len; r++)
      g_string_append_printf (out, ",%s/%s", families[f], (const char *) t->resources->pdata[r]);
  g_string_append_c (out, '\n');
  for (guint i = 0; i < t->rows->len; i++) {
    const VcJson *doc = g_array_index (t->rows, const VcJson *, i);

    g_string_append_printf (out, "%u", i);
    for (guint k = 0; k < t->grid->axes->len; k++) {
      g_string_append_c (out, ',');
      append_text (out, sim_grid_value (t->grid, i, k));
    }
    for (guint f = 0; f < G_N_ELEMENTS (figures); f++)
      append_figure (out, doc, figures[f].path);
    for (guint f = 0; f < G_N_ELEMENTS (families); f++)
      for (guint r = 0; r < t->resources->len; r++)
        append_of_resource (out, doc, families[f], t->resources->pdata[r]);
    g_string_append_c (out, '\n');
  }
  if (g_file_set_contents (path, out->str, (gssize) out->len, error)) /* writes beside it and renames */
    return TRUE;
  g_autofree char *why = g_strdup ((*error)->message);

  g_clear_error (error);
  g_set_error (error, SIM_ERROR, SIM_ERROR_FAILED, "%s", why);
  return FALSE;
}
