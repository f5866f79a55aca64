/* sim/scheduler/scheduler.h - the scheduler process around the engine: its configuration, one cycle, and what it writes afterwards.
 *
 * Mirrors pkg/scheduler/scheduler.go: Run becomes the due times of sim_scheduler_run_once(), which the replay calls at each of them. */
#pragma once
#include "core/session/engine.h"
#include "sim/world/world.h"
G_BEGIN_DECLS

/* A configuration that comes into force at a time, as when the scheduler reads its file again. */
typedef struct {
  SimTime time;
  const char *file;
  guint scheduler;               /* whose file it is: its view */
  VcConf *conf;                  /* NULL: Volcano would refuse the file and keep what it has; the scheduler takes it over */
} SimConfSwap;

typedef struct {
  SimTime period, offset;            /* between cycles; of the first one */
  SimTime cost, cost_node, cost_pod; /* virtual time of a cycle: constant, per node, per pending pod */
} SimSchedulerTiming;

typedef struct SimScheduler SimScheduler;
/** The scheduler that sees the world as @view does; @w and @engine are borrowed. (transfer full) */
SimScheduler *sim_scheduler_new (SimWorld *w, guint view, VcEngine *engine, const SimSchedulerTiming *timing);
void sim_scheduler_free (SimScheduler *s);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SimScheduler, sim_scheduler_free)

/** The time of the next cycle (wait.Until of Run: the period counts from the end of a cycle), and how far apart cycles are that cost what the last one did. */
SimTime sim_scheduler_due (const SimScheduler *s);
SimTime sim_scheduler_step (const SimScheduler *s);
/** Virtual time that the last cycle took. */
SimTime sim_scheduler_e2e (const SimScheduler *s);
/** The run has ended at @end: cycles after that, in which there was nothing to do, do not count. */
void sim_scheduler_finish (SimScheduler *s, SimTime end);
/** Does a cycle run whenever something has happened, rather than at every period? */
gboolean sim_scheduler_follows_events (const SimScheduler *s);
/** The last cycle decided nothing, and the scheduler follows events: no cycle before @time but for sim_scheduler_rouse(). */
void sim_scheduler_sleep (SimScheduler *s, SimTime time);
/** Something has happened: a scheduler that sleeps runs a cycle now, or when the time that its last one took is over. TRUE: it slept, since *since. */
gboolean sim_scheduler_rouse (SimScheduler *s, SimTime *since);
/** A plugin wants a cycle by then, SIM_NEVER: none does. */
SimTime sim_scheduler_wake (const SimScheduler *s);
/** Leave out @n cycles. */
void sim_scheduler_skip (SimScheduler *s, gint64 n);

guint sim_scheduler_view (const SimScheduler *s);
VcEngine *sim_scheduler_engine (const SimScheduler *s);
/** loadSchedulerConf: a file that does not parse changes nothing. FALSE with @error when a plugin refuses its arguments. */
gboolean sim_scheduler_load_conf (SimScheduler *s, SimConfSwap *swap, gboolean lenient, GError **error);

/** The process ends, or the leader does; @back: when the next one has read the cluster and makes its first cycle. What the binder has sent arrives
 * all the same (sim_binder_abandon()). */
void sim_scheduler_leave (SimScheduler *s, SimTime back);
/** The next process begins, if one has to: it knows of nothing but the API server's objects, nodes in the order of their names, and reads its
 * configuration; where that file is broken it takes Volcano's default. FALSE with @error when a plugin refuses its arguments. */
gboolean sim_scheduler_arrive (SimScheduler *s, GError **error);

/** Check invariants of every cycle from now on; *failure (borrowed) is set when one is broken. */
void sim_scheduler_check (SimScheduler *s, GError **failure);

/** runOnce: open session, actions, close session; then binds, evictions and statuses are written, each in its order (07 §5). */
void sim_scheduler_run_once (SimScheduler *s, VcCycleResult *result);

G_END_DECLS
