/* core/plugins/volume-limits.c - a node attaches no more CSI volumes of a driver than its CSINode allows.
 *
 * Policy: a volume is (driver, handle) of the claim's volume, or (provisioner, claim) while the claim has none. Distinct volumes of the node's
 * mirrored pods count, and those of its VolumeAttachments that no pod uses. The pod's volumes that no pod of the node has count as new, those
 * that are attached without a pod too: attached + new > limit refuses (U). A driver without a limit on the node, and a node without a CSINode,
 * refuse nothing.
 *
 * Example: limit 2; two pods share volume a, an attachment holds volume b. A third pod with volumes a and c: attached 2, new 1 (c): refused;
 * with a alone: new 0: passes; with b alone: new 1: refused.
 *
 * Of in-tree provisioners those count that Kubernetes has moved to CSI drivers, where the node has a CSINode.
 *
 * Mirrors pkg/scheduler/framework/plugins/nodevolumelimits/{csi,utils}.go of Kubernetes. */
#include "volume-filters.h"
#include <string.h>

typedef struct { const char *driver, *handle; } VolumeId; /* interned */

struct VcVolumeLimits {
  GArray *fresh;        /* VolumeId: of the pod at hand */
  GHashTable *attached; /* VolumeId * → itself; a set */
  GArray *count;        /* of attached volumes by driver: { driver, n } */
  VcArena *arena;       /* of the ids in the set */
};
typedef struct { const char *driver; guint n; } Count;

static guint
hash_id (gconstpointer p)
{
  const VolumeId *id = p;
  return g_direct_hash (id->driver) * 31u + g_direct_hash (id->handle);
}

static gboolean
same_id (gconstpointer a, gconstpointer b)
{
  const VolumeId *l = a, *r = b;
  return l->driver == r->driver && l->handle == r->handle;
}

VcVolumeLimits *
vc_volume_limits_new (void)
{
  VcVolumeLimits *l = g_new0 (VcVolumeLimits, 1);

  l->fresh = g_array_new (FALSE, FALSE, sizeof (VolumeId));
  l->attached = g_hash_table_new (hash_id, same_id);
  l->count = g_array_new (FALSE, FALSE, sizeof (Count));
  l->arena = vc_arena_new ();
  return l;
}

void
vc_volume_limits_free (VcVolumeLimits *l)
{
  if (l == NULL)
    return;
  g_array_unref (l->fresh);
  g_hash_table_unref (l->attached);
  g_array_unref (l->count);
  vc_arena_free (l->arena);
  g_free (l);
}

/* ---- which volume is it? ----------------------------------------------------------------------- */

/* The driver that an in-tree provisioner has become; NULL: it does not count. *in_tree tells one. */
static const char *
moved_to (const char *provisioner, gboolean *in_tree)
{
  static const struct { const char *name, *driver; } moved[] = {
    { "kubernetes.io/aws-ebs", "ebs.csi.aws.com" },
    { "kubernetes.io/azure-disk", "disk.csi.azure.com" },
    { "kubernetes.io/azure-file", NULL }, /* translated, but not counted */
    { "kubernetes.io/cinder", "cinder.csi.openstack.org" },
    { "kubernetes.io/gce-pd", "pd.csi.storage.gke.io" },
    { "kubernetes.io/portworx-volume", "pxd.portworx.com" },
    { "kubernetes.io/vsphere-volume", NULL },
  };

  *in_tree = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (moved); i++)
    if (strcmp (moved[i].name, provisioner) == 0)
      return moved[i].driver;
  *in_tree = FALSE;
  return NULL;
}

/* FALSE: the volume does not count. */
static gboolean
identify (VcCluster *c, const VcCsiNodeObject *csi, const VcClaim *claim, VolumeId *id)
{
  const VcVolumes *v = c->volumes;
  guint32 volume = *claim->volume != '\0' ? vc_volumes_volume (v, claim->volume) : VC_NONE;
  gboolean in_tree;

  if (volume != VC_NONE) {
    *id = (VolumeId) { v->volume[volume].driver, v->volume[volume].handle };
    return id->driver != NULL && *id->driver != '\0' && id->handle != NULL && *id->handle != '\0';
  }
  guint32 class = *claim->class != '\0' ? vc_volumes_class (v, claim->class) : VC_NONE;
  if (class == VC_NONE)
    return FALSE; /* binding is immediate then, so that the claim is bound before it counts */
  *id = (VolumeId) { v->class[class].provisioner, claim->key };
  const char *driver = moved_to (id->driver, &in_tree);
  if (in_tree)
    id->driver = csi != NULL && driver != NULL ? vc_cluster_intern (c, driver) : "";
  return *id->driver != '\0';
}

/* Claim of volume @i of a task, or the reason why there is none. *row is VC_NONE where a volume is to be passed over. */
static const char *
claim_of (VcCluster *c, const VcTask *t, guint i, guint32 *row)
{
  const VcPodVolume *volume = &t->shape->spec.volume[i];
  g_autofree char *made = NULL;
  const char *name = vc_pod_claim_name (volume, t->name, &made);

  *row = VC_NONE;
  if (*name == '\0')
    return "PersistentVolumeClaim had no name";
  *row = vc_volumes_claim (c->volumes, t->ns, name);
  if (*row == VC_NONE || !volume->ephemeral || vc_claim_is_owned (&c->volumes->claim[*row], t->uid))
    return NULL;
  return vc_cluster_internf (c, "PVC %s/%s was not created for pod %s (pod is not owner)", t->ns, name, t->key);
}

static const char *
missing (VcCluster *c, const VcTask *t, guint i)
{
  g_autofree char *made = NULL;
  const char *name = vc_pod_claim_name (&t->shape->spec.volume[i], t->name, &made);

  return vc_cluster_internf (c, "looking up PVC %s/%s: persistentvolumeclaim \"%s\" not found", t->ns, name, name);
}

/* ---- the filter -------------------------------------------------------------------------------- */

static guint *
count_of (GArray *counts, const char *driver)
{
  for (guint i = 0; i < counts->len; i++)
    if (g_array_index (counts, Count, i).driver == driver)
      return &g_array_index (counts, Count, i).n;
  Count more = { driver, 0 };
  g_array_append_val (counts, more);
  return &g_array_index (counts, Count, counts->len - 1).n;
}

static void
attach (VcVolumeLimits *l, VolumeId id)
{
  if (g_hash_table_contains (l->attached, &id))
    return;
  VolumeId *copy = vc_arena_new0 (l->arena, VolumeId, 1);
  *copy = id;
  g_hash_table_add (l->attached, copy);
  *count_of (l->count, id.driver) += 1;
}

static const char *
collect_fresh (VcVolumeLimits *l, VcCluster *c, const VcTask *t, const VcCsiNodeObject *csi, VcCode *code)
{
  *code = VC_ERROR;
  for (guint i = 0; i < t->shape->spec.n_volumes; i++) {
    guint32 row;
    VolumeId id;
    const char *reason = claim_of (c, t, i, &row);
    gboolean known = FALSE;

    if (reason != NULL)
      return reason;
    if (row == VC_NONE) {
      *code = VC_UNRESOLVABLE;
      return missing (c, t, i);
    }
    if (!identify (c, csi, &c->volumes->claim[row], &id))
      continue;
    for (guint k = 0; k < l->fresh->len && !known; k++)
      known = same_id (&g_array_index (l->fresh, VolumeId, k), &id);
    if (!known)
      g_array_append_val (l->fresh, id);
  }
  return NULL;
}

/* Volumes of the node's pods. Those of the pod at hand that are among them are not new. */
static const char *
collect_mounted (VcVolumeLimits *l, VcCluster *c, guint32 node, const VcCsiNodeObject *csi)
{
  const VcNode *info = &c->nodes.info[node];
  VolumeId id;

  for (guint32 k = 0; k < info->n_tasks; k++) {
    const VcTask *t = &c->task[info->task[k]];

    for (guint i = 0; t->in_mirror && i < t->shape->spec.n_volumes; i++) {
      guint32 row;
      const char *reason = claim_of (c, t, i, &row);

      if (reason != NULL)
        return reason;
      if (row != VC_NONE && identify (c, csi, &c->volumes->claim[row], &id))
        attach (l, id);
    }
  }
  for (guint k = l->fresh->len; k-- > 0;)
    if (g_hash_table_contains (l->attached, &g_array_index (l->fresh, VolumeId, k)))
      g_array_remove_index (l->fresh, k);
  return NULL;
}

/* Volumes that are attached without a pod; one that the pod at hand wants counts twice. */
static void
collect_attached (VcVolumeLimits *l, VcCluster *c, guint32 node)
{
  const GPtrArray *attachments = vc_volumes_attached (c->volumes, c->nodes.info[node].name);

  for (guint i = 0; attachments != NULL && i < attachments->len; i++) {
    const VcAttachment *a = attachments->pdata[i];
    guint32 volume = a->volume != NULL && *a->attacher != '\0' ? vc_volumes_volume (c->volumes, a->volume) : VC_NONE;

    if (volume == VC_NONE || c->volumes->volume[volume].driver == NULL)
      continue;
    attach (l, (VolumeId) { a->attacher, c->volumes->volume[volume].handle });
  }
}

const char *
vc_volume_limits_filter (VcVolumeLimits *l, VcCluster *c, const VcTask *t, guint32 node, VcCode *code)
{
  const VcCsiNodeObject *csi = vc_volumes_csi_node (c->volumes, c->nodes.info[node].name);
  gboolean limited = FALSE;

  g_array_set_size (l->fresh, 0);
  const char *reason = collect_fresh (l, c, t, csi, code);
  if (reason != NULL)
    return reason;
  for (guint i = 0; csi != NULL && i < csi->n_drivers; i++)
    limited |= csi->driver[i].limited;
  if (l->fresh->len == 0 || !limited)
    return NULL;
  g_hash_table_remove_all (l->attached);
  g_array_set_size (l->count, 0);
  vc_arena_reset (l->arena);
  reason = collect_mounted (l, c, node, csi);
  if (reason != NULL)
    return reason;
  collect_attached (l, c, node);
  for (guint d = 0; d < csi->n_drivers; d++) {
    guint fresh = 0;

    for (guint k = 0; k < l->fresh->len; k++)
      fresh += g_array_index (l->fresh, VolumeId, k).driver == csi->driver[d].name;
    if (csi->driver[d].limited && fresh > 0 && (gint64) *count_of (l->count, csi->driver[d].name) + fresh > csi->driver[d].count) {
      *code = VC_UNSCHEDULABLE;
      return "node(s) exceed max volume count";
    }
  }
  return NULL;
}
