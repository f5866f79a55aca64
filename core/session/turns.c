#include "turns.h"
#include "search.h"
#include "rooms.h"
#include <string.h>

/* Why one came before another: the place of the participant that told them apart, then what follows when none does. */
enum { BY_NOBODY = G_MAXUINT16, BY_CREATED = G_MAXUINT16 - 2, BY_NAME = G_MAXUINT16 - 1 };

typedef struct {
  guint32 job, queue;     /* job VC_NONE: none was tried */
  guint32 next_job, next_queue; /* of those that waited, the first; VC_NONE: none did */
  guint16 job_by, queue_by;     /* why before those */
  guint32 discards, had;  /* statements discarded by then; operations of the one that this turn discarded */
} Turn;
typedef struct { guint32 first, last, session; } Span; /* turns of a job, or the last one of a queue */
typedef struct { guint32 turn, task; } Taken;

struct VcTurns {
  GArray *turn;           /* Turn, of allocate */
  GArray *admitted;       /* guint32: jobs, as enqueue let them in */
  guint32 session;
  Span *job; guint32 n_jobs;
  Span *queue; guint32 n_queues;
  /* from the first question at close */
  gboolean prepared;
  GArray *taken;          /* Taken: tasks that were bound, the last turn first */
  guint32 *slot_of; guint32 n_slot_of; /* by node: 1 + its place in `node`, 0: nothing was taken there */
  GArray *node;           /* guint32: nodes on which something was taken */
  guint8 *unclear; guint32 n_unclear; /* by node: something that is neither bound nor undone has been done there in this session */
  double *more;           /* [nodes taken][n_res] scratch: what is given back */
};

static VcTurns *
open_turns (VcSession *ssn)
{
  const VcObserver *o = ssn->engine->options.observer;

  if (o == NULL || (o->closing == NULL && o->turn == NULL))
    return NULL;
  if (ssn->engine->turns == NULL) {
    ssn->engine->turns = g_new0 (VcTurns, 1);
    ssn->engine->turns->admitted = g_array_new (FALSE, FALSE, sizeof (guint32));
    ssn->engine->turns->turn = g_array_new (FALSE, FALSE, sizeof (Turn));
    ssn->engine->turns->taken = g_array_new (FALSE, FALSE, sizeof (Taken));
    ssn->engine->turns->node = g_array_new (FALSE, FALSE, sizeof (guint32));
  }
  VcTurns *t = ssn->engine->turns;

  if (t->session != ssn->number) {
    t->session = ssn->number;
    t->prepared = FALSE;
    g_array_set_size (t->turn, 0);
    g_array_set_size (t->admitted, 0);
  }
  return t;
}

void
vc_turns_free (VcTurns *t)
{
  if (t == NULL)
    return;
  g_array_unref (t->turn);
  g_array_unref (t->admitted);
  g_array_unref (t->taken);
  g_array_unref (t->node);
  g_free (t->job);
  g_free (t->queue);
  g_free (t->slot_of);
  g_free (t->unclear);
  g_free (t->more);
  g_free (t);
}

/* ---- who told them apart --------------------------------------------------------------------- */

/* Why @l comes before @r in the order @f; BY_NOBODY: it does not, by what the plugins say now. */
static guint16
teller (VcSession *ssn, VcHookFamily f, guint32 l, guint32 r)
{
  const VcChain *chain = &ssn->chain[f];
  const VcCluster *c = ssn->cluster;
  gboolean jobs = f == VC_HOOK_JOB_ORDER;

  for (guint i = 0; i < chain->n; i++) {
    int order = ((VcCompareFn) chain->item[i].fn) (chain->item[i].self, ssn, l, r);

    if (order != 0)
      return order < 0 ? (guint16) i : (guint16) BY_NOBODY;
  }
  gint64 lc = jobs ? c->job[l].created : c->queue[l].created, rc = jobs ? c->job[r].created : c->queue[r].created;

  if (lc != rc)
    return lc < rc ? BY_CREATED : (guint16) BY_NOBODY;
  return BY_NAME;
}

static const char *
teller_name (const VcSession *ssn, VcHookFamily f, guint16 by)
{
  if (by == BY_CREATED)
    return "created";
  if (by == BY_NAME)
    return "name";
  return by < ssn->chain[f].n ? ssn->chain[f].item[by].plugin : NULL;
}

/* ---- while allocate runs --------------------------------------------------------------------- */

static void
end_last (VcSession *ssn, VcTurns *t)
{
  Turn *last = t->turn->len > 0 ? &g_array_index (t->turn, Turn, t->turn->len - 1) : NULL;

  if (last != NULL && last->job != VC_NONE && last->discards != G_MAXUINT32) {
    last->had = ssn->result.discarded != last->discards ? ssn->cluster->job[last->job].undone : 0;
    last->discards = G_MAXUINT32;
  }
}

/* The turn, and who waits behind it. */
static Turn
turn_of (VcSession *ssn, guint32 job, guint32 queue, guint32 next, const VcHeap *queues)
{
  Turn turn = { .job = job, .queue = queue, .next_job = next, .next_queue = VC_NONE, .job_by = BY_NOBODY, .queue_by = BY_NOBODY,
                .discards = ssn->result.discarded };

  if (next != VC_NONE)
    turn.job_by = teller (ssn, VC_HOOK_JOB_ORDER, job, next);
  if (queues->n > 0) {
    turn.next_queue = queues->item[0];
    turn.queue_by = teller (ssn, VC_HOOK_QUEUE_ORDER, queue, turn.next_queue);
  }
  return turn;
}

static void
tell_turn (VcSession *ssn, const Turn *turn, gboolean admission)
{
  const VcObserver *o = ssn->engine->options.observer;

  if (o == NULL || o->turn == NULL)
    return;
  const VcTurnSeen seen = { .admission = admission,
                            .queue = turn->queue,
                            .job = turn->job,
                            .next_queue = turn->next_queue,
                            .next_job = turn->next_job,
                            .queue_by = teller_name (ssn, VC_HOOK_QUEUE_ORDER, turn->queue_by),
                            .job_by = teller_name (ssn, VC_HOOK_JOB_ORDER, turn->job_by),
                            .queue_rank = turn->queue_by,
                            .job_rank = turn->job_by };

  o->turn (o->user, ssn, &seen);
}

static void
begin (VcSession *ssn, VcTurns *t, guint32 job, guint32 queue, guint32 next, const VcHeap *queues)
{
  Turn turn = turn_of (ssn, job, queue, next, queues);

  end_last (ssn, t);
  tell_turn (ssn, &turn, FALSE);
  if (queue >= t->n_queues) {
    guint32 n = ssn->cluster->n_queues;

    t->queue = g_renew (Span, t->queue, n);
    memset (t->queue + t->n_queues, 0, (n - t->n_queues) * sizeof *t->queue);
    t->n_queues = n;
  }
  t->queue[queue] = (Span){ t->turn->len, t->turn->len, ssn->number };
  g_array_append_val (t->turn, turn);
}

void
vc_turns_job (VcSession *ssn, guint32 job, guint32 next, const VcHeap *queues)
{
  VcTurns *t = open_turns (ssn);

  if (t == NULL)
    return;
  if (job >= t->n_jobs) {
    guint32 n = ssn->cluster->n_jobs;

    t->job = g_renew (Span, t->job, n);
    memset (t->job + t->n_jobs, 0, (n - t->n_jobs) * sizeof *t->job);
    t->n_jobs = n;
  }
  if (t->job[job].session != ssn->number)
    t->job[job] = (Span){ t->turn->len, t->turn->len, ssn->number };
  t->job[job].last = t->turn->len;
  begin (ssn, t, job, ssn->cluster->job[job].queue, next, queues);
}

void
vc_turns_queue (VcSession *ssn, guint32 queue, const VcHeap *queues)
{
  VcTurns *t = open_turns (ssn);

  if (t != NULL)
    begin (ssn, t, VC_NONE, queue, VC_NONE, queues);
}

void
vc_turns_end (VcSession *ssn)
{
  VcTurns *t = open_turns (ssn);

  if (t != NULL)
    end_last (ssn, t);
}

/* ---- enqueue --------------------------------------------------------------------------------- */

void
vc_turns_enqueue (VcSession *ssn, guint32 job, guint32 next, const VcHeap *queues)
{
  const VcObserver *o = ssn->engine->options.observer;

  if (o == NULL || o->turn == NULL)
    return;
  Turn turn = turn_of (ssn, job, ssn->cluster->job[job].queue, next, queues);

  tell_turn (ssn, &turn, TRUE);
}

void
vc_turns_admit (VcSession *ssn, guint32 job)
{
  VcTurns *t = open_turns (ssn);

  if (t != NULL)
    g_array_append_val (t->admitted, job);
}

void
vc_turns_admitted (VcSession *ssn)
{
  const VcObserver *o = ssn->engine->options.observer;

  if (o != NULL && o->enqueued != NULL)
    o->enqueued (o->user, ssn);
}

guint32
vc_session_admitted (VcSession *ssn)
{
  const VcTurns *t = ssn->engine->turns;

  return t != NULL && t->session == ssn->number ? t->admitted->len : 0;
}

/* How the votes come out for the job with other minimum resources: their arithmetic takes what it is given. */
static gboolean
votes_let_in (VcSession *ssn, guint32 job, const VcRes *of_queue, const VcRes *of_all)
{
  VcJob *j = &ssn->cluster->job[job];
  const VcChain *chain = &ssn->chain[VC_HOOK_JOB_ENQUEUEABLE];
  VcRes *given = j->min_resources;
  gboolean reject = FALSE, permit = FALSE;
  VC_RES_LOCAL (less, ssn->cluster->n_res);

  for (guint i = 0; i < chain->n && !reject && !(permit && chain->item[i].tier != chain->item[i - 1].tier); i++) {
    const VcHook *h = &chain->item[i];
    gboolean all = strcmp (h->plugin, "overcommit") == 0;

    if (!all && strcmp (h->plugin, "proportion") != 0 && strcmp (h->plugin, "capacity") != 0 && strcmp (h->plugin, "sla") != 0)
      return FALSE;
    vc_res_copy (less, given);
    for (guint d = 0; d < ssn->cluster->n_res; d++)
      less->v[d] = MAX (given->v[d] - (all ? of_all : of_queue)->v[d], 0);
    j->min_resources = less;
    VcVote vote = ((VcJobVoteFn) h->fn) (h->self, ssn, job);
    j->min_resources = given;
    reject = vote < 0;
    permit |= vote > 0;
  }
  return !reject;
}

gboolean
vc_session_kept_out_by (VcSession *ssn, guint32 job, guint32 turn, VcLoss *out)
{
  const VcTurns *t = ssn->engine->turns;
  const VcCluster *c = ssn->cluster;
  guint32 queue = c->job[job].queue;
  VC_RES_LOCAL (of_queue, c->n_res);
  VC_RES_LOCAL (of_all, c->n_res);
  VC_RES_LOCAL (min, c->n_res);

  if (turn == 0 || queue == VC_NONE || turn > vc_session_admitted (ssn))
    return FALSE;
  for (guint i = t->admitted->len; i-- > 0;) {
    guint32 other = g_array_index (t->admitted, guint32, i);
    const VcJob *o = &c->job[other];

    if (!o->has_min_resources)
      continue; /* it counts for nobody */
    vc_res_copy (min, o->min_resources);
    vc_job_deduct_gated (o, c->names, min);
    for (guint d = 0; d < c->n_res; d++) {
      of_all->v[d] += min->v[d];
      of_queue->v[d] += o->queue == queue ? min->v[d] : 0;
    }
    if (i >= turn || !votes_let_in (ssn, job, of_queue, of_all))
      continue;
    VcHookFamily f = o->queue == queue ? VC_HOOK_JOB_ORDER : VC_HOOK_QUEUE_ORDER; /* enqueue changes neither order */
    guint16 by = o->queue == queue ? teller (ssn, f, other, job) : teller (ssn, f, o->queue, queue);

    *out = (VcLoss){ .job = other, .by_queue = o->queue != queue, .by = teller_name (ssn, f, by) };
    return TRUE;
  }
  return FALSE;
}

/* ---- at close: what was taken ---------------------------------------------------------------- */

static int
latest_first (gconstpointer a, gconstpointer b)
{
  const Taken *l = a, *r = b;

  return l->turn != r->turn ? (l->turn < r->turn) - (l->turn > r->turn) : (l->task > r->task) - (l->task < r->task);
}

static const Span *
span_of (const VcTurns *t, guint32 job)
{
  return job < t->n_jobs && t->job[job].session == t->session ? &t->job[job] : NULL;
}

static void
mark_unclear (VcTurns *t, const VcCluster *c, guint32 node)
{
  if (node >= t->n_unclear) {
    guint32 n = c->nodes.n;

    t->unclear = g_renew (guint8, t->unclear, n);
    memset (t->unclear + t->n_unclear, 0, n - t->n_unclear);
    t->n_unclear = n;
  }
  t->unclear[node] = TRUE;
}

/* Tasks of jobs that had a turn and were bound. On nodes with anything else that this session has done, such as evictions, nobody is named. */
static void
prepare (VcSession *ssn, VcTurns *t)
{
  const VcCluster *c = ssn->cluster;
  guint kept = 0;

  for (guint i = 0; i < t->node->len; i++)
    t->slot_of[g_array_index (t->node, guint32, i)] = 0;
  if (t->n_unclear > 0)
    memset (t->unclear, 0, t->n_unclear);
  g_array_set_size (t->taken, 0);
  g_array_set_size (t->node, 0);
  t->prepared = TRUE;
  for (guint32 i = 0; i < ssn->n_touched; i++) {
    const VcTask *task = &c->task[ssn->touched[i]];
    const Span *span = task->job != VC_NONE ? span_of (t, task->job) : NULL;

    if (task->node == VC_NONE || task->status == VC_RUNNING || task->status == VC_BOUND)
      continue;
    if (task->status != VC_BINDING || span == NULL) {
      mark_unclear (t, c, task->node);
      continue;
    }
    Taken taken = { span->first, ssn->touched[i] };

    g_array_append_val (t->taken, taken);
  }
  g_array_sort (t->taken, latest_first);
  for (guint i = 0; i < t->taken->len; i++) { /* a task that was placed again was touched twice */
    const Taken taken = g_array_index (t->taken, Taken, i);

    if (kept == 0 || g_array_index (t->taken, Taken, kept - 1).task != taken.task)
      g_array_index (t->taken, Taken, kept++) = taken;
  }
  g_array_set_size (t->taken, kept);
  if (c->nodes.n > t->n_slot_of) {
    t->slot_of = g_renew (guint32, t->slot_of, c->nodes.n);
    memset (t->slot_of + t->n_slot_of, 0, (c->nodes.n - t->n_slot_of) * sizeof *t->slot_of);
    t->n_slot_of = c->nodes.n;
  }
  for (guint i = 0; i < kept; i++) {
    guint32 node = c->task[g_array_index (t->taken, Taken, i).task].node;

    if (t->slot_of[node] != 0)
      continue;
    g_array_append_val (t->node, node);
    t->slot_of[node] = t->node->len;
  }
  t->more = g_renew (double, t->more, t->node->len * c->n_res + 1);
}

gboolean
vc_session_anything_taken (VcSession *ssn)
{
  VcTurns *t = ssn->engine->turns;

  if (t == NULL || t->session != ssn->number || t->turn->len == 0 || ssn->result.binds == 0)
    return FALSE;
  if (!t->prepared)
    prepare (ssn, t);
  return t->taken->len > 0;
}

/* ---- room and share, with some of it given back ------------------------------------------------ */

typedef struct {
  VcSession *ssn;
  VcTurns *t;
  guint32 task, queue;  /* one of the job's pods, which are all alike */
  guint32 needed, lacked; /* pods that it needs to start; of these, those that its own turn found no node for */
  gboolean share;
  VcRes *given;         /* what jobs of its queue give back */
} Loser;

static gboolean
is_unclear (const VcTurns *t, guint32 node)
{
  return node < t->n_unclear && t->unclear[node];
}

static guint32
room_at (const Loser *l, guint32 node)
{
  const VcTurns *t = l->t;
  guint32 slot = t->slot_of[node];

  return vc_rooms_with (l->ssn, l->task, node, slot > 0 ? t->more + (gsize) (slot - 1) * l->ssn->cluster->n_res : NULL);
}

/* Places for the job's pods on the nodes that have given something back. */
static guint64
places_taken (const Loser *l)
{
  guint64 sum = 0;

  for (guint i = 0; i < l->t->node->len; i++)
    if (!is_unclear (l->t, g_array_index (l->t->node, guint32, i)))
      sum += room_at (l, g_array_index (l->t->node, guint32, i));
  return sum;
}

/* Are there as many on all nodes? */
static gboolean
has_places (const Loser *l)
{
  const VcNodes *n = &l->ssn->cluster->nodes;
  guint64 sum = 0;

  for (guint32 i = 0; i < n->n_list && sum < l->needed; i++)
    if (!is_unclear (l->t, n->list[i]))
      sum += room_at (l, n->list[i]);
  return sum >= l->needed;
}

/* Would the plugins let the queue take all the pods, with what others of it give back? Their arithmetic takes a request of any size, so one pod
 * stands for all; a plugin of which that is not known says no. */
static gboolean
has_share (const Loser *l)
{
  VcSession *ssn = l->ssn;
  const VcChain *chain = &ssn->chain[VC_HOOK_ALLOCATABLE];
  VcTask *task = &ssn->cluster->task[l->task];
  const VcShape *shape = task->shape;
  VcShape all = *shape;
  gboolean good = TRUE;
  VC_RES_LOCAL (request, ssn->cluster->n_res);

  vc_res_copy (request, shape->request);
  for (guint d = 0; d < ssn->cluster->n_res; d++)
    request->v[d] = MAX (shape->request->v[d] * l->needed - l->given->v[d], 0);
  all.request = request;
  for (guint i = 0; i < chain->n && good; i++) {
    const VcHook *h = &chain->item[i];

    if (task->gate_opt_in || (strcmp (h->plugin, "proportion") != 0 && strcmp (h->plugin, "capacity") != 0))
      return FALSE;
    task->shape = &all;
    good = ((VcQueueTaskFn) h->fn) (h->self, ssn, l->queue, l->task);
    task->shape = shape;
  }
  return good;
}

static void
give_back (const Loser *l, const Taken *taken)
{
  const VcCluster *c = l->ssn->cluster;
  const VcTask *task = &c->task[taken->task];
  double *more = l->t->more + (gsize) (l->t->slot_of[task->node] - 1) * c->n_res;

  for (guint64 left = task->shape->dims; left != 0; left &= left - 1) {
    guint d = (guint) __builtin_ctzll (left);

    more[d] += task->shape->request->v[d];
  }
  if (c->job[task->job].queue == l->queue)
    for (guint d = 0; d < c->n_res; d++)
      l->given->v[d] += task->shape->request->v[d];
}

/* Could the job start if nobody had taken what is given back? @before: places on those nodes when it had its turn. */
static gboolean
would_start (const Loser *l, guint64 before)
{
  if (l->share)
    return has_share (l) && has_places (l);
  return places_taken (l) >= before + l->lacked && (l->lacked == 1 || has_share (l));
}

/* ---- who ------------------------------------------------------------------------------------- */

/* One of the job's pending pods, when they are all alike, look at nothing but their node and fill its gang in any order; VC_NONE. */
static guint32
pod_for_all (VcSession *ssn, guint32 job)
{
  const VcCluster *c = ssn->cluster;
  const VcJob *j = &c->job[job];
  guint32 pod = VC_NONE, n = 0;

  for (guint32 i = 0; i < j->n_tasks; i++) {
    const VcTask *t = &c->task[j->task[i]];

    if (t->status != VC_PENDING || t->best_effort)
      continue;
    if (t->gated || t->claims != NULL || (pod != VC_NONE && t->shape != c->task[pod].shape))
      return VC_NONE;
    pod = pod == VC_NONE ? j->task[i] : pod;
    n++;
  }
  gint64 needed = (gint64) j->min_available - vc_job_ready_num (j) - j->pending_best_effort;

  if (pod == VC_NONE || needed <= 0 || needed > n || (j->n_roles > 1 && needed < n) || !vc_rooms_countable (ssn, c->task[pod].shape))
    return VC_NONE;
  return pod;
}

/* The next turn of a queue after @from, up to @until; VC_NONE. */
static guint32
next_turn_of_queue (const VcTurns *t, guint32 queue, guint32 from, guint32 until)
{
  for (guint32 i = from + 1; i <= until && i < t->turn->len; i++)
    if (g_array_index (t->turn, Turn, i).queue == queue)
      return i;
  return VC_NONE;
}

/* Orders are compared plugin by plugin, so of two that are not neighbours the first plugin tells them apart that does so on the way from one
 * to the other. Nothing that waits for its turn changes meanwhile. */
static const char *
why_queue (VcSession *ssn, const VcTurns *t, guint32 turn, guint32 queue, guint32 until)
{
  guint16 by = BY_NOBODY;

  for (guint32 i = turn; i != VC_NONE;) {
    const Turn *at = &g_array_index (t->turn, Turn, i);

    if (at->next_queue == VC_NONE || at->queue_by == BY_NOBODY)
      return NULL;
    by = MIN (by, at->queue_by);
    if (at->next_queue == queue)
      return teller_name (ssn, VC_HOOK_QUEUE_ORDER, by);
    i = next_turn_of_queue (t, at->next_queue, i, until);
  }
  return NULL;
}

static const char *
why_job (VcSession *ssn, const VcTurns *t, guint32 turn, guint32 job)
{
  guint16 by = BY_NOBODY;

  for (guint32 i = turn;;) {
    const Turn *at = &g_array_index (t->turn, Turn, i);

    if (at->next_job == VC_NONE || at->job_by == BY_NOBODY)
      return NULL;
    by = MIN (by, at->job_by);
    if (at->next_job == job)
      return teller_name (ssn, VC_HOOK_JOB_ORDER, by);
    const Span *span = span_of (t, at->next_job);

    if (span == NULL || ssn->cluster->job[at->next_job].count[VC_BINDING] + ssn->cluster->job[at->next_job].count[VC_PIPELINED] == 0) {
      guint16 rest = teller (ssn, VC_HOOK_JOB_ORDER, at->next_job, job); /* it is as it was */

      return rest != BY_NOBODY ? teller_name (ssn, VC_HOOK_JOB_ORDER, MIN (by, rest)) : NULL;
    }
    guint32 next = i + 1;

    while (next <= span->last && g_array_index (t->turn, Turn, next).job != at->next_job)
      next++;
    if (next > span->last)
      return NULL;
    i = next;
  }
}

gboolean
vc_session_lost_to (VcSession *ssn, guint32 job, gboolean share, VcLoss *out)
{
  const VcCluster *c = ssn->cluster;
  const VcJob *j = &c->job[job];
  VC_RES_LOCAL (given, c->n_res);

  if (!vc_session_anything_taken (ssn) || j->subs != NULL || j->queue == VC_NONE)
    return FALSE;
  VcTurns *t = ssn->engine->turns;
  const Span *span = span_of (t, job);
  const Span *queue = j->queue < t->n_queues && t->queue[j->queue].session == t->session ? &t->queue[j->queue] : NULL;
  gboolean passed_over = span == NULL;

  if (passed_over && (!share || queue == NULL))
    return FALSE;
  guint32 turn = passed_over ? queue->last : span->last, pod = pod_for_all (ssn, job);
  if (pod == VC_NONE)
    return FALSE;
  Loser l = { .ssn = ssn, .t = t, .task = pod, .queue = j->queue, .share = share, .given = given };
  guint32 had = passed_over ? 0 : g_array_index (t->turn, Turn, turn).had;

  l.needed = (guint32) j->min_available - vc_job_ready_num (j) - j->pending_best_effort;
  if (had >= l.needed)
    return FALSE;
  l.lacked = l.needed - had;
  memset (t->more, 0, t->node->len * c->n_res * sizeof *t->more);
  guint i = 0;
  for (; i < t->taken->len && g_array_index (t->taken, Taken, i).turn > turn; i++)
    give_back (&l, &g_array_index (t->taken, Taken, i));
  guint64 before = share ? 0 : places_taken (&l);
  gboolean of_queue = !passed_over; /* did the queue get a turn by then? */
  while (i < t->taken->len) {
    guint32 at = g_array_index (t->taken, Taken, i).turn, other = c->task[g_array_index (t->taken, Taken, i).task].job;

    for (; i < t->taken->len && g_array_index (t->taken, Taken, i).turn == at; i++)
      give_back (&l, &g_array_index (t->taken, Taken, i));
    of_queue |= c->job[other].queue == j->queue;
    if (!of_queue || !would_start (&l, before))
      continue;
    gboolean same = c->job[other].queue == j->queue;

    *out = (VcLoss){ .job = other, .by_queue = !same, .by = same ? why_job (ssn, t, at, job) : why_queue (ssn, t, at, j->queue, turn) };
    return TRUE;
  }
  return FALSE;
}
