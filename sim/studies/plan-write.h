/* sim/studies/plan-write.h - the answer of a plan as files: plan.json, plan.csv, the chart plan.svg and plan.png (where gnuplot is there), and report.html. */
#pragma once
#include "plan-print.h"
G_BEGIN_DECLS

/* Whence an answer comes, for its page. */
typedef struct {
  const char *title;          /* nullable: the question */
  const char *command;        /* how to get it again */
  const char *configuration;  /* text of the scheduler's; NULL: that of the chart */
  GPtrArray *input, *digest;  /* char *: files and SHA-256 */
} SimPlanOrigin;

/** Write them into the folder @dir, which is there. FALSE with @error. */
gboolean sim_plan_report_write (const SimPlanReport *r, const SimPlanOrigin *o, const char *dir, GError **error);
gboolean sim_fit_write (const SimFit *f, SimTime at, SimTime within, const SimPlanOrigin *o, const char *dir, GError **error);

G_END_DECLS
