/* core/devices/gpu-exclusive.h - rules that keep pods with certain labels on cards of their own. */
#pragma once
#include "device-class.h"
G_BEGIN_DECLS

/** The rules of an argument: a list of maps from label to text. Values that are no text are left out, and so are maps of which nothing is left. NULL
 * when no rule is left, or @arg is no list (or NULL). Texts live as long as @arena. */
const VcGpuRules *vc_gpu_rules_read (const VcArg *arg, VcArena *arena);
/** Do the labels match any rule? */
gboolean vc_gpu_rules_match (const VcGpuRules *rules, const VcPairs *labels);

/* Which cards of a node the pods of each rule sit on, within a session. */
typedef struct VcGpuExclusive VcGpuExclusive;
/** @n_cards cards, nobody on them. */
VcGpuExclusive *vc_gpu_exclusive_new (const VcGpuRules *rules, guint n_cards);
VcGpuExclusive *vc_gpu_exclusive_copy (const VcGpuExclusive *x);
void vc_gpu_exclusive_free (VcGpuExclusive *x);
/** A pod with @labels is on the node. @uid_known: its identity is, so that other pods' leaving looks at it. */
void vc_gpu_exclusive_know (VcGpuExclusive *x, guint32 task, const VcPairs *labels, gboolean uid_known);
/** The pod holds @card, by place. No effect for pods that match no rule. */
void vc_gpu_exclusive_reserve (VcGpuExclusive *x, guint card, const VcPairs *labels);
/** The pod gives its cards back, but for those on which a pod of some rule still sits: @pods are the pods on each card. @forget: its identity too. */
void vc_gpu_exclusive_leave (VcGpuExclusive *x, guint32 task, const VcPairs *labels, const VcDevicePods *const *pods, gboolean forget);
/** Cards that pods with @labels may not join: 1 in @closed [n_cards]. FALSE: none. */
gboolean vc_gpu_exclusive_closed (const VcGpuExclusive *x, const VcPairs *labels, guint8 *closed);

G_END_DECLS
