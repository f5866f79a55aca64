/* sim/world/work.h - a run of a pod's containers: how long it takes, whether it fails, what of it a checkpoint keeps, and what it uses of its node.
 *
 * The schedule says how much work a run is; a straggler takes its slowdown times as long. A run that is cut short (it fails by chance, its
 * machine stops, its pod is deleted) has saved the last whole checkpoint of its running time, and the next run of a pod of that name has so much
 * less to do. What it did since then is lost. A run that ends as its schedule says saves nothing: the next one is another piece of work. */
#pragma once
#include "world.h"
G_BEGIN_DECLS

/** The containers run from now on: how long, if nothing comes in between. */
SimTime sim_work_begin (SimWorld *w, guint32 pod);
/** They run no longer; @cut: before they were through. No effect when they do not run. */
void sim_work_end (SimWorld *w, guint32 pod, gboolean cut);
/** Does the run that has come to its end fail by chance, rather than end as its schedule says? */
gboolean sim_work_is_cut (const SimWorld *w, guint32 pod);
/** What they end with. */
gint32 sim_work_exit_code (const SimWorld *w, guint32 pod);

G_END_DECLS
