#include "engine-options.h"
#include "sim/cycle/cycle.h"
#include "sim/cycle/http-client.h"
#include <string.h>

struct SimEngineOptions {
  int percentage, minimum_feasible, minimum_percentage;
  char **scheduler_names, **node_selectors, **ignored_provisioners, **ignored; /* ignored: one name each */
  char *default_queue, *sharding_mode, *shard, *feature_gates, *priority_class, *ties;
  gboolean plain;
  GOptionEntry *entry;
  SimHttpClient *http; /* NULL: built without libcurl */
};

void
sim_engine_options_free (SimEngineOptions *o)
{
  if (o == NULL)
    return;
  g_strfreev (o->scheduler_names);
  g_strfreev (o->node_selectors);
  g_strfreev (o->ignored_provisioners);
  g_strfreev (o->ignored);
  g_free (o->default_queue);
  g_free (o->sharding_mode);
  g_free (o->shard);
  g_free (o->feature_gates);
  g_free (o->priority_class);
  g_free (o->ties);
  g_free (o->entry);
  sim_http_client_free (o->http);
  g_free (o);
}

static GOptionEntry *
make_entries (SimEngineOptions *o)
{
  const GOptionEntry entries[] = {
    { "percentage-nodes-to-find", 0, 0, G_OPTION_ARG_INT, &o->percentage, "Share of nodes to find feasible, in percent; 0 adapts (default 0)", "N" },
    { "minimum-feasible-nodes", 0, 0, G_OPTION_ARG_INT, &o->minimum_feasible, "Least number of feasible nodes to find (default 100)", "N" },
    { "minimum-percentage-nodes-to-find", 0, 0, G_OPTION_ARG_INT, &o->minimum_percentage, "Lower end of the adaptive share (default 5)", "N" },
    { "scheduler-name", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->scheduler_names, "Pods of this scheduler; may repeat (default volcano)", "NAME" },
    { "default-queue", 0, 0, G_OPTION_ARG_STRING, &o->default_queue, "Queue of PodGroups that name none (default default)", "NAME" },
    { "node-selector", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->node_selectors, "Only nodes with any of these labels; may repeat", "KEY:VALUE" },
    { "priority-class", 0, 0, G_OPTION_ARG_STRING, &o->priority_class, "false: every job priority is 0 (default true)", "BOOL" },
    { "ignored-provisioners", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->ignored_provisioners, "Drivers whose volumes do not count, separated by commas; may repeat", "NAMES" },
    { "scheduler-sharding-mode", 0, 0, G_OPTION_ARG_STRING, &o->sharding_mode, "Nodes outside the scheduler's shard: none (there are no shards), soft (used last), hard (never; default none)", "MODE" },
    { "scheduler-sharding-name", 0, 0, G_OPTION_ARG_STRING, &o->shard, "NodeShard of the scheduler (default volcano)", "NAME" },
    { "feature-gates", 0, 0, G_OPTION_ARG_STRING, &o->feature_gates, "Upstream's gates, for instance SchedulingGatesQueueAdmission=true", "LIST" },
    { "plain", 0, 0, G_OPTION_ARG_NONE, &o->plain, "Run the plain twin of every shortcut (slower, same decisions)", NULL },
    { "ties", 0, 0, G_OPTION_ARG_STRING, &o->ties, "Among equal nodes: first, or random:SEED (default first)", "RULE" },
    G_OPTION_ENTRY_NULL,
  };
  return g_memdup2 (entries, sizeof entries);
}

SimEngineOptions *
sim_engine_options_new (void)
{
  SimEngineOptions *o = g_new0 (SimEngineOptions, 1);
  VcEngineOptions d;

  vc_engine_options_init (&d);
  o->percentage = (int) d.percentage_nodes_to_find;
  o->minimum_feasible = (int) d.minimum_feasible_nodes;
  o->minimum_percentage = (int) d.minimum_percentage_nodes_to_find;
  o->entry = make_entries (o);
  return o;
}

const GOptionEntry *
sim_engine_options_entries (const SimEngineOptions *o)
{
  return o->entry;
}

GOptionGroup *
sim_engine_options_group (SimEngineOptions *o)
{
  GOptionGroup *g = g_option_group_new (SIM_ENGINE_OPTIONS, "Scheduler flags:", "Show the scheduler's flags", o, NULL);

  g_option_group_add_entries (g, o->entry);
  return g;
}

static gboolean
check_range (const char *flag, int value, int low, int high, GError **error)
{
  if (value >= low && value <= high)
    return TRUE;
  g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--%s: expected a number from %d to %d, found %d", flag, low, high, value);
  return FALSE;
}

static gboolean
apply_gates (const SimEngineOptions *o, VcEngineOptions *engine, GError **error)
{
  static const char *const known[] = { "SchedulingGatesQueueAdmission", "PriorityClass", "ResourceTopology", "WorkLoadSupport", "PodDisruptionBudgetsSupport", "CSIStorage",
                                       "VolcanoJobSupport", "QueueCommandSync", "CronVolcanoJobSupport", "NodeShard" };
  g_auto (GStrv) parts = g_strsplit (o->feature_gates != NULL ? o->feature_gates : "", ",", -1);

  for (char **p = parts; *p != NULL; p++) {
    char *eq = strchr (g_strstrip (*p), '=');
    gboolean on = FALSE, found = FALSE;

    if (**p == '\0')
      continue;
    if (eq == NULL || !vc_parse_bool (eq + 1, &on)) {
      g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--feature-gates: expected NAME=true or NAME=false, found '%s'", *p);
      return FALSE;
    }
    *eq = '\0';
    for (guint i = 0; i < G_N_ELEMENTS (known); i++)
      found |= strcmp (*p, known[i]) == 0;
    if (!found) {
      const char *near = vc_nearest_name (*p, known, G_N_ELEMENTS (known));
      g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--feature-gates: unknown gate '%s'%s%s%s", *p, near != NULL ? ", did you mean '" : "", near != NULL ? near : "", near != NULL ? "'?" : "");
      return FALSE;
    }
    if (strcmp (*p, known[0]) == 0)
      engine->gates_admission = on;
  }
  return TRUE;
}

static gboolean
apply_ties (const SimEngineOptions *o, VcEngineOptions *engine, GError **error)
{
  guint64 seed;

  if (o->ties == NULL || strcmp (o->ties, "first") == 0)
    return TRUE;
  if (!g_str_has_prefix (o->ties, "random:") || !g_ascii_string_to_unsigned (o->ties + strlen ("random:"), 10, 0, G_MAXUINT64, &seed, NULL)) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--ties: expected 'first' or 'random:SEED' with a whole number, found '%s'", o->ties);
    return FALSE;
  }
  engine->random_ties = TRUE;
  engine->tie_seed = seed;
  return TRUE;
}

static gboolean
apply_sharding (const SimEngineOptions *o, VcCacheOptions *cache, GError **error)
{
  static const char *const modes[] = { [VC_SHARDING_NONE] = "none", [VC_SHARDING_SOFT] = "soft", [VC_SHARDING_HARD] = "hard", NULL };

  if (o->shard != NULL)
    cache->shard = o->shard;
  for (guint i = 0; o->sharding_mode != NULL && modes[i] != NULL; i++)
    if (strcmp (o->sharding_mode, modes[i]) == 0) {
      cache->sharding = (VcSharding) i;
      return TRUE;
    }
  if (o->sharding_mode == NULL)
    return TRUE;
  g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--scheduler-sharding-mode: expected none, soft or hard, found '%s'", o->sharding_mode);
  return FALSE;
}

/* Each value is a list: `a,b`, or as a list of YAML is written, `['a', 'b']`. (transfer full) */
static char **
split_names (char **values)
{
  GPtrArray *names = g_ptr_array_new ();

  for (char **v = values; v != NULL && *v != NULL; v++) {
    g_auto (GStrv) parts = g_strsplit_set (*v, ",", -1);

    for (char **p = parts; *p != NULL; p++) {
      char *start = *p + strspn (*p, " ['\"");
      start[strcspn (start, " ]'\"")] = '\0';
      if (*start != '\0')
        g_ptr_array_add (names, g_strdup (start));
    }
  }
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}

gboolean
sim_engine_options_apply (SimEngineOptions *o, VcCacheOptions *cache, VcEngineOptions *engine, GError **error)
{
  if (cache != NULL) {
    gboolean on = TRUE;
    if (!apply_sharding (o, cache, error))
      return FALSE;
    if (o->priority_class != NULL && !vc_parse_bool (o->priority_class, &on)) {
      g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--priority-class: expected true or false, found '%s'", o->priority_class);
      return FALSE;
    }
    cache->priority_class = on;
    if (o->scheduler_names != NULL)
      cache->scheduler_names = (const char *const *) o->scheduler_names;
    if (o->default_queue != NULL)
      cache->default_queue = o->default_queue;
    cache->node_selector = (const char *const *) o->node_selectors;
    if (o->ignored == NULL)
      o->ignored = split_names (o->ignored_provisioners);
    cache->ignored_provisioners = (const char *const *) o->ignored;
    for (char **s = o->node_selectors; s != NULL && *s != NULL; s++)
      if (strchr (*s, ':') == NULL) {
        g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--node-selector: expected KEY:VALUE, found '%s'", *s);
        return FALSE;
      }
  }
  if (engine == NULL)
    return TRUE;
  if (!check_range ("percentage-nodes-to-find", o->percentage, 0, 100, error) || !check_range ("minimum-feasible-nodes", o->minimum_feasible, 0, 10000000, error) ||
      !check_range ("minimum-percentage-nodes-to-find", o->minimum_percentage, 0, 100, error))
    return FALSE;
  engine->percentage_nodes_to_find = o->percentage;
  engine->minimum_feasible_nodes = o->minimum_feasible;
  engine->minimum_percentage_nodes_to_find = o->minimum_percentage;
  engine->plain = o->plain;
  if (o->http == NULL)
    o->http = sim_http_client_new ();
  engine->http = sim_http_client_transport (o->http);
  return apply_gates (o, engine, error) && apply_ties (o, engine, error);
}
