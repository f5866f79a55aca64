/* reports/charts/placement-chart.h - the chart of placement by rack: how full each rack is over time, how much runs in gangs that cross racks, and which. */
#pragma once
#include "draw.h"
#include "reports/results/summary.h"
G_BEGIN_DECLS

/** Is there anything to draw? */
gboolean rp_placement_drawn (const RpSummary *s);
/** Append the chart "placement". */
void rp_draw_placement (RpDrawing *d, const RpSummary *s);
/** After gnuplot: cells of the heat map in @path (SVG) keep their edges where a browser stretches them. Best effort. */
void rp_placement_sharpen (const char *path);

G_END_DECLS
