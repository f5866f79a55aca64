/* core/model/hyper-nodes.h - the HyperNodes of a cluster: network domains of nodes, one inside the other.
 *
 * The table follows upstream's cache event by event, with its states between (placeholders of members that have not come yet, a tree that is
 * not ready after a second parent or a cycle, memberships that are looked up again only when a node fits a selector). A session reads the
 * view: the tree as it is now, with the virtual root above it. Rows are stable; a name keeps its row for ever.
 * Mirrors pkg/scheduler/api/hyper_node_info.go, GetMembers (pkg/util/hypernode), triggerUpdateHyperNode (pkg/scheduler/cache/event_handlers.go) and
 * addClusterTopHyperNode (pkg/scheduler/framework/session.go). Left out: upstream tries a refused update again and again, in ever longer
 * intervals. */
#pragma once
#include "objects.h"
G_BEGIN_DECLS

struct VcCluster;
typedef struct VcHyperNodes VcHyperNodes;

#define VC_HYPER_ROOT 0u /* row of the virtual root */
#define VC_HYPER_ROOT_NAME "<cluster-top-hypernode>"
#define VC_HYPER_NONE G_MAXUINT32

/* ---- the table: for the cache ------------------------------------------------------------------- */
VcHyperNodes *vc_hyper_nodes_new (void);
void vc_hyper_nodes_free (VcHyperNodes *h);
void vc_hyper_nodes_clear (VcHyperNodes *h); /* as new; rows that were given out mean nothing any more */
/** Add or update. FALSE: refused (a cycle, or a second parent of a member); the tree is not ready then. */
gboolean vc_hyper_nodes_update (VcHyperNodes *h, const struct VcCluster *c, const VcHyperNodeObject *o);
gboolean vc_hyper_nodes_remove (VcHyperNodes *h, const struct VcCluster *c, const char *name);
/** The node came, went or has other labels: HyperNodes whose selectors it satisfies look for their members anew. */
void vc_hyper_nodes_node_changed (VcHyperNodes *h, const struct VcCluster *c, guint32 node);
gboolean vc_hyper_nodes_any (const VcHyperNodes *h);   /* is there one? */
gboolean vc_hyper_nodes_ready (const VcHyperNodes *h); /* do they make a tree, as far as was seen? */
guint32 vc_hyper_nodes_find (const VcHyperNodes *h, const char *name); /* row of an existing one (placeholders too), VC_HYPER_NONE */
guint32 vc_hyper_nodes_rows (const VcHyperNodes *h);
/** What @row was given as, labels apart; borrowed. FALSE: the row is not present, or only named by others. */
gboolean vc_hyper_nodes_object (const VcHyperNodes *h, guint32 row, VcHyperNodeObject *out);
const char *vc_hyper_nodes_name (const VcHyperNodes *h, guint32 row);

/* ---- the view ------------------------------------------------------------------------------------ */
typedef struct {
  const char *name;
  gint64 tier;
  gboolean present;        /* exists (a placeholder does, too) */
  guint32 parent;          /* row; VC_HYPER_NONE for the root and for rows that are not present */
  guint32 *child; guint n_children;  /* by name, present ones */
  guint32 *node; guint n_nodes;      /* listed nodes: by name, those of the root in the order of the list */
} VcHyperNode;
typedef struct { gint64 tier; guint32 *hyper; guint n; guint32 *first; /* node row → first of these by name that holds it, or VC_HYPER_NONE */ } VcHyperTier;

typedef struct {
  gboolean ready;
  guint32 n;               /* rows */
  VcHyperNode *hyper;      /* [n] */
  guint32 *by_name; guint n_by_name; /* present rows by name, the root included */
  VcHyperTier *tier; guint n_tiers;       /* ascending, the root's included */
  guint32 *holder_at, *holder;       /* the HyperNodes that hold node r, by name: holder[holder_at[r] .. holder_at[r + 1]) */
  guint32 version;         /* grows when anything above changed */
} VcHyperView;

/** The tree as of now; borrowed until the next change of the table or of the node list. */
const VcHyperView *vc_hyper_nodes_view (VcHyperNodes *h, struct VcCluster *c);
static inline gboolean
vc_hyper_holds (const VcHyperView *v, guint32 hyper, guint32 node)
{
  for (guint32 i = v->holder_at[node]; i < v->holder_at[node + 1]; i++)
    if (v->holder[i] == hyper)
      return TRUE;
  return FALSE;
}
/** FindHyperNodeForNode: the holder of the node in the lowest tier, or VC_HYPER_NONE. */
static inline guint32 vc_hyper_lowest (const VcHyperView *v, guint32 node) { return v->tier[0].first[node]; }
/** GetLCAHyperNode; VC_HYPER_NONE stands for "" on both sides. */
guint32 vc_hyper_lca (const VcHyperView *v, guint32 a, guint32 b);
/** Tier of that name (several: of the last by HyperNode name). FALSE: unknown. */
gboolean vc_hyper_tier_named (const VcHyperNodes *h, const char *tier_name, gint64 *tier);

G_END_DECLS
