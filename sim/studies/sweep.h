/* sim/studies/sweep.h - a grid of runs: the cartesian product of axes over a scenario. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

typedef struct {
  char *key;           /* of a scenario, or "map.entry" */
  GPtrArray *values;   /* char * */
} SimAxis;

typedef struct {
  char *source;        /* the file of the grid */
  char *base;          /* its folder: paths in it start there */
  char *scenario;      /* the scenario that is varied, nullable */
  char *out;           /* results, nullable */
  GPtrArray *axes;     /* SimAxis *, in the order of the file; the last one varies fastest */
  guint n;             /* runs */
} SimGrid;

/** Read GRID.yaml: keys scenario, out and axes (a map from a key of a scenario to a list of values). Errors are "file:line:column: …".
 * (transfer full) */
SimGrid *sim_grid_read (const char *path, GError **error);
void sim_grid_free (SimGrid *g);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SimGrid, sim_grid_free)
/** Value of axis @axis in run @index. */
const char *sim_grid_value (const SimGrid *g, guint index, guint axis);
/** What run @index is, one "key=value" a line. (transfer full) */
char *sim_grid_describe (const SimGrid *g, guint index);

G_END_DECLS
