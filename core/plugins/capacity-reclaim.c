/* Who may reclaim, and from whom.
 *
 *   may reclaim = queue is Open, what it would hold fits its real capability, and for one of the requested resources at least it does not
 *                 exceed its deserved amount (or that of one of its `ancestorReclaimLevel` nearest ancestors below root)
 *   a victim    = shares a resource with the reclaimer; leaves its queue the guarantee; its queue either deserves none of the resources that
 *                 the victim holds (an immediate victim), or holds more than it deserves of one of them; and the same is true of its
 *                 nearest ancestors, as many as ancestorReclaimLevel says, up to where the reclaimer's path meets theirs.
 *                 Between queues that share such an ancestor an immediate victim is spared unless the reclaimer deserves what it requests.
 *
 * Mirrors the Reclaimable, UnifiedEvictable and Preemptive callbacks of capacity.go. */
#include "capacity.h"

#define ROOT "root"

guint32
capacity_ancestor (const Capacity *cp, guint32 q, gint64 k)
{
  const CapacityQueue *queue = &cp->queue[q];

  return k >= 1 && k <= queue->n_ancestors ? queue->ancestor[queue->n_ancestors - (guint) k] : VC_NONE;
}

static inline gboolean
is_root (const VcCluster *c, guint32 q)
{
  return strcmp (vc_queue (c, q)->name, ROOT) == 0;
}

/* One list of candidates, one evictor. */
typedef struct {
  Capacity *cp;
  VcSession *ssn;
  const VcCluster *c;
  guint32 evictor, evictor_queue;
} Choice;

/* What the queue holds without the victims chosen so far. */
static VcRes *
left_of (const Choice *x, guint32 q)
{
  VcRes *work = capacity_vec (x->cp, q, CAPACITY_WORK);

  if (vc_marks_add (&x->cp->working, q))
    vc_res_copy (work, capacity_vec (x->cp, q, CAPACITY_ALLOCATED));
  return work;
}

static gboolean
keeps_guarantee (const Choice *x, guint32 q, const VcRes *left, const VcRes *request)
{
  VC_RES_LOCAL (rest, x->c->n_res);

  vc_res_copy (rest, left);
  vc_res_sub_unchecked (rest, request);
  return vc_res_less_equal (capacity_vec (x->cp, q, CAPACITY_GUARANTEE), rest, VC_ABSENT_ZERO);
}

static gboolean
deserves_some (const Choice *x, guint32 q, const VcRes *request)
{
  return vc_res_intersection (request, capacity_vec (x->cp, q, CAPACITY_DESERVED)) != 0;
}

static gboolean
exceeds_deserved (const Choice *x, guint32 q, const VcRes *left, const VcRes *request)
{
  return vc_res_greater_partly_relevant (left, capacity_vec (x->cp, q, CAPACITY_DESERVED), request, x->c->names, NULL);
}

/* Do two queues share an ancestor below root among their nearest ones? */
static gboolean
share_ancestor (const Choice *x, guint32 a, guint32 b)
{
  const Capacity *cp = x->cp;

  for (gint64 k = 1; k <= MIN (cp->level, (gint64) cp->queue[a].n_ancestors); k++) {
    guint32 q = capacity_ancestor (cp, a, k);
    if (is_root (x->c, q))
      continue;
    for (gint64 i = 1; i <= MIN (cp->level, (gint64) cp->queue[b].n_ancestors); i++)
      if (capacity_ancestor (cp, b, i) == q)
        return TRUE;
  }
  return FALSE;
}

/* Must the ancestor of @q at distance @k hold more than it deserves? It, or VC_NONE. */
static guint32
ancestor_to_check (const Choice *x, guint32 q, gint64 k)
{
  guint32 a = capacity_ancestor (x->cp, q, k);

  return a == VC_NONE || is_root (x->c, a) || capacity_ancestor (x->cp, x->evictor_queue, k) == a ? VC_NONE : a;
}

static gint64
levels (const Choice *x, guint32 q)
{
  return x->cp->tree ? MIN (x->cp->level, (gint64) x->cp->queue[q].n_ancestors) : 0;
}

static gboolean
reclaims_from (const Choice *x, guint32 q, const VcRes *request)
{
  const VcRes *own = vc_task (x->c, x->evictor)->shape->request;
  VcRes *left = left_of (x, q);

  if (!keeps_guarantee (x, q, left, request))
    return FALSE;
  if (!deserves_some (x, q, request)) {
    if (x->cp->tree && x->cp->level > 0 && share_ancestor (x, x->evictor_queue, q) && !deserves_some (x, x->evictor_queue, own))
      return FALSE;
  } else if (!exceeds_deserved (x, q, left, request)) {
    return FALSE;
  }
  for (gint64 k = 1; k <= levels (x, q); k++) {
    guint32 a = ancestor_to_check (x, q, k);
    if (a != VC_NONE && deserves_some (x, a, request) && !exceeds_deserved (x, a, left_of (x, a), request))
      return FALSE;
  }
  vc_res_sub_unchecked (left, request);
  for (gint64 k = 1; k <= levels (x, q); k++) {
    guint32 a = ancestor_to_check (x, q, k);
    if (a != VC_NONE)
      vc_res_sub_unchecked (left_of (x, a), request);
  }
  return TRUE;
}

/* The queue of a candidate, VC_NONE when its job is not in the session or its queue has no figures. */
static guint32
queue_of (const Choice *x, guint32 task)
{
  guint32 job = vc_task (x->c, task)->job;

  if (!vc_session_has_job (x->ssn, job) || !x->cp->queue[vc_job (x->c, job)->queue].present)
    return VC_NONE;
  return vc_job (x->c, job)->queue;
}

static gboolean
before (gpointer user, guint32 l, guint32 r)
{
  const Choice *x = user;

  return vc_session_victim_before (x->ssn, x->evictor, l, r);
}

VcVote
capacity_reclaimable (gpointer self, VcSession *ssn, guint32 evictor, const guint32 *candidates, guint n, guint32 *out, guint *n_out)
{
  Capacity *cp = self;
  Choice x = { cp, ssn, vc_session_cluster (ssn), evictor, VC_NONE };
  const VcRes *own = vc_task (x.c, evictor)->shape->request;
  VcHeap *h = &cp->candidates;

  *n_out = 0;
  if (!cp->ready || (x.evictor_queue = queue_of (&x, evictor)) == VC_NONE)
    return VC_REJECT;
  vc_marks_begin (&cp->working);
  h->n = 0;
  h->less = before;
  h->user = &x;
  for (guint i = 0; i < n; i++)
    vc_heap_push (h, candidates[i]);
  while (!vc_heap_is_empty (h)) {
    guint32 candidate = vc_heap_pop (h), q = queue_of (&x, candidate);
    const VcRes *request = vc_task (x.c, candidate)->shape->request;

    if (q != VC_NONE && vc_res_intersection_ignored (request, own, x.c->names) != 0 && reclaims_from (&x, q, request))
      out[(*n_out)++] = candidate;
  }
  return VC_PERMIT;
}

VcVote
capacity_unified (gpointer self, VcSession *ssn, guint32 evictor, const guint32 *candidates, guint n, guint32 *out, guint *n_out)
{
  Capacity *cp = self;
  Choice x = { cp, ssn, vc_session_cluster (ssn), evictor, VC_NONE };

  *n_out = 0;
  if (vc_session_eviction_kind (ssn) == VC_EVICT_GANG_PREEMPT) { /* within a queue there is nothing to weigh */
    memcpy (out, candidates, n * sizeof *out);
    *n_out = n;
    return VC_PERMIT;
  }
  if (!cp->ready)
    return VC_REJECT;
  vc_marks_begin (&cp->working);
  for (guint i = 0; i < n; i++) {
    const VcRes *request = vc_task (x.c, candidates[i])->shape->request;
    guint32 q = queue_of (&x, candidates[i]);

    if (q == VC_NONE)
      continue;
    VcRes *left = left_of (&x, q);
    if (!keeps_guarantee (&x, q, left, request) || (deserves_some (&x, q, request) && !exceeds_deserved (&x, q, left, request)))
      continue;
    vc_res_sub_unchecked (left, request);
    out[(*n_out)++] = candidates[i];
  }
  return VC_PERMIT;
}

/* Does one of the requested resources stay within what the queue deserves? */
static gboolean
some_deserved (const Capacity *cp, const VcCluster *c, guint32 q, const VcRes *request)
{
  VC_RES_LOCAL (future, c->n_res);

  vc_res_copy (future, capacity_vec (cp, q, CAPACITY_ALLOCATED));
  vc_res_add (future, request);
  return vc_res_less_equal_partly_dimension_filtered (future, capacity_vec (cp, q, CAPACITY_DESERVED), request, c->names, NULL);
}

gboolean
capacity_preemptive (gpointer self, VcSession *ssn, guint32 q, const guint32 *tasks, guint n)
{
  const Capacity *cp = self;
  const VcCluster *c = vc_session_cluster (ssn);
  VC_RES_LOCAL (request, c->n_res);
  VC_RES_LOCAL (future, c->n_res);

  if (!cp->ready || !vc_queue_is_open (vc_queue (c, q)) || !cp->queue[q].present)
    return FALSE;
  for (guint i = 0; i < n; i++)
    vc_res_add (request, vc_task (c, tasks[i])->shape->request);
  vc_res_copy (future, capacity_vec (cp, q, CAPACITY_ALLOCATED));
  vc_res_add (future, request);
  if (!vc_res_less_equal_dimension (future, capacity_vec (cp, q, CAPACITY_REAL), request, c->names, NULL))
    return FALSE;
  if (some_deserved (cp, c, q, request))
    return TRUE;
  for (gint64 k = 1; cp->tree && k <= MIN (cp->level, (gint64) cp->queue[q].n_ancestors); k++) {
    guint32 a = capacity_ancestor (cp, q, k);
    if (!is_root (c, a) && some_deserved (cp, c, a, request))
      return TRUE;
  }
  return FALSE;
}
