#include "folder.h"
#include "faults.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

struct WlFolder {
  char *path, *partial;
  gboolean replaces, finished;
};

static gboolean
failed (GError **error, const char *path, const char *what)
{
  g_set_error (error, WL_ERROR, WL_ERROR_WRITE, "%s: %s: %s", path, what, g_strerror (errno));
  return FALSE;
}

/* A folder of plain files: others are not ours. */
static void
remove_folder (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *file = g_build_filename (path, name, NULL);
    (void) g_unlink (file);
  }
  (void) g_rmdir (path);
}

WlFolder *
wl_folder_begin (const char *path, const char *mark, GError **error)
{
  g_autofree char *parent = g_path_get_dirname (path), *base = g_path_get_basename (path), *hidden = NULL;
  g_autoptr (WlFolder) f = g_new0 (WlFolder, 1);

  f->path = g_strdup (path);
  if (g_file_test (path, G_FILE_TEST_EXISTS)) {
    g_autofree char *earlier = g_build_filename (path, mark, NULL);
    g_autoptr (GDir) dir = g_file_test (path, G_FILE_TEST_IS_DIR) ? g_dir_open (path, 0, NULL) : NULL;

    f->replaces = TRUE;
    if (dir == NULL || (g_dir_read_name (dir) != NULL && !g_file_test (earlier, G_FILE_TEST_IS_REGULAR))) {
      g_set_error (error, WL_ERROR, WL_ERROR_CONFLICT, "%s: expected a new folder, an empty one, or one with '%s' of an earlier time, found %s", path, mark,
                   dir != NULL ? "other files" : "something else");
      return NULL;
    }
  }
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

char *
wl_folder_path (const WlFolder *f, const char *name)
{
  return g_build_filename (f->partial, name, NULL);
}

gboolean
wl_folder_add (WlFolder *f, const char *name, const char *text, gsize len, GError **error)
{
  g_autofree char *file = wl_folder_path (f, name);
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
  g_autofree char *path = wl_folder_path (f, name);
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

gboolean
wl_folder_finish (WlFolder *f, GError **error)
{
  g_autofree char *old = NULL;

  if (f->replaces && g_rmdir (f->path) != 0) { /* not empty: an earlier one steps aside until the new one is in place */
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
    remove_folder (old);
  return f->finished = TRUE;
}

void
wl_folder_free (WlFolder *f)
{
  if (f == NULL)
    return;
  if (!f->finished && f->partial != NULL)
    remove_folder (f->partial);
  g_free (f->partial);
  g_free (f->path);
  g_free (f);
}
