/* core/devices/devices-private.h - the pool of devices, for the files that keep it: devices.c, devices-session.c. */
#pragma once
#include "device-class.h"
#include "node-lock.h"
G_BEGIN_DECLS

typedef struct {
  gpointer *base;     /* [n_slots]; NULL: the node has no devices */
  gpointer *live;     /* the session's copies; NULL: none yet */
  guint32 *scored;    /* [n_slots]: session in which the node was scored last */
} VcNodeBooks;

/* An assignment of a task: annotation and value. */
typedef struct { const char *key; char *value; } VcAssigned;
/* What a task was given: in this session, with a bind that is under way, with the bind that came back. */
typedef struct { GArray *session, *binding, *bound; } VcClaim; /* VcAssigned; each may be NULL */

struct VcDevices {
  VcCluster *c;
  VcArena *arena;              /* of the present configuration */
  GPtrArray *config_maps;      /* VcConfigMapObject *, with their texts in map_arena */
  VcArena *map_arena;
  VcDeviceSettings settings;
  const VcDeviceConfig *config; /* NULL: not read yet */
  VcDeviceSlot *slot;
  guint n_slots;
  guint *by_name;              /* slots in the order of their names */
  VcNodeBooks *node; guint32 cap_nodes;
  GPtrArray *asks;             /* by shape id: VcDeviceAsk *[n_slots + 1], the last tells whether any asks; NULL: not parsed yet */
  GHashTable *claims;          /* task row + 1 → VcClaim; never walked but to free */
  GArray *dirty;               /* guint32: nodes with live copies */
  GArray *claiming;            /* guint32: tasks that claim something in this session */
  VcNodeLocks *locks;
  guint32 session;
  gint64 now;
  VcDeviceCardFn card_choice;  /* of the session; NULL: nobody */
  gpointer card_choice_user;
};

VcClaim *vc_claim_find (const VcDevices *d, guint32 task);
const char *vc_claim_value (const GArray *list, const char *key); /* NULL: none */
void vc_claim_drop (GArray *list, const char *key);
void vc_claim_set (VcDevices *d, guint32 task, const char *key, const char *value); /* in the session */

/** Asks of a shape by slot; the entry behind the last tells whether any of them asks. */
VcDeviceAsk *const *vc_devices_asks (VcDevices *d, const VcShape *shape);
VcDeviceCall vc_devices_call (VcDevices *d, guint slot, guint32 node, guint32 task);
void vc_devices_free_books (VcDevices *d, gpointer **books);
/** AddResource, or SubResource, of every family on one set of books. */
void vc_devices_move (VcDevices *d, gpointer *books, guint32 task, gboolean in);
/** Does NodeInfo book the devices of a task of this status? */
static inline gboolean vc_devices_is_booked (VcStatus s) { return s != VC_RELEASING && s != VC_PIPELINED; }
static inline gpointer *vc_devices_base (const VcDevices *d, guint32 node) { return node < d->cap_nodes ? d->node[node].base : NULL; }

G_END_DECLS
