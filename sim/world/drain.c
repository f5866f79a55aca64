#include "drain.h"
#include "budgets.h"
#include "kubelet.h"
#include "machines.h"
#include "sim/record/record.h"

#define RETRY (5 * SIM_SECOND)

enum { NOT_DRAINED, TO_DRAIN, REFUSED }; /* SimPod.drain */

/* FALSE: the pod has to wait. */
static gboolean
evict (SimWorld *w, guint32 pod)
{
  const char *budget = NULL;
  SimEviction answer = sim_eviction_ask (w, pod, &budget);

  if (answer == SIM_EVICTION_LATER) {
    if (w->pod[pod].drain != REFUSED)
      sim_record_pod_event (w, pod, "drain-refused", budget);
    w->pod[pod].drain = REFUSED;
    return FALSE;
  }
  w->pod[pod].drain = NOT_DRAINED;
  if (answer == SIM_EVICTION_ERROR) {
    sim_record_pod_event (w, pod, "drain-failed", "more than one budget covers it");
    return TRUE;
  }
  sim_record_pod_event (w, pod, "drained", w->node[w->pod[pod].node].name);
  sim_pod_delete (w, pod);
  return TRUE;
}

/* FALSE: nothing has changed. */
static gboolean
attempt (SimWorld *w, guint32 node)
{
  g_autoptr (GArray) rows = sim_node_pods (w, node);
  gboolean waits = FALSE, some = FALSE;

  for (guint i = 0; i < rows->len; i++) {
    guint32 pod = g_array_index (rows, guint32, i);

    if (!w->pod[pod].live || w->pod[pod].drain == NOT_DRAINED || w->pod[pod].deleting)
      continue;
    if (evict (w, pod))
      some = TRUE;
    else
      waits = TRUE;
  }
  if (waits)
    sim_event_queue_post (w->events, w->now + RETRY, SIM_RANK_NODE, SIM_EVENT_NODE_DRAIN, node, ++w->node[node].drain_stamp);
  return some;
}

void
sim_node_drain (SimWorld *w, guint32 node)
{
  for (guint32 p = w->node[node].first_pod; p != SIM_NONE; p = w->pod[p].next_on_node)
    w->pod[p].drain = TO_DRAIN;
  attempt (w, node);
}

gboolean
sim_drain_event (SimWorld *w, const SimEvent *ev)
{
  const SimNode *n = &w->node[ev->subject];

  return n->drain_stamp == ev->stamp && n->present && sim_node_is_cordoned (n) && attempt (w, ev->subject);
}
