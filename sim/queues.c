/* sim/queues.c - queue objects of the simulated cluster. */
#include "queues.h"
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

  if (q->row == VC_NONE)
    q->created = sim_world_second (w);
  if (c->parent != NULL && strcmp (q->name, "root") != 0)
    q->parent = *c->parent != '\0' ? c->parent : "root";
  if (c->state != NULL)
    q->state = c->state;
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
}

gboolean
sim_queue_admits (const SimWorld *w, guint32 queue)
{
  return w->queue[queue].row != VC_NONE && strcmp (w->queue[queue].state, "Open") == 0;
}
