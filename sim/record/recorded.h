/* sim/record/recorded.h - what happened to the jobs of a trace in reality (recorded.csv): on its way into the results, and as what a run follows. */
#pragma once
#include "core/conf/conf.h"
#include "core/session/engine.h"
#include "reports/results/results.h"
#include "sim/world/world.h"
G_BEGIN_DECLS

/** Read @path (recorded.csv) and copy it into @results. (transfer full: WlRecord) NULL with @error. */
GArray *sim_recorded_read (const char *path, RpResults *results, GError **error);

/* ---- a run that follows it: see docs/record.md ---- */

/** What @conf becomes: the action x-follow-record, with the plugins that judge nodes and gangs. */
void sim_recorded_conf (VcConf *conf);
/** Of the jobs of @w, which it becomes part of. @rows is borrowed. FALSE with @error when the results cannot be opened. (transfer full) */
SimRecorded *sim_recorded_new (SimWorld *w, const GArray *rows, RpResults *results, GError **error);
void sim_recorded_free (SimRecorded *r);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SimRecorded, sim_recorded_free)
/** For the engine, whose user is the world. */
extern const VcRecordHooks sim_recorded_hooks;
/** The run is over: tell which jobs did not start as recorded, and why. */
void sim_recorded_finish (SimRecorded *r);

G_END_DECLS
