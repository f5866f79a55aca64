/* workloads/import/dlrm.c - Alibaba DLRM serving 2025: one file of instances, each a pod that serves, on GPU nodes (HN) or CPU nodes (CN). An instance without
 * creation was there before the trace, one without deletion outlives it. RDMA is percent of a NIC. There is no node list. */
#include "import.h"
#include "workloads/parse.h"
#include <string.h>

enum { C_NAME, C_ROLE, C_APP, C_CPU, C_GPU, C_RDMA, C_MEMORY, C_DISK, C_MOST, C_CREATED, C_SCHEDULED, C_DELETED,
       C_CPU_LIMIT, C_GPU_LIMIT, C_RDMA_LIMIT, C_MEMORY_LIMIT, C_DISK_LIMIT, N_COLUMNS };
static const WlColumn columns[N_COLUMNS] = {
  [C_NAME] = { "instance_sn", TRUE },          [C_ROLE] = { "role", TRUE },                 [C_APP] = { "app_name", TRUE },
  [C_CPU] = { "cpu_request", TRUE },           [C_GPU] = { "gpu_request", TRUE },           [C_RDMA] = { "rdma_request", TRUE },
  [C_MEMORY] = { "memory_request", TRUE },     [C_DISK] = { "disk_request", TRUE },         [C_MOST] = { "max_instance_per_node", TRUE },
  [C_CREATED] = { "creation_time", TRUE },     [C_SCHEDULED] = { "scheduled_time", TRUE },  [C_DELETED] = { "deletion_time", TRUE },
  [C_CPU_LIMIT] = { "cpu_limit", FALSE },      [C_GPU_LIMIT] = { "gpu_limit", FALSE },      [C_RDMA_LIMIT] = { "rdma_limit", FALSE },
  [C_MEMORY_LIMIT] = { "memory_limit", FALSE }, [C_DISK_LIMIT] = { "disk_limit", FALSE },
};

static const WlImportOption options[] = {
  { "hn-nodes", WL_OPTION_INT, "300", NULL, "GPU nodes (8 GPUs, 128 cores, 1 TiB, a NIC)" },
  { "cn-nodes", WL_OPTION_INT, "1500", NULL, "CPU nodes (192 cores, 768 GiB, a NIC)" },
  { NULL, WL_OPTION_TEXT, NULL, NULL, NULL },
};

/* GiB, or what else has a binary unit, as bytes. */
static gboolean
gibibytes (WlCsv *csv, int cell, gint64 *out, GError **error)
{
  return wl_import_scaled (csv, cell, G_GINT64_CONSTANT (1) << 30, 0, G_GINT64_CONSTANT (1) << 52, out, error);
}

static gboolean
job_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  const char *name = wl_csv_required (csv, cell[C_NAME], "an instance name", error), *app = wl_csv_cell (csv, cell[C_APP]);
  WlTime created = 0, scheduled = WL_TIME_NONE, deleted = WL_TIME_NEVER;
  gboolean there = wl_import_missing (csv, cell[C_CREATED]), stays = wl_import_missing (csv, cell[C_DELETED]), waited = !wl_import_missing (csv, cell[C_SCHEDULED]);
  WlImportAmounts request = { 0 };
  gint64 gpus, rdma, disk, most;

  if (name == NULL || !wl_import_scaled (csv, cell[C_CPU], 1000, 0, G_MAXINT32, &request.cpu_milli, error) || !wl_import_int (csv, cell[C_GPU], 0, 1000, &gpus, error) ||
      !wl_import_scaled (csv, cell[C_RDMA], 1, 0, 100000, &rdma, error) || !gibibytes (csv, cell[C_MEMORY], &request.memory, error) ||
      !gibibytes (csv, cell[C_DISK], &disk, error) || !wl_import_int (csv, cell[C_MOST], -1, 100000, &most, error) ||
      (!there && !wl_import_time (csv, cell[C_CREATED], &created, error)) || (waited && !wl_import_time (csv, cell[C_SCHEDULED], &scheduled, error)) ||
      (!stays && !wl_import_time (csv, cell[C_DELETED], &deleted, error)))
    return FALSE;
  WlTime start = scheduled != WL_TIME_NONE ? scheduled : created;

  if (!stays && deleted < start)
    return wl_import_drop (imp, "deleted before it was scheduled");
  if (!there && !waited)
    return wl_import_drop (imp, "never scheduled");
  g_autoptr (GString) more = g_string_new (NULL);

  if (rdma > 0)
    g_string_append_printf (more, "rdma.io/nic=%" G_GINT64_FORMAT, rdma);
  if (disk > 0)
    g_string_append_printf (more, "%sephemeral-storage=%" G_GINT64_FORMAT, more->len > 0 ? ";" : "", disk);
  request.gpus = (guint32) gpus;
  request.more = more->str;
  if (there)
    wl_import_default (imp, "creation (there before the trace)");
  if (stays)
    wl_import_default (imp, "deletion (outlives the trace)");
  if (most > 0)
    wl_import_note (imp, "limit of instances of an application on a node, which is not kept", 1);
  const WlImportRole role = { .name = "instance",
                              .replicas = 1,
                              .request = request,
                              .duration = stays ? WL_TIME_NEVER : deleted - start,
                              .node_selector = strcmp (wl_csv_cell (csv, cell[C_ROLE]), "HN") == 0 ? "pool=hn" : "pool=cn" };
  const char *extra[] = { app };
  const WlImportJob job = { .name = name, .submit = created, .role = &role, .n_roles = 1, .extra = extra };
  const WlImportRecord record = { .wait = WL_TIME_NONE, .start = start, .end = stays ? WL_TIME_NONE : deleted };

  guint32 number = wl_import_job (imp, &job);
  if (!there)
    wl_import_recorded (imp, number, &record);
  return TRUE;
}

static guint
detect (const WlImportHead *head)
{
  return wl_head_has (head, ',', "instance_sn,role,app_name,max_instance_per_node") ? WL_DETECT_SURE : WL_DETECT_NO;
}

static gboolean
run (WlImport *imp, GError **error)
{
  const gint64 gib = G_GINT64_CONSTANT (1) << 30;
  const struct { const char *name, *option; WlImportAmounts capacity; } pools[] = {
    { "hn", "hn-nodes", { .cpu_milli = 128000, .memory = 1024 * gib, .gpus = 8, .more = "rdma.io/nic=100;ephemeral-storage=20Ti" } },
    { "cn", "cn-nodes", { .cpu_milli = 192000, .memory = 768 * gib, .more = "rdma.io/nic=100;ephemeral-storage=20Ti" } },
  };

  wl_import_extra (imp, "x_app");
  for (guint i = 0; i < G_N_ELEMENTS (pools); i++) {
    g_autofree char *labels = g_strdup_printf ("pool=%s", pools[i].name);
    const WlImportNode node = { .name = pools[i].name, .time = WL_TIME_NONE, .capacity = pools[i].capacity, .labels = labels,
                                .count = (guint32) wl_import_number (imp, pools[i].option) };

    if (node.count > 0)
      wl_import_node (imp, &node);
    wl_import_default_more (imp, "nodes", node.count);
  }
  for (guint i = 0; i < wl_import_n_files (imp); i++)
    if (!wl_import_table (imp, i, NULL, columns, N_COLUMNS, job_row, NULL, error))
      return FALSE;
  return TRUE;
}

extern const WlImportFormat wl_format_dlrm;
const WlImportFormat wl_format_dlrm = {
  .name = "dlrm",
  .title = "Alibaba DLRM serving 2025",
  .files = "disaggregated_DLRM_trace.csv",
  .licence = "study and research; github.com/alibaba/clusterdata",
  .options = options,
  .detect = detect,
  .run = run,
};
