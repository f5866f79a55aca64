/* tests/cell.h - a cluster of Kubernetes objects in YAML, and cycles on it. */
#pragma once
#include "core/session/engine.h"
#include "sim/cycle/cycle.h"
#include "sim/world/ignored.h"
#include "suite.h"
#include <string.h>

#define NOW (G_GINT64_CONSTANT (1767225600) * G_USEC_PER_SEC) /* 2026-01-01 */

typedef struct {
  WlObjects *objects;
  VcCache *cache;
  VcEngine *engine;
  gint64 now;
  gboolean plain;       /* without shortcuts; set before the start */
  VcCycleResult result; /* of the last cycle */
} Cell;

static inline void
cell_clear (Cell *c)
{
  g_clear_pointer (&c->engine, vc_engine_free);
  g_clear_pointer (&c->cache, vc_cache_free);
  g_clear_pointer (&c->objects, wl_objects_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Cell, cell_clear)

#define QUEUE "- {apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: q}, spec: {weight: 1}, status: {state: Open}}\n"
#define GROUP(name, min) "- {apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: " name ", namespace: ns}, spec: {minMember: " min ", queue: q}, status: {phase: Inqueue}}\n"
/* A pod of a group: annotations and labels beside, what its container asks for, its node and phase. */
#define POD(name, group, more, limits, rest)                                                                                                                                   \
  "- {apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: ns, uid: " name ", annotations: {scheduling.k8s.io/group-name: " group more                              \
  "}, spec: {containers: [{resources: {limits: {" limits "}, requests: {" limits "}}}]" rest "}\n"
#define PENDING "}, status: {phase: Pending}"
#define ON(node) ", nodeName: " node "}, status: {phase: Running}"

/* @items: a YAML list of objects, beside which there is a queue q. */
static inline gboolean
cell_start (Cell *c, const char *items, const char *conf)
{
  g_autofree char *text = g_strconcat ("apiVersion: v1\nkind: List\nitems:\n", QUEUE, items, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) none = g_ptr_array_new (), nodes = g_ptr_array_new ();
  VcConf *parsed = vc_conf_parse (conf, strlen (conf), "conf", vc_catalog (), FALSE, NULL, &error);
  VcCacheOptions cache;
  VcEngineOptions options;

  vc_cache_options_init (&cache);
  vc_engine_options_init (&options);
  options.exact_fit = TRUE;
  options.plain = c->plain;
  c->now = NOW;
  c->objects = parsed != NULL ? wl_objects_parse (text, strlen (text), "test", &error) : NULL;
  if (!suite_check (c->objects != NULL, "%s", error != NULL ? error->message : "?"))
    return FALSE;
  for (guint i = 0; i < c->objects->objects->len; i++) {
    WlObject *o = c->objects->objects->pdata[i];

    if (o->kind == WL_OBJECT_NODE)
      g_ptr_array_add (nodes, &o->node);
  }
  g_auto (GStrv) ignored = sim_ignored_resources (parsed, none, nodes);
  cache.ignored_resources = (const char *const *) ignored;
  c->cache = sim_cycle_load (c->objects, &cache, NULL, &error);
  c->engine = c->cache != NULL ? vc_engine_new (c->cache, parsed, FALSE, &options, &error) : NULL;
  return suite_check (c->engine != NULL, "%s", error != NULL ? error->message : "?");
}

/* One cycle; "pod>node …" in order of the binds, "pod~node" for what is pipelined, "!pod" for evictions. @arrive: the binds come back at once. */
static inline char *
cell_cycle (Cell *c, gboolean arrive)
{
  VcCluster *cluster = vc_cache_cluster (c->cache);
  GString *out = g_string_new (NULL);
  guint n;

  vc_engine_cycle (c->engine, c->now, &c->result);
  c->now += G_USEC_PER_SEC;
  GArray *binds = vc_cache_binds (c->cache), *evicts = vc_cache_evicts (c->cache);
  for (guint i = 0; i < binds->len; i++) {
    const VcBind *b = &g_array_index (binds, VcBind, i);

    g_string_append_printf (out, " %s>%s", cluster->task[b->task].name, cluster->nodes.info[b->node].name);
    if (arrive)
      vc_cache_pod_status (c->cache, b->task, VC_BOUND);
  }
  const VcLeftover *left = vc_engine_leftovers (c->engine, &n);
  for (guint i = 0; i < n; i++)
    if (left[i].status == VC_PIPELINED)
      g_string_append_printf (out, " %s~%s", cluster->task[left[i].task].name, cluster->nodes.info[left[i].node].name);
  for (guint i = 0; i < evicts->len; i++)
    g_string_append_printf (out, " !%s", cluster->task[g_array_index (evicts, VcEvict, i).task].name);
  g_array_set_size (binds, 0);
  g_array_set_size (evicts, 0);
  g_array_set_size (vc_cache_statuses (c->cache), 0);
  return g_string_free (out, FALSE);
}

static inline guint32
task_named (const Cell *c, const char *uid)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (vc_cache_cluster (c->cache)->task_rows, uid)) - 1;
}
