/* sim/controllers/flow-controller.c - mirrors pkg/controllers/jobflow (jobflow_controller.go, jobflow_controller_action.go) and pkg/controllers/jobtemplate. */
#include "job-controller.h"
#include "makers-private.h"
#include "sim/world/job-table.h"
#include <string.h>

#define MAX_REQUEUES 15 /* --max-requeue-num; then the request is dropped */

/* One look at a flow. */
typedef struct {
  SimWorld *w;
  SimFlow *f;
  char *problem; /* why a job could not be made */
} Look;

static int
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* ---- status ---------------------------------------------------------------------------------- */

/* Names of the flow's jobs, each once, ascending. */
static GPtrArray *
jobs_of (const SimWorld *w, const SimFlow *f)
{
  GPtrArray *names = g_ptr_array_new ();

  for (guint k = 0; k < w->makers->n_flows; k++) { /* also those of steps that it had before an update, or will have */
    const SimFlow *e = &w->makers->flow[k];

    for (guint i = 0; (e == f || e->maker.of == f->maker.row) && i < e->in->n_steps; i++)
      if (sim_maker_job (w, &f->maker, e->step[i].job) != SIM_NONE)
        g_ptr_array_add (names, (gpointer) e->step[i].job);
  }
  g_ptr_array_sort (names, by_text);
  for (guint i = names->len; i > 1; i--)
    if (strcmp (names->pdata[i - 1], names->pdata[i - 2]) == 0)
      g_ptr_array_remove_index (names, i - 1);
  return names;
}

/* getAllJobStatus: the lists, as text and in numbers. */
static char *
list_jobs (const SimWorld *w, const SimFlow *f, guint count[SIM_N_FLOW_LISTS])
{
  static const char *const titles[SIM_N_FLOW_LISTS] = { "pending", "running", "failed", "completed", "terminated", "unknown" };
  g_autoptr (GPtrArray) names = jobs_of (w, f);
  GString *out = g_string_new (NULL);

  for (guint list = 0; list < SIM_N_FLOW_LISTS; list++) {
    count[list] = 0;
    for (guint i = 0; i < names->len; i++) {
      guint32 row = sim_maker_job (w, &f->maker, names->pdata[i]);

      if (sim_flow_list_of ((SimJobPhase) w->job[row].phase) != list)
        continue;
      if (count[list]++ == 0)
        g_string_append_printf (out, "%s%s", out->len > 0 ? "; " : "", titles[list]);
      g_string_append_printf (out, " %s", (const char *) names->pdata[i]);
    }
  }
  return g_string_free (out, FALSE);
}

/* UpdateStatus. */
static void
write_status (SimWorld *w, SimFlow *f, SimFlowPhase phase, char *status)
{
  gboolean moved = phase != f->phase, other = g_strcmp0 (status, f->status) != 0;

  f->phase = phase;
  if (moved)
    sim_maker_phase (w, &f->maker, sim_flow_phase_names[phase]);
  if (other && *status != '\0')
    sim_maker_event (w, &f->maker, "status", status);
  g_free (f->status);
  f->status = status;
  if ((moved || other) && phase == SIM_FLOW_SUCCEED && f->now->in->deletes)
    sim_maker_request (w, &f->maker); /* the one update of a flow that its controller minds */
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static gboolean
find_job (gpointer user, const char *job, SimJobPhase *phase)
{
  const Look *look = user;
  guint32 row = sim_job_find (look->w, look->f->maker.in->ns, job);

  if (row != SIM_NONE)
    *phase = (SimJobPhase) look->w->job[row].phase;
  return row != SIM_NONE;
}

/* The jobs that a template lists are looked up again when there is a new one. */
static gboolean
make_job (gpointer user, guint step)
{
  Look *look = user;
  SimWorld *w = look->w;
  SimFlow *f = look->f;
  const SimFlow *now = f->now;
  const SimFlowJob *job = &now->job[step];
  SimTemplate *t = job->template != SIM_NONE ? &w->makers->template[job->template] : NULL;
  guint32 row;

  while (t != NULL && job->version != t->now->maker.row)
    job = job->next;
  if (t == NULL || !t->maker.exists) {
    look->problem = g_strdup_printf ("jobtemplate.flow.volcano.sh \"%s\" not found", now->in->step[step].name);
    return FALSE;
  }
  switch (sim_maker_make_job (w, &f->maker, &t->now->blueprint, &job->spec, now->step[step].job, &row, &look->problem)) {
  case SIM_MADE_REFUSED:
    return FALSE;
  case SIM_MADE: {
    g_autofree char *message = g_strdup_printf ("create a job named %s!", now->step[step].job);

    sim_maker_event (w, &f->maker, "Created", message);
    sim_maker_request (w, &t->maker);
    break;
  }
  case SIM_MADE_EXISTS:
  default:
    break;
  }
  return TRUE;
}

static void
delete_jobs (SimWorld *w, SimFlow *f)
{
  g_autoptr (GPtrArray) names = jobs_of (w, f);

  for (guint i = 0; i < names->len; i++)
    sim_job_delete (w, sim_maker_job (w, &f->maker, names->pdata[i]), FALSE);
}

void
sim_flow_sync (SimWorld *w, SimFlow *f)
{
  Look look = { w, f, NULL };
  const SimFlowOps ops = { &look, find_job, make_job };
  guint count[SIM_N_FLOW_LISTS];

  if (!sim_flow_is_synced (f->phase))
    return;
  if (f->phase == SIM_FLOW_SUCCEED && f->now->in->deletes) {
    delete_jobs (w, f);
    return;
  }
  /* what is made now is news of the next look: no cache knows of it yet */
  g_autofree char *status = list_jobs (w, f, count);

  if (sim_flow_deploy (f->now->step, f->now->in->n_steps, &ops)) {
    sim_maker_forgive (&f->maker);
    write_status (w, f, sim_flow_next_phase (f->phase, f->now->in->n_steps, count), g_steal_pointer (&status));
    return;
  }
  g_autofree char *problem = look.problem;

  if (f->maker.failures < MAX_REQUEUES) {
    sim_maker_request_again (w, &f->maker);
    return;
  }
  g_autofree char *message = g_strdup_printf ("SyncJobFlow JobFlow failed for sync jobflow %s failed for %s, event is OutOfSync, action is SyncJobFlow",
                                              f->maker.in->name, problem);

  sim_maker_event (w, &f->maker, "SyncJobFlow", message);
  sim_maker_forgive (&f->maker);
}

void
sim_flow_update (SimWorld *w, SimFlow *f, const SimFlow *update)
{
  f->now = update;
  if (f->phase == SIM_FLOW_SUCCEED && update->in->deletes)
    sim_maker_request (w, &f->maker); /* of other updates it makes something when it looks the next time */
}

void
sim_template_update (SimTemplate *t, const SimTemplate *update)
{
  t->now = update; /* the controller takes no notice: whoever makes a job reads it */
}

void
sim_template_sync (SimWorld *w, SimTemplate *t)
{
  const SimMakers *m = w->makers;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < m->n_flows; i++)
    for (guint k = 0; k < m->flow[i].in->n_steps; k++) {
      const SimFlow *f = &m->flow[i], *object = f->maker.of != SIM_NONE ? &m->flow[f->maker.of] : f;

      if (f->job[k].template == t->maker.row && sim_maker_job (w, &object->maker, f->step[k].job) != SIM_NONE &&
          !g_ptr_array_find_with_equal_func (names, f->step[k].job, g_str_equal, NULL))
        g_ptr_array_add (names, (gpointer) f->step[k].job);
    }
  if (names->len == 0)
    return; /* the status stays as it is */
  g_ptr_array_sort (names, by_text);
  g_ptr_array_add (names, NULL);
  g_autofree char *list = g_strjoinv (" ", (char **) names->pdata), *status = g_strconcat ("jobDependsOnList ", list, NULL);

  if (g_strcmp0 (status, t->dependents) == 0)
    return;
  sim_maker_event (w, &t->maker, "status", status);
  g_free (t->dependents);
  t->dependents = g_steal_pointer (&status);
}
