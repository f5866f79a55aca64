/* sim/commands.h - the subcommands of volsim.
 *
 * argv[0] is the subcommand's name. Each returns the exit status, or -1 with @error set; main() prints the error as one line and
 * turns it into a status: 2 for bad usage and bad input, 1 for a run that failed, 130 for one that was interrupted. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

int cmd_run (int argc, char **argv, GError **error);
int cmd_compare (int argc, char **argv, GError **error);
int cmd_cycle (int argc, char **argv, GError **error);
int cmd_explain (int argc, char **argv, GError **error);
int cmd_gallery (int argc, char **argv, GError **error);
int cmd_plan (int argc, char **argv, GError **error);
int cmd_report (int argc, char **argv, GError **error);
int cmd_sweep (int argc, char **argv, GError **error);
int cmd_transform (int argc, char **argv, GError **error);
int cmd_validate (int argc, char **argv, GError **error);
int cmd_generate (int argc, char **argv, GError **error);
int cmd_import (int argc, char **argv, GError **error);
int cmd_actions (int argc, char **argv, GError **error);
int cmd_plugins (int argc, char **argv, GError **error);
int cmd_presets (int argc, char **argv, GError **error);
int cmd_schema (int argc, char **argv, GError **error);

/** Take @entries (nullable) and what @context has besides out of @argv. FALSE with @error for what is no option, and for what cmd_check_options() refuses. */
gboolean cmd_parse (GOptionContext *context, const GOptionEntry *entries, int *argc, char ***argv, GError **error);
/** What g_option_context_parse() would let pass: a switch of @entries with a value, as in --pin=false, and an option with one value that is given twice. FALSE with @error. */
gboolean cmd_check_options (const GOptionEntry *entries, int argc, char *const *argv, GError **error);

/** Write @text to standard output. 0, or -1 with @error when it does not get out. */
int cmd_print (const char *text, GError **error);
/** "volsim compare …": the command as a shell takes it, before options are taken out of @argv. (transfer full) */
char *cmd_line (int argc, char **argv);
/** One word of it: bare when a shell reads it as it is, else in quotes. (transfer full) */
char *cmd_word (const char *word);

G_END_DECLS
