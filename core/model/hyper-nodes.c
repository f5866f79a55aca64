#include "hyper-nodes.h"
#include "core/base/arena.h"
#include "core/base/go-regex.h"
#include "cluster.h"
#include "selector.h"
#include <string.h>

typedef struct {
  char *name;
  gboolean present, deleting;
  gboolean in_tier_set; /* under its tier */
  gint64 tier;
  char *tier_name;      /* NULL: none */
  VcArena *arena;       /* of the members; NULL: none were ever given */
  VcMember *member; guint n_members;
  VcGoRegex **regex;    /* [n_members], NULL where there is none or Go refuses it */
  gboolean selects;     /* some member is given by a pattern or by labels */
  guint32 parent;       /* VC_HYPER_NONE: none yet */
  GArray *children;     /* guint32 rows; may repeat */
  GArray *claimers;     /* guint32 rows of present HyperNodes whose spec names this one */
  GArray *nodes;        /* guint32 names of nodes: RealNodesSet; NULL: the map has no entry */
} Hyper;

struct VcHyperNodes {
  Hyper *item;
  guint32 n, cap, n_present;
  GHashTable *rows;      /* name → row + 1 */
  /* names of nodes, also of some that do not exist */
  GHashTable *node_ids;  /* name → id + 1 */
  GPtrArray *node_names;
  guint32 *mark, n_mark, now; /* of node ids: a set while one is built */
  guint32 marked;        /* row whose set the marks are, or VC_HYPER_NONE */
  gboolean ready, dirty;
  /* the view */
  VcHyperView view;
  VcArena *arena;
  guint32 list_epoch, n_node_rows; /* of the node table when the view was made */
};

/* ---- rows ------------------------------------------------------------------------------------------ */

static guint32
row_of (VcHyperNodes *h, const char *name)
{
  guint32 row = GPOINTER_TO_UINT (g_hash_table_lookup (h->rows, name));

  if (row > 0)
    return row - 1;
  if (h->n == h->cap) {
    h->cap = MAX (16u, h->cap * 2u);
    h->item = g_renew (Hyper, h->item, h->cap);
  }
  row = h->n++;
  h->item[row] = (Hyper) { .name = g_strdup (name),
                           .parent = VC_HYPER_NONE,
                           .children = g_array_new (FALSE, FALSE, sizeof (guint32)),
                           .claimers = g_array_new (FALSE, FALSE, sizeof (guint32)) };
  g_hash_table_insert (h->rows, h->item[row].name, GUINT_TO_POINTER (row + 1));
  return row;
}

VcHyperNodes *
vc_hyper_nodes_new (void)
{
  VcHyperNodes *h = g_new0 (VcHyperNodes, 1);

  h->rows = g_hash_table_new (g_str_hash, g_str_equal);
  h->node_ids = g_hash_table_new (g_str_hash, g_str_equal);
  h->node_names = g_ptr_array_new_with_free_func (g_free);
  h->arena = vc_arena_new ();
  h->ready = h->dirty = TRUE;
  row_of (h, VC_HYPER_ROOT_NAME); /* never present in the table: sessions have it */
  return h;
}

static void
free_members (Hyper *x)
{
  for (guint i = 0; i < x->n_members; i++)
    vc_go_regex_free (x->regex[i]);
  g_clear_pointer (&x->regex, g_free);
  g_clear_pointer (&x->arena, vc_arena_free);
  x->member = NULL;
  x->n_members = 0;
  x->selects = FALSE;
}

static void
free_rows (VcHyperNodes *h)
{
  for (guint32 i = 0; i < h->n; i++) {
    Hyper *x = &h->item[i];
    free_members (x);
    g_free (x->name);
    g_free (x->tier_name);
    g_array_unref (x->children);
    g_array_unref (x->claimers);
    g_clear_pointer (&x->nodes, g_array_unref);
  }
}

void
vc_hyper_nodes_clear (VcHyperNodes *h)
{
  g_hash_table_remove_all (h->rows);
  free_rows (h);
  h->n = h->n_present = 0;
  h->ready = h->dirty = TRUE;
  row_of (h, VC_HYPER_ROOT_NAME);
}

void
vc_hyper_nodes_free (VcHyperNodes *h)
{
  if (h == NULL)
    return;
  free_rows (h);
  g_free (h->item);
  g_hash_table_unref (h->rows);
  g_hash_table_unref (h->node_ids);
  g_ptr_array_unref (h->node_names);
  g_free (h->mark);
  vc_arena_free (h->arena);
  g_free (h);
}

gboolean
vc_hyper_nodes_any (const VcHyperNodes *h)
{
  return h->n_present > 0;
}

guint32
vc_hyper_nodes_rows (const VcHyperNodes *h)
{
  return h->n;
}

gboolean
vc_hyper_nodes_object (const VcHyperNodes *h, guint32 row, VcHyperNodeObject *out)
{
  const Hyper *x = &h->item[row];

  if (!x->present || x->arena == NULL)
    return FALSE;
  *out = (VcHyperNodeObject){ .name = x->name, .tier_name = x->tier_name, .tier = x->tier, .member = x->member, .n_members = x->n_members };
  return TRUE;
}

gboolean
vc_hyper_nodes_ready (const VcHyperNodes *h)
{
  return h->ready;
}

guint32
vc_hyper_nodes_find (const VcHyperNodes *h, const char *name)
{
  guint32 row = GPOINTER_TO_UINT (g_hash_table_lookup (h->rows, name));
  return row > 0 && (row - 1 == VC_HYPER_ROOT || h->item[row - 1].present) ? row - 1 : VC_HYPER_NONE;
}

const char *
vc_hyper_nodes_name (const VcHyperNodes *h, guint32 row)
{
  return h->item[row].name;
}

gboolean
vc_hyper_tier_named (const VcHyperNodes *h, const char *tier_name, gint64 *tier)
{
  const Hyper *last = NULL;

  for (guint32 i = 0; i < h->n; i++) {
    const Hyper *x = &h->item[i];
    if (x->present && g_strcmp0 (x->tier_name, tier_name) == 0 && (last == NULL || strcmp (x->name, last->name) > 0))
      last = x;
  }
  if (last != NULL)
    *tier = last->tier;
  return last != NULL;
}

/* ---- members --------------------------------------------------------------------------------------- */

/* The HyperNode that a member names; only exact names count. NULL: none. */
static const char *
named_hyper_node (const VcMember *m)
{
  return m->type == VC_MEMBER_HYPER_NODE && m->exact != NULL && *m->exact != '\0' ? m->exact : NULL;
}

static gboolean
is_label_selector (const VcMember *m)
{
  return m->labels.given && !vc_selector_is_empty (&m->labels);
}

static gboolean
same_members (const Hyper *x, const VcHyperNodeObject *o)
{
  if (x->n_members != o->n_members)
    return FALSE;
  for (guint i = 0; i < o->n_members; i++) {
    const VcMember *a = &x->member[i], *b = &o->member[i];
    if (a->type != b->type || g_strcmp0 (a->exact, b->exact) != 0 || g_strcmp0 (a->pattern, b->pattern) != 0 || !vc_selector_same (&a->labels, &b->labels))
      return FALSE;
  }
  return TRUE;
}

static void
claim (VcHyperNodes *h, guint32 row, gboolean on)
{
  for (guint i = 0; i < h->item[row].n_members; i++) {
    const VcMember *m = &h->item[row].member[i];
    if (m->type == VC_MEMBER_NODE || m->exact == NULL || *m->exact == '\0')
      continue;
    guint32 member = row_of (h, m->exact); /* may move the rows */
    GArray *list = h->item[member].claimers;
    guint at = 0;
    while (at < list->len && g_array_index (list, guint32, at) != row)
      at++;
    if (on && at == list->len)
      g_array_append_val (list, row);
    else if (!on && at < list->len)
      g_array_remove_index_fast (list, at);
  }
}

static void
set_members (VcHyperNodes *h, guint32 row, const VcHyperNodeObject *o)
{
  claim (h, row, FALSE);
  Hyper *x = &h->item[row];
  free_members (x);
  x->arena = vc_arena_new ();
  x->member = vc_arena_new0 (x->arena, VcMember, o->n_members);
  x->regex = g_new0 (VcGoRegex *, o->n_members + 1);
  x->n_members = o->n_members;
  for (guint i = 0; i < o->n_members; i++) {
    const VcMember *m = &o->member[i];
    x->member[i] = (VcMember) { m->type, vc_arena_strdup (x->arena, m->exact), vc_arena_strdup (x->arena, m->pattern), vc_selector_copy (x->arena, &m->labels) };
    x->selects |= m->pattern != NULL || m->labels.given;
    if (m->pattern != NULL)
      x->regex[i] = vc_go_regex_new (m->pattern);
  }
  claim (h, row, TRUE);
}

/* ---- sets of node names ------------------------------------------------------------------------------ */

static guint32
node_id (VcHyperNodes *h, const char *name)
{
  guint32 id = GPOINTER_TO_UINT (g_hash_table_lookup (h->node_ids, name));

  if (id > 0)
    return id - 1;
  id = h->node_names->len;
  g_ptr_array_add (h->node_names, g_strdup (name));
  g_hash_table_insert (h->node_ids, h->node_names->pdata[id], GUINT_TO_POINTER (id + 1));
  if (id >= h->n_mark) {
    guint32 old = h->n_mark;
    h->n_mark = MAX (256u, old * 2u);
    h->mark = g_renew (guint32, h->mark, h->n_mark);
    memset (h->mark + old, 0, (h->n_mark - old) * sizeof *h->mark);
  }
  return id;
}

static void
add_name (VcHyperNodes *h, GArray *set, guint32 id)
{
  if (h->mark[id] == h->now)
    return;
  h->mark[id] = h->now;
  g_array_append_val (set, id);
}

/* GetMembers: a selector that Kubernetes or Go refuses makes the whole member empty. */
static void
add_nodes (VcHyperNodes *h, const VcCluster *c, const Hyper *x, guint i, GArray *set)
{
  const VcMember *m = &x->member[i];
  const VcGoRegex *regex = x->regex[i];
  gboolean labels = is_label_selector (m);

  if (m->exact != NULL && *m->exact == '\0')
    return;
  if ((m->pattern != NULL && regex == NULL) || (labels && !vc_selector_is_valid (&m->labels)))
    return;
  if (m->exact != NULL)
    add_name (h, set, node_id (h, m->exact));
  for (guint32 k = 0; (regex != NULL || labels) && k < c->nodes.n_list; k++) {
    const VcNode *node = &c->nodes.info[c->nodes.list[k]];
    if ((regex != NULL && vc_go_regex_matches (regex, node->name)) || (labels && vc_selector_matches (&m->labels, &node->facts.labels)))
      add_name (h, set, node_id (h, node->name));
  }
}

/* ---- the tree ---------------------------------------------------------------------------------------- */

/* The parent link, or, where there is none, a HyperNode of a higher tier whose spec names this one: the first by name. */
static guint32
parent_of (const VcHyperNodes *h, guint32 row)
{
  const Hyper *x = &h->item[row];
  gint64 tier = x->present ? x->tier : -1;
  guint32 best = VC_HYPER_NONE;

  if (x->present && x->parent != VC_HYPER_NONE)
    return x->parent;
  for (guint i = 0; i < x->claimers->len; i++) {
    guint32 k = g_array_index (x->claimers, guint32, i);
    if (h->item[k].present && h->item[k].tier > tier && (best == VC_HYPER_NONE || strcmp (h->item[k].name, h->item[best].name) < 0))
      best = k;
  }
  return best;
}

static gboolean
has_row (const GArray *rows, guint32 row)
{
  for (guint i = 0; i < rows->len; i++)
    if (g_array_index (rows, guint32, i) == row)
      return TRUE;
  return FALSE;
}

typedef struct {
  VcHyperNodes *h;
  const VcCluster *c;
  GArray *line;  /* the HyperNode that changed and its ancestors: only these are built */
  GArray *chain; /* those being built at the moment */
  GArray *done;
} Build;

static gboolean
adopt (VcHyperNodes *h, guint32 parent, guint32 child)
{
  Hyper *x = &h->item[child];

  if (!x->present) { /* a placeholder until it comes: tier 0, in no set of tiers */
    x->present = TRUE;
    x->tier = 0;
    h->n_present++;
  }
  if (x->parent != VC_HYPER_NONE && x->parent != parent)
    return FALSE;
  x->parent = parent;
  g_array_append_val (h->item[parent].children, child);
  return TRUE;
}

static GArray *
own_set (Hyper *x)
{
  if (x->nodes == NULL)
    x->nodes = g_array_new (FALSE, FALSE, sizeof (guint32));
  return x->nodes;
}

/* What is in the set of @row already is marked, so that a set can grow by parts. */
static void
mark_own (VcHyperNodes *h, guint32 row)
{
  const GArray *set = own_set (&h->item[row]);

  if (h->marked == row)
    return;
  h->marked = row;
  h->now++;
  for (guint i = 0; i < set->len; i++)
    h->mark[g_array_index (set, guint32, i)] = h->now;
}

static gboolean
build (Build *b, guint32 row)
{
  VcHyperNodes *h = b->h;

  if (has_row (b->chain, row))
    return FALSE; /* a cycle */
  if (has_row (b->done, row) || !has_row (b->line, row))
    return TRUE;
  if (h->item[row].deleting)
    return TRUE;
  g_array_append_val (b->chain, row);
  gboolean good = TRUE;
  for (guint i = 0; i < h->item[row].n_members && good; i++) {
    const VcMember *m = &h->item[row].member[i];

    if (m->type == VC_MEMBER_NODE) {
      mark_own (h, row);
      add_nodes (h, b->c, &h->item[row], i, h->item[row].nodes);
    } else if (named_hyper_node (m) != NULL) {
      guint32 child = row_of (h, m->exact);
      good = adopt (h, row, child) && build (b, child);
      if (!good)
        break;
      mark_own (h, row);
      const GArray *more = h->item[child].nodes;
      for (guint k = 0; more != NULL && k < more->len; k++)
        add_name (h, h->item[row].nodes, g_array_index (more, guint32, k));
    }
  }
  g_array_set_size (b->chain, b->chain->len - 1);
  if (good)
    g_array_append_val (b->done, row);
  return good;
}

/* rebuildCache: the line from @row upwards anew. */
static gboolean
rebuild (VcHyperNodes *h, const VcCluster *c, guint32 row)
{
  g_autoptr (GArray) line = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) chain = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) done = g_array_new (FALSE, FALSE, sizeof (guint32));
  h->marked = VC_HYPER_NONE;
  Build b = { h, c, line, chain, done };
  gboolean good = TRUE;

  for (guint32 at = row; at != VC_HYPER_NONE && !has_row (line, at); at = parent_of (h, at))
    g_array_append_val (line, at);
  for (guint i = 0; i < line->len; i++) {
    Hyper *x = &h->item[g_array_index (line, guint32, i)];
    g_clear_pointer (&x->nodes, g_array_unref);
    x->parent = VC_HYPER_NONE;
    g_array_set_size (x->children, 0);
  }
  for (guint i = 0; i < line->len && good; i++)
    if (h->item[g_array_index (line, guint32, i)].present)
      good = build (&b, g_array_index (line, guint32, i));
  h->dirty = TRUE;
  h->ready = good;
  return good;
}

/* ---- events ------------------------------------------------------------------------------------------ */

static int
compare_hypers (gconstpointer a, gconstpointer b, gpointer user)
{
  const Hyper *item = user;
  return strcmp (item[*(const guint32 *) a].name, item[*(const guint32 *) b].name);
}

/* Members of the old spec that the new one does not name lose their parent. They are given back by name. */
static GArray *
release (VcHyperNodes *h, guint32 row, const VcHyperNodeObject *o)
{
  GArray *freed = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint i = 0; i < h->item[row].n_members; i++) {
    const char *name = named_hyper_node (&h->item[row].member[i]);
    gboolean kept = name == NULL;
    for (guint k = 0; k < o->n_members && !kept; k++)
      kept = g_strcmp0 (named_hyper_node (&o->member[k]), name) == 0;
    if (kept)
      continue;
    guint32 child = row_of (h, name);
    if (!has_row (freed, child))
      g_array_append_val (freed, child);
    h->item[child].parent = VC_HYPER_NONE;
  }
  g_array_sort_with_data (freed, compare_hypers, h->item);
  return freed;
}

/* HyperNodes that were refused a member because it had another parent may have it now. */
static gboolean
offer (VcHyperNodes *h, const VcCluster *c, const GArray *freed, guint32 but)
{
  for (guint i = 0; i < freed->len; i++) {
    const GArray *claimers = h->item[g_array_index (freed, guint32, i)].claimers;
    g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (guint32));

    for (guint k = 0; k < claimers->len; k++) {
      guint32 row = g_array_index (claimers, guint32, k);
      if (row != but && h->item[row].present)
        g_array_append_val (list, row);
    }
    g_array_sort_with_data (list, compare_hypers, h->item);
    for (guint k = 0; k < list->len; k++)
      if (!rebuild (h, c, g_array_index (list, guint32, k)))
        return FALSE;
  }
  return TRUE;
}

static void
set_spec (VcHyperNodes *h, guint32 row, const VcHyperNodeObject *o)
{
  Hyper *x = &h->item[row];

  x->tier = o->tier;
  g_free (x->tier_name);
  x->tier_name = o->tier_name != NULL && *o->tier_name != '\0' ? g_strdup (o->tier_name) : NULL;
  h->dirty = TRUE;
}

gboolean
vc_hyper_nodes_update (VcHyperNodes *h, const VcCluster *c, const VcHyperNodeObject *o)
{
  guint32 row = row_of (h, o->name);
  gboolean exists = h->item[row].present;
  gboolean changed = !exists || !same_members (&h->item[row], o), tier_changed = !exists || h->item[row].tier != o->tier;
  g_autoptr (GArray) freed = changed ? release (h, row, o) : NULL;

  if (!exists) {
    h->item[row].present = TRUE;
    h->item[row].deleting = FALSE;
    h->n_present++;
  }
  if (tier_changed) /* a placeholder of tier 0 is taken for a member of the set (finding U4) */
    h->item[row].in_tier_set = TRUE;
  set_spec (h, row, o);
  if (changed)
    set_members (h, row, o);
  if (!changed && !h->item[row].selects)
    return TRUE;
  return rebuild (h, c, row) && (freed == NULL || offer (h, c, freed, row));
}

gboolean
vc_hyper_nodes_remove (VcHyperNodes *h, const VcCluster *c, const char *name)
{
  guint32 row = vc_hyper_nodes_find (h, name);

  if (row == VC_HYPER_NONE || row == VC_HYPER_ROOT)
    return TRUE;
  h->item[row].deleting = TRUE;
  if (!rebuild (h, c, row))
    return FALSE; /* it stays, as upstream's does */
  Hyper *x = &h->item[row];
  for (guint i = 0; i < x->n_members; i++) {
    const char *child = named_hyper_node (&x->member[i]);
    guint32 k = child != NULL ? vc_hyper_nodes_find (h, child) : VC_HYPER_NONE;
    if (k != VC_HYPER_NONE)
      h->item[k].parent = VC_HYPER_NONE;
  }
  claim (h, row, FALSE);
  x = &h->item[row];
  free_members (x);
  g_clear_pointer (&x->tier_name, g_free);
  x->present = x->deleting = x->in_tier_set = FALSE;
  x->parent = VC_HYPER_NONE;
  h->n_present--;
  return TRUE;
}

/* Does the node satisfy a selector of the HyperNode? Patterns go by the name alone, also of a node that is gone; labels need the node. */
static gboolean
selects_node (const VcCluster *c, const Hyper *x, guint32 row)
{
  const VcNode *node = &c->nodes.info[row];

  for (guint i = 0; i < x->n_members; i++) {
    const VcMember *m = &x->member[i];
    if (m->type != VC_MEMBER_NODE)
      continue;
    if (m->pattern != NULL) {
      if (x->regex[i] != NULL && vc_go_regex_matches (x->regex[i], node->name))
        return TRUE;
    } else if (is_label_selector (m) && node->listed && vc_selector_is_valid (&m->labels) && vc_selector_matches (&m->labels, &node->facts.labels)) {
      return TRUE;
    }
  }
  return FALSE;
}

void
vc_hyper_nodes_node_changed (VcHyperNodes *h, const VcCluster *c, guint32 node)
{
  g_autoptr (GArray) leaves = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint32 i = 0; i < h->n; i++) {
    const Hyper *x = &h->item[i];
    gboolean leaf = x->present && x->selects;
    for (guint k = 0; k < x->n_members && leaf; k++)
      leaf = x->member[k].type != VC_MEMBER_HYPER_NODE;
    if (leaf)
      g_array_append_val (leaves, i);
  }
  g_array_sort_with_data (leaves, compare_hypers, h->item);
  for (guint i = 0; i < leaves->len; i++) {
    guint32 row = g_array_index (leaves, guint32, i);
    if (selects_node (c, &h->item[row], node) && !rebuild (h, c, row))
      return;
  }
}

/* ---- the view ---------------------------------------------------------------------------------------- */

static void
view_rows (VcHyperNodes *h)
{
  VcHyperView *v = &h->view;

  v->by_name = vc_arena_new0 (h->arena, guint32, h->n_present + 1);
  v->n_by_name = 0;
  for (guint32 i = 0; i < h->n; i++)
    if (h->item[i].present || i == VC_HYPER_ROOT)
      v->by_name[v->n_by_name++] = i;
  g_qsort_with_data (v->by_name, (gint) v->n_by_name, sizeof (guint32), compare_hypers, h->item);
  gint64 top = 1;
  for (guint32 i = 0; i < h->n; i++)
    if (h->item[i].present && h->item[i].in_tier_set && h->item[i].tier >= top)
      top = h->item[i].tier + 1;
  for (guint32 i = 0; i < h->n; i++) {
    const Hyper *x = &h->item[i];
    VcHyperNode *n = &v->hyper[i];
    n->name = x->name;
    n->present = x->present || i == VC_HYPER_ROOT;
    n->tier = i == VC_HYPER_ROOT ? top : x->tier;
    n->parent = i == VC_HYPER_ROOT || !x->present ? VC_HYPER_NONE : x->parent != VC_HYPER_NONE ? x->parent : VC_HYPER_ROOT;
  }
}

/* A member that was deleted and is still named has no row upstream either; a session that meets it there ends the process. Here it is left out. */
static void
view_children (VcHyperNodes *h)
{
  VcHyperView *v = &h->view;

  for (guint32 i = 0; i < h->n; i++) {
    VcHyperNode *n = &v->hyper[i];
    const GArray *rows = h->item[i].children;
    guint32 last = VC_HYPER_NONE;

    if (i == VC_HYPER_ROOT || !n->present)
      continue;
    n->child = vc_arena_new0 (h->arena, guint32, rows->len + 1);
    g_array_sort_with_data (h->item[i].children, compare_hypers, h->item);
    for (guint k = 0; k < rows->len; k++) {
      guint32 child = g_array_index (rows, guint32, k);
      if (child != last && h->item[child].present)
        n->child[n->n_children++] = child;
      last = child;
    }
  }
  VcHyperNode *root = &v->hyper[VC_HYPER_ROOT];
  root->child = vc_arena_new0 (h->arena, guint32, v->n_by_name);
  for (guint i = 0; i < v->n_by_name; i++)
    if (v->by_name[i] != VC_HYPER_ROOT && h->item[v->by_name[i]].parent == VC_HYPER_NONE)
      root->child[root->n_children++] = v->by_name[i];
}

static void
view_nodes (VcHyperNodes *h, VcCluster *c)
{
  VcHyperView *v = &h->view;
  guint32 n = c->nodes.n, ids = h->node_names->len;
  const guint32 *by_name = vc_cluster_nodes_by_name (c);
  g_autofree guint32 *row = g_new (guint32, ids + 1);

  for (guint32 i = 0; i < ids; i++) {
    row[i] = vc_cluster_node (c, h->node_names->pdata[i]);
    if (row[i] != VC_NONE && !c->nodes.info[row[i]].listed)
      row[i] = VC_NONE;
  }
  v->holder_at = vc_arena_new0 (h->arena, guint32, n + 2);
  for (guint32 i = 0; i < c->nodes.n_list; i++)
    v->holder_at[c->nodes.list[i] + 1]++; /* the root */
  for (guint i = 0; i < v->n_by_name; i++) {
    const GArray *set = h->item[v->by_name[i]].nodes;
    for (guint k = 0; set != NULL && k < set->len; k++)
      if (row[g_array_index (set, guint32, k)] != VC_NONE)
        v->holder_at[row[g_array_index (set, guint32, k)] + 1]++;
  }
  for (guint32 i = 0; i < n; i++)
    v->holder_at[i + 1] += v->holder_at[i];
  v->holder = vc_arena_new0 (h->arena, guint32, v->holder_at[n] + 1);
  g_autofree guint32 *filled = g_new0 (guint32, n + 1);
  for (guint i = 0; i < v->n_by_name; i++) { /* ascending, so every node's holders are */
    guint32 hyper = v->by_name[i];
    const GArray *set = h->item[hyper].nodes;
    v->hyper[hyper].node = vc_arena_new0 (h->arena, guint32, (hyper == VC_HYPER_ROOT ? c->nodes.n_list : set != NULL ? set->len : 0) + 1);
    for (guint32 k = 0; hyper == VC_HYPER_ROOT && k < c->nodes.n_list; k++)
      v->holder[v->holder_at[c->nodes.list[k]] + filled[c->nodes.list[k]]++] = hyper;
    for (guint k = 0; set != NULL && k < set->len; k++) {
      guint32 r = row[g_array_index (set, guint32, k)];
      if (r != VC_NONE)
        v->holder[v->holder_at[r] + filled[r]++] = hyper;
    }
  }
  for (guint32 i = 0; i < c->nodes.n_list; i++)
    for (guint32 k = v->holder_at[by_name[i]]; k < v->holder_at[by_name[i] + 1]; k++) {
      VcHyperNode *x = &v->hyper[v->holder[k]];
      if (v->holder[k] != VC_HYPER_ROOT)
        x->node[x->n_nodes++] = by_name[i];
    }
  VcHyperNode *root = &v->hyper[VC_HYPER_ROOT];
  root->n_nodes = c->nodes.n_list;
  if (c->nodes.n_list > 0)
    memcpy (root->node, c->nodes.list, c->nodes.n_list * sizeof *root->node);
}

static int
compare_tiers (gconstpointer a, gconstpointer b)
{
  gint64 x = ((const VcHyperTier *) a)->tier, y = ((const VcHyperTier *) b)->tier;
  return x < y ? -1 : x > y;
}

static void
view_tiers (VcHyperNodes *h, const VcCluster *c)
{
  VcHyperView *v = &h->view;

  v->tier = vc_arena_new0 (h->arena, VcHyperTier, v->n_by_name);
  v->n_tiers = 0;
  for (guint i = 0; i < v->n_by_name; i++) {
    guint32 row = v->by_name[i];
    guint t = 0;

    if (row != VC_HYPER_ROOT && !h->item[row].in_tier_set)
      continue;
    while (t < v->n_tiers && v->tier[t].tier != v->hyper[row].tier)
      t++;
    if (t == v->n_tiers)
      v->tier[v->n_tiers++] = (VcHyperTier) { .tier = v->hyper[row].tier, .hyper = vc_arena_new0 (h->arena, guint32, v->n_by_name) };
    v->tier[t].hyper[v->tier[t].n++] = row;
  }
  qsort (v->tier, v->n_tiers, sizeof *v->tier, compare_tiers);
  for (guint t = 0; t < v->n_tiers; t++) {
    VcHyperTier *tier = &v->tier[t];
    tier->first = vc_arena_new0 (h->arena, guint32, c->nodes.n + 1);
    for (guint32 i = 0; i < c->nodes.n; i++)
      tier->first[i] = VC_HYPER_NONE;
    for (guint k = 0; k < tier->n; k++)
      for (guint i = 0; i < v->hyper[tier->hyper[k]].n_nodes; i++)
        if (tier->first[v->hyper[tier->hyper[k]].node[i]] == VC_HYPER_NONE)
          tier->first[v->hyper[tier->hyper[k]].node[i]] = tier->hyper[k];
  }
}

const VcHyperView *
vc_hyper_nodes_view (VcHyperNodes *h, VcCluster *c)
{
  VcHyperView *v = &h->view;

  if (!h->dirty && h->list_epoch == c->nodes.log_epoch && h->n_node_rows == c->nodes.n)
    return v;
  vc_arena_reset (h->arena);
  v->ready = h->ready;
  v->n = h->n;
  v->hyper = vc_arena_new0 (h->arena, VcHyperNode, h->n);
  view_rows (h);
  view_children (h);
  view_nodes (h, c);
  view_tiers (h, c);
  v->version++;
  h->dirty = FALSE;
  h->list_epoch = c->nodes.log_epoch;
  h->n_node_rows = c->nodes.n;
  return v;
}

guint32
vc_hyper_lca (const VcHyperView *v, guint32 a, guint32 b)
{
  if (a == VC_HYPER_NONE || b == VC_HYPER_NONE)
    return a == VC_HYPER_NONE ? b : a;
  /* Parent links may run in a circle while the tree is not ready: nobody has more ancestors than there are rows. */
  for (guint32 x = b, i = 0; x != VC_HYPER_NONE && i < v->n; x = v->hyper[x].parent, i++)
    for (guint32 y = a, k = 0; y != VC_HYPER_NONE && k < v->n; y = v->hyper[y].parent, k++)
      if (x == y)
        return x;
  return VC_HYPER_NONE;
}
