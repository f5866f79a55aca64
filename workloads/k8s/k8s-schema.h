/* workloads/k8s/k8s-schema.h - the limits that the schemas of Volcano's objects set: what the API server refuses before any webhook is asked.
 *
 * Private to the Kubernetes reader. Types are the affair of k8s-fields.h; here are ranges, lengths, patterns, enumerations and fields that must be
 * there. Mirrors config/crd and the wording of kube-openapi. */
#pragma once
#include "k8s-fields.h"
#include "workloads/admission/findings.h"
G_BEGIN_DECLS

typedef enum { K8S_SCHEMA_JOB, K8S_SCHEMA_JOB_FLOW, K8S_SCHEMA_JOB_TEMPLATE, K8S_SCHEMA_CRON_JOB, K8S_SCHEMA_QUEUE, K8S_SCHEMA_POD_GROUP, K8S_SCHEMA_HYPER_NODE, K8S_N_SCHEMAS } K8sSchemaKind;

/** Check the name and the spec (nullable) of an object; findings are appended to @out. */
void k8s_judge_schema (K8sSchemaKind kind, const char *name, struct fy_node *spec, GPtrArray *out);
/** What the API server answers: `Job.batch.volcano.sh "name" is invalid: …`. @findings must not be empty. (transfer full) */
char *k8s_schema_text (K8sSchemaKind kind, const char *name, const GPtrArray *findings);

/** All that the schema and the webhook have against a PodGroup, its queue aside; NULL: nothing. (transfer full) */
char *k8s_judge_pod_group (const char *name, struct fy_node *spec);
/** All that the schema and the webhook have against a HyperNode; NULL: nothing. (transfer full) */
char *k8s_judge_hyper_node (const char *name, struct fy_node *spec);

/* Nodes of a document that was read already; aliases are followed, null counts as absent. */
/** Value of @key in the mapping @map; NULL when it is not there (or @map is no mapping). */
struct fy_node *k8s_get (struct fy_node *map, const char *key);
/** Text of a scalar, "" without one; transient: copied into @buffer. */
const char *k8s_get_text (struct fy_node *map, const char *key, GString *buffer);
/** The next item of the list @list; NULL at the end, or when it is no list. */
struct fy_node *k8s_next (struct fy_node *list, void **at);
/** The next pair of the mapping @map; FALSE at the end. @value may come out as NULL. */
gboolean k8s_next_pair (struct fy_node *map, void **at, GString *key, struct fy_node **value);
/** Text of the scalar @node into @buffer; "" when there is none. */
const char *k8s_scalar (struct fy_node *node, GString *buffer);

G_END_DECLS
