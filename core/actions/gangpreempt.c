/* gangpreempt and gangreclaim - starving gangs take room as a whole.
 *
 * Policy: queues by queue order, their starving jobs by job order. Victims come in bundles: first what gangs can lose and stay whole, then
 * whole gangs; bundle after bundle is added until all pending tasks of the job fit, in one plan that is tried and taken back before it is
 * committed. gangpreempt looks at jobs of lower priority in its own queue, gangreclaim at running tasks of other, reclaimable queues.
 * Mirrors pkg/scheduler/actions/{gangpreempt,gangreclaim}. */
#include "gang-evict.h"

#define GANG_ARGS \
  { "maxDomains", VC_ARG_INT, "HyperNodes tried per job; there is one, the cluster, without a hard topology (default 8)" }, \
    { "allowWholeBundle", VC_ARG_BOOL, "permit victim bundles that break a gang (default true)" }, { NULL, VC_ARG_ANY, NULL }

const VcArgSpec vc_gangpreempt_args[] = { GANG_ARGS };
const VcArgSpec vc_gangreclaim_args[] = { GANG_ARGS };

/* allocate honours it in this session (NominatedHyperNode). */
static void
promise (VcSession *ssn, guint32 job, const GArray *promised)
{
  VcJob *j = &ssn->cluster->job[job];

  j->placed_session = ssn->number;
  for (guint i = 0; j->subs != NULL && i < promised->len; i++) {
    const VcGangPromise *p = &g_array_index (promised, VcGangPromise, i);
    vc_job_sub (j, p->sub)->nominated = p->hyper;
    vc_job_sub (j, p->sub)->nominated_session = ssn->number;
  }
}

static void
gang_evict (VcSession *ssn, VcGangRules rules)
{
  VcEngine *e = ssn->engine;
  VcCluster *c = ssn->cluster;
  g_autofree guint32 *jobs_of = g_new (guint32, c->n_queues + 1);
  g_autoptr (VcStatement) st = vc_statement_new (ssn);
  g_auto (VcHeap) queues = { 0 };
  g_autoptr (GArray) promised = g_array_new (FALSE, FALSE, sizeof (VcGangPromise));

  vc_gang_read_arguments (ssn, &rules);
  vc_evict_queues (ssn, &queues, jobs_of, NULL);
  while (!vc_heap_is_empty (&queues)) {
    guint32 queue = vc_heap_pop (&queues);

    if (rules.reclaim && vc_session_overused (ssn, queue))
      continue;
    while (jobs_of[queue] != VC_NONE && !vc_heap_is_empty (&e->heap[jobs_of[queue]])) {
      guint32 job = vc_heap_pop (&e->heap[jobs_of[queue]]);
      gboolean planned = vc_gang_evict (ssn, st, job, &rules, promised);
      if (vc_session_job_pipelined (ssn, job)) {
        vc_statement_commit (st);
        if (planned)
          promise (ssn, job, promised);
      } else {
        vc_statement_discard (st);
      }
    }
  }
}

static void
gangpreempt (VcSession *ssn)
{
  gang_evict (ssn, (VcGangRules) { .name = "gangpreempt" });
}

static void
gangreclaim (VcSession *ssn)
{
  gang_evict (ssn, (VcGangRules) { .name = "gangreclaim", .reclaim = TRUE });
}

const VcActionClass vc_action_gangpreempt = {
  .name = "gangpreempt",
  .summary = "starving gangs evict lower gangs of their own queue, bundle by bundle",
  .args = vc_gangpreempt_args,
  .run = gangpreempt,
};

const VcActionClass vc_action_gangreclaim = {
  .name = "gangreclaim",
  .summary = "starving gangs evict tasks of other queues, bundle by bundle",
  .args = vc_gangreclaim_args,
  .run = gangreclaim,
};
