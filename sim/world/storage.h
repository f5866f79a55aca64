/* sim/world/storage.h - claims and volumes of the simulated cluster: the volume controllers, the provisioners, and what binds and kubelets wait for.
 *
 * The tables of the scheduler's cache (core/model/volumes.h) are the state of the API server; what only the controllers know is kept here.
 *
 *   - Immediate claims, and claims with a volume of their own, are bound at once: to the smallest volume with the fewest access modes that fit,
 *     else to one that the class's provisioner makes, after `provision_latency`.
 *   - Other claims wait for the scheduler: the bind of a pod writes the volumes and nodes that the session assumed, the controller binds or the
 *     provisioner makes, and the bind looks every second whether all is done, until volumebinding.bindTimeoutSeconds are over.
 *   - A volume that is provisioned for a node can be reached where the topology keys of the driver's CSINode say.
 *   - Ephemeral volumes get their claims when the pod is made; these go with the pod.
 *   - A claim that is deleted stays until no pod with a node names it. Its volume is deleted then, or Released where it is to be retained.
 *
 * Example: class with WaitForFirstConsumer, provision_latency 5: a pod is decided at 10, its claim gets the node at 10, the volume is there at 15,
 * the bind looks at 11, 12, … and goes out at 15.
 *
 * Mirrors pkg/controller/volume/{persistentvolume,pvcprotection,ephemeral} of Kubernetes, external-provisioner's choice of the topology, and
 * BindPodVolumes (pkg/scheduler/framework/plugins/volumebinding/binder.go). */
#pragma once
#include "world.h"
G_BEGIN_DECLS

void sim_storage_free (SimStorage *s); /* NULL is fine */

/** An object of the input appears, or its user deletes it. FALSE: it is no storage object. */
gboolean sim_storage_add (SimWorld *w, const WlObject *o);
gboolean sim_storage_delete (SimWorld *w, const WlObject *o);

gboolean sim_storage_has_claim (const SimWorld *w, const char *ns, const char *name);
/** A controller makes a claim; @job (row, SIM_NONE) owns it. The uid, when NULL, is given here. */
void sim_storage_make_claim (SimWorld *w, const VcPersistentVolumeClaimObject *o, guint32 job);
/** A job object goes: its claims, and those of the pods that are left of it, are deleted. */
void sim_storage_job_gone (SimWorld *w, guint32 job);

/** Pods that have a claim in their volumes are read again by the scheduler: it was not there before. */
void sim_storage_reread (SimWorld *w, const char *ns, const char *name);

/** createJobIOIfNotExist, at every sync of a job that is Pending: the claims of its volumes are made at the first one and have to be there
 * from then on, as those that it names by itself; its pods get them. NULL, or what the job waits for. (transfer full) */
char *sim_storage_begin_job (SimWorld *w, guint32 job);

/* Pods: their row is made, they come to a node, they go (@object_stays: only from the tables here, as the job is over). No effect without claims. */
void sim_storage_pod_made (SimWorld *w, guint32 pod);
void sim_storage_pod_placed (SimWorld *w, guint32 pod);
void sim_storage_pod_gone (SimWorld *w, guint32 pod, gboolean object_stays);

/** Before a pod is bound: write what the session assumed for its claims. Bits of the volumes that the bind has to wait for. */
guint64 sim_storage_prebind (SimWorld *w, guint32 pod);
typedef enum { SIM_VOLUMES_READY, SIM_VOLUMES_WAIT, SIM_VOLUMES_FAILED } SimVolumesState;
/** Are these bound by now, for @node (row here)? */
SimVolumesState sim_storage_check (const SimWorld *w, guint32 pod, guint32 node, guint64 waits);

/** Are all claims of a pod bound, so that its containers can start? FALSE: it is started again once they are. */
gboolean sim_storage_may_start (SimWorld *w, guint32 pod);
/** Claims have been bound: start the pods that may now. */
void sim_storage_wake (SimWorld *w);

/** Lines (char *) about volumes that fit on no node are added to @warnings. */
void sim_storage_warn (const SimWorld *w, GPtrArray *warnings);
/** The controllers, until they have nothing to do. */
void sim_storage_settle (SimWorld *w);
/** A volume has been provisioned. FALSE: nobody wants it any more. */
gboolean sim_storage_event (SimWorld *w, const SimEvent *ev);

G_END_DECLS
