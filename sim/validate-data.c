/* sim/validate-data.c - what the configuration shows together with nodes, queues and jobs. */
#include "validate.h"
#include <string.h>

#define SHOWN 5 /* jobs named for one kind of warning; the others are counted */

typedef struct {
  SimValidation *v;
  const SimFacts *f;
  const VcCluster *c;
  const VcRes *total;
  double *least;   /* [job][dimension]: what a job cannot start without */
  guint32 *jobs_of; /* per queue row */
  guint n_busy;    /* queues with jobs */
} Data;

static const SimFactJob *
job_at (const Data *d, guint i)
{
  return &g_array_index (d->f->job, SimFactJob, i);
}

static const SimFactRole *
role_at (const Data *d, guint i)
{
  return &g_array_index (d->f->role, SimFactRole, i);
}

static double
least_of (const Data *d, guint job, guint dim)
{
  return d->least[job * d->c->n_res + dim];
}

/* "1.5 cpu", "64 Gi memory", "2 nvidia.com/gpu" */
static char *
show (const Data *d, guint dim, double v)
{
  const char *name = vc_res_names_get (d->c->names, dim);

  if (dim == VC_RES_MEMORY)
    return g_strdup_printf ("%g Gi memory", v / 1073741824.0);
  return g_strdup_printf ("%g %s", dim == vc_res_names_pods (d->c->names) ? v : v / 1000, name);
}

/* Jobs are named one by one up to a limit; then how many more there are. */
typedef struct { const char *code; guint n; const SimFactJob *last; } Many;

static gboolean
many (Many *m, const SimFactJob *job)
{
  m->last = job;
  return m->n++ < SHOWN;
}

static void
many_end (Data *d, const Many *m, const char *what)
{
  if (m->n > SHOWN)
    sim_warn (d->v, m->code, m->last->file, m->last->line, 1, "%u more jobs %s, the last is '%s'", m->n - SHOWN, what, m->last->name);
}

static const SimFactQueue *
place_of_queue (const Data *d, guint32 row)
{
  for (guint i = 0; i < d->f->queue->len; i++)
    if (g_array_index (d->f->queue, SimFactQueue, i).row == row)
      return &g_array_index (d->f->queue, SimFactQueue, i);
  return NULL;
}

/* At the queue's own line, or where nothing says where that is, at @plugin. */
G_GNUC_PRINTF (5, 6) static void
warn_queue (Data *d, const char *code, guint32 row, const VcPluginOption *plugin, const char *format, ...)
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

static gboolean
node_takes (const Data *d, const VcShape *s, guint32 node)
{
  const VcNodeFacts *n = &d->c->nodes.info[node].facts;

  if (!sim_is_asked (d->v, VC_HOOK_PREDICATE, "predicates"))
    return TRUE;
  return vc_node_affinity_matches (s, n) && vc_tolerates_node (s, n) && (!n->unschedulable || vc_tolerates_unschedulable (s));
}

static gboolean
has_room (const VcShape *s, const VcRes *room)
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

    if (has_room (s, d->c->nodes.info[n].allocatable))
      best = node_takes (d, s, n) ? FITS : NO_NODE;
  }
  return best;
}

/* Pods of a shape that an empty cluster takes, at most @enough. */
static guint32
places_of (const Data *d, const VcShape *s, guint32 enough)
{
  guint32 n = 0;

  for (guint32 i = 0; i < d->c->nodes.n_list && n < enough; i++) {
    guint32 node = d->c->nodes.list[i];
    double most = enough;

    if (!node_takes (d, s, node))
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
    if (n > 1 && places_of (d, r->shape, n) < n)
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
  Many unfit = { .code = "pod-fits-no-node" }, large = { .code = "job-beyond-cluster" }, crumbs = { .code = "gang-fits-no-nodes" };
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
      g_autofree char *asks = show (d, (guint) dim, least_of (d, i, (guint) dim)), *has = show (d, (guint) dim, d->total->v[dim]);

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
    if (worst >= 0 && many (&big, j))
      sim_warn (d->v, big.code, j->file, j->line, 1,
                "job '%s' needs %.0f%% of the cluster's %s at once, and nothing is kept free or evicted for it: smaller jobs may pass it for ever", j->name,
                100 * least_of (d, i, (guint) worst) / d->total->v[worst], vc_res_names_get (d->c->names, (guint) worst));
  }
  many_end (d, &big, "need more than half of the cluster at once");
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
        || g_strv_contains ((const char *const *) listed, name))
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
    g_autofree char *guarantee = show (d, dim, q->guarantee->v[dim]), *deserved = show (d, dim, q->deserved->v[dim]), *most = show (d, dim, limit),
                    *has = show (d, dim, d->total->v[dim]);

    if (!vc_le (q->guarantee->v[dim], d->total->v[dim]))
      warn_queue (d, "guarantee-beyond-cluster", row, NULL, "queue '%s' is guaranteed %s, the cluster has %s: the others get nothing", q->name, guarantee, has);
    if (limit > 0 && q->guarantee->v[dim] > limit)
      warn_queue (d, "guarantee-beyond-capability", row, NULL, "queue '%s' is guaranteed %s and limited to %s", q->name, guarantee, most);
    if (limit > 0 && q->deserved->v[dim] > limit)
      warn_queue (d, "deserved-beyond-capability", row, NULL, "queue '%s' deserves %s and is limited to %s", q->name, deserved, most);
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
      warn_queue (d, "queue-not-open", row, either, "queue '%s' has jobs and is not Open: %s lets none of them start", q->name, either->name);
    if (d->jobs_of[row] > 0 && q->weight <= 0 && proportion != NULL)
      warn_queue (d, "weight-zero", row, proportion, "queue '%s' has weight %d: proportion gives it nothing but its guarantee", q->name, q->weight);
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
  gint64 level = 0;
  gboolean told = FALSE;
  Many inner = { .code = "job-in-inner-queue" };
  g_autofree guint8 *parent = g_new0 (guint8, d->c->n_queues + 1);

  if (capacity == NULL)
    return;
  vc_args_get_int (&capacity->args, "ancestorReclaimLevel", &level);
  for (guint32 i = 0; i < d->c->n_queue_order; i++) {
    const VcQueue *q = &d->c->queue[d->c->queue_order[i]];
    guint32 above = GPOINTER_TO_UINT (g_hash_table_lookup (d->c->queue_rows, q->parent));

    if (above > 0)
      parent[above - 1] = TRUE;
    if (!has_inner_parent (q))
      continue;
    if (capacity->on[VC_FLAG_HIERARCHY] && above == 0)
      warn_queue (d, "no-such-parent", d->c->queue_order[i], capacity, "queue '%s' names parent '%s', which does not exist: capacity lets no job of any queue start",
                  q->name, q->parent);
    if (told)
      continue;
    told = TRUE;
    if (!capacity->on[VC_FLAG_HIERARCHY])
      sim_warn_plugin (d->v, "tree-ignored", capacity, "queue '%s' has parent '%s', but capacity without enableHierarchy: true takes all queues as equals", q->name,
                       q->parent);
    else if (level == 0 && sim_is_asked (d->v, VC_HOOK_RECLAIMABLE, "capacity") && (sim_has_action (d->v, "reclaim") || sim_has_action (d->v, "gangreclaim")))
      sim_warn_plugin (d->v, "parents-not-asked", capacity,
                       "ancestorReclaimLevel 0: pods of a queue above its share are evicted for other branches of the tree even when its parent ('%s') is "
                       "below its own share",
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
      g_autofree char *asks = show (d, dim, least_of (d, i, dim)), *gets = show (d, dim, share);
      told[j->queue] = TRUE;
      sim_warn (d->v, "job-above-share", j->file, j->line, 1,
                capacity ? "job '%s' needs %s at once, its queue '%s' deserves %s: it runs on lent room, evicts for more than the queue deserves or is evicted itself"
                         : "job '%s' needs %s at once, its queue '%s' gets %s when every queue is busy: it may wait beside idle nodes",
                j->name, asks, j->queue_name, gets);
    }
  }
}

/* Reclaiming is allowed as long as one requested resource is below what the queue deserves: slack in one of them opens the door. */
static void
check_slack (Data *d)
{
  guint32 first = VC_NONE;
  guint n = 0;
  double first_has = 0, first_uses = 0;

  if (!sim_is_asked (d->v, VC_HOOK_RECLAIMABLE, "capacity") || !(sim_has_action (d->v, "reclaim") || sim_has_action (d->v, "gangreclaim")))
    return;
  for (guint32 i = 0; i < d->c->n_queue_order; i++) {
    guint32 row = d->c->queue_order[i];
    const VcQueue *q = &d->c->queue[row];
    double cpu = 0, memory = 0;

    for (guint k = 0; k < d->f->role->len; k++) {
      const SimFactRole *r = role_at (d, k);

      if (job_at (d, r->job)->queue != row)
        continue;
      cpu += r->count * r->shape->request->v[VC_RES_CPU];
      memory += r->count * r->shape->request->v[VC_RES_MEMORY];
    }
    double need = cpu > 0 ? q->deserved->v[VC_RES_CPU] * memory / cpu : 0, given = q->deserved->v[VC_RES_MEMORY];
    if (need <= 0 || given < 4 * need)
      continue;
    if (n++ == 0) {
      first = row;
      first_has = given;
      first_uses = need;
    }
  }
  if (n == 0)
    return;
  g_autofree char *has = show (d, VC_RES_MEMORY, first_has), *uses = show (d, VC_RES_MEMORY, first_uses);
  g_autofree char *others = n > 1 ? g_strdup_printf ("; %u more queue%s", n - 1, n > 2 ? "s alike" : " alike") : g_strdup ("");
  warn_queue (d, "slack-in-deserved", first, sim_plugin (d->v, "capacity", NULL),
              "queue '%s' deserves %s, its pods use %s with the cpu that it deserves: as memory stays below, it may evict others' pods for cpu beyond its "
              "share, in turn with other such queues%s",
              d->c->queue[first].name, has, uses, others);
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
      warn_queue (d, "nothing-evictable", row, NULL, "no pod of queue '%s' may be evicted (preemptable: false): '%s' finds nothing there", d->c->queue[row].name, evicts);
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

/* Reclaimed room goes to the first queue in order: back to the borrower, when that has the higher priority. */
static void
check_priority (Data *d)
{
  const VcPluginOption *capacity = sim_plugin (d->v, "capacity", NULL);
  g_autofree double *wants = g_new0 (double, d->c->n_queues * d->c->n_res + 1);
  gint32 lowest = G_MAXINT32;

  if (capacity == NULL || !(sim_has_action (d->v, "reclaim") || sim_has_action (d->v, "gangreclaim")))
    return;
  for (guint k = 0; k < d->f->role->len; k++) {
    const SimFactRole *r = role_at (d, k);

    for (guint dim = 0; dim < d->c->n_res && job_at (d, r->job)->queue != VC_NONE; dim++)
      wants[job_at (d, r->job)->queue * d->c->n_res + dim] += r->count * r->shape->request->v[dim];
  }
  for (guint32 i = 0; i < d->c->n_queue_order; i++)
    if (d->jobs_of[d->c->queue_order[i]] > 0)
      lowest = MIN (lowest, d->c->queue[d->c->queue_order[i]].priority);
  for (guint32 i = 0; i < d->c->n_queue_order; i++) {
    guint32 row = d->c->queue_order[i];
    const VcQueue *q = &d->c->queue[row];
    gboolean borrows = FALSE;

    for (guint dim = 0; dim < d->c->n_res; dim++)
      borrows |= q->deserved->v[dim] > 0 && wants[row * d->c->n_res + dim] > q->deserved->v[dim];
    if (d->jobs_of[row] > 0 && q->priority > lowest && borrows)
      warn_queue (d, "priority-on-borrower", row, capacity,
                  "queue '%s' has priority %d and wants more than it deserves: what a queue of lower priority reclaims from it is given to it again, in circles",
                  q->name, q->priority);
  }
}

/* What pods that exist already show (objects only). */
static void
check_states (Data *d)
{
  const VcTask *waiting = NULL;
  guint n = 0;
  Many broken = { .code = "broken-gang" };

  for (guint32 i = 0; i < d->c->n_tasks; i++)
    if (d->c->task[i].live && d->c->task[i].status == VC_PENDING && d->c->task[i].nominated != VC_NONE && n++ == 0)
      waiting = &d->c->task[i];
  if (n > 0 && sim_has_action (d->v, "preempt"))
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

/* The nodes that take a job's first pods, as text: "0110". */
static char *
nodes_of_job (const Data *d, const SimFactJob *j, guint *n)
{
  const VcNodes *nodes = &d->c->nodes;
  char *text = g_malloc (nodes->n_list + 1);

  *n = 0;
  for (guint32 i = 0; i < nodes->n_list; i++) {
    gboolean takes = node_takes (d, role_at (d, j->first_role)->shape, nodes->list[i]);

    text[i] = takes ? '1' : '0';
    *n += takes;
  }
  text[nodes->n_list] = '\0';
  return text;
}

typedef struct { double *sum; guint nodes, jobs; } Pool;

static void
pool_free (gpointer p)
{
  g_free (((Pool *) p)->sum);
  g_free (p);
}

/* Overcommit compares with the cluster as a whole: jobs for a part of it may fill the count and keep all others out. */
static void
check_pools (Data *d)
{
  const VcPluginOption *overcommit = sim_plugin (d->v, "overcommit", NULL);
  double factor = sim_plugin_float (overcommit, "overcommit-factor", 1.2);
  g_autoptr (GHashTable) pools = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, pool_free);
  g_autoptr (GHashTable) by_shape = g_hash_table_new (NULL, NULL); /* shape → Pool */
  g_autoptr (GPtrArray) order = g_ptr_array_new ();

  if (!sim_has_action (d->v, "enqueue") || !sim_is_asked (d->v, VC_HOOK_JOB_ENQUEUEABLE, "overcommit"))
    return;
  factor = factor < 1 ? 1.2 : factor;
  for (guint i = 0; i < d->f->job->len; i++) {
    const SimFactJob *j = job_at (d, i);

    if (j->n_roles == 0)
      continue;
    Pool *p = g_hash_table_lookup (by_shape, role_at (d, j->first_role)->shape);
    if (p == NULL) {
      guint n;
      char *key = nodes_of_job (d, j, &n);

      p = g_hash_table_lookup (pools, key);
      if (p == NULL) {
        p = g_new0 (Pool, 1);
        *p = (Pool) { g_new0 (double, d->c->n_res), n, 0 };
        g_hash_table_insert (pools, key, p);
        g_ptr_array_add (order, p);
      } else {
        g_free (key);
      }
      g_hash_table_insert (by_shape, (gpointer) role_at (d, j->first_role)->shape, p);
    }
    p->jobs++;
    for (guint dim = 0; dim < d->c->n_res; dim++)
      p->sum[dim] += least_of (d, i, dim);
  }
  for (guint i = 0; i < order->len && order->len > 1; i++) {
    const Pool *p = order->pdata[i];

    for (guint dim = 0; dim < 2 && p->nodes > 0 && p->nodes < d->c->nodes.n_list; dim++)
      if (p->sum[dim] > factor * d->total->v[dim]) {
        g_autofree char *asks = show (d, dim, p->sum[dim]), *limit = show (d, dim, factor * d->total->v[dim]);

        sim_warn_plugin (d->v, "pool-fills-admission", overcommit,
                         "%u jobs that can run on %u of %u nodes only ask for %s, admission stops at %s for the whole cluster: while they wait, jobs for the "
                         "other nodes are not admitted",
                         p->jobs, p->nodes, d->c->nodes.n_list, asks, limit);
        break;
      }
  }
}

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
  check_slack (&d);
  check_unevictable (&d);
  check_elastic (&d);
  check_priority (&d);
  check_states (&d);
  check_pools (&d);
  check_overcommit (&d);
  g_free (d.least);
  g_free (d.jobs_of);
}
