/* tests/test-fairness.c - what papers and Volcano's own design texts give as results of fair sharing: DRF (Ghodsi et al., NSDI 2011),
 * max-min fairness, hierarchical DRF (Bhattacharya et al., SoCC 2013). */
#include "plugin-world.h"

/* A job of @n equal pods that starts with any one of them. */
static void
add_job (World *w, const char *name, const char *queue, guint n, Have each)
{
  add_group (w, name, queue, 0, "Inqueue", NULL);
  for (guint i = 0; i < n; i++) {
    g_autofree char *pod = g_strdup_printf ("%s-%02u", name, i);

    add_pod (w, name, pod, each, NULL, NULL);
  }
}

static guint32
bound_of (const World *w, const char *job)
{
  for (guint32 j = 0; j < w->c->n_jobs; j++)
    if (strcmp (w->c->job[j].name, job) == 0)
      return w->c->job[j].count[VC_BINDING];
  return G_MAXUINT32;
}

static void
add_leaf (World *w, const char *name, const char *path, const char *weights)
{
  const VcPair notes[] = { { "volcano.sh/hierarchy", path }, { "volcano.sh/hierarchy-weights", weights } };
  const VcQueueObject o
      = { .name = name, .state = "Open", .created = VC_NO_TIME, .weight = 1, .reclaimable = -1, .annotations = { notes, 2 } };

  vc_cache_add_queue (w->cache, &o);
}

static void
one_cycle (World *w, const char *conf, guint32 expected)
{
  VcCycleResult result = { 0 };

  if (world_start (w, conf))
    vc_engine_cycle (w->engine, 0, &result);
  suite_check (result.binds == expected, "%u binds, expected %u", result.binds, expected);
}

/* 9 cpu, 18 GB. A asks for <1 cpu, 4 GB>, B for <3 cpu, 1 GB>: 3 tasks of A (12 of 18 GB) and 2 of B (6 of 9 cpu), both a share of 2/3. */
static void
dominant_shares_become_equal (void)
{
  g_auto (World) w = { 0 };

  world_init (&w);
  add_node (&w, "n", HAVE (9000, 18 * G_BYTES, 100), NULL);
  add_queue (&w, "q", 1, NONE, NONE);
  add_job (&w, "A", "q", 9, HAVE (1000, 4 * G_BYTES));
  add_job (&w, "B", "q", 9, HAVE (3000, 1 * G_BYTES));
  one_cycle (&w, TIERS "  - name: drf\n", 5);
  suite_check (bound_of (&w, "A") == 3 && bound_of (&w, "B") == 2, "A %u, B %u", bound_of (&w, "A"), bound_of (&w, "B"));
}

/* Demands of 2, 2.6, 4 and 5 against 10: the two small ones are met, the others get 2.7 each. */
static void
small_demands_are_met_and_the_rest_is_split (void)
{
  static const struct {
    const char *queue;
    gint64 wants;
    double gets;
  } row[] = { { "q1", 2000, 2000 }, { "q2", 2600, 2600 }, { "q3", 4000, 2700 }, { "q4", 5000, 2700 } };
  g_auto (World) w = { 0 };
  guint32 queue[G_N_ELEMENTS (row)];

  world_init (&w);
  add_node (&w, "n", HAVE (10000, 10 * G_BYTES, 100), NULL);
  for (guint i = 0; i < G_N_ELEMENTS (row); i++) {
    queue[i] = add_queue (&w, row[i].queue, 1, NONE, NONE);
    add_job (&w, row[i].queue, row[i].queue, 1, HAVE (row[i].wants, row[i].wants * 1000000));
  }
  one_cycle (&w, "actions: \"allocate\"\ntiers:\n- plugins:\n  - name: proportion\n", 2);
  for (guint i = 0; i < G_N_ELEMENTS (row); i++) {
    const VcQueueGauge *g = vc_engine_gauge (w.engine, queue[i]);

    suite_check (near (g->deserved->v[VC_RES_CPU], row[i].gets), "%s deserves %g cpu", row[i].queue, g->deserved->v[VC_RES_CPU]);
    suite_check (near (g->deserved->v[VC_RES_MEMORY], row[i].gets * 1000000), "%s deserves %g memory", row[i].queue,
                 g->deserved->v[VC_RES_MEMORY]);
  }
}

#define HDRF \
  "actions: \"allocate\"\ntiers:\n- plugins:\n  - name: drf\n    enableHierarchy: true\n- plugins:\n  - name: proportion\n    enabledOverused: false\n" \
  "    enabledAllocatable: false\n"

/* 10 cpu, 10 GB; sci asks for both, dev and prod, children of eng, for one each. The share of eng counts its children as if each had as much
 * as the poorer one: 5 / 5 / 5. */
static void
an_inner_node_is_scaled_to_its_poorest_child (void)
{
  g_auto (World) w = { 0 };

  world_init (&w);
  add_node (&w, "n", HAVE (10000, 10 * G_BYTES, 50), NULL);
  add_leaf (&w, "sci", "root/sci", "100/50");
  add_leaf (&w, "dev", "root/eng/dev", "100/50/50");
  add_leaf (&w, "prod", "root/eng/prod", "100/50/50");
  add_job (&w, "pg1", "sci", 10, HAVE (1000, G_BYTES));
  add_job (&w, "pg21", "dev", 10, HAVE (1000));
  add_job (&w, "pg22", "prod", 10, HAVE (0, G_BYTES));
  one_cycle (&w, HDRF, 15);
  suite_check (bound_of (&w, "pg1") == 5 && bound_of (&w, "pg21") == 5 && bound_of (&w, "pg22") == 5, "%u / %u / %u", bound_of (&w, "pg1"),
               bound_of (&w, "pg21"), bound_of (&w, "pg22"));
}

/* 30 cpu, 30 GB; one child of root asks for cpu in one leaf and memory in the other, and the cpu is used up first: that leaf must not block
 * the memory of its sibling. */
static void
check_blocking (const char *queue_of_pg32)
{
  static const struct {
    const char *job;
    guint32 bound;
  } want[] = { { "pg1", 10 }, { "pg2", 10 }, { "pg31", 10 }, { "pg32", 15 }, { "pg4", 15 } };
  g_auto (World) w = { 0 };

  world_init (&w);
  add_node (&w, "n", HAVE (30000, 30 * G_BYTES, 500), NULL);
  add_leaf (&w, "q1", "root/pg1", "100/25");
  add_leaf (&w, "q2", "root/pg2", "100/25");
  add_leaf (&w, "q31", "root/pg3/pg31", "100/25/50");
  add_leaf (&w, "q32", "root/pg3/pg32", "100/25/50");
  add_leaf (&w, "q4", "root/pg4", "100/25");
  add_job (&w, "pg1", "q1", 30, HAVE (1000));
  add_job (&w, "pg2", "q2", 30, HAVE (1000));
  add_job (&w, "pg31", "q31", 30, HAVE (1000));
  add_job (&w, "pg32", queue_of_pg32, 30, HAVE (0, G_BYTES));
  add_job (&w, "pg4", "q4", 30, HAVE (0, G_BYTES));
  one_cycle (&w, HDRF, 60);
  for (guint i = 0; i < G_N_ELEMENTS (want); i++)
    suite_check (bound_of (&w, want[i].job) == want[i].bound, "%s has %u, expected %u (pg32 in %s)", want[i].job, bound_of (&w, want[i].job),
                 want[i].bound, queue_of_pg32);
}

static void
a_saturated_leaf_blocks_nobody (void)
{
  check_blocking ("q32");
  check_blocking ("q31"); /* as upstream's own test has it */
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "dominant shares become equal", dominant_shares_become_equal },
    { "small demands are met and the rest is split", small_demands_are_met_and_the_rest_is_split },
    { "an inner node is scaled to its poorest child", an_inner_node_is_scaled_to_its_poorest_child },
    { "a saturated leaf blocks nobody", a_saturated_leaf_blocks_nobody },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("fairness", tests);
}
