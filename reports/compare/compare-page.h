/* reports/compare/compare-page.h - a comparison as one HTML page that can be forwarded. */
#pragma once
#include "compare.h"
G_BEGIN_DECLS

typedef struct {
  const char *title;               /* the question; nullable */
  const char *charts;              /* folder of rp_compare_charts_draw(); nullable */
  const char *const *conf;         /* [sides] texts of the configurations, NULL: not known */
  const char *const *part;         /* [sides] how the run parts from the first one's, in words; [0] is not read */
  const char *conditions;          /* --fail-if and what came of it, one a line; nullable */
  const char *command;             /* how to get it again */
} RpComparePage;

/** The page. (transfer full) */
char *rp_compare_page (const RpComparison *c, const RpComparePage *in);

G_END_DECLS
