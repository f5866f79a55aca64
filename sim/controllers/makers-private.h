/* sim/controllers/makers-private.h - what the controllers of JobFlows and CronJobs share. Only makers.c, flow-controller.c, cron-controller.c and
 * load-makers.c use it. */
#pragma once
#include "cron-step.h"
#include "flow-step.h"
#include "makers.h"
G_BEGIN_DECLS

typedef enum { SIM_MAKER_TEMPLATE, SIM_MAKER_FLOW, SIM_MAKER_CRON } SimMakerKind;
extern const char *const sim_maker_kind_names[]; /* JobTemplate, … */

/* What every job of a template starts with. */
typedef struct {
  SimJob job;           /* its name, rows and times aside */
  SimRole *role;        /* [job.n_roles] */
} SimBlueprint;

/* What they have in common: an object, and a key in a rate-limited work queue. */
typedef struct {
  const WlMaker *in;
  const char *rejected; /* why it never comes into being, NULL */
  const char *text;     /* "JobFlow/f" */
  guint8 kind;          /* SimMakerKind */
  guint32 row;          /* in the table of its kind */
  guint32 of;           /* row of the object that this one is an update of, SIM_NONE: it is an object itself */
  gboolean exists, queued;
  gboolean goes;        /* somebody deletes it one day */
  guint failures;       /* since the last success */
  SimTime due;          /* when it is looked at again, SIM_NEVER */
  guint32 stamp;        /* timers with another one are dead */
} SimMaker;

typedef struct SimTemplate SimTemplate;
struct SimTemplate {
  SimMaker maker;
  const WlJobTemplate *in;
  const SimTemplate *now; /* itself, or the update whose spec it has: the blueprint there counts */
  SimBlueprint blueprint;
  char *dependents;     /* status.jobDependsOnList as last written */
};

/* A job that a flow makes. */
typedef struct SimFlowJob SimFlowJob;
struct SimFlowJob {
  guint32 template;     /* row of the object, SIM_NONE: there never is one of that name */
  guint32 version;      /* row of it, or of the update of it that this is for */
  SimFlowJob *next;     /* for the next update, NULL */
  SimJobSpec spec;
  WlJobRefusal refusal; /* spec points to it */
};

typedef struct SimFlow SimFlow;
struct SimFlow {
  SimMaker maker;
  const WlJobFlow *in;
  const SimFlow *now;   /* itself, or the update whose spec it has: what stands in in, step and job there counts */
  SimFlowPhase phase;
  SimFlowStep *step;    /* [in->n_steps] */
  SimFlowJob *job;      /* the same */
  char *status;         /* the lists as last written */
};

typedef struct SimCron SimCron;
struct SimCron {
  SimMaker maker;
  const WlCronJob *in;
  SimCron *now;         /* itself, or the update whose spec it has: what stands in in, blueprint, job_spec, refusal and schedule there counts */
  SimBlueprint blueprint;
  SimJobSpec job_spec;
  WlJobRefusal refusal; /* of the job that is about to be made; job_spec points to it */
  SimCronSpec spec;
  WlCronSchedule *schedule;
  SimCronStatus status;
  GArray *finished;     /* guint32: its jobs that a step has to look at */
  const char *state;    /* as last written */
  gint64 forbidden, missed; /* the times for which ForbidConcurrent and TooManyMissedTimes were said last */
};

struct SimMakers {
  SimMaker **maker; guint n;      /* of every kind, in the order of kinds, then of the input */
  SimTemplate *template; guint n_templates;
  SimFlow *flow; guint n_flows;
  SimCron *cron; guint n_crons;
  GArray *requests; guint head;   /* guint32: numbers in maker */
  GArray *buried; guint n_gone;   /* guint32: jobs */
};

SimMaker *sim_maker_at (SimMakers *m, SimMakerKind kind, guint32 row);

/* ---- the work queue ---- */
/** Look at it soon; once, however often this is called before. */
void sim_maker_request (SimWorld *w, SimMaker *m);
/** Look at it after @delay, or earlier if that was asked for. */
void sim_maker_request_after (SimWorld *w, SimMaker *m, SimTime delay);
/** The same after the delay that grows with each failure. */
void sim_maker_request_again (SimWorld *w, SimMaker *m);
void sim_maker_forgive (SimMaker *m);

/* ---- jobs ---- */
typedef enum { SIM_MADE, SIM_MADE_EXISTS, SIM_MADE_REFUSED } SimMade;
/** Make the job @name, with what is given of one in @b but for @spec. *row is its row, or that of the one that has the name; *refusal (transfer
 * full) what admission says. */
SimMade sim_maker_make_job (SimWorld *w, const SimMaker *m, const SimBlueprint *b, const SimJobSpec *spec, const char *name, guint32 *row,
                            char **refusal);
/** Row of the Job object of that name if it is @m's, else SIM_NONE. */
guint32 sim_maker_job (const SimWorld *w, const SimMaker *m, const char *name);

/* ---- what is written down ---- */
void sim_maker_event (SimWorld *w, const SimMaker *m, const char *event, const char *detail);
void sim_maker_phase (SimWorld *w, const SimMaker *m, const char *phase);

/* ---- the controllers ---- */
/** One request. */
void sim_flow_sync (SimWorld *w, SimFlow *f);
void sim_template_sync (SimWorld *w, SimTemplate *t);
void sim_cron_sync (SimWorld *w, SimCron *c);
/** The object has been made. */
void sim_cron_begin (SimWorld *w, SimCron *c);
/** Its spec is that of @update from now on. */
void sim_cron_update (SimWorld *w, SimCron *c, SimCron *update);
void sim_flow_update (SimWorld *w, SimFlow *f, const SimFlow *update);
void sim_template_update (SimTemplate *t, const SimTemplate *update);

G_END_DECLS
