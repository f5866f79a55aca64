/* workloads/import/table-kind.c - see table-kind.h. */
#include "table-kind.h"
#include "workloads/text/parse.h"
#include <string.h>

#define ROWS 100 /* that are looked at */

static char
separator_of (const WlTableKind *kind)
{
  return kind->separator != '\0' ? kind->separator : ',';
}

static gboolean
is_number (const char *p, gsize n, gboolean whole)
{
  g_autofree char *text = g_strndup (p, n);
  gint64 v;

  return wl_import_parse_scaled (text, 1, G_MININT64, G_MAXINT64, &v, NULL) && (!whole || strspn (text, "0123456789.+-") == n);
}

static gboolean
is_word (const char *cell, gsize n, const char *words, gsize n_words)
{
  for (const char *w = words, *end = words + n_words; w <= end;) {
    const char *bar = memchr (w, '|', (gsize) (end - w));
    gsize len = (gsize) ((bar != NULL ? bar : end) - w);

    if (len > 0 && w[len - 1] == '*' ? n >= len - 1 && strncmp (cell, w, len - 1) == 0 : n == len && strncmp (cell, w, n) == 0)
      return TRUE;
    w += len + 1;
  }
  return FALSE;
}

static gboolean
fits (const char *cell, gsize n, const char *want, gsize n_want)
{
  if (n_want != 1 || strchr ("inhINH*", *want) == NULL)
    return is_word (cell, n, want, n_want);
  if (*want == '*' || (n == 0 && g_ascii_isupper (*want)))
    return TRUE;
  if (g_ascii_tolower (*want) == 'h')
    return n >= 8 && strspn (cell, "0123456789abcdef") >= n;
  return is_number (cell, n, g_ascii_tolower (*want) == 'i');
}

/* The end of the cell at @row: its separator, or NULL for the last one of the row. A quoted cell may hold separators. */
static const char *
cell_end (const char *row, const char *end, char separator)
{
  const char *from = row;

  if (row < end && *row == '"')
    while ((from = memchr (from + 1, '"', (gsize) (end - from - 1))) != NULL && from + 1 < end && from[1] == '"')
      from++; /* a doubled quote */
  return from != NULL ? memchr (from, separator, (gsize) (end - from)) : NULL;
}

static gboolean
row_fits (const char *row, const char *end, const WlTableKind *kind, const char *want)
{
  char separator = separator_of (kind);

  for (;;) {
    const char *stop = cell_end (row, end, separator);
    gsize n_want = strcspn (want, ",");
    gboolean last = stop == NULL, quoted;
    gsize n = (gsize) ((last ? end : stop) - row);

    quoted = n >= 2 && row[0] == '"' && row[n - 1] == '"';
    if (!fits (quoted ? row + 1 : row, quoted ? n - 2 : n, want, n_want) || last != (want[n_want] == '\0'))
      return FALSE;
    if (last)
      return TRUE;
    row = stop + 1;
    want += n_want + 1;
  }
}

/* Does the first line name all that is required? */
static gboolean
has_header (const WlImportHead *head, const WlTableKind *kind)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < kind->n_columns; i++)
    if (kind->column[i].required)
      g_string_append_printf (names, "%s%s", names->len > 0 ? "," : "", kind->column[i].name);
  return wl_head_has (head, separator_of (kind), names->str);
}

gboolean
wl_kind_is (const WlImportHead *head, const WlTableKind *kind, gboolean loose)
{
  const char *p = head->text, *stop = head->text + head->len;
  guint good = 0, bad = 0;

  if (has_header (head, kind))
    return TRUE;
  if (loose && kind->loose == NULL)
    return FALSE;
  if (g_str_has_prefix (p, "\xef\xbb\xbf"))
    p += 3;
  while (p < stop && good + bad < ROWS) {
    const char *end = memchr (p, '\n', (gsize) (stop - p));
    const char *next = end != NULL ? end + 1 : stop;

    if (end == NULL) {
      if (good + bad > 0 && head->len >= 60 * 1024)
        break; /* cut off */
      end = stop;
    }
    if (end > p && end[-1] == '\r')
      end--;
    if (end > p) {
      if (row_fits (p, end, kind, loose ? kind->loose : kind->pattern))
        good++;
      else
        bad++;
    }
    p = next;
  }
  return good > 0 && (good >= bad || (good == 1 && bad == 1));
}

int
wl_kind_find (const WlImportHead *head, const WlTableKind *kinds, guint n)
{
  for (guint i = 0; i < 2 * n; i++)
    if (wl_kind_is (head, &kinds[i % n], i >= n))
      return (int) (i % n);
  return -1;
}

/* Does the first line fit, or name the columns? Else it is a header of other names, or a bad row. */
static gboolean
begins_well (const WlImportHead *head, const WlTableKind *kind)
{
  g_autofree char *line = wl_head_line (head);

  return has_header (head, kind) || row_fits (line, line + strlen (line), kind, kind->pattern);
}

guint
wl_kind_detect (const WlImportHead *head, const WlTableKind *kinds, guint n)
{
  int at = wl_kind_find (head, kinds, n);
  const WlTableKind *kind = at >= 0 ? &kinds[at] : NULL;

  if (kind == NULL)
    return WL_DETECT_NO;
  if (!wl_kind_is (head, kind, FALSE)) /* names that could be anybody's */
    return strspn (kind->loose, "*,") < strlen (kind->loose) ? WL_DETECT_WEAK : WL_DETECT_NO;
  if (!has_header (head, kind) && strspn (kind->pattern, "iInN,") == strlen (kind->pattern)) /* nothing but numbers: a few below other names are anybody's */
    return begins_well (head, kind) || kind->n_columns > 8 ? WL_DETECT_WEAK : WL_DETECT_NO;
  return begins_well (head, kind) ? WL_DETECT_SURE : WL_DETECT_LIKELY;
}

gboolean
wl_kind_read (WlImport *imp, guint file, const WlTableKind *kind, WlImportRow *row, gpointer user, GError **error)
{
  const char *names[WL_TABLE_COLUMNS + 1] = { NULL };
  WlCsvShape shape = { .separator = kind->separator, .others = kind->others };

  g_assert (kind->n_columns <= WL_TABLE_COLUMNS);
  if (!has_header (wl_import_head (imp, file), kind)) {
    for (guint i = 0; i < kind->n_columns; i++)
      names[i] = kind->column[i].name;
    shape.columns = names;
    shape.maybe_header = TRUE;
    shape.number_first = strchr ("in", kind->pattern[0]) != NULL && kind->pattern[1] == ','; /* else a row of texts alone may well be a row */
  }
  return wl_import_table (imp, file, &shape, kind->column, kind->n_columns, row, user, error);
}

gboolean
wl_kind_unknown (WlImport *imp, guint file, const WlTableKind *kinds, guint n, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  g_autofree char *line = wl_head_line (wl_import_head (imp, file)), *shown = wl_shown (line);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (names, "%s%s", i == 0 ? "" : i + 1 == n ? " or " : ", ", kinds[i].name);
  g_set_error (error, WL_ERROR, WL_ERROR_HEADER, "rows of an unknown table, expected those of %s, found %s", names->str, shown);
  return wl_import_locate (imp, file, 1, 1, error);
}
