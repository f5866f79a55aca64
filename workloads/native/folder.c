#include "folder.h"
#include "faults.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct WlFolder {
  char *path, *partial;
  char *command, *mark; /* who makes it, and the name of the file that says so */
  gboolean finished;
};

static volatile sig_atomic_t interrupted; /* by this signal */

void
wl_folder_interrupt (int number)
{
  interrupted = number;
}

gboolean
wl_folder_interrupted (GError **error)
{
  if (interrupted == 0)
    return FALSE;
  g_set_error_literal (error, WL_ERROR, WL_ERROR_INTERRUPTED, "interrupted; nothing is written");
  return TRUE;
}

static gboolean
failed (GError **error, const char *path, const char *what)
{
  g_set_error (error, WL_ERROR, WL_ERROR_WRITE, "%s: %s: %s", path, what, g_strerror (errno));
  return FALSE;
}

/* ---- what is in a folder ------------------------------------------------------------------------- */

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* In the order of their names; NULL with errno. */
static GPtrArray *
names_in (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  GPtrArray *names;
  const char *name;

  if (dir == NULL)
    return NULL;
  names = g_ptr_array_new_with_free_func (g_free);
  while ((name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, by_name);
  return names;
}

/* The folder goes too unless somebody has put something else into it. */
static void
remove_files (const char *path, const GPtrArray *names)
{
  for (guint i = 0; names != NULL && i < names->len; i++) {
    g_autofree char *file = g_build_filename (path, names->pdata[i], NULL);
    (void) g_unlink (file);
  }
  (void) g_rmdir (path);
}

/* ---- whose it is --------------------------------------------------------------------------------- */

/* The text of the mark: who made the folder, then the names of its files. */
static char *
mark_text (const WlFolder *f, const GPtrArray *names)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "Made by volsim %s, which may replace this folder as long as it holds these files alone:\n", f->command);
  for (guint i = 0; i < names->len; i++)
    g_string_append_printf (text, "%s\n", (const char *) names->pdata[i]);
  return g_string_free (text, FALSE);
}

/* Lines of the mark in @path, the first of them about the folder; NULL: there is none of this command. */
static char **
read_mark (const WlFolder *f, const char *path)
{
  g_autofree char *file = g_build_filename (path, f->mark, NULL), *text = NULL, *first = NULL;
  g_autoptr (GPtrArray) none = g_ptr_array_new ();

  first = mark_text (f, none);
  if (!g_file_get_contents (file, &text, NULL, NULL) || !g_str_has_prefix (text, first))
    return NULL;
  return g_strsplit (text, "\n", -1);
}

static gboolean
is_plain (const char *path, const char *name)
{
  g_autofree char *file = g_build_filename (path, name, NULL);
  GStatBuf st;

  return g_lstat (file, &st) == 0 && S_ISREG (st.st_mode);
}

static gboolean
refuse (const WlFolder *f, GError **error, const char *found)
{
  g_set_error (error, WL_ERROR, WL_ERROR_CONFLICT, "%s: expected a new folder, an empty one, or one that 'volsim %s' has made and that holds nothing else, found %s", f->path,
               f->command, found);
  return FALSE;
}

/* Nothing is there, or what may be replaced: *@names are its files then. */
static gboolean
may_replace (const WlFolder *f, GPtrArray **names, GError **error)
{
  g_autoptr (GPtrArray) there = NULL;
  g_auto (GStrv) listed = NULL;

  *names = NULL;
  if (!g_file_test (f->path, G_FILE_TEST_EXISTS))
    return TRUE;
  if (!g_file_test (f->path, G_FILE_TEST_IS_DIR))
    return refuse (f, error, "something else");
  there = names_in (f->path);
  if (there == NULL)
    return failed (error, f->path, "cannot look into the folder");
  listed = read_mark (f, f->path);
  if (there->len > 0 && listed == NULL)
    return refuse (f, error, "other files");
  for (guint i = 0; i < there->len; i++) {
    const char *name = there->pdata[i];

    if ((strcmp (name, f->mark) != 0 && !g_strv_contains ((const char *const *) listed + 1, name)) || !is_plain (f->path, name)) {
      g_autofree char *found = g_strdup_printf ("'%s' in it", name);
      return refuse (f, error, found);
    }
  }
  *names = g_steal_pointer (&there);
  return TRUE;
}

/* ---- making it ----------------------------------------------------------------------------------- */

WlFolder *
wl_folder_begin (const char *path, const char *command, GError **error)
{
  g_autofree char *parent = NULL, *base = NULL, *hidden = NULL;
  g_autoptr (WlFolder) f = g_new0 (WlFolder, 1);
  g_autoptr (GPtrArray) names = NULL;

  if (*path == '\0') { /* else it would be the current folder */
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "--out: expected a folder, found ''");
    return NULL;
  }
  f->command = g_strdup (command);
  f->mark = g_strconcat (".volsim-", command, NULL);
  f->path = g_canonicalize_filename (path, NULL);
  if (g_file_test (f->path, G_FILE_TEST_IS_SYMLINK)) { /* the folder is replaced, not what leads to it */
    char *real = realpath (f->path, NULL);

    if (real == NULL) {
      failed (error, path, "cannot follow the link");
      return NULL;
    }
    g_free (f->path);
    f->path = real;
  }
  if (!may_replace (f, &names, error))
    return NULL;
  parent = g_path_get_dirname (f->path);
  base = g_path_get_basename (f->path);
  if (g_mkdir_with_parents (parent, 0777) != 0) {
    failed (error, parent, "cannot make the folder");
    return NULL;
  }
  hidden = g_strdup_printf (".%s.partial-XXXXXX", base);
  f->partial = g_build_filename (parent, hidden, NULL);
  if (g_mkdtemp_full (f->partial, 0777) == NULL) {
    failed (error, path, "cannot make a folder beside it");
    g_clear_pointer (&f->partial, g_free);
    return NULL;
  }
  return g_steal_pointer (&f);
}

const char *
wl_folder_path (const WlFolder *f)
{
  return f->partial;
}

gboolean
wl_folder_add (WlFolder *f, const char *name, const char *text, gsize len, GError **error)
{
  g_autofree char *file = g_build_filename (f->partial, name, NULL);
  FILE *out = g_fopen (file, "wb");

  if (out == NULL)
    return failed (error, f->path, "cannot write");
  gboolean good = fwrite (text, 1, len, out) == len;

  good &= fclose (out) == 0;
  return good || failed (error, f->path, "cannot write");
}

/* Is there no such table, or can it be read? */
static gboolean
readable (const WlFolder *f, const char *name, GArray *(*read) (const char *path, GError **error), GError **error)
{
  g_autofree char *path = g_build_filename (f->partial, name, NULL);
  g_autoptr (GArray) rows = NULL;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  rows = read (path, error);
  return rows != NULL;
}

gboolean
wl_folder_check_trace (const WlFolder *f, const char *source, GError **error)
{
  g_autoptr (GError) e = NULL;
  const gsize hidden = strlen (f->partial) + 1; /* without the folder that is not there yet */

  if (readable (f, "nodes.csv", wl_read_nodes, &e) && readable (f, "jobs.csv", wl_read_jobs, &e) && readable (f, "queues.csv", wl_read_queues, &e) &&
      readable (f, "faults.csv", wl_read_faults, &e))
    return TRUE;
  g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s: what it makes cannot be read: %s", source,
               g_str_has_prefix (e->message, f->partial) ? e->message + hidden : e->message);
  return FALSE;
}

/* The mark is written last: it lists all that is there. */
static gboolean
add_mark (WlFolder *f, GError **error)
{
  g_autoptr (GPtrArray) names = names_in (f->partial);
  g_autofree char *text = NULL;

  if (names == NULL)
    return failed (error, f->path, "cannot look into the folder");
  text = mark_text (f, names);
  return wl_folder_add (f, f->mark, text, strlen (text), error);
}

gboolean
wl_folder_finish (WlFolder *f, GError **error)
{
  g_autofree char *old = NULL;
  g_autoptr (GPtrArray) names = NULL;

  if (wl_folder_interrupted (error) || !add_mark (f, error) || !may_replace (f, &names, error)) /* asked again: much may have happened since */
    return FALSE;
  if (names != NULL) { /* the earlier one steps aside until the new one is in place */
    old = g_strconcat (f->partial, ".old", NULL);
    if (g_rename (f->path, old) != 0)
      return failed (error, f->path, "cannot replace it");
  }
  if (g_rename (f->partial, f->path) != 0) {
    failed (error, f->path, "cannot put it in its place");
    if (old != NULL)
      (void) g_rename (old, f->path);
    return FALSE;
  }
  if (old != NULL)
    remove_files (old, names);
  return f->finished = TRUE;
}

void
wl_folder_free (WlFolder *f)
{
  if (f == NULL)
    return;
  if (!f->finished && f->partial != NULL) {
    g_autoptr (GPtrArray) names = names_in (f->partial);
    remove_files (f->partial, names);
  }
  g_free (f->partial);
  g_free (f->path);
  g_free (f->command);
  g_free (f->mark);
  g_free (f);
}
