/* sim/cmd-transform.c - a trace made into another one. */
#include "commands.h"
#include "cycle.h"
#include "interrupt.h"
#include "workloads/distribution.h"
#include "workloads/parse.h"
#include "workloads/transform/transform.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  char *out, *from, *to, *sample, *move, *stretch, *stretch_run, *key, *seed, *warm;
  char **keep, **map_queue, **exports;
  gboolean queues, pin;
} Options;

static void
options_clear (Options *o)
{
  char *const texts[] = { o->out, o->from, o->to, o->sample, o->move, o->stretch, o->stretch_run, o->key, o->seed, o->warm };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    g_free (texts[i]);
  g_strfreev (o->keep);
  g_strfreev (o->map_queue);
  g_strfreev (o->exports);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

/* The figures among the options. */
typedef struct { WlTime from, to, move, warm; double sample, stretch, run; gint64 seed; } Figures;

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
  *f = (Figures) { .to = WL_TIME_NEVER, .move = 30 * 60 * (WlTime) G_USEC_PER_SEC, .warm = WL_TIME_NONE, .sample = 1, .stretch = 1, .run = 1 };
  if (!read_time ("from", o->from, &f->from, error) || !read_time ("to", o->to, &f->to, error) || !read_time ("move", o->move, &f->move, error) ||
      !read_time ("warm-start", o->warm, &f->warm, error) || !read_factor ("sample", o->sample, &f->sample, error) || !read_factor ("stretch", o->stretch, &f->stretch, error) ||
      !read_factor ("stretch-run", o->stretch_run, &f->run, error))
    return FALSE;
  if (o->seed != NULL && !wl_parse_int (o->seed, 0, G_MAXINT64, &f->seed, error)) {
    g_prefix_error (error, "--seed: ");
    return FALSE;
  }
  if (f->from >= f->to) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--to, expected a time after --from, found '%s'", o->to);
    return FALSE;
  }
  if (f->warm != WL_TIME_NONE && (o->from != NULL || o->to != NULL)) {
    g_set_error_literal (error, SIM_ERROR, SIM_ERROR_INPUT, "--warm-start, expected it without --from and --to: it is where the trace begins");
    return FALSE;
  }
  return TRUE;
}

/* ---- exports ------------------------------------------------------------------------------------- */

/* "FORMAT=FILE". */
static gboolean
export_one (const char *text, const GArray *nodes, const GArray *jobs, const GArray *queues, gint64 start, GString *said, GError **error)
{
  const char *equals = strchr (text, '=');
  g_autofree char *format = equals != NULL ? g_strndup (text, (gsize) (equals - text)) : g_strdup (text);
  g_autoptr (GPtrArray) notes = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) made = NULL;

  if (equals == NULL || equals[1] == '\0') {
    g_autofree char *shown = wl_shown (text);
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--export, expected FORMAT=FILE, found %s", shown);
    return FALSE;
  }
  if (strcmp (format, "swf") == 0)
    made = wl_export_swf (nodes, jobs, start, notes, error);
  else if (strcmp (format, "batsim") == 0)
    made = wl_export_batsim (nodes, jobs, notes, error);
  else if (strcmp (format, "kubernetes") == 0)
    made = wl_export_kubernetes (nodes, jobs, queues, notes, error);
  else {
    g_autofree char *shown = wl_shown (format);
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--export, expected swf, batsim or kubernetes, found %s", shown);
  }
  if (made == NULL || !g_file_set_contents (equals + 1, made->str, (gssize) made->len, error)) /* under another name first */
    return FALSE;
  g_string_append_printf (said, "%s: %s\n", equals + 1, format);
  for (guint i = 0; i < notes->len; i++)
    g_string_append_printf (said, "  note: %s\n", (const char *) notes->pdata[i]);
  return TRUE;
}

/* Manifests say what the scenario does, too. */
static gboolean
add_settings (const Options *o, const char *folder, GString *said, GError **error)
{
  static const char format[] = "kubernetes=";

  for (guint i = 0; o->exports[i] != NULL; i++) {
    const char *path = o->exports[i] + strlen (format);
    g_autoptr (GPtrArray) notes = g_ptr_array_new_with_free_func (g_free);
    g_autofree char *text = NULL;

    if (!g_str_has_prefix (o->exports[i], format))
      continue;
    g_autoptr (GString) more = wl_export_settings (folder, notes, error);

    if (more == NULL || !g_file_get_contents (path, &text, NULL, error))
      return FALSE;
    g_string_prepend (more, text);
    if (!g_file_set_contents (path, more->str, (gssize) more->len, error))
      return FALSE;
    for (guint n = 0; n < notes->len; n++)
      g_string_append_printf (said, "  note: %s\n", (const char *) notes->pdata[n]);
  }
  return TRUE;
}

static gboolean
export_all (const Options *o, const char *folder, gint64 start, GString *said, GError **error)
{
  g_autofree char *n = g_build_filename (folder, "nodes.csv", NULL), *j = g_build_filename (folder, "jobs.csv", NULL), *q = g_build_filename (folder, "queues.csv", NULL);
  g_autoptr (GArray) nodes = NULL, jobs = NULL, queues = NULL;

  if (o->exports == NULL)
    return TRUE;
  if ((nodes = wl_read_nodes (n, error)) == NULL || (jobs = wl_read_jobs (j, error)) == NULL ||
      (g_file_test (q, G_FILE_TEST_EXISTS) && (queues = wl_read_queues (q, error)) == NULL))
    return FALSE;
  for (guint i = 0; o->exports[i] != NULL; i++)
    if (!export_one (o->exports[i], nodes, jobs, queues, start, said, error))
      return FALSE;
  return add_settings (o, folder, said, error);
}

/* ---- the command --------------------------------------------------------------------------------- */

static gboolean
one_trace (WlTrace *t, const Options *o, const Figures *f, GError **error)
{
  return (o->keep == NULL || wl_trace_keep (t, (const char *const *) o->keep, error)) && (f->warm == WL_TIME_NONE || wl_trace_warm_start (t, f->warm, error)) &&
         ((f->from == 0 && f->to == WL_TIME_NEVER) || wl_trace_window (t, f->from, f->to, error)) &&
         (f->sample == 1 || wl_trace_sample (t, f->sample, f->move, (guint64) f->seed, error)) && wl_trace_stretch (t, f->stretch, f->run, error) &&
         (o->map_queue == NULL || wl_trace_map_queues (t, (const char *const *) o->map_queue, error));
}

static void
trace_free (gpointer data)
{
  wl_trace_free (data);
}

static gboolean
make (const Options *o, const Figures *f, char **folders, guint n, guint *n_jobs, gint64 *start, GError **error)
{
  g_autoptr (GPtrArray) traces = g_ptr_array_new_with_free_func (trace_free);

  for (guint i = 0; i < n; i++) {
    WlTrace *t = wl_trace_read (folders[i], error);

    if (t == NULL)
      return FALSE;
    g_ptr_array_add (traces, t);
    if (!one_trace (t, o, f, error))
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
  *n_jobs = all->n_jobs;
  *start = wl_trace_start (all);
  return wl_trace_write (all, o->out, error);
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
  guint n_jobs = 0;
  gint64 start = -1;
  Figures f;

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_summary (context, "Make a trace into another one: choose, cut, scale, merge, rename, export (docs/transform.md). Steps run in the order of this list.");
  if (!g_option_context_parse (context, &argc, &argv, error))
    return -1;
  if (argc < 2 || o.out == NULL) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, argc < 2 ? "transform needs a folder with nodes.csv and jobs.csv" : "transform needs --out DIR");
    return -1;
  }
  sim_catch_signals ();
  if (!read_figures (&o, &f, error) || !make (&o, &f, argv + 1, (guint) argc - 1, &n_jobs, &start, error))
    return -1;
  g_string_append_printf (said, "%s: %u jobs\n", o.out, n_jobs);
  if (!export_all (&o, o.out, start, said, error))
    return -1;
  return cmd_print (said->str, error);
}
