/* sim/validate/validate-queues.c - known ways in which shares, priorities and orders make jobs starve or be evicted in circles. */
#include "validate-private.h"
#include <string.h>

/* ---- what queues want ------------------------------------------------------------------------ */

/* [queue row][dimension] What all pods of its jobs ask for; what its jobs need at once, summed. */
typedef struct { double *all, *least; } Wants;

static void
wants_clear (Wants *w)
{
  g_free (w->all);
  g_free (w->least);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Wants, wants_clear)

static void
sum_up (const Data *d, Wants *w)
{
  guint n_res = d->c->n_res;

  w->all = g_new0 (double, (gsize) d->c->n_queues * n_res + 1);
  w->least = g_new0 (double, (gsize) d->c->n_queues * n_res + 1);
  for (guint k = 0; k < d->f->role->len; k++) {
    const SimFactRole *r = role_at (d, k);
    guint32 queue = job_at (d, r->job)->queue;

    for (guint dim = 0; dim < n_res && queue != VC_NONE; dim++)
      w->all[queue * n_res + dim] += r->count * r->shape->request->v[dim];
  }
  for (guint i = 0; i < d->f->job->len; i++)
    for (guint dim = 0; dim < n_res && job_at (d, i)->queue != VC_NONE; dim++)
      w->least[job_at (d, i)->queue * n_res + dim] += least_of (d, i, dim);
}

static gboolean
reclaims (const Data *d)
{
  return sim_has_action (d->v, "reclaim") || sim_has_action (d->v, "gangreclaim");
}

/* ---- evictions in circles -------------------------------------------------------------------- */

/* Reclaiming is allowed as long as one requested resource is below what the queue deserves. Two queues that want more of one than they deserve, and
 * have plenty of another, take from each other for ever. */
static void
check_slack (Data *d, const Wants *w)
{
  guint32 first = VC_NONE;
  guint n = 0, full = 0, plenty = 0;

  if (!sim_is_asked (d->v, VC_HOOK_RECLAIMABLE, "capacity") || !reclaims (d))
    return;
  for (guint32 i = 0; i < d->c->n_queue_order; i++) {
    guint32 row = d->c->queue_order[i];
    const VcQueue *q = &d->c->queue[row];
    guint over = G_MAXUINT, under = G_MAXUINT;

    for (guint dim = 0; dim < d->c->n_res; dim++) {
      double deserved = q->deserved->v[dim], least = w->least[row * d->c->n_res + dim];

      if (deserved <= 0 || least <= 0)
        continue;
      if (least > deserved)
        over = dim;
      else if (w->all[row * d->c->n_res + dim] < deserved)
        under = dim;
    }
    if (over == G_MAXUINT || under == G_MAXUINT)
      continue;
    if (n++ == 0) {
      first = row;
      full = over;
      plenty = under;
    }
  }
  if (n < 2)
    return;
  const VcQueue *q = &d->c->queue[first];
  double share = q->deserved->v[full] / w->least[first * d->c->n_res + full] * w->all[first * d->c->n_res + plenty];
  g_autofree char *has = sim_data_show (d, plenty, q->deserved->v[plenty]), *fits = sim_data_show (d, plenty, share);
  const char *scarce = vc_res_names_get (d->c->names, full);

  sim_data_warn_queue (d, "slack-in-deserved", first, sim_plugin (d->v, "capacity", NULL),
                       "queue '%s' wants more %s than it deserves and never uses up the %s that it deserves (%s would do): as that stays below, it may evict others' "
                       "pods for %s beyond its share, in turn with %u more such queue%s",
                       q->name, scarce, has, fits, scarce, n - 1, n > 2 ? "s" : "");
}

/* Does the queue want no more than it deserves, and deserve something? */
static gboolean
is_owner (const Data *d, const Wants *w, guint32 row)
{
  gboolean deserves = FALSE;

  for (guint dim = 0; dim < d->c->n_res; dim++) {
    double deserved = d->c->queue[row].deserved->v[dim];

    deserves |= deserved > 0;
    if (deserved > 0 && w->all[row * d->c->n_res + dim] > deserved)
      return FALSE;
  }
  return deserves;
}

static gboolean
borrows (const Data *d, const Wants *w, guint32 row)
{
  for (guint dim = 0; dim < d->c->n_res; dim++)
    if (d->c->queue[row].deserved->v[dim] > 0 && w->all[row * d->c->n_res + dim] > d->c->queue[row].deserved->v[dim])
      return TRUE;
  return FALSE;
}

/* Reclaimed room goes to the first queue in order: back to the borrower, when that has the higher priority. */
static void
check_priority (Data *d, const Wants *w)
{
  const VcPluginOption *capacity = sim_plugin (d->v, "capacity", NULL);
  gint32 lowest = G_MAXINT32;

  if (capacity == NULL || !reclaims (d))
    return;
  for (guint32 i = 0; i < d->c->n_queue_order; i++)
    if (d->jobs_of[d->c->queue_order[i]] > 0 && is_owner (d, w, d->c->queue_order[i]))
      lowest = MIN (lowest, d->c->queue[d->c->queue_order[i]].priority);
  for (guint32 i = 0; i < d->c->n_queue_order; i++) {
    guint32 row = d->c->queue_order[i];
    const VcQueue *q = &d->c->queue[row];

    if (d->jobs_of[row] > 0 && q->priority > lowest && borrows (d, w, row))
      sim_data_warn_queue (d, "priority-on-borrower", row, capacity,
                           "queue '%s' has priority %d and wants more than it deserves: what a queue of lower priority reclaims from it is given to it again, in circles",
                           q->name, q->priority);
  }
}

/* ---- the wrong victims ----------------------------------------------------------------------- */

/* A queue that wants more than its share below a parent that does not: between branches nothing is owed. */
static void
check_cousins (Data *d, const Wants *w)
{
  const VcPluginOption *capacity = sim_plugin (d->v, "capacity", NULL);
  gint64 level = 0;

  if (capacity == NULL || !capacity->on[VC_FLAG_HIERARCHY] || !reclaims (d) || !sim_is_asked (d->v, VC_HOOK_RECLAIMABLE, "capacity"))
    return;
  vc_args_get_int (&capacity->args, "ancestorReclaimLevel", &level);
  for (guint32 i = 0; i < d->c->n_queue_order && level == 0; i++) {
    guint32 row = d->c->queue_order[i], parent = GPOINTER_TO_UINT (g_hash_table_lookup (d->c->queue_rows, d->c->queue[row].parent));

    if (parent == 0 || strcmp (d->c->queue[row].parent, "root") == 0)
      continue;
    for (guint dim = 0; dim < d->c->n_res; dim++) {
      double deserved = d->c->queue[row].deserved->v[dim], above = d->c->queue[parent - 1].deserved->v[dim], family = 0;

      for (guint32 k = 0; k < d->c->n_queue_order; k++)
        if (strcmp (d->c->queue[d->c->queue_order[k]].parent, d->c->queue[row].parent) == 0)
          family += w->all[d->c->queue_order[k] * d->c->n_res + dim];
      if (deserved <= 0 || above <= 0 || w->all[row * d->c->n_res + dim] <= deserved || family > above)
        continue;
      sim_warn_plugin (d->v, "parents-not-asked", capacity,
                       "ancestorReclaimLevel 0: pods of queue '%s', which wants more than its share, are evicted for other branches of the tree even while its parent "
                       "'%s' is within its own",
                       d->c->queue[row].name, d->c->queue[row].parent);
      return;
    }
  }
}

gboolean
sim_gang_above_share (const SimValidation *v)
{
  const SimFacts *f = v->facts;

  for (guint i = 0; i < f->job->len; i++) {
    const SimFactJob *j = &g_array_index (f->job, SimFactJob, i);
    guint32 left = j->min;

    if (j->queue == VC_NONE || j->min < 2)
      continue;
    const VcQueue *q = &f->cluster->queue[j->queue];

    for (guint dim = 0; dim < f->cluster->n_res; dim++) {
      double least = 0;

      left = j->min;
      for (guint32 k = 0; k < j->n_roles && left > 0; k++) {
        const SimFactRole *r = &g_array_index (f->role, SimFactRole, j->first_role + k);
        guint32 n = MIN (left, r->count);

        left -= n;
        least += n * r->shape->request->v[dim];
      }
      if (q->deserved->v[dim] > 0 && least > q->deserved->v[dim])
        return TRUE;
    }
  }
  return FALSE;
}

/* Reclaim goes from node to node: which queue pays depends on where its pods are, and on its priority only among those of one node. */
static void
check_payers (Data *d, const Wants *w)
{
  const VcPluginOption *capacity = sim_plugin (d->v, "capacity", NULL);
  guint32 most = VC_NONE, least = VC_NONE;
  gboolean claimed = FALSE;

  if (capacity == NULL || !reclaims (d) || d->c->nodes.n_list < 2)
    return;
  for (guint32 i = 0; i < d->c->n_queue_order; i++) {
    guint32 row = d->c->queue_order[i];

    if (d->jobs_of[row] == 0)
      continue;
    claimed |= is_owner (d, w, row);
    if (!borrows (d, w, row))
      continue;
    if (most == VC_NONE || d->c->queue[row].priority > d->c->queue[most].priority)
      most = row;
    if (least == VC_NONE || d->c->queue[row].priority < d->c->queue[least].priority)
      least = row;
  }
  if (claimed && most != VC_NONE && d->c->queue[most].priority > d->c->queue[least].priority)
    sim_data_warn_queue (d, "better-queue-pays", most, capacity,
                         "queues '%s' (priority %d) and '%s' (priority %d) both want more than they deserve: the one of lower priority does not pay first when their pods are on "
                         "different nodes (no setting is known that makes it)",
                         d->c->queue[most].name, d->c->queue[most].priority, d->c->queue[least].name, d->c->queue[least].priority);
}

/* Reclaim counts amounts; what else keeps the pod from the node, it does not ask. */
static void
check_constraints (Data *d)
{
  if (!reclaims (d) || d->n_busy < 2)
    return;
  for (guint i = 0; i < d->f->role->len; i++) {
    const VcPodSpec *s = &role_at (d, i)->shape->spec;
    const char *what = s->anti_affinity.n_required > 0 ? "anti-affinity" : "affinity";

    if (s->affinity.n_required + s->anti_affinity.n_required == 0)
      continue;
    sim_warn_action (d->v, "reclaims-for-unplaceable", sim_has_action (d->v, "reclaim") ? "reclaim" : "gangreclaim", 0,
                     "pods of job '%s' have a required %s to other pods, which '%s' does not look at: it may evict for one of them on a node that cannot take it then",
                     job_at (d, role_at (d, i)->job)->name, what, sim_has_action (d->v, "reclaim") ? "reclaim" : "gangreclaim");
    return;
  }
}

/* ---- shares ---------------------------------------------------------------------------------- */

/* All leaves together deserve more than there is: a claim within its share may find nothing that others do not deserve. */
static void
check_promises (Data *d)
{
  const VcPluginOption *capacity = sim_plugin (d->v, "capacity", NULL);

  if (capacity == NULL || !reclaims (d))
    return;
  for (guint dim = 0; dim < d->c->n_res; dim++) {
    double sum = 0;
    guint32 most = VC_NONE;

    for (guint32 i = 0; i < d->c->n_queue_order; i++) {
      guint32 row = d->c->queue_order[i];
      gboolean inner = FALSE;

      for (guint32 k = 0; k < d->c->n_queue_order && !inner; k++)
        inner = strcmp (d->c->queue[d->c->queue_order[k]].parent, d->c->queue[row].name) == 0;
      if (inner)
        continue;
      sum += d->c->queue[row].deserved->v[dim];
      if (most == VC_NONE || d->c->queue[row].deserved->v[dim] > d->c->queue[most].deserved->v[dim])
        most = row;
    }
    if (d->total->v[dim] <= 0 || vc_le (sum, d->total->v[dim]))
      continue;
    g_autofree char *all = sim_data_show (d, dim, sum), *has = sim_data_show (d, dim, d->total->v[dim]);

    sim_data_warn_queue (d, "shares-beyond-cluster", most, capacity,
                         "all queues together deserve %s, the cluster has %s: a gang within its queue's share may wait for ever for what another queue deserves, too", all, has);
  }
}

/* The largest amount that one job of the queue needs at once. */
static double
largest (const Data *d, guint32 row, guint dim)
{
  double most = 0;

  for (guint i = 0; i < d->f->job->len; i++)
    if (job_at (d, i)->queue == row)
      most = MAX (most, least_of (d, i, dim));
  return most;
}

/* Two queues whose jobs are both larger than what each gets when both are busy run nobody; when that is so for every queue, nobody is sure to run. */
static void
check_every_share (Data *d)
{
  const VcPluginOption *proportion = sim_plugin (d->v, "proportion", NULL);

  if (proportion == NULL || sim_has_action (d->v, "enqueue") || d->n_busy < 2) /* admission lets one after the other in */
    return;
  for (guint dim = 0; dim < d->c->n_res; dim++) {
    guint stuck = 0;

    for (guint32 i = 0; i < d->c->n_queue_order; i++) {
      guint32 a = d->c->queue_order[i];
      gboolean blocked = FALSE;

      for (guint32 k = 0; k < d->c->n_queue_order && d->jobs_of[a] > 0 && !blocked; k++) {
        guint32 b = d->c->queue_order[k];
        double weights = (double) d->c->queue[a].weight + d->c->queue[b].weight;

        if (b == a || d->jobs_of[b] == 0 || weights <= 0 || largest (d, b, dim) <= 0)
          continue;
        double share = d->total->v[dim] * d->c->queue[a].weight / weights;

        blocked = !vc_le (largest (d, a, dim), share) && vc_le (largest (d, a, dim), d->total->v[dim]) && !vc_le (largest (d, a, dim) + largest (d, b, dim), d->total->v[dim]);
      }
      stuck += blocked;
    }
    if (stuck < d->n_busy)
      continue;
    sim_warn_plugin (d->v, "jobs-above-every-share", proportion,
                     "every queue has a job that needs more %s at once than it gets beside another busy queue: none of them starts, and the room stays idle (weights that "
                     "give one queue enough, capacity, or the action enqueue)",
                     vc_res_names_get (d->c->names, dim));
    return;
  }
}

/* What the queue gets of a dimension while all queues with jobs are busy. */
static double
share_of (const Data *d, guint32 row, guint dim)
{
  double weights = 0;

  for (guint32 i = 0; i < d->c->n_queue_order; i++)
    weights += d->jobs_of[d->c->queue_order[i]] > 0 ? d->c->queue[d->c->queue_order[i]].weight : 0;
  return weights > 0 ? d->total->v[dim] * d->c->queue[row].weight / weights : 0;
}

/* Of the jobs of a queue: the one with the highest priority, alone with it (job G_MAXUINT: none is), and the highest priority. */
typedef struct { guint job; gint64 priority; } Top;

static Top *
find_tops (const Data *d)
{
  Top *top = g_new (Top, d->c->n_queues + 1);

  for (guint i = 0; i <= d->c->n_queues; i++)
    top[i] = (Top) { G_MAXUINT, G_MININT64 };
  for (guint i = 0; i < d->f->job->len; i++) {
    const SimFactJob *j = job_at (d, i);
    Top *t = j->queue != VC_NONE ? &top[j->queue] : NULL;

    if (t != NULL && j->priority >= t->priority)
      *t = (Top) { j->priority > t->priority ? i : G_MAXUINT, j->priority };
  }
  return top;
}

/* Another queue that wants more than its share, of jobs that are all below @priority; VC_NONE. */
static guint32
lesser_queue (const Data *d, const Wants *w, const Top *top, guint32 own, guint dim, gint64 priority)
{
  for (guint32 i = 0; i < d->c->n_queue_order; i++) {
    guint32 row = d->c->queue_order[i];

    if (row != own && d->jobs_of[row] > 0 && w->least[row * d->c->n_res + dim] > share_of (d, row, dim) && top[row].priority < priority)
      return row;
  }
  return VC_NONE;
}

/* Priorities of jobs count inside a queue. The first job of a queue that others use up waits behind lesser jobs of other queues. */
static void
check_lesser_jobs (Data *d, const Wants *w)
{
  g_autofree Top *top = find_tops (d);

  if (sim_plugin (d->v, "proportion", NULL) == NULL || !sim_is_asked (d->v, VC_HOOK_JOB_ORDER, "priority") || sim_has_action (d->v, "preempt") || sim_has_action (d->v, "gangpreempt"))
    return;
  for (guint32 k = 0; k < d->c->n_queue_order; k++) {
    guint32 row = d->c->queue_order[k];

    for (guint dim = 0; dim < d->c->n_res && top[row].job != G_MAXUINT; dim++) {
      const SimFactJob *j = job_at (d, top[row].job);

      if (d->jobs_of[row] < 2 || least_of (d, top[row].job, dim) <= 0 || vc_le (w->least[row * d->c->n_res + dim], share_of (d, row, dim)))
        continue;
      guint32 other = lesser_queue (d, w, top, row, dim, j->priority);

      if (other == VC_NONE)
        continue;
      sim_warn (d->v, "priority-across-queues", j->file, j->line, 1,
                "job '%s' (priority %" G_GINT64_FORMAT ") is in queue '%s', which wants more %s than its share: once others of it hold that, it waits behind every job of queue "
                "'%s' (priority %" G_GINT64_FORMAT " at most), as priorities count inside a queue only (give it a queue of its own with a large weight)",
                j->name, j->priority, d->c->queue[row].name, vc_res_names_get (d->c->names, dim), d->c->queue[other].name, top[other].priority);
      break;
    }
  }
}

/* ---- orders ---------------------------------------------------------------------------------- */

/* A gang may lose single pods to a job of higher priority, and drf then serves smaller jobs before it is whole again. */
static void
check_drf (Data *d)
{
  const VcPluginOption *drf = sim_plugin (d->v, "drf", NULL);

  if (drf == NULL || !sim_is_asked (d->v, VC_HOOK_JOB_ORDER, "drf") || !sim_has_action (d->v, "preempt") || sim_is_asked (d->v, VC_HOOK_PREEMPTABLE, "gang"))
    return;
  for (guint i = 0; i < d->f->job->len; i++) {
    const SimFactJob *gang = job_at (d, i);
    gboolean loses = FALSE, passed = FALSE;

    if (gang->min < 2 || gang->min < gang->pods || !gang->preemptable)
      continue;
    for (guint k = 0; k < d->f->job->len; k++) {
      const SimFactJob *o = job_at (d, k);
      gboolean smaller = FALSE, larger = FALSE;

      if (k == i || o->queue != gang->queue)
        continue;
      for (guint dim = 0; dim < d->c->n_res; dim++) {
        smaller |= least_of (d, k, dim) < least_of (d, i, dim);
        larger |= least_of (d, k, dim) > least_of (d, i, dim);
      }
      loses |= o->priority > gang->priority;
      passed |= o->priority <= gang->priority && smaller && !larger;
    }
    if (!loses || !passed)
      continue;
    sim_warn_plugin (d->v, "drf-before-gangs", drf,
                     "gang '%s' may lose single pods to jobs of higher priority, and drf serves smaller jobs before it completes the gang again: it may stay below its "
                     "minimum (leave out drf, or enableJobOrder: false)",
                     gang->name);
    return;
  }
}

/* Can the pods of the job be placed when each goes, in the order of the tasks, to the node with the most room left (as leastrequested does), or, with
 * @largest_first, the large ones first to the fullest node that takes them? */
static gboolean
places_all (const Data *d, const SimFactJob *j, gboolean largest_first)
{
  const VcNodes *nodes = &d->c->nodes;
  guint n_res = d->c->n_res;
  g_autofree double *room = g_new0 (double, (gsize) nodes->n_list * n_res + 1);
  g_autofree gboolean *done = g_new0 (gboolean, j->n_roles + 1);

  for (guint32 i = 0; i < nodes->n_list; i++)
    memcpy (room + (gsize) i * n_res, nodes->info[nodes->list[i]].allocatable->v, n_res * sizeof (double));
  for (guint32 step = 0; step < j->n_roles; step++) {
    guint32 role = step;

    for (guint32 k = 0; largest_first && k < j->n_roles; k++)
      if (!done[k] && (done[role] || role_at (d, j->first_role + k)->shape->request->v[VC_RES_CPU] > role_at (d, j->first_role + role)->shape->request->v[VC_RES_CPU]))
        role = k;
    done[role] = TRUE;
    const SimFactRole *r = role_at (d, j->first_role + role);

    for (guint32 pod = 0; pod < r->count; pod++) {
      guint32 best = VC_NONE;
      double best_left = 0;

      for (guint32 i = 0; i < nodes->n_list; i++) {
        double *idle = room + (gsize) i * n_res, left = idle[VC_RES_CPU];
        gboolean fits = sim_data_node_takes (d, r->shape, nodes->list[i]);

        for (guint dim = 0; dim < n_res && fits; dim++)
          fits = vc_le (r->shape->request->v[dim], idle[dim]);
        if (fits && (best == VC_NONE || (largest_first ? left < best_left : left > best_left))) {
          best = i;
          best_left = left;
        }
      }
      if (best == VC_NONE)
        return FALSE;
      for (guint dim = 0; dim < n_res; dim++)
        room[(gsize) best * n_res + dim] -= r->shape->request->v[dim];
    }
  }
  return TRUE;
}

/* Gangs of few tasks only: the look is not for nothing. */
static void
check_greedy (Data *d)
{
  const VcPluginOption *binpack = sim_plugin (d->v, "binpack", NULL), *nodeorder = sim_plugin (d->v, "nodeorder", NULL);
  Many m = { .code = "small-pods-first" };
  double spreads = nodeorder != NULL && nodeorder->on[VC_FLAG_NODE_ORDER] ? sim_plugin_float (nodeorder, "leastrequested.weight", 1) : 0;
  double packs = binpack != NULL && binpack->on[VC_FLAG_NODE_ORDER] ? sim_plugin_float (binpack, "binpack.weight", 1) : 0;

  if (spreads <= 0 || packs > 5 * spreads)
    return;
  for (guint i = 0; i < d->f->job->len; i++) {
    const SimFactJob *j = job_at (d, i);

    if (j->n_roles < 2 || j->n_roles > 16 || j->pods > 256 || j->min < j->pods || places_all (d, j, FALSE) || !places_all (d, j, TRUE))
      continue;
    if (many (&m, j))
      sim_warn (d->v, m.code, j->file, j->line, 1,
                "job '%s' fits the empty cluster, but not when its pods are spread in the order of its tasks: the first ones take the nodes that only the later ones "
                "need (list the largest task first, or binpack.weight above leastrequested)",
                j->name);
  }
  many_end (d, &m, "do not fit in the order of their tasks");
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
    gboolean takes = sim_data_node_takes (d, role_at (d, j->first_role)->shape, nodes->list[i]);

    text[i] = takes ? '1' : '0';
    *n += takes;
  }
  text[nodes->n_list] = '\0';
  return text;
}

typedef struct { double *sum, *most; guint nodes, jobs; } Pool; /* sum of what its jobs need at once; the most of one of them */

static void
pool_free (gpointer p)
{
  g_free (((Pool *) p)->sum);
  g_free (((Pool *) p)->most);
  g_free (p);
}

/* What the largest job of another pool needs. */
static double
least_elsewhere (const Data *d, const GPtrArray *pools, guint own, guint dim)
{
  double most = 0;

  for (guint i = 0; i < pools->len; i++)
    if (i != own)
      most = MAX (most, ((const Pool *) pools->pdata[i])->most[dim]);
  return most;
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
  gboolean bounded = sim_is_asked (d->v, VC_HOOK_JOB_ENQUEUEABLE, "proportion") || sim_is_asked (d->v, VC_HOOK_JOB_ENQUEUEABLE, "capacity");
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
        *p = (Pool) { .sum = g_new0 (double, d->c->n_res), .most = g_new0 (double, d->c->n_res), .nodes = n };
        g_hash_table_insert (pools, key, p);
        g_ptr_array_add (order, p);
      } else {
        g_free (key);
      }
      g_hash_table_insert (by_shape, (gpointer) role_at (d, j->first_role)->shape, p);
    }
    p->jobs++;
    for (guint dim = 0; dim < d->c->n_res; dim++) {
      p->sum[dim] += least_of (d, i, dim);
      p->most[dim] = MAX (p->most[dim], least_of (d, i, dim));
    }
  }
  for (guint i = 0; i < order->len && order->len > 1; i++) {
    const Pool *p = order->pdata[i];

    for (guint dim = 0; dim < 2 && p->nodes > 0 && p->nodes < d->c->nodes.n_list; dim++) {
      /* a plugin of queues that votes, too, admits no more of a queue than the cluster has */
      double counts = bounded ? MIN (p->sum[dim], d->total->v[dim]) : p->sum[dim];

      if (p->sum[dim] > d->total->v[dim] && counts + least_elsewhere (d, order, i, dim) > factor * d->total->v[dim]) {
        g_autofree char *asks = sim_data_show (d, dim, p->sum[dim]), *limit = sim_data_show (d, dim, factor * d->total->v[dim]);

        sim_warn_plugin (d->v, "pool-fills-admission", overcommit,
                         "%u jobs that can run on %u of %u nodes only ask for %s, admission stops at %s for the whole cluster: while they wait, jobs for the "
                         "other nodes are not admitted",
                         p->jobs, p->nodes, d->c->nodes.n_list, asks, limit);
        break;
      }
    }
  }
}

/* ---- all of it ------------------------------------------------------------------------------ */

void
sim_check_queues (Data *d)
{
  g_auto (Wants) w = { 0 };

  sum_up (d, &w);
  check_slack (d, &w);
  check_priority (d, &w);
  check_cousins (d, &w);
  check_payers (d, &w);
  check_constraints (d);
  check_promises (d);
  check_every_share (d);
  check_lesser_jobs (d, &w);
  check_drf (d);
  check_greedy (d);
  check_pools (d);
}
