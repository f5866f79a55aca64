/* core/plugins/device-capacity.h - consumable capacity of devices that several claims share.
 *
 * A request that names no amount takes the policy's default, or all; one that does is rounded up to what the policy allows.
 * Mirrors consumable_capacity.go of k8s.io/dynamic-resource-allocation/structured/internal/incubating. */
#pragma once
#include "core/model/claims.h"
G_BEGIN_DECLS

/* What the attempt at hand has consumed of one device. */
typedef struct VcCapacityUse VcCapacityUse;
struct VcCapacityUse { VcCapacityUse *next; guint32 device; gboolean live; guint n; VcNano amount[]; }; /* by place of the device's capacities */

VcCapacityUse *vc_capacity_use_of (VcCapacityUse *list, guint32 device); /* NULL: none */
void vc_capacity_use_add (VcCapacityUse **list, VcArena *arena, guint32 device, const VcDeviceObject *o, const VcExact *consumed);
void vc_capacity_use_remove (VcCapacityUse *list, guint32 device, const VcExact *consumed);

typedef enum { VC_CAPACITY_FITS, VC_CAPACITY_LACKS, VC_CAPACITY_UNKNOWN /* a capacity is asked for that the device has not */ } VcCapacityCheck;
VcCapacityCheck vc_capacity_check (const VcDeviceId *d, const VcDeviceObject *o, const VcExacts *asked, const VcCapacityUse *use);
/** What a request takes, one amount per capacity of the device. */
const VcExact *vc_capacity_consumption (const VcDeviceObject *o, const VcExacts *asked, VcArena *arena);

G_END_DECLS
