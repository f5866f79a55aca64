/* reports/recorded.h - what a trace says has happened to the jobs of a run, in the shape of a run, so that both can be compared. */
#pragma once
#include "reports/results/run-data.h"
G_BEGIN_DECLS

/** Leave in @d only the jobs whose fate its record tells: a wait or a start. The others are counted in left_out. */
void rp_recorded_keep (RpRunData *d);
/** The record of the jobs that rp_recorded_keep() has left in @d, as a run on the cluster of @d: waits, starts and ends as recorded, and what is
 * allocated by them. What a record cannot tell (decisions, fragmentation, lost work) is not there. A run that was stopped sees as much of it as
 * of itself. It borrows from @d. (transfer full) */
RpRunData *rp_recorded_run (const RpRunData *d);
/** The first job that starts at another time than recorded, in words; the record is @record. (transfer full) */
char *rp_recorded_parting (const RpRunData *record, const RpRunData *d, const char *label);

G_END_DECLS
