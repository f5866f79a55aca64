/* core/model/shape.h - what many tasks share: request and every scheduling constraint, interned.
 *
 * Two tasks of one shape are the same to every node-local predicate and score, so work done for one serves the other.
 * Mirrors the parts of pkg/scheduler/api/pod_info.go and of the Kubernetes filters that read one pod and one node. */
#pragma once
#include "core/base/arena.h"
#include "core/base/resource.h"
#include "objects.h"
G_BEGIN_DECLS

/* Resources that the Kubernetes scorers look at. */
enum { VC_K_CPU, VC_K_MEMORY, VC_K_GPU, VC_K_N };
#define VC_K_GPU_NAME "nvidia.com/gpu"

typedef struct VcShape {
  guint32 id;
  VcRes *request;                 /* Resreq = InitResreq, with pods = 1 (01 §1.5) */
  guint64 dims;                   /* dimensions that `request <= x` looks at: cpu, memory and the present scalars */
  gboolean best_effort;           /* empty but for pods */
  double limit[2];                /* cpu milli, memory bytes: the containers' limits summed as requests are; 0: none */
  VcQos qos;                      /* as the kubelet classes the pod; VC_QOS_OTHER: a text of its own */
  /* constraints; texts live in the shape table */
  VcPodSpec spec;                 /* node_selector, required, preferred, tolerations, containers (images) */
  const VcHostPort *port; guint n_ports; /* of regular and restartable init containers */
  gboolean needs_node_affinity;   /* a node selector or required affinity exists: the filter is not skipped */
  gboolean pinned_nowhere;        /* every required term pins metadata.name and no name is left: refused everywhere (W12) */
  gboolean bad_preferred;         /* a preferred term is malformed: scoring fails as a whole */
  gboolean has_pod_terms;         /* pod affinity or anti-affinity is given, maybe without terms */
  gboolean has_preferred_pods;    /* preferred terms of either */
  guint n_hard_spreads, n_soft_spreads;
  gboolean spread_reads_labels;   /* a spread constraint names labels of the pod itself */
  guint n_images;                 /* containers that name an image */
  gboolean extended_limits;       /* some container has a limit of a resource beyond Kubernetes' own: the pod may ask for a device */
  /* requests as the Kubernetes scorers count them (04 §3.2): cpu milli, memory bytes, gpu whole */
  gint64 k_request[VC_K_N];       /* plain */
  gint64 k_nonzero_new[2];        /* as an incoming pod: 100m and 200Mi for a container that asks for none */
  gint64 k_nonzero_placed[2];     /* as a placed pod (pod-level requests count) */
} VcShape;

/** A copy with its texts in @a. */
VcPairs vc_pairs_copy (VcArena *a, const VcPairs *pairs);

typedef struct VcShapeTable VcShapeTable;
VcShapeTable *vc_shape_table_new (const VcResNames *names);
void vc_shape_table_free (VcShapeTable *t);
/** The shape of a pod of @spec; the same pointer for equal pods. Borrowed, valid as long as the table. */
const VcShape *vc_shape_intern (VcShapeTable *t, const VcPodSpec *spec);
guint32 vc_shape_table_count (const VcShapeTable *t);
const VcShape *vc_shape_get (const VcShapeTable *t, guint32 id);

/** A ResourceList as a vector (NewResource); names outside @names are left out. Adds to @out. */
void vc_amounts_add (const VcAmounts *amounts, const VcResNames *names, VcRes *out);
/** The request vector of a pod (01 §1.5); @without_init leaves init containers and pods out. @out is cleared first. */
void vc_pod_request (const VcPodSpec *spec, const VcResNames *names, gboolean without_init, VcRes *out);

/* ---- one pod against one node ---- */
typedef struct VcNodeFacts { /* what constraints read of a node */
  const char *name;
  VcPairs labels;
  const VcTaint *taint; guint n_taints;
  gboolean unschedulable;
} VcNodeFacts;
gboolean vc_term_is_valid (const VcNodeTerm *term);
gboolean vc_term_matches (const VcNodeTerm *term, const VcNodeFacts *node);
gboolean vc_node_affinity_matches (const VcShape *s, const VcNodeFacts *node);
gboolean vc_tolerates (const VcShape *s, const VcTaint *taint);
/** ToleratesTaint: does this one toleration cover it, for however long? */
gboolean vc_toleration_covers (const VcToleration *t, const VcTaint *taint);
/** Every NoSchedule and NoExecute taint is tolerated. */
gboolean vc_tolerates_node (const VcShape *s, const VcNodeFacts *node);
gboolean vc_tolerates_unschedulable (const VcShape *s);
/** PreferNoSchedule taints that no toleration with effect "" or PreferNoSchedule covers. */
guint vc_untolerated_preferences (const VcShape *s, const VcNodeFacts *node);
gboolean vc_ports_conflict (const VcHostPort *a, const VcHostPort *b);

G_END_DECLS
