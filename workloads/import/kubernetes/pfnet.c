/* workloads/import/kubernetes/pfnet.c - configuration of k8s-cluster-simulator: the nodes of its cluster, its tick and its clock. Jobs are submitted by code there; pods beside
 * it may say in annotation simSpec how long they run. */
#include "cluster.h"
#include "core/base/rfc3339.h"
#include "workloads/import/json.h"
#include "workloads/k8s/k8s-schema.h"
#include "workloads/text/parse.h"
#include <string.h>

static const WlImportOption options[] = { WL_CLUSTER_OPTIONS, { NULL, WL_OPTION_TEXT, NULL, NULL, NULL } };

static gboolean
is_config (const WlImportHead *head)
{
  return wl_head_has_key (head, "cluster") && !wl_head_has_key (head, "apiVersion")
         && (wl_head_has_key (head, "startClock") || wl_head_has_key (head, "metricsLogger") || wl_head_has_key (head, "metricsTick") || wl_head_has_key (head, "tick"));
}

/* ---- reading -------------------------------------------------------------------------------------------- */

static gboolean
read_nodes (WlCluster *c, K8sReader *r, struct fy_node *list)
{
  void *at = NULL;

  if (list != NULL && !fy_node_is_sequence (list))
    return k8s_expected (r, list, "a list of nodes");
  for (struct fy_node *item; (item = k8s_next (list, &at)) != NULL;) {
    K8sTop top = { .api_version = "v1", .kind = "Node" };

    if (!(k8s_read_top (r, item, &top) && wl_cluster_object (r, item, &top, c)) && !wl_cluster_refused (c, r->error))
      return FALSE;
  }
  return TRUE;
}

/* Its clock and its tick hold for the run, too. */
static gboolean
read_settings (WlCluster *c, K8sReader *r, struct fy_node *root)
{
  struct fy_node *tick = k8s_get (root, "tick"), *clock = k8s_get (root, "startClock");
  g_autoptr (GString) text = g_string_new (NULL);
  gint64 n = 0;

  if (tick != NULL && (!wl_parse_int (k8s_scalar (tick, text), 1, 86400, &n, NULL)))
    return k8s_refuse (r, tick, "tick: expected 1 to 86400 seconds, found '%s'", text->str);
  if (tick != NULL)
    wl_import_scenario (c->imp, "period", text->str);
  else
    wl_import_default (c->imp, "tick (a second)");
  if (clock == NULL)
    return TRUE;
  if (!vc_parse_rfc3339 (k8s_scalar (clock, text), &n))
    return k8s_refuse (r, clock, "startClock: expected a time such as 2019-01-01T00:00:00+09:00, found '%s'", text->str);
  wl_import_origin (c->imp, n);
  return TRUE;
}

static gboolean
read_config (WlCluster *c, guint file, GError **error)
{
  const char *path = wl_import_path (c->imp, file);
  gsize len = 0;
  g_autofree char *text = wl_import_whole (c->imp, file, &len, error);
  g_autoptr (WlJsonDoc) doc = text != NULL ? wl_json_read (path, text, len, error) : NULL;
  g_autoptr (GError) e = NULL;
  K8sReader r;

  if (doc == NULL)
    return FALSE;
  struct fy_node *root = wl_json_root (doc);

  k8s_reader_begin (&r, c->arena, text, len, path, &e);
  r.object = root;
  gboolean ok = (fy_node_is_mapping (root) || k8s_expected (&r, root, "a map")) && read_settings (c, &r, root) && read_nodes (c, &r, k8s_get (root, "cluster"));

  k8s_reader_end (&r);
  if (!ok)
    g_propagate_error (error, g_steal_pointer (&e));
  return ok;
}

static gboolean
run (WlImport *imp, GError **error)
{
  g_autoptr (WlCluster) c = wl_cluster_new (imp);

  wl_cluster_take_all (c);
  for (guint i = 0; i < wl_import_n_files (imp); i++)
    if (!wl_cluster_look (c, i, error))
      return FALSE;
  for (guint i = 0; i < wl_import_n_files (imp); i++)
    if (!(is_config (wl_import_head (imp, i)) ? read_config (c, i, error) : wl_cluster_file (c, i, error)))
      return FALSE;
  return wl_cluster_finish (c, error);
}

static guint
detect (const WlImportHead *head)
{
  return is_config (head) ? WL_DETECT_SURE : wl_detect_objects (head) != WL_DETECT_NO ? WL_DETECT_WEAK : WL_DETECT_NO;
}

extern const WlImportFormat wl_format_pfnet;
const WlImportFormat wl_format_pfnet = {
  .name = "pfnet",
  .title = "k8s-cluster-simulator (pfnet)",
  .files = "its configuration; pods as Kubernetes objects beside it",
  .licence = "Apache-2.0; github.com/pfnet-research/k8s-cluster-simulator",
  .options = options,
  .detect = detect,
  .run = run,
};
