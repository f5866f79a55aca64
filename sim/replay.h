/* sim/replay.h - the loop: events, controllers, cycles, writes, in the order of 07 §1.3, §5 and §6.2. */
#pragma once
#include "sim/cycle/explain.h"
#include "sim/record/record.h"
#include "sim/scheduler/scheduler.h"
#include <signal.h>
G_BEGIN_DECLS

typedef struct {
  SimTime until;                 /* SIM_NEVER: to the end of the work */
  SimConfSwap *swap; guint n_swaps; /* in the order in which they were given; borrowed but for their conf */
  const char *explain;           /* nullable: pod, PodGroup or job that the cycle at explain_at is explained for; the replay ends with it */
  char **saved;                  /* nullable: what the cycle at explain_at finds, as objects (save-cycle.h); the replay ends with it */
  SimTime explain_at;
  gboolean lenient;              /* for the swaps' plugins */
  gboolean check;                /* invariants, after every cycle, */
  gboolean check_fully;          /* and not only what has changed */
  gboolean skip;                 /* leave out cycles that provably decide nothing */
  const volatile sig_atomic_t *interrupted; /* nullable: stop soon when it is not 0 */
  void (*progress) (gpointer user, SimTime now, guint32 jobs_done); /* nullable; called at every cycle */
  gpointer progress_user;
} SimReplayOptions;

typedef struct {
  SimTime end;      /* when the last thing happened, or until */
  guint64 cycles, skipped, events;
  gboolean stopped; /* by until */
  SimExplain *explained; /* owned by the caller; NULL: nothing was asked, or no cycle ran at that time */
  gboolean shown;   /* the cycle at explain_at has run */
} SimReplayResult;

/** Run to the end. @engine and @timing: one for each view of the world. FALSE with SIM_ERROR_INTERRUPTED when told to stop, or when a plugin refuses the arguments of a new configuration. */
gboolean sim_replay_run (SimWorld *w, VcEngine *const *engine, const SimSchedulerTiming *timing, SimRecord *record, const SimReplayOptions *options,
                         SimReplayResult *out, GError **error);

G_END_DECLS
