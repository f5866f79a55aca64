/* core/model/cluster-ops.h - changes of the tables, for the cache and the session only.
 *
 * Each call keeps every counter and sum of VcJob, the node columns and the change log in step. */
#pragma once
#include "cluster.h"
G_BEGIN_DECLS

VcCluster *vc_cluster_new (VcResNames *names); /* names are taken over */
void vc_cluster_free (VcCluster *c);

/* nodes */
guint32 vc_node_row (VcCluster *c, const char *name);          /* made when new */
void vc_node_list_append (VcCluster *c, guint32 row);
void vc_node_list_remove (VcCluster *c, guint32 row);
void vc_node_list_clear (VcCluster *c);
/** A node's dynamic state changed; @may_grow: a task that did not fit may fit now. */
void vc_node_touch (VcCluster *c, guint32 row, gboolean may_grow);
/** What all nodes are to the scheduler has changed: readers of the change log start anew. */
void vc_node_list_stale (VcCluster *c);
/** Account a task on its node by its status (node_info.go AddTask without checks), or take it off. Not the mirror. */
void vc_node_put (VcCluster *c, guint32 task);
void vc_node_take (VcCluster *c, guint32 task);
/** Sums of one node anew from its tasks (SetNode, and the clone of a snapshot). */
/** Keep the room of a task that is Releasing on the node from FutureIdle, or give it back. */
void vc_node_hide_released (VcCluster *c, guint32 row, const VcShape *shape, gboolean hide);
void vc_node_recount (VcCluster *c, guint32 row);

/* tasks */
guint32 vc_task_new (VcCluster *c, const char *ns, const char *name, const char *uid);
void vc_task_free (VcCluster *c, guint32 task);
/** Give a task a shape while it is in no job and on no node. */
void vc_task_set_shape (VcCluster *c, guint32 task, const VcShape *shape);
void vc_job_add_task (VcCluster *c, guint32 job, guint32 task, const char *role);
void vc_job_remove_task (VcCluster *c, guint32 task);
/** Status and node of a task change together; the job's counters follow, the node's figures do not. */
void vc_task_move (VcCluster *c, guint32 task, VcStatus status, guint32 node);

/* jobs and queues */
guint32 vc_job_row (VcCluster *c, const char *key, const char *ns); /* made when new */
void vc_job_free (VcCluster *c, guint32 job);
guint32 vc_job_role (VcCluster *c, guint32 job, const char *role);  /* row in job->role, made when new */
guint32 vc_queue_row (VcCluster *c, const char *name);
void vc_queue_free (VcCluster *c, guint32 queue);
void vc_queue_clear (VcQueue *q); /* frees what the row owns */

static inline gpointer vc_grow (gpointer p, guint32 *cap, guint32 need, gsize size)
{
  if (need <= *cap)
    return p;
  guint32 fresh = MAX (*cap * 2u, MAX (need, 8u));
  p = g_realloc_n (p, fresh, size);
  memset ((char *) p + (gsize) *cap * size, 0, (gsize) (fresh - *cap) * size);
  *cap = fresh;
  return p;
}

G_END_DECLS
