/* sim/scheduler/shards.c - see shards.h. */
#include "shards.h"
#include "sim/controllers/shard-controller.h"
#include "sim/record/record.h"
#include "sim/world/views.h"
#include <string.h>

typedef struct {
  char *name;
  GPtrArray *desired, *in_use; /* char * */
} Shard;

struct SimShards {
  GPtrArray *shard; /* Shard, in the order in which they were made */
};

static void
shard_free (gpointer p)
{
  Shard *s = p;

  g_free (s->name);
  g_ptr_array_unref (s->desired);
  g_ptr_array_unref (s->in_use);
  g_free (s);
}

void
sim_shards_free (SimShards *shards)
{
  if (shards == NULL)
    return;
  g_ptr_array_unref (shards->shard);
  g_free (shards);
}

static GPtrArray *
copy_names (const char *const *name, guint n)
{
  GPtrArray *copy = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (copy, g_strdup (name[i]));
  return copy;
}

static guint
find (const SimWorld *w, const char *name)
{
  for (guint i = 0; w->shards != NULL && i < w->shards->shard->len; i++)
    if (strcmp (((const Shard *) w->shards->shard->pdata[i])->name, name) == 0)
      return i;
  return SIM_NONE;
}

/* ---- what schedulers hear and write ------------------------------------------------------------ */

static VcNodeShardObject
object_of (const Shard *s)
{
  return (VcNodeShardObject){ .name = s->name,
                              .desired = { (const char **) s->desired->pdata, s->desired->len },
                              .in_use = { (const char **) s->in_use->pdata, s->in_use->len } };
}

static void
tell (SimWorld *w, const Shard *s)
{
  VcNodeShardObject o = object_of (s);

  SIM_EACH_VIEW (w, back)
    vc_cache_add_node_shard (w->cache, &o);
}

static gboolean
same_names (const GPtrArray *a, const GPtrArray *b)
{
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    if (!g_ptr_array_find_with_equal_func ((GPtrArray *) b, a->pdata[i], g_str_equal, NULL))
      return FALSE;
  return TRUE;
}

/* UpdateNodeShardStatus of one scheduler. FALSE: nothing has changed. */
static gboolean
write_status (SimWorld *w, guint view)
{
  guint row = w->view[view].sharding != VC_SHARDING_NONE ? find (w, w->view[view].shard) : SIM_NONE;
  g_autoptr (GPtrArray) in_use = row != SIM_NONE ? vc_cache_shard_in_use (w->view[view].cache) : NULL;

  if (in_use == NULL)
    return FALSE;
  Shard *s = w->shards->shard->pdata[row];

  if (same_names (in_use, s->in_use))
    return FALSE;
  g_ptr_array_unref (s->in_use);
  s->in_use = copy_names ((const char *const *) in_use->pdata, in_use->len);
  if (w->record != NULL) {
    g_autofree char *detail = g_strdup_printf ("%u of %u nodes", s->in_use->len, s->desired->len);

    sim_record_event (w, "NodeShard", "", s->name, "in-use", detail);
  }
  tell (w, s);
  sim_shard_controller_heard (w, s->name);
  return TRUE;
}

/* Each round a scheduler takes what is free or gives up what is not its own; two shards that desire one node give it to the first. */
static void
settle (SimWorld *w)
{
  gboolean changed = TRUE;

  while (changed) {
    changed = FALSE;
    for (guint v = 0; v < w->n_views; v++)
      changed = write_status (w, v) || changed;
  }
}

/* ---- objects ---------------------------------------------------------------------------------- */

void
sim_shard_put (SimWorld *w, const VcNodeShardObject *o, gboolean found)
{
  guint row = find (w, o->name);
  Shard *s;

  if (w->shards == NULL) {
    w->shards = g_new0 (SimShards, 1);
    w->shards->shard = g_ptr_array_new_with_free_func (shard_free);
  }
  if (row == SIM_NONE) {
    s = g_new0 (Shard, 1);
    s->name = g_strdup (o->name);
    s->in_use = copy_names (o->in_use.item, found ? o->in_use.n : 0);
    g_ptr_array_add (w->shards->shard, s);
  } else {
    s = w->shards->shard->pdata[row];
    g_ptr_array_unref (s->desired);
  }
  s->desired = copy_names (o->desired.item, o->desired.n);
  if (w->record != NULL) {
    g_autofree char *detail = g_strdup_printf ("%u nodes", s->desired->len);

    sim_record_event (w, "NodeShard", "", s->name, row == SIM_NONE ? "created" : "changed", detail);
  }
  tell (w, s);
  sim_shard_controller_heard (w, s->name);
  settle (w);
}

void
sim_shard_drop (SimWorld *w, const char *name)
{
  guint row = find (w, name);

  if (row == SIM_NONE)
    return;
  sim_record_event (w, "NodeShard", "", name, "deleted", "");
  g_ptr_array_remove_index (w->shards->shard, row);
  SIM_EACH_VIEW (w, back)
    vc_cache_remove_node_shard (w->cache, name);
  sim_shard_controller_heard (w, name);
  settle (w);
}

const GPtrArray *
sim_shard_desired (const SimWorld *w, const char *name)
{
  guint row = find (w, name);

  return row != SIM_NONE ? ((const Shard *) w->shards->shard->pdata[row])->desired : NULL;
}

GPtrArray *
sim_shard_names (const SimWorld *w)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; w->shards != NULL && i < w->shards->shard->len; i++)
    g_ptr_array_add (names, g_strdup (((const Shard *) w->shards->shard->pdata[i])->name));
  return names;
}

void
sim_shards_list (SimWorld *w)
{
  vc_cache_forget_node_shards (w->cache);
  for (guint i = 0; w->shards != NULL && i < w->shards->shard->len; i++) {
    VcNodeShardObject o = object_of (w->shards->shard->pdata[i]);

    vc_cache_add_node_shard (w->cache, &o);
  }
  settle (w);
}

guint32
sim_shard_count_nodes (const SimWorld *w, guint view)
{
  const VcNodes *nodes = &w->view[view].cluster->nodes;
  guint32 n = 0;

  for (guint32 i = 0; i < nodes->n_list; i++)
    n += w->view[view].sharding == VC_SHARDING_NONE || nodes->info[nodes->list[i]].in_shard;
  return n;
}

static gboolean
is_expected (const SimWorld *w, const char *name)
{
  for (guint i = 0; w->objects != NULL && i < w->objects->objects->len; i++) {
    const WlObject *o = w->objects->objects->pdata[i];

    if (o->kind == WL_OBJECT_NODE_SHARD && strcmp (o->shard.name, name) == 0)
      return TRUE;
  }
  return FALSE;
}

void
sim_shards_warn (const SimWorld *w, GPtrArray *warnings)
{
  for (guint v = 0; v < w->n_views; v++) {
    const SimView *view = &w->view[v];

    if (view->sharding == VC_SHARDING_NONE || is_expected (w, view->shard) || sim_shard_controller_makes (w, view->shard))
      continue;
    g_ptr_array_add (warnings, g_strdup_printf ("scheduler '%s' shards its nodes, but there is no NodeShard '%s': as in Volcano no node is its own, and %s", view->name,
                                                view->shard, view->sharding == VC_SHARDING_HARD ? "it binds nothing" : "all count as those of others"));
  }
}
