/* workloads/import/alibaba/openb-order.h - in which order the pods of an openb inflation come, and which of them again.
 *
 * Pods and nodes are shuffled; then pods are drawn from the list, each as likely as the others, until the next one would bring the sum of the GPUs above
 * what is wanted (as in the authors' simulator it counts with one of its GPUs), or are taken away until the sum is no greater. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

/* GPUs in thousandths: of one card, and of all that the pod asks for. */
typedef struct { const char *name; gint64 card, all; } WlOpenbDemand;

typedef struct WlOpenbDraws WlOpenbDraws;
/** Random numbers for @seed. @simulator: those that the authors' simulator draws, so that pods and nodes come in its order. */
WlOpenbDraws *wl_openb_draws_new (gint64 seed, gboolean simulator);
void wl_openb_draws_free (WlOpenbDraws *d);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlOpenbDraws, wl_openb_draws_free)
/** Numbers of the pods (guint32) in the order in which they come. @wanted: their GPUs in thousandths; < 0: every pod once. (transfer full) */
GArray *wl_openb_order_pods (WlOpenbDraws *d, const WlOpenbDemand *pod, guint32 n, gint64 wanted);
/** The same of the nodes; after the pods. */
GArray *wl_openb_order_nodes (WlOpenbDraws *d, const char *const *name, guint32 n);

G_END_DECLS
