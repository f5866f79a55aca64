/* core/numa/cpu-topology.h - CPUs of one machine: where each lies, and which of them a container that asks for whole CPUs gets.
 *
 * CPUs are given out as the kubelet's static CPU manager does it, in the form that Volcano carries. Sets of CPUs are bit words; the topology
 * tells how many (vc_cpu_topology_words). Ids of CPUs, cores and sockets are as the machine reports them, with gaps or not.
 *
 * Example, 2 sockets x 2 cores x 2 threads, CPUs 0-7, all free:
 *   2 CPUs: core 0, so {0,1}     3 CPUs: core 0 and one thread of core 1, {0,1,2}     4 CPUs: socket 0, {0,1,2,3}
 *
 * Mirrors pkg/scheduler/plugins/numaaware/provider/cpumanager and, for CPUDetails and CPUSet, Kubernetes' kubelet/cm/cpumanager/topology and
 * k8s.io/utils/cpuset. */
#pragma once
#include "core/model/objects.h"
#include "numa-policy.h"
G_BEGIN_DECLS

#define VC_CPU_LIMIT 65536u    /* CPU ids are below */
#define VC_NUMA_LIMIT 64u      /* ids of NUMA nodes are below */
#define VC_NUMA_MOST 16u       /* NUMA nodes of a machine: every set of them is looked at */

typedef struct VcCpuTopology VcCpuTopology;

/** @detail: one entry for each CPU, in any order (of two for one CPU the later counts); ids of CPUs are below VC_CPU_LIMIT, of NUMA nodes below
 * VC_NUMA_LIMIT, of these at most VC_NUMA_MOST different ones. Sets may also hold CPUs below @top that have no detail. */
VcCpuTopology *vc_cpu_topology_new (const VcCpuDetail *detail, guint n, guint32 top);
void vc_cpu_topology_free (VcCpuTopology *t);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VcCpuTopology, vc_cpu_topology_free)
guint vc_cpu_topology_words (const VcCpuTopology *t);
/** CPUs that have a detail. */
const guint64 *vc_cpu_topology_all (const VcCpuTopology *t);
/** The NUMA nodes as a mask. */
guint64 vc_cpu_topology_nodes (const VcCpuTopology *t);
/** NUMA nodes of the CPUs of a set, as a mask; a CPU without a detail is on node 0. */
guint64 vc_cpu_topology_span (const VcCpuTopology *t, const guint64 *cpus);

/** takeByTopology: @n CPUs of @free into @out (the CPUs of a core that spans sockets come together, so there may be more). FALSE: not enough. */
gboolean vc_cpu_take (const VcCpuTopology *t, const guint64 *free, gint64 n, guint64 *out);
/** generateCPUTopologyHints: sets of NUMA nodes with at least @n CPUs in @free, smallest sets first, into @hints (VcNumaHint; emptied first).
 * Preferred are those of the size of the smallest set of nodes that has @n CPUs, free or not. */
void vc_cpu_hints (const VcCpuTopology *t, const guint64 *free, gint64 n, GArray *hints);
/** What a container that asks for @n CPUs gets of @free: those of the chosen NUMA nodes first, then others. None when there are not enough. */
void vc_cpu_give (const VcCpuTopology *t, const guint64 *free, gint64 n, const VcNumaHint *chosen, guint64 *out);

/* ---- sets ---- */

/** cpuset.Parse ("0-3,8"): the highest id + 1 (0 for the empty set), or -1 when the text is no list of CPUs, -2 when an id is too large. With @out,
 * of that size, also the set. */
gint64 vc_cpu_list_parse (const char *text, guint64 *out);
/** The set as a list, "0-3,8"; "none" for the empty one. Appended to @out. */
void vc_cpu_list_append (GString *out, const guint64 *cpus, guint words);
static inline guint vc_cpu_words (guint32 top) { return (top + 63) / 64; }
static inline gboolean vc_cpu_has (const guint64 *cpus, guint words, guint32 cpu) { return cpu / 64 < words && (cpus[cpu / 64] >> (cpu % 64) & 1) != 0; }
static inline void vc_cpu_add (guint64 *cpus, guint32 cpu) { cpus[cpu / 64] |= G_GUINT64_CONSTANT (1) << (cpu % 64); }
guint32 vc_cpu_count (const guint64 *cpus, guint words);

G_END_DECLS
