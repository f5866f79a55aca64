/* tests/test-world.c - a cluster that changes while it works: small runs through the program, with
 * the history of phases and the rows of pods worked out by hand. And the keys of a scenario that
 * repeat. */
#include "run-helper.h"
#include "sim/load/scenario.h"
#include "suite.h"
#include <glib/gstdio.h>
#include <string.h>

#define CONF                                                                                       \
  "actions: \"enqueue, allocate, backfill\"\n"                                                     \
  "tiers:\n"                                                                                       \
  "- plugins:\n  - name: priority\n  - name: gang\n"                                               \
  "- plugins:\n  - name: predicates\n  - name: proportion\n"

static void
put (const char *dir, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (dir, name, NULL);

  suite_check (g_file_set_contents (path, text, -1, NULL), "%s is written", path);
}

/* Run the files of @dir with @more (NULL-terminated, nullable); gives the exit status. */
static int
run (const char *dir, const char *const *more, char **complaint)
{
  static const char *const inputs[] = { "nodes.csv", "jobs.csv", "queues.csv" };
  g_autoptr (GPtrArray) args = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_add (args, g_strdup (g_getenv ("VOLSIM_BIN")));
  g_ptr_array_add (args, g_strdup ("run"));
  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++) {
    g_autofree char *path = test_find (dir, inputs[i]);

    if (path != NULL)
      g_ptr_array_add (args, g_strdup_printf ("--%.*s=%s", (int) strcspn (inputs[i], "."),
                                              inputs[i], path));
  }
  g_ptr_array_add (args, g_strdup_printf ("--conf=%s/volcano-scheduler.conf", dir));
  g_ptr_array_add (args, g_strdup_printf ("--out=%s/results", dir));
  g_ptr_array_add (args, g_strdup ("--no-charts"));
  for (guint i = 0; more != NULL && more[i] != NULL; i++)
    g_ptr_array_add (args, g_strdup (more[i]));
  g_ptr_array_add (args, NULL);
  return test_run ((char **) args->pdata, NULL, complaint);
}

/* The rows of a result of which column @key is @value (NULL: all), as the cells of @columns. */
static void
has_rows (const char *dir, const char *file, const char *key, const char *value,
          const char *const *columns, const char *want)
{
  g_autofree char *path = g_build_filename (dir, "results", file, NULL);
  g_auto (TestTable) t = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) got = g_string_new (NULL);

  if (!suite_check (test_table_read (&t, path, &error), "%s", error != NULL ? error->message : ""))
    return;
  for (guint r = 0; r < t.rows->len; r++) {
    if (value != NULL && strcmp (test_table_cell (&t, r, test_table_column (&t, key)), value) != 0)
      continue;
    for (guint c = 0; columns[c] != NULL; c++)
      g_string_append_printf (got, "%s%s", c > 0 ? " " : "",
                              test_table_cell (&t, r, test_table_column (&t, columns[c])));
    g_string_append_c (got, '\n');
  }
  suite_check (strcmp (got->str, want) == 0, "%s: wanted\n%s    got\n%s", file, want, got->str);
}

static void
runs_well (const char *dir, const char *const *more)
{
  g_autofree char *complaint = NULL;
  int status = run (dir, more, &complaint);

  suite_check (status == 0, "exit status %d: %s", status, complaint);
}

/* ---- queues ---- */

/* org has the children a and b. b is closed by its user, then org with all below it; c is made
 * below a closed queue and closed at once. When org opens, those open that were closed with it. */
static void
a_queue_closes_and_opens_with_its_parent (void)
{
  static const char *const columns[] = { "time", "name", "phase", NULL };
  g_autofree char *dir = test_make_dir ();

  put (dir, "nodes.csv", "node,cpu,memory\nn,8,8Gi\n");
  put (dir, "jobs.csv", "job,submit,queue,cpu,memory,duration\n"
                        "early,0,a,1,1Gi,12\n" /* keeps a Closing until it ends */
                        "late,6,a,1,1Gi,5\n"   /* refused */
                        "never,25,nowhere,1,1Gi,5\n"
                        "again,40,c,1,1Gi,5\n");
  put (dir, "queues.csv", "queue,parent,weight,time,state\n"
                          "org,,1,,\na,org,1,,\nb,org,1,,\n"
                          "b,,,2,Closed\n"
                          "org,,,5,Closed\n"
                          "c,org,1,20,\n"
                          "org,,,30,Open\n"
                          "root,,,33,Closed\n");
  put (dir, "volcano-scheduler.conf", CONF);
  runs_well (dir, NULL);
  has_rows (dir, "phases.csv", "kind", "queue", columns,
            "2 b Closed\n"
            "5 org Closed\n5 a Closing\n" /* org has no PodGroup of its own */
            "13 a Closed\n"
            "20 c Closed\n"
            "30 org Open\n30 a Open\n30 c Open\n");
  has_rows (dir, "jobs.csv", NULL, NULL, (const char *const[]){ "job", "phase", NULL },
            "early Completed\nlate Rejected\nnever Rejected\nagain Completed\n");
  test_remove_tree (dir);
}

/* The queue controller tries again while the parent is closed: 5 ms, 10 ms, 20 ms … after t = 3;
 * the parent opens at 3.1, so that the fifth retry (at 3 + 0.005 × 31) finds it open. */
static void
a_child_opens_when_its_parent_does (void)
{
  static const char *const columns[] = { "time", "name", "phase", NULL };
  g_autofree char *dir = test_make_dir ();

  put (dir, "nodes.csv", "node,cpu,memory\nn,8,8Gi\n");
  put (dir, "jobs.csv", "job,submit,queue,cpu,memory,duration\nj,5,a,1,1Gi,5\n");
  put (dir, "queues.csv", "queue,parent,weight,time,state\n"
                          "org,,1,,\na,org,1,,\n"
                          "a,,,1,Closed\norg,,,2,Closed\na,,,3,Open\norg,,,3.1,Open\n");
  put (dir, "volcano-scheduler.conf", CONF);
  runs_well (dir, NULL);
  has_rows (dir, "phases.csv", "kind", "queue", columns,
            "1 a Closed\n2 org Closed\n3.1 org Open\n3.155 a Open\n");
  has_rows (dir, "jobs.csv", NULL, NULL, (const char *const[]){ "job", "phase", NULL },
            "j Completed\n");
  test_remove_tree (dir);
}

/* What admission refuses changes nothing, and the run goes on. q is closed by a command that nobody
 * asks about its spec; gone is deleted while it has a child (refused), then with a job running, which
 * is terminated when 15 tries to find its queue have failed: 11 + 163.835 s after the pod ended. */
static void
a_queue_change_may_be_refused (void)
{
  static const char *const columns[] = { "time", "name", "phase", NULL };
  static const char *const detail[] = { "time", "name", "detail", NULL };
  g_autofree char *dir = test_make_dir ();

  put (dir, "nodes.csv", "node,cpu,memory\nn,8,8Gi\n");
  put (dir, "jobs.csv", "job,submit,queue,cpu,memory,duration\n"
                        "runs,0,gone,1,1Gi,10\n"
                        "late,5,gone,1,1Gi,10\n"
                        "inner,5,q,1,1Gi,10\n"
                        "new,7,fresh,1,1Gi,10\n");
  put (dir, "queues.csv", "queue,parent,weight,time,state,guarantee/cpu,deserved/cpu\n"
                          "q,,1,,,,\nchild,q,1,,,,\ngone,,1,,,,\n"
                          "q,,,2,,1,\n"
                          "fresh,nowhere,1,3,,,\n"
                          "q,,,3,Deleted,,\n"
                          "root,,,3,,,4\n"
                          "default,,,3,Deleted,,\n"
                          "gone,,,4,Deleted,,\n"
                          "child,,,6,Deleted,,\n"
                          "q,,,6.5,Deleted,,\n"
                          "fresh,,1,6.5,,,\n");
  put (dir, "volcano-scheduler.conf", CONF);
  runs_well (dir, NULL);
  has_rows (dir, "phases.csv", "kind", "queue", columns,
            "2 q Rejected\n3 fresh Rejected\n3 q Rejected\n3 root Rejected\n3 default Rejected\n"
            "4 gone Deleted\n6 child Deleted\n6.5 q Deleted\n");
  has_rows (dir, "events.csv", "event", "rejected", detail,
            "2 q requestBody.spec.deserved.cpu: Invalid value: \"<nil>\": deserved[cpu] must be >= guarantee[cpu]=1\n"
            "3 fresh failed to get parent queue nowhere of queue fresh: queue.scheduling.volcano.sh \"nowhere\" not found\n"
            "3 q queue q can not be deleted because it has 1 child queues: child\n"
            "3 root root queue's resource attributes (capability, deserved, guarantee) cannot be modified\n"
            "3 default `default` queue can not be deleted\n"
            "5 late unable to find job queue: queue.scheduling.volcano.sh \"gone\" not found;\n"
            "5 inner can only submit job to leaf queue, queue `q` has 1 child queues;\n");
  has_rows (dir, "jobs.csv", NULL, NULL, (const char *const[]){ "job", "phase", "finish", "reason", NULL },
            "runs Terminated 174.835 \n"
            "late Rejected  unable to find job queue: queue.scheduling.volcano.sh \"gone\" not found;\n"
            "inner Rejected  can only submit job to leaf queue, queue `q` has 1 child queues;\n"
            "new Completed 18 \n");
  test_remove_tree (dir);
}

/* Commands close and open queues like rows of queues.csv. */
static void
commands_reach_queues (void)
{
  static const char *const columns[] = { "time", "name", "phase", NULL };
  g_autofree char *dir = test_make_dir (), *told = g_strdup_printf ("--commands=%s/commands.csv", dir), *complaint = NULL;

  put (dir, "nodes.csv", "node,cpu,memory\nn,8,8Gi\n");
  put (dir, "jobs.csv", "job,submit,queue,cpu,memory,duration\nj,0,q,1,1Gi,12\n");
  put (dir, "queues.csv", "queue\nq\nr\n");
  put (dir, "commands.csv", "time,job,queue,action\n3,,q,CloseQueue\n4,r,,CloseQueue\n5,,r,Look\n20,q,,OpenQueue\n21,,root,CloseQueue\n");
  put (dir, "volcano-scheduler.conf", CONF);
  runs_well (dir, (const char *const[]){ told, NULL });
  has_rows (dir, "phases.csv", "kind", "queue", columns, "3 q Closing\n4 r Closed\n13 q Closed\n20 q Open\n");
  put (dir, "commands.csv", "time,queue,action\n3,x,CloseQueue\n");
  suite_check (run (dir, (const char *const[]){ told, NULL }, &complaint) == 2
                   && strstr (complaint, "commands.csv:2:1: queue of a command, expected a queue of this run, found 'x'") != NULL,
               "%s", complaint);
  test_remove_tree (dir);
}

/* ---- objects of the cluster ---- */

/* A Queue object makes a queue at 2, another replaces it at 8: what it leaves out is as by default. The
 * first is refused for its guarantee. hyper takes pods only from the nodes of its group. */
static void
queues_come_as_objects (void)
{
  static const char *const columns[] = { "time", "kind", "name", "phase", NULL };
  g_autofree char *dir = test_make_dir (), *objects = g_strdup_printf ("--objects=%s/objects.yaml", dir);

  put (dir, "nodes.csv", "node,cpu,memory,labels\nm,8,8Gi,\nn,8,8Gi,volcano.sh/nodegroup-name=hyper\n");
  put (dir, "jobs.csv", "job,submit,queue,cpu,memory,duration\n"
                        "a,0,hyper,1,1Gi,5\nb,1,later,1,1Gi,5\nc,3,later,1,1Gi,5\n");
  put (dir, "objects.yaml",
       "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: hyper}, spec: {affinity: {nodeGroupAffinity: "
       "{requiredDuringSchedulingIgnoredDuringExecution: [hyper]}}}}\n---\n"
       "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: later, annotations: {volsim.io/submit: '1.5'}}, spec: {guarantee: "
       "{resource: {cpu: 1}}}}\n---\n"
       "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: later, annotations: {volsim.io/submit: '2', volsim.io/delete: '30'}}, "
       "spec: {weight: 3, capability: {cpu: 4}}}\n---\n"
       "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: later, annotations: {volsim.io/submit: '2.5'}}, spec: {weight: 70000}}\n");
  put (dir, "volcano-scheduler.conf", CONF "  - name: nodegroup\n    arguments: {strict: false}\n");
  runs_well (dir, (const char *const[]){ objects, NULL });
  has_rows (dir, "phases.csv", "kind", "queue", columns, "1.5 queue later Rejected\n2.5 queue later Rejected\n30 queue later Deleted\n");
  has_rows (dir, "tasks.csv", NULL, NULL, (const char *const[]){ "pod", "node", "bound", NULL }, "a-task-0 n 1\nc-task-0 m 4\n");
  has_rows (dir, "jobs.csv", NULL, NULL, (const char *const[]){ "job", "phase", NULL }, "a Completed\nb Rejected\nc Completed\n");
  test_remove_tree (dir);
}

/* The node is full of low's four pods. The budget lets the one go that exceeds minAvailable, for h1 at
 * 3. Then three are left, and h2 has to wait from 10 until h1 has ended. */
static void
a_budget_limits_preemption (void)
{
  g_autofree char *dir = test_make_dir (), *objects = g_strdup_printf ("--objects=%s/objects.yaml", dir);

  put (dir, "nodes.csv", "node,cpu,memory\nn,4,8Gi\n");
  put (dir, "jobs.csv", "job,submit,priority,replicas,min_available,cpu,memory,duration\n"
                        "low,0,1,4,1,1,1Gi,100\nh1,3,10,1,1,1,1Gi,10\nh2,10,10,1,1,1,1Gi,10\n");
  put (dir, "objects.yaml", "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b}\n"
                            "spec: {minAvailable: 3, selector: {matchLabels: {volcano.sh/job-name: low}}}\n");
  put (dir, "volcano-scheduler.conf", "actions: \"enqueue, allocate, preempt, backfill\"\n"
                                      "tiers:\n- plugins:\n  - name: priority\n  - name: pdb\n"
                                      "- plugins:\n  - name: predicates\n");
  runs_well (dir, (const char *const[]){ objects, "--grace=0", "--until=30", NULL });
  has_rows (dir, "jobs.csv", NULL, NULL, (const char *const[]){ "job", "evictions", "first_bind", NULL }, "low 1 1\nh1 0 5\nh2 0 15\n");
  test_remove_tree (dir);
}

/* Two cpus for each pod, five in the quota of "team": two pods at a time in spite of eight on the node.
 * The second pod of b is refused, and what asked for it, the PodGroup's change and the pod beside it,
 * is tried again after 5 ms, 10 ms, 20 ms …: a's pod ends at 11, and the next try after that is the
 * 11th, at 2 + 0.005 x (2^11 - 1). */
static void
a_quota_holds_back_pods (void)
{
  static const char *const columns[] = { "pod", "created", "bound", NULL };
  g_autofree char *dir = test_make_dir (), *objects = g_strdup_printf ("--objects=%s/objects.yaml", dir);

  put (dir, "nodes.csv", "node,cpu,memory\nn,8,8Gi\n");
  put (dir, "jobs.csv", "job,namespace,submit,replicas,min_available,cpu,memory,duration\n"
                        "a,team,0,1,1,2,1Gi,10\n"
                        "b,team,2,2,1,2,1Gi,10\n"
                        "c,other,2,1,1,2,1Gi,10\n");
  put (dir, "objects.yaml", "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: team}\nspec: {hard: {requests.cpu: 5, pods: '9'}}\n");
  put (dir, "volcano-scheduler.conf", CONF);
  runs_well (dir, (const char *const[]){ objects, NULL });
  has_rows (dir, "tasks.csv", NULL, NULL, columns, "a-task-0 0 1\nc-task-0 2 3\nb-task-0 2 3\nb-task-1 12.235 13\n");
  has_rows (dir, "events.csv", "time", "2.005", (const char *const[]){ "event", "name", "detail", NULL },
            "pod-refused b pods \"b-task-1\" is forbidden: exceeded quota: q, requested: requests.cpu=2, used: requests.cpu=4, limited: "
            "requests.cpu=5\n"
            "pod-refused b pods \"b-task-1\" is forbidden: exceeded quota: q, requested: requests.cpu=2, used: requests.cpu=4, limited: "
            "requests.cpu=5\n");
  test_remove_tree (dir);
}

#define PODS(name, more, pod, requests)                                                                                                                             \
  "{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: " name ", annotations: {volsim.io/submit: '0', volsim.io/duration: '50'}},\n"             \
  " spec: {minAvailable: 1, " more " tasks: [{name: t, replicas: 2, template: {spec: {restartPolicy: Never, " pod "\n"                                            \
  "   containers: [{name: c, image: i, resources: {requests: {" requests "}}}]}}}]}}\n---\n"
#define QUOTA(name, spec) "{apiVersion: v1, kind: ResourceQuota, metadata: {name: " name "}, spec: {" spec "}}\n---\n"

/* Each quota counts the pods of its scopes alone: of be, dl and high the second pod is one too many, low is in no narrow scope. busy wants cpu to be given, but not
 * of be's pods, which are none of its. Two requests ask for each pod, as above. */
static void
quotas_count_pods_of_their_scopes (void)
{
  g_autofree char *dir = test_make_dir (), *objects = g_strdup_printf ("--objects=%s/objects.yaml", dir);

  put (dir, "nodes.csv", "node,cpu,memory\nn,32,64Gi\n");
  put (dir, "objects.yaml",
       "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 9}\n---\n"
       QUOTA ("idle", "hard: {pods: 1}, scopes: [BestEffort]") QUOTA ("busy", "hard: {cpu: 99, pods: 99}, scopes: [NotBestEffort, NotTerminating]")
       QUOTA ("ends", "hard: {pods: 1}, scopes: [Terminating]")
       QUOTA ("high", "hard: {requests.cpu: 3}, scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In, values: [high, higher]}]}")
       QUOTA ("rest", "hard: {pods: 6}, scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: NotIn, values: [high]}]}")
       PODS ("be", "", "", "") PODS ("dl", "", "activeDeadlineSeconds: 99,", "cpu: 1") PODS ("high", "priorityClassName: high,", "", "cpu: 2") PODS ("low", "", "", "cpu: 2"));
  put (dir, "jobs.csv", "job,submit,cpu,duration\nlate,90,1,1\n");
  put (dir, "volcano-scheduler.conf", CONF);
  runs_well (dir, (const char *const[]){ objects, "--until=5", NULL });
  has_rows (dir, "tasks.csv", NULL, NULL, (const char *const[]){ "pod", "outcome", NULL },
            "be-t-0 Running\ndl-t-0 Running\nhigh-t-0 Running\nlow-t-0 Running\nlow-t-1 Running\n");
  has_rows (dir, "events.csv", "time", "0.015", (const char *const[]){ "event", "detail", NULL },
            "pod-refused pods \"be-t-1\" is forbidden: exceeded quota: idle, requested: pods=1, used: pods=1, limited: pods=1\n"
            "pod-refused pods \"dl-t-1\" is forbidden: exceeded quota: ends, requested: pods=1, used: pods=1, limited: pods=1\n"
            "pod-refused pods \"high-t-1\" is forbidden: exceeded quota: high, requested: requests.cpu=2, used: requests.cpu=2, limited: requests.cpu=3\n"
            "pod-refused pods \"be-t-1\" is forbidden: exceeded quota: idle, requested: pods=1, used: pods=1, limited: pods=1\n"
            "pod-refused pods \"dl-t-1\" is forbidden: exceeded quota: ends, requested: pods=1, used: pods=1, limited: pods=1\n"
            "pod-refused pods \"high-t-1\" is forbidden: exceeded quota: high, requested: requests.cpu=2, used: requests.cpu=2, limited: requests.cpu=3\n");
  test_remove_tree (dir);
}

/* ---- nodes ---- */

/* n is given up at 5 and heard of again at 20: the end at 13 is told then, a start has to wait. m
 * is given up at 5 for good: after 300 s its pods are deleted, but the running one stays. */
static void
a_node_that_falls_silent_tells_later (void)
{
  static const char *const columns[]
      = { "job", "attempt", "node", "bound", "running", "evicted", "finished", "outcome", NULL };
  g_autofree char *dir = test_make_dir ();

  put (dir, "nodes.csv", "node,cpu,memory,labels,time,event\n"
                         "n,4,8Gi,zone=n,,\nm,4,8Gi,zone=m,,\n"
                         "n,,,,5,notready\nm,,,,5,notready\nn,,,,20,ready\n");
  put (dir, "jobs.csv", "job,submit,cpu,memory,duration,node_selector\n"
                        "ends,0,1,1Gi,10,zone=n\n"   /* runs from 3, would end at 13 */
                        "starts,3,1,1Gi,10,zone=n\n" /* bound at 4, would run at 6 */
                        "waits,6,1,1Gi,10,zone=n\n"  /* tainted: placed when the node is back */
                        "stuck,0,1,1Gi,10,zone=m\n");
  put (dir, "volcano-scheduler.conf", CONF);
  runs_well (dir, (const char *const[]){ "--until=400", "--start-delay=2", NULL });
  has_rows (dir, "tasks.csv", NULL, NULL, columns,
            "ends 0 n 1 3  20 Succeeded\n"
            "starts 0 n 4 20  30 Succeeded\n"
            "waits 0 n 20 22  32 Succeeded\n"
            "stuck 0 m 1 3 305  Releasing\n");
  test_remove_tree (dir);
}

/* ---- binds ---- */

static void
a_bind_that_fails_is_tried_again (void)
{
  static const char *const columns[] = { "pod", "bound", NULL };
  g_autofree char *dir = test_make_dir ();

  put (dir, "nodes.csv", "node,cpu,memory\nn,8,8Gi\n");
  put (dir, "jobs.csv", "job,submit,task,replicas,cpu,memory,duration\nj,0,w,3,1,1Gi,10\n");
  put (dir, "volcano-scheduler.conf", CONF);
  runs_well (dir, (const char *const[]){ "--bind-fail=default/j-w-1=2", NULL });
  has_rows (dir, "tasks.csv", NULL, NULL, columns, "j-w-0 1\nj-w-1 3\nj-w-2 1\n");
  has_rows (dir, "cycles.csv", "binds", "2", (const char *const[]){ "time", NULL }, "1\n");
  has_rows (dir, "jobs.csv", NULL, NULL, (const char *const[]){ "gang_start", "finish", NULL },
            "3 13\n");
  test_remove_tree (dir);
}

/* ---- configurations ---- */

static void
a_broken_configuration_changes_nothing (void)
{
  g_autofree char *dir = test_make_dir (), *complaint = NULL;
  g_autofree char *broken = g_strdup_printf ("--conf-at=2=%s/broken.conf", dir);
  g_autofree char *odd = g_strdup_printf ("--conf-at=2=%s/odd.conf", dir);
  g_autofree char *idle = g_strdup_printf ("--conf-at=2=%s/idle.conf", dir);

  put (dir, "nodes.csv", "node,cpu,memory\nn,8,8Gi\n");
  put (dir, "jobs.csv", "job,submit,cpu,memory,duration\nj,2,1,1Gi,5\n");
  put (dir, "volcano-scheduler.conf", CONF);
  put (dir, "broken.conf", "actions: \"enqueue, fly\"\ntiers: []\n");
  put (dir, "odd.conf", CONF "nonsense: 1\n");
  put (dir, "idle.conf", "actions: \"backfill\"\ntiers:\n- plugins:\n  - name: predicates\n");
  suite_check (run (dir, (const char *const[]){ broken, NULL }, &complaint) == 0, "%s", complaint);
  suite_check (strstr (complaint, "keeps the configuration") != NULL, "%s", complaint);
  has_rows (dir, "jobs.csv", NULL, NULL, (const char *const[]){ "finish", NULL }, "8\n");
  runs_well (dir, (const char *const[]){ idle, "--until=20", NULL }); /* nothing allocates */
  has_rows (dir, "jobs.csv", NULL, NULL, (const char *const[]){ "first_bind", "finish", NULL },
            " \n");
  g_clear_pointer (&complaint, g_free);
  suite_check (run (dir, (const char *const[]){ odd, NULL }, &complaint) == 2, "%s", complaint);
  suite_check (strstr (complaint, "nonsense") != NULL, "%s", complaint);
  runs_well (dir, (const char *const[]){ odd, "--lenient", NULL });
  has_rows (dir, "jobs.csv", NULL, NULL, (const char *const[]){ "finish", NULL }, "8\n");
  test_remove_tree (dir);
}

/* ---- scenarios ---- */

static void
entries_that_repeat_are_read (void)
{
  g_autofree char *dir = test_make_dir (), *path = g_build_filename (dir, "s.yaml", NULL);
  g_auto (SimScenario) s = { 0 };
  g_autoptr (GError) error = NULL;

  put (dir, "s.yaml", "conf_at:\n  40: a.conf\n  1m20.5s: /b.conf\n"
                      "bind_fail: {default/j-w-1: 2, default/k-w-0: 1}\n"
                      "network_topology_types: {net: [zone, rack, kubernetes.io/hostname], b: 'x, kubernetes.io/hostname'}\n");
  sim_scenario_init (&s);
  if (suite_check (sim_scenario_read (&s, path, &error), "%s",
                   error != NULL ? error->message : "")) {
    g_autofree char *a = g_build_filename (dir, "a.conf", NULL);
    const SimConfAt *at = (const SimConfAt *) (void *) s.conf_at->data;
    const SimBindFailure *f = (const SimBindFailure *) (void *) s.bind_fail->data;

    suite_check (s.conf_at->len == 2 && at[0].time == 40 * SIM_SECOND
                     && strcmp (at[0].file, a) == 0,
                 "the first");
    suite_check (at[1].time == 80500000 && strcmp (at[1].file, "/b.conf") == 0, "the second");
    suite_check (s.bind_fail->len == 2 && strcmp (f[0].pod, "default/j-w-1") == 0 && f[0].n == 2
                     && f[1].n == 1,
                 "failures");
    if (suite_check (s.topology_types->len == 2, "types")) {
      g_autofree char *net = g_strjoinv ("|", s.topology_types->pdata[0]), *b = g_strjoinv ("|", s.topology_types->pdata[1]);

      suite_check (strcmp (net, "net|zone|rack|kubernetes.io/hostname") == 0 && strcmp (b, "b|x|kubernetes.io/hostname") == 0, "%s %s", net, b);
    }
  }
  test_remove_tree (dir);
}

static void
entries_that_make_no_sense_are_refused (void)
{
  static const struct { const char *key, *value; } wrong[] = {
    { "conf_at", "a.conf" }, { "conf_at", "x=a.conf" }, { "conf_at", "3=" },
    { "bind_fail", "j-w-1=2" }, { "bind_fail", "ns/j-w-1" }, { "bind_fail", "ns/j-w-1=-1" },
    { "bind_fail", "ns/=1" },
    { "network_topology_types", "rack,kubernetes.io/hostname" },
    { "network_topology_types", "a-name-that-is-too-long=rack,kubernetes.io/hostname" },
    { "network_topology_types", "net=rack" },
    { "network_topology_types", "net=kubernetes.io/hostname" },
    { "network_topology_types", "net=rack,rack,kubernetes.io/hostname" },
    { "network_topology_types", "net=,kubernetes.io/hostname" },
  };
  g_auto (SimScenario) s = { 0 };

  sim_scenario_init (&s);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (GError) error = NULL;

    suite_check (!sim_scenario_set (&s, wrong[i].key, wrong[i].value, NULL, &error)
                     && error != NULL && strstr (error->message, "expected") != NULL,
                 "%s %s", wrong[i].key, wrong[i].value);
  }
  suite_check (s.conf_at->len == 0 && s.bind_fail->len == 0 && s.topology_types->len == 0, "nothing is kept");
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "a queue closes and opens with its parent", a_queue_closes_and_opens_with_its_parent },
    { "a child opens when its parent does", a_child_opens_when_its_parent_does },
    { "a queue change may be refused", a_queue_change_may_be_refused },
    { "commands reach queues", commands_reach_queues },
    { "queues come as objects", queues_come_as_objects },
    { "a quota holds back pods", a_quota_holds_back_pods },
    { "quotas count pods of their scopes", quotas_count_pods_of_their_scopes },
    { "a budget limits preemption", a_budget_limits_preemption },
    { "a node that falls silent tells later", a_node_that_falls_silent_tells_later },
    { "a bind that fails is tried again", a_bind_that_fails_is_tried_again },
    { "a broken configuration changes nothing", a_broken_configuration_changes_nothing },
    { "entries that repeat are read", entries_that_repeat_are_read },
    { "entries that make no sense are refused", entries_that_make_no_sense_are_refused },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("world", tests);
}
