/* tests/test-shards.c - nodes divided among schedulers, in cycles worked out by hand.
 *
 * Three nodes of 4 cpu; n1 and n2 are desired by shard a. A pod asks for 1 cpu where nothing else is said. */
#include "case.h"
#include "suite.h"
#include <string.h>

#define CONF "actions: \"allocate, backfill\"\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n  - name: nodeorder\n"
#define NODE(name) "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"" name "\"},\"status\":{\"allocatable\":{\"cpu\":\"4\",\"pods\":\"20\"}}}\n"
#define CLUSTER                                                                                                                \
  NODE ("n1") NODE ("n2") NODE ("n3")                                                                                          \
  "{\"apiVersion\":\"scheduling.volcano.sh/v1beta1\",\"kind\":\"Queue\",\"metadata\":{\"name\":\"default\"},\"spec\":{\"weight\":1},\"status\":{\"state\":\"Open\"}}\n"
#define SHARD(name, desired, in_use)                                                                                           \
  "{\"apiVersion\":\"shard.volcano.sh/v1alpha1\",\"kind\":\"NodeShard\",\"metadata\":{\"name\":\"" name "\"},\"spec\":{\"nodesDesired\":[" desired          \
  "]},\"status\":{\"nodesInUse\":[" in_use "]}}\n"
#define A SHARD ("a", "\"n1\",\"n2\"", "")
#define GROUP(name) "{\"apiVersion\":\"scheduling.volcano.sh/v1beta1\",\"kind\":\"PodGroup\",\"metadata\":{\"name\":\"" name "\"},\"spec\":{\"minMember\":1,\"queue\":\"default\"},\"status\":{\"phase\":\"Inqueue\"}}\n"
#define POD_OF(name, requests, rest)                                                                                           \
  GROUP (name)                                                                                                                 \
  "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name "\",\"uid\":\"" name "\",\"annotations\":{\"scheduling.k8s.io/group-name\":\"" name \
  "\"}},\"spec\":{\"containers\":[{\"resources\":{\"requests\":{" requests "}}}]" rest "}"
#define POD(name) POD_OF (name, "\"cpu\":\"1\"", "") ",\"status\":{\"phase\":\"Pending\"}}\n"
#define BIG(name) POD_OF (name, "\"cpu\":\"4\"", "") ",\"status\":{\"phase\":\"Pending\"}}\n"
#define EMPTY(name) POD_OF (name, "", "") ",\"status\":{\"phase\":\"Pending\"}}\n"
#define ON(name, node, cpu) POD_OF (name, "\"cpu\":\"" cpu "\"", ",\"nodeName\":\"" node "\"") ",\"status\":{\"phase\":\"Running\"}}\n"
#define GOING(name, node, cpu)                                                                                                 \
  GROUP (name)                                                                                                                 \
  "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name "\",\"uid\":\"" name "\",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"," \
  "\"annotations\":{\"scheduling.k8s.io/group-name\":\"" name "\"}},\"spec\":{\"nodeName\":\"" node "\",\"containers\":[{\"resources\":{\"requests\":{\"cpu\":\"" cpu \
  "\"}}}]},\"status\":{\"phase\":\"Running\"}}\n"

static const struct {
  const char *what, *objects;
  VcSharding mode;
  const char *binds, *fit;
} cases[] = {
  { "without sharding shards mean nothing: the emptiest node wins", CLUSTER A ON ("x", "n1", "3") ON ("y", "n2", "3") POD ("p"), VC_SHARDING_NONE,
    "default/p=n3", "" },
  { "hard: never outside the shard", CLUSTER A ON ("x", "n1", "3") ON ("y", "n2", "4") BIG ("p") POD ("q"), VC_SHARDING_HARD, "default/q=n1",
    "default/p: Insufficient cpu=2, node isn't in scheduler node shard=1" },
  { "hard: nor for a pod without requests", CLUSTER A ON ("x", "n1", "3") EMPTY ("p"), VC_SHARDING_HARD, "default/p=n2", "" },
  { "soft: the shard first, however full", CLUSTER A ON ("x", "n1", "3") ON ("y", "n2", "2") POD ("p"), VC_SHARDING_SOFT, "default/p=n2", "" },
  { "soft: then the others", CLUSTER A ON ("x", "n1", "3") ON ("y", "n2", "2") BIG ("p"), VC_SHARDING_SOFT, "default/p=n3", "" },
  { "soft: idle room elsewhere before room in the shard that is being freed", CLUSTER A GOING ("x", "n1", "4") ON ("y", "n2", "4") BIG ("p"),
    VC_SHARDING_SOFT, "default/p=n3", "" },
  { "a node that another shard still uses is not the scheduler's own", CLUSTER A SHARD ("b", "\"n3\"", "\"n1\"") POD ("p"), VC_SHARDING_HARD,
    "default/p=n2", "" },
  { "nor is any while its shard is unknown", CLUSTER SHARD ("b", "\"n1\"", "") POD ("p"), VC_SHARDING_HARD, "",
    "default/p: node isn't in scheduler node shard=3" },
};

static void
run_cases (gboolean plain)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (WlObjects) objects = wl_objects_parse (cases[i].objects, strlen (cases[i].objects), "case", &error);
    g_autoptr (VcArena) arena = vc_arena_new ();
    SimCycleInput in;

    if (!suite_check (objects != NULL, "%s: %s", cases[i].what, error != NULL ? error->message : "?"))
      continue;
    sim_cycle_input_init (&in);
    in.conf_text = CONF;
    in.conf_len = strlen (CONF);
    in.conf_source = "conf";
    in.engine.plain = plain;
    in.cache.sharding = cases[i].mode;
    in.cache.shard = "a";
    g_autofree char *answer = sim_cycle_run (objects, &in, SIM_FORMAT_JSON, NULL, &error);
    const Jd *json = answer != NULL ? jd_parse (arena, answer, strlen (answer), NULL) : NULL;
    g_autofree char *binds = case_binds (json), *fit = case_fit (json);
    suite_check (json != NULL && strcmp (binds, cases[i].binds) == 0, "%s: binds\n  %s\n  expected\n  %s", cases[i].what, binds, cases[i].binds);
    suite_check (strcmp (fit, cases[i].fit) == 0, "%s: reasons\n  %s\n  expected\n  %s", cases[i].what, fit, cases[i].fit);
  }
}

static void
nodes_of_other_shards (void)
{
  run_cases (FALSE);
}

static void
without_shortcuts_too (void)
{
  run_cases (TRUE);
}

/* A shard that changes while the scheduler runs: the next cycle sees it. */
static void
a_shard_may_change (void)
{
  VcCacheOptions options;
  static const char *const first[] = { "n1" }, *const second[] = { "n2", "n3" };
  const VcNodeShardObject shards[] = { { "a", { first, 1 }, { NULL, 0 } }, { "a", { second, 2 }, { NULL, 0 } }, { "b", { NULL, 0 }, { second, 1 } } };
  static const char *const expected[] = { "n1 ", "n2 n3 ", "n3 " };

  vc_cache_options_init (&options);
  options.sharding = VC_SHARDING_HARD;
  options.shard = "a";
  g_autoptr (VcCache) cache = vc_cache_new (vc_res_names_new (NULL, 0, NULL), &options);
  const char *const nodes[] = { "n1", "n2", "n3" };
  CU_ASSERT_PTR_NULL (vc_cache_shard_in_use (cache));
  for (guint i = 0; i < 2; i++)
    vc_cache_add_node (cache, &(VcNodeObject){ .name = nodes[i] });
  for (guint i = 0; i < G_N_ELEMENTS (shards); i++) {
    g_autoptr (GString) own = g_string_new (NULL);

    vc_cache_add_node_shard (cache, &shards[i]);
    if (i == 1)
      vc_cache_add_node (cache, &(VcNodeObject){ .name = nodes[2] }); /* comes later */
    for (guint n = 0; n < 3; n++) {
      guint32 row = vc_cluster_node (vc_cache_cluster (cache), nodes[n]);
      if (row != VC_NONE && vc_cache_cluster (cache)->nodes.info[row].in_shard)
        g_string_append_printf (own, "%s ", nodes[n]);
    }
    suite_check (strcmp (own->str, expected[i]) == 0, "step %u: %s", i, own->str);
  }
  vc_cache_remove_node_shard (cache, "b");
  g_autoptr (GPtrArray) in_use = vc_cache_shard_in_use (cache);
  CU_ASSERT_EQUAL_FATAL (in_use->len, 2);
  CU_ASSERT_STRING_EQUAL (in_use->pdata[0], "n2");
  vc_cache_remove_node_shard (cache, "a"); /* the last answer holds */
  CU_ASSERT_TRUE (vc_cache_cluster (cache)->nodes.info[vc_cluster_node (vc_cache_cluster (cache), "n2")].in_shard);
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "nodes of other shards", nodes_of_other_shards },
    { "so it is without the engine's shortcuts", without_shortcuts_too },
    { "a shard may change", a_shard_may_change },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("shards", tests);
}
