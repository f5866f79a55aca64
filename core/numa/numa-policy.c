#include "numa-policy.h"
#include <string.h>

VcNumaPolicy
vc_numa_policy_of (const char *text)
{
  static const char *const names[] = { [VC_NUMA_BEST_EFFORT] = "best-effort", [VC_NUMA_RESTRICTED] = "restricted", [VC_NUMA_SINGLE_NODE] = "single-numa-node" };

  for (guint i = VC_NUMA_BEST_EFFORT; i < G_N_ELEMENTS (names); i++)
    if (strcmp (text, names[i]) == 0)
      return (VcNumaPolicy) i;
  return VC_NUMA_NONE;
}

typedef struct {
  VcNumaPolicy policy;
  guint64 nodes;
  const VcNumaHints *of;
  guint n;
  VcNumaHint *best;
} Merge;

static gboolean
is_narrower (guint64 a, guint64 b)
{
  int na = __builtin_popcountll (a), nb = __builtin_popcountll (b);

  return na != nb ? na < nb : a < b;
}

static void
consider (const Merge *m, guint64 nodes, gboolean preferred)
{
  if (nodes == 0 || (!preferred && m->best->preferred))
    return;
  if ((preferred && !m->best->preferred) || is_narrower (nodes, m->best->nodes))
    *m->best = (VcNumaHint) { nodes, FALSE, preferred };
}

static gboolean
counts (const Merge *m, const VcNumaHint *h)
{
  return m->policy != VC_NUMA_SINGLE_NODE || (h->preferred && (h->any || __builtin_popcountll (h->nodes) == 1));
}

/* One hint of each resource from @i on, given the nodes that those before have in common. */
static void
combine (const Merge *m, guint i, guint64 nodes, gboolean preferred)
{
  if (i == m->n) {
    consider (m, nodes, preferred);
    return;
  }
  const VcNumaHints *r = &m->of[i];
  const VcNumaHint sole = { 0, TRUE, r->free };
  gboolean listed = !r->free && r->n > 0;

  for (guint k = 0; k < (listed ? r->n : 1); k++) {
    const VcNumaHint *h = listed ? &r->hint[k] : &sole;

    if (counts (m, h))
      combine (m, i + 1, h->any ? nodes : nodes & h->nodes, preferred && h->preferred);
  }
}

gboolean
vc_numa_policy_admits (VcNumaPolicy policy, guint64 nodes, const VcNumaHints *of, guint n, VcNumaHint *best)
{
  const Merge m = { policy, nodes, of, n, best };

  if (policy == VC_NUMA_NONE) {
    *best = (VcNumaHint) { 0, TRUE, FALSE };
    return TRUE;
  }
  *best = (VcNumaHint) { nodes, FALSE, FALSE };
  combine (&m, 0, nodes, TRUE);
  return policy == VC_NUMA_BEST_EFFORT || best->preferred;
}
