/* tests/hand-case.c - see hand-case.h. */
#include "hand-case.h"
#include "run-helper.h"
#include "suite.h"
#include <string.h>

static char *
folder_of (const char *name)
{
  const char *root = g_getenv ("G_TEST_SRCDIR");

  return g_build_filename (root != NULL ? root : "tests", name, NULL);
}

/* Run the scenario of @name into @out, with one more argument (nullable). */
static gboolean
run (const char *name, const char *out, const char *more)
{
  g_autofree char *folder = folder_of (name), *scenario = g_build_filename (folder, "scenario.yaml", NULL);
  g_autofree char *option = g_strdup_printf ("--out=%s", out), *complaint = NULL;
  char *args[] = { (char *) g_getenv ("VOLSIM_BIN"), (char *) "run", scenario, option, (char *) "--no-charts", (char *) "--check-fully", (char *) more, NULL };
  int status = test_run (args, NULL, &complaint);

  return suite_check (status == 0, "%s %s: status %d: %s", name, more != NULL ? more : "", status, complaint != NULL ? complaint : "");
}

/* ---- tables --------------------------------------------------------------------------------- */

static int
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static gboolean
is_listed (const TestTable *expected, const char *event)
{
  int column = test_table_column (expected, "event");

  for (guint i = 0; i < expected->rows->len; i++)
    if (strcmp (test_table_cell (expected, i, column), event) == 0)
      return TRUE;
  return FALSE;
}

/* The columns of @like out of @t, a row a text, sorted. (transfer full) */
static GPtrArray *
rows_of (const TestTable *t, const TestTable *like, gboolean events)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < t->rows->len; i++) {
    g_autoptr (GString) row = g_string_new (NULL);

    if (events && !is_listed (like, test_table_cell (t, i, test_table_column (t, "event"))))
      continue;
    for (guint c = 0; c < like->names->len; c++)
      g_string_append_printf (row, "%s%s", c > 0 ? "," : "", test_table_cell (t, i, test_table_column (t, like->names->pdata[c])));
    g_ptr_array_add (rows, g_strdup (row->str));
  }
  g_ptr_array_sort (rows, by_text);
  return rows;
}

static void
compare (const char *name, const char *expected_path, const char *got_path)
{
  g_auto (TestTable) expected = { 0 }, got = { 0 };
  g_autoptr (GError) error = NULL;

  if (!suite_check (test_table_read (&expected, expected_path, &error) && test_table_read (&got, got_path, &error), "%s: %s", name,
                    error != NULL ? error->message : ""))
    return;
  for (guint c = 0; c < expected.names->len; c++)
    if (!suite_check (test_table_column (&got, expected.names->pdata[c]) >= 0, "%s: %s has a column %s", name, got_path,
                      (const char *) expected.names->pdata[c]))
      return;
  gboolean events = g_str_has_suffix (got_path, "events.csv");
  g_autoptr (GPtrArray) want = rows_of (&expected, &expected, FALSE), have = rows_of (&got, &expected, events);
  guint n = MAX (want->len, have->len);

  suite_check (want->len > 0, "%s: %s expects something", name, expected_path);
  for (guint i = 0; i < n; i++) {
    const char *w = i < want->len ? want->pdata[i] : "nothing", *h = i < have->len ? have->pdata[i] : "nothing";

    if (!suite_check (strcmp (w, h) == 0, "%s: %s, row %u of the sorted ones\n    expected %s\n    found    %s", name, got_path, i + 1, w, h))
      return;
  }
}

void
hand_case_check (const char *name)
{
  static const char *const ways[] = { NULL, "--no-skip", "--plain" };
  g_autofree char *folder = folder_of (name), *tmp = test_make_dir (), *out = g_build_filename (tmp, "run", NULL);
  g_autoptr (GDir) files = g_dir_open (folder, 0, NULL);
  guint n = 0;

  if (suite_check (files != NULL, "%s is there", folder) && run (name, out, NULL)) {
    for (const char *file; (file = g_dir_read_name (files)) != NULL;)
      if (g_str_has_prefix (file, "expected-")) {
        g_autofree char *expected = g_build_filename (folder, file, NULL), *got = g_build_filename (out, file + strlen ("expected-"), NULL);

        compare (name, expected, got);
        n++;
      }
    suite_check (n > 0, "%s expects something", name);
    for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
      g_autofree char *again = g_strdup_printf ("%s/again-%u", tmp, i);

      if (!run (name, again, ways[i]))
        continue;
      g_autofree char *differs = test_first_difference (out, again, "timing.json");

      suite_check (differs == NULL, "%s %s: %s differs", name, ways[i] != NULL ? ways[i] : "again", differs);
    }
  }
  test_remove_tree (tmp);
}

void
hand_case_no_other (const char *name, const char *const *folders)
{
  g_autofree char *root = folder_of (name);
  g_autoptr (GDir) dir = g_dir_open (root, 0, NULL);

  suite_check (dir != NULL, "%s is there", root);
  for (const char *folder; dir != NULL && (folder = g_dir_read_name (dir)) != NULL;) {
    g_autofree char *path = g_build_filename (root, folder, NULL);

    if (g_file_test (path, G_FILE_TEST_IS_DIR))
      suite_check (g_strv_contains (folders, folder), "%s is run", folder);
  }
}
