/* workloads/import/kubernetes/kai.c - snapshot of KAI scheduler: snapshot.json, alone or in its zip. Nodes, pods and classes are Kubernetes' own; KAI's queues and PodGroups become
 * Volcano's, and a placement that was decided (BindRequest) counts as made. What its scheduler is configured to do is no affair of this one. */
#include "cluster-private.h"
#include "workloads/import/json.h"
#include "workloads/k8s/k8s-schema.h"
#include "workloads/native/append.h"
#include "workloads/text/parse.h"
#include <string.h>

static const WlImportOption options[] = { WL_CLUSTER_OPTIONS, { NULL, WL_OPTION_TEXT, NULL, NULL, NULL } };

typedef struct {
  WlCluster *c;
  K8sReader r;
  GString *groups;      /* Volcano's objects, as JSON, for after the others */
  GHashTable *values;   /* priority class → gint64 * */
  GHashTable *levels;   /* labels of topologies */
  GString *topologies;
} Kai;

/* ---- KAI's own objects -------------------------------------------------------------------------------------- */

/* A field that is a number, at least -1 (which has no limit); *given FALSE: it is not there. */
static gboolean
read_number (Kai *k, struct fy_node *map, const char *key, gint64 scale, gint64 *out, gboolean *given)
{
  struct fy_node *node = k8s_get (map, key);
  g_autoptr (GString) text = g_string_new (NULL);

  *given = node != NULL;
  if (node == NULL)
    return TRUE;
  if (strcmp (k8s_scalar (node, text), "-1") == 0) {
    *given = FALSE;
    return TRUE;
  }
  return wl_import_parse_scaled (text->str, scale, 0, WL_AMOUNT_MAX, out, NULL) || k8s_refuse (&k->r, node, "%s: expected a number from 0, or -1, found '%s'", key, text->str);
}

/* Quota or limit of each resource as a map of amounts. GPUs are counted in cards, cores in thousandths, memory in MB. */
static gboolean
put_amounts (Kai *k, struct fy_node *resources, const char *field, const char *as, GString *out)
{
  const char *mode = wl_cluster_share (k->c);
  gboolean pooled = strcmp (mode, "pooled") == 0;
  const struct { const char *key, *name, *suffix; gint64 scale; } units[] = {
    { "gpu", pooled ? "volsim.io/gpu-milli" : strcmp (mode, "device") == 0 ? "volcano.sh/vgpu-number" : WL_CARD, pooled ? "" : "m", 1000 },
    { "cpu", "cpu", "m", 1 },
    { "memory", "memory", "", 1000000 },
  };
  gboolean any = FALSE, given;
  gint64 v = 0;

  for (guint i = 0; i < G_N_ELEMENTS (units); i++) {
    if (!read_number (k, k8s_get (resources, units[i].key), field, units[i].scale, &v, &given))
      return FALSE;
    if (!given)
      continue;
    gboolean whole = *units[i].suffix != '\0' && v % 1000 == 0;

    g_string_append_printf (out, "%s\"%s\": \"%" G_GINT64_FORMAT "%s\"", any ? ", " : "", units[i].name, whole ? v / 1000 : v, whole ? "" : units[i].suffix);
    any = TRUE;
  }
  if (any) {
    g_autofree char *head = g_strdup_printf (", \"%s\": {", as);

    g_string_prepend (out, head);
    g_string_append_c (out, '}');
  }
  return TRUE;
}

static gboolean
read_weight (Kai *k, struct fy_node *resources, gint64 *weight)
{
  static const char *const keys[] = { "gpu", "cpu", "memory" };
  gboolean given = FALSE;
  gint64 v = 0;

  for (guint i = 0; i < G_N_ELEMENTS (keys) && !given; i++)
    if (!read_number (k, k8s_get (resources, keys[i]), "overQuotaWeight", 1000, &v, &given))
      return FALSE;
  *weight = given ? CLAMP ((v + 500) / 1000, 1, 1000000) : 1;
  if (!given)
    wl_import_default (k->c->imp, "weight of queues (1)");
  else if (v % 1000 != 0 || v == 0)
    wl_import_note (k->c->imp, "weights of queues that are no whole number from 1 are rounded", 1);
  return TRUE;
}

static gboolean
read_queue (Kai *k, const K8sMeta *meta, struct fy_node *spec)
{
  struct fy_node *resources = k8s_get (spec, "resources"), *priority = k8s_get (spec, "priority");
  g_autoptr (GString) deserved = g_string_new (NULL), limit = g_string_new (NULL), parent = g_string_new (NULL), text = g_string_new (NULL);
  gint64 weight, rank = 0;

  if (!read_weight (k, resources, &weight) || !put_amounts (k, resources, "quota", "deserved", deserved) || !put_amounts (k, resources, "limit", "capability", limit))
    return FALSE;
  if (priority != NULL && !wl_parse_int (k8s_scalar (priority, text), G_MININT32, G_MAXINT32, &rank, NULL))
    return k8s_refuse (&k->r, priority, "spec.priority: expected a number, found '%s'", text->str);
  k8s_get_text (spec, "parentQueue", parent);
  if (k8s_get (spec, "preemptMinRuntime") != NULL || k8s_get (spec, "reclaimMinRuntime") != NULL)
    wl_import_note (k->c->imp, "least running times of queues before their jobs may be evicted are left out", 1);
  g_string_append (k->groups, "{\"apiVersion\": \"scheduling.volcano.sh/v1beta1\", \"kind\": \"Queue\", \"metadata\": {\"name\": ");
  wl_append_quoted (k->groups, meta->name);
  g_string_append_printf (k->groups, "}, \"spec\": {\"weight\": %" G_GINT64_FORMAT, weight);
  if (parent->len > 0) {
    g_string_append (k->groups, ", \"parent\": ");
    wl_append_quoted (k->groups, parent->str);
  }
  if (priority != NULL)
    g_string_append_printf (k->groups, ", \"priority\": %" G_GINT64_FORMAT, MAX (rank, 0));
  g_string_append_printf (k->groups, "%s%s}}\n", deserved->str, limit->str);
  return TRUE;
}

/* Below 100 a class is of those that may be evicted, unless the PodGroup says. */
static gboolean
is_preemptible (Kai *k, struct fy_node *spec, const char *class, gboolean *out)
{
  struct fy_node *node = k8s_get (spec, "preemptibility");
  g_autoptr (GString) text = g_string_new (NULL);
  const gint64 *value = g_hash_table_lookup (k->values, class);

  if (node == NULL) {
    *out = value == NULL || *value < 100;
    return TRUE;
  }
  *out = strcmp (k8s_scalar (node, text), "preemptible") == 0;
  return *out || strcmp (text->str, "non-preemptible") == 0 || k8s_refuse (&k->r, node, "spec.preemptibility: expected preemptible or non-preemptible, found '%s'", text->str);
}

/* ", "networkTopology": {…}" of a topologyConstraint, "" for none. */
static void
put_topology (Kai *k, struct fy_node *constraint, GString *out)
{
  g_autoptr (GString) hard = g_string_new (NULL), soft = g_string_new (NULL);

  k8s_get_text (constraint, "requiredTopologyLevel", hard);
  k8s_get_text (constraint, "preferredTopologyLevel", soft);
  const char *level = hard->len > 0 ? hard->str : soft->str;

  if (*level == '\0')
    return;
  if (!g_hash_table_contains (k->levels, level)) {
    wl_import_note (k->c->imp, "topology constraints on levels that no Topology has are left out", 1);
    return;
  }
  g_string_append_printf (out, ", \"networkTopology\": {\"mode\": \"%s\", \"highestTierName\": ", hard->len > 0 ? "hard" : "soft");
  wl_append_quoted (out, level);
  g_string_append_c (out, '}');
  wl_import_note (k->c->imp, "topology constraints, which the plugin network-topology-aware must be configured for", 1);
}

/* Sub-groups of pods by their label. Those that hold others are their sum. */
static gboolean
put_sub_groups (Kai *k, struct fy_node *list, GString *out)
{
  g_autoptr (GHashTable) parents = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GString) name = g_string_new (NULL), text = g_string_new (NULL);
  struct fy_node *item;
  gboolean any = FALSE;
  gint64 size = 0;
  void *at = NULL;

  while ((item = k8s_next (list, &at)) != NULL)
    if (*k8s_get_text (item, "parent", name) != '\0')
      g_hash_table_add (parents, g_strdup (name->str));
  for (at = NULL; (item = k8s_next (list, &at)) != NULL;) {
    struct fy_node *minimum = k8s_get (item, "minMember");

    k8s_get_text (item, "name", name);
    if (minimum != NULL && !wl_parse_int (k8s_scalar (minimum, text), 0, G_MAXINT32, &size, NULL))
      return k8s_refuse (&k->r, minimum, "minMember of a sub-group: expected a number from 0, found '%s'", text->str);
    if (g_hash_table_contains (parents, name->str) || minimum == NULL || size == 0) {
      wl_import_note (k->c->imp, "sub-groups of sub-groups, or without pods of their own, are left out", 1);
      continue;
    }
    g_string_append (out, any ? ", " : ", \"subGroupPolicy\": [");
    any = TRUE;
    g_string_append (out, "{\"name\": ");
    wl_append_quoted (out, name->str);
    g_string_append_printf (out, ", \"subGroupSize\": %" G_GINT64_FORMAT ", \"minSubGroups\": 1, \"labelSelector\": {\"matchLabels\": {\"kai.scheduler/subgroup-name\": ", size);
    wl_append_quoted (out, name->str);
    g_string_append (out, "}}, \"matchLabelKeys\": [\"kai.scheduler/subgroup-name\"]");
    put_topology (k, k8s_get (item, "topologyConstraint"), out);
    g_string_append_c (out, '}');
  }
  g_string_append (out, any ? "]" : "");
  return TRUE;
}

static gboolean
read_group (Kai *k, const K8sMeta *meta, struct fy_node *metadata, struct fy_node *spec)
{
  struct fy_node *minimum = k8s_get (spec, "minMember");
  g_autoptr (GString) queue = g_string_new (NULL), class = g_string_new (NULL), text = g_string_new (NULL), more = g_string_new (NULL), created = g_string_new (NULL);
  gint64 pods = 1;
  gboolean preemptible;

  k8s_get_text (spec, "queue", queue);
  k8s_get_text (spec, "priorityClassName", class);
  if (minimum != NULL && !wl_parse_int (k8s_scalar (minimum, text), 0, G_MAXINT32, &pods, NULL))
    return k8s_refuse (&k->r, minimum, "spec.minMember: expected a number from 0, found '%s'", text->str);
  if (!is_preemptible (k, spec, class->str, &preemptible) || !put_sub_groups (k, k8s_get (spec, "subGroups"), more))
    return FALSE;
  if (k8s_get (spec, "preemptibility") == NULL)
    wl_import_default (k->c->imp, "preemptibility (by the value of the class, below 100)");
  put_topology (k, k8s_get (spec, "topologyConstraint"), more);
  g_string_append (k->groups, "{\"apiVersion\": \"scheduling.volcano.sh/v1beta1\", \"kind\": \"PodGroup\", \"metadata\": {\"name\": ");
  wl_append_quoted (k->groups, meta->name);
  g_string_append (k->groups, ", \"namespace\": ");
  wl_append_quoted (k->groups, meta->ns != NULL && *meta->ns != '\0' ? meta->ns : "default");
  if (*k8s_get_text (metadata, "creationTimestamp", created) != '\0') {
    g_string_append (k->groups, ", \"creationTimestamp\": ");
    wl_append_quoted (k->groups, created->str);
  }
  g_string_append_printf (k->groups, ", \"annotations\": {\"volcano.sh/preemptable\": \"%s\"}}, \"spec\": {\"minMember\": %" G_GINT64_FORMAT ", \"queue\": ", preemptible ? "true" : "false", pods);
  wl_append_quoted (k->groups, queue->len > 0 ? queue->str : "default");
  if (class->len > 0) {
    g_string_append (k->groups, ", \"priorityClassName\": ");
    wl_append_quoted (k->groups, class->str);
  }
  g_string_append_printf (k->groups, "%s}}\n", more->str);
  return TRUE;
}

/* The pod goes where it was sent. */
static gboolean
read_bind (Kai *k, const K8sMeta *meta, struct fy_node *spec)
{
  g_autoptr (GString) name = g_string_new (NULL), node = g_string_new (NULL);

  k8s_get_text (spec, "podName", name);
  k8s_get_text (spec, "selectedNode", node);
  WlItem *pod = wl_cluster_find (k->c, "Pod", meta->ns, name->str);

  if (pod == NULL || node->len == 0)
    return wl_import_drop (k->c->imp, "BindRequests for pods that are not among the objects, or for no node");
  if (pod->node == NULL) {
    pod->node = vc_arena_strdup (k->c->arena, node->str);
    k->c->pods_with_node++;
  }
  return TRUE;
}

/* Levels of nodes, from the top to the node itself. */
static gboolean
read_topology (Kai *k, const K8sMeta *meta, struct fy_node *spec)
{
  g_autoptr (GString) label = g_string_new (NULL);
  struct fy_node *level;
  guint n = 0;
  void *at = NULL;

  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *name = wl_import_label (meta->name);

  while ((level = k8s_next (k8s_get (spec, "levels"), &at)) != NULL) {
    if (strcmp (k8s_get_text (level, "nodeLabel", label), "kubernetes.io/hostname") == 0)
      continue;
    if (!wl_check_key (label->str, NULL) || !g_hash_table_add (seen, g_strdup (label->str)))
      return k8s_refuse (&k->r, level, "nodeLabel: expected the key of a label, each once, found '%s'", label->str);
    wl_append_quoted (text, label->str);
    g_string_append (text, ", ");
    n++;
  }
  if (n == 0)
    return k8s_refuse (&k->r, spec, "spec.levels: expected the labels of a topology's levels, found none");
  g_string_append_printf (k->topologies, "\n  \"%.20s\": [%skubernetes.io/hostname]", name, text->str);
  for (at = NULL; (level = k8s_next (k8s_get (spec, "levels"), &at)) != NULL;)
    g_hash_table_add (k->levels, g_strdup (k8s_get_text (level, "nodeLabel", label)));
  return TRUE;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static gboolean
read_own (Kai *k, struct fy_node *item, const K8sTop *top, const char *list)
{
  K8sMeta meta = { .created = VC_NO_TIME, .deleted = VC_NO_TIME };
  K8sReader *r = &k->r;
  gboolean is_queue = strcmp (list, "queues") == 0, is_group = strcmp (list, "podGroups") == 0;

  r->object = item;
  r->kind = top->kind;
  r->ns = r->name = NULL;
  if (!k8s_field (r, "metadata", top->metadata, k8s_meta, &meta))
    return FALSE;
  r->name = meta.name;
  if (meta.name == NULL || *meta.name == '\0')
    return k8s_refuse (r, top->metadata != NULL ? top->metadata : item, "metadata.name: missing");
  if (is_queue)
    return read_queue (k, &meta, top->spec);
  if (is_group)
    return read_group (k, &meta, top->metadata, top->spec);
  wl_import_begin_row (k->c->imp); /* the others are rows once they are Volcano's */
  k->c->in_row = TRUE;
  gboolean ok = strcmp (list, "topologies") == 0 ? read_topology (k, &meta, top->spec) : read_bind (k, &meta, top->spec);

  k->c->in_row = !ok;
  return ok;
}

static gboolean
read_list (Kai *k, struct fy_node *objects, const char *list, const char *version, const char *kind)
{
  struct fy_node *node = k8s_get (objects, list), *item;
  void *at = NULL;

  if (node != NULL && !fy_node_is_sequence (node)) {
    k->r.object = node;
    return k8s_expected (&k->r, node, "a list");
  }
  while ((item = k8s_next (node, &at)) != NULL) {
    K8sTop top = { .api_version = version != NULL ? version : "", .kind = kind };
    gboolean ok = k8s_read_top (&k->r, item, &top) && (version != NULL ? wl_cluster_object (&k->r, item, &top, k->c) : read_own (k, item, &top, list));

    if (!ok && !wl_cluster_refused (k->c, k->r.error))
      return FALSE;
  }
  return TRUE;
}

/* Values of the classes, before PodGroups ask for them. */
static void
see_classes (Kai *k, struct fy_node *list)
{
  g_autoptr (GString) text = g_string_new (NULL);
  struct fy_node *item;
  void *at = NULL;

  while ((item = k8s_next (list, &at)) != NULL) {
    gint64 *value = g_new0 (gint64, 1);

    if (wl_parse_int (k8s_get_text (item, "value", text), G_MININT32, G_MAXINT32, value, NULL))
      g_hash_table_replace (k->values, g_strdup (k8s_get_text (k8s_get (item, "metadata"), "name", text)), value);
    else
      g_free (value);
  }
}

static void
note_scheduler (Kai *k, struct fy_node *root)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (*k8s_get_text (k8s_get (root, "schedulerParams"), "schedulerName", text) != '\0' && !wl_import_given (k->c->imp, "schedulers")) {
    g_strfreev (k->c->schedulers);
    k->c->schedulers = g_strsplit (text->str, ",", -1);
  }
  if (*k8s_get_text (k8s_get (root, "config"), "actions", text) == '\0')
    return;
  g_autofree char *note = g_strdup_printf ("configuration of another scheduler is not applied (actions: %s)", text->str);

  wl_import_note (k->c->imp, note, 1);
}

static gboolean
read_lists (Kai *k, struct fy_node *objects)
{
  static const struct { const char *list, *version, *kind; } lists[] = {
    { "nodes", "v1", "Node" },
    { "priorityClasses", "scheduling.k8s.io/v1", "PriorityClass" },
    { "pods", "v1", "Pod" },
    { "topologies", NULL, "Topology" },
    { "queues", NULL, "Queue" },
    { "podGroups", NULL, "PodGroup" },
    { "bindRequests", NULL, "BindRequest" },
    { "configMaps", "v1", "ConfigMap" },
    { "persistentVolumeClaims", "v1", "PersistentVolumeClaim" },
    { "csiStorageCapacities", "storage.k8s.io/v1", "CSIStorageCapacity" },
    { "storageClasses", "storage.k8s.io/v1", "StorageClass" },
    { "csiDrivers", "storage.k8s.io/v1", "CSIDriver" },
    { "resourceClaims", "resource.k8s.io/v1", "ResourceClaim" },
    { "resourceSlices", "resource.k8s.io/v1", "ResourceSlice" },
    { "deviceClasses", "resource.k8s.io/v1", "DeviceClass" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    if (!read_list (k, objects, lists[i].list, lists[i].version, lists[i].kind))
      return FALSE;
  return TRUE;
}

static gboolean
read_snapshot (Kai *k, guint file, GError **error)
{
  const char *path = wl_import_path (k->c->imp, file);
  const K8sVisitor visitor = { wl_cluster_object, wl_cluster_refused, k->c };
  gsize len = 0;
  g_autofree char *text = wl_import_whole (k->c->imp, file, &len, error);
  g_autoptr (WlJsonDoc) doc = text != NULL ? wl_json_read (path, text, len, error) : NULL;
  g_autoptr (GError) e = NULL;

  if (doc == NULL)
    return FALSE;
  struct fy_node *root = wl_json_root (doc), *objects = k8s_get (root, "rawObjects");

  k8s_reader_begin (&k->r, k->c->arena, text, len, path, &e);
  k->r.object = root;
  gboolean ok = objects != NULL && fy_node_is_mapping (objects) ? TRUE : k8s_refuse (&k->r, root, "rawObjects: expected the objects of a snapshot, found none");

  if (ok) {
    note_scheduler (k, root);
    see_classes (k, k8s_get (objects, "priorityClasses"));
    ok = read_lists (k, objects);
  }
  k8s_reader_end (&k->r);
  if (!ok)
    g_propagate_error (error, g_steal_pointer (&e));
  ok = ok && k8s_visit_objects (k->c->arena, k->groups->str, k->groups->len, path, &visitor, error);
  g_string_truncate (k->groups, 0);
  return ok;
}

static gboolean
run (WlImport *imp, GError **error)
{
  g_autoptr (WlCluster) c = wl_cluster_new (imp);
  Kai k = { .c = c,
            .groups = g_string_new (NULL),
            .topologies = g_string_new (NULL),
            .values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free),
            .levels = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  gboolean ok = TRUE;

  c->cards = c->of_now = c->ends = TRUE;
  c->keep_devices = FALSE;
  c->group_key = "pod-group-name";
  c->queue_key = "kai.scheduler/queue";
  for (guint i = 0; ok && i < wl_import_n_files (imp); i++)
    ok = read_snapshot (&k, i, error);
  if (ok && k.topologies->len > 0)
    wl_import_scenario (imp, "network_topology_types", k.topologies->str);
  g_string_free (k.groups, TRUE);
  g_string_free (k.topologies, TRUE);
  g_hash_table_unref (k.values);
  g_hash_table_unref (k.levels);
  return ok && wl_cluster_finish (c, error);
}

static guint
detect (const WlImportHead *head)
{
  return wl_head_has_key (head, "rawObjects") ? WL_DETECT_SURE : WL_DETECT_NO;
}

extern const WlImportFormat wl_format_kai;
const WlImportFormat wl_format_kai = {
  .name = "kai",
  .title = "KAI scheduler snapshot",
  .files = "the zip of a snapshot, or its snapshot.json",
  .licence = "that of the cluster; KAI scheduler is Apache-2.0, github.com/NVIDIA/KAI-Scheduler",
  .options = options,
  .detect = detect,
  .run = run,
};
