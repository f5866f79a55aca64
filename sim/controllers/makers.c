/* sim/controllers/makers.c - see makers.h: the line of requests, and what every maker of jobs does in the same way. */
#include "makers.h"
#include "job-controller.h"
#include "makers-private.h"
#include "sim/load/load.h"
#include "sim/record/record.h"
#include "sim/world/job-table.h"
#include "sim/world/queues.h"
#include <string.h>

#define BACKOFF (5 * SIM_SECOND / 1000) /* before the first retry, doubled each time … */
#define MAX_BACKOFF (1000 * SIM_SECOND)

const char *const sim_maker_kind_names[] = { "JobTemplate", "JobFlow", "CronJob" };

/* ---- the work queue -------------------------------------------------------------------------- */

SimMaker *
sim_maker_at (SimMakers *m, SimMakerKind kind, guint32 row)
{
  return kind == SIM_MAKER_TEMPLATE ? &m->template[row].maker : kind == SIM_MAKER_FLOW ? &m->flow[row].maker : &m->cron[row].maker;
}

static guint32
number_of (const SimMakers *m, const SimMaker *maker)
{
  guint32 before = maker->kind == SIM_MAKER_TEMPLATE ? 0
                   : maker->kind == SIM_MAKER_FLOW   ? m->n_templates
                                                     : m->n_templates + m->n_flows;

  return before + maker->row;
}

void
sim_maker_request (SimWorld *w, SimMaker *m)
{
  guint32 number = number_of (w->makers, m);

  if (m->queued)
    return;
  m->queued = TRUE;
  g_array_append_val (w->makers->requests, number);
}

void
sim_maker_request_after (SimWorld *w, SimMaker *m, SimTime delay)
{
  SimTime due = sim_time_after (w->now, MAX (delay, 0));

  if (m->due <= due)
    return;
  m->due = due;
  m->stamp++;
  sim_event_queue_post (w->events, due, SIM_RANK_TIMER, SIM_EVENT_MAKER_TIMER, number_of (w->makers, m), m->stamp);
}

void
sim_maker_request_again (SimWorld *w, SimMaker *m)
{
  SimTime delay = m->failures < 32 ? MIN ((SimTime) BACKOFF << m->failures, MAX_BACKOFF) : MAX_BACKOFF;

  m->failures++;
  sim_maker_request_after (w, m, delay);
}

void
sim_maker_forgive (SimMaker *m)
{
  m->failures = 0;
}

void
sim_makers_bury (SimWorld *w, guint32 job)
{
  g_array_append_val (w->makers->buried, job);
}

/* The entry of @line at *head, which moves on; the line is emptied behind the last one. FALSE: there is none. */
static gboolean
take (GArray *line, guint *head, guint32 *out)
{
  if (*head == line->len)
    return FALSE;
  *out = g_array_index (line, guint32, (*head)++);
  if (*head == line->len) {
    g_array_set_size (line, 0);
    *head = 0;
  }
  return TRUE;
}

gboolean
sim_makers_step (SimWorld *w)
{
  SimMakers *m = w->makers;
  guint32 number, job;

  if (m == NULL)
    return FALSE;
  if (!take (m->requests, &m->head, &number)) {
    if (!take (m->buried, &m->n_gone, &job))
      return FALSE;
    sim_job_forget (w, job);
    return TRUE;
  }
  SimMaker *maker = m->maker[number];

  maker->queued = FALSE;
  if (!maker->exists)
    return TRUE;
  if (maker->kind == SIM_MAKER_FLOW)
    sim_flow_sync (w, &m->flow[maker->row]);
  else if (maker->kind == SIM_MAKER_CRON)
    sim_cron_sync (w, &m->cron[maker->row]);
  else
    sim_template_sync (w, &m->template[maker->row]);
  return TRUE;
}

/* ---- what is written down -------------------------------------------------------------------- */

void
sim_maker_event (SimWorld *w, const SimMaker *m, const char *event, const char *detail)
{
  sim_record_event (w, sim_maker_kind_names[m->kind], m->in->ns, m->in->name, event, detail);
}

void
sim_maker_phase (SimWorld *w, const SimMaker *m, const char *phase)
{
  sim_record_phase (w, sim_maker_kind_names[m->kind], m->in->ns, m->in->name, phase);
}

/* ---- jobs ------------------------------------------------------------------------------------ */

guint32
sim_maker_job (const SimWorld *w, const SimMaker *m, const char *name)
{
  guint32 row = sim_job_find (w, m->in->ns, name);

  return row != SIM_NONE && w->job[row].owner_text == m->text ? row : SIM_NONE;
}

SimMade
sim_maker_make_job (SimWorld *w, const SimMaker *m, const SimBlueprint *b, const SimJobSpec *spec, const char *name, guint32 *row,
                    char **refusal)
{
  g_autofree char *reason = sim_queue_admit_job (w, b->job.queue, spec->refusal);

  if (reason != NULL) {
    *refusal = g_strdup_printf ("admission webhook \"validatejob.volcano.sh\" denied the request: %s", reason);
    return SIM_MADE_REFUSED;
  }
  *row = sim_job_find (w, m->in->ns, name);
  if (*row != SIM_NONE)
    return SIM_MADE_EXISTS;
  *row = sim_job_add (w, b->job.n_roles);
  SimJob *j = &w->job[*row];
  guint32 first_role = j->first_role;

  *j = b->job;
  j->first_role = first_role;
  j->ns = m->in->ns;
  j->name = g_string_chunk_insert (w->text, name);
  j->owner_text = m->text;
  j->owner = m->row;
  j->owner_kind = m->kind == SIM_MAKER_FLOW ? SIM_OWNER_JOB_FLOW : SIM_OWNER_CRON_JOB;
  j->spec = spec;
  j->submit = w->now;
  for (guint32 k = 0; k < j->n_roles; k++) {
    w->role[first_role + k] = b->role[k];
    w->role[first_role + k].job = *row;
  }
  sim_job_accept (w, *row);
  return SIM_MADE;
}

/* ---- objects --------------------------------------------------------------------------------- */

/* A user applies another spec to an object. */
static void
update (SimWorld *w, SimMaker *m)
{
  SimMakers *all = w->makers;
  SimMaker *object = sim_maker_at (all, (SimMakerKind) m->kind, m->of);

  if (m->rejected != NULL || !object->exists) {
    sim_maker_event (w, object, "update-refused", m->rejected != NULL ? m->rejected : "it does not exist");
    return;
  }
  sim_maker_event (w, object, "updated", "");
  if (m->kind == SIM_MAKER_TEMPLATE)
    sim_template_update (&all->template[m->of], &all->template[m->row]);
  else if (m->kind == SIM_MAKER_FLOW)
    sim_flow_update (w, &all->flow[m->of], &all->flow[m->row]);
  else
    sim_cron_update (w, &all->cron[m->of], &all->cron[m->row]);
}

static void
submit (SimWorld *w, SimMaker *m)
{
  if (m->of != SIM_NONE) {
    update (w, m);
    return;
  }
  if (m->rejected != NULL) {
    sim_maker_phase (w, m, "Rejected");
    sim_maker_event (w, m, "rejected", m->rejected);
    return;
  }
  m->exists = TRUE;
  sim_maker_event (w, m, "submitted", "");
  if (m->kind == SIM_MAKER_CRON)
    sim_cron_begin (w, &w->makers->cron[m->row]);
  sim_maker_request (w, m);
}

/* The object goes at once; what it owns is collected (background propagation), in the order in which it was made. */
static void
delete (SimWorld *w, SimMaker *m)
{
  if (!m->exists)
    return;
  m->exists = FALSE;
  m->due = SIM_NEVER;
  m->stamp++;
  sim_maker_phase (w, m, "Deleted");
  sim_maker_event (w, m, "deleted", "");
  for (guint32 i = 0; i < w->n_jobs; i++)
    if (w->job[i].exists && w->job[i].owner_text == m->text)
      sim_job_delete (w, i, FALSE);
}

gboolean
sim_makers_event (SimWorld *w, const SimEvent *ev)
{
  SimMakers *all = w->makers;
  SimMaker *m = all->maker[ev->subject];

  if (sim_event_kind (ev) == SIM_EVENT_MAKER_SUBMIT) {
    submit (w, m);
  } else if (sim_event_kind (ev) == SIM_EVENT_MAKER_DELETE) {
    delete (w, m->of == SIM_NONE ? m : sim_maker_at (all, (SimMakerKind) m->kind, m->of));
  } else {
    if (m->stamp != ev->stamp)
      return FALSE;
    m->due = SIM_NEVER;
    sim_maker_request (w, m);
  }
  return TRUE;
}

static SimMaker *
owner_of (SimWorld *w, guint32 job)
{
  const SimJob *j = &w->job[job];

  return j->owner_kind == SIM_OWNER_JOB_FLOW   ? &w->makers->flow[j->owner].maker
         : j->owner_kind == SIM_OWNER_CRON_JOB ? &w->makers->cron[j->owner].maker
                                               : NULL;
}

void
sim_owner_job_added (SimWorld *w, guint32 job)
{
  if (w->job[job].owner_kind == SIM_OWNER_CRON_JOB) /* the JobFlow controller hears of updates alone */
    sim_maker_request (w, owner_of (w, job));
}

void
sim_owner_job_updated (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];
  SimMaker *m = owner_of (w, job);

  if (m == NULL)
    return;
  if (m->kind == SIM_MAKER_CRON && !j->seen_finished && sim_job_phase_is_final ((SimJobPhase) j->phase)) {
    j->seen_finished = TRUE;
    g_array_append_val (w->makers->cron[m->row].finished, job);
  }
  sim_maker_request (w, m);
}

void
sim_owner_job_gone (SimWorld *w, guint32 job)
{
  SimMaker *m = owner_of (w, job);

  if (m == NULL || m->kind != SIM_MAKER_CRON) /* the JobFlow controller does not hear of it */
    return;
  SimCron *c = &w->makers->cron[m->row];

  for (guint i = 0; i < c->finished->len; i++)
    if (g_array_index (c->finished, guint32, i) == job) {
      g_array_remove_index (c->finished, i);
      break;
    }
  if (w->job[job].in_active_list)
    c->status.lost = TRUE;
  w->job[job].in_active_list = FALSE;
  sim_maker_request (w, m);
}

/* ---- before the run -------------------------------------------------------------------------- */

gboolean
sim_makers_may_make (const SimWorld *w, const char *ns, const char *name)
{
  const SimMakers *m = w->makers;

  for (guint i = 0; m != NULL && i < m->n_flows; i++)
    for (guint k = 0; strcmp (m->flow[i].maker.in->ns, ns) == 0 && k < m->flow[i].in->n_steps; k++)
      if (strcmp (m->flow[i].step[k].job, name) == 0)
        return TRUE;
  for (guint i = 0; m != NULL && i < m->n_crons; i++) {
    const WlMaker *in = m->cron[i].maker.in;
    gsize len = strlen (in->name);

    if (strcmp (in->ns, ns) == 0 && strncmp (in->name, name, len) == 0 && name[len] == '-' && name[len + 1] != '\0'
        && strspn (name + len + 1, "0123456789") == strlen (name + len + 1))
      return TRUE;
  }
  return FALSE;
}

static gboolean
is_known (const SimWorld *w, guint32 queue)
{
  gboolean known = w->queue[queue].row != VC_NONE;

  for (guint32 i = 0; i < w->n_queue_changes && !known; i++)
    known = w->queue_change[i].queue == queue;
  return known;
}

static void
warn_of_flow (const SimWorld *w, const SimFlow *f, GPtrArray *warnings)
{
  const WlMaker *in = f->maker.in;
  gboolean expires = FALSE;

  if (f->in->refused != NULL) /* else it would be rejected */
    g_ptr_array_add (warnings, g_strdup_printf ("%s:%u:1: JobFlow '%s' waits for ever, and the webhook /jobflows/validate, which is off, would refuse it: %s", in->file,
                                                in->line, in->name, f->in->refused));
  for (guint i = 0; i < f->in->n_steps; i++) {
    const WlFlowStep *s = &f->in->step[i];
    guint32 template = f->job[i].template;

    if (s->has_probe || s->has_patch)
      g_ptr_array_add (warnings, g_strdup_printf ("%s:%u:1: JobFlow '%s', step '%s': Volcano's controller does not look at %s", in->file, in->line,
                                                  in->name, s->name, s->has_probe ? "dependsOn.probe" : "patch"));
    if (template == SIM_NONE)
      g_ptr_array_add (warnings, g_strdup_printf ("%s:%u:1: JobFlow '%s' is stuck when it comes to step '%s': there is no JobTemplate of that name",
                                                  in->file, in->line, in->name, s->name));
    else
      expires = expires || w->makers->template[template].blueprint.job.ttl >= 0;
  }
  if (expires && f->in->n_steps > 1)
    g_ptr_array_add (warnings,
                     g_strdup_printf ("%s:%u:1: JobFlow '%s': jobs whose time to live is over are made again at the next change of another one, "
                                      "without end perhaps; 'until' ends the run",
                                      in->file, in->line, in->name));
}

static void
warn_of_blueprint (const SimWorld *w, const SimMaker *m, const SimBlueprint *b, GPtrArray *warnings)
{
  if (m->rejected == NULL && !is_known (w, b->job.queue))
    g_ptr_array_add (warnings, g_strdup_printf ("%s:%u:1: there is no queue '%s': jobs of %s '%s' will be refused", m->in->file, m->in->line,
                                                w->queue[b->job.queue].name, sim_maker_kind_names[m->kind], m->in->name));
  if (m->rejected == NULL && b->job.spec->plugins.n > 0)
    g_ptr_array_add (warnings, g_strdup_printf ("%s:%u:1: plugins of jobs of %s '%s': what they add to pods has no effect on scheduling, but for "
                                                "pytorch's wait for the master",
                                                m->in->file, m->in->line, sim_maker_kind_names[m->kind], m->in->name));
  if (m->rejected == NULL)
    sim_load_warn_of_gang (&b->job, b->role, m->kind == SIM_MAKER_CRON ? "jobs of CronJob" : "jobs of JobTemplate", warnings);
}

void
sim_makers_warn (const SimWorld *w, GPtrArray *warnings)
{
  const SimMakers *m = w->makers;

  for (guint i = 0; m != NULL && i < m->n_templates; i++)
    warn_of_blueprint (w, &m->template[i].maker, &m->template[i].blueprint, warnings);
  for (guint i = 0; m != NULL && i < m->n_crons; i++)
    warn_of_blueprint (w, &m->cron[i].maker, &m->cron[i].blueprint, warnings);
  for (guint i = 0; m != NULL && i < m->n_flows; i++)
    if (m->flow[i].maker.rejected == NULL)
      warn_of_flow (w, &m->flow[i], warnings);
}

char *
sim_makers_endless (const SimWorld *w)
{
  const SimMakers *m = w->makers;

  for (guint i = 0; m != NULL && i < m->n_crons; i++) {
    const SimCron *c = &m->cron[i];
    const WlMaker *in = c->maker.in;
    gboolean suspend = c->in->suspend;

    for (guint k = i + 1; k < m->n_crons; k++) /* the last update decides */
      if (m->cron[k].maker.of == i && m->cron[k].maker.rejected == NULL)
        suspend = m->cron[k].in->suspend;
    if (c->maker.of == SIM_NONE && c->maker.rejected == NULL && !c->maker.goes && !suspend)
      return g_strdup_printf ("%s:%u:1: CronJob '%s' makes jobs for ever, expected 'until' in the scenario (--until) or annotation volsim.io/delete, "
                              "found neither",
                              in->file, in->line, in->name);
  }
  return NULL;
}

void
sim_makers_free (SimMakers *m)
{
  if (m == NULL)
    return;
  for (guint i = 0; i < m->n_templates; i++) {
    g_free (m->template[i].blueprint.role);
    g_free (m->template[i].dependents);
  }
  for (guint i = 0; i < m->n_flows; i++) {
    SimFlow *f = &m->flow[i];

    for (guint k = 0; k < f->in->n_steps; k++)
      for (const SimFlowJob *job = &f->job[k]; job != NULL; job = job->next)
        g_free ((char *) job->refusal.text);
    g_free (f->status);
  }
  for (guint i = 0; i < m->n_crons; i++) {
    SimCron *c = &m->cron[i];

    g_free (c->blueprint.role);
    wl_cron_schedule_free (c->schedule);
    g_free ((char *) c->refusal.text);
    g_clear_pointer (&c->status.active, g_array_unref);
    g_clear_pointer (&c->finished, g_array_unref);
  }
  g_free (m->template);
  g_free (m->flow);
  g_free (m->cron);
  g_free (m->maker);
  g_array_unref (m->requests);
  g_array_unref (m->buried);
  g_free (m);
}
