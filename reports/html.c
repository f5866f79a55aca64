#include "reports/html.h"
#include "core/base/json.h"
#include "reports/ledger.h"
#include "reports/metrics.h"
#include "reports/words.h"
#include <math.h>
#include <string.h>

#define JOBS_SHOWN 10u
#define BLAMES_SHOWN 15u

static const char style[] =
  "body{font:16px/1.5 system-ui,sans-serif;color:#222;background:#fff;margin:0 auto;max-width:60rem;padding:1rem}"
  "h1{font-size:1.6rem;line-height:1.25}h2{font-size:1.2rem;border-bottom:1px solid #ccc;margin-top:2rem}"
  "table{border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{padding:.2rem .6rem;text-align:right;border-bottom:1px solid #e5e5e5;white-space:nowrap}"
  "th:first-child,td:first-child{text-align:left;white-space:normal}th{background:#f5f5f5}"
  ".wide{overflow-x:auto}figure{margin:1rem 0}figure svg{max-width:100%;height:auto}figcaption{color:#555;font-size:.9rem}"
  "pre{background:#f5f5f5;padding:.6rem;overflow-x:auto;font-size:.85rem}.bar{display:inline-block;height:.7rem;background:#0072B2}"
  ".facts{display:flex;flex-wrap:wrap;gap:.6rem;padding:0;list-style:none}.facts li{background:#f5f5f5;padding:.5rem .8rem;border-radius:.3rem}"
  ".facts b{display:block;font-size:1.3rem}@media print{h2{break-after:avoid}figure{break-inside:avoid}}";

/* ---- pieces -------------------------------------------------------------------------------------- */

static void
escape (GString *out, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1), *safe = g_markup_escape_text (valid, -1);

  g_string_append (out, safe);
}

/* A row of cells; the first of them as it is, the others too: all are texts. */
static void
row (GString *out, const char *tag, const char *const *cell, guint n)
{
  g_string_append (out, "<tr>");
  for (guint i = 0; i < n; i++) {
    g_string_append_printf (out, "<%s>", tag);
    escape (out, cell[i]);
    g_string_append_printf (out, "</%s>", tag);
  }
  g_string_append (out, "</tr>\n");
}

static void
begin_table (GString *out, const char *const *head, guint n)
{
  g_string_append (out, "<div class=\"wide\"><table>\n");
  row (out, "th", head, n);
}

static void
end_table (GString *out)
{
  g_string_append (out, "</table></div>\n");
}

static void
fact (GString *out, const char *what, const char *value)
{
  g_string_append (out, "<li><b>");
  escape (out, value);
  g_string_append (out, "</b>");
  escape (out, what);
  g_string_append (out, "</li>\n");
}

static char *
figure_text (const GArray *metrics, const char *name)
{
  const RpMetric *m = rp_metrics_find (metrics, name);

  return m != NULL ? rp_metric_text (m->unit, m->value) : g_strdup ("–");
}

/* ---- sections ------------------------------------------------------------------------------------ */

static void
append_facts (GString *out, const RpRunData *d, const GArray *metrics)
{
  static const struct { const char *what, *name; } shown[] = { { "jobs", "jobs" },           { "never started", "never_started" }, { "mean wait", "mean_wait" },
                                                               { "p95 wait", "p95_wait" },   { "mean slowdown", "mean_slowdown" }, { "evictions", "evictions" },
                                                               { "makespan", "makespan" } };
  g_autofree char *end = rp_span ((double) d->end / 1e6);

  g_string_append (out, "<ul class=\"facts\">\n");
  for (guint i = 0; i < G_N_ELEMENTS (shown); i++) {
    g_autofree char *value = figure_text (metrics, shown[i].name);

    fact (out, shown[i].what, value);
  }
  for (guint i = 0; i < d->n_res; i++) {
    g_autofree char *name = g_strdup_printf ("utilisation(resource=%s)", d->resource[i]), *value = figure_text (metrics, name);
    g_autofree char *what = g_strdup_printf ("%s used", d->resource[i]);

    if (strcmp (d->resource[i], "pods") != 0)
      fact (out, what, value);
  }
  fact (out, "simulated", end);
  g_string_append (out, "</ul>\n");
}

/* A table of one kind of group: queues, users, classes. */
static void
append_groups (GString *out, const GArray *metrics, const char *kind, const char *title)
{
  static const char *const column[] = { "jobs", "never_started", "mean_wait", "p50_wait", "p95_wait", "max_wait", "p95_slowdown", "evictions" };
  static const char *const head[] = { "", "jobs", "never started", "mean wait", "p50", "p95", "longest", "p95 slowdown", "evictions" };
  g_autofree char *prefix = g_strdup_printf ("jobs(%s=", kind);
  guint n = 0;

  for (guint i = 0; i < metrics->len; i++)
    n += g_str_has_prefix (g_array_index (metrics, RpMetric, i).name, prefix);
  if (n == 0)
    return;
  g_string_append_printf (out, "<h3>%s</h3>\n", title);
  begin_table (out, head, G_N_ELEMENTS (head));
  for (guint i = 0; i < metrics->len; i++) {
    const char *name = g_array_index (metrics, RpMetric, i).name;

    if (!g_str_has_prefix (name, prefix))
      continue;
    g_autofree char *group = g_strndup (name + strlen (prefix), strlen (name) - strlen (prefix) - 1);
    g_auto (GStrv) cell = g_new0 (char *, G_N_ELEMENTS (head) + 1);

    cell[0] = g_strdup (group);
    for (guint c = 0; c < G_N_ELEMENTS (column); c++) {
      g_autofree char *full = g_strdup_printf ("%s(%s=%s)", column[c], kind, group);

      cell[c + 1] = figure_text (metrics, full);
    }
    row (out, "td", (const char *const *) cell, G_N_ELEMENTS (head));
  }
  end_table (out);
}

static void
append_ledger (GString *out, const RpRunData *d, gboolean again)
{
  static const char *const head[] = { "cause", "jobs", "job-hours", "share", "" };
  g_autoptr (GArray) blame = rp_ledger_blame (d, NULL, again);
  gint64 total = rp_ledger_total (d, NULL, again);

  if (blame->len == 0)
    return;
  g_string_append (out, again ? "<h3>Waiting again after the gang was lost</h3>\n" : "<h3>Waiting for the first start</h3>\n");
  begin_table (out, head, G_N_ELEMENTS (head));
  for (guint i = 0; i < MIN (blame->len, BLAMES_SHOWN); i++) {
    const RpBlame *b = &g_array_index (blame, RpBlame, i);
    double share = total > 0 ? (double) b->time / (double) total : 0;
    g_autofree char *words = rp_blame_words (b->cause, b->by, b->reason), *jobs = rp_number (b->jobs), *percent = rp_percent (share);
    g_autofree char *hours = g_strdup_printf ("%.2f", (double) b->time / 3600e6);

    g_string_append (out, "<tr><td>");
    escape (out, words);
    g_string_append_printf (out, "</td><td>%s</td><td>%s</td><td>%s</td><td style=\"text-align:left\"><span class=\"bar\" style=\"width:%.1frem\"></span></td></tr>\n",
                            jobs, hours, percent, share * 10);
  }
  end_table (out);
  if (blame->len > BLAMES_SHOWN)
    g_string_append_printf (out, "<p>%u causes more in ledger.csv.</p>\n", blame->len - BLAMES_SHOWN);
}

typedef struct { const RpJob *job; gint64 wait; } Waiter;

static int
by_wait (gconstpointer a, gconstpointer b)
{
  const Waiter *l = a, *r = b;
  int order = l->wait > r->wait ? -1 : l->wait < r->wait;

  if (order == 0)
    order = strcmp (l->job->ns, r->job->ns);
  return order != 0 ? order : strcmp (l->job->job, r->job->job);
}

static void
append_longest (GString *out, const RpRunData *d)
{
  static const char *const head[] = { "job", "queue", "wait", "phase", "last reason" };
  g_autoptr (GArray) waiters = g_array_new (FALSE, FALSE, sizeof (Waiter));

  for (guint i = 0; i < d->jobs->len; i++) {
    const RpJob *j = &g_array_index (d->jobs, RpJob, i);
    Waiter w = { j, (j->gang_start != RP_NONE ? j->gang_start : d->end) - j->submit };

    if (strcmp (j->phase, "Rejected") != 0 && j->submit <= d->end && w.wait > 0)
      g_array_append_val (waiters, w);
  }
  g_array_sort (waiters, by_wait);
  if (waiters->len == 0)
    return;
  g_string_append (out, "<h3>The longest waits</h3>\n");
  begin_table (out, head, G_N_ELEMENTS (head));
  for (guint i = 0; i < MIN (waiters->len, JOBS_SHOWN); i++) {
    const Waiter *w = &g_array_index (waiters, Waiter, i);
    g_autofree char *name = g_strdup_printf ("%s/%s", w->job->ns, w->job->job), *span = rp_span ((double) w->wait / 1e6);
    g_autofree char *wait = w->job->gang_start != RP_NONE ? g_strdup (span) : g_strdup_printf ("%s, never started", span);
    const char *const cell[] = { name, w->job->queue, wait, w->job->phase, w->job->reason };

    row (out, "td", cell, G_N_ELEMENTS (cell));
  }
  end_table (out);
}

static void
append_inputs (GString *out, const RpRunData *d, const RpHtmlInput *in)
{
  static const char *const head[] = { "input", "SHA-256" };
  g_autoptr (VcArena) arena = vc_arena_new ();
  const VcJson *doc = vc_json_parse_all (d->summary, strlen (d->summary), arena, NULL), *list = vc_json_get (doc, "inputs");
  const char *command = NULL;

  g_string_append (out, "<h2>Inputs</h2>\n");
  begin_table (out, head, G_N_ELEMENTS (head));
  for (const VcJson *one = list != NULL ? list->child : NULL; one != NULL; one = one->next) {
    const char *name = "", *digest = "";

    vc_json_get_text (one, "name", &name, NULL);
    vc_json_get_text (one, "sha256", &digest, NULL);
    const char *const cell[] = { name, digest };

    row (out, "td", cell, G_N_ELEMENTS (cell));
  }
  end_table (out);
  if (in->configuration != NULL) {
    g_string_append (out, "<h3>Scheduler configuration</h3>\n<pre>");
    escape (out, in->configuration);
    g_string_append (out, "</pre>\n");
  }
  vc_json_get_text (doc, "command", &command, NULL);
  if (command != NULL && *command != '\0') {
    g_string_append (out, "<h2>Run it again</h2>\n<pre>");
    escape (out, command);
    g_string_append_printf (out, "</pre>\n<p>volsim %s; the same inputs give the same bytes. The files beside this page hold every figure of it.</p>\n", d->version);
  }
}

/* What a reader may take from these figures. */
static void
append_fidelity (GString *out)
{
  g_string_append (out,
                   "<h2>How far to trust it</h2>\n<ul>\n"
                   "<li><b>Exact:</b> what the scheduler decides in a cycle (admission, order, nodes, gangs, evictions, phases), for every plugin and action that volsim "
                   "accepts, is compared with recorded decisions of Volcano. Where Volcano leaves an order to chance, one order is fixed.</li>\n"
                   "<li><b>As told by the inputs:</b> run times, exit codes, latencies, faults and the load of nodes are those of the trace and the scenario; jobs run no faster or "
                   "slower for their neighbours unless the scenario says so.</li>\n"
                   "<li><b>Not modelled:</b> the time that API server and controllers take (unless the scenario gives lags and rates), networks, the real contention of shared "
                   "devices, and whatever volsim refuses by name.</li>\n</ul>\n");
}

char *
rp_html_report (const RpRunData *d, const RpHtmlInput *in)
{
  GString *out = g_string_new ("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>");
  g_autoptr (GArray) metrics = rp_metrics (d);
  const char *title = in->title != NULL ? in->title : d->dir;

  escape (out, title);
  g_string_append_printf (out, "</title>\n<style>%s</style></head><body>\n<h1>", style);
  escape (out, title);
  g_string_append (out, "</h1>\n");
  append_facts (out, d, metrics);
  g_string_append (out, "<h2>Who waited, and why</h2>\n");
  append_groups (out, metrics, "queue", "Queues");
  append_groups (out, metrics, "user", "Users");
  append_groups (out, metrics, "class", "Jobs by the size of the gang");
  append_ledger (out, d, FALSE);
  append_ledger (out, d, TRUE);
  append_longest (out, d);
  for (guint i = 0; in->chart_svg != NULL && in->chart_svg[i] != NULL; i++) {
    const char *svg = strstr (in->chart_svg[i], "<svg");

    if (i == 0)
      g_string_append (out, "<h2>Over time</h2>\n");
    g_string_append (out, "<figure>\n");
    g_string_append (out, svg != NULL ? svg : "");
    g_string_append (out, "<figcaption>");
    escape (out, in->chart_name[i]);
    g_string_append (out, "</figcaption></figure>\n");
  }
  append_inputs (out, d, in);
  append_fidelity (out);
  g_string_append (out, "</body></html>\n");
  return g_string_free (out, FALSE);
}
