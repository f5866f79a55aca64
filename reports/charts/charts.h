/* reports/charts/charts.h - pictures of a run, drawn by gnuplot (SVG and PNG of each).
 *
 * What each shows stands in reports/results/schema.c. Same figures, same bytes of SVG. */
#pragma once
#include <glib.h>
#include "reports/results/summary.h"
G_BEGIN_DECLS

/** The gnuplot script of every chart, with its data; it writes into the working directory.
 * (transfer full) */
GString *rp_charts_script (const RpSummary *s);

/** Draw into the existing directory @dir. TRUE with *@warning set when they could not be drawn (no
 * gnuplot, or it failed): the directory is empty then. FALSE with @error when the disk refuses. */
gboolean rp_charts_draw (const RpSummary *s, const char *dir, char **warning, GError **error);

G_END_DECLS
