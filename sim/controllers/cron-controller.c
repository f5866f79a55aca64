/* sim/controllers/cron-controller.c - mirrors pkg/controllers/cronjob/cronjob_controller.go; one look at an object is in cron-step.c. */
#include "job-controller.h"
#include "makers-private.h"
#include "sim/world/job-table.h"
#include <string.h>

/* One look at a CronJob. */
typedef struct {
  SimWorld *w;
  SimCron *c;
  char *refusal;
} Look;

static inline gint64
calendar (const SimWorld *w, SimTime t) /* whole seconds, as the API server keeps them */
{
  return (w->options.epoch + sim_time_seconds (t)) * SIM_SECOND;
}

/* ---- what a step asks for -------------------------------------------------------------------- */

static void
describe (const SimWorld *w, const SimCron *c, guint32 row, SimCronFound *out)
{
  const SimJob *j = &w->job[row];
  const char *slash = j->owner_text != NULL ? strchr (j->owner_text, '/') : NULL;

  *out = (SimCronFound){ .uid = row,
                         .name = j->name,
                         .owned = j->owner_text == c->maker.text,
                         .finished = sim_job_phase_is_final ((SimJobPhase) j->phase),
                         .active = j->in_active_list,
                         .owner = slash != NULL ? slash + 1 : "none" };
}

static gboolean
find_job (gpointer user, const char *name, SimCronFound *out)
{
  const Look *look = user;
  guint32 row = sim_job_find (look->w, look->c->maker.in->ns, name);

  if (row != SIM_NONE)
    describe (look->w, look->c, row, out);
  return row != SIM_NONE;
}

static SimCronMade
make_job (gpointer user, const char *name, gint64 scheduled, SimCronFound *out, const char **refusal)
{
  Look *look = user;
  SimCron *c = look->c, *now = c->now;
  guint32 row;

  g_free ((char *) now->refusal.text);
  now->refusal = wl_template_refusal (&now->in->made_from, name);
  SimMade made = sim_maker_make_job (look->w, &c->maker, &now->blueprint, &now->job_spec, name, &row, &look->refusal);

  if (made == SIM_MADE && now->job_spec.pod_error != NULL) { /* the error names the job */
    SimJobSpec *own = vc_arena_new0 (look->w->arena, SimJobSpec, 1);
    g_autofree char *text = wl_template_text (&now->in->made_from, now->job_spec.pod_error, name);

    *own = now->job_spec;
    own->pod_error = g_string_chunk_insert (look->w->text, text);
    look->w->job[row].spec = own;
  }

  if (made == SIM_MADE_REFUSED) {
    *refusal = look->refusal;
    return SIM_CRON_REFUSED;
  }
  describe (look->w, c, row, out);
  if (made == SIM_MADE_EXISTS)
    return SIM_CRON_EXISTS;
  look->w->job[row].in_active_list = TRUE;
  return SIM_CRON_MADE;
}

static void
remove_job (gpointer user, guint32 uid)
{
  const Look *look = user;

  sim_job_delete (look->w, uid, FALSE);
}

/* That a job still runs, or that too many times were missed, is said once for a scheduled time: in a cluster it is one Event object with a count. */
static void
say (gpointer user, const char *reason, const char *message)
{
  Look *look = user;
  SimCron *c = look->c;

  gboolean forbidden = strcmp (reason, "ForbidConcurrent") == 0;

  if (forbidden || strcmp (reason, "TooManyMissedTimes") == 0) {
    gint64 *said = forbidden ? &c->forbidden : &c->missed;
    gint64 earliest, recent, now = look->w->options.epoch * SIM_SECOND + look->w->now;
    SimCronMissed missed;

    sim_cron_most_recent (&c->spec, c->status.last, now, TRUE, &earliest, &recent, &missed);
    if (recent == *said)
      return;
    *said = recent;
  }
  sim_maker_event (look->w, &c->maker, reason, message);
}

/* ---- requests -------------------------------------------------------------------------------- */

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (((const SimCronChild *) a)->name, ((const SimCronChild *) b)->name);
}

static GArray *
children_of (const SimWorld *w, const SimCron *c)
{
  GArray *child = g_array_sized_new (FALSE, FALSE, sizeof (SimCronChild), c->finished->len);

  for (guint i = 0; i < c->finished->len; i++) {
    guint32 row = g_array_index (c->finished, guint32, i);
    const SimJob *j = &w->job[row];
    SimCronChild one
        = { row, j->name, (SimJobPhase) j->phase, j->in_active_list, calendar (w, j->submit), calendar (w, j->changed) };

    g_array_append_val (child, one);
  }
  g_array_sort (child, by_name);
  return child;
}

/* What a step has seen of the jobs is kept; a Terminated one needs no other look. */
static void
remember (SimWorld *w, SimCron *c, const GArray *child)
{
  for (guint i = 0; i < child->len; i++) {
    const SimCronChild *one = &g_array_index (child, SimCronChild, i);

    w->job[one->uid].in_active_list = one->active != 0;
  }
  for (guint i = c->finished->len; i > 0; i--)
    if (w->job[g_array_index (c->finished, guint32, i - 1)].phase == SIM_JOB_TERMINATED)
      g_array_remove_index (c->finished, i - 1);
}

static void
write_state (SimWorld *w, SimCron *c)
{
  const char *state = c->spec.suspend ? "Suspended" : c->status.active->len > 0 ? "Active" : "Idle";

  if (c->state == state)
    return;
  c->state = state;
  sim_maker_phase (w, &c->maker, state);
}

void
sim_cron_begin (SimWorld *w, SimCron *c)
{
  c->spec.created = calendar (w, w->now);
  write_state (w, c);
}

void
sim_cron_sync (SimWorld *w, SimCron *c)
{
  Look look = { w, c, NULL };
  const SimCronOps ops = { &look, find_job, make_job, remove_job, say };
  g_autoptr (GArray) child = children_of (w, c);
  gint64 wait = 0;
  gboolean changed;
  SimCronOutcome outcome = sim_cron_step (&c->spec, &c->status, (SimCronChild *) (gpointer) child->data, child->len,
                                          w->options.epoch * SIM_SECOND + w->now, &ops, &wait, &changed);

  g_free (look.refusal);
  if (outcome == SIM_CRON_FAILED) {
    sim_maker_request_again (w, &c->maker);
    return;
  }
  remember (w, c, child);
  write_state (w, c);
  if (changed)
    sim_maker_request (w, &c->maker); /* its own update comes back to it */
  if (outcome != SIM_CRON_AGAIN)
    return;
  sim_maker_forgive (&c->maker);
  sim_maker_request_after (w, &c->maker, wait);
}

/* updateCronJob: another schedule counts from its next time, everything else at once. */
void
sim_cron_update (SimWorld *w, SimCron *c, SimCron *update)
{
  const WlCronJob *old = c->now->in, *in = update->in;
  gint64 now = w->options.epoch * SIM_SECOND + w->now, created = c->spec.created;
  gboolean same = strcmp (old->schedule, in->schedule) == 0; /* the zone is part of it */

  c->now = update;
  c->spec = update->spec;
  c->spec.created = created;
  if (same)
    sim_maker_request (w, &c->maker);
  else
    sim_maker_request_after (w, &c->maker, sim_cron_wait (&c->spec, c->status.last, now));
}
