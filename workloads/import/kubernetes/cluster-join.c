/* workloads/import/kubernetes/cluster-join.c - which objects of a cluster belong together, and what is over. */
#include "cluster-private.h"
#include "core/base/rfc3339.h"
#include <string.h>

void
wl_item_drop (WlCluster *c, WlItem *item, const char *reason)
{
  if (item->dropped)
    return;
  item->dropped = TRUE;
  if (c->own_rows)
    wl_import_note (c->imp, reason, 1);
  else
    wl_import_drop_more (c->imp, reason, 1);
}

#define EACH_ITEM(c, item, i)                                                            \
  for (guint i = 0, i##_n = (c)->items->len; i < i##_n; i++)                             \
    for (WlItem *item = (c)->items->pdata[i]; item != NULL && !item->dropped; item = NULL)

/* ---- which way, and when --------------------------------------------------------------------------------- */

/* Looked at in any mode: a slip must not pass because the option means nothing here. */
static gboolean
read_at (WlCluster *c, GError **error)
{
  const char *at = wl_import_text (c->imp, "at");
  gint64 second;

  if (at == NULL)
    return TRUE;
  if (!vc_parse_rfc3339 (at, &second)) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "--at: expected a time such as 2025-03-03T08:20:00Z, found '%s'", at);
    return FALSE;
  }
  c->at = wl_cluster_second (second);
  return TRUE;
}

static WlTime
first_creation (const WlCluster *c)
{
  WlTime first = WL_TIME_NEVER;

  EACH_ITEM (c, item, i)
    if ((item->kind != WL_N_KINDS || item->maker) && !item->foreign && item->created != WL_TIME_NONE)
      first = MIN (first, item->created);
  return first;
}

static gboolean
has_workloads (const WlCluster *c)
{
  for (guint i = 0; i < c->items->len; i++)
    if (((const WlItem *) c->items->pdata[i])->kind != WL_N_KINDS)
      return TRUE;
  return FALSE;
}

gboolean
wl_cluster_settle (WlCluster *c, GError **error)
{
  c->at = WL_TIME_NONE;
  if (!read_at (c, error))
    return FALSE;
  if (c->of_then) {
    c->snapshot = FALSE;
  } else if (!wl_import_is (c->imp, "mode", "auto")) {
    c->snapshot = wl_import_is (c->imp, "mode", "snapshot");
  } else {
    c->snapshot = (c->pods_with_node > 0 || c->of_now) && !c->noted;
    if (has_workloads (c))
      wl_import_default (c->imp, c->snapshot ? "mode (snapshot)" : "mode (replay)");
  }
  c->origin = 0;
  if (c->at != WL_TIME_NONE && (c->noted || !c->snapshot))
    wl_import_note (c->imp, "--at means nothing: this is no snapshot", 1);
  if (c->noted)
    return TRUE; /* the objects themselves say when they come */
  if (c->snapshot) {
    c->origin = c->at != WL_TIME_NONE ? c->at : MAX (c->latest, 0);
    if (c->at == WL_TIME_NONE)
      wl_import_default (c->imp, "time of the dump (the latest one in it)");
    return TRUE;
  }
  WlTime first = first_creation (c);

  c->origin = first == WL_TIME_NEVER || wl_import_on (c->imp, "keep-times") ? 0 : first;
  return TRUE;
}

/* ---- who makes whom ---------------------------------------------------------------------------------------- */

static const char *
object_of (WlKind kind)
{
  static const char *const names[WL_N_KINDS] = { [WL_KIND_VCJOB] = "Job",           [WL_KIND_POD] = "Pod",
                                                 [WL_KIND_POD_GROUP] = "PodGroup",  [WL_KIND_REPLICA_SET] = "ReplicaSet",
                                                 [WL_KIND_DEPLOYMENT] = "Deployment", [WL_KIND_STATEFUL_SET] = "StatefulSet",
                                                 [WL_KIND_BATCH_JOB] = "BatchJob" };

  return names[kind];
}

/* The workload that has made the item, NULL: none that is there. */
static WlItem *
maker_of (const WlCluster *c, const WlItem *item)
{
  WlItem *owner = item->owner != WL_N_KINDS && item->owner_name != NULL ? wl_cluster_find (c, object_of (item->owner), item->ns, item->owner_name) : NULL;

  return owner != NULL && owner != item && owner->kind == item->owner ? owner : NULL;
}

/* A ReplicaSet of a Deployment is the Deployment's own affair; those of old revisions have no pods and are nobody's. */
static void
join_replica_set (WlCluster *c, WlItem *set)
{
  WlItem *deployment = maker_of (c, set);

  if (deployment != NULL) {
    set->parent = deployment;
    set->taken = TRUE;
  } else if (set->owner_kind != NULL && set->task[0].replicas == 0) {
    wl_item_drop (c, set, "ReplicaSets of old revisions");
  }
}

/* "<job>-<uid>" is the name that the job controller gives. */
static WlItem *
job_of_group (const WlCluster *c, const WlItem *group)
{
  gsize len = strlen (group->name);

  if (len <= 37)
    return NULL;
  g_autofree char *name = g_strndup (group->name, len - 37);
  WlItem *job = wl_cluster_find (c, "Job", group->ns, name);

  return job != NULL && job->kind == WL_KIND_VCJOB && g_strcmp0 (job->uid, group->name + len - 36) == 0 ? job : NULL;
}

static void
join_group (WlCluster *c, WlItem *group)
{
  WlItem *owner = maker_of (c, group);

  if (owner == NULL)
    owner = job_of_group (c, group);
  if (owner != NULL && owner->kind == WL_KIND_REPLICA_SET && owner->parent != NULL)
    owner = owner->parent;
  if (owner == NULL || owner->kind == WL_KIND_POD_GROUP)
    return;
  owner->pod_group = group;
  group->taken = TRUE;
}

/* The place of a pod among those of its task: its own index, else the next free one. */
static void
add_pod (WlCluster *c, WlItem *owner, WlItem *pod)
{
  WlItemTask *task = owner->n_tasks > 0 ? &owner->task[0] : NULL;
  guint at;

  for (guint k = 0; owner->kind == WL_KIND_VCJOB && k < owner->n_tasks; k++)
    if (g_strcmp0 (owner->task[k].name, pod->task_name) == 0)
      task = &owner->task[k];
  if (task == NULL) {
    wl_item_drop (c, pod, "pods of workloads without tasks");
    return;
  }
  if (task->pod == NULL)
    task->pod = g_ptr_array_new ();
  gboolean numbered = owner->kind == WL_KIND_VCJOB || owner->kind == WL_KIND_STATEFUL_SET || owner->kind == WL_KIND_BATCH_JOB;

  at = numbered && pod->index >= 0 && (pod->index >= task->pod->len || task->pod->pdata[pod->index] == NULL) ? (guint) pod->index : task->pod->len;
  if (at >= task->replicas && owner->kind != WL_KIND_BATCH_JOB) {
    wl_item_drop (c, pod, "pods beyond the replicas of their workload");
    return;
  }
  if (at > WL_REPLICAS_MAX) {
    wl_item_drop (c, pod, "pods beyond the replicas of their workload");
    return;
  }
  if (at >= task->pod->len)
    g_ptr_array_set_size (task->pod, (gint) at + 1);
  task->pod->pdata[at] = pod;
  pod->parent = owner;
  pod->taken = TRUE;
}

static void
add_member (WlItem *group, WlItem *pod)
{
  if (group->members == NULL)
    group->members = g_ptr_array_new ();
  g_ptr_array_add (group->members, pod);
  if (group->text == NULL && pod->created != WL_TIME_NONE) /* as old as its oldest pod */
    group->created = group->created == WL_TIME_NONE ? pod->created : MIN (group->created, pod->created);
  pod->parent = group;
  pod->taken = TRUE;
}

/* A PodGroup that pods name and that is not among the objects. */
static WlItem *
missing_group (WlCluster *c, const WlItem *pod)
{
  WlItem *group = wl_item_new (c, WL_KIND_POD_GROUP, "PodGroup", pod->ns, pod->group);

  group->queue = pod->queue;
  group->priority_class = pod->priority_class;
  wl_import_default (c->imp, "PodGroups that pods name (all of their pods are needed at once)");
  return group;
}

static void
join_pod (WlCluster *c, WlItem *pod)
{
  WlItem *owner = maker_of (c, pod), *group;

  if (owner != NULL && owner->parent != NULL)
    owner = owner->parent;
  if (owner != NULL && owner->dropped) {
    wl_item_drop (c, pod, "pods of workloads that are left out");
    return;
  }
  if (c->snapshot && pod->gone != WL_TIME_NONE && (owner != NULL || pod->node == NULL)) {
    wl_item_drop (c, pod, owner != NULL ? "pods that are being deleted: their controllers make them again" : "pods that are being deleted and have no node");
    return;
  }
  if (owner != NULL) {
    add_pod (c, owner, pod);
    return;
  }
  if (pod->group == NULL)
    return;
  group = wl_cluster_find (c, "PodGroup", pod->ns, pod->group);
  if (group == NULL)
    group = missing_group (c, pod);
  if (!group->taken && !group->dropped)
    add_member (group, pod);
}

/* ---- other schedulers, and what is over ---------------------------------------------------------------------- */

/* Of other schedulers only pods that take room are kept. */
static void
keep_foreign (WlCluster *c, WlItem *item)
{
  if (item->kind != WL_KIND_POD) {
    g_autofree char *reason = g_strdup_printf ("%s objects of other schedulers (their pods take their room)", item->object);

    wl_item_drop (c, item, reason);
    return;
  }
  if (wl_item_is_over (item))
    wl_item_drop (c, item, "pods of other schedulers that are over");
  else if (item->node == NULL)
    wl_item_drop (c, item, "pods of other schedulers that have no node");
  else if (wl_cluster_find (c, "Node", NULL, item->node) == NULL && c->nodes > 0)
    wl_item_drop (c, item, "pods of other schedulers on nodes that are not among the objects");
  else if (c->nodes == 0)
    wl_item_drop (c, item, "pods of other schedulers, whose nodes are not among the objects");
}

/* What was over when the dump was made, and what is part of it. */
static void
drop_over (WlCluster *c)
{
  EACH_ITEM (c, item, i) {
    const WlItem *whole = item;

    while (whole->parent != NULL)
      whole = whole->parent;
    if (item->kind == WL_KIND_POD_GROUP && item->taken)
      continue;
    if (whole != item ? wl_item_is_over (whole) && whole->kind != WL_KIND_POD_GROUP : item->kind != WL_N_KINDS && item->kind != WL_KIND_POD_GROUP && wl_item_is_over (item))
      wl_item_drop (c, item, whole != item ? "pods of jobs that were over" : "jobs and pods that were over, or ending");
  }
}

/* What stands beside what makes it, or without what it is about. */
static void
drop_makers_own (WlCluster *c)
{
  EACH_ITEM (c, item, i) {
    if (strcmp (item->object, "JobFlow") == 0 && *item->phase != '\0' && strcmp (item->phase, "Pending") != 0)
      wl_item_drop (c, item, "JobFlows that have begun: their jobs are there, later steps are not made");
    if (strcmp (item->object, "Numatopology") == 0 && wl_cluster_find (c, "Node", NULL, item->name) == NULL)
      wl_item_drop (c, item, "Numatopologies of nodes that are not among the objects");
    if (!c->snapshot && g_strcmp0 (item->owner_kind, "CronJob") == 0 && wl_cluster_find (c, "CronJob", item->ns, item->owner_name) != NULL)
      wl_item_drop (c, item, "jobs that their CronJob makes again");
  }
}

/* Members of a PodGroup have no second life: those that are over are gone. */
static void
drop_members (WlCluster *c, WlItem *group)
{
  guint alive = 0;

  for (guint i = 0; i < group->members->len; i++) {
    WlItem *pod = group->members->pdata[i];

    if (wl_item_is_over (pod))
      wl_item_drop (c, pod, "jobs and pods that were over, or ending");
    alive += !pod->dropped;
  }
  if (alive == 0)
    wl_item_drop (c, group, "PodGroups without a living pod");
}

void
wl_cluster_join (WlCluster *c)
{
  EACH_ITEM (c, item, i)
    if (item->kind == WL_KIND_REPLICA_SET)
      join_replica_set (c, item);
  EACH_ITEM (c, item, i)
    if (item->kind == WL_KIND_POD_GROUP)
      join_group (c, item);
  drop_makers_own (c);
  EACH_ITEM (c, item, i)
    if (item->foreign)
      keep_foreign (c, item);
  EACH_ITEM (c, item, i)
    if (item->kind == WL_KIND_POD && !item->foreign)
      join_pod (c, item);
  EACH_ITEM (c, item, i)
    if (item->kind == WL_KIND_POD_GROUP && !item->taken && item->members == NULL && item->owner_kind != NULL)
      wl_item_drop (c, item, "PodGroups of objects that are not there, without pods");
  if (!c->snapshot)
    return;
  drop_over (c);
  EACH_ITEM (c, item, i)
    if (item->kind == WL_KIND_POD_GROUP && !item->taken && item->members != NULL)
      drop_members (c, item);
}
