#include "compare-page.h"
#include "compare-chart.h"
#include "compare-private.h"
#include "reports/pages/page.h"
#include "reports/words.h"
#include <math.h>
#include <string.h>

#define MOVES_SHOWN 10u

static guint
n_sides (const RpComparison *c)
{
  guint n;

  rp_comparison_sides (c, &n);
  return n;
}

static const RpSide *
side (const RpComparison *c, guint i)
{
  return &rp_comparison_sides (c, NULL)[i];
}

/* How many jobs the second configuration serves earlier and later. */
static void
append_moved (GString *out, const RpComparison *c)
{
  g_autoptr (GArray) moves = rp_moves (side (c, 0)->run, side (c, 1)->run);
  guint less = 0;

  while (less < moves->len && g_array_index (moves, RpMove, less).change < 0)
    less++;
  g_autofree char *value = g_strdup_printf ("%u · %u", less, moves->len - less), *what = g_strdup_printf ("jobs that wait less · longer with %s", side (c, 1)->label);

  rp_page_fact (out, what, value);
}

static void
append_facts (GString *out, const RpComparison *c)
{
  g_autofree char *jobs = rp_number (side (c, 0)->run->jobs->len), *pairs = rp_number (side (c, 0)->n_shaken);

  rp_page_facts_begin (out);
  rp_page_fact (out, "jobs", jobs);
  if (side (c, 0)->n_shaken > 0)
    rp_page_fact (out, "pairs of shaken runs", pairs);
  for (guint i = 0; i < n_sides (c); i++) {
    const RpComparedRow *mean = rp_comparison_find (c, "mean_wait"), *p95 = rp_comparison_find (c, "p95_wait");
    g_autofree char *a = mean != NULL ? rp_metric_text (mean->unit, mean->value[i]) : NULL, *b = p95 != NULL ? rp_metric_text (p95->unit, p95->value[i]) : NULL;
    g_autofree char *value = g_strdup_printf ("%s · %s", a != NULL ? a : "–", b != NULL ? b : "–"), *what = g_strdup_printf ("mean · p95 wait, %s", side (c, i)->label);

    rp_page_fact (out, what, value);
  }
  if (n_sides (c) == 2)
    append_moved (out, c);
  rp_page_facts_end (out);
}

/* The figures of one side against the first. */
static void
append_figures (GString *out, const RpComparison *c, guint i)
{
  const GArray *rows = rp_comparison_rows (c);
  const char *const head[] = { "figure", side (c, 0)->label, side (c, i)->label, "difference", "verdict" };

  rp_page_table_begin (out, head, G_N_ELEMENTS (head), "5");
  for (guint k = 0; k < rows->len; k++) {
    const RpComparedRow *r = &g_array_index (rows, RpComparedRow, k);

    if (!rp_compared_row_is_shown (c, r))
      continue;
    g_autofree char *name = rp_compared_row_title (r), *base = rp_metric_text (r->unit, r->value[0]), *value = rp_metric_text (r->unit, r->value[i]);
    g_autofree char *change = rp_compared_row_change (r, i);
    const char *const cell[] = { name, base, value, change, rp_compared_row_verdict (r, i) };

    rp_page_row (out, cell, G_N_ELEMENTS (cell));
  }
  rp_page_table_end (out);
}

static void
append_moves (GString *out, const RpComparison *c, guint i)
{
  const char *const head[] = { "job", "queue", side (c, 0)->label, side (c, i)->label, "change" };
  g_autoptr (GArray) moves = rp_moves (side (c, 0)->run, side (c, i)->run);
  guint winners = 0;

  while (winners < moves->len && g_array_index (moves, RpMove, winners).change < 0)
    winners++;
  guint losers = moves->len - winners;
  g_autofree char *less = rp_number (winners), *longer = rp_number (losers);
  g_autofree char *words = g_strdup_printf ("%s jobs wait less, %s wait longer.%s", less, longer, moves->len > 2 * MOVES_SHOWN ? " The greatest changes:" : "");

  rp_page_heading (out, 3, "Winners and losers");
  rp_page_paragraph (out, words);
  if (moves->len == 0)
    return;
  rp_page_table_begin (out, head, G_N_ELEMENTS (head), "2");
  for (guint k = 0; k < moves->len; k++) {
    const RpMove *m = &g_array_index (moves, RpMove, k);

    if (k >= MIN (winners, MOVES_SHOWN) && k + MIN (losers, MOVES_SHOWN) < moves->len)
      continue;
    g_autofree char *name = g_strdup_printf ("%s/%s", m->base->ns, m->base->job), *span = rp_span ((double) m->change / 1e6);
    g_autofree char *was = rp_span ((double) rp_job_waited (side (c, 0)->run, m->base) / 1e6), *is = rp_span ((double) rp_job_waited (side (c, i)->run, m->other) / 1e6);
    g_autofree char *change = g_strconcat (m->change > 0 ? "+" : "", span, NULL);
    const char *const cell[] = { name, m->base->queue, was, is, change };

    rp_page_row (out, cell, G_N_ELEMENTS (cell));
  }
  rp_page_table_end (out);
}

static void
append_side (GString *out, const RpComparison *c, const RpComparePage *in, guint i)
{
  g_autofree char *title = g_strdup_printf ("%s against %s", side (c, i)->label, side (c, 0)->label);

  rp_page_heading (out, 2, title);
  append_figures (out, c, i);
  rp_page_heading (out, 3, "Where they part");
  rp_page_pre (out, in->part[i]);
  append_moves (out, c, i);
}

static void
append_configurations (GString *out, const RpComparison *c, const RpComparePage *in)
{
  rp_page_heading (out, 2, "Configurations");
  for (guint i = side (c, 0)->run->is_record; i < n_sides (c); i++) {
    rp_page_heading (out, 3, side (c, i)->label);
    if (in->conf[i] == NULL)
      rp_page_paragraph (out, "The configuration of Volcano's chart.");
    else if (i == 0 || in->conf[0] == NULL || side (c, 0)->run->is_record)
      rp_page_pre (out, in->conf[i]);
    else
      rp_page_difference (out, side (c, 0)->label, in->conf[0], side (c, i)->label, in->conf[i]);
  }
}

char *
rp_compare_page (const RpComparison *c, const RpComparePage *in)
{
  guint n = n_sides (c);
  g_autoptr (GString) title = g_string_new (side (c, 0)->label);
  g_autoptr (VcArena) arena = vc_arena_new ();
  g_autofree const VcJson **summary = g_new0 (const VcJson *, n);

  for (guint i = 0; i < n; i++) {
    const char *text = side (c, i)->run->summary;

    summary[i] = vc_json_parse_all (text, strlen (text), arena, NULL);
    if (i > 0)
      g_string_append_printf (title, "%s%s", i == 1 ? " against " : ", ", side (c, i)->label);
  }
  GString *out = rp_page_begin (in->title != NULL ? in->title : title->str);

  if (in->title != NULL)
    rp_page_paragraph (out, title->str);
  append_facts (out, c);
  rp_page_paragraph (out, side (c, 0)->n_shaken > 1
                            ? "Every difference is the mean over pairs of runs with shaken submissions, with its 95 % interval; “chance” is a difference that may well be none."
                            : "Every difference is that of one run to another; without shaken runs (--repeat) nothing tells it from chance.");
  g_autofree char *left_out = rp_comparison_left_out (c);

  if (*left_out != '\0')
    rp_page_paragraph (out, left_out);
  if (in->conditions != NULL && *in->conditions != '\0') {
    rp_page_heading (out, 2, "Conditions");
    rp_page_pre (out, in->conditions);
  }
  for (guint i = 1; i < n; i++)
    append_side (out, c, in, i);
  if (in->charts != NULL)
    rp_page_charts (out, in->charts, rp_compare_charts, rp_n_compare_charts, "Charts");
  append_configurations (out, c, in);
  rp_page_inputs (out, NULL, NULL, 0, summary, n);
  rp_page_fidelity (out);
  rp_page_again (out, in->command, side (c, 0)->run->version, "The folder of this page holds every figure and the runs.");
  return rp_page_end (out);
}
