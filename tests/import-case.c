#include "import-case.h"
#include "run-helper.h"
#include "suite.h"
#include "workloads/import/import.h"
#include <string.h>

static void
check_part (const char *format, const char *dir, const char *file, const char *part)
{
  g_autofree char *path = g_build_filename (dir, file, NULL), *text = test_read (path, NULL, NULL);

  suite_check (text != NULL && strstr (text, part) != NULL, "%s: %s has no '%s':\n%s", format, file, part, text);
}

/* Wants of a run are not for an import to judge: what never fits, waits. */
static void
check_run (const char *format, const char *out)
{
  g_autofree char *scenario = g_build_filename (out, "scenario.yaml", NULL), *results = g_build_filename (out, "results", NULL), *complaint = NULL;
  char *args[] = { (char *) g_getenv ("VOLSIM_BIN"), (char *) "run", scenario, (char *) "--no-charts", (char *) "--out", results, NULL };

  suite_check (test_run (args, NULL, &complaint) == 0, "%s: the scenario does not run: %s", format, complaint);
}

void
test_import (const ImportCase *c)
{
  g_autofree char *dir = test_make_dir (), *out = g_build_filename (dir, "out", NULL), *report = NULL;
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) options = g_strsplit (c->options != NULL ? c->options : "", " ", -1);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (c->file) && c->file[i].name != NULL; i++)
    g_ptr_array_add (paths, test_write (dir, c->file[i].name, c->file[i].text));
  const WlImportFormat *format = wl_import_detect ((const char *const *) paths->pdata, paths->len, &error);

  if (suite_check (format != NULL && strcmp (format->name, c->format) == 0, "%s is taken for %s: %s", c->format, format != NULL ? format->name : "nothing", error != NULL ? error->message : "")) {
    gboolean good = wl_import_run (format, (const char *const *) paths->pdata, paths->len, (const char *const *) (options[0] != NULL ? options : NULL), out, &report, &error);

    suite_check (good, "%s: %s", c->format, error != NULL ? error->message : "");
    for (guint i = 0; good && i < G_N_ELEMENTS (c->report) && c->report[i] != NULL; i++)
      suite_check (strstr (report, c->report[i]) != NULL, "%s: the report has no '%s':\n%s", c->format, c->report[i], report);
    for (guint i = 0; good && i < G_N_ELEMENTS (c->jobs) && c->jobs[i] != NULL; i++)
      check_part (c->format, out, "jobs.csv", c->jobs[i]);
    if (good && c->other != NULL)
      check_part (c->format, out, c->other, c->holds);
    for (guint i = 0; good && i < G_N_ELEMENTS (c->also) && c->also[i].file != NULL; i++)
      check_part (c->format, out, c->also[i].file, c->also[i].holds);
    g_autofree char *nodes = g_build_filename (out, "nodes.csv", NULL), *jobs = g_build_filename (out, "jobs.csv", NULL);

    if (good && g_file_test (nodes, G_FILE_TEST_EXISTS) && g_file_test (jobs, G_FILE_TEST_EXISTS))
      check_run (c->format, out);
  }
  test_remove_tree (dir);
}

void
test_import_refused (const ImportCase *c, const char *says)
{
  g_autofree char *dir = test_make_dir (), *out = g_build_filename (dir, "out", NULL), *report = NULL;
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) options = g_strsplit (c->options != NULL ? c->options : "", " ", -1);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (c->file) && c->file[i].name != NULL; i++)
    g_ptr_array_add (paths, test_write (dir, c->file[i].name, c->file[i].text));
  gboolean good =
    wl_import_run (wl_import_find (c->format), (const char *const *) paths->pdata, paths->len, (const char *const *) (options[0] != NULL ? options : NULL), out, &report, &error);

  suite_check (!good && strstr (error->message, says) != NULL && strchr (error->message, '\n') == NULL, "%s should say %s, says: %s", c->format, says,
               error != NULL ? error->message : "nothing");
  suite_check (!g_file_test (out, G_FILE_TEST_EXISTS), "%s: nothing is written", c->format);
  test_remove_tree (dir);
}

void
test_import_refusal (const char *format, const char *text, const char *says)
{
  const ImportCase c = { .format = format, .file = { { "trace", text } } };

  test_import_refused (&c, says);
}
