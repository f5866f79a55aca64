/* sim/world/pairs.h - labels and annotations while an object is put together: arrays of VcPair by key. Texts are borrowed. */
#pragma once
#include "core/model/objects.h"
G_BEGIN_DECLS

/** Set @key, in its place by key. */
void sim_pairs_put (GArray *pairs, const char *key, const char *value);
/** Take over @key from @from if it is there. */
void sim_pairs_copy (GArray *to, const VcPairs *from, const char *key);
/** Take over how many pods may be away at once: the minimum that stays, else the maximum that goes. */
void sim_pairs_copy_budget (GArray *to, const VcPairs *from);
/** Append all of @from; @to is empty. */
void sim_pairs_take (GArray *to, const VcPairs *from);
/** @pairs as the engine takes them; valid until the next change. */
static inline VcPairs
sim_pairs (const GArray *pairs)
{
  return (VcPairs){ (const VcPair *) (gconstpointer) pairs->data, pairs->len };
}

G_END_DECLS
