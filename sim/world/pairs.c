/* sim/world/pairs.c - see pairs.h. */
#include "pairs.h"
#include <string.h>

void
sim_pairs_put (GArray *pairs, const char *key, const char *value)
{
  VcPair pair = { key, value };
  guint at = pairs->len;

  while (at > 0 && strcmp (g_array_index (pairs, VcPair, at - 1).key, key) > 0)
    at--;
  if (at > 0 && strcmp (g_array_index (pairs, VcPair, at - 1).key, key) == 0)
    g_array_index (pairs, VcPair, at - 1) = pair;
  else
    g_array_insert_val (pairs, at, pair);
}

void
sim_pairs_copy (GArray *to, const VcPairs *from, const char *key)
{
  const char *value = vc_pairs_get (from, key);

  if (value != NULL)
    sim_pairs_put (to, key, value);
}

void
sim_pairs_copy_budget (GArray *to, const VcPairs *from)
{
  static const char least[] = "volcano.sh/jdb-min-available", most[] = "volcano.sh/jdb-max-unavailable";

  sim_pairs_copy (to, from, vc_pairs_get (from, least) != NULL ? least : most);
}

void
sim_pairs_take (GArray *to, const VcPairs *from)
{
  if (from->n > 0)
    g_array_append_vals (to, from->item, from->n);
}
