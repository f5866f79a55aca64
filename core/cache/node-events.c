/* Node events. Mirrors AddOrUpdateNode, RemoveNode (pkg/scheduler/cache/event_handlers.go) and SetNode (pkg/scheduler/api/node_info.go). */
#include "cache-private.h"
#include <string.h>

static gboolean
selected (const VcCache *c, const VcNodeObject *o)
{
  if (c->node_selector == NULL || c->node_selector[0] == NULL)
    return TRUE;
  for (char **s = c->node_selector; *s != NULL; s++) {
    const char *colon = strchr (*s, ':');
    if (colon == NULL)
      continue;
    g_autofree char *key = g_strndup (*s, (gsize) (colon - *s));
    const char *value = vc_pairs_get (&o->labels, key);
    if (value != NULL && strcmp (value, colon + 1) == 0)
      return TRUE;
  }
  return FALSE;
}

static double
oversubscription (const VcNodeObject *o, const char *key)
{
  const char *text = vc_pairs_get (&o->annotations, key);
  char *end = NULL;

  if (text == NULL || *text == '\0')
    return 0;
  double v = g_ascii_strtod (text, &end);
  return *end == '\0' && v == v && v < 1e300 && v > -1e300 ? v : 0;
}

/* Present nodes with a property are counted, so that predicates and scores can skip what nobody has. */
static void
count_facts (VcNodes *n, const VcNode *node, int sign)
{
  gboolean hard = FALSE;

  for (guint i = 0; i < node->facts.n_taints; i++)
    hard |= g_strcmp0 (node->facts.taint[i].effect, "NoSchedule") == 0 || g_strcmp0 (node->facts.taint[i].effect, "NoExecute") == 0;
  n->n_hard_taints += (guint32) (sign * hard);
  n->n_prefer_taints += (guint32) (sign * node->prefers_no_schedule);
  n->n_unschedulable += (guint32) (sign * node->facts.unschedulable);
  n->n_images += (guint32) (sign * (node->n_images > 0));
}

static void
set_facts (VcNode *node, const VcNodeObject *o)
{
  VcArena *a = node->arena;

  vc_arena_reset (a);
  node->facts.labels = vc_pairs_copy (a, &o->labels);
  node->annotations = vc_pairs_copy (a, &o->annotations);
  VcTaint *taint = vc_arena_new0 (a, VcTaint, o->n_taints);
  node->prefers_no_schedule = FALSE;
  for (guint i = 0; i < o->n_taints; i++) {
    taint[i] = (VcTaint) { vc_arena_strdup (a, o->taint[i].key), vc_arena_strdup (a, o->taint[i].value), vc_arena_strdup (a, o->taint[i].effect) };
    node->prefers_no_schedule |= g_strcmp0 (taint[i].effect, "PreferNoSchedule") == 0;
  }
  node->facts.taint = taint;
  node->facts.n_taints = o->n_taints;
  node->facts.unschedulable = o->unschedulable;
}

/* The node's image summary sees the image states as they are now, and is frozen until its next update. */
static void
set_images (VcCache *cache, guint32 row, const VcNodeObject *o)
{
  VcNode *node = &cache->cluster->nodes.info[row];

  node->image = vc_arena_new0 (node->arena, VcNodeImage, o->n_images);
  node->n_images = o->n_images;
  for (guint i = 0; i < o->n_images; i++) {
    VcImageState *s = g_hash_table_lookup (cache->images, o->image[i].name);
    if (s == NULL) {
      s = g_new0 (VcImageState, 1);
      s->size = o->image[i].size;
      s->nodes = g_hash_table_new (NULL, NULL);
      g_hash_table_insert (cache->images, (gpointer) vc_cluster_intern (cache->cluster, o->image[i].name), s);
    }
    g_hash_table_add (s->nodes, GUINT_TO_POINTER (row + 1));
    node->image[i] = (VcNodeImage) { vc_cluster_intern (cache->cluster, o->image[i].name), s->size, g_hash_table_size (s->nodes) };
  }
}

static void
set_allocatable (VcCluster *c, guint32 row, const VcNodeObject *o)
{
  static const char *const k_name[VC_K_N] = { "cpu", "memory", VC_K_GPU_NAME };
  VcNodes *n = &c->nodes;
  VcNode *node = &n->info[row];

  vc_res_clear (node->allocatable);
  vc_amounts_add (&o->allocatable, c->names, node->allocatable);
  node->no_scalars = !node->allocatable->map;
  node->max_pods = 0;
  for (guint k = 0; k < VC_K_N; k++)
    n->k_alloc[k][row] = 0;
  for (guint i = 0; i < o->allocatable.n; i++) {
    const VcAmount *a = &o->allocatable.item[i];
    if (strcmp (a->name, "pods") == 0)
      node->max_pods = (gint32) MIN (a->q.value, G_MAXINT32);
    for (guint k = 0; k < VC_K_N; k++)
      if (strcmp (a->name, k_name[k]) == 0)
        n->k_alloc[k][row] = k == VC_K_CPU ? a->q.milli : a->q.value;
  }
  node->oversub_cpu = oversubscription (o, "volcano.sh/oversubscription-cpu");
  node->oversub_memory = oversubscription (o, "volcano.sh/oversubscription-memory");
  vc_res_clear (node->capacity);
  vc_amounts_add (&o->capacity, c->names, node->capacity);
  node->capacity->v[VC_RES_CPU] += node->oversub_cpu;
  node->capacity->v[VC_RES_MEMORY] += node->oversub_memory;
  node->allocatable->v[VC_RES_CPU] += node->oversub_cpu;
  node->allocatable->v[VC_RES_MEMORY] += node->oversub_memory;
}

guint32
vc_cache_add_node (VcCache *cache, const VcNodeObject *o)
{
  VcCluster *c = cache->cluster;

  if (!selected (cache, o))
    return VC_NONE; /* a cached node that loses the label keeps its old entry */
  guint32 row = vc_node_row (c, o->name);
  VcNode *node = &c->nodes.info[row];
  gboolean tell = vc_cache_node_selected_anew (node, o);

  if (node->listed)
    count_facts (&c->nodes, node, -1);
  set_facts (node, o);
  set_images (cache, row, o);
  set_allocatable (c, row, o);
  if (c->volumes != NULL)
    vc_cache_set_attachable (cache, row);
  node->ready = TRUE;
  node->static_version++;
  vc_cache_set_in_shard (cache, row);
  if (!node->listed)
    vc_node_list_append (c, row);
  count_facts (&c->nodes, node, 1);
  vc_node_recount (c, row);
  vc_devices_set_node (cache->devices, row);
  c->total_dirty = TRUE;
  c->nodes.grown++;
  c->nodes.labels_version++;
  if (tell)
    vc_cache_tell_hyper_nodes (cache, row);
  return row;
}

void
vc_cache_remove_node (VcCache *cache, const char *name)
{
  VcCluster *c = cache->cluster;
  guint32 row = vc_cluster_node (c, name);

  if (row == VC_NONE || !c->nodes.info[row].listed)
    return;
  VcNode *node = &c->nodes.info[row];
  count_facts (&c->nodes, node, -1);
  /* The entry goes with its task records; the tasks stay in their jobs with node name and status. */
  vc_devices_remove_node (cache->devices, row);
  vc_numa_remove_node (cache->numa, row);
  while (node->n_tasks > 0) {
    guint32 t = node->task[node->n_tasks - 1];
    vc_mirror_remove (c, t);
    vc_node_take (c, t);
  }
  GHashTableIter it;
  gpointer state;
  g_hash_table_iter_init (&it, cache->images); /* only removes from each: the order does not matter */
  while (g_hash_table_iter_next (&it, NULL, &state))
    g_hash_table_remove (((VcImageState *) state)->nodes, GUINT_TO_POINTER (row + 1));
  vc_node_list_remove (c, row);
  vc_res_clear (node->allocatable);
  vc_res_clear (node->capacity);
  g_clear_pointer (&node->usage, g_free);
  node->ready = FALSE;
  node->static_version++;
  c->nodes.labels_version++;
  vc_node_recount (c, row);
  vc_cache_tell_hyper_nodes (cache, row);
}

void
vc_cache_forget_nodes (VcCache *cache)
{
  VcCluster *c = cache->cluster;

  for (guint32 i = 0; i < c->nodes.n_list; i++)
    count_facts (&c->nodes, &c->nodes.info[c->nodes.list[i]], -1);
  vc_node_list_clear (c);
  vc_cache_forget_hyper_nodes (cache);
  g_hash_table_remove_all (cache->images);
  for (guint32 t = 0; t < c->n_tasks; t++)
    c->task[t].last_status = VC_N_STATUS;
}

gboolean
vc_cache_set_node_usage (VcCache *cache, const VcNodeUsageObject *o)
{
  VcCluster *c = cache->cluster;
  guint32 row = vc_cluster_node (c, o->node);

  if (row == VC_NONE || !c->nodes.info[row].listed)
    return FALSE;
  VcNodeUsage *usage = g_malloc0 (sizeof *usage + o->n_averages * sizeof usage->average[0]);
  usage->time_us = o->time_us;
  usage->n = o->n_averages;
  for (guint i = 0; i < o->n_averages; i++) {
    usage->average[i] = o->average[i];
    usage->average[i].period = vc_cluster_intern (c, o->average[i].period);
  }
  g_free (c->nodes.info[row].usage);
  c->nodes.info[row].usage = usage;
  return TRUE;
}
