/* What of a pod's spec looks at other pods: pod affinity and anti-affinity, topology spread
 * constraints. What Kubernetes would not admit is refused here. */
#include "k8s-fields.h"
#include "core/model/selector.h"
#include <stddef.h>

static gboolean
read_selector (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcSelector *s = out;

  if (!k8s_selector (r, node, s))
    return FALSE;
  return vc_selector_is_valid (s) || k8s_refuse (r, node, "not a valid label selector");
}

/* ---- pod affinity ----------------------------------------------------------------------------- */
typedef struct {
  const char *key;
  VcSelector selector, ns_selector;
  K8sTexts namespaces;
} RawTerm;
typedef struct {
  gint32 weight;
  VcPodTerm term;
} RawPreferred;

static gboolean
read_term (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "topologyKey", k8s_text, offsetof (RawTerm, key) },
    { "labelSelector", read_selector, offsetof (RawTerm, selector) },
    { "namespaces", k8s_texts, offsetof (RawTerm, namespaces) },
    { "namespaceSelector", read_selector, offsetof (RawTerm, ns_selector) },
  };
  RawTerm raw = { 0 };

  if (!K8S_FIELDS (r, node, fields, &raw))
    return FALSE;
  if (raw.key == NULL || *raw.key == '\0')
    return k8s_refuse (r, node, "the term has no topologyKey");
  *(VcPodTerm *) out = (VcPodTerm){ .topology_key = raw.key,
                                    .selector = raw.selector,
                                    .ns = raw.namespaces.item,
                                    .n_ns = raw.namespaces.n,
                                    .ns_selector = raw.ns_selector };
  return TRUE;
}

static gboolean
read_required (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcPodTerms *terms = out;
  gpointer items;
  if (!k8s_list (r, node, sizeof (VcPodTerm), read_term, &items, &terms->n_required))
    return FALSE;
  terms->required = items;
  return TRUE;
}

static gboolean
read_preferred_term (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "weight", k8s_int32, offsetof (RawPreferred, weight) },
    { "podAffinityTerm", read_term, offsetof (RawPreferred, term) },
  };
  RawPreferred raw = { 0 };

  if (!K8S_FIELDS (r, node, fields, &raw))
    return FALSE;
  if (raw.term.topology_key == NULL)
    return k8s_refuse (r, node, "there is no podAffinityTerm");
  raw.term.weight = raw.weight;
  *(VcPodTerm *) out = raw.term;
  return TRUE;
}

static gboolean
read_preferred (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcPodTerms *terms = out;
  gpointer items;
  if (!k8s_list (r, node, sizeof (VcPodTerm), read_preferred_term, &items, &terms->n_preferred))
    return FALSE;
  terms->preferred = items;
  return TRUE;
}

gboolean
k8s_pod_terms (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "requiredDuringSchedulingIgnoredDuringExecution", read_required, 0 },
    { "preferredDuringSchedulingIgnoredDuringExecution", read_preferred, 0 },
  };

  ((VcPodTerms *) out)->given = TRUE;
  return K8S_FIELDS (r, node, fields, out);
}

/* ---- topology spread -------------------------------------------------------------------------- */
typedef struct {
  const char *key, *action, *affinity, *taints;
  VcSelector selector;
  K8sTexts label_keys;
  gint32 max_skew;
  K8sInt32 min_domains;
} RawSpread;

static gboolean
read_constraint (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "maxSkew", k8s_int32, offsetof (RawSpread, max_skew) },
    { "topologyKey", k8s_text, offsetof (RawSpread, key) },
    { "whenUnsatisfiable", k8s_text, offsetof (RawSpread, action) },
    { "labelSelector", read_selector, offsetof (RawSpread, selector) },
    { "matchLabelKeys", k8s_texts, offsetof (RawSpread, label_keys) },
    { "minDomains", k8s_given_int32, offsetof (RawSpread, min_domains) },
    { "nodeAffinityPolicy", k8s_text, offsetof (RawSpread, affinity) },
    { "nodeTaintsPolicy", k8s_text, offsetof (RawSpread, taints) },
  };
  RawSpread raw = { 0 };

  if (!K8S_FIELDS (r, node, fields, &raw))
    return FALSE;
  gboolean hard = g_strcmp0 (raw.action, "DoNotSchedule") == 0;
  if (raw.key == NULL || *raw.key == '\0')
    return k8s_refuse (r, node, "the constraint has no topologyKey");
  if (!hard && g_strcmp0 (raw.action, "ScheduleAnyway") != 0)
    return k8s_refuse (r, node, "whenUnsatisfiable must be DoNotSchedule or ScheduleAnyway");
  if (raw.max_skew <= 0)
    return k8s_refuse (r, node, "maxSkew must be above zero");
  if (raw.min_domains.given && raw.min_domains.value <= 0)
    return k8s_refuse (r, node, "minDomains must be above zero");
  *(VcSpread *) out = (VcSpread){
    .topology_key = raw.key,
    .selector = raw.selector,
    .label_key = raw.label_keys.item,
    .n_label_keys = raw.label_keys.n,
    .max_skew = raw.max_skew,
    .min_domains = raw.min_domains.given ? raw.min_domains.value : 1,
    .hard = hard,
    .any_affinity = raw.affinity != NULL && strcmp (raw.affinity, "Honor") != 0,
    .heeds_taints = g_strcmp0 (raw.taints, "Honor") == 0,
  };
  return TRUE;
}

gboolean
k8s_spread_constraints (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcPodSpec *spec = out;
  gpointer items;
  if (!k8s_list (r, node, sizeof (VcSpread), read_constraint, &items, &spec->n_spreads))
    return FALSE;
  spec->spread = items;
  return TRUE;
}
