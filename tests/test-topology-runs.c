/* tests/test-topology-runs.c - HyperNodes, topologies and partitions in runs: folders of tests/topology. */
#include "hand-case.h"
#include "suite.h"

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

#define INFO(name, folder) { #name, name },
static CU_TestInfo tests[] = { CASES (INFO) { "no folder is forgotten", no_folder_is_forgotten }, CU_TEST_INFO_NULL };

int
main (void)
{
  return suite_run ("topology-runs", tests);
}
