/* tests/test-storage.c - claims and volumes in runs: one folder of tests/storage for each, with the result derived by hand in its scenario's head
 * (hand-case.h). */
#include "hand-case.h"
#include "suite.h"

#define CASES(CASE)                                                                      \
  CASE (claims_that_do_not_wait_are_bound_before_their_pods, "immediate")                \
  CASE (volumes_on_nodes_are_taken_by_the_session_and_kept_when_released, "local")       \
  CASE (pods_with_ephemeral_volumes_wait_for_them_and_keep_them, "ephemeral")            \
  CASE (a_claim_that_two_pods_name_brings_them_to_one_node, "shared")                    \
  CASE (a_bind_gives_up_waiting_and_the_claim_keeps_its_node, "timeout")                 \
  CASE (a_pod_that_is_bound_without_its_volume_does_not_start, "unbound")                \
  CASE (a_job_waits_for_the_claims_that_it_names_and_has_others_made, "job-volumes")     \
  CASE (what_a_driver_can_still_make_decides, "capacity")                                \
  CASE (a_batch_waits_for_the_volumes_of_its_pods, "batch")                              \
  CASE (a_new_process_finds_claims_as_the_old_one_left_them, "restart")

#define DEFINE(name, folder)             \
  static void                            \
  name (void)                            \
  {                                      \
    hand_case_check ("storage/" folder); \
  }
CASES (DEFINE)

static void
every_folder_is_a_case (void)
{
#define FOLDER(name, folder) folder,
  static const char *const folders[] = { CASES (FOLDER) NULL };

  hand_case_no_other ("storage", folders);
}

#define INFO(name, folder) { #name, name },
static CU_TestInfo tests[] = { CASES (INFO) { "every folder is a case", every_folder_is_a_case }, CU_TEST_INFO_NULL };

int
main (void)
{
  return suite_run ("storage", tests);
}
