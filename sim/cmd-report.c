/* sim/cmd-report.c - volsim report: a results directory as one HTML page. */
#include "commands.h"
#include "cycle.h"
#include "reports/folder.h"
#include "reports/html.h"
#include "results-read.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What each chart is called, for those that a run draws. */
static const struct { const char *file, *words; } charts[] = {
  { "allocation.svg", "What is allocated of each resource, of what there is, and what pending pods ask for." },
  { "jobs.svg", "Jobs that wait and jobs that run." },
  { "queues.svg", "Each queue's dominant share, and what it deserves." },
  { "waits.svg", "How long jobs waited." },
  { "fragmentation.svg", "Idle amounts on nodes that fit no pending pod." },
  { "placement.svg", "Where jobs ran in the topology." },
};

static void
read_charts (const char *dir, GPtrArray *names, GPtrArray *svgs)
{
  for (guint i = 0; i < G_N_ELEMENTS (charts); i++) {
    g_autofree char *path = g_build_filename (dir, "charts", charts[i].file, NULL);
    char *text = NULL;

    if (!g_file_get_contents (path, &text, NULL, NULL))
      continue; /* not drawn */
    g_ptr_array_add (names, g_strdup (charts[i].words));
    g_ptr_array_add (svgs, text);
  }
  g_ptr_array_add (names, NULL);
  g_ptr_array_add (svgs, NULL);
}

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

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, error))
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
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free), svgs = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *conf_path = g_build_filename (argv[1], "volcano-scheduler.conf", NULL), *conf = NULL;
  g_autofree char *name = g_path_get_basename (argv[1]);

  read_charts (argv[1], names, svgs);
  (void) g_file_get_contents (conf_path, &conf, NULL, NULL);
  RpHtmlInput in = { title != NULL ? title : name, (char **) names->pdata, (char **) svgs->pdata, conf };
  g_autofree char *page = rp_html_report (d, &in), *path = out != NULL ? g_strdup (out) : g_build_filename (argv[1], "report.html", NULL);

  g_autofree char *real = realpath (path, NULL); /* through links; NULL: nothing is there yet */

  if (real != NULL && !g_file_test (real, G_FILE_TEST_IS_REGULAR)) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_FAILED, "--out: expected a file for the page, found '%s', which is %s", path,
                 g_file_test (real, G_FILE_TEST_IS_DIR) ? "a folder" : "no regular file");
    return -1;
  }
  if (!rp_file_write (real != NULL ? real : path, page, strlen (page), error))
    return -1;
  printf ("%s\n", path);
  return 0;
}
