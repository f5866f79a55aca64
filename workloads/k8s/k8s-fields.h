/* workloads/k8s/k8s-fields.h - typed fields of Kubernetes objects, out of the nodes of a YAML document.
 *
 * Private to the Kubernetes reader. A mapping is walked once and its keys are looked up in a table
 * of known fields; what the table does not name is passed over. Null counts as absent, as in
 * Kubernetes' own decoder. Texts, numbers and booleans are not exchanged for each other: a label
 * `a: 1` is refused here because Kubernetes refuses it.
 *
 * Every reader returns FALSE with the error of the K8sReader set. Texts and lists go to its arena.
 */
#pragma once
#include "core/base/arena.h"
#include "core/model/claim-objects.h"
#include "core/model/volume-objects.h"
#include <libfyaml.h>
G_BEGIN_DECLS

/* The way from the object to the value at hand, for messages: "spec.containers[0].name". Frames
 * live on the stack. */
typedef struct K8sPath K8sPath;
struct K8sPath {
  const K8sPath *up;
  const char *key; /* NULL: an item of a list */
  gsize key_len;
  guint index;
  struct fy_node *at; /* a node that has a place in the file: the key or the item; may be NULL */
};

typedef struct {
  VcArena *arena;
  const char *source; /* name of the file, in the arena */
  const char *text;   /* the whole input, NUL-terminated */
  gsize len;
  gsize base;        /* where the part begins that the parser was given */
  guint32 base_line; /* lines before it */
  gsize budget;      /* what aliases may still expand to, in bytes or so */
  const K8sPath *path;
  struct fy_node *object;       /* the object at hand: the place of last resort */
  const char *kind, *ns, *name; /* the object at hand, for messages; each may be NULL */
  GArray *scratch;              /* entries of one map */
  gboolean timeless;            /* jobs need no time of submission */
  gboolean any_sign;            /* amounts below zero pass: admission judges them */
  gboolean completes;           /* objects are submitted, so the API server's defaults are filled in */
  GError **error;
} K8sReader;

typedef gboolean K8sReadFunc (K8sReader *r, struct fy_node *node, gpointer out);
typedef K8sReadFunc *K8sRead;
typedef struct {
  const char *name;
  K8sRead read;
  gsize offset; /* of the target in the structure */
} K8sField;

/** Read a mapping by its table of at most 64 @fields into @out. Absent fields leave @out as it is.
 */
gboolean k8s_fields (K8sReader *r, struct fy_node *node, const K8sField *fields, guint n_fields,
                     gpointer out);
/** A digest of all that @node says: the order of keys and empty values mean nothing. FALSE: aliases expand to too much. */
gboolean k8s_digest (K8sReader *r, struct fy_node *node, guint64 out[2]);
/** Read @node as field @key of the object at hand. NULL @node is fine and does nothing. */
gboolean
k8s_field (K8sReader *r, const char *key, struct fy_node *node, K8sRead read, gpointer out);
/** Read a list: every item by @read into an element of @size bytes, zeroed. */
gboolean
k8s_list (K8sReader *r, struct fy_node *node, gsize size, K8sRead read, gpointer *items, guint *n);

/** Read a mapping with any keys: every value by @read into an element of @size bytes, zeroed (also of a null value); @keys may be NULL. Ascending by key. */
gboolean k8s_map (K8sReader *r, struct fy_node *node, gsize size, K8sRead read, const char *const **keys, gpointer *items, guint *n);

typedef VcNames K8sTexts;
typedef struct {
  gboolean given;
  gint32 value;
} K8sInt32;

/* The types of fields, with what they put at @out. */
K8sReadFunc k8s_node;        /* struct fy_node *: for later */
K8sReadFunc k8s_text;        /* const char * */
K8sReadFunc k8s_bool;        /* gboolean */
K8sReadFunc k8s_int32;       /* gint32 */
K8sReadFunc k8s_int64;       /* gint64 */
K8sReadFunc k8s_time;        /* gint64, seconds since the epoch */
K8sReadFunc k8s_texts;       /* K8sTexts */
K8sReadFunc k8s_pairs;       /* VcPairs */
K8sReadFunc k8s_quantity;    /* VcQuantity */
K8sReadFunc k8s_amounts;     /* VcAmounts, ascending by name */
K8sReadFunc k8s_given_int32; /* K8sInt32 */
K8sReadFunc k8s_int_or_percent; /* VcIntOrPercent */

/** The time that annotation @key names, in microseconds; without it *out stays. A refusal is at @at. */
gboolean k8s_time_note (K8sReader *r, struct fy_node *at, const VcPairs *notes, const char *key, gint64 *out);

/** Bytes of an element of K8sReader.scratch. */
guint k8s_entry_size (void);

/** Follow aliases. NULL for null (and for nothing); FALSE when the alias has no anchor. */
gboolean k8s_resolve (K8sReader *r, struct fy_node **node);
/** Is there nothing in it: null, an empty list, a mapping of such values? */
gboolean k8s_is_empty (struct fy_node *node);
/** Line (from 1) in which @node begins; of the nearest known place when it has none of its own. */
guint32 k8s_line (K8sReader *r, struct fy_node *node);

/** Refuse @node: "file:line:column: Pod ns/name: path: MESSAGE". Always FALSE. */
gboolean k8s_refuse (K8sReader *r, struct fy_node *node, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
/** Refuse @node for its type or value: "…: path: expected EXPECTED, found …". Always FALSE. */
gboolean k8s_expected (K8sReader *r, struct fy_node *node, const char *expected);
/** Refuse a field that is known but not implemented: "…: WHAT is not implemented yet (path)".
 * Always FALSE. */
gboolean k8s_unsupported (K8sReader *r, struct fy_node *node, const char *what);
/** Refuse byte @offset of the input (no object, no path). Always FALSE. */
gboolean k8s_refuse_at (K8sReader *r, gsize offset, int code, const char *format, ...)
    G_GNUC_PRINTF (4, 5);

#define K8S_FIELDS(r, node, table, out)                                                            \
  k8s_fields ((r), (node), (table), G_N_ELEMENTS (table), (out))

/* ---- JSON lists (k8s-json.c) ---------------------------------------------------------------- */
typedef struct {
  gsize start, len;
  guint32 lines;
} K8sJsonItem; /* lines: before its start */
typedef struct {
  gsize open, close; /* the brackets of the top-level `items`; 0 when there is none, or not of
                        objects alone */
  GArray *items;     /* K8sJsonItem */
} K8sJsonList;
/** Length of the JSON object at @text[0], which is '{'; 0 when it does not end or is no plain JSON.
 * What is inside the items is left to the parser. */
gsize k8s_json_scan (const char *text, gsize len, K8sJsonList *list);

/* ---- the objects (k8s-node.c, k8s-pod.c) ---------------------------------------------------- */
typedef struct { /* the top level of an object */
  const char *api_version, *kind;
  struct fy_node *metadata, *spec, *status, *items, *value, *data, *global_default;
} K8sTop;
typedef struct {
  const char *name, *ns, *uid;
  VcPairs annotations, labels;
  gint64 created, deleted; /* VC_NO_TIME when not given */
} K8sMeta;

gboolean k8s_read_node (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcNodeObject *out);
gboolean k8s_read_pod (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcPodObject *out);
gboolean
k8s_read_pod_group (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcPodGroupObject *out);
gboolean k8s_read_queue (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcQueueObject *out);
gboolean k8s_read_priority_class (K8sReader *r, const K8sTop *top, const K8sMeta *meta,
                                  VcPriorityClassObject *out);
/* k8s-claims.c */
gboolean k8s_read_resource_claim (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcResourceClaimObject *out);
/** Namespace, name and spec. */
gboolean k8s_read_resource_claim_template (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcResourceClaimObject *out);
gboolean k8s_read_device_class (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcDeviceClassObject *out);
gboolean k8s_read_resource_slice (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcResourceSliceObject *out); /* k8s-slices.c */
typedef struct {
  VcPodClaim *item;
  guint n;
} K8sPodClaims;
K8sReadFunc k8s_pod_claims;         /* K8sPodClaims: spec.resourceClaims */
K8sReadFunc k8s_pod_claim_statuses; /* K8sPodClaims, of which those from templates get their claims: status.resourceClaimStatuses */
typedef struct { /* the spec of a pod template */
  VcPodSpec spec;
  const char *scheduler; /* NULL when not given */
  const char *node;      /* nodeName; NULL when not given */
} K8sTemplateSpec;
K8sReadFunc k8s_pod_template_spec; /* K8sTemplateSpec */
/* k8s-job.c; arrays that the object keeps go to @arrays (of GArray) */
struct WlJobObject;
gboolean k8s_read_job (K8sReader *r, const K8sTop *top, const K8sMeta *meta, GPtrArray *arrays, struct WlJobObject *out);
/* A job of that name by its spec, in an object of another kind; @metadata is the place of messages about annotations. No time is read. */
gboolean k8s_read_job_as (K8sReader *r, struct fy_node *metadata, struct fy_node *spec, const K8sMeta *meta, const char *name, GPtrArray *arrays,
                          struct WlJobObject *out);
/* k8s-flow.c */
struct WlJobFlow;
struct WlJobTemplate;
struct WlCronJob;
gboolean k8s_read_job_flow (K8sReader *r, const K8sTop *top, const K8sMeta *meta, struct WlJobFlow *out);
gboolean k8s_read_job_template (K8sReader *r, const K8sTop *top, const K8sMeta *meta, GPtrArray *arrays, struct WlJobTemplate *out);
gboolean k8s_read_cron_job (K8sReader *r, const K8sTop *top, const K8sMeta *meta, GPtrArray *arrays, struct WlCronJob *out);
/* k8s-pod-terms.c */
K8sReadFunc k8s_pod_terms;          /* VcPodTerms: podAffinity or podAntiAffinity */
K8sReadFunc k8s_spread_constraints; /* VcPodSpec, its spread: topologySpreadConstraints */
/* k8s-selector.c */
typedef struct { const VcExpression *item; guint n; } K8sExpressions;
K8sReadFunc k8s_node_expressions; /* K8sExpressions of a node selector term */
typedef struct { const VcNodeTerm *item; guint n; } K8sNodeTerms;
K8sReadFunc k8s_node_terms;       /* K8sNodeTerms: nodeSelectorTerms (k8s-pod.c) */
K8sReadFunc k8s_selector;         /* VcSelector: matchLabels and matchExpressions */
/* k8s-topology.c */
#define K8S_TIER_MAX 100000  /* scores run over the tiers one by one */
typedef struct { const VcSubGroupPolicy *item; guint n; } K8sPolicies;
K8sReadFunc k8s_topology;   /* VcTopologySpec: networkTopology */
K8sReadFunc k8s_sub_groups; /* K8sPolicies: subGroupPolicy of a PodGroup */
gboolean k8s_read_hyper_node (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcHyperNodeObject *out);
gboolean k8s_read_numatopology (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcNumatopologyObject *out); /* k8s-numatopology.c */
gboolean k8s_read_resource_quota (K8sReader *r, const K8sTop *top, const K8sMeta *meta,
                                  VcResourceQuotaObject *out);
gboolean k8s_read_node_shard (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcNodeShardObject *out); /* k8s-node.c */
/* k8s-volumes.c */
gboolean k8s_read_storage_class (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcStorageClassObject *out);
gboolean k8s_read_persistent_volume (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcPersistentVolumeObject *out);
gboolean k8s_read_persistent_volume_claim (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcPersistentVolumeClaimObject *out);
K8sReadFunc k8s_volume_claim_spec; /* VcPersistentVolumeClaimObject, of a claim's spec */
K8sReadFunc k8s_new_volume_claim; /* const VcPersistentVolumeClaimObject *: the same, newly made */
gboolean k8s_read_csi_node (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcCsiNodeObject *out);
gboolean k8s_read_csi_driver (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcCsiDriverObject *out);
gboolean k8s_read_storage_capacity (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcCsiStorageCapacityObject *out);
gboolean k8s_read_volume_attachment (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcVolumeAttachmentObject *out);
K8sReadFunc k8s_controller;  /* const char *: UID of the owner that controls the object: metadata.ownerReferences (k8s-volumes.c) */
K8sReadFunc k8s_pod_volumes; /* VcPodSpec, its volumes: spec.volumes */
gboolean k8s_read_pod_disruption_budget (K8sReader *r, const K8sTop *top, const K8sMeta *meta,
                                         VcPodDisruptionBudgetObject *out);

G_END_DECLS
