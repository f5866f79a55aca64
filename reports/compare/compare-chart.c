#include "compare-chart.h"
#include "compare-private.h"
#include "reports/charts/draw.h"
#include "reports/charts/gnuplot.h"
#include "reports/words.h"
#include <math.h>
#include <string.h>

#define PANELS_MAX 4u
#define MOVES_MAX 3000u /* points that are drawn of a side: beyond that every k-th */

const RpPageChart rp_compare_charts[] = {
  { "differences", "Differences in percent of the first run's figure, with their 95 % intervals; one whose interval holds 0 may well be none." },
  { "waits", "How long jobs waited under each." },
  { "moves", "Each job's wait under both: below the line it waits less than in the first run." },
  { "use", "What is allocated of each resource under each." },
};
const guint rp_n_compare_charts = G_N_ELEMENTS (rp_compare_charts);

typedef struct {
  RpDrawing base;
  const RpSide *side;
  guint n, left;        /* sides that are drawn, and those for which there is no colour */
} Drawing;

#define LABEL_MAX 40 /* characters of a side's name in a chart */

/* The end of a long name: that is where paths differ. */
static char *
short_label (const Drawing *d, guint i)
{
  g_autofree char *valid = g_utf8_make_valid (d->side[i].label, -1);
  glong n = g_utf8_strlen (valid, -1);

  return n <= LABEL_MAX ? g_strdup (valid) : g_strconcat ("…", g_utf8_offset_to_pointer (valid, n - LABEL_MAX + 1), NULL);
}

static char *
quoted_label (const Drawing *d, guint i)
{
  g_autofree char *label = short_label (d, i);

  return rp_gnuplot_quote (label, LABEL_MAX);
}

static char *
subtitle (const Drawing *d, const char *text)
{
  return d->left == 0 ? g_strdup (text) : g_strdup_printf ("%s; %u more are in the table", text, d->left);
}

/* ---- waits --------------------------------------------------------------------------------------- */

static int
ascending (gconstpointer a, gconstpointer b)
{
  double l = *(const double *) a, r = *(const double *) b;

  return l < r ? -1 : l > r;
}

static GArray *
waits_of (const RpRunData *run)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; i < run->jobs->len; i++) {
    const RpJob *j = &g_array_index (run->jobs, RpJob, i);
    double wait = (double) (j->gang_start - j->submit) / 1e6;

    if (j->gang_start != RP_NONE && strcmp (j->phase, "Rejected") != 0)
      g_array_append_val (out, wait);
  }
  g_array_sort (out, ascending);
  return out;
}

static void
draw_waits (Drawing *d)
{
  static const char title[] = "How long jobs wait: from submission to the start of the gang";
  g_autofree char *below = subtitle (d, "share of the started jobs that waited at most this long; p50 and p95 where a curve crosses the dashed lines");
  GArray *waits[RP_DRAW_SERIES];
  RpWaits series[RP_DRAW_SERIES];
  guint n = 0;

  for (guint i = 0; i < d->n; i++) {
    waits[i] = waits_of (d->side[i].run);
    g_autofree char *side = short_label (d, i), *label = g_strdup_printf ("%s: %u started", side, waits[i]->len);

    if (waits[i]->len > 0)
      series[n++] = (RpWaits){ g_steal_pointer (&label), waits[i] };
  }
  if (n > 0)
    rp_draw_waits (&d->base, "waits", title, below, series, n);
  else
    rp_draw_note (&d->base, "waits", title, "No job ever started.");
  for (guint i = 0; i < n; i++)
    g_free (series[i].label);
  for (guint i = 0; i < d->n; i++)
    g_array_unref (waits[i]);
}

/* ---- use over time ------------------------------------------------------------------------------- */

static int
resource_of (const RpRunData *run, const char *name)
{
  for (guint r = 0; r < run->n_res; r++)
    if (strcmp (run->resource[r], name) == 0)
      return (int) r;
  return -1;
}

/* Allocated share of the resource @name; FALSE when it is never used. */
static gboolean
share_curve (const RpRunData *run, const char *name, RpCurve *out)
{
  int r = resource_of (run, name);
  gboolean used = FALSE;

  rp_curve_init (out, 8 * RP_CURVE_POINTS);
  for (guint i = 0; r >= 0 && i < run->cycles->len; i++) {
    const RpCycle *c = &g_array_index (run->cycles, RpCycle, i);
    double share = c->allocated != NULL && c->capacity != NULL && c->capacity[r] > 0 ? c->allocated[r] / c->capacity[r] : 0;

    used |= share > 0;
    rp_curve_add (out, c->time, share);
  }
  return used;
}

static void
draw_use (Drawing *d)
{
  static const char title[] = "Allocated share of the cluster";
  g_autofree char *below = subtitle (d, "requests of running pods against what all nodes can allocate");
  g_autoptr (GArray) panels = rp_draw_panels_new ();
  const RpRunData *first = d->side[0].run;

  for (guint r = 0; r < first->n_res && panels->len < PANELS_MAX; r++) {
    RpCurve curve[RP_DRAW_SERIES];
    gboolean used = FALSE;

    if (strcmp (first->resource[r], "pods") == 0)
      continue;
    for (guint i = 0; i < d->n; i++)
      used |= share_curve (d->side[i].run, first->resource[r], &curve[i]);
    if (used) {
      g_autoptr (GString) plots = g_string_new (NULL);
      RpPanel p = { .title = g_strdup (first->resource[r]), .y_format = "%.10g %%" };

      for (guint i = 0; i < d->n; i++) {
        g_autofree char *block = g_strdup_printf ("use%u_", panels->len), *label = quoted_label (d, i);

        rp_draw_curve (&d->base, block, i, &curve[i], 100);
        p.y_max = fmax (p.y_max, 100 * rp_draw_highest (&curve[i]));
        g_string_append_printf (plots, "%s$%s%u using 1:2 with lines lc rgb '%s' lw 1.5 title %s", i > 0 ? ", " : "", block, i, rp_draw_colours[i], label);
      }
      p.plots = g_string_free (g_steal_pointer (&plots), FALSE);
      g_array_append_val (panels, p);
    }
    for (guint i = 0; i < d->n; i++)
      rp_curve_clear (&curve[i]);
  }
  if (panels->len > 0)
    rp_draw_panels (&d->base, "use", title, below, panels, panels->len == 1 ? 300 : 180);
  else
    rp_draw_note (&d->base, "use", title, "Nothing was ever allocated.");
}

/* ---- each job's wait ----------------------------------------------------------------------------- */

static double
drawn_wait (const RpRunData *run, const RpJob *j)
{
  return fmax ((double) rp_job_waited (run, j) / 1e6, 1);
}

static void
draw_moves (Drawing *d)
{
  static const char title[] = "Each job's wait under both";
  g_autofree char *below = subtitle (d, "jobs whose wait differs, those that never start at the end of the run; less than 1 s is drawn at 1 s");
  g_autoptr (GString) body = g_string_new (NULL), plots = g_string_new (NULL);
  g_autofree char *first = short_label (d, 0), *base = g_strdup_printf ("wait under %s", first), *x = rp_gnuplot_quote (base, 80);
  double most = 10;

  for (guint i = 1; i < d->n; i++) {
    g_autoptr (GArray) moves = rp_moves (d->side[0].run, d->side[i].run);
    guint step = 1 + moves->len / MOVES_MAX;
    g_autofree char *name = quoted_label (d, i);

    g_string_append_printf (d->base.out, "$move%u << EOD\n", i);
    for (guint k = 0; k < moves->len; k += step) {
      const RpMove *m = &g_array_index (moves, RpMove, k);
      double was = drawn_wait (d->side[0].run, m->base), is = drawn_wait (d->side[i].run, m->other);

      most = fmax (most, fmax (was, is));
      rp_draw_number (d->base.out, "%.9g", was);
      g_string_append_c (d->base.out, ' ');
      rp_draw_number (d->base.out, "%.9g", is);
      g_string_append_c (d->base.out, '\n');
    }
    g_string_append (d->base.out, "NaN NaN\nEOD\n"); /* a block may not be empty */
    g_string_append_printf (plots, ", $move%u using 1:2 with points pt 6 ps 0.6 lc rgb '%s' title %s", i, rp_draw_colours[i], name);
  }
  most *= 1.2;
  g_string_append (body, "set datafile missing 'NaN'\nset logscale xy\nset xrange [1:");
  rp_draw_number (body, "%.9g", most);
  g_string_append (body, "]\nset yrange [1:");
  rp_draw_number (body, "%.9g", most);
  g_string_append_printf (body, "]\nset xlabel %s\nset ylabel 'wait under the other'\n", x);
  rp_draw_time_tics (body, "xtics", most);
  rp_draw_time_tics (body, "ytics", most);
  g_string_append_printf (body, "set key at graph 0.01, graph 0.99 left top Left reverse samplen 1\nset samples 2\nplot x with lines lc rgb '" RP_GREY "' notitle%s\n",
                          plots->str);
  rp_draw_chart (&d->base, "moves", 700, title, below, body->str);
}

/* ---- differences --------------------------------------------------------------------------------- */

/* Figures of the whole cluster that a first look needs, and those that have an interval and a base to be measured against. */
static gboolean
is_drawn (const RpComparedRow *r, guint n)
{
  static const char *const names[] = { "mean_wait", "p50_wait", "p95_wait", "p99_wait", "max_wait", "mean_response", "mean_slowdown", "p95_slowdown", "evictions", "makespan" };
  gboolean known = g_str_has_prefix (r->name, "utilisation(") && strstr (r->name, "=pods)") == NULL;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    known |= strcmp (r->name, names[i]) == 0;
  if (!known || isnan (r->value[0]) || r->value[0] == 0)
    return FALSE;
  for (guint i = 1; i < n; i++)
    if (!isnan (r->half[i]))
      return TRUE;
  return FALSE;
}

static void
draw_differences (Drawing *d, const RpComparison *c)
{
  const GArray *rows = rp_comparison_rows (c);
  g_autoptr (GString) body = g_string_new ("set ytics ("), plots = g_string_new (NULL);
  double most = 0;
  guint n = 0;

  for (guint i = 1; i < d->n; i++) {
    g_autofree char *name = quoted_label (d, i);
    guint line = 0;

    g_string_append_printf (d->base.out, "$difference%u << EOD\n", i);
    for (guint k = 0; k < rows->len; k++) {
      const RpComparedRow *r = &g_array_index (rows, RpComparedRow, k);

      if (!is_drawn (r, d->n))
        continue;
      double mean = 100 * r->difference[i] / r->value[0], half = 100 * r->half[i] / r->value[0];

      if (i == 1) {
        g_autofree char *name_of = rp_compared_row_title (r), *label = rp_gnuplot_quote (name_of, 32);

        g_string_append_printf (body, "%s%s %u", n > 0 ? ", " : "", label, n);
        n++;
      }
      most = fmax (most, fabs (mean) + (isnan (half) ? 0 : half));
      rp_draw_number (d->base.out, "%.9g", mean);
      g_string_append_c (d->base.out, ' ');
      rp_draw_number (d->base.out, "%.4g", line + 0.7 * (i - 1) / d->n);
      g_string_append_c (d->base.out, ' ');
      rp_draw_number (d->base.out, "%.9g", half);
      g_string_append_c (d->base.out, '\n');
      line++;
    }
    g_string_append (d->base.out, "NaN NaN NaN\nEOD\n");
    g_string_append_printf (plots, "%s$difference%u using 1:2:3 with xerrorbars pt 7 ps 0.7 lw 1.5 lc rgb '%s' title %s", i > 1 ? ", " : "", i,
                            rp_draw_colours[i], name);
  }
  if (n == 0)
    return;
  most = most > 0 ? most : 1; /* nothing differs: still a line at 0 */
  g_string_append (body, ")\nset datafile missing 'NaN'\nset yrange [");
  g_string_append_printf (body, "%u:-0.7] reverse\n", n);
  g_string_append (body, "set xrange [");
  rp_draw_number (body, "%.9g", -1.1 * most);
  g_string_append_c (body, ':');
  rp_draw_number (body, "%.9g", 1.1 * most);
  g_string_append (body, "]\nset lmargin at screen 0.24\nset format x '%.10g %%'\nset xlabel 'difference to the first run'\n"
                         "set arrow 1 from first 0, graph 0 to first 0, graph 1 nohead lc rgb '" RP_GREY "'\n"
                         "set key at screen 0.98, screen 0.99 right top samplen 1\nplot ");
  g_string_append_printf (body, "%s\n", plots->str);
  rp_draw_chart (&d->base, "differences", 180 + 34 * (int) n, "Differences to the first run",
                 "mean and 95 % interval over the pairs of shaken runs", body->str);
}

gboolean
rp_compare_charts_draw (const RpComparison *c, const char *dir, char **warning, GError **error)
{
  guint n;
  const RpSide *side = rp_comparison_sides (c, &n);
  Drawing d = { .side = side, .n = MIN (n, RP_DRAW_SERIES), .left = n - MIN (n, RP_DRAW_SERIES) };
  gint64 end = 0;
  const char *names[G_N_ELEMENTS (rp_compare_charts) + 1] = { "waits", "moves", "use" };

  for (guint i = 0; i < n; i++)
    end = MAX (end, side[i].run->end);
  rp_draw_init (&d.base, 0, end);
  draw_waits (&d);
  draw_moves (&d);
  draw_use (&d);
  draw_differences (&d, c);
  gboolean good = rp_draw_run (&d.base, names, dir, warning, error);

  g_string_free (d.base.out, TRUE);
  return good;
}
