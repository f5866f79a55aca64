/* workloads/text/csv-table.h - a CSV file with a header line, row by row, with places for messages.
 *
 * libcsv splits (strict mode, RFC 4180; LF and CR LF; blanks belong to the cell; empty lines are
 * skipped). It reports no places, so the bytes of the current record are kept and a place is found
 * by counting in them when a message needs it. Memory is one record: a cell has at most 1 MiB, a
 * record 16 MiB. Bytes that no text has (NUL, other controls, broken UTF-8) are refused. */
#pragma once
#include "workloads/native/native.h"
G_BEGIN_DECLS

typedef struct WlCsv WlCsv;

typedef struct {
  const char *name;
  gboolean required;
} WlColumn;

/* How a table looks that is not volsim's own. All zero: commas, a header, quotes, blanks belong to their cells, compression by the file's suffix. */
typedef struct {
  char separator;             /* 0: a comma */
  gboolean no_quotes;         /* quotes are bytes like others */
  gboolean trim;              /* blanks around a cell do not belong to it */
  gboolean others;            /* columns that nobody knows are passed over */
  gboolean by_magic;          /* compression by the first bytes, whatever the name */
  const char *const *columns; /* a table without a header: its columns, NULL at the end */
  gboolean maybe_header;      /* … that some copies have: a first line is one when its first cell is columns[0], or, with @number_first, none is a number */
  gboolean number_first;
} WlCsvShape;

/** Open @path and read its header line. */
WlCsv *wl_csv_open (const char *path, GError **error);
WlCsv *wl_csv_open_shaped (const char *path, const WlCsvShape *shape, GError **error);
void wl_csv_free (WlCsv *csv);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlCsv, wl_csv_free)

/** Columns of the header: where[i] is the cell of known[i], or -1. The cells of other columns are
 * left in @others (guint, in header order; the caller judges them). Refuses a header without any
 * known name, repeats, and a required column that is missing. */
gboolean wl_csv_columns (WlCsv *csv, const WlColumn *known, guint n_known, int *where,
                         GArray *others, GError **error);
guint wl_csv_width (const WlCsv *csv); /* cells of the header */
const char *wl_csv_header (const WlCsv *csv, guint cell);
/** Refuse column @cell of the header, with the nearest name of @known; returns FALSE. */
gboolean wl_csv_unknown_column (WlCsv *csv, guint cell, const WlColumn *known, guint n_known,
                                GError **error);

/** The next row, which has as many cells as the header. *got is FALSE at the end of the file. */
gboolean wl_csv_next (WlCsv *csv, gboolean *got, GError **error);
/** After wl_csv_next() has failed: is the row whole, with the wrong number of cells, so that the next one can be read? */
gboolean wl_csv_can_go_on (const WlCsv *csv);
/** Text of a cell of the current row, until the next call; @cell -1 (no such column) gives "". */
const char *wl_csv_cell (const WlCsv *csv, int cell);
/** The value of a cell that is 1 to 18 digits and nothing else. FALSE: it is not, and *@out is anything. */
gboolean wl_csv_digits (const WlCsv *csv, int cell, gint64 *out);

/** Line and byte column of the first byte of @cell, from 1. */
void wl_csv_place (const WlCsv *csv, int cell, guint32 *line, guint32 *column);
guint32 wl_csv_line (const WlCsv *csv);     /* first line of the current row */
const char *wl_csv_name (const WlCsv *csv); /* of the file, for messages */
/** Put "file:line:column: column 'name': " in front of @error; returns FALSE. */
gboolean wl_csv_locate (const WlCsv *csv, int cell, GError **error);
/** Refuse with "file:line:column: what, expected …, found …" at a cell of the current row; returns
 * FALSE. @found is a phrase, or a text of the file as wl_shown() gives it. */
gboolean wl_csv_refuse (const WlCsv *csv, int cell, WlError code, const char *what,
                        const char *expected, const char *found, GError **error);
/** The same at a place noted earlier. */
gboolean wl_csv_refuse_at (const WlCsv *csv, guint32 line, guint32 column, WlError code,
                           const char *what, const char *expected, const char *found,
                           GError **error);
/** The text of a cell that may not be empty, or NULL with @error. @what names its content ("a job
 * name"). */
const char *wl_csv_required (const WlCsv *csv, int cell, const char *what, GError **error);

/** A whole table of at most 16 columns, all of them known: each row by @read into an element of @size bytes, zeroed, whose content @clear
 * frees. NULL with @error. (transfer full) */
typedef gboolean WlCsvReadRow (WlCsv *csv, const int *where, gpointer row, GError **error);
GArray *wl_csv_read_rows (const char *path, const WlColumn *known, guint n_known, guint size, WlCsvReadRow *read, GDestroyNotify clear,
                          GError **error);

G_END_DECLS
