/* tests/test-transform.c - traces made into others: small tables in, tables out. */
#include "run-helper.h"
#include "suite.h"
#include "workloads/native/native.h"
#include "workloads/transform/transform.h"
#include <glib/gstdio.h>
#include <string.h>

#define NODES "node,cpu,memory,labels,count\nn,8,32Gi,rack=r1,2\n"
#define JOBS                                                    \
  "job,submit,queue,replicas,cpu,duration,x_user,delete\n"      \
  "a,0,prod,1,2,100,ann,\n"                                     \
  "b,10,prod,4,1,50|60>70|50|50,bob,500\n"                      \
  "c,20,dev,2,4,inf,\"o,neil\",\n"                              \
  "d,30,,1,8,3600,,\n"

typedef struct { const char *file, *text; } Input;

static WlTrace *
read_trace (const char *dir, const char *name, const Input *input, guint n)
{
  g_autofree char *folder = g_build_filename (dir, name, NULL);
  g_autoptr (GError) error = NULL;

  g_mkdir (folder, 0777);
  for (guint i = 0; i < n; i++)
    g_free (test_write (folder, input[i].file, input[i].text));
  WlTrace *t = wl_trace_read (folder, &error);
  suite_check (t != NULL, "%s", error != NULL ? error->message : "");
  return t;
}

static WlTrace *
usual (const char *dir)
{
  const Input input[] = { { "nodes.csv", NODES }, { "jobs.csv", JOBS }, { "queues.csv", "queue,weight\nprod,3\ndev,1\n" } };

  return read_trace (dir, "usual", input, G_N_ELEMENTS (input));
}

static char *
text_of (const WlTable *table)
{
  GString *out = g_string_new (NULL);

  if (table != NULL)
    wl_table_write (table, out);
  return g_string_free (out, FALSE);
}

#define CHECK_TABLE(table, expected)               \
  G_STMT_START                                     \
  {                                                \
    g_autofree char *made_ = text_of (table);      \
    CU_ASSERT_STRING_EQUAL (made_, (expected));    \
    if (strcmp (made_, (expected)) != 0)           \
      g_printerr ("made:\n%s", made_);             \
  }                                                \
  G_STMT_END

static void
a_table_is_written_as_it_is_read (void)
{
  g_autofree char *dir = test_make_dir ();
  g_autoptr (WlTrace) t = usual (dir);

  CHECK_TABLE (t->jobs, JOBS);
  CHECK_TABLE (t->nodes, NODES);
  test_remove_tree (dir);
}

/* What each condition leaves, by the first letters of the jobs. */
static void
conditions_choose_jobs (void)
{
  static const struct { const char *condition, *left; } known[] = {
    { "queue=prod", "ab" },       { "queue=dev|prod", "abc" },  { "queue!=prod", "cd" },    { "queue=default", "d" },       { "pods>=2", "bc" },   { "cpu>3", "bcd" },
    { "cpu=4", "b" },             { "duration<=100", "ab" },    { "duration>3600", "c" },   { "submit<20s", "ab" },         { "x_user=ann", "a" }, { "x_user=o,neil", "c" },
    { "job!=a", "bcd" },          { "namespace=default", "abcd" }, { "duration<60", "" }, { "priority=", "abcd" },
  };
  g_autofree char *dir = test_make_dir ();

  for (guint i = 0; i < G_N_ELEMENTS (known); i++) {
    g_autoptr (WlTrace) t = usual (dir);
    const char *conditions[] = { known[i].condition, NULL };
    g_autoptr (GError) error = NULL;
    g_autoptr (GString) left = g_string_new (NULL);
    gboolean good = wl_trace_keep (t, conditions, &error);

    suite_check (good, "%s", error != NULL ? error->message : "");
    for (guint k = 0; k < wl_table_rows (t->jobs); k++)
      g_string_append (left, wl_table_cell (t->jobs, k, 0));
    suite_check (strcmp (left->str, known[i].left) == 0, "%s leaves %s, expected %s", known[i].condition, left->str, known[i].left);
  }
  test_remove_tree (dir);
}

static void
conditions_that_mean_nothing_are_refused (void)
{
  static const struct { const char *condition, *says; } bad[] = {
    { "queue", "--keep 'queue', expected COLUMN and one of = != < <= > >= and a value" },
    { "=prod", "expected COLUMN and one of" },
    { "que=prod", "expected one of job, namespace, queue, priority, submit, duration, pods, a resource, or a column x_" },
    { "queue>prod", "expected = or != for a text" },
    { "pods>many", "expected a number behind the comparison" },
    { "duration<1y", "expected a time behind the comparison" },
  };
  g_autofree char *dir = test_make_dir ();

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (WlTrace) t = usual (dir);
    const char *conditions[] = { bad[i].condition, NULL };
    g_autoptr (GError) error = NULL;
    gboolean good = wl_trace_keep (t, conditions, &error);

    suite_check (!good && strstr (error->message, bad[i].says) != NULL, "%s: %s", bad[i].condition, error != NULL ? error->message : "accepted");
  }
  test_remove_tree (dir);
}

/* Conditions and renamings of names that no job of any folder has would do nothing. */
static void
names_that_no_job_has_are_refused (void)
{
  static const struct { const char *condition, *pair, *says; } known[] = {
    { "x_user=bob", NULL, NULL },
    { "queue=prod|default", "dev=x", NULL },
    { NULL, "idle=x", NULL }, /* a row of queues.csv */
    { NULL, "*=x", NULL },
    { "x_nosuch=1", NULL, "expected a column that jobs.csv has, found 'x_nosuch'" },
    { "foo.com/bar>=1", NULL, "expected a column that jobs.csv has, found 'foo.com/bar'" },
    { "queue=prod|nosuch", NULL, "--keep: no job has the queue 'nosuch', expected one of prod, dev, default" },
    { NULL, "nosuch=x", "--map-queue: no job has the queue 'nosuch', expected one of prod, dev, default, idle" },
  };
  g_autofree char *dir = test_make_dir ();
  const Input input[] = { { "nodes.csv", NODES }, { "jobs.csv", JOBS }, { "queues.csv", "queue,weight\nroot,1\nidle,1\n" } };
  g_autoptr (WlTrace) t = read_trace (dir, "names", input, G_N_ELEMENTS (input));

  for (guint i = 0; i < G_N_ELEMENTS (known); i++) {
    const char *conditions[] = { known[i].condition, NULL }, *pairs[] = { known[i].pair, NULL };
    g_autoptr (GError) error = NULL;
    gboolean good = wl_trace_check_names (&t, 1, conditions, pairs, &error);

    suite_check (good == (known[i].says == NULL) && (good || strstr (error->message, known[i].says) != NULL), "%u: %s", i, error != NULL ? error->message : "accepted");
  }
  static const struct { const char *pair[3], *says; } bad[] = {
    { { "prod=a", "prod=b" }, "expected one new name for each queue, found 'prod=a' and 'prod=b'" },
    { { "prod=root" }, "expected a queue that can have jobs, found root" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;
    gboolean good = wl_trace_map_queues (t, bad[i].pair, &error);

    suite_check (!good && strstr (error->message, bad[i].says) != NULL, "%s: %s", bad[i].pair[0], error != NULL ? error->message : "accepted");
  }
  test_remove_tree (dir);
}

static void
a_window_begins_with_what_was_there (void)
{
  g_autofree char *dir = test_make_dir ();
  const Input input[] = { { "nodes.csv", "node,time,event,cpu\nn-0,0,add,8\nn-1,0,add,8\nn-2,15,add,8\nn-0,12,remove,\nn-1,25,cordon,\n" },
                          { "jobs.csv", JOBS },
                          { "faults.csv", "time,kind,target,unit,duration,every\n5,crash,n-1,,5,\n1,crash,*,node,1h,exponential:10h\n40,drain,n-1,,5,\n" },
                          { "recorded.csv", "namespace,job,submit,wait,start,end,status,evictions,nodes\ndefault,a,0,1,1,101,,,n-0\ndefault,b,10,2,12,62,,,n-1\n" } };
  g_autoptr (WlTrace) t = read_trace (dir, "cut", input, G_N_ELEMENTS (input));
  g_autoptr (GError) error = NULL;

  suite_check (wl_trace_window (t, 10 * G_USEC_PER_SEC, 30 * G_USEC_PER_SEC, &error), "cut");
  CHECK_TABLE (t->jobs, "job,submit,queue,replicas,cpu,duration,x_user,delete\n"
                        "b,0,prod,4,1,50|60>70|50|50,bob,490\n"
                        "c,10,dev,2,4,inf,\"o,neil\",\n");
  CHECK_TABLE (t->nodes, "node,time,event,cpu\nn-0,0,add,8\nn-1,0,add,8\nn-2,5,add,8\nn-0,2,remove,\nn-1,15,cordon,\n");
  CHECK_TABLE (t->faults, "time,kind,target,unit,duration,every\n0,crash,*,node,1h,exponential:10h\n30,drain,n-1,,5,\n");
  CHECK_TABLE (t->recorded, "namespace,job,submit,wait,start,end,status,evictions,nodes\ndefault,b,0,2,2,52,,,n-1\n");
  test_remove_tree (dir);
}

/* At 40: a ran since 1 (61 s are left of 100), b was over, c ran since 25, d waited, e comes later. */
static void
a_warm_start_goes_on_with_what_ran (void)
{
  g_autofree char *dir = test_make_dir ();
  const Input input[] = { { "nodes.csv", NODES },
                          { "jobs.csv", "job,submit,replicas,cpu,duration\ne,50,1,1,10\na,0,1,2,100\nb,10,4,1,20\nc,20,2,4,30>40|inf\nd,30,1,8,3600\n" },
                          { "recorded.csv", "job,submit,wait,start,end,status,evictions,nodes\na,0,1,1,101,,,n-0\nb,10,2,12,32,,,n-1\nc,20,5,25,,,,n-1|n-0\nd,30,70,100,3700,,,n-0\n" } };
  g_autoptr (WlTrace) t = read_trace (dir, "warm", input, G_N_ELEMENTS (input));
  g_autoptr (GError) error = NULL;
  gboolean good = wl_trace_warm_start (t, 40 * G_USEC_PER_SEC, 2 * G_USEC_PER_SEC, &error);

  suite_check (good, "%s", error != NULL ? error->message : "");
  CHECK_TABLE (t->jobs, "job,submit,replicas,cpu,duration\na,0,1,2,61\nc,0,2,4,15>40|inf\nd,2,1,8,3600\ne,10,1,1,10\n");
  CHECK_TABLE (t->recorded, "job,submit,wait,start,end,status,evictions,nodes\na,0,1,0,61,,,n-0\nc,0,5,0,,,,n-1|n-0\nd,2,70,60,3660,,,n-0\n");
  /* What comes within the gap comes at its end, with its record: no start or end before the submission. */
  const Input close[] = { { "nodes.csv", NODES },
                          { "jobs.csv", "job,submit,cpu,duration,delete\nf,35,1,2,\ne,41,1,2,\ng,41,1,inf,43\nh,35,1,inf,42\n" },
                          { "recorded.csv", "job,submit,start,end\nf,35,42,44\ne,41,43,45\n" } };
  g_autoptr (WlTrace) soon = read_trace (dir, "soon", close, G_N_ELEMENTS (close));

  suite_check (wl_trace_warm_start (soon, 40 * G_USEC_PER_SEC, 10 * G_USEC_PER_SEC, &error), "%s", error != NULL ? error->message : "");
  CHECK_TABLE (soon->jobs, "job,submit,cpu,duration,delete\nf,10,1,2,\nh,10,1,inf,10.001\ne,10,1,2,\ng,10,1,inf,12\n");
  CHECK_TABLE (soon->recorded, "job,submit,start,end\nf,10,10,12\ne,10,12,14\n");
  const Input more[] = { { "nodes.csv", NODES },
                         { "jobs.csv", "job,submit,replicas,cpu,duration,walltime,scale\na,0,1,2,100,200,\nb,50,1,1,10,20,5:2\n" },
                         { "recorded.csv", "job,submit,wait,start,end\na,0,1,1,101\n" } };
  g_autoptr (WlTrace) asked = read_trace (dir, "asked", more, G_N_ELEMENTS (more)), late = read_trace (dir, "asked", more, G_N_ELEMENTS (more));

  suite_check (wl_trace_warm_start (asked, 40 * G_USEC_PER_SEC, 0, &error), "with walltimes");
  CHECK_TABLE (asked->jobs, "job,submit,replicas,cpu,duration,walltime,scale\na,0,1,2,61,161,\nb,10,1,1,10,20,5:2\n");
  suite_check (!wl_trace_warm_start (late, 60 * G_USEC_PER_SEC, 0, &error) && strstr (error->message, "asked/jobs.csv:3: column 'scale': cannot be cut here, expected jobs of a fixed size") != NULL, "a job that has begun to change its size");
  g_clear_error (&error);
  g_autoptr (WlTrace) none = usual (dir);
  good = wl_trace_warm_start (none, 0, 0, &error);
  suite_check (!good && strstr (error->message, "expected recorded.csv") != NULL, "without records");
  g_clear_error (&error);
  const Input empty[] = { { "nodes.csv", NODES }, { "jobs.csv", JOBS }, { "recorded.csv", "job,submit,start,end\n" } };
  g_autoptr (WlTrace) no_rows = read_trace (dir, "empty", empty, G_N_ELEMENTS (empty));
  suite_check (!wl_trace_warm_start (no_rows, 0, 0, &error) && strstr (error->message, "recorded.csv: expected rows") != NULL, "a table of records without rows");
  test_remove_tree (dir);
}

static void
samples_are_exact_and_hold_each_other (void)
{
  g_autofree char *dir = test_make_dir ();
  g_autoptr (GString) jobs = g_string_new ("job,submit,replicas,cpu,duration\n");
  g_autoptr (GHashTable) before = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < 200; i++)
    g_string_append_printf (jobs, "j%u,%u,1,1,10\n", i, i * 100);
  const Input input[] = { { "nodes.csv", NODES }, { "jobs.csv", jobs->str } };

  for (guint k = 1; k <= 5; k++) { /* 0.5, 1, … 2.5 */
    g_autoptr (WlTrace) t = read_trace (dir, "sample", input, G_N_ELEMENTS (input));
    g_autoptr (GHashTable) now = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr (GError) error = NULL;
    gint64 last = 0;

    suite_check (wl_trace_sample (t, k / 2.0, 1000 * G_USEC_PER_SEC, 7, &error), "factor %g", k / 2.0);
    suite_check (t->n_jobs == 100 * k, "%u jobs at factor %g", t->n_jobs, k / 2.0);
    for (guint i = 0; i < wl_table_rows (t->jobs); i++) {
      g_autofree char *whole = g_strdup_printf ("%s@%s", wl_table_cell (t->jobs, i, 0), wl_table_cell (t->jobs, i, 1));
      double at = g_ascii_strtod (wl_table_cell (t->jobs, i, 1), NULL);

      suite_check (at * 1e6 >= (double) last, "in the order of submission");
      last = (gint64) (at * 1e6);
      suite_check (g_hash_table_add (now, g_strdup (whole)), "%s once", whole);
    }
    GHashTableIter each;
    gpointer name;

    g_hash_table_iter_init (&each, before);
    while (g_hash_table_iter_next (&each, &name, NULL))
      suite_check (g_hash_table_contains (now, name), "%s is still there at factor %g", (const char *) name, k / 2.0);
    g_hash_table_remove_all (before);
    g_hash_table_iter_init (&each, now);
    while (g_hash_table_iter_next (&each, &name, NULL))
      g_hash_table_add (before, g_strdup (name));
  }
  test_remove_tree (dir);
}

static void
times_are_stretched (void)
{
  g_autofree char *dir = test_make_dir ();
  g_autoptr (WlTrace) t = usual (dir);

  suite_check (wl_trace_stretch (t, 0.5, 2, NULL), "stretched");
  CHECK_TABLE (t->jobs, "job,submit,queue,replicas,cpu,duration,x_user,delete\n"
                        "a,0,prod,1,2,200,ann,\n"
                        "b,5,prod,4,1,100|120>140|100|100,bob,250\n"
                        "c,10,dev,2,4,inf,\"o,neil\",\n"
                        "d,15,,1,8,7200,,\n");
  const Input more[] = { { "nodes.csv", NODES }, { "jobs.csv", "job,submit,replicas,cpu,duration,walltime,checkpoint,scale\na,4,1,2,100,200,30,10:5>1m:1\nb,4,1,2,100,,,\n" } };
  g_autoptr (WlTrace) asked = read_trace (dir, "asked", more, G_N_ELEMENTS (more));

  suite_check (wl_trace_stretch (asked, 2, 0.5, NULL), "stretched");
  CHECK_TABLE (asked->jobs, "job,submit,replicas,cpu,duration,walltime,checkpoint,scale\na,8,1,2,50,100,15,5:5>30:1\nb,8,1,2,50,,,\n");
  g_autoptr (WlTrace) late = usual (dir);
  g_autoptr (GError) error = NULL;

  suite_check (!wl_trace_stretch (late, 1e9, 1, &error) && strstr (error->message, "usual/jobs.csv:3: column 'submit': --stretch, expected times below 285 years") != NULL, "%s",
               error != NULL ? error->message : "accepted");
  g_clear_error (&error);
  suite_check (!wl_trace_stretch (late, 1, 1e9, &error) && strstr (error->message, "usual/jobs.csv:2: column 'duration': --stretch-run, expected") != NULL, "%s",
               error != NULL ? error->message : "accepted");
  const Input before[] = { { "nodes.csv", NODES }, { "jobs.csv", "job,submit,cpu,duration\na,0,1,9\n" }, { "recorded.csv", "job,submit,start,end\na,-4,-2,7\n" } };
  g_autoptr (WlTrace) earlier = read_trace (dir, "before", before, G_N_ELEMENTS (before));

  suite_check (wl_trace_stretch (earlier, 2, 1, NULL), "records before the beginning");
  CHECK_TABLE (earlier->recorded, "job,submit,start,end\na,-8,-4,14\n");
  test_remove_tree (dir);
}

static void
queues_are_renamed (void)
{
  g_autofree char *dir = test_make_dir ();
  g_autoptr (WlTrace) t = usual (dir);
  const char *pairs[] = { "prod=production", "*=other", NULL };

  suite_check (wl_trace_map_queues (t, pairs, NULL), "mapped");
  CHECK_TABLE (t->jobs, "job,submit,queue,replicas,cpu,duration,x_user,delete\n"
                        "a,0,production,1,2,100,ann,\n"
                        "b,10,production,4,1,50|60>70|50|50,bob,500\n"
                        "c,20,other,2,4,inf,\"o,neil\",\n"
                        "d,30,other,1,8,3600,,\n");
  CHECK_TABLE (t->queues, "queue,weight\nproduction,\nother,\n");
  test_remove_tree (dir);
}

static void
clusters_are_merged (void)
{
  g_autofree char *dir = test_make_dir ();
  const Input one[] = { { "nodes.csv", "node,cpu\nn,8\n" }, { "jobs.csv", "job,submit,cpu,duration\na,5,1,10\nb,20,1,10\n" } };
  const Input two[] = { { "nodes.csv", "node,labels,cpu\nn,rack=r1,4\n" }, { "jobs.csv", "job,submit,node_selector,cpu,duration\na,10,rack=r1,1,10\n" } };
  g_autoptr (WlTrace) t = read_trace (dir, "east", one, 2), u = read_trace (dir, "west", two, 2);
  g_autoptr (GError) error = NULL;

  suite_check (wl_trace_merge (t, &u, 1, TRUE, TRUE, &error), "merged");
  CHECK_TABLE (t->nodes, "node,cpu,labels\neast-n,8,cluster=east\nwest-n,4,rack=r1;cluster=west\n");
  CHECK_TABLE (t->jobs, "job,submit,cpu,duration,node_selector,queue\n"
                        "east-a,5,1,10,cluster=east,east\n"
                        "west-a,10,1,10,rack=r1;cluster=west,west\n"
                        "east-b,20,1,10,cluster=east,east\n");
  CHECK_TABLE (t->queues, "queue\neast\nwest\n");
  test_remove_tree (dir);
}

/* A queue that clusters share is there once, as long as they say the same of it: now, and when it changes. */
static void
merged_clusters_agree_on_their_queues (void)
{
#define SHARED(queues) { { "nodes.csv", "node,cpu\nn,8\n" }, { "jobs.csv", "job,submit,queue,cpu,duration\na,5,q,1,10\n" }, { "queues.csv", queues } }
  static const struct { Input file[3]; const char *merged; } more[] = {
    { SHARED ("queue,time,weight,parent\nq,,2,\nown,,,\nq,60,3,\n"), "queue,weight,time,parent\nq,2,,\nq,3,60,\nown,,,\n" },
    { SHARED ("queue,time,weight\nq,,2\n"), NULL },
    { SHARED ("queue,time,weight\nq,,2\nq,60,4\n"), NULL },
    { SHARED ("queue,time,weight\nq,,2\nq,60,3\nq,90,4\n"), NULL },
    { SHARED ("queue,time,weight,deserved/cpu\nq,,2,4\nq,60,3,4\n"), NULL },
  };
  const Input first[] = SHARED ("queue,weight,time\nq,2,\nq,3,60\n");
#undef SHARED

  for (guint i = 0; i < G_N_ELEMENTS (more); i++) {
    g_autofree char *dir = test_make_dir ();
    g_autoptr (WlTrace) t = read_trace (dir, "east", first, 3), u = read_trace (dir, "west", more[i].file, 3);
    g_autoptr (GError) error = NULL;
    const gboolean good = wl_trace_merge (t, &u, 1, FALSE, FALSE, &error);

    suite_check (good == (more[i].merged != NULL), "case %u: %s", i, error != NULL ? error->message : "merged");
    if (good && more[i].merged != NULL)
      CHECK_TABLE (t->queues, more[i].merged);
    else
      suite_check (error != NULL && strstr (error->message, "both have a queue 'q', expected the same rows for it") != NULL, "case %u: %s", i, error != NULL ? error->message : "");
    test_remove_tree (dir);
  }
}

/* What scenario.yaml says beside its tables goes along; time 0 moves with the beginning. */
static void
settings_go_along (void)
{
  g_autofree char *dir = test_make_dir (), *out = g_build_filename (dir, "out", NULL), *made = g_build_filename (out, "scenario.yaml", NULL), *made_conf = g_build_filename (out, "volcano-scheduler.conf", NULL);
#define TABLES { "nodes.csv", "node,cpu\nn,8\n" }, { "jobs.csv", "job,submit,cpu,duration\na,5,1,10\nb,90,1,10\n" }
  const Input one[] = { TABLES, { "c.conf", "actions: \"allocate\"\n" },
                        { "scenario.yaml", "# made\nnodes: nodes.csv\njobs: jobs.csv\nconf: c.conf\nstart: 2026-02-28T23:59:00Z\nseed: 7\nperiod: 2\npriority_classes:\n  high: 9\n  # none\n  low: 1\nout: there\n" } };
  const Input two[] = { TABLES, { "scenario.yaml", "jobs: jobs.csv\nseed: 8\nperiod: 3\n" } }, three[] = { TABLES, { "scenario.yaml", "nodes: nodes.csv\ncommands: ../c.csv\n" } },
              four[] = { TABLES, { "scenario.yaml", "{nodes: nodes.csv, jobs: jobs.csv}\n" } }, five[] = { TABLES, { "scenario.yaml", "start: soon\n" } }, six[] = { TABLES, { "scenario.yaml", "seed: 9\nperiod: 3\n" } };
  g_autoptr (WlTrace) t = read_trace (dir, "one", one, 4), u = read_trace (dir, "two", two, 3), w = read_trace (dir, "six", six, 3);
  g_autoptr (GError) error = NULL;

  CU_ASSERT_EQUAL (wl_trace_start (t), 1772323140);
  CU_ASSERT_EQUAL (wl_trace_start (u), -1);
  g_autoptr (WlFolder) folder_of_t = wl_trace_window (t, 90 * G_USEC_PER_SEC, WL_TIME_NEVER, &error) ? wl_trace_write (t, out, &error) : NULL;

  suite_check (folder_of_t != NULL && wl_folder_finish (folder_of_t, &error), "written: %s", error != NULL ? error->message : "");
  g_autofree char *text = test_read (made, NULL, NULL), *conf = test_read (made_conf, NULL, NULL);

  CU_ASSERT_STRING_EQUAL (text, "nodes: nodes.csv\njobs: jobs.csv\nconf: volcano-scheduler.conf\nstart: 2026-03-01T00:00:30Z\nseed: 7\nperiod: 2\npriority_classes:\n  high: 9\n  low: 1\n");
  CU_ASSERT_STRING_EQUAL (conf, "actions: \"allocate\"\n");
  suite_check (!wl_trace_merge (t, &u, 1, FALSE, FALSE, &error) && strstr (error->message, "cannot be merged") != NULL, "other settings are refused");
  g_clear_error (&error);
  suite_check (wl_trace_merge (u, &w, 1, FALSE, FALSE, &error), "other seeds are not: %s", error != NULL ? error->message : "");
  const struct { const Input *input; const char *says; } bad[] = { { three, "scenario.yaml:2:1: cannot be transformed" }, { four, "scenario.yaml:1:1: cannot be transformed" }, { five, "scenario.yaml:1:1: start: not a time" } };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autofree char *folder = g_strdup_printf ("%s/bad-%u", dir, i);

    (void) g_mkdir (folder, 0700);
    for (guint k = 0; k < 3; k++)
      g_free (test_write (folder, bad[i].input[k].file, bad[i].input[k].text));
    g_autoptr (WlTrace) none = wl_trace_read (folder, &error);

    suite_check (none == NULL && error != NULL && strstr (error->message, bad[i].says) != NULL, "%s: %s", bad[i].says, error != NULL ? error->message : "nothing");
    g_clear_error (&error);
  }
  test_remove_tree (dir);
}

/* Equal names stay equal and others different, in every table; nothing of the old ones is left; another key gives others. */
static void
names_are_hashed_with_a_key (void)
{
  g_autofree char *dir = test_make_dir ();
  const Input input[] = { { "nodes.csv", "node,cpu,labels,taints,annotations\nfast-1,8,secret=yes;rack=hall7,owner=ann:NoSchedule,\"note=private;volcano.sh/node-vgpu-register=serial-1,10,16000,NVIDIA-T4,true,:serial-2,10,16000,NVIDIA-T4,true,:;x=private\"\nfast-2,8,rack=hall7,,\n" },
                          { "jobs.csv", "job,namespace,submit,queue,task,cpu,duration,node_selector,tolerations,x_user,x_team,priority,apart\n"
                                        "train,lab,0,prod,worker,1,10,secret=yes,owner=ann:NoSchedule,ann,red,boss,wide\nserve,,5,default,,1,10,,,ann,red,-5,\n" },
                          { "scenario.yaml", "nodes: nodes.csv\njobs: jobs.csv\nperiod: 5s\npriority_classes:\n  boss: 100\n  other: 1\nseed: 3\n" },
                          { "queues.csv", "queue,parent\nprod,root\n" },
                          { "faults.csv", "time,kind,target,duration,unit\n1,crash,fast-1|fast-2,5,\n1,crash,secret=yes,5,secret\n" },
                          { "recorded.csv", "namespace,job,submit,wait,start,end,status,evictions,nodes\nlab,train,0,1,1,11,ok,,fast-2\n" } };
  static const char *const secrets[] = { "fast", "secret", "hall7", "owner", "ann", "private", "train", "lab", "prod", "worker", "red", "serve", "boss", "wide", "serial" };
  g_autoptr (WlTrace) t = read_trace (dir, "plain", input, G_N_ELEMENTS (input)), u = read_trace (dir, "plain", input, G_N_ELEMENTS (input));
  g_autoptr (GError) error = NULL;

  suite_check (wl_trace_anonymise (t, (const guint8 *) "0123456789abcdef", 16, NULL) && wl_trace_anonymise (u, (const guint8 *) "0123456789abcdeF", 16, NULL), "hashed");
  const WlTable *tables[] = { t->nodes, t->jobs, t->queues, t->faults, t->recorded };

  for (guint i = 0; i < G_N_ELEMENTS (tables); i++) {
    g_autofree char *text = text_of (tables[i]);
    const char *rows = strchr (text, '\n'); /* columns keep their names */

    for (guint k = 0; k < G_N_ELEMENTS (secrets); k++)
      suite_check (strstr (rows, secrets[k]) == NULL, "'%s' in %s", secrets[k], text);
  }
#define CELL(table, row, column) wl_table_cell ((table), (row), wl_table_column ((table), (column)))
  CU_ASSERT_STRING_EQUAL (CELL (t->jobs, 0, "job"), CELL (t->recorded, 0, "job"));
  CU_ASSERT_STRING_EQUAL (CELL (t->jobs, 0, "namespace"), CELL (t->recorded, 0, "namespace"));
  CU_ASSERT_STRING_EQUAL (CELL (t->nodes, 1, "node"), CELL (t->recorded, 0, "nodes"));
  CU_ASSERT_STRING_EQUAL (CELL (t->jobs, 0, "queue"), CELL (t->queues, 0, "queue"));
  CU_ASSERT_STRING_EQUAL (CELL (t->jobs, 0, "x_user"), CELL (t->jobs, 1, "x_user"));
  CU_ASSERT_STRING_EQUAL (CELL (t->jobs, 0, "node_selector"), CELL (t->faults, 1, "target"));
  CU_ASSERT_STRING_EQUAL (CELL (t->jobs, 0, "tolerations"), CELL (t->nodes, 0, "taints"));
  suite_check (g_str_has_prefix (CELL (t->nodes, 0, "annotations"), "volcano.sh/node-vgpu-register=gpu-") && g_str_has_suffix (CELL (t->nodes, 0, "annotations"), ",10,16000,NVIDIA-T4,true,:"),
               "cards: %s", CELL (t->nodes, 0, "annotations"));
  g_autofree char *class = g_strdup_printf ("period: 5s\npriority_classes:\n  %s: 100\n  class-", CELL (t->jobs, 0, "priority"));

  suite_check (g_str_has_prefix (t->settings->str, class) && g_str_has_suffix (t->settings->str, ": 1\nseed: 3\n") && strstr (t->settings->str, "other") == NULL, "settings:\n%s",
               t->settings->str);
  CU_ASSERT_STRING_EQUAL (CELL (t->jobs, 1, "priority"), "-5");
  suite_check (g_str_has_prefix (CELL (t->nodes, 0, "labels"), CELL (t->jobs, 0, "node_selector")), "the selector still selects: %s", CELL (t->nodes, 0, "labels"));
  suite_check (strcmp (CELL (t->nodes, 0, "node"), CELL (t->nodes, 1, "node")) != 0, "nodes stay apart");
  suite_check (strcmp (CELL (t->jobs, 0, "job"), CELL (u->jobs, 0, "job")) != 0, "another key");
  CU_ASSERT_STRING_EQUAL (CELL (t->jobs, 1, "queue"), "default");
  CU_ASSERT_STRING_EQUAL (CELL (t->queues, 0, "parent"), "root");
  suite_check (!wl_trace_anonymise (u, (const guint8 *) "short", 5, &error) && error != NULL, "a short key is refused");
  test_remove_tree (dir);
}

/* ---- exports ------------------------------------------------------------------------------------- */

static void
swf_has_eighteen_fields (void)
{
  g_autofree char *dir = test_make_dir (), *n = test_write (dir, "nodes.csv", NODES), *j = test_write (dir, "jobs.csv", JOBS);
  g_autoptr (GArray) nodes = wl_read_nodes (n, NULL), jobs = wl_read_jobs (j, NULL);
  g_autoptr (GPtrArray) notes = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) swf = wl_export_swf (nodes, jobs, -1, notes, NULL), batsim = wl_export_batsim (nodes, jobs, notes, NULL);

  CU_ASSERT_STRING_EQUAL (swf->str, "; Version: 2.2\n; Conversion: volsim transform\n; MaxJobs: 3\n; MaxRecords: 3\n; MaxNodes: 2\n; MaxProcs: 16\n; MaxRuntime: 3600\n"
                                    "; MaxMemory: 33554432\n; Queue: 1 prod\n; Queue: 2 default\n"
                                    "1 0 -1 100 2 -1 -1 2 -1 -1 1 1 -1 -1 1 -1 -1 -1\n"
                                    "2 10 -1 60 4 -1 -1 4 -1 -1 1 2 -1 -1 1 -1 -1 -1\n"
                                    "3 30 -1 3600 8 -1 -1 8 -1 -1 1 -1 -1 -1 2 -1 -1 -1\n");
  CU_ASSERT_STRING_EQUAL (notes->pdata[0], "1 jobs never end: left out");
  CU_ASSERT_STRING_EQUAL (notes->pdata[1], "1 jobs have pods of different running times: the longest counts");
  CU_ASSERT_STRING_EQUAL (notes->pdata[2], "3 jobs lose their name: they are numbered");
  CU_ASSERT_STRING_EQUAL (batsim->str, "{\n  \"description\": \"made by volsim transform\",\n  \"nb_res\": 2,\n  \"jobs\": [\n"
                                       "    {\"id\": \"a\", \"subtime\": 0, \"res\": 1, \"profile\": \"delay-100\"},\n"
                                       "    {\"id\": \"b\", \"subtime\": 10, \"res\": 4, \"profile\": \"delay-60\"},\n"
                                       "    {\"id\": \"d\", \"subtime\": 30, \"res\": 1, \"profile\": \"delay-3600\"}\n  ],\n  \"profiles\": {\n"
                                       "    \"delay-100\": {\"type\": \"delay\", \"delay\": 100},\n    \"delay-60\": {\"type\": \"delay\", \"delay\": 60},\n"
                                       "    \"delay-3600\": {\"type\": \"delay\", \"delay\": 3600}\n  }\n}\n");
  test_remove_tree (dir);
}

/* Jobs and queues as manifests, which hold @holds, decide as the rows of jobs.csv and queues.csv do, under the scenario with nodes.csv and @more. */
static void
check_manifests (const char *jobs, const char *queues, const char *more, const char *holds)
{
  static const char *const files[] = { "jobs.csv", "tasks.csv", "events.csv", "queues.csv" };
  g_autofree char *dir = test_make_dir (), *other = test_make_dir (), *yaml = g_build_filename (other, "objects.yaml", NULL), *copy = g_build_filename (dir, "copy", NULL);
  g_autofree char *a = g_build_filename (dir, "rows", NULL), *b = g_build_filename (dir, "manifests", NULL), *export = g_strconcat ("kubernetes=", yaml, NULL);
  g_autofree char *tables = g_strconcat ("nodes: nodes.csv\njobs: jobs.csv\nqueues: queues.csv\nuntil: 2h\n", more, NULL);
  g_autofree char *objects = g_strconcat ("nodes: nodes.csv\njobs: none.csv\nobjects: kept.yaml\nuntil: 2h\n", more, NULL), *complaint = NULL, *text = NULL;
  const char *bin = g_getenv ("VOLSIM_BIN");
  g_autoptr (GString) kept = g_string_new (NULL);

  g_free (test_write (dir, "nodes.csv", "node,cpu,memory,labels,count\nn,8,32Gi,rack=r1;volcano.sh/nodegroup-name=big,2\nm,2,8Gi,volcano.sh/nodegroup-name=small,\n"));
  g_free (test_write (dir, "jobs.csv", jobs));
  g_free (test_write (dir, "none.csv", "job,submit,duration\n"));
  g_free (test_write (dir, "queues.csv", queues));
  g_free (test_write (dir, "easy.conf", "actions: \"x-easy\"\ntiers:\n- plugins:\n  - name: predicates\n"));
  g_free (test_write (dir, "groups.conf", "actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n  - name: nodegroup\n"));
  g_free (test_write (dir, "faults.csv", "time,kind,target,duration\n200,crash,n-0,100\n"));
  g_autofree char *rows = test_write (dir, "rows.yaml", tables), *manifests = test_write (dir, "manifests.yaml", objects);
  char *transform[] = { (char *) bin, (char *) "transform", dir, (char *) "--out", copy, (char *) "--export", export, NULL };

  suite_check (test_run (transform, NULL, &complaint) == 0, "%s", complaint);
  text = test_read (yaml, NULL, NULL);
  suite_check (strstr (text, holds) != NULL, "'%s' in\n%s", holds, text);
  g_auto (GStrv) document = g_strsplit (text, "---\n", -1);

  for (guint i = 1; document[i] != NULL; i++) /* nodes come from the table in both runs */
    if (strstr (document[i], "kind: Node\n") == NULL)
      g_string_append_printf (kept, "---\n%s", document[i]);
  g_free (test_write (dir, "kept.yaml", kept->str));
  char *from_rows[] = { (char *) bin, (char *) "run", rows, (char *) "--no-charts", (char *) "--out", a, NULL };
  char *from_manifests[] = { (char *) bin, (char *) "run", manifests, (char *) "--no-charts", (char *) "--out", b, NULL };
  g_autofree char *c1 = NULL, *c2 = NULL;
  int s1 = test_run (from_rows, NULL, &c1), s2 = test_run (from_manifests, NULL, &c2);

  suite_check (s1 == 0 && s2 == 0, "%s%s", c1, c2);
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *x = g_build_filename (a, files[i], NULL), *y = g_build_filename (b, files[i], NULL), *tx = test_read (x, NULL, NULL), *ty = test_read (y, NULL, NULL);

    suite_check (tx != NULL && strlen (tx) > 100 && g_strcmp0 (tx, ty) == 0, "%s is the same:\n%s\n%s", files[i], tx, ty);
  }
  test_remove_tree (other);
  test_remove_tree (dir);
}

static void
manifests_run_as_the_rows_do (void)
{
  check_manifests ("job,submit,queue,replicas,min_available,priority,cpu,duration,exit_code,node_selector,task,preemptable,apart\n"
                   "a,0,prod,3,2,5,2,100|90>20|80,0|1>0|0,rack=r1,w,true,\nb,10,prod,4,,,1500m,50,,,w,,\nc,20,dev,2,,7,4,30,,,w,false,c\n"
                   "d,30,,1,,,8,3600,,,w,,\ne,40,,2,,,1,5,,rack=none,w,,\nf,50,,3,1,,1,5,,rack!=x,w,,f\n",
                   "queue,weight\nprod,3\ndev,1\n", "", "kind: PriorityClass");
}

/* A crash at 200 s costs the saved work; jobs of the other scheduler pass each other by their walltime; one changes its size. */
static void
walltimes_costs_sizes_and_schedulers_are_exported (void)
{
  check_manifests ("job,submit,queue,replicas,cpu,duration,task,scheduler,walltime,checkpoint,restart_cost,scale,max_retry\n"
                   "a,0,dev,2,4,400,w,volcano,,50,60,,3\nb,2000,dev,1,8,90,w,easy,100,,,,\nc,2001,dev,2,8,50,w,easy,1000,,,,\nd,2002,dev,1,4,60,w,easy,500,,,,\n"
                   "e,400,dev,1,1,500,w,volcano,,,,100:3>200:2,\n",
                   "queue,weight\ndev,1\n", "faults: faults.csv\nschedulers:\n- {name: volcano}\n- {name: easy, conf: easy.conf}\n", "schedulerName: \"easy\"");
}

static void
states_and_node_groups_of_queues_are_exported (void)
{
  check_manifests ("job,submit,queue,replicas,cpu,duration,task\na,0,shut,1,1,10,w\nb,0,free,2,1,10,w\nc,0,apart,1,1,10,w\nd,20,large,1,1,10,w\n",
                   "queue,state,node_group_affinity,node_group_anti_affinity,hierarchy,hierarchy_weights\nshut,Closed,,,,\nfree,Open,big|small,,root/free,1/2\n"
                   "apart,,small|other,,,\nlarge,,,small,,\n",
                   "conf: groups.conf\n", "annotations:\n    \"volcano.sh/hierarchy\": \"root/free\"\n    \"volcano.sh/hierarchy-weights\": \"1/2\"\nspec:");
}

static CU_TestInfo tests[] = {
  { "a table is written as it is read", a_table_is_written_as_it_is_read },
  { "conditions choose jobs", conditions_choose_jobs },
  { "conditions that mean nothing are refused", conditions_that_mean_nothing_are_refused },
  { "names that no job has are refused", names_that_no_job_has_are_refused },
  { "a window begins with what was there", a_window_begins_with_what_was_there },
  { "a warm start goes on with what ran", a_warm_start_goes_on_with_what_ran },
  { "samples are exact and hold each other", samples_are_exact_and_hold_each_other },
  { "times are stretched", times_are_stretched },
  { "queues are renamed", queues_are_renamed },
  { "clusters are merged", clusters_are_merged },
  { "merged clusters agree on their queues", merged_clusters_agree_on_their_queues },
  { "settings go along", settings_go_along },
  { "names are hashed with a key", names_are_hashed_with_a_key },
  { "SWF has eighteen fields", swf_has_eighteen_fields },
  { "manifests run as the rows do", manifests_run_as_the_rows_do },
  { "walltimes, costs, sizes and schedulers are exported", walltimes_costs_sizes_and_schedulers_are_exported },
  { "states and node groups of queues are exported", states_and_node_groups_of_queues_are_exported },
  CU_TEST_INFO_NULL,
};

int
main (void)
{
  return suite_run ("transform", tests);
}
