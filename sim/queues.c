/* sim/queues.c - queue objects of the simulated cluster. */
#include "queues.h"
#include "queue-controller.h"
#include "workloads/admission.h"
#include <string.h>

void
sim_queue_publish (SimWorld *w, guint32 queue)
{
  SimQueue *q = &w->queue[queue];
  VcQueueObject o = { .name = q->name,
                      .parent = q->parent,
                      .state = q->state,
                      .created = q->created,
                      .weight = q->weight,
                      .priority = q->priority,
                      .reclaimable = q->reclaimable,
                      .capability = q->capability,
                      .guarantee = q->guarantee,
                      .deserved = q->deserved };

  q->row = vc_cache_add_queue (w->cache, &o);
}

void
sim_queue_change (SimWorld *w, guint32 change)
{
  const SimQueueChange *c = &w->queue_change[change];
  SimQueue *q = &w->queue[c->queue];

  gboolean is_new = q->row == VC_NONE, moved = FALSE, at_start = w->now == 0 && w->n_events == 0;

  if (is_new)
    q->created = sim_world_second (w);
  if (c->parent != NULL && strcmp (q->name, "root") != 0) {
    const char *parent = *c->parent != '\0' ? c->parent : "root";

    moved = strcmp (parent, q->parent) != 0;
    q->parent = parent;
  }
  if (c->state != NULL && at_start)
    q->state = c->state; /* the queue is found like that */
  if (c->weight >= 0)
    q->weight = MAX (c->weight, 1); /* admission makes 1 of 0 */
  if (c->priority >= 0)
    q->priority = c->priority;
  if (c->reclaimable >= 0)
    q->reclaimable = c->reclaimable;
  if (c->capability.n > 0)
    q->capability = c->capability;
  if (c->guarantee.n > 0)
    q->guarantee = c->guarantee;
  if (c->deserved.n > 0)
    q->deserved = c->deserved;
  sim_queue_publish (w, c->queue);
  if (is_new || moved)
    sim_queue_request (w, c->queue, SIM_QUEUE_SYNC);
  if (c->state != NULL && !at_start) /* a command */
    sim_queue_request (w, c->queue, strcmp (c->state, "Open") == 0 ? SIM_QUEUE_OPEN : SIM_QUEUE_CLOSE);
}

gboolean
sim_queue_is_open (const SimWorld *w, guint32 queue)
{
  return w->queue[queue].row != VC_NONE && strcmp (w->queue[queue].state, "Open") == 0;
}

static guint
count_children (const SimWorld *w, guint32 queue)
{
  guint n = 0;

  for (guint32 i = 0; i < w->n_queues; i++)
    n += w->queue[i].row != VC_NONE && strcmp (w->queue[i].parent, w->queue[queue].name) == 0;
  return n;
}

char *
sim_queue_admit_job (const SimWorld *w, guint32 queue, const WlJobRefusal *refusal)
{
  const SimQueue *q = &w->queue[queue];
  const WlQueueView view = { q->name, q->state, count_children (w, queue) };

  return wl_admit_job (refusal, q->name, q->row != VC_NONE ? &view : NULL);
}
