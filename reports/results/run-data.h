/* reports/results/run-data.h - a run's results in memory: what comparisons, ledgers and reports look at. The rows are those of the CSV files, in their
 * order; texts and arrays live in the arena.
 *
 * Amounts are in units here (cores, bytes, devices), as in the files; RP_NONE is a time that is not given, NaN a number that is not. */
#pragma once
#include "results.h"
#include "core/base/arena.h"
G_BEGIN_DECLS

typedef struct {
  VcArena *arena;
  GHashTable *text;          /* texts of the arena, for look-ups only */
  char *dir;                 /* as the user named it */
  guint n_res;
  const char **resource;     /* [n_res] */
  GArray *cycles;            /* RpCycle without reasons */
  GArray *queues;            /* RpQueue; inqueue and so on NULL where not published */
  GArray *jobs;              /* RpJob */
  GArray *tasks;             /* RpTask */
  GArray *events;            /* RpEvent */
  GArray *waits;             /* RpWait */
  GArray *evictions;         /* RpEviction */
  GArray *quotas;            /* RpQuota */
  GArray *nodes;             /* RpNode */
  GArray *recorded;          /* RpRecorded */
  guint n_extra;
  const char **extra;        /* [n_extra] user columns of jobs: x_… */
  gint64 end, until;         /* of the run; when it was to end at the latest, RP_NONE: never */
  gint64 period;
  double jain;               /* index of fairness, NaN without one */
  char *summary;             /* text of summary.json */
  const char *conf_digest, *version, *command;
  gboolean is_record;        /* no run, but what the trace says (recorded.h) */
  guint left_out;            /* jobs that were taken out of it */
} RpRunData;

RpRunData *rp_run_data_new (const char *dir);
void rp_run_data_free (RpRunData *d);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RpRunData, rp_run_data_free)

/** Text in the arena, one copy for equal ones. */
const char *rp_run_data_text (RpRunData *d, const char *text);

G_END_DECLS
