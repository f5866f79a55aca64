/* sim/cli/cmd-explain.c - volsim explain: what the jobs of a run waited for. */
#include "reports/ledger.h"
#include "sim/commands.h"
#include "sim/cycle/cycle.h"
#include "sim/studies/results-read.h"
#include <stdio.h>
#include <string.h>

static int
explain_job (const RpRunData *d, const char *name, GError **error)
{
  const char *slash = strchr (name, '/');
  g_autofree char *ns = slash != NULL ? g_strndup (name, (gsize) (slash - name)) : g_strdup ("default");
  g_autofree char *text = rp_ledger_job_text (d, ns, slash != NULL ? slash + 1 : name);

  if (text != NULL)
    return cmd_print (text, error);
  g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--job: expected a job of %s, found '%s'", d->dir, name);
  return -1;
}

int
cmd_explain (int argc, char **argv, GError **error)
{
  g_autofree char *job = NULL, *output = NULL;
  const GOptionEntry entries[] = {
    { "job", 'j', 0, G_OPTION_ARG_STRING, &job, "The intervals of this job's wait", "[NAMESPACE/]NAME" },
    { "output", 'o', 0, G_OPTION_ARG_STRING, &output, "table or json", "FORMAT" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("RESULTS - what the jobs of a run waited for");

  if (!cmd_parse (context, entries, &argc, &argv, error))
    return -1;
  if (argc != 2) {
    if (argc < 2)
      g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "explain: expected one results directory, found none");
    else
      g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "explain: expected one results directory, found '%s' and '%s' (--job names a job)", argv[1], argv[2]);
    return -1;
  }
  if (output != NULL && strcmp (output, "table") != 0 && strcmp (output, "json") != 0) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--output: expected table or json, found '%s'", output);
    return -1;
  }
  g_autoptr (RpRunData) d = sim_results_read (argv[1], error);

  if (d == NULL)
    return -1;
  if (job != NULL)
    return explain_job (d, job, error);
  g_autoptr (GPtrArray) diagnoses = sim_results_diagnose (d, error);

  if (diagnoses == NULL)
    return -1;
  gsize length = 0;
  gboolean json = g_strcmp0 (output, "json") == 0;
  g_autofree char *ledger = json ? rp_ledger_json (d, diagnoses, &length) : rp_ledger_text (d);
  g_autofree char *found = json ? g_strdup ("") : rp_diagnoses_text (d, diagnoses), *text = g_strconcat (ledger, found, NULL);

  return cmd_print (text, error);
}
