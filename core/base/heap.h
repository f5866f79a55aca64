/* core/base/heap.h - Go's container/heap, exactly, over guint32 rows.
 *
 * The comparison reads live values, so the order of pops depends on the layout of the array and on every
 * single sift: this is Go's algorithm and not just any heap (shared rule 5). Mirrors
 * pkg/scheduler/util/priority_queue.go. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

typedef gboolean (*VcHeapLess) (gpointer user, guint32 l, guint32 r); /* does l come before r? */
typedef struct {
  guint32 *item;
  guint32 n, cap;
  VcHeapLess less;
  gpointer user;
} VcHeap;

void vc_heap_init (VcHeap *h, VcHeapLess less, gpointer user);
void vc_heap_clear (VcHeap *h); /* frees the array; the heap may be initialised again */
void vc_heap_push (VcHeap *h, guint32 x);
guint32 vc_heap_pop (VcHeap *h); /* the heap must not be empty */
/** Copy the array as it is (PriorityQueue.Clone). @dst is uninitialised or cleared. */
void vc_heap_clone (VcHeap *dst, const VcHeap *src);
static inline gboolean vc_heap_is_empty (const VcHeap *h) { return h->n == 0; }
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (VcHeap, vc_heap_clear)

G_END_DECLS
