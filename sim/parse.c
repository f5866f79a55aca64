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

/* The entry that @word begins with, as in --out, --out=DIR, -o and -oDIR; *inside: its value is in the same word. */
static const GOptionEntry *
entry_of (const GOptionEntry *entries, const char *word, gboolean *inside)
{
  const gboolean is_long = g_str_has_prefix (word, "--");
  const char *equals = is_long ? strchr (word, '=') : NULL;
  g_autofree char *name = is_long ? (equals != NULL ? g_strndup (word + 2, (gsize) (equals - word - 2)) : g_strdup (word + 2)) : NULL;

  for (const GOptionEntry *e = entries; e->long_name != NULL; e++)
    if (name != NULL ? is_named (e, name) : (*word == '-' && e->short_name != 0 && word[1] == e->short_name)) {
      *inside = is_long ? equals != NULL : word[2] != '\0';
      return e;
    }
  return NULL;
}

/* Of an option that has one value the last would count, and nobody would see that the first one does not. */
static gboolean
check_once (const GOptionEntry *entries, int argc, char *const *argv, GError **error)
{
  g_autoptr (GHashTable) given = g_hash_table_new (NULL, NULL);

  for (int i = 1; i < argc && strcmp (argv[i], "--") != 0; i++) {
    gboolean inside;
    const GOptionEntry *e = entry_of (entries, argv[i], &inside);

    if (e == NULL || e->arg == G_OPTION_ARG_NONE)
      continue;
    if (e->arg != G_OPTION_ARG_STRING_ARRAY && e->arg != G_OPTION_ARG_FILENAME_ARRAY && !g_hash_table_add (given, (gpointer) e)) {
      g_autofree char *name = argv[i][1] == '-' ? g_strndup (argv[i] + 2, strcspn (argv[i] + 2, "=")) : g_strdup (e->long_name);

      g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--%s, expected once, found twice", name);
      return FALSE;
    }
    i += !inside; /* its value */
  }
  return TRUE;
}

gboolean
cmd_check_options (const GOptionEntry *entries, int argc, char *const *argv, GError **error)
{
  if (!check_once (entries, argc, argv, error))
    return FALSE;
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
  if (entries != NULL && !cmd_check_options (entries, *argc, *argv, error))
    return FALSE;
  if (entries != NULL)
    g_option_context_add_main_entries (context, entries, NULL);
  return g_option_context_parse (context, argc, argv, error);
}
