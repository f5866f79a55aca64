/* workloads/import/kubernetes/manifest.c - see manifest.h. */
#include "manifest.h"
#include "workloads/k8s/k8s-schema.h"
#include "workloads/native/append.h"
#include <string.h>

#define DEEPEST 60
#define LONGEST (16u << 20) /* of one object: aliases inside aliases grow without end */

typedef struct {
  K8sReader *r;
  GString *out;
  gsize limit;
} Text;

typedef gboolean PutValue (Text *t, const char *key, struct fy_node *value, guint indent, gpointer user);

/* ---- any value --------------------------------------------------------------------------------------- */

static void
put_indent (Text *t, guint indent)
{
  for (guint i = 0; i < indent; i++)
    g_string_append_c (t->out, ' ');
}

static void
put_mark (Text *t, WlMark mark, guint task, guint indent)
{
  g_string_append_printf (t->out, "%c%c%u %u\n", WL_MANIFEST_MARK, (char) mark, task, indent);
}

/* Is it as good in this place as it was in its own? JSON's numbers and words are; so are words that mean nothing to YAML but themselves. */
static gboolean
is_plain (const char *text, gsize len)
{
  if (len == 0)
    return TRUE; /* null */
  for (gsize i = 0; i < len; i++)
    if (!g_ascii_isalnum (text[i]) && strchr ("-_./+", text[i]) == NULL)
      return FALSE;
  return text[0] != '-' || len > 1;
}

static gboolean
is_tagged_text (struct fy_node *node)
{
  gsize len = 0;
  const char *tag = fy_node_get_tag (node, &len);

  return tag != NULL && (len == 1 || (len >= 3 && strncmp (tag + len - 3, "str", 3) == 0));
}

static void
put_scalar (Text *t, struct fy_node *node)
{
  g_autoptr (GString) text = g_string_new (NULL);

  k8s_scalar (node, text);
  if (fy_node_get_style (node) == FYNS_PLAIN && !is_tagged_text (node) && is_plain (text->str, text->len))
    g_string_append (t->out, text->str);
  else
    wl_append_quoted (t->out, text->str);
}

static void
put_key (Text *t, const char *key, guint indent)
{
  put_indent (t, indent);
  if (is_plain (key, strlen (key)) && *key != '\0' && !g_ascii_isdigit (*key) && strcmp (key, "null") != 0)
    g_string_append (t->out, key);
  else
    wl_append_quoted (t->out, key);
  g_string_append_c (t->out, ':');
}

static gboolean put_map (Text *t, struct fy_node *map, guint indent, PutValue *put, gpointer user);
static gboolean put_any (Text *t, const char *key, struct fy_node *value, guint indent, gpointer user);

/* Behind "key:" or "-", to the end of the line and further. */
static gboolean
put_value (Text *t, struct fy_node *node, guint indent)
{
  struct fy_node *item;
  void *at = NULL;

  if (indent > 2 * DEEPEST || t->out->len > t->limit)
    return k8s_refuse (t->r, node, "too deep or too long, expected an object of at most %u levels and %u MiB", DEEPEST, LONGEST >> 20);
  if (node == NULL || fy_node_is_scalar (node)) {
    g_string_append_c (t->out, ' ');
    if (node != NULL)
      put_scalar (t, node);
    g_string_append_c (t->out, '\n');
    return TRUE;
  }
  if (fy_node_is_mapping (node) ? fy_node_mapping_item_count (node) == 0 : fy_node_sequence_item_count (node) == 0) {
    g_string_append (t->out, fy_node_is_mapping (node) ? " {}\n" : " []\n");
    return TRUE;
  }
  g_string_append_c (t->out, '\n');
  if (fy_node_is_mapping (node))
    return put_map (t, node, indent, put_any, NULL);
  for (int i = 0, n = fy_node_sequence_item_count (node); i < n; i++) {
    item = k8s_next (node, &at);
    put_indent (t, indent);
    g_string_append_c (t->out, '-');
    if (!put_value (t, item, indent + 2))
      return FALSE;
  }
  return TRUE;
}

static gboolean
put_any (Text *t, const char *key, struct fy_node *value, guint indent, gpointer user)
{
  put_key (t, key, indent);
  return put_value (t, value, indent + 2);
}

static gboolean
put_map (Text *t, struct fy_node *map, guint indent, PutValue *put, gpointer user)
{
  g_autoptr (GString) key = g_string_new (NULL);
  struct fy_node *value;
  void *at = NULL;

  while (k8s_next_pair (map, &at, key, &value))
    if (!put (t, key->str, value, indent, user))
      return FALSE;
  return TRUE;
}

/* An item of a list. */
static gboolean
put_item (Text *t, struct fy_node *item, guint indent, PutValue *put, gpointer user)
{
  put_indent (t, indent);
  g_string_append (t->out, "-\n");
  gsize before = t->out->len;

  if (!put_map (t, item, indent + 2, put, user))
    return FALSE;
  if (t->out->len == before) { /* nothing of it is left */
    g_string_truncate (t->out, before - 1);
    g_string_append (t->out, " {}\n");
  }
  return TRUE;
}

/* Each item of a list behind "key:", by @put. */
static gboolean
put_items (Text *t, const char *key, struct fy_node *list, guint indent, PutValue *put, gpointer user)
{
  struct fy_node *item;
  void *at = NULL;

  if (list == NULL || !fy_node_is_sequence (list) || fy_node_sequence_item_count (list) == 0)
    return put_any (t, key, list, indent, NULL);
  put_key (t, key, indent);
  g_string_append_c (t->out, '\n');
  while ((item = k8s_next (list, &at)) != NULL) {
    if (!put_item (t, item, indent, put, user))
      return FALSE;
  }
  return TRUE;
}

/* ---- metadata ---------------------------------------------------------------------------------------- */

/* Annotations that say nothing to a scheduler, or that are said anew. */
static gboolean
is_noise (const char *key)
{
  static const char *const noise[] = { "kubectl.kubernetes.io/last-applied-configuration", "deployment.kubernetes.io/revision", "volsim.io/submit", "volsim.io/age",
                                       "volsim.io/delete", "volsim.io/phase", "volsim.io/node", "scheduling.k8s.io/group-name", NULL };

  return g_strv_contains (noise, key);
}

static void
put_pair (Text *t, const VcPair *pair, guint indent)
{
  put_key (t, pair->key, indent);
  g_string_append_c (t->out, ' ');
  wl_append_quoted (t->out, pair->value != NULL ? pair->value : "");
  g_string_append_c (t->out, '\n');
}

static void
put_labels (Text *t, const VcPairs *labels, guint indent)
{
  if (labels->n > 0) {
    put_indent (t, indent);
    g_string_append (t->out, "labels:\n");
  }
  for (guint i = 0; i < labels->n; i++)
    put_pair (t, &labels->item[i], indent + 2);
}

static void
put_annotations (Text *t, const VcPairs *annotations, WlMark mark, guint task, guint indent)
{
  put_indent (t, indent);
  g_string_append (t->out, "annotations:\n");
  for (guint i = 0; i < annotations->n; i++)
    if (!is_noise (annotations->item[i].key))
      put_pair (t, &annotations->item[i], indent + 2);
  put_mark (t, mark, task, indent + 2);
}

static void
put_head (Text *t, const K8sTop *top, const K8sMeta *meta)
{
  g_string_append (t->out, "apiVersion: ");
  wl_append_quoted (t->out, top->api_version);
  g_string_append (t->out, "\nkind: ");
  wl_append_quoted (t->out, top->kind);
  g_string_append (t->out, "\nmetadata:\n");
  put_mark (t, WL_MARK_NAME, 0, 2);
  if (meta->ns != NULL) {
    g_string_append (t->out, "  namespace: ");
    wl_append_quoted (t->out, meta->ns);
    g_string_append_c (t->out, '\n');
  }
  put_labels (t, &meta->labels, 2);
  put_annotations (t, &meta->annotations, WL_MARK_NOTES, 0, 2);
}

/* ---- pods -------------------------------------------------------------------------------------------- */

typedef struct { WlPodText *pods; WlKind kind; guint task; gboolean grace; } Pods;

static gboolean
is_extended (const char *name)
{
  return strchr (name, '/') != NULL || g_str_has_prefix (name, "hugepages-");
}

/* An amount of a container; @user: GPUs are left out. None is no amount, and what needs a limit gets one. */
static gboolean
put_amount (Text *t, const char *key, struct fy_node *value, guint indent, gpointer user)
{
  const Pods *p = user;

  return value == NULL || (p->pods->cards && strcmp (key, WL_CARD) == 0) || put_any (t, key, value, indent, NULL);
}

static gboolean
put_amounts (Text *t, const char *key, struct fy_node *map, guint indent, Pods *p)
{
  if (map == NULL || !fy_node_is_mapping (map))
    return put_any (t, key, map, indent, NULL);
  put_key (t, key, indent);
  g_string_append_c (t->out, '\n');
  return put_map (t, map, indent + 2, put_amount, p);
}

/* Extended resources that are asked for without a limit, as no API server allows, have the request as their limit. */
static gboolean
put_limits (Text *t, struct fy_node *resources, guint indent, Pods *p)
{
  struct fy_node *limits = k8s_get (resources, "limits"), *value;
  g_autoptr (GString) key = g_string_new (NULL);
  gboolean any = limits != NULL && fy_node_is_mapping (limits) && fy_node_mapping_item_count (limits) > 0;
  void *at = NULL;

  if (any && !put_amounts (t, "limits", limits, indent, p))
    return FALSE;
  while (k8s_next_pair (k8s_get (resources, "requests"), &at, key, &value)) {
    if (!is_extended (key->str) || k8s_get (limits, key->str) != NULL)
      continue;
    if (!any) {
      put_key (t, "limits", indent);
      g_string_append_c (t->out, '\n');
    }
    any = TRUE;
    if (!put_amount (t, key->str, value, indent + 2, p))
      return FALSE;
  }
  return TRUE;
}

static gboolean
put_resources_field (Text *t, const char *key, struct fy_node *value, guint indent, gpointer user)
{
  if (strcmp (key, "requests") == 0)
    return put_amounts (t, key, value, indent, user);
  return strcmp (key, "limits") == 0 || put_any (t, key, value, indent, NULL);
}

static gboolean
put_container_field (Text *t, const char *key, struct fy_node *value, guint indent, gpointer user)
{
  static const char *const kept[] = { "name", "image", "ports", "restartPolicy", NULL };

  if (strcmp (key, "resources") == 0 && value != NULL && fy_node_is_mapping (value) && fy_node_mapping_item_count (value) > 0) {
    put_key (t, key, indent);
    g_string_append_c (t->out, '\n');
    return put_map (t, value, indent + 2, put_resources_field, user) && put_limits (t, value, indent + 2, user);
  }
  return !g_strv_contains (kept, key) || put_any (t, key, value, indent, NULL);
}

/* Volumes with claims; all others are the node's or the API server's own affair. */
static gboolean
put_volumes (Text *t, struct fy_node *list, guint indent, Pods *p)
{
  struct fy_node *item;
  gboolean any = FALSE;
  void *at = NULL;

  while ((item = k8s_next (list, &at)) != NULL) {
    if (k8s_get (item, "persistentVolumeClaim") == NULL && k8s_get (item, "ephemeral") == NULL)
      continue;
    if (!p->pods->volumes) {
      p->pods->left_volumes++;
      continue;
    }
    if (!any) {
      put_key (t, "volumes", indent);
      g_string_append_c (t->out, '\n');
    }
    any = TRUE;
    if (!put_item (t, item, indent, put_any, NULL))
      return FALSE;
  }
  return TRUE;
}

static gboolean
put_pod_field (Text *t, const char *key, struct fy_node *value, guint indent, gpointer user)
{
  static const char *const kept[] = { "restartPolicy",  "nodeSelector", "affinity",          "tolerations", "topologySpreadConstraints", "overhead", "priorityClassName",
                                      "preemptionPolicy", "schedulingGates", "resources", "activeDeadlineSeconds", NULL };
  Pods *p = user;

  if (strcmp (key, "containers") == 0 || strcmp (key, "initContainers") == 0) {
    if (!put_items (t, key, value, indent, put_container_field, p))
      return FALSE;
    if (p->pods->cards && strcmp (key, "containers") == 0)
      put_mark (t, WL_MARK_CARDS, p->task, indent);
    return TRUE;
  }
  if (strcmp (key, "volumes") == 0)
    return put_volumes (t, value, indent, p);
  if (strcmp (key, "resourceClaims") == 0) {
    if (p->pods->claims)
      return put_any (t, key, value, indent, NULL);
    p->pods->left_claims++;
    return TRUE;
  }
  if (strcmp (key, "schedulerName") == 0)
    return !p->pods->scheduler || put_any (t, key, value, indent, NULL);
  if (strcmp (key, "terminationGracePeriodSeconds") == 0)
    return p->kind == WL_KIND_POD || put_any (t, key, value, indent, NULL);
  if (strcmp (key, "priorityClassName") == 0 && p->kind == WL_KIND_POD)
    return TRUE; /* at the mark */
  return !g_strv_contains (kept, key) || put_any (t, key, value, indent, NULL);
}

static gboolean
put_template_part (Text *t, const char *key, struct fy_node *value, guint indent, gpointer user)
{
  if (strcmp (key, "spec") != 0)
    return TRUE;
  put_key (t, key, indent);
  g_string_append_c (t->out, '\n');
  return put_map (t, value, indent + 2, put_pod_field, user);
}

static gboolean
put_template (Text *t, struct fy_node *template, guint indent, Pods *p)
{
  K8sMeta meta = { 0 };

  if (!k8s_field (t->r, "template.metadata", k8s_get (template, "metadata"), k8s_meta, &meta))
    return FALSE;
  put_key (t, "template", indent);
  g_string_append_c (t->out, '\n');
  put_key (t, "metadata", indent + 2);
  g_string_append_c (t->out, '\n');
  put_labels (t, &meta.labels, indent + 4);
  put_annotations (t, &meta.annotations, WL_MARK_TASK, p->task, indent + 4);
  return put_map (t, template, indent + 2, put_template_part, p);
}

/* ---- workloads --------------------------------------------------------------------------------------- */

static gboolean
put_task_field (Text *t, const char *key, struct fy_node *value, guint indent, gpointer user)
{
  return strcmp (key, "template") == 0 ? put_template (t, value, indent, user) : put_any (t, key, value, indent, NULL);
}

static gboolean
put_tasks (Text *t, struct fy_node *list, guint indent, Pods *p)
{
  struct fy_node *item;
  void *at = NULL;

  put_key (t, "tasks", indent);
  g_string_append (t->out, list != NULL && fy_node_is_sequence (list) && fy_node_sequence_item_count (list) > 0 ? "\n" : " []\n");
  for (p->task = 0; (item = k8s_next (list, &at)) != NULL; p->task++) {
    if (!put_item (t, item, indent, put_task_field, p))
      return FALSE;
  }
  return TRUE;
}

static gboolean
put_workload_field (Text *t, const char *key, struct fy_node *value, guint indent, gpointer user)
{
  static const char *const unused[] = { "selector", "strategy", "updateStrategy", "schedulerName", "revisionHistoryLimit", "progressDeadlineSeconds", "serviceName",
                                        "runningEstimate", NULL };
  Pods *p = user;

  if (strcmp (key, "tasks") == 0 && p->kind == WL_KIND_VCJOB)
    return put_tasks (t, value, indent, p);
  if (strcmp (key, "template") == 0)
    return put_template (t, value, indent, p);
  if (strcmp (key, "volumes") == 0 && p->kind == WL_KIND_VCJOB && !p->pods->volumes) {
    p->pods->left_volumes += value != NULL && fy_node_is_sequence (value) ? (guint) fy_node_sequence_item_count (value) : 0;
    return TRUE;
  }
  if (strcmp (key, "schedulerName") == 0 && p->pods->scheduler)
    return put_any (t, key, value, indent, NULL);
  return (g_strv_contains (unused, key) && p->kind != WL_KIND_POD_GROUP) || put_any (t, key, value, indent, NULL);
}

gboolean
wl_manifest_workload (K8sReader *r, const K8sTop *top, const K8sMeta *meta, WlKind kind, WlPodText *pods, GString *out)
{
  Text t = { r, out, out->len + LONGEST };
  Pods p = { .pods = pods, .kind = kind };

  put_head (&t, top, meta);
  g_string_append (out, "spec:\n");
  if (kind != WL_KIND_POD)
    return put_map (&t, top->spec, 2, put_workload_field, &p);
  put_mark (&t, WL_MARK_NODE, 0, 2);
  put_mark (&t, WL_MARK_GRACE, 0, 2);
  put_mark (&t, WL_MARK_PRIORITY, 0, 2);
  return put_map (&t, top->spec, 2, put_pod_field, &p);
}

/* ---- other objects ----------------------------------------------------------------------------------- */

typedef struct { gboolean status, cron; } Other;

static gboolean
put_but_metadata (Text *t, const char *key, struct fy_node *value, guint indent, gpointer user)
{
  return strcmp (key, "metadata") == 0 || put_any (t, key, value, indent, NULL);
}

/* A CronJob says of its jobs' pods in the metadata of its template. */
static gboolean
put_cron_field (Text *t, const char *key, struct fy_node *value, guint indent, gpointer user)
{
  K8sMeta meta = { 0 };

  if (strcmp (key, "jobTemplate") != 0)
    return put_any (t, key, value, indent, NULL);
  if (!k8s_field (t->r, "spec.jobTemplate.metadata", k8s_get (value, "metadata"), k8s_meta, &meta))
    return FALSE;
  put_key (t, key, indent);
  g_string_append_c (t->out, '\n');
  put_key (t, "metadata", indent + 2);
  g_string_append_c (t->out, '\n');
  put_labels (t, &meta.labels, indent + 4);
  put_annotations (t, &meta.annotations, WL_MARK_TASK, 0, indent + 4);
  return put_map (t, value, indent + 2, put_but_metadata, NULL);
}

static gboolean
put_top_field (Text *t, const char *key, struct fy_node *value, guint indent, gpointer user)
{
  static const char *const head[] = { "apiVersion", "kind", "metadata", NULL };
  const Other *other = user;

  if (g_strv_contains (head, key) || (strcmp (key, "status") == 0 && !other->status))
    return TRUE;
  if (other->cron && strcmp (key, "spec") == 0) {
    put_key (t, key, indent);
    g_string_append_c (t->out, '\n');
    return put_map (t, value, indent + 2, put_cron_field, NULL);
  }
  return put_any (t, key, value, indent, NULL);
}

gboolean
wl_manifest_object (K8sReader *r, struct fy_node *node, const K8sTop *top, const K8sMeta *meta, gboolean status, GString *out)
{
  Text t = { r, out, out->len + LONGEST };

  Other other = { status, strcmp (top->kind, "CronJob") == 0 };

  put_head (&t, top, meta);
  return put_map (&t, node, 0, put_top_field, &other);
}

/* ---- marks ------------------------------------------------------------------------------------------- */

void
wl_manifest_fill (GString *out, const char *text, WlManifestFill *fill, gpointer user)
{
  const char *mark;

  g_string_append (out, "---\n");
  while ((mark = strchr (text, WL_MANIFEST_MARK)) != NULL) {
    char *end;

    g_string_append_len (out, text, (gssize) (mark - text));
    guint task = (guint) strtoul (mark + 2, &end, 10);
    guint indent = (guint) strtoul (end, &end, 10);
    g_autofree char *blanks = g_strnfill (indent, ' ');

    fill (out, (WlMark) mark[1], task, blanks, user);
    text = end + 1;
  }
  g_string_append (out, text);
}
