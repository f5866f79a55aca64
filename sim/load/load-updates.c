/* sim/load/load-updates.c - the Job objects and workloads of the input, one after the other; those of Deployments and StatefulSets that have the name of an earlier one
 * are what its user applies later. */
#include "load-private.h"
#include "sim/controllers/kinds.h"
#include "sim/controllers/rollouts.h"
#include <string.h>

static gboolean
check_update (const WlJobObject *job, const WlJobObject *last, GError **error)
{
  const char *kind = sim_kinds[job->kind].object;

  if (job->submit <= last->submit)
    return sim_loader_refuse (error, job->file, job->line, "%s '%s/%s' is there already: an update of it has to come after it, and after its other updates", kind, job->ns, job->name);
  if (job->task[0].scale != NULL)
    return sim_loader_refuse (error, job->file, job->line, "update of %s '%s/%s': annotation volsim.io/scale, expected it on the first object alone", kind, job->ns, job->name);
  if (job->workload->parallel != last->workload->parallel)
    return sim_loader_refuse (error, job->file, job->line, "update of %s '%s/%s': spec.podManagementPolicy, which cannot change", kind, job->ns, job->name);
  return TRUE;
}

/* ---- Deployments ------------------------------------------------------------------------------ */

/* Another pod template is another ReplicaSet. */
typedef struct { const WlJobObject *first, *last; guint32 row; } Deployment;

static gboolean
update_deployment (SimLoader *l, Deployment *d, const WlJobObject *job, GHashTable *known, GError **error)
{
  SimTime time = sim_loader_submit (l, job->ns, job->name, job->submit);
  guint32 number;

  if (!check_update (job, d->last, error))
    return FALSE;
  d->last = job;
  sim_loader_prepare_delete (l, job, d->row, time);
  if (sim_rollout_plan (l->w, d->row, d->first, job, time, &number))
    return TRUE;
  WlJobObject *set = vc_arena_new0 (l->w->arena, WlJobObject, 1);
  g_autofree char *name = g_strdup_printf ("%s-%u", job->name, number);

  *set = *job;
  set->name = g_string_chunk_insert (l->w->text, name);
  if (!g_hash_table_insert (known, g_strconcat (set->ns, "/", set->name, NULL), GUINT_TO_POINTER (l->w->n_jobs + 1)))
    return sim_loader_refuse (error, job->file, job->line, "update of Deployment '%s/%s': its ReplicaSet would have the name '%s', which is there already", job->ns, job->name, name);
  guint32 row = l->w->n_jobs;

  if (!sim_loader_add_row (l, set, error))
    return FALSE;
  sim_rollout_add_set (l->w, d->row, row);
  return TRUE;
}

/* ---- StatefulSets ----------------------------------------------------------------------------- */

/* Each template is a task of the one job; the replicas are those of the first. */
typedef struct {
  const WlJobObject *first, *last;
  GArray *task;      /* WlTask */
  GArray *template;  /* guint64[2] each */
  GArray *update;    /* StatefulUpdate */
} Stateful;
typedef struct { const WlJobObject *job; guint revision; } StatefulUpdate;

static void
stateful_free (gpointer data)
{
  Stateful *s = data;

  g_array_unref (s->task);
  g_array_unref (s->template);
  g_array_unref (s->update);
  g_free (s);
}

static Stateful *
stateful_new (const WlJobObject *job)
{
  Stateful *s = g_new0 (Stateful, 1);

  s->first = s->last = job;
  s->task = g_array_new (FALSE, FALSE, sizeof (WlTask));
  s->template = g_array_new (FALSE, FALSE, sizeof job->frozen);
  s->update = g_array_new (FALSE, FALSE, sizeof (StatefulUpdate));
  g_array_append_val (s->task, job->task[0]);
  g_array_append_vals (s->template, job->frozen, 1);
  return s;
}

static gboolean
update_stateful (Stateful *s, const WlJobObject *job, GError **error)
{
  StatefulUpdate u = { job, 0 };

  if (!check_update (job, s->last, error))
    return FALSE;
  s->last = job;
  while (u.revision < s->task->len && memcmp (s->template->data + u.revision * sizeof job->frozen, job->frozen, sizeof job->frozen) != 0)
    u.revision++;
  if (u.revision == s->task->len) {
    WlTask task = job->task[0];

    task.replicas = 0;
    g_array_append_val (s->task, task);
    g_array_append_vals (s->template, job->frozen, 1);
  }
  g_array_append_val (s->update, u);
  return TRUE;
}

/* All of them, by "namespace/name", before any has a row. (transfer full) */
static GHashTable *
collect_stateful (const GPtrArray *jobs, GError **error)
{
  g_autoptr (GHashTable) all = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, stateful_free);

  for (guint i = 0; i < jobs->len; i++) {
    const WlJobObject *job = jobs->pdata[i];
    g_autofree char *key = g_strconcat (job->ns, "/", job->name, NULL);
    Stateful *s = job->kind == WL_KIND_STATEFUL_SET ? g_hash_table_lookup (all, key) : NULL;

    if (s != NULL && !update_stateful (s, job, error))
      return NULL;
    if (s == NULL && job->kind == WL_KIND_STATEFUL_SET)
      g_hash_table_insert (all, g_steal_pointer (&key), stateful_new (job));
  }
  return g_steal_pointer (&all);
}

static gboolean
load_stateful (SimLoader *l, const Stateful *s, GError **error)
{
  guint32 row = l->w->n_jobs;
  WlJobObject *whole = vc_arena_new0 (l->w->arena, WlJobObject, 1); /* the world keeps parts of it */
  WlTask *task = vc_arena_new0 (l->w->arena, WlTask, s->task->len);

  memcpy (task, s->task->data, s->task->len * sizeof *task);
  *whole = *s->first;
  whole->task = task;
  whole->n_tasks = s->task->len;
  if (!sim_loader_load_job (l, whole, error))
    return FALSE;
  for (guint i = 0; i < s->update->len; i++) {
    const StatefulUpdate *u = &g_array_index (s->update, StatefulUpdate, i);
    SimTime time = sim_loader_submit (l, u->job->ns, u->job->name, u->job->submit);

    sim_loader_prepare_delete (l, u->job, row, time);
    sim_rollout_plan_stateful (l->w, row, u->revision, u->job, time);
  }
  return TRUE;
}

/* ---- all of them ------------------------------------------------------------------------------ */

gboolean
sim_loader_load_jobs (SimLoader *l, GError **error)
{
  const GPtrArray *jobs = l->w->objects->jobs;
  g_autoptr (GHashTable) known = sim_loader_index_jobs (l->w), deployments = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GHashTable) stateful = collect_stateful (jobs, error);

  for (guint i = 0; stateful != NULL && i < jobs->len; i++) {
    const WlJobObject *job = jobs->pdata[i];
    g_autofree char *key = g_strconcat (job->ns, "/", job->name, NULL);
    Deployment *d = job->kind == WL_KIND_DEPLOYMENT ? g_hash_table_lookup (deployments, key) : NULL;
    Stateful *s = job->kind == WL_KIND_STATEFUL_SET ? g_hash_table_lookup (stateful, key) : NULL;

    if (d != NULL) {
      if (!update_deployment (l, d, job, known, error))
        return FALSE;
      continue;
    }
    if (s != NULL && s->first != job)
      continue; /* an update, which is planned already */
    if (job->kind == WL_KIND_DEPLOYMENT) {
      d = g_new (Deployment, 1);
      *d = (Deployment){ job, job, l->w->n_jobs };
      g_hash_table_insert (deployments, g_strdup (key), d);
    }
    if (!g_hash_table_insert (known, g_steal_pointer (&key), GUINT_TO_POINTER (l->w->n_jobs + 1)))
      return sim_loader_refuse (error, job->file, job->line,
                                "%s '%s/%s' is there already: templates that change are simulated of Deployments and StatefulSets alone (replicas are edited by scale.csv)",
                                sim_kinds[job->kind].object, job->ns, job->name);
    if (s != NULL ? !load_stateful (l, s, error) : !sim_loader_load_job (l, job, error))
      return FALSE;
    if (job->kind == WL_KIND_DEPLOYMENT && job->workload->paused && job->phase == NULL && job->task[0].nodes.n == 0) /* else its pods are found, and so is its ReplicaSet */
      sim_rollout_plan_paused (l->w, d->row, job);
  }
  return stateful != NULL;
}
