/* sim/cli/cmd-run.c - volsim run: one replay from files to a results directory. */
#include "scenario-options.h"
#include "reports/folder.h"
#include "sim/commands.h"
#include "sim/cycle/cycle.h"
#include "sim/cycle/save-cycle.h"
#include "sim/interrupt.h"
#include "sim/load/engine-options.h"
#include "sim/run.h"
#include "workloads/text/parse.h"
#include <stdio.h>
#include <string.h>

/* What is no key of a scenario. */
typedef struct {
  char *file;             /* the scenario's */
  char *explain, *save, *at;
  gboolean import;
  char **import_options;
  SimImported *imported;
} Arguments;

static void
arguments_clear (Arguments *a)
{
  g_free (a->file);
  g_free (a->explain);
  g_free (a->save);
  g_free (a->at);
  g_strfreev (a->import_options);
  sim_imported_free (a->imported);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Arguments, arguments_clear)

/* A trace becomes the scenario. */
static gboolean
import_trace (Arguments *a, int argc, char **argv, GError **error)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new ();

  for (int i = 1; i < argc; i++) {
    g_auto (SimScenario) scenario = { 0 };

    if (g_str_has_suffix (argv[i], ".yaml") && (sim_scenario_init (&scenario), sim_scenario_read (&scenario, argv[i], NULL))) {
      g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--import: expected a trace, found the scenario '%s'; give its keys as options", argv[i]);
      return FALSE;
    }
    g_ptr_array_add (words, argv[i]);
  }
  sim_catch_signals (); /* the temporary folder is to go */
  a->imported = sim_imported_new (words, (const char *const *) a->import_options, error);
  if (a->imported == NULL)
    return FALSE;
  if (*sim_interrupted () != 0) {
    g_set_error_literal (error, SIM_ERROR, SIM_ERROR_INTERRUPTED, "interrupted; there are no results");
    return FALSE;
  }
  a->file = g_strdup (a->imported->scenario);
  return TRUE;
}

/* The scenario file first, then what the command line says. */
static gboolean
read_options (int argc, char **argv, SimScenario *s, SimEngineOptions *flags, Arguments *a, GError **error)
{
  const GOptionEntry entries[] = {
    { "explain", 0, 0, G_OPTION_ARG_STRING, &a->explain, "Explain what the cycle at --at does with a job or pod, and end there without results", "NAMESPACE/NAME" },
    { "save-cycle", 0, 0, G_OPTION_ARG_FILENAME, &a->save, "Write what the cycle at --at finds to a file that 'volsim cycle' reads, and end there without results", "FILE" },
    { "at", 0, 0, G_OPTION_ARG_STRING, &a->at, "Time of the cycle that is explained or saved", "TIME" },
    { "import", 0, 0, G_OPTION_ARG_NONE, &a->import, "Take [FORMAT] FILE... as a published trace, as 'volsim import' does, and run that", NULL },
    { "import-option", 0, 0, G_OPTION_ARG_STRING_ARRAY, &a->import_options, "An option of the format, as 'volsim import FORMAT --help' lists them, without its dashes", "NAME[=VALUE]" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("[SCENARIO.yaml] | --import [FORMAT] FILE...");
  g_autoptr (SimScenarioOptions) options = sim_scenario_options_new ();

  sim_scenario_options_add (options, context);
  g_option_context_add_group (context, sim_engine_options_group (flags)); /* flags that are keys as well belong to the main group */
  g_option_context_set_summary (context, "Replay a workload in virtual time.");
  if (!cmd_check_options (sim_scenario_options_entries (options), argc, argv, error) || !cmd_check_options (sim_engine_options_entries (flags), argc, argv, error) ||
      !cmd_parse (context, entries, &argc, &argv, error))
    return FALSE;
  if (argc > 2 && !a->import) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "one scenario at most, found '%s' as well", argv[2]);
    return FALSE;
  }
  if (a->import_options != NULL && !a->import) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--import-option belongs to --import, found it alone");
    return FALSE;
  }
  if (a->import && !import_trace (a, argc, argv, error))
    return FALSE;
  if (!a->import && argc == 2)
    a->file = g_strdup (argv[1]);
  return (a->file == NULL || sim_scenario_read (s, a->file, error)) && sim_scenario_options_apply (options, s, error);
}

/* ---- what the terminal hears ------------------------------------------------------------------ */

typedef struct { RpProgress *progress; } Terminal;

static void
warn (gpointer user, const char *text)
{
  Terminal *t = user;

  g_clear_pointer (&t->progress, rp_progress_free); /* they come before time starts or after it has ended */
  fprintf (stderr, "volsim: warning: %s\n", text);
}

static void
begin_progress (gpointer user, guint32 jobs)
{
  Terminal *t = user;

  t->progress = rp_progress_new (jobs);
  sim_catch_signals ();
}

static void
show_progress (gpointer user, SimTime now, guint32 jobs_done)
{
  rp_progress_update (((Terminal *) user)->progress, now, jobs_done);
}

/* The run up to one cycle: what each plugin said in it (--explain), or what it found (--save-cycle). */
static int
show_cycle (SimRunInput *in, const char *target, const char *save, const char *at, GError **error)
{
  g_autoptr (SimExplain) explained = NULL;
  g_autofree char *saved = NULL;

  if (!wl_parse_time (at, FALSE, &in->explain_at, error)) {
    g_prefix_error (error, "--at: ");
    return -1;
  }
  in->explain = target;
  in->explained = &explained;
  in->saved = save != NULL ? &saved : NULL;
  in->keep = FALSE;
  g_autoptr (RpResults) results = sim_run (in, error);

  if (results == NULL)
    return -1;
  if (explained == NULL && saved == NULL) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--at: expected the time of a cycle, found '%s' (a cycle runs at 0 and once in a period until nothing is left to do)", at);
    return -1;
  }
  if (explained != NULL) {
    g_autofree char *text = sim_explain_text (explained);

    return cmd_print (text, error);
  }
  if (!rp_file_write (save, saved, strlen (saved), error))
    return -1;
  g_autofree char *command = sim_cycle_command (in->scenario, in->scenario->conf, in->scenario->preset != NULL ? in->scenario->preset->name : NULL, in->explain_at, save);

  printf ("%s\n", command);
  return 0;
}

int
cmd_run (int argc, char **argv, GError **error)
{
  g_auto (SimScenario) s = { 0 };
  g_auto (Arguments) a = { 0 };
  g_autoptr (SimEngineOptions) flags = sim_engine_options_new ();
  VcCacheOptions cache_options;
  VcEngineOptions engine_options;
  Terminal terminal = { NULL };

  sim_scenario_init (&s);
  vc_cache_options_init (&cache_options);
  vc_engine_options_init (&engine_options);
  if (!read_options (argc, argv, &s, flags, &a, error) ||
      !sim_engine_options_apply (flags, &cache_options, &engine_options, error))
    return -1;
  if (s.out == NULL)
    s.out = g_strdup ("volsim-results");
  SimRunInput in = { .scenario = &s,
                     .file = a.file,
                     .imported = a.imported,
                     .cache = &cache_options,
                     .engine = &engine_options,
                     .keep = TRUE,
                     .interrupted = sim_interrupted (),
                     .warn = warn,
                     .begins = begin_progress,
                     .progress = show_progress,
                     .user = &terminal };

  if ((a.explain == NULL && a.save == NULL) != (a.at == NULL)) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--explain or --save-cycle and --at belong together, found only --%s", a.at != NULL ? "at" : a.explain != NULL ? "explain" : "save-cycle");
    return -1;
  }
  if (a.explain != NULL && a.save != NULL) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--explain and --save-cycle: expected one of them, found both");
    return -1;
  }
  if (a.at != NULL) {
    int status = show_cycle (&in, a.explain, a.save, a.at, error);

    rp_progress_free (terminal.progress);
    return status;
  }
  g_autoptr (RpResults) results = sim_run (&in, error);

  rp_progress_free (terminal.progress);
  if (results == NULL)
    return -1;
  g_autofree char *text = rp_results_summary_text (results);

  if (a.imported != NULL)
    printf ("%s\n", a.imported->report);
  fputs (text, stdout); /* not g_print(): it would bring the text into the locale's character set */
  return 0;
}
