/* workloads/import/kubernetes/cluster-items.c - workloads, pods and PodGroups of a cluster. */
#include "cluster-private.h"
#include "core/base/go-duration.h"
#include "core/base/resource.h"
#include "core/model/shape.h"
#include "workloads/k8s/k8s-schema.h"
#include "workloads/text/parse.h"
#include <stddef.h>
#include <string.h>

/* ---- requests ------------------------------------------------------------------------------------------ */

static void
note_names (const VcAmounts *a, GPtrArray *names)
{
  for (guint i = 0; i < a->n; i++)
    if (vc_res_is_scalar_name (a->item[i].name))
      g_ptr_array_add (names, (gpointer) a->item[i].name);
}

/* What a pod asks for, as the scheduler counts it. Too many resources for a vector: nothing. */
static WlImportAmounts
request_of (WlCluster *c, const VcPodSpec *spec)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GString) more = g_string_new (NULL);
  WlImportAmounts out = { 0 };

  for (guint i = 0; i < spec->n_containers; i++)
    note_names (&spec->container[i].request, names);
  note_names (&spec->overhead, names);
  g_autoptr (VcResNames) known = vc_res_names_new ((const char *const *) names->pdata, names->len, NULL);

  if (known == NULL)
    return out;
  VC_RES_LOCAL (sum, vc_res_names_count (known));

  vc_pod_request (spec, known, FALSE, sum);
  out.cpu_milli = (gint64) MIN (sum->v[VC_RES_CPU], (double) WL_AMOUNT_MAX);
  out.memory = (gint64) MIN (sum->v[VC_RES_MEMORY], (double) WL_AMOUNT_MAX);
  for (guint d = VC_RES_FIRST_SCALAR; d < vc_res_names_count (known); d++)
    if (c->cards && strcmp (vc_res_names_get (known, d), WL_CARD) == 0)
      out.gpus = (guint32) CLAMP (sum->v[d] / 1000, 0, 10000);
    else if (sum->v[d] > (double) WL_AMOUNT_MAX)
      out.cpu_milli = WL_AMOUNT_MAX; /* what is too large is refused in the end */
    else if (d != vc_res_names_pods (known) && sum->v[d] > 0)
      g_string_append_printf (more, "%s%s=%.0fm", more->len > 0 ? ";" : "", vc_res_names_get (known, d), sum->v[d]);
  out.more = more->len > 0 ? vc_arena_strdup (c->arena, more->str) : NULL;
  return out;
}

/* ---- metadata ------------------------------------------------------------------------------------------- */

gboolean
wl_item_notes (WlCluster *c, K8sReader *r, const K8sTop *top, const K8sMeta *meta, WlItem *item)
{
  g_autoptr (GString) text = g_string_new (NULL);
  struct fy_node *owner;
  void *at = NULL;

  item->created = wl_cluster_second (meta->created);
  item->gone = wl_cluster_second (meta->deleted);
  item->uid = vc_arena_strdup (c->arena, meta->uid);
  if (!k8s_time_note (r, top->metadata, &meta->annotations, "volsim.io/submit", &item->submit)
      || !k8s_time_note (r, top->metadata, &meta->annotations, "volsim.io/delete", &item->remove))
    return FALSE;
  c->noted = c->noted || item->submit != WL_TIME_NONE;
  item->stated = item->submit != WL_TIME_NONE && item->created == WL_TIME_NONE;
  while ((owner = k8s_next (k8s_get (top->metadata, "ownerReferences"), &at)) != NULL) {
    if (strcmp (k8s_get_text (owner, "controller", text), "true") != 0)
      continue;
    item->owner_kind = vc_arena_strdup (c->arena, k8s_get_text (owner, "kind", text));
    item->owner_name = vc_arena_strdup (c->arena, k8s_get_text (owner, "name", text));
    item->owner = k8s_workload_kind (k8s_get_text (owner, "apiVersion", text), item->owner_kind);
    break;
  }
  return TRUE;
}

/* ---- tasks ---------------------------------------------------------------------------------------------- */

/* Are its pods another scheduler's? Those that name none are ours. */
static gboolean
is_foreign (WlCluster *c, WlKind kind, const WlJobObject *job)
{
  const char *scheduler = job->n_tasks > 0 ? job->task[0].scheduler : NULL;

  if (kind == WL_KIND_POD_GROUP)
    return FALSE;
  if (scheduler == NULL || *scheduler == '\0') {
    if (kind != WL_KIND_VCJOB) /* for which the job controller says so */
      wl_import_default (c->imp, "schedulerName (one of ours)");
    c->ours++;
    return FALSE;
  }
  if (c->schedulers == NULL || g_strv_contains ((const char *const *) c->schedulers, scheduler)) {
    c->ours++;
    return FALSE;
  }
  if (c->another == NULL)
    c->another = vc_arena_strdup (c->arena, scheduler);
  return TRUE;
}

static void
need_class (WlCluster *c, const char *name)
{
  if (name != NULL && *name != '\0' && g_hash_table_lookup (c->classes, name) == NULL)
    g_hash_table_insert (c->classes, vc_arena_strdup (c->arena, name), NULL);
}

/* Other schedulers share cards by annotations, which no resource tells: such a pod would run without any, and nobody would know. */
static gboolean
asks_by_annotation (const VcPairs *annotations)
{
  static const char *const keys[] = { "gpu-fraction", "gpu-memory", "alibabacloud.com/gpu-milli" };

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    if (vc_pairs_get (annotations, keys[i]) != NULL)
      return TRUE;
  return FALSE;
}

static void
read_task (WlCluster *c, const WlTask *t, const VcPairs *of_object, WlItemTask *out)
{
  const char *note = vc_pairs_get (&t->annotations, "volsim.io/duration");

  *out = (WlItemTask){ .name = vc_arena_strdup (c->arena, t->name),
                       .replicas = (guint32) MAX (t->replicas, 0),
                       .min_available = t->min_available,
                       .request = request_of (c, &t->spec),
                       .always = strcmp (t->restart_policy, "Always") == 0,
                       .labels = vc_pairs_copy (c->arena, &t->labels),
                       .places = vc_arena_strdup (c->arena, vc_pairs_get (&t->annotations, "volsim.io/node")),
                       .note = vc_arena_strdup (c->arena, note != NULL ? note : vc_pairs_get (of_object, "volsim.io/duration")) };
  need_class (c, t->raw.priority_class);
  if (!c->cards && asks_by_annotation (&t->annotations))
    wl_import_note (c->imp, "pods that ask for parts of GPUs by annotations (gpu-fraction, gpu-memory, alibabacloud.com/gpu-milli): asked for nothing", out->replicas);
}

/* ---- states --------------------------------------------------------------------------------------------- */

static gboolean
read_time (K8sReader *r, struct fy_node *map, const char *key, WlTime *out)
{
  struct fy_node *node = k8s_get (map, key);
  gint64 second;

  *out = WL_TIME_NONE;
  if (node == NULL)
    return TRUE;
  if (!k8s_field (r, key, node, k8s_time, &second))
    return FALSE;
  *out = wl_cluster_second (second);
  return TRUE;
}

/* From the first start of a container to the last end. */
static gboolean
read_runs (WlCluster *c, K8sReader *r, const K8sTop *top, WlItem *pod)
{
  g_autoptr (GString) text = g_string_new (NULL);
  struct fy_node *status;
  gint64 code;
  void *at = NULL;

  while ((status = k8s_next (k8s_get (top->status, "containerStatuses"), &at)) != NULL) {
    struct fy_node *state = k8s_get (status, "state"), *running = k8s_get (state, "running"), *ended = k8s_get (state, "terminated");
    WlTime start, end;

    if (!read_time (r, ended != NULL ? ended : running, "startedAt", &start) || !read_time (r, ended, "finishedAt", &end))
      return FALSE;
    if (start != WL_TIME_NONE)
      pod->started = pod->started == WL_TIME_NONE ? start : MIN (pod->started, start);
    pod->finished = MAX (pod->finished, end);
    code = 0;
    if (ended != NULL && k8s_get (ended, "exitCode") != NULL && !k8s_field (r, "exitCode", k8s_get (ended, "exitCode"), k8s_int64, &code))
      return FALSE;
    if (pod->exit_code == 0)
      pod->exit_code = (gint32) CLAMP (code, 0, 255);
  }
  pod->phase = vc_arena_strdup (c->arena, k8s_get_text (top->status, "phase", text));
  if (pod->started == WL_TIME_NONE && strcmp (pod->phase, "Running") == 0 && !read_time (r, top->status, "startTime", &pod->started))
    return FALSE;
  if (strcmp (pod->phase, "Failed") == 0 && pod->exit_code == 0)
    pod->exit_code = 1;
  return TRUE;
}

/* Annotation simSpec of k8s-cluster-simulator: a list of phases, each with its seconds. */
static gboolean
read_phases (K8sReader *r, const K8sTop *top, const VcPairs *annotations, WlItem *pod)
{
  const char *text = vc_pairs_get (annotations, "simSpec");
  struct fy_node *phase;
  void *at = NULL;
  gboolean ok = TRUE;
  WlTime sum = 0;

  if (text == NULL)
    return TRUE;
  struct fy_diag_cfg quiet;

  fy_diag_cfg_default (&quiet);
  quiet.fp = NULL;
  struct fy_diag *diag = fy_diag_create (&quiet);
  struct fy_parse_cfg cfg = { .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG, .diag = diag };
  struct fy_document *doc = fy_document_build_from_string (&cfg, text, strlen (text));
  struct fy_node *list = doc != NULL ? fy_document_root (doc) : NULL;
  g_autoptr (GString) number = g_string_new (NULL);

  ok = list != NULL && fy_node_is_sequence (list);
  while (ok && (phase = k8s_next (list, &at)) != NULL) {
    gint64 seconds = 0;

    ok = wl_import_parse_scaled (k8s_get_text (phase, "seconds", number), G_USEC_PER_SEC, 0, WL_TIME_MAX / 4, &seconds, NULL) && sum <= WL_TIME_MAX / 2;
    sum += seconds;
  }
  if (doc != NULL)
    fy_document_destroy (doc);
  fy_diag_destroy (diag);
  pod->phases = sum;
  return ok || k8s_refuse (r, top->metadata, "annotation simSpec: expected a list of phases with seconds, found something else");
}

/* The number at the end of a name, -1: none. */
static gint64
ordinal_of (const char *name)
{
  const char *dash = strrchr (name, '-');
  gint64 n;

  return dash != NULL && g_ascii_string_to_signed (dash + 1, 10, 0, WL_REPLICAS_MAX, &n, NULL) ? n : -1;
}

static gboolean
read_pod (WlCluster *c, K8sReader *r, const K8sTop *top, const K8sMeta *meta, WlItem *pod)
{
  VcPodObject o = { 0 };
  const char *task = vc_pairs_get (&meta->annotations, "volcano.sh/task-spec"), *index = vc_pairs_get (&meta->annotations, "volcano.sh/task-index");
  const char *completion = vc_pairs_get (&meta->annotations, "batch.kubernetes.io/job-completion-index");

  if (!k8s_read_pod (r, top, meta, &o) || !read_runs (c, r, top, pod) || !read_phases (r, top, &meta->annotations, pod))
    return FALSE;
  pod->group = vc_arena_strdup (c->arena, vc_pairs_get (&meta->annotations, c->group_key));
  if (pod->group != NULL && *pod->group == '\0')
    pod->group = NULL;
  pod->task_name = vc_arena_strdup (c->arena, task);
  if (vc_pairs_get (&meta->annotations, "scheduling.volcano.sh/queue-name") == NULL && vc_pairs_get (&meta->labels, c->queue_key) != NULL) {
    pod->queue = vc_arena_strdup (c->arena, vc_pairs_get (&meta->labels, c->queue_key)); /* as controllers write it */
    pod->labelled_queue = TRUE;
  }
  pod->index = ordinal_of (meta->name);
  if (index == NULL)
    index = completion;
  if (index != NULL && !g_ascii_string_to_signed (index, 10, 0, WL_REPLICAS_MAX, &pod->index, NULL))
    pod->index = -1;
  if (o.node != NULL && *o.node != '\0') {
    pod->node = vc_arena_strdup (c->arena, o.node);
    c->pods_with_node++;
  }
  pod->has_priority = o.spec.has_priority;
  pod->priority = o.spec.priority;
  if (o.spec.priority_class != NULL && *o.spec.priority_class != '\0')
    pod->priority_class = vc_arena_strdup (c->arena, o.spec.priority_class);
  pod->labels = vc_pairs_copy (c->arena, &meta->labels);
  if (pod->stated && k8s_get (top->spec, "terminationGracePeriodSeconds") != NULL) {
    g_autoptr (GString) text = g_string_new (NULL);

    pod->grace = vc_arena_strdup (c->arena, k8s_get_text (top->spec, "terminationGracePeriodSeconds", text));
  }
  return TRUE;
}

/* What the status of a workload says of it. */
static const char *
phase_of (WlCluster *c, const K8sTop *top, WlKind kind)
{
  g_autoptr (GString) type = g_string_new (NULL), state = g_string_new (NULL);
  struct fy_node *condition;
  void *at = NULL;

  if (kind == WL_KIND_VCJOB)
    return vc_arena_strdup (c->arena, k8s_get_text (k8s_get (top->status, "state"), "phase", state));
  if (kind == WL_KIND_POD_GROUP)
    return vc_arena_strdup (c->arena, k8s_get_text (top->status, "phase", state));
  while (kind == WL_KIND_BATCH_JOB && (condition = k8s_next (k8s_get (top->status, "conditions"), &at)) != NULL) {
    k8s_get_text (condition, "type", type);
    if ((strcmp (type->str, "Complete") == 0 || strcmp (type->str, "Failed") == 0) && strcmp (k8s_get_text (condition, "status", state), "True") == 0)
      return strcmp (type->str, "Failed") == 0 ? "Failed" : "Complete";
  }
  return "";
}

static gboolean
read_estimate (K8sReader *r, const K8sTop *top, WlItem *item)
{
  struct fy_node *node = k8s_get (top->spec, "runningEstimate");
  g_autoptr (GString) text = g_string_new (NULL);
  gint64 ns;

  if (node == NULL)
    return TRUE;
  if (!vc_go_duration_parse (k8s_scalar (node, text), &ns) || ns < 0)
    return k8s_refuse (r, node, "spec.runningEstimate: expected a time such as 6h0m0s, found %s", text->str);
  item->estimate = ns / 1000;
  return TRUE;
}

/* Parts of cards as KAI has them: a fraction, or so many MiB of the memory, of one card or several. */
static gboolean
read_share (WlCluster *c, K8sReader *r, const K8sTop *top, const VcPairs *annotations, WlImportAmounts *request)
{
  const char *fraction = vc_pairs_get (annotations, "gpu-fraction"), *memory = vc_pairs_get (annotations, "gpu-memory"), *devices = vc_pairs_get (annotations, "gpu-fraction-num-devices");
  gint64 card = MAX (wl_import_number (c->imp, "gpu-memory"), 1), milli = 0, n = 1;

  if (fraction == NULL && memory == NULL)
    return TRUE;
  if (fraction != NULL && !wl_import_parse_scaled (fraction, 1000000, 1, 1000000, &milli, NULL))
    return k8s_refuse (r, top->metadata, "annotation gpu-fraction: expected a part of a card, above 0 and at most 1, found '%s'", fraction);
  if (fraction == NULL && !wl_parse_int (memory, 1, G_MAXINT32, &milli, NULL))
    return k8s_refuse (r, top->metadata, "annotation gpu-memory: expected MiB of a card, found '%s'", memory);
  if (devices != NULL && !wl_parse_int (devices, 1, 1000, &n, NULL))
    return k8s_refuse (r, top->metadata, "annotation gpu-fraction-num-devices: expected 1 to 1000, found '%s'", devices);
  milli = fraction != NULL ? (milli + 999) / 1000 : (milli * 1000 + card - 1) / card;
  if (milli > 1000)
    wl_import_note (c->imp, "parts of cards that are larger than a card (--gpu-memory) are a card", 1);
  request->gpus = (guint32) n;
  request->gpu_milli = (guint32) MIN (milli, 1000);
  c->shares = c->shares || request->gpu_milli < 1000;
  return TRUE;
}

/* ---- all of it ------------------------------------------------------------------------------------------- */

gboolean
wl_item_read (WlCluster *c, K8sReader *r, const K8sTop *top, const K8sMeta *meta, WlKind kind)
{
  WlJobObject job = { 0 };
  g_autoptr (GString) text = g_string_new (NULL);
  WlItem facts = { 0 };

  facts.created = facts.deleted = facts.submit = facts.remove = facts.estimate = facts.started = facts.finished = facts.gone = facts.phases = WL_TIME_NONE;
  facts.owner = WL_N_KINDS;
  facts.index = -1;
  facts.phase = phase_of (c, top, kind);
  if (!k8s_read_as_workload (r, top, meta, kind, c->arrays, &job))
    return FALSE;
  facts.queue = vc_arena_strdup (c->arena, job.queue);
  facts.found_age = job.age;
  facts.found_phase = vc_arena_strdup (c->arena, job.phase);
  if (!wl_item_notes (c, r, top, meta, &facts) || !read_estimate (r, top, &facts)
      || (kind == WL_KIND_POD && !read_pod (c, r, top, meta, &facts)))
    return FALSE;
  facts.foreign = is_foreign (c, kind, &job);
  facts.min_available = job.min_available;
  if (kind != WL_KIND_POD && job.priority_class != NULL)
    facts.priority_class = vc_arena_strdup (c->arena, job.priority_class);
  need_class (c, facts.priority_class);
  facts.n_tasks = job.n_tasks;
  facts.task = vc_arena_new0 (c->arena, WlItemTask, MAX (job.n_tasks, 1));
  for (guint k = 0; k < job.n_tasks; k++)
    read_task (c, &job.task[k], &meta->annotations, &facts.task[k]);
  WlPodText pods = { .volumes = c->keep_volumes, .claims = c->keep_devices, .cards = c->cards, .scheduler = facts.foreign };

  for (guint k = 0; k < job.n_tasks; k++)
    if (facts.task[k].request.cpu_milli >= WL_AMOUNT_MAX || facts.task[k].request.memory >= WL_AMOUNT_MAX)
      return k8s_refuse (r, top->spec, "requests of task '%s': expected amounts below 2^53 (thousandths, or bytes), found larger ones", facts.task[k].name);
  if (c->cards && kind == WL_KIND_POD && facts.n_tasks > 0 && !read_share (c, r, top, &meta->annotations, &facts.task[0].request))
    return FALSE;
  if (c->ends && kind == WL_KIND_POD && facts.n_tasks > 0 && k8s_get (top->spec, "restartPolicy") == NULL) {
    facts.no_policy = TRUE;
    facts.task[0].always = FALSE;
    wl_import_default (c->imp, "restartPolicy (Never)");
  }
  if (!wl_manifest_workload (r, top, meta, kind, &pods, text))
    return FALSE;
  WlItem *item = wl_item_new (c, kind, wl_cluster_kind (top), meta->ns, meta->name);

  facts.kind = kind;
  facts.object = item->object;
  facts.ns = item->ns;
  facts.name = facts.out_name = item->name;
  *item = facts;
  item->text = vc_arena_strdup (c->arena, text->str);
  wl_import_note (c->imp, "volumes with claims are left out: the objects have no CSINodes", pods.left_volumes);
  wl_import_note (c->imp, "claims on devices are left out", pods.left_claims);
  return TRUE;
}
