/* workloads/native/faults.h - faults.csv: what breaks in the cluster, when, for how long and how often.
 *
 * Columns: time, kind (required), target, unit, duration, every, count, value, lead. docs/scenario.md says what the kinds do. */
#pragma once
#include "distribution.h"
G_BEGIN_DECLS

typedef enum {
  /* of nodes */
  WL_FAULT_CRASH, WL_FAULT_NOTREADY, WL_FAULT_REMOVE, WL_FAULT_CORDON, WL_FAULT_DRAIN, WL_FAULT_MAINTENANCE, WL_FAULT_SHRINK, WL_FAULT_TAINT,
  /* of the control plane */
  WL_FAULT_SCHEDULER_RESTART, WL_FAULT_LEADER_CHANGE, WL_FAULT_CONTROLLER_LAG, WL_FAULT_INFORMER_LAG, WL_FAULT_BIND_ERROR,
  WL_N_FAULTS
} WlFaultKind;
extern const char *const wl_fault_names[WL_N_FAULTS]; /* as in the column */
static inline gboolean
wl_fault_is_of_nodes (WlFaultKind kind)
{
  return kind < WL_FAULT_SCHEDULER_RESTART;
}

/** Is the target, where there is one, a scheduler? */
static inline gboolean
wl_fault_is_of_schedulers (WlFaultKind kind)
{
  return kind == WL_FAULT_SCHEDULER_RESTART || kind == WL_FAULT_LEADER_CHANGE;
}

typedef struct {
  WlFaultKind kind;
  WlTime time;               /* of the first, or from when on they come */
  char *target;              /* as written, "" for all of the control plane */
  gboolean everywhere;       /* target "*" */
  GStrv names;               /* target "a|b"; NULL */
  GArray *labels;            /* target "key=value;key=value": WlPair; NULL */
  char *unit;                /* "node", "all", or the key of a label */
  WlDistribution every; gboolean recurs;    /* time between the end of one and the next */
  WlDistribution duration; gboolean ends;   /* FALSE: for ever */
  gint32 count;              /* at most so many of each unit, -1: no limit */
  WlTime lead;               /* maintenance: drained so long before */
  gint32 percent;            /* shrink: of every resource, -1: resources say */
  GArray *resources;         /* shrink: WlResource; NULL */
  GArray *taints;            /* taint: WlTaint; NULL */
  double rate;               /* bind-error */
  WlTime lag;                /* controller-lag, informer-lag */
  guint32 line;
} WlFault;

/** In the order of the file; free with g_array_unref(). */
GArray *wl_read_faults (const char *path, GError **error);

G_END_DECLS
