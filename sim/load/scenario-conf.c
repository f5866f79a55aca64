/* sim/load/scenario-conf.c - what a scheduler is configured with: a file or a policy preset.
 *
 * Whichever was given last counts, as options override the file of a scenario; both in one place are refused there. */
#include "scenario.h"
#include "sim/cycle/cycle.h"
#include <string.h>

gboolean
sim_scenario_set_preset (SimScenario *s, const char *name, GError **error)
{
  const VcPreset *preset = vc_preset_find (name, error);

  if (preset == NULL) {
    g_prefix_error (error, "'policy_preset', ");
    return FALSE;
  }
  s->preset = preset;
  g_clear_pointer (&s->conf, g_free);
  return TRUE;
}

gboolean
sim_scenario_check_conf (gboolean conf, gboolean preset, const char *what_conf, const char *what_preset, GError **error)
{
  if (!conf || !preset)
    return TRUE;
  g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "%s and %s, expected one of them, found both", what_conf, what_preset);
  return FALSE;
}

static void
add_beyond (GString *out, const char *name)
{
  g_autofree char *quoted = g_strconcat (", ", out->str, ",", NULL), *wanted = g_strconcat (", ", name, ",", NULL);

  if (g_str_has_prefix (name, "x-") && strstr (quoted, wanted) == NULL)
    g_string_append_printf (out, "%s%s", out->len > 0 ? ", " : "", name);
}

char *
sim_confs_beyond (const GPtrArray *confs)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < confs->len; i++) {
    const VcConf *c = confs->pdata[i];

    for (char **a = c->actions; *a != NULL; a++)
      add_beyond (out, *a);
    for (guint t = 0; t < c->n_tiers; t++)
      for (guint k = 0; k < c->tier[t].n; k++)
        add_beyond (out, c->tier[t].plugin[k].name);
  }
  return g_string_free (out, FALSE);
}
