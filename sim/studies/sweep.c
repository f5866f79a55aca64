#include "sweep.h"
#include "core/conf/conf-yaml.h"
#include "core/conf/conf.h"
#include "sim/cycle/cycle.h"
#include "sim/load/scenario.h"
#include "workloads/native/native.h"
#include <string.h>

#define RUNS_MAX 1000000u

static void
axis_free (gpointer data)
{
  SimAxis *a = data;

  g_free (a->key);
  g_ptr_array_unref (a->values);
  g_free (a);
}

void
sim_grid_free (SimGrid *g)
{
  if (g == NULL)
    return;
  g_free (g->source);
  g_free (g->base);
  g_free (g->scenario);
  g_free (g->out);
  g_ptr_array_unref (g->axes);
  g_free (g);
}

/* ---- reading ------------------------------------------------------------------------------------ */

static gboolean fail (const SimGrid *g, const VcYamlNode *at, GError **error, const char *format, ...) G_GNUC_PRINTF (4, 5);

static gboolean
fail (const SimGrid *g, const VcYamlNode *at, GError **error, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "%s:%u:%u: %s", g->source, at->line, at->col, what);
  return FALSE;
}

/* Would a scenario take this value? The same words as for the file of a scenario. */
static gboolean
check_value (const SimGrid *g, const char *key, const VcYamlNode *value, GError **error)
{
  g_auto (SimScenario) s = { 0 };
  g_autoptr (GError) e = NULL;
  const char *dot = strchr (key, '.');
  g_autofree char *map = dot != NULL ? g_strndup (key, (gsize) (dot - key)) : NULL;
  g_autofree char *entry = dot != NULL ? g_strconcat (dot + 1, "=", value->text, NULL) : NULL;

  sim_scenario_init (&s);
  if (!sim_scenario_set (&s, map != NULL ? map : key, entry != NULL ? entry : value->text, g->base, &e))
    return fail (g, value, error, "%s", e->message);
  return TRUE;
}

static gboolean
read_axis (SimGrid *g, const VcYamlNode *key, const VcYamlNode *list, GError **error)
{
  const char *names[256];
  guint n = 0;
  gboolean known = FALSE;

  if (key->kind != VC_YAML_SCALAR)
    return fail (g, key, error, "an axis, expected a key of a scenario, found something else");
  gsize len = strcspn (key->text, ".");

  for (; sim_scenario_keys[n].key != NULL && n < G_N_ELEMENTS (names); n++) {
    names[n] = sim_scenario_keys[n].key;
    known |= strlen (names[n]) == len && strncmp (names[n], key->text, len) == 0 &&
             sim_scenario_key_repeats (&sim_scenario_keys[n]) == (key->text[len] == '.');
  }
  if (strcmp (key->text, "out") == 0)
    return fail (g, key, error, "axis 'out', expected another key of a scenario: each run has a folder of its own below that of the sweep");
  if (!known) {
    const char *nearest = vc_nearest_name (key->text, names, n);

    return fail (g, key, error, "axis '%s', expected a key of a scenario%s%s%s", key->text, nearest != NULL ? "; did you mean '" : "",
                 nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
  }
  if (list->kind != VC_YAML_LIST || list->child->len == 0)
    return fail (g, list, error, "axis '%s', expected a list of values, found %s", key->text, list->kind == VC_YAML_LIST ? "an empty one" : "something else");
  SimAxis *axis = g_new0 (SimAxis, 1);

  axis->key = g_strdup (key->text);
  axis->values = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (g->axes, axis);
  for (guint i = 0; i < list->child->len; i++) {
    const VcYamlNode *value = list->child->pdata[i];

    if (value->kind != VC_YAML_SCALAR)
      return fail (g, value, error, "a value of axis '%s', expected a single value, found a list or map", key->text);
    if (!check_value (g, key->text, value, error))
      return FALSE;
    g_ptr_array_add (axis->values, g_strdup (value->text));
  }
  if ((guint64) g->n * axis->values->len > RUNS_MAX)
    return fail (g, list, error, "axis '%s', expected at most %u runs in all, found more", key->text, RUNS_MAX);
  g->n *= axis->values->len;
  return TRUE;
}

static gboolean
read_axes (SimGrid *g, const VcYamlNode *map, GError **error)
{
  if (map->kind != VC_YAML_MAP || map->child->len == 0)
    return fail (g, map, error, "'axes', expected a map from keys to lists of values, found something else");
  for (guint i = 0; i + 1 < map->child->len; i += 2) {
    const VcYamlNode *key = map->child->pdata[i];

    for (guint k = 0; k < g->axes->len; k++)
      if (key->kind == VC_YAML_SCALAR && strcmp (((const SimAxis *) g->axes->pdata[k])->key, key->text) == 0)
        return fail (g, key, error, "axis '%s' is given twice", key->text);
    if (!read_axis (g, key, map->child->pdata[i + 1], error))
      return FALSE;
  }
  for (guint k = 0, conf = FALSE, preset = FALSE; k < g->axes->len; k++) {
    conf |= strcmp (((const SimAxis *) g->axes->pdata[k])->key, "conf") == 0;
    preset |= strcmp (((const SimAxis *) g->axes->pdata[k])->key, "policy_preset") == 0;
    if (conf && preset)
      return fail (g, map, error, "axes 'conf' and 'policy_preset', expected one of them, found both");
  }
  return TRUE;
}

static gboolean
read_path (const SimGrid *g, const VcYamlNode *key, const VcYamlNode *value, char **out, GError **error)
{
  if (value->kind != VC_YAML_SCALAR || *value->text == '\0')
    return fail (g, value, error, "'%s', expected a path, found something else", key->text);
  if (*out != NULL)
    return fail (g, key, error, "'%s' is given twice", key->text);
  *out = g_path_is_absolute (value->text) || g->base == NULL ? g_strdup (value->text) : g_build_filename (g->base, value->text, NULL);
  return TRUE;
}

static gboolean
read_root (SimGrid *g, const VcYamlNode *root, GError **error)
{
  static const char *const keys[] = { "scenario", "out", "axes" };

  if (root->kind != VC_YAML_MAP)
    return fail (g, root, error, "a grid, expected a map with the key axes, found something else");
  for (guint i = 0; i + 1 < root->child->len; i += 2) {
    const VcYamlNode *key = root->child->pdata[i], *value = root->child->pdata[i + 1];
    gboolean good;

    if (key->kind != VC_YAML_SCALAR)
      return fail (g, key, error, "a key, expected scenario, out or axes, found something else");
    if (strcmp (key->text, "scenario") == 0)
      good = read_path (g, key, value, &g->scenario, error);
    else if (strcmp (key->text, "out") == 0)
      good = read_path (g, key, value, &g->out, error);
    else if (strcmp (key->text, "axes") == 0)
      good = g->axes->len == 0 ? read_axes (g, value, error) : fail (g, key, error, "'axes' is given twice");
    else {
      const char *nearest = vc_nearest_name (key->text, keys, G_N_ELEMENTS (keys));

      good = fail (g, key, error, "unknown key '%s', expected scenario, out or axes%s%s%s", key->text, nearest != NULL ? "; did you mean '" : "",
                   nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
    }
    if (!good)
      return FALSE;
  }
  return g->axes->len > 0 || fail (g, root, error, "a grid, expected the key axes, found none");
}

SimGrid *
sim_grid_read (const char *path, GError **error)
{
  gsize len = 0;
  g_autofree char *text = wl_read_file (path, VC_YAML_MAX_BYTES, &len, error), *base = g_path_get_dirname (path);
  g_autoptr (SimGrid) g = g_new0 (SimGrid, 1);
  g_auto (VcYamlDoc) doc = { 0 };
  g_auto (VcYamlFault) fault = { 0 };

  g->axes = g_ptr_array_new_with_free_func (axis_free);
  g->source = g_strdup (path);
  g->base = strcmp (base, ".") != 0 ? g_strdup (base) : NULL;
  g->n = 1;
  if (text == NULL)
    return NULL;
  if (!vc_yaml_read (text, len, &doc, &fault)) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "%s:%u:%u: %s", path, fault.line, fault.col, fault.what);
    return NULL;
  }
  if (doc.root == NULL) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "%s:1:1: a grid, expected a map with the key axes, found nothing", path);
    return NULL;
  }
  return read_root (g, doc.root, error) ? g_steal_pointer (&g) : NULL;
}

/* ---- runs --------------------------------------------------------------------------------------- */

const char *
sim_grid_value (const SimGrid *g, guint index, guint axis)
{
  for (guint k = g->axes->len; k-- > axis + 1;)
    index /= ((const SimAxis *) g->axes->pdata[k])->values->len;
  const SimAxis *a = g->axes->pdata[axis];

  return a->values->pdata[index % a->values->len];
}

char *
sim_grid_describe (const SimGrid *g, guint index)
{
  GString *out = g_string_new (NULL);

  if (g->scenario != NULL)
    g_string_append_printf (out, "scenario=%s\n", g->scenario);
  for (guint k = 0; k < g->axes->len; k++)
    g_string_append_printf (out, "%s=%s\n", ((const SimAxis *) g->axes->pdata[k])->key, sim_grid_value (g, index, k));
  return g_string_free (out, FALSE);
}
