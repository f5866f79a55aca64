/* core/numa/numa-policy.h - which NUMA nodes a container gets: hints of those who know a resource, and the policy that merges them.
 *
 * Policies, by the node's topology manager:
 *   best-effort        the best of the merged hints, whatever it is
 *   restricted         refuses unless that one is preferred
 *   single-numa-node   looks at preferred hints of one node only, and refuses when nothing preferred is left
 *   none, any other    no hint, never refuses
 * Merged is every combination of one hint per resource: the nodes that all of them name; preferred when all of them are. The best is preferred
 * before not, then has fewer nodes, then lower ids. When nothing is left: all nodes, not preferred.
 *
 * Example, nodes 0 and 1: hints {0} and {1} preferred, {0,1} not, from one resource: the best is {0}, preferred; every policy admits.
 *
 * Mirrors pkg/scheduler/plugins/numaaware/policy. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

typedef enum { VC_NUMA_NONE, VC_NUMA_BEST_EFFORT, VC_NUMA_RESTRICTED, VC_NUMA_SINGLE_NODE } VcNumaPolicy;
VcNumaPolicy vc_numa_policy_of (const char *text); /* anything else: none */

/* nodes 0-63 as a mask; any: no nodes are named, whatever the mask */
typedef struct { guint64 nodes; gboolean any, preferred; } VcNumaHint;
/* Of one resource. @free: no preference, whatever the list; an empty list: the resource cannot be had. */
typedef struct { const VcNumaHint *hint; guint n; gboolean free; } VcNumaHints;

/** The best merged hint for the resources @of, on a machine with @nodes; FALSE: the policy refuses (@best is set all the same). */
gboolean vc_numa_policy_admits (VcNumaPolicy policy, guint64 nodes, const VcNumaHints *of, guint n, VcNumaHint *best);

G_END_DECLS
