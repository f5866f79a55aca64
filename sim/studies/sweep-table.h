/* sim/studies/sweep-table.h - runs.csv: one row for each run of a grid, its axes and its figures. */
#pragma once
#include "sweep.h"
#include "core/base/json.h"
G_BEGIN_DECLS

typedef struct SimSweepTable SimSweepTable;
/** @grid is borrowed. (transfer full) */
SimSweepTable *sim_sweep_table_new (const SimGrid *grid);
void sim_sweep_table_free (SimSweepTable *t);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SimSweepTable, sim_sweep_table_free)
/** Run @index has its results in @dir; runs come in their order, and some may be left out. FALSE with @error when summary.json there cannot be read. */
gboolean sim_sweep_table_add (SimSweepTable *t, guint index, const char *dir, GError **error);
const SimGrid *sim_sweep_table_grid (const SimSweepTable *t);
/** Of run @index; NULL: it has not been added. */
const VcJson *sim_sweep_table_summary (const SimSweepTable *t, guint index);
/** A figure of a summary by the names on the way to it, "overall/wait_s/mean"; NULL: none. */
const VcJson *sim_summary_figure (const VcJson *summary, const char *path);
/** Write the file, complete or not at all. */
gboolean sim_sweep_table_write (const SimSweepTable *t, const char *path, GError **error);

G_END_DECLS
