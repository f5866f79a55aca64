/* workloads/import/training/muri.c - traces of the simulators of Tiresias and Muri: a job list with a header, and a line that describes the cluster. Muri's times are
 * milliseconds (it has the column iteration_time), Tiresias' seconds. A job of n GPUs is a gang whose pods fill nodes. Switches become a label of the
 * nodes, and HyperNodes of the first tier. */
#include "workloads/import/gang.h"
#include "workloads/text/parse.h"
#include <string.h>

#define MAX_GPUS 100000

enum { C_ID, C_GPUS, C_SUBMIT, C_ITERATIONS, C_MODEL, C_BATCH, C_DURATION, C_INTERVAL, C_ITERATION_TIME, C_PRIORITY, N_COLUMNS };
static const WlColumn columns[N_COLUMNS] = {
  [C_ID] = { "job_id", TRUE },       [C_GPUS] = { "num_gpu", TRUE },      [C_SUBMIT] = { "submit_time", TRUE }, [C_ITERATIONS] = { "iterations", FALSE }, [C_MODEL] = { "model_name", FALSE },
  [C_BATCH] = { "batch_size", FALSE }, [C_DURATION] = { "duration", TRUE }, [C_INTERVAL] = { "interval", FALSE }, [C_ITERATION_TIME] = { "iteration_time", FALSE },
  [C_PRIORITY] = { "priority", FALSE },
};
static const WlCsvShape job_shape = { .others = TRUE }; /* resource_time_N: how an iteration divides among resources; Tiresias' start_time, which its simulator sets itself */

enum { N_SWITCHES, N_NODES, N_GPUS, N_CPUS, N_MEMORY, N_CLUSTER };
static const WlColumn cluster_columns[N_CLUSTER] = {
  [N_SWITCHES] = { "num_switch", TRUE },  [N_NODES] = { "num_node_p_switch", TRUE }, [N_GPUS] = { "num_gpu_p_node", TRUE },
  [N_CPUS] = { "num_cpu_p_node", TRUE }, [N_MEMORY] = { "mem_p_node", TRUE },
};

static const WlImportOption options[] = {
  { "nodes", WL_OPTION_COUNT, "8", NULL, "nodes, where no line describes the cluster" },
  WL_GANG_OPTIONS ("8", "92", "520Gi", "10", "58Gi"),
  { "time-unit", WL_OPTION_CHOICE, "auto", "auto|ms|s", "unit of times; auto: ms where there is the column iteration_time, else s" },
  { "run-time", WL_OPTION_CHOICE, "duration", "duration|iterations", "how long jobs run: the column duration (rounded), or iterations x iteration_time" },
  { "muri-starts", WL_OPTION_SWITCH, NULL, NULL, "as the simulator of Muri: 1.015 times the iterations, and every start costs running time, by model and number of GPUs" },
  { "priority-by", WL_OPTION_CHOICE, "none", "none|column", "the priority of jobs: none, or the column priority" },
  { NULL, WL_OPTION_TEXT, NULL, NULL, NULL },
};

/* What a start costs in the simulator of Muri, in seconds, for 1, 2, 4, 8, 16 and 32 GPUs. */
static const struct { const char *model; int seconds[6]; } starts[] = {
  { "vgg16", { 7, 7, 8, 9, 9, 10 } },   { "vgg19", { 7, 7, 8, 9, 10, 10 } },   { "resnet18", { 4, 5, 5, 7, 7, 7 } },    { "shufflenet_v2_x1_0", { 4, 4, 5, 5, 7, 8 } },
  { "bert", { 10, 10, 10, 10, 10, 10 } }, { "gpt2", { 10, 10, 10, 10, 10, 10 } }, { "a2c", { 38, 39, 39, 46, 46, 46 } }, { "dqn", { 5, 5, 6, 6, 8, 8 } },
};

typedef struct {
  WlGangShape shape;
  gint64 unit;       /* µs of a time in the file */
  gboolean iterations, muri, priorities;
  const char *queue; /* several files: one each */
  guint32 nodes;     /* of the cluster lines */
} Reader;

/* Seconds of a start; -1 with @error at a cell of the row. */
static int
start_cost (WlCsv *csv, const int *cell, gint64 gpus, const char *model, GError **error)
{
  guint size = 0;

  while (size < 6 && (G_GINT64_CONSTANT (1) << size) < gpus)
    size++;
  for (guint i = 0; i < G_N_ELEMENTS (starts); i++)
    if (size < 6 && strcmp (starts[i].model, model) == 0)
      return starts[i].seconds[size];
  g_autofree char *shown = wl_shown (wl_csv_cell (csv, cell[size < 6 ? C_MODEL : C_GPUS]));
  wl_csv_refuse (csv, cell[size < 6 ? C_MODEL : C_GPUS], WL_ERROR_VALUE, "--muri-starts", size < 6 ? "a model whose starts are known" : "at most 32 GPUs", shown, error);
  return -1;
}

static gboolean
running_time (const Reader *r, WlCsv *csv, const int *cell, WlTime *out, GError **error)
{
  gint64 iterations, each;

  if (!r->iterations)
    return wl_import_scaled (csv, cell[C_DURATION], r->unit, -WL_TIME_MAX, WL_TIME_MAX, out, error);
  if (cell[C_ITERATION_TIME] < 0 || cell[C_ITERATIONS] < 0)
    return wl_csv_refuse (csv, cell[C_DURATION], WL_ERROR_HEADER, "running time by iterations", "the columns iterations and iteration_time", "no such", error);
  if (!wl_import_int (csv, cell[C_ITERATIONS], 0, WL_TIME_MAX, &iterations, error) || !wl_import_scaled (csv, cell[C_ITERATION_TIME], r->unit, 0, WL_TIME_MAX, &each, error))
    return FALSE;
  double time = (double) iterations * (double) each * (r->muri ? 1.015 : 1);

  if (time > (double) WL_TIME_MAX)
    return wl_csv_refuse (csv, cell[C_ITERATIONS], WL_ERROR_VALUE, "iterations x iteration_time", "at most 285 years", "more", error);
  *out = r->muri ? (iterations * each / 1000) * 1015 + (iterations * each % 1000) * 1015 / 1000 : iterations * each;
  return TRUE;
}

static gboolean
job_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  const Reader *r = user;
  const char *id = wl_csv_required (csv, cell[C_ID], "a job", error), *model = wl_csv_cell (csv, cell[C_MODEL]);
  WlTime submit, run;
  gint64 gpus, priority = 0;
  int cost = 0;

  if (id == NULL || !wl_import_scaled (csv, cell[C_SUBMIT], r->unit, -WL_TIME_MAX, WL_TIME_MAX, &submit, error) || !wl_import_int (csv, cell[C_GPUS], 1, MAX_GPUS, &gpus, error)
      || !running_time (r, csv, cell, &run, error) || (r->muri && (cost = start_cost (csv, cell, gpus, model, error)) < 0)
      || (cell[C_PRIORITY] >= 0 && !wl_import_missing (csv, cell[C_PRIORITY]) && !wl_import_int (csv, cell[C_PRIORITY], G_MININT32, G_MAXINT32, &priority, error)))
    return FALSE;
  if (run < 0)
    return wl_import_drop (imp, "negative duration");
  WlImportRole role[2];
  g_autofree char *name = r->queue != NULL ? g_strdup_printf ("%s-%s", r->queue, id) : g_strdup_printf ("job-%s", id), *class = g_strdup_printf ("%" G_GINT64_FORMAT, priority);
  const guint n = wl_gang_roles (&r->shape, (guint32) gpus, run, role);
  const char *extra[] = { model, wl_csv_cell (csv, cell[C_BATCH]) };
  const WlImportJob job = { .name = name, .queue = r->queue, .priority = r->priorities ? class : NULL, .submit = submit, .role = role, .n_roles = n, .extra = extra };

  for (guint i = 0; i < n && r->muri; i++) {
    role[i].checkpoint = 1; /* nothing but the start is lost */
    role[i].restart_cost = cost * (WlTime) G_USEC_PER_SEC;
  }
  wl_import_job (imp, &job);
  wl_import_default (imp, "cpu and memory of pods");
  if (!r->priorities && priority != 0)
    wl_import_note (imp, "priority ignored (--priority-by=column)", 1);
  return TRUE;
}

static gboolean
cluster_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  Reader *r = user;
  gint64 switches, nodes, gpus, cores, memory;

  if (!wl_import_int (csv, cell[N_SWITCHES], 1, 100000, &switches, error) || !wl_import_int (csv, cell[N_NODES], 1, 100000, &nodes, error)
      || !wl_import_int (csv, cell[N_GPUS], 0, 1000, &gpus, error) || !wl_import_scaled (csv, cell[N_CPUS], 1000, 1, G_MAXINT32, &cores, error)
      || !wl_import_scaled (csv, cell[N_MEMORY], 1 << 30, 1, WL_AMOUNT_MAX, &memory, error))
    return FALSE;
  for (gint64 i = 0; i < switches; i++) {
    g_autofree char *name = switches > 1 ? g_strdup_printf ("s%" G_GINT64_FORMAT "-n", i) : g_strdup ("n"), *label = g_strdup_printf ("switch=s%" G_GINT64_FORMAT, i);
    const WlImportNode node = { .name = name, .time = WL_TIME_NONE, .capacity = { .cpu_milli = cores, .memory = memory, .gpus = (guint32) gpus }, .labels = label, .count = (guint32) nodes };

    wl_import_node (imp, &node);
  }
  r->nodes += (guint32) (switches * nodes);
  if (gpus > 0) { /* pods fill these nodes, and ask for 0.9 of what belongs to their GPUs */
    if (!wl_import_given (imp, "gpus-per-node"))
      r->shape.per_pod = (guint32) gpus;
    if (!wl_import_given (imp, "pod-cpu"))
      r->shape.cpu = cores / gpus * 9 / 10;
    if (!wl_import_given (imp, "pod-memory"))
      r->shape.memory = memory / gpus / 10 * 9;
  }
  return TRUE;
}

static gboolean
is_cluster (const WlImportHead *head)
{
  return wl_head_has (head, ',', "num_switch,num_node_p_switch,num_gpu_p_node");
}

static guint
detect (const WlImportHead *head)
{
  return is_cluster (head) || wl_head_has (head, ',', "job_id,num_gpu,submit_time,model_name,duration") || wl_head_has (head, ',', "job_id,num_gpu,submit_time,iterations,duration") ? WL_DETECT_SURE : WL_DETECT_NO;
}

static gboolean
run (WlImport *imp, GError **error)
{
  const gboolean muri = wl_import_on (imp, "muri-starts");
  Reader r = { .shape = wl_gang_shape (imp), .iterations = muri || wl_import_is (imp, "run-time", "iterations"), .muri = muri, .priorities = wl_import_is (imp, "priority-by", "column") };
  guint lists = 0;

  wl_import_extra (imp, "x_model");
  wl_import_extra (imp, "x_batch_size");
  for (guint i = 0; i < wl_import_n_files (imp); i++) { /* the cluster first: pods go by it */
    lists += !is_cluster (wl_import_head (imp, i));
    if (is_cluster (wl_import_head (imp, i)) && !wl_import_table (imp, i, NULL, cluster_columns, N_CLUSTER, cluster_row, &r, error))
      return FALSE;
  }
  for (guint i = 0; i < wl_import_n_files (imp); i++) {
    const WlImportHead *head = wl_import_head (imp, i);
    g_autofree char *stem = g_strndup (head->name, strcspn (head->name, "."));
    const gboolean ms = wl_import_is (imp, "time-unit", "ms") || (wl_import_is (imp, "time-unit", "auto") && wl_head_has (head, ',', "iteration_time"));

    if (is_cluster (head))
      continue;
    r.unit = ms ? 1000 : G_USEC_PER_SEC;
    r.queue = lists > 1 ? stem : NULL;
    wl_import_note (imp, ms ? "job list whose times are milliseconds" : "job list whose times are seconds", 1);
    if (!wl_import_table (imp, i, &job_shape, columns, N_COLUMNS, job_row, &r, error))
      return FALSE;
  }
  if (r.nodes == 0)
    wl_gang_nodes (imp, (guint32) wl_import_number (imp, "nodes"));
  else
    wl_import_scenario (imp, "network_topology_types", "{switch: [switch, kubernetes.io/hostname]}");
  return TRUE;
}

extern const WlImportFormat wl_format_muri;
const WlImportFormat wl_format_muri = {
  .name = "muri",
  .title = "Muri and Tiresias simulators",
  .files = "job lists (several become a queue each), and the line that describes the cluster",
  .licence = "Apache-2.0; github.com/Rivendile/Muri, cite Zhao et al., SIGCOMM 2022",
  .options = options,
  .detect = detect,
  .run = run,
};
