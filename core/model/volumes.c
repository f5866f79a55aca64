#include "volumes.h"
#include "cluster-ops.h"
#include "selector.h"
#include <string.h>

/* ---- life ------------------------------------------------------------------------------------ */

static void
unref_rows (gpointer p)
{
  g_array_unref (p);
}

VcVolumes *
vc_cluster_volumes (VcCluster *c)
{
  if (c->volumes != NULL)
    return c->volumes;
  VcVolumes *v = c->volumes = g_new0 (VcVolumes, 1);

  v->arena = vc_arena_new ();
  v->class_rows = g_hash_table_new (g_str_hash, g_str_equal);
  v->volume_rows = g_hash_table_new (g_str_hash, g_str_equal);
  v->claim_rows = g_hash_table_new (g_str_hash, g_str_equal);
  v->by_class = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, unref_rows);
  v->csi_nodes = g_hash_table_new (g_str_hash, g_str_equal);
  v->drivers = g_hash_table_new (g_str_hash, g_str_equal);
  v->capacities = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  v->attachments = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  v->attached = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) g_ptr_array_unref);
  return v;
}

void
vc_volumes_free (VcVolumes *v)
{
  if (v == NULL)
    return;
  g_hash_table_unref (v->class_rows);
  g_hash_table_unref (v->volume_rows);
  g_hash_table_unref (v->claim_rows);
  g_hash_table_unref (v->by_class);
  g_hash_table_unref (v->csi_nodes);
  g_hash_table_unref (v->drivers);
  g_hash_table_unref (v->capacities);
  g_hash_table_unref (v->attached);
  g_hash_table_unref (v->attachments);
  g_free (v->class);
  g_free (v->volume);
  g_free (v->claim);
  g_free (v->log);
  vc_arena_free (v->arena);
  g_free (v);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static guint32
find (GHashTable *rows, const char *key)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (rows, key)) - 1;
}

guint32
vc_volumes_class (const VcVolumes *v, const char *name)
{
  return v != NULL ? find (v->class_rows, name) : VC_NONE;
}

guint32
vc_volumes_volume (const VcVolumes *v, const char *name)
{
  return v != NULL ? find (v->volume_rows, name) : VC_NONE;
}

guint32
vc_volumes_claim (const VcVolumes *v, const char *ns, const char *name)
{
  char few[256], *key = few;

  if (v == NULL)
    return VC_NONE;
  gsize n_ns = strlen (ns), n_name = strlen (name) + 1;
  g_autofree char *many = n_ns + 1 + n_name > sizeof few ? g_malloc (n_ns + 1 + n_name) : NULL;
  key = many != NULL ? many : few;
  memcpy (key, ns, n_ns);
  key[n_ns] = '/';
  memcpy (key + n_ns + 1, name, n_name);
  return find (v->claim_rows, key);
}

const GArray *
vc_volumes_of_class (const VcVolumes *v, const char *class)
{
  return g_hash_table_lookup (v->by_class, class);
}

const VcCsiNodeObject *
vc_volumes_csi_node (const VcVolumes *v, const char *node)
{
  return v != NULL ? g_hash_table_lookup (v->csi_nodes, node) : NULL;
}

const GPtrArray *
vc_volumes_attached (const VcVolumes *v, const char *node)
{
  return g_hash_table_lookup (v->attached, node);
}

/* ---- conditions on nodes ----------------------------------------------------------------------- */

/* Equal conditions share a shape: the one of a pod that asks for nothing but such a node. */
static const VcShape *
condition (VcCluster *c, const VcNodeTerm *term, guint n)
{
  const VcPodSpec spec = { .has_required = TRUE, .required = term, .n_required = n };
  return vc_shape_intern (c->shapes, &spec);
}

gboolean
vc_volume_reaches (const VcShape *where, const VcNodeFacts *node)
{
  VcNodeFacts nameless = *node;

  if (where == NULL)
    return TRUE;
  nameless.name = "";
  return vc_node_affinity_matches (where, &nameless);
}

/* ---- events ------------------------------------------------------------------------------------ */

static const char *
intern_or_empty (VcCluster *c, const char *text)
{
  return vc_cluster_intern (c, text != NULL ? text : "");
}

guint32
vc_volumes_set_class (VcCluster *c, const VcStorageClassObject *o)
{
  VcVolumes *v = vc_cluster_volumes (c);
  const char *name = vc_cluster_intern (c, o->name);
  guint32 row = find (v->class_rows, name);

  if (row == VC_NONE) {
    v->class = vc_grow (v->class, &v->cap_classes, v->n_classes + 1, sizeof *v->class);
    row = v->n_classes++;
    g_hash_table_insert (v->class_rows, (gpointer) name, GUINT_TO_POINTER (row + 1));
  }
  v->class[row] = (VcStorageClass) { .name = name,
                                     .provisioner = intern_or_empty (c, o->provisioner),
                                     .driver = intern_or_empty (c, o->csi_driver != NULL ? o->csi_driver : o->provisioner),
                                     .where = o->n_topologies > 0 ? condition (c, o->topology, o->n_topologies) : NULL,
                                     .mode = o->mode,
                                     .live = TRUE,
                                     .retain = o->retain,
                                     .is_default = o->is_default };
  v->version++;
  return row;
}

/* The place of a volume in its class, or where it belongs. */
static guint
place_of (const VcVolumes *v, const GArray *rows, const char *name)
{
  guint lo = 0, hi = rows->len;

  while (lo < hi) {
    guint mid = (lo + hi) / 2;
    if (strcmp (v->volume[g_array_index (rows, guint32, mid)].name, name) < 0)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

static void
leave_class (VcVolumes *v, guint32 row)
{
  GArray *rows = g_hash_table_lookup (v->by_class, v->volume[row].class);

  g_array_remove_index (rows, place_of (v, rows, v->volume[row].name));
}

static void
join_class (VcVolumes *v, guint32 row)
{
  GArray *rows = g_hash_table_lookup (v->by_class, v->volume[row].class);

  if (rows == NULL) {
    rows = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_hash_table_insert (v->by_class, (gpointer) v->volume[row].class, rows);
  }
  g_array_insert_val (rows, place_of (v, rows, v->volume[row].name), row);
}

/* A row that is free, else a new one. */
static guint32
volume_row (VcVolumes *v)
{
  guint32 row = v->free_volume;

  if (row != 0) {
    v->free_volume = v->volume[row - 1].assumed;
    return row - 1;
  }
  v->volume = vc_grow (v->volume, &v->cap_volumes, v->n_volumes + 1, sizeof *v->volume);
  return v->n_volumes++;
}

guint32
vc_volumes_set_volume (VcCluster *c, const VcPersistentVolumeObject *o)
{
  static const VcPairs none = { 0 };
  VcVolumes *v = vc_cluster_volumes (c);
  const char *name = vc_cluster_intern (c, o->name);
  guint32 row = find (v->volume_rows, name);

  if (row != VC_NONE) {
    leave_class (v, row);
  } else {
    row = volume_row (v);
    g_hash_table_insert (v->volume_rows, (gpointer) name, GUINT_TO_POINTER (row + 1));
  }
  v->volume[row] = (VcVolume) { .name = name,
                                .class = intern_or_empty (c, o->class),
                                .meta = vc_cluster_meta (c, &o->labels, &none),
                                .where = o->has_affinity ? condition (c, o->term, o->n_terms) : NULL,
                                .capacity = o->capacity,
                                .attributes_class = intern_or_empty (c, o->attributes_class),
                                .claim_ns = vc_cluster_intern (c, o->claim_ns),
                                .claim_name = vc_cluster_intern (c, o->claim_name),
                                .claim_uid = intern_or_empty (c, o->claim_uid),
                                .driver = vc_cluster_intern (c, o->driver),
                                .handle = vc_cluster_intern (c, o->handle),
                                .assumed = VC_NONE,
                                .modes = (guint8) o->modes,
                                .phase = (guint8) o->phase,
                                .live = TRUE,
                                .block = o->block != 0,
                                .deleting = o->deleting != 0,
                                .retain = o->retain != 0 };
  join_class (v, row);
  v->version++;
  return row;
}

void
vc_volumes_remove_volume (VcCluster *c, guint32 row)
{
  VcVolumes *v = vc_cluster_volumes (c);

  leave_class (v, row);
  g_hash_table_remove (v->volume_rows, v->volume[row].name);
  v->volume[row] = (VcVolume) { .assumed = v->free_volume };
  v->free_volume = row + 1;
  v->version++;
}

static guint32
claim_row (VcVolumes *v)
{
  guint32 row = v->free_claim;

  if (row != 0) {
    v->free_claim = v->claim[row - 1].assumed_node;
    return row - 1;
  }
  v->claim = vc_grow (v->claim, &v->cap_claims, v->n_claims + 1, sizeof *v->claim);
  return v->n_claims++;
}

guint32
vc_volumes_set_claim (VcCluster *c, const VcPersistentVolumeClaimObject *o)
{
  VcVolumes *v = vc_cluster_volumes (c);
  g_autofree char *text = g_strconcat (o->ns, "/", o->name, NULL);
  const char *key = vc_cluster_intern (c, text);
  guint32 row = find (v->claim_rows, key);
  VcSelector selector = o->selector;

  if (selector.given && (row == VC_NONE || memcmp (&selector, &v->claim[row].selector, sizeof selector) != 0)) /* else it is the row's own */
    selector = vc_selector_copy (v->arena, &selector);
  if (row == VC_NONE) {
    row = claim_row (v);
    g_hash_table_insert (v->claim_rows, (gpointer) key, GUINT_TO_POINTER (row + 1));
  }
  v->claim[row] = (VcClaim) { .key = key,
                              .ns = vc_cluster_intern (c, o->ns),
                              .name = key + strlen (o->ns) + 1,
                              .uid = intern_or_empty (c, o->uid),
                              .class = intern_or_empty (c, o->class),
                              .request = o->request,
                              .attributes_class = intern_or_empty (c, o->attributes_class),
                              .selector = selector,
                              .volume = intern_or_empty (c, o->volume),
                              .selected_node = vc_cluster_intern (c, o->selected_node),
                              .owner = vc_cluster_intern (c, o->owner),
                              .assumed_node = VC_NONE,
                              .modes = (guint8) o->modes,
                              .live = TRUE,
                              .has_request = o->has_request != 0,
                              .block = o->block != 0,
                              .bind_completed = o->bind_completed != 0,
                              .lost = o->lost != 0,
                              .deleting = o->deleting != 0 };
  v->version++;
  return row;
}

void
vc_volumes_remove_claim (VcCluster *c, guint32 row)
{
  VcVolumes *v = vc_cluster_volumes (c);

  for (guint32 i = 0; i < v->n_volumes; i++)
    if (v->volume[i].live && v->volume[i].assumed == row)
      v->volume[i].assumed = VC_NONE;
  g_hash_table_remove (v->claim_rows, v->claim[row].key);
  v->claim[row] = (VcClaim) { .assumed_node = v->free_claim };
  v->free_claim = row + 1;
  v->version++;
}

static const char *
or_null (const char *text)
{
  return *text != '\0' ? text : NULL;
}

VcPersistentVolumeObject
vc_volume_object (const VcVolume *v)
{
  return (VcPersistentVolumeObject) { .name = v->name,
                                      .labels = v->meta->labels,
                                      .class = v->class,
                                      .capacity = v->capacity,
                                      .modes = v->modes,
                                      .block = v->block,
                                      .attributes_class = or_null (v->attributes_class),
                                      .claim_ns = v->claim_ns,
                                      .claim_name = v->claim_name,
                                      .claim_uid = or_null (v->claim_uid),
                                      .has_affinity = v->where != NULL,
                                      .term = v->where != NULL ? v->where->spec.required : NULL,
                                      .n_terms = v->where != NULL ? v->where->spec.n_required : 0,
                                      .driver = v->driver,
                                      .handle = v->handle,
                                      .phase = (VcVolumePhase) v->phase,
                                      .deleting = v->deleting,
                                      .retain = v->retain };
}

VcPersistentVolumeClaimObject
vc_claim_object (const VcClaim *c)
{
  return (VcPersistentVolumeClaimObject) { .ns = c->ns,
                                           .name = c->name,
                                           .uid = c->uid,
                                           .class = c->class,
                                           .has_request = c->has_request,
                                           .request = c->request,
                                           .modes = c->modes,
                                           .block = c->block,
                                           .attributes_class = or_null (c->attributes_class),
                                           .selector = c->selector,
                                           .volume = or_null (c->volume),
                                           .selected_node = c->selected_node,
                                           .bind_completed = c->bind_completed,
                                           .lost = c->lost,
                                           .deleting = c->deleting,
                                           .owner = c->owner };
}

void
vc_volumes_set_csi_node (VcCluster *c, const VcCsiNodeObject *o)
{
  VcVolumes *v = vc_cluster_volumes (c);
  VcCsiNodeObject *node = vc_arena_new0 (v->arena, VcCsiNodeObject, 1);
  VcCsiLimit *driver = vc_arena_new0 (v->arena, VcCsiLimit, o->n_drivers);

  for (guint i = 0; i < o->n_drivers; i++) {
    driver[i] = o->driver[i];
    driver[i].name = vc_cluster_intern (c, driver[i].name);
    const char **key = vc_arena_new0 (v->arena, const char *, driver[i].topology.n);
    for (guint k = 0; k < driver[i].topology.n; k++)
      key[k] = vc_cluster_intern (c, driver[i].topology.item[k]);
    driver[i].topology.item = key;
  }
  *node = (VcCsiNodeObject) { vc_cluster_intern (c, o->node), driver, o->n_drivers };
  g_hash_table_replace (v->csi_nodes, (gpointer) node->node, node);
  v->version++;
}

void
vc_volumes_set_csi_driver (VcCluster *c, const VcCsiDriverObject *o)
{
  VcVolumes *v = vc_cluster_volumes (c);
  const char *name = vc_cluster_intern (c, o->name);

  if (o->tracks_capacity)
    g_hash_table_add (v->drivers, (gpointer) name);
  else
    g_hash_table_remove (v->drivers, name);
  v->version++;
}

void
vc_volumes_set_capacity (VcCluster *c, const VcCsiStorageCapacityObject *o)
{
  VcVolumes *v = vc_cluster_volumes (c);
  VcStorageCapacity *capacity = vc_arena_new0 (v->arena, VcStorageCapacity, 1);

  *capacity = (VcStorageCapacity) { .class = intern_or_empty (c, o->class),
                                    .topology = vc_selector_copy (v->arena, &o->topology),
                                    .has_capacity = o->has_capacity,
                                    .has_largest = o->has_largest,
                                    .capacity = o->capacity.value,
                                    .largest = o->largest.value };
  g_hash_table_replace (v->capacities, g_strconcat (o->ns, "/", o->name, NULL), capacity);
  v->version++;
}

void
vc_volumes_set_attachment (VcCluster *c, const VcVolumeAttachmentObject *o)
{
  VcVolumes *v = vc_cluster_volumes (c);
  const char *name = vc_cluster_intern (c, o->name);
  VcAttachment *a = g_new (VcAttachment, 1), *old = g_hash_table_lookup (v->attachments, name);

  *a = (VcAttachment) { intern_or_empty (c, o->node), intern_or_empty (c, o->attacher), vc_cluster_intern (c, o->volume) };
  if (old != NULL)
    g_ptr_array_remove (g_hash_table_lookup (v->attached, old->node), old);
  GPtrArray *list = g_hash_table_lookup (v->attached, a->node);
  if (list == NULL) {
    list = g_ptr_array_new ();
    g_hash_table_insert (v->attached, (gpointer) a->node, list);
  }
  g_ptr_array_add (list, a);
  g_hash_table_replace (v->attachments, (gpointer) name, a);
  v->version++;
}

/* ---- assumptions ------------------------------------------------------------------------------- */

static void
note (VcVolumes *v, guint32 row, guint32 old, gboolean claim)
{
  v->log = vc_grow (v->log, &v->cap_log, v->n_log + 1, sizeof *v->log);
  v->log[v->n_log++] = (VcAssumption) { row, old, claim };
}

void
vc_volumes_assume (VcVolumes *v, guint32 volume, guint32 claim)
{
  if (v->volume[volume].assumed == claim)
    return;
  note (v, volume, v->volume[volume].assumed, FALSE);
  v->volume[volume].assumed = claim;
}

void
vc_volumes_select_node (VcVolumes *v, guint32 claim, guint32 node)
{
  if (v->claim[claim].assumed_node == node)
    return;
  note (v, claim, v->claim[claim].assumed_node, TRUE);
  v->claim[claim].assumed_node = node;
}

/* What the first later entry about the row says it was before. */
static guint32
value_at (const VcVolumes *v, guint32 row, gboolean claim, guint32 now, guint32 at)
{
  for (guint32 i = at; i < v->n_log; i++)
    if (v->log[i].row == row && v->log[i].claim == claim)
      return v->log[i].old;
  return now;
}

guint32
vc_volumes_assumed_at (const VcVolumes *v, guint32 volume, guint32 at)
{
  return value_at (v, volume, FALSE, v->volume[volume].assumed, at);
}

guint32
vc_volumes_selected_at (const VcVolumes *v, guint32 claim, guint32 at)
{
  return value_at (v, claim, TRUE, v->claim[claim].assumed_node, at);
}

void
vc_volumes_drop_assumptions (VcVolumes *v)
{
  for (guint32 i = 0; i < v->n_volumes; i++)
    if (v->volume[i].live && v->volume[i].assumed != VC_NONE)
      vc_volumes_assume (v, i, VC_NONE);
  for (guint32 i = 0; i < v->n_claims; i++)
    if (v->claim[i].live && v->claim[i].assumed_node != VC_NONE)
      vc_volumes_select_node (v, i, VC_NONE);
}

gboolean
vc_volumes_assumptions_changed (const VcVolumes *v)
{
  for (guint32 i = 0; i < v->n_log; i++) {
    const VcAssumption *a = &v->log[i];
    guint32 now = a->claim ? v->claim[a->row].assumed_node : v->volume[a->row].assumed;

    if (value_at (v, a->row, a->claim, now, 0) != now)
      return TRUE;
  }
  return FALSE;
}

void
vc_volumes_cut_log (VcVolumes *v)
{
  v->n_log = 0;
}

/* ---- facts ------------------------------------------------------------------------------------- */

const char *
vc_pod_claim_name (const VcPodVolume *volume, const char *pod, char **made)
{
  if (!volume->ephemeral)
    return volume->name;
  return *made = g_strconcat (pod, "-", volume->name, NULL);
}

/* Both roundings go the same way, so that the order of unequal whole parts is the order of the quantities. */
int
vc_quantity_compare (const VcQuantity *a, const VcQuantity *b)
{
  if (a->value != b->value)
    return a->value < b->value ? -1 : 1;
  return (a->milli > b->milli) - (a->milli < b->milli);
}

char *
vc_attach_resource (const char *driver)
{
  char *name = g_strconcat ("attachable-volumes-csi-", driver, NULL);

  for (char *p = name; *p != '\0'; p++)
    if (*p == '/')
      *p = '-';
  return name;
}
