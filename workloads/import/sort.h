/* workloads/import/sort.h - millions of jobs by time. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

/** The numbers 0…@n-1 by ascending @key, those of equal ones as they are. The keys are used up. (transfer full) */
guint32 *wl_sorted_by (guint64 *key, guint32 n);

G_END_DECLS
