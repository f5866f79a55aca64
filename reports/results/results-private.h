/* reports/results/results-private.h - the results directory, for the files that fill it. */
#pragma once
#include "results.h"
#include "schema.h"
#include "summary.h"
#include "reports/csv-writer.h"
G_BEGIN_DECLS

struct RpResults {
  char *dir;               /* as the user named it */
  char *target, *partial;  /* the same place without links, and where the files are now */
  GPtrArray *made_parents; /* directories above the target that did not exist, outermost first */
  RpResource *resources;
  guint n_resources, n_extra;
  RpCsv *csv[RP_N_FILES];
  RpSummary summary;
  gint64 last_time;
  gboolean ended, committed, charts;
  char *version, *beyond;
};

G_END_DECLS
