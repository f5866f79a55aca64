/* The Job object: fields, annotations, defaults. What admission says of it is in job-admission.c. */
#include "k8s-job.h"
#include "k8s-fields.h"
#include "k8s-schema.h"
#include "k8s-template.h"
#include "workloads/admission/job-admission.h"
#include "workloads/text/parse.h"
#include <stddef.h>
#include <string.h>

/* ---- policies ------------------------------------------------------------------------------- */

static gboolean
read_duration (K8sReader *r, struct fy_node *node, gpointer out)
{
  const char *text = NULL;

  if (!k8s_text (r, node, &text))
    return FALSE;
  return (strchr (text, 'd') == NULL && wl_parse_time (text, FALSE, out, NULL)) || /* Go has no days */
         k8s_expected (r, node, "a duration such as 30s or 1h30m");
}

typedef struct {
  const char *action, *event;
  K8sTexts events;
  K8sInt32 exit_code;
  WlTime timeout;
} RawPolicy;

static gboolean
read_policy (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "action", k8s_text, offsetof (RawPolicy, action) },
    { "event", k8s_text, offsetof (RawPolicy, event) },
    { "events", k8s_texts, offsetof (RawPolicy, events) },
    { "exitCode", k8s_given_int32, offsetof (RawPolicy, exit_code) },
    { "timeout", read_duration, offsetof (RawPolicy, timeout) },
  };
  RawPolicy raw = { .timeout = WL_TIME_NONE };
  WlPolicy *p = out;

  if (!K8S_FIELDS (r, node, fields, &raw))
    return FALSE;
  const char **event = vc_arena_new0 (r->arena, const char *, raw.events.n + 1);

  if (raw.events.n > 0)
    memcpy (event, raw.events.item, raw.events.n * sizeof *event);
  *p = (WlPolicy){ .action = raw.action != NULL ? raw.action : "",
                   .event = event,
                   .n_events = raw.events.n,
                   .has_exit_code = raw.exit_code.given,
                   .exit_code = raw.exit_code.value,
                   .timeout = raw.timeout };
  if (raw.event != NULL && *raw.event != '\0')
    event[p->n_events++] = raw.event;
  return TRUE;
}

typedef struct { const WlPolicy *item; guint n; } Policies;

static gboolean
read_policies (K8sReader *r, struct fy_node *node, gpointer out)
{
  Policies *list = out;
  gpointer items = NULL;

  if (!k8s_list (r, node, sizeof (WlPolicy), read_policy, &items, &list->n))
    return FALSE;
  list->item = items;
  return TRUE;
}

/* ---- tasks ---------------------------------------------------------------------------------- */

typedef struct { K8sTexts names; const char *iteration; } Depends;

static gboolean
read_depends (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "name", k8s_texts, offsetof (Depends, names) },
    { "iteration", k8s_text, offsetof (Depends, iteration) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

#define MAX_TIER 100000 /* scores run over the tiers one by one */

/* As the API server completes it; what its schema refuses is admission's to say. */
static gboolean
read_topology (K8sReader *r, struct fy_node *node, gpointer out)
{
  typedef struct { const char *mode, *name; gint64 tier; } Raw;
  static const K8sField fields[] = {
    { "mode", k8s_text, offsetof (Raw, mode) },
    { "highestTierAllowed", k8s_int64, offsetof (Raw, tier) },
    { "highestTierName", k8s_text, offsetof (Raw, name) },
  };
  Raw raw = { .tier = G_MININT64 };

  if (!K8S_FIELDS (r, node, fields, &raw))
    return FALSE;
  if (raw.tier > MAX_TIER)
    return k8s_refuse (r, node, "expected a tier of at most %d, found %" G_GINT64_FORMAT, MAX_TIER, raw.tier);
  gboolean has_tier = raw.tier != G_MININT64;

  *(VcTopologySpec *) out = (VcTopologySpec){ .mode = g_strcmp0 (raw.mode, "soft") == 0 ? VC_TOPOLOGY_SOFT : VC_TOPOLOGY_HARD,
                                              .has_tier = has_tier,
                                              .tier = has_tier ? raw.tier : 0,
                                              .tier_name = has_tier ? NULL : raw.name };
  return TRUE;
}

typedef struct { gboolean given; gint32 total, size, min; VcTopologySpec topology; } Partitions;

static gboolean
read_partitions (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "totalPartitions", k8s_int32, offsetof (Partitions, total) },
    { "partitionSize", k8s_int32, offsetof (Partitions, size) },
    { "minPartitions", k8s_int32, offsetof (Partitions, min) },
    { "networkTopology", read_topology, offsetof (Partitions, topology) },
  };
  ((Partitions *) out)->given = TRUE;
  return K8S_FIELDS (r, node, fields, out);
}

typedef struct {
  const char *name;
  K8sInt32 replicas, min_available, max_retry;
  K8sTemplate template;
  Policies policies;
  Depends depends;
  Partitions partitions;
  const char *numa_policy;
} RawTask;

static gboolean
read_task (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "name", k8s_text, offsetof (RawTask, name) },
    { "replicas", k8s_given_int32, offsetof (RawTask, replicas) },
    { "minAvailable", k8s_given_int32, offsetof (RawTask, min_available) },
    { "maxRetry", k8s_given_int32, offsetof (RawTask, max_retry) },
    { "template", k8s_template, offsetof (RawTask, template) },
    { "policies", read_policies, offsetof (RawTask, policies) },
    { "dependsOn", read_depends, offsetof (RawTask, depends) },
    { "partitionPolicy", read_partitions, offsetof (RawTask, partitions) },
    { "topologyPolicy", k8s_text, offsetof (RawTask, numa_policy) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

typedef struct {
  const char *queue, *scheduler, *priority_class;
  gint32 min_available, max_retry;
  K8sInt32 ttl, min_success;
  Policies policies;
  struct fy_node *plugins;
  RawTask *task;
  guint n_tasks;
  WlVolume *volume;
  guint n_volumes;
  VcTopologySpec topology;
} RawJob;

static gboolean
read_tasks (K8sReader *r, struct fy_node *node, gpointer out)
{
  RawJob *job = out;
  gpointer items = NULL;

  if (!k8s_list (r, node, sizeof (RawTask), read_task, &items, &job->n_tasks))
    return FALSE;
  job->task = items;
  return TRUE;
}

static gboolean
read_volume (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "mountPath", k8s_text, offsetof (WlVolume, mount_path) },
    { "volumeClaimName", k8s_text, offsetof (WlVolume, claim) },
    { "volumeClaim", k8s_new_volume_claim, offsetof (WlVolume, made) },
  };

  *(WlVolume *) out = (WlVolume){ "", "", NULL };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_volumes (K8sReader *r, struct fy_node *node, gpointer out)
{
  RawJob *job = out;
  gpointer items = NULL;

  if (!k8s_list (r, node, sizeof (WlVolume), read_volume, &items, &job->n_volumes))
    return FALSE;
  job->volume = items;
  return TRUE;
}

static gboolean
read_spec (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "schedulerName", k8s_text, offsetof (RawJob, scheduler) },
    { "minAvailable", k8s_int32, offsetof (RawJob, min_available) },
    { "tasks", read_tasks, 0 },
    { "policies", read_policies, offsetof (RawJob, policies) },
    { "plugins", k8s_node, offsetof (RawJob, plugins) },
    { "queue", k8s_text, offsetof (RawJob, queue) },
    { "maxRetry", k8s_int32, offsetof (RawJob, max_retry) },
    { "ttlSecondsAfterFinished", k8s_given_int32, offsetof (RawJob, ttl) },
    { "priorityClassName", k8s_text, offsetof (RawJob, priority_class) },
    { "minSuccess", k8s_given_int32, offsetof (RawJob, min_success) },
    { "volumes", read_volumes, 0 },
    { "networkTopology", read_topology, offsetof (RawJob, topology) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

/* ---- defaults ------------------------------------------------------------------------------- */

/* The pair replaces the one of its key. */
static void
annotate (VcArena *arena, VcPairs *pairs, const char *key, const char *value)
{
  VcPair *item = vc_arena_new0 (arena, VcPair, pairs->n + 1);
  guint n = 0, i = 0;

  while (i < pairs->n && strcmp (pairs->item[i].key, key) < 0)
    item[n++] = pairs->item[i++];
  item[n++] = (VcPair){ key, value };
  if (i < pairs->n && strcmp (pairs->item[i].key, key) == 0)
    i++;
  while (i < pairs->n)
    item[n++] = pairs->item[i++];
  *pairs = (VcPairs){ item, n };
}

static gboolean
make_task (const K8sNotes *notes, const RawJob *job, const RawTask *raw, guint i, GPtrArray *arrays, WlTask *t)
{
  K8sReader *r = notes->r;
  g_autofree char *made = g_strdup_printf ("default%u", i);

  if (raw->replicas.value > WL_REPLICAS_MAX)
    return k8s_refuse (r, notes->at, "task %s: expected at most %d replicas, found %d", raw->name != NULL ? raw->name : made, WL_REPLICAS_MAX,
                       raw->replicas.value);
  if (!k8s_template_task (notes, &raw->template, (guint) MAX (raw->replicas.value, 1), arrays, t))
    return FALSE;
  t->name = raw->name != NULL && *raw->name != '\0' ? raw->name : vc_arena_strdup (r->arena, made);
  t->replicas = raw->replicas.value;
  t->max_retry = raw->max_retry.value != 0 ? raw->max_retry.value : 3;
  t->policy = raw->policies.item;
  t->n_policies = raw->policies.n;
  if (t->scheduler == NULL)
    t->scheduler = job->scheduler;
  t->depends = raw->depends.names.item;
  t->n_depends = raw->depends.names.n;
  t->depends_on_any = g_strcmp0 (raw->depends.iteration, "any") == 0;
  if (raw->numa_policy != NULL && *raw->numa_policy != '\0')
    annotate (r->arena, &t->annotations, "volcano.sh/numa-topology-policy", raw->numa_policy);
  if (raw->partitions.given) {
    t->divided = TRUE;
    t->partitions = raw->partitions.total;
    t->partition_size = raw->partitions.size;
    t->min_partitions = raw->partitions.min;
    t->topology = raw->partitions.topology;
  }
  if (raw->min_available.given)
    t->min_available = raw->min_available.value;
  else if (raw->partitions.given && raw->partitions.min > 0)
    t->min_available = (gint32) CLAMP ((gint64) raw->partitions.min * raw->partitions.size, 0, G_MAXINT32);
  else
    t->min_available = t->replicas;
  return TRUE;
}

/* ---- what an update may not change ---------------------------------------------------------- */

typedef struct { guint64 a, b; } Digest;

static Digest
mix (Digest d, guint64 word)
{
  d.a = (d.a ^ word) * G_GUINT64_CONSTANT (0x100000001b3);
  d.b = (d.b + word) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  d.a ^= d.a >> 29;
  d.b ^= d.b >> 32;
  return d;
}

static Digest
mix_text (Digest d, const char *text)
{
  for (const char *c = text; *c != '\0'; c++)
    d = mix (d, (guchar) *c);
  return mix (d, 256);
}

static gboolean
is_one_of (const char *text, const char *const *list)
{
  return list != NULL && g_strv_contains (list, text);
}

/* The order of the keys of a map means nothing, and neither does what is empty. Amounts are compared as such. */
static Digest
digest (K8sReader *r, struct fy_node *node, gboolean amounts, const char *const *without)
{
  g_autoptr (GString) text = g_string_new (NULL), key = g_string_new (NULL);
  struct fy_node *value;
  void *at = NULL;
  Digest d = { 1469598103934665603u, 7 };
  VcQuantity q;

  if (r->budget == 0) /* aliases inside aliases; freeze() refuses them */
    return d;
  r->budget--;
  if (node == NULL || fy_node_is_scalar (node)) {
    k8s_scalar (node, text);
    if (amounts && vc_quantity_parse (text->str, &q, NULL))
      return mix (mix (d, (guint64) q.value), (guint64) q.milli);
    return mix_text (d, text->str);
  }
  if (fy_node_is_sequence (node)) {
    while ((value = k8s_next (node, &at)) != NULL) {
      Digest item = digest (r, value, FALSE, without);

      d = mix (mix (d, item.a), item.b);
    }
    return d;
  }
  while (k8s_next_pair (node, &at, key, &value)) {
    if (value == NULL || k8s_is_empty (value) || is_one_of (key->str, without))
      continue;
    gboolean inner = strcmp (key->str, "requests") == 0 || strcmp (key->str, "limits") == 0;
    Digest field = digest (r, value, amounts || inner, NULL), pair = mix (mix_text ((Digest){ 3, 5 }, key->str), field.a);

    pair = mix (pair, field.b);
    d.a += pair.a;
    d.b += pair.b;
  }
  return d;
}

gboolean
k8s_digest (K8sReader *r, struct fy_node *node, guint64 out[2])
{
  Digest d = digest (r, node, FALSE, NULL);

  out[0] = d.a;
  out[1] = d.b;
  return r->budget > 0 || k8s_refuse (r, node, "aliases expand to too much");
}

/* Fields with defaults count as defaulted. The name of a claim that is made for the job is the controller's to fill in. */
static gboolean
freeze (K8sReader *r, struct fy_node *spec, WlJobObject *job)
{
  static const char *const of_job[] = { "minAvailable", "priorityClassName", "queue", "maxRetry", "tasks", "volumes", NULL };
  static const char *const of_task[] = { "name", "replicas", "minAvailable", "maxRetry", NULL };
  Digest d = digest (r, spec, FALSE, of_job), tasks = digest (r, k8s_get (spec, "tasks"), FALSE, of_task);

  d = mix_text (mix (mix (mix (d, tasks.a), tasks.b), (guint64) job->max_retry), job->queue);
  for (guint i = 0; i < job->n_tasks; i++)
    d = mix_text (mix (d, (guint64) job->task[i].max_retry), job->task[i].name);
  struct fy_node *list = k8s_get (spec, "volumes"), *item;
  void *at = NULL;

  while ((item = k8s_next (list, &at)) != NULL) {
    static const char *const named[] = { "volumeClaimName", NULL };
    Digest v = digest (r, item, FALSE, k8s_get (item, "volumeClaim") != NULL ? named : NULL);

    d = mix (mix (d, v.a), v.b);
  }
  job->frozen[0] = d.a;
  job->frozen[1] = d.b;
  return r->budget > 0 || k8s_refuse (r, spec, "aliases expand to too much");
}

static gboolean
names_two_tiers (struct fy_node *topology)
{
  g_autoptr (GString) text = g_string_new (NULL);

  return k8s_get (topology, "highestTierAllowed") != NULL && *k8s_get_text (topology, "highestTierName", text) != '\0';
}

gboolean
k8s_read_job_as (K8sReader *r, struct fy_node *metadata, struct fy_node *spec, const K8sMeta *meta, const char *name, GPtrArray *arrays,
                 WlJobObject *out)
{
  RawJob raw = { 0 };
  K8sNotes notes = { r, metadata, &meta->annotations };

  if (!k8s_field (r, "spec", spec, read_spec, &raw))
    return FALSE;
  WlTask *task = vc_arena_new0 (r->arena, WlTask, MAX (raw.n_tasks, 1));

  *out = (WlJobObject){
    .ns = meta->ns,
    .name = name,
    .file = r->source,
    .labels = meta->labels,
    .annotations = meta->annotations,
    .queue = raw.queue != NULL && *raw.queue != '\0' ? raw.queue : "default",
    .priority_class = raw.priority_class != NULL && *raw.priority_class != '\0' ? raw.priority_class : NULL,
    .min_available = raw.min_available,
    .max_retry = raw.max_retry != 0 ? raw.max_retry : 3,
    .min_success = raw.min_success.given ? raw.min_success.value : -1,
    .ttl = raw.ttl.given ? raw.ttl.value : -1,
    .submit = WL_TIME_NONE,
    .remove = WL_TIME_NONE,
    .walltime = WL_TIME_NONE,
    .policy = raw.policies.item,
    .n_policies = raw.policies.n,
    .task = task,
    .n_tasks = raw.n_tasks,
    .volume = raw.volume,
    .topology = raw.topology,
    .n_volumes = raw.n_volumes,
  };
  gint64 minima = 0;

  for (guint i = 0; i < raw.n_tasks; i++) {
    if (!make_task (&notes, &raw, &raw.task[i], i, arrays, &task[i]))
      return FALSE;
    minima += task[i].min_available;
  }
  if (out->min_available == 0)
    out->min_available = (gint32) CLAMP (minima, 0, G_MAXINT32);
  JobPlugins plugins = { 0 };

  if (!k8s_field (r, "plugins", raw.plugins, read_job_plugins, &plugins))
    return FALSE;
  out->two_tiers = names_two_tiers (k8s_get (spec, "networkTopology"));
  struct fy_node *list = k8s_get (spec, "tasks");
  void *at = NULL;

  for (guint i = 0; i < raw.n_tasks; i++)
    task[i].two_tiers = names_two_tiers (k8s_get (k8s_get (k8s_next (list, &at), "partitionPolicy"), "networkTopology"));
  judge_job (r->arena, spec, &plugins, out);
  apply_job_plugins (r->arena, &plugins, out);
  return freeze (r, spec, out);
}

gboolean
k8s_read_job (K8sReader *r, const K8sTop *top, const K8sMeta *meta, GPtrArray *arrays, WlJobObject *out)
{
  if (!k8s_read_job_as (r, top->metadata, top->spec, meta, meta->name, arrays, out)
      || !k8s_time_note (r, top->metadata, &meta->annotations, "volsim.io/submit", &out->submit)
      || !k8s_time_note (r, top->metadata, &meta->annotations, "volsim.io/delete", &out->remove)
      || !k8s_time_note (r, top->metadata, &meta->annotations, "volsim.io/walltime", &out->walltime)
      || !k8s_found_notes (r, top->metadata, &meta->annotations, out))
    return FALSE;
  return out->submit != WL_TIME_NONE || r->timeless
         || k8s_refuse (r, top->metadata, "annotation volsim.io/submit: missing; it says when the job is submitted");
}
