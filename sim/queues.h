/* sim/queues.h - queues over time: rows of queues.csv take effect, closed queues refuse jobs. */
#pragma once
#include "world.h"
G_BEGIN_DECLS

/** Hand the queue as it is to the scheduler; made when it does not exist. */
void sim_queue_publish (SimWorld *w, guint32 queue);
/** Row @change of the input takes effect: given cells replace, each group of resources as a whole. Before the first event its state is that
 * of the queue, later a command to the queue's controller. */
void sim_queue_change (SimWorld *w, guint32 change);
/** Does admission let a PodGroup into the queue: is it there, and open? */
gboolean sim_queue_is_open (const SimWorld *w, guint32 queue);
/** What admission says of a new job for the queue, which has to be an open leaf; @refusal: what the job itself has shown (nullable). NULL: it
 * is admitted. (transfer full) */
char *sim_queue_admit_job (const SimWorld *w, guint32 queue, const WlJobRefusal *refusal);

G_END_DECLS
