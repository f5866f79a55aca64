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

/* Racks of two nodes and of one: the gang of two fits into the first only. The score: see the plugin's head. */
static void
explanations_tell_the_hyper_nodes (void)
{
  static const char want[] = "HyperNodes for sub-job default/g, gradient 1: chosen s0\n"
                             "  * s0                       tier 1, fits                 75\n"
                             "HyperNodes for job default/g, gradient 1: chosen s0\n"
                             "  * s0                       tier 1, fits                 75\n"
                             "    s1                       tier 1, does not fit\n";
  const char *root = g_getenv ("G_TEST_SRCDIR") != NULL ? g_getenv ("G_TEST_SRCDIR") : "tests";
  g_autofree char *objects = g_build_filename (root, "topology/explain.yaml", NULL), *conf = g_build_filename (root, "topology/volcano-scheduler.conf", NULL);
  char *args[] = { (char *) g_getenv ("VOLSIM_BIN"), (char *) "cycle", (char *) "--conf", conf, (char *) "--explain", (char *) "default/g", objects, NULL };
  g_autofree char *out = NULL, *complaint = NULL;

  suite_check (test_run (args, &out, &complaint) == 0, "%s", complaint);
  suite_check (strstr (out, want) != NULL, "wanted\n%s    in\n%s", want, out);
}

#define INFO(name, folder) { #name, name },
static CU_TestInfo tests[] = { CASES (INFO) { "explanations tell the HyperNodes", explanations_tell_the_hyper_nodes },
                               { "no folder is forgotten", no_folder_is_forgotten }, CU_TEST_INFO_NULL };

int
main (void)
{
  return suite_run ("topology-runs", tests);
}
