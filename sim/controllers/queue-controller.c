/* sim/controllers/queue-controller.c - mirrors pkg/controllers/queue/queue_controller_action.go and pkg/controllers/queue/state. */
#include "queue-controller.h"
#include "job-requests.h"
#include "makers.h"
#include "sim/record/record.h"
#include "sim/world/faults.h"
#include "sim/world/queues.h"
#include "sim/world/storage.h"
#include <string.h>

#define BACKOFF 5000            /* microseconds before the first retry, doubled each time … */
#define MAX_BACKOFF (1000 * SIM_SECOND)
#define MAX_RETRIES 15          /* … and then the request is dropped */

const char *const sim_queue_action_names[SIM_N_QUEUE_ACTIONS] = { "SyncQueue", "OpenQueue", "CloseQueue" };

typedef struct {
  guint32 queue;
  guint8 action;  /* SimQueueAction */
  guint8 retries; /* so far */
  SimTime due;    /* not to be handled before */
} SimQueueRequest;

/* ---- the state machine ----------------------------------------------------------------------- */

static inline gboolean
is (const char *state, const char *name)
{
  return strcmp (state, name) == 0;
}

static inline gboolean
is_shut (const char *state)
{
  return is (state, "Closed") || is (state, "Closing");
}

SimQueueCall
sim_queue_state_plan (const char *state, SimQueueAction action, guint32 n_groups, const char **after)
{
  const char *shut = n_groups == 0 ? "Closed" : "Closing";
  gboolean open = *state == '\0' || is (state, "Open");

  if (action == SIM_QUEUE_OPEN) {
    *after = "Open";
    return open ? SIM_QUEUE_CALL_SYNC : SIM_QUEUE_CALL_OPEN;
  }
  if (is (state, "Closed")) { /* a PodGroup that comes later does not reopen the question */
    *after = "Closed";
    return SIM_QUEUE_CALL_SYNC;
  }
  if (is (state, "Closing")) {
    *after = shut;
    return SIM_QUEUE_CALL_SYNC;
  }
  if (action == SIM_QUEUE_CLOSE) {
    *after = shut;
    return SIM_QUEUE_CALL_CLOSE;
  }
  *after = open ? "Open" : "Unknown";
  return SIM_QUEUE_CALL_SYNC;
}

SimQueueAction
sim_queue_action_find (const char *name)
{
  for (guint i = 0; i < SIM_N_QUEUE_ACTIONS; i++)
    if (is (name, sim_queue_action_names[i]))
      return (SimQueueAction) i;
  return SIM_QUEUE_SYNC;
}

/* ---- requests -------------------------------------------------------------------------------- */

SimTime
sim_controllers_due (SimWorld *w, SimTime last)
{
  if (w->record == NULL)
    return w->now; /* the cluster is found like that */
  SimTime due = MAX (sim_time_after (w->now, sim_faults_controller_lag (w)), last);

  if (due > w->now && w->requests_woken != due) {
    w->requests_woken = due;
    sim_event_queue_post (w->events, due, SIM_RANK_WATCH, SIM_EVENT_CONTROLLER, 0, 0);
  }
  return due;
}

static void
push (SimWorld *w, SimQueueRequest r)
{
  if (w->queue_requests == NULL)
    w->queue_requests = g_array_new (FALSE, FALSE, sizeof (SimQueueRequest));
  guint n = w->queue_requests->len;

  r.due = sim_controllers_due (w, n > 0 ? g_array_index (w->queue_requests, SimQueueRequest, n - 1).due : 0);
  g_array_append_val (w->queue_requests, r);
}

void
sim_queue_request (SimWorld *w, guint32 queue, SimQueueAction action)
{
  push (w, (SimQueueRequest){ .queue = queue, .action = (guint8) action });
}

void
sim_queue_retry (SimWorld *w, const SimEvent *ev)
{
  push (w, (SimQueueRequest){ .queue = ev->subject, .action = (guint8) (ev->stamp & 0xff), .retries = (guint8) (ev->stamp >> 8) });
}

/* ---- the routines: FALSE means refused, to be tried again ------------------------------------- */

static void
set_state (SimWorld *w, guint32 queue, const char *state)
{
  SimQueue *q = &w->queue[queue];

  if (is (q->state, state))
    return;
  q->state = state;
  sim_queue_publish (w, queue);
  sim_record_queue_phase (w, queue, state);
  sim_record_event (w, "Queue", "", q->name, is (state, "Open") ? "open" : is (state, "Closing") ? "closing" : "closed", "");
}

/* SIM_NONE: the queue names a parent that does not exist. */
static guint32
parent_of (const SimWorld *w, guint32 queue)
{
  for (guint32 i = 0; i < w->n_queues; i++)
    if (w->queue[i].row != VC_NONE && is (w->queue[i].name, w->queue[queue].parent))
      return i;
  return SIM_NONE;
}

static gboolean
sync_queue (SimWorld *w, guint32 queue, const char *after)
{
  SimQueue *q = &w->queue[queue];

  set_state (w, queue, after);
  if (is (q->name, "root"))
    return TRUE;
  guint32 parent = parent_of (w, queue);

  if (parent == SIM_NONE)
    return FALSE;
  const char *above = w->queue[parent].state;

  if (is_shut (above) && !is_shut (q->state)) {
    q->closed_by_parent = 1;
    sim_queue_request (w, queue, SIM_QUEUE_CLOSE);
  } else if (is (above, "Open") && is_shut (q->state) && q->closed_by_parent == 1) {
    sim_queue_request (w, queue, SIM_QUEUE_OPEN);
  }
  return TRUE;
}

static gboolean
open_queue (SimWorld *w, guint32 queue, const char *after)
{
  SimQueue *q = &w->queue[queue];

  if (*q->parent != '\0' && !is (q->parent, "root")) {
    guint32 parent = parent_of (w, queue);

    if (parent == SIM_NONE || is_shut (w->queue[parent].state))
      return FALSE; /* it may be about to open */
  }
  for (guint32 i = 0; i < w->n_queues; i++) { /* rows are in the order of the names */
    const SimQueue *child = &w->queue[i];

    if (child->row != VC_NONE && is (child->parent, q->name) && child->closed_by_parent == 1)
      sim_queue_request (w, i, SIM_QUEUE_OPEN);
  }
  set_state (w, queue, after);
  q->closed_by_parent = 0;
  return TRUE;
}

static gboolean
close_queue (SimWorld *w, guint32 queue, const char *after)
{
  const SimQueue *q = &w->queue[queue];

  if (is (q->name, "root"))
    return TRUE; /* it cannot be closed */
  for (guint32 i = 0; i < w->n_queues; i++) {
    SimQueue *child = &w->queue[i];

    if (child->row == VC_NONE || !is (child->parent, q->name) || is_shut (child->state))
      continue;
    child->closed_by_parent = 1;
    sim_queue_request (w, i, SIM_QUEUE_CLOSE);
  }
  set_state (w, queue, after);
  return TRUE;
}

static gboolean
execute (SimWorld *w, guint32 queue, SimQueueAction action)
{
  const SimQueue *q = &w->queue[queue];
  const char *after;

  switch (sim_queue_state_plan (q->state, action, q->n_groups, &after)) {
  case SIM_QUEUE_CALL_OPEN:
    return open_queue (w, queue, after);
  case SIM_QUEUE_CALL_CLOSE:
    return close_queue (w, queue, after);
  case SIM_QUEUE_CALL_SYNC:
  default:
    return sync_queue (w, queue, after);
  }
}

/* Handle the oldest request. FALSE: there is none. */
static gboolean
step (SimWorld *w)
{
  GArray *all = w->queue_requests;

  if (all == NULL || w->queue_request_head == all->len || g_array_index (all, SimQueueRequest, w->queue_request_head).due > w->now)
    return FALSE;
  SimQueueRequest r = g_array_index (all, SimQueueRequest, w->queue_request_head++);

  if (w->queue_request_head == all->len) {
    g_array_set_size (all, 0);
    w->queue_request_head = 0;
  }
  if (w->queue[r.queue].row != VC_NONE && !execute (w, r.queue, (SimQueueAction) r.action) && r.retries < MAX_RETRIES) {
    SimTime wait = MIN ((SimTime) BACKOFF << r.retries, MAX_BACKOFF);

    sim_event_queue_post (w->events, w->now + wait, SIM_RANK_TIMER, SIM_EVENT_QUEUE_RETRY, r.queue,
                          (guint32) r.action | (guint32) (r.retries + 1) << 8);
  }
  return TRUE;
}

void
sim_controllers_settle (SimWorld *w)
{
  do {
    sim_jobs_settle (w);
    sim_storage_settle (w);
  } while (step (w) || sim_makers_step (w));
}
