/* sim/world/model.h - what is slow, random or wrong in the simulated cluster, and the draws that decide it.
 *
 * Everything random depends on the seed, on its purpose and on the name of its subject alone (core/base/random.h): the same pod meets
 * the same fate under another scheduler, and nothing that is switched on shifts what else is drawn. Rates are probabilities from 0 to 1. */
#pragma once
#include "sim-time.h"
#include "workloads/native/distribution.h"
G_BEGIN_DECLS

typedef struct {
  guint64 seed;
  /* the binder */
  WlDistribution bind_latency;   /* of one call */
  gint64 bind_batch;             /* pods bound one after the other by one goroutine (BATCH_BIND_NUM) */
  double bind_qps;               /* calls in a second, 0: no limit */
  gint64 bind_burst;             /* 0: one second's worth */
  double bind_error;             /* rate of binds that fail */
  double resync_error;           /* rate at which the pod cannot be read again after that */
  /* kubelets */
  WlDistribution start_delay;
  double start_failure;          /* rate of pods that the kubelet refuses */
  double start_stuck;            /* rate of pods whose containers do not start for some time */
  WlDistribution start_stuck_time; gboolean stuck_for_ever;
  double crash_loop;             /* rate of pods whose containers crash in every run */
  WlDistribution crash_after;
  WlDistribution pre_stop, termination; gboolean terminates; /* FALSE: containers ignore the signal until the grace period is over */
  /* runs of pods */
  double failure;                /* rate of runs that fail, -1: as time_to_failure says */
  WlDistribution time_to_failure; gboolean has_time_to_failure;
  gint64 failure_code;           /* exit code of such runs */
  SimTime checkpoint;            /* work is saved so often, 0: never */
  double straggler, straggler_node; /* rates of pods and of nodes that are slow */
  WlDistribution slowdown;       /* how much longer everything takes there */
  double usage;                  /* part of its request that a running pod uses */
  SimTime usage_interval;        /* between measurements of the nodes' load, 0: none */
  /* the cluster's own controllers */
  SimTime node_monitor_grace;    /* until a machine that is off is noticed */
  SimTime unreachable_toleration; /* that admission gives every pod; whole seconds */
  SimTime controller_lag, informer_lag;
  double image_bandwidth;        /* bytes in a second, 0: pulls take no time */
  /* storage */
  WlDistribution provision_latency; /* from the order for a volume until it is there */
} SimModel;

void sim_model_init (SimModel *m);
void sim_model_clear (SimModel *m);

G_END_DECLS
