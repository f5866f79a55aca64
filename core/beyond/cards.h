/* core/beyond/cards.h - nodes and pods as policies for GPU cards see them: thousandths of a core, thousandths of a card.
 *
 * The cards are those that deviceshare shares (deviceshare.VGPUEnable); a part of a card is a part of its memory. Those of a node count as equally
 * large. Without that plugin no node has cards. */
#pragma once
#include "core/session/session.h"
G_BEGIN_DECLS

#define VC_CARD 1000 /* a whole one */

typedef struct {
  gint64 cpu;   /* that is left */
  guint n;
  gint64 *left; /* of each card; borrowed */
} VcCardNode;
typedef struct { gint64 cpu; guint cards; gint64 part; /* of each card */ } VcCardPod;

/* What looks at them. Zeroed is empty. */
typedef struct {
  VcSession *ssn;
  GArray *card; /* VcDeviceCard: of the node that was read last */
  GArray *left;
} VcCardView;
void vc_card_view_open (VcCardView *v, VcSession *ssn);
void vc_card_view_clear (VcCardView *v);
/** A node as it is now; valid until the next one is read. */
VcCardNode vc_card_view_node (VcCardView *v, guint32 node);
/** What pods of the shape ask for on the node that was read last. */
VcCardPod vc_card_view_pod (VcCardView *v, const VcShape *shape);

/** What all cards have left together. */
gint64 vc_card_node_sum (const VcCardNode *node);
/** Does the pod ask for a part of one card? */
static inline gboolean vc_card_pod_shares (const VcCardPod *pod) { return pod->cards == 1 && pod->part < VC_CARD; }
/** Take so many cards, the fullest first, equal ones in their order: @taken (nullable) is 1 for each of them. FALSE: there are not enough. */
gboolean vc_card_node_take (const VcCardNode *node, const VcCardPod *pod, guint8 *taken);

G_END_DECLS
