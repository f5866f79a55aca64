/* sim/world/claims.h - dynamic resource allocation in dry runs and runs: what is refused, and in runs Kubernetes' resourceclaim controller.
 *
 * The controller takes no time: a pod appears with the claims that its templates ask for, named POD-ENTRY-SUFFIX and owned by it, and a pod
 * that ends or is gone leaves its claims at once. The last one to leave a claim ends its allocation; those made for the pod go with it. News of
 * claims is never late, and a bind writes its claims before those of its batch wait for volumes. Mirrors k8s.io/kubernetes/pkg/controller/resourceclaim. */
#pragma once
#include "world.h"
#include "core/conf/conf.h"
G_BEGIN_DECLS

/** Refuse by name what these objects and this configuration ask of claims and is not done yet. @later: there is more than one cycle. */
gboolean sim_claims_check (const WlObjects *objects, const VcConf *conf, gboolean later, GError **error);

/** Is it an object of dynamic resource allocation? */
gboolean sim_claims_kind (WlObjectKind kind);
/** A ResourceClaim, or a DeviceClass, comes or goes. */
void sim_claims_add (SimWorld *w, const WlObject *o);
void sim_claims_remove (SimWorld *w, const WlObject *o);
/** A ResourceClaim, ResourceClaimTemplate, ResourceSlice or DeviceClass of a run, object @i. *known FALSE: @o is none of them. */
gboolean sim_claims_load (SimWorld *w, const WlObject *o, guint32 i, gboolean *known, GError **error);
void sim_claims_free (SimClaims *claims);
/** Are the claims and templates of these entries there? NULL, or the first that is not: its kind and name. (transfer full) */
char *sim_claims_missing (const SimWorld *w, const char *ns, const VcPodClaim *entry, guint n);

/** A pod is made: so are its claims, and @o names them. */
void sim_claims_make (SimWorld *w, guint32 pod, VcPodObject *o);
/** The description of a pod names its claims. */
void sim_claims_resolve (SimWorld *w, guint32 pod, VcPodObject *o);
/** A new process of the scheduler lists the pods: it sees those whose claims are there by now. In the view that is entered. */
void sim_claims_list_pods (SimWorld *w);
/** A bind of the pod has written its claims: the other schedulers hear of them. */
void sim_claims_bound (SimWorld *w, guint32 pod);
/** The bind of a pod has failed: the same, and claims that their user has deleted meanwhile may go. */
void sim_claims_unbound (SimWorld *w, guint32 pod);
/** A session has given claims back. */
void sim_claims_given_back (SimWorld *w);
/** A pod has ended, or is gone. */
void sim_claims_leave (SimWorld *w, guint32 pod);

G_END_DECLS
