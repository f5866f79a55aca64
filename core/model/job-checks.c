/* Gang checks per role and the two resource figures of a job that admission uses. Mirrors pkg/scheduler/api/job_info.go
 * and GetInqueueResource of pkg/scheduler/plugins/util/util.go. */
#include "cluster-ops.h"

static guint32
role_allocated (const VcRole *r)
{
  return r->count[VC_BOUND] + r->count[VC_BINDING] + r->count[VC_RUNNING] + r->count[VC_ALLOCATED] + r->count[VC_SUCCEEDED];
}

gboolean
vc_job_roles_valid (const VcJob *j)
{
  if (j->min_available < j->role_min_total)
    return TRUE;
  for (guint i = 0; i < j->n_roles; i++) {
    const VcRole *r = &j->role[i];
    if (r->min > 0 && role_allocated (r) + r->count[VC_PIPELINED] + r->count[VC_PENDING] < (guint32) r->min)
      return FALSE;
  }
  return TRUE;
}

gboolean
vc_job_roles_ready (const VcJob *j)
{
  if (j->min_available < j->role_min_total)
    return TRUE;
  for (guint i = 0; i < j->n_roles; i++) {
    const VcRole *r = &j->role[i];
    if (r->min > 0 && role_allocated (r) + r->pending_empty < (guint32) r->min)
      return FALSE;
  }
  return TRUE;
}

gboolean
vc_job_roles_pipelined (const VcJob *j)
{
  if (j->min_available < j->role_min_total)
    return TRUE;
  for (guint i = 0; i < j->n_roles; i++) {
    const VcRole *r = &j->role[i];
    if (r->min > 0 && role_allocated (r) + r->pending_empty + r->count[VC_PIPELINED] < (guint32) r->min)
      return FALSE;
  }
  return TRUE;
}

gboolean
vc_job_roles_starving (const VcJob *j)
{
  if (j->min_available < j->role_min_total)
    return TRUE;
  for (guint i = 0; i < j->n_roles; i++) {
    const VcRole *r = &j->role[i];
    if (r->min > 0 && role_allocated (r) + r->count[VC_PIPELINED] < (guint32) r->min)
      return TRUE;
  }
  return FALSE;
}

void
vc_job_inqueue_resource (const VcJob *j, VcRes *out)
{
  vc_res_clear (out);
  if (!j->has_min_resources)
    return;
  for (guint64 left = j->min_names; left != 0; left &= left - 1) {
    guint d = (guint) __builtin_ctzll (left);
    double rest = j->min_resources->v[d] - j->allocated->v[d];

    if (d < VC_RES_FIRST_SCALAR)
      out->v[d] = MAX (rest, 0);
    else if (rest > 0)
      vc_res_set (out, d, rest);
  }
}

void
vc_job_deduct_gated (const VcJob *j, const VcResNames *names, VcRes *inout)
{
  if (j->n_gated == 0 || vc_res_is_empty (j->gated, names))
    return;
  for (guint d = 0; d < inout->n; d++)
    if (d < VC_RES_FIRST_SCALAR || (vc_res_has (inout, d) && vc_res_has (j->gated, d)))
      inout->v[d] = MAX (inout->v[d] - j->gated->v[d], 0);
}
