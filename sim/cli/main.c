/* sim/cli/main.c - the command line: a table of subcommands, and errors as one line. */
#include "core/conf/conf.h"
#include "reports/results/results.h"
#include "sim/commands.h"
#include "sim/cycle/cycle.h"
#include "workloads/native/native.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  const char *name, *arguments, *summary;
  int (*run) (int argc, char **argv, GError **error);
} Command;

static const Command commands[] = {
  { "run", "[SCENARIO.yaml] [OPTION...]", "replay a workload in virtual time", cmd_run },
  { "cycle", "OBJECTS...", "decide one cycle on Kubernetes objects", cmd_cycle },
  { "explain", "RESULTS [--job JOB]", "tell what the jobs of a run waited for", cmd_explain },
  { "compare", "CONF CONF... --scenario S", "run the same work under other configurations", cmd_compare },
  { "plan", "nodes|inflate|compact|fit", "how many nodes, how much work, how small a cell", cmd_plan },
  { "report", "RESULTS [--title TEXT]", "a run as one HTML page", cmd_report },
  { "sweep", "GRID.yaml [OPTION...]", "run a scenario over a grid of settings", cmd_sweep },
  { "gallery", "[ENTRY...] [--out DIR]", "known pathologies, before and after the cure", cmd_gallery },
  { "validate", "CONF [OBJECTS...]", "warn of a configuration's conflicts and pitfalls", cmd_validate },
  { "actions", "[--names]", "list the actions", cmd_actions },
  { "plugins", "[--names]", "list the plugins and their arguments", cmd_plugins },
  { "presets", "[NAME]", "list policies that configurations amount to, or print one", cmd_presets },
  { "generate", "[PROFILE.yaml]", "make a synthetic trace", cmd_generate },
  { "import", "[FORMAT] FILE...", "turn a published trace into volsim's own files", cmd_import },
  { "transform", "FOLDER...", "make a trace into another one", cmd_transform },
  { "schema", "", "print the columns of the results", cmd_schema },
};

static void
print_help (void)
{
  printf ("Usage: volsim COMMAND [OPTION...]\n\nA discrete-event simulator of clusters that the Volcano batch scheduler runs.\n\nCommands:\n");
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++) {
    g_autofree char *usage = g_strjoin (" ", commands[i].name, commands[i].arguments, NULL);

    printf ("  %-30s %s\n", usage, commands[i].summary);
  }
  printf ("  %-30s %s\n  %-30s %s\n\n", "version", "print the version", "help", "print this");
  printf ("'volsim COMMAND --help' tells a command's options. Exit status: 0 done, 1 failed, 2 wrong usage or input, 3 a --fail-if holds.\n");
}

/* Standard error gets one line, whatever the message holds. */
static int
complain (const GError *e)
{
  g_autofree char *line = g_strdelimit (g_strdup (e->message), "\r\n", ' ');

  fprintf (stderr, "volsim: %s\n", line);
  if (g_error_matches (e, SIM_ERROR, SIM_ERROR_INTERRUPTED) || g_error_matches (e, WL_ERROR, WL_ERROR_INTERRUPTED))
    return 130;
  if ((e->domain == RP_ERROR && e->code != RP_ERROR_INPUT) || g_error_matches (e, SIM_ERROR, SIM_ERROR_FAILED) || g_error_matches (e, WL_ERROR, WL_ERROR_WRITE))
    return 1;
  return 2;
}

/* @status, or 1 when something of the output did not get out. */
static int
flushed (int status)
{
  errno = 0;
  if (fflush (stdout) == 0 && !ferror (stdout))
    return status;
  fprintf (stderr, "volsim: standard output: cannot write%s%s\n", errno != 0 ? ": " : "", errno != 0 ? g_strerror (errno) : "");
  return status != 0 ? status : 1;
}

/* A standard stream that is closed must not become the descriptor of a result that messages are then written into. Writing to
 * standard output still fails. */
static void
hold_standard_streams (void)
{
  for (int fd = 0; fd <= 2; fd++)
    if (fcntl (fd, F_GETFD) == -1 && open ("/dev/null", fd == 2 ? O_WRONLY : O_RDONLY) != fd)
      return; /* no /dev/null: nothing to be done */
}

static int
unknown_command (const char *name)
{
  const char *names[G_N_ELEMENTS (commands) + 2];
  guint n = 0;

  for (; n < G_N_ELEMENTS (commands); n++)
    names[n] = commands[n].name;
  names[n++] = "version";
  names[n++] = "help";
  const char *nearest = vc_nearest_name (name, names, n);

  if (nearest != NULL)
    fprintf (stderr, "volsim: unknown command '%s', did you mean '%s'?\n", name, nearest);
  else
    fprintf (stderr, "volsim: unknown command '%s'; 'volsim help' lists them\n", name);
  return 2;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;

  hold_standard_streams ();
  if (argc < 2) {
    fprintf (stderr, "volsim: no command; 'volsim help' lists them\n");
    return 2;
  }
  const char *name = argv[1];

  if (strcmp (name, "help") == 0 || strcmp (name, "--help") == 0 || strcmp (name, "-h") == 0) {
    print_help ();
    return flushed (0);
  }
  if (strcmp (name, "version") == 0 || strcmp (name, "--version") == 0) {
    if (argc > 2) {
      fprintf (stderr, "volsim: unexpected argument '%s'\n", argv[2]);
      return 2;
    }
    printf ("volsim %s\n", VOLSIM_VERSION);
    return flushed (0);
  }
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (strcmp (commands[i].name, name) == 0) {
      g_autofree char *program = g_strconcat ("volsim ", name, NULL);

      g_set_prgname (program);
      int status = commands[i].run (argc - 1, argv + 1, &error);

      return error != NULL ? complain (error) : flushed (status);
    }
  return unknown_command (name);
}
