/* reports/summary-text.c - a run on one screen of 80 columns. */
#include "reports/summary.h"

#include <math.h>
#include <string.h>

#define WIDTH 79
#define QUEUES_SHOWN 12u
#define REASONS_SHOWN 5u
#define STUCK_SHOWN 3u

/* A time span in at most 7 characters (below 10,000 days): "0s", "12.5s", "59.9min", "2.1h",
 * "41.7d". */
static char *
span (double seconds)
{
  static const struct {
    double size;
    const char *unit;
  } units[] = { { 86400, "d" }, { 3600, "h" }, { 60, "min" }, { 1, "s" } };
  const double magnitude = fabs (seconds);
  char buf[G_ASCII_DTOSTR_BUF_SIZE];

  if (magnitude == 0)
    return g_strdup ("0s");
  for (guint i = 0; i < G_N_ELEMENTS (units); i++) {
    const double v = seconds / units[i].size;

    if (magnitude < units[i].size * 2 && i + 1 < G_N_ELEMENTS (units))
      continue;
    g_ascii_formatd (buf, sizeof buf,
                     fabs (v) >= 99.95 ? "%.0f"
                     : fabs (v) < 0.1  ? "%.2g"
                                       : "%.1f",
                     v);
    if (g_str_has_suffix (buf, ".0"))
      buf[strlen (buf) - 2] = '\0';
    return g_strdup_printf ("%s%s", buf, units[i].unit);
  }
  g_assert_not_reached ();
}

static char *
percent (double ratio)
{
  char buf[G_ASCII_DTOSTR_BUF_SIZE];

  if (isnan (ratio))
    return g_strdup ("–");
  g_ascii_formatd (buf, sizeof buf, "%.1f", ratio * 100);
  return g_strdup_printf ("%s %%", buf);
}

/* Thousands separated: numbers that people read. */
static char *
number (guint64 n)
{
  g_autofree char *digits = g_strdup_printf ("%" G_GUINT64_FORMAT, n);
  GString *out = g_string_new (NULL);
  const gsize len = strlen (digits);

  for (gsize i = 0; i < len; i++) {
    if (i > 0 && (len - i) % 3 == 0)
      g_string_append_c (out, ',');
    g_string_append_c (out, digits[i]);
  }
  return g_string_free (out, FALSE);
}

/* @text in exactly @width columns: cut with an ellipsis or padded, on the left when @right. Control
 * characters become spaces, since this goes to a terminal. */
static void
append_cell (GString *out, const char *text, guint width, gboolean right)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  const glong n = g_utf8_strlen (valid, -1);
  const guint pad = n < (glong) width ? width - (guint) n : 0;

  for (char *p = valid; *p != '\0'; p++)
    if ((guchar) *p < 0x20 || *p == 0x7f)
      *p = ' ';
  if (right)
    g_string_append_printf (out, "%*s", (int) pad, "");
  if (n > (glong) width) {
    g_string_append_len (out, valid, g_utf8_offset_to_pointer (valid, (glong) width - 1) - valid);
    g_string_append (out, "…");
  } else {
    g_string_append (out, valid);
  }
  if (!right)
    g_string_append_printf (out, "%*s", (int) pad, "");
}

/* One line, cut at the width of the screen. */
static void
append_line (GString *out, const char *text)
{
  const glong n = g_utf8_strlen (text, -1);

  append_cell (out, text, (guint) CLAMP (n, 0, WIDTH), FALSE);
  g_string_append_c (out, '\n');
}

static void
append_counts (GString *out, const char *title, guint64 n, const GPtrArray *counts)
{
  g_autoptr (GPtrArray) sorted = rp_counts_sorted (counts);
  g_autoptr (GString) line = g_string_new (NULL);
  g_autofree char *total = number (n);

  g_string_append_printf (line, "%-13s%s", title, total);
  for (guint i = 0; i < sorted->len; i++) {
    const RpCount *c = g_ptr_array_index (sorted, i);
    g_autofree char *k = number (c->n);

    g_string_append_printf (line, "%s%s %s", i == 0 ? ": " : ", ",
                            c->name[0] != '\0' ? c->name : "(no phase)", k);
  }
  append_line (out, line->str);
}

static void
append_waits (GString *out, const char *name, guint64 jobs, GArray *waits)
{
  const RpQuantiles q = rp_quantiles (waits);
  const double values[] = { q.mean, q.p50, q.p90, q.p95, q.p99, q.max };
  g_autofree char *n = number (jobs), *started = number (q.n);

  append_cell (out, name, 13, FALSE);
  append_cell (out, n, 9, TRUE);
  append_cell (out, started, 9, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
    g_autofree char *text = q.n > 0 ? span (values[i]) : g_strdup ("–");

    append_cell (out, text, 8, TRUE);
  }
  g_string_append_c (out, '\n');
}

static void
append_wait_table (GString *out, const RpSummary *s)
{
  static const char *const heads[] = { "mean", "p50", "p90", "p95", "p99", "max" };
  g_autoptr (GPtrArray) queues = rp_summary_queues_sorted (s);
  g_autoptr (GArray) all = rp_summary_all_values (s, G_STRUCT_OFFSET (RpQueueSum, waits));
  guint shown = 0, with_jobs = 0;

  append_cell (out, "Wait by queue", 13, FALSE);
  append_cell (out, "jobs", 9, TRUE);
  append_cell (out, "started", 9, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (heads); i++)
    append_cell (out, heads[i], 8, TRUE);
  g_string_append_c (out, '\n');
  for (guint i = 0; i < queues->len; i++) {
    const RpQueueSum *q = g_ptr_array_index (queues, i);
    g_autofree char *name = g_strconcat ("  ", q->name, NULL);

    if (q->jobs == 0)
      continue;
    if (++with_jobs <= QUEUES_SHOWN) {
      append_waits (out, name, q->jobs, q->waits);
      shown++;
    }
  }
  if (with_jobs > shown)
    g_string_append_printf (out, "  (%u more queues in summary.json)\n", with_jobs - shown);
  if (with_jobs != 1)
    append_waits (out, "  all", s->n_jobs, all);
}

static void
append_resources (GString *out, const RpSummary *s)
{
  g_string_append (out, "\n");
  append_cell (out, "Resource", 37, FALSE);
  append_cell (out, "utilisation", 14, TRUE);
  append_cell (out, "goodput", 14, TRUE);
  g_string_append_c (out, '\n');
  for (guint i = 0; i < s->n_res; i++) {
    g_autofree char *name = g_strconcat ("  ", s->res[i].name, NULL);
    g_autofree char *u = percent (rp_summary_utilisation (s, i)),
                    *g = percent (rp_summary_goodput (s, i));

    if (!(s->capacity_max[i] > 0))
      continue;
    append_cell (out, name, 37, FALSE);
    append_cell (out, u, 14, TRUE);
    append_cell (out, g, 14, TRUE);
    g_string_append_c (out, '\n');
  }
}

static void
append_stuck (GString *out, const RpSummary *s)
{
  g_autoptr (GPtrArray) reasons = rp_summary_reasons_sorted (s);
  g_autofree char *n = number (s->n_stuck);

  if (s->n_stuck == 0)
    return;
  g_string_append_printf (out, "\nStuck: %s job%s still waited when the run ended\n", n,
                          s->n_stuck == 1 ? "" : "s");
  for (guint i = 0; i < MIN (reasons->len, REASONS_SHOWN); i++) {
    const RpCount *c = g_ptr_array_index (reasons, i);
    g_autofree char *k = number (c->n), *line = NULL;

    line = g_strdup_printf ("  %6s × %s", k, c->name);
    append_line (out, line);
  }
  if (reasons->len > REASONS_SHOWN)
    g_string_append_printf (out, "  (%u more reasons in summary.json)\n",
                            reasons->len - REASONS_SHOWN);
  for (guint i = 0; i < MIN (s->stuck->len, STUCK_SHOWN); i++) {
    const RpStuck *k = g_ptr_array_index (s->stuck, i);
    g_autofree char *since = k->submit != RP_NONE
                                 ? span ((double) (s->end - k->submit) / G_USEC_PER_SEC)
                                 : g_strdup ("?");
    g_autofree char *line = g_strdup_printf (
        "  e.g. %s/%s in queue %s, submitted %s before the end", k->ns, k->job, k->queue, since);

    append_line (out, line);
  }
}

char *
rp_summary_text (const RpSummary *s, const char *version, const char *dir, gboolean charts)
{
  GString *out = g_string_new (NULL);
  const RpFairness fair = rp_summary_fairness (s);
  const gint64 makespan = rp_summary_makespan (s);
  g_autofree char *end = span ((double) s->end / G_USEC_PER_SEC);
  g_autofree char *binds = number (s->binds), *evictions = number (s->evictions),
                  *peak = number (s->peak_pending);
  g_autofree char *title = g_strdup_printf ("volsim %s: %s simulated", version, end);
  g_autofree char *line = NULL, *peak_line = NULL;

  append_line (out, title);
  g_string_append_c (out, '\n');
  append_counts (out, "Jobs", s->n_jobs, s->phases);
  append_counts (out, "Pods", s->n_tasks, s->outcomes);
  if (makespan != RP_NONE) {
    g_autofree char *make = span ((double) makespan / G_USEC_PER_SEC);

    line = g_strdup_printf ("Makespan     %s (first submission to last finish)", make);
    append_line (out, line);
  } else {
    append_line (out, "Makespan     – (no job finished)");
  }
  if (s->peak_pending > 0) {
    g_autofree char *when = span ((double) s->peak_time / G_USEC_PER_SEC);

    peak_line = g_strdup_printf (
        "Decisions    %s bind%s, %s eviction%s; most pending pods %s at %s", binds,
        s->binds == 1 ? "" : "s", evictions, s->evictions == 1 ? "" : "s", peak, when);
  } else {
    peak_line
        = g_strdup_printf ("Decisions    %s bind%s, %s eviction%s; never a pending pod", binds,
                           s->binds == 1 ? "" : "s", evictions, s->evictions == 1 ? "" : "s");
  }
  append_line (out, peak_line);
  if (fair.n > 1 && !isnan (fair.jain)) {
    char buf[G_ASCII_DTOSTR_BUF_SIZE];

    g_string_append_printf (out, "Fairness     %s (Jain, %u queues, share against %s)\n",
                            g_ascii_formatd (buf, sizeof buf, "%.3f", fair.jain), fair.n,
                            fair.basis == RP_FAIR_DESERVED ? "deserved" : "weight");
  }
  append_resources (out, s);
  g_string_append_c (out, '\n');
  append_wait_table (out, s);
  append_stuck (out, s);
  g_string_append_printf (out, "\nResults in %s\n", dir); /* never cut: people copy it */
  g_string_append (out,
                   "  summary.json, jobs.csv, tasks.csv, cycles.csv, queues.csv, events.csv, …\n");
  if (charts)
    g_string_append (out,
                     "  charts/: allocation, jobs, queues, waits, fragmentation (SVG and PNG)\n");
  return g_string_free (out, FALSE);
}
