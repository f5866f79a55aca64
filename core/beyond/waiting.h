/* core/beyond/waiting.h - jobs that wait to start, in the order in which these policies serve them, and how one of them starts.
 *
 * The order is that of the configuration's job order, then submission: a gang waits as one. Queues are not looked at. What a job needs is the sum
 * of its pending pods, or, while it has no pods yet, the minimum resources of its PodGroup. */
#pragma once
#include "core/session/session-private.h"
#include "core/session/statement.h"
G_BEGIN_DECLS

typedef struct {
  guint32 job;
  guint32 place;
  gint64 submitted;
  gint64 walltime;   /* G_MAXINT64: none was asked for */
} VcWaiting;

/** Every job of the session that has something left to place, as a heap in no other order; g_array_unref() it. */
GArray *vc_waiting_new (VcSession *ssn);
/** Does @l come before @r? Total. */
gboolean vc_waiting_before (VcSession *ssn, const VcWaiting *l, const VcWaiting *r);
/** Take the first one. FALSE: there is none. */
gboolean vc_waiting_pop (VcSession *ssn, GArray *waiting, VcWaiting *first);
/** The rest in order. */
void vc_waiting_sort (VcSession *ssn, GArray *waiting);

/** What it needs; borrowed. */
const VcRes *vc_waiting_need (VcSession *ssn, const VcWaiting *x);
/** @need <= @free in every dimension that @need has something of. */
gboolean vc_waiting_fits (const VcRes *need, const VcRes *free_sum);

typedef enum {
  VC_START_REFUSED,  /* some node lacks what the sums have */
  VC_START_ADMITTED, /* its pods come now, and a later cycle places them */
  VC_START_DONE
} VcStart;
/** Admit a job that is not yet: TRUE, its pods are to come. */
gboolean vc_waiting_admit (VcSession *ssn, const VcWaiting *x);
/** Admit the job, or place its pending pods: each on the first node, in the order of the cluster, that takes it; nothing when its gang does not fit. */
VcStart vc_waiting_start (VcSession *ssn, VcStatement *st, const VcWaiting *x);
/** The first node in the cluster's order that takes the task, VC_NONE. Nodes before *from are too full for its shape. */
guint32 vc_waiting_first_fit (VcSession *ssn, guint32 task, guint32 *from);
/** Its pending pods in task order, into a heap that is not set up yet. */
void vc_waiting_tasks (VcSession *ssn, guint32 job, VcHeap *tasks);
/** Does the gang have all that it needs, pods without requests among them? */
gboolean vc_waiting_is_whole (const VcJob *j);
/** Sum of what nodes have free. */
void vc_waiting_free_sum (VcSession *ssn, VcRes *out);

G_END_DECLS
