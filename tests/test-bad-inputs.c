/* tests/test-bad-inputs.c - what the readers refuse, and in which words.
 *
 * bad-inputs/ holds one fault a file; expected.txt beside them has the whole message of each, which
 * begins with the name of the file. The name also says which reader: nodes-…, jobs-…, queues-…, scale-…, faults-…, images-…, recorded-….
 * Faults that are too large to keep are written here, through a pipe that counts how much the
 * reader took before it refused. */
#include "suite.h"
#include "workloads/native/faults.h"
#include "workloads/native/images.h"
#include "workloads/native/native.h"
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static GArray *
read_kind (const char *name, const char *path, GError **error)
{
  if (g_str_has_prefix (name, "nodes"))
    return wl_read_nodes (path, error);
  if (g_str_has_prefix (name, "scale"))
    return wl_read_scale (path, error);
  if (g_str_has_prefix (name, "faults"))
    return wl_read_faults (path, error);
  if (g_str_has_prefix (name, "recorded"))
    return wl_read_recorded (path, error);
  if (g_str_has_prefix (name, "images"))
    return wl_read_images (path, error);
  return g_str_has_prefix (name, "jobs") ? wl_read_jobs (path, error)
                                         : wl_read_queues (path, error);
}

/* @path is refused with exactly @expected. */
static void
refused (const char *name, const char *path, const char *expected)
{
  g_autoptr (GError) error = NULL;
  GArray *rows = read_kind (name, path, &error);

  suite_check (rows == NULL && error != NULL, "%s: refused", path);
  if (error != NULL) {
    suite_check (error->domain == WL_ERROR, "%s: a WL_ERROR", path);
    suite_check (strcmp (error->message, expected) == 0, "%s\n    said     %s\n    expected %s",
                 path, error->message, expected);
  }
  if (rows != NULL)
    g_array_unref (rows);
  rows = read_kind (name, path, NULL); /* nobody wants to know why */
  suite_check (rows == NULL, "%s: refused without an error to set", path);
  if (rows != NULL)
    g_array_unref (rows);
}

static void
every_file_is_refused_in_the_expected_words (void)
{
  g_autofree char *text = suite_read ("bad-inputs/expected.txt", NULL);
  g_autofree char *dir = NULL, *before = g_get_current_dir ();
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  const char *root = g_getenv ("G_TEST_SRCDIR"), *name;
  g_autoptr (GDir) files = NULL;
  guint n_lines = 0, n_files = 0;

  dir = root != NULL ? g_build_filename (root, "bad-inputs", NULL) : NULL;
  if (dir == NULL) {
    g_autofree char *here = g_path_get_dirname (__FILE__);
    dir = g_build_filename (here, "bad-inputs", NULL);
  }
  if (!suite_check (g_chdir (dir) == 0, "%s is there", dir)) /* messages then hold bare names */
    return;
  for (char **line = lines; *line != NULL && **line != '\0'; line++, n_lines++) {
    g_autofree char *file = g_strndup (*line, strcspn (*line, ":"));

    refused (file, file, *line);
  }
  files = g_dir_open (".", 0, NULL);
  while (files != NULL && (name = g_dir_read_name (files)) != NULL)
    n_files += strcmp (name, "expected.txt") != 0;
  suite_check (n_lines == n_files, "%u messages for %u files", n_lines, n_files);
  suite_check (n_lines >= 60, "%u files", n_lines);
  suite_check (g_chdir (before) == 0, "back again");
}

/* ---- inputs made here ---- */

typedef struct {
  int fd;
  const char *head, *piece; /* @head once, then @piece until @size bytes are written */
  gsize size, written;
} Writer;

static gpointer
write_all (gpointer data)
{
  Writer *w = data;
  g_autoptr (GString) chunk = g_string_new (w->head);

  while (w->written < w->size) {
    gssize n;

    while (chunk->len < 65536)
      g_string_append (chunk, w->piece);
    n = write (w->fd, chunk->str, MIN (chunk->len, w->size - w->written));
    if (n <= 0)
      break; /* the reader has gone */
    w->written += (gsize) n;
    g_string_erase (chunk, 0, n);
  }
  close (w->fd);
  return NULL;
}

/* Refused with @expected (after the path) before much more than @most bytes were taken. */
static void
refused_early (const char *head, const char *piece, gsize size, gsize most, const char *expected)
{
  int fds[2];
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;
  Writer w = { .head = head, .piece = piece, .size = size };
  GThread *thread;
  GArray *rows;

  if (!suite_check (pipe (fds) == 0, "a pipe"))
    return;
  w.fd = fds[1];
  thread = g_thread_new ("writer", write_all, &w);
  path = g_strdup_printf ("/dev/fd/%d", fds[0]);
  rows = wl_read_nodes (path, &error);
  close (fds[0]);
  g_thread_join (thread);
  suite_check (rows == NULL, "%s: refused", expected);
  if (rows != NULL)
    g_array_unref (rows);
  if (error != NULL) {
    const char *place
        = g_str_has_prefix (error->message, path) ? error->message + strlen (path) : "";

    suite_check (strcmp (place, expected) == 0, "said %s, expected %s", error->message, expected);
  }
  suite_check (w.written <= most, "%s: took %" G_GSIZE_FORMAT " bytes", expected, w.written);
}

#define MIB ((gsize) 1024 * 1024)

static void
a_huge_line_is_refused_before_it_is_read (void)
{
  refused_early (
      "node,cpu\n", "x", 100 * MIB, 2 * MIB,
      ":2:1: cell too long (or its quote is not closed), expected at most 1 MiB, found more");
  refused_early (
      "", "x", 100 * MIB, 2 * MIB,
      ":1:1: cell too long (or its quote is not closed), expected at most 1 MiB, found more");
  refused_early (
      "node,cpu\nn1,2\nn2,\"", "2\n", 100 * MIB, 2 * MIB,
      ":3:4: cell too long (or its quote is not closed), expected at most 1 MiB, found more");
  refused_early ("node,cpu\n", ",", 100 * MIB, 17 * MIB,
                 ":2:1: row too long, expected at most 16 MiB, found more");
  refused_early ("node,cpu\nn1,2\n", "\"a\n\",", 100 * MIB, 17 * MIB,
                 ":3:1: row too long, expected at most 16 MiB, found more");
}

static void
binary_data_is_refused_at_its_first_byte (void)
{
  refused_early ("node,cpu\nn1,\xff", "x", 100 * MIB, 2 * MIB,
                 ":2:4: invalid UTF-8, expected UTF-8 text, found byte 0xff");
  refused_early ("node,cpu\nn1,\x01", "x", 100 * MIB, MIB,
                 ":2:4: control character, expected UTF-8 text, found byte 0x01");
}

static void
too_many_columns_are_refused (void)
{
  g_autoptr (GString) head = g_string_new ("node");

  for (guint i = 0; i < 5000; i++)
    g_string_append_printf (head, ",x_%u", i);
  g_string_append_c (head, '\n');
  refused_early (head->str, "n,", 100000, MIB,
                 ":1:27561: too many columns, expected at most 4096, found more");
}

static void
files_that_cannot_be_read_are_told_so (void)
{
  g_autofree char *dir = g_dir_make_tmp ("volsim-bad-XXXXXX", NULL);
  g_autofree char *none = g_build_filename (dir, "none.csv", NULL);
  g_autofree char *zst = g_build_filename (dir, "plain.csv.zst", NULL);
  g_autofree char *no_file = g_strdup_printf (
      "%s: cannot open, expected a readable file, found: No such file or directory", none);
  g_autofree char *no_text
      = g_strdup_printf ("%s:1:1: cannot read, expected readable data, found: Is a directory", dir);

  refused ("nodes", none, no_file);
  refused ("jobs", none, no_file);
  refused ("queues", dir, no_text);
  suite_check (g_file_set_contents (zst, "node,cpu\nn1,2\n", -1, NULL), "%s", zst);
  {
    g_autoptr (GError) error = NULL;
    GArray *rows = wl_read_nodes (zst, &error);

    suite_check (rows == NULL && error != NULL
                     && strstr (error->message, "cannot decompress") != NULL,
                 "plain text under a .zst name: %s", error != NULL ? error->message : "accepted");
    if (rows != NULL)
      g_array_unref (rows);
  }
  g_unlink (zst);
  g_rmdir (dir);
}

int
main (void)
{
  CU_TestInfo tests[]
      = { { "every file is refused in the expected words",
            every_file_is_refused_in_the_expected_words },
          { "a huge line is refused before it is read", a_huge_line_is_refused_before_it_is_read },
          { "binary data is refused at its first byte", binary_data_is_refused_at_its_first_byte },
          { "too many columns are refused", too_many_columns_are_refused },
          { "files that cannot be read are told so", files_that_cannot_be_read_are_told_so },
          CU_TEST_INFO_NULL };

  signal (SIGPIPE, SIG_IGN);
  return suite_run ("bad-inputs", tests);
}
