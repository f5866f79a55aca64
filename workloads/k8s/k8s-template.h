/* workloads/k8s/k8s-template.h - a pod template and what annotations say of its pods' lives. Private to the Kubernetes reader. */
#pragma once
#include "k8s-fields.h"
#include "k8s-job.h"
G_BEGIN_DECLS

typedef struct {
  K8sTemplateSpec spec;
  K8sMeta meta;               /* labels and annotations */
  const char *restart_policy; /* NULL: not given */
  K8sInt32 grace, deadline;   /* deadline: activeDeadlineSeconds */
} K8sTemplate;
K8sReadFunc k8s_template;       /* K8sTemplate: metadata and spec */
K8sReadFunc k8s_template_fields; /* K8sTemplate: of a spec alone */

/* Annotations volsim.io/… are looked for on the template, then on the object. */
typedef struct {
  K8sReader *r;
  struct fy_node *at;   /* for messages */
  const VcPairs *of_object;
} K8sNotes;
/** What the object says of how it is found when it is submitted: annotations volsim.io/age and volsim.io/phase. */
gboolean k8s_found_notes (K8sReader *r, struct fy_node *at, const VcPairs *notes, WlJobObject *out);
/** What the template says of a task: labels, annotations, spec, scheduler, restart policy, grace, lists of durations and the like, which may
 * have @replicas entries. All else is zero. Arrays go to @arrays. */
gboolean k8s_template_task (const K8sNotes *n, const K8sTemplate *template, guint replicas, GPtrArray *arrays, WlTask *out);

G_END_DECLS
