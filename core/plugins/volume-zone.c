/* core/plugins/volume-zone.c - a bound volume with labels of zone or region goes to nodes of that zone or region.
 *
 * Policy: of every claim that the pod names (not of ephemeral volumes) the bound volume's labels failure-domain.beta.kubernetes.io/zone and
 * …/region, topology.kubernetes.io/zone and …/region count; a value lists alternatives between `__`. A node without any of the four labels
 * passes; else it must have, for every such label of a volume, one of the values under that key, or under the newer key for one of the old
 * two. A claim without a volume passes when its class waits for the first consumer; else the pod is refused everywhere.
 *
 * Example: a volume labelled topology.kubernetes.io/zone=z1__z9; nodes of zones z1 and z9 pass, one of zone z2 does not, a node without zone and
 * region labels does.
 *
 * Mirrors pkg/scheduler/framework/plugins/volumezone/volume_zone.go of Kubernetes. */
#include "volume-filters.h"
#include <string.h>

static const struct { const char *key, *newer; } labels[] = {
  { "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone" },
  { "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region" },
  { "topology.kubernetes.io/zone", "topology.kubernetes.io/zone" },
  { "topology.kubernetes.io/region", "topology.kubernetes.io/region" },
};

void
vc_volume_zone_clear (gpointer p)
{
  g_strfreev (((VcZone *) p)->zones);
}

static void
add_zones (const VcVolume *volume, GArray *zones)
{
  for (guint i = 0; i < G_N_ELEMENTS (labels); i++) {
    const char *value = vc_pairs_get (&volume->meta->labels, labels[i].key);
    gboolean good = TRUE;

    if (value == NULL)
      continue;
    VcZone z = { labels[i].key, g_strsplit (value, "__", -1) };
    if (z.zones[0] == NULL) { /* of an empty text */
      g_strfreev (z.zones);
      continue;
    }
    for (char **s = z.zones; *s != NULL; s++)
      good &= *g_strstrip (*s) != '\0';
    if (good)
      g_array_append_val (zones, z);
    else
      g_strfreev (z.zones); /* a label that cannot be read is passed over */
  }
}

/* A claim that has no volume yet. */
static const char *
check_unbound (VcCluster *c, const VcClaim *claim)
{
  if (*claim->class == '\0')
    return "PersistentVolumeClaim had no pv name and storageClass name";
  guint32 class = vc_volumes_class (c->volumes, claim->class);
  if (class == VC_NONE)
    return vc_cluster_internf (c, "storageclass.storage.k8s.io \"%s\" not found", claim->class);
  switch (c->volumes->class[class].mode) {
  case VC_BINDING_WAIT:
    return NULL;
  case VC_BINDING_IMMEDIATE:
    return "PersistentVolume had no name";
  case VC_BINDING_UNSET:
  default:
    return vc_cluster_internf (c, "VolumeBindingMode not set for StorageClass \"%s\"", claim->class);
  }
}

const char *
vc_volume_zone_prepare (VcCluster *c, const VcTask *t, GArray *zones)
{
  const VcPodSpec *spec = &t->shape->spec;

  for (guint i = 0; i < spec->n_volumes; i++) {
    if (spec->volume[i].ephemeral)
      continue;
    if (*spec->volume[i].name == '\0')
      return "PersistentVolumeClaim had no name";
    guint32 row = vc_volumes_claim (c->volumes, t->ns, spec->volume[i].name);
    if (row == VC_NONE)
      return vc_cluster_internf (c, "persistentvolumeclaim \"%s\" not found", spec->volume[i].name);
    const VcClaim *claim = &c->volumes->claim[row];
    if (*claim->volume == '\0') {
      const char *reason = check_unbound (c, claim);
      if (reason != NULL)
        return reason;
      continue;
    }
    guint32 volume = vc_volumes_volume (c->volumes, claim->volume);
    if (volume == VC_NONE)
      return vc_cluster_internf (c, "persistentvolume \"%s\" not found", claim->volume);
    add_zones (&c->volumes->volume[volume], zones);
  }
  return NULL;
}

static gboolean
is_constrained (const VcNodeFacts *node)
{
  for (guint i = 0; i < G_N_ELEMENTS (labels); i++)
    if (vc_pairs_get (&node->labels, labels[i].key) != NULL)
      return TRUE;
  return FALSE;
}

gboolean
vc_volume_zone_fits (const GArray *zones, const VcNodeFacts *node)
{
  if (zones->len == 0 || !is_constrained (node))
    return TRUE;
  for (guint i = 0; i < zones->len; i++) {
    const VcZone *z = &g_array_index (zones, VcZone, i);
    const char *value = vc_pairs_get (&node->labels, z->key);

    for (guint k = 0; value == NULL && k < G_N_ELEMENTS (labels); k++)
      if (z->key == labels[k].key)
        value = vc_pairs_get (&node->labels, labels[k].newer);
    if (value == NULL || !g_strv_contains ((const char *const *) z->zones, value))
      return FALSE;
  }
  return TRUE;
}
