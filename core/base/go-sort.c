/* core/base/go-sort.c - see go-sort.h.
 *
 * Ranges are half open, [a, b), and positions are absolute in the array, because the algorithm
 * looks at the element left of a range and, in one place, moves elements across that border. With
 * a comparison that is no strict order each single comparison and exchange counts, so their order
 * is Go's (since 1.19; unchanged as of 1.26). */
#include "core/base/go-sort.h"

#define INSERTION_MAX 12   /* up to here insertion sort does it all */
#define NINTHER_MIN 50     /* from here the pivot is a median of medians */
#define SHIFT_MIN 50       /* below, a nearly sorted range is not repaired by shifting */
#define SHIFT_STEPS 5      /* repairs before giving up */
#define PIVOT_SWAPS_MAX 12 /* in four medians of three: every pair was in descending order */
#define STABLE_BLOCK 20

typedef struct {
  guint32 *item;
  VcGoLess less;
  gpointer user;
} Sorter;

typedef enum { HINT_NONE, HINT_ASCENDING, HINT_DESCENDING } Hint;

static inline gboolean
less_at (const Sorter *s, gsize i, gsize j)
{
  return s->less (s->user, s->item[i], s->item[j]);
}

static inline void
swap_at (const Sorter *s, gsize i, gsize j)
{
  guint32 x = s->item[i];

  s->item[i] = s->item[j];
  s->item[j] = x;
}

static guint
bit_length (gsize x)
{
  guint n = 0;

  for (; x != 0; x >>= 1)
    n++;
  return n;
}

static void
insertion_sort (const Sorter *s, gsize a, gsize b)
{
  for (gsize i = a + 1; i < b; i++)
    for (gsize j = i; j > a && less_at (s, j, j - 1); j--)
      swap_at (s, j, j - 1);
}

/* ---- the fallback: heap sort with the greatest on top --------------------------------------- */

static void
sift_down (const Sorter *s, gsize root, gsize n, gsize first)
{
  for (;;) {
    gsize child = 2 * root + 1;

    if (child >= n)
      return;
    if (child + 1 < n && less_at (s, first + child, first + child + 1))
      child++;
    if (!less_at (s, first + root, first + child))
      return;
    swap_at (s, first + root, first + child);
    root = child;
  }
}

static void
heap_sort (const Sorter *s, gsize a, gsize b)
{
  gsize n = b - a;

  for (gsize i = (n - 1) / 2 + 1; i-- > 0;)
    sift_down (s, i, n, a);
  for (gsize i = n; i-- > 0;) {
    swap_at (s, a, a + i);
    sift_down (s, 0, i, a);
  }
}

/* ---- the pivot ------------------------------------------------------------------------------ */

/* Position of the median of three; counts the pairs met in the wrong order. Nothing is moved. */
static gsize
median (const Sorter *s, gsize x, gsize y, gsize z, guint *swaps)
{
  gsize t;

  if (less_at (s, y, x)) {
    t = x, x = y, y = t;
    ++*swaps;
  }
  if (less_at (s, z, y)) {
    y = z; /* the greatest is not needed any more */
    ++*swaps;
  }
  if (less_at (s, y, x)) {
    y = x;
    ++*swaps;
  }
  return y;
}

static gsize
choose_pivot (const Sorter *s, gsize a, gsize b, Hint *hint)
{
  gsize n = b - a, i = a + n / 4, j = a + n / 4 * 2, k = a + n / 4 * 3;
  guint swaps = 0;

  if (n >= NINTHER_MIN) {
    i = median (s, i - 1, i, i + 1, &swaps);
    j = median (s, j - 1, j, j + 1, &swaps);
    k = median (s, k - 1, k, k + 1, &swaps);
  }
  if (n >= 8)
    j = median (s, i, j, k, &swaps);
  *hint = swaps == 0 ? HINT_ASCENDING : swaps == PIVOT_SWAPS_MAX ? HINT_DESCENDING : HINT_NONE;
  return j;
}

/* ---- partitions ----------------------------------------------------------------------------- */

/* Less than the pivot to the left, the rest to the right; gives the pivot's place. *already =
 * nothing but the pivot had to move. */
static gsize
partition (const Sorter *s, gsize a, gsize b, gsize pivot, gboolean *already)
{
  gsize i = a + 1, j = b - 1;

  *already = TRUE;
  swap_at (s, a, pivot);
  for (;;) {
    while (i <= j && less_at (s, i, a))
      i++;
    while (i <= j && !less_at (s, j, a))
      j--;
    if (i > j)
      break;
    *already = FALSE;
    swap_at (s, i++, j--);
  }
  swap_at (s, j, a);
  return j;
}

/* For ranges without anything less than the pivot: equals to the left; gives the start of the
 * greater ones. */
static gsize
partition_equal (const Sorter *s, gsize a, gsize b, gsize pivot)
{
  gsize i = a + 1, j = b - 1;

  swap_at (s, a, pivot);
  for (;;) {
    while (i <= j && !less_at (s, a, i))
      i++;
    while (i <= j && less_at (s, a, j))
      j--;
    if (i > j)
      return i;
    swap_at (s, i++, j--);
  }
}

/* Repair a range that is nearly sorted; TRUE when it is sorted now. */
static gboolean
partial_insertion_sort (const Sorter *s, gsize a, gsize b)
{
  gsize i = a + 1;

  for (guint step = 0; step < SHIFT_STEPS; step++) {
    while (i < b && !less_at (s, i, i - 1))
      i++;
    if (i == b)
      return TRUE;
    if (b - a < SHIFT_MIN)
      return FALSE;
    swap_at (s, i, i - 1);
    /* Left shift: Go stops at the start of the whole array, not at a. */
    if (i - a >= 2)
      for (gsize j = i - 1; j >= 1 && less_at (s, j, j - 1); j--)
        swap_at (s, j, j - 1);
    for (gsize j = i + 1; j < b && less_at (s, j, j - 1); j++)
      swap_at (s, j, j - 1);
  }
  return FALSE;
}

/* Three exchanges around the middle with places drawn from a generator that the length seeds. */
static void
break_patterns (const Sorter *s, gsize a, gsize b)
{
  gsize n = b - a, at = a + n / 4 * 2 - 1;
  guint64 random = n;
  guint64 mask = (G_GUINT64_CONSTANT (1) << bit_length (n)) - 1;

  for (gsize end = at + 3; at < end; at++) {
    gsize other;

    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    other = random & mask;
    if (other >= n)
      other -= n;
    swap_at (s, at, a + other);
  }
}

static void
reverse (const Sorter *s, gsize a, gsize b)
{
  for (; a + 1 < b; a++, b--)
    swap_at (s, a, b - 1);
}

/* @limit: unbalanced partitions allowed before heap sort takes over */
static void
pdq_sort (const Sorter *s, gsize a, gsize b, guint limit)
{
  gboolean balanced = TRUE, partitioned = TRUE;

  while (b - a > INSERTION_MAX) {
    gsize n = b - a, pivot, mid, left, right;
    Hint hint;

    if (limit == 0) {
      heap_sort (s, a, b);
      return;
    }
    if (!balanced) {
      break_patterns (s, a, b);
      limit--;
    }
    pivot = choose_pivot (s, a, b, &hint);
    if (hint == HINT_DESCENDING) {
      reverse (s, a, b);
      pivot = (b - 1) - (pivot - a);
      hint = HINT_ASCENDING;
    }
    if (balanced && partitioned && hint == HINT_ASCENDING && partial_insertion_sort (s, a, b))
      return;
    /* The range holds nothing less than its left neighbour: the pivot is its least. */
    if (a > 0 && !less_at (s, a - 1, pivot)) {
      a = partition_equal (s, a, b, pivot);
      continue;
    }
    mid = partition (s, a, b, pivot, &partitioned);
    left = mid - a;
    right = b - mid;
    balanced = MIN (left, right) >= n / 8;
    if (left < right) { /* recursion into the shorter side bounds the depth */
      pdq_sort (s, a, mid, limit);
      a = mid + 1;
    } else {
      pdq_sort (s, mid + 1, b, limit);
      b = mid;
    }
  }
  insertion_sort (s, a, b);
}

void
vc_go_sort (guint32 *items, gsize n, VcGoLess less, gpointer user)
{
  const Sorter s = { items, less, user };

  pdq_sort (&s, 0, n, bit_length (n));
}

/* ---- the stable sort ------------------------------------------------------------------------ */

static void
swap_ranges (const Sorter *s, gsize a, gsize b, gsize n)
{
  for (gsize i = 0; i < n; i++)
    swap_at (s, a + i, b + i);
}

/* Exchange the neighbours [a, m) and [m, b). */
static void
rotate (const Sorter *s, gsize a, gsize m, gsize b)
{
  gsize i = m - a, j = b - m;

  while (i != j)
    if (i > j) {
      swap_ranges (s, m - i, m, j);
      i -= j;
    } else {
      swap_ranges (s, m - i, m + j - i, i);
      j -= i;
    }
  swap_ranges (s, m - i, m, i);
}

/* Merge the sorted neighbours [a, m) and [m, b), neither empty, in place (SymMerge of Kim and
 * Kutzner). */
static void
sym_merge (const Sorter *s, gsize a, gsize m, gsize b)
{
  gsize mid, sum, lo, hi, end;

  if (m - a == 1) { /* one element on the left: it goes before the first that is not less */
    for (lo = m, hi = b; lo < hi;) {
      gsize h = (lo + hi) / 2;

      if (less_at (s, h, a))
        lo = h + 1;
      else
        hi = h;
    }
    for (gsize k = a; k + 1 < lo; k++)
      swap_at (s, k, k + 1);
    return;
  }
  if (b - m == 1) { /* one element on the right: it goes before the first that is greater */
    for (lo = a, hi = m; lo < hi;) {
      gsize h = (lo + hi) / 2;

      if (!less_at (s, m, h))
        lo = h + 1;
      else
        hi = h;
    }
    for (gsize k = m; k > lo; k--)
      swap_at (s, k, k - 1);
    return;
  }
  /* Find how much to exchange around m, symmetrically to the middle of the whole. */
  mid = (a + b) / 2;
  sum = mid + m;
  lo = m > mid ? sum - b : a;
  hi = m > mid ? mid : m;
  while (lo < hi) {
    gsize c = (lo + hi) / 2;

    if (!less_at (s, sum - 1 - c, c))
      lo = c + 1;
    else
      hi = c;
  }
  end = sum - lo;
  if (lo < m && m < end)
    rotate (s, lo, m, end);
  if (a < lo && lo < mid)
    sym_merge (s, a, lo, mid);
  if (mid < end && end < b)
    sym_merge (s, mid, end, b);
}

void
vc_go_sort_stable (guint32 *items, gsize n, VcGoLess less, gpointer user)
{
  const Sorter s = { items, less, user };
  gsize a;

  for (a = 0; n - a >= STABLE_BLOCK; a += STABLE_BLOCK)
    insertion_sort (&s, a, a + STABLE_BLOCK);
  insertion_sort (&s, a, n);
  for (gsize block = STABLE_BLOCK; block < n; block *= 2) {
    for (a = 0; n - a >= 2 * block; a += 2 * block)
      sym_merge (&s, a, a + block, a + 2 * block);
    if (n - a > block)
      sym_merge (&s, a, a + block, n);
  }
}
