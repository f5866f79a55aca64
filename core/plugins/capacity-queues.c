/* Figures of the queues when a session opens, flat or as a tree, and their gauges. See capacity.c for what they mean.
 * Mirrors buildQueueAttrs, buildHierarchicalQueueAttrs, updateAncestors, checkHierarchicalQueue and updateQueueAttrShare. */
#include "capacity.h"

#define NO_LIMIT_SCALAR 9223372036854775807.0 /* upstream's math.MaxInt64, as a double */

void
capacity_update_share (Capacity *cp, const VcCluster *c, guint32 q)
{
  const VcRes *deserved = capacity_vec (cp, q, CAPACITY_DESERVED), *allocated = capacity_vec (cp, q, CAPACITY_ALLOCATED);
  double best = 0;

  if (vc_res_is_empty (deserved, c->names)) { /* best effort: after every queue that has less than it deserves */
    cp->queue[q].share = 1;
    return;
  }
  for (guint64 left = vc_res_name_mask (deserved); left != 0; left &= left - 1) {
    guint d = (guint) __builtin_ctzll (left);
    best = MAX (best, vc_share (allocated->v[d], deserved->v[d]));
  }
  cp->queue[q].share = best;
}

/* ---- gauges: a queue's gauges name a scalar from the first figure on that had it ------------- */

static void
note_known (CapacityQueue *queue, guint which, const VcRes *figure)
{
  queue->known_at[which] = queue->known |= figure->has;
}

void
capacity_publish_allocated (Capacity *cp, guint32 q)
{
  CapacityQueue *queue = &cp->queue[q];

  vc_res_copy (capacity_vec (cp, q, CAPACITY_ALLOCATED_GAUGE), capacity_vec (cp, q, CAPACITY_ALLOCATED));
  note_known (queue, 1, capacity_vec (cp, q, CAPACITY_ALLOCATED));
  queue->allocated_published = queue->share_published = TRUE;
}

static void
publish (Capacity *cp, guint32 q)
{
  CapacityQueue *queue = &cp->queue[q];

  note_known (queue, 0, capacity_vec (cp, q, CAPACITY_DESERVED));
  capacity_publish_allocated (cp, q);
  note_known (queue, 2, capacity_vec (cp, q, CAPACITY_REQUEST));
  note_known (queue, 3, capacity_vec (cp, q, CAPACITY_INQUEUE));
  vc_res_copy (capacity_vec (cp, q, CAPACITY_INQUEUE_GAUGE), capacity_vec (cp, q, CAPACITY_INQUEUE));
  queue->known |= capacity_vec (cp, q, CAPACITY_LIMIT)->has | capacity_vec (cp, q, CAPACITY_REAL)->has;
  queue->published = queue->limit_published = TRUE;
}

static void
copy_gauge (VcRes *to, const VcRes *from, guint64 known)
{
  vc_res_copy (to, from);
  to->has |= known;
  to->map |= to->has != 0;
}

void
capacity_close_queues (Capacity *cp, VcSession *ssn)
{
  guint n;
  const guint32 *queues = vc_session_queues (ssn, &n);

  for (guint i = 0; i < n; i++) {
    guint32 q = queues[i];
    const CapacityQueue *queue = &cp->queue[q];
    VcQueueGauge *gauge = vc_session_gauge (ssn, q);

    if (queue->present) {
      gauge->overused = queue->share > 1;
      gauge->parts |= VC_GAUGE_OVERUSED;
    }
    if (queue->share_published) {
      gauge->share = queue->share;
      gauge->parts |= VC_GAUGE_SHARE;
    }
    if (queue->allocated_published)
      copy_gauge (gauge->allocated, capacity_vec (cp, q, CAPACITY_ALLOCATED_GAUGE), queue->known_at[1]);
    if (!queue->published)
      continue;
    gauge->published = TRUE;
    gauge->parts |= VC_GAUGE_REAL_CAPACITY;
    copy_gauge (gauge->deserved, capacity_vec (cp, q, CAPACITY_DESERVED), queue->known_at[0]);
    copy_gauge (gauge->request, capacity_vec (cp, q, CAPACITY_REQUEST), queue->known_at[2]);
    copy_gauge (gauge->inqueue, capacity_vec (cp, q, CAPACITY_INQUEUE_GAUGE), queue->known_at[3]);
    vc_res_copy (gauge->real_capacity, capacity_vec (cp, q, CAPACITY_REAL));
    if (queue->limit_published) {
      vc_res_copy (gauge->capacity, capacity_vec (cp, q, CAPACITY_LIMIT));
      gauge->parts |= VC_GAUGE_CAPACITY;
    }
  }
}

/* ---- usage ---------------------------------------------------------------------------------- */

static void
add_usage (Capacity *cp, guint32 q, const VcJob *j)
{
  vc_job_add_usage (j, capacity_vec (cp, q, CAPACITY_ALLOCATED), capacity_vec (cp, q, CAPACITY_REQUEST), capacity_vec (cp, q, CAPACITY_ELASTIC));
}

/* Devices that the job's tasks hold. Queues above learn of the growth alone, so that a claim that leaves below them share counts for each leaf. */
static void
add_devices (Capacity *cp, const VcCluster *c, const VcJob *j)
{
  const CapacityQueue *queue = &cp->queue[j->queue];

  if (queue->devices == NULL || vc_job_allocated_num (j) == 0)
    return;
  g_autoptr (CapacityDevices) before = queue->n_ancestors > 0 ? capacity_devices_copy (queue->devices) : NULL;
  for (guint32 i = 0; i < j->n_tasks; i++)
    if (vc_status_allocated (vc_task (c, j->task[i])->status))
      capacity_devices_add_task (queue->devices, vc_task (c, j->task[i]));
  for (guint i = 0; i < queue->n_ancestors; i++)
    capacity_devices_pass_on (queue->devices, before, cp->queue[queue->ancestor[i]].devices);
}

/* A job counts in its queue and in every queue above. */
static void
add_job (Capacity *cp, const VcCluster *c, const VcJob *j)
{
  const CapacityQueue *queue = &cp->queue[j->queue];
  gboolean waits = j->phase == VC_PG_INQUEUE || (j->phase == VC_PG_RUNNING && (gint64) vc_job_allocated_num (j) >= j->min_available);
  VC_RES_LOCAL (part, c->n_res);

  if (j->has_min_resources && waits) { /* what is missing to the minimum, without gated tasks */
    vc_job_inqueue_resource (j, part);
    vc_job_deduct_gated (j, c->names, part);
  }
  add_devices (cp, c, j);
  add_usage (cp, j->queue, j);
  vc_res_add (capacity_vec (cp, j->queue, CAPACITY_INQUEUE), part);
  for (guint i = 0; i < queue->n_ancestors; i++) {
    add_usage (cp, queue->ancestor[i], j);
    vc_res_add (capacity_vec (cp, queue->ancestor[i], CAPACITY_INQUEUE), part);
  }
}

static void
clear_queue (Capacity *cp, guint32 q)
{
  for (guint w = 0; w < CAPACITY_N_VECTORS; w++)
    vc_res_clear (capacity_vec (cp, q, w));
}

/* ---- flat ----------------------------------------------------------------------------------- */

/* What no other queue is guaranteed, and the queue's own guarantee; bounded by @limit when there is one. */
static void
set_real (VcRes *real, const VcRes *base, const VcRes *guaranteed, const VcRes *guarantee, const VcRes *limit)
{
  vc_res_exceeded (base, guaranteed, real);
  vc_res_add (real, guarantee);
  if (limit != NULL)
    vc_res_min_dimension (real, limit, VC_ABSENT_INFINITY);
}

static void
open_flat_queue (Capacity *cp, VcSession *ssn, guint32 q, const VcRes *guaranteed)
{
  const VcQueue *queue = vc_queue (vc_session_cluster (ssn), q);
  VcRes *limit = capacity_vec (cp, q, CAPACITY_LIMIT);

  clear_queue (cp, q);
  cp->queue[q].present = TRUE;
  cp->queue[q].devices = cp->devices ? capacity_devices_new (queue) : NULL;
  vc_res_copy (capacity_vec (cp, q, CAPACITY_GUARANTEE), queue->guarantee);
  vc_res_copy (capacity_vec (cp, q, CAPACITY_DESERVED), queue->deserved);
  if (queue->has_capability) {
    vc_res_copy (limit, queue->capability);
    for (guint d = 0; d < VC_RES_FIRST_SCALAR; d++)
      if (limit->v[d] <= 0)
        limit->v[d] = VC_RES_HUGE; /* not given: no limit */
  }
  set_real (capacity_vec (cp, q, CAPACITY_REAL), vc_session_total (ssn), guaranteed, queue->guarantee, queue->has_capability ? limit : NULL);
}

/* A queue without jobs has no part in the session but its gauges; there cpu or memory that the capability leaves out count as zero. */
static void
publish_idle (Capacity *cp, VcSession *ssn, guint32 q, const VcRes *guaranteed)
{
  const VcQueue *queue = vc_queue (vc_session_cluster (ssn), q);

  clear_queue (cp, q);
  vc_res_copy (capacity_vec (cp, q, CAPACITY_DESERVED), queue->deserved);
  vc_res_copy (capacity_vec (cp, q, CAPACITY_LIMIT), queue->capability);
  set_real (capacity_vec (cp, q, CAPACITY_REAL), vc_session_total (ssn), guaranteed, queue->guarantee,
            queue->has_capability ? queue->capability : NULL);
  publish (cp, q);
  cp->queue[q].share_published = FALSE;
  cp->queue[q].limit_published = queue->has_capability;
}

static void
open_flat (Capacity *cp, VcSession *ssn)
{
  const VcCluster *c = vc_session_cluster (ssn);
  guint n_queues, n_jobs;
  const guint32 *queues = vc_session_queues (ssn, &n_queues), *jobs = vc_session_jobs (ssn, &n_jobs);
  VC_RES_LOCAL (guaranteed, c->n_res);
  VC_RES_LOCAL (most, c->n_res);

  for (guint i = 0; i < n_queues; i++)
    vc_res_add (guaranteed, vc_queue (c, queues[i])->guarantee);
  for (guint i = 0; i < n_jobs; i++) {
    const VcJob *j = vc_job (c, jobs[i]);

    if (!cp->queue[j->queue].present)
      open_flat_queue (cp, ssn, j->queue, guaranteed);
    add_job (cp, c, j);
  }
  for (guint i = 0; i < n_queues; i++) {
    guint32 q = queues[i];
    VcRes *deserved = capacity_vec (cp, q, CAPACITY_DESERVED);

    if (!cp->queue[q].present) {
      publish_idle (cp, ssn, q, guaranteed);
      continue;
    }
    vc_res_min_dimension (deserved, capacity_vec (cp, q, CAPACITY_REAL), VC_ABSENT_INFINITY);
    vc_res_max (deserved, capacity_vec (cp, q, CAPACITY_GUARANTEE), most);
    vc_res_copy (deserved, most);
    capacity_update_share (cp, c, q);
    publish (cp, q);
  }
}

/* ---- tree ----------------------------------------------------------------------------------- */

static guint32
find_queue (const VcCluster *c, const char *name)
{
  guint32 row = GPOINTER_TO_UINT (g_hash_table_lookup (c->queue_rows, name));
  return row > 0 ? row - 1 : VC_NONE;
}

/* Figures of a queue and of the queues above it that have none yet. FALSE: one of them has no parent. Queues whose parents form a loop come
 * out with some ancestors and are not reached from root. */
static gboolean
enter_queue (Capacity *cp, const VcCluster *c, guint32 q)
{
  const VcQueue *queue = vc_queue (c, q);
  CapacityQueue *mine = &cp->queue[q];

  clear_queue (cp, q);
  mine->present = TRUE;
  mine->devices = cp->devices ? capacity_devices_new (queue) : NULL;
  vc_res_copy (capacity_vec (cp, q, CAPACITY_DESERVED), queue->deserved);
  vc_res_copy (capacity_vec (cp, q, CAPACITY_GUARANTEE), queue->guarantee);
  vc_res_copy (capacity_vec (cp, q, CAPACITY_LIMIT), queue->capability);
  if (strcmp (queue->name, "root") == 0)
    return TRUE;
  guint32 parent = find_queue (c, *queue->parent != '\0' ? queue->parent : "root");
  if (parent == VC_NONE || (!cp->queue[parent].present && !enter_queue (cp, c, parent)))
    return FALSE;
  const CapacityQueue *above = &cp->queue[parent];
  guint32 *path = vc_arena_new0 (cp->arena, guint32, above->n_ancestors + 1);
  if (above->n_ancestors > 0)
    memcpy (path, above->ancestor, above->n_ancestors * sizeof *path);
  path[above->n_ancestors] = parent;
  mine->ancestor = path;
  mine->n_ancestors = above->n_ancestors + 1;
  return TRUE;
}

/* Children of the queues by name. */
static void
link_children (Capacity *cp, const guint32 *queues, guint n)
{
  for (guint i = n; i-- > 0;) {
    CapacityQueue *queue = &cp->queue[queues[i]];
    if (queue->n_ancestors == 0)
      continue;
    CapacityQueue *parent = &cp->queue[queue->ancestor[queue->n_ancestors - 1]];
    queue->next_sibling = parent->first_child;
    parent->first_child = queues[i];
  }
}

#define EACH_CHILD(cp, q, child) \
  for (guint32 child = (cp)->queue[q].first_child; child != VC_NONE; child = (cp)->queue[child].next_sibling)

/* Cpu, memory and scalars that the queue's capability leaves out are as the parent's. */
static void
inherit_limit (VcRes *limit, const VcRes *parent)
{
  for (guint d = 0; d < VC_RES_FIRST_SCALAR; d++)
    if (limit->v[d] <= 0)
      limit->v[d] = parent->v[d];
  for (guint64 left = parent->has & ~limit->has; left != 0; left &= left - 1) {
    guint d = (guint) __builtin_ctzll (left);
    vc_res_set (limit, d, parent->v[d]);
  }
  limit->map |= parent->map;
}

/* From a queue with settled figures down to the leaves. */
static void
settle_children (Capacity *cp, const VcCluster *c, guint32 q, gboolean is_root)
{
  VC_RES_LOCAL (guaranteed, c->n_res);
  VC_RES_LOCAL (deserved, c->n_res);
  VC_RES_LOCAL (most, c->n_res);

  EACH_CHILD (cp, q, child) {
    VcRes *own = capacity_vec (cp, child, CAPACITY_DESERVED);

    vc_res_max (own, capacity_vec (cp, child, CAPACITY_GUARANTEE), most);
    vc_res_copy (own, most);
    vc_res_add (deserved, own);
    vc_res_add (guaranteed, capacity_vec (cp, child, CAPACITY_GUARANTEE));
    inherit_limit (capacity_vec (cp, child, CAPACITY_LIMIT), capacity_vec (cp, q, CAPACITY_LIMIT));
  }
  if (is_root) {
    vc_res_copy (capacity_vec (cp, q, CAPACITY_GUARANTEE), guaranteed);
    vc_res_copy (capacity_vec (cp, q, CAPACITY_DESERVED), deserved);
  }
  EACH_CHILD (cp, q, child)
    set_real (capacity_vec (cp, child, CAPACITY_REAL), capacity_vec (cp, q, CAPACITY_REAL), guaranteed,
              capacity_vec (cp, child, CAPACITY_GUARANTEE), capacity_vec (cp, child, CAPACITY_LIMIT));
  EACH_CHILD (cp, q, child)
    settle_children (cp, c, child, FALSE);
}

/* Nothing but its capability bounds root: not even the size of the cluster. */
static void
open_root (Capacity *cp, VcSession *ssn, guint32 root)
{
  const VcCluster *c = vc_session_cluster (ssn);
  const VcRes *total = vc_session_total (ssn);
  VcRes *limit = capacity_vec (cp, root, CAPACITY_LIMIT);

  if (vc_res_is_empty (limit, c->names)) {
    vc_res_clear (limit);
    limit->v[VC_RES_CPU] = limit->v[VC_RES_MEMORY] = VC_RES_HUGE;
    for (guint64 left = total->has; left != 0; left &= left - 1)
      vc_res_set (limit, (guint) __builtin_ctzll (left), NO_LIMIT_SCALAR);
  }
  vc_res_copy (capacity_vec (cp, root, CAPACITY_REAL), limit);
  settle_children (cp, c, root, TRUE);
}

/* FALSE: the tree is not sound, and the queues stay as far as they have come. */
static gboolean
open_tree (Capacity *cp, VcSession *ssn)
{
  const VcCluster *c = vc_session_cluster (ssn);
  guint n_queues, n_jobs;
  const guint32 *queues = vc_session_queues (ssn, &n_queues), *jobs = vc_session_jobs (ssn, &n_jobs);
  guint32 root = find_queue (c, "root");

  for (guint i = 0; i < n_queues; i++)
    if (!cp->queue[queues[i]].present && !enter_queue (cp, c, queues[i])) {
      vc_session_log (ssn, 3, "capacity: queue %s has no path to root", vc_queue (c, queues[i])->name);
      return FALSE;
    }
  link_children (cp, queues, n_queues);
  for (guint i = 0; i < n_jobs; i++) {
    const VcJob *j = vc_job (c, jobs[i]);

    if (cp->queue[j->queue].first_child != VC_NONE) {
      vc_session_log (ssn, 3, "capacity: job %s is in queue %s, which is not a leaf", j->key, vc_queue (c, j->queue)->name);
      return FALSE;
    }
    add_job (cp, c, j);
  }
  if (root == VC_NONE)
    return FALSE;
  open_root (cp, ssn, root);
  for (guint i = 0; i < n_queues; i++) {
    capacity_update_share (cp, c, queues[i]);
    publish (cp, queues[i]);
  }
  return TRUE;
}

void
capacity_open_queues (Capacity *cp, VcSession *ssn)
{
  const VcCluster *c = vc_session_cluster (ssn);

  for (guint32 q = 0; q < cp->n_queues; q++)
    capacity_devices_free (cp->queue[q].devices);
  if (c->n_queues > cp->n_queues) {
    cp->queue = g_renew (CapacityQueue, cp->queue, c->n_queues);
    cp->n_queues = c->n_queues;
  }
  vc_vectors_reserve (&cp->vec, c->n_queues, CAPACITY_N_VECTORS, c->n_res);
  if (cp->arena == NULL)
    cp->arena = vc_arena_new ();
  vc_arena_reset (cp->arena);
  for (guint32 q = 0; q < c->n_queues; q++)
    cp->queue[q] = (CapacityQueue) { .first_child = VC_NONE, .next_sibling = VC_NONE };
  cp->tree = vc_session_hierarchy_enabled (ssn, "capacity");
  if (cp->tree) {
    cp->ready = open_tree (cp, ssn);
  } else {
    open_flat (cp, ssn);
    cp->ready = TRUE;
  }
}
