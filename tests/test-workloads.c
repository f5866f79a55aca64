/* tests/test-workloads.c - workloads other than plain vcjobs, and jobs that change their size: one folder of tests/workloads for each case
 * (see hand-case.h). */
#include "hand-case.h"
#include "suite.h"

#define CASES(CASE)                                                                        \
  CASE (pods_by_themselves_get_a_group_each, "bare-pods")                                  \
  CASE (a_pod_that_is_preempted_does_not_come_again, "preempted-pod")                      \
  CASE (a_replica_set_replaces_what_is_preempted_at_once, "preempted-replicaset")          \
  CASE (a_replica_set_moves_away_from_a_drained_node, "replicaset-drain")                  \
  CASE (a_replica_set_gives_up_what_is_worth_least, "removal")                             \
  CASE (a_deployment_changes_its_size, "deployment")                                       \
  CASE (a_deployment_is_a_gang_by_annotation, "deployment-gang")                           \
  CASE (a_deployment_rolls_forth_and_back, "rollout")                                      \
  CASE (deployments_roll_by_their_strategies, "rollout-strategies")                        \
  CASE (a_stateful_set_rolls_one_by_one, "statefulset-rollout")                            \
  CASE (stateful_sets_roll_several_pods_at_once, "statefulset-several")                    \
  CASE (a_deployment_is_paused_and_resumed, "deployment-paused")                           \
  CASE (amounts_are_summed_up_as_they_are, "amounts")                                      \
  CASE (a_stateful_set_goes_in_order, "statefulset")                                       \
  CASE (batch_jobs_count_successes_and_failures, "batchjob")                               \
  CASE (users_make_groups_of_pods, "podgroup")                                             \
  CASE (groups_of_pods_have_a_topology, "topology")                                        \
  CASE (a_cluster_is_found_at_work, "found")                                                \
  CASE (a_vcjob_is_scaled_by_its_user_and_by_schedule, "scale-vcjob")                      \
  CASE (devices_come_and_go_and_pods_keep_theirs, "slices")                                \
  CASE (claims_come_and_go_and_are_kept_while_they_are_used, "claims-timed")               \
  CASE (pods_take_devices_for_their_claims_and_leave_them, "claims")

#define DEFINE(name, folder)               \
  static void                              \
  name (void)                              \
  {                                        \
    hand_case_check ("workloads/" folder); \
  }
CASES (DEFINE)

static void
every_folder_is_a_case (void)
{
#define FOLDER(name, folder) folder,
  static const char *const folders[] = { CASES (FOLDER) NULL };

  hand_case_no_other ("workloads", folders);
}

#define INFO(name, folder) { #name, name },
static CU_TestInfo tests[] = { CASES (INFO) { "every folder is a case", every_folder_is_a_case }, CU_TEST_INFO_NULL };

int
main (void)
{
  return suite_run ("workloads", tests);
}
