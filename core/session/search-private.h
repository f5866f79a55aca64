/* core/session/search-private.h - between the plain scan and the shape views. */
#pragma once
#include "search.h"
#include "session-private.h"

typedef struct { guint32 node, role; VcFitError error; } VcFailedNode;
struct VcSearch {
  VcSession *ssn;
  guint32 job;
  VcSearchMode mode;
  gboolean cache;
  VcFailedNode ***role_errors; /* [role][node row], NULL = passed or not seen; made at a role's first failure */
  guint n_roles;
  /* of the scratch helper: what it owns and uses again */
  gboolean scratch;
  guint32 n_rows;      /* entries of each role_errors[role] */
  GPtrArray *failed;   /* VcFailedNode, the first n_failed of them in use */
  guint n_failed;
};
void vc_search_free_scratch (VcSearch *s); /* NULL is fine */

/** A record of reason counts for a task that found no node; marks its role as failed. */
VcFit *vc_fit_record (VcSession *ssn, guint32 task);
void vc_fit_count (VcSession *ssn, VcFit *fit, const char *reason, guint32 nodes);
gboolean vc_fit_error_has (const VcFitError *e, VcCode code);
/** The plain test of one node. */
gboolean vc_search_test (VcSearch *s, guint32 task, guint32 node, VcFitError *e);

/* shape views */
VcShapeViews *vc_shape_views_new (VcEngine *e);
void vc_shape_views_free (VcShapeViews *v);
/** May the views answer for this task in this session? */
gboolean vc_shape_views_serve (VcSearch *s, guint32 task);
/** PredicateNodes of reclaim over @list by the views: to @found, as vc_search_candidates. FALSE: ask the plain scan. */
gboolean vc_shape_views_scan (VcSearch *s, guint32 task, const guint32 *list, guint n, GArray *found);
/** The answer of vc_search_pick. FALSE: the views cannot tell (scores depend on more than the node): ask the plain scan. */
gboolean vc_shape_views_pick (VcSearch *s, guint32 task, guint32 *node, VcSearchResult *result);
