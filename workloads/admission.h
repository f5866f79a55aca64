/* workloads/admission.h - what Volcano's admission webhooks, and the API server before them, have against objects: their texts (05 §12).
 *
 * Everything here is a pure function of the objects and of what it is told of the queues. docs/admission.md lists the rules. */
#pragma once
#include "core/base/arena.h"
#include "k8s-job.h"
G_BEGIN_DECLS

/* A queue as admission looks at it; NULL where a queue is asked for: it does not exist. */
typedef struct {
  const char *name, *state;
  guint n_children;
} WlQueueView;

/** What is said against a new job in queue @queue_name: @refusal is what the object alone has shown (nullable), @queue the queue as it is
 * now. NULL: the job is admitted. (transfer full) */
char *wl_admit_job (const WlJobRefusal *refusal, const char *queue_name, const WlQueueView *queue);

/** What is said against changing @old into @now, both with the defaults of creation filled in: only minAvailable, the class and the tasks'
 * replicas and minAvailable may differ. Static text, or one in @arena. NULL: the change is admitted. */
const char *wl_admit_job_update (VcArena *arena, const WlJobObject *old, const WlJobObject *now);

/** `queue.scheduling.volcano.sh "name" not found`, as listers say it. (transfer full) */
char *wl_queue_not_found (const char *name);

G_END_DECLS
