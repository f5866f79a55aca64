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
  CASE (pods_end_after_their_hook_and_signal_within_the_grace_period, "termination")                                                      \
  CASE (what_a_machine_ran_is_restarted_or_has_failed_when_it_runs_again, "crash")                                                        \
  CASE (a_machine_that_stays_off_is_noticed_and_its_pods_stay_terminating, "crash-noticed")                                               \
  CASE (a_node_that_is_not_heard_of_tells_everything_when_it_is_back, "notready")                                                         \
  CASE (pods_leave_when_they_do_not_tolerate_a_taint_any_longer, "taints")                                                                \
  CASE (a_drain_waits_for_what_budgets_allow, "drain-budget")                                                                             \
  CASE (shares_of_budgets_count_what_controllers_want, "drain-shares")                                                                  \
  CASE (maintenance_drains_first_and_uncordons_last, "maintenance")                                                                       \
  CASE (a_cordoned_node_keeps_its_pods_and_takes_none, "cordon")                                                                          \
  CASE (a_node_that_shrinks_keeps_its_pods_and_takes_no_more, "shrink")                                                                   \
  CASE (pods_of_a_node_that_goes_are_collected_and_made_anew, "remove")                                                                   \
  CASE (a_rack_fails_as_one, "rack")                                                                                                      \
  CASE (a_node_flaps, "flapping")                                                                                                         \
  CASE (nobody_schedules_between_two_processes, "scheduler-restart")                                                                      \
  CASE (another_leader_takes_over_when_the_lease_is_over, "leader-change")                                                                \
  CASE (binds_that_were_sent_arrive_after_a_restart, "restart-binds")                                                                     \
  CASE (a_new_process_starts_its_scans_anew_and_lists_nodes_by_name, "restart-forgets")                                                   \
  CASE (a_new_process_takes_the_default_for_a_broken_configuration, "restart-broken-conf")                                                \
  CASE (a_node_refuses_what_two_processes_give_it_together, "restart-overcommit")                                                         \
  CASE (controllers_act_late, "controller-lag")                                                                                           \
  CASE (the_scheduler_decides_on_what_is_gone_and_does_not_see_what_is_there, "informer-lag")                                             \
  CASE (binds_fail_for_a_time, "bind-error-window")                                                                                       \
  CASE (runs_fail_after_their_time_with_their_exit_code, "failures")                                                                      \
  CASE (a_checkpoint_keeps_work_and_the_rest_is_lost, "checkpoint")                                                                       \
  CASE (a_job_that_is_restarted_goes_on_from_its_checkpoints, "checkpoint-restart")                                                       \
  CASE (stragglers_take_longer_for_the_same_work, "stragglers")                                                                           \
  CASE (the_load_of_nodes_follows_what_their_pods_use, "usage")                                                                           \
  CASE (the_load_of_nodes_is_a_series_over_time, "usage-series")

#define DEFINE(name, folder)            \
  static void                           \
  name (void)                           \
  {                                     \
    hand_case_check ("faults/" folder); \
  }
CASES (DEFINE)

/* ---- chance --------------------------------------------------------------------------------- */

/* Names (and times: name@time) of the events @event of a run of 400 pods, and one without end, with @options, in their order. (transfer full) */
static char *
names_of (const char *event, gboolean times, const char *const *options)
{
  g_autofree char *tmp = test_make_dir (), *out = g_strdup_printf ("--out=%s/run", tmp), *path = g_strdup_printf ("%s/run/events.csv", tmp);
  g_autofree char *nodes = g_strdup_printf ("%s/nodes.csv", tmp), *jobs = g_strdup_printf ("%s/jobs.csv", tmp);
  g_autofree char *nodes_option = g_strdup_printf ("--nodes=%s", nodes), *jobs_option = g_strdup_printf ("--jobs=%s", jobs), *complaint = NULL;
  g_autoptr (GPtrArray) args = g_ptr_array_new ();
  g_auto (TestTable) t = { 0 };
  GString *names = g_string_new (NULL);

  g_file_set_contents (nodes, "node,cpu,memory,count\nn,64,64Gi,20\n", -1, NULL);
  g_file_set_contents (jobs, "job,submit,replicas,min_available,cpu,duration\nj,0,400,1,1,100\nendless,0,1,1,1,inf\n", -1, NULL);
  for (const char *const *o = (const char *const[]){ g_getenv ("VOLSIM_BIN"), "run", nodes_option, jobs_option, out, "--no-charts", NULL }; *o != NULL; o++)
    g_ptr_array_add (args, (gpointer) *o);
  for (; *options != NULL; options++)
    g_ptr_array_add (args, (gpointer) *options);
  g_ptr_array_add (args, NULL);
  suite_check (test_run ((char **) args->pdata, NULL, &complaint) == 0, "%s", complaint);
  if (suite_check (test_table_read (&t, path, NULL), "%s is there", path))
    for (guint i = 0; i < t.rows->len; i++)
      if (strcmp (test_table_cell (&t, i, test_table_column (&t, "event")), event) == 0)
        g_string_append_printf (names, "%s%s%s ", test_table_cell (&t, i, test_table_column (&t, "name")), times ? "@" : "",
                                times ? test_table_cell (&t, i, test_table_column (&t, "time")) : "");
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
  const char *const alone[] = { "--bind-error=0.3", "--seed=7", "--until=50", NULL }, *const other_seed[] = { "--bind-error=0.3", "--seed=8", "--until=50", NULL };
  const char *const beside[] = { "--bind-error=0.3", "--seed=7", "--start-failure=0.2", "--crash-loop=0.1", "--start-stuck=0.1",
                                 "--start-delay=uniform:0:5", "--until=50", NULL };
  g_autofree char *first = names_of ("bind-failed", FALSE, alone), *second = names_of ("bind-failed", FALSE, beside), *third = names_of ("bind-failed", FALSE, other_seed);
  g_autofree char *refused = names_of ("start-failed", FALSE, beside), *stuck = names_of ("start-stuck", FALSE, beside);

  /* 400 pods fail 0.3 / 0.7 times each on average, deviation of the sum 16 */
  suite_check (count_words (first) > 110 && count_words (first) < 235, "%u binds fail", count_words (first));
  suite_check (strcmp (first, second) == 0, "the same binds fail beside other faults");
  suite_check (strcmp (first, third) != 0, "others with another seed");
  suite_check (count_words (refused) > 45 && count_words (refused) < 115, "%u starts fail", count_words (refused)); /* 80, deviation 8 */
  suite_check (count_words (stuck) > 10 && count_words (stuck) < 60, "%u starts are stuck", count_words (stuck));    /* 32 of the other 320, deviation 5 */
}

/* Twenty nodes, each up for 100 s and off for 10 s on average: 5000 / 110 crashes each, 909 in all, deviation below 30. Another row of the file and
 * what else goes wrong shift none of them. */
static void
crashes_come_as_their_distribution_says_whatever_else_happens (void)
{
  g_autofree char *tmp = test_make_dir (), *one = g_strdup_printf ("%s/one.csv", tmp), *two = g_strdup_printf ("%s/two.csv", tmp);
  g_autofree char *first_option = g_strdup_printf ("--faults=%s", one), *second_option = g_strdup_printf ("--faults=%s", two);
  const char *const alone[] = { first_option, "--seed=3", "--until=5000", NULL };
  const char *const beside[] = { second_option, "--seed=3", "--until=5000", "--bind-error=0.2", "--start-delay=exponential:3", NULL };
  const char *const other_seed[] = { first_option, "--seed=4", "--until=5000", NULL };

  g_file_set_contents (one, "kind,target,every,duration\ncrash,*,exponential:100,exponential:10\n", -1, NULL);
  g_file_set_contents (two,
                       "kind,target,every,duration\nnotready,*,weibull:70:2,uniform:1:5\ncrash,*,exponential:100,exponential:10\n"
                       "crash,n-3,exponential:50,1\n", -1, NULL);
  g_autofree char *first = names_of ("crash", TRUE, alone), *second = names_of ("crash", TRUE, beside), *third = names_of ("crash", TRUE, other_seed);
  g_auto (GStrv) had = g_strsplit (first, " ", -1);
  guint crashes = count_words (first) / 2; /* each begins and ends, but for those under way at the end */

  suite_check (crashes > 790 && crashes < 1030, "%u crashes", crashes);
  suite_check (strcmp (first, third) != 0, "others with another seed");
  for (char **w = had; *w != NULL; w++)
    if (!suite_check (strstr (second, *w) != NULL, "%s happens beside other faults, too", *w))
      break;
  test_remove_tree (tmp);
}

/* A quarter of 400 pods of 100 s fail, evenly over their time: 100, deviation 9, after 50 s on average, deviation of the mean 3. */
static void
runs_fail_as_often_as_their_rate_says (void)
{
  const char *const options[] = { "--failure=0.25", "--seed=5", "--until=500", NULL };
  g_autofree char *failed = names_of ("failed", TRUE, options);
  g_auto (GStrv) words = g_strsplit (failed, " ", -1);
  guint n = 0;
  double sum = 0;

  for (char **w = words; *w != NULL; w++)
    if (g_str_has_prefix (*w, "j-task-") && strchr (*w, '@') != NULL) {
      sum += g_ascii_strtod (strchr (*w, '@') + 1, NULL) - 1; /* all start at 1 */
      n++;
    }
  suite_check (n > 60 && n < 140, "%u runs fail", n);
  suite_check (sum / MAX (n, 1) > 38 && sum / MAX (n, 1) < 62, "after %g s on average", sum / MAX (n, 1));
}

static void
every_folder_is_a_case (void)
{
#define FOLDER(name, folder) folder,
  static const char *const folders[] = { CASES (FOLDER) NULL };

  hand_case_no_other ("faults", folders);
}

/* docs/chaos.md tells which test shows what: each case is named there, and each long name there is a case. */
static void
the_list_of_faults_names_every_case (void)
{
#define NAME(name, folder) #name,
  static const char *const names[] = { CASES (NAME) NULL };
  static const char *const others[] = { "a_broken_configuration_changes_nothing", /* world */ "two_that_bind_to_one_node_conflict", /* schedulers, all three */
                                        "late_news_and_new_processes", "a_node_changes_hands_when_it_is_given_up", "a_controller_takes_over_another_configuration",
                                        "pods_with_volumes_are_evicted_by_the_second", "claims_come_and_go_and_are_kept_while_they_are_used", /* workloads */
                                        NULL };
  const char *root = g_getenv ("VOLSIM_SOURCE");
  g_autofree char *path = g_build_filename (root != NULL ? root : ".", "docs", "chaos.md", NULL), *text = NULL;

  if (!suite_check (g_file_get_contents (path, &text, NULL, NULL), "%s is there", path))
    return;
  g_auto (GStrv) words = g_strsplit (text, "`", -1); /* every second one stands in quotes */

  for (const char *const *name = names; *name != NULL; name++)
    suite_check (g_strv_contains ((const char *const *) words, *name), "%s is named in docs/chaos.md", *name);
  for (guint i = 1; words[i] != NULL && words[i + 1] != NULL; i += 2) {
    g_auto (GStrv) parts = g_strsplit (words[i], "_", -1);

    if (g_strv_length (parts) > 3 && !g_strv_contains (others, words[i]))
      suite_check (g_strv_contains (names, words[i]), "%s of docs/chaos.md is a case", words[i]);
  }
}

#define INFO(name, folder) { #name, name },
static CU_TestInfo tests[] = { CASES (INFO) { "one fault does not shift another", one_fault_does_not_shift_another },
                               { "crashes come as their distribution says, whatever else happens", crashes_come_as_their_distribution_says_whatever_else_happens },
                               { "runs fail as often as their rate says", runs_fail_as_often_as_their_rate_says },
                               { "every folder is a case", every_folder_is_a_case },
                               { "the list of faults names every case", the_list_of_faults_names_every_case }, CU_TEST_INFO_NULL };

int
main (void)
{
  return suite_run ("faults", tests);
}
