/* sim/controllers/delayed-actions.h - policies with a timeout: what is to be done to a job later, unless something comes between (05 §4.3).
 *
 * Each job has one slot for each pod name, and one for requests that are not about a pod. A second, different action takes the
 * slot over, but the timer of the first still fires. */
#pragma once
#include "job-policy.h"
#include "sim/world/world.h"
G_BEGIN_DECLS

/** Carry out @reaction to @req after its delay, unless the slot waits for the same action already. */
void sim_delayed_add (SimWorld *w, const SimRequest *req, const SimReaction *reaction);
/** The controller takes up @req: a pod that moves on cancels what waits for it. */
void sim_delayed_note (SimWorld *w, const SimRequest *req);
/** @action on the pod, task or partition of @req was carried out: what waits to do the same is cancelled. */
void sim_delayed_cleanup (SimWorld *w, const SimRequest *req, SimJobAction action);
/** The timer of @ev is due. FALSE: it was cancelled. */
gboolean sim_delayed_fire (SimWorld *w, const SimEvent *ev, SimRequest *req, SimJobAction *action);
/** The job is no more: forget its slots. */
void sim_delayed_clear (SimWorld *w, guint32 job);

G_END_DECLS
