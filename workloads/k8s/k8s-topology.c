/* HyperNodes, and what PodGroups and jobs say about the network: topologies and sub-group policies. */
#include "k8s-fields.h"
#include "core/base/go-regex.h"
#include <stddef.h>

static gboolean
read_tier (K8sReader *r, struct fy_node *node, gpointer out)
{
  gint64 tier = 0;

  if (!k8s_int64 (r, node, &tier))
    return FALSE;
  if (tier < 0 || tier > K8S_TIER_MAX)
    return k8s_refuse (r, node, "expected a tier from 0 to %d, found %" G_GINT64_FORMAT, K8S_TIER_MAX, tier);
  *(gint64 *) out = tier;
  return TRUE;
}

/* ---- topologies ----------------------------------------------------------------------------- */

static gboolean
read_mode (K8sReader *r, struct fy_node *node, gpointer out)
{
  const char *text = NULL;

  if (!k8s_text (r, node, &text))
    return FALSE;
  if (strcmp (text, "hard") != 0 && strcmp (text, "soft") != 0)
    return k8s_expected (r, node, "hard or soft");
  *(VcTopologyMode *) out = *text == 'h' ? VC_TOPOLOGY_HARD : VC_TOPOLOGY_SOFT;
  return TRUE;
}

static gboolean
read_highest_tier (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcTopologySpec *t = out;
  t->has_tier = TRUE;
  return read_tier (r, node, &t->tier);
}

gboolean
k8s_topology (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "mode", read_mode, offsetof (VcTopologySpec, mode) },
    { "highestTierAllowed", read_highest_tier, 0 },
    { "highestTierName", k8s_text, offsetof (VcTopologySpec, tier_name) },
  };
  VcTopologySpec *t = out;
  t->mode = r->completes ? VC_TOPOLOGY_HARD : VC_TOPOLOGY_OTHER; /* given, but neither hard nor soft */
  return K8S_FIELDS (r, node, fields, t);
}

/* ---- sub-group policies --------------------------------------------------------------------- */

static gboolean
read_size (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcSubGroupPolicy *p = out;
  p->has_size = TRUE;
  return k8s_int32 (r, node, &p->size);
}

static gboolean
read_keys (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcSubGroupPolicy *p = out;
  K8sTexts keys = { 0 };

  if (!k8s_texts (r, node, &keys))
    return FALSE;
  p->key = keys.item;
  p->n_keys = keys.n;
  return TRUE;
}

static gboolean
read_policy (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "name", k8s_text, offsetof (VcSubGroupPolicy, name) },
    { "networkTopology", k8s_topology, offsetof (VcSubGroupPolicy, topology) },
    { "subGroupSize", read_size, 0 },
    { "minSubGroups", k8s_int32, offsetof (VcSubGroupPolicy, min_groups) },
    { "labelSelector", k8s_selector, offsetof (VcSubGroupPolicy, selector) },
    { "matchLabelKeys", read_keys, 0 },
  };
  VcSubGroupPolicy *p = out;
  p->name = "";
  return K8S_FIELDS (r, node, fields, p);
}

gboolean
k8s_sub_groups (K8sReader *r, struct fy_node *node, gpointer out)
{
  K8sPolicies *list = out;
  gpointer items;

  if (!k8s_list (r, node, sizeof (VcSubGroupPolicy), read_policy, &items, &list->n))
    return FALSE;
  list->item = items;
  return TRUE;
}

/* ---- HyperNodes ----------------------------------------------------------------------------- */

static gboolean
read_member_type (K8sReader *r, struct fy_node *node, gpointer out)
{
  const char *text = NULL;

  if (!k8s_text (r, node, &text))
    return FALSE;
  if (strcmp (text, "Node") != 0 && strcmp (text, "HyperNode") != 0)
    return k8s_expected (r, node, "Node or HyperNode");
  *(VcMemberType *) out = *text == 'N' ? VC_MEMBER_NODE : VC_MEMBER_HYPER_NODE;
  return TRUE;
}

static gboolean
read_exact (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "name", k8s_text, 0 } };
  *(const char **) out = "";
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_pattern (K8sReader *r, struct fy_node *node, gpointer out)
{
  const char *text = NULL, *what = NULL;

  if (!k8s_text (r, node, &text))
    return FALSE;
  switch (vc_go_regex_check (text, &what)) {
  case VC_GO_REGEX_BAD:
    return k8s_refuse (r, node, "expected a regular expression of Go, found '%s': %s", text, what);
  case VC_GO_REGEX_FOREIGN: {
    g_autofree char *construct = g_strconcat (what, " in a pattern", NULL);
    return k8s_unsupported (r, node, construct);
  }
  case VC_GO_REGEX_GOOD:
  default:
    *(const char **) out = text;
    return TRUE;
  }
}

static gboolean
read_regex (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "pattern", read_pattern, 0 } };
  *(const char **) out = "";
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_member_selector (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "exactMatch", read_exact, offsetof (VcMember, exact) },
    { "regexMatch", read_regex, offsetof (VcMember, pattern) },
    { "labelMatch", k8s_selector, offsetof (VcMember, labels) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_member (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "type", read_member_type, offsetof (VcMember, type) },
    { "selector", read_member_selector, 0 },
  };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_members (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcHyperNodeObject *o = out;
  gpointer items;

  if (!k8s_list (r, node, sizeof (VcMember), read_member, &items, &o->n_members))
    return FALSE;
  o->member = items;
  return TRUE;
}

static gboolean
read_hyper_spec (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "tier", read_tier, offsetof (VcHyperNodeObject, tier) },
    { "tierName", k8s_text, offsetof (VcHyperNodeObject, tier_name) },
    { "members", read_members, 0 },
  };
  return K8S_FIELDS (r, node, fields, out);
}

gboolean
k8s_read_hyper_node (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcHyperNodeObject *out)
{
  out->name = meta->name;
  out->labels = meta->labels;
  if (*meta->name == '<') /* taken by the root of the tree; no object can be called so */
    return k8s_refuse (r, top->metadata, "metadata.name: expected the name of an object, found '%s'", meta->name);
  return k8s_field (r, "spec", top->spec, read_hyper_spec, out);
}
