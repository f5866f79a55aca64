#include "ignored.h"
#include "core/devices/devices.h"
#include "workloads/native/native.h"
#include <stdlib.h>
#include <string.h>

/* Upstream ignores such names from the moment in which a node with the device is seen; here they are ignored from the start. */
char **
sim_ignored_resources (const VcConf *conf, const GPtrArray *maps, const GPtrArray *nodes)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new ();

  for (guint t = 0; t < conf->n_tiers; t++)
    for (guint p = 0; p < conf->tier[t].n; p++) {
      const VcPluginOption *o = &conf->tier[t].plugin[p];

      if (strcmp (o->name, "deviceshare") != 0)
        continue;
      g_autofree char **names = vc_devices_ignored (&o->args, (const VcConfigMapObject *const *) maps->pdata, maps->len,
                                                    (const VcNodeObject *const *) nodes->pdata, nodes->len);
      for (char **n = names; *n != NULL; n++)
        g_ptr_array_add (all, *n);
    }
  g_ptr_array_add (all, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&all), FALSE);
}

static void
collect_maps (const WlObjects *objects, GPtrArray *maps)
{
  for (guint i = 0; objects != NULL && i < objects->objects->len; i++) {
    WlObject *o = objects->objects->pdata[i];

    if (o->kind == WL_OBJECT_CONFIG_MAP)
      g_ptr_array_add (maps, &o->config_map);
  }
}

static int
compare_pairs (gconstpointer a, gconstpointer b)
{
  return strcmp (((const VcPair *) a)->key, ((const VcPair *) b)->key);
}

/* Only what vc_devices_ignored() looks at; texts stay those of the row. */
static VcNodeObject *
node_of (const WlNodeRow *row, VcArena *arena)
{
  VcNodeObject *o = vc_arena_new0 (arena, VcNodeObject, 1);
  VcAmount *amount = vc_arena_new0 (arena, VcAmount, row->resources->len);
  VcPair *pair = vc_arena_new0 (arena, VcPair, row->annotations->len);

  for (guint i = 0; i < row->resources->len; i++) {
    const WlResource *r = &g_array_index (row->resources, WlResource, i);

    amount[i] = (VcAmount){ r->name, r->amount };
  }
  for (guint i = 0; i < row->annotations->len; i++) {
    const WlPair *p = &g_array_index (row->annotations, WlPair, i);

    pair[i] = (VcPair){ p->key, p->value };
  }
  qsort (pair, row->annotations->len, sizeof *pair, compare_pairs);
  o->allocatable = (VcAmounts){ amount, row->resources->len, TRUE };
  o->annotations = (VcPairs){ pair, row->annotations->len };
  return o;
}

char **
sim_ignored_in_rows (const VcConf *const *confs, guint n_confs, const GArray *rows, const WlObjects *objects)
{
  g_autoptr (VcArena) arena = vc_arena_new ();
  g_autoptr (GPtrArray) maps = g_ptr_array_new (), nodes = g_ptr_array_new (), all = g_ptr_array_new ();

  collect_maps (objects, maps);
  for (guint i = 0; i < rows->len; i++) {
    const WlNodeRow *row = &g_array_index (rows, WlNodeRow, i);

    if (row->annotations->len > 0)
      g_ptr_array_add (nodes, node_of (row, arena));
  }
  for (guint i = 0; i < n_confs; i++) {
    g_autofree char **names = sim_ignored_resources (confs[i], maps, nodes);

    for (char **n = names; *n != NULL; n++)
      g_ptr_array_add (all, *n);
  }
  g_ptr_array_add (all, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&all), FALSE);
}

void
sim_drop_ignored (char **names, const VcCacheOptions *options)
{
  guint kept = 0;

  for (char **n = names; *n != NULL; n++)
    if (options->ignored_resources != NULL && g_strv_contains (options->ignored_resources, *n))
      g_free (*n);
    else
      names[kept++] = *n;
  names[kept] = NULL;
}
