/* reports/timing.c - timing.json: real time and memory. Nothing that a result needs stands here,
 * and nothing of this kind stands anywhere else. */
#include "reports/summary.h"
#include "reports/json.h"

#include <math.h>

static double
rate (double n, double seconds)
{
  return seconds > 0 ? n / seconds : (double) NAN;
}

char *
rp_timing_json (const RpTiming *t, gint64 end, gsize *length)
{
  const double simulated = (double) end / G_USEC_PER_SEC;
  RpJson j;

  rp_json_init (&j);
  rp_json_double (&j, "wall_s", t->wall_seconds);
  rp_json_uint (&j, "cycles", t->cycles);
  rp_json_uint (&j, "cycles_skipped", t->cycles_skipped);
  rp_json_uint (&j, "events", t->events);
  rp_json_uint (&j, "binds", t->binds);
  rp_json_double (&j, "cycles_per_s", rate ((double) t->cycles, t->wall_seconds));
  rp_json_double (&j, "binds_per_s", rate ((double) t->binds, t->wall_seconds));
  rp_json_double (&j, "simulated_s", simulated);
  rp_json_double (&j, "simulated_s_per_s", rate (simulated, t->wall_seconds));
  rp_json_double (&j, "open_s", t->open_seconds);
  rp_json_double (&j, "close_s", t->close_seconds);
  rp_json_begin_object (&j, "action_s");
  for (guint i = 0; i < t->n_actions; i++)
    rp_json_double (&j, t->action[i], t->action_seconds[i]);
  rp_json_end_object (&j);
  rp_json_uint (&j, "peak_memory_bytes", t->peak_memory_bytes);
  return rp_json_finish (&j, length);
}
