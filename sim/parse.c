/* sim/parse.c - what all subcommands ask of their command line. */
#include "commands.h"
#include "sim/cycle/cycle.h"
#include "sim/load/engine-options.h"
#include <string.h>

/* The name of the group may stand before that of an option. */
static gboolean
is_named (const GOptionEntry *e, const char *name)
{
  return strcmp (e->long_name, name) == 0 || (g_str_has_prefix (name, SIM_ENGINE_OPTIONS "-") && strcmp (e->long_name, name + strlen (SIM_ENGINE_OPTIONS "-")) == 0);
}

gboolean
cmd_check_switches (const GOptionEntry *entries, int argc, char *const *argv, GError **error)
{
  for (int i = 1; i < argc && strcmp (argv[i], "--") != 0; i++) {
    const char *equals = g_str_has_prefix (argv[i], "--") ? strchr (argv[i], '=') : NULL;

    if (equals == NULL)
      continue;
    g_autofree char *name = g_strndup (argv[i] + 2, (gsize) (equals - argv[i] - 2));

    for (const GOptionEntry *e = entries; e->long_name != NULL; e++)
      if (e->arg == G_OPTION_ARG_NONE && is_named (e, name)) {
        g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--%s takes no value, found '%s'", name, equals + 1);
        return FALSE;
      }
  }
  return TRUE;
}

gboolean
cmd_parse (GOptionContext *context, const GOptionEntry *entries, int *argc, char ***argv, GError **error)
{
  if (entries != NULL && !cmd_check_switches (entries, *argc, *argv, error))
    return FALSE;
  if (entries != NULL)
    g_option_context_add_main_entries (context, entries, NULL);
  return g_option_context_parse (context, argc, argv, error);
}
