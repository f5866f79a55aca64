/* core/plugins/pack-weights.h - which resources count in packing, and how much: cpu, memory and a list of others. */
#pragma once
#include "core/conf/conf.h"
#include "core/base/resource.h"
G_BEGIN_DECLS

typedef struct { char *name; gint64 weight; } VcListedWeight;
typedef struct {
  gint64 cpu, memory;
  VcListedWeight *listed;
  guint n_listed;
  /* by dimension, as of the last vc_pack_weights_set */
  guint64 weighted;      /* dimensions that have a weight */
  gint64 w[VC_RES_MAX];  /* their weights */
} VcPackWeights;

/** Read <prefix>cpu, <prefix>memory, <prefix>resources and <prefix>resources.NAME; a weight below 0 counts as 1. */
void vc_pack_weights_read (VcPackWeights *p, const VcArgs *args, const char *prefix);
/** Give the dimensions of @names their weights. cpu and memory have theirs, whatever the list says of them. */
void vc_pack_weights_set (VcPackWeights *p, const VcResNames *names);
void vc_pack_weights_clear (VcPackWeights *p);
/** An integer argument, 1 when it is missing or below 0. */
gint64 vc_pack_weight_arg (const VcArgs *args, const char *key);

G_END_DECLS
