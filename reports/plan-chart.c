#include "reports/plan-chart.h"
#include "reports/gnuplot.h"
#include <math.h>

#define BLUE "#0072B2"
#define ORANGE "#D55E00"
#define GREY "#666666"

static void
append_number (GString *out, double v)
{
  char buf[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (out, isnan (v) ? "NaN" : g_ascii_formatd (buf, sizeof buf, "%.9g", v));
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

gboolean
rp_plan_chart_draw (const RpPlanChart *c, const char *dir, const char *name, char **warning, GError **error)
{
  g_autoptr (GString) s = g_string_new ("set encoding utf8\nset datafile missing 'NaN'\n");
  g_autofree char *title = rp_gnuplot_quote (c->title, 110), *x = rp_gnuplot_quote (c->x_label, 80), *y = rp_gnuplot_quote (c->y_label, 80);
  static const char *const terminal[][2] = { { "svg size 900,480 dynamic font 'sans,14' background '#FFFFFF'", "svg" },
                                             { "pngcairo size 900,480 font 'sans,11' background '#FFFFFF'", "png" } };

  append_data (s, "all", c, -1);
  append_data (s, "good", c, 1);
  append_data (s, "bad", c, 0);
  append_data (s, "beyond", c, 2);
  g_string_append_printf (s, "set title %s noenhanced\nset xlabel %s noenhanced\nset ylabel %s noenhanced\n", title, x, y);
  g_string_append (s, "set grid lc rgb '#DDDDDD'\nset border 3\nset tics nomirror\nset key top right noenhanced\nset yrange [0:*]\nset xrange [0:*]\nset offsets 0, graph 0.03, graph 0.1, 0\n");
  if (!isnan (c->border)) {
    g_string_append (s, "set arrow 1 from first ");
    append_number (s, c->border);
    g_string_append (s, ", graph 0 to first ");
    append_number (s, c->border);
    g_string_append (s, ", graph 1 nohead dt 2 lc rgb '" GREY "'\nset label 1 '");
    append_number (s, c->border);
    g_string_append (s, "' at first ");
    append_number (s, c->border);
    g_string_append (s, ", graph 0.94 offset 0.6,0 tc rgb '" GREY "'\n");
  }
  for (guint t = 0; t < G_N_ELEMENTS (terminal); t++) {
    g_string_append_printf (s, "set terminal %s\nset output '%s.%s'\nplot ", terminal[t][0], name, terminal[t][1]);
    if (!isnan (c->limit)) {
      append_number (s, c->limit);
      g_string_append (s, " with lines dt 2 lc rgb '" ORANGE "' title 'limit', ");
    }
    g_string_append (s, "$all using 1:2 with lines lc rgb '#BBBBBB' notitle, "
                        "$good using 1:2 with points pt 7 ps 1.1 lc rgb '" BLUE "' title 'keeps the promise', "
                        "$bad using 1:2 with points pt 6 ps 1.1 lc rgb '" ORANGE "' title 'breaks it'");
    if (!isinf (ceiling (c)))
      g_string_append (s, ", $beyond using 1:2 with points pt 8 ps 1.3 lc rgb '" ORANGE "' title 'breaks it, more than is shown'");
    g_string_append_c (s, '\n');
  }
  g_string_append (s, "set output\n");
  return rp_gnuplot_run (s->str, s->len, dir, warning, error);
}
