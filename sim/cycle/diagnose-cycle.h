/* sim/cycle/diagnose-cycle.h - what one cycle shows of the pathologies that reports/diagnose/diagnose.h finds in whole runs: evictions that help nobody or go too far,
 * a nomination that is stale, a gang that is one short, jobs that admission keeps from what would be taken for them. `volsim cycle --diagnose`.
 *
 * To tell whether an eviction helps, one more cycle is looked at, with the victims gone; the answer of the command does not show it. */
#pragma once
#include "core/session/engine.h"
G_BEGIN_DECLS

typedef struct SimCycleDiagnosis SimCycleDiagnosis;

/** Before the cycle: remembers how tasks and jobs of @cache stand. @conf is read now and not kept. (transfer full) */
SimCycleDiagnosis *sim_cycle_diagnosis_new (VcCache *cache, const VcConf *conf);
void sim_cycle_diagnosis_free (SimCycleDiagnosis *x);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SimCycleDiagnosis, sim_cycle_diagnosis_free)
/** After the cycle, while the cache still holds its binds and evictions. */
void sim_cycle_diagnosis_take (SimCycleDiagnosis *x, const VcEngine *engine);
/** The victims of the cycle leave the cache: another one may run. */
void sim_cycle_diagnosis_clear_victims (SimCycleDiagnosis *x);
/** After that one, while the cache holds its binds: what is wrong with the first, as text, or as a JSON list. (transfer full) */
char *sim_cycle_diagnosis_finish (SimCycleDiagnosis *x, const VcEngine *engine, gboolean json);

G_END_DECLS
