/* workloads/import/kubernetes.c - Kubernetes objects as `kubectl get -o json|yaml` prints them, and manifests: of a Volcano cluster, or with nodes and Stages of KWOK. */
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

/* A key of YAML at the beginning of a line (also of an item), or of JSON. */
static gboolean
has_key (const char *text, const char *key)
{
  g_autofree char *quoted = g_strdup_printf ("\"%s\"", key), *plain = g_strdup_printf ("%s:", key);

  if (strstr (text, quoted) != NULL)
    return TRUE;
  for (const char *at = text; (at = strstr (at, plain)) != NULL; at++)
    if (at == text || strchr ("\n {,-", at[-1]) != NULL)
      return TRUE;
  return FALSE;
}

/* Objects are told by the two keys that each of them has; lists by theirs. Others that hold objects say what they are themselves. */
static guint
detect_kubernetes (const WlImportHead *head)
{
  if (!has_key (head->text, "apiVersion") || !has_key (head->text, "kind") || has_key (head->text, "applied_objs") || has_key (head->text, "rawObjects")
      || has_key (head->text, "metricsLogger"))
    return WL_DETECT_NO;
  return WL_DETECT_LIKELY;
}

/* Files without a sign of KWOK may stand beside those that have one. */
static guint
detect_kwok (const WlImportHead *head)
{
  if (detect_kubernetes (head) == WL_DETECT_NO)
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
  .detect = detect_kubernetes,
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
