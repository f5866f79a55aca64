#include "work.h"
#include "chance.h"
#include "node-load.h"
#include "workloads/text/parse.h"

#define CRASHED 1 /* exit code of a container in a crash loop */

enum { RUN_AS_SCHEDULED, RUN_FAILS, RUN_CRASHES }; /* SimPod.fate */

static SimSlot *
slot_of (SimWorld *w, const SimPod *p)
{
  SimRole *r = &w->role[p->role];

  return r->slot != NULL && p->index < r->n_slots ? &r->slot[p->index] : NULL;
}

/* ---- how long ------------------------------------------------------------------------------- */

/* A factor above 0: the pod's own bad luck and that of its node. */
static double
slowdown_of (SimWorld *w, guint32 pod)
{
  const SimModel *m = w->model;
  const SimPod *p = &w->pod[pod];
  double factor = 1;
  VcRandom r;

  if (sim_pod_happens (w, pod, m->straggler, "straggler", 0)) {
    sim_pod_random (w, pod, "slowdown", 0, &r);
    factor = wl_distribution_draw (&m->slowdown, &r);
  }
  if (m->straggler_node > 0) {
    vc_random_init (&r, m->seed, "straggler-node", w->node[p->node].name, 0);
    if (vc_random_unit (&r) < m->straggler_node)
      factor *= wl_distribution_draw (&m->slowdown, &r);
  }
  return CLAMP (factor, 0.001, 1e6);
}

static SimTime
stretch (SimTime work, double factor)
{
  double t = (double) work * factor + 0.5;

  return work == SIM_NEVER || t >= (double) WL_TIME_MAX ? SIM_NEVER : (SimTime) t;
}

/* When the run fails, SIM_NEVER: it does not. */
static SimTime
failure_after (SimWorld *w, guint32 pod, SimTime length)
{
  const SimModel *m = w->model;
  const SimPod *p = &w->pod[pod];
  const WlBehaviour *b = w->role[p->role].behaviour;
  gboolean own = b != NULL && b->has_time_to_failure;
  gboolean timed = own || m->has_time_to_failure;
  double rate = b != NULL && b->failure >= 0 ? b->failure : m->failure >= 0 ? m->failure : timed ? 1 : 0;
  VcRandom r;

  if (!sim_pod_happens (w, pod, rate, "failure", p->restarts))
    return SIM_NEVER;
  if (timed) {
    SimTime at = sim_pod_draw (w, pod, own ? &b->time_to_failure : &m->time_to_failure, "time-to-failure", p->restarts);

    return at < length ? at : SIM_NEVER;
  }
  if (length == SIM_NEVER)
    return SIM_NEVER; /* a share of for ever */
  sim_pod_random (w, pod, "time-to-failure", p->restarts, &r);
  return (SimTime) (vc_random_unit (&r) * (double) length);
}

static SimTime
checkpoint_of (const SimWorld *w, const SimPod *p)
{
  const WlBehaviour *b = w->role[p->role].behaviour;

  return b != NULL && b->checkpoint != WL_TIME_NONE ? b->checkpoint : w->model->checkpoint;
}

/* What of a run is lost although it was saved: reading the checkpoint, warming up. */
static SimTime
restart_cost_of (const SimWorld *w, const SimPod *p)
{
  const WlBehaviour *b = w->role[p->role].behaviour;

  return b != NULL ? b->restart_cost : 0;
}

SimTime
sim_work_begin (SimWorld *w, guint32 pod)
{
  const SimModel *m = w->model;
  SimPod *p = &w->pod[pod];
  const SimSlot *slot = slot_of (w, p);
  SimTime work = sim_schedule_at (w->role[p->role].duration, p->index, p->attempt + p->restarts);

  if (slot != NULL && slot->saved > 0 && work != SIM_NEVER)
    work = MAX (work - slot->saved, 0);
  p->slowdown = slowdown_of (w, pod);
  p->length = stretch (work, p->slowdown);
  p->fate = RUN_AS_SCHEDULED;
  SimTime fails = failure_after (w, pod, p->length);

  if (fails < p->length) {
    p->length = fails;
    p->fate = RUN_FAILS;
  }
  if (sim_pod_happens (w, pod, m->crash_loop, "crash-loop", 0)) {
    p->length = MIN (p->length, sim_pod_draw (w, pod, &m->crash_after, "crash-after", p->restarts));
    p->fate = RUN_CRASHES;
  }
  p->run_start = w->now;
  p->runs = TRUE;
  if (p->counted_from == SIM_NO_TIME)
    p->counted_from = w->now;
  sim_node_load_add (w, pod, 1);
  return p->length;
}

/* ---- the end -------------------------------------------------------------------------------- */

void
sim_work_end (SimWorld *w, guint32 pod, gboolean cut)
{
  SimPod *p = &w->pod[pod];
  SimSlot *slot = slot_of (w, p);
  SimTime period = checkpoint_of (w, p), ran = w->now - p->run_start, kept = 0;

  if (!p->runs)
    return;
  p->runs = FALSE;
  sim_node_load_add (w, pod, -1);
  if (!cut) {
    if (slot != NULL)
      slot->saved = 0;
    return;
  }
  if (period > 0 && slot != NULL) {
    kept = MAX (MIN (ran, p->length) - restart_cost_of (w, p), 0) / period * period; /* the end of a run may be heard of late */
    slot->saved += (SimTime) ((double) kept / p->slowdown);
  }
  p->kept += kept;
  p->lost_work += ran - kept;
}

gboolean
sim_work_is_cut (const SimWorld *w, guint32 pod)
{
  return w->pod[pod].fate != RUN_AS_SCHEDULED;
}

gint32
sim_work_exit_code (const SimWorld *w, guint32 pod)
{
  const SimPod *p = &w->pod[pod];

  if (p->fate == RUN_AS_SCHEDULED)
    return (gint32) sim_schedule_at (w->role[p->role].exit_code, p->index, p->attempt + p->restarts);
  return p->fate == RUN_CRASHES ? CRASHED : (gint32) w->model->failure_code;
}
