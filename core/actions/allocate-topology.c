/* Jobs over HyperNodes and sub-jobs (02 §3.7, §3.8, §3.10).
 *
 * A job is tried in every HyperNode of the first gradient that has a solution, its sub-jobs one after the other, each in every HyperNode of its
 * own first gradient with a solution. Every trial is undone; the best by score, of equal ones the first by name, is done again.
 *
 * Most trials need not be made: allocate-forecast.h tells what they would come to. Then only the best is placed, and what went before it is not
 * undone but never was. Where a forecast does not come true, everything is taken back and every trial is made.
 * Mirrors allocateForJob, allocateForSubJob and recorder.go (pkg/scheduler/actions/allocate). */
#include "allocate-forecast.h"
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

/* A trial that succeeded, undone by now, or that is known to succeed. */
typedef struct {
  guint32 hyper;
  double score;
  VcPlan *plan;       /* NULL: foreseen */
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

typedef enum { NOWHERE, PLACED, ASTRAY /* a forecast did not come true; nothing is placed */ } Result;

typedef struct {
  VcAllocate *a;
  VcSession *ssn;
  guint32 job;
  guint placed; /* the most tasks that a trial had places for */
  gboolean tried; /* was any task looked at? */
  gboolean outer; /* a forecast of the whole job is at work */
  /* what forecasts rest on */
  guint supposed; /* the most tasks that one supposes to be asked */
  guint asked;    /* the most that were, by one real trial */
  gboolean astray;
} Try;

static gboolean
holds_true (const Try *t)
{
  return !t->astray && t->asked >= t->supposed;
}

/* After a real trial. */
static void
learn (Try *t)
{
  t->asked = MAX (t->asked, t->a->asked);
  t->astray |= t->a->dropped;
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

/* ---- a sub-job ------------------------------------------------------------------------------------------ */

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

/* Of trials of which none is known to fit, one that places the most: it is made to see that as many tasks are let pass. @n: there is no need. Vague
 * outcomes count only where some other trial fits. */
static guint
trial_to_make (VcOutcome *o, guint n)
{
  guint at = n;

  for (guint i = 0; i < n; i++)
    if (o[i].known && o[i].fits)
      return n;
  for (guint i = 0; i < n; i++) {
    o[i].known &= !o[i].vague;
    if (o[i].known && (at == n || o[i].placed > o[at].placed))
      at = i;
  }
  return at;
}

/* The HyperNodes of one gradient, each trial undone, or foreseen when there is a forecast. The fit errors are those of the last trial. */
static void
try_sub_job (Try *t, const VcForecast *f, guint32 sub, const VcHeap *tasks, const guint32 *hypers, guint n, GArray *solutions)
{
  g_autoptr (VcStatement) st = vc_statement_new (t->ssn);
  g_autofree VcOutcome *o = g_new0 (VcOutcome, n + 1);
  guint make = n;

  for (guint i = 0; i < n && f != NULL; i++)
    o[i] = vc_forecast_trial (f, hypers[i]);
  if (f != NULL)
    make = trial_to_make (o, n);
  for (guint i = 0; i < n && !t->astray; i++) {
    Solution x = { .hyper = hypers[i] };

    t->tried = TRUE;
    vc_fit_reset (t->ssn, t->job, sub);
    if (o[i].known && i != make && (o[i].fits || i + 1 < n)) {
      t->supposed = MAX (t->supposed, vc_forecast_supposes (f, o[i]));
      t->placed = MAX (t->placed, o[i].placed);
      vc_forecast_rotate (f, hypers[i], &t->ssn->engine->rotating);
      vc_forecast_undone (f, o[i].placed);
      t->ssn->result.foreseen++;
      if (o[i].fits)
        g_array_append_val (solutions, x);
      continue;
    }
    t->ssn->result.trials++;
    vc_heap_clone (&x.tasks, tasks);
    gboolean good = vc_allocate_tasks (t->a, st, t->job, sub, &x.tasks, hypers[i]) && vc_statement_length (st) > 0;
    guint placed = vc_statement_length (st);
    t->placed = MAX (t->placed, placed);
    x.plan = good ? vc_statement_save (&st, 1) : NULL;
    vc_statement_undo (st);
    if (good)
      g_array_append_val (solutions, x);
    else
      solution_clear (&x);
    if (f != NULL)
      learn (t);
    if (o[i].known)
      t->astray |= good != o[i].fits || placed != o[i].placed;
  }
}

/* The sub-job goes to the best solution. A foreseen one leaves no trace in the search and in the fit errors: its trial has been. */
static Result
place_best (Try *t, const VcForecast *f, VcStatement *st, guint32 sub, const VcHeap *tasks, Solution *best)
{
  VcSession *ssn = t->ssn;

  if (best != NULL && best->plan == NULL) {
    VcKeptFits kept = vc_forecast_keep_fits (ssn, t->job);
    guint32 rotating = ssn->engine->rotating;

    vc_fit_reset (ssn, t->job, sub);
    vc_heap_clone (&best->tasks, tasks);
    gboolean good = vc_allocate_tasks (t->a, st, t->job, sub, &best->tasks, best->hyper);
    learn (t);
    t->astray |= !good || !vc_forecast_came_true (f, st);
    for (guint i = 0; i < f->need; i++)
      ssn->cluster->task[g_array_index (f->order, guint32, i)].job_hyper = VC_NONE; /* as vc_statement_recover leaves it */
    vc_forecast_restore_fits (ssn, t->job, &kept);
    ssn->engine->rotating = rotating;
  } else if (best == NULL || !vc_statement_recover (st, best->plan)) {
    vc_statement_undo (st);
    return f == NULL || holds_true (t) ? NOWHERE : ASTRAY;
  }
  if (f == NULL || holds_true (t))
    return PLACED;
  vc_statement_undo (st);
  t->astray = TRUE;
  return ASTRAY;
}

/* In the first gradient within @hyper that has a solution. */
static Result
place_in_gradient (Try *t, const VcForecast *f, VcStatement *st, guint32 sub, VcHeap *tasks, guint32 hyper, double *score)
{
  VcSession *ssn = t->ssn;
  const VcHyperView *v = vc_session_hypers (ssn);
  VcSubJob *b = vc_job_sub (&ssn->cluster->job[t->job], sub);
  g_auto (VcGradients) gradients = { 0 };
  guint from = 0;

  vc_gradients_init (&gradients);
  vc_session_gradients (ssn, t->job, sub, hyper, VC_FOR_PLACEMENT, &gradients);
  for (guint g = 0; g < gradients.end->len; g++) {
    guint to = g_array_index (gradients.end, guint, g);
    g_autoptr (GArray) solutions = solutions_new ();

    const guint32 *hypers = &g_array_index (gradients.hyper, guint32, from);
    guint n = to - from;

    try_sub_job (t, f, sub, tasks, hypers, n, solutions);
    from = to;
    if (t->astray)
      return ASTRAY;
    if (solutions->len > 0)
      score_solutions (t, sub, solutions);
    Solution *best = best_of (v, solutions);
    tell (t, sub, g, hypers, n, solutions, best);
    if (solutions->len == 0)
      continue;
    Result r = place_best (t, f, st, sub, tasks, best);
    if (r != PLACED)
      return r;
    *score = best->score;
    b->allocated = vc_hyper_lca (v, b->allocated, best->hyper);
    move_heap (tasks, &best->tasks);
    record (t->a->divided[t->job], hyper, sub, b->allocated);
    return PLACED;
  }
  return f == NULL || holds_true (t) ? NOWHERE : ASTRAY;
}

/* Place the sub-job within @hyper. TRUE: @st holds placements (at least one), @tasks what is left, *score the HyperNode's score. */
static gboolean
place_sub_job (Try *t, VcStatement *st, guint32 sub, VcHeap *tasks, guint32 hyper, double *score)
{
  g_auto (VcForecast) f = { 0 };

  *score = 0;
  if (vc_heap_is_empty (tasks))
    return FALSE;
  if (vc_allocate_nominated (t->a, st, t->job, sub, tasks, hyper)) {
    record (t->a->divided[t->job], hyper, sub, vc_job_sub (&t->ssn->cluster->job[t->job], sub)->allocated);
    return vc_statement_length (st) > 0;
  }
  gboolean foresee = vc_forecast_init (&f, t->a, t->job, sub, tasks);
  guint placed = t->placed;
  Result r = place_in_gradient (t, foresee ? &f : NULL, st, sub, tasks, hyper, score);
  if (r == ASTRAY && !t->outer) {
    vc_forecast_take_back (&f);
    t->ssn->result.astray++;
    t->astray = FALSE;
    t->asked = t->supposed = 0;
    t->placed = placed;
    r = place_in_gradient (t, NULL, st, sub, tasks, hyper, score);
  }
  return r == PLACED;
}

/* ---- a job ---------------------------------------------------------------------------------------------- */

static void
free_statement (gpointer st)
{
  vc_statement_free (st);
}

/* Sub-job after sub-job within @hyper, until the job is ready, each with a statement of its own. @x gets the score and what is left. */
static GPtrArray *
run_job (Try *t, guint32 hyper, Solution *x)
{
  VcSession *ssn = t->ssn;
  VcSubJobs *s = ssn->cluster->job[t->job].subs;
  GPtrArray *statements = g_ptr_array_new_with_free_func (free_statement);
  g_autofree guint32 *held = g_new (guint32, s->n + 1);

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
  return statements;
}

/* Undone at the end. TRUE: @x is a solution. */
static gboolean
try_job (Try *t, guint32 hyper, Solution *x)
{
  g_autoptr (GPtrArray) statements = run_job (t, hyper, x);
  gboolean good = FALSE;

  if (statements->len > 0) {
    x->plan = vc_statement_save ((VcStatement *const *) statements->pdata, statements->len);
    good = vc_session_job_ready (t->ssn, t->job) || vc_session_job_pipelined (t->ssn, t->job);
  }
  for (guint i = 0; i < statements->len; i++)
    vc_statement_undo (statements->pdata[i]);
  if (!good)
    solution_clear (x);
  return good;
}

/* ---- a job of one sub-job, foreseen ------------------------------------------------------------------------ */

typedef struct {
  VcOutcome o;         /* of the whole job within a HyperNode */
  gboolean last_fits;  /* the last trial in it leaves no fit error */
  guint supposed;
  double score;
  guint end;           /* of its HyperNodes in `tried` */
} JobOutcome;

/* What try_job would find in @hyper; the HyperNodes of its trials are appended to @tried. */
static JobOutcome
foresee_job (Try *t, const VcForecast *f, guint32 hyper, VcGradients *gradients, GArray *tried)
{
  JobOutcome job = { .o = { .known = TRUE } };
  guint from = 0;

  vc_session_gradients (t->ssn, t->job, f->sub, hyper, VC_FOR_PLACEMENT, gradients);
  for (guint g = 0; g < gradients->end->len && !job.o.fits; g++) {
    guint to = g_array_index (gradients->end, guint, g), first = from;
    g_autoptr (GArray) solutions = NULL;

    for (; from < to; from++) {
      guint32 h = g_array_index (gradients->hyper, guint32, from);
      VcOutcome o = vc_forecast_trial (f, h);
      if (!o.known)
        return (JobOutcome) { .end = tried->len };
      if (o.fits) {
        const Solution x = { .hyper = h };
        if (solutions == NULL)
          solutions = solutions_new ();
        g_array_append_val (solutions, x);
      }
      job.o.placed = MAX (job.o.placed, o.placed);
      job.o.vague |= o.vague;
      job.supposed = MAX (job.supposed, vc_forecast_supposes (f, o));
      job.last_fits = o.fits;
    }
    g_array_append_vals (tried, &g_array_index (gradients->hyper, guint32, first), to - first);
    if (solutions == NULL)
      continue;
    score_solutions (t, f->sub, solutions);
    const Solution *best = best_of (vc_session_hypers (t->ssn), solutions);
    if (best == NULL)
      return (JobOutcome) { .end = tried->len };
    job.o.fits = TRUE;
    job.o.vague = FALSE;
    job.score = best->score;
  }
  job.end = tried->len;
  return job;
}

/* The same of all HyperNodes of a gradient. @make: the trial that is to be made, as of a sub-job. (transfer full) */
static JobOutcome *
foresee_jobs (Try *t, const VcForecast *f, const guint32 *hypers, guint n, GArray *tried, guint *make)
{
  JobOutcome *job = g_new (JobOutcome, n + 1);
  g_autofree VcOutcome *o = g_new (VcOutcome, n + 1);
  g_auto (VcGradients) gradients = { 0 };

  vc_gradients_init (&gradients);
  for (guint i = 0; i < n; i++) {
    job[i] = foresee_job (t, f, hypers[i], &gradients, tried);
    o[i] = job[i].o;
  }
  *make = trial_to_make (o, n);
  for (guint i = 0; i < n; i++)
    job[i].o = o[i];
  return job;
}

/* The HyperNodes of a gradient of the job. */
static void
try_jobs (Try *t, const VcForecast *f, const guint32 *hypers, guint n, GArray *solutions)
{
  g_autoptr (GArray) tried = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autofree JobOutcome *job = NULL;
  guint make = n, at = 0;

  if (f != NULL)
    job = foresee_jobs (t, f, hypers, n, tried, &make);
  for (guint i = 0; i < n && !t->astray; i++) {
    Solution x = { .hyper = hypers[i] };

    if (f == NULL || !job[i].o.known || i == make || (!job[i].last_fits && i + 1 == n)) {
      if (try_job (t, hypers[i], &x))
        g_array_append_val (solutions, x);
      if (f != NULL)
        at = job[i].end;
      continue;
    }
    vc_fit_reset (t->ssn, t->job, VC_NONE);
    t->tried |= at < job[i].end;
    for (; at < job[i].end; at++)
      vc_forecast_rotate (f, g_array_index (tried, guint32, at), &t->ssn->engine->rotating);
    t->supposed = MAX (t->supposed, job[i].supposed);
    t->placed = MAX (t->placed, job[i].o.placed);
    vc_forecast_undone (f, job[i].o.placed);
    t->ssn->result.foreseen++;
    x.score = job[i].score;
    if (job[i].o.fits)
      g_array_append_val (solutions, x);
  }
}

/* As place_best, for the job. */
static Result
place_best_job (Try *t, const VcForecast *f, VcStatement *st, Solution *best)
{
  VcSession *ssn = t->ssn;

  if (best->plan == NULL) {
    VcKeptFits kept = vc_forecast_keep_fits (ssn, t->job);
    guint32 rotating = ssn->engine->rotating, hyper = best->hyper;
    double score = best->score;

    solution_clear (best);
    g_autoptr (GPtrArray) statements = run_job (t, hyper, best);
    t->astray |= statements->len != 1 || best->score != score || !vc_session_job_ready (ssn, t->job);
    for (guint i = 0; i < statements->len; i++)
      vc_statement_merge (st, statements->pdata[i]);
    t->astray |= !vc_forecast_came_true (f, st);
    vc_forecast_restore_fits (ssn, t->job, &kept);
    ssn->engine->rotating = rotating;
  } else if (!vc_statement_recover (st, best->plan)) {
    vc_statement_undo (st);
    return f == NULL || holds_true (t) ? NOWHERE : ASTRAY;
  }
  if (f != NULL && !holds_true (t)) {
    vc_statement_undo (st);
    return ASTRAY;
  }
  return PLACED;
}

static Result
place_job (Try *t, const VcForecast *f, VcStatement *st)
{
  VcDividedJob *d = t->a->divided[t->job];
  g_auto (VcGradients) gradients = { 0 };
  guint from = 0;

  vc_gradients_init (&gradients);
  vc_session_gradients (t->ssn, t->job, VC_NONE, VC_HYPER_ROOT, VC_FOR_PLACEMENT, &gradients);
  for (guint g = 0; g < gradients.end->len; g++) {
    g_autoptr (GArray) solutions = solutions_new ();
    guint to = g_array_index (gradients.end, guint, g);
    const guint32 *hypers = &g_array_index (gradients.hyper, guint32, from);
    guint n = to - from;

    try_jobs (t, f, hypers, n, solutions);
    from = to;
    if (t->astray)
      return ASTRAY;
    Solution *best = best_of (vc_session_hypers (t->ssn), solutions);
    tell (t, VC_NONE, g, hypers, n, solutions, best);
    if (best == NULL && solutions->len == 0)
      continue;
    Result r = best != NULL ? place_best_job (t, f, st, best) : f == NULL || holds_true (t) ? NOWHERE : ASTRAY;
    if (r == PLACED) {
      vc_worksheet_free (d->sheet);
      d->sheet = g_steal_pointer (&best->sheet);
      d->hyper = best->hyper;
    }
    return r;
  }
  if (f != NULL && !holds_true (t))
    return ASTRAY;
  if (t->placed > 0)
    vc_session_note_discard (t->ssn, t->job, t->placed);
  if (!t->tried)
    t->ssn->cluster->job[t->job].homeless_session = t->ssn->number;
  return NOWHERE;
}

gboolean
vc_allocate_divided (VcAllocate *a, VcStatement *st, guint32 job)
{
  Try t = { .a = a, .ssn = a->ssn, .job = job };
  VcDividedJob *d = a->divided[job];
  g_auto (VcForecast) f = { 0 };

  if (vc_worksheet_is_empty (d->sheet))
    return FALSE;
  /* Several sub-jobs take room from one another. */
  t.outer = !vc_job_has_policies (&a->ssn->cluster->job[job]) && d->sheet->subs.n == 1 &&
            vc_forecast_init (&f, a, job, d->sheet->subs.item[0], &d->sheet->tasks[d->sheet->subs.item[0]]);
  Result r = place_job (&t, t.outer ? &f : NULL, st);
  if (r == ASTRAY) {
    vc_forecast_take_back (&f);
    a->ssn->result.astray++;
    t = (Try) { .a = a, .ssn = a->ssn, .job = job };
    a->no_forecasts = TRUE;
    r = place_job (&t, NULL, st);
    a->no_forecasts = FALSE;
  }
  return r == PLACED;
}
