/* workloads/k8s/k8s-schema.c - tables of limits, and the walk that applies them. */
#include "k8s-schema.h"
#include <string.h>

/* ---- nodes ---------------------------------------------------------------------------------- */

static struct fy_node *
plain (struct fy_node *node)
{
  if (node != NULL && fy_node_is_alias (node))
    node = fy_node_resolve_alias (node);
  return node != NULL && fy_node_is_scalar (node) && k8s_is_empty (node) ? NULL : node;
}

const char *
k8s_scalar (struct fy_node *node, GString *buffer)
{
  gsize len = 0;
  const char *text = node != NULL && fy_node_is_scalar (node) ? fy_node_get_scalar (node, &len) : NULL;

  g_string_truncate (buffer, 0);
  if (text != NULL)
    g_string_append_len (buffer, text, (gssize) len);
  return buffer->str;
}

gboolean
k8s_next_pair (struct fy_node *map, void **at, GString *key, struct fy_node **value)
{
  struct fy_node_pair *pair = map != NULL && fy_node_is_mapping (map) ? fy_node_mapping_iterate (map, at) : NULL;

  if (pair == NULL)
    return FALSE;
  k8s_scalar (plain (fy_node_pair_key (pair)), key);
  *value = plain (fy_node_pair_value (pair));
  return TRUE;
}

struct fy_node *
k8s_get (struct fy_node *map, const char *key)
{
  gsize want = strlen (key), len;
  void *at = NULL;

  if (map == NULL || !fy_node_is_mapping (map))
    return NULL;
  for (struct fy_node_pair *pair; (pair = fy_node_mapping_iterate (map, &at)) != NULL;) {
    struct fy_node *k = plain (fy_node_pair_key (pair));
    const char *text = k != NULL && fy_node_is_scalar (k) ? fy_node_get_scalar (k, &len) : NULL;

    if (text != NULL && len == want && memcmp (text, key, len) == 0)
      return plain (fy_node_pair_value (pair));
  }
  return NULL;
}

const char *
k8s_get_text (struct fy_node *map, const char *key, GString *buffer)
{
  return k8s_scalar (k8s_get (map, key), buffer);
}

struct fy_node *
k8s_next (struct fy_node *list, void **at)
{
  return list != NULL && fy_node_is_sequence (list) ? plain (fy_node_sequence_iterate (list, at)) : NULL;
}

/* ---- tables --------------------------------------------------------------------------------- */

typedef enum { OBJECT, LIST, NUMBER, TEXT } Type;
typedef enum { ANYTHING, LABEL, SUBDOMAIN, NO_COLON } Pattern;
typedef struct Limit Limit;
struct Limit {
  const char *key;
  Type type;
  gboolean has_min, has_max, required;
  gboolean defaulted;          /* nothing, or 0, is filled in by a webhook before the schema is looked at */
  gint64 min, max;             /* of the number; length of the text; items of the list */
  Pattern pattern;
  const char *const *allowed;  /* of a text, NULL-terminated; NULL: any */
  const Limit *inside; guint n_inside; /* fields of the object, or of each item of the list; an item that is no object is inside[0] with key NULL */
};

#define AT_LEAST(n) .has_min = TRUE, .min = (n)
#define AT_MOST(n) .has_max = TRUE, .max = (n)
#define INSIDE(table) .inside = (table), .n_inside = G_N_ELEMENTS (table)
#define NAME(k) { .key = (k), .type = TEXT, AT_MOST (253), .pattern = SUBDOMAIN }

static const char *const modes[] = { "hard", "soft", NULL };
static const Limit topology[] = {
  { .key = "highestTierAllowed", .type = NUMBER, AT_LEAST (0) },
  { .key = "highestTierName", .type = TEXT, AT_MOST (253) },
  { .key = "mode", .type = TEXT, .allowed = modes },
};

static const char *const events[] = { "*",      "PodPending",    "PodRunning", "PodFailed",     "PodEvicted", "Unknown",
                                      "TaskCompleted", "OutOfSync", "CommandIssued", "JobUpdated", "TaskFailed", NULL };
static const Limit event_item[] = { { .type = TEXT, .allowed = events } };
static const Limit policy[] = {
  { .key = "event", .type = TEXT, .allowed = events },
  { .key = "events", .type = LIST, INSIDE (event_item) },
};
static const Limit partitions[] = {
  { .key = "minPartitions", .type = NUMBER, AT_LEAST (0) },
  { .key = "networkTopology", .type = OBJECT, INSIDE (topology) },
  { .key = "partitionSize", .type = NUMBER, AT_LEAST (1), .required = TRUE },
  { .key = "totalPartitions", .type = NUMBER, AT_LEAST (1), .required = TRUE },
};
static const char *const numa_policies[] = { "none", "best-effort", "restricted", "single-numa-node", NULL };
static const Limit task[] = {
  { .key = "maxRetry", .type = NUMBER, AT_LEAST (0) },
  { .key = "minAvailable", .type = NUMBER, AT_LEAST (0) },
  { .key = "name", .type = TEXT, AT_MOST (63), .pattern = LABEL, .defaulted = TRUE },
  { .key = "partitionPolicy", .type = OBJECT, INSIDE (partitions) },
  { .key = "policies", .type = LIST, INSIDE (policy) },
  { .key = "replicas", .type = NUMBER, AT_LEAST (0) },
  { .key = "topologyPolicy", .type = TEXT, .allowed = numa_policies },
};
static const Limit volume[] = {
  { .key = "mountPath", .type = TEXT, AT_LEAST (1), .pattern = NO_COLON, .required = TRUE },
  { .key = "volumeClaimName", .type = TEXT, AT_MOST (253) },
};
static const Limit job[] = {
  { .key = "maxRetry", .type = NUMBER, AT_LEAST (0) },
  { .key = "minAvailable", .type = NUMBER, AT_LEAST (0) },
  { .key = "minSuccess", .type = NUMBER, AT_LEAST (1) },
  { .key = "networkTopology", .type = OBJECT, INSIDE (topology) },
  { .key = "policies", .type = LIST, INSIDE (policy) },
  NAME ("priorityClassName"),
  { .key = "queue", .type = TEXT, AT_MOST (253), .pattern = SUBDOMAIN, .defaulted = TRUE },
  { .key = "schedulerName", .type = TEXT, AT_MOST (63) },
  { .key = "tasks", .type = LIST, AT_LEAST (1), INSIDE (task) },
  { .key = "ttlSecondsAfterFinished", .type = NUMBER, AT_LEAST (0) },
  { .key = "volumes", .type = LIST, INSIDE (volume) },
};

#define PORT(needed) { .key = "port", .type = NUMBER, AT_LEAST (0), AT_MOST (65535), .required = (needed) }
#define TASK_NAME { .key = "taskName", .type = TEXT, AT_MOST (253) }
static const Limit header[] = { { .key = "name", .type = TEXT, .required = TRUE }, { .key = "value", .type = TEXT, .required = TRUE } };
static const Limit http_get[] = { { .key = "httpHeader", .type = OBJECT, INSIDE (header) }, PORT (FALSE), TASK_NAME };
static const Limit tcp_socket[] = { PORT (TRUE), TASK_NAME };
static const Limit task_status[] = { { .key = "phase", .type = TEXT, AT_MOST (63) }, TASK_NAME };
static const Limit probe[] = {
  { .key = "httpGetList", .type = LIST, INSIDE (http_get) },
  { .key = "taskStatusList", .type = LIST, INSIDE (task_status) },
  { .key = "tcpSocketList", .type = LIST, INSIDE (tcp_socket) },
};
static const Limit depends_on[] = { { .key = "probe", .type = OBJECT, INSIDE (probe) } };
static const Limit patch[] = { { .key = "jobSpec", .type = OBJECT, INSIDE (job) } };
static const Limit flow_step[] = {
  { .key = "dependsOn", .type = OBJECT, INSIDE (depends_on) },
  { .key = "name", .type = TEXT, AT_LEAST (1), .required = TRUE },
  { .key = "patch", .type = OBJECT, INSIDE (patch) },
};
static const char *const retain_policies[] = { "retain", "delete", NULL };
static const Limit job_flow[] = {
  { .key = "flows", .type = LIST, INSIDE (flow_step) },
  { .key = "jobRetainPolicy", .type = TEXT, .allowed = retain_policies },
};
static const char *const concurrency[] = { "Allow", "Forbid", "Replace", NULL };
static const Limit job_template[] = { { .key = "spec", .type = OBJECT, INSIDE (job) } };
static const Limit cron_job[] = {
  { .key = "concurrencyPolicy", .type = TEXT, .allowed = concurrency },
  { .key = "failedJobsHistoryLimit", .type = NUMBER, AT_LEAST (0) },
  { .key = "jobTemplate", .type = OBJECT, .required = TRUE, INSIDE (job_template) },
  { .key = "schedule", .type = TEXT, .required = TRUE },
  { .key = "startingDeadlineSeconds", .type = NUMBER, AT_LEAST (0) },
  { .key = "successfulJobsHistoryLimit", .type = NUMBER, AT_LEAST (0) },
};

static const char *const strategies[] = { "fifo", "traverse", NULL };
static const Limit queue[] = {
  { .key = "dequeueStrategy", .type = TEXT, .allowed = strategies },
  NAME ("parent"),
  { .key = "priority", .type = NUMBER, AT_LEAST (0) },
  { .key = "type", .type = TEXT, AT_MOST (253) },
  { .key = "weight", .type = NUMBER, AT_LEAST (1), AT_MOST (65535), .defaulted = TRUE },
};

static const Limit sub_group[] = {
  { .key = "minSubGroups", .type = NUMBER, AT_LEAST (0) },
  { .key = "name", .type = TEXT, AT_MOST (253) },
  { .key = "networkTopology", .type = OBJECT, INSIDE (topology) },
  { .key = "subGroupSize", .type = NUMBER, AT_LEAST (1) },
};
static const Limit pod_group[] = {
  { .key = "minMember", .type = NUMBER, AT_LEAST (0) },
  { .key = "networkTopology", .type = OBJECT, INSIDE (topology) },
  { .key = "priorityClassName", .type = TEXT, AT_MOST (253) },
  NAME ("queue"),
  { .key = "subGroupPolicy", .type = LIST, INSIDE (sub_group) },
};

static const char *const member_types[] = { "Node", "HyperNode", NULL };
static const Limit exact[] = { { .key = "name", .type = TEXT, AT_LEAST (1), AT_MOST (253), .pattern = SUBDOMAIN, .required = TRUE } };
static const Limit regex[] = { { .key = "pattern", .type = TEXT, AT_LEAST (1), .required = TRUE } };
static const Limit selector[] = {
  { .key = "exactMatch", .type = OBJECT, INSIDE (exact) },
  { .key = "regexMatch", .type = OBJECT, INSIDE (regex) },
};
static const Limit member[] = {
  { .key = "selector", .type = OBJECT, INSIDE (selector) },
  { .key = "type", .type = TEXT, .allowed = member_types, .required = TRUE },
};
static const Limit hyper_node[] = {
  { .key = "members", .type = LIST, AT_LEAST (1), INSIDE (member) },
  { .key = "tier", .type = NUMBER, AT_LEAST (0), .required = TRUE },
  { .key = "tierName", .type = TEXT, AT_MOST (253) },
};

static const struct { const char *name; Limit spec; } schemas[K8S_N_SCHEMAS] = {
  [K8S_SCHEMA_JOB] = { "Job.batch.volcano.sh", { .key = "spec", .type = OBJECT, INSIDE (job) } },
  [K8S_SCHEMA_JOB_FLOW] = { "JobFlow.flow.volcano.sh", { .key = "spec", .type = OBJECT, INSIDE (job_flow) } },
  [K8S_SCHEMA_JOB_TEMPLATE] = { "JobTemplate.flow.volcano.sh", { .key = "spec", .type = OBJECT, INSIDE (job) } },
  [K8S_SCHEMA_CRON_JOB] = { "CronJob.batch.volcano.sh", { .key = "spec", .type = OBJECT, INSIDE (cron_job) } },
  [K8S_SCHEMA_QUEUE] = { "Queue.scheduling.volcano.sh", { .key = "spec", .type = OBJECT, INSIDE (queue) } },
  [K8S_SCHEMA_POD_GROUP] = { "PodGroup.scheduling.volcano.sh", { .key = "spec", .type = OBJECT, INSIDE (pod_group) } },
  [K8S_SCHEMA_HYPER_NODE] = { "HyperNode.topology.volcano.sh", { .key = "spec", .type = OBJECT, INSIDE (hyper_node) } },
};

/* ---- the walk ------------------------------------------------------------------------------- */

static const char *
pattern_text (Pattern p)
{
  static const char *const texts[] = {
    [ANYTHING] = "",
    [LABEL] = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
    [SUBDOMAIN] = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
    [NO_COLON] = "^[^:]+$",
  };
  return texts[p];
}

/* The length of a name is a limit of its own, so that only the characters count here. */
static gboolean
matches (Pattern p, const char *text)
{
  if (p == NO_COLON)
    return *text != '\0' && strchr (text, ':') == NULL;
  for (const char *part = text; p != ANYTHING && part != NULL;) {
    const char *dot = p == SUBDOMAIN ? strchr (part, '.') : NULL;
    gsize len = dot != NULL ? (gsize) (dot - part) : strlen (part);

    if (len == 0 || part[0] == '-' || part[len - 1] == '-')
      return FALSE;
    for (gsize i = 0; i < len; i++)
      if (!g_ascii_islower (part[i]) && !g_ascii_isdigit (part[i]) && part[i] != '-')
        return FALSE;
    part = dot != NULL ? dot + 1 : NULL;
  }
  return TRUE;
}

static void
judge_number (const Limit *l, const char *path, const char *text, GPtrArray *out)
{
  gint64 v = g_ascii_strtoll (text, NULL, 0);

  if (v == 0 && l->defaulted)
    return;
  if (l->has_min && v < l->min)
    wl_find (out, path, "Invalid value: %" G_GINT64_FORMAT ": %s in body should be greater than or equal to %" G_GINT64_FORMAT, v, path, l->min);
  if (l->has_max && v > l->max)
    wl_find (out, path, "Invalid value: %" G_GINT64_FORMAT ": %s in body should be less than or equal to %" G_GINT64_FORMAT, v, path, l->max);
}

static void
judge_text (const Limit *l, const char *path, const char *text, GPtrArray *out)
{
  gint64 len = (gint64) strlen (text);

  if (len == 0 && l->defaulted)
    return;
  if (l->has_max && len > l->max)
    wl_find (out, path, "Too long: may not be more than %" G_GINT64_FORMAT " bytes", l->max);
  if (l->has_min && len < l->min)
    wl_find (out, path, "Invalid value: \"%s\": %s in body should be at least %" G_GINT64_FORMAT " chars long", text, path, l->min);
  if (!matches (l->pattern, text))
    wl_find (out, path, "Invalid value: \"%s\": %s in body should match '%s'", text, path, pattern_text (l->pattern));
  if (l->allowed != NULL && !g_strv_contains (l->allowed, text))
    wl_find_unsupported (out, path, text, l->allowed, g_strv_length ((char **) l->allowed));
}

static void judge (const Limit *l, const char *path, struct fy_node *node, GPtrArray *out);

static void
judge_object (const Limit *l, const char *path, struct fy_node *node, GPtrArray *out)
{
  for (guint i = 0; i < l->n_inside; i++) {
    const Limit *field = &l->inside[i];
    struct fy_node *value = k8s_get (node, field->key);
    g_autofree char *inner = value != NULL || field->required ? g_strconcat (path, ".", field->key, NULL) : NULL;

    if (value != NULL)
      judge (field, inner, value, out);
    else if (field->required)
      wl_find_required (out, inner);
  }
}

static void
judge_list (const Limit *l, const char *path, struct fy_node *node, GPtrArray *out)
{
  void *at = NULL;
  guint n = 0;

  for (struct fy_node *item; (item = k8s_next (node, &at)) != NULL; n++) {
    g_autofree char *inner = g_strdup_printf ("%s[%u]", path, n);

    if (l->n_inside > 0 && l->inside[0].key == NULL)
      judge (&l->inside[0], inner, item, out);
    else
      judge_object (l, inner, item, out);
  }
  if (l->has_min && n < l->min)
    wl_find (out, path, "Invalid value: %u: %s in body should have at least %" G_GINT64_FORMAT " items", n, path, l->min);
}

static void
judge (const Limit *l, const char *path, struct fy_node *node, GPtrArray *out)
{
  g_autoptr (GString) text = g_string_new (NULL);

  switch (l->type) {
  case OBJECT:
    judge_object (l, path, node, out);
    break;
  case LIST:
    judge_list (l, path, node, out);
    break;
  case NUMBER:
    judge_number (l, path, k8s_scalar (node, text), out);
    break;
  case TEXT:
  default:
    judge_text (l, path, k8s_scalar (node, text), out);
    break;
  }
}

void
k8s_judge_schema (K8sSchemaKind kind, const char *name, struct fy_node *spec, GPtrArray *out)
{
  const char *problem = wl_dns_subdomain_problem (name);

  if (problem != NULL)
    wl_find_invalid (out, "metadata.name", name, problem);
  if (spec != NULL)
    judge (&schemas[kind].spec, schemas[kind].spec.key, spec, out);
}

char *
k8s_schema_text (K8sSchemaKind kind, const char *name, const GPtrArray *findings)
{
  g_autofree char *all = wl_findings_text (findings);

  return g_strdup_printf ("%s \"%s\" is invalid: %s", schemas[kind].name, name, all);
}
