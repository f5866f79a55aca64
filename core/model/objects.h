/* core/model/objects.h - what readers and controllers hand to the cache: nodes, pods, PodGroups, queues, as texts.
 *
 * The edge of the engine. Every pointer belongs to the caller (an arena as a rule) and is read during the call only; the
 * cache interns and copies what it keeps. Lists are pointer + count. A text that is not given is NULL. */
#pragma once
#include "core/base/quantity.h"
#include <glib.h>
G_BEGIN_DECLS

#define VC_NO_TIME (G_GINT64_CONSTANT (-62135596800)) /* a creation time that is not given: Go's zero time */

typedef struct { const char *name; VcQuantity q; } VcAmount; /* one entry of a ResourceList */
typedef struct { const VcAmount *item; guint n; gboolean given; } VcAmounts; /* given: the list exists, maybe empty */
typedef struct { const char *key, *value; } VcPair;
typedef struct { const VcPair *item; guint n; } VcPairs;     /* ascending by key bytes, keys unique */
/** Value of @key, or NULL. */
const char *vc_pairs_get (const VcPairs *pairs, const char *key);

typedef enum { VC_OP_IN, VC_OP_NOT_IN, VC_OP_EXISTS, VC_OP_DOES_NOT_EXIST, VC_OP_GT, VC_OP_LT, VC_OP_UNKNOWN } VcOperator;
typedef struct { const char *key; VcOperator op; const char *const *value; guint n_values; } VcExpression;
typedef struct {
  const VcExpression *label; guint n_labels;  /* matchExpressions */
  const VcExpression *field; guint n_fields;  /* matchFields */
  gint32 weight;                              /* of a preferred term */
} VcNodeTerm;

/* A label selector: every pair and every expression must hold. */
typedef struct { gboolean given; VcPairs match; const VcExpression *expression; guint n_expressions; } VcSelector;

/* Pod affinity: a term holds for pods that @selector picks (not given: none) in the listed namespaces and in those that @ns_selector picks;
 * without any of both, in the pod's own namespace. */
typedef struct {
  const char *topology_key;
  VcSelector selector;
  const char *const *ns; guint n_ns;
  VcSelector ns_selector;
  gint32 weight;           /* of a preferred term */
} VcPodTerm;
typedef struct {
  gboolean given;          /* the object is there, maybe without terms */
  const VcPodTerm *required; guint n_required;
  const VcPodTerm *preferred; guint n_preferred;
} VcPodTerms;

/* One topology spread constraint. */
typedef struct {
  const char *topology_key;
  VcSelector selector;
  const char *const *label_key; guint n_label_keys; /* matchLabelKeys: pods that differ in these labels do not count */
  gint32 max_skew, min_domains; /* min_domains 1 when not given */
  gboolean hard;                /* DoNotSchedule, else ScheduleAnyway */
  gboolean any_affinity;        /* nodes that the pod's node affinity refuses count too (nodeAffinityPolicy: Ignore) */
  gboolean heeds_taints;        /* nodes whose taints the pod does not tolerate do not count (nodeTaintsPolicy: Honor) */
} VcSpread;

typedef struct { const char *key, *value, *effect; } VcTaint;
typedef enum { VC_TOLERATE_EQUAL, VC_TOLERATE_EXISTS, VC_TOLERATE_OTHER } VcTolerateOp; /* an empty operator is Equal */
typedef struct {
  const char *key, *value, *effect; /* NULL texts count as "" */
  VcTolerateOp op;
  gboolean bounded; gint64 seconds; /* tolerationSeconds: how long a NoExecute taint is put up with; the scheduler does not look at it */
} VcToleration;

typedef struct { const char *ip, *protocol; gint32 port; } VcHostPort; /* normalised: "0.0.0.0", "TCP" when not given */

typedef struct {
  const char *name, *image;
  VcAmounts request;        /* effective: the greatest of spec, status and allocated where a resize is under way */
  VcAmounts limit;          /* likewise: the greatest of spec and status */
  gboolean init, sidecar;   /* init container; restartable one (restartPolicy Always) */
  const VcHostPort *port; guint n_ports; /* host ports only (hostPort > 0) */
} VcContainer;

typedef enum { VC_QOS_UNSET, VC_QOS_BEST_EFFORT, VC_QOS_BURSTABLE, VC_QOS_GUARANTEED, VC_QOS_OTHER } VcQos;

/* A volume with a claim: one of that name, or, when ephemeral, one that is made for the volume of that name. */
typedef struct {
  const char *name; gboolean ephemeral;
  const struct VcPersistentVolumeClaimObject *claim; /* what is made for the pod; only readers know it, no shape does */
} VcPodVolume;
/* In device_hints: the pod's PodGroup as "namespace/name", when the pod is to stay off the cards of others of the group. */
#define VC_DEVICE_HINT_GROUP "scheduling.k8s.io/group-name"

/* An entry of spec.resourceClaims, with what the pod's status says about it. */
typedef struct {
  const char *name;          /* of the entry */
  const char *claim;         /* name of the claim; NULL: there is none (yet) */
  const char *template;      /* name of the template that it is made from; NULL: not from one */
  gboolean none;             /* the status says that none is needed */
} VcPodClaim;

/* Everything of a pod that many pods share (its template). */
typedef struct {
  const VcContainer *container; guint n_containers; /* init containers and regular ones, each in its own order */
  VcAmounts overhead, pod_level;     /* pod_level: spec.resources.requests (cpu, memory, hugepages-*) */
  VcAmounts pod_limit;               /* spec.resources.limits, the same names */
  VcQos qos;                         /* status.qosClass */
  VcPairs node_selector;
  gboolean has_required;             /* required node affinity given (a list of no terms matches nothing) */
  const VcNodeTerm *required; guint n_required;
  const VcNodeTerm *preferred; guint n_preferred;
  const VcToleration *toleration; guint n_tolerations;
  VcPodTerms affinity, anti_affinity;
  const VcSpread *spread; guint n_spreads;
  const char *priority_class;
  gboolean has_priority; gint32 priority;
  gboolean never_preempts;           /* preemptionPolicy: Never */
  const char *const *gate; guint n_gates; /* scheduling gates */
  const VcPodClaim *claim; guint n_claims; /* resource claims; of a shape only whether there are any (has_claims) */
  gboolean has_claims;
  const VcPodVolume *volume; guint n_volumes; /* those with claims, in the order of the spec */
  VcAmounts attachments;             /* volumes to attach by driver, as attachable-volumes-csi-…, q.milli each. Filled in by the cache. */
  /* Annotations volcano.sh/resource-strategy-{scoring-type,weight}: part of a score, so part of the shape. Filled in by the cache. */
  const char *strategy_type, *strategy_weights; /* NULL: no type, or an empty one */
  /* Annotations that narrow the choice of shared devices (task-events.c lists them), of a pod with limits of extended resources. Filled in by the cache. */
  VcPairs device_hints;
  /* Annotation volcano.sh/numa-topology-policy of a pod that the kubelet classes as guaranteed; NULL: none, or "none". Filled in by the cache. */
  const char *numa_policy;
} VcPodSpec;

typedef enum { VC_POD_NONE, VC_POD_PENDING, VC_POD_RUNNING, VC_POD_SUCCEEDED, VC_POD_FAILED, VC_POD_UNKNOWN } VcPodPhase; /* NONE: empty or any other text */

typedef struct {
  const char *ns, *name, *uid;
  VcPairs annotations, labels;
  gint64 created;              /* seconds since the epoch, VC_NO_TIME */
  gboolean deleting;           /* deletionTimestamp is set */
  gboolean preemption_victim;  /* condition DisruptionTarget=True, reason PreemptionByScheduler */
  VcPodPhase phase;
  const char *node;            /* spec.nodeName; NULL or "" when unbound */
  const char *nominated_node;
  const char *scheduler_name;  /* NULL when the field is absent */
  gint64 start_time;           /* status.startTime, VC_NO_TIME */
  gint64 scheduled_time;       /* since when the condition PodScheduled is True, VC_NO_TIME */
  VcPodSpec spec;
} VcPodObject;

typedef struct { const char *name; gint64 size; } VcImage; /* one entry per image name */
typedef struct {
  const char *name;
  VcAmounts allocatable, capacity;
  VcPairs labels, annotations;
  const VcTaint *taint; guint n_taints;
  gboolean unschedulable;
  const VcImage *image; guint n_images;
} VcNodeObject;

/* How close together the pods of a group must be (NetworkTopologySpec): within one HyperNode of at most that tier. */
typedef enum { VC_TOPOLOGY_NONE /* not given */, VC_TOPOLOGY_HARD, VC_TOPOLOGY_SOFT, VC_TOPOLOGY_OTHER /* given, any other mode */ } VcTopologyMode;
typedef struct {
  VcTopologyMode mode;
  gboolean has_tier;     /* highestTierAllowed */
  gint64 tier;
  const char *tier_name; /* highestTierName; NULL or "": not given */
} VcTopologySpec;

/* A sub-group policy: pods that @selector picks (not given: all) are split by their values of the label @keys. */
typedef struct {
  const char *name;
  VcTopologySpec topology;
  gboolean has_size;         /* subGroupSize */
  gint32 size, min_groups;   /* minSubGroups, 0 when not given */
  VcSelector selector;
  const char *const *key; guint n_keys; /* matchLabelKeys */
} VcSubGroupPolicy;

/* A member of a HyperNode: nodes, or another HyperNode (by its exact name only). Each selector may be given or not. */
typedef enum { VC_MEMBER_NODE, VC_MEMBER_HYPER_NODE } VcMemberType;
typedef struct {
  VcMemberType type;
  const char *exact;   /* exactMatch.name, NULL: not given */
  const char *pattern; /* regexMatch.pattern, NULL: not given */
  VcSelector labels;   /* labelMatch */
} VcMember;
typedef struct {
  const char *name, *tier_name; /* tier_name NULL or "": none */
  gint64 tier;
  const VcMember *member; guint n_members;
  VcPairs labels;               /* of the object itself; the scheduler does not look at them */
} VcHyperNodeObject;

typedef struct { const char *type, *status, *reason, *message; } VcConditionObject;
typedef struct { const char *role; gint32 min; } VcRoleMin;
typedef struct {
  const char *ns, *name, *uid;
  VcPairs annotations, labels;
  gint64 created;
  const char *queue;             /* NULL or "": the default queue */
  const char *priority_class;
  gint32 min_member;
  const VcRoleMin *role_min; guint n_role_mins; /* minTaskMember, ascending by role, roles unique */
  VcAmounts min_resources;
  const char *phase;             /* text; NULL or "" */
  const VcConditionObject *condition; guint n_conditions;
  VcTopologySpec topology;
  const VcSubGroupPolicy *policy; guint n_policies; /* subGroupPolicy */
} VcPodGroupObject;

typedef struct { const char *const *item; guint n; } VcNames;

/* Nodes that one of several schedulers is to use, and those that it uses (NodeShard). */
typedef struct { const char *name; VcNames desired, in_use; } VcNodeShardObject;

/* Groups of nodes (their label volcano.sh/nodegroup-name) that a queue's tasks use or avoid. */
typedef struct {
  gboolean given;                              /* spec.affinity exists, maybe empty */
  VcNames required, preferred;                 /* nodeGroupAffinity */
  VcNames anti_required, anti_preferred;       /* nodeGroupAntiAffinity */
} VcNodeGroups;

typedef struct {
  const char *name, *parent, *state;   /* state NULL or "": not set */
  VcPairs annotations;
  gint64 created;
  gint32 weight, priority;
  int reclaimable;                     /* -1 not given (counts as true) */
  VcAmounts capability, deserved, guarantee;
  VcNodeGroups groups;
} VcQueueObject;

typedef struct { const char *name; gint64 value; gboolean global_default; } VcPriorityClassObject;
typedef struct { const char *name; VcPairs labels, annotations; } VcNamespaceObject;

typedef struct { const char *ns, *name; VcPairs labels, data; } VcConfigMapObject;

/* CPUs and NUMA nodes of the node of that name, as its agent reports them (Numatopology). Texts are "" where nothing is given. */
typedef struct { guint32 cpu, numa, socket, core; } VcCpuDetail;
typedef struct { const char *uid, *ns, *name; } VcNumaPod; /* that the agent knows the CPUs of */
typedef struct {
  const char *name, *cpu_manager, *topology_manager; /* policies */
  const char *cpus;           /* free for exclusive use, "0-3,8"; NULL: no such resource */
  gint64 reserved;            /* cpus, rounded up */
  const VcCpuDetail *detail; guint n_details;
  const VcNumaPod *pod; guint n_pods;
} VcNumatopologyObject;

/* Measured load of a node: averages over periods ("10m") in percent, and when they were taken. */
typedef struct { const char *period; double cpu, memory; } VcUsageAverage; /* 0 where the period has none */
typedef struct { const char *node; const VcUsageAverage *average; guint n_averages; gint64 time_us; } VcNodeUsageObject; /* since the epoch */

/* hard and used of the status, which the scheduler reads, and what the spec asks for; names as written */
typedef struct {
  const char *ns, *name;
  VcAmounts hard, used, spec_hard;
  const VcExpression *scope; guint n_scopes; /* only for pods that match all of them: key is the name of the scope */
} VcResourceQuotaObject;

typedef struct { gboolean given, percent; gint32 value; } VcIntOrPercent;
typedef struct {
  const char *ns, *name;
  VcSelector selector;
  VcIntOrPercent min_available, max_unavailable; /* of the spec */
  gboolean evicts_unhealthy; /* unhealthyPodEvictionPolicy: AlwaysAllow */
  gint32 disruptions_allowed, current_healthy, desired_healthy, expected_pods; /* of the status */
  const char *const *disrupted; guint n_disrupted; /* names of pods, keys of status.disruptedPods */
} VcPodDisruptionBudgetObject;

G_END_DECLS
