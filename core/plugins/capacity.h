/* core/plugins/capacity.h - private to the capacity plugin: the figures of its queues.
 *
 * capacity-queues.c builds the figures when a session opens and hands out the gauges when it closes; capacity.c answers the questions;
 * capacity-reclaim.c chooses victims. */
#pragma once
#include "capacity-devices.h"
#include "plugins.h"
#include "support.h"
#include "core/base/heap.h"
G_BEGIN_DECLS

/* vectors of a queue */
enum {
  CAPACITY_DESERVED, CAPACITY_ALLOCATED, CAPACITY_REQUEST, CAPACITY_INQUEUE, CAPACITY_ELASTIC, CAPACITY_GUARANTEE,
  CAPACITY_LIMIT,     /* the capability */
  CAPACITY_REAL,      /* the real capability */
  CAPACITY_RESERVED,  /* requests of tasks that have passed the queue-admission gate and wait */
  CAPACITY_WORK,      /* of one choice of victims */
  CAPACITY_ALLOCATED_GAUGE, CAPACITY_INQUEUE_GAUGE, CAPACITY_N_VECTORS
};

typedef struct {
  gboolean present;           /* has figures: with a job in it (flat), all of them (tree) */
  double share;
  CapacityDevices *devices;   /* NULL: no quota of devices, or they do not count */
  const guint32 *ancestor; guint n_ancestors; /* from root down to the parent */
  guint32 first_child, next_sibling;          /* by name; VC_NONE */
  /* gauges */
  gboolean published, share_published, limit_published, allocated_published;
  guint64 known;              /* scalars that some gauge has named by now */
  guint64 known_at[4];        /* the same when deserved, allocated, request and inqueue were set last */
} CapacityQueue;

typedef struct {
  gint64 level;               /* ancestorReclaimLevel */
  gboolean tree;              /* enableHierarchy of the first capacity entry */
  gboolean ready;             /* the tree is sound */
  gboolean devices, dimensions; /* quotas of devices count, and of their capacity */
  gboolean gates;             /* the feature gate of queue admission is on */
  CapacityQueue *queue;       /* per row */
  guint32 n_queues;
  VcVectors vec;
  VcArena *arena;             /* of the session: lists of ancestors */
  VcMarks copied;             /* tasks whose PrePredicate has run in this session */
  VcMarks reserved;           /* tasks counted in CAPACITY_RESERVED of their queue */
  VcMarks working;            /* queues whose CAPACITY_WORK is valid */
  VcHeap candidates;
} Capacity;

static inline VcRes *
capacity_vec (const Capacity *cp, guint32 queue, guint which)
{
  return vc_vectors_at (&cp->vec, queue, which);
}

/* ---- capacity-queues.c ---- */
void capacity_open_queues (Capacity *cp, VcSession *ssn);
void capacity_publish_allocated (Capacity *cp, guint32 queue);
void capacity_update_share (Capacity *cp, const VcCluster *c, guint32 queue);
void capacity_close_queues (Capacity *cp, VcSession *ssn);

/* ---- capacity-reclaim.c ---- */
VcVote capacity_reclaimable (gpointer self, VcSession *ssn, guint32 evictor, const guint32 *candidates, guint n, guint32 *out, guint *n_out);
VcVote capacity_unified (gpointer self, VcSession *ssn, guint32 evictor, const guint32 *candidates, guint n, guint32 *out, guint *n_out);
/** Ancestor at distance @k >= 1 from the queue, VC_NONE when the path to root is shorter. */
guint32 capacity_ancestor (const Capacity *cp, guint32 queue, gint64 k);
/** May the queue be better off by reclaiming for @tasks? */
gboolean capacity_preemptive (gpointer self, VcSession *ssn, guint32 queue, const guint32 *tasks, guint n);

G_END_DECLS
