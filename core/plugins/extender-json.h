/* core/plugins/extender-json.h - tasks, nodes, jobs and queues as upstream's structures marshal them (what volsim knows of them).
 *
 * Names and order of the fields are those of the Go structures in pkg/scheduler/api; what volsim does not keep has the zero value: owner
 * references, container commands and volumes of pods, devices, NUMA nodes, sub-jobs, fit errors, generations. The pod's phase follows the task's status.
 *
 * NUMA nodes are null where upstream sends, of nodes with a Numatopology, NumaInfo and NumaSchedulerInfo (policies, capacity of cpus, CPUDetail, reserved
 * amounts, pods with their CPUs) and UnassignedNumaPods, and of tasks with a policy NumaInfo. Sets of CPUs are no loss: Go marshals them as {}, so that which
 * CPUs are free is not among what upstream sends.
 * Quantities are written in milli-units only where needed. */
#pragma once
#include "core/session/session.h"
G_BEGIN_DECLS

void vc_extender_task (GString *out, const VcCluster *c, guint32 task);
void vc_extender_node (GString *out, const VcCluster *c, guint32 node);
void vc_extender_job (GString *out, const VcCluster *c, guint32 job);
void vc_extender_queue (GString *out, const VcCluster *c, guint32 queue);
/** The body of the session-open call. */
void vc_extender_session (GString *out, VcSession *ssn);

G_END_DECLS
