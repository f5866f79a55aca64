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

void
vc_cache_unbind_resource_claims (VcCache *cache, guint32 task)
{
  const VcTask *t = &cache->cluster->task[task];
  VcClaims *s = cache->cluster->claims;

  for (guint i = 0; t->claims != NULL && i < t->claims->n; i++) {
    const VcPodClaim *entry = &t->claims->entry[i];
    guint32 row = entry->claim != NULL ? vc_claims_find (s, t->ns, entry->claim) : VC_NONE;

    if (row == VC_NONE)
      continue;
    vc_claims_land (s, row, FALSE);
    if (s->claim[row].allocation != NULL)
      vc_claims_unreserve (s, row, t->uid);
  }
}

gboolean
vc_cache_end_claims (VcCache *cache)
{
  VcClaims *s = cache->cluster->claims;
  gboolean changed = s != NULL && vc_claims_let_leave (s);

  for (guint i = 0; s != NULL && i < s->journal->len && !changed; i++) {
    const VcFlight *f = &g_array_index (s->journal, VcFlight, i);
    changed = f->begins && s->claim[f->claim].flight != NULL;
  }
  return changed;
}

void
vc_cache_leave_resource_claim (VcCache *cache, const char *ns, const char *name, const char *uid)
{
  VcClaims *s = cache->cluster->claims;
  guint32 row = s != NULL ? vc_claims_find (s, ns, name) : VC_NONE;

  if (row == VC_NONE || !vc_claims_is_reserved_for (&s->claim[row], uid))
    return;
  vc_claims_unreserve (s, row, uid);
  if (s->claim[row].reserved_for->len == 0)
    vc_claims_deallocate (s, row);
}

void
vc_cache_forget_allocations (VcCache *cache)
{
  VcClaims *s = cache->cluster->claims;

  for (guint32 i = 0; s != NULL && i < s->n_claims; i++)
    if (vc_claims_land (s, i, TRUE) && !s->claim[i].live)
      g_array_append_val (s->free_claims, i);
}

VcPodClaims *
vc_cache_pod_claims (VcCache *cache, const VcPodObject *o, gboolean *drop)
{
  *drop = FALSE;
  return o->spec.n_claims > 0 ? vc_pod_claims_new (vc_claims_get (cache->cluster), o->ns, o->spec.claim, o->spec.n_claims, drop) : NULL;
}
