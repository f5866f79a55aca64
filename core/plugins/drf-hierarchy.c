/* The tree of hierarchical drf. Mirrors buildHierarchy, updateHierarchicalShare, compareQueues (pkg/scheduler/plugins/drf/drf.go).
 *
 * Upstream computes the whole tree anew at every event. Here only the leaf and its ancestors are, as long as the set of demanding
 * resources stays the same: all other nodes would get the very values that they have. */
#include "drf-hierarchy.h"
#include <string.h>

typedef struct {
  const char *key;        /* part of the path (interned here), or the job's key */
  double weight, share;
  guint32 parent;
  gboolean leaf, saturated;
  guint32 job;            /* of a leaf */
  guint32 *child, n_children, cap_children; /* by key */
} Node;

struct VcDrfTree {
  GStringChunk *text;
  Node *node;             /* 0 is the root; parents come before their children */
  guint32 n, cap;
  double *allocated;      /* [n][n_res] */
  guint32 *leaf_of;       /* per job row */
  guint32 *path;          /* per queue: nodes from the root down, VC_NONE from where the tree has none */
  guint32 *path_of, *path_len; /* per queue row: place in `path`, number of parts */
  guint32 n_path, cap_path, cap_jobs, cap_queues;
  const VcCluster *c;
  const VcRes *total;
  guint n_res;
  guint64 dims, demanding;
  double *sum;            /* [n_res] totalAllocated */
};

VcDrfTree *
vc_drf_tree_new (void)
{
  VcDrfTree *t = g_new0 (VcDrfTree, 1);

  t->text = g_string_chunk_new (1024);
  return t;
}

void
vc_drf_tree_free (VcDrfTree *t)
{
  if (t == NULL)
    return;
  for (guint32 i = 0; i < t->cap; i++)
    g_free (t->node[i].child);
  g_string_chunk_free (t->text);
  g_free (t->node);
  g_free (t->allocated);
  g_free (t->leaf_of);
  g_free (t->path);
  g_free (t->path_of);
  g_free (t->path_len);
  g_free (t->sum);
  g_free (t);
}

/* ---- building ------------------------------------------------------------------------------- */

static double *
amounts (const VcDrfTree *t, guint32 node)
{
  return t->allocated + (gsize) node * t->n_res;
}

/* Where @key is or belongs among the children. */
static gboolean
find_child (const VcDrfTree *t, guint32 parent, const char *key, guint32 *at)
{
  const Node *p = &t->node[parent];
  guint32 lo = 0, hi = p->n_children;

  while (lo < hi) {
    guint32 mid = lo + (hi - lo) / 2;
    int cmp = strcmp (t->node[p->child[mid]].key, key);

    if (cmp == 0) {
      *at = mid;
      return TRUE;
    }
    if (cmp < 0)
      lo = mid + 1;
    else
      hi = mid;
  }
  *at = lo;
  return FALSE;
}

static guint32
new_node (VcDrfTree *t, guint32 parent, guint32 at, const char *key, double weight)
{
  if (t->n == t->cap) {
    guint32 old = t->cap;

    t->cap = MAX (64, old * 2);
    t->node = g_renew (Node, t->node, t->cap);
    memset (t->node + old, 0, (t->cap - old) * sizeof *t->node);
    t->allocated = g_renew (double, t->allocated, (gsize) t->cap * t->n_res);
  }
  Node *n = &t->node[t->n];
  guint32 *child = n->child, cap = n->cap_children;

  *n = (Node) { .key = key, .weight = weight, .parent = parent, .job = VC_NONE, .child = child, .cap_children = cap };
  memset (amounts (t, t->n), 0, t->n_res * sizeof (double));
  if (parent != VC_NONE) {
    Node *p = &t->node[parent];

    if (p->n_children == p->cap_children) {
      p->cap_children = MAX (4, p->cap_children * 2);
      p->child = g_renew (guint32, p->child, p->cap_children);
    }
    memmove (&p->child[at + 1], &p->child[at], (p->n_children - at) * sizeof *p->child);
    p->child[at] = t->n;
    p->n_children++;
  }
  return t->n++;
}

/* Go's ParseFloat, 0 for what it refuses; at least 1. */
static double
read_weight (const char *text)
{
  char *end = NULL;
  double w = text != NULL && *text != '\0' && !g_ascii_isspace (*text) ? g_ascii_strtod (text, &end) : 0;

  if (end != NULL && *end != '\0')
    w = 0;
  return w < 1 ? 1 : w;
}

static const char *
annotation (const VcCluster *c, guint32 queue, const char *key)
{
  const char *v = vc_pairs_get (&c->queue[queue].meta->annotations, key);

  return v != NULL ? v : "";
}

/* The inner node of a queue's path; those that are missing are made with the weights of this queue (1 where it names none). */
static guint32
make_path (VcDrfTree *t, guint32 queue)
{
  g_auto (GStrv) part = g_strsplit (annotation (t->c, queue, "volcano.sh/hierarchy"), "/", -1);
  g_auto (GStrv) weight = g_strsplit (annotation (t->c, queue, "volcano.sh/hierarchy-weights"), "/", -1);
  guint n_weights = g_strv_length (weight);
  guint32 node = 0, at;

  for (guint i = 1; part[0] != NULL && part[i] != NULL; i++) {
    if (find_child (t, node, part[i], &at))
      node = t->node[node].child[at];
    else
      node = new_node (t, node, at, g_string_chunk_insert_const (t->text, part[i]), read_weight (i < n_weights ? weight[i] : NULL));
  }
  return node;
}

/* The nodes along a queue's path, for comparisons. */
static void
trace_path (VcDrfTree *t, guint32 queue)
{
  const char *text = annotation (t->c, queue, "volcano.sh/hierarchy");
  g_auto (GStrv) part = g_strsplit (text, "/", -1);
  guint n = MAX (g_strv_length (part), 1); /* Go splits an empty text into one part */
  guint32 node = 0;

  if (t->n_path + n > t->cap_path) {
    t->cap_path = MAX (t->n_path + n, t->cap_path * 2);
    t->path = g_renew (guint32, t->path, t->cap_path);
  }
  t->path_of[queue] = t->n_path;
  t->path_len[queue] = n;
  for (guint i = 0; i < n; i++) {
    guint32 at;

    if (i > 0 && node != VC_NONE)
      node = find_child (t, node, part[i], &at) ? t->node[node].child[at] : VC_NONE;
    t->path[t->n_path++] = node;
  }
}

/* ---- shares --------------------------------------------------------------------------------- */

static double
dominant_share (const VcDrfTree *t, const double *a)
{
  double best = 0;

  for (guint64 left = t->dims; left != 0; left &= left - 1) {
    guint d = (guint) __builtin_ctzll (left);
    double share = a[d] / t->total->v[d];

    if (share > best)
      best = share;
  }
  return best;
}

static void
update_leaf (VcDrfTree *t, guint32 row)
{
  Node *n = &t->node[row];
  const double *a = amounts (t, row), *request = t->c->job[n->job].total->v;

  n->share = dominant_share (t, a);
  n->saturated = FALSE;
  for (guint d = 0; d < t->n_res && !n->saturated; d++) {
    if (a[d] < VC_RES_EPSILON || request[d] == 0)
      continue;
    n->saturated = a[d] >= request[d] || ((t->demanding >> d) & 1u) == 0;
  }
}

static void
update_inner (VcDrfTree *t, guint32 row)
{
  Node *n = &t->node[row];
  double *a = amounts (t, row), least = 1;

  n->saturated = TRUE;
  for (guint32 i = 0; i < n->n_children; i++) {
    const Node *child = &t->node[n->child[i]];

    if (!child->saturated && child->share != 0 && child->share < least)
      least = child->share;
    n->saturated &= child->saturated;
  }
  memset (a, 0, t->n_res * sizeof *a);
  for (guint32 i = 0; i < n->n_children; i++) {
    const Node *child = &t->node[n->child[i]];
    const double *part = amounts (t, n->child[i]);

    if (child->share == 0)
      continue;
    if (child->saturated) { /* not scaled */
      for (guint d = 0; d < t->n_res; d++)
        a[d] += part[d];
    } else {
      double ratio = least / child->share;

      for (guint d = 0; d < t->n_res; d++)
        a[d] += part[d] * ratio;
    }
  }
  n->share = dominant_share (t, a);
}

static guint64
demanding (const VcDrfTree *t)
{
  guint64 mask = 0;

  for (guint64 left = t->dims; left != 0; left &= left - 1) {
    guint d = (guint) __builtin_ctzll (left);

    if (t->sum[d] < t->total->v[d])
      mask |= G_GUINT64_CONSTANT (1) << d;
  }
  return mask;
}

static void
update_all (VcDrfTree *t)
{
  for (guint32 i = t->n; i-- > 0;) {
    if (t->node[i].leaf)
      update_leaf (t, i);
    else
      update_inner (t, i);
  }
}

/* ---- interface ------------------------------------------------------------------------------ */

void
vc_drf_tree_build (VcDrfTree *t, VcSession *ssn, guint64 dims)
{
  const VcCluster *c = vc_session_cluster (ssn);
  guint n_jobs, n_queues;
  const guint32 *jobs = vc_session_jobs (ssn, &n_jobs), *queues = vc_session_queues (ssn, &n_queues);

  if (t->sum == NULL) {
    t->n_res = c->n_res;
    t->sum = g_new (double, c->n_res);
  }
  t->c = c;
  t->total = vc_session_total (ssn);
  t->dims = dims;
  memset (t->sum, 0, t->n_res * sizeof *t->sum);
  if (c->n_jobs > t->cap_jobs) {
    t->cap_jobs = c->cap_jobs;
    t->leaf_of = g_renew (guint32, t->leaf_of, t->cap_jobs);
  }
  if (c->n_queues > t->cap_queues) {
    t->cap_queues = c->cap_queues;
    t->path_of = g_renew (guint32, t->path_of, t->cap_queues);
    t->path_len = g_renew (guint32, t->path_len, t->cap_queues);
  }
  g_string_chunk_clear (t->text);
  t->n = t->n_path = 0;
  new_node (t, VC_NONE, 0, "root", 1);
  for (guint i = 0; i < n_jobs; i++) { /* by key: the first job below an inner node gives it its weight */
    const VcJob *j = vc_job (c, jobs[i]);
    guint32 parent = make_path (t, j->queue), at;

    find_child (t, parent, j->key, &at);
    guint32 leaf = new_node (t, parent, at, j->key, 1);
    t->node[leaf].leaf = TRUE;
    t->node[leaf].job = jobs[i];
    t->leaf_of[jobs[i]] = leaf;
    if (vc_job_allocated_num (j) == 0)
      continue;
    for (guint d = 0; d < t->n_res; d++) {
      amounts (t, leaf)[d] = j->allocated->v[d];
      t->sum[d] += j->allocated->v[d];
    }
  }
  for (guint i = 0; i < n_queues; i++)
    trace_path (t, queues[i]);
  t->demanding = demanding (t);
  if (n_jobs > 0)
    update_all (t);
}

void
vc_drf_tree_change (VcDrfTree *t, guint32 job, const VcRes *request, int sign)
{
  guint32 leaf = t->leaf_of[job];
  double *a = amounts (t, leaf);

  for (guint d = 0; d < t->n_res; d++) {
    a[d] += sign * request->v[d];
    t->sum[d] += sign * request->v[d];
  }
  guint64 now = demanding (t);
  if (now != t->demanding) {
    t->demanding = now;
    update_all (t);
    return;
  }
  update_leaf (t, leaf);
  for (guint32 n = t->node[leaf].parent; n != VC_NONE; n = t->node[n].parent)
    update_inner (t, n);
}

double
vc_drf_tree_compare (const VcDrfTree *t, guint32 l, guint32 r)
{
  const guint32 *lp = t->path + t->path_of[l], *rp = t->path + t->path_of[r];
  guint32 depth = MIN (t->path_len[l], t->path_len[r]);

  for (guint32 i = 0; i < depth && lp[i] != VC_NONE && rp[i] != VC_NONE; i++) {
    const Node *a = &t->node[lp[i]], *b = &t->node[rp[i]];

    if (a->saturated != b->saturated)
      return a->saturated ? 1 : -1;
    double x = a->share / a->weight, y = b->share / b->weight;
    if (x != y)
      return x - y;
  }
  return 0;
}
