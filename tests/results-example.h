/* tests/results-example.h - a small run with figures that can be worked out by hand, and a place to
 * write it.
 *
 * Included by test-results.c alone; a file of its own to keep that one readable. */
#pragma once
#include "reports/results/results.h"
#include "tests/suite.h"

#include <glib/gstdio.h>
#include <math.h>

#define S(seconds) ((gint64) ((seconds) *G_USEC_PER_SEC))

static const RpResource resources[] = { { "cpu", 1000 }, { "memory", 1 } };
static const char *const extra[] = { "x_user" };

/* ---- a place for the files ------------------------------------------------------------------ */

static char *
make_place (void)
{
  g_autoptr (GError) error = NULL;
  char *dir = g_dir_make_tmp ("volsim-results-XXXXXX", &error);

  g_assert_no_error (error);
  return dir;
}

static void
remove_all (const char *path)
{
  g_autoptr (GDir) d
      = g_file_test (path, G_FILE_TEST_IS_SYMLINK) ? NULL : g_dir_open (path, 0, NULL);
  const char *name;

  while (d != NULL && (name = g_dir_read_name (d)) != NULL) {
    g_autofree char *child = g_build_filename (path, name, NULL);

    remove_all (child);
  }
  (void) g_remove (path);
}

static guint
count_entries (const char *path)
{
  g_autoptr (GDir) d = g_dir_open (path, 0, NULL);
  guint n = 0;

  while (d != NULL && g_dir_read_name (d) != NULL)
    n++;
  return n;
}

static char *
read_in (const char *dir, const char *name)
{
  g_autofree char *path = g_build_filename (dir, name, NULL);
  char *text = NULL;

  suite_check (g_file_get_contents (path, &text, NULL, NULL), "cannot read %s", path);
  return text != NULL ? text : g_strdup ("");
}

/* ---- the example ----------------------------------------------------------------------------- *
 * time            0        10        30        50 (end)
 * capacity        10 cores, 100 B    20 cores, 200 B
 * allocated       0        4; 50 B   10; 50 B
 * queue a (w 1)   nothing  1; 50 B   1; 50 B       share 0, max(0.1, 0.5) = 0.5, max(0.05, 0.25) =
 * 0.25 queue b (w 3)   waits    3         9             share 0, 0.3, 0.45 */

static void
write_example (RpResults *r, gboolean deserved)
{
  static const gint64 at[] = { 0, 10, 30 };
  static const double cap[][2] = { { 10000, 100 }, { 10000, 100 }, { 20000, 200 } };
  static const double a[][2] = { { 0, 0 }, { 1000, 50 }, { 1000, 50 } },
                      b[][2] = { { 0, 0 }, { 3000, 0 }, { 9000, 0 } };
  static const double five[] = { 5000, 0 }, requested[] = { 1500, 7 }, none[] = { 0, 0 };
  const char *const reason[] = { "Insufficient cpu", "queue, \"b\"" };
  const guint32 reason_pods[] = { 2, 1 };

  for (guint i = 0; i < 3; i++) {
    const double used[] = { a[i][0] + b[i][0], a[i][1] + b[i][1] };
    const double idle[] = { cap[i][0] - used[0], cap[i][1] - used[1] };
    const RpCycle c = { .time = S (at[i]),
                        .binds = i,
                        .evictions = i == 2,
                        .pending = i == 1 ? 3 : 1,
                        .running = 10 * i,
                        .pg_pending = 1,
                        .jobs_waiting = 4 - i,
                        .jobs_running = i,
                        .nodes = 2,
                        .e2e = i == 1 ? S (0.25) : 0,
                        .capacity = cap[i],
                        .allocated = used,
                        .requested = requested,
                        .idle = idle,
                        .fragmented = none,
                        .n_reasons = i == 1 ? 2 : 0,
                        .reason = reason,
                        .reason_pods = reason_pods,
                        .scheduler = "volcano" };
    const RpQueue qa = { .time = S (at[i]),
                         .queue = "a",
                         .scheduler = "volcano",
                         .weight = 1,
                         .share = 1.0 / 3,
                         .allocated = a[i],
                         .running_jobs = i > 0,
                         .pg_running = i > 0,
                         .deserved = deserved ? five : NULL,
                         .request = deserved ? five : NULL };
    const RpQueue qb = { .time = S (at[i]),
                         .queue = "b",
                         .scheduler = "second",
                         .weight = 3,
                         .overused = i == 2,
                         .allocated = b[i],
                         .pending_jobs = 1,
                         .deserved = deserved ? five : NULL,
                         .inqueue = five };

    rp_results_cycle (r, &c);
    rp_results_queue (r, &qa);
    rp_results_queue (r, &qb);
  }

  const double u100[] = { 100000, 10 }, w25[] = { 25000, 0 }, pod[] = { 1500, 20 }, gang[] = { 4500, 60 };
  const char *const user[] = { "ann,o" };
  const RpJob jobs[] = {
    { .ns = "default",
      .job = "j1",
      .kind = "vcjob",
      .scheduler = "volcano",
      .queue = "a",
      .submit = 0,
      .inqueue = 0,
      .first_bind = S (5),
      .gang_start = S (10),
      .finish = S (20),
      .phase = "Completed",
      .podgroup = "",
      .evictions = 1,
      .restarts = 2,
      .pods = 4,
      .min_available = 3,
      .run = S (10),
      .used = u100,
      .wasted = w25,
      .lost = 2500000,
      .hyper_node = "s1",
      .tier_name = "spine",
      .tier = 2,
      .racks = 2,
      .topology_cost = 2.0 / 3,
      .reason = "waited",
      .priority = -7,
      .preemptable = TRUE,
      .pod = pod,
      .least = gang,
      .places = 3,
      .pool = 1,
      .extra = user },
    { .ns = "default",
      .job = "j2",
      .kind = "vcjob",
      .scheduler = "second",
      .queue = "a",
      .submit = 0,
      .inqueue = 0,
      .first_bind = S (30),
      .gang_start = S (30),
      .finish = S (31),
      .phase = "Failed",
      .podgroup = "Completed",
      .run = S (1),
      .used = none,
      .wasted = none,
      .reason = "",
      .owner = "CronJob/c" },
    { .ns = "default",
      .job = "j3",
      .kind = "pod",
      .scheduler = "volcano",
      .queue = "b",
      .submit = S (5),
      .inqueue = S (5),
      .first_bind = S (5),
      .gang_start = S (5),
      .finish = S (25),
      .phase = "Completed",
      .podgroup = "",
      .run = S (20),
      .used = u100,
      .wasted = none,
      .hyper_node = "r1",
      .tier_name = "",
      .tier = 1,
      .racks = 1,
      .topology_cost = (double) NAN, /* one pod */
      .reason = "" },
    { .ns = "default",
      .job = "j4",
      .kind = "vcjob",
      .scheduler = "second",
      .queue = "b",
      .submit = S (5),
      .inqueue = S (10),
      .first_bind = RP_NONE,
      .gang_start = RP_NONE,
      .finish = RP_NONE,
      .phase = "Pending",
      .podgroup = "Inqueue",
      .pods = 2,
      .run = RP_NONE,
      .used = none,
      .wasted = none,
      .pool = RP_NO_POOL,
      .cause = "enqueue",
      .by = "proportion",
      .missing = 2,
      .reason = "queue full" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++)
    rp_results_job (r, &jobs[i]);

  const RpTask tasks[] = {
    { .ns = "default",
      .job = "j1",
      .task = "w",
      .index = 0,
      .attempt = 1,
      .pod = "j1-w-0",
      .node = "n1",
      .created = 0,
      .assumed = S (4),
      .bound = S (5),
      .running = S (5.25),
      .evicted = RP_NONE,
      .finished = S (20),
      .outcome = "Succeeded",
      .lost = 1250000,
      .scheduler = "volcano" },
    { .ns = "default",
      .job = "j4",
      .task = "w",
      .pod = "j4-w-0",
      .node = "",
      .created = S (10) + 1,
      .assumed = RP_NONE,
      .bound = RP_NONE,
      .running = RP_NONE,
      .evicted = RP_NONE,
      .finished = RP_NONE,
      .outcome = "Pending",
      .scheduler = "second" },
  };
  const RpEviction evictions[] = {
    { S (30), "reclaim", "default", "j1", "a", "w", 0, 1, "n1", S (4.5), "default", "j4", "b", pod },
    { S (31), "shuffle", "default", "j1", "a", "w", 1, 0, "", RP_NONE, "", "", "", pod },
  };
  const RpQuota quota = { 0, "a", "root", 3, 10, TRUE, none, pod, gang };
  const RpNode node = { "n1", gang, 5 };

  for (guint i = 0; i < G_N_ELEMENTS (evictions); i++)
    rp_results_eviction (r, &evictions[i]);
  rp_results_quota (r, &quota);
  rp_results_node (r, &node);
  const RpEvent event = { S (5), "Pod", "default", "j1-w-0", "bound", "n1" };
  const RpPhase phases[] = {
    { 0, "job", "default", "j1", "Pending", 0, 0 },
    { 0, "podgroup", "default", "j1", "Inqueue", 0, 0 },
    { S (1), "job", "default", "j9", "Rejected", 0, 0 },
    { S (2), "job", "default", "j1", "Running", 1, 2 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (tasks); i++)
    rp_results_task (r, &tasks[i]);
  rp_results_event (r, &event);
  for (guint i = 0; i < G_N_ELEMENTS (phases); i++)
    rp_results_phase (r, &phases[i]);
  const RpWait waits[] = {
    { "default", "j1", "a", 0, S (10), FALSE, "enqueue", "overcommit", "", 0, 0, "", "" },
    { "default", "j1", "a", S (12), S (13.5), TRUE, "nodes", "", "Insufficient cpu", 3, 2, "default/j2", "jobs: priority" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (waits); i++)
    rp_results_wait (r, &waits[i]);
  const double room[] = { 5000, 100 }, taken[] = { 2000, 50 };
  const RpRack racks[] = { { S (10), "r1", "z1/s1", 1, 2, room, taken }, { S (30), NULL, "", 3, 1, room, none }, { S (30), "r1", "z1/s1", 1, 0, none, none } };
  g_autoptr (GError) error = NULL;

  CU_ASSERT (rp_results_racks (r, &error));
  for (guint i = 0; i < G_N_ELEMENTS (racks); i++)
    rp_results_rack (r, &racks[i]);
  rp_results_end (r, S (50));
}

static gboolean
commit (RpResults *r, double wall_seconds, GError **error)
{
  const char *const names[] = { "nodes.csv", "jobs.csv" }, *const digests[] = { "11", "22" },
                    *const actions[] = { "allocate" };
  const RpManifest m
      = { .version = "9.9", .conf_text = "actions: \"allocate\"\n", .command = "volsim run x.yaml --period 1", .conf_digest = "abcd",
          .n_inputs = 2, .input_name = names, .input_digest = digests, .period = S (1), .seed = G_MAXUINT64, .start_date = "2026-01-01T00:00:00Z" };
  const double seconds[] = { 0.25 };
  const RpTiming t = { .run = { .wall = wall_seconds },
                       .cycles = 51,
                       .cycles_skipped = 48,
                       .binds = 3,
                       .n_actions = 1,
                       .action = actions,
                       .action_seconds = seconds };

  return rp_results_commit (r, &m, &t, FALSE, NULL, error);
}

static gboolean
write_result (const char *dir, gboolean deserved, double wall_seconds, char **text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (RpResults) r = rp_results_new (dir, resources, 2, extra, 1, &error);
  gboolean ok;

  if (!suite_check (r != NULL, "%s", error != NULL ? error->message : ""))
    return FALSE;
  write_example (r, deserved);
  ok = suite_check (commit (r, wall_seconds, &error), "%s", error != NULL ? error->message : "");
  if (text != NULL)
    *text = rp_results_summary_text (r);
  return ok;
}
