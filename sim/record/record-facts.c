/* sim/record/record-facts.c - rows about what was asked and given rather than what happened: who was evicted for whom, what queues are given, what jobs
 * ask for. The diagnoses of `volsim explain` rest on them. Nodes and shapes are those of the first scheduler's view. */
#include "ledger.h"
#include "record.h"
#include "core/cache/cache.h"
#include "sim/controllers/kinds.h"
#include "sim/world/views.h"
#include <string.h>

/* ---- evictions ------------------------------------------------------------------------------ */

void
sim_record_eviction (SimWorld *w, guint32 pod, const char *action, guint32 for_pod)
{
  const SimPod *p = &w->pod[pod];
  const SimJob *j = &w->job[p->job], *f = for_pod != SIM_NONE ? &w->job[w->pod[for_pod].job] : NULL;
  const SimRole *role = &w->role[p->role];
  RpEviction row = { .time = w->now,
                     .action = action,
                     .ns = j->ns,
                     .job = j->name,
                     .queue = w->queue[j->queue].name,
                     .task = role->name,
                     .index = role->first_index + p->index,
                     .attempt = p->attempt,
                     .node = p->node != SIM_NONE ? w->node[p->node].name : "",
                     .ran = p->running != SIM_NO_TIME ? w->now - p->running : RP_NONE,
                     .for_ns = f != NULL ? f->ns : "",
                     .for_job = f != NULL ? f->name : "",
                     .for_queue = f != NULL ? w->queue[f->queue].name : "",
                     .frees = role->shape->request->v };

  rp_results_eviction (sim_record_results (w->record), &row);
}

/* ---- queues --------------------------------------------------------------------------------- */

void
sim_record_quota (SimWorld *w, guint32 queue)
{
  const SimQueue *q = &w->queue[queue];

  if (w->record == NULL || q->row == VC_NONE)
    return;
  const VcQueue *v = &w->cluster->queue[q->row];
  RpQuota row = { .time = w->now,
                  .queue = q->name,
                  .parent = v->parent,
                  .weight = v->weight,
                  .priority = v->priority,
                  .reclaimable = v->reclaimable,
                  .capability = v->capability->v,
                  .guarantee = v->guarantee->v,
                  .deserved = v->deserved->v };

  rp_results_quota (sim_record_results (w->record), &row);
}

/* ---- pools: which nodes selectors and taints leave to pods ------------------------------------ */

struct SimPools {
  GHashTable *of_shape;   /* VcShape → pool + 1; for look-ups only */
  GHashTable *of_nodes;   /* "0110" → pool + 1, by the nodes that were there */
  const VcShape *shape[RP_MAX_POOLS]; /* one that uses it */
  guint n;
};

SimPools *
sim_pools_new (void)
{
  SimPools *p = g_new0 (SimPools, 1);

  p->of_shape = g_hash_table_new (NULL, NULL);
  p->of_nodes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return p;
}

void
sim_pools_free (SimPools *p)
{
  if (p == NULL)
    return;
  g_hash_table_unref (p->of_shape);
  g_hash_table_unref (p->of_nodes);
  g_free (p);
}

static gboolean
may_use (const VcShape *s, const VcNodeFacts *node)
{
  return vc_node_affinity_matches (s, node) && vc_tolerates_node (s, node);
}

static guint32
pool_of (SimPools *p, const VcCluster *c, const VcShape *s)
{
  guint32 pool = GPOINTER_TO_UINT (g_hash_table_lookup (p->of_shape, s));

  if (pool > 0)
    return pool - 1;
  const VcNodes *nodes = &c->nodes;
  g_autofree char *key = g_malloc (nodes->n_list + 1);

  for (guint32 i = 0; i < nodes->n_list; i++)
    key[i] = may_use (s, &nodes->info[nodes->list[i]].facts) ? '1' : '0';
  key[nodes->n_list] = '\0';
  pool = GPOINTER_TO_UINT (g_hash_table_lookup (p->of_nodes, key));
  if (pool == 0 && p->n < RP_MAX_POOLS) {
    p->shape[p->n++] = s;
    pool = p->n;
    g_hash_table_insert (p->of_nodes, g_steal_pointer (&key), GUINT_TO_POINTER (pool));
  }
  if (pool == 0)
    return RP_NO_POOL;
  g_hash_table_insert (p->of_shape, (gpointer) s, GUINT_TO_POINTER (pool));
  return pool - 1;
}

static guint32
pool_of_job (const SimWorld *w, const SimJob *j)
{
  guint32 pool = RP_NO_POOL;

  for (guint32 k = 0; k < j->n_roles; k++) {
    guint32 own = pool_of (sim_record_pools (w->record), w->view[0].cluster, w->role[j->first_role + k].shape);

    if (k > 0 && own != pool)
      return RP_NO_POOL;
    pool = own;
  }
  return pool;
}

void
sim_record_nodes (SimWorld *w)
{
  const SimPools *p = sim_record_pools (w->record);

  for (guint32 i = 0; i < w->n_nodes; i++) {
    if (w->node[i].row == VC_NONE)
      continue; /* it never came */
    const VcNode *info = &w->view[0].cluster->nodes.info[w->node[i].row];
    RpNode row = { .node = w->node[i].name, .capacity = info->allocatable->v };

    for (guint k = 0; k < p->n; k++)
      row.pools |= (guint64) may_use (p->shape[k], &info->facts) << k;
    rp_results_node (sim_record_results (w->record), &row);
  }
}

/* ---- jobs ----------------------------------------------------------------------------------- */

/* Pods of each role that the job cannot start without: the minima of its roles, then the roles in their order. */
static void
gang_of (const SimWorld *w, const SimJob *j, guint32 *count)
{
  guint32 left = (guint32) MAX (j->min_available, 0);

  for (guint32 k = 0; k < j->n_roles; k++) {
    const SimRole *r = &w->role[j->first_role + k];
    guint32 least = MIN ((guint32) MAX (r->min_available, 0), r->replicas);

    count[k] = MIN (least < r->replicas ? least : 0, left);
    left -= count[k];
  }
  for (guint32 k = 0; k < j->n_roles; k++) {
    guint32 more = MIN (w->role[j->first_role + k].replicas - count[k], left);

    count[k] += more;
    left -= more;
  }
}

typedef struct { guint32 role, pods; double share; } Part;

/* The largest pods first; equal ones in the order of their roles. */
static int
by_share (gconstpointer a, gconstpointer b)
{
  const Part *l = a, *r = b;

  return l->share > r->share ? -1 : l->share < r->share ? 1 : l->role < r->role ? -1 : l->role > r->role;
}

/* How many pods of the shape the rest of the node holds, at most @enough. */
static guint32
fit_on (const SimWorld *w, const VcShape *s, guint32 node, const double *room, guint32 enough)
{
  const VcNodeFacts *facts = &w->view[0].cluster->nodes.info[node].facts;
  double most = enough;

  if (!may_use (s, facts) || (facts->unschedulable && !vc_tolerates_unschedulable (s)))
    return 0;
  for (guint64 left = s->dims; left != 0; left &= left - 1) {
    guint dim = (guint) __builtin_ctzll (left);
    double asks = s->request->v[dim];

    if (asks > 0)
      most = MIN (most, (room[dim] + VC_RES_EPSILON) / asks);
  }
  return most >= 1 ? (guint32) most : 0;
}

/* Places that an empty cluster has for the gang: the largest pods first, each node filled before the next one is begun, the fullest that still
 * takes one before the others. */
static guint32
places_for (const SimWorld *w, const SimJob *j, const guint32 *count)
{
  const VcNodes *nodes = &w->view[0].cluster->nodes;
  const VcRes *total = vc_cluster_total (w->view[0].cluster);
  g_autofree double *room = g_new0 (double, (gsize) nodes->n_list * w->n_res + 1);
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (Part));
  guint32 placed = 0;

  for (guint32 i = 0; i < nodes->n_list; i++)
    memcpy (room + (gsize) i * w->n_res, nodes->info[nodes->list[i]].allocatable->v, w->n_res * sizeof (double));
  for (guint32 k = 0; k < j->n_roles; k++) {
    const VcRes *request = w->role[j->first_role + k].shape->request;
    Part part = { j->first_role + k, count[k], 0 };

    for (guint d = 0; d < w->n_res; d++)
      if (total->v[d] > 0)
        part.share = MAX (part.share, request->v[d] / total->v[d]);
    if (part.pods > 0)
      g_array_append_val (parts, part);
  }
  g_array_sort (parts, by_share);
  for (guint i = 0; i < parts->len; i++) {
    Part *part = &g_array_index (parts, Part, i);
    const VcShape *s = w->role[part->role].shape;

    while (part->pods > 0) {
      guint32 best = VC_NONE, takes = 0;

      for (guint32 n = 0; n < nodes->n_list; n++) {
        guint32 fits = fit_on (w, s, nodes->list[n], room + (gsize) n * w->n_res, part->pods);

        if (fits > 0 && (best == VC_NONE || fits < takes)) {
          best = n;
          takes = fits;
        }
        if (best != VC_NONE && takes == 1)
          break;
      }
      if (best == VC_NONE)
        break;
      for (guint d = 0; d < w->n_res; d++)
        room[(gsize) best * w->n_res + d] -= takes * s->request->v[d];
      part->pods -= takes;
      placed += takes;
    }
  }
  return placed;
}

/* May any of its pods be evicted? As sim/world/pod-object.c dresses them: what the job says goes before what its tasks say. */
static gboolean
may_be_evicted (const SimWorld *w, const SimJob *j)
{
  static const char key[] = "volcano.sh/preemptable";
  static const VcPairs nothing = { NULL, 0 };
  const VcPairs *notes = j->spec != NULL ? &j->spec->annotations : &nothing, *labels = j->spec != NULL ? &j->spec->labels : &nothing;

  if (j->preemptable >= 0)
    return j->preemptable != 0;
  for (guint k = 0; k < j->n_roles; k++) {
    const SimRole *role = &w->role[j->first_role + k];
    const VcPairs *own_notes = role->spec != NULL ? &role->spec->annotations : &nothing, *own_labels = role->spec != NULL ? &role->spec->labels : &nothing;

    if (vc_cache_read_preemptable (vc_pairs_get (notes, key) != NULL ? notes : own_notes, vc_pairs_get (labels, key) != NULL ? labels : own_labels, TRUE))
      return TRUE;
  }
  return j->n_roles == 0;
}

void
sim_record_asks (const SimWorld *w, guint32 job, RpJob *row, double *pod, double *least)
{
  const SimJob *j = &w->job[job];
  g_autofree guint32 *count = g_new0 (guint32, j->n_roles + 1);

  memset (pod, 0, w->n_res * sizeof (double));
  memset (least, 0, w->n_res * sizeof (double));
  gang_of (w, j, count);
  for (guint32 k = 0; k < j->n_roles; k++) {
    const double *request = w->role[j->first_role + k].shape->request->v;

    for (guint d = 0; d < w->n_res; d++) {
      pod[d] = MAX (pod[d], request[d]);
      least[d] += count[k] * request[d];
    }
  }
  row->priority = j->priority;
  row->preemptable = may_be_evicted (w, j);
  row->pod = pod;
  row->least = least;
  row->pool = j->rejected ? RP_NO_POOL : pool_of_job (w, j);
  row->cause = row->by = "";
  sim_ledger_last (w, job, row);
  row->places = j->gang_start != SIM_NO_TIME || j->rejected ? row->min_available : places_for (w, j, count);
}
