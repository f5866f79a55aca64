/* core/model/volume-objects.h - storage objects as readers and controllers hand them to the cache.
 *
 * As in objects.h: every pointer belongs to the caller and is read during the call only; a text that is not given is NULL. */
#pragma once
#include "objects.h"
G_BEGIN_DECLS

typedef enum { VC_BINDING_UNSET, VC_BINDING_IMMEDIATE, VC_BINDING_WAIT /* WaitForFirstConsumer */ } VcBindingMode;
typedef struct {
  const char *name, *provisioner;
  const char *csi_driver;                     /* parameter csi.storage.k8s.io/csi-driver-name */
  VcBindingMode mode;
  const VcNodeTerm *topology; guint n_topologies; /* allowedTopologies: expressions with In; none: everywhere */
  gboolean retain;                            /* reclaimPolicy of the volumes that it makes: Retain, else Delete */
  gboolean is_default;                        /* annotation storageclass.kubernetes.io/is-default-class */
} VcStorageClassObject;

typedef enum { VC_ACCESS_ONCE = 1, VC_ACCESS_READ_MANY = 2, VC_ACCESS_MANY = 4, VC_ACCESS_ONCE_POD = 8 } VcAccessMode; /* bits */
typedef enum { VC_VOLUME_NO_PHASE, VC_VOLUME_PENDING, VC_VOLUME_AVAILABLE, VC_VOLUME_BOUND, VC_VOLUME_RELEASED, VC_VOLUME_FAILED } VcVolumePhase;

typedef struct {
  const char *name;
  VcPairs labels;
  const char *class;                          /* annotation volume.beta.kubernetes.io/storage-class, else the field; NULL or "": none */
  VcQuantity capacity;                        /* of storage */
  guint modes;                                /* VcAccessMode */
  gboolean block;                             /* volumeMode Block, else Filesystem */
  const char *attributes_class;
  const char *claim_ns, *claim_name, *claim_uid; /* claimRef; claim_name NULL: none */
  gboolean has_affinity;                      /* nodeAffinity.required is given */
  const VcNodeTerm *term; guint n_terms;
  const char *driver, *handle;                /* of a CSI volume; driver NULL: another source */
  VcVolumePhase phase;
  gboolean deleting;
  gboolean retain;                            /* persistentVolumeReclaimPolicy Retain, else Delete */
} VcPersistentVolumeObject;

typedef struct VcPersistentVolumeClaimObject {
  const char *ns, *name, *uid;
  const char *class;                          /* as above */
  gboolean has_request;
  VcQuantity request;                         /* of storage */
  guint modes;
  gboolean block;
  const char *attributes_class;
  VcSelector selector;
  const char *volume;                         /* volumeName */
  const char *selected_node;                  /* annotation volume.kubernetes.io/selected-node */
  gboolean bind_completed;                    /* annotation pv.kubernetes.io/bind-completed */
  gboolean lost, deleting;                    /* phase Lost; deletionTimestamp */
  const char *owner;                          /* UID of the controlling owner */
} VcPersistentVolumeClaimObject;

typedef struct { const char *name; gboolean limited; gint32 count; VcNames topology; } VcCsiLimit; /* of one driver on a node; topology: its keys */
typedef struct { const char *node; const VcCsiLimit *driver; guint n_drivers; } VcCsiNodeObject;
typedef struct { const char *name; gboolean tracks_capacity; } VcCsiDriverObject;
typedef struct {
  const char *ns, *name, *class;
  gboolean has_capacity, has_largest;
  VcQuantity capacity, largest;               /* largest: maximumVolumeSize */
  VcSelector topology;                        /* of nodes that reach it; not given: none */
} VcCsiStorageCapacityObject;
typedef struct { const char *name, *node, *attacher, *volume; } VcVolumeAttachmentObject; /* volume: of a PersistentVolume, else NULL */

G_END_DECLS
