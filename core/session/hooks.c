/* Extension points: who takes part, and one function per combination rule (01 §12). Mirrors
 * pkg/scheduler/framework/session_plugins.go. */
#include "session-private.h"
#include <math.h>
#include <string.h>

/* ---- registration --------------------------------------------------------------------------- */

/* The flag that gates a family; -1: none, -2: enablePreemptable or enabledAllocatable. */
static const int family_flag[VC_N_HOOKS] = {
  [VC_HOOK_JOB_ORDER] = VC_FLAG_JOB_ORDER, [VC_HOOK_QUEUE_ORDER] = VC_FLAG_QUEUE_ORDER, [VC_HOOK_TASK_ORDER] = VC_FLAG_TASK_ORDER,
  [VC_HOOK_SUB_JOB_ORDER] = VC_FLAG_SUB_JOB_ORDER, [VC_HOOK_CLUSTER_ORDER] = VC_FLAG_CLUSTER_ORDER, [VC_HOOK_VICTIM_QUEUE_ORDER] = -1,
  [VC_HOOK_JOB_READY] = VC_FLAG_JOB_READY, [VC_HOOK_SUB_JOB_READY] = VC_FLAG_SUB_JOB_READY, [VC_HOOK_JOB_PIPELINED] = VC_FLAG_JOB_PIPELINED,
  [VC_HOOK_SUB_JOB_PIPELINED] = VC_FLAG_SUB_JOB_PIPELINED, [VC_HOOK_JOB_VALID] = -1, [VC_HOOK_JOB_STARVING] = VC_FLAG_JOB_STARVING,
  [VC_HOOK_JOB_ENQUEUEABLE] = VC_FLAG_JOB_ENQUEUED, [VC_HOOK_JOB_ENQUEUED] = VC_FLAG_JOB_ENQUEUED, [VC_HOOK_OVERUSED] = VC_FLAG_OVERUSED,
  [VC_HOOK_ALLOCATABLE] = VC_FLAG_ALLOCATABLE, [VC_HOOK_PREEMPTIVE] = VC_FLAG_PREEMPTIVE, [VC_HOOK_PREEMPTABLE] = VC_FLAG_PREEMPTABLE,
  [VC_HOOK_RECLAIMABLE] = VC_FLAG_RECLAIMABLE, [VC_HOOK_UNIFIED_EVICTABLE] = -1, [VC_HOOK_VICTIM_TASKS] = VC_FLAG_VICTIM,
  [VC_HOOK_PRE_PREDICATE] = VC_FLAG_PREDICATE, [VC_HOOK_PREDICATE] = VC_FLAG_PREDICATE, [VC_HOOK_NODE_ORDER] = VC_FLAG_NODE_ORDER,
  [VC_HOOK_BATCH_NODE_ORDER] = VC_FLAG_NODE_ORDER, [VC_HOOK_NODE_MAP] = VC_FLAG_NODE_ORDER, [VC_HOOK_NODE_REDUCE] = VC_FLAG_NODE_ORDER,
  [VC_HOOK_BEST_NODE] = VC_FLAG_BEST_NODE, [VC_HOOK_TARGET_JOB] = VC_FLAG_TARGET_JOB, [VC_HOOK_RESERVED_NODES] = VC_FLAG_RESERVED_NODES,
  [VC_HOOK_SIM_PREDICATE] = VC_FLAG_PREDICATE, [VC_HOOK_SIM_ADD_TASK] = -2, [VC_HOOK_SIM_REMOVE_TASK] = -2,
  [VC_HOOK_SIM_ALLOCATABLE] = VC_FLAG_ALLOCATABLE, [VC_HOOK_GRADIENT] = VC_FLAG_HYPER_NODE_GRADIENT, [VC_HOOK_HYPER_ORDER] = VC_FLAG_HYPER_NODE_ORDER,
  [VC_HOOK_ROOM] = VC_FLAG_PREDICATE,
};

static void
add (VcSession *ssn, VcHookFamily f, VcAnyFn fn, VcAnyFn aux, VcScopeFn scope)
{
  if (fn == NULL)
    return;
  VcHook *h = &ssn->registered[ssn->opening->name_id * VC_N_HOOKS + f];
  if (h->session + 1 != ssn->number || h->fn != fn || h->aux != aux || h->scope != scope || h->self != ssn->opening->self)
    ssn->hooks_changed = TRUE;
  ssn->n_registered++;
  *h = (VcHook) { .fn = fn, .aux = aux, .scope = scope, .self = ssn->opening->self, .session = ssn->number, .plugin = ssn->opening->class->name };
}
#define ANY(fn) ((VcAnyFn) (fn))

void vc_session_add_compare (VcSession *s, VcHookFamily f, VcCompareFn fn) { add (s, f, ANY (fn), NULL, NULL); }
void vc_session_add_job_order (VcSession *s, VcCompareFn fn, VcJobKeyFn key) { add (s, VC_HOOK_JOB_ORDER, ANY (fn), ANY (key), NULL); }
void vc_session_add_steady_task_order (VcSession *s, VcCompareFn fn) { add (s, VC_HOOK_TASK_ORDER, ANY (fn), ANY (fn), NULL); }
void vc_session_add_sub_job_order (VcSession *s, VcSubCompareFn fn) { add (s, VC_HOOK_SUB_JOB_ORDER, ANY (fn), NULL, NULL); }
void vc_session_add_sub_job_ready (VcSession *s, VcSubTestFn fn) { add (s, VC_HOOK_SUB_JOB_READY, ANY (fn), NULL, NULL); }
void vc_session_add_sub_job_pipelined (VcSession *s, VcSubVoteFn fn) { add (s, VC_HOOK_SUB_JOB_PIPELINED, ANY (fn), NULL, NULL); }
void vc_session_add_gradient (VcSession *s, VcGradientFn fn) { add (s, VC_HOOK_GRADIENT, ANY (fn), NULL, NULL); }
void vc_session_add_hyper_order (VcSession *s, VcHyperScoreFn fn) { add (s, VC_HOOK_HYPER_ORDER, ANY (fn), NULL, NULL); }
void vc_session_add_victim_queue_order (VcSession *s, VcVictimQueueFn fn) { add (s, VC_HOOK_VICTIM_QUEUE_ORDER, ANY (fn), NULL, NULL); }
void vc_session_add_job_test (VcSession *s, VcHookFamily f, VcJobTestFn fn) { add (s, f, ANY (fn), NULL, NULL); }
void vc_session_add_job_vote (VcSession *s, VcHookFamily f, VcJobVoteFn fn) { add (s, f, ANY (fn), NULL, NULL); }
void vc_session_add_job_enqueued (VcSession *s, VcJobNoteFn fn) { add (s, VC_HOOK_JOB_ENQUEUED, ANY (fn), NULL, NULL); }
void vc_session_add_job_valid (VcSession *s, VcJobValidFn fn) { add (s, VC_HOOK_JOB_VALID, ANY (fn), NULL, NULL); }
void vc_session_add_overused (VcSession *s, VcQueueTestFn fn) { add (s, VC_HOOK_OVERUSED, ANY (fn), NULL, NULL); }
void vc_session_add_allocatable (VcSession *s, VcQueueTaskFn fn) { add (s, VC_HOOK_ALLOCATABLE, ANY (fn), NULL, NULL); }
void vc_session_add_preemptive (VcSession *s, VcQueueTasksFn fn) { add (s, VC_HOOK_PREEMPTIVE, ANY (fn), NULL, NULL); }
void vc_session_add_victims (VcSession *s, VcHookFamily f, VcVictimFn fn) { add (s, f, ANY (fn), NULL, NULL); }
void
vc_session_add_victims_of (VcSession *s, VcHookFamily f, VcVictimFn fn, VcVictimReads reads)
{
  add (s, f, ANY (fn), NULL, NULL);
  s->registered[s->opening->name_id * VC_N_HOOKS + f].reads = reads;
}

void vc_session_add_victim_tasks (VcSession *s, VcVictimTasksFn fn) { add (s, VC_HOOK_VICTIM_TASKS, ANY (fn), NULL, NULL); }
void vc_session_add_pre_predicate (VcSession *s, VcPrePredicateFn fn) { add (s, VC_HOOK_PRE_PREDICATE, ANY (fn), NULL, NULL); }

void
vc_session_add_predicate (VcSession *s, VcPredicateFn fn, VcPredicateColumnFn column, VcScopeFn scope)
{
  add (s, VC_HOOK_PREDICATE, ANY (fn), ANY (column), scope);
}

void vc_session_add_room (VcSession *s, VcRoomFn fn) { add (s, VC_HOOK_ROOM, ANY (fn), NULL, NULL); }
void vc_session_add_node_order (VcSession *s, VcNodeScoreFn fn, VcScopeFn scope) { add (s, VC_HOOK_NODE_ORDER, ANY (fn), NULL, scope); }
void vc_session_add_batch_node_order (VcSession *s, VcNodeScoreFn fn, VcScopeFn scope) { add (s, VC_HOOK_BATCH_NODE_ORDER, ANY (fn), NULL, scope); }
void vc_session_add_node_map (VcSession *s, VcNodeMapFn map, VcNodeReduceFn reduce) { add (s, VC_HOOK_NODE_MAP, ANY (map), ANY (reduce), NULL); }
void vc_session_add_best_node (VcSession *s, VcBestNodeFn fn) { add (s, VC_HOOK_BEST_NODE, ANY (fn), NULL, NULL); }
void vc_session_add_target_job (VcSession *s, VcTargetJobFn fn) { add (s, VC_HOOK_TARGET_JOB, ANY (fn), NULL, NULL); }
void vc_session_add_reserved_nodes (VcSession *s, VcReservedNodesFn fn) { add (s, VC_HOOK_RESERVED_NODES, ANY (fn), NULL, NULL); }

void
vc_session_add_simulation (VcSession *s, VcSimTaskFn predicate, VcSimTaskFn add_task, VcSimTaskFn remove_task, VcSimQueueFn allocatable)
{
  add (s, VC_HOOK_SIM_PREDICATE, ANY (predicate), NULL, NULL);
  add (s, VC_HOOK_SIM_ADD_TASK, ANY (add_task), NULL, NULL);
  add (s, VC_HOOK_SIM_REMOVE_TASK, ANY (remove_task), NULL, NULL);
  add (s, VC_HOOK_SIM_ALLOCATABLE, ANY (allocatable), NULL, NULL);
}

void
vc_session_add_handlers (VcSession *s, VcTaskAllocatedFn allocated, VcTaskEventFn deallocated)
{
  s->handler[s->n_handlers++] = (VcHandler) { allocated, deallocated, s->opening->self };
}

gboolean
vc_session_may_keep_order (const VcSession *ssn, VcHookFamily f)
{
  const VcChain *c = &ssn->chain[f];

  if (ssn->engine->options.plain)
    return FALSE;
  for (guint i = 0; i < c->n; i++)
    if (c->item[i].aux == NULL)
      return FALSE;
  return TRUE;
}

/* After every plugin has opened: who is asked, family by family, in the order of tiers and entries. */
void
vc_hooks_build (VcSession *ssn)
{
  VcEngine *e = ssn->engine;

  /* As a rule every plugin registers what it registered in the session before. */
  if (!ssn->hooks_changed && ssn->n_registered == ssn->n_registered_before)
    return;
  ssn->n_registered_before = ssn->n_registered;
  for (guint f = 0; f < VC_N_HOOKS; f++) {
    VcChain *c = &ssn->chain[f];
    c->n = 0;
    for (guint p = 0; p < e->n_plugins; p++) {
      const VcPlugin *pl = &e->plugin[p];
      const VcHook *h = &ssn->registered[pl->name_id * VC_N_HOOKS + f];
      const gboolean *on = pl->option->on;
      int flag = family_flag[f];
      gboolean enabled = flag == -1 || (flag == -2 ? on[VC_FLAG_PREEMPTABLE] || on[VC_FLAG_ALLOCATABLE] : on[flag]);

      if (h->fn == NULL || h->session != ssn->number || !enabled)
        continue;
      c->item[c->n] = *h;
      c->item[c->n++].tier = pl->tier;
    }
  }
}

static inline const VcObserver *
observer (VcSession *ssn)
{
  return ssn->engine->options.observer;
}

static void
tell_refused (VcSession *ssn, VcHookFamily f, guint32 queue, guint32 task, const char *plugin)
{
  const VcObserver *o = observer (ssn);
  if (o != NULL && o->refused != NULL)
    o->refused (o->user, ssn, f, queue, task, plugin);
}

/* @plugin NULL: nobody denies it. */
static void
tell_denied (VcSession *ssn, VcHookFamily f, guint32 job, const char *plugin)
{
  const VcObserver *o = observer (ssn);
  if (o != NULL && o->denied != NULL)
    o->denied (o->user, ssn, f, job, plugin);
}

#define EACH(ssn, family, h) \
  for (const VcHook *h = (ssn)->chain[family].item, *h##_end = h + (ssn)->chain[family].n; h < h##_end; h++)

/* ---- comparisons: the first non-zero decides ------------------------------------------------- */

static int
compare (VcSession *ssn, VcHookFamily f, guint32 l, guint32 r)
{
  EACH (ssn, f, h) {
    int c = ((VcCompareFn) h->fn) (h->self, ssn, l, r);
    if (c != 0)
      return c;
  }
  return 0;
}

int
vc_session_job_compare (VcSession *ssn, guint32 l, guint32 r)
{
  return compare (ssn, VC_HOOK_JOB_ORDER, l, r);
}

gboolean
vc_session_job_less (VcSession *ssn, guint32 l, guint32 r)
{
  int c = compare (ssn, VC_HOOK_JOB_ORDER, l, r);
  const VcJob *a = &ssn->cluster->job[l], *b = &ssn->cluster->job[r];

  if (c != 0)
    return c < 0;
  return a->created != b->created ? a->created < b->created : strcmp (a->key, b->key) < 0;
}

gboolean
vc_session_queue_less (VcSession *ssn, guint32 l, guint32 r)
{
  int c = compare (ssn, VC_HOOK_QUEUE_ORDER, l, r);
  const VcQueue *a = &ssn->cluster->queue[l], *b = &ssn->cluster->queue[r];

  if (c != 0)
    return c < 0;
  return a->created != b->created ? a->created < b->created : strcmp (a->name, b->name) < 0;
}

gboolean
vc_session_sub_job_less (VcSession *ssn, guint32 job, guint32 l, guint32 r)
{
  const VcSubJob *a = vc_job_sub (&ssn->cluster->job[job], l), *b = vc_job_sub (&ssn->cluster->job[job], r);

  EACH (ssn, VC_HOOK_SUB_JOB_ORDER, h) {
    int c = ((VcSubCompareFn) h->fn) (h->self, ssn, job, l, r);
    if (c != 0)
      return c < 0;
  }
  return a->match_index != b->match_index ? a->match_index < b->match_index : strcmp (a->uid, b->uid) < 0;
}

gboolean
vc_task_default_less (const VcTask *l, const VcTask *r)
{
  if (l->has_index && r->has_index && l->index != r->index)
    return l->index < r->index;
  return l->created != r->created ? l->created < r->created : strcmp (l->uid, r->uid) < 0;
}

int
vc_session_task_compare (VcSession *ssn, guint32 l, guint32 r)
{
  return compare (ssn, VC_HOOK_TASK_ORDER, l, r);
}

gboolean
vc_session_task_less (VcSession *ssn, guint32 l, guint32 r)
{
  int c = compare (ssn, VC_HOOK_TASK_ORDER, l, r);
  return c != 0 ? c < 0 : vc_task_default_less (&ssn->cluster->task[l], &ssn->cluster->task[r]);
}

gboolean
vc_session_victim_queue_less (VcSession *ssn, guint32 l, guint32 r, guint32 preemptor)
{
  EACH (ssn, VC_HOOK_VICTIM_QUEUE_ORDER, h) {
    int c = ((VcVictimQueueFn) h->fn) (h->self, ssn, l, r, preemptor);
    if (c != 0)
      return c < 0;
  }
  return !vc_session_queue_less (ssn, l, r);
}

/* Tasks of one job, and tasks without a job in the session, by inverse task order; orphans before the others; jobs of one queue (any queue
 * when the preemptor itself is an orphan) by inverse job order; other queues by the victim queue order. */
gboolean
vc_session_victim_before (VcSession *ssn, guint32 preemptor, guint32 l, guint32 r)
{
  const VcCluster *c = ssn->cluster;
  guint32 lj = c->task[l].job, rj = c->task[r].job, pj = c->task[preemptor].job;
  gboolean has_l = vc_job_in_session (c, lj), has_r = vc_job_in_session (c, rj);

  if ((lj == rj && lj != VC_NONE) || (!has_l && !has_r))
    return !vc_session_task_less (ssn, l, r);
  if (!has_l || !has_r)
    return !has_l;
  if (!vc_job_in_session (c, pj) || c->job[lj].queue == c->job[rj].queue) {
    int cmp = vc_session_job_compare (ssn, lj, rj);
    return cmp != 0 ? cmp > 0 : !vc_session_task_less (ssn, l, r);
  }
  return vc_session_victim_queue_less (ssn, c->job[lj].queue, c->job[rj].queue, c->job[pj].queue);
}

gboolean vc_session_heap_job_less (gpointer ssn, guint32 l, guint32 r) { return vc_session_job_less (ssn, l, r); }
gboolean vc_session_heap_queue_less (gpointer ssn, guint32 l, guint32 r) { return vc_session_queue_less (ssn, l, r); }
gboolean vc_session_heap_task_less (gpointer ssn, guint32 l, guint32 r) { return vc_session_task_less (ssn, l, r); }

/* ---- yes or no ------------------------------------------------------------------------------ */

static gboolean
all_jobs (VcSession *ssn, VcHookFamily f, guint32 job)
{
  EACH (ssn, f, h)
    if (!((VcJobTestFn) h->fn) (h->self, ssn, job)) {
      tell_denied (ssn, f, job, h->plugin);
      return FALSE;
    }
  tell_denied (ssn, f, job, NULL);
  return TRUE;
}

gboolean
vc_session_job_ready (VcSession *ssn, guint32 job)
{
  return all_jobs (ssn, VC_HOOK_JOB_READY, job);
}

/* A job without sub-group policies is asked as a whole. */
gboolean
vc_session_sub_job_ready (VcSession *ssn, guint32 job, guint32 sub)
{
  if (!vc_job_has_policies (&ssn->cluster->job[job]))
    return vc_session_job_ready (ssn, job);
  EACH (ssn, VC_HOOK_SUB_JOB_READY, h)
    if (!((VcSubTestFn) h->fn) (h->self, ssn, job, sub))
      return FALSE;
  return TRUE;
}

/* The first tier that has a participant decides: all of it must say yes. Nobody registered: no. */
gboolean
vc_session_job_starving (VcSession *ssn, guint32 job)
{
  const VcChain *c = &ssn->chain[VC_HOOK_JOB_STARVING];

  for (guint i = 0; i < c->n && c->item[i].tier == c->item[0].tier; i++)
    if (!((VcJobTestFn) c->item[i].fn) (c->item[i].self, ssn, job)) {
      tell_denied (ssn, VC_HOOK_JOB_STARVING, job, c->item[i].plugin);
      return FALSE;
    }
  return c->n > 0;
}

gboolean
vc_session_job_valid (VcSession *ssn, guint32 job, const char **reason, const char **message)
{
  EACH (ssn, VC_HOOK_JOB_VALID, h)
    if (!((VcJobValidFn) h->fn) (h->self, ssn, job, reason, message)) {
      tell_denied (ssn, VC_HOOK_JOB_VALID, job, h->plugin);
      return FALSE;
    }
  return TRUE;
}

gboolean
vc_session_overused (VcSession *ssn, guint32 queue)
{
  EACH (ssn, VC_HOOK_OVERUSED, h)
    if (((VcQueueTestFn) h->fn) (h->self, ssn, queue)) {
      tell_refused (ssn, VC_HOOK_OVERUSED, queue, VC_NONE, h->plugin);
      return TRUE;
    }
  return FALSE;
}

gboolean
vc_session_allocatable (VcSession *ssn, guint32 queue, guint32 task)
{
  EACH (ssn, VC_HOOK_ALLOCATABLE, h)
    if (!((VcQueueTaskFn) h->fn) (h->self, ssn, queue, task)) {
      tell_refused (ssn, VC_HOOK_ALLOCATABLE, queue, task, h->plugin);
      return FALSE;
    }
  return TRUE;
}

gboolean
vc_session_preemptive (VcSession *ssn, guint32 queue, const guint32 *tasks, guint n)
{
  EACH (ssn, VC_HOOK_PREEMPTIVE, h)
    if (!((VcQueueTasksFn) h->fn) (h->self, ssn, queue, tasks, n)) {
      tell_refused (ssn, VC_HOOK_PREEMPTIVE, queue, n > 0 ? tasks[0] : VC_NONE, h->plugin);
      return FALSE;
    }
  return TRUE;
}

/* ---- votes: a reject ends with no, a tier with a permit ends with yes, all abstain = yes ------ */

static gboolean
vote (VcSession *ssn, VcHookFamily f, guint32 job, guint32 sub)
{
  const VcChain *c = &ssn->chain[f];

  for (guint i = 0; i < c->n;) {
    guint tier = c->item[i].tier;
    gboolean permit = FALSE;

    for (; i < c->n && c->item[i].tier == tier; i++) {
      const VcHook *h = &c->item[i];
      VcVote v = sub == VC_NONE ? ((VcJobVoteFn) h->fn) (h->self, ssn, job) : ((VcSubVoteFn) h->fn) (h->self, ssn, job, sub);
      const VcObserver *o = observer (ssn);
      if (o != NULL && o->vote != NULL)
        o->vote (o->user, ssn, f, job, h->plugin, v);
      if (v < 0)
        return FALSE;
      permit |= v > 0;
    }
    if (permit)
      return TRUE;
  }
  return TRUE;
}

gboolean vc_session_job_pipelined (VcSession *ssn, guint32 job) { return vote (ssn, VC_HOOK_JOB_PIPELINED, job, VC_NONE); }

gboolean
vc_session_sub_job_pipelined (VcSession *ssn, guint32 job, guint32 sub)
{
  if (!vc_job_has_policies (&ssn->cluster->job[job]))
    return vc_session_job_pipelined (ssn, job);
  return vote (ssn, VC_HOOK_SUB_JOB_PIPELINED, job, sub);
}

gboolean vc_session_job_enqueueable (VcSession *ssn, guint32 job) { return vote (ssn, VC_HOOK_JOB_ENQUEUEABLE, job, VC_NONE); }

void
vc_session_job_enqueued (VcSession *ssn, guint32 job)
{
  EACH (ssn, VC_HOOK_JOB_ENQUEUED, h)
    ((VcJobNoteFn) h->fn) (h->self, ssn, job);
}

/* ---- victims: intersection within a tier, the first tier that decides wins -------------------- */

/* Keep of @out, in its order, what is in @answer too. Gangs bring thousands of candidates at once: mark those of the answer then. */
static void
intersect (VcSession *ssn, GArray *out, const guint32 *answer, guint m)
{
  guint kept = 0;

  if (ssn->engine->options.plain || (gsize) out->len * m < 64) {
    for (guint k = 0; k < out->len; k++)
      for (guint a = 0; a < m; a++)
        if (g_array_index (out, guint32, k) == answer[a]) {
          g_array_index (out, guint32, kept++) = answer[a];
          break;
        }
  } else {
    g_autofree guint8 *mark = g_new0 (guint8, ssn->cluster->n_tasks);

    for (guint a = 0; a < m; a++)
      mark[answer[a]] = TRUE;
    for (guint k = 0; k < out->len; k++)
      if (mark[g_array_index (out, guint32, k)])
        g_array_index (out, guint32, kept++) = g_array_index (out, guint32, k);
  }
  g_array_set_size (out, kept);
}

void
vc_session_victims (VcSession *ssn, VcHookFamily f, guint32 evictor, const guint32 *candidates, guint n, GArray *out)
{
  const VcChain *c = &ssn->chain[f];
  g_autofree guint32 *answer = g_new (guint32, n + 1);

  g_array_set_size (out, 0);
  for (guint i = 0; i < c->n;) {
    guint tier = c->item[i].tier;
    gboolean set = FALSE, left = FALSE;

    for (; i < c->n && c->item[i].tier == tier; i++) {
      guint m = 0;
      if (left)
        continue;
      VcVote v = ((VcVictimFn) c->item[i].fn) (c->item[i].self, ssn, evictor, candidates, n, answer, &m);
      if (v == VC_ABSTAIN)
        continue;
      const VcObserver *o = observer (ssn);
      if (o != NULL && o->victims != NULL)
        o->victims (o->user, ssn, f, evictor, c->item[i].plugin, candidates, n, answer, m);
      if (m == 0) { /* an empty answer, whatever the vote, leaves the tier without victims */
        set = FALSE;
        left = TRUE;
        continue;
      }
      if (!set) {
        g_array_set_size (out, 0);
        g_array_append_vals (out, answer, m);
        set = TRUE;
        continue;
      }
      intersect (ssn, out, answer, m);
      set = out->len > 0; /* an empty intersection counts as none: the next plugin of the tier starts anew (Q1) */
    }
    if (set)
      return;
  }
  g_array_set_size (out, 0);
}

VcVictimReads
vc_session_victims_read (VcSession *ssn, VcHookFamily f)
{
  VcVictimReads most = VC_READS_QUEUE; /* the enumeration goes from much to little */

  if (ssn->engine->options.plain || (observer (ssn) != NULL && observer (ssn)->victims != NULL))
    return VC_READS_EVICTOR;
  EACH (ssn, f, h)
    most = MIN (most, h->reads);
  return most;
}

static int
compare_uids (gconstpointer a, gconstpointer b, gpointer user)
{
  const VcTask *t = user;
  return strcmp (t[*(const guint32 *) a].uid, t[*(const guint32 *) b].uid);
}

/* Union within a tier; the first tier with any victim wins; ascending by task UID. */
void
vc_session_victim_tasks (VcSession *ssn, const guint32 *tasks, guint n, GArray *out)
{
  const VcChain *c = &ssn->chain[VC_HOOK_VICTIM_TASKS];

  g_array_set_size (out, 0);
  for (guint i = 0; i < c->n && out->len == 0;) {
    guint tier = c->item[i].tier;
    for (; i < c->n && c->item[i].tier == tier; i++)
      ((VcVictimTasksFn) c->item[i].fn) (c->item[i].self, ssn, tasks, n, out);
  }
  g_array_sort_with_data (out, compare_uids, ssn->cluster->task);
  guint kept = 0;
  for (guint i = 0; i < out->len; i++)
    if (kept == 0 || g_array_index (out, guint32, kept - 1) != g_array_index (out, guint32, i))
      g_array_index (out, guint32, kept++) = g_array_index (out, guint32, i);
  g_array_set_size (out, kept);
}

/* ---- nodes ---------------------------------------------------------------------------------- */

void
vc_fit_error_add (VcFitError *e, VcCode code, const char *reason, const char *plugin)
{
  if (e->n < VC_FIT_MAX) {
    e->item[e->n].code = code;
    e->item[e->n].reason = reason;
    e->item[e->n++].plugin = plugin;
  }
}

const char *
vc_session_pre_predicate (VcSession *ssn, guint32 task)
{
  EACH (ssn, VC_HOOK_PRE_PREDICATE, h) {
    const char *refusal = ((VcPrePredicateFn) h->fn) (h->self, ssn, task);
    if (refusal != NULL)
      return refusal;
  }
  return NULL;
}

gboolean
vc_session_predicate (VcSession *ssn, guint32 task, guint32 node, VcFitError *e)
{
  ssn->remembered = VC_NONE;
  EACH (ssn, VC_HOOK_PREDICATE, h)
    if (!((VcPredicateFn) h->fn) (h->self, ssn, task, node, e))
      return FALSE;
  return TRUE;
}

static gboolean
map_reduce (VcSession *ssn, guint32 task, const guint32 *nodes, guint n, double *total)
{
  g_autofree gint64 *whole = g_new (gint64, n);

  EACH (ssn, VC_HOOK_NODE_MAP, h) {
    for (guint i = 0; i < n; i++) {
      double v = 0;
      gboolean good = ((VcNodeMapFn) h->fn) (h->self, ssn, task, nodes[i], &v);
      gint64 cut = (gint64) v;
      whole[i] = !good ? 0 : (double) cut > v ? cut - 1 : cut; /* floor */
    }
    if (h->aux != NULL && !((VcNodeReduceFn) h->aux) (h->self, ssn, task, nodes, whole, n))
      return FALSE;
    for (guint i = 0; i < n; i++)
      total[i] += (double) whole[i];
  }
  return TRUE;
}

gboolean
vc_session_scores (VcSession *ssn, guint32 task, const guint32 *nodes, guint n, double *total)
{
  g_autofree double *part = g_new (double, n);

  memset (total, 0, n * sizeof *total);
  if (ssn->chain[VC_HOOK_NODE_MAP].n > 0 && !map_reduce (ssn, task, nodes, n, total))
    return FALSE;
  memset (part, 0, n * sizeof *part);
  EACH (ssn, VC_HOOK_NODE_ORDER, h)
    if (!((VcNodeScoreFn) h->fn) (h->self, ssn, task, nodes, n, part)) {
      memset (part, 0, n * sizeof *part);
      break;
    }
  for (guint i = 0; i < n; i++)
    total[i] += part[i] == -(double) INFINITY ? 0 : part[i];
  memset (part, 0, n * sizeof *part);
  EACH (ssn, VC_HOOK_BATCH_NODE_ORDER, h)
    if (!((VcNodeScoreFn) h->fn) (h->self, ssn, task, nodes, n, part))
      return FALSE;
  for (guint i = 0; i < n; i++)
    total[i] += part[i];
  return TRUE;
}

guint32
vc_session_best_node (VcSession *ssn, guint32 task, const guint32 *nodes, const double *scores, guint n)
{
  guint32 best = VC_NONE;
  double most = -G_MAXDOUBLE;
  gboolean any = FALSE;

  EACH (ssn, VC_HOOK_BEST_NODE, h) {
    guint32 answer = ((VcBestNodeFn) h->fn) (h->self, ssn, task, nodes, scores, n);
    if (answer != VC_NONE)
      return answer;
  }
  guint ties = 0;
  for (guint i = 0; i < n; i++) {
    if (!any || scores[i] > most) { /* a NaN total is never the greatest */
      if (scores[i] != scores[i])
        continue;
      most = scores[i];
      best = nodes[i];
      any = TRUE;
      ties = 1;
    } else if (scores[i] == most) {
      ties++;
      if (ssn->engine->options.random_ties) {
        /* xorshift64*: one draw per tie, from the user's seed */
        guint64 x = ssn->engine->rand_state;
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        ssn->engine->rand_state = x;
        if ((x * G_GUINT64_CONSTANT (2685821657736338717) >> 33) % ties == 0)
          best = nodes[i];
      } else if (nodes[i] < best) {
        best = nodes[i]; /* the row is the ordinal */
      }
    }
  }
  return best;
}

/* ---- simulation ----------------------------------------------------------------------------- */

static gboolean
simulate (VcSession *ssn, VcHookFamily f, gpointer state, guint32 task, guint32 changed, guint32 node)
{
  EACH (ssn, f, h)
    if (!((VcSimTaskFn) h->fn) (h->self, ssn, state, task, changed, node))
      return FALSE;
  return TRUE;
}

gboolean
vc_session_sim_predicate (VcSession *ssn, gpointer state, guint32 task, guint32 node)
{
  return simulate (ssn, VC_HOOK_SIM_PREDICATE, state, task, VC_NONE, node);
}

gboolean
vc_session_sim_add (VcSession *ssn, gpointer state, guint32 task, guint32 changed, guint32 node)
{
  return simulate (ssn, VC_HOOK_SIM_ADD_TASK, state, task, changed, node);
}

gboolean
vc_session_sim_remove (VcSession *ssn, gpointer state, guint32 task, guint32 changed, guint32 node)
{
  return simulate (ssn, VC_HOOK_SIM_REMOVE_TASK, state, task, changed, node);
}

gboolean
vc_session_sim_allocatable (VcSession *ssn, gpointer state, guint32 queue, guint32 task)
{
  EACH (ssn, VC_HOOK_SIM_ALLOCATABLE, h)
    if (!((VcSimQueueFn) h->fn) (h->self, ssn, state, queue, task))
      return FALSE;
  return TRUE;
}

gboolean
vc_session_hierarchy_enabled (VcSession *ssn, const char *plugin)
{
  const VcEngine *e = ssn->engine;

  for (guint i = 0; i < e->n_plugins; i++)
    if (strcmp (e->plugin[i].class->name, plugin) == 0)
      return e->plugin[i].option->on[VC_FLAG_HIERARCHY];
  return FALSE;
}

/* ---- one participant at a time ---------------------------------------------------------------- */

guint
vc_session_participants (VcSession *ssn, VcHookFamily f)
{
  return ssn->chain[f].n;
}

const char *
vc_session_participant (VcSession *ssn, VcHookFamily f, guint i)
{
  return ssn->chain[f].item[i].plugin;
}

gboolean
vc_session_participant_predicate (VcSession *ssn, guint i, guint32 task, guint32 node, VcFitError *e)
{
  const VcHook *h = &ssn->chain[VC_HOOK_PREDICATE].item[i];
  return ((VcPredicateFn) h->fn) (h->self, ssn, task, node, e);
}

void
vc_session_participant_explain (VcSession *ssn, guint i, guint32 task, guint32 node, GString *out)
{
  const VcHook *h = &ssn->chain[VC_HOOK_PREDICATE].item[i];
  const VcPluginClass *class = vc_plugin_find (h->plugin);

  if (class->explain != NULL)
    class->explain (h->self, ssn, task, node, out);
}

gboolean
vc_session_participant_score (VcSession *ssn, VcHookFamily f, guint i, guint32 task, const guint32 *nodes, guint n, double *score)
{
  const VcHook *h = &ssn->chain[f].item[i];
  return ((VcNodeScoreFn) h->fn) (h->self, ssn, task, nodes, n, score);
}

void
vc_session_participant_terms (VcSession *ssn, VcHookFamily f, guint i, guint32 task, const guint32 *nodes, guint n, VcScoreTermFn tell, gpointer user)
{
  const VcHook *h = &ssn->chain[f].item[i];
  const VcPluginClass *class = vc_plugin_find (h->plugin);

  if (class != NULL && class->score_terms != NULL)
    class->score_terms (h->self, ssn, f, task, nodes, n, tell, user);
}
