/* Events of HyperNodes. Mirrors processHyperNode and triggerUpdateHyperNode (pkg/scheduler/cache/event_handlers.go). */
#include "cache-private.h"
#include "core/model/hyper-nodes.h"
#include "core/model/sub-jobs.h"

gboolean
vc_cache_add_hyper_node (VcCache *c, const VcHyperNodeObject *o)
{
  return vc_hyper_nodes_update (c->cluster->hyper, c->cluster, o);
}

gboolean
vc_cache_remove_hyper_node (VcCache *c, const char *name)
{
  return vc_hyper_nodes_remove (c->cluster->hyper, c->cluster, name);
}

gboolean
vc_cache_node_selected_anew (const VcNode *node, const VcNodeObject *o)
{
  const VcPairs *was = &node->facts.labels;

  if (!node->listed || was->n != o->labels.n)
    return TRUE;
  for (guint i = 0; i < was->n; i++)
    if (g_strcmp0 (was->item[i].key, o->labels.item[i].key) != 0 || g_strcmp0 (was->item[i].value, o->labels.item[i].value) != 0)
      return TRUE;
  return FALSE;
}

void
vc_cache_tell_hyper_nodes (VcCache *c, guint32 node)
{
  if (vc_hyper_nodes_any (c->cluster->hyper))
    vc_hyper_nodes_node_changed (c->cluster->hyper, c->cluster, node);
}

void
vc_cache_forget_hyper_nodes (VcCache *c)
{
  vc_hyper_nodes_clear (c->cluster->hyper);
  for (guint32 i = 0; c->cluster->n_divided > 0 && i < c->cluster->n_jobs; i++)
    if (c->cluster->job[i].subs != NULL)
      vc_sub_jobs_forget (c->cluster->job[i].subs);
}
