/* Results: hand-worked figures, exact files, one schema, and a directory that is complete or not
 * there. */
#include "reports/csv-writer.h"
#include "reports/results/results.h"
#include "reports/results/schema.h"
#include "reports/results/summary.h"
#include "tests/results-example.h"
#include "tests/suite.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- numbers and CSV ------------------------------------------------------------------------ */

static void
numbers_are_the_shortest_that_read_back (void)
{
  static const struct {
    double v;
    const char *text;
  } cases[] = {
    { 0, "0" },
    { -0.0, "0" },
    { 3.152, "3.152" },
    { 0.1, "0.1" },
    { -12.5, "-12.5" },
    { 1.0 / 3, "0.3333333333333333" },
    { 1e-7, "1e-07" },
    { 0.1 + 0.2, "0.30000000000000004" },
    { 257698037760.0, "257698037760" },
    { 1e15, "1e+15" },
    { 999999999999999.0, "999999999999999" },
    { 9007199254740993.0, "9007199254740992" },
    { -1e300, "-1e+300" },
    { 100, "100" },
  };
  guint64 state = 3;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    char buf[RP_DOUBLE_SIZE];
    const guint n = rp_format_double (buf, cases[i].v);

    suite_check (n == strlen (cases[i].text) && memcmp (buf, cases[i].text, n) == 0,
                 "%s printed as %.*s", cases[i].text, (int) n, buf);
  }
  for (guint i = 0; i < 200000; i++) {
    char buf[RP_DOUBLE_SIZE + 1];
    const guint64 bits = suite_random (&state);
    double v;
    guint n;

    switch (i % 3) {
    case 0:
      memcpy (&v, &bits, sizeof v);
      break;
    case 1:
      v = (double) (bits % 1000000000) / 1000;
      break;
    default:
      v = (double) bits / 18446744073709551616.0;
      break;
    }
    if (!isfinite (v))
      continue;
    n = rp_format_double (buf, v);
    buf[n] = '\0';
    if (g_ascii_strtod (buf, NULL) != v)
      suite_check (FALSE, "%.17g printed as %s", v, buf);
  }
}

static void
times_have_at_most_six_decimals (void)
{
  static const struct {
    gint64 us;
    const char *text;
  } cases[] = {
    { 0, "0" },
    { 1, "0.000001" },
    { 12500000, "12.5" },
    { 10, "0.00001" },
    { -1500000, "-1.5" },
    { G_GINT64_CONSTANT (5184000000001), "5184000.000001" },
    { G_MAXINT64, "9223372036854.775807" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    char buf[RP_DOUBLE_SIZE];
    const guint n = rp_format_time (buf, cases[i].us);

    suite_check (n == strlen (cases[i].text) && memcmp (buf, cases[i].text, n) == 0,
                 "%s printed as %.*s", cases[i].text, (int) n, buf);
  }
}

static void
csv_quotes_only_when_it_must (void)
{
  g_autofree char *place = make_place (), *path = g_build_filename (place, "x.csv", NULL),
                  *text = NULL;
  g_autofree char *big = g_strnfill (600000, '"');
  RpCsv *w = rp_csv_open (path, 6, NULL);

  rp_csv_text (w, "plain text; 'x'");
  rp_csv_text (w, "a,b");
  rp_csv_text (w, "say \"hi\"");
  rp_csv_text (w, "two\nlines");
  rp_csv_text (w, NULL);
  rp_csv_double (w, (double) NAN);
  rp_csv_end_row (w);
  for (guint i = 0; i < 6; i++)
    rp_csv_int (w, i == 0 ? G_MININT64 : (gint64) i * 1001);
  rp_csv_end_row (w);
  rp_csv_text (w, big); /* far larger than the buffer */
  for (guint i = 1; i < 6; i++)
    rp_csv_time (w, RP_NONE);
  rp_csv_end_row (w);
  CU_ASSERT_TRUE (rp_csv_close (w, NULL));
  rp_csv_free (w);
  text = read_in (place, "x.csv");
  CU_ASSERT_TRUE (g_str_has_prefix (text,
                                    "plain text; 'x',\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",,\n"
                                    "-9223372036854775808,1001,2002,3003,4004,5005\n\"\"\"\""));
  CU_ASSERT_EQUAL (strlen (text),
                   strlen ("plain text; 'x',\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",,\n"
                           "-9223372036854775808,1001,2002,3003,4004,5005\n")
                       + 1200002 + 6);
  remove_all (place);
}

/* ---- figures -------------------------------------------------------------------------------- */

static void
percentiles_are_nearest_rank (void)
{
  g_autoptr (GArray) v = g_array_new (FALSE, FALSE, sizeof (double));
  RpQuantiles q = rp_quantiles (v);

  CU_ASSERT_EQUAL (q.n, 0);
  for (guint i = 10; i >= 1; i--) { /* 1 … 10 */
    const double x = i;

    g_array_append_val (v, x);
  }
  q = rp_quantiles (v);
  CU_ASSERT_EQUAL (q.n, 10);
  CU_ASSERT_EQUAL (q.mean, 5.5);
  CU_ASSERT_EQUAL (q.p50, 5); /* ⌈0.50 · 10⌉ = 5 */
  CU_ASSERT_EQUAL (q.p90, 9);
  CU_ASSERT_EQUAL (q.p95, 10); /* ⌈9.5⌉ */
  CU_ASSERT_EQUAL (q.p99, 10);
  CU_ASSERT_EQUAL (q.max, 10);
  for (guint i = 200; i >= 11; i--) { /* 1 … 200 */
    const double x = i;

    g_array_append_val (v, x);
  }
  q = rp_quantiles (v);
  CU_ASSERT_EQUAL (q.p50, 100);
  CU_ASSERT_EQUAL (q.p90, 180);
  CU_ASSERT_EQUAL (q.p95, 190);
  CU_ASSERT_EQUAL (q.p99, 198);
  g_array_set_size (v, 1);
  q = rp_quantiles (v);
  CU_ASSERT_EQUAL (q.p50, 1);
  CU_ASSERT_EQUAL (q.p99, 1);
}

static SuiteNode *
at (SuiteNode *node, const char *path)
{
  g_auto (GStrv) keys = g_strsplit (path, "|", -1);

  for (guint i = 0; keys[i] != NULL; i++)
    node = suite_need (node, keys[i]);
  return node;
}

static void
check_numbers (SuiteNode *root, const char *const *paths, const double *values, guint n)
{
  for (guint i = 0; i < n; i++) {
    const double v = suite_number (at (root, paths[i]));

    suite_check (fabs (v - values[i]) <= 1e-12 * fabs (values[i]), "%s: %.17g, expected %.17g",
                 paths[i], v, values[i]);
  }
}

static void
figures_agree_with_the_hand_worked_example (void)
{
  static const char *const paths[] = {
    "utilisation|cpu",
    "utilisation|memory",
    "goodput|cpu",
    "goodput|memory",
    "end_s",
    "makespan_s",
    "fairness|jain",
    "fairness|queues",
    "queues|a|fairness_x",
    "queues|b|fairness_x",
    "queues|a|allocated_share_mean",
    "overall|wait_s|n",
    "overall|wait_s|mean",
    "overall|wait_s|p50",
    "overall|wait_s|p90",
    "overall|wait_s|max",
    "queues|a|wait_s|n",
    "queues|a|wait_s|p50",
    "queues|a|wait_s|p95",
    "queues|b|wait_s|max",
    "queues|a|response_s|mean",
    "queues|a|bounded_slowdown|p50",
    "queues|a|bounded_slowdown|max",
    "queues|b|bounded_slowdown|max",
    "overall|bounded_slowdown|n",
    "jobs|number",
    "jobs|started",
    "jobs|finished",
    "jobs|evictions",
    "jobs|phases|Completed",
    "jobs|phases|Pending",
    "tasks|number",
    "tasks|outcomes|Succeeded",
    "stuck|jobs",
    "evictions",
    "peak_pending|pods",
    "peak_pending|time_s",
    "cycles|rows",
    "cycles|binds",
    "rows|queues.csv",
    "rows|reasons.csv",
    "rows|phases.csv",
    "queues|b|jobs",
    "queues|b|started",
    "period_s",
    "overall|topology|jobs",
    "overall|topology|crossing_jobs",
    "overall|topology|tiers|2",
    "overall|topology|cost|mean",
    "queues|a|topology|cost|p95",
    "queues|b|topology|jobs",
    "rows|racks.csv",
  };
  static const double values[] = {
    280.0 / 700,
    2000.0 / 7000,
    1 - 25.0 / 200,
    1,
    50,
    31,
    0.475 * 0.475 / (2 * (0.375 * 0.375 + 0.1 * 0.1)),
    2,
    15.0 / 40,
    15.0 / 150,
    15.0 / 50,
    3,
    40.0 / 3,
    10,
    30,
    30,
    2,
    10,
    30,
    0,
    25.5,
    2,
    3.1,
    1,
    3,
    4,
    3,
    3,
    1,
    2,
    1,
    2,
    1,
    1,
    1,
    3,
    10,
    3,
    3,
    6,
    2,
    4,
    2,
    1,
    1,
    1,
    1,
    1,
    2.0 / 3,
    2.0 / 3,
    0,
    3,
  };
  g_autofree char *place = make_place (), *dir = g_build_filename (place, "r", NULL), *text = NULL;
  g_autoptr (SuiteDoc) doc = NULL;
  SuiteNode *root;

  G_STATIC_ASSERT (G_N_ELEMENTS (paths) == G_N_ELEMENTS (values));
  write_result (dir, FALSE, 1, NULL);
  text = read_in (dir, "summary.json");
  doc = fy_document_build_from_string (NULL, text, FY_NT);
  root = suite_root (doc);
  check_numbers (root, paths, values, G_N_ELEMENTS (paths));
  CU_ASSERT_STRING_EQUAL (suite_text (at (root, "schema")), RP_SCHEMA_NAME RP_SCHEMA_VERSION);
  CU_ASSERT_STRING_EQUAL (suite_text (at (root, "fairness|basis")), "weight");
  CU_ASSERT_STRING_EQUAL (
      suite_text (suite_need (suite_at (at (root, "stuck|reasons"), 0), "reason")), "queue full");
  CU_ASSERT_STRING_EQUAL (suite_text (suite_need (suite_at (at (root, "stuck|list"), 0), "job")),
                          "j4");
  CU_ASSERT_STRING_EQUAL (suite_text (suite_need (suite_at (at (root, "inputs"), 1), "sha256")),
                          "22");
  CU_ASSERT_PTR_NOT_NULL (strstr (text, "\"seed\": 18446744073709551615,"));
  remove_all (place);
}

/* With 5 cores deserved each: a 15 / (0.5 · 20 + 0.25 · 20) = 1; b, active from 0 on, 15 / (0.5 ·
 * 30 + 0.25 · 20) = 0.75. */
static void
fairness_is_measured_against_deserved_where_it_is_published (void)
{
  static const char *const paths[]
      = { "fairness|jain", "queues|a|fairness_x", "queues|b|fairness_x" };
  static const double values[] = { 0.98, 1, 0.75 };
  g_autofree char *place = make_place (), *dir = g_build_filename (place, "r", NULL), *text = NULL;
  g_autoptr (SuiteDoc) doc = NULL;

  write_result (dir, TRUE, 1, NULL);
  text = read_in (dir, "summary.json");
  doc = fy_document_build_from_string (NULL, text, FY_NT);
  CU_ASSERT_STRING_EQUAL (suite_text (at (suite_root (doc), "fairness|basis")), "deserved");
  check_numbers (suite_root (doc), paths, values, G_N_ELEMENTS (paths));
  remove_all (place);
}

static void
stuck_means_still_waiting (void)
{
  static const struct {
    const char *phase, *podgroup;
    gint64 finish;
    const char *stuck; /* why; NULL: it is not */
    const char *cause, *by;
    gboolean none;     /* it wants no pods */
  } cases[] = {
    { "Pending", "Inqueue", RP_NONE, "its queue may not take the pod (proportion)", "quota", "proportion", FALSE },
    { "Pending", "Pending", RP_NONE, "not admitted: capacity votes against it", "enqueue", "capacity", FALSE },
    { "Pending", "Inqueue", RP_NONE, "no node takes a pod", "nodes", "", FALSE },
    { "Pending", "Inqueue", RP_NONE, NULL, NULL, NULL, TRUE },
    { "Running", "Running", RP_NONE, NULL, NULL, NULL, FALSE },
    { "Running", "Inqueue", RP_NONE, "it has begun, and its PodGroup is Inqueue", NULL, NULL, FALSE },
    { "Restarting", "", RP_NONE, "it starts again", "restart", "", FALSE },
    { "Deleted", "", RP_NONE, NULL, NULL, NULL, FALSE },
    { "Rejected", "", RP_NONE, NULL, NULL, NULL, FALSE },
    { "Completed", "", 5, NULL, NULL, NULL, FALSE },
    { "Aborted", "Pending", 5, NULL, NULL, NULL, FALSE },
  };
  const double none[] = { 0, 0 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const RpJob j = { .ns = "n",
                      .job = "j",
                      .queue = "q",
                      .gang_start = RP_NONE,
                      .finish = cases[i].finish,
                      .phase = cases[i].phase,
                      .podgroup = cases[i].podgroup,
                      .pods = cases[i].none ? 0 : 2,
                      .cause = cases[i].cause,
                      .by = cases[i].by,
                      .run = RP_NONE,
                      .used = none,
                      .wasted = none };
    RpSummary s;

    rp_summary_init (&s, resources, 2);
    rp_summary_job (&s, &j);
    suite_check (s.n_stuck == (cases[i].stuck != NULL ? 1 : 0), "%s, PodGroup %s", cases[i].phase,
                 cases[i].podgroup);
    const char *reason = s.stuck->len > 0 ? ((const RpStuck *) s.stuck->pdata[0])->reason : NULL;

    suite_check (g_strcmp0 (reason, cases[i].stuck) == 0, "%s, PodGroup %s: %s", cases[i].phase, cases[i].podgroup, reason);
    rp_summary_clear (&s);
  }
}

/* ---- files ---------------------------------------------------------------------------------- */

static void
files_hold_exactly_these_rows (void)
{
  static const struct {
    const char *name, *text;
  } files[] = {
    { "cycles.csv", "time,binds,evictions,pending,running,releasing,pg_pending,pg_inqueue,pg_"
                    "running,pg_unknown,pipelined,discarded,jobs_considered,"
                    "enqueued,jobs_waiting,jobs_running,jobs_finished,nodes,e2e,scheduler,capacity/cpu,capacity/"
                    "memory,allocated/cpu,allocated/memory,requested/cpu,"
                    "requested/memory,idle/cpu,idle/memory,fragmented/cpu,fragmented/memory\n"
                    "0,0,0,1,0,0,1,0,0,0,0,0,0,0,4,0,0,2,0,volcano,10,100,0,0,1.5,7,10,100,0,0\n"
                    "10,1,0,3,10,0,1,0,0,0,0,0,0,0,3,1,0,2,0.25,volcano,10,100,4,50,1.5,7,6,50,0,0\n"
                    "30,2,1,1,20,0,1,0,0,0,0,0,0,0,2,2,0,2,0,volcano,20,200,10,50,1.5,7,10,150,0,0\n" },
    { "queues.csv",
      "time,queue,weight,share,overused,pending_jobs,running_jobs,pg_pending,pg_inqueue,pg_running,pg_unknown,pg_completed,allocated_share,deserved_share,scheduler,"
      "allocated/cpu,allocated/memory,"
      "deserved/cpu,deserved/memory,request/cpu,request/memory,inqueue/cpu,inqueue/memory\n"
      "0,a,1,0.3333333333333333,0,0,0,0,0,0,0,0,0,,volcano,0,0,,,,,,\n"
      "0,b,3,0,0,1,0,0,0,0,0,0,0,,second,0,0,,,,,5,0\n"
      "10,a,1,0.3333333333333333,0,0,1,0,0,1,0,0,0.5,,volcano,1,50,,,,,,\n"
      "10,b,3,0,0,1,0,0,0,0,0,0,0.3,,second,3,0,,,,,5,0\n"
      "30,a,1,0.3333333333333333,0,0,1,0,0,1,0,0,0.25,,volcano,1,50,,,,,,\n"
      "30,b,3,0,1,1,0,0,0,0,0,0,0.45,,second,9,0,,,,,5,0\n" },
    { "jobs.csv",
      "namespace,job,queue,submit,inqueue,first_bind,gang_start,finish,phase,podgroup,evictions,"
      "wait,run,response,bounded_slowdown,"
      "restarts,pods,min_available,used/cpu,used/memory,wasted/cpu,wasted/memory,reason,owner,lost,kind,scheduler,"
      "hyper_node,tier,tier_name,racks,topology_cost,priority,preemptable,pod/cpu,pod/memory,least/cpu,least/memory,places,pool,cause,by,missing,x_user\n"
      "default,j1,a,0,0,5,10,20,Completed,,1,10,10,20,2,2,4,3,100,10,25,0,waited,,2.5,vcjob,volcano,s1,2,spine,2,0.666667,-7,1,1.5,20,4.5,60,3,1,,,0,\"ann,o\"\n"
      "default,j2,a,0,0,30,30,31,Failed,Completed,0,30,1,31,3.1,0,0,0,0,0,0,0,,CronJob/c,0,vcjob,second,,,,,,0,0,,,,,0,0,,,0,\n"
      "default,j3,b,5,5,5,5,25,Completed,,0,0,20,20,1,0,0,0,100,10,0,0,,,0,pod,volcano,r1,1,,1,,0,0,,,,,0,0,,,0,\n"
      "default,j4,b,5,10,,,,Pending,Inqueue,0,,,,,0,2,0,0,0,0,0,queue full,,0,vcjob,second,,,,,,0,0,,,,,0,,enqueue,proportion,2,\n" },
    { "tasks.csv",
      "namespace,job,task,index,attempt,pod,node,created,assumed,bound,running,evicted,finished,outcome,lost,scheduler\n"
      "default,j1,w,0,1,j1-w-0,n1,0,4,5,5.25,,20,Succeeded,1.25,volcano\n"
      "default,j4,w,0,0,j4-w-0,,10.000001,,,,,,Pending,0,second\n" },
    { "events.csv", "time,kind,namespace,name,event,detail\n5,Pod,default,j1-w-0,bound,n1\n" },
    { "phases.csv", "time,kind,namespace,name,phase,retry,version\n"
                    "0,job,default,j1,Pending,0,0\n0,podgroup,default,j1,Inqueue,,\n1,job,default,"
                    "j9,Rejected,,\n2,job,default,j1,Running,1,2\n" },
    { "reasons.csv", "time,reason,pods\n10,Insufficient cpu,2\n10,\"queue, \"\"b\"\"\",1\n" },
    { "ledger.csv", "namespace,job,queue,from,to,wait,cause,by,reason,nodes,missing,lost_to,ahead\n"
                    "default,j1,a,0,10,first,enqueue,overcommit,,0,0,,\n"
                    "default,j1,a,12,13.5,again,nodes,,Insufficient cpu,3,2,default/j2,jobs: priority\n" },
    { "racks.csv", "time,hyper_node,within,tier,nodes,allocated_share,capacity/cpu,capacity/memory,allocated/cpu,allocated/memory\n"
                   "10,r1,z1/s1,1,2,0.5,5,100,2,50\n30,,,,1,0,5,100,0,0\n30,r1,z1/s1,1,0,0,0,0,0,0\n" },
    { "evictions.csv", "time,action,namespace,job,queue,task,index,attempt,node,ran,for_namespace,for_job,for_queue,frees/cpu,frees/memory\n"
                       "30,reclaim,default,j1,a,w,0,1,n1,4.5,default,j4,b,1.5,20\n"
                       "31,shuffle,default,j1,a,w,1,0,,,,,,1.5,20\n" },
    { "quotas.csv", "time,queue,parent,weight,priority,reclaimable,capability/cpu,capability/memory,guarantee/cpu,guarantee/memory,deserved/cpu,deserved/memory\n"
                    "0,a,root,3,10,1,0,0,1.5,20,4.5,60\n" },
    { "nodes.csv", "node,capacity/cpu,capacity/memory,pools\nn1,4.5,60,0 2\n" },
  };
  g_autofree char *place = make_place (), *dir = g_build_filename (place, "r", NULL);

  write_result (dir, FALSE, 1, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *text = read_in (dir, files[i].name);

    suite_check (strcmp (text, files[i].text) == 0, "%s is\n%s", files[i].name, text);
  }
  CU_ASSERT_EQUAL (count_entries (dir),
                   G_N_ELEMENTS (files) + 3); /* and summary.json, timing.json */
  remove_all (place);
}

static void
two_runs_give_the_same_bytes (void)
{
  static const char *const names[] = { "cycles.csv", "queues.csv", "jobs.csv",    "tasks.csv",
                                       "events.csv", "phases.csv", "reasons.csv", "ledger.csv", "racks.csv",
                                       "evictions.csv", "quotas.csv", "nodes.csv", "summary.json" };
  g_autofree char *place = make_place (), *one = g_build_filename (place, "one", NULL),
                  *two = g_build_filename (place, "two", NULL);
  g_autofree char *timing_one = NULL, *timing_two = NULL;

  write_result (one, TRUE, 1, NULL);
  write_result (two, TRUE, 2.5, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *a = read_in (one, names[i]), *b = read_in (two, names[i]);

    suite_check (strcmp (a, b) == 0, "%s differs", names[i]);
  }
  timing_one = read_in (one, "timing.json");
  timing_two = read_in (two, "timing.json");
  CU_ASSERT_STRING_NOT_EQUAL (timing_one, timing_two);
  CU_ASSERT_PTR_NOT_NULL (strstr (timing_two, "\"simulated_s_per_s\": 20,"));
  CU_ASSERT_PTR_NOT_NULL (strstr (timing_two, "\"allocate\": 0.25"));
  remove_all (place);
}

/* Until this thread has had @seconds of the processor. */
static gpointer
work_for (gpointer seconds)
{
  const RpTook began = rp_took (NULL, FALSE);
  RpTook took;

  do
    took = rp_took (&began, FALSE);
  while (took.user + took.system < *(const double *) seconds);
  return NULL;
}

static void
time_is_that_of_the_thread_or_of_children (void)
{
  const char *argv[] = { "sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done", NULL };
  const RpTook began = rp_took (NULL, FALSE), others = rp_took (NULL, TRUE);
  double mine = 0.02, of_another = 0.3;
  GThread *thread = g_thread_new ("work", work_for, &of_another);

  work_for (&mine);
  g_thread_join (thread);
  RpTook took = rp_took (&began, FALSE), none = rp_took (&others, TRUE);

  suite_check (took.user + took.system >= mine && took.user + took.system < of_another && took.wall >= of_another,
               "%g s of the processor in %g s", took.user + took.system, took.wall);
  CU_ASSERT_EQUAL (none.user + none.system, 0);
  CU_ASSERT_TRUE (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL));
  RpTook child = rp_took (&others, TRUE);

  suite_check (child.user + child.system > 0 && child.user + child.system <= child.wall * 1.01 + 0.01, "%g s of the processor in %g s", child.user + child.system, child.wall);
}

/* Set VOLSIM_UPDATE_DOCS to a path to write the page there anew. */
static void
the_documentation_is_the_schema (void)
{
  g_autofree char *page = rp_schema_markdown (), *stored = NULL;
  const char *update = g_getenv ("VOLSIM_UPDATE_DOCS");

  if (update != NULL)
    CU_ASSERT_TRUE (g_file_set_contents (update, page, -1, NULL));
  stored = suite_read ("../docs/results.md", NULL);
  suite_check (strcmp (page, stored) == 0,
               "docs/results.md is not what rp_schema_markdown() prints");
}

static void
every_column_of_the_schema_is_explained_once (void)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < rp_n_columns; i++) {
    suite_check (
        g_hash_table_add (
            seen, g_strdup_printf ("%s %s", rp_file_name (rp_columns[i].file), rp_columns[i].name)),
        "%s stands twice in %s", rp_columns[i].name, rp_file_name (rp_columns[i].file));
    suite_check (i == 0 || rp_columns[i].file >= rp_columns[i - 1].file, "row %u is out of order",
                 i);
  }
}

/* ---- the directory -------------------------------------------------------------------------- */

static void
nothing_stands_at_the_place_before_the_commit (void)
{
  g_autofree char *place = make_place (), *dir = g_build_filename (place, "new", "deep", "r", NULL);
  g_autoptr (GError) error = NULL;
  RpResults *r = rp_results_new (dir, resources, 2, extra, 1, &error);

  CU_ASSERT_PTR_NOT_NULL_FATAL (r);
  write_example (r, FALSE);
  CU_ASSERT_FALSE (g_file_test (dir, G_FILE_TEST_EXISTS));
  rp_results_free (r); /* no commit: the directories made above it go, too */
  CU_ASSERT_EQUAL (count_entries (place), 0);

  write_result (dir, FALSE, 1, NULL);
  CU_ASSERT_TRUE (g_file_test (dir, G_FILE_TEST_IS_DIR));
  g_autofree char *parent = g_path_get_dirname (dir);
  CU_ASSERT_EQUAL (count_entries (parent), 1); /* no temporary sibling is left */
  remove_all (place);
}

static void
an_earlier_result_is_replaced_and_foreign_files_stay (void)
{
  g_autofree char *place = make_place (), *dir = g_build_filename (place, "r", NULL);
  g_autofree char *note = g_build_filename (dir, "note.txt", NULL),
                  *charts = g_build_filename (dir, "charts", NULL);
  g_autofree char *old_chart = g_build_filename (charts, "old.svg", NULL), *text = NULL;
  g_autofree char *link = g_build_filename (place, "link", NULL),
                  *slash = g_strconcat (dir, "/", NULL);

  CU_ASSERT_EQUAL (g_mkdir (dir, 0777), 0); /* an empty directory may be taken */
  write_result (dir, FALSE, 1, NULL);
  CU_ASSERT_TRUE (g_file_set_contents (note, "mine", -1, NULL));
  CU_ASSERT_EQUAL (g_mkdir (charts, 0777), 0);
  CU_ASSERT_TRUE (g_file_set_contents (old_chart, "x", -1, NULL));
  write_result (slash, TRUE, 1, NULL);
  CU_ASSERT_TRUE (g_file_test (note, G_FILE_TEST_EXISTS));
  CU_ASSERT_FALSE (g_file_test (charts, G_FILE_TEST_EXISTS)); /* they would show the earlier run */
  text = read_in (dir, "queues.csv");
  CU_ASSERT_PTR_NOT_NULL (strstr (text, "0,a,1,0.3333333333333333,0,0,0,0,0,0,0,0,0,0.5,volcano,0,0,5,0,5,0,,\n"));
  CU_ASSERT_EQUAL (count_entries (place), 1);

  CU_ASSERT_EQUAL (symlink ("r", link),
                   0); /* through a link: what it points to is replaced, the link stays */
  write_result (link, FALSE, 1, NULL);
  CU_ASSERT_TRUE (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  CU_ASSERT_EQUAL (count_entries (place), 2);
  remove_all (place);
}

static void
a_foreign_directory_or_file_is_refused (void)
{
  g_autofree char *place = make_place (), *dir = g_build_filename (place, "home", NULL),
                  *file = g_build_filename (dir, "thesis.tex", NULL);
  g_autofree char *summary = g_build_filename (dir, "summary.json", NULL);

  CU_ASSERT_EQUAL (g_mkdir (dir, 0777), 0);
  CU_ASSERT_TRUE (g_file_set_contents (file, "x", -1, NULL));
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GError) error = NULL;

    if (i == 1) /* somebody else's summary */
      CU_ASSERT_TRUE (g_file_set_contents (summary, "{\"schema\": \"other\"}", -1, NULL));
    CU_ASSERT_PTR_NULL (rp_results_new (i == 2 ? file : dir, resources, 2, extra, 1, &error));
    suite_check (g_error_matches (error, RP_ERROR, RP_ERROR_INPUT)
                     && strstr (error->message, i == 2 ? "not a directory" : "no earlier result")
                            != NULL,
                 "case %u: %s", i, error != NULL ? error->message : "accepted");
  }
  CU_ASSERT_EQUAL (count_entries (dir), 2);
  CU_ASSERT_EQUAL (count_entries (place), 1);
  remove_all (place);
}

static void
what_appears_during_the_run_is_not_overwritten (void)
{
  g_autofree char *place = make_place (), *dir = g_build_filename (place, "r", NULL),
                  *file = g_build_filename (dir, "x", NULL);
  g_autoptr (GError) error = NULL;
  RpResults *r = rp_results_new (dir, resources, 2, extra, 1, &error);

  write_example (r, FALSE);
  CU_ASSERT_EQUAL (g_mkdir (dir, 0777), 0);
  CU_ASSERT_TRUE (g_file_set_contents (file, "x", -1, NULL));
  CU_ASSERT_FALSE (commit (r, 1, &error));
  CU_ASSERT_TRUE (g_error_matches (error, RP_ERROR, RP_ERROR_INPUT));
  rp_results_free (r);
  CU_ASSERT_EQUAL (count_entries (dir), 1);
  CU_ASSERT_EQUAL (count_entries (place), 1);
  remove_all (place);
}

/* Write more than fits; expect an error at the commit, the earlier result untouched and nothing
 * else. */
static void
overflow (const char *place, const char *expected)
{
  g_autofree char *dir = g_build_filename (place, "r", NULL), *before = read_in (dir, "jobs.csv"),
                  *after = NULL;
  g_autoptr (GError) error = NULL;
  RpResults *r = rp_results_new (dir, resources, 2, extra, 1, &error);
  const RpEvent event = { S (5), "Pod", "default", "j1-w-0", "bound", "n1" };

  CU_ASSERT_PTR_NOT_NULL_FATAL (r);
  for (guint i = 0; i < 100000; i++) /* 3 MB */
    rp_results_event (r, &event);
  write_example (r, FALSE);
  CU_ASSERT_FALSE (commit (r, 1, &error));
  suite_check (g_error_matches (error, RP_ERROR, RP_ERROR_IO)
                   && strstr (error->message, expected) != NULL
                   && strstr (error->message, ".csv") != NULL,
               "%s", error != NULL ? error->message : "no error");
  CU_ASSERT_EQUAL (count_entries (place), 1); /* the earlier result only, even before the free */
  rp_results_free (r);
  CU_ASSERT_EQUAL (count_entries (place), 1);
  after = read_in (dir, "jobs.csv");
  CU_ASSERT_STRING_EQUAL (before, after);
}

static void
a_refused_write_leaves_the_earlier_result_and_nothing_else (void)
{
  g_autofree char *place = make_place (), *dir = g_build_filename (place, "r", NULL);
  struct rlimit before, small;

  write_result (dir, FALSE, 1, NULL);
  (void) signal (SIGXFSZ, SIG_IGN);
  CU_ASSERT_EQUAL_FATAL (getrlimit (RLIMIT_FSIZE, &before), 0);
  small = before;
  small.rlim_cur = 1000000;
  CU_ASSERT_EQUAL_FATAL (setrlimit (RLIMIT_FSIZE, &small), 0);
  overflow (place, g_strerror (EFBIG));
  (void) setrlimit (RLIMIT_FSIZE, &before);
  remove_all (place);
}

static void
a_full_disk_leaves_the_earlier_result_and_nothing_else (void)
{
  g_autofree char *place = make_place (), *disk = g_build_filename (place, "disk", NULL),
                  *dir = g_build_filename (disk, "r", NULL);

  CU_ASSERT_EQUAL (g_mkdir (disk, 0777), 0);
  /* In a mount namespace of our own, which needs privileges: without them the test above must do.
   */
  if (unshare (CLONE_NEWNS) == 0 && mount ("none", "/", "none", MS_REC | MS_PRIVATE, NULL) == 0
      && mount ("tmpfs", disk, "tmpfs", 0, "size=1m") == 0) {
    write_result (dir, FALSE, 1, NULL);
    overflow (disk, g_strerror (ENOSPC));
    CU_ASSERT_EQUAL (umount (disk), 0);
  }
  remove_all (place);
}

static void
a_place_that_cannot_be_written_is_an_error_at_once (void)
{
  g_autoptr (GError) error = NULL;

  CU_ASSERT_PTR_NULL (rp_results_new ("/proc/volsim/r", resources, 2, extra, 1, &error));
  CU_ASSERT_TRUE (g_error_matches (error, RP_ERROR, RP_ERROR_IO));
}

/* ---- the screen ----------------------------------------------------------------------------- */

static void
the_summary_fits_one_screen (void)
{
  g_autofree char *place = make_place (), *dir = g_build_filename (place, "r", NULL), *text = NULL;
  g_auto (GStrv) lines = NULL;

  write_result (dir, FALSE, 1, &text);
  lines = g_strsplit (text, "\n", -1);
  CU_ASSERT_TRUE (g_strv_length (lines) <= 40);
  for (guint i = 0; lines[i] != NULL; i++)
    suite_check (g_utf8_strlen (lines[i], -1) <= 80 || g_str_has_prefix (lines[i], "Results in "),
                 "too wide: %s", lines[i]);
  suite_check (strstr (text, dir) != NULL
                   && strstr (text, "  a                  2        2     20s     10s     30s     "
                                    "30s     30s     30s\n")
                          != NULL
                   && strstr (text, "       1 × queue full\n") != NULL
                   && strstr (text, "40.0 %") != NULL && strstr (text, "87.5 %") != NULL,
               "summary is\n%s", text);
  remove_all (place);
}

static CU_TestInfo tests[] = {
  { "numbers are the shortest that read back", numbers_are_the_shortest_that_read_back },
  { "times have at most six decimals", times_have_at_most_six_decimals },
  { "CSV quotes only when it must", csv_quotes_only_when_it_must },
  { "percentiles are nearest rank", percentiles_are_nearest_rank },
  { "figures agree with the hand-worked example", figures_agree_with_the_hand_worked_example },
  { "fairness is measured against deserved where it is published",
    fairness_is_measured_against_deserved_where_it_is_published },
  { "stuck means still waiting", stuck_means_still_waiting },
  { "files hold exactly these rows", files_hold_exactly_these_rows },
  { "two runs give the same bytes", two_runs_give_the_same_bytes },
  { "time is that of the thread or of children", time_is_that_of_the_thread_or_of_children },
  { "the documentation is the schema", the_documentation_is_the_schema },
  { "every column of the schema is explained once", every_column_of_the_schema_is_explained_once },
  { "nothing stands at the place before the commit",
    nothing_stands_at_the_place_before_the_commit },
  { "an earlier result is replaced and foreign files stay",
    an_earlier_result_is_replaced_and_foreign_files_stay },
  { "a foreign directory or file is refused", a_foreign_directory_or_file_is_refused },
  { "what appears during the run is not overwritten",
    what_appears_during_the_run_is_not_overwritten },
  { "a refused write leaves the earlier result and nothing else",
    a_refused_write_leaves_the_earlier_result_and_nothing_else },
  { "a full disk leaves the earlier result and nothing else",
    a_full_disk_leaves_the_earlier_result_and_nothing_else },
  { "a place that cannot be written is an error at once",
    a_place_that_cannot_be_written_is_an_error_at_once },
  { "the summary fits one screen", the_summary_fits_one_screen },
  CU_TEST_INFO_NULL,
};

int
main (void)
{
  return suite_run ("results", tests);
}
