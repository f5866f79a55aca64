/* sim/record/watch.h - what the API server's watchers tell the schedulers' caches, at once or with a lag (informer_lag, faults.csv).
 *
 * Without a lag each call is the cache's own. With one the news waits in a line and reaches the cache later, in the order in which it arose;
 * the scheduler then decides on pods that are gone already, or does not see those that are there. What the scheduler itself does (binding,
 * evicting, the phases that it writes) it knows at once, as in Volcano; so it does of queues, quotas, budgets and measured loads here. */
#pragma once
#include "sim/world/world.h"
G_BEGIN_DECLS

void sim_watch_free (SimWorld *w);

void sim_watch_pod_added (SimWorld *w, guint32 pod, const VcPodObject *o, const VcShape *shape);
void sim_watch_pod_status (SimWorld *w, guint32 pod, VcStatus status);
/** nodeName is written: @node is a row of the world. */
void sim_watch_pod_bound (SimWorld *w, guint32 pod, guint32 node);
/** It carries what the evictor writes. */
void sim_watch_pod_evicted (SimWorld *w, guint32 pod);
/** The object is gone; the row may be used again at once. */
void sim_watch_pod_removed (SimWorld *w, guint32 pod);
/** A PodGroup is there, or has changed (@fresh: FALSE). */
void sim_watch_group (SimWorld *w, guint32 job, const VcPodGroupObject *o, gboolean fresh);
/** The PodGroup of that name is gone. */
void sim_watch_group_removed (SimWorld *w, guint32 job, const char *ns, const char *name);
void sim_watch_node (SimWorld *w, guint32 node, const VcNodeObject *o);
/** A new process lists the node: only the view that is entered hears of it. */
void sim_watch_node_listed (SimWorld *w, guint32 node, const VcNodeObject *o);
void sim_watch_node_removed (SimWorld *w, guint32 node);

/** Is there anything that the scheduler does not know yet? */
gboolean sim_watch_is_late (const SimWorld *w);
/** News that is due reaches the cache. */
void sim_watch_event (SimWorld *w);
/** A new process lists everything: nothing is late any more, in the view that is entered. */
void sim_watch_flush (SimWorld *w);

/** The pod (row) whose task this is, SIM_NONE: it is gone, and the cache does not know yet. */
guint32 sim_pod_of_task (const SimWorld *w, guint32 task);

G_END_DECLS
