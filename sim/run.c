/* sim/run.c - one scenario from its inputs to its results. */
#include "run.h"
#include "chain.h"
#include "cycle.h"
#include "kinds.h"
#include "ledger.h"
#include "load.h"
#include "makers.h"
#include "queues.h"
#include "replay.h"
#include "workloads/native.h"
#include <gio/gio.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static void
warn (const SimRunInput *in, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
warn (const SimRunInput *in, const char *format, ...)
{
  va_list args;

  if (in->warn == NULL)
    return;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  in->warn (in->user, text);
}

/* ---- configuration -------------------------------------------------------------------------- */

static void
warn_all (const SimRunInput *in, const GPtrArray *warnings)
{
  for (guint i = 0; i < warnings->len; i++)
    warn (in, "%s", (const char *) warnings->pdata[i]);
}

/* The scheduler configuration and the digest of its text. */
static VcConf *
read_conf (const SimRunInput *in, char **text, char **digest, GError **error)
{
  const SimScenario *s = in->scenario;
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  gsize len = 0;

  if (s->conf == NULL) {
    *digest = g_compute_checksum_for_string (G_CHECKSUM_SHA256, "chart", -1);
    return vc_conf_chart ();
  }
  *text = wl_read_file (s->conf, 4u << 20, &len, error);
  if (*text == NULL)
    return NULL;
  *digest = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) *text, len);
  VcConf *conf = vc_conf_parse (*text, len, s->conf, vc_catalog (), s->lenient, warnings, error);

  warn_all (in, warnings);
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
read_swaps (const SimRunInput *in, GError **error)
{
  const SimScenario *s = in->scenario;
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
    warn_all (in, warnings);
    if (swap.conf == NULL) {
      g_autoptr (VcConf) accepted = vc_conf_parse (text, len, at->file, vc_catalog (), TRUE, NULL, &broken);

      if (accepted != NULL || g_error_matches (broken, VC_CONF_ERROR, VC_CONF_ERROR_UNSUPPORTED)) {
        g_propagate_error (error, g_steal_pointer (&refusal));
        return NULL;
      }
      warn (in, "%s; Volcano keeps the configuration that it has", broken->message);
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
make_engine (const SimRunInput *in, SimWorld *w, VcConf *conf, GError **error)
{
  const SimScenario *s = in->scenario;
  VcEngineOptions o = *in->engine;

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
  o.observer = sim_ledger_observer (w->ledger);
  return vc_engine_new (w->cache, conf, s->lenient, &o, error);
}

/* ---- results -------------------------------------------------------------------------------- */

static RpResults *
open_results (const SimRunInput *in, const SimWorld *w, const char *const *extra, guint n_extra, GError **error)
{
  g_autofree RpResource *resource = g_new (RpResource, w->n_res);

  for (guint d = 0; d < w->n_res; d++) {
    const char *name = vc_res_names_get (w->cluster->names, d);
    gboolean whole = d == VC_RES_MEMORY || d == vc_res_names_pods (w->cluster->names) || g_str_has_prefix (name, "attachable-volumes-csi-");

    resource[d] = (RpResource){ name, whole ? 1 : 1000 };
  }
  return rp_results_new (in->keep ? in->scenario->out : NULL, resource, w->n_res, extra, n_extra, error);
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
commit (const SimRunInput *in, RpResults *results, const char *conf_text, const char *conf_digest, const RpTiming *timing, GError **error)
{
  const SimScenario *s = in->scenario;
  const char *const inputs[] = { in->file, s->nodes, s->jobs, s->objects, s->commands, s->scale, s->node_usage, s->images, s->faults, s->queues, s->conf };
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
  g_autofree char *command = g_strconcat ("volsim run", in->file != NULL ? " " : "", in->file != NULL ? in->file : "", s->given->str, NULL);
  RpManifest manifest = { .version = VOLSIM_VERSION,
                          .conf_text = conf_text,
                          .command = command,
                          .conf_digest = conf_digest,
                          .n_inputs = n,
                          .input_name = name,
                          .input_digest = (const char *const *) digest,
                          .period = s->period,
                          .seed = s->model.seed,
                          .start_date = date,
                          .interrupted = in->interrupted };

  if (!rp_results_commit (results, &manifest, timing, s->charts, &warning, &failure)) {
    if (g_error_matches (failure, RP_ERROR, RP_ERROR_INTERRUPTED))
      g_set_error_literal (error, SIM_ERROR, SIM_ERROR_INTERRUPTED, failure->message);
    else
      g_propagate_error (error, g_steal_pointer (&failure));
    return FALSE;
  }
  if (warning != NULL)
    warn (in, "%s", warning);
  return TRUE;
}

/* Not an error: the cluster would find out at submission, too. */
static void
warn_of_unknown_queues (const SimRunInput *in, const SimWorld *w)
{
  for (guint32 i = 0; i < w->n_queues; i++) {
    const SimQueue *q = &w->queue[i];

    if (q->unknown_job == SIM_NONE)
      continue;
    const SimJob *j = &w->job[q->unknown_job];

    warn (in, "%s:%u:1: there is no queue '%s': %s '%s' and others for it will %s", j->spec != NULL ? j->spec->file : in->scenario->jobs, j->line,
          q->name, j->kube == NULL ? "job" : sim_kind_of (j)->object, j->name, j->kube == NULL ? "be rejected" : "wait for a PodGroup in vain");
  }
  g_autofree gboolean *seen = g_new0 (gboolean, w->n_queues);

  for (guint32 i = 0; i < w->n_jobs; i++) { /* the first job of each queue tells whether it takes any, as things stand */
    guint32 queue = w->job[i].queue;
    const SimQueue *q = &w->queue[queue];

    if (seen[queue] || w->job[i].kube != NULL || q->row == VC_NONE || strcmp (q->state, "Open") != 0)
      continue;
    seen[queue] = TRUE;
    g_autofree char *reason = sim_queue_admit_job (w, queue, NULL);

    if (reason != NULL)
      warn (in, "%s:%u:1: job '%s' and others for queue '%s' will be rejected: %s",
            w->job[i].spec != NULL ? w->job[i].spec->file : in->scenario->jobs, w->job[i].line, w->job[i].name, q->name, reason);
  }
}

/* A job that one asked to follow may come into being in the middle of the run: only at the end is it clear that it never did. */
static void
warn_of_missed (const SimRunInput *in, const SimChain *chain)
{
  g_auto (GStrv) missed = chain != NULL ? sim_chain_missed (chain) : NULL;

  for (guint i = 0; missed != NULL && missed[i] != NULL; i++)
    warn (in, "'follow': there was no job '%s'", missed[i]);
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
      w->job[i].lost_work += w->pod[pod].lost_work;
      sim_record_pod (w, pod, w->pod[pod].deleting ? "Releasing" : phase[w->pod[pod].phase]);
    }
  }
  sim_world_flush_jobs (w, TRUE);
}

RpResults *
sim_run (const SimRunInput *in, GError **error)
{
  const SimScenario *s = in->scenario;
  g_autofree char *conf_text = NULL, *conf_digest = NULL;
  const char **extra = NULL;
  guint n_extra = 0;
  gint64 began = g_get_monotonic_time ();
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  VcConf *conf = read_conf (in, &conf_text, &conf_digest, error);

  if (conf == NULL)
    return NULL;
  g_autoptr (Swaps) swaps = read_swaps (in, error);
  g_autoptr (GPtrArray) confs = g_ptr_array_new ();
  g_ptr_array_add (confs, conf);
  for (guint i = 0; swaps != NULL && i < swaps->len; i++)
    if (g_array_index (swaps, SimConfSwap, i).conf != NULL)
      g_ptr_array_add (confs, g_array_index (swaps, SimConfSwap, i).conf);
  g_autoptr (SimWorld) w
    = swaps != NULL ? sim_load_world (s, (const VcConf *const *) confs->pdata, confs->len, in->cache, &extra, &n_extra, error) : NULL;

  g_autofree char *endless = w != NULL && s->until == SIM_NEVER ? sim_makers_endless (w) : NULL;

  if (endless != NULL)
    g_set_error_literal (error, SIM_ERROR, SIM_ERROR_INPUT, endless);
  if (w == NULL || endless != NULL) {
    vc_conf_free (conf);
    return NULL;
  }
  warn_of_unknown_queues (in, w);
  sim_load_warn (w, warnings);
  warn_all (in, warnings);
  g_autoptr (RpResults) results = open_results (in, w, extra, n_extra, error);

  if (results == NULL) {
    vc_conf_free (conf);
    return NULL;
  }
  g_autoptr (SimLedger) ledger = sim_ledger_new (w, results);
  g_autoptr (VcEngine) engine = make_engine (in, w, conf, error); /* takes conf over in any case */

  if (engine == NULL)
    return NULL;
  g_autoptr (SimRecord) record = sim_record_new (w, engine, results, s->sample);
  if (s->follow != NULL && !rp_results_follow (results, error))
    return NULL;
  g_autoptr (SimChain) chain = s->follow != NULL ? sim_chain_new (w, results, s->follow) : NULL;
  SimReplayOptions o = { .timing = { s->period, s->cycle_cost, s->cycle_cost_node, s->cycle_cost_pod },
                         .until = s->until,
                         .swap = (SimConfSwap *) (gpointer) swaps->data,
                         .n_swaps = swaps->len,
                         .lenient = s->lenient,
                         .check = s->check,
                         .skip = s->skip,
                         .explain = in->explain,
                         .explain_at = in->explain_at,
                         .interrupted = in->interrupted,
                         .progress = in->progress,
                         .progress_user = in->user };
  SimReplayResult result;

  if (in->begins != NULL)
    in->begins (in->user, w->jobs_total);
  if (!sim_replay_run (w, engine, record, &o, &result, error))
    return NULL;
  sim_ledger_finish (ledger);
  if (in->explained != NULL)
    *in->explained = result.explained;
  write_rest (w);
  warn_of_missed (in, chain);
  rp_results_end (results, result.end);
  if (!in->keep)
    return g_steal_pointer (&results);

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

  return commit (in, results, conf_text, conf_digest, &timing, error) ? g_steal_pointer (&results) : NULL;
}
