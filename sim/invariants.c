#include "invariants.h"
#include "cycle.h"
#include "faults.h"
#include "machines.h"
#include "views.h"
#include "watch.h"
#include <math.h>
#include <string.h>

#define GC_AT_MOST (60 * SIM_SECOND) /* a sweep of the pod garbage collector, and its quarantine */

static gboolean broken (const SimWorld *w, GError **error, const char *format, ...) G_GNUC_PRINTF (3, 4);

static gboolean
broken (const SimWorld *w, GError **error, const char *format, ...)
{
  va_list ap;

  va_start (ap, format);
  g_autofree char *what = g_strdup_vprintf (format, ap);

  va_end (ap);
  g_set_error (error, SIM_ERROR, SIM_ERROR_FAILED, "invariant broken at %.6f s: %s", (double) w->now / (double) SIM_SECOND, what);
  return FALSE;
}

static inline gboolean
is_finished (const SimPod *p)
{
  return p->phase == SIM_POD_SUCCEEDED || p->phase == SIM_POD_FAILED;
}

/* "ns/pod" for a message. (transfer full) */
static char *
show_pod (const SimWorld *w, const SimPod *p)
{
  return g_strdup_printf ("%s/%s", w->job[p->job].ns, sim_pod_name ((SimWorld *) w, (guint32) (p - w->pod))); /* a name is made in the world's scratch text */
}

static gboolean
same (double a, double b)
{
  return fabs (a - b) <= 1e-6 * MAX (1, MAX (fabs (a), fabs (b)));
}

/* ---- pods ----------------------------------------------------------------------------------- */

static gboolean
check_place (const SimWorld *w, const SimPod *p, GError **error)
{
  g_autofree char *name = show_pod (w, p);
  const SimRole *r = &w->role[p->role];
  guint32 row = (guint32) (p - w->pod);

  if (r->slot == NULL || p->place >= r->n_slots || r->slot[p->place].pod != row)
    return broken (w, error, "pod %s is lost: its job does not know it", name);
  if (p->node == SIM_NONE)
    return is_finished (p) ? TRUE : p->phase == SIM_POD_PENDING || broken (w, error, "pod %s runs without a node", name);
  const SimNode *n = &w->node[p->node];

  if (!n->present && !is_finished (p) && !p->lost)
    return broken (w, error, "pod %s goes on on node %s, which does not exist", name, n->name);
  if (!n->present && w->now - MAX (n->gone, p->bound) > GC_AT_MOST)
    return broken (w, error, "pod %s is still there %g s after its node %s has gone", name, (double) (w->now - n->gone) / (double) SIM_SECOND, n->name);
  if (p->lost && n->present && n->down == 0 && n->silent == 0)
    return broken (w, error, "pod %s is lost although the machine of %s runs", name, n->name);
  if (p->runs && (p->lost || n->down > 0))
    return broken (w, error, "pod %s runs on %s, whose machine is off", name, n->name);
  if (p->booked == is_finished (p))
    return broken (w, error, "pod %s and the books of node %s disagree", name, n->name);
  return TRUE;
}

/* The scheduler's view of the pod, where it hears of everything at once. */
static gboolean
check_task (const SimWorld *w, const SimPod *p, GError **error)
{
  static const VcStatus expected[] = { [SIM_POD_RUNNING] = VC_RUNNING, [SIM_POD_SUCCEEDED] = VC_SUCCEEDED, [SIM_POD_FAILED] = VC_FAILED };
  g_autofree char *name = NULL;

  guint32 task = sim_view_task (w, (guint32) (p - w->pod));

  if (task == VC_NONE)
    return TRUE; /* of another scheduler */
  const VcTask *t = &w->cluster->task[task];
  VcStatus want = p->deleting ? VC_RELEASING : expected[p->phase];
  gboolean good = t->live && t->user == (guint32) (p - w->pod);

  if (p->phase == SIM_POD_PENDING && !p->deleting)
    good = good && (p->node != SIM_NONE ? t->status == VC_BOUND : t->status == VC_PENDING || t->status == VC_BINDING);
  else
    good = good && t->status == want;
  good = good && (p->node == SIM_NONE || t->node == sim_view_node (w, p->node));
  if (good)
    return TRUE;
  name = show_pod (w, p);
  return broken (w, error, "the scheduler takes pod %s for %s%s, not as it is (phase %u, %sdeleted)", name, vc_status_names[t->status],
                 t->node != VC_NONE ? " on a node" : "", p->phase, p->deleting ? "" : "not ");
}

static void
tally (SimPodCounts *c, const SimPod *p)
{
  if (p->deleting)
    c->terminating++;
  else if (p->phase == SIM_POD_PENDING)
    c->pending++;
  else if (p->phase == SIM_POD_RUNNING)
    c->running++;
  else if (p->phase == SIM_POD_SUCCEEDED)
    c->succeeded++;
  else
    c->failed++;
}

typedef struct {
  SimPodCounts all, *role, *job;
  guint32 *unbound;            /* by job */
  guint32 *objects;            /* by job */
  double *running, *requested; /* [n_res] */
  double *queue;               /* [n_queues][n_res] running */
  double *used;                /* [n_nodes][n_res] */
  guint64 live;
} Sums;

static void
sums_clear (Sums *s)
{
  g_free (s->role);
  g_free (s->job);
  g_free (s->unbound);
  g_free (s->objects);
  g_free (s->running);
  g_free (s->requested);
  g_free (s->queue);
  g_free (s->used);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Sums, sums_clear)

static void
add (double *to, const VcRes *request, guint n)
{
  for (guint d = 0; d < n; d++)
    to[d] += request->v[d];
}

static void
count (const SimWorld *w, const SimPod *p, Sums *s)
{
  const VcRes *request = p->sum_shape->request;

  s->live++;
  tally (&s->all, p);
  tally (&s->role[p->role], p);
  tally (&s->job[p->job], p);
  s->objects[p->job]++;
  if (!p->deleting && p->phase == SIM_POD_RUNNING) {
    add (s->running, request, w->n_res);
    add (s->queue + (gsize) w->job[p->job].queue * w->n_res, request, w->n_res);
  }
  if (!p->deleting && p->phase == SIM_POD_PENDING) {
    add (s->requested, request, w->n_res);
    s->unbound[p->job] += p->node == SIM_NONE;
  }
  if (p->node != SIM_NONE && !is_finished (p))
    add (s->used + (gsize) p->node * w->n_res, w->role[p->role].shape->request, w->n_res); /* kubelets do not count attachments */
}

static gboolean
equal (const double *a, const double *b, guint n)
{
  for (guint d = 0; d < n; d++)
    if (!same (a[d], b != NULL ? b[d] : 0))
      return FALSE;
  return TRUE;
}

static gboolean
check_counters (const SimWorld *w, const Sums *s, GError **error)
{
  guint32 groups[G_N_ELEMENTS (w->groups)] = { 0 }, nodes = 0;

  if (memcmp (&s->all, &w->pods, sizeof s->all) != 0)
    return broken (w, error, "the cluster's counts of pods differ from a recount");
  if (!equal (s->running, w->running, w->n_res) || !equal (s->requested, w->requested, w->n_res))
    return broken (w, error, "the cluster's sums of requests differ from a recount");
  for (guint32 i = 0; i < w->n_roles; i++)
    if (memcmp (&s->role[i], &w->role[i].live, sizeof s->role[i]) != 0)
      return broken (w, error, "the counts of pods of task %s of job %s differ from a recount", w->role[i].name, w->job[w->role[i].job].name);
  for (guint32 i = 0; i < w->n_jobs; i++) {
    const SimJob *j = &w->job[i];

    if (memcmp (&s->job[i], &j->live, sizeof s->job[i]) != 0 || s->unbound[i] != j->unbound || s->objects[i] != j->n_objects)
      return broken (w, error, "the counts of pods of job %s/%s differ from a recount", j->ns, j->name);
    if (j->has_pg)
      groups[j->pg_phase]++;
  }
  if (memcmp (groups, w->groups, sizeof groups) != 0)
    return broken (w, error, "the counts of PodGroups by phase differ from a recount");
  for (guint32 i = 0; i < w->n_queues; i++)
    if (!equal (s->queue + (gsize) i * w->n_res, w->queue[i].running, w->n_res))
      return broken (w, error, "the sums of queue %s differ from a recount", w->queue[i].name);
  for (guint32 i = 0; i < w->n_nodes; i++) {
    nodes += w->node[i].present != FALSE;
    if (!equal (s->used + (gsize) i * w->n_res, w->node[i].used, w->n_res))
      return broken (w, error, "the books of node %s differ from a recount", w->node[i].name);
  }
  return nodes == w->nodes_present || broken (w, error, "the count of nodes differs from a recount");
}

/* ---- nodes ---------------------------------------------------------------------------------- */

/* Has a pod that came here after the room became less any part in it? */
static const SimPod *
latecomer (const SimWorld *w, const SimNode *n, guint d)
{
  for (guint32 row = n->first_pod; row != SIM_NONE; row = w->pod[row].next_on_node) {
    const SimPod *p = &w->pod[row];

    if (!is_finished (p) && w->role[p->role].shape->request->v[d] > 0 && (n->lowered == SIM_NO_TIME || p->bound > n->lowered))
      return p;
  }
  return NULL;
}

static gboolean
check_room (const SimWorld *w, const SimNode *n, GError **error)
{
  for (guint d = 0; n->present && n->used != NULL && d < w->n_res; d++) {
    if ((d >= VC_RES_FIRST_SCALAR && (n->room->has >> d & 1) == 0) || n->used[d] <= n->room->v[d] + 1e-6)
      continue;
    const SimPod *p = latecomer (w, n, d);

    if (p != NULL) {
      g_autofree char *name = show_pod (w, p);

      return broken (w, error, "node %s has %g of %s and gives %g, some of it to pod %s, which came after the node's last loss", n->name, n->room->v[d],
                     vc_res_names_get (w->cluster->names, d), n->used[d], name);
    }
  }
  return TRUE;
}

/* The scheduler's figures of a node against its tasks. */
static gboolean
check_figures (const SimWorld *w, guint32 row, GError **error)
{
  const VcNodes *nodes = &w->cluster->nodes;
  const VcNode *n = &nodes->info[row];

  for (guint d = 0; d < w->n_res; d++) {
    double used = 0, releasing = 0, pipelined = 0;

    for (guint32 i = 0; i < n->n_tasks; i++) {
      const VcTask *t = &w->cluster->task[n->task[i]];
      double r = t->shape->request->v[d];

      if (t->node != row)
        return broken (w, error, "task %s is on node %s for the scheduler, and believes to be elsewhere", t->key, n->name);
      if (t->status == VC_PIPELINED)
        pipelined += r;
      else
        used += r;
      if (t->status == VC_RELEASING)
        releasing += r;
    }
    if (!same (used, nodes->used[d][row]) || !same (releasing, nodes->releasing[d][row]) || !same (pipelined, nodes->pipelined[d][row]))
      return broken (w, error, "the scheduler's sums of %s on node %s differ from a recount", vc_res_names_get (w->cluster->names, d), n->name);
    if ((d < VC_RES_FIRST_SCALAR || n->idle_map) && n->listed && !same (nodes->idle[d][row], n->allocatable->v[d] - used))
      return broken (w, error, "idle %s of node %s is not what its tasks leave", vc_res_names_get (w->cluster->names, d), n->name);
    if (!same (nodes->claimed[d][row], 0))
      return broken (w, error, "%s of node %s is still claimed by a session that is over", vc_res_names_get (w->cluster->names, d), n->name);
  }
  return TRUE;
}

/* ---- the scheduler's jobs ------------------------------------------------------------------- */

static gboolean
check_job (const SimWorld *w, guint32 row, GError **error)
{
  const VcCluster *c = w->cluster;
  const VcJob *j = &c->job[row];
  guint32 by_status[VC_N_STATUS] = { 0 };

  for (guint32 i = 0; i < j->n_tasks; i++) {
    const VcTask *t = &c->task[j->task[i]];

    by_status[t->status]++;
    if (t->status == VC_ALLOCATED || t->status == VC_PIPELINED)
      return broken (w, error, "task %s is still %s after its session", t->key, vc_status_names[t->status]);
  }
  if (memcmp (by_status, j->count, sizeof by_status) != 0)
    return broken (w, error, "the scheduler's counts of tasks of %s differ from a recount", j->key);
  for (guint d = 0; d < w->n_res; d++) {
    double allocated = 0, pending = 0, total = 0;

    for (guint32 i = 0; i < j->n_tasks; i++) {
      const VcTask *t = &c->task[j->task[i]];
      double r = t->shape->request->v[d];

      total += r;
      allocated += vc_status_allocated (t->status) ? r : 0;
      pending += t->status == VC_PENDING ? r : 0;
    }
    if (!same (allocated, j->allocated->v[d]) || !same (pending, j->pending->v[d]) || !same (total, j->total->v[d]))
      return broken (w, error, "the scheduler's sums of %s of %s differ from a recount", vc_res_names_get (c->names, d), j->key);
  }
  return TRUE;
}

static gboolean
check_groups (const SimWorld *w, GError **error)
{
  for (guint32 i = 0; i < w->n_jobs; i++) {
    const SimJob *j = &w->job[i];

    guint32 group = j->has_pg ? sim_view_group (w, i) : VC_NONE;

    if (j->has_pg && (group == VC_NONE || !w->cluster->job[group].has_pg || w->cluster->job[group].user != i))
      return broken (w, error, "the scheduler does not know the PodGroup of job %s/%s", j->ns, j->name);
  }
  return TRUE;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* Members that were in their places when the gang's binds were committed, and that a later action of the same cycle evicted. */
static guint32
evicted_since (const SimWorld *w, guint32 job)
{
  const GArray *evicts = vc_cache_evicts (w->cache);
  guint32 n = 0;

  for (guint i = 0; i < evicts->len; i++)
    n += w->cluster->task[g_array_index (evicts, VcEvict, i).task].job == job;
  return n;
}

gboolean
sim_invariants_check_binds (const SimWorld *w, const VcEngine *engine, GError **error)
{
  const GArray *binds = vc_cache_binds (w->cache);

  if (!vc_engine_has_plugin (engine, "gang", VC_FLAG_JOB_READY))
    return TRUE;
  for (guint i = 0; i < binds->len; i++) {
    const VcTask *t = &w->cluster->task[g_array_index (binds, VcBind, i).task];
    const VcJob *j = &w->cluster->job[t->job];

    gint64 whole = (gint64) vc_job_ready_num (j) + j->pending_best_effort + evicted_since (w, t->job);

    if (!t->best_effort && whole < j->min_available)
      return broken (w, error, "task %s of %s is bound, but %" G_GINT64_FORMAT " of a gang of %d have a place", t->key, j->key, whole, j->min_available);
  }
  return TRUE;
}

/* What the scheduler of the view that is entered believes. */
static gboolean
check_view (const SimWorld *w, gboolean prompt, GError **error)
{
  for (guint32 i = 0; prompt && i < w->n_pods; i++)
    if (w->pod[i].live && !check_task (w, &w->pod[i], error))
      return FALSE;
  if (prompt && !check_groups (w, error))
    return FALSE;
  for (guint32 i = 0; i < w->cluster->nodes.n; i++)
    if (!check_figures (w, i, error))
      return FALSE;
  for (guint32 i = 0; i < w->cluster->n_job_order; i++)
    if (!check_job (w, w->cluster->job_order[i], error))
      return FALSE;
  return TRUE;
}

gboolean
sim_invariants_check (SimWorld *w, GError **error)
{
  gboolean prompt = !sim_watch_is_late (w) && sim_faults_informer_lag (w) == 0;
  gsize n = w->n_res;
  g_auto (Sums) s = { .role = g_new0 (SimPodCounts, MAX (w->n_roles, 1)),
                      .job = g_new0 (SimPodCounts, MAX (w->n_jobs, 1)),
                      .unbound = g_new0 (guint32, MAX (w->n_jobs, 1)),
                      .objects = g_new0 (guint32, MAX (w->n_jobs, 1)),
                      .running = g_new0 (double, n),
                      .requested = g_new0 (double, n),
                      .queue = g_new0 (double, MAX (w->n_queues, 1) * n),
                      .used = g_new0 (double, MAX (w->n_nodes, 1) * n) };

  for (guint32 i = 0; i < w->n_pods; i++) {
    const SimPod *p = &w->pod[i];

    if (!p->live)
      continue;
    count (w, p, &s);
    if (!check_place (w, p, error))
      return FALSE;
  }
  if (s.live + w->pods_removed != w->pods_made)
    return broken (w, error, "%" G_GUINT64_FORMAT " pods were made, %" G_GUINT64_FORMAT " are there and %" G_GUINT64_FORMAT " have gone", w->pods_made, s.live,
                   w->pods_removed);
  if (!check_counters (w, &s, error))
    return FALSE;
  for (guint32 i = 0; i < w->n_nodes; i++)
    if (!check_room (w, &w->node[i], error))
      return FALSE;
  gboolean good = TRUE;

  SIM_EACH_VIEW (w, back)
    good = good && check_view (w, prompt, error);
  return good;
}
