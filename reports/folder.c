#include "reports/folder.h"
#include "reports/results/results.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static gboolean
refuse (GError **error, const char *what, const char *path, int reason)
{
  g_set_error (error, RP_ERROR, RP_ERROR_IO, "cannot %s '%s': %s", what, path, g_strerror (reason));
  return FALSE;
}

/* ---- files --------------------------------------------------------------------------------------- */

/* Everything, or the reason as errno. */
static int
write_all (int fd, const char *text, gsize length)
{
  while (length > 0) {
    gssize n = write (fd, text, length);

    if (n < 0 && errno != EINTR)
      return errno;
    if (n == 0)
      return EIO;
    text += MAX (n, 0);
    length -= (gsize) MAX (n, 0);
  }
  return 0;
}

/* By whatever name: its own descriptor is written then, as another one would begin at the start of the file. */
static gboolean
is_standard_output (const struct stat *there)
{
  struct stat out;

  return fstat (STDOUT_FILENO, &out) == 0 && out.st_dev == there->st_dev && out.st_ino == there->st_ino;
}

char *
rp_file_place (const char *path)
{
  g_autofree char *full = g_canonicalize_filename (path, NULL), *dir = g_path_get_dirname (full), *base = g_path_get_basename (full);
  char *real = realpath (full, NULL);
  g_autofree char *link = real == NULL && errno == ENOENT ? g_file_read_link (full, NULL) : NULL;

  if (real != NULL)
    return real;
  if (link != NULL) { /* to something that is not there */
    g_autofree char *target = g_canonicalize_filename (link, dir);

    return rp_file_place (target);
  }
  real = realpath (dir, NULL);
  char *place = real != NULL ? g_build_filename (real, base, NULL) : g_strdup (full);

  free (real);
  return place;
}

struct RpDraft {
  char *place;
  char *beside; /* the text, under a hidden name; NULL: it goes into what is there */
  int fd;       /* of that; -1: none */
  const char *text;
  gsize length;
};

void
rp_draft_free (RpDraft *d)
{
  if (d == NULL)
    return;
  if (d->fd > STDERR_FILENO)
    (void) close (d->fd);
  if (d->beside != NULL)
    (void) g_unlink (d->beside);
  g_free (d->beside);
  g_free (d->place);
  g_free (d);
}

RpDraft *
rp_draft_new (const char *path, const char *text, gsize length)
{
  g_autoptr (RpDraft) d = g_new0 (RpDraft, 1);
  struct stat there;

  d->place = rp_file_place (path);
  d->text = text;
  d->length = length;
  d->fd = -1;
  if (stat (path, &there) == 0 && is_standard_output (&there)) {
    d->fd = STDOUT_FILENO;
  } else if (stat (path, &there) == 0 && !S_ISREG (there.st_mode)) {
    d->fd = g_open (path, O_WRONLY | O_NOCTTY | O_CLOEXEC, 0);
    if (d->fd < 0)
      return NULL;
  } else {
    g_autofree char *beside = g_strconcat (d->place, ".partial-XXXXXX", NULL);
    int fd = g_mkstemp_full (beside, O_RDWR | O_CLOEXEC, 0666);

    if (fd < 0)
      return NULL;
    d->beside = g_steal_pointer (&beside);
    int reason = write_all (fd, text, length);

    if (close (fd) != 0 && reason == 0 && errno != EINTR)
      reason = errno;
    if (reason != 0) {
      g_clear_pointer (&d, rp_draft_free);
      errno = reason;
      return NULL;
    }
  }
  return g_steal_pointer (&d);
}

gboolean
rp_draft_is_direct (const RpDraft *d)
{
  return d->beside == NULL;
}

gboolean
rp_draft_finish (RpDraft *d)
{
  if (d->beside != NULL) {
    if (g_rename (d->beside, d->place) != 0)
      return FALSE;
    g_clear_pointer (&d->beside, g_free);
    return TRUE;
  }
  int fd = d->fd, reason = fd == STDOUT_FILENO && fflush (stdout) != 0 ? errno : write_all (fd, d->text, d->length);

  d->fd = -1;
  if (fd != STDOUT_FILENO && close (fd) != 0 && reason == 0 && errno != EINTR)
    reason = errno;
  errno = reason;
  return reason == 0;
}

gboolean
rp_file_write (const char *path, const char *text, gsize length, GError **error)
{
  g_autoptr (RpDraft) d = rp_draft_new (path, text, length);

  return (d != NULL && rp_draft_finish (d)) || refuse (error, "write", path, errno);
}

/* ---- folders ------------------------------------------------------------------------------------- */

gboolean
rp_folder_make (const char *dir, GPtrArray *made, GError **error)
{
  g_autofree char *above = g_path_get_dirname (dir);

  if (g_file_test (dir, G_FILE_TEST_IS_DIR))
    return TRUE;
  if (strcmp (above, dir) != 0 && !rp_folder_make (above, made, error))
    return FALSE;
  if (g_mkdir (dir, 0777) != 0) {
    int reason = errno;

    if (reason == EEXIST && g_file_test (dir, G_FILE_TEST_IS_DIR))
      return TRUE; /* another process was faster */
    return refuse (error, "create", dir, reason);
  }
  g_ptr_array_add (made, g_strdup (dir));
  return TRUE;
}

void
rp_folder_unmake (const GPtrArray *made)
{
  for (guint i = made->len; i > 0; i--)
    (void) g_rmdir (g_ptr_array_index (made, i - 1));
}

void
rp_folder_remove (const char *path)
{
  struct stat st;

  if (lstat (path, &st) != 0)
    return;
  if (S_ISDIR (st.st_mode)) {
    g_autoptr (GDir) d = g_dir_open (path, 0, NULL);
    const char *name;

    while (d != NULL && (name = g_dir_read_name (d)) != NULL) {
      g_autofree char *child = g_build_filename (path, name, NULL);

      rp_folder_remove (child);
    }
    (void) g_rmdir (path);
  } else {
    (void) g_unlink (path);
  }
}

char *
rp_folder_temporary (GError **error)
{
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "volsim-XXXXXX", NULL);

  if (g_mkdtemp (path) != NULL)
    return g_steal_pointer (&path);
  refuse (error, "create a folder in", g_get_tmp_dir (), errno);
  return NULL;
}

gboolean
rp_folder_empty (const char *dir, gboolean *empty, GError **error)
{
  DIR *d = opendir (dir);
  const struct dirent *e;

  if (d == NULL)
    return refuse (error, "look into", dir, errno);
  *empty = TRUE;
  while (*empty && (e = readdir (d)) != NULL)
    *empty = strcmp (e->d_name, ".") == 0 || strcmp (e->d_name, "..") == 0;
  (void) closedir (d);
  return TRUE;
}

struct RpFolder {
  char *mark;         /* its path; NULL: it was there before */
  GPtrArray *made;    /* folders that were not */
  gboolean kept;
};

/* The file by which @command owns @dir. (transfer full) */
static char *
mark_of (const char *dir, const char *command)
{
  g_autofree char *name = g_strconcat (".volsim-", command, NULL);

  return g_build_filename (dir, name, NULL);
}

gboolean
rp_folder_check (const char *dir, const char *command, GError **error)
{
  g_autofree char *mark = mark_of (dir, command);
  gboolean empty = FALSE;

  if (!g_file_test (dir, G_FILE_TEST_EXISTS) || g_file_test (mark, G_FILE_TEST_IS_REGULAR))
    return TRUE;
  if (!g_file_test (dir, G_FILE_TEST_IS_DIR)) {
    g_set_error (error, RP_ERROR, RP_ERROR_INPUT, "'%s' exists and is not a directory", dir);
    return FALSE;
  }
  if (!rp_folder_empty (dir, &empty, error))
    return FALSE;
  if (empty || g_file_test (mark, G_FILE_TEST_IS_REGULAR)) /* asked again: another process may have marked it just now */
    return TRUE;
  g_set_error (error, RP_ERROR, RP_ERROR_INPUT, "'%s' exists and holds no earlier answer of 'volsim %s' (no .volsim-%s); choose another directory or remove it", dir, command,
               command);
  return FALSE;
}

static gboolean
claim (RpFolder *f, const char *dir, const char *command, GError **error)
{
  g_autofree char *mark = mark_of (dir, command);

  if (!rp_folder_check (dir, command, error) || !rp_folder_make (dir, f->made, error))
    return FALSE;
  if (g_file_test (mark, G_FILE_TEST_IS_REGULAR))
    return TRUE;
  int fd = g_open (mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0666); /* appears under its own name: nobody sees a folder with something else in it alone */

  if (fd < 0)
    return refuse (error, "write", mark, errno);
  (void) close (fd);
  f->mark = g_steal_pointer (&mark);
  return TRUE;
}

RpFolder *
rp_folder_claim (const char *dir, const char *command, GError **error)
{
  g_autoptr (RpFolder) f = g_new0 (RpFolder, 1);

  f->made = g_ptr_array_new_with_free_func (g_free);
  return claim (f, dir, command, error) ? g_steal_pointer (&f) : NULL;
}

void
rp_folder_keep (RpFolder *f)
{
  f->kept = TRUE;
}

/* Is the mark the only thing beside it? */
static gboolean
is_alone (const char *mark)
{
  g_autofree char *dir = g_path_get_dirname (mark), *name = g_path_get_basename (mark);
  g_autoptr (GDir) d = g_dir_open (dir, 0, NULL);
  gboolean alone = d != NULL;

  for (const char *one; alone && (one = g_dir_read_name (d)) != NULL;)
    alone = strcmp (one, name) == 0;
  return alone;
}

void
rp_folder_free (RpFolder *f)
{
  if (f == NULL)
    return;
  if (!f->kept) {
    if (f->mark != NULL && is_alone (f->mark))
      (void) g_unlink (f->mark);
    rp_folder_unmake (f->made);
  }
  g_free (f->mark);
  g_ptr_array_unref (f->made);
  g_free (f);
}
