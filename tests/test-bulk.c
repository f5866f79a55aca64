/* tests/test-bulk.c - what makes large files fast gives what the plain ways give: lines that are split where they lie, tables of names; and digests of files. */
#include "suite.h"
#include "workloads/text/csv-table.h"
#include "workloads/text/file-digest.h"
#include "workloads/import/packed.h"
#include "workloads/import/records.h"
#include "workloads/import/sort.h"
#include "workloads/import/table-out.h"
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* ---- cells ---------------------------------------------------------------------------------------- */

#define N_ROWS 6000
#define N_COLUMNS 7

typedef struct {
  char *dir, *path;
  WlCsv *csv;
} Table;

static Table
table_open (const char *text, gsize n, const WlCsvShape *shape)
{
  Table t = { .dir = g_dir_make_tmp ("volsim-bulk-XXXXXX", NULL) };
  g_autoptr (GError) error = NULL;

  t.path = g_build_filename (t.dir, "t.csv", NULL);
  suite_check (g_file_set_contents (t.path, text, (gssize) n, NULL), "%s", t.path);
  t.csv = wl_csv_open_shaped (t.path, shape, &error);
  suite_check (t.csv != NULL, "%s", error != NULL ? error->message : "");
  return t;
}

static void
table_close (Table *t)
{
  wl_csv_free (t->csv);
  g_unlink (t->path);
  g_rmdir (t->dir);
  g_free (t->path);
  g_free (t->dir);
}

/* A cell of up to 24 characters: those next to separators, quotes and controls in the alphabet, and some of two and four bytes. */
static void
append_random (GString *s, guint64 *state, gboolean quotes, char separator)
{
  static const char *const pieces[] = { "a", "-", "+", "!", "#", " ", "~", "0", "\t", "é", "𝄞", ",", ";", "\"\"" };
  guint n = (guint) (suite_random (state) % 24);

  for (guint i = 0; i < n; i++) {
    const char *piece = pieces[suite_random (state) % G_N_ELEMENTS (pieces)];

    if (*piece != separator && (*piece != '"' || quotes))
      g_string_append (s, piece);
  }
}

/* Random rows as they stand in the file (@text), and what their cells are (@cells, with the column of each). @quotes: some rows have a quoted cell, so that libcsv reads
 * them. */
typedef struct { char *text; guint32 column; } Cell;

static void
make_rows (guint64 seed, gboolean quotes, char separator, GString *text, GArray *cells)
{
  for (guint r = 0; r < N_ROWS; r++) {
    gsize begin = text->len;
    guint quoted = quotes && suite_random (&seed) % 2 == 0 ? (guint) (suite_random (&seed) % N_COLUMNS) : N_COLUMNS;

    for (guint c = 0; c < N_COLUMNS; c++) {
      g_autoptr (GString) cell = g_string_new (c == 0 ? "x" : NULL); /* no empty line */
      Cell wanted;

      if (c > 0)
        g_string_append_c (text, separator);
      wanted.column = (guint32) (text->len - begin) + 1;
      append_random (cell, &seed, c == quoted, separator);
      g_string_append_printf (text, c == quoted ? "\"%s\"" : "%s", cell->str);
      g_string_replace (cell, "\"\"", "\"", 0);
      wanted.text = g_strdup (cell->str);
      g_array_append_val (cells, wanted);
    }
    g_string_append (text, suite_random (&seed) % 3 == 0 ? "\r\n" : "\n");
  }
  g_string_truncate (text, text->len - (text->str[text->len - 2] == '\r' ? 2 : 1)); /* the last line may end with the file */
}

static void
cell_clear (gpointer data)
{
  g_free (((Cell *) data)->text);
}

static void
cells_are_found (guint64 seed, gboolean quotes, char separator)
{
  static const char *const columns[] = { "a", "b", "c", "d", "e", "f", "g", NULL };
  const WlCsvShape shape = { .separator = separator, .columns = columns, .no_quotes = !quotes };
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GArray) cells = g_array_new (FALSE, FALSE, sizeof (Cell));
  Table t;
  guint row = 0;
  gboolean got = TRUE;

  g_array_set_clear_func (cells, cell_clear);
  make_rows (seed, quotes, separator, text, cells);
  t = table_open (text->str, text->len, &shape);
  while (t.csv != NULL && wl_csv_next (t.csv, &got, NULL) && got && row < N_ROWS) {
    for (guint c = 0; c < N_COLUMNS; c++) {
      const Cell *wanted = &g_array_index (cells, Cell, row * N_COLUMNS + c);
      guint32 line, column;

      wl_csv_place (t.csv, (int) c, &line, &column);
      if (strcmp (wl_csv_cell (t.csv, (int) c), wanted->text) != 0 || line != row + 1 || column != wanted->column)
        suite_check (FALSE, "seed %u row %u cell %u: '%s' at %u:%u, not '%s' at column %u", (guint) seed, row, c, wl_csv_cell (t.csv, (int) c), line, column, wanted->text,
                     wanted->column);
    }
    row++;
  }
  suite_check (row == N_ROWS && !got, "seed %u: %u rows", (guint) seed, row);
  table_close (&t);
}

static void
cells_of_plain_and_quoted_lines_are_found (void)
{
  cells_are_found (1, FALSE, ',');
  cells_are_found (2, TRUE, ',');
  cells_are_found (3, FALSE, '\t');
  cells_are_found (4, TRUE, ';');
}

/* The first fault of a table of two columns. */
static char *
fault_of (const char *text, gsize n)
{
  Table t = table_open (text, n, &(WlCsvShape){ 0 });
  g_autoptr (GError) error = NULL;
  gboolean got = TRUE;
  char *message;

  while (got && wl_csv_next (t.csv, &got, &error))
    ;
  message = error != NULL ? g_strdup (error->message + strlen (t.path)) : g_strdup ("none");
  table_close (&t);
  return message;
}

static void
what_is_no_text_is_found_in_plain_lines_too (void)
{
  static const struct { const char *text; gsize n; const char *fault; } cases[] = {
    { "a,b\n12345678,1\n1,2,3\n", 0, ":3:5: wrong number of cells, expected 2 as in the header, found 3" },
    { "a,b\nonly\n", 0, ":2:1: wrong number of cells, expected 2 as in the header, found 1" },
    { "a,b\n12345678,\x7f\n", 0, ":2:10: control character, expected UTF-8 text, found byte 0x7f" },
    { "a,b\n1,2345678\x1f\n", 0, ":2:10: control character, expected UTF-8 text, found byte 0x1f" },
    { "a,b\n1,23\0 5678\n", 16, ":2:5: NUL byte, expected UTF-8 text, found byte 0x00" },
    { "a,b\n12345678,\xc3\x28\n", 0, ":2:10: invalid UTF-8, expected UTF-8 text, found byte 0xc3" },
    { "a,b\n1,2\r3\n", 0, ":2:4: carriage return without line feed, expected lines that end in LF or CR LF, found byte 0x0d" },
    { "a,b\n1,2\"\n", 0, ":2:4: quote inside an unquoted cell, expected the whole cell in quotes, its quotes doubled, found '\"'" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *fault = fault_of (cases[i].text, cases[i].n > 0 ? cases[i].n : strlen (cases[i].text));

    suite_check (strcmp (fault, cases[i].fault) == 0, "%u: %s", i, fault);
  }
}

/* ---- texts and records ------------------------------------------------------------------------------ */

static void
texts_are_kept_once_in_any_order (void)
{
  g_autoptr (WlTexts) rising = wl_texts_new (), mixed = wl_texts_new ();
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint64 state = 5;
  guint wrong = 0;

  for (guint i = 0; i < 20000; i++) { /* job-9 comes before job-10 */
    g_autofree char *name = g_strdup_printf ("job-%u", i);

    wrong += wl_texts_add_new (rising, name) == NULL;
  }
  suite_check (wrong == 0, "%u rising names were known", wrong);
  suite_check (wl_texts_add_new (rising, "job-19999") == NULL && wl_texts_add_new (rising, "job-0") == NULL && wl_texts_add_new (rising, "job-777") == NULL,
               "names that were there are known");
  suite_check (wl_texts_add_new (rising, "job-00") != NULL && wl_texts_add_new (rising, "job-00") == NULL, "a name that is not in order is kept");
  for (guint i = 0; i < 50000; i++) {
    g_autofree char *name = g_strdup_printf ("%" G_GINT64_MODIFIER "x", suite_random (&state) % 30000);
    gboolean fresh = g_hash_table_add (known, g_strdup (name));

    wrong += (wl_texts_add_new (mixed, name) != NULL) != fresh;
    wrong += strcmp (wl_texts_add (mixed, name), name) != 0;
  }
  suite_check (wrong == 0, "%u of the mixed names are wrong", wrong);
}

static void
records_are_kept_once (void)
{
  typedef struct { guint64 a, b, c; } Record;
  g_autoptr (WlRecords) records = wl_records_new (sizeof (Record));
  guint64 state = 6;
  guint wrong = 0;

  for (guint i = 0; i < 50000; i++) {
    Record r = { suite_random (&state) % 50, 7, suite_random (&state) % 50 << 40 };
    guint32 id = wl_records_add (records, &r);

    wrong += memcmp (wl_records_get (records, id), &r, sizeof r) != 0;
    wrong += wl_records_add (records, &r) != id;
  }
  suite_check (wrong == 0 && wl_records_len (records) == 2500, "%u wrong, %u records", wrong, wl_records_len (records));
}

/* ---- digests ---------------------------------------------------------------------------------------- */

static void
digests_are_of_whole_files (void)
{
  g_autofree guint8 *bytes = g_malloc (600000);
  guint64 state = 7, size = 0;
  g_autofree char *dir = g_dir_make_tmp ("volsim-bulk-XXXXXX", NULL), *path = g_build_filename (dir, "f", NULL), *whole = NULL, *plain = NULL, *none = NULL;

  for (guint i = 0; i < 600000; i++)
    bytes[i] = (guint8) suite_random (&state);
  suite_check (g_file_set_contents (path, (const char *) bytes, 600000, NULL), "%s", path);
  whole = wl_file_digest (path, &size);
  plain = g_compute_checksum_for_data (G_CHECKSUM_SHA256, bytes, 600000);
  suite_check (strcmp (whole, plain) == 0 && size == 600000, "a file of %u bytes: %s, not %s", (guint) size, whole, plain);
  g_unlink (path);
  none = wl_file_digest (path, &size);
  suite_check (*none == '\0' && size == 0, "a file that is not there: '%s'", none);
  g_rmdir (dir);
}

/* FIPS 180-2, appendix B.1: whoever computes, nettle or GLib. */
static void
the_digest_of_abc_is_the_published_one (void)
{
  g_autofree char *dir = g_dir_make_tmp ("volsim-bulk-XXXXXX", NULL), *path = g_build_filename (dir, "f", NULL), *sum = NULL;

  suite_check (g_file_set_contents (path, "abc", 3, NULL), "%s", path);
  sum = wl_file_digest (path, NULL);
  suite_check (strcmp (sum, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad") == 0, "%s", sum);
  g_unlink (path);
  g_rmdir (dir);
}

/* ---- numbers ---------------------------------------------------------------------------------------- */

/* Cells of digits and of what only looks like them, in plain lines and (with a quote in front) as libcsv gives them. */
static void
digits_are_read_as_by_one_after_the_other (void)
{
  static const char *const odd[] = { "", "-1", "+1", " 1", "1 ", "1.5", "1e3", "12345678/", "1234567:", "/", ":", "0000000a", "a0000000", "\xc3\xa9", "1234567890123456789", "0x1" };
  g_autofree char *dir = g_dir_make_tmp ("volsim-bulk-XXXXXX", NULL), *path = g_build_filename (dir, "digits.csv", NULL);
  g_autoptr (GString) table = g_string_new ("a,b,c\n");
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (WlCsv) csv = NULL;
  guint64 state = 9;
  gboolean got;

  for (guint i = 0; i < G_N_ELEMENTS (odd); i++)
    g_ptr_array_add (texts, g_strdup (odd[i]));
  for (guint n = 0; n < 400; n++)
    g_ptr_array_add (texts, g_strdup_printf ("%0*" G_GUINT64_FORMAT, (int) (n % 4), (suite_random (&state) >> 5) % (guint64) pow (10, 1 + n % 18)));
  for (guint i = 0; i < 2 * texts->len; i++)
    g_string_append_printf (table, "%s,%s,%s\n", i % 2 == 0 ? "x" : "\"x\"", (char *) texts->pdata[i / 2], (char *) texts->pdata[i / 2]);
  suite_check (g_file_set_contents (path, table->str, -1, NULL) && (csv = wl_csv_open (path, &error)) != NULL, "%s", path);
  for (guint i = 0; i < 2 * texts->len; i++) {
    const char *text = texts->pdata[i / 2];
    const gboolean digits = *text != '\0' && strlen (text) <= 18 && strspn (text, "0123456789") == strlen (text);

    suite_check (wl_csv_next (csv, &got, &error) && got, "row %u is read", i);
    for (int c = 1; c < 3; c++) {
      gint64 v = -1;
      const gboolean found = wl_csv_digits (csv, c, &v);

      if (found != digits || (found && v != g_ascii_strtoll (text, NULL, 10)))
        suite_check (FALSE, "'%s' in row %u, cell %d: %d, %" G_GINT64_FORMAT, text, i, c, found, v);
    }
  }
  g_unlink (path);
  g_rmdir (dir);
}

static void
numbers_are_written_as_by_printf (void)
{
  guint64 state = 17, ten = 1;

  for (guint n = 0; n < 6000; n++) {
    const gint64 v = n == 0 ? G_MININT64 : n == 1 ? G_MAXINT64 : n < 200 ? (gint64) n - 100 : n < 260 ? (gint64) ten + n % 3 - 1 : (gint64) suite_random (&state) >> suite_random (&state) % 64;
    g_autofree char *expected = g_strdup_printf ("%" G_GINT64_FORMAT, v);
    GString *s = g_string_new (NULL);

    ten *= n >= 200 && n % 3 == 2 && ten < G_GUINT64_CONSTANT (1000000000000000000) ? 10 : 1;
    wl_put_int (s, v);
    if (strcmp (s->str, expected) != 0)
      suite_check (FALSE, "'%s', expected '%s'", s->str, expected);
    g_string_free (s, TRUE);
  }
}

/* ---- packed rows ------------------------------------------------------------------------------------ */

/* Numbers of all sizes, repeated, rising and at both ends of their range; read in order, backwards and at random. */
static void
packed_rows_are_those_that_were_added (void)
{
  enum { ROWS = 3000, COLUMNS = WL_PACKED_COLUMNS };
  g_autofree gint64 *all = g_new (gint64, ROWS * COLUMNS);
  guint64 state = 11;

  for (guint steady = 0; steady <= COLUMNS; steady += 4) {
    g_autoptr (WlPacked) p = wl_packed_new (COLUMNS, steady);

    for (guint i = 0; i < ROWS; i++) {
      for (guint c = 0; c < COLUMNS; c++) {
        gint64 *v = &all[i * COLUMNS + c], before = i > 0 ? v[-COLUMNS] : 0;

        switch (suite_random (&state) % 6) {
        case 0: *v = (gint64) (suite_random (&state) >> suite_random (&state) % 64); break;
        case 1: *v = -(gint64) (suite_random (&state) >> (1 + suite_random (&state) % 63)); break;
        case 2: *v = suite_random (&state) % 2 == 0 ? G_MININT64 : G_MAXINT64; break;
        case 3: *v = before / 2 + 7; break;
        default: *v = before; break;
        }
      }
      wl_packed_add (p, all + i * COLUMNS);
    }
    suite_check (wl_packed_len (p) == ROWS, "%u rows", wl_packed_len (p));
    for (guint n = 0; n < 4 * ROWS; n++) {
      guint32 i = n < ROWS ? n : n < 2 * ROWS ? 2 * ROWS - 1 - n : n < 3 * ROWS ? (n - 2 * ROWS) / 2 : (guint32) (suite_random (&state) % ROWS);

      if (memcmp (wl_packed_get (p, i), all + i * COLUMNS, COLUMNS * sizeof *all) != 0)
        suite_check (FALSE, "%u steady columns, row %u at step %u", steady, i, n);
    }
  }
}

#define N_ARRANGED 10000 /* more than two parts of wl_packed_rearranged() */

static void
fill_row (gint64 *row, guint32 i)
{
  const gint64 of[] = { 1000 + 3 * (gint64) i, i % 7, (gint64) i * i * i * (i % 2 == 0 ? 1 : -1), -5 };

  memcpy (row, of, sizeof of);
}

static void
add_place (gint64 *row, guint32 place, gpointer data)
{
  row[1] += 100 * (gint64) place;
  *(guint32 *) data += 1;
}

static void
packed_rows_take_any_order (void)
{
  enum { LENGTHS = 5 };
  static const guint32 lengths[LENGTHS] = { 0, 1, 4096, 4097, N_ARRANGED };
  guint64 state = 5;

  for (guint how = 0; how < 3 * LENGTHS; how++) {
    const guint32 n = lengths[how % LENGTHS];
    g_autoptr (WlPacked) p = wl_packed_new (4, 2);
    g_autofree guint32 *place = g_new (guint32, N_ARRANGED);
    guint32 edited = 0;
    gint64 row[4];

    for (guint32 i = 0; i < n; i++)
      place[i] = how < LENGTHS ? i : n - 1 - i;
    for (guint32 i = n; how >= 2 * LENGTHS && i > 1; i--) { /* shuffled */
      const guint32 other = (guint32) (suite_random (&state) % i), here = place[i - 1];

      place[i - 1] = place[other];
      place[other] = here;
    }
    for (guint32 i = 0; i < n; i++) {
      fill_row (row, i);
      wl_packed_add (p, row);
    }
    if (n > 0)
      (void) wl_packed_get (p, n / 2); /* wherever the reader is */
    p = wl_packed_rearranged (g_steal_pointer (&p), place, add_place, &edited);
    suite_check (wl_packed_len (p) == n && edited == n, "%u rows, %u of them edited, expected %u", wl_packed_len (p), edited, n);
    for (guint32 i = 0; i < n; i++) {
      fill_row (row, i);
      row[1] += 100 * (gint64) place[i];
      if (memcmp (wl_packed_get (p, place[i]), row, sizeof row) != 0)
        suite_check (FALSE, "order %u: row %u is not at %u", how, i, place[i]);
    }
  }
}

/* ---- sorting ---------------------------------------------------------------------------------------- */

static int
by_key (gconstpointer a, gconstpointer b, gpointer data)
{
  const guint64 *key = data, l = key[*(const guint32 *) a], r = key[*(const guint32 *) b];

  return l < r ? -1 : l > r;
}

/* The radix sort against one that compares, and is stable. */
static void
numbers_are_sorted_as_by_comparing (void)
{
  static const guint64 masks[] = { 0, 1, 0xff, 0x7ff, 0x800, 0xfffff, G_GUINT64_CONSTANT (0xf00000000000000f), G_MAXUINT64 };
  static const guint32 lengths[] = { 0, 1, 2, 3000 };
  guint64 state = 3;

  for (guint how = 0; how < G_N_ELEMENTS (masks) * G_N_ELEMENTS (lengths); how++) {
    const guint32 n = lengths[how / G_N_ELEMENTS (masks)];
    g_autofree guint64 *key = g_new (guint64, n + 1), *copy = g_new (guint64, n + 1);
    g_autofree guint32 *expected = g_new (guint32, n + 1), *found = NULL;

    for (guint32 i = 0; i < n; i++) {
      key[i] = copy[i] = (suite_random (&state) & masks[how % G_N_ELEMENTS (masks)]) + (how % 3 == 0 ? 0 : 77);
      expected[i] = i;
    }
    g_qsort_with_data (expected, (gint) n, sizeof *expected, by_key, copy);
    found = wl_sorted_by (key, n);
    suite_check (n == 0 || memcmp (found, expected, n * sizeof *found) == 0, "%u numbers with the bits %" G_GINT64_MODIFIER "x", n, masks[how % G_N_ELEMENTS (masks)]);
  }
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "cells of plain and quoted lines are found", cells_of_plain_and_quoted_lines_are_found },
    { "what is no text is found in plain lines, too", what_is_no_text_is_found_in_plain_lines_too },
    { "texts are kept once, in any order", texts_are_kept_once_in_any_order },
    { "records are kept once", records_are_kept_once },
    { "digests are of whole files", digests_are_of_whole_files },
    { "the digest of abc is the published one", the_digest_of_abc_is_the_published_one },
    { "digits are read as by one after the other", digits_are_read_as_by_one_after_the_other },
    { "numbers are written as by printf", numbers_are_written_as_by_printf },
    { "packed rows are those that were added", packed_rows_are_those_that_were_added },
    { "packed rows take any order", packed_rows_take_any_order },
    { "numbers are sorted as by comparing", numbers_are_sorted_as_by_comparing },
    CU_TEST_INFO_NULL
  };

  return suite_run ("bulk", tests);
}
