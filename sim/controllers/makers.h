/* sim/controllers/makers.h - objects whose controllers make jobs while a run goes on: JobFlow with JobTemplate, CronJob.
 *
 * Each has a place in one line of requests, handled one after the other whenever the job controller and the queue controller have nothing to
 * do (07 §6.2 goes on so). What they do is in flow-controller.c and cron-controller.c. */
#pragma once
#include "sim/world/world.h"
G_BEGIN_DECLS

typedef struct SimMakers SimMakers;
void sim_makers_free (SimMakers *m); /* NULL is fine */

/** One of their events is due. FALSE: it has no meaning any more. */
gboolean sim_makers_event (SimWorld *w, const SimEvent *ev);
/** Handle the oldest request; without one a job that is buried goes. FALSE: there is neither. */
gboolean sim_makers_step (SimWorld *w);
/** Nothing is left of a job that was deleted in the foreground: its object goes as soon as nobody has anything to do. The garbage collector is
 * slower than any controller. */
void sim_makers_bury (SimWorld *w, guint32 job);

/* What the job controller and the garbage collector tell of a job that has an owner. */
/** The job object has appeared. */
void sim_owner_job_added (SimWorld *w, guint32 job);
/** The job object was updated in any way. */
void sim_owner_job_updated (SimWorld *w, guint32 job);
/** The job object is gone. */
void sim_owner_job_gone (SimWorld *w, guint32 job);

/** Can a job of that name come into being? @ns, @name as the input has them. */
gboolean sim_makers_may_make (const SimWorld *w, const char *ns, const char *name);
/** Lines (char *) about what is odd are added to @warnings. */
void sim_makers_warn (const SimWorld *w, GPtrArray *warnings);
/** What makes jobs for ever, as "file:line:1: …"; NULL: nothing does. (transfer full) */
char *sim_makers_endless (const SimWorld *w);

G_END_DECLS
