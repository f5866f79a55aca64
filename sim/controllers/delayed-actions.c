/* sim/controllers/delayed-actions.c - mirrors AddDelayActionForJob, CleanPodDelayActionsIfNeed and cleanupDelayActions
 * (pkg/controllers/job/job_controller.go). */
#include "delayed-actions.h"

struct SimDelayed {
  SimRequest req;
  guint32 next;         /* of the job's slots, or of the free rows */
  guint32 stamp;        /* the timer carries it */
  guint8 action;
  gboolean in_slot;
};

static inline SimDelayed *
row_at (SimWorld *w, guint32 row)
{
  return &g_array_index (w->delayed, SimDelayed, row);
}

static void
free_row (SimWorld *w, guint32 row)
{
  SimDelayed *d = row_at (w, row);

  d->stamp++;
  d->next = w->free_delayed;
  w->free_delayed = row;
}

static gboolean
same_pod (const SimRequest *a, const SimRequest *b)
{
  return a->role == b->role && a->index == b->index;
}

/* The place that points to the slot of @req's pod, or to the end of the list. */
static guint32 *
find_slot (SimWorld *w, const SimRequest *req)
{
  guint32 *at = &w->job[req->job].first_delayed;

  while (*at != SIM_NONE && !same_pod (&row_at (w, *at)->req, req))
    at = &row_at (w, *at)->next;
  return at;
}

void
sim_delayed_add (SimWorld *w, const SimRequest *req, const SimReaction *reaction)
{
  guint32 *at = find_slot (w, req);

  if (*at != SIM_NONE) {
    SimDelayed *old = row_at (w, *at);

    if (old->action == reaction->action)
      return;
    *at = old->next; /* out of the slot, but nobody stops its timer */
    old->in_slot = FALSE;
  }
  guint32 row = w->free_delayed;

  if (w->delayed == NULL)
    w->delayed = g_array_new (FALSE, FALSE, sizeof (SimDelayed));
  if (row != SIM_NONE) {
    w->free_delayed = row_at (w, row)->next;
  } else {
    row = w->delayed->len;
    g_array_set_size (w->delayed, row + 1);
    row_at (w, row)->stamp = 0;
  }
  SimDelayed *d = row_at (w, row);

  d->req = *req;
  d->action = (guint8) reaction->action;
  d->in_slot = TRUE;
  d->next = w->job[req->job].first_delayed;
  w->job[req->job].first_delayed = row;
  sim_event_queue_post (w->events, sim_time_after (w->now, reaction->delay), SIM_RANK_TIMER, SIM_EVENT_JOB_DELAYED, row, d->stamp);
}

void
sim_delayed_note (SimWorld *w, const SimRequest *req)
{
  if (w->job[req->job].first_delayed == SIM_NONE)
    return;
  if (req->cause != SIM_CAUSE_POD_RUNNING && req->cause != SIM_CAUSE_POD_FAILED && req->cause != SIM_CAUSE_POD_EVICTED)
    return;
  guint32 *at = find_slot (w, req), row = *at;

  if (row == SIM_NONE)
    return;
  const SimDelayed *d = row_at (w, row);
  gboolean pending_over = d->req.cause == SIM_CAUSE_POD_PENDING && d->req.pod_uid == req->pod_uid;
  gboolean back = req->cause == SIM_CAUSE_POD_RUNNING &&
                  (d->req.cause == SIM_CAUSE_POD_FAILED || d->req.cause == SIM_CAUSE_POD_EVICTED);

  if (pending_over || back) {
    *at = d->next;
    free_row (w, row);
  }
}

typedef enum { ON_JOB, ON_TASK, ON_POD, ON_PARTITION } Class;

static Class
class_of (SimJobAction action)
{
  return action == SIM_ACTION_RESTART_TASK        ? ON_TASK
         : action == SIM_ACTION_RESTART_POD       ? ON_POD
         : action == SIM_ACTION_RESTART_PARTITION ? ON_PARTITION
                                                  : ON_JOB;
}

static guint32
partition_of (const SimWorld *w, const SimRequest *req)
{
  return req->role == SIM_NONE ? SIM_NONE : sim_role_partition (&w->role[req->role], req->index);
}

/* Partitions are told apart by number alone, whatever their task. */
static gboolean
same_target (const SimWorld *w, Class class, const SimRequest *a, const SimRequest *b)
{
  switch (class) {
  case ON_TASK:
    return a->role == b->role;
  case ON_POD:
    return same_pod (a, b);
  case ON_PARTITION:
    return partition_of (w, a) == partition_of (w, b);
  case ON_JOB:
  default:
    return TRUE;
  }
}

void
sim_delayed_cleanup (SimWorld *w, const SimRequest *req, SimJobAction action)
{
  Class class = class_of (action);

  for (guint32 *at = &w->job[req->job].first_delayed; *at != SIM_NONE;) {
    guint32 row = *at;
    SimDelayed *d = row_at (w, row);

    if (class_of ((SimJobAction) d->action) == class && same_target (w, class, &d->req, req)) {
      *at = d->next;
      free_row (w, row);
    } else {
      at = &d->next;
    }
  }
}

gboolean
sim_delayed_fire (SimWorld *w, const SimEvent *ev, SimRequest *req, SimJobAction *action)
{
  SimDelayed *d = row_at (w, ev->subject);

  if (d->stamp != ev->stamp)
    return FALSE;
  *req = d->req;
  *action = (SimJobAction) d->action;
  if (!d->in_slot)
    free_row (w, ev->subject);
  return TRUE; /* what is in its slot leaves it with the cleanup that follows */
}

void
sim_delayed_clear (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];

  while (j->first_delayed != SIM_NONE) {
    guint32 row = j->first_delayed;

    j->first_delayed = row_at (w, row)->next;
    free_row (w, row);
  }
}
