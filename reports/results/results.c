/* reports/results/results.c - the results directory: made beside its place, filled row by row (results-rows.c), renamed when
 * all is well. */
#include "results-private.h"
#include "reports/charts/charts.h"
#include "reports/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

G_DEFINE_QUARK (rp_error_quark, rp_error)

/* ---- directories ---------------------------------------------------------------------------- */

static gboolean
io_error (GError **error, const char *what, const char *path)
{
  const int e = errno;

  g_set_error (error, RP_ERROR, RP_ERROR_IO, "cannot %s '%s': %s", what, path, g_strerror (e));
  return FALSE;
}

/* Does @dir hold an earlier result of this program? */
static gboolean
holds_result (const char *dir)
{
  static const char mark[] = "{\n  \"schema\": \"" RP_SCHEMA_NAME;
  g_autofree char *path = g_build_filename (dir, "summary.json", NULL);
  char head[sizeof mark - 1];
  gboolean ok = FALSE;
  FILE *f = fopen (path, "rbe");

  if (f != NULL) {
    ok = fread (head, 1, sizeof head, f) == sizeof head && memcmp (head, mark, sizeof head) == 0;
    (void) fclose (f);
  }
  return ok;
}

/* May a result take the place of @dir? */
static gboolean
may_replace (const char *dir, GError **error)
{
  gboolean empty = FALSE;
  struct stat st;

  if (stat (dir, &st) != 0)
    return errno == ENOENT ? TRUE : io_error (error, "look at", dir);
  if (!S_ISDIR (st.st_mode)) {
    g_set_error (error, RP_ERROR, RP_ERROR_INPUT, "'%s' exists and is not a directory", dir);
    return FALSE;
  }
  if (!rp_folder_empty (dir, &empty, error))
    return FALSE;
  if (empty || holds_result (dir))
    return TRUE;
  g_set_error (error, RP_ERROR, RP_ERROR_INPUT,
               "'%s' exists and holds no earlier result (no summary.json of volsim); choose "
               "another directory or remove it",
               dir);
  return FALSE;
}

/* A new directory beside the target; the number tells runs of one process apart. */
static char *
make_sibling (const char *target, const char *kind, GError **error)
{
  g_autofree char *parent = g_path_get_dirname (target), *name = g_path_get_basename (target);

  for (guint i = 0;; i++) {
    g_autofree char *file
        = i == 0 ? g_strdup_printf (".%s.%s-%ld", name, kind, (long) getpid ())
                 : g_strdup_printf (".%s.%s-%ld-%u", name, kind, (long) getpid (), i);
    g_autofree char *path = g_build_filename (parent, file, NULL);

    if (g_mkdir (path, 0777) == 0)
      return g_steal_pointer (&path);
    if (errno != EEXIST || i >= 1000) {
      io_error (error, "create", path);
      return NULL;
    }
  }
}

/* What a results directory holds beside the tables. */
static const char *const other_files[] = { "summary.json", "timing.json", "charts", "report.html", "volcano-scheduler.conf", NULL };

void
rp_results_remove (const char *dir)
{
  for (guint f = 0; f < RP_N_FILES; f++) {
    g_autofree char *path = g_build_filename (dir, rp_file_name (f), NULL);

    (void) g_unlink (path);
  }
  for (const char *const *name = other_files; *name != NULL; name++) {
    g_autofree char *path = g_build_filename (dir, *name, NULL);

    rp_folder_remove (path);
  }
  (void) g_rmdir (dir);
}

/* Put the finished directory in its place. What volsim did not write into the old one moves along.
 */
static gboolean
move_into_place (RpResults *r, GError **error)
{
  g_autofree char *old = NULL;
  g_autoptr (GDir) d = NULL;
  const char *name;

  if (!may_replace (r->target, error)) /* it may have changed since the start */
    return FALSE;
  if (g_file_test (r->target, G_FILE_TEST_EXISTS)) {
    old = make_sibling (r->target, "old", error);
    if (old == NULL)
      return FALSE;
    if (g_rename (r->target, old) != 0) { /* onto an empty directory */
      io_error (error, "move away", r->target);
      (void) g_rmdir (old);
      return FALSE;
    }
  }
  if (g_rename (r->partial, r->target) != 0) {
    io_error (error, "create", r->target);
    if (old != NULL)
      (void) g_rename (old, r->target);
    return FALSE;
  }
  g_clear_pointer (&r->partial, g_free);
  if (old == NULL)
    return TRUE;
  rp_results_remove (old);
  d = g_dir_open (old, 0, NULL);
  while (d != NULL && (name = g_dir_read_name (d)) != NULL) {
    g_autofree char *from = g_build_filename (old, name, NULL), *to = g_build_filename (r->target, name, NULL);

    if (g_file_test (to, G_FILE_TEST_EXISTS) || g_rename (from, to) != 0)
      rp_folder_remove (from);
  }
  (void) g_rmdir (old);
  return TRUE;
}

/* ---- opening -------------------------------------------------------------------------------- */

static char *
resolve (const char *dir)
{
  char *real = realpath (dir, NULL); /* a link to a directory: replace what it points to */
  char *out;

  if (real == NULL)
    return g_canonicalize_filename (dir, NULL);
  out = g_strdup (real);
  free (real);
  return out;
}

static gboolean
open_file (RpResults *r, RpFile f, const char *const *extra, GError **error)
{
  g_auto (GStrv) header = rp_schema_header (f, r->resources, r->n_resources, extra, r->n_extra);
  g_autofree char *path = g_build_filename (r->partial, rp_file_name (f), NULL);

  r->csv[f] = rp_csv_open (path, g_strv_length (header), error);
  if (r->csv[f] == NULL)
    return FALSE;
  for (guint i = 0; header[i] != NULL; i++)
    rp_csv_text (r->csv[f], header[i]);
  rp_csv_end_row (r->csv[f]);
  return TRUE;
}

static gboolean
open_files (RpResults *r, const char *const *extra, GError **error)
{
  for (guint f = 0; f < RP_N_FILES; f++)
    if (f != RP_FILE_CHAIN && f != RP_FILE_SCHEDULERS && f != RP_FILE_RACKS && f != RP_FILE_RECORDED && f != RP_FILE_MISFITS && !open_file (r, f, extra, error))
      return FALSE;
  return TRUE;
}

gboolean
rp_results_follow (RpResults *r, GError **error)
{
  return r->dir == NULL || open_file (r, RP_FILE_CHAIN, NULL, error);
}

gboolean
rp_results_several (RpResults *r, GError **error)
{
  return r->dir == NULL || open_file (r, RP_FILE_SCHEDULERS, NULL, error);
}

gboolean
rp_results_racks (RpResults *r, GError **error)
{
  return r->dir == NULL || open_file (r, RP_FILE_RACKS, NULL, error);
}

gboolean
rp_results_recorded (RpResults *r, GError **error)
{
  return r->dir == NULL || open_file (r, RP_FILE_RECORDED, NULL, error);
}

gboolean
rp_results_misfits (RpResults *r, GError **error)
{
  r->summary.followed.told = TRUE;
  return r->dir == NULL || open_file (r, RP_FILE_MISFITS, NULL, error);
}

RpResults *
rp_results_new (const char *dir, const RpResource *resources, guint n_resources,
                const char *const *extra_columns, guint n_extra, GError **error)
{
  g_autoptr (RpResults) r = g_new0 (RpResults, 1);
  g_autofree char *parent = NULL;

  r->dir = g_strdup (dir);
  r->made_parents = g_ptr_array_new_with_free_func (g_free);
  r->n_resources = n_resources;
  r->n_extra = n_extra;
  r->resources = g_new0 (RpResource, n_resources);
  for (guint i = 0; i < n_resources; i++)
    r->resources[i] = (RpResource){ g_strdup (resources[i].name), resources[i].divisor };
  rp_summary_init (&r->summary, r->resources, n_resources);
  if (dir == NULL)
    return g_steal_pointer (&r);
  r->target = resolve (dir);
  if (!may_replace (r->target, error))
    return NULL;
  parent = g_path_get_dirname (r->target);
  if (!rp_folder_make (parent, r->made_parents, error))
    return NULL;
  r->partial = make_sibling (r->target, "partial", error);
  if (r->partial == NULL || !open_files (r, extra_columns, error))
    return NULL;
  return g_steal_pointer (&r);
}

void
rp_results_free (RpResults *r)
{
  if (r == NULL)
    return;
  for (guint f = 0; f < RP_N_FILES; f++)
    rp_csv_free (r->csv[f]);
  if (r->partial != NULL)
    rp_folder_remove (r->partial);
  if (!r->committed)
    rp_folder_unmake (r->made_parents);
  rp_summary_clear (&r->summary);
  for (guint i = 0; i < r->n_resources; i++)
    g_free ((char *) r->resources[i].name);
  g_free (r->resources);
  g_ptr_array_unref (r->made_parents);
  g_free (r->version);
  g_free (r->beyond);
  g_free (r->partial);
  g_free (r->target);
  g_free (r->dir);
  g_free (r);
}

void
rp_results_end (RpResults *r, gint64 time)
{
  rp_summary_end (&r->summary, time);
  r->ended = TRUE;
}

/* ---- commit --------------------------------------------------------------------------------- */

static gboolean
write_file (RpResults *r, const char *name, const char *text, gsize length, GError **error)
{
  g_autofree char *path = g_build_filename (r->partial, name, NULL);
  FILE *f = fopen (path, "wxe");
  gboolean ok;

  if (f == NULL)
    return io_error (error, "create", path);
  ok = fwrite (text, 1, length, f) == length;
  if (!ok) {
    io_error (error, "write", path);
    (void) fclose (f);
    return FALSE;
  }
  return fclose (f) == 0 ? TRUE
                         : io_error (error, "write", path); /* a full disk may show only here */
}

static gboolean
draw_charts (RpResults *r, char **warning, GError **error)
{
  g_autofree char *dir = g_build_filename (r->partial, "charts", NULL), *text = NULL;

  if (g_mkdir (dir, 0777) != 0)
    return io_error (error, "create", dir);
  if (!rp_charts_draw (&r->summary, dir, &text, error))
    return FALSE;
  r->charts = text == NULL;
  if (text != NULL)
    rp_folder_remove (dir);
  if (warning != NULL)
    *warning = g_steal_pointer (&text);
  return TRUE;
}

gboolean
rp_results_commit (RpResults *r, const RpManifest *m, const RpTiming *t, gboolean charts,
                   char **warning, GError **error)
{
  g_autofree char *summary = NULL, *timing = NULL;
  guint64 rows[RP_N_FILES];
  gsize length;
  gboolean drawn;

  g_assert (!r->committed && r->dir != NULL);
  if (warning != NULL)
    *warning = NULL;
  if (!r->ended)
    rp_results_end (r, r->last_time);
  for (guint f = 0; f < RP_N_FILES; f++) {
    rows[f] = r->csv[f] != NULL ? rp_csv_rows (r->csv[f]) - 1 : RP_NO_FILE;
    if (r->csv[f] != NULL && !rp_csv_close (r->csv[f], error))
      goto failed;
  }
  r->version = g_strdup (m->version);
  r->beyond = g_strdup (m->beyond);
  summary = rp_summary_json (&r->summary, m, rows, &length);
  if (!write_file (r, "summary.json", summary, length, error))
    goto failed;
  if (m->conf_text != NULL && !write_file (r, "volcano-scheduler.conf", m->conf_text, strlen (m->conf_text), error))
    goto failed;
  const RpTook before = rp_took (NULL, TRUE);

  drawn = !charts || draw_charts (r, warning, error);
  if (m->interrupted != NULL && *m->interrupted != 0) { /* gnuplot gets the terminal's Ctrl-C as well, and fails of it */
    g_clear_error (error);
    g_set_error_literal (error, RP_ERROR, RP_ERROR_INTERRUPTED, "interrupted; no results are written");
    goto failed;
  }
  if (!drawn)
    goto failed;
  const RpTook drawing = rp_took (&before, TRUE);

  timing = rp_timing_json (t, r->charts ? &drawing : NULL, r->summary.end, &length);
  if (!write_file (r, "timing.json", timing, length, error) || !move_into_place (r, error))
    goto failed;
  r->committed = TRUE;
  return TRUE;

failed:
  rp_folder_remove (r->partial); /* make room at once: the caller may still want to write */
  return FALSE;
}

const RpSummary *
rp_results_summary (const RpResults *r)
{
  return &r->summary;
}

char *
rp_results_summary_text (const RpResults *r)
{
  return rp_summary_text (&r->summary, r->version != NULL ? r->version : VOLSIM_VERSION, r->beyond, r->dir,
                          r->charts);
}
