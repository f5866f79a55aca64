/* workloads/import/sort.c - see sort.h. A radix sort from the lowest digit on: a few passes, none of which compares. */
#include "sort.h"

#define DIGIT_BITS 11
#define DIGITS ((64 + DIGIT_BITS - 1) / DIGIT_BITS)
#define VALUES (1U << DIGIT_BITS)

static inline guint
digit_of (guint64 key, guint d)
{
  return key >> d * DIGIT_BITS & (VALUES - 1);
}

guint32 *
wl_sorted_by (guint64 *key, guint32 n)
{
  g_autofree guint32 *count = g_new0 (guint32, DIGITS * VALUES), *spare = g_new (guint32, (gsize) n + 1);
  g_autofree guint64 *spare_key = g_new (guint64, (gsize) n + 1);
  guint32 *order = g_new (guint32, (gsize) n + 1), *to = spare;
  guint64 *from_key = key, *to_key = spare_key, least = G_MAXUINT64;

  for (guint32 i = 0; i < n; i++) {
    least = MIN (least, key[i]);
    order[i] = i;
  }
  for (guint32 i = 0; i < n; i++) {
    key[i] -= least; /* most digits of most lists are 0 then */
    for (guint d = 0; d < DIGITS; d++)
      count[d * VALUES + digit_of (key[i], d)]++;
  }
  for (guint d = 0; d < DIGITS && n > 0; d++) {
    guint32 *next = count + (gsize) d * VALUES, sum = 0;

    if (next[digit_of (from_key[0], d)] == n)
      continue; /* all have the same one */
    for (guint v = 0; v < VALUES; v++) {
      const guint32 here = next[v];

      next[v] = sum;
      sum += here;
    }
    for (guint32 i = 0; i < n; i++) {
      const guint32 at = next[digit_of (from_key[i], d)]++;

      to_key[at] = from_key[i];
      to[at] = order[i];
    }
    guint32 *sorted = to;
    guint64 *sorted_key = to_key;

    to = order;
    order = sorted;
    to_key = from_key;
    from_key = sorted_key;
  }
  spare = to; /* the one of both that is not given away */
  return order;
}
