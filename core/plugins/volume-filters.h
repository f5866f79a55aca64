/* core/plugins/volume-filters.h - the filters of predicates that look at volumes with claims. Only pods with such volumes come here.
 *
 * PreFilter reads the claims and remembers the place in the log of assumptions; the filters and the reservation answer as of that place. */
#pragma once
#include "core/model/volumes.h"
#include "core/session/session.h"
G_BEGIN_DECLS

/* ---- what predicates calls (volume-filters.c) ---- */
typedef struct VcVolumeFilters VcVolumeFilters;
VcVolumeFilters *vc_volume_filters_new (gboolean limits, gboolean zone, gboolean binding);
void vc_volume_filters_free (VcVolumeFilters *f);
/** A session opens: what was found out about pods is dead. */
void vc_volume_filters_open (VcVolumeFilters *f, VcCluster *c);
/** PreFilter of all three: NULL passes, else the text that refuses the pod on every node. */
const char *vc_volume_filters_prepare (VcVolumeFilters *f, guint32 task);
typedef enum { VC_VOLUME_LIMITS, VC_VOLUME_ZONE, VC_VOLUME_BINDING } VcVolumeFilter;
/** One filter: NULL when the node passes. A filter that is off passes; VC_VOLUME_ZONE answers without PreFilter too. */
const char *vc_volume_filters_ask (VcVolumeFilters *f, VcVolumeFilter filter, guint32 task, guint32 node, VcCode *code);
/** Assume the bindings of the node that the task was allocated to (task.bound_to), or take them back. */
void vc_volume_filters_reserve (VcVolumeFilters *f, guint32 task);
void vc_volume_filters_unreserve (VcVolumeFilters *f, guint32 task);

/* ---- VolumeZone (volume-zone.c) ---- */
typedef struct { const char *key; char **zones; } VcZone; /* a label of a volume, and the values that it allows */
void vc_volume_zone_clear (gpointer zone); /* of an element */
/** The zones of a pod's bound volumes, added to @zones (of VcZone). NULL passes, else the reason that refuses the pod. */
const char *vc_volume_zone_prepare (VcCluster *c, const VcTask *t, GArray *zones);
gboolean vc_volume_zone_fits (const GArray *zones, const VcNodeFacts *node);

/* ---- NodeVolumeLimits (volume-limits.c) ---- */
typedef struct VcVolumeLimits VcVolumeLimits; /* scratch */
VcVolumeLimits *vc_volume_limits_new (void);
void vc_volume_limits_free (VcVolumeLimits *l);
/** NULL when the pod's CSI volumes may be attached to the node too, else the reason. */
const char *vc_volume_limits_filter (VcVolumeLimits *l, VcCluster *c, const VcTask *t, guint32 node, VcCode *code);

/* ---- VolumeBinding (volume-binding.c) ---- */
typedef struct VcVolumeBinding VcVolumeBinding;
VcVolumeBinding *vc_volume_binding_new (void);
void vc_volume_binding_free (VcVolumeBinding *b);
void vc_volume_binding_open (VcVolumeBinding *b, VcCluster *c);
/** PreFilter: NULL passes, else the reason that refuses the pod. */
const char *vc_volume_binding_prepare (VcVolumeBinding *b, guint32 task);
/** NULL when the node passes. The pass is remembered: only such a node can be reserved. */
const char *vc_volume_binding_filter (VcVolumeBinding *b, guint32 task, guint32 node, VcCode *code);
void vc_volume_binding_reserve (VcVolumeBinding *b, guint32 task);
void vc_volume_binding_unreserve (VcVolumeBinding *b, guint32 task);

G_END_DECLS
