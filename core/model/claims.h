/* core/model/claims.h - the cluster's devices and claims: who offers what, who has taken what, what is on the way.
 *
 * A device is known by (driver, pool, name) for good; slices that describe it come and go. It is taken when an allocated claim names it, or
 * when an allocation is under way: reserved by a session and not yet written to the claim. The latter outlive the session, as upstream's
 * tracker does: what a session reserves and neither binds nor takes back stays reserved.
 * Mirrors k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources/{dra_manager,allocateddevices}.go and GatherPools of
 * k8s.io/dynamic-resource-allocation/structured. */
#pragma once
#include "claim-objects.h"
#include "cluster.h"
G_BEGIN_DECLS

/* One selector text; expressions are compiled once. */
typedef struct VcSelectorCel VcSelectorCel;

typedef struct {
  const char *name;
  const VcSelectorCel *const *selector; guint n_selectors;
} VcClaimClass;

/* A request as the allocator reads it. */
typedef struct {
  const VcSubRequest *ask;
  const VcSelectorCel *const *selector;
} VcClaimAsk;
/* Room that a claim takes of its queue's quota, per device class. Counts wrap as upstream's do where a claim adds up. */
typedef struct { const char *device_class; gint64 count; VcExacts capacity; } VcDeviceDemand;
/* What a queue may hold, per class: of its capability. The texts are interned. There is one when any of its lists names devices. */
typedef struct VcDeviceQuota { VcArena *arena; const VcDeviceDemand *capability; guint n; } VcDeviceQuota;
/* What equal claims share; texts are interned, selectors compiled. */
typedef struct {
  VcClaimSpec spec;
  VcClaimAsk **ask;          /* [request][ask] */
  const VcDeviceDemand *demand; guint n_demands;
} VcClaimPlan;

/* Devices chosen for one claim. One block of memory. */
typedef struct {
  guint32 device;            /* device row */
  const char *request;       /* "request" or "request/subrequest" */
  gboolean admin, shared;
  VcExacts consumed;
} VcTaken;
typedef struct {
  guint n;
  const char *node;          /* the only node where it can be used (interned), or NULL */
  VcNodeTerms nodes;         /* else these; not given: everywhere */
  VcTaken taken[];
} VcAllocation;

typedef struct {
  const char *ns, *name, *uid, *key; /* interned */
  const char *owner;         /* UID; NULL */
  gboolean live, deleting;
  const VcClaimPlan *plan;
  VcAllocation *allocation;  /* of the status; NULL: none */
  VcBindingState binding;
  gint64 allocated_at;
  GPtrArray *reserved_for;   /* const char *, interned UIDs; NULL: nobody */
  VcAllocation *flight;      /* under way; NULL: none */
  guint32 sharers;           /* of the flight */
} VcResourceClaim;

typedef struct {
  const char *driver, *pool, *name; /* interned */
  guint32 in_pool;           /* pool row */
  gboolean taken;            /* a claim's status names it: a set, as upstream's */
  gboolean shares;           /* shares of claims' statuses are on record */
  guint32 flights, shared_flights; /* allocations under way that have it, or a share with capacity of it */
  GArray *consumed, *flying; /* VcExact: of statuses, of what is under way; NULL: nothing */
} VcDeviceId;

typedef struct {
  const VcDeviceObject *object; /* in the slice's arena */
  guint32 id;                /* device row */
  guint32 place;             /* among all devices of all slices: index of what selectors said */
  VcCelDevice cel;
} VcDevice;
typedef struct {
  VcArena *arena;
  const VcResourceSliceObject *object;
  const char *driver, *pool; /* interned */
  guint32 pool_row;
  VcDevice *device;
} VcSlice;

typedef struct { const char *driver, *name; } VcPool;
/* A pool as one node sees it. */
typedef struct {
  guint32 pool;
  gboolean incomplete, invalid;
  const VcSlice *const *slice; guint n_slices;         /* with devices for the node */
  const VcSlice *const *elsewhere; guint n_elsewhere;  /* the others */
  const VcCounterSet *const *set; guint n_sets;
} VcNodePool;
typedef struct { guint32 version, node_version; const VcNodePool *pool; guint n; } VcNodePools;

typedef struct VcClaims {
  VcCluster *cluster;
  GHashTable *class_of;      /* name (interned) → VcClaimClass */
  GHashTable *selectors;     /* text → VcSelectorCel */
  GPtrArray *slices;         /* VcSlice by name */
  guint32 slices_version;    /* grows with every change of slices */
  guint32 n_places;
  GArray *devices;           /* VcDeviceId */
  GHashTable *device_rows;   /* "driver\npool\nname" → row + 1 */
  GArray *pools;             /* VcPool */
  GHashTable *pool_rows;     /* "driver\npool" → row + 1 */
  VcResourceClaim *claim; guint32 n_claims, cap_claims;
  GHashTable *claim_rows;    /* key → row + 1 of the live one */
  VcNodePools *of_node; guint32 cap_nodes;
  GArray *free_claims;       /* guint32: rows to use again */
  VcArena *kept;             /* plans, and node selectors of allocations: few, shared, never freed */
  GHashTable *plans, *kept_terms; /* what they say → VcClaimPlan, VcNodeTerms */
  VcArena *pools_arena;      /* of what nodes see */
  guint32 pools_version;     /* of the slices when that was begun */
  GHashTable *slices_of;     /* node name → GPtrArray of slices */
  GPtrArray *slices_shared;  /* the others */
  GHashTable *states;        /* of PrePredicate by task, for the plugin; of session number states_session */
  guint32 states_session;
  GArray *leavers;           /* VcLeaver: see vc_claims_note_leaver() */
  GArray *journal;           /* VcFlight: flights that began and ended in this session */
} VcClaims;
typedef struct { guint32 claim; const VcAllocation *allocation; gboolean begins; } VcFlight;
typedef struct { guint32 claim; const char *uid; } VcLeaver;

/* A pod's claims. Owned by its task. */
typedef struct { const char *key; const VcClaimPlan *plan; } VcChargedClaim;
typedef struct VcPodClaims {
  VcPodClaim *entry; guint n;
  VcChargedClaim *charged; guint n_charged; /* claims that count for quotas, by key, each once; none while some claim was missing when the pod came */
} VcPodClaims;

VcClaims *vc_claims_get (VcCluster *c); /* made when there is none */
void vc_claims_free (VcClaims *s);

/* ---- objects ---- */
void vc_claims_add_class (VcClaims *s, const VcDeviceClassObject *o);
void vc_claims_remove_class (VcClaims *s, const char *name);
/** @name is interned. */
const VcClaimClass *vc_claims_class (const VcClaims *s, const char *name);
void vc_claims_add_slice (VcClaims *s, const VcResourceSliceObject *o);
void vc_claims_remove_slice (VcClaims *s, const char *name);
guint32 vc_claims_add (VcClaims *s, const VcResourceClaimObject *o); /* the row */
void vc_claims_remove (VcClaims *s, const char *ns, const char *name);
/** Its user deletes the claim: it goes, or nobody else gets it as long as it is allocated and reserved. TRUE: it is not there any more. */
gboolean vc_claims_delete (VcClaims *s, const char *ns, const char *name);
/** Another cache of the cluster, @to, hears of the claim as @from has it: its allocation and who has it. What @to has under way for it ends. */
void vc_claims_tell (VcClaims *to, const VcClaims *from, guint32 claim);
guint32 vc_claims_find (const VcClaims *s, const char *ns, const char *name); /* VC_NONE */

/* ---- allocations ---- */
/** Reserve @a for the claim: a copy is kept. A claim with something under way only gets a sharer more. */
void vc_claims_take_off (VcClaims *s, guint32 claim, const VcAllocation *a);
/** One sharer less; the last one ends it. TRUE: it has ended. @force: whoever shares it. */
gboolean vc_claims_land (VcClaims *s, guint32 claim, gboolean force);
/** What is under way becomes the claim's status. */
void vc_claims_settle (VcClaims *s, guint32 claim, gint64 second);
void vc_claims_reserve_for (VcClaims *s, guint32 claim, const char *uid);
gboolean vc_claims_is_reserved_for (const VcResourceClaim *c, const char *uid);
void vc_claims_unreserve (VcClaims *s, guint32 claim, const char *uid);
/** A placement of the pod was taken back: when the session is over it is no longer among those that the claim is reserved for. */
void vc_claims_note_leaver (VcClaims *s, guint32 claim, const char *uid);
/** Do so. TRUE: somebody has left. */
gboolean vc_claims_let_leave (VcClaims *s);
/** The status loses its allocation. */
void vc_claims_deallocate (VcClaims *s, guint32 claim);
/** Forget the journal: a session begins. */
void vc_claims_open (VcClaims *s);
/** As if the flights of the journal from @from on had not been, or, @forth, again as they are. */
void vc_claims_travel (VcClaims *s, guint from, gboolean forth);

/* ---- reading ---- */
static inline VcDeviceId *vc_claims_device (const VcClaims *s, guint32 row) { return &g_array_index (s->devices, VcDeviceId, row); }
static inline gboolean vc_device_is_taken (const VcDeviceId *d) { return d->taken || d->flights > 0; }
/** Is any capacity of it on record as consumed? */
static inline gboolean vc_device_is_consumed (const VcDeviceId *d) { return d->shares || d->shared_flights > 0; }
VcNano vc_device_consumed (const VcDeviceId *d, const char *capacity);
/** Pools of the node, by driver and name, those with binding conditions last. Valid until slices or nodes change. */
const VcNodePools *vc_claims_pools (VcClaims *s, guint32 node);
/** Does the device match? *error: why it cannot be told. @plain: ask the expression, whatever it has said before. */
gboolean vc_claims_matches (VcClaims *s, const VcSelectorCel *selector, const VcDevice *d, gboolean plain, const char **error);
/** Attribute "domain/name" of a device, or NULL. */
const VcDeviceAttribute *vc_device_attribute (const VcDevice *d, const char *driver, const char *name);
gboolean vc_node_terms_match (const VcNodeTerms *terms, const VcNodeFacts *node);
/** A copy that lives as long as the claims, one for all that are equal. */
VcNodeTerms vc_claims_keep_terms (VcClaims *s, const VcNodeTerms *terms);
gboolean vc_allocation_reaches (const VcAllocation *a, const VcNodeFacts *node);
/** A copy of the allocation with its texts interned. (transfer full: g_free) */
VcAllocation *vc_allocation_copy (VcClaims *s, const VcAllocation *a);
/** "REQUEST=DRIVER/POOL/DEVICE …" (transfer full) */
char *vc_allocation_describe (const VcClaims *s, const VcAllocation *a);
/** What the pod's claims have, also what is under way; NULL: nothing. (transfer full) */
char *vc_pod_claims_describe (const VcClaims *s, const char *ns, const VcPodClaims *p);
/** Does a device or slice that names @node, all nodes or a selector (one of them) reach the node? */
gboolean vc_node_is_reached (const char *node, gboolean all, const VcNodeTerms *terms, const VcNodeFacts *facts);

/** The quota that these lists name; NULL: none. (transfer full) */
VcDeviceQuota *vc_device_quota_new (VcCluster *c, const VcAmounts *capability, const VcAmounts *deserved, const VcAmounts *guarantee);
void vc_device_quota_free (VcDeviceQuota *q);

/* ---- pods ---- */
/** The pod's claims as the cache resolves them. NULL with *drop: the pod does not enter. (transfer full) */
VcPodClaims *vc_pod_claims_new (VcClaims *s, const char *ns, const VcPodClaim *entry, guint n, gboolean *drop);
void vc_pod_claims_free (VcPodClaims *p);

G_END_DECLS
