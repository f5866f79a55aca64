/* sim/world/node-events.h - node objects of the cluster: rows of the trace take effect (07 §5, §6.3), and faults do. */
#pragma once
#include "world.h"
G_BEGIN_DECLS

/** The node object as it is now reaches the scheduler, and its taints take effect. */
void sim_node_publish (SimWorld *w, guint32 node);
/** A new process of the scheduler whose view is entered lists the node. */
void sim_node_list (SimWorld *w, guint32 node);
/** Apply row @change of the input. */
void sim_node_change (SimWorld *w, guint32 change);
/** A measured load (row of w->usage) becomes known; one of a node that is not there waits for it. */
void sim_node_measure (SimWorld *w, guint32 measurement);

/** The node comes, with what it was given last; or goes with its machine. */
void sim_node_add (SimWorld *w, guint32 node);
void sim_node_remove (SimWorld *w, guint32 node);
/** Cordon the node for one reason more (@on), or less; what the trace says of it is a reason of its own. */
void sim_node_fence (SimWorld *w, guint32 node, gboolean on);

G_END_DECLS
