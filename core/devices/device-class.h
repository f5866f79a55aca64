/* core/devices/device-class.h - what a family of devices consists of. For the files of this folder. */
#pragma once
#include "device-config.h"
#include "devices.h"
G_BEGIN_DECLS

/* What one container asks for (ContainerDeviceRequest). percent 101: memory is given in `memory`. */
typedef struct { gint32 nums, memory, percent, cores; } VcDeviceRequest;
#define VC_DEVICE_NO_PERCENT 101

/* What pods of one shape ask of a family; families begin their own structure with it. */
typedef struct { gboolean asks; /* HasDeviceRequest */ } VcDeviceAsk;

typedef struct VcDeviceClass VcDeviceClass;
typedef struct {
  const VcDeviceClass *class;
  const char *name;          /* of the device, as upstream registers it */
  const char *key;           /* annotation that carries an assignment; interned */
  const VcNpuConfig *npu;    /* of a type of NPU, else NULL */
  guint index;
} VcDeviceSlot;

/* Who asks: the pool, the family, the node, the pod (task VC_NONE where there is none). */
typedef struct {
  VcDevices *d;
  const VcDeviceSlot *slot;
  guint32 node, task;
  const VcDeviceAsk *ask;    /* NULL: nothing */
} VcDeviceCall;

struct VcDeviceClass {
  const char *name, *summary;
  const char *lock;          /* annotation of the node that holds the lock, NULL: none */
  /** The node's book, or NULL when it has no such devices. */
  gpointer (*make) (const VcDeviceCall *call);
  gpointer (*copy) (gconstpointer book);
  void (*free) (gpointer book);
  /** What pods of @shape ask for, in the pool's arena; NULL: nothing. */
  VcDeviceAsk *(*parse) (VcDevices *d, const VcDeviceSlot *slot, const VcShape *shape);
  /** AddResource and SubResource with the assignment @text that the pod carries (NULL: none). */
  void (*add) (const VcDeviceCall *call, gpointer book, const char *text);
  void (*sub) (const VcDeviceCall *call, gpointer book, const char *text);
  /** Would add or sub change the book? */
  gboolean (*matters) (const VcDeviceCall *call, gconstpointer book, const char *text);
  VcDeviceVerdict (*filter) (const VcDeviceCall *call, gpointer book, const char *policy, const char **reason, GString *why);
  double (*score) (const VcDeviceCall *call, gpointer book, const char *policy);
  /** Book and append the assignment to @text. @lock is called where upstream takes the node's lock. FALSE: refused. */
  gboolean (*allocate) (const VcDeviceCall *call, gpointer book, const char *policy, GString *text);
  void (*release) (const VcDeviceCall *call, gpointer book, const char *text);
  /** AddQueueResource for the assignment @text. NULL: nothing. */
  void (*queue_amounts) (const VcDeviceCall *call, gconstpointer book, const char *text, VcDeviceAmountFn fn, gpointer user);
  /** The session opens: @book is its copy. NULL: nothing to do. */
  void (*open) (const VcDeviceCall *call, gpointer book);
  VcDeviceScope filter_scope, score_scope;
};

extern const VcDeviceClass vc_device_gpushare, vc_device_vgpu, vc_device_ascend_hami, vc_device_ascend_310p;

/* ---- what the pool does for its families (devices.c) ---- */

typedef struct VcGpuRules VcGpuRules;
typedef struct {
  gboolean gpu_sharing, gpu_number, vgpu, mindcluster, hami, node_lock;
  const char *policy;        /* deviceshare.SchedulePolicy; "" */
  const VcGpuRules *rules;   /* of exclusive cards; NULL: none */
} VcDeviceSettings;

VcCluster *vc_devices_cluster (const VcDevices *d);
VcArena *vc_devices_arena (const VcDevices *d);
const VcDeviceSettings *vc_devices_settings (const VcDevices *d);
const VcDeviceConfig *vc_devices_config (const VcDevices *d);
gint64 vc_devices_now (const VcDevices *d);
/** A ConfigMap by name, or NULL. */
const VcConfigMapObject *vc_devices_config_map (const VcDevices *d, const char *ns, const char *name);
guint vc_devices_n_config_maps (const VcDevices *d);
const VcConfigMapObject *vc_devices_nth_config_map (const VcDevices *d, guint i);
/** Take the lock of the family on the node. FALSE: it is taken and fresh, or unreadable. TRUE without locks. */
gboolean vc_devices_lock (const VcDeviceCall *call);
/** Assignment that the task carries for the family: of its bind, else its annotation. NULL: none. */
const char *vc_devices_carried (const VcDeviceCall *call, guint32 task);
/** Has the node been scored for the family in this session? */
gboolean vc_devices_scored (const VcDeviceCall *call);
/** The card that somebody wants the pod to get (vc_devices_set_card_choice), or -1. */
gint vc_devices_chosen_card (const VcDeviceCall *call);
/** The book of the family that counts now: the session's, else the base. */
gpointer vc_devices_book (const VcDevices *d, guint slot, guint32 node);

/* ---- requests (device-request.c) ---- */

/** What the containers of @spec ask for: resources of these names in limits, else requests ("" or NULL: no such resource). @n may be 0. */
VcDeviceRequest *vc_device_requests (const VcPodSpec *spec, VcArena *arena, const char *count, const char *memory, const char *percentage, const char *cores, guint *n);
/** Is @name among the limits of a regular container? */
gboolean vc_device_limited (const VcPodSpec *spec, const char *name);
/** Amount of @name, or NULL. */
const VcQuantity *vc_device_amount (const VcAmounts *a, const char *name);
/** Go's strconv.Atoi and ParseUint (…, 10, 32) on the whole of @text, @len bytes. */
gboolean vc_device_int (const char *text, gsize len, gint64 *out);
gboolean vc_device_uint32 (const char *text, gsize len, guint32 *out);

/* One card of an assignment "UUID,TYPE,MEMORY,CORES"; the text stays in the assignment. */
typedef struct { const char *id; gsize id_len; guint32 memory, cores; } VcDeviceShare;
/* Walk over an assignment. Begin with *at = text. */
gboolean vc_device_next_part (const char **at, char separator, const char **part, gsize *len);

/* A pod on a card. */
typedef struct { guint32 task; guint64 memory, cores; const char *group; } VcDevicePod;
/* Pods of a card, in no order; empty without memory. */
typedef struct { VcDevicePod *pod; guint32 n, cap; } VcDevicePods;
VcDevicePod *vc_device_pods_find (const VcDevicePods *p, guint32 task);
/** The entry of @task, made when new (zeroed). */
VcDevicePod *vc_device_pods_add (VcDevicePods *p, guint32 task);
void vc_device_pods_remove (VcDevicePods *p, guint32 task);
VcDevicePods vc_device_pods_copy (const VcDevicePods *p);

G_END_DECLS
