/* What scenario.yaml says beside its tables, as manifests: classes of priority, and the configuration of the scheduler in its ConfigMap. */
#include "transform.h"
#include "core/conf/preset.h"
#include "workloads/import/json.h"
#include "workloads/native/append.h"
#include "workloads/text/parse.h"
#include "workloads/text/source.h"
#include <string.h>

static gboolean
add_classes (WlJson map, const char *path, GString *out, GError **error)
{
  const char *name;
  WlJson value;
  void *at = NULL;

  while ((value = wl_json_next_pair (map, &at, &name)) != NULL) {
    const char *text = wl_json_text (value);
    gint64 v;

    if (name == NULL || text == NULL || !wl_parse_int (text, G_MININT32, G_MAXINT32, &v, error)) {
      if (*error == NULL)
        g_set_error_literal (error, WL_ERROR, WL_ERROR_VALUE, "expected a name and a number, found something else");
      g_prefix_error (error, "%s:%" G_GUINT64_FORMAT ":1: priority_classes: ", path, wl_json_line (value));
      return FALSE;
    }
    g_string_append (out, "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata:\n  name: ");
    wl_append_quoted (out, name);
    g_string_append_printf (out, "\nvalue: %" G_GINT64_FORMAT "\n", v);
  }
  return TRUE;
}

static void
append_conf (const char *text, GString *out)
{
  g_string_append (out, "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: volcano-scheduler-configmap\n  namespace: volcano-system\ndata:\n  volcano-scheduler.conf: ");
  wl_append_quoted (out, text);
  g_string_append_c (out, '\n');
}

static gboolean
add_conf (const char *folder, const char *name, GString *out, GError **error)
{
  g_autofree char *path = g_path_is_absolute (name) ? g_strdup (name) : g_build_filename (folder, name, NULL), *text = wl_read_file (path, 0, NULL, error);

  if (text == NULL)
    return FALSE;
  append_conf (text, out);
  return TRUE;
}

static gboolean
add_preset (const char *name, const char *path, GString *out, GError **error)
{
  const VcPreset *preset = vc_preset_find (name, error);

  if (preset == NULL) {
    g_prefix_error (error, "%s: 'policy_preset', ", path);
    return FALSE;
  }
  append_conf (preset->text, out);
  return TRUE;
}

GString *
wl_export_settings (const char *folder, GPtrArray *notes, GError **error)
{
  static const char *const tables[] = { "nodes", "jobs", "queues", "faults", "objects", "out", "start", NULL };
  g_autofree char *path = g_build_filename (folder, "scenario.yaml", NULL);
  gsize len = 0;
  g_autofree char *text = wl_read_file (path, 0, &len, error);
  g_autoptr (WlJsonDoc) doc = text != NULL ? wl_json_read (path, text, len, error) : NULL;
  g_autoptr (GString) out = g_string_new (NULL), others = g_string_new (NULL);
  g_autoptr (GError) e = NULL;
  const char *key;
  WlJson value;
  void *at = NULL;

  if (doc == NULL)
    return NULL;
  while ((value = wl_json_next_pair (wl_json_root (doc), &at, &key)) != NULL) {
    gboolean good = TRUE;

    if (g_strcmp0 (key, "priority_classes") == 0)
      good = add_classes (value, path, out, &e);
    else if (g_strcmp0 (key, "conf") == 0 && wl_json_text (value) != NULL)
      good = add_conf (folder, wl_json_text (value), out, &e);
    else if (g_strcmp0 (key, "policy_preset") == 0 && wl_json_text (value) != NULL)
      good = add_preset (wl_json_text (value), path, out, &e);
    else if (key != NULL && !g_strv_contains (tables, key))
      g_string_append_printf (others, "%s%s", others->len > 0 ? ", " : "", key);
    if (!good) {
      g_propagate_error (error, g_steal_pointer (&e));
      return NULL;
    }
  }
  if (others->len > 0)
    g_ptr_array_add (notes, g_strdup_printf ("settings of the scenario, which no object says, are left out: %s", others->str));
  return g_steal_pointer (&out);
}
