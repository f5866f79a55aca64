/* sim/world/sim-time.h - virtual time: whole microseconds since the start of the scenario. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

typedef gint64 SimTime;

#define SIM_NEVER G_MAXINT64   /* a time that never comes */
#define SIM_NO_TIME G_MININT64 /* it did not happen */
#define SIM_SECOND G_GINT64_CONSTANT (1000000)

/** Whole seconds of @t, cut downwards as Kubernetes cuts its timestamps. @t is not negative. */
static inline gint64
sim_time_seconds (SimTime t)
{
  return t / SIM_SECOND;
}

/** @t + @d, where SIM_NEVER and anything beyond the last instant is SIM_NEVER. Neither is negative. */
static inline SimTime
sim_time_after (SimTime t, SimTime d)
{
  return d >= SIM_NEVER - t ? SIM_NEVER : t + d;
}

G_END_DECLS
