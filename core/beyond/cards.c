/* See cards.h. */
#include "cards.h"
#include "core/devices/devices.h"

void
vc_card_view_open (VcCardView *v, VcSession *ssn)
{
  v->ssn = ssn;
  if (v->card == NULL) {
    v->card = g_array_new (FALSE, FALSE, sizeof (VcDeviceCard));
    v->left = g_array_new (FALSE, FALSE, sizeof (gint64));
  }
}

void
vc_card_view_clear (VcCardView *v)
{
  g_clear_pointer (&v->card, g_array_unref);
  g_clear_pointer (&v->left, g_array_unref);
}

VcCardNode
vc_card_view_node (VcCardView *v, guint32 node)
{
  vc_devices_cards (vc_session_devices (v->ssn), node, v->card);
  g_array_set_size (v->left, v->card->len);
  for (guint i = 0; i < v->card->len; i++) {
    const VcDeviceCard *c = &g_array_index (v->card, VcDeviceCard, i);

    g_array_index (v->left, gint64, i) = c->used < c->memory ? (gint64) ((c->memory - c->used) * VC_CARD / c->memory) : 0;
  }
  return (VcCardNode) { (gint64) vc_session_cluster (v->ssn)->nodes.idle[VC_RES_CPU][node], v->card->len, (gint64 *) (gpointer) v->left->data };
}

VcCardPod
vc_card_view_pod (VcCardView *v, const VcShape *shape)
{
  VcDeviceCardRequest r = vc_devices_card_request (vc_session_devices (v->ssn), shape);
  guint64 memory = r.percent ? 100 : v->card->len > 0 ? g_array_index (v->card, VcDeviceCard, 0).memory : 0;

  return (VcCardPod) { (gint64) shape->request->v[VC_RES_CPU], r.cards, memory > 0 ? (gint64) (r.memory * VC_CARD / memory) : 0 };
}

gint64
vc_card_node_sum (const VcCardNode *node)
{
  gint64 sum = 0;

  for (guint i = 0; i < node->n; i++)
    sum += node->left[i];
  return sum;
}

gboolean
vc_card_node_take (const VcCardNode *node, const VcCardPod *pod, guint8 *taken)
{
  g_autofree guint8 *own = taken == NULL ? g_new (guint8, node->n + 1) : NULL;
  guint8 *mark = taken != NULL ? taken : own;
  guint got = 0;

  for (guint i = 0; i < node->n; i++)
    mark[i] = 0;
  while (got < pod->cards) {
    guint best = node->n;

    for (guint i = 0; i < node->n; i++)
      if (!mark[i] && node->left[i] >= pod->part && (best == node->n || node->left[i] < node->left[best]))
        best = i;
    if (best == node->n)
      return FALSE;
    mark[best] = 1;
    got++;
  }
  return TRUE;
}
