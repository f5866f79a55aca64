/* workloads/admission/admission.h - what Volcano's admission webhooks, and the API server before them, have against objects: their texts (05 §12).
 *
 * Everything here is a pure function of the objects and of what it is told of the queues. docs/admission.md lists the rules. */
#pragma once
#include "core/base/arena.h"
#include "workloads/k8s/k8s-job.h"
G_BEGIN_DECLS

/* ---- webhooks ---- */
typedef enum { /* bits, in the order of their paths */
  WL_WEBHOOK_QUEUES_VALIDATE = 1,
  WL_WEBHOOK_POD_GROUPS_VALIDATE = 2,
  WL_WEBHOOK_POD_GROUPS_MUTATE = 4,
  WL_WEBHOOK_PODS_MUTATE = 8,
  WL_WEBHOOK_PODS_VALIDATE = 16,
  WL_WEBHOOK_JOB_FLOWS_VALIDATE = 32,
} WlWebhook;
#define WL_WEBHOOKS_OF_CHART (WL_WEBHOOK_QUEUES_VALIDATE | WL_WEBHOOK_POD_GROUPS_VALIDATE)
/** The flag --enabled-admission of Volcano's webhook manager: paths with commas between. Those of jobs, cron jobs and HyperNodes, and the defaults of
 * queues, cannot be left out. FALSE with @error, without a place. */
gboolean wl_parse_webhooks (const char *text, guint *bits, GError **error);

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

/** What is said against a new PodGroup for queue @queue_name (NULL or "": none is named); @refusal is what the object alone has shown (nullable).
 * (transfer full) */
char *wl_admit_pod_group (const char *refusal, const char *queue_name, const WlQueueView *queue);

/** What is said against a new pod of Volcano's scheduler with these annotations. (transfer full) */
char *wl_admit_pod (const VcPairs *annotations);

/* A queue as it is, with what the webhook reads of its status. */
typedef struct {
  VcQueueObject object;
  gint64 pods;          /* status.allocated: pods */
} WlQueueState;

/** What admission fills in of a new queue: weight, reclaimable, the root of a tree of annotations. New texts go to @arena. */
void wl_default_queue (VcArena *arena, VcQueueObject *queue);
/** What is said against making @now (@old NULL), or against changing @old into it; @all are the queues that exist, by name. NULL: admitted.
 * (transfer full) */
char *wl_admit_queue (const WlQueueState *all, guint n, const VcQueueObject *old, const VcQueueObject *now);
/** The same of deleting a queue; @check_pods: the webhook's flag --enable-queue-allocated-pods-check. (transfer full) */
char *wl_admit_queue_deletion (const WlQueueState *all, guint n, const char *name, gboolean check_pods);

/** `queue.scheduling.volcano.sh "name" not found`, as listers say it. (transfer full) */
char *wl_queue_not_found (const char *name);

G_END_DECLS
