/* sim/controllers/kinds-sets.c - ReplicaSets (of Deployments, too) and StatefulSets. Mirrors manageReplicas
 * (kubernetes/pkg/controller/replicaset/replica_set.go) and updateStatefulSet (pkg/controller/statefulset/stateful_set_control.go). */
#include "kinds.h"
#include "pod-removal.h"
#include "sim/world/kubelet.h"

#define BURST 500u /* pods that one sync makes or deletes; the next one follows at once */

/* ---- ReplicaSets ---------------------------------------------------------------------------- */

static void
delete_pods (SimWorld *w, guint32 job, guint n)
{
  g_autoptr (GArray) pods = sim_active_pods (w, job);

  if (n < pods->len)
    sim_sort_for_removal (w, pods, TRUE);
  g_array_set_size (pods, MIN (MIN (n, BURST), pods->len));
  sim_pods_sort (w, pods);
  for (guint i = 0; i < pods->len; i++)
    sim_pod_delete (w, g_array_index (pods, guint32, i));
}

gboolean
sim_replica_set_sync (SimWorld *w, guint32 job)
{
  const SimJob *j = &w->job[job];
  guint32 role = j->first_role, active = j->live.pending + j->live.running, want = w->role[role].replicas;

  if (active > want)
    delete_pods (w, job, active - want);
  for (guint32 n = active; n < want && n < active + BURST; n++)
    if (!sim_kind_make_pod (w, role, sim_kind_free_place (w, role)))
      return FALSE;
  return TRUE;
}

/* ---- StatefulSets --------------------------------------------------------------------------- */

/* The pod of ordinal @i, whatever its template; *role is that. SIM_NONE: there is none. */
static guint32
pod_at (const SimWorld *w, const SimJob *j, guint32 i, guint32 *role)
{
  for (guint32 k = 0; k < j->n_roles; k++) {
    guint32 pod = sim_role_pod (&w->role[j->first_role + k], i);

    *role = k;
    if (pod != SIM_NONE)
      return pod;
  }
  return SIM_NONE;
}

/* newVersionedStatefulSetPod: below the partition of a rolling update pods keep the template that all had last. */
static gboolean
make_replica (SimWorld *w, guint32 job, guint32 i)
{
  const SimJob *j = &w->job[job];
  const WlWorkload *work = j->kube->work;
  guint32 made = 0, role = j->first_role + (!work->on_delete && (gint64) i < work->partition ? j->kube->current : j->kube->revision);

  for (guint32 k = 0; k < j->n_roles; k++) {
    const SimRole *r = &w->role[j->first_role + k];

    made = i < r->n_slots ? MAX (made, r->slot[i].attempts) : made;
  }
  sim_role_grow (&w->role[role], i + 1);
  w->role[role].slot[i].attempts = made; /* pods of that name, of any template */
  return sim_kind_make_pod (w, role, i);
}

typedef enum { GO_ON, STOP, TRY_AGAIN } Step;

/* processReplica of the pod at @i: make it, make it anew, or wait for it. */
static Step
see_to_replica (SimWorld *w, guint32 job, guint32 i)
{
  const SimJob *j = &w->job[job];
  guint32 role, pod = pod_at (w, j, i, &role);
  gboolean ordered = !j->kube->work->parallel;

  if (pod == SIM_NONE) {
    if (!make_replica (w, job, i))
      return TRY_AGAIN;
    return ordered ? STOP : GO_ON;
  }
  const SimPod *p = &w->pod[pod];

  if (p->phase == SIM_POD_SUCCEEDED || p->phase == SIM_POD_FAILED) {
    sim_pod_delete (w, pod); /* its successor comes when it is gone */
    return ordered ? STOP : GO_ON;
  }
  return !ordered || sim_pod_is_available (w, job, p) ? GO_ON : STOP;
}

/* Ordinals that there may be pods of. */
static guint32
n_ordinals (const SimWorld *w, const SimJob *j)
{
  guint32 n = 0;

  for (guint32 k = 0; k < j->n_roles; k++)
    n = MAX (n, w->role[j->first_role + k].n_slots);
  return n;
}

/* The first of the pods beyond the replicas that is not available, SIM_NONE: all are. */
static guint32
first_unavailable (SimWorld *w, guint32 job)
{
  const SimJob *j = &w->job[job];
  guint32 n = n_ordinals (w, j), role;

  for (guint32 i = w->role[j->first_role].replicas; i < n; i++) {
    guint32 pod = pod_at (w, j, i, &role);

    if (pod != SIM_NONE && !sim_pod_is_available (w, job, &w->pod[pod]))
      return pod;
  }
  return SIM_NONE;
}

/* processCondemned of each pod beyond the replicas, the highest first. FALSE: nothing else is to be done before that is over. */
static gboolean
see_to_surplus (SimWorld *w, guint32 job)
{
  const SimJob *j = &w->job[job];
  gboolean ordered = !j->kube->work->parallel;
  guint32 ill = ordered ? first_unavailable (w, job) : SIM_NONE, role;

  for (guint32 i = n_ordinals (w, j); i > w->role[j->first_role].replicas; i--) {
    guint32 pod = pod_at (w, j, i - 1, &role);

    if (pod == SIM_NONE || (w->pod[pod].deleting && !ordered))
      continue;
    if (w->pod[pod].deleting || (ordered && pod != ill && !sim_pod_is_available (w, job, &w->pod[pod])))
      return FALSE;
    sim_pod_delete (w, pod);
    if (ordered)
      return FALSE;
  }
  return TRUE;
}

/* May the pod at @i have another template than it has, and does it not go already? */
static gboolean
is_outdated (const SimWorld *w, const SimJob *j, guint32 i, guint32 *pod)
{
  guint32 role;

  *pod = pod_at (w, j, i, &role);
  return *pod != SIM_NONE && role != j->kube->revision && !w->pod[*pod].deleting;
}

/* The last part of updateStatefulSet: the highest pod of another template goes once those above it are well again. */
static void
roll_one_by_one (SimWorld *w, guint32 job)
{
  const SimJob *j = &w->job[job];

  for (guint32 i = w->role[j->first_role].replicas, pod; i > (guint32) j->kube->work->partition; i--) {
    if (is_outdated (w, j, i - 1, &pod)) {
      sim_pod_delete (w, pod);
      return;
    }
    if (pod == SIM_NONE || !sim_pod_is_available (w, job, &w->pod[pod]))
      return;
  }
}

/* Delete up to @n outdated pods, the highest first: those that are @well, those that are not, or (@both) any. */
static void
delete_outdated (SimWorld *w, guint32 job, gint64 n, gboolean well, gboolean both)
{
  const SimJob *j = &w->job[job];

  for (guint32 i = w->role[j->first_role].replicas, pod; i > (guint32) j->kube->work->partition && n > 0; i--)
    if (is_outdated (w, j, i - 1, &pod) && (both || sim_pod_is_available (w, job, &w->pod[pod]) == well)) {
      sim_pod_delete (w, pod);
      n--;
    }
}

/* updateStatefulSetAfterInvariantEstablished: as many go as may be missing. Pods that come and go at once, and are not well anyway, do not wait for that. */
static void
roll_several (SimWorld *w, guint32 job)
{
  const SimJob *j = &w->job[job];
  const WlWorkload *work = j->kube->work;
  guint32 n = w->role[j->first_role].replicas, missing = 0, ill = 0, role;
  gint64 most = work->max_unavailable.percent ? (gint64) work->max_unavailable.value * n / 100 : work->max_unavailable.value;

  most = MAX (most, 1);
  for (guint32 i = 0; i < n; i++) {
    guint32 pod = pod_at (w, j, i, &role);
    gboolean well = pod != SIM_NONE && sim_pod_is_available (w, job, &w->pod[pod]);

    missing += !well;
    ill += pod != SIM_NONE && !well && role != j->kube->revision && !w->pod[pod].deleting;
  }
  if (work->parallel && ill > 0)
    delete_outdated (w, job, n, FALSE, FALSE);
  delete_outdated (w, job, most - missing, TRUE, !work->parallel);
}

/* completeRollingUpdate */
static void
complete_update (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];
  guint32 n = w->role[j->first_role].replicas, role;

  for (guint32 i = 0; i < n; i++) {
    guint32 pod = pod_at (w, j, i, &role);

    if (pod == SIM_NONE || role != j->kube->revision || w->pod[pod].deleting || !sim_pod_is_ready (w, &w->pod[pod]))
      return;
  }
  j->kube->current = j->kube->revision;
}

static void
roll (SimWorld *w, guint32 job)
{
  const WlWorkload *work = w->job[job].kube->work;

  if (work->on_delete)
    return;
  if (work->max_unavailable.given)
    roll_several (w, job);
  else
    roll_one_by_one (w, job);
  complete_update (w, job);
}

gboolean
sim_stateful_set_sync (SimWorld *w, guint32 job)
{
  guint32 role = w->job[job].first_role;

  for (guint32 i = 0; i < w->role[role].replicas; i++) {
    Step step = see_to_replica (w, job, i);

    if (step != GO_ON)
      return step == STOP;
  }
  if (see_to_surplus (w, job) && w->job[job].n_roles > 1)
    roll (w, job);
  return TRUE;
}
