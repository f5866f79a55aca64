/* core/devices/node-lock.c - locks that a placement takes on its node (deviceshare.NodeLockEnable).
 *
 * Policy: a placement of a pod with devices writes the time into an annotation of the node; while it is younger than five minutes no other pod with
 * devices of that family can be placed there. The device plugin of the node takes the lock away when it has given the pod its devices, which is here
 * when the pod runs. A lock that a discarded placement took stays until it is old.
 *
 * Example: placed at 12:00:00, running at 12:00:20: the next pod can be placed from 12:00:20 on. Discarded: from 12:05:01 on.
 *
 * The clock is the time of the session, so that runs depend on virtual time alone; upstream reads that of the scheduler's machine, and waits 100 ms between
 * tries to write the annotation, of which there are none here.
 *
 * Mirrors pkg/scheduler/plugins/util/nodelock/nodelock.go. Times are written in whole seconds, as there. */
#include "node-lock.h"
#include "core/base/rfc3339.h"
#include <string.h>

typedef struct { gint64 since; gboolean unreadable; } Lock;
struct VcNodeLocks { GHashTable *lock; /* "row name" → Lock; never walked */ };

VcNodeLocks *
vc_node_locks_new (void)
{
  VcNodeLocks *l = g_new (VcNodeLocks, 1);

  l->lock = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return l;
}

void
vc_node_locks_free (VcNodeLocks *l)
{
  if (l == NULL)
    return;
  g_hash_table_unref (l->lock);
  g_free (l);
}

static char *
key_of (guint32 node, const char *name)
{
  return g_strdup_printf ("%u %s", node, name);
}

static void
put (VcNodeLocks *l, guint32 node, const char *name, gint64 since, gboolean unreadable)
{
  Lock *k = g_new (Lock, 1);

  *k = (Lock) { since, unreadable };
  g_hash_table_replace (l->lock, key_of (node, name), k);
}

void
vc_node_locks_set (VcNodeLocks *l, guint32 node, const char *name, const char *text)
{
  gint64 seconds = 0;
  gboolean good = vc_parse_rfc3339 (text, &seconds);

  put (l, node, name, seconds * G_USEC_PER_SEC, !good);
}

gboolean
vc_node_locks_take (VcNodeLocks *l, guint32 node, const char *name, gint64 now)
{
  g_autofree char *key = key_of (node, name);
  const Lock *k = g_hash_table_lookup (l->lock, key);

  if (k != NULL && (k->unreadable || now - k->since <= VC_NODE_LOCK_US))
    return FALSE;
  put (l, node, name, now / G_USEC_PER_SEC * G_USEC_PER_SEC, FALSE);
  return TRUE;
}

void
vc_node_locks_give (VcNodeLocks *l, guint32 node, const char *name)
{
  g_autofree char *key = key_of (node, name);

  g_hash_table_remove (l->lock, key);
}
