/* tests/test-validate.c - warnings about configurations, alone and with a cluster and jobs; and the command that prints them. */
#include "sim/validate/validate.h"
#include "suite.h"
#include <gio/gio.h>
#include <string.h>

#define TIER1 "tiers:\n- plugins:\n  - name: priority\n  - name: gang\n    enablePreemptable: false\n  - name: conformance\n- plugins:\n"
#define PREDICATES "  - name: predicates\n"
#define ACTIONS(list) "actions: \"" list "\"\n"
#define ALLOCATE ACTIONS ("allocate, backfill") TIER1 PREDICATES

/* ---- objects in short ---- */
#define NODE(name, cpu, more) \
  "---\napiVersion: v1\nkind: Node\nmetadata: {name: " name "}\nstatus: {allocatable: {cpu: '" #cpu "', memory: 64Gi, pods: '110'" more "}}\n"
#define QUEUE(name, spec) \
  "---\napiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: " name "}\nspec: {weight: 1" spec "}\nstatus: {state: Open}\n"
#define GROUP(name, queue, min) \
  "---\napiVersion: scheduling.volcano.sh/v1beta1\nkind: PodGroup\nmetadata: {name: " name ", namespace: ns}\nspec: {queue: " queue ", minMember: " #min \
  "}\nstatus: {phase: Inqueue}\n"
#define POD_WITH(name, group, requests, labels, spec, status) \
  "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " name ", namespace: ns, annotations: {scheduling.k8s.io/group-name: " group labels "}}\nspec: {" spec \
  "schedulerName: volcano, containers: [{name: m, resources: {requests: {" requests "}}}]}\nstatus: {phase: " status "}\n"
#define POD(name, group, requests) POD_WITH (name, group, requests, "", "", "Pending")
#define BASE NODE ("n1", 8, "") NODE ("n2", 8, "") QUEUE ("root", "") QUEUE ("q1", "") QUEUE ("q2", "")
#define ONE_JOB GROUP ("j", "q1", 1) POD ("j-0", "j", "cpu: '2', memory: 1Gi")
#define TWO_JOBS ONE_JOB GROUP ("k", "q2", 1) POD ("k-0", "k", "cpu: '2', memory: 1Gi")

#define SMALL(name) GROUP (name, "q1", 1) POD (name "-0", name, "cpu: '4'")
#define GPUS NODE ("n3", 8, ", nvidia.com/gpu: '4'") NODE ("n4", 8, ", nvidia.com/gpu: '4'")
/* A queue that wants more cpu than it deserves, and never uses up its memory. */
#define SLACK(name)                                                                                                                             \
  QUEUE (name, ", deserved: {cpu: '2', memory: 16Gi}")                                                                                           \
  GROUP (name "1", name, 1) POD (name "1-0", name "1", "cpu: '2', memory: 1Gi") GROUP (name "2", name, 1) POD (name "2-0", name "2", "cpu: '2', memory: 1Gi")

/* A queue that wants what it deserves, and one that wants more, with a priority above it or below. */
#define OWNER QUEUE ("o", ", priority: 100, deserved: {cpu: '4'}") GROUP ("oj", "o", 1) POD ("oj-0", "oj", "cpu: '2'")
#define LENDER(name, priority)                                                                                                                  \
  QUEUE (name, ", priority: " priority ", deserved: {cpu: '3'}")                                                                                 \
  GROUP (name "j", name, 1) POD (name "j-0", name "j", "cpu: '2'") POD (name "j-1", name "j", "cpu: '2'")
#define APART "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: db}}}]}}, "

/* Each warning as "line:column code", joined with ", "; an error as itself. */
static char *
codes (const char *conf, const char *objects)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (WlObjects) read = objects != NULL ? wl_objects_parse (objects, strlen (objects), "objects", &error) : NULL;
  g_autoptr (SimFacts) facts = read != NULL ? sim_facts_of_objects (read, &error) : NULL;
  g_autoptr (GPtrArray) warnings = error == NULL ? sim_validate (conf, strlen (conf), "conf", facts, &error) : NULL;
  GString *out = g_string_new (NULL);

  if (error != NULL)
    g_string_append (out, error->message);
  for (guint i = 0; warnings != NULL && i < warnings->len; i++) {
    const SimWarning *w = warnings->pdata[i];

    if (strcmp (w->file, "conf") == 0)
      g_string_append_printf (out, "%s%u:%u %s", i > 0 ? ", " : "", w->line, w->column, w->code);
    else
      g_string_append_printf (out, "%s%s %s", i > 0 ? ", " : "", w->file, w->code);
  }
  return g_string_free (out, FALSE);
}

typedef struct { const char *what, *conf, *objects, *want; } Row;

static void
check_rows (const Row *row, guint n)
{
  for (guint i = 0; i < n; i++) {
    g_autofree char *got = codes (row[i].conf, row[i].objects);

    suite_check (strcmp (got, row[i].want) == 0, "%s: '%s', expected '%s'", row[i].what, got, row[i].want);
  }
}

static void
a_configuration_alone (void)
{
  static const Row rows[] = {
    { "nothing to say", ALLOCATE "  - name: proportion\n  - name: nodeorder\n  - name: binpack\n", NULL, "" },
    { "no allocate", ACTIONS ("backfill") TIER1 PREDICATES, NULL, "1:1 no-allocate" },
    { "an action twice", ACTIONS ("allocate, backfill, allocate") TIER1 PREDICATES, NULL, "1:31 action-twice" },
    { "preempt and gangpreempt", ACTIONS ("allocate, preempt, gangpreempt") TIER1 PREDICATES, NULL, "1:30 both-ways-of-evicting" },
    { "reclaim and gangreclaim",
      ACTIONS ("allocate, gangreclaim, reclaim") "tiers:\n- plugins:\n  - name: gang\n  - name: conformance\n  - name: capacity\n  - name: predicates\n", NULL,
      "1:34 both-ways-of-evicting" },
    { "reclaim without shares", ACTIONS ("allocate, reclaim") TIER1 PREDICATES, NULL, "1:21 reclaim-without-shares" },
    { "shares of a tree of drf", ACTIONS ("allocate, reclaim") "tiers:\n- plugins:\n  - name: gang\n  - name: drf\n    enableHierarchy: true\n  - name: predicates\n", NULL, "" },
    { "drf without a tree", ACTIONS ("allocate, reclaim") "tiers:\n- plugins:\n  - name: gang\n  - name: drf\n  - name: predicates\n", NULL,
      "1:21 reclaim-without-shares" },
    { "nobody names victims", ACTIONS ("allocate, reclaim") "tiers:\n- plugins:\n  - name: priority\n  - name: predicates\n", NULL,
      "1:21 reclaim-without-shares" },
    { "shares in a later tier", ACTIONS ("allocate, reclaim") TIER1 PREDICATES "  - name: capacity\n", NULL, "10:11 shares-asked-too-late" },
    { "shares in the first tier", ACTIONS ("allocate, reclaim") "tiers:\n- plugins:\n  - name: gang\n  - name: capacity\n  - name: predicates\n", NULL, "" },
    { "gangreclaim knows no proportion",
      ACTIONS ("allocate, gangreclaim") "tiers:\n- plugins:\n  - name: gang\n  - name: proportion\n  - name: predicates\n", NULL,
      "1:21 reclaim-without-shares" },
    { "nothing preemptable", ACTIONS ("allocate, preempt") "tiers:\n- plugins:\n  - name: gang\n    enablePreemptable: false\n  - name: predicates\n", NULL,
      "1:21 nothing-preemptable" },
    { "gang protects all", ACTIONS ("allocate, preempt") "tiers:\n- plugins:\n  - name: gang\n  - name: priority\n  - name: predicates\n", NULL,
      "4:11 gang-protects-all" },
    { "no order of victims", ACTIONS ("allocate, preempt") "tiers:\n- plugins:\n  - name: gang\n    enablePreemptable: false\n  - name: conformance\n  - name: predicates\n",
      NULL, "1:21 preempt-without-order" },
    { "nobody starves", ACTIONS ("allocate, preempt") "tiers:\n- plugins:\n  - name: drf\n  - name: predicates\n", NULL, "1:21 nobody-starves" },
    { "enqueue admits all", ACTIONS ("enqueue, allocate") TIER1 PREDICATES, NULL, "1:11 enqueue-admits-all" },
    { "overcommit without enqueue", ALLOCATE "  - name: overcommit\n", NULL, "10:11 overcommit-unused" },
    { "overcommit below one", ACTIONS ("enqueue, allocate") TIER1 PREDICATES "  - name: overcommit\n    arguments:\n      overcommit-factor: 0.5\n", NULL,
      "10:11 overcommit-factor" },
    { "overcommit beside proportion",
      ACTIONS ("enqueue, allocate") TIER1 PREDICATES "  - name: proportion\n  - name: overcommit\n    arguments:\n      overcommit-factor: 2\n", NULL,
      "11:11 overcommit-without-effect" },
    { "admission blocks reclaim", ACTIONS ("enqueue, allocate, preempt") TIER1 PREDICATES "  - name: overcommit\n", NULL, "10:11 admission-blocks-eviction" },
    { "admission by the queue", ACTIONS ("enqueue, allocate, preempt") TIER1 PREDICATES "  - name: proportion\n", NULL, "1:11 admission-blocks-eviction" },
    { "shuffle without victims", ACTIONS ("allocate, shuffle") TIER1 PREDICATES, NULL, "1:21 shuffle-idle" },
    { "rescheduling without shuffle", ALLOCATE "  - name: rescheduling\n", NULL, "10:11 rescheduling-unused" },
    { "tdm without shuffle", ALLOCATE "  - name: tdm\n", NULL, "10:11 tdm-without-shuffle" },
    { "configuration of an action that is not run", ALLOCATE "configurations:\n- name: preempt\n  arguments:\n    predicateErrorCacheEnable: true\n", NULL,
      "11:9 configuration-unused" },
    { "a plugin twice", ALLOCATE "  - name: gang\n", NULL, "10:11 plugin-twice" },
    { "capacity and proportion", ALLOCATE "  - name: proportion\n  - name: capacity\n", NULL, "11:11 two-queue-plugins" },
    { "drf as a tree beside proportion", ACTIONS ("allocate") "tiers:\n- plugins:\n  - name: drf\n    enableHierarchy: true\n- plugins:\n  - name: proportion\n  - name: predicates\n",
      NULL, "7:11 hierarchy-beside-proportion" },
    { "no predicates", ACTIONS ("allocate") "tiers:\n- plugins:\n  - name: gang\n", NULL, "1:11 no-predicates" },
    { "predicates off", ACTIONS ("allocate") "tiers:\n- plugins:\n  - name: predicates\n    enablePredicate: false\n", NULL, "4:11 predicates-off" },
    { "least and most", ALLOCATE "  - name: nodeorder\n    arguments:\n      mostrequested.weight: 1\n", NULL, "10:11 scores-cancel" },
    { "binpack against leastrequested", ALLOCATE "  - name: nodeorder\n  - name: binpack\n    arguments:\n      binpack.weight: 1\n", NULL, "11:11 scores-cancel" },
    { "binpack of weight 0", ALLOCATE "  - name: binpack\n    arguments:\n      binpack.weight: 0\n", NULL, "10:11 binpack-off" },
    { "gang does not wait", ACTIONS ("allocate") "tiers:\n- plugins:\n  - name: gang\n    enableJobReady: false\n  - name: predicates\n", NULL, "4:11 gang-off" },
    { "action over several lines", "actions: >-\n  allocate,\n  preempt,\n  gangpreempt\n" TIER1 PREDICATES, NULL, "4:3 both-ways-of-evicting" },
    { "a refusal", ACTIONS ("allocate") "tiers:\n- plugins:\n  - name: gangs\n", NULL, "conf:4:11: unknown plugin 'gangs', did you mean 'gang'?" },
  };

  check_rows (rows, G_N_ELEMENTS (rows));
}

#define QUEUES_AND_ONE(spec) NODE ("n1", 8, "") NODE ("n2", 8, "") QUEUE ("root", "") QUEUE ("q1", spec) ONE_JOB
#define RECLAIM ACTIONS ("allocate, reclaim, backfill") "tiers:\n- plugins:\n  - name: capacity\n  - name: gang\n  - name: predicates\n"

static void
a_configuration_with_jobs (void)
{
  static const Row rows[] = {
    { "nothing to say", ALLOCATE "  - name: proportion\n", BASE TWO_JOBS, "" },
    { "best effort without backfill", ACTIONS ("allocate") TIER1 PREDICATES, BASE GROUP ("b", "q1", 1) POD ("b-0", "b", ""), "1:1 no-backfill" },
    { "backfill after preempt", ACTIONS ("allocate, preempt, backfill") TIER1 PREDICATES, BASE GROUP ("b", "q1", 1) POD ("b-0", "b", ""),
      "1:30 backfill-takes-back" },
    { "pod places", ALLOCATE,
      "---\napiVersion: v1\nkind: Node\nmetadata: {name: s}\nstatus: {allocatable: {cpu: '8', memory: 8Gi, pods: '1'}}\n" QUEUE ("q1", "") ONE_JOB
          GROUP ("b", "q1", 1) POD ("b-0", "b", ""),
      "1:21 backfill-takes-places" },
    { "no plugin gang", ACTIONS ("allocate") "tiers:\n- plugins:\n  - name: predicates\n",
      BASE GROUP ("j", "q1", 2) POD ("j-0", "j", "cpu: '1'") POD ("j-1", "j", "cpu: '1'"), "1:11 gang-off" },
    { "gang does not wait", ACTIONS ("allocate") "tiers:\n- plugins:\n  - name: gang\n    enableJobReady: false\n  - name: predicates\n",
      BASE GROUP ("j", "q1", 2) POD ("j-0", "j", "cpu: '1'") POD ("j-1", "j", "cpu: '1'"), "4:11 gang-off" },
    { "no gangs, no matter", ACTIONS ("allocate") "tiers:\n- plugins:\n  - name: predicates\n", BASE ONE_JOB, "" },
    { "a pod that fits nowhere", ALLOCATE, BASE GROUP ("j", "q1", 1) POD ("j-0", "j", "cpu: '10'"), "objects pod-fits-no-node" },
    { "a selector that fits nowhere", ALLOCATE, BASE GROUP ("j", "q1", 1) POD_WITH ("j-0", "j", "cpu: '1'", "", "nodeSelector: {zone: x}, ", "Pending"),
      "objects pod-fits-no-node" },
    { "a gang that fits no nodes", ALLOCATE,
      BASE GROUP ("j", "q1", 3) POD ("j-0", "j", "cpu: '5'") POD ("j-1", "j", "cpu: '5'") POD ("j-2", "j", "cpu: '5'"), "objects gang-fits-no-nodes" },
    { "a job beyond the cluster", ALLOCATE,
      BASE GROUP ("j", "q1", 3) POD ("j-0", "j", "cpu: '8'") POD ("j-1", "j", "cpu: '8'") POD ("j-2", "j", "cpu: '8'"), "objects job-beyond-cluster" },
    { "a big gang that many pass", ALLOCATE,
      "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 10\n" BASE SMALL ("a") SMALL ("b") SMALL ("c") SMALL ("d") SMALL ("e")
      GROUP ("g", "q1, priorityClassName: high", 2) POD ("g-0", "g", "cpu: '6'") POD ("g-1", "g", "cpu: '6'"), "objects big-gang-starves" },
    { "a big gang that one may pass", ALLOCATE, BASE ONE_JOB GROUP ("g", "q1", 2) POD ("g-0", "g", "cpu: '6'") POD ("g-1", "g", "cpu: '6'"), "" },
    { "binpack and whole nodes of GPUs", ALLOCATE "  - name: binpack\n",
      BASE GPUS GROUP ("j", "q1", 1) POD ("j-0", "j", "nvidia.com/gpu: '1'") GROUP ("k", "q1", 1) POD ("k-0", "k", "nvidia.com/gpu: '4'"), "10:11 binpack-ignores" },
    { "binpack and single GPUs", ALLOCATE "  - name: binpack\n", BASE GPUS GROUP ("j", "q1", 1) POD ("j-0", "j", "nvidia.com/gpu: '1'"), "" },
    { "binpack told of GPUs", ALLOCATE "  - name: binpack\n    arguments:\n      binpack.resources: nvidia.com/gpu\n",
      BASE NODE ("n3", 8, ", nvidia.com/gpu: '4'") GROUP ("j", "q1", 1) POD ("j-0", "j", "nvidia.com/gpu: '1'"), "" },
    { "a queue that is not there", ALLOCATE, BASE GROUP ("j", "q9", 1) POD ("j-0", "j", "cpu: '1'"), "objects no-such-queue" },
    { "a queue of weight 0", ALLOCATE "  - name: proportion\n",
      NODE ("n1", 8, "") "---\napiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: q1}\nspec: {}\nstatus: {state: Open}\n" ONE_JOB,
      "objects weight-zero" },
    { "a queue that is not open", ALLOCATE "  - name: proportion\n",
      NODE ("n1", 8, "") "---\napiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: q1}\nspec: {weight: 1}\n" ONE_JOB,
      "objects queue-not-open" },
    { "too much guaranteed", ALLOCATE "  - name: capacity\n", QUEUES_AND_ONE (", guarantee: {resource: {cpu: '1000'}}"), "objects admission, objects guarantee-beyond-cluster" },
    { "more guaranteed than allowed", ALLOCATE "  - name: capacity\n", QUEUES_AND_ONE (", guarantee: {resource: {cpu: '4'}}, capability: {cpu: '3'}"),
      "objects admission, objects guarantee-beyond-capability" },
    { "more deserved than allowed", ALLOCATE "  - name: capacity\n", QUEUES_AND_ONE (", deserved: {cpu: '4'}, capability: {cpu: '3'}"),
      "objects admission, objects deserved-beyond-capability" },
    { "a tree without hierarchy", ALLOCATE "  - name: capacity\n", BASE QUEUE ("c", ", parent: q2") ONE_JOB, "10:11 tree-ignored" },
    { "a parent that is not there", ALLOCATE "  - name: capacity\n    enableHierarchy: true\n", BASE QUEUE ("c", ", parent: q9") ONE_JOB, "objects admission, objects no-such-parent" },
    { "a job above a leaf", ALLOCATE "  - name: capacity\n    enableHierarchy: true\n", BASE QUEUE ("c", ", parent: q1") ONE_JOB, "objects job-in-inner-queue" },
    { "parents that are not asked",
      ACTIONS ("allocate, reclaim") "tiers:\n- plugins:\n  - name: capacity\n    enableHierarchy: true\n  - name: gang\n  - name: predicates\n",
      BASE QUEUE ("p", ", deserved: {cpu: '8'}") QUEUE ("c", ", parent: p, deserved: {cpu: '2'}") GROUP ("j", "c", 1) POD ("j-0", "j", "cpu: '2'")
      POD ("j-1", "j", "cpu: '2'"), "4:11 parents-not-asked" },
    { "a job above its weighted share", ALLOCATE "  - name: proportion\n", BASE GROUP ("j", "q1", 2) POD ("j-0", "j", "cpu: '5'") POD ("j-1", "j", "cpu: '5'")
      GROUP ("k", "q2", 1) POD ("k-0", "k", "cpu: '2', memory: 1Gi"), "objects job-above-share" },
    { "a job above what its queue deserves", RECLAIM, QUEUES_AND_ONE (", deserved: {cpu: '1'}"), "objects job-above-share" },
    { "slack in what two queues deserve", RECLAIM, BASE SLACK ("s") SLACK ("t"), "objects slack-in-deserved" },
    { "slack in what one queue deserves", RECLAIM, BASE SLACK ("s") ONE_JOB, "" },
    { "nothing to evict", RECLAIM, BASE GROUP ("j", "q1", 1) POD_WITH ("j-0", "j", "cpu: '1'", ", volcano.sh/preemptable: 'false'", "", "Pending"),
      "objects nothing-evictable" },
    { "priority on the borrower", RECLAIM,
      BASE QUEUE ("o", ", deserved: {cpu: '4'}") GROUP ("j", "o", 1) POD ("j-0", "j", "cpu: '2'") QUEUE ("p", ", priority: 5, deserved: {cpu: '3'}") GROUP ("g", "p", 1) POD ("g-0", "g", "cpu: '2'") POD ("g-1", "g", "cpu: '2'"),
      "objects priority-on-borrower" },
    { "the better queue pays", RECLAIM, BASE OWNER LENDER ("r", "9") LENDER ("p", "5"), "objects better-queue-pays" },
    { "queues of one priority pay", RECLAIM, BASE OWNER LENDER ("r", "5") LENDER ("p", "5"), "" },
    { "who pays on a single node", RECLAIM, NODE ("n1", 16, "") QUEUE ("root", "") OWNER LENDER ("r", "9") LENDER ("p", "5"), "" },
    { "nobody claims", RECLAIM, BASE LENDER ("r", "9") LENDER ("p", "5"), "" },
    { "reclaim for pods that keep away from others", RECLAIM, BASE ONE_JOB GROUP ("k", "q2", 1) POD_WITH ("k-0", "k", "cpu: '2', memory: 1Gi", "", APART, "Pending"),
      "1:21 reclaims-for-unplaceable" },
    { "such pods without another queue", RECLAIM, BASE GROUP ("k", "q2", 1) POD_WITH ("k-0", "k", "cpu: '2', memory: 1Gi", "", APART, "Pending"), "" },
    { "such pods without reclaim", ALLOCATE, BASE ONE_JOB GROUP ("k", "q2", 1) POD_WITH ("k-0", "k", "cpu: '2', memory: 1Gi", "", APART, "Pending"), "" },
    { "elastic jobs", ACTIONS ("allocate, gangpreempt") TIER1 PREDICATES, BASE GROUP ("j", "q1", 1) POD ("j-0", "j", "cpu: '1'") POD ("j-1", "j", "cpu: '1'"),
      "1:21 elastic-jobs-drained" },
    { "a pool that fills admission", ACTIONS ("enqueue, allocate") TIER1 PREDICATES "  - name: overcommit\n",
      BASE "---\napiVersion: v1\nkind: Node\nmetadata: {name: n3, labels: {pool: a}}\nstatus: {allocatable: {cpu: '8', memory: 64Gi, pods: '110'}}\n" ONE_JOB
      GROUP ("a", "q1", 1) POD_WITH ("a-0", "a", "cpu: '8'", "", "nodeSelector: {pool: a}, ", "Pending")
      GROUP ("b", "q1", 1) POD_WITH ("b-0", "b", "cpu: '8'", "", "nodeSelector: {pool: a}, ", "Pending")
      GROUP ("c", "q1", 1) POD_WITH ("c-0", "c", "cpu: '8'", "", "nodeSelector: {pool: a}, ", "Pending")
      GROUP ("d", "q1", 1) POD_WITH ("d-0", "d", "cpu: '8'", "", "nodeSelector: {pool: a}, ", "Pending"),
      "10:11 pool-fills-admission" },
    { "overcommit beside proportion, one queue",
      ACTIONS ("enqueue, allocate") TIER1 PREDICATES "  - name: proportion\n  - name: overcommit\n    arguments:\n      overcommit-factor: 2\n", BASE ONE_JOB,
      "11:11 overcommit-without-effect" },
    { "the same with two queues",
      ACTIONS ("enqueue, allocate") TIER1 PREDICATES "  - name: proportion\n  - name: overcommit\n    arguments:\n      overcommit-factor: 2\n", BASE TWO_JOBS, "" },
    { "a nominated pod", ACTIONS ("allocate, preempt") TIER1 PREDICATES,
      BASE GROUP ("j", "q1", 1) POD_WITH ("j-0", "j", "cpu: '1'", "", "", "Pending, nominatedNodeName: n1"), "1:21 nominated-pods-wait" },
    { "a gang that lost a pod", ALLOCATE "  - name: drf\n",
      BASE GROUP ("j", "q1", 2) POD_WITH ("j-0", "j", "cpu: '1'", "", "nodeName: n1, ", "Running") POD ("j-1", "j", "cpu: '1'"), "objects broken-gang" },
  };

  check_rows (rows, G_N_ELEMENTS (rows));
}

/* ---- the command ---- */

static int
run (const char *dir, const char *const *arguments, char **out, char **err)
{
  g_autoptr (GPtrArray) args = g_ptr_array_new ();
  int status = -1;

  g_ptr_array_add (args, (gpointer) g_getenv ("VOLSIM_BIN"));
  g_ptr_array_add (args, (gpointer) "validate");
  for (guint i = 0; arguments[i] != NULL; i++)
    g_ptr_array_add (args, (gpointer) arguments[i]);
  g_ptr_array_add (args, NULL);
  if (!g_spawn_sync (dir, (char **) args->pdata, NULL, G_SPAWN_DEFAULT, NULL, NULL, out, err, &status, NULL))
    return -1;
  return WIFEXITED (status) ? WEXITSTATUS (status) : -1;
}

static void
the_command_prints_and_exits (void)
{
  static const struct {
    const char *name, *text;
  } files[] = {
    { "good.conf", ALLOCATE },
    { "odd.conf", ACTIONS ("allocate, allocate") TIER1 PREDICATES },
    { "bad.conf", "actions: \"allocate\"\ntiers:\n- plugins:\n  - name: gangs\n" },
    { "nodes.csv", "node,cpu,memory,pods\nn1,8,32Gi,110\nn2,8,32Gi,110\n" },
    { "jobs.csv", "job,submit,task,replicas,cpu,memory,duration\nsmall,0,w,1,2,1Gi,60\nwide,0,w,1,12,1Gi,60\n" },
    { "fit.csv", "job,submit,cpu,memory,duration\nsmall,0,2,1Gi,60\n" },
    { "queues.csv", "queue,parent,time,state,guarantee/cpu,deserved/cpu\nq,,,,2,\nr,,,,,\nr,,5,,,4\ns,r,6,,,9\nr,,7,Deleted,,\n" },
    { "objects.yaml", NODE ("n1", 8, "") QUEUE ("big", ", priority: -1")
                          "---\napiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: j}\n"
                          "spec: {minAvailable: 9, queue: other, tasks: [{replicas: 1, template: {spec: {containers: [{name: c, image: i}]}}}]}\n" },
    { "makers.yaml", NODE ("n1", 8, "")
                          "---\napiVersion: flow.volcano.sh/v1alpha1\nkind: JobFlow\nmetadata: {name: f}\nspec: {flows: [{name: a, dependsOn: {targets: [b]}}]}\n"
                          "---\napiVersion: flow.volcano.sh/v1alpha1\nkind: JobTemplate\nmetadata: {name: a}\nspec: {minSuccess: 0}\n"
                          "---\napiVersion: batch.volcano.sh/v1alpha1\nkind: CronJob\nmetadata: {name: c}\nspec: {schedule: '* * * * 7', jobTemplate: {}}\n" },
  };
  static const struct {
    const char *args[10];
    int status;
    const char *out, *err;
  } rows[] = {
    { { "good.conf" }, 0, "0 warnings\n", "" },
    { { "odd.conf" }, 0, "odd.conf:1:21: action 'allocate' is listed twice and runs twice in every cycle [action-twice]\n1 warning\n", "" },
    { { "odd.conf", "-o", "json" },
      0,
      "{\n  \"warnings\": [\n    {\n      \"code\": \"action-twice\",\n      \"file\": \"odd.conf\",\n      \"line\": 1,\n      \"column\": 21,\n      \"text\": "
      "\"action 'allocate' is listed twice and runs twice in every cycle\",\n      \"gallery\": \"\"\n    }\n  ]\n}\n",
      "" },
    { { "good.conf", "--nodes", "nodes.csv", "--jobs", "jobs.csv" }, 0, "jobs.csv:3:1: job 'default/wide': a pod of it fits no node\n", NULL },
    { { "good.conf", "--nodes", "nodes.csv", "--jobs", "fit.csv", "--queues", "queues.csv" },
      0,
      "queues.csv:2:1: queue 'q' is refused by admission: requestBody.spec.deserved.cpu: Invalid value: \"<nil>\": deserved[cpu] must be >= "
      "guarantee[cpu]=2 [admission]\n"
      "queues.csv:5:1: change of queue 's' is refused by admission: parent queue r validation failed: sum of children's deserved (cpu 9000.00, memory "
      "0.00) exceeds parent's deserved limit (cpu 4000.00, memory 0.00) [admission]\n2 warnings\n",
      "" },
    { { "good.conf", "objects.yaml" },
      0,
      "objects.yaml:7:1: queue 'big' is refused by admission: Queue.scheduling.volcano.sh \"big\" is invalid: spec.priority: Invalid value: -1: "
      "spec.priority in body should be greater than or equal to 0 [admission]\n"
      "objects.yaml:13:1: job 'j' is refused by admission: job 'minAvailable' should not be greater than total replicas in tasks; unable to find job "
      "queue: queue.scheduling.volcano.sh \"other\" not found; [admission]\n2 warnings\n",
      "" },
    { { "good.conf", "makers.yaml" },
      0,
      "makers.yaml:7:1: JobFlow 'f' is refused by admission: jobflow Flow is not DAG: vertex is not defined: b [admission]\n"
      "makers.yaml:12:1: JobTemplate 'a' is refused by admission: JobTemplate.flow.volcano.sh \"a\" is invalid: spec.minSuccess: Invalid value: 0: "
      "spec.minSuccess in body should be greater than or equal to 1 [admission]\n"
      "makers.yaml:17:1: CronJob 'c' is refused by admission: schedule is not a valid cron expression [admission]\n3 warnings\n",
      "" },
    { { "bad.conf" }, 2, "", "volsim: bad.conf:4:11: unknown plugin 'gangs', did you mean 'gang'?\n" },
    { { "good.conf", "--priority-class", "high=1" }, 2, "", "volsim: validate: --priority-class is for the jobs of --jobs, found none\n" },
    { { "good.conf", "--queues", "queues.csv" }, 2, "", "volsim: validate: --queues needs --nodes and --jobs, found neither\n" },
    { { "good.conf", "--nodes", "nodes.csv" }, 2, "", "volsim: validate: --nodes and --jobs go together, found only one of them\n" },
    { { "missing.conf" }, 2, "", NULL },
    { { NULL }, 2, "", "volsim: validate: expected a scheduler configuration, found none\n" },
    { { "good.conf", "-o", "xml" }, 2, "", "volsim: --output: expected table or json, found 'xml'\n" },
  };
  g_autofree char *dir = g_dir_make_tmp ("volsim-validate-XXXXXX", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *path = g_build_filename (dir, files[i].name, NULL);
    g_file_set_contents (path, files[i].text, -1, NULL);
  }
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *out = NULL, *err = NULL;
    int status = run (dir, rows[i].args, &out, &err);
    gboolean exact = rows[i].err != NULL || rows[i].status != 0;

    suite_check (status == rows[i].status, "row %u: status %d, %s", i, status, err);
    if (exact)
      suite_check (g_strcmp0 (out, rows[i].out) == 0, "row %u: %s", i, out);
    if (rows[i].err != NULL)
      suite_check (g_strcmp0 (err, rows[i].err) == 0, "row %u: %s", i, err);
  }
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *path = g_build_filename (dir, files[i].name, NULL);
    g_autoptr (GFile) file = g_file_new_for_path (path);
    g_file_delete (file, NULL, NULL);
  }
  g_autoptr (GFile) folder = g_file_new_for_path (dir);
  g_file_delete (folder, NULL, NULL);
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "a configuration alone", a_configuration_alone },
    { "a configuration with a cluster and jobs", a_configuration_with_jobs },
    { "the command prints and exits", the_command_prints_and_exits },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("validate", tests);
}
