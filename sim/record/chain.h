/* sim/record/chain.h - following jobs from submission to their end: one row of chain.csv for each function of Volcano's chain that did something
 * about them, under its upstream name.
 *
 * What a cycle says is held until its end and dropped when it is what the cycle before said: a job that waits fills no file, and a run that
 * skips such cycles writes the same rows. */
#pragma once
#include "core/model/steps.h"
#include "reports/results/results.h"
#include "sim/world/world.h"
G_BEGIN_DECLS

/** Follow @jobs ("namespace/job" with commas between, or "all"). To be made before the world's jobs begin. (transfer full) */
SimChain *sim_chain_new (SimWorld *w, RpResults *results, const char *jobs);
void sim_chain_free (SimChain *c);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SimChain, sim_chain_free)
/** Names of @jobs that no job had. (transfer full: NULL-terminated, g_strfreev) */
char **sim_chain_missed (const SimChain *c);

/** Is the job, which begins now, one to follow? */
gboolean sim_chain_chooses (const SimChain *c, const char *ns, const char *name);
/** What the cache is told from here on is about @job; SIM_NONE: about the job of each row. */
void sim_chain_about (SimWorld *w, guint32 job);
void sim_chain_cycle_begins (SimWorld *w);
/** Did the cycle write rows? */
gboolean sim_chain_cycle_ends (SimWorld *w);

/** @component's @function did something about @job (SIM_NONE: about the scheduler itself). Costs one comparison when nobody follows. */
#define sim_step(w, job, component, function, ...)                                                                                         \
  G_STMT_START                                                                                                                             \
  {                                                                                                                                        \
    if (G_UNLIKELY ((w)->chain != NULL))                                                                                                   \
      sim_chain_tell ((w), (job), (component), (function), __VA_ARGS__);                                                                   \
  }                                                                                                                                        \
  G_STMT_END
void sim_chain_tell (SimWorld *w, guint32 job, const char *component, const char *function, const char *format, ...) G_GNUC_PRINTF (5, 6);

G_END_DECLS
