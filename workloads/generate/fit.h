/* workloads/generate/fit.h - a profile out of a trace, and how well it fits. */
#pragma once
#include "profile.h"
G_BEGIN_DECLS

typedef struct WlFit WlFit;

/** Fit a profile to the trace in @folder (nodes.csv, jobs.csv and, if there, queues.csv). @how is "parametric", "empirical" or "best" (NULL): the form of
 * running times and of times between jobs. NULL with @error. (transfer full) */
WlFit *wl_fit (const char *folder, const char *how, GError **error);
void wl_fit_free (WlFit *fit);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlFit, wl_fit_free)
/** The profile as YAML; it belongs to @fit. */
const char *wl_fit_profile (const WlFit *fit);
/** How near the synthetic trace in @folder comes, one line for each marginal: percentiles of both, and the Kolmogorov-Smirnov distance (for queues and users half
 * the sum of the differences of their shares). @csv gets the same as CSV. NULL with @error. (transfer full) */
char *wl_fit_table (const WlFit *fit, const char *folder, GString *csv, GError **error);

G_END_DECLS
