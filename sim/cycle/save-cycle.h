/* sim/cycle/save-cycle.h - what a scheduler sees in one cycle of a run, as Kubernetes objects that `volsim cycle` reads. */
#pragma once
#include "core/cache/cache.h"
#include "sim/load/scenario.h"
G_BEGIN_DECLS

/** The objects behind @c as a `v1 List` in JSON; @scheduler is the schedulerName of its pods. Nodes come in the order in which the scheduler learned of them, pods in
 * that in which they were made. NULL with @error, which names the first thing that is not written: storage, resource claims, HyperNodes, quotas, budgets,
 * measured loads, affinity and spread constraints between pods. (transfer full) */
char *sim_save_cluster (const VcCluster *c, const char *scheduler, GError **error);
/** What the cycle that is just over has decided, as texts: binds, evictions, phases of PodGroups; before the lists of @cache are emptied. (transfer full) */
GPtrArray *sim_cycle_decisions (VcCache *cache);
/** The first place at which two such lists differ, in words; NULL when they are equal. (transfer full) */
char *sim_decisions_differ (const GPtrArray *run, const GPtrArray *again);
/** The command that decides the cycle at @at, saved in @file, by the configuration @conf or the policy preset @preset (both NULL: the
 * chart's) as the scheduler of @s does. (transfer full) */
char *sim_cycle_command (const SimScenario *s, const char *conf, const char *preset, SimTime at, const char *file);

G_END_DECLS
