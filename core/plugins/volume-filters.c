/* core/plugins/volume-filters.c - NodeVolumeLimits, VolumeZone and VolumeBinding together, as predicates asks them.
 *
 * Policy: see volume-limits.c, volume-zone.c and volume-binding.c. PreFilter runs VolumeZone and then VolumeBinding, and the first that refuses
 * names itself. A pod whose bound volumes have no zones skips VolumeZone. VolumeRestrictions (ReadWriteOncePod) is not among upstream's filters.
 *
 * Example: a claim of an Immediate class without a volume is refused by VolumeZone ("plugin VolumeZone pre-predicates failed PersistentVolume
 * had no name"), with predicate.VolumeZoneEnable false by VolumeBinding ("… pod has unbound immediate PersistentVolumeClaims").
 *
 * Mirrors PrePredicate and InitPlugin (pkg/scheduler/plugins/predicates/predicates.go). */
#include "volume-filters.h"

struct VcVolumeFilters {
  VcCluster *c;
  VcVolumeLimits *limits;   /* each NULL: off */
  GHashTable *zones;        /* task row + 1 → GArray of VcZone: what PreFilter has found in this session */
  VcVolumeBinding *binding;
};

static GArray *
new_zones (void)
{
  GArray *zones = g_array_new (FALSE, FALSE, sizeof (VcZone));
  g_array_set_clear_func (zones, vc_volume_zone_clear);
  return zones;
}

static void
free_zones (gpointer p)
{
  g_array_unref (p);
}

VcVolumeFilters *
vc_volume_filters_new (gboolean limits, gboolean zone, gboolean binding)
{
  VcVolumeFilters *f = g_new0 (VcVolumeFilters, 1);

  f->limits = limits ? vc_volume_limits_new () : NULL;
  f->zones = zone ? g_hash_table_new_full (NULL, NULL, NULL, free_zones) : NULL;
  f->binding = binding ? vc_volume_binding_new () : NULL;
  return f;
}

void
vc_volume_filters_free (VcVolumeFilters *f)
{
  if (f == NULL)
    return;
  vc_volume_limits_free (f->limits);
  g_clear_pointer (&f->zones, g_hash_table_unref);
  vc_volume_binding_free (f->binding);
  g_free (f);
}

void
vc_volume_filters_open (VcVolumeFilters *f, VcCluster *c)
{
  f->c = c;
  if (f->zones != NULL && g_hash_table_size (f->zones) > 0)
    g_hash_table_remove_all (f->zones);
  if (f->binding != NULL)
    vc_volume_binding_open (f->binding, c);
}

static const char *
refusal (VcCluster *c, const char *filter, const char *reason)
{
  return vc_cluster_internf (c, "plugin %s pre-predicates failed %s", filter, reason);
}

const char *
vc_volume_filters_prepare (VcVolumeFilters *f, guint32 task)
{
  const VcTask *t = vc_task (f->c, task);
  const char *reason = NULL;

  if (f->zones != NULL) {
    g_autoptr (GArray) zones = new_zones ();

    reason = vc_volume_zone_prepare (f->c, t, zones);
    if (reason != NULL)
      return refusal (f->c, "VolumeZone", reason);
    g_hash_table_replace (f->zones, GUINT_TO_POINTER (task + 1), g_steal_pointer (&zones));
  }
  if (f->binding != NULL)
    reason = vc_volume_binding_prepare (f->binding, task);
  return reason != NULL ? refusal (f->c, "VolumeBinding", reason) : NULL;
}

static const char *
ask_zone (VcVolumeFilters *f, guint32 task, guint32 node, VcCode *code)
{
  const VcNodeFacts *facts = &f->c->nodes.info[node].facts;
  const GArray *known = g_hash_table_lookup (f->zones, GUINT_TO_POINTER (task + 1));
  g_autoptr (GArray) fresh = known == NULL ? new_zones () : NULL;
  const char *reason = known == NULL ? vc_volume_zone_prepare (f->c, vc_task (f->c, task), fresh) : NULL;

  *code = VC_UNRESOLVABLE;
  if (reason != NULL)
    return reason;
  return vc_volume_zone_fits (known != NULL ? known : fresh, facts) ? NULL : "node(s) had no available volume zone";
}

const char *
vc_volume_filters_ask (VcVolumeFilters *f, VcVolumeFilter filter, guint32 task, guint32 node, VcCode *code)
{
  if (filter == VC_VOLUME_LIMITS)
    return f->limits != NULL ? vc_volume_limits_filter (f->limits, f->c, vc_task (f->c, task), node, code) : NULL;
  if (filter == VC_VOLUME_ZONE)
    return f->zones != NULL ? ask_zone (f, task, node, code) : NULL;
  return f->binding != NULL ? vc_volume_binding_filter (f->binding, task, node, code) : NULL;
}

void
vc_volume_filters_reserve (VcVolumeFilters *f, guint32 task)
{
  if (f->binding != NULL)
    vc_volume_binding_reserve (f->binding, task);
}

void
vc_volume_filters_unreserve (VcVolumeFilters *f, guint32 task)
{
  if (f->binding != NULL)
    vc_volume_binding_unreserve (f->binding, task);
}
