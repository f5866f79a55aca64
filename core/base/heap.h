/* core/base/heap.h - Go's container/heap, exactly, over guint32 rows.
 *
 * The comparison reads live values, so the order of pops depends on the layout of the array and on every
 * single sift: this is Go's algorithm and not just any heap (shared rule 5). Mirrors
 * pkg/scheduler/util/priority_queue.go.
 *
 * Where the order is known to be strict and to stay, what such a heap gives out is a sorted list, whatever its layout: vc_heap_of_line(). */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

typedef gboolean (*VcHeapLess) (gpointer user, guint32 l, guint32 r); /* does l come before r? */
typedef struct {
  guint32 *item;
  guint32 n, cap;
  const guint32 *line; /* the n rows in the order of their pops, borrowed, in place of item; NULL: a heap like any other */
  VcHeapLess less;
  gpointer user;
} VcHeap;

void vc_heap_init (VcHeap *h, VcHeapLess less, gpointer user);
void vc_heap_clear (VcHeap *h); /* frees the array; the heap may be initialised again */
/** Hold @n rows that are sorted already. @line must stay as it is until they are popped or something is pushed. */
void vc_heap_of_line (VcHeap *h, const guint32 *line, guint32 n);
void vc_heap_push (VcHeap *h, guint32 x);
guint32 vc_heap_pop (VcHeap *h); /* the heap must not be empty */
/** Copy the array as it is (PriorityQueue.Clone). @dst is uninitialised or cleared. */
void vc_heap_clone (VcHeap *dst, const VcHeap *src);
/** One of the n rows, in no order that means anything. */
static inline guint32 vc_heap_item (const VcHeap *h, guint32 i) { return h->line != NULL ? h->line[i] : h->item[i]; }
static inline gboolean vc_heap_is_empty (const VcHeap *h) { return h->n == 0; }
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (VcHeap, vc_heap_clear)

G_END_DECLS
