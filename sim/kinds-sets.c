/* sim/kinds-sets.c - ReplicaSets (of Deployments, too) and StatefulSets. Mirrors manageReplicas
 * (kubernetes/pkg/controller/replicaset/replica_set.go) and updateStatefulSet (pkg/controller/statefulset/stateful_set_control.go). */
#include "kinds.h"
#include "kubelet.h"
#include "pod-removal.h"

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

typedef enum { GO_ON, STOP, TRY_AGAIN } Step;

/* processReplica of the pod at @i: make it, make it anew, or wait for it. */
static Step
see_to_replica (SimWorld *w, guint32 job, guint32 i)
{
  const SimJob *j = &w->job[job];
  guint32 pod = sim_role_pod (&w->role[j->first_role], i);
  gboolean ordered = !j->kube->work->parallel;

  if (pod == SIM_NONE) {
    if (!sim_kind_make_pod (w, j->first_role, i))
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

/* The first of the pods beyond the replicas that is not available, SIM_NONE: all are. */
static guint32
first_unavailable (SimWorld *w, guint32 job)
{
  const SimRole *r = &w->role[w->job[job].first_role];

  for (guint32 i = r->replicas; i < r->n_slots; i++)
    if (sim_role_pod (r, i) != SIM_NONE && !sim_pod_is_available (w, job, &w->pod[r->slot[i].pod]))
      return r->slot[i].pod;
  return SIM_NONE;
}

/* processCondemned of each pod beyond the replicas, the highest first. */
static void
see_to_surplus (SimWorld *w, guint32 job)
{
  const SimRole *r = &w->role[w->job[job].first_role];
  gboolean ordered = !w->job[job].kube->work->parallel;
  guint32 ill = ordered ? first_unavailable (w, job) : SIM_NONE;

  for (guint32 i = r->n_slots; i > r->replicas; i--) {
    guint32 pod = sim_role_pod (r, i - 1);

    if (pod == SIM_NONE || (w->pod[pod].deleting && !ordered))
      continue;
    if (w->pod[pod].deleting || (ordered && pod != ill && !sim_pod_is_available (w, job, &w->pod[pod])))
      return;
    sim_pod_delete (w, pod);
    if (ordered)
      return;
  }
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
  see_to_surplus (w, job);
  return TRUE;
}
