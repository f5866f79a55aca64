/* sim/binder.h - from the session's commitment to the API server: what AddBindTask handed over (vc_cache_add_bind_task) waits in the channel, is taken
 * out after the cycle, and each pod is bound by itself; a pod whose bind fails is read again, the others of its gang stay bound.
 *
 * Mirrors BindFlowChannel, processBindTask, BindTask, Bind, DefaultBinder.Bind and processResyncTask (pkg/scheduler/cache/cache.go). */
#pragma once
#include "world.h"
G_BEGIN_DECLS

/** (transfer full) */
SimBinder *sim_binder_new (void);
void sim_binder_free (SimBinder *b);

/** The next @n binds of pods of that name fail. */
void sim_binder_fail (SimBinder *b, const char *ns_pod, guint n);

/** processBindTask: take everything out of BindFlowChannel (vc_cache_binds()) and bind it, in the order of the pods' UIDs. The number of
 * binds that failed. */
guint32 sim_binder_process (SimWorld *w);
/** The API server has the pod's binding now: nodeName is written. */
void sim_binder_arrive (SimWorld *w, guint32 pod);

G_END_DECLS
