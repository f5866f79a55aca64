/* reports/csv-writer.h - rows of RFC 4180 CSV into a file, fast.
 *
 * Fields are appended to a buffer and written in large blocks. The first failed write is remembered
 * and reported by rp_csv_close(); until then every call stays valid. Lines end in "\n"; a text is
 * quoted only when it must be. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

#define RP_DOUBLE_SIZE                                                                             \
  32 /* room for any number written by rp_format_double() or rp_format_time() */

/** Shortest decimal text that reads back as the same double; whole numbers without a point. Not
 * terminated; returns the length. NaN and infinities give 0 characters. */
guint rp_format_double (char buf[RP_DOUBLE_SIZE], double v);
guint rp_format_int (char buf[RP_DOUBLE_SIZE], gint64 v);
/** Microseconds as seconds with as many decimals as needed, at most six. */
guint rp_format_time (char buf[RP_DOUBLE_SIZE], gint64 us);

typedef struct RpCsv RpCsv;

/** Create the file @path for rows of @n_fields. NULL with @error. */
RpCsv *rp_csv_open (const char *path, guint n_fields, GError **error);
/** The same, but the file gets its name when it is closed well, in place of one that is there. */
RpCsv *rp_csv_open_over (const char *path, guint n_fields, GError **error);
void rp_csv_text (RpCsv *w, const char *text); /* NULL is the empty text */
void rp_csv_int (RpCsv *w, gint64 v);
void rp_csv_double (RpCsv *w, double v);
void rp_csv_time (RpCsv *w, gint64 us); /* G_MININT64: empty */
void rp_csv_empty (RpCsv *w);
/** End the row; its number of fields must be that of rp_csv_open() (asserted). */
void rp_csv_end_row (RpCsv *w);
guint64 rp_csv_rows (const RpCsv *w); /* rows ended so far, the header included */
/** Write what is left and close the file. FALSE with @error when this or any earlier write failed.
 */
gboolean rp_csv_close (RpCsv *w, GError **error);
void rp_csv_free (RpCsv *w); /* closes without flushing when still open */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RpCsv, rp_csv_free)

G_END_DECLS
