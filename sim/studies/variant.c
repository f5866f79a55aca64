#include "variant.h"
#include "sim/cycle/cycle.h"
#include <string.h>

/* "priority_classes.high" = "10" is the entry high=10 of the map priority_classes. */
static gboolean
set (SimScenario *s, const SimVariant *v, const char *key, const char *value, GError **error)
{
  const char *dot = strchr (key, '.');

  g_autofree char *map = dot != NULL ? g_strndup (key, (gsize) (dot - key)) : g_strdup (key);
  g_autofree char *entry = dot != NULL ? g_strconcat (dot + 1, "=", value, NULL) : g_strdup (value);

  if (!sim_scenario_set (s, map, entry, v->base, error))
    return FALSE;
  sim_scenario_note (s, map, entry);
  return TRUE;
}

static void
add (GPtrArray *key, GPtrArray *value, const char *k, char *v)
{
  g_ptr_array_add (key, g_strdup (k));
  g_ptr_array_add (value, v);
}

void
sim_variant_shake (GPtrArray *key, GPtrArray *value, guint repeat, const char *shake)
{
  if (repeat == 0)
    return;
  add (key, value, "shake", g_strdup (shake != NULL ? shake : SIM_VARIANT_SHAKE));
  add (key, value, "seed", g_strdup_printf ("%u", repeat));
  add (key, value, "ties", g_strdup_printf ("random:%u", repeat));
}

RpResults *
sim_variant_run (const SimVariant *v, GError **error)
{
  g_auto (SimScenario) s = { 0 };

  sim_scenario_init (&s);
  if (v->file != NULL && !sim_scenario_read (&s, v->file, error))
    return NULL;
  if (v->preset != NULL && !set (&s, v, "policy_preset", v->preset, error))
    return NULL;
  for (guint i = 0; v->key != NULL && v->key[i] != NULL; i++)
    if (!set (&s, v, v->key[i], v->value[i], error))
      return NULL;
  g_free (s.out);
  s.out = g_strdup (v->out);
  s.charts = FALSE;
  SimRunInput in = { .scenario = &s,
                     .file = v->file,
                     .cache = v->cache,
                     .engine = v->engine,
                     .keep = v->out != NULL,
                     .explain = v->explain,
                     .explain_at = v->explain_at,
                     .explained = v->explained,
                     .saved = v->saved,
                     .interrupted = v->interrupted };

  return sim_run (&in, error);
}
