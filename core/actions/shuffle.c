/* shuffle - evict running tasks that a plugin (rescheduling, tdm, pdb) names, so that they are placed anew.
 *
 * Mirrors pkg/scheduler/actions/shuffle/shuffle.go; every victim is evicted with the accounting of a normal eviction (upstream can panic there when tdm
 * names the victims, findings U8, V8, W3). */
#include "actions.h"

const VcArgSpec vc_shuffle_args[] = { { NULL, VC_ARG_ANY, NULL } };

static void
shuffle (VcSession *ssn)
{
  VcCluster *c = ssn->cluster;
  g_autoptr (GArray) running = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) victims = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint i = 0; i < ssn->n_jobs; i++) {
    const VcJob *j = &c->job[ssn->jobs[i]];
    for (guint32 t = 0; t < j->n_tasks && j->count[VC_RUNNING] > 0; t++)
      if (c->task[j->task[t]].status == VC_RUNNING)
        g_array_append_val (running, j->task[t]);
  }
  vc_session_victim_tasks (ssn, (const guint32 *) (gpointer) running->data, running->len, victims);
  for (guint i = 0; i < victims->len; i++)
    vc_session_evict (ssn, g_array_index (victims, guint32, i), "shuffle");
}

const VcActionClass vc_action_shuffle = {
  .name = "shuffle",
  .summary = "evict running tasks that plugins select for rescheduling",
  .args = vc_shuffle_args,
  .run = shuffle,
};
