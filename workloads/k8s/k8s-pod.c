#include "k8s-fields.h"
#include <stddef.h>

/* ---- node affinity -------------------------------------------------------------------------- */
typedef struct {
  K8sExpressions labels, fields;
} RawTerm;
typedef struct {
  gint32 weight;
  VcNodeTerm term;
} RawPreferred;
static gboolean
read_term (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "matchExpressions", k8s_node_expressions, offsetof (RawTerm, labels) },
    { "matchFields", k8s_node_expressions, offsetof (RawTerm, fields) },
  };
  RawTerm raw = { 0 };
  VcNodeTerm *term = out;

  if (!K8S_FIELDS (r, node, fields, &raw))
    return FALSE;
  term->label = raw.labels.item;
  term->n_labels = raw.labels.n;
  term->field = raw.fields.item;
  term->n_fields = raw.fields.n;
  return TRUE;
}

gboolean
k8s_node_terms (K8sReader *r, struct fy_node *node, gpointer out)
{
  K8sNodeTerms *list = out;
  gpointer items;
  if (!k8s_list (r, node, sizeof (VcNodeTerm), read_term, &items, &list->n))
    return FALSE;
  list->item = items;
  return TRUE;
}

static gboolean
read_required (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "nodeSelectorTerms", k8s_node_terms, 0 } };
  VcPodSpec *spec = out;
  K8sNodeTerms terms = { 0 };

  if (!K8S_FIELDS (r, node, fields, &terms))
    return FALSE;
  spec->has_required = TRUE;
  spec->required = terms.item;
  spec->n_required = terms.n;
  return TRUE;
}

static gboolean
read_preferred_term (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "weight", k8s_int32, offsetof (RawPreferred, weight) },
    { "preference", read_term, offsetof (RawPreferred, term) },
  };
  RawPreferred raw = { 0 };

  if (!K8S_FIELDS (r, node, fields, &raw))
    return FALSE;
  raw.term.weight = raw.weight;
  *(VcNodeTerm *) out = raw.term;
  return TRUE;
}

static gboolean
read_preferred (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcPodSpec *spec = out;
  gpointer items;
  if (!k8s_list (r, node, sizeof (VcNodeTerm), read_preferred_term, &items, &spec->n_preferred))
    return FALSE;
  spec->preferred = items;
  return TRUE;
}

static gboolean
read_node_affinity (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "requiredDuringSchedulingIgnoredDuringExecution", read_required, 0 },
    { "preferredDuringSchedulingIgnoredDuringExecution", read_preferred, 0 },
  };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_pod_affinity (K8sReader *r, struct fy_node *node, gpointer out)
{
  return k8s_pod_terms (r, node, &((VcPodSpec *) out)->affinity);
}

static gboolean
read_pod_anti_affinity (K8sReader *r, struct fy_node *node, gpointer out)
{
  return k8s_pod_terms (r, node, &((VcPodSpec *) out)->anti_affinity);
}

static gboolean
read_affinity (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "nodeAffinity", read_node_affinity, 0 },
    { "podAffinity", read_pod_affinity, 0 },
    { "podAntiAffinity", read_pod_anti_affinity, 0 },
  };
  return K8S_FIELDS (r, node, fields, out);
}

/* ---- containers ----------------------------------------------------------------------------- */
typedef struct {
  const char *ip, *protocol;
  gint32 host_port;
} RawPort;
typedef struct {
  const RawPort *item;
  guint n;
} Ports;
typedef struct {
  VcAmounts requests, limits;
} RawResources;
typedef struct {
  const char *name, *image, *restart;
  RawResources resources;
  Ports ports;
} RawContainer;
typedef struct {
  const RawContainer *item;
  guint n;
} Containers;
typedef struct {
  const char *name;
  gboolean has_resources;
  RawResources resources;
  VcAmounts allocated;
} RawStatus;
typedef struct {
  const RawStatus *item;
  guint n;
} Statuses;

static const K8sField resources_fields[] = {
  { "requests", k8s_amounts, offsetof (RawResources, requests) },
  { "limits", k8s_amounts, offsetof (RawResources, limits) },
};

static gboolean
read_resources (K8sReader *r, struct fy_node *node, gpointer out)
{
  return K8S_FIELDS (r, node, resources_fields, out);
}

static gboolean
read_port (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "hostIP", k8s_text, offsetof (RawPort, ip) },
    { "protocol", k8s_text, offsetof (RawPort, protocol) },
    { "hostPort", k8s_int32, offsetof (RawPort, host_port) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_ports (K8sReader *r, struct fy_node *node, gpointer out)
{
  Ports *list = out;
  gpointer items;
  if (!k8s_list (r, node, sizeof (RawPort), read_port, &items, &list->n))
    return FALSE;
  list->item = items;
  return TRUE;
}

static gboolean
read_container (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "name", k8s_text, offsetof (RawContainer, name) },
    { "image", k8s_text, offsetof (RawContainer, image) },
    { "restartPolicy", k8s_text, offsetof (RawContainer, restart) },
    { "resources", read_resources, offsetof (RawContainer, resources) },
    { "ports", read_ports, offsetof (RawContainer, ports) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_containers (K8sReader *r, struct fy_node *node, gpointer out)
{
  Containers *list = out;
  gpointer items;
  if (!k8s_list (r, node, sizeof (RawContainer), read_container, &items, &list->n))
    return FALSE;
  list->item = items;
  return TRUE;
}

static gboolean
read_status_resources (K8sReader *r, struct fy_node *node, gpointer out)
{
  RawStatus *status = out;
  status->has_resources = TRUE;
  return read_resources (r, node, &status->resources);
}

static gboolean
read_status (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "name", k8s_text, offsetof (RawStatus, name) },
    { "resources", read_status_resources, 0 },
    { "allocatedResources", k8s_amounts, offsetof (RawStatus, allocated) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_statuses (K8sReader *r, struct fy_node *node, gpointer out)
{
  Statuses *list = out;
  gpointer items;
  if (!k8s_list (r, node, sizeof (RawStatus), read_status, &items, &list->n))
    return FALSE;
  list->item = items;
  return TRUE;
}

/* The greater of both lists, name by name. Both ascend by name. */
static VcAmounts
greatest (K8sReader *r, VcAmounts a, VcAmounts b)
{
  VcAmount *item = vc_arena_new0 (r->arena, VcAmount, a.n + b.n);
  guint n = 0, i = 0, k = 0;

  while (i < a.n || k < b.n) {
    int c = i == a.n ? 1 : k == b.n ? -1 : strcmp (a.item[i].name, b.item[k].name);
    item[n] = c <= 0 ? a.item[i] : b.item[k];
    if (c == 0) {
      item[n].q.value = MAX (item[n].q.value, b.item[k].q.value);
      item[n].q.milli = MAX (item[n].q.milli, b.item[k].q.milli);
    }
    n++;
    i += c <= 0;
    k += c >= 0;
  }
  return (VcAmounts){ item, n, TRUE };
}

/* The request that counts while a container may be resized in place: the greatest of what the spec
 * asks for, what the node has set and what it has allocated. A resize that the node has called
 * infeasible does not count. */
static VcAmounts
effective_request (K8sReader *r, const RawContainer *c, GHashTable *statuses, gboolean infeasible)
{
  const RawStatus *status
      = statuses != NULL ? g_hash_table_lookup (statuses, c->name != NULL ? c->name : "") : NULL;

  if (status == NULL || !status->has_resources)
    return c->resources.requests;
  VcAmounts amounts = greatest (r, status->resources.requests, status->allocated);
  return infeasible ? amounts : greatest (r, c->resources.requests, amounts);
}

/* Likewise for the limit, which knows no allocated amount and no infeasible resize. */
static VcAmounts
effective_limit (K8sReader *r, const RawContainer *c, GHashTable *statuses)
{
  const RawStatus *status
      = statuses != NULL ? g_hash_table_lookup (statuses, c->name != NULL ? c->name : "") : NULL;

  return status == NULL || !status->has_resources
             ? c->resources.limits
             : greatest (r, c->resources.limits, status->resources.limits);
}

static GHashTable *
index_statuses (const Statuses *list)
{
  gboolean any = FALSE;
  for (guint i = 0; i < list->n; i++)
    any = any || list->item[i].has_resources;
  if (!any)
    return NULL;
  GHashTable *index = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < list->n; i++) /* the last of a name counts */
    g_hash_table_replace (index, (gpointer) (list->item[i].name != NULL ? list->item[i].name : ""),
                          (gpointer) &list->item[i]);
  return index;
}

static void
set_ports (K8sReader *r, const Ports *ports, VcContainer *out)
{
  guint n = 0;

  for (guint i = 0; i < ports->n; i++)
    n += ports->item[i].host_port > 0;
  if (n == 0)
    return;
  VcHostPort *port = vc_arena_new0 (r->arena, VcHostPort, n);
  out->port = port;
  for (guint i = 0; i < ports->n; i++) {
    const RawPort *p = &ports->item[i];
    if (p->host_port <= 0)
      continue;
    port[out->n_ports++] = (VcHostPort){
      .ip = p->ip != NULL && *p->ip != '\0' ? p->ip : "0.0.0.0",
      .protocol = p->protocol != NULL && *p->protocol != '\0' ? p->protocol : "TCP",
      .port = p->host_port,
    };
  }
}

static void
add_containers (K8sReader *r, const Containers *list, const Statuses *statuses, gboolean init,
                gboolean infeasible, VcContainer *out)
{
  g_autoptr (GHashTable) index = index_statuses (statuses);

  for (guint i = 0; i < list->n; i++) {
    const RawContainer *c = &list->item[i];
    VcContainer *o = &out[i];
    o->name = c->name;
    o->image = c->image;
    o->init = init;
    o->sidecar = init && g_strcmp0 (c->restart, "Always") == 0;
    gboolean runs_along = !init || o->sidecar;
    o->request = effective_request (r, c, runs_along ? index : NULL, infeasible);
    o->limit = effective_limit (r, c, runs_along ? index : NULL);
    if (runs_along)
      set_ports (r, &c->ports, o);
  }
}

/* ---- the pod -------------------------------------------------------------------------------- */
typedef struct {
  VcPodSpec *spec;
  Containers containers, init_containers;
  const char *node, *scheduler, *preemption;
  RawResources resources;
  K8sInt32 priority;
} RawSpec;
typedef struct {
  const char *type, *status, *reason;
  gint64 since;
} RawCondition;
typedef struct {
  const char *phase, *nominated, *qos;
  gint64 start;
  const RawCondition *condition;
  guint n_conditions;
  Statuses containers, init_containers;
  struct fy_node *claims; /* resourceClaimStatuses, read when the entries are known */
} RawPodStatus;

static gboolean
read_spec_affinity (K8sReader *r, struct fy_node *node, gpointer out)
{
  return read_affinity (r, node, ((RawSpec *) out)->spec);
}

static gboolean
read_spread (K8sReader *r, struct fy_node *node, gpointer out)
{
  return k8s_spread_constraints (r, node, ((RawSpec *) out)->spec);
}

static gboolean
read_volumes (K8sReader *r, struct fy_node *node, gpointer out)
{
  return k8s_pod_volumes (r, node, ((RawSpec *) out)->spec);
}

static gboolean
read_toleration (K8sReader *r, struct fy_node *node, gpointer out)
{
  typedef struct {
    const char *key, *value, *effect, *op;
    K8sInt32 seconds;
  } Raw;
  static const K8sField fields[] = {
    { "key", k8s_text, offsetof (Raw, key) },
    { "value", k8s_text, offsetof (Raw, value) },
    { "effect", k8s_text, offsetof (Raw, effect) },
    { "operator", k8s_text, offsetof (Raw, op) },
    { "tolerationSeconds", k8s_given_int32, offsetof (Raw, seconds) },
  };
  Raw raw = { 0 };

  if (!K8S_FIELDS (r, node, fields, &raw))
    return FALSE;
  VcTolerateOp op = VC_TOLERATE_OTHER;
  if (raw.op == NULL || *raw.op == '\0' || strcmp (raw.op, "Equal") == 0)
    op = VC_TOLERATE_EQUAL;
  else if (strcmp (raw.op, "Exists") == 0)
    op = VC_TOLERATE_EXISTS;
  *(VcToleration *) out = (VcToleration){ raw.key, raw.value, raw.effect, op, raw.seconds.given, raw.seconds.value };
  return TRUE;
}

static gboolean
read_tolerations (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcPodSpec *spec = ((RawSpec *) out)->spec;
  gpointer items;
  if (!k8s_list (r, node, sizeof (VcToleration), read_toleration, &items, &spec->n_tolerations))
    return FALSE;
  spec->toleration = items;
  return TRUE;
}

static gboolean
read_gate (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "name", k8s_text, 0 } };
  *(const char **) out = "";
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_gates (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcPodSpec *spec = ((RawSpec *) out)->spec;
  gpointer items;
  if (!k8s_list (r, node, sizeof (char *), read_gate, &items, &spec->n_gates))
    return FALSE;
  spec->gate = items;
  return TRUE;
}

static gboolean
read_node_selector (K8sReader *r, struct fy_node *node, gpointer out)
{
  return k8s_pairs (r, node, &((RawSpec *) out)->spec->node_selector);
}

static gboolean
read_overhead (K8sReader *r, struct fy_node *node, gpointer out)
{
  return k8s_amounts (r, node, &((RawSpec *) out)->spec->overhead);
}

static gboolean
read_priority_class (K8sReader *r, struct fy_node *node, gpointer out)
{
  return k8s_text (r, node, &((RawSpec *) out)->spec->priority_class);
}

static gboolean
read_resource_claims (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcPodSpec *spec = ((RawSpec *) out)->spec;
  K8sPodClaims claims = { 0 };

  if (!k8s_pod_claims (r, node, &claims))
    return FALSE;
  spec->claim = claims.item;
  spec->n_claims = claims.n;
  spec->has_claims = claims.n > 0;
  return TRUE;
}

static gboolean
read_spec (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "containers", read_containers, offsetof (RawSpec, containers) },
    { "initContainers", read_containers, offsetof (RawSpec, init_containers) },
    { "nodeName", k8s_text, offsetof (RawSpec, node) },
    { "schedulerName", k8s_text, offsetof (RawSpec, scheduler) },
    { "priority", k8s_given_int32, offsetof (RawSpec, priority) },
    { "priorityClassName", read_priority_class, 0 },
    { "preemptionPolicy", k8s_text, offsetof (RawSpec, preemption) },
    { "tolerations", read_tolerations, 0 },
    { "nodeSelector", read_node_selector, 0 },
    { "affinity", read_spec_affinity, 0 },
    { "overhead", read_overhead, 0 },
    { "resources", read_resources, offsetof (RawSpec, resources) },
    { "schedulingGates", read_gates, 0 },
    { "volumes", read_volumes, 0 },
    { "topologySpreadConstraints", read_spread, 0 },
    { "resourceClaims", read_resource_claims, 0 },
  };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_condition (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "type", k8s_text, offsetof (RawCondition, type) },
    { "status", k8s_text, offsetof (RawCondition, status) },
    { "reason", k8s_text, offsetof (RawCondition, reason) },
    { "lastTransitionTime", k8s_time, offsetof (RawCondition, since) },
  };

  ((RawCondition *) out)->since = VC_NO_TIME;
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_conditions (K8sReader *r, struct fy_node *node, gpointer out)
{
  RawPodStatus *status = out;
  gpointer items;
  if (!k8s_list (r, node, sizeof (RawCondition), read_condition, &items, &status->n_conditions))
    return FALSE;
  status->condition = items;
  return TRUE;
}

static gboolean
read_pod_status (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "phase", k8s_text, offsetof (RawPodStatus, phase) },
    { "nominatedNodeName", k8s_text, offsetof (RawPodStatus, nominated) },
    { "conditions", read_conditions, 0 },
    { "startTime", k8s_time, offsetof (RawPodStatus, start) },
    { "qosClass", k8s_text, offsetof (RawPodStatus, qos) },
    { "containerStatuses", read_statuses, offsetof (RawPodStatus, containers) },
    { "initContainerStatuses", read_statuses, offsetof (RawPodStatus, init_containers) },
    { "resourceClaimStatuses", k8s_node, offsetof (RawPodStatus, claims) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

/* The first condition of a type decides. */
static const RawCondition *
find_condition (const RawPodStatus *status, const char *type)
{
  for (guint i = 0; i < status->n_conditions; i++)
    if (g_strcmp0 (status->condition[i].type, type) == 0)
      return &status->condition[i];
  return NULL;
}

static VcPodPhase
phase_of (const char *text)
{
  static const struct {
    const char *name;
    VcPodPhase phase;
  } phases[] = {
    { "Pending", VC_POD_PENDING }, { "Running", VC_POD_RUNNING }, { "Succeeded", VC_POD_SUCCEEDED },
    { "Failed", VC_POD_FAILED },   { "Unknown", VC_POD_UNKNOWN },
  };
  for (guint i = 0; text != NULL && i < G_N_ELEMENTS (phases); i++)
    if (strcmp (text, phases[i].name) == 0)
      return phases[i].phase;
  return VC_POD_NONE;
}

static VcQos
qos_of (const char *text)
{
  static const char *const names[]
      = { [VC_QOS_BEST_EFFORT] = "BestEffort", [VC_QOS_BURSTABLE] = "Burstable", [VC_QOS_GUARANTEED] = "Guaranteed" };

  if (text == NULL || *text == '\0')
    return VC_QOS_UNSET;
  for (guint i = VC_QOS_BEST_EFFORT; i < G_N_ELEMENTS (names); i++)
    if (strcmp (text, names[i]) == 0)
      return (VcQos) i;
  return VC_QOS_OTHER;
}

/* Pod-level requests or limits: only these names are honoured, and without any of them the list counts as not
 * given. */
static VcAmounts
pod_level_amounts (K8sReader *r, const VcAmounts *all)
{
  VcAmount *item = vc_arena_new0 (r->arena, VcAmount, all->n);
  guint n = 0;

  for (guint i = 0; i < all->n; i++) {
    const char *name = all->item[i].name;
    if (strcmp (name, "cpu") == 0 || strcmp (name, "memory") == 0
        || g_str_has_prefix (name, "hugepages-"))
      item[n++] = all->item[i];
  }
  return (VcAmounts){ item, n, n > 0 };
}

/* What follows from the fields together. */
static void
finish_spec (K8sReader *r, const RawSpec *raw, const RawPodStatus *status, gboolean infeasible)
{
  VcPodSpec *out = raw->spec;

  out->has_priority = raw->priority.given;
  out->priority = raw->priority.value;
  out->never_preempts = g_strcmp0 (raw->preemption, "Never") == 0;
  if (raw->resources.requests.given)
    out->pod_level = pod_level_amounts (r, &raw->resources.requests);
  if (raw->resources.limits.given)
    out->pod_limit = pod_level_amounts (r, &raw->resources.limits);
  VcContainer *containers
      = vc_arena_new0 (r->arena, VcContainer, raw->init_containers.n + raw->containers.n);
  add_containers (r, &raw->init_containers, &status->init_containers, TRUE, infeasible, containers);
  add_containers (r, &raw->containers, &status->containers, FALSE, infeasible,
                  containers + raw->init_containers.n);
  out->container = containers;
  out->n_containers = raw->init_containers.n + raw->containers.n;
}

gboolean
k8s_read_pod (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcPodObject *out)
{
  RawSpec spec = { .spec = &out->spec };
  RawPodStatus status = { .start = VC_NO_TIME };

  out->ns = meta->ns;
  out->name = meta->name;
  out->annotations = meta->annotations;
  out->labels = meta->labels;
  out->created = meta->created;
  out->deleting = meta->deleted != VC_NO_TIME;
  out->uid = meta->uid;
  if (out->uid == NULL || *out->uid == '\0') {
    g_autofree char *uid = g_strconcat (meta->ns, "-", meta->name, NULL);
    out->uid = vc_arena_strdup (r->arena, uid);
  }
  if (!k8s_field (r, "spec", top->spec, read_spec, &spec)
      || !k8s_field (r, "status", top->status, read_pod_status, &status))
    return FALSE;
  K8sPodClaims claims = { (VcPodClaim *) out->spec.claim, out->spec.n_claims };
  if (!k8s_field (r, "status.resourceClaimStatuses", status.claims, k8s_pod_claim_statuses, &claims))
    return FALSE;

  const RawCondition *disruption = find_condition (&status, "DisruptionTarget");
  out->preemption_victim = disruption != NULL && g_strcmp0 (disruption->status, "True") == 0
                           && g_strcmp0 (disruption->reason, "PreemptionByScheduler") == 0;
  out->phase = phase_of (status.phase);
  out->scheduled_time = VC_NO_TIME;
  for (guint i = 0; i < status.n_conditions; i++)
    if (g_strcmp0 (status.condition[i].type, "PodScheduled") == 0
        && g_strcmp0 (status.condition[i].status, "True") == 0) {
      out->scheduled_time = status.condition[i].since;
      break;
    }
  out->nominated_node = status.nominated;
  out->start_time = status.start;
  out->node = spec.node;
  out->scheduler_name = spec.scheduler;
  out->spec.qos = qos_of (status.qos);

  const RawCondition *resize = find_condition (&status, "PodResizePending");
  gboolean infeasible = resize != NULL && g_strcmp0 (resize->reason, "Infeasible") == 0;
  finish_spec (r, &spec, &status, infeasible);
  return TRUE;
}

gboolean
k8s_pod_template_spec (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const RawPodStatus nothing = { .start = VC_NO_TIME };
  K8sTemplateSpec *t = out;
  RawSpec spec = { .spec = &t->spec };

  if (!read_spec (r, node, &spec))
    return FALSE;
  t->scheduler = spec.scheduler;
  t->node = spec.node != NULL && *spec.node != '\0' ? spec.node : NULL;
  finish_spec (r, &spec, &nothing, FALSE);
  return TRUE;
}
