/* Pod events, and the paths of binds and evictions. Mirrors AddPod, UpdatePod, DeletePod (pkg/scheduler/cache/event_handlers.go), AddBindTask and
 * Evict (pkg/scheduler/cache/cache.go), NewTaskInfo (pkg/scheduler/api/job_info.go), getTaskStatus (pkg/scheduler/api/helpers.go). */
#include "cache-private.h"
#include "core/base/go-number.h"
#include "core/conf/args.h"
#include <string.h>

static VcStatus
status_of (const VcPodObject *o)
{
  gboolean placed = o->node != NULL && *o->node != '\0';

  switch (o->phase) {
  case VC_POD_RUNNING:
    return o->deleting ? VC_RELEASING : VC_RUNNING;
  case VC_POD_PENDING:
    return o->deleting ? VC_RELEASING : placed ? VC_BOUND : VC_PENDING;
  case VC_POD_SUCCEEDED:
    return VC_SUCCEEDED;
  case VC_POD_FAILED:
    return VC_FAILED;
  case VC_POD_NONE:
  case VC_POD_UNKNOWN:
  default:
    return VC_UNKNOWN;
  }
}

/* The index of a pod: the text behind the last `-` of a name with at least three parts. */
static void
set_index (VcTask *t)
{
  const char *first = strchr (t->name, '-'), *last = strrchr (t->name, '-');
  gint64 v;

  if (first == NULL || first == last || !vc_go_parse_int (last + 1, G_MININT64, G_MAXINT64, &v))
    return;
  t->has_index = TRUE;
  t->index = v;
}

static const char *
text_of (const VcPairs *first, const VcPairs *second, const char *key)
{
  const char *v = vc_pairs_get (first, key);
  if (v == NULL || *v == '\0')
    v = vc_pairs_get (second, key);
  return v != NULL ? v : "";
}

static void
set_gates (VcTask *t, const VcPodObject *o)
{
  const char *admission = "scheduling.volcano.sh/queue-allocation-gate";
  const char *opt_in = vc_pairs_get (&o->annotations, admission);

  t->gated = o->spec.n_gates > 0;
  t->gate_only_queue = o->spec.n_gates == 1 && strcmp (o->spec.gate[0], admission) == 0;
  t->gate_opt_in = opt_in != NULL && strcmp (opt_in, "true") == 0;
}

static gboolean
is_ours (const VcCache *c, const VcPodObject *o)
{
  if (o->node != NULL && *o->node != '\0')
    return TRUE;
  if (o->scheduler_name == NULL) /* a pod without the field is the scheduler's own (conformance cases leave it out) */
    return TRUE;
  return g_strv_contains ((const char *const *) c->scheduler_names, o->scheduler_name);
}

/* Make the task of a pod; it enters node and job afterwards. */
static guint32
new_task (VcCache *cache, const VcPodObject *o, const VcShape *shape)
{
  VcCluster *c = cache->cluster;
  guint32 row = vc_task_new (c, o->ns, o->name, o->uid);
  VcTask *t = &c->task[row];
  gint64 v;

  vc_task_set_shape (c, row, shape);
  t->meta = vc_cluster_meta (c, &o->labels, &o->annotations);
  t->template_uid = vc_pairs_get (&t->meta->annotations, "volcano.sh/template-uid");
  t->created = o->created;
  t->start_time = o->start_time;
  t->scheduled_time = o->scheduled_time;
  set_index (t);
  t->priority = o->spec.has_priority ? o->spec.priority : 1;
  t->pod_priority = o->spec.has_priority ? o->spec.priority : 0;
  t->has_pod_priority = o->spec.has_priority != 0;
  const char *text = vc_pairs_get (&o->annotations, "volcano.sh/task-priority");
  if (text != NULL && vc_go_parse_int (text, G_MININT32, G_MAXINT32, &v))
    t->priority = (gint32) v;
  t->preemptable = vc_cache_read_preemptable (&o->annotations, &o->labels, TRUE);
  t->revocable = vc_cache_read_revocable (&o->annotations);
  set_gates (t, o);
  t->never_preempts = o->spec.never_preempts;
  t->critical = g_strcmp0 (o->spec.priority_class, "system-cluster-critical") == 0 ||
                g_strcmp0 (o->spec.priority_class, "system-node-critical") == 0 || strcmp (o->ns, "kube-system") == 0;
  t->deleting = o->deleting;
  t->preemption_victim = o->preemption_victim;
  t->status = (guint8) status_of (o);
  if (o->nominated_node != NULL && *o->nominated_node != '\0') {
    guint32 n = vc_cluster_node (c, o->nominated_node);
    t->nominated = n != VC_NONE ? n : VC_NOMINATED_UNKNOWN;
  }
  return row;
}

static guint32
find_task (const VcCluster *c, const char *uid)
{
  guint32 row = GPOINTER_TO_UINT (g_hash_table_lookup (c->task_rows, uid));
  return row > 0 ? row - 1 : VC_NONE;
}

/* A scoring strategy of the pod's own makes another shape of it. */
static const VcShape *
with_strategy (VcCluster *c, const VcPodObject *o, const VcShape *shape)
{
  const char *type = vc_pairs_get (&o->annotations, "volcano.sh/resource-strategy-scoring-type");

  if (type == NULL || *type == '\0')
    return shape;
  VcPodSpec spec = shape->spec;
  spec.strategy_type = type;
  spec.strategy_weights = vc_pairs_get (&o->annotations, "volcano.sh/resource-strategy-weight");
  return vc_shape_intern (c->shapes, &spec);
}

/* So do annotations that narrow the choice of devices, for a pod that may ask for some. */
static const VcShape *
with_device_hints (VcCluster *c, const VcPodObject *o, const VcShape *shape)
{
  static const char *const keys[] = { "huawei.com/vnpu-mode", "nvidia.com/nouse-gputype", "nvidia.com/use-gputype", VC_DEVICE_HINT_GROUP, "volcano.sh/vgpu-mode",
                                      "volcano.sh/vgpu-nouse-gpuuuid", "volcano.sh/vgpu-podgroup-policy", "volcano.sh/vgpu-use-gpuuuid" }; /* ascending */
  VcPair pair[G_N_ELEMENTS (keys)];
  g_autofree char *group = NULL;
  guint n = 0;

  if (!shape->extended_limits || o->annotations.n == 0)
    return shape;
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    const char *value = vc_pairs_get (&o->annotations, keys[i]);

    if (strcmp (keys[i], VC_DEVICE_HINT_GROUP) == 0) {
      if (value == NULL || *value == '\0')
        value = vc_pairs_get (&o->annotations, "scheduling.volcano.sh/group-name");
      if (value == NULL || *value == '\0' || g_strcmp0 (vc_pairs_get (&o->annotations, "volcano.sh/vgpu-podgroup-policy"), "spread") != 0)
        continue;
      value = group = g_strconcat (o->ns, "/", value, NULL);
    }
    if (value != NULL)
      pair[n++] = (VcPair) { keys[i], value };
  }
  if (n == 0)
    return shape;
  VcPodSpec spec = shape->spec;
  spec.device_hints = (VcPairs) { pair, n };
  return vc_shape_intern (c->shapes, &spec);
}

/* So does a policy for NUMA nodes, for a pod whose CPUs may be its own. */
static const VcShape *
with_numa_policy (VcCluster *c, const VcPodObject *o, const VcShape *shape)
{
  const char *policy = shape->qos == VC_QOS_GUARANTEED ? vc_pairs_get (&o->annotations, "volcano.sh/numa-topology-policy") : NULL;

  if (policy == NULL || *policy == '\0' || strcmp (policy, "none") == 0)
    return shape;
  VcPodSpec spec = shape->spec;
  spec.numa_policy = policy;
  return vc_shape_intern (c->shapes, &spec);
}

/* getOrCreateJob: a pod may be heard of before its PodGroup. */
static guint32
get_or_create_job (VcCluster *c, const VcPodObject *o, const char *group)
{
  g_autofree char *key = g_strconcat (o->ns, "/", group, NULL);
  guint32 n = g_hash_table_size (c->job_rows), job = vc_job_row (c, key, o->ns);

  vc_step (c, "getOrCreateJob", job, VC_NONE, "job %s: %s", key, g_hash_table_size (c->job_rows) > n ? "created" : "known");
  return job;
}

/* addTask: the task enters its node, when the pod has one, and its job, when the pod names a PodGroup (NULL: it does not). */
static void
add_task (VcCache *cache, guint32 row, const VcPodObject *o, const char *group, gboolean placed)
{
  VcCluster *c = cache->cluster;

  if (placed) {
    c->task[row].node = vc_node_row (c, o->node);
    c->nodes.info[c->task[row].node].cached = TRUE;
    if (!vc_status_terminated (c->task[row].status)) {
      vc_node_put (c, row);
      vc_devices_put (cache->devices, row);
      vc_mirror_add (c, row);
    }
  }
  if (group != NULL) {
    guint32 job = get_or_create_job (c, o, group);

    vc_job_add_task (c, job, row, text_of (&o->annotations, &o->labels, "volcano.sh/task-spec"));
    vc_step (c, "addTask", job, row, "task %s: %s", c->task[row].key, vc_status_names[c->task[row].status]);
  }
}

guint32
vc_cache_add_pod_of_shape (VcCache *cache, const VcPodObject *o, const VcShape *shape)
{
  VcCluster *c = cache->cluster;
  const char *group = vc_pairs_get (&o->annotations, "scheduling.k8s.io/group-name");
  gboolean placed = o->node != NULL && *o->node != '\0';
  gboolean grouped = group != NULL && *group != '\0';
  guint32 old = find_task (c, o->uid);

  if (!is_ours (cache, o))
    return VC_NONE;
  if (old != VC_NONE) {
    if (vc_status_allocated (c->task[old].status) && !placed)
      return old; /* protects a bind under way from stale updates */
    vc_cache_remove_pod (cache, old);
  }
  if (!grouped && !placed)
    return VC_NONE; /* belongs to no job and uses no node */
  shape = with_numa_policy (c, o, with_device_hints (c, o, with_strategy (c, o, shape)));
  if (shape->spec.n_volumes > 0 && (shape = vc_cache_attach (cache, o->ns, o->name, o->uid, shape)) == NULL)
    return VC_NONE; /* its claims are not its own, or without a name */
  gboolean drop;
  struct VcPodClaims *claims = vc_cache_pod_claims (cache, o, &drop);
  if (drop)
    return VC_NONE; /* a claim that it names is not there */
  guint32 row = new_task (cache, o, shape);
  c->task[row].claims = claims;
  add_task (cache, row, o, grouped ? group : NULL, placed);
  return row;
}

guint32
vc_cache_add_pod (VcCache *cache, const VcPodObject *o)
{
  return vc_cache_add_pod_of_shape (cache, o, vc_shape_intern (cache->cluster->shapes, &o->spec));
}

static void
leave_node (VcCache *cache, guint32 task)
{
  VcCluster *c = cache->cluster;

  if (c->task[task].pos_in_node != VC_NONE)
    vc_devices_take (cache->devices, task);
  vc_mirror_remove (c, task);
  vc_node_take (c, task);
}

void
vc_cache_remove_pod (VcCache *cache, guint32 task)
{
  VcCluster *c = cache->cluster;
  guint32 job = c->task[task].job;

  leave_node (cache, task);
  vc_devices_forget (cache->devices, task);
  vc_numa_forget (cache->numa, task);
  if (job != VC_NONE)
    vc_step (c, "DeletePod", job, task, "task %s", c->task[task].key);
  vc_job_remove_task (c, task);
  vc_task_free (c, task);
  if (job != VC_NONE && !c->job[job].has_pg && c->job[job].n_tasks == 0)
    vc_job_free (c, job); /* JobTerminated */
}

/* An update builds the task anew, and its claims may have got volumes of other drivers since. */
static void
refresh_volumes (VcCache *cache, guint32 task)
{
  VcCluster *c = cache->cluster;
  VcTask *t = &c->task[task];
  const VcShape *shape = vc_cache_attach (cache, t->ns, t->name, t->uid, t->shape);
  guint32 job = t->job;

  if (shape == t->shape || shape == NULL)
    return;
  gboolean on_node = t->pos_in_node != VC_NONE, mirrored = t->in_mirror;
  const char *role = job != VC_NONE ? c->job[job].role[t->role].name : NULL;
  leave_node (cache, task);
  if (job != VC_NONE)
    vc_job_remove_task (c, task);
  vc_task_set_shape (c, task, shape);
  if (on_node) {
    vc_node_put (c, task);
    vc_devices_put (cache->devices, task);
  }
  if (mirrored)
    vc_mirror_add (c, task);
  if (job != VC_NONE)
    vc_job_add_task (c, job, task, role);
}

void
vc_cache_pod_reread (VcCache *cache, guint32 task)
{
  if (cache->cluster->task[task].shape->spec.n_volumes > 0)
    refresh_volumes (cache, task);
}

void
vc_cache_pod_status (VcCache *cache, guint32 task, VcStatus status)
{
  if (cache->cluster->task[task].shape->spec.n_volumes > 0)
    refresh_volumes (cache, task);
  VcCluster *c = cache->cluster;
  VcTask *t = &c->task[task];

  if (t->job != VC_NONE)
    vc_step (c, "UpdatePod", t->job, task, "task %s: %s to %s", t->key, vc_status_names[t->status], vc_status_names[status]);
  gboolean same_figures = t->pos_in_node != VC_NONE && t->status != VC_RELEASING && status != VC_RELEASING && !vc_status_terminated (status) &&
                          status != VC_PENDING;

  if (status != VC_PENDING && t->pos_in_node != VC_NONE)
    vc_devices_bound (cache->devices, task);
  if (status == VC_RUNNING) {
    vc_devices_running (cache->devices, task);
    vc_numa_running (cache->numa, task);
  } else if (vc_status_terminated (status)) {
    vc_numa_ended (cache->numa, task);
  }
  if (same_figures) {
    vc_task_move (c, task, status, t->node);
    return;
  }
  guint32 node = t->node;
  leave_node (cache, task);
  if (status == VC_PENDING)
    vc_devices_forget (cache->devices, task);
  vc_task_move (c, task, status, status == VC_PENDING ? VC_NONE : node);
  t->deleting = status == VC_RELEASING;
  if (status != VC_PENDING && node != VC_NONE)
    c->nodes.info[node].cached = TRUE; /* addTask makes the entry anew when the node has gone */
  if (status != VC_PENDING && !vc_status_terminated (status) && node != VC_NONE) {
    vc_node_put (c, task);
    vc_devices_put (cache->devices, task);
    vc_mirror_add (c, task);
  }
}

void
vc_cache_pod_placed (VcCache *cache, guint32 task, guint32 node)
{
  VcCluster *c = cache->cluster;

  if (c->task[task].node != node) {
    leave_node (cache, task);
    vc_devices_forget (cache->devices, task);
    vc_task_move (c, task, VC_BINDING, node);
    vc_node_put (c, task);
    vc_devices_put (cache->devices, task);
    vc_mirror_add (c, task);
  }
  vc_cache_pod_status (cache, task, VC_BOUND);
}

void
vc_cache_pod_scheduled (VcCache *cache, guint32 task, gint64 second)
{
  cache->cluster->task[task].scheduled_time = second;
}

void
vc_cache_pod_evicted (VcCache *cache, guint32 task)
{
  VcTask *t = &cache->cluster->task[task];

  t->deleting = TRUE;
  t->preemption_victim = TRUE;
}

void
vc_cache_pod_nominate (VcCache *cache, guint32 task, guint32 node)
{
  VcTask *t = &cache->cluster->task[task];
  t->nominated = node;
  if (node != VC_NONE && t->job != VC_NONE)
    cache->cluster->job[t->job].nominated_any = TRUE;
}

/* ---- session writes ------------------------------------------------------------------------- */

gboolean
vc_cache_add_bind_task (VcCache *cache, guint32 task)
{
  VcCluster *c = cache->cluster;
  VcTask *t = &c->task[task];
  VcNodes *n = &c->nodes;

  /* The cache's node does not know what this session has placed and not handed over yet: give that back to Idle before the test. The
   * common case needs no sum: what is still idle with everything placed cannot be negative. */
  for (guint64 left = t->shape->dims; left != 0; left &= left - 1) {
    guint d = (guint) __builtin_ctzll (left);
    if (n->idle[d][t->node] < 0 && !vc_le (t->shape->request->v[d], n->idle[d][t->node] + n->claimed[d][t->node])) {
      vc_step (c, "AddBindTask", t->job, task, "task %s: node %s has no room for it any more", t->key, n->info[t->node].name);
      return FALSE;
    }
  }
  for (guint64 left = t->shape->dims; left != 0; left &= left - 1) {
    guint d = (guint) __builtin_ctzll (left);
    n->claimed[d][t->node] -= t->shape->request->v[d];
  }
  vc_task_move (c, task, VC_BINDING, t->node);
  vc_step (c, "AddBindTask", t->job, task, "task %s: Binding; into BindFlowChannel for node %s", t->key, n->info[t->node].name);
  vc_devices_bind (cache->devices, task);
  VcBind b = { task, t->node };
  g_array_append_val (cache->binds, b);
  return TRUE;
}

gboolean
vc_cache_evict (VcCache *cache, guint32 task, const char *reason, guint32 for_task)
{
  const VcTask *t = &cache->cluster->task[task];

  if (t->job == VC_NONE || !cache->cluster->job[t->job].has_pg || t->node == VC_NONE || !cache->cluster->nodes.info[t->node].cached)
    return FALSE;
  vc_step (cache->cluster, "Evict", t->job, task, "task %s: Releasing; %s", t->key, reason);
  vc_devices_evict (cache->devices, task);
  VcEvict e = { task, reason, for_task };
  g_array_append_val (cache->evicts, e);
  return TRUE;
}
