/* sim/load/load-makers.c - JobTemplates, JobFlows and CronJobs become makers of jobs, their lives events. */
#include "load-private.h"
#include "sim/controllers/makers-private.h"
#include "sim/cycle/cycle.h"
#include "sim/world/job-table.h"
#include "workloads/admission/admission.h"
#include "workloads/admission/findings.h"
#include <string.h>

#define BY_TEMPLATE "volcano.sh/createdByJobTemplate"
#define BY_FLOW "volcano.sh/createdByJobFlow"

/* An object of the name of an earlier one is an update of that, if it comes later. */
static gboolean
is_update (SimMakers *all, SimMaker *m)
{
  SimMaker *object = NULL;

  for (guint32 i = 0; i < m->row; i++) {
    SimMaker *other = sim_maker_at (all, (SimMakerKind) m->kind, i);

    if (strcmp (other->in->ns, m->in->ns) != 0 || strcmp (other->in->name, m->in->name) != 0)
      continue;
    if (m->in->submit == WL_TIME_NONE || (other->in->submit != WL_TIME_NONE && m->in->submit <= other->in->submit))
      return FALSE; /* one without a time is there from the start */
    if (object == NULL)
      object = other;
  }
  if (object == NULL)
    return FALSE;
  m->of = object->row;
  object->goes = object->goes || m->goes;
  return TRUE;
}

static gboolean
load_maker (SimLoader *l, SimMaker *m, SimMakerKind kind, guint32 row, const WlMaker *in, const char *rejected, GHashTable *known, GError **error)
{
  SimWorld *w = l->w;
  guint32 number = w->makers->n;
  g_autofree char *text = g_strconcat (sim_maker_kind_names[kind], "/", in->name, NULL);
  char *key = g_strconcat (text, "/", in->ns, NULL);
  SimTime given = in->submit != WL_TIME_NONE ? in->submit : 0, submit = in->submit != WL_TIME_NONE ? sim_loader_submit (l, in->ns, text, given) : 0;

  *m = (SimMaker){ .of = SIM_NONE, .goes = in->remove != WL_TIME_NONE, .in = in, .rejected = rejected, .text = g_string_chunk_insert (w->text, text), .kind = (guint8) kind, .row = row, .due = SIM_NEVER };
  if (!g_hash_table_add (known, key) && !is_update (w->makers, m))
    return sim_loader_refuse (error, in->file, in->line, "%s '%s/%s' is there already: an update of it has to come after it, and after its other updates",
                              sim_maker_kind_names[kind], in->ns, in->name);
  w->makers->maker[w->makers->n++] = m;
  if (in->submit == WL_TIME_NONE && rejected == NULL)
    m->exists = TRUE;
  else
    sim_event_queue_prepare (w->events, submit, SIM_RANK_SUBMIT, SIM_EVENT_MAKER_SUBMIT, number);
  if (in->remove != WL_TIME_NONE)
    sim_event_queue_prepare (w->events, MAX (in->remove + (submit - given), 0), SIM_RANK_DELETE, SIM_EVENT_MAKER_DELETE, number);
  return TRUE;
}

/* @dressed: the jobs get the labels and annotations that @job has. */
static gboolean
load_blueprint (SimLoader *l, const WlMaker *in, const WlJobObject *job, gboolean dressed, SimBlueprint *b, GError **error)
{
  WlJobObject *named = vc_arena_new0 (l->w->arena, WlJobObject, 1);

  *named = *job;
  named->name = in->name; /* for messages; each job gets its own */
  named->line = in->line;
  if (!dressed)
    named->labels = named->annotations = (VcPairs){ NULL, 0 };
  b->job = sim_job_at_rest ();
  b->job.n_roles = job->n_tasks;
  b->role = g_new0 (SimRole, MAX (job->n_tasks, 1));
  return sim_loader_fill_job (l, named, &b->job, b->role, error);
}

/* ---- job flows ------------------------------------------------------------------------------- */

static guint32
find_template (const SimMakers *m, const char *ns, const char *name)
{
  for (guint32 i = 0; i < m->n_templates; i++)
    if (strcmp (m->template[i].maker.in->ns, ns) == 0 && strcmp (m->template[i].maker.in->name, name) == 0)
      return i;
  return SIM_NONE;
}

/* Labels that say where a job comes from; too long a value is refused when the job is made. */
static void
mark_job (SimLoader *l, const WlMaker *flow, const WlFlowStep *step, const char *name, SimFlowJob *job)
{
  SimWorld *w = l->w;
  VcPair *pair = vc_arena_new0 (w->arena, VcPair, 2);
  g_autofree char *by_flow = g_strconcat (flow->ns, ".", flow->name, NULL), *by_template = g_strconcat (flow->ns, ".", step->name, NULL);

  pair[0] = (VcPair){ BY_FLOW, g_string_chunk_insert_const (w->text, by_flow) };
  pair[1] = (VcPair){ BY_TEMPLATE, g_string_chunk_insert_const (w->text, by_template) };
  job->spec.labels = job->spec.annotations = (VcPairs){ pair, 2 };
  for (guint i = 0; i < 2; i++) {
    const char *problem = wl_label_value_problem (pair[i].value);

    if (problem == NULL)
      continue;
    g_free ((char *) job->refusal.text);
    job->refusal = (WlJobRefusal){ g_strdup_printf ("Job.batch.volcano.sh \"%s\" is invalid: metadata.labels: Invalid value: \"%s\": %s", name,
                                                    pair[i].value, problem),
                                   TRUE, FALSE };
    break;
  }
}

/* The job that the step makes of @version of its template. */
static void
load_flow_job (SimLoader *l, const WlMaker *in, const WlFlowStep *step, const char *name, guint32 version, SimFlowJob *job)
{
  const SimTemplate *t = &l->w->makers->template[version];

  job->version = version;
  job->spec = *t->blueprint.job.spec;
  job->refusal = wl_template_refusal (t->in, name);
  mark_job (l, in, step, name, job);
  if (job->spec.pod_error != NULL) {
    g_autofree char *text = wl_template_text (t->in, job->spec.pod_error, name);

    job->spec.pod_error = g_string_chunk_insert_const (l->w->text, text);
  }
  job->spec.refusal = &job->refusal;
}

static void
load_flow (SimLoader *l, SimFlow *f)
{
  SimWorld *w = l->w;
  const WlMaker *in = f->maker.in;
  guint n = f->in->n_steps;

  f->step = vc_arena_new0 (w->arena, SimFlowStep, MAX (n, 1));
  f->job = vc_arena_new0 (w->arena, SimFlowJob, MAX (n, 1));
  for (guint i = 0; i < n; i++) {
    const WlFlowStep *step = &f->in->step[i];
    SimFlowJob *job = &f->job[i];
    g_autofree char *name = g_strconcat (in->name, "-", step->name, NULL);
    const char **target = vc_arena_new0 (w->arena, const char *, MAX (step->n_targets, 1));

    for (guint t = 0; t < step->n_targets; t++) {
      g_autofree char *other = g_strconcat (in->name, "-", step->target[t], NULL);

      target[t] = g_string_chunk_insert_const (w->text, other);
    }
    f->step[i] = (SimFlowStep){ g_string_chunk_insert_const (w->text, name), target, step->n_targets };
    guint32 template = job->template = find_template (w->makers, in->ns, step->name);

    if (template == SIM_NONE)
      continue;
    load_flow_job (l, in, step, name, template, job);
    for (guint32 v = template + 1; v < w->makers->n_templates; v++)
      if (w->makers->template[v].maker.of == template) {
        job = job->next = vc_arena_new0 (w->arena, SimFlowJob, 1);
        load_flow_job (l, in, step, name, v, job);
      }
  }
}

/* ---- cron jobs ------------------------------------------------------------------------------- */

static void
load_cron (SimLoader *l, SimCron *c)
{
  const WlMaker *in = c->maker.in;

  c->job_spec = *c->blueprint.job.spec;
  c->job_spec.refusal = &c->refusal;
  c->schedule = wl_cron_schedule_parse (c->in->schedule, NULL);
  c->status = (SimCronStatus){ g_array_new (FALSE, FALSE, sizeof (SimCronRef)), SIM_CRON_NO_TIME, SIM_CRON_NO_TIME, FALSE };
  c->finished = g_array_new (FALSE, FALSE, sizeof (guint32));
  c->forbidden = c->missed = SIM_CRON_NO_TIME;
  c->spec = (SimCronSpec){ .ns = in->ns,
                           .name = in->name,
                           .schedule = c->schedule,
                           .deadline = c->in->deadline,
                           .concurrency = (SimCronConcurrency) c->in->concurrency,
                           .suspend = c->in->suspend,
                           .keep_completed = c->in->keep_completed,
                           .keep_failed = c->in->keep_failed };
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* A job of the input that carries the label would count as one of the flow. */
static gboolean
check_labels (const SimLoader *l, GError **error)
{
  const GPtrArray *jobs = l->w->objects->jobs;

  for (guint i = 0; i < jobs->len; i++) {
    const WlJobObject *job = jobs->pdata[i];

    if (vc_pairs_get (&job->labels, BY_FLOW) != NULL)
      return sim_loader_refuse (error, job->file, job->line, "job '%s': label " BY_FLOW " is not simulated on jobs of the input", job->name);
  }
  return TRUE;
}

gboolean
sim_loader_load_makers (SimLoader *l, GError **error)
{
  SimWorld *w = l->w;
  const WlObjects *o = w->objects;
  guint n_templates = o->templates->len, n_flows = o->flows->len, n_crons = o->crons->len;
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  if (n_templates + n_flows + n_crons == 0)
    return TRUE;
  if (!check_labels (l, error))
    return FALSE;
  SimMakers *m = w->makers = g_new0 (SimMakers, 1);

  m->maker = g_new (SimMaker *, n_templates + n_flows + n_crons);
  m->template = g_new0 (SimTemplate, MAX (n_templates, 1));
  m->flow = g_new0 (SimFlow, MAX (n_flows, 1));
  m->cron = g_new0 (SimCron, MAX (n_crons, 1));
  m->requests = g_array_new (FALSE, FALSE, sizeof (guint32));
  m->buried = g_array_new (FALSE, FALSE, sizeof (guint32));
  w->job_names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  w->old_names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint32 i = 0; i < n_templates; i++) {
    SimTemplate *t = &m->template[m->n_templates++];

    t->in = o->templates->pdata[i];
    t->now = t;
    if (!load_blueprint (l, &t->in->maker, &t->in->job, FALSE, &t->blueprint, error)
        || !load_maker (l, &t->maker, SIM_MAKER_TEMPLATE, i, &t->in->maker, t->in->maker.rejected, known, error))
      return FALSE;
  }
  for (guint32 i = 0; i < n_flows; i++) {
    SimFlow *f = &m->flow[m->n_flows++];

    f->in = o->flows->pdata[i];
    f->now = f;
    f->maker.in = &f->in->maker;
    load_flow (l, f);
    const char *refused = (w->webhooks & WL_WEBHOOK_JOB_FLOWS_VALIDATE) != 0 ? f->in->refused : NULL;

    if (!load_maker (l, &f->maker, SIM_MAKER_FLOW, i, &f->in->maker, f->in->maker.rejected != NULL ? f->in->maker.rejected : refused, known, error))
      return FALSE;
  }
  for (guint32 i = 0; i < n_crons; i++) {
    SimCron *c = &m->cron[m->n_crons++];

    c->in = o->crons->pdata[i];
    c->now = c;
    if (!load_blueprint (l, &c->in->made_from.maker, &c->in->made_from.job, TRUE, &c->blueprint, error)
        || !load_maker (l, &c->maker, SIM_MAKER_CRON, i, &c->in->made_from.maker, c->in->made_from.maker.rejected, known, error))
      return FALSE;
    load_cron (l, c);
  }
  return TRUE;
}
