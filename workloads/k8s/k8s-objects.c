#include "k8s-objects.h"
#include "k8s-fields.h"
#include "k8s-kinds.h"
#include "k8s-schema.h"
#include "k8s-visit.h"
#include "k8s-workload.h"
#include "workloads/text/source.h"
#include <stddef.h>

#define LIST_DEPTH 8 /* lists of lists */
#define BUDGET                                                                                     \
  (32u * 1024u * 1024u) /* what aliases may expand to, on top of a multiple of the input */

typedef struct {
  K8sReader r;
  WlObjects *objects;
  GHashTable *skipped; /* kind → count */
  K8sJsonList json;
  gboolean workload;  /* jobs are wanted */
  gboolean judges;    /* vcjobs beside the cluster's objects, only to be judged */
  gboolean timeless;    /* jobs are copied to a time of the caller's: they need none of their own */
  K8sTop *shell;      /* not NULL: note the top level of a list here and read nothing */
  const K8sTop *list; /* the list whose items are read one by one, or NULL */
  const K8sVisitor *visitor; /* NULL: objects are kept */
} Reader;

/* ---- one object ----------------------------------------------------------------------------- */
gboolean
k8s_meta (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "name", k8s_text, offsetof (K8sMeta, name) },
    { "namespace", k8s_text, offsetof (K8sMeta, ns) },
    { "uid", k8s_text, offsetof (K8sMeta, uid) },
    { "annotations", k8s_pairs, offsetof (K8sMeta, annotations) },
    { "labels", k8s_pairs, offsetof (K8sMeta, labels) },
    { "creationTimestamp", k8s_time, offsetof (K8sMeta, created) },
    { "deletionTimestamp", k8s_time, offsetof (K8sMeta, deleted) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

/* What the API server has against it by the schema of its kind; NULL: nothing. */
static const char *
schema_refusal (K8sReader *r, K8sSchemaKind kind, const char *name, struct fy_node *spec)
{
  g_autoptr (GPtrArray) findings = wl_findings_new ();

  k8s_judge_schema (kind, name, spec, findings);
  if (findings->len == 0)
    return NULL;
  g_autofree char *text = k8s_schema_text (kind, name, findings);
  return vc_arena_strdup (r->arena, text);
}

static const char *
hyper_node_refusal (K8sReader *r, const char *name, struct fy_node *spec)
{
  g_autofree char *text = k8s_judge_hyper_node (name, spec);

  return text != NULL ? vc_arena_strdup (r->arena, text) : NULL;
}

static gboolean
read_known (Reader *reader, struct fy_node *node, const K8sKind *kind, const K8sTop *top,
            const K8sMeta *meta)
{
  K8sReader *r = &reader->r;
  WlObject *o = vc_arena_new0 (r->arena, WlObject, 1);
  gboolean ok = TRUE;

  o->kind = kind->object;
  o->file = r->source;
  o->line = k8s_line (r, node);
  o->submit = o->remove = WL_TIME_NONE;
  if (reader->workload
      && (!k8s_time_note (r, top->metadata, &meta->annotations, "volsim.io/submit", &o->submit)
          || !k8s_time_note (r, top->metadata, &meta->annotations, "volsim.io/delete", &o->remove)))
    return FALSE;
  switch (kind->object) {
  case WL_OBJECT_NODE:
    ok = k8s_read_node (r, top, meta, &o->node);
    break;
  case WL_OBJECT_POD:
    ok = k8s_read_pod (r, top, meta, &o->pod);
    break;
  case WL_OBJECT_POD_GROUP:
    ok = k8s_read_pod_group (r, top, meta, &o->pod_group);
    break;
  case WL_OBJECT_QUEUE:
    ok = k8s_read_queue (r, top, meta, &o->queue);
    o->refusal = ok ? schema_refusal (r, K8S_SCHEMA_QUEUE, meta->name, top->spec) : NULL;
    break;
  case WL_OBJECT_PRIORITY_CLASS:
    ok = k8s_read_priority_class (r, top, meta, &o->priority_class);
    break;
  case WL_OBJECT_NAMESPACE:
    o->ns = (VcNamespaceObject){ meta->name, meta->labels, meta->annotations };
    break;
  case WL_OBJECT_RESOURCE_QUOTA:
    ok = k8s_read_resource_quota (r, top, meta, &o->quota);
    break;
  case WL_OBJECT_POD_DISRUPTION_BUDGET:
    ok = k8s_read_pod_disruption_budget (r, top, meta, &o->budget);
    break;
  case WL_OBJECT_NODE_SHARD:
    ok = k8s_read_node_shard (r, top, meta, &o->shard);
    break;
  case WL_OBJECT_STORAGE_CLASS:
    ok = k8s_read_storage_class (r, top, meta, &o->storage_class);
    break;
  case WL_OBJECT_PERSISTENT_VOLUME:
    ok = k8s_read_persistent_volume (r, top, meta, &o->volume);
    break;
  case WL_OBJECT_PERSISTENT_VOLUME_CLAIM:
    ok = k8s_read_persistent_volume_claim (r, top, meta, &o->claim);
    break;
  case WL_OBJECT_CSI_NODE:
    ok = k8s_read_csi_node (r, top, meta, &o->csi_node);
    break;
  case WL_OBJECT_CSI_DRIVER:
    ok = k8s_read_csi_driver (r, top, meta, &o->csi_driver);
    break;
  case WL_OBJECT_CSI_STORAGE_CAPACITY:
    ok = k8s_read_storage_capacity (r, top, meta, &o->storage_capacity);
    break;
  case WL_OBJECT_VOLUME_ATTACHMENT:
    ok = k8s_read_volume_attachment (r, top, meta, &o->attachment);
    break;
  case WL_OBJECT_CONFIG_MAP:
    o->config_map = (VcConfigMapObject){ .ns = meta->ns, .name = meta->name, .labels = meta->labels };
    ok = k8s_field (r, "data", top->data, k8s_pairs, &o->config_map.data);
    break;
  case WL_OBJECT_NUMATOPOLOGY:
    ok = k8s_read_numatopology (r, top, meta, &o->numatopology);
    break;
  case WL_OBJECT_HYPER_NODE:
    if (reader->workload || reader->judges)
      o->refusal = hyper_node_refusal (r, meta->name, top->spec);
    o->hyper_node.name = meta->name;
    ok = o->refusal != NULL || k8s_read_hyper_node (r, top, meta, &o->hyper_node);
    break;
  case WL_OBJECT_RESOURCE_CLAIM:
    ok = k8s_read_resource_claim (r, top, meta, &o->resource_claim);
    break;
  case WL_OBJECT_RESOURCE_CLAIM_TEMPLATE:
    ok = k8s_read_resource_claim_template (r, top, meta, &o->resource_claim);
    break;
  case WL_OBJECT_RESOURCE_SLICE:
    ok = k8s_read_resource_slice (r, top, meta, &o->slice);
    break;
  case WL_OBJECT_DEVICE_CLASS:
    ok = k8s_read_device_class (r, top, meta, &o->device_class);
    break;
  default:
    g_assert_not_reached ();
  }
  if (ok)
    g_ptr_array_add (reader->objects->objects, o);
  return ok;
}

/* An object whose controller makes jobs. */
static gboolean
read_maker (Reader *reader, const char *kind, const K8sTop *top, const K8sMeta *meta)
{
  K8sReader *r = &reader->r;
  WlObjects *to = reader->objects;

  if (strcmp (kind, "JobFlow") == 0) {
    WlJobFlow *flow = vc_arena_new0 (r->arena, WlJobFlow, 1);

    g_ptr_array_add (to->flows, flow);
    return k8s_read_job_flow (r, top, meta, flow);
  }
  if (strcmp (kind, "JobTemplate") == 0) {
    WlJobTemplate *template = vc_arena_new0 (r->arena, WlJobTemplate, 1);

    g_ptr_array_add (to->templates, template);
    return k8s_read_job_template (r, top, meta, to->arrays, template);
  }
  WlCronJob *cron = vc_arena_new0 (r->arena, WlCronJob, 1);

  g_ptr_array_add (to->crons, cron);
  return k8s_read_cron_job (r, top, meta, to->arrays, cron);
}

/* Count an object that volsim does not read. A kind that shares its name with one that volsim knows
 * says its group. */
static void
skip_object (Reader *reader, const K8sTop *top)
{
  const char *slash = strchr (top->api_version, '/');
  gboolean known = k8s_is_kind (top->kind);
  g_autofree char *group
      = slash != NULL ? g_strndup (top->api_version, (gsize) (slash - top->api_version)) : NULL;
  char *name
      = known && group != NULL ? g_strconcat (top->kind, ".", group, NULL) : g_strdup (top->kind);
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (reader->skipped, name));
  g_hash_table_replace (reader->skipped, name, GUINT_TO_POINTER (n + 1));
}

/* What has failed is one object, and the visitor does without it. */
static gboolean
is_passed_over (Reader *reader)
{
  return reader->visitor != NULL && reader->shell == NULL && reader->visitor->refused (reader->visitor->user, reader->r.error);
}

/* @list: the List that holds the object, NULL at the top; items of a typed list (PodList) take its
 * kind and version. */
static gboolean read_object (Reader *reader, struct fy_node *node, const K8sTop *list, int depth);

static gboolean
read_items (Reader *reader, const K8sTop *top, int depth)
{
  K8sReader *r = &reader->r;
  const K8sPath frame = { .key = "items", .key_len = 5, .at = top->items };
  void *it = NULL;
  guint i = 0;
  gboolean ok = TRUE;

  if (top->items == NULL)
    return TRUE;
  r->path = &frame;
  ok = fy_node_is_sequence (top->items) || k8s_expected (r, top->items, "a list");
  if (ok && depth >= LIST_DEPTH)
    ok = k8s_refuse (r, top->items, "lists inside lists are nested too deeply");
  for (struct fy_node *item; ok && (item = fy_node_sequence_iterate (top->items, &it)) != NULL;
       i++) {
    const K8sPath item_frame = { .up = &frame, .index = i, .at = item };
    r->path = &item_frame;
    r->kind = top->kind;
    r->ns = r->name = NULL;
    ok = (k8s_resolve (r, &item)
          && ((item != NULL && fy_node_is_mapping (item)) || k8s_expected (r, item, "an object"))
          && read_object (reader, item, top, depth + 1))
         || is_passed_over (reader);
  }
  r->path = NULL;
  return ok;
}

gboolean
k8s_read_top (K8sReader *r, struct fy_node *node, K8sTop *out)
{
  static const K8sField fields[] = {
    { "apiVersion", k8s_text, offsetof (K8sTop, api_version) },
    { "kind", k8s_text, offsetof (K8sTop, kind) },
    { "metadata", k8s_node, offsetof (K8sTop, metadata) },
    { "spec", k8s_node, offsetof (K8sTop, spec) },
    { "status", k8s_node, offsetof (K8sTop, status) },
    { "items", k8s_node, offsetof (K8sTop, items) },
    { "value", k8s_node, offsetof (K8sTop, value) },
    { "data", k8s_node, offsetof (K8sTop, data) },
    { "globalDefault", k8s_node, offsetof (K8sTop, global_default) },
  };

  r->object = node;
  r->path = NULL;
  r->kind = r->ns = r->name = NULL;
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_object (Reader *reader, struct fy_node *node, const K8sTop *list, int depth)
{
  K8sReader *r = &reader->r;
  K8sTop top = { 0 };
  K8sMeta meta = { .created = VC_NO_TIME, .deleted = VC_NO_TIME };

  if (!k8s_read_top (r, node, &top))
    return FALSE;
  if (list != NULL && top.kind == NULL && strlen (list->kind) > 4) {
    top.kind = vc_arena_strndup (r->arena, list->kind, strlen (list->kind) - 4);
    top.api_version = top.api_version != NULL ? top.api_version : list->api_version;
  }
  if (top.kind == NULL || *top.kind == '\0')
    return k8s_refuse (r, node, "kind: missing");
  r->kind = top.kind;
  if (top.api_version == NULL || *top.api_version == '\0')
    return k8s_refuse (r, node, "apiVersion: missing");
  if (strcmp (top.kind, "List") == 0
      || (top.items != NULL && g_str_has_suffix (top.kind, "List"))) {
    if (reader->shell == NULL)
      return read_items (reader, &top, depth);
    *reader->shell = top;
  }
  if (reader->shell != NULL)
    return TRUE;
  if (reader->visitor != NULL)
    return reader->visitor->object (r, node, &top, reader->visitor->user);

  const K8sKind *kind = k8s_find_kind (top.api_version, top.kind);
  if (kind == NULL || (kind->use == KIND_WORKLOAD && !reader->workload)) {
    skip_object (reader, &top);
    return TRUE;
  }
  if (!k8s_field (r, "metadata", top.metadata, k8s_meta, &meta))
    return FALSE;
  if (kind->namespaced && (meta.ns == NULL || *meta.ns == '\0'))
    meta.ns = "default";
  r->ns = kind->namespaced ? meta.ns : NULL;
  r->name = meta.name;
  r->any_sign
      = (reader->workload || reader->judges) && (kind->use == KIND_JOB || kind->use == KIND_MAKER || kind->object == WL_OBJECT_QUEUE);
  if (kind->use == KIND_REFUSED)
    return k8s_refuse (r, node, "%s objects are not implemented yet", kind->kind);
  r->timeless = reader->judges || reader->timeless;
  if ((kind->use == KIND_JOB || kind->use == KIND_MAKER) && !reader->workload && !reader->judges)
    return k8s_refuse (r, node, "%s objects are for volsim run", kind->kind);
  if (meta.name == NULL || *meta.name == '\0') {
    r->name = NULL;
    return k8s_refuse (r, top.metadata, "metadata.name: missing");
  }
  if (kind->use == KIND_MAKER)
    return read_maker (reader, kind->kind, &top, &meta);
  WlKind workload = reader->workload ? k8s_kind_of_workload (kind) : WL_KIND_VCJOB;
  if (kind->use == KIND_JOB || workload != WL_KIND_VCJOB) {
    WlJobObject *job = vc_arena_new0 (r->arena, WlJobObject, 1);
    GPtrArray *arrays = reader->objects->arrays;

    if (!(workload == WL_KIND_VCJOB ? k8s_read_job (r, &top, &meta, arrays, job) : k8s_read_workload (r, &top, &meta, workload, arrays, job)))
      return FALSE;
    job->line = k8s_line (r, node);
    g_ptr_array_add (reader->objects->jobs, job);
    return TRUE;
  }
  return read_known (reader, node, kind, &top, &meta);
}

/* ---- documents ------------------------------------------------------------------------------ */
/* The diagnostics are collected; nothing is to be printed. */
static void
swallow (struct fy_diag *diag, void *user, const char *buf, size_t len)
{
}

/* The parser's own complaint, as ours. */
static gboolean
refuse_syntax (Reader *reader, struct fy_diag *diag)
{
  K8sReader *r = &reader->r;
  const char *message = "not a YAML or JSON document";
  gsize at = r->base;
  void *it = NULL;

  for (struct fy_diag_error *e; (e = fy_diag_errors_iterate (diag, &it)) != NULL;) {
    if (e->type != FYET_ERROR)
      continue;
    message = e->msg;
    for (int line = 1; line < e->line && at < r->len; at++)
      line += r->text[at] == '\n';
    for (int column = 1; column < e->column && at < r->len && r->text[at] != '\n'; column++)
      for (at++; at < r->len && ((guchar) r->text[at] & 0xC0u) == 0x80u; at++)
        ;
    break;
  }
  return k8s_refuse_at (r, at, WL_ERROR_SYNTAX, "bad YAML or JSON: %s", message);
}

/* Every document of the part [base, base + len) of the text. */
static gboolean
read_part (Reader *reader, gsize len)
{
  K8sReader *r = &reader->r;
  struct fy_diag_cfg diag_cfg;
  gboolean ok = TRUE;

  fy_diag_cfg_default (&diag_cfg);
  diag_cfg.fp = NULL;
  diag_cfg.output_fn = swallow;
  struct fy_diag *diag = fy_diag_create (&diag_cfg);
  fy_diag_set_collect_errors (diag, true);
  /* Keys that are given twice are found by the tables of fields; the parser would compare every key
   * with every other. */
  struct fy_parse_cfg cfg = { .flags = FYPCF_QUIET | FYPCF_ALLOW_DUPLICATE_KEYS, .diag = diag };
  struct fy_parser *parser = fy_parser_create (&cfg);
  struct fy_document *doc = NULL;

  if (parser == NULL || fy_parser_set_string (parser, r->text + r->base, len) != 0)
    ok = refuse_syntax (reader, diag);
  while (ok && (doc = fy_parse_load_document (parser)) != NULL) {
    struct fy_node *root = fy_document_root (doc);
    r->object = NULL;
    r->path = NULL;
    r->kind = r->ns = r->name = NULL;
    ok = k8s_resolve (r, &root);
    if (ok && root != NULL)
      ok = fy_node_is_mapping (root)
               ? read_object (reader, root, reader->list, reader->list != NULL)
               : k8s_expected (r, root, "an object");
    ok = ok || is_passed_over (reader);
    r->object = NULL;
    fy_parse_document_destroy (parser, doc);
  }
  if (ok && fy_parser_get_stream_error (parser))
    ok = refuse_syntax (reader, diag);
  if (parser != NULL)
    fy_parser_destroy (parser);
  fy_diag_destroy (diag);
  return ok;
}

/* Is the JSON object of @n bytes a list when its items are taken out? Then its top level is in
 * @top. */
static gboolean
is_json_list (Reader *reader, gsize n, K8sTop *top)
{
  K8sReader *r = &reader->r;
  const K8sReader saved = *r;
  const char *start = r->text + r->base;
  GError *error = NULL;

  if (reader->json.open == 0)
    return FALSE;
  g_autofree char *shell = g_malloc (n + 1);
  gsize head = reader->json.open + 1, tail = n - reader->json.close;
  memcpy (shell, start, head);
  memcpy (shell + head, start + reader->json.close, tail);
  shell[head + tail] = '\0';
  r->text = shell;
  r->len = head + tail;
  r->base = 0;
  r->error = &error;
  reader->shell = top;
  gboolean ok = read_part (reader, head + tail) && top->kind != NULL;
  reader->shell = NULL;
  *r = saved;
  g_clear_error (&error); /* will be met again, with the right place */
  return ok;
}

/* The JSON object of @n bytes at the base of the reader. */
static gboolean
read_json (Reader *reader, gsize n)
{
  K8sReader *r = &reader->r;
  K8sTop top = { 0 };

  if (!is_json_list (reader, n, &top))
    return read_part (reader, n);
  const gsize base = r->base;
  const guint32 base_line = r->base_line;
  gboolean ok = TRUE;
  reader->list = &top;
  for (guint i = 0; ok && i < reader->json.items->len; i++) {
    const K8sJsonItem *item = &g_array_index (reader->json.items, K8sJsonItem, i);
    r->base = base + item->start;
    r->base_line = base_line + item->lines;
    ok = read_part (reader, item->len);
  }
  reader->list = NULL;
  r->base = base;
  r->base_line = base_line;
  return ok;
}

static gsize
budget_of (gsize len)
{
  return BUDGET + (len > (G_MAXSIZE - BUDGET) / 4 ? 0 : 4 * len);
}

static gboolean
read_text (Reader *reader, const char *text, gsize len)
{
  K8sReader *r = &reader->r;
  const char *nul = memchr (text, '\0', len), *bad;

  r->text = text;
  r->len = len;
  r->budget = budget_of (len);
  r->base = len >= 3 && memcmp (text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; /* the byte order mark */
  r->base_line = 0;
  if (nul != NULL)
    return k8s_refuse_at (r, (gsize) (nul - text), WL_ERROR_SYNTAX, "a NUL byte");
  if (!g_utf8_validate_len (text, len, &bad))
    return k8s_refuse_at (r, (gsize) (bad - text), WL_ERROR_SYNTAX, "not UTF-8");
  for (;;) {
    gsize p = r->base;
    while (p < len && strchr (" \t\r\n", text[p]) != NULL)
      p++;
    if (p == len || text[p] == '{') /* else the blanks may be the indentation of YAML */
      while (r->base < p)
        r->base_line += text[r->base++] == '\n';
    if (r->base == len)
      return TRUE;
    /* JSON objects may follow each other without the marks between documents that YAML asks for, as
     * those of `kubectl … | jq -c '.items[]'` do. Whatever else there is, the parser is given all
     * that is left. */
    gsize n
        = text[r->base] == '{' ? k8s_json_scan (text + r->base, len - r->base, &reader->json) : 0;
    for (p = r->base + n; n > 0 && p < len && strchr (" \t\r\n", text[p]) != NULL;)
      p++;
    if (n == 0 || (p < len && text[p] != '{'))
      return read_part (reader, len - r->base);
    if (!read_json (reader, n))
      return FALSE;
    for (gsize i = r->base; i < r->base + n; i++)
      r->base_line += text[i] == '\n';
    r->base += n;
  }
}

/* ---- the interface -------------------------------------------------------------------------- */
static WlObjects *
objects_new (VcArena *arena)
{
  WlObjects *o = g_new0 (WlObjects, 1);

  o->arena = arena;
  o->objects = g_ptr_array_new ();
  o->jobs = g_ptr_array_new ();
  o->templates = g_ptr_array_new ();
  o->flows = g_ptr_array_new ();
  o->crons = g_ptr_array_new ();
  o->arrays = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  o->skipped = g_ptr_array_new_with_free_func (g_free);
  return o;
}

/* Gives the arena back. */
static VcArena *
objects_empty (WlObjects *o)
{
  VcArena *arena = o->arena;

  g_ptr_array_unref (o->objects);
  g_ptr_array_unref (o->skipped);
  g_ptr_array_unref (o->jobs);
  g_ptr_array_unref (o->templates);
  g_ptr_array_unref (o->flows);
  g_ptr_array_unref (o->crons);
  g_ptr_array_unref (o->arrays);
  g_free (o);
  return arena;
}

static Reader *
reader_new (GError **error)
{
  Reader *reader = g_new0 (Reader, 1);

  reader->objects = objects_new (vc_arena_new ());
  reader->skipped = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  reader->r.arena = reader->objects->arena;
  reader->r.scratch = g_array_new (FALSE, FALSE, k8s_entry_size ());
  reader->json.items = g_array_new (FALSE, FALSE, sizeof (K8sJsonItem));
  reader->r.error = error;
  return reader;
}

/* The objects, when all went well. Frees @reader. */
static WlObjects *
reader_finish (Reader *reader, gboolean ok)
{
  WlObjects *objects = reader->objects;
  g_autoptr (GList) names
      = g_list_sort (g_hash_table_get_keys (reader->skipped), (GCompareFunc) strcmp);

  for (const GList *l = names; l != NULL; l = l->next)
    g_ptr_array_add (
        objects->skipped,
        g_strdup_printf ("%u %s", GPOINTER_TO_UINT (g_hash_table_lookup (reader->skipped, l->data)),
                         (const char *) l->data));
  g_array_unref (reader->r.scratch);
  g_array_unref (reader->json.items);
  g_hash_table_unref (reader->skipped);
  g_free (reader);
  if (ok)
    return objects;
  wl_objects_free (objects);
  return NULL;
}

static gboolean
read_file (Reader *reader, const char *path, GError **error)
{
  gsize len = 0;
  g_autofree char *text = wl_read_file (path, 0, &len, error);

  reader->r.source = vc_arena_strdup (reader->r.arena, wl_source_name (path));
  return text != NULL && read_text (reader, text, len);
}

static WlObjects *
read_files (const char *const *paths, guint n, gboolean workload, gboolean judges, GError **error)
{
  Reader *reader = reader_new (error);
  gboolean ok = TRUE;

  reader->workload = reader->r.completes = workload;
  reader->judges = judges;
  for (guint i = 0; ok && i < n; i++)
    ok = read_file (reader, paths[i], error);
  ok = ok && k8s_join_pod_groups (reader->r.arena, reader->objects->jobs, error);
  return reader_finish (reader, ok);
}

WlObjects *
wl_objects_read (const char *const *paths, guint n, GError **error)
{
  return read_files (paths, n, FALSE, FALSE, error);
}

WlObjects *
wl_objects_read_workload (const char *const *paths, guint n, GError **error)
{
  return read_files (paths, n, TRUE, FALSE, error);
}

/* The jobs from place @first on become @copies of each, one round after the other. */
static gboolean
multiply_jobs (WlObjects *o, guint first, const char *path, guint copies, WlTime at, GError **error)
{
  g_autoptr (GPtrArray) jobs = g_ptr_array_new ();

  for (guint i = first; i < o->jobs->len; i++) {
    const WlJobObject *j = o->jobs->pdata[i];

    if (j->kind != WL_KIND_VCJOB) {
      g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s:%u: an object to be copied, expected a Job of batch.volcano.sh, found '%s' of another kind", j->file, j->line,
                   j->name);
      return FALSE;
    }
    g_ptr_array_add (jobs, (gpointer) j);
  }
  if (jobs->len == 0) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s: expected a Job of batch.volcano.sh, found none", path);
    return FALSE;
  }
  g_ptr_array_set_size (o->jobs, (int) first);
  for (guint i = 0; i < copies; i++)
    for (guint k = 0; k < jobs->len; k++) {
      WlJobObject *j = vc_arena_new0 (o->arena, WlJobObject, 1);
      g_autofree char *name = NULL;

      *j = *(const WlJobObject *) jobs->pdata[k];
      name = g_strdup_printf ("%s-copy-%u", j->name, i);
      j->name = vc_arena_strdup (o->arena, name);
      j->submit = at;
      j->remove = WL_TIME_NONE;
      g_ptr_array_add (o->jobs, j);
    }
  return TRUE;
}

WlObjects *
wl_objects_read_copies (const char *base, const char *more, guint copies, WlTime at, GError **error)
{
  Reader *reader = reader_new (error);

  reader->workload = reader->r.completes = TRUE;
  gboolean ok = base == NULL || read_file (reader, base, error);
  guint first = reader->objects->jobs->len;

  reader->timeless = TRUE;
  ok = ok && read_file (reader, more, error) && multiply_jobs (reader->objects, first, more, copies, at, error) &&
       k8s_join_pod_groups (reader->r.arena, reader->objects->jobs, error);
  return reader_finish (reader, ok);
}

WlObjects *
wl_objects_read_judged (const char *const *paths, guint n, GError **error)
{
  return read_files (paths, n, FALSE, TRUE, error);
}

WlObjects *
wl_objects_parse (const char *text, gsize len, const char *source, GError **error)
{
  Reader *reader = reader_new (error);
  reader->r.source = vc_arena_strdup (reader->r.arena, source);
  return reader_finish (reader, read_text (reader, text, len));
}

WlObjects *
wl_objects_parse_workload (const char *text, gsize len, const char *source, GError **error)
{
  Reader *reader = reader_new (error);

  reader->workload = reader->r.completes = TRUE;
  reader->r.source = vc_arena_strdup (reader->r.arena, source);
  return reader_finish (reader, read_text (reader, text, len) && k8s_join_pod_groups (reader->r.arena, reader->objects->jobs, error));
}

void
wl_objects_free (WlObjects *o)
{
  if (o != NULL)
    vc_arena_free (objects_empty (o));
}

/* ---- one by one ------------------------------------------------------------------------------- */

gboolean
k8s_visit_objects (VcArena *arena, const char *text, gsize len, const char *source, const K8sVisitor *visitor, GError **error)
{
  g_autoptr (GError) e = NULL; /* refused() clears what has been said, which needs a place to say it */
  Reader reader = { .visitor = visitor, .json.items = g_array_new (FALSE, FALSE, sizeof (K8sJsonItem)) };

  k8s_reader_begin (&reader.r, arena, NULL, 0, source, &e);
  gboolean ok = read_text (&reader, text, len);

  k8s_reader_end (&reader.r);
  g_array_unref (reader.json.items);
  if (e != NULL)
    g_propagate_error (error, g_steal_pointer (&e));
  return ok;
}

void
k8s_reader_begin (K8sReader *r, VcArena *arena, const char *text, gsize len, const char *source, GError **error)
{
  *r = (K8sReader){ .arena = arena,
                    .source = vc_arena_strdup (arena, source),
                    .text = text,
                    .len = len,
                    .budget = budget_of (len),
                    .scratch = g_array_new (FALSE, FALSE, k8s_entry_size ()),
                    .any_sign = TRUE,
                    .timeless = TRUE,
                    .completes = TRUE,
                    .error = error };
}

void
k8s_reader_end (K8sReader *r)
{
  g_clear_pointer (&r->scratch, g_array_unref);
}

WlKind
k8s_workload_kind (const char *api_version, const char *kind)
{
  const K8sKind *known = k8s_find_kind (api_version, kind);
  WlKind workload = known != NULL ? k8s_kind_of_workload (known) : WL_N_KINDS;

  return workload == WL_KIND_VCJOB && known->use != KIND_JOB ? WL_N_KINDS : workload;
}

gboolean
k8s_read_as_workload (K8sReader *r, const K8sTop *top, const K8sMeta *meta, WlKind kind, GPtrArray *arrays, WlJobObject *out)
{
  return kind == WL_KIND_VCJOB ? k8s_read_job (r, top, meta, arrays, out) : k8s_read_workload (r, top, meta, kind, arrays, out);
}

gboolean
k8s_try_object (K8sReader *r, struct fy_node *node, const K8sTop *top, const K8sMeta *meta, gboolean *known)
{
  const K8sKind *kind = k8s_find_kind (top->api_version, top->kind);

  *known = kind != NULL && (kind->use == KIND_READ || kind->use == KIND_MAKER);
  if (!*known)
    return TRUE;
  Reader reader = { .r = *r, .workload = TRUE, .objects = objects_new (r->arena) };
  gboolean ok = kind->use == KIND_MAKER ? read_maker (&reader, kind->kind, top, meta) : read_known (&reader, node, kind, top, meta);

  r->budget = reader.r.budget;
  (void) objects_empty (reader.objects);
  return ok;
}
