/* sim/load/load-objects.c - Job objects and commands become jobs and events of the world. */
#include "load-private.h"
#include "load.h"
#include "sim/controllers/kinds.h"
#include "sim/controllers/makers.h"
#include "sim/controllers/queue-controller.h"
#include "sim/controllers/scaling.h"
#include "sim/controllers/shard-controller.h"
#include "sim/cycle/cycle.h"
#include "sim/scheduler/shards.h"
#include "sim/world/claims.h"
#include "sim/world/cluster-objects.h"
#include "sim/world/job-table.h"
#include "sim/world/min-resources.h"
#include "sim/world/pairs.h"
#include "sim/world/pod-object.h"
#include "sim/world/queues.h"
#include "sim/world/storage.h"
#include "sim/world/views.h"
#include "workloads/admission/admission.h"
#include <string.h>

static int
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* ---- what the objects bring ----------------------------------------------------------------- */

static void
note (const VcAmounts *a, GHashTable *seen, GPtrArray *names)
{
  for (guint i = 0; i < a->n; i++)
    if (vc_res_is_scalar_name (a->item[i].name) && g_hash_table_add (seen, (gpointer) a->item[i].name))
      g_ptr_array_add (names, (gpointer) a->item[i].name);
}

static void
note_job (const WlJobObject *job, GHashTable *seen, GPtrArray *names)
{
  for (guint k = 0; k < job->n_tasks; k++) {
    const VcPodSpec *spec = &job->task[k].spec;

    for (guint c = 0; c < spec->n_containers; c++)
      note (&spec->container[c].request, seen, names);
    note (&spec->overhead, seen, names);
    note (&spec->pod_level, seen, names);
  }
}

void
sim_loader_note_objects (const WlObjects *objects, GHashTable *seen, GHashTable *drivers, GPtrArray *names)
{
  GHashTableIter it;
  gpointer driver;

  for (guint i = 0; i < objects->objects->len; i++) {
    const WlObject *o = objects->objects->pdata[i];

    sim_note_drivers (o, drivers);
    if (o->kind != WL_OBJECT_QUEUE)
      continue;
    note (&o->queue.capability, seen, names);
    note (&o->queue.guarantee, seen, names);
    note (&o->queue.deserved, seen, names);
  }
  g_hash_table_iter_init (&it, drivers); /* in any order: VcResNames sorts */
  while (g_hash_table_iter_next (&it, &driver, NULL))
    if (g_hash_table_add (seen, driver))
      g_ptr_array_add (names, driver);
  for (guint i = 0; i < objects->jobs->len; i++)
    note_job (objects->jobs->pdata[i], seen, names);
  for (guint i = 0; i < objects->templates->len; i++)
    note_job (&((const WlJobTemplate *) objects->templates->pdata[i])->job, seen, names);
  for (guint i = 0; i < objects->crons->len; i++)
    note_job (&((const WlCronJob *) objects->crons->pdata[i])->made_from.job, seen, names);
}

gboolean
sim_loader_is_storage (WlObjectKind kind)
{
  return kind == WL_OBJECT_STORAGE_CLASS || kind == WL_OBJECT_PERSISTENT_VOLUME || kind == WL_OBJECT_PERSISTENT_VOLUME_CLAIM || kind == WL_OBJECT_CSI_NODE
         || kind == WL_OBJECT_CSI_DRIVER || kind == WL_OBJECT_CSI_STORAGE_CAPACITY || kind == WL_OBJECT_VOLUME_ATTACHMENT;
}

static gboolean
is_sharding (const WlObject *o)
{
  return o->kind == WL_OBJECT_CONFIG_MAP && vc_pairs_get (&o->config_map.data, "sharding.yaml") != NULL;
}

/* The configuration of the sharding controller, which it turns on. */
static gboolean
load_sharding (SimLoader *l, const WlObject *o, GError **error)
{
  const char *ns = o->config_map.ns, *name = o->config_map.name;
  g_autofree char *source = g_strdup_printf ("%s:%u: ConfigMap '%s': sharding.yaml", o->file, o->line, name);
  SimTime submit = o->submit != WL_TIME_NONE ? o->submit : 0;

  if (strcmp (ns, "volcano-system") != 0 || strcmp (name, "volcano-sharding-configmap") != 0)
    return sim_loader_refuse (error, o->file, o->line, "ConfigMap with sharding.yaml, expected it as volcano-system/volcano-sharding-configmap, found %s/%s", ns, name);
  if (o->remove != WL_TIME_NONE && o->remove <= submit)
    return sim_loader_refuse (error, o->file, o->line, "annotation volsim.io/delete of ConfigMap '%s', expected a time after it comes", name);
  g_autoptr (WlShardingConf) conf = wl_sharding_conf_read (source, vc_pairs_get (&o->config_map.data, "sharding.yaml"), error);

  if (conf == NULL)
    return FALSE;
  if (!sim_shard_controller_plan (l->w, conf, submit))
    return sim_loader_refuse (error, o->file, o->line, "ConfigMap %s/%s is given twice for the start, expected one, and others with a later volsim.io/submit", ns, name);
  g_steal_pointer (&conf);
  return o->remove == WL_TIME_NONE || sim_shard_controller_plan (l->w, NULL, o->remove);
}

/* ConfigMaps are read at the start; what a node's agent reports comes with the node. */
static gboolean
load_settled (SimLoader *l, const WlObject *o, const char *kind, GError **error)
{
  if (is_sharding (o))
    return load_sharding (l, o, error);
  if (o->submit != WL_TIME_NONE || o->remove != WL_TIME_NONE)
    return sim_loader_refuse (error, o->file, o->line, "a %s with volsim.io/submit or volsim.io/delete, expected one that is there from the start", kind);
  if (o->kind == WL_OBJECT_CONFIG_MAP) {
    SIM_EACH_VIEW (l->w, back)
      sim_cycle_add_object (l->w->cache, o);
    return TRUE;
  }
  guint32 node = GPOINTER_TO_UINT (g_hash_table_lookup (l->node_rows, o->numatopology.name));
  if (node == 0)
    return sim_loader_refuse (error, o->file, o->line, "name of a Numatopology, expected a node of the cluster, found '%s'", o->numatopology.name);
  l->w->node[node - 1].numa = &o->numatopology;
  return TRUE;
}

/* Scopes that a run knows; those but PriorityClass have no values. */
static gboolean
check_scopes (const WlObject *o, GError **error)
{
  static const char *const known[] = { "BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "PriorityClass", NULL };

  for (guint i = 0; i < o->quota.n_scopes; i++) {
    const VcExpression *e = &o->quota.scope[i];

    if (!g_strv_contains (known, e->key))
      return sim_loader_refuse (error, o->file, o->line, "scope of quota '%s', expected BestEffort, NotBestEffort, Terminating, NotTerminating or PriorityClass, found '%s'",
                                o->quota.name, e->key);
    if (e->op != VC_OP_EXISTS && strcmp (e->key, "PriorityClass") != 0)
      return sim_loader_refuse (error, o->file, o->line, "operator of scope %s of quota '%s', expected Exists, found another one", e->key, o->quota.name);
  }
  return TRUE;
}

gboolean
sim_loader_check_objects (SimLoader *l, GError **error)
{
  static const char *const kinds[] = { [WL_OBJECT_NODE] = "Node",
                                       [WL_OBJECT_POD] = "Pod",
                                       [WL_OBJECT_POD_GROUP] = "PodGroup",
                                       [WL_OBJECT_QUEUE] = "Queue",
                                       [WL_OBJECT_PRIORITY_CLASS] = "PriorityClass",
                                       [WL_OBJECT_NAMESPACE] = "Namespace",
                                       [WL_OBJECT_RESOURCE_QUOTA] = "ResourceQuota",
                                       [WL_OBJECT_POD_DISRUPTION_BUDGET] = "PodDisruptionBudget",
                                       [WL_OBJECT_STORAGE_CLASS] = "StorageClass",
                                       [WL_OBJECT_PERSISTENT_VOLUME] = "PersistentVolume",
                                       [WL_OBJECT_PERSISTENT_VOLUME_CLAIM] = "PersistentVolumeClaim",
                                       [WL_OBJECT_CSI_NODE] = "CSINode",
                                       [WL_OBJECT_CSI_DRIVER] = "CSIDriver",
                                       [WL_OBJECT_CSI_STORAGE_CAPACITY] = "CSIStorageCapacity",
                                       [WL_OBJECT_VOLUME_ATTACHMENT] = "VolumeAttachment",
                                       [WL_OBJECT_CONFIG_MAP] = "ConfigMap",
                                       [WL_OBJECT_HYPER_NODE] = "HyperNode",
                                       [WL_OBJECT_NUMATOPOLOGY] = "Numatopology",
                                       [WL_OBJECT_NODE_SHARD] = "NodeShard",
                                       [WL_OBJECT_RESOURCE_CLAIM] = "ResourceClaim",
                                       [WL_OBJECT_RESOURCE_CLAIM_TEMPLATE] = "ResourceClaimTemplate",
                                       [WL_OBJECT_RESOURCE_SLICE] = "ResourceSlice",
                                       [WL_OBJECT_DEVICE_CLASS] = "DeviceClass" };

  static const char expected[] = "Job, JobFlow, JobTemplate, CronJob, Pod, PodGroup, ReplicaSet, Deployment, StatefulSet, Queue, HyperNode, NodeShard, PriorityClass, ResourceQuota, PodDisruptionBudget, "
                                 "Namespace, ConfigMap, Numatopology, ResourceClaim, ResourceClaimTemplate, ResourceSlice, DeviceClass or one of storage";
  const WlObjects *objects = l->w->objects;

  for (guint i = 0; i < objects->objects->len; i++) {
    const WlObject *o = objects->objects->pdata[i];
    gboolean known;

    if (o->kind == WL_OBJECT_PRIORITY_CLASS) {
      sim_loader_add_class (l, o->priority_class.name, o->priority_class.value, o->priority_class.global_default);
    } else if (o->kind == WL_OBJECT_NAMESPACE || o->kind == WL_OBJECT_RESOURCE_QUOTA || o->kind == WL_OBJECT_POD_DISRUPTION_BUDGET
               || o->kind == WL_OBJECT_HYPER_NODE || o->kind == WL_OBJECT_NODE_SHARD) {
      if (o->refusal != NULL && o->submit == WL_TIME_NONE)
        return sim_loader_refuse (error, o->file, o->line, "%s '%s' cannot be there from the start: %s", kinds[o->kind], o->hyper_node.name, o->refusal);
      if (o->kind == WL_OBJECT_RESOURCE_QUOTA && !check_scopes (o, error))
        return FALSE;
      l->w->has_quotas = l->w->has_quotas || o->kind == WL_OBJECT_RESOURCE_QUOTA;
      sim_objects_load (l->w, i);
    } else if (o->kind == WL_OBJECT_CONFIG_MAP || o->kind == WL_OBJECT_NUMATOPOLOGY) {
      if (!load_settled (l, o, kinds[o->kind], error))
        return FALSE;
    } else if (sim_loader_is_storage (o->kind)) {
      if (o->remove != WL_TIME_NONE && o->kind != WL_OBJECT_PERSISTENT_VOLUME && o->kind != WL_OBJECT_PERSISTENT_VOLUME_CLAIM)
        return sim_loader_refuse (error, o->file, o->line, "a %s that is deleted: only volumes and claims can be, in a run", kinds[o->kind]);
      sim_objects_load (l->w, i);
    } else if (!sim_claims_load (l->w, o, i, &known, error)) {
      return FALSE;
    } else if (known) {
      continue;
    } else if (o->kind != WL_OBJECT_QUEUE) { /* sim_loader_load_queues() has those */
      return sim_loader_refuse (error, o->file, o->line,
                                "a %s among the objects of a run, expected %s (nodes have a file of their own)",
                                kinds[o->kind], expected);
    }
  }
  if (objects->skipped->len > 0)
    return sim_loader_refuse (error, l->s->objects, 1, "%s among the objects of a run, expected %s", (const char *) objects->skipped->pdata[0], expected);
  return TRUE;
}

guint32
sim_loader_object_roles (const WlObjects *objects)
{
  guint32 n = 0;

  for (guint i = 0; i < objects->jobs->len; i++)
    n += ((const WlJobObject *) objects->jobs->pdata[i])->n_tasks;
  return n;
}

/* ---- jobs ----------------------------------------------------------------------------------- */

static SimPolicies
policies_of (SimLoader *l, const WlPolicy *list, guint n)
{
  SimPolicy *item = vc_arena_new0 (l->w->arena, SimPolicy, MAX (n, 1));

  for (guint i = 0; i < n; i++) {
    const WlPolicy *p = &list[i];

    item[i] = (SimPolicy){ .action = (guint8) sim_job_action_find (p->action),
                           .has_exit_code = p->has_exit_code,
                           .exit_code = p->exit_code,
                           .timeout = p->timeout == WL_TIME_NONE ? SIM_NO_TIME : p->timeout };
    for (guint e = 0; e < p->n_events; e++)
      for (guint c = 0; c < SIM_N_CAUSES; c++)
        if (*p->event[e] != '\0' && strcmp (sim_cause_names[c], p->event[e]) == 0)
          item[i].causes |= 1u << c;
  }
  return (SimPolicies){ item, n };
}

static gboolean
find_class (const SimLoader *l, const WlJobObject *job, const char *name, gint32 *value, GError **error)
{
  const gint64 *known = g_hash_table_lookup (l->classes, name);

  if (known == NULL)
    return sim_loader_refuse (error, job->file, job->line,
                              "priority class of job '%s', expected a PriorityClass object or a class of priority_classes in the scenario, found '%s'",
                              job->name, name);
  *value = (gint32) *known;
  return TRUE;
}

/* Requests of a pod of @spec; where there are quotas, its limits as `limits.…` as well. */
static VcAmounts
usage_of (SimLoader *l, const VcPodSpec *spec)
{
  g_autoptr (GArray) usage = g_array_new (FALSE, FALSE, sizeof (VcAmount));

  sim_quota_requests (spec, usage);
  if (l->w->has_quotas) {
    guint from = usage->len;

    sim_quota_limits (spec, usage);
    for (guint i = from; i < usage->len; i++) {
      VcAmount *a = &g_array_index (usage, VcAmount, i);
      g_autofree char *name = g_strconcat ("limits.", a->name, NULL);

      a->name = g_string_chunk_insert_const (l->w->text, name);
    }
  }
  VcAmount *item = vc_arena_new0 (l->w->arena, VcAmount, MAX (usage->len, 1));

  if (usage->len > 0)
    memcpy (item, usage->data, usage->len * sizeof *item);
  return (VcAmounts){ item, usage->len, TRUE };
}

static void
set_depends (SimLoader *l, const WlJobObject *job, const WlTask *t, SimTaskSpec *spec)
{
  guint32 *role = vc_arena_new0 (l->w->arena, guint32, MAX (t->n_depends, 1));

  for (guint d = 0; d < t->n_depends; d++)
    for (guint k = 0; k < job->n_tasks; k++)
      if (strcmp (job->task[k].name, t->depends[d]) == 0) {
        role[spec->n_depends++] = k;
        break;
      }
  spec->depends = role;
  spec->depends_on_any = t->depends_on_any != 0;
}

const WlResourceGroup *
sim_loader_resource_group (const SimLoader *l, const char *ns, const VcPairs *annotations)
{
  const SimWorld *w = l->w;

  return (w->webhooks & WL_WEBHOOK_PODS_MUTATE) != 0 && w->admission != NULL ? wl_resource_group_of (w->admission, ns, annotations) : NULL;
}

/* What the webhook of pods says of those of a task: the annotations are the template's and what the controller adds of the job's. */
static const char *
pod_refusal (SimLoader *l, const WlJobObject *job, const WlTask *t, const char *scheduler)
{
  g_autoptr (GArray) notes = g_array_new (FALSE, FALSE, sizeof (VcPair));

  if ((l->w->webhooks & WL_WEBHOOK_PODS_VALIDATE) == 0 || !sim_views_know (l->w, scheduler))
    return NULL;
  sim_pairs_take (notes, &t->annotations);
  if (job->kind == WL_KIND_VCJOB)
    sim_pairs_copy_budget (notes, &job->annotations);
  const VcPairs pairs = sim_pairs (notes);
  g_autofree char *reason = wl_admit_pod (&pairs);

  return reason != NULL ? g_string_chunk_insert (l->w->text, reason) : NULL;
}

/* Where pods of the task are from the beginning. */
static gboolean
load_nodes (SimLoader *l, const WlJobObject *job, const WlTask *t, SimTaskSpec *spec, GError **error)
{
  const WlJobObject *pod = t->pod != NULL ? t->pod : job;
  guint32 *node = vc_arena_new0 (l->w->arena, guint32, MAX (t->nodes.n, 1));

  for (guint i = 0; i < t->nodes.n; i++) {
    node[i] = GPOINTER_TO_UINT (g_hash_table_lookup (l->node_rows, t->nodes.item[i])) - 1; /* SIM_NONE when there is none */
    if (node[i] == SIM_NONE && *t->nodes.item[i] != '\0')
      return sim_loader_refuse (error, pod->file, pod->line, "annotation volsim.io/node of task '%s' of '%s', expected a node of the cluster, found '%s'", t->name, pod->name,
                                t->nodes.item[i]);
  }
  spec->node = node;
  spec->n_nodes = t->nodes.n;
  spec->age = pod->age / G_USEC_PER_SEC;
  return TRUE;
}

static gboolean
load_task (SimLoader *l, const WlJobObject *job, guint k, SimRole *role, GError **error)
{
  SimWorld *w = l->w;
  const WlTask *t = &job->task[k];
  SimTaskSpec *spec = vc_arena_new0 (w->arena, SimTaskSpec, 1);

  *spec = (SimTaskSpec){ .policies = policies_of (l, t->policy, t->n_policies),
                         .labels = t->labels,
                         .annotations = t->annotations,
                         .scheduler = t->scheduler != NULL && *t->scheduler != '\0' ? t->scheduler : w->scheduler_name,
                         .grace = t->grace == WL_TIME_NONE ? SIM_NO_TIME : t->grace,
                         .start_delay = t->start_delays != NULL ? sim_loader_schedule (l, t->start_delays, TRUE) : NULL,
                         .volume = t->raw.volume,
                         .max_retry = (guint32) MAX (t->max_retry, 0),
                         .master = SIM_NONE,
                         .claim = t->spec.claim,
                         .n_claims = t->spec.n_claims,
                         .restarts_failed = strcmp (t->restart_policy, "OnFailure") == 0,
                         .restarts_all = strcmp (t->restart_policy, "Always") == 0,
                         .has_deadline = t->has_deadline != 0 };
  if (t->divided && t->partition_size > 0) {
    spec->partition_size = (guint32) t->partition_size;
    spec->partitions = (guint32) MAX (t->partitions, 0);
    spec->min_partitions = (guint32) MAX (t->min_partitions, 0);
  }
  set_depends (l, job, t, spec);
  g_autofree char *missing = sim_claims_missing (w, job->ns, t->spec.claim, t->spec.n_claims);
  if (t->spec.n_claims > 0 && (t->raw.n_volumes > 0 || job->n_volumes > 0))
    return sim_loader_refuse (error, job->file, job->line, "task '%s' of job '%s': claims on devices beside volumes are not simulated yet", t->name, job->name);
  if (missing != NULL)
    return sim_loader_refuse (error, job->file, job->line, "task '%s' of job '%s': expected %s among the objects of namespace '%s'", t->name, job->name, missing, job->ns);
  for (guint m = 0; job->wait.worker != NULL && strcmp (job->wait.worker, t->name) == 0 && m < job->n_tasks; m++)
    if (strcmp (job->task[m].name, job->wait.master) == 0 && spec->master == SIM_NONE) {
      spec->master = m;
      spec->master_timeout = job->wait.timeout;
    }
  if (t->raw.priority_class != NULL && *t->raw.priority_class != '\0') {
    spec->priority_class = t->raw.priority_class;
    if (!find_class (l, job, spec->priority_class, &spec->priority, error))
      return FALSE;
  }
  if (!load_nodes (l, job, t, spec, error))
    return FALSE;
  for (guint i = 0; i < t->raw.n_gates; i++)
    if (strcmp (t->raw.gate[i], "scheduling.volcano.sh/queue-allocation-gate") != 0) { /* which the scheduler itself takes away */
      spec->gate = t->raw.gate;
      spec->n_gates = t->raw.n_gates;
    }
  const WlResourceGroup *group = sim_loader_resource_group (l, job->ns, &t->annotations);
  const char *scheduler = group != NULL ? wl_resource_group_scheduler (group) : NULL;
  VcPodSpec pods = t->spec;

  spec->foreign = job->kind == WL_KIND_POD && scheduler == NULL && spec->n_nodes > 0 && spec->node[0] != SIM_NONE && !g_strv_contains (l->schedulers, spec->scheduler);
  if (job->kind != WL_KIND_VCJOB && scheduler == NULL && !spec->foreign && !g_strv_contains (l->schedulers, spec->scheduler)) {
    g_autofree char *known = g_strjoinv (" or ", (char **) l->schedulers);

    return sim_loader_refuse (error, job->file, job->line, "schedulerName of the pods of '%s', expected %s, found %s: other schedulers are not simulated", job->name,
                              known, spec->scheduler);
  }
  if (group != NULL)
    wl_resource_group_apply (w->arena, group, &pods);
  *role = (SimRole){ .name = t->name,
                     .job = role->job,
                     .first_index = (guint32) (t->pod != NULL ? t->first_index : job->workload != NULL ? job->workload->first_ordinal : 0),
                     .replicas = (guint32) MAX (t->replicas, 0),
                     .min_available = t->min_available,
                     .shape = vc_shape_intern (w->cluster->shapes, &pods),
                     .scheduler = scheduler,
                     .pod_error = pod_refusal (l, job, t, scheduler != NULL ? scheduler : spec->scheduler),
                     .request = usage_of (l, &t->raw),
                     .quota = w->has_quotas ? usage_of (l, &t->spec) : (VcAmounts){ 0 },
                     .duration = sim_loader_schedule (l, t->durations, TRUE),
                     .exit_code = sim_loader_schedule (l, t->exit_codes, FALSE),
                     .behaviour = sim_loader_behaviour (l, t->behaviour),
                     .spec = spec };
  if (t->pod != NULL)
    spec->pod = t->pod->name; /* an object of its own, in a PodGroup */
  return TRUE;
}

/* setPgSubGroupPolicy: every partition of a divided task is a sub-group, by the labels of its pods. */
static void
set_sub_groups (SimLoader *l, const WlJobObject *job, SimJobSpec *spec)
{
  static const char *const keys[] = { "volcano.sh/partition-id" };
  VcSubGroupPolicy *policy = vc_arena_new0 (l->w->arena, VcSubGroupPolicy, MAX (job->n_tasks, 1));

  for (guint k = 0; k < job->n_tasks; k++) {
    const WlTask *t = &job->task[k];

    if (!t->divided || t->partition_size <= 0) /* admission refuses the latter */
      continue;
    VcPair *label = vc_arena_new0 (l->w->arena, VcPair, 1);

    *label = (VcPair){ "volcano.sh/task-spec", t->name };
    policy[spec->n_sub_groups++] = (VcSubGroupPolicy){ .name = t->name,
                                                       .topology = t->topology,
                                                       .has_size = TRUE,
                                                       .size = t->partition_size,
                                                       .min_groups = t->min_partitions,
                                                       .selector = { .given = TRUE, .match = { label, 1 } },
                                                       .key = keys,
                                                       .n_keys = 1 };
  }
  spec->sub_group = policy;
}

/* What a workload that is no vcjob keeps; how many of its pods its PodGroup wants at once. */
static void
load_workload (SimLoader *l, SimJob *j, const WlJobObject *job)
{
  const WlWorkload *work = job->workload;
  SimPodOwner owner;
  const SimPodOwner *by = sim_workload_owner (j, "", &owner);

  j->kube = vc_arena_new0 (l->w->arena, SimKube, 1);
  *j->kube = (SimKube){ .work = work, .wake = SIM_NEVER, .batch = { .last_failure = SIM_NO_TIME, .started = SIM_NO_TIME } };
  if (work->indexed)
    j->kube->batch.done = vc_arena_new0 (l->w->arena, guint8, MAX (work->completions, 1));
  if (job->kind != WL_KIND_POD_GROUP)
    j->min_available = sim_pod_group_min_member (by, by != NULL);
}

static const SimJobVolume *
volumes_of (SimLoader *l, const WlJobObject *job)
{
  SimJobVolume *volume = vc_arena_new0 (l->w->arena, SimJobVolume, MAX (job->n_volumes, 1));

  for (guint i = 0; i < job->n_volumes; i++)
    volume[i] = (SimJobVolume){ job->volume[i].claim, job->volume[i].made };
  return volume;
}

gboolean
sim_loader_fill_job (SimLoader *l, const WlJobObject *job, SimJob *j, SimRole *role, GError **error)
{
  SimWorld *w = l->w;
  SimJobSpec *spec = vc_arena_new0 (w->arena, SimJobSpec, 1);

  *spec = (SimJobSpec){ .policies = policies_of (l, job->policy, job->n_policies),
                        .labels = job->labels,
                        .annotations = job->annotations,
                        .file = job->file,
                        .refusal = &job->refusal,
                        .plugins = job->plugins,
                        .volume = volumes_of (l, job),
                        .n_volumes = job->n_volumes,
                        .pod_error = job->pod_error,
                        .topology = job->topology,
                        .age = job->age / G_USEC_PER_SEC,
                        .phase = job->phase };
  set_sub_groups (l, job, spec);
  j->ns = job->ns;
  j->name = job->name;
  j->spec = spec;
  j->queue = GPOINTER_TO_UINT (g_hash_table_lookup (l->queue_rows, job->queue)) - 1;
  j->line = job->line;
  j->priority = l->default_priority;
  j->min_available = job->min_available;
  j->min_success = job->min_success;
  j->max_retry = (guint32) MAX (job->max_retry, 0);
  j->ttl = job->ttl;
  if (job->priority_class != NULL) {
    j->priority_class = job->priority_class;
    if (!find_class (l, job, job->priority_class, &j->priority, error))
      return FALSE;
  }
  g_autofree GArray **scale = g_new (GArray *, MAX (job->n_tasks, 1));

  for (guint k = 0; k < job->n_tasks; k++) {
    if (!load_task (l, job, k, &role[k], error))
      return FALSE;
    j->replicas += role[k].replicas;
    scale[k] = job->task[k].scale;
  }
  j->schedule = sim_loader_scale (l, scale, job->n_tasks);
  return TRUE;
}

gboolean
sim_loader_add_row (SimLoader *l, const WlJobObject *job, GError **error)
{
  SimWorld *w = l->w;
  guint32 row = sim_job_add (w, job->n_tasks);
  SimJob *j = &w->job[row];

  j->submit = sim_loader_submit (l, job->ns, job->name, job->submit);
  j->walltime = job->walltime;
  j->kind = (guint8) job->kind;
  if (!sim_loader_fill_job (l, job, j, &w->role[j->first_role], error))
    return FALSE;
  if (job->workload != NULL)
    load_workload (l, j, job);
  return TRUE;
}

void
sim_loader_prepare_delete (SimLoader *l, const WlJobObject *job, guint32 row, SimTime submit)
{
  if (job->remove != WL_TIME_NONE)
    sim_event_queue_prepare (l->w->events, MAX (job->remove + (submit - job->submit), 0), SIM_RANK_DELETE, SIM_EVENT_JOB_DELETE, row);
}

gboolean
sim_loader_load_job (SimLoader *l, const WlJobObject *job, GError **error)
{
  SimWorld *w = l->w;
  guint32 row = w->n_jobs;

  if (!sim_loader_add_row (l, job, error))
    return FALSE;
  const SimJob *j = &w->job[row];

  for (guint k = 0; k < job->n_tasks; k++) {
    const WlJobObject *pod = job->task[k].pod;

    if (pod == NULL)
      continue;
    sim_event_queue_prepare (w->events, pod->submit, SIM_RANK_SUBMIT, SIM_EVENT_MEMBER_SUBMIT, j->first_role + k);
    if (pod->remove != WL_TIME_NONE)
      sim_event_queue_prepare (w->events, pod->remove, SIM_RANK_DELETE, SIM_EVENT_MEMBER_DELETE, j->first_role + k);
  }
  sim_event_queue_prepare (w->events, j->submit, SIM_RANK_SUBMIT, SIM_EVENT_JOB_SUBMIT, row);
  sim_loader_prepare_delete (l, job, row, j->submit);
  return TRUE;
}

/* Rows of jobs by "namespace/name". (transfer full) */
GHashTable *
sim_loader_index_jobs (const SimWorld *w)
{
  GHashTable *rows = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint32 i = 0; i < w->n_jobs; i++)
    g_hash_table_insert (rows, g_strconcat (w->job[i].ns, "/", w->job[i].name, NULL), GUINT_TO_POINTER (i + 1));
  return rows;
}

gboolean
sim_loader_load_objects (SimLoader *l, GError **error)
{
  return sim_loader_load_jobs (l, error) && sim_loader_load_makers (l, error);
}

/* ---- gangs that wait for themselves ---------------------------------------------------------- */

static gboolean
waits_for_others (const SimRole *role, const SimRole *r)
{
  for (guint i = 0; r->spec != NULL && i < r->spec->n_depends; i++)
    if (role[r->spec->depends[i]].min_available > 0)
      return TRUE;
  return FALSE;
}

/* One word about all that jobs ask for and that changes nothing here. */
static void
warn_of_deadlines (const SimWorld *w, GPtrArray *warnings)
{
  for (guint32 i = 0; i < w->n_roles; i++) {
    const SimRole *r = &w->role[i];
    const SimJob *j = &w->job[r->job];

    if (r->spec == NULL || !r->spec->has_deadline)
      continue;
    g_ptr_array_add (warnings, g_strdup_printf ("%s:%u:1: activeDeadlineSeconds of pods of '%s' (and maybe others) counts for scopes of quotas alone: the pods are not ended by it",
                                                j->spec->file, j->line, j->name));
    return;
  }
}

static void
warn_of_plugins (const SimWorld *w, GPtrArray *warnings)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  const SimJob *first = NULL;
  guint n = 0;

  for (guint32 i = 0; i < w->n_jobs; i++) {
    const SimJobSpec *spec = w->job[i].spec;

    if (spec == NULL || spec->plugins.n == 0)
      continue;
    n++;
    first = first != NULL ? first : &w->job[i];
    for (guint k = 0; k < spec->plugins.n; k++)
      if (!g_ptr_array_find_with_equal_func (names, spec->plugins.item[k], g_str_equal, NULL))
        g_ptr_array_add (names, (gpointer) spec->plugins.item[k]);
  }
  if (n == 0)
    return;
  g_ptr_array_sort (names, by_text);
  g_ptr_array_add (names, NULL);
  g_autofree char *all = g_strjoinv (", ", (char **) names->pdata);

  g_ptr_array_add (warnings, g_strdup_printf ("%s:%u:1: plugins of jobs (%s), of %u job%s, the first is '%s': what they add to pods has no effect on scheduling, "
                                              "but for pytorch's wait for the master",
                                              first->spec->file, first->line, all, n, n == 1 ? "" : "s", first->name));
}

void
sim_load_warn_of_gang (const SimJob *j, const SimRole *role, const char *kind, GPtrArray *warnings)
{
  const char *late = NULL, *needed = NULL;
  gint64 early = 0, minima = 0;

  for (guint32 k = 0; j->spec != NULL && j->spec->refusal->text == NULL && !j->spec->refusal->no_order && k < j->n_roles; k++) {
    const SimRole *r = &role[k];

    minima += r->min_available;
    if (!waits_for_others (role, r)) {
      early += r->replicas;
      continue;
    }
    late = late != NULL ? late : r->name;
    if (r->min_available > 0 && needed == NULL)
      needed = r->name;
  }
  if (late != NULL && (j->min_available > early || (j->min_available >= minima && needed != NULL)))
    g_ptr_array_add (warnings,
                     g_strdup_printf ("%s:%u:1: %s '%s' can never start: its gang of %d includes pods of task '%s', which are not made before "
                                      "other tasks run; a smaller minAvailable of the job would do",
                                      j->spec->file, j->line, kind, j->name, j->min_available, needed != NULL ? needed : late));
}

/* A container that always starts again, after runs that end: its pod never ends by itself, and nor does its job. */
static void
warn_of_restarts (const SimJob *j, const SimRole *role, GPtrArray *warnings)
{
  gboolean service = j->kind == WL_KIND_DEPLOYMENT || j->kind == WL_KIND_REPLICA_SET || j->kind == WL_KIND_STATEFUL_SET; /* are not expected to end */

  for (guint32 k = 0; !service && k < j->n_roles; k++) {
    const SimRole *r = &role[k];

    if (r->spec == NULL || !r->spec->restarts_all || r->replicas == 0 || sim_schedule_at (r->duration, 0, G_MAXUINT32) == SIM_NEVER)
      continue;
    g_ptr_array_add (warnings, g_strdup_printf ("%s:%u:1: pods of task '%s' of %s '%s' never end by themselves: restartPolicy Always starts their containers again "
                                                "after each run; OnFailure or Never would let them",
                                                j->spec->file, j->line, r->name, sim_kind_of (j)->object, j->name));
    return;
  }
}

/* The second pod is not made before the first one runs, which waits for the gang. */
static void
warn_of_order (const SimWorld *w, const SimJob *j, GPtrArray *warnings)
{
  SimPodOwner owner;
  const SimRole *r = &w->role[j->first_role];

  if (j->kind != WL_KIND_STATEFUL_SET || j->kube->work->parallel || j->replicas == 0 || !sim_views_know (w, sim_role_scheduler (w, r)))
    return;
  const SimPodOwner *by = sim_workload_owner (j, "", &owner);
  gint32 gang = sim_pod_group_min_member (by, 1);

  if (gang > 1)
    g_ptr_array_add (warnings, g_strdup_printf ("%s:%u:1: StatefulSet '%s' can never start: its gang of %d includes pods that are not made before the first one runs; "
                                                "podManagementPolicy Parallel would do",
                                                j->spec->file, j->line, j->name, gang));
}

void
sim_load_warn (const SimWorld *w, GPtrArray *warnings)
{
  sim_queue_warn (w, warnings);
  sim_scaling_warn (w, warnings);
  sim_storage_warn (w, warnings);
  sim_shards_warn (w, warnings);
  for (guint32 i = 0; w->usage != NULL && i < w->usage->n; i++)
    if (w->usage_node[i] == SIM_NONE)
      g_ptr_array_add (warnings, g_strdup_printf ("measured load of node '%s', which does not exist", w->usage->object[i].node));
  warn_of_plugins (w, warnings);
  warn_of_deadlines (w, warnings);
  for (guint32 i = 0; i < w->n_jobs; i++) {
    sim_load_warn_of_gang (&w->job[i], &w->role[w->job[i].first_role], "job", warnings);
    warn_of_restarts (&w->job[i], &w->role[w->job[i].first_role], warnings);
    warn_of_order (w, &w->job[i], warnings);
  }
  sim_makers_warn (w, warnings);
}

/* ---- commands ------------------------------------------------------------------------------- */

gboolean
sim_loader_load_commands (SimLoader *l, GError **error)
{
  SimWorld *w = l->w;
  g_autoptr (GArray) rows = wl_read_commands (l->s->commands, error);

  if (rows == NULL)
    return FALSE;
  g_autoptr (GHashTable) jobs = sim_loader_index_jobs (w);

  w->command = g_new0 (SimCommand, MAX (rows->len, 1));
  for (guint i = 0; i < rows->len; i++) {
    const WlCommand *c = &g_array_index (rows, WlCommand, i);

    if (c->queue != NULL) {
      if (!g_hash_table_contains (l->queue_rows, c->queue))
        return sim_loader_refuse (error, l->s->commands, c->line, "queue of a command, expected a queue of this run, found '%s'", c->queue);
      w->command[w->n_commands]
          = (SimCommand){ .job = SIM_NONE,
                          .queue = GPOINTER_TO_UINT (g_hash_table_lookup (l->queue_rows, c->queue)) - 1,
                          .action = (guint8) sim_queue_action_find (c->action) };
      sim_event_queue_prepare (w->events, c->time, SIM_RANK_COMMAND, SIM_EVENT_COMMAND, w->n_commands++);
      continue;
    }
    g_autofree char *key = g_strconcat (c->ns, "/", c->job, NULL);
    guint32 row = GPOINTER_TO_UINT (g_hash_table_lookup (jobs, key));

    if (row == 0 && !sim_makers_may_make (w, c->ns, c->job))
      return sim_loader_refuse (error, l->s->commands, c->line, "job of a command, expected a job of this run, found '%s'", key);
    w->command[w->n_commands] = (SimCommand){ .job = row - 1, .queue = SIM_NONE, .action = (guint8) sim_job_action_find (c->action) };
    if (row == 0) {
      w->command[w->n_commands].ns = g_string_chunk_insert_const (w->text, c->ns);
      w->command[w->n_commands].name = g_string_chunk_insert_const (w->text, c->job);
    }
    sim_event_queue_prepare (w->events, c->time, SIM_RANK_COMMAND, SIM_EVENT_COMMAND, w->n_commands++);
  }
  return TRUE;
}
