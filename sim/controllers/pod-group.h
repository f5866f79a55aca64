/* sim/controllers/pod-group.h - the PodGroup that the PodGroup controller makes for a pod that names none: pure functions (05 §5.3).
 *
 * Mirrors buildPodGroupFromPod (pkg/controllers/podgroup/pg_controller_handler.go) and GeneratePodgroupName (apis/helpers). */
#pragma once
#include "core/model/objects.h"
G_BEGIN_DECLS

typedef struct {
  const char *kind, *uid;
  gboolean controller;
  VcPairs annotations;  /* of the owner as an object */
} SimPodOwner;

typedef struct {
  gint32 min_member;
  const char *queue;          /* NULL: not given */
  const char *priority_class; /* NULL: none */
  const char *phase;          /* of its status, from the start */
  GArray *min_resources;      /* VcAmount, names borrowed from the pod or static */
  GArray *annotations, *labels; /* VcPair by key, borrowed */
  VcTopologySpec topology;
} SimPodGroup;

/** The controller among the owners, NULL: the pod itself owns its PodGroup. */
const SimPodOwner *sim_pod_controller (const SimPodOwner *owner, guint n);
/** How many pods owners ask for at once by annotation scheduling.volcano.sh/group-min-member; 1. */
gint32 sim_pod_group_min_member (const SimPodOwner *owner, guint n);
/** `podgroup-<uid of what owns it>`. */
void sim_pod_group_name (GString *out, const VcPodObject *pod, const SimPodOwner *owner, guint n);
/** What the PodGroup of @pod, whose spec is as the API server completes it, says. @inherit: annotations of owners count (the controller's
 * option). @quota_names (nullable): as for sim_min_resources(). Free with sim_pod_group_clear(). */
void sim_pod_group_build (const VcPodObject *pod, const SimPodOwner *owner, guint n, gboolean inherit, GPtrArray *quota_names,
                          SimPodGroup *out);
void sim_pod_group_clear (SimPodGroup *g);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SimPodGroup, sim_pod_group_clear)

G_END_DECLS
