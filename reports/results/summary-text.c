/* reports/results/summary-text.c - a run on one screen of 80 columns. */
#include "summary.h"
#include "reports/words.h"

#include <math.h>
#include <string.h>

#define QUEUES_SHOWN 12u
#define REASONS_SHOWN 5u
#define STUCK_SHOWN 3u

static void
append_counts (GString *out, const char *title, guint64 n, const GPtrArray *counts)
{
  g_autoptr (GPtrArray) sorted = rp_counts_sorted (counts);
  g_autoptr (GString) line = g_string_new (NULL);
  g_autofree char *total = rp_number (n);

  g_string_append_printf (line, "%-13s%s", title, total);
  for (guint i = 0; i < sorted->len; i++) {
    const RpCount *c = g_ptr_array_index (sorted, i);
    g_autofree char *k = rp_number (c->n);

    g_string_append_printf (line, "%s%s %s", i == 0 ? ": " : ", ",
                            c->name[0] != '\0' ? c->name : "(no phase)", k);
  }
  rp_append_line (out, line->str);
}

static void
append_waits (GString *out, const char *name, guint64 jobs, GArray *waits)
{
  const RpQuantiles q = rp_quantiles (waits);
  const double values[] = { q.mean, q.p50, q.p90, q.p95, q.p99, q.max };
  g_autofree char *n = rp_number (jobs), *started = rp_number (q.n);

  rp_append_cell (out, name, 13, FALSE);
  rp_append_cell (out, n, 9, TRUE);
  rp_append_cell (out, started, 9, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
    g_autofree char *text = q.n > 0 ? rp_span (values[i]) : g_strdup ("–");

    rp_append_cell (out, text, 8, TRUE);
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

  rp_append_cell (out, "Wait by queue", 13, FALSE);
  rp_append_cell (out, "jobs", 9, TRUE);
  rp_append_cell (out, "started", 9, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (heads); i++)
    rp_append_cell (out, heads[i], 8, TRUE);
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
append_deadlines (GString *out, const char *name, const RpDeadlines *d)
{
  g_autofree char *jobs = rp_number (d->jobs), *met = rp_number (d->met), *late = rp_number (d->late), *share = rp_percent (d->jobs > 0 ? (double) d->met / (double) d->jobs : (double) NAN);
  const char *const cells[] = { jobs, met, late, share };

  rp_append_cell (out, name, 13, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (cells); i++)
    rp_append_cell (out, cells[i], 9, TRUE);
  g_string_append_c (out, '\n');
}

/* Where jobs have deadlines: how many were met. */
static void
append_deadline_table (GString *out, const RpSummary *s)
{
  g_autoptr (GPtrArray) queues = rp_summary_queues_sorted (s);
  const RpDeadlines all = rp_summary_all_deadlines (s);
  guint with_jobs = 0;

  if (all.jobs == 0)
    return;
  g_string_append (out, "\nDeadlines         jobs      met     late    share\n");
  for (guint i = 0; i < queues->len; i++) {
    const RpQueueSum *q = g_ptr_array_index (queues, i);
    g_autofree char *name = g_strconcat ("  ", q->name, NULL);

    if (q->deadlines.jobs > 0 && ++with_jobs <= QUEUES_SHOWN)
      append_deadlines (out, name, &q->deadlines);
  }
  if (with_jobs > QUEUES_SHOWN)
    g_string_append_printf (out, "  (%u more queues in summary.json)\n", with_jobs - QUEUES_SHOWN);
  if (with_jobs != 1)
    append_deadlines (out, "  all", &all);
}

/* "Topology     12 gangs, 3 of them on more than one rack; cost mean 0.25, p95 1", then how many in each tier. */
static void
append_topology (GString *out, const RpSummary *s)
{
  g_auto (RpTopologySum) all = { 0 };

  rp_summary_all_topology (s, &all);
  if (all.costs->len == 0)
    return;
  const RpQuantiles q = rp_quantiles (all.costs);
  g_autoptr (GString) line = g_string_new ("            ");
  g_autofree char *gangs = rp_number (q.n), *crossing = rp_number (all.crossing);
  char mean[G_ASCII_DTOSTR_BUF_SIZE], p95[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (out, "Topology     %s gang%s, %s of them on more than one rack; cost mean %s, p95 %s\n", gangs, q.n == 1 ? "" : "s", crossing,
                          g_ascii_formatd (mean, sizeof mean, "%.3g", q.mean), g_ascii_formatd (p95, sizeof p95, "%.3g", q.p95));
  for (guint i = 0; i < all.tiers->len; i++) {
    const RpTierCount *c = &g_array_index (all.tiers, RpTierCount, i);
    g_autofree char *n = rp_number (c->jobs), *tier = *c->name != '\0' ? g_strdup (c->name) : g_strdup_printf ("tier %" G_GINT64_FORMAT, c->tier);

    g_string_append_printf (line, "%s%s in one %s", i == 0 ? " " : ", ", n, tier);
  }
  rp_append_line (out, line->str);
}

static void
append_resources (GString *out, const RpSummary *s)
{
  g_string_append (out, "\n");
  rp_append_cell (out, "Resource", 37, FALSE);
  rp_append_cell (out, "utilisation", 14, TRUE);
  rp_append_cell (out, "goodput", 14, TRUE);
  g_string_append_c (out, '\n');
  for (guint i = 0; i < s->n_res; i++) {
    g_autofree char *name = g_strconcat ("  ", s->res[i].name, NULL);
    g_autofree char *u = rp_percent (rp_summary_utilisation (s, i)),
                    *g = rp_percent (rp_summary_goodput (s, i));

    if (!(s->capacity_max[i] > 0))
      continue;
    rp_append_cell (out, name, 37, FALSE);
    rp_append_cell (out, u, 14, TRUE);
    rp_append_cell (out, g, 14, TRUE);
    g_string_append_c (out, '\n');
  }
}

static void
append_stuck (GString *out, const RpSummary *s)
{
  g_autoptr (GPtrArray) reasons = rp_summary_reasons_sorted (s);
  g_autofree char *n = rp_number (s->n_stuck);

  if (s->n_stuck == 0)
    return;
  g_string_append_printf (out, "\nStuck: %s job%s still waited when the run ended\n", n,
                          s->n_stuck == 1 ? "" : "s");
  for (guint i = 0; i < MIN (reasons->len, REASONS_SHOWN); i++) {
    const RpCount *c = g_ptr_array_index (reasons, i);
    g_autofree char *k = rp_number (c->n), *line = NULL;

    line = g_strdup_printf ("  %6s × %s", k, c->name);
    rp_append_line (out, line);
  }
  if (reasons->len > REASONS_SHOWN)
    g_string_append_printf (out, "  (%u more reasons in summary.json)\n",
                            reasons->len - REASONS_SHOWN);
  for (guint i = 0; i < MIN (s->stuck->len, STUCK_SHOWN); i++) {
    const RpStuck *k = g_ptr_array_index (s->stuck, i);
    g_autofree char *since = k->submit != RP_NONE
                                 ? rp_span ((double) (s->end - k->submit) / G_USEC_PER_SEC)
                                 : g_strdup ("?");
    g_autofree char *line = g_strdup_printf (
        "  e.g. %s/%s in queue %s, submitted %s before the end", k->ns, k->job, k->queue, since);

    rp_append_line (out, line);
  }
}

static void
append_followed (GString *out, const RpFollowed *f)
{
  g_autofree char *on_time = rp_number (f->on_time), *later = rp_number (f->later), *never = rp_number (f->never), *unknown = rp_number (f->unknown);

  if (!f->told)
    return;
  g_string_append_printf (out, "Record       %s jobs start as recorded, %s later, %s never", on_time, later, never);
  if (f->unknown > 0)
    g_string_append_printf (out, "; it does not tell of %s", unknown);
  g_string_append (out, "\n             why: misfits.csv\n");
}

char *
rp_summary_text (const RpSummary *s, const char *version, const char *beyond, const char *dir, gboolean charts)
{
  GString *out = g_string_new (NULL);
  const RpFairness fair = rp_summary_fairness (s);
  const gint64 makespan = rp_summary_makespan (s);
  g_autofree char *end = rp_span ((double) s->end / G_USEC_PER_SEC);
  g_autofree char *binds = rp_number (s->binds), *evictions = rp_number (s->evictions),
                  *peak = rp_number (s->peak_pending);
  g_autofree char *title = g_strdup_printf ("volsim %s: %s simulated", version, end);
  g_autofree char *line = NULL, *peak_line = NULL;

  rp_append_line (out, title);
  g_string_append_c (out, '\n');
  if (beyond != NULL && *beyond != '\0')
    g_string_append_printf (out, "Policy       not Volcano's: %s\n", beyond);
  append_counts (out, "Jobs", s->n_jobs, s->phases);
  append_counts (out, "Pods", s->n_tasks, s->outcomes);
  if (makespan != RP_NONE) {
    g_autofree char *make = rp_span ((double) makespan / G_USEC_PER_SEC);

    line = g_strdup_printf ("Makespan     %s (first submission to last finish)", make);
    rp_append_line (out, line);
  } else {
    rp_append_line (out, "Makespan     – (no job finished)");
  }
  if (s->peak_pending > 0) {
    g_autofree char *when = rp_span ((double) s->peak_time / G_USEC_PER_SEC);

    peak_line = g_strdup_printf (
        "Decisions    %s bind%s, %s eviction%s; most pending pods %s at %s", binds,
        s->binds == 1 ? "" : "s", evictions, s->evictions == 1 ? "" : "s", peak, when);
  } else {
    peak_line
        = g_strdup_printf ("Decisions    %s bind%s, %s eviction%s; never a pending pod", binds,
                           s->binds == 1 ? "" : "s", evictions, s->evictions == 1 ? "" : "s");
  }
  rp_append_line (out, peak_line);
  if (fair.n > 1 && !isnan (fair.jain)) {
    char buf[G_ASCII_DTOSTR_BUF_SIZE];

    g_string_append_printf (out, "Fairness     %s (Jain, %u queues, share against %s)\n",
                            g_ascii_formatd (buf, sizeof buf, "%.3f", fair.jain), fair.n,
                            fair.basis == RP_FAIR_DESERVED ? "deserved" : "weight");
  }
  append_topology (out, s);
  append_followed (out, &s->followed);
  append_resources (out, s);
  g_string_append_c (out, '\n');
  append_wait_table (out, s);
  append_deadline_table (out, s);
  append_stuck (out, s);
  g_string_append_printf (out, "\nResults in %s\n", dir); /* never cut: people copy it */
  g_string_append (out,
                   "  summary.json, jobs.csv, tasks.csv, cycles.csv, queues.csv, events.csv, …\n");
  if (charts)
    g_string_append_printf (out, "  charts/: allocation, jobs, queues, waits, fragmentation%s (SVG and PNG)\n",
                            s->placement.racks->len > 0 ? ", placement" : "");
  return g_string_free (out, FALSE);
}
