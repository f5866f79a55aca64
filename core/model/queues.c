/* Rows of queues. */
#include "cluster-ops.h"
#include "claims.h"
#include <string.h>

void
vc_queue_clear (VcQueue *q)
{
  g_free (q->name);
  vc_res_free (q->capability);
  vc_res_free (q->deserved);
  vc_res_free (q->guarantee);
  vc_res_free (q->status_allocated);
  g_free (q->groups);
  vc_device_quota_free (q->devices);
  memset (q, 0, sizeof *q);
}

static int
compare_queue_names (gconstpointer a, gconstpointer b, gpointer user)
{
  const VcQueue *q = user;
  return strcmp (q[*(const guint32 *) a].name, q[*(const guint32 *) b].name);
}

static void
order_queues (VcCluster *c)
{
  c->n_queue_order = 0;
  for (guint32 i = 0; i < c->n_queues; i++)
    if (c->queue[i].live)
      c->queue_order[c->n_queue_order++] = i;
  g_qsort_with_data (c->queue_order, (gint) c->n_queue_order, sizeof (guint32), compare_queue_names, c->queue);
}

guint32
vc_queue_row (VcCluster *c, const char *name)
{
  guint32 row = GPOINTER_TO_UINT (g_hash_table_lookup (c->queue_rows, name));

  if (row > 0)
    return row - 1;
  guint32 cap = c->cap_queues;
  c->queue = vc_grow (c->queue, &c->cap_queues, c->n_queues + 1, sizeof *c->queue);
  if (cap != c->cap_queues)
    c->queue_order = g_renew (guint32, c->queue_order, c->cap_queues);
  row = c->n_queues++;
  VcQueue *q = &c->queue[row];
  memset (q, 0, sizeof *q);
  q->name = g_strdup (name);
  q->live = TRUE;
  q->parent = q->state = "";
  q->created = VC_NO_TIME;
  q->capability = vc_res_new (c->n_res);
  q->deserved = vc_res_new (c->n_res);
  q->guarantee = vc_res_new (c->n_res);
  q->status_allocated = vc_res_new (c->n_res);
  g_hash_table_insert (c->queue_rows, q->name, GUINT_TO_POINTER (row + 1));
  order_queues (c);
  return row;
}

void
vc_queue_free (VcCluster *c, guint32 row)
{
  g_hash_table_remove (c->queue_rows, c->queue[row].name);
  vc_queue_clear (&c->queue[row]); /* the row stays unused: queues are few */
  order_queues (c);
}
