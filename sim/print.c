/* sim/print.c - what a subcommand has to say, on standard output. */
#include "commands.h"
#include "sim/cycle/cycle.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

int
cmd_print (const char *text, GError **error)
{
  if (fputs (text, stdout) >= 0 && fflush (stdout) == 0)
    return 0;
  g_set_error (error, SIM_ERROR, SIM_ERROR_FAILED, "standard output: cannot write: %s", g_strerror (errno));
  return -1;
}

char *
cmd_word (const char *word)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-+:,@%=";

  return *word != '\0' && strspn (word, plain) == strlen (word) ? g_strdup (word) : g_shell_quote (word);
}

char *
cmd_line (int argc, char **argv)
{
  GString *out = g_string_new ("volsim");

  for (int i = 0; i < argc; i++) {
    g_autofree char *word = cmd_word (argv[i]);

    g_string_append_printf (out, " %s", word);
  }
  return g_string_free (out, FALSE);
}
