/* sim/controllers/pod-groups.c - see pod-groups.h. The controller is pkg/controllers/podgroup/pg_controller.go (processNextReq). */
#include "pod-groups.h"
#include "kinds.h"
#include "queue-controller.h"
#include "sim/record/chain.h"
#include "sim/record/record.h"
#include "sim/record/watch.h"
#include "sim/world/pairs.h"
#include "sim/world/pod-object.h"
#include "sim/world/queues.h"
#include "workloads/admission/admission.h"

#define RETRY_FIRST (5 * SIM_SECOND / 1000)
#define RETRY_LONGEST (1000 * SIM_SECOND)

/* ---- objects -------------------------------------------------------------------------------- */

static guint8
phase_of (const char *text)
{
  guint i = VC_PG_PENDING;

  while (text != NULL && i < VC_PG_OTHER && strcmp (text, vc_pg_phase_names[i]) != 0)
    i++;
  return (guint8) (text != NULL ? i : VC_PG_EMPTY);
}

void
sim_pod_group_add (SimWorld *w, guint32 job, const VcPodGroupObject *o)
{
  SimJob *j = &w->job[job];
  VcPodGroupObject found = *o;

  if (!j->grouped && j->spec != NULL) { /* that of a job which is there before the run begins */
    found.created -= j->spec->age;
    found.phase = j->spec->phase != NULL ? j->spec->phase : o->phase;
  }
  sim_job_touched (w, job);
  j->grouped = j->has_pg = TRUE;
  if (j->kube != NULL)
    j->kube->group = g_string_chunk_insert (w->text, o->name);
  sim_watch_group (w, job, &found, TRUE);
  j->pg_phase = phase_of (found.phase);
  if (j->pg_phase == VC_PG_INQUEUE || j->pg_phase == VC_PG_RUNNING)
    j->inqueue = w->now;
  sim_count_group (w, j->queue, j->pg_phase, 1);
  w->queue[j->queue].n_groups++;
  sim_queue_request (w, j->queue, SIM_QUEUE_SYNC);
  if (j->pg_phase != VC_PG_EMPTY)
    sim_record_group_phase (w, job);
}

void
sim_pod_group_remove (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];

  if (!j->has_pg)
    return;
  sim_job_touched (w, job);
  j->has_pg = FALSE;
  sim_count_group (w, j->queue, j->pg_phase, -1);
  w->queue[j->queue].n_groups--;
  sim_queue_request (w, j->queue, SIM_QUEUE_SYNC);
  if (j->kube == NULL)
    g_string_printf (w->group_name, "%s-%08u", j->name, job);
  sim_watch_group_removed (w, job, j->ns, j->kube != NULL ? j->kube->group : w->group_name->str);
  j->pg = VC_NONE;
}

/* ---- the controller -------------------------------------------------------------------------- */

static void
create_group (SimWorld *w, guint32 job, const VcPodObject *pod, const SimPodOwner *owner, guint n)
{
  const SimJob *j = &w->job[job];
  g_autoptr (GPtrArray) quota_names = w->has_quotas ? g_ptr_array_new_with_free_func (g_free) : NULL; /* read by quotas alone */
  g_auto (SimPodGroup) g = { 0 };

  sim_pod_group_build (pod, owner, n, TRUE, quota_names, &g);
  sim_pod_group_name (w->group_name, pod, owner, n);
  VcPodGroupObject o = {
    .ns = j->ns,
    .name = w->group_name->str,
    .uid = w->group_name->str,
    .annotations = sim_pairs (g.annotations),
    .labels = sim_pairs (g.labels),
    .created = sim_world_second (w),
    .queue = w->queue[j->queue].name,
    .priority_class = g.priority_class,
    .min_member = g.min_member,
    .min_resources = { (const VcAmount *) (gpointer) g.min_resources->data, g.min_resources->len, TRUE },
    .phase = g.phase,
    .topology = g.topology,
  };

  sim_step (w, job, "pg-controller", "createNormalPodPGIfNotExist", "PodGroup %s/%s created: minMember %d; queue %s", o.ns, o.name, o.min_member,
            o.queue);
  sim_pod_group_add (w, job, &o);
}

char *
sim_pod_group_refusal (const SimWorld *w, guint32 job)
{
  const SimJob *j = &w->job[job];
  const char *own = j->kind == WL_KIND_POD_GROUP && j->spec != NULL ? j->spec->refusal->text : NULL;

  return (w->webhooks & WL_WEBHOOK_POD_GROUPS_VALIDATE) != 0 ? sim_queue_admit_group (w, j->queue, own) : NULL;
}

gboolean
sim_pod_group_join (SimWorld *w, guint32 pod, const VcPodObject *o, const SimPodOwner *owner, guint n)
{
  SimPod *p = &w->pod[pod];
  const SimJob *j = &w->job[p->job];

  if (j->has_pg)
    return TRUE;
  g_autofree char *reason = sim_pod_group_refusal (w, p->job);

  if (reason == NULL) {
    create_group (w, p->job, o, owner, n);
    return TRUE;
  }
  if (p->group_tries == 0)
    sim_record_event (w, sim_kind_of (j)->object, j->ns, j->name, "podgroup-refused", reason);
  SimTime delay = MIN (RETRY_FIRST << MIN (p->group_tries, 18), RETRY_LONGEST);

  p->group_tries = (guint8) MIN (p->group_tries + 1, 100);
  sim_event_queue_post (w->events, sim_time_after (w->now, delay), SIM_RANK_TIMER, SIM_EVENT_POD_GROUP, pod, p->stamp);
  return FALSE;
}

gboolean
sim_pod_group_retry (SimWorld *w, const SimEvent *ev)
{
  const SimPod *p = &w->pod[ev->subject];

  if (!p->live || p->stamp != ev->stamp)
    return FALSE;
  return sim_pod_tell (w, ev->subject);
}
