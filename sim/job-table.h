/* sim/job-table.h - the table of jobs grows: rows of the input first, then what controllers make while the run goes on.
 *
 * A row is a job's identity for ever, and by it comes its UID; a name can come again once its job is gone. */
#pragma once
#include "world.h"
G_BEGIN_DECLS

/** Room for that many jobs and roles more. Only saves time. */
void sim_jobs_reserve (SimWorld *w, guint32 n_jobs, guint32 n_roles);
/** A new row behind the others, with everything at rest and @n_roles zeroed roles from its first_role on. What is given of a job is for the
 * caller to fill in. Pointers to other jobs and roles are void afterwards. */
guint32 sim_job_add (SimWorld *w, guint32 n_roles);
/** Why admission refuses the job now, NULL: it does not. (transfer full) */
char *sim_job_refusal (const SimWorld *w, guint32 job);
/** The job object appears, or is Rejected. */
void sim_job_submit (SimWorld *w, guint32 job);

G_END_DECLS
