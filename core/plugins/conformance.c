/* core/plugins/conformance.c - system-critical pods are never evicted.
 *
 * Policy: a candidate whose priority class is system-cluster-critical or system-node-critical, or whose namespace is kube-system, is
 * taken off every list of victims; the others stay, in order. No arguments, no state.
 *
 * Example: candidates kube-system/dns-0, ns1/a-0, ns1/b-0 where b-0 has the class system-node-critical: only ns1/a-0 is left.
 *
 * Mirrors pkg/scheduler/plugins/conformance/conformance.go. */
#include "plugins.h"

static VcVote
conformance_victims (gpointer self, VcSession *ssn, guint32 evictor, const guint32 *candidates, guint n, guint32 *out, guint *n_out)
{
  const VcCluster *c = vc_session_cluster (ssn);
  guint kept = 0;

  for (guint i = 0; i < n; i++)
    if (!vc_task (c, candidates[i])->critical)
      out[kept++] = candidates[i];
  *n_out = kept;
  return VC_PERMIT;
}

static void
conformance_session_open (gpointer self, VcSession *ssn)
{
  vc_session_add_victims (ssn, VC_HOOK_PREEMPTABLE, conformance_victims);
  vc_session_add_victims_of (ssn, VC_HOOK_RECLAIMABLE, conformance_victims, VC_READS_QUEUE);
  vc_session_add_victims (ssn, VC_HOOK_UNIFIED_EVICTABLE, conformance_victims);
}

const VcPluginClass vc_plugin_conformance = {
  .name = "conformance",
  .summary = VC_CONFORMANCE_SUMMARY,
  .session_open = conformance_session_open,
};
