/* core/plugins/rescheduling.c - from time to time, name pods on loaded nodes that should move to idle ones.
 *
 * Policy: when last + interval < now, the strategy lowNodeUtilization is offered to the action shuffle, and last = now. The first `last` is
 * the time of the first cycle. By the measured averages (percent) of cpu and memory over `metricsPeriod`:
 *   low      schedulable, every dimension below its threshold
 *   high     not low, some dimension above its target
 *   budget   per dimension, over low nodes: trunc (target * A * 0.01) - trunc (usage * A * 0.01), A = the node object's allocatable
 * Nothing happens without a low and a high node, or when every node is low. High nodes go by cpu + memory usage, greatest first; their pods
 * those without a priority first, then by priority, then best-effort before burstable before guaranteed. Before each pod: leave the node
 * when none of its dimensions reaches the target, or when a budget is exactly 0 (a negative one does not stop). The first running task of
 * that name, of whatever namespace, becomes a victim: its request leaves the budgets, and its share of the node's capacity the node's usage.
 *
 * Example: thresholds 20/20, targets 50/50; a of 10 cpu, 10 G at 80 % cpu, b alike at 10 %. Budget of cpu 5000m - 1000m = 4000m. Pods of
 * 2000m on a: the first lowers a to 60 % and the budget to 2000m, the second to 40 % and 0; the third is left alone.
 *
 * Measured load has, as upstream publishes it, only the period 10m; any other reads 0.
 *
 * Mirrors pkg/scheduler/plugins/rescheduling (timer per process there, per configuration here). Values on which upstream ends the process
 * (an interval or period that is no text, a threshold that is no integer) are refused. */
#include "plugins.h"
#include "core/base/go-duration.h"
#include "core/base/go-sort.h"
#include <string.h>

#define STRATEGY "lowNodeUtilization"

const VcArgSpec vc_rescheduling_args[] = {
  { "interval", VC_ARG_STRING, "time between two rounds (duration, default 5m)" },
  { "metricsPeriod", VC_ARG_STRING, "period of the measured averages (default 5m; measured load has 10m)" },
  { "strategies", VC_ARG_ANY, "list of name and params; known is " STRATEGY " with params.thresholds and params.targetThresholds, "
                              "each with cpu and memory in percent (default 100)" },
  { NULL, VC_ARG_ANY, NULL },
};

enum { CPU, MEMORY, N_DIMS };

typedef struct {
  gint64 interval_ns;
  char *period;
  gboolean enabled;      /* the strategy is in the list */
  double low[N_DIMS], high[N_DIMS];
  gboolean started;
  gint64 last_us;
} Rescheduling;

/* ---- arguments -------------------------------------------------------------------------------- */

static gboolean
refuse (GError **error, const VcArg *at, const char *what, const char *expected)
{
  g_set_error (error, VC_CONF_ERROR, VC_CONF_ERROR_TYPE, "plugin 'rescheduling': %s in line %u: expected %s", what, at->line, expected);
  return FALSE;
}

/* A field of a structure, by name or else by its name in any case (mapstructure). */
static const VcArg *
field (const VcArgs *map, const char *name)
{
  const VcArg *exact = vc_args_find (map, name);

  for (guint i = 0; map != NULL && exact == NULL && i < map->n; i++)
    if (g_ascii_strcasecmp (map->arg[i].key, name) == 0)
      return &map->arg[i];
  return exact;
}

static gboolean
is_map (const VcArg *a)
{
  return a->child != NULL && !a->is_list;
}

/* FALSE with @error: a value that ends upstream's process. *@stop: not a map, what follows is not read. */
static gboolean
read_thresholds (const VcArgs *params, const char *key, double *out, gboolean *stop, GError **error)
{
  static const char *const name[N_DIMS] = { "cpu", "memory" };
  const VcArg *a = vc_args_find (params, key);

  if (a == NULL)
    return TRUE;
  if (!is_map (a)) {
    *stop = TRUE;
    return TRUE;
  }
  for (guint i = 0; i < a->child->n; i++)
    if (a->child->arg[i].type != VC_VALUE_INT)
      return refuse (error, &a->child->arg[i], "wrong threshold", "an integer");
  for (guint d = 0; d < N_DIMS; d++) {
    const VcArg *v = vc_args_find (a->child, name[d]);
    if (v != NULL)
      out[d] = (double) v->i;
  }
  return TRUE;
}

/* An entry that does not decode is passed over. */
static gboolean
read_strategy (Rescheduling *r, const VcArg *entry, GError **error)
{
  const VcArgs *map = is_map (entry) ? entry->child : NULL;
  const VcArg *name = field (map, "Name"), *params = field (map, "Params");
  gboolean stop = FALSE;

  if (name == NULL || name->type != VC_VALUE_STRING || strcmp (name->s, STRATEGY) != 0)
    return TRUE;
  if (params != NULL && params->type != VC_VALUE_NULL && !is_map (params))
    return TRUE;
  r->enabled = TRUE;
  for (guint d = 0; d < N_DIMS; d++)
    r->low[d] = r->high[d] = 100; /* of several entries the last counts */
  if (params == NULL || params->child == NULL)
    return TRUE;
  if (!read_thresholds (params->child, "thresholds", r->low, &stop, error))
    return FALSE;
  return stop || read_thresholds (params->child, "targetThresholds", r->high, &stop, error);
}

static gboolean
rescheduling_init (gpointer self, const VcPluginOption *option, gboolean lenient, GError **error)
{
  Rescheduling *r = self;
  const VcArg *interval = vc_args_find (&option->args, "interval"), *period = vc_args_find (&option->args, "metricsPeriod");
  const VcArg *strategies = vc_args_find (&option->args, "strategies");
  const gint64 five_minutes = G_GINT64_CONSTANT (300000000000);

  if (interval != NULL && interval->type != VC_VALUE_STRING)
    return refuse (error, interval, "wrong interval", "a duration as text, such as \"5m\"");
  if (period != NULL && period->type != VC_VALUE_STRING)
    return refuse (error, period, "wrong metricsPeriod", "a text, such as \"10m\"");
  if (interval == NULL || !vc_go_duration_parse (interval->s, &r->interval_ns))
    r->interval_ns = five_minutes;
  r->period = g_strdup (period != NULL && *period->s != '\0' ? period->s : "5m");
  r->enabled = strategies == NULL || !strategies->is_list || strategies->child == NULL || strategies->child->n == 0;
  for (guint d = 0; d < N_DIMS; d++)
    r->low[d] = r->high[d] = 100;
  for (guint i = 0; !r->enabled && i < strategies->child->n; i++)
    if (!read_strategy (r, &strategies->child->arg[i], error))
      return FALSE;
  return TRUE;
}

/* ---- the strategy ----------------------------------------------------------------------------- */

typedef struct {
  guint32 node;
  double use[N_DIMS];
} Load;

typedef struct {
  const VcCluster *c;
  const Load *load;
} Order;

static void
read_load (const Rescheduling *r, const VcNode *node, double *use)
{
  use[CPU] = use[MEMORY] = 0;
  for (guint i = 0; node->usage != NULL && i < node->usage->n; i++)
    if (strcmp (node->usage->average[i].period, r->period) == 0) {
      use[CPU] = node->usage->average[i].cpu;
      use[MEMORY] = node->usage->average[i].memory;
    }
}

static gboolean
load_before (gpointer user, guint32 l, guint32 r)
{
  const Order *o = user;
  return o->load[l].use[CPU] + o->load[l].use[MEMORY] > o->load[r].use[CPU] + o->load[r].use[MEMORY];
}

/* Not a strict order: two best-effort pods each go before the other, which the sort's algorithm decides. */
static gboolean
pod_before (gpointer user, guint32 l, guint32 r)
{
  const VcTask *a = &((const Order *) user)->c->task[l], *b = &((const Order *) user)->c->task[r];

  if (a->has_pod_priority != b->has_pod_priority)
    return !a->has_pod_priority;
  if (a->has_pod_priority && a->pod_priority != b->pod_priority)
    return a->pod_priority < b->pod_priority;
  return a->shape->qos == VC_QOS_BEST_EFFORT || (a->shape->qos == VC_QOS_BURSTABLE && b->shape->qos == VC_QOS_GUARANTEED);
}

static int
compare_keys (gconstpointer a, gconstpointer b, gpointer user)
{
  const VcTask *task = user;
  return strcmp (task[*(const guint32 *) a].key, task[*(const guint32 *) b].key);
}

static gboolean
goes_on (const Rescheduling *r, const Load *load, const gint64 *budget)
{
  return (load->use[CPU] >= r->high[CPU] || load->use[MEMORY] >= r->high[MEMORY]) && budget[CPU] != 0 && budget[MEMORY] != 0;
}

/* Quantity.AsApproximateFloat64 of milli-cores: whole cores are exact. */
static double
cores (gint64 milli)
{
  return milli % 1000 == 0 ? (double) (milli / 1000) : (double) milli * 0.001;
}

static void
take_from (const Rescheduling *r, const VcCluster *c, Load *load, GHashTable *by_name, gint64 *budget, GArray *out)
{
  const VcNode *node = &c->nodes.info[load->node];
  g_autofree guint32 *pod = g_memdup2 (node->task, node->n_tasks * sizeof *pod);
  Order order = { c, NULL };
  /* without what oversubscription adds */
  double cpu_cap = cores ((gint64) (node->capacity->v[VC_RES_CPU] - node->oversub_cpu));
  double memory_cap = node->capacity->v[VC_RES_MEMORY] - node->oversub_memory;

  if (node->n_tasks == 0)
    return;
  g_qsort_with_data (pod, (int) node->n_tasks, sizeof *pod, compare_keys, c->task);
  vc_go_sort (pod, node->n_tasks, pod_before, &order);
  for (guint32 i = 0; i < node->n_tasks && goes_on (r, load, budget); i++) {
    guint32 match = GPOINTER_TO_UINT (g_hash_table_lookup (by_name, c->task[pod[i]].name));
    if (match-- == 0)
      continue;
    const double *request = c->task[match].shape->request->v;
    gint64 cpu = (gint64) request[VC_RES_CPU], memory = (gint64) request[VC_RES_MEMORY];
    budget[CPU] -= cpu;
    budget[MEMORY] -= memory;
    load->use[CPU] -= (double) cpu * 0.001 * 100 / cpu_cap;
    load->use[MEMORY] -= (double) memory * 100 / memory_cap;
    g_array_append_val (out, match);
  }
}

static void
rescheduling_victims (gpointer self, VcSession *ssn, const guint32 *tasks, guint n, GArray *out)
{
  const Rescheduling *r = self;
  const VcCluster *c = vc_session_cluster (ssn);
  const guint32 *nodes = vc_cluster_nodes_by_name ((VcCluster *) c);
  g_autofree Load *load = g_new (Load, c->nodes.n_list);
  g_autofree guint32 *high = g_new (guint32, c->nodes.n_list);
  guint32 n_low = 0, n_high = 0;
  gint64 budget[N_DIMS] = { 0, 0 };

  for (guint32 i = 0; i < c->nodes.n_list; i++) {
    Load *l = &load[i];
    const VcNode *node = &c->nodes.info[nodes[i]];

    l->node = nodes[i];
    read_load (r, node, l->use);
    if (node->facts.unschedulable || !(l->use[CPU] < r->low[CPU] && l->use[MEMORY] < r->low[MEMORY])) {
      if (l->use[CPU] > r->high[CPU] || l->use[MEMORY] > r->high[MEMORY])
        high[n_high++] = i;
      continue;
    }
    n_low++;
    for (guint d = 0; d < N_DIMS; d++) {
      double cap = (double) c->nodes.k_alloc[d == CPU ? VC_K_CPU : VC_K_MEMORY][nodes[i]];
      budget[d] += (gint64) (r->high[d] * cap * 0.01) - (gint64) (l->use[d] * cap * 0.01);
    }
  }
  if (n_low == 0 || n_low == c->nodes.n_list || n_high == 0)
    return;
  Order order = { c, load };
  vc_go_sort (high, n_high, load_before, &order);
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal); /* looked up only */
  for (guint i = n; i-- > 0;) /* the first of a name stays */
    g_hash_table_insert (by_name, c->task[tasks[i]].name, GUINT_TO_POINTER (tasks[i] + 1));
  for (guint32 i = 0; i < n_high; i++)
    take_from (r, c, &load[high[i]], by_name, budget, out);
}

static void
rescheduling_session_open (gpointer self, VcSession *ssn)
{
  Rescheduling *r = self;
  gint64 now = vc_session_now (ssn);

  if (!r->started) {
    r->started = TRUE;
    r->last_us = now;
  }
  if ((now - r->last_us) * 1000 <= r->interval_ns)
    return;
  r->last_us = now;
  if (r->enabled)
    vc_session_add_victim_tasks (ssn, rescheduling_victims);
}

static void
rescheduling_clear (gpointer self)
{
  g_free (((Rescheduling *) self)->period);
}

const VcPluginClass vc_plugin_rescheduling = {
  .name = "rescheduling",
  .summary = VC_RESCHEDULING_SUMMARY,
  .args = vc_rescheduling_args,
  .instance_size = sizeof (Rescheduling),
  .init = rescheduling_init,
  .session_open = rescheduling_session_open,
  .clear = rescheduling_clear,
};
