/* reports/results/summary-json.c - summary.json; its keys are described in schema.c. */
#include "summary.h"
#include "reports/json.h"

#include <math.h>

static void
quantiles (RpJson *j, const char *key, GArray *values)
{
  const RpQuantiles q = rp_quantiles (values);
  const double none = (double) NAN; /* without values there is no mean, and 0 would look like one */

  rp_json_begin_object (j, key);
  rp_json_uint (j, "n", q.n);
  rp_json_double (j, "mean", q.n > 0 ? q.mean : none);
  rp_json_double (j, "p50", q.n > 0 ? q.p50 : none);
  rp_json_double (j, "p90", q.n > 0 ? q.p90 : none);
  rp_json_double (j, "p95", q.n > 0 ? q.p95 : none);
  rp_json_double (j, "p99", q.n > 0 ? q.p99 : none);
  rp_json_double (j, "max", q.n > 0 ? q.max : none);
  rp_json_end_object (j);
}

static void
counts (RpJson *j, const char *key, const GPtrArray *from)
{
  g_autoptr (GPtrArray) sorted = rp_counts_sorted (from);

  rp_json_begin_object (j, key);
  for (guint i = 0; i < sorted->len; i++) {
    const RpCount *c = g_ptr_array_index (sorted, i);

    rp_json_uint (j, c->name, c->n);
  }
  rp_json_end_object (j);
}

static void
manifest (RpJson *j, const RpManifest *m)
{
  rp_json_text (j, "schema", RP_SCHEMA_NAME RP_SCHEMA_VERSION);
  rp_json_text (j, "version", m->version);
  rp_json_text (j, "start", m->start_date);
  rp_json_time (j, "period_s", m->period);
  rp_json_time (j, "until_s", m->until);
  rp_json_uint (j, "seed", m->seed);
  rp_json_text (j, "configuration_sha256", m->conf_digest);
  if (m->beyond != NULL && *m->beyond != '\0')
    rp_json_text (j, "not_volcanos", m->beyond);
  rp_json_text (j, "command", m->command != NULL ? m->command : "");
  rp_json_begin_array (j, "inputs");
  for (guint i = 0; i < m->n_inputs; i++) {
    rp_json_begin_object (j, NULL);
    rp_json_text (j, "name", m->input_name[i]);
    rp_json_text (j, "sha256", m->input_digest[i]);
    rp_json_end_object (j);
  }
  rp_json_end_array (j);
}

static void
stuck (RpJson *j, const RpSummary *s)
{
  g_autoptr (GPtrArray) reasons = rp_summary_reasons_sorted (s);

  rp_json_begin_object (j, "stuck");
  rp_json_uint (j, "jobs", s->n_stuck);
  rp_json_begin_array (j, "reasons");
  for (guint i = 0; i < reasons->len; i++) {
    const RpCount *c = g_ptr_array_index (reasons, i);

    rp_json_begin_object (j, NULL);
    rp_json_text (j, "reason", c->name);
    rp_json_uint (j, "jobs", c->n);
    rp_json_end_object (j);
  }
  rp_json_end_array (j);
  rp_json_begin_array (j, "list");
  for (guint i = 0; i < s->stuck->len; i++) {
    const RpStuck *k = g_ptr_array_index (s->stuck, i);

    rp_json_begin_object (j, NULL);
    rp_json_text (j, "namespace", k->ns);
    rp_json_text (j, "job", k->job);
    rp_json_text (j, "queue", k->queue);
    rp_json_time (j, "submit_s", k->submit);
    rp_json_text (j, "phase", k->phase);
    rp_json_text (j, "reason", k->reason);
    rp_json_end_object (j);
  }
  rp_json_end_array (j);
  rp_json_end_object (j);
}

static void
per_resource (RpJson *j, const char *key, const RpSummary *s,
              double (*figure) (const RpSummary *, guint))
{
  rp_json_begin_object (j, key);
  for (guint i = 0; i < s->n_res; i++)
    rp_json_double (j, s->res[i].name, figure (s, i));
  rp_json_end_object (j);
}

static void
values_of (RpJson *j, const RpSummary *s, const RpQueueSum *q, const char *key, gsize offset)
{
  if (q != NULL) {
    quantiles (j, key, G_STRUCT_MEMBER (GArray *, q, offset));
  } else {
    g_autoptr (GArray) all = rp_summary_all_values (s, offset);

    quantiles (j, key, all);
  }
}

static void
topology (RpJson *j, const RpSummary *s, const RpQueueSum *q)
{
  g_auto (RpTopologySum) all = { 0 };
  const RpTopologySum *t = q != NULL ? &q->topology : &all;

  if (q == NULL)
    rp_summary_all_topology (s, &all);
  rp_json_begin_object (j, "topology");
  rp_json_uint (j, "jobs", t->costs->len);
  rp_json_uint (j, "crossing_jobs", t->crossing);
  rp_json_begin_object (j, "tiers");
  for (guint i = 0; i < t->tiers->len; i++) {
    const RpTierCount *c = &g_array_index (t->tiers, RpTierCount, i);
    g_autofree char *tier = g_strdup_printf ("%" G_GINT64_FORMAT, c->tier);

    rp_json_uint (j, tier, c->jobs);
  }
  rp_json_end_object (j);
  quantiles (j, "cost", t->costs);
  rp_json_end_object (j);
}

static void
deadlines (RpJson *j, const RpSummary *s, const RpQueueSum *q)
{
  const RpDeadlines all = rp_summary_all_deadlines (s), *d = q != NULL ? &q->deadlines : &all;

  if (all.jobs == 0)
    return;
  rp_json_begin_object (j, "deadlines");
  rp_json_uint (j, "jobs", d->jobs);
  rp_json_uint (j, "met", d->met);
  rp_json_uint (j, "late", d->late);
  rp_json_end_object (j);
}

/* One block of figures: of @q, or of all queues together when @q is NULL. */
static void
block (RpJson *j, const RpSummary *s, const RpQueueSum *q, RpFairBasis basis)
{
  guint64 jobs = 0, started = 0, finished = 0, evictions = 0;

  for (guint i = 0; i < s->queues->len; i++) {
    const RpQueueSum *one = g_ptr_array_index (s->queues, i);

    if (q != NULL && q != one)
      continue;
    jobs += one->jobs;
    started += one->started;
    finished += one->finished;
    evictions += one->evictions;
  }
  rp_json_begin_object (j, q != NULL ? q->name : "overall");
  rp_json_uint (j, "jobs", jobs);
  rp_json_uint (j, "started", started);
  rp_json_uint (j, "finished", finished);
  rp_json_uint (j, "evictions", evictions);
  if (q != NULL) {
    const double span = (double) (s->end - s->first_cycle);

    rp_json_double (j, "fairness_x", rp_summary_fair_x (q, basis));
    rp_json_double (j, "allocated_share_mean",
                    s->any_cycle && span > 0 ? q->share_all / span : (double) NAN);
  }
  values_of (j, s, q, "wait_s", G_STRUCT_OFFSET (RpQueueSum, waits));
  values_of (j, s, q, "response_s", G_STRUCT_OFFSET (RpQueueSum, responses));
  values_of (j, s, q, "bounded_slowdown", G_STRUCT_OFFSET (RpQueueSum, slowdowns));
  values_of (j, s, q, "slowdown", G_STRUCT_OFFSET (RpQueueSum, raw_slowdowns));
  topology (j, s, q);
  deadlines (j, s, q);
  rp_json_end_object (j);
}

char *
rp_summary_json (const RpSummary *s, const RpManifest *m, const guint64 rows[RP_N_FILES],
                 gsize *length)
{
  static const char *const basis[]
      = { [RP_FAIR_NONE] = "none", [RP_FAIR_DESERVED] = "deserved", [RP_FAIR_WEIGHT] = "weight" };
  const RpFairness fair = rp_summary_fairness (s);
  g_autoptr (GPtrArray) queues = rp_summary_queues_sorted (s);
  guint64 started = 0, finished = 0, evictions = 0;
  RpJson j;

  for (guint i = 0; i < s->queues->len; i++) {
    const RpQueueSum *q = g_ptr_array_index (s->queues, i);

    started += q->started;
    finished += q->finished;
    evictions += q->evictions;
  }
  rp_json_init (&j);
  manifest (&j, m);
  rp_json_time (&j, "end_s", s->end);
  rp_json_time (&j, "makespan_s", rp_summary_makespan (s));

  rp_json_begin_object (&j, "cycles");
  rp_json_uint (&j, "rows", s->n_cycles);
  rp_json_uint (&j, "binds", s->binds);
  rp_json_uint (&j, "evictions", s->evictions);
  rp_json_uint (&j, "discarded", s->discarded);
  rp_json_end_object (&j);

  rp_json_begin_object (&j, "jobs");
  rp_json_uint (&j, "number", s->n_jobs);
  rp_json_uint (&j, "started", started);
  rp_json_uint (&j, "finished", finished);
  rp_json_uint (&j, "evictions", evictions);
  counts (&j, "phases", s->phases);
  rp_json_end_object (&j);

  rp_json_begin_object (&j, "tasks");
  rp_json_uint (&j, "number", s->n_tasks);
  counts (&j, "outcomes", s->outcomes);
  quantiles (&j, "assumed_s", s->assumed);
  quantiles (&j, "bound_s", s->bound);
  rp_json_end_object (&j);

  stuck (&j, s);
  rp_json_uint (&j, "evictions", s->evictions);
  rp_json_begin_object (&j, "peak_pending");
  rp_json_uint (&j, "pods", s->peak_pending);
  rp_json_time (&j, "time_s", s->peak_pending > 0 ? s->peak_time : RP_NONE);
  rp_json_end_object (&j);
  per_resource (&j, "utilisation", s, rp_summary_utilisation);
  per_resource (&j, "goodput", s, rp_summary_goodput);

  rp_json_begin_object (&j, "fairness");
  rp_json_double (&j, "jain", fair.jain);
  rp_json_text (&j, "basis", basis[fair.basis]);
  rp_json_uint (&j, "queues", fair.n);
  rp_json_end_object (&j);

  block (&j, s, NULL, fair.basis);
  rp_json_begin_object (&j, "queues");
  for (guint i = 0; i < queues->len; i++)
    block (&j, s, g_ptr_array_index (queues, i), fair.basis);
  rp_json_end_object (&j);

  if (s->followed.told) {
    rp_json_begin_object (&j, "follow_record");
    rp_json_uint (&j, "as_recorded", s->followed.on_time);
    rp_json_uint (&j, "later", s->followed.later);
    rp_json_uint (&j, "never", s->followed.never);
    rp_json_uint (&j, "not_recorded", s->followed.unknown);
    rp_json_end_object (&j);
  }
  rp_json_begin_object (&j, "rows");
  for (guint f = 0; f < RP_N_FILES; f++)
    if (rows[f] != RP_NO_FILE)
      rp_json_uint (&j, rp_file_name (f), rows[f]);
  rp_json_end_object (&j);
  return rp_json_finish (&j, length);
}
