/* core/base/go-sort.h - Go's sort.Slice / sort.Sort and sort.SliceStable, exactly.
 *
 * Needed where upstream sorts with a comparison that can tie or is not a strict order: the result is then that of
 * Go's algorithm (insertion sort up to 12 elements, pattern-defeating quicksort above; shared rule 8). */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

typedef gboolean (*VcGoLess) (gpointer user, guint32 l, guint32 r); /* over the elements, not the indices */
void vc_go_sort (guint32 *items, gsize n, VcGoLess less, gpointer user);
void vc_go_sort_stable (guint32 *items, gsize n, VcGoLess less, gpointer user);

G_END_DECLS
