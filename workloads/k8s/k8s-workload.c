/* Workloads of Kubernetes' own: fields, defaults of the API server, and what is not simulated. */
#include "k8s-workload.h"
#include "k8s-schema.h"
#include "k8s-template.h"
#include <stddef.h>
#include <string.h>

#define GROUP_NAME "scheduling.k8s.io/group-name"
#define QUEUE_NAME "scheduling.volcano.sh/queue-name"
#define HIGHEST_TIER "volcano.sh/network-topology-highest-tier"
#define TASK_SPEC "volcano.sh/task-spec"

/* ---- specs ---------------------------------------------------------------------------------- */

typedef struct {
  K8sTemplate template;
  K8sInt32 replicas, min_ready;
  /* Deployment */
  const char *strategy;
  VcIntOrPercent max_surge, max_unavailable;
  gboolean paused;
  /* StatefulSet */
  const char *management, *update;
  VcIntOrPercent gone_at_once;
  K8sInt32 partition;
  gint32 first_ordinal;
  /* batch Job */
  K8sInt32 parallelism, completions, backoff_limit, deadline, ttl;
  const char *mode, *replacement;
} RawWorkload;

static gboolean
refuse_claims (K8sReader *r, struct fy_node *node, gpointer out)
{
  return k8s_is_empty (node) || k8s_unsupported (r, node, "a claim for each pod of a StatefulSet");
}

static gboolean
refuse_true (K8sReader *r, struct fy_node *node, gpointer out)
{
  gboolean value = FALSE;

  return k8s_bool (r, node, &value) && (!value || k8s_unsupported (r, node, "a workload that is held back"));
}

static gboolean
refuse_policy (K8sReader *r, struct fy_node *node, gpointer out)
{
  return k8s_is_empty (node) || k8s_unsupported (r, node, "what a batch Job makes of single failures and successes");
}

static gboolean
read_ordinals (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "start", k8s_int32, 0 } };

  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_rolling (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "maxSurge", k8s_int_or_percent, offsetof (RawWorkload, max_surge) },
    { "maxUnavailable", k8s_int_or_percent, offsetof (RawWorkload, max_unavailable) },
  };

  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_strategy (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "type", k8s_text, offsetof (RawWorkload, strategy) }, { "rollingUpdate", read_rolling, 0 } };

  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_partition (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "partition", k8s_given_int32, offsetof (RawWorkload, partition) },
    { "maxUnavailable", k8s_int_or_percent, offsetof (RawWorkload, gone_at_once) },
  };

  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_update (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "type", k8s_text, offsetof (RawWorkload, update) }, { "rollingUpdate", read_partition, 0 } };

  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_spec (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "template", k8s_template, offsetof (RawWorkload, template) },
    { "replicas", k8s_given_int32, offsetof (RawWorkload, replicas) },
    { "minReadySeconds", k8s_given_int32, offsetof (RawWorkload, min_ready) },
    { "paused", k8s_bool, offsetof (RawWorkload, paused) },
    { "strategy", read_strategy, 0 },
    { "updateStrategy", read_update, 0 },
    { "podManagementPolicy", k8s_text, offsetof (RawWorkload, management) },
    { "ordinals", read_ordinals, offsetof (RawWorkload, first_ordinal) },
    { "volumeClaimTemplates", refuse_claims, 0 },
    { "parallelism", k8s_given_int32, offsetof (RawWorkload, parallelism) },
    { "completions", k8s_given_int32, offsetof (RawWorkload, completions) },
    { "backoffLimit", k8s_given_int32, offsetof (RawWorkload, backoff_limit) },
    { "activeDeadlineSeconds", k8s_given_int32, offsetof (RawWorkload, deadline) },
    { "ttlSecondsAfterFinished", k8s_given_int32, offsetof (RawWorkload, ttl) },
    { "completionMode", k8s_text, offsetof (RawWorkload, mode) },
    { "podReplacementPolicy", k8s_text, offsetof (RawWorkload, replacement) },
    { "suspend", refuse_true, 0 },
    { "podFailurePolicy", refuse_policy, 0 },
    { "successPolicy", refuse_policy, 0 },
    { "backoffLimitPerIndex", refuse_policy, 0 },
    { "maxFailedIndexes", refuse_policy, 0 },
    { "managedBy", refuse_policy, 0 },
  };

  return K8S_FIELDS (r, node, fields, out);
}

/* ---- what the API server asks ---------------------------------------------------------------- */

typedef struct {
  K8sReader *r;
  const K8sTop *top;
} At;

static gboolean
check_count (const At *at, const char *field, const K8sInt32 *n, gint32 fallback, gint32 limit, gint32 *out)
{
  *out = n->given ? n->value : fallback;
  if (n->given && (n->value < 0 || n->value > limit))
    return k8s_refuse (at->r, at->top->spec, "spec.%s: expected 0 to %d, found %d", field, limit, n->value);
  return TRUE;
}

/* @text, one of two; the first is the default. */
static gboolean
check_choice (const At *at, const char *field, const char *text, const char *first, const char *second, gboolean *is_second)
{
  *is_second = g_strcmp0 (text, second) == 0;
  return text == NULL || *text == '\0' || *is_second || strcmp (text, first) == 0 ||
         k8s_refuse (at->r, at->top->spec, "spec.%s: expected %s or %s, found %s", field, first, second, text);
}

static gboolean
check_restarts (const At *at, WlKind kind, const char *policy)
{
  gboolean always = strcmp (policy, "Always") == 0, good = always;

  if (kind == WL_KIND_BATCH_JOB)
    good = strcmp (policy, "Never") == 0 || strcmp (policy, "OnFailure") == 0;
  else if (kind == WL_KIND_POD)
    good = always || strcmp (policy, "Never") == 0 || strcmp (policy, "OnFailure") == 0;
  return good || k8s_refuse (at->r, at->top->spec, "restartPolicy of the pods: expected %s, found %s",
                             kind == WL_KIND_BATCH_JOB ? "Never or OnFailure"
                             : kind == WL_KIND_POD     ? "Always, OnFailure or Never"
                                                       : "Always",
                             policy);
}

/* How a Deployment is rolled out: by quarters unless it says more. */
static gboolean
check_strategy (const At *at, const RawWorkload *raw, WlWorkload *out)
{
  const struct { const char *field; VcIntOrPercent given; VcIntOrPercent *to; } shares[] = {
    { "maxSurge", raw->max_surge, &out->max_surge }, { "maxUnavailable", raw->max_unavailable, &out->max_unavailable },
  };

  if (!check_choice (at, "strategy.type", raw->strategy, "RollingUpdate", "Recreate", &out->recreate))
    return FALSE;
  if (out->recreate && (raw->max_surge.given || raw->max_unavailable.given))
    return k8s_refuse (at->r, at->top->spec, "spec.strategy.rollingUpdate: goes with the type RollingUpdate alone");
  for (guint i = 0; i < G_N_ELEMENTS (shares); i++) {
    *shares[i].to = shares[i].given.given ? shares[i].given : (VcIntOrPercent){ TRUE, TRUE, 25 };
    if (shares[i].to->value < 0)
      return k8s_refuse (at->r, at->top->spec, "spec.strategy.rollingUpdate.%s: expected 0 or more, found %d", shares[i].field, shares[i].to->value);
  }
  if (raw->max_unavailable.percent && raw->max_unavailable.value > 100)
    return k8s_refuse (at->r, at->top->spec, "spec.strategy.rollingUpdate.maxUnavailable: expected at most 100%%, found %d%%", raw->max_unavailable.value);
  return (out->max_surge.value > 0 || out->max_unavailable.value > 0)
         || k8s_refuse (at->r, at->top->spec, "spec.strategy.rollingUpdate: expected maxUnavailable above 0 where maxSurge is 0");
}

/* How a StatefulSet is. */
static gboolean
check_stateful (const At *at, const RawWorkload *raw, WlWorkload *out)
{
  const VcIntOrPercent *n = &raw->gone_at_once;

  if (!check_choice (at, "updateStrategy.type", raw->update, "RollingUpdate", "OnDelete", &out->on_delete)
      || !check_count (at, "updateStrategy.rollingUpdate.partition", &raw->partition, 0, WL_REPLICAS_MAX, &out->partition))
    return FALSE;
  out->max_unavailable = *n;
  if (!n->given || (n->value > 0 && (!n->percent || n->value <= 100)))
    return TRUE;
  return k8s_refuse (at->r, at->top->spec, "spec.updateStrategy.rollingUpdate.maxUnavailable: expected 1 or more, or 1%% to 100%%, found %d%s", n->value, n->percent ? "%" : "");
}

static gboolean
check_batch (const At *at, const RawWorkload *raw, WlWorkload *out, gint32 *parallelism)
{
  gboolean lone = !raw->completions.given && !raw->parallelism.given; /* then one success is asked for */
  gint32 deadline;

  if (!check_count (at, "parallelism", &raw->parallelism, 1, WL_REPLICAS_MAX, parallelism)
      || !check_count (at, "completions", &raw->completions, lone ? 1 : -1, WL_REPLICAS_MAX, &out->completions)
      || !check_count (at, "backoffLimit", &raw->backoff_limit, 6, G_MAXINT32, &out->backoff_limit)
      || !check_count (at, "activeDeadlineSeconds", &raw->deadline, -1, G_MAXINT32, &deadline)
      || !check_choice (at, "completionMode", raw->mode, "NonIndexed", "Indexed", &out->indexed)
      || !check_choice (at, "podReplacementPolicy", raw->replacement, "TerminatingOrFailed", "Failed", &out->waits))
    return FALSE;
  out->deadline = deadline;
  return !out->indexed || out->completions >= 0 || k8s_refuse (at->r, at->top->spec, "spec.completions: missing; an indexed Job needs it");
}

/* ---- objects -------------------------------------------------------------------------------- */

/* Numbers that the PodGroup's schema refuses, or for which too many tiers would be looked through; what is no number is as good as none. */
static gboolean
check_tier (const At *at, const VcPairs *annotations)
{
  const char *text = vc_pairs_get (annotations, HIGHEST_TIER);
  gint64 tier;

  return text == NULL || !g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64, &tier, NULL) || (tier >= 0 && tier <= K8S_TIER_MAX)
         || k8s_refuse (at->r, at->top->metadata, "annotation " HIGHEST_TIER ": expected a tier from 0 to %d, found %s", K8S_TIER_MAX, text);
}

static const char *
or_default (const char *text)
{
  return text != NULL && *text != '\0' ? text : "default";
}

static gboolean
read_pods (const At *at, const K8sNotes *notes, WlKind kind, const RawWorkload *raw, GPtrArray *arrays, WlJobObject *out, WlWorkload *work)
{
  K8sReader *r = at->r;
  WlTask *task = vc_arena_new0 (r->arena, WlTask, 1);
  gint32 replicas = 1;

  if (kind == WL_KIND_BATCH_JOB ? !check_batch (at, raw, work, &replicas)
                                : !check_count (at, "replicas", &raw->replicas, 1, WL_REPLICAS_MAX, &replicas))
    return FALSE;
  if (!k8s_template_task (notes, &raw->template, WL_REPLICAS_MAX, arrays, task) || !check_restarts (at, kind, task->restart_policy)
      || !check_tier (at, &task->annotations))
    return FALSE;
  work->group = vc_pairs_get (&task->annotations, GROUP_NAME);
  if (work->group != NULL && *work->group == '\0')
    work->group = NULL;
  if (work->group != NULL && kind != WL_KIND_POD)
    return k8s_refuse (r, at->top->metadata, "annotation " GROUP_NAME " of the pods: only pods by themselves can name a PodGroup");
  if (task->scale != NULL && (kind == WL_KIND_POD || kind == WL_KIND_BATCH_JOB))
    return k8s_refuse (r, at->top->metadata, "annotation volsim.io/scale: expected a workload with replicas");
  const char *role = vc_pairs_get (&task->annotations, TASK_SPEC), *node = raw->template.spec.node;

  if (node != NULL && task->nodes.n == 0) { /* of a pod: it is there from the start */
    const char **item = vc_arena_new0 (r->arena, const char *, 1);

    *item = node;
    task->nodes = (VcNames){ item, 1 };
  }

  task->name = role != NULL && *role != '\0' ? role : "pod";
  task->replicas = replicas;
  out->task = task;
  out->n_tasks = 1;
  out->queue = or_default (vc_pairs_get (&task->annotations, QUEUE_NAME));
  return TRUE;
}

static gboolean
read_group (const At *at, const K8sMeta *meta, WlJobObject *out, WlWorkload *work)
{
  VcPodGroupObject *group = vc_arena_new0 (at->r->arena, VcPodGroupObject, 1);

  if (!k8s_read_pod_group (at->r, at->top, meta, group))
    return FALSE;
  g_autofree char *refusal = k8s_judge_pod_group (meta->name, at->top->spec);

  if (refusal != NULL)
    out->refusal.text = vc_arena_strdup (at->r->arena, refusal);
  group->phase = NULL; /* its status is the scheduler's to write */
  group->condition = NULL;
  group->n_conditions = 0;
  work->pod_group = group;
  out->queue = or_default (group->queue);
  out->priority_class = group->priority_class != NULL && *group->priority_class != '\0' ? group->priority_class : NULL;
  out->min_available = group->min_member;
  return TRUE;
}

gboolean
k8s_read_workload (K8sReader *r, const K8sTop *top, const K8sMeta *meta, WlKind kind, GPtrArray *arrays, WlJobObject *out)
{
  RawWorkload raw = { 0 };
  const At at = { r, top };
  const K8sNotes notes = { r, top->metadata, &meta->annotations };
  WlWorkload *work = vc_arena_new0 (r->arena, WlWorkload, 1);

  *out = (WlJobObject){ .kind = kind,
                        .workload = work,
                        .ns = meta->ns,
                        .name = meta->name,
                        .file = r->source,
                        .labels = meta->labels,
                        .annotations = meta->annotations,
                        .min_success = -1,
                        .ttl = -1,
                        .submit = WL_TIME_NONE,
                        .remove = WL_TIME_NONE };
  if (!k8s_time_note (r, top->metadata, &meta->annotations, "volsim.io/submit", &out->submit)
      || !k8s_time_note (r, top->metadata, &meta->annotations, "volsim.io/delete", &out->remove)
      || !k8s_found_notes (r, top->metadata, &meta->annotations, out))
    return FALSE;
  if (out->submit == WL_TIME_NONE && !r->timeless)
    return k8s_refuse (r, top->metadata, "annotation volsim.io/submit: missing; it says when the object is made");
  if (kind == WL_KIND_POD_GROUP)
    return read_group (&at, meta, out, work);
  if (kind == WL_KIND_POD) {
    raw.template.meta = *meta;
    if (!k8s_field (r, "spec", top->spec, k8s_template_fields, &raw.template))
      return FALSE;
  } else if (!k8s_field (r, "spec", top->spec, read_spec, &raw)) {
    return FALSE;
  }
  if (!read_pods (&at, &notes, kind, &raw, arrays, out, work))
    return FALSE;
  out->ttl = kind == WL_KIND_BATCH_JOB && raw.ttl.given ? raw.ttl.value : -1;
  work->has_replicas = raw.replicas.given;
  if (kind == WL_KIND_DEPLOYMENT && !check_strategy (&at, &raw, work))
    return FALSE;
  if (kind == WL_KIND_STATEFUL_SET && !check_stateful (&at, &raw, work))
    return FALSE;
  work->paused = raw.paused && kind == WL_KIND_DEPLOYMENT;
  if ((kind == WL_KIND_DEPLOYMENT || kind == WL_KIND_STATEFUL_SET) && !k8s_digest (r, k8s_get (top->spec, "template"), out->frozen))
    return FALSE;
  work->first_ordinal = MAX (raw.first_ordinal, 0);
  work->min_ready = MAX (raw.min_ready.value, 0);
  return check_choice (&at, "podManagementPolicy", raw.management, "OrderedReady", "Parallel", &work->parallel);
}

/* ---- pods of PodGroups ----------------------------------------------------------------------- */

static WlJobObject *
find_group (GHashTable *groups, const WlJobObject *pod)
{
  g_autofree char *key = g_strconcat (pod->ns, "/", pod->workload->group, NULL);

  return g_hash_table_lookup (groups, key);
}

/* @seen counts the pods of each task so far, by namespace, group and task. */
static void
add_member (WlJobObject *group, const WlJobObject *pod, GHashTable *seen)
{
  WlTask *t = (WlTask *) &group->task[group->n_tasks++];

  *t = pod->task[0];
  t->pod = pod;
  char *key = g_strconcat (group->ns, "/", group->name, "/", t->name, NULL);
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (seen, key));

  t->first_index = (gint32) n;
  g_hash_table_replace (seen, key, GUINT_TO_POINTER (n + 1));
}

gboolean
k8s_join_pod_groups (VcArena *arena, GPtrArray *jobs, GError **error)
{
  g_autoptr (GHashTable) groups = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint kept = 0;

  for (guint i = 0; i < jobs->len; i++) {
    WlJobObject *job = jobs->pdata[i];

    if (job->kind == WL_KIND_POD_GROUP)
      g_hash_table_insert (groups, g_strconcat (job->ns, "/", job->name, NULL), job);
  }
  for (guint i = 0; i < jobs->len; i++) { /* count, so that each list is made once */
    const WlJobObject *pod = jobs->pdata[i];

    if (pod->kind != WL_KIND_POD || pod->workload->group == NULL)
      continue;
    WlJobObject *group = find_group (groups, pod);

    if (group == NULL) {
      g_set_error (error, WL_ERROR, WL_ERROR_CONFLICT, "%s:%u:1: Pod %s/%s: annotation " GROUP_NAME ": expected a PodGroup among the objects, found '%s'",
                   pod->file, pod->line, pod->ns, pod->name, pod->workload->group);
      return FALSE;
    }
    group->n_tasks++;
  }
  for (guint i = 0; i < jobs->len; i++) {
    WlJobObject *job = jobs->pdata[i];

    if (job->kind == WL_KIND_POD_GROUP) {
      job->task = vc_arena_new0 (arena, WlTask, MAX (job->n_tasks, 1));
      job->n_tasks = 0;
    }
  }
  for (guint i = 0; i < jobs->len; i++) {
    WlJobObject *job = jobs->pdata[i];

    if (job->kind == WL_KIND_POD && job->workload->group != NULL)
      add_member (find_group (groups, job), job, seen);
    else
      jobs->pdata[kept++] = job;
  }
  g_ptr_array_set_size (jobs, (gint) kept);
  return TRUE;
}
