/* core/devices/devices.h - shared and partitioned devices of nodes: which pod sits on which card, and what still fits.
 *
 * A family of devices is one file with a VcDeviceClass (device-class.h); devices.c lists them. Each node has a book per family, filled from
 * the node's annotations or capacity and from the annotations of the pods that run on it. A session works on copies of the books that it
 * touches; what it books there is gone when it closes, as upstream's snapshot is. What a bind decided comes back with the bound pod.
 *
 * Nothing here costs anything while no family is switched on.
 *
 * Mirrors pkg/scheduler/api/shared_device_pool.go and the parts of pkg/scheduler/api/node_info.go that keep node.Others. */
#pragma once
#include "core/conf/args.h"
#include "core/model/cluster.h"
G_BEGIN_DECLS

typedef struct VcDevices VcDevices;

/** The books of a cluster; no family is on. Borrows @c. */
VcDevices *vc_devices_new (VcCluster *c);
void vc_devices_free (VcDevices *d);

/* ---- the configuration ---- */

/** Arguments of the plugin deviceshare (of the process: one that is not given leaves what was there). Families that go on or off rebuild the
 * books of all nodes, where upstream waits for the next update of each node. FALSE with @error when arguments exclude each other. */
gboolean vc_devices_configure (VcDevices *d, const VcArgs *args, GError **error);
/** Check @args alone: may they stand together? */
gboolean vc_devices_check (const VcArgs *args, GError **error);
/** Does a placement take a lock that ages with the clock? */
gboolean vc_devices_locks (const VcArgs *args);
/** Keep a ConfigMap when it may tell of devices; a later one of that name replaces it. The kinds of devices are read once, when a family goes on. */
void vc_devices_add_config_map (VcDevices *d, const VcConfigMapObject *o);
/** Names of resources that are no resources but properties of a device, as the nodes of @node show: they are to be left out of every vector.
 * (transfer full) NULL-terminated, ascending. */
char **vc_devices_ignored (const VcArgs *args, const VcConfigMapObject *const *map, guint n_maps, const VcNodeObject *const *node, guint n_nodes);

/* ---- events of the cache: the books themselves ---- */

/** The node object of row @node is new, or other than it was: its books are made anew, tasks on it are booked again. */
void vc_devices_set_node (VcDevices *d, guint32 node);
void vc_devices_remove_node (VcDevices *d, guint32 node);
/** The task entered or left its node (NodeInfo.AddTask, RemoveTask). Its status and node are those of that moment. */
void vc_devices_put (VcDevices *d, guint32 task);
void vc_devices_take (VcDevices *d, guint32 task);
/** AddBindTask, and an eviction that goes out. */
void vc_devices_bind (VcDevices *d, guint32 task);
void vc_devices_evict (VcDevices *d, guint32 task);
/** The pod comes back bound: it carries what the bind gave it. Or it runs: the device plugin gives the lock of the node back. */
void vc_devices_bound (VcDevices *d, guint32 task);
void vc_devices_running (VcDevices *d, guint32 task);
/** Nothing is known of the task any more, or its bind failed. */
void vc_devices_forget (VcDevices *d, guint32 task);

/* ---- the session: its own copy of the books ---- */

void vc_devices_session_open (VcDevices *d, gint64 now);
void vc_devices_session_close (VcDevices *d);
void vc_devices_session_put (VcDevices *d, guint32 task);
void vc_devices_session_take (VcDevices *d, guint32 task);

/* How far answers for a shape reach (the order is that of VcScope). */
typedef enum { VC_DEVICES_NODE, VC_DEVICES_GROUP, VC_DEVICES_CLUSTER } VcDeviceScope;
typedef enum { VC_DEVICE_FITS, VC_DEVICE_FAILS /* an error: no eviction helps */, VC_DEVICE_FULL /* not now */ } VcDeviceVerdict;

/** Do pods of this shape ask for a device of a family that is on? */
gboolean vc_devices_asked (VcDevices *d, const VcShape *shape);
/** What does an answer to a filter (or to @score) for pods of the shape depend on? */
VcDeviceScope vc_devices_scope (VcDevices *d, const VcShape *shape, gboolean score);
/** Does every device that the pod asks for fit on the node? @policy is the schedule policy. @reason (interned, may be "") tells why not; @why, when
 * given, gets a line for each card. */
VcDeviceVerdict vc_devices_filter (VcDevices *d, guint32 task, guint32 node, const char *policy, const char **reason, GString *why);
/** The same with the tasks @gone taken from the node. */
gboolean vc_devices_fit_without (VcDevices *d, guint32 task, guint32 node, const guint32 *gone, guint n);
/** Sum of the device scores of the node, unweighted and not rounded. @filtered: did a filter run before (it leaves the score of some families)? */
double vc_devices_score (VcDevices *d, guint32 task, guint32 node, const char *policy, gboolean filtered);
/** The parts of that sum, one for each family that the pod asks: names, and one family's score of a node, which leaves no trace. FALSE: the pod does not ask
 * it. */
guint vc_devices_n_families (const VcDevices *d);
const char *vc_devices_family_name (const VcDevices *d, guint family);
gboolean vc_devices_family_score (VcDevices *d, guint family, guint32 task, guint32 node, const char *policy, gboolean filtered, double *score);
/** Scores that a family gives to a list of nodes at once, added to @score times @weight. */
void vc_devices_score_batch (VcDevices *d, guint32 task, const guint32 *nodes, guint n, double weight, double *score);
/** Book devices of the task's node for it. FALSE when some family refuses; what others booked before stays, as upstream's does. */
gboolean vc_devices_allocate (VcDevices *d, guint32 task);
void vc_devices_release (VcDevices *d, guint32 task);

/* ---- cards, for policies of others (core/beyond) ---- */

/* A card that pods share, and what pods ask of such cards: how many, and how much memory of each (@percent: in percent). */
typedef struct { guint64 memory, used; } VcDeviceCard;
typedef struct { guint cards; guint64 memory; gboolean percent; } VcDeviceCardRequest;
/** The shared cards of the node as the session has them, by index: in @out (VcDeviceCard), emptied first. */
void vc_devices_cards (const VcDevices *d, guint32 node, GArray *out);
/** What pods of the shape ask of them; with several containers the sum of the cards and the greatest memory. No cards: nothing. */
VcDeviceCardRequest vc_devices_card_request (VcDevices *d, const VcShape *shape);
/** Which card a pod gets that asks for one: place of the card, or -1 to leave it to the schedule policy. A card on which it does not
 * fit is passed over. The pod is on the node by then: what it asks for beside cards has been taken. */
typedef gint (*VcDeviceCardFn) (gpointer user, guint32 task, guint32 node);
/** Ask @fn whenever a card is booked, until the session closes. */
void vc_devices_set_card_choice (VcDevices *d, VcDeviceCardFn fn, gpointer user);

/* ---- what others read ---- */

/** What a queue's status counts for the task beyond its request: calls @fn for each dimension with the amount that replaces the requested one. */
typedef void (*VcDeviceAmountFn) (gpointer user, guint dim, double amount);
void vc_devices_queue_amounts (VcDevices *d, guint32 task, VcDeviceAmountFn fn, gpointer user);
/** What the task was given, "key=value" for each family, separated by blanks; NULL when nothing. In a session: by it. (transfer full) */
char *vc_devices_describe (VcDevices *d, guint32 task);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (VcDevices, vc_devices_free)
G_END_DECLS
