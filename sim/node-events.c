/* sim/node-events.c - what happens to a node and to the pods on it. */
#include "node-events.h"
#include "images.h"
#include "job-controller.h"
#include "kubelet.h"
#include "record.h"
#include "workloads/native.h"
#include <string.h>

#define TOLERATED (300 * SIM_SECOND)    /* admission lets every pod tolerate an unreachable node that long */
#define GC_PERIOD (20 * SIM_SECOND)     /* kube-controller-manager's pod garbage collector sweeps that often … */
#define GC_QUARANTINE (40 * SIM_SECOND) /* … and believes in a node's absence that long after the sweep that saw it */

/* ---- the node object ------------------------------------------------------------------------ */

void
sim_node_publish (SimWorld *w, guint32 node)
{
  SimNode *n = &w->node[node];
  g_autofree VcTaint *taint = g_new (VcTaint, n->n_taints + 3);
  guint n_taints = n->n_taints;

  if (n_taints > 0)
    memcpy (taint, n->taint, n_taints * sizeof *taint);
  if (n->cordoned)
    taint[n_taints++] = (VcTaint){ "node.kubernetes.io/unschedulable", "", "NoSchedule" };
  if (n->unreachable) {
    taint[n_taints++] = (VcTaint){ "node.kubernetes.io/unreachable", "", "NoSchedule" };
    taint[n_taints++] = (VcTaint){ "node.kubernetes.io/unreachable", "", "NoExecute" };
  }
  VcNodeObject o = {
    .name = n->name,
    .allocatable = n->resources,
    .capacity = n->resources,
    .labels = n->labels,
    .annotations = n->annotations,
    .taint = taint,
    .n_taints = n_taints,
    .unschedulable = n->cordoned,
  };

  o.image = sim_images_of (w, node, &o.n_images);

  n->row = vc_cache_add_node (w->cache, &o);
  if (n->row == VC_NONE)
    return;
  if (n->row >= w->n_node_rows) {
    guint32 more = MAX (n->row + 1, w->n_node_rows * 2);

    w->node_of_row = g_renew (guint32, w->node_of_row, more);
    for (guint32 i = w->n_node_rows; i < more; i++)
      w->node_of_row[i] = SIM_NONE;
    w->n_node_rows = more;
  }
  w->node_of_row[n->row] = node;
  if (n->usage != NULL)
    vc_cache_set_node_usage (w->cache, n->usage);
}

void
sim_node_measure (SimWorld *w, guint32 measurement)
{
  SimNode *n = &w->node[w->usage_node[measurement]];

  n->usage = &w->usage->object[measurement];
  if (n->present)
    vc_cache_set_node_usage (w->cache, n->usage);
}

/* ---- pods of a node ------------------------------------------------------------------------- */

/* Rows of all pod objects bound to the node, by UID. (transfer full) */
static GArray *
pods_of (SimWorld *w, guint32 node)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint32 p = w->node[node].first_pod; p != SIM_NONE; p = w->pod[p].next_on_node)
    g_array_append_val (rows, p);
  sim_pods_sort (w, rows);
  return rows;
}

static inline gboolean
is_finished (const SimPod *p)
{
  return p->phase == SIM_POD_SUCCEEDED || p->phase == SIM_POD_FAILED;
}

/* Delete every pod of the node, finished ones too: as kubectl drain does, and the taint manager. */
static void
clear_out (SimWorld *w, guint32 node)
{
  g_autoptr (GArray) rows = pods_of (w, node);

  for (guint i = 0; i < rows->len; i++) {
    guint32 pod = g_array_index (rows, guint32, i);

    if (w->pod[pod].live && !w->pod[pod].deleting)
      sim_pod_delete (w, pod);
  }
}

static void
fall_silent (SimWorld *w, guint32 node)
{
  SimNode *n = &w->node[node];

  n->unreachable = TRUE;
  sim_event_queue_post (w->events, w->now + TOLERATED, SIM_RANK_POD, SIM_EVENT_NODE_EVICT, node, ++n->unreachable_stamp);
}

gboolean
sim_node_evict (SimWorld *w, const SimEvent *ev)
{
  const SimNode *n = &w->node[ev->subject];

  if (!n->present || !n->unreachable || n->unreachable_stamp != ev->stamp)
    return FALSE;
  if (n->first_pod == SIM_NONE)
    return FALSE;
  sim_record_event (w, "Node", "", n->name, "given-up", "");
  clear_out (w, ev->subject);
  return TRUE;
}

static void
speak_again (SimWorld *w, guint32 node)
{
  g_autoptr (GArray) rows = pods_of (w, node);

  for (guint i = 0; i < rows->len; i++) {
    guint32 pod = g_array_index (rows, guint32, i);

    if (w->pod[pod].live)
      sim_pod_release (w, pod);
  }
}

static void
expect_collector (SimWorld *w, guint32 node)
{
  SimTime sweep = (w->now + GC_PERIOD - 1) / GC_PERIOD * GC_PERIOD;

  sim_event_queue_post (w->events, sweep + GC_QUARANTINE, SIM_RANK_POD, SIM_EVENT_NODE_GC, node, w->node[node].gc_stamp);
}

static void
stop (SimWorld *w, guint32 pod)
{
  SimPod *p = &w->pod[pod];

  if (is_finished (p))
    return;
  p->lost = TRUE;
  p->stamp++; /* no start, no end, no end of a graceful deletion */
  p->held = 0;
  sim_pod_account (w, pod, FALSE);
}

void
sim_node_lose_pod (SimWorld *w, guint32 pod)
{
  stop (w, pod);
  expect_collector (w, w->pod[pod].node);
}

static void
lose (SimWorld *w, guint32 node)
{
  for (guint32 p = w->node[node].first_pod; p != SIM_NONE; p = w->pod[p].next_on_node)
    stop (w, p);
  if (w->node[node].first_pod != SIM_NONE)
    expect_collector (w, node);
}

void
sim_node_collect (SimWorld *w, const SimEvent *ev)
{
  SimNode *n = &w->node[ev->subject];

  if (n->present || n->gc_stamp != ev->stamp)
    return;
  g_autoptr (GArray) rows = pods_of (w, ev->subject);

  for (guint i = 0; i < rows->len; i++) {
    guint32 pod = g_array_index (rows, guint32, i);

    if (!w->pod[pod].live)
      continue;
    if (!is_finished (&w->pod[pod]) && !w->pod[pod].deleting)
      sim_pod_fail (w, pod);
    sim_pod_vanish (w, pod);
  }
}

/* A machine of the same name is back before the collector came: what ran on the old one has failed. */
static void
bury_lost (SimWorld *w, guint32 node)
{
  g_autoptr (GArray) rows = pods_of (w, node);

  for (guint i = 0; i < rows->len; i++) {
    guint32 pod = g_array_index (rows, guint32, i);
    SimPod *p = &w->pod[pod];

    if (!p->live || !p->lost)
      continue;
    p->lost = FALSE;
    if (p->deleting)
      sim_pod_vanish (w, pod);
    else
      sim_pod_finish (w, pod, 137); /* nobody knows better: killed */
  }
}

/* ---- rows ----------------------------------------------------------------------------------- */

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

static void
remove_node (SimWorld *w, guint32 node)
{
  SimNode *n = &w->node[node];

  n->present = FALSE;
  n->cordoned = FALSE;
  n->unreachable = FALSE;
  n->machine++;
  w->nodes_present--;
  sim_images_lose (w, node, FALSE);
  lose (w, node);
  vc_cache_remove_node (w->cache, n->name);
}

void
sim_node_change (SimWorld *w, guint32 change)
{
  const SimNodeChange *c = &w->change[change];
  SimNode *n = &w->node[c->node];
  const char *event = "";

  if (c->event == WL_NODE_ADD) {
    if (!n->present) {
      n->present = TRUE;
      n->gc_stamp++;
      w->nodes_present++;
      bury_lost (w, c->node);
    }
    n->cordoned = FALSE;
    take_groups (n, c, TRUE);
    event = "added";
  } else if (!n->present) {
    return;
  } else if (c->event == WL_NODE_REMOVE) {
    remove_node (w, c->node);
    sim_record_event (w, "Node", "", n->name, "removed", "");
    return;
  } else if (c->event == WL_NODE_UPDATE) {
    take_groups (n, c, FALSE);
    event = "updated";
  } else if (c->event == WL_NODE_CORDON || c->event == WL_NODE_DRAIN) {
    n->cordoned = TRUE;
    event = c->event == WL_NODE_CORDON ? "cordoned" : "drained";
  } else if (c->event == WL_NODE_NOTREADY) {
    if (n->unreachable)
      return;
    fall_silent (w, c->node);
    event = "unreachable";
  } else if (c->event == WL_NODE_READY) {
    if (!n->unreachable)
      return;
    n->unreachable = FALSE;
    event = "ready";
  } else {
    n->cordoned = FALSE;
    event = "uncordoned";
  }
  sim_node_publish (w, c->node);
  sim_record_event (w, "Node", "", n->name, event, "");
  if (c->event == WL_NODE_DRAIN)
    clear_out (w, c->node);
  else if (c->event == WL_NODE_READY)
    speak_again (w, c->node);
}
