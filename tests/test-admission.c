/* tests/test-admission.c - what Volcano's webhooks and schemas refuse: one bad object for each rule, with upstream's text. The rules are
 * those of docs/admission.md. */
#include "run-helper.h"
#include "suite.h"
#include "workloads/admission/admission.h"
#include "workloads/k8s/k8s-objects.h"
#include <string.h>

#define TEMPLATE "template: {spec: {containers: [{name: c, image: i}]}}"
#define TASK "{name: w, replicas: 2, " TEMPLATE "}"

/* Read @text as a file of a run; the caller frees it. */
static WlObjects *
read_objects (const char *text)
{
  g_autofree char *dir = test_make_dir (), *path = g_build_filename (dir, "objects.yaml", NULL);
  const char *const paths[] = { path };
  g_autoptr (GError) error = NULL;

  suite_check (g_file_set_contents (path, text, -1, NULL), "%s is written", path);
  WlObjects *o = wl_objects_read_workload (paths, 1, &error);

  suite_check (o != NULL, "%s: %s", text, error != NULL ? error->message : "");
  test_remove_tree (dir);
  return o;
}

static char *
job_text (const char *name, const char *spec)
{
  return g_strdup_printf ("apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\n"
                          "metadata: {name: '%s', annotations: {volsim.io/submit: '0'}}\nspec: %s\n---\n",
                          name, spec);
}

/* What admission says of a job with @spec in an open queue; NULL: nothing. */
static char *
judge_of (const char *name, const char *spec, const WlQueueView *queue)
{
  g_autofree char *text = job_text (name, spec);
  g_autoptr (WlObjects) o = read_objects (text);

  return o != NULL && o->jobs->len == 1
             ? wl_admit_job (&((WlJobObject *) o->jobs->pdata[0])->refusal, ((WlJobObject *) o->jobs->pdata[0])->queue, queue)
             : g_strdup ("not read");
}

static void
says (const char *what, const char *got, const char *want)
{
  suite_check (got != NULL && strstr (got, want) != NULL, "%s: wanted '%s', got '%s'", what, want, got != NULL ? got : "(admitted)");
}

static const WlQueueView open_queue = { "default", "Open", 0 };

static void
a_good_job_is_admitted (void)
{
  static const char *const good[] = {
    "{tasks: [" TASK "]}",
    "{queue: default, minAvailable: 1, maxRetry: 2, minSuccess: 1, ttlSecondsAfterFinished: 0, tasks: [" TASK "]}",
    "{plugins: {svc: [], ssh: [], env: [], pytorch: [], tensorflow: [], ray: [], hcclrank: []}, tasks: [" TASK "]}",
    "{policies: [{events: [PodFailed, PodFailed, PodEvicted], action: RestartJob}, {exitCode: 3, action: NoSuchThing}], tasks: [" TASK "]}",
    "{policies: [{event: '*', action: RestartJob}, {exitCode: 3, action: AbortJob}], tasks: [" TASK "]}",
    "{tasks: [" TASK ", {name: b, replicas: 1, dependsOn: {name: [w]}, " TEMPLATE "}]}",
    "{tasks: [{name: w, replicas: 4, partitionPolicy: {totalPartitions: 2, partitionSize: 2, minPartitions: 1}, " TEMPLATE "}]}",
    "{tasks: [{replicas: 1, template: {metadata: {labels: {a/b: c}, annotations: {X/Y: z}}, spec: {restartPolicy: Never, "
    "hostNetwork: true, nodeSelector: {a: b}, tolerations: [{operator: Exists}, {key: k, operator: Equal, value: v, effect: NoExecute, "
    "tolerationSeconds: 3}], initContainers: [{name: a, image: i, restartPolicy: Always}], volumes: [{name: v}], containers: [{name: c, "
    "image: i, volumeMounts: [{name: v, mountPath: /v}], ports: [{containerPort: 80, hostPort: 80}], resources: {requests: {cpu: 1500m, "
    "nvidia.com/gpu: 1}, limits: {cpu: 2, nvidia.com/gpu: '1'}}}]}}}]}",
    "{volumes: [{mountPath: /a, volumeClaimName: c}, {mountPath: /b, volumeClaim: {accessModes: [ReadWriteOnce]}}], tasks: [" TASK "]}",
  };

  for (guint i = 0; i < G_N_ELEMENTS (good); i++) {
    g_autofree char *got = judge_of ("j", good[i], &open_queue);

    suite_check (got == NULL, "%s: %s", good[i], got);
  }
}

static void
a_bad_job_is_refused_with_upstreams_text (void)
{
  static const struct { const char *name, *spec, *text; } bad[] = {
    /* alone */
    { "j", "{}", "No task specified in job spec" },
    { "j", "{plugins: {mpi: []}, tasks: [" TASK "]}", "The specified mpi master task was not found" },
    { "j", "{plugins: {mpi: ['--master', x]}, tasks: [" TASK "]}", "The specified mpi master task was not found" },
    /* tasks */
    { "j", "{tasks: [{name: w, replicas: 2, minAvailable: 3, " TEMPLATE "}]}", "'minAvailable' is greater than 'replicas' in task: w, job: j;" },
    { "j", "{tasks: [" TASK ", " TASK "]}", "duplicated task name w;" },
    { "j", "{tasks: [{name: w, replicas: 1, policies: [{event: PodRunning, action: AbortJob}], " TEMPLATE "}]}",
      "1 error occurred: * spec.tasks.policies: Invalid value: \"PodRunning\": invalid policy event valid events are [* JobUpdated PodEvicted "
      "PodFailed PodPending TaskCompleted TaskFailed Unknown], valid actions are [AbortJob CompleteJob RestartJob RestartPartition RestartPod "
      "RestartTask ResumeJob TerminateJob];" },
    { "j2345678901234567890123456789012345678901234567890", "{tasks: [{name: w234567890123, replicas: 1, " TEMPLATE "}]}",
      "create pod with name j2345678901234567890123456789012345678901234567890-w234567890123-0 validate failed [name part must be no more than "
      "63 bytes];" },
    /* templates */
    { "j", "{tasks: [{name: w, replicas: 1, template: {spec: {}}}]}", "spec.task[0].template.spec.containers: Required value." },
    { "j", "{tasks: [" TASK ", {name: b, replicas: 1, template: {spec: {containers: [{name: c}]}}}]}",
      "spec.task[1].template.spec.containers[0].image: Required value." },
    { "j", "{tasks: [{replicas: 1, template: {spec: {containers: [{image: i}]}}}]}", "template.spec.containers[0].name: Required value." },
    { "j", "{tasks: [{replicas: 1, template: {spec: {containers: [{name: C, image: i}]}}}]}",
      "template.spec.containers[0].name: Invalid value: \"C\": a lowercase RFC 1123 label must consist of" },
    { "j", "{tasks: [{replicas: 1, template: {spec: {containers: [{name: c, image: i}, {name: c, image: i}]}}}]}",
      "template.spec.containers[1].name: Duplicate value: \"c\"." },
    { "j", "{tasks: [{replicas: 1, template: {spec: {initContainers: [{name: c, image: i}], containers: [{name: c, image: i}]}}}]}",
      "template.spec.initContainers[0].name: Duplicate value: \"c\"." },
    { "j", "{tasks: [{replicas: 1, template: {spec: {initContainers: [{name: b, image: i, restartPolicy: Never}], containers: [{name: c, image: i}]}}}]}",
      "template.spec.initContainers[0].restartPolicy: Unsupported value: \"Never\": supported values: \"Always\"." },
    { "j", "{tasks: [{replicas: 1, template: {spec: {containers: [{name: c, image: i, restartPolicy: Always}]}}}]}",
      "containers[0].restartPolicy: Forbidden: may not be set for non-init containers." },
    { "j", "{tasks: [{replicas: 1, template: {spec: {containers: [{name: c, image: i, imagePullPolicy: Sometimes}]}}}]}",
      "imagePullPolicy: Unsupported value: \"Sometimes\": supported values: \"Always\", \"IfNotPresent\", \"Never\"." },
    { "j", "{tasks: [{replicas: 1, template: {spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 2}, limits: {cpu: 1500m}}}]}}}]}",
      "resources.requests: Invalid value: \"2\": must be less than or equal to cpu limit of 1500m." },
    { "j", "{tasks: [{replicas: 1, template: {spec: {containers: [{name: c, image: i, resources: {requests: {nvidia.com/gpu: 1}}}]}}}]}",
      "resources.limits: Required value: Limit must be set for non overcommitable resources." },
    { "j", "{tasks: [{replicas: 1, template: {spec: {containers: [{name: c, image: i, resources: {requests: {nvidia.com/gpu: 1}, limits: {nvidia.com/gpu: 2}}}]}}}]}",
      "resources.requests: Invalid value: \"1\": must be equal to nvidia.com/gpu limit of 2." },
    { "j", "{tasks: [{replicas: 1, template: {spec: {containers: [{name: c, image: i, resources: {requests: {cpu: -1}}}]}}}]}",
      "resources.requests[cpu]: Invalid value: \"-1\": must be greater than or equal to 0." },
    { "j", "{tasks: [{replicas: 1, template: {spec: {containers: [{name: c, image: i, resources: {limits: {gpu: 2}}}]}}}]}",
      "resources.limits[gpu]: Invalid value: \"gpu\": must be a standard resource for containers." },
    { "j", "{tasks: [{replicas: 1, template: {spec: {containers: [{name: c, image: i, ports: [{containerPort: 70000, protocol: ICMP}]}]}}}]}",
      "ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive. template.spec.containers[0].ports[0].protocol: "
      "Unsupported value: \"ICMP\": supported values: \"SCTP\", \"TCP\", \"UDP\"." },
    { "j", "{tasks: [{replicas: 1, template: {spec: {containers: [{name: c, image: i, ports: [{containerPort: 1, hostPort: 5}, {containerPort: 2, hostPort: 5}]}]}}}]}",
      "ports[1].hostPort: Duplicate value: \"TCP//5\"." },
    { "j", "{tasks: [{replicas: 1, template: {spec: {hostNetwork: true, containers: [{name: c, image: i, ports: [{containerPort: 1, hostPort: 5}]}]}}}]}",
      "must match `containerPort` when `hostNetwork` is true." },
    { "j", "{tasks: [{replicas: 1, template: {spec: {containers: [{name: c, image: i, volumeMounts: [{name: v, mountPath: /v}]}]}}}]}",
      "volumeMounts[0].name: Not found: \"v\"." },
    { "j", "{tasks: [{replicas: 1, template: {spec: {volumes: [{name: v}, {name: v}], containers: [{name: c, image: i}]}}}]}",
      "template.spec.volumes[1].name: Duplicate value: \"v\"." },
    { "j", "{tasks: [{replicas: 1, template: {spec: {restartPolicy: Rarely, containers: [{name: c, image: i}]}}}]}",
      "template.spec.restartPolicy: Unsupported value: \"Rarely\": supported values: \"Always\", \"OnFailure\", \"Never\"." },
    { "j", "{tasks: [{replicas: 1, template: {spec: {dnsPolicy: Mine, containers: [{name: c, image: i}]}}}]}", "template.spec.dnsPolicy: Unsupported value: \"Mine\"" },
    { "j", "{tasks: [{replicas: 1, template: {metadata: {labels: {a: 'b c'}}, spec: {containers: [{name: c, image: i}]}}}]}",
      "template.labels: Invalid value: \"b c\": a valid label must be an empty string or consist of" },
    { "j", "{tasks: [{replicas: 1, template: {spec: {nodeSelector: {'a b': c}, containers: [{name: c, image: i}]}}}]}",
      "template.spec.nodeSelector: Invalid value: \"a b\": name part must consist of" },
    { "j", "{tasks: [{replicas: 1, template: {spec: {tolerations: [{value: v}], containers: [{name: c, image: i}]}}}]}",
      "tolerations[0].operator: Invalid value: \"\": operator must be Exists when `key` is empty" },
    { "j", "{tasks: [{replicas: 1, template: {spec: {tolerations: [{key: k, effect: Never}], containers: [{name: c, image: i}]}}}]}",
      "tolerations[0].effect: Unsupported value: \"Never\": supported values: \"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\"." },
    { "j", "{tasks: [{replicas: 1, template: {spec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: []}}}, containers: [{name: c, image: i}]}}}]}",
      "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term." },
    { "j", "{tasks: [{replicas: 1, template: {spec: {affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 101, podAffinityTerm: {topologyKey: zone}}]}}, containers: [{name: c, image: i}]}}}]}",
      "podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the range 1-100." },
    { "j", "{tasks: [{replicas: 1, template: {spec: {activeDeadlineSeconds: 0, containers: [{name: c, image: i}]}}}]}",
      "activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive." },
    { "j", "{tasks: [{replicas: 1, topologyPolicy: restricted, template: {spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}, "
           "{name: d, image: i, resources: {limits: {cpu: 1500m}}}]}}}]}",
      "the cpu request isn't an integer in spec.task[0] container[1]." },
    { "j", "{tasks: [{replicas: 1, topologyPolicy: best-effort, template: {spec: {initContainers: [{name: b, image: i}], containers: [{name: c, image: i, resources: "
           "{limits: {cpu: 2}}}]}}}]}",
      "the cpu request isn't an integer in spec.task[0] container[1]." },
    { "j", "{tasks: [{replicas: 1, topologyPolicy: loose, " TEMPLATE "}]}",
      "spec.tasks[0].topologyPolicy: Unsupported value: \"loose\": supported values: \"none\", \"best-effort\", \"restricted\", \"single-numa-node\"" },
    /* partitions */
    { "j", "{tasks: [{name: w, replicas: 2, partitionPolicy: {totalPartitions: 0, partitionSize: 2}, " TEMPLATE "}]}",
      "'TotalPartitions' must be greater than 0 in task: w, job: j" },
    { "j", "{tasks: [{name: w, replicas: 2, partitionPolicy: {totalPartitions: 2, partitionSize: 0}, " TEMPLATE "}]}",
      "'PartitionSize' must be greater than 0 in task: w, job: j" },
    { "j", "{tasks: [{name: w, replicas: 3, partitionPolicy: {totalPartitions: 2, partitionSize: 2}, " TEMPLATE "}]}",
      "'Replicas' are not equal to TotalPartitions*PartitionSize in task: w, job: j" },
    { "j", "{tasks: [{name: w, replicas: 4, minAvailable: 3, partitionPolicy: {totalPartitions: 2, partitionSize: 2, minPartitions: 1}, " TEMPLATE "}]}",
      "'MinAvailable' is not equal to MinPartitions*PartitionSize in task: w, job: j" },
    { "j", "{networkTopology: {highestTierAllowed: 1, highestTierName: rack}, tasks: [" TASK "]}",
      "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology simultaneously" },
    { "j", "{tasks: [{name: w, replicas: 2, partitionPolicy: {totalPartitions: 1, partitionSize: 2, networkTopology: {highestTierAllowed: 1, highestTierName: rack}}, " TEMPLATE "}]}",
      "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology simultaneously" },
    { "j", "{networkTopology: {mode: medium}, tasks: [" TASK "]}", "spec.networkTopology.mode: Unsupported value: \"medium\": supported values: \"hard\", \"soft\"" },
    { "j", "{networkTopology: {highestTierAllowed: -1}, tasks: [" TASK "]}", "spec.networkTopology.highestTierAllowed in body should be greater than or equal to 0" },
    /* the job */
    { "j234567890123456789012345678901234567890123456789012345678901234", "{tasks: [" TASK "]}",
      "create job with name j234567890123456789012345678901234567890123456789012345678901234 validate failed [name part must be no more than 63 bytes]" },
    { "j", "{minAvailable: 3, tasks: [" TASK "]}", "job 'minAvailable' should not be greater than total replicas in tasks;" },
    { "j", "{policies: [{event: PodFailed, exitCode: 3, action: AbortJob}], tasks: [" TASK "]}", "must not specify event and exitCode simultaneously" },
    { "j", "{policies: [{action: AbortJob}], tasks: [" TASK "]}", "either event and exitCode should be specified" },
    { "j", "{policies: [{event: CommandIssued, action: AbortJob}], tasks: [" TASK "]}", "spec.policies: Invalid value: \"CommandIssued\": invalid policy event" },
    { "j", "{policies: [{event: Fancy, action: AbortJob}], tasks: [" TASK "]}", "spec.policies: Invalid value: \"Fancy\": invalid policy event" },
    { "j", "{policies: [{event: PodFailed, action: SyncJob}], tasks: [" TASK "]}", "spec.policies: Invalid value: \"SyncJob\": invalid policy action" },
    { "j", "{policies: [{event: PodFailed, action: AbortJob}, {events: [PodEvicted, PodFailed], action: RestartJob}], tasks: [" TASK "]}",
      "duplicate event PodFailed  across different policy" },
    { "j", "{policies: [{exitCode: 0, action: AbortJob}], tasks: [" TASK "]}", "0 is not a valid error code" },
    { "j", "{policies: [{exitCode: 3, action: AbortJob}, {exitCode: 3, action: RestartJob}], tasks: [" TASK "]}", "duplicate exitCode 3" },
    { "j", "{policies: [{event: '*', action: AbortJob}, {event: PodFailed, action: RestartJob}], tasks: [" TASK "]}",
      "1 error occurred: * if there's * here, no other policy should be here valid events are" },
    { "j", "{policies: [{event: '*', action: AbortJob}, {event: PodFailed, action: RestartJob}, {exitCode: 0}], tasks: [" TASK "]}",
      "2 errors occurred: * 0 is not a valid error code * if there's * here" },
    { "j", "{plugins: {nothing: [], svc: [], none: []}, tasks: [" TASK "]}", "unable to find job plugin: none; unable to find job plugin: nothing;" },
    { "j", "{volumes: [{mountPath: ''}], tasks: [" TASK "]}", " mountPath is required;" },
    { "j", "{volumes: [{mountPath: /a, volumeClaimName: c}, {mountPath: /a, volumeClaimName: d}], tasks: [" TASK "]}", "duplicated mountPath: /a;" },
    { "j", "{volumes: [{mountPath: /a}], tasks: [" TASK "]}", "either VolumeClaim or VolumeClaimName must be specified;" },
    { "j", "{volumes: [{mountPath: /a, volumeClaimName: c, volumeClaim: {accessModes: [ReadWriteOnce]}}], tasks: [" TASK "]}",
      "conflict: If you want to use an existing PVC, just specify VolumeClaimName.If you want to create a new PVC, you do not need to specify VolumeClaimName" },
    { "j", "{volumes: [{mountPath: /a, volumeClaimName: C}], tasks: [" TASK "]}", "invalid VolumeClaimName C : [a lowercase RFC 1123 subdomain must" },
    { "j", "{tasks: [{name: w, replicas: 1, dependsOn: {name: [w]}, " TEMPLATE "}]}", "doesn't form a directed acyclic graph(DAG);" },
    { "j", "{tasks: [{name: w, replicas: 1, dependsOn: {name: [x]}, " TEMPLATE "}]}", "doesn't form a directed acyclic graph(DAG);" },
    { "j", "{tasks: [{name: w, replicas: 1, dependsOn: {name: [x]}, " TEMPLATE "}, {name: x, replicas: 1, dependsOn: {name: [w]}, " TEMPLATE "}]}",
      "doesn't form a directed acyclic graph(DAG);" },
    { "j", "{tasks: [" TASK ", {name: x, replicas: 1, dependsOn: {name: [w, w]}, " TEMPLATE "}]}", "doesn't form a directed acyclic graph(DAG);" },
    /* the schema */
    { "J", "{tasks: [" TASK "]}", "Job.batch.volcano.sh \"J\" is invalid: metadata.name: Invalid value: \"J\": a lowercase RFC 1123 subdomain must" },
    { "j", "{minAvailable: -1, tasks: [" TASK "]}", "spec.minAvailable: Invalid value: -1: spec.minAvailable in body should be greater than or equal to 0" },
    { "j", "{minSuccess: 0, tasks: [" TASK "]}", "spec.minSuccess in body should be greater than or equal to 1" },
    { "j", "{maxRetry: -1, tasks: [" TASK "]}", "spec.maxRetry in body should be greater than or equal to 0" },
    { "j", "{ttlSecondsAfterFinished: -1, tasks: [" TASK "]}", "spec.ttlSecondsAfterFinished in body should be greater than or equal to 0" },
    { "j", "{queue: Q, tasks: [" TASK "]}", "spec.queue in body should match '^[a-z0-9]" },
    { "j", "{schedulerName: s234567890123456789012345678901234567890123456789012345678901234, tasks: [" TASK "]}",
      "spec.schedulerName: Too long: may not be more than 63 bytes" },
    { "j", "{tasks: []}", "spec.tasks in body should have at least 1 items" },
    { "j", "{tasks: [{name: W, replicas: 1, " TEMPLATE "}]}", "spec.tasks[0].name in body should match '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'" },
    { "j", "{tasks: [{name: w, replicas: -1, minAvailable: -1, maxRetry: -1, " TEMPLATE "}]}",
      "is invalid: [spec.tasks[0].maxRetry: Invalid value: -1: spec.tasks[0].maxRetry in body should be greater than or equal to 0, "
      "spec.tasks[0].minAvailable: Invalid value: -1: spec.tasks[0].minAvailable in body should be greater than or equal to 0, "
      "spec.tasks[0].replicas: Invalid value: -1: spec.tasks[0].replicas in body should be greater than or equal to 0]" },
    { "j", "{policies: [{event: Fancy, action: AbortJob}], tasks: [" TASK "]}", "spec.policies[0].event: Unsupported value: \"Fancy\": supported values: \"*\"" },
    { "j", "{tasks: [{name: w, replicas: 2, partitionPolicy: {totalPartitions: 2}, " TEMPLATE "}]}", "spec.tasks[0].partitionPolicy.partitionSize: Required value" },
    { "j", "{volumes: [{mountPath: 'a:b', volumeClaimName: c}], tasks: [" TASK "]}", "spec.volumes[0].mountPath in body should match '^[^:]+$'" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autofree char *got = judge_of (bad[i].name, bad[i].spec, &open_queue);

    says (bad[i].spec, got, bad[i].text);
  }
}

static void
what_is_wrong_is_said_in_upstreams_order (void)
{
  const WlQueueView queue = { "default", "Closing", 0 };
  g_autofree char *got = judge_of ("j", "{minAvailable: 9, plugins: {x: []}, tasks: [{name: w, replicas: 1, minAvailable: 2, dependsOn: {name: [w]}, " TEMPLATE "}]}",
                                   &queue);

  suite_check (g_strcmp0 (got, "'minAvailable' is greater than 'replicas' in task: w, job: j; job 'minAvailable' should not be greater than total "
                               "replicas in tasks; unable to find job plugin: x; can only submit job to queue with state `Open`, queue `default` "
                               "status is `Closing`; job has dependencies between tasks, but doesn't form a directed acyclic graph(DAG);")
                   == 0,
               "%s", got);
}

static void
a_job_needs_an_open_leaf (void)
{
  static const struct { WlQueueView queue; const char *text; } bad[] = {
    { { NULL, NULL, 0 }, "unable to find job queue: queue.scheduling.volcano.sh \"default\" not found;" },
    { { "default", "Closed", 0 }, "can only submit job to queue with state `Open`, queue `default` status is `Closed`;" },
    { { "default", "", 0 }, "can only submit job to queue with state `Open`, queue `default` status is ``;" },
    { { "root", "Open", 2 }, "can not submit job to root queue;" },
    { { "default", "Open", 2 }, "can only submit job to leaf queue, queue `default` has 2 child queues;" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autofree char *got = wl_admit_job (NULL, "default", bad[i].queue.name != NULL ? &bad[i].queue : NULL);

    suite_check (g_strcmp0 (got, bad[i].text) == 0, "wanted '%s', got '%s'", bad[i].text, got);
  }
}

/* ---- changes of a job ---- */

static void
a_change_of_a_job_is_judged (void)
{
  static const char old_spec[] = "{minAvailable: 2, priorityClassName: low, tasks: [{name: a, replicas: 3, minAvailable: 1, template: {spec: {containers: "
                                 "[{name: c, image: i, resources: {requests: {cpu: 1}}}]}}}, {replicas: 2, " TEMPLATE "}]}";
  static const struct { const char *spec, *text; } change[] = {
    { "{minAvailable: 4, priorityClassName: high, maxRetry: 3, queue: default, tasks: [{template: {spec: {containers: [{image: i, name: c, resources: "
      "{requests: {cpu: 1000m}, limits: {}}}]}}, name: a, replicas: 9, minAvailable: 2}, {name: default1, replicas: 0, minAvailable: 0, " TEMPLATE "}]}",
      NULL },
    { "{minAvailable: 2, tasks: [{name: a, replicas: -1, " TEMPLATE "}, {replicas: 2, " TEMPLATE "}]}", "'replicas' must be >= 0 in task: a" },
    { "{minAvailable: 2, tasks: [{name: a, replicas: 1, minAvailable: -1, " TEMPLATE "}, {replicas: 2, " TEMPLATE "}]}",
      "'minAvailable' must be >= 0 in task: a" },
    { "{minAvailable: 2, tasks: [{name: a, replicas: 1, minAvailable: 2, " TEMPLATE "}, {replicas: 2, " TEMPLATE "}]}",
      "'minAvailable' must be <= 'replicas' in task: a" },
    { "{minAvailable: 2, tasks: [{name: a, replicas: 3, partitionPolicy: {totalPartitions: 2, partitionSize: 2}, " TEMPLATE "}, {replicas: 2, " TEMPLATE "}]}",
      "'Replicas' are not equal to TotalPartitions*PartitionSize in task: a, job: j" },
    { "{minAvailable: 6, tasks: [{name: a, replicas: 3, " TEMPLATE "}, {replicas: 2, " TEMPLATE "}]}",
      "job 'minAvailable' must not be greater than total replicas" },
    { "{minAvailable: -1, tasks: [{name: a, replicas: 3, " TEMPLATE "}, {replicas: 2, " TEMPLATE "}]}", "job 'minAvailable' must be >= 0" },
    { "{minAvailable: 2, tasks: [{name: a, replicas: 3, " TEMPLATE "}]}", "job updates may not add or remove tasks" },
    { "{minAvailable: 2, maxRetry: 4, tasks: [{name: a, replicas: 3, minAvailable: 1, template: {spec: {containers: [{name: c, image: i, resources: "
      "{requests: {cpu: 1}}}]}}}, {replicas: 2, " TEMPLATE "}]}",
      "job updates may not change fields other than `minAvailable`, `tasks[*].replicas under spec` and `PriorityClassName`" },
    { "{minAvailable: 2, tasks: [{name: a, replicas: 3, minAvailable: 1, template: {spec: {containers: [{name: c, image: i, resources: "
      "{requests: {cpu: 2}}}]}}}, {replicas: 2, " TEMPLATE "}]}",
      "job updates may not change fields other than" },
    { "{minAvailable: 2, queue: other, tasks: [{name: a, replicas: 3, minAvailable: 1, template: {spec: {containers: [{name: c, image: i, resources: "
      "{requests: {cpu: 1}}}]}}}, {replicas: 2, " TEMPLATE "}]}",
      "job updates may not change fields other than" },
  };
  g_autofree char *old_text = job_text ("j", old_spec);

  for (guint i = 0; i < G_N_ELEMENTS (change); i++) {
    g_autofree char *now = job_text ("j", change[i].spec), *both = g_strconcat (old_text, now, NULL);
    g_autoptr (WlObjects) o = read_objects (both);

    if (o == NULL)
      continue;
    const char *got = wl_admit_job_update (o->arena, o->jobs->pdata[0], o->jobs->pdata[1]);

    if (change[i].text == NULL)
      suite_check (got == NULL, "%s: %s", change[i].spec, got);
    else
      says (change[i].spec, got, change[i].text);
  }
}

/* ---- queues ---- */

/* The queues of a text, by name as admission is given them; p has two pods. */
static GArray *
queue_states (const WlObjects *o, guint n)
{
  GArray *all = g_array_new (FALSE, TRUE, sizeof (WlQueueState));

  for (guint i = 0; i < n; i++) {
    const VcQueueObject *q = &((const WlObject *) o->objects->pdata[i])->queue;
    WlQueueState s = { *q, strcmp (q->name, "p") == 0 ? 2 : 0 };

    g_array_append_val (all, s);
  }
  return all;
}

/* A queue for each line "name|annotations|spec|state". */
static char *
queue_text (const char *const *lines)
{
  GString *out = g_string_new (NULL);

  for (; *lines != NULL; lines++) {
    g_auto (GStrv) part = g_strsplit (*lines, "|", 4);

    g_string_append_printf (out,
                            "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: '%s', annotations: {%s}}\nspec: {%s}\n"
                            "status: {state: '%s'}\n---\n",
                            part[0], part[1], part[2], part[3]);
  }
  return g_string_free (out, FALSE);
}

#define H "volcano.sh/hierarchy: "
#define HW "volcano.sh/hierarchy-weights: "

static void
a_new_queue_is_judged (void)
{
  static const struct { const char *queue, *text; } cases[] = {
    { "n||weight: 2|", NULL },
    { "n||parent: a, weight: 1, capability: {cpu: 4}, deserved: {cpu: 2}, guarantee: {resource: {cpu: 1}}|", NULL },
    { "n|" H "root/b/d, " HW "1/2/3|weight: 1|", NULL },
    { "n||capability: {cpu: -1}|", "requestBody.spec.capability.cpu: Invalid value: \"-1\": must be greater than or equal to 0" },
    { "n||deserved: {memory: -1Gi}|", "requestBody.spec.deserved.memory: Invalid value: \"-" },
    { "n||capability: {pods: 500m}|", "requestBody.spec.capability.pods: Invalid value: 500m: must be an integer" },
    { "n||guarantee: {resource: {cpu: 2}}|", "requestBody.spec.deserved.cpu: Invalid value: \"<nil>\": deserved[cpu] must be >= guarantee[cpu]=2" },
    { "n||guarantee: {resource: {cpu: 2}}, deserved: {cpu: 1500m}|",
      "requestBody.spec.deserved.cpu: Invalid value: \"1500m\": deserved[cpu]=1500m must be >= guarantee[cpu]=2" },
    { "n||deserved: {memory: 2Gi}, capability: {memory: 1Gi}|",
      "requestBody.spec.deserved.memory: Invalid value: \"2Gi\": deserved[memory]=2Gi must be <= capability[memory]=1Gi" },
    { "n||weight: 1|Closing", "requestBody.spec.state: Invalid value: \"Closing\": queue state must be in [Open Closed]" },
    { "n|" H "root/b, " HW "'1'|weight: 1|",
      "requestBody.metadata.annotations: Invalid value: \"root/b\": volcano.sh/hierarchy must have the same length with volcano.sh/hierarchy-weights" },
    { "n|" H "root/b, " HW "1/x|weight: 1|", "x in the 1/x is invalid number: strconv.ParseFloat: parsing \"x\": invalid syntax" },
    { "n|" H "root/b, " HW "1/0|weight: 1|", "0 in the 1/0 must be larger than 0" },
    { "n|" H "root/x, " HW "1/2|weight: 1|", "root/x is not allowed to be in the sub path of root/x/y of queue h" },
    { "n||parent: n|", "queue n cannot use itself as parent" },
    { "n||parent: a4|", "queue n exceeds the maximum allowed depth of 5" },
    { "n||parent: nowhere|", "failed to get parent queue nowhere of queue n: queue.scheduling.volcano.sh \"nowhere\" not found" },
    { "n||parent: p|", "queue p cannot be the parent queue of queue n because it has allocated Pods: 2" },
    { "n||parent: a, capability: {cpu: 9}|", "queue n capability[cpu]=9 exceeds its ancestor's capability=8" },
    { "n||parent: a2, capability: {memory: 3Gi}|", "queue n capability[memory]=3Gi exceeds its ancestor's capability=2Gi" },
    { "n||parent: a, guarantee: {resource: {cpu: 2}}, deserved: {cpu: 2}|",
      "parent queue a validation failed: sum of children's guarantee (cpu 3000.00, memory 0.00) exceeds parent's guarantee limit (cpu 2000.00, memory 0.00)" },
    { "n||parent: a, deserved: {cpu: 3500m}|",
      "parent queue a validation failed: sum of children's deserved (cpu 4500.00, memory 0.00) exceeds parent's deserved limit (cpu 4000.00, memory 0.00)" },
    { "n||parent: a, deserved: {nvidia.com/gpu: 1}|", "sum of children's deserved (cpu 1000.00, memory 0.00, nvidia.com/gpu 1000.00) exceeds parent's deserved" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const char *const lines[] = { "a||capability: {cpu: 8, memory: 2Gi}, deserved: {cpu: 4}, guarantee: {resource: {cpu: 2}}|",
                                  "a1||parent: a, deserved: {cpu: 1}, guarantee: {resource: {cpu: 1}}|", "a2||parent: a1|", "a3||parent: a2|",
                                  "a4||parent: a3|", "default||weight: 1|", "h|" H "root/x/y, " HW "1/1/1|weight: 1|", "p||weight: 1|", "root||weight: 1|",
                                  cases[i].queue, NULL };
    g_autofree char *text = queue_text (lines);
    g_autoptr (WlObjects) o = read_objects (text);

    if (o == NULL)
      continue;
    g_autoptr (GArray) all = queue_states (o, 9);
    g_autofree char *got = wl_admit_queue ((const WlQueueState *) (gpointer) all->data, all->len, NULL, &((WlObject *) o->objects->pdata[9])->queue);

    if (cases[i].text == NULL)
      suite_check (got == NULL, "%s: %s", cases[i].queue, got);
    else
      says (cases[i].queue, got, cases[i].text);
  }
}

static void
a_change_of_a_queue_is_judged (void)
{
  static const struct { const char *old, *now, *text; } cases[] = {
    { "root||weight: 1|", "root||weight: 1, capability: {cpu: 1}|", "root queue's resource attributes (capability, deserved, guarantee) cannot be modified" },
    { "root||capability: {cpu: 1000m}|", "root||weight: 2, capability: {cpu: 1}|", NULL },
    { "q||weight: 1|", "q||capability: {cpu: 1}|", "queue q capability[cpu]=1 is smaller than its descendants' max capability=4" },
    { "q||weight: 1|", "q||capability: {cpu: 4, memory: 1Gi}, deserved: {cpu: 2}|",
      "queue q capability[memory]=1Gi is smaller than its descendants' max capability=3Gi" },
    { "q||weight: 1|", "q||capability: {cpu: 4}|", /* the children deserve something of a parent that deserves nothing */
      "queue q validation failed: sum of children's deserved (cpu 2000.00, memory 0.00) exceeds parent's deserved limit (cpu 0.00, memory 0.00)" },
    { "q||capability: {cpu: 1}|", "q||capability: {cpu: 1}, weight: 7, priority: 3|", NULL }, /* not looked at: no resource changes */
    { "q||weight: 1|", "q||parent: q|", "queue q cannot use itself as parent" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const char *const lines[] = { "c||parent: q, capability: {cpu: 4}, deserved: {cpu: 2}|", "d||parent: c, capability: {memory: 1Gi}|",
                                  "e||parent: q, capability: {memory: 3Gi}|", cases[i].old, cases[i].now, NULL };
    g_autofree char *text = queue_text (lines);
    g_autoptr (WlObjects) o = read_objects (text);

    if (o == NULL)
      continue;
    g_autoptr (GArray) all = queue_states (o, 4);
    g_autofree char *got = wl_admit_queue ((const WlQueueState *) (gpointer) all->data, all->len, &((WlObject *) o->objects->pdata[3])->queue,
                                           &((WlObject *) o->objects->pdata[4])->queue);

    if (cases[i].text == NULL)
      suite_check (got == NULL, "%s: %s", cases[i].now, got);
    else
      says (cases[i].now, got, cases[i].text);
  }
}

static void
a_deletion_of_a_queue_is_judged (void)
{
  static const char *const lines[] = { "a||weight: 1|", "b||parent: a|", "c||parent: a|", "default||weight: 1|", "p||weight: 1|", "root||weight: 1|", NULL };
  static const struct { const char *name; gboolean pods; const char *text; } cases[] = {
    { "b", TRUE, NULL },
    { "p", FALSE, NULL },
    { "default", FALSE, "`default` queue can not be deleted" },
    { "root", FALSE, "`root` queue can not be deleted" },
    { "x", FALSE, "queue.scheduling.volcano.sh \"x\" not found" },
    { "p", TRUE, "queue p cannot be deleted because it has allocated Pods: 2" },
    { "a", FALSE, "queue a can not be deleted because it has 2 child queues: b, c" },
  };
  g_autofree char *text = queue_text (lines);
  g_autoptr (WlObjects) o = read_objects (text);

  if (o == NULL)
    return;
  g_autoptr (GArray) all = queue_states (o, 6);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *got = wl_admit_queue_deletion ((const WlQueueState *) (gpointer) all->data, all->len, cases[i].name, cases[i].pods);

    suite_check (g_strcmp0 (got, cases[i].text) == 0, "%s: wanted '%s', got '%s'", cases[i].name, cases[i].text, got);
  }
}

static void
a_queue_gets_its_defaults (void)
{
  static const char *const lines[] = { "a|" H "b/c, " HW "2/3|weight: 0|", "b|" H "root/c, " HW "2/3|weight: 5, reclaimable: false|", "c|" H "c|parent: a|", NULL };
  g_autofree char *text = queue_text (lines);
  g_autoptr (WlObjects) o = read_objects (text);

  if (o == NULL)
    return;
  VcQueueObject *q[3];

  for (guint i = 0; i < 3; i++) {
    q[i] = &((WlObject *) o->objects->pdata[i])->queue;
    suite_check (((WlObject *) o->objects->pdata[i])->refusal == NULL, "%s", ((WlObject *) o->objects->pdata[i])->refusal);
    wl_default_queue (o->arena, q[i]);
  }
  suite_check (q[0]->weight == 1 && q[0]->reclaimable == 1, "weight and reclaimable");
  suite_check (g_strcmp0 (vc_pairs_get (&q[0]->annotations, "volcano.sh/hierarchy"), "root/b/c") == 0
                   && g_strcmp0 (vc_pairs_get (&q[0]->annotations, "volcano.sh/hierarchy-weights"), "1/2/3") == 0,
               "the root is put before the path");
  suite_check (q[1]->weight == 5 && q[1]->reclaimable == 0 && g_strcmp0 (vc_pairs_get (&q[1]->annotations, "volcano.sh/hierarchy"), "root/c") == 0, "what is given stays");
  suite_check (g_strcmp0 (vc_pairs_get (&q[2]->annotations, "volcano.sh/hierarchy"), "c") == 0, "without weights nothing is added");
}

static void
the_schema_of_a_queue_has_limits (void)
{
  static const struct { const char *queue, *text; } cases[] = {
    { "n||weight: 65536|", "Queue.scheduling.volcano.sh \"n\" is invalid: spec.weight: Invalid value: 65536: spec.weight in body should be less than or equal to 65535" },
    { "n||weight: -1|", "spec.weight in body should be greater than or equal to 1" },
    { "n||priority: -1|", "spec.priority in body should be greater than or equal to 0" },
    { "n||dequeueStrategy: lifo|", "spec.dequeueStrategy: Unsupported value: \"lifo\": supported values: \"fifo\", \"traverse\"" },
    { "n||parent: P|", "spec.parent in body should match '^[a-z0-9]" },
    { "N||weight: 1|", "metadata.name: Invalid value: \"N\"" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const char *const lines[] = { cases[i].queue, NULL };
    g_autofree char *text = queue_text (lines);
    g_autoptr (WlObjects) o = read_objects (text);

    if (o != NULL)
      says (cases[i].queue, ((WlObject *) o->objects->pdata[0])->refusal, cases[i].text);
  }
}

static void
a_pod_group_is_judged (void)
{
  static const struct { const char *spec; const char *text; } cases[] = {
    { "{minMember: 2, queue: q, networkTopology: {mode: soft, highestTierAllowed: 1}, subGroupPolicy: [{name: g, subGroupSize: 2}]}", NULL },
    { "{minMember: -1}", "PodGroup.scheduling.volcano.sh \"g\" is invalid: spec.minMember: Invalid value: -1: spec.minMember in body should be greater than or equal to 0" },
    { "{queue: Q}", "spec.queue in body should match '^[a-z0-9]" },
    { "{subGroupPolicy: [{subGroupSize: 0}]}", "spec.subGroupPolicy[0].subGroupSize in body should be greater than or equal to 1" },
    { "{subGroupPolicy: [{minSubGroups: -1}]}", "spec.subGroupPolicy[0].minSubGroups in body should be greater than or equal to 0" },
    { "{networkTopology: {highestTierAllowed: 1, highestTierName: rack}}",
      "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology simultaneously." },
    { "{subGroupPolicy: [{name: a}, {name: b, networkTopology: {highestTierAllowed: 1, highestTierName: rack}}]}",
      "in subGroupPolicy 'b': must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology simultaneously." },
  };
  const WlQueueView shut = { "q", "Closed", 0 }, open = { "q", "Open", 3 };
  g_autofree char *missing = wl_admit_pod_group (NULL, "q", NULL), *closed = wl_admit_pod_group ("its own fault", "q", &shut);
  g_autofree char *good = wl_admit_pod_group (NULL, "q", &open), *nameless = wl_admit_pod_group (NULL, "", NULL);

  suite_check (g_strcmp0 (missing, "unable to find queue: queue.scheduling.volcano.sh \"q\" not found") == 0, "%s", missing);
  suite_check (g_strcmp0 (closed, "can only submit PodGroup to queue with state `Open`, queue `q` status is `Closed`.; its own fault") == 0, "%s", closed);
  suite_check (good == NULL && nameless == NULL, "an open queue, even with children, or none");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text = g_strdup_printf ("{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: g, annotations: {volsim.io/submit: '0'}}, spec: %s}\n"
                                             "---\n{apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {volsim.io/submit: '0', scheduling.k8s.io/group-name: g}}, "
                                             "spec: {schedulerName: volcano, containers: [{name: c, image: i}]}}\n",
                                             cases[i].spec);
    g_autoptr (WlObjects) o = read_objects (text);

    if (o == NULL || !suite_check (o->jobs->len > 0, "%s: no group", cases[i].spec))
      continue;
    const char *got = ((WlJobObject *) o->jobs->pdata[0])->refusal.text;

    if (cases[i].text == NULL)
      suite_check (got == NULL, "%s: %s", cases[i].spec, got);
    else
      says (cases[i].spec, got, cases[i].text);
  }
}

static void
a_hyper_node_is_judged (void)
{
  static const struct { const char *spec, *text; } cases[] = {
    { "{tier: 1, members: [{type: Node, selector: {exactMatch: {name: n}}}, {type: Node, selector: {regexMatch: {pattern: 'n[0-9]+'}}}, {type: Node, "
      "selector: {labelMatch: {matchLabels: {a: b}}}}, {type: HyperNode, selector: {exactMatch: {name: h}}}]}",
      NULL },
    { "{tier: 1}", "spec.members: Invalid value: null: member must have at least one member" },
    { "{tier: 1, members: []}", "HyperNode.topology.volcano.sh \"h\" is invalid: spec.members: Invalid value: 0: spec.members in body should have at least 1 items" },
    { "{tier: 1, members: [{type: Node, selector: {regexMatch: {pattern: 'n(['}}}]}",
      "spec.members.selector.regexMatch.pattern: Invalid value: \"n([\": member regexMatch pattern is invalid: error parsing regexp: " },
    { "{tier: 1, members: [{type: Node, selector: {}}]}", "spec.members[0].selector: Invalid value: \"object\": Either ExactMatch or RegexMatch or LabelMatch must be specified" },
    { "{tier: 1, members: [{type: Node, selector: {exactMatch: {name: n}, labelMatch: {matchLabels: {a: b}}}}]}",
      "Only one of ExactMatch, RegexMatch, or LabelMatch can be specified" },
    { "{members: [{type: Node, selector: {exactMatch: {name: n}}}]}", "spec.tier: Required value" },
    { "{tier: -1, members: [{type: Node, selector: {exactMatch: {name: n}}}]}", "spec.tier in body should be greater than or equal to 0" },
    { "{tier: 1, members: [{type: Rack, selector: {exactMatch: {name: n}}}]}", "spec.members[0].type: Unsupported value: \"Rack\": supported values: \"Node\", \"HyperNode\"" },
    { "{tier: 1, members: [{selector: {exactMatch: {name: n}}}]}", "spec.members[0].type: Required value" },
    { "{tier: 1, members: [{type: Node, selector: {exactMatch: {name: ''}}}]}", "spec.members[0].selector.exactMatch.name in body should be at least 1 chars long" },
    { "{tier: 1, members: [{type: Node, selector: {exactMatch: {name: N}}}]}", "spec.members[0].selector.exactMatch.name in body should match '^[a-z0-9]" },
    { "{tier: 1, members: [{type: Node, selector: {regexMatch: {}}}]}", "spec.members[0].selector.regexMatch.pattern: Required value" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text = g_strdup_printf ("{apiVersion: topology.volcano.sh/v1alpha1, kind: HyperNode, metadata: {name: h}, spec: %s}\n", cases[i].spec);
    g_autoptr (WlObjects) o = read_objects (text);

    if (o == NULL)
      continue;
    const char *got = ((WlObject *) o->objects->pdata[0])->refusal;

    if (cases[i].text == NULL)
      suite_check (got == NULL, "%s: %s", cases[i].spec, got);
    else
      says (cases[i].spec, got, cases[i].text);
  }
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "a good job is admitted", a_good_job_is_admitted },
    { "a bad job is refused with upstream's text", a_bad_job_is_refused_with_upstreams_text },
    { "what is wrong is said in upstream's order", what_is_wrong_is_said_in_upstreams_order },
    { "a job needs an open leaf", a_job_needs_an_open_leaf },
    { "a change of a job is judged", a_change_of_a_job_is_judged },
    { "a new queue is judged", a_new_queue_is_judged },
    { "a change of a queue is judged", a_change_of_a_queue_is_judged },
    { "a deletion of a queue is judged", a_deletion_of_a_queue_is_judged },
    { "a queue gets its defaults", a_queue_gets_its_defaults },
    { "a PodGroup is judged", a_pod_group_is_judged },
    { "a HyperNode is judged", a_hyper_node_is_judged },
    { "the schema of a queue has limits", the_schema_of_a_queue_has_limits },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("admission", tests);
}
