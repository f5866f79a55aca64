/* workloads/text/trace-columns.h - what the native tables share: resource columns, x_ columns, single
 * cells. */
#pragma once
#include "csv-table.h"
#include "parse.h"
G_BEGIN_DECLS

typedef struct {
  int cell;
  const char *resource; /* borrowed from the header */
} WlAmountColumn;

/** Sort out the columns that wl_csv_columns() did not know: prefix/name goes to @amounts
 * (WlAmountColumn), x_… to @extra (guint, may be NULL), anything else is refused. The columns of
 * @plain among @known (cpu, memory, …) join @amounts, which ends up in header order. */
gboolean wl_trace_columns (WlCsv *csv, const WlColumn *known, guint n_known, const int *where,
                           const char *const *plain, const GArray *others, GArray *amounts,
                           GArray *extra, GError **error);
/** Append the cells of @amounts that are given (and not zero, unless @keep_zero) to @out; *given
 * tells whether there is any. */
gboolean wl_trace_amounts (const WlCsv *csv, const GArray *amounts, gboolean keep_zero, GArray *out,
                           gboolean *given, GError **error);

/** The same without zeros, (transfer full), NULL with @error. Rows with the same cells get the same
 * array as long as @known (text of the cells → GArray; see wl_trace_memo_new()) has room. */
GArray *wl_trace_shared_amounts (const WlCsv *csv, const GArray *amounts, GHashTable *known,
                                 GString *key, GError **error);
GHashTable *wl_trace_memo_new (void);

/* One cell, located in messages. An empty cell (or no such column) leaves *out alone. */
gboolean
wl_trace_int (const WlCsv *csv, int cell, gint64 min, gint64 max, gint32 *out, GError **error);
gboolean wl_trace_bool (const WlCsv *csv, int cell, int *out, GError **error);
gboolean wl_trace_time (const WlCsv *csv, int cell, WlTime *out, GError **error);
/** A name that must be given. Borrowed, NULL with @error. */
const char *wl_trace_name (const WlCsv *csv, int cell, const char *what, gboolean dots, guint max,
                           GError **error);

G_END_DECLS
