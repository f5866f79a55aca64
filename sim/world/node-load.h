/* sim/world/node-load.h - the measured load of nodes that follows the pods running on them, for the plugin usage and studies of overcommitment.
 *
 * A pod whose containers run uses a part of its request (key or column `usage`, annotation volsim.io/usage). Every usage_interval each node
 * that is heard of is measured: the average over the last ten minutes, in percent of its capacity. */
#pragma once
#include "world.h"
G_BEGIN_DECLS

/** NULL when the model measures nothing. (transfer full) */
SimNodeLoad *sim_node_load_new (const SimWorld *w);
void sim_node_load_free (SimNodeLoad *l);
/** Post the first measurement; after the events are sealed. */
void sim_node_load_prepare (SimWorld *w);
/** The pod's containers begin (@sign 1) or end (-1) to use its node. No effect when nothing is measured. */
void sim_node_load_add (SimWorld *w, guint32 pod, int sign);
/** Measure, and tell the scheduler. */
void sim_node_load_measure (SimWorld *w);

G_END_DECLS
