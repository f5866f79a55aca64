/* Everything but pods: nodes, PodGroups, queues, priority classes. */
#include "k8s-fields.h"
#include <stddef.h>

/* ---- Node ----------------------------------------------------------------------------------- */
typedef struct {
  K8sTexts names;
  gint64 size;
} RawImage;
typedef struct {
  const RawImage *item;
  guint n;
} RawImages;
typedef struct {
  VcAmounts allocatable, capacity;
  RawImages images;
} RawNodeStatus;

static gboolean
read_taint (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "key", k8s_text, offsetof (VcTaint, key) },
    { "value", k8s_text, offsetof (VcTaint, value) },
    { "effect", k8s_text, offsetof (VcTaint, effect) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_taints (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcNodeObject *o = out;
  gpointer items;
  if (!k8s_list (r, node, sizeof (VcTaint), read_taint, &items, &o->n_taints))
    return FALSE;
  o->taint = items;
  return TRUE;
}

static gboolean
read_node_spec (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "taints", read_taints, 0 },
    { "unschedulable", k8s_bool, offsetof (VcNodeObject, unschedulable) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_image (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "names", k8s_texts, offsetof (RawImage, names) },
    { "sizeBytes", k8s_int64, offsetof (RawImage, size) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_images (K8sReader *r, struct fy_node *node, gpointer out)
{
  RawImages *images = out;
  gpointer items;
  if (!k8s_list (r, node, sizeof (RawImage), read_image, &items, &images->n))
    return FALSE;
  images->item = items;
  return TRUE;
}

static gboolean
read_node_status (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "allocatable", k8s_amounts, offsetof (RawNodeStatus, allocatable) },
    { "capacity", k8s_amounts, offsetof (RawNodeStatus, capacity) },
    { "images", read_images, offsetof (RawNodeStatus, images) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

gboolean
k8s_read_node (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcNodeObject *out)
{
  RawNodeStatus status = { 0 };
  guint n = 0;

  out->name = meta->name;
  out->labels = meta->labels;
  out->annotations = meta->annotations;
  if (!k8s_field (r, "spec", top->spec, read_node_spec, out)
      || !k8s_field (r, "status", top->status, read_node_status, &status))
    return FALSE;
  /* The API server fills in `allocatable` from `capacity` in this way. */
  out->allocatable = status.allocatable.given ? status.allocatable : status.capacity;
  out->capacity = status.capacity;
  for (guint i = 0; i < status.images.n; i++)
    n += status.images.item[i].names.n;
  VcImage *image = vc_arena_new0 (r->arena, VcImage, n);
  out->image = image;
  for (guint i = 0; i < status.images.n; i++)
    for (guint k = 0; k < status.images.item[i].names.n; k++)
      image[out->n_images++]
          = (VcImage){ status.images.item[i].names.item[k], status.images.item[i].size };
  return TRUE;
}

/* ---- PodGroup ------------------------------------------------------------------------------- */
typedef struct {
  const VcRoleMin *item;
  guint n;
} RoleMins; /* ascending by role */
typedef struct {
  const char *queue, *priority_class;
  gint32 min_member;
  RoleMins roles;
  VcAmounts min_resources;
  VcTopologySpec topology;
  K8sPolicies policies;
} RawGroupSpec;

static gboolean
read_role_mins (K8sReader *r, struct fy_node *node, gpointer out)
{
  const char *const *role;
  gpointer items;
  guint n;

  if (!k8s_map (r, node, sizeof (gint32), k8s_int32, &role, &items, &n))
    return FALSE;
  VcRoleMin *min = vc_arena_new0 (r->arena, VcRoleMin, n);
  for (guint i = 0; i < n; i++)
    min[i] = (VcRoleMin){ role[i], ((const gint32 *) items)[i] };
  *(RoleMins *) out = (RoleMins){ min, n };
  return TRUE;
}

static gboolean
read_group_spec (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "minMember", k8s_int32, offsetof (RawGroupSpec, min_member) },
    { "minTaskMember", read_role_mins, offsetof (RawGroupSpec, roles) },
    { "queue", k8s_text, offsetof (RawGroupSpec, queue) },
    { "priorityClassName", k8s_text, offsetof (RawGroupSpec, priority_class) },
    { "minResources", k8s_amounts, offsetof (RawGroupSpec, min_resources) },
    { "networkTopology", k8s_topology, offsetof (RawGroupSpec, topology) },
    { "subGroupPolicy", k8s_sub_groups, offsetof (RawGroupSpec, policies) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_group_condition (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "type", k8s_text, offsetof (VcConditionObject, type) },
    { "status", k8s_text, offsetof (VcConditionObject, status) },
    { "reason", k8s_text, offsetof (VcConditionObject, reason) },
    { "message", k8s_text, offsetof (VcConditionObject, message) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_group_conditions (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcPodGroupObject *o = out;
  gpointer items;
  if (!k8s_list (r, node, sizeof (VcConditionObject), read_group_condition, &items,
                 &o->n_conditions))
    return FALSE;
  o->condition = items;
  return TRUE;
}

static gboolean
read_group_status (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "phase", k8s_text, offsetof (VcPodGroupObject, phase) },
    { "conditions", read_group_conditions, 0 },
  };
  return K8S_FIELDS (r, node, fields, out);
}

gboolean
k8s_read_pod_group (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcPodGroupObject *out)
{
  RawGroupSpec spec = { 0 };

  out->ns = meta->ns;
  out->name = meta->name;
  out->uid = meta->uid;
  out->annotations = meta->annotations;
  out->labels = meta->labels;
  out->created = meta->created;
  if (!k8s_field (r, "spec", top->spec, read_group_spec, &spec)
      || !k8s_field (r, "status", top->status, read_group_status, out))
    return FALSE;
  out->queue = spec.queue;
  out->priority_class = spec.priority_class;
  out->min_member = spec.min_member;
  out->role_min = spec.roles.item;
  out->n_role_mins = spec.roles.n;
  out->min_resources = spec.min_resources;
  out->topology = spec.topology;
  out->policy = spec.policies.item;
  out->n_policies = spec.policies.n;
  return TRUE;
}

/* ---- Queue ---------------------------------------------------------------------------------- */
static gboolean
read_guarantee (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "resource", k8s_amounts, 0 } };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_reclaimable (K8sReader *r, struct fy_node *node, gpointer out)
{
  gboolean value;
  if (!k8s_bool (r, node, &value))
    return FALSE;
  *(int *) out = value;
  return TRUE;
}

#define REQUIRED "requiredDuringSchedulingIgnoredDuringExecution"
#define PREFERRED "preferredDuringSchedulingIgnoredDuringExecution"

static gboolean
read_group_affinity (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { REQUIRED, k8s_texts, offsetof (VcNodeGroups, required) },
    { PREFERRED, k8s_texts, offsetof (VcNodeGroups, preferred) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_group_anti_affinity (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { REQUIRED, k8s_texts, offsetof (VcNodeGroups, anti_required) },
    { PREFERRED, k8s_texts, offsetof (VcNodeGroups, anti_preferred) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_queue_affinity (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "nodeGroupAffinity", read_group_affinity, 0 },
    { "nodeGroupAntiAffinity", read_group_anti_affinity, 0 },
  };
  VcNodeGroups *groups = out;
  groups->given = TRUE;
  return K8S_FIELDS (r, node, fields, groups);
}

static gboolean
read_queue_spec (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "weight", k8s_int32, offsetof (VcQueueObject, weight) },
    { "priority", k8s_int32, offsetof (VcQueueObject, priority) },
    { "parent", k8s_text, offsetof (VcQueueObject, parent) },
    { "reclaimable", read_reclaimable, offsetof (VcQueueObject, reclaimable) },
    { "capability", k8s_amounts, offsetof (VcQueueObject, capability) },
    { "deserved", k8s_amounts, offsetof (VcQueueObject, deserved) },
    { "guarantee", read_guarantee, offsetof (VcQueueObject, guarantee) },
    { "affinity", read_queue_affinity, offsetof (VcQueueObject, groups) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_queue_status (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "state", k8s_text, offsetof (VcQueueObject, state) } };
  return K8S_FIELDS (r, node, fields, out);
}

gboolean
k8s_read_queue (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcQueueObject *out)
{
  out->name = meta->name;
  out->annotations = meta->annotations;
  out->created = meta->created;
  out->reclaimable = -1;
  return k8s_field (r, "spec", top->spec, read_queue_spec, out)
         && k8s_field (r, "status", top->status, read_queue_status, out);
}

/* ---- NodeShard ------------------------------------------------------------------------------ */
static gboolean
read_shard_spec (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "nodesDesired", k8s_texts, offsetof (VcNodeShardObject, desired) } };
  return K8S_FIELDS (r, node, fields, out);
}

/* What is to come and to go follows from these two. */
static gboolean
read_shard_status (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "nodesInUse", k8s_texts, offsetof (VcNodeShardObject, in_use) } };
  return K8S_FIELDS (r, node, fields, out);
}

gboolean
k8s_read_node_shard (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcNodeShardObject *out)
{
  out->name = meta->name;
  return k8s_field (r, "spec", top->spec, read_shard_spec, out) && k8s_field (r, "status", top->status, read_shard_status, out);
}

/* ---- PriorityClass -------------------------------------------------------------------------- */
gboolean
k8s_read_priority_class (K8sReader *r, const K8sTop *top, const K8sMeta *meta,
                         VcPriorityClassObject *out)
{
  gint32 value = 0;

  out->name = meta->name;
  if (!k8s_field (r, "value", top->value, k8s_int32, &value)
      || !k8s_field (r, "globalDefault", top->global_default, k8s_bool, &out->global_default))
    return FALSE;
  out->value = value;
  return TRUE;
}
