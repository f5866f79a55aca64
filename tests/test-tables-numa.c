/* tests/test-tables-numa.c - exclusive CPUs and NUMA policies, against recorded answers of the parts of numa-aware. */
#include "core/base/quantity.h"
#include "core/numa/cpu-topology.h"
#include "suite.h"
#include <string.h>

/* ---- CPUs ------------------------------------------------------------------------------------------- */

static VcCpuTopology *
topology (SuiteNode *list)
{
  g_autoptr (GArray) detail = g_array_new (FALSE, FALSE, sizeof (VcCpuDetail));
  SuiteNode *place;

  for (void *at = NULL; (place = suite_next (list, &at)) != NULL;) {
    VcCpuDetail d = { detail->len, (guint32) suite_int (suite_at (place, 0)), (guint32) suite_int (suite_at (place, 1)), (guint32) suite_int (suite_at (place, 2)) };

    g_array_append_val (detail, d);
  }
  return vc_cpu_topology_new ((VcCpuDetail *) (gpointer) detail->data, detail->len, 0);
}

/* A list of numbers as a set of one word. */
static guint64
set_of (SuiteNode *list)
{
  SuiteNode *cpu;
  guint64 set = 0;

  for (void *at = NULL; (cpu = suite_next (list, &at)) != NULL;)
    set |= G_GUINT64_CONSTANT (1) << suite_int (cpu);
  return set;
}

static void
check_hints (SuiteNode *row, guint i, const VcCpuTopology *t, guint64 avail, gint64 cpus)
{
  g_autoptr (GArray) hints = g_array_new (FALSE, FALSE, sizeof (VcNumaHint));
  SuiteNode *want = suite_need (row, "hints"), *hint;
  guint k = 0;

  vc_cpu_hints (t, &avail, cpus, hints);
  if (!suite_check (hints->len == suite_count (want), "row %u: %u hints", i, hints->len))
    return;
  for (void *at = NULL; (hint = suite_next (want, &at)) != NULL; k++) {
    const VcNumaHint *h = &g_array_index (hints, VcNumaHint, k);

    suite_check (h->nodes == set_of (suite_at (hint, 0)) && h->preferred == suite_bool (suite_at (hint, 1)) && !h->any, "row %u: hint %u", i, k);
  }
}

static void
check_cpus (SuiteNode *row, guint i, const VcCpuTopology *t)
{
  guint64 free = set_of (suite_need (row, "free")), reserved = 0, got = 0;
  gint64 cpus = suite_int (suite_need (row, "cpus"));
  SuiteNode *take = suite_get (row, "take"), *text = suite_get (row, "reserved"), *case_;

  gboolean enough = vc_cpu_take (t, &free, cpus, &got);
  suite_check (enough == (take != NULL) && (!enough || got == set_of (take)), "row %u: CPUs without alignment", i);
  if (text != NULL) {
    VcQuantity q;

    if (!vc_quantity_parse (suite_text (text), &q, NULL) || !vc_cpu_take (t, vc_cpu_topology_all (t), (q.milli + 999) / 1000, &reserved))
      reserved = 0;
  }
  guint64 avail = free & ~reserved;
  check_hints (row, i, t, avail, cpus);
  for (void *at = NULL; (case_ = suite_next (suite_need (row, "allocations"), &at)) != NULL;) {
    SuiteNode *nodes = suite_at (case_, 0);
    const VcNumaHint chosen = { suite_is_null (nodes) ? 0 : set_of (nodes), suite_is_null (nodes), FALSE };

    vc_cpu_give (t, &avail, cpus, &chosen, &got);
    suite_check (got == set_of (suite_at (case_, 1)), "row %u: CPUs of nodes %" G_GINT64_MODIFIER "x are %" G_GINT64_MODIFIER "x", i, chosen.nodes, got);
  }
}

static void
cpus_are_taken_as_recorded (void)
{
  g_autoptr (SuiteDoc) doc = suite_load ("numa-cpus.json");
  g_autoptr (GPtrArray) topologies = g_ptr_array_new_with_free_func ((GDestroyNotify) vc_cpu_topology_free);
  SuiteNode *item;
  guint i = 0;

  for (void *at = NULL; (item = suite_next (suite_need (suite_root (doc), "topologies"), &at)) != NULL;)
    g_ptr_array_add (topologies, topology (item));
  for (void *at = NULL; (item = suite_next (suite_need (suite_root (doc), "rows"), &at)) != NULL; i++)
    check_cpus (item, i, topologies->pdata[suite_int (suite_need (item, "topology"))]);
  suite_check (i == 688, "%u rows", i);
}

/* ---- policies ----------------------------------------------------------------------------------------- */

static VcNumaHints
hints_of (SuiteNode *list, VcNumaHint *room)
{
  SuiteNode *hint;
  guint n = 0;

  if (suite_is_null (list))
    return (VcNumaHints) { NULL, 0, TRUE };
  for (void *at = NULL; (hint = suite_next (list, &at)) != NULL; n++)
    room[n] = (VcNumaHint) { set_of (suite_at (hint, 0)), FALSE, suite_bool (suite_at (hint, 1)) };
  return (VcNumaHints) { room, n, FALSE };
}

static void
check_policies (SuiteNode *row, guint i)
{
  static const char *const names[] = { "none", "best-effort", "restricted", "single-numa-node" };
  SuiteNode *list;
  VcNumaHint room[2][16], best;
  VcNumaHints of[2];
  guint n = 0;

  if ((list = suite_get (row, "cpu")) != NULL) {
    of[n] = hints_of (list, room[n]);
    n++;
  }
  if ((list = suite_get (row, "gpu")) != NULL) {
    of[n] = hints_of (list, room[n]);
    n++;
  } else if (suite_get (row, "second") != NULL) {
    of[n++] = (VcNumaHints) { NULL, 0, TRUE }; /* a provider without any hints */
  }
  for (guint k = 0; k < G_N_ELEMENTS (names); k++) {
    SuiteNode *want = suite_need (row, names[k]), *nodes = suite_at (want, 0);
    gboolean admitted = vc_numa_policy_admits (vc_numa_policy_of (names[k]), set_of (suite_need (row, "numa")), of, n, &best);

    suite_check (best.any == suite_is_null (nodes) && (best.any || best.nodes == set_of (nodes)) && best.preferred == suite_bool (suite_at (want, 1)) && admitted == suite_bool (suite_at (want, 2)), "row %u, %s: nodes %" G_GINT64_MODIFIER "x", i, names[k], best.nodes);
  }
}

static void
hints_are_merged_as_recorded (void)
{
  g_autoptr (SuiteDoc) doc = suite_load ("numa-policies.json");
  SuiteNode *row;
  guint i = 0;

  for (void *at = NULL; (row = suite_next (suite_need (suite_root (doc), "rows"), &at)) != NULL; i++)
    check_policies (row, i);
  suite_check (i == 312, "%u rows", i);
}

static CU_TestInfo tests[] = {
  { "CPUs are taken, hinted at and given as recorded", cpus_are_taken_as_recorded },
  { "hints are merged as recorded", hints_are_merged_as_recorded },
  CU_TEST_INFO_NULL,
};

int
main (void)
{
  return suite_run ("tables-numa", tests);
}
