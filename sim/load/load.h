/* sim/load/load.h - from a scenario's files to a world ready to run. */
#pragma once
#include "scenario.h"
#include "core/conf/conf.h"
#include "sim/world/world.h"
G_BEGIN_DECLS

/** Read and check nodes, jobs and queues, and fill a world: queues and priority classes are in the cache, everything else is an event.
  * @confs: the configurations that the run will have, which may ignore resources. Errors are one line "file:line:column: …". (transfer full) */
SimWorld *sim_load_world (const SimScenario *s, const VcConf *const *confs, guint n_confs, const VcCacheOptions *cache, const char ***extra_columns, guint *n_extra, GError **error);
/** A line when the job (or what @kind says) can never start: its gang waits for its own dependents. */
void sim_load_warn_of_gang (const SimJob *j, const SimRole *role, const char *kind, GPtrArray *warnings);
/** Jobs that can never start by the way they are written, and measured loads of nodes that never come, one line each (char *). */
void sim_load_warn (const SimWorld *w, GPtrArray *warnings);

G_END_DECLS
