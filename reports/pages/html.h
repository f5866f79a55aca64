/* reports/pages/html.h - a run as one HTML page: no script, nothing from elsewhere, readable on paper and on a phone. */
#pragma once
#include "reports/diagnose/diagnose.h"
G_BEGIN_DECLS

typedef struct {
  const char *title;        /* the question; NULL: the directory's name */
  const char *charts;       /* folder of the run's charts; nullable */
  const char *configuration; /* text of volcano-scheduler.conf; nullable */
  const GPtrArray *diagnoses; /* RpDiagnosis; nullable */
} RpHtmlInput;

/** The page. (transfer full) */
char *rp_html_report (const RpRunData *d, const RpHtmlInput *in);

G_END_DECLS
