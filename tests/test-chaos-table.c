/* tests/test-chaos-table.c - docs/chaos.md says for each fault what must hold and which test shows it: no fault is left out, and the tests are there.
 *
 * The last column holds `program: `name`, `name`; program: …`. A name is a function of test-PROGRAM.c, or what such a program calls its test, or a folder of
 * tests/replays. */
#include "suite.h"
#include "workloads/native/faults.h"
#include <string.h>

static char *
read_file (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (g_getenv ("VOLSIM_SOURCE"), folder, name, NULL);
  char *text = NULL;

  g_file_get_contents (path, &text, NULL, NULL);
  return text;
}

/* Is there such a test in @program? */
static gboolean
is_there (const char *program, const char *name)
{
  if (strcmp (program, "replays") == 0) {
    g_autofree char *folder = g_build_filename (g_getenv ("VOLSIM_SOURCE"), "tests", "replays", name, NULL);

    return g_file_test (folder, G_FILE_TEST_IS_DIR);
  }
  g_autofree char *file = g_strdup_printf ("test-%s.c", program), *text = read_file ("tests", file);

  return text != NULL && strstr (text, name) != NULL;
}

/* The tests that a cell names; how many. */
static guint
look_up (const char *cell)
{
  g_auto (GStrv) group = g_strsplit (cell, ";", -1);
  guint n = 0;

  if (strcmp (g_strstrip (group[0]), "`soak`") == 0)
    return 1; /* the script that tests/meson.build runs */
  for (char **g = group; *g != NULL; g++) {
    char *colon = strchr (*g, ':');

    suite_check (colon != NULL, "'%s' names a program", *g);
    if (colon == NULL)
      continue;
    *colon = '\0';
    g_auto (GStrv) part = g_strsplit (colon + 1, "`", -1); /* names are what stands at odd places */

    for (guint i = 1; i < g_strv_length (part); i += 2, n++)
      suite_check (is_there (g_strstrip (*g), part[i]), "there is a test '%s' in '%s'", part[i], *g);
  }
  return n;
}

static void
every_row_names_tests_that_are_there (void)
{
  g_autofree char *text = read_file ("docs", "chaos.md");
  g_auto (GStrv) line = g_strsplit (text != NULL ? text : "", "\n", -1);
  g_autoptr (GString) faults = g_string_new (NULL);
  guint rows = 0;

  for (char **l = line; *l != NULL; l++) {
    g_auto (GStrv) cell = g_str_has_prefix (*l, "| ") ? g_strsplit (*l, "|", -1) : NULL;

    if (cell == NULL || g_strv_length (cell) != 5 || strstr (cell[1], "fault ") == cell[1] + 1)
      continue;
    rows++;
    suite_check (look_up (cell[3]) > 0, "'%s' names a test", cell[1]);
    g_string_append (faults, cell[1]);
  }
  suite_check (rows > 30, "%u rows", rows);
  for (guint k = 0; k < WL_N_FAULTS; k++) {
    g_autofree char *kind = g_strdup_printf ("`%s`", wl_fault_names[k]);

    suite_check (strstr (faults->str, kind) != NULL, "fault %s has a row", kind);
  }
}

static CU_TestInfo tests[] = {
  { "every row names tests that are there, every fault has a row", every_row_names_tests_that_are_there },
  CU_TEST_INFO_NULL,
};

int
main (void)
{
  return suite_run ("chaos-table", tests);
}
