/* sim/cli/cmd-validate.c - volsim validate: what a scheduler configuration can be warned of before anything runs. */
#include "core/conf/preset.h"
#include "reports/json.h"
#include "sim/commands.h"
#include "sim/cycle/cycle.h"
#include "sim/validate/validate.h"
#include "workloads/native/native.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  char *nodes, *jobs, *queues, *output, *preset;
  char **classes;
} Arguments;

static void
arguments_clear (Arguments *a)
{
  g_free (a->nodes);
  g_free (a->jobs);
  g_free (a->queues);
  g_free (a->output);
  g_free (a->preset);
  g_strfreev (a->classes);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Arguments, arguments_clear)

static gboolean
refuse (GError **error, const char *text)
{
  g_set_error_literal (error, SIM_ERROR, SIM_ERROR_INPUT, text);
  return FALSE;
}

/* The cluster and jobs that the command line names; NULL in @facts: none. */
static gboolean
read_facts (const Arguments *a, char **objects, guint n_objects, SimFacts **facts, GError **error)
{
  gboolean files = a->nodes != NULL || a->jobs != NULL || a->queues != NULL;

  *facts = NULL;
  if (files && n_objects > 0)
    return refuse (error, "validate: expected either --nodes, --jobs and --queues or files of objects, found both");
  if (a->classes != NULL && a->jobs == NULL)
    return refuse (error, "validate: --priority-class is for the jobs of --jobs, found none");
  if (files && a->nodes == NULL && a->jobs == NULL)
    return refuse (error, "validate: --queues needs --nodes and --jobs, found neither");
  if (files && (a->nodes == NULL || a->jobs == NULL))
    return refuse (error, "validate: --nodes and --jobs go together, found only one of them");
  if (files) {
    const SimFactFiles f = { a->nodes, a->jobs, a->queues, (const char *const *) a->classes };

    *facts = sim_facts_of_files (&f, error);
    return *facts != NULL;
  }
  if (n_objects == 0)
    return TRUE;
  WlObjects *read = wl_objects_read_judged ((const char *const *) objects, n_objects, error);
  if (read == NULL)
    return FALSE;
  *facts = sim_facts_of_objects (read, error);
  if (*facts == NULL) {
    wl_objects_free (read);
    return FALSE;
  }
  (*facts)->owner[1] = read; /* names of files */
  (*facts)->free_owner[1] = (GDestroyNotify) wl_objects_free;
  return TRUE;
}

static char *
as_text (const GPtrArray *warnings)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < warnings->len; i++) {
    const SimWarning *w = warnings->pdata[i];

    g_string_append_printf (out, "%s:%u:%u: %s [%s]%s%s\n", w->file, w->line, w->column, w->text, w->code, w->entry != NULL ? " gallery: " : "",
                            w->entry != NULL ? w->entry : "");
  }
  g_string_append_printf (out, "%u warning%s\n", warnings->len, warnings->len == 1 ? "" : "s");
  return g_string_free (out, FALSE);
}

static char *
as_json (const GPtrArray *warnings)
{
  RpJson j;
  gsize len;

  rp_json_init (&j);
  rp_json_begin_array (&j, "warnings");
  for (guint i = 0; i < warnings->len; i++) {
    const SimWarning *w = warnings->pdata[i];

    rp_json_begin_object (&j, NULL);
    rp_json_text (&j, "code", w->code);
    rp_json_text (&j, "file", w->file);
    rp_json_uint (&j, "line", w->line);
    rp_json_uint (&j, "column", w->column);
    rp_json_text (&j, "text", w->text);
    rp_json_text (&j, "gallery", w->entry != NULL ? w->entry : "");
    rp_json_end_object (&j);
  }
  rp_json_end_array (&j);
  return rp_json_finish (&j, &len);
}

int
cmd_validate (int argc, char **argv, GError **error)
{
  g_auto (Arguments) a = { 0 };
  const GOptionEntry entries[] = {
    { "nodes", 0, 0, G_OPTION_ARG_FILENAME, &a.nodes, "Nodes that the configuration is meant for", "FILE" },
    { "jobs", 0, 0, G_OPTION_ARG_FILENAME, &a.jobs, "Jobs", "FILE" },
    { "queues", 0, 0, G_OPTION_ARG_FILENAME, &a.queues, "Queues", "FILE" },
    { "priority-class", 0, 0, G_OPTION_ARG_STRING_ARRAY, &a.classes, "A priority class that jobs name (may be given often)", "NAME=VALUE" },
    { "policy-preset", 0, 0, G_OPTION_ARG_STRING, &a.preset, "Look at this configuration of 'volsim presets', in place of CONF", "NAME" },
    { "output", 'o', 0, G_OPTION_ARG_STRING, &a.output, "table or json", "FORMAT" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("CONF|--policy-preset NAME [OBJECTS…] - warn of settings that conflict, that have no effect or that starve jobs");
  g_autoptr (SimFacts) facts = NULL;
  gsize len = 0;

  if (!cmd_parse (context, entries, &argc, &argv, error))
    return -1;
  const VcPreset *preset = a.preset != NULL ? vc_preset_find (a.preset, error) : NULL;
  const int first = a.preset != NULL ? 1 : 2; /* of the objects */

  if (a.preset != NULL && preset == NULL) {
    g_prefix_error (error, "--policy-preset: ");
    return -1;
  }
  if (argc < first) {
    refuse (error, "validate: expected a scheduler configuration, found none");
    return -1;
  }
  if (a.output != NULL && strcmp (a.output, "table") != 0 && strcmp (a.output, "json") != 0) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--output: expected table or json, found '%s'", a.output);
    return -1;
  }
  g_autofree char *text = preset != NULL ? g_strdup (preset->text) : wl_read_file (argv[1], 64u << 20, &len, error);
  if (text == NULL || !read_facts (&a, argv + first, (guint) (argc - first), &facts, error))
    return -1;
  g_autoptr (GPtrArray) warnings = sim_validate (text, preset != NULL ? strlen (text) : len, preset != NULL ? preset->name : argv[1], facts, error);
  if (warnings == NULL)
    return -1;
  g_autofree char *out = g_strcmp0 (a.output, "json") == 0 ? as_json (warnings) : as_text (warnings);
  return cmd_print (out, error);
}
