/* reports/results/summary.c - see summary.h; the formulas stand in schema.c. */
#include "summary.h"

#include "reports/words.h"
#include <math.h>
#include <string.h>

#define CURVE_POINTS 8000u
#define CURVE_POINTS_MANY 200u /* per curve, once there are very many queues */
#define MANY_QUEUES 256u
#define SLOWDOWN_BOUND ((gint64) 10 * G_USEC_PER_SEC)

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y); /* equal values are the same number: any order will do */
}

RpQuantiles
rp_quantiles (GArray *values)
{
  RpQuantiles q = { .n = values->len };
  const double *v = (const double *) (gconstpointer) values->data;
  double sum = 0;

  if (values->len == 0)
    return q;
  g_array_sort (values, compare_doubles);
  for (guint i = 0; i < values->len; i++)
    sum += v[i];
  q.mean = sum / values->len;
#define RANK(p) v[((guint64) values->len * (p) + 99) / 100 - 1]
  q.p50 = RANK (50);
  q.p90 = RANK (90);
  q.p95 = RANK (95);
  q.p99 = RANK (99);
#undef RANK
  q.max = v[values->len - 1];
  return q;
}

static void
queue_free (gpointer data)
{
  RpQueueSum *q = data;

  g_free (q->name);
  g_array_unref (q->waits);
  g_array_unref (q->responses);
  g_array_unref (q->slowdowns);
  rp_topology_sum_clear (&q->topology);
  g_array_unref (q->raw_slowdowns);
  rp_curve_clear (&q->share_curve);
  rp_curve_clear (&q->deserved_curve);
  g_free (q->scheduler);
  g_free (q);
}

static void
count_free (gpointer data)
{
  RpCount *c = data;

  g_free (c->name);
  g_free (c);
}

static void
stuck_free (gpointer data)
{
  RpStuck *k = data;

  g_free (k->ns);
  g_free (k->job);
  g_free (k->queue);
  g_free (k->phase);
  g_free (k->reason);
  g_free (k);
}

void
rp_summary_init (RpSummary *s, const RpResource *res, guint n_res)
{
  *s = (RpSummary){ .n_res = n_res, .res = res, .first_submit = RP_NONE, .last_finish = RP_NONE };
  s->capacity = g_new0 (double, n_res);
  s->allocated = g_new0 (double, n_res);
  s->capacity_sum = g_new0 (double, n_res);
  s->allocated_sum = g_new0 (double, n_res);
  s->requested_max = g_new0 (double, n_res);
  s->allocated_max = g_new0 (double, n_res);
  s->capacity_max = g_new0 (double, n_res);
  s->used = g_new0 (double, n_res);
  s->wasted = g_new0 (double, n_res);
  s->assumed = g_array_new (FALSE, FALSE, sizeof (double));
  s->bound = g_array_new (FALSE, FALSE, sizeof (double));
  s->capacity_curve = g_new0 (RpCurve, n_res);
  s->allocated_curve = g_new0 (RpCurve, n_res);
  s->idle_curve = g_new0 (RpCurve, n_res);
  s->fragmented_curve = g_new0 (RpCurve, n_res);
  for (guint i = 0; i < n_res; i++) {
    rp_curve_init (&s->capacity_curve[i], CURVE_POINTS);
    rp_curve_init (&s->allocated_curve[i], CURVE_POINTS);
    rp_curve_init (&s->idle_curve[i], CURVE_POINTS);
    rp_curve_init (&s->fragmented_curve[i], CURVE_POINTS);
  }
  rp_curve_init (&s->waiting_curve, CURVE_POINTS);
  rp_curve_init (&s->running_curve, CURVE_POINTS);
  rp_curve_init (&s->finished_curve, CURVE_POINTS);
  s->queues = g_ptr_array_new_with_free_func (queue_free);
  s->queue_by_name = g_hash_table_new (g_str_hash, g_str_equal);
  s->phases = g_ptr_array_new_with_free_func (count_free);
  s->outcomes = g_ptr_array_new_with_free_func (count_free);
  s->reasons = g_ptr_array_new_with_free_func (count_free);
  s->stuck = g_ptr_array_new_with_free_func (stuck_free);
  rp_placement_init (&s->placement);
}

void
rp_summary_clear (RpSummary *s)
{
  for (guint i = 0; i < s->n_res; i++) {
    rp_curve_clear (&s->capacity_curve[i]);
    rp_curve_clear (&s->allocated_curve[i]);
    rp_curve_clear (&s->idle_curve[i]);
    rp_curve_clear (&s->fragmented_curve[i]);
  }
  rp_curve_clear (&s->waiting_curve);
  rp_curve_clear (&s->running_curve);
  rp_curve_clear (&s->finished_curve);
  g_free (s->capacity_curve);
  g_free (s->allocated_curve);
  g_free (s->idle_curve);
  g_free (s->fragmented_curve);
  g_free (s->capacity);
  g_free (s->allocated);
  g_free (s->capacity_sum);
  g_free (s->allocated_sum);
  g_free (s->requested_max);
  g_free (s->allocated_max);
  g_free (s->capacity_max);
  g_free (s->used);
  g_free (s->wasted);
  g_clear_pointer (&s->assumed, g_array_unref);
  g_clear_pointer (&s->bound, g_array_unref);
  g_clear_pointer (&s->queue_by_name, g_hash_table_unref);
  g_clear_pointer (&s->queues, g_ptr_array_unref);
  g_clear_pointer (&s->phases, g_ptr_array_unref);
  g_clear_pointer (&s->outcomes, g_ptr_array_unref);
  g_clear_pointer (&s->reasons, g_ptr_array_unref);
  g_clear_pointer (&s->stuck, g_ptr_array_unref);
  rp_placement_clear (&s->placement);
}

static RpCount *
count_find (const GPtrArray *counts, const char *name)
{
  for (guint i = 0; i < counts->len; i++) {
    RpCount *c = g_ptr_array_index (counts, i);

    if (strcmp (c->name, name) == 0)
      return c;
  }
  return NULL;
}

static void
count_up (GPtrArray *counts, const char *name)
{
  RpCount *c = count_find (counts, name);

  if (c == NULL) {
    c = g_new0 (RpCount, 1);
    c->name = g_strdup (name);
    g_ptr_array_add (counts, c);
  }
  c->n++;
}

/* ---- cycles and queues ---------------------------------------------------------------------- */

static void
integrate_cycles (RpSummary *s, gint64 to)
{
  const double dt = (double) (to - s->last_cycle);

  if (!s->any_cycle || dt <= 0)
    return;
  for (guint i = 0; i < s->n_res; i++) {
    s->capacity_sum[i] += s->capacity[i] * dt;
    s->allocated_sum[i] += s->allocated[i] * dt;
  }
  s->last_cycle = to;
}

void
rp_summary_cycle (RpSummary *s, const RpCycle *c)
{
  if (!s->any_cycle) {
    s->any_cycle = TRUE;
    s->first_cycle = s->last_cycle = c->time;
  }
  integrate_cycles (s, c->time);
  s->n_cycles++;
  s->binds += c->binds;
  s->evictions += c->evictions;
  s->discarded += c->discarded;
  if (c->pending > s->peak_pending) {
    s->peak_pending = c->pending;
    s->peak_time = c->time;
  }
  for (guint i = 0; i < s->n_res; i++) {
    const double f = s->res[i].divisor;

    s->capacity[i] = c->capacity[i];
    s->allocated[i] = c->allocated[i];
    s->capacity_max[i] = MAX (s->capacity_max[i], c->capacity[i]);
    s->allocated_max[i] = MAX (s->allocated_max[i], c->allocated[i]);
    s->requested_max[i] = MAX (s->requested_max[i], c->requested[i]);
    rp_curve_add (&s->capacity_curve[i], c->time, c->capacity[i] / f);
    rp_curve_add (&s->allocated_curve[i], c->time, c->allocated[i] / f);
    rp_curve_add (&s->idle_curve[i], c->time, c->idle[i] / f);
    rp_curve_add (&s->fragmented_curve[i], c->time, c->fragmented[i] / f);
  }
  rp_curve_add (&s->waiting_curve, c->time, c->jobs_waiting);
  rp_curve_add (&s->running_curve, c->time, c->jobs_running);
  rp_curve_add (&s->finished_curve, c->time, c->jobs_finished);
}

static RpQueueSum *
queue_get (RpSummary *s, const char *name)
{
  RpQueueSum *q = NULL;
  const guint guess = s->next_queue < s->queues->len ? s->next_queue : 0;

  if (guess < s->queues->len) {
    q = g_ptr_array_index (s->queues, guess);
    if (strcmp (q->name, name) == 0) {
      s->next_queue = guess + 1;
      return q;
    }
  }
  q = g_hash_table_lookup (s->queue_by_name, name);
  if (q == NULL) {
    const guint points = s->queues->len < MANY_QUEUES ? CURVE_POINTS : CURVE_POINTS_MANY;

    q = g_new0 (RpQueueSum, 1);
    q->name = g_strdup (name);
    q->waits = g_array_new (FALSE, FALSE, sizeof (double));
    q->responses = g_array_new (FALSE, FALSE, sizeof (double));
    q->slowdowns = g_array_new (FALSE, FALSE, sizeof (double));
    rp_topology_sum_init (&q->topology);
    q->raw_slowdowns = g_array_new (FALSE, FALSE, sizeof (double));
    rp_curve_init (&q->share_curve, points);
    rp_curve_init (&q->deserved_curve, points);
    g_ptr_array_add (s->queues, q);
    g_hash_table_insert (s->queue_by_name, q->name, q);
  }
  return q;
}

static void
integrate_queue (RpQueueSum *q, gint64 to)
{
  const double dt = (double) (to - q->last_time);

  if (!q->seen || dt <= 0)
    return;
  q->share_all += q->share * dt;
  if (q->active) {
    q->share_active += q->share * dt;
    q->weight_active += q->weight * dt;
    if (q->published) {
      q->share_published += q->share * dt;
      q->deserved_published += q->deserved_share * dt;
    }
  }
  q->last_time = to;
}

static double
dominant (const RpSummary *s, const double *amount, const double *capacity)
{
  double most = 0;

  for (guint i = 0; i < s->n_res; i++)
    if (capacity[i] > 0)
      most = MAX (most, amount[i] / capacity[i]);
  return most;
}

void
rp_summary_queue (RpSummary *s, const RpQueue *row, double *share, double *deserved_share)
{
  RpQueueSum *q = queue_get (s, row->queue);

  integrate_queue (q, row->time);
  q->seen = TRUE;
  q->last_time = row->time;
  q->active = row->pending_jobs > 0 || row->running_jobs > 0;
  for (guint i = 0; i < s->n_res && !q->active; i++)
    q->active = row->allocated[i] > 0;
  q->was_active |= q->active;
  q->weight = row->weight;
  q->share = *share = dominant (s, row->allocated, s->capacity);
  *deserved_share = row->deserved != NULL ? dominant (s, row->deserved, s->capacity) : (double) NAN;
  rp_curve_add (&q->share_curve, row->time, q->share);
  if (q->scheduler == NULL)
    q->scheduler = g_strdup (row->scheduler);
  if (g_strcmp0 (q->scheduler, row->scheduler) != 0)
    return; /* each scheduler has its own idea of it: that of the first one counts */
  q->published = row->deserved != NULL;
  q->deserved_share = *deserved_share;
  rp_curve_add (&q->deserved_curve, row->time, q->deserved_share);
}

double
rp_summary_rack (RpSummary *s, const RpRack *k)
{
  const double share = dominant (s, k->allocated, k->capacity);

  rp_placement_rack (&s->placement, k, share);
  return share;
}

void
rp_summary_end (RpSummary *s, gint64 end)
{
  s->end = end;
  integrate_cycles (s, end);
  rp_placement_end (&s->placement, end);
  for (guint i = 0; i < s->queues->len; i++)
    integrate_queue (g_ptr_array_index (s->queues, i), end);
}

/* ---- jobs and tasks ------------------------------------------------------------------------- */

static gboolean
is_stuck (const RpJob *j)
{
  static const char *const over[]
      = { "Completed", "Failed", "Terminated", "Aborted", "Deleted", "Rejected", NULL };

  if (j->to_come || j->finish != RP_NONE || g_strv_contains (over, j->phase))
    return FALSE;
  if (j->pods == 0)
    return FALSE; /* it wants none: a workload of size 0, or paused, a PodGroup without pods */
  return strcmp (j->phase, "Running") != 0 || strcmp (j->podgroup, "Pending") == 0
         || strcmp (j->podgroup, "Inqueue") == 0;
}

static void
add_stuck (RpSummary *s, const RpJob *j)
{
  const char *cause = j->cause != NULL ? j->cause : "", *by = j->by != NULL ? j->by : "";
  g_autofree char *words = *cause != '\0' ? rp_blame_words (cause, by, "") : g_strdup_printf ("it has begun, and its PodGroup is %s", *j->podgroup != '\0' ? j->podgroup : "missing");
  const char *reason = j->reason != NULL && j->reason[0] != '\0' ? j->reason : words; /* no node has been asked, or none has said no */

  s->n_stuck++;
  if (s->reasons->len >= RP_REASONS_COUNTED && count_find (s->reasons, reason) == NULL)
    count_up (s->reasons, "(other reasons)");
  else
    count_up (s->reasons, reason);
  if (s->stuck->len < RP_STUCK_LISTED) {
    RpStuck *k = g_new0 (RpStuck, 1);

    k->ns = g_strdup (j->ns);
    k->job = g_strdup (j->job);
    k->queue = g_strdup (j->queue);
    k->phase = g_strdup (j->phase);
    k->reason = g_strdup (reason);
    k->submit = j->submit;
    g_ptr_array_add (s->stuck, k);
  }
}

/* Response over run; NaN when it did not finish, never started or ran for no time. */
static double
raw_slowdown (const RpJob *j)
{
  if (j->submit == RP_NONE || j->finish == RP_NONE || j->run == RP_NONE || j->run == 0)
    return (double) NAN;
  return (double) (j->finish - j->submit) / (double) j->run;
}

void
rp_deadlines_add (RpDeadlines *d, const RpJob *j)
{
  if (!j->has_deadline)
    return;
  d->jobs++;
  if (j->finish == RP_NONE)
    return;
  if (strcmp (j->phase, "Completed") == 0 && j->finish <= j->deadline)
    d->met++;
  else
    d->late++;
}

RpDeadlines
rp_summary_all_deadlines (const RpSummary *s)
{
  RpDeadlines all = { 0 };

  for (guint i = 0; i < s->queues->len; i++) {
    const RpQueueSum *q = g_ptr_array_index (s->queues, i);

    all.jobs += q->deadlines.jobs;
    all.met += q->deadlines.met;
    all.late += q->deadlines.late;
  }
  return all;
}

void
rp_summary_job (RpSummary *s, const RpJob *j)
{
  RpQueueSum *q = queue_get (s, j->queue);
  double v;

  s->n_jobs++;
  q->jobs++;
  q->evictions += j->evictions;
  count_up (s->phases, j->to_come ? "(to come)" : j->phase);
  rp_topology_sum_add (&q->topology, j);
  rp_deadlines_add (&q->deadlines, j);
  rp_placement_job (&s->placement, j);
  if (j->submit != RP_NONE && (s->first_submit == RP_NONE || j->submit < s->first_submit))
    s->first_submit = j->submit;
  if (j->gang_start != RP_NONE) {
    q->started++;
    if (j->submit != RP_NONE) {
      v = (double) (j->gang_start - j->submit) / G_USEC_PER_SEC;
      g_array_append_val (q->waits, v);
    }
  }
  if (j->finish != RP_NONE) {
    q->finished++;
    if (s->last_finish == RP_NONE || j->finish > s->last_finish)
      s->last_finish = j->finish;
    if (j->submit != RP_NONE) {
      v = (double) (j->finish - j->submit) / G_USEC_PER_SEC;
      g_array_append_val (q->responses, v);
    }
    v = rp_job_slowdown (j);
    if (!isnan (v))
      g_array_append_val (q->slowdowns, v);
    v = raw_slowdown (j);
    if (!isnan (v))
      g_array_append_val (q->raw_slowdowns, v);
  }
  for (guint i = 0; i < s->n_res; i++) {
    s->used[i] += j->used[i];
    s->wasted[i] += j->wasted[i];
  }
  if (is_stuck (j))
    add_stuck (s, j);
}

double
rp_job_slowdown (const RpJob *j)
{
  if (j->submit == RP_NONE || j->finish == RP_NONE || j->run == RP_NONE)
    return (double) NAN;
  return MAX (1.0, (double) (j->finish - j->submit) / (double) MAX (j->run, SLOWDOWN_BOUND));
}

static void
add_duration (GArray *values, gint64 from, gint64 to)
{
  if (from == RP_NONE || to == RP_NONE)
    return;
  double seconds = (double) (to - from) / 1e6;

  g_array_append_val (values, seconds);
}

void
rp_summary_task (RpSummary *s, const RpTask *t)
{
  s->n_tasks++;
  count_up (s->outcomes, t->outcome);
  add_duration (s->assumed, t->created, t->assumed);
  add_duration (s->bound, t->created, t->bound);
}

/* ---- figures -------------------------------------------------------------------------------- */

double
rp_summary_fair_x (const RpQueueSum *q, RpFairBasis basis)
{
  if (!q->was_active)
    return (double) NAN;
  if (basis == RP_FAIR_DESERVED)
    return q->deserved_published > 0 ? q->share_published / q->deserved_published : (double) NAN;
  return q->weight_active > 0 ? q->share_active / q->weight_active : (double) NAN;
}

RpFairness
rp_summary_fairness (const RpSummary *s)
{
  RpFairness f = { .jain = (double) NAN, .basis = RP_FAIR_DESERVED };
  double sum = 0, squares = 0;

  for (guint i = 0; i < s->queues->len; i++) {
    const RpQueueSum *q = g_ptr_array_index (s->queues, i);

    if (q->was_active && !(q->deserved_published > 0))
      f.basis = RP_FAIR_WEIGHT;
  }
  for (guint i = 0; i < s->queues->len; i++) {
    const double x = rp_summary_fair_x (g_ptr_array_index (s->queues, i), f.basis);

    if (isnan (x))
      continue;
    f.n++;
    sum += x;
    squares += x * x;
  }
  if (f.n == 0)
    f.basis = RP_FAIR_NONE;
  if (squares > 0)
    f.jain = sum * sum / (f.n * squares);
  return f;
}

double
rp_summary_utilisation (const RpSummary *s, guint res)
{
  return s->capacity_sum[res] > 0 ? s->allocated_sum[res] / s->capacity_sum[res] : (double) NAN;
}

double
rp_summary_goodput (const RpSummary *s, guint res)
{
  return s->used[res] > 0 ? 1 - s->wasted[res] / s->used[res] : (double) NAN;
}

gint64
rp_summary_makespan (const RpSummary *s)
{
  return s->last_finish == RP_NONE || s->first_submit == RP_NONE ? RP_NONE
                                                                 : s->last_finish - s->first_submit;
}

static int
by_queue_name (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(RpQueueSum *const *) a)->name, (*(RpQueueSum *const *) b)->name);
}

static int
by_count_name (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(RpCount *const *) a)->name, (*(RpCount *const *) b)->name);
}

static int
by_count (gconstpointer a, gconstpointer b)
{
  const RpCount *x = *(RpCount *const *) a, *y = *(RpCount *const *) b;

  return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : strcmp (x->name, y->name);
}

static GPtrArray *
sorted_copy (const GPtrArray *from, GCompareFunc compare)
{
  GPtrArray *out = g_ptr_array_new ();

  for (guint i = 0; i < from->len; i++)
    g_ptr_array_add (out, g_ptr_array_index (from, i));
  g_ptr_array_sort (out, compare);
  return out;
}

GPtrArray *
rp_summary_queues_sorted (const RpSummary *s)
{
  return sorted_copy (s->queues, by_queue_name);
}
GPtrArray *
rp_summary_reasons_sorted (const RpSummary *s)
{
  return sorted_copy (s->reasons, by_count);
}
GPtrArray *
rp_counts_sorted (const GPtrArray *counts)
{
  return sorted_copy (counts, by_count_name);
}

GArray *
rp_summary_all_values (const RpSummary *s, gsize offset)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; i < s->queues->len; i++) {
    const GArray *some = G_STRUCT_MEMBER (GArray *, g_ptr_array_index (s->queues, i), offset);

    if (some->len > 0)
      g_array_append_vals (all, some->data, some->len);
  }
  return all;
}

void
rp_summary_all_topology (const RpSummary *s, RpTopologySum *out)
{
  rp_topology_sum_init (out);
  for (guint i = 0; i < s->queues->len; i++)
    rp_topology_sum_merge (out, &((const RpQueueSum *) g_ptr_array_index (s->queues, i))->topology);
}
