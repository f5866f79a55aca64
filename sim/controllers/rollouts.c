/* sim/controllers/rollouts.c - see rollouts.h. Names in comments are those of Kubernetes' functions. */
#include "rollouts.h"
#include "job-controller.h"
#include "job-requests.h"
#include "kinds.h"
#include "sim/record/record.h"
#include "sim/world/budgets.h"

typedef struct {
  guint32 row;           /* in the table of jobs, SIM_NONE before the loader has added it */
  guint64 template[2];   /* digest */
  guint32 desired, most; /* annotations desired-replicas and max-replicas: what the Deployment wanted when the set was last scaled */
  gboolean made;         /* the ReplicaSet is there; not that of a Deployment which has been paused from the start, nor of a template that came when it was */
} Set;

struct SimDeployment {
  guint32 first;         /* row of the first set */
  GArray *set;           /* Set, by age */
  guint current;         /* the set of the template that is asked for */
  const WlWorkload *work;
  guint32 replicas;
};

typedef struct {
  SimDeployment *deployment; /* NULL: of a StatefulSet */
  guint32 job;
  guint set;                 /* of a StatefulSet: role of its job */
  const WlWorkload *work;
  guint32 replicas;
} Update;

struct SimRollouts {
  GPtrArray *deployment;
  GArray *update;
};

static Set *
set_at (const SimDeployment *d, guint i)
{
  return &g_array_index (d->set, Set, i);
}

static SimDeployment *
deployment_of (const SimWorld *w, guint32 job)
{
  return w->job[job].kube != NULL ? w->job[job].kube->deployment : NULL;
}

static gboolean
is_there (const SimWorld *w, const Set *s)
{
  return s->row != SIM_NONE && s->made && w->job[s->row].exists;
}

static guint32
replicas_of (const SimWorld *w, const Set *s) /* .spec.replicas */
{
  return is_there (w, s) ? w->job[s->row].replicas : 0;
}

/* ---- before the run -------------------------------------------------------------------------- */

/* ResolveFenceposts: pods beyond the replicas, and pods that may be missing. */
static guint32
max_surge (const SimDeployment *d)
{
  gint64 n = d->work->max_surge.value;

  if (d->work->recreate)
    return 0;
  return (guint32) MIN (d->work->max_surge.percent ? (n * d->replicas + 99) / 100 : n, WL_REPLICAS_MAX);
}

static guint32
max_unavailable (const SimDeployment *d)
{
  gint64 n = d->work->max_unavailable.value;

  if (d->work->recreate || d->replicas == 0)
    return 0;
  if (d->work->max_unavailable.percent)
    n = n * d->replicas / 100;
  return (guint32) MIN (n == 0 && max_surge (d) == 0 ? 1 : n, d->replicas);
}

static void
deployment_free (gpointer data)
{
  SimDeployment *d = data;

  g_array_unref (d->set);
  g_free (d);
}

static SimRollouts *
rollouts_of (SimWorld *w)
{
  if (w->rollouts != NULL)
    return w->rollouts;
  w->rollouts = g_new (SimRollouts, 1);
  w->rollouts->deployment = g_ptr_array_new_with_free_func (deployment_free);
  w->rollouts->update = g_array_new (FALSE, FALSE, sizeof (Update));
  return w->rollouts;
}

static guint32
replicas_given (const WlJobObject *job)
{
  return job->workload->has_replicas ? (guint32) job->task[0].replicas : SIM_NONE;
}

static void
plan (SimWorld *w, Update u, SimTime time)
{
  sim_event_queue_prepare (w->events, time, SIM_RANK_SUBMIT, SIM_EVENT_ROLLOUT, rollouts_of (w)->update->len);
  g_array_append_val (w->rollouts->update, u);
}

static SimDeployment *
deployment_new (SimWorld *w, guint32 first, const WlJobObject *original)
{
  SimDeployment *d = g_new0 (SimDeployment, 1);
  Set s = { .row = first, .template = { original->frozen[0], original->frozen[1] } };

  g_ptr_array_add (rollouts_of (w)->deployment, d);
  d->first = first;
  d->work = w->job[first].kube->work;
  d->replicas = w->job[first].replicas;
  d->set = g_array_new (FALSE, FALSE, sizeof (Set));
  s.desired = d->replicas;
  s.most = d->replicas + max_surge (d);
  s.made = TRUE;
  g_array_append_val (d->set, s);
  w->job[first].kube->deployment = d;
  w->job[first].kube->revision = 1;
  return d;
}

gboolean
sim_rollout_plan (SimWorld *w, guint32 first, const WlJobObject *original, const WlJobObject *job, SimTime time, guint32 *number)
{
  SimDeployment *d = deployment_of (w, first);

  if (d == NULL)
    d = deployment_new (w, first, original);
  Update u = { d, first, 0, job->workload, replicas_given (job) };

  while (u.set < d->set->len && (set_at (d, u.set)->template[0] != job->frozen[0] || set_at (d, u.set)->template[1] != job->frozen[1]))
    u.set++;
  gboolean known = u.set < d->set->len;

  if (!known) {
    Set s = { .row = SIM_NONE, .template = { job->frozen[0], job->frozen[1] } };

    g_array_append_val (d->set, s);
  }
  *number = d->set->len;
  plan (w, u, time);
  return known;
}

void
sim_rollout_plan_paused (SimWorld *w, guint32 first, const WlJobObject *original)
{
  SimDeployment *d = deployment_new (w, first, original);
  SimJob *j = &w->job[first];

  set_at (d, 0)->made = FALSE;
  j->replicas = w->role[j->first_role].replicas = 0; /* its pods come with its ReplicaSet */
}

void
sim_rollout_plan_stateful (SimWorld *w, guint32 job, guint revision, const WlJobObject *update, SimTime time)
{
  plan (w, (Update){ NULL, job, revision, update->workload, replicas_given (update) }, time);
}

void
sim_rollout_add_set (SimWorld *w, guint32 first, guint32 set)
{
  SimDeployment *d = deployment_of (w, first);
  SimJob *j = &w->job[set];

  set_at (d, d->set->len - 1)->row = set;
  j->kube->deployment = d;
  j->kube->revision = d->set->len;
  j->replicas = w->role[j->first_role].replicas = 0; /* what it is made with its controller says */
}

void
sim_rollouts_free (SimRollouts *r)
{
  if (r == NULL)
    return;
  g_ptr_array_unref (r->deployment);
  g_array_unref (r->update);
  g_free (r);
}

/* ---- scaling one set ------------------------------------------------------------------------- */

/* scaleReplicaSet. TRUE: it has another size now. */
static gboolean
scale_set (SimWorld *w, SimDeployment *d, Set *s, guint32 replicas)
{
  SimJob *j = &w->job[s->row];
  SimRole *r = &w->role[j->first_role];
  guint32 before = j->replicas;

  s->desired = d->replicas;
  s->most = d->replicas + max_surge (d);
  if (replicas == before)
    return FALSE;
  g_autofree char *change = g_strdup_printf ("%u to %u", before, replicas), *name = g_strconcat (j->name, s->row == d->first ? "-1" : "", NULL);

  j->replicas = r->replicas = replicas;
  sim_role_grow (r, replicas);
  sim_record_event (w, "ReplicaSet", j->ns, name, "scaled", change);
  sim_kind_scaled (w, s->row, before);
  sim_jobs_job_changed (w, s->row);
  return TRUE;
}

static guint32
available (SimWorld *w, const Set *s) /* .status.availableReplicas */
{
  const SimRole *r = is_there (w, s) ? &w->role[w->job[s->row].first_role] : NULL;
  guint32 n = 0;

  for (guint32 i = 0; r != NULL && i < r->n_slots; i++)
    n += sim_role_pod (r, i) != SIM_NONE && sim_pod_is_active (&w->pod[r->slot[i].pod]) && sim_pod_is_available (w, s->row, &w->pod[r->slot[i].pod]);
  return n;
}

static guint32
sum_of_replicas (const SimWorld *w, const SimDeployment *d, gboolean old_alone)
{
  guint32 sum = 0;

  for (guint i = 0; i < d->set->len; i++)
    if (!old_alone || i != d->current)
      sum += replicas_of (w, set_at (d, i));
  return sum;
}

/* Take up to @n replicas off the old sets, the oldest first. @ill: only as many of each as it has pods that are not available. TRUE: some. */
static gboolean
take_from_old (SimWorld *w, SimDeployment *d, gint64 n, gboolean ill)
{
  gboolean some = FALSE;

  for (guint i = 0; i < d->set->len && n > 0; i++) {
    Set *s = set_at (d, i);
    gint64 size = replicas_of (w, s), take = ill ? size - MIN (size, (gint64) available (w, s)) : size;

    if (i == d->current || MIN (take, n) == 0)
      continue;
    take = MIN (take, n);
    n -= take;
    some |= scale_set (w, d, s, (guint32) (size - take));
  }
  return some;
}

/* ---- another number of replicas while a rollout is under way ---------------------------------- */

static int
by_size (gconstpointer a, gconstpointer b, gpointer user)
{
  const SimWorld *w = user;
  guint32 l = w->job[(*(Set *const *) a)->row].replicas, r = w->job[(*(Set *const *) b)->row].replicas;

  return l != r ? (l > r ? -1 : 1) : 0;
}

/* Sets with replicas: the largest first, of equal ones the youngest, or the oldest when pods have to go. (transfer container) */
static GPtrArray *
active_sets (const SimWorld *w, const SimDeployment *d, gboolean youngest_first)
{
  GPtrArray *active = g_ptr_array_new ();

  for (guint i = 0; i < d->set->len; i++) {
    Set *s = set_at (d, youngest_first ? d->set->len - 1 - i : i);

    if (replicas_of (w, s) > 0)
      g_ptr_array_add (active, s);
  }
  g_ptr_array_sort_with_data (active, by_size, (gpointer) w); /* stable */
  return active;
}

/* GetReplicaSetProportion: the part of @add, of which @added are dealt out, that the set gets by its size. */
static gint64
proportion (const SimWorld *w, const SimDeployment *d, const Set *s, gint64 add, gint64 added)
{
  gint64 size = replicas_of (w, s), part = -size;

  if (add == 0 || add == added)
    return 0;
  if (d->replicas > 0) {
    double wanted = (double) size * (d->replicas + max_surge (d)) / MAX (s->most, 1);

    part = (gint64) (wanted + 0.5) - size; /* integer.RoundToInt32 of what is not negative */
  }
  return add > 0 ? MIN (part, add - added) : MAX (part, add - added);
}

static gboolean
is_saturated (SimWorld *w, const SimDeployment *d)
{
  const Set *s = set_at (d, d->current);

  return is_there (w, s) && s->desired == d->replicas && replicas_of (w, s) == d->replicas && available (w, s) == d->replicas;
}

/* isScalingEvent */
static gboolean
is_scaled (const SimWorld *w, const SimDeployment *d)
{
  gboolean scaled = FALSE;

  for (guint i = 0; i < d->set->len; i++)
    scaled |= replicas_of (w, set_at (d, i)) > 0 && set_at (d, i)->desired != d->replicas;
  return scaled;
}

/* FindActiveOrLatest, where no set has pods: that of the template, else the youngest. NULL: there is none. */
static Set *
youngest_set (const SimWorld *w, const SimDeployment *d)
{
  Set *youngest = set_at (d, d->current);

  for (guint i = 0; i < d->set->len && !is_there (w, set_at (d, d->current)); i++) {
    Set *s = set_at (d, i);

    if (is_there (w, s) && (!is_there (w, youngest) || w->job[s->row].kube->uid > w->job[youngest->row].kube->uid))
      youngest = s;
  }
  return is_there (w, youngest) ? youngest : NULL;
}

/* scale() */
static void
scale (SimWorld *w, SimDeployment *d)
{
  g_autoptr (GPtrArray) active = active_sets (w, d, TRUE);
  gint64 allowed = d->replicas > 0 ? (gint64) d->replicas + max_surge (d) : 0, add = allowed - (gint64) sum_of_replicas (w, d, FALSE), added = 0;

  Set *lone = active->len == 1 ? active->pdata[0] : active->len == 0 ? youngest_set (w, d) : NULL;

  if (active->len == 0 && lone == NULL)
    return; /* paused from the start */
  if (lone != NULL) {
    scale_set (w, d, lone, d->replicas);
    return;
  }
  if (is_saturated (w, d)) {
    take_from_old (w, d, G_MAXINT32, FALSE);
    return;
  }
  if (d->work->recreate)
    return; /* as in Kubernetes: whose strategy becomes Recreate amid a rollout, with other replicas, stays as it is */
  if (add < 0) {
    g_ptr_array_unref (active);
    active = active_sets (w, d, FALSE);
  }
  g_autofree gint64 *size = g_new0 (gint64, active->len);

  for (guint i = 0; i < active->len; i++) {
    gint64 more = proportion (w, d, active->pdata[i], add, added);

    size[i] = replicas_of (w, active->pdata[i]) + more;
    added += more;
  }
  for (guint i = 0; i < active->len; i++) /* what is left the largest gets */
    scale_set (w, d, active->pdata[i], (guint32) MAX (size[i] + (i == 0 ? add - added : 0), 0));
}

/* ---- rolling ---------------------------------------------------------------------------------- */

/* NewRSNewReplicas */
static guint32
replicas_of_new (const SimWorld *w, const SimDeployment *d)
{
  guint32 now = replicas_of (w, set_at (d, d->current)), all = sum_of_replicas (w, d, FALSE), most = d->replicas + max_surge (d);

  if (d->work->recreate)
    return d->replicas;
  return all >= most ? now : now + MIN (most - all, d->replicas - MIN (now, d->replicas));
}

/* getNewReplicaSet */
static void
make_new (SimWorld *w, SimDeployment *d)
{
  Set *s = set_at (d, d->current);
  SimJob *j = &w->job[s->row];

  if (s->made)
    return;
  guint32 n = replicas_of_new (w, d);

  s->made = TRUE;
  if (s->row == d->first) { /* the Deployment's own row, which came when it was paused */
    scale_set (w, d, s, n);
    return;
  }
  j->submit = w->now;
  j->replicas = w->role[j->first_role].replicas = n;
  s->desired = d->replicas;
  s->most = d->replicas + max_surge (d);
  sim_kind_submit (w, s->row);
}

/* reconcileNewReplicaSet */
static gboolean
grow_new (SimWorld *w, SimDeployment *d)
{
  Set *s = set_at (d, d->current);
  guint32 now = replicas_of (w, s);

  if (now == d->replicas)
    return FALSE;
  return scale_set (w, d, s, now > d->replicas ? d->replicas : replicas_of_new (w, d));
}

static guint32
sum_of_available (SimWorld *w, const SimDeployment *d)
{
  guint32 sum = 0;

  for (guint i = 0; i < d->set->len; i++)
    sum += available (w, set_at (d, i));
  return sum;
}

/* reconcileOldReplicaSets: pods that are not available first, then as many as the available ones allow. */
static void
shrink_old (SimWorld *w, SimDeployment *d)
{
  const Set *s = set_at (d, d->current);
  gint64 least = (gint64) d->replicas - max_unavailable (d), missing = (gint64) replicas_of (w, s) - available (w, s);
  gint64 most = (gint64) sum_of_replicas (w, d, FALSE) - least - missing;

  if (sum_of_replicas (w, d, TRUE) == 0 || most <= 0)
    return;
  take_from_old (w, d, most, TRUE);
  take_from_old (w, d, (gint64) sum_of_available (w, d) - least, FALSE);
}

/* rolloutRolling */
static void
roll (SimWorld *w, SimDeployment *d)
{
  make_new (w, d);
  if (!grow_new (w, d))
    shrink_old (w, d);
}

/* oldPodsRunning */
static gboolean
old_pods_run (const SimWorld *w, const SimDeployment *d)
{
  for (guint i = 0; i < d->set->len; i++) {
    const SimRole *r = is_there (w, set_at (d, i)) && i != d->current ? &w->role[w->job[set_at (d, i)->row].first_role] : NULL;

    for (guint32 k = 0; r != NULL && k < r->n_slots; k++) {
      guint32 pod = sim_role_pod (r, k);

      if (pod != SIM_NONE && (w->pod[pod].phase == SIM_POD_PENDING || w->pod[pod].phase == SIM_POD_RUNNING))
        return TRUE;
    }
  }
  return FALSE;
}

/* rolloutRecreate */
static void
recreate (SimWorld *w, SimDeployment *d)
{
  if (take_from_old (w, d, G_MAXINT32, FALSE) || old_pods_run (w, d))
    return;
  make_new (w, d);
  grow_new (w, d);
}

void
sim_rollout_sync (SimWorld *w, guint32 job)
{
  SimDeployment *d = deployment_of (w, job);

  if (d == NULL || !w->job[d->first].exists)
    return;
  if (d->work->paused || is_scaled (w, d))
    scale (w, d);
  else if (d->work->recreate)
    recreate (w, d);
  else
    roll (w, d);
}

/* ---- what its user does ------------------------------------------------------------------------ */

/* A ReplicaSet that never comes. */
static void
give_up (SimWorld *w, guint32 row)
{
  SimJob *j = &w->job[row];

  if (j->submitted || j->rejected)
    return;
  j->rejected = TRUE;
  j->reason = "its Deployment has gone";
  sim_record_job_phase (w, row, "Rejected");
  w->jobs_finished++;
  sim_world_flush_jobs (w, FALSE);
}

static void
update_deployment (SimWorld *w, const Update *u)
{
  SimDeployment *d = u->deployment;

  d->current = u->set;
  d->work = u->work;
  if (u->replicas != SIM_NONE)
    d->replicas = u->replicas;
  w->job[set_at (d, u->set)->row].kube->work = u->work;
}

static void
update_stateful (SimWorld *w, const Update *u)
{
  SimJob *j = &w->job[u->job];
  SimRole *r = &w->role[j->first_role];
  guint32 before = j->replicas;

  j->kube->work = u->work;
  j->kube->revision = u->set;
  if (u->replicas == SIM_NONE || u->replicas == before)
    return;
  j->replicas = r->replicas = u->replicas;
  sim_role_grow (r, r->replicas);
  sim_kind_scaled (w, u->job, before);
}

void
sim_rollout_update (SimWorld *w, guint32 i)
{
  const Update *u = &g_array_index (w->rollouts->update, Update, i);
  const SimJob *j = &w->job[u->job];

  if (!j->exists) {
    sim_record_event (w, sim_kind_of (j)->object, j->ns, j->name, "update-refused", "it does not exist");
    if (u->deployment != NULL)
      give_up (w, set_at (u->deployment, u->set)->row);
    return;
  }
  sim_record_event (w, sim_kind_of (j)->object, j->ns, j->name, "updated", "");
  if (u->deployment != NULL)
    update_deployment (w, u);
  else
    update_stateful (w, u);
  sim_budgets_job_changed (w, u->job);
  sim_jobs_job_changed (w, u->job);
}

void
sim_rollout_scale (SimWorld *w, guint32 job, guint32 replicas)
{
  SimDeployment *d = deployment_of (w, job);

  d->replicas = replicas;
  sim_budgets_job_changed (w, d->first);
  sim_jobs_job_changed (w, d->first);
}

void
sim_rollout_delete (SimWorld *w, guint32 job)
{
  const SimDeployment *d = deployment_of (w, job);

  for (guint i = 1; d != NULL && job == d->first && i < d->set->len; i++) {
    guint32 row = set_at (d, i)->row;

    if (w->job[row].submitted)
      sim_job_delete (w, row, FALSE);
    else
      give_up (w, row);
  }
}

guint32
sim_rollout_first (const SimWorld *w, guint32 job)
{
  const SimDeployment *d = deployment_of (w, job);

  return d != NULL ? d->first : job;
}

guint32
sim_rollout_replicas (const SimWorld *w, guint32 job)
{
  const SimDeployment *d = deployment_of (w, job);

  return d != NULL ? d->replicas : w->role[w->job[job].first_role].replicas;
}
