/* The Kubernetes view of a node (NodeInfo): pod count, requests and host ports of the pods that the wrapped filters and scorers see. */
#include "cluster-ops.h"

static void
move (VcCluster *c, guint32 t, gint64 sign)
{
  const VcTask *task = &c->task[t];
  const VcShape *s = task->shape;
  VcNodes *n = &c->nodes;
  guint32 row = task->node;

  for (guint k = 0; k < VC_K_N; k++)
    n->k_request[k][row] += sign * s->k_request[k];
  for (guint k = 0; k < 2; k++)
    n->k_nonzero[k][row] += sign * s->k_nonzero_placed[k];
  n->mirror_pods[row] += (guint32) sign;
  if (c->journal_on) {
    c->journal = vc_grow (c->journal, &c->cap_journal, c->n_journal + 1, sizeof *c->journal);
    c->journal[c->n_journal++] = (VcMirrorMove) { t, row, (gint32) sign };
  }
  if (s->n_ports > 0) {
    VcNode *node = &n->info[row];
    guint32 had = node->n_ports;

    for (guint i = 0; i < s->n_ports; i++) {
      if (sign > 0) {
        node->port = vc_grow (node->port, &node->cap_ports, node->n_ports + 1, sizeof *node->port);
        node->port[node->n_ports++] = &s->port[i];
        continue;
      }
      for (guint32 p = 0; p < node->n_ports; p++)
        if (node->port[p] == &s->port[i]) {
          node->port[p] = node->port[--node->n_ports];
          break;
        }
    }
    n->n_with_ports += (node->n_ports > 0) - (had > 0);
  }
  vc_node_touch (c, row, sign < 0);
}

void
vc_mirror_add (VcCluster *c, guint32 t)
{
  if (c->task[t].in_mirror || c->task[t].node == VC_NONE)
    return;
  c->task[t].in_mirror = TRUE;
  move (c, t, 1);
}

void
vc_mirror_remove (VcCluster *c, guint32 t)
{
  if (!c->task[t].in_mirror)
    return;
  move (c, t, -1);
  c->task[t].in_mirror = FALSE;
}

void
vc_mirror_journal (VcCluster *c, gboolean on)
{
  c->n_journal = 0;
  c->journal_on = on;
}
