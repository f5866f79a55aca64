/* core/plugins/dynamic-resources.h - the part of predicates that is Kubernetes' DynamicResources: claims on devices.
 *
 * PrePredicate looks up the pod's claims and notes what is taken; the filter allocates on one node; a placement reserves what the filter
 * found for its node, and taking it back releases that. Reserved claims are under way until the pod is bound: no other pod may use them
 * until then. A pod that is only pipelined reserves nothing (its node is not in the pod yet), so one with claims that are not allocated
 * cannot be.
 * Score: an alternative of firstAvailable is worth the more the earlier it stands, 8 for the first; the best node gets 100.
 * Mirrors k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources. */
#pragma once
#include "core/session/session.h"
G_BEGIN_DECLS

typedef struct VcDynamicResources VcDynamicResources;
/** @timeout: seconds that the filter may take for one node; 0: for ever. */
VcDynamicResources *vc_dynamic_resources_new (gint64 timeout);
void vc_dynamic_resources_free (VcDynamicResources *r);
void vc_dynamic_resources_open (VcDynamicResources *r, VcSession *ssn);

/* For tasks of pods that have entries in spec.resourceClaims. */
/** PrePredicate: NULL passes, else why no node will do. */
const char *vc_dynamic_resources_prepare (VcDynamicResources *r, guint32 task);
/** NULL passes, else a reason; *code tells how it counts. */
const char *vc_dynamic_resources_filter (VcDynamicResources *r, guint32 task, guint32 node, VcCode *code);
/** FALSE: nothing was found for the node of the pod. */
gboolean vc_dynamic_resources_reserve (VcDynamicResources *r, guint32 task, guint32 node);
void vc_dynamic_resources_unreserve (VcDynamicResources *r, guint32 task);
/** Adds to @score. FALSE: scoring fails as a whole. */
gboolean vc_dynamic_resources_score (VcDynamicResources *r, guint32 task, const guint32 *nodes, guint n, double *score);
/** For whoever asks why: what the filter found for the task on @node, or where it ended. Nothing when the filter was not asked. */
void vc_dynamic_resources_explain (const VcDynamicResources *r, guint32 task, guint32 node, GString *out);

G_END_DECLS
