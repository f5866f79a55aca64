#include "draw.h"
#include "gnuplot.h"
#include "reports/results/results.h"
#include <math.h>
#include <string.h>

#define WIDTH 1200
#define HEADER 92      /* title, subtitle, legend */
#define PANEL_TITLE 26 /* above each panel */
#define PANEL_GAP 8
#define FOOTER 58 /* time axis */

const char *const rp_draw_colours[RP_DRAW_SERIES] = { "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F" };

void
rp_draw_init (RpDrawing *d, gint64 from, gint64 to)
{
  static const struct { gint64 up_to; double unit; const char *name; } units[] = {
    { 180, 1e6, "seconds" }, { 3 * 3600, 60e6, "minutes" }, { 72 * 3600, 3600e6, "hours" }, { G_MAXINT64, 86400e6, "days" }
  };
  guint u = 0;

  *d = (RpDrawing){ .out = g_string_new ("set encoding utf8\n"), .from = from, .to = MAX (to, from + G_USEC_PER_SEC) };
  while ((d->to - d->from) / G_USEC_PER_SEC > units[u].up_to)
    u++;
  d->unit = units[u].unit;
  d->unit_name = units[u].name;
}

/* ---- data ---------------------------------------------------------------------------------------- */

void
rp_draw_number (GString *out, const char *format, double v)
{
  char buf[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (out, isnan (v) ? "NaN" : g_ascii_formatd (buf, sizeof buf, format, v));
}

static void
append_point (RpDrawing *d, gint64 time, double value)
{
  rp_draw_number (d->out, "%.9g", (double) time / d->unit);
  g_string_append_c (d->out, ' ');
  rp_draw_number (d->out, "%.9g", value);
  g_string_append_c (d->out, '\n');
}

/* The corners of the steps are written out: as one polygon a filled curve is a tenth of the size of gnuplot's own filled steps. */
void
rp_draw_curve (RpDrawing *d, const char *block, guint index, const RpCurve *curve, double scale)
{
  g_autoptr (GArray) points = rp_curve_thinned (curve);
  double last = (double) NAN;

  g_string_append_printf (d->out, "$%s%u << EOD\n", block, index);
  for (guint i = 0; i < points->len; i++) {
    const RpPoint *p = &g_array_index (points, RpPoint, i);

    if (p->time > d->to)
      break;
    if (i > 0)
      append_point (d, p->time, last * scale);
    last = p->value;
    append_point (d, p->time, last * scale);
  }
  append_point (d, d->to, last * scale);
  g_string_append (d->out, "EOD\n");
}

double
rp_draw_highest (const RpCurve *curve)
{
  double most = 0;

  for (guint i = 0; curve->points != NULL && i < curve->points->len; i++)
    most = fmax (most, g_array_index (curve->points, RpPoint, i).value);
  return most;
}

/* ---- frames -------------------------------------------------------------------------------------- */

static void
append_label (GString *body, guint tag, const char *text, int height, int y, const char *style)
{
  g_autofree char *quoted = rp_gnuplot_quote (text, 150);

  g_string_append_printf (body, "set label %u %s at screen 0.012, screen ", tag, quoted);
  rp_draw_number (body, "%.6f", 1 - (double) y / height);
  g_string_append_printf (body, " left %s\n", style);
}

static void
append_titles (GString *body, const char *title, const char *subtitle, int height)
{
  append_label (body, 1, title, height, 24, "font ',17'");
  append_label (body, 2, subtitle, height, 48, "textcolor rgb '" RP_GREY "'");
}

/* The same commands for both kinds of picture. */
static void
append_both (RpDrawing *d, const char *name, int height, const char *body)
{
  g_string_append_printf (d->out,
                          "reset\nset terminal svg size %d,%d noenhanced background 'white' name '%s' "
                          "font 'Helvetica, Arial, sans-serif,14'\nsmall = ',12'\ntiny = ',10'\nset output '%s.svg'\n%sunset output\n",
                          WIDTH, height, name, name, body);
  g_string_append_printf (d->out,
                          "reset\nset terminal pngcairo size %d,%d noenhanced background 'white' "
                          "font 'sans,11'\nsmall = ',9.5'\ntiny = ',8'\nset output '%s.png'\n%sunset output\n",
                          WIDTH, height, name, body);
}

void
rp_draw_note (RpDrawing *d, const char *name, const char *title, const char *note)
{
  g_autoptr (GString) body = g_string_new (NULL);
  g_autofree char *quoted = rp_gnuplot_quote (note, 150);
  const int height = 320;

  append_label (body, 1, title, height, 28, "font ',17'");
  g_string_append_printf (body,
                          "set label 2 %s at screen 0.5, screen 0.45 center font ',15' textcolor rgb '" RP_GREY "'\n"
                          "unset border\nunset tics\nunset key\nset xrange [0:1]\nset yrange [0:1]\nplot NaN notitle\n",
                          quoted);
  append_both (d, name, height, body->str);
}

static void
append_frame (GString *body, int height, int below)
{
  g_string_append (body, "set lmargin at screen 0.075\nset rmargin at screen 0.98\nset tmargin at screen ");
  rp_draw_number (body, "%.6f", 1 - (double) RP_DRAW_TOP / height);
  g_string_append (body, "\nset bmargin at screen ");
  rp_draw_number (body, "%.6f", (double) below / height);
  g_string_append (body, "\nset border 3 lc rgb '" RP_GREY "'\nset tics nomirror out scale 0.5 textcolor rgb 'black'\n"
                         "set grid lc rgb '#DDDDDD' lt 1 lw 0.5\n");
}

void
rp_draw_chart (RpDrawing *d, const char *name, int height, const char *title, const char *subtitle, const char *body)
{
  g_autoptr (GString) all = g_string_new (NULL);

  append_titles (all, title, subtitle, height);
  append_frame (all, height, 72);
  g_string_append (all, body);
  append_both (d, name, height, all->str);
}

void
rp_draw_page (RpDrawing *d, const char *name, int height, const char *title, const char *subtitle, const char *body)
{
  g_autoptr (GString) all = g_string_new ("set multiplot\n");

  append_titles (all, title, subtitle, height);
  g_string_append (all, body);
  g_string_append (all, "unset multiplot\n");
  append_both (d, name, height, all->str);
}

/* ---- panels -------------------------------------------------------------------------------------- */

static void
panel_clear (gpointer data)
{
  RpPanel *p = data;

  g_free (p->title);
  g_free (p->plots);
}

GArray *
rp_draw_panels_new (void)
{
  GArray *panels = g_array_new (FALSE, TRUE, sizeof (RpPanel));

  g_array_set_clear_func (panels, panel_clear);
  return panels;
}

static void
append_panel (const RpDrawing *d, GString *body, const RpPanel *p, int top, int panel_height, int height, gboolean last)
{
  g_autofree char *title = rp_gnuplot_quote (p->title, 110);

  g_string_append (body, "set tmargin at screen ");
  rp_draw_number (body, "%.6f", 1 - (double) top / height);
  g_string_append (body, "\nset bmargin at screen ");
  rp_draw_number (body, "%.6f", 1 - (double) (top + panel_height) / height);
  g_string_append_printf (body, "\nset label 3 %s at graph 0, graph 1 left offset character 0, character 0.8\n", title);
  g_string_append (body, "set yrange [0:");
  rp_draw_number (body, "%.9g", p->y_max > 0 ? p->y_max * 1.05 : 1);
  g_string_append_printf (body, "]\nset format y '%s'\n", p->y_format != NULL ? p->y_format : "%.10g");
  if (last)
    g_string_append_printf (body, "set format x '%%.10g'\nset xlabel 'time since the start (%s)'\n", d->unit_name);
  else
    g_string_append (body, "set format x ''\n");
  g_string_append_printf (body, "plot %s\n", p->plots);
}

void
rp_draw_panels (RpDrawing *d, const char *name, const char *title, const char *subtitle, const GArray *panels, int panel_height)
{
  g_autoptr (GString) body = g_string_new ("set multiplot\n");
  const int n = (int) panels->len;
  const int height = HEADER + n * (PANEL_TITLE + panel_height + PANEL_GAP) + FOOTER;

  append_titles (body, title, subtitle, height);
  g_string_append (body, "set lmargin at screen 0.075\nset rmargin at screen 0.98\nset border 3 lc rgb '" RP_GREY "'\n"
                         "set tics nomirror out scale 0.5 textcolor rgb 'black'\nset grid lc rgb '#DDDDDD' lt 1 lw 0.5\n"
                         "set style fill solid 1.0 noborder\nset samples 2\n");
  g_string_append (body, "set xrange [");
  rp_draw_number (body, "%.9g", (double) d->from / d->unit);
  g_string_append_c (body, ':');
  rp_draw_number (body, "%.9g", (double) d->to / d->unit);
  g_string_append (body, "]\nset key at screen 0.075, screen ");
  rp_draw_number (body, "%.6f", 1 - 62.0 / height);
  g_string_append (body, " left top horizontal Left reverse samplen 2 width 2\n");
  for (int i = 0; i < n; i++) {
    if (i > 0)
      g_string_append (body, "unset key\nunset label\n");
    append_panel (d, body, &g_array_index (panels, RpPanel, (guint) i), HEADER + PANEL_TITLE + i * (PANEL_TITLE + panel_height + PANEL_GAP), panel_height,
                  height, i + 1 == n);
  }
  g_string_append (body, "unset multiplot\n");
  append_both (d, name, height, body->str);
}

/* ---- waits --------------------------------------------------------------------------------------- */

void
rp_draw_time_tics (GString *body, const char *tics, double most)
{
  static const struct { double at; const char *text; } marks[] = {
    { 1, "1 s" },      { 3, "3 s" },      { 10, "10 s" },   { 30, "30 s" },     { 60, "1 min" },       { 600, "10 min" },
    { 3600, "1 h" },   { 21600, "6 h" },  { 86400, "1 day" }, { 604800, "1 week" }, { 2592000, "30 days" }, { 31536000, "1 year" },
  };

  g_string_append_printf (body, "set %s (", tics);
  for (guint i = 0; i < G_N_ELEMENTS (marks) && marks[i].at <= most; i++)
    g_string_append_printf (body, "%s'%s' %.0f", i == 0 ? "" : ", ", marks[i].text, marks[i].at);
  g_string_append (body, ")\n");
}

/* One distribution as a datablock: at most as many points as can be told apart. */
static void
append_waits (RpDrawing *d, const GArray *sorted, guint index, double most)
{
  const guint64 n = sorted->len, points = MIN (n, RP_CURVE_POINTS - 2);
  guint64 before = 0;

  g_string_append_printf (d->out, "$wait%u << EOD\n1 0\n", index);
  for (guint64 k = 1; k <= points; k++) {
    const guint64 rank = points == n ? k : k * n / points; /* the k-th smallest wait that is drawn */
    const double wait = g_array_index (sorted, double, rank - 1);

    if (rank == before)
      continue;
    before = rank;
    rp_draw_number (d->out, "%.9g", fmax (wait, 1));
    g_string_append_c (d->out, ' ');
    rp_draw_number (d->out, "%.9g", 100 * (double) rank / (double) n);
    g_string_append_c (d->out, '\n');
  }
  rp_draw_number (d->out, "%.9g", most);
  g_string_append (d->out, " 100\nEOD\n");
}

/* Names of the key that stand side by side. What does not fit into a row gnuplot leaves out. */
static guint
key_columns (const RpWaits *series, guint n)
{
  glong longest = 0;

  for (guint i = 0; i < n; i++)
    longest = MAX (longest, g_utf8_strlen (series[i].label, -1));
  return longest <= 30 ? 3 : longest <= 45 ? 2 : 1;
}

void
rp_draw_waits (RpDrawing *d, const char *name, const char *title, const char *subtitle, const RpWaits *series, guint n)
{
  g_autoptr (GString) body = g_string_new (NULL);
  double most = 10;
  const guint columns = key_columns (series, n);
  const int legend_rows = (int) ((n + columns - 1) / columns), height = 566 + 22 * legend_rows;

  for (guint i = 0; i < n; i++)
    most = fmax (most, g_array_index (series[i].sorted, double, series[i].sorted->len - 1));
  most *= 1.1;
  for (guint i = 0; i < n; i++)
    append_waits (d, series[i].sorted, i, most);
  append_titles (body, title, subtitle, height);
  append_frame (body, height, 72 + 22 * legend_rows);
  g_string_append (body, "set logscale x\nset xrange [1:");
  rp_draw_number (body, "%.9g", most);
  g_string_append (body, "]\nset yrange [0:102]\nset ytics 25\nset ylabel 'started jobs (%)'\n"
                         "set xlabel 'wait (logarithmic; less than 1 s is drawn at 1 s)'\n");
  rp_draw_time_tics (body, "xtics", most);
  g_string_append (body, "set arrow 1 from graph 0, first 50 to graph 1, first 50 nohead lc rgb '" RP_GREY "' dashtype 2\n"
                         "set arrow 2 from graph 0, first 95 to graph 1, first 95 nohead lc rgb '" RP_GREY "' dashtype 2\n"
                         "set label 3 'p50' at graph 1, first 50 right offset 0, 0.5 textcolor rgb '" RP_GREY "'\n"
                         "set label 4 'p95' at graph 1, first 95 right offset 0, -0.7 textcolor rgb '" RP_GREY "'\n"
                         "set key at screen 0.5, screen ");
  rp_draw_number (body, "%.6f", (2.0 + 22 * legend_rows) / height);
  g_string_append_printf (body, " center top horizontal maxcols %u samplen 2 Left reverse\nplot ", columns);
  for (guint i = 0; i < n; i++) {
    g_autofree char *quoted = rp_gnuplot_quote (series[i].label, 60);

    g_string_append_printf (body, "%s$wait%u using 1:2 with steps lc rgb '%s' lw 2 dashtype %d title %s", i == 0 ? "" : ", ", i, rp_draw_colours[i],
                            i < 4 ? 1 : 4, quoted);
  }
  g_string_append_c (body, '\n');
  append_both (d, name, height, body->str);
}

/* ---- running gnuplot ----------------------------------------------------------------------------- */

/* Both kinds of picture end in a mark of their own; without it the file was cut short. */
static gboolean
is_complete (const char *path, const char *mark, gsize length)
{
  g_autofree char *text = NULL;
  gsize n;

  return g_file_get_contents (path, &text, &n, NULL) && n >= length + 16 && memmem (text + n - length - 16, length + 16, mark, length) != NULL;
}

gboolean
rp_draw_run (const RpDrawing *d, const char *const *names, const char *dir, char **warning, GError **error)
{
  if (!rp_gnuplot_run (d->out->str, d->out->len, dir, warning, error))
    return FALSE;
  for (guint i = 0; names[i] != NULL && *warning == NULL; i++) {
    g_autofree char *svg = g_strdup_printf ("%s/%s.svg", dir, names[i]), *png = g_strdup_printf ("%s/%s.png", dir, names[i]);
    const gboolean svg_ok = is_complete (svg, "</svg>", 6);

    if (svg_ok && is_complete (png, "IEND", 4))
      continue;
    g_set_error (error, RP_ERROR, RP_ERROR_IO, "cannot write '%s': it is incomplete (is the disk full?)", svg_ok ? png : svg);
    return FALSE;
  }
  return TRUE;
}
