/* tests/test-footprint.c - what a run keeps of jobs that are over: nothing but their rows in the tables of the input, and their lines in the results.
 *
 * The same load for four times as long: rows, records and texts that are there at the end do not grow with it. Counts, not bytes: an allocator's ways
 * are no defect. */
#include "core/session/engine.h"
#include "reports/results/results.h"
#include "run-helper.h"
#include "sim/load/load.h"
#include "sim/record/record.h"
#include "sim/replay.h"
#include "suite.h"
#include <string.h>

#define CONF                                                   \
  "actions: \"enqueue, allocate\"\n"                           \
  "tiers:\n"                                                   \
  "- plugins:\n  - name: gang\n"                               \
  "- plugins:\n  - name: predicates\n  - name: proportion\n"

/* Each minute a job, some of whose pods fail, and one of a CronJob, of whom the last three are kept. */
#define OBJECTS                                                                                                                  \
  "apiVersion: batch.volcano.sh/v1alpha1\n"                                                                                      \
  "kind: CronJob\n"                                                                                                              \
  "metadata: {name: cron, annotations: {volsim.io/submit: '0'}}\n"                                                               \
  "spec:\n"                                                                                                                      \
  "  schedule: '* * * * *'\n"                                                                                                    \
  "  successfulJobsHistoryLimit: 3\n"                                                                                            \
  "  jobTemplate:\n"                                                                                                             \
  "    metadata: {annotations: {volsim.io/duration: '10'}}\n"                                                                    \
  "    spec:\n"                                                                                                                  \
  "      policies: [{event: PodFailed, action: RestartJob}]\n"                                                                   \
  "      tasks:\n"                                                                                                               \
  "      - {name: w, replicas: 2, template: {spec: {restartPolicy: Never, containers: [{name: c, image: i, resources: {requests: {cpu: '1'}}}]}}}\n" \
  "---\n"                                                                                                                        \
  "apiVersion: policy/v1\n"                                                                                                      \
  "kind: PodDisruptionBudget\n"                                                                                                  \
  "metadata: {name: all}\n"                                                                                                      \
  "spec: {minAvailable: 1, selector: {matchLabels: {volcano.sh/job-namespace: default}}}\n"

static void
set (SimScenario *s, const char *key, const char *value)
{
  g_autoptr (GError) error = NULL;

  suite_check (sim_scenario_set (s, key, value, NULL, &error), "%s: %s", key, error != NULL ? error->message : "");
}

static gsize
length (const GArray *a)
{
  return a != NULL ? a->len : 0;
}

/* Run @minutes of it; what is there at the end goes to @n, in the order of figures. */
static void
measure (guint minutes, gsize *n)
{
  static const RpResource resources[] = { { "cpu", 1000 }, { "memory", 1 }, { "pods", 1 } };
  g_autofree char *dir = test_make_dir (), *out = g_build_filename (dir, "out", NULL);
  g_autoptr (GString) rows = g_string_new ("job,submit,replicas,cpu,duration,max_retry\n");
  g_autoptr (GError) error = NULL;
  VcCacheOptions cache;
  VcEngineOptions options;
  const char **extra = NULL;
  guint n_extra = 0;
  SimScenario s;
  const SimSchedulerTiming timing = { .period = SIM_SECOND };
  SimReplayOptions o = { .until = minutes * 60 * SIM_SECOND, .skip = TRUE, .check = TRUE };
  SimReplayResult result;

  for (guint i = 0; i + 2 < minutes; i++)
    g_string_append_printf (rows, "j%u,%u,3,1,20,5\n", i, i * 60);
  g_autofree char *nodes = test_write (dir, "nodes.csv", "node,cpu,memory,count\nn,8,8Gi,3\n"), *jobs = test_write (dir, "jobs.csv", rows->str);
  g_autofree char *objects = test_write (dir, "objects.yaml", OBJECTS);

  sim_scenario_init (&s);
  set (&s, "nodes", nodes);
  set (&s, "jobs", jobs);
  set (&s, "objects", objects);
  set (&s, "failure", "0.2");
  set (&s, "bind_error", "0.1");
  set (&s, "resync_error", "0.5");
  set (&s, "start_failure", "0.05");
  vc_cache_options_init (&cache);
  vc_engine_options_init (&options);
  VcConf *conf = vc_conf_parse (CONF, strlen (CONF), "test", vc_catalog (), FALSE, NULL, NULL);
  const VcConf *confs[] = { conf };
  SimWorld *w = sim_load_world (&s, confs, 1, &cache, &extra, &n_extra, &error);

  suite_check (w != NULL, "%s", error != NULL ? error->message : "");
  RpResults *results = rp_results_new (out, resources, w->n_res, NULL, 0, NULL);
  VcEngine *engine = vc_engine_new (w->cache, conf, FALSE, &options, NULL);
  SimRecord *record = sim_record_new (w, results, 0);

  suite_check (sim_replay_run (w, &engine, &timing, record, &o, &result, &error), "%s", error != NULL ? error->message : "");
  suite_check (w->jobs_finished > 2 * (minutes - 10), "%u jobs are over", w->jobs_finished);
  const gsize there[] = { w->n_pods, w->cluster->n_tasks, w->cluster->n_jobs, g_hash_table_size (w->cluster->metas), g_hash_table_size (w->cluster->text_index),
                          vc_shape_table_count (w->cluster->shapes), length (w->retry), length (w->delayed), w->active->len, w->cap_requests };

  memcpy (n, there, sizeof there);
  sim_record_free (record);
  vc_engine_free (engine);
  sim_world_free (w);
  rp_results_free (results);
  sim_scenario_clear (&s);
  test_remove_tree (dir);
}

static void
what_is_kept_does_not_grow_with_jobs_that_are_over (void)
{
  static const struct { const char *what; gsize slack; /* rows are as many as there were at once; chance decides about that */ } figures[] = {
    { "rows of pods", 16 }, { "rows of tasks", 16 }, { "rows of PodGroups", 4 }, { "sets of labels and annotations", 24 }, { "texts", 0 },
    { "shapes", 0 }, { "requests that failed", 4 }, { "delayed actions", 4 }, { "jobs that are not over", 4 }, { "places for requests", 0 },
  };
  gsize few[G_N_ELEMENTS (figures)], many[G_N_ELEMENTS (figures)];

  measure (50, few);
  measure (200, many);
  for (guint i = 0; i < G_N_ELEMENTS (figures); i++)
    suite_check (many[i] <= few[i] + figures[i].slack, "%s: %" G_GSIZE_FORMAT " after 50 minutes, %" G_GSIZE_FORMAT " after 200", figures[i].what, few[i], many[i]);
}

static CU_TestInfo tests[] = {
  { "what is kept does not grow with jobs that are over", what_is_kept_does_not_grow_with_jobs_that_are_over },
  CU_TEST_INFO_NULL,
};

int
main (void)
{
  return suite_run ("footprint", tests);
}
