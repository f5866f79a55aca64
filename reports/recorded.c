#include "reports/recorded.h"
#include <math.h>
#include <string.h>

/* ---- which jobs ---------------------------------------------------------------------------------- */

static char *
key_of (const char *ns, const char *job)
{
  return g_strconcat (ns, "/", job, NULL);
}

/* RpRecorded * by "namespace/job", for look-ups only; those that tell something. */
static GHashTable *
index_of (const RpRunData *d)
{
  GHashTable *by_name = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < d->recorded->len; i++) {
    RpRecorded *r = &g_array_index (d->recorded, RpRecorded, i);

    if (r->wait != RP_NONE || r->start != RP_NONE)
      g_hash_table_insert (by_name, key_of (r->ns, r->job), r);
  }
  return by_name;
}

static const RpRecorded *
record_of (GHashTable *by_name, const RpJob *j)
{
  g_autofree char *key = key_of (j->ns, j->job);

  return g_hash_table_lookup (by_name, key);
}

void
rp_recorded_keep (RpRunData *d)
{
  g_autoptr (GHashTable) by_name = index_of (d);
  guint kept = 0, seen = 0;

  for (guint i = 0; i < d->jobs->len; i++) {
    const RpJob *j = &g_array_index (d->jobs, RpJob, i);

    if (strcmp (j->phase, "Rejected") == 0 || j->submit == RP_NONE || j->submit > d->end)
      continue; /* no figure counts it */
    seen++;
    if (record_of (by_name, j) != NULL)
      g_array_index (d->jobs, RpJob, kept++) = *j;
  }
  g_array_set_size (d->jobs, kept);
  d->left_out = seen - kept;
}

/* ---- as a run ------------------------------------------------------------------------------------- */

/* One job takes its amounts, or gives them back. */
typedef struct {
  gint64 time;
  const double *amount;
  int sign;
  guint order;
} Change;

static int
by_time (gconstpointer a, gconstpointer b)
{
  const Change *l = a, *r = b;

  if (l->time != r->time)
    return l->time < r->time ? -1 : 1;
  return l->order < r->order ? -1 : l->order > r->order; /* sums of doubles are made in one order */
}

/* What all its pods ask for: the gang's part is known, and pods beyond it are like them. */
static const double *
request_of (RpRunData *out, const RpJob *j)
{
  double *amount = vc_arena_new0 (out->arena, double, out->n_res + 1);

  for (guint d = 0; d < out->n_res && j->least != NULL; d++)
    amount[d] = j->least[d] * (j->min_available > 0 ? (double) j->pods / j->min_available : 1);
  return amount;
}

static gint64
submit_of (const RpJob *j, const RpRecorded *r)
{
  return r->submit != RP_NONE ? r->submit : j->submit;
}

static gint64
start_of (const RpJob *j, const RpRecorded *r)
{
  return r->start != RP_NONE ? r->start : submit_of (j, r) + r->wait;
}

/* An end that is not recorded: the job takes as long as in the run, if it has ended there. RP_NONE: nobody knows. */
static gint64
end_of (const RpJob *j, const RpRecorded *r)
{
  gint64 start = start_of (j, r);

  return r->end != RP_NONE ? MAX (r->end, start) : j->run != RP_NONE ? start + MAX (j->run, 0) : RP_NONE;
}

/* What the record tells of @j, until @stop; its times of running go to @changes. */
static RpJob
job_of (RpRunData *out, const RpJob *j, const RpRecorded *r, gint64 stop, GArray *changes)
{
  gint64 submit = submit_of (j, r), start = start_of (j, r), end = end_of (j, r);
  const double *request = request_of (out, j);
  double *used = vc_arena_new0 (out->arena, double, out->n_res + 1);
  RpJob row = *j;

  row.submit = submit;
  if (j->has_deadline)
    row.deadline = submit + (j->deadline - j->submit);
  row.inqueue = row.first_bind = row.gang_start = row.finish = row.run = RP_NONE;
  row.phase = row.podgroup = row.reason = row.cause = row.by = "";
  row.evictions = r->evictions;
  row.restarts = row.missing = 0;
  row.lost = 0;
  row.hyper_node = NULL;
  row.used = used;
  row.wasted = NULL;
  if (start > stop)
    return row;
  row.gang_start = r->wait != RP_NONE ? submit + r->wait : start;
  if (r->end != RP_NONE && end <= stop) {
    row.finish = end;
    row.phase = "Completed";
    row.run = end - start;
  }
  end = end != RP_NONE ? MIN (end, stop) : stop;
  for (guint d = 0; d < out->n_res; d++)
    used[d] = request[d] * (double) (end - start) / 1e6;
  Change begins = { start, request, 1, changes->len }, ends = { end, request, -1, changes->len + 1 };

  g_array_append_val (changes, begins);
  g_array_append_val (changes, ends);
  return row;
}

/* Rows of cycles.csv: the cluster's capacity as in @d, and what is allocated of it by the record. */
static void
add_cycles (RpRunData *out, const RpRunData *d, GArray *changes)
{
  double *allocated = vc_arena_new0 (out->arena, double, out->n_res + 1);
  guint i = 0, k = 0;

  g_array_sort (changes, by_time);
  for (;;) {
    gint64 time = MIN (i < changes->len ? g_array_index (changes, Change, i).time : G_MAXINT64,
                       k < d->cycles->len ? g_array_index (d->cycles, RpCycle, k).time : G_MAXINT64);

    if (time > out->end || time == G_MAXINT64)
      return;
    double *now = vc_arena_new0 (out->arena, double, out->n_res + 1);

    memcpy (now, allocated, out->n_res * sizeof *now);
    for (; i < changes->len && g_array_index (changes, Change, i).time == time; i++)
      for (guint r = 0; r < out->n_res; r++)
        now[r] += g_array_index (changes, Change, i).sign * g_array_index (changes, Change, i).amount[r];
    while (k < d->cycles->len && g_array_index (d->cycles, RpCycle, k).time == time)
      k++;
    const double *capacity = d->cycles->len > 0 ? g_array_index (d->cycles, RpCycle, MAX (k, 1) - 1).capacity : NULL;
    RpCycle row = { .time = time, .allocated = now, .capacity = capacity, .e2e = RP_NONE };

    g_array_append_val (out->cycles, row);
    allocated = now;
  }
}

RpRunData *
rp_recorded_run (const RpRunData *d)
{
  RpRunData *out = rp_run_data_new ("");
  g_autoptr (GHashTable) by_name = index_of (d);
  g_autoptr (GArray) changes = g_array_new (FALSE, FALSE, sizeof (Change));
  gboolean stopped = d->until != RP_NONE && d->end >= d->until;
  gint64 stop = d->end;

  out->is_record = TRUE;
  out->left_out = d->left_out;
  out->n_res = d->n_res;
  out->resource = d->resource;
  out->n_extra = d->n_extra;
  out->extra = d->extra;
  for (guint i = 0; i < d->jobs->len && !stopped; i++) {
    const RpJob *j = &g_array_index (d->jobs, RpJob, i);
    const RpRecorded *r = record_of (by_name, j);

    stop = MAX (stop, MAX (start_of (j, r), end_of (j, r))); /* RP_NONE is below all */
  }
  out->end = 0;
  for (guint i = 0; i < d->jobs->len; i++) {
    const RpJob *j = &g_array_index (d->jobs, RpJob, i);
    RpJob row = job_of (out, j, record_of (by_name, j), stop, changes);

    g_array_append_val (out->jobs, row);
  }
  for (guint i = 0; i < changes->len; i++)
    out->end = MAX (out->end, g_array_index (changes, Change, i).time);
  out->end = stopped ? stop : out->end;
  add_cycles (out, d, changes);
  out->until = d->until;
  out->period = d->period;
  out->jain = (double) NAN;
  out->summary = g_strdup (d->summary);
  out->version = d->version;
  out->conf_digest = out->command = "";
  return out;
}

static char *
words_of (gint64 start)
{
  return start != RP_NONE ? g_strdup_printf ("at %.15g s", (double) start / 1e6) : g_strdup ("never");
}

char *
rp_recorded_parting (const RpRunData *record, const RpRunData *d, const char *label)
{
  const RpJob *first = NULL, *recorded = NULL;
  g_autoptr (GHashTable) by_name = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL); /* for look-ups only */
  gint64 time = G_MAXINT64;

  for (guint i = 0; i < d->jobs->len; i++) {
    RpJob *j = &g_array_index (d->jobs, RpJob, i);

    g_hash_table_insert (by_name, key_of (j->ns, j->job), j);
  }
  for (guint i = 0; i < record->jobs->len; i++) {
    const RpJob *a = &g_array_index (record->jobs, RpJob, i);
    g_autofree char *key = key_of (a->ns, a->job);
    const RpJob *b = g_hash_table_lookup (by_name, key);
    gint64 from = a->gang_start != RP_NONE ? a->gang_start : G_MAXINT64, to = b != NULL && b->gang_start != RP_NONE ? b->gang_start : G_MAXINT64;

    if (b != NULL && from != to
 && MIN (from, to) < time) {
      time = MIN (from, to);
      recorded = a;
      first = b;
    }
  }
  if (first == NULL)
    return g_strdup_printf ("%s starts every job when the record does\n", label);
  g_autofree char *was = words_of (recorded->gang_start), *is = words_of (first->gang_start);

  return g_strdup_printf ("the first job that starts at another time than recorded: %s/%s, recorded %s, in %s %s\n", first->ns, first->job, was, label, is);
}
