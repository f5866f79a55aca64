/* sim/controllers/shard-controller.h - Volcano's sharding controller: it gives each scheduler's NodeShard its nodes, by policies (a ConfigMap with sharding.yaml among
 * the objects turns it on).
 *
 * Mirrors pkg/controllers/sharding. Where Volcano takes nodes, and schedulers, in the random order of a map, they go in the order of the input; a look at
 * everything takes no time. */
#pragma once
#include "sim/world/world.h"
#include "workloads/native/sharding-conf.h"
G_BEGIN_DECLS

/** Its configuration from @time on, taken over; NULL: the ConfigMap goes, which changes nothing. It starts at time 0, without one for then with the default of its flags.
 * FALSE, and nothing is taken over: there is one for time 0 already. */
gboolean sim_shard_controller_plan (SimWorld *w, WlShardingConf *conf, SimTime time);
void sim_shard_controller_free (SimShardController *c); /* NULL is fine */

/** One of its events is due. FALSE: no NodeShard has changed. */
gboolean sim_shard_controller_event (SimWorld *w, const SimEvent *ev);
/** A pod has come to the node or gone from it, or the node has gone. */
void sim_shard_controller_note (SimWorld *w, guint32 node);
/** The node was @before, and may be another one now. */
void sim_shard_controller_compare (SimWorld *w, guint32 node, const SimNode *before);
/** Somebody has written, or deleted, the NodeShard. */
void sim_shard_controller_heard (SimWorld *w, const char *name);
/** Handle what it has heard of. FALSE: no NodeShard has changed. */
gboolean sim_shard_controller_settle (SimWorld *w);
/** Will it make a NodeShard of that name? */
gboolean sim_shard_controller_makes (const SimWorld *w, const char *name);

G_END_DECLS
