/* core/model/quota.h - ResourceQuotas and PodDisruptionBudgets as the cluster keeps them.
 *
 * A handful of objects that plugins walk through; their order decides nothing. Each owns an arena. */
#pragma once
#include "cluster.h"
#include "selector.h"
G_BEGIN_DECLS

typedef struct {
  VcArena *arena;
  const char *ns, *name; /* interned */
  VcAmounts hard, used;  /* of the status */
} VcQuota;

typedef struct {
  VcArena *arena;
  const char *ns, *name; /* interned */
  VcSelector selector;
  gboolean matches_any;  /* the selector is valid and not empty: it can match a pod */
  VcIntOrPercent min_available, max_unavailable;
  gint32 allowed;        /* status.disruptionsAllowed */
  const char *const *disrupted; guint n_disrupted; /* names of pods whose eviction has been granted */
} VcBudget;

void vc_quota_free (gpointer quota);
void vc_budget_free (gpointer budget);
VcAmounts vc_amounts_copy (VcArena *arena, const VcAmounts *a);
/** Entry @name, or NULL. */
const VcAmount *vc_amounts_get (const VcAmounts *a, const char *name);

G_END_DECLS
