/* sim/invariants.h - what must hold after every cycle, whatever breaks: checked from scratch when a run is told to (check_invariants).
 *
 * docs/chaos.md lists them. A check costs as much as the whole state is large; it changes nothing. */
#pragma once
#include "core/session/engine.h"
#include "world.h"
G_BEGIN_DECLS

/** What the cycle has committed and not handed over yet: of each job that gets a bind the gang is whole. FALSE with SIM_ERROR_FAILED, one line. */
gboolean sim_invariants_check_binds (const SimWorld *w, const VcEngine *engine, GError **error);
/** The whole state. FALSE as above. */
gboolean sim_invariants_check (SimWorld *w, GError **error);

G_END_DECLS
