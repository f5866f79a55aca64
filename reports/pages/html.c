#include "html.h"
#include "page.h"
#include "core/base/json.h"
#include "reports/ledger.h"
#include "reports/results/metrics.h"
#include "reports/results/summary.h"
#include "reports/words.h"
#include <math.h>
#include <string.h>

#define JOBS_SHOWN 10u
#define BLAMES_SHOWN 15u
#define WINNERS_SHOWN 10u

/* ---- pieces -------------------------------------------------------------------------------------- */

static char *
figure_text (GHashTable *figures, const char *name)
{
  const RpMetric *m = g_hash_table_lookup (figures, name);

  return m != NULL ? rp_metric_text (m->unit, m->value) : g_strdup ("–");
}

/* ---- sections ------------------------------------------------------------------------------------ */

static void
append_facts (GString *out, const RpRunData *d, GHashTable *figures)
{
  static const struct { const char *what, *name; } shown[] = { { "jobs", "jobs" },           { "never started", "never_started" }, { "mean wait", "mean_wait" },
                                                               { "p95 wait", "p95_wait" },   { "mean slowdown", "mean_slowdown" }, { "evictions", "evictions" },
                                                               { "makespan", "makespan" } };
  g_autofree char *end = rp_span ((double) d->end / 1e6);

  rp_page_facts_begin (out);
  for (guint i = 0; i < G_N_ELEMENTS (shown); i++) {
    g_autofree char *value = figure_text (figures, shown[i].name);

    rp_page_fact (out, shown[i].what, value);
  }
  for (guint i = 0; i < d->n_res; i++) {
    g_autofree char *name = g_strdup_printf ("utilisation(resource=%s)", d->resource[i]), *value = figure_text (figures, name);
    g_autofree char *what = g_strdup_printf ("%s used", d->resource[i]);

    if (strcmp (d->resource[i], "pods") != 0)
      rp_page_fact (out, what, value);
  }
  rp_page_fact (out, "simulated", end);
  rp_page_facts_end (out);
}

/* A table of one kind of group: queues, users, classes. */
static void
append_groups (GString *out, const GArray *metrics, GHashTable *figures, const char *kind, const char *title)
{
  static const char *const column[] = { "jobs", "never_started", "mean_wait", "p50_wait", "p95_wait", "max_wait", "p95_slowdown", "evictions" };
  static const char *const head[] = { "", "jobs", "never started", "mean wait", "p50", "p95", "longest", "p95 slowdown", "evictions" };
  g_autofree char *prefix = g_strdup_printf ("jobs(%s=", kind);
  guint n = 0;

  for (guint i = 0; i < metrics->len; i++)
    n += g_str_has_prefix (g_array_index (metrics, RpMetric, i).name, prefix);
  if (n == 0)
    return;
  rp_page_heading (out, 3, title);
  rp_page_table_begin (out, head, G_N_ELEMENTS (head), "");
  for (guint i = 0; i < metrics->len; i++) {
    const char *name = g_array_index (metrics, RpMetric, i).name;

    if (!g_str_has_prefix (name, prefix))
      continue;
    g_autofree char *group = g_strndup (name + strlen (prefix), strlen (name) - strlen (prefix) - 1);
    g_auto (GStrv) cell = g_new0 (char *, G_N_ELEMENTS (head) + 1);

    cell[0] = g_strdup (group);
    for (guint c = 0; c < G_N_ELEMENTS (column); c++) {
      g_autofree char *full = g_strdup_printf ("%s(%s=%s)", column[c], kind, group);

      cell[c + 1] = figure_text (figures, full);
    }
    rp_page_row (out, (const char *const *) cell, G_N_ELEMENTS (head));
  }
  rp_page_table_end (out);
}

static void
append_ledger (GString *out, const RpRunData *d, gboolean again)
{
  static const char *const head[] = { "cause", "jobs", "job-hours", "share", "" };
  g_autoptr (GArray) blame = rp_ledger_blame (d, NULL, again);
  gint64 total = rp_ledger_total (d, NULL, again);

  if (blame->len == 0)
    return;
  rp_page_heading (out, 3, again ? "Waiting again after the gang was lost" : "Waiting for the first start");
  rp_page_table_begin (out, head, G_N_ELEMENTS (head), "");
  for (guint i = 0; i < MIN (blame->len, BLAMES_SHOWN); i++) {
    const RpBlame *b = &g_array_index (blame, RpBlame, i);
    double share = total > 0 ? (double) b->time / (double) total : 0;
    g_autofree char *words = rp_blame_words (b->cause, b->by, b->reason), *jobs = rp_number (b->jobs), *percent = rp_percent (share);
    g_autofree char *hours = g_strdup_printf ("%.2f", (double) b->time / 3600e6);

    const char *const cell[] = { words, jobs, hours, percent };

    rp_page_bar_row (out, cell, G_N_ELEMENTS (cell), share);
  }
  rp_page_table_end (out);
  if (blame->len > BLAMES_SHOWN)
    g_string_append_printf (out, "<p>%u causes more in ledger.csv.</p>\n", blame->len - BLAMES_SHOWN);
}

static void
append_winners (GString *out, const RpRunData *d)
{
  static const char *const head[] = { "job", "jobs that lost to it", "job-hours" };
  g_autoptr (GArray) winners = rp_ledger_winners (d);

  if (winners->len == 0)
    return;
  rp_page_heading (out, 3, "Others lost most to");
  rp_page_table_begin (out, head, G_N_ELEMENTS (head), "");
  for (guint i = 0; i < MIN (winners->len, WINNERS_SHOWN); i++) {
    const RpWinner *w = &g_array_index (winners, RpWinner, i);
    g_autofree char *losers = rp_number (w->losers), *hours = g_strdup_printf ("%.2f", (double) w->time / 3600e6);
    const char *const cell[] = { w->job, losers, hours };

    rp_page_row (out, cell, G_N_ELEMENTS (cell));
  }
  rp_page_table_end (out);
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
  rp_page_heading (out, 3, "The longest waits");
  rp_page_table_begin (out, head, G_N_ELEMENTS (head), "245");
  for (guint i = 0; i < MIN (waiters->len, JOBS_SHOWN); i++) {
    const Waiter *w = &g_array_index (waiters, Waiter, i);
    g_autofree char *name = g_strdup_printf ("%s/%s", w->job->ns, w->job->job), *span = rp_span ((double) w->wait / 1e6);
    g_autofree char *wait = w->job->gang_start != RP_NONE ? g_strdup (span) : g_strdup_printf ("%s, never started", span);
    const char *const cell[] = { name, w->job->queue, wait, w->job->phase, w->job->reason };

    rp_page_row (out, cell, G_N_ELEMENTS (cell));
  }
  rp_page_table_end (out);
}

static int
by_weight (gconstpointer a, gconstpointer b)
{
  const RpJob *l = *(const RpJob *const *) a, *r = *(const RpJob *const *) b;
  const int order = rp_compare_far (l->topology_cost, l->pods, l->ns, r->topology_cost, r->pods, r->ns);

  return order != 0 ? order : strcmp (l->job, r->job);
}

static char *
cost_text (double cost)
{
  char buf[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strdup (g_ascii_formatd (buf, sizeof buf, "%.3g", cost));
}

/* Gangs by tier of the smallest HyperNode that holds them, for the cluster. */
static void
append_tiers (GString *out, const RpTopologySum *t)
{
  static const char *const head[] = { "smallest part of the network that holds the gang", "gangs", "share" };

  rp_page_table_begin (out, head, G_N_ELEMENTS (head), "");
  for (guint i = 0; i < t->tiers->len; i++) {
    const RpTierCount *c = &g_array_index (t->tiers, RpTierCount, i);
    g_autofree char *name = g_strdup_printf ("tier %" G_GINT64_FORMAT "%s%s%s", c->tier, *c->name != '\0' ? " (" : "", c->name, *c->name != '\0' ? ")" : "");
    g_autofree char *gangs = rp_number (c->jobs), *share = rp_percent ((double) c->jobs / t->costs->len);
    const char *const cell[] = { name, gangs, share };

    rp_page_row (out, cell, G_N_ELEMENTS (cell));
  }
  rp_page_table_end (out);
}

static void
append_far (GString *out, GPtrArray *far)
{
  static const char *const head[] = { "job", "queue", "pods", "racks", "smallest HyperNode", "tier", "cost", "pods × cost", "wait" };

  rp_page_heading (out, 3, "The jobs that weigh most on the network");
  rp_page_table_begin (out, head, G_N_ELEMENTS (head), "");
  for (guint i = 0; i < MIN (far->len, JOBS_SHOWN); i++) {
    const RpJob *j = far->pdata[i];
    g_autofree char *name = g_strdup_printf ("%s/%s", j->ns, j->job), *pods = rp_number (j->pods), *racks = rp_number (j->racks), *cost = cost_text (j->topology_cost);
    g_autofree char *weight = cost_text (j->topology_cost * j->pods), *wait = rp_span ((double) (j->gang_start - j->submit) / 1e6);
    g_autofree char *tier = g_strdup_printf ("%" G_GINT64_FORMAT "%s%s%s", j->tier, *j->tier_name != '\0' ? " (" : "", j->tier_name, *j->tier_name != '\0' ? ")" : "");
    const char *const cell[] = { name, j->queue, pods, racks, j->hyper_node, tier, cost, weight, wait };

    rp_page_row (out, cell, G_N_ELEMENTS (cell));
  }
  rp_page_table_end (out);
  if (far->len > JOBS_SHOWN) {
    g_autofree char *more = g_strdup_printf ("%u more cross racks, see jobs.csv.", far->len - JOBS_SHOWN);

    rp_page_paragraph (out, more);
  }
}

/* How far apart the pods of gangs are; nothing without HyperNodes. */
static void
append_topology (GString *out, const RpRunData *d)
{
  g_auto (RpTopologySum) all = { 0 };
  g_autoptr (GPtrArray) far = g_ptr_array_new ();

  rp_topology_sum_init (&all);
  for (guint i = 0; i < d->jobs->len; i++) {
    RpJob *j = &g_array_index (d->jobs, RpJob, i);

    rp_topology_sum_add (&all, j);
    if (j->hyper_node != NULL && j->racks > 1)
      g_ptr_array_add (far, j);
  }
  if (all.costs->len == 0)
    return;
  const RpQuantiles q = rp_quantiles (all.costs);
  g_autofree char *gangs = rp_number (q.n), *crossing = rp_number (all.crossing), *mean = cost_text (q.mean), *p95 = cost_text (q.p95);

  g_autofree char *words = g_strdup_printf ("%s of %s gangs of two pods or more started on more than one rack. The cost of a gang is the mean distance of its pods "
                                            "in tiers of the network: 0 is a single rack. Mean %s, p95 %s.", crossing, gangs, mean, p95);

  rp_page_heading (out, 2, "Where gangs ran in the network");
  rp_page_paragraph (out, words);
  append_tiers (out, &all);
  g_ptr_array_sort (far, by_weight);
  if (far->len > 0)
    append_far (out, far);
}

static void
append_origin (GString *out, const RpRunData *d, const RpHtmlInput *in)
{
  g_autoptr (VcArena) arena = vc_arena_new ();
  const VcJson *summary = vc_json_parse_all (d->summary, strlen (d->summary), arena, NULL);
  const char *command = NULL;

  rp_page_inputs (out, NULL, NULL, 0, &summary, 1);
  if (in->configuration != NULL) {
    rp_page_heading (out, 3, "Scheduler configuration");
    rp_page_pre (out, in->configuration);
  }
  vc_json_get_text (summary, "command", &command, NULL);
  if (command != NULL && *command != '\0')
    rp_page_again (out, command, d->version, "The files beside this page hold every figure of it.");
}

/* What each chart is called, for those that a run draws. */
static const RpPageChart charts[] = {
  { "allocation", "What is allocated of each resource, of what there is, and what pending pods ask for." },
  { "jobs", "Jobs that wait, run and have finished." },
  { "queues", "Each queue's dominant share, and what it deserves." },
  { "waits", "How long jobs waited." },
  { "fragmentation", "Idle amounts on nodes that fit no pending pod." },
  { "placement", "How full each rack was, how many pods ran in gangs that cross racks, and the jobs that weigh most on the network." },
};

static void
append_diagnoses (GString *out, const RpRunData *d, const GPtrArray *diagnoses)
{
  if (diagnoses == NULL || diagnoses->len == 0)
    return;
  rp_page_heading (out, 2, "What is wrong");
  for (guint i = 0; i < diagnoses->len; i++) {
    const RpDiagnosis *x = diagnoses->pdata[i];
    g_autofree char *command = rp_diagnosis_command (d, x), *what = g_strdup_printf ("%s: %s.", x->code, x->what),
                    *advice = g_strdup_printf ("Advice: %s. The entry %s of the gallery shows it. The cycle to look at:", x->advice, x->entry);

    rp_page_paragraph (out, what);
    rp_page_paragraph (out, advice);
    rp_page_pre (out, command);
  }
}

char *
rp_html_report (const RpRunData *d, const RpHtmlInput *in)
{
  GString *out = rp_page_begin (in->title != NULL ? in->title : d->dir);
  g_autoptr (GArray) metrics = rp_metrics (d);
  g_autoptr (GHashTable) figures = rp_metrics_index (metrics); /* for look-ups only */

  append_facts (out, d, figures);
  append_diagnoses (out, d, in->diagnoses);
  rp_page_heading (out, 2, "Who waited, and why");
  append_groups (out, metrics, figures, "queue", "Queues");
  append_groups (out, metrics, figures, "user", "Users");
  append_groups (out, metrics, figures, "class", "Jobs by the size of the gang");
  append_ledger (out, d, FALSE);
  append_ledger (out, d, TRUE);
  append_winners (out, d);
  append_longest (out, d);
  append_topology (out, d);
  if (in->charts != NULL)
    rp_page_charts (out, in->charts, charts, G_N_ELEMENTS (charts), "Over time");
  append_origin (out, d, in);
  rp_page_fidelity (out);
  return rp_page_end (out);
}
