/* Objects of a saved cycle that say how pods stand to each other, to the network and to limits. */
#include "save-private.h"

static void
put_texts (RpJson *j, const char *key, const char *const *item, guint n)
{
  if (n == 0)
    return;
  rp_json_begin_array (j, key);
  for (guint i = 0; i < n; i++)
    rp_json_text (j, NULL, item[i]);
  rp_json_end_array (j);
}

/* A selector that is given and empty matches everything, one that is not given nothing. */
static void
put_selector (RpJson *j, const char *key, const VcSelector *s)
{
  if (!s->given)
    return;
  rp_json_begin_object (j, key);
  sim_save_pairs (j, "matchLabels", &s->match);
  sim_save_expressions (j, "matchExpressions", s->expression, s->n_expressions);
  rp_json_end_object (j);
}

static void
begin_named (RpJson *j, const char *api, const char *kind, const char *ns, const char *name)
{
  sim_save_begin (j, api, kind);
  rp_json_begin_object (j, "metadata");
  if (ns != NULL)
    rp_json_text (j, "namespace", ns);
  rp_json_text (j, "name", name);
  rp_json_end_object (j);
}

/* ---- pods ---------------------------------------------------------------------------------------- */

static void
put_term (RpJson *j, const char *key, const VcPodTerm *t)
{
  rp_json_begin_object (j, key);
  rp_json_text (j, "topologyKey", t->topology_key);
  put_selector (j, "labelSelector", &t->selector);
  put_texts (j, "namespaces", t->ns, t->n_ns);
  put_selector (j, "namespaceSelector", &t->ns_selector);
  rp_json_end_object (j);
}

static void
put_terms (RpJson *j, const char *key, const VcPodTerms *t)
{
  if (!t->given)
    return;
  rp_json_begin_object (j, key);
  if (t->n_required > 0) {
    rp_json_begin_array (j, "requiredDuringSchedulingIgnoredDuringExecution");
    for (guint i = 0; i < t->n_required; i++)
      put_term (j, NULL, &t->required[i]);
    rp_json_end_array (j);
  }
  if (t->n_preferred > 0) {
    rp_json_begin_array (j, "preferredDuringSchedulingIgnoredDuringExecution");
    for (guint i = 0; i < t->n_preferred; i++) {
      rp_json_begin_object (j, NULL);
      rp_json_int (j, "weight", t->preferred[i].weight);
      put_term (j, "podAffinityTerm", &t->preferred[i]);
      rp_json_end_object (j);
    }
    rp_json_end_array (j);
  }
  rp_json_end_object (j);
}

void
sim_save_pod_terms (RpJson *j, const VcPodSpec *s)
{
  put_terms (j, "podAffinity", &s->affinity);
  put_terms (j, "podAntiAffinity", &s->anti_affinity);
}

void
sim_save_spreads (RpJson *j, const VcPodSpec *s)
{
  if (s->n_spreads == 0)
    return;
  rp_json_begin_array (j, "topologySpreadConstraints");
  for (guint i = 0; i < s->n_spreads; i++) {
    const VcSpread *p = &s->spread[i];

    rp_json_begin_object (j, NULL);
    rp_json_int (j, "maxSkew", p->max_skew);
    rp_json_text (j, "topologyKey", p->topology_key);
    rp_json_text (j, "whenUnsatisfiable", p->hard ? "DoNotSchedule" : "ScheduleAnyway");
    put_selector (j, "labelSelector", &p->selector);
    put_texts (j, "matchLabelKeys", p->label_key, p->n_label_keys);
    if (p->min_domains != 1)
      rp_json_int (j, "minDomains", p->min_domains);
    rp_json_text (j, "nodeAffinityPolicy", p->any_affinity ? "Ignore" : "Honor");
    rp_json_text (j, "nodeTaintsPolicy", p->heeds_taints ? "Honor" : "Ignore");
    rp_json_end_object (j);
  }
  rp_json_end_array (j);
}

/* ---- limits -------------------------------------------------------------------------------------- */

void
sim_save_quotas (RpJson *j, const VcCluster *c)
{
  for (guint i = 0; c->quotas != NULL && i < c->quotas->len; i++) {
    const VcQuota *q = c->quotas->pdata[i];

    begin_named (j, "v1", "ResourceQuota", q->ns, q->name);
    rp_json_begin_object (j, "status");
    sim_save_amounts (j, "hard", &q->hard);
    sim_save_amounts (j, "used", &q->used);
    rp_json_end_object (j);
    rp_json_end_object (j);
  }
}

static void
put_int_or_percent (RpJson *j, const char *key, const VcIntOrPercent *v)
{
  g_autofree char *text = g_strdup_printf ("%d%%", v->value);

  if (v->given && v->percent)
    rp_json_text (j, key, text);
  else if (v->given)
    rp_json_int (j, key, v->value);
}

void
sim_save_budgets (RpJson *j, const VcCluster *c)
{
  for (guint i = 0; c->budgets != NULL && i < c->budgets->len; i++) {
    const VcBudget *b = c->budgets->pdata[i];

    begin_named (j, "policy/v1", "PodDisruptionBudget", b->ns, b->name);
    rp_json_begin_object (j, "spec");
    put_selector (j, "selector", &b->selector);
    put_int_or_percent (j, "minAvailable", &b->min_available);
    put_int_or_percent (j, "maxUnavailable", &b->max_unavailable);
    rp_json_end_object (j);
    rp_json_begin_object (j, "status");
    rp_json_int (j, "disruptionsAllowed", b->allowed);
    if (b->n_disrupted > 0) {
      rp_json_begin_object (j, "disruptedPods");
      for (guint k = 0; k < b->n_disrupted; k++)
        rp_json_text (j, b->disrupted[k], "1970-01-01T00:00:00Z"); /* nobody reads the time */
      rp_json_end_object (j);
    }
    rp_json_end_object (j);
    rp_json_end_object (j);
  }
}

void
sim_save_namespaces (RpJson *j, const VcCluster *c)
{
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (c->namespaces), (GCompareFunc) strcmp);

  for (const GList *l = names; l != NULL; l = l->next) {
    const VcMeta *meta = g_hash_table_lookup (c->namespaces, l->data);

    sim_save_begin (j, "v1", "Namespace");
    rp_json_begin_object (j, "metadata");
    rp_json_text (j, "name", l->data);
    sim_save_pairs (j, "labels", &meta->labels);
    sim_save_pairs (j, "annotations", &meta->annotations);
    rp_json_end_object (j);
    rp_json_end_object (j);
  }
}

static void
put_names (RpJson *j, const char *key, const VcNames *n)
{
  put_texts (j, key, n->item, n->n);
}

void
sim_save_node_groups (RpJson *j, const VcNodeGroups *g)
{
  if (g == NULL || !g->given)
    return;
  rp_json_begin_object (j, "affinity");
  rp_json_begin_object (j, "nodeGroupAffinity");
  put_names (j, "requiredDuringSchedulingIgnoredDuringExecution", &g->required);
  put_names (j, "preferredDuringSchedulingIgnoredDuringExecution", &g->preferred);
  rp_json_end_object (j);
  rp_json_begin_object (j, "nodeGroupAntiAffinity");
  put_names (j, "requiredDuringSchedulingIgnoredDuringExecution", &g->anti_required);
  put_names (j, "preferredDuringSchedulingIgnoredDuringExecution", &g->anti_preferred);
  rp_json_end_object (j);
  rp_json_end_object (j);
}

/* ---- network ------------------------------------------------------------------------------------- */

static void
put_topology (RpJson *j, const VcTopologySpec *t)
{
  if (t->mode == VC_TOPOLOGY_NONE)
    return;
  rp_json_begin_object (j, "networkTopology");
  if (t->mode != VC_TOPOLOGY_OTHER)
    rp_json_text (j, "mode", t->mode == VC_TOPOLOGY_HARD ? "hard" : "soft");
  if (t->has_tier)
    rp_json_int (j, "highestTierAllowed", t->tier);
  if (t->tier_name != NULL && *t->tier_name != '\0')
    rp_json_text (j, "highestTierName", t->tier_name);
  rp_json_end_object (j);
}

void
sim_save_sub_groups (RpJson *j, const VcSubJobs *s)
{
  if (s == NULL)
    return;
  put_topology (j, &s->topology);
  if (s->n_policies == 0)
    return;
  rp_json_begin_array (j, "subGroupPolicy");
  for (guint i = 0; i < s->n_policies; i++) {
    const VcSubGroupPolicy *p = &s->policy[i];

    rp_json_begin_object (j, NULL);
    rp_json_text (j, "name", p->name);
    put_topology (j, &p->topology);
    if (p->has_size)
      rp_json_int (j, "subGroupSize", p->size);
    if (p->min_groups != 0)
      rp_json_int (j, "minSubGroups", p->min_groups);
    put_selector (j, "labelSelector", &p->selector);
    put_texts (j, "matchLabelKeys", p->key, p->n_keys);
    rp_json_end_object (j);
  }
  rp_json_end_array (j);
}

void
sim_save_hyper_nodes (RpJson *j, const VcCluster *c)
{
  const guint32 n = vc_hyper_nodes_rows (c->hyper);

  for (guint32 row = 0; row < n; row++) {
    VcHyperNodeObject o;

    if (!vc_hyper_nodes_object (c->hyper, row, &o))
      continue;
    begin_named (j, "topology.volcano.sh/v1alpha1", "HyperNode", NULL, o.name);
    rp_json_begin_object (j, "spec");
    rp_json_int (j, "tier", o.tier);
    if (o.tier_name != NULL && *o.tier_name != '\0')
      rp_json_text (j, "tierName", o.tier_name);
    rp_json_begin_array (j, "members");
    for (guint i = 0; i < o.n_members; i++) {
      const VcMember *m = &o.member[i];

      rp_json_begin_object (j, NULL);
      rp_json_text (j, "type", m->type == VC_MEMBER_NODE ? "Node" : "HyperNode");
      rp_json_begin_object (j, "selector");
      if (m->exact != NULL) {
        rp_json_begin_object (j, "exactMatch");
        rp_json_text (j, "name", m->exact);
        rp_json_end_object (j);
      }
      if (m->pattern != NULL) {
        rp_json_begin_object (j, "regexMatch");
        rp_json_text (j, "pattern", m->pattern);
        rp_json_end_object (j);
      }
      put_selector (j, "labelMatch", &m->labels);
      rp_json_end_object (j);
      rp_json_end_object (j);
    }
    rp_json_end_array (j);
    rp_json_end_object (j);
    rp_json_end_object (j);
  }
}
