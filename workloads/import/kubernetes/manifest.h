/* workloads/import/kubernetes/manifest.h - Kubernetes objects as text again, without what no run looks at; private to formats.
 *
 * Scalars stay what they were: plain ones plain, others in quotes. Some things are known only when all objects have been read: their places are lines of
 * their own that begin with WL_MANIFEST_MARK, and are filled in when the object is written. */
#pragma once
#include "workloads/k8s/k8s-visit.h"
G_BEGIN_DECLS

#define WL_MANIFEST_MARK '\001'
typedef enum {
  WL_MARK_NAME = 'N',     /* "name: …" of the object */
  WL_MARK_NOTES = 'A',    /* more annotations of the object */
  WL_MARK_TASK = 'T',     /* more annotations of the pod template of a task, whose number follows */
  WL_MARK_PRIORITY = 'P', /* priorityClassName of a pod that gives none */
  WL_MARK_NODE = 'H',     /* nodeName of a pod */
  WL_MARK_GRACE = 'G',    /* terminationGracePeriodSeconds, and restartPolicy, of a pod that gives none */
  WL_MARK_CARDS = 'C'     /* a container more, for the GPUs that the others are without */
} WlMark;
#define WL_CARD "nvidia.com/gpu"

/* What of a pod is written. */
typedef struct {
  gboolean volumes;    /* volumes with claims stay */
  gboolean claims;     /* claims on devices stay */
  gboolean cards;      /* containers are without GPUs */
  gboolean scheduler;  /* schedulerName stays; else the pods are the run's own */
  gboolean own_class;  /* the pod names a priority class */
  guint left_volumes;  /* out: volumes with claims that were left out */
  guint left_claims;   /* out: claims on devices that were left out */
} WlPodText;

/** A workload, a pod or a PodGroup. FALSE with the reader's error: too much, or too deep. */
gboolean wl_manifest_workload (K8sReader *r, const K8sTop *top, const K8sMeta *meta, WlKind kind, WlPodText *pods, GString *out);
/** Any other object. Its status stays when @status. */
gboolean wl_manifest_object (K8sReader *r, struct fy_node *node, const K8sTop *top, const K8sMeta *meta, gboolean status, GString *out);
/** Write the text of an object behind "---\n"; @fill appends lines at a mark, each "<indent>…\n". @task is the number of a WL_MARK_TASK. */
typedef void WlManifestFill (GString *out, WlMark mark, guint task, const char *indent, gpointer user);
void wl_manifest_fill (GString *out, const char *text, WlManifestFill *fill, gpointer user);

G_END_DECLS
