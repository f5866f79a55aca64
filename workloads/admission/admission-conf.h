/* workloads/admission/admission-conf.h - volcano-admission.conf: resource groups, which the webhook /pods/mutate puts pods into (05 §12.5).
 *
 * A pod belongs to the first group that names its namespace or one of its annotations. The group adds labels to its node selector and tolerations to its
 * own, gives it an affinity if it has none, and another scheduler. Mirrors pkg/webhooks/config and pkg/webhooks/admission/pods/mutate. */
#pragma once
#include "core/base/arena.h"
#include "core/model/objects.h"
G_BEGIN_DECLS

typedef struct WlAdmissionConf WlAdmissionConf;
typedef struct WlResourceGroup WlResourceGroup;

/** NULL with @error, one line. (transfer full) */
WlAdmissionConf *wl_admission_conf_read (const char *path, GError **error);
void wl_admission_conf_free (WlAdmissionConf *conf);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlAdmissionConf, wl_admission_conf_free)

/** The group of a pod in namespace @ns with these annotations; NULL: none. */
const WlResourceGroup *wl_resource_group_of (const WlAdmissionConf *conf, const char *ns, const VcPairs *annotations);
/** What the group makes of the pod's spec; lists go to @arena, texts stay the configuration's. */
void wl_resource_group_apply (VcArena *arena, const WlResourceGroup *group, VcPodSpec *spec);
/** The scheduler that the group's pods get; NULL: their own. */
const char *wl_resource_group_scheduler (const WlResourceGroup *group);

G_END_DECLS
