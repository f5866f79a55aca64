/* Events of ResourceQuotas and PodDisruptionBudgets. Mirrors AddResourceQuota and DeleteResourceQuota
 * (pkg/scheduler/cache/event_handlers.go); budgets come to upstream's pdb plugin from a lister of Kubernetes, which is the table here. */
#include "cache-private.h"
#include "core/model/quota.h"

/* Places of an object in its table, the table's length when it is not there. Names are interned, so that pointers tell. */
static guint
find_quota (VcCluster *c, const char *ns, const char *name)
{
  guint i = 0;

  if (c->quotas == NULL)
    c->quotas = g_ptr_array_new_with_free_func (vc_quota_free);
  ns = vc_cluster_intern (c, ns);
  name = vc_cluster_intern (c, name);
  for (; i < c->quotas->len; i++) {
    const VcQuota *q = c->quotas->pdata[i];
    if (q->ns == ns && q->name == name)
      break;
  }
  return i;
}

static guint
find_budget (VcCluster *c, const char *ns, const char *name)
{
  guint i = 0;

  if (c->budgets == NULL)
    c->budgets = g_ptr_array_new_with_free_func (vc_budget_free);
  ns = vc_cluster_intern (c, ns);
  name = vc_cluster_intern (c, name);
  for (; i < c->budgets->len; i++) {
    const VcBudget *b = c->budgets->pdata[i];
    if (b->ns == ns && b->name == name)
      break;
  }
  return i;
}

void
vc_cache_add_resource_quota (VcCache *cache, const VcResourceQuotaObject *o)
{
  VcCluster *c = cache->cluster;
  VcQuota *q = g_new0 (VcQuota, 1);

  q->arena = vc_arena_new ();
  q->ns = vc_cluster_intern (c, o->ns);
  q->name = vc_cluster_intern (c, o->name);
  q->hard = vc_amounts_copy (q->arena, &o->hard);
  q->used = vc_amounts_copy (q->arena, &o->used);
  vc_cache_remove_resource_quota (cache, o->ns, o->name);
  g_ptr_array_add (c->quotas, q);
}

void
vc_cache_remove_resource_quota (VcCache *cache, const char *ns, const char *name)
{
  guint i = find_quota (cache->cluster, ns, name);

  if (i < cache->cluster->quotas->len)
    g_ptr_array_remove_index (cache->cluster->quotas, i);
}

void
vc_cache_add_pod_disruption_budget (VcCache *cache, const VcPodDisruptionBudgetObject *o)
{
  VcCluster *c = cache->cluster;
  VcBudget *b = g_new0 (VcBudget, 1);

  b->arena = vc_arena_new ();
  b->ns = vc_cluster_intern (c, o->ns);
  b->name = vc_cluster_intern (c, o->name);
  b->selector = vc_selector_copy (b->arena, &o->selector);
  b->matches_any = b->selector.given && !vc_selector_is_empty (&b->selector) && vc_selector_is_valid (&b->selector);
  b->min_available = o->min_available;
  b->max_unavailable = o->max_unavailable;
  b->allowed = o->disruptions_allowed;
  const char **disrupted = vc_arena_new0 (b->arena, const char *, o->n_disrupted);
  for (guint i = 0; i < o->n_disrupted; i++)
    disrupted[i] = vc_arena_strdup (b->arena, o->disrupted[i]);
  b->disrupted = disrupted;
  b->n_disrupted = o->n_disrupted;
  vc_cache_remove_pod_disruption_budget (cache, o->ns, o->name);
  g_ptr_array_add (c->budgets, b);
}

void
vc_cache_remove_pod_disruption_budget (VcCache *cache, const char *ns, const char *name)
{
  guint i = find_budget (cache->cluster, ns, name);

  if (i < cache->cluster->budgets->len)
    g_ptr_array_remove_index (cache->cluster->budgets, i);
}
