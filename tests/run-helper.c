/* tests/run-helper.c - see run-helper.h. */
#include "run-helper.h"
#include "suite.h"
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>

char *
test_find (const char *dir, const char *name)
{
  g_autofree char *plain = g_build_filename (dir, name, NULL);
  g_autofree char *packed = g_strconcat (plain, ".gz", NULL);

  if (g_file_test (plain, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&plain);
  return g_file_test (packed, G_FILE_TEST_EXISTS) ? g_steal_pointer (&packed) : NULL;
}

char *
test_read (const char *path, gsize *len, GError **error)
{
  g_autofree char *dir = g_path_get_dirname (path), *name = g_path_get_basename (path);
  g_autofree char *found = test_find (dir, name);
  g_autoptr (GFile) file = g_file_new_for_path (found != NULL ? found : path);
  g_autoptr (GInputStream) in = G_INPUT_STREAM (g_file_read (file, NULL, error));
  g_autoptr (GOutputStream) out = g_memory_output_stream_new_resizable ();

  if (in == NULL)
    return NULL;
  if (g_str_has_suffix (found, ".gz")) {
    g_autoptr (GConverter) unpack
        = G_CONVERTER (g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP));
    GInputStream *unpacked = g_converter_input_stream_new (in, unpack);

    g_object_unref (in);
    in = unpacked;
  }
  if (g_output_stream_splice (out, in, G_OUTPUT_STREAM_SPLICE_NONE, NULL, error) < 0
      || !g_output_stream_write_all (out, "", 1, NULL, NULL, error)
      || !g_output_stream_close (out, NULL, error))
    return NULL;
  if (len != NULL)
    *len = g_memory_output_stream_get_data_size (G_MEMORY_OUTPUT_STREAM (out)) - 1;
  return g_memory_output_stream_steal_data (G_MEMORY_OUTPUT_STREAM (out));
}

/* ---- CSV ---- */

/* The cell at *at, unquoted in place; *at moves past the separator and *last says whether it ended
 * the row. */
static char *
take_cell (char **at, gboolean *last)
{
  char *from = *at, *to = *at, *cell = *at;

  if (*from == '"') {
    for (from++; *from != '\0' && (*from != '"' || from[1] == '"'); from++) {
      if (*from == '"')
        from++;
      *to++ = *from;
    }
    if (*from == '"')
      from++;
  } else {
    while (*from != '\0' && *from != ',' && *from != '\n' && *from != '\r')
      from++;
    to = from;
  }
  if (*from == '\r')
    from++;
  *last = *from != ',';
  *at = *from == '\0' ? from : from + 1;
  *to = '\0';
  return cell;
}

gboolean
test_table_read (TestTable *t, const char *path, GError **error)
{
  char *at;
  gboolean last = FALSE;

  t->text = test_read (path, NULL, error);
  t->names = g_ptr_array_new ();
  t->rows = g_ptr_array_new_with_free_func (g_free);
  if (t->text == NULL)
    return FALSE;
  at = t->text;
  while (!last)
    g_ptr_array_add (t->names, take_cell (&at, &last));
  while (*at != '\0') {
    const char **row = g_new0 (const char *, t->names->len);
    guint n = 0;

    g_ptr_array_add (t->rows, row);
    for (last = FALSE; !last; n++) {
      const char *cell = take_cell (&at, &last);

      if (n < t->names->len)
        row[n] = cell;
    }
    if (n != t->names->len) {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
                   "%s: row %u has %u cells, the header %u", path, t->rows->len, n, t->names->len);
      return FALSE;
    }
  }
  return TRUE;
}

void
test_table_clear (TestTable *t)
{
  g_clear_pointer (&t->rows, g_ptr_array_unref);
  g_clear_pointer (&t->names, g_ptr_array_unref);
  g_clear_pointer (&t->text, g_free);
}

int
test_table_column (const TestTable *t, const char *name)
{
  for (guint i = 0; i < t->names->len; i++)
    if (strcmp (g_ptr_array_index (t->names, i), name) == 0)
      return (int) i;
  return -1;
}

const char *
test_table_cell (const TestTable *t, guint row, int column)
{
  const char *const *cells = g_ptr_array_index (t->rows, row);

  return column >= 0 ? cells[column] : "";
}

/* ---- programs and folders ---- */

int
test_run (char **args, char **output, char **complaint)
{
  g_autofree char *out = NULL, *err = NULL;
  g_autoptr (GError) error = NULL;
  int status = 0, code = -1;

  if (!g_spawn_sync (NULL, args, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &out, &err, &status,
                     &error)) {
    if (complaint != NULL)
      *complaint = g_strdup (error->message);
    return -1;
  }
  if (g_spawn_check_wait_status (status, &error))
    code = 0;
  else if (g_error_matches (error, G_SPAWN_EXIT_ERROR, error->code))
    code = error->code;
  if (output != NULL)
    *output = g_steal_pointer (&out);
  if (complaint != NULL)
    *complaint = g_strchomp (g_steal_pointer (&err));
  return code;
}

char *
test_make_dir (void)
{
  g_autoptr (GError) error = NULL;
  char *dir = g_dir_make_tmp ("volsim-test-XXXXXX", &error);

  if (dir == NULL)
    g_error ("no temporary folder: %s", error->message);
  return dir;
}

static GPtrArray *
sorted_entries (const char *path)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  return names;
}

char *
test_run_all_ways (const char *dir, const char *const *args)
{
  static const char *const ways[] = { "--skip", "--no-skip", "--plain" };
  char *first = g_build_filename (dir, ways[0] + 2, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
    g_autofree char *out = g_build_filename (dir, ways[i] + 2, NULL), *complaint = NULL;
    g_autoptr (GPtrArray) all = g_ptr_array_new ();

    g_ptr_array_add (all, (gpointer) g_getenv ("VOLSIM_BIN"));
    g_ptr_array_add (all, (gpointer) "run");
    for (guint k = 0; args[k] != NULL; k++)
      g_ptr_array_add (all, (gpointer) args[k]);
    g_ptr_array_add (all, (gpointer) "--no-charts");
    g_ptr_array_add (all, (gpointer) "--out");
    g_ptr_array_add (all, out);
    if (i > 0)
      g_ptr_array_add (all, (gpointer) ways[i]);
    g_ptr_array_add (all, NULL);
    if (!suite_check (test_run ((char **) all->pdata, NULL, &complaint) == 0, "%s: %s", ways[i], complaint))
      continue;
    g_autofree char *differs = i > 0 ? test_first_difference (first, out, "timing.json") : NULL;
    suite_check (differs == NULL || strcmp (differs, "summary.json") == 0, "%s: %s differs", ways[i], differs);
  }
  return first;
}

char *
test_write (const char *dir, const char *name, const char *text)
{
  char *path = g_build_filename (dir, name, NULL);

  if (!g_file_set_contents (path, text, -1, NULL))
    g_error ("%s cannot be written", path);
  return path;
}

void
test_remove_tree (const char *path)
{
  if (g_file_test (path, G_FILE_TEST_IS_DIR) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK)) {
    g_autoptr (GPtrArray) names = sorted_entries (path);

    for (guint i = 0; i < names->len; i++) {
      g_autofree char *child = g_build_filename (path, g_ptr_array_index (names, i), NULL);

      test_remove_tree (child);
    }
  }
  g_remove (path);
}

static char *
missing_or_different (const char *a, const char *b, const char *except, gboolean contents)
{
  g_autoptr (GPtrArray) names = sorted_entries (a);

  for (guint i = 0; i < names->len; i++) {
    const char *name = g_ptr_array_index (names, i);
    g_autofree char *x = g_build_filename (a, name, NULL), *y = g_build_filename (b, name, NULL);
    g_autofree char *left = NULL, *right = NULL;
    gsize n = 0, m = 0;

    if (strcmp (name, except) == 0)
      continue;
    if (g_file_test (x, G_FILE_TEST_IS_DIR)) {
      char *found = missing_or_different (x, y, except, contents);

      if (found != NULL)
        return found;
      continue;
    }
    if (!g_file_test (y, G_FILE_TEST_IS_REGULAR))
      return g_strdup_printf ("%s is missing", y);
    if (contents
        && (!g_file_get_contents (x, &left, &n, NULL) || !g_file_get_contents (y, &right, &m, NULL)
            || n != m || memcmp (left, right, n) != 0))
      return g_strdup_printf ("%s differs from %s", y, x);
  }
  return NULL;
}

char *
test_first_difference (const char *a, const char *b, const char *except)
{
  char *found = missing_or_different (a, b, except, TRUE);

  return found != NULL ? found : missing_or_different (b, a, except, FALSE);
}
