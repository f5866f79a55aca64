/* workloads/import/out-dir.c - a folder that is whole or not there: made beside its place, renamed at the end. An earlier import is replaced; what others have
 * put into it moves along. */
#include "import-private.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

struct WlOutDir {
  char *target, *partial;
};

static gboolean
fail (GError **error, const char *what, const char *path)
{
  g_set_error (error, WL_ERROR, WL_ERROR_WRITE, "%s: cannot %s the folder, expected a writable place, found: %s", path, what, g_strerror (errno));
  return FALSE;
}

static gboolean
holds_import (const char *dir)
{
  g_autofree char *path = g_build_filename (dir, "import.json", NULL), *text = NULL;

  return g_file_get_contents (path, &text, NULL, NULL) && g_str_has_prefix (text, WL_IMPORT_MARK);
}

static gboolean
may_replace (const char *target, GError **error)
{
  g_autoptr (GDir) d = NULL;

  if (!g_file_test (target, G_FILE_TEST_EXISTS))
    return TRUE;
  d = g_dir_open (target, 0, NULL);
  if (d == NULL)
    g_set_error (error, WL_ERROR, WL_ERROR_WRITE, "%s: cannot write, expected a folder, found something else", target);
  else if (g_dir_read_name (d) == NULL || holds_import (target))
    return TRUE;
  else
    g_set_error (error, WL_ERROR, WL_ERROR_WRITE, "%s: will not write, expected a new folder, an empty one or an earlier import, found other files", target);
  return FALSE;
}

/* A folder made beside the target. */
static char *
sibling (const char *target, const char *kind, GError **error)
{
  g_autofree char *parent = g_path_get_dirname (target), *name = g_path_get_basename (target);
  g_autofree char *file = g_strdup_printf (".%s.%s-XXXXXX", name, kind);
  g_autofree char *path = g_build_filename (parent, file, NULL);

  if (g_mkdir_with_parents (parent, 0777) == 0 && g_mkdtemp_full (path, 0777) != NULL)
    return g_steal_pointer (&path);
  fail (error, "make", target);
  return NULL;
}

WlOutDir *
wl_out_dir_new (const char *target, GError **error)
{
  g_autoptr (WlOutDir) d = g_new0 (WlOutDir, 1);

  d->target = g_canonicalize_filename (target, NULL);
  if (!may_replace (d->target, error) || (d->partial = sibling (d->target, "partial", error)) == NULL)
    return NULL;
  return g_steal_pointer (&d);
}

const char *
wl_out_dir_path (const WlOutDir *d)
{
  return d->partial;
}

/* The files of an import; folders are never its own. */
static gboolean
is_ours (const char *name)
{
  static const char *const names[] = { "nodes.csv",   "jobs.csv",      "queues.csv",  "faults.csv", "recorded.csv", "objects.yaml", "volcano-scheduler.conf",
                                       "scenario.yaml", "import.json", "import.txt", NULL };

  return g_strv_contains (names, name);
}

/* What is left in @old: ours goes, other things move into @target. */
static void
clear_old (const char *old, const char *target)
{
  g_autoptr (GDir) d = g_dir_open (old, 0, NULL);
  const char *name;

  while (d != NULL && (name = g_dir_read_name (d)) != NULL) {
    g_autofree char *from = g_build_filename (old, name, NULL), *to = target != NULL ? g_build_filename (target, name, NULL) : NULL;

    if (to == NULL || is_ours (name))
      (void) g_unlink (from);
    else
      (void) g_rename (from, to);
  }
  (void) g_rmdir (old);
}

gboolean
wl_out_dir_commit (WlOutDir *d, GError **error)
{
  g_autofree char *old = NULL;

  if (!may_replace (d->target, error))
    return FALSE;
  if (g_file_test (d->target, G_FILE_TEST_EXISTS)) {
    old = sibling (d->target, "old", error);
    if (old == NULL)
      return FALSE;
    if (g_rename (d->target, old) != 0) { /* onto an empty folder */
      (void) g_rmdir (old);
      return fail (error, "replace", d->target);
    }
  }
  if (g_rename (d->partial, d->target) != 0) {
    if (old != NULL)
      (void) g_rename (old, d->target);
    return fail (error, "make", d->target);
  }
  g_clear_pointer (&d->partial, g_free);
  if (old != NULL)
    clear_old (old, d->target);
  return TRUE;
}

void
wl_out_dir_free (WlOutDir *d)
{
  if (d == NULL)
    return;
  if (d->partial != NULL)
    clear_old (d->partial, NULL);
  g_free (d->target);
  g_free (d->partial);
  g_free (d);
}
