/* sim/validate/validate-data.c - what the configuration shows together with nodes, queues and jobs. */
#include "validate-private.h"
#include <string.h>

/* "1.5 cpu", "64 Gi memory", "2 nvidia.com/gpu" */
char *
sim_data_show (const Data *d, guint dim, double v)
{
  const char *name = vc_res_names_get (d->c->names, dim);

  if (dim == VC_RES_MEMORY)
    return g_strdup_printf ("%g Gi memory", v / 1073741824.0);
  return g_strdup_printf ("%g %s", dim == vc_res_names_pods (d->c->names) ? v : v / 1000, name);
}

static const SimFactQueue *
place_of_queue (const Data *d, guint32 row)
{
  for (guint i = 0; i < d->f->queue->len; i++)
    if (g_array_index (d->f->queue, SimFactQueue, i).row == row)
      return &g_array_index (d->f->queue, SimFactQueue, i);
  return NULL;
}

void
sim_data_warn_queue (Data *d, const char *code, guint32 row, const VcPluginOption *plugin, const char *format, ...)
{
  const SimFactQueue *q = place_of_queue (d, row);
  va_list args;

  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  if (q != NULL)
    sim_warn (d->v, code, q->file, q->line, 1, "%s", text);
  else if (plugin != NULL)
    sim_warn_plugin (d->v, code, plugin, "%s", text);
  else
    sim_warn_action (d->v, code, NULL, 0, "%s", text);
}

/* ---- pods ----------------------------------------------------------------------------------- */

static void
check_best_effort (Data *d)
{
  const SimFactJob *first = NULL;
  gboolean spares = FALSE;

  for (guint i = 0; i < d->f->role->len && first == NULL; i++)
    if (role_at (d, i)->shape->best_effort)
      first = job_at (d, role_at (d, i)->job);
  if (first == NULL)
    return;
  if (!sim_has_action (d->v, "backfill")) {
    sim_warn_action (d->v, "no-backfill", NULL, 0, "no action 'backfill': pods without requests, such as those of job '%s', are never placed", first->name);
    return;
  }
  vc_args_get_bool (vc_conf_action_args (d->v->conf, "preempt"), "enableTopologyAwarePreemption", &spares);
  const char *evicts = sim_has_action (d->v, "preempt") ? "preempt" : "gangpreempt";
  if (sim_has_action (d->v, evicts) && sim_action_place (d->v, evicts) < sim_action_place (d->v, "backfill") && !(spares && strcmp (evicts, "preempt") == 0))
    sim_warn_action (d->v, "backfill-takes-back", "backfill", 0,
                     "'%s' before 'backfill': places of pods freed for a gang go back to pods without requests (job '%s') before the gang is whole, again "
                     "and again; put backfill first",
                     evicts, first->name);
}

static void
check_gangs (Data *d)
{
  const VcPluginOption *gang = sim_plugin (d->v, "gang", NULL);
  gboolean ready = sim_is_asked (d->v, VC_HOOK_JOB_READY, "gang");

  if (gang != NULL && ready && gang->on[VC_FLAG_SUB_JOB_READY])
    return;
  for (guint i = 0; i < d->f->job->len; i++) {
    const SimFactJob *j = job_at (d, i);

    if (j->min <= 1)
      continue;
    if (gang == NULL)
      sim_warn_action (d->v, "gang-off", sim_has_action (d->v, "allocate") ? "allocate" : NULL, 0,
                       "no plugin gang: job '%s', which needs %u pods at once, starts with any of them", j->name, j->min);
    else
      sim_warn_plugin (d->v, "gang-off", gang, "gang with %s: false: job '%s', which needs %u pods at once, starts with any of them",
                       vc_flag_names[ready ? VC_FLAG_SUB_JOB_READY : VC_FLAG_JOB_READY], j->name, j->min);
    return;
  }
}

/* Pods without requests fill the places of pods under a gang that waits for them. */
static void
check_slots (Data *d)
{
  const char *evicts = sim_evicting_action (d->v);
  guint pods = vc_res_names_pods (d->c->names);
  double best_effort = 0, others = 0;

  if (!sim_has_action (d->v, "backfill") || (evicts != NULL && sim_action_place (d->v, evicts) > sim_action_place (d->v, "backfill")))
    return;
  for (guint i = 0; i < d->f->role->len; i++)
    *(role_at (d, i)->shape->best_effort ? &best_effort : &others) += role_at (d, i)->count;
  if (best_effort > 0 && others > 0 && best_effort + others > d->total->v[pods] && !sim_has_action (d->v, "preempt") && !sim_has_action (d->v, "gangpreempt"))
    sim_warn_action (d->v, "backfill-takes-places", "backfill", 0,
                     "%.0f pods without requests and %.0f others share %.0f places of pods: backfill may give away what a gang waits for (no preempt after backfill)",
                     best_effort, others, d->total->v[pods]);
}

typedef enum { FITS, NO_ROOM, NO_NODE } Fit;

gboolean
sim_data_node_takes (const Data *d, const VcShape *s, guint32 node)
{
  const VcNodeFacts *n = &d->c->nodes.info[node].facts;

  if (!sim_is_asked (d->v, VC_HOOK_PREDICATE, "predicates"))
    return TRUE;
  return vc_node_affinity_matches (s, n) && vc_tolerates_node (s, n) && (!n->unschedulable || vc_tolerates_unschedulable (s));
}

gboolean
sim_data_has_room (const VcShape *s, const VcRes *room)
{
  for (guint64 left = s->dims; left != 0; left &= left - 1) {
    guint dim = (guint) __builtin_ctzll (left);

    if (!vc_le (s->request->v[dim], room->v[dim]))
      return FALSE;
  }
  return TRUE;
}

static Fit
fit_of (const Data *d, const VcShape *s)
{
  Fit best = NO_ROOM;

  for (guint32 i = 0; i < d->c->nodes.n_list && best != FITS; i++) {
    guint32 n = d->c->nodes.list[i];

    if (sim_data_has_room (s, d->c->nodes.info[n].allocatable))
      best = sim_data_node_takes (d, s, n) ? FITS : NO_NODE;
  }
  return best;
}

/* Pods of a shape that an empty cluster takes, at most @enough. */
guint32
sim_data_places (const Data *d, const VcShape *s, guint32 enough)
{
  guint32 n = 0;

  for (guint32 i = 0; i < d->c->nodes.n_list && n < enough; i++) {
    guint32 node = d->c->nodes.list[i];
    double most = enough;

    if (!sim_data_node_takes (d, s, node))
      continue;
    for (guint64 left = s->dims; left != 0; left &= left - 1) {
      guint dim = (guint) __builtin_ctzll (left);
      double asks = s->request->v[dim], room = d->c->nodes.info[node].allocatable->v[dim];

      if (asks > 0)
        most = MIN (most, (room + VC_RES_EPSILON) / asks);
    }
    n += most >= 1 ? (guint32) most : 0;
  }
  return n;
}

/* Has the cluster, empty, places for what job @i needs of each role at once? */
static gboolean
has_places (const Data *d, guint i)
{
  const SimFactJob *j = job_at (d, i);
  guint32 left = j->min;

  for (guint32 k = 0; k < j->n_roles && left > 0; k++) {
    const SimFactRole *r = role_at (d, j->first_role + k);
    guint32 n = MIN (left, r->count);

    left -= n;
    if (n > 1 && sim_data_places (d, r->shape, n) < n)
      return FALSE;
  }
  return TRUE;
}

static int
lacking (const Data *d, guint job)
{
  for (guint dim = 0; dim < d->c->n_res; dim++)
    if (!vc_le (least_of (d, job, dim), d->total->v[dim]))
      return (int) dim;
  return -1;
}

static void
check_fit (Data *d)
{
  Many unfit = { .code = "pod-fits-no-node" }, large = { .code = "job-beyond-cluster" }, crumbs = { .code = sim_has_action (d->v, "enqueue") ? "unplaceable-gang-admitted" : "gang-fits-no-nodes" };
  const char *admitted = sim_has_action (d->v, "enqueue") ? "; its sum does fit the cluster, so that it is admitted and keeps others out for ever" : "";
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL); /* shape → Fit + 1 */

  for (guint i = 0; i < d->f->job->len; i++) {
    const SimFactJob *j = job_at (d, i);
    int dim = lacking (d, i);
    Fit worst = FITS;

    for (guint32 k = 0; k < j->n_roles && worst == FITS; k++) {
      const VcShape *s = role_at (d, j->first_role + k)->shape;
      guint fit = GPOINTER_TO_UINT (g_hash_table_lookup (known, s));

      if (fit == 0) {
        fit = (guint) fit_of (d, s) + 1;
        g_hash_table_insert (known, (gpointer) s, GUINT_TO_POINTER (fit));
      }
      worst = (Fit) (fit - 1);
    }
    if (worst != FITS) {
      if (many (&unfit, j))
        sim_warn (d->v, unfit.code, j->file, j->line, 1, "job '%s': a pod of it fits no node%s%s", j->name,
                  worst == NO_NODE ? " that its selectors and tolerations allow" : "",
                  dim < 0 ? admitted : "");
    } else if (dim >= 0 && many (&large, j)) {
      g_autofree char *asks = sim_data_show (d, (guint) dim, least_of (d, i, (guint) dim)), *has = sim_data_show (d, (guint) dim, d->total->v[dim]);

      sim_warn (d->v, large.code, j->file, j->line, 1, "job '%s' cannot start with less than %s, the cluster has %s", j->name, asks, has);
    } else if (dim < 0 && !has_places (d, i) && many (&crumbs, j)) {
      sim_warn (d->v, crumbs.code, j->file, j->line, 1, "job '%s': each pod fits a node, but not all %u that it needs at once, even on an empty cluster%s", j->name,
                j->min, admitted);
    }
  }
  many_end (d, &crumbs, "need more pods at once than the nodes have places for");
  many_end (d, &unfit, "have pods that fit no node");
  many_end (d, &large, "ask for more than the cluster has");
}

/* Are there jobs of lower priority enough to fill the cluster, or of any in large numbers, that a gang of the cluster's size would let pass? */
static gboolean
is_passed (const Data *d, guint gang, guint dim)
{
  double lower = 0, all = 0;

  for (guint i = 0; i < d->f->job->len; i++) {
    if (i == gang || least_of (d, i, dim) > d->total->v[dim] / 4 || job_at (d, i)->priority > job_at (d, gang)->priority)
      continue;
    all += least_of (d, i, dim);
    lower += job_at (d, i)->priority < job_at (d, gang)->priority ? least_of (d, i, dim) : 0;
  }
  return lower > d->total->v[dim] || all > 10 * d->total->v[dim];
}

/* A gang that needs most of the cluster waits until all is free at once. */
static void
check_big_gangs (Data *d)
{
  Many big = { .code = "big-gang-starves" };

  if (sim_evicting_action (d->v) != NULL || d->f->job->len < 2)
    return;
  for (guint i = 0; i < d->f->job->len; i++) {
    const SimFactJob *j = job_at (d, i);
    int worst = -1;

    for (guint dim = 0; dim < d->c->n_res && j->min > 1; dim++)
      if (dim != vc_res_names_pods (d->c->names) && least_of (d, i, dim) > d->total->v[dim] / 2 && least_of (d, i, dim) <= d->total->v[dim])
        worst = (int) dim;
    if (worst >= 0 && is_passed (d, i, (guint) worst) && many (&big, j))
      sim_warn (d->v, big.code, j->file, j->line, 1,
                "job '%s' needs %.0f%% of the cluster's %s at once, and nothing is kept free or evicted for it: smaller jobs may pass it for ever", j->name,
                100 * least_of (d, i, (guint) worst) / d->total->v[worst], vc_res_names_get (d->c->names, (guint) worst));
  }
  many_end (d, &big, "need more than half of the cluster at once");
}

/* Do some pods ask for all that a node has of it, and others for half or less, on several nodes? */
static gboolean
is_fragmented (const Data *d, guint dim)
{
  double node = 0;
  guint nodes = 0;
  gboolean whole = FALSE, parts = FALSE;

  for (guint32 i = 0; i < d->c->nodes.n_list; i++) {
    double has = d->c->nodes.info[d->c->nodes.list[i]].allocatable->v[dim];

    node = MAX (node, has);
    nodes += has > 0;
  }
  for (guint i = 0; i < d->f->role->len; i++) {
    double asks = role_at (d, i)->shape->request->v[dim];

    whole |= asks > 0.9 * node && asks > 0;
    parts |= asks > 0 && asks <= node / 2;
  }
  return nodes > 1 && whole && parts;
}

static void
check_binpack (Data *d)
{
  const VcPluginOption *binpack = sim_plugin (d->v, "binpack", NULL);
  guint64 asked = 0;

  if (binpack == NULL || !binpack->on[VC_FLAG_NODE_ORDER] || sim_plugin_float (binpack, "binpack.weight", 1) <= 0)
    return;
  g_auto (GStrv) listed = g_strsplit (vc_args_get_string (&binpack->args, "binpack.resources", ""), ",", -1);
  for (char **l = listed; *l != NULL; l++)
    g_strstrip (*l);
  for (guint i = 0; i < d->f->role->len; i++)
    asked |= role_at (d, i)->shape->request->has;
  for (guint dim = VC_RES_FIRST_SCALAR; dim < d->c->n_res; dim++) {
    const char *name = vc_res_names_get (d->c->names, dim);

    if (((asked >> dim) & 1) == 0 || dim == vc_res_names_pods (d->c->names) || strcmp (name, "ephemeral-storage") == 0
        || g_strv_contains ((const char *const *) listed, name) || !is_fragmented (d, dim))
      continue;
    sim_warn_plugin (d->v, "binpack-ignores", binpack, "binpack packs by cpu and memory alone: %s, which pods ask for, gets scattered (binpack.resources: %s)",
                     name, name);
  }
}

/* ---- queues --------------------------------------------------------------------------------- */

static void
check_queue_of_jobs (Data *d)
{
  Many lost = { .code = "no-such-queue" };

  for (guint i = 0; i < d->f->job->len; i++)
    if (job_at (d, i)->queue == VC_NONE && many (&lost, job_at (d, i)))
      sim_warn (d->v, lost.code, job_at (d, i)->file, job_at (d, i)->line, 1, "job '%s' names queue '%s', which does not exist: it never starts",
                job_at (d, i)->name, job_at (d, i)->queue_name);
  many_end (d, &lost, "name queues that do not exist");
}

static void
check_bounds (Data *d, guint32 row)
{
  const VcQueue *q = &d->c->queue[row];

  for (guint dim = 0; dim < d->c->n_res; dim++) {
    double limit = q->capability->v[dim];
    g_autofree char *guarantee = sim_data_show (d, dim, q->guarantee->v[dim]), *deserved = sim_data_show (d, dim, q->deserved->v[dim]), *most = sim_data_show (d, dim, limit),
                    *has = sim_data_show (d, dim, d->total->v[dim]);

    if (!vc_le (q->guarantee->v[dim], d->total->v[dim]))
      sim_data_warn_queue (d, "guarantee-beyond-cluster", row, NULL, "queue '%s' is guaranteed %s, the cluster has %s: the others get nothing", q->name, guarantee, has);
    if (limit > 0 && q->guarantee->v[dim] > limit)
      sim_data_warn_queue (d, "guarantee-beyond-capability", row, NULL, "queue '%s' is guaranteed %s and limited to %s", q->name, guarantee, most);
    if (limit > 0 && q->deserved->v[dim] > limit)
      sim_data_warn_queue (d, "deserved-beyond-capability", row, NULL, "queue '%s' deserves %s and is limited to %s", q->name, deserved, most);
  }
}

static void
check_queues (Data *d)
{
  const VcPluginOption *proportion = sim_plugin (d->v, "proportion", NULL), *capacity = sim_plugin (d->v, "capacity", NULL);
  const VcPluginOption *either = proportion != NULL ? proportion : capacity;

  for (guint32 i = 0; i < d->c->n_queue_order && either != NULL; i++) {
    guint32 row = d->c->queue_order[i];
    const VcQueue *q = &d->c->queue[row];

    if (d->jobs_of[row] > 0 && !vc_queue_is_open (q))
      sim_data_warn_queue (d, "queue-not-open", row, either, "queue '%s' has jobs and is not Open: %s lets none of them start", q->name, either->name);
    if (d->jobs_of[row] > 0 && q->weight <= 0 && proportion != NULL)
      sim_data_warn_queue (d, "weight-zero", row, proportion, "queue '%s' has weight %d: proportion gives it nothing but its guarantee", q->name, q->weight);
    check_bounds (d, row);
  }
}

static gboolean
has_inner_parent (const VcQueue *q)
{
  return *q->parent != '\0' && strcmp (q->parent, "root") != 0;
}

static void
check_tree (Data *d)
{
  const VcPluginOption *capacity = sim_plugin (d->v, "capacity", NULL);
  gboolean told = FALSE;
  Many inner = { .code = "job-in-inner-queue" };
  g_autofree guint8 *parent = g_new0 (guint8, d->c->n_queues + 1);

  if (capacity == NULL)
    return;
  for (guint32 i = 0; i < d->c->n_queue_order; i++) {
    const VcQueue *q = &d->c->queue[d->c->queue_order[i]];
    guint32 above = GPOINTER_TO_UINT (g_hash_table_lookup (d->c->queue_rows, q->parent));

    if (above > 0)
      parent[above - 1] = TRUE;
    if (!has_inner_parent (q))
      continue;
    if (capacity->on[VC_FLAG_HIERARCHY] && above == 0)
      sim_data_warn_queue (d, "no-such-parent", d->c->queue_order[i], capacity, "queue '%s' names parent '%s', which does not exist: capacity lets no job of any queue start",
                  q->name, q->parent);
    if (told)
      continue;
    told = TRUE;
    if (!capacity->on[VC_FLAG_HIERARCHY])
      sim_warn_plugin (d->v, "tree-ignored", capacity, "queue '%s' has parent '%s', but capacity without enableHierarchy: true takes all queues as equals", q->name,
                       q->parent);
  }
  for (guint i = 0; i < d->f->job->len && capacity->on[VC_FLAG_HIERARCHY]; i++) {
    const SimFactJob *j = job_at (d, i);

    if (j->queue != VC_NONE && parent[j->queue] && many (&inner, j))
      sim_warn (d->v, inner.code, j->file, j->line, 1, "job '%s' is in queue '%s', which has children: capacity lets no job of any queue start", j->name,
                j->queue_name);
  }
  many_end (d, &inner, "are in queues that have children");
}

/* ---- jobs against their queue's share ------------------------------------------------------- */

/* The share of a queue in one dimension when every queue with jobs is busy; 0: unknown. */
static double
share_of (const Data *d, guint32 row, guint dim)
{
  const VcQueue *q = &d->c->queue[row];
  double weights = 0;

  if (sim_plugin (d->v, "capacity", NULL) != NULL)
    return q->deserved->v[dim];
  if (sim_plugin (d->v, "proportion", NULL) == NULL || d->n_busy < 2)
    return 0;
  for (guint32 i = 0; i < d->c->n_queue_order; i++)
    if (d->jobs_of[d->c->queue_order[i]] > 0)
      weights += d->c->queue[d->c->queue_order[i]].weight;
  return weights > 0 ? MAX (d->total->v[dim] * q->weight / weights, q->guarantee->v[dim]) : 0;
}

/* One warning for a queue: its first job that asks for too much at once. */
static void
check_shares (Data *d)
{
  g_autofree guint8 *told = g_new0 (guint8, d->c->n_queues + 1);
  gboolean capacity = sim_plugin (d->v, "capacity", NULL) != NULL;

  if (capacity && !sim_has_action (d->v, "reclaim") && !sim_has_action (d->v, "gangreclaim"))
    return; /* lent room is as good as one's own then */
  for (guint i = 0; i < d->f->job->len; i++) {
    const SimFactJob *j = job_at (d, i);

    if (j->queue == VC_NONE || told[j->queue])
      continue;
    for (guint dim = 0; dim < d->c->n_res && !told[j->queue]; dim++) {
      double share = dim != vc_res_names_pods (d->c->names) ? share_of (d, j->queue, dim) : 0;

      if (share <= 0 || vc_le (least_of (d, i, dim), share) || !vc_le (least_of (d, i, dim), d->total->v[dim]))
        continue;
      g_autofree char *asks = sim_data_show (d, dim, least_of (d, i, dim)), *gets = sim_data_show (d, dim, share);
      told[j->queue] = TRUE;
      sim_warn (d->v, "job-above-share", j->file, j->line, 1,
                capacity ? "job '%s' needs %s at once, its queue '%s' deserves %s: it runs on lent room, evicts for more than the queue deserves or is evicted itself"
                         : "job '%s' needs %s at once, its queue '%s' gets %s when every queue is busy: it may wait beside idle nodes",
                j->name, asks, j->queue_name, gets);
    }
  }
}

static void
check_unevictable (Data *d)
{
  const char *evicts = sim_evicting_action (d->v);
  g_autofree guint32 *evictable = g_new0 (guint32, d->c->n_queues + 1);

  for (guint i = 0; i < d->f->job->len; i++)
    if (job_at (d, i)->queue != VC_NONE)
      evictable[job_at (d, i)->queue] += job_at (d, i)->preemptable;
  for (guint32 i = 0; i < d->c->n_queue_order && evicts != NULL; i++) {
    guint32 row = d->c->queue_order[i];

    if (d->jobs_of[row] > 0 && evictable[row] == 0)
      sim_data_warn_queue (d, "nothing-evictable", row, NULL, "no pod of queue '%s' may be evicted (preemptable: false): '%s' finds nothing there", d->c->queue[row].name, evicts);
  }
}

static void
check_elastic (Data *d)
{
  const char *gang = sim_has_action (d->v, "gangpreempt") ? "gangpreempt" : "gangreclaim";

  for (guint i = 0; i < d->f->job->len && sim_has_action (d->v, gang); i++)
    if (job_at (d, i)->min < job_at (d, i)->pods && job_at (d, i)->preemptable) {
      sim_warn_action (d->v, "elastic-jobs-drained", gang, 0, "'%s' takes all that a job has above its minimum at once, however little is needed (job '%s': %u of %u pods)",
                       gang, job_at (d, i)->name, job_at (d, i)->pods - job_at (d, i)->min, job_at (d, i)->pods);
      return;
    }
}

/* What pods that exist already sim_data_show (objects only). */
static void
check_states (Data *d)
{
  const VcTask *waiting = NULL;
  guint n = 0;
  Many broken = { .code = "broken-gang" };

  for (guint32 i = 0; i < d->c->n_tasks; i++)
    if (d->c->task[i].live && d->c->task[i].status == VC_PENDING && d->c->task[i].nominated != VC_NONE && n++ == 0)
      waiting = &d->c->task[i];
  if (n > 0 && sim_has_action (d->v, "preempt") && sim_action_place (d->v, "preempt") > sim_action_place (d->v, "allocate"))
    sim_warn_action (d->v, "nominated-pods-wait", "preempt", 0,
                     "%u pods such as '%s' carry a nominated node: preempt passes them over as long as that node would take them or someone is leaving it "
                     "(gangpreempt does not)",
                     n, waiting->key);
  for (guint i = 0; i < d->f->job->len && sim_is_asked (d->v, VC_HOOK_JOB_ORDER, "drf"); i++) {
    const SimFactJob *j = job_at (d, i);
    guint32 row = GPOINTER_TO_UINT (g_hash_table_lookup (d->c->job_rows, j->name));

    if (row > 0 && vc_job_allocated_num (&d->c->job[row - 1]) > 0 && vc_job_ready_num (&d->c->job[row - 1]) < j->min && many (&broken, j))
      sim_warn (d->v, broken.code, j->file, j->line, 1, "job '%s' runs below its minimum of %u: drf serves jobs with less in use before it completes the gang",
                j->name, j->min);
  }
  many_end (d, &broken, "run below their minimum");
}

/* ---- admission ------------------------------------------------------------------------------ */

static void
check_overcommit (Data *d)
{
  const VcPluginOption *overcommit = sim_plugin (d->v, "overcommit", NULL);
  double factor = sim_plugin_float (overcommit, "overcommit-factor", 1.2);

  if (overcommit != NULL && vc_args_find (&overcommit->args, "overcommit-factor") != NULL && factor > 1 && d->n_busy == 1
      && sim_is_asked (d->v, VC_HOOK_JOB_ENQUEUEABLE, "proportion") && sim_has_action (d->v, "enqueue"))
    sim_warn_plugin (d->v, "overcommit-without-effect", overcommit,
                     "overcommit-factor %g has no effect: only one queue has jobs, and proportion admits no more than the cluster has", factor);
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* What the jobs cannot start without: their minimum, taken from the roles in their order. */
static void
sum_up (Data *d)
{
  for (guint i = 0; i < d->f->job->len; i++) {
    const SimFactJob *j = job_at (d, i);
    guint32 left = j->min;

    for (guint32 k = 0; k < j->n_roles && left > 0; k++) {
      const SimFactRole *r = role_at (d, j->first_role + k);
      guint32 n = MIN (left, r->count);

      left -= n;
      for (guint dim = 0; dim < d->c->n_res; dim++)
        d->least[i * d->c->n_res + dim] += n * r->shape->request->v[dim];
    }
    if (j->queue != VC_NONE)
      d->n_busy += d->jobs_of[j->queue]++ == 0;
  }
}

void
sim_check_data (SimValidation *v)
{
  const SimFacts *f = v->facts;
  Data d = { .v = v, .f = f, .c = f->cluster, .total = vc_cluster_total (f->cluster) };

  d.least = g_new0 (double, MAX (f->job->len, 1) * f->cluster->n_res);
  d.jobs_of = g_new0 (guint32, f->cluster->n_queues + 1);
  sum_up (&d);
  check_best_effort (&d);
  check_slots (&d);
  check_gangs (&d);
  check_fit (&d);
  check_big_gangs (&d);
  check_binpack (&d);
  check_queue_of_jobs (&d);
  check_queues (&d);
  check_tree (&d);
  check_shares (&d);
  check_unevictable (&d);
  check_elastic (&d);
  check_states (&d);
  sim_check_queues (&d);
  check_overcommit (&d);
  g_free (d.least);
  g_free (d.jobs_of);
}
