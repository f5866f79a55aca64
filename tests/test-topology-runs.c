/* tests/test-topology-runs.c - HyperNodes, topologies and partitions in runs: folders of tests/topology. */
#include "hand-case.h"
#include "run-helper.h"
#include "suite.h"
#include <string.h>

#define CASES(CASE)                                                                                                                       \
  CASE (hyper_nodes_follow_the_labels_of_nodes, "labels")                                                                                 \
  CASE (hyper_nodes_come_and_go, "over-time")                                                                                             \
  CASE (every_partition_has_a_hyper_node_and_comes_back_to_it, "partitions")                                                              \
  CASE (a_new_scheduler_finds_out_where_partitions_are, "restart")

#define DEFINE(name, folder)              \
  static void                             \
  name (void)                             \
  {                                       \
    hand_case_check ("topology/" folder); \
  }
CASES (DEFINE)

#define FOLDER(name, folder) folder,
static void
no_folder_is_forgotten (void)
{
  static const char *const folders[] = { CASES (FOLDER) NULL };

  hand_case_no_other ("topology", folders);
}

/* What --explain TARGET says about a file of tests/topology holds @want. */
static void
explains (const char *file, const char *target, const char *want)
{
  const char *root = g_getenv ("G_TEST_SRCDIR") != NULL ? g_getenv ("G_TEST_SRCDIR") : "tests";
  g_autofree char *objects = g_build_filename (root, "topology", file, NULL), *conf = g_build_filename (root, "topology/volcano-scheduler.conf", NULL);
  char *args[] = { (char *) g_getenv ("VOLSIM_BIN"), (char *) "cycle", (char *) "--conf", conf, (char *) "--explain", (char *) target, objects, NULL };
  g_autofree char *out = NULL, *complaint = NULL;

  suite_check (test_run (args, &out, &complaint) == 0, "%s", complaint);
  suite_check (strstr (out, want) != NULL, "wanted\n%s    in\n%s", want, out);
}

/* Racks of two nodes and of one: the gang of two fits into the first only. The score: see the plugin's head. */
static void
explanations_tell_the_hyper_nodes (void)
{
  explains ("explain.yaml", "default/g",
            "nodes of s0 for default/g-w-0: chosen n1\n"
            "    node                     room            predicates  network-topology-aware      total\n"
            "  * n1                       idle                     0                       0          0\n"
            "    n2                       idle                     0                       0          0\n"
            "nodes of s0 for default/g-w-1: chosen n2\n"
            "    node                     room          \n"
            "    n1                       no              Insufficient cpu\n"
            "  * n2                       idle          \n"
            "HyperNodes for sub-job default/g, gradient 1: chosen s0\n"
            "  * s0                       tier 1, fits                 75\n"
            "HyperNodes for job default/g, gradient 1: chosen s0\n"
            "  * s0                       tier 1, fits                 75\n"
            "    s1                       tier 1, does not fit\n");
}

/* g has two pods in s3, one in s4, both below s1 (tier 2 of 3), and places the fourth. Its 5 cpu make s3 (2 + 5) / 12 full, s4 (1 + 5) / 8, and do not fit
 * into s5. In s4, which is taken, a node is (3 - 2) / (3 - 1) near to s1, and a quarter of the tasks is inside; of s3 and s5 no table is left. */
static void
explanations_tell_nodes_of_the_hyper_node_that_is_taken (void)
{
  explains ("explain-terms.yaml", "default/g",
            "EXPLAIN default/g\n"
            "HyperNodes for sub-job default/g, gradient 1: chosen s3\n"
            "  * s3                       tier 1, fits            58.3333\n"
            "nodes of s4 for default/g-3: chosen b1\n"
            "    node                     room            predicates  network-topology-aware      total\n"
            "  * b1                       idle                     0                      75         75\n"
            "    b2                       idle                     0                      75         75\n"
            "    score, with its weight    near*1  inside*1\n"
            "  * b1                            50        25\n"
            "    b2                            50        25\n"
            "HyperNodes for sub-job default/g, gradient 1: chosen s4\n"
            "  * s4                       tier 1, fits                 75\n");
}

/* z has no topology. Weights 1, 0.8 and 0.64 of the three tiers, together 2.44; with its cpu a1 is in s3 (3 of 12), s1 (4 of 20) and the root (4 of 24),
 * c1 in s5 (1 of 4), s2 (1 of 4) and the root. */
static void
explanations_tell_what_each_tier_adds (void)
{
  explains ("explain-terms.yaml", "default/z",
            "    score, with its weight    tier 1*1  tier 2*1  tier 3*1\n"
            "    a1                         10.2459    6.5574    4.3716\n");
  explains ("explain-terms.yaml", "default/z", "  * c1                         10.2459    8.1967    4.3716\n");
}

#define INFO(name, folder) { #name, name },
static CU_TestInfo tests[] = { CASES (INFO) { "explanations tell the HyperNodes", explanations_tell_the_hyper_nodes },
                               { "explanations tell nodes of the HyperNode that is taken", explanations_tell_nodes_of_the_hyper_node_that_is_taken },
                               { "explanations tell what each tier adds", explanations_tell_what_each_tier_adds },
                               { "no folder is forgotten", no_folder_is_forgotten }, CU_TEST_INFO_NULL };

int
main (void)
{
  return suite_run ("topology-runs", tests);
}
