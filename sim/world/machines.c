#include "machines.h"
#include "budgets.h"
#include "kubelet.h"
#include "node-events.h"
#include "work.h"
#include "sim/load/images.h"
#include "sim/record/record.h"

#define GC_PERIOD (20 * SIM_SECOND)     /* kube-controller-manager's pod garbage collector sweeps that often … */
#define GC_QUARANTINE (40 * SIM_SECOND) /* … and believes in a node's absence that long after the sweep that saw it */
#define KILLED 137                      /* exit code of a container of which nobody knows better */

GArray *
sim_node_pods (SimWorld *w, guint32 node)
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

/* ---- containers that stop with their machine ------------------------------------------------ */

static void
stop (SimWorld *w, guint32 pod)
{
  SimPod *p = &w->pod[pod];

  if (is_finished (p) || p->lost)
    return;
  p->lost = TRUE;
  p->stamp++; /* no start, no end, no end of a graceful deletion */
  p->held = 0;
  sim_work_end (w, pod, TRUE);
  sim_pod_account (w, pod, FALSE);
  sim_record_pod_event (w, pod, "lost", w->node[p->node].name);
}

static void
stop_all (SimWorld *w, guint32 node)
{
  g_autoptr (GArray) rows = sim_node_pods (w, node);

  for (guint i = 0; i < rows->len; i++)
    stop (w, g_array_index (rows, guint32, i));
}

/* ---- silence -------------------------------------------------------------------------------- */

static void
speak_again (SimWorld *w, guint32 node)
{
  g_autoptr (GArray) rows = sim_node_pods (w, node);

  for (guint i = 0; i < rows->len; i++) {
    guint32 pod = g_array_index (rows, guint32, i);

    if (!w->pod[pod].live)
      continue;
    if (w->pod[pod].lost)
      sim_pod_revive (w, pod, KILLED);
    else
      sim_pod_release (w, pod);
  }
}

/* The taints follow what is known of the node. @was_mute: nothing was heard of it before. */
static void
settle (SimWorld *w, guint32 node, gboolean was_mute)
{
  SimNode *n = &w->node[node];
  gboolean want = n->silent > 0 || n->missed;

  if (want != n->unreachable) {
    n->unreachable = want;
    sim_budgets_look_at_node (w, node);
    n->told = w->now;
    sim_record_event (w, "Node", "", n->name, want ? "unreachable" : "ready", "");
    sim_node_publish (w, node);
  }
  if (was_mute && !sim_node_is_mute (n))
    speak_again (w, node);
}

void
sim_node_silence (SimWorld *w, guint32 node, gboolean on)
{
  SimNode *n = &w->node[node];
  gboolean mute = sim_node_is_mute (n);

  if (on)
    n->silent++;
  else if (n->silent > 0)
    n->silent--;
  settle (w, node, mute);
}

/* ---- crashes -------------------------------------------------------------------------------- */

void
sim_node_crash (SimWorld *w, guint32 node)
{
  SimNode *n = &w->node[node];

  if (n->down++ > 0)
    return;
  n->machine++;
  sim_images_lose (w, node, TRUE);
  stop_all (w, node);
  sim_event_queue_post (w->events, sim_time_after (w->now, w->model->node_monitor_grace), SIM_RANK_NODE, SIM_EVENT_NODE_MISSED, node, n->machine);
}

void
sim_node_repair (SimWorld *w, guint32 node)
{
  SimNode *n = &w->node[node];

  if (n->down == 0 || --n->down > 0)
    return;
  n->machine++;
  n->missed = FALSE;
  settle (w, node, TRUE);
}

gboolean
sim_node_notice (SimWorld *w, const SimEvent *ev)
{
  SimNode *n = &w->node[ev->subject];

  if (n->machine != ev->stamp || n->down == 0 || !n->present)
    return FALSE;
  n->missed = TRUE;
  settle (w, ev->subject, TRUE);
  return TRUE;
}

/* ---- nodes that go -------------------------------------------------------------------------- */

static void
expect_collector (SimWorld *w, guint32 node)
{
  SimTime sweep = (w->now + GC_PERIOD - 1) / GC_PERIOD * GC_PERIOD;

  sim_event_queue_post (w->events, sweep + GC_QUARANTINE, SIM_RANK_POD, SIM_EVENT_NODE_GC, node, w->node[node].gc_stamp);
}

void
sim_node_lose_pod (SimWorld *w, guint32 pod)
{
  stop (w, pod);
  expect_collector (w, w->pod[pod].node);
}

void
sim_node_lose (SimWorld *w, guint32 node)
{
  SimNode *n = &w->node[node];

  n->machine++;
  n->silent = n->down = 0;
  n->missed = n->unreachable = FALSE;
  sim_budgets_look_at_node (w, node);
  sim_images_lose (w, node, FALSE);
  stop_all (w, node);
  if (n->first_pod != SIM_NONE)
    expect_collector (w, node);
}

void
sim_node_collect (SimWorld *w, const SimEvent *ev)
{
  SimNode *n = &w->node[ev->subject];

  if (n->present || n->gc_stamp != ev->stamp)
    return;
  g_autoptr (GArray) rows = sim_node_pods (w, ev->subject);

  for (guint i = 0; i < rows->len; i++) {
    guint32 pod = g_array_index (rows, guint32, i);

    if (!w->pod[pod].live)
      continue;
    if (!is_finished (&w->pod[pod]) && !w->pod[pod].deleting)
      sim_pod_fail (w, pod);
    sim_pod_vanish (w, pod);
  }
}

void
sim_node_replace (SimWorld *w, guint32 node)
{
  g_autoptr (GArray) rows = sim_node_pods (w, node);

  for (guint i = 0; i < rows->len; i++) {
    guint32 pod = g_array_index (rows, guint32, i);
    SimPod *p = &w->pod[pod];

    if (!p->live || !p->lost)
      continue;
    p->lost = FALSE;
    if (p->deleting)
      sim_pod_vanish (w, pod);
    else
      sim_pod_finish (w, pod, KILLED);
  }
}
