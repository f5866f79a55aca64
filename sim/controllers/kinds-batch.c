/* sim/controllers/kinds-batch.c - Jobs of batch/v1. Mirrors syncJob, manageJob, trackJobStatusAndRemoveFinalizers (kubernetes/pkg/controller/job/
 * job_controller.go) and backoff_utils.go. Events of pods reach the controller at once; its batching of them over a second is left out. */
#include "kinds.h"
#include "pod-removal.h"
#include "sim/world/kubelet.h"

#define BURST 500u
#define BACKOFF_FIRST (10 * SIM_SECOND)
#define BACKOFF_LONGEST (600 * SIM_SECOND)

/* ---- ends of pods ---------------------------------------------------------------------------- */

/* What the pods that ended since the last sync come to. */
typedef struct {
  gint64 succeeded, failed;
  SimTime success;   /* the latest, SIM_NO_TIME */
  GArray *failures;  /* SimTime of each, seconds */
} Ends;

/* When it is said to have ended, cut to the second: when its container did, else when it stopped being ready, else when it was deleted. */
static SimTime
end_of (const SimWorld *w, const SimPod *p)
{
  SimTime t = p->finished;

  if (p->phase != SIM_POD_SUCCEEDED && p->phase != SIM_POD_FAILED)
    t = p->node != SIM_NONE && w->node[p->node].unreachable ? w->node[p->node].told : p->evicted != SIM_NO_TIME ? p->evicted : w->now;
  return sim_time_seconds (t) * SIM_SECOND;
}

/* isPodFailed: also what is on its way out, unless that has to be gone first. */
static gboolean
has_failed (const SimJob *j, const SimPod *p)
{
  return p->phase == SIM_POD_FAILED || (p->deleting && p->phase != SIM_POD_SUCCEEDED && !j->kube->work->waits);
}

static void
count_success (SimBatch *b, const SimPod *p)
{
  if (b->done != NULL && !b->done[p->index]) {
    b->done[p->index] = 1;
    b->n_done++;
  }
}

void
sim_batch_pod_removed (SimWorld *w, guint32 pod)
{
  SimPod *p = &w->pod[pod];
  SimBatch *b = &w->job[p->job].kube->batch;

  if (p->counted)
    return;
  SimTime end = end_of (w, p);

  p->counted = TRUE;
  if (p->phase == SIM_POD_SUCCEEDED) {
    count_success (b, p);
    b->gone_succeeded++;
    b->gone_success = MAX (b->gone_success, end);
  } else {
    if (b->gone_failures == NULL)
      b->gone_failures = g_array_new (FALSE, FALSE, sizeof (SimTime));
    g_array_append_val (b->gone_failures, end);
  }
}

static void
find_ends (SimWorld *w, guint32 job, Ends *e)
{
  SimJob *j = &w->job[job];
  SimBatch *b = &j->kube->batch;

  *e = (Ends){ .succeeded = b->gone_succeeded, .success = b->gone_succeeded > 0 ? b->gone_success : SIM_NO_TIME };
  e->failures = b->gone_failures != NULL ? g_steal_pointer (&b->gone_failures) : g_array_new (FALSE, FALSE, sizeof (SimTime));
  b->gone_succeeded = 0;
  sim_job_pods (w, job);
  for (guint i = 0; i < w->rows->len; i++) {
    SimPod *p = &w->pod[g_array_index (w->rows, guint32, i)];

    if (p->counted || (p->phase != SIM_POD_SUCCEEDED && !has_failed (j, p)))
      continue;
    SimTime end = end_of (w, p);

    p->counted = TRUE;
    if (p->phase == SIM_POD_SUCCEEDED) {
      count_success (b, p);
      e->succeeded++;
      e->success = e->success == SIM_NO_TIME ? end : MAX (e->success, end);
    } else {
      g_array_append_val (e->failures, end);
    }
  }
  e->failed = e->failures->len;
}

/* newBackoffRecord: failures since the last success. */
static void
note_ends (SimBatch *b, const Ends *e)
{
  gint64 later = 0;
  SimTime last = SIM_NO_TIME;

  for (guint i = 0; i < e->failures->len; i++) {
    SimTime t = g_array_index (e->failures, SimTime, i);

    if (e->success != SIM_NO_TIME && t <= e->success)
      continue;
    later++;
    last = last == SIM_NO_TIME ? t : MAX (last, t);
  }
  if (e->succeeded > 0) {
    b->streak = later;
    b->last_failure = last;
  } else if (later > 0) {
    b->streak += later;
    b->last_failure = last;
  }
  b->succeeded += e->succeeded;
  b->failed += e->failed;
}

/* ---- what to do ------------------------------------------------------------------------------ */

static SimTime
back_off (const SimWorld *w, const SimBatch *b)
{
  SimTime delay = BACKOFF_FIRST;

  if (b->streak == 0)
    return 0;
  for (gint64 i = 1; i < b->streak && delay < BACKOFF_LONGEST; i++)
    delay = MIN (2 * delay, BACKOFF_LONGEST);
  return MAX (delay - (w->now - b->last_failure), 0);
}

/* Too many failures, or too late. */
static gboolean
is_lost (SimWorld *w, guint32 job)
{
  const SimJob *j = &w->job[job];
  const SimBatch *b = &j->kube->batch;
  const WlWorkload *work = j->kube->work;
  const SimRole *r = &w->role[j->first_role];

  if (b->failed > work->backoff_limit)
    return TRUE;
  if (r->spec->restarts_failed && (work->backoff_limit == 0 ? r->restarts > 0 : (gint64) r->restarts >= work->backoff_limit))
    return TRUE;
  return work->deadline >= 0 && w->now >= sim_time_after (b->started, (gint64) work->deadline * SIM_SECOND);
}

static void
delete_active (SimWorld *w, guint32 job, guint n)
{
  g_autoptr (GArray) pods = sim_active_pods (w, job);

  if (n < pods->len)
    sim_sort_for_removal (w, pods, FALSE);
  g_array_set_size (pods, MIN (n, pods->len));
  sim_pods_sort (w, pods);
  for (guint i = 0; i < pods->len; i++)
    sim_pod_delete (w, g_array_index (pods, guint32, i));
}

/* The lowest place for a pod of the lowest index from @*index on that neither has succeeded nor has a pod. FALSE: there is none. */
static gboolean
next_index (SimWorld *w, guint32 job, guint32 *index, guint32 *place)
{
  const SimJob *j = &w->job[job];
  SimRole *r = &w->role[j->first_role];
  guint32 n = (guint32) j->kube->work->completions;

  for (; *index < n; (*index)++) {
    gboolean free = !j->kube->batch.done[*index];
    guint32 at = SIM_NONE;

    for (guint32 i = *index; free && i < r->n_slots; i += n) {
      guint32 pod = r->slot[i].pod;

      if (pod == SIM_NONE)
        at = MIN (at, i);
      else
        free = !sim_pod_is_active (&w->pod[pod]) && (!w->pod[pod].deleting || !j->kube->work->waits);
    }
    if (!free)
      continue;
    if (at == SIM_NONE) {
      at = *index + (r->n_slots <= *index ? 0 : (r->n_slots - *index + n - 1) / n * n);
      sim_role_grow (r, at + 1);
    }
    *place = at;
    return TRUE;
  }
  return FALSE;
}

/* FALSE: a pod was refused. */
static gboolean
create (SimWorld *w, guint32 job, gint64 n)
{
  guint32 role = w->job[job].first_role, index = 0, place = 0;

  for (gint64 i = 0; i < MIN (n, BURST); i++) {
    if (!w->job[job].kube->work->indexed)
      place = sim_kind_free_place (w, role);
    else if (!next_index (w, job, &index, &place))
      return TRUE;
    if (!sim_kind_make_pod (w, role, place))
      return FALSE;
  }
  return TRUE;
}

/* manageJob. *@active becomes what it leaves. FALSE: a pod was refused. */
static gboolean
manage (SimWorld *w, guint32 job, gint64 succeeded, gint64 *active)
{
  const SimJob *j = &w->job[job];
  const WlWorkload *work = j->kube->work;
  gint64 parallelism = w->role[j->first_role].replicas, want = parallelism;

  if (work->completions < 0)
    want = succeeded > 0 ? *active : parallelism;
  else
    want = CLAMP (work->completions - succeeded, 0, parallelism);
  if (*active > want) {
    delete_active (w, job, (guint) MIN (*active - want, BURST));
    *active = want;
    return TRUE;
  }
  gint64 missing = want - *active - (work->waits ? (gint64) j->live.terminating : 0);

  if (missing <= 0)
    return TRUE;
  SimTime wait = back_off (w, &j->kube->batch);

  if (wait > 0) {
    sim_kind_look_again (w, job, MAX (wait, SIM_SECOND));
    return TRUE;
  }
  *active += missing;
  return create (w, job, missing);
}

gboolean
sim_batch_job_sync (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];
  SimBatch *b = &j->kube->batch;
  const WlWorkload *work = j->kube->work;
  gint64 active = j->live.pending + j->live.running;
  gboolean good = TRUE;
  Ends ends;

  if (sim_job_phase_is_final ((SimJobPhase) j->phase))
    return TRUE;
  if (b->started == SIM_NO_TIME) {
    b->started = sim_time_seconds (w->now) * SIM_SECOND;
    if (work->deadline >= 0)
      sim_event_queue_post (w->events, sim_time_after (w->now, (gint64) work->deadline * SIM_SECOND), SIM_RANK_TIMER, SIM_EVENT_JOB_WAKE, job, 0);
  }
  find_ends (w, job, &ends);
  note_ends (b, &ends);
  g_array_unref (ends.failures);
  if (b->verdict == SIM_JOB_NEW && is_lost (w, job))
    b->verdict = SIM_JOB_FAILED;
  if (b->verdict != SIM_JOB_NEW) {
    delete_active (w, job, (guint) active);
  } else {
    gint64 succeeded = b->done != NULL ? b->n_done : b->succeeded;

    good = manage (w, job, succeeded, &active);
    if (active == 0 && (work->completions < 0 ? succeeded > 0 : succeeded >= work->completions))
      b->verdict = SIM_JOB_COMPLETED;
  }
  if (b->verdict != SIM_JOB_NEW && j->live.pending + j->live.running + j->live.terminating == 0)
    sim_kind_enter (w, job, (SimJobPhase) b->verdict);
  return good;
}
