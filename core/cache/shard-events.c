/* Events of NodeShards: which nodes are the scheduler's own.
 *
 * They are those that its NodeShard desires, but for nodes that the status of another one says are in use. Without a NodeShard of the
 * scheduler's name nothing changes: at the start no node is its own, later the last answer holds.
 *
 * Example: shard a desires n1, n2; shard b desires n3 and its status says that it still uses n2. The scheduler of a has n1, until b gives up n2.
 *
 * Mirrors pkg/scheduler/cache/shard_coordinator.go and AddNodeShard, UpdateNodeShard, DeleteNodeShard (event_handlers.go). */
#include "cache-private.h"
#include <string.h>

typedef struct {
  GPtrArray *desired, *in_use; /* char * */
} VcShard;

static void
shard_free (gpointer p)
{
  VcShard *s = p;

  g_ptr_array_unref (s->desired);
  g_ptr_array_unref (s->in_use);
  g_free (s);
}

static GPtrArray *
copy_names (const VcNames *names)
{
  GPtrArray *copy = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < names->n; i++)
    g_ptr_array_add (copy, g_strdup (names->item[i]));
  return copy;
}

void
vc_cache_set_in_shard (VcCache *cache, guint32 row)
{
  VcNode *node = &cache->cluster->nodes.info[row];

  node->in_shard = cache->in_shard != NULL && g_hash_table_contains (cache->in_shard, node->name);
}

static void
refresh (VcCache *cache)
{
  const VcShard *own = g_hash_table_lookup (cache->shards, cache->shard);
  GHashTableIter it;
  gpointer name, other;

  if (cache->sharding == VC_SHARDING_NONE || own == NULL)
    return;
  g_clear_pointer (&cache->in_shard, g_hash_table_unref);
  cache->in_shard = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < own->desired->len; i++)
    g_hash_table_add (cache->in_shard, g_strdup (own->desired->pdata[i]));
  g_hash_table_iter_init (&it, cache->shards); /* only takes away: the order does not matter */
  while (g_hash_table_iter_next (&it, &name, &other))
    for (guint i = 0; strcmp (name, cache->shard) != 0 && i < ((const VcShard *) other)->in_use->len; i++)
      g_hash_table_remove (cache->in_shard, ((const VcShard *) other)->in_use->pdata[i]);
  for (guint32 row = 0; row < cache->cluster->nodes.n; row++)
    vc_cache_set_in_shard (cache, row);
  vc_node_list_stale (cache->cluster);
}

void
vc_cache_add_node_shard (VcCache *cache, const VcNodeShardObject *o)
{
  VcShard *s = g_new (VcShard, 1);

  *s = (VcShard) { copy_names (&o->desired), copy_names (&o->in_use) };
  if (cache->shards == NULL)
    cache->shards = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, shard_free);
  g_hash_table_replace (cache->shards, g_strdup (o->name), s);
  refresh (cache);
}

void
vc_cache_remove_node_shard (VcCache *cache, const char *name)
{
  if (cache->shards != NULL && g_hash_table_remove (cache->shards, name))
    refresh (cache);
}

void
vc_cache_forget_node_shards (VcCache *cache)
{
  g_clear_pointer (&cache->shards, g_hash_table_unref);
  if (cache->in_shard == NULL)
    return;
  g_clear_pointer (&cache->in_shard, g_hash_table_unref);
  for (guint32 row = 0; row < cache->cluster->nodes.n; row++)
    vc_cache_set_in_shard (cache, row);
  vc_node_list_stale (cache->cluster);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

GPtrArray *
vc_cache_shard_in_use (VcCache *cache)
{
  GHashTableIter it;
  gpointer name;

  if (cache->in_shard == NULL || !g_hash_table_contains (cache->shards, cache->shard))
    return NULL;
  GPtrArray *names = g_ptr_array_new ();
  g_hash_table_iter_init (&it, cache->in_shard);
  while (g_hash_table_iter_next (&it, &name, NULL))
    g_ptr_array_add (names, name);
  g_ptr_array_sort (names, compare_names);
  return names;
}
