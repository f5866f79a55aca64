/* reports/plan-chart.h - the curve of a plan: a figure over a setting, with the limit that it must keep. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

typedef struct { double x, y; gboolean good; } RpPlanPoint; /* y NaN: the run has no such figure */
typedef struct {
  const char *title, *x_label, *y_label;
  const RpPlanPoint *point; guint n; /* ascending by x */
  double limit;       /* NaN: none to draw */
  double border;      /* the answer; NaN: there is none */
} RpPlanChart;

/** Draw @name.svg and @name.png into the existing directory @dir. As rp_gnuplot_run(). */
gboolean rp_plan_chart_draw (const RpPlanChart *c, const char *dir, const char *name, char **warning, GError **error);

G_END_DECLS
