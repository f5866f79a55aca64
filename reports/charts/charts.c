/* reports/charts/charts.c - see charts.h. One gnuplot process draws everything. */
#include "charts.h"
#include "draw.h"
#include "placement-chart.h"
#include "reports/words.h"

#include <math.h>
#include <string.h>

#define MAX_PANELS 6u
#define MAX_QUEUES RP_DRAW_SERIES

static const char *const chart_names[] = { "allocation", "jobs", "queues", "waits", "fragmentation", NULL, NULL };
#define PLACEMENT 5 /* the place of its name, where there is something to draw */

typedef struct {
  RpDrawing base;
  const RpSummary *s;
} Drawing;

/* Of a resource beyond the ordinary ones: parts of cards are counted as their plugins count them; of others nobody knows the unit. */
static const char *
extended_unit (const char *name)
{
  static const struct { const char *end, *unit; } known[]
      = { { "gpu-cores", " (% of a card)" }, { "gpu-memory", " (MB)" }, { "gpu-memory-percentage", " (% of a card)" },
          { "gpu-number", " (shares of cards)" }, { "gpu-milli", " (thousandths of a card)" },
          { "/gpu", " (devices)" }, { "/npu", " (devices)" }, { "/tpu", " (devices)" } };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_has_suffix (name, known[i].end))
      return known[i].unit;
  return "";
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
    return extended_unit (name);
  while (most * *scale >= 10000 && i + 1 < G_N_ELEMENTS (bytes)) {
    *scale /= 1024;
    i++;
  }
  return bytes[i];
}

/* Shares of cards are as many as a card might be cut into, of which hardly any are used: their cores say more. */
static gboolean
is_said_better (const RpSummary *s, const char *name)
{
  if (!g_str_has_suffix (name, "gpu-number"))
    return FALSE;
  for (guint i = 0; i < s->n_res; i++)
    if (g_str_has_suffix (s->res[i].name, "gpu-cores") && s->allocated_max[i] > 0)
      return TRUE;
  return FALSE;
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
        if (n < MAX_PANELS && !is_said_better (s, s->res[i].name))
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
draw_panels (Drawing *d, const char *name, const char *title, const char *subtitle, const GArray *panels, int panel_height)
{
  g_autofree char *once = d->s->n_cycles == 1 ? g_strconcat (subtitle, " (only one cycle was recorded)", NULL) : NULL;

  rp_draw_panels (&d->base, name, title, once != NULL ? once : subtitle, panels, panel_height);
}

static void
draw_allocation (Drawing *d)
{
  static const char title[] = "Allocated resources against the cluster's capacity";
  const RpSummary *s = d->s;
  g_autoptr (GArray) panels = rp_draw_panels_new ();
  guint chosen[MAX_PANELS], left;
  const guint n = choose_resources (s, chosen, &left);
  g_autofree char *subtitle = with_left_out (
      "requests of running pods; capacity is what all nodes can allocate", left, "resources");

  if (n == 0) {
    rp_draw_note (&d->base, "allocation", title,
                 s->any_cycle ? "The cluster never had any capacity." : "No cycle was recorded.");
    return;
  }
  for (guint i = 0; i < n; i++) {
    const guint r = chosen[i];
    double scale;
    const char *unit
        = display_unit (s->res[r].name, s->capacity_max[r] / s->res[r].divisor, &scale);
    const double used = rp_summary_utilisation (s, r);
    g_autofree char *mean = isnan (used) ? NULL : rp_percent (used);
    RpPanel p
        = { .y_max = MAX (s->capacity_max[r], s->allocated_max[r]) / s->res[r].divisor * scale };

    p.title
        = g_strdup_printf ("%s%s%s%s", s->res[r].name, unit,
                           mean != NULL ? ": allocated on average " : "", mean != NULL ? mean : "");
    rp_draw_curve (&d->base, "alloc", i, &s->allocated_curve[r], scale);
    rp_draw_curve (&d->base, "cap", i, &s->capacity_curve[r], scale);
    p.plots = g_strdup_printf ("$alloc%u using 1:2 with filledcurves x1 lc rgb '" RP_LIGHT_BLUE
                               "' title 'allocated', "
                               "$alloc%u using 1:2 with lines lc rgb '" RP_BLUE "' lw 1 notitle, "
                               "$cap%u using 1:2 with lines lc rgb 'black' lw 2 title 'capacity'",
                               i, i, i);
    g_array_append_val (panels, p);
  }
  draw_panels (d, "allocation", title, subtitle, panels, n == 1 ? 300 : 160);
}

static void
draw_fragmentation (Drawing *d)
{
  static const char title[] = "Idle capacity, and how much of it no pending pod can use";
  const RpSummary *s = d->s;
  g_autoptr (GArray) panels = rp_draw_panels_new ();
  guint chosen[MAX_PANELS], left;
  const guint n = choose_resources (s, chosen, &left);
  g_autofree char *subtitle = with_left_out (
      "fragmented: idle on nodes that fit none of the pods that are pending at that time", left,
      "resources");

  if (n == 0) {
    rp_draw_note (&d->base, "fragmentation", title,
                 s->any_cycle ? "The cluster never had any capacity." : "No cycle was recorded.");
    return;
  }
  for (guint i = 0; i < n; i++) {
    const guint r = chosen[i];
    double scale;
    const char *unit
        = display_unit (s->res[r].name, s->capacity_max[r] / s->res[r].divisor, &scale);
    RpPanel p = { .y_max = fmax (rp_draw_highest (&s->idle_curve[r]), rp_draw_highest (&s->fragmented_curve[r]))
                         * scale };

    p.title = g_strconcat (s->res[r].name, unit, NULL);
    rp_draw_curve (&d->base, "idle", i, &s->idle_curve[r], scale);
    rp_draw_curve (&d->base, "frag", i, &s->fragmented_curve[r], scale);
    p.plots = g_strdup_printf (
        "$idle%u using 1:2 with filledcurves x1 lc rgb '" RP_LIGHT_BLUE "' title 'idle', "
        "$frag%u using 1:2 with filledcurves x1 lc rgb '" RP_AMBER "' title 'of that, fragmented', "
        "$idle%u using 1:2 with lines lc rgb '" RP_BLUE "' lw 1 notitle",
        i, i, i);
    g_array_append_val (panels, p);
  }
  draw_panels (d, "fragmentation", title, subtitle, panels, n == 1 ? 300 : 160);
}

static void
draw_jobs (Drawing *d)
{
  static const char title[] = "Waiting, running and finished jobs";
  const RpSummary *s = d->s;
  g_autoptr (GArray) panels = rp_draw_panels_new ();

  if (!s->any_cycle) {
    rp_draw_note (&d->base, "jobs", title, "No cycle was recorded.");
    return;
  }
  for (guint i = 0; i < 3; i++) {
    static const char *const titles[]
        = { "waiting jobs", "running jobs", "finished jobs, since the start" };
    static const char *const blocks[] = { "waiting", "running", "finished" };
    static const char *const lines[] = { RP_ORANGE, RP_BLUE, RP_GREEN }, *const fills[]
                                                                = { RP_LIGHT_ORANGE, RP_LIGHT_BLUE,
                                                                    RP_LIGHT_GREEN };
    const RpCurve *curve = i == 0   ? &s->waiting_curve
                           : i == 1 ? &s->running_curve
                                    : &s->finished_curve;
    RpPanel p = { .y_max = rp_draw_highest (curve) };

    rp_draw_curve (&d->base, blocks[i], 0, curve, 1);
    p.title = g_strdup (titles[i]);
    p.plots = g_strdup_printf ("$%s0 using 1:2 with filledcurves x1 lc rgb '%s' notitle, "
                               "$%s0 using 1:2 with lines lc rgb '%s' lw 1 notitle",
                               blocks[i], fills[i], blocks[i], lines[i]);
    g_array_append_val (panels, p);
  }
  draw_panels (d, "jobs", title, "waiting: submitted, but fewer than min_available pods have run at once so far",
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
  g_autoptr (GArray) panels = rp_draw_panels_new ();
  guint left;
  g_autoptr (GPtrArray) queues = choose_queues (s, FALSE, &left);
  g_autofree char *subtitle = with_left_out (
      "largest share of any resource, in % of the cluster's capacity", left, "queues");
  const double time = (double) (s->end - s->first_cycle);
  double most = 0;

  if (queues->len == 0) {
    rp_draw_note (&d->base, "queues", title,
                 s->any_cycle ? "No queue ever had a pod or a waiting job."
                              : "No cycle was recorded.");
    return;
  }
  for (guint i = 0; i < queues->len; i++) {
    const RpQueueSum *q = g_ptr_array_index (queues, i);

    most
        = fmax (most, fmax (rp_draw_highest (&q->share_curve), fmin (rp_draw_highest (&q->deserved_curve), 1)));
  }
  for (guint i = 0; i < queues->len; i++) {
    const RpQueueSum *q = g_ptr_array_index (queues, i);
    g_autofree char *mean = time > 0 ? rp_percent (q->share_all / time) : NULL;
    RpPanel p = { .y_max = most * 100, .y_format = "%.10g %%" };

    p.title
        = mean != NULL ? g_strdup_printf ("%s: %s on average", q->name, mean) : g_strdup (q->name);
    rp_draw_curve (&d->base, "share", i, &q->share_curve, 100);
    rp_draw_curve (&d->base, "deserved", i, &q->deserved_curve, 100);
    p.plots = g_strdup_printf ("$share%u using 1:2 with filledcurves x1 lc rgb '" RP_LIGHT_BLUE
                               "' title 'allocated', "
                               "$share%u using 1:2 with lines lc rgb '" RP_BLUE "' lw 1 notitle, "
                               "$deserved%u using 1:2 with lines lc rgb '" RP_ORANGE
                               "' lw 2 title 'deserved (no line: none published)'",
                               i, i, i);
    g_array_append_val (panels, p);
  }
  draw_panels (d, "queues", title, subtitle, panels,
                 queues->len == 1   ? 300
                 : queues->len <= 4 ? 160
                                    : 110);
}

/* What the legend says of a queue. */
static char *
waits_label (const RpQueueSum *q)
{
  g_autofree char *valid = g_utf8_make_valid (q->name, -1);
  g_autofree char *cut = g_utf8_strlen (valid, -1) > 24 ? g_utf8_substring (valid, 0, 23) : NULL;
  g_autofree char *name = cut != NULL ? g_strconcat (cut, "…", NULL) : g_strdup (valid);

  if (q->jobs > q->waits->len)
    return g_strdup_printf ("%s: %u started, %" G_GUINT64_FORMAT " not", name, q->waits->len, q->jobs - q->waits->len);
  return g_strdup_printf ("%s: %u started", name, q->waits->len);
}

static void
draw_waits (Drawing *d)
{
  static const char title[] = "How long jobs wait: from submission to the start of the gang";
  const RpSummary *s = d->s;
  guint left;
  g_autoptr (GPtrArray) queues = choose_queues (s, TRUE, &left);
  g_autofree char *subtitle = with_left_out ("share of a queue's started jobs that waited at most this long; p50 and p95 where a curve crosses the dashed lines",
                                             left, "queues");
  RpWaits series[MAX_QUEUES];

  if (queues->len == 0) {
    rp_draw_note (&d->base, "waits", title, s->n_jobs == 0 ? "No job was submitted." : "No job ever started.");
    return;
  }
  for (guint i = 0; i < queues->len; i++) {
    RpQueueSum *q = g_ptr_array_index (queues, i);

    (void) rp_quantiles (q->waits); /* sorts */
    series[i] = (RpWaits){ waits_label (q), q->waits };
  }
  rp_draw_waits (&d->base, "waits", title, subtitle, series, queues->len);
  for (guint i = 0; i < queues->len; i++)
    g_free (series[i].label);
}

static void
draw_all (Drawing *d, const RpSummary *s)
{
  d->s = s;
  rp_draw_init (&d->base, s->any_cycle ? s->first_cycle : 0, s->end);
  draw_allocation (d);
  draw_jobs (d);
  draw_queues (d);
  draw_waits (d);
  draw_fragmentation (d);
  if (rp_placement_drawn (s))
    rp_draw_placement (&d->base, s);
}

GString *
rp_charts_script (const RpSummary *s)
{
  Drawing d;

  draw_all (&d, s);
  return d.base.out;
}

gboolean
rp_charts_draw (const RpSummary *s, const char *dir, char **warning, GError **error)
{
  const char *names[G_N_ELEMENTS (chart_names)];
  Drawing d;

  memcpy (names, chart_names, sizeof names);
  names[PLACEMENT] = rp_placement_drawn (s) ? "placement" : NULL;
  draw_all (&d, s);
  gboolean good = rp_draw_run (&d.base, names, dir, warning, error);

  g_string_free (d.base.out, TRUE);
  if (good && names[PLACEMENT] != NULL && *warning == NULL) {
    g_autofree char *path = g_build_filename (dir, "placement.svg", NULL);

    rp_placement_sharpen (path);
  }
  return good;
}
