/* reports/charts/placement-chart.c - see placement-chart.h.
 *
 * Racks stand below each other, in the order of the network, time goes to the right, and the colour says how full. With hundreds of racks a row gets two
 * pixels and the HyperNodes above are named instead; beyond that neighbours share a row. */
#include "placement-chart.h"
#include "gnuplot.h"
#include "reports/words.h"

#include <math.h>
#include <string.h>

#define LEFT 0.165  /* of the width: names are there */
#define RIGHT 0.985
#define HEADER 100
#define PANEL_TITLE 34
#define FOOTER 66
#define STACK 140   /* height of the middle panel … */
#define LEGEND 20   /* … and of the line below its title */
#define BAR 22      /* of a job in the lowest */
#define MAX_HEAT 560
#define MAX_ROWS 280u
#define NAMED 11    /* pixels that a row needs for its name */
#define NAME_LENGTH 26
#define KINDS 4u    /* what gangs span: one rack, then tiers */

/* ---- rows of the heat map -------------------------------------------------------------------------- */

typedef struct { guint first, n; gboolean begins; /* other HyperNodes are above it than above the row before */ } Row;

typedef struct {
  const RpPlacement *p;
  GPtrArray *racks;
  GArray *rows;   /* Row */
  guint bins, most; /* racks in one row at most */
  int pixel;      /* height of a row */
} Heat;

static const RpRackHeat *
rack (const Heat *h, guint i)
{
  return h->racks->pdata[i];
}

static gboolean
same_place (const RpRackHeat *a, const RpRackHeat *b)
{
  return (*a->name == '\0') == (*b->name == '\0') && strcmp (a->within, b->within) == 0;
}

/* @most racks to a row, all with the same HyperNodes above. */
static void
make_rows (Heat *h, guint most)
{
  g_array_set_size (h->rows, 0);
  h->most = most;
  for (guint i = 0; i < h->racks->len; i++) {
    Row *last = h->rows->len > 0 ? &g_array_index (h->rows, Row, h->rows->len - 1) : NULL;
    const gboolean same = i > 0 && same_place (rack (h, i), rack (h, i - 1));

    if (last != NULL && same && last->n < most) {
      last->n++;
    } else {
      Row fresh = { i, 1, i > 0 && !same };

      g_array_append_val (h->rows, fresh);
    }
  }
}

static void
heat_clear (Heat *h)
{
  g_clear_pointer (&h->racks, g_ptr_array_unref);
  g_clear_pointer (&h->rows, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Heat, heat_clear)

static void
heat_init (Heat *h, const RpSummary *s)
{
  const RpPlacement *p = &s->placement;
  guint n;

  *h = (Heat){ .p = p, .racks = rp_placement_racks_sorted (p), .rows = g_array_new (FALSE, FALSE, sizeof (Row)) };
  h->bins = (guint) CLAMP ((s->end - p->from + p->width - 1) / p->width, 1, (gint64) RP_HEAT_BINS);
  make_rows (h, 1);
  for (guint most = 2; h->rows->len > MAX_ROWS && most <= h->racks->len; most++)
    make_rows (h, most);
  n = h->rows->len;
  h->pixel = n <= 12 ? 26 : n <= 30 ? 18 : n <= 50 ? NAMED : n <= 110 ? 5 : MAX (MAX_HEAT / (int) n, 1);
}

/* How full the racks of a row are in a bin, in %; NaN: they have no nodes. */
static double
cell (const Heat *h, const Row *row, guint bin)
{
  double filled = 0, there = 0;

  for (guint i = row->first; i < row->first + row->n; i++) {
    filled += rack (h, i)->filled[bin];
    there += rack (h, i)->there[bin];
  }
  return there > 0 ? fmin (100 * filled / there, 100) : (double) NAN;
}

/* gnuplot draws no image with a single row or column: that is written twice. */
static void
append_cells (RpDrawing *d, const Heat *h)
{
  const guint columns = MAX (h->bins, 2), rows = MAX (h->rows->len, 2);

  g_string_append (d->out, "$heat << EOD\n");
  for (guint r = 0; r < rows; r++)
    for (guint b = 0; b < columns; b++) {
      rp_draw_number (d->out, "%.0f", cell (h, &g_array_index (h->rows, Row, MIN (r, h->rows->len - 1)), MIN (b, h->bins - 1)));
      g_string_append_c (d->out, b + 1 < columns ? ' ' : '\n');
    }
  g_string_append (d->out, "EOD\n");
}

/* ---- names ----------------------------------------------------------------------------------------- */

static char *
short_name (const char *name)
{
  const glong n = g_utf8_validate (name, -1, NULL) ? g_utf8_strlen (name, -1) : 0;

  if (n <= NAME_LENGTH)
    return rp_gnuplot_quote (name, NAME_LENGTH);
  /* names of one kind differ at their ends */
  g_autofree char *end = g_utf8_substring (name, n - NAME_LENGTH + 1, n), *text = g_strconcat ("…", end, NULL);

  return rp_gnuplot_quote (text, NAME_LENGTH);
}

/* Of the rack, or of what is right above it. */
static char *
row_name (const Heat *h, guint row, gboolean above)
{
  const RpRackHeat *r = rack (h, g_array_index (h->rows, Row, row).first);
  const char *slash = strrchr (r->within, '/');

  if (*r->name == '\0')
    return short_name ("in no HyperNode");
  if (!above && *r->within != '\0' && (row == 0 || g_array_index (h->rows, Row, row).begins)) { /* the first of them */
    g_autofree char *both = g_strconcat (slash != NULL ? slash + 1 : r->within, "/", r->name, NULL);

    if (strlen (both) <= NAME_LENGTH)
      return short_name (both);
  }
  return short_name (!above || *r->within == '\0' ? r->name : slash != NULL ? slash + 1 : r->within);
}

/* Ticks: each rack's name, or where there is no room the HyperNode above its racks, in their middle, or else the name of a rack now and then. */
static void
append_names (GString *body, const Heat *h)
{
  const guint n = h->rows->len;
  const char *comma = "";
  double free_from = -G_MAXDOUBLE; /* where the next name has room, in pixels */
  gboolean groups = FALSE;

  for (guint i = 0; i < n; i++)
    groups |= g_array_index (h->rows, Row, i).begins;
  groups &= h->pixel < NAMED;
  g_string_append (body, "set ytics scale 0 (");
  for (guint i = 0, next; i < n; i = next) {
    next = i + 1;
    while (groups && next < n && !g_array_index (h->rows, Row, next).begins)
      next++;
    const double middle = (double) (i + next - 1) / 2;

    if (middle * h->pixel < free_from)
      continue;
    g_autofree char *name = row_name (h, i, groups);

    g_string_append_printf (body, "%s%s ", comma, name);
    rp_draw_number (body, "%.9g", middle);
    comma = ", ";
    free_from = middle * h->pixel + (h->pixel < NAMED ? 14 : 0);
  }
  g_string_append_printf (body, ") font %s\n", h->pixel < 18 && h->pixel >= NAMED ? "tiny" : "small");
}

/* ---- panels ---------------------------------------------------------------------------------------- */

typedef struct {
  const RpSummary *s;
  GString *body;
  int height, top; /* of the picture; of the next panel */
} Page;

static void
begin_panel (Page *page, const char *title, int legend, int height, gboolean last, const char *unit_name)
{
  g_autofree char *quoted = rp_gnuplot_quote (title, 130);

  page->top += PANEL_TITLE + legend;
  g_string_append (page->body, "set tmargin at screen ");
  rp_draw_number (page->body, "%.6f", 1 - (double) page->top / page->height);
  page->top += height;
  g_string_append (page->body, "\nset bmargin at screen ");
  rp_draw_number (page->body, "%.6f", 1 - (double) page->top / page->height);
  g_string_append_printf (page->body, "\nset label 3 %s at graph 0, graph 1 left offset character 0, character %s\n", quoted, legend > 0 ? "2" : "0.8");
  if (last)
    g_string_append_printf (page->body, "set format x '%%.10g'\nset xlabel 'time since the start (%s)'\n", unit_name);
  else
    g_string_append (page->body, "set format x ''\n");
}

static void
draw_heat (RpDrawing *d, Page *page, const Heat *h)
{
  g_autofree char *title = NULL;
  const double step = (double) h->p->width / d->unit / (h->bins > 1 ? 1 : 2);

  if (h->most > 1)
    title = g_strdup_printf ("how full each rack is (%u racks, up to %u of them in a row)", h->racks->len, h->most);
  else
    title = g_strdup_printf ("how full each rack is (%u %s)", h->racks->len, h->racks->len == 1 ? "rack" : "racks");
  append_cells (d, h);
  begin_panel (page, title, 0, (int) h->rows->len * h->pixel, FALSE, NULL);
  append_names (page->body, h);
  g_string_append (page->body, "set palette defined (0 '#F3F7FB', 25 '#C6DBEF', 50 '#6BAED6', 75 '#2171B5', 100 '#08306B')\n"
                               "set cbrange [0:100]\nset cbtics 50 scale 0 offset 0, 0.4\nset format cb '%.0f %%'\n"
                               "set colorbox horizontal user noborder size screen 0.12, screen ");
  rp_draw_number (page->body, "%.6f", 12.0 / page->height);
  g_string_append (page->body, " origin screen 0.845, screen ");
  rp_draw_number (page->body, "%.6f", 1 - 80.0 / page->height);
  g_string_append_printf (page->body, "\nset object 1 rectangle from graph 0, graph 0 to graph 1, graph 1 behind fc rgb '#E4E4E4' fs solid noborder\n"
                                      "set yrange [%u.5:-0.5]\nunset grid\n",
                          h->rows->len - 1);
  for (guint i = 0; i < h->rows->len; i++)
    if (g_array_index (h->rows, Row, i).begins && h->pixel > 1)
      g_string_append_printf (page->body, "set arrow from graph 0, first %u.5 to graph 1, first %u.5 nohead lc rgb '%s' lw 1 front\n", i - 1, i - 1,
                              h->pixel >= 5 ? "black" : "#888888");
  g_string_append (page->body, "plot $heat matrix using (");
  rp_draw_number (page->body, "%.12g", (double) h->p->from / d->unit + step / 2);
  g_string_append (page->body, " + $1 * ");
  rp_draw_number (page->body, "%.12g", step);
  g_string_append (page->body, h->rows->len > 1 ? "):2" : "):($2 / 2 - 0.25)");
  g_string_append (page->body, ":3 with image notitle\nunset colorbox\nunset arrow\nunset object 1\nunset label\nunset ytics\n");
}

/* One gang more or less of a kind. */
typedef struct { gint64 time; guint kind; gint64 pods; } Change;

static int
by_time (gconstpointer a, gconstpointer b)
{
  const Change *l = a, *r = b;

  if (l->time != r->time)
    return l->time < r->time ? -1 : 1;
  if (l->kind != r->kind)
    return l->kind < r->kind ? -1 : 1;
  return l->pods < r->pods ? -1 : l->pods > r->pods;
}

/* 0: within one rack; then the tiers of gangs that cross racks, the lowest first, those beyond the last kind with it. */
static guint
kind_of (const RpGangRun *run, const GArray *tiers)
{
  guint kind = 0;

  while (run->crosses && kind < tiers->len && g_array_index (tiers, gint64, kind) <= run->tier)
    kind++;
  return MIN (kind, KINDS - 1);
}

/* Tiers of gangs that cross racks, ascending. */
static GArray *
crossed_tiers (const RpPlacement *p)
{
  GArray *tiers = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint i = 0; i < p->runs->len; i++) {
    const RpGangRun *run = &g_array_index (p->runs, RpGangRun, i);
    guint at = 0;

    if (!run->crosses)
      continue;
    while (at < tiers->len && g_array_index (tiers, gint64, at) < run->tier)
      at++;
    if (at == tiers->len || g_array_index (tiers, gint64, at) != run->tier)
      g_array_insert_val (tiers, at, run->tier);
  }
  return tiers;
}

/* Curves of the pods of kinds 0 … k together. */
static void
stack_up (const RpPlacement *p, const GArray *tiers, RpCurve curve[KINDS])
{
  g_autoptr (GArray) changes = g_array_new (FALSE, FALSE, sizeof (Change));
  gint64 pods[KINDS] = { 0 };

  for (guint i = 0; i < p->runs->len; i++) {
    const RpGangRun *run = &g_array_index (p->runs, RpGangRun, i);
    Change begin = { run->from, kind_of (run, tiers), run->pods }, end = { run->to, begin.kind, -(gint64) run->pods };

    g_array_append_val (changes, begin);
    if (run->to != RP_NONE)
      g_array_append_val (changes, end);
  }
  g_array_sort (changes, by_time);
  for (guint k = 0; k < KINDS; k++)
    rp_curve_add (&curve[k], p->from, 0);
  for (guint i = 0; i < changes->len; i++) {
    const Change *c = &g_array_index (changes, Change, i);
    gint64 sum = 0;

    pods[c->kind] += c->pods;
    if (i + 1 < changes->len && g_array_index (changes, Change, i + 1).time == c->time)
      continue;
    for (guint k = 0; k < KINDS; k++)
      rp_curve_add (&curve[k], MAX (c->time, p->from), (double) (sum += pods[k]));
  }
}

static char *
kind_title (const RpSummary *s, const GArray *tiers, guint kind)
{
  g_auto (RpTopologySum) all = { 0 };
  const char *name = "";

  if (kind == 0)
    return rp_gnuplot_quote ("one rack", 40);
  const gint64 tier = g_array_index (tiers, gint64, kind - 1);
  const gboolean more = kind == KINDS - 1 && tiers->len > kind;

  rp_summary_all_topology (s, &all);
  for (guint i = 0; i < all.tiers->len; i++)
    if (g_array_index (all.tiers, RpTierCount, i).tier == tier)
      name = g_array_index (all.tiers, RpTierCount, i).name;
  g_autofree char *named = *name != '\0' ? g_strdup_printf (" (%s)", name) : g_strdup ("");
  g_autofree char *text = g_strdup_printf ("tier %" G_GINT64_FORMAT "%s%s", tier, named, more ? " or above" : "");

  return rp_gnuplot_quote (text, 40);
}

static void
draw_stack (RpDrawing *d, Page *page, const GArray *tiers, gboolean last)
{
  static const char *const colour[KINDS] = { RP_LIGHT_BLUE, RP_AMBER, RP_ORANGE, "#7A1F5C" };
  const guint kinds = MIN (tiers->len + 1, KINDS);
  RpCurve curve[KINDS];

  for (guint k = 0; k < KINDS; k++)
    rp_curve_init (&curve[k], RP_CURVE_POINTS);
  stack_up (&page->s->placement, tiers, curve);
  for (guint k = 0; k < kinds; k++)
    rp_draw_curve (d, "span", k, &curve[k], 1);
  begin_panel (page, "pods of running gangs, by the smallest part of the network that holds the gang", LEGEND, STACK, last, d->unit_name);
  const double most = rp_draw_highest (&curve[KINDS - 1]);

  g_string_append (page->body, "set yrange [0:");
  rp_draw_number (page->body, "%.9g", most > 0 ? most * 1.05 : 1);
  g_string_append (page->body, "]\nset ytics autofreq scale 0.5 textcolor rgb 'black'\nset format y '%.10g'\nset grid lc rgb '#DDDDDD' lt 1 lw 0.5\n"
                               "set key at graph 0, graph 1 left bottom horizontal Left reverse samplen 1.5 font small\nplot ");
  for (guint k = kinds; k-- > 0;) /* the sum first: the others lie upon it */
    g_string_append_printf (page->body, "$span%u using 1:2 with filledcurves x1 lc rgb '%s' notitle, ", k, colour[k]);
  for (guint k = 0; k < kinds; k++) {
    g_autofree char *title = kind_title (page->s, tiers, k);

    g_string_append_printf (page->body, "keyentry with boxes fs solid 1 noborder fc rgb '%s' title %s%s", colour[k], title, k + 1 < kinds ? ", " : "\n");
  }
  g_string_append (page->body, "unset key\nunset label\nunset ytics\n");
  for (guint k = 0; k < KINDS; k++)
    rp_curve_clear (&curve[k]);
}

static void
draw_far (RpDrawing *d, Page *page)
{
  const GPtrArray *far = page->s->placement.far;
  const double span = (double) (d->to - d->from);

  begin_panel (page, "the jobs that weigh most on the network: pods × cost", 0, (int) far->len * BAR, TRUE, d->unit_name);
  g_string_append_printf (page->body, "set yrange [%u.5:-0.5]\nunset grid\nset grid x lc rgb '#DDDDDD' lt 1 lw 0.5\nset ytics scale 0 (", far->len - 1);
  for (guint i = 0; i < far->len; i++) {
    const RpFarJob *f = far->pdata[i];
    char cost[G_ASCII_DTOSTR_BUF_SIZE];

    g_string_append_printf (page->body, "%s'cost %s' %u", i > 0 ? ", " : "", g_ascii_formatd (cost, sizeof cost, "%.3g", f->cost), i);
  }
  g_string_append (page->body, ") font small textcolor rgb 'black'\n");
  g_string_append (d->out, "$far << EOD\n");
  for (guint i = 0; i < far->len; i++) {
    const RpFarJob *f = far->pdata[i];
    const gint64 to = f->to != RP_NONE ? f->to : d->to;
    const gboolean late = span > 0 && (double) (f->from - d->from) > 0.55 * span; /* its words go to the left of its end */
    g_autofree char *words = g_strdup_printf ("%s: %u pods on %u racks%s", f->name, f->pods, f->racks, f->to != RP_NONE ? "" : ", still there"), *quoted = rp_gnuplot_quote (words, 90);

    rp_draw_number (d->out, "%.9g", (double) f->from / d->unit);
    g_string_append_c (d->out, ' ');
    rp_draw_number (d->out, "%.9g", (double) MAX (to, f->from) / d->unit);
    g_string_append_printf (d->out, " %u\n", i);
    g_string_append_printf (page->body, "set label %u %s at first ", 10 + i, quoted);
    rp_draw_number (page->body, "%.9g", (double) (late ? to : f->from) / d->unit);
    g_string_append_printf (page->body, ", first %u %s offset character %s, 0 font small front\n", i, late ? "right" : "left", late ? "-0.5" : "0.5");
  }
  g_string_append (d->out, "EOD\n");
  g_string_append (page->body, "plot $far using 1:3:1:2:($3 - 0.4):($3 + 0.4) with boxxyerror fs solid 1 border lc rgb '" RP_AMBER "' fc rgb '#F5D28A' notitle\n");
}

gboolean
rp_placement_drawn (const RpSummary *s)
{
  return s->placement.racks->len > 0;
}

void
rp_draw_placement (RpDrawing *d, const RpSummary *s)
{
  const RpPlacement *p = &s->placement;
  g_auto (Heat) heat = { 0 };
  g_autoptr (GArray) tiers = crossed_tiers (p);
  g_autoptr (GString) body = g_string_new (NULL);
  guint64 crossing = 0;

  heat_init (&heat, s);
  for (guint i = 0; i < p->runs->len; i++)
    crossing += g_array_index (p->runs, RpGangRun, i).crosses;
  Page page = { s, body, HEADER + (int) heat.rows->len * heat.pixel + PANEL_TITLE + LEGEND + STACK + FOOTER, HEADER - PANEL_TITLE };

  if (p->far->len > 0)
    page.height += PANEL_TITLE + (int) p->far->len * BAR;
  g_autofree char *gangs = rp_number (p->runs->len), *cross = rp_number (crossing);
  g_autofree char *subtitle = g_strdup_printf ("%s gangs, %s of them on more than one rack; colour: largest share of any resource that is allocated (grey: no nodes)",
                                               gangs, cross);

  g_string_append (body, "set lmargin at screen ");
  rp_draw_number (body, "%.4f", LEFT);
  g_string_append (body, "\nset rmargin at screen ");
  rp_draw_number (body, "%.4f", RIGHT);
  g_string_append (body, "\nset border 3 lc rgb '" RP_GREY "'\nset tics nomirror out scale 0.5 textcolor rgb 'black'\nset style fill solid 1.0 noborder\nset samples 2\n"
                         "set xrange [");
  rp_draw_number (body, "%.9g", (double) d->from / d->unit);
  g_string_append_c (body, ':');
  rp_draw_number (body, "%.9g", (double) MAX (d->to, p->from + (gint64) heat.bins * p->width) / d->unit);
  g_string_append (body, "]\n");
  draw_heat (d, &page, &heat);
  draw_stack (d, &page, tiers, p->far->len == 0);
  if (p->far->len > 0)
    draw_far (d, &page);
  rp_draw_page (d, "placement", page.height, "Where jobs run in the network: racks over time, and gangs that cross them", subtitle, body->str);
}

void
rp_placement_sharpen (const char *path)
{
  static const char said[] = "preserveAspectRatio='none'", sharp[] = "preserveAspectRatio='none' style='image-rendering:pixelated'";
  g_autofree char *text = NULL;
  gsize length;

  if (!g_file_get_contents (path, &text, &length, NULL))
    return;
  g_auto (GStrv) part = g_strsplit (text, said, -1);
  g_autofree char *joined = g_strjoinv (sharp, part);

  (void) g_file_set_contents (path, joined, -1, NULL);
}
