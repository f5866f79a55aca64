/* reports/pages/svg-steps.h - a small chart of values that hold until they change, as inline SVG. */
#pragma once
#include "reports/charts/curve.h"
G_BEGIN_DECLS

typedef struct {
  const char *name;     /* for the legend */
  const GArray *points; /* RpPoint, ascending times */
} RpSteps;

/** Append the chart of @n series (at most 6), from time 0 to @end; @what: what the values count. Times are microseconds. */
void rp_svg_steps (GString *out, const RpSteps *series, guint n, gint64 end, const char *what);

G_END_DECLS
