/* core/plugins/predicates.c - may this pod run on that node?
 *
 * Policy: the kube-scheduler's filters that read one pod and one node, in this order; every status counts, and one that aborts ends
 * the list (UU: unschedulable and no eviction can help; U: unschedulable now):
 *   pod count           max_pods <= pods mirrored on the node                      U   node(s) pod number exceeded
 *   NodeUnschedulable   cordoned and not tolerated                                 UU  node(s) were unschedulable
 *   NodeAffinity        node selector and required terms do not match              UU  node(s) didn't match Pod's node affinity/selector
 *   TaintToleration     a NoSchedule or NoExecute taint is not tolerated           UU  node(s) had untolerated taint(s)
 *   NodePorts           a host port is taken by a mirrored pod                     U   node(s) didn't have free ports for the requested
 *                                                                                      pod ports
 *   InterPodAffinity    pod-affinity.h                                             UU, U
 *   NodeVolumeLimits    volume-limits.c                                            U
 *   VolumeZone          volume-zone.c                                              UU
 *   PodTopologySpread   topology-spread.h                                          UU, U
 *   VolumeBinding       volume-binding.c                                           UU, Error
 *   DynamicResources    dynamic-resources.h                                        UU, Error
 * The pod count, NodeUnschedulable and DynamicResources cannot be switched off. Resources are not looked at here: the actions do that.
 *
 * PrePredicate must have run for a task in the session before the filters after the pod count and the stable three (NodeUnschedulable,
 * NodeAffinity, TaintToleration) can: without it the first of them answers with an Error, scoring fails as a whole, and the
 * reservation of a placement fails, which rolls it back. For this reason a victim whose eviction is taken back stays out of the
 * mirror for the rest of the session.
 *
 * With predicate.CacheEnable the verdict of the stable three is kept per (node, annotation volcano.sh/template-uid) for the session; a
 * kept refusal is reported as an Error of its own.
 *
 * Example: a node with max_pods 3 and three mirrored pods, tainted a=b:NoSchedule; a pod without tolerations gets two statuses,
 * "node(s) pod number exceeded" and "node(s) had untolerated taint(s)".
 *
 * A filter that PrePredicate once lets skip for a task stays skipped for the session; what it found about other pods holds until it runs
 * again for the task.
 *
 * Mirrors pkg/scheduler/plugins/predicates/{predicates,cache,helper}.go. */
#include "plugins.h"
#include "dynamic-resources.h"
#include "pod-affinity.h"
#include "topology-spread.h"
#include "volume-filters.h"

#define PLUGIN "predicates"

const VcArgSpec vc_predicates_args[] = {
  { "predicate.NodeAffinityEnable", VC_ARG_BOOL, "look at node selectors and required node affinity (default true)" },
  { "predicate.NodePortsEnable", VC_ARG_BOOL, "look at host ports (default true)" },
  { "predicate.TaintTolerationEnable", VC_ARG_BOOL, "look at taints (default true)" },
  { "predicate.CacheEnable", VC_ARG_BOOL, "keep verdicts per node and pod template for a session (default false)" },
  { "predicate.PodAffinityEnable", VC_ARG_BOOL, "look at pod affinity and anti-affinity (default true)" },
  { "predicate.PodTopologySpreadEnable", VC_ARG_BOOL, "look at topology spread constraints (default true)" },
  { "predicate.NodeVolumeLimitsEnable", VC_ARG_BOOL, "look at how many CSI volumes a node attaches (default true)" },
  { "predicate.VolumeZoneEnable", VC_ARG_BOOL, "look at zones of volumes (default true)" },
  { "predicate.VolumeBindingEnable", VC_ARG_BOOL, "look for volumes and bind them (default true)" },
  { "predicate.DynamicResourceAllocationEnable", VC_ARG_BOOL, "no effect, as upstream never reads it" },
  { "predicate.GPUSharingEnable", VC_ARG_BOOL, "no effect, as upstream reads it no more (see deviceshare)" },
  { "volumebinding.bindTimeoutSeconds", VC_ARG_INT, "seconds that a bind waits for its volumes (default 600)" },
  { "volumebinding.weight", VC_ARG_INT, "no effect: upstream's gate StorageCapacityScoring is off" },
  { "volumebinding.shape", VC_ARG_ANY, "no effect, likewise" },
  { "dynamicresources.filterTimeoutSeconds", VC_ARG_INT, "seconds to look for devices on one node, a million steps each (default 10; 0: for ever)" },
  { NULL, VC_ARG_ANY, NULL },
};

enum { VERDICT_UNKNOWN, VERDICT_FITS, VERDICT_REFUSED }; /* of the stable filters, in the equivalence cache */

typedef struct {
  gboolean node_affinity, ports, taints, cache, pod_affinity, spread;
  GHashTable *verdicts; /* template UID (of the pod that came first) -> guint8[n_rows], emptied at session open; NULL without the cache */
  guint32 n_rows;       /* node rows of this session */
  VcTallies *tallies;   /* of pods around nodes */
  VcVolumeFilters *volumes;
  gint64 bind_patience;  /* seconds, -1: binds do not wait for volumes */
  VcDynamicResources *devices;
} Predicates;

static gboolean
predicates_init (gpointer self, const VcPluginOption *option, gboolean lenient, GError **error)
{
  Predicates *p = self;

  p->node_affinity = p->ports = p->taints = p->pod_affinity = p->spread = TRUE;
  vc_args_get_bool (&option->args, "predicate.NodeAffinityEnable", &p->node_affinity);
  vc_args_get_bool (&option->args, "predicate.NodePortsEnable", &p->ports);
  vc_args_get_bool (&option->args, "predicate.TaintTolerationEnable", &p->taints);
  vc_args_get_bool (&option->args, "predicate.CacheEnable", &p->cache);
  vc_args_get_bool (&option->args, "predicate.PodAffinityEnable", &p->pod_affinity);
  vc_args_get_bool (&option->args, "predicate.PodTopologySpreadEnable", &p->spread);
  if (p->cache)
    p->verdicts = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  p->tallies = vc_tallies_new ();
  gboolean limits = TRUE, zone = TRUE, binding = TRUE;
  vc_args_get_bool (&option->args, "predicate.NodeVolumeLimitsEnable", &limits);
  vc_args_get_bool (&option->args, "predicate.VolumeZoneEnable", &zone);
  vc_args_get_bool (&option->args, "predicate.VolumeBindingEnable", &binding);
  p->volumes = vc_volume_filters_new (limits, zone, binding);
  p->bind_patience = binding ? 600 : -1;
  if (binding)
    vc_args_get_int (&option->args, "volumebinding.bindTimeoutSeconds", &p->bind_patience);
  gint64 timeout = -1;
  vc_args_get_int (&option->args, "dynamicresources.filterTimeoutSeconds", &timeout);
  p->devices = vc_dynamic_resources_new (timeout >= 0 ? timeout : 10);
  return TRUE;
}

/* ---- PrePredicate --------------------------------------------------------------------------- */

/* Has PrePredicate run for this task in this session? */
static gboolean
is_prepared (VcSession *ssn, const VcTask *t)
{
  return t->prefilter_done && t->prefilter_session == vc_session_number (ssn);
}

static const char *
predicates_pre_predicate (gpointer self, VcSession *ssn, guint32 task)
{
  const Predicates *p = self;
  VcTask *t = vc_task (vc_session_cluster (ssn), task);
  const VcShape *s = t->shape;

  if (t->prefilter_session != vc_session_number (ssn)) {
    t->prefilter_session = vc_session_number (ssn);
    t->prefilter_done = t->skip_node_affinity = t->skip_ports = t->skip_pod_affinity = t->skip_spread = FALSE;
  }
  t->prefilter_done = TRUE; /* also when it refuses: no action goes on with such a task */
  if (p->node_affinity) {
    if (s->pinned_nowhere)
      return "plugin NodeAffinity pre-predicates failed pod affinity terms conflict";
    t->skip_node_affinity |= !s->needs_node_affinity;
  }
  t->skip_ports |= p->ports && s->n_ports == 0;
  t->skip_pod_affinity |= p->pod_affinity && !vc_pod_affinity_prepare (p->tallies, t);
  t->skip_spread |= s->n_hard_spreads == 0;
  const char *reason = s->spec.n_volumes > 0 ? vc_volume_filters_prepare (p->volumes, task) : NULL;
  if (reason == NULL && t->claims != NULL)
    reason = vc_dynamic_resources_prepare (p->devices, task);
  if (reason != NULL)
    return reason;
  t->prefilter_at = vc_session_cluster (ssn)->n_journal;
  return NULL;
}

/* The reason of the first filter that misses what its part of PrePredicate would have left. */
static const char *
unprepared_reason (const Predicates *p)
{
  if (p->ports)
    return "reading \"PreFilterNodePorts\" from cycleState: not found";
  if (p->pod_affinity)
    return "error reading \"PreFilterInterPodAffinity\" from cycleState: not found";
  if (p->spread)
    return "reading \"PreFilterPodTopologySpread\" from cycleState: not found";
  return "not found"; /* VolumeBinding, or else DynamicResources, which is always there */
}

/* ---- Predicate ------------------------------------------------------------------------------ */

/* The stable filters: NULL when all pass, else the reason of the first that refuses (always UU). */
static const char *
stable_filters (const Predicates *p, const VcShape *s, const VcNodeFacts *node)
{
  if (node->unschedulable && !vc_tolerates_unschedulable (s))
    return "node(s) were unschedulable";
  /* One that PrePredicate let skip has nothing to match, so that its answer is the same. */
  if (p->node_affinity && s->needs_node_affinity && !vc_node_affinity_matches (s, node))
    return "node(s) didn't match Pod's node affinity/selector";
  if (p->taints && node->n_taints > 0 && !vc_tolerates_node (s, node))
    return "node(s) had untolerated taint(s)";
  return NULL;
}

/* Where the cache keeps the verdict on (node, template), or NULL when the pod has no template UID. */
static guint8 *
cached_verdict (const Predicates *p, const VcTask *t, guint32 node)
{
  if (t->template_uid == NULL || *t->template_uid == '\0')
    return NULL;
  guint8 *rows = g_hash_table_lookup (p->verdicts, t->template_uid);

  if (rows == NULL) {
    rows = g_new0 (guint8, p->n_rows);
    g_hash_table_insert (p->verdicts, (gpointer) t->template_uid, rows);
  }
  return &rows[node];
}

/* The stable filters through the equivalence cache. *code tells how a reason counts. */
static const char *
stable_filters_cached (const Predicates *p, const VcTask *t, guint32 node, const VcNodeFacts *facts, VcCode *code)
{
  guint8 *verdict = cached_verdict (p, t, node);

  *code = VC_UNRESOLVABLE;
  if (verdict != NULL && *verdict == VERDICT_FITS)
    return NULL;
  if (verdict != NULL && *verdict == VERDICT_REFUSED) {
    *code = VC_ERROR;
    return "plugin equivalence cache predicates failed";
  }
  const char *reason = stable_filters (p, t->shape, facts);
  if (verdict != NULL)
    *verdict = reason == NULL ? VERDICT_FITS : VERDICT_REFUSED;
  return reason;
}

static gboolean
ports_are_free (const VcShape *s, const VcNode *node)
{
  for (guint32 i = 0; i < node->n_ports; i++)
    for (guint j = 0; j < s->n_ports; j++)
      if (vc_ports_conflict (node->port[i], &s->port[j]))
        return FALSE;
  return TRUE;
}

/* The filters that look at more than the pod and the node. NULL when all pass or are skipped, else the reason of the next that refuses: ask with
 * *i = 0, then on. */
static const char *
relation_filters (const Predicates *p, const VcCluster *c, guint32 task, guint32 node, guint *i, VcCode *code)
{
  enum { POD_AFFINITY, LIMITS, ZONE, SPREAD, BINDING, DEVICES, END };
  const VcTask *t = vc_task (c, task);
  gboolean volumes = t->shape->spec.n_volumes > 0;
  const char *reason = NULL;

  while (reason == NULL && *i < END)
    switch ((*i)++) {
    case POD_AFFINITY:
      if (p->pod_affinity && !t->skip_pod_affinity)
        reason = vc_pod_affinity_filter (p->tallies, t, node, NULL, code);
      break;
    case LIMITS:
      reason = volumes ? vc_volume_filters_ask (p->volumes, VC_VOLUME_LIMITS, task, node, code) : NULL;
      break;
    case ZONE:
      reason = volumes ? vc_volume_filters_ask (p->volumes, VC_VOLUME_ZONE, task, node, code) : NULL;
      break;
    case SPREAD:
      if (p->spread && !t->skip_spread)
        reason = vc_topology_spread_filter (p->tallies, t, node, code);
      break;
    case BINDING:
      reason = volumes ? vc_volume_filters_ask (p->volumes, VC_VOLUME_BINDING, task, node, code) : NULL;
      break;
    case DEVICES:
      reason = t->claims != NULL ? vc_dynamic_resources_filter (p->devices, task, node, code) : NULL;
      break;
    default:
      break;
    }
  return reason;
}

/* The filters of a pod that PrePredicate has not seen: the first that misses what PrePredicate would have left answers with an Error. Those of
 * volume limits and zones need nothing, but stand behind two that do. */
static void
unprepared_filters (const Predicates *p, const VcCluster *c, guint32 task, guint32 node, VcFitError *e)
{
  static const VcVolumeFilter filters[] = { VC_VOLUME_LIMITS, VC_VOLUME_ZONE };
  VcCode code;

  for (guint i = 0; !p->ports && !p->pod_affinity && vc_task (c, task)->shape->spec.n_volumes > 0 && i < G_N_ELEMENTS (filters); i++) {
    const char *reason = vc_volume_filters_ask (p->volumes, filters[i], task, node, &code);

    if (reason != NULL)
      vc_fit_error_add (e, code, reason, "");
    if (reason != NULL && code != VC_UNSCHEDULABLE)
      return;
  }
  vc_fit_error_add (e, VC_ERROR, unprepared_reason (p), "");
}

static gboolean
predicates_predicate (gpointer self, VcSession *ssn, guint32 task, guint32 node, VcFitError *e)
{
  const Predicates *p = self;
  const VcCluster *c = vc_session_cluster (ssn);
  const VcTask *t = vc_task (c, task);
  const VcNode *info = &c->nodes.info[node];
  gboolean fits = TRUE;
  VcCode code = VC_UNRESOLVABLE;

  if (!info->ready) {
    vc_fit_error_add (e, VC_ERROR, "node info not found", PLUGIN);
    return FALSE;
  }
  if ((gint64) info->max_pods <= c->nodes.mirror_pods[node]) {
    vc_fit_error_add (e, VC_UNSCHEDULABLE, "node(s) pod number exceeded", PLUGIN);
    fits = FALSE;
  }
  const char *reason = p->cache ? stable_filters_cached (p, t, node, &info->facts, &code) : stable_filters (p, t->shape, &info->facts);
  if (reason != NULL) {
    vc_fit_error_add (e, code, reason, code == VC_ERROR ? "predicate.CacheEnable" : "");
    return FALSE;
  }
  if (!is_prepared (ssn, t)) {
    unprepared_filters (p, c, task, node, e);
    return FALSE;
  }
  if (p->ports && t->shape->n_ports > 0 && !ports_are_free (t->shape, info)) {
    vc_fit_error_add (e, VC_UNSCHEDULABLE, "node(s) didn't have free ports for the requested pod ports", "");
    fits = FALSE;
  }
  for (guint i = 0; (reason = relation_filters (p, c, task, node, &i, &code)) != NULL;) {
    vc_fit_error_add (e, code, reason, "");
    fits = FALSE;
    if (code != VC_UNSCHEDULABLE)
      break;
  }
  return fits;
}

/* Pod slots, and a host port once. Filters that look further make the scope wider. */
static guint32
predicates_room (gpointer self, VcSession *ssn, guint32 task, guint32 node)
{
  const Predicates *p = self;
  const VcCluster *c = vc_session_cluster (ssn);
  const VcShape *s = vc_task (c, task)->shape;
  const VcNode *info = &c->nodes.info[node];
  gint64 slots = (gint64) info->max_pods - c->nodes.mirror_pods[node];

  if (!info->ready || slots <= 0 || stable_filters (p, s, &info->facts) != NULL)
    return 0;
  if (p->ports && s->n_ports > 0)
    return ports_are_free (s, info) ? 1 : 0;
  return (guint32) MIN (slots, VC_ROOM_MAX);
}

/* Entries may hold any number that is not 0: it stays where the node passes. */
static void
predicates_column (gpointer self, VcSession *ssn, guint32 task, const guint32 *nodes, guint n, guint8 *ok)
{
  const Predicates *p = self;
  const VcCluster *c = vc_session_cluster (ssn);
  const VcNodes *all = &c->nodes;
  const VcTask *t = vc_task (c, task);
  const VcShape *s = t->shape;
  gboolean prepared = is_prepared (ssn, t);

  if (p->cache) /* as the scalar form, before anything else refuses: each call may fill the cache */
    for (guint i = 0; i < n; i++) {
      const VcNode *info = &all->info[nodes[i]];
      VcCode ignored;

      if (ok[i] && info->ready && stable_filters_cached (p, t, nodes[i], &info->facts, &ignored) != NULL)
        ok[i] = 0;
    }
  for (guint i = 0; i < n; i++) {
    const VcNode *info = &all->info[nodes[i]];

    if (!(prepared & info->ready & (info->max_pods > (gint64) all->mirror_pods[nodes[i]])))
      ok[i] = 0;
  }
  gboolean affinity = !p->cache && p->node_affinity && s->needs_node_affinity;
  gboolean cordons = !p->cache && all->n_unschedulable > 0 && !vc_tolerates_unschedulable (s);
  gboolean taints = !p->cache && p->taints && all->n_hard_taints > 0;
  gboolean ports = p->ports && s->n_ports > 0 && all->n_with_ports > 0;
  gboolean relations = prepared && ((p->pod_affinity && !t->skip_pod_affinity) || (p->spread && !t->skip_spread) || s->spec.n_volumes > 0 || t->claims != NULL);

  if (!affinity && !cordons && !taints && !ports && !relations)
    return;
  for (guint i = 0; i < n; i++) {
    const VcNode *info = &all->info[nodes[i]];
    guint step = 0;
    VcCode ignored;

    if (!ok[i])
      continue;
    if ((cordons && info->facts.unschedulable) || (affinity && !vc_node_affinity_matches (s, &info->facts))
        || (taints && info->facts.n_taints > 0 && !vc_tolerates_node (s, &info->facts))
        || (ports && info->n_ports > 0 && !ports_are_free (s, info)) || (relations && relation_filters (p, c, task, nodes[i], &step, &ignored) != NULL))
      ok[i] = 0;
  }
}

/* A verdict from the equivalence cache depends on which task of the template came first, one on other pods on these and on the task's labels,
 * one on volumes on what others have taken. */
static VcScope
predicates_scope (gpointer self, VcSession *ssn, const VcShape *s)
{
  const Predicates *p = self;
  gboolean pods = s->spec.affinity.n_required > 0 || s->spec.anti_affinity.n_required > 0 || vc_tallies_n_listed (p->tallies) > 0;

  return p->cache || (p->pod_affinity && pods) || (p->spread && s->n_hard_spreads > 0) || s->spec.n_volumes > 0 || s->spec.has_claims ? VC_SCOPE_CLUSTER : VC_SCOPE_NODE;
}

/* ---- scores and events ---------------------------------------------------------------------- */

/* Volumes and claims score nothing for pods without any, but even so their scorers need PrePredicate. */
static gboolean
predicates_batch_score (gpointer self, VcSession *ssn, guint32 task, const guint32 *nodes, guint n, double *score)
{
  const Predicates *p = self;
  const VcTask *t = vc_task (vc_session_cluster (ssn), task);

  return is_prepared (ssn, t) && (t->claims == NULL || vc_dynamic_resources_score (p->devices, task, nodes, n, score));
}

/* The score of claims is normalised, and looks at what is taken elsewhere. */
static VcScope
batch_scope (gpointer self, VcSession *ssn, const VcShape *s)
{
  return s->spec.has_claims ? VC_SCOPE_CLUSTER : VC_SCOPE_NODE;
}

static gboolean
predicates_allocated (gpointer self, VcSession *ssn, guint32 task)
{
  const Predicates *p = self;
  VcCluster *c = vc_session_cluster (ssn);
  const VcTask *t = vc_task (c, task);

  if (t->node == VC_NONE || !c->nodes.info[t->node].ready)
    return TRUE; /* only logged upstream */
  if (!is_prepared (ssn, t))
    return FALSE; /* VolumeBinding's Reserve, or else DynamicResources', finds no state */
  if (t->shape->spec.n_volumes > 0)
    vc_volume_filters_reserve (p->volumes, task);
  if (t->claims != NULL && !vc_dynamic_resources_reserve (p->devices, task, t->bound_to))
    return FALSE;
  if (vc_devices_asked (vc_session_devices (ssn), t->shape) && !vc_devices_allocate (vc_session_devices (ssn), task))
    return FALSE;
  vc_mirror_add (c, task);
  return TRUE;
}

static void
predicates_deallocated (gpointer self, VcSession *ssn, guint32 task)
{
  const Predicates *p = self;
  VcCluster *c = vc_session_cluster (ssn);
  const VcTask *t = vc_task (c, task);

  if (t->claims != NULL && t->node != VC_NONE && c->nodes.info[t->node].ready)
    vc_dynamic_resources_unreserve (p->devices, task);
  if (t->shape->spec.n_volumes > 0 && t->node != VC_NONE && c->nodes.info[t->node].ready)
    vc_volume_filters_unreserve (p->volumes, task);
  if (t->node != VC_NONE && c->nodes.info[t->node].ready && vc_devices_asked (vc_session_devices (ssn), t->shape))
    vc_devices_release (vc_session_devices (ssn), task);
  vc_mirror_remove (c, task);
}

/* A dry run of evictions asks pod affinity and devices; the sums of affinity can follow what the run takes away once PrePredicate has made them. */
static gboolean
predicates_simulate_remove (gpointer self, VcSession *ssn, gpointer state, guint32 task, guint32 changed, guint32 node)
{
  const Predicates *p = self;
  VcSimState *run = state;

  if (!p->pod_affinity)
    return TRUE;
  if (run->gone != NULL)
    g_array_append_val (run->gone, changed);
  return is_prepared (ssn, vc_task (vc_session_cluster (ssn), task));
}

static gboolean
predicates_simulate_add (gpointer self, VcSession *ssn, gpointer state, guint32 task, guint32 changed, guint32 node)
{
  const Predicates *p = self;
  VcSimState *run = state;

  if (!p->pod_affinity)
    return TRUE;
  for (guint i = run->gone != NULL ? run->gone->len : 0; i-- > 0;)
    if (g_array_index (run->gone, guint32, i) == changed) {
      g_array_remove_index_fast (run->gone, i);
      break;
    }
  return is_prepared (ssn, vc_task (vc_session_cluster (ssn), task));
}

static gboolean
predicates_simulate (gpointer self, VcSession *ssn, gpointer state, guint32 task, guint32 changed, guint32 node)
{
  const Predicates *p = self;
  const VcTask *t = vc_task (vc_session_cluster (ssn), task);
  const VcSimState *run = state;
  VcDevices *devices = vc_session_devices (ssn);
  VcCode ignored;

  if (p->pod_affinity &&
      (!is_prepared (ssn, t) || (!t->skip_pod_affinity && vc_pod_affinity_filter (p->tallies, t, node, run->gone, &ignored) != NULL)))
    return FALSE;
  if (!vc_devices_asked (devices, t->shape))
    return TRUE;
  return vc_devices_fit_without (devices, task, node, run->off != NULL ? (const guint32 *) (gpointer) run->off->data : NULL, run->off != NULL ? run->off->len : 0);
}

static void
predicates_session_open (gpointer self, VcSession *ssn)
{
  Predicates *p = self;

  VcCluster *c = vc_session_cluster (ssn);

  p->n_rows = c->nodes.n;
  vc_tallies_open (p->tallies, c, p->pod_affinity && c->n_repelling > 0 ? vc_pod_affinity_repels : NULL);
  vc_mirror_journal (c, c->n_pod_terms > 0 || c->n_spreading > 0);
  vc_volume_filters_open (p->volumes, c);
  vc_dynamic_resources_open (p->devices, ssn);
  if (p->cache)
    g_hash_table_remove_all (p->verdicts);
  vc_session_add_handlers (ssn, predicates_allocated, predicates_deallocated);
  vc_session_add_pre_predicate (ssn, predicates_pre_predicate);
  vc_session_add_predicate (ssn, predicates_predicate, predicates_column, predicates_scope);
  vc_session_add_room (ssn, predicates_room);
  vc_session_add_batch_node_order (ssn, predicates_batch_score, batch_scope);
  vc_session_add_simulation (ssn, predicates_simulate, predicates_simulate_add, predicates_simulate_remove, NULL);
}

static void
predicates_session_close (gpointer self, VcSession *ssn)
{
  vc_mirror_journal (vc_session_cluster (ssn), FALSE);
}

static gint64
predicates_bind_patience (gpointer self)
{
  return ((const Predicates *) self)->bind_patience;
}

static void
predicates_clear (gpointer self)
{
  Predicates *p = self;

  g_clear_pointer (&p->verdicts, g_hash_table_unref);
  vc_tallies_free (p->tallies);
  vc_volume_filters_free (p->volumes);
  vc_dynamic_resources_free (p->devices);
}

static void
predicates_explain (gpointer self, VcSession *ssn, guint32 task, guint32 node, GString *out)
{
  const VcTask *t = vc_task (vc_session_cluster (ssn), task);

  if (t->claims != NULL && is_prepared (ssn, t))
    vc_dynamic_resources_explain (((const Predicates *) self)->devices, task, node, out);
}

const VcPluginClass vc_plugin_predicates = {
  .name = PLUGIN,
  .summary = VC_PREDICATES_SUMMARY,
  .args = vc_predicates_args,
  .instance_size = sizeof (Predicates),
  .init = predicates_init,
  .session_open = predicates_session_open,
  .session_close = predicates_session_close,
  .clear = predicates_clear,
  .bind_patience = predicates_bind_patience,
  .explain = predicates_explain,
};
