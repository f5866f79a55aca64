/* sim/world/pod-object.c - see pod-object.h. */
#include "pod-object.h"
#include "claims.h"
#include "pairs.h"
#include "views.h"
#include "sim/controllers/kinds.h"
#include "sim/controllers/pod-groups.h"
#include "sim/record/watch.h"
#include <string.h>

/* ---- names ---------------------------------------------------------------------------------- */

static void
append_number (GString *s, guint64 v, guint width)
{
  char digit[20];
  guint n = 0;

  do
    digit[n++] = (char) ('0' + v % 10);
  while ((v /= 10) > 0);
  while (n < width)
    digit[n++] = '0';
  while (n > 0)
    g_string_append_c (s, digit[--n]);
}

/* A suffix that is not a number: the scheduler reads numbers at the end of names as indices, and what Kubernetes makes up is none. */
static void
append_suffix (GString *s, const SimPod *p)
{
  g_string_append (s, "-p");
  append_number (s, p->number, 1);
}

const char *
sim_pod_name (SimWorld *w, guint32 pod)
{
  const SimPod *p = &w->pod[pod];
  const SimJob *j = &w->job[p->job];
  const SimRole *r = &w->role[p->role];

  g_string_assign (w->name, j->name);
  switch ((WlKind) j->kind) {
  case WL_KIND_POD:
    break;
  case WL_KIND_POD_GROUP:
    g_string_assign (w->name, r->spec->pod);
    break;
  case WL_KIND_DEPLOYMENT:
    if (j->kube->revision <= 1) /* its first ReplicaSet; others have their names */
      g_string_append (w->name, "-1");
    append_suffix (w->name, p);
    break;
  case WL_KIND_REPLICA_SET:
    append_suffix (w->name, p);
    break;
  case WL_KIND_BATCH_JOB:
    if (j->kube->work->indexed) {
      g_string_append_c (w->name, '-');
      append_number (w->name, p->index, 1);
    }
    append_suffix (w->name, p);
    break;
  case WL_KIND_STATEFUL_SET:
    g_string_append_c (w->name, '-');
    append_number (w->name, r->first_index + p->index, 1);
    break;
  case WL_KIND_VCJOB:
  case WL_N_KINDS:
  default:
    g_string_append_c (w->name, '-');
    g_string_append (w->name, r->name);
    g_string_append_c (w->name, '-');
    append_number (w->name, p->index, 1);
    break;
  }
  return w->name->str;
}

static void
put_uid (GString *scratch, guint64 uid, char out[24])
{
  g_string_assign (scratch, "");
  append_number (scratch, uid, 16);
  memcpy (out, scratch->str, 17);
}

/* ---- pods of vcjobs ------------------------------------------------------------------------- */

/* Labels and annotations of a pod, in w->annotations and w->labels, where objects may look at them; @annotation is what every pod gets. */
static void
dress_pod (SimWorld *w, const SimPod *p, const VcPair *annotation, guint n, const char *index)
{
  static const char *const from_annotations[] = { "volcano.sh/preemptable", "volcano.sh/cooldown-time", "volcano.sh/revocable-zone" };
  static const char *const from_labels[] = { "volcano.sh/preemptable", "volcano.sh/cooldown-time" };
  const SimJob *j = &w->job[p->job];
  const SimRole *role = &w->role[p->role];
  static const VcPairs nothing = { NULL, 0 };
  const VcPairs *job_notes = j->spec != NULL ? &j->spec->annotations : &nothing, *job_labels = j->spec != NULL ? &j->spec->labels : &nothing;
  guint32 partition = sim_role_partition (role, p->index);

  g_array_set_size (w->annotations, 0);
  g_array_set_size (w->labels, 0);
  if (role->spec != NULL) {
    sim_pairs_take (w->annotations, &role->spec->annotations);
    sim_pairs_take (w->labels, &role->spec->labels);
  }
  if (role->apart != NULL)
    sim_pairs_put (w->labels, WL_APART, role->apart);
  for (guint i = 0; i < n; i++)
    sim_pairs_put (w->annotations, annotation[i].key, annotation[i].value);
  sim_pairs_put (w->annotations, "volcano.sh/queue-name", w->queue[j->queue].name);
  for (guint i = 0; i < G_N_ELEMENTS (from_annotations); i++)
    sim_pairs_copy (w->annotations, job_notes, from_annotations[i]);
  sim_pairs_copy_budget (w->annotations, job_notes);
  sim_pairs_put (w->labels, "volcano.sh/job-name", j->name);
  sim_pairs_put (w->labels, "volcano.sh/job-namespace", j->ns);
  sim_pairs_put (w->labels, "volcano.sh/queue-name", w->queue[j->queue].name);
  sim_pairs_put (w->labels, "volcano.sh/task-index", index);
  sim_pairs_put (w->labels, "volcano.sh/task-spec", role->name);
  for (guint i = 0; i < G_N_ELEMENTS (from_labels); i++)
    sim_pairs_copy (w->labels, job_labels, from_labels[i]);
  if (j->preemptable >= 0)
    sim_pairs_put (w->labels, "volcano.sh/preemptable", j->preemptable ? "true" : "false");
  if (partition != SIM_NONE) {
    g_string_printf (w->partition, "%u", partition);
    sim_pairs_put (w->labels, "volcano.sh/partition-id", w->partition->str);
  }
}

/* No shape has them. */
static void
add_gates (VcPodObject *o, const SimRole *role)
{
  if (role->spec == NULL)
    return;
  o->spec.gate = role->spec->gate;
  o->spec.n_gates = role->spec->n_gates;
}

/* What the job controller gives a pod besides its template (05 §4.11), for the keys that somebody reads. */
static VcPodObject
describe_vcjob (SimWorld *w, guint32 pod, SimPodText *t)
{
  SimPod *p = &w->pod[pod];
  const SimJob *j = &w->job[p->job];
  const SimRole *role = &w->role[p->role];
  char *index = t->index;
  VcPair *annotation = t->annotation;
  guint n = 0;

  put_uid (w->index_text, p->uid, t->uid);
  g_string_assign (w->index_text, "");
  append_number (w->index_text, p->index, 1);
  g_strlcpy (index, w->index_text->str, sizeof t->index);
  const char *name = sim_pod_name (w, pod);
  g_string_truncate (w->index_text, 0);
  g_string_append_len (w->index_text, name, (gssize) (w->name->len - strlen (index) - 1)); /* <job>-<role> */
  g_string_assign (w->group_name, j->name);
  g_string_append_c (w->group_name, '-');
  append_number (w->group_name, p->job, 8);
  annotation[n++] = (VcPair){ "scheduling.k8s.io/group-name", w->group_name->str };
  annotation[n++] = (VcPair){ "volcano.sh/job-name", j->name };
  if (j->preemptable >= 0)
    annotation[n++] = (VcPair){ "volcano.sh/preemptable", j->preemptable ? "true" : "false" };
  annotation[n++] = (VcPair){ "volcano.sh/task-index", index };
  annotation[n++] = (VcPair){ "volcano.sh/task-spec", role->name };
  annotation[n++] = (VcPair){ "volcano.sh/template-uid", w->index_text->str };
  t->label[0] = (VcPair){ "volcano.sh/preemptable", j->preemptable == 1 ? "true" : "false" };
  VcPodObject o = {
    .ns = j->ns,
    .name = name,
    .uid = t->uid,
    .annotations = { annotation, n },
    .labels = { t->label, j->preemptable >= 0 ? 1u : 0u },
    .created = w->options.epoch + sim_time_seconds (p->created) - sim_pod_age (role, p),
    .phase = VC_POD_PENDING,
    .scheduler_name = sim_role_scheduler (w, role),
    .start_time = VC_NO_TIME,
    .scheduled_time = VC_NO_TIME,
    .spec = role->shape->spec,
  };
  add_gates (&o, role);
  o.spec.priority_class = j->priority_class;
  o.spec.has_priority = TRUE;
  o.spec.priority = j->priority;
  if (role->spec != NULL || role->apart != NULL || w->objects != NULL) {
    dress_pod (w, p, annotation, n, index);
    o.annotations = sim_pairs (w->annotations);
    o.labels = sim_pairs (w->labels);
  }
  if (role->spec != NULL) {
    if (role->spec->priority_class != NULL) {
      o.spec.priority_class = role->spec->priority_class;
      o.spec.priority = role->spec->priority;
    }
  }
  return o;
}

/* ---- pods of other workloads ----------------------------------------------------------------- */

/* What the controllers of Kubernetes add to the labels and annotations of a template. @uid is the owner's, @name the pod's, @text has room. */
static void
dress_of_workload (SimWorld *w, const SimPod *p, const char *uid, const char *name, SimPodText *text)
{
  const SimJob *j = &w->job[p->job];
  const SimRole *r = &w->role[p->role];

  g_array_set_size (w->annotations, 0);
  g_array_set_size (w->labels, 0);
  sim_pairs_take (w->annotations, &r->spec->annotations);
  sim_pairs_take (w->labels, &r->spec->labels);
  g_snprintf (text->index, sizeof text->index, "%u", r->first_index + p->index);
  if (j->kind == WL_KIND_DEPLOYMENT) {
    g_snprintf (text->revision, sizeof text->revision, "%u", MAX (j->kube->revision, 1));
    sim_pairs_put (w->labels, "pod-template-hash", text->revision);
  } else if (j->kind == WL_KIND_STATEFUL_SET) {
    sim_pairs_put (w->labels, "apps.kubernetes.io/pod-index", text->index);
    g_snprintf (text->revision, sizeof text->revision, "%u", p->role - j->first_role + 1);
    sim_pairs_put (w->labels, "controller-revision-hash", text->revision);
    sim_pairs_put (w->labels, "statefulset.kubernetes.io/pod-name", name);
  } else if (j->kind == WL_KIND_BATCH_JOB) {
    sim_pairs_put (w->labels, "batch.kubernetes.io/controller-uid", uid);
    sim_pairs_put (w->labels, "batch.kubernetes.io/job-name", j->name);
    sim_pairs_put (w->labels, "controller-uid", uid);
    sim_pairs_put (w->labels, "job-name", j->name);
    if (j->kube->work->indexed) {
      sim_pairs_put (w->labels, "batch.kubernetes.io/job-completion-index", text->index);
      sim_pairs_put (w->annotations, "batch.kubernetes.io/job-completion-index", text->index);
    }
  }
}

const SimPodOwner *
sim_workload_owner (const SimJob *j, const char *uid, SimPodOwner *out)
{
  static const char *const kinds[WL_N_KINDS] = { [WL_KIND_REPLICA_SET] = "ReplicaSet",
                                                 [WL_KIND_DEPLOYMENT] = "ReplicaSet",
                                                 [WL_KIND_STATEFUL_SET] = "StatefulSet",
                                                 [WL_KIND_BATCH_JOB] = "Job" };

  if (kinds[j->kind] == NULL)
    return NULL;
  *out = (SimPodOwner){ .kind = kinds[j->kind], .uid = uid, .controller = TRUE, .annotations = j->spec->annotations };
  return out;
}

/* Before its PodGroup is known. */
static VcPodObject
describe_workload (SimWorld *w, guint32 pod, SimPodText *t)
{
  SimPod *p = &w->pod[pod];
  const SimJob *j = &w->job[p->job];
  const SimRole *role = &w->role[p->role];

  put_uid (w->index_text, p->uid, t->uid);
  put_uid (w->index_text, j->kube->uid, t->owner_uid);
  const char *name = sim_pod_name (w, pod);

  dress_of_workload (w, p, t->owner_uid, name, t);
  VcPodObject o = {
    .ns = j->ns,
    .name = name,
    .uid = t->uid,
    .annotations = sim_pairs (w->annotations),
    .labels = sim_pairs (w->labels),
    .created = w->options.epoch + sim_time_seconds (p->created) - sim_pod_age (role, p),
    .phase = VC_POD_PENDING,
    .scheduler_name = sim_role_scheduler (w, role),
    .start_time = VC_NO_TIME,
    .scheduled_time = VC_NO_TIME,
    .spec = role->shape->spec,
  };
  add_gates (&o, role);
  o.spec.priority_class = role->spec->priority_class;
  o.spec.has_priority = TRUE;
  o.spec.priority = role->spec->priority_class != NULL ? role->spec->priority : j->priority;
  return o;
}

/* Does the PodGroup controller look after pods of this role? Those of PodGroups name theirs. */
static gboolean
is_grouped (const SimWorld *w, const SimJob *j, const SimRole *role)
{
  return j->kind != WL_KIND_POD_GROUP && sim_views_know (w, sim_role_scheduler (w, role));
}

static void
name_group (SimWorld *w, VcPodObject *o, const SimPodOwner *by)
{
  sim_pod_group_name (w->group_name, o, by, by != NULL);
  sim_pairs_put (w->annotations, "scheduling.k8s.io/group-name", w->group_name->str);
  o->annotations = sim_pairs (w->annotations);
}

VcPodObject
sim_pod_describe (SimWorld *w, guint32 pod, SimPodText *text)
{
  const SimPod *p = &w->pod[pod];
  const SimJob *j = &w->job[p->job];
  SimPodOwner owner;

  if (j->kube == NULL)
    return describe_vcjob (w, pod, text);
  VcPodObject o = describe_workload (w, pod, text);

  if (is_grouped (w, j, &w->role[p->role]))
    name_group (w, &o, sim_workload_owner (j, text->owner_uid, &owner));
  return o;
}

gboolean
sim_pod_tell (SimWorld *w, guint32 pod)
{
  const SimPod *p = &w->pod[pod];
  const SimJob *j = &w->job[p->job];
  const SimRole *role = &w->role[p->role];
  SimPodText text;
  VcPodObject o = j->kube != NULL ? describe_workload (w, pod, &text) : describe_vcjob (w, pod, &text);

  if (j->kube != NULL && is_grouped (w, j, role)) {
    SimPodOwner owner;
    const SimPodOwner *by = sim_workload_owner (j, text.owner_uid, &owner);

    if (!sim_pod_group_join (w, pod, &o, by, by != NULL))
      return FALSE;
    name_group (w, &o, by);
  }
  sim_claims_make (w, pod, &o);
  sim_watch_pod_added (w, pod, &o, role->shape);
  return TRUE;
}
