#include "save-cycle.h"
#include "cycle.h"
#include "save-private.h"
#include "sim/commands.h"
#include <string.h>

typedef struct {
  RpJson j;
  const VcCluster *c;
  const char *scheduler;
} Writer;

static gboolean
refuse (GError **error, const char *what, const char *of)
{
  g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "a cycle with %s cannot be saved as objects%s%s", what, of != NULL ? ": " : "", of != NULL ? of : "");
  return FALSE;
}

/* ---- values -------------------------------------------------------------------------------------- */

static void
put_time (RpJson *j, const char *key, gint64 second)
{
  g_autoptr (GDateTime) t = second != VC_NO_TIME ? g_date_time_new_from_unix_utc (second) : NULL;
  g_autofree char *text = t != NULL ? g_date_time_format (t, "%Y-%m-%dT%H:%M:%SZ") : NULL;

  if (text != NULL)
    rp_json_text (j, key, text);
}

void
sim_save_pairs (RpJson *j, const char *key, const VcPairs *pairs)
{
  if (pairs->n == 0)
    return;
  rp_json_begin_object (j, key);
  for (guint i = 0; i < pairs->n; i++)
    rp_json_text (j, pairs->item[i].key, pairs->item[i].value);
  rp_json_end_object (j);
}

static void
put_milli (RpJson *j, const char *key, gint64 value, gint64 milli)
{
  gboolean whole = milli % 1000 == 0 || value > G_MAXINT64 / 1000; /* thousandths have no room for more */
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT "%s", whole ? value : milli, whole ? "" : "m");

  rp_json_text (j, key, text);
}

void
sim_save_amounts (RpJson *j, const char *key, const VcAmounts *a)
{
  if (!a->given)
    return;
  rp_json_begin_object (j, key);
  for (guint i = 0; i < a->n; i++)
    put_milli (j, a->item[i].name, a->item[i].q.value, a->item[i].q.milli);
  rp_json_end_object (j);
}

static gboolean
is_whole (const VcCluster *c, guint d)
{
  return d == VC_RES_MEMORY || d == vc_res_names_pods (c->names);
}

static void
put_vector (const Writer *w, RpJson *j, const char *key, const VcRes *r)
{
  if (r->has == 0 && r->v[VC_RES_CPU] == 0 && r->v[VC_RES_MEMORY] == 0)
    return;
  rp_json_begin_object (j, key);
  for (guint d = 0; d < w->c->n_res; d++) {
    gint64 v = (gint64) r->v[d];

    if (d < VC_RES_FIRST_SCALAR ? v == 0 : !vc_res_has (r, d))
      continue;
    put_milli (j, vc_res_names_get (w->c->names, d), is_whole (w->c, d) ? v : v / 1000, is_whole (w->c, d) ? 0 : v);
  }
  rp_json_end_object (j);
}

void
sim_save_begin (RpJson *j, const char *api, const char *kind)
{
  rp_json_begin_object (j, NULL);
  rp_json_text (j, "apiVersion", api);
  rp_json_text (j, "kind", kind);
}

/* ---- nodes, queues, classes ---------------------------------------------------------------------- */

static gboolean
put_node (Writer *w, const VcNode *n, GError **error)
{
  RpJson *j = &w->j;

  if (n->usage != NULL)
    return refuse (error, "measured loads of nodes", n->name);
  if (n->oversub_cpu > 0 || n->oversub_memory > 0)
    return refuse (error, "oversubscribed nodes", n->name);
  sim_save_begin (j, "v1", "Node");
  rp_json_begin_object (j, "metadata");
  rp_json_text (j, "name", n->name);
  sim_save_pairs (j, "labels", &n->facts.labels);
  sim_save_pairs (j, "annotations", &n->annotations);
  rp_json_end_object (j);
  rp_json_begin_object (j, "spec");
  if (n->facts.unschedulable)
    rp_json_bool (j, "unschedulable", TRUE);
  if (n->facts.n_taints > 0) {
    rp_json_begin_array (j, "taints");
    for (guint i = 0; i < n->facts.n_taints; i++) {
      const VcTaint *t = &n->facts.taint[i];

      rp_json_begin_object (j, NULL);
      rp_json_text (j, "key", t->key);
      rp_json_text (j, "value", t->value);
      rp_json_text (j, "effect", t->effect);
      rp_json_end_object (j);
    }
    rp_json_end_array (j);
  }
  rp_json_end_object (j);
  rp_json_begin_object (j, "status");
  put_vector (w, j, "allocatable", n->allocatable);
  put_vector (w, j, "capacity", n->capacity);
  if (n->n_images > 0) {
    rp_json_begin_array (j, "images");
    for (guint i = 0; i < n->n_images; i++) {
      rp_json_begin_object (j, NULL);
      rp_json_begin_array (j, "names");
      rp_json_text (j, NULL, n->image[i].name);
      rp_json_end_array (j);
      rp_json_int (j, "sizeBytes", n->image[i].size);
      rp_json_end_object (j);
    }
    rp_json_end_array (j);
  }
  rp_json_end_object (j);
  rp_json_end_object (j);
  return TRUE;
}

static gboolean
put_queue (Writer *w, const VcQueue *q, GError **error)
{
  RpJson *j = &w->j;

  if (q->devices != NULL)
    return refuse (error, "quotas of devices", q->name);
  sim_save_begin (j, "scheduling.volcano.sh/v1beta1", "Queue");
  rp_json_begin_object (j, "metadata");
  rp_json_text (j, "name", q->name);
  put_time (j, "creationTimestamp", q->created);
  sim_save_pairs (j, "labels", &q->meta->labels);
  sim_save_pairs (j, "annotations", &q->meta->annotations);
  rp_json_end_object (j);
  rp_json_begin_object (j, "spec");
  rp_json_int (j, "weight", q->weight);
  rp_json_int (j, "priority", q->priority);
  rp_json_bool (j, "reclaimable", q->reclaimable);
  if (*q->parent != '\0')
    rp_json_text (j, "parent", q->parent);
  if (q->has_capability)
    put_vector (w, j, "capability", q->capability);
  put_vector (w, j, "deserved", q->deserved);
  sim_save_node_groups (j, q->groups);
  rp_json_begin_object (j, "guarantee");
  put_vector (w, j, "resource", q->guarantee);
  rp_json_end_object (j);
  rp_json_end_object (j);
  rp_json_begin_object (j, "status");
  rp_json_text (j, "state", q->state);
  rp_json_end_object (j);
  rp_json_end_object (j);
  return TRUE;
}

static void
put_classes (Writer *w)
{
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (w->c->classes), (GCompareFunc) strcmp);

  for (const GList *l = names; l != NULL; l = l->next) {
    const VcPriorityClassObject *o = g_hash_table_lookup (w->c->classes, l->data);

    sim_save_begin (&w->j, "scheduling.k8s.io/v1", "PriorityClass");
    rp_json_begin_object (&w->j, "metadata");
    rp_json_text (&w->j, "name", o->name);
    rp_json_end_object (&w->j);
    rp_json_int (&w->j, "value", o->value);
    if (o->global_default)
      rp_json_bool (&w->j, "globalDefault", TRUE);
    rp_json_end_object (&w->j);
  }
}

/* ---- PodGroups ----------------------------------------------------------------------------------- */

static void
put_group (Writer *w, const VcJob *job)
{
  RpJson *j = &w->j;

  sim_save_begin (j, "scheduling.volcano.sh/v1beta1", "PodGroup");
  rp_json_begin_object (j, "metadata");
  rp_json_text (j, "namespace", job->ns);
  rp_json_text (j, "name", job->name);
  put_time (j, "creationTimestamp", job->created);
  sim_save_pairs (j, "labels", &job->meta->labels);
  sim_save_pairs (j, "annotations", &job->meta->annotations);
  rp_json_end_object (j);
  rp_json_begin_object (j, "spec");
  rp_json_int (j, "minMember", job->min_available);
  rp_json_begin_object (j, "minTaskMember");
  for (guint i = 0; i < job->n_roles; i++)
    if (job->role[i].min >= 0)
      rp_json_int (j, job->role[i].name, job->role[i].min);
  rp_json_end_object (j);
  rp_json_text (j, "queue", job->queue_name);
  if (job->priority_class != NULL)
    rp_json_text (j, "priorityClassName", job->priority_class);
  if (job->min_list != NULL)
    sim_save_amounts (j, "minResources", job->min_list);
  sim_save_sub_groups (j, job->subs);
  rp_json_end_object (j);
  rp_json_begin_object (j, "status");
  rp_json_text (j, "phase", job->phase_text);
  rp_json_begin_array (j, "conditions");
  for (guint i = 0; i < job->n_conds; i++) {
    rp_json_begin_object (j, NULL);
    rp_json_text (j, "type", job->cond[i].type);
    rp_json_text (j, "status", job->cond[i].status);
    rp_json_text (j, "reason", job->cond[i].reason);
    if (job->cond[i].message != NULL)
      rp_json_text (j, "message", job->cond[i].message);
    rp_json_end_object (j);
  }
  rp_json_end_array (j);
  rp_json_end_object (j);
  rp_json_end_object (j);
}

/* ---- pods ---------------------------------------------------------------------------------------- */

static void
put_containers (RpJson *j, const char *key, const VcPodSpec *s, gboolean init)
{
  guint n = 0;

  for (guint i = 0; i < s->n_containers; i++)
    n += !!s->container[i].init == !!init;
  if (n == 0)
    return;
  rp_json_begin_array (j, key);
  for (guint i = 0; i < s->n_containers; i++) {
    const VcContainer *c = &s->container[i];

    if (!!c->init != !!init)
      continue;
    g_autofree char *name = c->name != NULL ? g_strdup (c->name) : g_strdup_printf ("c%u", i);

    rp_json_begin_object (j, NULL);
    rp_json_text (j, "name", name);
    if (c->image != NULL)
      rp_json_text (j, "image", c->image);
    if (c->sidecar)
      rp_json_text (j, "restartPolicy", "Always");
    rp_json_begin_object (j, "resources");
    sim_save_amounts (j, "requests", &c->request);
    sim_save_amounts (j, "limits", &c->limit);
    rp_json_end_object (j);
    if (c->n_ports > 0) {
      rp_json_begin_array (j, "ports");
      for (guint k = 0; k < c->n_ports; k++) {
        rp_json_begin_object (j, NULL);
        rp_json_text (j, "hostIP", c->port[k].ip);
        rp_json_text (j, "protocol", c->port[k].protocol);
        rp_json_int (j, "hostPort", c->port[k].port);
        rp_json_end_object (j);
      }
      rp_json_end_array (j);
    }
    rp_json_end_object (j);
  }
  rp_json_end_array (j);
}

void
sim_save_expressions (RpJson *j, const char *key, const VcExpression *e, guint n)
{
  static const char *const operators[]
      = { [VC_OP_IN] = "In", [VC_OP_NOT_IN] = "NotIn", [VC_OP_EXISTS] = "Exists", [VC_OP_DOES_NOT_EXIST] = "DoesNotExist", [VC_OP_GT] = "Gt", [VC_OP_LT] = "Lt", [VC_OP_UNKNOWN] = "" };

  if (n == 0)
    return;
  rp_json_begin_array (j, key);
  for (guint i = 0; i < n; i++) {
    rp_json_begin_object (j, NULL);
    rp_json_text (j, "key", e[i].key);
    rp_json_text (j, "operator", operators[e[i].op]);
    rp_json_begin_array (j, "values");
    for (guint k = 0; k < e[i].n_values; k++)
      rp_json_text (j, NULL, e[i].value[k]);
    rp_json_end_array (j);
    rp_json_end_object (j);
  }
  rp_json_end_array (j);
}

static void
put_term (RpJson *j, const char *key, const VcNodeTerm *t)
{
  rp_json_begin_object (j, key);
  sim_save_expressions (j, "matchExpressions", t->label, t->n_labels);
  sim_save_expressions (j, "matchFields", t->field, t->n_fields);
  rp_json_end_object (j);
}

static void
put_affinity (RpJson *j, const VcPodSpec *s)
{
  gboolean nodes = s->has_required || s->n_preferred > 0;

  if (!nodes && !s->affinity.given && !s->anti_affinity.given)
    return;
  rp_json_begin_object (j, "affinity");
  sim_save_pod_terms (j, s);
  if (nodes)
    rp_json_begin_object (j, "nodeAffinity");
  if (s->has_required) {
    rp_json_begin_object (j, "requiredDuringSchedulingIgnoredDuringExecution");
    rp_json_begin_array (j, "nodeSelectorTerms");
    for (guint i = 0; i < s->n_required; i++)
      put_term (j, NULL, &s->required[i]);
    rp_json_end_array (j);
    rp_json_end_object (j);
  }
  if (s->n_preferred > 0) {
    rp_json_begin_array (j, "preferredDuringSchedulingIgnoredDuringExecution");
    for (guint i = 0; i < s->n_preferred; i++) {
      rp_json_begin_object (j, NULL);
      rp_json_int (j, "weight", s->preferred[i].weight);
      put_term (j, "preference", &s->preferred[i]);
      rp_json_end_object (j);
    }
    rp_json_end_array (j);
  }
  if (nodes)
    rp_json_end_object (j);
  rp_json_end_object (j);
}

static void
put_tolerations (RpJson *j, const VcPodSpec *s)
{
  static const char *const operators[] = { [VC_TOLERATE_EQUAL] = "Equal", [VC_TOLERATE_EXISTS] = "Exists", [VC_TOLERATE_OTHER] = "Other" };

  if (s->n_tolerations == 0)
    return;
  rp_json_begin_array (j, "tolerations");
  for (guint i = 0; i < s->n_tolerations; i++) {
    const VcToleration *t = &s->toleration[i];

    rp_json_begin_object (j, NULL);
    rp_json_text (j, "key", t->key);
    rp_json_text (j, "operator", operators[t->op]);
    rp_json_text (j, "value", t->value);
    rp_json_text (j, "effect", t->effect);
    rp_json_end_object (j);
  }
  rp_json_end_array (j);
}

static void
put_spec (const Writer *w, RpJson *j, const VcTask *t)
{
  const VcPodSpec *s = &t->shape->spec;

  rp_json_begin_object (j, "spec");
  if (t->job != VC_NONE)
    rp_json_text (j, "schedulerName", w->scheduler);
  if (t->node != VC_NONE)
    rp_json_text (j, "nodeName", w->c->nodes.info[t->node].name);
  if (t->has_pod_priority)
    rp_json_int (j, "priority", t->pod_priority);
  if (s->priority_class != NULL)
    rp_json_text (j, "priorityClassName", s->priority_class);
  if (t->never_preempts)
    rp_json_text (j, "preemptionPolicy", "Never");
  put_containers (j, "initContainers", s, TRUE);
  put_containers (j, "containers", s, FALSE);
  sim_save_amounts (j, "overhead", &s->overhead);
  if (s->pod_level.given || s->pod_limit.given) {
    rp_json_begin_object (j, "resources");
    sim_save_amounts (j, "requests", &s->pod_level);
    sim_save_amounts (j, "limits", &s->pod_limit);
    rp_json_end_object (j);
  }
  sim_save_pairs (j, "nodeSelector", &s->node_selector);
  put_affinity (j, s);
  sim_save_spreads (j, s);
  put_tolerations (j, s);
  if (s->n_gates > 0) {
    rp_json_begin_array (j, "schedulingGates");
    for (guint i = 0; i < s->n_gates; i++) {
      rp_json_begin_object (j, NULL);
      rp_json_text (j, "name", s->gate[i]);
      rp_json_end_object (j);
    }
    rp_json_end_array (j);
  }
  rp_json_end_object (j);
}

static void
put_condition (RpJson *j, const char *type, const char *reason, gint64 since)
{
  rp_json_begin_object (j, NULL);
  rp_json_text (j, "type", type);
  rp_json_text (j, "status", "True");
  if (reason != NULL)
    rp_json_text (j, "reason", reason);
  put_time (j, "lastTransitionTime", since);
  rp_json_end_object (j);
}

static void
put_pod_status (const Writer *w, RpJson *j, const VcTask *t)
{
  static const char *const phase[VC_N_STATUS] = { "Pending", "Pending", "Pending", "Pending", "Pending", "Running", "Running", "Succeeded", "Failed", "Unknown" };
  static const char *const qos[] = { [VC_QOS_UNSET] = NULL, [VC_QOS_BEST_EFFORT] = "BestEffort", [VC_QOS_BURSTABLE] = "Burstable", [VC_QOS_GUARANTEED] = "Guaranteed", [VC_QOS_OTHER] = "" };
  const char *class = qos[t->shape->spec.qos];

  rp_json_begin_object (j, "status");
  rp_json_text (j, "phase", phase[t->status]);
  if (class != NULL)
    rp_json_text (j, "qosClass", class);
  if (t->nominated != VC_NONE && t->nominated != VC_NOMINATED_UNKNOWN)
    rp_json_text (j, "nominatedNodeName", w->c->nodes.info[t->nominated].name);
  put_time (j, "startTime", t->start_time);
  rp_json_begin_array (j, "conditions");
  if (t->scheduled_time != VC_NO_TIME)
    put_condition (j, "PodScheduled", NULL, t->scheduled_time);
  if (t->preemption_victim)
    put_condition (j, "DisruptionTarget", "PreemptionByScheduler", VC_NO_TIME);
  rp_json_end_array (j);
  rp_json_end_object (j);
}

static gboolean
put_pod (Writer *w, const VcTask *t, GError **error)
{
  const VcPodSpec *s = &t->shape->spec;
  RpJson *j = &w->j;

  if (s->n_volumes > 0 || t->claims != NULL)
    return refuse (error, "volumes or resource claims of pods", t->key);
  sim_save_begin (j, "v1", "Pod");
  rp_json_begin_object (j, "metadata");
  rp_json_text (j, "namespace", t->ns);
  rp_json_text (j, "name", t->name);
  rp_json_text (j, "uid", t->uid);
  put_time (j, "creationTimestamp", t->created);
  if (t->status == VC_RELEASING || t->deleting)
    put_time (j, "deletionTimestamp", t->created);
  sim_save_pairs (j, "labels", &t->meta->labels);
  sim_save_pairs (j, "annotations", &t->meta->annotations);
  rp_json_end_object (j);
  put_spec (w, j, t);
  put_pod_status (w, j, t);
  rp_json_end_object (j);
  return TRUE;
}

static int
by_uid (gconstpointer a, gconstpointer b, gpointer user)
{
  const VcCluster *c = user;

  return strcmp (c->task[*(const guint32 *) a].uid, c->task[*(const guint32 *) b].uid);
}

/* ---- all of it ----------------------------------------------------------------------------------- */

static gboolean
put_all (Writer *w, GError **error)
{
  const VcCluster *c = w->c;
  g_autoptr (GArray) pods = g_array_new (FALSE, FALSE, sizeof (guint32));

  if (c->volumes != NULL)
    return refuse (error, "storage objects", NULL);
  if (c->claims != NULL)
    return refuse (error, "devices of resource claims", NULL);
  put_classes (w);
  sim_save_namespaces (&w->j, c);
  sim_save_quotas (&w->j, c);
  sim_save_budgets (&w->j, c);
  sim_save_hyper_nodes (&w->j, c);
  for (guint32 i = 0; i < c->n_queue_order; i++)
    if (!put_queue (w, &c->queue[c->queue_order[i]], error))
      return FALSE;
  for (guint32 i = 0; i < c->nodes.n_list; i++)
    if (!put_node (w, &c->nodes.info[c->nodes.list[i]], error))
      return FALSE;
  for (guint32 i = 0; i < c->n_job_order; i++)
    if (c->job[c->job_order[i]].has_pg)
      put_group (w, &c->job[c->job_order[i]]);
  for (guint32 i = 0; i < c->n_tasks; i++)
    if (c->task[i].live)
      g_array_append_val (pods, i);
  g_array_sort_with_data (pods, by_uid, (gpointer) c);
  for (guint i = 0; i < pods->len; i++)
    if (!put_pod (w, &c->task[g_array_index (pods, guint32, i)], error))
      return FALSE;
  return TRUE;
}

char *
sim_save_cluster (const VcCluster *c, const char *scheduler, GError **error)
{
  Writer w = { .c = c, .scheduler = scheduler };
  gsize len;

  rp_json_init (&w.j);
  rp_json_text (&w.j, "apiVersion", "v1");
  rp_json_text (&w.j, "kind", "List");
  rp_json_begin_array (&w.j, "items");
  gboolean good = put_all (&w, error);

  rp_json_end_array (&w.j);
  g_autofree char *text = rp_json_finish (&w.j, &len);

  return good ? g_steal_pointer (&text) : NULL;
}

/* ---- decisions ----------------------------------------------------------------------------------- */

GPtrArray *
sim_cycle_decisions (VcCache *cache)
{
  const VcCluster *c = vc_cache_cluster (cache);
  const GArray *binds = vc_cache_binds (cache), *evicts = vc_cache_evicts (cache), *statuses = vc_cache_statuses (cache);
  GPtrArray *out = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < binds->len; i++) {
    const VcBind *b = &g_array_index (binds, VcBind, i);

    g_ptr_array_add (out, g_strdup_printf ("binds %s to %s", c->task[b->task].key, c->nodes.info[b->node].name));
  }
  for (guint i = 0; i < evicts->len; i++) {
    guint32 task = g_array_index (evicts, VcEvict, i).task;

    g_ptr_array_add (out, g_strdup_printf ("evicts %s", c->task[task].key));
  }
  for (guint i = 0; i < statuses->len; i++) {
    const VcStatusWrite *s = &g_array_index (statuses, VcStatusWrite, i);

    g_ptr_array_add (out, g_strdup_printf ("makes %s %s", c->job[s->job].key, vc_pg_phase_names[s->phase]));
  }
  return out;
}

char *
sim_decisions_differ (const GPtrArray *run, const GPtrArray *again)
{
  for (guint i = 0; i < MAX (run->len, again->len); i++) {
    const char *l = i < run->len ? run->pdata[i] : "decides nothing more", *r = i < again->len ? again->pdata[i] : "decides nothing more";

    if (strcmp (l, r) != 0)
      return g_strdup_printf ("the run %s, the objects alone make that '%s'", l, r);
  }
  return NULL;
}

static void
add_flag (GString *out, const char *flag, gint64 value, gint64 usual)
{
  if (value != usual)
    g_string_append_printf (out, " --%s %" G_GINT64_FORMAT, flag, value);
}

char *
sim_cycle_command (const SimScenario *s, const char *conf, const char *preset, SimTime at, const char *file)
{
  g_autofree char *word = cmd_word (file), *conf_word = conf != NULL ? cmd_word (conf) : NULL;
  g_autoptr (GDateTime) now = g_date_time_new_from_unix_utc (s->start + at / SIM_SECOND);
  g_autofree char *when = g_date_time_format (now, "%Y-%m-%dT%H:%M:%SZ");
  GString *out = g_string_new ("volsim cycle ");

  g_string_append_printf (out, "%s%s%s --now %s", word, preset != NULL ? " --policy-preset " : conf != NULL ? " --conf " : "", preset != NULL ? preset : conf != NULL ? conf_word : "", when);
  add_flag (out, "percentage-nodes-to-find", s->percentage_nodes_to_find, 0);
  add_flag (out, "minimum-feasible-nodes", s->minimum_feasible_nodes, 100);
  add_flag (out, "minimum-percentage-nodes-to-find", s->minimum_percentage_nodes_to_find, 5);
  if (s->random_ties)
    g_string_append_printf (out, " --ties random:%" G_GUINT64_FORMAT, s->tie_seed);
  if (s->lenient)
    g_string_append (out, " --lenient");
  return g_string_free (out, FALSE);
}
