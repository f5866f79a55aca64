/* reports/html.h - a run as one HTML page: no script, nothing from elsewhere, readable on paper and on a phone. */
#pragma once
#include "reports/run-data.h"
G_BEGIN_DECLS

typedef struct {
  const char *title;        /* the question; NULL: the directory's name */
  char **chart_name;        /* NULL-terminated: what each chart shows */
  char **chart_svg;         /* its text, in the same order */
  const char *configuration; /* text of volcano-scheduler.conf; nullable */
} RpHtmlInput;

/** The page. (transfer full) */
char *rp_html_report (const RpRunData *d, const RpHtmlInput *in);

G_END_DECLS
