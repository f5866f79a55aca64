/* core/plugins/drf-hierarchy.h - the weighted tree of queues behind drf with enableHierarchy.
 *
 * Inner nodes are the parts of the paths in the queues' annotation volcano.sh/hierarchy, leaves are jobs. The tree holds its own sums:
 * the caller reports every change. Built anew for each session. */
#pragma once
#include "core/session/session.h"
G_BEGIN_DECLS

typedef struct VcDrfTree VcDrfTree;
VcDrfTree *vc_drf_tree_new (void);
void vc_drf_tree_free (VcDrfTree *t); /* NULL is fine */
/** The tree of this session's jobs with what they have allocated. @dims: resources of the total that count. */
void vc_drf_tree_build (VcDrfTree *t, VcSession *ssn, guint64 dims);
/** @job gets (@sign 1) or loses (-1) @request. */
void vc_drf_tree_change (VcDrfTree *t, guint32 job, const VcRes *request, int sign);
/** < 0: queue @l goes first. */
double vc_drf_tree_compare (const VcDrfTree *t, guint32 l, guint32 r);

G_END_DECLS
