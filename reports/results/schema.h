/* reports/results/schema.h - the one table of what a result holds: columns, units, formulas.
 *
 * The writer takes its header lines from it, docs/results.md is its print, and the tests read it.
 */
#pragma once
#include <glib.h>
#include "results.h"
G_BEGIN_DECLS

#define RP_SCHEMA_NAME "volsim-results/"
#define RP_SCHEMA_VERSION "1" /* grows when a column or key changes its meaning or goes away */

typedef enum {
  RP_FILE_CYCLES,
  RP_FILE_QUEUES,
  RP_FILE_JOBS,
  RP_FILE_TASKS,
  RP_FILE_EVENTS,
  RP_FILE_PHASES,
  RP_FILE_REASONS,
  RP_FILE_LEDGER,
  RP_FILE_RACKS,
  RP_FILE_EVICTIONS,
  RP_FILE_QUOTAS,
  RP_FILE_NODES,
  RP_FILE_CHAIN,
  RP_FILE_SCHEDULERS,
  RP_FILE_RECORDED,
  RP_FILE_MISFITS,
  RP_N_FILES,
} RpFile;

/* A name that ends in `<resource>` stands for one column per resource of the run, in their order;
 * `x_<name>` for the user's columns. Such a family is complete before the next column starts. */
typedef struct {
  RpFile file;
  const char *name;
  const char *unit;    /* "" for texts */
  const char *meaning; /* or formula */
} RpColumn;

extern const RpColumn rp_columns[];
extern const guint rp_n_columns;

/** "cycles.csv" */
const char *rp_file_name (RpFile file);
/** The header of @file in a run with these resources and user columns. NULL-terminated. (transfer
 * full) */
char **rp_schema_header (RpFile file, const RpResource *resources, guint n_resources,
                         const char *const *extra, guint n_extra);
/** docs/results.md. (transfer full) */
char *rp_schema_markdown (void);

G_END_DECLS
