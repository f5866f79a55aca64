/* ResourceSlice: the devices of one pool, or of one node's part of it. */
#include "k8s-claims.h"
#include <stddef.h>
#include <string.h>

/* ---- attributes -------------------------------------------------------------------------------- */

static gboolean
read_int (K8sReader *r, struct fy_node *node, gpointer out)
{
  ((VcDeviceAttribute *) out)->kind = VC_CEL_INT;
  return k8s_int64 (r, node, &((VcDeviceAttribute *) out)->i);
}

static gboolean
read_bool (K8sReader *r, struct fy_node *node, gpointer out)
{
  gboolean b = FALSE;

  if (!k8s_bool (r, node, &b))
    return FALSE;
  ((VcDeviceAttribute *) out)->kind = VC_CEL_BOOL;
  ((VcDeviceAttribute *) out)->i = b;
  return TRUE;
}

static gboolean
read_string (K8sReader *r, struct fy_node *node, gpointer out)
{
  ((VcDeviceAttribute *) out)->kind = VC_CEL_STRING;
  return k8s_text (r, node, &((VcDeviceAttribute *) out)->text);
}

static gboolean
read_version (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcDeviceAttribute *a = out;
  VcSemver ignored;

  a->kind = VC_CEL_SEMVER;
  return k8s_text (r, node, &a->text) && (vc_semver_parse (a->text, r->arena, &ignored) || k8s_expected (r, node, "a semantic version such as 1.2.3"));
}

static gboolean
refuse_list (K8sReader *r, struct fy_node *node, gpointer out)
{
  return k8s_unsupported (r, node, "an attribute with several values (Volcano's gate DRAListTypeAttributes is off)");
}

static gboolean
read_attribute (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "int", read_int, 0 },     { "bool", read_bool, 0 },    { "string", read_string, 0 },  { "version", read_version, 0 },
    { "ints", refuse_list, 0 }, { "bools", refuse_list, 0 }, { "strings", refuse_list, 0 }, { "versions", refuse_list, 0 },
  };
  VcDeviceAttribute *a = out;

  a->kind = VC_CEL_NULL;
  return K8S_FIELDS (r, node, fields, out) && (a->kind != VC_CEL_NULL || k8s_expected (r, node, "int, bool, string or version"));
}

static gboolean
read_attributes (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcDeviceObject *d = out;
  gpointer items;

  if (!k8s_named (r, node, sizeof (VcDeviceAttribute), read_attribute, &items, &d->n_attributes))
    return FALSE;
  d->attribute = items;
  return TRUE;
}

/* ---- capacity ---------------------------------------------------------------------------------- */

typedef struct {
  gboolean given;
  VcNano amount;
} GivenAmount;

static gboolean
read_given (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcCelQuantity q;

  if (!k8s_exact (r, node, &q))
    return FALSE;
  *(GivenAmount *) out = (GivenAmount){ TRUE, q.amount };
  return TRUE;
}

typedef struct {
  GivenAmount min, max, step;
} RawRange;

static gboolean
read_range (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "min", read_given, offsetof (RawRange, min) },
    { "max", read_given, offsetof (RawRange, max) },
    { "step", read_given, offsetof (RawRange, step) },
  };
  RawRange raw = { 0 };
  VcDeviceCapacity *c = out;

  if (!K8S_FIELDS (r, node, fields, &raw))
    return FALSE;
  if (raw.step.given && vc_nano_value (raw.step.amount) < 1)
    return k8s_refuse (r, node, "step: expected at least 1");
  if (raw.step.given && !raw.min.given)
    return k8s_refuse (r, node, "min: missing, and a step counts from it");
  c->has_range = TRUE;
  c->has_min = raw.min.given;
  c->has_max = raw.max.given;
  c->has_step = raw.step.given;
  c->min = raw.min.amount;
  c->max = raw.max.amount;
  c->step = raw.step.amount;
  return TRUE;
}

static gboolean
read_valid_value (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcCelQuantity q;

  if (!k8s_exact (r, node, &q))
    return FALSE;
  *(VcNano *) out = q.amount;
  return TRUE;
}

static gboolean
read_valid_values (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcDeviceCapacity *c = out;
  gpointer items;

  if (!k8s_list (r, node, sizeof (VcNano), read_valid_value, &items, &c->n_valid))
    return FALSE;
  c->valid = items;
  return TRUE;
}

static gboolean
read_default (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcDeviceCapacity *c = out;

  c->has_default = TRUE;
  return read_valid_value (r, node, &c->fallback);
}

static gboolean
read_policy (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "default", read_default, 0 }, { "validRange", read_range, 0 }, { "validValues", read_valid_values, 0 } };

  ((VcDeviceCapacity *) out)->has_policy = TRUE;
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_capacity (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "value", k8s_exact, offsetof (VcDeviceCapacity, value) },
    { "requestPolicy", read_policy, 0 },
  };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_capacities (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcDeviceObject *d = out;
  gpointer items;

  if (!k8s_named (r, node, sizeof (VcDeviceCapacity), read_capacity, &items, &d->n_capacities))
    return FALSE;
  d->capacity = items;
  return TRUE;
}

/* ---- counters ---------------------------------------------------------------------------------- */

static gboolean
read_counter (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "value", k8s_exact, 0 } };
  VcCelQuantity q = { 0 };

  if (!K8S_FIELDS (r, node, fields, &q))
    return FALSE;
  ((VcExact *) out)->amount = q.amount;
  return TRUE;
}

static gboolean
read_counters (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcExacts *list = out;
  gpointer items;

  list->given = TRUE;
  if (!k8s_named (r, node, sizeof (VcExact), read_counter, &items, &list->n))
    return FALSE;
  list->item = items;
  return TRUE;
}

typedef struct {
  const VcCounterSet *item;
  guint n;
} CounterSets;

static gboolean
read_counter_set (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "name", k8s_text, offsetof (VcCounterSet, set) },       /* of a slice */
    { "counterSet", k8s_text, offsetof (VcCounterSet, set) }, /* of a device */
    { "counters", read_counters, offsetof (VcCounterSet, counters) },
  };
  ((VcCounterSet *) out)->set = "";
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_counter_sets (K8sReader *r, struct fy_node *node, gpointer out)
{
  CounterSets *list = out;
  gpointer items;

  if (!k8s_list (r, node, sizeof (VcCounterSet), read_counter_set, &items, &list->n))
    return FALSE;
  list->item = items;
  return TRUE;
}

/* ---- devices ----------------------------------------------------------------------------------- */

typedef struct {
  VcDeviceObject device;
  CounterSets consumes;
  K8sTexts conditions, failures;
} RawDevice;

static gboolean
read_taint (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "key", k8s_text, offsetof (VcTaint, key) },
    { "value", k8s_text, offsetof (VcTaint, value) },
    { "effect", k8s_text, offsetof (VcTaint, effect) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_taints (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcDeviceObject *d = out;
  gpointer items;

  if (!k8s_list (r, node, sizeof (VcTaint), read_taint, &items, &d->n_taints))
    return FALSE;
  d->taint = items;
  return TRUE;
}

static gboolean
read_device (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "name", k8s_text, offsetof (RawDevice, device.name) },
    { "attributes", read_attributes, offsetof (RawDevice, device) },
    { "capacity", read_capacities, offsetof (RawDevice, device) },
    { "consumesCounters", read_counter_sets, offsetof (RawDevice, consumes) },
    { "nodeName", k8s_text, offsetof (RawDevice, device.node) },
    { "nodeSelector", k8s_terms_of_nodes, offsetof (RawDevice, device.nodes) },
    { "allNodes", k8s_bool, offsetof (RawDevice, device.all_nodes) },
    { "taints", read_taints, offsetof (RawDevice, device) },
    { "bindsToNode", k8s_bool, offsetof (RawDevice, device.binds_to_node) },
    { "bindingConditions", k8s_texts, offsetof (RawDevice, conditions) },
    { "bindingFailureConditions", k8s_texts, offsetof (RawDevice, failures) },
    { "allowMultipleAllocations", k8s_bool, offsetof (RawDevice, device.shared) },
  };
  RawDevice raw = { 0 };

  if (!K8S_FIELDS (r, node, fields, &raw))
    return FALSE;
  if (raw.device.name == NULL || *raw.device.name == '\0')
    return k8s_refuse (r, node, "name: missing");
  raw.device.consumes = raw.consumes.item;
  raw.device.n_consumes = raw.consumes.n;
  raw.device.has_conditions = raw.conditions.n > 0;
  *(VcDeviceObject *) out = raw.device;
  return TRUE;
}

static gboolean
read_devices (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcResourceSliceObject *o = out;
  gpointer items;

  if (!k8s_list (r, node, sizeof (VcDeviceObject), read_device, &items, &o->n_devices))
    return FALSE;
  o->device = items;
  return TRUE;
}

/* ---- slices ------------------------------------------------------------------------------------ */

static gboolean
read_pool (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "name", k8s_text, offsetof (VcResourceSliceObject, pool) },
    { "generation", k8s_int64, offsetof (VcResourceSliceObject, generation) },
    { "resourceSliceCount", k8s_int64, offsetof (VcResourceSliceObject, n_slices) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_shared_counters (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcResourceSliceObject *o = out;
  CounterSets sets = { 0 };

  if (!read_counter_sets (r, node, &sets))
    return FALSE;
  o->counters = sets.item;
  o->n_counters = sets.n;
  return TRUE;
}

static gboolean
read_slice_spec (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "driver", k8s_text, offsetof (VcResourceSliceObject, driver) },
    { "pool", read_pool, 0 },
    { "nodeName", k8s_text, offsetof (VcResourceSliceObject, node) },
    { "nodeSelector", k8s_terms_of_nodes, offsetof (VcResourceSliceObject, nodes) },
    { "allNodes", k8s_bool, offsetof (VcResourceSliceObject, all_nodes) },
    { "perDeviceNodeSelection", k8s_bool, offsetof (VcResourceSliceObject, per_device) },
    { "devices", read_devices, 0 },
    { "sharedCounters", read_shared_counters, 0 },
  };
  VcResourceSliceObject *o = out;

  if (!K8S_FIELDS (r, node, fields, out))
    return FALSE;
  return (o->driver != NULL && o->pool != NULL) || k8s_refuse (r, node, "expected driver and pool.name");
}

gboolean
k8s_read_resource_slice (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcResourceSliceObject *out)
{
  out->name = meta->name;
  return k8s_check_resource_version (r, top) && k8s_field (r, "spec", top->spec, read_slice_spec, out);
}
