/* core/devices/node-lock.h - locks that a placement takes on its node, one for each family of devices. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

#define VC_NODE_LOCK_US (G_GINT64_CONSTANT (300) * G_USEC_PER_SEC) /* older locks are replaced */

typedef struct VcNodeLocks VcNodeLocks;
VcNodeLocks *vc_node_locks_new (void);
void vc_node_locks_free (VcNodeLocks *l);
/** The node object says that the lock @name was taken at @text (RFC 3339). */
void vc_node_locks_set (VcNodeLocks *l, guint32 node, const char *name, const char *text);
/** Take the lock at @now (microseconds). FALSE: it is held since less than five minutes, or its time cannot be read. */
gboolean vc_node_locks_take (VcNodeLocks *l, guint32 node, const char *name, gint64 now);
void vc_node_locks_give (VcNodeLocks *l, guint32 node, const char *name);

G_END_DECLS
