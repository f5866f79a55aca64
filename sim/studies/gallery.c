#include "gallery.h"
#include "results-read.h"
#include "variant.h"
#include "sim/cycle/cycle.h"
#include "sim/load/scenario.h"
#include "workloads/text/csv-table.h"
#include "workloads/text/parse.h"
#include <string.h>

/* ---- what there is ------------------------------------------------------------------------------ */

typedef struct { RpGalleryEntry *entry; } Row;
enum { C_ENTRY, C_VARIANTS, C_REPORTED, C_SYMPTOM, C_STILL, C_CHANGE, N_COLUMNS };
static const WlColumn columns[N_COLUMNS] = {
  [C_ENTRY] = { "entry", TRUE },   [C_VARIANTS] = { "variants", TRUE }, [C_REPORTED] = { "reported", FALSE },
  [C_SYMPTOM] = { "symptom", TRUE }, [C_STILL] = { "still", FALSE },    [C_CHANGE] = { "change", FALSE },
};

static void
row_clear (gpointer p)
{
  rp_gallery_entry_free (((Row *) p)->entry);
}

/* Names become names of files. */
static gboolean
is_name (const char *text)
{
  for (const char *c = text; *c != '\0'; c++)
    if (!g_ascii_isalnum (*c) && *c != '-')
      return FALSE;
  return *text != '\0';
}

static gboolean
read_row (WlCsv *csv, const int *where, gpointer row, GError **error)
{
  RpGalleryEntry *e = ((Row *) row)->entry = g_new0 (RpGalleryEntry, 1);

  e->runs = g_ptr_array_new_with_free_func (rp_gallery_run_free);
  e->name = g_strdup (wl_csv_cell (csv, where[C_ENTRY]));
  e->reported = g_strdup (wl_csv_cell (csv, where[C_REPORTED]));
  e->symptom = g_strdup (wl_csv_cell (csv, where[C_SYMPTOM]));
  e->still = g_strdup (wl_csv_cell (csv, where[C_STILL]));
  e->change = g_strdup (wl_csv_cell (csv, where[C_CHANGE]));
  if (!is_name (e->name)) {
    g_autofree char *shown = wl_shown (e->name);

    return wl_csv_refuse (csv, where[C_ENTRY], WL_ERROR_VALUE, "an entry", "letters, digits and '-'", shown, error);
  }
  g_auto (GStrv) variant = g_strsplit (wl_csv_cell (csv, where[C_VARIANTS]), " ", -1);

  for (char **v = variant; *v != NULL; v++) {
    RpGalleryRun *r = g_new0 (RpGalleryRun, 1);

    r->variant = g_strdup (*v);
    g_ptr_array_add (e->runs, r);
    if (!is_name (*v)) {
      g_autofree char *shown = wl_shown (*v);

      return wl_csv_refuse (csv, where[C_VARIANTS], WL_ERROR_VALUE, "a variant", "letters, digits and '-', one space between two", shown, error);
    }
  }
  return TRUE;
}

GPtrArray *
sim_gallery_read (const char *dir, GError **error)
{
  g_autofree char *path = g_build_filename (dir, "entries.csv", NULL);
  g_autoptr (GArray) rows = wl_csv_read_rows (path, columns, N_COLUMNS, sizeof (Row), read_row, row_clear, error);

  if (rows == NULL)
    return NULL;
  GPtrArray *entries = g_ptr_array_new_with_free_func (rp_gallery_entry_free);

  for (guint i = 0; i < rows->len; i++)
    g_ptr_array_add (entries, g_steal_pointer (&g_array_index (rows, Row, i).entry));
  return entries;
}

/* ---- running ------------------------------------------------------------------------------------ */

static gboolean
take_file (RpGalleryRun *r, const char *name, const char *path, GError **error)
{
  gsize len = 0;

  if (path == NULL)
    return TRUE;
  RpGalleryFile *f = &r->file[r->n_files++];

  f->name = name;
  f->text = wl_read_file (path, 64u << 20, &len, error);
  return f->text != NULL;
}

static gboolean
run_scenario (RpGalleryRun *r, const char *path, const char *results, const volatile sig_atomic_t *interrupted, GError **error)
{
  g_auto (SimScenario) s = { 0 };
  VcCacheOptions cache;
  VcEngineOptions engine;

  vc_cache_options_init (&cache);
  vc_engine_options_init (&engine);
  sim_scenario_init (&s);
  if (!sim_scenario_read (&s, path, error) || !take_file (r, "volcano-scheduler.conf", s.conf, error) || !take_file (r, "queues.csv", s.queues, error)
      || !take_file (r, "jobs.csv", s.jobs, error) || !take_file (r, "nodes.csv", s.nodes, error))
    return FALSE;
  SimVariant v = { .file = path, .out = results, .cache = &cache, .engine = &engine, .interrupted = interrupted };
  g_autoptr (RpResults) done = sim_variant_run (&v, error);

  if (done == NULL)
    return FALSE;
  r->command = g_strdup_printf ("volsim run %s --out %s", path, results);
  r->data = sim_results_read (results, error);
  r->diagnoses = r->data != NULL ? sim_results_diagnose (r->data, error) : NULL;
  return r->diagnoses != NULL;
}

/* @variant's own file, or the case's. (transfer full) */
static char *
file_or (const char *dir, const char *own, const char *common)
{
  char *path = g_build_filename (dir, own, NULL);

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return path;
  g_free (path);
  return g_build_filename (dir, common, NULL);
}

static gboolean
run_cycle (RpGalleryRun *r, const char *dir, GError **error)
{
  g_autofree char *own_objects = g_strdup_printf ("objects-%s.json", r->variant), *own_conf = g_strdup_printf ("%s.conf", r->variant);
  g_autofree char *objects = file_or (dir, own_objects, "objects.json"), *conf = file_or (dir, own_conf, "volcano-scheduler.conf");
  const char *const files[] = { objects };
  SimCycleInput in;

  sim_cycle_input_init (&in);
  if (!take_file (r, "volcano-scheduler.conf", conf, error))
    return FALSE;
  in.conf_text = r->file[0].text;
  in.conf_len = strlen (in.conf_text);
  in.conf_source = conf;
  in.cycles = 1;
  in.diagnose = TRUE;
  g_autoptr (WlObjects) read = wl_objects_read (files, 1, error);

  if (read == NULL)
    return FALSE;
  r->cycle = sim_cycle_run (read, &in, SIM_FORMAT_TABLE, NULL, error);
  r->command = g_strdup_printf ("volsim cycle %s --conf %s --diagnose", objects, conf);
  return r->cycle != NULL;
}

gboolean
sim_gallery_run (RpGalleryEntry *e, const char *dir, const char *out, const volatile sig_atomic_t *interrupted, GError **error)
{
  g_autofree char *folder = g_build_filename (dir, e->name, NULL);

  for (guint i = 0; i < e->runs->len; i++) {
    RpGalleryRun *r = e->runs->pdata[i];
    g_autofree char *file = g_strconcat (r->variant, ".yaml", NULL), *path = g_build_filename (folder, file, NULL);
    g_autofree char *name = g_strdup_printf ("%s-%s", e->name, r->variant), *results = g_build_filename (out, "results", name, NULL);

    if (g_file_test (path, G_FILE_TEST_EXISTS) ? !run_scenario (r, path, results, interrupted, error) : !run_cycle (r, folder, error))
      return FALSE;
  }
  return TRUE;
}

/* The codes behind DIAGNOSES in what a cycle prints. */
static void
append_codes (GString *out, const char *cycle)
{
  const char *at = strstr (cycle, "\nDIAGNOSES (");
  gboolean any = FALSE;

  for (const char *line = at != NULL ? strchr (at + 1, '\n') : NULL; line != NULL && line[1] != '\0'; line = strchr (line + 1, '\n')) {
    const char *colon = strchr (line + 1, ':');

    if (!g_str_has_prefix (line, "\n  ") || line[3] == ' ' || colon == NULL || (gsize) (colon - line - 3) != strcspn (line + 3, ": \n"))
      continue;
    g_string_append_printf (out, "%s%.*s", any ? ", " : "", (int) (colon - line - 3), line + 3);
    any = TRUE;
  }
  if (!any)
    g_string_append (out, "–");
}

char *
sim_gallery_lines (const RpGalleryEntry *e)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < e->runs->len; i++) {
    const RpGalleryRun *r = e->runs->pdata[i];

    g_string_append_printf (out, "%-32s %-12s", i == 0 ? e->name : "", i == 0 ? "" : r->variant);
    if (r->data == NULL) {
      g_string_append (out, "        one cycle        ");
      append_codes (out, r->cycle);
    } else {
      RpGalleryFigures f = rp_gallery_figures (r->data);

      g_string_append_printf (out, "%5u evicted %3u never  ", f.evictions, f.never);
      for (guint k = 0; k < r->diagnoses->len; k++)
        g_string_append_printf (out, "%s%s", k > 0 ? ", " : "", ((RpDiagnosis *) r->diagnoses->pdata[k])->code);
      if (r->diagnoses->len == 0)
        g_string_append (out, "–");
    }
    g_string_append_c (out, '\n');
  }
  return g_string_free (out, FALSE);
}
