/* core/plugins/pod-tally.h - counts of placed pods per value of a node label, kept up to date while a session moves pods.
 *
 * Rules that look at other pods (pod affinity, topology spread) are sums over the pods of the mirror. A tally holds such sums for one incoming
 * pod, or for all pods that would get the same ones. It is built once per session by a walk over the mirror; then it follows the mirror's journal,
 * forwards, or backwards for a task whose PrePredicate ran earlier: what PrePredicate saw then is what its filters go by, whatever has been placed
 * since. */
#pragma once
#include "core/model/cluster.h"
G_BEGIN_DECLS

/* Which nodes share the value of one label. */
typedef struct {
  guint32 *domain; /* [node row] the value's number, VC_NONE without the label */
  guint32 n_domains, n_rows, version;
} VcTopology;

typedef struct {
  const char *key;
  const VcTopology *topology;
  gint64 *count; /* [n_domains] */
  guint32 n_nonzero;
  /* topology spread alone */
  guint8 *eligible;  /* [node row] does the node take part? NULL: every node with the label does */
  guint8 *present;   /* [n_domains] a node that takes part has the value */
  guint32 n_present;
  gint64 least;      /* smallest count of these values */
  gboolean least_known;
} VcTopologyCount;

typedef struct VcTallies VcTallies;
typedef struct VcTally VcTally;
typedef struct {
  guint8 slot; /* small number of its own */
  void (*init) (VcTallies *t, VcTally *tally); /* NULL: nothing to prepare */
  /** Count @pod on @node @sign times. */
  void (*add) (VcTallies *t, VcTally *tally, const VcTask *pod, guint32 node, gint32 sign);
} VcTallyKind;
#define VC_TALLY_SLOTS 8

typedef struct {
  const VcTallyKind *kind;
  const VcShape *shape; /* what the sums depend on; NULL where they do not */
  const VcMeta *meta;
  const char *ns;
  gsize listed_only;    /* only pods on the nodes that were listed when the session opened */
} VcTallyKey;
struct VcTally {
  VcTallyKey key;
  guint32 at; /* place in the journal */
  guint8 *has_keys; /* [node row] topology spread alone: does the node have the keys of all constraints? */
  VcTopologyCount *count; guint32 n_counts, cap_counts;
};

VcTallies *vc_tallies_new (void);
void vc_tallies_free (VcTallies *t); /* NULL is fine */
/** A session opens: forget all tallies, and list the nodes with a pod of a shape that @lists; NULL: list none. */
void vc_tallies_open (VcTallies *t, VcCluster *c, gboolean (*lists) (const VcShape *shape));
const VcCluster *vc_tallies_cluster (const VcTallies *t);
/** Nodes listed when the session opened. */
guint32 vc_tallies_n_listed (const VcTallies *t);
/** Room that dies with the session, zeroed. */
gpointer vc_tallies_alloc (VcTallies *t, gsize size);

/** Nodes by the value of @key; NULL: every node is alone. */
const VcTopology *vc_tallies_topology (VcTallies *t, const char *key);
/** The tally of @key as it was at place @at of the journal, until it is asked for with another place. The pointer holds until the session closes. */
VcTally *vc_tally_get (VcTallies *t, const VcTallyKey *key, guint32 at);
VcTopologyCount *vc_tally_add_count (VcTallies *t, VcTally *tally, const char *key, const VcTopology *topology);
/** The sums by @key, or NULL. */
VcTopologyCount *vc_tally_find (const VcTally *tally, const char *key);
/** Add to the sum of @node's value of @key; no effect on a node without the label. */
void vc_tally_bump (VcTallies *t, VcTally *tally, const char *key, guint32 node, gint64 by);
void vc_topology_count_bump (VcTopologyCount *count, guint32 node, gint64 by);
/** Is there no sum but 0? */
gboolean vc_tally_is_zero (const VcTally *tally);
static inline gint64
vc_topology_count_at (const VcTopologyCount *count, guint32 node)
{
  guint32 d = count->topology->domain[node];
  return d != VC_NONE ? count->count[d] : 0;
}

G_END_DECLS
