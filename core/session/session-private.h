/* core/session/session-private.h - the insides of session and engine, for the files of this folder. */
#pragma once
#include "core/model/steps.h"
#include "core/base/arena.h"
#include "core/base/heap.h"
#include "core/cache/cache-private.h"
#include "engine.h"

typedef void (*VcAnyFn) (void); /* cast back to the family's type before the call */

typedef struct { /* one participant of a family */
  guint tier;
  VcAnyFn fn, aux; /* aux: column form of a predicate, reduce of a map, number of a job's order, any for a steady order of tasks */
  VcScopeFn scope;
  gpointer self;
  VcVictimReads reads; /* of victim filters */
  guint32 session; /* in which it was registered last */
  const char *plugin;
} VcHook;
typedef struct { VcHook *item; guint n; } VcChain;

typedef struct { /* one entry of the configuration */
  const VcPluginClass *class;
  const VcPluginOption *option;
  gpointer self;
  guint tier;
  guint name_id; /* index of the first entry of that name: callbacks are kept by name (W10) */
} VcPlugin;

typedef struct { VcTaskAllocatedFn allocated; VcTaskEventFn deallocated; gpointer self; } VcHandler;

typedef struct VcShapeViews VcShapeViews;
typedef struct VcRooms VcRooms; /* rooms.h */
typedef struct VcTurns VcTurns; /* turns.h */

struct VcSession {
  VcEngine *engine;
  VcCache *cache;
  VcCluster *cluster;
  guint32 number;
  gint64 now;
  guint32 *jobs; guint n_jobs; guint32 cap_jobs;
  VcArena *arena;       /* dies with the session */
  VcChain chain[VC_N_HOOKS];
  VcHandler *handler; guint n_handlers;
  const VcHyperView *hypers; /* NULL: nobody has asked yet */
  GArray *node_victims; /* guint32: tasks named by vc_session_mark_node_victim */
  GArray *unreleased;   /* guint32: of these, those whose room the session does not see until it closes */
  guint32 *touched, n_touched, cap_touched; /* tasks that this session placed or evicted; repeats allowed */
  /* while plugins open */
  VcPlugin *opening;
  VcHook *registered;   /* [n_plugins][VC_N_HOOKS] by name_id */
  guint n_registered, n_registered_before;
  gboolean hooks_changed; /* some registration differs from the session before: the chains are built anew */
  guint32 moves;        /* counts placements and evictions, and their end */
  guint32 remembered;   /* task whose node is picked from the shape views; VC_NONE: predicates are asked */
  VcEvictionKind eviction_kind;
  guint32 eviction_job;
  /* counters of the cycle */
  VcCycleResult result;
  gboolean conditions_changed;
  struct { const char *raw, *interned; } literal[8]; /* of conditions, by address */
};

struct VcEngine {
  VcCache *cache;
  VcConf *conf;
  gboolean lenient;
  VcEngineOptions options;
  VcPlugin *plugin; guint n_plugins;
  const VcActionClass **action; guint n_actions;
  gboolean has_enqueue;
  gint64 *action_ns, open_ns, close_ns;
  guint32 rotating;     /* G: where the next predicate scan starts (02 §1.9) */
  guint32 dry_run_cursor;
  guint32 sessions;
  guint32 conf_generation;
  VcSession ssn;
  VcQueueGauge *gauge; guint32 n_gauges;
  VcLeftover *leftover; guint32 n_leftovers, cap_leftovers;
  VcNomination *nomination; guint32 n_nominations, cap_nominations;
  VcShapeViews *views;
  VcRooms *rooms; /* NULL until HyperNodes are tried */
  VcTurns *turns; /* NULL until somebody wants to know of them */
  struct VcSearch *scratch; /* vc_search_scratch() */
  /* scratch that actions reuse from cycle to cycle */
  VcHeap *heap; guint32 n_heaps, cap_heaps;
  struct VcJobLines *lines;
  struct VcTaskLines *task_lines;
  guint32 *job_slot; guint32 cap_job_slot;   /* job row → slot of an action's own table */
  GArray *victims, *rows;
  guint64 rand_state;
  guint64 loops;        /* stretches of allocate's loops over tasks in which nothing was placed */
};

static inline gboolean vc_job_in_session (const VcCluster *c, guint32 job)
{
  return job != VC_NONE && c->job[job].has_pg && c->job[job].queue != VC_NONE;
}

/** Does every plugin that orders jobs or tasks (@f) say how an order can be kept from session to session? Never with --plain. */
gboolean vc_session_may_keep_order (const VcSession *ssn, VcHookFamily f);
void vc_session_touch (VcSession *ssn, guint32 task);
void vc_hooks_build (VcSession *ssn);
void vc_job_updater_run (VcSession *ssn);
/** An empty heap that lives until the session closes; slots count from 0. */
VcHeap *vc_session_heap (VcSession *ssn, guint32 *slot, VcHeapLess less);
/** Room for one slot number per job row; every entry is VC_NONE after this call. */
guint32 *vc_session_job_slots (VcSession *ssn);
gboolean vc_session_heap_job_less (gpointer ssn, guint32 l, guint32 r);
gboolean vc_session_heap_queue_less (gpointer ssn, guint32 l, guint32 r);
gboolean vc_session_heap_task_less (gpointer ssn, guint32 l, guint32 r);
void vc_session_open (VcEngine *e, gint64 now);
/** Rules and allocated HyperNodes of the jobs that have sub-jobs, and their end. */
void vc_session_open_topology (VcSession *ssn);
gboolean vc_session_close_topology (VcSession *ssn); /* TRUE: what is allocated is not what it was */
void vc_session_close (VcEngine *e, guint32 rotating_before, guint32 cursor_before);
