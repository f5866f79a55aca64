/* tests/test-folder.c - output folders: what is replaced, and what is left alone. */
#include "run-helper.h"
#include "suite.h"
#include "workloads/native/folder.h"
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* A folder of one file @name. NULL: it was made, else the refusal. (transfer full) */
static char *
make (const char *path, const char *command, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (WlFolder) f = wl_folder_begin (path, command, &error);

  if (f != NULL && wl_folder_add (f, name, command, strlen (command), &error) && wl_folder_finish (f, &error))
    return NULL;
  suite_check (error->domain == WL_ERROR && error->code == WL_ERROR_CONFLICT, "%s", error->message);
  return g_strdup (error->message);
}

static void
check_made (const char *path, const char *command, const char *name)
{
  g_autofree char *refusal = make (path, command, name);

  suite_check (refusal == NULL, "%s", refusal);
}

/* Refused because of @found, and nothing in the folder's folder @above is touched. */
static void
check_refused (const char *above, const char *path, const char *command, const char *found)
{
  g_autofree char *copy = test_make_dir (), *all = g_strconcat (above, "/.", NULL), *refusal = NULL, *difference = NULL;
  char *cp[] = { "cp", "-a", all, copy, NULL };

  suite_check (test_run (cp, NULL, NULL) == 0, "cp");
  refusal = make (path, command, "new");
  suite_check (refusal != NULL && g_str_has_suffix (refusal, found), "expected '... found %s', found %s", found, refusal != NULL ? refusal : "no refusal");
  difference = test_first_difference (above, copy, "");
  suite_check (difference == NULL, "'%s' has changed", difference);
  test_remove_tree (copy);
}

static gboolean
has (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

static guint
entries (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static void
an_earlier_one_is_replaced (void)
{
  g_autofree char *dir = test_make_dir (), *out = g_build_filename (dir, "a", "b", NULL), *above = g_build_filename (dir, "a", NULL);

  check_made (out, "generate", "old");
  suite_check (has (out, "old") && has (out, ".volsim-generate") && entries (out) == 2, "the first one");
  check_made (out, "generate", "new");
  suite_check (has (out, "new") && has (out, ".volsim-generate") && entries (out) == 2, "the second one");
  suite_check (entries (above) == 1, "something is left beside it");
  test_remove_tree (dir);
}

static void
an_empty_one_is_taken (void)
{
  g_autofree char *dir = test_make_dir ();

  check_made (dir, "import", "new");
  suite_check (has (dir, "new"), "it was made");
  test_remove_tree (dir);
}

static void
those_of_others_are_refused (void)
{
  g_autofree char *dir = test_make_dir (), *out = g_build_filename (dir, "out", NULL), *file = g_build_filename (out, "old", NULL), *more = g_build_filename (out, "notes", NULL),
                  *mark = g_build_filename (out, ".volsim-generate", NULL);

  check_made (out, "generate", "old");
  check_refused (dir, out, "transform", "found other files");
  check_refused (dir, file, "generate", "found something else");
  g_file_set_contents (more, "mine", -1, NULL);
  check_refused (dir, out, "generate", "found 'notes' in it");
  g_unlink (more);
  g_unlink (file);
  g_mkdir (file, 0777); /* of a name that it wrote, but not what it wrote */
  check_refused (dir, out, "generate", "found 'old' in it");
  g_rmdir (file);
  g_file_set_contents (mark, "a mark of something else\nold\n", -1, NULL);
  check_refused (dir, out, "generate", "found other files");
  g_unlink (mark);
  g_free (test_write (out, "profile.yaml", "jobs: 1\n")); /* a folder of profiles is none that was made from one */
  check_refused (dir, out, "generate", "found other files");
  test_remove_tree (dir);
}

static void
an_interrupted_one_is_not_finished (void)
{
  g_autofree char *dir = test_make_dir (), *out = g_build_filename (dir, "out", NULL);
  g_autoptr (GError) error = NULL;
  WlFolder *f = wl_folder_begin (out, "generate", &error);

  suite_check (f != NULL && wl_folder_add (f, "jobs.csv", "x", 1, &error) && !wl_folder_interrupted (NULL), "%s", error != NULL ? error->message : "");
  wl_folder_interrupt (SIGINT);
  suite_check (!wl_folder_finish (f, &error) && g_error_matches (error, WL_ERROR, WL_ERROR_INTERRUPTED), "it was finished");
  wl_folder_free (f);
  suite_check (entries (dir) == 0, "something is left");
  wl_folder_interrupt (0);
  test_remove_tree (dir);
}

static void
what_comes_meanwhile_is_kept (void)
{
  g_autofree char *dir = test_make_dir (), *out = g_build_filename (dir, "out", NULL);
  g_autoptr (GError) error = NULL;
  WlFolder *f = wl_folder_begin (out, "import", &error);

  suite_check (f != NULL && wl_folder_add (f, "jobs.csv", "x", 1, &error), "%s", error != NULL ? error->message : "");
  g_mkdir (out, 0777);
  g_free (test_write (out, "notes", "mine"));
  suite_check (!wl_folder_finish (f, &error) && g_str_has_suffix (error->message, "found other files"), "%s", error != NULL ? error->message : "written");
  wl_folder_free (f);
  suite_check (has (out, "notes") && entries (out) == 1 && entries (dir) == 1, "only the notes are there");
  test_remove_tree (dir);
}

static void
a_link_stays_a_link (void)
{
  g_autofree char *dir = test_make_dir (), *out = g_build_filename (dir, "out", NULL), *link = g_build_filename (dir, "link", NULL);

  suite_check (symlink ("out", link) == 0, "symlink");
  check_made (out, "generate", "old");
  check_made (link, "generate", "new");
  suite_check (g_file_test (link, G_FILE_TEST_IS_SYMLINK) && has (out, "new") && !has (out, "old") && entries (dir) == 2, "the folder behind the link is the new one");
  test_remove_tree (dir);
}

static CU_TestInfo tests[] = {
  { "an earlier one is replaced", an_earlier_one_is_replaced },
  { "an empty one is taken", an_empty_one_is_taken },
  { "those of others are refused", those_of_others_are_refused },
    { "an interrupted one is not finished", an_interrupted_one_is_not_finished },
  { "what comes meanwhile is kept", what_comes_meanwhile_is_kept },
  { "a link stays a link", a_link_stays_a_link },
  CU_TEST_INFO_NULL,
};

int
main (void)
{
  return suite_run ("folder", tests);
}
