/* reports/results/schema.c - see schema.h. */
#include "schema.h"

#include <string.h>

static const struct {
  const char *name, *rows;
} files[RP_N_FILES] = {
  [RP_FILE_CYCLES]
  = { "cycles.csv",
      "One row per cycle that did or changed something; a value holds until the next row." },
  [RP_FILE_QUEUES]
  = { "queues.csv",
      "One row per reported cycle and queue; a value holds until the queue's next row." },
  [RP_FILE_JOBS] = { "jobs.csv", "One row per job, and per other workload of the input." },
  [RP_FILE_TASKS]
  = { "tasks.csv",
      "One row per pod object; a pod that is made again is a new attempt and a new row." },
  [RP_FILE_EVENTS] = { "events.csv", "One row per decision or event in the life of an object, in "
                                     "the order in which they happened." },
  [RP_FILE_PHASES] = { "phases.csv", "One row per change of phase of a job, PodGroup (under its "
                                     "job's name), queue, JobFlow or CronJob, in the order of the "
                                     "writes." },
  [RP_FILE_REASONS] = { "reasons.csv", "Why pods wait: one row per row of `cycles.csv` and reason. "
                                       "A reason that is not listed for a time has no pods then." },
  [RP_FILE_LEDGER] = { "ledger.csv", "Why jobs wait: one row per interval of time and job, with the one thing that stood in its way. The "
                                     "intervals of the first wait add up to `wait` of `jobs.csv` (to the end of the job or of the run, where it "
                                     "never started); what a cycle found holds until the next one." },
  [RP_FILE_RACKS] = { "racks.csv", "Only in runs that may have HyperNodes: one row per rack and row of `cycles.csv` in which it is other than before; "
                                   "a value holds until the rack's next row. A rack is a HyperNode that is the lowest one (of several, the first by "
                                   "name) to hold some node." },
  [RP_FILE_EVICTIONS] = { "evictions.csv", "One row per pod that the scheduler evicted: what it was, and who was promised its room." },
  [RP_FILE_QUOTAS] = { "quotas.csv", "What queues are given: one row per queue at the start of the run, and one for each change of it." },
  [RP_FILE_NODES] = { "nodes.csv", "One row per node, as it was when the run ended or when it last was there." },
  [RP_FILE_CHAIN] = { "chain.csv", "Only with `follow`: one row per function of Volcano's chain that did something about a followed "
                                   "job, under its upstream name, in the order in which they ran. A cycle that says what the "
                                   "cycle before said has no rows." },
  [RP_FILE_SCHEDULERS] = { "schedulers.csv", "Only where there are several `schedulers`: one row for each, in the order of the scenario." },
  [RP_FILE_RECORDED] = { "recorded.csv", "Only with `recorded`: what the trace says has happened to its jobs, as it was given. The run has not seen it." },
  [RP_FILE_MISFITS] = { "misfits.csv", "Only with `follow_record`: one row per job that did not start as recorded, or of which a pod did not, with the first pod that found no room." },
};

#define CYCLES RP_FILE_CYCLES
#define QUEUES RP_FILE_QUEUES
#define JOBS RP_FILE_JOBS
#define TASKS RP_FILE_TASKS
#define EVENTS RP_FILE_EVENTS
#define PHASES RP_FILE_PHASES
#define REASONS RP_FILE_REASONS
#define CHAIN RP_FILE_CHAIN
#define LEDGER RP_FILE_LEDGER
#define SCHEDULERS RP_FILE_SCHEDULERS
#define RACKS RP_FILE_RACKS
#define EVICTIONS RP_FILE_EVICTIONS
#define QUOTAS RP_FILE_QUOTAS
#define NODES RP_FILE_NODES
#define RECORDED RP_FILE_RECORDED
#define MISFITS RP_FILE_MISFITS
#define AMOUNT "units" /* what the resource is counted in */
#define AMOUNT_TIME "units × s"

const RpColumn rp_columns[] = {
  { CYCLES, "time", "s", "when the cycle ran" },
  { CYCLES, "binds", "pods", "pods that the cycle bound" },
  { CYCLES, "evictions", "pods", "pods that the cycle evicted" },
  { CYCLES, "pending", "pods",
    "pods of phase Pending that are not being deleted, bound ones that have not started included; "
    "like all states below after the binder, evictor and controllers have finished with the "
    "cycle" },
  { CYCLES, "running", "pods", "pods of phase Running that are not being deleted" },
  { CYCLES, "releasing", "pods", "pods that are being deleted and still hold their resources" },
  { CYCLES, "pg_pending", "PodGroups", "PodGroups of phase Pending or without a phase" },
  { CYCLES, "pg_inqueue", "PodGroups", "PodGroups of phase Inqueue" },
  { CYCLES, "pg_running", "PodGroups", "PodGroups of phase Running" },
  { CYCLES, "pg_unknown", "PodGroups", "PodGroups of phase Unknown" },
  { CYCLES, "pipelined", "pods",
    "pods that the session left pipelined: promised room that is being freed" },
  { CYCLES, "discarded", "statements", "statements of this cycle that were rolled back" },
  { CYCLES, "jobs_considered", "jobs", "jobs that the actions of this cycle took up" },
  { CYCLES, "enqueued", "PodGroups", "PodGroups that this cycle made Inqueue" },
  { CYCLES, "jobs_waiting", "jobs", "jobs submitted and not yet gang-started" },
  { CYCLES, "jobs_running", "jobs", "jobs started and not finished" },
  { CYCLES, "jobs_finished", "jobs", "jobs finished since the start of the run" },
  { CYCLES, "nodes", "nodes", "nodes of the cluster" },
  { CYCLES, "e2e", "s", "virtual time that the cycle took (`cycle_cost` and its like); the next one starts a period after its end" },
  { CYCLES, "scheduler", "", "whose cycle it was" },
  { CYCLES, "capacity/<resource>", AMOUNT, "allocatable of all nodes" },
  { CYCLES, "allocated/<resource>", AMOUNT, "requests of the running pods" },
  { CYCLES, "requested/<resource>", AMOUNT, "requests of the pending pods" },
  { CYCLES, "idle/<resource>", AMOUNT, "capacity − allocated" },
  { CYCLES, "fragmented/<resource>", AMOUNT,
    "idle amount on nodes that fit no pending pod; 0 when no pod is pending" },

  { QUEUES, "time", "s", "when the cycle ran" },
  { QUEUES, "queue", "", "name of the queue" },
  { QUEUES, "weight", "", "its weight" },
  { QUEUES, "share", "", "the share by which the scheduler's queue plugin orders it" },
  { QUEUES, "overused", "0 or 1", "1 when the queue plugin calls it overused" },
  { QUEUES, "pending_jobs", "jobs", "jobs of the queue that wait" },
  { QUEUES, "running_jobs", "jobs", "jobs of the queue that run" },
  { QUEUES, "pg_pending", "PodGroups", "PodGroups that name the queue, of phase Pending or without one, as its controller counts them" },
  { QUEUES, "pg_inqueue", "PodGroups", "of phase Inqueue" },
  { QUEUES, "pg_running", "PodGroups", "of phase Running" },
  { QUEUES, "pg_unknown", "PodGroups", "of phase Unknown" },
  { QUEUES, "pg_completed", "PodGroups", "of phase Completed" },
  { QUEUES, "allocated_share", "ratio",
    "max over resources of allocated / capacity of the cluster, to six decimals" },
  { QUEUES, "deserved_share", "ratio",
    "max over resources of deserved / capacity of the cluster, to six decimals; empty when no "
    "deserved amount was published" },
  { QUEUES, "scheduler", "", "whose cycle it was; share, overused, deserved, request and inqueue are what this scheduler made of the queue" },
  { QUEUES, "allocated/<resource>", AMOUNT, "requests of the queue's own running pods" },
  { QUEUES, "deserved/<resource>", AMOUNT,
    "what proportion or capacity published as deserved in this session; empty when it published "
    "nothing" },
  { QUEUES, "request/<resource>", AMOUNT, "published request; empty as above" },
  { QUEUES, "inqueue/<resource>", AMOUNT, "published inqueue amount; empty as above" },

  { JOBS, "namespace", "", "" },
  { JOBS, "job", "", "name of the job" },
  { JOBS, "queue", "", "" },
  { JOBS, "submit", "s", "when the user submitted it" },
  { JOBS, "inqueue", "s", "first cycle that left its PodGroup Inqueue" },
  { JOBS, "first_bind", "s", "when its first pod was bound" },
  { JOBS, "gang_start", "s", "first time at which min_available pods were Running at once" },
  { JOBS, "finish", "s", "when the job reached Completed, Failed, Terminated or Aborted" },
  { JOBS, "phase", "",
    "phase at the end; Deleted or Rejected where the job no longer or never existed" },
  { JOBS, "podgroup", "", "phase of its PodGroup at the end; empty when that is gone" },
  { JOBS, "evictions", "pods", "its pods that the scheduler evicted" },
  { JOBS, "wait", "s", "gang_start − submit" },
  { JOBS, "run", "s", "finish − gang_start" },
  { JOBS, "response", "s", "finish − submit" },
  { JOBS, "bounded_slowdown", "ratio", "max(1, response / max(run, 10 s)), to six decimals" },
  { JOBS, "restarts", "", "restarts of the job" },
  { JOBS, "pods", "pods", "pods that the job asks for at the end; of a batch Job those that may run at once" },
  { JOBS, "min_available", "pods", "size of the gang; the PodGroup's minMember where there is no vcjob" },
  { JOBS, "used/<resource>", AMOUNT_TIME,
    "request × running time, summed over all attempts of all pods" },
  { JOBS, "wasted/<resource>", AMOUNT_TIME,
    "the part of `used` that went into attempts that did not succeed, or into runs whose work was lost; what a checkpoint keeps is not in it, nor the time of pods that still run when the run ends" },
  { JOBS, "reason", "", "last reason for waiting; empty when it never waited" },
  { JOBS, "owner", "",
    "kind and name of the object whose controller made the job; empty for a job of the input" },
  { JOBS, "lost", "s", "`lost` of its pods, summed" },
  { JOBS, "kind", "",
    "vcjob, pod, podgroup (with the pods that name it), replicaset, deployment, statefulset or batchjob" },
  { JOBS, "scheduler", "", "schedulerName of its pods (of its first task, where they differ)" },
  { JOBS, "hyper_node", "",
    "the HyperNode of the lowest tier (of several, the first by name) that holds all pods of the job when its gang starts: those bound to a node "
    "and neither finished nor being deleted at that time. `<cluster-top-hypernode>` is the root above all HyperNodes. HyperNodes may change while "
    "the job runs, and pods may come and go: this and the next four columns stay as they were at gang_start. They are empty before that, without "
    "HyperNodes, and while those make no tree" },
  { JOBS, "tier", "", "its tier; the root's is one above the highest" },
  { JOBS, "tier_name", "", "its `tierName`" },
  { JOBS, "racks", "racks", "racks (see `racks.csv`) with nodes of the job; a node that no HyperNode holds counts for itself. A job with more than one crosses racks" },
  { JOBS, "topology_cost", "tiers",
    "mean over all pairs of its pods of the distance between them: 0 in one rack, else tier(lowest common HyperNode of their racks) − lowest tier of "
    "the cluster; nodes that no HyperNode holds meet at the root only. 0 is a single rack; with one tier above the racks it is the share of pairs on two racks. Where racks are "
    "of the lowest tier, cost / (root's tier − lowest tier) is 1 − the mean of the scores by which network-topology-aware draws the one pod of a pair "
    "to the other's rack. To six decimals; empty for a single pod" },
  { JOBS, "priority", "", "value of its priority class" },
  { JOBS, "preemptable", "0 or 1", "0 when its pods are labelled as not to be evicted" },
  { JOBS, "pod/<resource>", AMOUNT, "largest request of one of its pods" },
  { JOBS, "least/<resource>", AMOUNT, "requests of the pods that it cannot start without: the minima of its tasks, then the tasks in their order" },
  { JOBS, "places", "pods",
    "of those pods, how many an empty cluster (as it is at the end) has room for, by amounts, node selectors and taints; min_available where the gang has run" },
  { JOBS, "pool", "", "which nodes selectors and taints leave to its pods: a number that `nodes.csv` lists; empty when its tasks differ in that, and beyond 64 pools" },
  { JOBS, "cause", "", "what stood in its way when the run ended, as in `ledger.csv`; empty when it did not wait then" },
  { JOBS, "by", "", "likewise" },
  { JOBS, "missing", "pods", "likewise" },
  { JOBS, "x_<name>", "", "the user's own columns, copied from the trace; `x_deadline` is the time from the submission by which the job is to be finished" },

  { TASKS, "namespace", "", "" },
  { TASKS, "job", "", "name of the job" },
  { TASKS, "task", "", "role of the pod in its job" },
  { TASKS, "index", "", "index of the pod in its role" },
  { TASKS, "attempt", "", "number of earlier pod objects at this index; they had the same name, but for pods of ReplicaSets, Deployments and batch Jobs" },
  { TASKS, "pod", "", "name of the pod" },
  { TASKS, "node", "", "node that it was bound to; empty when never bound" },
  { TASKS, "created", "s", "" },
  { TASKS, "assumed", "s", "when a cycle committed its bind (AddBindTask); the last time, where a bind failed" },
  { TASKS, "bound", "s", "" },
  { TASKS, "running", "s", "when it started" },
  { TASKS, "evicted", "s", "when its eviction or deletion was decided" },
  { TASKS, "finished", "s", "when it ended or disappeared" },
  { TASKS, "outcome", "",
    "Succeeded, Failed, Evicted (by the scheduler), Deleted, or the phase at the end of the run" },
  { TASKS, "lost", "s", "running time of runs that were cut short (failed by chance, machine lost, deleted), but for what a checkpoint keeps" },
  { TASKS, "scheduler", "", "its schedulerName: nobody else binds it" },

  { EVENTS, "time", "s", "" },
  { EVENTS, "kind", "",
    "Job, BatchJob (of batch/v1), ReplicaSet, Deployment, StatefulSet, JobFlow, JobTemplate, CronJob, PodGroup, Pod, Node, Queue, PersistentVolumeClaim, PersistentVolume, NodeShard, Scheduler, Cycle or Fault" },
  { EVENTS, "namespace", "", "" },
  { EVENTS, "name", "", "" },
  { EVENTS, "event", "",
    "submitted, rejected, pending, inqueue, created, binding (where a bind takes time), bound, running, succeeded, failed, evicted, deleted, bind-failed, restarted, "
    "pod-refused, podgroup-refused, claim-missing, provisioned, released, completed, scaled, update-refused, cordoned, unreachable, lost, taint-evicted, drained, ready, closing, configuration, "
    "…" },
  { EVENTS, "detail", "", "node, reason or message, where there is one; events of JobFlows and CronJobs have Volcano's own names and messages "
    "(Created, SuccessfulCreate, ForbidConcurrent, …), and status lists a flow's jobs" },

  { PHASES, "time", "s", "" },
  { PHASES, "kind", "", "job (a vcjob), podgroup, queue, JobFlow, CronJob, or pod, replicaset, deployment, statefulset, batchjob" },
  { PHASES, "namespace", "", "" },
  { PHASES, "name", "", "of the job, queue, JobFlow or CronJob" },
  { PHASES, "phase", "",
    "new phase; also Deleted (deletion asked) and Rejected (refused at admission). A CronJob is Idle, "
    "Active while its status lists active jobs, or Suspended" },
  { PHASES, "retry", "",
    "retry count of a job's status; empty for others and for Deleted and Rejected" },
  { PHASES, "version", "", "version of a job's status; empty as above" },

  { REASONS, "time", "s", "when the cycle ran" },
  { REASONS, "reason", "", "first reason why the pods wait" },
  { REASONS, "pods", "pods", "pending pods with this reason" },

  { LEDGER, "namespace", "", "" },
  { LEDGER, "job", "", "" },
  { LEDGER, "queue", "", "" },
  { LEDGER, "from", "s", "" },
  { LEDGER, "to", "s", "" },
  { LEDGER, "wait", "", "first: from the submission to the gang start; again: after the gang was lost" },
  { LEDGER, "cause", "",
    "cycle: no cycle has seen it yet; enqueue: not admitted; overused: its queue is over its share; quota: its queue may not take the task; "
    "nodes: no node takes any of its pods; gang: nodes take some but too few; topology: no HyperNode of a tier that it accepts has room for it; order: the cycle did not get to its pods; start: bound, not yet "
    "running; terminating: its old pods still have to go; pods: a task waits for another; controller: its PodGroup is missing; evicted, "
    "restart: it lost its gang; suspended: a user aborted it and resumed it later" },
  { LEDGER, "by", "", "the plugin that said so, for enqueue, overused and quota; empty for enqueue when nobody was asked" },
  { LEDGER, "reason", "", "why its first pod without a place fits no node, for nodes and gang: the shortage, when there is one" },
  { LEDGER, "nodes", "nodes", "nodes with that reason when the interval began" },
  { LEDGER, "missing", "pods", "pods that the gang lacked when the interval began" },
  { LEDGER, "lost_to", "",
    "namespace/name of the job that took it, for enqueue, nodes, gang, overused and quota: in some cycle both had their turn, this one would have been "
    "admitted, or would have had room and share for its gang, if that one had not come before it, and that one has been admitted or has had pods on nodes ever since. "
    "Of several, the last one without which it would. Empty when there is none, and where it is not looked into: votes of extenders and quotas of namespaces; pods that "
    "differ, ask for devices, volumes or claims, look at other pods or at HyperNodes" },
  { LEDGER, "ahead", "",
    "why that job came first: `jobs:` (order of jobs in the queue) or `queues:` (order of queues), and the plugin that told the two apart, or "
    "created (the older one) or name; empty when the plugins changed their minds in the cycle" },

  { RACKS, "time", "s", "when the cycle ran" },
  { RACKS, "hyper_node", "", "the rack; empty for the nodes that no HyperNode holds" },
  { RACKS, "within", "", "HyperNodes above it, from the top, with `/` between" },
  { RACKS, "tier", "", "its tier" },
  { RACKS, "nodes", "nodes", "nodes whose rack it is; 0 once it has gone" },
  { RACKS, "allocated_share", "ratio", "max over resources of allocated / capacity of the rack, to six decimals" },
  { RACKS, "capacity/<resource>", AMOUNT, "allocatable of its nodes" },
  { RACKS, "allocated/<resource>", AMOUNT, "what the scheduler counts as used on them: requests of pods that are bound to them, run or end there" },
  { EVICTIONS, "time", "s", "when the cycle ran" },
  { EVICTIONS, "action", "", "preempt, reclaim, gangpreempt, gangreclaim or shuffle" },
  { EVICTIONS, "namespace", "", "" },
  { EVICTIONS, "job", "", "of the victim" },
  { EVICTIONS, "queue", "", "of the victim" },
  { EVICTIONS, "task", "", "with index and attempt the row of `tasks.csv`" },
  { EVICTIONS, "index", "", "" },
  { EVICTIONS, "attempt", "", "" },
  { EVICTIONS, "node", "", "where its room is freed" },
  { EVICTIONS, "ran", "s", "how long it had run; empty when it did not" },
  { EVICTIONS, "for_namespace", "", "" },
  { EVICTIONS, "for_job", "", "whose pod is promised the room; empty when nobody's" },
  { EVICTIONS, "for_queue", "", "" },
  { EVICTIONS, "frees/<resource>", AMOUNT, "request of the victim" },

  { QUOTAS, "time", "s", "since when" },
  { QUOTAS, "queue", "", "" },
  { QUOTAS, "parent", "", "empty: root" },
  { QUOTAS, "weight", "", "" },
  { QUOTAS, "priority", "", "" },
  { QUOTAS, "reclaimable", "0 or 1", "" },
  { QUOTAS, "capability/<resource>", AMOUNT, "as the queue says; 0: not given" },
  { QUOTAS, "guarantee/<resource>", AMOUNT, "likewise" },
  { QUOTAS, "deserved/<resource>", AMOUNT, "likewise" },

  { NODES, "node", "", "" },
  { NODES, "capacity/<resource>", AMOUNT, "its allocatable" },
  { NODES, "pools", "", "numbers of the pools of `jobs.csv` that it belongs to, with spaces between them" },

  { CHAIN, "time", "s", "" },
  { CHAIN, "component", "", "webhook, job-controller, scheduler, cache, binder or kubelet" },
  { CHAIN, "function", "", "the function, as upstream calls it" },
  { CHAIN, "namespace", "", "of the job; empty when the whole session is meant" },
  { CHAIN, "job", "", "" },
  { CHAIN, "detail", "", "what it did" },

  { SCHEDULERS, "scheduler", "", "its name" },
  { SCHEDULERS, "sharding", "", "none, soft or hard" },
  { SCHEDULERS, "shard", "", "its NodeShard; empty without sharding" },
  { SCHEDULERS, "nodes", "nodes", "nodes that count as its own at the end: all without sharding" },
  { SCHEDULERS, "cycles", "", "cycles that were due until the end of the run" },
  { SCHEDULERS, "binds", "pods", "pods that it bound" },
  { SCHEDULERS, "evictions", "pods", "pods that it evicted, whoever had bound them" },
  { SCHEDULERS, "enqueued", "PodGroups", "PodGroups that it made Inqueue, whoever is to bind their pods" },
  { SCHEDULERS, "refused", "pods", "its pods whose node had no room for them by the time they came" },
  { SCHEDULERS, "jobs", "jobs", "jobs that name it and were submitted" },
  { SCHEDULERS, "started", "jobs", "those of them that started (gang_start)" },
  { SCHEDULERS, "finished", "jobs", "those that finished" },

  { RECORDED, "namespace", "", "" },
  { RECORDED, "job", "", "" },
  { RECORDED, "submit", "s", "" },
  { RECORDED, "wait", "s", "from the submission to the start" },
  { RECORDED, "start", "s", "" },
  { RECORDED, "end", "s", "" },
  { RECORDED, "status", "", "in the trace's words" },
  { RECORDED, "evictions", "pods", "" },
  { RECORDED, "nodes", "", "where its pods ran, one after the other, with `|` between" },

  { MISFITS, "namespace", "", "" },
  { MISFITS, "job", "", "" },
  { MISFITS, "queue", "", "" },
  { MISFITS, "recorded", "s", "when it started by the record, not before its submission; empty: the record does not tell" },
  { MISFITS, "start", "s", "gang_start of `jobs.csv`" },
  { MISFITS, "pod", "", "the first of its pods that found no room when its time had come; empty where none was looked at" },
  { MISFITS, "node", "", "where the record puts it; empty: nowhere, so that any node would have done" },
  { MISFITS, "reason", "", "why: a resource that the node lacks, what a plugin says against it, a node that is not there" },
};
const guint rp_n_columns = G_N_ELEMENTS (rp_columns);

static const struct {
  const char *key, *meaning;
} summary_keys[] = {
  { "schema", "`" RP_SCHEMA_NAME RP_SCHEMA_VERSION "`" },
  { "version", "version of volsim" },
  { "start", "calendar date of time 0" },
  { "period_s, until_s, seed", "schedule period; when the run was to end at the latest, null: never; random seed" },
  { "configuration_sha256", "SHA-256 of the effective scheduler configuration" },
  { "not_volcanos", "actions and plugins of the configuration that Volcano does not have; only where there are any" },
  { "command", "what runs it again" },
  { "inputs", "name and SHA-256 of every input" },
  { "end_s", "when the run ended" },
  { "makespan_s", "last finish of a job − first submission; null when no job finished" },
  { "cycles", "rows of `cycles.csv`, and the sums of binds, evictions and discarded statements" },
  { "jobs", "number, how many started (gang_start) and finished, evictions of their pods, number "
            "by phase at the end" },
  { "tasks", "number of pod objects, number by outcome; seconds from their creation until a cycle committed the bind (assumed) and until it "
             "was done (bound)" },
  { "stuck",
    "jobs that waited when the run ended: submitted, not finished, deleted or rejected, and either not "
    "Running or with a PodGroup back in Pending or Inqueue; workloads that want no pods do not wait. All are counted, by what nodes said of them last, "
    "else by `cause` of `jobs.csv` in words (the most "
    "frequent first, 100 reasons at most, then `(other reasons)`); the first 1,000 are listed" },
  { "evictions", "pods evicted by the scheduler" },
  { "peak_pending", "most pending pods of a row of `cycles.csv`, and when first" },
  { "utilisation", "per resource ∫allocated dt / ∫capacity dt, from the first row of `cycles.csv` "
                   "to `end_s`; null without capacity" },
  { "goodput", "per resource 1 − Σwasted / Σused over all jobs; null when nothing was used" },
  { "fairness.jain", "Jain's index (Σx)² / (n Σx²) over the queues that ever had pods or waiting "
                     "jobs: 1 is even, 1/n is one queue with everything" },
  { "fairness.basis", "`deserved`: x = ∫allocated_share dt / ∫deserved_share dt over the times at "
                      "which the queue had pods or waiting jobs and a published deserved amount, "
                      "when each of these queues has one; else `weight`: x = ∫allocated_share dt / "
                      "∫weight dt over the times at which it had pods or waiting jobs. Of several schedulers the first one's deserved amount counts, here and in the chart" },
  { "fairness.queues", "n of the formula" },
  { "overall, queues.<name>",
    "jobs, started, finished, evictions; `wait_s`, `response_s`, `bounded_slowdown` and `slowdown` "
    "(response / run, of jobs that ran), each with n, mean, p50, p90, p95, p99, max; for a queue also its x as `fairness_x` (null when the queue "
    "does not enter the index) and `allocated_share_mean`, the time average of allocated_share" },
  { "overall.deadlines, queues.<name>.deadlines",
    "only where jobs have a deadline (column `x_deadline`): how many have one (`jobs`), completed by then (`met`), ended later or did not complete (`late`); the rest had not ended "
    "when the run did" },
  { "overall.topology, queues.<name>.topology",
    "of the jobs that had at least two pods placed in HyperNodes when their gangs started: how many (`jobs`), how many on more than one rack "
    "(`crossing_jobs`), how many by tier of the smallest HyperNode that holds them (`tiers`), and `cost`: topology_cost with n, mean, p50, p90, p95, "
    "p99, max" },
  { "follow_record", "only with `follow_record`: jobs that started as recorded, later, never, and those of which the record does not tell the start; jobs whose time had not come when the run ended are not among them" },
  { "rows", "data rows of each CSV file" },
};

static const struct {
  const char *key, *meaning;
} timing_keys[] = {
  { "wall_s", "real time that the run took, from the reading of its input to its last event; summary.json and charts come after that" },
  { "user_s, system_s", "processor time of the run's one thread in that time, in the program and in the kernel" },
  { "cycles, cycles_skipped, events, binds",
    "cycles that were due, those of them that were skipped because they could decide nothing, "
    "events handled, pods bound" },
  { "cycles_per_s, binds_per_s", "per second of real time" },
  { "simulated_s, simulated_s_per_s",
    "virtual time of the run, and how much of it passed per second of real time" },
  { "open_s, close_s, action_s.<action>",
    "real time spent in opening and closing sessions, and in each action" },
  { "charts_s, charts_user_s, charts_system_s", "real time of drawing the charts, and the processor time that gnuplot took for it; missing without charts" },
  { "peak_memory_bytes", "largest resident memory of the process, gnuplot apart; of several runs in one process the largest of all so far" },
};

const char *
rp_file_name (RpFile file)
{
  return files[file].name;
}

char **
rp_schema_header (RpFile file, const RpResource *resources, guint n_resources,
                  const char *const *extra, guint n_extra)
{
  GPtrArray *names = g_ptr_array_new ();

  for (guint c = 0; c < rp_n_columns; c++) {
    const char *name = rp_columns[c].name, *family = strchr (name, '<');

    if (rp_columns[c].file != file)
      continue;
    if (family == NULL)
      g_ptr_array_add (names, g_strdup (name));
    else if (strcmp (family, "<resource>") == 0)
      for (guint i = 0; i < n_resources; i++)
        g_ptr_array_add (
            names, g_strdup_printf ("%.*s%s", (int) (family - name), name, resources[i].name));
    else /* the user's columns carry their x_ already */
      for (guint i = 0; i < n_extra; i++)
        g_ptr_array_add (names, g_strdup (extra[i]));
  }
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}

static void
append_cell (GString *out, const char *text)
{
  g_string_append (out, " | ");
  for (; *text != '\0'; text++) {
    if (*text == '|')
      g_string_append_c (out, '\\');
    g_string_append_c (out, *text);
  }
}

char *
rp_schema_markdown (void)
{
  GString *out = g_string_new (
      "# Results of a run\n"
      "\n"
      "<!-- Printed from the table in reports/results/schema.c, which the writer uses too; a test "
      "compares. -->\n"
      "\n"
      "A run writes one directory, complete or not at all: it is built under a hidden name beside "
      "the target and renamed at the end.\n"
      "An earlier result of that name is replaced at that moment, any other directory is refused. "
      "Schema version: `" RP_SCHEMA_NAME RP_SCHEMA_VERSION "`.\n"
      "\n"
      "- CSV as in RFC 4180, UTF-8, a header line, lines end in LF. New columns may be added "
      "behind the known ones of a family: address columns by name.\n"
      "- Times are seconds since the scenario's start with at most six decimals; an empty cell "
      "means that it did not happen.\n"
      "- Resource amounts are in units: cores, bytes (memory, ephemeral-storage), pods, devices. "
      "`<resource>` stands for each resource of the run.\n"
      "- Numbers are the shortest text that reads back as the same 64-bit floating-point number.\n"
      "- Percentiles are nearest-rank on the exact values: the k-th smallest of n with k = ⌈p/100 "
      "· n⌉; nothing is interpolated or binned.\n"
      "- Same inputs and seed give the same bytes in every file but `timing.json`, the only one "
      "with figures of real time.\n");

  for (guint f = 0; f < RP_N_FILES; f++) {
    g_string_append_printf (out, "\n## %s\n\n%s\n\n| column | unit | meaning |\n|---|---|---|\n",
                            files[f].name, files[f].rows);
    for (guint c = 0; c < rp_n_columns; c++) {
      if (rp_columns[c].file != f)
        continue;
      g_string_append_printf (out, "| `%s`", rp_columns[c].name);
      append_cell (out, rp_columns[c].unit);
      append_cell (out, rp_columns[c].meaning);
      g_string_append (out, " |\n");
    }
  }
  g_string_append (out, "\n## summary.json\n\nThe run in figures; keys in this order, times in "
                        "seconds.\n\n| key | meaning |\n|---|---|\n");
  for (guint i = 0; i < G_N_ELEMENTS (summary_keys); i++) {
    g_string_append_printf (out, "| %s", summary_keys[i].key);
    append_cell (out, summary_keys[i].meaning);
    g_string_append (out, " |\n");
  }
  g_string_append (
      out,
      "\n## timing.json\n\nReal time and memory of the run that wrote the directory; it differs "
      "from run to run and nothing else depends on it.\n\n| key | meaning |\n|---|---|\n");
  for (guint i = 0; i < G_N_ELEMENTS (timing_keys); i++) {
    g_string_append_printf (out, "| %s", timing_keys[i].key);
    append_cell (out, timing_keys[i].meaning);
    g_string_append (out, " |\n");
  }
  g_string_append (
      out,
      "\n## charts/\n"
      "\n"
      "Each as SVG and PNG, drawn by gnuplot; without gnuplot a run succeeds with one warning and "
      "has no charts. A curve has at most 2,000\n"
      "points: where there are more, the lowest, highest and last value of each of 666 equal "
      "stretches of time are kept.\n"
      "\n"
      "| file | shows | from |\n"
      "|---|---|---|\n"
      "| allocation | allocated amount of each resource against the cluster's capacity over time | "
      "`cycles.csv`: allocated, capacity |\n"
      "| jobs | waiting, running and finished jobs over time | `cycles.csv`: jobs_waiting, "
      "jobs_running, jobs_finished |\n"
      "| queues | each queue's share of the cluster against its deserved share over time; the 8 "
      "queues with the largest ∫allocated_share | `queues.csv`: allocated_share, deserved_share |\n"
      "| waits | distribution of the wait from submission to gang start, per queue; waits below 1 "
      "s are drawn at 1 s | `jobs.csv`: wait |\n"
      "| fragmentation | idle amount of each resource, and the part of it on nodes that fit no "
      "pending pod | `cycles.csv`: idle, fragmented |\n"
      "| placement | only where there are HyperNodes: how full each rack is over time, how many pods are in gangs that cross racks, "
      "and the jobs with the largest pods × topology_cost | `racks.csv`: allocated_share; `jobs.csv`: gang_start, finish, pods, tier, topology_cost |\n"
      "\n"
      "Resources that the cluster does not have, or of which nothing was ever requested, get no "
      "panel; at most 6 have one.\n");
  return g_string_free (out, FALSE);
}
