/* tests/test-flows.c - job flows, cron jobs and the garbage collector: one folder of tests/flows for each case (see hand-case.h), and what is
 * refused before a run. */
#include "hand-case.h"
#include "run-helper.h"
#include "suite.h"
#include <string.h>

#define CASES(CASE)                                              \
  CASE (a_flow_makes_its_jobs_one_after_the_other, "pipeline")   \
  CASE (a_flow_fails_with_a_job, "failed")                       \
  CASE (a_job_of_a_flow_that_expired_is_made_again, "ttl")       \
  CASE (finished_jobs_are_collected, "garbage")                  \
  CASE (a_flow_waits_for_a_template, "template-late")            \
  CASE (templates_change_for_later_jobs, "template-updates")      \
  CASE (what_is_deleted_takes_its_jobs_along, "deleted")         \
  CASE (cron_jobs_mind_the_job_before, "concurrency")            \
  CASE (cron_jobs_keep_some_of_their_jobs, "history")            \
  CASE (what_users_apply_later_counts_from_then_on, "updates")    \
  CASE (cron_jobs_follow_clocks_that_change, "zones")            \
  CASE (cron_jobs_miss_many_times, "missed")                     \
  CASE (what_admission_refuses_never_exists, "refused")          \
  CASE (names_that_are_taken_are_minded, "names")

#define DEFINE(name, folder)           \
  static void                          \
  name (void)                          \
  {                                    \
    hand_case_check ("flows/" folder); \
  }
CASES (DEFINE)

static void
every_folder_is_a_case (void)
{
#define FOLDER(name, folder) folder,
  static const char *const folders[] = { CASES (FOLDER) NULL };

  hand_case_no_other ("flows", folders);
}

/* ---- before a run ---------------------------------------------------------------------------- */

#define FLOW_HEAD "apiVersion: flow.volcano.sh/v1alpha1\nkind: JobFlow\nmetadata:\n  name: f\n"
#define TEMPLATE_HEAD "apiVersion: flow.volcano.sh/v1alpha1\nkind: JobTemplate\nmetadata:\n  name: a\n"
#define CRON_HEAD "apiVersion: batch.volcano.sh/v1alpha1\nkind: CronJob\nmetadata:\n  name: c\n"
#define SUBMIT "  annotations: {volsim.io/submit: '0'}\n"
#define SPEC(indent) \
  indent "spec:\n" indent "  tasks:\n" indent "  - replicas: 1\n" indent "    template: {spec: {containers: [{name: c, image: i}]}}\n"
#define CRON_SPEC "spec:\n  schedule: '* * * * *'\n  jobTemplate:\n" SPEC ("    ")

/* Run @objects; gives the exit status. */
static int
run (const char *dir, const char *objects, const char *more, char **complaint)
{
  g_autofree char *nodes = g_build_filename (dir, "nodes.csv", NULL), *file = g_build_filename (dir, "objects.yaml", NULL);
  g_autofree char *out = g_strdup_printf ("--out=%s/results", dir), *of_nodes = g_strdup_printf ("--nodes=%s", nodes);
  g_autofree char *of_objects = g_strdup_printf ("--objects=%s", file);
  char *args[] = { (char *) g_getenv ("VOLSIM_BIN"), (char *) "run", of_nodes, of_objects, out, (char *) "--no-charts", (char *) more, NULL };

  suite_check (g_file_set_contents (nodes, "node,cpu,memory\nn,4,8Gi\n", -1, NULL) && g_file_set_contents (file, objects, -1, NULL), "files");
  return test_run (args, NULL, complaint);
}

static void
what_makes_no_sense_is_refused (void)
{
  static const struct { const char *objects, *message; } cases[] = {
    { CRON_HEAD SUBMIT CRON_SPEC, "objects.yaml:1:1: CronJob 'c' makes jobs for ever, expected 'until'" },
    { CRON_HEAD CRON_SPEC, "annotation volsim.io/submit: missing" },
    { CRON_HEAD "  annotations: {volsim.io/submit: '0', volsim.io/duration: '5'}\n" CRON_SPEC,
      "annotation volsim.io/duration: expected on spec.jobTemplate.metadata or the pod templates" },
    { CRON_HEAD SUBMIT "spec:\n  schedule: '* * * * *'\n  jobTemplate:\n    metadata: {annotations: {volsim.io/submit: '3'}}\n" SPEC ("    "),
      "annotation volsim.io/submit: expected on the CronJob" },
    { FLOW_HEAD "spec: {}\n", "annotation volsim.io/submit: missing" },
    { FLOW_HEAD "  annotations: {volsim.io/submit: '0', volsim.io/exit-code: '1'}\nspec: {}\n",
      "annotation volsim.io/exit-code: expected on the JobTemplates of its steps" },
    { FLOW_HEAD SUBMIT "spec: {flows: a}\n", "expected a list" },
    { FLOW_HEAD SUBMIT "spec: {}\n---\n" FLOW_HEAD SUBMIT "spec: {}\n", "JobFlow 'default/f' is there already: an update of it has to come after it" },
    { TEMPLATE_HEAD SPEC ("") "  priorityClassName: urgent\n", "priority class of job 'a', expected a PriorityClass object" },
    { FLOW_HEAD SUBMIT "spec: {}\n---\napiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata:\n  name: j\n  labels: "
                       "{volcano.sh/createdByJobFlow: default.f}\n" SUBMIT SPEC (""),
      "label volcano.sh/createdByJobFlow is not simulated on jobs of the input" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *dir = test_make_dir (), *complaint = NULL;
    int status = run (dir, cases[i].objects, NULL, &complaint);

    suite_check (status == 2 && strstr (complaint, cases[i].message) != NULL, "wanted '%s', got %d: %s", cases[i].message, status, complaint);
    test_remove_tree (dir);
  }
}

static void
what_is_odd_is_warned_of (void)
{
  static const struct { const char *objects, *message; } cases[] = {
    { FLOW_HEAD SUBMIT "spec: {flows: [{name: a, dependsOn: {probe: {tcpSocketList: [{port: 1}]}}}]}\n---\n" TEMPLATE_HEAD SPEC (""),
      "step 'a': Volcano's controller does not look at dependsOn.probe" },
    { FLOW_HEAD SUBMIT "spec: {flows: [{name: a, patch: {jobSpec: {queue: q}}}]}\n---\n" TEMPLATE_HEAD SPEC (""),
      "step 'a': Volcano's controller does not look at patch" },
    { FLOW_HEAD SUBMIT "spec: {flows: [{name: a}]}\n", "is stuck when it comes to step 'a': there is no JobTemplate of that name" },
    { FLOW_HEAD SUBMIT "spec: {flows: [{name: a}, {name: b}]}\n---\n" TEMPLATE_HEAD SPEC ("") "  ttlSecondsAfterFinished: 3\n",
      "jobs whose time to live is over are made again" },
    { TEMPLATE_HEAD SPEC ("") "  queue: nowhere\n", "there is no queue 'nowhere': jobs of JobTemplate 'a' will be refused" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *dir = test_make_dir (), *complaint = NULL;
    int status = run (dir, cases[i].objects, "--until=5", &complaint);

    suite_check (status == 0 && strstr (complaint, cases[i].message) != NULL, "wanted '%s', got %d: %s", cases[i].message, status, complaint);
    test_remove_tree (dir);
  }
}

/* Its way begins at admission, as that of every job. */
static void
a_job_that_is_made_on_the_way_can_be_followed (void)
{
  static const char objects[] = FLOW_HEAD SUBMIT "spec: {flows: [{name: a}]}\n---\n" TEMPLATE_HEAD SPEC ("");
  g_autofree char *dir = test_make_dir (), *complaint = NULL, *path = g_build_filename (dir, "results", "chain.csv", NULL);
  g_auto (TestTable) t = { 0 };
  int status = run (dir, objects, "--follow=default/f-a", &complaint);

  if (suite_check (status == 0 && *complaint == '\0' && test_table_read (&t, path, NULL), "status %d: %s", status, complaint))
    suite_check (t.rows->len > 5 && strcmp (test_table_cell (&t, 0, test_table_column (&t, "function")), "MutateJobs") == 0, "the chain");
  test_remove_tree (dir);
}

/* Where the webhook is off, as in the chart, a flow in a circle waits for ever, and a warning says so. */
static void
the_webhook_of_flows_can_be_switched_on (void)
{
  static const char objects[] = FLOW_HEAD SUBMIT "spec: {flows: [{name: a, dependsOn: {targets: [a]}}]}\n---\n" TEMPLATE_HEAD SPEC ("");
  static const struct { const char *more, *phase; } ways[] = {
    { "--enabled-admission=/jobs/mutate,/jobs/validate,/queues/mutate,/queues/validate,/hypernodes/validate,/cronjobs/validate,/podgroups/validate,/jobflows/validate",
      "Rejected" },
    { NULL, "Pending" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
    g_autofree char *dir = test_make_dir (), *complaint = NULL, *path = g_build_filename (dir, "results", "phases.csv", NULL);
    g_auto (TestTable) t = { 0 };
    int status = run (dir, objects, ways[i].more, &complaint);

    if (suite_check (status == 0 && test_table_read (&t, path, NULL), "status %d: %s", status, complaint))
      suite_check (t.rows->len == 1 && strcmp (test_table_cell (&t, 0, test_table_column (&t, "phase")), ways[i].phase) == 0, "%s", ways[i].phase);
    suite_check ((strstr (complaint, "JobFlow 'f' waits for ever, and the webhook /jobflows/validate, which is off, would refuse it: jobflow Flow is not DAG") != NULL) == (i == 1), "%s", complaint);
    test_remove_tree (dir);
  }
}

#define INFO(name, folder) { #name, name },
static CU_TestInfo tests[] = { CASES (INFO) { "every folder is a case", every_folder_is_a_case },
                               { "what makes no sense is refused", what_makes_no_sense_is_refused },
                               { "what is odd is warned of", what_is_odd_is_warned_of },
                               { "a job that is made on the way can be followed", a_job_that_is_made_on_the_way_can_be_followed },
                               { "the webhook of flows can be switched on", the_webhook_of_flows_can_be_switched_on },
                               CU_TEST_INFO_NULL };

int
main (void)
{
  return suite_run ("flows", tests);
}
