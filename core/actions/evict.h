/* core/actions/evict.h - what the evicting actions share: candidates of a node, victim order, the fit test with victims.
 *
 * Mirrors BuildVictimsPriorityQueue (framework/session_plugins.go) and ValidateVictims (util/scheduler_helper.go). */
#pragma once
#include "actions.h"
G_BEGIN_DECLS

typedef struct { /* user data of a victim heap; must outlive it */
  VcSession *ssn;
  guint32 preemptor;
} VcVictimOrder;

/** Tasks on @node by `<namespace>/<name>`. Borrowed; valid until a task enters or leaves the node. */
const guint32 *vc_evict_tasks_of (VcCluster *c, guint32 node, guint *n);
/** Is l evicted before r? A VcHeapLess over a VcVictimOrder. */
gboolean vc_evict_before (gpointer order, guint32 l, guint32 r);
/** request <= FutureIdle + victims; an empty list is allowed. */
gboolean vc_evict_enough (const VcCluster *c, guint32 task, guint32 node, const GArray *victims);
/** Pending, ungated tasks of a job as a heap of this session (best-effort ones included); FALSE when none. */
gboolean vc_evict_pending_heap (VcSession *ssn, guint32 job, guint32 *slot);
/** The queues of valid jobs as the heap @queues (initialised here; clear it), and for each queue its starving jobs: jobs_of[n_queues + 1]
 * gets heaps of this session, VC_NONE where there are none. With @tasks_of (by job, nullable) their pending tasks, too. */
void vc_evict_queues (VcSession *ssn, VcHeap *queues, guint32 *jobs_of, guint32 *tasks_of);
/** Fill the heap @h from @victims in victim order. */
void vc_evict_fill (VcHeap *h, VcVictimOrder *order, const GArray *victims);

/* topology-aware dry run (preempt-dry-run.c) */
typedef gboolean (*VcEvictFilter) (VcSession *ssn, guint32 preemptor, guint32 candidate, gboolean same_job);
typedef struct { gint64 percent, least, most; } VcDryRunLimits;
/** Choose a node and its victims among @nodes, evict and pipeline. FALSE: nothing changed. */
gboolean vc_preempt_dry_run (VcSession *ssn, VcStatement *st, guint32 task, gboolean same_job, VcEvictFilter filter, const VcDryRunLimits *limits,
                             const guint32 *nodes, guint n);

G_END_DECLS
