/* tests/test-engine.c - the session around actions and plugins: what it hands out and what it
 * leaves behind. */
#include "plugin-world.h"

#define EVERYTHING                                                                                 \
  "actions: \"allocate\"\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n"

static void
a_job_without_a_pod_group_has_no_reasons (void)
{
  g_auto (World) w = { 0 };
  VcCycleResult result;
  guint32 job;

  world_init (&w);
  add_node (&w, "n1", HAVE (1000, 4 * GI, 10), NULL);
  add_queue (&w, "default", 1, NONE, NONE);
  job = add_group (&w, "big", "default", 1, "Inqueue", NULL);
  add_pod (&w, "big", "big-0", HAVE (8000, GI), NULL, NULL);
  if (!world_start (&w, EVERYTHING))
    return;
  vc_engine_cycle (w.engine, 0, &result);
  suite_check (vc_engine_fits (w.engine, job) != NULL, "the pod fits nowhere, with a reason");
  vc_cache_remove_pod_group (w.cache, job); /* the pod keeps the job's row alive */
  vc_engine_cycle (w.engine, 1, &result);
  suite_check (vc_engine_fits (w.engine, job) == NULL,
               "the reasons of an older session are gone with it");
}

/* 3 cpu, 2 of them of a lower job. The gang (minimum 1) takes that room for its ungated pod; then
 * allocate binds its gated pod to the node that it was nominated to. With one more gated pod that
 * has no nomination all that is off. */
static void
gang_placed_by_eviction (gboolean one_more, guint32 binds)
{
  static const char *const gate = "scheduling.volcano.sh/queue-allocation-gate";
  const VcPriorityClassObject high = { "high", 500, FALSE };
  const VcPodObject free = { .spec = { .has_priority = TRUE, .priority = 500 } },
                    gated = { .spec = { .gate = &gate, .n_gates = 1 } },
                    nominated = { .nominated_node = "n", .spec = { .gate = &gate, .n_gates = 1 } };
  const VcPodGroupObject group = { .ns = "ns",
                                   .name = "gang",
                                   .uid = "gang",
                                   .created = VC_NO_TIME,
                                   .queue = "q",
                                   .priority_class = "high",
                                   .min_member = 1,
                                   .phase = "Inqueue" };
  g_auto (World) w = { 0 };
  VcCycleResult result = { 0 };

  world_init (&w);
  vc_cache_add_priority_class (w.cache, &high);
  guint32 node = add_node (&w, "n", HAVE (3000, 8 * GI, 10), NULL);
  add_queue (&w, "q", 1, NONE, NONE);
  add_group (&w, "low", "q", 1, "Running", NULL);
  add_pod (&w, "low", "low-0", HAVE (2000), "n", NULL);
  vc_cache_add_pod_group (w.cache, &group);
  add_pod (&w, "gang", "gang-0", HAVE (1000), NULL, &free);
  guint32 second = add_pod (&w, "gang", "gang-1", HAVE (1000), NULL, &nominated);
  if (one_more)
    add_pod (&w, "gang", "gang-2", HAVE (1000), NULL, &gated);
  if (!world_start (&w, "actions: \"gangpreempt, allocate\"\ntiers:\n- plugins:\n"
                        "  - name: priority\n  - name: gang\n  - name: predicates\n"))
    return;
  vc_engine_cycle (w.engine, 0, &result);
  suite_check (result.evictions == 1, "%u evictions", result.evictions);
  suite_check (result.binds == binds, "%u binds, expected %u", result.binds, binds);
  suite_check (w.c->task[second].nominated == (one_more ? VC_NONE : node),
               "the nomination of the second");
}

static void
a_gang_placed_by_eviction_follows_its_nominations (void)
{
  gang_placed_by_eviction (FALSE, 1);
  gang_placed_by_eviction (TRUE, 0);
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "a job without a PodGroup has no reasons", a_job_without_a_pod_group_has_no_reasons },
    { "a gang placed by eviction follows its nominations",
      a_gang_placed_by_eviction_follows_its_nominations },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("engine", tests);
}
