/* core/actions/allocate-forecast.h - what a trial of a sub-job in a HyperNode would come to, without making it.
 *
 * Exact for tasks that are all alike and need as many places as the sub-job is short of: the trial places min (need, room of the HyperNode) of
 * them (core/session/rooms.h), and is a solution when that is all it needs. What is left of an undone trial is done for it, too: the rotating index
 * of the search and the last transaction of the tasks. Its fit errors are not, so a trial whose errors are the last ones has to be made.
 *
 * Tasks of several shapes that are all needed certainly fit where room is left for the last task of each shape even if all tasks before took as much of it
 * as they can: each at most max over resources of ceil (its request / the request of the shape). They certainly do not fit where room for one shape
 * alone is short; but how many of them the trial would have placed depends on its choices. That matters only when no HyperNode fits: then it is made.
 *
 * That queues and PrePredicate let the tasks pass is not foreseen but checked: whoever uses a forecast makes one trial at least that asks as many
 * tasks as any forecast supposes (vc_forecast_supposes), and takes everything back when it went otherwise. `--plain` makes every trial. */
#pragma once
#include "allocate.h"
G_BEGIN_DECLS

typedef struct {
  VcAllocate *a;
  guint32 job, sub;
  guint need, left;   /* tasks that make the sub-job ready; tasks of the heap */
  GArray *order;      /* guint32: those `need` tasks, as the task loop takes them */
  GArray *shapes;     /* their shapes, in the order of first appearance */
  struct VcLastTransaction *before; /* [left] as all of the heap's tasks were */
  guint32 rotating;   /* likewise */
} VcForecast;
typedef struct {
  gboolean known, fits;
  gboolean vague; /* it does not fit, and `placed` is not known */
  guint placed;
} VcOutcome;

/** FALSE: trials of this sub-job cannot be foreseen; @f is empty then. Clear it either way. */
gboolean vc_forecast_init (VcForecast *f, VcAllocate *a, guint32 job, guint32 sub, const VcHeap *tasks);
void vc_forecast_clear (VcForecast *f);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (VcForecast, vc_forecast_clear)
VcOutcome vc_forecast_trial (const VcForecast *f, guint32 hyper);
/** Tasks that a trial with this outcome asks a place for. */
guint vc_forecast_supposes (const VcForecast *f, VcOutcome o);
/** @placed tasks were placed and taken back. */
void vc_forecast_undone (const VcForecast *f, guint placed);
/** What the search in @hyper makes of the rotating index. */
void vc_forecast_rotate (const VcForecast *f, guint32 hyper, guint32 *rotating);

/** Something was otherwise than supposed, and all placements are undone: as if no trial had been. */
void vc_forecast_take_back (const VcForecast *f);
/** The sub-job was placed for good as foreseen: exactly the tasks needed, none on room that is being released. Else FALSE. */
gboolean vc_forecast_came_true (const VcForecast *f, const VcStatement *st);

/** Fit errors of a job, to be put back; lives until the session closes. */
typedef struct { VcFit **fit; guint n; guint32 *failed_session; } VcKeptFits;
VcKeptFits vc_forecast_keep_fits (VcSession *ssn, guint32 job);
void vc_forecast_restore_fits (VcSession *ssn, guint32 job, const VcKeptFits *k);

G_END_DECLS
