/* sim/world/bucket.h - a token bucket in virtual time, as client-go and workqueue limit rates (golang.org/x/time/rate). */
#pragma once
#include "sim-time.h"
#include <math.h>
G_BEGIN_DECLS

/* When the bucket is full again, in microseconds; 0 at the start. */
typedef struct { double full; } SimBucket;

/** Take a token at @now: the time from which it may be used. @burst tokens lie in a full bucket, @qps come in a second. Tokens are given in
 * the order of the calls. */
static inline SimTime
sim_bucket_take (SimBucket *b, SimTime now, double qps, double burst)
{
  double token = (double) SIM_SECOND / qps, start = MAX (b->full, (double) now);

  b->full = start + token;
  return MAX (now, (SimTime) ceil (start - (burst - 1) * token));
}

G_END_DECLS
