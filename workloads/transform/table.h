/* workloads/transform/table.h - a CSV table as it stands: cells are texts, columns keep their names and order, whatever they are. */
#pragma once
#include "workloads/native/native.h"
G_BEGIN_DECLS

typedef struct WlTable WlTable;

/** The whole of @path; NULL with @error. (transfer full) */
WlTable *wl_table_read (const char *path, GError **error);
/** A table without rows; @columns with commas between. (transfer full) */
WlTable *wl_table_new (const char *columns);
void wl_table_free (WlTable *t);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlTable, wl_table_free)

guint wl_table_rows (const WlTable *t);
guint wl_table_width (const WlTable *t);
const char *wl_table_name (const WlTable *t, guint column);
/** The column of that name; -1: there is none. */
int wl_table_column (const WlTable *t, const char *name);
/** The same; one that is missing is added, with empty cells. */
guint wl_table_need (WlTable *t, const char *name);
/** Text of a cell; @column -1 gives "". */
const char *wl_table_cell (const WlTable *t, guint row, int column);
/** The line of the file that a row was read from, of a copied row that of the first; 0: none. */
guint wl_table_line (const WlTable *t, guint row);
void wl_table_set (WlTable *t, guint row, guint column, const char *text);
/** One more row of empty cells; gives its place. */
guint wl_table_add_row (WlTable *t);
/** A copy of row @row of @from behind the others, by the names of columns, which are added where they are missing. Gives its place. */
guint wl_table_append (WlTable *t, const WlTable *from, guint row);
/** Keep the rows for which @keep is TRUE. */
void wl_table_filter (WlTable *t, const gboolean *keep);
/** Put the rows into the order of @order: the new row i is the old row order[i]. */
void wl_table_order (WlTable *t, const guint *order);
/** As RFC 4180 text. */
void wl_table_write (const WlTable *t, GString *out);

G_END_DECLS
