/* sim/scheduler/binder.h - from the session's commitment to the API server: what AddBindTask handed over (vc_cache_add_bind_task) waits in the channel, is
 * taken out after the cycle in batches, and each pod is bound by a call of its own; a pod whose bind fails is read again, the others of its
 * gang stay bound.
 *
 * Before the calls, the volumes of each pod of the batch are bound (storage.h), one pod after the other, with a look at them every second.
 * A batch makes its calls one after the other and looks at the errors when all are back; batches do not wait for each other. A call waits
 * for a token of the client, then takes its latency. Until its outcome is known the task is Binding in the scheduler's eyes, and holds its
 * room. Mirrors BindFlowChannel, processBindTask, BindTask, Bind, DefaultBinder.Bind and processResyncTask (pkg/scheduler/cache/cache.go). */
#pragma once
#include "sim/world/world.h"
G_BEGIN_DECLS

/** (transfer full) */
SimBinder *sim_binder_new (void);
void sim_binder_free (SimBinder *b);

/** The next @n binds of pods of that name fail. */
void sim_binder_fail (SimBinder *b, const char *ns_pod, guint n);

/** processBindTask of the scheduler whose view is entered: take everything out of BindFlowChannel (vc_cache_binds()), in the order of the commitments, and begin to bind it. Pods that
 * come to their nodes at one instant come by UID. @patience: seconds that a bind waits for its volumes (vc_engine_bind_patience()). The
 * number of binds that are going to fail. */
guint32 sim_binder_process (SimWorld *w, gint64 patience);
/** The process of the scheduler whose view is entered ends: calls that are on their way to the API server arrive, nobody hears of their outcome, and what had not been sent
 * is forgotten. Every pod that is not bound is Pending for the next process. */
void sim_binder_abandon (SimWorld *w);
/** A call is back, a pod is to be read again, or a look is due at the volumes that a bind waits for. FALSE: nobody cares any more. */
gboolean sim_binder_event (SimWorld *w, const SimEvent *ev);

G_END_DECLS
