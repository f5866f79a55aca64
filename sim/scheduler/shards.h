/* sim/scheduler/shards.h - the NodeShard objects of a run: which nodes each scheduler is to use, and which it uses.
 *
 * Whoever makes a NodeShard says which nodes it desires; the scheduler that it is for writes into its status which of them it uses: those that no other
 * shard's status claims. So a node that moves from one shard to another is used by the new one as soon as the old one has given it up. Upstream's
 * schedulers write at the same time; here one after the other, in their order, until nothing changes any more. All of them hear of it at once.
 * Mirrors pkg/scheduler/cache/shard_coordinator.go. */
#pragma once
#include "sim/world/world.h"
G_BEGIN_DECLS

/** Make the NodeShard, or give the one of that name other nodes. @found: it is there from the start, with its status; else that is not taken from @o, as the
 * API server does. */
void sim_shard_put (SimWorld *w, const VcNodeShardObject *o, gboolean found);
void sim_shard_drop (SimWorld *w, const char *name);
/** Names of the nodes that the NodeShard desires, NULL: there is none. */
const GPtrArray *sim_shard_desired (const SimWorld *w, const char *name);
/** Names of all NodeShards (char *). (transfer full) */
GPtrArray *sim_shard_names (const SimWorld *w);
/** A new process of the scheduler whose view is entered lists them. */
void sim_shards_list (SimWorld *w);
/** A line for each scheduler that has no NodeShard, now or later (char *). */
void sim_shards_warn (const SimWorld *w, GPtrArray *warnings);
/** Nodes that are there and count as the own ones of the scheduler of that view: all without sharding. */
guint32 sim_shard_count_nodes (const SimWorld *w, guint view);
void sim_shards_free (SimShards *shards);

G_END_DECLS
