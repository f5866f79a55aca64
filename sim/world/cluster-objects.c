/* sim/world/cluster-objects.c - see cluster-objects.h. */
#include "cluster-objects.h"
#include "budgets.h"
#include "hyper-nodes.h"
#include "claims.h"
#include "storage.h"
#include "views.h"
#include "core/model/selector.h"
#include "sim/cycle/cycle.h"
#include "sim/record/record.h"
#include "sim/scheduler/shards.h"
#include <string.h>

struct SimQuota {
  guint32 object;      /* of the input */
  VcAmounts hard;
  VcAmount *used;      /* [hard.n], by the names of hard */
  VcNano *sum;         /* [hard.n] the same in thousandths: sums of rounded amounts would not be those of the amounts */
  gboolean dirty;
};

static inline SimQuota *
quota_at (const SimWorld *w, guint i)
{
  return &g_array_index (w->quotas, SimQuota, i);
}

/* ---- quotas ---------------------------------------------------------------------------------- */

static gboolean
counts_finished (const char *name)
{
  return strcmp (name, "count/pods") == 0;
}

/* What a pod of @role uses of resource @name; FALSE: it does not say. */
static gboolean
usage_of (const SimWorld *w, guint32 role, const char *name, VcQuantity *out)
{
  const VcAmounts *list = &w->role[role].quota;

  if (strcmp (name, "pods") == 0 || counts_finished (name)) {
    *out = (VcQuantity){ 1, 1000 };
    return TRUE;
  }
  if (g_str_has_prefix (name, "requests."))
    name += strlen ("requests.");
  for (guint i = 0; i < list->n; i++)
    if (strcmp (list->item[i].name, name) == 0) {
      *out = list->item[i].q;
      return TRUE;
    }
  return FALSE;
}

/* The priority class of the role's pods; without one the default class is filled in at admission. */
static const char *
class_of (const SimWorld *w, const SimRole *r)
{
  const SimJob *j = &w->job[r->job];
  const char *name = r->spec != NULL && r->spec->priority_class != NULL ? r->spec->priority_class : j->priority_class;

  for (guint i = 0; name == NULL && w->objects != NULL && i < w->objects->objects->len; i++) {
    const WlObject *o = sim_object_at (w, (guint32) i);

    if (o->kind == WL_OBJECT_PRIORITY_CLASS && o->priority_class.global_default)
      name = o->priority_class.name;
  }
  return name;
}

static gboolean
has_class (const VcExpression *e, const char *name)
{
  gboolean listed = FALSE;

  for (guint i = 0; name != NULL && i < e->n_values; i++)
    listed = listed || strcmp (e->value[i], name) == 0;
  switch (e->op) {
  case VC_OP_IN:
    return listed;
  case VC_OP_NOT_IN:
    return !listed; /* as with labels: also without any */
  case VC_OP_EXISTS:
    return name != NULL;
  case VC_OP_DOES_NOT_EXIST:
  case VC_OP_GT:
  case VC_OP_LT:
  case VC_OP_UNKNOWN:
  default:
    return name == NULL;
  }
}

/* podMatchesScopeFunc, of all scopes: does the quota count pods of the role? */
static gboolean
is_in_scope (const SimWorld *w, const VcResourceQuotaObject *o, guint32 role)
{
  const SimRole *r = &w->role[role];
  gboolean best_effort = r->shape->qos == VC_QOS_BEST_EFFORT, terminating = r->spec != NULL && r->spec->has_deadline, in = TRUE;

  for (guint i = 0; i < o->n_scopes; i++) {
    const VcExpression *e = &o->scope[i];

    if (strcmp (e->key, "PriorityClass") == 0)
      in = in && has_class (e, class_of (w, r));
    else if (g_str_has_suffix (e->key, "BestEffort"))
      in = in && best_effort == (*e->key == 'B');
    else
      in = in && terminating == (*e->key == 'T');
  }
  return in;
}

void
sim_quota_count (SimWorld *w, const SimPod *p, int sign)
{
  const char *ns = w->job[p->job].ns;
  gboolean finished = p->phase == SIM_POD_SUCCEEDED || p->phase == SIM_POD_FAILED;

  for (guint i = 0; i < w->quotas->len; i++) {
    SimQuota *q = quota_at (w, i);

    if (strcmp (sim_object_at (w, q->object)->quota.ns, ns) != 0 || !is_in_scope (w, &sim_object_at (w, q->object)->quota, p->role))
      continue;
    for (guint k = 0; k < q->hard.n; k++) {
      VcQuantity use;

      if ((finished && !counts_finished (q->used[k].name)) || !usage_of (w, p->role, q->used[k].name, &use))
        continue;
      q->sum[k] += sign * vc_quantity_thousandths (use);
      q->used[k].q = vc_quantity_of (q->sum[k]);
      q->dirty = TRUE;
    }
  }
}

static char *
show (const char *name, VcQuantity q)
{
  gboolean bytes = strstr (name, "memory") != NULL || strstr (name, "storage") != NULL;

  if (bytes || q.milli % 1000 == 0)
    return g_strdup_printf ("%" G_GINT64_FORMAT, bytes ? q.value : q.milli / 1000);
  return g_strdup_printf ("%" G_GINT64_FORMAT "m", q.milli);
}

static void
append_amount (GString *out, const char *name, VcQuantity q)
{
  g_autofree char *text = show (name, q);

  g_string_append_printf (out, "%s%s=%s", out->len > 0 ? "," : "", name, text);
}

/* Compute resources that a quota limits must be asked for. */
static gboolean
must_be_given (const char *name)
{
  return strstr (name, "cpu") != NULL || strstr (name, "memory") != NULL;
}

char *
sim_quota_refusal (const SimWorld *w, guint32 role, const char *pod)
{
  const char *ns = w->job[w->role[role].job].ns;

  for (guint i = 0; w->quotas != NULL && i < w->quotas->len; i++) {
    const SimQuota *q = quota_at (w, i);
    const VcResourceQuotaObject *o = &sim_object_at (w, q->object)->quota;
    g_autoptr (GString) wants = g_string_new (NULL), has = g_string_new (NULL), most = g_string_new (NULL), missing = g_string_new (NULL);

    if (strcmp (o->ns, ns) != 0 || !is_in_scope (w, o, role))
      continue;
    for (guint k = 0; k < q->hard.n; k++) {
      const char *name = q->hard.item[k].name;
      VcQuantity use;

      if (!usage_of (w, role, name, &use)) {
        if (must_be_given (name))
          g_string_append_printf (missing, "%s%s", missing->len > 0 ? "; " : "", name);
        continue;
      }
      if (q->sum[k] + vc_quantity_thousandths (use) <= vc_quantity_thousandths (q->hard.item[k].q))
        continue;
      append_amount (wants, name, use);
      append_amount (has, name, q->used[k].q);
      append_amount (most, name, q->hard.item[k].q);
    }
    if (missing->len > 0)
      return g_strdup_printf ("pods \"%s\" is forbidden: failed quota: %s: must specify %s", pod, o->name, missing->str);
    if (wants->len > 0)
      return g_strdup_printf ("pods \"%s\" is forbidden: exceeded quota: %s, requested: %s, used: %s, limited: %s", pod, o->name, wants->str, has->str,
                              most->str);
  }
  return NULL;
}

static void
add_quota (SimWorld *w, guint32 i)
{
  const VcResourceQuotaObject *o = &sim_object_at (w, i)->quota;
  SimQuota q = { .object = i, .hard = o->hard.n > 0 ? o->hard : o->spec_hard, .dirty = TRUE };

  q.used = g_new0 (VcAmount, MAX (q.hard.n, 1));
  q.sum = g_new0 (VcNano, MAX (q.hard.n, 1));
  for (guint k = 0; k < q.hard.n; k++) {
    q.used[k].name = q.hard.item[k].name;
    for (guint m = 0; m < o->used.n; m++)
      if (strcmp (o->used.item[m].name, q.used[k].name) == 0)
        q.used[k].q = o->used.item[m].q;
    q.sum[k] = vc_quantity_thousandths (q.used[k].q);
  }
  GArray *others = w->quotas;

  w->quotas = g_array_new (FALSE, FALSE, sizeof (SimQuota)); /* pods that are there are counted for the new one alone */
  g_array_append_val (w->quotas, q);
  for (guint32 p = 0; p < w->n_pods; p++)
    if (w->pod[p].live)
      sim_quota_count (w, &w->pod[p], 1);
  if (others != NULL) {
    g_array_prepend_vals (w->quotas, others->data, others->len);
    g_array_unref (others);
  }
}

/* ---- all kinds ------------------------------------------------------------------------------- */

static const char *
name_of (const WlObject *o, const char **kind, const char **ns)
{
  if (o->kind == WL_OBJECT_RESOURCE_QUOTA) {
    *kind = "ResourceQuota";
    *ns = o->quota.ns;
    return o->quota.name;
  }
  if (o->kind == WL_OBJECT_POD_DISRUPTION_BUDGET) {
    *kind = "PodDisruptionBudget";
    *ns = o->budget.ns;
    return o->budget.name;
  }
  *kind = "Namespace";
  *ns = "";
  return o->ns.name;
}

static void
forget (SimWorld *w, guint32 i)
{
  for (guint k = 0; w->quotas != NULL && k < w->quotas->len; k++)
    if (quota_at (w, k)->object == i) {
      g_free (quota_at (w, k)->used);
      g_free (quota_at (w, k)->sum);
      g_array_remove_index (w->quotas, k--);
    }
  sim_budget_drop (w, i);
}

/* The object of the same kind and name that is there, SIM_NONE. */
static guint32
find_same (const SimWorld *w, guint32 i)
{
  const WlObject *o = sim_object_at (w, i);

  for (guint k = 0; o->kind == WL_OBJECT_RESOURCE_QUOTA && w->quotas != NULL && k < w->quotas->len; k++) {
    const VcResourceQuotaObject *other = &sim_object_at (w, quota_at (w, k)->object)->quota;

    if (strcmp (other->ns, o->quota.ns) == 0 && strcmp (other->name, o->quota.name) == 0)
      return quota_at (w, k)->object;
  }
  return o->kind == WL_OBJECT_POD_DISRUPTION_BUDGET ? sim_budget_find (w, &o->budget) : SIM_NONE;
}

void
sim_object_add (SimWorld *w, guint32 i)
{
  const WlObject *o = sim_object_at (w, i);

  if (o->kind == WL_OBJECT_HYPER_NODE) {
    sim_hyper_node_submit (w, i);
    return;
  }
  if (o->kind == WL_OBJECT_RESOURCE_CLAIM || o->kind == WL_OBJECT_DEVICE_CLASS) {
    sim_claims_add (w, o);
    return;
  }
  if (o->kind == WL_OBJECT_RESOURCE_SLICE) {
    SIM_EACH_VIEW (w, back)
      sim_cycle_add_object (w->cache, o);
    if (w->record != NULL)
      sim_record_event (w, "ResourceSlice", "", o->slice.name, "created", "");
    return;
  }
  if (o->kind == WL_OBJECT_NODE_SHARD) {
    sim_shard_put (w, &o->shard, o->submit == WL_TIME_NONE);
    return;
  }
  if (sim_storage_add (w, o))
    return;
  const char *kind, *ns, *name = name_of (o, &kind, &ns);
  guint32 same = find_same (w, i);

  if (same != SIM_NONE)
    forget (w, same); /* an update: the later object takes the place of the earlier */
  if (o->kind == WL_OBJECT_RESOURCE_QUOTA)
    add_quota (w, i);
  else if (o->kind == WL_OBJECT_POD_DISRUPTION_BUDGET)
    sim_budget_add (w, i);
  else
    SIM_EACH_VIEW (w, back)
      sim_cycle_add_object (w->cache, o);
  if (w->record != NULL)
    sim_record_event (w, kind, ns, name, same != SIM_NONE ? "changed" : "created", "");
}

void
sim_object_remove (SimWorld *w, guint32 i)
{
  const WlObject *o = sim_object_at (w, i);

  if (o->kind == WL_OBJECT_HYPER_NODE) {
    sim_hyper_node_delete (w, i);
    return;
  }
  if (o->kind == WL_OBJECT_RESOURCE_CLAIM || o->kind == WL_OBJECT_DEVICE_CLASS) {
    sim_claims_remove (w, o);
    return;
  }
  if (o->kind == WL_OBJECT_RESOURCE_SLICE) {
    SIM_EACH_VIEW (w, back)
      vc_cache_remove_resource_slice (w->cache, o->slice.name);
    sim_record_event (w, "ResourceSlice", "", o->slice.name, "deleted", "");
    return;
  }
  if (o->kind == WL_OBJECT_NODE_SHARD) {
    sim_shard_drop (w, o->shard.name);
    return;
  }
  if (sim_storage_delete (w, o))
    return;
  const char *kind, *ns, *name = name_of (o, &kind, &ns);
  guint32 same = find_same (w, i);

  if (same == SIM_NONE)
    return;
  forget (w, same);
  SIM_EACH_VIEW (w, back)
    if (o->kind == WL_OBJECT_RESOURCE_QUOTA)
      vc_cache_remove_resource_quota (w->cache, o->quota.ns, o->quota.name);
    else
      vc_cache_remove_pod_disruption_budget (w->cache, o->budget.ns, o->budget.name);
  sim_record_event (w, kind, ns, name, "deleted", "");
}

void
sim_objects_load (SimWorld *w, guint32 i)
{
  const WlObject *o = sim_object_at (w, i);

  if (o->submit == WL_TIME_NONE && o->kind == WL_OBJECT_HYPER_NODE)
    sim_event_queue_prepare (w->events, 0, SIM_RANK_QUEUE, SIM_EVENT_OBJECT, i); /* once its nodes are there */
  else if (o->submit == WL_TIME_NONE)
    sim_object_add (w, i);
  else
    sim_event_queue_prepare (w->events, o->submit, SIM_RANK_QUEUE, SIM_EVENT_OBJECT, i);
  if (o->remove != WL_TIME_NONE)
    sim_event_queue_prepare (w->events, o->remove, SIM_RANK_QUEUE, SIM_EVENT_OBJECT_GONE, i);
}

const char *
sim_namespace_queue (const SimWorld *w, const char *ns)
{
  const char *queue = NULL;

  for (guint i = 0; w->objects != NULL && i < w->objects->objects->len; i++) {
    const WlObject *o = sim_object_at (w, i);

    if (o->kind == WL_OBJECT_NAMESPACE && strcmp (o->ns.name, ns) == 0 && (o->submit == WL_TIME_NONE || o->submit <= w->now))
      queue = vc_pairs_get (&o->ns.annotations, "scheduling.volcano.sh/queue-name");
  }
  return queue;
}

void
sim_objects_flush (SimWorld *w)
{
  for (guint i = 0; w->quotas != NULL && i < w->quotas->len; i++) {
    SimQuota *q = quota_at (w, i);
    VcResourceQuotaObject o = sim_object_at (w, q->object)->quota;

    if (!q->dirty)
      continue;
    q->dirty = FALSE;
    o.hard = q->hard;
    o.used = (VcAmounts){ q->used, q->hard.n, TRUE };
    SIM_EACH_VIEW (w, back)
      vc_cache_add_resource_quota (w->cache, &o);
  }
  sim_budgets_flush (w);
}

void
sim_objects_free (SimWorld *w)
{
  sim_hyper_nodes_free (w);
  for (guint i = 0; w->quotas != NULL && i < w->quotas->len; i++) {
    g_free (quota_at (w, i)->used);
    g_free (quota_at (w, i)->sum);
  }
  g_clear_pointer (&w->quotas, g_array_unref);
  sim_budgets_free (w);
}
