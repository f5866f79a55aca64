/* sim/studies/sweep-page.h - a sweep as one HTML page. */
#pragma once
#include "sweep-table.h"
G_BEGIN_DECLS

/** The page of the runs that @t has; a row of the others says that they are missing. @command: how to get it again. (transfer full) */
char *sim_sweep_page (const SimSweepTable *t, const char *command);

G_END_DECLS
