/* sim/cycle/diagnose-cycle-private.h - what the parts of the diagnosis of one cycle share. */
#pragma once
#include "diagnose-cycle.h"
G_BEGIN_DECLS

struct SimCycleDiagnosis {
  VcCache *cache;
  const VcCluster *c;
  /* of the configuration */
  const char *reclaims, *preempts; /* the action; NULL: there is none of the kind */
  gboolean gang_preempts, preempt_first, drf_orders, enqueues;
  double overcommit;       /* factor; 0: not configured */
  /* before the cycle */
  guint32 n_tasks, n_jobs;
  guint32 *nominated;      /* [n_tasks] VC_NONE: not; else the node, or VC_NOMINATED_UNKNOWN */
  guint32 *running;        /* [n_jobs] tasks that hold a place */
  /* of the cycle */
  GArray *evicted;         /* VcEvict */
  GArray *bound;           /* VcBind */
  GArray *promised;        /* SimCyclePromise: pipelined at its close */
  GPtrArray *found;        /* Finding */
};

typedef struct { guint32 task, node; } SimCyclePromise;

static inline const VcTask *
sim_diagnosed_task (const SimCycleDiagnosis *x, guint32 row)
{
  return &x->c->task[row];
}

/** One thing that is wrong; @code and @entry are static, the texts are taken over. */
void sim_cycle_find (SimCycleDiagnosis *x, const char *code, const char *entry, char *what, char *advice);
/** Do idle nodes, and pods of jobs of lower priority in its queue that may be evicted, hold @need for the job? *victim: one of these jobs. */
gboolean sim_cycle_find_victims (const SimCycleDiagnosis *x, const VcJob *j, const VcRes *need, guint32 *victim);
/** diagnose-queues.c: jobs that wait on account of queues, after the cycle. */
void sim_cycle_find_waiting (SimCycleDiagnosis *x, const VcEngine *engine);

G_END_DECLS
