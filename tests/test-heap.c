/* tests/test-heap.c - the heap against recordings of Go's, comparison by comparison. */
#include "core/base/heap.h"
#include "go-rules.h"
#include "suite.h"

static void
pop_into (VcHeap *h, GArray *pops)
{
  guint32 x = vc_heap_pop (h);

  g_array_append_val (pops, x);
}

/* As the recording was made: random steps, then empty the heap, then the copy made before that. */
static guint64
digest_of_steps (const char *rule, guint32 n, guint32 m, guint steps, guint64 seed)
{
  g_autofree guint32 *key = g_new0 (guint32, n);
  g_autoptr (GArray) pops = g_array_new (FALSE, FALSE, sizeof (guint32));
  GoOrder order = go_order (rule, key, n);
  g_auto (VcHeap) h, clone;

  vc_heap_init (&h, go_less, &order);
  for (guint i = 0; i < steps; i++) {
    guint64 what = suite_random (&seed) % 8;
    guint32 x = (guint32) (suite_random (&seed) % n);

    if (what < 4)
      vc_heap_push (&h, x);
    else if (what >= 6)
      key[x] = (guint32) (suite_random (&seed) % m);
    else if (!vc_heap_is_empty (&h))
      pop_into (&h, pops);
  }
  vc_heap_clone (&clone, &h);
  while (!vc_heap_is_empty (&h))
    pop_into (&h, pops);
  while (!vc_heap_is_empty (&clone))
    pop_into (&clone, pops);
  for (guint i = 0; i < pops->len; i++)
    go_digest (&order.digest, g_array_index (pops, guint32, i));
  return order.digest;
}

static void
every_recorded_run_compares_and_pops_as_go_does (void)
{
  g_autoptr (SuiteDoc) doc = suite_load ("go-heap.json");
  SuiteNode *rows = suite_need (suite_root (doc), "rows"), *row;
  guint n = 0;

  for (void *at = NULL; (row = suite_next (rows, &at)) != NULL; n++) {
    guint64 digest = digest_of_steps (
      suite_text (suite_at (row, 0)), (guint32) suite_int (suite_at (row, 1)),
      (guint32) suite_int (suite_at (row, 2)), (guint) suite_int (suite_at (row, 3)),
      (guint64) suite_int (suite_at (row, 4)));
    g_autofree char *text = g_strdup_printf ("%016" G_GINT64_MODIFIER "x", digest);

    suite_check (strcmp (text, suite_text (suite_at (row, 5))) == 0, "row %u", n);
  }
  suite_check (n >= 300, "%u rows", n);
}

/* Three items of one key: the last pushed comes second, as it takes the root's place. */
static void
ties_leave_by_the_layout_of_the_array (void)
{
  guint32 key[3] = { 0 };
  GoOrder order = go_order ("less", key, 3);
  g_auto (VcHeap) h;

  vc_heap_init (&h, go_less, &order);
  for (guint32 i = 0; i < 3; i++)
    vc_heap_push (&h, i);
  CU_ASSERT_EQUAL (vc_heap_pop (&h), 0);
  CU_ASSERT_EQUAL (vc_heap_pop (&h), 2);
  CU_ASSERT_EQUAL (vc_heap_pop (&h), 1);
  CU_ASSERT_TRUE (vc_heap_is_empty (&h));
}

static void
a_clone_has_its_own_array (void)
{
  guint32 key[4] = { 3, 2, 1, 0 };
  GoOrder order = go_order ("less", key, 4);
  g_auto (VcHeap) h, clone, none;

  vc_heap_init (&h, go_less, &order);
  vc_heap_clone (&none, &h);
  CU_ASSERT_TRUE (vc_heap_is_empty (&none));
  vc_heap_push (&none, 2);
  CU_ASSERT_TRUE (vc_heap_is_empty (&h));
  vc_heap_push (&h, 0);
  vc_heap_push (&h, 1);
  vc_heap_clone (&clone, &h);
  vc_heap_push (&clone, 3);
  CU_ASSERT_EQUAL (h.n, 2);
  CU_ASSERT_EQUAL (vc_heap_pop (&clone), 3);
  CU_ASSERT_EQUAL (vc_heap_pop (&h), 1);
  CU_ASSERT_EQUAL (clone.n, 2);
  CU_ASSERT_EQUAL (vc_heap_pop (&clone), 1);
}

/* A sorted line is given out as a heap of the same items would be; what is pushed into the middle of that finds its place. */
static void
a_line_leaves_like_a_heap_of_its_items (void)
{
  guint32 key[6] = { 10, 20, 30, 40, 50, 25 };
  const guint32 line[5] = { 0, 1, 2, 3, 4 };
  GoOrder order = go_order ("less", key, 6);
  g_auto (VcHeap) h, clone;

  vc_heap_init (&h, go_less, &order);
  vc_heap_of_line (&h, line, 5);
  CU_ASSERT_EQUAL (vc_heap_pop (&h), 0);
  CU_ASSERT_EQUAL (vc_heap_item (&h, 3), 4);
  vc_heap_clone (&clone, &h);
  vc_heap_push (&h, 5);
  CU_ASSERT_EQUAL (vc_heap_pop (&h), 1);
  CU_ASSERT_EQUAL (vc_heap_pop (&h), 5);
  CU_ASSERT_EQUAL (vc_heap_pop (&h), 2);
  for (guint32 i = 1; i < 5; i++)
    CU_ASSERT_EQUAL (vc_heap_pop (&clone), i);
  CU_ASSERT_TRUE (vc_heap_is_empty (&clone));
  CU_ASSERT_EQUAL (line[1], 1);
}

static void
without_a_comparison_nothing_is_moved_up (void)
{
  g_auto (VcHeap) h;

  vc_heap_init (&h, NULL, NULL);
  for (guint32 i = 0; i < 100; i++)
    vc_heap_push (&h, 1000 - i);
  for (guint32 i = 0; i < 100; i++)
    CU_ASSERT_EQUAL (h.item[i], 1000 - i);
  CU_ASSERT_EQUAL (vc_heap_pop (&h), 1000);
  CU_ASSERT_EQUAL (vc_heap_pop (&h), 901); /* the last one took the place of the root and stayed */
}

static CU_TestInfo tests[] = {
  { "every recorded run compares and pops as Go does",
    every_recorded_run_compares_and_pops_as_go_does },
  { "ties leave by the layout of the array", ties_leave_by_the_layout_of_the_array },
  { "a clone has its own array", a_clone_has_its_own_array },
  { "a line leaves like a heap of its items", a_line_leaves_like_a_heap_of_its_items },
  { "without a comparison nothing is moved up", without_a_comparison_nothing_is_moved_up },
  CU_TEST_INFO_NULL,
};

int
main (void)
{
  return suite_run ("heap", tests);
}
