/* sim/cli/cmd-sweep.c - volsim sweep: all runs of a grid on the processors of this machine, or one of them at a time on those of another. */
#include "reports/folder.h"
#include "sim/commands.h"
#include "sim/cycle/cycle.h"
#include "sim/interrupt.h"
#include "sim/scheduler/batch.h"
#include "sim/studies/results-read.h"
#include "sim/studies/sweep-page.h"
#include "sim/studies/sweep.h"
#include "sim/studies/variant.h"
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  SimGrid *grid;
  const char *out;
  char *command;         /* for the page: the same bytes whichever way the runs came about */
  gboolean resume;
  VcCacheOptions cache;
  VcEngineOptions engine;
} Sweep;

/* ---- one run ------------------------------------------------------------------------------------ */

static char *
run_dir (const Sweep *s, guint index)
{
  g_autofree char *name = g_strdup_printf ("%06u", index);

  return g_build_filename (s->out, "runs", name, NULL);
}

/* What a run was, beside its results: written when they are complete. */
static char *
run_mark (const Sweep *s, guint index)
{
  g_autofree char *dir = run_dir (s, index);

  return g_strconcat (dir, ".txt", NULL);
}

static char *
table_path (const Sweep *s)
{
  return g_build_filename (s->out, "runs.csv", NULL);
}

static gboolean
is_done (const Sweep *s, guint index)
{
  g_autofree char *mark = run_mark (s, index), *text = NULL, *want = sim_grid_describe (s->grid, index), *dir = run_dir (s, index);
  g_autoptr (VcArena) arena = vc_arena_new ();

  return g_file_get_contents (mark, &text, NULL, NULL) && strcmp (text, want) == 0 && sim_summary_read (dir, arena, NULL, NULL) != NULL;
}

static gboolean
run_one (gpointer user, guint index, GError **error)
{
  Sweep *s = user;
  const SimGrid *g = s->grid;
  g_autofree char *dir = run_dir (s, index), *mark = run_mark (s, index), *what = sim_grid_describe (g, index), *csv = table_path (s);
  g_autoptr (VcArena) arena = vc_arena_new ();
  g_autofree char **key = g_new0 (char *, g->axes->len + 1), **value = g_new0 (char *, g->axes->len + 1);

  if (s->resume && is_done (s, index))
    return TRUE;
  (void) g_unlink (mark);
  (void) g_unlink (csv); /* no table tells of this run until it is gathered again */
  if (sim_summary_read (dir, arena, NULL, NULL) == NULL)
    rp_results_remove (dir); /* what is left of a run that was damaged */
  for (guint k = 0; k < g->axes->len; k++) {
    key[k] = ((SimAxis *) g->axes->pdata[k])->key;
    value[k] = (char *) sim_grid_value (g, index, k);
  }
  SimVariant v = { .file = g->scenario,
                   .key = key,
                   .value = value,
                   .base = g->base,
                   .out = dir,
                   .cache = &s->cache,
                   .engine = &s->engine,
                   .interrupted = sim_interrupted () };
  g_autoptr (RpResults) results = sim_variant_run (&v, error);

  return results != NULL && rp_file_write (mark, what, strlen (what), error);
}

/* ---- all ---------------------------------------------------------------------------------------- */

#define RUNS_NAMED 20u

/* Numbers of runs for a message: all of a few, the first of many. */
typedef struct {
  const char *message;
  GString *names;
  guint n;
} Named;

static void
named_free (gpointer data)
{
  g_string_free (((Named *) data)->names, TRUE);
  g_free (data);
}

static Named *
named_new (const char *message)
{
  Named *m = g_new0 (Named, 1);

  m->message = message;
  m->names = g_string_new (NULL);
  return m;
}

static void
name_run (Named *m, guint index)
{
  if (++m->n <= RUNS_NAMED)
    g_string_append_printf (m->names, "%s%u", m->n > 1 ? ", " : "", index);
  else if (m->n == RUNS_NAMED + 1)
    g_string_append (m->names, ", …");
}

/* Runs that failed for the same reason share a line; the first of them is the error of the command. */
static gboolean
report_failures (const Sweep *s, GError **errors, GError **error)
{
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (named_free);
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal); /* for look-ups only */
  guint failed = 0, first = 0;

  for (guint i = s->grid->n; i-- > 0;)
    first = errors[i] != NULL ? i : first;
  for (guint i = 0; i < s->grid->n; i++) {
    if (errors[i] == NULL)
      continue;
    Named *m = g_hash_table_lookup (known, errors[i]->message);

    if (m == NULL) {
      m = named_new (errors[i]->message);
      g_ptr_array_add (reasons, m);
      g_hash_table_insert (known, (gpointer) m->message, m);
    }
    name_run (m, i);
    failed++;
  }
  if (failed == 0)
    return TRUE;
  for (guint k = 1; k < reasons->len; k++) {
    const Named *m = reasons->pdata[k];

    fprintf (stderr, "volsim: run%s %s: %s\n", m->n > 1 ? "s" : "", m->names->str, m->message);
  }
  const Named *m = reasons->pdata[0];

  g_propagate_error (error, g_error_copy (errors[first]));
  g_prefix_error (error, "%u of %u runs failed; run%s %s: ", failed, s->grid->n, m->n > 1 ? "s" : "", m->names->str);
  return FALSE;
}

static gboolean
run_all (Sweep *s, guint threads, GError **error)
{
  SimBatch b = { .n = s->grid->n, .threads = threads, .fn = run_one, .user = s, .what = "runs", .interrupted = sim_interrupted () };

  sim_catch_signals ();
  GError **errors = sim_batch_run (&b);
  gboolean good = report_failures (s, errors, error);

  sim_batch_errors_free (errors, s->grid->n);
  if (good && *sim_interrupted () != 0) {
    g_set_error_literal (error, SIM_ERROR, SIM_ERROR_INTERRUPTED, "interrupted; --resume does the runs that are missing");
    return FALSE;
  }
  return good;
}

/* Runs of an earlier, larger grid: whoever looks into the folder would take them for this one's. */
static void
remove_others (const Sweep *s)
{
  g_autofree char *runs = g_build_filename (s->out, "runs", NULL);
  g_autoptr (GDir) dir = g_dir_open (runs, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    char *end;
    const guint64 index = g_ascii_strtoull (name, &end, 10);

    if (end != name + 6 || (*end != '\0' && strcmp (end, ".txt") != 0) || index < s->grid->n)
      continue;
    g_autofree char *path = g_build_filename (runs, name, NULL);

    if (*end == '\0')
      rp_results_remove (path);
    else
      (void) g_unlink (path);
  }
}

/* runs.csv and the page from what is there. A run that is missing is named: its row in the table would be a lie. */
static gboolean
collect (const Sweep *s, GError **error)
{
  g_autofree char *path = table_path (s), *page_path = g_build_filename (s->out, "report.html", NULL);
  g_autoptr (SimSweepTable) table = sim_sweep_table_new (s->grid);
  Named *missing = named_new (NULL);
  gboolean good = TRUE;

  (void) g_unlink (path); /* it may be that of another grid */
  (void) g_unlink (page_path);
  remove_others (s);
  for (guint i = 0; i < s->grid->n && good; i++) {
    g_autofree char *dir = run_dir (s, i);

    if (!is_done (s, i))
      name_run (missing, i);
    else
      good = sim_sweep_table_add (table, i, dir, error);
  }
  if (good && missing->n < s->grid->n) {
    g_autofree char *page = sim_sweep_page (table, s->command);

    good = rp_file_write (page_path, page, strlen (page), error);
  }
  if (good && missing->n > 0) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_FAILED, "%s: runs are missing: %s; --index N or --resume does them", s->out, missing->names->str);
    good = FALSE;
  }
  named_free (missing);
  if (!good || !sim_sweep_table_write (table, path, error))
    return FALSE;
  printf ("%u runs: %s\n", s->grid->n, path);
  return TRUE;
}

static void
emit_commands (const Sweep *s)
{
  g_autofree char *grid = cmd_word (s->grid->source), *out = cmd_word (s->out);

  for (guint i = 0; i < s->grid->n; i++)
    printf ("volsim sweep %s --out %s --index %u\n", grid, out, i);
}

/* ---- command line ------------------------------------------------------------------------------- */

typedef struct {
  char *out;
  int index, threads;
  gboolean resume, commands, only_collect;
} Arguments;

static gboolean
act (Sweep *s, const Arguments *a, GError **error)
{
  if (a->commands) {
    if (!rp_folder_check (s->out, "sweep", error)) /* each of them would say so */
      return FALSE;
    emit_commands (s);
    return TRUE;
  }
  if (a->index != G_MININT && (guint) a->index >= s->grid->n) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--index: expected a number below %u, found %d", s->grid->n, a->index);
    return FALSE;
  }
  g_autoptr (RpFolder) folder = rp_folder_claim (s->out, "sweep", error);

  if (folder == NULL)
    return FALSE;
  if (a->only_collect)
    return collect (s, error);
  if (a->index != G_MININT) {
    rp_folder_keep (folder); /* commands beside this one may have found it marked */
    if (run_one (s, (guint) a->index, error))
      return TRUE;
    g_prefix_error (error, "run %d: ", a->index);
    return FALSE;
  }
  if (!run_all (s, (guint) MAX (a->threads, 0), error)) {
    (void) collect (s, NULL); /* a page of those that are done */
    return FALSE;
  }
  rp_folder_keep (folder);
  return collect (s, error);
}

int
cmd_sweep (int argc, char **argv, GError **error)
{
  g_autofree char *out = NULL;
  Arguments a = { .index = G_MININT }; /* not given */
  const GOptionEntry entries[] = {
    { "out", 0, 0, G_OPTION_ARG_FILENAME, &a.out, "Where the runs go (default: the grid's, else volsim-sweep)", "DIR" },
    { "threads", 't', 0, G_OPTION_ARG_INT, &a.threads, "Runs at once (default: one for each processor)", "N" },
    { "resume", 0, 0, G_OPTION_ARG_NONE, &a.resume, "Leave runs alone that are complete", NULL },
    { "index", 0, 0, G_OPTION_ARG_INT, &a.index, "Do only run N, from 0", "N" },
    { "emit-commands", 0, 0, G_OPTION_ARG_NONE, &a.commands, "Print one command for each run instead, for GNU parallel or a Slurm array", NULL },
    { "collect", 0, 0, G_OPTION_ARG_NONE, &a.only_collect, "Only write runs.csv from the runs that such commands have done", NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("GRID.yaml - run a scenario over a grid of settings");
  Sweep s = { 0 };

  gboolean parsed = cmd_parse (context, entries, &argc, &argv, error);

  out = a.out;
  if (!parsed)
    return -1;
  if (argc != 2) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "sweep: expected one grid, found %d", argc - 1);
    return -1;
  }
  if ((a.index != G_MININT) + a.commands + a.only_collect > 1) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--index, --emit-commands and --collect: expected one of them, found %s",
                 a.index != G_MININT && a.commands && a.only_collect ? "three" : "two");
    return -1;
  }
  if (a.threads < 0 || (a.index < 0 && a.index != G_MININT)) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--%s: expected a number from 0, found %d", a.threads < 0 ? "threads" : "index",
                 a.threads < 0 ? a.threads : a.index);
    return -1;
  }
  g_autoptr (SimGrid) grid = sim_grid_read (argv[1], error);

  if (grid == NULL)
    return -1;
  s.grid = grid;
  s.out = out != NULL ? out : grid->out != NULL ? grid->out : "volsim-sweep";
  g_autofree char *grid_word = cmd_word (grid->source), *out_word = cmd_word (s.out);
  g_autofree char *command = g_strdup_printf ("volsim sweep %s --out %s", grid_word, out_word);

  s.command = command;
  s.resume = a.resume;
  vc_cache_options_init (&s.cache);
  vc_engine_options_init (&s.engine);
  return act (&s, &a, error) ? 0 : -1;
}
