/* sim/studies/plan-print.h - the answer of a plan: on one screen, as JSON, as a curve. */
#pragma once
#include "plan.h"
G_BEGIN_DECLS

/* One search. */
typedef struct {
  GArray *points;     /* SimPoint: the curve, ascending */
  gint64 border;      /* in steps of the report's unit */
  gboolean found;
  gint64 *mix;        /* [kinds] number of each kind of node; NULL with one kind */
  double cost;        /* of the mix */
  guint runs;         /* of a mix */
} SimPlanAnswer;

typedef struct {
  char *question, *x_name;
  double unit;        /* of a step */
  gboolean less_helps; /* the answer is a greatest setting */
  gboolean allow_stuck; /* jobs that never start break no promise */
  gboolean trials;    /* the searches are draws of equal worth: the answer is their 90th percentile */
  guint whole;        /* trials: nodes of the whole cell */
  GPtrArray *kinds;   /* char *: names of the kinds of a mix; empty: one kind */
  GPtrArray *answers; /* SimPlanAnswer *: the scenario as it is, then shaken; or the trials */
  const GPtrArray *conditions; /* RpThreshold * */
} SimPlanReport;

void sim_plan_report_init (SimPlanReport *r);
void sim_plan_report_clear (SimPlanReport *r);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SimPlanReport, sim_plan_report_clear)
/** A place for the next search. Owned by @r. */
SimPlanAnswer *sim_plan_report_add (SimPlanReport *r);
/** Is there an answer? */
gboolean sim_plan_report_found (const SimPlanReport *r);
char *sim_plan_report_text (const SimPlanReport *r); /* (transfer full) */
char *sim_plan_report_json (const SimPlanReport *r); /* (transfer full) */

/* What the terminal, JSON and the files tell alike. */
/** The figures that the promise is about, then the jobs that never start; without a promise the waits. (transfer full; texts borrowed) */
GPtrArray *sim_plan_columns (const SimPlanReport *r);
/** The borders of the searches from @from on that found one, ascending. (transfer full: gint64) */
GArray *sim_plan_borders (const SimPlanReport *r, guint from);
/** "34 breaks it: p95_wait <= 1h: 75min" of the setting beside the answer; NULL: it was the last that was allowed. (transfer full) */
char *sim_plan_neighbour (const SimPlanReport *r, const SimPlanAnswer *a);
/** How far the answers depend on taking the promise for monotone: of the trials, or of the points about the border, a sentence or two. NULL: nothing
 * to say. (transfer full) */
char *sim_plan_caution (const SimPlanReport *r);
gint64 sim_plan_percentile (const GArray *sorted, double p); /* nearest rank */
char *sim_plan_step_text (const SimPlanReport *r, gint64 step); /* (transfer full) */

/* ---- fit ---- */
typedef struct { char *what; gboolean waits; guint n; } SimFitEnd; /* phase of those that started, reason of those that never did */
typedef struct {
  guint copies, jobs, now, later, never;
  GArray *ends;       /* SimFitEnd */
  GArray *starts;     /* SimTime: of the copies that started, ascending */
  SimTime end;        /* of the run */
} SimFit;
void sim_fit_clear (SimFit *f);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SimFit, sim_fit_clear)
void sim_fit_start (SimFit *f, SimTime start);
void sim_fit_count (SimFit *f, const char *what, gboolean waits);
char *sim_fit_text (const SimFit *f, SimTime at, SimTime within); /* (transfer full) */
char *sim_fit_json (const SimFit *f, SimTime at, SimTime within); /* (transfer full) */

G_END_DECLS
