/* workloads/native/sharding-conf.h - sharding.yaml, the configuration of Volcano's sharding controller: which nodes the shard of each scheduler is to have.
 *
 * Mirrors pkg/controllers/sharding/config.go, with the defaults that it fills in. What it would only log is refused: keys and policies that do not exist,
 * values out of range. */
#pragma once
#include "native.h"
G_BEGIN_DECLS

typedef enum { WL_SHARD_ALLOCATION_RATE, WL_SHARD_WARMUP, WL_SHARD_NODE_LIMIT } WlShardPolicyKind;
typedef struct {
  WlShardPolicyKind kind;
  double weight;             /* of its score */
  double min_cpu, max_cpu;   /* allocation-rate: share of the CPU that is asked for */
  char *label, *value;       /* warmup */
  guint max_nodes;           /* node-limit; 0: no limit */
} WlShardPolicy;

typedef struct {
  char *name;                /* of the NodeShard */
  GArray *policies;          /* WlShardPolicy, in their order */
} WlShardScheduler;

typedef struct {
  GArray *schedulers;        /* WlShardScheduler, in the order in which they choose */
  WlTime period;             /* between two looks at everything */
  gboolean by_events;        /* nodes are looked at as something happens on them */
  gboolean has_period, has_by_events; /* they are given; an update without them leaves them as they are */
} WlShardingConf;

/** Read @text; @source is its name in messages. NULL with @error (one line). (transfer full) */
WlShardingConf *wl_sharding_conf_read (const char *source, const char *text, GError **error);
/** What the controller does without a ConfigMap: the default of its flag --scheduler-configs. (transfer full) */
WlShardingConf *wl_sharding_conf_default (void);
void wl_sharding_conf_free (WlShardingConf *c); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlShardingConf, wl_sharding_conf_free)

G_END_DECLS
