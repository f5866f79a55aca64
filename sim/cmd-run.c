/* sim/cmd-run.c - volsim run: one replay from files to a results directory. */
#include "chain.h"
#include "commands.h"
#include "cycle.h"
#include "engine-options.h"
#include "load.h"
#include "queues.h"
#include "replay.h"
#include "scenario.h"
#include "workloads/native.h"
#include <gio/gio.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* ---- interruption --------------------------------------------------------------------------- */

/* The one thing that a signal handler can reach. */
static volatile sig_atomic_t interrupted;

static void
on_signal (int number)
{
  interrupted = number;
}

static void
catch_signals (void)
{
  struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESETHAND }; /* a second one ends the program at once */
  struct sigaction before;

  sigemptyset (&action.sa_mask);
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
  sigaction (SIGHUP, NULL, &before);
  if (before.sa_handler != SIG_IGN) /* nohup */
    sigaction (SIGHUP, &action, NULL);
}

/* ---- options -------------------------------------------------------------------------------- */

/* Room for what the command line gives: one place for each key of a scenario, then the log level. */
typedef struct {
  guint n;
  char **text;
  char ***list; /* of a key that repeats */
  gboolean *on;
  GOptionEntry *entry;
  GPtrArray *names; /* made for the entries */
} Options;

static void
options_clear (Options *o)
{
  for (guint i = 0; i <= o->n; i++) {
    g_free (o->text[i]);
    g_strfreev (o->list[i]);
  }
  g_free (o->text);
  g_free (o->list);
  g_free (o->on);
  g_free (o->entry);
  g_ptr_array_unref (o->names);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static inline gboolean
is_on_by_default (const SimScenarioKey *k)
{
  return k->argument == NULL && strcmp (k->fallback, "true") == 0;
}

/* One option for each key: --key VALUE, --switch, or --no-switch where the switch is on by default. */
static void
make_entries (Options *o)
{
  while (sim_scenario_keys[o->n].key != NULL)
    o->n++;
  o->text = g_new0 (char *, o->n + 1);
  o->list = g_new0 (char **, o->n + 1);
  o->on = g_new0 (gboolean, o->n + 1);
  o->entry = g_new0 (GOptionEntry, o->n + 2);
  o->names = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < o->n; i++) {
    const SimScenarioKey *k = &sim_scenario_keys[i];
    char *name = g_strdelimit (g_strconcat (is_on_by_default (k) ? "no-" : "", k->key, NULL), "_", '-');
    char *summary = is_on_by_default (k)  ? g_strdup_printf ("do not %s", k->summary)
                    : k->argument == NULL || k->fallback == NULL ? g_strdup (k->summary)
                                                                 : g_strdup_printf ("%s (default: %s)", k->summary, k->fallback);

    gboolean many = sim_scenario_key_repeats (k);

    g_ptr_array_add (o->names, name);
    g_ptr_array_add (o->names, summary);
    o->entry[i] = (GOptionEntry){ .long_name = name,
                                  .arg = k->argument == NULL ? G_OPTION_ARG_NONE : many ? G_OPTION_ARG_STRING_ARRAY : G_OPTION_ARG_STRING,
                                  .arg_data = k->argument == NULL ? (gpointer) &o->on[i] : many ? (gpointer) &o->list[i] : (gpointer) &o->text[i],
                                  .description = summary,
                                  .arg_description = k->argument };
  }
  o->entry[o->n] = (GOptionEntry){ .long_name = "v",
                                   .arg = G_OPTION_ARG_STRING,
                                   .arg_data = &o->text[o->n],
                                   .description = "log the engine to standard error: 3 decisions, 4 candidates, 5 scores",
                                   .arg_description = "N" };
}

static gboolean
set_given (const Options *o, SimScenario *s, GError **error)
{
  for (guint i = 0; i <= o->n; i++) {
    const SimScenarioKey *k = &sim_scenario_keys[i];
    const char *value = o->text[i];

    for (char **v = o->list[i]; v != NULL && *v != NULL; v++)
      if (!sim_scenario_set (s, k->key, *v, NULL, error)) {
        g_prefix_error (error, "command line: ");
        return FALSE;
      }
    if (o->on[i])
      value = is_on_by_default (k) ? "false" : "true";
    if (value != NULL && !sim_scenario_set (s, k->key != NULL ? k->key : "v", value, NULL, error)) {
      g_prefix_error (error, "command line: ");
      return FALSE;
    }
  }
  return TRUE;
}

/* The scenario file first, then what the command line says. */
static gboolean
read_options (int argc, char **argv, SimScenario *s, SimEngineOptions *flags, char **file, GError **error)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("[SCENARIO.yaml]");
  g_auto (Options) o = { 0 };

  make_entries (&o);
  g_option_context_add_main_entries (context, o.entry, NULL);
  g_option_context_add_group (context, sim_engine_options_group (flags)); /* flags that are keys as well belong to the main group */
  g_option_context_set_summary (context, "Replay a workload in virtual time.");
  if (!g_option_context_parse (context, &argc, &argv, error))
    return FALSE;
  if (argc > 2) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "one scenario at most, found '%s' as well", argv[2]);
    return FALSE;
  }
  if (argc == 2) {
    *file = g_strdup (argv[1]);
    if (!sim_scenario_read (s, argv[1], error))
      return FALSE;
  }
  return set_given (&o, s, error);
}

/* ---- configuration -------------------------------------------------------------------------- */

static void
warn_all (const GPtrArray *warnings)
{
  for (guint i = 0; i < warnings->len; i++)
    fprintf (stderr, "volsim: warning: %s\n", (const char *) warnings->pdata[i]);
}

/* The scheduler configuration and the digest of its text. */
static VcConf *
read_conf (const SimScenario *s, char **digest, GError **error)
{
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  gsize len = 0;

  if (s->conf == NULL) {
    *digest = g_compute_checksum_for_string (G_CHECKSUM_SHA256, "chart", -1);
    return vc_conf_chart ();
  }
  g_autofree char *text = wl_read_file (s->conf, 4u << 20, &len, error);

  if (text == NULL)
    return NULL;
  *digest = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) text, len);
  VcConf *conf = vc_conf_parse (text, len, s->conf, vc_catalog (), s->lenient, warnings, error);

  warn_all (warnings);
  return conf;
}

typedef GArray Swaps; /* SimConfSwap */

static void
swaps_free (Swaps *swaps)
{
  for (guint i = 0; i < swaps->len; i++)
    vc_conf_free (g_array_index (swaps, SimConfSwap, i).conf);
  g_array_unref (swaps);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Swaps, swaps_free)

/* What the scheduler is to find later. Volcano keeps what it has when it cannot make sense of a file, so that a file which it refuses
 * is no error here; one that only volsim refuses is. */
static Swaps *
read_swaps (const SimScenario *s, GError **error)
{
  g_autoptr (Swaps) swaps = g_array_new (FALSE, FALSE, sizeof (SimConfSwap));

  for (guint i = 0; i < s->conf_at->len; i++) {
    const SimConfAt *at = &g_array_index (s->conf_at, SimConfAt, i);
    SimConfSwap swap = { at->time, at->file, NULL };
    g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
    g_autoptr (GError) refusal = NULL, broken = NULL;
    gsize len = 0;
    g_autofree char *text = wl_read_file (at->file, 4u << 20, &len, error);

    if (text == NULL)
      return NULL;
    swap.conf = vc_conf_parse (text, len, at->file, vc_catalog (), s->lenient, warnings, &refusal);
    warn_all (warnings);
    if (swap.conf == NULL) {
      g_autoptr (VcConf) accepted = vc_conf_parse (text, len, at->file, vc_catalog (), TRUE, NULL, &broken);

      if (accepted != NULL || g_error_matches (broken, VC_CONF_ERROR, VC_CONF_ERROR_UNSUPPORTED)) {
        g_propagate_error (error, g_steal_pointer (&refusal));
        return NULL;
      }
      fprintf (stderr, "volsim: warning: %s; Volcano keeps the configuration that it has\n", broken->message);
    }
    g_array_append_val (swaps, swap);
  }
  return g_steal_pointer (&swaps);
}

static void
log_line (gpointer user, int level, const char *text)
{
  const SimWorld *w = user;

  fprintf (stderr, "%d %.6f %s\n", level, (double) w->now / (double) SIM_SECOND, text);
}

static gint64
monotonic_ns (void)
{
  return g_get_monotonic_time () * 1000;
}

static VcEngine *
make_engine (const SimScenario *s, const VcEngineOptions *base, SimWorld *w, VcConf *conf, GError **error)
{
  VcEngineOptions o = *base;

  o.percentage_nodes_to_find = s->percentage_nodes_to_find;
  o.minimum_feasible_nodes = s->minimum_feasible_nodes;
  o.minimum_percentage_nodes_to_find = s->minimum_percentage_nodes_to_find;
  o.plain = s->plain;
  o.random_ties = s->random_ties;
  o.tie_seed = s->tie_seed;
  o.verbosity = (int) s->verbosity;
  o.log = s->verbosity > 0 ? log_line : NULL;
  o.log_user = w;
  o.clock = monotonic_ns;
  return vc_engine_new (w->cache, conf, s->lenient, &o, error);
}

/* ---- results -------------------------------------------------------------------------------- */

static RpResults *
open_results (const SimScenario *s, const SimWorld *w, const char *const *extra, guint n_extra, GError **error)
{
  g_autofree RpResource *resource = g_new (RpResource, w->n_res);

  for (guint d = 0; d < w->n_res; d++) {
    const char *name = vc_res_names_get (w->cluster->names, d);
    gboolean whole = d == VC_RES_MEMORY || d == vc_res_names_pods (w->cluster->names);

    resource[d] = (RpResource){ name, whole ? 1 : 1000 };
  }
  return rp_results_new (s->out != NULL ? s->out : "volsim-results", resource, w->n_res, extra, n_extra, error);
}

static char *
file_digest (const char *path)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInputStream) in = strcmp (path, "-") != 0 ? g_file_read (file, NULL, NULL) : NULL;
  guchar buffer[1 << 14];
  gssize n;

  if (in == NULL)
    return g_strdup (""); /* standard input is gone */
  while ((n = g_input_stream_read (G_INPUT_STREAM (in), buffer, sizeof buffer, NULL, NULL)) > 0)
    g_checksum_update (sum, buffer, n);
  return g_strdup (g_checksum_get_string (sum));
}

static gboolean
commit (RpResults *results, const SimScenario *s, const char *file, const char *conf_digest, const RpTiming *timing, GError **error)
{
  const char *const inputs[] = { file, s->nodes, s->jobs, s->objects, s->commands, s->node_usage, s->queues, s->conf };
  g_autofree const char **name = g_new (const char *, G_N_ELEMENTS (inputs) + s->conf_at->len);
  g_auto (GStrv) digest = g_new0 (char *, G_N_ELEMENTS (inputs) + s->conf_at->len + 1);
  g_autoptr (GDateTime) start = g_date_time_new_from_unix_utc (s->start);
  g_autofree char *date = g_date_time_format (start, "%Y-%m-%dT%H:%M:%SZ"), *warning = NULL;
  g_autoptr (GError) failure = NULL;
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++)
    if (inputs[i] != NULL) {
      name[n] = inputs[i];
      digest[n++] = file_digest (inputs[i]);
    }
  for (guint i = 0; i < s->conf_at->len; i++) {
    name[n] = g_array_index (s->conf_at, SimConfAt, i).file;
    digest[n] = file_digest (name[n]);
    n++;
  }
  RpManifest manifest = { .version = VOLSIM_VERSION,
                          .conf_digest = conf_digest,
                          .n_inputs = n,
                          .input_name = name,
                          .input_digest = (const char *const *) digest,
                          .period = s->period,
                          .seed = s->seed,
                          .start_date = date,
                          .interrupted = &interrupted };

  if (!rp_results_commit (results, &manifest, timing, s->charts, &warning, &failure)) {
    if (g_error_matches (failure, RP_ERROR, RP_ERROR_INTERRUPTED))
      g_set_error_literal (error, SIM_ERROR, SIM_ERROR_INTERRUPTED, failure->message);
    else
      g_propagate_error (error, g_steal_pointer (&failure));
    return FALSE;
  }
  if (warning != NULL)
    fprintf (stderr, "volsim: warning: %s\n", warning);
  return TRUE;
}

/* ---- the run -------------------------------------------------------------------------------- */

static void
show_progress (gpointer user, SimTime now, guint32 jobs_done)
{
  rp_progress_update (user, now, jobs_done);
}

/* Not an error: the cluster would find out at submission, too. */
static void
warn_of_unknown_queues (const SimScenario *s, const SimWorld *w)
{
  for (guint32 i = 0; i < w->n_queues; i++) {
    const SimQueue *q = &w->queue[i];

    if (q->unknown_job == SIM_NONE)
      continue;
    const SimJobSpec *spec = w->job[q->unknown_job].spec;

    fprintf (stderr, "volsim: warning: %s:%u:1: there is no queue '%s': job '%s' and others for it will be rejected\n",
             spec != NULL ? spec->file : s->jobs, w->job[q->unknown_job].line, q->name, w->job[q->unknown_job].name);
  }
  g_autofree gboolean *seen = g_new0 (gboolean, w->n_queues);

  for (guint32 i = 0; i < w->n_jobs; i++) { /* the first job of each queue tells whether it takes any, as things stand */
    guint32 queue = w->job[i].queue;
    const SimQueue *q = &w->queue[queue];

    if (seen[queue] || q->row == VC_NONE || strcmp (q->state, "Open") != 0)
      continue;
    seen[queue] = TRUE;
    g_autofree char *reason = sim_queue_admit_job (w, queue, NULL);

    if (reason != NULL)
      fprintf (stderr, "volsim: warning: %s:%u:1: job '%s' and others for queue '%s' will be rejected: %s\n",
               w->job[i].spec != NULL ? w->job[i].spec->file : s->jobs, w->job[i].line, w->job[i].name, q->name, reason);
  }
}

/* A job that one asked to follow may come into being in the middle of the run: only at the end is it clear that it never did. */
static void
warn_of_missed (const SimChain *chain)
{
  g_auto (GStrv) missed = chain != NULL ? sim_chain_missed (chain) : NULL;

  for (guint i = 0; missed != NULL && missed[i] != NULL; i++)
    fprintf (stderr, "volsim: warning: 'follow': there was no job '%s'\n", missed[i]);
}

/* What is left when the run ends is written with the phase that it has, or as Releasing while its deletion is under way. */
static void
write_rest (SimWorld *w)
{
  static const char *const phase[] = { "Pending", "Running", "Succeeded", "Failed" };

  for (guint32 i = 0; i < w->n_jobs; i++) {
    sim_job_pods (w, i);
    for (guint k = 0; k < w->rows->len; k++) {
      guint32 pod = g_array_index (w->rows, guint32, k);

      sim_pod_account (w, pod, FALSE);
      sim_record_pod (w, pod, w->pod[pod].deleting ? "Releasing" : phase[w->pod[pod].phase]);
    }
  }
  sim_world_flush_jobs (w, TRUE);
}

int
cmd_run (int argc, char **argv, GError **error)
{
  g_auto (SimScenario) s = { 0 };
  g_autofree char *file = NULL, *conf_digest = NULL;
  const char **extra = NULL;
  guint n_extra = 0;
  gint64 began = g_get_monotonic_time ();
  g_autoptr (SimEngineOptions) flags = sim_engine_options_new ();
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  VcCacheOptions cache_options;
  VcEngineOptions engine_options;

  sim_scenario_init (&s);
  vc_cache_options_init (&cache_options);
  vc_engine_options_init (&engine_options);
  if (!read_options (argc, argv, &s, flags, &file, error) ||
      !sim_engine_options_apply (flags, &cache_options, &engine_options, error))
    return -1;
  VcConf *conf = read_conf (&s, &conf_digest, error);

  if (conf == NULL)
    return -1;
  g_autoptr (Swaps) swaps = read_swaps (&s, error);
  g_autoptr (SimWorld) w = swaps != NULL ? sim_load_world (&s, &cache_options, &extra, &n_extra, error) : NULL;

  if (w == NULL) {
    vc_conf_free (conf);
    return -1;
  }
  warn_of_unknown_queues (&s, w);
  sim_load_warn (w, warnings);
  warn_all (warnings);
  g_autoptr (VcEngine) engine = make_engine (&s, &engine_options, w, conf, error); /* takes conf over in any case */

  if (engine == NULL)
    return -1;
  g_autoptr (RpResults) results = open_results (&s, w, extra, n_extra, error);

  if (results == NULL)
    return -1;
  g_autoptr (SimRecord) record = sim_record_new (w, engine, results, s.sample);
  if (s.follow != NULL && !rp_results_follow (results, error))
    return -1;
  g_autoptr (SimChain) chain = s.follow != NULL ? sim_chain_new (w, results, s.follow) : NULL;
  g_autoptr (RpProgress) progress = rp_progress_new (w->jobs_total);
  SimReplayOptions o = { .timing = { s.period, s.cycle_cost, s.cycle_cost_node, s.cycle_cost_pod },
                         .until = s.until,
                         .swap = (SimConfSwap *) (gpointer) swaps->data,
                         .n_swaps = swaps->len,
                         .lenient = s.lenient,
                         .skip = s.skip,
                         .interrupted = &interrupted,
                         .progress = progress != NULL ? show_progress : NULL,
                         .progress_user = progress };
  SimReplayResult result;

  catch_signals ();
  if (!sim_replay_run (w, engine, record, &o, &result, error))
    return -1;
  write_rest (w);
  warn_of_missed (chain);
  rp_results_end (results, result.end);
  g_clear_pointer (&progress, rp_progress_free);

  guint n_actions = vc_engine_n_actions (engine);
  g_autofree const char **action = g_new (const char *, n_actions + 1);
  g_autofree double *seconds = g_new (double, n_actions + 1);
  struct rusage usage = { 0 };

  for (guint i = 0; i < n_actions; i++) {
    action[i] = vc_engine_action_name (engine, i);
    seconds[i] = vc_engine_action_seconds (engine, i);
  }
  getrusage (RUSAGE_SELF, &usage);
  RpTiming timing = { .wall_seconds = (double) (g_get_monotonic_time () - began) / 1e6,
                      .cycles = result.cycles,
                      .cycles_skipped = result.skipped,
                      .events = result.events,
                      .binds = sim_record_binds (record),
                      .n_actions = n_actions,
                      .action = action,
                      .action_seconds = seconds,
                      .open_seconds = vc_engine_open_seconds (engine),
                      .close_seconds = vc_engine_close_seconds (engine),
                      .peak_memory_bytes = (guint64) usage.ru_maxrss * 1024 };

  if (!commit (results, &s, file, conf_digest, &timing, error))
    return -1;
  g_autofree char *text = rp_results_summary_text (results);

  fputs (text, stdout); /* not g_print(): it would bring the text into the locale's character set */
  return 0;
}
