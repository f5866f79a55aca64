/* reports/diagnose/diagnose-waits.c - jobs that starve: others pass them, their share is never enough, or the room that is idle cannot be used. */
#include "diagnose-private.h"
#include "reports/words.h"
#include <math.h>
#include <string.h>

#define LONG 300000000     /* µs from which on a wait is called starving */
#define PASSED_LOWER 5u    /* jobs of lower priority that passed it */
#define VERY_LONG 1800000000 /* µs: and when those that pass it have the same priority, */
#define PASSED_EQUAL 50u   /* so many, which took ten times its own need, and waited a tenth of its time */

/* ---- those that passed ---------------------------------------------------------------------------- */

typedef struct {
  guint n, lower, lower_here, elsewhere, best_effort; /* submitted later, not of higher priority, started before: all; of lower priority, and of its own queue among them; of other queues; without requests */
  guint first, example[3];
  gint64 waited;          /* on average */
  double amount;          /* they took of what it is short of, in the multiple of its own need */
} Passers;

/* The resource of which it needs the largest part of the cluster. */
static guint
scarcest (const RpCase *c, const RpWaiter *w)
{
  const RpJob *j = rp_case_row (c, w->job);
  const RpCycle *cycle = rp_case_cycle_at (c, rp_waiter_at (w));
  guint best = RP_NOBODY;
  double most = 0;

  for (guint k = 0; k < c->d->n_res && j->least != NULL && cycle != NULL && cycle->capacity != NULL; k++) {
    double part = cycle->capacity[k] > 0 ? j->least[k] / cycle->capacity[k] : 0;

    if (part > most) {
      most = part;
      best = k;
    }
  }
  return best;
}

static gboolean
asks_for_nothing (const RpCase *c, const RpJob *j)
{
  for (guint k = 0; k < c->d->n_res && j->pod != NULL; k++)
    if (j->pod[k] > 0 && strcmp (c->d->resource[k], "pods") != 0)
      return FALSE;
  return TRUE;
}

static void
find_passers (const RpCase *c, const RpWaiter *w, Passers *p)
{
  const RpJob *j = rp_case_row (c, w->job);
  gint64 until = rp_case_wait_end (c, w->job);
  guint dim = scarcest (c, w), low = 0, high = c->d->jobs->len;

  *p = (Passers) { .first = RP_NOBODY };
  if (dim == RP_NOBODY)
    return;
  while (low < high) { /* the first that came later */
    guint middle = (low + high) / 2;

    if (rp_case_row (c, c->by_submit[middle])->submit <= j->submit)
      low = middle + 1;
    else
      high = middle;
  }
  for (guint i = low; i < c->d->jobs->len; i++) {
    guint other = c->by_submit[i];
    const RpJob *o = rp_case_row (c, other);

    if (o->submit >= until)
      break;
    if (o->gang_start == RP_NONE || o->gang_start >= until || o->priority > j->priority || o->least == NULL || !(o->least[dim] > 0)
        || !rp_case_share_nodes (c, other, w->job))
      continue;
    if (p->first == RP_NOBODY || o->gang_start < rp_case_row (c, p->first)->gang_start)
      p->first = other;
    if (p->n < G_N_ELEMENTS (p->example))
      p->example[p->n] = other;
    p->n++;
    gboolean here = g_array_index (c->job, RpCaseJob, other).queue == w->queue;

    p->waited += (o->gang_start - o->submit - p->waited) / p->n;
    p->lower += o->priority < j->priority;
    p->lower_here += here && o->priority < j->priority;
    p->elsewhere += !here;
    p->best_effort += asks_for_nothing (c, o);
    p->amount += o->least[dim] / j->least[dim];
  }
}

static gboolean
is_share (const RpWaiter *w)
{
  return strcmp (w->cause, "quota") == 0 || strcmp (w->cause, "overused") == 0;
}

static char *
eviction_actions (const RpCase *c, gboolean backfill_first)
{
  GString *out = g_string_new ("allocate");

  g_string_append (out, backfill_first ? ", backfill, preempt" : ", preempt, backfill");
  if (rp_case_reclaims (c) != NULL)
    g_string_append_printf (out, ", %s", rp_case_reclaims (c));
  return g_string_free (out, FALSE);
}

static gboolean
find_starving (RpCase *c, const RpWaiter *w)
{
  const RpJob *j = rp_case_row (c, w->job);
  Passers p;

  if (!w->forever && w->wait < LONG)
    return FALSE;
  find_passers (c, w, &p);
  gboolean other_queues = is_share (w) && 2 * p.elsewhere > p.n;
  gboolean equals = p.n - p.elsewhere >= PASSED_EQUAL && p.amount >= 10 && p.waited < w->wait / 10 && (w->forever || w->wait >= VERY_LONG) && !is_share (w);

  if ((other_queues ? p.lower : p.lower_here) < PASSED_LOWER && !equals)
    return FALSE; /* what other queues start is their share */
  g_autofree char *name = rp_job_name (c, w->job), *wait = rp_wait_words (w->wait, w->forever), *first = rp_job_name (c, p.example[0]);
  g_autofree char *second = p.n > 1 ? rp_job_name (c, p.example[1]) : NULL;
  const RpJob *ahead = rp_case_row (c, p.first);
  RpDiagnosis *x = rp_case_add (c, "starving-job", "g10-big-gang-starves", ahead->gang_start, w->job);

  x->what = g_strdup_printf ("job '%s' (priority %d, %u pod%s at once) waits %s, while %u jobs that came later and are of no higher priority start before it: '%s'%s%s%s%s "
                             "(%u of lower priority, %u in other queues)",
                             name, j->priority, MAX (j->min_available, 1), j->min_available > 1 ? "s" : "", wait, p.n, first, second != NULL ? ", '" : "", second != NULL ? second : "",
                             second != NULL ? "'" : "", p.n > 2 ? " …" : "", p.lower, p.elsewhere);
  if (2 * p.best_effort > p.n) {
    g_autofree char *actions = eviction_actions (c, TRUE);

    x->entry = "g42-besteffort-takes-pod-slots";
    x->advice = g_strdup_printf ("backfill gives the places of pods to jobs without requests while the gang waits for enough of them: let it evict them, with backfill "
                                 "first: actions: \"%s\"",
                                 actions);
  } else if (other_queues) {
    const RpQuota *quota = rp_case_quota_at (c, w->queue, w->from);

    x->entry = "g60-priority-across-queues";
    x->advice = g_strdup_printf ("priorities count among the jobs of one queue only, and queue '%s' has used up its share (%s): give urgent work a queue of its own "
                                 "with a large weight (%d) or deserved amount",
                                 j->queue, w->by, MAX (10, 10 * (quota != NULL ? quota->weight : 1)));
  } else {
    g_autofree char *actions = eviction_actions (c, FALSE);

    x->advice = rp_case_preempts (c) == NULL || rp_case_action (c, "enqueue") >= 0
                    ? g_strdup_printf ("nothing is kept free for a gang: let it evict, and do not ask for admission before: actions: \"%s\" (without enqueue)%s", actions,
                                       p.lower == 0 ? ", with a higher priority for it" : "")
                    : g_strdup ("preempt does not find victims for it: look at why those who passed it may not be evicted");
  }
  rp_figure (x, "wait_s", w->forever ? (double) NAN : (double) w->wait / 1e6);
  rp_figure (x, "passed_by", p.n);
  rp_figure (x, "passed_by_lower_priority", p.lower);
  rp_figure (x, "passed_by_other_queues", p.elsewhere);
  return TRUE;
}

/* ---- gangs that lost a pod ---------------------------------------------------------------------- */

/* It runs with fewer pods than its minimum, and others that came later have the room. */
static void
find_broken_gangs (RpCase *c)
{
  const VcPluginOption *drf = rp_case_plugin (c, "drf", NULL);

  for (guint i = 0; i < c->d->jobs->len; i++) {
    const RpJob *j = rp_case_row (c, i);
    const GArray *waits = g_array_index (c->job, RpCaseJob, i).waits;
    gint64 since = RP_NONE;
    guint running = 0, by = RP_NOBODY, n = 0;

    if (j->gang_start == RP_NONE || *j->cause == '\0' || j->min_available < 2 || waits == NULL || drf == NULL || !drf->on[VC_FLAG_JOB_ORDER])
      continue;
    for (guint k = waits->len; k-- > 0;) { /* the last wait, back to where it began */
      const RpWait *w = &g_array_index (c->d->waits, RpWait, g_array_index (waits, guint, k));

      if (!w->again || (since != RP_NONE && w->to != since))
        break;
      since = w->from;
    }
    if (since == RP_NONE)
      continue;
    for (guint k = 0; k < c->d->tasks->len; k++) {
      const RpTask *t = &g_array_index (c->d->tasks, RpTask, k);

      running += strcmp (t->job, j->job) == 0 && strcmp (t->ns, j->ns) == 0 && strcmp (t->outcome, "Running") == 0;
    }
    if (running == 0 || running >= j->min_available)
      continue;
    for (guint k = 0; k < c->d->jobs->len; k++) {
      const RpJob *o = rp_case_row (c, k);

      if (k == i || o->submit <= j->submit || o->priority > j->priority || o->gang_start == RP_NONE || o->gang_start <= since
          || g_array_index (c->job, RpCaseJob, k).queue != g_array_index (c->job, RpCaseJob, i).queue || !rp_case_share_nodes (c, i, k))
        continue;
      if (by == RP_NOBODY || o->gang_start < rp_case_row (c, by)->gang_start)
        by = k;
      n++;
    }
    if (by == RP_NOBODY)
      continue;
    gboolean settled = c->d->until == RP_NONE || c->d->end < c->d->until;

    if (!settled && c->d->end - rp_case_row (c, by)->gang_start < LONG)
      continue;
    g_autofree char *name = rp_job_name (c, i), *passer = rp_job_name (c, by), *lost = rp_span ((double) since / 1e6);
    RpDiagnosis *x = rp_case_add (c, "gang-one-short", "g11-gang-one-short", rp_case_row (c, by)->gang_start, i);

    x->what = g_strdup_printf ("job '%s' lost a pod %s after the start and runs with %u of the %u pods that it needs, its work standing still; %u job%s that came later "
                               "(first '%s') got the room instead",
                               name, lost, running, j->min_available, n, n == 1 ? "" : "s", passer);
    x->advice = g_strdup ("drf serves jobs that hold less before it completes a gang: leave out drf, or switch off its order of jobs (enableJobOrder: false)");
    rp_figure (x, "running", running);
    rp_figure (x, "min_available", j->min_available);
    rp_figure (x, "passed_by", n);
    c->explained[i] = TRUE;
  }
}

/* ---- idle room ---------------------------------------------------------------------------------- */

/* Its queue may not take it although the nodes have room: the share is smaller than the job. */
static gboolean
find_small_share (RpCase *c, const RpWaiter *w)
{
  const RpJob *j = rp_case_row (c, w->job);
  const RpQuota *quota = rp_case_quota_at (c, w->queue, w->from);
  const char *plugin = rp_case_queue_plugin (c);
  const RpCycle *cycle = rp_case_cycle_at (c, w->to);

  if (!is_share (w) || (!w->forever && w->wait < LONG) || plugin == NULL || strcmp (w->by, plugin) != 0 || !rp_nearly_always (w->room.fits, w->room.asked) || quota == NULL || cycle == NULL || j->least == NULL)
    return FALSE;
  for (guint k = 0; k < c->d->n_res; k++) {
    double held = rp_case_held (c, w->queue, w->to, k), deserved = rp_case_deserved (c, w->queue, w->to, k);
    double capability = quota->capability != NULL ? quota->capability[k] : 0, weights = 0;

    if (capability > 0 && rp_more (held + j->least[k], capability))
      return FALSE; /* that was wanted */
    if (j->least[k] <= 0 || deserved <= 0 || !rp_more (held + j->least[k], deserved))
      continue;
    for (guint q = 0; q < c->queue->len; q++) {
      const RpQueue *row = rp_case_queue_at (c, q, w->to, FALSE);

      if (q != w->queue && row != NULL && row->pending_jobs + row->running_jobs > 0)
        weights += row->weight;
    }
    if (weights <= 0)
      return FALSE; /* the only queue: its share follows its requests */
    double total = cycle->capacity != NULL ? cycle->capacity[k] : 0, needs = held + j->least[k];
    g_autofree char *name = rp_job_name (c, w->job), *wait = rp_wait_words (w->wait, w->forever), *asks = rp_amount (c, k, j->least[k]),
                    *has = rp_amount (c, k, held), *share = rp_amount (c, k, deserved);
    RpDiagnosis *x = rp_case_add (c, "share-smaller-than-job", "g12-half-gpu-each", w->to, w->job);

    x->what = g_strdup_printf ("job '%s' waits %s beside idle nodes that would take it: it asks for %s, its queue '%s' holds %s and deserves %s (%s), so that the room "
                               "stays idle as long as another queue wants its part of it",
                               name, wait, asks, j->queue, has, share, plugin);
    x->advice = strcmp (plugin, "proportion") == 0 && total > needs
                    ? g_strdup_printf ("make the share of one queue large enough for its job: weight %.0f for queue '%s' (it is %d), or the plugin capacity instead of "
                                       "proportion, or let the action enqueue admit one job after the other",
                                       floor (needs * weights / (total - needs)) + 1, j->queue, quota->weight)
                    : g_strdup_printf ("make the share of queue '%s' large enough for its job, or the job smaller", j->queue);
    rp_figure (x, "asks", j->least[k]);
    rp_figure (x, "deserved", deserved);
    return TRUE;
  }
  return FALSE;
}

static gboolean
waits_for_nodes (const RpWaiter *w)
{
  return strcmp (w->cause, "nodes") == 0 || strcmp (w->cause, "gang") == 0;
}

/* Nothing else runs, all its pods have places, and yet it does not start: they are placed one after the other, and the first ones take the places that
 * only the later ones can use. */
static gboolean
find_greedy (RpCase *c, const RpWaiter *w)
{
  const RpJob *j = rp_case_row (c, w->job);
  double weight = 1;
  const VcPluginOption *binpack = rp_case_plugin (c, "binpack", NULL);

  if (strcmp (w->cause, "gang") != 0 || !rp_nearly_always (w->room.empty, w->room.asked) || j->places < j->min_available)
    return FALSE;
  if (binpack != NULL)
    vc_args_get_float (&binpack->args, "binpack.weight", &weight);
  g_autofree char *name = rp_job_name (c, w->job), *wait = rp_wait_words (w->wait, w->forever);
  RpDiagnosis *x = rp_case_add (c, "greedy-gang", "g23-greedy-gang", w->to, w->job);

  x->what = g_strdup_printf ("job '%s' waits %s beside nodes on which nothing runs, and which have places for all its %u pods: each pod is placed where it suits best, "
                             "without trying again, and then %u find no place",
                             name, wait, j->min_available, MAX (j->missing, 1));
  x->advice = g_strdup_printf ("list the task with the largest pods first in the job, or make small pods leave the large nodes alone (binpack.weight: %g)",
                               binpack != NULL ? MAX (20, 2 * weight) : 20);
  rp_figure (x, "pods", j->min_available);
  rp_figure (x, "missing", j->missing);
  return TRUE;
}

/* Enough is idle as a sum and no node has enough: the resource is not what the scores look at. */
static gboolean
find_scattered (RpCase *c, const RpWaiter *w)
{
  const VcPluginOption *binpack = rp_case_plugin (c, "binpack", NULL);
  const char *prefix = "Insufficient ", *resource = g_str_has_prefix (w->reason, prefix) ? w->reason + strlen (prefix) : NULL;
  const RpJob *j = rp_case_row (c, w->job);

  if (resource == NULL || !waits_for_nodes (w) || (!w->forever && w->wait < LONG) || !rp_nearly_always (w->room.by_sum, w->room.asked)
      || !rp_nearly_always (w->room.asked - w->room.fits, w->room.asked) || strcmp (resource, "pods") == 0 || j->places < j->min_available)
    return FALSE;
  if (binpack != NULL) {
    g_auto (GStrv) listed = g_strsplit (vc_args_get_string (&binpack->args, "binpack.resources", ""), ",", -1);

    if (strcmp (resource, "cpu") == 0 || strcmp (resource, "memory") == 0)
      return FALSE;
    for (char **l = listed; *l != NULL; l++)
      if (strcmp (g_strstrip (*l), resource) == 0)
        return FALSE;
  }
  g_autofree char *name = rp_job_name (c, w->job), *wait = rp_wait_words (w->wait, w->forever);
  RpDiagnosis *x = rp_case_add (c, "scattered-resource", "g22-binpack-ignores-gpu", w->from, w->job);

  x->what = g_strdup_printf ("job '%s' waits %s for %s: the idle %s of its nodes would be enough all the time, but it is scattered, and no node has enough for a pod (the "
                             "gang has %u)",
                             name, wait, resource, resource, j->min_available);
  x->advice = strcmp (resource, "cpu") == 0 || strcmp (resource, "memory") == 0
                  ? g_strdup ("pack pods: the plugin binpack (its weight above that of leastrequested of nodeorder)")
                  : g_strdup_printf ("%s does not count %s: binpack.resources: %s, with a weight: binpack.resources.%s: 10", binpack != NULL ? "binpack" : "no score", resource,
                                     resource, resource);
  rp_figure (x, "wait_s", w->forever ? (double) NAN : (double) w->wait / 1e6);
  return TRUE;
}

/* ---- what it is owed and cannot get --------------------------------------------------------------- */

/* Runs a job of the queue at @time, and may its pods be evicted? */
static gboolean
runs_evictable (const RpCase *c, guint queue, gint64 time, gint32 below, guint *protected)
{
  gboolean evictable = FALSE;

  for (guint i = 0; i < c->d->jobs->len; i++) {
    const RpJob *j = rp_case_row (c, i);

    if (g_array_index (c->job, RpCaseJob, i).queue != queue || j->gang_start == RP_NONE || j->gang_start > time || (j->finish != RP_NONE && j->finish <= time)
        || j->priority >= below)
      continue;
    evictable |= j->preemptable;
    if (!j->preemptable && *protected == RP_NOBODY)
      *protected = i;
  }
  return evictable;
}

/* What its queue deserves covers the job; others hold it, and reclaim finds nothing to take. */
static gboolean
find_owed (RpCase *c, const RpWaiter *w)
{
  const RpJob *j = rp_case_row (c, w->job);
  gint64 at = rp_waiter_at (w) + 1;
  const RpCycle *cycle = rp_case_cycle_at (c, at);

  if (rp_case_reclaims (c) == NULL || rp_case_queue_plugin (c) == NULL || j->least == NULL || cycle == NULL || cycle->idle == NULL || cycle->capacity == NULL
      || (!w->forever && w->wait < LONG))
    return FALSE;
  for (guint k = 0; k < c->d->n_res; k++) {
    double deserved = rp_case_deserved (c, w->queue, at, k);

    if (j->least[k] > 0 && deserved > 0 && rp_more (rp_case_held (c, w->queue, at, k) + j->least[k], deserved))
      return FALSE;
  }
  for (guint k = 0; k < c->d->n_res; k++) {
    double deserved = rp_case_deserved (c, w->queue, at, k), promised = 0, over = 0, evictable = 0;
    guint protected = RP_NOBODY, lender = RP_NOBODY;

    if (j->least[k] <= 0 || deserved <= 0 || !rp_more (j->least[k], cycle->idle[k]))
      continue;
    for (guint q = 0; q < c->queue->len; q++) {
      double its = rp_case_deserved (c, q, at, k), more = rp_case_held (c, q, at, k) - its;

      if (g_array_index (c->queue, RpCaseQueue, q).children->len > 0)
        continue;
      promised += its;
      if (q == w->queue)
        continue;
      if (its > 0 && rp_case_held (c, q, at, k) > 0 && lender == RP_NOBODY)
        lender = q;
      if (more <= 0)
        continue;
      over += more;
      if (runs_evictable (c, q, at, G_MAXINT32, &protected))
        evictable += more;
    }
    g_autofree char *name = rp_job_name (c, w->job), *wait = rp_wait_words (w->wait, w->forever), *asks = rp_amount (c, k, j->least[k]),
                    *share = rp_amount (c, k, deserved);

    if (rp_more (promised, cycle->capacity[k]) && rp_more (j->least[k], cycle->idle[k] + over) && lender != RP_NOBODY) {
      g_autofree char *sum = rp_amount (c, k, promised), *total = rp_amount (c, k, cycle->capacity[k]);
      g_autofree char *keeps = rp_amount (c, k, rp_case_deserved (c, lender, at, k)), *left = rp_amount (c, k, MAX (cycle->capacity[k] - deserved, 0));
      const char *lends = g_array_index (c->queue, RpCaseQueue, lender).name;
      RpDiagnosis *x = rp_case_add (c, "shares-beyond-cluster", "g17-last-borrowed-gpu-kept", w->from, w->job);

      x->what = g_strdup_printf ("job '%s' waits %s for %s at once, which its queue '%s' deserves (%s); but all queues together deserve %s of the cluster's %s: queue '%s' "
                                 "keeps its %s, and the gang never is complete",
                                 name, wait, asks, j->queue, share, sum, total, lends, keeps);
      x->advice = g_strdup_printf ("lower the deserved %s of queue '%s' to what is left (%s), or the size of the gang", c->d->resource[k], lends, left);
      rp_figure (x, "deserved_in_all", promised);
      rp_figure (x, "capacity", cycle->capacity[k]);
      return TRUE;
    }
    if (!rp_more (j->least[k], cycle->idle[k] + over) && rp_more (j->least[k], cycle->idle[k] + evictable) && protected != RP_NOBODY) {
      g_autofree char *victim = rp_job_name (c, protected);
      RpDiagnosis *x = rp_case_add (c, "nothing-evictable", "g65-not-preemptable-lender", w->from, w->job);

      x->what = g_strdup_printf ("job '%s' waits %s for %s, which its queue '%s' deserves (%s); queue '%s' holds more than it deserves, but its jobs ('%s' …) are labelled "
                                 "as not to be evicted: '%s' finds nothing there",
                                 name, wait, asks, j->queue, share, rp_case_row (c, protected)->queue, victim, rp_case_reclaims (c));
      x->advice = g_strdup_printf ("leave the label volcano.sh/preemptable: \"false\" off jobs that run on lent room (or keep them within what queue '%s' deserves)",
                                   rp_case_row (c, protected)->queue);
      rp_figure (x, "wait_s", w->forever ? (double) NAN : (double) w->wait / 1e6);
      return TRUE;
    }
  }
  return FALSE;
}

/* ---- all of it ---------------------------------------------------------------------------------- */

typedef gboolean (*Rule) (RpCase *c, const RpWaiter *w);

/* Each kind once, for the job that waits longest; how many others there are is told. */
void
rp_diagnose_waits (RpCase *c)
{
  static const Rule rules[] = { find_small_share, find_greedy, find_scattered, find_owed, find_starving };
  guint others[G_N_ELEMENTS (rules)] = { 0 }, found[G_N_ELEMENTS (rules)] = { 0 };

  find_broken_gangs (c);
  for (guint i = 0; i < c->waiter->len; i++) {
    const RpWaiter *w = &g_array_index (c->waiter, RpWaiter, i);

    if (c->explained[w->job])
      continue;
    for (guint k = 0; k < G_N_ELEMENTS (rules); k++) {
      guint before = c->out->len;

      if (!rules[k](c, w))
        continue;
      c->explained[w->job] = TRUE;
      if (found[k] == 0) {
        found[k] = c->out->len;
      } else {
        others[k]++;
        g_ptr_array_set_size (c->out, (gint) before);
      }
      break;
    }
  }
  for (guint k = 0; k < G_N_ELEMENTS (rules); k++) {
    if (found[k] == 0)
      continue;
    RpDiagnosis *x = c->out->pdata[found[k] - 1];

    rp_figure (x, "jobs", others[k] + 1);
    if (others[k] > 0) {
      g_autofree char *what = x->what;

      x->what = g_strdup_printf ("%s; %u more job%s in the same way", what, others[k], others[k] == 1 ? "" : "s");
    }
  }
}
