/* workloads/import/gang.h - a job that asks for so many GPUs in all becomes pods that fit nodes; private to formats. */
#pragma once
#include "import.h"
G_BEGIN_DECLS

typedef struct {
  guint32 per_pod;    /* most GPUs of a pod, above 0 */
  gint64 cpu, memory; /* beside each GPU: thousandths of a core, bytes */
} WlGangShape;

/** Pods of shape->per_pod GPUs and one for the rest, all running @run, as one or two roles ("w", "rest") of @role. @gpus is above 0. Gives their number. */
guint wl_gang_roles (const WlGangShape *shape, guint32 gpus, WlTime run, WlImportRole role[2]);
/** Options "pod-cpu", "pod-memory" and "gpus-per-node" of the format as a shape. */
WlGangShape wl_gang_shape (const WlImport *imp);
/** So many equal nodes as the options "nodes", "gpus-per-node", "node-cpu" and "node-memory" say; what the user did not say counts as made up. */
void wl_gang_nodes (WlImport *imp, guint32 nodes);

#define WL_GANG_OPTIONS(n_gpus, cores, bytes, pod_cores, pod_bytes)                                        \
  { "gpus-per-node", WL_OPTION_COUNT, n_gpus, NULL, "GPUs of a node, and most GPUs of a pod" },             \
  { "node-cpu", WL_OPTION_SIZE, cores, NULL, "cores of a node" },                                     \
  { "node-memory", WL_OPTION_SIZE, bytes, NULL, "memory of a node" },                                 \
  { "pod-cpu", WL_OPTION_QUANTITY, pod_cores, NULL, "cores that a pod asks for beside each GPU" },        \
  { "pod-memory", WL_OPTION_QUANTITY, pod_bytes, NULL, "memory that a pod asks for beside each GPU" }

G_END_DECLS
