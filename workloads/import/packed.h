/* workloads/import/packed.h - numbered rows of a few whole numbers in a few bytes: what is kept of millions of jobs until they are written.
 *
 * A row is stored as what distinguishes it from the row before, so rows that resemble each other (rising times, equal traits, texts that lie one behind the other) take little more than
 * the bits that say so. Read in order a row costs little more than a copy; any other one costs up to WL_PACKED_GROUP rows. Not for two threads at once: reading moves a cursor. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

#define WL_PACKED_COLUMNS 12
#define WL_PACKED_GROUP 16

typedef struct WlPacked WlPacked;
/** Rows of @n_columns (up to WL_PACKED_COLUMNS). The first @n_steady of them mostly grow by as much as they did last; of the others those that seldom change are best put last. */
WlPacked *wl_packed_new (guint n_columns, guint n_steady);
void wl_packed_free (WlPacked *p);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlPacked, wl_packed_free)
/** Append a row of any numbers. */
void wl_packed_add (WlPacked *p, const gint64 *row);
/** Row @number. Borrowed, until the next one is read. */
const gint64 *wl_packed_get (WlPacked *p, guint32 number);
guint32 wl_packed_len (const WlPacked *p);

/** Changes the row that comes to @place before it is stored there. */
typedef void (*WlPackedEdit) (gint64 *row, guint32 place, gpointer data);
/** The rows of @p (transfer full) in another order: row i becomes row @place[i], a permutation. Costs as much as reading and writing all rows twice in their order, whatever the order; the
 * memory of @p is given back meanwhile. @edit, if any, gets the rows in their new order. (transfer full) */
WlPacked *wl_packed_rearranged (WlPacked *p, const guint32 *place, WlPackedEdit edit, gpointer data);

G_END_DECLS
