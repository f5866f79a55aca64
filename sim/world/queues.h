/* sim/world/queues.h - queues over time: rows of queues.csv take effect, closed queues refuse jobs. */
#pragma once
#include "world.h"
G_BEGIN_DECLS

/** Hand the queue as it is to the scheduler; made when it does not exist. */
void sim_queue_publish (SimWorld *w, guint32 queue);
/** What has been said of the queue is forgotten: it does not exist, and would be made with the defaults. */
void sim_queue_reset (SimWorld *w, guint32 queue);
/** Change @change of the input takes effect. Of a row the given cells replace, each group of resources as a whole; a Queue object takes the queue's
 * place. @at_start: this is how the cluster is found; else admission may refuse it, and a state is a command to the queue's controller. */
void sim_queue_change (SimWorld *w, guint32 change, gboolean at_start);
/** Let change @change take effect as far as admission allows, without telling anybody: what admission says against it, NULL. (transfer full) */
char *sim_queue_forecast (SimWorld *w, guint32 change);
/** What admission would say if the queue, which is there, were made now; NULL: nothing, or it is one that is always there. (transfer full) */
char *sim_queue_doubt (const SimWorld *w, guint32 queue);
/** Queues of the start that admission would not have let in. */
void sim_queue_warn (const SimWorld *w, GPtrArray *warnings);
/** PodGroups of the default queue go to the one that their namespace names: the webhook /podgroups/mutate. */
void sim_queue_redirect (SimWorld *w, guint32 job);
/** What admission says of a new PodGroup for the queue, which has to be there and open; @refusal: what the PodGroup itself has shown (nullable).
 * NULL: it is admitted. (transfer full) */
char *sim_queue_admit_group (const SimWorld *w, guint32 queue, const char *refusal);
/** What admission says of a new job for the queue, which has to be an open leaf; @refusal: what the job itself has shown (nullable). NULL: it
 * is admitted. (transfer full) */
char *sim_queue_admit_job (const SimWorld *w, guint32 queue, const WlJobRefusal *refusal);

G_END_DECLS
