/* reports/placement.h - where jobs run in the network: how far apart the pods of gangs are, and how full racks are over time.
 *
 * Formulas stand in reports/results/schema.c. Memory: a few numbers per gang, and for each rack RP_HEAT_BINS equal stretches of time that double their
 * length whenever the run gets longer than they are together. */
#pragma once
#include "reports/results/results.h"
G_BEGIN_DECLS

#define RP_HEAT_BINS 512u
#define RP_FAR_LISTED 10u

/* Gangs of at least two pods in HyperNodes. */
typedef struct { gint64 tier; char *name; /* of the tier, "" */ guint64 jobs; } RpTierCount;
typedef struct {
  GArray *costs;    /* of double */
  GArray *tiers;    /* of RpTierCount, ascending */
  guint64 crossing; /* on more than one rack */
} RpTopologySum;
void rp_topology_sum_init (RpTopologySum *t);
void rp_topology_sum_clear (RpTopologySum *t);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RpTopologySum, rp_topology_sum_clear)
/** Count the job, when it is such a gang. */
void rp_topology_sum_add (RpTopologySum *t, const RpJob *j);
void rp_topology_sum_merge (RpTopologySum *into, const RpTopologySum *from);

typedef struct {
  char *name, *within; /* name "": the nodes that no HyperNode holds */
  guint32 nodes;       /* of the last row, which holds since then */
  double share;
  gint64 since;
  double *filled, *there; /* [RP_HEAT_BINS] ∫ share dt, and the time for which it had nodes; both in microseconds */
} RpRackHeat;

typedef struct { gint64 from, to; /* RP_NONE: it has not ended */ gint64 tier; guint32 pods; gboolean crosses; } RpGangRun;
typedef struct { char *name; guint32 pods, racks; double cost; gint64 from, to; } RpFarJob;

typedef struct {
  gint64 from, width; /* of the first bin */
  GPtrArray *racks;   /* of RpRackHeat, by first appearance */
  GHashTable *by_name;
  GArray *runs;       /* of RpGangRun */
  GPtrArray *far;     /* of RpFarJob: the heaviest ones that cross racks, at most RP_FAR_LISTED */
} RpPlacement;

void rp_placement_init (RpPlacement *p);
void rp_placement_clear (RpPlacement *p);
/** The rack is like this from now on; @share: allocated of its capacity. */
void rp_placement_rack (RpPlacement *p, const RpRack *k, double share);
void rp_placement_job (RpPlacement *p, const RpJob *j);
void rp_placement_end (RpPlacement *p, gint64 end);
/** Racks as people look for them: by the HyperNodes above, then by name, numbers in names by value; those of no HyperNode last. (transfer container) */
GPtrArray *rp_placement_racks_sorted (const RpPlacement *p);

/** Order of texts in which "rack-9" comes before "rack-10". */
int rp_compare_natural (const char *a, const char *b);
/** Of gangs by what they weigh on the network, pods × cost: the heaviest first, then by name. */
int rp_compare_far (double cost_a, guint32 pods_a, const char *name_a, double cost_b, guint32 pods_b, const char *name_b);

G_END_DECLS
