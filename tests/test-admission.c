/* tests/test-admission.c - what Volcano's webhooks and schemas refuse: one bad object for each rule, with upstream's text. The rules are
 * those of docs/admission.md. */
#include "run-helper.h"
#include "suite.h"
#include "workloads/admission.h"
#include "workloads/k8s-objects.h"
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
    /* partitions */
    { "j", "{tasks: [{name: w, replicas: 2, partitionPolicy: {totalPartitions: 0, partitionSize: 2}, " TEMPLATE "}]}",
      "'TotalPartitions' must be greater than 0 in task: w, job: j" },
    { "j", "{tasks: [{name: w, replicas: 2, partitionPolicy: {totalPartitions: 2, partitionSize: 0}, " TEMPLATE "}]}",
      "'PartitionSize' must be greater than 0 in task: w, job: j" },
    { "j", "{tasks: [{name: w, replicas: 3, partitionPolicy: {totalPartitions: 2, partitionSize: 2}, " TEMPLATE "}]}",
      "'Replicas' are not equal to TotalPartitions*PartitionSize in task: w, job: j" },
    { "j", "{tasks: [{name: w, replicas: 4, minAvailable: 3, partitionPolicy: {totalPartitions: 2, partitionSize: 2, minPartitions: 1}, " TEMPLATE "}]}",
      "'MinAvailable' is not equal to MinPartitions*PartitionSize in task: w, job: j" },
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
    { "j", "{plugins: {nothing: [], svc: [], none: []}, tasks: [" TASK "]}", "unable to find job plugin: nothing; unable to find job plugin: none;" },
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

int
main (void)
{
  CU_TestInfo tests[] = {
    { "a good job is admitted", a_good_job_is_admitted },
    { "a bad job is refused with upstream's text", a_bad_job_is_refused_with_upstreams_text },
    { "what is wrong is said in upstream's order", what_is_wrong_is_said_in_upstreams_order },
    { "a job needs an open leaf", a_job_needs_an_open_leaf },
    { "a change of a job is judged", a_change_of_a_job_is_judged },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("admission", tests);
}
