#include "numa.h"
#include "core/model/cluster-ops.h"
#include <string.h>

/* CPUs of a pod. */
typedef struct { guint32 task; /* VC_NONE: its pod is gone */ gboolean listed; /* the object names the pod */ guint64 *cpus; } Share;

typedef struct {
  VcNumaNode view;
  VcCpuTopology *topology; /* NULL: no object */
  char *policy;
  VcArena *arena;          /* of the texts of the object's pods */
  VcNumaPod *pod; guint n_pods;
  guint64 *first;          /* free CPUs in the object */
  guint64 *reported;       /* in the report as it stands: @first without what pods hold */
  guint64 *reserved, *free;
  GArray *decided;         /* Share: not reported yet, as far as the cache has looked */
  GArray *held;            /* Share: of pods that run in the simulation */
  gboolean stale;          /* @free is to be worked out anew */
} Node;

struct VcNuma {
  VcCluster *c;
  Node *node; guint32 n, cap;
  GArray *stale;        /* guint32: nodes */
  GHashTable *decided;  /* task row + 1 → GArray of guint32: nodes with a share of the task, in either list */
};

static void
clear_share (gpointer p)
{
  g_free (((Share *) p)->cpus);
}

static GArray *
new_shares (void)
{
  GArray *a = g_array_new (FALSE, FALSE, sizeof (Share));
  g_array_set_clear_func (a, clear_share);
  return a;
}

VcNuma *
vc_numa_new (VcCluster *c)
{
  VcNuma *m = g_new0 (VcNuma, 1);

  m->c = c;
  m->stale = g_array_new (FALSE, FALSE, sizeof (guint32));
  m->decided = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  return m;
}

static void
clear_object (Node *x)
{
  g_clear_pointer (&x->topology, vc_cpu_topology_free);
  g_clear_pointer (&x->policy, g_free);
  g_clear_pointer (&x->arena, vc_arena_free);
  g_clear_pointer (&x->first, g_free);
  g_clear_pointer (&x->reported, g_free);
  g_clear_pointer (&x->reserved, g_free);
  g_clear_pointer (&x->free, g_free);
  x->n_pods = 0;
}

void
vc_numa_free (VcNuma *m)
{
  if (m == NULL)
    return;
  for (guint32 i = 0; i < m->n; i++) {
    clear_object (&m->node[i]);
    g_clear_pointer (&m->node[i].decided, g_array_unref);
    g_clear_pointer (&m->node[i].held, g_array_unref);
  }
  g_free (m->node);
  g_array_unref (m->stale);
  g_hash_table_unref (m->decided);
  g_free (m);
}

static Node *
find (const VcNuma *m, guint32 node)
{
  return node < m->n && m->node[node].topology != NULL ? &m->node[node] : NULL;
}

static void
mark_stale (VcNuma *m, guint32 node)
{
  if (!m->node[node].stale)
    g_array_append_val (m->stale, node);
  m->node[node].stale = TRUE;
}

/* ---- objects --------------------------------------------------------------------------------------- */

/* Does the report name the pod: by its uid, or by namespace and name? */
static gboolean
is_listed (const Node *x, const VcTask *t)
{
  for (guint i = 0; i < x->n_pods; i++)
    if (strcmp (x->pod[i].uid, t->uid) == 0 || (strcmp (x->pod[i].name, t->name) == 0 && strcmp (x->pod[i].ns, t->ns) == 0))
      return TRUE;
  return FALSE;
}

static void
set_cpus (Node *x, const VcNumatopologyObject *o)
{
  gint64 top = o->cpus != NULL ? vc_cpu_list_parse (o->cpus, NULL) : 0;

  x->topology = vc_cpu_topology_new (o->detail, o->n_details, (guint32) MAX (top, 0));
  guint words = vc_cpu_topology_words (x->topology);
  x->first = g_new0 (guint64, words);
  x->reserved = g_new0 (guint64, words);
  x->free = g_new0 (guint64, words);
  if (top > 0)
    vc_cpu_list_parse (o->cpus, x->first);
  if (!vc_cpu_take (x->topology, vc_cpu_topology_all (x->topology), o->reserved, x->reserved))
    memset (x->reserved, 0, words * sizeof *x->reserved);
  x->reported = g_memdup2 (x->first, words * sizeof *x->first);
}

/* Shares have the words of the old topology. */
static void
fit_shares (GArray *shares, guint from, guint to)
{
  for (guint i = 0; i < shares->len && from != to; i++) {
    Share *s = &g_array_index (shares, Share, i);

    s->cpus = g_renew (guint64, s->cpus, to);
    if (to > from)
      memset (s->cpus + from, 0, (to - from) * sizeof *s->cpus);
  }
}

void
vc_numa_set (VcNuma *m, guint32 node, const VcNumatopologyObject *o)
{
  m->node = vc_grow (m->node, &m->cap, node + 1, sizeof *m->node);
  m->n = MAX (m->n, node + 1);
  Node *x = &m->node[node];
  guint words = x->topology != NULL ? vc_cpu_topology_words (x->topology) : 0;

  clear_object (x);
  x->policy = g_strdup (o->topology_manager);
  x->arena = vc_arena_new ();
  x->pod = vc_arena_new0 (x->arena, VcNumaPod, o->n_pods);
  x->n_pods = o->n_pods;
  for (guint i = 0; i < o->n_pods; i++)
    x->pod[i] = (VcNumaPod) { vc_arena_strdup (x->arena, o->pod[i].uid), vc_arena_strdup (x->arena, o->pod[i].ns), vc_arena_strdup (x->arena, o->pod[i].name) };
  set_cpus (x, o);
  if (x->decided == NULL) {
    x->decided = new_shares ();
    x->held = new_shares ();
  }
  fit_shares (x->decided, words, vc_cpu_topology_words (x->topology));
  for (guint i = 0; i < x->decided->len; i++) {
    Share *s = &g_array_index (x->decided, Share, i);

    s->listed = s->task != VC_NONE && is_listed (x, &m->c->task[s->task]);
  }
  g_array_set_size (x->held, 0); /* the object is the report */
  x->view = (VcNumaNode) { x->topology, strcmp (o->cpu_manager, "static") == 0, o->cpus != NULL, x->policy, vc_numa_policy_of (x->policy), x->reserved, x->free, x->view.version + 1 };
  mark_stale (m, node);
  vc_node_touch (m->c, node, TRUE);
}

/* ---- shares ---------------------------------------------------------------------------------------- */

static Share *
share_of (GArray *shares, guint32 task)
{
  for (guint i = 0; i < shares->len; i++)
    if (g_array_index (shares, Share, i).task == task)
      return &g_array_index (shares, Share, i);
  return NULL;
}

static void
drop_share (GArray *shares, guint32 task)
{
  for (guint i = 0; i < shares->len; i++)
    if (g_array_index (shares, Share, i).task == task) {
      g_array_remove_index (shares, i);
      return;
    }
}

static Share *
add_share (const Node *x, GArray *shares, guint32 task, const guint64 *cpus)
{
  const Share s = { task, FALSE, g_memdup2 (cpus, vc_cpu_topology_words (x->topology) * sizeof *cpus) };

  g_array_append_val (shares, s);
  return &g_array_index (shares, Share, shares->len - 1);
}

/* Nodes that know of the task. */
static void
note_node (VcNuma *m, guint32 task, guint32 node)
{
  GArray *nodes = g_hash_table_lookup (m->decided, GUINT_TO_POINTER (task + 1));

  if (nodes == NULL) {
    nodes = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_hash_table_insert (m->decided, GUINT_TO_POINTER (task + 1), nodes);
  }
  for (guint i = 0; i < nodes->len; i++)
    if (g_array_index (nodes, guint32, i) == node)
      return;
  g_array_append_val (nodes, node);
}

gboolean
vc_numa_decided (VcNuma *m, guint32 task, guint32 node, const guint64 *cpus)
{
  Node *x = find (m, node);
  Share *s = x != NULL ? share_of (x->decided, task) : NULL;

  if (x == NULL)
    return FALSE;
  guint words = vc_cpu_topology_words (x->topology);
  mark_stale (m, node);
  if (s != NULL && memcmp (s->cpus, cpus, words * sizeof *cpus) == 0)
    return FALSE;
  if (s != NULL) {
    memcpy (s->cpus, cpus, words * sizeof *cpus);
    return TRUE;
  }
  add_share (x, x->decided, task, cpus)->listed = is_listed (x, &m->c->task[task]);
  note_node (m, task, node);
  return TRUE;
}

void
vc_numa_running (VcNuma *m, guint32 task)
{
  guint32 node = m->c->task[task].node;
  Node *x = node != VC_NONE && g_hash_table_size (m->decided) > 0 ? find (m, node) : NULL;
  const Share *s = x != NULL && share_of (x->held, task) == NULL ? share_of (x->decided, task) : NULL;

  if (s == NULL)
    return;
  add_share (x, x->held, task, s->cpus);
  for (guint w = 0; w < vc_cpu_topology_words (x->topology); w++)
    x->reported[w] &= ~s->cpus[w];
  mark_stale (m, node);
}

void
vc_numa_ended (VcNuma *m, guint32 task)
{
  guint32 node = m->c->task[task].node;
  Node *x = node != VC_NONE && g_hash_table_size (m->decided) > 0 ? find (m, node) : NULL;

  if (x == NULL || share_of (x->held, task) == NULL)
    return;
  drop_share (x->held, task);
  for (guint w = 0; w < vc_cpu_topology_words (x->topology); w++) {
    x->reported[w] = x->first[w];
    for (guint i = 0; i < x->held->len; i++)
      x->reported[w] &= ~g_array_index (x->held, Share, i).cpus[w];
  }
  mark_stale (m, node);
}

void
vc_numa_forget (VcNuma *m, guint32 task)
{
  const GArray *nodes = g_hash_table_size (m->decided) > 0 ? g_hash_table_lookup (m->decided, GUINT_TO_POINTER (task + 1)) : NULL;

  if (nodes == NULL)
    return;
  vc_numa_ended (m, task);
  for (guint i = 0; i < nodes->len; i++) {
    guint32 node = g_array_index (nodes, guint32, i);
    Share *s = share_of (m->node[node].decided, task);

    if (s != NULL && node == m->c->task[task].node)
      drop_share (m->node[node].decided, task);
    else if (s != NULL)
      s->task = VC_NONE;
    mark_stale (m, node);
  }
  g_hash_table_remove (m->decided, GUINT_TO_POINTER (task + 1));
}

void
vc_numa_remove_node (VcNuma *m, guint32 node)
{
  Node *x = find (m, node);

  if (x == NULL)
    return;
  clear_object (x);
  g_array_set_size (x->decided, 0);
  g_array_set_size (x->held, 0);
  vc_node_touch (m->c, node, FALSE);
}

/* ---- the view --------------------------------------------------------------------------------------- */

static void
work_out (VcNuma *m, guint32 node)
{
  Node *x = &m->node[node];
  guint words = vc_cpu_topology_words (x->topology);
  g_autofree guint64 *free = g_memdup2 (x->reported, words * sizeof *free);
  gboolean open = FALSE; /* a decision that no report confirms */

  for (guint i = 0; i < x->decided->len; i++) {
    const Share *s = &g_array_index (x->decided, Share, i);

    open |= !s->listed && (s->task == VC_NONE || share_of (x->held, s->task) == NULL);
  }
  if (!open)
    g_array_set_size (x->decided, 0);
  for (guint i = 0; i < x->decided->len; i++)
    for (guint w = 0; w < words; w++)
      free[w] &= ~g_array_index (x->decided, Share, i).cpus[w];
  if (memcmp (free, x->free, words * sizeof *free) == 0)
    return;
  memcpy (x->free, free, words * sizeof *free);
  x->view.version++;
  vc_node_touch (m->c, node, TRUE);
}

void
vc_numa_refresh (VcNuma *m)
{
  for (guint i = 0; i < m->stale->len; i++) {
    guint32 node = g_array_index (m->stale, guint32, i);

    m->node[node].stale = FALSE;
    if (m->node[node].topology != NULL)
      work_out (m, node);
  }
  g_array_set_size (m->stale, 0);
}

const VcNumaNode *
vc_numa_node (const VcNuma *m, guint32 node)
{
  const Node *x = find (m, node);

  return x != NULL ? &x->view : NULL;
}

static void
change_free (VcNuma *m, guint32 node, const guint64 *cpus, gboolean give)
{
  Node *x = find (m, node);

  if (x == NULL || !x->view.has_cpus)
    return;
  for (guint w = 0; w < vc_cpu_topology_words (x->topology); w++)
    x->free[w] = give ? x->free[w] | cpus[w] : x->free[w] & ~cpus[w];
  x->view.version++;
  mark_stale (m, node);
  vc_node_touch (m->c, node, give);
}

void vc_numa_take (VcNuma *m, guint32 node, const guint64 *cpus) { change_free (m, node, cpus, FALSE); }
void vc_numa_give (VcNuma *m, guint32 node, const guint64 *cpus) { change_free (m, node, cpus, TRUE); }
