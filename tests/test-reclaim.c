/* tests/test-reclaim.c - what reclaim remembers of nodes and victims, and how drawn ties are found in what is remembered of shapes, decides as the plain
 * ways do: runs with many futile attempts and some that evict. */
#include "core/base/random.h"
#include "run-helper.h"
#include "suite.h"
#include <glib/gstdio.h>
#include <string.h>

#define HEAD "actions: \"enqueue, allocate, reclaim, backfill\"\ntiers:\n"
#define GANG "- plugins:\n  - name: priority\n  - name: gang\n  - name: conformance\n"

/* Jobs of four queues on a cluster that soon is full: sizes are few, so that many are alike, and the later ones come to queues below their share. */
static char *
jobs_of (guint seed)
{
  static const char *const queues[] = { "a", "b", "c", "d" };
  GString *rows = g_string_new ("job,submit,queue,replicas,min_available,cpu,memory,nvidia.com/gpu,duration\n");
  VcRandom r;

  vc_random_init (&r, seed, "reclaim", NULL, 0);
  for (guint i = 0; i < 220; i++) {
    guint size = (guint) vc_random_below (&r, 4), replicas = 1 + (guint) vc_random_below (&r, 3);
    const char *queue = queues[i < 90 ? vc_random_below (&r, 2) : vc_random_below (&r, 4)];

    g_string_append_printf (rows, "j%u,%u,%s,%u,1,%u,%uGi,%u,%u\n", i, i, queue, replicas, 2 + 3 * size, 4 + 8 * size, 1 + size, 60 + 40 * (guint) vc_random_below (&r, 8));
  }
  return g_string_free (rows, FALSE);
}

static guint
lines_of (const char *dir, const char *name)
{
  g_autofree char *path = g_build_filename (dir, name, NULL), *text = NULL;
  guint n = 0;

  if (!suite_check (g_file_get_contents (path, &text, NULL, NULL), "%s is missing", path))
    return 0;
  for (const char *at = text; (at = strchr (at, '\n')) != NULL; at++)
    n++;
  return n;
}

static void
check_conf (const char *text, gboolean deserved)
{
  static const char *const ties[] = { "first", "random:7" };

  for (guint seed = 1; seed <= 2; seed++) {
    g_autofree char *rows = jobs_of (seed), *dir = test_make_dir ();
    g_autofree char *conf = test_write (dir, "volcano-scheduler.conf", text), *jobs = test_write (dir, "jobs.csv", rows);
    g_autofree char *nodes = test_write (dir, "nodes.csv", "node,cpu,memory,nvidia.com/gpu,count\nbig,64,256Gi,8,9\nsmall,16,64Gi,2,6\n");
    g_autofree char *queues = test_write (dir, "queues.csv", !deserved ? "queue,weight\na,1\nb,1\nc,2\nd,1\n"
                                          : "queue,weight,deserved/cpu,deserved/memory,deserved/nvidia.com/gpu\n"
                                            "a,1,120,400Gi,16\nb,1,120,400Gi,16\nc,1,200,800Gi,34\nd,1,120,400Gi,18\n");

    for (guint k = 0; k < G_N_ELEMENTS (ties); k++) {
      /* Cycles with nothing to decide draw ties, too, when they are not skipped: drawn ties are compared with none skipped. */
      g_autofree char *out_dir = g_build_filename (dir, ties[k], NULL);
      const char *const args[] = { "--nodes", nodes, "--jobs", jobs, "--queues", queues, "--conf", conf, "--ties", ties[k], "--minimum-feasible-nodes", "4", "--until", "400", k > 0 ? "--no-skip" : NULL, NULL };

      g_mkdir (out_dir, 0700);
      g_autofree char *out = test_run_all_ways (out_dir, args);
      suite_check (lines_of (out, "evictions.csv") > 2, "seed %u, ties %s: nothing is reclaimed", seed, ties[k]);
    }
    test_remove_tree (dir);
  }
}

static void
shares_by_weight_are_reclaimed_alike (void)
{
  check_conf (HEAD GANG "- plugins:\n  - name: drf\n  - name: predicates\n  - name: proportion\n  - name: nodeorder\n", FALSE);
}

static void
deserved_amounts_are_reclaimed_alike (void)
{
  check_conf (HEAD GANG "- plugins:\n  - name: predicates\n  - name: capacity\n  - name: binpack\n", TRUE);
}

static void
filters_of_one_tier_are_asked_alike (void)
{
  check_conf (HEAD "- plugins:\n  - name: priority\n  - name: conformance\n  - name: cdp\n  - name: proportion\n- plugins:\n  - name: gang\n  - name: predicates\n", FALSE);
}

static CU_TestInfo tests[] = {
  { "shares by weight are reclaimed alike", shares_by_weight_are_reclaimed_alike },
  { "deserved amounts are reclaimed alike", deserved_amounts_are_reclaimed_alike },
  { "filters of one tier are asked alike", filters_of_one_tier_are_asked_alike },
  CU_TEST_INFO_NULL
};

int
main (void)
{
  return suite_run ("reclaim", tests);
}
