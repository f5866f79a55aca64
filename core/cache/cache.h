/* core/cache/cache.h - the live state and its event handlers: add, update, remove of every object; bind and evict paths.
 *
 * Mirrors pkg/scheduler/cache/{cache,event_handlers}.go. Events may come at any time but not during a session; binds, evictions and status
 * writes of a session are collected in lists that the caller takes after the cycle. */
#pragma once
#include "core/model/cluster.h"
#include "core/model/claim-objects.h"
#include "core/model/volume-objects.h"
G_BEGIN_DECLS

/* What a scheduler does with nodes outside its shard: uses them as its own, uses them last, leaves them alone. */
typedef enum { VC_SHARDING_NONE, VC_SHARDING_SOFT, VC_SHARDING_HARD } VcSharding;
typedef struct {
  VcSharding sharding;
  const char *shard;                  /* name of the own NodeShard; "volcano" */
  const char *default_queue;          /* "default" */
  const char *const *scheduler_names; /* NULL-terminated; default "volcano" */
  gboolean priority_class;            /* FALSE: every job priority is 0 */
  const char *const *node_selector;   /* "label:value", NULL-terminated; only nodes with any of them enter; NULL = all */
  const char *const *ignored_provisioners; /* drivers whose volumes do not count, NULL-terminated, beside the two that never do; NULL = none */
  const char *const *ignored_resources; /* names that are no resources, NULL-terminated: for whoever makes the resource names; NULL = none */
} VcCacheOptions;
void vc_cache_options_init (VcCacheOptions *o);

typedef struct { guint32 task, node; } VcBind;
typedef struct { guint32 task; const char *reason; guint32 for_task; /* that is promised the room, VC_NONE: nobody in particular */ } VcEvict;
typedef struct { guint32 job; guint8 phase; } VcStatusWrite;

typedef struct VcCache VcCache;
/** @names is taken over. (transfer full) */
VcCache *vc_cache_new (VcResNames *names, const VcCacheOptions *options);
void vc_cache_free (VcCache *c);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VcCache, vc_cache_free)
VcCluster *vc_cache_cluster (VcCache *c);

/* objects */
void vc_cache_add_priority_class (VcCache *c, const VcPriorityClassObject *o); /* add or update */
void vc_cache_remove_priority_class (VcCache *c, const char *name);
void vc_cache_add_namespace (VcCache *c, const VcNamespaceObject *o);
void vc_cache_add_resource_quota (VcCache *c, const VcResourceQuotaObject *o); /* add or update */
void vc_cache_remove_resource_quota (VcCache *c, const char *ns, const char *name);
void vc_cache_add_pod_disruption_budget (VcCache *c, const VcPodDisruptionBudgetObject *o); /* add or update */
void vc_cache_remove_pod_disruption_budget (VcCache *c, const char *ns, const char *name);
/** Add or update. Without sharding shards have no effect. */
void vc_cache_add_node_shard (VcCache *c, const VcNodeShardObject *o);
void vc_cache_remove_node_shard (VcCache *c, const char *name);
/** A new process: it knows of no NodeShard, and no node is its own. */
void vc_cache_forget_node_shards (VcCache *c);
/** What the scheduler writes into the status of its own NodeShard: the nodes that it uses now, by name; NULL when it has none.
 * (transfer container) */
GPtrArray *vc_cache_shard_in_use (VcCache *c);
/* storage: all add or update. What a pod attaches is counted when the pod is added or updated, a CSINode when the node is. */
void vc_cache_add_storage_class (VcCache *c, const VcStorageClassObject *o);
guint32 vc_cache_add_volume (VcCache *c, const VcPersistentVolumeObject *o);      /* the row in the cluster's volumes */
void vc_cache_remove_volume (VcCache *c, const char *name);
guint32 vc_cache_add_claim (VcCache *c, const VcPersistentVolumeClaimObject *o);  /* likewise */
void vc_cache_remove_claim (VcCache *c, const char *ns, const char *name);
void vc_cache_add_csi_node (VcCache *c, const VcCsiNodeObject *o);
void vc_cache_add_csi_driver (VcCache *c, const VcCsiDriverObject *o);
void vc_cache_add_storage_capacity (VcCache *c, const VcCsiStorageCapacityObject *o);
/** Are volumes of that driver not counted on nodes? */
gboolean vc_cache_ignores_driver (const VcCache *c, const char *driver);
/** A pod is read again: its claims may attach other volumes now. */
void vc_cache_pod_reread (VcCache *c, guint32 task);
void vc_cache_add_volume_attachment (VcCache *c, const VcVolumeAttachmentObject *o);
void vc_cache_add_numatopology (VcCache *c, const VcNumatopologyObject *o);    /* add or update; its node may be unknown yet */
void vc_cache_add_config_map (VcCache *c, const VcConfigMapObject *o);         /* add or update; what is not of devices is not kept */
/* devices: all add or update. A pod's claims are looked up when the pod is added or updated. */
void vc_cache_add_device_class (VcCache *c, const VcDeviceClassObject *o);
void vc_cache_add_resource_slice (VcCache *c, const VcResourceSliceObject *o);
void vc_cache_remove_resource_slice (VcCache *c, const char *name);
guint32 vc_cache_add_resource_claim (VcCache *c, const VcResourceClaimObject *o); /* the row in the cluster's claims */
void vc_cache_remove_resource_claim (VcCache *c, const char *ns, const char *name);
#define VC_CLAIM_CONSUMERS 256 /* pods that one claim can be reserved for */
/** PreBind, after the session: allocations under way become the claims' own, and the claims are reserved for the pod. FALSE: one has as many
 * consumers as it may have, and the bind fails. */
gboolean vc_cache_bind_resource_claims (VcCache *c, guint32 task, gint64 second);
/** The bind has failed after that: the claims are no longer reserved for the pod (PreBindRollBack). */
void vc_cache_unbind_resource_claims (VcCache *c, guint32 task);
/** A session is over, its binds not yet handed over: pods whose placements were taken back leave allocated claims. TRUE: another session
  * would see other claims than this one has seen. */
gboolean vc_cache_end_claims (VcCache *c);
/** A pod is done: it leaves the claim, and the last one to leave ends its allocation (Kubernetes' resourceclaim controller). */
void vc_cache_leave_resource_claim (VcCache *c, const char *ns, const char *name, const char *uid);
/** Another process begins: it knows nothing of what is under way. */
void vc_cache_forget_allocations (VcCache *c);
guint32 vc_cache_add_queue (VcCache *c, const VcQueueObject *o);               /* add or update; the row */
void vc_cache_remove_queue (VcCache *c, const char *name);
void vc_cache_set_queue_state (VcCache *c, guint32 queue, const char *state);
guint32 vc_cache_add_node (VcCache *c, const VcNodeObject *o);                 /* add or update; VC_NONE when the selector leaves it out */
void vc_cache_remove_node (VcCache *c, const char *name);
/** Add or update a HyperNode. FALSE: refused, as a cycle or a second parent of a member would come about; no job with a network topology is
 * scheduled until a later change of HyperNodes succeeds. */
gboolean vc_cache_add_hyper_node (VcCache *c, const VcHyperNodeObject *o);
gboolean vc_cache_remove_hyper_node (VcCache *c, const char *name);
/** A new process: no node and no HyperNode is known until it is added again, while every task stays where it is, and what the last process remembered of tasks
 * is forgotten. The order of the additions is that of NodeList. */
void vc_cache_forget_nodes (VcCache *c);
/** The node's measured load from now on, in place of what was known. FALSE: there is no such node. */
gboolean vc_cache_set_node_usage (VcCache *c, const VcNodeUsageObject *o);
guint32 vc_cache_add_pod_group (VcCache *c, const VcPodGroupObject *o);        /* add or update; the job row */
/** The spec of a PodGroup changes, its queue excepted; labels, annotations and status stay. */
void vc_cache_update_pod_group (VcCache *c, guint32 job, const VcPodGroupObject *o);
/** Another scheduler has written the phase of the PodGroup. */
void vc_cache_pod_group_phase (VcCache *c, guint32 job, VcPgPhase phase);
void vc_cache_remove_pod_group (VcCache *c, guint32 job);
/** Add a pod, or replace the one with the same UID (an update from a pod without a node is ignored while the task is Allocated-like). The task
 * row, or VC_NONE when the pod does not enter (01 §18.1). */
guint32 vc_cache_add_pod (VcCache *c, const VcPodObject *o);
void vc_cache_remove_pod (VcCache *c, guint32 task);

/* the simulator's short forms of pod updates: same effect as an update event with that change */
/** A pod of a known shape: @like gives namespace, name, uid, annotations and so on; its spec is not read. */
guint32 vc_cache_add_pod_of_shape (VcCache *c, const VcPodObject *like, const VcShape *shape);
void vc_cache_pod_status (VcCache *c, guint32 task, VcStatus status); /* Bound, Running, Succeeded, Failed, Releasing, Pending (after a failed bind) */
/** The pod has come to @node: the task is Bound there, wherever it was thought to go. */
void vc_cache_pod_placed (VcCache *c, guint32 task, guint32 node);
void vc_cache_pod_nominate (VcCache *c, guint32 task, guint32 node);
void vc_cache_pod_scheduled (VcCache *c, guint32 task, gint64 second); /* condition PodScheduled=True */
/** What the evictor writes: the pod is being deleted, condition DisruptionTarget=True, reason PreemptionByScheduler. */
void vc_cache_pod_evicted (VcCache *c, guint32 task);

/* called by the session */
/** AddBindTask: the real fit check and the hand-over (01 §18.9). FALSE: refused, nothing changed. The task becomes Binding. */
gboolean vc_cache_add_bind_task (VcCache *c, guint32 task);
gboolean vc_cache_evict (VcCache *c, guint32 task, const char *reason, guint32 for_task);
void vc_cache_write_status (VcCache *c, guint32 job);

/* taken by the caller after a cycle (emptied by the caller with g_array_set_size (a, 0)) */
GArray *vc_cache_binds (VcCache *c);    /* VcBind, in order of commit: BindFlowChannel */
GArray *vc_cache_evicts (VcCache *c);   /* VcEvict */
GArray *vc_cache_statuses (VcCache *c); /* VcStatusWrite: PodGroup statuses whose phase changed, by job key */

/** Annotation, else label volcano.sh/preemptable; @fallback without both, FALSE where it cannot be read. */
gboolean vc_cache_read_preemptable (const VcPairs *annotations, const VcPairs *labels, gboolean fallback);

G_END_DECLS
