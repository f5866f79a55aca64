/* sim/world/machines.h - the machines behind the nodes: off, on again, heard of or not; and what that does to the pods on them (07 §6.3).
 *
 * Trace rows and faults may overlap on one node: each counts, and the node is well again when the last one is over. */
#pragma once
#include "world.h"
G_BEGIN_DECLS

/** Rows of all pod objects bound to the node, by UID. (transfer full) */
GArray *sim_node_pods (SimWorld *w, guint32 node);

/** The cluster does not hear of the node (@on), or does again: it is tainted, containers go on, but no start, end or removal is heard of. */
void sim_node_silence (SimWorld *w, guint32 node, gboolean on);
/** The machine stops: so do the containers on it. The cluster notices after the monitor's grace period. */
void sim_node_crash (SimWorld *w, guint32 node);
/** It runs again; containers that have stopped are restarted or have failed, as their policy says. */
void sim_node_repair (SimWorld *w, guint32 node);
/** The cluster notices that a machine is off. FALSE: it is on again. */
gboolean sim_node_notice (SimWorld *w, const SimEvent *ev);

/** The node object goes, and the machine with it. */
void sim_node_lose (SimWorld *w, guint32 node);
/** A pod turns out to be on a machine that is gone: it stops where it is, and the collection is on its way. */
void sim_node_lose_pod (SimWorld *w, guint32 pod);
/** A machine of the same name is there before the collector came: what ran on the old one has failed. */
void sim_node_replace (SimWorld *w, guint32 node);
/** The pod garbage collector comes by. */
void sim_node_collect (SimWorld *w, const SimEvent *ev);

/** Can nothing start, and nothing be heard of on it? */
static inline gboolean
sim_node_is_mute (const SimNode *n)
{
  return n->unreachable || n->down > 0;
}

G_END_DECLS
