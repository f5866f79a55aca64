/* sim/record/placement.c - see placement.h. */
#include "placement.h"
#include "sim/world/hyper-nodes.h"
#include "sim/world/views.h"
#include <math.h>
#include <string.h>

guint32
sim_rack_of (const VcHyperView *v, guint32 node)
{
  guint32 best = VC_HYPER_ROOT;

  for (guint32 k = v->holder_at[node]; k < v->holder_at[node + 1]; k++) /* by name */
    if (v->hyper[v->holder[k]].tier < v->hyper[best].tier)
      best = v->holder[k];
  return best;
}

/* ---- what a gang spans ---------------------------------------------------------------------------- */

/* Pods of a job on one node, or on one rack; rack VC_HYPER_ROOT: a node that no HyperNode holds, and counts for itself. */
typedef struct { guint32 rack, node, pods; } Place;

static int
by_rack (gconstpointer a, gconstpointer b)
{
  const Place *l = a, *r = b;

  if (l->rack != r->rack)
    return l->rack < r->rack ? -1 : 1;
  return l->node < r->node ? -1 : l->node > r->node;
}

/* Nodes of the pods that are bound, and neither finished nor being deleted. */
static GArray *
nodes_of_job (const SimWorld *w, const VcHyperView *v, guint32 job)
{
  const SimJob *j = &w->job[job];
  GArray *places = g_array_new (FALSE, FALSE, sizeof (Place));
  guint n = 0;

  for (guint32 k = 0; k < j->n_roles; k++) {
    const SimRole *role = &w->role[j->first_role + k];

    for (guint32 i = 0; i < role->n_slots; i++) {
      const guint32 pod = sim_role_pod (role, i);
      const SimPod *p = pod != SIM_NONE ? &w->pod[pod] : NULL;

      if (p == NULL || p->node == SIM_NONE || p->deleting || p->phase == SIM_POD_SUCCEEDED || p->phase == SIM_POD_FAILED)
        continue;
      const guint32 row = w->node[p->node].row;
      Place one = { row != VC_NONE ? sim_rack_of (v, row) : VC_HYPER_ROOT, row, 1 };

      g_array_append_val (places, one);
    }
  }
  g_array_sort (places, by_rack);
  for (guint i = 0; i < places->len; i++) { /* equal nodes are neighbours */
    Place *last = n > 0 ? &g_array_index (places, Place, n - 1) : NULL;

    if (last != NULL && last->node == g_array_index (places, Place, i).node)
      last->pods++;
    else
      g_array_index (places, Place, n++) = g_array_index (places, Place, i);
  }
  g_array_set_size (places, n);
  return places;
}

/* The HyperNode of the lowest tier, the first by name, that holds all nodes. */
static guint32
smallest_holder (const VcHyperView *v, const GArray *places)
{
  const guint32 first = g_array_index (places, Place, 0).node;
  guint32 best = VC_HYPER_ROOT;

  if (first == VC_NONE)
    return best;
  for (guint32 k = v->holder_at[first]; k < v->holder_at[first + 1]; k++) {
    const guint32 hyper = v->holder[k];
    gboolean all = v->hyper[hyper].tier < v->hyper[best].tier;

    for (guint i = 1; i < places->len && all; i++)
      all = g_array_index (places, Place, i).node != VC_NONE && vc_hyper_holds (v, hyper, g_array_index (places, Place, i).node);
    if (all)
      best = hyper;
  }
  return best;
}

/* Nodes to racks: entries of one rack become one. */
static void
merge_racks (GArray *places)
{
  guint n = 0;

  for (guint i = 0; i < places->len; i++) {
    const Place *p = &g_array_index (places, Place, i);
    Place *last = n > 0 ? &g_array_index (places, Place, n - 1) : NULL;

    if (last != NULL && p->rack != VC_HYPER_ROOT && last->rack == p->rack)
      last->pods += p->pods;
    else
      g_array_index (places, Place, n++) = *p;
  }
  g_array_set_size (places, n);
}

static double
cost_of (const VcHyperView *v, const GArray *racks)
{
  const gint64 lowest = v->tier[0].tier;
  double sum = 0, pods = 0;

  for (guint i = 0; i < racks->len; i++) {
    const Place *a = &g_array_index (racks, Place, i);

    pods += a->pods;
    for (guint k = i + 1; k < racks->len; k++) {
      const Place *b = &g_array_index (racks, Place, k);
      const gint64 apart = v->hyper[vc_hyper_lca (v, a->rack, b->rack)].tier - lowest;

      sum += (double) a->pods * (double) b->pods * (double) MAX (apart, 0);
    }
  }
  return pods > 1 ? sum / (pods * (pods - 1) / 2) : (double) NAN;
}

void
sim_placement_gang_started (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];
  VcCluster *c = w->view[0].cluster;

  if (!vc_hyper_nodes_any (c->hyper) || !vc_hyper_nodes_ready (c->hyper))
    return;
  const VcHyperView *v = vc_hyper_nodes_view (c->hyper, c);
  g_autoptr (GArray) places = nodes_of_job (w, v, job);

  if (places->len == 0)
    return;
  const VcHyperNode *h = &v->hyper[smallest_holder (v, places)];
  const VcHyperNodeObject *o = sim_hyper_node_find (w, h->name);

  merge_racks (places);
  if (j->spread == NULL)
    j->spread = g_new (SimSpread, 1);
  *j->spread = (SimSpread){ .hyper_node = g_string_chunk_insert_const (w->text, h->name),
                            .tier_name = g_string_chunk_insert_const (w->text, o != NULL && o->tier_name != NULL ? o->tier_name : ""),
                            .tier = h->tier,
                            .racks = places->len,
                            .cost = cost_of (v, places) };
}

/* ---- racks over time ------------------------------------------------------------------------------ */

typedef struct {
  guint32 hyper;              /* row in the view, VC_HYPER_ROOT: nodes that no HyperNode holds */
  const char *name, *within;  /* interned in the world; name NULL as above */
  gint64 tier;
  guint32 first, n_nodes;     /* in SimRacks.node */
  gboolean stale;
  /* of its last row */
  gboolean written;
  const char *said_within;
  gint64 said_tier;
  guint32 said_nodes;
  double *said;               /* [2 n_res] capacity, allocated */
} Rack;

struct SimRacks {
  SimWorld *w;
  RpResults *results;
  GHashTable *by_name;        /* interned name → place + 1; "" for none */
  GArray *rack;               /* Rack, by first appearance */
  guint32 version, epoch;     /* of the view and of the nodes' change log */
  gsize pos;                  /* in the log */
  guint32 *rack_of, *node;    /* [rows of nodes]: place of its rack; nodes by name, rack after rack */
  double *sum;                /* [2 n_res] scratch */
};

static inline Rack *
rack_at (const SimRacks *r, guint i)
{
  return &g_array_index (r->rack, Rack, i);
}

SimRacks *
sim_racks_new (SimWorld *w, RpResults *results)
{
  SimRacks *r = g_new0 (SimRacks, 1);

  r->w = w;
  r->results = results;
  r->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  r->rack = g_array_new (FALSE, TRUE, sizeof (Rack));
  r->sum = g_new0 (double, 2 * w->n_res);
  return r;
}

void
sim_racks_free (SimRacks *r)
{
  if (r == NULL)
    return;
  for (guint i = 0; i < r->rack->len; i++)
    g_free (rack_at (r, i)->said);
  g_array_unref (r->rack);
  g_hash_table_unref (r->by_name);
  g_free (r->rack_of);
  g_free (r->node);
  g_free (r->sum);
  g_free (r);
}

gboolean
sim_racks_possible (const SimWorld *w)
{
  if (w->n_topology_types > 0)
    return TRUE;
  for (guint i = 0; w->objects != NULL && i < w->objects->objects->len; i++)
    if (((const WlObject *) w->objects->objects->pdata[i])->kind == WL_OBJECT_HYPER_NODE)
      return TRUE;
  return FALSE;
}

/* Place of the rack, which is new or known by its name: rows of HyperNodes do not outlive the scheduler's process. */
static guint32
place_of (SimRacks *r, const VcHyperView *v, guint32 hyper)
{
  const char *name = hyper != VC_HYPER_ROOT ? v->hyper[hyper].name : "";
  guint32 place = GPOINTER_TO_UINT (g_hash_table_lookup (r->by_name, name));

  if (place == 0) {
    Rack fresh = { .hyper = hyper, .name = hyper != VC_HYPER_ROOT ? g_string_chunk_insert_const (r->w->text, name) : NULL };

    g_array_append_val (r->rack, fresh);
    place = r->rack->len;
    g_hash_table_insert (r->by_name, (gpointer) (fresh.name != NULL ? fresh.name : ""), GUINT_TO_POINTER (place));
  }
  return place - 1;
}

/* HyperNodes above, from the top; their parent links may run in a circle while they make no tree. */
static const char *
path_above (const SimRacks *r, const VcHyperView *v, guint32 hyper)
{
  g_autoptr (GString) path = g_string_new (NULL);
  guint32 x = hyper != VC_HYPER_ROOT ? v->hyper[hyper].parent : VC_HYPER_NONE;

  for (guint i = 0; x != VC_HYPER_NONE && x != VC_HYPER_ROOT && i < v->n; x = v->hyper[x].parent, i++) {
    if (path->len > 0)
      g_string_prepend_c (path, '/');
    g_string_prepend (path, v->hyper[x].name);
  }
  return g_string_chunk_insert_const (r->w->text, path->str);
}

/* Whose rack is which: after a change of the tree or of the list of nodes. */
static void
sort_nodes (SimRacks *r, const VcHyperView *v)
{
  VcCluster *c = r->w->view[0].cluster;
  const guint32 *by_name = vc_cluster_nodes_by_name (c);
  g_autofree guint32 *at = NULL;

  r->rack_of = g_renew (guint32, r->rack_of, c->nodes.n + 1);
  r->node = g_renew (guint32, r->node, c->nodes.n_list + 1);
  for (guint i = 0; i < r->rack->len; i++) {
    rack_at (r, i)->n_nodes = 0;
    rack_at (r, i)->stale = TRUE;
  }
  for (guint32 i = 0; i < c->nodes.n; i++)
    r->rack_of[i] = SIM_NONE;
  for (guint32 i = 0; i < c->nodes.n_list; i++) {
    const guint32 hyper = sim_rack_of (v, by_name[i]), place = place_of (r, v, hyper);
    Rack *k = rack_at (r, place);

    r->rack_of[by_name[i]] = place;
    k->hyper = hyper;
    k->stale = TRUE;
    k->n_nodes++;
  }
  at = g_new (guint32, r->rack->len + 1);
  at[0] = 0;
  for (guint i = 0; i < r->rack->len; i++) {
    Rack *k = rack_at (r, i);

    k->first = at[i];
    at[i + 1] = at[i] + k->n_nodes;
    if (k->n_nodes > 0) { /* one that has gone keeps what it was */
      k->tier = v->hyper[k->hyper].tier;
      k->within = path_above (r, v, k->hyper);
    }
  }
  for (guint32 i = 0; i < c->nodes.n_list; i++)
    r->node[at[r->rack_of[by_name[i]]]++] = by_name[i];
}

static void
write_rack (SimRacks *r, Rack *k)
{
  const SimWorld *w = r->w;
  const VcNodes *n = &w->view[0].cluster->nodes;
  double *capacity = r->sum, *allocated = r->sum + w->n_res;

  memset (r->sum, 0, 2 * w->n_res * sizeof (double));
  for (guint32 i = k->first; i < k->first + k->n_nodes; i++)
    for (guint d = 0; d < w->n_res; d++) {
      capacity[d] += n->info[r->node[i]].allocatable->v[d];
      allocated[d] += n->used[d][r->node[i]];
    }
  k->stale = FALSE;
  if (k->written && k->said_nodes == k->n_nodes && k->said_tier == k->tier && k->said_within == k->within
      && memcmp (k->said, r->sum, 2 * w->n_res * sizeof (double)) == 0)
    return;
  if (k->said == NULL)
    k->said = g_new (double, 2 * w->n_res);
  memcpy (k->said, r->sum, 2 * w->n_res * sizeof (double));
  k->written = TRUE;
  k->said_nodes = k->n_nodes;
  k->said_tier = k->tier;
  k->said_within = k->within;
  const RpRack row = { w->now, k->name, k->within, k->tier, k->n_nodes, capacity, allocated };

  rp_results_rack (r->results, &row);
}

void
sim_racks_write (SimRacks *r)
{
  VcCluster *c = r->w->view[0].cluster;
  const VcNodes *n = &c->nodes;

  if (r->rack->len == 0 && !vc_hyper_nodes_any (c->hyper))
    return; /* nobody has spoken of HyperNodes yet */
  const VcHyperView *v = vc_hyper_nodes_view (c->hyper, c);

  if (r->rack_of == NULL || r->version != v->version || r->epoch != n->log_epoch)
    sort_nodes (r, v);
  else
    for (gsize i = r->pos; i < n->n_log; i++)
      if (r->rack_of[n->log[i]] != SIM_NONE)
        rack_at (r, r->rack_of[n->log[i]])->stale = TRUE;
  r->version = v->version;
  r->epoch = n->log_epoch;
  r->pos = n->n_log;
  for (guint i = 0; i < r->rack->len; i++)
    if (rack_at (r, i)->stale)
      write_rack (r, rack_at (r, i));
}
