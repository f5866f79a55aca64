/* core/plugins/drf.c - dominant resource fairness between jobs.
 *
 * Policy: a job's share is its largest fraction of the cluster over all resources; the job with the smaller share goes first.
 *   share(a) = max over d of a[d] / total[d], d = resources of which the cluster has at least 0.1 (`pods` takes part)
 * Allocations count the tasks in an allocated status when the session opens, then every placement (pipelining too) and eviction.
 *
 * Preemptable: with ls = share(preemptor's job + preemptor), candidates are taken off their jobs one after the other - refused ones too -
 * and a candidate is accepted while the rest has a share rs with ls < rs or |ls - rs| <= 1e-6.
 *
 * Example: cluster of 9 cpu, 18 GB, 100 pods. A runs two tasks of <1 cpu, 4 GB>: .222, .444, .02, share .444. B runs one of <3 cpu, 1 GB>:
 * share .333, so B is served before A. C has nothing and wants <1 cpu, 2 GB>: ls = .111; the first task of A leaves .222: accepted; the
 * second would leave 0: refused.
 *
 * With enableHierarchy the queues are ordered by a weighted tree (annotations volcano.sh/hierarchy, such as root/eng/dev, and
 * volcano.sh/hierarchy-weights, 100/50/50). A leaf is a job; it is saturated when it has all it asks for of some resource, or asks for one
 * that is used up. An inner node adds up its children that have anything, the unsaturated ones scaled down to the smallest share among
 * them. Of two queues the one that is not saturated goes first, then the one with the smaller share / weight, from the root down.
 * Reclaimable: with the reclaimer's request added, a candidate - each by itself - is accepted when, without it, the reclaimer's queue
 * would still go first.
 *
 * No arguments. Mirrors pkg/scheduler/plugins/drf/drf.go. */
#include "drf-hierarchy.h"
#include "plugins.h"
#include "support.h"

#define DRF_DELTA 1e-6

typedef struct {
  VcVectors allocated; /* per job, valid where `known` has the job; elsewhere nothing is allocated */
  VcVectors rest;      /* per job of the current list of candidates, valid where `seen` has it */
  VcMarks known, seen;
  double *share;       /* per job */
  guint32 n_share;
  const VcRes *total;
  guint64 dims;        /* of total that count */
  VcDrfTree *tree;     /* NULL until a session has enableHierarchy */
  gboolean hierarchy;
} Drf;

/* Share of a + b, or of a alone when b is NULL. */
static double
dominant_share (const Drf *drf, const VcRes *a, const VcRes *b)
{
  double best = 0;

  for (guint64 left = drf->dims; left != 0; left &= left - 1) {
    guint d = (guint) __builtin_ctzll (left);
    double share = (b != NULL ? a->v[d] + b->v[d] : a->v[d]) / drf->total->v[d]; /* the divisor is at least 0.1 */

    if (share > best)
      best = share;
  }
  return best;
}

static VcRes *
allocated_of (Drf *drf, guint32 job)
{
  VcRes *r = vc_vectors_at (&drf->allocated, job, 0);

  if (vc_marks_add (&drf->known, job))
    vc_res_clear (r);
  return r;
}

static int
drf_job_order (gpointer self, VcSession *ssn, guint32 l, guint32 r)
{
  const Drf *drf = self;

  return (drf->share[l] > drf->share[r]) - (drf->share[l] < drf->share[r]);
}

static gboolean
drf_job_key (gpointer self, VcSession *ssn, guint32 job, gint64 *key)
{
  *key = vc_job_key_of (((const Drf *) self)->share[job]);
  return TRUE;
}

static VcVote
drf_preemptable (gpointer self, VcSession *ssn, guint32 evictor, const guint32 *candidates, guint n, guint32 *out, guint *n_out)
{
  Drf *drf = self;
  const VcCluster *c = vc_session_cluster (ssn);
  const VcTask *preemptor = vc_task (c, evictor);
  guint kept = 0;

  *n_out = 0;
  if (!vc_session_has_job (ssn, preemptor->job))
    return VC_PERMIT;
  double ls = dominant_share (drf, allocated_of (drf, preemptor->job), preemptor->shape->request);
  vc_marks_begin (&drf->seen);
  for (guint i = 0; i < n; i++) {
    const VcTask *t = vc_task (c, candidates[i]);

    if (!vc_session_has_job (ssn, t->job))
      continue;
    VcRes *rest = vc_vectors_at (&drf->rest, t->job, 0);
    if (vc_marks_add (&drf->seen, t->job))
      vc_res_copy (rest, allocated_of (drf, t->job));
    vc_res_sub_unchecked (rest, t->shape->request);
    double rs = dominant_share (drf, rest, NULL);
    if (ls < rs || ABS (ls - rs) <= DRF_DELTA)
      out[kept++] = candidates[i];
  }
  *n_out = kept;
  return VC_PERMIT;
}

static gboolean
drf_allocated (gpointer self, VcSession *ssn, guint32 task)
{
  Drf *drf = self;
  const VcTask *t = vc_task (vc_session_cluster (ssn), task);

  if (vc_session_has_job (ssn, t->job)) {
    VcRes *r = allocated_of (drf, t->job);

    vc_res_add (r, t->shape->request);
    drf->share[t->job] = dominant_share (drf, r, NULL);
    if (drf->hierarchy)
      vc_drf_tree_change (drf->tree, t->job, t->shape->request, 1);
  }
  return TRUE;
}

static void
drf_deallocated (gpointer self, VcSession *ssn, guint32 task)
{
  Drf *drf = self;
  const VcTask *t = vc_task (vc_session_cluster (ssn), task);

  if (vc_session_has_job (ssn, t->job)) {
    VcRes *r = allocated_of (drf, t->job);

    vc_res_sub_unchecked (r, t->shape->request);
    drf->share[t->job] = dominant_share (drf, r, NULL);
    if (drf->hierarchy)
      vc_drf_tree_change (drf->tree, t->job, t->shape->request, -1);
  }
}

/* ---- tree mode ------------------------------------------------------------------------------ */

static int
drf_queue_order (gpointer self, VcSession *ssn, guint32 l, guint32 r)
{
  double cmp = vc_drf_tree_compare (((Drf *) self)->tree, l, r);

  return (cmp > 0) - (cmp < 0);
}

/* Every step is taken back in the tree itself: the sums are whole numbers, so it ends as it was. */
static VcVote
drf_reclaimable (gpointer self, VcSession *ssn, guint32 evictor, const guint32 *candidates, guint n, guint32 *out, guint *n_out)
{
  Drf *drf = self;
  const VcCluster *c = vc_session_cluster (ssn);
  const VcTask *reclaimer = vc_task (c, evictor);
  guint kept = 0;

  *n_out = 0;
  if (!vc_session_has_job (ssn, reclaimer->job))
    return VC_PERMIT;
  vc_drf_tree_change (drf->tree, reclaimer->job, reclaimer->shape->request, 1);
  for (guint i = 0; i < n; i++) {
    const VcTask *t = vc_task (c, candidates[i]);

    if (!vc_session_has_job (ssn, t->job))
      continue;
    vc_drf_tree_change (drf->tree, t->job, t->shape->request, -1);
    if (vc_drf_tree_compare (drf->tree, vc_job (c, reclaimer->job)->queue, vc_job (c, t->job)->queue) < 0)
      out[kept++] = candidates[i];
    vc_drf_tree_change (drf->tree, t->job, t->shape->request, 1);
  }
  vc_drf_tree_change (drf->tree, reclaimer->job, reclaimer->shape->request, -1);
  *n_out = kept;
  return VC_PERMIT;
}

static void
drf_session_open (gpointer self, VcSession *ssn)
{
  Drf *drf = self;
  const VcCluster *c = vc_session_cluster (ssn);
  guint n;
  const guint32 *jobs = vc_session_jobs (ssn, &n);

  drf->total = vc_session_total (ssn);
  drf->dims = vc_res_name_mask (drf->total);
  vc_vectors_reserve (&drf->allocated, c->n_jobs, 1, c->n_res);
  vc_vectors_reserve (&drf->rest, c->n_jobs, 1, c->n_res);
  vc_marks_reserve (&drf->known, c->n_jobs);
  vc_marks_reserve (&drf->seen, c->n_jobs);
  if (c->n_jobs > drf->n_share) {
    drf->n_share = drf->known.rows;
    drf->share = g_renew (double, drf->share, drf->n_share);
  }
  vc_marks_begin (&drf->known);
  for (guint i = 0; i < n; i++) {
    const VcJob *j = vc_job (c, jobs[i]);

    drf->share[jobs[i]] = 0;
    if (vc_job_allocated_num (j) == 0)
      continue;
    vc_marks_add (&drf->known, jobs[i]);
    vc_res_copy (vc_vectors_at (&drf->allocated, jobs[i], 0), j->allocated);
    drf->share[jobs[i]] = dominant_share (drf, j->allocated, NULL);
  }
  vc_session_add_victims (ssn, VC_HOOK_PREEMPTABLE, drf_preemptable);
  drf->hierarchy = vc_session_hierarchy_enabled (ssn, "drf");
  if (drf->hierarchy) {
    if (drf->tree == NULL)
      drf->tree = vc_drf_tree_new ();
    vc_drf_tree_build (drf->tree, ssn, drf->dims);
    vc_session_add_compare (ssn, VC_HOOK_QUEUE_ORDER, drf_queue_order);
    vc_session_add_victims (ssn, VC_HOOK_RECLAIMABLE, drf_reclaimable);
  }
  vc_session_add_job_order (ssn, drf_job_order, drf_job_key);
  vc_session_add_handlers (ssn, drf_allocated, drf_deallocated);
}

static void
drf_clear (gpointer self)
{
  Drf *drf = self;

  vc_vectors_clear (&drf->allocated);
  vc_vectors_clear (&drf->rest);
  vc_marks_clear (&drf->known);
  vc_marks_clear (&drf->seen);
  g_free (drf->share);
  vc_drf_tree_free (drf->tree);
}

const VcPluginClass vc_plugin_drf = {
  .name = "drf",
  .summary = VC_DRF_SUMMARY,
  .instance_size = sizeof (Drf),
  .session_open = drf_session_open,
  .clear = drf_clear,
};
