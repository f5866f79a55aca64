/* sim/controllers/cron-step.c - mirrors syncCronJob and what it calls (pkg/controllers/cronjob). */
#include "cron-step.h"
#include <string.h>

#define SECOND G_USEC_PER_SEC
#define DELTA (SECOND / 10)                  /* so much later than scheduled, against clocks that differ */
#define LONGEST G_GINT64_CONSTANT (9223372036) /* seconds of a time.Duration */
#define MANY 100

static inline gint64
floor_div (gint64 a, gint64 b)
{
  return a / b - (a % b < 0);
}

/* ---- when ----------------------------------------------------------------------------------- */

/* startingDeadlineSeconds before @now; the product wraps around as Go's does. */
static gint64
deadline_of (const SimCronSpec *spec, gint64 now)
{
  gint64 ns = (gint64) ((guint64) spec->deadline * (guint64) -G_GINT64_CONSTANT (1000000000));

  return now + floor_div (ns, 1000);
}

gboolean
sim_cron_most_recent (const SimCronSpec *spec, gint64 last, gint64 now, gboolean deadline, gint64 *earliest, gint64 *recent,
                      SimCronMissed *missed)
{
  *earliest = last != SIM_CRON_NO_TIME ? last : spec->created;
  *recent = SIM_CRON_NO_TIME;
  *missed = SIM_CRON_MISSED_NONE;
  if (deadline && spec->deadline >= 0)
    *earliest = MAX (*earliest, deadline_of (spec, now));
  gint64 first = wl_cron_schedule_next (spec->schedule, *earliest), second = wl_cron_schedule_next (spec->schedule, first);

  if (now < first)
    return TRUE;
  if (now < second) {
    *recent = first;
    return TRUE;
  }
  gint64 between = (second - first) / SECOND;

  if (between < 1)
    return FALSE;
  gint64 n = MIN ((now - first) / SECOND, LONGEST) / between + 1;
  gint64 near = first + (n - 2) * between * SECOND; /* one interval earlier, since intervals need not be equal */

  for (gint64 t = wl_cron_schedule_next (spec->schedule, near); t <= now && t != WL_CRON_ZERO; t = wl_cron_schedule_next (spec->schedule, t))
    *recent = t;
  *missed = n > MANY ? SIM_CRON_MISSED_MANY : SIM_CRON_MISSED_FEW;
  return TRUE;
}

gint64
sim_cron_wait (const SimCronSpec *spec, gint64 last, gint64 now)
{
  gint64 earliest, recent;
  SimCronMissed missed;

  if (!sim_cron_most_recent (spec, last, now, FALSE, &earliest, &recent, &missed))
    recent = now;
  else if (recent == SIM_CRON_NO_TIME)
    recent = missed == SIM_CRON_MISSED_NONE ? earliest : now;
  return wl_cron_schedule_next (spec->schedule, recent) + DELTA - now;
}

char *
sim_cron_job_name (const SimCronSpec *spec, gint64 scheduled)
{
  return g_strdup_printf ("%s-%" G_GINT64_FORMAT, spec->name, scheduled / SECOND / 60);
}

/* ---- the list of active jobs ----------------------------------------------------------------- */

/* One step at work. */
typedef struct {
  const SimCronSpec *spec;
  SimCronStatus *status;
  const SimCronOps *ops;
  SimCronStatus before; /* active: a copy, NULL as long as nothing was taken out */
  gboolean changed;
} Step;

static void G_GNUC_PRINTF (3, 4)
say (const Step *s, const char *reason, const char *format, ...)
{
  va_list ap;

  va_start (ap, format);
  g_autofree char *message = g_strdup_vprintf (format, ap);

  va_end (ap);
  s->ops->event (s->ops->user, reason, message);
}

/* Take references out as deleteFromActiveList does: the rest moves up and the old places keep what they held, which a walk over the list
 * that is under way goes on to read. */
static void
forget (Step *s, guint32 uid)
{
  GArray *active = s->status->active;
  SimCronRef *ref = (SimCronRef *) (gpointer) active->data;
  guint n = 0;

  if (s->before.active == NULL)
    s->before.active = g_array_copy (active);
  for (guint i = 0; i < active->len; i++)
    if (ref[i].uid != uid)
      ref[n++] = ref[i];
  active->len = n; /* g_array_set_size() might clear */
}

static void
remove_job (Step *s, guint32 uid, const char *name)
{
  g_autofree char *copy = g_strdup (name);

  s->ops->remove (s->ops->user, uid);
  forget (s, uid);
  say (s, "SuccessfulDelete", "Deleted job \"%s\"", copy);
}

/* ---- finished jobs --------------------------------------------------------------------------- */

static int
by_creation (gconstpointer a, gconstpointer b)
{
  const SimCronChild *l = *(const SimCronChild *const *) a, *r = *(const SimCronChild *const *) b;

  if (l->created != r->created)
    return l->created < r->created ? -1 : 1;
  return strcmp (l->name, r->name);
}

static void
trim (Step *s, GPtrArray *jobs, gint32 keep)
{
  if (keep < 0 || jobs->len <= (guint) keep)
    return;
  g_ptr_array_sort (jobs, by_creation);
  for (guint i = 0; i < jobs->len - (guint) keep; i++) {
    SimCronChild *c = jobs->pdata[i];

    remove_job (s, c->uid, c->name);
    c->active = FALSE;
    s->changed = TRUE;
  }
}

static void
look_at_finished (Step *s, SimCronChild *child, guint n)
{
  g_autoptr (GPtrArray) completed = g_ptr_array_new (), failed = g_ptr_array_new ();

  for (guint i = 0; i < n; i++) {
    SimCronChild *c = &child[i];

    if (!sim_job_phase_is_final (c->phase))
      continue;
    if (c->active) {
      forget (s, c->uid);
      c->active = FALSE;
      s->changed = TRUE;
      say (s, "SawCompletedJob", "Saw completed job: %s in active, remove", c->name);
    }
    if (c->phase == SIM_JOB_FAILED)
      g_ptr_array_add (failed, c);
    if (c->phase != SIM_JOB_COMPLETED) /* a Terminated one is in no history */
      continue;
    g_ptr_array_add (completed, c);
    if (s->status->last_success == SIM_CRON_NO_TIME || c->changed > s->status->last_success) {
      s->status->last_success = c->changed;
      s->changed = TRUE;
    }
  }
  trim (s, completed, s->spec->keep_completed);
  trim (s, failed, s->spec->keep_failed);
}

static void
look_at_active (Step *s, const SimCronChild *child, guint n)
{
  for (guint i = 0; i < n; i++)
    if (!child[i].active && !sim_job_phase_is_final (child[i].phase))
      say (s, "OrphanedJob", "Detected orphaned job forgotten or not managed by controller: %s (UID: %08u)", child[i].name, child[i].uid);
  for (guint i = 0, end = s->status->lost ? s->status->active->len : 0; i < end; i++) { /* a removal moves others to places that were passed */
    const SimCronRef ref = ((const SimCronRef *) (gpointer) s->status->active->data)[i];
    SimCronFound found;

    if (!s->ops->find (s->ops->user, ref.name, &found))
      say (s, "StaleReference", "Active job \"%s\" no longer exists (UID: %08u)", ref.name, ref.uid);
    else if (found.uid != ref.uid)
      say (s, "StaleReference", "Active job reference \"%s\" points to a different UID (expected: %08u, actual: %08u)", ref.name, ref.uid, found.uid);
    else
      continue;
    forget (s, ref.uid);
    s->changed = TRUE;
  }
}

/* ---- the next job ---------------------------------------------------------------------------- */

typedef enum { GO_ON, SKIP, FAIL } Verdict;

static Verdict
mind_the_others (Step *s)
{
  guint n = s->status->active->len;

  if (n == 0 || s->spec->concurrency == SIM_CRON_ALLOW)
    return GO_ON;
  if (s->spec->concurrency == SIM_CRON_FORBID) {
    say (s, "ForbidConcurrent", "Skipping job creation because another job is already running");
    return SKIP;
  }
  say (s, "ReplaceConcurrent", "Replacing active job for CronJob");
  for (guint i = 0; i < n; i++) {
    const SimCronRef ref = ((const SimCronRef *) (gpointer) s->status->active->data)[i];
    SimCronFound found;

    if (!s->ops->find (s->ops->user, ref.name, &found)) {
      say (s, "FailedGet", "Get job: jobs.batch.volcano.sh \"%s\" not found", ref.name);
      return FAIL;
    }
    remove_job (s, found.uid, ref.name);
    s->changed = TRUE;
  }
  return GO_ON;
}

/* SKIP: there is one of that name, and nothing to add to the list. */
static Verdict
make_job (Step *s, gint64 scheduled)
{
  g_autofree char *name = sim_cron_job_name (s->spec, scheduled);
  const char *refusal = NULL;
  SimCronFound job;

  switch (s->ops->make (s->ops->user, name, scheduled, &job, &refusal)) {
  case SIM_CRON_REFUSED:
    say (s, "FailedCreate", "Failed to create job: %s", refusal);
    return FAIL;
  case SIM_CRON_EXISTS:
    if (!job.owned) {
      say (s, "ForeignJob", "Job %s exists but is not owned by this CronJob (current owner: %s)", name, job.owner);
      return SKIP;
    }
    if (job.finished || job.active)
      return SKIP;
    break;
  case SIM_CRON_MADE:
  default:
    say (s, "SuccessfulCreate", "Created job %s for CronJob %s/%s", name, s->spec->ns, s->spec->name);
    break;
  }
  SimCronRef ref = { job.uid, job.name };

  g_array_append_val (s->status->active, ref);
  s->status->last = scheduled;
  s->changed = TRUE;
  return GO_ON;
}

/* The time for which a job is to be made now; SIM_CRON_NO_TIME: there is none. FALSE: the schedule makes no sense. */
static gboolean
find_time (const Step *s, gint64 now, gint64 *scheduled)
{
  gint64 earliest;
  SimCronMissed missed;
  SimCronFound job;

  if (!sim_cron_most_recent (s->spec, s->status->last, now, TRUE, &earliest, scheduled, &missed)) {
    say (s, "InvalidSchedule", "Error getting schedule time: time difference between two schedules is less than 1 second");
    return FALSE;
  }
  if (*scheduled == SIM_CRON_NO_TIME)
    return TRUE;
  if (missed == SIM_CRON_MISSED_MANY)
    say (s, "TooManyMissedTimes", "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew");
  g_autofree char *name = sim_cron_job_name (s->spec, *scheduled);

  if (*scheduled == s->status->last || (s->ops->find (s->ops->user, name, &job) && job.active))
    *scheduled = SIM_CRON_NO_TIME; /* it has been seen to */
  return TRUE;
}

static SimCronOutcome
look (Step *s, SimCronChild *child, guint n, gint64 now, gint64 *wait)
{
  gint64 scheduled;

  look_at_finished (s, child, n);
  look_at_active (s, child, n);
  if (s->spec->suspend)
    return SIM_CRON_DONE;
  if (s->spec->schedule == NULL || !find_time (s, now, &scheduled))
    return SIM_CRON_FAILED;
  if (scheduled != SIM_CRON_NO_TIME) {
    Verdict verdict = mind_the_others (s);

    if (verdict == FAIL || (verdict == GO_ON && make_job (s, scheduled) == FAIL))
      return SIM_CRON_FAILED;
  }
  *wait = sim_cron_wait (s->spec, s->status->last, now);
  return SIM_CRON_AGAIN;
}

SimCronOutcome
sim_cron_step (const SimCronSpec *spec, SimCronStatus *status, SimCronChild *child, guint n, gint64 now, const SimCronOps *ops,
               gint64 *wait, gboolean *changed)
{
  Step s = { spec, status, ops, *status, FALSE };

  s.before.active = NULL;
  SimCronOutcome outcome = look (&s, child, n, now, wait);

  if (outcome == SIM_CRON_FAILED) { /* nothing of it is written */
    GArray *active = status->active;

    if (s.before.active != NULL) {
      g_array_set_size (active, 0);
      g_array_append_vals (active, s.before.active->data, s.before.active->len);
    }
    gboolean lost = status->lost; /* what was deleted on the way stays deleted */

    *status = s.before;
    status->active = active;
    status->lost = lost;
    s.changed = FALSE;
  } else {
    status->lost = FALSE;
  }
  g_clear_pointer (&s.before.active, g_array_unref);
  *changed = s.changed;
  return outcome;
}
