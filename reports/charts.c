/* reports/charts.c - see charts.h.
 *
 * One gnuplot process draws everything: data stands in the script as datablocks, and every chart's
 * commands run twice, for SVG and for PNG. Names of queues and resources come from the user: they
 * only ever stand in single quotes, where gnuplot expands nothing, and without control characters.
 */
#include "reports/charts.h"
#include "reports/gnuplot.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define WIDTH 1200
#define HEADER 92      /* title, subtitle, legend */
#define PANEL_TITLE 26 /* above each panel */
#define PANEL_GAP 8
#define FOOTER 58 /* time axis */
#define MAX_PANELS 6u
#define MAX_QUEUES 8u

static const char *const chart_names[]
    = { "allocation", "jobs", "queues", "waits", "fragmentation" };

/* Okabe and Ito's colours, told apart with any colour vision; yellow is left out since it fades on
 * white. */
static const char *const colours[MAX_QUEUES]
    = { "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F" };
#define BLUE "#0072B2"
#define LIGHT_BLUE "#A6CEE3"
#define AMBER "#E69F00"
#define ORANGE "#D55E00"
#define LIGHT_ORANGE "#F4B183"
#define GREEN "#009E73"
#define LIGHT_GREEN "#A8DBC9"
#define GREY "#666666"

typedef struct {
  GString *out;
  const RpSummary *s;
  double unit; /* µs of one step of the time axis */
  const char *unit_name;
  gint64 from, to;
} Drawing;

typedef struct {
  char *title, *plots; /* the latter: what follows `plot` */
  double y_max;
  const char *y_format; /* NULL: plain numbers */
} Panel;

static void
panel_clear (gpointer data)
{
  Panel *p = data;

  g_free (p->title);
  g_free (p->plots);
}

static GArray *
panels_new (void)
{
  GArray *panels = g_array_new (FALSE, TRUE, sizeof (Panel));

  g_array_set_clear_func (panels, panel_clear);
  return panels;
}

/* ---- texts ---------------------------------------------------------------------------------- */

static void
append_double (GString *out, const char *format, double v)
{
  char buf[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (out, isnan (v) ? "NaN" : g_ascii_formatd (buf, sizeof buf, format, v));
}

static char *
percent (double ratio)
{
  char buf[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strdup_printf ("%s %%", g_ascii_formatd (buf, sizeof buf, "%.1f", ratio * 100));
}

/* ---- data ----------------------------------------------------------------------------------- */

static void
append_point (Drawing *d, gint64 time, double value)
{
  append_double (d->out, "%.9g", (double) time / d->unit);
  g_string_append_c (d->out, ' ');
  append_double (d->out, "%.9g", value);
  g_string_append_c (d->out, '\n');
}

/* A datablock of the curve, its last value drawn on to the end of the run. The corners of the steps
 * are written out: as one polygon a filled curve is a tenth of the size of gnuplot's own filled
 * steps. */
static void
append_curve (Drawing *d, const char *block, guint index, const RpCurve *curve, double scale)
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

static double
curve_max (const RpCurve *curve)
{
  double most = 0;

  for (guint i = 0; curve->points != NULL && i < curve->points->len; i++)
    most = fmax (most, g_array_index (curve->points, RpPoint, i).value);
  return most;
}

/* ---- charts --------------------------------------------------------------------------------- */

static void
append_screen_label (GString *body, guint tag, const char *text, int height, int y,
                     const char *style)
{
  g_autofree char *quoted = rp_gnuplot_quote (text, 150);

  g_string_append_printf (body, "set label %u %s at screen 0.012, screen ", tag, quoted);
  append_double (body, "%.6f", 1 - (double) y / height);
  g_string_append_printf (body, " left %s\n", style);
}

/* The same commands for both kinds of picture. */
static void
append_both (Drawing *d, const char *name, int height, const char *body)
{
  g_string_append_printf (
      d->out,
      "reset\nset terminal svg size %d,%d noenhanced background 'white' name '%s' "
      "font 'Helvetica, Arial, sans-serif,14'\nset output '%s.svg'\n%sunset output\n",
      WIDTH, height, name, name, body);
  g_string_append_printf (d->out,
                          "reset\nset terminal pngcairo size %d,%d noenhanced background 'white' "
                          "font 'sans,11'\nset output '%s.png'\n%sunset output\n",
                          WIDTH, height, name, body);
}

static void
append_note (Drawing *d, const char *name, const char *title, const char *note)
{
  g_autoptr (GString) body = g_string_new (NULL);
  g_autofree char *quoted = rp_gnuplot_quote (note, 150);
  const int height = 320;

  append_screen_label (body, 1, title, height, 28, "font ',17'");
  g_string_append_printf (
      body,
      "set label 2 %s at screen 0.5, screen 0.45 center font ',15' textcolor rgb '" GREY "'\n"
      "unset border\nunset tics\nunset key\nset xrange [0:1]\nset yrange [0:1]\nplot NaN notitle\n",
      quoted);
  append_both (d, name, height, body->str);
}

/* Panels below each other on one time axis. */
static void
append_panels (Drawing *d, const char *name, const char *title, const char *subtitle,
               const GArray *panels, int panel_height)
{
  g_autoptr (GString) body = g_string_new ("set multiplot\n");
  const int n = (int) panels->len;
  const int height = HEADER + n * (PANEL_TITLE + panel_height + PANEL_GAP) + FOOTER;
  g_autofree char *once = NULL;

  if (d->s->n_cycles == 1)
    once = g_strconcat (subtitle, " (only one cycle was recorded)", NULL);
  append_screen_label (body, 1, title, height, 24, "font ',17'");
  append_screen_label (body, 2, once != NULL ? once : subtitle, height, 48,
                       "textcolor rgb '" GREY "'");
  g_string_append (
      body,
      "set lmargin at screen 0.075\nset rmargin at screen 0.98\nset border 3 lc rgb '" GREY "'\n"
      "set tics nomirror out scale 0.5 textcolor rgb 'black'\nset grid lc rgb '#DDDDDD' lt 1 lw "
      "0.5\n"
      "set style fill solid 1.0 noborder\nset samples 2\n");
  g_string_append (body, "set xrange [");
  append_double (body, "%.9g", (double) d->from / d->unit);
  g_string_append_c (body, ':');
  append_double (body, "%.9g", (double) d->to / d->unit);
  g_string_append (body, "]\nset key at screen 0.075, screen ");
  append_double (body, "%.6f", 1 - 62.0 / height);
  g_string_append (body, " left top horizontal Left reverse samplen 2 width 2\n");
  for (int i = 0; i < n; i++) {
    const Panel *p = &g_array_index (panels, Panel, (guint) i);
    const int top = HEADER + PANEL_TITLE + i * (PANEL_TITLE + panel_height + PANEL_GAP);
    g_autofree char *panel_title = rp_gnuplot_quote (p->title, 110);

    if (i > 0)
      g_string_append (body, "unset key\nunset label\n");
    g_string_append (body, "set tmargin at screen ");
    append_double (body, "%.6f", 1 - (double) top / height);
    g_string_append (body, "\nset bmargin at screen ");
    append_double (body, "%.6f", 1 - (double) (top + panel_height) / height);
    g_string_append_printf (
        body, "\nset label 3 %s at graph 0, graph 1 left offset character 0, character 0.8\n",
        panel_title);
    g_string_append (body, "set yrange [0:");
    append_double (body, "%.9g", p->y_max > 0 ? p->y_max * 1.05 : 1);
    g_string_append_printf (body, "]\nset format y '%s'\n",
                            p->y_format != NULL ? p->y_format : "%.10g");
    if (i + 1 < n)
      g_string_append (body, "set format x ''\n");
    else
      g_string_append_printf (
          body, "set format x '%%.10g'\nset xlabel 'time since the start (%s)'\n", d->unit_name);
    g_string_append_printf (body, "plot %s\n", p->plots);
  }
  g_string_append (body, "unset multiplot\n");
  append_both (d, name, height, body->str);
}

/* What follows the name of a resource: its unit, one that leaves at most four digits where it is
 * counted in bytes. */
static const char *
display_unit (const char *name, double most, double *scale)
{
  static const char *const bytes[]
      = { " (bytes)", " (KiB)", " (MiB)", " (GiB)", " (TiB)", " (PiB)" };
  guint i = 0;

  *scale = 1;
  if (strcmp (name, "cpu") == 0)
    return " (cores)";
  if (strcmp (name, "pods") == 0)
    return "";
  if (strcmp (name, "memory") != 0 && strcmp (name, "ephemeral-storage") != 0
      && !g_str_has_prefix (name, "hugepages-"))
    return " (devices)";
  while (most * *scale >= 10000 && i + 1 < G_N_ELEMENTS (bytes)) {
    *scale /= 1024;
    i++;
  }
  return bytes[i];
}

/* The resources that are worth a panel, pods last; @left gets how many had to be left out. */
static guint
choose_resources (const RpSummary *s, guint chosen[MAX_PANELS], guint *left)
{
  guint n = 0;

  *left = 0;
  for (guint only_used = 1;; only_used--) {
    for (guint last = 0; last < 2; last++) {
      for (guint i = 0; i < s->n_res; i++) {
        if ((strcmp (s->res[i].name, "pods") == 0) != (last == 1) || !(s->capacity_max[i] > 0))
          continue;
        if (only_used && !(s->allocated_max[i] > 0 || s->requested_max[i] > 0))
          continue;
        if (n < MAX_PANELS)
          chosen[n++] = i;
        else
          (*left)++;
      }
    }
    if (n > 0 || only_used == 0)
      return n;
  }
}

static char *
with_left_out (const char *text, guint left, const char *what)
{
  return left == 0 ? g_strdup (text)
                   : g_strdup_printf ("%s; %u more %s are in the CSV file", text, left, what);
}

static void
draw_allocation (Drawing *d)
{
  static const char title[] = "Allocated resources against the cluster's capacity";
  const RpSummary *s = d->s;
  g_autoptr (GArray) panels = panels_new ();
  guint chosen[MAX_PANELS], left;
  const guint n = choose_resources (s, chosen, &left);
  g_autofree char *subtitle = with_left_out (
      "requests of running pods; capacity is what all nodes can allocate", left, "resources");

  if (n == 0) {
    append_note (d, "allocation", title,
                 s->any_cycle ? "The cluster never had any capacity." : "No cycle was recorded.");
    return;
  }
  for (guint i = 0; i < n; i++) {
    const guint r = chosen[i];
    double scale;
    const char *unit
        = display_unit (s->res[r].name, s->capacity_max[r] / s->res[r].divisor, &scale);
    const double used = rp_summary_utilisation (s, r);
    g_autofree char *mean = isnan (used) ? NULL : percent (used);
    Panel p
        = { .y_max = MAX (s->capacity_max[r], s->allocated_max[r]) / s->res[r].divisor * scale };

    p.title
        = g_strdup_printf ("%s%s%s%s", s->res[r].name, unit,
                           mean != NULL ? ": allocated on average " : "", mean != NULL ? mean : "");
    append_curve (d, "alloc", i, &s->allocated_curve[r], scale);
    append_curve (d, "cap", i, &s->capacity_curve[r], scale);
    p.plots = g_strdup_printf ("$alloc%u using 1:2 with filledcurves x1 lc rgb '" LIGHT_BLUE
                               "' title 'allocated', "
                               "$alloc%u using 1:2 with lines lc rgb '" BLUE "' lw 1 notitle, "
                               "$cap%u using 1:2 with lines lc rgb 'black' lw 2 title 'capacity'",
                               i, i, i);
    g_array_append_val (panels, p);
  }
  append_panels (d, "allocation", title, subtitle, panels, n == 1 ? 300 : 160);
}

static void
draw_fragmentation (Drawing *d)
{
  static const char title[] = "Idle capacity, and how much of it no pending pod can use";
  const RpSummary *s = d->s;
  g_autoptr (GArray) panels = panels_new ();
  guint chosen[MAX_PANELS], left;
  const guint n = choose_resources (s, chosen, &left);
  g_autofree char *subtitle = with_left_out (
      "fragmented: idle on nodes that fit none of the pods that are pending at that time", left,
      "resources");

  if (n == 0) {
    append_note (d, "fragmentation", title,
                 s->any_cycle ? "The cluster never had any capacity." : "No cycle was recorded.");
    return;
  }
  for (guint i = 0; i < n; i++) {
    const guint r = chosen[i];
    double scale;
    const char *unit
        = display_unit (s->res[r].name, s->capacity_max[r] / s->res[r].divisor, &scale);
    Panel p = { .y_max = fmax (curve_max (&s->idle_curve[r]), curve_max (&s->fragmented_curve[r]))
                         * scale };

    p.title = g_strconcat (s->res[r].name, unit, NULL);
    append_curve (d, "idle", i, &s->idle_curve[r], scale);
    append_curve (d, "frag", i, &s->fragmented_curve[r], scale);
    p.plots = g_strdup_printf (
        "$idle%u using 1:2 with filledcurves x1 lc rgb '" LIGHT_BLUE "' title 'idle', "
        "$frag%u using 1:2 with filledcurves x1 lc rgb '" AMBER "' title 'of that, fragmented', "
        "$idle%u using 1:2 with lines lc rgb '" BLUE "' lw 1 notitle",
        i, i, i);
    g_array_append_val (panels, p);
  }
  append_panels (d, "fragmentation", title, subtitle, panels, n == 1 ? 300 : 160);
}

static void
draw_jobs (Drawing *d)
{
  static const char title[] = "Waiting, running and finished jobs";
  const RpSummary *s = d->s;
  g_autoptr (GArray) panels = panels_new ();

  if (!s->any_cycle) {
    append_note (d, "jobs", title, "No cycle was recorded.");
    return;
  }
  for (guint i = 0; i < 3; i++) {
    static const char *const titles[]
        = { "waiting jobs", "running jobs", "finished jobs, since the start" };
    static const char *const blocks[] = { "waiting", "running", "finished" };
    static const char *const lines[] = { ORANGE, BLUE, GREEN }, *const fills[]
                                                                = { LIGHT_ORANGE, LIGHT_BLUE,
                                                                    LIGHT_GREEN };
    const RpCurve *curve = i == 0   ? &s->waiting_curve
                           : i == 1 ? &s->running_curve
                                    : &s->finished_curve;
    Panel p = { .y_max = curve_max (curve) };

    append_curve (d, blocks[i], 0, curve, 1);
    p.title = g_strdup (titles[i]);
    p.plots = g_strdup_printf ("$%s0 using 1:2 with filledcurves x1 lc rgb '%s' notitle, "
                               "$%s0 using 1:2 with lines lc rgb '%s' lw 1 notitle",
                               blocks[i], fills[i], blocks[i], lines[i]);
    g_array_append_val (panels, p);
  }
  append_panels (d, "jobs", title,
                 "waiting: submitted, but fewer than min_available pods have run at once so far",
                 panels, 150);
}

static int
by_allocated (gconstpointer a, gconstpointer b)
{
  const RpQueueSum *x = *(RpQueueSum *const *) a, *y = *(RpQueueSum *const *) b;

  if (x->share_all != y->share_all)
    return x->share_all < y->share_all ? 1 : -1;
  return strcmp (x->name, y->name);
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(RpQueueSum *const *) a)->name, (*(RpQueueSum *const *) b)->name);
}

/* The queues to show: those that were used, the largest first choice, in order of names. */
static GPtrArray *
choose_queues (const RpSummary *s, gboolean need_waits, guint *left)
{
  GPtrArray *all = rp_summary_queues_sorted (s);
  guint n = 0;

  for (guint i = 0; i < all->len; i++) {
    RpQueueSum *q = g_ptr_array_index (all, i);

    if (need_waits ? q->waits->len > 0 : q->was_active)
      g_ptr_array_index (all, n++) = q;
  }
  g_ptr_array_set_size (all, (int) n);
  *left = n > MAX_QUEUES ? n - MAX_QUEUES : 0;
  if (*left > 0) {
    g_ptr_array_sort (all, by_allocated);
    g_ptr_array_set_size (all, MAX_QUEUES);
    g_ptr_array_sort (all, by_name);
  }
  return all;
}

static void
draw_queues (Drawing *d)
{
  static const char title[] = "Each queue's share of the cluster against its deserved share";
  const RpSummary *s = d->s;
  g_autoptr (GArray) panels = panels_new ();
  guint left;
  g_autoptr (GPtrArray) queues = choose_queues (s, FALSE, &left);
  g_autofree char *subtitle = with_left_out (
      "largest share of any resource, in % of the cluster's capacity", left, "queues");
  const double time = (double) (s->end - s->first_cycle);
  double most = 0;

  if (queues->len == 0) {
    append_note (d, "queues", title,
                 s->any_cycle ? "No queue ever had a pod or a waiting job."
                              : "No cycle was recorded.");
    return;
  }
  for (guint i = 0; i < queues->len; i++) {
    const RpQueueSum *q = g_ptr_array_index (queues, i);

    most
        = fmax (most, fmax (curve_max (&q->share_curve), fmin (curve_max (&q->deserved_curve), 1)));
  }
  for (guint i = 0; i < queues->len; i++) {
    const RpQueueSum *q = g_ptr_array_index (queues, i);
    g_autofree char *mean = time > 0 ? percent (q->share_all / time) : NULL;
    Panel p = { .y_max = most * 100, .y_format = "%.10g %%" };

    p.title
        = mean != NULL ? g_strdup_printf ("%s: %s on average", q->name, mean) : g_strdup (q->name);
    append_curve (d, "share", i, &q->share_curve, 100);
    append_curve (d, "deserved", i, &q->deserved_curve, 100);
    p.plots = g_strdup_printf ("$share%u using 1:2 with filledcurves x1 lc rgb '" LIGHT_BLUE
                               "' title 'allocated', "
                               "$share%u using 1:2 with lines lc rgb '" BLUE "' lw 1 notitle, "
                               "$deserved%u using 1:2 with lines lc rgb '" ORANGE
                               "' lw 2 title 'deserved (no line: none published)'",
                               i, i, i);
    g_array_append_val (panels, p);
  }
  append_panels (d, "queues", title, subtitle, panels,
                 queues->len == 1   ? 300
                 : queues->len <= 4 ? 160
                                    : 110);
}

static void
append_wait_tics (GString *body, double most)
{
  static const struct {
    double at;
    const char *text;
  } tics[] = {
    { 1, "1 s" },       { 3, "3 s" },         { 10, "10 s" },         { 30, "30 s" },
    { 60, "1 min" },    { 600, "10 min" },    { 3600, "1 h" },        { 21600, "6 h" },
    { 86400, "1 day" }, { 604800, "1 week" }, { 2592000, "30 days" }, { 31536000, "1 year" },
  };

  g_string_append (body, "set xtics (");
  for (guint i = 0; i < G_N_ELEMENTS (tics) && tics[i].at <= most; i++)
    g_string_append_printf (body, "%s'%s' %.0f", i == 0 ? "" : ", ", tics[i].text, tics[i].at);
  g_string_append (body, ")\n");
}

static void
draw_waits (Drawing *d)
{
  static const char title[] = "How long jobs wait: from submission to the start of the gang";
  const RpSummary *s = d->s;
  guint left;
  g_autoptr (GPtrArray) queues = choose_queues (s, TRUE, &left);
  g_autofree char *subtitle
      = with_left_out ("share of a queue's started jobs that waited at most this long; p50 and p95 "
                       "where a curve crosses the dashed lines",
                       left, "queues");
  g_autoptr (GString) body = g_string_new (NULL);
  double most = 10;
  const int legend_rows = (int) (queues->len + 2) / 3, height = 566 + 22 * legend_rows;

  if (queues->len == 0) {
    append_note (d, "waits", title,
                 s->n_jobs == 0 ? "No job was submitted." : "No job ever started.");
    return;
  }
  for (guint i = 0; i < queues->len; i++) {
    RpQueueSum *q = g_ptr_array_index (queues, i);

    most = fmax (most, rp_quantiles (q->waits).max); /* sorts, too */
  }
  most *= 1.1;
  for (guint i = 0; i < queues->len; i++) {
    const RpQueueSum *q = g_ptr_array_index (queues, i);
    const guint64 n = q->waits->len, points = MIN (n, RP_CURVE_POINTS - 2);
    guint64 before = 0;

    g_string_append_printf (d->out, "$wait%u << EOD\n1 0\n", i);
    for (guint64 k = 1; k <= points; k++) {
      const guint64 rank
          = points == n ? k : k * n / points; /* the k-th smallest wait that is drawn */
      const double wait = g_array_index (q->waits, double, rank - 1);

      if (rank == before)
        continue;
      before = rank;
      append_double (d->out, "%.9g", fmax (wait, 1));
      g_string_append_c (d->out, ' ');
      append_double (d->out, "%.9g", 100 * (double) rank / (double) n);
      g_string_append_c (d->out, '\n');
    }
    append_double (d->out, "%.9g", most);
    g_string_append (d->out, " 100\nEOD\n");
  }
  append_screen_label (body, 1, title, height, 24, "font ',17'");
  append_screen_label (body, 2, subtitle, height, 48, "textcolor rgb '" GREY "'");
  g_string_append (
      body, "set lmargin at screen 0.075\nset rmargin at screen 0.98\nset tmargin at screen ");
  append_double (body, "%.6f", 1 - 72.0 / height);
  g_string_append (body, "\nset bmargin at screen ");
  append_double (body, "%.6f", (72.0 + 22 * legend_rows) / height);
  g_string_append (body, "\nset border 3 lc rgb '" GREY
                         "'\nset tics nomirror out scale 0.5 textcolor rgb 'black'\n"
                         "set grid lc rgb '#DDDDDD' lt 1 lw 0.5\nset logscale x\nset xrange [1:");
  append_double (body, "%.9g", most);
  g_string_append (body, "]\nset yrange [0:102]\nset ytics 25\nset ylabel 'started jobs (%)'\n"
                         "set xlabel 'wait (logarithmic; less than 1 s is drawn at 1 s)'\n");
  append_wait_tics (body, most);
  g_string_append (
      body, "set arrow 1 from graph 0, first 50 to graph 1, first 50 nohead lc rgb '" GREY
            "' dashtype 2\n"
            "set arrow 2 from graph 0, first 95 to graph 1, first 95 nohead lc rgb '" GREY
            "' dashtype 2\n"
            "set label 3 'p50' at graph 1, first 50 right offset 0, 0.5 textcolor rgb '" GREY "'\n"
            "set label 4 'p95' at graph 1, first 95 right offset 0, -0.7 textcolor rgb '" GREY "'\n"
            "set key at screen 0.5, screen ");
  append_double (body, "%.6f", (2.0 + 22 * legend_rows) / height);
  g_string_append (body, " center top horizontal maxcols 3 samplen 2 Left reverse\nplot ");
  for (guint i = 0; i < queues->len; i++) {
    const RpQueueSum *q = g_ptr_array_index (queues, i);
    g_autofree char *short_name
        = g_utf8_strlen (q->name, -1) > 24 ? g_utf8_substring (q->name, 0, 23) : NULL;
    g_autofree char *text = NULL, *quoted = NULL;

    text = g_strdup_printf ("%s%s: %u started", short_name != NULL ? short_name : q->name,
                            short_name != NULL ? "…" : "", q->waits->len);
    if (q->jobs > q->waits->len) {
      char *more = g_strdup_printf ("%s, %" G_GUINT64_FORMAT " not", text, q->jobs - q->waits->len);

      g_free (text);
      text = more;
    }
    quoted = rp_gnuplot_quote (text, 60);
    g_string_append_printf (body,
                            "%s$wait%u using 1:2 with steps lc rgb '%s' lw 2 dashtype %d title %s",
                            i == 0 ? "" : ", ", i, colours[i], i < 4 ? 1 : 4, quoted);
  }
  g_string_append_c (body, '\n');
  append_both (d, "waits", height, body->str);
}

GString *
rp_charts_script (const RpSummary *s)
{
  static const struct {
    gint64 up_to;
    double unit;
    const char *name;
  } units[] = {
    { 180, 1e6, "seconds" },
    { 3 * 3600, 60e6, "minutes" },
    { 72 * 3600, 3600e6, "hours" },
    { G_MAXINT64, 86400e6, "days" },
  };
  Drawing d = { .out = g_string_new ("set encoding utf8\n"), .s = s };
  guint u = 0;

  d.from = s->any_cycle ? s->first_cycle : 0;
  d.to = MAX (s->end, d.from + G_USEC_PER_SEC);
  while ((d.to - d.from) / G_USEC_PER_SEC > units[u].up_to)
    u++;
  d.unit = units[u].unit;
  d.unit_name = units[u].name;
  draw_allocation (&d);
  draw_jobs (&d);
  draw_queues (&d);
  draw_waits (&d);
  draw_fragmentation (&d);
  return d.out;
}

/* ---- running gnuplot ------------------------------------------------------------------------ */

/* Both kinds of picture end in a mark of their own; without it the file was cut short. */
static gboolean
is_complete (const char *path, const char *mark, gsize length)
{
  g_autofree char *text = NULL;
  gsize n;

  return g_file_get_contents (path, &text, &n, NULL) && n >= length + 16
         && memmem (text + n - length - 16, length + 16, mark, length) != NULL;
}

static gboolean
check_pictures (const char *dir, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (chart_names); i++) {
    g_autofree char *svg = g_strdup_printf ("%s/%s.svg", dir, chart_names[i]);
    g_autofree char *png = g_strdup_printf ("%s/%s.png", dir, chart_names[i]);
    const gboolean svg_ok = is_complete (svg, "</svg>", 6);

    if (svg_ok && is_complete (png, "IEND", 4))
      continue;
    g_set_error (error, RP_ERROR, RP_ERROR_IO,
                 "cannot write '%s': it is incomplete (is the disk full?)", svg_ok ? png : svg);
    return FALSE;
  }
  return TRUE;
}

gboolean
rp_charts_draw (const RpSummary *s, const char *dir, char **warning, GError **error)
{
  g_autoptr (GString) script = rp_charts_script (s);

  return rp_gnuplot_run (script->str, script->len, dir, warning, error) && (*warning != NULL || check_pictures (dir, error));
}
