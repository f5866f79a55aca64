/* reports/compare/compare-chart.h - pictures of a comparison, drawn by gnuplot (SVG and PNG of each). Same figures, same bytes of SVG. */
#pragma once
#include "compare.h"
#include "reports/pages/page.h"
G_BEGIN_DECLS

/** Draw into the existing directory @dir: waits (distributions), use (of resources over time), moves (each job's wait under both), differences (relative,
 * with intervals; only with shaken pairs). *@warning and @error as in rp_draw_run(). */
gboolean rp_compare_charts_draw (const RpComparison *c, const char *dir, char **warning, GError **error);
/* What they show, for a page. */
extern const RpPageChart rp_compare_charts[];
extern const guint rp_n_compare_charts;

G_END_DECLS
