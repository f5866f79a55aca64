/* workloads/k8s/k8s-objects.h - Kubernetes objects from YAML or JSON, as kubectl prints them.
 *
 * Single documents, streams (of JSON objects too), `v1 List`s and typed lists, several files, also
 * compressed, and standard input. Objects keep the order of the input, which is the order in which
 * the cache learns of them; of two objects with one kind and name both are delivered, and the later
 * one is an update of the earlier. Kinds that volsim does not know are counted by kind and skipped;
 * kinds or fields that change decisions and are not implemented yet are refused by name. Messages:
 * "file:line:column: Pod ns/name: path: expected …, found …", columns in characters.
 *
 * Nothing is defaulted that the API server would default, but for these: namespace "default", a
 * pod's uid "<namespace>-<name>", and a node's allocatable, which is its capacity when absent.
 * Numbers that are absent are 0 (a queue's weight, a PodGroup's minMember). Null counts as absent;
 * in maps such as labels and requests the key stays, with the empty value, as in Kubernetes'
 * decoder. */
#pragma once
#include "k8s-flow.h"
#include "k8s-job.h"
#include "core/base/arena.h"
#include "core/base/rfc3339.h"
#include "core/model/claim-objects.h"
#include "core/model/volume-objects.h"
G_BEGIN_DECLS

typedef enum {
  WL_OBJECT_NODE,
  WL_OBJECT_POD,
  WL_OBJECT_POD_GROUP,
  WL_OBJECT_QUEUE,
  WL_OBJECT_PRIORITY_CLASS,
  WL_OBJECT_NAMESPACE,
  WL_OBJECT_RESOURCE_QUOTA,
  WL_OBJECT_POD_DISRUPTION_BUDGET,
  WL_OBJECT_STORAGE_CLASS,
  WL_OBJECT_PERSISTENT_VOLUME,
  WL_OBJECT_PERSISTENT_VOLUME_CLAIM,
  WL_OBJECT_CSI_NODE,
  WL_OBJECT_CSI_DRIVER,
  WL_OBJECT_CSI_STORAGE_CAPACITY,
  WL_OBJECT_VOLUME_ATTACHMENT,
  WL_OBJECT_CONFIG_MAP,
  WL_OBJECT_HYPER_NODE,
  WL_OBJECT_NUMATOPOLOGY,
  WL_OBJECT_NODE_SHARD,
  WL_OBJECT_RESOURCE_CLAIM,
  WL_OBJECT_RESOURCE_CLAIM_TEMPLATE,
  WL_OBJECT_RESOURCE_SLICE,
  WL_OBJECT_DEVICE_CLASS
} WlObjectKind;
typedef struct {
  WlObjectKind kind;
  const char *file;
  guint32 line; /* where it begins */
  WlTime submit, remove; /* of a workload: annotations volsim.io/submit and volsim.io/delete; WL_TIME_NONE: from the start, never */
  const char *refusal;   /* what is said against a Queue by its schema, against a HyperNode (then only its name is read) by that and the webhook; NULL: nothing */
  union {
    VcNodeObject node;
    VcPodObject pod;
    VcPodGroupObject pod_group;
    VcQueueObject queue;
    VcPriorityClassObject priority_class;
    VcNamespaceObject ns;
    VcResourceQuotaObject quota;
    VcPodDisruptionBudgetObject budget;
    VcStorageClassObject storage_class;
    VcPersistentVolumeObject volume;
    VcPersistentVolumeClaimObject claim;
    VcCsiNodeObject csi_node;
    VcCsiDriverObject csi_driver;
    VcCsiStorageCapacityObject storage_capacity;
    VcVolumeAttachmentObject attachment;
    VcConfigMapObject config_map;
    VcHyperNodeObject hyper_node;
    VcNumatopologyObject numatopology;
    VcNodeShardObject shard;
    VcResourceClaimObject resource_claim; /* of a template: namespace, name and spec */
    VcResourceSliceObject slice;
    VcDeviceClassObject device_class;
  };
} WlObject;

typedef struct {
  VcArena *arena;     /* owns every text and list below */
  GPtrArray *objects; /* WlObject *, in order */
  GPtrArray *jobs;    /* WlJobObject *, in order; only of a workload */
  GPtrArray *templates, *flows, *crons; /* WlJobTemplate *, WlJobFlow *, WlCronJob *, each in order; only of a workload */
  GPtrArray *arrays;  /* GArray *, which the jobs refer to */
  GPtrArray *skipped; /* char *: "3 Secret", sorted by kind */
} WlObjects;

/** Read all @paths. NULL with @error (one line). (transfer full) */
WlObjects *wl_objects_read (const char *const *paths, guint n, GError **error);
/** The same for a run: Job objects and what makes jobs are read as well. */
WlObjects *wl_objects_read_workload (const char *const *paths, guint n, GError **error);
/** The same of @base (nullable), then @copies of each vcjob of the file @more as <name>-copy-<number>, submitted at @at: these need no time of their own. */
WlObjects *wl_objects_read_copies (const char *base, const char *more, guint copies, WlTime at, GError **error);
/** The objects of a cluster, and vcjobs for admission to judge: they need no time of submission. */
WlObjects *wl_objects_read_judged (const char *const *paths, guint n, GError **error);
/** The same from one text. */
WlObjects *wl_objects_parse (const char *text, gsize len, const char *source, GError **error);
/** The same for a run. */
WlObjects *wl_objects_parse_workload (const char *text, gsize len, const char *source, GError **error);
void wl_objects_free (WlObjects *o);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlObjects, wl_objects_free)

G_END_DECLS
