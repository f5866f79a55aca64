/* workloads/import/kubernetes/simkube.c - traces of SimKube, version 2: a cluster's workloads as they were applied, changed and deleted, and how long their pods lived. MessagePack
 * (.sktrace), or the same as JSON. Each event is a row. Nodes are not among them. */
#include "cluster-private.h"
#include "msgpack.h"
#include "workloads/import/json.h"
#include "workloads/k8s/k8s-schema.h"
#include "workloads/text/parse.h"
#include <string.h>

static const WlImportOption options[] = { WL_CLUSTER_OPTIONS, { NULL, WL_OPTION_TEXT, NULL, NULL, NULL } };

typedef struct {
  WlCluster *c;
  K8sReader r;
  GHashTable *owners; /* "kind ns/name" → GPtrArray of WlItem */
} Trace;

/* ---- events ------------------------------------------------------------------------------------------------ */

static gboolean
is_service (WlKind kind)
{
  return kind == WL_KIND_DEPLOYMENT || kind == WL_KIND_REPLICA_SET || kind == WL_KIND_STATEFUL_SET;
}

/* Replicas as the object @node has them now. */
static gboolean
read_replicas (Trace *t, struct fy_node *node, gint64 *out)
{
  g_autoptr (GString) text = g_string_new (NULL);

  *out = 1;
  return node == NULL || wl_parse_int (k8s_scalar (node, text), 0, WL_REPLICAS_MAX, out, NULL)
         || k8s_refuse (&t->r, node, "replicas: expected 0 to %d, found '%s'", WL_REPLICAS_MAX, text->str);
}

static void
scale_task (WlCluster *c, const WlItem *item, WlItemTask *task, gint64 replicas, WlTime at)
{
  if (replicas == task->now)
    return;
  g_autoptr (GString) text = g_string_new (task->scale);

  g_string_append (text, text->len > 0 ? ">" : "");
  wl_append_time (text, at - item->created);
  g_string_append_printf (text, ":%" G_GINT64_FORMAT, replicas);
  task->scale = vc_arena_strdup (c->arena, text->str);
  task->now = (guint32) replicas;
}

/* The text without its lines about replicas, which may change. */
static char *
without_size (const char *text)
{
  g_auto (GStrv) line = g_strsplit (text, "\n", -1);

  for (char **l = line; *l != NULL; l++)
    if (g_str_has_prefix (*l + strspn (*l, " "), "replicas:"))
      **l = '\0';
  return g_strjoinv ("\n", line);
}

static gboolean
note_change (Trace *t, const WlItem *item, const K8sTop *top, const K8sMeta *meta)
{
  WlPodText pods = { .volumes = t->c->keep_volumes, .claims = t->c->keep_devices, .scheduler = item->foreign };
  g_autoptr (GString) text = g_string_new (NULL);

  if (!wl_manifest_workload (&t->r, top, meta, item->kind, &pods, text))
    return FALSE;
  g_autofree char *before = without_size (item->text), *now = without_size (text->str);

  if (strcmp (before, now) != 0)
    wl_import_note (t->c->imp, "changes of objects other than of their replicas are left out", 1);
  return TRUE;
}

/* The object is there and is applied again: its size may be another one. */
static gboolean
apply_again (Trace *t, WlItem *item, const K8sTop *top, K8sMeta *meta, WlTime at)
{
  struct fy_node *task;
  gint64 replicas;
  void *it = NULL;
  guint k = 0;

  if (at <= item->created || item->kind == WL_N_KINDS)
    return TRUE; /* the same moment, or no workload */
  meta->ns = item->ns;
  if (!note_change (t, item, top, meta))
    return FALSE;
  if (is_service (item->kind)) {
    if (!read_replicas (t, k8s_get (top->spec, "replicas"), &replicas))
      return FALSE;
    scale_task (t->c, item, &item->task[0], replicas, at);
  } else if (item->kind == WL_KIND_VCJOB) {
    while ((task = k8s_next (k8s_get (top->spec, "tasks"), &it)) != NULL && k < item->n_tasks) {
      if (!read_replicas (t, k8s_get (task, "replicas"), &replicas))
        return FALSE;
      scale_task (t->c, item, &item->task[k++], replicas, at);
    }
  }
  return TRUE;
}

static gboolean
apply (Trace *t, struct fy_node *node, WlTime at)
{
  K8sReader *r = &t->r;
  K8sTop top = { 0 };
  K8sMeta meta = { .created = VC_NO_TIME, .deleted = VC_NO_TIME };

  if (!k8s_read_top (r, node, &top))
    return FALSE;
  if (top.kind == NULL || top.api_version == NULL)
    return k8s_refuse (r, node, "expected an object with apiVersion and kind, found another one");
  r->kind = top.kind;
  if (!k8s_field (r, "metadata", top.metadata, k8s_meta, &meta))
    return FALSE;
  const char *ns = meta.ns != NULL && *meta.ns != '\0' ? meta.ns : "default";
  WlItem *item = meta.name != NULL ? wl_cluster_find (t->c, wl_cluster_kind (&top), ns, meta.name) : NULL;

  if (item != NULL)
    return apply_again (t, item, &top, &meta, at);
  guint before = t->c->items->len;

  if (!wl_cluster_object (r, node, &top, t->c))
    return FALSE;
  if (t->c->items->len == before)
    return TRUE; /* no run knows it */
  item = t->c->items->pdata[before];
  item->created = at;
  for (guint k = 0; k < item->n_tasks; k++)
    item->task[k].now = item->task[k].replicas;
  return TRUE;
}

static gboolean
delete (Trace *t, struct fy_node *node, WlTime at)
{
  K8sTop top = { 0 };
  K8sMeta meta = { .created = VC_NO_TIME, .deleted = VC_NO_TIME };

  if (!k8s_read_top (&t->r, node, &top) || !k8s_field (&t->r, "metadata", top.metadata, k8s_meta, &meta))
    return FALSE;
  WlItem *item = top.kind != NULL && top.api_version != NULL && meta.name != NULL ? wl_cluster_find (t->c, wl_cluster_kind (&top), meta.ns != NULL && *meta.ns != '\0' ? meta.ns : "default", meta.name) : NULL;

  if (item == NULL) {
    wl_import_note (t->c->imp, "deletions of objects that were not there", 1);
    return TRUE;
  }
  item->deleted = at;
  wl_cluster_forget (t->c, item);
  return TRUE;
}

static gboolean
each (Trace *t, struct fy_node *list, WlTime at, gboolean (*what) (Trace *t, struct fy_node *node, WlTime at))
{
  struct fy_node *item;
  void *it = NULL;

  if (list != NULL && !fy_node_is_sequence (list))
    return k8s_expected (&t->r, list, "a list of objects");
  while ((item = k8s_next (list, &it)) != NULL)
    if (!what (t, item, at)) {
      if (!g_error_matches (*t->r.error, WL_ERROR, WL_ERROR_UNSUPPORTED))
        return FALSE;
      wl_cluster_unsupported (t->c, t->r.error);
    }
  return TRUE;
}

static gboolean
read_event (Trace *t, struct fy_node *event)
{
  struct fy_node *ts = k8s_get (event, "ts");
  g_autoptr (GString) text = g_string_new (NULL);
  gint64 at;

  t->r.object = event;
  t->r.kind = t->r.ns = t->r.name = NULL;
  if (!fy_node_is_mapping (event))
    return k8s_expected (&t->r, event, "an event");
  if (!wl_import_parse_scaled (k8s_scalar (ts, text), G_USEC_PER_SEC, 0, WL_TIME_MAX, &at, NULL))
    return k8s_refuse (&t->r, ts != NULL ? ts : event, "ts: expected seconds since 1970, found '%s'", text->str);
  wl_cluster_saw (t->c, at);
  return each (t, k8s_get (event, "deleted_objs"), at, delete) && each (t, k8s_get (event, "applied_objs"), at, apply);
}

static gboolean
read_events (Trace *t, struct fy_node *root)
{
  struct fy_node *list = k8s_get (root, "events"), *event;
  void *it = NULL;

  if (list == NULL || !fy_node_is_sequence (list))
    return k8s_refuse (&t->r, list != NULL ? list : root, "events: expected a list, found none");
  while ((event = k8s_next (list, &it)) != NULL) {
    wl_import_begin_row (t->c->imp);
    if (!read_event (t, event) && !wl_import_bad_row (t->c->imp, t->r.error))
      return FALSE;
  }
  return TRUE;
}

/* ---- lives of pods ---------------------------------------------------------------------------------------------- */

/* One life: {"Finished": [s, e]}, {"Running": s}, {"start_ts": s, "end_ts": e}, "Empty". FALSE: it says nothing. */
static gboolean
read_life (struct fy_node *node, WlTime *out)
{
  g_autoptr (GString) a = g_string_new (NULL), b = g_string_new (NULL);
  struct fy_node *pair = k8s_get (node, "Finished");
  gint64 start, end;
  void *it = NULL;

  if (pair != NULL) {
    k8s_scalar (k8s_next (pair, &it), a);
    k8s_scalar (k8s_next (pair, &it), b);
  } else if (k8s_get (node, "Running") != NULL) {
    *out = WL_TIME_NEVER;
    return TRUE;
  } else {
    k8s_get_text (node, "start_ts", a);
    k8s_get_text (node, "end_ts", b);
  }
  if (!wl_import_parse_scaled (a->str, G_USEC_PER_SEC, 0, WL_TIME_MAX, &start, NULL))
    return FALSE;
  if (b->len == 0 || strcmp (b->str, "null") == 0) {
    *out = WL_TIME_NEVER;
    return TRUE;
  }
  if (!wl_import_parse_scaled (b->str, G_USEC_PER_SEC, start, WL_TIME_MAX, &end, NULL))
    return FALSE;
  *out = end - start;
  return TRUE;
}

/* Owner of the lives: version and kind, and "namespace/name", as a list or as a text of one. */
static gboolean
split_owner (const char *text, char **kind, char **name)
{
  g_autofree char *plain = g_strdelimit (g_strdup (text), "[]()\"'", ' ');
  char *comma = strpbrk (plain, ",:");

  if (comma == NULL)
    return FALSE;
  *comma = '\0';
  const char *version = g_strstrip (plain), *dot = strrchr (version, '.');

  *kind = g_strdup (dot != NULL ? dot + 1 : version);
  *name = g_strdup (g_strstrip (comma + 1));
  return TRUE;
}

/* Items by the names that owners have. */
static void
index_owners (Trace *t)
{
  for (guint i = 0; i < t->c->items->len; i++) {
    WlItem *item = t->c->items->pdata[i];
    g_autofree char *key = g_strdup_printf ("%s %s/%s", item->kind == WL_KIND_BATCH_JOB ? "Job" : item->object, item->ns != NULL ? item->ns : "", item->name);
    GPtrArray *list = g_hash_table_lookup (t->owners, key);

    if (list == NULL) {
      list = g_ptr_array_new ();
      g_hash_table_insert (t->owners, g_steal_pointer (&key), list);
    }
    g_ptr_array_add (list, item);
  }
}

static void
take_lives (Trace *t, const char *owner, struct fy_node *by_hash)
{
  g_autofree char *kind = NULL, *name = NULL;
  g_autoptr (GArray) lives = g_array_new (FALSE, FALSE, sizeof (WlTime));
  g_autoptr (GString) hash = g_string_new (NULL);
  struct fy_node *list, *life;
  guint hashes = 0;
  void *at = NULL;

  while (k8s_next_pair (by_hash, &at, hash, &list)) {
    void *it = NULL;
    WlTime time;

    hashes++;
    while ((life = k8s_next (list, &it)) != NULL)
      if (read_life (life, &time))
        g_array_append_val (lives, time);
      else
        wl_import_note (t->c->imp, "lives of pods that say nothing", 1);
  }
  if (lives->len == 0)
    return;
  if (hashes > 1)
    wl_import_note (t->c->imp, "owners whose pods have several templates: their lives count for each, in one line", 1);
  g_autofree char *key = split_owner (owner, &kind, &name) ? g_strdup_printf ("%s %s", kind, name) : g_strdup ("");
  const GPtrArray *items = g_hash_table_lookup (t->owners, key);

  if (items == NULL)
    wl_import_note (t->c->imp, "lives of pods whose owner is not among the objects", 1);
  for (guint i = 0; items != NULL && i < items->len; i++) {
    WlItem *item = items->pdata[i];

    for (guint k = 0; k < item->n_tasks; k++)
      if (item->task[k].always) {
        wl_import_note (t->c->imp, "lives of pods that always restart: they run until they are deleted", 1);
      } else {
        g_clear_pointer (&item->task[k].lives, g_array_unref);
        item->task[k].lives = g_array_copy (lives);
      }
  }
}

static void
read_lives (Trace *t, struct fy_node *lives)
{
  g_autoptr (GString) key = g_string_new (NULL), a = g_string_new (NULL), b = g_string_new (NULL);
  struct fy_node *value, *pair;
  void *at = NULL;

  index_owners (t);
  while (k8s_next_pair (lives, &at, key, &value))
    take_lives (t, key->str, value);
  for (at = NULL; (pair = k8s_next (lives, &at)) != NULL;) { /* [[kind, name], {…}] */
    void *it = NULL, *in = NULL;
    struct fy_node *owner = k8s_next (pair, &it);

    value = k8s_next (pair, &it);
    k8s_scalar (k8s_next (owner, &in), a);
    k8s_scalar (k8s_next (owner, &in), b);
    g_autofree char *both = g_strdup_printf ("%s,%s", a->str, b->str);

    take_lives (t, both, value);
  }
}

/* ---- a trace --------------------------------------------------------------------------------------------------------- */

static gboolean
check_version (Trace *t, struct fy_node *root)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (!fy_node_is_mapping (root) || k8s_get (root, "version") == NULL)
    return k8s_refuse (&t->r, root, "version: expected a trace of version 2, found one without a version (SimKube up to 1.1.1 wrote them)");
  return strcmp (k8s_get_text (root, "version", text), "2") == 0 || k8s_refuse (&t->r, k8s_get (root, "version"), "version: expected 2, found '%s'", text->str);
}

/* The trace as JSON. @len is that of it. */
static char *
read_text (WlImport *imp, guint file, gsize *len, GError **error)
{
  g_autofree char *text = wl_import_whole (imp, file, len, error);

  if (text == NULL || ((guchar) *text & 0x80u) == 0 || g_str_has_prefix (text, "\xef\xbb\xbf"))
    return g_steal_pointer (&text);
  GString *json = wl_msgpack_json ((const guint8 *) text, *len, error);

  if (json == NULL) {
    g_prefix_error (error, "%s:1:1: ", wl_import_path (imp, file));
    return NULL;
  }
  *len = json->len;
  return g_string_free (json, FALSE);
}

static gboolean
read_trace (WlCluster *c, guint file, GError **error)
{
  const char *path = wl_import_path (c->imp, file);
  gsize len = 0;
  g_autofree char *text = read_text (c->imp, file, &len, error);
  g_autoptr (WlJsonDoc) doc = text != NULL ? wl_json_read (path, text, len, error) : NULL;
  g_autoptr (GError) e = NULL;
  g_autoptr (GHashTable) owners = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref);
  Trace t = { .c = c, .owners = owners };

  if (doc == NULL)
    return FALSE;
  struct fy_node *root = wl_json_root (doc);

  k8s_reader_begin (&t.r, c->arena, text, len, path, &e);
  t.r.object = root;
  gboolean ok = check_version (&t, root) && read_events (&t, root);

  if (ok)
    read_lives (&t, k8s_get (root, "pod_lifecycles"));
  k8s_reader_end (&t.r);
  if (!ok)
    g_propagate_error (error, g_steal_pointer (&e));
  return ok;
}

static gboolean
run (WlImport *imp, GError **error)
{
  g_autoptr (WlCluster) c = wl_cluster_new (imp);

  wl_cluster_take_all (c);
  c->own_rows = c->of_then = TRUE;
  for (guint i = 0; i < wl_import_n_files (imp); i++)
    if (!read_trace (c, i, error))
      return FALSE;
  return wl_cluster_finish (c, error);
}

static guint
detect (const WlImportHead *head)
{
  static const char mark[] = "trackedObjects";

  if (head->len > 0 && ((guchar) *head->text & 0x80u) != 0)
    return memmem (head->text, head->len, mark, sizeof mark - 1) != NULL ? WL_DETECT_SURE : WL_DETECT_NO;
  return wl_head_has_key (head, mark) || wl_head_has_key (head, "applied_objs") ? WL_DETECT_SURE : WL_DETECT_NO;
}

extern const WlImportFormat wl_format_simkube;
const WlImportFormat wl_format_simkube = {
  .name = "simkube",
  .title = "SimKube traces",
  .files = "traces of version 2, as MessagePack (.sktrace) or JSON",
  .licence = "MIT; github.com/acrlabs/simkube",
  .options = options,
  .detect = detect,
  .run = run,
};
