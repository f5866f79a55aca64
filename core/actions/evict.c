#include "evict.h"
#include <string.h>

static int
compare_task_keys (gconstpointer a, gconstpointer b, gpointer user)
{
  const VcTask *t = user;
  return strcmp (t[*(const guint32 *) a].key, t[*(const guint32 *) b].key);
}

const guint32 *
vc_evict_tasks_of (VcCluster *c, guint32 row, guint *n)
{
  VcNode *node = &c->nodes.info[row];

  *n = node->n_tasks;
  if (!node->tasks_sorted) {
    g_qsort_with_data (node->task, (gint) node->n_tasks, sizeof (guint32), compare_task_keys, c->task);
    for (guint32 i = 0; i < node->n_tasks; i++)
      c->task[node->task[i]].pos_in_node = i;
    node->tasks_sorted = TRUE;
  }
  return node->task;
}

gboolean
vc_evict_before (gpointer user, guint32 l, guint32 r)
{
  const VcVictimOrder *o = user;

  return vc_session_victim_before (o->ssn, o->preemptor, l, r);
}

gboolean
vc_evict_enough (const VcCluster *c, guint32 task, guint32 node, const GArray *victims)
{
  const VcShape *shape = c->task[task].shape;

  for (guint64 left = shape->dims; left != 0; left &= left - 1) {
    guint d = (guint) __builtin_ctzll (left);
    double room = c->nodes.future[d][node];
    for (guint i = 0; i < victims->len; i++)
      room += c->task[g_array_index (victims, guint32, i)].shape->request->v[d];
    if (!vc_le (shape->request->v[d], room))
      return FALSE;
  }
  return TRUE;
}

gboolean
vc_evict_pending_heap (VcSession *ssn, guint32 job, guint32 *slot)
{
  VcCluster *c = ssn->cluster;
  VcJob *j = &c->job[job];
  VcHeap *h = NULL;

  for (guint32 i = 0; i < j->n_tasks; i++) {
    const VcTask *t = &c->task[j->task[i]];
    if (t->status != VC_PENDING || t->gated)
      continue;
    if (h == NULL)
      h = vc_session_heap (ssn, slot, vc_session_heap_task_less);
    vc_heap_push (h, j->task[i]);
  }
  return h != NULL;
}

void
vc_evict_fill (VcHeap *h, VcVictimOrder *order, const GArray *victims)
{
  h->n = 0;
  h->less = vc_evict_before;
  h->user = order;
  for (guint i = 0; i < victims->len; i++)
    vc_heap_push (h, g_array_index (victims, guint32, i));
}
