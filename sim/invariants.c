#include "invariants.h"
#include "sim/cycle/cycle.h"
#include "sim/record/watch.h"
#include "sim/world/budgets.h"
#include "sim/world/faults.h"
#include "sim/world/machines.h"
#include "sim/world/views.h"
#include <math.h>
#include <string.h>

#define EXACT 9007199254740992.0       /* 2 to the 53rd */
#define ROUNDED (1.0 / 4294967296)     /* of the largest sum, for many additions */
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

static inline gboolean
same (double a, double b, double slack)
{
  return a == b || fabs (a - b) <= 1e-6 * MAX (1, MAX (fabs (a), fabs (b))) + slack;
}

/* ---- pods ----------------------------------------------------------------------------------- */

/* What is wrong with the pod's place, as a format of the pod's and its node's name; NULL: nothing. */
static const char *
wrong_place (const SimWorld *w, const SimPod *p)
{
  const SimRole *r = &w->role[p->role];

  if (r->slot == NULL || p->place >= r->n_slots || r->slot[p->place].pod != (guint32) (p - w->pod))
    return "pod %s is lost: its job does not know it";
  if (w->job[p->job].active_place == SIM_NONE)
    return "pod %s is there although its job is over";
  if (p->node == SIM_NONE)
    return is_finished (p) || p->phase == SIM_POD_PENDING ? NULL : "pod %s runs without a node";
  const SimNode *n = &w->node[p->node];

  if (!n->present && !is_finished (p) && !p->lost)
    return "pod %s goes on on node %s, which does not exist";
  if (!n->present && w->now - MAX (n->gone, p->bound) > GC_AT_MOST)
    return "pod %s is still there more than a minute after its node %s has gone";
  if (p->lost && n->present && n->down == 0 && n->silent == 0)
    return "pod %s is lost although the machine of %s runs";
  if (p->runs && (p->lost || n->down > 0))
    return "pod %s runs on %s, whose machine is off";
  if (p->booked == is_finished (p))
    return "pod %s and the books of node %s disagree";
  return sim_budgets_know (w, p) ? NULL : "budgets take pod %s on node %s for what it is not";
}

static gboolean
check_place (const SimWorld *w, const SimPod *p, GError **error)
{
  const char *wrong = wrong_place (w, p);

  if (wrong == NULL)
    return TRUE;
  g_autofree char *name = show_pod (w, p);
  g_auto (GStrv) part = g_strsplit (wrong, "%s", 3);

  return broken (w, error, "%s%s%s%s%s", part[0], name, part[1], part[2] != NULL ? w->node[p->node].name : "", part[2] != NULL ? part[2] : "");
}

/* The scheduler's view of the pod, where it hears of everything at once. */
static gboolean
check_task (const SimWorld *w, const SimPod *p, GError **error)
{
  static const VcStatus expected[] = { [SIM_POD_RUNNING] = VC_RUNNING, [SIM_POD_SUCCEEDED] = VC_SUCCEEDED, [SIM_POD_FAILED] = VC_FAILED };

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
  g_autofree char *name = show_pod (w, p);

  return broken (w, error, "the scheduler takes pod %s for %s%s, not as it is (phase %u, %sdeleted)", name, vc_status_names[t->status],
                 t->node != VC_NONE ? " on a node" : "", p->phase, p->deleting ? "" : "not ");
}

/* ---- recounts ------------------------------------------------------------------------------- */

enum { USED, RELEASING, N_ON_NODE };
enum { TOTAL, ALLOCATED, PENDING, N_OF_GROUP };

/* A pod whose budgets were right; they are as long as this is so. */
typedef struct {
  guint64 uid;
  const struct SimCover *cover;
  guint budget_changes;
} Covered;

struct SimInvariants {
  SimWorld *w;                   /* its views are entered, each in turn */
  SimPodCounts all, *role, *job; /* by row; only those of active jobs mean anything */
  guint32 *unbound, *objects;    /* by job */
  guint32 cap_roles, cap_jobs;
  double *running, *requested;   /* [n_res] */
  double *most, *slack;          /* [n_res] the largest sum so far, and by how much sums may differ since that was more than a double holds exactly */
  double *queue;                 /* [n_queues][n_res] running */
  double *used;                  /* [n_nodes][n_res] */
  double *on_node;               /* [rows of nodes][N_ON_NODE][n_res] the scheduler's tasks */
  double *of_group;              /* [rows of its jobs][N_OF_GROUP][n_res] */
  guint32 *tasks_on_node, *statuses; /* by row; [rows of its jobs][VC_N_STATUS] */
  gsize cap_rows, cap_groups;
  guint64 live;
  Covered *covered;              /* by row of pods */
  guint32 cap_covered;
  gboolean fully, begun;
};

SimInvariants *
sim_invariants_new (SimWorld *w, gboolean fully)
{
  SimInvariants *v = g_new0 (SimInvariants, 1);

  v->w = w;
  v->fully = fully;
  if (w->changed == NULL)
    w->changed = g_array_new (FALSE, FALSE, sizeof (guint32));
  v->running = g_new0 (double, w->n_res);
  v->requested = g_new0 (double, w->n_res);
  v->most = g_new0 (double, w->n_res);
  v->slack = g_new0 (double, w->n_res);
  v->queue = g_new0 (double, (gsize) MAX (w->n_queues, 1) * w->n_res);
  v->used = g_new0 (double, (gsize) MAX (w->n_nodes, 1) * w->n_res);
  return v;
}

void
sim_invariants_free (SimInvariants *v)
{
  if (v == NULL)
    return;
  g_free (v->role);
  g_free (v->job);
  g_free (v->unbound);
  g_free (v->objects);
  g_free (v->running);
  g_free (v->requested);
  g_free (v->most);
  g_free (v->slack);
  g_free (v->queue);
  g_free (v->used);
  g_free (v->on_node);
  g_free (v->of_group);
  g_free (v->tasks_on_node);
  g_free (v->statuses);
  g_free (v->covered);
  g_clear_pointer (&v->w->changed, g_array_unref);
  g_free (v);
}

static void
begin (SimInvariants *v)
{
  const SimWorld *w = v->w;
  gsize n = w->n_res * sizeof (double);

  if (w->n_jobs > v->cap_jobs) {
    v->cap_jobs = w->cap_jobs;
    v->job = g_renew (SimPodCounts, v->job, v->cap_jobs);
    v->unbound = g_renew (guint32, v->unbound, v->cap_jobs);
    v->objects = g_renew (guint32, v->objects, v->cap_jobs);
  }
  if (w->n_roles > v->cap_roles) {
    v->cap_roles = w->cap_roles;
    v->role = g_renew (SimPodCounts, v->role, v->cap_roles);
  }
  for (guint i = 0; i < w->active->len; i++) {
    guint32 job = g_array_index (w->active, guint32, i);
    const SimJob *j = &w->job[job];

    v->job[job] = (SimPodCounts){ 0 };
    v->unbound[job] = v->objects[job] = 0;
    memset (v->role + j->first_role, 0, j->n_roles * sizeof *v->role);
  }
  v->all = (SimPodCounts){ 0 };
  v->live = 0;
  memset (v->running, 0, n);
  memset (v->requested, 0, n);
  memset (v->queue, 0, MAX (w->n_queues, 1) * n);
  memset (v->used, 0, MAX (w->n_nodes, 1) * n);
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

static void
add (double *to, const VcRes *request, guint n)
{
  for (guint d = 0; d < n; d++)
    to[d] += request->v[d];
}

static void
count (SimInvariants *v, const SimPod *p)
{
  const SimWorld *w = v->w;
  const VcRes *request = p->sum_shape->request;

  v->live++;
  tally (&v->all, p);
  tally (&v->role[p->role], p);
  tally (&v->job[p->job], p);
  v->objects[p->job]++;
  if (!p->deleting && p->phase == SIM_POD_RUNNING) {
    add (v->running, request, w->n_res);
    if (!sim_role_is_foreign (&w->role[p->role]))
      add (v->queue + (gsize) w->job[p->job].queue * w->n_res, request, w->n_res);
  }
  if (!p->deleting && p->phase == SIM_POD_PENDING) {
    add (v->requested, request, w->n_res);
    v->unbound[p->job] += p->node == SIM_NONE;
  }
  if (p->node != SIM_NONE && !is_finished (p))
    add (v->used + (gsize) p->node * w->n_res, w->role[p->role].shape->request, w->n_res); /* kubelets do not count attachments */
}

static gboolean
equal (const SimInvariants *v, const double *a, const double *b)
{
  for (guint d = 0; d < v->w->n_res; d++)
    if (!same (a[d], b != NULL ? b[d] : 0, v->slack[d]))
      return FALSE;
  return TRUE;
}

/* Sums beyond EXACT are rounded, as Volcano's are, and what is left when a large part goes again is off by that. */
static void
allow_rounding (SimInvariants *v, const double *sum, const double *more)
{
  for (guint d = 0; d < v->w->n_res; d++) {
    v->most[d] = MAX (v->most[d], sum[d] + (more != NULL ? more[d] : 0));
    v->slack[d] = v->most[d] > EXACT ? v->most[d] * ROUNDED : 0;
  }
}

/* @job, @role, @unbound, @objects: the recount. */
static gboolean
check_job_counts (const SimWorld *w, const SimJob *j, const SimPodCounts *job, const SimPodCounts *role, guint32 unbound, guint32 objects, GError **error)
{
  for (guint32 k = 0; k < j->n_roles; k++)
    if (memcmp (&role[k], &w->role[j->first_role + k].live, sizeof *role) != 0)
      return broken (w, error, "the counts of pods of task %s of job %s differ from a recount", w->role[j->first_role + k].name, j->name);
  if (memcmp (job, &j->live, sizeof *job) != 0 || unbound != j->unbound || objects != j->n_objects)
    return broken (w, error, "the counts of pods of job %s/%s differ from a recount", j->ns, j->name);
  return TRUE;
}

/* A job that is to come or is over has no pods and no PodGroup. */
static gboolean
check_other (const SimWorld *w, const SimJob *j, GError **error)
{
  static const SimPodCounts none = { 0 };

  if (j->active_place != SIM_NONE)
    return TRUE;
  for (guint32 k = 0; k < j->n_roles; k++)
    if (memcmp (&none, &w->role[j->first_role + k].live, sizeof none) != 0)
      return broken (w, error, "task %s of job %s/%s has pods although the job is %s", w->role[j->first_role + k].name, j->ns, j->name, j->settled ? "over" : "to come");
  if (memcmp (&none, &j->live, sizeof none) != 0 || j->unbound != 0 || j->n_objects != 0 || j->has_pg)
    return broken (w, error, "job %s/%s has pods or a PodGroup although it is %s", j->ns, j->name, j->settled ? "over" : "to come");
  return TRUE;
}

/* @all: of those that have not changed either. */
static gboolean
check_others (const SimInvariants *v, gboolean all, GError **error)
{
  const SimWorld *w = v->w;
  guint32 n = all ? w->n_jobs : w->changed->len;

  for (guint32 i = 0; i < n; i++)
    if (!check_other (w, &w->job[all ? i : g_array_index (w->changed, guint32, i)], error))
      return FALSE;
  g_array_set_size (w->changed, 0);
  return TRUE;
}

/* ---- budgets -------------------------------------------------------------------------------- */

/* Which budgets cover a pod depends on labels, which never change: they are matched when something else has. */
static gboolean
check_budgets (SimInvariants *v, gboolean all, GError **error)
{
  const SimWorld *w = v->w;

  if (w->n_pods > v->cap_covered) {
    v->covered = g_renew (Covered, v->covered, w->cap_pods);
    memset (v->covered + v->cap_covered, 0, (w->cap_pods - v->cap_covered) * sizeof (Covered));
    v->cap_covered = w->cap_pods;
  }
  for (guint32 row = 0; row < w->n_pods; row++) {
    const SimPod *p = &w->pod[row];
    Covered *c = &v->covered[row];

    if (!p->live || (!all && c->uid == p->uid && c->cover == p->cover && c->budget_changes == w->budget_changes))
      continue;
    if (!sim_budgets_cover (w, p)) {
      g_autofree char *name = show_pod (w, p);

      return broken (w, error, "pod %s is not known to the budgets that cover it", name);
    }
    *c = (Covered){ p->uid, p->cover, w->budget_changes };
  }
  const char *budget = sim_budgets_recount (w);

  return budget == NULL || broken (w, error, "the counts of budget %s differ from a recount", budget);
}

static gboolean
check_counters (SimInvariants *v, GError **error)
{
  const SimWorld *w = v->w;
  guint32 groups[G_N_ELEMENTS (w->groups)] = { 0 }, nodes = 0;

  allow_rounding (v, v->running, v->requested);
  if (memcmp (&v->all, &w->pods, sizeof v->all) != 0)
    return broken (w, error, "the cluster's counts of pods differ from a recount");
  if (!equal (v, v->running, w->running) || !equal (v, v->requested, w->requested))
    return broken (w, error, "the cluster's sums of requests differ from a recount");
  for (guint i = 0; i < w->active->len; i++) {
    guint32 row = g_array_index (w->active, guint32, i);
    const SimJob *j = &w->job[row];

    if (!check_job_counts (w, j, &v->job[row], v->role + j->first_role, v->unbound[row], v->objects[row], error))
      return FALSE;
    if (j->has_pg)
      groups[j->pg_phase]++;
  }
  if (memcmp (groups, w->groups, sizeof groups) != 0)
    return broken (w, error, "the counts of PodGroups by phase differ from a recount");
  for (guint32 i = 0; i < w->n_queues; i++)
    if (!equal (v, v->queue + (gsize) i * w->n_res, w->queue[i].running))
      return broken (w, error, "the sums of queue %s differ from a recount", w->queue[i].name);
  for (guint32 i = 0; i < w->n_nodes; i++) {
    nodes += w->node[i].present != FALSE;
    if (!equal (v, v->used + (gsize) i * w->n_res, w->node[i].used))
      return broken (w, error, "the books of node %s differ from a recount", w->node[i].name);
  }
  if (nodes != w->nodes_present)
    return broken (w, error, "the count of nodes differs from a recount");
  return TRUE;
}

/* What is looked at when it has changed, or @all of it. */
static gboolean
check_changed (SimInvariants *v, gboolean all, GError **error)
{
  return check_others (v, all, error) && (v->w->budgets == NULL || check_budgets (v, all, error));
}

/* ---- nodes ---------------------------------------------------------------------------------- */

/* Has a pod that came here after the room became less any part in it? */
static const SimPod *
latecomer (const SimWorld *w, const SimNode *n, guint d)
{
  for (guint32 row = n->first_pod; row != SIM_NONE; row = w->pod[row].next_on_node) {
    const SimPod *p = &w->pod[row];

    if (p->assumed != SIM_NO_TIME /* it was not found here */ && !is_finished (p) && w->role[p->role].shape->request->v[d] > 0 && (n->lowered == SIM_NO_TIME || p->bound > n->lowered))
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

/* ---- the scheduler's tables ----------------------------------------------------------------- */

/* All its tasks, for their nodes and jobs. */
static gboolean
count_tasks (SimInvariants *v, GError **error)
{
  const SimWorld *w = v->w;
  const VcCluster *c = w->cluster;
  guint n = w->n_res;

  for (guint32 row = 0; row < c->n_tasks; row++) {
    const VcTask *t = &c->task[row];

    if (!t->live)
      continue;
    const VcRes *request = t->shape->request;

    if (t->status == VC_ALLOCATED || t->status == VC_PIPELINED)
      return broken (w, error, "task %s is still %s after its session", t->key, vc_status_names[t->status]);
    if (t->pos_in_node != VC_NONE) {
      const VcNode *node = &c->nodes.info[t->node];
      double *sum = v->on_node + (gsize) t->node * N_ON_NODE * n;

      if (t->pos_in_node >= node->n_tasks || node->task[t->pos_in_node] != row)
        return broken (w, error, "task %s is on node %s, which does not know it", t->key, node->name);
      v->tasks_on_node[t->node]++;
      add (sum + USED * n, request, n);
      if (t->status == VC_RELEASING)
        add (sum + RELEASING * n, request, n);
    }
    if (t->job != VC_NONE) {
      double *sum = v->of_group + (gsize) t->job * N_OF_GROUP * n;

      v->statuses[(gsize) t->job * VC_N_STATUS + t->status]++;
      add (sum + TOTAL * n, request, n);
      if (vc_status_allocated (t->status))
        add (sum + ALLOCATED * n, request, n);
      else if (t->status == VC_PENDING)
        add (sum + PENDING * n, request, n);
    }
  }
  return TRUE;
}

static gboolean
check_figures (const SimInvariants *v, guint32 row, GError **error)
{
  const SimWorld *w = v->w;
  const VcNodes *nodes = &w->cluster->nodes;
  const VcNode *n = &nodes->info[row];
  const double *used = v->on_node + (gsize) row * N_ON_NODE * w->n_res, *releasing = used + w->n_res;

  if (v->tasks_on_node[row] != n->n_tasks)
    return broken (w, error, "node %s has a task for the scheduler that believes to be elsewhere", n->name);
  for (guint d = 0; d < w->n_res; d++) {
    double slack = v->slack[d];

    if (!same (used[d], nodes->used[d][row], slack) || !same (releasing[d], nodes->releasing[d][row], slack) || !same (0, nodes->pipelined[d][row], slack))
      return broken (w, error, "the scheduler's sums of %s on node %s differ from a recount", vc_res_names_get (w->cluster->names, d), n->name);
    if ((d < VC_RES_FIRST_SCALAR || n->idle_map) && n->listed && !same (nodes->idle[d][row], n->allocatable->v[d] - used[d], slack))
      return broken (w, error, "idle %s of node %s is not what its tasks leave", vc_res_names_get (w->cluster->names, d), n->name);
    if (!same (nodes->claimed[d][row], 0, slack))
      return broken (w, error, "%s of node %s is still claimed by a session that is over", vc_res_names_get (w->cluster->names, d), n->name);
  }
  return TRUE;
}

static gboolean
check_group (const SimInvariants *v, guint32 row, GError **error)
{
  const SimWorld *w = v->w;
  const VcJob *j = &w->cluster->job[row];
  const double *total = v->of_group + (gsize) row * N_OF_GROUP * w->n_res, *allocated = total + w->n_res, *pending = allocated + w->n_res;

  if (memcmp (v->statuses + (gsize) row * VC_N_STATUS, j->count, sizeof j->count) != 0)
    return broken (w, error, "the scheduler's counts of tasks of %s differ from a recount", j->key);
  for (guint d = 0; d < w->n_res; d++)
    if (!same (allocated[d], j->allocated->v[d], v->slack[d]) || !same (pending[d], j->pending->v[d], v->slack[d]) || !same (total[d], j->total->v[d], v->slack[d]))
      return broken (w, error, "the scheduler's sums of %s of %s differ from a recount", vc_res_names_get (w->cluster->names, d), j->key);
  return TRUE;
}

static gboolean
check_scheduler (SimInvariants *v, GError **error)
{
  const VcCluster *c = v->w->cluster;
  gsize n = v->w->n_res * sizeof (double);

  if (c->n_jobs > v->cap_groups) {
    v->cap_groups = c->n_jobs * 2;
    v->of_group = g_realloc (v->of_group, v->cap_groups * N_OF_GROUP * n);
    v->statuses = g_renew (guint32, v->statuses, v->cap_groups * VC_N_STATUS);
  }
  if (c->nodes.n > v->cap_rows) {
    v->cap_rows = c->nodes.n;
    v->on_node = g_realloc (v->on_node, v->cap_rows * N_ON_NODE * n);
    v->tasks_on_node = g_renew (guint32, v->tasks_on_node, v->cap_rows);
  }
  if (c->n_jobs > 0) {
    memset (v->of_group, 0, c->n_jobs * N_OF_GROUP * n);
    memset (v->statuses, 0, c->n_jobs * VC_N_STATUS * sizeof (guint32));
  }
  if (c->nodes.n > 0) {
    memset (v->on_node, 0, c->nodes.n * N_ON_NODE * n);
    memset (v->tasks_on_node, 0, c->nodes.n * sizeof (guint32));
  }
  if (!count_tasks (v, error))
    return FALSE;
  for (guint32 i = 0; i < c->n_job_order; i++)
    allow_rounding (v, v->of_group + (gsize) c->job_order[i] * N_OF_GROUP * v->w->n_res, NULL);
  for (guint32 i = 0; i < c->nodes.n; i++)
    if (!check_figures (v, i, error))
      return FALSE;
  for (guint32 i = 0; i < c->n_job_order; i++)
    if (!check_group (v, c->job_order[i], error))
      return FALSE;
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

static gboolean
check_groups (const SimWorld *w, GError **error)
{
  for (guint i = 0; i < w->active->len; i++) {
    guint32 row = g_array_index (w->active, guint32, i), group = w->job[row].has_pg ? sim_view_group (w, row) : VC_NONE;

    if (w->job[row].has_pg && (group == VC_NONE || !w->cluster->job[group].has_pg || w->cluster->job[group].user != row))
      return broken (w, error, "the scheduler does not know the PodGroup of job %s/%s", w->job[row].ns, w->job[row].name);
  }
  return TRUE;
}

/* What the scheduler of the view that is entered believes. */
static gboolean
check_view (SimInvariants *v, gboolean prompt, GError **error)
{
  const SimWorld *w = v->w;

  for (guint32 i = 0; prompt && i < w->n_pods; i++)
    if (w->pod[i].live && !check_task (w, &w->pod[i], error))
      return FALSE;
  return (!prompt || check_groups (w, error)) && check_scheduler (v, error);
}

gboolean
sim_invariants_check (SimInvariants *v, GError **error)
{
  SimWorld *w = v->w;
  gboolean all = v->fully || !v->begun, prompt = !sim_watch_is_late (w) && sim_faults_informer_lag (w) == 0, good = TRUE;

  v->begun = TRUE;
  begin (v);
  for (guint32 i = 0; i < w->n_pods; i++) {
    const SimPod *p = &w->pod[i];

    if (!p->live)
      continue;
    if (!check_place (w, p, error))
      return FALSE;
    count (v, p);
  }
  if (v->live + w->pods_removed != w->pods_made)
    return broken (w, error, "%" G_GUINT64_FORMAT " pods were made, %" G_GUINT64_FORMAT " are there and %" G_GUINT64_FORMAT " have gone", w->pods_made, v->live,
                   w->pods_removed);
  if (!check_counters (v, error) || !check_changed (v, all, error))
    return FALSE;
  for (guint32 i = 0; i < w->n_nodes; i++)
    if (!check_room (w, &w->node[i], error))
      return FALSE;
  SIM_EACH_VIEW (w, back)
    good = good && check_view (v, prompt, error);
  return good;
}

gboolean
sim_invariants_finish (SimInvariants *v, GError **error)
{
  return check_changed (v, TRUE, error);
}
