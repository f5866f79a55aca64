/* core/plugins/overcommit.c - admission up to a multiple of the cluster.
 *
 * Policy: the minimums of the jobs that are admitted must fit what the cluster would have free if it were `factor` times its size.
 *   idle    = total * factor - used
 *   inqueue = minResources of Inqueue jobs in full (what they have allocated already is not taken off), and of Running jobs with at least
 *             minMember allocated tasks what is missing to minResources; both without the requests of gated tasks
 *   admit   = for every resource that minResources asks for: inqueue + min <= idle (no tolerance; `pods` is not looked at)
 * A job without minResources is admitted. Every admitted job adds its minimum to inqueue.
 *
 * Example: nodes of 2 cpu/4 Gi and 4 cpu/16 Gi, factor 1.2, nothing used: idle 7.2 cpu/24 Gi. A job of 2 cpu/2 G fits behind two others of
 * 2 cpu (6 <= 7.2), a third one waits (8 > 7.2).
 *
 * Mirrors pkg/scheduler/plugins/overcommit/overcommit.go. */
#include "plugins.h"

#define DEFAULT_FACTOR 1.2

const VcArgSpec vc_overcommit_args[] = {
  { "overcommit-factor", VC_ARG_FLOAT, "multiple of the cluster's capacity (default 1.2; below 1 counts as 1.2)" },
  { NULL, VC_ARG_ANY, NULL },
};

typedef struct {
  double factor;
  VcRes *idle, *inqueue;
} Overcommit;

static gboolean
overcommit_init (gpointer self, const VcPluginOption *option, gboolean lenient, GError **error)
{
  Overcommit *oc = self;

  oc->factor = DEFAULT_FACTOR;
  vc_args_get_float (&option->args, "overcommit-factor", &oc->factor);
  if (oc->factor < 1.0)
    oc->factor = DEFAULT_FACTOR;
  return TRUE;
}

static VcVote
overcommit_job_enqueueable (gpointer self, VcSession *ssn, guint32 job)
{
  const Overcommit *oc = self;
  const VcCluster *c = vc_session_cluster (ssn);
  const VcJob *j = vc_job (c, job);

  if (!j->has_min_resources)
    return VC_PERMIT;
  VC_RES_LOCAL (sum, c->n_res);
  vc_res_add (sum, oc->inqueue);
  vc_res_add (sum, j->min_resources);
  if (vc_res_less_equal_dimension (sum, oc->idle, j->min_resources, c->names, NULL))
    return VC_PERMIT;
  if (vc_session_logs (ssn, 4))
    vc_session_log (ssn, 4, "overcommit: the cluster is overused, job %s stays out", j->key);
  return VC_REJECT;
}

static void
overcommit_job_enqueued (gpointer self, VcSession *ssn, guint32 job)
{
  const Overcommit *oc = self;
  const VcCluster *c = vc_session_cluster (ssn);
  const VcJob *j = vc_job (c, job);

  if (!j->has_min_resources)
    return;
  VC_RES_LOCAL (min, c->n_res);
  vc_res_copy (min, j->min_resources);
  vc_job_deduct_gated (j, c->names, min);
  vc_res_add (oc->inqueue, min);
}

static void
overcommit_session_open (gpointer self, VcSession *ssn)
{
  Overcommit *oc = self;
  const VcCluster *c = vc_session_cluster (ssn);
  guint n;
  const guint32 *jobs = vc_session_jobs (ssn, &n);
  VC_RES_LOCAL (part, c->n_res);

  if (oc->idle == NULL) {
    oc->idle = vc_res_new (c->n_res);
    oc->inqueue = vc_res_new (c->n_res);
  }
  vc_res_copy (oc->idle, vc_session_total (ssn));
  vc_res_scale (oc->idle, oc->factor);
  vc_res_sub_unchecked (oc->idle, c->used_total);
  vc_res_clear (oc->inqueue);
  for (guint i = 0; i < n; i++) {
    const VcJob *j = vc_job (c, jobs[i]);

    if (!j->has_min_resources)
      continue;
    if (j->phase == VC_PG_INQUEUE)
      vc_res_copy (part, j->min_resources);
    else if (j->phase == VC_PG_RUNNING && (gint64) vc_job_allocated_num (j) >= j->min_available)
      vc_job_inqueue_resource (j, part);
    else
      continue;
    vc_job_deduct_gated (j, c->names, part);
    vc_res_add (oc->inqueue, part);
  }
  vc_session_add_job_vote (ssn, VC_HOOK_JOB_ENQUEUEABLE, overcommit_job_enqueueable);
  vc_session_add_job_enqueued (ssn, overcommit_job_enqueued);
}

static void
overcommit_clear (gpointer self)
{
  Overcommit *oc = self;

  vc_res_free (oc->idle);
  vc_res_free (oc->inqueue);
}

const VcPluginClass vc_plugin_overcommit = {
  .name = "overcommit",
  .summary = VC_OVERCOMMIT_SUMMARY,
  .args = vc_overcommit_args,
  .instance_size = sizeof (Overcommit),
  .init = overcommit_init,
  .session_open = overcommit_session_open,
  .clear = overcommit_clear,
};
