/* sim/cli/cmd-report.c - volsim report: a results directory as one HTML page. */
#include "reports/folder.h"
#include "reports/pages/html.h"
#include "sim/commands.h"
#include "sim/cycle/cycle.h"
#include "sim/studies/results-read.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
cmd_report (int argc, char **argv, GError **error)
{
  g_autofree char *title = NULL, *out = NULL;
  const GOptionEntry entries[] = {
    { "title", 0, 0, G_OPTION_ARG_STRING, &title, "The question that the run answers", "TEXT" },
    { "out", 0, 0, G_OPTION_ARG_FILENAME, &out, "Where the page goes (default: RESULTS/report.html)", "FILE" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("RESULTS - a run as one HTML page");

  if (!cmd_parse (context, entries, &argc, &argv, error))
    return -1;
  if (argc != 2) {
    if (argc < 2)
      g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "report: expected one results directory, found none");
    else
      g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "report: expected one results directory, found '%s' and '%s'", argv[1], argv[2]);
    return -1;
  }
  g_autoptr (RpRunData) d = sim_results_read (argv[1], error);

  if (d == NULL)
    return -1;
  g_autofree char *conf_path = g_build_filename (argv[1], "volcano-scheduler.conf", NULL), *conf = NULL;
  g_autofree char *name = g_path_get_basename (argv[1]), *charts = g_build_filename (argv[1], "charts", NULL);

  g_autoptr (GPtrArray) diagnoses = sim_results_diagnose (d, error);

  if (diagnoses == NULL)
    return -1;
  (void) g_file_get_contents (conf_path, &conf, NULL, NULL);
  RpHtmlInput in = { title != NULL ? title : name, charts, conf, diagnoses };
  g_autofree char *page = rp_html_report (d, &in), *path = out != NULL ? g_strdup (out) : g_build_filename (argv[1], "report.html", NULL);

  g_autofree char *real = realpath (path, NULL); /* through links; NULL: nothing is there yet */

  if (real != NULL && !g_file_test (real, G_FILE_TEST_IS_REGULAR)) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_FAILED, "--out: expected a file for the page, found '%s', which is %s", path,
                 g_file_test (real, G_FILE_TEST_IS_DIR) ? "a folder" : "no regular file");
    return -1;
  }
  if (!rp_file_write (path, page, strlen (page), error))
    return -1;
  printf ("%s\n", path);
  return 0;
}
