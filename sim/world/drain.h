/* sim/world/drain.h - kubectl drain: every pod of a node is evicted through the API, and what a budget holds back is tried again every five seconds.
 *
 * Finished pods go too; there are no DaemonSets here. A drain is given up when the node is uncordoned or gone. */
#pragma once
#include "world.h"
G_BEGIN_DECLS

/** Evict the pods that are on the node now. The node is cordoned already. */
void sim_node_drain (SimWorld *w, guint32 node);
/** Try again. FALSE: nothing is left to try. */
gboolean sim_drain_event (SimWorld *w, const SimEvent *ev);

G_END_DECLS
