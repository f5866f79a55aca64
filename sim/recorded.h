/* sim/recorded.h - what happened to the jobs of a trace in reality (recorded.csv), on its way into the results. */
#pragma once
#include "reports/results.h"
G_BEGIN_DECLS

/** Read @path (recorded.csv) and copy it into @results. FALSE with @error. */
gboolean sim_recorded_copy (const char *path, RpResults *results, GError **error);

G_END_DECLS
