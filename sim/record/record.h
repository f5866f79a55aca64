/* sim/record/record.h - what a run writes down: rows of the results, from the world's counters. */
#pragma once
#include "core/session/engine.h"
#include "reports/results/results.h"
#include "sim/world/world.h"
G_BEGIN_DECLS

typedef struct SimPools SimPools; /* which nodes pods may use */

/** Record into @results (borrowed). @sample: a row of cycles.csv at least that often, 0 = only on change. (transfer full) */
SimRecord *sim_record_new (SimWorld *w, RpResults *results, SimTime sample);
void sim_record_free (SimRecord *r);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SimRecord, sim_record_free)

/** Columns of jobs.csv, tasks.csv and so on. */
void sim_record_pod (SimWorld *w, guint32 pod, const char *outcome);
void sim_record_job (SimWorld *w, guint32 job);
void sim_record_event (SimWorld *w, const char *kind, const char *ns, const char *name, const char *event, const char *detail);
void sim_record_pod_event (SimWorld *w, guint32 pod, const char *event, const char *detail);
void sim_record_job_phase (SimWorld *w, guint32 job, const char *phase);
void sim_record_group_phase (SimWorld *w, guint32 job);
void sim_record_phase (SimWorld *w, const char *kind, const char *ns, const char *name, const char *phase);
void sim_record_queue_phase (SimWorld *w, guint32 queue, const char *state);
/** The scheduler evicts @pod; @for_pod: whom it promises the room, SIM_NONE. */
void sim_record_eviction (SimWorld *w, guint32 pod, const char *action, guint32 for_pod);
/** The queue as the scheduler knows it from now on. No effect before the run begins, and on a queue that does not exist. */
void sim_record_quota (SimWorld *w, guint32 queue);
/** What job @job asks for goes into @row; @pod and @least, [n_res], hold the amounts. */
void sim_record_asks (const SimWorld *w, guint32 job, RpJob *row, double *pod, double *least);
/** At the end: the nodes, and which kinds of them jobs may use. After the rows of the jobs. */
void sim_record_nodes (SimWorld *w);
SimPools *sim_record_pools (const SimRecord *r);       /* borrowed */
SimPools *sim_pools_new (void);
void sim_pools_free (SimPools *p);
RpResults *sim_record_results (const SimRecord *r); /* borrowed */

/** After a cycle of the scheduler that has the @view, which took @e2e of virtual time, and everything of its instant: a row when something differs from its row before, or it is time for one.
 * FALSE: nothing differs. */
gboolean sim_record_cycle (SimRecord *r, guint view, const VcCycleResult *result, SimTime e2e);
/** Of cycles that are skipped at @first, @first + @step … the first one that a sample of the scheduler is due in; SIM_NEVER: there are no samples. */
SimTime sim_record_sample_due (const SimRecord *r, guint view, SimTime first, SimTime step);
/** That sample: its last row once more. */
void sim_record_sample (SimRecord *r, guint view, SimTime at);
/** Time of the last row of cycles.csv. */
SimTime sim_record_last_row (const SimRecord *r);
guint64 sim_record_binds (const SimRecord *r);

G_END_DECLS
