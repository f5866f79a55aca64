/* x-restart - all jobs compete for the empty cluster whenever something happens.
 *
 * Policy: at an event (a job comes or ends, or a plugin asks for a cycle) every running pod gives way. When all are gone, jobs start in job order, each
 * pod on the first node that takes it; a gang that does not fit is passed over. What a job has done counts if its pods have a `checkpoint`, less the
 * `restart_cost`. So it is in simulators in which time advances by events and all that runs is placed anew at each (Tiresias, Muri).
 *
 * A pod that came to its node at this very instant stays, so that the cycles of one instant come to rest. Use it with period 0 and grace 0, and one of the
 * plugins x-srtf, x-srsf, x-2dlas for the order. Not Volcano's. */
#include "beyond.h"
#include "waiting.h"

const VcArgSpec vc_x_restart_args[] = { { NULL, VC_ARG_ANY, NULL } };

/* TRUE: some have to go first. */
static gboolean
give_way (VcSession *ssn)
{
  VcCluster *c = ssn->cluster;
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (guint32));
  gboolean some = FALSE;

  for (guint i = 0; i < ssn->n_jobs; i++) {
    const VcJob *j = &c->job[ssn->jobs[i]];
    VcProgress p;

    some |= j->count[VC_RELEASING] > 0;
    if (j->count[VC_RUNNING] == 0)
      continue;
    vc_session_progress (ssn, ssn->jobs[i], &p);
    if (p.started >= ssn->now)
      continue;
    for (guint32 t = 0; t < j->n_tasks; t++)
      if (c->task[j->task[t]].status == VC_RUNNING)
        g_array_append_val (rows, j->task[t]);
  }
  for (guint i = 0; i < rows->len; i++)
    some |= vc_session_evict (ssn, g_array_index (rows, guint32, i), "x-restart");
  return some;
}

static void
run_restart (VcSession *ssn)
{
  g_autoptr (GArray) waiting = vc_waiting_new (ssn);
  g_autoptr (VcStatement) st = vc_statement_new (ssn);
  VC_RES_LOCAL (free_sum, ssn->cluster->n_res);
  gboolean wait = give_way (ssn);
  VcWaiting x;

  for (guint i = 0; i < waiting->len; i++) /* nobody starts before all have their pods */
    wait |= vc_waiting_admit (ssn, &g_array_index (waiting, VcWaiting, i));
  if (wait)
    return;
  vc_waiting_free_sum (ssn, free_sum);
  while (vc_waiting_pop (ssn, waiting, &x)) {
    VC_RES_LOCAL (need, free_sum->n);

    vc_res_copy (need, vc_waiting_need (ssn, &x));
    if (!vc_waiting_fits (need, free_sum) || vc_waiting_start (ssn, st, &x) != VC_START_DONE)
      continue;
    for (guint d = 0; d < need->n; d++)
      free_sum->v[d] -= need->v[d];
  }
}

const VcActionClass vc_action_x_restart = { .name = "x-restart", .summary = VC_X_RESTART_SUMMARY, .args = vc_x_restart_args, .run = run_restart };
