/* tests/test-quantity.c - Kubernetes quantities against recorded values. */
#include "core/base/quantity.h"
#include "core/base/resource.h"
#include "suite.h"
#include <string.h>

/* What a quantity adds to an empty vector under a name, by the rules of 'NewResource'. */
static void
check_vector (const char *text, const VcQuantity *q, const char *name, SuiteNode *vector)
{
  double cpu = strcmp (name, "cpu") == 0 ? (double) q->milli : 0;
  double memory = strcmp (name, "memory") == 0 ? (double) q->value : 0;
  SuiteNode *scalars = suite_get (vector, "scalars"), *scalar;

  suite_check (suite_number (suite_need (vector, "cpu")) == cpu, "'%s' as %s: cpu", text, name);
  suite_check (suite_number (suite_need (vector, "memory")) == memory, "'%s' as %s: memory", text,
               name);
  if (!suite_check (vc_res_is_scalar_name (name) == (scalars != NULL), "%s is a scalar", name)
      || scalars == NULL)
    return;
  scalar = suite_need (scalars, name);
  suite_check (suite_number (scalar) == (double) (strcmp (name, "pods") == 0 ? q->value : q->milli),
               "'%s' as %s", text, name);
}

static void
every_recorded_text_reads_as_recorded (void)
{
  g_autoptr (SuiteDoc) doc = suite_load ("quantities.json");
  SuiteNode *rows = suite_need (suite_root (doc), "rows"), *row, *value;
  const char *key;
  guint n = 0;

  for (void *at = NULL; (row = suite_next (rows, &at)) != NULL; n++) {
    const char *text = suite_text (suite_need (row, "text"));
    g_autoptr (GError) error = NULL;
    VcQuantity q = { 77, 78 };
    gboolean read = vc_quantity_parse (text, &q, &error);

    suite_check (read == (error == NULL), "'%s': an error and only then", text);
    if (!suite_check (read == (suite_get (row, "error") == NULL), "'%s' is a quantity", text))
      continue;
    if (!read) {
      suite_check (q.value == 77 && q.milli == 78, "'%s' left the result alone", text);
      suite_check (g_error_matches (error, VC_QUANTITY_ERROR, VC_QUANTITY_ERROR_SYNTAX),
                   "'%s': syntax error", text);
      continue;
    }
    suite_check (q.value == suite_int (suite_need (row, "value")), "'%s': value", text);
    suite_check (q.milli == suite_int (suite_need (row, "milli")), "'%s': milli", text);
    for (void *pair = NULL; (value = suite_next_pair (row, &pair, &key)) != NULL;)
      if (g_str_has_prefix (key, "as "))
        check_vector (text, &q, key + strlen ("as "), value);
  }
  suite_check (n >= 40, "%u rows", n);
}

static void
numbers_are_exact_and_saturate (void)
{
  static const struct {
    const char *text;
    gint64 value, milli;
  } rows[] = {
    { "9223372036854775807", G_MAXINT64, G_MAXINT64 },
    { "9223372036854775808", G_MAXINT64, G_MAXINT64 },
    { "-9223372036854775808", G_MININT64, G_MININT64 },
    { "-99999999999999999999", G_MININT64, G_MININT64 },
    { "8Ei", G_MAXINT64, G_MAXINT64 },
    { "7Ei", 7 * (G_GINT64_CONSTANT (1) << 60), G_MAXINT64 },
    { "1e99999999999999999999", G_MAXINT64, G_MAXINT64 },
    { "0e99999999999999999999", 0, 0 },
    { "1e-99999999999999999999", 1, 1 },
    { "0e-1", 0, 0 },
    /* 2^53 + 1: no double holds it */
    { "9007199254740993", 9007199254740993, 9007199254740993000 },
    { "1.0000000000000000000000000000001", 2, 1001 },
    { "1.00000000000000000000000000000000", 1, 1000 },
    { "0000000000000000000000000000002", 2, 2000 },
    { "0.0009765625Ki", 1, 1000 },
    { "0.0009765626Ki", 2, 1001 },
    { "1.5Ei", 3 * (G_GINT64_CONSTANT (1) << 59), G_MAXINT64 },
    { "-1.0001", -2, -1001 },
    { "1500u", 1, 2 },
    { "2000000n", 1, 2 },
    { "1E", G_GINT64_CONSTANT (1000000000000000000), G_MAXINT64 },
    { "1E0", 1, 1000 },
    { "1e+2", 100, 100000 },
    { ".", 0, 0 },
    { "-", 0, 0 },
    { "m", 0, 0 },
    { "Ti", 0, 0 },
    { "0Ei", 0, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    VcQuantity q = { 0 };

    if (suite_check (vc_quantity_parse (rows[i].text, &q, NULL), "'%s' is read", rows[i].text)) {
      suite_check (q.value == rows[i].value, "'%s': value %" G_GINT64_FORMAT, rows[i].text,
                   q.value);
      suite_check (q.milli == rows[i].milli, "'%s': milli %" G_GINT64_FORMAT, rows[i].text,
                   q.milli);
    }
  }
}

static void
other_texts_are_refused (void)
{
  static const char *const texts[] = {
    "",    " 1",  "1 ",   "1.2.3", "1K",  "1kI", "1e",    "1e+", "1e1.5",    "--1", "+-1",
    "1mm", "1Kim", "NaN", "inf",   "1,5", "Ei",  "1e1e1", "1 m", "\xc2\xbd", "1E3k",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GError) error = NULL;
    VcQuantity q;

    suite_check (!vc_quantity_parse (texts[i], &q, &error), "'%s' is refused", texts[i]);
    suite_check (error != NULL && strstr (error->message, texts[i]) != NULL, "'%s' is named",
                 texts[i]);
  }
}

static CU_TestInfo tests[] = {
  { "every recorded text reads as recorded", every_recorded_text_reads_as_recorded },
  { "numbers are exact and saturate", numbers_are_exact_and_saturate },
  { "other texts are refused", other_texts_are_refused },
  CU_TEST_INFO_NULL,
};

int
main (void)
{
  return suite_run ("quantity", tests);
}
