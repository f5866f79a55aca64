/* workloads/native/behaviour.h - what the pods of a task do beside running for a while: fail, save their work, take long to stop, use less than they ask
 * for. Columns of jobs.csv and, with "volsim.io/" in front and "-" for "_", annotations of objects. */
#pragma once
#include "distribution.h"
G_BEGIN_DECLS

struct WlBehaviour {
  double failure;                 /* rate of runs that fail, -1: not given */
  double usage;                   /* part of its request that a running pod uses, -1 */
  WlTime checkpoint;              /* work is saved every so often, WL_TIME_NONE; 0: never */
  WlTime restart_cost;            /* running time of a run that is cut short which no checkpoint saves; 0 */
  WlDistribution time_to_failure; gboolean has_time_to_failure;
  WlDistribution pre_stop; gboolean has_pre_stop;
  WlDistribution termination; gboolean has_termination;
};

#define WL_N_BEHAVIOURS 7
extern const char *const wl_behaviour_names[WL_N_BEHAVIOURS]; /* "failure", "time_to_failure", … */

/** Nothing given. Counted references. (transfer full) */
WlBehaviour *wl_behaviour_new (void);
WlBehaviour *wl_behaviour_ref (WlBehaviour *b);
void wl_behaviour_unref (WlBehaviour *b); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlBehaviour, wl_behaviour_unref)
/** Read the value of wl_behaviour_names[@key]. A refusal names no place. */
gboolean wl_behaviour_set (WlBehaviour *b, guint key, const char *text, GError **error);
/** A number from 0 to @max. */
gboolean wl_parse_share (const char *text, double max, double *out, GError **error);

G_END_DECLS
