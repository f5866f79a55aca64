/* The books of all nodes, and the families that keep them. See devices.h. */
#include "devices.h"
#include "ascend-hami.h"
#include "core/conf/conf.h"
#include "core/model/cluster-ops.h"
#include "devices-private.h"
#include "gpu-exclusive.h"
#include <string.h>

/* ---- the registry ------------------------------------------------------------------------------- */

/* Families in the order in which upstream registers and asks them, and who switches each on. */
static const struct {
  const VcDeviceClass *class;
  gsize flag[2]; /* in VcDeviceSettings; either will do */
  const char *key;
} families[] = {
  { &vc_device_gpushare, { G_STRUCT_OFFSET (VcDeviceSettings, gpu_sharing), G_STRUCT_OFFSET (VcDeviceSettings, gpu_number) }, "volcano.sh/gpu-index" },
  { &vc_device_vgpu, { G_STRUCT_OFFSET (VcDeviceSettings, vgpu), G_STRUCT_OFFSET (VcDeviceSettings, vgpu) }, "volcano.sh/vgpu-ids-new" },
  { &vc_device_ascend_hami, { G_STRUCT_OFFSET (VcDeviceSettings, hami), G_STRUCT_OFFSET (VcDeviceSettings, hami) }, NULL /* one for each type */ },
};

VcCluster *vc_devices_cluster (const VcDevices *d) { return d->c; }
VcArena *vc_devices_arena (const VcDevices *d) { return d->arena; }
const VcDeviceSettings *vc_devices_settings (const VcDevices *d) { return &d->settings; }
const VcDeviceConfig *vc_devices_config (const VcDevices *d) { return d->config; }
gint64 vc_devices_now (const VcDevices *d) { return d->now; }
guint vc_devices_n_config_maps (const VcDevices *d) { return d->config_maps->len; }
const VcConfigMapObject *vc_devices_nth_config_map (const VcDevices *d, guint i) { return d->config_maps->pdata[i]; }

/* ---- claims ------------------------------------------------------------------------------------- */

static void
clear_assigned (gpointer p)
{
  g_free (((VcAssigned *) p)->value);
}

static void
free_claim (gpointer p)
{
  VcClaim *k = p;

  g_clear_pointer (&k->session, g_array_unref);
  g_clear_pointer (&k->binding, g_array_unref);
  g_clear_pointer (&k->bound, g_array_unref);
  g_free (k);
}

VcClaim *
vc_claim_find (const VcDevices *d, guint32 task)
{
  return g_hash_table_lookup (d->claims, GUINT_TO_POINTER (task + 1));
}

static VcClaim *
get_claim (VcDevices *d, guint32 task)
{
  VcClaim *k = vc_claim_find (d, task);

  if (k == NULL) {
    k = g_new0 (VcClaim, 1);
    g_hash_table_insert (d->claims, GUINT_TO_POINTER (task + 1), k);
  }
  return k;
}

const char *
vc_claim_value (const GArray *list, const char *key)
{
  for (guint i = 0; list != NULL && i < list->len; i++)
    if (g_array_index (list, VcAssigned, i).key == key)
      return g_array_index (list, VcAssigned, i).value;
  return NULL;
}

void
vc_claim_drop (GArray *list, const char *key)
{
  for (guint i = 0; list != NULL && i < list->len; i++)
    if (g_array_index (list, VcAssigned, i).key == key) {
      g_array_remove_index (list, i);
      return;
    }
}

void
vc_claim_set (VcDevices *d, guint32 task, const char *key, const char *value)
{
  VcClaim *k = get_claim (d, task);
  const VcAssigned a = { key, g_strdup (value) };

  if (k->session == NULL) {
    k->session = g_array_new (FALSE, FALSE, sizeof (VcAssigned));
    g_array_set_clear_func (k->session, clear_assigned);
    g_array_append_val (d->claiming, task);
  }
  vc_claim_drop (k->session, key);
  g_array_append_val (k->session, a);
}

const char *
vc_devices_carried (const VcDeviceCall *call, guint32 task)
{
  const VcClaim *k = vc_claim_find (call->d, task);
  const char *value = k != NULL ? vc_claim_value (k->bound, call->slot->key) : NULL;

  return value != NULL ? value : vc_pairs_get (&call->d->c->task[task].meta->annotations, call->slot->key);
}

/* ---- life ----------------------------------------------------------------------------------------- */

VcDevices *
vc_devices_new (VcCluster *c)
{
  VcDevices *d = g_new0 (VcDevices, 1);

  d->c = c;
  d->arena = vc_arena_new ();
  d->map_arena = vc_arena_new ();
  d->config_maps = g_ptr_array_new ();
  d->asks = g_ptr_array_new ();
  d->claims = g_hash_table_new_full (NULL, NULL, NULL, free_claim);
  d->dirty = g_array_new (FALSE, FALSE, sizeof (guint32));
  d->claiming = g_array_new (FALSE, FALSE, sizeof (guint32));
  d->locks = vc_node_locks_new ();
  d->settings.policy = "";
  return d;
}

void
vc_devices_free_books (VcDevices *d, gpointer **books)
{
  for (guint s = 0; *books != NULL && s < d->n_slots; s++)
    if ((*books)[s] != NULL)
      d->slot[s].class->free ((*books)[s]);
  g_clear_pointer (books, g_free);
}

static void
free_all_books (VcDevices *d)
{
  for (guint32 i = 0; i < d->cap_nodes; i++) {
    vc_devices_free_books (d, &d->node[i].base);
    vc_devices_free_books (d, &d->node[i].live);
  }
  g_array_set_size (d->dirty, 0);
}

void
vc_devices_free (VcDevices *d)
{
  if (d == NULL)
    return;
  free_all_books (d);
  for (guint32 i = 0; i < d->cap_nodes; i++)
    g_free (d->node[i].scored);
  g_free (d->node);
  g_free (d->slot);
  g_free (d->by_name);
  g_ptr_array_unref (d->asks);
  g_ptr_array_unref (d->config_maps);
  g_hash_table_unref (d->claims);
  g_array_unref (d->dirty);
  g_array_unref (d->claiming);
  vc_node_locks_free (d->locks);
  vc_arena_free (d->arena);
  vc_arena_free (d->map_arena);
  g_free (d);
}

/* ---- ConfigMaps ----------------------------------------------------------------------------------- */

const VcConfigMapObject *
vc_devices_config_map (const VcDevices *d, const char *ns, const char *name)
{
  for (guint i = 0; i < d->config_maps->len; i++) {
    const VcConfigMapObject *o = d->config_maps->pdata[i];

    if (strcmp (o->ns, ns) == 0 && strcmp (o->name, name) == 0)
      return o;
  }
  return NULL;
}

/* ConfigMaps of devices: the configuration, by its key; what MindCluster's components report, by name. */
static gboolean
is_of_devices (const VcConfigMapObject *o)
{
  static const char *const prefixes[] = { "mindx-dl-deviceinfo-", "mindx-dl-nodeinfo-", "cluster-info-" };

  if (vc_pairs_get (&o->data, VC_DEVICE_CONFIG_KEY) != NULL)
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (prefixes); i++)
    if (g_str_has_prefix (o->name, prefixes[i]))
      return TRUE;
  return FALSE;
}

void
vc_devices_add_config_map (VcDevices *d, const VcConfigMapObject *o)
{
  VcConfigMapObject *copy = (VcConfigMapObject *) vc_devices_config_map (d, o->ns, o->name);

  if (!is_of_devices (o))
    return;
  if (copy == NULL) {
    copy = vc_arena_new0 (d->map_arena, VcConfigMapObject, 1);
    g_ptr_array_add (d->config_maps, copy);
  }
  *copy = (VcConfigMapObject) { .ns = vc_arena_strdup (d->map_arena, o->ns), .name = vc_arena_strdup (d->map_arena, o->name), .labels = vc_pairs_copy (d->map_arena, &o->labels), .data = vc_pairs_copy (d->map_arena, &o->data) };
}

static const VcDeviceConfig *
read_config (const VcConfigMapObject *map, VcArena *arena)
{
  const char *text = map != NULL ? vc_pairs_get (&map->data, VC_DEVICE_CONFIG_KEY) : NULL;
  const VcDeviceConfig *config = text != NULL ? vc_device_config_read (text, strlen (text), arena) : NULL;

  return config != NULL ? config : vc_device_config_default (arena);
}

/* ---- configuration --------------------------------------------------------------------------------- */

#define ARG "deviceshare."

static const char *
map_name (const VcArgs *args, gboolean ns)
{
  return ns ? vc_args_get_string (args, ARG "KnownGeometriesCMNamespace", "kube-system") : vc_args_get_string (args, ARG "KnownGeometriesCMName", "volcano-vgpu-device-config");
}

/* Flags and policy; what is not given stays as it is, but for the lock and the policy. */
static void
read_settings (const VcArgs *args, VcDeviceSettings *s)
{
  vc_args_get_bool (args, ARG "GPUSharingEnable", &s->gpu_sharing);
  vc_args_get_bool (args, ARG "GPUNumberEnable", &s->gpu_number);
  vc_args_get_bool (args, ARG "VGPUEnable", &s->vgpu);
  vc_args_get_bool (args, ARG "AscendMindClusterVNPUEnable", &s->mindcluster);
  vc_args_get_bool (args, ARG "AscendHAMiVNPUEnable", &s->hami);
  s->node_lock = FALSE;
  vc_args_get_bool (args, ARG "NodeLockEnable", &s->node_lock);
}

static gboolean
check_settings (const VcDeviceSettings *s, GError **error)
{
  const char *what = s->gpu_sharing && s->gpu_number               ? "deviceshare.GPUSharingEnable and deviceshare.GPUNumberEnable"
                     : (s->gpu_sharing || s->gpu_number) && s->vgpu ? "deviceshare.VGPUEnable and a sharing of whole cards (GPUSharingEnable, GPUNumberEnable)"
                                                                    : NULL;

  if (s->mindcluster) {
    g_set_error (error, VC_CONF_ERROR, VC_CONF_ERROR_UNSUPPORTED, "plugin deviceshare: deviceshare.AscendMindClusterVNPUEnable (NPUs cut by what the components of MindCluster report) is not implemented yet");
    return FALSE;
  }
  if (what != NULL)
    g_set_error (error, VC_CONF_ERROR, VC_CONF_ERROR_CONFLICT, "plugin deviceshare: %s cannot both be true: Volcano would end there", what);
  return what == NULL;
}

gboolean
vc_devices_check (const VcArgs *args, GError **error)
{
  VcDeviceSettings s = { 0 };

  read_settings (args, &s);
  return check_settings (&s, error);
}

gboolean
vc_devices_locks (const VcArgs *args)
{
  VcDeviceSettings s = { 0 };

  read_settings (args, &s);
  return s.node_lock && (s.gpu_sharing || s.gpu_number || s.vgpu || s.hami);
}

static gboolean
is_on (const VcDeviceSettings *s, guint family)
{
  return G_STRUCT_MEMBER (gboolean, s, families[family].flag[0]) || G_STRUCT_MEMBER (gboolean, s, families[family].flag[1]);
}

static void
make_slots (VcDevices *d)
{
  GArray *slots = g_array_new (FALSE, FALSE, sizeof (VcDeviceSlot));

  for (guint f = 0; f < G_N_ELEMENTS (families); f++) {
    const VcDeviceClass *class = families[f].class;
    guint types = families[f].key != NULL ? 1 : d->config->n_npus;

    for (guint i = 0; i < types && is_on (&d->settings, f); i++) {
      const VcNpuConfig *npu = families[f].key == NULL ? &d->config->npu[i] : NULL;
      g_autofree char *key = npu != NULL ? g_strdup_printf ("hami.io/%s-devices-allocated", npu->word) : g_strdup (families[f].key);
      VcDeviceSlot s = { class, npu != NULL ? npu->word : class->name, vc_cluster_intern (d->c, key), npu, slots->len };

      g_array_append_val (slots, s);
    }
  }
  d->n_slots = slots->len;
  d->slot = (VcDeviceSlot *) (gpointer) g_array_free (slots, FALSE);
  d->by_name = g_renew (guint, d->by_name, d->n_slots + 1);
  for (guint s = 0; s < d->n_slots; s++) {
    guint at = s;

    for (; at > 0 && strcmp (d->slot[d->by_name[at - 1]].name, d->slot[s].name) > 0; at--)
      d->by_name[at] = d->by_name[at - 1];
    d->by_name[at] = s;
  }
}

gboolean
vc_devices_configure (VcDevices *d, const VcArgs *args, GError **error)
{
  VcDeviceSettings s = d->settings;
  gboolean same;

  read_settings (args, &s);
  if (!check_settings (&s, error))
    return FALSE;
  if (d->config == NULL)
    d->config = read_config (vc_devices_config_map (d, map_name (args, TRUE), map_name (args, FALSE)), d->map_arena); /* once for ever */
  same = d->slot != NULL;
  for (guint f = 0; f < G_N_ELEMENTS (families); f++)
    same &= is_on (&s, f) == is_on (&d->settings, f);
  if (!same) {
    free_all_books (d);
    g_clear_pointer (&d->slot, g_free);
  }
  vc_arena_reset (d->arena);
  g_ptr_array_set_size (d->asks, 0); /* what a shape asks depends on the flags */
  s.policy = vc_arena_strdup (d->arena, vc_args_get_string (args, ARG "SchedulePolicy", ""));
  s.rules = vc_gpu_rules_read (vc_args_find (args, ARG "GPUExclusiveRules"), d->arena);
  d->settings = s;
  if (!same) {
    make_slots (d);
    for (guint32 i = 0; i < d->c->nodes.n; i++)
      if (d->c->nodes.info[i].ready)
        vc_devices_set_node (d, i);
  }
  return TRUE;
}

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

char **
vc_devices_ignored (const VcArgs *args, const VcConfigMapObject *const *map, guint n_maps, const VcNodeObject *const *node, guint n_nodes)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (VcArena) arena = vc_arena_new ();
  const VcConfigMapObject *named = NULL;
  VcDeviceSettings s = { 0 };

  read_settings (args, &s);
  for (guint i = 0; i < n_maps; i++)
    if (strcmp (map[i]->ns, map_name (args, TRUE)) == 0 && strcmp (map[i]->name, map_name (args, FALSE)) == 0)
      named = map[i];
  const VcDeviceConfig *config = read_config (named, arena);
  for (guint k = 0; s.hami && k < config->n_npus; k++) {
    const VcNpuConfig *npu = &config->npu[k];
    gboolean there = FALSE;

    for (guint i = 0; i < n_nodes && !there; i++) {
      const VcQuantity *q = vc_device_amount (&node[i]->allocatable, npu->resource);

      there = q != NULL && q->milli != 0 && vc_ascend_hami_announces (npu, &node[i]->annotations);
    }
    if (!there)
      continue;
    if (*npu->memory != '\0')
      g_ptr_array_add (names, g_strdup (npu->memory));
    g_ptr_array_add (names, g_strconcat (npu->resource, "-core", NULL));
  }
  g_ptr_array_sort (names, compare_texts);
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&names), FALSE);
}

/* ---- what shapes ask for ---------------------------------------------------------------------------- */

/* Asks of a shape by slot; the entry behind the last tells whether any of them asks. */
VcDeviceAsk *const *
vc_devices_asks (VcDevices *d, const VcShape *shape)
{
  if (d->asks->len <= shape->id)
    g_ptr_array_set_size (d->asks, (gint) MAX (vc_shape_table_count (d->c->shapes), shape->id + 1));
  VcDeviceAsk **asks = d->asks->pdata[shape->id];
  if (asks != NULL)
    return asks;
  d->asks->pdata[shape->id] = asks = vc_arena_new0 (d->arena, VcDeviceAsk *, d->n_slots + 1);
  for (guint s = 0; s < d->n_slots && shape->extended_limits; s++) {
    asks[s] = d->slot[s].class->parse (d, &d->slot[s], shape);
    if (asks[s] != NULL && asks[s]->asks)
      asks[d->n_slots] = asks[s];
  }
  return asks;
}

gboolean
vc_devices_asked (VcDevices *d, const VcShape *shape)
{
  return d->n_slots > 0 && shape->extended_limits && vc_devices_asks (d, shape)[d->n_slots] != NULL;
}

VcDeviceScope
vc_devices_scope (VcDevices *d, const VcShape *shape, gboolean score)
{
  VcDeviceScope widest = VC_DEVICES_NODE;

  if (!vc_devices_asked (d, shape))
    return widest;
  VcDeviceAsk *const *asks = vc_devices_asks (d, shape);
  for (guint s = 0; s < d->n_slots; s++)
    if (asks[s] != NULL && asks[s]->asks) {
      const VcDeviceClass *class = d->slot[s].class;

      widest = MAX (widest, score ? class->score_scope : class->filter_scope);
      if (class->open != NULL && d->settings.rules != NULL)
        widest = VC_DEVICES_CLUSTER; /* rules look at labels, which tasks of a shape need not share */
    }
  return widest;
}

/* ---- books of nodes --------------------------------------------------------------------------------- */

VcDeviceCall
vc_devices_call (VcDevices *d, guint slot, guint32 node, guint32 task)
{
  VcDeviceCall call = { d, &d->slot[slot], node, task, task != VC_NONE ? vc_devices_asks (d, d->c->task[task].shape)[slot] : NULL };

  return call;
}

gpointer
vc_devices_book (const VcDevices *d, guint slot, guint32 node)
{
  const VcNodeBooks *b = node < d->cap_nodes ? &d->node[node] : NULL;

  return b == NULL || b->base == NULL ? NULL : b->live != NULL ? b->live[slot] : b->base[slot];
}

/* AddResource, or SubResource, of every family on one set of books. */
void
vc_devices_move (VcDevices *d, gpointer *books, guint32 task, gboolean in)
{
  guint32 node = d->c->task[task].node;

  for (guint s = 0; s < d->n_slots; s++) {
    VcDeviceCall call = vc_devices_call (d, s, node, task);
    const char *text = books[s] != NULL ? vc_devices_carried (&call, task) : NULL;

    if (books[s] == NULL || !call.slot->class->matters (&call, books[s], text))
      continue;
    (in ? call.slot->class->add : call.slot->class->sub) (&call, books[s], text);
    vc_node_touch (d->c, node, !in);
  }
}

static int
compare_keys (gconstpointer a, gconstpointer b, gpointer user)
{
  const VcTask *t = user;
  return strcmp (t[*(const guint32 *) a].key, t[*(const guint32 *) b].key);
}

/* A type of NPU that the node no longer announces keeps its book, as upstream only ever sets these. */
static void
make_books (VcDevices *d, guint32 node)
{
  VcNodeBooks *b = &d->node[node];
  gboolean any = FALSE;

  if (b->base == NULL) {
    b->base = g_new0 (gpointer, d->n_slots);
    g_free (b->scored);
    b->scored = g_new0 (guint32, d->n_slots);
  }
  for (guint s = 0; s < d->n_slots; s++) {
    VcDeviceCall call = vc_devices_call (d, s, node, VC_NONE);
    const VcDeviceClass *class = call.slot->class;
    gpointer fresh = class->make (&call);

    if (fresh != NULL || class != &vc_device_ascend_hami) {
      if (b->base[s] != NULL)
        class->free (b->base[s]);
      b->base[s] = fresh;
    }
    any |= b->base[s] != NULL;
  }
  if (!any)
    g_clear_pointer (&b->base, g_free);
}

void
vc_devices_set_node (VcDevices *d, guint32 node)
{
  const VcNode *info = &d->c->nodes.info[node];

  if (d->n_slots == 0)
    return;
  d->node = vc_grow (d->node, &d->cap_nodes, MAX (node + 1, d->c->nodes.n), sizeof *d->node);
  make_books (d, node);
  for (guint s = 0; s < d->n_slots; s++) {
    const char *lock = d->slot[s].class->lock, *text = lock != NULL ? vc_pairs_get (&info->annotations, lock) : NULL;

    if (text != NULL)
      vc_node_locks_set (d->locks, node, lock, text);
  }
  if (d->node[node].base == NULL)
    return;
  g_autofree guint32 *task = g_memdup2 (info->task, MAX (info->n_tasks, 1) * sizeof *task);
  g_qsort_with_data (task, (gint) info->n_tasks, sizeof *task, compare_keys, d->c->task);
  for (guint32 i = 0; i < info->n_tasks; i++)
    if (vc_devices_is_booked (d->c->task[task[i]].status))
      vc_devices_move (d, d->node[node].base, task[i], TRUE);
}

void
vc_devices_remove_node (VcDevices *d, guint32 node)
{
  if (node < d->cap_nodes)
    vc_devices_free_books (d, &d->node[node].base);
}

/* ---- events of the cache ---------------------------------------------------------------------------- */

static void
move_base (VcDevices *d, guint32 task, gboolean in)
{
  gpointer *base = d->n_slots > 0 ? vc_devices_base (d, d->c->task[task].node) : NULL;

  if (base != NULL)
    vc_devices_move (d, base, task, in);
}

void
vc_devices_put (VcDevices *d, guint32 task)
{
  if (vc_devices_is_booked (d->c->task[task].status))
    move_base (d, task, TRUE);
}

void
vc_devices_take (VcDevices *d, guint32 task)
{
  if (vc_devices_is_booked (d->c->task[task].status))
    move_base (d, task, FALSE);
}

/* The node of the cache books what the pod carries before the bind; what it gets comes back with the bound pod. */
void
vc_devices_bind (VcDevices *d, guint32 task)
{
  VcClaim *k = d->n_slots > 0 ? vc_claim_find (d, task) : NULL;

  move_base (d, task, TRUE);
  if (k == NULL || k->session == NULL)
    return;
  g_clear_pointer (&k->binding, g_array_unref);
  k->binding = g_array_ref (k->session);
}

void
vc_devices_evict (VcDevices *d, guint32 task)
{
  move_base (d, task, FALSE);
}

/* UpdatePod: the old pod leaves the node, the new one enters it. */
void
vc_devices_bound (VcDevices *d, guint32 task)
{
  VcClaim *k = d->n_slots > 0 ? vc_claim_find (d, task) : NULL;

  if (k == NULL || k->binding == NULL)
    return;
  move_base (d, task, FALSE);
  g_clear_pointer (&k->bound, g_array_unref);
  k->bound = g_steal_pointer (&k->binding);
  move_base (d, task, TRUE);
}

void
vc_devices_running (VcDevices *d, guint32 task)
{
  const VcClaim *k = d->settings.node_lock ? vc_claim_find (d, task) : NULL;

  for (guint s = 0; k != NULL && s < d->n_slots; s++)
    if (d->slot[s].class->lock != NULL && vc_claim_value (k->bound, d->slot[s].key) != NULL)
      vc_node_locks_give (d->locks, d->c->task[task].node, d->slot[s].class->lock);
}

void
vc_devices_forget (VcDevices *d, guint32 task)
{
  g_hash_table_remove (d->claims, GUINT_TO_POINTER (task + 1));
}

