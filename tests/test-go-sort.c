/* tests/test-go-sort.c - the sorts against recordings of Go's, comparison by comparison. */
#include "core/base/go-sort.h"
#include "go-rules.h"
#include "suite.h"
#include <stdlib.h>

static guint32 *
draw_keys (const char *shape, guint32 n, guint32 m, guint64 seed)
{
  guint32 *key = g_new (guint32, n + 1);
  guint64 state = seed;

  for (guint32 i = 0; i < n; i++)
    if (strcmp (shape, "random") == 0)
      key[i] = (guint32) (suite_random (&state) % m);
    else if (strcmp (shape, "ascending") == 0)
      key[i] = i / m;
    else if (strcmp (shape, "descending") == 0)
      key[i] = (n - i) / m;
    else if (strcmp (shape, "saw") == 0)
      key[i] = i % m;
    else if (strcmp (shape, "pipe") == 0)
      key[i] = MIN (i, n - i) / m;
    else /* nearly */
      key[i] = i;
  if (strcmp (shape, "nearly") == 0 && n > 0)
    for (guint32 i = 0; i < m; i++) {
      guint32 a = (guint32) (suite_random (&state) % n), b = (guint32) (suite_random (&state) % n);
      guint32 x = key[a];

      key[a] = key[b];
      key[b] = x;
    }
  return key;
}

static guint32 *
items_in_order (guint32 n)
{
  guint32 *item = g_new (guint32, n + 1);

  for (guint32 i = 0; i < n; i++)
    item[i] = i;
  return item;
}

typedef void (*SortFn) (guint32 *items, gsize n, VcGoLess less, gpointer user);

static gboolean
digest_is (SortFn sort, SuiteNode *row, const char *expected)
{
  guint32 n = (guint32) suite_int (suite_at (row, 3));
  g_autofree guint32 *key =
    draw_keys (suite_text (suite_at (row, 0)), n, (guint32) suite_int (suite_at (row, 1)),
               (guint64) suite_int (suite_at (row, 4)));
  g_autofree guint32 *item = items_in_order (n);
  g_autofree char *digest = NULL;
  GoOrder order = go_order (suite_text (suite_at (row, 2)), key, n);

  sort (item, n, go_less, &order);
  for (guint32 i = 0; i < n; i++)
    go_digest (&order.digest, item[i]);
  digest = g_strdup_printf ("%016" G_GINT64_MODIFIER "x", order.digest);
  return strcmp (digest, expected) == 0;
}

static void
every_recorded_input_is_compared_and_sorted_as_go_does (void)
{
  g_autoptr (SuiteDoc) doc = suite_load ("go-sort.json");
  SuiteNode *rows = suite_need (suite_root (doc), "rows"), *row;
  guint n = 0;

  for (void *at = NULL; (row = suite_next (rows, &at)) != NULL; n++) {
    suite_check (digest_is (vc_go_sort, row, suite_text (suite_at (row, 5))), "row %u: Slice", n);
    suite_check (digest_is (vc_go_sort_stable, row, suite_text (suite_at (row, 6))),
                 "row %u: SliceStable", n);
  }
  suite_check (n > 1000, "%u rows", n);
}

static gboolean
order_is (SortFn sort, SuiteNode *example, const char *expected)
{
  SuiteNode *keys = suite_need (example, "keys"), *items = suite_need (example, expected);
  guint n = suite_count (keys);
  g_autofree guint32 *key = g_new (guint32, n);
  g_autofree guint32 *item = items_in_order (n);
  GoOrder order;

  for (guint i = 0; i < n; i++)
    key[i] = (guint32) suite_int (suite_at (keys, i));
  order = go_order (suite_text (suite_need (example, "rule")), key, n);
  sort (item, n, go_less, &order);
  for (guint i = 0; i < n; i++)
    if (item[i] != suite_int (suite_at (items, i)))
      return FALSE;
  return suite_count (items) == n;
}

static void
every_recorded_example_ends_in_the_recorded_order (void)
{
  g_autoptr (SuiteDoc) doc = suite_load ("go-sort.json");
  SuiteNode *list = suite_need (suite_root (doc), "examples"), *example;
  guint n = 0;

  for (void *at = NULL; (example = suite_next (list, &at)) != NULL; n++) {
    suite_check (order_is (vc_go_sort, example, "slice"), "example %u: slice", n);
    suite_check (order_is (vc_go_sort_stable, example, "stable"), "example %u: stable", n);
  }
  suite_check (n >= 7, "%u examples", n);
}

/* Whatever the input: ascending, a permutation, and ties in the order of the input if promised. */
static gboolean
is_sorted (const guint32 *item, const guint32 *key, guint32 n, gboolean stable)
{
  g_autofree gboolean *seen = g_new0 (gboolean, n + 1);

  for (guint32 i = 0; i < n; i++) {
    if (item[i] >= n || seen[item[i]])
      return FALSE;
    seen[item[i]] = TRUE;
    if (i == 0)
      continue;
    if (key[item[i - 1]] > key[item[i]]
        || (stable && key[item[i - 1]] == key[item[i]] && item[i - 1] > item[i]))
      return FALSE;
  }
  return TRUE;
}

static void
results_are_sorted_and_ties_stay_in_place_where_promised (void)
{
  guint64 state = 11;

  for (guint round = 0; round < 3000; round++) {
    guint32 n = (guint32) (suite_random (&state) % 300);
    guint32 m = 1 + (guint32) (suite_random (&state) % 50);
    g_autofree guint32 *key = draw_keys ("random", n, m, round);
    g_autofree guint32 *item = items_in_order (n);
    g_autofree guint32 *stable = items_in_order (n);
    GoOrder order = go_order ("less", key, n);

    vc_go_sort (item, n, go_less, &order);
    vc_go_sort_stable (stable, n, go_less, &order);
    suite_check (is_sorted (item, key, n, n <= 12), "n %u, m %u, seed %u", n, m, round);
    suite_check (is_sorted (stable, key, n, TRUE), "stable: n %u, m %u, seed %u", n, m, round);
  }
}

static CU_TestInfo tests[] = {
  { "every recorded input is compared and sorted as Go does",
    every_recorded_input_is_compared_and_sorted_as_go_does },
  { "every recorded example ends in the recorded order",
    every_recorded_example_ends_in_the_recorded_order },
  { "results are sorted and ties stay in place where promised",
    results_are_sorted_and_ties_stay_in_place_where_promised },
  CU_TEST_INFO_NULL,
};

int
main (void)
{
  return suite_run ("go-sort", tests);
}
