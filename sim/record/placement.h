/* sim/record/placement.h - what a gang spans of the network when it starts, and how full racks are.
 *
 * A node's rack is the HyperNode of the lowest tier, the first by name, that holds it, as the cache of the (first) scheduler knows the tree at that time;
 * the virtual root stands for none. Formulas: reports/results/schema.c. Nothing here changes the world. */
#pragma once
#include "core/model/hyper-nodes.h"
#include "reports/results/results.h"
#include "sim/world/world.h"
G_BEGIN_DECLS

/* Of a job, at the start of its gang. */
struct SimSpread {
  const char *hyper_node, *tier_name; /* interned in the world; tier_name "": none */
  gint64 tier;
  guint32 racks;
  double cost; /* NaN: fewer than two pods */
};

/** Rack of a node by its row in the cache: a row of HyperNodes, VC_HYPER_ROOT when none holds it. */
guint32 sim_rack_of (const VcHyperView *v, guint32 node);
/** The gang starts: measure what it spans. No effect without HyperNodes, and while they make no tree. */
void sim_placement_gang_started (SimWorld *w, guint32 job);

typedef struct SimRacks SimRacks;
/** Racks of @w into @results (borrowed both). (transfer full) */
SimRacks *sim_racks_new (SimWorld *w, RpResults *results);
void sim_racks_free (SimRacks *r);
/** Could the run have HyperNodes? */
gboolean sim_racks_possible (const SimWorld *w);
/** A row of cycles.csv is written: one for every rack that is other than in its last row. */
void sim_racks_write (SimRacks *r);

G_END_DECLS
