/* core/session/rooms.h - how many tasks of one shape the nodes of a HyperNode take, one after the other, found without placing any.
 *
 * Tasks that are alike and look at nothing but their node fill a node up to a number that does not depend on the order in which nodes are chosen, nor on
 * scores. So a trial in a HyperNode places as many of them as its nodes hold together. Numbers are kept for (shape, HyperNode) until a node of the
 * HyperNode changes, at most for one session. Used by forecasts of allocate (core/actions/allocate-forecast.c). */
#pragma once
#include "session-private.h"
G_BEGIN_DECLS

typedef struct {
  gboolean known;  /* FALSE: some node would take tasks on room that is being released, or some plugin cannot tell */
  guint32 nodes;   /* that take at least one */
  guint64 tasks;   /* over all of them */
} VcRoom;

/** May trials be foreseen in this session: nothing draws lots, watches or logs them, and what every plugin keeps is as before once a trial is undone? */
gboolean vc_rooms_open (VcSession *ssn);
/** The same for a shape: every predicate looks at the node alone and can count, and no score can fail as a whole. */
gboolean vc_rooms_serve (VcSession *ssn, const VcShape *shape);
/** Room of the HyperNode, or of all nodes (VC_HYPER_ROOT), for tasks like @task. Its shape must be served. */
VcRoom vc_rooms_of (VcSession *ssn, guint32 task, guint32 hyper);
/** Can places for such pods be counted node by node: every predicate looks at the node alone and can count? Unlike vc_rooms_serve() also while
 * somebody watches. */
gboolean vc_rooms_countable (VcSession *ssn, const VcShape *shape);
/** Places of the node for tasks like @task, on room that is idle or being released, if it had @more ([n_res], NULL: nothing) of it; 0 when it cannot be
 * told. The shape must be countable. */
guint32 vc_rooms_with (VcSession *ssn, guint32 task, guint32 node, const double *more);
void vc_rooms_free (VcRooms *r); /* NULL is fine */

G_END_DECLS
