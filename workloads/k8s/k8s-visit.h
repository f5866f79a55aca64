/* workloads/k8s/k8s-visit.h - Kubernetes objects one by one, for those who make something else of them than a run does. Private to the Kubernetes reader and to
 * importers.
 *
 * Documents, streams, lists and lists of lists are gone through as everywhere (k8s-objects.h); what becomes of an object is the visitor's affair. */
#pragma once
#include "k8s-fields.h"
#include "k8s-job.h"
G_BEGIN_DECLS

typedef struct {
  /* An object: what its kind is is known, nothing else has been read of it. FALSE with the reader's error. */
  gboolean (*object) (K8sReader *r, struct fy_node *node, const K8sTop *top, gpointer user);
  /* What stands at the place of an object is none that can be read, or object() has failed. TRUE: it is passed over, and *@error cleared. */
  gboolean (*refused) (gpointer user, GError **error);
  gpointer user;
} K8sVisitor;
/** Every object of @text. Texts of @top go to @arena. FALSE with @error. */
gboolean k8s_visit_objects (VcArena *arena, const char *text, gsize len, const char *source, const K8sVisitor *visitor, GError **error);

/** A reader for nodes of the document @text, which its caller has parsed. End with k8s_reader_end(). */
void k8s_reader_begin (K8sReader *r, VcArena *arena, const char *text, gsize len, const char *source, GError **error);
void k8s_reader_end (K8sReader *r);
/** The top level of the object @node; kind and version may be missing. */
gboolean k8s_read_top (K8sReader *r, struct fy_node *node, K8sTop *out);
K8sReadFunc k8s_meta; /* K8sMeta, whose times are VC_NO_TIME before */

/** Read @top as what a run makes of it: a Job of batch.volcano.sh or another workload. Lists go to @arrays. */
gboolean k8s_read_as_workload (K8sReader *r, const K8sTop *top, const K8sMeta *meta, WlKind kind, GPtrArray *arrays, WlJobObject *out);
/** Which workload objects of that version and kind are; WL_N_KINDS: none. */
WlKind k8s_workload_kind (const char *api_version, const char *kind);
/** Read @top as an object of a run that is no workload and makes no jobs, to see whether one can. *@known FALSE: a run has no such kind. */
gboolean k8s_try_object (K8sReader *r, struct fy_node *node, const K8sTop *top, const K8sMeta *meta, gboolean *known);

G_END_DECLS
