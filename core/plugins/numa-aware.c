/* core/plugins/numa-aware.c - foresee which CPUs the kubelet will give a pod, and on how many NUMA nodes they lie.
 *
 * Policy: a pod that the kubelet classes as guaranteed gets CPUs of its own where a container asks for whole ones. On nodes whose agent reports
 * CPUs (core/numa/numa.h), container by container: hints of NUMA nodes for its CPUs, the policy of the node merges them (core/numa/numa-policy.h), CPUs are
 * taken from the chosen nodes first (core/numa/cpu-topology.h).
 *
 *   pod with a policy       the node must report CPUs, have the CPU manager policy static, the same topology policy and a free CPU
 *   pod without (or none)   is looked at only where the CPU manager is static and the node has a topology policy; that one counts
 *   refused                 by the policy of the node: no eviction helps
 *
 *   score = (100 - floor (100 * nodes / most)) * weight      pods with a policy; nodes: NUMA nodes of the CPUs foreseen; most: over the candidates
 *                                                            (100 * weight everywhere when no CPU is foreseen at all)
 *
 * A placement takes the CPUs foreseen last for this task on this node, and gives them back when it is taken back. What stands when the session
 * closes, be it only pipelined, is kept until the agent reports it.
 *
 * Example: 2 NUMA nodes of 4 CPUs, a pod of 4 CPUs, best-effort. Node A all free: {0-3}, 1 NUMA node; node B with 2-5 free: {2-5}, 2 of them.
 * Scores 100 - 50 = 50 and 0. Under restricted B refuses, as 4 CPUs could lie on one NUMA node.
 *
 * Mirrors pkg/scheduler/plugins/numaaware/numaaware.go. */
#include "plugins.h"
#include <string.h>

#define PLUGIN "numa-aware"
#define MEMOS 16u /* shapes that are remembered of a node */

const VcArgSpec vc_numa_aware_args[] = {
  { "weight", VC_ARG_INT, "weight of the score (default 1)" },
  { NULL, VC_ARG_ANY, NULL },
};

/* What pods of a shape get of a node, as long as its free CPUs are of that version. */
typedef struct {
  guint32 shape, version; /* version 0: nothing yet */
  guint32 refused;        /* container that is refused, VC_NONE: none */
  guint nodes;            /* NUMA nodes */
  guint64 *cpus;
} Foresight;
typedef struct {
  Foresight *of;          /* [MEMOS], by shape id; NULL: none yet */
  guint32 visitor, session; /* task that was let in last, when */
} PerNode;

typedef struct { guint32 node; guint64 *cpus; } Assigned;
typedef struct { guint32 task, node; } Placed;

typedef struct {
  gint64 weight;
  gboolean filters;      /* enablePredicate; without it nothing is ever foreseen */
  guint32 session;
  PerNode *node; guint32 cap;
  GHashTable *assigned;  /* task row + 1 → GArray of Assigned: what tasks were placed with in this session, whether they still are or not */
  GArray *placed;        /* Placed */
  GArray *hints;         /* scratch: VcNumaHint */
} NumaAware;

static void
clear_assigned (gpointer p)
{
  g_free (((Assigned *) p)->cpus);
}

static gboolean
numa_aware_init (gpointer self, const VcPluginOption *option, gboolean lenient, GError **error)
{
  NumaAware *p = self;

  p->weight = 1;
  vc_args_get_int (&option->args, "weight", &p->weight);
  p->filters = option->on[VC_FLAG_PREDICATE];
  p->assigned = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  p->placed = g_array_new (FALSE, FALSE, sizeof (Placed));
  p->hints = g_array_new (FALSE, FALSE, sizeof (VcNumaHint));
  return TRUE;
}

static void
numa_aware_clear (gpointer self)
{
  NumaAware *p = self;

  for (guint32 i = 0; i < p->cap; i++)
    for (guint k = 0; p->node[i].of != NULL && k < MEMOS; k++)
      g_free (p->node[i].of[k].cpus);
  for (guint32 i = 0; i < p->cap; i++)
    g_free (p->node[i].of);
  g_free (p->node);
  g_clear_pointer (&p->assigned, g_hash_table_unref);
  g_clear_pointer (&p->placed, g_array_unref);
  g_clear_pointer (&p->hints, g_array_unref);
}

/* ---- what a pod would get ------------------------------------------------------------------------ */

/* Whole CPUs that the container asks for, else 0. */
static gint64
whole_cpus (const VcContainer *c)
{
  for (guint i = 0; i < c->request.n; i++) {
    const VcQuantity *q = &c->request.item[i].q;

    if (strcmp (c->request.item[i].name, "cpu") == 0)
      return q->value * 1000 == q->milli ? q->value : 0;
  }
  return 0;
}

static void
tell (GString *why, const VcContainer *c, gint64 want, const guint64 *avail, const guint64 *given, guint words, const VcNumaHints *of, const VcNumaHint *best)
{
  g_string_append_printf (why, "container %s: ", c->name != NULL ? c->name : "");
  if (of->free) {
    g_string_append (why, "no whole CPUs\n");
    return;
  }
  g_string_append_printf (why, "%" G_GINT64_FORMAT " whole CPUs of ", want);
  vc_cpu_list_append (why, avail, words);
  g_string_append_printf (why, "; %u set%s of NUMA nodes with so many", of->n, of->n == 1 ? "" : "s");
  if (!best->any) {
    g_string_append (why, ", best ");
    vc_cpu_list_append (why, &best->nodes, 1);
    g_string_append (why, best->preferred ? "" : " (more than needed)");
  }
  if (given == NULL) {
    g_string_append (why, ": refused\n");
    return;
  }
  g_string_append (why, ": CPUs ");
  vc_cpu_list_append (why, given, words);
  g_string_append_c (why, '\n');
}

static void
foresee (NumaAware *p, const VcNumaNode *n, const VcShape *shape, Foresight *f, GString *why)
{
  guint words = vc_cpu_topology_words (n->topology);
  g_autofree guint64 *free = g_memdup2 (n->free, words * sizeof *free), *avail = g_new (guint64, words), *some = g_new (guint64, words);
  guint64 nodes = vc_cpu_topology_nodes (n->topology);

  memset (f->cpus, 0, words * sizeof *f->cpus);
  f->refused = VC_NONE;
  for (guint i = 0; i < shape->spec.n_containers; i++) {
    const VcContainer *c = &shape->spec.container[i];
    gint64 want = whole_cpus (c);
    VcNumaHint best;

    if (c->init)
      continue;
    for (guint w = 0; w < words; w++)
      avail[w] = free[w] & ~n->reserved[w];
    VcNumaHints of_cpus = { .free = want == 0 || !n->has_cpus };
    if (!of_cpus.free) {
      vc_cpu_hints (n->topology, avail, want, p->hints);
      of_cpus = (VcNumaHints) { (const VcNumaHint *) (gpointer) p->hints->data, p->hints->len, FALSE };
    }
    gboolean good = vc_numa_policy_admits (n->merges, nodes, &of_cpus, 1, &best);
    if (!good)
      f->refused = i;
    else
      vc_cpu_give (n->topology, avail, want, &best, some);
    if (why != NULL)
      tell (why, c, want, avail, good ? some : NULL, words, &of_cpus, &best);
    if (!good)
      break;
    for (guint w = 0; w < words; w++) {
      f->cpus[w] |= some[w];
      free[w] &= ~some[w];
    }
  }
  guint64 span = vc_cpu_topology_span (n->topology, f->cpus);
  f->nodes = vc_cpu_count (&span, 1);
}

static const Foresight *
foreseen (NumaAware *p, const VcNumaNode *n, guint32 node, const VcShape *shape)
{
  PerNode *x = &p->node[node];

  if (x->of == NULL)
    x->of = g_new0 (Foresight, MEMOS);
  Foresight *f = &x->of[shape->id % MEMOS];
  if (f->version == n->version && f->shape == shape->id)
    return f;
  f->cpus = g_renew (guint64, f->cpus, vc_cpu_topology_words (n->topology));
  f->shape = shape->id;
  f->version = n->version;
  foresee (p, n, shape, f, NULL);
  return f;
}

typedef enum { LOOKED_AT, NOT_LOOKED_AT, UNFIT } Gate;

/* May the pod be looked at on the node? UNFIT with *reason. */
static Gate
gate (VcSession *ssn, const VcShape *shape, const VcNumaNode *n, const char **reason)
{
  const char *policy = shape->spec.numa_policy;

  if (policy == NULL)
    return n != NULL && n->is_static && *n->policy != '\0' && strcmp (n->policy, "none") != 0 ? LOOKED_AT : NOT_LOOKED_AT;
  if (n == NULL) {
    *reason = "numa info is empty";
  } else if (!n->is_static) {
    *reason = "cpu manager policy isn't static";
  } else if (strcmp (policy, n->policy) != 0) {
    g_autofree char *text = g_strdup_printf ("task topology policy[%s] is different with node[%s]", policy, n->policy);

    *reason = vc_cluster_intern (vc_session_cluster (ssn), text);
  } else if (vc_cpu_count (n->free, vc_cpu_topology_words (n->topology)) == 0) {
    *reason = "cpu allocatable map is empty";
  } else {
    return LOOKED_AT;
  }
  return UNFIT;
}

static gboolean
is_concerned (VcSession *ssn, guint32 task)
{
  return vc_task (vc_session_cluster (ssn), task)->shape->qos == VC_QOS_GUARANTEED;
}

/* ---- what tasks were placed with ------------------------------------------------------------------ */

static Assigned *
find_assigned (const NumaAware *p, guint32 task, guint32 node)
{
  const GArray *list = g_hash_table_size (p->assigned) > 0 ? g_hash_table_lookup (p->assigned, GUINT_TO_POINTER (task + 1)) : NULL;

  for (guint i = 0; list != NULL && i < list->len; i++)
    if (g_array_index (list, Assigned, i).node == node)
      return &g_array_index (list, Assigned, i);
  return NULL;
}

static const Assigned *
set_assigned (NumaAware *p, guint32 task, guint32 node, const guint64 *cpus, gsize bytes)
{
  Assigned *a = find_assigned (p, task, node);
  GArray *list;

  if (a != NULL) {
    memcpy (a->cpus, cpus, bytes);
    return a;
  }
  list = g_hash_table_lookup (p->assigned, GUINT_TO_POINTER (task + 1));
  if (list == NULL) {
    list = g_array_new (FALSE, FALSE, sizeof (Assigned));
    g_array_set_clear_func (list, clear_assigned);
    g_hash_table_insert (p->assigned, GUINT_TO_POINTER (task + 1), list);
  }
  const Assigned fresh = { node, g_memdup2 (cpus, bytes) };
  g_array_append_val (list, fresh);
  return &g_array_index (list, Assigned, list->len - 1);
}

static gsize
set_bytes (const VcNumaNode *n)
{
  return vc_cpu_topology_words (n->topology) * sizeof (guint64);
}

/* CPUs foreseen last for the task on the node: by the predicate when it let the task in there, or, where the node came from what is remembered of
 * the shape, as the node is now. NULL: none. */
static const guint64 *
last_foreseen (NumaAware *p, VcSession *ssn, guint32 task, guint32 node, guint *nodes)
{
  const VcShape *shape = vc_task (vc_session_cluster (ssn), task)->shape;
  const VcNumaNode *n = vc_numa_node (vc_session_numa (ssn), node);
  const Assigned *a = find_assigned (p, task, node);
  gboolean remembered = vc_session_remembered (ssn, task);
  const char *ignored;

  if (n == NULL || (!remembered && a == NULL && (p->node[node].session != p->session || p->node[node].visitor != task)))
    return NULL;
  if (!remembered && a != NULL) {
    guint64 span = vc_cpu_topology_span (n->topology, a->cpus);

    *nodes = vc_cpu_count (&span, 1);
    return a->cpus;
  }
  if (gate (ssn, shape, n, &ignored) != LOOKED_AT)
    return NULL;
  const Foresight *f = foreseen (p, n, node, shape);
  *nodes = f->nodes;
  return f->refused == VC_NONE ? f->cpus : NULL;
}

/* ---- hooks ------------------------------------------------------------------------------------------ */

static gboolean
numa_aware_predicate (gpointer self, VcSession *ssn, guint32 task, guint32 node, VcFitError *e)
{
  NumaAware *p = self;
  const VcShape *shape = vc_task (vc_session_cluster (ssn), task)->shape;
  const VcNumaNode *n = vc_numa_node (vc_session_numa (ssn), node);
  const char *reason = NULL;

  if (!is_concerned (ssn, task))
    return TRUE;
  Gate g = gate (ssn, shape, n, &reason);
  if (g == UNFIT)
    vc_fit_error_add (e, VC_ERROR, reason, "");
  if (g != LOOKED_AT)
    return g == NOT_LOOKED_AT;
  const Foresight *f = foreseen (p, n, node, shape);
  if (f->refused != VC_NONE) {
    const char *name = shape->spec.container[f->refused].name;
    g_autofree char *text = g_strdup_printf ("container %s cannot be assigned by numa", name != NULL ? name : "");

    vc_fit_error_add (e, VC_UNRESOLVABLE, vc_cluster_intern (vc_session_cluster (ssn), text), PLUGIN);
    return FALSE;
  }
  p->node[node].visitor = task;
  p->node[node].session = p->session;
  if (find_assigned (p, task, node) != NULL)
    set_assigned (p, task, node, f->cpus, set_bytes (n));
  return TRUE;
}

static void
numa_aware_column (gpointer self, VcSession *ssn, guint32 task, const guint32 *nodes, guint count, guint8 *ok)
{
  NumaAware *p = self;
  const VcShape *shape = vc_task (vc_session_cluster (ssn), task)->shape;
  const char *ignored;

  for (guint i = 0; is_concerned (ssn, task) && i < count; i++) {
    const VcNumaNode *n = ok[i] ? vc_numa_node (vc_session_numa (ssn), nodes[i]) : NULL;
    Gate g = ok[i] ? gate (ssn, shape, n, &ignored) : NOT_LOOKED_AT;

    if (g == UNFIT || (g == LOOKED_AT && foreseen (p, n, nodes[i], shape)->refused != VC_NONE))
      ok[i] = 0;
  }
}

/* For tasks that get no CPUs of their own. */
static guint32
numa_aware_room (gpointer self, VcSession *ssn, guint32 task, guint32 node)
{
  return is_concerned (ssn, task) ? VC_ROOM_UNKNOWN : VC_ROOM_MAX;
}

static VcScope
numa_aware_score_scope (gpointer self, VcSession *ssn, const VcShape *shape)
{
  return shape->spec.numa_policy != NULL && ((const NumaAware *) self)->filters ? VC_SCOPE_GROUP : VC_SCOPE_NODE;
}

static gboolean
numa_aware_score (gpointer self, VcSession *ssn, guint32 task, const guint32 *nodes, guint count, double *score)
{
  NumaAware *p = self;
  guint most = 0;
  gboolean any = FALSE;

  if (numa_aware_score_scope (self, ssn, vc_task (vc_session_cluster (ssn), task)->shape) == VC_SCOPE_NODE)
    return TRUE;
  g_autofree guint *spans = g_new0 (guint, count);
  for (guint i = 0; i < count; i++) {
    any |= last_foreseen (p, ssn, task, nodes[i], &spans[i]) != NULL;
    most = MAX (most, spans[i]);
  }
  for (guint i = 0; any && i < count; i++)
    score[i] += (double) ((100 - (most > 0 ? (gint64) (100 * spans[i] / most) : 0)) * p->weight);
  return TRUE;
}

static gboolean
numa_aware_allocated (gpointer self, VcSession *ssn, guint32 task)
{
  NumaAware *p = self;
  guint32 node = vc_task (vc_session_cluster (ssn), task)->node;
  guint ignored = 0;

  if (!p->filters || !is_concerned (ssn, task))
    return TRUE;
  const guint64 *cpus = last_foreseen (p, ssn, task, node, &ignored);
  if (cpus == NULL)
    return TRUE;
  const Placed placed = { task, node };
  const Assigned *a = find_assigned (p, task, node);
  if (a == NULL || a->cpus != cpus)
    a = set_assigned (p, task, node, cpus, set_bytes (vc_numa_node (vc_session_numa (ssn), node)));
  vc_numa_take (vc_session_numa (ssn), node, a->cpus);
  g_array_append_val (p->placed, placed);
  return TRUE;
}

static void
numa_aware_deallocated (gpointer self, VcSession *ssn, guint32 task)
{
  NumaAware *p = self;
  guint32 node = vc_task (vc_session_cluster (ssn), task)->node;
  const Assigned *a = find_assigned (p, task, node);

  if (a == NULL)
    return;
  vc_numa_give (vc_session_numa (ssn), node, a->cpus);
  for (guint i = p->placed->len; i-- > 0;)
    if (g_array_index (p->placed, Placed, i).task == task)
      g_array_remove_index (p->placed, i);
}

static void
numa_aware_session_open (gpointer self, VcSession *ssn)
{
  NumaAware *p = self;

  p->session = vc_session_number (ssn);
  guint32 rows = vc_session_cluster (ssn)->nodes.n;
  if (rows > p->cap) {
    guint32 cap = MAX (rows, 2 * p->cap);

    p->node = g_renew (PerNode, p->node, cap);
    memset (p->node + p->cap, 0, (cap - p->cap) * sizeof *p->node);
    p->cap = cap;
  }
  vc_session_add_predicate (ssn, numa_aware_predicate, numa_aware_column, NULL);
  vc_session_add_room (ssn, numa_aware_room);
  vc_session_add_batch_node_order (ssn, numa_aware_score, numa_aware_score_scope);
  vc_session_add_handlers (ssn, numa_aware_allocated, numa_aware_deallocated);
}

static void
numa_aware_session_close (gpointer self, VcSession *ssn)
{
  NumaAware *p = self;

  for (guint i = 0; i < p->placed->len; i++) {
    const Placed *x = &g_array_index (p->placed, Placed, i);
    const Assigned *a = find_assigned (p, x->task, x->node);

    if (a != NULL && vc_numa_decided (vc_session_numa (ssn), x->task, x->node, a->cpus))
      vc_session_note_change (ssn);
  }
  g_array_set_size (p->placed, 0);
  g_hash_table_remove_all (p->assigned);
}

static void
numa_aware_explain (gpointer self, VcSession *ssn, guint32 task, guint32 node, GString *out)
{
  const VcShape *shape = vc_task (vc_session_cluster (ssn), task)->shape;
  const VcNumaNode *n = vc_numa_node (vc_session_numa (ssn), node);
  const char *ignored;

  if (!is_concerned (ssn, task) || gate (ssn, shape, n, &ignored) != LOOKED_AT)
    return;
  g_autofree guint64 *cpus = g_new (guint64, vc_cpu_topology_words (n->topology));
  Foresight f = { .cpus = cpus };
  foresee (self, n, shape, &f, out);
}

const VcPluginClass vc_plugin_numa_aware = {
  .name = PLUGIN,
  .summary = VC_NUMA_AWARE_SUMMARY,
  .args = vc_numa_aware_args,
  .instance_size = sizeof (NumaAware),
  .init = numa_aware_init,
  .session_open = numa_aware_session_open,
  .session_close = numa_aware_session_close,
  .clear = numa_aware_clear,
  .explain = numa_aware_explain,
};
