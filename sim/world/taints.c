#include "taints.h"
#include "kubelet.h"
#include "machines.h"
#include "sim/record/record.h"
#include <string.h>

/* ---- tolerations ---------------------------------------------------------------------------- */

/* What admission adds; NULL when a toleration of the pod's own covers the taint. */
static const VcToleration *
admitted (const SimWorld *w, const VcTaint *taint, VcToleration *room)
{
  if (strcmp (taint->key, SIM_TAINT_UNREACHABLE) != 0)
    return NULL;
  *room = (VcToleration){ .key = SIM_TAINT_UNREACHABLE,
                          .effect = "NoExecute",
                          .op = VC_TOLERATE_EXISTS,
                          .bounded = TRUE,
                          .seconds = w->model->unreachable_toleration / SIM_SECOND };
  return room;
}

static const VcToleration *
toleration_of (const SimWorld *w, const VcShape *s, const VcTaint *taint, VcToleration *room)
{
  for (guint i = 0; i < s->spec.n_tolerations; i++)
    if (vc_toleration_covers (&s->spec.toleration[i], taint))
      return &s->spec.toleration[i];
  return admitted (w, taint, room);
}

/* How long the pod bears the taints: SIM_NEVER for ever, 0 not at all. @all: is each of them tolerated? @worst: the one that ends it. */
static SimTime
patience (const SimWorld *w, const SimPod *p, gboolean *all, const VcTaint **worst)
{
  const SimNode *n = &w->node[p->node];
  const VcShape *s = w->role[p->role].shape;
  SimTime least = SIM_NEVER;

  *all = TRUE;
  *worst = NULL;
  for (guint i = 0; i < n->n_no_execute; i++) {
    VcToleration room;
    const VcToleration *t = toleration_of (w, s, &n->no_execute[i], &room);

    if (t == NULL) {
      *all = FALSE;
      *worst = &n->no_execute[i];
      return 0;
    }
    if (t->bounded && MAX (t->seconds, 0) * SIM_SECOND < least) {
      least = MAX (t->seconds, 0) * SIM_SECOND;
      *worst = &n->no_execute[i];
    }
  }
  return least;
}

/* ---- evictions ------------------------------------------------------------------------------ */

static void
evict (SimWorld *w, guint32 pod, const VcTaint *taint)
{
  w->pod[pod].evict_at = SIM_NEVER;
  if (w->pod[pod].deleting)
    return;
  sim_record_pod_event (w, pod, "taint-evicted", taint != NULL ? taint->key : "");
  sim_pod_delete (w, pod);
}

/* processPodOnNode. A pod that has been told its time keeps it, even when other taints would leave it less. */
static void
process (SimWorld *w, guint32 pod)
{
  SimPod *p = &w->pod[pod];
  const VcTaint *worst;
  gboolean all;
  SimTime bears = patience (w, p, &all, &worst);

  if (!all) {
    evict (w, pod, worst);
    return;
  }
  if (bears == SIM_NEVER) {
    p->evict_at = SIM_NEVER;
    return;
  }
  if (p->evict_at != SIM_NEVER && p->evict_since < w->now)
    return;
  p->evict_since = w->now;
  p->evict_at = sim_time_after (w->now, bears);
  sim_event_queue_post (w->events, p->evict_at, SIM_RANK_POD, SIM_EVENT_POD_TAINT, pod, (guint32) p->uid);
}

gboolean
sim_taints_event (SimWorld *w, const SimEvent *ev)
{
  SimPod *p = &w->pod[ev->subject];
  const VcTaint *worst;
  gboolean all;

  if (!p->live || (guint32) p->uid != ev->stamp || p->evict_at != w->now || p->deleting)
    return FALSE;
  patience (w, p, &all, &worst);
  evict (w, ev->subject, worst);
  return TRUE;
}

void
sim_taints_meet (SimWorld *w, guint32 pod)
{
  if (w->node[w->pod[pod].node].n_no_execute > 0)
    process (w, pod);
}

static gboolean
same (const VcTaint *a, const VcTaint *b)
{
  return strcmp (a->key, b->key) == 0 && g_strcmp0 (a->value, b->value) == 0;
}

void
sim_taints_set (SimWorld *w, guint32 node, const VcTaint *taint, guint n)
{
  SimNode *o = &w->node[node];
  g_autofree VcTaint *hot = g_new (VcTaint, MAX (n, 1));
  guint n_hot = 0;
  gboolean changed;

  for (guint i = 0; i < n; i++)
    if (g_strcmp0 (taint[i].effect, "NoExecute") == 0)
      hot[n_hot++] = taint[i];
  changed = n_hot != o->n_no_execute;
  for (guint i = 0; i < n_hot && !changed; i++)
    changed = !same (&hot[i], &o->no_execute[i]);
  if (!changed)
    return;
  g_free (o->no_execute);
  o->no_execute = g_steal_pointer (&hot);
  o->n_no_execute = n_hot;
  g_autoptr (GArray) rows = sim_node_pods (w, node);

  for (guint i = 0; i < rows->len; i++) {
    guint32 pod = g_array_index (rows, guint32, i);

    if (!w->pod[pod].live)
      continue;
    if (n_hot == 0)
      w->pod[pod].evict_at = SIM_NEVER;
    else
      process (w, pod);
  }
}
