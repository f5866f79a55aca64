/* reports/diagnose/diagnose.h - known pathologies of scheduling, found in the results of a run: pods that are evicted in circles or for nothing, jobs that
 * starve, admission that stands in the way, room that nobody may use.
 *
 * The rules look at what happened (results), at what queues are given and at the configuration; each knows the change that avoids it, and the entry
 * of the gallery (scenarios/gallery) that shows both. A rule speaks only where the complaint is certain: waiting for a full cluster is none. */
#pragma once
#include "core/conf/conf.h"
#include "reports/json.h"
#include "reports/results/run-data.h"
G_BEGIN_DECLS

typedef struct { const char *name; double value; } RpFigure; /* name: static, unit at its end */

typedef struct {
  const char *code;     /* static, one word per kind */
  char *what;           /* what was seen, with figures */
  char *advice;         /* the change that avoids it */
  const char *entry;    /* static: entry of the gallery that proves it */
  gint64 at;            /* time of the cycle to look at */
  const char *ns, *job; /* whom to look at there; borrowed from the run's data */
  GArray *figure;       /* RpFigure */
} RpDiagnosis;

/** All that is wrong, the most certain kinds first; empty: nothing. @conf: the effective configuration of the run. (transfer full: RpDiagnosis) */
GPtrArray *rp_diagnose (const RpRunData *d, const VcConf *conf);
/** What to run to see the cycle: "volsim run … --explain NS/JOB --at 42". (transfer full) */
char *rp_diagnosis_command (const RpRunData *d, const RpDiagnosis *x);
/** For a terminal; "" when there are none. (transfer full) */
char *rp_diagnoses_text (const RpRunData *d, const GPtrArray *diagnoses);
/** As an array `diagnoses`. */
void rp_diagnoses_json (RpJson *j, const RpRunData *d, const GPtrArray *diagnoses);

G_END_DECLS
