/* tests/test-faults.c - what slows pods down, what breaks and what is lost: one folder of tests/faults for each, with the result
 * derived by hand in its scenario's head.
 *
 * expected-NAME.csv holds columns of the run's NAME.csv; all rows must agree, whatever their order. Of events.csv only those rows
 * count whose event the expectation names. Every run is made again in three ways that must give the same bytes: once more, with every
 * cycle, and without shortcuts. */
#include "hand-case.h"
#include "run-helper.h"
#include "suite.h"
#include <string.h>

#define CASES(CASE)                                                                                                                       \
  CASE (batches_bind_their_pods_one_after_the_other, "bind-batch")                                                                        \
  CASE (binds_wait_for_tokens_of_the_client, "bind-rate")                                                                                 \
  CASE (a_bind_that_fails_holds_its_room_until_the_answer, "bind-error")                                                                  \
  CASE (a_pod_that_cannot_be_read_again_is_tried_with_a_back_off, "resync-backoff")                                                       \
  CASE (pods_that_their_node_refuses_fail, "start-failure")                                                                               \
  CASE (pods_that_are_stuck_start_late, "start-stuck")                                                                                    \
  CASE (pods_that_are_stuck_for_ever_stay_pending, "start-stuck-for-ever")                                                                \
  CASE (containers_that_crash_are_restarted_with_a_back_off, "crash-loop")                                                                \
  CASE (the_first_pull_of_an_image_on_a_node_takes_its_time, "images")                                                                    \
  CASE (pods_end_after_their_hook_and_signal_within_the_grace_period, "termination")

#define DEFINE(name, folder)            \
  static void                           \
  name (void)                           \
  {                                     \
    hand_case_check ("faults/" folder); \
  }
CASES (DEFINE)

/* ---- chance --------------------------------------------------------------------------------- */

/* Names of the events @event of a run of 400 pods with @options, in their order. (transfer full) */
static char *
names_of (const char *event, const char *const *options)
{
  g_autofree char *tmp = test_make_dir (), *out = g_strdup_printf ("--out=%s/run", tmp), *path = g_strdup_printf ("%s/run/events.csv", tmp);
  g_autofree char *nodes = g_strdup_printf ("%s/nodes.csv", tmp), *jobs = g_strdup_printf ("%s/jobs.csv", tmp);
  g_autofree char *nodes_option = g_strdup_printf ("--nodes=%s", nodes), *jobs_option = g_strdup_printf ("--jobs=%s", jobs), *complaint = NULL;
  g_autoptr (GPtrArray) args = g_ptr_array_new ();
  g_auto (TestTable) t = { 0 };
  GString *names = g_string_new (NULL);

  g_file_set_contents (nodes, "node,cpu,memory,count\nn,64,64Gi,20\n", -1, NULL);
  g_file_set_contents (jobs, "job,submit,replicas,min_available,cpu,duration\nj,0,400,1,1,100\n", -1, NULL);
  for (const char *const *o = (const char *const[]){ g_getenv ("VOLSIM_BIN"), "run", nodes_option, jobs_option, out, "--no-charts", "--until=50", NULL }; *o != NULL; o++)
    g_ptr_array_add (args, (gpointer) *o);
  for (; *options != NULL; options++)
    g_ptr_array_add (args, (gpointer) *options);
  g_ptr_array_add (args, NULL);
  suite_check (test_run ((char **) args->pdata, NULL, &complaint) == 0, "%s", complaint);
  if (suite_check (test_table_read (&t, path, NULL), "%s is there", path))
    for (guint i = 0; i < t.rows->len; i++)
      if (strcmp (test_table_cell (&t, i, test_table_column (&t, "event")), event) == 0)
        g_string_append_printf (names, "%s ", test_table_cell (&t, i, test_table_column (&t, "name")));
  test_remove_tree (tmp);
  return g_string_free (names, FALSE);
}

static guint
count_words (const char *text)
{
  guint n = 0;

  for (; *text != '\0'; text++)
    n += *text == ' ';
  return n;
}

/* A fault that is switched on beside another draws from a stream of its own. */
static void
one_fault_does_not_shift_another (void)
{
  const char *const alone[] = { "--bind-error=0.3", "--seed=7", NULL }, *const other_seed[] = { "--bind-error=0.3", "--seed=8", NULL };
  const char *const beside[] = { "--bind-error=0.3", "--seed=7", "--start-failure=0.2", "--crash-loop=0.1", "--start-stuck=0.1",
                                 "--start-delay=uniform:0:5", NULL };
  g_autofree char *first = names_of ("bind-failed", alone), *second = names_of ("bind-failed", beside), *third = names_of ("bind-failed", other_seed);
  g_autofree char *refused = names_of ("start-failed", beside), *stuck = names_of ("start-stuck", beside);

  /* 400 pods fail 0.3 / 0.7 times each on average, deviation of the sum 16 */
  suite_check (count_words (first) > 110 && count_words (first) < 235, "%u binds fail", count_words (first));
  suite_check (strcmp (first, second) == 0, "the same binds fail beside other faults");
  suite_check (strcmp (first, third) != 0, "others with another seed");
  suite_check (count_words (refused) > 45 && count_words (refused) < 115, "%u starts fail", count_words (refused)); /* 80, deviation 8 */
  suite_check (count_words (stuck) > 10 && count_words (stuck) < 60, "%u starts are stuck", count_words (stuck));    /* 32 of the other 320, deviation 5 */
}

static void
every_folder_is_a_case (void)
{
#define FOLDER(name, folder) folder,
  static const char *const folders[] = { CASES (FOLDER) NULL };

  hand_case_no_other ("faults", folders);
}

#define INFO(name, folder) { #name, name },
static CU_TestInfo tests[] = { CASES (INFO) { "one fault does not shift another", one_fault_does_not_shift_another },
                               { "every folder is a case", every_folder_is_a_case }, CU_TEST_INFO_NULL };

int
main (void)
{
  return suite_run ("faults", tests);
}
