/* workloads/k8s/k8s-claims.h - what the readers of dynamic resource allocation share. Private to the Kubernetes reader. */
#pragma once
#include "k8s-fields.h"
#include "core/model/shape.h"
G_BEGIN_DECLS

gboolean k8s_check_resource_version (K8sReader *r, const K8sTop *top);
/** Read a map of structures: each element of @size bytes begins with its key (const char *), and @read gets the element for the value. They
 * come out ascending by key. */
gboolean k8s_named (K8sReader *r, struct fy_node *node, gsize size, K8sRead read, gpointer *items, guint *n);
K8sReadFunc k8s_exact;          /* VcCelQuantity */
K8sReadFunc k8s_exacts;         /* VcExacts: amounts by name */
K8sReadFunc k8s_terms_of_nodes; /* VcNodeTerms: a NodeSelector */

G_END_DECLS
