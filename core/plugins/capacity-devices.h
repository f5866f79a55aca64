/* core/plugins/capacity-devices.h - quotas of devices: how many of a class, and how much of their capacity, a queue may hold.
 *
 * A queue's capability names them as `deviceclass/CLASS` and `DIMENSION.deviceclass/CLASS`; only what the capability says is enforced, and a
 * class that it does not name passes. A claim that several pods of a queue share counts once. Counts saturate at the ends of int64.
 * Mirrors draQuotaAttr and its functions in pkg/scheduler/plugins/capacity/capacity.go and GetMinDRAResources (pkg/scheduler/api/job_info.go). */
#pragma once
#include "core/model/claims.h"
G_BEGIN_DECLS

typedef struct CapacityDevices CapacityDevices;
/** Figures of one queue, all zero; NULL when it has no quota of devices at all. (transfer full) */
CapacityDevices *capacity_devices_new (const VcQueue *queue);
CapacityDevices *capacity_devices_copy (const CapacityDevices *d); /* NULL gives NULL */
void capacity_devices_free (CapacityDevices *d);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CapacityDevices, capacity_devices_free)

/** A task that holds devices comes or goes. */
void capacity_devices_add_task (CapacityDevices *d, const VcTask *t);
void capacity_devices_remove_task (CapacityDevices *d, const VcTask *t);
/** What the devices that are allocated have grown by since @before: of the classes in @above's capability it counts there as well. */
void capacity_devices_pass_on (const CapacityDevices *now, const CapacityDevices *before, CapacityDevices *above);
/** Is there room for the task? @dimensions: capacity counts, too. */
gboolean capacity_devices_fit_task (const CapacityDevices *d, const VcTask *t, gboolean dimensions);

/* What a job needs at least. NULL: no devices. (transfer full) */
typedef struct CapacityDeviceList CapacityDeviceList;
CapacityDeviceList *capacity_devices_minimum (const VcCluster *c, const VcJob *j);
void capacity_device_list_free (CapacityDeviceList *l);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CapacityDeviceList, capacity_device_list_free)
/** Is there room for the minimum beside what is allocated and what has been admitted? */
gboolean capacity_devices_fit_minimum (const CapacityDevices *d, const CapacityDeviceList *minimum, gboolean dimensions);
void capacity_devices_admit (CapacityDevices *d, const CapacityDeviceList *minimum);

G_END_DECLS
