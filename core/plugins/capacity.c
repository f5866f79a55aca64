/* core/plugins/capacity.c - queues with deserved, guaranteed and greatest amounts per resource, flat or as a tree.
 *
 * Policy: a queue gets what it asks for up to its real capability; what it holds above its deserved amount can be reclaimed.
 * Flat (queues that have jobs count):
 *   realCapability = total - all guarantees + own guarantee, bounded by capability
 *   deserved       = max (min (spec.deserved, realCapability), guarantee)
 * Tree (enableHierarchy; every queue counts; jobs only in leaves; usage of a queue counts in every queue above):
 *   capability     = as given, what is left out as the parent's; root without one: no limit
 *   realCapability = parent's realCapability - guarantees of its children + own guarantee, bounded by capability
 *   deserved       = max (spec.deserved, guarantee); root: the sum over its children
 *   A queue without a path to root, a job in a queue with children or a missing root makes the tree unsound: nothing is admitted,
 *   allocated or reclaimed in that session.
 * Both:
 *   share       = max over the deserved resources of allocated / deserved; 1 for a queue that deserves nothing
 *   order       = queue priority, then the smaller share, then queues that deserve something. Tree: leaves first; two leaves compare by the
 *                 shares of their ancestors below the last one that they have in common (these shares are as of session open)
 *   allocatable = queue is Open, and for it and every queue above: allocated + reserved + request <= realCapability in what is requested
 *   admission   = queue is Open, and for it and every queue above: min + allocated + inqueue - elastic <= realCapability in what is asked
 *   victims     = capacity-reclaim.c
 *   devices     = of claims, by class, against the capability alone: capacity-devices.h
 * With the feature gate of queue admission a pod that carries the gate's annotation reserves its request from the time when the queue had
 * room for it until it is allocated.
 *
 * Example (tree): A has capability 8 cpu, guarantee 4, deserved 6; below it A1 with guarantee 1, deserved 3, and A2 with guarantee 2,
 * deserved 1, capability 5. Real capabilities: A min (inf, 8) = 8; A1 8 - 3 + 1 = 6; A2 min (8 - 3 + 2, 5) = 5.
 *
 * Mirrors pkg/scheduler/plugins/capacity/capacity.go. */
#include "capacity.h"

const VcArgSpec vc_capacity_args[] = {
  { "ancestorReclaimLevel", VC_ARG_INT, "how many levels of parents take part in reclaiming (default 0; below 0 counts as 0)" },
  { "capacity.DynamicResourceAllocationEnable", VC_ARG_BOOL, "quotas of device classes count (default true)" },
  { "capacity.DRAConsumableCapacityEnable", VC_ARG_BOOL, "so do those of their capacity (default true)" },
  { NULL, VC_ARG_ANY, NULL },
};

static gboolean
capacity_init (gpointer self, const VcPluginOption *option, gboolean lenient, GError **error)
{
  Capacity *cp = self;

  vc_args_get_int (&option->args, "ancestorReclaimLevel", &cp->level);
  cp->level = MAX (cp->level, 0);
  cp->devices = cp->dimensions = TRUE;
  vc_args_get_bool (&option->args, "capacity.DynamicResourceAllocationEnable", &cp->devices);
  vc_args_get_bool (&option->args, "capacity.DRAConsumableCapacityEnable", &cp->dimensions);
  return TRUE;
}

static inline gboolean
is_leaf (const Capacity *cp, guint32 q)
{
  return cp->queue[q].first_child == VC_NONE;
}

/* ---- order ---------------------------------------------------------------------------------- */

static int
compare_shares (const Capacity *cp, const VcCluster *c, guint32 l, guint32 r)
{
  double ls = cp->queue[l].share, rs = cp->queue[r].share;

  if (ls != rs)
    return ls < rs ? -1 : 1;
  return (int) vc_res_is_empty (capacity_vec (cp, l, CAPACITY_DESERVED), c->names)
         - (int) vc_res_is_empty (capacity_vec (cp, r, CAPACITY_DESERVED), c->names);
}

/* Place of the last ancestor that both have, counted from root; 0 also when there is none. */
static guint
common_level (const CapacityQueue *l, const CapacityQueue *r)
{
  guint level = 0;

  for (guint i = 0; i < MIN (l->n_ancestors, r->n_ancestors) && l->ancestor[i] == r->ancestor[i]; i++)
    level = i;
  return level;
}

static int
capacity_queue_order (gpointer self, VcSession *ssn, guint32 l, guint32 r)
{
  const Capacity *cp = self;
  const VcCluster *c = vc_session_cluster (ssn);
  gint32 lp = vc_queue (c, l)->priority, rp = vc_queue (c, r)->priority;

  if (lp != rp)
    return lp > rp ? -1 : 1;
  if (!cp->tree)
    return compare_shares (cp, c, l, r);
  if (is_leaf (cp, l) != is_leaf (cp, r))
    return is_leaf (cp, l) ? -1 : 1;
  if (is_leaf (cp, l)) {
    const CapacityQueue *lq = &cp->queue[l], *rq = &cp->queue[r];
    guint below = common_level (lq, rq) + 1;

    if (below < lq->n_ancestors)
      l = lq->ancestor[below];
    if (below < rq->n_ancestors)
      r = rq->ancestor[below];
  }
  return compare_shares (cp, c, l, r);
}

/* Closer relatives of the preemptor's queue are evicted first. */
static int
capacity_victim_queue_order (gpointer self, VcSession *ssn, guint32 l, guint32 r, guint32 preemptor)
{
  const Capacity *cp = self;
  guint ll = common_level (&cp->queue[l], &cp->queue[preemptor]), rl = common_level (&cp->queue[r], &cp->queue[preemptor]);

  return ll == rl ? 0 : ll > rl ? -1 : 1;
}

/* ---- reservations of the queue-admission gate ------------------------------------------------- */

static void
reserve (Capacity *cp, const VcCluster *c, guint32 q, guint32 task)
{
  if (vc_marks_add (&cp->reserved, task))
    vc_res_add (capacity_vec (cp, q, CAPACITY_RESERVED), vc_task (c, task)->shape->request);
}

static void
unreserve (Capacity *cp, const VcCluster *c, guint32 q, guint32 task)
{
  if (!vc_marks_has (&cp->reserved, task))
    return;
  vc_marks_remove (&cp->reserved, task);
  vc_res_sub_unchecked (capacity_vec (cp, q, CAPACITY_RESERVED), vc_task (c, task)->shape->request);
}

/* Pending tasks that have lost their gate and keep its annotation. */
static void
open_reservations (Capacity *cp, VcSession *ssn)
{
  const VcCluster *c = vc_session_cluster (ssn);
  guint n;
  const guint32 *jobs = vc_session_jobs (ssn, &n);

  vc_marks_reserve (&cp->reserved, c->n_tasks);
  vc_marks_begin (&cp->reserved);
  for (guint i = 0; cp->gates && i < n; i++) {
    const VcJob *j = vc_job (c, jobs[i]);

    for (guint32 k = 0; k < j->n_tasks; k++) {
      const VcTask *t = vc_task (c, j->task[k]);
      if (t->status == VC_PENDING && !t->gated && t->gate_opt_in)
        reserve (cp, c, j->queue, j->task[k]);
    }
  }
}

/* ---- room ----------------------------------------------------------------------------------- */

/* Does the task fit the queue, when @removed (nullable) has been taken away from it? */
static gboolean
fits_queue (const Capacity *cp, const VcCluster *c, guint32 q, guint32 task, const VcRes *removed)
{
  const VcTask *t = vc_task (c, task);
  VC_RES_LOCAL (future, c->n_res);

  vc_res_copy (future, capacity_vec (cp, q, CAPACITY_ALLOCATED));
  if (removed != NULL)
    vc_res_sub_unchecked (future, removed);
  vc_res_add (future, capacity_vec (cp, q, CAPACITY_RESERVED));
  if (!vc_marks_has (&cp->reserved, task) || vc_job (c, t->job)->queue != q)
    vc_res_add (future, t->shape->request); /* else it is in what is reserved */
  return vc_res_less_equal_dimension (future, capacity_vec (cp, q, CAPACITY_REAL), t->shape->request, c->names, NULL);
}

/* Are there devices left of the queue's quota, when the victims of a dry run (nullable) are gone? */
static gboolean
fits_devices (const Capacity *cp, const VcCluster *c, guint32 q, guint32 task, const GArray *off)
{
  const CapacityDevices *live = cp->queue[q].devices;
  const VcTask *t = vc_task (c, task);

  if (live == NULL || t->claims == NULL)
    return TRUE;
  if (off == NULL || off->len == 0)
    return capacity_devices_fit_task (live, t, cp->dimensions);
  g_autoptr (CapacityDevices) then = capacity_devices_copy (live);
  for (guint i = 0; i < off->len; i++)
    capacity_devices_remove_task (then, vc_task (c, g_array_index (off, guint32, i)));
  return capacity_devices_fit_task (then, t, cp->dimensions);
}

static gboolean
fits_path (const Capacity *cp, const VcCluster *c, guint32 q, guint32 task, const VcRes *removed, const GArray *off)
{
  const CapacityQueue *queue = &cp->queue[q];

  if (!queue->present || !fits_queue (cp, c, q, task, removed) || !fits_devices (cp, c, q, task, off))
    return FALSE;
  for (guint i = queue->n_ancestors; i-- > 0;)
    if (!fits_queue (cp, c, queue->ancestor[i], task, removed) || !fits_devices (cp, c, queue->ancestor[i], task, off))
      return FALSE;
  return TRUE;
}

static gboolean
capacity_allocatable (gpointer self, VcSession *ssn, guint32 q, guint32 task)
{
  Capacity *cp = self;
  const VcCluster *c = vc_session_cluster (ssn);

  if (!vc_queue_is_open (vc_queue (c, q)) || !cp->ready || !is_leaf (cp, q) || !fits_path (cp, c, q, task, NULL, NULL))
    return FALSE;
  if (cp->gates && vc_task (c, task)->gate_opt_in)
    reserve (cp, c, q, task);
  return TRUE;
}

/* What the job needs of devices, where its queue has a quota of them. */
static CapacityDeviceList *
minimum_of (const Capacity *cp, const VcCluster *c, const VcJob *j)
{
  return cp->queue[j->queue].devices != NULL ? capacity_devices_minimum (c, j) : NULL;
}

static gboolean
admits (const Capacity *cp, const VcCluster *c, guint32 q, const VcJob *j)
{
  const VcRes *min = j->min_resources;
  VC_RES_LOCAL (sum, c->n_res);

  vc_res_copy (sum, min);
  vc_res_add (sum, capacity_vec (cp, q, CAPACITY_ALLOCATED));
  vc_res_add (sum, capacity_vec (cp, q, CAPACITY_INQUEUE));
  vc_res_sub_unchecked (sum, capacity_vec (cp, q, CAPACITY_ELASTIC));
  if (!vc_res_less_equal_dimension (sum, capacity_vec (cp, q, CAPACITY_REAL), min, c->names, NULL))
    return FALSE;
  g_autoptr (CapacityDeviceList) devices = cp->queue[q].devices != NULL ? capacity_devices_minimum (c, j) : NULL;
  return capacity_devices_fit_minimum (cp->queue[q].devices, devices, cp->dimensions);
}

static VcVote
capacity_job_enqueueable (gpointer self, VcSession *ssn, guint32 job)
{
  const Capacity *cp = self;
  const VcCluster *c = vc_session_cluster (ssn);
  const VcJob *j = vc_job (c, job);
  guint32 failing = VC_NONE;

  if (!cp->ready || !is_leaf (cp, j->queue) || !vc_queue_is_open (vc_queue (c, j->queue)))
    return VC_REJECT;
  g_autoptr (CapacityDeviceList) devices = j->has_min_resources ? NULL : minimum_of (cp, c, j);
  if (!j->has_min_resources && devices == NULL)
    return VC_PERMIT;
  const CapacityQueue *queue = &cp->queue[j->queue];
  if (!admits (cp, c, j->queue, j))
    failing = j->queue;
  for (guint i = queue->n_ancestors; i-- > 0 && failing == VC_NONE;)
    if (!admits (cp, c, queue->ancestor[i], j))
      failing = queue->ancestor[i];
  if (failing == VC_NONE)
    return VC_PERMIT;
  if (vc_session_logs (ssn, 3))
    vc_session_log (ssn, 3, "capacity: job %s stays out, queue %s has no room for its minimum", j->key, vc_queue (c, failing)->name);
  return VC_REJECT;
}

static void
capacity_job_enqueued (gpointer self, VcSession *ssn, guint32 job)
{
  Capacity *cp = self;
  const VcCluster *c = vc_session_cluster (ssn);
  const VcJob *j = vc_job (c, job);
  const CapacityQueue *queue = &cp->queue[j->queue];

  if (!queue->present)
    return;
  g_autoptr (CapacityDeviceList) devices = minimum_of (cp, c, j);
  if (!j->has_min_resources && devices == NULL)
    return;
  VC_RES_LOCAL (min, c->n_res);
  vc_res_copy (min, j->min_resources);
  vc_job_deduct_gated (j, c->names, min);
  vc_res_add (capacity_vec (cp, j->queue, CAPACITY_INQUEUE), min);
  capacity_devices_admit (queue->devices, devices);
  for (guint i = 0; i < queue->n_ancestors; i++) {
    vc_res_add (capacity_vec (cp, queue->ancestor[i], CAPACITY_INQUEUE), min);
    capacity_devices_admit (cp->queue[queue->ancestor[i]].devices, devices);
  }
}

/* ---- dry runs of evictions: they start from a copy of the figures that PrePredicate makes. It is made right before each dry run, so the
 * live figures less what the run has taken away are the copy's. ---- */

static const char *
capacity_pre_predicate (gpointer self, VcSession *ssn, guint32 task)
{
  Capacity *cp = self;

  vc_marks_add (&cp->copied, task);
  return NULL;
}

/* The queue of a task whose job is in the session and whose queue has figures, else VC_NONE. */
static guint32
queue_of (const Capacity *cp, VcSession *ssn, guint32 task)
{
  const VcCluster *c = vc_session_cluster (ssn);
  guint32 job = vc_task (c, task)->job;

  if (!vc_session_has_job (ssn, job) || !cp->queue[vc_job (c, job)->queue].present)
    return VC_NONE;
  return vc_job (c, job)->queue;
}

/* What is taken away is counted by the caller; here it only matters whether upstream could. */
static gboolean
capacity_simulate_change (gpointer self, VcSession *ssn, gpointer state, guint32 task, guint32 changed, guint32 node)
{
  const Capacity *cp = self;

  return vc_marks_has (&cp->copied, task) && queue_of (cp, ssn, changed) != VC_NONE;
}

/* As allocatable, but the queue's state does not count and nothing is reserved. */
static gboolean
capacity_simulate_allocatable (gpointer self, VcSession *ssn, gpointer state, guint32 q, guint32 task)
{
  const Capacity *cp = self;
  const VcSimState *run = state;

  return vc_marks_has (&cp->copied, task) && cp->ready && is_leaf (cp, q) && fits_path (cp, vc_session_cluster (ssn), q, task, run->removed, run->off);
}

/* ---- events: shares of inner queues stay as they were when the session opened ----------------- */

static gboolean
capacity_allocated (gpointer self, VcSession *ssn, guint32 task)
{
  Capacity *cp = self;
  const VcCluster *c = vc_session_cluster (ssn);
  const VcRes *request = vc_task (c, task)->shape->request;
  guint32 q = queue_of (cp, ssn, task);

  if (q == VC_NONE)
    return TRUE;
  vc_res_add (capacity_vec (cp, q, CAPACITY_ALLOCATED), request);
  capacity_publish_allocated (cp, q);
  capacity_update_share (cp, c, q);
  capacity_devices_add_task (cp->queue[q].devices, vc_task (c, task));
  for (guint i = 0; i < cp->queue[q].n_ancestors; i++) {
    vc_res_add (capacity_vec (cp, cp->queue[q].ancestor[i], CAPACITY_ALLOCATED), request);
    capacity_devices_add_task (cp->queue[cp->queue[q].ancestor[i]].devices, vc_task (c, task));
  }
  if (cp->gates)
    unreserve (cp, c, q, task);
  return TRUE;
}

static void
capacity_deallocated (gpointer self, VcSession *ssn, guint32 task)
{
  Capacity *cp = self;
  const VcCluster *c = vc_session_cluster (ssn);
  const VcRes *request = vc_task (c, task)->shape->request;
  guint32 q = queue_of (cp, ssn, task);

  if (q == VC_NONE)
    return;
  vc_res_sub_unchecked (capacity_vec (cp, q, CAPACITY_ALLOCATED), request);
  capacity_publish_allocated (cp, q);
  capacity_update_share (cp, c, q);
  capacity_devices_remove_task (cp->queue[q].devices, vc_task (c, task));
  for (guint i = 0; i < cp->queue[q].n_ancestors; i++) {
    vc_res_sub_unchecked (capacity_vec (cp, cp->queue[q].ancestor[i], CAPACITY_ALLOCATED), request);
    capacity_devices_remove_task (cp->queue[cp->queue[q].ancestor[i]].devices, vc_task (c, task));
  }
  if (cp->gates && vc_task (c, task)->gate_opt_in)
    reserve (cp, c, q, task);
}

/* ---- session -------------------------------------------------------------------------------- */

static void
capacity_session_open (gpointer self, VcSession *ssn)
{
  Capacity *cp = self;
  const VcCluster *c = vc_session_cluster (ssn);

  vc_marks_reserve (&cp->copied, c->n_tasks);
  vc_marks_begin (&cp->copied);
  vc_marks_reserve (&cp->working, c->n_queues);
  cp->gates = vc_session_gates_admission (ssn);
  capacity_open_queues (cp, ssn);
  open_reservations (cp, ssn);

  vc_session_add_victims_of (ssn, VC_HOOK_RECLAIMABLE, capacity_reclaimable, VC_READS_SHAPE);
  vc_session_add_victims (ssn, VC_HOOK_UNIFIED_EVICTABLE, capacity_unified);
  vc_session_add_preemptive (ssn, capacity_preemptive);
  vc_session_add_allocatable (ssn, capacity_allocatable);
  vc_session_add_job_vote (ssn, VC_HOOK_JOB_ENQUEUEABLE, capacity_job_enqueueable);
  vc_session_add_job_enqueued (ssn, capacity_job_enqueued);
  vc_session_add_pre_predicate (ssn, capacity_pre_predicate);
  vc_session_add_simulation (ssn, NULL, capacity_simulate_change, capacity_simulate_change, capacity_simulate_allocatable);
  vc_session_add_handlers (ssn, capacity_allocated, capacity_deallocated);
  if (!cp->ready)
    return;
  vc_session_add_compare (ssn, VC_HOOK_QUEUE_ORDER, capacity_queue_order);
  if (cp->tree)
    vc_session_add_victim_queue_order (ssn, capacity_victim_queue_order);
}

static void
capacity_session_close (gpointer self, VcSession *ssn)
{
  capacity_close_queues (self, ssn);
}

static void
capacity_clear (gpointer self)
{
  Capacity *cp = self;

  vc_vectors_clear (&cp->vec);
  vc_marks_clear (&cp->copied);
  vc_marks_clear (&cp->reserved);
  vc_marks_clear (&cp->working);
  vc_heap_clear (&cp->candidates);
  vc_arena_free (cp->arena);
  for (guint32 q = 0; q < cp->n_queues; q++)
    capacity_devices_free (cp->queue[q].devices);
  g_free (cp->queue);
}

const VcPluginClass vc_plugin_capacity = {
  .name = "capacity",
  .summary = VC_CAPACITY_SUMMARY,
  .args = vc_capacity_args,
  .instance_size = sizeof (Capacity),
  .init = capacity_init,
  .session_open = capacity_session_open,
  .session_close = capacity_session_close,
  .clear = capacity_clear,
};
