/* workloads/import/alibaba/spot.c - Alibaba spot-GPU cluster 2026: a node list and a job list with headers. Jobs are of high priority (HP), or Spot: those may be
 * evicted. Requests are those of one worker; memory is in neither file, nodes get 8 GiB for each core and pods their part of it. */
#include "workloads/import/import.h"
#include "workloads/text/parse.h"
#include <string.h>

enum { N_MODEL, N_GPUS, N_CPU, N_NAME, N_NODE_COLUMNS };
static const WlColumn node_columns[N_NODE_COLUMNS] = {
  [N_MODEL] = { "gpu_model", TRUE }, [N_GPUS] = { "gpu_capacity_num", TRUE }, [N_CPU] = { "cpu_num", TRUE }, [N_NAME] = { "node_name", TRUE },
};
enum { J_NAME, J_ORG, J_MODEL, J_CPU, J_GPU, J_WORKERS, J_SUBMIT, J_DURATION, J_TYPE, N_JOB_COLUMNS };
static const WlColumn job_columns[N_JOB_COLUMNS] = {
  [J_NAME] = { "job_name", TRUE },      [J_ORG] = { "organization", TRUE },    [J_MODEL] = { "gpu_model", TRUE },
  [J_CPU] = { "cpu_request", TRUE },    [J_GPU] = { "gpu_request", TRUE },     [J_WORKERS] = { "worker_num", TRUE },
  [J_SUBMIT] = { "submit_time", TRUE }, [J_DURATION] = { "duration", TRUE },   [J_TYPE] = { "job_type", TRUE },
};

static const WlImportOption options[] = {
  { "memory-per-core", WL_OPTION_QUANTITY, "8Gi", NULL, "memory of a node for each of its cores; pods ask for 0.9 of their part of it" },
  { "min-workers", WL_OPTION_COUNT, NULL, NULL, "workers that must start together (default: all of a job)" },
  { "gpu-model", WL_OPTION_CHOICE, "require", "require|ignore", "the GPU model of a job: only nodes that have it, or any" },
  { NULL, WL_OPTION_TEXT, NULL, NULL, NULL },
};

static gboolean
node_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  const char *name = wl_csv_required (csv, cell[N_NAME], "a node name", error);
  gint64 gpus, cores;

  if (name == NULL || !wl_import_int (csv, cell[N_GPUS], 0, 1000, &gpus, error) || !wl_import_int (csv, cell[N_CPU], 1, 1000000, &cores, error))
    return FALSE;
  g_autofree char *label = g_strdup_printf ("node-%s", name);
  const WlImportNode node = { .name = label,
                              .time = WL_TIME_NONE,
                              .capacity = { .cpu_milli = cores * 1000, .memory = wl_import_product (cores, wl_import_bytes (imp, "memory-per-core"), 1), .gpus = (guint32) gpus },
                              .model = wl_csv_cell (csv, cell[N_MODEL]) };

  wl_import_node (imp, &node);
  wl_import_default (imp, "memory of nodes");
  return TRUE;
}

/* Whole devices, or one of which a part is used. */
static gboolean
read_gpus (WlCsv *csv, int cell, WlImportAmounts *out, GError **error)
{
  gint64 milli;

  if (!wl_import_scaled (csv, cell, 1000, 0, 1000000, &milli, error))
    return FALSE;
  if (milli > 1000 && milli % 1000 != 0)
    return wl_csv_refuse (csv, cell, WL_ERROR_VALUE, "column 'gpu_request'", "a whole number, or a part of one GPU", wl_csv_cell (csv, cell), error);
  out->gpus = (guint32) ((milli + 999) / 1000);
  out->gpu_milli = milli < 1000 ? (guint32) milli : 0;
  return TRUE;
}

static gboolean
job_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  const char *name = wl_csv_required (csv, cell[J_NAME], "a job name", error), *type = wl_csv_cell (csv, cell[J_TYPE]);
  WlImportAmounts request = { 0 };
  WlTime submit, run;
  gint64 workers;

  if (name == NULL || !wl_import_time (csv, cell[J_SUBMIT], &submit, error) || !wl_import_time (csv, cell[J_DURATION], &run, error) ||
      !wl_import_int (csv, cell[J_WORKERS], 1, WL_REPLICAS_MAX, &workers, error) || !wl_import_scaled (csv, cell[J_CPU], 1000, 0, G_MAXINT32, &request.cpu_milli, error) ||
      !read_gpus (csv, cell[J_GPU], &request, error))
    return FALSE;
  gboolean spot = strcmp (type, "Spot") == 0;

  if (!spot && strcmp (type, "HP") != 0) {
    g_autofree char *shown = wl_shown (type);
    return wl_csv_refuse (csv, cell[J_TYPE], WL_ERROR_VALUE, "column 'job_type'", "HP or Spot", shown, error);
  }
  if (run < 0)
    return wl_import_drop (imp, "negative duration");
  const char *model = wl_csv_cell (csv, cell[J_MODEL]), *organization = wl_csv_cell (csv, cell[J_ORG]);
  g_autofree char *value = *model != '\0' ? wl_import_label_value (model) : NULL, *queue = g_strdup_printf ("org-%s", organization), *job_name = g_strdup_printf ("job-%s", name);
  g_autofree char *selector = value != NULL && wl_import_is (imp, "gpu-model", "require") ? g_strdup_printf ("gpu-model=%s", value) : NULL;

  request.memory = wl_import_product (request.cpu_milli, wl_import_bytes (imp, "memory-per-core"), 1000) * 9 / 10;
  wl_import_default (imp, "memory of pods");
  if (*model == '\0' && request.gpus > 0)
    wl_import_default (imp, "gpu_model (none given: any)");
  const WlImportRole role = { .name = "worker", .replicas = (guint32) workers, .request = request, .duration = run, .node_selector = selector };
  const WlImportJob job = { .name = job_name,
                            .queue = *organization != '\0' ? queue : "",
                            .priority = spot ? "spot" : "hp",
                            .submit = submit,
                            .min_available = wl_import_given (imp, "min-workers") ? (gint32) MIN (wl_import_number (imp, "min-workers"), workers) : 0,
                            .preemptable = spot ? 1 : -1,
                            .role = &role,
                            .n_roles = 1 };

  wl_import_job (imp, &job);
  return TRUE;
}

static gboolean
is_node_list (const WlImportHead *head)
{
  return wl_head_has (head, ',', "gpu_model,gpu_capacity_num,cpu_num,node_name");
}

static guint
detect (const WlImportHead *head)
{
  return is_node_list (head) || wl_head_has (head, ',', "job_name,organization,gpu_model,cpu_request,gpu_request,worker_num") ? WL_DETECT_SURE : WL_DETECT_NO;
}

static gboolean
run (WlImport *imp, GError **error)
{
  guint nodes = 0;

  wl_import_priority_class (imp, "hp", 1000);
  wl_import_priority_class (imp, "spot", 100);
  for (guint i = 0; i < wl_import_n_files (imp); i++) {
    gboolean list = is_node_list (wl_import_head (imp, i));

    nodes += list;
    if (!(list ? wl_import_table (imp, i, NULL, node_columns, N_NODE_COLUMNS, node_row, NULL, error)
               : wl_import_table (imp, i, NULL, job_columns, N_JOB_COLUMNS, job_row, NULL, error)))
      return FALSE;
  }
  if (nodes == 0)
    wl_import_note (imp, "no node list among the files: the scenario has no nodes", 1);
  return TRUE;
}

extern const WlImportFormat wl_format_spot;
const WlImportFormat wl_format_spot = {
  .name = "spot",
  .title = "Alibaba spot-GPU cluster 2026",
  .files = "job_info_df.csv and node_info_df.csv, in any order",
  .licence = "study and research; github.com/alibaba/clusterdata",
  .options = options,
  .detect = detect,
  .run = run,
};
