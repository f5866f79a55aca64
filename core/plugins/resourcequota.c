/* core/plugins/resourcequota.c - jobs are admitted within the ResourceQuotas of their namespace.
 *
 * Policy: for every quota of the namespace and every name that minResources and its hard limits have in common (names as written: `cpu`,
 * `requests.cpu`, `pods`, `count/pods`): used + what the jobs admitted in this session ask for + min <= hard, in exact quantities.
 * A name that is over its limit already bars a job only if the job asks for it, be it for nothing. Jobs without minResources and namespaces
 * without quotas are not held up. Scopes are not looked at.
 *
 * Example (hard 2 cpu/2G, used nothing): a job of 2 cpu/2G comes in, a second one of 1 cpu in the same session does not (2 + 1 > 2).
 *
 * Mirrors pkg/scheduler/plugins/resourcequota/resourcequota.go. */
#include "plugins.h"
#include "core/model/quota.h"
#include <string.h>

/* What jobs admitted in this session have asked for. */
typedef struct {
  const char *ns;   /* interned */
  const char *name; /* of a resource; in a list of the cluster */
  VcQuantity sum;
} Pending;

typedef struct {
  GArray *pending; /* Pending: as many as the session admits different names, few */
} ResourceQuota;

static gint64
sum (gint64 a, gint64 b)
{
  gint64 s;

  return __builtin_add_overflow (a, b, &s) ? (a > 0 ? G_MAXINT64 : G_MININT64) : s;
}

static VcQuantity
plus (VcQuantity a, VcQuantity b)
{
  return (VcQuantity) { sum (a.value, b.value), sum (a.milli, b.milli) };
}

/* By thousandths, by whole units beyond what 64 bits hold of these. */
static gboolean
less_equal (VcQuantity a, VcQuantity b)
{
  return a.milli == G_MAXINT64 || b.milli == G_MAXINT64 ? a.value <= b.value : a.milli <= b.milli;
}

static Pending *
find_pending (const ResourceQuota *rq, const char *ns, const char *name)
{
  for (guint i = 0; i < rq->pending->len; i++) {
    Pending *p = &g_array_index (rq->pending, Pending, i);
    if (p->ns == ns && strcmp (p->name, name) == 0)
      return p;
  }
  return NULL;
}

static gboolean
fits (const ResourceQuota *rq, const VcQuota *quota, const VcAmounts *want)
{
  for (guint i = 0; i < want->n; i++) {
    const char *name = want->item[i].name;
    const VcAmount *hard = vc_amounts_get (&quota->hard, name), *used = vc_amounts_get (&quota->used, name);
    const Pending *pending = find_pending (rq, quota->ns, name);
    VcQuantity total = want->item[i].q;

    if (hard == NULL)
      continue;
    if (used != NULL)
      total = plus (total, used->q);
    if (pending != NULL)
      total = plus (total, pending->sum);
    if (!less_equal (total, hard->q))
      return FALSE;
  }
  return TRUE;
}

static VcVote
resourcequota_job_enqueueable (gpointer self, VcSession *ssn, guint32 job)
{
  const VcCluster *c = vc_session_cluster (ssn);
  const VcJob *j = vc_job (c, job);

  if (j->min_list == NULL || c->quotas == NULL)
    return VC_PERMIT;
  for (guint i = 0; i < c->quotas->len; i++) {
    const VcQuota *quota = c->quotas->pdata[i];

    if (quota->ns != j->ns || fits (self, quota, j->min_list))
      continue;
    vc_session_log (ssn, 4, "resourcequota: job %s stays out, resource quota %s insufficient", j->key, quota->name);
    return VC_REJECT;
  }
  return VC_PERMIT;
}

static gboolean
has_quota (const VcCluster *c, const char *ns)
{
  for (guint i = 0; c->quotas != NULL && i < c->quotas->len; i++)
    if (((const VcQuota *) c->quotas->pdata[i])->ns == ns)
      return TRUE;
  return FALSE;
}

static void
resourcequota_job_enqueued (gpointer self, VcSession *ssn, guint32 job)
{
  ResourceQuota *rq = self;
  const VcCluster *c = vc_session_cluster (ssn);
  const VcJob *j = vc_job (c, job);

  if (j->min_list == NULL || !has_quota (c, j->ns))
    return;
  for (guint i = 0; i < j->min_list->n; i++) {
    const VcAmount *a = &j->min_list->item[i];
    Pending *p = find_pending (rq, j->ns, a->name);

    if (p != NULL)
      p->sum = plus (p->sum, a->q);
    else
      g_array_append_val (rq->pending, ((Pending) { j->ns, a->name, a->q }));
  }
}

static void
resourcequota_session_open (gpointer self, VcSession *ssn)
{
  ResourceQuota *rq = self;

  if (rq->pending == NULL)
    rq->pending = g_array_new (FALSE, FALSE, sizeof (Pending));
  g_array_set_size (rq->pending, 0);
  vc_session_add_job_vote (ssn, VC_HOOK_JOB_ENQUEUEABLE, resourcequota_job_enqueueable);
  vc_session_add_job_enqueued (ssn, resourcequota_job_enqueued);
}

static void
resourcequota_clear (gpointer self)
{
  ResourceQuota *rq = self;

  g_clear_pointer (&rq->pending, g_array_unref);
}

const VcPluginClass vc_plugin_resourcequota = {
  .name = "resourcequota",
  .summary = VC_RESOURCEQUOTA_SUMMARY,
  .instance_size = sizeof (ResourceQuota),
  .session_open = resourcequota_session_open,
  .clear = resourcequota_clear,
};
