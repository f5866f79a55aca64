/* Jobs over HyperNodes and sub-jobs (02 §3.7, §3.8, §3.10).
 *
 * A job is tried in every HyperNode of the first gradient that has a solution, its sub-jobs one after the other, each in every HyperNode of its
 * own first gradient with a solution. Every trial is undone; the best by score, of equal ones the first by name, is done again.
 * Mirrors allocateForJob, allocateForSubJob and recorder.go (pkg/scheduler/actions/allocate). */
#include "allocate.h"
#include <math.h>
#include <string.h>

VcDividedJob *
vc_divided_job_new (VcSession *ssn, guint32 job)
{
  VcDividedJob *d = g_new0 (VcDividedJob, 1);

  d->sheet = vc_worksheet_new (ssn, job, FALSE);
  d->hyper = VC_HYPER_NONE;
  return d;
}

void
vc_divided_job_free (VcDividedJob *d)
{
  if (d == NULL)
    return;
  vc_worksheet_free (d->sheet);
  g_clear_pointer (&d->decisions, g_array_unref);
  g_free (d);
}

/* ---- the recorder ------------------------------------------------------------------------------------ */

static void
record (VcDividedJob *d, guint32 job_hyper, guint32 sub, guint32 hyper)
{
  VcSubDecision now = { job_hyper, sub, hyper };

  if (d->decisions == NULL)
    d->decisions = g_array_new (FALSE, FALSE, sizeof (VcSubDecision));
  for (guint i = d->decisions->len; i-- > 0;) { /* the newest of a trial is near the end */
    VcSubDecision *was = &g_array_index (d->decisions, VcSubDecision, i);
    if (was->job_hyper == job_hyper && was->sub == sub) {
      *was = now;
      return;
    }
  }
  g_array_append_val (d->decisions, now);
}

void
vc_allocate_keep_decision (VcAllocate *a, guint32 job)
{
  const VcHyperView *v = vc_session_hypers (a->ssn);
  const VcDividedJob *d = a->divided[job];
  VcSubJobs *s = a->ssn->cluster->job[job].subs;

  s->dirty = TRUE;
  if (d->hyper == VC_HYPER_NONE)
    return;
  s->allocated = vc_hyper_lca (v, s->allocated, d->hyper);
  for (guint i = 0; d->decisions != NULL && i < d->decisions->len; i++) {
    const VcSubDecision *x = &g_array_index (d->decisions, VcSubDecision, i);
    if (x->job_hyper != d->hyper)
      continue;
    s->sub[x->sub].allocated = vc_hyper_lca (v, s->sub[x->sub].allocated, x->hyper);
    s->sub[x->sub].nominated_session = 0; /* the promise is kept */
  }
}

/* ---- solutions ---------------------------------------------------------------------------------------- */

/* A trial that succeeded, undone by now. */
typedef struct {
  guint32 hyper;
  double score;
  VcPlan *plan;
  VcWorksheet *sheet; /* of a job: what it left over */
  VcHeap tasks;       /* of a sub-job: likewise */
} Solution;

static void
solution_clear (gpointer p)
{
  Solution *x = p;

  vc_plan_free (x->plan);
  vc_worksheet_free (x->sheet);
  vc_heap_clear (&x->tasks);
}

static GArray *
solutions_new (void)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (Solution));
  g_array_set_clear_func (list, solution_clear);
  return list;
}

/* The highest score, of equal ones the first by name; NULL when no score is a number. */
static Solution *
best_of (const VcHyperView *v, GArray *list)
{
  Solution *best = NULL;

  for (guint i = 0; i < list->len; i++) {
    Solution *x = &g_array_index (list, Solution, i);
    if (!(x->score > -(double) INFINITY))
      continue;
    if (best == NULL || x->score > best->score || (x->score == best->score && strcmp (v->hyper[x->hyper].name, v->hyper[best->hyper].name) < 0))
      best = x;
  }
  return best;
}

static void
move_heap (VcHeap *to, VcHeap *from)
{
  vc_heap_clear (to);
  *to = *from;
  *from = (VcHeap) { 0 };
}

/* ---- a sub-job ------------------------------------------------------------------------------------------ */

typedef struct {
  VcAllocate *a;
  VcSession *ssn;
  guint32 job;
  guint placed; /* the most tasks that a trial had places for */
  gboolean tried; /* was any task looked at? */
} Try;

static void
score_solutions (Try *t, guint32 sub, GArray *list)
{
  g_autofree guint32 *hyper = g_new (guint32, list->len);
  g_autofree double *score = g_new (double, list->len);

  for (guint i = 0; i < list->len; i++)
    hyper[i] = g_array_index (list, Solution, i).hyper;
  vc_session_hyper_scores (t->ssn, t->job, sub, hyper, list->len, score);
  for (guint i = 0; i < list->len; i++)
    g_array_index (list, Solution, i).score = score[i];
}

static void
tell (const Try *t, guint32 sub, guint gradient, const guint32 *hypers, guint n, const GArray *solutions, const Solution *best)
{
  const VcObserver *o = vc_session_hyper_observer (t->ssn);
  g_autofree VcHyperTrial *trial = o != NULL ? g_new (VcHyperTrial, n + 1) : NULL;

  if (o == NULL)
    return;
  for (guint i = 0; i < n; i++) {
    trial[i] = (VcHyperTrial) { .hyper = hypers[i] };
    for (guint k = 0; k < solutions->len; k++)
      if (g_array_index (solutions, Solution, k).hyper == hypers[i])
        trial[i] = (VcHyperTrial) { hypers[i], TRUE, g_array_index (solutions, Solution, k).score };
  }
  o->hypers (o->user, t->ssn, t->job, sub, gradient, trial, n, best != NULL ? best->hyper : VC_NONE);
}

/* The HyperNodes of one gradient, each trial undone. */
static void
try_sub_job (Try *t, guint32 sub, const VcHeap *tasks, const guint32 *hypers, guint n, GArray *solutions)
{
  g_autoptr (VcStatement) st = vc_statement_new (t->ssn);

  for (guint i = 0; i < n; i++) {
    Solution x = { .hyper = hypers[i] };

    t->tried = TRUE;
    vc_fit_reset (t->ssn, t->job, sub);
    vc_heap_clone (&x.tasks, tasks);
    gboolean good = vc_allocate_tasks (t->a, st, t->job, sub, &x.tasks, hypers[i]) && vc_statement_length (st) > 0;
    t->placed = MAX (t->placed, vc_statement_length (st));
    x.plan = good ? vc_statement_save (&st, 1) : NULL;
    vc_statement_undo (st);
    if (good)
      g_array_append_val (solutions, x);
    else
      solution_clear (&x);
  }
}

/* Place the sub-job within @hyper. TRUE: @st holds placements (at least one), @tasks what is left, *score the HyperNode's score. */
static gboolean
place_sub_job (Try *t, VcStatement *st, guint32 sub, VcHeap *tasks, guint32 hyper, double *score)
{
  VcSession *ssn = t->ssn;
  const VcHyperView *v = vc_session_hypers (ssn);
  VcSubJob *b = vc_job_sub (&ssn->cluster->job[t->job], sub);
  g_auto (VcGradients) gradients = { 0 };
  guint from = 0;

  *score = 0;
  if (vc_heap_is_empty (tasks))
    return FALSE;
  if (vc_allocate_nominated (t->a, st, t->job, sub, tasks, hyper)) {
    record (t->a->divided[t->job], hyper, sub, b->allocated);
    return vc_statement_length (st) > 0;
  }
  vc_gradients_init (&gradients);
  vc_session_gradients (ssn, t->job, sub, hyper, VC_FOR_PLACEMENT, &gradients);
  for (guint g = 0; g < gradients.end->len; g++) {
    guint to = g_array_index (gradients.end, guint, g);
    g_autoptr (GArray) solutions = solutions_new ();

    const guint32 *hypers = &g_array_index (gradients.hyper, guint32, from);
    guint n = to - from;

    try_sub_job (t, sub, tasks, hypers, n, solutions);
    from = to;
    if (solutions->len > 0)
      score_solutions (t, sub, solutions);
    Solution *best = best_of (v, solutions);
    tell (t, sub, g, hypers, n, solutions, best);
    if (solutions->len == 0)
      continue;
    if (best == NULL || !vc_statement_recover (st, best->plan)) {
      vc_statement_undo (st);
      return FALSE;
    }
    *score = best->score;
    b->allocated = vc_hyper_lca (v, b->allocated, best->hyper);
    move_heap (tasks, &best->tasks);
    record (t->a->divided[t->job], hyper, sub, b->allocated);
    return TRUE;
  }
  return FALSE;
}

/* ---- a job ---------------------------------------------------------------------------------------------- */

static void
free_statement (gpointer st)
{
  vc_statement_free (st);
}

/* Sub-job after sub-job within @hyper, until the job is ready; undone at the end. TRUE: @x is a solution. */
static gboolean
try_job (Try *t, guint32 hyper, Solution *x)
{
  VcSession *ssn = t->ssn;
  VcSubJobs *s = ssn->cluster->job[t->job].subs;
  g_autoptr (GPtrArray) statements = g_ptr_array_new_with_free_func (free_statement);
  g_autofree guint32 *held = g_new (guint32, s->n + 1);
  gboolean good = FALSE;

  for (guint i = 0; i < s->n; i++)
    held[i] = s->sub[i].allocated;
  vc_fit_reset (ssn, t->job, VC_NONE);
  *x = (Solution) { .hyper = hyper, .sheet = vc_worksheet_copy (t->a->divided[t->job]->sheet) };
  while (!vc_worksheet_is_empty (x->sheet)) {
    guint32 sub = vc_heap_pop (&x->sheet->subs);
    g_autoptr (VcStatement) st = vc_statement_new (ssn);
    double score;

    if (!place_sub_job (t, st, sub, &x->sheet->tasks[sub], hyper, &score))
      continue;
    g_ptr_array_add (statements, g_steal_pointer (&st));
    x->score += score;
    if (!vc_heap_is_empty (&x->sheet->tasks[sub]))
      vc_heap_push (&x->sheet->subs, sub);
    if (vc_session_job_ready (ssn, t->job))
      break;
  }
  for (guint i = 0; i < s->n; i++)
    s->sub[i].allocated = held[i];
  if (statements->len > 0) {
    x->plan = vc_statement_save ((VcStatement *const *) statements->pdata, statements->len);
    good = vc_session_job_ready (ssn, t->job) || vc_session_job_pipelined (ssn, t->job);
  }
  for (guint i = 0; i < statements->len; i++)
    vc_statement_undo (statements->pdata[i]);
  if (!good)
    solution_clear (x);
  return good;
}

gboolean
vc_allocate_divided (VcAllocate *a, VcStatement *st, guint32 job)
{
  Try t = { .a = a, .ssn = a->ssn, .job = job };
  VcDividedJob *d = a->divided[job];
  g_auto (VcGradients) gradients = { 0 };
  guint from = 0;

  if (vc_worksheet_is_empty (d->sheet))
    return FALSE;
  vc_gradients_init (&gradients);
  vc_session_gradients (a->ssn, job, VC_NONE, VC_HYPER_ROOT, VC_FOR_PLACEMENT, &gradients);
  for (guint g = 0; g < gradients.end->len; g++) {
    g_autoptr (GArray) solutions = solutions_new ();
    guint to = g_array_index (gradients.end, guint, g), first = from;
    Solution x;

    for (; from < to; from++)
      if (try_job (&t, g_array_index (gradients.hyper, guint32, from), &x))
        g_array_append_val (solutions, x);
    Solution *best = best_of (vc_session_hypers (a->ssn), solutions);
    tell (&t, VC_NONE, g, &g_array_index (gradients.hyper, guint32, first), to - first, solutions, best);
    if (best == NULL) {
      if (solutions->len > 0)
        return FALSE;
      continue;
    }
    if (!vc_statement_recover (st, best->plan)) {
      vc_statement_undo (st);
      return FALSE;
    }
    vc_worksheet_free (d->sheet);
    d->sheet = g_steal_pointer (&best->sheet);
    d->hyper = best->hyper;
    return TRUE;
  }
  if (t.placed > 0)
    vc_session_note_discard (a->ssn, job, t.placed);
  if (!t.tried)
    a->ssn->cluster->job[job].homeless_session = a->ssn->number;
  return FALSE;
}
