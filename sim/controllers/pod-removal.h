/* sim/controllers/pod-removal.h - which of its pods a controller of Kubernetes lets go first: those that are least of use (controller_utils.go). */
#pragma once
#include "sim/world/world.h"
G_BEGIN_DECLS

/** Rows of the active pods of a job, by name. (transfer full) */
GArray *sim_active_pods (SimWorld *w, guint32 job);
/** Sort them by who goes first. @of_set: as ReplicaSets do (ActivePodsWithRanks), where pods that share a node go before others and ages
 * count in powers of two; else as batch Jobs do (ActivePods). */
void sim_sort_for_removal (SimWorld *w, GArray *pods, gboolean of_set);

G_END_DECLS
