/* sim/cmd-run.c - volsim run: one replay from files to a results directory. */
#include "commands.h"
#include "cycle.h"
#include "engine-options.h"
#include "interrupt.h"
#include "reports/folder.h"
#include "run.h"
#include "save-cycle.h"
#include "scenario-options.h"
#include "workloads/parse.h"
#include <stdio.h>
#include <string.h>

/* The scenario file first, then what the command line says. */
static gboolean
read_options (int argc, char **argv, SimScenario *s, SimEngineOptions *flags, char **file, char **explain, char **save, char **at, GError **error)
{
  const GOptionEntry entries[] = {
    { "explain", 0, 0, G_OPTION_ARG_STRING, explain, "Explain what the cycle at --at does with a job or pod, and end there without results", "NAMESPACE/NAME" },
    { "save-cycle", 0, 0, G_OPTION_ARG_FILENAME, save, "Write what the cycle at --at finds to a file that 'volsim cycle' reads, and end there without results", "FILE" },
    { "at", 0, 0, G_OPTION_ARG_STRING, at, "Time of the cycle that is explained or saved", "TIME" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("[SCENARIO.yaml]");
  g_autoptr (SimScenarioOptions) options = sim_scenario_options_new ();

  sim_scenario_options_add (options, context);
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, sim_engine_options_group (flags)); /* flags that are keys as well belong to the main group */
  g_option_context_set_summary (context, "Replay a workload in virtual time.");
  if (!g_option_context_parse (context, &argc, &argv, error))
    return FALSE;
  if (argc > 2) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "one scenario at most, found '%s' as well", argv[2]);
    return FALSE;
  }
  if (argc == 2) {
    *file = g_strdup (argv[1]);
    if (!sim_scenario_read (s, argv[1], error))
      return FALSE;
  }
  return sim_scenario_options_apply (options, s, error);
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
  g_autofree char *command = sim_cycle_command (in->scenario, in->scenario->conf, in->explain_at, save);

  printf ("%s\n", command);
  return 0;
}

int
cmd_run (int argc, char **argv, GError **error)
{
  g_auto (SimScenario) s = { 0 };
  g_autofree char *file = NULL, *target = NULL, *save = NULL, *at = NULL;
  g_autoptr (SimEngineOptions) flags = sim_engine_options_new ();
  VcCacheOptions cache_options;
  VcEngineOptions engine_options;
  Terminal terminal = { NULL };

  sim_scenario_init (&s);
  vc_cache_options_init (&cache_options);
  vc_engine_options_init (&engine_options);
  if (!read_options (argc, argv, &s, flags, &file, &target, &save, &at, error) ||
      !sim_engine_options_apply (flags, &cache_options, &engine_options, error))
    return -1;
  if (s.out == NULL)
    s.out = g_strdup ("volsim-results");
  SimRunInput in = { .scenario = &s,
                     .file = file,
                     .cache = &cache_options,
                     .engine = &engine_options,
                     .keep = TRUE,
                     .interrupted = sim_interrupted (),
                     .warn = warn,
                     .begins = begin_progress,
                     .progress = show_progress,
                     .user = &terminal };

  if ((target == NULL && save == NULL) != (at == NULL)) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--explain or --save-cycle and --at belong together, found only --%s", at != NULL ? "at" : target != NULL ? "explain" : "save-cycle");
    return -1;
  }
  if (target != NULL && save != NULL) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--explain and --save-cycle: expected one of them, found both");
    return -1;
  }
  if (at != NULL) {
    int status = show_cycle (&in, target, save, at, error);

    rp_progress_free (terminal.progress);
    return status;
  }
  g_autoptr (RpResults) results = sim_run (&in, error);

  rp_progress_free (terminal.progress);
  if (results == NULL)
    return -1;
  g_autofree char *text = rp_results_summary_text (results);

  fputs (text, stdout); /* not g_print(): it would bring the text into the locale's character set */
  return 0;
}
