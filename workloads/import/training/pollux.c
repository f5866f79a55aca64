/* workloads/import/training/pollux.c - Pollux workloads: name,time,application,num_replicas,batch_size. A job is a gang of num_replicas pods of one GPU. How long it takes depends
 * on the application, whose profiles are not in the file: an order of magnitude for one GPU, divided by the replicas, is an option for each. */
#include "workloads/import/gang.h"
#include "workloads/text/parse.h"
#include <string.h>

enum { C_NAME, C_TIME, C_APP, C_REPLICAS, C_BATCH, N_COLUMNS };
static const WlColumn columns[N_COLUMNS] = {
  [C_NAME] = { "name", TRUE }, [C_TIME] = { "time", TRUE }, [C_APP] = { "application", TRUE }, [C_REPLICAS] = { "num_replicas", TRUE }, [C_BATCH] = { "batch_size", FALSE },
};

static const WlImportOption options[] = {
  { "nodes", WL_OPTION_COUNT, "16", NULL, "nodes" },
  WL_GANG_OPTIONS ("4", "48", "192Gi", "10", "40Gi"),
  { "cifar10", WL_OPTION_TIME, "42m", NULL, "running time of this application on one GPU" },
  { "ncf", WL_OPTION_TIME, "18m", NULL, "the same" },
  { "bert", WL_OPTION_TIME, "2h30m", NULL, "the same" },
  { "deepspeech2", WL_OPTION_TIME, "3h", NULL, "the same" },
  { "yolov3", WL_OPTION_TIME, "10h", NULL, "the same" },
  { "imagenet", WL_OPTION_TIME, "200h", NULL, "the same" },
  { NULL, WL_OPTION_TEXT, NULL, NULL, NULL },
};
static const char *const applications[] = { "cifar10", "ncf", "bert", "deepspeech2", "yolov3", "imagenet", NULL };

static gboolean
job_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  const char *queue = user, *name = wl_csv_required (csv, cell[C_NAME], "a job name", error), *app = wl_csv_cell (csv, cell[C_APP]);
  gint64 replicas;
  WlTime submit;

  if (name == NULL || !wl_import_time (csv, cell[C_TIME], &submit, error) || !wl_import_int (csv, cell[C_REPLICAS], 1, 10000, &replicas, error))
    return FALSE;
  if (!g_strv_contains (applications, app)) {
    g_autofree char *shown = wl_shown (app);
    return wl_csv_refuse (csv, cell[C_APP], WL_ERROR_VALUE, "column 'application'", "cifar10, ncf, bert, deepspeech2, yolov3 or imagenet", shown, error);
  }
  g_autofree char *full = queue != NULL ? g_strdup_printf ("%s-%s", queue, name) : g_strdup (name);
  const char *extra[] = { app };
  const WlImportRole role = { .name = "replica",
                              .replicas = (guint32) replicas,
                              .request = { .cpu_milli = wl_import_milli (imp, "pod-cpu"), .memory = wl_import_bytes (imp, "pod-memory"), .gpus = 1 },
                              .duration = wl_import_duration (imp, app) / replicas };
  const WlImportJob job = { .name = full, .queue = queue, .submit = submit, .role = &role, .n_roles = 1, .extra = extra };

  wl_import_job (imp, &job);
  wl_import_default (imp, "cpu and memory of pods");
  wl_import_default (imp, "duration (by application)");
  return TRUE;
}

static guint
detect (const WlImportHead *head)
{
  return wl_head_has (head, ',', "name,time,application,num_replicas") ? WL_DETECT_SURE : WL_DETECT_NO;
}

static gboolean
run (WlImport *imp, GError **error)
{
  guint n = wl_import_n_files (imp);

  wl_import_extra (imp, "x_application");
  for (guint i = 0; i < n; i++) {
    const WlImportHead *head = wl_import_head (imp, i);
    g_autofree char *stem = g_strndup (head->name, strcspn (head->name, "."));

    if (!wl_import_table (imp, i, NULL, columns, N_COLUMNS, job_row, n > 1 ? stem : NULL, error))
      return FALSE;
  }
  wl_gang_nodes (imp, (guint32) wl_import_number (imp, "nodes"));
  return TRUE;
}

extern const WlImportFormat wl_format_pollux;
const WlImportFormat wl_format_pollux = {
  .name = "pollux",
  .title = "Pollux",
  .files = "workload-N.csv; several become a queue each",
  .licence = "Apache-2.0; github.com/petuum/adaptdl",
  .options = options,
  .detect = detect,
  .run = run,
};
