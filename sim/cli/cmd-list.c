/* sim/cli/cmd-list.c - what exists: actions, plugins, columns of the results. */
#include "core/conf/preset.h"
#include "core/session/engine.h"
#include "reports/results/schema.h"
#include "sim/commands.h"
#include "sim/cycle/cycle.h"
#include <stdio.h>
#include <string.h>

/* Options of @entries (nullable) and nothing else but at most @most arguments. */
static gboolean
parse (int *argc, char ***argv, const GOptionEntry *entries, const char *arguments, const char *summary, int most, GError **error)
{
  g_autoptr (GOptionContext) context = g_option_context_new (arguments);

  g_option_context_set_summary (context, summary);
  if (!cmd_parse (context, entries, argc, argv, error))
    return FALSE;
  if (most >= 0 && *argc - 1 > most) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "unexpected argument '%s'", (*argv)[most + 1]);
    return FALSE;
  }
  return TRUE;
}

static void
list_part (const VcNameSpec *spec, guint n, gboolean beyond, gboolean names_only, guint width)
{
  for (guint i = 0; i < n; i++) {
    if (!spec[i].exists || (spec[i].exists == VC_BEYOND) != beyond)
      continue;
    if (names_only) {
      printf ("%s\n", spec[i].name);
      continue;
    }
    printf ("%-*s  %s\n", (int) width, spec[i].name, spec[i].summary != NULL ? spec[i].summary : "");
    for (const VcArgSpec *a = spec[i].args; a != NULL && a->key != NULL; a++)
      printf ("%-*s    %s: %s\n", (int) width, "", a->key, a->summary);
  }
}

/* Volcano's come first, and what is only here by itself. */
static int
list (int argc, char **argv, const VcNameSpec *spec, guint n, const char *summary, GError **error)
{
  gboolean names_only = FALSE, beyond = FALSE;
  const GOptionEntry entries[] = {
    { "names", 0, 0, G_OPTION_ARG_NONE, &names_only, "print names only", NULL },
    { "beyond", 0, 0, G_OPTION_ARG_NONE, &beyond, "only those that Volcano does not have (docs/external.md); their names begin with x-", NULL },
    G_OPTION_ENTRY_NULL,
  };
  guint width = 0;

  if (!parse (&argc, &argv, entries, NULL, summary, 0, error))
    return -1;
  for (guint i = 0; i < n; i++)
    width = MAX (width, (guint) strlen (spec[i].name));
  if (!beyond)
    list_part (spec, n, FALSE, names_only, width);
  if (!beyond && !names_only)
    printf ("\nNot Volcano's, for results of other schedulers (docs/external.md):\n");
  if (beyond || !names_only)
    list_part (spec, n, TRUE, names_only, width);
  return 0;
}

int
cmd_actions (int argc, char **argv, GError **error)
{
  const VcCatalog *c = vc_catalog ();

  return list (argc, argv, c->actions, c->n_actions, "List the actions and their arguments.", error);
}

int
cmd_plugins (int argc, char **argv, GError **error)
{
  const VcCatalog *c = vc_catalog ();

  return list (argc, argv, c->plugins, c->n_plugins, "List the plugins and their arguments.", error);
}

static void
list_presets (gboolean beyond, gboolean names_only)
{
  for (const VcPreset *p = vc_presets; p->name != NULL; p++)
    if (vc_preset_is_beyond (p) != beyond)
      continue;
    else if (names_only)
      printf ("%s\n", p->name);
    else
      printf ("%-15s  %s\n", p->name, p->summary);
}

int
cmd_presets (int argc, char **argv, GError **error)
{
  gboolean names_only = FALSE;
  const GOptionEntry entries[] = {
    { "names", 0, 0, G_OPTION_ARG_NONE, &names_only, "print names only", NULL },
    G_OPTION_ENTRY_NULL,
  };

  if (!parse (&argc, &argv, entries, "[NAME]", "List the policy presets, or print the configuration that one of them stands for.", 1, error))
    return -1;
  if (argc == 2 && names_only) {
    g_set_error_literal (error, SIM_ERROR, SIM_ERROR_INPUT, "--names and the name of a preset, expected one of them, found both");
    return -1;
  }
  if (argc == 2) {
    const VcPreset *preset = vc_preset_find (argv[1], error);

    return preset != NULL ? cmd_print (preset->text, error) : -1;
  }
  list_presets (FALSE, names_only);
  if (!names_only)
    printf ("\nNot Volcano's, for results of other schedulers (docs/external.md):\n");
  list_presets (TRUE, names_only);
  return 0;
}

int
cmd_schema (int argc, char **argv, GError **error)
{
  if (!parse (&argc, &argv, NULL, NULL, "Print the files and columns of the results as Markdown.", 0, error))
    return -1;
  g_autofree char *text = rp_schema_markdown ();

  fputs (text, stdout);
  return 0;
}
