/* workloads/k8s/k8s-kinds.h - the kinds of objects that volsim knows. Private to the Kubernetes reader. */
#pragma once
#include "k8s-objects.h"
G_BEGIN_DECLS

typedef enum { KIND_READ, KIND_REFUSED, KIND_JOB, KIND_MAKER /* of jobs */, KIND_WORKLOAD /* of a run; else skipped */ } K8sKindUse;
typedef struct {
  const char *group, *kind;
  K8sKindUse use;
  WlObjectKind object;
  gboolean namespaced;
} K8sKind;
/** NULL: none that volsim knows. */
const K8sKind *k8s_find_kind (const char *api_version, const char *kind);
/** What an object is in a run; WL_KIND_VCJOB: nothing else than elsewhere. */
WlKind k8s_kind_of_workload (const K8sKind *kind);
/** Is there a kind of that name, whatever its group, that is not for runs alone? */
gboolean k8s_is_kind (const char *kind);

G_END_DECLS
