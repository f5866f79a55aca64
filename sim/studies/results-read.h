/* sim/studies/results-read.h - reading back what a run has written. */
#pragma once
#include "core/base/json.h"
#include "reports/diagnose/diagnose.h"
G_BEGIN_DECLS

/** Everything that is in the results directory @dir. NULL with @error when it is none, is of another schema version, or a file is damaged
 * ("file:line:column: …"). (transfer full) */
RpRunData *sim_results_read (const char *dir, GError **error);

/** The summary of the results directory @dir, in @arena; its text goes to @text (nullable, transfer full). NULL with
 * @error when there is none, it is of another schema version, or holds figures that no run has. */
const VcJson *sim_summary_read (const char *dir, VcArena *arena, char **text, GError **error);

/** What is wrong with the run (reports/diagnose/diagnose.h), under the configuration that lies beside its results. NULL with @error when that cannot be read.
 * (transfer full: RpDiagnosis) */
GPtrArray *sim_results_diagnose (const RpRunData *d, GError **error);

G_END_DECLS
