/* Objects that limit jobs and evictions: ResourceQuota, PodDisruptionBudget. */
#include "k8s-fields.h"
#include <errno.h>
#include <stddef.h>
#include <string.h>

/* ---- ResourceQuota -------------------------------------------------------------------------- */
/* The scheduler does not look at scopes. It compares with the status only; a run makes the status of the spec. */
static gboolean
read_quota_status (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "hard", k8s_amounts, offsetof (VcResourceQuotaObject, hard) },
    { "used", k8s_amounts, offsetof (VcResourceQuotaObject, used) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_scope (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const char *const names[] = { "In", "NotIn", "Exists", "DoesNotExist" };
  static const VcOperator ops[] = { VC_OP_IN, VC_OP_NOT_IN, VC_OP_EXISTS, VC_OP_DOES_NOT_EXIST };
  typedef struct { const char *name, *op; K8sTexts values; } Raw;
  static const K8sField fields[] = {
    { "scopeName", k8s_text, offsetof (Raw, name) },
    { "operator", k8s_text, offsetof (Raw, op) },
    { "values", k8s_texts, offsetof (Raw, values) },
  };
  Raw raw = { 0 };

  if (!K8S_FIELDS (r, node, fields, &raw))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_strcmp0 (raw.op, names[i]) == 0) {
      *(VcExpression *) out = (VcExpression){ raw.name != NULL ? raw.name : "", ops[i], raw.values.item, raw.values.n };
      return TRUE;
    }
  return k8s_expected (r, node, "an operator In, NotIn, Exists or DoesNotExist");
}

typedef struct {
  VcResourceQuotaObject *quota;
  K8sTexts scopes;
  const VcExpression *selector; guint n_selectors;
} RawQuota;

static gboolean
read_scopes (K8sReader *r, struct fy_node *node, gpointer out)
{
  RawQuota *q = out;
  gpointer items;

  if (!k8s_list (r, node, sizeof (VcExpression), read_scope, &items, &q->n_selectors))
    return FALSE;
  q->selector = items;
  return TRUE;
}

static gboolean
read_scope_selector (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "matchExpressions", read_scopes, 0 } };

  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_hard (K8sReader *r, struct fy_node *node, gpointer out)
{
  return k8s_amounts (r, node, &((RawQuota *) out)->quota->spec_hard);
}

/* A name in `scopes` is a selector with the operator Exists. */
static gboolean
read_quota_spec (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "hard", read_hard, 0 },
    { "scopes", k8s_texts, offsetof (RawQuota, scopes) },
    { "scopeSelector", read_scope_selector, 0 },
  };
  VcResourceQuotaObject *quota = out;
  RawQuota raw = { .quota = quota };

  if (!K8S_FIELDS (r, node, fields, &raw))
    return FALSE;
  VcExpression *scope = vc_arena_new0 (r->arena, VcExpression, MAX (raw.scopes.n + raw.n_selectors, 1));

  for (guint i = 0; i < raw.scopes.n; i++)
    scope[i] = (VcExpression){ raw.scopes.item[i], VC_OP_EXISTS, NULL, 0 };
  for (guint i = 0; i < raw.n_selectors; i++)
    scope[raw.scopes.n + i] = raw.selector[i];
  quota->scope = scope;
  quota->n_scopes = raw.scopes.n + raw.n_selectors;
  return TRUE;
}

gboolean
k8s_read_resource_quota (K8sReader *r, const K8sTop *top, const K8sMeta *meta,
                         VcResourceQuotaObject *out)
{
  out->ns = meta->ns;
  out->name = meta->name;
  return k8s_field (r, "spec", top->spec, read_quota_spec, out)
         && k8s_field (r, "status", top->status, read_quota_status, out);
}

/* ---- PodDisruptionBudget -------------------------------------------------------------------- */
/* A whole number, or a text such as "50%". */
gboolean
k8s_int_or_percent (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcIntOrPercent *v = out;
  const char *text;
  char *end = NULL;
  gsize len = 0;

  v->given = TRUE;
  text = fy_node_is_scalar (node) ? fy_node_get_scalar (node, &len) : NULL;
  if (text == NULL || len == 0 || text[len - 1] != '%')
    return k8s_int32 (r, node, &v->value);
  if (!k8s_text (r, node, &text))
    return FALSE;
  errno = 0;
  gint64 percent = g_ascii_isdigit (text[0]) ? g_ascii_strtoll (text, &end, 10) : -1;
  if (percent < 0 || errno != 0 || percent > G_MAXINT32 || strcmp (end, "%") != 0)
    return k8s_expected (r, node, "a whole number or a percentage");
  v->percent = TRUE;
  v->value = (gint32) percent;
  return TRUE;
}

static gboolean
read_unhealthy (K8sReader *r, struct fy_node *node, gpointer out)
{
  const char *text = NULL;

  if (!k8s_text (r, node, &text))
    return FALSE;
  ((VcPodDisruptionBudgetObject *) out)->evicts_unhealthy = strcmp (text, "AlwaysAllow") == 0;
  return TRUE;
}

static gboolean
read_budget_spec (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "selector", k8s_selector, offsetof (VcPodDisruptionBudgetObject, selector) },
    { "minAvailable", k8s_int_or_percent, offsetof (VcPodDisruptionBudgetObject, min_available) },
    { "maxUnavailable", k8s_int_or_percent,
      offsetof (VcPodDisruptionBudgetObject, max_unavailable) },
    { "unhealthyPodEvictionPolicy", read_unhealthy, 0 },
  };
  return K8S_FIELDS (r, node, fields, out);
}

/* The keys alone: the times say when the eviction was granted. */
static gboolean
read_disrupted (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcPodDisruptionBudgetObject *o = out;
  VcPairs pods = { 0 };

  if (!k8s_pairs (r, node, &pods))
    return FALSE;
  const char **name = vc_arena_new0 (r->arena, const char *, pods.n);
  for (guint i = 0; i < pods.n; i++)
    name[i] = pods.item[i].key;
  o->disrupted = name;
  o->n_disrupted = pods.n;
  return TRUE;
}

static gboolean
read_budget_status (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "disruptionsAllowed", k8s_int32,
      offsetof (VcPodDisruptionBudgetObject, disruptions_allowed) },
    { "currentHealthy", k8s_int32, offsetof (VcPodDisruptionBudgetObject, current_healthy) },
    { "desiredHealthy", k8s_int32, offsetof (VcPodDisruptionBudgetObject, desired_healthy) },
    { "expectedPods", k8s_int32, offsetof (VcPodDisruptionBudgetObject, expected_pods) },
    { "disruptedPods", read_disrupted, 0 },
  };
  return K8S_FIELDS (r, node, fields, out);
}

gboolean
k8s_read_pod_disruption_budget (K8sReader *r, const K8sTop *top, const K8sMeta *meta,
                                VcPodDisruptionBudgetObject *out)
{
  out->ns = meta->ns;
  out->name = meta->name;
  return k8s_field (r, "spec", top->spec, read_budget_spec, out)
         && k8s_field (r, "status", top->status, read_budget_status, out);
}
