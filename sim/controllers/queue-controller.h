/* sim/controllers/queue-controller.h - the controller of queues: open, closing, closed, and what a parent does to its children (05 §6).
 *
 * Every event makes a request of its own, handled in the order in which they arose; a refused one is tried again after a back-off.
 * Mirrors pkg/controllers/queue. */
#pragma once
#include "sim/world/world.h"
G_BEGIN_DECLS

typedef enum { SIM_QUEUE_SYNC, SIM_QUEUE_OPEN, SIM_QUEUE_CLOSE, SIM_N_QUEUE_ACTIONS } SimQueueAction;
extern const char *const sim_queue_action_names[SIM_N_QUEUE_ACTIONS]; /* "SyncQueue", … */
typedef enum { SIM_QUEUE_CALL_SYNC, SIM_QUEUE_CALL_OPEN, SIM_QUEUE_CALL_CLOSE } SimQueueCall;

/** What a queue in @state ("" counts as Open) with @n_groups PodGroups does on @action: the routine, and in @after the state that it is to
 * have. Static texts. */
SimQueueCall sim_queue_state_plan (const char *state, SimQueueAction action, guint32 n_groups, const char **after);

/** An action by its name; what is no action of queues only looks after the queue. */
SimQueueAction sim_queue_action_find (const char *name);
/** Something happened that the queue's controller looks at: the queue is new or has another parent, a PodGroup of it came, went or changed
 * its phase (sync), or a user's command (open, close). */
void sim_queue_request (SimWorld *w, guint32 queue, SimQueueAction action);
/** A request whose back-off is over. */
void sim_queue_retry (SimWorld *w, const SimEvent *ev);
/** When a request that arises now may be handled, behind one that may at @last: at once, or after the lag of the controllers (controller_lag,
 * faults.csv). */
SimTime sim_controllers_due (SimWorld *w, SimTime last);
/** Let both controllers work until no request is left: one of a queue whenever those of the jobs are done. */
void sim_controllers_settle (SimWorld *w);

G_END_DECLS
