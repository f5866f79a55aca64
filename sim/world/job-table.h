/* sim/world/job-table.h - the table of jobs grows: rows of the input first, then what controllers make while the run goes on.
 *
 * A row is a job's identity for ever, and by it comes its UID; a name can come again once its job is gone. */
#pragma once
#include "world.h"
G_BEGIN_DECLS

/** Room for that many jobs and roles more. Only saves time. */
void sim_jobs_reserve (SimWorld *w, guint32 n_jobs, guint32 n_roles);
/** A job of which nothing is given and to which nothing has happened. */
SimJob sim_job_at_rest (void);
/** A new row behind the others, with everything at rest and @n_roles zeroed roles from its first_role on. What is given of a job is for the
 * caller to fill in. Pointers to other jobs and roles are void afterwards. */
guint32 sim_job_add (SimWorld *w, guint32 n_roles);
/** Why admission refuses the job now, NULL: it does not. (transfer full) */
char *sim_job_refusal (const SimWorld *w, guint32 job);
/** The job object appears, or is Rejected. */
void sim_job_submit (SimWorld *w, guint32 job);
/** The job object appears; admission has been asked. */
void sim_job_accept (SimWorld *w, guint32 job);

/* Names are looked up only in runs where jobs are made on the way (SimWorld.job_names). */
/** The Job object of that name, SIM_NONE. */
guint32 sim_job_find (const SimWorld *w, const char *ns, const char *name);
/** The job object is no more; its name is free, though its pods may live on for their grace. */
void sim_job_forget (SimWorld *w, guint32 job);
/** The last pod of a job that had its name before this one is gone, or nothing of the sort is known: is the pod's name free? */
gboolean sim_pod_name_is_free (const SimWorld *w, guint32 role, guint32 index);

G_END_DECLS
