/* tests/test-generate.c - synthetic traces: what is drawn follows its profile, what is fitted comes near its trace, and mistakes are named. */
#include "run-helper.h"
#include "suite.h"
#include "workloads/generate/fit.h"
#include "workloads/generate/generate.h"
#include "workloads/generate/sample.h"
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* ---- helpers ------------------------------------------------------------------------------------- */

static WlProfile *
profile (const char *text)
{
  g_autoptr (GError) error = NULL;
  WlProfile *p = wl_profile_read ("profile.yaml", text, strlen (text), &error);

  suite_check (p != NULL, "%s", error != NULL ? error->message : "");
  return p;
}

static WlGenerated *
drawn (const char *text)
{
  g_autoptr (WlProfile) p = profile (text);
  g_autoptr (GError) error = NULL;
  WlGenerated *g = p != NULL ? wl_generate (p, 1, &error) : NULL;

  suite_check (g != NULL, "%s", error != NULL ? error->message : "");
  return g;
}

/* Files of a trace of @text, in @dir. */
static gboolean
written (const char *text, const char *dir)
{
  g_autoptr (WlProfile) p = profile (text);
  g_autoptr (WlGenerated) g = p != NULL ? wl_generate (p, 1, NULL) : NULL;
  g_autoptr (GError) error = NULL;

  gboolean good = g != NULL && wl_generated_write (p, g, text, NULL, NULL, dir, &error);

  return suite_check (good, "%s", error != NULL ? error->message : "");
}

#define NODES "nodes: [{node: n, count: 10, cpu: 8, memory: 32Gi}]\n"

/* ---- arrivals ------------------------------------------------------------------------------------ */

static void
arrivals_have_the_mean_of_their_interval (void)
{
  g_autoptr (WlGenerated) g = drawn ("span: 1000h\n" NODES "arrival: {interval: 'exponential:30s'}\nclasses: [{class: a, duration: 1m, requests: {cpu: 1}}]\n");
  const double expected = 1000 * 3600 / 30.0;

  suite_check (fabs (g->jobs->len - expected) < 5 * sqrt (expected), "%u jobs, expected about %g", g->jobs->len, expected);
}

/* The counts of a Hawkes process vary more than those of a Poisson process: by 1 / (1 - n)^2 in windows much longer than the delay. */
static void
children_make_bursts_and_keep_the_rate (void)
{
  g_autoptr (WlGenerated) g = drawn ("span: 4000h\n" NODES "arrival: {interval: 'exponential:30s', children: 0.5, delay: 'exponential:20s'}\n"
                                     "classes: [{class: a, duration: 1m, requests: {cpu: 1}}]\n");
  const double expected = 4000 * 3600 / 30.0;
  guint n[4000] = { 0 };
  double squares = 0, mean;

  suite_check (fabs (g->jobs->len - expected) < 5 * 2 * sqrt (expected), "%u jobs, expected about %g", g->jobs->len, expected);
  for (guint i = 0; i < g->jobs->len; i++)
    n[MIN ((guint) (g_array_index (g->jobs, WlDrawnJob, i).submit / G_USEC_PER_SEC / 3600), 3999)]++;
  mean = g->jobs->len / 4000.0;
  for (guint i = 0; i < 4000; i++)
    squares += (n[i] - mean) * (n[i] - mean) / 4000;
  suite_check (fabs (squares / mean - 4) < 0.5, "dispersion %g, expected 4", squares / mean);
}

static void
hours_and_days_have_their_weights (void)
{
  g_autoptr (WlGenerated) g = drawn ("span: 4704h\n" NODES "arrival: {interval: 'exponential:20s', day: 0 1 3 0, week: [1, 1, 1, 1, 1, 2, 0]}\n"
                                     "classes: [{class: a, duration: 1m, requests: {cpu: 1}}]\n");
  double part[4] = { 0 }, day[7] = { 0 }, all = g->jobs->len;

  for (guint i = 0; i < g->jobs->len; i++) {
    gint64 s = g_array_index (g->jobs, WlDrawnJob, i).submit / G_USEC_PER_SEC;

    part[s % 86400 / 21600]++;
    day[s / 86400 % 7]++;
  }
  suite_check (fabs (all - 4704 * 180) < 5 * sqrt (4704 * 180.0), "%g jobs: the mean rate stays", all);
  suite_check (part[0] == 0 && part[3] == 0 && fabs (part[2] / part[1] - 3) < 0.05, "parts of the day %g %g %g %g", part[0], part[1], part[2], part[3]);
  suite_check (day[6] == 0 && fabs (day[5] / day[0] - 2) < 0.05 && fabs (day[4] / day[0] - 1) < 0.03, "days %g %g %g %g", day[0], day[4], day[5], day[6]);
}

/* Eight hours a day with a job at 5 s and one at 7 s of each: a replay in pieces of eight hours has nothing else. */
static void
a_replay_takes_recorded_pieces_of_the_same_time_of_day (void)
{
  g_autofree char *dir = test_make_dir (), *jobs = g_build_filename (dir, "jobs.csv", NULL);
  g_autoptr (GString) text = g_string_new ("job,submit,replicas,cpu,duration\n");

  for (guint d = 0; d < 3; d++)
    g_string_append_printf (text, "a%u,%u,1,1,10\nb%u,%u,1,1,10\n", d, d * 86400 + 28800 + 5 + d, d, d * 86400 + 28800 + 70 + d);
  g_file_set_contents (jobs, text->str, -1, NULL);
  g_autofree char *yaml = g_strdup_printf ("span: 2400h\n" NODES "arrival: {replay: %s, block: 8h}\nclasses: [{class: a, duration: 1m, requests: {cpu: 1}}]\n", jobs);
  g_autoptr (WlGenerated) g = drawn (yaml);
  guint seen[3] = { 0 };

  suite_check (g->jobs->len == 200, "%u jobs, expected two each day", g->jobs->len);
  for (guint i = 0; i + 1 < g->jobs->len; i += 2) {
    gint64 a = g_array_index (g->jobs, WlDrawnJob, i).submit / G_USEC_PER_SEC % 86400, b = g_array_index (g->jobs, WlDrawnJob, i + 1).submit / G_USEC_PER_SEC % 86400;

    if (suite_check (a >= 28805 && a <= 28807 && b == a + 65, "at %d and %d", (int) a, (int) b))
      seen[a - 28805]++;
  }
  suite_check (seen[0] > 15 && seen[1] > 15 && seen[2] > 15, "each of the three days is drawn: %u %u %u", seen[0], seen[1], seen[2]);
  test_remove_tree (dir);
}

/* ---- sizes --------------------------------------------------------------------------------------- */

static void
requests_follow_each_other (void)
{
  g_autoptr (WlGenerated) g = drawn ("jobs: 3000\n" NODES "arrival: {interval: 1s}\nclasses:\n  - class: a\n    duration: 1m\n    requests:\n"
                                     "      replicas: weighted:1=1|3=1\n      x.io/gpu: weighted:1=3|4=1\n      cpu: 2.5 * x.io/gpu\n      memory: uniform:1Gi:2Gi\n");
  guint four = 0, three = 0;

  for (guint i = 0; i < g->jobs->len; i++) {
    const WlDrawnJob *job = &g_array_index (g->jobs, WlDrawnJob, i);
    const WlDrawnAmount *a = &g_array_index (g->amounts, WlDrawnAmount, job->first_amount);

    suite_check (job->n_amounts == 3 && a[1].amount == 2.5 * a[0].amount, "cores go with devices");
    suite_check (a[2].amount >= 1073741824.0 && a[2].amount <= 2147483648.0 && fmod (a[2].amount, 1048576) == 0, "memory in MiB, %g", a[2].amount);
    suite_check (job->work == 60.0 * job->replicas, "work %g", job->work);
    four += a[0].amount == 4;
    three += job->replicas == 3;
  }
  suite_check (fabs (four / 3000.0 - 0.25) < 0.04 && fabs (three / 3000.0 - 0.5) < 0.05, "%u of 4 devices, %u of 3 pods", four, three);
}

static void
queues_and_users_have_zipf_shares (void)
{
  g_autoptr (WlGenerated) g = drawn ("jobs: 30000\n" NODES "arrival: {interval: 1s}\nqueues: {count: 3, zipf: 1}\nusers: {count: 2, zipf: 0}\n"
                                     "classes: [{class: a, duration: 1m, requests: {cpu: 1}}]\n");
  double queue[3] = { 0 }, user[2] = { 0 };

  for (guint i = 0; i < g->jobs->len; i++) {
    queue[g_array_index (g->jobs, WlDrawnJob, i).queue]++;
    user[g_array_index (g->jobs, WlDrawnJob, i).user]++;
  }
  suite_check (fabs (queue[0] / 30000 - 6.0 / 11) < 0.015 && fabs (queue[1] / 30000 - 3.0 / 11) < 0.015, "queues %g %g %g", queue[0], queue[1], queue[2]);
  suite_check (fabs (user[0] / 30000 - 0.5) < 0.015, "users %g %g", user[0], user[1]);
}

/* Shares by the definition: serial; powers of two; below the middle. Running times: means of the logarithms of the two gamma values, SHAPE · SCALE. */
static void
the_model_of_lublin_has_its_marginals (void)
{
  g_autoptr (WlGenerated) g = drawn ("jobs: 40000\n" NODES "arrival: {interval: 1s}\nclasses:\n  - class: a\n    two_stage: 0.2927 0.6686 1.2 5 7 0.875\n"
                                     "    hyper_gamma: 4 0.5 6 0.25 0 0.7\n    requests: {cpu: 1}\n");
  double serial = 0, power = 0, small = 0, logs = 0, parallel;

  for (guint i = 0; i < g->jobs->len; i++) {
    const WlDrawnJob *job = &g_array_index (g->jobs, WlDrawnJob, i);

    serial += job->replicas == 1;
    power += job->replicas > 1 && (job->replicas & (job->replicas - 1)) == 0;
    small += job->replicas > 1 && job->replicas <= 32;
    logs += log ((double) job->duration / G_USEC_PER_SEC + 0.5); /* whole seconds, cut */
    suite_check (job->replicas <= 128, "%u pods", job->replicas);
  }
  parallel = 40000 - serial;
  suite_check (fabs (serial / 40000 - 0.2927) < 0.012, "serial %g", serial / 40000);
  suite_check (power / 40000 > 0.6686 - 0.012 && power / 40000 < 0.6686 + 0.02, "powers of two %g", power / 40000);
  suite_check (fabs (small / parallel - (0.875 + 0.125 * 0.25)) < 0.02, "up to 2^5: %g", small / parallel); /* 5.5 rounds up: a quarter of the second stage */
  suite_check (fabs (logs / 40000 - (0.7 * 2 + 0.3 * 1.5)) < 0.02, "mean of the logarithms %g", logs / 40000);
}

/* ---- files --------------------------------------------------------------------------------------- */

static void
the_same_seed_gives_the_same_bytes_and_each_purpose_its_own (void)
{
  static const char *const files[] = { "nodes.csv", "jobs.csv", "queues.csv", "faults.csv", "scenario.yaml" };
  g_autofree char *dir = test_make_dir ();
  const WlPreset *preset = wl_preset ("gpu-training");
  g_autofree char *a = g_build_filename (dir, "a", NULL), *b = g_build_filename (dir, "b", NULL), *c = g_build_filename (dir, "c", NULL);
  g_autofree char *other = g_strconcat (preset->text, "seeds: {durations: 99}\n", NULL);

  if (!written (preset->text, a) || !written (preset->text, b) || !written (other, c))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *x = g_build_filename (a, files[i], NULL), *y = g_build_filename (b, files[i], NULL), *tx = test_read (x, NULL, NULL), *ty = test_read (y, NULL, NULL);

    suite_check (tx != NULL && g_strcmp0 (tx, ty) == 0, "%s is the same", files[i]);
  }
  g_autofree char *x = g_build_filename (a, "jobs.csv", NULL), *y = g_build_filename (c, "jobs.csv", NULL);
  g_autoptr (GArray) one = wl_read_jobs (x, NULL), two = wl_read_jobs (y, NULL);
  guint differ = 0;

  if (!suite_check (one != NULL && two != NULL && one->len == two->len && one->len > 1000, "as many jobs"))
    return;
  for (guint i = 0; i < one->len; i++) {
    const WlJob *p = &g_array_index (one, WlJob, i), *q = &g_array_index (two, WlJob, i);

    suite_check (strcmp (p->name, q->name) == 0 && p->submit == q->submit && strcmp (p->queue, q->queue) == 0 && wl_job_pods (p) == wl_job_pods (q) &&
                   strcmp (wl_job_user (p), wl_job_user (q)) == 0, "%s: all but its running time is the same", p->name);
    differ += wl_role_seconds (&g_array_index (p->roles, WlRole, 0)) != wl_role_seconds (&g_array_index (q->roles, WlRole, 0));
  }
  suite_check (differ > one->len * 9 / 10, "%u of %u running times differ", differ, one->len);
  test_remove_tree (dir);
}

static void
every_preset_makes_a_trace_that_can_be_read (void)
{
  for (const WlPreset *p = wl_presets; p->name != NULL; p++) {
    g_autofree char *dir = test_make_dir ();

    written (p->text, dir); /* it reads what it has written */
    test_remove_tree (dir);
  }
}

static void
nodes_come_and_go_and_fail_by_racks (void)
{
  g_autofree char *dir = test_make_dir (), *nodes = g_build_filename (dir, "nodes.csv", NULL),
                  *faults = g_build_filename (dir, "faults.csv", NULL);

  if (!written ("jobs: 1\narrival: {interval: 1s}\nclasses: [{class: a, duration: 1m, requests: {cpu: 1}}]\nnodes:\n"
                "  - {node: g, count: 2, racks: 2, cpu: 8, labels: zone=z1, joins: [{time: 1h, count: 2}], leaves: [{time: 2h, count: 1}], mtbf: 'exponential:10h', mttr: 1h,"
                " rack_mtbf: 'exponential:100h', rack_mttr: 2h}\n", dir))
    return;
  g_autofree char *n = test_read (nodes, NULL, NULL), *f = test_read (faults, NULL, NULL);
  CU_ASSERT_STRING_EQUAL (n, "node,time,event,labels,cpu\n"
                             "g-0,0,add,pool=g;rack=g-r0;zone=z1,8\n"
                             "g-1,0,add,pool=g;rack=g-r0;zone=z1,8\n"
                             "g-2,3600,add,pool=g;rack=g-r1;zone=z1,8\n"
                             "g-3,3600,add,pool=g;rack=g-r1;zone=z1,8\n"
                             "g-0,7200,remove,,\n");
  CU_ASSERT_STRING_EQUAL (f, "time,kind,target,unit,duration,every\n"
                             "0,crash,pool=g,node,1h,exponential:10h\n"
                             "0,crash,pool=g,rack,2h,exponential:100h\n");
  test_remove_tree (dir);
}

static void
other_folders_are_left_alone (void)
{
  g_autofree char *dir = test_make_dir (), *file = g_build_filename (dir, "notes.txt", NULL);
  const char *text = "jobs: 1\n" NODES "arrival: {interval: 1s}\nclasses: [{class: a, duration: 1m, requests: {cpu: 1}}]\n";
  g_autoptr (WlProfile) p = profile (text);
  g_autoptr (WlGenerated) g = wl_generate (p, 1, NULL);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (file, "mine", -1, NULL);
  gboolean good = wl_generated_write (p, g, text, NULL, NULL, dir, &error);

  suite_check (!good && strstr (error->message, "found other files") != NULL, "%s", error != NULL ? error->message : "written");
  suite_check (g_file_test (file, G_FILE_TEST_EXISTS), "the file is still there");
  test_remove_tree (dir);
}

/* ---- load ---------------------------------------------------------------------------------------- */

static void
the_rate_follows_the_load (void)
{
  g_autoptr (WlProfile) p = profile ("jobs: 5000\n" NODES "arrival: {interval: 'exponential:1h'}\nclasses: [{class: a, duration: 'exponential:1m', requests: {cpu: 1}}]\n");
  g_autoptr (GError) error = NULL;
  double rate = 0;

  gboolean good = wl_generate_rate (p, "cpu", 0.8, &rate, &error);

  if (!suite_check (good, "%s", error != NULL ? error->message : ""))
    return;
  g_autoptr (WlGenerated) g = wl_generate (p, rate, NULL);
  suite_check (fabs (wl_generated_load (p, g, "cpu") - 0.8) < 0.002, "load %g", wl_generated_load (p, g, "cpu"));
  suite_check (fabs (rate - 0.8 * 80 * 60) < 0.05 * 3840, "rate %g, expected about 80 cores × 0.8 × 3600 / 60", rate);
  good = wl_generate_rate (p, "x.io/gpu", 0.8, &rate, &error);
  suite_check (!good && strstr (error->message, "found none") != NULL, "no such resource");
}

/* ---- fit ----------------------------------------------------------------------------------------- */

static void
a_fit_finds_what_a_trace_was_drawn_from (void)
{
  g_autofree char *dir = test_make_dir (), *from = g_build_filename (dir, "from", NULL), *to = g_build_filename (dir, "to", NULL);

  if (!written ("seed: 5\nspan: 240h\n" NODES "arrival: {interval: 'exponential:100s'}\nqueues: {count: 3, zipf: 1}\nusers: {count: 20, zipf: 1.2}\n"
                "classes:\n  - {class: s, share: 3, duration: 'lognormal:5m:1', requests: {cpu: 1}}\n"
                "  - {class: b, priority: 7, duration: 'weibull:1h:0.6', requests: {cpu: 4, replicas: 2}}\n", from))
    return;
  g_autoptr (GError) error = NULL;
  g_autoptr (WlFit) fit = wl_fit (from, NULL, &error);
  double median = 0, sigma = 0, scale = 0, shape = 0, mean = 0, zipf = 0;

  if (!suite_check (fit != NULL, "%s", error != NULL ? error->message : ""))
    return;
  const char *text = wl_fit_profile (fit), *l = strstr (text, "lognormal:"), *w = strstr (text, "weibull:"), *e = strstr (text, "interval: exponential:"),
             *z = strstr (text, "users: {count: 20, zipf: ");

  suite_check (l != NULL && sscanf (l, "lognormal:%lf:%lf", &median, &sigma) == 2 && fabs (median - 300) < 20 && fabs (sigma - 1) < 0.04, "median %g, sigma %g", median, sigma);
  suite_check (w != NULL && sscanf (w, "weibull:%lf:%lf", &scale, &shape) == 2 && fabs (scale - 3600) < 360 && fabs (shape - 0.6) < 0.03, "scale %g, shape %g", scale, shape);
  suite_check (e != NULL && sscanf (e, "interval: exponential:%lf", &mean) == 1 && fabs (mean - 100) < 4, "mean %g", mean);
  suite_check (z != NULL && sscanf (z, "users: {count: 20, zipf: %lf", &zipf) == 1 && fabs (zipf - 1.2) < 0.05, "zipf %g", zipf);
  if (written (text, to)) {
    g_autoptr (GString) csv = g_string_new (NULL);
    g_autofree char *table = wl_fit_table (fit, to, csv, &error);
    char *save = NULL;

    suite_check (table != NULL, "%s", error != NULL ? error->message : "");
    for (char *line = strtok_r (table, "\n", &save); line != NULL; line = strtok_r (NULL, "\n", &save)) {
      const char *ks = strrchr (line, ' ');

      /* 240 hours and 20 users differ that much by chance: 1.36 · sqrt (2 / 240) */
      if (!g_str_has_prefix (line, "How") && !g_str_has_prefix (line, " ") && !g_str_has_prefix (line, "note"))
        suite_check (g_ascii_strtod (ks, NULL) < (g_str_has_prefix (line, "jobs in an hour") ? 0.125 : 0.05), "%s", line);
    }
  }
  test_remove_tree (dir);
}

/* What is not a marginal comes along, so that the jobs can run: classes of priority, the configuration, what nodes carry and jobs ask of them. */
static void
a_fit_keeps_what_the_jobs_need (void)
{
  static const char *const profile[] = { "  interval: 0\n", "    labels: \"pool=gpu;zone=a\"\n", "    taints: \"gpu:NoSchedule\"\n", "    annotations: \"note=a\\\\;b\"\n",
                                         "priority_classes:\n  high: 100\n", "conf: |\n  actions: \"enqueue, allocate\"\n  tiers:\n",
                                         "    columns:\n      node_selector: \"pool=gpu;zone=a|b;rank>1\"\n      tolerations: \"gpu=:NoSchedule;x:NoExecute@60\"\n",
                                         "    endless: 1\n    shapes:", "    endless: 0.5\n    duration: 5\n",
                                         "    share: 3\n    priority: \"7\"\n    gang: false\n" /* the one job of several pods is none */ };
  g_autofree char *dir = test_make_dir (), *to = g_build_filename (dir, "to", NULL), *scenario = g_build_filename (to, "scenario.yaml", NULL), *jobs = g_build_filename (to, "jobs.csv", NULL);
  g_autoptr (GError) error = NULL;

  g_free (test_write (dir, "nodes.csv", "node,cpu,memory,labels,taints,annotations\na,8,8Gi,pool=gpu;zone=a,gpu:NoSchedule,note=a\\;b\nb,8,8Gi,,,\n"));
  g_free (test_write (dir, "jobs.csv", "job,submit,cpu,memory,duration,priority,node_selector,tolerations,replicas,min_available\na,0,1,1500000001,inf,high,pool=gpu;zone=a|b;rank>1,gpu=:NoSchedule;x:NoExecute@60,1,\n"
                                    "b,0,1,1Gi,5,,,,1,\nc,0,1,1Gi,inf,,,,1,\nd,0,1,1Gi,5,7,,,1,1\ne,0,1,1Gi,5,7,,,1,1\nf,0,500m,1Gi,5,7,,,2,1\n"));
  g_free (test_write (dir, "my.conf", "actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: predicates\n"));
  g_free (test_write (dir, "scenario.yaml", "nodes: nodes.csv\njobs: jobs.csv\nconf: my.conf\npriority_classes:\n  high: 100\n"));
  g_autoptr (WlFit) fit = wl_fit (dir, NULL, &error);

  if (!suite_check (fit != NULL, "%s", error != NULL ? error->message : ""))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (profile); i++)
    suite_check (strstr (wl_fit_profile (fit), profile[i]) != NULL, "%s is not in\n%s", profile[i], wl_fit_profile (fit));
  if (written (wl_fit_profile (fit), to)) {
    g_autofree char *out = g_build_filename (dir, "out", NULL), *complaint = NULL, *text = test_read (scenario, NULL, NULL), *rows = test_read (jobs, NULL, NULL);
    char *run[] = { (char *) g_getenv ("VOLSIM_BIN"), (char *) "run", scenario, (char *) "--no-charts", (char *) "--until", (char *) "60", (char *) "--out", out, NULL };

    suite_check (strstr (text, "conf: volcano-scheduler.conf\npriority_classes:\n  high: 100\n") != NULL, "%s", text);
    suite_check (strstr (rows, ",inf") != NULL, "%s", rows);
    suite_check (strstr (rows, ",1500000001") != NULL, "memory is kept to the byte: %s", rows);
    suite_check (test_run (run, NULL, &complaint) == 0, "%s", complaint);
  }
  test_remove_tree (dir);
}

/* A third of the jobs never end; the others run exactly as long as they would without that. */
static void
endless_jobs_change_no_others (void)
{
  static const char *const text[] = { "jobs: 3000\n" NODES "arrival: {interval: 1s}\nclasses: [{class: a, duration: 'exponential:1h', requests: {cpu: 1}}]\n",
                                      "jobs: 3000\n" NODES "arrival: {interval: 1s}\nclasses: [{class: a, duration: 'exponential:1h', requests: {cpu: 1}, endless: 0.333}]\n" };
  g_autofree char *dir = test_make_dir ();
  TestTable t[2] = { { 0 }, { 0 } };
  guint endless = 0, other = 0;

  for (guint i = 0; i < 2; i++) {
    g_autofree char *name = g_strdup_printf ("t%u", i), *to = g_build_filename (dir, name, NULL), *jobs = g_build_filename (to, "jobs.csv", NULL);

    if (!written (text[i], to) || !suite_check (test_table_read (&t[i], jobs, NULL) && t[i].rows->len == 3000, "%s", jobs))
      return;
  }
  for (guint r = 0; r < 3000; r++) {
    const char *now = test_table_cell (&t[1], r, test_table_column (&t[1], "duration"));

    if (strcmp (now, "inf") == 0)
      endless++;
    else
      other += strcmp (now, test_table_cell (&t[0], r, test_table_column (&t[0], "duration"))) != 0;
  }
  suite_check (endless > 900 && endless < 1100 && other == 0, "%u never end, %u others differ", endless, other); /* 999 ± 26 */
  test_table_clear (&t[0]);
  test_table_clear (&t[1]);
  test_remove_tree (dir);
}

static void
distances_of_distributions (void)
{
  g_autoptr (GArray) a = g_array_new (FALSE, FALSE, sizeof (double)), b = g_array_new (FALSE, FALSE, sizeof (double)), none = g_array_new (FALSE, FALSE, sizeof (double));

  for (double x = 1; x <= 4; x++)
    g_array_append_val (a, x); /* 1 2 3 4 */
  for (double x = 3; x <= 4; x++)
    g_array_append_val (b, x); /* 3 4 */
  CU_ASSERT_EQUAL (wl_ks_distance (a, a), 0);
  CU_ASSERT_EQUAL (wl_ks_distance (a, b), 0.5); /* below 3: a half against nothing */
  CU_ASSERT_EQUAL (wl_ks_distance (b, a), 0.5);
  CU_ASSERT_EQUAL (wl_ks_distance (a, none), 1);
  CU_ASSERT_EQUAL (wl_percentile (a, 50), 2);
  CU_ASSERT_EQUAL (wl_percentile (a, 95), 4);
}

/* ---- mistakes ------------------------------------------------------------------------------------ */

static void
mistakes_of_a_profile_are_named (void)
{
#define CLASSES "classes: [{class: a, duration: 1m, requests: {cpu: 1}}]\n"
#define HEAD "jobs: 1\n" NODES "arrival: {interval: 1s}\n"
  static const struct { const char *text, *says; } bad[] = {
    { "", "profile.yaml:1:1: expected a profile, found an empty document" },
    { "jobs: [1\n", "profile.yaml:" },
    { "jobs: 0\n" NODES "arrival: {interval: 1s}\n" CLASSES, "jobs, expected more than 0, found 0" },
    { "span: 0\n" NODES "arrival: {interval: 1s}\n" CLASSES, "span, expected more than 0, found 0" },
    { "jobs: 1\nclasses: [{class: a, duration: 1m, requests: {cpu: 1},\n priority: 1e309}]\n" NODES "arrival: {interval: 1s}\n",
      "profile.yaml:3:12: priority, expected a whole number or a name of priority_classes, found '1e309'" },
    { HEAD "priority_classes: {high: 1}\nclasses: [{class: a, duration: 1m, requests: {cpu: 1}, priority: nan}]\n", "a name of priority_classes, found 'nan'" },
    { "[1]\n", "profile.yaml:1:1: profile, expected a map, found a list" },
    { "jobs: 1\n" NODES "arrival: {interval: 1s}\n", "expected the key 'classes', found none" },
    { HEAD "clases: 1\n", "profile.yaml:4:1: profile, unknown key 'clases'; did you mean 'classes'?" },
    { HEAD CLASSES "jobs: 2\n", "profile.yaml:5:1: profile, key 'jobs' is given twice" },
    { NODES "arrival: {interval: 1s}\n" CLASSES, "expected an end of the arrivals: 'span' or 'jobs', found neither" },
    { "jobs: -1\n" NODES "arrival: {interval: 1s}\n" CLASSES, "profile.yaml:1:7: " },
    { "jobs: 1\n" NODES CLASSES, "expected 'arrival', of class 'a' or of all, found none" },
    { "jobs: 1\n" NODES "arrival: {}\n" CLASSES, "expected either 'interval' (time between jobs) or 'replay', found neither" },
    { "jobs: 1\n" NODES "arrival: {interval: often}\n" CLASSES, "profile.yaml:3:21: expected a time or a distribution such as" },
    { "jobs: 1\n" NODES "arrival: {interval: 1s, children: 1, delay: 1s}\n" CLASSES, "fewer than 1 child a job" },
    { "jobs: 1\n" NODES "arrival: {interval: 1s, children: 0.5}\n" CLASSES, "'children' above 0 together with 'delay'" },
    { "jobs: 1\n" NODES "arrival: {interval: 1s, day: 1 2 3 4 5 6 7}\n" CLASSES, "a number of weights that divides the day" },
    { "jobs: 1\n" NODES "arrival: {interval: 1s, day: 0 0}\n" CLASSES, "day, expected a number above 0 among them, found none" },
    { "jobs: 1\n" NODES "arrival: {interval: 1s, week: 1 1 x 1 1 1 1}\n" CLASSES, "week, expected numbers from 0, found 'x'" },
    { "jobs: 1\n" NODES "arrival: {interval: 1s, week: 1 1}\n" CLASSES, "week, expected 7 numbers, found 2" },
    { "jobs: 1\n" NODES "arrival: {replay: missing.csv, block: 7h}\n" CLASSES, "a 'block' that divides the day" },
    { HEAD "classes: [{class: a, endless: 1.5, duration: 1m, requests: {cpu: 1}}]\n", "class 'a', expected 'endless' from 0 to 1, found more" },
    { HEAD "classes: [{class: a, endless: 0.5, requests: {cpu: 1}}]\n", "class 'a', expected either 'duration' (above 0) or 'hyper_gamma', found neither" },
    { HEAD CLASSES "priority_classes: {low: few}\n", "profile.yaml:5:20: not a whole number, expected" },
    { HEAD CLASSES "priority_classes: [low]\n", "priority_classes, expected a map from name to integer, found a list" },
    { "jobs: 1\nnodes: [{node: n, cpu: 1, labels: 'a=b;pool=x', mtbf: 1h, mttr: 1h}]\narrival: {interval: 1s}\n" CLASSES, "expected failures without a label 'pool'" },
    { HEAD "classes: [{class: a, requests: {cpu: 1}}]\n", "class 'a', expected either 'duration' (above 0) or 'hyper_gamma', found neither" },
    { HEAD "classes: [{class: A, duration: 1m, requests: {cpu: 1}}]\n", "profile.yaml:4:19: " },
    { HEAD "classes: [{class: a, duration: 1m}]\n", "class 'a', expected 'requests' or 'shapes', found neither" },
    { HEAD "classes: [{class: a, duration: 1m, requests: {gpu: 1}}]\n", "requests, unknown key 'gpu'" },
    { HEAD "classes: [{class: a, duration: 1m, requests: {cpu: 2 * memory}}]\n", "cpu, expected the name of a resource that is given before, found 'memory'" },
    { HEAD "classes: [{class: a, duration: 1m, requests: {cpu: 1}, share: 0}]\n", "a class with a share above 0" },
    { HEAD "classes: [{class: a, duration: 1m, two_stage: 1 2 3, requests: {cpu: 1}}]\n", "two_stage, expected six numbers with blanks between, found 3" },
    { HEAD "classes: [{class: a, duration: 1m, requests: {cpu: 1}}, {class: a, duration: 1m, requests: {cpu: 1}}]\n", "class 'a' is given twice" },
    { HEAD "queues: [{queue: q}]\nclasses: [{class: a, queue: p, duration: 1m, requests: {cpu: 1}}]\n", "class 'a', expected a queue of 'queues', found 'p'" },
    { "jobs: 1\narrival: {interval: 1s}\nnodes: [{node: n, cpu: 1, mtbf: 1h}]\n" CLASSES, "the time between failures and the time to repair together" },
    { "jobs: 1\narrival: {interval: 1s}\nnodes: [{node: n, cpu: 1, leaves: [{time: 1h, count: 2}]}]\n" CLASSES, "as many nodes as leave, found fewer" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (WlProfile) p = wl_profile_read ("profile.yaml", bad[i].text, strlen (bad[i].text), &error);

    suite_check (p == NULL && error != NULL && strstr (error->message, bad[i].says) != NULL && strchr (error->message, '\n') == NULL, "%s\nshould say: %s\nsays: %s",
                 bad[i].text, bad[i].says, error != NULL ? error->message : "nothing");
  }
}

/* Columns that are passed on are checked by the reader of the trace. */
static void
what_cannot_be_read_is_not_written (void)
{
  g_autofree char *dir = test_make_dir (), *out = g_build_filename (dir, "out", NULL);
  const char *text = HEAD "classes: [{class: a, duration: 1m, requests: {cpu: 1}, columns: {failure: often}}]\n";
  g_autoptr (WlProfile) p = profile (text);
  g_autoptr (WlGenerated) g = wl_generate (p, 1, NULL);
  g_autoptr (GError) error = NULL;

  gboolean good = wl_generated_write (p, g, text, NULL, NULL, out, &error);

  suite_check (!good && g_str_has_prefix (error->message, "profile.yaml: what it makes cannot be read: jobs.csv:2:"), "%s", error != NULL ? error->message : "written");
  g_autoptr (GDir) d = g_dir_open (dir, 0, NULL);
  suite_check (g_dir_read_name (d) == NULL, "nothing is left behind");
  test_remove_tree (dir);
}

static CU_TestInfo tests[] = {
  { "arrivals have the mean of their interval", arrivals_have_the_mean_of_their_interval },
  { "children make bursts and keep the rate", children_make_bursts_and_keep_the_rate },
  { "hours and days have their weights", hours_and_days_have_their_weights },
  { "a replay takes recorded pieces of the same time of day", a_replay_takes_recorded_pieces_of_the_same_time_of_day },
  { "requests follow each other", requests_follow_each_other },
  { "queues and users have Zipf shares", queues_and_users_have_zipf_shares },
  { "the model of Lublin has its marginals", the_model_of_lublin_has_its_marginals },
  { "the same seed gives the same bytes and each purpose its own", the_same_seed_gives_the_same_bytes_and_each_purpose_its_own },
  { "every preset makes a trace that can be read", every_preset_makes_a_trace_that_can_be_read },
  { "nodes come and go and fail by racks", nodes_come_and_go_and_fail_by_racks },
  { "other folders are left alone", other_folders_are_left_alone },
  { "the rate follows the load", the_rate_follows_the_load },
  { "a fit finds what a trace was drawn from", a_fit_finds_what_a_trace_was_drawn_from },
  { "a fit keeps what the jobs need", a_fit_keeps_what_the_jobs_need },
  { "endless jobs change no others", endless_jobs_change_no_others },
  { "distances of distributions", distances_of_distributions },
  { "mistakes of a profile are named", mistakes_of_a_profile_are_named },
  { "what cannot be read is not written", what_cannot_be_read_is_not_written },
  CU_TEST_INFO_NULL,
};

int
main (void)
{
  return suite_run ("generate", tests);
}
