/* Dynamic resource allocation: ResourceClaim, ResourceClaimTemplate, DeviceClass, and the claims of a pod. ResourceSlices are in k8s-slices.c.
 *
 * Opaque configuration decides nothing and is passed over, and so is a class's extendedResourceName: Volcano never fills the cache that would
 * read it. */
#include "k8s-claims.h"
#include <stddef.h>
#include <string.h>

gboolean
k8s_check_resource_version (K8sReader *r, const K8sTop *top)
{
  return strcmp (top->api_version, "resource.k8s.io/v1") == 0 || strcmp (top->api_version, "resource.k8s.io/v1beta2") == 0
         || k8s_refuse (r, NULL, "apiVersion: expected resource.k8s.io/v1 or v1beta2, found '%s'", top->api_version);
}

/* ---- maps of structures ------------------------------------------------------------------------ */

static int
compare_names (const void *a, const void *b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

gboolean
k8s_named (K8sReader *r, struct fy_node *node, gsize size, K8sRead read, gpointer *items, guint *n)
{
  void *it = NULL;
  guint count = 0, i = 0;

  if (!fy_node_is_mapping (node))
    return k8s_expected (r, node, "a mapping");
  while (fy_node_mapping_iterate (node, &it) != NULL)
    count++;
  char *list = vc_arena_alloc (r->arena, size * count);
  it = NULL;
  for (struct fy_node_pair *pair; (pair = fy_node_mapping_iterate (node, &it)) != NULL; i++) {
    struct fy_node *key = fy_node_pair_key (pair), *value = fy_node_pair_value (pair);
    const char **name = (const char **) (gpointer) (list + size * i);

    if (!k8s_resolve (r, &key) || key == NULL || !k8s_text (r, key, name))
      return key != NULL ? FALSE : k8s_expected (r, key, "a text as key");
    const K8sPath frame = { .up = r->path, .key = *name, .key_len = strlen (*name), .at = key };
    r->path = &frame;
    gboolean ok = k8s_resolve (r, &value) && (value != NULL ? read (r, value, name) : k8s_expected (r, NULL, "a value"));
    r->path = frame.up;
    if (!ok)
      return FALSE;
  }
  qsort (list, count, size, compare_names);
  for (i = 1; i < count; i++)
    if (compare_names (list + size * (i - 1), list + size * i) == 0)
      return k8s_refuse (r, node, "the key '%s' is given twice", *(const char **) (gpointer) (list + size * i));
  *items = list;
  *n = count;
  return TRUE;
}

gboolean
k8s_exact (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcQuantity checked;
  gsize len = 0;

  if (!k8s_quantity (r, node, &checked)) /* whatever is wrong with it is said here */
    return FALSE;
  const char *raw = fy_node_get_scalar (node, &len);
  g_autofree char *text = g_strndup (raw, len);
  return vc_cel_quantity_parse (g_strstrip (text), out) || k8s_expected (r, node, "a quantity");
}

static gboolean
read_amount (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcCelQuantity q;

  if (!k8s_exact (r, node, &q))
    return FALSE;
  ((VcExact *) out)->amount = q.amount;
  return TRUE;
}

gboolean
k8s_exacts (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcExacts *list = out;
  gpointer items;

  list->given = TRUE;
  if (!k8s_named (r, node, sizeof (VcExact), read_amount, &items, &list->n))
    return FALSE;
  list->item = items;
  return TRUE;
}

gboolean
k8s_terms_of_nodes (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "nodeSelectorTerms", k8s_node_terms, 0 } };
  K8sNodeTerms raw = { 0 };
  VcNodeTerms *terms = out;

  if (!K8S_FIELDS (r, node, fields, &raw))
    return FALSE;
  for (guint i = 0; i < raw.n; i++)
    if (!vc_term_is_valid (&raw.item[i]))
      return k8s_refuse (r, node, "nodeSelectorTerms[%u]: expected valid requirements", i);
  *terms = (VcNodeTerms){ raw.item, raw.n, TRUE };
  return TRUE;
}

/* ---- selectors --------------------------------------------------------------------------------- */

static gboolean
read_expression (K8sReader *r, struct fy_node *node, gpointer out)
{
  g_autoptr (GError) error = NULL;
  const char *text;

  if (!k8s_text (r, node, &text))
    return FALSE;
  g_autoptr (VcCel) cel = vc_cel_compile (text, &error);
  if (cel == NULL)
    return k8s_refuse (r, node, "%s", error->message);
  *(const char **) out = text;
  return TRUE;
}

static gboolean
read_cel (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "expression", read_expression, 0 } };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_selector (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "cel", read_cel, 0 } };
  return K8S_FIELDS (r, node, fields, out) && (*(const char **) out != NULL || k8s_refuse (r, node, "cel.expression: missing"));
}

static gboolean
read_selectors (K8sReader *r, struct fy_node *node, gpointer out)
{
  K8sTexts *texts = out;
  gpointer items;

  if (!k8s_list (r, node, sizeof (char *), read_selector, &items, &texts->n))
    return FALSE;
  texts->item = items;
  return TRUE;
}

/* ---- requests ---------------------------------------------------------------------------------- */

typedef struct {
  const VcToleration *item;
  guint n;
} Tolerations;
typedef struct {
  const char *name, *device_class, *mode;
  gint64 count;
  gboolean admin, has_admin;
  K8sTexts selectors;
  Tolerations tolerations;
  VcExacts capacity;
} RawAsk;
typedef struct {
  const VcSubRequest *item;
  guint n;
} Asks;

/* It only matters to who evicts pods from devices that are tainted later. */
static gboolean
read_seconds (K8sReader *r, struct fy_node *node, gpointer out)
{
  gint64 ignored;

  return r->completes ? k8s_unsupported (r, node, "a device toleration that ends") : k8s_int64 (r, node, &ignored);
}

static gboolean
read_toleration (K8sReader *r, struct fy_node *node, gpointer out)
{
  typedef struct {
    const char *key, *value, *effect, *op;
  } Raw;
  static const K8sField fields[] = {
    { "tolerationSeconds", read_seconds, 0 },
    { "key", k8s_text, offsetof (Raw, key) },
    { "value", k8s_text, offsetof (Raw, value) },
    { "effect", k8s_text, offsetof (Raw, effect) },
    { "operator", k8s_text, offsetof (Raw, op) },
  };
  Raw raw = { 0 };

  if (!K8S_FIELDS (r, node, fields, &raw))
    return FALSE;
  VcTolerateOp op = g_strcmp0 (raw.op, "Exists") == 0                           ? VC_TOLERATE_EXISTS
                    : raw.op == NULL || *raw.op == '\0' || !strcmp (raw.op, "Equal") ? VC_TOLERATE_EQUAL
                                                                                  : VC_TOLERATE_OTHER;
  *(VcToleration *) out = (VcToleration){ .key = raw.key, .value = raw.value, .effect = raw.effect, .op = op };
  return TRUE;
}

static gboolean
read_tolerations (K8sReader *r, struct fy_node *node, gpointer out)
{
  Tolerations *list = out;
  gpointer items;

  if (!k8s_list (r, node, sizeof (VcToleration), read_toleration, &items, &list->n))
    return FALSE;
  list->item = items;
  return TRUE;
}

static gboolean
read_admin (K8sReader *r, struct fy_node *node, gpointer out)
{
  ((RawAsk *) out)->has_admin = TRUE;
  return k8s_bool (r, node, &((RawAsk *) out)->admin);
}

static gboolean
read_capacity (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "requests", k8s_exacts, 0 } };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_ask (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "name", k8s_text, offsetof (RawAsk, name) },
    { "deviceClassName", k8s_text, offsetof (RawAsk, device_class) },
    { "allocationMode", k8s_text, offsetof (RawAsk, mode) },
    { "count", k8s_int64, offsetof (RawAsk, count) },
    { "adminAccess", read_admin, 0 },
    { "selectors", read_selectors, offsetof (RawAsk, selectors) },
    { "tolerations", read_tolerations, offsetof (RawAsk, tolerations) },
    { "capacity", read_capacity, offsetof (RawAsk, capacity) },
  };
  RawAsk raw = { 0 };

  if (!K8S_FIELDS (r, node, fields, &raw))
    return FALSE;
  const char *mode = raw.mode != NULL ? raw.mode : "";
  if (r->completes && *mode == '\0')
    mode = "ExactCount";
  if (r->completes && strcmp (mode, "ExactCount") == 0 && raw.count == 0)
    raw.count = 1;
  if (raw.count < 0)
    return k8s_refuse (r, node, "count: expected a whole number above zero, found '%" G_GINT64_FORMAT "'", raw.count);
  *(VcSubRequest *) out = (VcSubRequest){
    .name = raw.name,
    .device_class = raw.device_class != NULL ? raw.device_class : "",
    .mode = strcmp (mode, "ExactCount") == 0 ? VC_DEVICES_EXACT : strcmp (mode, "All") == 0 ? VC_DEVICES_ALL : VC_DEVICES_OTHER,
    .mode_text = mode,
    .count = raw.count,
    .admin = raw.admin,
    .has_admin = raw.has_admin,
    .selector = raw.selectors.item,
    .n_selectors = raw.selectors.n,
    .toleration = raw.tolerations.item,
    .n_tolerations = raw.tolerations.n,
    .capacity = raw.capacity,
  };
  return TRUE;
}

static gboolean
read_exactly (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcSubRequest *ask = vc_arena_new0 (r->arena, VcSubRequest, 1);

  if (!read_ask (r, node, ask))
    return FALSE;
  ask->name = NULL;
  *(Asks *) out = (Asks){ ask, 1 };
  return TRUE;
}

static gboolean
read_first (K8sReader *r, struct fy_node *node, gpointer out)
{
  Asks *list = out;
  gpointer items;

  if (!k8s_list (r, node, sizeof (VcSubRequest), read_ask, &items, &list->n))
    return FALSE;
  list->item = items;
  for (guint i = 0; i < list->n; i++) {
    VcSubRequest *ask = (VcSubRequest *) items + i;

    if (ask->name == NULL || *ask->name == '\0')
      return k8s_refuse (r, node, "[%u].name: missing", i);
    ask->admin = ask->has_admin = FALSE; /* no field of an alternative */
  }
  return TRUE;
}

static gboolean
read_request (K8sReader *r, struct fy_node *node, gpointer out)
{
  typedef struct {
    const char *name;
    Asks exactly, first;
  } Raw;
  static const K8sField fields[] = {
    { "name", k8s_text, offsetof (Raw, name) },
    { "exactly", read_exactly, offsetof (Raw, exactly) },
    { "firstAvailable", read_first, offsetof (Raw, first) },
  };
  Raw raw = { .name = "" };

  if (!K8S_FIELDS (r, node, fields, &raw))
    return FALSE;
  gboolean first = raw.exactly.n == 0 && raw.first.n > 0; /* of both, `exactly` is what upstream looks at first */
  const Asks *asks = first ? &raw.first : &raw.exactly;
  *(VcClaimRequest *) out = (VcClaimRequest){ raw.name, asks->item, asks->n, first };
  return TRUE;
}

static gboolean
read_requests (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcClaimSpec *spec = out;
  gpointer items;

  if (!k8s_list (r, node, sizeof (VcClaimRequest), read_request, &items, &spec->n_requests))
    return FALSE;
  spec->request = items;
  return TRUE;
}

static gboolean
read_constraint (K8sReader *r, struct fy_node *node, gpointer out)
{
  typedef struct {
    K8sTexts requests;
    const char *match, *distinct;
  } Raw;
  static const K8sField fields[] = {
    { "requests", k8s_texts, offsetof (Raw, requests) },
    { "matchAttribute", k8s_text, offsetof (Raw, match) },
    { "distinctAttribute", k8s_text, offsetof (Raw, distinct) },
  };
  Raw raw = { 0 };

  if (!K8S_FIELDS (r, node, fields, &raw))
    return FALSE;
  *(VcDeviceConstraint *) out = (VcDeviceConstraint){ raw.requests.item, raw.requests.n, raw.match != NULL ? raw.match : raw.distinct, raw.match == NULL };
  return TRUE;
}

static gboolean
read_constraints (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcClaimSpec *spec = out;
  gpointer items;

  if (!k8s_list (r, node, sizeof (VcDeviceConstraint), read_constraint, &items, &spec->n_constraints))
    return FALSE;
  spec->constraint = items;
  return TRUE;
}

static gboolean
read_devices (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "requests", read_requests, 0 }, { "constraints", read_constraints, 0 } };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_claim_spec (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "devices", read_devices, 0 } };
  return K8S_FIELDS (r, node, fields, out);
}

/* ---- the status -------------------------------------------------------------------------------- */

typedef struct {
  VcDeviceResult result;
  K8sTexts conditions, failures; /* bindingConditions, bindingFailureConditions */
} RawResult;
typedef struct {
  const char *type, *status;
} RawCondition;
typedef struct {
  const RawCondition *item;
  guint n;
} Conditions;
typedef struct {
  const char *driver, *pool, *device;
  Conditions conditions;
} RawDeviceStatus;
typedef struct {
  const RawResult *result;
  guint n_results;
  VcNodeTerms nodes;
  gint64 time;
  gboolean given;
  const RawDeviceStatus *device;
  guint n_devices;
  K8sTexts reserved;
} RawClaimStatus;

static gboolean
read_share (K8sReader *r, struct fy_node *node, gpointer out)
{
  ((VcDeviceResult *) out)->shared = TRUE;
  return TRUE;
}

static gboolean
read_result (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "request", k8s_text, offsetof (RawResult, result.request) },
    { "driver", k8s_text, offsetof (RawResult, result.driver) },
    { "pool", k8s_text, offsetof (RawResult, result.pool) },
    { "device", k8s_text, offsetof (RawResult, result.device) },
    { "adminAccess", k8s_bool, offsetof (RawResult, result.admin) },
    { "shareID", read_share, offsetof (RawResult, result) },
    { "consumedCapacity", k8s_exacts, offsetof (RawResult, result.consumed) },
    { "bindingConditions", k8s_texts, offsetof (RawResult, conditions) },
    { "bindingFailureConditions", k8s_texts, offsetof (RawResult, failures) },
  };
  RawResult *raw = out;

  if (!K8S_FIELDS (r, node, fields, out))
    return FALSE;
  raw->result.request = raw->result.request != NULL ? raw->result.request : "";
  return (raw->result.driver != NULL && raw->result.pool != NULL && raw->result.device != NULL) || k8s_refuse (r, node, "expected driver, pool and device");
}

static gboolean
read_results (K8sReader *r, struct fy_node *node, gpointer out)
{
  RawClaimStatus *status = out;
  gpointer items;

  if (!k8s_list (r, node, sizeof (RawResult), read_result, &items, &status->n_results))
    return FALSE;
  status->result = items;
  return TRUE;
}

static gboolean
read_allocated_devices (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "results", read_results, 0 } };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_allocation (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "devices", read_allocated_devices, 0 },
    { "nodeSelector", k8s_terms_of_nodes, offsetof (RawClaimStatus, nodes) },
    { "allocationTimestamp", k8s_time, offsetof (RawClaimStatus, time) },
  };
  ((RawClaimStatus *) out)->given = TRUE;
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_consumer (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "uid", k8s_text, 0 } };
  *(const char **) out = "";
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_consumers (K8sReader *r, struct fy_node *node, gpointer out)
{
  K8sTexts *texts = out;
  gpointer items;

  if (!k8s_list (r, node, sizeof (char *), read_consumer, &items, &texts->n))
    return FALSE;
  texts->item = items;
  return TRUE;
}

static gboolean
read_condition (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "type", k8s_text, offsetof (RawCondition, type) },
    { "status", k8s_text, offsetof (RawCondition, status) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_conditions (K8sReader *r, struct fy_node *node, gpointer out)
{
  Conditions *list = out;
  gpointer items;

  if (!k8s_list (r, node, sizeof (RawCondition), read_condition, &items, &list->n))
    return FALSE;
  list->item = items;
  return TRUE;
}

static gboolean
read_device_status (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "driver", k8s_text, offsetof (RawDeviceStatus, driver) },
    { "pool", k8s_text, offsetof (RawDeviceStatus, pool) },
    { "device", k8s_text, offsetof (RawDeviceStatus, device) },
    { "conditions", read_conditions, offsetof (RawDeviceStatus, conditions) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_device_statuses (K8sReader *r, struct fy_node *node, gpointer out)
{
  RawClaimStatus *status = out;
  gpointer items;

  if (!k8s_list (r, node, sizeof (RawDeviceStatus), read_device_status, &items, &status->n_devices))
    return FALSE;
  status->device = items;
  return TRUE;
}

static gboolean
read_claim_status (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "allocation", read_allocation, 0 },
    { "reservedFor", read_consumers, offsetof (RawClaimStatus, reserved) },
    { "devices", read_device_statuses, 0 },
  };
  return K8S_FIELDS (r, node, fields, out);
}

/* Is the first condition of the type True? */
static gboolean
is_true (const RawDeviceStatus *device, const char *type)
{
  for (guint i = 0; i < device->conditions.n; i++)
    if (g_strcmp0 (device->conditions.item[i].type, type) == 0)
      return g_strcmp0 (device->conditions.item[i].status, "True") == 0;
  return FALSE;
}

/* May a pod be bound with the claim (isClaimReadyForBinding)? The first device that is not ready decides. */
static VcBindingState
binding_state (const RawClaimStatus *status)
{
  for (guint i = 0; i < status->n_results; i++) {
    const RawResult *result = &status->result[i];
    const RawDeviceStatus *device = NULL;

    if (result->conditions.n == 0)
      continue;
    for (guint k = 0; k < status->n_devices && device == NULL; k++)
      if (g_strcmp0 (status->device[k].device, result->result.device) == 0 && g_strcmp0 (status->device[k].driver, result->result.driver) == 0
          && g_strcmp0 (status->device[k].pool, result->result.pool) == 0)
        device = &status->device[k];
    if (device == NULL)
      return VC_BINDING_WAITS;
    for (guint k = 0; k < result->failures.n; k++)
      if (is_true (device, result->failures.item[k]))
        return VC_BINDING_FAILED;
    for (guint k = 0; k < result->conditions.n; k++)
      if (!is_true (device, result->conditions.item[k]))
        return VC_BINDING_WAITS;
  }
  return VC_BINDING_READY;
}

/* ---- the objects ------------------------------------------------------------------------------- */

static gboolean
read_claim_metadata (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "ownerReferences", k8s_controller, 0 } };
  return K8S_FIELDS (r, node, fields, out);
}

gboolean
k8s_read_resource_claim (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcResourceClaimObject *out)
{
  RawClaimStatus status = { .time = VC_NO_TIME };

  out->ns = meta->ns;
  out->name = meta->name;
  out->uid = meta->uid;
  out->deleting = meta->deleted != VC_NO_TIME;
  if (out->uid == NULL || *out->uid == '\0') {
    g_autofree char *uid = g_strconcat (meta->ns, "-", meta->name, NULL);
    out->uid = vc_arena_strdup (r->arena, uid);
  }
  if (!k8s_check_resource_version (r, top) || !k8s_field (r, "metadata", top->metadata, read_claim_metadata, &out->owner)
      || !k8s_field (r, "spec", top->spec, read_claim_spec, &out->spec) || !k8s_field (r, "status", top->status, read_claim_status, &status))
    return FALSE;
  out->reserved_for = status.reserved.item;
  out->n_reserved_for = status.reserved.n;
  if (!status.given)
    return TRUE;
  VcAllocationObject *allocation = vc_arena_new0 (r->arena, VcAllocationObject, 1);
  VcDeviceResult *result = vc_arena_new0 (r->arena, VcDeviceResult, status.n_results);
  for (guint i = 0; i < status.n_results; i++)
    result[i] = status.result[i].result;
  *allocation = (VcAllocationObject){ result, status.n_results, status.nodes, binding_state (&status), status.time };
  out->allocation = allocation;
  return TRUE;
}

static gboolean
read_template_spec (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "spec", read_claim_spec, 0 } };
  return K8S_FIELDS (r, node, fields, out);
}

gboolean
k8s_read_resource_claim_template (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcResourceClaimObject *out)
{
  out->ns = meta->ns;
  out->name = meta->name;
  return k8s_check_resource_version (r, top) && k8s_field (r, "spec", top->spec, read_template_spec, &out->spec);
}

static gboolean
read_class_spec (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "selectors", read_selectors, 0 } };
  return K8S_FIELDS (r, node, fields, out);
}

gboolean
k8s_read_device_class (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcDeviceClassObject *out)
{
  K8sTexts selectors = { 0 };

  if (!k8s_check_resource_version (r, top) || !k8s_field (r, "spec", top->spec, read_class_spec, &selectors))
    return FALSE;
  *out = (VcDeviceClassObject){ meta->name, selectors.item, selectors.n };
  return TRUE;
}

/* ---- the claims of a pod ------------------------------------------------------------------------ */

typedef struct {
  const char *name, *claim;
} RawPodClaimStatus;

static gboolean
read_pod_claim (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "name", k8s_text, offsetof (VcPodClaim, name) },
    { "resourceClaimName", k8s_text, offsetof (VcPodClaim, claim) },
    { "resourceClaimTemplateName", k8s_text, offsetof (VcPodClaim, template) },
  };
  VcPodClaim *claim = out;

  if (!K8S_FIELDS (r, node, fields, out))
    return FALSE;
  claim->name = claim->name != NULL ? claim->name : "";
  if (claim->claim != NULL)
    claim->template = NULL; /* the name wins, as upstream reads it */
  return TRUE;
}

gboolean
k8s_pod_claims (K8sReader *r, struct fy_node *node, gpointer out)
{
  K8sPodClaims *list = out;
  gpointer items;

  if (!k8s_list (r, node, sizeof (VcPodClaim), read_pod_claim, &items, &list->n))
    return FALSE;
  list->item = items;
  for (guint i = 0; i < list->n; i++)
    for (guint k = 0; k < i; k++)
      if (list->item[i].claim != NULL && g_strcmp0 (list->item[i].claim, list->item[k].claim) == 0)
        return k8s_unsupported (r, node, "one claim in two entries");
  return TRUE;
}

static gboolean
read_pod_claim_status (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "name", k8s_text, offsetof (RawPodClaimStatus, name) },
    { "resourceClaimName", k8s_text, offsetof (RawPodClaimStatus, claim) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

gboolean
k8s_pod_claim_statuses (K8sReader *r, struct fy_node *node, gpointer out)
{
  K8sPodClaims *list = out;
  gpointer items;
  guint n;

  if (!k8s_list (r, node, sizeof (RawPodClaimStatus), read_pod_claim_status, &items, &n))
    return FALSE;
  for (guint i = 0; i < list->n; i++)
    for (guint k = n; list->item[i].template != NULL && k-- > 0;) { /* the first of a name counts */
      const RawPodClaimStatus *status = (const RawPodClaimStatus *) items + k;

      if (g_strcmp0 (status->name, list->item[i].name) == 0) {
        list->item[i].claim = status->claim;
        list->item[i].none = status->claim == NULL;
      }
    }
  return TRUE;
}
