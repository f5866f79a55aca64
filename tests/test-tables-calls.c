/* tests/test-tables-calls.c - single callbacks of plugins in a session opened on recorded objects:
 * binpack's scores, overcommit's votes, nodegroup's fit and scores, the scores of
 * resource-strategy-fit, those of network-topology-aware for nodes and HyperNodes, the fit and the scores of nodes by predicates and
 * nodeorder. No action runs. */
#include "core/session/engine.h"
#include "json-doc.h"
#include "sim/cycle/cycle.h"
#include "suite.h"
#include <math.h>
#include <string.h>

typedef struct {
  const char *table;
  guint row;
  const Jd *calls;
  gboolean (*wanted) (const Jd *call, gconstpointer user);
  gconstpointer user;
  guint checked;
} Row;

static guint32
find_task (const VcCluster *c, const char *key)
{
  for (guint32 t = 0; t < c->n_tasks; t++)
    if (c->task[t].live && strcmp (c->task[t].key, key) == 0)
      return t;
  return VC_NONE;
}

static guint32
find_job (const VcCluster *c, const char *key)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (c->job_rows, key)) - 1;
}

static const char *
text_of (const Jd *call, const char *key)
{
  return jd_text (jd_get (call, key), "");
}

static void
check_score (const Row *r, guint i, const char *node, double want, double got)
{
  suite_check (fabs (want - got) <= 1e-9 * MAX (1.0, fabs (want)),
               "%s row %u call %u, node %s: %.17g, wanted %.17g", r->table, r->row, i, node, got,
               want);
}

static void
check_predicate (const Row *r, guint i, VcSession *ssn, guint32 task, const Jd *call)
{
  const Jd *want = jd_get (call, "status");
  const char *node = text_of (call, "node");
  VcFitError e = { 0 };
  gboolean fits;

  if (vc_session_pre_predicate (ssn, task) != NULL) {
    suite_check (FALSE, "%s row %u call %u: refused before any node", r->table, r->row, i);
    return;
  }
  fits = vc_session_predicate (ssn, task, vc_cluster_node (vc_session_cluster (ssn), node), &e);
  suite_check (fits == jd_is_null (want), "%s row %u call %u: %s fits on %s", r->table, r->row, i,
               text_of (call, "task"), node);
  if (jd_is_null (want))
    return;
  suite_check (e.n == want->n, "%s row %u call %u: %u statuses", r->table, r->row, i, e.n);
  for (guint k = 0; k < MIN (e.n, want->n); k++) {
    const Jd *s = want->child[k];

    suite_check ((double) e.item[k].code == s->child[0]->number, "%s row %u call %u: code %d",
                 r->table, r->row, i, e.item[k].code);
    suite_check (strcmp (e.item[k].reason, s->child[1]->string) == 0, "%s row %u call %u: '%s'",
                 r->table, r->row, i, e.item[k].reason);
  }
}

/* What allocate would set before it scores: the recorder took it from the PodGroup. */
static void
set_held (VcSession *ssn, guint32 task)
{
  VcCluster *c = vc_session_cluster (ssn);
  const VcJob *j = &c->job[c->task[task].job];
  const char *held = vc_pairs_get (&j->meta->annotations, "volcano.sh/job-allocated-hypernode");

  if (held != NULL)
    c->task[task].job_hyper = vc_hyper_nodes_find (c->hyper, held);
}

/* Scores of the listed nodes, or of all in list order; a node that is not listed got nothing. */
static void
check_batch (const Row *r, guint i, VcSession *ssn, guint32 task, const Jd *call)
{
  const Jd *want = jd_get (call, "scores"), *some = jd_get (call, "nodes");
  VcCluster *c = vc_session_cluster (ssn);
  guint n_nodes = some != NULL ? some->n : c->nodes.n_list;
  g_autofree guint32 *node = g_new (guint32, n_nodes + 1);
  g_autofree double *got = g_new0 (double, n_nodes + 1);

  if (strcmp (text_of (call, "weights"), "all") == 0)
    vc_session_pre_predicate (ssn, task);
  set_held (ssn, task);
  for (guint n = 0; n < n_nodes; n++)
    node[n] = some != NULL ? vc_cluster_node (c, some->child[n]->string) : c->nodes.list[n];
  suite_check (vc_session_scores (ssn, task, node, n_nodes, got), "%s row %u call %u: scores",
               r->table, r->row, i);
  for (guint n = 0; n < n_nodes; n++) {
    const char *name = c->nodes.info[node[n]].name;

    check_score (r, i, name, jd_number (jd_get (want, name), 0), got[n]);
  }
}

static void
check_hyper_order (const Row *r, guint i, VcSession *ssn, const Jd *call)
{
  VcCluster *c = vc_session_cluster (ssn);
  const Jd *names = jd_get (call, "hypernodes");
  const Jd *want = jd_get (jd_get (call, "scores"), "network-topology-aware");
  const char *uid = text_of (call, "subjob");
  g_autofree guint32 *hyper = g_new (guint32, names->n + 1);
  g_autofree double *got = g_new0 (double, names->n + 1);

  for (guint n = 0; n < names->n; n++)
    hyper[n] = vc_hyper_nodes_find (c->hyper, names->child[n]->string);
  for (guint32 j = 0; j < c->n_jobs; j++)
    for (guint s = 0; c->job[j].subs != NULL && s < c->job[j].subs->n; s++)
      if (strcmp (c->job[j].subs->sub[s].uid, uid) == 0) {
        vc_session_hyper_scores (ssn, j, s, hyper, names->n, got);
        for (guint n = 0; n < names->n; n++)
          check_score (r, i, names->child[n]->string,
                       jd_number (jd_get (want, names->child[n]->string), -1), got[n]);
        return;
      }
  suite_check (FALSE, "%s row %u call %u: no sub-job %s", r->table, r->row, i, uid);
}

/* Which candidates may go for a gang: @call's job is "reclaimer", which stands in no object of the
 * table; the test adds it. */
static void
check_evictable (const Row *r, guint i, VcSession *ssn, const Jd *call)
{
  VcCluster *c = vc_session_cluster (ssn);
  const Jd *candidates = jd_get (call, "candidates"), *want = jd_get (call, "victims");
  g_autofree guint32 *rows = g_new (guint32, candidates->n + 1);
  g_autoptr (GArray) got = g_array_new (FALSE, FALSE, sizeof (guint32));
  gboolean gang_reclaim = jd_number (jd_get (call, "kind"), 0) == 2;

  for (guint k = 0; k < candidates->n; k++)
    rows[k] = find_task (c, candidates->child[k]->string);
  vc_session_set_eviction (ssn, gang_reclaim ? VC_EVICT_GANG_RECLAIM : VC_EVICT_GANG_PREEMPT,
                           find_job (c, "ns01/reclaimer"));
  vc_session_victims (ssn, VC_HOOK_UNIFIED_EVICTABLE, VC_NONE, rows, candidates->n, got);
  suite_check (got->len == want->n, "%s call %u: %u victims", r->table, i, got->len);
  for (guint k = 0; k < MIN (got->len, want->n); k++)
    suite_check (strcmp (c->task[g_array_index (got, guint32, k)].key, want->child[k]->string) == 0,
                 "%s call %u: victim %s", r->table, i, want->child[k]->string);
}

static void
check_call (const Row *r, guint i, VcSession *ssn, const Jd *call)
{
  VcCluster *c = vc_session_cluster (ssn);
  const char *fn = text_of (call, "fn");
  guint32 task = VC_NONE;

  if (jd_get (call, "task") != NULL) {
    task = find_task (c, text_of (call, "task"));
    if (!suite_check (task != VC_NONE, "task %s is there", text_of (call, "task")))
      return;
  }
  if (strcmp (fn, "node_order") == 0) {
    guint32 node = vc_cluster_node (c, text_of (call, "node"));
    double score = 0;

    suite_check (vc_session_scores (ssn, task, &node, 1, &score), "%s row %u call %u: a score",
                 r->table, r->row, i);
    check_score (r, i, text_of (call, "node"), jd_number (jd_get (call, "score"), -1), score);
  } else if (strcmp (fn, "job_enqueueable") == 0) {
    guint32 job = find_job (c, text_of (call, "job"));

    suite_check (vc_session_job_enqueueable (ssn, job)
                     == (jd_number (jd_get (call, "result"), -1) > 0),
                 "%s row %u: %s may enqueue", r->table, r->row, text_of (call, "job"));
  } else if (strcmp (fn, "pre_predicate") == 0) {
    const char *refusal = vc_session_pre_predicate (ssn, task);

    suite_check (refusal != NULL && strcmp (refusal, text_of (call, "error")) == 0,
                 "%s row %u: refused with '%s'", r->table, r->row, refusal != NULL ? refusal : "");
  } else if (strcmp (fn, "predicate") == 0)
    check_predicate (r, i, ssn, task, call);
  else if (strcmp (fn, "unified_evictable") == 0)
    check_evictable (r, i, ssn, call);
  else if (strcmp (fn, "hypernode_order") == 0)
    check_hyper_order (r, i, ssn, call);
  else if (strcmp (fn, "batch_node_order") == 0)
    check_batch (r, i, ssn, task, call);
  else
    suite_check (FALSE, "call '%s' is not known", fn);
}

static void
check_calls (VcSession *ssn, gpointer user)
{
  Row *r = user;

  for (guint i = 0; i < r->calls->n; i++)
    if (r->wanted == NULL || r->wanted (r->calls->child[i], r->user)) {
      check_call (r, i, ssn, r->calls->child[i]);
      r->checked++;
    }
}

/* Open a session with @conf on @objects (a JSON list of them) and make the wanted calls. */
static void
with_objects (Row *r, const char *objects, const char *conf_text)
{
  g_autofree char *text
      = g_strdup_printf ("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":%s}", objects);
  g_autoptr (GError) error = NULL;
  g_autoptr (WlObjects) o = wl_objects_parse (text, strlen (text), r->table, &error);
  VcConf *conf
      = vc_conf_parse (conf_text, strlen (conf_text), "conf", vc_catalog (), TRUE, NULL, &error);
  g_autoptr (VcCache) cache = NULL;
  g_autoptr (VcEngine) engine = NULL;
  VcCacheOptions cache_options;
  VcEngineOptions options;

  vc_cache_options_init (&cache_options);
  vc_engine_options_init (&options);
  options.exact_fit = TRUE;
  if (o != NULL && conf != NULL)
    cache = sim_cycle_load (o, &cache_options, NULL, &error);
  if (cache != NULL)
    engine = vc_engine_new (cache, conf, TRUE, &options, &error); /* takes conf */
  if (suite_check (engine != NULL, "%s row %u: %s", r->table, r->row,
                   error != NULL ? error->message : ""))
    vc_engine_with_session (engine, 0, check_calls, r);
}

typedef struct {
  VcArena *arena;
  char *text;
  const Jd *rows;
} Table;

static void
table_load (Table *t, const char *path)
{
  gsize size;
  const Jd *root;

  t->arena = vc_arena_new ();
  t->text = suite_read (path, &size);
  root = jd_parse (t->arena, t->text, size, NULL);
  suite_check (root != NULL, "%s is JSON", path);
  t->rows = jd_get (root, "rows");
}

static void
table_clear (Table *t)
{
  g_clear_pointer (&t->arena, vc_arena_free);
  g_clear_pointer (&t->text, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Table, table_clear)

/* A table whose rows carry their own configuration. */
static void
check_table (const char *name, guint least)
{
  g_autofree char *path = g_strdup_printf ("tables/%s.json", name);
  g_auto (Table) t = { 0 };
  guint checked = 0;

  table_load (&t, path);
  for (guint i = 0; i < t.rows->n; i++) {
    Row r = { .table = name, .row = i, .calls = jd_get (t.rows->child[i], "calls") };
    g_autofree char *objects = jd_dup_raw (jd_get (t.rows->child[i], "objects"));
    g_autofree char *conf = /* the recorded ones name no action */
        g_strconcat ("actions: allocate\n", text_of (t.rows->child[i], "conf"), NULL);

    with_objects (&r, objects, conf);
    checked += r.checked;
  }
  suite_check (checked >= least, "%u calls", checked);
}

static void
binpack_scores_as_recorded (void)
{
  check_table ("calls-binpack", 24);
}

static void
priority_spares_higher_jobs_as_recorded (void)
{
  g_auto (Table) t = { 0 };

  table_load (&t, "tables/calls-priority.json");
  Row r = { .table = "calls-priority", .calls = jd_get (t.rows->child[0], "calls") };
  g_autofree char *objects = jd_dup_raw (jd_get (t.rows->child[0], "objects"));
  g_autofree char *conf
      = g_strconcat ("actions: allocate\n", text_of (t.rows->child[0], "conf"), NULL);
  *strrchr (objects, ']') = '\0';
  g_autofree char *more = g_strconcat (
      objects,
      ",{\"apiVersion\":\"scheduling.k8s.io/v1\",\"kind\":\"PriorityClass\",\"metadata\":{\"name\":"
      "\"middle\"},\"value\":500},{\"apiVersion\":\"scheduling.volcano.sh/v1beta1\",\"kind\":"
      "\"PodGroup\",\"metadata\":{\"name\":\"reclaimer\",\"namespace\":\"ns01\"},\"spec\":{"
      "\"minMember\":1,\"queue\":\"q01\",\"priorityClassName\":\"middle\"}}]",
      NULL);
  with_objects (&r, more, conf);
  suite_check (r.checked == 2, "%u calls", r.checked);
}

static void
overcommit_votes_as_recorded (void)
{
  check_table ("calls-overcommit", 4);
}

static void
nodegroup_fits_and_scores_as_recorded (void)
{
  check_table ("calls-nodegroup", 72);
}

static void
resource_strategy_fit_scores_as_recorded (void)
{
  check_table ("calls-resource-strategy-fit", 82);
}

static void
network_topology_aware_scores_as_recorded (void)
{
  check_table ("calls-network-topology-aware", 21);
}

/* ---- node fit and scores ---- */

/* The engine has no volumes yet. */
static gboolean
has_volumes (const Jd *object)
{
  return jd_get (jd_get (object, "spec"), "volumes") != NULL;
}

typedef struct {
  const Jd *objects;
  const char *weights; /* of batch calls; NULL: the fit calls */
} Selection;

static gboolean
is_left_out (const Jd *call, const Jd *objects)
{
  for (guint i = 0; i < objects->n; i++) {
    const Jd *meta = jd_get (objects->child[i], "metadata");
    g_autofree char *key
        = g_strdup_printf ("%s/%s", text_of (meta, "namespace"), text_of (meta, "name"));

    if (strcmp (key, text_of (call, "task")) == 0 && has_volumes (objects->child[i]))
      return TRUE;
  }
  return FALSE;
}

static gboolean
is_selected (const Jd *call, gconstpointer user)
{
  const Selection *s = user;

  return g_strcmp0 (jd_text (jd_get (call, "weights"), NULL), s->weights) == 0
         && !is_left_out (call, s->objects);
}

/* The objects without pods that have volumes. NULL when a placed pod has: then every call of the row
 * may depend on it. */
static char *
usable_objects (const Jd *objects)
{
  g_autoptr (GString) s = g_string_new ("[");

  for (guint i = 0; i < objects->n; i++) {
    if (has_volumes (objects->child[i])) {
      if (jd_get (jd_get (objects->child[i], "spec"), "nodeName") != NULL)
        return NULL;
      continue;
    }
    g_string_append_printf (s, "%s%.*s", s->len > 1 ? "," : "", (int) objects->child[i]->raw_len,
                            objects->child[i]->raw);
  }
  g_string_append_c (s, ']');
  return g_string_free (g_steal_pointer (&s), FALSE);
}

static char *
conf_of_weights (const char *weights)
{
  static const char *const scorers[]
      = { "nodeaffinity",  "podaffinity",     "leastrequested", "balancedresource",
          "mostrequested", "tainttoleration", "imagelocality",  "podtopologyspread" };
  g_autoptr (GString) s = g_string_new ("actions: \"allocate\"\ntiers:\n- plugins:\n");

  if (weights == NULL || strcmp (weights, "all") == 0) {
    g_string_append (s, "  - name: predicates\n  - name: nodeorder\n");
    return g_string_free (g_steal_pointer (&s), FALSE);
  }
  g_string_append (s, "  - name: nodeorder\n    arguments:\n");
  for (guint i = 0; i < G_N_ELEMENTS (scorers); i++)
    g_string_append_printf (s, "      %s.weight: %d\n", scorers[i],
                            strcmp (scorers[i], weights) == 0);
  return g_string_free (g_steal_pointer (&s), FALSE);
}

static void
fit_and_scores_of_nodes_are_as_recorded (void)
{
  static const char *const weights[]
      = { NULL,           "all",         "leastrequested",  "mostrequested", "balancedresource",
          "nodeaffinity", "podaffinity", "tainttoleration", "imagelocality", "podtopologyspread" };
  g_auto (Table) t = { 0 };
  guint checked = 0, total = 0;

  table_load (&t, "tables/calls-node-fit-and-scores.json");
  for (guint i = 0; i < t.rows->n; i++) {
    const Jd *objects = jd_get (t.rows->child[i], "objects"),
             *calls = jd_get (t.rows->child[i], "calls");
    g_autofree char *usable = usable_objects (objects);

    total += calls->n;
    for (guint w = 0; usable != NULL && w < G_N_ELEMENTS (weights); w++) {
      const Selection s = { objects, weights[w] };
      g_autofree char *conf = conf_of_weights (weights[w]);
      Row r = { .table = "node fit", .row = i, .calls = calls, .wanted = is_selected, .user = &s };

      with_objects (&r, usable, conf);
      checked += r.checked;
    }
  }
  g_print ("(%u calls, %u more left out: volumes) ", checked,
           total - checked);
  suite_check (checked >= 500, "%u calls", checked);
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "binpack scores as recorded", binpack_scores_as_recorded },
    { "priority spares higher jobs as recorded", priority_spares_higher_jobs_as_recorded },
    { "overcommit votes as recorded", overcommit_votes_as_recorded },
    { "nodegroup fits and scores as recorded", nodegroup_fits_and_scores_as_recorded },
    { "resource-strategy-fit scores as recorded", resource_strategy_fit_scores_as_recorded },
    { "network-topology-aware scores as recorded", network_topology_aware_scores_as_recorded },
    { "fit and scores of nodes are as recorded", fit_and_scores_of_nodes_are_as_recorded },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("tables-calls", tests);
}
