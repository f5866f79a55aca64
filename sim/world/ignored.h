/* sim/world/ignored.h - names of resources that count for nothing, because a device of the cluster takes them for a property of its own. */
#pragma once
#include "core/cache/cache.h"
#include "core/conf/conf.h"
#include "workloads/k8s/k8s-objects.h"
G_BEGIN_DECLS

/** What the plugin deviceshare of @conf ignores, given ConfigMaps (VcConfigMapObject *) and nodes (VcNodeObject *). (transfer full) NULL-terminated. */
char **sim_ignored_resources (const VcConf *conf, const GPtrArray *maps, const GPtrArray *nodes);
/** The same for the rows of nodes.csv (WlNodeRow) and the objects of a run (nullable), under any of @confs. */
char **sim_ignored_in_rows (const VcConf *const *confs, guint n_confs, const GArray *rows, const WlObjects *objects);
/** Leave the ignored names out of @names, a NULL-terminated list whose texts are owned. */
void sim_drop_ignored (char **names, const VcCacheOptions *options);

G_END_DECLS
