#include "extender-json.h"
#include "core/base/json.h"
#include "core/model/quota.h"

#define REVOCABLE_ZONE "volcano.sh/revocable-zone"

/* ---- small parts ------------------------------------------------------------------------------ */

static void
put_text (GString *out, const char *key, const char *text)
{
  vc_json_key (out, key);
  vc_json_text (out, text != NULL ? text : "");
}

static void
put_int (GString *out, const char *key, gint64 v)
{
  vc_json_key (out, key);
  vc_json_int (out, v);
}

static void
put_bool (GString *out, const char *key, gboolean v)
{
  vc_json_key (out, key);
  vc_json_bool (out, v);
}

static void
put_raw (GString *out, const char *key, const char *json)
{
  vc_json_key (out, key);
  g_string_append (out, json);
}

static void
open_map (GString *out, const char *key)
{
  put_raw (out, key, "{");
}

static void
close_map (GString *out)
{
  g_string_append_c (out, '}');
}

/* A list: the comma before each item but the first. */
static void
item (GString *out)
{
  if (out->str[out->len - 1] != '[')
    g_string_append_c (out, ',');
}

/* RFC 3339 in UTC; Go's zero time where none is given. */
static char *
time_text (gint64 us)
{
  g_autoptr (GDateTime) t = g_date_time_new_from_unix_utc (us / G_USEC_PER_SEC - (us % G_USEC_PER_SEC < 0));
  gint64 fraction = us % G_USEC_PER_SEC;

  if (t == NULL || us / G_USEC_PER_SEC <= VC_NO_TIME)
    return g_strdup ("0001-01-01T00:00:00Z");
  g_autofree char *seconds = g_date_time_format (t, "%Y-%m-%dT%H:%M:%S");
  if (fraction == 0)
    return g_strconcat (seconds, "Z", NULL);
  g_autofree char *digits = g_strdup_printf ("%06d", (int) (fraction < 0 ? fraction + G_USEC_PER_SEC : fraction));
  for (gsize n = strlen (digits); digits[n - 1] == '0'; n--)
    digits[n - 1] = '\0';
  return g_strconcat (seconds, ".", digits, "Z", NULL);
}

/* metav1.Time: null when zero. */
static void
put_time (GString *out, const char *key, gint64 seconds)
{
  if (seconds == VC_NO_TIME) {
    put_raw (out, key, "null");
    return;
  }
  g_autofree char *text = time_text (seconds * G_USEC_PER_SEC);
  put_text (out, key, text);
}

static void
put_pairs (GString *out, const char *key, const VcPairs *pairs)
{
  if (pairs->n == 0)
    return;
  open_map (out, key);
  for (guint i = 0; i < pairs->n; i++)
    put_text (out, pairs->item[i].key, pairs->item[i].value);
  close_map (out);
}

static void
put_quantity (GString *out, const char *key, VcQuantity q)
{
  g_autofree char *text = q.milli % 1000 != 0 && q.milli != G_MAXINT64 ? g_strdup_printf ("%" G_GINT64_FORMAT "m", q.milli)
                                                                       : g_strdup_printf ("%" G_GINT64_FORMAT, q.value);
  put_text (out, key, text);
}

static void
put_amounts (GString *out, const char *key, const VcAmounts *a)
{
  if (a->n == 0)
    return;
  open_map (out, key);
  for (guint i = 0; i < a->n; i++)
    put_quantity (out, a->item[i].name, a->item[i].q);
  close_map (out);
}

/* A vector as api.Resource. */
static void
put_resource (GString *out, const char *key, const VcCluster *c, const VcRes *r, gint64 max_tasks)
{
  open_map (out, key);
  vc_json_key (out, "MilliCPU");
  vc_json_number (out, r->v[VC_RES_CPU]);
  vc_json_key (out, "Memory");
  vc_json_number (out, r->v[VC_RES_MEMORY]);
  if (!r->map) {
    put_raw (out, "ScalarResources", "null");
  } else {
    open_map (out, "ScalarResources");
    for (guint d = VC_RES_FIRST_SCALAR; d < c->n_res; d++)
      if (vc_res_has (r, d)) {
        vc_json_key (out, vc_res_names_get (c->names, d));
        vc_json_number (out, r->v[d]);
      }
    close_map (out);
  }
  put_int (out, "MaxTaskNum", max_tasks);
  close_map (out);
}

/* A column of the node table; every scalar that is not zero is present. */
static void
put_column (GString *out, const char *key, const VcCluster *c, double *const *column, guint32 node, gint64 max_tasks)
{
  VC_RES_LOCAL (r, c->n_res);

  r->v[VC_RES_CPU] = column[VC_RES_CPU][node];
  r->v[VC_RES_MEMORY] = column[VC_RES_MEMORY][node];
  for (guint d = VC_RES_FIRST_SCALAR; d < c->n_res; d++)
    if (column[d][node] != 0 || vc_res_has (c->nodes.info[node].allocatable, d))
      vc_res_set (r, d, column[d][node]);
  put_resource (out, key, c, r, max_tasks);
}

/* A vector as a ResourceList. */
static void
put_resource_list (GString *out, const char *key, const VcCluster *c, const VcRes *r)
{
  guint pods = vc_res_names_pods (c->names);
  gboolean first = TRUE;

  for (guint d = 0; d < c->n_res; d++) {
    gboolean milli = d != VC_RES_MEMORY && d != pods;
    if (d < VC_RES_FIRST_SCALAR ? r->v[d] == 0 : !vc_res_has (r, d))
      continue;
    if (first)
      open_map (out, key);
    first = FALSE;
    gint64 v = (gint64) r->v[d];
    put_quantity (out, vc_res_names_get (c->names, d), milli ? (VcQuantity) { v / 1000, v } : (VcQuantity) { v, 0 });
  }
  if (!first)
    close_map (out);
}

/* ---- pods and tasks --------------------------------------------------------------------------- */

static void
put_containers (GString *out, const char *key, const VcPodSpec *s, gboolean init)
{
  put_raw (out, key, "[");
  for (guint i = 0; i < s->n_containers; i++) {
    const VcContainer *k = &s->container[i];

    if (k->init != init)
      continue;
    item (out);
    g_string_append_c (out, '{');
    put_text (out, "name", k->name);
    if (k->image != NULL)
      put_text (out, "image", k->image);
    if (k->n_ports > 0) {
      put_raw (out, "ports", "[");
      for (guint p = 0; p < k->n_ports; p++) {
        item (out);
        g_string_append_c (out, '{');
        put_int (out, "hostPort", k->port[p].port);
        put_text (out, "protocol", k->port[p].protocol);
        put_text (out, "hostIP", k->port[p].ip);
        close_map (out);
      }
      g_string_append_c (out, ']');
    }
    open_map (out, "resources");
    put_amounts (out, "limits", &k->limit);
    put_amounts (out, "requests", &k->request);
    close_map (out);
    if (k->sidecar)
      put_text (out, "restartPolicy", "Always");
    close_map (out);
  }
  g_string_append_c (out, ']');
}

static void
put_expressions (GString *out, const char *key, const VcExpression *e, guint n)
{
  static const char *const name[] = { [VC_OP_IN] = "In", [VC_OP_NOT_IN] = "NotIn", [VC_OP_EXISTS] = "Exists", [VC_OP_DOES_NOT_EXIST] = "DoesNotExist",
                                      [VC_OP_GT] = "Gt", [VC_OP_LT] = "Lt", [VC_OP_UNKNOWN] = "" };

  if (n == 0)
    return;
  put_raw (out, key, "[");
  for (guint i = 0; i < n; i++) {
    item (out);
    g_string_append_c (out, '{');
    put_text (out, "key", e[i].key);
    put_text (out, "operator", name[e[i].op]);
    if (e[i].n_values > 0) {
      put_raw (out, "values", "[");
      for (guint v = 0; v < e[i].n_values; v++) {
        item (out);
        vc_json_text (out, e[i].value[v]);
      }
      g_string_append_c (out, ']');
    }
    close_map (out);
  }
  g_string_append_c (out, ']');
}

static void
put_term (GString *out, const VcNodeTerm *t)
{
  g_string_append_c (out, '{');
  put_expressions (out, "matchExpressions", t->label, t->n_labels);
  put_expressions (out, "matchFields", t->field, t->n_fields);
  close_map (out);
}

static void
put_affinity (GString *out, const VcPodSpec *s)
{
  if (!s->has_required && s->n_preferred == 0)
    return;
  open_map (out, "affinity");
  open_map (out, "nodeAffinity");
  if (s->has_required) {
    open_map (out, "requiredDuringSchedulingIgnoredDuringExecution");
    put_raw (out, "nodeSelectorTerms", "[");
    for (guint i = 0; i < s->n_required; i++) {
      item (out);
      put_term (out, &s->required[i]);
    }
    g_string_append (out, "]}");
  }
  if (s->n_preferred > 0) {
    put_raw (out, "preferredDuringSchedulingIgnoredDuringExecution", "[");
    for (guint i = 0; i < s->n_preferred; i++) {
      item (out);
      g_string_append_c (out, '{');
      put_int (out, "weight", s->preferred[i].weight);
      vc_json_key (out, "preference");
      put_term (out, &s->preferred[i]);
      close_map (out);
    }
    g_string_append_c (out, ']');
  }
  g_string_append (out, "}}");
}

static void
put_tolerations (GString *out, const VcPodSpec *s)
{
  if (s->n_tolerations == 0)
    return;
  put_raw (out, "tolerations", "[");
  for (guint i = 0; i < s->n_tolerations; i++) {
    const VcToleration *t = &s->toleration[i];

    item (out);
    g_string_append_c (out, '{');
    if (t->key != NULL && *t->key != '\0')
      put_text (out, "key", t->key);
    if (t->op != VC_TOLERATE_OTHER)
      put_text (out, "operator", t->op == VC_TOLERATE_EXISTS ? "Exists" : "Equal");
    if (t->value != NULL && *t->value != '\0')
      put_text (out, "value", t->value);
    if (t->effect != NULL && *t->effect != '\0')
      put_text (out, "effect", t->effect);
    if (t->bounded)
      put_int (out, "tolerationSeconds", t->seconds);
    close_map (out);
  }
  g_string_append_c (out, ']');
}

static void
put_pod (GString *out, const VcCluster *c, const VcTask *t)
{
  static const char *const phase[VC_N_STATUS] = {
    [VC_PENDING] = "Pending",   [VC_ALLOCATED] = "Pending",   [VC_PIPELINED] = "Pending", [VC_BINDING] = "Pending", [VC_BOUND] = "Pending",
    [VC_RUNNING] = "Running",   [VC_RELEASING] = "Running",   [VC_SUCCEEDED] = "Succeeded", [VC_FAILED] = "Failed", [VC_UNKNOWN] = "Unknown",
  };
  const VcPodSpec *s = &t->shape->spec;

  open_map (out, "Pod");
  open_map (out, "metadata");
  put_text (out, "name", t->name);
  put_text (out, "namespace", t->ns);
  put_text (out, "uid", t->uid);
  put_time (out, "creationTimestamp", t->created);
  put_pairs (out, "labels", &t->meta->labels);
  put_pairs (out, "annotations", &t->meta->annotations);
  close_map (out);
  open_map (out, "spec");
  put_containers (out, "initContainers", s, TRUE);
  put_containers (out, "containers", s, FALSE);
  put_pairs (out, "nodeSelector", &s->node_selector);
  if (t->node != VC_NONE && t->status != VC_ALLOCATED && t->status != VC_PIPELINED && t->status != VC_PENDING)
    put_text (out, "nodeName", c->nodes.info[t->node].name);
  put_affinity (out, s);
  put_tolerations (out, s);
  if (t->has_pod_priority)
    put_int (out, "priority", t->pod_priority);
  if (t->never_preempts)
    put_text (out, "preemptionPolicy", "Never");
  put_amounts (out, "overhead", &s->overhead);
  close_map (out);
  open_map (out, "status");
  put_text (out, "phase", phase[t->status]);
  if (t->nominated < c->nodes.n)
    put_text (out, "nominatedNodeName", c->nodes.info[t->nominated].name);
  if (t->start_time != VC_NO_TIME)
    put_time (out, "startTime", t->start_time);
  close_map (out);
  close_map (out);
}

/* The fields of a TransactionContext. */
static void
put_transaction (GString *out, const VcCluster *c, guint32 node, gboolean evicted, guint status)
{
  put_text (out, "NodeName", node < c->nodes.n ? c->nodes.info[node].name : "");
  put_bool (out, "EvictionOccurred", evicted);
  put_text (out, "JobAllocatedHyperNode", "");
  put_int (out, "Status", G_GINT64_CONSTANT (1) << status);
}

void
vc_extender_task (GString *out, const VcCluster *c, guint32 task)
{
  const VcTask *t = &c->task[task];
  const VcJob *j = t->job != VC_NONE ? &c->job[t->job] : NULL;
  gboolean sidecar = FALSE;

  for (guint i = 0; i < t->shape->spec.n_containers; i++)
    sidecar |= t->shape->spec.container[i].sidecar;
  g_string_append_c (out, '{');
  put_text (out, "UID", t->uid);
  put_text (out, "Job", j != NULL ? j->key : "");
  put_text (out, "Name", t->name);
  put_text (out, "Namespace", t->ns);
  put_text (out, "TaskRole", j != NULL && t->role < j->n_roles ? j->role[t->role].name : "");
  put_resource (out, "Resreq", c, t->shape->request, 0);
  put_resource (out, "InitResreq", c, t->shape->request, 0);
  put_raw (out, "DRAResreq", "null");
  put_raw (out, "ResourceClaimKeys", "null");
  put_raw (out, "ResourceClaimDRAResreq", "null");
  put_transaction (out, c, t->node, t->evicted_for, t->status);
  if (t->last_status == VC_N_STATUS) {
    put_raw (out, "LastTransaction", "null");
  } else {
    open_map (out, "LastTransaction");
    put_transaction (out, c, t->last_node, t->last_evicted, t->last_status);
    close_map (out);
  }
  put_int (out, "Priority", t->priority);
  put_bool (out, "VolumeReady", FALSE);
  put_bool (out, "Preemptable", t->preemptable);
  put_bool (out, "BestEffort", t->best_effort);
  put_bool (out, "HasRestartableInitContainer", sidecar);
  put_bool (out, "SchGated", t->gated);
  put_text (out, "RevocableZone", t->revocable ? "*" : "");
  put_raw (out, "NumaInfo", "null");
  put_pod (out, c, t);
  if (t->meta->annotations.n > 0)
    put_pairs (out, "PodAnnotations", &t->meta->annotations);
  else
    put_raw (out, "PodAnnotations", "null");
  put_bool (out, "CustomBindErrHandlerSucceeded", FALSE);
  close_map (out);
}

/* ---- nodes ------------------------------------------------------------------------------------ */

static int
compare_keys (gconstpointer a, gconstpointer b, gpointer user)
{
  const VcTask *task = user;
  return strcmp (task[*(const guint32 *) a].key, task[*(const guint32 *) b].key);
}

static void
put_usage (GString *out, const VcNodeUsage *u)
{
  g_autofree char *when = time_text (u != NULL ? u->time_us : VC_NO_TIME * G_USEC_PER_SEC);

  open_map (out, "ResourceUsage");
  put_text (out, "MetricsTime", when);
  for (guint k = 0; k < 2; k++) {
    if (u == NULL) {
      put_raw (out, k == 0 ? "CPUUsageAvg" : "MEMUsageAvg", "null");
      continue;
    }
    open_map (out, k == 0 ? "CPUUsageAvg" : "MEMUsageAvg");
    for (guint i = 0; i < u->n; i++) {
      vc_json_key (out, u->average[i].period);
      vc_json_number (out, k == 0 ? u->average[i].cpu : u->average[i].memory);
    }
    close_map (out);
  }
  close_map (out);
}

static void
put_node_object (GString *out, const VcCluster *c, const VcNode *n)
{
  VC_RES_LOCAL (r, c->n_res);

  open_map (out, "Node");
  open_map (out, "metadata");
  put_text (out, "name", n->name);
  put_raw (out, "creationTimestamp", "null");
  put_pairs (out, "labels", &n->facts.labels);
  close_map (out);
  open_map (out, "spec");
  if (n->facts.n_taints > 0) {
    put_raw (out, "taints", "[");
    for (guint i = 0; i < n->facts.n_taints; i++) {
      const VcTaint *t = &n->facts.taint[i];
      item (out);
      g_string_append_c (out, '{');
      put_text (out, "key", t->key);
      if (t->value != NULL && *t->value != '\0')
        put_text (out, "value", t->value);
      put_text (out, "effect", t->effect);
      close_map (out);
    }
    g_string_append_c (out, ']');
  }
  if (n->facts.unschedulable)
    put_bool (out, "unschedulable", TRUE);
  close_map (out);
  open_map (out, "status"); /* the object's own figures, without oversubscription */
  vc_res_copy (r, n->capacity);
  r->v[VC_RES_CPU] -= n->oversub_cpu;
  r->v[VC_RES_MEMORY] -= n->oversub_memory;
  put_resource_list (out, "capacity", c, r);
  vc_res_copy (r, n->allocatable);
  r->v[VC_RES_CPU] -= n->oversub_cpu;
  r->v[VC_RES_MEMORY] -= n->oversub_memory;
  put_resource_list (out, "allocatable", c, r);
  close_map (out);
  close_map (out);
}

void
vc_extender_node (GString *out, const VcCluster *c, guint32 node)
{
  const VcNode *n = &c->nodes.info[node];
  const VcNodes *all = &c->nodes;
  g_autofree guint32 *tasks = g_memdup2 (n->task, n->n_tasks * sizeof *tasks);
  const char *zone = vc_pairs_get (&n->facts.labels, REVOCABLE_ZONE);
  VC_RES_LOCAL (over, c->n_res);

  if (n->n_tasks > 1)
    g_qsort_with_data (tasks, (int) n->n_tasks, sizeof *tasks, compare_keys, c->task);
  over->v[VC_RES_CPU] = n->oversub_cpu;
  over->v[VC_RES_MEMORY] = n->oversub_memory;
  g_string_append_c (out, '{');
  put_text (out, "Name", n->name);
  put_node_object (out, c, n);
  put_raw (out, "State", n->ready ? "{\"Phase\":1,\"Reason\":\"\"}" : "{\"Phase\":2,\"Reason\":\"UnInitialized\"}");
  put_column (out, "Releasing", c, all->releasing, node, 0);
  put_column (out, "Pipelined", c, all->pipelined, node, 0);
  put_column (out, "Idle", c, all->idle, node, n->max_pods);
  put_column (out, "Used", c, all->used, node, 0);
  put_resource (out, "Allocatable", c, n->allocatable, n->max_pods);
  put_resource (out, "Capacity", c, n->capacity, (gint64) n->capacity->v[vc_res_names_pods (c->names)]);
  put_usage (out, n->usage);
  open_map (out, "Tasks");
  for (guint32 i = 0; i < n->n_tasks; i++) {
    vc_json_key (out, c->task[tasks[i]].key);
    vc_extender_task (out, c, tasks[i]);
  }
  close_map (out);
  put_raw (out, "NumaInfo", "null");
  put_raw (out, "UnassignedNumaPods", "null");
  put_raw (out, "NumaSchedulerInfo", "null");
  put_text (out, "RevocableZone", zone);
  put_raw (out, "Others", "{}");
  put_bool (out, "OversubscriptionNode", n->oversub_cpu != 0 || n->oversub_memory != 0);
  put_bool (out, "OfflineJobEvicting", FALSE);
  put_resource (out, "OversubscriptionResource", c, over, 0);
  put_raw (out, "ImageStates", "{}");
  put_int (out, "Generation", 0);
  put_int (out, "BindGeneration", 0);
  close_map (out);
}

/* ---- jobs and queues -------------------------------------------------------------------------- */

static int
compare_status_texts (const void *a, const void *b)
{
  g_autofree char *l = g_strdup_printf ("%d", 1 << *(const int *) a), *r = g_strdup_printf ("%d", 1 << *(const int *) b);
  return strcmp (l, r);
}

static void
put_tasks (GString *out, const VcCluster *c, const VcJob *j, int status)
{
  g_string_append_c (out, '{');
  for (guint32 i = 0; i < j->n_tasks; i++)
    if (status < 0 || c->task[j->task[i]].status == status) {
      vc_json_key (out, c->task[j->task[i]].uid);
      vc_extender_task (out, c, j->task[i]);
    }
  g_string_append_c (out, '}');
}

static void
put_role_minimums (GString *out, const char *key, const VcJob *j)
{
  open_map (out, key);
  for (guint i = 0; i < j->n_roles; i++)
    if (j->role[i].min >= 0)
      put_int (out, j->role[i].name, j->role[i].min);
  close_map (out);
}

static void
put_pod_group (GString *out, const VcJob *j)
{
  if (!j->has_pg) {
    put_raw (out, "PodGroup", "null");
    return;
  }
  open_map (out, "PodGroup");
  open_map (out, "metadata");
  put_text (out, "name", j->name);
  put_text (out, "namespace", j->ns);
  put_time (out, "creationTimestamp", j->created);
  put_pairs (out, "labels", &j->meta->labels);
  put_pairs (out, "annotations", &j->meta->annotations);
  close_map (out);
  open_map (out, "spec");
  if (j->min_available != 0)
    put_int (out, "minMember", j->min_available);
  if (j->role_min_total != 0)
    put_role_minimums (out, "minTaskMember", j);
  put_text (out, "queue", j->queue_name);
  if (j->priority_class != NULL)
    put_text (out, "priorityClassName", j->priority_class);
  if (j->min_list != NULL && j->min_list->n > 0)
    put_amounts (out, "minResources", j->min_list);
  else if (j->has_min_resources)
    put_raw (out, "minResources", "{}");
  close_map (out);
  open_map (out, "status");
  if (*j->phase_text != '\0' || j->phase != VC_PG_EMPTY)
    put_text (out, "phase", j->phase == VC_PG_OTHER ? j->phase_text : vc_pg_phase_names[j->phase]);
  if (j->n_conds > 0) {
    put_raw (out, "conditions", "[");
    for (guint i = 0; i < j->n_conds; i++) {
      item (out);
      g_string_append_c (out, '{');
      put_text (out, "type", j->cond[i].type);
      put_text (out, "status", j->cond[i].status);
      put_text (out, "reason", j->cond[i].reason);
      if (j->cond[i].message != NULL)
        put_text (out, "message", j->cond[i].message);
      close_map (out);
    }
    g_string_append_c (out, ']');
  }
  if (j->running > 0)
    put_int (out, "running", j->running);
  if (j->succeeded > 0)
    put_int (out, "succeeded", j->succeeded);
  if (j->failed > 0)
    put_int (out, "failed", j->failed);
  close_map (out);
  put_text (out, "Version", "v1beta1");
  close_map (out);
}

void
vc_extender_job (GString *out, const VcCluster *c, guint32 job)
{
  const VcJob *j = &c->job[job];
  int order[VC_N_STATUS];

  g_string_append_c (out, '{');
  put_text (out, "UID", j->key);
  put_text (out, "PgUID", "");
  put_text (out, "Name", j->name);
  put_text (out, "Namespace", j->ns);
  put_text (out, "Queue", j->queue_name);
  put_int (out, "Priority", j->priority);
  put_int (out, "MinAvailable", j->min_available);
  if (j->waiting_time_ns > 0)
    put_int (out, "WaitingTime", j->waiting_time_ns);
  else
    put_raw (out, "WaitingTime", "null");
  put_text (out, "JobFitErrors", "");
  put_raw (out, "NodesFitErrors", "{}");
  put_text (out, "AllocatedHyperNode", "");
  put_raw (out, "NetworkTopology", "null");
  put_raw (out, "SubJobs", "{}");
  put_raw (out, "TaskToSubJob", "{}");
  put_raw (out, "MinSubJobs", "{}");
  open_map (out, "TaskStatusIndex");
  for (int s = 0; s < VC_N_STATUS; s++)
    order[s] = s;
  qsort (order, VC_N_STATUS, sizeof order[0], compare_status_texts); /* keys of a map go by their text */
  for (guint i = 0; i < VC_N_STATUS; i++)
    if (j->count[order[i]] > 0) {
      g_autofree char *key = g_strdup_printf ("%d", 1 << order[i]);
      vc_json_key (out, key);
      put_tasks (out, c, j, order[i]);
    }
  close_map (out);
  vc_json_key (out, "Tasks");
  put_tasks (out, c, j, -1);
  put_role_minimums (out, "TaskMinAvailable", j);
  put_int (out, "TaskMinAvailableTotal", j->role_min_total);
  put_resource (out, "Allocated", c, j->allocated, 0);
  put_resource (out, "TotalRequest", c, j->total, 0);
  put_time (out, "CreationTimestamp", j->created);
  put_pod_group (out, j);
  put_raw (out, "ScheduleStartTimestamp", "null");
  put_bool (out, "Preemptable", j->preemptable);
  put_text (out, "RevocableZone", j->revocable ? "*" : "");
  put_raw (out, "Budget", "null");
  close_map (out);
}

void
vc_extender_queue (GString *out, const VcCluster *c, guint32 queue)
{
  const VcQueue *q = &c->queue[queue];
  const char *weights = vc_pairs_get (&q->meta->annotations, "volcano.sh/hierarchy-weights");
  const char *hierarchy = vc_pairs_get (&q->meta->annotations, "volcano.sh/hierarchy");

  g_string_append_c (out, '{');
  put_text (out, "UID", q->name);
  put_text (out, "Name", q->name);
  put_int (out, "Weight", q->weight);
  put_text (out, "Weights", weights);
  put_text (out, "Hierarchy", hierarchy);
  open_map (out, "Queue");
  open_map (out, "metadata");
  put_text (out, "name", q->name);
  put_time (out, "creationTimestamp", q->created);
  put_pairs (out, "annotations", &q->meta->annotations);
  close_map (out);
  open_map (out, "spec");
  if (q->weight != 0)
    put_int (out, "weight", q->weight);
  put_resource_list (out, "capability", c, q->capability);
  put_bool (out, "reclaimable", q->reclaimable);
  open_map (out, "guarantee");
  put_resource_list (out, "resource", c, q->guarantee);
  close_map (out);
  if (*q->parent != '\0')
    put_text (out, "parent", q->parent);
  put_resource_list (out, "deserved", c, q->deserved);
  if (q->priority != 0)
    put_int (out, "priority", q->priority);
  close_map (out);
  open_map (out, "status");
  if (*q->state != '\0')
    put_text (out, "state", q->state);
  put_raw (out, "reservation", "{}");
  put_resource_list (out, "allocated", c, q->status_allocated);
  close_map (out);
  close_map (out);
  close_map (out);
}

/* ---- the session ------------------------------------------------------------------------------ */

static int
compare_quotas (gconstpointer a, gconstpointer b)
{
  const VcQuota *l = *(VcQuota *const *) a, *r = *(VcQuota *const *) b;
  int by_ns = strcmp (l->ns, r->ns);
  return by_ns != 0 ? by_ns : strcmp (l->name, r->name);
}

/* Namespaces that have quotas. */
static void
put_namespaces (GString *out, const VcCluster *c)
{
  guint n = c->quotas != NULL ? c->quotas->len : 0;
  g_autofree gpointer *quota = n > 0 ? g_memdup2 (c->quotas->pdata, n * sizeof *quota) : NULL;

  if (n > 1)
    qsort (quota, n, sizeof *quota, compare_quotas);
  open_map (out, "NamespaceInfo");
  for (guint i = 0; i < n;) {
    const char *ns = ((const VcQuota *) quota[i])->ns;

    open_map (out, ns);
    put_text (out, "Name", ns);
    open_map (out, "QuotaStatus");
    for (; i < n && strcmp (((const VcQuota *) quota[i])->ns, ns) == 0; i++) {
      const VcQuota *q = quota[i];
      open_map (out, q->name);
      put_amounts (out, "hard", &q->hard);
      put_amounts (out, "used", &q->used);
      close_map (out);
    }
    g_string_append (out, "}}");
  }
  close_map (out);
}

static void
put_nodes (GString *out, const char *key, VcCluster *c, gboolean revocable)
{
  const guint32 *rows = vc_cluster_nodes_by_name (c);

  open_map (out, key);
  for (guint32 i = 0; i < c->nodes.n_list; i++) {
    const VcNode *n = &c->nodes.info[rows[i]];
    const char *zone = vc_pairs_get (&n->facts.labels, REVOCABLE_ZONE);

    if (revocable && (zone == NULL || *zone == '\0'))
      continue;
    vc_json_key (out, n->name);
    vc_extender_node (out, c, rows[i]);
  }
  close_map (out);
}

void
vc_extender_session (GString *out, VcSession *ssn)
{
  VcCluster *c = vc_session_cluster (ssn);
  guint n;
  const guint32 *rows = vc_session_jobs (ssn, &n);

  g_string_append_c (out, '{');
  open_map (out, "Jobs");
  for (guint i = 0; i < n; i++) {
    vc_json_key (out, c->job[rows[i]].key);
    vc_extender_job (out, c, rows[i]);
  }
  close_map (out);
  put_nodes (out, "Nodes", c, FALSE);
  open_map (out, "Queues");
  rows = vc_session_queues (ssn, &n);
  for (guint i = 0; i < n; i++) {
    vc_json_key (out, c->queue[rows[i]].name);
    vc_extender_queue (out, c, rows[i]);
  }
  close_map (out);
  put_namespaces (out, c);
  put_nodes (out, "RevocableNodes", c, TRUE);
  put_raw (out, "NodeList", "null");
  close_map (out);
}
