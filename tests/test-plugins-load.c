/* tests/test-plugins-load.c - the plugins that look at measured load, usage and rescheduling, and what they read: the file of
 * measurements, durations, limits. */
#include "core/base/go-duration.h"
#include "json-doc.h"
#include "plugin-world.h"
#include "sim/cycle/cycle.h"

#define MIB (G_GINT64_CONSTANT (1) << 20)
#define NOW (G_GINT64_CONSTANT (1800000000) * G_USEC_PER_SEC)
#define NEVER G_MININT64

static void
set_usage (VcCache *cache, const char *node, double cpu, double memory, gint64 age_s)
{
  const VcUsageAverage average = { "10m", cpu, memory };
  VcNodeUsageObject o = { node, &average, 1, VC_NO_TIME * G_USEC_PER_SEC };

  if (age_s != NEVER)
    o.time_us = NOW - age_s * G_USEC_PER_SEC;
  suite_check (vc_cache_set_node_usage (cache, &o), "%s is there", node);
}

static guint32
add_full_node (World *w, const char *name, Have has, const VcNodeObject *more)
{
  VcAmount room[5];
  VcNodeObject o = more != NULL ? *more : (VcNodeObject){ 0 };

  o.capacity = amounts (&has, room);
  return add_node (w, name, has, &o);
}

/* ---- usage ---------------------------------------------------------------------------------- */

typedef struct {
  VcCache *cache;
  const Jd *calls;
  guint row, checked;
} Recorded;

static void
check_recorded (VcSession *ssn, gpointer user)
{
  Recorded *r = user;
  VcCluster *c = vc_session_cluster (ssn);

  for (guint i = 0; i < r->calls->n; i++) {
    const Jd *call = r->calls->child[i], *usage = jd_get (call, "usage"), *status = jd_get (call, "status");
    const Jd *age = jd_get (usage, "age_s");
    const char *node = jd_text (jd_get (call, "node"), "");
    guint32 row = vc_cluster_node (c, node);
    VcFitError e = { 0 };
    double score = 0;

    if (usage == NULL) /* the batch of scores: usage adds nothing to it */
      continue;
    set_usage (r->cache, node, jd_number (jd_get (jd_get (usage, "cpu"), "10m"), 0), jd_number (jd_get (jd_get (usage, "mem"), "10m"), 0),
               jd_is_null (age) ? NEVER : (gint64) jd_number (age, 0));
    if (strcmp (jd_text (jd_get (call, "fn"), ""), "predicate") == 0) {
      gboolean fits = vc_session_predicate (ssn, 0, row, &e);
      suite_check (fits == jd_is_null (status), "row %u call %u: fits", r->row, i);
      if (!fits && !jd_is_null (status))
        suite_check (e.n == 1 && (double) e.item[0].code == status->child[0]->child[0]->number
                         && strcmp (e.item[0].reason, status->child[0]->child[1]->string) == 0,
                     "row %u call %u: '%s'", r->row, i, e.item[0].reason);
    } else {
      suite_check (vc_session_scores (ssn, 0, &row, 1, &score) && near (score, jd_number (jd_get (call, "score"), -1)), "row %u call %u: %.17g",
                   r->row, i, score);
    }
    r->checked++;
  }
}

static void
usage_answers_as_recorded (void)
{
  gsize size;
  g_autofree char *text = suite_read ("tables/calls-usage.json", &size);
  g_autoptr (VcArena) arena = vc_arena_new ();
  const Jd *rows = jd_get (jd_parse (arena, text, size, NULL), "rows");
  guint checked = 0;

  for (guint i = 0; rows != NULL && i < rows->n; i++) {
    g_autofree char *list = jd_dup_raw (jd_get (rows->child[i], "objects"));
    g_autofree char *objects = g_strdup_printf ("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":%s}", list);
    g_autofree char *conf = g_strconcat ("actions: allocate\n", jd_text (jd_get (rows->child[i], "conf"), ""), NULL);
    g_autoptr (GError) error = NULL;
    g_autoptr (WlObjects) o = wl_objects_parse (objects, strlen (objects), "table", &error);
    VcCacheOptions options;
    g_auto (World) w = { .log = g_string_new (NULL) };

    vc_cache_options_init (&options);
    w.cache = o != NULL ? sim_cycle_load (o, &options, NULL, &error) : NULL;
    if (!suite_check (w.cache != NULL, "row %u: %s", i, error != NULL ? error->message : "") || !world_start (&w, conf))
      continue;
    Recorded r = { w.cache, jd_get (rows->child[i], "calls"), i, 0 };
    vc_engine_with_session (w.engine, NOW, check_recorded, &r);
    checked += r.checked;
  }
  suite_check (checked == 20, "%u calls", checked);
}

typedef struct {
  guint32 task, node;
  double score;
} Scored;

static void
keep_score (VcSession *ssn, gpointer user)
{
  Scored *s = user;
  s->score = score_of (ssn, s->task, s->node);
}

/* The score of one more pod on a node of 4 cpu, 8 Gi at 50 %, where two pods of 1 cpu, 1 Gi run since @ages seconds (NEVER: unknown). */
static double
score_beside (const char *arguments, const gint64 *ages, const VcPodObject *like)
{
  g_auto (World) w = { 0 };
  g_autofree char *conf = g_strconcat (TIERS "  - name: usage\n", arguments, NULL);
  Scored s = { 0 };

  world_init (&w);
  s.node = add_full_node (&w, "n", HAVE (4000, 8 * GI, 110), NULL);
  set_usage (w.cache, "n", 50, 50, 10);
  add_queue (&w, "q", 1, NONE, NONE);
  add_group (&w, "A", "q", 1, "Running", NULL);
  for (guint i = 0; i < 2; i++) {
    guint32 t = add_pod (&w, "A", i == 0 ? "a0" : "a1", like != NULL ? NONE : HAVE (1000, GI), "n", like);
    if (ages[i] != NEVER)
      w.c->task[t].start_time = NOW / G_USEC_PER_SEC - ages[i];
  }
  s.task = add_pod (&w, "A", "a2", HAVE (1000, GI), NULL, NULL);
  if (world_start (&w, conf))
    vc_engine_with_session (w.engine, NOW, keep_score, &s);
  return s.score;
}

/* Young pods of the example of usage.c: 700m and 0.7Gi, then 840m and 0.84Gi. */
static void
usage_adds_what_is_not_measured_yet (void)
{
  const struct {
    gint64 ages[2];
    double cpu, memory; /* estimates, in m and Gi */
  } cases[] = {
    { { NEVER, NEVER }, 1540, 1.54 }, { { 10, 29 }, 1540, 1.54 }, { { 10, 30 }, 700, 0.7 }, { { 30, 5000 }, 0, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    double want = ((1 - (2000 + cases[i].cpu) / 4000) + (1 - (4 + cases[i].memory) / 8)) / 2 * 100 * 5;
    double score = score_beside ("", cases[i].ages, NULL);
    suite_check (near (score, want), "case %u: %.17g, wanted %.17g", i, score, want);
  }
}

static void
usage_reads_the_interval_of_the_metrics (void)
{
  const gint64 ages[] = { 100, 5000 };
  double short_one = score_beside ("", ages, NULL), long_one = score_beside ("metrics:\n  interval: 5m\n", ages, NULL);
  double bad = score_beside ("metrics:\n  interval: soon\n", ages, NULL);

  suite_check (near (short_one, 250), "%.17g", short_one);
  suite_check (near (long_one, ((1 - 2700 / 4000.0) + (1 - 4.7 / 8)) / 2 * 500), "%.17g", long_one);
  suite_check (bad == short_one, "%.17g", bad);
}

static void
usage_estimates_by_limits_and_best_effort (void)
{
  const gint64 ages[] = { 1, 5000 };
  VcAmount limit[] = { { "cpu", { 2, 2000 } } };
  VcContainer container = { .name = "c", .limit = { limit, 1, TRUE } };
  VcPodObject like = { .spec = { .container = &container, .n_containers = 1 } };
  const char *arguments = "    arguments:\n      usage.weight: 1\n      memory.weight: 0\n      estimator:\n"
                          "        burst_ratio: 0.5\n        be_cpu: 400m\n";
  double best_effort = score_beside (arguments, ages, NULL), want = (1 - (2000 + 700) / 4000.0) * 100;

  suite_check (near (best_effort, want), "no limit: %.17g", best_effort); /* the request is the limit */
  /* no request: best-effort, whatever the limit */
  double none = score_beside (arguments, ages, &like);
  suite_check (near (none, (1 - 2400 / 4000.0) * 100), "best effort: %.17g", none);
}

/* ---- rescheduling --------------------------------------------------------------------------- */

#define SHUFFLE "actions: \"shuffle\"\ntiers:\n- plugins:\n  - name: rescheduling\n    arguments:\n"
#define STRATEGY                                                                                                                                     \
  "      metricsPeriod: 10m\n      strategies:\n      - name: lowNodeUtilization\n        params:\n          thresholds: {cpu: 20, memory: 20}\n"      \
  "          targetThresholds: {cpu: 50, memory: 50}\n"

static void
load_two_nodes (World *w)
{
  world_init (w);
  add_full_node (w, "a", HAVE (10000, 10 * G_BYTES, 110), NULL);
  add_full_node (w, "b", HAVE (10000, 10 * G_BYTES, 110), NULL);
  set_usage (w->cache, "a", 80, 10, 0);
  set_usage (w->cache, "b", 10, 10, 0);
  add_queue (w, "q", 1, NONE, NONE);
  add_group (w, "A", "q", 1, "Running", NULL);
  for (guint i = 0; i < 4; i++) {
    g_autofree char *name = g_strdup_printf ("p%u", i);
    VcPodObject more = { .spec = { .has_priority = i < 3, .priority = 9 - (gint32) i } };
    add_pod (w, "A", name, HAVE (2000, G_BYTES / 10), "a", &more);
  }
}

static char *
evicted (World *w)
{
  GArray *evicts = vc_cache_evicts (w->cache);
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < evicts->len; i++)
    g_string_append_printf (names, "%s ", w->c->task[g_array_index (evicts, VcEvict, i).task].name);
  g_array_set_size (evicts, 0);
  return g_string_free (names, FALSE);
}

static void
shuffle_is (const char *conf, gint64 later_us, const char *want)
{
  g_auto (World) w = { 0 };
  VcCycleResult result;

  load_two_nodes (&w);
  if (!world_start (&w, conf))
    return;
  vc_engine_cycle (w.engine, NOW, &result);
  if (later_us > 0) {
    g_autofree char *first = evicted (&w);
    suite_check (*first == '\0', "first cycle: %s", first);
    vc_engine_cycle (w.engine, NOW + later_us, &result);
  }
  g_autofree char *names = evicted (&w);
  suite_check (strcmp (names, want) == 0, "evicted '%s', wanted '%s'", names, want);
}

/* p1 runs on a node that no Node object describes: the scheduler made an entry for it when it learned of the pod, so the pod can be
 * evicted. The entry of b went with its Node object, and p2, still Running in its job, cannot. */
static void
shuffle_evicts_where_the_scheduler_has_an_entry (void)
{
  static const char *const on[] = { "a", "lost", "b" };
  static const VcPair label = { "app", "x" };
  g_auto (World) w = { 0 };
  VcCycleResult result;

  world_init (&w);
  add_full_node (&w, "a", HAVE (10000, 10 * G_BYTES, 110), NULL);
  add_full_node (&w, "b", HAVE (10000, 10 * G_BYTES, 110), NULL);
  add_queue (&w, "q", 1, NONE, NONE);
  add_group (&w, "A", "q", 1, "Running", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (on); i++) {
    g_autofree char *name = g_strdup_printf ("p%u", i);
    VcPodObject more = { .labels = { &label, 1 } };
    add_pod (&w, "A", name, HAVE (2000, G_BYTES / 10), on[i], &more);
  }
  vc_cache_remove_node (w.cache, "b");
  if (!world_start (&w, "actions: shuffle\ntiers:\n- plugins:\n  - name: pdb\n"))
    return;
  vc_engine_cycle (w.engine, NOW, &result);
  g_autofree char *names = evicted (&w);
  suite_check (strcmp (names, "p0 p1 ") == 0, "evicted '%s'", names);
}

/* The example of rescheduling.c: two pods, the one without a priority and the one of the lowest; reported by UID. */
static void
rescheduling_moves_the_least_pods_first (void)
{
  shuffle_is (SHUFFLE "      interval: -1s\n" STRATEGY, 0, "p2 p3 ");
}

static void
rescheduling_waits_for_its_interval (void)
{
  shuffle_is (SHUFFLE "      interval: 1m\n" STRATEGY, 60 * G_USEC_PER_SEC, "");
  shuffle_is (SHUFFLE "      interval: 1m\n" STRATEGY, 60 * G_USEC_PER_SEC + 1, "p2 p3 ");
  shuffle_is (SHUFFLE "      interval: soon\n" STRATEGY, 300 * G_USEC_PER_SEC, "");
  shuffle_is (SHUFFLE "      interval: soon\n" STRATEGY, 301 * G_USEC_PER_SEC, "p2 p3 ");
}

static void
rescheduling_needs_its_strategy_and_period (void)
{
  shuffle_is (SHUFFLE "      interval: -1s\n      metricsPeriod: 10m\n", 0, ""); /* defaults: every node is low */
  shuffle_is (SHUFFLE "      interval: -1s\n      strategies:\n      - name: other\n", 0, "");
  shuffle_is (SHUFFLE "      interval: -1s\n      strategies:\n      - name: lowNodeUtilization\n        params:\n"
                      "          thresholds: {cpu: 20}\n          targetThresholds: {cpu: 50}\n",
              0, ""); /* the default period has no figures */
}

static void
rescheduling_refuses_what_ends_volcano (void)
{
  static const char *const bad[] = {
    "actions: shuffle\ntiers:\n- plugins:\n  - name: rescheduling\n    arguments:\n      interval: 5\n",
    "actions: shuffle\ntiers:\n- plugins:\n  - name: rescheduling\n    arguments:\n      metricsPeriod: 5\n",
    SHUFFLE "      strategies:\n      - name: lowNodeUtilization\n        params:\n          thresholds: {cpu: 20.5}\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_auto (World) w = { 0 };
    g_autoptr (GError) error = NULL;
    VcEngineOptions options;
    VcConf *conf = vc_conf_parse (bad[i], strlen (bad[i]), "conf", vc_catalog (), TRUE, NULL, &error);

    world_init (&w);
    vc_engine_options_init (&options);
    if (suite_check (conf != NULL, "%s", error != NULL ? error->message : ""))
      w.engine = vc_engine_new (w.cache, conf, TRUE, &options, &error);
    suite_check (w.engine == NULL && error != NULL && strstr (error->message, "plugin 'rescheduling'") != NULL, "case %u is refused by name", i);
  }
}

/* ---- what they read ------------------------------------------------------------------------- */

static void
measurements_are_read (void)
{
  const char *text = "{\"n1\": {\"cpu\": {\"10m\": 75, \"5m\": 0}, \"mem\": {\"10m\": 15.5}, \"time\": \"2026-01-01T00:00:10Z\"},\n \"n2\": {}}";
  g_autoptr (GError) error = NULL;
  g_autoptr (WlNodeUsage) u = wl_node_usage_parse (text, strlen (text), "load.json", &error);

  if (!suite_check (u != NULL && u->n == 2, "%s", error != NULL ? error->message : "two nodes"))
    return;
  const VcNodeUsageObject *o = &u->object[0];
  suite_check (strcmp (o->node, "n1") == 0 && o->n_averages == 2 && o->time_us == G_GINT64_CONSTANT (1767225610) * G_USEC_PER_SEC, "node n1");
  suite_check (strcmp (o->average[0].period, "10m") == 0 && o->average[0].cpu == 75 && o->average[0].memory == 15.5, "10m");
  suite_check (u->object[1].n_averages == 0 && u->object[1].time_us == VC_NO_TIME * G_USEC_PER_SEC, "node n2");
}

static void
bad_measurements_are_refused_with_their_place (void)
{
  static const struct {
    const char *text, *message;
  } cases[] = {
    { "[]", "load.json:1:1: expected a mapping" },
    { "{\"n\": {\"cpu\": {\"10m\": -1}}}", "load.json:1:23: n.cpu.10m: expected a number of percent, 0 or more" },
    { "{\"n\": {\"cpu\": {\"10m\": \"7\"}}}", "load.json:1:23: n.cpu.10m: expected a number of percent, 0 or more" },
    { "{\"n\": {\"time\": 5}}", "load.json:1:16: n.time: expected a time" },
    { "{\"n\": {\"gpu\": {}}}", "load.json:1:8: n.gpu: unknown key, expected cpu, mem or time" },
    { "{\"n\": {}, \"n\": {}}", "load.json:1:11: n: the key is given twice" },
    { "{\"n\": ", "load.json:1:1: bad YAML or JSON" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (WlNodeUsage) u = wl_node_usage_parse (cases[i].text, strlen (cases[i].text), "load.json", &error);
    suite_check (u == NULL && error != NULL && g_str_has_prefix (error->message, cases[i].message), "%s: %s", cases[i].text,
                 error != NULL ? error->message : "accepted");
  }
}

static void
measurements_follow_the_node (void)
{
  g_auto (World) w = { 0 };
  const VcNodeUsageObject nobody = { .node = "nobody" };

  world_init (&w);
  guint32 n = add_full_node (&w, "n", HAVE (1000, GI, 110), NULL);
  suite_check (!vc_cache_set_node_usage (w.cache, &nobody), "no such node");
  set_usage (w.cache, "n", 1, 2, 0);
  set_usage (w.cache, "n", 3, 4, 0);
  add_full_node (&w, "n", HAVE (2000, GI, 110), NULL);
  suite_check (w.c->nodes.info[n].usage != NULL && w.c->nodes.info[n].usage->average[0].cpu == 3, "an update keeps it");
  suite_check (w.c->nodes.info[n].capacity->v[VC_RES_CPU] == 2000, "capacity is updated");
  vc_cache_remove_node (w.cache, "n");
  suite_check (w.c->nodes.info[n].usage == NULL, "a removal does not");
}

static void
durations_are_gos (void)
{
  static const struct {
    const char *text;
    gboolean good;
    gint64 ns;
  } cases[] = {
    { "0", TRUE, 0 },
    { "5m", TRUE, G_GINT64_CONSTANT (300000000000) },
    { "1h30m", TRUE, G_GINT64_CONSTANT (5400000000000) },
    { "-1.5s", TRUE, -1500000000 },
    { "+.5ms", TRUE, 500000 },
    { "1.s", TRUE, 1000000000 },
    { "3us", TRUE, 3000 },
    { "3\xc2\xb5s", TRUE, 3000 },
    { "3\xce\xbcs", TRUE, 3000 },
    { "7ns", TRUE, 7 },
    { "0.3333333333333333333h", TRUE, G_GINT64_CONSTANT (1200000000000) },
    { "2562047h47m16.854775807s", TRUE, G_MAXINT64 },
    { "-2562047h47m16.854775808s", TRUE, G_MININT64 },
    { "2562047h47m16.854775808s", FALSE, 0 },
    { "", FALSE, 0 },
    { "-", FALSE, 0 },
    { "5", FALSE, 0 },
    { "m", FALSE, 0 },
    { ".s", FALSE, 0 },
    { "1d", FALSE, 0 },
    { "1 h", FALSE, 0 },
    { "99999999999999999999h", FALSE, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gint64 ns = 42;
    gboolean good = vc_go_duration_parse (cases[i].text, &ns);
    suite_check (good == cases[i].good && ns == (good ? cases[i].ns : 42), "'%s': %" G_GINT64_FORMAT, cases[i].text, ns);
  }
}

#define POD(spec, status) "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"},\"spec\":{" spec "},\"status\":{" status "}}"
#define REQ(requests, limits) "{\"resources\":{\"requests\":{" requests "},\"limits\":{" limits "}}}"

static void
limits_and_classes_of_pods (void)
{
  static const struct {
    const char *text;
    double cpu, memory;
    VcQos qos;
  } cases[] = {
    { POD ("\"containers\":[{}]", ""), 0, 0, VC_QOS_BEST_EFFORT },
    { POD ("\"containers\":[" REQ ("\"cpu\":\"1\"", "") "]", ""), 0, 0, VC_QOS_BURSTABLE },
    { POD ("\"containers\":[" REQ ("\"cpu\":\"1\",\"memory\":\"1Gi\"", "\"cpu\":\"1\",\"memory\":\"1Gi\"") "]", ""), 1000, GI, VC_QOS_GUARANTEED },
    { POD ("\"containers\":[" REQ ("\"cpu\":\"1\",\"memory\":\"1Gi\"", "\"cpu\":\"2\",\"memory\":\"1Gi\"") "]", ""), 2000, GI, VC_QOS_BURSTABLE },
    { POD ("\"containers\":[" REQ ("\"cpu\":\"1\",\"memory\":\"1Gi\"", "\"cpu\":\"1\",\"memory\":\"1Gi\"") ",{}]", ""), 1000, GI, VC_QOS_BURSTABLE },
    { POD ("\"containers\":[{}]", "\"qosClass\":\"Guaranteed\""), 0, 0, VC_QOS_GUARANTEED },
    /* the greatest init container beside the sidecar before it; overhead only where there is a limit */
    { POD ("\"initContainers\":[{\"restartPolicy\":\"Always\",\"resources\":{\"limits\":{\"cpu\":\"500m\"}}},{\"resources\":{\"limits\":{\"cpu\":\"3\"}}}],"
           "\"containers\":[{\"resources\":{\"limits\":{\"cpu\":\"1\"}}}],\"overhead\":{\"cpu\":\"100m\",\"memory\":\"1Gi\"}",
           ""),
      3600, 0, VC_QOS_BURSTABLE },
    { POD ("\"resources\":{\"requests\":{\"cpu\":\"1\",\"memory\":\"1Gi\"},\"limits\":{\"cpu\":\"1\",\"memory\":\"1Gi\"}},\"containers\":[{}]", ""), 1000, GI,
      VC_QOS_GUARANTEED },
  };
  g_auto (World) w = { 0 };

  world_init (&w);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (WlObjects) o = wl_objects_parse (cases[i].text, strlen (cases[i].text), "pod", &error);
    if (!suite_check (o != NULL, "case %u: %s", i, error != NULL ? error->message : ""))
      continue;
    const VcShape *s = vc_shape_intern (w.c->shapes, &((const WlObject *) o->objects->pdata[0])->pod.spec);
    suite_check (s->limit[0] == cases[i].cpu && s->limit[1] == cases[i].memory, "case %u: limits %g, %g", i, s->limit[0], s->limit[1]);
    suite_check (s->qos == cases[i].qos, "case %u: class %d", i, s->qos);
  }
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "usage answers as recorded", usage_answers_as_recorded },
    { "usage adds what is not measured yet", usage_adds_what_is_not_measured_yet },
    { "usage reads the interval of the metrics", usage_reads_the_interval_of_the_metrics },
    { "usage estimates by limits, and best-effort pods by a constant", usage_estimates_by_limits_and_best_effort },
    { "shuffle evicts where the scheduler has an entry", shuffle_evicts_where_the_scheduler_has_an_entry },
  { "rescheduling moves the least pods first", rescheduling_moves_the_least_pods_first },
    { "rescheduling waits for its interval", rescheduling_waits_for_its_interval },
    { "rescheduling needs its strategy and figures of its period", rescheduling_needs_its_strategy_and_period },
    { "rescheduling refuses what ends Volcano's process", rescheduling_refuses_what_ends_volcano },
    { "measurements are read", measurements_are_read },
    { "bad measurements are refused with their place", bad_measurements_are_refused_with_their_place },
    { "measurements follow the node", measurements_follow_the_node },
    { "durations are Go's", durations_are_gos },
    { "limits and classes of pods", limits_and_classes_of_pods },
    CU_TEST_INFO_NULL,
  };
  return suite_run ("plugins-load", tests);
}
