/* core/cache/cache-private.h - the cache's own state, for the files of this folder. */
#pragma once
#include "cache.h"
#include "core/devices/devices.h"
#include "core/model/cluster-ops.h"
#include "core/model/steps.h"
#include "core/numa/numa.h"

struct VcCache {
  VcCluster *cluster;
  VcDevices *devices; /* what pods share of the nodes' devices */
  VcNuma *numa;       /* CPUs and NUMA nodes */
  char *default_queue;
  char **scheduler_names;
  char **node_selector, **ignored_provisioners;
  gboolean priority_class;
  VcSharding sharding;
  char *shard;
  GHashTable *shards;   /* name → VcShard (shard-events.c); NULL: none */
  GHashTable *in_shard; /* names of nodes that the scheduler may count as its own; NULL: none */
  GHashTable *images; /* image name → VcImageState */
  GArray *binds, *evicts, *statuses;
};

typedef struct {
  gint64 size;        /* as the first node reported it */
  GHashTable *nodes;  /* rows that have the image */
} VcImageState;

/** The shape of a pod with claims: it asks for what its volumes attach. NULL: such a pod does not enter. */
const VcShape *vc_cache_attach (VcCache *cache, const char *ns, const char *pod, const char *uid, const VcShape *shape);
/** A node allows as many attached volumes as its CSINode says. */
void vc_cache_set_attachable (VcCache *cache, guint32 row);
/** A node has come: is it the scheduler's own? */
void vc_cache_set_in_shard (VcCache *cache, guint32 row);
/** What the pod's task keeps of its resource claims; NULL: it has none. *drop: one that it names does not exist, and the pod does not enter. */
struct VcPodClaims *vc_cache_pod_claims (VcCache *cache, const VcPodObject *o, gboolean *drop);
void vc_cache_image_state_free (gpointer p);
/** Is it an event for HyperNodes when @node becomes @o: a new node, or other labels? */
gboolean vc_cache_node_selected_anew (const VcNode *node, const VcNodeObject *o);
/** HyperNodes that select nodes look at this one. */
void vc_cache_tell_hyper_nodes (VcCache *c, guint32 node);
/** None is known any more, and no job remembers where it is. */
void vc_cache_forget_hyper_nodes (VcCache *c);
/** Is the revocable zone `*` (01 §2.1)? */
gboolean vc_cache_read_revocable (const VcPairs *annotations);
