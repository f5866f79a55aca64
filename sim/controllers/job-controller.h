/* sim/controllers/job-controller.h - what the controller of vcjobs does: sync, kill, PodGroups (05 §4.4 to §4.11).
 *
 * Which request asks for it, and when, is in job-requests.h. */
#pragma once
#include "sim/world/world.h"
G_BEGIN_DECLS

/** Carry out one action now; @req says which pod, task or partition it is aimed at. FALSE: it failed and is to be tried again. */
gboolean sim_job_execute (SimWorld *w, guint32 job, SimJobAction action, const SimRequest *req);
/** Somebody deletes the job: the object, its PodGroup, then its pods gracefully. @foreground, as the garbage collector does it: the object stays
 * until the pods are gone. */
void sim_job_delete (SimWorld *w, guint32 job, gboolean foreground);

G_END_DECLS
