/* sim/controllers/hypernode-controller.h - HyperNodes out of the labels of nodes.
 *
 * A network topology type lists labels of nodes from the top of the network to the bottom, kubernetes.io/hostname last. Every value of the label above
 * the host names is a HyperNode of tier 1 with the nodes that have it, every value of the label above that one of tier 2 with those of tier 1, and so on. A
 * node without one of the labels takes part below the gap only.
 *
 * Example: type t with (zone, rack, kubernetes.io/hostname); node n1 has zone=a, rack=1, node n2 only rack=2. HyperNodes: hypernode-t-tier1-1 with n1,
 * hypernode-t-tier1-2 with n2, hypernode-t-tier2-a with hypernode-t-tier1-1.
 *
 * Upstream ends a name in five random letters; here it is the label's value, with a number behind it when the name is taken. Like upstream, two values
 * that are equal are one HyperNode, whatever lies above them: racks need names that are unique.
 * Mirrors pkg/controllers/hypernode (reconcileTopology, discovery/label). */
#pragma once
#include "sim/world/world.h"
G_BEGIN_DECLS

/* A type: its labels from the bottom up, without the host name. */
struct SimTopologyType { const char *name; const char *const *label; guint n_labels; };

/** Look at the nodes when they, or HyperNodes, have changed, and make, change and delete HyperNodes as they say. */
void sim_hyper_nodes_discover (SimWorld *w);

G_END_DECLS
