/* x-fcfs, x-easy - first come first served, and EASY backfill.
 *
 * Policy of x-fcfs: jobs start in their order (waiting.h). The first that does not fit waits, and all others wait behind it.
 * Policy of x-easy: that first one gets a reservation at the earliest time at which enough is free by the requested times of what runs. A job behind
 * it starts if it fits now and either ends by then, or needs no more than what the first one leaves free at that time. With `protect: false` a job
 * behind starts whenever it fits.
 *
 * Sums of resources decide about time, nodes about the start: a job that fits the sums but not the nodes waits as if it did not fit. A job without a
 * requested time counts as one that never ends. Jobs whose time is over but which still run count as ending at the next moment.
 *
 * Example, 4 processors: A (2, until 10) runs, the first one B needs 4, so B is promised time 10 and leaves 0. C (2 for 8) starts at 1, for it ends
 * at 9; D (2 for 10) does not.
 *
 * Lifka: The ANL/IBM SP scheduling system (1995). Not Volcano's. */
#include "beyond.h"
#include "waiting.h"

const VcArgSpec vc_x_fcfs_args[] = { { NULL, VC_ARG_ANY, NULL } };
const VcArgSpec vc_x_easy_args[] = {
  { "protect", VC_ARG_BOOL, "keep the reservation of the first job that waits (default true); false: whatever fits starts" },
  { NULL, VC_ARG_ANY, NULL },
};

/* ---- what ends when --------------------------------------------------------------------------- */

typedef struct {
  gint64 end;          /* G_MAXINT64: nobody knows */
  gint64 submitted;
  guint32 place;
  const VcRes *held;
} Ending;

static int
by_end (gconstpointer a, gconstpointer b)
{
  const Ending *l = a, *r = b;

  if (l->end != r->end)
    return l->end < r->end ? -1 : 1;
  if (l->submitted != r->submitted)
    return l->submitted < r->submitted ? -1 : 1;
  return l->place < r->place ? -1 : l->place > r->place;
}

static gint64
plus (gint64 time, gint64 more)
{
  return more >= G_MAXINT64 - MAX (time, 0) ? G_MAXINT64 : time + more;
}

/* Ends of all that holds something, earliest first; those of one time by submission. */
static GArray *
endings (VcSession *ssn, const GArray *admitted)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Ending));

  for (guint i = 0; i < ssn->n_jobs; i++) {
    const VcJob *j = &ssn->cluster->job[ssn->jobs[i]];
    VcOutlook o;
    VcProgress p;

    if (vc_job_allocated_num (j) == 0)
      continue;
    vc_session_outlook (ssn, ssn->jobs[i], &o);
    vc_session_progress (ssn, ssn->jobs[i], &p);
    gint64 begun = p.started >= 0 ? p.started : ssn->now;
    Ending e = { MAX (plus (begun, o.walltime >= 0 ? o.walltime : G_MAXINT64), ssn->now + 1), o.submitted, o.place, j->allocated };

    g_array_append_val (all, e);
  }
  g_array_append_vals (all, admitted->data, admitted->len);
  g_array_sort (all, by_end);
  return all;
}

/* When @need is free, and into @spare what is free besides at that time. @admitted: what holds nothing yet but is as good as started. */
static gint64
reserve (VcSession *ssn, const GArray *admitted, const VcRes *need, const VcRes *free_now, VcRes *spare)
{
  g_autoptr (GArray) ends = endings (ssn, admitted);
  gint64 when = G_MAXINT64;

  vc_res_copy (spare, free_now);
  for (guint i = 0; i < ends->len && when == G_MAXINT64; i++) {
    const Ending *e = &g_array_index (ends, Ending, i);

    for (guint d = 0; d < spare->n; d++)
      spare->v[d] += e->held->v[d];
    if (vc_waiting_fits (need, spare))
      when = e->end;
  }
  for (guint d = 0; d < spare->n; d++)
    spare->v[d] = MAX (spare->v[d] - need->v[d], 0);
  return when;
}

/* ---- the two actions -------------------------------------------------------------------------- */

static void
take (VcRes *from, const VcRes *need)
{
  for (guint d = 0; d < from->n; d++)
    from->v[d] -= need->v[d];
}

/* Jobs in their order until one does not fit: TRUE, and that one is @head. Those whose pods are yet to come are added to @admitted. */
static gboolean
start_in_order (VcSession *ssn, VcStatement *st, GArray *waiting, VcRes *free_sum, GArray *admitted, VcWaiting *head)
{
  while (vc_waiting_pop (ssn, waiting, head)) {
    VC_RES_LOCAL (need, free_sum->n);

    vc_res_copy (need, vc_waiting_need (ssn, head)); /* the job's sums change as it starts */
    if (!vc_waiting_fits (need, free_sum))
      return TRUE;
    VcStart start = vc_waiting_start (ssn, st, head);

    if (start == VC_START_REFUSED)
      return TRUE;
    if (start == VC_START_ADMITTED) {
      Ending e = { plus (ssn->now, head->walltime), head->submitted, head->place, vc_waiting_need (ssn, head) };

      g_array_append_val (admitted, e);
    }
    take (free_sum, need);
  }
  return FALSE;
}

/* Those that could start now at all, in their order: only these are worth sorting. */
static void
keep_fitting (VcSession *ssn, GArray *waiting, const VcRes *free_sum)
{
  guint kept = 0;

  for (guint i = 0; i < waiting->len; i++)
    if (vc_waiting_fits (vc_waiting_need (ssn, &g_array_index (waiting, VcWaiting, i)), free_sum))
      g_array_index (waiting, VcWaiting, kept++) = g_array_index (waiting, VcWaiting, i);
  g_array_set_size (waiting, kept);
  vc_waiting_sort (ssn, waiting);
}

static void
backfill (VcSession *ssn, VcStatement *st, GArray *waiting, VcRes *free_sum, const GArray *admitted, const VcWaiting *head, gboolean protect)
{
  VC_RES_LOCAL (spare, free_sum->n);
  VC_RES_LOCAL (need, free_sum->n);
  gint64 promised = G_MAXINT64;

  keep_fitting (ssn, waiting, free_sum);
  if (waiting->len > 0 && protect)
    promised = reserve (ssn, admitted, vc_waiting_need (ssn, head), free_sum, spare);
  for (guint i = 0; i < waiting->len; i++) {
    const VcWaiting *x = &g_array_index (waiting, VcWaiting, i);

    vc_res_copy (need, vc_waiting_need (ssn, x));
    gboolean in_time = !protect || promised == G_MAXINT64 || plus (ssn->now, x->walltime) <= promised;

    if (!vc_waiting_fits (need, free_sum) || (!in_time && !vc_waiting_fits (need, spare)) || vc_waiting_start (ssn, st, x) == VC_START_REFUSED)
      continue;
    take (free_sum, need);
    if (!in_time)
      take (spare, need);
  }
}

static void
run (VcSession *ssn, gboolean fill, gboolean protect)
{
  g_autoptr (GArray) waiting = vc_waiting_new (ssn);
  g_autoptr (VcStatement) st = vc_statement_new (ssn);
  g_autoptr (GArray) admitted = g_array_new (FALSE, FALSE, sizeof (Ending));
  VC_RES_LOCAL (free_sum, ssn->cluster->n_res);
  VcWaiting head;

  vc_waiting_free_sum (ssn, free_sum);
  if (start_in_order (ssn, st, waiting, free_sum, admitted, &head) && fill)
    backfill (ssn, st, waiting, free_sum, admitted, &head, protect);
}

static void
run_fcfs (VcSession *ssn)
{
  run (ssn, FALSE, TRUE);
}

static void
run_easy (VcSession *ssn)
{
  gboolean protect = TRUE;

  vc_args_get_bool (vc_conf_action_args (ssn->engine->conf, "x-easy"), "protect", &protect);
  run (ssn, TRUE, protect);
}

const VcActionClass vc_action_x_fcfs = { .name = "x-fcfs", .summary = VC_X_FCFS_SUMMARY, .args = vc_x_fcfs_args, .run = run_fcfs };
const VcActionClass vc_action_x_easy = { .name = "x-easy", .summary = VC_X_EASY_SUMMARY, .args = vc_x_easy_args, .run = run_easy };
