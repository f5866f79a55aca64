/* sim/load/scenario.c - the table of keys, and the reader of scenario files. */
#include "scenario.h"
#include "scheduler-spec.h"
#include "core/conf/conf-yaml.h"
#include "core/conf/conf.h"
#include "sim/cycle/cycle.h"
#include "workloads/admission/admission.h"
#include "workloads/k8s/k8s-objects.h"
#include "workloads/native/behaviour.h"
#include "workloads/native/native.h"
#include <string.h>

const SimScenarioKey sim_scenario_keys[] = {
  { "nodes", "FILE", NULL, "nodes of the cluster over time (nodes.csv)" },
  { "jobs", "FILE", NULL, "jobs in the order of the file (jobs.csv)" },
  { "objects", "FILE", NULL, "objects of the workload and what governs it (Job, Deployment, Pod, Queue …), in YAML or JSON" },
  { "commands", "FILE", NULL, "what users tell the controllers of jobs and queues (commands.csv)" },
  { "scale", "FILE", NULL, "edits of replicas and minima while jobs live (scale.csv)" },
  { "node_usage", "FILE", NULL, "measured load of the nodes, for the plugin usage (JSON)" },
  { "queues", "FILE", "root and default only", "queues (queues.csv)" },
  { "conf", "FILE", "the chart's configuration", "scheduler configuration (volcano-scheduler.conf)" },
  { "policy_preset", "NAME", NULL, "configuration that 'volsim presets' lists, in place of a file" },
  { "out", "DIR", "volsim-results", "where the results go" },
  { "period", "TIME", "1", "time from one cycle to the next; 0: a cycle whenever something has happened" },
  { "grace", "TIME", "30", "how long a deleted pod keeps its node" },
  { "until", "TIME", "the end of the work", "stop at this time" },
  { "start", "RFC3339", "2026-01-01T00:00:00Z", "calendar date of time 0" },
  { "conf_at", "TIME=FILE", NULL, "configuration that the scheduler finds at a time; a broken one changes nothing" },
  { "bind_fail", "NS/POD=N", NULL, "let the first N binds of pods of that name fail" },
  { "network_topology_types", "TYPE=LABEL,…", NULL, "labels of nodes, from the top of the network to kubernetes.io/hostname, that make HyperNodes" },
  { "bind_latency", "DIST", "0", "how long the binding of a pod takes" },
  { "bind_batch", "N", "1", "pods that are bound one after the other" },
  { "bind_qps", "N", "no limit", "most binds in a second" },
  { "bind_burst", "N", "those of a second", "binds that may come at once nevertheless" },
  { "bind_error", "RATE", "0", "share of binds that fail" },
  { "resync_error", "RATE", "0", "share of failed binds whose pod cannot be read again at once" },
  { "start_delay", "DIST", "0", "from the bind until the pod runs" },
  { "start_failure", "RATE", "0", "share of pods that their node refuses: they fail instead of starting" },
  { "start_stuck", "RATE", "0", "share of pods that do not start, as with an image that cannot be pulled" },
  { "start_stuck_time", "DIST", "for ever", "how long these do not start" },
  { "crash_loop", "RATE", "0", "share of pods whose containers crash in every run" },
  { "crash_after", "DIST", "10", "how long such a run takes" },
  { "failure", "RATE", "0", "share of runs of pods that fail before they are through" },
  { "time_to_failure", "DIST", "evenly over the run", "after how long they do" },
  { "failure_exit_code", "N", "1", "what they end with" },
  { "checkpoint", "TIME", "0", "work is saved so often; 0: never" },
  { "straggler", "RATE", "0", "share of pods that are slow" },
  { "straggler_node", "RATE", "0", "share of nodes whose pods are slow" },
  { "slowdown", "DIST", "2", "how many times as long everything takes them" },
  { "usage", "NUMBER", "1", "part of its request that a running pod uses" },
  { "usage_interval", "TIME", "0", "how often the nodes' load is measured, for the plugin usage; 0: never" },
  { "faults", "FILE", NULL, "what breaks in the cluster, and when (faults.csv)" },
  { "recorded", "FILE", NULL, "what happened to the jobs in reality, for comparison (recorded.csv)" },
  { "follow_record", NULL, "false", "start jobs when and where the record says, and tell what does not fit there" },
  { "node_monitor_grace", "TIME", "50", "until the cluster notices that a machine is off" },
  { "unreachable_toleration", "TIME", "300", "how long pods bear an unreachable node unless they say otherwise; whole seconds" },
  { "controller_lag", "TIME", "0", "from what happens until the job and queue controllers act on it" },
  { "informer_lag", "TIME", "0", "from what happens until the scheduler hears of it" },
  { "images", "FILE", NULL, "sizes of images, or how long their pulls take (images.csv)" },
  { "image_bandwidth", "QUANTITY", "no limit", "bytes of images that a node pulls in a second" },
  { "provision_latency", "DIST", "0", "from the order for a volume until it is there" },
  { "pre_stop", "DIST", "0", "how long a pod that is deleted prepares for its end" },
  { "termination", "DIST", "the grace period", "how long its containers take to end after that" },
  { "sample", "TIME", "0", "write a row of cycles.csv at least this often; 0: only on change" },
  { "cycle_cost", "TIME", "0", "virtual time that a cycle takes" },
  { "cycle_cost_per_node", "TIME", "0", "more of it for each node" },
  { "cycle_cost_per_pod", "TIME", "0", "more of it for each pending pod" },
  { "percentage_nodes_to_find", "N", "0", "share of the nodes that is looked at, 1 to 100; 0: adaptive" },
  { "minimum_feasible_nodes", "N", "100", "look at all nodes up to this many" },
  { "minimum_percentage_nodes_to_find", "N", "5", "lower end of the adaptive share" },
  { "seed", "N", "0", "seed of everything random" },
  { "node_count", "NODE=N", NULL, "so many nodes of that row of nodes.csv, in place of its count" },
  { "keep_nodes", "N", "all", "only so many nodes, drawn with the seed" },
  { "snapshot", "TIME|all", NULL, "only the jobs that would run at this time if none had waited; they come at 0 and never end" },
  { "request_scale", "FACTOR", "1", "requests of jobs.csv times this" },
  { "more_jobs", "FILE", NULL, "more jobs behind those of jobs.csv, as copies: rows (jobs.csv) or Job objects (.yaml, .yml, .json)" },
  { "more_copies", "N", "1", "how many copies of each of them" },
  { "more_at", "TIME", "0", "when they are submitted" },
  { "arrival_rate", "FACTOR", "1", "jobs come this many times as fast: submission times are divided by it" },
  { "shake", "TIME", "0", "move each submission by up to this, either way, drawn with the seed" },
  { "ties", "first|random:SEED", "first", "which of several best nodes is taken" },
  { "lenient", NULL, "false", "accept configurations that Volcano accepts with a shrug" },
  { "plain", NULL, "false", "run the plain twin of every shortcut" },
  { "ignored_provisioners", "NAMES", NULL, "drivers whose volumes are not counted on nodes, with commas between" },
  { "enabled_admission", "PATHS", "the chart's", "admission webhooks that are on, with commas between" },
  { "admission_conf", "FILE", NULL, "resource groups for the webhook /pods/mutate (volcano-admission.conf)" },
  { "enable_queue_allocated_pods_check", NULL, "false", "refuse to delete queues that have allocated pods" },
  { "follow", "NS/JOB,…", NULL, "write every step of these jobs' way through Volcano to chain.csv; all: of every job" },
  { "check_invariants", NULL, "false", "check after every cycle what must always hold, and end the run when it does not" },
  { "check_fully", NULL, "false", "the same, of what has not changed, too" },
  { "skip", NULL, "true", "skip cycles that cannot decide anything" },
  { "charts", NULL, "true", "draw charts" },
  { NULL, NULL, NULL, NULL },
};

gboolean
sim_scenario_key_repeats (const SimScenarioKey *key)
{
  return key->argument != NULL && strchr (key->argument, '=') != NULL;
}

void
sim_scenario_init (SimScenario *s)
{
  *s = (SimScenario){
    .period = SIM_SECOND,
    .grace = 30 * SIM_SECOND,
    .until = SIM_NEVER,
    .start = G_GINT64_CONSTANT (1767225600), /* 2026-01-01T00:00:00Z */
    .arrival_rate = 1,
    .request_scale = 1,
    .keep_nodes = -1,
    .snapshot = SIM_NO_TIME,
    .more_copies = 1,
    .given = g_string_new (NULL),
    .node_count = g_array_new (FALSE, FALSE, sizeof (SimNodeCount)),
    .minimum_feasible_nodes = 100,
    .minimum_percentage_nodes_to_find = 5,
    .webhooks = WL_WEBHOOKS_OF_CHART,
    .skip = TRUE,
    .charts = TRUE,
    .classes = g_array_new (FALSE, FALSE, sizeof (SimClass)),
    .schedulers = g_ptr_array_new_with_free_func (sim_scheduler_spec_free),
    .bind_fail = g_array_new (FALSE, FALSE, sizeof (SimBindFailure)),
    .conf_at = g_array_new (FALSE, FALSE, sizeof (SimConfAt)),
    .topology_types = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev),
  };
  sim_model_init (&s->model);
}

void
sim_scenario_clear (SimScenario *s)
{
  g_clear_pointer (&s->nodes, g_free);
  g_clear_pointer (&s->jobs, g_free);
  g_clear_pointer (&s->queues, g_free);
  g_clear_pointer (&s->objects, g_free);
  g_clear_pointer (&s->commands, g_free);
  g_clear_pointer (&s->scale, g_free);
  g_clear_pointer (&s->node_usage, g_free);
  g_clear_pointer (&s->images, g_free);
  g_clear_pointer (&s->faults, g_free);
  g_clear_pointer (&s->recorded, g_free);
  sim_model_clear (&s->model);
  g_clear_pointer (&s->conf, g_free);
  g_clear_pointer (&s->out, g_free);
  g_clear_pointer (&s->follow, g_free);
  g_clear_pointer (&s->admission_conf, g_free);
  g_clear_pointer (&s->more_jobs, g_free);
  g_clear_pointer (&s->ignored_provisioners, g_strfreev);
  for (guint i = 0; s->classes != NULL && i < s->classes->len; i++)
    g_free (g_array_index (s->classes, SimClass, i).name);
  g_clear_pointer (&s->classes, g_array_unref);
  g_clear_pointer (&s->schedulers, g_ptr_array_unref);
  for (guint i = 0; s->bind_fail != NULL && i < s->bind_fail->len; i++)
    g_free (g_array_index (s->bind_fail, SimBindFailure, i).pod);
  g_clear_pointer (&s->bind_fail, g_array_unref);
  for (guint i = 0; s->conf_at != NULL && i < s->conf_at->len; i++)
    g_free (g_array_index (s->conf_at, SimConfAt, i).file);
  g_clear_pointer (&s->conf_at, g_array_unref);
  for (guint i = 0; s->node_count != NULL && i < s->node_count->len; i++)
    g_free (g_array_index (s->node_count, SimNodeCount, i).name);
  g_clear_pointer (&s->node_count, g_array_unref);
  g_clear_pointer (&s->topology_types, g_ptr_array_unref);
  if (s->given != NULL)
    g_string_free (g_steal_pointer (&s->given), TRUE);
}

void
sim_scenario_note (SimScenario *s, const char *key, const char *value)
{
  static const char *const idle[] = { "out", "plain", "skip", "check_invariants", "check_fully", "charts", "v", "follow", NULL };

  if (g_strv_contains (idle, key))
    return;
  g_autofree char *option = g_strdelimit (g_strdup (key), "_", '-'), *quoted = value != NULL ? g_shell_quote (value) : NULL;

  if (value == NULL) {
    g_string_append_printf (s->given, " --%s", option);
    return;
  }
  gboolean plain = *value != '\0' && strspn (value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/:=-") == strlen (value);

  g_string_append_printf (s->given, " --%s %s", option, plain ? value : quoted);
}

/* ---- values --------------------------------------------------------------------------------- */

static gboolean
refuse (GError **error, const char *key, const char *expected, const char *found)
{
  g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "'%s', expected %s, found '%s'", key, expected, found);
  return FALSE;
}

static gboolean
set_path (char **to, const char *value, const char *base)
{
  g_free (*to);
  if (base != NULL && strcmp (base, ".") != 0 && !g_path_is_absolute (value) && strcmp (value, "-") != 0)
    *to = g_build_filename (base, value, NULL);
  else
    *to = g_strdup (value);
  return TRUE;
}

static gboolean
set_time (SimTime *to, const char *key, const char *value, gboolean zero, GError **error)
{
  WlTime t;

  if (!wl_parse_time (value, FALSE, &t, NULL) || t < 0 || (t == 0 && !zero))
    return refuse (error, key, zero ? "a time such as 30 or 1m30s" : "a time above 0 such as 1 or 500ms", value);
  *to = t;
  return TRUE;
}

static gboolean
set_seconds (SimTime *to, const char *key, const char *value, GError **error)
{
  WlTime t;

  if (!wl_parse_time (value, FALSE, &t, NULL) || t % SIM_SECOND != 0)
    return refuse (error, key, "a whole number of seconds such as 300 or 5m", value);
  *to = t;
  return TRUE;
}

static gboolean
set_int (gint64 *to, const char *key, const char *value, gint64 low, gint64 high, GError **error)
{
  g_autofree char *expected = g_strdup_printf ("an integer from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, low, high);
  gint64 v;

  if (!g_ascii_string_to_signed (value, 10, low, high, &v, NULL))
    return refuse (error, key, expected, value);
  *to = v;
  return TRUE;
}

static gboolean
set_seed (guint64 *to, const char *key, const char *value, GError **error)
{
  if (!g_ascii_string_to_unsigned (value, 10, 0, G_MAXUINT64, to, NULL))
    return refuse (error, key, "an integer from 0", value);
  return TRUE;
}

/* A probability. */
static gboolean
set_rate (double *to, const char *key, const char *value, GError **error)
{
  char *end = NULL;
  double v = g_ascii_isdigit (*value) || *value == '.' ? g_ascii_strtod (value, &end) : -1;

  if (end == NULL || *end != '\0' || !(v >= 0 && v <= 1))
    return refuse (error, key, "a rate from 0 to 1", value);
  *to = v;
  return TRUE;
}

static gboolean
set_distribution (WlDistribution *to, const char *key, const char *value, gboolean times, GError **error)
{
  WlDistribution d;

  if (!wl_parse_distribution (value, times, &d, error)) {
    g_prefix_error (error, "'%s', ", key);
    return FALSE;
  }
  wl_distribution_clear (to);
  *to = d;
  return TRUE;
}

static gboolean
set_usage (double *to, const char *key, const char *value, GError **error)
{
  return wl_parse_share (value, 100, to, NULL) || refuse (error, key, "a number from 0 to 100", value);
}

/* Any number above 0: calls in a second, or a factor. */
static gboolean
set_positive (double *to, const char *key, const char *value, GError **error)
{
  char *end = NULL;
  double v = g_ascii_isdigit (*value) || *value == '.' ? g_ascii_strtod (value, &end) : -1;

  if (end == NULL || *end != '\0' || !(v >= 1e-3 && v <= 1e6))
    return refuse (error, key, "a number from 0.001 to 1000000", value);
  *to = v;
  return TRUE;
}

static gboolean
set_bytes (double *to, const char *key, const char *value, GError **error)
{
  VcQuantity q;

  if (!vc_quantity_parse (value, &q, NULL) || q.value < 1)
    return refuse (error, key, "a quantity of bytes above 0 such as 100Mi", value);
  *to = (double) q.value;
  return TRUE;
}

static gboolean
set_switch (gboolean *to, const char *key, const char *value, GError **error)
{
  if (strcmp (value, "true") != 0 && strcmp (value, "false") != 0)
    return refuse (error, key, "true or false", value);
  *to = value[0] == 't';
  return TRUE;
}

static gboolean
set_ties (SimScenario *s, const char *key, const char *value, GError **error)
{
  if (strcmp (value, "first") == 0) {
    s->random_ties = FALSE;
    return TRUE;
  }
  if (!g_str_has_prefix (value, "random:"))
    return refuse (error, key, "first or random:SEED", value);
  s->random_ties = TRUE;
  return set_seed (&s->tie_seed, key, value + 7, error);
}

#define YEAR_1 G_GINT64_CONSTANT (-62135596800) /* GLib knows no earlier date */

static gboolean
set_start (SimScenario *s, const char *key, const char *value, GError **error)
{
  if (!vc_parse_rfc3339 (value, &s->start) || s->start < YEAR_1)
    return refuse (error, key, "a date such as 2026-01-01T00:00:00Z", value);
  return TRUE;
}

static gboolean
set_conf_at (SimScenario *s, const char *key, const char *value, const char *base, GError **error)
{
  const char *equals = strchr (value, '=');
  g_autofree char *left = equals != NULL ? g_strndup (value, (gsize) (equals - value)) : NULL;
  SimConfAt c = { 0, NULL };

  if (equals == NULL || equals[1] == '\0')
    return refuse (error, key, "TIME=FILE", value);
  if (!set_time (&c.time, key, left, TRUE, error))
    return FALSE;
  set_path (&c.file, equals + 1, base);
  g_array_append_val (s->conf_at, c);
  return TRUE;
}

static gboolean
set_bind_fail (SimScenario *s, const char *key, const char *value, GError **error)
{
  const char *equals = strrchr (value, '='), *slash = strchr (value, '/');
  guint64 n;

  if (equals == NULL || slash == NULL || slash == value || slash + 1 >= equals ||
      !g_ascii_string_to_unsigned (equals + 1, 10, 0, G_MAXUINT32, &n, NULL))
    return refuse (error, key, "NAMESPACE/POD=NUMBER", value);
  SimBindFailure f = { g_strndup (value, (gsize) (equals - value)), (guint32) n };

  g_array_append_val (s->bind_fail, f);
  return TRUE;
}

static gboolean
set_node_count (SimScenario *s, const char *key, const char *value, GError **error)
{
  const char *equals = strrchr (value, '=');
  guint64 n;

  if (equals == NULL || equals == value || !g_ascii_string_to_unsigned (equals + 1, 10, 0, 1000000, &n, NULL))
    return refuse (error, key, "NODE=NUMBER", value);
  SimNodeCount c = { g_strndup (value, (gsize) (equals - value)), (guint32) n };

  for (guint i = 0; i < s->node_count->len; i++) { /* the last word counts */
    SimNodeCount *known = &g_array_index (s->node_count, SimNodeCount, i);

    if (strcmp (known->name, c.name) == 0) {
      known->n = c.n;
      g_free (c.name);
      return TRUE;
    }
  }
  g_array_append_val (s->node_count, c);
  return TRUE;
}

/* The bottom is always the node itself. */
static gboolean
set_topology_type (SimScenario *s, const char *key, const char *value, GError **error)
{
  const char *equals = strchr (value, '=');
  g_auto (GStrv) label = equals != NULL ? g_strsplit (equals + 1, ",", -1) : NULL;
  guint n = label != NULL ? g_strv_length (label) : 0;
  gboolean good = equals != NULL && equals != value && equals - value <= 20 && n >= 2 && strcmp (g_strstrip (label[n - 1]), "kubernetes.io/hostname") == 0;

  for (guint i = 0; i < n && good; i++) {
    g_strstrip (label[i]);
    for (guint k = 0; k < i && good; k++)
      good = strcmp (label[k], label[i]) != 0;
    good = good && *label[i] != '\0';
  }
  if (!good)
    return refuse (error, key, "a name of at most 20 characters = labels from the top down, each once, with kubernetes.io/hostname as the last", value);
  char **entry = g_new0 (char *, n + 2);

  entry[0] = g_strndup (value, (gsize) (equals - value));
  for (guint i = 0; i < n; i++)
    entry[i + 1] = g_strdup (label[i]);
  for (guint i = 0; i < s->topology_types->len; i++)
    if (strcmp (((char **) s->topology_types->pdata[i])[0], entry[0]) == 0) { /* said again: the later one counts */
      g_ptr_array_remove_index (s->topology_types, i);
      break;
    }
  g_ptr_array_add (s->topology_types, entry);
  return TRUE;
}

/* Names with commas between; each is "namespace/job" or "all". */
static gboolean
set_follow (char **to, const char *key, const char *value, GError **error)
{
  g_auto (GStrv) name = g_strsplit (value, ",", -1);

  for (guint i = 0; i == 0 || name[i] != NULL; i++) {
    const char *slash = name[i] != NULL ? strchr (g_strstrip (name[i]), '/') : NULL;

    if (name[i] == NULL || (strcmp (name[i], "all") != 0 && (slash == NULL || slash == name[i] || slash[1] == '\0' || strchr (slash + 1, '/') != NULL)))
      return refuse (error, key, "all, or NAMESPACE/JOB with commas between", value);
  }
  g_free (*to);
  *to = g_strdup (value);
  return TRUE;
}

static gboolean
set_webhooks (guint *to, const char *key, const char *value, GError **error)
{
  g_autoptr (GError) e = NULL;

  if (wl_parse_webhooks (value, to, &e))
    return TRUE;
  g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "'%s': %s", key, e->message);
  return FALSE;
}

/* A list with commas between. */
static gboolean
set_names (char ***to, const char *value)
{
  g_strfreev (*to);
  *to = g_strsplit (value, ",", -1);
  for (char **name = *to; *name != NULL; name++)
    g_strstrip (*name);
  return TRUE;
}

gboolean
sim_scenario_set (SimScenario *s, const char *key, const char *value, const char *base, GError **error)
{
  SimModel *m = &s->model;
  const struct { const char *key; char **to; } paths[] = {
    { "nodes", &s->nodes }, { "jobs", &s->jobs }, { "queues", &s->queues }, { "out", &s->out },
    { "objects", &s->objects }, { "commands", &s->commands }, { "scale", &s->scale }, { "node_usage", &s->node_usage }, { "images", &s->images },
    { "faults", &s->faults }, { "recorded", &s->recorded }, { "admission_conf", &s->admission_conf }, { "more_jobs", &s->more_jobs },
  };
  const struct { const char *key; SimTime *to; gboolean zero; } times[] = {
    { "period", &s->period, TRUE },
    { "grace", &s->grace, TRUE },
    { "until", &s->until, TRUE },
    { "sample", &s->sample, TRUE },
    { "node_monitor_grace", &m->node_monitor_grace, TRUE },
    { "checkpoint", &m->checkpoint, TRUE },
    { "usage_interval", &m->usage_interval, TRUE },
    { "controller_lag", &m->controller_lag, TRUE },
    { "informer_lag", &m->informer_lag, TRUE },
    { "shake", &s->shake, TRUE },
    { "more_at", &s->more_at, TRUE },
    { "cycle_cost", &s->cycle_cost, TRUE },
    { "cycle_cost_per_node", &s->cycle_cost_node, TRUE },
    { "cycle_cost_per_pod", &s->cycle_cost_pod, TRUE },
  };
  const struct { const char *key; gint64 *to, low, high; } numbers[] = {
    { "percentage_nodes_to_find", &s->percentage_nodes_to_find, 0, 100 },
    { "minimum_feasible_nodes", &s->minimum_feasible_nodes, 0, G_MAXINT32 },
    { "minimum_percentage_nodes_to_find", &s->minimum_percentage_nodes_to_find, 0, 100 },
    { "failure_exit_code", &m->failure_code, 1, 255 },
    { "bind_batch", &m->bind_batch, 1, G_MAXINT32 },
    { "bind_burst", &m->bind_burst, 1, G_MAXINT32 },
    { "keep_nodes", &s->keep_nodes, 0, G_MAXINT32 },
    { "more_copies", &s->more_copies, 0, 1000000 },
    { "v", &s->verbosity, 0, 10 },
  };
  const struct { const char *key; WlDistribution *to; gboolean *given, set; } distributions[] = {
    { "bind_latency", &m->bind_latency, NULL, FALSE },
    { "start_delay", &m->start_delay, NULL, FALSE },
    { "provision_latency", &m->provision_latency, NULL, FALSE },
    { "start_stuck_time", &m->start_stuck_time, &m->stuck_for_ever, FALSE },
    { "crash_after", &m->crash_after, NULL, FALSE },
    { "time_to_failure", &m->time_to_failure, &m->has_time_to_failure, TRUE },
    { "pre_stop", &m->pre_stop, NULL, FALSE },
    { "termination", &m->termination, &m->terminates, TRUE },
  };
  const struct { const char *key; double *to; } rates[] = {
    { "bind_error", &m->bind_error },       { "resync_error", &m->resync_error }, { "start_failure", &m->start_failure },
    { "failure", &m->failure }, { "straggler", &m->straggler }, { "straggler_node", &m->straggler_node },
    { "start_stuck", &m->start_stuck },     { "crash_loop", &m->crash_loop },
  };
  const struct { const char *key; gboolean *to; } switches[] = {
    { "enable_queue_allocated_pods_check", &s->check_pods_of_queues },
    { "lenient", &s->lenient },
    { "plain", &s->plain },
    { "check_invariants", &s->check },
    { "check_fully", &s->check_fully },
    { "skip", &s->skip },
    { "charts", &s->charts },
    { "follow_record", &s->follow_record },
  };

  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    if (strcmp (key, paths[i].key) == 0)
      return *value != '\0' ? set_path (paths[i].to, value, base) : refuse (error, key, "a path", value);
  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    if (strcmp (key, times[i].key) == 0)
      return set_time (times[i].to, key, value, times[i].zero, error);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (strcmp (key, numbers[i].key) == 0)
      return set_int (numbers[i].to, key, value, numbers[i].low, numbers[i].high, error);
  for (guint i = 0; i < G_N_ELEMENTS (switches); i++)
    if (strcmp (key, switches[i].key) == 0)
      return set_switch (switches[i].to, key, value, error);
  for (guint i = 0; i < G_N_ELEMENTS (distributions); i++)
    if (strcmp (key, distributions[i].key) == 0) {
      if (distributions[i].given != NULL)
        *distributions[i].given = distributions[i].set;
      return set_distribution (distributions[i].to, key, value, TRUE, error);
    }
  for (guint i = 0; i < G_N_ELEMENTS (rates); i++)
    if (strcmp (key, rates[i].key) == 0)
      return set_rate (rates[i].to, key, value, error);
  if (strcmp (key, "conf") == 0) {
    s->preset = NULL;
    return *value != '\0' ? set_path (&s->conf, value, base) : refuse (error, key, "a path", value);
  }
  if (strcmp (key, "policy_preset") == 0)
    return sim_scenario_set_preset (s, value, error);
  if (strcmp (key, "unreachable_toleration") == 0)
    return set_seconds (&m->unreachable_toleration, key, value, error);
  if (strcmp (key, "slowdown") == 0)
    return set_distribution (&m->slowdown, key, value, FALSE, error);
  if (strcmp (key, "usage") == 0)
    return set_usage (&m->usage, key, value, error);
  if (strcmp (key, "bind_qps") == 0)
    return set_positive (&m->bind_qps, key, value, error);
  if (strcmp (key, "image_bandwidth") == 0)
    return set_bytes (&m->image_bandwidth, key, value, error);
  if (strcmp (key, "seed") == 0)
    return set_seed (&m->seed, key, value, error);
  if (strcmp (key, "enabled_admission") == 0)
    return set_webhooks (&s->webhooks, key, value, error);
  if (strcmp (key, "follow") == 0)
    return set_follow (&s->follow, key, value, error);
  if (strcmp (key, "ignored_provisioners") == 0)
    return set_names (&s->ignored_provisioners, value);
  if (strcmp (key, "arrival_rate") == 0)
    return set_positive (&s->arrival_rate, key, value, error);
  if (strcmp (key, "snapshot") == 0) {
    s->snapshot = SIM_NEVER;
    return strcmp (value, "all") == 0 || set_time (&s->snapshot, key, value, TRUE, error);
  }
  if (strcmp (key, "request_scale") == 0)
    return set_positive (&s->request_scale, key, value, error);
  if (strcmp (key, "node_count") == 0)
    return set_node_count (s, key, value, error);
  if (strcmp (key, "ties") == 0)
    return set_ties (s, key, value, error);
  if (strcmp (key, "start") == 0)
    return set_start (s, key, value, error);
  if (strcmp (key, "conf_at") == 0)
    return set_conf_at (s, key, value, base, error);
  if (strcmp (key, "bind_fail") == 0)
    return set_bind_fail (s, key, value, error);
  if (strcmp (key, "network_topology_types") == 0)
    return set_topology_type (s, key, value, error);
  g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "'%s' is no key", key);
  return FALSE;
}

/* ---- files ---------------------------------------------------------------------------------- */

typedef struct {
  const char *source, *base;
  SimScenario *s;
  GError **error;
} Reader;

static gboolean
fail (const Reader *r, const VcYamlNode *at, const char *format, ...) G_GNUC_PRINTF (3, 4);

static gboolean
fail (const Reader *r, const VcYamlNode *at, const char *format, ...)
{
  va_list ap;

  va_start (ap, format);
  g_autofree char *what = g_strdup_vprintf (format, ap);

  va_end (ap);
  g_set_error (r->error, SIM_ERROR, SIM_ERROR_INPUT, "%s:%u:%u: %s", r->source, at->line, at->col, what);
  return FALSE;
}

static gboolean
fail_unknown (const Reader *r, const VcYamlNode *key)
{
  const char *names[G_N_ELEMENTS (sim_scenario_keys) + 2];
  guint n = 0;

  for (; sim_scenario_keys[n].key != NULL; n++)
    names[n] = sim_scenario_keys[n].key;
  names[n++] = "priority_classes";
  names[n++] = "schedulers";
  const char *nearest = vc_nearest_name (key->text, names, n);

  if (nearest != NULL)
    return fail (r, key, "unknown key '%s', did you mean '%s'?", key->text, nearest);
  return fail (r, key, "unknown key '%s'", key->text);
}

static gboolean
read_classes (const Reader *r, const VcYamlNode *map)
{
  if (map->kind != VC_YAML_MAP)
    return fail (r, map, "'priority_classes', expected a map from name to integer, found something else");
  for (guint i = 0; i + 1 < map->child->len; i += 2) {
    const VcYamlNode *name = map->child->pdata[i], *value = map->child->pdata[i + 1];
    SimClass c;

    if (name->kind != VC_YAML_SCALAR || *name->text == '\0')
      return fail (r, name, "the name of a priority class, expected a text, found something else");
    if (value->kind != VC_YAML_SCALAR ||
        !g_ascii_string_to_signed (value->text, 10, G_MININT32, G_MAXINT32, &c.value, NULL))
      return fail (r, value, "value of priority class '%s', expected an integer of 32 bits, found '%s'", name->text,
                   value->kind == VC_YAML_SCALAR ? value->text : "a list or map");
    for (guint k = 0; k < r->s->classes->len; k++)
      if (strcmp (g_array_index (r->s->classes, SimClass, k).name, name->text) == 0)
        return fail (r, name, "priority class '%s' is given twice", name->text);
    c.name = g_strdup (name->text);
    g_array_append_val (r->s->classes, c);
  }
  return TRUE;
}

/* A list of values is a text with commas. */
static gboolean
append_value (GString *out, const VcYamlNode *value)
{
  for (guint i = 0; value->kind == VC_YAML_LIST && i < value->child->len; i++) {
    const VcYamlNode *item = value->child->pdata[i];

    if (item->kind != VC_YAML_SCALAR)
      return FALSE;
    g_string_append_printf (out, "%s%s", i > 0 ? "," : "", item->text);
  }
  if (value->kind == VC_YAML_SCALAR)
    g_string_append (out, value->text);
  return value->kind == VC_YAML_SCALAR || value->kind == VC_YAML_LIST;
}

/* A map whose pairs are entries of a key that repeats. */
static gboolean
read_pairs (const Reader *r, const char *key, const VcYamlNode *map)
{
  if (map->kind != VC_YAML_MAP)
    return fail (r, map, "'%s', expected a map, found something else", key);
  for (guint i = 0; i + 1 < map->child->len; i += 2) {
    const VcYamlNode *left = map->child->pdata[i], *right = map->child->pdata[i + 1];
    g_autoptr (GError) e = NULL;

    g_autoptr (GString) entry = g_string_new (NULL);

    if (left->kind != VC_YAML_SCALAR || !append_value (entry, right))
      return fail (r, left, "an entry of '%s', expected two single values, or a list of values on the right, found a list or map", key);
    g_string_prepend_c (entry, '=');
    g_string_prepend (entry, left->text);

    if (!sim_scenario_set (r->s, key, entry->str, r->base, &e))
      return fail (r, left, "%s", e->message);
  }
  return TRUE;
}

static gboolean
read_entry (const Reader *r, const VcYamlNode *key, const VcYamlNode *value)
{
  g_autoptr (GError) e = NULL;
  const SimScenarioKey *known = NULL;

  if (key->kind != VC_YAML_SCALAR)
    return fail (r, key, "a key, expected a text, found something else");
  if (strcmp (key->text, "priority_classes") == 0)
    return read_classes (r, value);
  if (strcmp (key->text, "schedulers") == 0)
    return sim_scheduler_specs_read (r->source, r->base, value, r->s->schedulers, r->error);
  for (guint i = 0; sim_scenario_keys[i].key != NULL && known == NULL; i++)
    if (strcmp (sim_scenario_keys[i].key, key->text) == 0)
      known = &sim_scenario_keys[i];
  if (known == NULL)
    return fail_unknown (r, key);
  if (sim_scenario_key_repeats (known))
    return read_pairs (r, known->key, value);
  if (value->kind != VC_YAML_SCALAR)
    return fail (r, value, "'%s', expected a single value, found a list or map", key->text);
  if (!sim_scenario_set (r->s, key->text, value->text, r->base, &e))
    return fail (r, value, "%s", e->message);
  return TRUE;
}

static gboolean
read_root (const Reader *r, const VcYamlNode *root)
{
  const VcYamlNode *conf = NULL, *preset = NULL;
  g_autoptr (GError) both = NULL;

  if (root->kind != VC_YAML_MAP)
    return fail (r, root, "a scenario, expected a map of keys, found something else");
  for (guint i = 0; i + 1 < root->child->len; i += 2) {
    const VcYamlNode *key = root->child->pdata[i];

    for (guint k = 0; k < i; k += 2) {
      const VcYamlNode *other = root->child->pdata[k];

      if (key->kind == VC_YAML_SCALAR && other->kind == VC_YAML_SCALAR && strcmp (key->text, other->text) == 0)
        return fail (r, key, "'%s' is given twice, first in line %u", key->text, other->line);
    }
    if (!read_entry (r, key, root->child->pdata[i + 1]))
      return FALSE;
    conf = strcmp (key->text, "conf") == 0 ? key : conf;
    preset = strcmp (key->text, "policy_preset") == 0 ? key : preset;
  }
  return sim_scenario_check_conf (conf != NULL, preset != NULL, "'conf'", "'policy_preset'", &both) || fail (r, preset, "%s", both->message);
}

gboolean
sim_scenario_read (SimScenario *s, const char *path, GError **error)
{
  gsize len = 0;
  g_autofree char *text = wl_read_file (path, VC_YAML_MAX_BYTES, &len, error);
  g_autofree char *base = g_path_get_dirname (path);
  g_auto (VcYamlDoc) doc = { 0 };
  g_auto (VcYamlFault) fault = { 0 };
  Reader r = { path, strcmp (path, "-") == 0 ? NULL : base, s, error };

  if (text == NULL)
    return FALSE;
  if (!vc_yaml_read (text, len, &doc, &fault)) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "%s:%u:%u: %s", path, fault.line, fault.col, fault.what);
    return FALSE;
  }
  if (doc.root == NULL) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "%s:1:1: a scenario, expected a map of keys, found nothing", path);
    return FALSE;
  }
  if (doc.more_line != 0) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "%s:%u:%u: a scenario is one document, found a second one", path, doc.more_line,
                 doc.more_col);
    return FALSE;
  }
  return read_root (&r, doc.root);
}
