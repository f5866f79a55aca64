/* Events of dynamic resource allocation. Mirrors the claim cache of pkg/scheduler/cache/cache.go and buildTaskDRAInfo. */
#include "cache-private.h"
#include "core/model/claims.h"

void
vc_cache_add_device_class (VcCache *cache, const VcDeviceClassObject *o)
{
  vc_claims_add_class (vc_claims_get (cache->cluster), o);
}

void
vc_cache_add_resource_slice (VcCache *cache, const VcResourceSliceObject *o)
{
  vc_claims_add_slice (vc_claims_get (cache->cluster), o);
}

void
vc_cache_remove_resource_slice (VcCache *cache, const char *name)
{
  vc_claims_remove_slice (vc_claims_get (cache->cluster), name);
}

guint32
vc_cache_add_resource_claim (VcCache *cache, const VcResourceClaimObject *o)
{
  return vc_claims_add (vc_claims_get (cache->cluster), o);
}

void
vc_cache_remove_resource_claim (VcCache *cache, const char *ns, const char *name)
{
  vc_claims_remove (vc_claims_get (cache->cluster), ns, name);
}

gboolean
vc_cache_bind_resource_claims (VcCache *cache, guint32 task, gint64 second)
{
  const VcTask *t = &cache->cluster->task[task];
  VcClaims *s = cache->cluster->claims;

  if (!t->prefilter_done)
    return TRUE; /* no plugin looks after claims */
  for (guint i = 0; t->claims != NULL && i < t->claims->n; i++) {
    const VcPodClaim *entry = &t->claims->entry[i];
    guint32 row = entry->claim != NULL ? vc_claims_find (s, t->ns, entry->claim) : VC_NONE;

    if (row == VC_NONE || vc_claims_is_reserved_for (&s->claim[row], t->uid))
      continue;
    if (s->claim[row].reserved_for != NULL && s->claim[row].reserved_for->len >= VC_CLAIM_CONSUMERS)
      return FALSE;
    vc_claims_settle (s, row, second);
    vc_claims_reserve_for (s, row, t->uid);
  }
  return TRUE;
}

gboolean
vc_cache_drop_left_claims (VcCache *cache)
{
  return cache->cluster->claims != NULL && vc_claims_let_leave (cache->cluster->claims);
}

VcPodClaims *
vc_cache_pod_claims (VcCache *cache, const VcPodObject *o, gboolean *drop)
{
  *drop = FALSE;
  return o->spec.n_claims > 0 ? vc_pod_claims_new (vc_claims_get (cache->cluster), o->ns, o->spec.claim, o->spec.n_claims, drop) : NULL;
}
