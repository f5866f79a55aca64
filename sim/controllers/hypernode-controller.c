/* sim/controllers/hypernode-controller.c - see hypernode-controller.h. */
#include "hypernode-controller.h"
#include "sim/world/hyper-nodes.h"
#include <string.h>

#define SOURCE_LABEL "volcano.sh/network-topology-source"
#define SOURCE "label"

/* A HyperNode as the labels say. */
typedef struct {
  char *name;
  const char *key, *value; /* of the label */
  gint64 tier;
  GHashTable *members;     /* const char * */
} Found;

typedef struct {
  GPtrArray *found;        /* Found *, in the order in which nodes bring them */
  GHashTable *by_name, *by_label; /* Found *; by_label: key=value */
} Discovery;

static void
found_free (gpointer p)
{
  Found *f = p;

  g_free (f->name);
  g_hash_table_unref (f->members);
  g_free (f);
}

static void
discovery_clear (Discovery *d)
{
  g_clear_pointer (&d->by_name, g_hash_table_unref);
  g_clear_pointer (&d->by_label, g_hash_table_unref);
  g_clear_pointer (&d->found, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Discovery, discovery_clear)

/* ---- names ---------------------------------------------------------------------------------- */

static void
append_clean (GString *out, const char *text)
{
  for (const char *c = text; *c != '\0'; c++)
    g_string_append_c (out, g_ascii_isalnum (*c) || *c == '.' || *c == '-' ? g_ascii_tolower (*c) : '-');
}

static gboolean
is_discovered (const VcHyperNodeObject *o)
{
  return g_strcmp0 (vc_pairs_get (&o->labels, SOURCE_LABEL), SOURCE) == 0;
}

/* The HyperNode that is there for this value already, else a new name. */
static char *
name_for (const SimWorld *w, const Discovery *d, const GPtrArray *existing, const char *type, gint64 tier, const char *key, const char *value)
{
  g_autoptr (GString) name = g_string_new ("hypernode-");

  append_clean (name, type);
  g_string_append_printf (name, "-tier%" G_GINT64_FORMAT, tier);
  for (guint i = 0; i < existing->len; i++) {
    const VcHyperNodeObject *o = existing->pdata[i];

    if (is_discovered (o) && g_strcmp0 (vc_pairs_get (&o->labels, key), value) == 0 && g_str_has_prefix (o->name, name->str))
      return g_strdup (o->name);
  }
  g_string_append_c (name, '-');
  append_clean (name, value);
  while (g_str_has_suffix (name->str, "-") || g_str_has_suffix (name->str, "."))
    g_string_truncate (name, name->len - 1);
  for (guint n = 2, len = (guint) name->len; sim_hyper_node_find (w, name->str) != NULL || g_hash_table_contains (d->by_name, name->str); n++) {
    g_string_truncate (name, len);
    g_string_append_printf (name, "-%u", n);
  }
  return g_string_free (g_steal_pointer (&name), FALSE);
}

/* ---- discovery ------------------------------------------------------------------------------ */

static void
look_at (const SimWorld *w, const SimNode *node, const SimTopologyType *type, const GPtrArray *existing, Discovery *d)
{
  const char *member = node->name;

  for (guint i = 0; i < type->n_labels; i++) {
    const char *key = type->label[i], *value = vc_pairs_get (&node->labels, key);

    if (value == NULL)
      return;
    g_autofree char *label = g_strconcat (key, "=", value, NULL);
    Found *f = g_hash_table_lookup (d->by_label, label);

    if (f == NULL) {
      g_autofree char *name = name_for (w, d, existing, type->name, (gint64) i + 1, key, value);

      f = g_hash_table_lookup (d->by_name, name);
      if (f == NULL) {
        f = g_new (Found, 1);
        *f = (Found){ g_steal_pointer (&name), key, value, (gint64) i + 1, g_hash_table_new (g_str_hash, g_str_equal) };
        g_ptr_array_add (d->found, f);
        g_hash_table_insert (d->by_name, f->name, f);
      }
      g_hash_table_insert (d->by_label, g_steal_pointer (&label), f);
    }
    g_hash_table_add (f->members, (gpointer) member);
    member = f->name;
  }
}

static int
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static VcHyperNodeObject
object_of (VcArena *arena, const Found *f)
{
  guint n = 0;
  g_autofree gpointer *names = g_hash_table_get_keys_as_array (f->members, &n);
  VcMember *member = vc_arena_new0 (arena, VcMember, MAX (n, 1));
  VcPair *label = vc_arena_new0 (arena, VcPair, 2);
  VcPair own = { vc_arena_strdup (arena, f->key), vc_arena_strdup (arena, f->value) }, source = { SOURCE_LABEL, SOURCE };
  gboolean first = strcmp (own.key, SOURCE_LABEL) < 0;

  qsort (names, n, sizeof *names, by_text);
  for (guint i = 0; i < n; i++)
    member[i] = (VcMember){ .type = f->tier == 1 ? VC_MEMBER_NODE : VC_MEMBER_HYPER_NODE, .exact = vc_arena_strdup (arena, names[i]) };
  label[0] = first ? own : source;
  label[1] = first ? source : own;
  return (VcHyperNodeObject){ .name = vc_arena_strdup (arena, f->name),
                              .tier_name = own.key,
                              .tier = f->tier,
                              .member = member,
                              .n_members = n,
                              .labels = { label, 2 } };
}

/* ---- reconciliation ------------------------------------------------------------------------- */

/* What the scheduler and the next discovery look at. */
static gboolean
is_same (const VcHyperNodeObject *a, const VcHyperNodeObject *b)
{
  gboolean same = a->tier == b->tier && g_strcmp0 (a->tier_name, b->tier_name) == 0 && a->n_members == b->n_members;

  for (guint i = 0; i < a->n_members && same; i++) {
    const VcMember *m = &a->member[i], *o = &b->member[i];

    same = m->type == o->type && g_strcmp0 (m->exact, o->exact) == 0 && m->pattern == NULL && !m->labels.given;
  }
  for (guint i = 0; i < b->labels.n && same; i++)
    same = g_strcmp0 (vc_pairs_get (&a->labels, b->labels.item[i].key), b->labels.item[i].value) == 0;
  return same;
}

static int
by_tier_and_name (gconstpointer a, gconstpointer b)
{
  const Found *l = *(const Found *const *) a, *r = *(const Found *const *) b;

  return l->tier != r->tier ? (l->tier < r->tier ? -1 : 1) : strcmp (l->name, r->name);
}

/* Upstream goes through maps here, in any order; this is one. */
static void
reconcile (SimWorld *w, Discovery *d, const GPtrArray *existing)
{
  g_ptr_array_sort (d->found, by_tier_and_name);
  for (guint i = 0; i < d->found->len; i++) {
    const Found *f = d->found->pdata[i];
    const VcHyperNodeObject *old = sim_hyper_node_find (w, f->name);
    g_autoptr (VcArena) arena = vc_arena_new ();
    VcHyperNodeObject o = object_of (arena, f);

    if (old == NULL || !is_same (old, &o))
      sim_hyper_node_put (w, &o, g_steal_pointer (&arena), "discovered");
  }
  for (guint i = 0; i < existing->len; i++) {
    const char *name = existing->pdata[i];

    if (!g_hash_table_contains (d->by_name, name))
      sim_hyper_node_drop (w, name, "discovered");
  }
}

void
sim_hyper_nodes_discover (SimWorld *w)
{
  if (!w->hypers_stale)
    return;
  w->hypers_stale = FALSE;
  if (w->n_topology_types == 0)
    return;
  g_auto (Discovery) d = { g_ptr_array_new_with_free_func (found_free), g_hash_table_new (g_str_hash, g_str_equal),
                           g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  g_autoptr (GPtrArray) existing = sim_hyper_nodes_sorted (w), ours = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < existing->len; i++)
    if (is_discovered (existing->pdata[i]))
      g_ptr_array_add (ours, g_strdup (((const VcHyperNodeObject *) existing->pdata[i])->name));
  for (guint32 n = 0; n < w->n_nodes; n++)
    for (guint t = 0; w->node[n].present && t < w->n_topology_types; t++)
      look_at (w, &w->node[n], &w->topology_type[t], existing, &d);
  reconcile (w, &d, ours);
  w->hypers_stale = FALSE; /* its own deletions change nothing */
}
