/* workloads/import/pods.h - the pods of one job, added one by one, become its roles: those that ask for the same are one; private to formats. */
#pragma once
#include "import.h"
G_BEGIN_DECLS

typedef struct WlPods WlPods;
WlPods *wl_pods_new (void);
void wl_pods_free (WlPods *p);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlPods, wl_pods_free)

typedef struct {
  const char *role;         /* made a valid label, which no other role of the job has; NULL: task */
  WlImportAmounts request;
  WlTime duration;
  const char *selector;     /* node selector, NULL: none */
  const char *apart, *spread; /* as in WlImportRole */
  const char *node;         /* where it was in reality, NULL: not recorded */
  guint32 count;            /* so many equal ones; 0: 1 */
} WlPod;

/** The next job begins. */
void wl_pods_clear (WlPods *p);
/** Texts must stay until the next wl_pods_clear(). */
void wl_pods_add (WlPods *p, const WlPod *pod);
guint64 wl_pods_count (const WlPods *p);
/** The roles, in the order in which they came, until the next change: pods with different durations are at most 20,000 to a role, so that no cell of
 * jobs.csv becomes too long. */
const WlImportRole *wl_pods_roles (WlPods *p, guint *n);
/** "n1|n2": their nodes in the order of the roles of the last wl_pods_roles(); NULL: none is recorded, or more than fit a cell (which is noted). */
const char *wl_pods_nodes (const WlPods *p, WlImport *imp);

G_END_DECLS
