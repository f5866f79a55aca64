/* tests/test-workload-refusals.c - workloads of Kubernetes' own that a run refuses, and edits of them, each with what is said about it. */
#include "run-helper.h"
#include "suite.h"
#include <string.h>

static void
put (const char *dir, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (dir, name, NULL);

  suite_check (g_file_set_contents (path, text, -1, NULL), "%s is written", path);
}

/* One object x, @at in the annotations, @spec in front of the template. A Pod has its template for a spec. */
static char *
object (const char *api, const char *kind, const char *notes, const char *spec, const char *pod_notes, const char *pod)
{
  if (strcmp (kind, "Pod") == 0)
    return g_strdup_printf ("{apiVersion: %s, kind: Pod, metadata: {name: x, annotations: {%s}},\n"
                            " spec: {schedulerName: volcano, %s containers: [{name: c, image: i}]}}\n",
                            api, notes, pod);
  return g_strdup_printf ("{apiVersion: %s, kind: %s, metadata: {name: x, annotations: {%s}},\n"
                          " spec: {%s template: {metadata: {annotations: {%s}}, spec: {schedulerName: volcano, %s containers: [{name: c, image: i}]}}}}\n",
                          api, kind, notes, spec, pod_notes, pod);
}

/* The status of a run of these objects and edits (nullable) on a node. */
static int
run (const char *objects, const char *edits, char **complaint)
{
  g_autofree char *dir = test_make_dir ();
  g_autofree char *out = g_strdup_printf ("--out=%s/results", dir);
  g_autofree char *nodes = g_strdup_printf ("--nodes=%s/nodes.csv", dir);
  g_autofree char *jobs = g_strdup_printf ("--objects=%s/objects.yaml", dir);
  g_autofree char *scale = g_strdup_printf ("--scale=%s/scale.csv", dir);
  char *args[] = { (char *) g_getenv ("VOLSIM_BIN"), (char *) "run", nodes, jobs, out, (char *) "--no-charts", (char *) "--until=20",
                   edits != NULL ? scale : NULL, NULL };

  put (dir, "nodes.csv", "node,cpu,memory\nn,4,8Gi\n");
  put (dir, "objects.yaml", objects);
  if (edits != NULL)
    put (dir, "scale.csv", edits);
  int status = test_run (args, NULL, complaint);

  test_remove_tree (dir);
  return status;
}

#define APPS "apps/v1"
#define BATCH "batch/v1"
#define SUBMIT "volsim.io/submit: '0'"
#define NEVER "restartPolicy: Never,"

static void
what_a_run_cannot_do_is_refused (void)
{
  static const struct { const char *api, *kind, *notes, *spec, *pod_notes, *pod, *message; } cases[] = {
    { "v1", "Pod", "", "", "", "", "annotation volsim.io/submit: missing; it says when the object is made" },
    { "v1", "Pod", SUBMIT, "", "", "restartPolicy: Sometimes,", "restartPolicy of the pods: expected Always, OnFailure or Never, found Sometimes" },
    { "batch.volcano.sh/v1alpha1", "Job", SUBMIT, "policies: [{event: PodFailed, action: RestartJob, timeout: 1d}],", "", "",
      "expected a duration such as 30s or 1h30m, found '1d'" },
    { "v1", "Pod", SUBMIT ", scheduling.k8s.io/group-name: g", "", "", "",
      "Pod default/x: annotation scheduling.k8s.io/group-name: expected a PodGroup among the objects, found 'g'" },
    { "v1", "Pod", SUBMIT ", volsim.io/scale: '5:2'", "", "", "", "annotation volsim.io/scale: expected a workload with replicas" },
    { "v1", "Pod", SUBMIT ", volcano.sh/network-topology-highest-tier: '-1'", "", "", "",
      "annotation volcano.sh/network-topology-highest-tier: expected a tier from 0 to 100000, found -1" },
    { "v1", "Pod", SUBMIT ", volsim.io/node: m", "", "", "", "annotation volsim.io/node of task 'pod' of 'x', expected a node of the cluster, found 'm'" },
    { "v1", "Pod", SUBMIT ", volsim.io/phase: Done", "", "", "", "annotation volsim.io/phase: expected Pending, Inqueue, Running or Unknown, found Done" },
    { "v1", "Pod", SUBMIT ", volsim.io/age: old", "", "", "", "annotation volsim.io/age: " },
    { APPS, "ReplicaSet", SUBMIT, "", "", NEVER, "restartPolicy of the pods: expected Always, found Never" },
    { APPS, "ReplicaSet", SUBMIT, "replicas: -1,", "", "", "spec.replicas: expected 0 to 1000000, found -1" },
    { APPS, "ReplicaSet", SUBMIT, "", "scheduling.k8s.io/group-name: g", "",
      "annotation scheduling.k8s.io/group-name of the pods: only pods by themselves can name a PodGroup" },
    { APPS, "ReplicaSet", SUBMIT ", volsim.io/scale: '5'", "", "", "", "annotation volsim.io/scale: " },
    { APPS, "ReplicaSet", SUBMIT, "", "", "overhead: {memory: 9Pi},", "memory of a pod of task 'pod' of 'default/x', expected at most 8Pi, found 10133099161583616" },
    { APPS, "ReplicaSet", SUBMIT, "", "", "overhead: {cpu: 9007199254741},", "cpu of a pod of task 'pod' of 'default/x', expected at most 9007199254740, found 9007199254741" },
    { APPS, "ReplicaSet", SUBMIT, "", "", "overhead: {memory: 9E},", "memory of a pod of task 'pod' of 'default/x', expected at most 8Pi, found 9000000000000000000" },
    { APPS, "Deployment", SUBMIT, "strategy: {type: Blue},", "", "", "spec.strategy.type: expected RollingUpdate or Recreate, found Blue" },
    { APPS, "Deployment", SUBMIT, "strategy: {type: Recreate, rollingUpdate: {maxSurge: 1}},", "", "", "spec.strategy.rollingUpdate: goes with the type RollingUpdate alone" },
    { APPS, "Deployment", SUBMIT, "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 0%}},", "", "", "expected maxUnavailable above 0 where maxSurge is 0" },
    { APPS, "Deployment", SUBMIT, "strategy: {rollingUpdate: {maxUnavailable: 101%}},", "", "", "expected at most 100%, found 101%" },
    { APPS, "Deployment", SUBMIT, "strategy: {rollingUpdate: {maxSurge: -1}},", "", "", "spec.strategy.rollingUpdate.maxSurge: expected 0 or more, found -1" },
    { APPS, "Deployment", SUBMIT, "paused: maybe,", "", "", "spec.paused: expected true or false" },
    { APPS, "StatefulSet", SUBMIT, "updateStrategy: {type: Recreate},", "", "", "spec.updateStrategy.type: expected RollingUpdate or OnDelete, found Recreate" },
    { APPS, "StatefulSet", SUBMIT, "updateStrategy: {rollingUpdate: {partition: -1}},", "", "", "spec.updateStrategy.rollingUpdate.partition: expected 0 to 1000000, found -1" },
    { APPS, "StatefulSet", SUBMIT, "updateStrategy: {rollingUpdate: {maxUnavailable: 0}},", "", "", "spec.updateStrategy.rollingUpdate.maxUnavailable: expected 1 or more, or 1% to 100%, found 0" },
    { APPS, "StatefulSet", SUBMIT, "updateStrategy: {rollingUpdate: {maxUnavailable: 101%}},", "", "", "expected 1 or more, or 1% to 100%, found 101%" },
    { APPS, "StatefulSet", SUBMIT, "podManagementPolicy: Some,", "", "", "spec.podManagementPolicy: expected OrderedReady or Parallel, found Some" },
    { APPS, "StatefulSet", SUBMIT, "volumeClaimTemplates: [{metadata: {name: c}}],", "", "", "a claim for each pod of a StatefulSet is not implemented yet" },
    { BATCH, "Job", SUBMIT, "", "", "", "restartPolicy of the pods: expected Never or OnFailure, found Always" },
    { BATCH, "Job", SUBMIT, "suspend: true,", "", NEVER, "a workload that is held back is not implemented yet" },
    { BATCH, "Job", SUBMIT, "completionMode: Indexed, parallelism: 2,", "", NEVER, "spec.completions: missing; an indexed Job needs it" },
    { BATCH, "Job", SUBMIT, "completionMode: Other,", "", NEVER, "spec.completionMode: expected NonIndexed or Indexed, found Other" },
    { BATCH, "Job", SUBMIT, "backoffLimit: -1,", "", NEVER, "spec.backoffLimit: expected 0 to 2147483647, found -1" },
    { BATCH, "Job", SUBMIT, "podFailurePolicy: {rules: [{action: Count}]},", "", NEVER, "what a batch Job makes of single failures and successes is not implemented yet" },
    { BATCH, "Job", SUBMIT ", volsim.io/scale: '5:2'", "", "", NEVER, "annotation volsim.io/scale: expected a workload with replicas" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *complaint = NULL;
    g_autofree char *text = object (cases[i].api, cases[i].kind, cases[i].notes, cases[i].spec, cases[i].pod_notes, cases[i].pod);
    int status = run (text, NULL, &complaint);

    suite_check (status == 2 && strstr (complaint, cases[i].message) != NULL && strstr (complaint, "objects.yaml:") != NULL,
                 "wanted '%s', got %d: %s", cases[i].message, status, complaint);
  }
}

static void
pods_of_other_schedulers_are_refused (void)
{
  static const char text[] = "{apiVersion: v1, kind: Pod, metadata: {name: x, annotations: {volsim.io/submit: '0'}},\n"
                             " spec: {schedulerName: other, containers: [{name: c, image: i}]}}\n";
  g_autofree char *complaint = NULL;
  int status = run (text, NULL, &complaint);

  suite_check (status == 2 && strstr (complaint, "schedulerName of the pods of 'x', expected volcano, found other") != NULL, "got %d: %s",
               status, complaint);
}

static void
edits_must_suit_their_workload (void)
{
  static const char objects[] = "{apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {volsim.io/submit: '0'}},\n"
                                " spec: {schedulerName: volcano, containers: [{name: c, image: i}]}}\n---\n"
                                "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: r, annotations: {volsim.io/submit: '0'}},\n"
                                " spec: {template: {spec: {schedulerName: volcano, containers: [{name: c, image: i}]}}}}\n---\n"
                                "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, annotations: {volsim.io/submit: '0'}},\n"
                                " spec: {template: {spec: {schedulerName: volcano, containers: [{name: c, image: i}]}}}}\n---\n"
                                "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, annotations: {volsim.io/submit: '3'}},\n"
                                " spec: {template: {spec: {schedulerName: volcano, containers: [{name: c, image: k}]}}}}\n";
  static const struct { const char *edits, *message; } cases[] = {
    { "time,job,replicas\n5,p,2\n", "scale.csv:2:1: job of an edit, expected one with replicas, found Pod 'p'" },
    { "time,job,replicas,min_available\n5,r,2,1\n", "scale.csv:2:1: minimum of an edit, expected none for ReplicaSet 'r'" },
    { "time,job,replicas\n5,d-2,2\n", "scale.csv:2:1: job of an edit, expected a Deployment, found its ReplicaSet 'd-2'" },
    { "time,job,replicas\n5,q,2\n", "scale.csv:2:1: job of an edit, expected a job of this run, found 'default/q'" },
    { "time,job,task,replicas\n5,r,w,2\n", "scale.csv:2:1: task of an edit, expected a task of job 'r', found 'w'" },
    { "time,job,replicas\n5,r,\n", "scale.csv:2:5: nothing to change" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *complaint = NULL;
    int status = run (objects, cases[i].edits, &complaint);

    suite_check (status == 2 && strstr (complaint, cases[i].message) != NULL, "wanted '%s', got %d: %s", cases[i].message, status, complaint);
  }
}

/* Rolling updates are simulated of Deployments and StatefulSets: a second object of another kind is refused, and one that does not come later. */
static void
a_template_that_changes_is_refused (void)
{
  static const struct { const char *kind, *submit, *says; } cases[] = {
    { "Deployment", SUBMIT, "objects.yaml:4:1: Deployment 'default/x' is there already: an update of it has to come after it" },
    { "Deployment", "volsim.io/submit: '9', volsim.io/scale: '5:2'", "update of Deployment 'default/x': annotation volsim.io/scale, expected it on the first object alone" },
    { "StatefulSet", SUBMIT, "objects.yaml:4:1: StatefulSet 'default/x' is there already: an update of it has to come after it" },
    { "StatefulSet", "volsim.io/submit: '9', volsim.io/scale: '5:2'", "update of StatefulSet 'default/x': annotation volsim.io/scale, expected it on the first object alone" },
    { "ReplicaSet", "volsim.io/submit: '9'", "objects.yaml:4:1: ReplicaSet 'default/x' is there already: templates that change are simulated of Deployments and StatefulSets alone" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *first = object (APPS, cases[i].kind, SUBMIT, "selector: {},", "", ""), *later = object (APPS, cases[i].kind, cases[i].submit, "selector: {},", "", "");
    g_autofree char *both = g_strconcat (first, "---\n", later, NULL), *complaint = NULL;
    int status = run (both, NULL, &complaint);

    suite_check (status == 2 && strstr (complaint, cases[i].says) != NULL, "status %d: %s", status, complaint);
  }
}

int
main (void)
{
  static CU_TestInfo tests[] = {
    { "what a run cannot do is refused", what_a_run_cannot_do_is_refused },
    { "pods of other schedulers are refused", pods_of_other_schedulers_are_refused },
    { "edits must suit their workload", edits_must_suit_their_workload },
    { "a template that changes is refused", a_template_that_changes_is_refused },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("workload refusals", tests);
}
