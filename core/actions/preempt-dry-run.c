/* Topology-aware preemption: try the evictions on paper, spare whom one can, choose among the nodes by what is lost (02 §5.6).
 *
 * Nothing in the tables changes during the dry run: the room of a node and of the queue with some victims gone is kept in vectors.
 * Mirrors topologyAwarePreempt, DryRunPreemption, SelectVictimsOnNode and pickOneNodeForPreemption of preempt.go. */
#include "evict.h"
#include <string.h>

typedef struct {
  guint32 node;
  guint n;
  guint32 *victim; /* in the order that the choice reads: last removed first */
} Candidate;

typedef struct {
  VcSession *ssn;
  guint32 task, node, queue;
  VcRes *room;       /* FutureIdle with the removed victims gone */
  VcSimState state;
} DryRun;

static gboolean
fits (DryRun *r)
{
  const VcShape *shape = r->ssn->cluster->task[r->task].shape;

  if (!vc_session_sim_allocatable (r->ssn, &r->state, r->queue, r->task))
    return FALSE;
  for (guint64 left = shape->dims; left != 0; left &= left - 1) {
    guint d = (guint) __builtin_ctzll (left);
    if (!vc_le (shape->request->v[d], r->room->v[d]))
      return FALSE;
  }
  return vc_session_sim_predicate (r->ssn, &r->state, r->task, r->node);
}

static gboolean
move_victim (DryRun *r, guint32 victim, gboolean out)
{
  const VcRes *request = r->ssn->cluster->task[victim].shape->request;

  for (guint d = 0; d < request->n; d++) {
    r->room->v[d] += out ? request->v[d] : -request->v[d];
    r->state.removed->v[d] += out ? request->v[d] : -request->v[d];
  }
  if (out) {
    g_array_append_val (r->state.off, victim);
  } else {
    guint i = r->state.off->len;

    while (g_array_index (r->state.off, guint32, --i) != victim)
      ;
    g_array_remove_index (r->state.off, i);
  }
  return out ? vc_session_sim_remove (r->ssn, &r->state, r->task, victim, r->node) : vc_session_sim_add (r->ssn, &r->state, r->task, victim, r->node);
}

/* Victims on one node, or none. */
static gboolean
try_node (VcSession *ssn, guint32 task, guint32 node, gboolean same_job, VcEvictFilter filter, Candidate *out)
{
  VcCluster *c = ssn->cluster;
  guint n;
  const guint32 *on_node = vc_evict_tasks_of (c, node, &n);
  g_autoptr (GArray) preemptees = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) victims = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) removed = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) absent = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) off = g_array_new (FALSE, FALSE, sizeof (guint32));
  VC_RES_LOCAL (room, c->n_res);
  VC_RES_LOCAL (gone, c->n_res);
  DryRun r = { .ssn = ssn, .task = task, .node = node, .queue = c->job[c->task[task].job].queue, .room = room,
               .state = { .removed = gone, .gone = absent, .off = off } };
  VcVictimOrder order = { ssn, task };
  g_auto (VcHeap) heap = { 0 };
  gboolean enough = FALSE;

  for (guint i = 0; i < n; i++)
    if (filter (ssn, task, on_node[i], same_job))
      g_array_append_val (preemptees, on_node[i]);
  vc_session_victims (ssn, VC_HOOK_PREEMPTABLE, task, (const guint32 *) (gpointer) preemptees->data, preemptees->len, victims);
  if (!vc_evict_enough (c, task, node, victims))
    return FALSE;
  for (guint d = 0; d < c->n_res; d++)
    room->v[d] = c->nodes.future[d][node];
  vc_evict_fill (&heap, &order, victims);
  while (!enough && !vc_heap_is_empty (&heap)) { /* one at least is always removed before the first test (Q10) */
    guint32 v = vc_heap_pop (&heap);
    g_array_append_val (removed, v);
    if (!move_victim (&r, v, TRUE))
      return FALSE;
    enough = fits (&r);
  }
  if (removed->len == 0 || !vc_session_sim_predicate (ssn, &r.state, task, node))
    return FALSE;
  out->node = node;
  out->n = 0;
  out->victim = vc_arena_new0 (ssn->arena, guint32, removed->len);
  for (guint i = removed->len; i-- > 0;) { /* spare whom one can, last removed first */
    guint32 v = g_array_index (removed, guint32, i);
    if (!move_victim (&r, v, FALSE))
      return FALSE;
    if (fits (&r))
      continue;
    if (!move_victim (&r, v, TRUE))
      return FALSE;
    out->victim[out->n++] = v;
  }
  return out->n > 0;
}

/* ---- the choice: each rule keeps the best of those that tied before ------------------------------ */

static gint64
first_priority (const VcSession *ssn, const Candidate *c)
{
  return ssn->cluster->task[c->victim[0]].pod_priority;
}

static gint64
priority_sum (const VcSession *ssn, const Candidate *c)
{
  gint64 sum = 0;
  for (guint i = 0; i < c->n; i++)
    sum += ssn->cluster->task[c->victim[i]].pod_priority + G_GINT64_CONSTANT (2147483648);
  return sum;
}

static gint64
victims (const VcSession *ssn, const Candidate *c)
{
  return c->n;
}

/* The earliest start among the victims of highest priority, negated: the latest of these wins. */
static gint64
earliest_start (const VcSession *ssn, const Candidate *c)
{
  gint32 highest = G_MININT32;
  gint64 earliest = G_MAXINT64, now = ssn->now / G_USEC_PER_SEC;

  for (guint i = 0; i < c->n; i++)
    highest = MAX (highest, ssn->cluster->task[c->victim[i]].pod_priority);
  for (guint i = 0; i < c->n; i++) {
    const VcTask *t = &ssn->cluster->task[c->victim[i]];
    if (t->pod_priority == highest)
      earliest = MIN (earliest, t->start_time == VC_NO_TIME ? now : t->start_time);
  }
  return -earliest;
}

static const Candidate *
choose (const VcSession *ssn, GArray *candidates)
{
  static gint64 (*const rule[]) (const VcSession *, const Candidate *) = { first_priority, priority_sum, victims, earliest_start };
  const Candidate *best = NULL;

  for (guint k = 0; k < G_N_ELEMENTS (rule) && candidates->len > 1; k++) {
    gint64 least = G_MAXINT64;
    guint kept = 0;
    for (guint i = 0; i < candidates->len; i++)
      least = MIN (least, rule[k] (ssn, &g_array_index (candidates, Candidate, i)));
    for (guint i = 0; i < candidates->len; i++)
      if (rule[k] (ssn, &g_array_index (candidates, Candidate, i)) == least)
        g_array_index (candidates, Candidate, kept++) = g_array_index (candidates, Candidate, i);
    g_array_set_size (candidates, kept);
  }
  for (guint i = 0; i < candidates->len; i++) {
    const Candidate *c = &g_array_index (candidates, Candidate, i);
    if (best == NULL || strcmp (ssn->cluster->nodes.info[c->node].name, ssn->cluster->nodes.info[best->node].name) < 0)
      best = c;
  }
  return best;
}

gboolean
vc_preempt_dry_run (VcSession *ssn, VcStatement *st, guint32 task, gboolean same_job, VcEvictFilter filter, const VcDryRunLimits *limits,
                    const guint32 *nodes, guint n)
{
  VcEngine *e = ssn->engine;
  g_autoptr (GArray) candidates = g_array_new (FALSE, FALSE, sizeof (Candidate));
  gint64 wanted = (gint64) n * limits->percent / 100;
  guint start = e->dry_run_cursor % n, seen = 0;

  wanted = MIN (MIN (MAX (wanted, limits->least), limits->most), (gint64) n);
  for (; seen < n; seen++) {
    Candidate c;
    if (try_node (ssn, task, nodes[(start + seen) % n], same_job, filter, &c))
      g_array_append_val (candidates, c);
    if ((gint64) candidates->len >= wanted) {
      seen++;
      break;
    }
  }
  e->dry_run_cursor += seen;
  const Candidate *best = choose (ssn, candidates);
  if (best == NULL)
    return FALSE;
  g_autoptr (VcStatement) here = vc_statement_new (ssn);
  for (guint i = 0; i < best->n; i++)
    vc_statement_evict (here, best->victim[i], "preempt");
  if (!vc_statement_pipeline (here, task, best->node, TRUE)) {
    vc_statement_discard (here);
    return FALSE;
  }
  vc_statement_merge (st, here);
  return TRUE;
}
