/* core/plugins/sla.c - jobs that have waited longer than agreed go first and get in.
 *
 * Policy: a job's waiting time W is its annotation volcano.sh/sla-waiting-time, else sla-waiting-time, else the argument; a value that is
 * no positive duration counts as none. Jobs with a W go before those without, the earlier creation + W first. From creation + W on the
 * job is admitted and counts as pipelined, so that what it has been given stays reserved; before, sla has no opinion. As a
 * permit ends the vote after its tier, sla must sit in an earlier tier than the plugins that it is to overrule.
 *
 * Example: argument 3m; job a has no annotation, job b says 1h, both created together: a goes first, and after 3 minutes it is let in
 * whatever later tiers say.
 *
 * Mirrors pkg/scheduler/plugins/sla/sla.go. */
#include "core/base/go-duration.h"
#include "plugins.h"

#define NS_PER_SECOND G_GINT64_CONSTANT (1000000000)

const VcArgSpec vc_sla_args[] = {
  { "sla-waiting-time", VC_ARG_STRING, "waiting time of jobs without an annotation, a duration such as 1h30m (default: none)" },
  { NULL, VC_ARG_ANY, NULL },
};

typedef struct {
  gint64 waiting_ns; /* 0: none */
} Sla;

static gboolean
sla_init (gpointer self, const VcPluginOption *option, gboolean lenient, GError **error)
{
  Sla *sla = self;
  const char *text = vc_args_get_string (&option->args, "sla-waiting-time", "");
  gint64 ns;

  if (vc_go_duration_parse (text, &ns) && ns > 0)
    sla->waiting_ns = ns;
  return TRUE;
}

static inline gint64
waiting_time (const Sla *sla, const VcJob *j)
{
  return j->waiting_time_ns > 0 ? j->waiting_time_ns : sla->waiting_ns;
}

static int
sla_job_order (gpointer self, VcSession *ssn, guint32 l, guint32 r)
{
  const VcCluster *c = vc_session_cluster (ssn);
  const VcJob *a = vc_job (c, l), *b = vc_job (c, r);
  gint64 wa = waiting_time (self, a), wb = waiting_time (self, b);

  if (wa == 0 || wb == 0)
    return (wa == 0) - (wb == 0);
  gint64 sa = a->created + wa / NS_PER_SECOND, sb = b->created + wb / NS_PER_SECOND;
  if (sa != sb)
    return sa < sb ? -1 : 1;
  wa %= NS_PER_SECOND;
  wb %= NS_PER_SECOND;
  return (wa > wb) - (wa < wb);
}

/* The deadline in nanoseconds; one that 64 bits do not hold is left to the comparison. */
static gboolean
sla_job_key (gpointer self, VcSession *ssn, guint32 job, gint64 *key)
{
  const VcJob *j = vc_job (vc_session_cluster (ssn), job);
  gint64 w = waiting_time (self, j), second;

  *key = G_MAXINT64;
  return w == 0 || (!__builtin_mul_overflow (j->created, NS_PER_SECOND, &second) && !__builtin_add_overflow (second, w, key) && *key < G_MAXINT64);
}

static VcVote
sla_vote (gpointer self, VcSession *ssn, guint32 job)
{
  const VcJob *j = vc_job (vc_session_cluster (ssn), job);
  gint64 w = waiting_time (self, j);
  gint64 waited_us = vc_session_now (ssn) - j->created * G_USEC_PER_SEC;

  if (w == 0)
    return VC_ABSTAIN;
  gint64 waited = waited_us > G_MAXINT64 / 1000 ? G_MAXINT64 : waited_us * 1000;
  return waited < w ? VC_ABSTAIN : VC_PERMIT;
}

/* Time changes the plugin's opinion of a job once: at the first whole microsecond at which it has waited long enough. Then there is to be a cycle, so
 * that those without events in between can be left out. */
static void
ask_for_cycles (const Sla *sla, VcSession *ssn)
{
  const VcCluster *c = vc_session_cluster (ssn);
  guint n;
  const guint32 *jobs = vc_session_jobs (ssn, &n);

  for (guint i = 0; i < n; i++) {
    const VcJob *j = vc_job (c, jobs[i]);
    const gint64 w = waiting_time (sla, j);

    if (w > 0)
      vc_session_wake_at (ssn, j->created * G_USEC_PER_SEC + w / 1000 + (w % 1000 > 0));
  }
}

static void
sla_session_open (gpointer self, VcSession *ssn)
{
  ask_for_cycles (self, ssn);
  vc_session_add_job_order (ssn, sla_job_order, sla_job_key);
  vc_session_add_job_vote (ssn, VC_HOOK_JOB_ENQUEUEABLE, sla_vote);
  vc_session_add_job_vote (ssn, VC_HOOK_JOB_PIPELINED, sla_vote);
}

const VcPluginClass vc_plugin_sla = {
  .name = "sla",
  .summary = VC_SLA_SUMMARY,
  .args = vc_sla_args,
  .instance_size = sizeof (Sla),
  .init = sla_init,
  .session_open = sla_session_open,
};
