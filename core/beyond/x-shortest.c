/* x-srtf, x-srsf - job order by the running time that is left, which no cluster knows but a simulation does.
 *
 * Policy: shortest remaining time first; shortest remaining service first, where service is time × devices. Jobs that run for ever come last.
 * Example: 100 s left on 8 GPUs come before 300 s on 1 by time, behind them by service (800 against 300).
 *
 * Not Volcano's. */
#include "beyond.h"

const VcArgSpec vc_x_srtf_args[] = { { NULL, VC_ARG_ANY, NULL } };
const VcArgSpec vc_x_srsf_args[] = {
  { "x-srsf.resource", VC_ARG_STRING, "what service is counted in (default nvidia.com/gpu)" },
  { NULL, VC_ARG_ANY, NULL },
};

typedef struct {
  gboolean service;
  char *resource;
  double *left;   /* by job row, of this session */
  guint32 cap;
} Shortest;

static gboolean
srtf_init (gpointer self, const VcPluginOption *option, gboolean lenient, GError **error)
{
  return TRUE;
}

static gboolean
srsf_init (gpointer self, const VcPluginOption *option, gboolean lenient, GError **error)
{
  Shortest *s = self;

  s->service = TRUE;
  s->resource = g_strdup (vc_args_get_string (&option->args, "x-srsf.resource", "nvidia.com/gpu"));
  return TRUE;
}

static void
shortest_clear (gpointer self)
{
  Shortest *s = self;

  g_free (s->resource);
  g_free (s->left);
}

static int
shortest_order (gpointer self, VcSession *ssn, guint32 l, guint32 r)
{
  const Shortest *s = self;

  return s->left[l] < s->left[r] ? -1 : s->left[l] > s->left[r];
}

static gboolean
shortest_key (gpointer self, VcSession *ssn, guint32 job, gint64 *key)
{
  *key = vc_job_key_of (((const Shortest *) self)->left[job]);
  return TRUE;
}

static void
shortest_session_open (gpointer self, VcSession *ssn)
{
  Shortest *s = self;
  const VcCluster *c = vc_session_cluster (ssn);
  guint n;
  const guint32 *jobs = vc_session_jobs (ssn, &n);

  if (s->cap < c->n_jobs) {
    s->cap = c->cap_jobs;
    s->left = g_renew (double, s->left, s->cap);
  }
  for (guint i = 0; i < n; i++) {
    VcProgress p;

    vc_session_progress (ssn, jobs[i], &p);
    s->left[jobs[i]] = p.left < 0 ? G_MAXDOUBLE : (double) p.left * (s->service ? vc_beyond_devices (ssn, jobs[i], s->resource) : 1);
  }
  vc_session_add_job_order (ssn, shortest_order, shortest_key);
}

const VcPluginClass vc_plugin_x_srtf = {
  .name = "x-srtf",
  .summary = VC_X_SRTF_SUMMARY,
  .args = vc_x_srtf_args,
  .instance_size = sizeof (Shortest),
  .init = srtf_init,
  .session_open = shortest_session_open,
  .clear = shortest_clear,
};

const VcPluginClass vc_plugin_x_srsf = {
  .name = "x-srsf",
  .summary = VC_X_SRSF_SUMMARY,
  .args = vc_x_srsf_args,
  .instance_size = sizeof (Shortest),
  .init = srsf_init,
  .session_open = shortest_session_open,
  .clear = shortest_clear,
};
