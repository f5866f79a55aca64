/* sim/run.h - one scenario from its inputs to its results; every subcommand that replays calls this. Runs of one process may go on in threads side by side. */
#pragma once
#include "core/session/engine.h"
#include "reports/results/results.h"
#include "sim/cycle/explain.h"
#include "sim/load/imported.h"
#include "sim/load/scenario.h"
#include <signal.h>
G_BEGIN_DECLS

typedef struct {
  const SimScenario *scenario;
  const char *file;              /* of the scenario, for the list of inputs; nullable */
  const SimImported *imported;   /* nullable: where the scenario comes from; its folder is no input, but the files of the trace are */
  const VcCacheOptions *cache;
  const VcEngineOptions *engine;
  const char *explain;           /* nullable: explain this pod, PodGroup or job in the cycle at explain_at, and end there */
  SimTime explain_at;
  SimExplain **explained;        /* where to; NULL there when no cycle ran at that time */
  char **saved;                  /* nullable: save what the cycle at explain_at finds as objects (save-cycle.h), see that they alone lead to the same decisions, and
                                  * end there; NULL there when no cycle ran at that time */
  gboolean keep;                 /* write the results directory scenario->out; else only the figures in memory are left */
  const volatile sig_atomic_t *interrupted;                      /* nullable: stop soon when it is not 0 */
  void (*warn) (gpointer user, const char *text);                /* nullable */
  void (*begins) (gpointer user, guint32 jobs);                  /* nullable: inputs are read, time starts */
  void (*progress) (gpointer user, SimTime now, guint32 jobs_done); /* nullable; at every cycle */
  gpointer user;
} SimRunInput;

/** The files that a run of @s is made from (@file: the scenario's own, nullable) and their SHA-256, appended to both lists (char *). */
void sim_run_inputs (const SimScenario *s, const char *file, GPtrArray *name, GPtrArray *digest);
void sim_run_input (const char *file, GPtrArray *name, GPtrArray *digest); /* one more of them */
/** Run to the end and, with keep, commit the results. NULL with @error. (transfer full) */
RpResults *sim_run (const SimRunInput *in, GError **error);

G_END_DECLS
