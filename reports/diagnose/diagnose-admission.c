/* reports/diagnose/diagnose-admission.c - the blocking vote: jobs that wait because the action enqueue does not let them in, although there is room, or although
 * room would be made for them if only they were in. */
#include "diagnose-private.h"
#include "reports/words.h"
#include <string.h>

typedef enum { GUARANTEE, UNPLACEABLE, IDLE, RECLAIM, PREEMPT, N_KINDS } Kind;

/* What keeps jobs out, by plugin; jobs of one kind make one diagnosis. */
typedef struct {
  Kind kind;
  const char *by;
  guint other;        /* queue with the guarantee, gang that cannot be placed, or lender */
  guint dim;
  guint jobs, worst;  /* number; index in c->waiter */
  gint64 wait;
  guint forever;
} Group;

static const RpWaiter *
waiter (const RpCase *c, guint i)
{
  return &g_array_index (c->waiter, RpWaiter, i);
}

/* A queue that is guaranteed more than there is. */
static gboolean
finds_guarantee (const RpCase *c, const RpWaiter *w, guint *queue, guint *dim)
{
  const RpCycle *cycle = rp_case_cycle_at (c, w->to);

  if (rp_case_queue_plugin (c) == NULL || strcmp (w->by, rp_case_queue_plugin (c)) != 0 || cycle == NULL || cycle->capacity == NULL)
    return FALSE;
  for (guint q = 0; q < c->queue->len; q++) {
    const RpQuota *quota = rp_case_quota_at (c, q, w->to);

    for (guint k = 0; k < c->d->n_res && quota != NULL && quota->guarantee != NULL; k++)
      if (rp_more (quota->guarantee[k], cycle->capacity[k])) {
        *queue = q;
        *dim = k;
        return TRUE;
      }
  }
  return FALSE;
}

/* A gang that was let in although the nodes have no places for it, and that counts as if it was about to run. */
static gboolean
finds_unplaceable (const RpCase *c, const RpWaiter *w, guint *gang)
{
  gboolean own_queue = strcmp (w->by, "overcommit") != 0;

  if (!rp_nearly_always (w->room.fits, w->room.asked))
    return FALSE;
  for (guint i = 0; i < c->d->jobs->len; i++) {
    const RpJob *j = rp_case_row (c, i);

    if (i == w->job || j->gang_start != RP_NONE || j->inqueue == RP_NONE || j->inqueue > w->to || (j->finish != RP_NONE && j->finish <= w->from)
        || j->places >= j->min_available || (own_queue && g_array_index (c->job, RpCaseJob, i).queue != w->queue))
      continue;
    *gang = i;
    return TRUE;
  }
  return FALSE;
}

/* Do those that were let in and wait for room, most of them, wait for nodes that the job cannot use? Then they do not keep anything for themselves
 * by keeping it out. */
static gboolean
others_wait_elsewhere (const RpCase *c, const RpWaiter *w)
{
  gint64 at = rp_waiter_at (w);
  guint here = 0, elsewhere = 0;

  for (guint i = 0; i < c->d->jobs->len; i++) {
    const RpJob *j = rp_case_row (c, i);

    if (i == w->job || j->inqueue == RP_NONE || j->inqueue > at || (j->gang_start != RP_NONE && j->gang_start <= at) || (j->finish != RP_NONE && j->finish <= at))
      continue;
    *(rp_case_share_nodes (c, i, w->job) ? &here : &elsewhere) += 1;
  }
  return elsewhere > here;
}

/* May its queue reclaim what the job needs? Then @lender holds more than it deserves. */
static gboolean
finds_lender (const RpCase *c, const RpWaiter *w, guint *lender)
{
  const RpJob *j = rp_case_row (c, w->job);
  gint64 at = rp_waiter_at (w) + 1;
  gboolean promised = FALSE;

  if (rp_case_reclaims (c) == NULL || rp_case_queue_plugin (c) == NULL || j->least == NULL)
    return FALSE;
  for (guint k = 0; k < c->d->n_res; k++) {
    double deserved = rp_case_deserved (c, w->queue, at, k);

    if (j->least[k] <= 0 || deserved <= 0)
      continue;
    if (rp_more (rp_case_held (c, w->queue, at, k) + j->least[k], deserved))
      return FALSE;
    promised = TRUE;
  }
  for (guint q = 0; q < c->queue->len && promised; q++) {
    const RpQuota *quota = rp_case_quota_at (c, q, at);

    if (q == w->queue || quota == NULL || !quota->reclaimable || g_array_index (c->queue, RpCaseQueue, q).children->len > 0)
      continue;
    for (guint k = 0; k < c->d->n_res; k++)
      if (j->least[k] > 0 && strcmp (c->d->resource[k], "pods") != 0 && rp_more (rp_case_held (c, q, at, k), rp_case_deserved (c, q, at, k))) {
        *lender = q;
        return TRUE;
      }
  }
  return FALSE;
}

/* Do jobs of lower priority run in its queue that hold, with what is idle, enough for it? */
static gboolean
finds_victims (const RpCase *c, const RpWaiter *w, guint *victim)
{
  const RpJob *j = rp_case_row (c, w->job);
  gint64 at = rp_waiter_at (w);
  const RpCycle *cycle = rp_case_cycle_at (c, at);
  guint n = 0;

  if (rp_case_preempts (c) == NULL || j->least == NULL || cycle == NULL || cycle->idle == NULL)
    return FALSE;
  g_autofree double *room = g_memdup2 (cycle->idle, c->d->n_res * sizeof (double));

  for (guint i = 0; i < c->d->jobs->len; i++) {
    const RpJob *v = rp_case_row (c, i);

    if (g_array_index (c->job, RpCaseJob, i).queue != w->queue || v->priority >= j->priority || !v->preemptable || v->gang_start == RP_NONE || v->gang_start > at
        || (v->finish != RP_NONE && v->finish <= at) || v->least == NULL)
      continue;
    for (guint k = 0; k < c->d->n_res; k++)
      room[k] += v->least[k];
    if (n++ == 0)
      *victim = i;
  }
  for (guint k = 0; k < c->d->n_res; k++)
    if (rp_more (j->least[k], room[k]))
      return FALSE;
  return n > 0;
}

static gboolean
classify (const RpCase *c, const RpWaiter *w, Group *g)
{
  *g = (Group) { .by = w->by, .other = RP_NOBODY };
  if (finds_guarantee (c, w, &g->other, &g->dim))
    g->kind = GUARANTEE;
  else if (finds_unplaceable (c, w, &g->other))
    g->kind = UNPLACEABLE;
  else if (rp_nearly_always (w->room.fits, w->room.asked) && others_wait_elsewhere (c, w))
    g->kind = IDLE;
  else if (finds_lender (c, w, &g->other))
    g->kind = RECLAIM;
  else if (finds_victims (c, w, &g->other))
    g->kind = PREEMPT;
  else
    return FALSE;
  return TRUE;
}

/* What makes overcommit let the job in. */
static char *
loosen (const RpCase *c, const Group *g, double factor)
{
  double now = 1.2;
  const VcPluginOption *overcommit = rp_case_plugin (c, "overcommit", NULL);

  if (strcmp (g->by, "overcommit") != 0 || overcommit == NULL)
    return g_strdup ("leave out the action enqueue");
  vc_args_get_float (&overcommit->args, "overcommit-factor", &now);
  now = now < 1 ? 1.2 : now;
  return g_strdup_printf ("overcommit-factor: %g or more (it is %g), or leave out the action enqueue", now < factor ? factor : now + 1, now);
}

static void
report (RpCase *c, const Group *g)
{
  static const struct { const char *code, *entry; } kinds[N_KINDS] = {
    [GUARANTEE] = { "guarantee-beyond-cluster", "g44-guarantee-typo" },
    [UNPLACEABLE] = { "unplaceable-gang-admitted", "g32-sum-fits-pods-do-not" },
    [IDLE] = { "admission-beside-idle-nodes", "g09-wrong-pool-fills-inqueue" },
    [RECLAIM] = { "admission-blocks-reclaim", "g08-enqueue-blocks-reclaim" },
    [PREEMPT] = { "admission-blocks-preempt", "g15-preempt-never-asked" },
  };
  const RpWaiter *w = waiter (c, g->worst);
  const RpJob *j = rp_case_row (c, w->job);
  RpDiagnosis *x = rp_case_add (c, kinds[g->kind].code, kinds[g->kind].entry, w->from, w->job);
  g_autofree char *name = rp_job_name (c, w->job), *wait = rp_wait_words (w->wait, w->forever), *all = rp_span ((double) g->wait / 1e6);
  g_autofree char *more = g->jobs > 1 ? g_strdup_printf (" (and %u more job%s, %s in all)", g->jobs - 1, g->jobs == 2 ? "" : "s", all) : g_strdup ("");
  g_autofree char *head = g_strdup_printf ("job '%s' of queue '%s' waits %s for admission%s: the vote of %s keeps it out", name, j->queue, wait, more, g->by);

  if (g->kind == GUARANTEE) {
    const RpQuota *quota = rp_case_quota_at (c, g->other, w->to);
    g_autofree char *given = rp_amount (c, g->dim, quota->guarantee[g->dim]), *has = rp_amount (c, g->dim, rp_case_cycle_at (c, w->to)->capacity[g->dim]);

    x->what = g_strdup_printf ("%s, because queue '%s' is guaranteed %s and the cluster has %s", head, quota->queue, given, has);
    x->advice = g_strdup_printf ("a guarantee that cannot be met leaves nothing to the others: lower the guarantee of queue '%s' to less than %s", quota->queue, has);
  } else if (g->kind == UNPLACEABLE) {
    const RpJob *gang = rp_case_row (c, g->other);
    g_autofree char *holder = rp_job_name (c, g->other);

    x->what = g_strdup_printf ("%s beside idle nodes that would take it. The gang '%s' was let in by its sum, but an empty cluster has places for %u of its %u pods: it "
                               "counts as if it was about to run, for ever",
                               head, holder, gang->places, gang->min_available);
    x->advice = g_strdup_printf ("leave out the action enqueue, or take '%s' away (or give it smaller pods)", holder);
  } else if (g->kind == IDLE) {
    x->what = g_strdup_printf ("%s, although the nodes that it may use had room for it all the time: jobs that are let in and cannot start, as their nodes are taken, "
                               "fill the count for the whole cluster",
                               head);
    x->advice = loosen (c, g, 3);
  } else if (g->kind == RECLAIM) {
    x->what = g_strdup_printf ("%s. Its queue is below its share and queue '%s' above, but '%s' looks at admitted jobs only and never sees it", head,
                               g_array_index (c->queue, RpCaseQueue, g->other).name, rp_case_reclaims (c));
    x->advice = loosen (c, g, 2);
  } else {
    const RpJob *victim = rp_case_row (c, g->other);
    g_autofree char *low = rp_job_name (c, g->other);

    x->what = g_strdup_printf ("%s. Its priority is %d, and jobs of lower priority run in its queue ('%s': %d), but '%s' looks at admitted jobs only and never sees it",
                               head, j->priority, low, victim->priority, rp_case_preempts (c));
    x->advice = loosen (c, g, 2);
  }
  rp_figure (x, "jobs", g->jobs);
  rp_figure (x, "jobs_for_ever", g->forever);
  rp_figure (x, "job_hours", (double) g->wait / 3600e6);
  rp_figure (x, "longest_wait_s", (double) w->wait / 1e6);
}

void
rp_diagnose_admission (RpCase *c)
{
  g_autoptr (GArray) groups = g_array_new (FALSE, FALSE, sizeof (Group));

  for (guint i = 0; i < c->waiter->len; i++) {
    const RpWaiter *w = waiter (c, i);
    Group g;
    guint k = 0;

    if (strcmp (w->cause, "enqueue") != 0 || *w->by == '\0' || c->explained[w->job] || !classify (c, w, &g))
      continue;
    c->explained[w->job] = TRUE;
    while (k < groups->len && (g_array_index (groups, Group, k).kind != g.kind || strcmp (g_array_index (groups, Group, k).by, g.by) != 0))
      k++;
    if (k == groups->len) {
      g.worst = i;
      g_array_append_val (groups, g);
    }
    Group *into = &g_array_index (groups, Group, k);

    into->jobs++;
    into->wait += w->wait;
    into->forever += w->forever;
  }
  for (guint k = 0; k < groups->len; k++)
    report (c, &g_array_index (groups, Group, k));
}
