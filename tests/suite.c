/* tests/suite.c - see suite.h. */
#include "suite.h"
#include <CUnit/Basic.h>
#include <gio/gio.h>
#include <stdlib.h>
#include <string.h>

int
suite_run (const char *name, CU_TestInfo *tests)
{
  CU_pSuite suite;
  guint run, assertions, failures;

  if (CU_initialize_registry () != CUE_SUCCESS)
    return EXIT_FAILURE;
  suite = CU_add_suite (name, NULL, NULL);
  for (CU_TestInfo *t = tests; suite != NULL && t->pName != NULL; t++)
    if (CU_add_test (suite, t->pName, t->pTestFunc) == NULL)
      suite = NULL; /* a test that is left out must not go unnoticed */
  if (suite == NULL) {
    g_printerr ("%s: cannot set up the suite: %s\n", name, CU_get_error_msg ());
    CU_cleanup_registry ();
    return EXIT_FAILURE;
  }
  CU_basic_set_mode (CU_BRM_VERBOSE);
  CU_basic_run_tests ();
  run = CU_get_number_of_tests_run ();
  assertions = CU_get_number_of_asserts ();
  failures = CU_get_number_of_failures () + CU_get_number_of_tests_failed ();
  CU_cleanup_registry ();
  if (run == 0 || assertions == 0)
    g_printerr ("%s: nothing was tested\n", name);
  return failures == 0 && run > 0 && assertions > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

gboolean
suite_check_at (const char *file, guint line, gboolean ok, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  if (!ok) { /* formatting costs more than the millions of checks that hold */
    va_start (args, format);
    message = g_strdup_vprintf (format, args);
    va_end (args);
  }
  CU_assertImplementation (ok ? CU_TRUE : CU_FALSE, line, message != NULL ? message : "", file, "",
                           CU_FALSE);
  return ok;
}

G_GNUC_PRINTF (1, 2) static void
die (const char *format, ...)
{
  va_list args;
  g_autofree char *message = NULL;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_printerr ("%s\n", message);
  exit (EXIT_FAILURE);
}

char *
suite_read (const char *path, gsize *size)
{
  const char *given = g_getenv ("G_TEST_SRCDIR");
  g_autofree char *dir = given != NULL ? g_strdup (given) : g_path_get_dirname (__FILE__);
  g_autofree char *plain = g_build_filename (dir, path, NULL);
  g_autofree char *packed = g_strconcat (plain, ".gz", NULL);
  gboolean is_packed = !g_file_test (plain, G_FILE_TEST_EXISTS);
  g_autoptr (GFile) file = g_file_new_for_path (is_packed ? packed : plain);
  g_autoptr (GError) error = NULL;
  g_autoptr (GFileInputStream) in = g_file_read (file, NULL, &error);
  g_autoptr (GOutputStream) out = g_memory_output_stream_new_resizable ();
  g_autoptr (GInputStream) data = NULL;

  if (in == NULL)
    die ("%s", error->message);
  data = g_object_ref (G_INPUT_STREAM (in));
  if (is_packed) {
    g_autoptr (GConverter) unpack =
      G_CONVERTER (g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP));

    g_object_unref (data);
    data = g_converter_input_stream_new (G_INPUT_STREAM (in), unpack);
  }
  if (g_output_stream_splice (out, data, G_OUTPUT_STREAM_SPLICE_NONE, NULL, &error) < 0
      || !g_output_stream_write_all (out, "", 1, NULL, NULL, &error) /* the closing NUL */
      || !g_output_stream_close (out, NULL, &error))
    die ("%s: %s", is_packed ? packed : plain, error->message);
  if (size != NULL)
    *size = g_memory_output_stream_get_data_size (G_MEMORY_OUTPUT_STREAM (out)) - 1;
  return g_memory_output_stream_steal_data (G_MEMORY_OUTPUT_STREAM (out));
}

SuiteDoc *
suite_load (const char *name)
{
  const struct fy_parse_cfg cfg = { .flags = FYPCF_JSON_FORCE };
  g_autofree char *path = g_build_filename ("tables", name, NULL);
  gsize size;
  char *text = suite_read (path, &size);
  SuiteDoc *doc = fy_document_build_from_malloc_string (&cfg, text, size); /* takes text */

  if (doc == NULL || fy_document_root (doc) == NULL)
    die ("%s is not JSON", path);
  return doc;
}

SuiteNode *
suite_root (SuiteDoc *doc)
{
  return fy_document_root (doc);
}

SuiteNode *
suite_get (SuiteNode *map, const char *key)
{
  if (map == NULL || !fy_node_is_mapping (map))
    die ("'%s' is wanted of something that is no map", key);
  return fy_node_mapping_lookup_value_by_simple_key (map, key, strlen (key));
}

SuiteNode *
suite_need (SuiteNode *map, const char *key)
{
  SuiteNode *node = suite_get (map, key);

  if (node == NULL)
    die ("there is no '%s'", key);
  return node;
}

SuiteNode *
suite_at (SuiteNode *list, guint i)
{
  SuiteNode *node = list != NULL ? fy_node_sequence_get_by_index (list, (int) i) : NULL;

  if (node == NULL)
    die ("there is no item %u", i);
  return node;
}

guint
suite_count (SuiteNode *list)
{
  if (list == NULL || !fy_node_is_sequence (list))
    die ("a list is wanted");
  return (guint) fy_node_sequence_item_count (list);
}

const char *
suite_text (SuiteNode *node)
{
  const char *text = node != NULL && fy_node_is_scalar (node) ? fy_node_get_scalar0 (node) : NULL;

  if (text == NULL)
    die ("a scalar is wanted");
  return text;
}

double
suite_number (SuiteNode *node)
{
  const char *text = suite_text (node);
  char *end;
  double x = g_ascii_strtod (text, &end);

  if (end == text || *end != '\0')
    die ("'%s' is not a number", text);
  return x;
}

gint64
suite_int (SuiteNode *node)
{
  g_autoptr (GError) error = NULL;
  gint64 x = 0;

  if (!g_ascii_string_to_signed (suite_text (node), 10, G_MININT64, G_MAXINT64, &x, &error))
    die ("%s", error->message);
  return x;
}

gboolean
suite_bool (SuiteNode *node)
{
  const char *text = suite_text (node);

  if (strcmp (text, "true") != 0 && strcmp (text, "false") != 0)
    die ("'%s' is neither true nor false", text);
  return *text == 't';
}

gboolean
suite_is_null (SuiteNode *node)
{
  return node != NULL && fy_node_is_scalar (node) && fy_node_get_style (node) == FYNS_PLAIN
         && strcmp (suite_text (node), "null") == 0;
}

SuiteNode *
suite_next (SuiteNode *list, void **at)
{
  return list != NULL ? fy_node_sequence_iterate (list, at) : NULL;
}

SuiteNode *
suite_next_pair (SuiteNode *map, void **at, const char **key)
{
  struct fy_node_pair *pair = map != NULL ? fy_node_mapping_iterate (map, at) : NULL;

  if (pair == NULL)
    return NULL;
  *key = suite_text (fy_node_pair_key (pair));
  return fy_node_pair_value (pair);
}

guint64
suite_random (guint64 *state)
{
  guint64 x = *state += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  x = (x ^ (x >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return x ^ (x >> 31);
}
