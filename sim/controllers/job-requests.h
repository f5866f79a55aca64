/* sim/controllers/job-requests.h - what the job controller hears and in which order it acts on it (05 §3, §4.1).
 *
 * Requests of all jobs wait in one line; one that waits already is not added again. What a request in progress causes is heard
 * when it is over: the job first, then pods by UID. A request that fails is tried again after a back-off that doubles, 15 times;
 * then the job is terminated. */
#pragma once
#include "sim/world/world.h"
G_BEGIN_DECLS

/** The job was submitted, or its phase has changed. */
void sim_jobs_job_changed (SimWorld *w, guint32 job);
/** The phase of the job's PodGroup has changed. */
void sim_jobs_group_changed (SimWorld *w, guint32 job);
/** The pod object has appeared. */
void sim_jobs_pod_added (SimWorld *w, guint32 pod);
/** Something else than the phase of the pod has changed. */
void sim_jobs_pod_updated (SimWorld *w, guint32 pod);
/** The pod's phase is Running now. */
void sim_jobs_pod_started (SimWorld *w, guint32 pod);
/** The pod's phase is Succeeded or Failed now; @exit_code is that of its container. */
void sim_jobs_pod_ended (SimWorld *w, guint32 pod, gint32 exit_code);
/** The pod object disappears; still in its slot when called. */
void sim_jobs_pod_removed (SimWorld *w, guint32 pod);
/** A Command object names the job. */
void sim_jobs_command (SimWorld *w, guint32 job, SimJobAction action);
/** A delayed action or a back-off is due. FALSE: it was cancelled. */
gboolean sim_jobs_timer (SimWorld *w, const SimEvent *ev);
/** Handle requests until there are none. */
void sim_jobs_settle (SimWorld *w);

G_END_DECLS
