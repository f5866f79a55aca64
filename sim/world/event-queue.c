/* sim/world/event-queue.c - a sorted backlog beside a binary heap. */
#include "event-queue.h"
#include <stdlib.h>

struct SimEventQueue {
  SimEvent *heap;
  gsize n, cap;
  gsize n_background, n_repairs; /* of these: events of faults that recur */
  SimEvent *backlog;
  gsize n_backlog, cap_backlog, at; /* backlog[at ..] is still to come */
  guint64 seq;
  SimTime last;
  gboolean sealed;
};

static inline gboolean
before (const SimEvent *a, const SimEvent *b)
{
  return a->time != b->time ? a->time < b->time : a->key < b->key;
}

static inline guint64
make_key (SimRank rank, guint64 seq, SimEventKind kind)
{
  g_assert (seq < G_GUINT64_CONSTANT (1) << 48);
  return (guint64) rank << 56 | seq << 8 | (guint64) kind;
}

SimEventQueue *
sim_event_queue_new (void)
{
  SimEventQueue *q = g_new0 (SimEventQueue, 1);

  q->last = G_MININT64;
  return q;
}

void
sim_event_queue_free (SimEventQueue *q)
{
  if (q == NULL)
    return;
  g_free (q->heap);
  g_free (q->backlog);
  g_free (q);
}

void
sim_event_queue_prepare (SimEventQueue *q, SimTime time, SimRank rank, SimEventKind kind, guint32 subject)
{
  g_assert (!q->sealed);
  if (time == SIM_NEVER)
    return;
  if (q->n_backlog == q->cap_backlog) {
    q->cap_backlog = MAX (q->cap_backlog * 2, 64);
    q->backlog = g_renew (SimEvent, q->backlog, q->cap_backlog);
  }
  q->backlog[q->n_backlog++] = (SimEvent){ time, make_key (rank, q->seq++, kind), subject, 0 };
}

static int
compare (const void *a, const void *b)
{
  const SimEvent *l = a, *r = b;

  return before (l, r) ? -1 : before (r, l) ? 1 : 0;
}

void
sim_event_queue_seal (SimEventQueue *q)
{
  g_assert (!q->sealed);
  q->sealed = TRUE;
  if (q->n_backlog > 1)
    qsort (q->backlog, q->n_backlog, sizeof *q->backlog, compare); /* keys are unique: no stability needed */
}

static gboolean
is_background (const SimEvent *ev)
{
  SimEventKind kind = sim_event_kind (ev);

  return kind == SIM_EVENT_FAULT_AGAIN || kind == SIM_EVENT_NODE_DRAIN || kind == SIM_EVENT_LOAD || kind == SIM_EVENT_SHARDING_PERIOD || kind == SIM_EVENT_JOB_AGAIN || kind == SIM_EVENT_POD_GROUP
         || (kind == SIM_EVENT_FAULT_LEAD && ev->stamp != 0);
}

static gboolean
is_repair (const SimEvent *ev)
{
  return sim_event_kind (ev) == SIM_EVENT_FAULT_END && ev->stamp != 0;
}

gboolean
sim_event_queue_is_idle (const SimEventQueue *q, gboolean done)
{
  return q->at == q->n_backlog && q->n == q->n_background + (done ? q->n_repairs : 0);
}

void
sim_event_queue_post (SimEventQueue *q, SimTime time, SimRank rank, SimEventKind kind, guint32 subject, guint32 stamp)
{
  if (time == SIM_NEVER)
    return;
  g_assert (q->sealed && time >= q->last);
  SimEvent ev = { time, make_key (rank, q->seq++, kind), subject, stamp };

  q->n_background += is_background (&ev);
  q->n_repairs += is_repair (&ev);

  if (q->n == q->cap) {
    q->cap = MAX (q->cap * 2, 256);
    q->heap = g_renew (SimEvent, q->heap, q->cap);
  }
  gsize i = q->n++;

  while (i > 0) {
    gsize up = (i - 1) / 2;

    if (!before (&ev, &q->heap[up]))
      break;
    q->heap[i] = q->heap[up];
    i = up;
  }
  q->heap[i] = ev;
}

SimTime
sim_event_queue_next (const SimEventQueue *q)
{
  SimTime t = q->n > 0 ? q->heap[0].time : SIM_NEVER;

  return q->at < q->n_backlog ? MIN (t, q->backlog[q->at].time) : t;
}

gboolean
sim_event_queue_pop (SimEventQueue *q, SimEvent *out)
{
  g_assert (q->sealed);
  gboolean some = q->at < q->n_backlog;

  if (some && (q->n == 0 || before (&q->backlog[q->at], &q->heap[0]))) {
    *out = q->backlog[q->at++];
    q->last = out->time;
    return TRUE;
  }
  if (q->n == 0)
    return FALSE;
  *out = q->heap[0];
  q->last = out->time;
  q->n_background -= is_background (out);
  q->n_repairs -= is_repair (out);
  SimEvent ev = q->heap[--q->n];
  gsize i = 0;

  for (;;) {
    gsize down = 2 * i + 1;

    if (down >= q->n)
      break;
    if (down + 1 < q->n && before (&q->heap[down + 1], &q->heap[down]))
      down++;
    if (!before (&q->heap[down], &ev))
      break;
    q->heap[i] = q->heap[down];
    i = down;
  }
  if (q->n > 0)
    q->heap[i] = ev;
  return TRUE;
}
