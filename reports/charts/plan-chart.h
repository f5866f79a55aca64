/* reports/charts/plan-chart.h - pictures of a plan, drawn by gnuplot (SVG and PNG). */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

typedef struct { double x, y; gboolean good; } RpPlanPoint; /* y NaN: nothing to draw */
typedef struct {
  const char *title, *subtitle, *x_label, *y_label;
  const RpPlanPoint *point; /* [n], ascending x */
  guint n;
  double limit;             /* of y; NaN: none */
  double border;            /* the answer on the x axis; NaN: none */
  gboolean trials;          /* points are draws, sorted: y is the share of them at or below x */
} RpPlanChart;

/** <name>.svg and <name>.png in the existing directory @dir; *@warning and @error as in rp_draw_run(). */
gboolean rp_plan_chart_draw (const RpPlanChart *c, const char *dir, const char *name, char **warning, GError **error);
/** How many copies have started by when: @start are ascending times (µs) of @n starts, the axis goes from @at to @end. */
gboolean rp_fit_chart_draw (const char *title, const char *subtitle, const gint64 *start, guint n, gint64 at, gint64 end, const char *dir, const char *name,
                            char **warning, GError **error);

G_END_DECLS
