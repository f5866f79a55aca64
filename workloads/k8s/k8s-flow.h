/* workloads/k8s/k8s-flow.h - objects that make jobs: JobFlow and JobTemplate (flow.volcano.sh/v1alpha1), CronJob (batch.volcano.sh/v1alpha1).
 *
 * volsim.io/submit on a JobFlow or CronJob (required) and on a JobTemplate (0 without it) says when it is made, volsim.io/delete when its
 * user deletes it. What the jobs' pods do stands where it stands for jobs: on the pod template, else on the JobTemplate, else on
 * spec.jobTemplate.metadata of a CronJob. */
#pragma once
#include "k8s-job.h"
G_BEGIN_DECLS

/* What such objects have in common. */
typedef struct {
  const char *ns, *name, *file;
  guint32 line;
  WlTime submit, remove;         /* submit WL_TIME_NONE: there from the start; remove WL_TIME_NONE: never */
  const char *rejected;          /* why the API server, or the webhook of CronJobs, refuses it; NULL: they do not */
} WlMaker;

typedef struct {
  const char *name;              /* of the JobTemplate */
  const char *const *target; guint n_targets; /* names of the steps that have to be Completed first */
  gboolean has_probe, has_patch; /* which upstream's controller does not look at */
} WlFlowStep;

typedef struct WlJobFlow {
  WlMaker maker;
  const WlFlowStep *step; guint n_steps;
  gboolean deletes;              /* jobRetainPolicy delete */
  const char *refused;           /* why the webhook /jobflows/validate refuses it; NULL: it does not */
} WlJobFlow;

typedef struct WlJobTemplate {
  WlMaker maker;
  WlJobObject job;               /* what a job made from it would be; its name, also in the refusal's text, is @job_name */
  const char *job_name;
} WlJobTemplate;

typedef struct WlCronJob {
  WlJobTemplate made_from;       /* its maker is the CronJob */
  const char *schedule;          /* with the zone, as WlCronSchedule reads it */
  gint64 deadline;               /* startingDeadlineSeconds, -1: not given */
  guint concurrency;             /* 0 Allow, 1 Forbid, 2 Replace */
  gboolean suspend;
  gint32 keep_completed, keep_failed;
} WlCronJob;

/** Why the webhook refuses the flow: its steps wait for each other in a circle, or for one that is not there. NULL: it does not. (transfer full) */
char *wl_admit_job_flow (const WlJobFlow *flow);
/** Why the webhook refuses a CronJob of that @name, @schedule and @zone (nullable). NULL: it does not. (transfer full) */
char *wl_admit_cron_job (const char *name, const char *schedule, const char *zone);
/** Why admission refuses a job of that @name made from the template, the queue aside; its text is NULL when it does not. (transfer full) of
 * the text */
WlJobRefusal wl_template_refusal (const WlJobTemplate *t, const char *name);

/** @text, which speaks of a job of the template, speaks of @name. NULL stays NULL. (transfer full) */
char *wl_template_text (const WlJobTemplate *t, const char *text, const char *name);

G_END_DECLS
