/* tests/test-schedulers.c - runs with several schedulers and with shards: one folder of tests/schedulers for each, with the result derived by hand in
 * its scenario's head (hand-case.h); and what is refused. */
#include "hand-case.h"
#include "run-helper.h"
#include "suite.h"
#include <string.h>

#define CASES(CASE)                                                             \
  CASE (each_scheduler_has_its_own_timer, "timers")                             \
  CASE (two_that_bind_to_one_node_conflict, "conflict")                         \
  CASE (a_hard_shard_leaves_other_nodes_alone, "hard")                          \
  CASE (a_soft_shard_uses_other_nodes_last, "soft")                             \
  CASE (a_node_changes_hands_when_it_is_given_up, "moves")                      \
  CASE (a_controller_divides_nodes_by_policies, "sharding-controller")          \
  CASE (a_controller_divides_nodes_in_batches, "sharding-batches")              \
  CASE (a_controller_takes_over_another_configuration, "sharding-updates")      \
  CASE (a_controller_goes_by_its_flags_before_it_is_configured, "sharding-late") \
  CASE (all_know_the_claims_and_volumes_of_all, "claims")                       \
  CASE (pods_with_volumes_are_evicted_by_the_second, "claims-evicted")          \
  CASE (without_a_node_shard_nothing_is_bound, "no-shard")                      \
  CASE (one_evicts_what_another_has_bound, "preempt")                           \
  CASE (late_news_and_new_processes, "lag")                                     \
  CASE (configurations_and_workloads_of_each, "workloads")

#define DEFINE(name, folder)                \
  static void                               \
  name (void)                               \
  {                                         \
    hand_case_check ("schedulers/" folder); \
  }
CASES (DEFINE)

static void
every_folder_is_a_case (void)
{
#define FOLDER(name, folder) folder,
  static const char *const folders[] = { CASES (FOLDER) NULL };

  hand_case_no_other ("schedulers", folders);
}

/* ---- a shard is a cluster of its own ---------------------------------------------------------- */

/* "pod node bound finished" of every pod of the scheduler, in the order of the file. (transfer full) */
static char *
course_of (const char *dir, const char *run, const char *scheduler)
{
  static const char *const shown[] = { "pod", "node", "bound", "finished", "outcome" };
  g_autofree char *path = g_build_filename (dir, run, "tasks.csv", NULL);
  g_auto (TestTable) t = { 0 };
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  if (!suite_check (test_table_read (&t, path, &error), "%s", error != NULL ? error->message : ""))
    return NULL;
  for (guint i = 0; i < t.rows->len; i++)
    for (guint c = 0; strcmp (test_table_cell (&t, i, test_table_column (&t, "scheduler")), scheduler) == 0 && c < G_N_ELEMENTS (shown); c++)
      g_string_append_printf (out, "%s%s", test_table_cell (&t, i, test_table_column (&t, shown[c])), c + 1 < G_N_ELEMENTS (shown) ? " " : "\n");
  return g_string_free (g_steal_pointer (&out), FALSE);
}

static void
run_scenario (const char *dir, const char *name, const char *text)
{
  g_autofree char *scenario = test_write (dir, name, text), *complaint = NULL;
  g_autofree char *out = g_strdup_printf ("--out=%s/%.*s", dir, (int) strcspn (name, "."), name);
  char *args[] = { (char *) g_getenv ("VOLSIM_BIN"), (char *) "run", scenario, out, (char *) "--no-charts", (char *) "--check-fully", NULL };
  int status = test_run (args, NULL, &complaint);

  suite_check (status == 0, "%s: status %d: %s", name, status, complaint != NULL ? complaint : "");
}

/* Twelve nodes, every second one or so of the first shard, and 150 jobs, every second one of the first scheduler; few.csv and own.csv are what is of the first alone. */
static void
write_inputs (const char *dir)
{
  static const char head[] = "job,submit,replicas,cpu,duration,scheduler\n";
  g_autoptr (GString) all = g_string_new (head), own = g_string_new (head), nodes = g_string_new ("node,cpu,memory\n"), few = g_string_new ("node,cpu,memory\n");
  g_autoptr (GString) first = g_string_new (NULL), second = g_string_new (NULL);
  guint32 state = 7; /* of a small generator of numbers */

  for (guint i = 0; i < 12; i++) {
    gboolean is_first = i * 5 / 3 % 2 == 0;
    GString *shard = is_first ? first : second;
    g_autofree char *row = g_strdup_printf ("n%02u,%u,64Gi\n", i, 4 + i % 3 * 4);

    g_string_append (nodes, row);
    g_string_append_printf (shard, "%sn%02u", shard->len > 0 ? ", " : "", i);
    if (is_first)
      g_string_append (few, row);
  }
  for (guint i = 0; i < 150; i++) {
    guint draw[4];

    for (guint k = 0; k < G_N_ELEMENTS (draw); k++)
      draw[k] = (state = state * 1664525u + 1013904223u) >> 16;
    g_autofree char *row = g_strdup_printf ("j%u,%u,%u,%u,%u,%s\n", i, i * 2 + draw[0] % 3, 1 + draw[1] % 4, 1 + draw[2] % 4, 5 + draw[3] % 60, i % 2 == 0 ? "first" : "second");

    g_string_append (all, row);
    if (i % 2 == 0)
      g_string_append (own, row);
  }
  g_autofree char *shards = g_strdup_printf ("apiVersion: shard.volcano.sh/v1alpha1\nkind: NodeShard\nmetadata: {name: s1}\nspec: {nodesDesired: [%s]}\n---\n"
                                             "apiVersion: shard.volcano.sh/v1alpha1\nkind: NodeShard\nmetadata: {name: s2}\nspec: {nodesDesired: [%s]}\n",
                                             first->str, second->str);
  g_free (test_write (dir, "nodes.csv", nodes->str));
  g_free (test_write (dir, "few.csv", few->str));
  g_free (test_write (dir, "all.csv", all->str));
  g_free (test_write (dir, "own.csv", own->str));
  g_free (test_write (dir, "shards.yaml", shards));
  g_free (test_write (dir, "volcano-scheduler.conf",
                      "actions: \"enqueue, allocate, backfill\"\ntiers:\n- plugins:\n  - name: priority\n  - name: gang\n- plugins:\n  - name: predicates\n  - name: nodeorder\n"));
}

/* Two schedulers with hard shards that do not overlap, and jobs that no queue limits: what the first one does with its jobs is what it does alone with them
 * on its nodes. (The second may see pods sooner than alone: the first one has admitted their PodGroups in the cycle before.) */
static void
a_hard_shard_is_a_cluster_of_its_own (void)
{
  g_autofree char *dir = test_make_dir ();

  write_inputs (dir);
  run_scenario (dir, "both.yaml", "nodes: nodes.csv\njobs: all.csv\nobjects: shards.yaml\nconf: volcano-scheduler.conf\nschedulers:\n"
                                  "  - {name: first, sharding: hard, shard: s1}\n  - {name: second, sharding: hard, shard: s2}\n");
  run_scenario (dir, "alone.yaml", "nodes: few.csv\njobs: own.csv\nconf: volcano-scheduler.conf\nschedulers:\n  - name: first\n");
  g_autofree char *both = course_of (dir, "both", "first"), *alone = course_of (dir, "alone", "first");

  suite_check (both != NULL && strlen (both) > 1000 && g_strcmp0 (both, alone) == 0, "first has other pods elsewhere:\n%s\nalone:\n%s", both, alone);
  test_remove_tree (dir);
}

/* A scenario with one list entry for each of @schedulers gives the one-line message that holds @says. */
static void
refused (const char *text, const char *const *more, const char *says)
{
  g_autofree char *dir = test_make_dir (), *complaint = NULL;
  g_free (test_write (dir, "nodes.csv", "node,cpu,memory\nn1,8,16Gi\n"));
  g_free (test_write (dir, "jobs.csv", "job,submit,cpu,duration,scheduler\na,0,1,5,second\n"));
  g_autofree char *scenario = test_write (dir, "s.yaml", text), *out = g_strconcat ("--out=", dir, "/out", NULL);
  char *args[8] = { (char *) g_getenv ("VOLSIM_BIN"), (char *) "run", scenario, out, (char *) "--no-charts", NULL };

  for (guint i = 0; more != NULL && more[i] != NULL; i++)
    args[5 + i] = (char *) more[i];
  int status = test_run (args, NULL, &complaint);

  suite_check (status == 2, "%s: status %d", says, status);
  suite_check (complaint != NULL && strstr (complaint, says) != NULL, "expected '%s', found '%s'", says, complaint);
  suite_check (complaint != NULL && strchr (complaint, '\n') == strrchr (complaint, '\n'), "one line, not '%s'", complaint);
  test_remove_tree (dir);
}

#define INPUTS "nodes: nodes.csv\njobs: jobs.csv\n"
#define BOTH "schedulers:\n  - name: first\n  - name: second\n"

static void
bad_lists_are_refused (void)
{
  static const struct { const char *text, *says; } cases[] = {
    { INPUTS "schedulers: 3\n", "s.yaml:3:13: 'schedulers', expected a list of schedulers" },
    { INPUTS "schedulers: []\n", "'schedulers', expected a list of schedulers" },
    { INPUTS "schedulers:\n  - first\n", "s.yaml:4:5: a scheduler, expected a map with its name" },
    { INPUTS "schedulers:\n  - period: 1\n", "s.yaml:4:5: a scheduler, expected its 'name', found none" },
    { INPUTS "schedulers:\n  - name: first\n    perod: 1\n", "s.yaml:5:5: unknown key 'perod' of a scheduler, expected name, conf, policy_preset, period, offset, shard or sharding; did you mean 'period'?" },
    { INPUTS "schedulers:\n  - name: first\n    period: 0\n", "'period' of a scheduler, expected a time above 0 such as 1 or 500ms, found '0'" },
    { INPUTS "schedulers:\n  - name: first\n    offset: -1\n", "'offset' of a scheduler, expected a time such as 0 or 500ms, found '-1'" },
    { INPUTS "schedulers:\n  - name: first\n    sharding: firm\n", "'sharding' of a scheduler, expected none, soft or hard, found 'firm'" },
    { INPUTS "schedulers:\n  - name: first\n    name: second\n", "'name' of a scheduler is given twice" },
    { INPUTS "schedulers:\n  - name: first\n  - name: first\n", "scheduler 'first' stands there twice" },
    { INPUTS "schedulers:\n  - name: first\n    conf: none.conf\n", "none.conf" },
    { INPUTS "schedulers:\n  - name: first\n", "jobs.csv:2:1: scheduler of job 'a', expected a scheduler of this run, found 'second'" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    refused (cases[i].text, NULL, cases[i].says);
}

static void
what_does_not_go_with_several_is_refused_by_name (void)
{
  static const char *const flag[] = { "--scheduler-sharding-mode=hard", NULL };
  g_autofree char *dir = test_make_dir ();
  g_autofree char *claim = test_write (dir, "claim.yaml", "apiVersion: nodeinfo.volcano.sh/v1alpha1\nkind: Numatopology\nmetadata: {name: n1}\nspec: {}\n");
  g_autofree char *conf = test_write (dir, "numa.conf", "actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n  - name: numa-aware\n");
  g_autofree char *objects = g_strconcat ("--objects=", claim, NULL), *text = g_strconcat (INPUTS "schedulers:\n  - name: first\n  - {name: second, conf: ", conf, "}\n", NULL);
  const char *const with_objects[] = { objects, NULL };

  refused (INPUTS BOTH, flag, "beside 'schedulers' of the scenario");
  refused (INPUTS BOTH, with_objects, "claim.yaml:1:1: Numatopology is not implemented yet where there are several schedulers");
  refused (text, NULL, "plugin 'numa-aware' is not implemented yet where there are several schedulers");
  test_remove_tree (dir);
}

static void
a_configuration_of_shards_is_checked (void)
{
#define ONE(rest) "schedulerConfigs: [{name: a, type: volcano, " rest "}]"
  static const struct { const char *name, *text, *says; } cases[] = {
    { "volcano-sharding-configmap", "schedulerConfigs: []", "objects.yaml:1: ConfigMap 'volcano-sharding-configmap': sharding.yaml:1:19: schedulerConfigs, expected a list of maps, found nothing in it" },
    { "volcano-sharding-configmap", "shardSyncPeriod: 1m", "expected the key 'schedulerConfigs', found none" },
    { "volcano-sharding-configmap", ONE ("policies: [{name: round-robin}]"), "policy, expected allocation-rate, warmup or node-limit, found 'round-robin'" },
    { "volcano-sharding-configmap", ONE ("policies: [{name: warmup, arguments: {maxNodes: 3}}]"), "minNodes and maxNodes, expected them on the policy node-limit, found on 'warmup'" },
    { "volcano-sharding-configmap", ONE ("policies: [{name: allocation-rate, arguments: {minCPUUtil: 0.5}}]"), "expected 0 <= min <= max <= 1, found 0.5 and 0" },
    { "volcano-sharding-configmap", ONE ("policies: [{name: node-limit, arguments: {minNodes: 3, maxNodes: 2}}]"), "maxNodes, expected at least minNodes (3), found 2" },
    { "volcano-sharding-configmap", ONE ("minNodes: 2"), "maxNodes, expected at least minNodes (2), found 0" },
    { "volcano-sharding-configmap", ONE ("cpuUtilizationMax: 1.5"), "expected 0 <= min <= max <= 1, found 0 and 1.5" },
    { "volcano-sharding-configmap", ONE ("polices: []"), "a scheduler, unknown key 'polices'; did you mean 'policies'?" },
    { "volcano-sharding-configmap", "schedulerConfigs: [{name: a}, {name: a}]", "scheduler 'a' is given twice" },
    { "other", ONE ("maxNodes: 1"), "ConfigMap with sharding.yaml, expected it as volcano-system/volcano-sharding-configmap, found volcano-system/other" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *dir = test_make_dir (), *text = g_strdup_printf ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: volcano-system}\ndata:\n  sharding.yaml: |\n    %s\n",
                                                                      cases[i].name, cases[i].text);
    g_autofree char *map = test_write (dir, "objects.yaml", text), *objects = g_strconcat ("--objects=", map, NULL);

    refused (INPUTS BOTH, (const char *const[]){ objects, NULL }, cases[i].says);
    test_remove_tree (dir);
  }
}

static void
a_single_scheduler_without_its_shard_is_warned_of (void)
{
  static const struct { const char *mode, *says; int bound; } modes[] = {
    { "--scheduler-sharding-mode=hard", "scheduler 'volcano' shards its nodes, but there is no NodeShard 'volcano': as in Volcano no node is its own, and it binds nothing", 0 },
    { "--scheduler-sharding-mode=soft", "no node is its own, and all count as those of others", 1 },
    { "--scheduler-sharding-mode=none", NULL, 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++) {
    g_autofree char *dir = test_make_dir (), *complaint = NULL, *summary = NULL, *place = g_build_filename (dir, "out", "summary.json", NULL);
    g_autofree char *nodes = test_write (dir, "nodes.csv", "node,cpu,memory\nn1,8,16Gi\n"), *with_nodes = g_strconcat ("--nodes=", nodes, NULL);
    g_autofree char *jobs = test_write (dir, "jobs.csv", "job,submit,cpu,duration\na,0,1,5\n"), *with_jobs = g_strconcat ("--jobs=", jobs, NULL);
    g_autofree char *out = g_strconcat ("--out=", dir, "/out", NULL);
    char *args[] = { (char *) g_getenv ("VOLSIM_BIN"), (char *) "run", with_nodes, with_jobs, out, (char *) "--no-charts", (char *) "--until=20", (char *) modes[i].mode, NULL };
    int status = test_run (args, NULL, &complaint);

    suite_check (status == 0, "%s: status %d: %s", modes[i].mode, status, complaint);
    suite_check (modes[i].says != NULL ? strstr (complaint, modes[i].says) != NULL : *complaint == '\0', "%s says '%s'", modes[i].mode, complaint);
    suite_check (g_file_get_contents (place, &summary, NULL, NULL) && (strstr (summary, "\"Completed\": 1") != NULL) == modes[i].bound, "%s: %s", modes[i].mode, summary);
    test_remove_tree (dir);
  }
}

#define INFO(name, folder) { #name, name },
static CU_TestInfo tests[] = { CASES (INFO) { "every folder is a case", every_folder_is_a_case },
                               { "a hard shard is a cluster of its own", a_hard_shard_is_a_cluster_of_its_own },
                               { "bad lists are refused", bad_lists_are_refused },
                               { "what does not go with several is refused by name", what_does_not_go_with_several_is_refused_by_name },
                               { "a configuration of shards is checked", a_configuration_of_shards_is_checked },
                               { "a single scheduler without its shard is warned of", a_single_scheduler_without_its_shard_is_warned_of },
                               CU_TEST_INFO_NULL };

int
main (void)
{
  return suite_run ("schedulers", tests);
}
