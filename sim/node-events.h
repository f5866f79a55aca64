/* sim/node-events.h - node rows of the trace take effect: add, update, cordon, uncordon, drain, notready, ready, remove (07 §5, §6.3). */
#pragma once
#include "world.h"
G_BEGIN_DECLS

/** The node object as it is now reaches the scheduler. */
void sim_node_publish (SimWorld *w, guint32 node);
/** Apply row @change of the input. */
void sim_node_change (SimWorld *w, guint32 change);
/** A measured load (row of w->usage) becomes known; one of a node that is not there waits for it. */
void sim_node_measure (SimWorld *w, guint32 measurement);
/** A pod turns out to be on a machine that is gone: it stops where it is, and the collection is on its way. */
void sim_node_lose_pod (SimWorld *w, guint32 pod);
/** The taint manager loses patience with an unreachable node: its pods are deleted. FALSE: the node is back, or
 * empty. */
gboolean sim_node_evict (SimWorld *w, const SimEvent *ev);
/** The pod garbage collector comes by. */
void sim_node_collect (SimWorld *w, const SimEvent *ev);

G_END_DECLS
