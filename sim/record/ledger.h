/* sim/record/ledger.h - why each job waits: intervals of time, each with the one thing that stood in its way, for ledger.csv.
 *
 * The first wait of a job goes from its submission to its gang start (or to the end of the run); a job that loses its gang afterwards waits
 * again, until the gang runs once more. A wait is cut where its cause changes, so its intervals add up to it exactly. What a cycle found
 * holds until the next cycle. */
#pragma once
#include "core/session/engine.h"
#include "reports/results/results.h"
#include "sim/world/world.h"
G_BEGIN_DECLS

/** Keep the ledger of @w in @results (borrowed). (transfer full) */
SimLedger *sim_ledger_new (SimWorld *w, RpResults *results);
void sim_ledger_free (SimLedger *l);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SimLedger, sim_ledger_free)
/** Who listens to the votes and refusals of the engine's sessions. Valid as long as @l. */
const VcObserver *sim_ledger_observer (SimLedger *l);

/** The job waits from now on, for the first time or again because of @cause. */
void sim_ledger_wait (SimWorld *w, guint32 job, const char *cause);
/** It is resumed after having been aborted at @since: if its gang has never run, it has waited since then. */
void sim_ledger_resume (SimWorld *w, guint32 job, SimTime since);
/** Its gang runs, or it has come to an end. No effect on a job that does not wait. */
void sim_ledger_end (SimWorld *w, guint32 job);
/** A cycle and everything of its instant is over: what did it find for the jobs that wait? */
void sim_ledger_cycle (SimLedger *l, const VcEngine *engine);
/** When a cycle last found another cause than before. */
SimTime sim_ledger_last_change (const SimLedger *l);
/** What stood in the way of @job when the run ended goes into @row, which is left alone when it did not wait then. After sim_ledger_finish(). */
void sim_ledger_last (const SimWorld *w, guint32 job, RpJob *row);
/** The run is over. */
void sim_ledger_finish (SimLedger *l);

G_END_DECLS
