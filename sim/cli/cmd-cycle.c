/* volsim cycle - the dry run of one cycle on Kubernetes objects. */
#include "sim/commands.h"
#include "sim/cycle/cycle.h"
#include "sim/load/engine-options.h"
#include "sim/load/scenario.h"
#include "workloads/native/native.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

static gboolean
parse_format (const char *text, SimFormat *out, GError **error)
{
  static const char *const names[] = { "table", "json", "yaml" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_strcmp0 (text, names[i]) == 0) {
      *out = (SimFormat) i;
      return TRUE;
    }
  g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--output: expected table, json or yaml, found '%s'", text);
  return FALSE;
}

static void
log_line (gpointer user, int level, const char *text)
{
  fprintf (stderr, "%d %s\n", level, text);
}

int
cmd_cycle (int argc, char **argv, GError **error)
{
  g_autofree char *explain = NULL, *conf_path = NULL, *preset_name = NULL, *format_text = NULL, *now_text = NULL, *usage_path = NULL;
  gboolean lenient = FALSE, diagnose = FALSE;
  int cycles = 1, verbosity = 0;
  SimCycleInput in;
  SimFormat format = SIM_FORMAT_TABLE;
  g_autoptr (SimEngineOptions) options = sim_engine_options_new ();
  const GOptionEntry entries[] = {
    { "conf", 'c', 0, G_OPTION_ARG_FILENAME, &conf_path, "Scheduler configuration (default: the chart's)", "FILE" },
    { "policy-preset", 0, 0, G_OPTION_ARG_STRING, &preset_name, "Configuration that 'volsim presets' lists, in place of a file", "NAME" },
    { "output", 'o', 0, G_OPTION_ARG_STRING, &format_text, "table, json or yaml", "FORMAT" },
    { "lenient", 0, 0, G_OPTION_ARG_NONE, &lenient, "Accept what Volcano accepts, with a warning each", NULL },
    { "now", 0, 0, G_OPTION_ARG_STRING, &now_text, "Wall clock of the cycle (RFC 3339)", "TIME" },
    { "node-usage", 0, 0, G_OPTION_ARG_FILENAME, &usage_path, "Measured load of the nodes (JSON: node, cpu and mem by period, time)", "FILE" },
    { "cycles", 'n', 0, G_OPTION_ARG_INT, &cycles, "Number of cycles (default 1)", "N" },
    { "explain", 'e', 0, G_OPTION_ARG_STRING, &explain, "Show each plugin's answer for this pod or PodGroup", "NS/NAME" },
    { "diagnose", 'd', 0, G_OPTION_ARG_NONE, &diagnose, "Tell what is wrong with the (last) cycle: evictions in vain, stale nominations, gangs one short", NULL },
    { "v", 'v', 0, G_OPTION_ARG_INT, &verbosity, "Log decisions: 3 decisions, 4 considered, 5 scores", "N" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("OBJECTS… - decide one cycle on Kubernetes objects (YAML or JSON, as kubectl prints them; - is standard input)");

  g_option_context_add_group (context, sim_engine_options_group (options));
  if (!cmd_check_options (sim_engine_options_entries (options), argc, argv, error) || !cmd_parse (context, entries, &argc, &argv, error))
    return -1;
  sim_cycle_input_init (&in);
  if (format_text != NULL && !parse_format (format_text, &format, error))
    return -1;
  if (argc < 2) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "cycle: expected at least one file of objects, found none");
    return -1;
  }
  if (cycles < 1 || cycles > 1000000) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--cycles: expected a number from 1 to 1000000, found %d", cycles);
    return -1;
  }
  if (now_text != NULL) {
    gint64 seconds;
    if (!vc_parse_rfc3339 (now_text, &seconds)) {
      g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--now: expected an RFC 3339 time such as 2026-01-01T00:00:00Z, found '%s'", now_text);
      return -1;
    }
    in.now = seconds * G_USEC_PER_SEC;
  }
  if (!sim_engine_options_apply (options, &in.cache, &in.engine, error))
    return -1;
  g_autofree char *conf_text = NULL;
  if (!sim_scenario_check_conf (conf_path != NULL, preset_name != NULL, "--conf", "--policy-preset", error))
    return -1;
  if (preset_name != NULL) {
    const VcPreset *preset = vc_preset_find (preset_name, error);
    if (preset == NULL) {
      g_prefix_error (error, "--policy-preset: ");
      return -1;
    }
    in.conf_text = preset->text;
    in.conf_len = strlen (preset->text);
    in.conf_source = preset->name;
    if (vc_preset_is_beyond (preset))
      fprintf (stderr, "volsim: warning: " SIM_PRESET_BEYOND "\n", preset->name);
  }
  if (conf_path != NULL) {
    conf_text = wl_read_file (conf_path, 64u << 20, &in.conf_len, error);
    if (conf_text == NULL)
      return -1;
    in.conf_text = conf_text;
    in.conf_source = conf_path;
  }
  g_autoptr (WlNodeUsage) usage = usage_path != NULL ? wl_node_usage_read (usage_path, error) : NULL;
  if (usage_path != NULL && usage == NULL)
    return -1;
  in.usage = usage;
  in.lenient = lenient;
  in.explain = explain;
  in.diagnose = diagnose;
  in.cycles = (guint) cycles;
  in.engine.verbosity = verbosity;
  in.engine.log = log_line;
  g_autoptr (WlObjects) objects = wl_objects_read ((const char *const *) argv + 1, (guint) argc - 1, error);
  if (objects == NULL)
    return -1;
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *text = sim_cycle_run (objects, &in, format, warnings, error);
  for (guint i = 0; i < warnings->len; i++)
    fprintf (stderr, "volsim: warning: %s\n", (const char *) warnings->pdata[i]);
  if (text == NULL)
    return -1;
  return cmd_print (text, error);
}
