/* workloads/admission/template-admission.h - what Kubernetes' validation of a pod template has against it (05 §12.2, rule 6). Private to the Kubernetes
 * reader.
 *
 * The rules that decide something, or that one meets by a slip: names, images, resources, ports, mounts, policies, selectors, tolerations,
 * affinity, spread. Probes, security contexts and the sources of volumes and variables are not looked at. Mirrors ValidatePodTemplate of
 * k8s.io/kubernetes/pkg/apis/core/validation, after its defaults. */
#pragma once
#include "findings.h"
#include "workloads/k8s/k8s-fields.h"
G_BEGIN_DECLS

/** Append what is wrong with the pod template @node (nullable: an empty one); paths begin with `template`. */
void wl_judge_template (struct fy_node *node, GPtrArray *out);

G_END_DECLS
