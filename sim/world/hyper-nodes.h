/* sim/world/hyper-nodes.h - the HyperNode objects of a run, and what the scheduler's cache is told of them.
 *
 * An object whose members do not make a tree (two parents, a circle) leaves the tree not ready, and the cache tries it again after 5 ms, 10 ms, 20 ms
 * … up to 1000 s, as upstream's queue does. Such a retry can only end differently once a HyperNode or a node has changed, so those before are left out.
 * Mirrors AddHyperNode, UpdateHyperNode, DeleteHyperNode and SyncHyperNode (pkg/scheduler/cache/event_handlers.go), processSyncHyperNode (cache.go). */
#pragma once
#include "world.h"
G_BEGIN_DECLS

/** Make the HyperNode, or replace the one of that name. @o stays as long as the world, unless @arena (taken over; nullable) has it. @source says who
 * did it: "" a user. */
void sim_hyper_node_put (SimWorld *w, const VcHyperNodeObject *o, VcArena *arena, const char *source);
/** Delete it; unknown names are ignored. */
void sim_hyper_node_drop (SimWorld *w, const char *name, const char *source);
/** A user submits the object in row @i of the input, or deletes it. */
void sim_hyper_node_submit (SimWorld *w, guint32 i);
void sim_hyper_node_delete (SimWorld *w, guint32 i);
/** The object of that name, NULL. */
const VcHyperNodeObject *sim_hyper_node_find (const SimWorld *w, const char *name);
/** All of them by name: const VcHyperNodeObject *. (transfer container) */
GPtrArray *sim_hyper_nodes_sorted (const SimWorld *w);
/** A node came, went or has other labels. */
void sim_hyper_nodes_note_node (SimWorld *w);
/** The cache has other news of nodes or HyperNodes now: those that failed are tried again, each when its time comes. */
void sim_hyper_nodes_expect_retries (SimWorld *w);
/** A new process lists them all, by name; the cache has forgotten what it knew. */
void sim_hyper_nodes_list (SimWorld *w);
/** SIM_EVENT_HYPER_RETRY. FALSE: it is stale. */
gboolean sim_hyper_node_event (SimWorld *w, const SimEvent *ev);
void sim_hyper_nodes_free (SimWorld *w);

G_END_DECLS
