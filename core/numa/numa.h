/* core/numa/numa.h - what the agents of the nodes report of CPUs and NUMA nodes, and CPUs that the scheduler decided on before an agent knows.
 *
 * A Numatopology object tells which CPUs of a node are free for exclusive use. Between the decision of the scheduler and the report of the agent
 * the CPUs of a pod are missing there, so the cache keeps them: they stay subtracted until the agent has reported every such pod of the node.
 *
 * Example: pods a and b get CPUs {0,1} and {2,3} of a node with 0-7. The agent reports a only, free 2-7: the scheduler sees 4-7, as a and b stay
 * subtracted both. It reports b too, free 4-7: nothing is subtracted any more.
 *
 * In a run the agent reports a pod when it runs, with the CPUs that were decided, and what it held is free again when it ends.
 *
 * Mirrors NumatopoInfo (pkg/scheduler/api/numa_info.go), RefreshNumaSchedulerInfoByCrd (pkg/scheduler/api/node_info.go), getNumaInfo,
 * AddUnassignedNumaPods and clearUnassignedNumaPod (pkg/scheduler/cache). */
#pragma once
#include "core/model/cluster.h"
#include "cpu-topology.h"
G_BEGIN_DECLS

typedef struct VcNuma VcNuma;
/** Borrows @c. */
VcNuma *vc_numa_new (VcCluster *c);
void vc_numa_free (VcNuma *m);

/* ---- events ---- */

/** A Numatopology is new or changed; the node need not exist. */
void vc_numa_set (VcNuma *m, guint32 node, const VcNumatopologyObject *o);
/** The node goes, and its object, the decisions and the reports of pods with it. */
void vc_numa_remove_node (VcNuma *m, guint32 node);
/** The pod of a task runs: its agent reports it. It has ended: its CPUs are free. */
void vc_numa_running (VcNuma *m, guint32 task);
void vc_numa_ended (VcNuma *m, guint32 task);
/** The pod is deleted; its task has its last node still. What was decided for another node stays, as upstream forgets it. */
void vc_numa_forget (VcNuma *m, guint32 task);

/* ---- the view of a session ---- */

typedef struct {
  const VcCpuTopology *topology;
  gboolean is_static;     /* CPUManagerPolicy static */
  gboolean has_cpus;      /* the object tells of cpus */
  const char *policy;     /* TopologyManagerPolicy, "" */
  VcNumaPolicy merges;    /* the same */
  const guint64 *reserved;
  const guint64 *free;
  guint32 version;        /* of @free; never 0 */
} VcNumaNode;

/** The cache is about to be looked at (Snapshot). */
void vc_numa_refresh (VcNuma *m);
/** NULL: nothing is known of the node. */
const VcNumaNode *vc_numa_node (const VcNuma *m, guint32 node);
/** Within a session: CPUs of the node are taken, or given back. */
void vc_numa_take (VcNuma *m, guint32 node, const guint64 *cpus);
void vc_numa_give (VcNuma *m, guint32 node, const guint64 *cpus);
/** The session closes with this decision for the task on the node. TRUE: the cache did not know it. */
gboolean vc_numa_decided (VcNuma *m, guint32 task, guint32 node, const guint64 *cpus);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (VcNuma, vc_numa_free)
G_END_DECLS
