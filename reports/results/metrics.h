/* reports/results/metrics.h - the figures by which runs are compared: of the cluster, of each queue, user and class of jobs.
 *
 * A figure has a name that people write: "p95_wait", "p95_wait(queue=prod)", "utilisation(resource=nvidia.com/gpu)". */
#pragma once
#include "run-data.h"
G_BEGIN_DECLS

typedef enum { RP_UNIT_SECONDS, RP_UNIT_RATIO, RP_UNIT_NUMBER, RP_UNIT_HOURS /* amount × h */, RP_UNIT_BYTE_HOURS /* the same of memory */ } RpUnit;
typedef struct {
  char *name;        /* "p95_wait(queue=prod)" */
  const char *group; /* "cluster", "queue", "user", "class"; static */
  RpUnit unit;
  gint8 better;      /* 1: more is better, -1: less is better, 0: neither */
  double value;      /* NaN: there is none in this run */
} RpMetric;

/** All figures of a run, in an order that depends on its content alone. (transfer full: RpMetric, cleared with the array) */
GArray *rp_metrics (const RpRunData *d);
/** The figure of that name, NULL. */
const RpMetric *rp_metrics_find (const GArray *metrics, const char *name);
/** All by their names (RpMetric *), for many look-ups; it borrows from @metrics. (transfer full) */
GHashTable *rp_metrics_index (const GArray *metrics);

/** Class of a job by the pods of its gang: "1", "2-7", "8-63", "64+". Static. */
const char *rp_job_class (const RpJob *j);
/** In people's words: "12.5s", "93.1 %", "1,204", "3.2 h". (transfer full) */
char *rp_metric_text (RpUnit unit, double value);

G_END_DECLS
