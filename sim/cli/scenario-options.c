/* sim/cli/scenario-options.c - the command line of every subcommand that runs scenarios. */
#include "scenario-options.h"
#include "sim/cycle/cycle.h"
#include <string.h>

/* Room for what the command line gives: one place for each key of a scenario, then the log level. */
struct SimScenarioOptions {
  guint n;
  char **text;
  char ***list; /* of a key that repeats */
  gboolean *on;
  GOptionEntry *entry;
  GPtrArray *names; /* made for the entries */
};

void
sim_scenario_options_free (SimScenarioOptions *o)
{
  if (o == NULL)
    return;
  for (guint i = 0; i <= o->n; i++) {
    g_free (o->text[i]);
    g_strfreev (o->list[i]);
  }
  g_free (o->text);
  g_free (o->list);
  g_free (o->on);
  g_free (o->entry);
  g_ptr_array_unref (o->names);
  g_free (o);
}

static inline gboolean
is_on_by_default (const SimScenarioKey *k)
{
  return k->argument == NULL && strcmp (k->fallback, "true") == 0;
}

/* One option for each key: --key VALUE, --switch, or --no-switch where the switch is on by default. */
SimScenarioOptions *
sim_scenario_options_new (void)
{
  SimScenarioOptions *o = g_new0 (SimScenarioOptions, 1);

  while (sim_scenario_keys[o->n].key != NULL)
    o->n++;
  o->text = g_new0 (char *, o->n + 1);
  o->list = g_new0 (char **, o->n + 1);
  o->on = g_new0 (gboolean, o->n + 1);
  o->entry = g_new0 (GOptionEntry, o->n + 2);
  o->names = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < o->n; i++) {
    const SimScenarioKey *k = &sim_scenario_keys[i];
    char *name = g_strdelimit (g_strconcat (is_on_by_default (k) ? "no-" : "", k->key, NULL), "_", '-');
    char *summary = is_on_by_default (k)  ? g_strdup_printf ("do not %s", k->summary)
                    : k->argument == NULL || k->fallback == NULL ? g_strdup (k->summary)
                                                                 : g_strdup_printf ("%s (default: %s)", k->summary, k->fallback);

    gboolean many = sim_scenario_key_repeats (k);

    g_ptr_array_add (o->names, name);
    g_ptr_array_add (o->names, summary);
    o->entry[i] = (GOptionEntry){ .long_name = name,
                                  .short_name = strcmp (k->key, "out") == 0 ? 'o' : 0,
                                  .arg = k->argument == NULL ? G_OPTION_ARG_NONE : many ? G_OPTION_ARG_STRING_ARRAY : G_OPTION_ARG_STRING,
                                  .arg_data = k->argument == NULL ? (gpointer) &o->on[i] : many ? (gpointer) &o->list[i] : (gpointer) &o->text[i],
                                  .description = summary,
                                  .arg_description = k->argument };
  }
  o->entry[o->n] = (GOptionEntry){ .long_name = "v",
                                   .arg = G_OPTION_ARG_STRING,
                                   .arg_data = &o->text[o->n],
                                   .description = "log the engine to standard error: 3 decisions, 4 candidates, 5 scores",
                                   .arg_description = "N" };
  return o;
}

void
sim_scenario_options_add (SimScenarioOptions *o, GOptionContext *context)
{
  g_option_context_add_main_entries (context, o->entry, NULL);
}

const GOptionEntry *
sim_scenario_options_entries (const SimScenarioOptions *o)
{
  return o->entry;
}

static gboolean
is_given (const SimScenarioOptions *o, const char *key)
{
  for (guint i = 0; i < o->n; i++)
    if (strcmp (sim_scenario_keys[i].key, key) == 0)
      return o->text[i] != NULL;
  return FALSE;
}

gboolean
sim_scenario_options_apply (const SimScenarioOptions *o, SimScenario *s, GError **error)
{
  if (!sim_scenario_check_conf (is_given (o, "conf"), is_given (o, "policy_preset"), "--conf", "--policy-preset", error))
    return FALSE;
  for (guint i = 0; i <= o->n; i++) {
    const SimScenarioKey *k = &sim_scenario_keys[i];
    const char *value = o->text[i];

    for (char **v = o->list[i]; v != NULL && *v != NULL; v++) {
      if (!sim_scenario_set (s, k->key, *v, NULL, error)) {
        g_prefix_error (error, "command line: ");
        return FALSE;
      }
      sim_scenario_note (s, k->key, *v);
    }
    if (o->on[i])
      value = is_on_by_default (k) ? "false" : "true";
    if (value != NULL && !sim_scenario_set (s, k->key != NULL ? k->key : "v", value, NULL, error)) {
      g_prefix_error (error, "command line: ");
      return FALSE;
    }
    if (value != NULL && k->key != NULL)
      sim_scenario_note (s, k->key, k->argument != NULL ? value : NULL);
  }
  return TRUE;
}
