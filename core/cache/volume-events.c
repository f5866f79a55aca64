/* Events of storage objects, and the volumes of pods. Mirrors getPodCSIVolumes, AddOrUpdateCSINode and setCSIResourceOnNode
 * (pkg/scheduler/cache/event_handlers.go); the other objects come to upstream from listers of Kubernetes, which are the tables here.
 *
 * A pod asks for one attachable-volumes-csi-<driver> per claim, whoever else uses the volume; a driver on the list of ignored
 * provisioners does not count. The driver is that of the claim's volume, or its class's parameter csi.storage.k8s.io/csi-driver-name, or its
 * provisioner. A claim that is missing leaves the pod without any of them until it is looked at again. */
#include "cache-private.h"
#include "core/model/volumes.h"
#include <string.h>

void
vc_cache_add_storage_class (VcCache *cache, const VcStorageClassObject *o)
{
  vc_volumes_set_class (cache->cluster, o);
}

guint32
vc_cache_add_volume (VcCache *cache, const VcPersistentVolumeObject *o)
{
  return vc_volumes_set_volume (cache->cluster, o);
}

void
vc_cache_remove_volume (VcCache *cache, const char *name)
{
  guint32 row = vc_volumes_volume (cache->cluster->volumes, name);

  if (row != VC_NONE)
    vc_volumes_remove_volume (cache->cluster, row);
}

guint32
vc_cache_add_claim (VcCache *cache, const VcPersistentVolumeClaimObject *o)
{
  return vc_volumes_set_claim (cache->cluster, o);
}

void
vc_cache_remove_claim (VcCache *cache, const char *ns, const char *name)
{
  guint32 row = vc_volumes_claim (cache->cluster->volumes, ns, name);

  if (row != VC_NONE)
    vc_volumes_remove_claim (cache->cluster, row);
}

void
vc_cache_add_csi_driver (VcCache *cache, const VcCsiDriverObject *o)
{
  vc_volumes_set_csi_driver (cache->cluster, o);
}

void
vc_cache_add_storage_capacity (VcCache *cache, const VcCsiStorageCapacityObject *o)
{
  vc_volumes_set_capacity (cache->cluster, o);
}

void
vc_cache_add_volume_attachment (VcCache *cache, const VcVolumeAttachmentObject *o)
{
  vc_volumes_set_attachment (cache->cluster, o);
}

/* ---- nodes ------------------------------------------------------------------------------------ */

void
vc_cache_set_attachable (VcCache *cache, guint32 row)
{
  VcCluster *c = cache->cluster;
  VcNode *node = &c->nodes.info[row];
  const VcCsiNodeObject *csi = vc_volumes_csi_node (c->volumes, node->name);

  for (guint i = 0; csi != NULL && i < csi->n_drivers; i++) {
    g_autofree char *name = vc_attach_resource (csi->driver[i].name);
    int dim = vc_res_names_find (c->names, name);
    double count = csi->driver[i].limited ? csi->driver[i].count : G_MAXINT32; /* whole units; a driver without a limit gets a large one */

    if (dim < 0)
      continue;
    vc_res_set (node->allocatable, (guint) dim, count);
    vc_res_set (node->capacity, (guint) dim, count);
  }
}

void
vc_cache_add_csi_node (VcCache *cache, const VcCsiNodeObject *o)
{
  vc_volumes_set_csi_node (cache->cluster, o);
}

/* ---- pods ------------------------------------------------------------------------------------- */

static const char *
driver_of (const VcVolumes *v, const VcClaim *claim)
{
  guint32 volume = *claim->volume != '\0' ? vc_volumes_volume (v, claim->volume) : VC_NONE;

  if (volume != VC_NONE)
    return v->volume[volume].driver != NULL ? v->volume[volume].driver : "";
  guint32 class = *claim->class != '\0' ? vc_volumes_class (v, claim->class) : VC_NONE;
  return class != VC_NONE ? v->class[class].driver : "";
}

gboolean
vc_cache_ignores_driver (const VcCache *cache, const char *driver)
{
  static const char *const always[] = { "rancher.io/local-path", "hostpath.csi.k8s.io", NULL };
  return g_strv_contains (always, driver) || (cache->ignored_provisioners != NULL && g_strv_contains ((const char *const *) cache->ignored_provisioners, driver));
}

static void
count_attachment (GArray *amounts, const char *driver)
{
  g_autofree char *name = vc_attach_resource (driver);
  guint i = 0;

  while (i < amounts->len && strcmp (g_array_index (amounts, VcAmount, i).name, name) < 0)
    i++;
  if (i == amounts->len || strcmp (g_array_index (amounts, VcAmount, i).name, name) != 0) {
    VcAmount one = { g_steal_pointer (&name), { 0, 0 } };
    g_array_insert_val (amounts, i, one);
  }
  g_array_index (amounts, VcAmount, i).q.milli++;
}

static void
clear_amount (gpointer p)
{
  g_free ((gpointer) ((VcAmount *) p)->name);
}

const VcShape *
vc_cache_attach (VcCache *cache, const char *ns, const char *pod, const char *uid, const VcShape *shape)
{
  VcCluster *c = cache->cluster;
  VcPodSpec spec = shape->spec;
  g_autoptr (GArray) amounts = g_array_new (FALSE, FALSE, sizeof (VcAmount));

  g_array_set_clear_func (amounts, clear_amount);
  for (guint i = 0; i < spec.n_volumes; i++) {
    g_autofree char *made = NULL;
    const char *name = vc_pod_claim_name (&spec.volume[i], pod, &made);

    if (*name == '\0')
      return NULL;
    guint32 claim = vc_volumes_claim (c->volumes, ns, name);
    if (claim == VC_NONE) {
      g_array_set_size (amounts, 0);
      break;
    }
    if (spec.volume[i].ephemeral && !vc_claim_is_owned (&c->volumes->claim[claim], uid))
      return NULL;
    const char *driver = driver_of (c->volumes, &c->volumes->claim[claim]);
    if (*driver != '\0' && !vc_cache_ignores_driver (cache, driver))
      count_attachment (amounts, driver);
  }
  spec.attachments = (VcAmounts) { (const VcAmount *) (gpointer) amounts->data, amounts->len, FALSE };
  return vc_shape_intern (c->shapes, &spec);
}
