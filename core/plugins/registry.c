/* core/plugins/registry.c - the plugins that exist here, and every name that a configuration may use.
 *
 * Mirrors pkg/scheduler/plugins/factory.go and pkg/scheduler/actions/factory.go. */
#include "plugins.h"
#include "core/beyond/beyond.h"
#include "core/session/engine.h"
#include <string.h>

const VcPluginClass *const vc_plugin_classes[] = {
  &vc_plugin_binpack, &vc_plugin_capacity,    &vc_plugin_cdp,         &vc_plugin_conformance, &vc_plugin_deviceshare, &vc_plugin_drf, &vc_plugin_extender, &vc_plugin_gang, &vc_plugin_network_topology_aware, &vc_plugin_nodegroup, &vc_plugin_nodeorder, &vc_plugin_numa_aware,
  &vc_plugin_overcommit, &vc_plugin_pdb, &vc_plugin_predicates,  &vc_plugin_priority, &vc_plugin_proportion, &vc_plugin_rescheduling, &vc_plugin_resource_strategy_fit, &vc_plugin_resourcequota, &vc_plugin_sla, &vc_plugin_task_topology, &vc_plugin_tdm, &vc_plugin_usage,
  &vc_plugin_x_2dlas, &vc_plugin_x_bestfit, &vc_plugin_x_dotprod, &vc_plugin_x_fgd, &vc_plugin_x_fragments, &vc_plugin_x_gpuclustering, &vc_plugin_x_gpupacking,
  &vc_plugin_x_random, &vc_plugin_x_srsf, &vc_plugin_x_srtf, NULL,
};

const VcPluginClass *
vc_plugin_find (const char *name)
{
  for (const VcPluginClass *const *c = vc_plugin_classes; *c != NULL; c++)
    if (strcmp ((*c)->name, name) == 0)
      return *c;
  return NULL;
}

/* ---- catalog -------------------------------------------------------------------------------- */

/* core/actions; their header is not for plugins */
extern const VcArgSpec vc_allocate_args[], vc_backfill_args[], vc_enqueue_args[], vc_gangpreempt_args[], vc_gangreclaim_args[],
  vc_preempt_args[], vc_reclaim_args[], vc_shuffle_args[];

static const VcNameSpec plugin_names[] = {
  { "binpack", VC_BINPACK_SUMMARY, vc_binpack_args, TRUE },
  { "capacity", VC_CAPACITY_SUMMARY, vc_capacity_args, TRUE },
  { "cdp", VC_CDP_SUMMARY, NULL, TRUE },
  { "conformance", VC_CONFORMANCE_SUMMARY, NULL, TRUE },
  { "deviceshare", VC_DEVICESHARE_SUMMARY, vc_deviceshare_args, TRUE },
  { "drf", VC_DRF_SUMMARY, NULL, TRUE },
  { "extender", VC_EXTENDER_SUMMARY, vc_extender_args, TRUE },
  { "gang", VC_GANG_SUMMARY, NULL, TRUE },
  { "network-topology-aware", VC_NETWORK_TOPOLOGY_AWARE_SUMMARY, vc_network_topology_aware_args, TRUE },
  { "nodegroup", VC_NODEGROUP_SUMMARY, vc_nodegroup_args, TRUE },
  { "nodeorder", VC_NODEORDER_SUMMARY, vc_nodeorder_args, TRUE },
  { "numa-aware", VC_NUMA_AWARE_SUMMARY, vc_numa_aware_args, TRUE },
  { "overcommit", VC_OVERCOMMIT_SUMMARY, vc_overcommit_args, TRUE },
  { "pdb", VC_PDB_SUMMARY, NULL, TRUE },
  { "predicates", VC_PREDICATES_SUMMARY, vc_predicates_args, TRUE },
  { "priority", VC_PRIORITY_SUMMARY, NULL, TRUE },
  { "proportion", VC_PROPORTION_SUMMARY, NULL, TRUE },
  { "rescheduling", VC_RESCHEDULING_SUMMARY, vc_rescheduling_args, TRUE },
  { "resource-strategy-fit", VC_RESOURCE_STRATEGY_FIT_SUMMARY, vc_resource_strategy_fit_args, TRUE },
  { "resourcequota", VC_RESOURCEQUOTA_SUMMARY, NULL, TRUE },
  { "sla", VC_SLA_SUMMARY, vc_sla_args, TRUE },
  { "task-topology", VC_TASK_TOPOLOGY_SUMMARY, vc_task_topology_args, TRUE },
  { "tdm", VC_TDM_SUMMARY, vc_tdm_args, TRUE },
  { "usage", VC_USAGE_SUMMARY, vc_usage_args, TRUE },
  { "x-2dlas", VC_X_2DLAS_SUMMARY, vc_x_2dlas_args, VC_BEYOND },
  { "x-bestfit", VC_X_BESTFIT_SUMMARY, vc_x_packing_args, VC_BEYOND },
  { "x-dotprod", VC_X_DOTPROD_SUMMARY, vc_x_packing_args, VC_BEYOND },
  { "x-fgd", VC_X_FGD_SUMMARY, vc_x_fgd_args, VC_BEYOND },
  { "x-fragments", VC_X_FRAGMENTS_SUMMARY, vc_x_fragments_args, VC_BEYOND },
  { "x-gpuclustering", VC_X_GPUCLUSTERING_SUMMARY, vc_x_packing_args, VC_BEYOND },
  { "x-gpupacking", VC_X_GPUPACKING_SUMMARY, vc_x_packing_args, VC_BEYOND },
  { "x-random", VC_X_RANDOM_SUMMARY, vc_x_random_args, VC_BEYOND },
  { "x-srsf", VC_X_SRSF_SUMMARY, vc_x_srsf_args, VC_BEYOND },
  { "x-srtf", VC_X_SRTF_SUMMARY, vc_x_srtf_args, VC_BEYOND },
};

static const VcNameSpec action_names[] = {
  { "allocate", "place pending tasks on nodes, gang by gang", vc_allocate_args, TRUE },
  { "backfill", "place tasks without requests wherever they fit", vc_backfill_args, TRUE },
  { "enqueue", "admit jobs whose minimum fits", vc_enqueue_args, TRUE },
  { "gangpreempt", "evict lower jobs of the same queue for a whole gang", vc_gangpreempt_args, TRUE },
  { "gangreclaim", "evict jobs of other queues for a whole gang", vc_gangreclaim_args, TRUE },
  { "preempt", "evict lower jobs or tasks of the same queue", vc_preempt_args, TRUE },
  { "reclaim", "evict tasks of queues above their share", vc_reclaim_args, TRUE },
  { "shuffle", "evict the tasks that plugins choose", vc_shuffle_args, TRUE },
  { "x-easy", VC_X_EASY_SUMMARY, vc_x_easy_args, VC_BEYOND },
  { "x-fcfs", VC_X_FCFS_SUMMARY, vc_x_fcfs_args, VC_BEYOND },
  { "x-follow-record", VC_X_FOLLOW_RECORD_SUMMARY, vc_x_follow_record_args, VC_BEYOND },
  { "x-restart", VC_X_RESTART_SUMMARY, vc_x_restart_args, VC_BEYOND },
};

static const VcCatalog catalog = {
  .plugins = plugin_names,
  .n_plugins = G_N_ELEMENTS (plugin_names),
  .actions = action_names,
  .n_actions = G_N_ELEMENTS (action_names),
};

const VcCatalog *
vc_catalog (void)
{
  return &catalog;
}
