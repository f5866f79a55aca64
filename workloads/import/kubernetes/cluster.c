/* workloads/import/kubernetes/cluster.c - objects of a cluster: which there are, and those that are read by themselves. Workloads are in cluster-items.c. */
#include "cluster-private.h"
#include "core/base/rfc3339.h"
#include "core/conf/conf.h"
#include "core/session/engine.h"
#include "workloads/k8s/k8s-kinds.h"
#include "workloads/k8s/k8s-schema.h"
#include "workloads/native/append.h"
#include "workloads/text/parse.h"
#include <string.h>

static void
item_free (gpointer data)
{
  WlItem *item = data;

  for (guint k = 0; k < item->n_tasks; k++) {
    g_clear_pointer (&item->task[k].pod, g_ptr_array_unref);
    g_clear_pointer (&item->task[k].lives, g_array_unref);
  }
  g_clear_pointer (&item->members, g_ptr_array_unref);
}

WlCluster *
wl_cluster_new (WlImport *imp)
{
  WlCluster *c = g_new0 (WlCluster, 1);
  const char *schedulers = wl_import_text (imp, "schedulers");

  c->imp = imp;
  c->arena = vc_arena_new ();
  c->scratch = vc_arena_new ();
  c->arrays = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  c->items = g_ptr_array_new_with_free_func (item_free);
  c->by_key = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  c->kinds = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  c->queues = g_hash_table_new (g_str_hash, g_str_equal);
  c->classes = g_hash_table_new (g_str_hash, g_str_equal);
  c->made = g_hash_table_new (g_str_hash, g_str_equal);
  c->stages = g_ptr_array_new ();
  c->schedulers = strcmp (schedulers, "*") == 0 ? NULL : g_strsplit (schedulers, ",", -1);
  c->latest = WL_TIME_NONE;
  c->keep_devices = TRUE;
  c->group_key = "scheduling.k8s.io/group-name";
  c->queue_key = "volcano.sh/queue-name";
  return c;
}

void
wl_cluster_take_all (WlCluster *c)
{
  if (!wl_import_given (c->imp, "schedulers"))
    g_clear_pointer (&c->schedulers, g_strfreev);
}

void
wl_cluster_free (WlCluster *c)
{
  if (c == NULL)
    return;
  g_ptr_array_unref (c->arrays);
  g_ptr_array_unref (c->items);
  g_hash_table_unref (c->by_key);
  g_hash_table_unref (c->kinds);
  g_hash_table_unref (c->queues);
  g_hash_table_unref (c->classes);
  g_hash_table_unref (c->made);
  g_ptr_array_unref (c->stages);
  g_strfreev (c->schedulers);
  vc_arena_free (c->arena);
  vc_arena_free (c->scratch);
  g_free (c);
}

/* ---- items -------------------------------------------------------------------------------------------- */

static char *
key_of (const char *object, const char *ns, const char *name)
{
  return g_strdup_printf ("%s %s/%s", object, ns != NULL ? ns : "", name);
}

const char *
wl_cluster_kind (const K8sTop *top)
{
  return k8s_workload_kind (top->api_version, top->kind) == WL_KIND_BATCH_JOB ? "BatchJob" : top->kind;
}

WlItem *
wl_cluster_find (const WlCluster *c, const char *object, const char *ns, const char *name)
{
  g_autofree char *key = key_of (object, ns, name);

  return g_hash_table_lookup (c->by_key, key);
}

WlItem *
wl_item_new (WlCluster *c, WlKind kind, const char *object, const char *ns, const char *name)
{
  WlItem *item = vc_arena_new0 (c->arena, WlItem, 1);

  item->kind = kind;
  item->object = vc_arena_strdup (c->arena, object);
  item->ns = vc_arena_strdup (c->arena, ns);
  item->name = item->out_name = vc_arena_strdup (c->arena, name);
  item->owner = WL_N_KINDS;
  item->created = item->deleted = item->submit = item->remove = item->estimate = item->started = item->finished = item->gone = item->phases = WL_TIME_NONE;
  item->phase = "";
  item->index = -1;
  g_ptr_array_add (c->items, item);
  g_hash_table_insert (c->by_key, key_of (object, ns, name), item);
  return item;
}

void
wl_cluster_forget (WlCluster *c, const WlItem *item)
{
  g_autofree char *key = key_of (item->object, item->ns, item->name);

  g_hash_table_remove (c->by_key, key);
}

gboolean
wl_cluster_leave_out (WlCluster *c, const char *reason)
{
  if (!c->own_rows)
    return wl_import_drop (c->imp, reason);
  wl_import_note (c->imp, reason, 1);
  return TRUE;
}

WlTime
wl_cluster_second (gint64 seconds)
{
  return seconds == VC_NO_TIME || seconds > WL_TIME_MAX / G_USEC_PER_SEC || seconds < -WL_TIME_MAX / G_USEC_PER_SEC ? WL_TIME_NONE : seconds * G_USEC_PER_SEC;
}

void
wl_cluster_saw (WlCluster *c, WlTime t)
{
  c->latest = MAX (c->latest, t); /* WL_TIME_NONE is the least */
}

/* Times of what has happened, wherever they stand in a status. */
static void
see_times (WlCluster *c, struct fy_node *node, guint depth)
{
  static const char *const keys[] = { "startTime",     "startedAt",          "finishedAt",     "lastTransitionTime", "lastHeartbeatTime",
                                      "lastProbeTime", "lastUpdateTime",     "completionTime", "time",               "creationTimestamp", NULL };
  g_autoptr (GString) key = g_string_new (NULL), text = g_string_new (NULL);
  struct fy_node *value;
  void *at = NULL;
  gint64 second;

  if (node == NULL || depth > 12)
    return;
  while (k8s_next_pair (node, &at, key, &value))
    if (value == NULL || !fy_node_is_scalar (value))
      see_times (c, value, depth + 1);
    else if (g_strv_contains (keys, key->str) && vc_parse_rfc3339 (k8s_scalar (value, text), &second))
      wl_cluster_saw (c, wl_cluster_second (second));
  for (at = NULL; (value = k8s_next (node, &at)) != NULL;)
    see_times (c, value, depth + 1);
}

/* ---- nodes -------------------------------------------------------------------------------------------- */

static gboolean
is_ready (const K8sTop *top)
{
  g_autoptr (GString) text = g_string_new (NULL);
  struct fy_node *condition;
  void *at = NULL;

  while ((condition = k8s_next (k8s_get (top->status, "conditions"), &at)) != NULL)
    if (strcmp (k8s_get_text (condition, "type", text), "Ready") == 0)
      return strcmp (k8s_get_text (condition, "status", text), "True") == 0;
  return TRUE;
}

/* What a run puts onto such nodes by itself. */
static gboolean
is_made_taint (WlCluster *c, const VcTaint *t)
{
  static const char *const made[] = { "node.kubernetes.io/unschedulable", "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable", NULL };
  const char *key = t->key != NULL ? t->key : "";

  if (strcmp (key, "kwok.x-k8s.io/node") == 0 && wl_import_is (c->imp, "fake-taint", "drop")) {
    wl_import_note (c->imp, "taints kwok.x-k8s.io/node are left out", 1);
    return TRUE;
  }
  return g_strv_contains (made, key);
}

static void
append_item (GString *out, const char *format, ...) G_GNUC_PRINTF (2, 3);
static void
append_item (GString *out, const char *format, ...)
{
  va_list ap;

  if (out->len > 0)
    g_string_append_c (out, ';');
  va_start (ap, format);
  g_string_append_vprintf (out, format, ap);
  va_end (ap);
}

/* Those that the device plugins of the scheduler read. */
static void
append_annotations (GString *out, const VcPairs *annotations)
{
  for (guint i = 0; i < annotations->n; i++) {
    const VcPair *p = &annotations->item[i];

    if (!g_str_has_prefix (p->key, "volcano.sh/") && !g_str_has_prefix (p->key, "hami.io/"))
      continue;
    g_auto (GStrv) part = g_strsplit (p->value, ";", -1);
    g_autofree char *value = g_strjoinv ("\\;", part);

    append_item (out, "%s=%s", p->key, value);
  }
}

/* @more gets what has no field of its own. */
static void
node_amounts (WlCluster *c, const VcNodeObject *o, WlImportNode *node, GString *more)
{
  for (guint i = 0; i < o->allocatable.n; i++) {
    const VcAmount *a = &o->allocatable.item[i];

    if (strcmp (a->name, "cpu") == 0)
      node->capacity.cpu_milli = a->q.milli;
    else if (strcmp (a->name, "memory") == 0)
      node->capacity.memory = a->q.value;
    else if (strcmp (a->name, "pods") == 0)
      node->pods = a->q.value > 0 ? MIN (a->q.value, 1000000) : -1;
    else if (c->cards && strcmp (a->name, WL_CARD) == 0)
      node->capacity.gpus = (guint32) CLAMP (a->q.value, 0, 10000);
    else if (a->q.value > 0 && wl_check_resource (a->name, NULL))
      append_item (more, "%s=%" G_GINT64_FORMAT "%s", a->name, a->q.milli % 1000 == 0 || a->q.milli == G_MAXINT64 ? a->q.value : a->q.milli,
                   a->q.milli % 1000 == 0 || a->q.milli == G_MAXINT64 ? "" : "m");
    else if (a->q.value > 0)
      wl_import_note (c->imp, "resources of nodes that tables cannot say (hugepages and the like) are left out", 1);
  }
  if (node->pods == 0)
    wl_import_default (c->imp, "pods of nodes (110)");
}

/* What a table cannot hold is refused with the place of the object. */
static gboolean
check_node (K8sReader *r, const K8sTop *top, const WlImportNode *node)
{
  g_autoptr (GArray) pairs = NULL, taints = NULL, notes = NULL, amounts = NULL;
  g_autofree char *all = g_strdup_printf ("cpu=%" G_GINT64_FORMAT "m;memory=%" G_GINT64_FORMAT "%s%s", node->capacity.cpu_milli, node->capacity.memory, *node->capacity.more != '\0' ? ";" : "",
                                          node->capacity.more);
  g_autoptr (GError) e = NULL;
  const char *what = "labels";

  if ((*node->labels == '\0' || wl_parse_pairs (node->labels, &pairs, &e)) && (what = "taints", *node->taints == '\0' || wl_parse_taints (node->taints, &taints, &e))
      && (what = "annotations", *node->annotations == '\0' || wl_parse_annotations (node->annotations, &notes, &e)) && (what = "allocatable", wl_parse_resources (all, &amounts, &e)))
    return TRUE;
  return k8s_refuse (r, top->metadata, "%s: %s", what, e->message);
}

static gboolean
read_node (WlCluster *c, K8sReader *r, const K8sTop *top, const K8sMeta *meta)
{
  g_autoptr (GString) labels = g_string_new (NULL), taints = g_string_new (NULL), notes = g_string_new (NULL), more = g_string_new (NULL);
  VcNodeObject o = { 0 };

  if (!k8s_read_node (r, top, meta, &o))
    return FALSE;
  WlImportNode node = { .name = o.name, .time = WL_TIME_NONE };

  node_amounts (c, &o, &node, more);
  for (guint i = 0; i < o.labels.n; i++)
    append_item (labels, "%s=%s", o.labels.item[i].key, o.labels.item[i].value);
  for (guint i = 0; i < o.n_taints; i++) {
    const VcTaint *t = &o.taint[i];

    if (!is_made_taint (c, t))
      append_item (taints, "%s%s%s:%s", t->key, t->value != NULL && *t->value != '\0' ? "=" : "", t->value != NULL ? t->value : "", t->effect);
  }
  append_annotations (notes, &o.annotations);
  if (c->cards)
    node.model = vc_pairs_get (&o.labels, "nvidia.com/gpu.product");
  node.labels = labels->str;
  node.taints = taints->str;
  node.annotations = notes->str;
  node.capacity.more = more->str;
  if (!check_node (r, top, &node))
    return FALSE;
  wl_item_new (c, WL_N_KINDS, top->kind, NULL, o.name)->dropped = TRUE; /* it is in a table */
  wl_import_node (c->imp, &node);
  c->nodes++;
  if (o.n_images > 0)
    wl_import_note (c->imp, "nodes with images, which tables cannot say: all images count as being there", 1);
  if (o.unschedulable) {
    const WlImportNode change = { .name = o.name, .time = WL_TIME_NONE, .event = WL_NODE_CORDON };

    wl_import_node (c->imp, &change);
  }
  if (!is_ready (top)) {
    const WlImportNode change = { .name = o.name, .time = WL_TIME_NONE, .event = WL_NODE_NOTREADY };

    wl_import_node (c->imp, &change);
  }
  return TRUE;
}

/* ---- other objects -------------------------------------------------------------------------------------- */

static gboolean
read_class (WlCluster *c, K8sReader *r, const K8sTop *top, const K8sMeta *meta)
{
  VcPriorityClassObject o = { 0 };
  gint32 *value = vc_arena_new0 (c->arena, gint32, 1);

  if (!k8s_read_priority_class (r, top, meta, &o))
    return FALSE;
  *value = (gint32) CLAMP (o.value, G_MININT32, G_MAXINT32);
  g_hash_table_insert (c->classes, vc_arena_strdup (c->arena, o.name), value);
  if (o.global_default)
    c->default_priority = *value;
  return TRUE;
}

/* Does a run know all scopes of the quota? */
static gboolean
knows_scopes (const K8sTop *top)
{
  static const char *const known[] = { "BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "PriorityClass", NULL };
  g_autoptr (GString) text = g_string_new (NULL), op = g_string_new (NULL);
  struct fy_node *item;
  void *at = NULL;

  while ((item = k8s_next (k8s_get (top->spec, "scopes"), &at)) != NULL)
    if (!g_strv_contains (known, k8s_scalar (item, text)))
      return FALSE;
  for (at = NULL; (item = k8s_next (k8s_get (k8s_get (top->spec, "scopeSelector"), "matchExpressions"), &at)) != NULL;) {
    if (!g_strv_contains (known, k8s_get_text (item, "scopeName", text)))
      return FALSE;
    if (strcmp (text->str, "PriorityClass") != 0 && strcmp (k8s_get_text (item, "operator", op), "Exists") != 0)
      return FALSE;
  }
  return TRUE;
}

/* Kinds of which only some objects, or only in some cases, mean something to a run. NULL: it is kept. */
static const char *
why_not_kept (const WlCluster *c, const K8sTop *top, const K8sMeta *meta)
{
  static const struct { const char *kind, *reason; } states[] = {
    { "Numatopology", "Numatopology objects: the CPUs that running pods have" },
    { "ResourceClaim", "objects of dynamic resource allocation: the devices that running pods have" },
    { "ResourceClaimTemplate", "objects of dynamic resource allocation: the devices that running pods have" },
    { "ResourceSlice", "objects of dynamic resource allocation: the devices that running pods have" },
    { "DeviceClass", "objects of dynamic resource allocation: the devices that running pods have" },
  };

  if (!c->keep_volumes && (strcmp (top->kind, "PersistentVolumeClaim") == 0 || strcmp (top->kind, "PersistentVolume") == 0 || g_str_has_prefix (top->api_version, "storage.k8s.io/")))
    return "objects of storage: there are no CSINodes among them, without which no pod with claims fits";
  if (strcmp (top->kind, "ResourceQuota") == 0 && !knows_scopes (top))
    return "quotas with scopes that are not simulated";
  if (strcmp (top->kind, "ConfigMap") == 0)
    return strcmp (meta->name, "volcano-vgpu-device-config") != 0 ? "ConfigMaps that the scheduler does not read while it runs" : NULL;
  for (guint i = 0; !c->keep_devices && i < G_N_ELEMENTS (states); i++)
    if (strcmp (top->kind, states[i].kind) == 0)
      return states[i].reason;
  return NULL;
}

/* Objects whose status says what is, rather than what a run finds out. The state of queues is written by itself. */
static gboolean
has_state (WlObjectKind kind)
{
  return kind == WL_OBJECT_PERSISTENT_VOLUME || kind == WL_OBJECT_PERSISTENT_VOLUME_CLAIM || kind == WL_OBJECT_VOLUME_ATTACHMENT;
}

/* What the API server would have said: no run can have such an object from the start. (transfer full) */
static char *
problem_of (const K8sTop *top, const K8sMeta *meta)
{
  g_autoptr (GPtrArray) findings = wl_findings_new ();

  if (strcmp (top->kind, "HyperNode") == 0)
    return k8s_judge_hyper_node (meta->name, top->spec);
  if (strcmp (top->kind, "Queue") == 0)
    k8s_judge_schema (K8S_SCHEMA_QUEUE, meta->name, top->spec, findings);
  return findings->len > 0 ? k8s_schema_text (K8S_SCHEMA_QUEUE, meta->name, findings) : NULL;
}

/* The configuration of the cluster's scheduler holds for the run, too, if it can. TRUE: it does. */
static gboolean
read_conf (WlCluster *c, const K8sTop *top)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) e = NULL;
  struct fy_node *data = k8s_get (top->data, "volcano-scheduler.conf");

  if (data == NULL || !fy_node_is_scalar (data))
    return FALSE;
  k8s_scalar (data, text);
  g_autoptr (VcConf) conf = vc_conf_parse (text->str, text->len, "volcano-scheduler.conf", vc_catalog (), FALSE, NULL, &e);

  if (conf != NULL) {
    wl_import_conf (c->imp, text->str);
    wl_import_note (c->imp, "ConfigMaps with the configuration of the scheduler, which holds for the run", 1);
    return TRUE;
  }
  g_autofree char *note = g_strdup_printf ("configuration of the scheduler that cannot be used: %s", e->message);

  wl_import_note (c->imp, note, 1);
  return FALSE;
}

static gboolean
read_other (WlCluster *c, K8sReader *r, struct fy_node *node, const K8sTop *top, const K8sMeta *meta)
{
  const K8sKind *kind = k8s_find_kind (top->api_version, top->kind);
  const char *reason = why_not_kept (c, top, meta);
  gboolean known = TRUE;

  if (strcmp (top->kind, "ConfigMap") == 0 && read_conf (c, top))
    return TRUE;
  if (reason != NULL)
    return wl_cluster_leave_out (c, reason);
  g_autofree char *problem = problem_of (top, meta);

  if (problem != NULL)
    return k8s_refuse (r, top->spec != NULL ? top->spec : node, "%s", problem);
  if (!k8s_try_object (r, node, top, meta, &known) || (kind->object == WL_OBJECT_PRIORITY_CLASS && kind->use == KIND_READ && !read_class (c, r, top, meta)))
    return FALSE;
  gboolean queue = kind->use == KIND_READ && kind->object == WL_OBJECT_QUEUE;
  g_autoptr (GString) text = g_string_new (NULL), state = g_string_new (NULL);

  if (!wl_manifest_object (r, node, top, meta, kind->use == KIND_READ && has_state (kind->object), text))
    return FALSE;
  WlItem *item = wl_item_new (c, WL_N_KINDS, top->kind, meta->ns, meta->name);

  item->maker = kind->use == KIND_MAKER;
  c->crons += strcmp (top->kind, "CronJob") == 0;
  item->text = vc_arena_strdup (c->arena, text->str);
  if (!wl_item_notes (c, r, top, meta, item))
    return FALSE;
  if (strcmp (top->kind, "JobFlow") == 0)
    item->phase = vc_arena_strdup (c->arena, k8s_get_text (k8s_get (top->status, "state"), "phase", state));
  if (queue) {
    item->queue = vc_arena_strdup (c->arena, k8s_get_text (top->spec, "parent", text));
    item->phase = vc_arena_strdup (c->arena, k8s_get_text (top->status, "state", state));
    g_hash_table_insert (c->queues, (gpointer) item->name, item);
    if (strcmp (item->name, "root") != 0 && strcmp (item->name, "default") != 0)
      wl_import_object_queue (c->imp);
  }
  return TRUE;
}

static gboolean
read_stage (WlCluster *c, K8sReader *r, const K8sTop *top, const K8sMeta *meta)
{
  WlStage *stage = vc_arena_new0 (c->arena, WlStage, 1);
  const char *why = NULL;
  VcArena *back = r->arena;

  r->arena = c->arena; /* it stays */
  gboolean ok = wl_stage_read (r, top, meta, stage, &why);

  r->arena = back;
  if (!ok)
    return FALSE;
  wl_item_new (c, WL_N_KINDS, top->kind, NULL, meta->name)->dropped = TRUE;
  if (why != NULL)
    return wl_cluster_leave_out (c, why);
  g_ptr_array_add (c->stages, stage);
  return TRUE;
}

/* ---- one object ------------------------------------------------------------------------------------------ */

static gboolean
read_object (WlCluster *c, K8sReader *r, struct fy_node *node, const K8sTop *top)
{
  const K8sKind *known = k8s_find_kind (top->api_version, top->kind);
  gboolean stage = strcmp (top->kind, "Stage") == 0 && g_str_has_prefix (top->api_version, "kwok.x-k8s.io/");
  K8sMeta meta = { .created = VC_NO_TIME, .deleted = VC_NO_TIME };
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (c->kinds, top->kind));

  g_hash_table_replace (c->kinds, g_strdup (top->kind), GUINT_TO_POINTER (n + 1));
  if ((known == NULL || known->use == KIND_REFUSED) && !stage) {
    g_autofree char *reason = g_strdup_printf ("%s objects: no run knows them", top->kind);

    return wl_cluster_leave_out (c, reason);
  }
  if (!k8s_field (r, "metadata", top->metadata, k8s_meta, &meta))
    return FALSE;
  if (known != NULL && known->namespaced ? meta.ns == NULL || *meta.ns == '\0' : TRUE)
    meta.ns = known != NULL && known->namespaced ? "default" : NULL;
  r->ns = meta.ns;
  r->name = meta.name;
  r->any_sign = known != NULL && (known->use == KIND_JOB || known->use == KIND_MAKER || known->object == WL_OBJECT_QUEUE);
  if (meta.name == NULL || *meta.name == '\0')
    return k8s_refuse (r, top->metadata != NULL ? top->metadata : node, "metadata.name: missing");
  if (wl_cluster_find (c, wl_cluster_kind (top), meta.ns, meta.name) != NULL)
    return wl_cluster_leave_out (c, "objects that come again");
  WlKind kind = stage ? WL_N_KINDS : k8s_workload_kind (top->api_version, top->kind);
  gboolean ok = stage                                                              ? read_stage (c, r, top, &meta)
                : kind != WL_N_KINDS                                               ? wl_item_read (c, r, top, &meta, kind)
                : known->use == KIND_READ && known->object == WL_OBJECT_NODE       ? read_node (c, r, top, &meta)
                                                                                   : read_other (c, r, node, top, &meta);

  if (ok) {
    wl_cluster_saw (c, wl_cluster_second (meta.created));
    see_times (c, top->status, 0);
  }
  return ok;
}

gboolean
wl_cluster_object (K8sReader *r, struct fy_node *node, const K8sTop *top, gpointer cluster)
{
  WlCluster *c = cluster;
  VcArena *kept = r->arena;

  if (!c->own_rows)
    wl_import_begin_row (c->imp);
  c->in_row = TRUE;
  vc_arena_reset (c->scratch);
  r->arena = c->scratch;
  r->kind = top->kind;
  gboolean ok = read_object (c, r, node, top);

  r->arena = kept;
  r->kind = r->ns = r->name = NULL;
  g_ptr_array_set_size (c->arrays, 0);
  if (ok)
    c->in_row = FALSE;
  return ok;
}

/* What an error says is not simulated, without its place: "Deployment: a workload that is held back is not simulated". */
static char *
reason_of (const char *message)
{
  g_autoptr (GRegex) form = g_regex_new ("^.*:\\d+:\\d+: (\\S+) \\S+: (.*) is not implemented yet( \\(.*\\))?$", 0, 0, NULL);
  g_autoptr (GMatchInfo) m = NULL;

  if (!g_regex_match (form, message, 0, &m))
    return g_strdup ("objects of which a part is not simulated");
  g_autofree char *kind = g_match_info_fetch (m, 1), *what = g_match_info_fetch (m, 2);

  return g_strdup_printf ("%s objects: %s is not simulated", kind, what);
}

void
wl_cluster_unsupported (WlCluster *c, GError **error)
{
  g_autofree char *reason = reason_of ((*error)->message);

  g_clear_error (error);
  wl_cluster_leave_out (c, reason);
}

gboolean
wl_cluster_refused (gpointer cluster, GError **error)
{
  WlCluster *c = cluster;

  if (!c->in_row)
    wl_import_begin_row (c->imp);
  c->in_row = FALSE;
  if (!g_error_matches (*error, WL_ERROR, WL_ERROR_UNSUPPORTED))
    return wl_import_bad_row (c->imp, error);
  wl_cluster_unsupported (c, error);
  return TRUE;
}

gboolean
wl_cluster_look (WlCluster *c, guint file, GError **error)
{
  g_autofree char *text = wl_import_whole (c->imp, file, NULL, error);

  if (text == NULL)
    return FALSE;
  c->keep_volumes = c->keep_volumes || strstr (text, "CSINode") != NULL;
  if (wl_import_is (c->imp, "mode", "snapshot") || (wl_import_is (c->imp, "mode", "auto") && strstr (text, "nodeName") != NULL))
    c->keep_devices = FALSE;
  return TRUE;
}

gboolean
wl_cluster_file (WlCluster *c, guint file, GError **error)
{
  const K8sVisitor visitor = { wl_cluster_object, wl_cluster_refused, c };
  gsize len = 0;
  g_autofree char *text = wl_import_whole (c->imp, file, &len, error);

  return text != NULL && k8s_visit_objects (c->arena, text, len, wl_import_path (c->imp, file), &visitor, error);
}

/* ---- the end ---------------------------------------------------------------------------------------------- */

static void
report_kinds (WlCluster *c)
{
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (c->kinds), (GCompareFunc) strcmp);

  for (const GList *l = names; l != NULL; l = l->next) {
    g_autofree char *text = g_strdup_printf ("%s objects read", (const char *) l->data);

    wl_import_note (c->imp, text, GPOINTER_TO_UINT (g_hash_table_lookup (c->kinds, l->data)));
  }
}

/* Who names schedulers means workloads of theirs: a slip would leave nothing to run. */
static gboolean
check_schedulers (const WlCluster *c, GError **error)
{
  if (!wl_import_given (c->imp, "schedulers") || c->ours > 0 || c->another == NULL)
    return TRUE;
  g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "--schedulers: expected a schedulerName of the objects, such as '%s', found '%s', which none of them has", c->another,
               wl_import_text (c->imp, "schedulers"));
  return FALSE;
}

gboolean
wl_cluster_finish (WlCluster *c, GError **error)
{
  report_kinds (c);
  if (!check_schedulers (c, error) || !wl_cluster_settle (c, error))
    return FALSE;
  wl_cluster_join (c);
  return wl_cluster_write (c, error);
}
