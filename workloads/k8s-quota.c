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
note_scope (K8sReader *r, struct fy_node *node, gpointer out)
{
  *(gboolean *) out |= !k8s_is_empty (node);
  return TRUE;
}

static gboolean
read_quota_spec (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "hard", k8s_amounts, offsetof (VcResourceQuotaObject, spec_hard) },
    { "scopes", note_scope, offsetof (VcResourceQuotaObject, scoped) },
    { "scopeSelector", note_scope, offsetof (VcResourceQuotaObject, scoped) },
  };

  return K8S_FIELDS (r, node, fields, out);
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
static gboolean
read_int_or_percent (K8sReader *r, struct fy_node *node, gpointer out)
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
    { "minAvailable", read_int_or_percent, offsetof (VcPodDisruptionBudgetObject, min_available) },
    { "maxUnavailable", read_int_or_percent,
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
