/* reports/diagnose/diagnose-evictions.c - evictions that go round in circles, help nobody, or take from the wrong. */
#include "diagnose-private.h"
#include "reports/words.h"
#include <string.h>

#define OFTEN 3u            /* evictions of one pod's place, and claims of one job, from which on it is a circle */
#define SETTLED 60000000    /* µs: a claimant that has nothing by then gets nothing out of the eviction */

/* One eviction, with what is known of the two. */
typedef struct {
  const RpEviction *e;
  guint from, to;           /* queues, RP_NOBODY */
  guint victim, claimant;   /* jobs, RP_NOBODY */
  guint times;              /* that this place was emptied in the whole run */
  gboolean circle;
} Taken;

/* Evictions of two queues (or of one) from each other. */
typedef struct {
  guint a, b;
  GArray *taken;            /* guint */
} Pair;

static Taken *
taken_at (const GArray *all, guint i)
{
  return &g_array_index (all, Taken, i);
}

static GArray *
collect (const RpCase *c)
{
  const GArray *rows = c->d->evictions;
  GArray *all = g_array_new (FALSE, TRUE, sizeof (Taken));
  g_autoptr (GHashTable) places = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL); /* → times */
  g_autoptr (GHashTable) claims = g_hash_table_new (NULL, NULL);                                 /* claimant + 1 → cycles in which it claimed */
  g_autoptr (GHashTable) last = g_hash_table_new (NULL, NULL);                                   /* claimant + 1 → row of its last claim + 1 */

  for (guint i = 0; i < rows->len; i++) {
    const RpEviction *e = &g_array_index (rows, RpEviction, i);
    Taken t = { .e = e,
                .from = rp_case_queue (c, e->queue),
                .to = *e->for_queue != '\0' ? rp_case_queue (c, e->for_queue) : RP_NOBODY,
                .victim = rp_case_job (c, e->ns, e->job),
                .claimant = *e->for_job != '\0' ? rp_case_job (c, e->for_ns, e->for_job) : RP_NOBODY };
    char *place = g_strdup_printf ("%s\n%s\n%s\n%u", e->ns, e->job, e->task, e->index);

    g_hash_table_replace (places, place, GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (places, place)) + 1));
    if (t.claimant != RP_NOBODY) {
      gpointer who = GUINT_TO_POINTER (t.claimant + 1);
      guint before = GPOINTER_TO_UINT (g_hash_table_lookup (last, who));

      if (before == 0 || g_array_index (rows, RpEviction, before - 1).time != e->time)
        g_hash_table_replace (claims, who, GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (claims, who)) + 1));
      g_hash_table_replace (last, who, GUINT_TO_POINTER (i + 1));
    }
    g_array_append_val (all, t);
  }
  for (guint i = 0; i < all->len; i++) {
    Taken *t = taken_at (all, i);
    g_autofree char *place = g_strdup_printf ("%s\n%s\n%s\n%u", t->e->ns, t->e->job, t->e->task, t->e->index);

    t->times = GPOINTER_TO_UINT (g_hash_table_lookup (places, place));
    t->circle = t->times >= OFTEN && t->from != RP_NOBODY && t->to != RP_NOBODY && t->victim != RP_NOBODY && t->claimant != RP_NOBODY
                && GPOINTER_TO_UINT (g_hash_table_lookup (claims, GUINT_TO_POINTER (t->claimant + 1))) >= OFTEN;
  }
  return all;
}

/* ---- circles ------------------------------------------------------------------------------------ */

static GArray *
pairs_of (const GArray *all)
{
  GArray *pairs = g_array_new (FALSE, FALSE, sizeof (Pair));

  for (guint i = 0; i < all->len; i++) {
    const Taken *t = taken_at (all, i);
    guint a = MIN (t->from, t->to), b = MAX (t->from, t->to), k = 0;

    if (!t->circle)
      continue;
    while (k < pairs->len && (g_array_index (pairs, Pair, k).a != a || g_array_index (pairs, Pair, k).b != b))
      k++;
    if (k == pairs->len) {
      Pair fresh = { a, b, g_array_new (FALSE, FALSE, sizeof (guint)) };

      g_array_append_val (pairs, fresh);
    }
  }
  for (guint i = 0; i < all->len; i++) { /* what else they take from each other belongs to it */
    Taken *t = taken_at (all, i);

    for (guint k = 0; k < pairs->len && t->from != RP_NOBODY && t->to != RP_NOBODY && t->claimant != RP_NOBODY && t->victim != RP_NOBODY; k++)
      if (g_array_index (pairs, Pair, k).a == MIN (t->from, t->to) && g_array_index (pairs, Pair, k).b == MAX (t->from, t->to)) {
        t->circle = TRUE;
        g_array_append_val (g_array_index (pairs, Pair, k).taken, i);
      }
  }
  return pairs;
}

static int
by_value (gconstpointer a, gconstpointer b)
{
  gint64 l = *(const gint64 *) a, r = *(const gint64 *) b;

  return l < r ? -1 : l > r;
}

static const char *
queue_name (const RpCase *c, guint queue)
{
  return g_array_index (c->queue, RpCaseQueue, queue).name;
}

/* Does the victim ask for nothing but its place among the pods of a node? */
static gboolean
is_best_effort (const RpCase *c, const RpEviction *e)
{
  for (guint k = 0; k < c->d->n_res && e->frees != NULL; k++)
    if (e->frees[k] > 0 && strcmp (c->d->resource[k], "pods") != 0)
      return FALSE;
  return TRUE;
}

/* What all jobs of the queue that are there at @time ask for, all their pods running. */
static double
wanted (const RpCase *c, guint queue, gint64 time, guint dim)
{
  double sum = 0;

  for (guint i = 0; i < c->d->jobs->len; i++) {
    const RpJob *j = rp_case_row (c, i);

    if (g_array_index (c->job, RpCaseJob, i).queue == queue && j->submit <= time && (j->finish == RP_NONE || j->finish > time) && j->pod != NULL)
      sum += j->pods * j->pod[dim];
  }
  return sum;
}

/* Reclaim is allowed as long as one of the requested resources is below its share. Is there one (@plenty) that the queue's jobs never use up, beside
 * one (@full) of which they want more than the share? Then nothing bounds its claims. */
static gboolean
finds_slack (const RpCase *c, const Taken *t, guint *full, guint *plenty)
{
  const RpJob *j = rp_case_row (c, t->claimant);

  *full = *plenty = RP_NOBODY;
  if (t->from == t->to || j->pod == NULL)
    return FALSE;
  for (guint k = 0; k < c->d->n_res; k++) {
    double deserved = rp_case_deserved (c, t->to, t->e->time, k);

    if (j->pod[k] <= 0 || deserved <= 0)
      continue;
    double wants = wanted (c, t->to, t->e->time, k);

    if (rp_more (wants, deserved))
      *full = k;
    else if (rp_more (deserved, wants))
      *plenty = k;
  }
  return *full != RP_NOBODY && *plenty != RP_NOBODY;
}

/* Taking the victim leaves its queue below its share: the next room goes to it. */
static gboolean
is_larger_than_surplus (const RpCase *c, const Taken *t, guint *dim)
{
  for (guint k = 0; k < c->d->n_res && t->e->frees != NULL; k++) {
    double deserved = rp_case_deserved (c, t->from, t->e->time, k);

    double held = rp_case_held (c, t->from, t->e->time, k);

    if (t->e->frees[k] > 0 && deserved > 0 && !rp_more (deserved, held) && rp_more (deserved, held - t->e->frees[k])) {
      *dim = k;
      return TRUE;
    }
  }
  return FALSE;
}

static char *
actions_with_backfill_first (const RpCase *c, const char *evicts)
{
  GString *out = g_string_new (NULL);

  for (char **a = c->conf->actions; *a != NULL; a++) {
    if (strcmp (*a, "backfill") == 0)
      continue;
    if (strcmp (*a, evicts) == 0)
      g_string_append_printf (out, "%sbackfill", out->len > 0 ? ", " : "");
    g_string_append_printf (out, "%s%s", out->len > 0 ? ", " : "", strcmp (*a, "gangpreempt") == 0 ? "preempt" : *a);
  }
  return g_string_free (out, FALSE);
}

/* Why does the room come back? In the order in which one reason hides the next. */
static void
explain_circle (RpCase *c, const GArray *all, const Pair *p, RpDiagnosis *x)
{
  guint best_effort = 0, slack = 0, ranked = 0, larger = 0, n = p->taken->len, first_slack = RP_NOBODY, first_larger = RP_NOBODY, dim = 0;
  const char *action = taken_at (all, g_array_index (p->taken, guint, 0))->e->action;

  for (guint i = 0; i < n; i++) {
    guint row = g_array_index (p->taken, guint, i), full, plenty;
    const Taken *t = taken_at (all, row);
    const RpQuota *from = rp_case_quota_at (c, t->from, t->e->time), *to = rp_case_quota_at (c, t->to, t->e->time);

    best_effort += is_best_effort (c, t->e);
    if ((i == n / 2 || i + 1 == n / 2) && finds_slack (c, t, &full, &plenty)) { /* costly, and the same all the time */
      slack++;
      first_slack = row;
    }
    ranked += from != NULL && to != NULL && from->priority > to->priority;
    if (t->from != t->to && is_larger_than_surplus (c, t, &dim) && larger++ == 0)
      first_larger = row;
  }
  const Taken *first = taken_at (all, g_array_index (p->taken, guint, 0));
  const char *a = queue_name (c, first->from), *b = queue_name (c, first->to);

  if (2 * best_effort >= n && rp_case_action (c, "backfill") > rp_case_action (c, action)) {
    g_autofree char *actions = actions_with_backfill_first (c, action);

    x->entry = "g43-preempt-backfill-pingpong";
    x->advice = g_strdup_printf ("pods without requests are evicted for their places, and backfill, which runs later, gives the places away again before "
                                 "the gang is whole. Put backfill first: actions: \"%s\"%s",
                                 actions, strcmp (action, "preempt") == 0 ? "; or give preempt enableTopologyAwarePreemption: true" : " (gangpreempt goes on even then)");
  } else if (2 * ranked >= n) {
    const RpQuota *from = rp_case_quota_at (c, first->from, first->e->time);

    x->entry = "g04-priority-on-the-borrower";
    x->advice = g_strdup_printf ("queue '%s' has the higher priority (%d): what '%s' reclaims from it goes to the first queue in order, back to '%s'. Take the "
                                 "priority from '%s', or give '%s' at least the same",
                                 a, from->priority, b, a, a, b);
  } else if (slack > 0) {
    const Taken *t = taken_at (all, first_slack);
    const RpJob *j = rp_case_row (c, t->claimant);
    guint full, plenty;

    finds_slack (c, t, &full, &plenty);
    g_autofree char *has = rp_amount (c, plenty, rp_case_deserved (c, t->to, t->e->time, plenty));
    g_autofree char *fits = rp_amount (c, plenty, rp_case_deserved (c, t->to, t->e->time, full) * j->pod[plenty] / j->pod[full]);

    x->entry = "g03-memory-slack-tug-of-war";
    x->advice = g_strdup_printf ("queue '%s' evicts for %s beyond its share, which is allowed as long as any requested resource is below deserved, and it has "
                                 "plenty of %s. Give it (and the queues beside it) deserved %s in proportion to its pods, %s instead of %s, or leave %s out of deserved",
                                 queue_name (c, t->to), c->d->resource[full], c->d->resource[plenty], c->d->resource[plenty], fits, has, c->d->resource[plenty]);
  } else if (2 * larger >= n) {
    const Taken *t = taken_at (all, first_larger);
    const RpQuota *from = rp_case_quota_at (c, t->from, t->e->time);

    is_larger_than_surplus (c, t, &dim);
    g_autofree char *pod = rp_amount (c, dim, t->e->frees[dim]), *deserved = rp_amount (c, dim, rp_case_deserved (c, t->from, t->e->time, dim));

    x->entry = "g02-victim-bigger-than-surplus";
    x->advice = g_strdup_printf ("the victim (%s) is larger than what queue '%s' holds beyond its share (deserved: %s): without it the queue is the poorest and "
                                 "gets the room back. Give the claiming queue '%s' the higher priority (priority: %d)",
                                 pod, queue_name (c, t->from), deserved, queue_name (c, t->to), (from != NULL ? from->priority : 0) + 10);
  } else {
    x->entry = "g02-victim-bigger-than-surplus";
    x->advice = g_strdup_printf ("what '%s' evicts for '%s' does not stay with it; look at who gets the room in the cycle after the pods have gone", action, b);
  }
}

static void
report_circle (RpCase *c, const GArray *all, const Pair *p)
{
  guint n = p->taken->len, again = RP_NOBODY, brief = 0, stuck = 0, most = 0, whom = RP_NOBODY;
  g_autoptr (GArray) ran = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GHashTable) claimants = g_hash_table_new (NULL, NULL), victims = g_hash_table_new (NULL, NULL);
  const Taken *first = taken_at (all, g_array_index (p->taken, guint, 0)), *last = taken_at (all, g_array_index (p->taken, guint, n - 1));
  guint forth = 0, back = 0;
  gint64 sum = 0;

  for (guint i = 0; i < n; i++) {
    guint row = g_array_index (p->taken, guint, i);
    const Taken *t = taken_at (all, row);

    if (t->e->attempt > 0 && again == RP_NOBODY)
      again = row;
    if (t->e->ran != RP_NONE) {
      g_array_append_val (ran, t->e->ran);
      brief += t->e->ran <= 2 * c->d->period;
      sum += t->e->ran;
    }
    if (t->times > most) {
      most = t->times;
      whom = row;
    }
    stuck += g_hash_table_add (claimants, GUINT_TO_POINTER (t->claimant + 1)) && rp_case_row (c, t->claimant)->gang_start == RP_NONE;
    g_hash_table_add (victims, GUINT_TO_POINTER (t->victim + 1));
    *(t->from == first->from ? &forth : &back) += 1;
  }
  g_array_sort (ran, by_value);
  gint64 span = MAX (last->e->time - first->e->time, c->d->period), median = ran->len > 0 ? g_array_index (ran, gint64, ran->len / 2) : 0;
  double per_hour = (double) n * 3600e6 / (double) span;
  const Taken *look = taken_at (all, again != RP_NOBODY ? again : g_array_index (p->taken, guint, 0)), *worst = taken_at (all, whom);
  g_autofree char *during = rp_span ((double) span / 1e6), *half = rp_span ((double) median / 1e6), *victim = rp_job_name (c, worst->victim),
                  *claimant = rp_job_name (c, worst->claimant);
  g_autofree char *parties
      = p->a == p->b ? g_strdup_printf ("in queue '%s' %u jobs take from %u others", queue_name (c, p->a), g_hash_table_size (claimants), g_hash_table_size (victims))
        : back > 0   ? g_strdup_printf ("queues '%s' and '%s' take pods from each other (%u and %u)", queue_name (c, first->to), queue_name (c, first->from), forth, back)
                     : g_strdup_printf ("queue '%s' takes pods from queue '%s', which gets the room back", queue_name (c, first->to), queue_name (c, first->from));
  g_autofree char *nothing = stuck == 0 ? g_strdup ("")
                                        : g_strdup_printf ("; %u of the %u claimants never start%s%s%s", stuck, g_hash_table_size (claimants), stuck == 1 ? " ('" : "",
                                                           stuck == 1 ? claimant : "", stuck == 1 ? "')" : "");
  RpDiagnosis *x = rp_case_add (c, "eviction-loop", "", look->e->time, look->claimant);

  x->what = g_strdup_printf ("%s by %s, again and again: %u evictions in %s (%.0f per hour), the place of a pod of '%s' %u times, last for '%s'; half of the "
                             "victims had run for %s or less, %u of %u no longer than two cycles%s",
                             parties, first->e->action, n, during, per_hour, victim, most, claimant, half, brief, n, nothing);
  rp_figure (x, "evictions", n);
  rp_figure (x, "per_hour", per_hour);
  rp_figure (x, "median_ran_s", (double) median / 1e6);
  rp_figure (x, "ran_two_cycles_or_less", brief);
  rp_figure (x, "lost_pod_hours", (double) sum / 3600e6);
  rp_figure (x, "claimants_never_started", stuck);
  explain_circle (c, all, p, x);
  for (guint i = 0; i < n; i++)
    c->explained[taken_at (all, g_array_index (p->taken, guint, i))->claimant] = TRUE;
}

/* ---- evictions for one job ---------------------------------------------------------------------- */

/* All rows of one cycle for one job, from @first on: how many there are. They need not be neighbours. */
static guint
claim_of (const GArray *all, guint first, GArray *rows)
{
  const Taken *t = taken_at (all, first);

  g_array_set_size (rows, 0);
  for (guint i = first; i < all->len && taken_at (all, i)->e->time == t->e->time; i++)
    if (taken_at (all, i)->claimant == t->claimant && taken_at (all, i)->from == t->from)
      g_array_append_val (rows, i);
  return rows->len;
}

/* Is @row the first of its cycle, claimant and lender? */
static gboolean
begins_claim (const GArray *all, guint row)
{
  const Taken *t = taken_at (all, row);

  for (guint i = row; i-- > 0 && taken_at (all, i)->e->time == t->e->time;)
    if (taken_at (all, i)->claimant == t->claimant && taken_at (all, i)->from == t->from)
      return FALSE;
  return TRUE;
}

static double
freed (const GArray *all, const GArray *rows, guint dim)
{
  double sum = 0;

  for (guint i = 0; i < rows->len; i++) {
    const double *frees = taken_at (all, g_array_index (rows, guint, i))->e->frees;

    sum += frees != NULL ? frees[dim] : 0;
  }
  return sum;
}

/* When the last victim for @claimant had gone, RP_NONE while one is still going; whether the claimant got a pod bound since the first. */
static gint64
gone_for (const RpCase *c, const GArray *all, guint claimant, guint *n, gint64 *first, gint64 *lost, gboolean *helped)
{
  const RpJob *j = rp_case_row (c, claimant);
  gint64 gone = RP_NONE;
  g_autoptr (GHashTable) victims = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  *n = 0;
  *lost = 0;
  *helped = FALSE;
  for (guint i = 0; i < all->len; i++) {
    const Taken *t = taken_at (all, i);

    if (t->claimant != claimant)
      continue;
    if ((*n)++ == 0)
      *first = t->e->time;
    *lost += t->e->ran != RP_NONE ? t->e->ran : 0;
    g_hash_table_add (victims, g_strdup_printf ("%s\n%s\n%s\n%u\n%u", t->e->ns, t->e->job, t->e->task, t->e->index, t->e->attempt));
  }
  for (guint i = 0; i < c->d->tasks->len; i++) {
    const RpTask *t = &g_array_index (c->d->tasks, RpTask, i);

    if (strcmp (t->job, j->job) == 0 && strcmp (t->ns, j->ns) == 0 && t->bound != RP_NONE && t->bound >= *first)
      *helped = TRUE;
    if (t->evicted == RP_NONE)
      continue;
    g_autofree char *key = g_strdup_printf ("%s\n%s\n%s\n%u\n%u", t->ns, t->job, t->task, t->index, t->attempt);

    if (!g_hash_table_contains (victims, key))
      continue;
    if (t->finished == RP_NONE)
      return RP_NONE;
    gone = MAX (gone, t->finished);
  }
  return gone;
}

/* The victims are gone and whom they went for has nothing. */
static void
find_wasted (RpCase *c, const GArray *all)
{
  g_autoptr (GHashTable) met = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < all->len; i++) {
    const Taken *t = taken_at (all, i);
    guint n;
    gint64 first = 0, lost;
    gboolean helped;

    if (t->claimant == RP_NOBODY || c->explained[t->claimant] || !g_hash_table_add (met, GUINT_TO_POINTER (t->claimant + 1)))
      continue;
    const RpJob *j = rp_case_row (c, t->claimant);

    if (j->gang_start != RP_NONE && j->gang_start >= t->e->time)
      continue;
    gint64 gone = gone_for (c, all, t->claimant, &n, &first, &lost, &helped);

    if (helped || gone == RP_NONE || (j->finish != RP_NONE ? j->finish : c->d->end) - gone < (rp_case_forever (c, t->claimant) ? 0 : SETTLED))
      continue;
    g_autofree char *name = rp_job_name (c, t->claimant), *ran = rp_span ((double) lost / 1e6);
    gboolean amounts = *j->reason == '\0' || g_str_has_prefix (j->reason, "Insufficient") || strstr (j->reason, "pod number") != NULL;
    RpDiagnosis *x = rp_case_add (c, "wasted-evictions", "g52-reclaim-unplaceable", gone, t->claimant);

    x->what = g_strdup_printf ("%u pod%s that had run for %s in all went by %s for job '%s', and it has got nothing since: none of its pods was bound%s%s", n,
                               n == 1 ? "" : "s", ran, t->e->action, name, amounts ? "" : ". Nodes refuse it: ", amounts ? "" : j->reason);
    x->advice = amounts
                    ? g_strdup_printf ("the room that is freed is not enough for it or goes to others; look at the cycle in which the last victim has gone. No setting is "
                                       "known that makes '%s' wait until all of it can be had",
                                       t->e->action)
                    : g_strdup_printf ("'%s' looks at amounts alone, not at what else keeps the pod from the node: loosen that constraint of the job, or keep it "
                                       "from evicting (a queue or a priority of its own). No setting of the scheduler is known that avoids it",
                                       t->e->action);
    rp_figure (x, "evictions", n);
    rp_figure (x, "lost_pod_hours", (double) lost / 3600e6);
    c->explained[t->claimant] = TRUE;
  }
}

/* Far more was freed than the whole gang asks for. */
static void
find_drained (RpCase *c, const GArray *all)
{
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GHashTable) met = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < all->len; i++) {
    const Taken *t = taken_at (all, i);

    if (t->claimant == RP_NOBODY || t->circle || g_hash_table_contains (met, GUINT_TO_POINTER (t->claimant + 1)) || !begins_claim (all, i)
        || claim_of (all, i, rows) < 3)
      continue;
    const RpJob *j = rp_case_row (c, t->claimant);
    guint needed = rows->len;

    /* the fewest victims, in any order, that would have freed what the gang asks for: all pods of a claim are alike as a rule */
    for (guint keep = 1; keep < rows->len && needed == rows->len; keep++) {
      gboolean enough = j->least != NULL;

      for (guint k = 0; k < c->d->n_res && enough; k++)
        enough = j->least[k] <= 0 || !rp_more (j->least[k], freed (all, rows, k) * keep / rows->len);
      if (enough)
        needed = keep;
    }
    if (needed + 2 > rows->len)
      continue;
    g_autofree char *name = rp_job_name (c, t->claimant), *victim = rp_job_name (c, t->victim);
    RpDiagnosis *x = rp_case_add (c, "drained", "g46-gangpreempt-drains", t->e->time, t->claimant);
    const char *plain = g_str_has_prefix (t->e->action, "gang") ? t->e->action + strlen ("gang") : NULL;

    g_hash_table_add (met, GUINT_TO_POINTER (t->claimant + 1));
    x->what = g_strdup_printf ("%s evicts %u pods (of job '%s' and others of its queue) in one cycle for job '%s', which needs the room of %u", t->e->action, rows->len,
                               victim, name, needed);
    x->advice = plain != NULL ? g_strdup_printf ("'%s' takes all that a job has above its minimum at once; use the action '%s' instead", t->e->action, plain)
                              : g_strdup ("no setting is known that avoids it");
    rp_figure (x, "evictions", rows->len);
    rp_figure (x, "needed", needed);
  }
}

/* ---- the wrong victims -------------------------------------------------------------------------- */

static gboolean
is_reclaim (const Taken *t)
{
  return t->from != RP_NOBODY && t->to != RP_NOBODY && t->from != t->to && t->claimant != RP_NOBODY && g_str_has_suffix (t->e->action, "reclaim");
}

static char *
tier_words (const RpCase *c, const char *plugin)
{
  guint tier = 0;

  rp_case_plugin (c, plugin, &tier);
  return tier > 0 ? g_strdup_printf ("it stands in tier %u, and victims that an earlier tier names are taken without asking it; put %s in the first tier", tier + 1, plugin)
                  : g_strdup ("give the queue what its job needs");
}

/* The claimant's queue ends up above its share and the lender's below. */
static gboolean
goes_beyond_share (RpCase *c, const GArray *all, const GArray *rows)
{
  const Taken *t = taken_at (all, g_array_index (rows, guint, 0));
  const RpJob *j = rp_case_row (c, t->claimant);
  const char *plugin = rp_case_queue_plugin (c);

  for (guint k = 0; k < c->d->n_res && plugin != NULL && j->least != NULL; k++) {
    double takes = freed (all, rows, k), own = rp_case_deserved (c, t->to, t->e->time, k), lent = rp_case_deserved (c, t->from, t->e->time, k);
    double has = rp_case_held (c, t->to, t->e->time, k) + j->least[k], left = rp_case_held (c, t->from, t->e->time, k) - takes;

    if (takes <= 0 || j->least[k] <= 0 || own <= 0 || lent <= 0 || !rp_more (has, own) || !rp_more (lent, left))
      continue;
    g_autofree char *name = rp_job_name (c, t->claimant), *gets = rp_amount (c, k, has), *share = rp_amount (c, k, own), *keeps = rp_amount (c, k, left),
                    *its = rp_amount (c, k, lent), *tier = tier_words (c, plugin);
    RpDiagnosis *x = rp_case_add (c, "beyond-deserved", "g61-claims-beyond-deserved", t->e->time, t->claimant);

    x->what = g_strdup_printf ("%s takes %u pods from queue '%s' for job '%s' of queue '%s', which then holds %s and deserves %s; '%s' is left with %s and deserves %s",
                               t->e->action, rows->len, queue_name (c, t->from), name, queue_name (c, t->to), gets, share, queue_name (c, t->from), keeps, its);
    x->advice = g_strdup_printf ("the shares of %s do not bound the claim: %s. If the job is to run, raise the deserved amount of '%s' to %s", plugin, tier,
                                 queue_name (c, t->to), gets);
    rp_figure (x, "evictions", rows->len);
    rp_figure (x, "claimant_holds", has);
    rp_figure (x, "claimant_deserves", own);
    return TRUE;
  }
  return FALSE;
}

/* The lender's parent is within its share: between branches nothing was owed. */
static gboolean
robs_cousin (RpCase *c, const Taken *t)
{
  const VcPluginOption *capacity = rp_case_plugin (c, "capacity", NULL);
  const RpQuota *lender = rp_case_quota_at (c, t->from, t->e->time), *claims = rp_case_quota_at (c, t->to, t->e->time);
  gint64 level = 0;

  if (capacity == NULL || !capacity->on[VC_FLAG_HIERARCHY] || lender == NULL || claims == NULL || *lender->parent == '\0'
      || strcmp (lender->parent, "root") == 0 || strcmp (lender->parent, claims->parent) == 0)
    return FALSE;
  vc_args_get_int (&capacity->args, "ancestorReclaimLevel", &level);
  guint parent = rp_case_queue (c, lender->parent);
  gboolean knows = FALSE;

  if (level > 0 || parent == RP_NOBODY)
    return FALSE;
  for (guint k = 0; k < c->d->n_res; k++) {
    double deserved = rp_case_deserved (c, parent, t->e->time, k);

    if (t->e->frees == NULL || t->e->frees[k] <= 0 || deserved <= 0)
      continue;
    knows = TRUE;
    if (rp_more (rp_case_held (c, parent, t->e->time, k), deserved))
      return FALSE;
  }
  if (!knows)
    return FALSE;
  g_autofree char *name = rp_job_name (c, t->claimant), *victim = rp_job_name (c, t->victim);
  RpDiagnosis *x = rp_case_add (c, "cousin-reclaim", "g18-cousin-reclaim", t->e->time, t->claimant);

  x->what = g_strdup_printf ("%s takes a pod of job '%s' from queue '%s' for job '%s' of queue '%s' in another branch, although its parent '%s' holds no more than it "
                             "deserves",
                             t->e->action, victim, queue_name (c, t->from), name, queue_name (c, t->to), lender->parent);
  x->advice = g_strdup ("let parents count: ancestorReclaimLevel: 1 (or higher, for more levels) among the arguments of capacity");
  rp_figure (x, "evictions", 1);
  return TRUE;
}

/* A queue of lower priority had as much to give and gave less. */
static gboolean
robs_the_better (RpCase *c, const GArray *all, const GArray *rows)
{
  const Taken *t = taken_at (all, g_array_index (rows, guint, 0));
  const RpQuota *lender = rp_case_quota_at (c, t->from, t->e->time);

  for (guint q = 0; q < c->queue->len && lender != NULL; q++) {
    const RpQuota *other = rp_case_quota_at (c, q, t->e->time);
    guint gave = 0;

    if (q == t->from || q == t->to || other == NULL || other->priority >= lender->priority || !other->reclaimable)
      continue;
    for (guint i = g_array_index (rows, guint, 0); i < all->len && taken_at (all, i)->e->time == t->e->time; i++)
      gave += taken_at (all, i)->from == q && taken_at (all, i)->to == t->to;
    for (guint k = 0; k < c->d->n_res && gave < rows->len; k++) {
      double deserved = rp_case_deserved (c, q, t->e->time, k), frees = t->e->frees != NULL ? t->e->frees[k] : 0;

      if (frees <= 0 || deserved <= 0 || rp_more (deserved + frees * (gave + 1), rp_case_held (c, q, t->e->time, k)))
        continue;
      RpDiagnosis *x = rp_case_add (c, "better-queue-pays", "g28-gold-queue-robbed-first", t->e->time, t->claimant);

      x->what = g_strdup_printf ("%s takes %u pod%s from queue '%s' (priority %d) for queue '%s', and %u from queue '%s' (priority %d), which holds more than it "
                                 "deserves, too",
                                 t->e->action, rows->len, rows->len == 1 ? "" : "s", queue_name (c, t->from), lender->priority, queue_name (c, t->to), gave,
                                 queue_name (c, q), other->priority);
      x->advice = g_strdup_printf ("priorities of lending queues are compared among the pods of one node only, and the first node that helps is taken: no setting is "
                                   "known that avoids it; keep the queues on different nodes or set reclaimable: false for '%s'",
                                   queue_name (c, t->from));
      rp_figure (x, "evictions", rows->len);
      return TRUE;
    }
  }
  return FALSE;
}

/* All claims of a queue in one cycle, from one lender. */
static void
claims_between (const GArray *all, guint first, GArray *rows)
{
  const Taken *t = taken_at (all, first);

  g_array_set_size (rows, 0);
  for (guint i = first; i < all->len && taken_at (all, i)->e->time == t->e->time; i++)
    if (taken_at (all, i)->to == t->to && taken_at (all, i)->from == t->from && is_reclaim (taken_at (all, i)))
      g_array_append_val (rows, i);
}

/* Each complaint once: the first cycle that shows it. */
static void
find_wrong_victims (RpCase *c, const GArray *all)
{
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (guint));
  gboolean beyond = FALSE, cousin = FALSE, better = FALSE;

  for (guint i = 0; i < all->len && !(beyond && cousin && better); i++) {
    const Taken *t = taken_at (all, i);

    if (!is_reclaim (t) || t->circle)
      continue;
    if (!beyond && begins_claim (all, i)) {
      claim_of (all, i, rows);
      beyond = goes_beyond_share (c, all, rows);
    }
    if (!cousin)
      cousin = robs_cousin (c, t);
    if (!better) {
      claims_between (all, i, rows);
      better = robs_the_better (c, all, rows);
    }
  }
}

void
rp_diagnose_evictions (RpCase *c)
{
  g_autoptr (GArray) all = collect (c), pairs = pairs_of (all);

  for (guint i = 0; i < pairs->len; i++) {
    report_circle (c, all, &g_array_index (pairs, Pair, i));
    g_array_unref (g_array_index (pairs, Pair, i).taken);
  }
  find_wasted (c, all);
  find_drained (c, all);
  find_wrong_victims (c, all);
}
