#include "pod-tally.h"
#include "core/model/cluster-ops.h"
#include <string.h>

struct VcTallies {
  VcCluster *cluster;
  VcArena *arena;          /* of the session's tallies */
  GHashTable *topologies;  /* interned key → VcTopology */
  VcTopology *alone;
  GHashTable *tallies;     /* VcTallyKey → VcTally */
  VcTally *last[VC_TALLY_SLOTS]; /* a scan asks for the same ones at every node */
  guint8 *listed;          /* [node row] */
  guint32 n_listed, cap_listed;
};

static guint
key_hash (gconstpointer p)
{
  const VcTallyKey *k = p;
  gsize h = GPOINTER_TO_SIZE (k->shape) * 31 + GPOINTER_TO_SIZE (k->meta) * 17 + GPOINTER_TO_SIZE (k->ns) * 7 + k->kind->slot * 2u + k->listed_only;

  return (guint) (h ^ (h >> 32));
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (VcTallyKey)) == 0; /* pointers and one gsize: no gaps */
}

static void
topology_free (gpointer p)
{
  VcTopology *t = p;

  if (t == NULL)
    return;
  g_free (t->domain);
  g_free (t);
}

VcTallies *
vc_tallies_new (void)
{
  VcTallies *t = g_new0 (VcTallies, 1);

  t->arena = vc_arena_new ();
  t->topologies = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, topology_free);
  t->tallies = g_hash_table_new (key_hash, key_equal);
  return t;
}

/* The tables live in the arena, their columns do not. */
static void
forget_tallies (VcTallies *t)
{
  GHashTableIter it;
  gpointer p;

  if (g_hash_table_size (t->tallies) == 0)
    return;
  g_hash_table_iter_init (&it, t->tallies); /* only frees: the order does not matter */
  while (g_hash_table_iter_next (&it, NULL, &p)) {
    VcTally *tally = p;
    for (guint i = 0; i < tally->n_counts; i++)
      g_free (tally->count[i].count);
    g_free (tally->count);
  }
  g_hash_table_remove_all (t->tallies);
  memset (t->last, 0, sizeof t->last);
  vc_arena_reset (t->arena);
}

void
vc_tallies_free (VcTallies *t)
{
  if (t == NULL)
    return;
  forget_tallies (t);
  g_hash_table_unref (t->tallies);
  g_hash_table_unref (t->topologies);
  topology_free (t->alone);
  vc_arena_free (t->arena);
  g_free (t->listed);
  g_free (t);
}

void
vc_tallies_open (VcTallies *t, VcCluster *c, gboolean (*lists) (const VcShape *shape))
{
  const VcNodes *n = &c->nodes;

  forget_tallies (t);
  t->cluster = c;
  t->n_listed = 0;
  if (lists == NULL)
    return;
  t->listed = vc_grow (t->listed, &t->cap_listed, n->n, 1);
  memset (t->listed, 0, n->n);
  for (guint32 i = 0; i < n->n_list; i++) {
    const VcNode *node = &n->info[n->list[i]];
    for (guint32 k = 0; k < node->n_tasks && !t->listed[n->list[i]]; k++)
      t->listed[n->list[i]] = c->task[node->task[k]].in_mirror && lists (c->task[node->task[k]].shape);
    t->n_listed += t->listed[n->list[i]];
  }
}

const VcCluster *
vc_tallies_cluster (const VcTallies *t)
{
  return t->cluster;
}

guint32
vc_tallies_n_listed (const VcTallies *t)
{
  return t->n_listed;
}

gpointer
vc_tallies_alloc (VcTallies *t, gsize size)
{
  return vc_arena_alloc (t->arena, size);
}

/* ---- topologies ------------------------------------------------------------------------------- */

static void
number_values (VcTopology *top, const VcNodes *n, const char *key)
{
  g_autoptr (GHashTable) number = g_hash_table_new (g_str_hash, g_str_equal); /* value → number + 1 */

  top->n_domains = 0;
  for (guint32 i = 0; i < n->n_list; i++) {
    guint32 row = n->list[i];
    if (key == NULL) {
      top->domain[row] = top->n_domains++;
      continue;
    }
    const char *value = vc_pairs_get (&n->info[row].facts.labels, key);
    if (value == NULL)
      continue;
    guint32 d = GPOINTER_TO_UINT (g_hash_table_lookup (number, value));
    if (d == 0) {
      d = ++top->n_domains;
      g_hash_table_insert (number, (gpointer) value, GUINT_TO_POINTER (d));
    }
    top->domain[row] = d - 1;
  }
}

const VcTopology *
vc_tallies_topology (VcTallies *t, const char *key)
{
  const VcNodes *n = &t->cluster->nodes;
  VcTopology *top = key == NULL ? t->alone : g_hash_table_lookup (t->topologies, key);

  if (top != NULL && top->version == n->labels_version && top->n_rows == n->n)
    return top;
  if (top == NULL) {
    top = g_new0 (VcTopology, 1);
    if (key == NULL)
      t->alone = top;
    else
      g_hash_table_insert (t->topologies, (gpointer) vc_cluster_intern (t->cluster, key), top);
  }
  top->version = n->labels_version;
  top->n_rows = n->n;
  top->domain = g_renew (guint32, top->domain, n->n);
  for (guint32 i = 0; i < n->n; i++)
    top->domain[i] = VC_NONE;
  number_values (top, n, key);
  return top;
}

/* ---- sums ------------------------------------------------------------------------------------- */

VcTopologyCount *
vc_tally_add_count (VcTallies *t, VcTally *tally, const char *key, const VcTopology *topology)
{
  tally->count = vc_grow (tally->count, &tally->cap_counts, tally->n_counts + 1, sizeof *tally->count);
  VcTopologyCount *c = &tally->count[tally->n_counts++];

  c->key = key;
  c->topology = topology;
  c->count = g_new0 (gint64, MAX (topology->n_domains, 1));
  return c;
}

VcTopologyCount *
vc_tally_find (const VcTally *tally, const char *key)
{
  for (guint i = 0; i < tally->n_counts; i++)
    if (strcmp (tally->count[i].key, key) == 0)
      return &tally->count[i];
  return NULL;
}

void
vc_topology_count_bump (VcTopologyCount *c, guint32 node, gint64 by)
{
  guint32 d = c->topology->domain[node];

  if (d == VC_NONE)
    return;
  guint32 was = c->count[d] != 0;
  c->count[d] += by;
  c->n_nonzero += (guint32) (c->count[d] != 0) - was;
  c->least_known = FALSE;
}

void
vc_tally_bump (VcTallies *t, VcTally *tally, const char *key, guint32 node, gint64 by)
{
  VcTopologyCount *c = vc_tally_find (tally, key);

  if (c == NULL)
    c = vc_tally_add_count (t, tally, key, vc_tallies_topology (t, key));
  vc_topology_count_bump (c, node, by);
}

gboolean
vc_tally_is_zero (const VcTally *tally)
{
  for (guint i = 0; i < tally->n_counts; i++)
    if (tally->count[i].n_nonzero > 0)
      return FALSE;
  return TRUE;
}

/* ---- tallies ---------------------------------------------------------------------------------- */

static void
count_mirror (VcTallies *t, VcTally *tally)
{
  const VcCluster *c = t->cluster;
  const VcNodes *n = &c->nodes;

  for (guint32 i = 0; i < n->n_list; i++) {
    guint32 row = n->list[i];
    const VcNode *node = &n->info[row];

    if (tally->key.listed_only && !t->listed[row])
      continue;
    for (guint32 k = 0; k < node->n_tasks; k++)
      if (c->task[node->task[k]].in_mirror)
        tally->key.kind->add (t, tally, &c->task[node->task[k]], row, 1);
  }
}

static void
apply (VcTallies *t, VcTally *tally, const VcMirrorMove *m, gint32 sign)
{
  const VcCluster *c = t->cluster;

  if (c->nodes.info[m->node].listed && (!tally->key.listed_only || t->listed[m->node]))
    tally->key.kind->add (t, tally, &c->task[m->task], m->node, sign * m->sign);
}

VcTally *
vc_tally_get (VcTallies *t, const VcTallyKey *key, guint32 at)
{
  const VcCluster *c = t->cluster;
  VcTally *tally = t->last[key->kind->slot];

  if (tally == NULL || !key_equal (&tally->key, key))
    tally = g_hash_table_lookup (t->tallies, key);
  if (tally == NULL) {
    tally = vc_arena_new0 (t->arena, VcTally, 1);
    tally->key = *key;
    if (key->kind->init != NULL)
      key->kind->init (t, tally);
    count_mirror (t, tally);
    tally->at = c->n_journal;
    g_hash_table_insert (t->tallies, &tally->key, tally);
  }
  t->last[key->kind->slot] = tally;
  while (tally->at < at)
    apply (t, tally, &c->journal[tally->at++], 1);
  while (tally->at > at)
    apply (t, tally, &c->journal[--tally->at], -1);
  return tally;
}
