/* tests/test-invariants.c - every invariant can be broken: a world in the middle of a run is tampered with, and the checker says where. */
#include "core/session/engine.h"
#include "reports/results/results.h"
#include "run-helper.h"
#include "sim/world/budgets.h"
#include "sim/invariants.h"
#include "sim/load/load.h"
#include "sim/record/record.h"
#include "sim/replay.h"
#include "suite.h"
#include <string.h>

#define CONF                                                   \
  "actions: \"enqueue, allocate\"\n"                           \
  "tiers:\n"                                                   \
  "- plugins:\n  - name: gang\n"                               \
  "- plugins:\n  - name: predicates\n"

/* ---- a run that stops in the middle ---- */

typedef struct {
  char *dir;
  SimScenario s;
  SimWorld *w;
  VcEngine *engine;
  RpResults *results;
  SimRecord *record;
} Run;

static void
put (const char *dir, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (dir, name, NULL);

  g_file_set_contents (path, text, -1, NULL);
}

/* At 20 s: a runs on n1 (two pods), b on n2 is on its way out, c waits, d has been bound to n2 and starts later, e is over. */
static void
begin (Run *r)
{
  static const RpResource resources[] = { { "cpu", 1000 }, { "memory", 1 }, { "pods", 1 } };
  char *dir = test_make_dir ();
  g_autofree char *nodes = g_build_filename (dir, "nodes.csv", NULL), *jobs = g_build_filename (dir, "jobs.csv", NULL);
  g_autofree char *objects = g_build_filename (dir, "objects.yaml", NULL), *out = g_build_filename (dir, "out", NULL);
  g_autoptr (GError) error = NULL;
  VcCacheOptions cache;
  VcEngineOptions options;
  const char **extra = NULL;
  guint n_extra = 0;
  const SimSchedulerTiming timing = { .period = SIM_SECOND };
  SimReplayOptions o = { .until = 20 * SIM_SECOND, .skip = TRUE, .check = TRUE };
  SimReplayResult result;

  *r = (Run){ .dir = dir };
  put (dir, "nodes.csv", "node,cpu,memory,labels\nn1,2,8Gi,n=1\nn2,2,8Gi,n=2\n");
  put (dir, "jobs.csv",
       "job,submit,replicas,cpu,duration,node_selector,delete\na,0,2,1,100,n=1,\nb,0,1,1,100,n=2,15\nc,0,1,2,100,n=1,\nd,17,1,1,100,n=2,\ne,0,1,1,1,n=2,\n");
  put (dir, "objects.yaml",
       "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: all}\nspec: {minAvailable: 1, selector: {matchLabels: {volcano.sh/job-namespace: default}}}\n"
       "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: shares}\nspec: {maxUnavailable: 1, selector: {matchLabels: {volcano.sh/job-name: c}}}\n");
  sim_scenario_init (&r->s);
  sim_scenario_set (&r->s, "nodes", nodes, NULL, NULL);
  sim_scenario_set (&r->s, "jobs", jobs, NULL, NULL);
  sim_scenario_set (&r->s, "objects", objects, NULL, NULL);
  sim_scenario_set (&r->s, "start_delay", "5", NULL, NULL);
  vc_cache_options_init (&cache);
  vc_engine_options_init (&options);
  VcConf *conf = vc_conf_parse (CONF, strlen (CONF), "test", vc_catalog (), FALSE, NULL, NULL);
  const VcConf *confs[] = { conf };

  r->w = sim_load_world (&r->s, confs, 1, &cache, &extra, &n_extra, &error);
  suite_check (r->w != NULL, "%s", error != NULL ? error->message : "");
  r->results = rp_results_new (out, resources, r->w->n_res, NULL, 0, NULL);
  r->engine = vc_engine_new (r->w->cache, conf, FALSE, &options, NULL);
  r->record = sim_record_new (r->w, r->results, 0);
  suite_check (sim_replay_run (r->w, &r->engine, &timing, r->record, &o, &result, &error), "%s", error != NULL ? error->message : "");
  CU_ASSERT_EQUAL (r->w->now, 20 * SIM_SECOND);
}

static void
end (Run *r)
{
  sim_record_free (r->record);
  vc_engine_free (r->engine);
  sim_world_free (r->w);
  rp_results_free (r->results);
  sim_scenario_clear (&r->s);
  test_remove_tree (r->dir);
  g_free (r->dir);
}

static SimPod *
pod_of (SimWorld *w, const char *job)
{
  for (guint32 i = 0; i < w->n_pods; i++)
    if (w->pod[i].live && strcmp (w->job[w->pod[i].job].name, job) == 0)
      return &w->pod[i];
  return NULL;
}

static gboolean
check (SimWorld *w, GError **error)
{
  g_autoptr (SimInvariants) invariants = sim_invariants_new (w, FALSE);

  return sim_invariants_check (invariants, error);
}

/* ---- ways to break it ---- */

static void pods_counter (SimWorld *w) { w->pods.running++; }
static void sum_of_requests (SimWorld *w) { w->running[0] += 1; }
static void role_counter (SimWorld *w) { w->role[0].live.running--; }
static void job_counter (SimWorld *w) { w->job[2].unbound = 0; }
static void groups_counter (SimWorld *w) { w->groups[VC_PG_RUNNING]++; }
static void queue_sum (SimWorld *w) { w->queue[w->job[0].queue].running[0] = 7; }
static void node_books (SimWorld *w) { w->node[0].used[0] = 0; }
static void nodes_counter (SimWorld *w) { w->nodes_present = 1; }
static void lost_pod (SimWorld *w) { w->role[pod_of (w, "a")->role].slot[0].pod = SIM_NONE; }
static void pod_count (SimWorld *w) { w->pods_made++; }
static void missing_node (SimWorld *w) { w->node[0].present = FALSE; }
static void dead_machine (SimWorld *w) { w->node[0].down = 1; }
static void lost_flag (SimWorld *w) { pod_of (w, "a")->lost = TRUE, pod_of (w, "a")->runs = FALSE; }
static void overcommitment (SimWorld *w) { w->node[0].room->v[0] = 1500; }
static void task_status (SimWorld *w) { w->cluster->task[pod_of (w, "d")->task].status = VC_PENDING; }
static void task_of_deleted (SimWorld *w) { w->cluster->task[pod_of (w, "b")->task].status = VC_RUNNING; }
static void task_node (SimWorld *w) { w->cluster->task[pod_of (w, "a")->task].node = 1; }
static void group_gone (SimWorld *w) { w->job[0].pg = VC_NONE; }
static void node_figure (SimWorld *w) { w->cluster->nodes.used[0][0] += 100; }
static void idle_figure (SimWorld *w) { w->cluster->nodes.idle[0][0] += 100; }
static void claimed (SimWorld *w) { w->cluster->nodes.claimed[0][0] = 100; }
static void counts_of_settled (SimWorld *w) { w->job[4].n_objects = 1; }
static void pod_of_settled (SimWorld *w) { w->job[0].active_place = SIM_NONE; }
static void budget_mark (SimWorld *w) { sim_budgets_leave (w, w->role[w->job[0].first_role].slot[0].pod); }
static void
budget_cover (SimWorld *w)
{
  budget_mark (w);
  pod_of (w, "a")->healthy = TRUE;
}
static void
budget_count (SimWorld *w)
{
  pod_of (w, "a")->healthy = FALSE; /* and so counted again */
  sim_budgets_look (w, (guint32) (pod_of (w, "a") - w->pod));
}
static void budget_scale (SimWorld *w) { w->job[2].kind = WL_KIND_DEPLOYMENT; }
static void budget_cover_right (SimWorld *w) { sim_budgets_meet (w, (guint32) (pod_of (w, "a") - w->pod)); }
static void counts_of_settled_right (SimWorld *w) { w->job[4].n_objects = 0; }
static void touch_settled (SimWorld *w) { sim_job_touched (w, 4); }
static void job_count (SimWorld *w) { w->cluster->job[w->job[0].pg].count[VC_RUNNING]++; }
static void job_sum (SimWorld *w) { w->cluster->job[w->job[0].pg].allocated->v[0] += 1; }

static void
every_break_is_found (void)
{
  static const struct { void (*tamper) (SimWorld *w); const char *says; } cases[] = {
    { pods_counter, "the cluster's counts of pods differ" },
    { sum_of_requests, "the cluster's sums of requests differ" },
    { role_counter, "the counts of pods of task task of job a differ" },
    { job_counter, "the counts of pods of job default/c differ" },
    { groups_counter, "the counts of PodGroups by phase differ" },
    { queue_sum, "the sums of queue default differ" },
    { node_books, "the books of node n1 differ" },
    { nodes_counter, "the count of nodes differs" },
    { lost_pod, "pod default/a-task-0 is lost: its job does not know it" },
    { pod_count, "pods were made" },
    { missing_node, "pod default/a-task-0 goes on on node n1, which does not exist" },
    { dead_machine, "pod default/a-task-0 runs on n1, whose machine is off" },
    { lost_flag, "pod default/a-task-0 is lost although the machine of n1 runs" },
    { overcommitment, "node n1 has 1500 of cpu and gives 2000" },
    { task_status, "the scheduler takes pod default/d-task-0 for Pending" },
    { task_of_deleted, "the scheduler takes pod default/b-task-0 for Running" },
    { task_node, "the scheduler takes pod default/a-task-0 for Running on a node, not as it is" },
    { group_gone, "the scheduler does not know the PodGroup of job default/a" },
    { node_figure, "the scheduler's sums of cpu on node n1 differ" },
    { idle_figure, "idle cpu of node n1 is not what its tasks leave" },
    { claimed, "cpu of node n1 is still claimed by a session that is over" },
    { counts_of_settled, "job default/e has pods or a PodGroup although it is over" },
    { pod_of_settled, "pod default/a-task-0 is there although its job is over" },
    { budget_mark, "budgets take pod default/a-task-0 on node n1 for what it is not" },
    { budget_cover, "pod default/a-task-0 is not known to the budgets that cover it" },
    { budget_count, "the counts of budget all differ from a recount" },
    { budget_scale, "the counts of budget shares differ from a recount" },
    { job_count, "the scheduler's counts of tasks of default/a-00000000 differ" },
    { job_sum, "the scheduler's sums of cpu of default/a-00000000 differ" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Run r;
    g_autoptr (GError) error = NULL;

    begin (&r);
    suite_check (check (r.w, &error), "%s", error != NULL ? error->message : "");
    cases[i].tamper (r.w);
    suite_check (!check (r.w, &error), "'%s' is found", cases[i].says);
    suite_check (error != NULL && strstr (error->message, cases[i].says) != NULL, "expected '%s', found '%s'", cases[i].says,
                 error != NULL ? error->message : "no error");
    /* what was tampered with need not be put right: everything is freed by its own rows */
    r.w->nodes_present = 2;
    end (&r);
  }
}

/* What is over and what depends on labels is looked at when it has changed, at the end, or always when that is asked for. */
static void
what_has_changed_is_looked_at (void)
{
  static const struct { void (*tamper) (SimWorld *w); void (*put_right) (SimWorld *w); void (*touch) (SimWorld *w); const char *says; } cases[] = {
    { counts_of_settled, counts_of_settled_right, touch_settled, "job default/e has pods or a PodGroup although it is over" },
    { budget_cover, budget_cover_right, NULL, "pod default/a-task-0 is not known to the budgets that cover it" },
  };
  static const gboolean ways[] = { FALSE, TRUE };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint k = 0; k < G_N_ELEMENTS (ways); k++) {
      gboolean fully = ways[k], silent = !fully && cases[i].touch != NULL;
      Run r;

      begin (&r);
      g_autoptr (SimInvariants) v = sim_invariants_new (r.w, fully);
      g_autoptr (GError) error = NULL;
      gboolean good = sim_invariants_check (v, &error) && sim_invariants_check (v, &error);

      suite_check (good, "%s", error != NULL ? error->message : "");
      cases[i].tamper (r.w);
      good = sim_invariants_check (v, &error);
      suite_check (good == silent && (good || strstr (error->message, cases[i].says) != NULL), "'%s', fully %d: %d, %s", cases[i].says, fully, good, error != NULL ? error->message : "");
      if (cases[i].touch != NULL) {
        cases[i].touch (r.w);
        g_clear_error (&error);
        suite_check (!sim_invariants_check (v, &error) && strstr (error->message, cases[i].says) != NULL, "'%s' when it is touched", cases[i].says);
      }
      g_clear_error (&error);
      suite_check (!sim_invariants_finish (v, &error) && strstr (error->message, cases[i].says) != NULL, "'%s' at the end", cases[i].says);
      cases[i].put_right (r.w);
      g_clear_pointer (&v, sim_invariants_free);
      end (&r);
    }
}

/* A bind of a gang that is not whole. */
static void
a_gang_that_is_bound_in_part_is_found (void)
{
  Run r;
  g_autoptr (GError) error = NULL;
  VcBind bind;

  begin (&r);
  bind = (VcBind){ pod_of (r.w, "a")->task, 0 };
  g_array_append_val (vc_cache_binds (r.w->cache), bind);
  suite_check (sim_invariants_check_binds (r.w, r.engine, &error), "%s", error != NULL ? error->message : "");
  r.w->cluster->job[r.w->job[0].pg].min_available = 3;
  suite_check (!sim_invariants_check_binds (r.w, r.engine, &error), "it is found");
  suite_check (error != NULL && strstr (error->message, "is bound, but 2 of a gang of 3 have a place") != NULL, "%s", error != NULL ? error->message : "");
  g_array_set_size (vc_cache_binds (r.w->cache), 0);
  end (&r);
}

static CU_TestInfo tests[] = {
  { "every break is found", every_break_is_found },
  { "what has changed is looked at", what_has_changed_is_looked_at },
  { "a gang that is bound in part is found", a_gang_that_is_bound_in_part_is_found },
  CU_TEST_INFO_NULL,
};

int
main (void)
{
  return suite_run ("invariants", tests);
}
