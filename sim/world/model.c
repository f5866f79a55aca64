/* sim/world/model.c - the cluster in which nothing goes wrong, to start from. */
#include "model.h"

void
sim_model_init (SimModel *m)
{
  *m = (SimModel){ .bind_batch = 1, .stuck_for_ever = TRUE, .crash_after = { .kind = WL_CONSTANT, .a = 10 * SIM_SECOND },
                   .failure = -1,
                   .failure_code = 1,
                   .slowdown = { .kind = WL_CONSTANT, .a = 2 },
                   .usage = 1,
                   .node_monitor_grace = 50 * SIM_SECOND,
                   .unreachable_toleration = 300 * SIM_SECOND };
}

void
sim_model_clear (SimModel *m)
{
  WlDistribution *const all[] = { &m->bind_latency, &m->start_delay, &m->start_stuck_time, &m->crash_after, &m->pre_stop, &m->termination,
                                  &m->time_to_failure, &m->slowdown, &m->provision_latency };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    wl_distribution_clear (all[i]);
}
