/* core/model/claim-objects.h - the objects of dynamic resource allocation as readers hand them over: ResourceClaim, ResourceSlice, DeviceClass.
 *
 * As in objects.h every pointer is the caller's and read during the call only. Expressions have been compiled once by the reader, so
 * that they can be taken for good here. */
#pragma once
#include "core/base/cel.h"
#include "objects.h"
G_BEGIN_DECLS

/* An amount to the last nano, by name. */
typedef struct { const char *name; VcNano amount; } VcExact;
typedef struct { const VcExact *item; guint n; gboolean given; } VcExacts; /* ascending by name */

typedef struct { const VcNodeTerm *term; guint n; gboolean given; } VcNodeTerms; /* a node selector: any term */

/* ---- what is asked for ---- */
typedef enum { VC_DEVICES_EXACT, VC_DEVICES_ALL, VC_DEVICES_OTHER } VcDeviceMode;
typedef struct {
  const char *name;          /* of the subrequest; NULL in a plain request */
  const char *device_class;
  VcDeviceMode mode;
  const char *mode_text;     /* as given, "" when not */
  gint64 count;
  gboolean admin, has_admin;
  const char *const *selector; guint n_selectors; /* CEL texts */
  const VcToleration *toleration; guint n_tolerations;
  VcExacts capacity;         /* capacity.requests */
} VcSubRequest;
typedef struct {
  const char *name;
  const VcSubRequest *ask; guint n_asks; /* `exactly`: one; `firstAvailable`: in order of preference; 0: neither is given */
  gboolean first;            /* of firstAvailable */
} VcClaimRequest;
typedef struct {
  const char *const *request; guint n_requests; /* 0: all; "request" or "request/subrequest" */
  const char *attribute;     /* NULL: neither kind is given */
  gboolean distinct;
} VcDeviceConstraint;
typedef struct {
  const VcClaimRequest *request; guint n_requests;
  const VcDeviceConstraint *constraint; guint n_constraints;
} VcClaimSpec;

/* ---- what has been allocated ---- */
typedef struct {
  const char *request;       /* "request" or "request/subrequest" */
  const char *driver, *pool, *device;
  gboolean admin, shared;    /* shared: has a share ID */
  VcExacts consumed;
  gboolean waits;            /* binding conditions are given */
} VcDeviceResult;
typedef enum { VC_BINDING_READY, VC_BINDING_WAITS, VC_BINDING_FAILED } VcBindingState;
typedef struct {
  const VcDeviceResult *result; guint n_results;
  VcNodeTerms nodes;         /* not given: everywhere */
  VcBindingState binding;    /* by the conditions of the devices in the claim's status */
  gint64 time;               /* allocationTimestamp, VC_NO_TIME */
} VcAllocationObject;

typedef struct {
  const char *ns, *name, *uid;
  const char *owner;         /* UID of the controlling owner; NULL */
  gboolean deleting;
  VcClaimSpec spec;
  const VcAllocationObject *allocation; /* NULL: none */
  const char *const *reserved_for; guint n_reserved_for; /* UIDs */
} VcResourceClaimObject;

/* ---- what there is ---- */
typedef struct {
  const char *name;
  VcCelQuantity value;
  gboolean has_policy, has_default, has_range, has_min, has_max, has_step;
  VcNano fallback, min, max, step;          /* requestPolicy: default, validRange */
  const VcNano *valid; guint n_valid;       /* validValues */
} VcDeviceCapacity;
typedef struct {
  const char *name;          /* as given, "NAME" or "DOMAIN/NAME" */
  VcCelKind kind;            /* bool, int, string, or semver */
  gint64 i;
  const char *text;          /* of a string or version */
} VcDeviceAttribute;
typedef struct { const char *set; VcExacts counters; } VcCounterSet;
typedef struct {
  const char *name;
  const VcDeviceAttribute *attribute; guint n_attributes; /* ascending by name */
  const VcDeviceCapacity *capacity; guint n_capacities;   /* likewise */
  const VcTaint *taint; guint n_taints;
  const VcCounterSet *consumes; guint n_consumes;
  const char *node; gboolean all_nodes; VcNodeTerms nodes; /* where the slice leaves it to its devices */
  gboolean shared;           /* allowMultipleAllocations */
  gboolean binds_to_node, has_conditions;
} VcDeviceObject;
typedef struct {
  const char *name, *driver, *pool;
  gint64 generation, n_slices;
  const char *node; gboolean all_nodes, per_device; VcNodeTerms nodes;
  const VcDeviceObject *device; guint n_devices;
  const VcCounterSet *counters; guint n_counters; /* sharedCounters */
} VcResourceSliceObject;
typedef struct { const char *name; const char *const *selector; guint n_selectors; } VcDeviceClassObject;

G_END_DECLS
