/* sim/controllers/scaling.h - replicas and minima of jobs are edited while they live (05 §4.12, §12.3): by rows of scale.csv, and by the schedules of their
 * tasks, which count from the submission. An edit that admission refuses changes nothing. */
#pragma once
#include "sim/world/world.h"
G_BEGIN_DECLS

/** The job was submitted: its schedule begins. */
void sim_scaling_begin (SimWorld *w, guint32 job);
/** Steps of a schedule are due. FALSE: the job is no more. */
gboolean sim_scaling_step (SimWorld *w, const SimEvent *ev);
/** An update of the input is due: @edit is its first edit. */
void sim_scaling_edit (SimWorld *w, guint32 edit);
/** Lines (char *) about edits that will be refused, as far as that shows before the run, are added to @warnings. */
void sim_scaling_warn (const SimWorld *w, GPtrArray *warnings);

G_END_DECLS
