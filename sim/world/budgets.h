/* sim/world/budgets.h - PodDisruptionBudgets: which pods they cover, how many of those are healthy, and what may be evicted.
 *
 * All of it is kept up to date as pods, jobs and budgets change. Labels are matched when a pod or a budget comes. Mirrors the disruption controller and
 * the eviction of Kubernetes. */
#pragma once
#include "world.h"
G_BEGIN_DECLS

/* Object @i of the input is a budget: it is there, or gone (nothing, when it was not there). */
void sim_budget_add (SimWorld *w, guint32 i);
void sim_budget_drop (SimWorld *w, guint32 i);
/** The object that is there of that name, SIM_NONE. */
guint32 sim_budget_find (const SimWorld *w, const VcPodDisruptionBudgetObject *o);

/** The pod has a row in the cache now. */
void sim_budgets_meet (SimWorld *w, guint32 pod);
/** Something has changed for a pod (phase, deletion, readiness of its container), or whether its node is heard of: does it count as healthy by now? */
void sim_budgets_look (SimWorld *w, guint32 pod);
void sim_budgets_look_at_node (SimWorld *w, guint32 node);
/** The pod goes. */
void sim_budgets_leave (SimWorld *w, guint32 pod);
/** The job has another number of replicas, or is gone. */
void sim_budgets_job_changed (SimWorld *w, guint32 job);
/** Tell the scheduler what has changed. */
void sim_budgets_flush (SimWorld *w);

typedef enum {
  SIM_EVICTION_GRANTED,   /* the pod may be deleted */
  SIM_EVICTION_LATER,     /* a budget does not allow it now (429) */
  SIM_EVICTION_ERROR,     /* never in this way: more than one budget covers the pod (500) */
} SimEviction;
/** What pods/eviction answers for the pod; *budget names the budget that is against it. Mirrors pkg/registry/core/pod/storage/eviction.go. */
SimEviction sim_eviction_ask (const SimWorld *w, guint32 pod, const char **budget);

/* For the checker of invariants. */
/** Is it known of the pod whether it counts as healthy? */
gboolean sim_budgets_know (const SimWorld *w, const SimPod *p);
/** Is it known which budgets cover the pod? Labels are matched afresh. */
gboolean sim_budgets_cover (const SimWorld *w, const SimPod *p);
/** Count all pods by that, and all replicas: the name of a budget whose figures differ, NULL: none does. */
const char *sim_budgets_recount (const SimWorld *w);

void sim_budgets_free (SimWorld *w);

G_END_DECLS
