/* workloads/import/kubernetes/kubernetes.c - Kubernetes objects as `kubectl get -o json|yaml` prints them, and manifests: of a Volcano cluster, or with nodes and Stages of KWOK. */
#include "cluster.h"
#include <string.h>

static const WlImportOption options[] = { WL_CLUSTER_OPTIONS, { NULL, WL_OPTION_TEXT, NULL, NULL, NULL } };

static gboolean
run (WlImport *imp, GError **error)
{
  g_autoptr (WlCluster) c = wl_cluster_new (imp);

  for (guint i = 0; i < wl_import_n_files (imp); i++)
    if (!wl_cluster_look (c, i, error))
      return FALSE;
  for (guint i = 0; i < wl_import_n_files (imp); i++)
    if (!wl_cluster_file (c, i, error))
      return FALSE;
  return wl_cluster_finish (c, error);
}

/* Objects are told by the two keys that each of them has; lists by theirs. Others that hold objects say what they are themselves. */
guint
wl_detect_objects (const WlImportHead *head)
{
  if (!wl_head_has_key (head, "apiVersion") || !wl_head_has_key (head, "kind") || wl_head_has_key (head, "applied_objs") || wl_head_has_key (head, "rawObjects")
      || wl_head_has_key (head, "pod_lifecycles"))
    return WL_DETECT_NO;
  return WL_DETECT_LIKELY;
}

/* Files without a sign of KWOK may stand beside those that have one. */
static guint
detect_kwok (const WlImportHead *head)
{
  if (wl_detect_objects (head) == WL_DETECT_NO)
    return WL_DETECT_NO;
  return strstr (head->text, "kwok.x-k8s.io/") != NULL ? WL_DETECT_SURE : WL_DETECT_WEAK;
}

extern const WlImportFormat wl_format_kubernetes, wl_format_kwok;
const WlImportFormat wl_format_kubernetes = {
  .name = "kubernetes",
  .title = "Kubernetes objects (kubectl dumps, manifests)",
  .files = "what kubectl get -A -o json or yaml prints for nodes, pods, queues, podgroups, jobs.batch.volcano.sh, …; manifests",
  .licence = "that of the cluster",
  .options = options,
  .detect = wl_detect_objects,
  .run = run,
};
const WlImportFormat wl_format_kwok = {
  .name = "kwok",
  .title = "KWOK nodes and stages",
  .files = "fake Nodes and Stages, with the workloads' manifests beside them",
  .licence = "that of the files; KWOK is Apache-2.0, github.com/kubernetes-sigs/kwok",
  .options = options,
  .detect = detect_kwok,
  .run = run,
};
