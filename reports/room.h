/* reports/room.h - was there room on the nodes for a job while it waited? Worked out from the results: who was on which node when.
 *
 * A pod counts with the largest request among its job's pods, so that tasks of different sizes make the answer "no" rather than "yes". Moments at
 * which the nodes of nodes.csv do not add up to the cluster's capacity (nodes came or went) have no answer. */
#pragma once
#include "reports/results/run-data.h"
G_BEGIN_DECLS

typedef struct RpRoom RpRoom;

RpRoom *rp_room_new (const RpRunData *d); /* (transfer full); @d is borrowed */
void rp_room_free (RpRoom *r);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RpRoom, rp_room_free)

/** Ask about job @job, a row of d->jobs, between @from and @to (included). The number of the question. */
guint rp_room_ask (RpRoom *r, guint job, gint64 from, gint64 to);
/** Answer all that was asked. */
void rp_room_answer (RpRoom *r);

typedef struct {
  guint asked;   /* moments, spread evenly, that have an answer */
  guint fits;    /* of them those at which the nodes had room for its gang */
  guint by_sum;  /* those at which the idle amounts of its nodes were enough as a sum alone */
  guint empty;   /* those at which nothing was on its nodes */
} RpRoomAnswer;
RpRoomAnswer rp_room_get (const RpRoom *r, guint question);

G_END_DECLS
