/* reports/results/timing.c - timing.json: real time and memory. Nothing that a result needs stands here,
 * and nothing of this kind stands anywhere else. */
#include "summary.h"
#include "reports/json.h"

#include <math.h>
#include <sys/resource.h>

static double
seconds_of (struct timeval t)
{
  return (double) t.tv_sec + (double) t.tv_usec / 1e6;
}

/* Clocks count microseconds: no digits below that. */
static double
less (double now, double then)
{
  return round ((now - then) * 1e6) / 1e6;
}

RpTook
rp_took (const RpTook *since, gboolean children)
{
  const RpTook zero = { 0 }, *from = since != NULL ? since : &zero;
  struct rusage usage = { 0 };

  getrusage (children ? RUSAGE_CHILDREN : RUSAGE_THREAD, &usage);
  return (RpTook){ less ((double) g_get_monotonic_time () / 1e6, from->wall), less (seconds_of (usage.ru_utime), from->user), less (seconds_of (usage.ru_stime), from->system) };
}

static double
rate (double n, double seconds)
{
  return seconds > 0 ? n / seconds : (double) NAN;
}

char *
rp_timing_json (const RpTiming *t, const RpTook *charts, gint64 end, gsize *length)
{
  const double simulated = (double) end / G_USEC_PER_SEC;
  RpJson j;

  rp_json_init (&j);
  rp_json_double (&j, "wall_s", t->run.wall);
  rp_json_double (&j, "user_s", t->run.user);
  rp_json_double (&j, "system_s", t->run.system);
  rp_json_uint (&j, "cycles", t->cycles);
  rp_json_uint (&j, "cycles_skipped", t->cycles_skipped);
  rp_json_uint (&j, "events", t->events);
  rp_json_uint (&j, "binds", t->binds);
  rp_json_double (&j, "cycles_per_s", rate ((double) t->cycles, t->run.wall));
  rp_json_double (&j, "binds_per_s", rate ((double) t->binds, t->run.wall));
  rp_json_double (&j, "simulated_s", simulated);
  rp_json_double (&j, "simulated_s_per_s", rate (simulated, t->run.wall));
  rp_json_double (&j, "open_s", t->open_seconds);
  rp_json_double (&j, "close_s", t->close_seconds);
  rp_json_begin_object (&j, "action_s");
  for (guint i = 0; i < t->n_actions; i++)
    rp_json_double (&j, t->action[i], t->action_seconds[i]);
  rp_json_end_object (&j);
  if (charts != NULL) {
    rp_json_double (&j, "charts_s", charts->wall);
    rp_json_double (&j, "charts_user_s", charts->user);
    rp_json_double (&j, "charts_system_s", charts->system);
  }
  rp_json_uint (&j, "peak_memory_bytes", t->peak_memory_bytes);
  return rp_json_finish (&j, length);
}
