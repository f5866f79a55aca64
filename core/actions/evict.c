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

void
vc_evict_queues (VcSession *ssn, VcHeap *queues, guint32 *jobs_of, guint32 *tasks_of)
{
  VcCluster *c = ssn->cluster;
  g_autofree guint8 *pushed = g_new0 (guint8, c->n_queues + 1);

  vc_heap_init (queues, vc_session_heap_queue_less, ssn);
  for (guint32 q = 0; q < c->n_queues; q++)
    jobs_of[q] = VC_NONE;
  for (guint i = 0; i < ssn->n_jobs; i++) {
    guint32 job = ssn->jobs[i], queue = c->job[job].queue;
    const char *reason, *message;

    if (vc_job_is_pending (&c->job[job]) || !vc_session_job_valid (ssn, job, &reason, &message))
      continue;
    if (!pushed[queue]) {
      pushed[queue] = TRUE;
      vc_heap_push (queues, queue);
    }
    if (!vc_session_job_starving (ssn, job))
      continue;
    if (jobs_of[queue] == VC_NONE)
      vc_session_heap (ssn, &jobs_of[queue], vc_session_heap_job_less);
    vc_heap_push (&ssn->engine->heap[jobs_of[queue]], job);
    if (tasks_of != NULL)
      vc_evict_pending_heap (ssn, job, &tasks_of[job]);
  }
}
