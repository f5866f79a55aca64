/* tests/test-plugins-nodes.c - the plugins that look at nodes: binpack, nodeorder, predicates; and the
 * columns of all against single nodes. */
#include "plugin-world.h"

/* ---- binpack -------------------------------------------------------------------------------- */

static void
check_binpack_one (VcSession *ssn, gpointer user)
{
  Look *l = user;
  double score = score_of (ssn, l->task[0], l->node[0]);

  suite_check (score == 640.625, "%.17g", score);
}

/* The example of binpack.c. */
static void
binpack_weighs_each_resource (void)
{
  g_auto (World) w = { 0 };
  Look l = { 0 };

  world_init (&w);
  l.node[0] = add_node (&w, "n", HAVE (8000, 32 * GI, 110, 4), NULL);
  add_queue (&w, "q", 1, NONE, NONE);
  add_group (&w, "A", "q", 1, "Running", NULL);
  add_pod (&w, "A", "a0", HAVE (4000, 8 * GI, 0, 1), "n", NULL);
  l.task[0] = add_pod (&w, "A", "a1", HAVE (2000, 4 * GI, 0, 1), NULL, NULL);
  look_at (&w, &l,
           TIERS "  - name: binpack\n    arguments:\n      binpack.weight: 10\n"
                 "      binpack.cpu: 5\n      binpack.memory: 1\n"
                 "      binpack.resources: nvidia.com/gpu\n"
                 "      binpack.resources.nvidia.com/gpu: 2\n",
           check_binpack_one);
}

static void
check_binpack_table (VcSession *ssn, gpointer user)
{
  static const double want[4][3]
      = { { 700, 137.5, 0 }, { 0, 375, 0 }, { 0, 531.25, 0 }, { 0, 2.25 / 13 * 1000, 0 } };
  Look *l = user;

  for (guint t = 0; t < 4; t++)
    for (guint n = 0; n < 3; n++) {
      double score = score_of (ssn, l->task[t], l->node[n]);

      suite_check (near (score, want[t][n]), "p%u on n%u: %.17g", t + 1, n + 1, score);
    }
}

/* weights: 10, cpu 2, memory 3, gpu 7, foo 8
 *
 *   node  has                  used         p1 1 cpu 1 Gi  p2 1.5 cpu  p3 2 cpu 10 Gi 2 gpu  p4 3 cpu 4 Gi 3 foo
 *   n1    2 cpu 4 Gi           1 cpu 1 Gi   700            0           0                     0
 *   n2    4 cpu 16 Gi 4 gpu    -            137.5          375         531.25                2.25/13*1000
 *   n3    2 cpu 4 Gi 16 foo    1.5 cpu      0              0           0                     0 */
static void
binpack_gives_nothing_where_it_does_not_fit (void)
{
  g_auto (World) w = { 0 };
  Look l = { 0 };

  world_init (&w);
  l.node[0] = add_node (&w, "n1", HAVE (2000, 4 * GI, 10), NULL);
  l.node[1] = add_node (&w, "n2", HAVE (4000, 16 * GI, 10, 4), NULL);
  l.node[2] = add_node (&w, "n3", HAVE (2000, 4 * GI, 10, 0, 16), NULL);
  add_queue (&w, "q", 1, NONE, NONE);
  add_group (&w, "A", "q", 1, "Running", NULL);
  add_pod (&w, "A", "used1", HAVE (1000, GI), "n1", NULL);
  add_pod (&w, "A", "used3", HAVE (1500), "n3", NULL);
  l.task[0] = add_pod (&w, "A", "p1", HAVE (1000, GI), NULL, NULL);
  l.task[1] = add_pod (&w, "A", "p2", HAVE (1500), NULL, NULL);
  l.task[2] = add_pod (&w, "A", "p3", HAVE (2000, 10 * GI, 0, 2), NULL, NULL);
  l.task[3] = add_pod (&w, "A", "p4", HAVE (3000, 4 * GI, 0, 0, 3), NULL, NULL);
  look_at (&w, &l,
           TIERS "  - name: binpack\n    arguments:\n      binpack.weight: 10\n"
                 "      binpack.cpu: 2\n      binpack.memory: 3\n"
                 "      binpack.resources: nvidia.com/gpu, example.com/foo\n"
                 "      binpack.resources.nvidia.com/gpu: 7\n"
                 "      binpack.resources.example.com/foo: 8\n",
           check_binpack_table);
}

/* ---- nodeorder ------------------------------------------------------------------------------ */

static void
weights_conf (GString *s, const char *only, int weight)
{
  static const char *const scorers[]
      = { "leastrequested", "mostrequested",   "balancedresource", "nodeaffinity",
          "podaffinity",    "tainttoleration", "imagelocality",    "podtopologyspread" };

  g_string_assign (s, TIERS "  - name: nodeorder\n    arguments:\n");
  for (guint i = 0; i < G_N_ELEMENTS (scorers); i++)
    g_string_append_printf (s, "      %s.weight: %d\n", scorers[i],
                            strcmp (scorers[i], only) == 0 ? weight : 0);
}

static double seen_score[8];

static void
note_scores (VcSession *ssn, gpointer user)
{
  Look *l = user;

  suite_check (vc_session_scores (ssn, l->task[0], l->node, l->w->c->nodes.n_list, seen_score),
               "there are scores");
}

/* The example of nodeorder.c: 31, 68, 78, and 409 with the default weights. */
static void
nodeorder_scores_as_the_kube_scheduler (void)
{
  static const struct {
    const char *scorer;
    double score;
  } row[] = { { "leastrequested", 31 },
              { "mostrequested", 68 },
              { "balancedresource", 78 },
              { "tainttoleration", 100 },
              { NULL, 409 } };
  g_autoptr (GString) conf = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (row); i++) {
    g_auto (World) w = { 0 };
    Look l = { 0 };

    world_init (&w);
    l.node[0] = add_node (&w, "n", HAVE (8000, 32 * GI, 110), NULL);
    add_queue (&w, "q", 1, NONE, NONE);
    add_group (&w, "A", "q", 1, "Running", NULL);
    add_pod (&w, "A", "a0", HAVE (2000, 24 * GI), "n", NULL);
    l.task[0] = add_pod (&w, "A", "a1", HAVE (2000, 4 * GI), NULL, NULL);
    if (row[i].scorer != NULL)
      weights_conf (conf, row[i].scorer, 1);
    else
      g_string_assign (conf, TIERS "  - name: nodeorder\n");
    look_at (&w, &l, conf->str, note_scores);
    suite_check (seen_score[0] == row[i].score, "row %u: %.17g", i, seen_score[0]);
  }
}

/* Two nodes: n1 2 cpu 4 Gi zone1, n2 4 cpu 8 Gi zone2 with a PreferNoSchedule taint and the image.
 *
 *   scorer            pod                                       n1     n2
 *   leastrequested    1 cpu, 1 G                                63     81
 *   mostrequested     the same                                  36     18
 *   nodeaffinity * 10 prefers zone1 with 100, cpu zones with 20 1000   200
 *   tainttoleration   tolerates nothing                         100    0
 *   imagelocality     1 image of 500 MiB on one of two nodes    0      100 * (250-23) / (1000-23) */
static void
preferences_are_normalised_over_the_candidates (void)
{
  static const char *const zone1[] = { "zone1" }, *const zones[] = { "zone1", "zone2" };
  static const VcPair label1 = { "zone", "zone1" }, label2 = { "zone", "zone2" };
  static const VcTaint taint = { "k", "v", "PreferNoSchedule" };
  static const VcImage image = { "reg:5000/app:latest", 500 << 20 };
  static const VcNodeObject more1 = { .labels = { &label1, 1 } },
                            more2 = { .labels = { &label2, 1 },
                                      .taint = &taint,
                                      .n_taints = 1,
                                      .image = &image,
                                      .n_images = 1 };
  static const VcExpression in1 = { "zone", VC_OP_IN, zone1, 1 }, in2 = { "zone", VC_OP_IN, zones, 2 };
  static const VcNodeTerm preferred[]
      = { { .label = &in1, .n_labels = 1, .weight = 80 }, { .label = &in2, .n_labels = 1, .weight = 20 } };
  static const VcContainer container = { .name = "c", .image = "reg:5000/app" };
  static const VcPodObject pod = { .spec = { .container = &container,
                                             .n_containers = 1,
                                             .preferred = preferred,
                                             .n_preferred = 2 } };
  static const struct {
    const char *scorer;
    int weight;
    double score[2];
  } row[] = { { "leastrequested", 1, { 63, 81 } },
              { "mostrequested", 1, { 36, 18 } },
              { "nodeaffinity", 10, { 1000, 200 } },
              { "tainttoleration", 1, { 100, 0 } },
              { "imagelocality", 1, { 0, 23 } } };
  g_autoptr (GString) conf = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (row); i++) {
    g_auto (World) w = { 0 };
    Look l = { 0 };

    world_init (&w);
    l.node[0] = add_node (&w, "n1", HAVE (2000, 4 * GI, 110), &more1);
    l.node[1] = add_node (&w, "n2", HAVE (4000, 8 * GI, 110), &more2);
    add_queue (&w, "q", 1, NONE, NONE);
    add_group (&w, "A", "q", 1, "Inqueue", NULL);
    l.task[0] = add_pod (&w, "A", "a0", HAVE (1000, G_BYTES), NULL, &pod);
    weights_conf (conf, row[i].scorer, row[i].weight);
    look_at (&w, &l, conf->str, note_scores);
    for (guint n = 0; n < 2; n++)
      suite_check (seen_score[n] == row[i].score[n], "%s on n%u: %.17g", row[i].scorer, n + 1,
                   seen_score[n]);
  }
}

static void
check_no_scores (VcSession *ssn, gpointer user)
{
  Look *l = user;

  suite_check (!vc_session_scores (ssn, l->task[0], l->node, 1, seen_score), "scoring fails");
}

static void
a_malformed_preference_fails_the_batch (void)
{
  static const VcExpression bad = { .key = "zone", .op = VC_OP_IN }; /* In without values */
  static const VcNodeTerm term = { .label = &bad, .n_labels = 1, .weight = 1 };
  static const VcPodObject pod = { .spec = { .preferred = &term, .n_preferred = 1 } };
  g_auto (World) w = { 0 };
  Look l = { 0 };

  world_init (&w);
  l.node[0] = add_node (&w, "n1", HAVE (2000, 4 * GI, 110), NULL);
  add_queue (&w, "q", 1, NONE, NONE);
  add_group (&w, "A", "q", 1, "Inqueue", NULL);
  l.task[0] = add_pod (&w, "A", "a0", HAVE (1000), NULL, &pod);
  look_at (&w, &l, TIERS "  - name: nodeorder\n", check_no_scores);
}

/* ---- predicates ----------------------------------------------------------------------------- */

static gboolean
fit_is (VcSession *ssn, guint32 task, guint32 node, const char *want)
{
  g_autoptr (GString) got = g_string_new (NULL);
  VcFitError e = { 0 };

  vc_session_predicate (ssn, task, node, &e);
  for (guint i = 0; i < e.n; i++)
    g_string_append_printf (got, "%s%d %s", i > 0 ? "; " : "", e.item[i].code, e.item[i].reason);
  return suite_check (strcmp (got->str, want) == 0, "'%s', wanted '%s'", got->str, want);
}

#define R_COUNT "2 node(s) pod number exceeded"
#define R_CORDON "3 node(s) were unschedulable"
#define R_LABELS "3 node(s) didn't match Pod's node affinity/selector"
#define R_TAINT "3 node(s) had untolerated taint(s)"
#define R_PORTS "2 node(s) didn't have free ports for the requested pod ports"

static void
check_reasons (VcSession *ssn, gpointer user)
{
  Look *l = user;
  double score = 0;

  fit_is (ssn, l->task[0], l->node[0],
          R_COUNT "; 1 reading \"PreFilterNodePorts\" from cycleState: not found");
  suite_check (!vc_session_scores (ssn, l->task[0], l->node, 1, &score), "not prepared: no score");
  for (guint t = 0; t < 3; t++)
    suite_check (vc_session_pre_predicate (ssn, l->task[t]) == NULL, "task %u goes on", t);
  suite_check (g_strcmp0 (vc_session_pre_predicate (ssn, l->task[3]),
                          "plugin NodeAffinity pre-predicates failed pod affinity terms conflict")
                   == 0,
               "pinned nowhere");
  suite_check (vc_session_scores (ssn, l->task[0], l->node, 1, &score) && score == 0, "prepared");
  fit_is (ssn, l->task[0], l->node[0], R_COUNT);
  fit_is (ssn, l->task[0], l->node[1], R_COUNT "; " R_TAINT);
  fit_is (ssn, l->task[0], l->node[2], R_CORDON);
  fit_is (ssn, l->task[0], l->node[3], "");
  fit_is (ssn, l->task[1], l->node[0], R_COUNT "; " R_LABELS);
  fit_is (ssn, l->task[1], l->node[3], "");
  fit_is (ssn, l->task[2], l->node[0], R_COUNT "; " R_PORTS);
  fit_is (ssn, l->task[2], l->node[3], "");
}

/*   node  max pods  mirrored            else
 *   n0    1         1 with port 80
 *   n1    0         0                   tainted
 *   n2    9         0                   cordoned
 *   n3    9         0                   zone=a
 *   task 0 has no constraints, 1 selects zone=a, 2 wants port 80, 3 is pinned to two names at once */
static void
statuses_come_in_order (void)
{
  static const char *const n0[] = { "n0" }, *const n1[] = { "n1" };
  static const VcTaint taint = { "k", "v", "NoExecute" };
  static const VcPair label = { "zone", "a" };
  static const VcHostPort any = { "0.0.0.0", "TCP", 80 }, one = { "10.0.0.1", "TCP", 80 };
  static const VcContainer opens = { .name = "c", .port = &any, .n_ports = 1 },
                           wants = { .name = "c", .port = &one, .n_ports = 1 };
  static const VcNodeObject tainted = { .taint = &taint, .n_taints = 1 },
                            cordoned = { .unschedulable = TRUE }, zoned = { .labels = { &label, 1 } };
  static const VcExpression both[] = { { "metadata.name", VC_OP_IN, n0, 1 },
                                       { "metadata.name", VC_OP_IN, n1, 1 } };
  static const VcNodeTerm nowhere = { .field = both, .n_fields = 2 };
  static const VcPodObject port80 = { .spec = { .container = &opens, .n_containers = 1 } },
                           wants80 = { .spec = { .container = &wants, .n_containers = 1 } },
                           selects = { .spec = { .node_selector = { &label, 1 } } },
                           pinned = { .spec = { .has_required = TRUE,
                                                .required = &nowhere,
                                                .n_required = 1 } };
  g_auto (World) w = { 0 };
  Look l = { 0 };

  world_init (&w);
  l.node[0] = add_node (&w, "n0", HAVE (8000, 8 * GI, 1), NULL);
  l.node[1] = add_node (&w, "n1", HAVE (8000, 8 * GI, 0), &tainted);
  l.node[2] = add_node (&w, "n2", HAVE (8000, 8 * GI, 9), &cordoned);
  l.node[3] = add_node (&w, "n3", HAVE (8000, 8 * GI, 9), &zoned);
  add_queue (&w, "q", 1, NONE, NONE);
  add_group (&w, "A", "q", 1, "Inqueue", NULL);
  add_pod (&w, "A", "run", HAVE (1000), "n0", &port80);
  l.task[0] = add_pod (&w, "A", "t0", HAVE (1000), NULL, NULL);
  l.task[1] = add_pod (&w, "A", "t1", HAVE (1000), NULL, &selects);
  l.task[2] = add_pod (&w, "A", "t2", HAVE (1000), NULL, &wants80);
  l.task[3] = add_pod (&w, "A", "t3", HAVE (1000), NULL, &pinned);
  look_at (&w, &l, TIERS "  - name: predicates\n", check_reasons);
}

static void
check_cache (VcSession *ssn, gpointer user)
{
  Look *l = user;

  for (guint t = 0; t < 3; t++)
    vc_session_pre_predicate (ssn, l->task[t]);
  fit_is (ssn, l->task[0], l->node[0], R_TAINT);
  fit_is (ssn, l->task[1], l->node[0], "1 plugin equivalence cache predicates failed");
  fit_is (ssn, l->task[2], l->node[0], R_TAINT);
}

/* Tasks 0 and 1 carry one template UID, task 2 carries none. */
static void
the_equivalence_cache_hides_the_reason (void)
{
  static const VcTaint taint = { "k", "v", "NoSchedule" };
  static const VcNodeObject tainted = { .taint = &taint, .n_taints = 1 };
  static const VcPair notes[]
      = { { "scheduling.k8s.io/group-name", "A" }, { "volcano.sh/template-uid", "u" } };
  static const VcPodObject templated = { .annotations = { notes, 2 } };
  g_auto (World) w = { 0 };
  Look l = { 0 };

  world_init (&w);
  l.node[0] = add_node (&w, "n0", HAVE (8000, 8 * GI, 9), &tainted);
  add_queue (&w, "q", 1, NONE, NONE);
  add_group (&w, "A", "q", 1, "Inqueue", NULL);
  l.task[0] = add_pod (&w, "A", "t0", HAVE (1000), NULL, &templated);
  l.task[1] = add_pod (&w, "A", "t1", HAVE (1000), NULL, &templated);
  l.task[2] = add_pod (&w, "A", "t2", HAVE (1000), NULL, NULL);
  look_at (&w, &l,
           TIERS "  - name: predicates\n    arguments:\n      predicate.CacheEnable: true\n",
           check_cache);
}

/* ---- columns against single nodes ----------------------------------------------------------- */

enum { MANY_NODES = 64, MANY_PODS = 24 };

typedef struct {
  World *w;
  guint32 task[MANY_PODS];
  guint64 random;
} Many;

static void
check_columns (VcSession *ssn, gpointer user)
{
  Many *m = user;
  const VcNodes *all = &m->w->c->nodes;
  double scores[MANY_NODES];

  for (guint t = 0; t < MANY_PODS; t++) {
    if (vc_session_pre_predicate (ssn, m->task[t]) != NULL)
      continue;
    guint32 fits = 0;
    for (guint n = 0; n < all->n_list; n++) {
      VcFitError e = { 0 };

      fits += vc_session_predicate (ssn, m->task[t], all->list[n], &e);
    }
    suite_check (vc_session_scores (ssn, m->task[t], all->list, all->n_list, scores), "scores");
    for (guint n = 0; n < all->n_list; n++) { /* no normalised score takes part: one node is like many */
      double alone = score_of (ssn, m->task[t], all->list[n]);

      suite_check (alone == scores[n], "task %u, node %u: %.17g and %.17g", t, n, alone, scores[n]);
    }
    suite_check (fits > 0, "task %u fits somewhere", t);
  }
}

/* A cycle with columns and one with the plain form of everything must bind alike. */
static void
many_world (World *w, Many *m, guint64 seed)
{
  static const VcTaint taint = { "k", "v", "NoSchedule" };
  static const VcToleration exists = { .op = VC_TOLERATE_EXISTS };
  static const VcHostPort port = { "0.0.0.0", "TCP", 80 };
  static const VcPair zone[] = { { "zone", "a" }, { "zone", "b" } };
  guint64 random = seed;

  world_init (w);
  add_queue (w, "q", 1, NONE, NONE);
  for (guint i = 0; i < MANY_NODES; i++) {
    g_autofree char *name = g_strdup_printf ("n%02u", i);
    guint64 r = suite_random (&random);
    VcNodeObject more = { .labels = { &zone[r & 1], 1 },
                          .taint = &taint,
                          .n_taints = (r >> 1) % 4 == 0,
                          .unschedulable = (r >> 8) % 8 == 0 };

    add_node (w, name,
              HAVE ((gint64) (1 + (r >> 16) % 8) * 1000, (gint64) (1 + (r >> 24) % 16) * GI,
                      (gint64) (1 + (r >> 32) % 3), (r >> 40) % 2 ? 4 : 0),
              &more);
  }
  for (guint i = 0; i < MANY_PODS; i++) {
    g_autofree char *name = g_strdup_printf ("p%02u", i);
    guint64 r = suite_random (&random);
    const VcContainer container = { .name = "c", .port = &port, .n_ports = r % 3 == 0 };
    const VcPodObject more = { .spec = { .container = &container,
                                         .n_containers = 1,
                                         .node_selector = { &zone[0], (r >> 8) % 3 == 0 },
                                         .toleration = &exists,
                                         .n_tolerations = (r >> 16) % 2 } };

    add_group (w, name, "q", 1, "Inqueue", NULL);
    m->task[i] = add_pod (w, name, name,
                          HAVE ((gint64) ((r >> 24) % 5) * 500, (gint64) ((r >> 32) % 4) * GI, 0,
                                  (r >> 40) % 4 == 0),
                          NULL, &more);
  }
  m->w = w;
}

#define MANY_CONF \
  TIERS "  - name: priority\n  - name: gang\n- plugins:\n  - name: drf\n  - name: predicates\n" \
        "  - name: proportion\n  - name: nodeorder\n  - name: binpack\n"

static void
columns_agree_with_single_nodes (void)
{
  for (guint64 seed = 1; seed <= 20; seed++) {
    g_auto (World) w = { 0 };
    Many m = { 0 };

    many_world (&w, &m, seed);
    if (world_start (&w, MANY_CONF))
      vc_engine_with_session (w.engine, 0, check_columns, &m);
  }
}

static void
cycles_bind_alike_with_and_without_columns (void)
{
  for (guint64 seed = 1; seed <= 40; seed++) {
    guint32 node[2][MANY_PODS];

    for (guint plain = 0; plain < 2; plain++) {
      g_auto (World) w = { 0 };
      Many m = { 0 };
      VcCycleResult result;
      VcEngineOptions options;

      many_world (&w, &m, seed);
      vc_engine_options_init (&options);
      options.plain = plain != 0;
      w.engine = vc_engine_new (w.cache,
                                vc_conf_parse (MANY_CONF, strlen (MANY_CONF), "conf", vc_catalog (),
                                               FALSE, NULL, NULL),
                                FALSE, &options, NULL);
      if (!suite_check (w.engine != NULL, "an engine"))
        return;
      vc_engine_cycle (w.engine, 0, &result);
      suite_check (result.binds > 0, "something is bound");
      for (guint i = 0; i < MANY_PODS; i++)
        node[plain][i] = w.c->task[m.task[i]].node;
    }
    suite_check (memcmp (node[0], node[1], sizeof node[0]) == 0, "seed %u", (guint) seed);
  }
}

static CU_TestInfo tests[] = {
  { "binpack weighs each resource", binpack_weighs_each_resource },
  { "binpack gives nothing where it does not fit", binpack_gives_nothing_where_it_does_not_fit },
  { "nodeorder scores as the kube-scheduler", nodeorder_scores_as_the_kube_scheduler },
  { "preferences are normalised over the candidates", preferences_are_normalised_over_the_candidates },
  { "a malformed preference fails the batch", a_malformed_preference_fails_the_batch },
  { "statuses come in order", statuses_come_in_order },
  { "the equivalence cache hides the reason", the_equivalence_cache_hides_the_reason },
  { "columns agree with single nodes", columns_agree_with_single_nodes },
  { "cycles bind alike with and without columns", cycles_bind_alike_with_and_without_columns },
  CU_TEST_INFO_NULL,
};

int
main (void)
{
  return suite_run ("plugins-nodes", tests);
}
