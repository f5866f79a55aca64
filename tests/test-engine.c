/* tests/test-engine.c - the session around actions and plugins: what it hands out and what it leaves behind. */
#include "plugin-world.h"

#define EVERYTHING \
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

int
main (void)
{
  CU_TestInfo tests[] = {
    { "a job without a PodGroup has no reasons", a_job_without_a_pod_group_has_no_reasons },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("engine", tests);
}
