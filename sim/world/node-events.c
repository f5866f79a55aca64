/* sim/world/node-events.c - the node objects: what rows of the trace and faults make of them. */
#include "node-events.h"
#include "drain.h"
#include "faults.h"
#include "hyper-nodes.h"
#include "machines.h"
#include "taints.h"
#include "views.h"
#include "sim/controllers/shard-controller.h"
#include "sim/load/images.h"
#include "sim/record/record.h"
#include "sim/record/watch.h"
#include "workloads/native/native.h"

/* ---- the node object ------------------------------------------------------------------------ */

/* All taints of the node as it is now. (transfer full) */
static GArray *
taints_of (const SimWorld *w, guint32 node)
{
  static const VcTaint cordon = { "node.kubernetes.io/unschedulable", "", "NoSchedule" };
  static const VcTaint unreachable[] = { { SIM_TAINT_UNREACHABLE, "", "NoSchedule" }, { SIM_TAINT_UNREACHABLE, "", "NoExecute" } };
  const SimNode *n = &w->node[node];
  GArray *taints = g_array_new (FALSE, FALSE, sizeof (VcTaint));

  if (n->n_taints > 0)
    g_array_append_vals (taints, n->taint, n->n_taints);
  sim_faults_taint (w, node, taints);
  if (sim_node_is_cordoned (n))
    g_array_append_val (taints, cordon);
  if (n->unreachable)
    g_array_append_vals (taints, unreachable, G_N_ELEMENTS (unreachable));
  return taints;
}

/* What the node has room for from now on. */
static void
set_room (SimWorld *w, guint32 node, const VcAmounts *allocatable)
{
  SimNode *n = &w->node[node];
  VcRes *fresh = vc_res_new (w->n_res);

  vc_amounts_add (allocatable, w->cluster->names, fresh);
  for (guint d = 0; n->room != NULL && d < w->n_res; d++)
    if (fresh->v[d] < n->room->v[d])
      n->lowered = w->now;
  vc_res_free (n->room);
  n->room = fresh;
}

/* Tell of the node as it is now: everybody, or only the view that is entered. */
static void
tell (SimWorld *w, guint32 node, gboolean listed)
{
  SimNode *n = &w->node[node];
  g_autoptr (GArray) taints = taints_of (w, node), amounts = g_array_new (FALSE, FALSE, sizeof (VcAmount));
  const VcTaint *taint = (const VcTaint *) (gpointer) taints->data;
  VcNodeObject o = {
    .name = n->name,
    .allocatable = sim_faults_capacity (w, node, amounts),
    .capacity = n->resources,
    .labels = n->labels,
    .annotations = n->annotations,
    .taint = taint,
    .n_taints = taints->len,
    .unschedulable = sim_node_is_cordoned (n),
  };

  o.image = sim_images_of (w, node, &o.n_images);
  if (listed) {
    sim_watch_node_listed (w, node, &o);
    return;
  }
  set_room (w, node, &o.allocatable);
  sim_watch_node (w, node, &o);
  sim_taints_set (w, node, taint, taints->len);
}

void
sim_node_publish (SimWorld *w, guint32 node)
{
  tell (w, node, FALSE);
}

void
sim_node_list (SimWorld *w, guint32 node)
{
  tell (w, node, TRUE);
}

void
sim_node_measure (SimWorld *w, guint32 measurement)
{
  SimNode *n = &w->node[w->usage_node[measurement]];

  n->usage = &w->usage->object[measurement];
  if (n->present)
    SIM_EACH_VIEW (w, back)
      vc_cache_set_node_usage (w->cache, n->usage);
}

/* ---- changes -------------------------------------------------------------------------------- */

static void
take_groups (SimNode *n, const SimNodeChange *c, gboolean all)
{
  if (all || c->has_resources)
    n->resources = c->resources;
  if (all || c->has_labels)
    n->labels = c->labels;
  if (all || c->has_annotations)
    n->annotations = c->annotations;
  if (all || c->has_taints) {
    n->taint = c->taint;
    n->n_taints = c->n_taints;
  }
}

void
sim_node_remove (SimWorld *w, guint32 node)
{
  SimNode *n = &w->node[node];

  if (!n->present)
    return;
  n->present = n->cordoned = n->notready = FALSE;
  n->fenced = 0;
  n->gone = w->now;
  w->nodes_present--;
  sim_shard_controller_note (w, node);
  sim_node_lose (w, node);
  sim_faults_forget (w, node);
  sim_watch_node_removed (w, node);
  sim_hyper_nodes_note_node (w);
  sim_record_event (w, "Node", "", n->name, "removed", "");
}

void
sim_node_add (SimWorld *w, guint32 node)
{
  SimNode *n = &w->node[node];
  gboolean fresh = !n->present;

  if (fresh) {
    n->present = TRUE;
    n->gc_stamp++;
    w->nodes_present++;
    sim_node_replace (w, node);
  }
  n->cordoned = FALSE;
  sim_record_event (w, "Node", "", n->name, "added", "");
  sim_node_publish (w, node);
  if (fresh && n->numa != NULL)
    SIM_EACH_VIEW (w, back)
      vc_cache_add_numatopology (w->cache, n->numa); /* its agent reports */
  sim_hyper_nodes_note_node (w);
}

void
sim_node_fence (SimWorld *w, guint32 node, gboolean on)
{
  SimNode *n = &w->node[node];
  gboolean before = sim_node_is_cordoned (n);

  if (on)
    n->fenced++;
  else if (n->fenced > 0)
    n->fenced--;
  if (sim_node_is_cordoned (n) == before)
    return;
  sim_record_event (w, "Node", "", n->name, before ? "uncordoned" : "cordoned", "");
  sim_node_publish (w, node);
}

/* The trace says that the node is heard of, or not. */
static void
listen (SimWorld *w, guint32 node, gboolean ready)
{
  SimNode *n = &w->node[node];

  if (n->notready != ready)
    return;
  n->notready = !ready;
  sim_node_silence (w, node, !ready);
}

void
sim_node_change (SimWorld *w, guint32 change)
{
  const SimNodeChange *c = &w->change[change];
  SimNode *n = &w->node[c->node];
  const SimNode before = *n;
  const char *event = "";

  if (c->event == WL_NODE_ADD) {
    take_groups (n, c, TRUE);
    sim_node_add (w, c->node);
    sim_shard_controller_compare (w, c->node, &before);
    return;
  }
  if (!n->present)
    return;
  switch ((WlNodeEvent) c->event) {
  case WL_NODE_REMOVE:
    sim_node_remove (w, c->node);
    return;
  case WL_NODE_NOTREADY:
  case WL_NODE_READY:
    listen (w, c->node, c->event == WL_NODE_READY);
    return;
  case WL_NODE_UPDATE:
    take_groups (n, c, FALSE);
    sim_shard_controller_compare (w, c->node, &before);
    event = "updated";
    break;
  case WL_NODE_CORDON:
  case WL_NODE_DRAIN:
    n->cordoned = TRUE;
    event = c->event == WL_NODE_CORDON ? "cordoned" : "drained";
    break;
  case WL_NODE_ADD:
  case WL_NODE_UNCORDON:
  default:
    n->cordoned = FALSE;
    event = "uncordoned";
    break;
  }
  sim_record_event (w, "Node", "", n->name, event, "");
  sim_node_publish (w, c->node);
  if (c->event == WL_NODE_UPDATE && c->has_labels)
    sim_hyper_nodes_note_node (w);
  if (c->event == WL_NODE_DRAIN)
    sim_node_drain (w, c->node);
}
