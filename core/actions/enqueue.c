/* enqueue - admit waiting PodGroups: Pending becomes Inqueue.
 *
 * Policy: queues in turn by queue order, in each the best pending job; a job without minResources passes, others when no
 * JobEnqueueable vote rejects. A refused job is not asked again in this cycle and blocks nobody.
 * Mirrors pkg/scheduler/actions/enqueue/enqueue.go. */
#include "actions.h"
#include "core/model/steps.h"
#include "core/session/job-lines.h"
#include "core/session/turns.h"

const VcArgSpec vc_enqueue_args[] = { { NULL, VC_ARG_ANY, NULL } };

static void
enqueue (VcSession *ssn)
{
  VcCluster *c = ssn->cluster;
  g_auto (VcHeap) queues = { 0 };
  VcJobLines *jobs = vc_job_lines_begin (ssn);
  g_autofree guint8 *pushed = g_new0 (guint8, c->n_queues + 1);

  vc_heap_init (&queues, vc_session_heap_queue_less, ssn);
  for (guint i = 0; i < ssn->n_jobs; i++) {
    guint32 job = ssn->jobs[i], queue = c->job[job].queue;

    if (!pushed[queue]) {
      pushed[queue] = TRUE;
      vc_heap_push (&queues, queue);
    }
    if (vc_job_is_pending (&c->job[job]))
      vc_job_lines_add (jobs, queue, job);
  }
  vc_job_lines_close (jobs);
  while (!vc_heap_is_empty (&queues)) {
    guint32 queue = vc_heap_pop (&queues);

    if (vc_job_lines_is_empty (jobs, queue))
      continue;
    guint32 job = vc_job_lines_pop (jobs, queue);
    VcJob *j = &c->job[job];
    vc_turns_enqueue (ssn, job, vc_job_lines_next (jobs, queue), &queues);
    if (!j->has_min_resources || vc_session_job_enqueueable (ssn, job)) {
      vc_session_job_enqueued (ssn, job);
      j->phase = VC_PG_INQUEUE;
      ssn->result.enqueued++;
      vc_turns_admit (ssn, job);
      vc_session_log (ssn, 3, "enqueue %s", j->key);
      vc_step (c, "JobEnqueueable", job, VC_NONE, "PodGroup %s may enter", j->key);
    } else {
      vc_step (c, "JobEnqueueable", job, VC_NONE, "PodGroup %s stays out", j->key);
    }
    vc_heap_push (&queues, queue);
  }
  vc_turns_admitted (ssn);
}

const VcActionClass vc_action_enqueue = {
  .name = "enqueue",
  .summary = "admit waiting PodGroups whose minimum resources the queues accept",
  .args = vc_enqueue_args,
  .run = enqueue,
};
