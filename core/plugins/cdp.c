/* core/plugins/cdp.c - cool-down protection: a pod that has just been scheduled is left alone for a while.
 *
 * Policy: preempt and reclaim may not take a Running pod before (time of its condition PodScheduled) + (its cool-down). The cool-down is a
 * duration in the pod's label, else its annotation volcano.sh/cooldown-time; a pod without one, or with a bad one, has no protection.
 * The gang actions do not ask this plugin. No arguments.
 *
 * Example: cool-down 600s, scheduled 100 seconds ago: protected; 800 seconds ago: a victim.
 *
 * Mirrors pkg/scheduler/plugins/cdp/cdp.go. */
#include "core/base/go-duration.h"
#include "plugins.h"

#define COOLDOWN "volcano.sh/cooldown-time"

static gboolean
is_protected (const VcTask *t, gint64 now_us)
{
  const char *text = vc_pairs_get (&t->meta->labels, COOLDOWN);
  gint64 ns;

  if (text == NULL)
    text = vc_pairs_get (&t->meta->annotations, COOLDOWN);
  if (text == NULL || !vc_go_duration_parse (text, &ns))
    return FALSE;
  /* An eviction taken back makes a Bound task Running, but not its pod. */
  if (t->status != VC_RUNNING || t->was_bound || t->scheduled_time == VC_NO_TIME)
    return FALSE;
  gint64 passed_us = now_us - t->scheduled_time * G_USEC_PER_SEC;
  if (passed_us > G_MAXINT64 / 1000)
    return FALSE;
  return passed_us < G_MININT64 / 1000 || ns > passed_us * 1000;
}

static VcVote
cdp_victims (gpointer self, VcSession *ssn, guint32 evictor, const guint32 *candidates, guint n, guint32 *out, guint *n_out)
{
  const VcCluster *c = vc_session_cluster (ssn);
  guint kept = 0;

  for (guint i = 0; i < n; i++)
    if (!is_protected (vc_task (c, candidates[i]), vc_session_now (ssn)))
      out[kept++] = candidates[i];
  *n_out = kept;
  return VC_PERMIT;
}

static void
cdp_session_open (gpointer self, VcSession *ssn)
{
  vc_session_add_victims (ssn, VC_HOOK_PREEMPTABLE, cdp_victims);
  vc_session_add_victims_of (ssn, VC_HOOK_RECLAIMABLE, cdp_victims, VC_READS_QUEUE);
}

const VcPluginClass vc_plugin_cdp = {
  .name = "cdp",
  .summary = VC_CDP_SUMMARY,
  .session_open = cdp_session_open,
};
