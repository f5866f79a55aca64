/* sim/job-controller.h - the controller of vcjobs: requests, sync, kill, PodGroups (05 §4).
 *
 * Requests of one job are handled one after the other; jobs take turns in the order of their oldest request. Without
 * policies every event of a job means SyncJob, and a second sync with nothing in between changes nothing, so all that
 * wait are one. */
#pragma once
#include "world.h"
G_BEGIN_DECLS

/** Something happened to the job or to what it owns: it wants a sync. */
void sim_jobs_request (SimWorld *w, guint32 job);
/** Handle requests until there are none. */
void sim_jobs_settle (SimWorld *w);
/** Carry out one action now. */
void sim_job_execute (SimWorld *w, guint32 job, SimJobAction action);
/** A user (or its time to live) deletes the job: the object, its PodGroup, then its pods gracefully. */
void sim_job_delete (SimWorld *w, guint32 job);

G_END_DECLS
