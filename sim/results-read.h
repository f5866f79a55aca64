/* sim/results-read.h - reading back what a run has written. */
#pragma once
#include "reports/run-data.h"
G_BEGIN_DECLS

/** Everything that is in the results directory @dir. NULL with @error when it is none, is of another schema version, or a file is damaged
 * ("file:line:column: …"). (transfer full) */
RpRunData *sim_results_read (const char *dir, GError **error);

/** Remove a results directory that nobody is to see: its files, and the folder when nothing else is in it. */
void sim_results_remove (const char *dir);

G_END_DECLS
