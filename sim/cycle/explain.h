/* sim/cycle/explain.h - why a pod, or the pods of a job, went where they went: each plugin's answer as the engine asked for it.
 *
 * Watches a cycle through VcObserver; changes nothing. */
#pragma once
#include "core/session/engine.h"
G_BEGIN_DECLS

typedef struct SimExplain SimExplain;
/** @target: "<namespace>/<pod>" or "<namespace>/<podgroup>" (then all its pods). */
SimExplain *sim_explain_new (const char *target);
void sim_explain_free (SimExplain *x);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SimExplain, sim_explain_free)
const VcObserver *sim_explain_observer (const SimExplain *x); /* borrowed */
const char *sim_explain_target (const SimExplain *x);             /* borrowed */
/** Is there a pod or PodGroup of that name? */
gboolean sim_explain_exists (const SimExplain *x, const VcCluster *c);
/** Tables for people: votes, refusals, victims, one table of nodes for each attempt. (transfer full) */
char *sim_explain_text (const SimExplain *x);
/** One JSON object. (transfer full) */
char *sim_explain_json (const SimExplain *x);

G_END_DECLS
