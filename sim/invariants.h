/* sim/invariants.h - what must hold after every cycle, whatever breaks: checked when a run is told to (check_invariants).
 *
 * docs/chaos.md lists them. A check counts everything afresh that there is (pods, nodes, jobs from their submission until they are settled), and so costs as
 * much as the cluster is large. Two things grow with the run or are dear, and are looked at in the first check, in the last, and whenever they have changed
 * since the check before: jobs that are to come or over, and which budgets cover a pod. It changes nothing of the simulation. */
#pragma once
#include "core/session/engine.h"
#include "sim/world/world.h"
G_BEGIN_DECLS

typedef struct SimInvariants SimInvariants; /* room for recounts, kept from check to check */
/** @w is borrowed, and notes from now on which jobs change. @fully: look at everything, changed or not. (transfer full) */
SimInvariants *sim_invariants_new (SimWorld *w, gboolean fully);
void sim_invariants_free (SimInvariants *v);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SimInvariants, sim_invariants_free)

/** What the cycle has committed and not handed over yet: of each job that gets a bind the gang is whole. FALSE with SIM_ERROR_FAILED, one line. */
gboolean sim_invariants_check_binds (const SimWorld *w, const VcEngine *engine, GError **error);
/** The whole state. FALSE as above. */
gboolean sim_invariants_check (SimInvariants *v, GError **error);
/** At the end of the run: what was looked at only as it changed. FALSE as above. */
gboolean sim_invariants_finish (SimInvariants *v, GError **error);

G_END_DECLS
