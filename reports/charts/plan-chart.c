#include "plan-chart.h"
#include "draw.h"
#include "gnuplot.h"
#include <math.h>

#define HEIGHT 600

static void
append_number (GString *out, double v)
{
  rp_draw_number (out, "%.9g", v);
}

/* A figure far beyond the limit would press the rest of the curve flat: it is drawn at this height, as an arrow. INFINITY: nothing is cut. */
static double
ceiling (const RpPlanChart *c)
{
  double most = 0;

  for (guint i = 0; i < c->n; i++)
    most = fmax (most, isnan (c->point[i].y) ? 0 : c->point[i].y);
  return c->limit > 0 && most > 6 * c->limit ? 6 * c->limit : (double) INFINITY;
}

/* @which: 1 those that keep the promise, 0 those that break it, -1 all, 2 those beyond the ceiling. */
static void
append_data (GString *out, const char *block, const RpPlanChart *c, int which)
{
  double top = ceiling (c);

  g_string_append_printf (out, "$%s << EOD\n", block);
  for (guint i = 0; i < c->n; i++) {
    gboolean beyond = c->point[i].y > top;

    if (which == 2 ? !beyond : which >= 0 && (c->point[i].good != which || beyond))
      continue;
    append_number (out, c->point[i].x);
    g_string_append_c (out, ' ');
    append_number (out, beyond ? top : c->point[i].y);
    g_string_append_c (out, '\n');
  }
  g_string_append (out, "NaN NaN\nEOD\n"); /* a block may not be empty */
}

/* A dashed line at the answer, with its number. */
static void
append_border (GString *body, double border)
{
  g_string_append (body, "set arrow 1 from first ");
  append_number (body, border);
  g_string_append (body, ", graph 0 to first ");
  append_number (body, border);
  g_string_append (body, ", graph 1 nohead dt 2 lc rgb '" RP_GREY "'\nset label 3 '");
  append_number (body, border);
  g_string_append (body, "' at first ");
  append_number (body, border);
  g_string_append (body, ", graph 0.97 offset 0.6,0 tc rgb '" RP_GREY "'\n");
}

static void
append_curve (GString *body, const RpPlanChart *c)
{
  g_string_append (body, "plot ");
  if (!isnan (c->limit)) {
    append_number (body, c->limit);
    g_string_append (body, " with lines dt 2 lc rgb '" RP_ORANGE "' title 'limit', ");
  }
  g_string_append (body, "$all using 1:2 with lines lc rgb '#BBBBBB' notitle, "
                         "$good using 1:2 with points pt 7 ps 1.1 lc rgb '" RP_BLUE "' title 'keeps the promise', "
                         "$bad using 1:2 with points pt 6 ps 1.1 lc rgb '" RP_ORANGE "' title 'breaks it'");
  if (!isinf (ceiling (c)))
    g_string_append (body, ", $beyond using 1:2 with points pt 8 ps 1.3 lc rgb '" RP_ORANGE "' title 'breaks it, more than is shown'");
  g_string_append_c (body, '\n');
}

/* The end of an axis a little beyond the last point; the trials' axis begins a little before the first. */
static void
append_ranges (GString *body, const RpPlanChart *c)
{
  double first = c->point[0].x, last = c->point[c->n - 1].x, margin = c->trials ? fmax (1, 0.1 * (last - first)) : 0.03 * last;

  g_string_append (body, "set xrange [");
  append_number (body, c->trials ? floor (first - margin) : 0);
  g_string_append_c (body, ':');
  append_number (body, c->trials ? ceil (last + margin) : last + margin);
  g_string_append (body, c->trials ? "]\nset yrange [0:105]\n" : "]\nset yrange [0:*]\nset offsets 0, 0, graph 0.1, 0\n");
}

gboolean
rp_plan_chart_draw (const RpPlanChart *c, const char *dir, const char *name, char **warning, GError **error)
{
  g_autoptr (GString) body = g_string_new ("set datafile missing 'NaN'\nset key at screen 0.98, screen 0.99 right top samplen 1\n");
  g_autofree char *x = rp_gnuplot_quote (c->x_label, 80), *y = rp_gnuplot_quote (c->y_label, 80);
  const char *const names[] = { name, NULL };
  RpDrawing d;

  rp_draw_init (&d, 0, 0);
  append_data (d.out, "all", c, -1);
  append_data (d.out, "good", c, 1);
  append_data (d.out, "bad", c, 0);
  append_data (d.out, "beyond", c, 2);
  g_string_append_printf (body, "set xlabel %s\nset ylabel %s\n", x, y);
  append_ranges (body, c);
  if (!isnan (c->border))
    append_border (body, c->border);
  if (c->trials)
    g_string_append (body, "plot $all using 1:2 with steps lc rgb '#BBBBBB' notitle, $all using 1:2 with points pt 7 ps 1.1 lc rgb '" RP_BLUE "' title 'trials'\n");
  else
    append_curve (body, c);
  rp_draw_chart (&d, name, HEIGHT, c->title, c->subtitle, body->str);
  gboolean good = rp_draw_run (&d, names, dir, warning, error);

  g_string_free (d.out, TRUE);
  return good;
}

gboolean
rp_fit_chart_draw (const char *title, const char *subtitle, const gint64 *start, guint n, gint64 at, gint64 end, const char *dir, const char *name,
                   char **warning, GError **error)
{
  const char *const names[] = { name, NULL };
  g_autoptr (GArray) panels = rp_draw_panels_new ();
  RpPanel p = { g_strdup ("copies that have started"), g_strdup ("$started0 using 1:2 with lines lw 2 lc rgb '" RP_BLUE "' notitle"), n, NULL };
  RpDrawing d;
  RpCurve curve;

  g_array_append_val (panels, p);
  rp_draw_init (&d, at, end);
  rp_curve_init (&curve, 8 * RP_CURVE_POINTS);
  rp_curve_add (&curve, at, 0);
  for (guint i = 0; i < n; i++)
    rp_curve_add (&curve, start[i], i + 1);
  rp_draw_curve (&d, "started", 0, &curve, 1);
  rp_draw_panels (&d, name, title, subtitle, panels, 400);
  rp_curve_clear (&curve);
  gboolean good = rp_draw_run (&d, names, dir, warning, error);

  g_string_free (d.out, TRUE);
  return good;
}
