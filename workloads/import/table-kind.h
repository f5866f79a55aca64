/* workloads/import/table-kind.h - tables that are published without a header: what their rows look like, and how to read them with or without one;
 * private to formats. */
#pragma once
#include "import.h"
G_BEGIN_DECLS

#define WL_TABLE_COLUMNS 40 /* most columns of such a table */

typedef struct {
  const char *name;     /* of the table, for notes */
  const WlColumn *column; /* in the order in which a table without header has them */
  guint n_columns;
  const char *pattern;  /* what its cells look like, commas between: i whole number, n number, h eight or more hexadecimal digits; I, N and H the same or
                         * nothing; * anything; a|b one of these words (one that ends in * is the beginning of a word, an empty one an empty cell) */
  const char *loose;    /* the same for files whose names (of jobs, of machines) are not those of the publication; NULL: pattern is all */
  char separator;       /* 0: a comma */
  gboolean others;      /* columns of a header that nobody knows are passed over */
} WlTableKind;

/** Does @head begin with rows of this kind, or with a header that names all its required columns? Rows that do not fit are allowed as long as they are fewer than
 * those that do: a bad row is to be reported as such, and not to hide what its file is. */
gboolean wl_kind_is (const WlImportHead *head, const WlTableKind *kind, gboolean loose);
/** wl_import_table() of @file: columns by name where its header names them, in any order, else by their places; a first line without any number is a
 * header of other names and passed over. */
gboolean wl_kind_read (WlImport *imp, guint file, const WlTableKind *kind, WlImportRow *row, gpointer user, GError **error);
/** The kind of @head among @kinds, or -1: the first that fits, and if none does the first that fits loosely. */
int wl_kind_find (const WlImportHead *head, const WlTableKind *kinds, guint n);
/** How sure a format with these tables is of @head: WL_DETECT_…. */
guint wl_kind_detect (const WlImportHead *head, const WlTableKind *kinds, guint n);
/** File @file is none of @kinds; returns FALSE with @error. */
gboolean wl_kind_unknown (WlImport *imp, guint file, const WlTableKind *kinds, guint n, GError **error);

G_END_DECLS
