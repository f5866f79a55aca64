/* sim/controllers/cron-step.h - one look of the CronJob controller at one of its objects (05 §8), without anything around it.
 *
 * Times are microseconds since 1970, as workloads/native/cron-schedule.h has them; what upstream keeps as metav1.Time is a whole second. */
#pragma once
#include "job-state.h"
#include "workloads/native/cron-schedule.h"
G_BEGIN_DECLS

#define SIM_CRON_NO_TIME G_MININT64

typedef enum { SIM_CRON_ALLOW, SIM_CRON_FORBID, SIM_CRON_REPLACE } SimCronConcurrency;

typedef struct {
  const char *ns, *name;
  const WlCronSchedule *schedule; /* NULL: upstream cannot make sense of it */
  gint64 created;
  gint64 deadline;                /* startingDeadlineSeconds, -1: not given */
  SimCronConcurrency concurrency;
  gboolean suspend;
  gint32 keep_completed, keep_failed; /* history limits, -1: not given */
} SimCronSpec;

/* A reference in status.active. */
typedef struct { guint32 uid; const char *name; } SimCronRef;

typedef struct {
  GArray *active;                 /* SimCronRef, in the order of their creation */
  gint64 last, last_success;      /* lastScheduleTime, lastSuccessfulTime; SIM_CRON_NO_TIME */
  gboolean lost;                  /* a job has gone since the last look, by somebody else's hand: references may lead nowhere */
} SimCronStatus;

/* A job that the object owns. */
typedef struct {
  guint32 uid;
  const char *name;
  SimJobPhase phase;
  gboolean active;                /* is it in status.active? kept up to date */
  gint64 created, changed;        /* of its phase */
} SimCronChild;

/* ---- when ---- */

typedef enum { SIM_CRON_MISSED_NONE, SIM_CRON_MISSED_FEW, SIM_CRON_MISSED_MANY } SimCronMissed;
/** mostRecentScheduleTime: the latest time that is due between *earliest and @now, *recent SIM_CRON_NO_TIME when there is none. FALSE: the
 * schedule makes no sense. @deadline: let startingDeadlineSeconds cut what is too late. */
gboolean sim_cron_most_recent (const SimCronSpec *spec, gint64 last, gint64 now, gboolean deadline, gint64 *earliest, gint64 *recent,
                               SimCronMissed *missed);
/** nextScheduleTimeDuration: how long until the next look. */
gint64 sim_cron_wait (const SimCronSpec *spec, gint64 last, gint64 now);
/** `<name>-<minutes since 1970>`. (transfer full) */
char *sim_cron_job_name (const SimCronSpec *spec, gint64 scheduled);

/* ---- what ---- */

/* A Job object that has the name that was asked for. */
typedef struct {
  guint32 uid;
  const char *name;  /* as long as the job is in a list */
  gboolean owned, finished, active;
  const char *owner; /* name of its controller; "none" */
} SimCronFound;

typedef enum { SIM_CRON_MADE, SIM_CRON_EXISTS, SIM_CRON_REFUSED } SimCronMade;

typedef struct {
  gpointer user;
  gboolean (*find) (gpointer user, const char *name, SimCronFound *out);
  /* Make the job for a scheduled time: *out is the new one, or the one that has the name, or *refusal says why not (valid until the step ends). */
  SimCronMade (*make) (gpointer user, const char *name, gint64 scheduled, SimCronFound *out, const char **refusal);
  void (*remove) (gpointer user, guint32 uid);
  void (*event) (gpointer user, const char *reason, const char *message);
} SimCronOps;

typedef enum {
  SIM_CRON_DONE,  /* nothing more to do before something happens */
  SIM_CRON_AGAIN, /* look again after *wait */
  SIM_CRON_FAILED /* to be tried again; the status is as before */
} SimCronOutcome;
/** syncCronJob on the object's jobs, ascending by name; of those that it has seen to be neither finished nor orphaned, and of those that
 * it has seen Terminated, none need be given. After a failure what @child says of active is worth nothing. *changed says whether the status is another one. */
SimCronOutcome sim_cron_step (const SimCronSpec *spec, SimCronStatus *status, SimCronChild *child, guint n, gint64 now,
                              const SimCronOps *ops, gint64 *wait, gboolean *changed);

G_END_DECLS
