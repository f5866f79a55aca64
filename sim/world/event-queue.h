/* sim/world/event-queue.h - pending events of one simulation, in total order.
 *
 * Events leave in ascending (time, rank, order of posting). What is known from the start (node rows, submissions) goes into a
 * backlog that is sorted once; what arises on the way goes into a binary heap. Events of the backlog count as posted before
 * all others. Not thread-safe. */
#pragma once
#include "sim-time.h"
G_BEGIN_DECLS

typedef struct SimEventQueue SimEventQueue;

typedef enum { /* lower ranks come first at one instant */
  SIM_RANK_NODE,
  SIM_RANK_POD,
  SIM_RANK_QUEUE,
  SIM_RANK_COMMAND,
  SIM_RANK_DELETE,
  SIM_RANK_SUBMIT,
  SIM_RANK_SCALE,
  SIM_RANK_CONF,
  SIM_RANK_TIMER,
  SIM_RANK_WATCH, /* the scheduler hears of what has happened */
} SimRank;

typedef enum {
  SIM_EVENT_NODE,        /* subject: node row of the input */
  SIM_EVENT_NODE_USAGE,  /* subject: row of the measured loads */
  SIM_EVENT_NODE_IMAGE,  /* subject: node; an image has been pulled */
  SIM_EVENT_PROVISIONED, /* subject: claim (storage.c) */
  SIM_EVENT_POD_BIND,    /* subject: bind that is under way (binder.c) */
  SIM_EVENT_POD_START,   /* containers start */
  SIM_EVENT_POD_END,     /* containers end */
  SIM_EVENT_POD_REMOVE,  /* the grace period is over */
  SIM_EVENT_POD_RESTART, /* a container starts again after its back-off */
  SIM_EVENT_NODE_GC,     /* subject: node; what was lost with it is collected */
  SIM_EVENT_QUEUE,       /* subject: queue row of the input */
  SIM_EVENT_OBJECT,      /* subject: object of the input that appears */
  SIM_EVENT_OBJECT_GONE, /* subject: the same, deleted by its user */
  SIM_EVENT_HYPER_RETRY, /* subject: HyperNode that the cache tries again */
  SIM_EVENT_JOB_DELETE,  /* subject: job; the user deletes it */
  SIM_EVENT_JOB_SUBMIT,  /* subject: job */
  SIM_EVENT_SHARDING,    /* the sharding controller looks at everything */
  SIM_EVENT_SHARDING_PERIOD, /* the same, from time to time */
  SIM_EVENT_ROLLOUT,     /* subject: update of a Deployment */
  SIM_EVENT_JOB_SCALE,   /* subject: edit of the input; a job is updated */
  SIM_EVENT_JOB_SCHEDULE, /* subject: job, stamp: step of its schedule */
  SIM_EVENT_JOB_EXPIRE,  /* subject: job; its time to live is over */
  SIM_EVENT_NODE_MISSED, /* subject: node; the cluster notices that it is off */
  SIM_EVENT_NODE_DRAIN,  /* subject: node; what a budget held back is tried again */
  SIM_EVENT_FAULT_LEAD,  /* subject: unit of a fault; a maintenance announces itself. Stamp 1: it recurs */
  SIM_EVENT_FAULT_BEGIN, /* a fault that comes once */
  SIM_EVENT_FAULT_AGAIN, /* one that recurs */
  SIM_EVENT_FAULT_END,   /* stamp 1: it comes again afterwards */
  SIM_EVENT_LOAD,        /* the nodes' load is measured */
  SIM_EVENT_WATCH,       /* news reaches the scheduler's cache */
  SIM_EVENT_CONTROLLER,  /* requests to the controllers are due */
  SIM_EVENT_POD_TAINT,   /* subject: pod; it bears the taints of its node no longer */
  SIM_EVENT_CONF,        /* subject: configuration that comes into force */
  SIM_EVENT_QUEUE_RETRY, /* subject: queue; a request to its controller is tried again */
  SIM_EVENT_COMMAND,     /* subject: command row of the input */
  SIM_EVENT_JOB_DELAYED, /* subject: delayed action */
  SIM_EVENT_JOB_WAKE,    /* subject: job of another kind than vcjob; its controller looks again */
  SIM_EVENT_JOB_AGAIN,   /* the same after something failed; a poll */
  SIM_EVENT_POD_GROUP,   /* subject: pod; the PodGroup controller tries again; a poll */
  SIM_EVENT_MEMBER_SUBMIT, /* subject: role; the pod of a PodGroup appears */
  SIM_EVENT_MEMBER_DELETE, /* its user deletes it */
  SIM_EVENT_JOB_RETRY,   /* subject: request that failed; its back-off is over */
  SIM_EVENT_MAKER_SUBMIT, /* subject: JobTemplate, JobFlow or CronJob (makers.h); it is made */
  SIM_EVENT_MAKER_DELETE, /* the same; its user deletes it */
  SIM_EVENT_MAKER_TIMER, /* the same; its controller looks at it again */
} SimEventKind;

typedef struct {
  SimTime time;
  guint64 key;      /* rank, order of posting, kind */
  guint32 subject;
  guint32 stamp;    /* a subject that has moved on since ignores the event */
} SimEvent;

static inline SimEventKind
sim_event_kind (const SimEvent *ev)
{
  return (SimEventKind) (ev->key & 0xff);
}
static inline SimRank
sim_event_rank (const SimEvent *ev)
{
  return (SimRank) (ev->key >> 56);
}

SimEventQueue *sim_event_queue_new (void); /* (transfer full) */
void sim_event_queue_free (SimEventQueue *q); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SimEventQueue, sim_event_queue_free)

/** Add to the backlog; only before sim_event_queue_seal(). */
void sim_event_queue_prepare (SimEventQueue *q, SimTime time, SimRank rank, SimEventKind kind, guint32 subject);
/** Sort the backlog. Call once, before the first pop. */
void sim_event_queue_seal (SimEventQueue *q);
/** Post an event. Its time must not lie before the last popped one (asserted); SIM_NEVER is dropped. */
void sim_event_queue_post (SimEventQueue *q, SimTime time, SimRank rank, SimEventKind kind, guint32 subject, guint32 stamp);
/** Is nothing left but what goes on for ever by itself (faults that recur, attempts to drain, to make pods and PodGroups)? The end of such a fault may still help those who
 * wait; with @done there are none. */
gboolean sim_event_queue_is_idle (const SimEventQueue *q, gboolean done);
/** Time of the earliest event, SIM_NEVER when there is none. */
SimTime sim_event_queue_next (const SimEventQueue *q);
/** Take the earliest event; FALSE, with @out left alone, when there is none. */
gboolean sim_event_queue_pop (SimEventQueue *q, SimEvent *out);

G_END_DECLS
