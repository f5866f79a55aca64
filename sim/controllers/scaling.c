/* sim/controllers/scaling.c - see scaling.h. Admission is validateJobUpdate (pkg/webhooks/admission/jobs/validate/admit_job.go). */
#include "scaling.h"
#include "job-requests.h"
#include "kinds.h"
#include "rollouts.h"
#include "sim/record/chain.h"
#include "sim/record/record.h"
#include "sim/world/budgets.h"
#include "workloads/admission/admission.h"
#include <string.h>

/* ---- admission ------------------------------------------------------------------------------- */

/* The part of a job that may be edited, as it would be. */
typedef struct {
  WlJobObject job;
  WlTask *task;   /* [job.n_tasks] */
} Draft;

static void
draft_clear (Draft *d)
{
  g_clear_pointer (&d->task, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Draft, draft_clear)

/* A Deployment's are not those of its ReplicaSet. */
static guint32
replicas_of (const SimWorld *w, guint32 job, guint32 k)
{
  return k == 0 ? sim_rollout_replicas (w, job) : w->role[w->job[job].first_role + k].replicas;
}

static Draft
draft_of (const SimWorld *w, guint32 job)
{
  const SimJob *j = &w->job[job];
  Draft d = { { .ns = j->ns, .name = j->name, .min_available = j->min_available, .n_tasks = j->n_roles }, g_new0 (WlTask, MAX (j->n_roles, 1)) };

  for (guint32 k = 0; k < j->n_roles; k++) {
    const SimRole *r = &w->role[j->first_role + k];

    d.task[k] = (WlTask){ .name = r->name, .replicas = (gint32) replicas_of (w, job, k), .min_available = r->min_available };
    if (r->spec != NULL && r->spec->partition_size > 0) {
      d.task[k].divided = TRUE;
      d.task[k].partitions = (gint32) r->spec->partitions;
      d.task[k].partition_size = (gint32) r->spec->partition_size;
      d.task[k].min_partitions = (gint32) r->spec->min_partitions;
    }
  }
  d.job.task = d.task;
  return d;
}

static void
edit_draft (Draft *d, const SimEdit *edit)
{
  if (edit->min_available >= 0)
    d->job.min_available = edit->min_available;
  if (edit->role == SIM_NONE)
    return;
  if (edit->replicas >= 0)
    d->task[edit->role].replicas = edit->replicas;
  if (edit->task_min >= 0)
    d->task[edit->role].min_available = edit->task_min;
}

/* ---- one update ------------------------------------------------------------------------------ */

static void
tell (SimWorld *w, guint32 job, const char *event, const char *detail)
{
  const SimJob *j = &w->job[job];

  sim_record_event (w, sim_kind_of (j)->object, j->ns, j->name, event, detail);
}

/* "w 4 to 2, minAvailable 3 to 1"; empty: nothing changes. */
static char *
describe (const SimWorld *w, guint32 job, const Draft *d)
{
  const SimJob *j = &w->job[job];
  g_autoptr (GString) out = g_string_new (NULL);

  for (guint32 k = 0; k < j->n_roles; k++) {
    const SimRole *r = &w->role[j->first_role + k];

    if ((gint64) replicas_of (w, job, k) != d->task[k].replicas)
      g_string_append_printf (out, "%s%s %u to %d", out->len > 0 ? ", " : "", r->name, replicas_of (w, job, k), d->task[k].replicas);
    if (r->min_available != d->task[k].min_available)
      g_string_append_printf (out, "%s%s minAvailable %d to %d", out->len > 0 ? ", " : "", r->name, r->min_available, d->task[k].min_available);
  }
  if (j->min_available != d->job.min_available)
    g_string_append_printf (out, "%sminAvailable %d to %d", out->len > 0 ? ", " : "", j->min_available, d->job.min_available);
  return g_string_free (g_steal_pointer (&out), FALSE);
}

static void
take_over (SimWorld *w, guint32 job, const Draft *d)
{
  SimJob *j = &w->job[job];
  guint32 before = j->replicas;

  j->min_available = d->job.min_available;
  j->replicas = 0;
  for (guint32 k = 0; k < j->n_roles; k++) {
    SimRole *r = &w->role[j->first_role + k];

    r->replicas = (guint32) d->task[k].replicas;
    r->min_available = d->task[k].min_available;
    j->replicas += r->replicas;
    if (!j->settled && j->kind != WL_KIND_BATCH_JOB)
      sim_role_grow (r, r->replicas);
  }
  if (j->kube != NULL)
    sim_kind_scaled (w, job, before);
  else
    j->scaled = j->group_old = TRUE;
  sim_budgets_job_changed (w, job);
  sim_jobs_job_changed (w, job);
}

static void
update (SimWorld *w, guint32 job, const SimEdit *edit, guint n)
{
  const SimJob *j = &w->job[job];
  g_auto (Draft) d = draft_of (w, job), old = draft_of (w, job);

  if (!j->exists) {
    tell (w, job, "update-refused", "there is no such job now");
    return;
  }
  for (guint i = 0; i < n; i++)
    edit_draft (&d, &edit[i]);
  const char *problem = j->kube == NULL ? wl_admit_job_update (w->arena, &old.job, &d.job) : NULL;
  g_autofree char *change = describe (w, job, &d);

  sim_step (w, job, "webhook", "AdmitJobs", "Job %s/%s: update %s", j->ns, j->name, problem == NULL ? "allowed" : problem);
  if (problem != NULL) {
    tell (w, job, "update-refused", problem);
    return;
  }
  if (*change == '\0')
    return;
  tell (w, job, "scaled", change);
  if (j->kube != NULL && j->kube->deployment != NULL)
    sim_rollout_scale (w, job, (guint32) d.task[0].replicas);
  else
    take_over (w, job, &d);
}

/* ---- what is due ----------------------------------------------------------------------------- */

void
sim_scaling_edit (SimWorld *w, guint32 edit)
{
  guint n = 1;

  while (w->edit[edit + n - 1].more)
    n++;
  update (w, w->edit[edit].job, &w->edit[edit], n);
}

static void
post_step (SimWorld *w, guint32 job, guint32 step)
{
  const SimJob *j = &w->job[job];
  SimTime due = sim_time_after (j->submit, j->schedule->step[step].after);

  sim_event_queue_post (w->events, MAX (due, w->now), SIM_RANK_SCALE, SIM_EVENT_JOB_SCHEDULE, job, step);
}

void
sim_scaling_begin (SimWorld *w, guint32 job)
{
  if (w->job[job].schedule != NULL)
    post_step (w, job, 0);
}

gboolean
sim_scaling_step (SimWorld *w, const SimEvent *ev)
{
  const SimJob *j = &w->job[ev->subject];
  const SimScaleSchedule *s = j->schedule;
  g_autoptr (GArray) edits = g_array_new (FALSE, FALSE, sizeof (SimEdit));
  guint32 next = ev->stamp;

  if (!j->exists)
    return FALSE;
  for (; next < s->n && s->step[next].after == s->step[ev->stamp].after; next++) {
    SimEdit edit = { .job = ev->subject, .role = s->step[next].role, .replicas = s->step[next].replicas, .task_min = -1, .min_available = -1 };

    g_array_append_val (edits, edit);
  }
  update (w, ev->subject, (const SimEdit *) (gpointer) edits->data, edits->len);
  if (next < s->n)
    post_step (w, ev->subject, next);
  return TRUE;
}

/* ---- what will be refused -------------------------------------------------------------------- */

typedef struct {
  SimTime time;
  guint32 order;
  const SimEdit *edit;
  guint n;
  SimEdit own[1]; /* of a schedule */
} Planned;

static int
by_time (gconstpointer a, gconstpointer b)
{
  const Planned *l = a, *r = b;

  return l->time != r->time ? (l->time < r->time ? -1 : 1) : l->order < r->order ? -1 : l->order > r->order;
}

/* All updates of a job in the order in which they come. Those of scale.csv are in @mine, by row. (transfer full) */
static GArray *
plan_of (const SimWorld *w, guint32 job, const GArray *mine)
{
  const SimJob *j = &w->job[job];
  GArray *plan = g_array_new (FALSE, FALSE, sizeof (Planned));

  for (guint i = 0; i < mine->len; i++) {
    const SimEdit *edit = &w->edit[g_array_index (mine, guint32, i)];
    Planned p = { .time = edit->time, .order = i, .edit = edit, .n = 1 };

    while (edit[p.n - 1].more)
      p.n++;
    g_array_append_val (plan, p);
  }
  for (guint i = 0; j->schedule != NULL && i < j->schedule->n; i++) {
    const SimScaleStep *s = &j->schedule->step[i];
    Planned p = { .time = sim_time_after (j->submit, s->after), .order = mine->len + i };

    p.own[0] = (SimEdit){ .role = s->role, .replicas = s->replicas, .task_min = -1, .min_available = -1 };
    g_array_append_val (plan, p);
  }
  g_array_sort (plan, by_time);
  return plan;
}

/* Steps of a schedule at one time are one update. */
static void
warn_of (const SimWorld *w, guint32 job, const GArray *mine, GPtrArray *warnings)
{
  g_autoptr (GArray) plan = plan_of (w, job, mine);
  g_autoptr (VcArena) arena = vc_arena_new ();
  g_auto (Draft) now = draft_of (w, job), next = draft_of (w, job), none = draft_of (w, job);
  const SimJob *j = &w->job[job];
  gsize bytes = j->n_roles * sizeof (WlTask);

  for (guint i = 0; i < plan->len;) {
    const Planned *p = &g_array_index (plan, Planned, i);
    guint k = i;

    next.job.min_available = now.job.min_available;
    memcpy (next.task, now.task, bytes);
    do {
      const Planned *q = &g_array_index (plan, Planned, k);

      for (guint e = 0; e < MAX (q->n, 1); e++)
        edit_draft (&next, q->edit != NULL ? &q->edit[e] : &q->own[0]);
      k++;
    } while (p->edit == NULL && k < plan->len && g_array_index (plan, Planned, k).edit == NULL && g_array_index (plan, Planned, k).time == p->time);
    const char *problem = p->time < j->submit ? "the job is not there yet" : j->kube == NULL ? wl_admit_job_update (arena, &none.job, &next.job) : NULL;

    if (problem != NULL) {
      g_ptr_array_add (warnings, g_strdup_printf ("job '%s/%s': the update of %gs will be refused: %s", j->ns, j->name,
                                                  (double) p->time / (double) SIM_SECOND, problem));
    } else {
      now.job.min_available = next.job.min_available;
      memcpy (now.task, next.task, bytes);
    }
    i = k;
  }
}

void
sim_scaling_warn (const SimWorld *w, GPtrArray *warnings)
{
  g_autoptr (GHashTable) rows = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  g_autoptr (GArray) nothing = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint32 i = 0; i < w->n_edits; i++) {
    GArray *mine = g_hash_table_lookup (rows, GUINT_TO_POINTER (w->edit[i].job + 1));

    if (i > 0 && w->edit[i - 1].more)
      continue;
    if (mine == NULL)
      g_hash_table_insert (rows, GUINT_TO_POINTER (w->edit[i].job + 1), mine = g_array_new (FALSE, FALSE, sizeof (guint32)));
    g_array_append_val (mine, i);
  }
  for (guint32 job = 0; job < w->n_jobs; job++) {
    const GArray *mine = g_hash_table_lookup (rows, GUINT_TO_POINTER (job + 1));

    if (mine != NULL || w->job[job].schedule != NULL)
      warn_of (w, job, mine != NULL ? mine : nothing, warnings);
  }
}
