/* core/model/volumes.h - storage objects of a cluster, and what sessions assume about them.
 *
 * Claims and volumes are rows. An API object is as the last event told it; on top of it lies what the scheduler has decided and the API server
 * does not know yet: a volume is assumed to be bound to a claim, a claim to be provisioned for a node. An assumption outlives its session
 * (as upstream's does) until it is taken back or an event changes the object. A log tells what has been assumed since the session opened, so
 * that a filter can be evaluated as of an earlier moment: PreFilter reads the objects, Filter and Reserve use what it has read.
 *
 * Example: a pod waits for claim c of a WaitForFirstConsumer class. PreFilter at log place 0 finds volume v free. Reserve on node n assumes v for
 * c (log place 1). Another pod whose PreFilter runs now sees v taken; the first pod, evaluated at 0, still sees it free.
 *
 * Mirrors pkg/scheduler/framework/plugins/volumebinding/{assume_cache,passive_assume_cache}.go of Kubernetes and the listers that the volume
 * filters read. */
#pragma once
#include "cluster.h"
#include "volume-objects.h"
G_BEGIN_DECLS

typedef struct {
  const char *name, *provisioner, *driver; /* interned; driver as Volcano counts it: the parameter, else the provisioner */
  const VcShape *where;        /* allowedTopologies as the node affinity of an otherwise empty pod; NULL: everywhere */
  VcBindingMode mode;
  gboolean live, retain, is_default;
} VcStorageClass;

typedef struct {
  const char *name, *class;    /* interned; class "" for none */
  const VcMeta *meta;          /* labels */
  const VcShape *where;        /* nodeAffinity, likewise; NULL: everywhere */
  VcQuantity capacity;
  const char *attributes_class; /* interned, "" */
  const char *claim_ns, *claim_name, *claim_uid; /* claimRef, interned; claim_name NULL: none; claim_uid "" when not given */
  const char *driver, *handle; /* interned; NULL */
  guint32 assumed;             /* claim that a session has bound it to; VC_NONE */
  guint8 modes, phase;
  bool live : 1, block : 1, deleting : 1, retain : 1;
} VcVolume;

typedef struct {
  const char *key;             /* "<namespace>/<name>", interned; name points into it */
  const char *ns, *name, *uid, *class; /* interned; class "" for none, has_class tells */
  VcQuantity request;
  const char *attributes_class;
  VcSelector selector;
  const char *volume;          /* volumeName, interned; "" */
  const char *selected_node;   /* interned; NULL */
  const char *owner;           /* interned; NULL */
  guint32 assumed_node;        /* node row that a session has chosen for its provisioning; VC_NONE */
  guint8 modes;
  bool live : 1, has_request : 1, block : 1, bind_completed : 1, lost : 1, deleting : 1;
} VcClaim;

typedef struct {
  const char *class;           /* interned */
  VcSelector topology;
  gboolean has_capacity, has_largest;
  gint64 capacity, largest;
} VcStorageCapacity;
typedef struct { const char *node, *attacher, *volume; } VcAttachment; /* interned */
typedef struct { guint32 row; guint32 old; gboolean claim; } VcAssumption; /* one entry of the log: what was assumed before */

struct VcVolumes {
  VcArena *arena;              /* selectors, drivers of nodes */
  GHashTable *class_rows, *volume_rows, *claim_rows; /* name or key → row + 1 */
  VcStorageClass *class; guint32 n_classes, cap_classes;
  VcVolume *volume; guint32 n_volumes, cap_volumes, free_volume; /* free rows are chained: row + 1, 0 ends */
  VcClaim *claim; guint32 n_claims, cap_claims, free_claim;
  GHashTable *by_class;        /* class (interned) → GArray of volume rows, by name */
  GHashTable *csi_nodes;       /* node name → VcCsiNodeObject *, texts interned */
  GHashTable *drivers;         /* names of drivers that track capacity */
  GHashTable *capacities;      /* "<namespace>/<name>" → VcStorageCapacity *; any order: only whether one suffices is asked */
  GHashTable *attachments;     /* name → VcAttachment * */
  GHashTable *attached;        /* node name → GPtrArray of VcAttachment */
  VcAssumption *log; guint32 n_log, cap_log;
  guint32 version;             /* grows with every change of an API object */
};

/** The cluster's storage objects; made at the first call. */
VcVolumes *vc_cluster_volumes (VcCluster *c);
void vc_volumes_free (VcVolumes *v);

/* Rows by name, or VC_NONE. @v may be NULL: there are no storage objects. */
guint32 vc_volumes_class (const VcVolumes *v, const char *name);
guint32 vc_volumes_volume (const VcVolumes *v, const char *name);
guint32 vc_volumes_claim (const VcVolumes *v, const char *ns, const char *name);
/** Volumes of a class by name; NULL when there are none. */
const GArray *vc_volumes_of_class (const VcVolumes *v, const char *class);
const VcCsiNodeObject *vc_volumes_csi_node (const VcVolumes *v, const char *node);
/** Of a node; NULL when there are none. */
const GPtrArray *vc_volumes_attached (const VcVolumes *v, const char *node);

/* Events: add or update; an assumption about the object ends when it has changed. */
guint32 vc_volumes_set_class (VcCluster *c, const VcStorageClassObject *o);
guint32 vc_volumes_set_volume (VcCluster *c, const VcPersistentVolumeObject *o);
guint32 vc_volumes_set_claim (VcCluster *c, const VcPersistentVolumeClaimObject *o);
void vc_volumes_remove_volume (VcCluster *c, guint32 volume);
void vc_volumes_remove_claim (VcCluster *c, guint32 claim);
void vc_volumes_set_csi_node (VcCluster *c, const VcCsiNodeObject *o);
void vc_volumes_set_csi_driver (VcCluster *c, const VcCsiDriverObject *o);
void vc_volumes_set_capacity (VcCluster *c, const VcCsiStorageCapacityObject *o);
void vc_volumes_set_attachment (VcCluster *c, const VcVolumeAttachmentObject *o);

/* What the tables know of an object, to be changed and told again. Texts stay where they are. */
VcPersistentVolumeObject vc_volume_object (const VcVolume *volume);
VcPersistentVolumeClaimObject vc_claim_object (const VcClaim *claim);

/* Assumptions. */
void vc_volumes_assume (VcVolumes *v, guint32 volume, guint32 claim);      /* claim VC_NONE: as the API object is */
void vc_volumes_select_node (VcVolumes *v, guint32 claim, guint32 node);   /* node VC_NONE: likewise */
/** What was assumed at place @at of the log (n_log: now). */
guint32 vc_volumes_assumed_at (const VcVolumes *v, guint32 volume, guint32 at);
guint32 vc_volumes_selected_at (const VcVolumes *v, guint32 claim, guint32 at);
void vc_volumes_cut_log (VcVolumes *v);
/** Another process has taken over: it knows of none. */
void vc_volumes_drop_assumptions (VcVolumes *v);
/** Has the session left an assumption that was not there when it opened, or none where there was one? */
gboolean vc_volumes_assumptions_changed (const VcVolumes *v);

/* Facts that several filters and the cache share. */
static inline gboolean vc_claim_is_bound (const VcClaim *c) { return *c->volume != '\0' && c->bind_completed; }
/** Name of the claim of volume @i of a pod: "<pod>-<volume>" of an ephemeral one (in @made), else as given. */
const char *vc_pod_claim_name (const VcPodVolume *v, const char *pod, char **made);
/** Is the claim the one that was made for the ephemeral volume of this pod? */
static inline gboolean vc_claim_is_owned (const VcClaim *c, const char *pod_uid) { return c->owner != NULL && strcmp (c->owner, pod_uid) == 0; }
/** Does the node satisfy a volume's or class's condition? matchFields see no name. */
gboolean vc_volume_reaches (const VcShape *where, const VcNodeFacts *node);
int vc_quantity_compare (const VcQuantity *a, const VcQuantity *b);
/** "attachable-volumes-csi-<driver>", with `/` as `-`. (transfer full) */
char *vc_attach_resource (const char *driver);

G_END_DECLS
