/* sim/load/scheduler-spec.c - see scheduler-spec.h. */
#include "scheduler-spec.h"
#include "core/cache/cache.h"
#include "core/conf/conf.h"
#include "sim/cycle/cycle.h"
#include "workloads/text/parse.h"
#include <string.h>

#define MOST 64 /* schedulers of a run */

typedef struct {
  const char *source, *base;
  GError **error;
} Reader;

void
sim_scheduler_spec_free (gpointer spec)
{
  SimSchedulerSpec *s = spec;

  g_free (s->name);
  g_free (s->conf);
  g_free (s->shard);
  g_free (s);
}

static gboolean fail (const Reader *r, const VcYamlNode *at, const char *format, ...) G_GNUC_PRINTF (3, 4);

static gboolean
fail (const Reader *r, const VcYamlNode *at, const char *format, ...)
{
  va_list ap;

  va_start (ap, format);
  g_autofree char *what = g_strdup_vprintf (format, ap);

  va_end (ap);
  g_set_error (r->error, SIM_ERROR, SIM_ERROR_INPUT, "%s:%u:%u: %s", r->source, at->line, at->col, what);
  return FALSE;
}

static gboolean
read_time (const Reader *r, const char *key, const VcYamlNode *value, gboolean zero, SimTime *to)
{
  WlTime t;

  if (!wl_parse_time (value->text, FALSE, &t, NULL) || t < 0 || (t == 0 && !zero))
    return fail (r, value, "'%s' of a scheduler, expected %s, found '%s'", key, zero ? "a time such as 0 or 500ms" : "a time above 0 such as 1 or 500ms", value->text);
  *to = t;
  return TRUE;
}

static gboolean
read_sharding (const Reader *r, const VcYamlNode *value, SimSchedulerSpec *s)
{
  static const char *const modes[] = { [VC_SHARDING_NONE] = "none", [VC_SHARDING_SOFT] = "soft", [VC_SHARDING_HARD] = "hard" };

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    if (strcmp (value->text, modes[i]) == 0) {
      s->sharding = (guint8) i;
      return TRUE;
    }
  return fail (r, value, "'sharding' of a scheduler, expected none, soft or hard, found '%s'", value->text);
}

static gboolean
read_entry (const Reader *r, const VcYamlNode *key, const VcYamlNode *value, SimSchedulerSpec *s)
{
  static const char *const known[] = { "name", "conf", "policy_preset", "period", "offset", "shard", "sharding" };

  if (key->kind != VC_YAML_SCALAR || value->kind != VC_YAML_SCALAR || *value->text == '\0')
    return fail (r, key, "an entry of a scheduler, expected a key and a single value, found something else");
  if (strcmp (key->text, "name") == 0) {
    s->name = g_strdup (value->text);
  } else if (strcmp (key->text, "conf") == 0) {
    gboolean plain = r->base == NULL || strcmp (r->base, ".") == 0 || g_path_is_absolute (value->text);

    s->conf = plain ? g_strdup (value->text) : g_build_filename (r->base, value->text, NULL);
  } else if (strcmp (key->text, "policy_preset") == 0) {
    g_autoptr (GError) e = NULL;

    s->preset = vc_preset_find (value->text, &e);
    return s->preset != NULL || fail (r, value, "'policy_preset' of a scheduler: %s", e->message);
  } else if (strcmp (key->text, "period") == 0) {
    return read_time (r, key->text, value, FALSE, &s->period);
  } else if (strcmp (key->text, "offset") == 0) {
    return read_time (r, key->text, value, TRUE, &s->offset);
  } else if (strcmp (key->text, "shard") == 0) {
    s->shard = g_strdup (value->text);
  } else if (strcmp (key->text, "sharding") == 0) {
    return read_sharding (r, value, s);
  } else {
    const char *nearest = vc_nearest_name (key->text, known, G_N_ELEMENTS (known));

    return fail (r, key, "unknown key '%s' of a scheduler, expected name, conf, policy_preset, period, offset, shard or sharding%s%s%s", key->text,
                 nearest != NULL ? "; did you mean '" : "", nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
  }
  return TRUE;
}

static gboolean
read_scheduler (const Reader *r, const VcYamlNode *map, GPtrArray *out)
{
  if (map->kind != VC_YAML_MAP)
    return fail (r, map, "a scheduler, expected a map with its name, found something else");
  SimSchedulerSpec *s = g_new0 (SimSchedulerSpec, 1);

  s->period = SIM_NO_TIME;
  g_ptr_array_add (out, s);
  for (guint i = 0; i + 1 < map->child->len; i += 2) {
    const VcYamlNode *key = map->child->pdata[i];

    for (guint k = 0; k < i; k += 2)
      if (key->kind == VC_YAML_SCALAR && g_strcmp0 (((const VcYamlNode *) map->child->pdata[k])->text, key->text) == 0)
        return fail (r, key, "'%s' of a scheduler is given twice", key->text);
    if (!read_entry (r, key, map->child->pdata[i + 1], s))
      return FALSE;
  }
  if (s->conf != NULL && s->preset != NULL)
    return fail (r, map, "'conf' and 'policy_preset' of a scheduler, expected one of them, found both");
  if (s->name == NULL)
    return fail (r, map, "a scheduler, expected its 'name', found none");
  if (strlen (s->name) > WL_NAME_MAX)
    return fail (r, map, "'name' of a scheduler, expected at most %d characters, found %u", WL_NAME_MAX, (guint) strlen (s->name));
  for (guint i = 0; i + 1 < out->len; i++)
    if (strcmp (((const SimSchedulerSpec *) out->pdata[i])->name, s->name) == 0)
      return fail (r, map, "scheduler '%s' stands there twice", s->name);
  s->names[0] = s->name;
  if (s->shard == NULL)
    s->shard = g_strdup ("volcano"); /* the flag's default */
  return TRUE;
}

gboolean
sim_scheduler_specs_read (const char *source, const char *base, const VcYamlNode *list, GPtrArray *out, GError **error)
{
  const Reader r = { source, base, error };

  if (list->kind != VC_YAML_LIST || list->child->len == 0)
    return fail (&r, list, "'schedulers', expected a list of schedulers, found something else");
  if (list->child->len > MOST)
    return fail (&r, list, "'schedulers', expected at most %d of them, found %u", MOST, list->child->len);
  for (guint i = 0; i < list->child->len; i++)
    if (!read_scheduler (&r, list->child->pdata[i], out))
      return FALSE;
  return TRUE;
}
