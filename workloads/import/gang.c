#include "gang.h"

guint
wl_gang_roles (const WlGangShape *shape, guint32 gpus, WlTime run, WlImportRole role[2])
{
  const guint32 whole = gpus / shape->per_pod, rest = gpus % shape->per_pod;
  guint n = 0;

  for (guint k = 0; k < 2; k++) { /* whole nodes, and a pod for the rest */
    const guint32 of_pod = k == 0 ? shape->per_pod : rest;

    if (k == 0 ? whole == 0 : rest == 0)
      continue;
    role[n] = (WlImportRole) { .name = n == 0 ? "w" : "rest",
                               .replicas = k == 0 ? whole : 1,
                               .request = { .cpu_milli = wl_import_product (of_pod, shape->cpu, 1), .memory = wl_import_product (of_pod, shape->memory, 1), .gpus = of_pod },
                               .duration = run };
    n++;
  }
  return n;
}

WlGangShape
wl_gang_shape (const WlImport *imp)
{
  return (WlGangShape) { .per_pod = MAX ((guint32) wl_import_number (imp, "gpus-per-node"), 1),
                         .cpu = wl_import_milli (imp, "pod-cpu"),
                         .memory = wl_import_bytes (imp, "pod-memory") };
}

void
wl_gang_nodes (WlImport *imp, guint32 nodes)
{
  const WlImportNode node = { .name = "n",
                              .time = WL_TIME_NONE,
                              .capacity = { .cpu_milli = wl_import_milli (imp, "node-cpu"),
                                            .memory = wl_import_bytes (imp, "node-memory"),
                                            .gpus = MAX ((guint32) wl_import_number (imp, "gpus-per-node"), 1) },
                              .count = nodes };

  wl_import_node (imp, &node);
  if (!wl_import_given (imp, "nodes"))
    wl_import_default_more (imp, "nodes", nodes);
}
