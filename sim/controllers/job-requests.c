/* sim/controllers/job-requests.c - mirrors job_controller_handler.go and processNextReq (pkg/controllers/job/job_controller.go). */
#include "job-requests.h"
#include "delayed-actions.h"
#include "job-controller.h"
#include "kinds.h"
#include "queue-controller.h"
#include "sim/record/chain.h"
#include "sim/record/record.h"
#include "sim/world/job-table.h"
#include <string.h>

#define RETRY_LIMIT 15
#define RETRY_FIRST (5 * SIM_SECOND / 1000)
#define RETRY_LONGEST (1000 * SIM_SECOND)

G_STATIC_ASSERT (sizeof (SimRequest) == 32); /* compared as bytes: no padding */

/* ---- the line ------------------------------------------------------------------------------- */

static void
append (SimWorld *w, const SimRequest *req)
{
  if (w->n_requests == w->cap_requests) { /* a full ring is laid out straight again */
    guint32 cap = MAX (w->cap_requests * 2, 64);
    SimRequest *fresh = g_new (SimRequest, cap);
    SimTime *due = g_new (SimTime, cap);

    for (guint32 i = 0; i < w->n_requests; i++) {
      fresh[i] = w->request[(w->request_head + i) % w->cap_requests];
      due[i] = w->request_due[(w->request_head + i) % w->cap_requests];
    }
    g_free (w->request);
    g_free (w->request_due);
    w->request = fresh;
    w->request_due = due;
    w->cap_requests = cap;
    w->request_head = 0;
  }
  guint32 at = (w->request_head + w->n_requests) % w->cap_requests, last = (at + w->cap_requests - 1) % w->cap_requests;

  w->request[at] = *req;
  w->request_due[at] = sim_controllers_due (w, w->n_requests > 0 ? w->request_due[last] : 0);
  w->n_requests++;
}

static inline SimRequest
request_of_job (guint32 job, SimCause cause, guint8 action)
{
  return (SimRequest){
    .pod_uid = SIM_NO_POD, .job = job, .role = SIM_NONE, .index = SIM_NONE, .cause = (guint8) cause, .action = action
  };
}

static SimRequest
request_of_pod (const SimWorld *w, guint32 pod, SimCause cause, gint32 exit_code)
{
  const SimPod *p = &w->pod[pod];

  return (SimRequest){ .pod_uid = p->uid,
                       .job = p->job,
                       .role = p->role,
                       .index = p->index,
                       .version = p->version,
                       .exit_code = exit_code,
                       .cause = (guint8) cause,
                       .action = SIM_NO_ACTION };
}

/* The bits that say which requests of the same kind wait; NULL when nothing keeps them any more. */
static guint32 *
marks_of (SimWorld *w, const SimRequest *req)
{
  SimJob *j = &w->job[req->job];

  if (req->pod_uid == SIM_NO_POD)
    return &j->queued;
  guint32 pod = sim_role_pod (&w->role[req->role], req->index);

  return pod != SIM_NONE && w->pod[pod].uid == req->pod_uid ? &w->pod[pod].queued : NULL;
}

static inline guint32
mark_of (const SimRequest *req)
{
  return 1u << (req->action == SIM_NO_ACTION ? (guint) req->cause : SIM_N_CAUSES + (guint) req->action);
}

static void
add (SimWorld *w, const SimRequest *req)
{
  SimJob *j = &w->job[req->job];
  guint32 *marks = marks_of (w, req);

  if (!j->exists) { /* what happens to the pods of a job that is no more lets one of that name look at its own */
    guint32 heir = sim_job_find (w, j->ns, j->name);

    if (heir != SIM_NONE && heir != req->job)
      sim_jobs_job_changed (w, heir);
    return;
  }
  if (marks != NULL) {
    if (*marks & mark_of (req))
      return;
    *marks |= mark_of (req);
  }
  j->n_requests++;
  if (!w->holding)
    append (w, req);
  else if (req->pod_uid == SIM_NO_POD && req->job == w->held_for)
    w->held_job = TRUE; /* only the job's own change: nothing else without a pod comes from its controller */
  else
    g_array_append_val (w->held, *req);
}

static int
by_uid (gconstpointer a, gconstpointer b)
{
  const SimRequest *l = a, *r = b;

  return l->pod_uid != r->pod_uid ? (l->pod_uid < r->pod_uid ? -1 : 1) : (l->job > r->job) - (l->job < r->job);
}

static void
hold (SimWorld *w, guint32 job)
{
  w->holding = TRUE;
  w->held_for = job;
  w->held_job = FALSE;
  g_array_set_size (w->held, 0);
}

static void
release (SimWorld *w, guint32 job)
{
  w->holding = FALSE;
  if (w->held_job) {
    SimRequest req = request_of_job (job, SIM_CAUSE_OUT_OF_SYNC, SIM_NO_ACTION);

    append (w, &req);
  }
  g_array_sort (w->held, by_uid); /* within one request a pod has one event at most; sets of a Deployment come behind */
  for (guint i = 0; i < w->held->len; i++)
    append (w, &g_array_index (w->held, SimRequest, i));
}

/* ---- what is heard -------------------------------------------------------------------------- */

void
sim_jobs_job_changed (SimWorld *w, guint32 job)
{
  SimRequest req = request_of_job (job, SIM_CAUSE_OUT_OF_SYNC, SIM_NO_ACTION);

  add (w, &req);
}

void
sim_jobs_group_changed (SimWorld *w, guint32 job)
{
  if (w->job[job].kube != NULL)
    return; /* only the controller of vcjobs looks at PodGroups */
  SimRequest req
      = request_of_job (job, w->job[job].pg_phase == VC_PG_UNKNOWN ? SIM_CAUSE_UNKNOWN : SIM_CAUSE_NONE, SIM_NO_ACTION);

  add (w, &req);
}

void
sim_jobs_command (SimWorld *w, guint32 job, SimJobAction action)
{
  SimRequest req = request_of_job (job, SIM_CAUSE_COMMAND_ISSUED, (guint8) action);

  add (w, &req);
}

/* A stamped pod is being killed on purpose: nothing that happens to it is news. */
static void
add_pod (SimWorld *w, guint32 pod, SimCause cause, gint32 exit_code)
{
  if (w->job[w->pod[pod].job].kube != NULL) { /* other controllers look at all of it, whatever has happened */
    sim_jobs_job_changed (w, w->pod[pod].job);
    return;
  }
  SimRequest req = request_of_pod (w, pod, w->pod[pod].out_of_sync ? SIM_CAUSE_OUT_OF_SYNC : cause, exit_code);

  add (w, &req);
}

/* Have the containers of the task restarted too often? */
static gboolean
task_failed (const SimWorld *w, guint32 role)
{
  const SimRole *r = &w->role[role];

  return r->spec != NULL && r->replicas > 0 && r->restarts >= r->spec->max_retry;
}

void
sim_jobs_pod_added (SimWorld *w, guint32 pod)
{
  add_pod (w, pod, SIM_CAUSE_POD_PENDING, 0);
}

void
sim_jobs_pod_updated (SimWorld *w, guint32 pod)
{
  const SimPod *p = &w->pod[pod];
  gboolean alive = p->phase == SIM_POD_PENDING || p->phase == SIM_POD_RUNNING;

  add_pod (w, pod, alive && task_failed (w, p->role) ? SIM_CAUSE_TASK_FAILED : SIM_CAUSE_OUT_OF_SYNC, 0);
}

void
sim_jobs_pod_started (SimWorld *w, guint32 pod)
{
  add_pod (w, pod, SIM_CAUSE_POD_RUNNING, 0);
}

void
sim_jobs_pod_ended (SimWorld *w, guint32 pod, gint32 exit_code)
{
  const SimRole *r = &w->role[w->pod[pod].role];

  if (w->pod[pod].phase == SIM_POD_FAILED)
    add_pod (w, pod, SIM_CAUSE_POD_FAILED, exit_code);
  else
    add_pod (w, pod, r->replicas > 0 && r->live.succeeded >= r->replicas ? SIM_CAUSE_TASK_COMPLETED : SIM_CAUSE_OUT_OF_SYNC, 0);
}

void
sim_jobs_pod_removed (SimWorld *w, guint32 pod)
{
  const SimKind *kind = sim_kind_of (&w->job[w->pod[pod].job]);

  if (kind->pod_removed != NULL)
    kind->pod_removed (w, pod);
  add_pod (w, pod, SIM_CAUSE_POD_EVICTED, 0);
}

/* ---- requests that fail --------------------------------------------------------------------- */

typedef struct {
  SimRequest req;
  guint failures;
  SimTime due;   /* SIM_NEVER: does not wait */
  guint32 stamp; /* of the row: timers with another one are dead */
  guint32 next_free;
} Retry;

static guint
hash_request (gconstpointer p)
{
  const guint32 *v = p;
  guint h = 2166136261u;

  for (guint i = 0; i < sizeof (SimRequest) / sizeof *v; i++)
    h = (h ^ v[i]) * 16777619u;
  return h;
}

static gboolean
same_request (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (SimRequest)) == 0;
}

static Retry *
retry_of (SimWorld *w, const SimRequest *req, gboolean make)
{
  if (w->retry_rows == NULL) {
    if (!make)
      return NULL;
    w->retry_rows = g_hash_table_new_full (hash_request, same_request, g_free, NULL);
    w->retry = g_array_new (FALSE, TRUE, sizeof (Retry));
  }
  guint row = GPOINTER_TO_UINT (g_hash_table_lookup (w->retry_rows, req));

  if (row == 0) {
    if (!make)
      return NULL;
    row = w->free_retry;
    if (row != 0)
      w->free_retry = g_array_index (w->retry, Retry, row - 1).next_free;
    else
      g_array_set_size (w->retry, row = w->retry->len + 1); /* zeroed */
    Retry *r = &g_array_index (w->retry, Retry, row - 1);

    *r = (Retry){ .req = *req, .due = SIM_NEVER, .stamp = r->stamp + 1 };
    g_hash_table_insert (w->retry_rows, g_memdup2 (req, sizeof *req), GUINT_TO_POINTER (row));
  }
  return &g_array_index (w->retry, Retry, row - 1);
}

/* A request that has neither failed since it was last forgotten nor waits is like any other: its row is free for another one. */
static void
release_retry (SimWorld *w, Retry *r)
{
  if (r->failures > 0 || r->due != SIM_NEVER)
    return;
  g_hash_table_remove (w->retry_rows, &r->req);
  r->next_free = w->free_retry;
  w->free_retry = (guint32) (r - &g_array_index (w->retry, Retry, 0)) + 1;
}

static void
forget (SimWorld *w, const SimRequest *req)
{
  Retry *r = retry_of (w, req, FALSE);

  if (r == NULL)
    return;
  r->failures = 0; /* what waits goes on waiting */
  release_retry (w, r);
}

static void
fail (SimWorld *w, const SimRequest *req)
{
  Retry *r = retry_of (w, req, TRUE);

  if (r->failures >= RETRY_LIMIT) {
    sim_record_event (w, "Job", w->job[req->job].ns, w->job[req->job].name, "retry limit reached", "");
    sim_job_execute (w, req->job, SIM_ACTION_TERMINATE_JOB, req);
    return;
  }
  SimTime delay = MIN (RETRY_FIRST << r->failures, RETRY_LONGEST), due = sim_time_after (w->now, delay);

  r->failures++;
  if (r->due <= due)
    return;
  r->due = due;
  r->stamp++;
  sim_event_queue_post (w->events, due, SIM_RANK_TIMER, SIM_EVENT_JOB_RETRY,
                        GPOINTER_TO_UINT (g_hash_table_lookup (w->retry_rows, req)) - 1, r->stamp);
}

/* ---- acting --------------------------------------------------------------------------------- */

static void
act (SimWorld *w, const SimRequest *req, SimJobAction action, gboolean timer)
{
  hold (w, req->job);
  gboolean good = sim_job_execute (w, req->job, action, req);

  if (!good) {
    sim_step (w, req->job, "job-controller", "handleJobError", "the request is tried again");
    fail (w, req);
  }
  if (good || timer)
    forget (w, req);
  if (timer || (good && !sim_job_action_is_internal (action)))
    sim_delayed_cleanup (w, req, action);
  release (w, req->job);
  if (sim_job_phase_is_final ((SimJobPhase) w->job[req->job].phase))
    sim_job_settle (w, req->job);
}

static void
handle (SimWorld *w, const SimRequest *req)
{
  SimJob *j = &w->job[req->job];
  guint32 *marks = marks_of (w, req);

  if (marks != NULL)
    *marks &= ~mark_of (req);
  j->n_requests--;
  sim_delayed_note (w, req);
  if (!j->exists) {
    forget (w, req); /* nobody asks for it again */
    sim_job_settle (w, req->job);
    return;
  }
  if (j->kube != NULL) {
    hold (w, req->job);
    sim_kind_sync (w, req->job);
    release (w, req->job);
    return;
  }
  const SimTaskSpec *task = req->role != SIM_NONE ? w->role[req->role].spec : NULL;
  SimReaction reaction = sim_job_policy_apply (j->spec != NULL ? &j->spec->policies : NULL, task != NULL ? &task->policies : NULL,
                                               req, j->version, TRUE); /* a name is never used for a second job */

  sim_step (w, req->job, "job-controller", "processNextReq", "event %s; action %s%s", vc_step_text (sim_cause_names[req->cause]),
            sim_job_action_names[reaction.action], reaction.delay > 0 ? "; delayed" : "");
  if (reaction.delay > 0)
    sim_delayed_add (w, req, &reaction);
  else
    act (w, req, reaction.action, FALSE);
}

gboolean
sim_jobs_timer (SimWorld *w, const SimEvent *ev)
{
  SimRequest req;
  SimJobAction action;

  if (sim_event_kind (ev) == SIM_EVENT_JOB_DELAYED) {
    if (!sim_delayed_fire (w, ev, &req, &action))
      return FALSE;
    if (w->job[req.job].exists)
      act (w, &req, action, TRUE);
    return TRUE;
  }
  Retry *r = &g_array_index (w->retry, Retry, ev->subject);

  if (r->stamp != ev->stamp || r->due == SIM_NEVER)
    return FALSE;
  req = r->req;
  r->due = SIM_NEVER;
  if (!w->job[req.job].exists)
    r->failures = 0; /* it comes to nothing, and nobody asks for it again */
  release_retry (w, r);
  add (w, &req);
  return TRUE;
}

void
sim_jobs_settle (SimWorld *w)
{
  while (w->n_requests > 0 && w->request_due[w->request_head] <= w->now) {
    SimRequest req = w->request[w->request_head];

    w->request_head = (w->request_head + 1) % w->cap_requests;
    w->n_requests--;
    handle (w, &req);
  }
}
