/* sim/cli/cmd-transform.c - a trace made into another one. */
#include "reports/folder.h"
#include "sim/commands.h"
#include "sim/cycle/cycle.h"
#include "sim/interrupt.h"
#include "sim/load/scenario.h"
#include "workloads/native/distribution.h"
#include "workloads/text/parse.h"
#include "workloads/transform/transform.h"
#include <errno.h>
#include <string.h>

typedef struct {
  char *out, *from, *to, *sample, *move, *stretch, *stretch_run, *key, *seed, *warm, *gap;
  char **keep, **map_queue, **exports;
  gboolean queues, pin;
} Options;

static void
options_clear (Options *o)
{
  char *const texts[] = { o->out, o->from, o->to, o->sample, o->move, o->stretch, o->stretch_run, o->key, o->seed, o->warm, o->gap };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    g_free (texts[i]);
  g_strfreev (o->keep);
  g_strfreev (o->map_queue);
  g_strfreev (o->exports);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

/* The figures among the options. */
typedef struct { WlTime from, to, move, warm, gap; double sample, stretch, run; gint64 seed; } Figures;

static gboolean
read_factor (const char *name, const char *text, double *out, GError **error)
{
  g_auto (WlDistribution) d = { 0 };

  if (text == NULL)
    return TRUE;
  if (wl_parse_distribution_of (text, WL_NUMBERS, &d, NULL) && wl_distribution_is_constant (&d) && d.a > 0 && d.a <= 1e6) {
    *out = d.a;
    return TRUE;
  }
  g_autofree char *shown = wl_shown (text);
  g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--%s, expected a factor above 0 and at most 1000000, found %s", name, shown);
  return FALSE;
}

static gboolean
read_time (const char *name, const char *text, WlTime *out, GError **error)
{
  if (text == NULL || wl_parse_time (text, FALSE, out, error))
    return TRUE;
  g_prefix_error (error, "--%s: ", name);
  return FALSE;
}

static gboolean
read_figures (const Options *o, Figures *f, GError **error)
{
  *f = (Figures) { .to = WL_TIME_NEVER, .move = 30 * 60 * (WlTime) G_USEC_PER_SEC, .warm = WL_TIME_NONE, .gap = 60 * (WlTime) G_USEC_PER_SEC, .sample = 1, .stretch = 1, .run = 1 };
  if (!read_time ("from", o->from, &f->from, error) || !read_time ("to", o->to, &f->to, error) || !read_time ("move", o->move, &f->move, error) ||
      !read_time ("warm-start", o->warm, &f->warm, error) || !read_time ("warm-gap", o->gap, &f->gap, error) || !read_factor ("sample", o->sample, &f->sample, error) || !read_factor ("stretch", o->stretch, &f->stretch, error) ||
      !read_factor ("stretch-run", o->stretch_run, &f->run, error))
    return FALSE;
  if (o->seed != NULL && !wl_parse_int (o->seed, 0, G_MAXINT64, &f->seed, error)) {
    g_prefix_error (error, "--seed: ");
    return FALSE;
  }
  if ((o->move != NULL && f->sample <= 1) || (o->seed != NULL && o->sample == NULL)) {
    g_set_error_literal (error, SIM_ERROR, SIM_ERROR_INPUT, o->move != NULL && f->sample <= 1 ? "--move, expected it with --sample above 1: it moves the additional jobs"
                                                                                               : "--seed, expected it with --sample: nothing else is drawn");
    return FALSE;
  }
  if (f->from >= f->to) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--to, expected a time after --from, found '%s'", o->to);
    return FALSE;
  }
  if (o->gap != NULL && o->warm == NULL) {
    g_set_error_literal (error, SIM_ERROR, SIM_ERROR_INPUT, "--warm-gap, expected --warm-start beside it, found none");
    return FALSE;
  }
  if (f->warm != WL_TIME_NONE && (o->from != NULL || o->to != NULL)) {
    g_set_error_literal (error, SIM_ERROR, SIM_ERROR_INPUT, "--warm-start, expected it without --from and --to: it is where the trace begins");
    return FALSE;
  }
  return TRUE;
}

/* ---- exports ------------------------------------------------------------------------------------- */

typedef struct {
  char *format, *path; /* as they are given */
  char *place;         /* where @path leads */
  GString *text;
  RpDraft *draft;
} Export;

static void
export_clear (gpointer data)
{
  Export *x = data;

  rp_draft_free (x->draft);
  if (x->text != NULL)
    g_string_free (x->text, TRUE);
  g_free (x->format);
  g_free (x->path);
  g_free (x->place);
}

/* Is @place a table of @folder, wherever a link leads? */
static gboolean
is_table_of (const char *folder, const char *place)
{
  static const char *const names[] = { "nodes.csv", "jobs.csv", "queues.csv", "faults.csv", "recorded.csv", "objects.yaml", "scenario.yaml" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = g_build_filename (folder, names[i], NULL), *its = rp_file_place (path);

    if (strcmp (its, place) == 0)
      return TRUE;
  }
  return FALSE;
}

static gboolean
read_export (const char *text, const Options *o, char **folders, guint n, GArray *exports, GError **error)
{
  static const char *const formats[] = { "swf", "batsim", "kubernetes", NULL };
  const char *equals = strchr (text, '=');

  if (equals == NULL || equals[1] == '\0') {
    g_autofree char *shown = wl_shown (text);
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--export, expected FORMAT=FILE, found %s", shown);
    return FALSE;
  }
  Export made = { .format = g_strndup (text, (gsize) (equals - text)), .path = g_strdup (equals + 1), .place = rp_file_place (equals + 1) };

  g_array_append_val (exports, made);
  if (!g_strv_contains (formats, made.format)) {
    g_autofree char *shown = wl_shown (made.format);
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--export, expected swf, batsim or kubernetes, found %s", shown);
    return FALSE;
  }
  for (guint i = 0; i <= n; i++) {
    const char *folder = i < n ? folders[i] : o->out;
    g_autofree char *place = rp_file_place (folder), *inside = g_strconcat (place, "/", NULL);

    if (g_str_has_prefix (made.place, inside) || strcmp (made.place, place) == 0 || is_table_of (folder, made.place)) {
      g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--export, expected a file outside the folders that are read and written, found '%s' in %s", made.path, folder);
      return FALSE;
    }
  }
  g_autofree char *key = o->key != NULL ? rp_file_place (o->key) : NULL;

  if (g_strcmp0 (key, made.place) == 0) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--export, expected another file than that of --anonymise, found '%s'", made.path);
    return FALSE;
  }
  for (guint i = 0; i + 1 < exports->len; i++)
    if (strcmp (g_array_index (exports, Export, i).place, made.place) == 0) {
      g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--export, expected a file of its own for each, found '%s' twice", made.path);
      return FALSE;
    }
  return TRUE;
}

static gboolean
unwritable (const Export *x, GError **error)
{
  g_set_error (error, WL_ERROR, WL_ERROR_WRITE, "%s: cannot write, expected a writable folder, found: %s", x->path, g_strerror (errno));
  return FALSE;
}

/* What goes into a device may fail yet: it is written before the folder is there. */
static gboolean
finish_all (GArray *exports, WlFolder *folder, GError **error)
{
  for (guint i = 0; i < exports->len; i++) {
    Export *x = &g_array_index (exports, Export, i);

    if (rp_draft_is_direct (x->draft) && !rp_draft_finish (x->draft))
      return unwritable (x, error);
  }
  if (!wl_folder_finish (folder, error))
    return FALSE;
  for (guint i = 0; i < exports->len; i++) {
    Export *x = &g_array_index (exports, Export, i);

    if (!rp_draft_is_direct (x->draft) && !rp_draft_finish (x->draft))
      return unwritable (x, error);
  }
  return TRUE;
}

/* The texts of @exports out of the tables in @folder. */
static gboolean
export_all (GArray *exports, const char *folder, const WlTrace *t, GString *said, GError **error)
{
  g_autofree char *n = g_build_filename (folder, "nodes.csv", NULL), *j = g_build_filename (folder, "jobs.csv", NULL), *q = g_build_filename (folder, "queues.csv", NULL);
  g_autoptr (GArray) nodes = NULL, jobs = NULL, queues = NULL;

  if (exports->len == 0)
    return TRUE;
  if ((nodes = wl_read_nodes (n, error)) == NULL || (jobs = wl_read_jobs (j, error)) == NULL ||
      (g_file_test (q, G_FILE_TEST_EXISTS) && (queues = wl_read_queues (q, error)) == NULL))
    return FALSE;
  for (guint i = 0; i < exports->len; i++) {
    Export *x = &g_array_index (exports, Export, i);
    g_autoptr (GPtrArray) notes = g_ptr_array_new_with_free_func (g_free);

    if (t->objects != NULL && strcmp (x->format, "kubernetes") != 0)
      g_ptr_array_add (notes, g_strdup_printf ("%u jobs of objects.yaml are left out: the format has no objects", wl_object_texts_jobs (t->objects)));
    if (strcmp (x->format, "swf") == 0)
      x->text = wl_export_swf (nodes, jobs, wl_trace_start (t), notes, error);
    else if (strcmp (x->format, "batsim") == 0)
      x->text = wl_export_batsim (nodes, jobs, notes, error);
    else if ((x->text = wl_export_kubernetes (nodes, jobs, queues, notes, error)) != NULL) { /* manifests say what the scenario does, too */
      g_autoptr (GString) more = wl_export_settings (folder, notes, error);

      if (more == NULL)
        return FALSE;
      g_string_append_len (x->text, more->str, (gssize) more->len);
      if (t->objects != NULL)
        wl_object_texts_write (t->objects, x->text);
    }
    if (x->text == NULL)
      return FALSE;
    x->draft = rp_draft_new (x->path, x->text->str, x->text->len);
    if (x->draft == NULL)
      return unwritable (x, error);
    g_string_append_printf (said, "%s: %s\n", x->path, x->format);
    for (guint k = 0; k < notes->len; k++)
      g_string_append_printf (said, "  note: %s\n", (const char *) notes->pdata[k]);
  }
  return TRUE;
}

/* ---- the command --------------------------------------------------------------------------------- */

static gboolean
one_trace (WlTrace *t, const Options *o, const Figures *f, GError **error)
{
  return (o->keep == NULL || wl_trace_keep (t, (const char *const *) o->keep, error)) && (f->warm == WL_TIME_NONE || wl_trace_warm_start (t, f->warm, f->gap, error)) &&
         ((f->from == 0 && f->to == WL_TIME_NEVER) || wl_trace_window (t, f->from, f->to, error)) &&
         (f->sample == 1 || wl_trace_sample (t, f->sample, f->move, (guint64) f->seed, error)) && wl_trace_stretch (t, f->stretch, f->run, error) &&
         (o->map_queue == NULL || wl_trace_map_queues (t, (const char *const *) o->map_queue, error));
}

/* The steps copy settings as they stand: a run must be able to read them, and mean the tables that the steps read. */
static gboolean
check_scenario (const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "scenario.yaml", NULL);
  g_auto (SimScenario) s;

  sim_scenario_init (&s);
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  if (!sim_scenario_read (&s, path, error))
    return FALSE;
  const struct { const char *key, *file; } tables[] = { { "nodes", s.nodes }, { "jobs", s.jobs }, { "queues", s.queues }, { "faults", s.faults }, { "recorded", s.recorded }, { "objects", s.objects } };

  for (guint i = 0; i < G_N_ELEMENTS (tables); i++) {
    g_autofree char *name = g_strconcat (tables[i].key, strcmp (tables[i].key, "objects") == 0 ? ".yaml" : ".csv", NULL), *own = g_build_filename (folder, name, NULL), *place = rp_file_place (own);
    g_autofree char *named = tables[i].file != NULL ? rp_file_place (tables[i].file) : NULL;

    if (named != NULL && strcmp (named, place) != 0) {
      g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "%s: %s: cannot be transformed, expected the folder's own %s, found '%s'", path, tables[i].key, name, tables[i].file);
      return FALSE;
    }
  }
  return TRUE;
}

static void
trace_free (gpointer data)
{
  wl_trace_free (data);
}

static gboolean
make (const Options *o, const Figures *f, char **folders, guint n, GArray *exports, GString *said, GError **error)
{
  g_autoptr (GPtrArray) traces = g_ptr_array_new_with_free_func (trace_free);
  guint before = 0, left = 0;

  for (guint i = 0; i < n; i++) {
    WlTrace *t = check_scenario (folders[i], error) ? wl_trace_read (folders[i], error) : NULL;

    if (t == NULL)
      return FALSE;
    g_ptr_array_add (traces, t);
    before += wl_trace_jobs (t);
  }
  if (!wl_trace_check_names ((WlTrace *const *) traces->pdata, n, (const char *const *) o->keep, (const char *const *) o->map_queue, error))
    return FALSE;
  for (guint i = 0; i < n; i++) {
    if (!one_trace (traces->pdata[i], o, f, error))
      return FALSE;
    left += wl_trace_jobs (traces->pdata[i]);
  }
  if (before > 0 && left == 0) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "%s: expected steps that leave jobs, found none left of %u", o->out, before);
    return FALSE;
  }
  WlTrace *all = traces->pdata[0];

  if ((n > 1 || o->queues || o->pin) && !wl_trace_merge (all, (WlTrace *const *) traces->pdata + 1, n - 1, o->queues, o->pin, error))
    return FALSE;
  if (o->key != NULL) {
    gsize len;
    g_autofree char *key = wl_read_file (o->key, 1 << 20, &len, error);

    if (key == NULL || !wl_trace_anonymise (all, (const guint8 *) key, len, error))
      return FALSE;
  }
  g_string_append_printf (said, "%s: %u jobs\n", o->out, wl_trace_jobs (all));
  g_autoptr (WlFolder) folder = wl_trace_write (all, o->out, error);

  if (folder == NULL || !export_all (exports, wl_folder_path (folder), all, said, error))
    return FALSE;
  return finish_all (exports, folder, error);
}

int
cmd_transform (int argc, char **argv, GError **error)
{
  g_auto (Options) o = { 0 };
  const GOptionEntry entries[] = {
    { "out", 'o', 0, G_OPTION_ARG_FILENAME, &o.out, "where the trace goes: a new folder, or an earlier one of transform", "DIR" },
    { "keep", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o.keep, "keep jobs for which this holds, as in queue=a|b, pods>4, duration<=1h, nvidia.com/gpu>=8 or x_user!=bob; may repeat", "CONDITION" },
    { "from", 0, 0, G_OPTION_ARG_STRING, &o.from, "keep what is submitted from this time on, which becomes 0", "TIME" },
    { "to", 0, 0, G_OPTION_ARG_STRING, &o.to, "keep what is submitted before this time", "TIME" },
    { "warm-start", 0, 0, G_OPTION_ARG_STRING, &o.warm, "begin at this time, with what ran and waited then (needs recorded.csv)", "TIME" },
    { "warm-gap", 0, 0, G_OPTION_ARG_STRING, &o.gap, "how long what waited stands back behind what ran (default 1m)", "SPAN" },
    { "sample", 0, 0, G_OPTION_ARG_STRING, &o.sample, "so many times the jobs: drawn ones of them, or more of them under new names", "FACTOR" },
    { "move", 0, 0, G_OPTION_ARG_STRING, &o.move, "with --sample above 1: move the additional jobs by up to this either way (default: 30m)", "TIME" },
    { "seed", 0, 0, G_OPTION_ARG_STRING, &o.seed, "seed of what is drawn (default: 0)", "N" },
    { "stretch", 0, 0, G_OPTION_ARG_STRING, &o.stretch, "times of submissions and changes times this", "FACTOR" },
    { "stretch-run", 0, 0, G_OPTION_ARG_STRING, &o.stretch_run, "running times times this", "FACTOR" },
    { "map-queue", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o.map_queue, "rename a queue; * is all others; may repeat", "OLD=NEW" },
    { "queue-per-cluster", 0, 0, G_OPTION_ARG_NONE, &o.queues, "of several folders: one queue for each, named after it", NULL },
    { "pin", 0, 0, G_OPTION_ARG_NONE, &o.pin, "of several folders: jobs stay on the nodes of theirs", NULL },
    { "anonymise", 0, 0, G_OPTION_ARG_FILENAME, &o.key, "replace names by hashes under the key in this file", "KEYFILE" },
    { "export", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o.exports, "also write it as swf, batsim or kubernetes; may repeat", "FORMAT=FILE" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("FOLDER...");
  g_autoptr (GString) said = g_string_new (NULL);
  g_autoptr (GArray) exports = g_array_new (FALSE, TRUE, sizeof (Export));
  Figures f;

  g_array_set_clear_func (exports, export_clear);
  g_option_context_set_summary (context, "Make a trace into another one: choose, cut, scale, merge, rename, export (docs/transform.md). Steps run in the order of this list.");
  if (!cmd_parse (context, entries, &argc, &argv, error))
    return -1;
  if (argc < 2 || o.out == NULL) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, argc < 2 ? "transform needs a folder with nodes.csv and jobs.csv" : "transform needs --out DIR");
    return -1;
  }
  sim_catch_signals ();
  for (guint i = 0; o.exports != NULL && o.exports[i] != NULL; i++)
    if (!read_export (o.exports[i], &o, argv + 1, (guint) argc - 1, exports, error))
      return -1;
  if (!read_figures (&o, &f, error) || !make (&o, &f, argv + 1, (guint) argc - 1, exports, said, error))
    return -1;
  return cmd_print (said->str, error);
}
