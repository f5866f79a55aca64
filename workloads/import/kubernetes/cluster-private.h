/* workloads/import/kubernetes/cluster-private.h - what the files of cluster.h share. */
#pragma once
#include "cluster.h"
G_BEGIN_DECLS

WlTime wl_cluster_second (gint64 seconds); /* since 1970, or VC_NO_TIME, in microseconds; WL_TIME_NONE: none that a run could have */
void wl_cluster_saw (WlCluster *c, WlTime t);

/** The object at hand is left out for @reason: a row that is dropped, or a note. TRUE always. */
gboolean wl_cluster_leave_out (WlCluster *c, const char *reason);

/* cluster-items.c */
/** A workload, a pod or a PodGroup. */
gboolean wl_item_read (WlCluster *c, K8sReader *r, const K8sTop *top, const K8sMeta *meta, WlKind kind);
/** Its times, as annotations and metadata say. */
gboolean wl_item_notes (WlCluster *c, K8sReader *r, const K8sTop *top, const K8sMeta *meta, WlItem *item);

/* cluster-join.c */
/** Which way, and what time is 0. */
gboolean wl_cluster_settle (WlCluster *c, GError **error);
void wl_cluster_join (WlCluster *c);
void wl_item_drop (WlCluster *c, WlItem *item, const char *reason);
static inline gboolean
wl_item_is_over (const WlItem *item)
{
  static const char *const over[] = { "Completed", "Failed", "Terminated", "Aborted", "Completing", "Terminating", "Aborting", "Complete", "Succeeded", NULL };

  return g_strv_contains (over, item->phase);
}

/* cluster-time.c */
typedef struct {
  WlTime first, whole; /* what is left of the run that is under way, and how long another one takes; WL_TIME_NEVER */
  gint32 exit_code;
} WlRun;
/** The run of pod @index of task @k; what is made up is counted, but for G_MAXUINT: a pod that is not there yet. */
WlRun wl_item_run (WlCluster *c, const WlItem *item, guint k, guint index);

/* cluster-write.c */
/** Kind of sharing of GPUs: device, pooled or whole. */
const char *wl_cluster_share (const WlCluster *c);
gboolean wl_cluster_write (WlCluster *c, GError **error);

G_END_DECLS
