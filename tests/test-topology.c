/* tests/test-topology.c - HyperNodes, sub-jobs, and Go's regular expressions that select nodes. */
#include "core/base/go-number.h"
#include "core/base/go-regex.h"
#include "core/cache/cache.h"
#include "core/session/engine.h"
#include "sim/cycle/cycle.h"
#include "suite.h"
#include <string.h>

/* ---- texts of Go ---------------------------------------------------------------------------- */

static void
patterns_match_as_in_go (void)
{
  static const struct {
    const char *pattern, *yes, *no; /* texts that match and that do not, NULL: none */
  } good[] = {
    { "^(n1|n2)$", "n2", "n22" },        { "n1", "xn12", "n2" },
    { "^gpu-[0-9]+$", "gpu-17", "gpu-" },  { "^rack-a", "rack-ab", "x-rack-a" },
    { "(?i)^N1$", "n1", "n2" },          { "^ab?$", "a", "abb" },
    { "^a{2,3}$", "aaa", "aaaa" },       { "^(?P<rack>r1)-", "r1-n2", "r2-n1" },
    { "\\d\\d$", "n01", "n1" },          { "", "n", NULL },
    { "[[:alpha:]]-[^x]", "a-b", "a-x" }, { "^n\\.a$", "n.a", "nxa" },
  };
  static const char *const bad[]
      = { "a(", "a)", "[a", "*a", "a**", "(?=a)", "(?!a)", "\\1", "a{1001}", "[z-a]", "\\Z", "(?P<x", "(?x)a", "a|*" };
  static const char *const foreign[] = { "\\pL", "\\Qa\\E", "^*", "a{02}", "\\x{41}", "(?:a{2}){2}" };

  for (guint i = 0; i < G_N_ELEMENTS (good); i++) {
    g_autoptr (VcGoRegex) r = vc_go_regex_new (good[i].pattern);

    if (!suite_check (r != NULL, "'%s' is a pattern", good[i].pattern))
      continue;
    suite_check (vc_go_regex_matches (r, good[i].yes), "'%s' matches '%s'", good[i].pattern, good[i].yes);
    suite_check (good[i].no == NULL || !vc_go_regex_matches (r, good[i].no), "'%s' does not match '%s'",
                 good[i].pattern, good[i].no);
  }
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    suite_check (vc_go_regex_check (bad[i], NULL) == VC_GO_REGEX_BAD, "'%s' is an error", bad[i]);
  for (guint i = 0; i < G_N_ELEMENTS (foreign); i++)
    suite_check (vc_go_regex_check (foreign[i], NULL) == VC_GO_REGEX_FOREIGN, "'%s' is refused", foreign[i]);
}

static void
powers_are_go_s (void)
{
  /* of math.Pow, Go 1.24 */
  static const struct { double x; gint64 y; double power; } row[] = {
    { 0.8, 1, 0.8 },   { 0.8, 2, 0.6400000000000001 },   { 0.8, 3, 0.5120000000000001 }, { 0.3, 5, 0.0024299999999999999 },
    { 0, 0, 1 },       { 0, 2, 0 },                      { 2, -1, 0.5 },                 { 0.7, 9, 0.040353606999999972 },
    { 1.5, 0, 1 },     { 0.9, -1, 1.1111111111111112 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (row); i++)
    suite_check (vc_go_pow (row[i].x, row[i].y) == row[i].power, "%g^%d = %.17g", row[i].x, (int) row[i].y,
                 vc_go_pow (row[i].x, row[i].y));
}

/* ---- the tree ------------------------------------------------------------------------------- */

static VcCache *
empty_cache (void)
{
  VcCacheOptions options;

  vc_cache_options_init (&options);
  return vc_cache_new (vc_res_names_new (NULL, 0, NULL), &options);
}

static void
add_node (VcCache *cache, const char *name, const char *rack)
{
  const VcPair label = { "rack", rack };
  const VcNodeObject o = { .name = name, .labels = { &label, rack != NULL } };

  vc_cache_add_node (cache, &o);
}

static gboolean
add_hyper (VcCache *cache, const char *name, gint64 tier, const VcMember *member, guint n)
{
  const VcHyperNodeObject o = { .name = name, .tier = tier, .member = member, .n_members = n };

  return vc_cache_add_hyper_node (cache, &o);
}

static const VcHyperView *
view_of (VcCache *cache)
{
  VcCluster *c = vc_cache_cluster (cache);
  return vc_hyper_nodes_view (c->hyper, c);
}

/* "n1 n2" of a HyperNode. (transfer full) */
static char *
nodes_of (VcCache *cache, const char *name)
{
  const VcCluster *c = vc_cache_cluster (cache);
  const VcHyperView *v = view_of (cache);
  guint32 row = vc_hyper_nodes_find (c->hyper, name);
  GString *s = g_string_new (NULL);

  for (guint i = 0; row != VC_HYPER_NONE && i < v->hyper[row].n_nodes; i++)
    g_string_append_printf (s, "%s%s", i > 0 ? " " : "", c->nodes.info[v->hyper[row].node[i]].name);
  return g_string_free (s, FALSE);
}

static void
check_nodes (VcCache *cache, const char *name, const char *want, const char *when)
{
  g_autofree char *got = nodes_of (cache, name);
  suite_check (strcmp (got, want) == 0, "%s: %s holds '%s', wanted '%s'", when, name, got, want);
}

static void
check_tree_row (SuiteNode *row, guint i)
{
  g_autoptr (VcCache) cache = empty_cache ();
  VcCluster *c = vc_cache_cluster (cache);
  SuiteNode *input = suite_need (row, "input"), *item, *value;
  const char *key;
  g_autoptr (GString) refused = g_string_new (NULL), wanted = g_string_new (NULL);

  for (guint n = 1; n <= 9; n++) {
    char name[] = { 'n', (char) ('0' + n), '\0' };
    add_node (cache, name, NULL);
  }
  for (void *at = NULL; (item = suite_next (input, &at)) != NULL;) {
    VcMember member[8] = { 0 };
    guint n = 0;
    static const char *const list[] = { "nodes", "hypernodes" };

    for (guint k = 0; k < 2; k++)
      for (void *in = NULL; (value = suite_is_null (suite_need (item, list[k])) ? NULL : suite_next (suite_need (item, list[k]), &in)) != NULL;)
        member[n++] = (VcMember){ .type = k == 0 ? VC_MEMBER_NODE : VC_MEMBER_HYPER_NODE, .exact = suite_text (value) };
    if (!add_hyper (cache, suite_text (suite_need (item, "name")), suite_int (suite_need (item, "tier")), member, n))
      g_string_append_printf (refused, "%s ", suite_text (suite_need (item, "name")));
  }
  for (void *at = NULL; (item = suite_next (suite_get (row, "refused"), &at)) != NULL;)
    g_string_append_printf (wanted, "%s ", suite_text (item));
  suite_check (strcmp (refused->str, wanted->str) == 0, "row %u: refused '%s', wanted '%s'", i, refused->str, wanted->str);
  const VcHyperView *v = view_of (cache);
  suite_check (v->ready == suite_bool (suite_need (row, "ready")), "row %u: ready", i);
  for (void *at = NULL; (item = suite_next_pair (suite_get (row, "nodes"), &at, &key)) != NULL;) {
    g_autoptr (GString) want = g_string_new (NULL);
    for (void *in = NULL; (value = suite_next (item, &in)) != NULL;)
      g_string_append_printf (want, "%s%s", want->len > 0 ? " " : "", suite_text (value));
    check_nodes (cache, key, want->str, "table");
  }
  for (void *at = NULL; (item = suite_next_pair (suite_get (row, "tiers"), &at, &key)) != NULL;)
    for (guint t = 0; t < v->n_tiers; t++)
      if (v->tier[t].tier == g_ascii_strtoll (key, NULL, 10)) {
        suite_check (v->tier[t].n == suite_count (item), "row %u: tier %s has %u", i, key, v->tier[t].n);
        for (guint k = 0; k < MIN (v->tier[t].n, suite_count (item)); k++)
          suite_check (strcmp (v->hyper[v->tier[t].hyper[k]].name, suite_text (suite_at (item, k))) == 0, "row %u: tier %s", i, key);
      }
  for (void *at = NULL; (item = suite_next_pair (suite_get (row, "ancestors"), &at, &key)) != NULL;) {
    guint32 x = vc_hyper_nodes_find (c->hyper, key);
    for (void *in = NULL; (value = suite_next (item, &in)) != NULL; x = v->hyper[x].parent)
      if (!suite_check (x != VC_HYPER_NONE && strcmp (v->hyper[x].name, suite_text (value)) == 0, "row %u: %s of %s", i, suite_text (value), key))
        break;
  }
  for (void *at = NULL; (item = suite_next (suite_get (row, "lca"), &at)) != NULL;) {
    guint32 x[3];
    for (guint k = 0; k < 3; k++)
      x[k] = vc_hyper_nodes_find (c->hyper, suite_text (suite_at (item, k)));
    guint32 got = vc_hyper_lca (v, x[0], x[1]);
    /* a session's root stands above what has no common ancestor in the table */
    suite_check (got == x[2] || (x[2] == VC_HYPER_NONE && got == VC_HYPER_ROOT), "row %u: lca of %s and %s", i,
                 suite_text (suite_at (item, 0)), suite_text (suite_at (item, 1)));
  }
}

static void
trees_are_built_as_recorded (void)
{
  g_autoptr (SuiteDoc) doc = suite_load ("hypernode-trees.json");
  SuiteNode *rows = suite_need (suite_root (doc), "rows");

  for (guint i = 0; i < suite_count (rows); i++)
    check_tree_row (suite_at (rows, i), i);
  suite_check (suite_count (rows) == 6, "%u rows", suite_count (rows));
}

#define EXACT(t, name) { .type = VC_MEMBER_##t, .exact = name }

static void
memberships_follow_the_nodes (void)
{
  g_autoptr (VcCache) cache = empty_cache ();
  const VcPair rack = { "rack", "a" };
  const VcMember by_label = { .type = VC_MEMBER_NODE, .labels = { .given = TRUE, .match = { &rack, 1 } } };
  const VcMember by_pattern = { .type = VC_MEMBER_NODE, .pattern = "^b[0-9]$" };
  const VcMember both[] = { EXACT (HYPER_NODE, "s1"), EXACT (HYPER_NODE, "s2") };

  add_node (cache, "a1", "a");
  add_node (cache, "b1", NULL);
  add_hyper (cache, "s1", 1, &by_label, 1);
  add_hyper (cache, "s2", 1, &by_pattern, 1);
  add_hyper (cache, "t", 2, both, 2);
  check_nodes (cache, "t", "a1 b1", "at first");
  add_node (cache, "a2", "a");
  add_node (cache, "b2", "a");
  check_nodes (cache, "s1", "a1 a2 b2", "nodes came");
  check_nodes (cache, "t", "a1 a2 b1 b2", "nodes came");
  add_node (cache, "b2", "c"); /* it satisfies the selector of nobody now: nobody looks again, as upstream */
  check_nodes (cache, "s1", "a1 a2 b2", "relabelled away");
  add_node (cache, "a3", "a");
  check_nodes (cache, "s1", "a1 a2 a3", "the next one that fits");
  vc_cache_remove_node (cache, "b1");
  check_nodes (cache, "s2", "b2", "a node went");
  check_nodes (cache, "t", "a1 a2 a3 b2", "a node went");
}

static void
a_second_parent_stops_the_tree_until_it_is_gone (void)
{
  g_autoptr (VcCache) cache = empty_cache ();
  const VcMember node = EXACT (NODE, "n1"), child = EXACT (HYPER_NODE, "s1");

  add_node (cache, "n1", NULL);
  suite_check (add_hyper (cache, "s1", 1, &node, 1), "s1 is taken");
  suite_check (add_hyper (cache, "a", 2, &child, 1), "a is taken");
  suite_check (!add_hyper (cache, "b", 2, &child, 1), "b is refused");
  suite_check (!view_of (cache)->ready, "the tree is not ready");
  suite_check (add_hyper (cache, "a", 2, NULL, 0), "a lets go");
  suite_check (view_of (cache)->ready, "the tree is ready");
  check_nodes (cache, "b", "n1", "b has it");
  check_nodes (cache, "a", "", "a has nothing");
  vc_cache_remove_hyper_node (cache, "s1");
  check_nodes (cache, "b", "", "s1 is gone");
  suite_check (view_of (cache)->hyper[vc_hyper_nodes_find (vc_cache_cluster (cache)->hyper, "b")].n_children == 0, "b has no child");
}

static void
a_tier_zero_that_its_parent_announced_is_in_no_tier (void)
{
  g_autoptr (VcCache) cache = empty_cache ();
  const VcMember node = EXACT (NODE, "n1"), child = EXACT (HYPER_NODE, "s1");

  add_node (cache, "n1", NULL);
  add_hyper (cache, "t", 1, &child, 1);
  add_hyper (cache, "s1", 0, &node, 1);
  const VcHyperView *v = view_of (cache);
  suite_check (v->n_tiers == 2 && v->tier[0].tier == 1 && v->tier[1].tier == 2, "tiers 1 and 2 only");
  suite_check (strcmp (v->hyper[vc_hyper_lowest (v, 0)].name, "t") == 0, "n1 is in t first of all");
  check_nodes (cache, "s1", "n1", "it holds its node all the same");
}

/* ---- sub-jobs --------------------------------------------------------------------------------- */

static VcSelector
selector_of (SuiteNode *node, VcArena *arena)
{
  VcSelector s = { .given = node != NULL };
  SuiteNode *labels = node != NULL ? suite_get (node, "matchLabels") : NULL, *list = node != NULL ? suite_get (node, "matchExpressions") : NULL, *value;
  const char *key;
  VcPair *pair = vc_arena_new0 (arena, VcPair, 4);
  VcExpression *e = vc_arena_new0 (arena, VcExpression, 4);

  for (void *at = NULL; (value = suite_next_pair (labels, &at, &key)) != NULL;)
    pair[s.match.n++] = (VcPair){ key, suite_text (value) };
  for (guint i = 0; list != NULL && i < suite_count (list); i++) {
    SuiteNode *x = suite_at (list, i), *values = suite_need (x, "values");
    const char **text = vc_arena_new0 (arena, const char *, suite_count (values));
    for (guint k = 0; k < suite_count (values); k++)
      text[k] = suite_text (suite_at (values, k));
    e[s.n_expressions++] = (VcExpression){ suite_text (suite_need (x, "key")),
                                           strcmp (suite_text (suite_need (x, "operator")), "NotIn") == 0 ? VC_OP_NOT_IN : VC_OP_UNKNOWN, text,
                                           suite_count (values) };
  }
  s.match.item = pair;
  s.expression = e;
  return s;
}

static void
pods_find_their_sub_job_as_recorded (void)
{
  g_autoptr (SuiteDoc) doc = suite_load ("sub-groups.json");
  g_autoptr (VcArena) arena = vc_arena_new ();
  SuiteNode *rows = suite_need (suite_root (doc), "rows"), *policies = suite_need (suite_root (doc), "policies"), *value;
  const char *key;

  for (guint i = 0; i < suite_count (rows); i++) {
    g_autoptr (VcCache) cache = empty_cache ();
    VcCluster *c = vc_cache_cluster (cache);
    SuiteNode *row = suite_at (rows, i), *list = suite_at (policies, (guint) suite_int (suite_need (row, "policies")));
    VcSubGroupPolicy policy[4] = { 0 };
    VcPair label[8];
    const VcPair group = { "scheduling.k8s.io/group-name", "pg1" };
    VcPodGroupObject pg = { .ns = "ns1", .name = "pg1", .created = VC_NO_TIME, .min_member = 4, .policy = policy, .topology = { .mode = VC_TOPOLOGY_SOFT } };
    VcPodObject pod = { .ns = "ns1", .name = "p", .uid = "p", .annotations = { &group, 1 }, .created = VC_NO_TIME, .start_time = VC_NO_TIME, .phase = VC_POD_PENDING };

    for (guint k = 0; !suite_is_null (list) && k < suite_count (list); k++) {
      SuiteNode *p = suite_at (list, k), *keys = suite_get (p, "matchLabelKeys");
      const char **text = vc_arena_new0 (arena, const char *, 4);
      policy[pg.n_policies].name = suite_text (suite_need (p, "name"));
      policy[pg.n_policies].selector = selector_of (suite_get (p, "labelSelector"), arena);
      for (guint n = 0; keys != NULL && n < suite_count (keys); n++)
        text[policy[pg.n_policies].n_keys++] = suite_text (suite_at (keys, n));
      policy[pg.n_policies++].key = text;
    }
    if (!suite_is_null (suite_need (row, "labels")))
      for (void *at = NULL; (value = suite_next_pair (suite_need (row, "labels"), &at, &key)) != NULL;)
        label[pod.labels.n++] = (VcPair){ key, suite_text (value) };
    pod.labels.item = label;
    guint32 job = vc_cache_add_pod_group (cache, &pg), task = vc_cache_add_pod (cache, &pod);
    const VcSubJob *b = vc_job_sub (&c->job[job], c->task[task].sub);
    suite_check (strcmp (b->uid, suite_text (suite_need (row, "uid"))) == 0, "row %u: uid %s", i, b->uid);
    suite_check (strcmp (b->gid, suite_text (suite_need (row, "gid"))) == 0, "row %u: gid %s", i, b->gid);
    suite_check (b->min_available == suite_int (suite_need (row, "min")), "row %u: minimum %d", i, b->min_available);
    suite_check (b->match_index == suite_int (suite_need (row, "index")), "row %u: index", i);
    vc_cache_remove_pod (cache, task);
    suite_check (c->job[job].subs->sub[0].n_tasks == 0, "row %u: the pod is out again", i);
  }
  suite_check (suite_count (rows) == 48, "%u rows", suite_count (rows));
}

/* ---- sessions ----------------------------------------------------------------------------------- */

#define NODE(name) "{apiVersion: v1, kind: Node, metadata: {name: " name "}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}}\n---\n"
#define HYPER(name, tier, members) \
  "{apiVersion: topology.volcano.sh/v1alpha1, kind: HyperNode, metadata: {name: " name "}, spec: {tier: " tier ", tierName: t" tier ", members: [" members "]}}\n---\n"
#define HOST(name) "{type: Node, selector: {exactMatch: {name: " name "}}}"
#define BELOW(name) "{type: HyperNode, selector: {exactMatch: {name: " name "}}}"
#define GROUP(spec) "{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: g, namespace: d}, spec: {queue: default, " spec "}, status: {phase: Inqueue}}\n---\n"
#define POD(name, node, phase, label) POD_OF ("2", name, node, phase, label)
#define POD_OF(cpu, name, node, phase, label) \
  "{apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: d, uid: " name ", labels: {group: " label "}, annotations: {scheduling.k8s.io/group-name: g}}, spec: {" node "containers: [{name: c, resources: {requests: {cpu: '" cpu "', memory: 1Gi}}}]}, status: {phase: " phase "}}\n---\n"
#define TREE \
  NODE ("n1") NODE ("n2") NODE ("n3") NODE ("n4") HYPER ("s1", "1", HOST ("n1") ", " HOST ("n2")) HYPER ("s2", "1", HOST ("n3") ", " HOST ("n4")) \
  HYPER ("top", "2", BELOW ("s1") ", " BELOW ("s2")) \
  "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: default}, spec: {weight: 1}, status: {state: Open}}\n---\n"
#define CONF "actions: allocate\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n  - name: network-topology-aware\n"

static VcEngine *
engine_on (const char *objects, VcCache **cache, void (*at_close) (VcSession *ssn, gpointer user), gpointer user)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (WlObjects) o = wl_objects_parse (objects, strlen (objects), "objects", &error);
  VcConf *conf = vc_conf_parse (CONF, strlen (CONF), "conf", vc_catalog (), TRUE, NULL, NULL);
  VcCacheOptions cache_options;
  VcEngineOptions options;

  vc_cache_options_init (&cache_options);
  vc_engine_options_init (&options);
  options.messages = options.exact_fit = TRUE;
  options.at_close = at_close;
  options.at_close_user = user;
  *cache = o != NULL ? sim_cycle_load (o, &cache_options, NULL, &error) : NULL;
  VcEngine *e = *cache != NULL ? vc_engine_new (*cache, conf, TRUE, &options, &error) : NULL;
  suite_check (e != NULL, "%s", error != NULL ? error->message : "");
  return e;
}

typedef struct { const char *job, *sub; gboolean hard; gint64 tier; } Want;

static void
look_at_rules (VcSession *ssn, gpointer user)
{
  const Want *w = user;
  VcCluster *c = vc_session_cluster (ssn);
  const VcSubJobs *s = c->job[vc_session_jobs (ssn, &(guint){ 0 })[0]].subs;
  const char *job = s->allocated != VC_HYPER_NONE ? vc_hyper_nodes_name (c->hyper, s->allocated) : "";
  const char *sub = s->sub[0].allocated != VC_HYPER_NONE ? vc_hyper_nodes_name (c->hyper, s->sub[0].allocated) : "";

  suite_check (strcmp (job, w->job) == 0, "the job holds '%s', wanted '%s'", job, w->job);
  suite_check (strcmp (sub, w->sub) == 0, "its first sub-job holds '%s', wanted '%s'", sub, w->sub);
  suite_check (!s->sub[0].rule.hard == !w->hard, "hard: %d", s->sub[0].rule.hard);
  suite_check (!w->hard || s->sub[0].rule.tier == w->tier, "tier %d", (int) s->sub[0].rule.tier);
}

static void
sessions_read_topologies_and_find_what_is_held (void)
{
  static const struct { const char *spec, *node_of_b; Want want; } row[] = {
    { "minMember: 2, networkTopology: {mode: hard, highestTierAllowed: 1}", "n2", { "s1", "s1", TRUE, 1 } },
    { "minMember: 2, networkTopology: {mode: hard, highestTierName: t2}", "n3", { "top", "top", TRUE, 2 } },
    { "minMember: 2, networkTopology: {mode: hard, highestTierName: nobody}", "n3", { "top", "top", FALSE, 0 } },
    { "minMember: 2, networkTopology: {mode: soft}", "n1", { "s1", "s1", TRUE, 3 } },
    /* two sub-jobs: each holds its own, the job what is above both */
    { "minMember: 2, networkTopology: {mode: hard, highestTierAllowed: 2}, subGroupPolicy: [{name: p, matchLabelKeys: [group], networkTopology: {mode: soft}}]", "n3",
      { "top", "s1", TRUE, 2 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autofree char *text = g_strdup_printf (TREE GROUP ("%s") POD ("a", "nodeName: n1, ", "Running", "x") POD ("b", "nodeName: %s, ", "Running", "y"),
                                             row[i].spec, row[i].node_of_b);
    VcCache *cache;
    g_autoptr (VcEngine) e = engine_on (text, &cache, NULL, NULL);
    g_autoptr (VcCache) G_GNUC_UNUSED owned = cache;

    if (e != NULL)
      vc_engine_with_session (e, 0, look_at_rules, (gpointer) &row[i].want);
  }
}

static void
keep_text (VcSession *ssn, gpointer user)
{
  char **text = user;
  g_free (*text);
  *text = vc_session_job_fit_text (ssn, vc_session_jobs (ssn, &(guint){ 0 })[0]);
}

static void
a_gang_stays_within_its_tier_or_waits_with_the_reason (void)
{
  static const char gang[] = TREE GROUP ("minMember: 4, networkTopology: {mode: hard, highestTierAllowed: 1}")
      POD ("a", "", "Pending", "x") POD ("b", "", "Pending", "x") POD ("c", "", "Pending", "x") POD ("d", "", "Pending", "x");
  /* together they fit s1, one by one they do not */
  static const char clumsy[] = TREE GROUP ("minMember: 3, networkTopology: {mode: hard, highestTierAllowed: 1}")
      POD_OF ("2500m", "a", "", "Pending", "x") POD_OF ("2500m", "b", "", "Pending", "x") POD_OF ("2500m", "c", "", "Pending", "x");
  g_autofree char *text = NULL;
  VcCache *cache;
  g_autoptr (VcEngine) e = engine_on (gang, &cache, keep_text, &text);
  g_autoptr (VcCache) G_GNUC_UNUSED owned = cache;
  VcCycleResult result;

  vc_engine_cycle (e, 0, &result);
  const VcCluster *c = vc_cache_cluster (cache);
  suite_check (result.binds == 4, "%u binds", result.binds);
  for (guint32 t = 0; t < c->n_tasks; t++)
    suite_check (c->task[t].node < 2, "%s is in s1", c->task[t].key); /* 4 pods of 2 cpu fill two nodes of 4 */
  suite_check (strcmp (vc_hyper_nodes_name (c->hyper, c->job[0].subs->allocated), "s1") == 0, "the job holds s1");

  VcCache *other;
  g_autoptr (VcEngine) e2 = engine_on (clumsy, &other, keep_text, &text);
  g_autoptr (VcCache) G_GNUC_UNUSED owned2 = other;
  vc_engine_cycle (e2, 0, &result);
  suite_check (result.binds == 0 && result.discarded == 1, "%u binds, %u discarded", result.binds, result.discarded);
  suite_check (strstr (text, "Origin reason is c: In hyperNode s2: 0/2 nodes are unavailable: 2 Insufficient cpu.") != NULL, "%s", text);
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "patterns match as in Go", patterns_match_as_in_go },
    { "powers are Go's", powers_are_go_s },
    { "trees are built as recorded", trees_are_built_as_recorded },
    { "memberships follow the nodes", memberships_follow_the_nodes },
    { "a second parent stops the tree until it is gone", a_second_parent_stops_the_tree_until_it_is_gone },
    { "a tier 0 that its parent announced is in no tier", a_tier_zero_that_its_parent_announced_is_in_no_tier },
    { "pods find their sub-job as recorded", pods_find_their_sub_job_as_recorded },
    { "sessions read topologies and find what is held", sessions_read_topologies_and_find_what_is_held },
    { "a gang stays within its tier or waits with the reason", a_gang_stays_within_its_tier_or_waits_with_the_reason },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("topology", tests);
}
