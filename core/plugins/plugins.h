/* core/plugins/plugins.h - the plugins of this folder: classes, argument tables, one-line summaries.
 *
 * A plugin file defines its class and its table; registry.c lists both. To add a plugin, copy template.c, declare it here and give it a
 * line in vc_plugin_classes[] and in the catalog (registry.c). */
#pragma once
#include "core/session/session.h"
G_BEGIN_DECLS

extern const VcPluginClass vc_plugin_binpack, vc_plugin_conformance, vc_plugin_drf, vc_plugin_gang, vc_plugin_nodeorder,
  vc_plugin_overcommit, vc_plugin_predicates, vc_plugin_priority, vc_plugin_proportion;
extern const VcArgSpec vc_binpack_args[], vc_nodeorder_args[], vc_overcommit_args[], vc_predicates_args[];

extern const VcPluginClass vc_plugin_cdp, vc_plugin_sla, vc_plugin_tdm;
extern const VcArgSpec vc_sla_args[], vc_tdm_args[];

extern const VcPluginClass vc_plugin_extender, vc_plugin_rescheduling, vc_plugin_usage;
extern const VcArgSpec vc_extender_args[], vc_rescheduling_args[], vc_usage_args[];

extern const VcPluginClass vc_plugin_capacity, vc_plugin_pdb, vc_plugin_resourcequota;
extern const VcArgSpec vc_capacity_args[];

extern const VcPluginClass vc_plugin_nodegroup, vc_plugin_resource_strategy_fit, vc_plugin_task_topology;
extern const VcArgSpec vc_nodegroup_args[], vc_resource_strategy_fit_args[], vc_task_topology_args[];

extern const VcPluginClass vc_plugin_deviceshare;
extern const VcArgSpec vc_deviceshare_args[];
extern const VcPluginClass vc_plugin_numa_aware;
extern const VcArgSpec vc_numa_aware_args[];
extern const VcPluginClass vc_plugin_network_topology_aware;
extern const VcArgSpec vc_network_topology_aware_args[];

/* Macros, as the catalog and the class both need the text in a constant initialiser. */
#define VC_BINPACK_SUMMARY "prefer the fullest node that still fits"
#define VC_CDP_SUMMARY "protect freshly started pods from eviction for a cool-down time"
#define VC_CAPACITY_SUMMARY "queues with deserved and guaranteed amounts per resource, flat or as a tree"
#define VC_CONFORMANCE_SUMMARY "never evict system-critical pods"
#define VC_DEVICESHARE_SUMMARY "share GPUs and NPUs between pods: by memory, by number, cut into instances"
#define VC_DRF_SUMMARY "order jobs by their dominant share of the cluster, queues by a weighted tree"
#define VC_GANG_SUMMARY "start a job when minAvailable of its tasks can run, or not at all"
#define VC_NETWORK_TOPOLOGY_AWARE_SUMMARY "keep a job within few switches, and pack network domains"
#define VC_NODEGROUP_SUMMARY "tie queues to groups of nodes, with caps per queue and group"
#define VC_NODEORDER_SUMMARY "score nodes as the kube-scheduler does, each scorer with a weight"
#define VC_NUMA_AWARE_SUMMARY "foresee the CPUs that a pod gets, and keep them on few NUMA nodes"
#define VC_OVERCOMMIT_SUMMARY "admit jobs up to a multiple of the cluster's capacity"
#define VC_PDB_SUMMARY "respect PodDisruptionBudgets when evicting"
#define VC_PREDICATES_SUMMARY "filter nodes as the kube-scheduler does: cordons, affinity to nodes and pods, taints, ports, pod count, topology spread, volumes, claims on devices"
#define VC_PRIORITY_SUMMARY "order jobs and tasks by priority; preempt only lower ones"
#define VC_EXTENDER_SUMMARY "ask an HTTP service: filter, score, victims, admission and more"
#define VC_RESCHEDULING_SUMMARY "name pods on loaded nodes from time to time, for shuffle to evict"
#define VC_RESOURCE_STRATEGY_FIT_SUMMARY "fill or spread nodes by a strategy per resource, spare those with scarce ones"
#define VC_SLA_SUMMARY "jobs that wait longer than their limit go first and get in"
#define VC_TASK_TOPOLOGY_SUMMARY "place tasks of a job together or apart by role"
#define VC_TDM_SUMMARY "lend nodes to revocable pods for hours of the day"
#define VC_USAGE_SUMMARY "filter and score nodes by their measured load"
#define VC_PROPORTION_SUMMARY "split the cluster between queues by weight, bounded by request, capability and guarantee"
#define VC_RESOURCEQUOTA_SUMMARY "admit jobs within the ResourceQuota of their namespace"

/* template.c: the example, in no registry. Its parts are public so that its test can call them. */
extern const VcPluginClass vc_plugin_template;
extern const VcArgSpec vc_template_args[];
gboolean vc_template_score (gpointer self, VcSession *ssn, guint32 task, const guint32 *nodes, guint n, double *score);

G_END_DECLS
