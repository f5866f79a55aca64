/* sim/run.c - one scenario from its inputs to its results. */
#include "run.h"
#include "replay.h"
#include "sim/controllers/kinds.h"
#include "sim/controllers/makers.h"
#include "sim/cycle/cycle.h"
#include "sim/cycle/save-cycle.h"
#include "sim/load/load.h"
#include "sim/record/chain.h"
#include "sim/record/ledger.h"
#include "sim/record/outlook.h"
#include "sim/record/placement.h"
#include "sim/record/recorded.h"
#include "sim/scheduler/shards.h"
#include "sim/world/queues.h"
#include "sim/world/views.h"
#include "workloads/native/native.h"
#include "workloads/text/file-digest.h"
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

/* A scheduler configuration (both @path and @preset NULL: the chart's) and its text. */
static VcConf *
read_conf (const SimRunInput *in, const char *path, const VcPreset *preset, char **text, gsize *len, GError **error)
{
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  const char *source = path;

  if (preset != NULL) {
    *text = g_strdup (preset->text);
    *len = strlen (preset->text);
    source = preset->name;
    if (vc_preset_is_beyond (preset))
      warn (in, SIM_PRESET_BEYOND, preset->name);
  } else if (path == NULL) {
    return vc_conf_chart ();
  } else if ((*text = wl_read_file (path, 4u << 20, len, error)) == NULL) {
    return NULL;
  }
  VcConf *conf = vc_conf_parse (*text, *len, source, vc_catalog (), in->scenario->lenient, warnings, error);

  warn_all (in, warnings);
  return conf;
}

/* Who follows a record acts when it says so. */
static SimTime
period_of (const SimScenario *s)
{
  return s->follow_record ? 0 : s->period;
}

static guint
n_schedulers (const SimScenario *s)
{
  return MAX (s->schedulers->len, 1);
}

/* NULL: the scenario's own. */
static const SimSchedulerSpec *
spec_of (const SimScenario *s, guint i)
{
  return s->schedulers->len > 0 ? s->schedulers->pdata[i] : NULL;
}

/* Does a scheduler of the list say by itself what it is configured with? */
static gboolean
has_own_conf (const SimSchedulerSpec *spec)
{
  return spec != NULL && (spec->conf != NULL || spec->preset != NULL);
}

static void
free_conf (gpointer conf)
{
  if (conf != NULL)
    vc_conf_free (conf);
}

/* One for each scheduler (VcConf; NULL once an engine has it). @text and @digest: of the first one's, of those of all. */
static GPtrArray *
read_confs (const SimRunInput *in, char **text, char **digest, GError **error)
{
  const SimScenario *s = in->scenario;
  g_autoptr (GPtrArray) confs = g_ptr_array_new_with_free_func (free_conf);
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);

  for (guint i = 0; i < n_schedulers (s); i++) {
    g_autofree char *own = NULL;
    gsize len = 0;
    const SimSchedulerSpec *spec = spec_of (s, i);
    VcConf *conf = has_own_conf (spec) ? read_conf (in, spec->conf, spec->preset, &own, &len, error) : read_conf (in, s->conf, s->preset, &own, &len, error);

    if (conf == NULL)
      return NULL;
    g_ptr_array_add (confs, conf);
    if (s->follow_record)
      sim_recorded_conf (conf);
    g_checksum_update (sum, (const guchar *) (own != NULL ? own : "chart"), own != NULL ? (gssize) len : 5);
    if (i == 0)
      *text = g_steal_pointer (&own);
  }
  *digest = g_strdup (g_checksum_get_string (sum));
  return g_steal_pointer (&confs);
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

  for (guint k = 0; k < s->conf_at->len * n_schedulers (s); k++) {
    const SimConfAt *at = &g_array_index (s->conf_at, SimConfAt, k / n_schedulers (s));
    SimConfSwap swap = { at->time, at->file, k % n_schedulers (s), NULL };
    if (has_own_conf (spec_of (s, swap.scheduler)))
      continue; /* it reads a file of its own */
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

/* The scheduler's flags, of the command line and of the scenario. */
static VcEngineOptions
engine_options (const SimRunInput *in)
{
  const SimScenario *s = in->scenario;
  VcEngineOptions o = *in->engine;

  o.percentage_nodes_to_find = s->percentage_nodes_to_find;
  o.minimum_feasible_nodes = s->minimum_feasible_nodes;
  o.minimum_percentage_nodes_to_find = s->minimum_percentage_nodes_to_find;
  o.plain = s->plain;
  o.random_ties = s->random_ties;
  o.tie_seed = s->tie_seed;
  return o;
}

/* What the cycle that is saved decides. */
typedef struct { SimWorld *w; SimTime at; GPtrArray *decisions; } Witness;

static void
witness_clear (Witness *x)
{
  g_clear_pointer (&x->decisions, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Witness, witness_clear)

static void
bear_witness (VcSession *ssn, gpointer user)
{
  Witness *x = user;

  if (x->w->now == x->at && x->decisions == NULL)
    x->decisions = sim_cycle_decisions (x->w->cache);
}

/* Do the objects lead to the same decisions without all that went before? */
static gboolean
check_saved (const SimRunInput *in, const char *conf_text, const Witness *x, GError **error)
{
  g_autoptr (WlObjects) objects = wl_objects_parse (*in->saved, strlen (*in->saved), "saved cycle", error);
  g_autoptr (GPtrArray) again = g_ptr_array_new_with_free_func (g_free);
  SimCycleInput c;

  if (objects == NULL)
    return FALSE;
  sim_cycle_input_init (&c);
  c.conf_text = conf_text;
  c.conf_len = conf_text != NULL ? strlen (conf_text) : 0;
  c.conf_source = in->scenario->preset != NULL ? in->scenario->preset->name : in->scenario->conf;
  c.lenient = in->scenario->lenient;
  c.cache = *in->cache;
  c.engine = engine_options (in);
  c.now = in->scenario->start * SIM_SECOND + x->at;
  c.decisions = again;
  g_autofree char *answer = sim_cycle_run (objects, &c, SIM_FORMAT_JSON, NULL, error);
  g_autofree char *differ = answer != NULL ? sim_decisions_differ (x->decisions, again) : NULL;

  if (differ != NULL)
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT,
                 "the cycle at %g cannot be saved: its scheduler remembers what no object says (such as shares of devices, or where its next scan of nodes begins): %s",
                 (double) x->at / (double) SIM_SECOND, differ);
  return answer != NULL && differ == NULL;
}

static VcEngine *
make_engine (const SimRunInput *in, SimWorld *w, guint view, VcConf *conf, Witness *witness, GError **error)
{
  const SimScenario *s = in->scenario;
  VcEngineOptions o = engine_options (in);

  if (in->saved != NULL) {
    o.at_close = bear_witness;
    o.at_close_user = witness;
  }
  o.verbosity = (int) s->verbosity;
  o.log = s->verbosity > 0 ? log_line : NULL;
  o.log_user = w;
  o.clock = monotonic_ns;
  o.observer = sim_ledger_observer (w->ledger);
  o.outlook = sim_outlook;
  o.progress = sim_progress;
  o.outlook_user = w;
  o.record = w->recorded != NULL ? &sim_recorded_hooks : NULL;
  return vc_engine_new (w->view[view].cache, conf, s->lenient, &o, error);
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

void
sim_run_input (const char *file, GPtrArray *name, GPtrArray *digest)
{
  g_ptr_array_add (name, g_strdup (file));
  g_ptr_array_add (digest, wl_file_digest (file, NULL));
}

static void
add_inputs (const SimScenario *s, const char *file, const SimImported *imported, GPtrArray *name, GPtrArray *digest)
{
  const char *const inputs[] = { file, s->nodes, s->jobs, s->objects, s->commands, s->scale, s->node_usage, s->images, s->faults, s->recorded, s->queues, s->conf };
  g_autofree char *below = imported != NULL ? g_strconcat (imported->dir, "/", NULL) : NULL;

  for (char **one = imported != NULL ? imported->files : NULL; one != NULL && *one != NULL; one++)
    sim_run_input (*one, name, digest);
  for (guint i = 0; i < G_N_ELEMENTS (inputs) + s->conf_at->len; i++) {
    const char *one = i < G_N_ELEMENTS (inputs) ? inputs[i] : g_array_index (s->conf_at, SimConfAt, i - G_N_ELEMENTS (inputs)).file;

    if (one != NULL && (below == NULL || !g_str_has_prefix (one, below)))
      sim_run_input (one, name, digest);
  }
  for (guint i = 0; i < s->schedulers->len; i++)
    if (spec_of (s, i)->conf != NULL)
      sim_run_input (spec_of (s, i)->conf, name, digest);
}

void
sim_run_inputs (const SimScenario *s, const char *file, GPtrArray *name, GPtrArray *digest)
{
  add_inputs (s, file, NULL, name, digest);
}

static gboolean
commit (const SimRunInput *in, RpResults *results, const char *conf_text, const char *conf_digest, const char *beyond, const RpTiming *timing, GError **error)
{
  const SimScenario *s = in->scenario;
  g_autoptr (GPtrArray) name = g_ptr_array_new_with_free_func (g_free), digest = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDateTime) start = g_date_time_new_from_unix_utc (s->start);
  g_autofree char *date = g_date_time_format (start, "%Y-%m-%dT%H:%M:%SZ"), *warning = NULL;
  g_autoptr (GError) failure = NULL;

  add_inputs (s, in->file, in->imported, name, digest);
  const char *what = in->imported != NULL ? in->imported->words : in->file;
  g_autofree char *command = g_strconcat ("volsim run", what != NULL ? " " : "", what != NULL ? what : "", s->given->str, NULL);
  RpManifest manifest = { .version = VOLSIM_VERSION,
                          .conf_text = conf_text,
                          .command = command,
                          .beyond = beyond,
                          .conf_digest = conf_digest,
                          .n_inputs = name->len,
                          .input_name = (const char **) name->pdata,
                          .input_digest = (const char *const *) digest->pdata,
                          .period = period_of (s),
                          .until = s->until != SIM_NEVER ? s->until : RP_NONE,
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

/* What is left when the run ends is written with the phase that it has, or as Releasing while its deletion is under way. A pod that still runs has
 * lost nothing yet: its time is used, and counts as wasted only where it will not end by itself any more. */
static void
write_rest (SimWorld *w)
{
  static const char *const phase[] = { "Pending", "Running", "Succeeded", "Failed" };

  for (guint32 i = 0; i < w->n_jobs; i++) {
    sim_job_pods (w, i);
    for (guint k = 0; k < w->rows->len; k++) {
      guint32 pod = g_array_index (w->rows, guint32, k);

      sim_pod_account (w, pod, !w->pod[pod].deleting);
      w->job[i].lost_work += w->pod[pod].lost_work;
      sim_record_pod (w, pod, w->pod[pod].deleting ? "Releasing" : phase[w->pod[pod].phase]);
    }
  }
  sim_world_flush_jobs (w, TRUE);
}

/* ---- schedulers ------------------------------------------------------------------------------ */

typedef struct {
  guint n;
  VcEngine **engine;
  SimSchedulerTiming *timing;
} Schedulers;

static void
schedulers_clear (Schedulers *all)
{
  for (guint i = 0; all->engine != NULL && i < all->n; i++)
    vc_engine_free (all->engine[i]);
  g_free (all->engine);
  g_free (all->timing);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Schedulers, schedulers_clear)

/* An engine and a timer for each. @confs are taken out. */
static gboolean
make_schedulers (const SimRunInput *in, SimWorld *w, GPtrArray *confs, Witness *witness, Schedulers *all, GError **error)
{
  const SimScenario *s = in->scenario;

  all->n = w->n_views;
  all->engine = g_new0 (VcEngine *, all->n);
  all->timing = g_new0 (SimSchedulerTiming, all->n);
  for (guint i = 0; i < all->n; i++) {
    const SimSchedulerSpec *spec = spec_of (s, i);

    all->timing[i] = (SimSchedulerTiming){ spec != NULL && spec->period != SIM_NO_TIME ? spec->period : period_of (s), spec != NULL ? spec->offset : 0, s->cycle_cost,
                                           s->cycle_cost_node, s->cycle_cost_pod };
    all->engine[i] = make_engine (in, w, i, g_steal_pointer (&confs->pdata[i]), witness, error);
    if (all->engine[i] == NULL)
      return FALSE;
  }
  return TRUE;
}

/* Objects say what one scheduler sees under one configuration, which decides. */
static gboolean
check_saving (const SimRunInput *in, GError **error)
{
  const char *what = in->scenario->schedulers->len > 0                ? "'schedulers'"
                     : in->scenario->conf_at->len > 0                 ? "'conf_at'"
                     : in->scenario->follow_record                    ? "'follow_record'"
                     : in->cache->sharding != VC_SHARDING_NONE        ? "shards of nodes"
                                                                      : NULL;

  if (in->saved == NULL || what == NULL)
    return TRUE;
  g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--save-cycle: expected a scenario with one scheduler that decides by one configuration and sees all nodes, found %s", what);
  return FALSE;
}

/* What a run that follows a record cannot have. */
static gboolean
check_follow (const SimScenario *s, GError **error)
{
  const struct { gboolean found; const char *expected, *what; } rules[] = {
    { s->recorded == NULL, "'recorded' as well", "none" },
    { s->schedulers->len > 0, "one scheduler", "'schedulers'" },
    { s->conf_at->len > 0, "one configuration", "'conf_at'" },
  };

  for (guint i = 0; s->follow_record && i < G_N_ELEMENTS (rules); i++)
    if (rules[i].found) {
      g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "'follow_record', expected %s, found %s", rules[i].expected, rules[i].what);
      return FALSE;
    }
  return TRUE;
}

/* Flags of the scheduler stand for one; with a list the list says it. */
static gboolean
check_flags (const SimRunInput *in, GError **error)
{
  const VcCacheOptions *o = in->cache;
  gboolean named = strcmp (o->scheduler_names[0], "volcano") != 0 || o->scheduler_names[1] != NULL;

  if (in->scenario->schedulers->len == 0 || (!named && o->sharding == VC_SHARDING_NONE && strcmp (o->shard, "volcano") == 0))
    return TRUE;
  g_set_error_literal (error, SIM_ERROR, SIM_ERROR_INPUT, "--scheduler-name, --scheduler-sharding-mode and --scheduler-sharding-name beside 'schedulers' of the scenario, expected them there, "
                                                          "found them here");
  return FALSE;
}

static void
write_schedulers (SimWorld *w, RpResults *results)
{
  static const char *const modes[] = { [VC_SHARDING_NONE] = "none", [VC_SHARDING_SOFT] = "soft", [VC_SHARDING_HARD] = "hard" };

  for (guint v = 0; w->n_views > 1 && v < w->n_views; v++) {
    const SimView *view = &w->view[v];
    RpScheduler row = { .name = view->name,
                        .sharding = modes[view->sharding],
                        .shard = view->sharding != VC_SHARDING_NONE ? view->shard : "",
                        .nodes = sim_shard_count_nodes (w, v),
                        .cycles = view->cycles,
                        .binds = view->binds,
                        .evictions = view->evictions,
                        .enqueued = view->enqueued,
                        .refused = view->refused };

    for (guint32 i = 0; i < w->n_jobs; i++) {
      const SimJob *j = &w->job[i];

      if (sim_view_of_job (w, i) != v)
        continue;
      row.jobs += j->submitted;
      row.started += j->started;
      row.finished += j->finish != SIM_NO_TIME;
    }
    rp_results_scheduler (results, &row);
  }
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Real time by action, over all engines. */
static void
sum_actions (const Schedulers *all, GPtrArray *name, GArray *seconds)
{
  for (guint e = 0; e < all->n; e++)
    for (guint i = 0; i < vc_engine_n_actions (all->engine[e]); i++) {
      const char *action = vc_engine_action_name (all->engine[e], i);
      double s = vc_engine_action_seconds (all->engine[e], i);
      guint k = 0;

      while (e > 0 && k < name->len && strcmp (name->pdata[k], action) != 0)
        k++;
      if (e > 0 && k < name->len) {
        g_array_index (seconds, double, k) += s;
        continue;
      }
      g_ptr_array_add (name, (gpointer) action);
      g_array_append_val (seconds, s);
    }
}

static RpTiming
measure (const Schedulers *all, const SimReplayResult *result, const SimRecord *record, const RpTook *began, GPtrArray *action, GArray *seconds)
{
  struct rusage usage = { 0 };
  double open = 0, close = 0;

  sum_actions (all, action, seconds);
  for (guint i = 0; i < all->n; i++) {
    open += vc_engine_open_seconds (all->engine[i]);
    close += vc_engine_close_seconds (all->engine[i]);
  }
  getrusage (RUSAGE_SELF, &usage);
  return (RpTiming){ .run = rp_took (began, FALSE),
                     .cycles = result->cycles,
                     .cycles_skipped = result->skipped,
                     .events = result->events,
                     .binds = sim_record_binds (record),
                     .n_actions = action->len,
                     .action = (const char *const *) action->pdata,
                     .action_seconds = (const double *) (gpointer) seconds->data,
                     .open_seconds = open,
                     .close_seconds = close,
                     .peak_memory_bytes = (guint64) usage.ru_maxrss * 1024 };
}

static SimWorld *
load_world (const SimRunInput *in, const GPtrArray *confs, const Swaps *swaps, const char ***extra, guint *n_extra, GError **error)
{
  const SimScenario *s = in->scenario;
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < confs->len; i++)
    g_ptr_array_add (all, confs->pdata[i]);
  for (guint i = 0; i < swaps->len; i++)
    if (g_array_index (swaps, SimConfSwap, i).conf != NULL)
      g_ptr_array_add (all, g_array_index (swaps, SimConfSwap, i).conf);
  g_autoptr (SimWorld) w = sim_load_world (s, (const VcConf *const *) all->pdata, all->len, in->cache, extra, n_extra, error);

  if (w == NULL)
    return NULL;
  g_autofree char *endless = s->until == SIM_NEVER ? sim_makers_endless (w) : NULL;

  if (endless != NULL) {
    g_set_error_literal (error, SIM_ERROR, SIM_ERROR_INPUT, endless);
    return NULL;
  }
  warn_of_unknown_queues (in, w);
  sim_load_warn (w, warnings);
  warn_all (in, warnings);
  return g_steal_pointer (&w);
}

RpResults *
sim_run (const SimRunInput *in, GError **error)
{
  const SimScenario *s = in->scenario;
  g_autofree char *conf_text = NULL, *conf_digest = NULL;
  const char **extra = NULL;
  guint n_extra = 0;
  const RpTook began = rp_took (NULL, FALSE);
  g_autoptr (GPtrArray) confs = check_follow (s, error) && check_flags (in, error) && check_saving (in, error) ? read_confs (in, &conf_text, &conf_digest, error) : NULL;
  g_autoptr (Swaps) swaps = confs != NULL ? read_swaps (in, error) : NULL;
  g_autofree char *beyond = confs != NULL ? sim_confs_beyond (confs) : NULL;
  g_autoptr (SimWorld) w = swaps != NULL ? load_world (in, confs, swaps, &extra, &n_extra, error) : NULL;

  if (w == NULL)
    return NULL;
  g_autoptr (RpResults) results = open_results (in, w, extra, n_extra, error);

  if (results == NULL || (w->n_views > 1 && !rp_results_several (results, error)))
    return NULL;
  g_autoptr (SimLedger) ledger = sim_ledger_new (w, results);
  g_auto (Schedulers) schedulers = { 0 };
  g_auto (Witness) witness = { w, in->explain_at, NULL };

  g_autoptr (GArray) record_rows = s->recorded != NULL ? sim_recorded_read (s->recorded, results, error) : NULL;
  g_autoptr (SimRecorded) recorded = record_rows != NULL && s->follow_record ? sim_recorded_new (w, record_rows, results, error) : NULL;

  if ((s->recorded != NULL && record_rows == NULL) || (s->follow_record && recorded == NULL) || !make_schedulers (in, w, confs, &witness, &schedulers, error))
    return NULL;
  g_autoptr (SimRecord) record = sim_record_new (w, results, s->sample);
  if (sim_racks_possible (w) && !rp_results_racks (results, error))
    return NULL;
  if (s->follow != NULL && !rp_results_follow (results, error))
    return NULL;
  g_autoptr (SimChain) chain = s->follow != NULL ? sim_chain_new (w, results, s->follow) : NULL;
  SimReplayOptions o = { .until = s->until,
                         .swap = (SimConfSwap *) (gpointer) swaps->data,
                         .n_swaps = swaps->len,
                         .lenient = s->lenient,
                         .check = s->check || s->check_fully,
                         .check_fully = s->check_fully,
                         .skip = s->skip,
                         .explain = in->explain,
                         .saved = in->saved,
                         .explain_at = in->explain_at,
                         .interrupted = in->interrupted,
                         .progress = in->progress,
                         .progress_user = in->user };
  SimReplayResult result;

  if (in->begins != NULL)
    in->begins (in->user, w->jobs_total);
  if (!sim_replay_run (w, schedulers.engine, schedulers.timing, record, &o, &result, error))
    return NULL;
  sim_ledger_finish (ledger);
  if (in->explained != NULL)
    *in->explained = result.explained;
  if (in->saved != NULL && *in->saved != NULL && !check_saved (in, conf_text, &witness, error))
    return NULL;
  if (recorded != NULL)
    sim_recorded_finish (recorded);
  write_rest (w);
  write_schedulers (w, results);
  sim_record_nodes (w);
  warn_of_missed (in, chain);
  rp_results_end (results, result.end);
  if (!in->keep)
    return g_steal_pointer (&results);

  g_autoptr (GPtrArray) action = g_ptr_array_new ();
  g_autoptr (GArray) seconds = g_array_new (FALSE, FALSE, sizeof (double));
  const RpTiming timing = measure (&schedulers, &result, record, &began, action, seconds);

  return commit (in, results, conf_text, conf_digest, beyond, &timing, error) ? g_steal_pointer (&results) : NULL;
}
