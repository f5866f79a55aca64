/* Storage objects: StorageClass, PersistentVolume, PersistentVolumeClaim, CSINode, CSIDriver, CSIStorageCapacity, VolumeAttachment, and the
 * volumes of a pod.
 *
 * Volumes of drivers that were once part of Kubernetes (awsElasticBlockStore and so on) are refused: the scheduler translates them to CSI
 * volumes, which is not done here. Other kinds of volumes decide nothing but by their node affinity. */
#include "k8s-fields.h"
#include <stddef.h>
#include <string.h>

#define BETA_CLASS "volume.beta.kubernetes.io/storage-class" /* an annotation that wins over the field */

static const char *
class_of (const K8sMeta *meta, const char *field)
{
  const char *beta = vc_pairs_get (&meta->annotations, BETA_CLASS);
  return beta != NULL ? beta : field;
}

/* One of a few words, into the number that goes with it. */
typedef struct {
  const char *word;
  guint value;
} Word;

static gboolean
read_word (K8sReader *r, struct fy_node *node, const Word *words, guint n, const char *expected, guint *out)
{
  const char *text;

  if (!k8s_text (r, node, &text))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (strcmp (text, words[i].word) == 0) {
      *out = words[i].value;
      return TRUE;
    }
  return k8s_expected (r, node, expected);
}

static gboolean
read_mode (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const Word words[] = { { "Filesystem", FALSE }, { "Block", TRUE } };
  return read_word (r, node, words, G_N_ELEMENTS (words), "Filesystem or Block", out);
}

static gboolean
read_access_mode (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const Word words[] = { { "ReadWriteOnce", VC_ACCESS_ONCE },
                                { "ReadOnlyMany", VC_ACCESS_READ_MANY },
                                { "ReadWriteMany", VC_ACCESS_MANY },
                                { "ReadWriteOncePod", VC_ACCESS_ONCE_POD } };
  return read_word (r, node, words, G_N_ELEMENTS (words), "ReadWriteOnce, ReadOnlyMany, ReadWriteMany or ReadWriteOncePod", out);
}

static gboolean
read_access_modes (K8sReader *r, struct fy_node *node, gpointer out)
{
  gpointer items;
  guint n, *modes = out;

  if (!k8s_list (r, node, sizeof (guint), read_access_mode, &items, &n))
    return FALSE;
  for (guint i = 0; i < n; i++)
    *modes |= ((const guint *) items)[i];
  return TRUE;
}

static gboolean
read_reclaim_policy (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const Word words[] = { { "Delete", FALSE }, { "Retain", TRUE } };
  return read_word (r, node, words, G_N_ELEMENTS (words), "Delete or Retain", out);
}

/* The entry `storage` of a list of amounts. */
static gboolean
read_storage (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "storage", k8s_quantity, 0 } };
  return K8S_FIELDS (r, node, fields, out);
}

/* ---- StorageClass --------------------------------------------------------------------------- */
static gboolean
read_binding_mode (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const Word words[] = { { "Immediate", VC_BINDING_IMMEDIATE }, { "WaitForFirstConsumer", VC_BINDING_WAIT } };
  guint mode = VC_BINDING_UNSET;

  if (!read_word (r, node, words, G_N_ELEMENTS (words), "Immediate or WaitForFirstConsumer", &mode))
    return FALSE;
  *(VcBindingMode *) out = (VcBindingMode) mode;
  return TRUE;
}

static gboolean
read_topology_expression (K8sReader *r, struct fy_node *node, gpointer out)
{
  typedef struct {
    const char *key;
    K8sTexts values;
  } Raw;
  static const K8sField fields[] = {
    { "key", k8s_text, offsetof (Raw, key) },
    { "values", k8s_texts, offsetof (Raw, values) },
  };
  Raw raw = { .key = "" };

  if (!K8S_FIELDS (r, node, fields, &raw))
    return FALSE;
  *(VcExpression *) out = (VcExpression){ raw.key, VC_OP_IN, raw.values.item, raw.values.n };
  return TRUE;
}

static gboolean
read_topology_expressions (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcNodeTerm *term = out;
  gpointer items;

  if (!k8s_list (r, node, sizeof (VcExpression), read_topology_expression, &items, &term->n_labels))
    return FALSE;
  term->label = items;
  return TRUE;
}

static gboolean
read_topology (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "matchLabelExpressions", read_topology_expressions, 0 } };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_topologies (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcStorageClassObject *o = out;
  gpointer items;

  if (!k8s_list (r, node, sizeof (VcNodeTerm), read_topology, &items, &o->n_topologies))
    return FALSE;
  o->topology = items;
  return TRUE;
}

static gboolean
read_parameters (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcPairs parameters = { 0 };

  if (!k8s_pairs (r, node, &parameters))
    return FALSE;
  ((VcStorageClassObject *) out)->csi_driver = vc_pairs_get (&parameters, "csi.storage.k8s.io/csi-driver-name");
  return TRUE;
}

gboolean
k8s_read_storage_class (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcStorageClassObject *out)
{
  static const K8sField fields[] = {
    { "provisioner", k8s_text, offsetof (VcStorageClassObject, provisioner) },
    { "parameters", read_parameters, 0 },
    { "volumeBindingMode", read_binding_mode, offsetof (VcStorageClassObject, mode) },
    { "allowedTopologies", read_topologies, 0 },
    { "reclaimPolicy", read_reclaim_policy, offsetof (VcStorageClassObject, retain) },
  };

  out->name = meta->name;
  out->is_default = g_strcmp0 (vc_pairs_get (&meta->annotations, "storageclass.kubernetes.io/is-default-class"), "true") == 0;
  return K8S_FIELDS (r, r->object, fields, out);
}

/* ---- PersistentVolume ----------------------------------------------------------------------- */
static gboolean
refuse_in_tree (K8sReader *r, struct fy_node *node, gpointer out)
{
  return k8s_unsupported (r, node, "a volume of a driver that Kubernetes has moved to CSI");
}

#define IN_TREE                                                                                                        \
  { "awsElasticBlockStore", refuse_in_tree, 0 }, { "azureDisk", refuse_in_tree, 0 }, { "azureFile", refuse_in_tree, 0 }, \
      { "cinder", refuse_in_tree, 0 }, { "gcePersistentDisk", refuse_in_tree, 0 },                                     \
      { "portworxVolume", refuse_in_tree, 0 }, { "vsphereVolume", refuse_in_tree, 0 }

static gboolean
read_claim_ref (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "namespace", k8s_text, offsetof (VcPersistentVolumeObject, claim_ns) },
    { "name", k8s_text, offsetof (VcPersistentVolumeObject, claim_name) },
    { "uid", k8s_text, offsetof (VcPersistentVolumeObject, claim_uid) },
  };

  ((VcPersistentVolumeObject *) out)->claim_name = "";
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_csi (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "driver", k8s_text, offsetof (VcPersistentVolumeObject, driver) },
    { "volumeHandle", k8s_text, offsetof (VcPersistentVolumeObject, handle) },
  };

  ((VcPersistentVolumeObject *) out)->driver = "";
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_required (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "nodeSelectorTerms", k8s_node_terms, 0 } };
  VcPersistentVolumeObject *o = out;
  K8sNodeTerms terms = { 0 };

  if (!K8S_FIELDS (r, node, fields, &terms))
    return FALSE;
  o->has_affinity = TRUE;
  o->term = terms.item;
  o->n_terms = terms.n;
  return TRUE;
}

static gboolean
read_node_affinity (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "required", read_required, 0 } };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_volume_spec (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "storageClassName", k8s_text, offsetof (VcPersistentVolumeObject, class) },
    { "capacity", read_storage, offsetof (VcPersistentVolumeObject, capacity) },
    { "accessModes", read_access_modes, offsetof (VcPersistentVolumeObject, modes) },
    { "volumeMode", read_mode, offsetof (VcPersistentVolumeObject, block) },
    { "volumeAttributesClassName", k8s_text, offsetof (VcPersistentVolumeObject, attributes_class) },
    { "claimRef", read_claim_ref, 0 },
    { "csi", read_csi, 0 },
    { "nodeAffinity", read_node_affinity, 0 },
    { "persistentVolumeReclaimPolicy", read_reclaim_policy, offsetof (VcPersistentVolumeObject, retain) },
    IN_TREE,
  };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_volume_phase (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const Word words[] = { { "", VC_VOLUME_NO_PHASE },      { "Pending", VC_VOLUME_PENDING },   { "Available", VC_VOLUME_AVAILABLE },
                                { "Bound", VC_VOLUME_BOUND },    { "Released", VC_VOLUME_RELEASED }, { "Failed", VC_VOLUME_FAILED } };
  guint phase = VC_VOLUME_NO_PHASE;

  if (!read_word (r, node, words, G_N_ELEMENTS (words), "Pending, Available, Bound, Released or Failed", &phase))
    return FALSE;
  *(VcVolumePhase *) out = (VcVolumePhase) phase;
  return TRUE;
}

static gboolean
read_volume_status (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "phase", read_volume_phase, offsetof (VcPersistentVolumeObject, phase) } };
  return K8S_FIELDS (r, node, fields, out);
}

gboolean
k8s_read_persistent_volume (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcPersistentVolumeObject *out)
{
  out->name = meta->name;
  out->retain = TRUE; /* the API server's default for a volume that somebody makes by hand */
  out->labels = meta->labels;
  out->deleting = meta->deleted != VC_NO_TIME;
  if (!k8s_field (r, "spec", top->spec, read_volume_spec, out) || !k8s_field (r, "status", top->status, read_volume_status, out))
    return FALSE;
  out->class = class_of (meta, out->class);
  return TRUE;
}

/* ---- PersistentVolumeClaim ------------------------------------------------------------------ */
static gboolean
read_requests (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcPersistentVolumeClaimObject *o = out;
  VcAmounts amounts = { 0 };

  if (!k8s_amounts (r, node, &amounts))
    return FALSE;
  for (guint i = 0; i < amounts.n; i++)
    if (strcmp (amounts.item[i].name, "storage") == 0) {
      o->has_request = TRUE;
      o->request = amounts.item[i].q;
    }
  return TRUE;
}

static gboolean
read_claim_resources (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "requests", read_requests, 0 } };
  return K8S_FIELDS (r, node, fields, out);
}

gboolean
k8s_volume_claim_spec (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "storageClassName", k8s_text, offsetof (VcPersistentVolumeClaimObject, class) },
    { "accessModes", read_access_modes, offsetof (VcPersistentVolumeClaimObject, modes) },
    { "resources", read_claim_resources, 0 },
    { "volumeMode", read_mode, offsetof (VcPersistentVolumeClaimObject, block) },
    { "volumeAttributesClassName", k8s_text, offsetof (VcPersistentVolumeClaimObject, attributes_class) },
    { "selector", k8s_selector, offsetof (VcPersistentVolumeClaimObject, selector) },
    { "volumeName", k8s_text, offsetof (VcPersistentVolumeClaimObject, volume) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

gboolean
k8s_new_volume_claim (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcPersistentVolumeClaimObject *o = vc_arena_new0 (r->arena, VcPersistentVolumeClaimObject, 1);

  if (!fy_node_is_mapping (node))
    return k8s_expected (r, node, "the spec of a claim");
  *(const VcPersistentVolumeClaimObject **) out = o;
  return k8s_volume_claim_spec (r, node, o);
}

static gboolean
read_claim_status (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "phase", k8s_text, 0 } };
  const char *phase = NULL;

  if (!K8S_FIELDS (r, node, fields, &phase))
    return FALSE;
  ((VcPersistentVolumeClaimObject *) out)->lost = g_strcmp0 (phase, "Lost") == 0;
  return TRUE;
}

typedef struct {
  const char *uid;
  gboolean controller;
} Owner;

static gboolean
read_owner (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "uid", k8s_text, offsetof (Owner, uid) },
    { "controller", k8s_bool, offsetof (Owner, controller) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

gboolean
k8s_controller (K8sReader *r, struct fy_node *node, gpointer out)
{
  gpointer items;
  guint n;

  if (!k8s_list (r, node, sizeof (Owner), read_owner, &items, &n))
    return FALSE;
  for (guint i = n; i-- > 0;) /* the first controller counts */
    if (((const Owner *) items)[i].controller)
      *(const char **) out = ((const Owner *) items)[i].uid;
  return TRUE;
}

static gboolean
read_claim_metadata (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "ownerReferences", k8s_controller, offsetof (VcPersistentVolumeClaimObject, owner) } };
  return K8S_FIELDS (r, node, fields, out);
}

gboolean
k8s_read_persistent_volume_claim (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcPersistentVolumeClaimObject *out)
{
  out->ns = meta->ns;
  out->name = meta->name;
  out->uid = meta->uid;
  out->deleting = meta->deleted != VC_NO_TIME;
  out->selected_node = vc_pairs_get (&meta->annotations, "volume.kubernetes.io/selected-node");
  out->bind_completed = vc_pairs_get (&meta->annotations, "pv.kubernetes.io/bind-completed") != NULL;
  if (!k8s_field (r, "metadata", top->metadata, read_claim_metadata, out) || !k8s_field (r, "spec", top->spec, k8s_volume_claim_spec, out)
      || !k8s_field (r, "status", top->status, read_claim_status, out))
    return FALSE;
  out->class = class_of (meta, out->class);
  return TRUE;
}

/* ---- what drivers tell ---------------------------------------------------------------------- */
static gboolean
read_limit (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "count", k8s_given_int32, 0 } };
  K8sInt32 count = { 0 };

  if (!K8S_FIELDS (r, node, fields, &count))
    return FALSE;
  ((VcCsiLimit *) out)->limited = count.given;
  ((VcCsiLimit *) out)->count = count.value;
  return TRUE;
}

static gboolean
read_node_driver (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "name", k8s_text, offsetof (VcCsiLimit, name) },
    { "topologyKeys", k8s_texts, offsetof (VcCsiLimit, topology) },
    { "allocatable", read_limit, 0 },
  };
  VcCsiLimit *limit = out;

  return K8S_FIELDS (r, node, fields, out) && (limit->name != NULL || k8s_refuse (r, node, "name: missing"));
}

static gboolean
read_node_drivers (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcCsiNodeObject *o = out;
  gpointer items;

  if (!k8s_list (r, node, sizeof (VcCsiLimit), read_node_driver, &items, &o->n_drivers))
    return FALSE;
  o->driver = items;
  return TRUE;
}

static gboolean
read_csi_node_spec (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "drivers", read_node_drivers, 0 } };
  return K8S_FIELDS (r, node, fields, out);
}

gboolean
k8s_read_csi_node (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcCsiNodeObject *out)
{
  out->node = meta->name;
  return k8s_field (r, "spec", top->spec, read_csi_node_spec, out);
}

static gboolean
read_csi_driver_spec (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "storageCapacity", k8s_bool, offsetof (VcCsiDriverObject, tracks_capacity) } };
  return K8S_FIELDS (r, node, fields, out);
}

gboolean
k8s_read_csi_driver (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcCsiDriverObject *out)
{
  out->name = meta->name;
  return k8s_field (r, "spec", top->spec, read_csi_driver_spec, out);
}

static gboolean
read_capacity (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcCsiStorageCapacityObject *o = out;
  o->has_capacity = TRUE;
  return k8s_quantity (r, node, &o->capacity);
}

static gboolean
read_largest (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcCsiStorageCapacityObject *o = out;
  o->has_largest = TRUE;
  return k8s_quantity (r, node, &o->largest);
}

gboolean
k8s_read_storage_capacity (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcCsiStorageCapacityObject *out)
{
  static const K8sField fields[] = {
    { "storageClassName", k8s_text, offsetof (VcCsiStorageCapacityObject, class) },
    { "capacity", read_capacity, 0 },
    { "maximumVolumeSize", read_largest, 0 },
    { "nodeTopology", k8s_selector, offsetof (VcCsiStorageCapacityObject, topology) },
  };

  out->ns = meta->ns;
  out->name = meta->name;
  return K8S_FIELDS (r, r->object, fields, out);
}

static gboolean
read_attachment_source (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "persistentVolumeName", k8s_text, offsetof (VcVolumeAttachmentObject, volume) } };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_attachment_spec (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "nodeName", k8s_text, offsetof (VcVolumeAttachmentObject, node) },
    { "attacher", k8s_text, offsetof (VcVolumeAttachmentObject, attacher) },
    { "source", read_attachment_source, 0 },
  };
  return K8S_FIELDS (r, node, fields, out);
}

gboolean
k8s_read_volume_attachment (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcVolumeAttachmentObject *out)
{
  out->name = meta->name;
  return k8s_field (r, "spec", top->spec, read_attachment_spec, out);
}

/* ---- volumes of a pod ----------------------------------------------------------------------- */
typedef struct {
  const char *name, *claim;
  gboolean ephemeral;
  const VcPersistentVolumeClaimObject *made; /* NULL: no template */
} RawVolume;

static gboolean
read_claim_source (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "claimName", k8s_text, offsetof (RawVolume, claim) } };

  ((RawVolume *) out)->claim = "";
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_claim_template (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "spec", k8s_new_volume_claim, 0 } };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_ephemeral (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "volumeClaimTemplate", read_claim_template, offsetof (RawVolume, made) } };

  ((RawVolume *) out)->ephemeral = TRUE;
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_pod_volume (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "name", k8s_text, offsetof (RawVolume, name) },
    { "persistentVolumeClaim", read_claim_source, 0 },
    { "ephemeral", read_ephemeral, 0 },
    IN_TREE,
  };
  return K8S_FIELDS (r, node, fields, out);
}

gboolean
k8s_pod_volumes (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcPodSpec *spec = out;
  gpointer items;
  guint n;

  if (!k8s_list (r, node, sizeof (RawVolume), read_pod_volume, &items, &n))
    return FALSE;
  VcPodVolume *volume = vc_arena_new0 (r->arena, VcPodVolume, n);
  spec->volume = volume;
  for (guint i = 0; i < n; i++) {
    const RawVolume *raw = &((const RawVolume *) items)[i];

    if (raw->claim != NULL)
      volume[spec->n_volumes++] = (VcPodVolume){ .name = raw->claim };
    else if (raw->ephemeral)
      volume[spec->n_volumes++] = (VcPodVolume){ raw->name != NULL ? raw->name : "", TRUE, raw->made };
  }
  return TRUE;
}
