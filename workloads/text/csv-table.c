/* workloads/text/csv-table.c - see csv-table.h. */
#include "csv-table.h"
#include "parse.h"
#include "source.h"
#include <csv.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <string.h>

#define CHUNK (64 * 1024)
#define MAX_CELL (1024 * 1024)
#define MAX_RECORD (16 * 1024 * 1024)
#define MAX_COLUMNS 4096

struct WlCsv {
  char *name; /* of the file, for messages */
  WlSource *src;
  struct csv_parser parser;
  char *buf; /* [CHUNK + STEP] bytes read and not yet parsed: pos to len */
  gsize pos, len;
  gboolean end, finished; /* end: the source has no more bytes; finished: libcsv has been told */

  GByteArray *raw; /* the current record as it stands in the file */
  guint raw_line;  /* where its last line begins in raw */
  guint32 line;    /* its first line */
  guint32 lines;   /* lines that are complete */
  char *text;      /* its cells, each followed by NUL: text_len of text_size bytes */
  gsize text_len, text_size;
  const char *cells;        /* text; buf when in_place */
  gsize *start;             /* [MAX_COLUMNS + 1] where each begins in cells */
  guint n_cells, long_cell; /* long_cell: 1 + the cell that is too long, or 0 */
  gboolean row_done;
  gboolean in_place; /* the record is a plain line and lies in buf; raw has nothing of it */
  guint8 high;     /* 0x80: its last line has bytes outside ASCII */
  gboolean has_cr; /* … and a carriage return */

  char **header;
  guint n_columns;
  WlCsvShape shape; /* columns: not used after opening */
  char separator, quote; /* quote 0: none */
  gboolean no_header, ahead; /* ahead: the record at hand has not been given out */
};

/* ---- places and refusals ---- */

/* Where @cell begins, from the raw bytes: G_MAXINT is the last one, closed or not. */
void
wl_csv_place (const WlCsv *csv, int cell, guint32 *line, guint32 *column)
{
  const guint8 *raw = csv->raw->data;
  gboolean quoted = FALSE;
  guint32 at_line = csv->line, at_column = 1;
  int at = 0;

  *line = at_line;
  *column = at_column;
  if (csv->in_place)
    *column = 1 + (guint32) (csv->start[CLAMP (cell, 0, (int) csv->n_cells - 1)] - csv->start[0]);
  for (guint i = 0; i < csv->raw->len && at < cell; i++) {
    at_column++;
    if (csv->quote != '\0' && raw[i] == (guint8) csv->quote) {
      quoted = !quoted;
    } else if (raw[i] == '\n') {
      at_line++;
      at_column = 1;
    } else if (raw[i] == (guint8) csv->separator && !quoted) {
      at++;
      *line = at_line;
      *column = at_column;
    }
  }
}

gboolean
wl_csv_refuse_at (const WlCsv *csv, guint32 line, guint32 column, WlError code, const char *what,
                  const char *expected, const char *found, GError **error)
{
  g_set_error (error, WL_ERROR, (gint) code, "%s:%u:%u: %s, expected %s, found %s", csv->name, line,
               column, what, expected, found);
  return FALSE;
}

gboolean
wl_csv_refuse (const WlCsv *csv, int cell, WlError code, const char *what, const char *expected,
               const char *found, GError **error)
{
  guint32 line, column;

  wl_csv_place (csv, cell, &line, &column);
  return wl_csv_refuse_at (csv, line, column, code, what, expected, found, error);
}

gboolean
wl_csv_locate (const WlCsv *csv, int cell, GError **error)
{
  guint32 line, column;

  wl_csv_place (csv, cell, &line, &column);
  g_prefix_error (error, "%s:%u:%u: column '%s': ", csv->name, line, column, csv->header[cell]);
  return FALSE;
}

const char *
wl_csv_required (const WlCsv *csv, int cell, const char *what, GError **error)
{
  const char *text = wl_csv_cell (csv, cell);

  if (*text != '\0')
    return text;
  g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "empty cell, expected %s, found ''", what);
  wl_csv_locate (csv, cell, error);
  return NULL;
}

/* ---- records ---- */

static void
reserve_text (WlCsv *csv, gsize more)
{
  if (csv->text_len + more > csv->text_size) {
    csv->text_size = 2 * (csv->text_len + more);
    csv->cells = csv->text = g_realloc (csv->text, csv->text_size);
  }
}

static void
on_cell (void *data, size_t len, void *user)
{
  WlCsv *csv = user;

  if (len > MAX_CELL && csv->long_cell == 0)
    csv->long_cell = csv->n_cells + 1;
  if (csv->n_cells <= MAX_COLUMNS
      && csv->long_cell == 0) { /* what is refused later need not be kept */
    reserve_text (csv, len + 1);
    csv->start[csv->n_cells] = csv->text_len;
    memcpy (csv->text + csv->text_len, data, len);
    csv->text[csv->text_len + len] = '\0';
    csv->text_len += len + 1;
  }
  csv->n_cells++;
}

static void
on_row (int terminator, void *user)
{
  ((WlCsv *) user)->row_done = TRUE;
}

/* Blanks belong to the cell; only the CR before LF is not part of it (a CR elsewhere is refused by
 * check_line()). */
static int
is_blank (unsigned char c)
{
  return c == '\r';
}

static int
is_end (unsigned char c)
{
  return c == '\n';
}

static gboolean
bad_byte (const WlCsv *csv, guint offset, const char *what, const char *expected, GError **error)
{
  g_autofree char *found = g_strdup_printf ("byte 0x%02x", csv->raw->data[offset]);

  g_set_error (error, WL_ERROR, WL_ERROR_SYNTAX, "%s:%u:%u: %s, expected %s, found %s", csv->name,
               csv->lines + 1, offset - csv->raw_line + 1, what, expected, found);
  return FALSE;
}

#define EACH_BYTE G_GUINT64_CONSTANT (0x0101010101010101)
#define LOW_BITS (EACH_BYTE * 0x7f)
#define HIGH_BITS (EACH_BYTE * 0x80)

/* The high bit of each byte of @x that is the same in @c, and no other bit. */
static inline guint64
bytes_equal (guint64 x, guint64 c)
{
  x ^= c;
  return ~(((x & LOW_BITS) + LOW_BITS) | x | LOW_BITS);
}

/* The same of each control character. */
static inline guint64
control_bytes (guint64 x)
{
  guint64 printable = (x & LOW_BITS) + EACH_BYTE * 0x60, del = (x & LOW_BITS) + EACH_BYTE;

  return (~printable | del) & ~x & HIGH_BITS;
}

/* Look at new bytes of the last line, from @from. */
static gboolean
check_bytes (WlCsv *csv, guint from, GError **error)
{
  const guint8 *raw = csv->raw->data;
  guint i = from;

  while (i < csv->raw->len) {
    guint64 word;

    if (i + sizeof word <= csv->raw->len) { /* nearly every byte passes here */
      memcpy (&word, raw + i, sizeof word);
      if (((control_bytes (word) | word) & HIGH_BITS) == 0) {
        i += sizeof word;
        continue;
      }
    }
    csv->high |= raw[i] & 0x80;
    if (raw[i] == '\r')
      csv->has_cr = TRUE;
    else if ((raw[i] < 0x20 && raw[i] != '\n' && raw[i] != '\t') || raw[i] == 0x7f)
      return bad_byte (csv, i, raw[i] == 0 ? "NUL byte" : "control character", "UTF-8 text", error);
    i++;
  }
  return TRUE;
}

/* Is the last line of the record text? @complete: it ends here; else it may end inside a character.
 */
static gboolean
check_line (const WlCsv *csv, gboolean complete, GError **error)
{
  const guint8 *line = csv->raw->data + csv->raw_line;
  guint n = csv->raw->len - csv->raw_line;
  const char *end;

  for (guint i = 0; csv->has_cr && i < n; i++)
    if (line[i] == '\r' && (i + 1 < n ? line[i + 1] != '\n' : complete))
      return bad_byte (csv, csv->raw_line + i, "carriage return without line feed",
                       "lines that end in LF or CR LF", error);
  if (csv->high != 0 && !g_utf8_validate_len ((const char *) line, n, &end)
      && (complete || (const guint8 *) end + 4 <= line + n))
    return bad_byte (csv, (guint) ((const guint8 *) end - csv->raw->data), "invalid UTF-8",
                     "UTF-8 text", error);
  return TRUE;
}

/* libcsv stopped at byte @offset of the record. */
static gboolean
bad_quote (const WlCsv *csv, guint offset, GError **error)
{
  const char *at = (const char *) csv->raw->data + offset;
  g_autofree char *rest = g_utf8_make_valid (at, MIN (csv->raw->len - offset, 6));
  g_autofree char *first = g_utf8_substring (rest, 0, 1);
  g_autofree char *found = wl_shown (first);
  gboolean stray = *at == '"';

  return wl_csv_refuse_at (csv, csv->lines + 1, offset - csv->raw_line + 1, WL_ERROR_SYNTAX,
                           stray ? "quote inside an unquoted cell" : "text after the closing quote",
                           stray ? "the whole cell in quotes, its quotes doubled"
                                 : "a comma or the end of the line",
                           found, error);
}

/* Give @n bytes to libcsv; they end at a line end or where the chunk ends. */
static gboolean
feed (WlCsv *csv, const char *bytes, gsize n, GError **error)
{
  guint before = csv->raw->len;
  gboolean line_ends = bytes[n - 1] == '\n';
  gsize done;

  g_byte_array_append (csv->raw, (const guint8 *) bytes, (guint) n);
  if (!check_bytes (csv, before, error) || (line_ends && !check_line (csv, TRUE, error)))
    return FALSE;
  done = csv_parse (&csv->parser, bytes, n, on_cell, on_row, csv);
  if (csv->long_cell == 0 && csv->parser.entry_pos > MAX_CELL)
    csv->long_cell = csv->n_cells + 1;
  if ((done != n || csv->long_cell > 0 || csv->raw->len > MAX_RECORD)
      && !check_line (csv, line_ends, error))
    return FALSE; /* what is no text at all is better said so */
  if (done != n)
    return bad_quote (csv, before + (guint) done, error);
  if (csv->long_cell > 0)
    return wl_csv_refuse (csv, (int) csv->long_cell - 1, WL_ERROR_SYNTAX,
                          "cell too long (or its quote is not closed)", "at most 1 MiB", "more",
                          error);
  if (csv->raw->len > MAX_RECORD)
    return wl_csv_refuse_at (csv, csv->line, 1, WL_ERROR_SYNTAX, "row too long", "at most 16 MiB",
                             "more", error);
  if (line_ends) {
    csv->lines++;
    csv->raw_line = csv->raw->len;
    csv->high = 0;
    csv->has_cr = FALSE;
  }
  return TRUE;
}

/* ---- plain lines ---- */

/* What is in the next STEP bytes at @p, of which the first @left count: separators, BYTE_BITS bits of @ends for each byte, and bytes that are not ASCII. FALSE: quotes or bytes that a text
 * has not. */
#ifdef __SSE2__
#define STEP 16
#define BYTE_BITS 1
static inline guint
is_in (__m128i x, char c)
{
  return (guint) _mm_movemask_epi8 (_mm_cmpeq_epi8 (x, _mm_set1_epi8 (c)));
}

static inline gboolean
look_at (const char *p, gsize left, char separator, char quote, guint64 *ends, guint64 *high)
{
  const __m128i x = _mm_loadu_si128 ((const __m128i *) (const void *) p), controls = _mm_cmpeq_epi8 (_mm_min_epu8 (x, _mm_set1_epi8 (0x1f)), x);
  const guint counts = left < STEP ? (1U << left) - 1 : 0xffff, separators = is_in (x, separator) & counts, quotes = is_in (x, quote);
  guint odd = (((guint) _mm_movemask_epi8 (controls) | is_in (x, 0x7f)) & ~separators) & counts;

  if ((quotes & counts) != 0 || (odd != 0 && (odd & ~is_in (x, '\t')) != 0)) /* tabs are text */
    return FALSE;
  *ends = separators;
  *high |= (guint) _mm_movemask_epi8 (x) & counts;
  return TRUE;
}
#else
#define STEP 8
#define BYTE_BITS 8
static inline gboolean
look_at (const char *p, gsize left, char separator, char quote, guint64 *ends, guint64 *high)
{
  guint64 x, quotes, odd;

  memcpy (&x, p, sizeof x);
  x = GUINT64_FROM_LE (x);
  if (left < STEP) { /* blanks in place of what comes behind the line */
    guint bits = 8 * (guint) left;

    x = (x & ((G_GUINT64_CONSTANT (1) << bits) - 1)) | (EACH_BYTE * ' ') << bits;
  }
  *ends = bytes_equal (x, EACH_BYTE * (guint8) separator);
  quotes = bytes_equal (x, EACH_BYTE * (guint8) quote);
  odd = control_bytes (x) & ~*ends;
  if (quotes != 0 || (odd != 0 && (odd & ~bytes_equal (x, EACH_BYTE * '\t')) != 0)) /* tabs are text */
    return FALSE;
  *high |= x & HIGH_BITS;
  return TRUE;
}
#endif

#define FEW (STEP / 4) /* separators in so many bytes of most tables, at most */

/* Split the line of @n bytes at csv->pos where it lies, many bytes at a time. A line without a quote is what lies between its separators: the same cells as libcsv
 * finds, in a tenth of the time (tests/test-bulk.c compares the two). FALSE: it has quotes or bytes that a text has not, and is as it was. */
static gboolean
split_in_place (WlCsv *csv, gsize n)
{
  char *line = csv->buf + csv->pos;
  const char separator = csv->separator, quote = csv->quote;
  gsize *start = csv->start, from = csv->pos; /* local: nothing that is stored changes them */
  guint n_cells = 1;
  guint64 ends, high = 0;

  start[0] = from;
  for (gsize i = 0; i < n; i += STEP) {
    if (n_cells + STEP > MAX_COLUMNS || !look_at (line + i, n - i, separator, quote, &ends, &high))
      return FALSE;
    for (guint k = 0; k < FEW; k++) { /* how many there are nobody can foresee: what is written in vain is overwritten */
      start[n_cells] = from + i + (guint) __builtin_ctzll (ends | G_GUINT64_CONSTANT (1) << 63) / BYTE_BITS + 1;
      n_cells += ends != 0;
      ends &= ends - 1;
    }
    for (; ends != 0; ends &= ends - 1)
      start[n_cells++] = from + i + (guint) __builtin_ctzll (ends) / BYTE_BITS + 1;
  }
  if (high != 0 && !g_utf8_validate_len (line, n, NULL))
    return FALSE;
  for (guint c = 1; c < n_cells; c++)
    line[start[c] - from - 1] = '\0';
  line[n] = '\0';
  start[n_cells] = from + n + 1; /* where the next one would begin */
  csv->n_cells = n_cells;
  csv->cells = csv->buf;
  csv->in_place = csv->row_done = TRUE;
  csv->lines++;
  return TRUE;
}

/* Is the line from csv->pos to @end a record that can stay where it is? (Cells that are trimmed do not tell where they began.) */
static gboolean
take_plain_line (WlCsv *csv, const char *end)
{
  gsize n = (gsize) (end - (csv->buf + csv->pos));

  n -= n > 0 && end[-1] == '\r';
  if (n == 0 || csv->raw->len > 0 || csv->shape.trim || !split_in_place (csv, n))
    return FALSE;
  csv->pos = (gsize) (end + 1 - csv->buf);
  return TRUE;
}

/* Forget the current record. */
static void
begin_record (WlCsv *csv)
{
  csv->in_place = FALSE;
  csv->cells = csv->text;
  g_byte_array_set_size (csv->raw, 0);
  csv->text_len = 0;
  csv->raw_line = 0;
  csv->n_cells = 0;
  csv->line = csv->lines + 1;
}

/* The source has ended; so does the last row, with or without a line end. */
static gboolean
finish (WlCsv *csv, GError **error)
{
  csv->finished = TRUE;
  if (csv->raw->len > csv->raw_line && !check_line (csv, TRUE, error))
    return FALSE;
  if (csv_fini (&csv->parser, on_cell, on_row, csv) != 0)
    return wl_csv_refuse (csv, G_MAXINT, WL_ERROR_SYNTAX, "quoted cell not closed",
                          "a quote at its end", "end of file", error);
  return TRUE;
}

/* The next record, whatever its cells. row_done stays FALSE at the end of the file. */
static gboolean
next_record (WlCsv *csv, GError **error)
{
  csv->row_done = FALSE;
  while (!csv->row_done && !csv->finished) {
    const char *bytes, *end;

    if (csv->pos == csv->len && !csv->end) {
      gssize n = wl_source_read (csv->src, csv->buf, CHUNK, error);

      if (n < 0) {
        g_prefix_error (error, "%s:%u:1: ", csv->name, csv->lines + 1);
        return FALSE;
      }
      csv->end = n == 0;
      csv->pos = 0;
      csv->len = (gsize) n;
    }
    if (csv->end)
      return finish (csv, error);
    bytes = csv->buf + csv->pos;
    end = memchr (bytes, '\n', csv->len - csv->pos);
    if (end != NULL && take_plain_line (csv, end))
      return TRUE;
    if (!feed (csv, bytes, end != NULL ? (gsize) (end + 1 - bytes) : csv->len - csv->pos, error))
      return FALSE;
    csv->pos = end != NULL ? (gsize) (end + 1 - csv->buf) : csv->len;
    if (end != NULL && !csv->row_done
        && (csv->raw->len == 1 || (csv->raw->len == 2 && csv->raw->data[0] == '\r')))
      begin_record (csv); /* an empty line */
  }
  return TRUE;
}

static gboolean
is_space (char c)
{
  return c == ' ' || c == '\t';
}

static void
trim_cells (WlCsv *csv)
{
  for (guint i = 0; i < csv->n_cells && i <= MAX_COLUMNS; i++) {
    char *cell = csv->text + csv->start[i], *end = cell + strlen (cell);

    while (is_space (*cell))
      cell++;
    while (end > cell && is_space (end[-1]))
      end--;
    *end = '\0';
    csv->start[i] = (gsize) (cell - csv->text);
  }
}

static gboolean
wrong_width (const WlCsv *csv, GError **error)
{
  g_autofree char *expected = g_strdup_printf (csv->no_header ? "%u, which this table has" : "%u as in the header", csv->n_columns);
  g_autofree char *found = g_strdup_printf ("%u", csv->n_cells);
  return wl_csv_refuse (csv, (int) MIN (csv->n_columns, csv->n_cells - 1), WL_ERROR_SYNTAX,
                        "wrong number of cells", expected, found, error);
}

gboolean
wl_csv_next (WlCsv *csv, gboolean *got, GError **error)
{
  if (csv->ahead) {
    csv->ahead = FALSE;
  } else {
    begin_record (csv);
    if (!next_record (csv, error))
      return FALSE;
  }
  *got = csv->row_done;
  if (csv->row_done && csv->shape.trim)
    trim_cells (csv);
  return !csv->row_done || csv->n_cells == csv->n_columns || wrong_width (csv, error);
}

gboolean
wl_csv_can_go_on (const WlCsv *csv)
{
  return csv->row_done && csv->n_cells != csv->n_columns;
}

const char *
wl_csv_cell (const WlCsv *csv, int cell)
{
  return cell < 0 ? "" : csv->cells + csv->start[cell];
}

/* All digits of a number at once: its length is known, and the eight bytes of a short one are turned into its value without a branch that depends on them. */
gboolean
wl_csv_digits (const WlCsv *csv, int cell, gint64 *out)
{
  const char *text = wl_csv_cell (csv, cell), *p = text;
  const gsize n = csv->in_place && cell >= 0 ? csv->start[cell + 1] - csv->start[cell] - 1 : 0;
  guint64 v = 0;
  guint digit;

  if (n > 0 && n <= 8) { /* the buffer goes on for eight bytes behind the last line */
    const guint unused = 64 - 8 * (guint) n;

    memcpy (&v, text, sizeof v);
    v = GUINT64_FROM_LE (v) << unused ^ (EACH_BYTE * '0') << unused; /* the value of each digit, the first one lowest; 0 in front */
    if (((v + EACH_BYTE * 0x76) | v) & HIGH_BITS)
      return FALSE;
    v = v * 10 + (v >> 8); /* in every other byte: two digits */
    v = (v & G_GUINT64_CONSTANT (0x000000ff000000ff)) * (100 + (G_GUINT64_CONSTANT (1000000) << 32))
        + (v >> 16 & G_GUINT64_CONSTANT (0x000000ff000000ff)) * (1 + (G_GUINT64_CONSTANT (10000) << 32));
    *out = (gint64) (v >> 32);
    return TRUE;
  }
  for (; (digit = (guint) *p - '0') < 10; p++)
    v = v * 10 + digit;
  *out = (gint64) v;
  return *p == '\0' && p > text && p - text <= 18;
}

guint32
wl_csv_line (const WlCsv *csv)
{
  return csv->line;
}

const char *
wl_csv_name (const WlCsv *csv)
{
  return csv->name;
}

guint
wl_csv_width (const WlCsv *csv)
{
  return csv->n_columns;
}

const char *
wl_csv_header (const WlCsv *csv, guint cell)
{
  return csv->header[cell];
}

/* ---- header ---- */

/* A byte order mark before the header is skipped; compressed data under a plain name is told as
 * such. */
static gboolean
skip_mark (WlCsv *csv, GError **error)
{
  static const struct {
    const char *bytes, *what;
  } magic[] = { { "\x1f\x8b", "gzip data" },
                { "\x28\xb5\x2f\xfd", "zstd data" },
                { "\xfd"
                  "7zXZ",
                  "xz data" } };

  while (csv->len < 5 && !csv->end) {
    gssize n = wl_source_read (csv->src, csv->buf + csv->len, CHUNK - csv->len, error);

    if (n < 0) {
      g_prefix_error (error, "%s:1:1: ", csv->name);
      return FALSE;
    }
    csv->end = n == 0;
    csv->len += (gsize) n;
  }
  for (guint i = 0; i < G_N_ELEMENTS (magic); i++)
    if (csv->len >= strlen (magic[i].bytes)
        && memcmp (csv->buf, magic[i].bytes, strlen (magic[i].bytes)) == 0)
      return wl_csv_refuse_at (csv, 1, 1, WL_ERROR_SYNTAX, "compressed data under a plain name",
                               "CSV text, or a name that ends in .gz, .zst or .xz", magic[i].what,
                               error);
  csv->end = FALSE; /* next_record() asks again when these bytes are used up */
  csv->pos = csv->len >= 3 && memcmp (csv->buf, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  return TRUE;
}

static gboolean
is_number (const char *text)
{
  char *end = NULL;

  (void) g_ascii_strtod (text, &end);
  return end != text && *end == '\0';
}

static gboolean
has_number (const WlCsv *csv)
{
  for (guint i = 0; i < csv->n_cells && i <= MAX_COLUMNS; i++)
    if (is_number (wl_csv_cell (csv, (int) i)))
      return TRUE;
  return FALSE;
}

/* The columns of a table that has no header, and its first row. */
static gboolean
begin_table (WlCsv *csv, const WlCsvShape *shape, GError **error)
{
  csv->n_columns = g_strv_length ((GStrv) shape->columns);
  csv->header = g_strdupv ((GStrv) shape->columns);
  csv->no_header = TRUE;
  begin_record (csv);
  if (!next_record (csv, error))
    return FALSE;
  csv->ahead = TRUE;
  if (csv->row_done && shape->maybe_header) {
    const char *first = wl_csv_cell (csv, 0);

    csv->ahead = g_ascii_strcasecmp (first, shape->columns[0]) != 0 && (!shape->number_first || has_number (csv));
  }
  return TRUE;
}

static gboolean
read_header (WlCsv *csv, GError **error)
{
  if (!skip_mark (csv, error))
    return FALSE;
  if (csv->shape.columns != NULL)
    return begin_table (csv, &csv->shape, error);
  begin_record (csv);
  if (!next_record (csv, error))
    return FALSE;
  if (csv->row_done && csv->shape.trim)
    trim_cells (csv);
  if (!csv->row_done)
    return wl_csv_refuse_at (csv, 1, 1, WL_ERROR_HEADER, "no header",
                             "a first line with column names", "end of file", error);
  if (csv->n_cells > MAX_COLUMNS)
    return wl_csv_refuse (csv, MAX_COLUMNS, WL_ERROR_HEADER, "too many columns", "at most 4096",
                          "more", error);
  csv->n_columns = csv->n_cells;
  csv->header = g_new0 (char *, csv->n_columns + 1);
  for (guint i = 0; i < csv->n_columns; i++)
    csv->header[i] = g_strdup (wl_csv_cell (csv, (int) i));
  for (guint i = 0; i < csv->n_columns; i++)
    if (strchr (csv->header[i], '\n') != NULL) { /* messages and results have it in one line */
      g_autofree char *shown = wl_shown (csv->header[i]);

      return wl_csv_refuse (csv, (int) i, WL_ERROR_HEADER, "line break in the name of a column",
                            "a name in one line", shown, error);
    }
  return TRUE;
}

WlCsv *
wl_csv_open (const char *path, GError **error)
{
  static const WlCsvShape own = { 0 };

  return wl_csv_open_shaped (path, &own, error);
}

WlCsv *
wl_csv_open_shaped (const char *path, const WlCsvShape *shape, GError **error)
{
  g_autoptr (WlCsv) csv = g_new0 (WlCsv, 1);

  csv->name = g_strdup (wl_source_name (path));
  csv->shape = *shape;
  csv->separator = shape->separator != '\0' ? shape->separator : ',';
  csv->quote = shape->no_quotes ? '\0' : '"';
  csv->src = shape->by_magic ? wl_source_open_any (path, error) : wl_source_open (path, error);
  if (csv->src == NULL)
    return NULL;
  csv->buf = g_malloc0 (CHUNK + STEP);
  csv->raw = g_byte_array_new ();
  csv->text_size = 1024;
  csv->text = g_malloc (csv->text_size);
  csv->cells = csv->text;
  csv->start = g_new (gsize, MAX_COLUMNS + 1);
  csv_init (&csv->parser, CSV_STRICT | CSV_STRICT_FINI);
  csv_set_space_func (&csv->parser, is_blank);
  csv_set_term_func (&csv->parser, is_end);
  csv_set_delim (&csv->parser, (unsigned char) csv->separator);
  csv_set_quote (&csv->parser, (unsigned char) csv->quote);
  return read_header (csv, error) ? g_steal_pointer (&csv) : NULL;
}

void
wl_csv_free (WlCsv *csv)
{
  if (csv == NULL)
    return;
  g_free (csv->name);
  wl_source_free (csv->src);
  csv_free (&csv->parser);
  g_free (csv->buf);
  if (csv->raw != NULL)
    g_byte_array_unref (csv->raw);
  g_free (csv->text);
  g_free (csv->start);
  g_strfreev (csv->header);
  g_free (csv);
}
