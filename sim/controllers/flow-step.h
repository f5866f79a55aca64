/* sim/controllers/flow-step.h - one look of the JobFlow controller at one of its objects (05 §7), without anything around it. */
#pragma once
#include "job-state.h"
G_BEGIN_DECLS

typedef enum {
  SIM_FLOW_NEW, /* no phase yet */
  SIM_FLOW_PENDING,
  SIM_FLOW_RUNNING,
  SIM_FLOW_SUCCEED,
  SIM_FLOW_FAILED,
  SIM_FLOW_TERMINATING,
  SIM_N_FLOW_PHASES
} SimFlowPhase;
extern const char *const sim_flow_phase_names[SIM_N_FLOW_PHASES]; /* "", "Pending", … */

/* The lists of a flow's status by phase of its jobs. Completing and Terminating are in none; what else has no list is unknown. */
typedef enum {
  SIM_FLOW_LIST_PENDING,
  SIM_FLOW_LIST_RUNNING,
  SIM_FLOW_LIST_FAILED,
  SIM_FLOW_LIST_COMPLETED,
  SIM_FLOW_LIST_TERMINATED,
  SIM_FLOW_LIST_UNKNOWN,
  SIM_N_FLOW_LISTS,
  SIM_FLOW_LIST_NONE = SIM_N_FLOW_LISTS
} SimFlowList;
SimFlowList sim_flow_list_of (SimJobPhase phase);

/** Is a flow in @phase looked after at all? */
gboolean sim_flow_is_synced (SimFlowPhase phase);
/** The phase after a look at a flow of @n_flows steps, by the numbers of its jobs in each list. */
SimFlowPhase sim_flow_next_phase (SimFlowPhase phase, guint n_flows, const guint count[SIM_N_FLOW_LISTS]);

typedef struct {
  const char *job;            /* name of its job, `<flow>-<template>` */
  const char *const *target;  /* names of the jobs that have to be Completed first */
  guint n_targets;
} SimFlowStep;

typedef struct {
  gpointer user;
  /* The phase of the Job object of that name. FALSE: there is none. */
  gboolean (*find) (gpointer user, const char *job, SimJobPhase *phase);
  /* Make the job of a step. FALSE: it cannot be made. */
  gboolean (*make) (gpointer user, guint step);
} SimFlowOps;

/** deployJob: make the jobs whose time has come, in the order of the steps. FALSE: one of them failed; the rest was not looked at. */
gboolean sim_flow_deploy (const SimFlowStep *step, guint n, const SimFlowOps *ops);

G_END_DECLS
