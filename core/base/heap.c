/* core/base/heap.c - see heap.h. */
#include "core/base/heap.h"
#include <string.h>

void
vc_heap_init (VcHeap *h, VcHeapLess less, gpointer user)
{
  *h = (VcHeap){ .less = less, .user = user };
}

void
vc_heap_clear (VcHeap *h)
{
  g_free (h->item);
  *h = (VcHeap){ 0 };
}

/* A queue without a comparison orders by position: nothing moves (upstream's nil lessFn). */
static inline gboolean
before (const VcHeap *h, guint32 i, guint32 j)
{
  return h->less != NULL ? h->less (h->user, h->item[i], h->item[j]) : i < j;
}

static inline void
swap (VcHeap *h, guint32 i, guint32 j)
{
  guint32 x = h->item[i];

  h->item[i] = h->item[j];
  h->item[j] = x;
}

static void
reserve (VcHeap *h, guint32 n)
{
  if (n <= h->cap)
    return;
  g_assert (n < G_MAXUINT32 / 2);
  h->cap = MAX (MAX (16, n), 2 * h->cap);
  h->item = g_renew (guint32, h->item, h->cap);
}

void
vc_heap_of_line (VcHeap *h, const guint32 *line, guint32 n)
{
  h->line = line;
  h->n = n;
}

void
vc_heap_push (VcHeap *h, guint32 x)
{
  guint32 at = h->n;

  reserve (h, h->n + 1);
  if (h->line != NULL) { /* what is sorted is a heap */
    memcpy (h->item, h->line, h->n * sizeof *h->item);
    h->line = NULL;
  }
  h->item[h->n++] = x;
  while (at > 0) {
    guint32 parent = (at - 1) / 2;

    if (!before (h, at, parent))
      break;
    swap (h, at, parent);
    at = parent;
  }
}

guint32
vc_heap_pop (VcHeap *h)
{
  guint32 last, at = 0;

  g_assert (h->n > 0);
  if (h->line != NULL) {
    h->n--;
    return *h->line++;
  }
  last = h->n - 1;
  swap (h, 0, last);
  /* The popped item waits behind the end while the new root sinks: it is compared with nothing. */
  while (last > 1 && at <= (last - 2) / 2) { /* there is a left child */
    guint32 child = 2 * at + 1;

    if (child + 1 < last && before (h, child + 1, child))
      child++;
    if (!before (h, child, at))
      break;
    swap (h, at, child);
    at = child;
  }
  h->n = last;
  return h->item[last];
}

void
vc_heap_clone (VcHeap *dst, const VcHeap *src)
{
  *dst = (VcHeap){ .n = src->n, .cap = src->line != NULL ? 0 : src->n, .line = src->line, .less = src->less, .user = src->user };
  if (dst->cap > 0)
    dst->item = g_memdup2 (src->item, sizeof *src->item * src->n);
}
