/* sim/invariants.h - what must hold after every cycle, whatever breaks: checked from scratch when a run is told to (check_invariants).
 *
 * docs/chaos.md lists them. A check looks at everything that there is (pods, nodes, jobs from their submission until they are settled), and so costs as
 * much as the cluster is large; of the jobs that are to come or are over, which have nothing left that could be wrong, it looks at some, others the next
 * time. It changes nothing of the world. */
#pragma once
#include "core/session/engine.h"
#include "world.h"
G_BEGIN_DECLS

typedef struct SimInvariants SimInvariants; /* room for recounts, kept from check to check */
SimInvariants *sim_invariants_new (SimWorld *w); /* (transfer full); @w borrowed */
void sim_invariants_free (SimInvariants *v);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SimInvariants, sim_invariants_free)

/** What the cycle has committed and not handed over yet: of each job that gets a bind the gang is whole. FALSE with SIM_ERROR_FAILED, one line. */
gboolean sim_invariants_check_binds (const SimWorld *w, const VcEngine *engine, GError **error);
/** The whole state. FALSE as above. */
gboolean sim_invariants_check (SimInvariants *v, GError **error);

G_END_DECLS
