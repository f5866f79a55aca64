/* sim/print.c - what a subcommand has to say, on standard output. */
#include "commands.h"
#include "cycle.h"
#include <errno.h>
#include <stdio.h>

int
cmd_print (const char *text, GError **error)
{
  if (fputs (text, stdout) >= 0 && fflush (stdout) == 0)
    return 0;
  g_set_error (error, SIM_ERROR, SIM_ERROR_FAILED, "standard output: cannot write: %s", g_strerror (errno));
  return -1;
}
