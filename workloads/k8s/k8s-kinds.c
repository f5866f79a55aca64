/* The kinds of objects that volsim knows. */
#include "k8s-kinds.h"
#include <string.h>

static const K8sKind kinds[] = {
  { "", "Pod", KIND_READ, WL_OBJECT_POD, TRUE },
  { "", "Node", KIND_READ, WL_OBJECT_NODE, FALSE },
  { "", "ConfigMap", KIND_READ, WL_OBJECT_CONFIG_MAP, TRUE },
  { "", "Namespace", KIND_READ, WL_OBJECT_NAMESPACE, FALSE },
  { "scheduling.volcano.sh", "PodGroup", KIND_READ, WL_OBJECT_POD_GROUP, TRUE },
  { "scheduling.volcano.sh", "Queue", KIND_READ, WL_OBJECT_QUEUE, FALSE },
  { "scheduling.k8s.io", "PriorityClass", KIND_READ, WL_OBJECT_PRIORITY_CLASS, FALSE },
  { "batch.volcano.sh", "Job", KIND_JOB, 0, TRUE },
  { "batch.volcano.sh", "CronJob", KIND_MAKER, 0, TRUE },
  { "flow.volcano.sh", "JobFlow", KIND_MAKER, 0, TRUE },
  { "flow.volcano.sh", "JobTemplate", KIND_MAKER, 0, TRUE },
  { "apps", "ReplicaSet", KIND_WORKLOAD, 0, TRUE },
  { "apps", "Deployment", KIND_WORKLOAD, 0, TRUE },
  { "apps", "StatefulSet", KIND_WORKLOAD, 0, TRUE },
  { "batch", "Job", KIND_WORKLOAD, 0, TRUE },
  { "topology.volcano.sh", "HyperNode", KIND_READ, WL_OBJECT_HYPER_NODE, FALSE },
  { "nodeinfo.volcano.sh", "Numatopology", KIND_READ, WL_OBJECT_NUMATOPOLOGY, FALSE },
  { "shard.volcano.sh", "NodeShard", KIND_READ, WL_OBJECT_NODE_SHARD, FALSE },
  { "", "ResourceQuota", KIND_READ, WL_OBJECT_RESOURCE_QUOTA, TRUE },
  { "", "PersistentVolume", KIND_READ, WL_OBJECT_PERSISTENT_VOLUME, FALSE },
  { "", "PersistentVolumeClaim", KIND_READ, WL_OBJECT_PERSISTENT_VOLUME_CLAIM, TRUE },
  { "policy", "PodDisruptionBudget", KIND_READ, WL_OBJECT_POD_DISRUPTION_BUDGET, TRUE },
  { "storage.k8s.io", "StorageClass", KIND_READ, WL_OBJECT_STORAGE_CLASS, FALSE },
  { "storage.k8s.io", "CSINode", KIND_READ, WL_OBJECT_CSI_NODE, FALSE },
  { "storage.k8s.io", "CSIDriver", KIND_READ, WL_OBJECT_CSI_DRIVER, FALSE },
  { "storage.k8s.io", "CSIStorageCapacity", KIND_READ, WL_OBJECT_CSI_STORAGE_CAPACITY, TRUE },
  { "storage.k8s.io", "VolumeAttachment", KIND_READ, WL_OBJECT_VOLUME_ATTACHMENT, FALSE },
  { "resource.k8s.io", "ResourceClaim", KIND_READ, WL_OBJECT_RESOURCE_CLAIM, TRUE },
  { "resource.k8s.io", "ResourceClaimTemplate", KIND_READ, WL_OBJECT_RESOURCE_CLAIM_TEMPLATE, TRUE },
  { "resource.k8s.io", "ResourceSlice", KIND_READ, WL_OBJECT_RESOURCE_SLICE, FALSE },
  { "resource.k8s.io", "DeviceClass", KIND_READ, WL_OBJECT_DEVICE_CLASS, FALSE },
};

WlKind
k8s_kind_of_workload (const K8sKind *kind)
{
  static const char *const names[WL_N_KINDS] = { [WL_KIND_POD] = "Pod",
                                                 [WL_KIND_POD_GROUP] = "PodGroup",
                                                 [WL_KIND_REPLICA_SET] = "ReplicaSet",
                                                 [WL_KIND_DEPLOYMENT] = "Deployment",
                                                 [WL_KIND_STATEFUL_SET] = "StatefulSet",
                                                 [WL_KIND_BATCH_JOB] = "Job" };

  for (guint i = WL_KIND_VCJOB + 1; kind->use != KIND_JOB && kind->use != KIND_MAKER && i < WL_N_KINDS; i++)
    if (strcmp (kind->kind, names[i]) == 0)
      return (WlKind) i;
  return WL_KIND_VCJOB;
}

/* The group is what stands before the slash of the API version; Kubernetes' core group has none. */
const K8sKind *
k8s_find_kind (const char *api_version, const char *kind)
{
  const char *slash = strchr (api_version, '/');
  gsize len = slash != NULL ? (gsize) (slash - api_version) : 0;

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (strcmp (kinds[i].kind, kind) == 0 && strlen (kinds[i].group) == len
        && memcmp (kinds[i].group, api_version, len) == 0)
      return &kinds[i];
  return NULL;
}

gboolean
k8s_is_kind (const char *kind)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].use != KIND_WORKLOAD && strcmp (kinds[i].kind, kind) == 0)
      return TRUE;
  return FALSE;
}
