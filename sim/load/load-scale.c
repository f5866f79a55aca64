/* sim/load/load-scale.c - schedules of replicas and rows of scale.csv become steps, edits and events of the world. */
#include "load-private.h"
#include "sim/controllers/kinds.h"
#include <string.h>

/* ---- schedules ------------------------------------------------------------------------------ */

static int
by_time (gconstpointer a, gconstpointer b)
{
  const SimScaleStep *l = a, *r = b;

  return l->after != r->after ? (l->after < r->after ? -1 : 1) : l->role < r->role ? -1 : l->role > r->role;
}

const SimScaleSchedule *
sim_loader_scale (SimLoader *l, GArray *const *scale, guint n)
{
  g_autoptr (GArray) steps = g_array_new (FALSE, FALSE, sizeof (SimScaleStep));

  for (guint k = 0; k < n; k++)
    for (guint i = 0; scale[k] != NULL && i < scale[k]->len; i++) {
      const WlScaleStep *s = &g_array_index (scale[k], WlScaleStep, i);
      SimScaleStep step = { s->after, k, s->replicas };

      g_array_append_val (steps, step);
    }
  if (steps->len == 0)
    return NULL;
  g_array_sort (steps, by_time);
  SimScaleStep *kept = vc_arena_new0 (l->w->arena, SimScaleStep, steps->len);
  SimScaleSchedule *out = vc_arena_new0 (l->w->arena, SimScaleSchedule, 1);

  memcpy (kept, steps->data, steps->len * sizeof *kept);
  *out = (SimScaleSchedule){ steps->len, kept };
  return out;
}

/* ---- scale.csv ------------------------------------------------------------------------------ */

/* The role that an edit means. FALSE: it cannot be told. */
static gboolean
find_role (const SimLoader *l, const WlScaleEdit *e, const SimJob *j, guint32 *role, GError **error)
{
  const SimRole *r = &l->w->role[j->first_role];

  *role = SIM_NONE;
  if (e->task == NULL && e->replicas < 0 && e->task_min < 0)
    return TRUE;
  if (e->task == NULL && j->n_roles != 1 && j->kind != WL_KIND_STATEFUL_SET) /* whose tasks are templates */
    return sim_loader_refuse (error, l->s->scale, e->line, "task of an edit of job '%s', expected one of its %u tasks, found none", j->name, j->n_roles);
  for (guint32 k = 0; k < j->n_roles && *role == SIM_NONE; k++)
    if (e->task == NULL || strcmp (r[k].name, e->task) == 0)
      *role = k;
  return *role != SIM_NONE || sim_loader_refuse (error, l->s->scale, e->line, "task of an edit, expected a task of job '%s', found '%s'", j->name, e->task);
}

/* Only vcjobs have minima to edit, and only what makes pods has replicas. */
static gboolean
check_kind (const SimLoader *l, const WlScaleEdit *e, const SimJob *j, GError **error)
{
  if (j->kind == WL_KIND_POD || j->kind == WL_KIND_POD_GROUP)
    return sim_loader_refuse (error, l->s->scale, e->line, "job of an edit, expected one with replicas, found %s '%s'", sim_kind_of (j)->object, j->name);
  if (j->kube != NULL && j->kube->deployment != NULL && j->kube->revision > 1)
    return sim_loader_refuse (error, l->s->scale, e->line, "job of an edit, expected a Deployment, found its ReplicaSet '%s'", j->name);
  return j->kube == NULL || (e->task_min < 0 && e->min_available < 0) ||
         sim_loader_refuse (error, l->s->scale, e->line, "minimum of an edit, expected none for %s '%s'", sim_kind_of (j)->object, j->name);
}

gboolean
sim_loader_load_edits (SimLoader *l, GError **error)
{
  SimWorld *w = l->w;
  g_autoptr (GArray) rows = wl_read_scale (l->s->scale, error);

  if (rows == NULL)
    return FALSE;
  g_autoptr (GHashTable) jobs = sim_loader_index_jobs (w);

  w->edit = g_new0 (SimEdit, MAX (rows->len, 1));
  for (guint i = 0; i < rows->len; i++) {
    const WlScaleEdit *e = &g_array_index (rows, WlScaleEdit, i);
    g_autofree char *key = g_strconcat (e->ns, "/", e->job, NULL);
    guint32 row = GPOINTER_TO_UINT (g_hash_table_lookup (jobs, key)), role;
    SimEdit *last = i > 0 ? &w->edit[i - 1] : NULL;

    if (row == 0)
      return sim_loader_refuse (error, l->s->scale, e->line, "job of an edit, expected a job of this run, found '%s'", key);
    if (!check_kind (l, e, &w->job[row - 1], error) || !find_role (l, e, &w->job[row - 1], &role, error))
      return FALSE;
    w->edit[i] = (SimEdit){ e->time, row - 1, role, e->replicas, e->task_min, e->min_available, FALSE };
    w->n_edits++;
    if (last != NULL && last->time == e->time && last->job == row - 1)
      last->more = TRUE; /* rows of one time that follow each other are one update */
    else
      sim_event_queue_prepare (w->events, e->time, SIM_RANK_SCALE, SIM_EVENT_JOB_SCALE, i);
  }
  return TRUE;
}
