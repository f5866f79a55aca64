#include "chance.h"

void
sim_pod_random (SimWorld *w, guint32 pod, const char *purpose, guint32 turn, VcRandom *out)
{
  const SimPod *p = &w->pod[pod];
  g_autofree char *subject = g_strconcat (w->job[p->job].ns, "/", sim_pod_name (w, pod), NULL);

  vc_random_init (out, w->model->seed, purpose, subject, (guint64) p->attempt << 32 | turn);
}

gboolean
sim_pod_happens (SimWorld *w, guint32 pod, double rate, const char *purpose, guint32 turn)
{
  VcRandom r;

  if (rate <= 0 || rate >= 1)
    return rate >= 1;
  sim_pod_random (w, pod, purpose, turn, &r);
  return vc_random_unit (&r) < rate;
}

SimTime
sim_pod_draw (SimWorld *w, guint32 pod, const WlDistribution *d, const char *purpose, guint32 turn)
{
  VcRandom r = { 0 };

  if (!wl_distribution_is_constant (d))
    sim_pod_random (w, pod, purpose, turn, &r);
  return wl_distribution_draw_time (d, &r);
}
