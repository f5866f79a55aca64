/* core/plugins/device-allocator.h - devices of one node for the claims of one pod: the first way in which all requests are met.
 *
 * Claims, requests and devices are tried in their order, each device once per request; a dead end goes one step back. Pools come by driver
 * and name, slices and devices in their order. A device passes when it is not in use, the selectors of class and request match, its
 * capacity and counters suffice, its taints are tolerated and every constraint of the claim holds.
 * Mirrors k8s.io/dynamic-resource-allocation/structured/internal/incubating, the variant that Volcano's feature gates choose: admin access,
 * prioritized lists, partitionable devices, device taints, binding conditions, consumable capacity. Its slips are kept: a device that fails
 * for a taint or a constraint has used up its counters for the rest of the attempt, counters are known by the pool's name alone, and
 * distinctAttribute remembers one device per request. */
#pragma once
#include "core/model/claims.h"
G_BEGIN_DECLS

/* A claim to allocate. */
typedef struct { const char *key, *name; const VcClaimPlan *plan; } VcWish;

/* What is left of counters, as found out when a pool was first asked. Begun anew by every PrePredicate. */
typedef struct VcCounterBook VcCounterBook;
VcCounterBook *vc_counter_book_new (VcArena *arena);

typedef enum { VC_ALLOCATED_ALL, VC_ALLOCATED_NOT /* this node has not enough */, VC_ALLOCATED_ERROR } VcAllocatorResult;

/* How far the last attempt that failed has come: the request that found no further device. */
typedef struct { const char *claim, *request; gint64 got, wanted; } VcDeadEnd;

typedef struct VcAllocator VcAllocator;
VcAllocator *vc_allocator_new (void);
void vc_allocator_free (VcAllocator *a);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VcAllocator, vc_allocator_free)

typedef struct {
  gboolean plain;      /* ask selectors anew each time */
  guint64 steps;       /* after that many the attempt counts as timed out; 0: no limit */
} VcAllocatorLimits;
/** Allocate on @node. Success: one allocation per wish in @out, in @arena. Else *reason tells why (NULL: nothing beyond "cannot"). */
VcAllocatorResult vc_allocator_run (VcAllocator *a, VcClaims *s, VcCounterBook *book, guint32 node, const VcWish *wish, guint n, const VcAllocatorLimits *limits,
                                    VcArena *arena, const VcAllocation **out, const char **reason);
/** claim NULL: it ended before the search began. Valid until the next attempt. */
VcDeadEnd vc_allocator_dead_end (const VcAllocator *a);

G_END_DECLS
