/* workloads/native/sharding-conf.c - see sharding-conf.h. */
#include "sharding-conf.h"
#include "workloads/text/fields.h"
#include <string.h>

#define PERIOD (60 * G_USEC_PER_SEC)       /* of the flag --shard-sync-period */
#define PERIOD_OF_ZERO (120 * G_USEC_PER_SEC)
#define NOT_GIVEN (-1)                      /* no truth value */
#define WARMUP_LABEL "node.volcano.sh/warmup"

static const char *const policy_names[] = { [WL_SHARD_ALLOCATION_RATE] = "allocation-rate", [WL_SHARD_WARMUP] = "warmup", [WL_SHARD_NODE_LIMIT] = "node-limit" };

/* ---- as it is written ------------------------------------------------------------------------- */

typedef struct {
  gint64 weight, min_nodes, max_nodes;
  double min_cpu, max_cpu;
  char *name, *label, *value;
  int limits;                /* minNodes or maxNodes is given */
} RawPolicy;

typedef struct {
  char *name, *type;
  double min_cpu, max_cpu;
  int warm;
  gint64 min_nodes, max_nodes;
  RawPolicy arguments;       /* of the one policy that there was before there were several */
  gboolean has_arguments;
  GArray *policies;          /* WlShardPolicy */
} RawScheduler;

static void
raw_policy_clear (RawPolicy *p)
{
  g_free (p->name);
  g_free (p->label);
  g_free (p->value);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RawPolicy, raw_policy_clear)

static void
raw_scheduler_clear (RawScheduler *s)
{
  g_free (s->name);
  g_free (s->type);
  raw_policy_clear (&s->arguments);
  g_clear_pointer (&s->policies, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RawScheduler, raw_scheduler_clear)

static void
policy_clear (gpointer data)
{
  WlShardPolicy *p = data;

  g_free (p->label);
  g_free (p->value);
}

static void
scheduler_clear (gpointer data)
{
  WlShardScheduler *s = data;

  g_free (s->name);
  g_array_unref (s->policies);
}

/* ---- policies --------------------------------------------------------------------------------- */

static gboolean
read_arguments (GenReader *r, const VcYamlNode *n, gpointer out)
{
  static const GenField fields[] = {
    { "minCPUUtil", gen_number, offsetof (RawPolicy, min_cpu), FALSE },
    { "maxCPUUtil", gen_number, offsetof (RawPolicy, max_cpu), FALSE },
    { "warmupLabel", gen_text, offsetof (RawPolicy, label), FALSE },
    { "warmupLabelValue", gen_text, offsetof (RawPolicy, value), FALSE },
    { "minNodes", gen_count, offsetof (RawPolicy, min_nodes), FALSE },
    { "maxNodes", gen_count, offsetof (RawPolicy, max_nodes), FALSE },
  };
  RawPolicy *p = out;

  p->min_nodes = p->max_nodes = -1; /* not given */
  if (!GEN_MAP (r, n, fields, "arguments of a policy", p, NULL))
    return FALSE;
  p->limits = p->min_nodes >= 0 || p->max_nodes >= 0;
  p->min_nodes = MAX (p->min_nodes, 0);
  p->max_nodes = MAX (p->max_nodes, 0);
  return TRUE;
}

/* One policy with what it makes of its arguments; bounds that are not given are 0, the upper ones too. */
static gboolean
add_policy (GenReader *r, const VcYamlNode *n, WlShardPolicyKind kind, const RawPolicy *raw, GArray *to)
{
  WlShardPolicy p = { .kind = kind, .weight = raw->weight > 0 ? (double) raw->weight : 1, .min_cpu = raw->min_cpu, .max_cpu = raw->max_cpu,
                      .max_nodes = (guint) raw->max_nodes };

  if (kind == WL_SHARD_ALLOCATION_RATE && (p.max_cpu > 1 || p.min_cpu > p.max_cpu))
    return gen_fail (r, n, WL_ERROR_VALUE, "minCPUUtil and maxCPUUtil, expected 0 <= min <= max <= 1, found %g and %g", p.min_cpu, p.max_cpu);
  if (kind == WL_SHARD_NODE_LIMIT && raw->max_nodes > 0 && raw->max_nodes < raw->min_nodes)
    return gen_fail (r, n, WL_ERROR_VALUE, "maxNodes, expected at least minNodes (%" G_GINT64_FORMAT "), found %" G_GINT64_FORMAT, raw->min_nodes, raw->max_nodes);
  if (kind == WL_SHARD_WARMUP) {
    p.label = g_strdup (raw->label != NULL ? raw->label : WARMUP_LABEL);
    p.value = g_strdup (raw->value != NULL ? raw->value : "true");
  }
  g_array_append_val (to, p);
  return TRUE;
}

static gboolean
read_policy (GenReader *r, const VcYamlNode *n, gpointer out)
{
  static const GenField fields[] = {
    { "name", gen_text, offsetof (RawPolicy, name), TRUE },
    { "weight", gen_count, offsetof (RawPolicy, weight), FALSE },
    { "arguments", read_arguments, 0, FALSE },
  };
  g_auto (RawPolicy) raw = { 0 };
  guint kind = 0;

  if (!GEN_MAP (r, n, fields, "a policy", &raw, NULL))
    return FALSE;
  while (kind < G_N_ELEMENTS (policy_names) && strcmp (policy_names[kind], raw.name) != 0)
    kind++;
  if (kind == G_N_ELEMENTS (policy_names))
    return gen_fail (r, n, WL_ERROR_VALUE, "policy, expected allocation-rate, warmup or node-limit, found '%s'", raw.name);
  if (raw.limits && kind != WL_SHARD_NODE_LIMIT)
    return gen_fail (r, n, WL_ERROR_VALUE, "minNodes and maxNodes, expected them on the policy node-limit, found on '%s'", raw.name);
  return add_policy (r, n, (WlShardPolicyKind) kind, &raw, out);
}

static gboolean
read_policies (GenReader *r, const VcYamlNode *n, gpointer out)
{
  return gen_list (r, n, "policies", read_policy, *(GArray **) out);
}

/* ---- schedulers ------------------------------------------------------------------------------- */

static gboolean
read_old_arguments (GenReader *r, const VcYamlNode *n, gpointer out)
{
  RawScheduler *s = out;

  s->has_arguments = n->kind == VC_YAML_MAP && n->child->len > 0;
  return read_arguments (r, n, &s->arguments);
}

static gboolean
has_policy (const GArray *policies, WlShardPolicyKind kind)
{
  for (guint i = 0; i < policies->len; i++)
    if (g_array_index (policies, WlShardPolicy, i).kind == kind)
      return TRUE;
  return FALSE;
}

/* applyPolicyDefaults: what keys without policies mean. */
static gboolean
fill_policies (GenReader *r, const VcYamlNode *n, RawScheduler *s)
{
  const RawPolicy limit = { .min_nodes = s->min_nodes, .max_nodes = s->max_nodes }, nothing = { 0 };

  if (s->policies->len == 0) {
    const RawPolicy range = { .min_cpu = s->min_cpu, .max_cpu = s->max_cpu };

    if (s->arguments.limits)
      return gen_fail (r, n, WL_ERROR_VALUE, "minNodes and maxNodes, expected them on the policy node-limit, found on 'allocation-rate'");
    if (!add_policy (r, n, WL_SHARD_ALLOCATION_RATE, s->has_arguments ? &s->arguments : &range, s->policies) ||
        (s->warm && !add_policy (r, n, WL_SHARD_WARMUP, &nothing, s->policies)))
      return FALSE;
  }
  return (s->min_nodes == 0 && s->max_nodes == 0) || has_policy (s->policies, WL_SHARD_NODE_LIMIT) || add_policy (r, n, WL_SHARD_NODE_LIMIT, &limit, s->policies);
}

static gboolean
read_scheduler (GenReader *r, const VcYamlNode *n, gpointer out)
{
  static const GenField fields[] = {
    { "name", gen_text, offsetof (RawScheduler, name), TRUE },
    { "type", gen_text, offsetof (RawScheduler, type), FALSE },
    { "policies", read_policies, offsetof (RawScheduler, policies), FALSE },
    { "arguments", read_old_arguments, 0, FALSE },
    { "cpuUtilizationMin", gen_number, offsetof (RawScheduler, min_cpu), FALSE },
    { "cpuUtilizationMax", gen_number, offsetof (RawScheduler, max_cpu), FALSE },
    { "preferWarmupNodes", gen_bool, offsetof (RawScheduler, warm), FALSE },
    { "minNodes", gen_count, offsetof (RawScheduler, min_nodes), FALSE },
    { "maxNodes", gen_count, offsetof (RawScheduler, max_nodes), FALSE },
  };
  WlShardingConf *c = out;
  g_auto (RawScheduler) raw = { .policies = g_array_new (FALSE, TRUE, sizeof (WlShardPolicy)) };

  g_array_set_clear_func (raw.policies, policy_clear);
  if (!GEN_MAP (r, n, fields, "a scheduler", &raw, NULL))
    return FALSE;
  for (guint i = 0; i < c->schedulers->len; i++)
    if (strcmp (g_array_index (c->schedulers, WlShardScheduler, i).name, raw.name) == 0)
      return gen_fail (r, n, WL_ERROR_CONFLICT, "scheduler '%s' is given twice", raw.name);
  if (raw.max_cpu > 1 || raw.min_cpu > raw.max_cpu)
    return gen_fail (r, n, WL_ERROR_VALUE, "cpuUtilizationMin and cpuUtilizationMax, expected 0 <= min <= max <= 1, found %g and %g", raw.min_cpu, raw.max_cpu);
  if (raw.max_nodes < raw.min_nodes)
    return gen_fail (r, n, WL_ERROR_VALUE, "maxNodes, expected at least minNodes (%" G_GINT64_FORMAT "), found %" G_GINT64_FORMAT, raw.min_nodes, raw.max_nodes);
  if (!fill_policies (r, n, &raw))
    return FALSE;
  WlShardScheduler s = { g_steal_pointer (&raw.name), g_steal_pointer (&raw.policies) };

  g_array_append_val (c->schedulers, s);
  return TRUE;
}

static gboolean
read_schedulers (GenReader *r, const VcYamlNode *n, gpointer out)
{
  return gen_list (r, n, "schedulerConfigs", read_scheduler, out);
}

/* ---- the file --------------------------------------------------------------------------------- */

WlShardingConf *
wl_sharding_conf_read (const char *source, const char *text, GError **error)
{
  static const GenField fields[] = {
    { "schedulerConfigs", read_schedulers, 0, TRUE },
    { "shardSyncPeriod", gen_time, offsetof (WlShardingConf, period), FALSE },
    { "enableNodeEventTrigger", gen_bool, offsetof (WlShardingConf, by_events), FALSE },
  };
  g_auto (VcYamlDoc) doc = { 0 };
  g_auto (VcYamlFault) fault = { 0 };
  g_autoptr (WlShardingConf) c = g_new0 (WlShardingConf, 1);
  GenReader r = { source, error };

  c->schedulers = g_array_new (FALSE, TRUE, sizeof (WlShardScheduler));
  g_array_set_clear_func (c->schedulers, scheduler_clear);
  c->period = WL_TIME_NONE;
  c->by_events = NOT_GIVEN;
  if (!vc_yaml_read (text, strlen (text), &doc, &fault)) {
    g_set_error (error, WL_ERROR, WL_ERROR_SYNTAX, "%s:%u:%u: %s", source, fault.line, fault.col, fault.what);
    return NULL;
  }
  if (doc.root == NULL) {
    g_set_error (error, WL_ERROR, WL_ERROR_SYNTAX, "%s:1:1: expected a map with schedulerConfigs, found nothing", source);
    return NULL;
  }
  if (!GEN_MAP (&r, doc.root, fields, "sharding.yaml", c, NULL))
    return NULL;
  c->has_period = c->period != WL_TIME_NONE;
  c->has_by_events = c->by_events != NOT_GIVEN;
  if (!c->has_period)
    c->period = PERIOD;
  else if (c->period <= 0)
    c->period = PERIOD_OF_ZERO;
  if (!c->has_by_events)
    c->by_events = TRUE;
  return g_steal_pointer (&c);
}

WlShardingConf *
wl_sharding_conf_default (void)
{
  static const char text[] = "schedulerConfigs:\n"
                             "- {name: volcano, type: volcano, cpuUtilizationMin: 0, cpuUtilizationMax: 0.6, minNodes: 2, maxNodes: 100}\n"
                             "- {name: agent-scheduler, type: agent, cpuUtilizationMin: 0.7, cpuUtilizationMax: 1, minNodes: 2, maxNodes: 100}\n";

  return wl_sharding_conf_read ("default", text, NULL);
}

void
wl_sharding_conf_free (WlShardingConf *c)
{
  if (c == NULL)
    return;
  g_array_unref (c->schedulers);
  g_free (c);
}
