/* workloads/import/training/itp.c - Microsoft ITP 2021: two months of deep-learning jobs, one file for each of ten clusters (spec: job_id, submission_time, duration,
 * num_gpu; seconds; sorted). The elasticflow_ files add iterations, model, deadline and batch size that the authors made up.
 *
 * A job of n GPUs is a gang of ceil(n / 8) pods, each of at most 8 GPUs. There are no users: with several files each is a queue. There is no node list: nodes
 * have 8 GPUs, 96 cores and 768 GiB, so many that the GPUs suffice 95 % of the time if every job started at once. For a part of a cluster's file, as far as its
 * name tells, that is the figure of the whole one. */
#include "workloads/import/hpc.h"
#include "workloads/text/parse.h"
#include <string.h>

#define MAX_GPUS 1000000

enum { C_ID, C_SUBMIT, C_DURATION, C_GPUS, C_ITERATIONS, C_MODEL, C_DEADLINE, C_BATCH, N_COLUMNS };
static const WlColumn columns[N_COLUMNS] = {
  [C_ID] = { "job_id", TRUE },
  [C_SUBMIT] = { "submission_time", TRUE },
  [C_DURATION] = { "duration", TRUE },
  [C_GPUS] = { "num_gpu", TRUE },
  [C_ITERATIONS] = { "num_iteration", FALSE },
  [C_MODEL] = { "model_name", FALSE },
  [C_DEADLINE] = { "deadline", FALSE },
  [C_BATCH] = { "batch_size", FALSE },
};

static const WlImportOption options[] = {
  { "nodes", WL_OPTION_COUNT, NULL, NULL, "nodes of the cluster (default: enough for 95 % of the time if every job started at once)" },
  { "gpus-per-node", WL_OPTION_COUNT, "8", NULL, "GPUs of a node, and most GPUs of a pod" },
  { "node-cpu", WL_OPTION_SIZE, "96", NULL, "cores of a node" },
  { "node-memory", WL_OPTION_SIZE, "768Gi", NULL, "memory of a node" },
  { "pod-cpu", WL_OPTION_QUANTITY, "10", NULL, "cores that a pod asks for beside each GPU" },
  { "pod-memory", WL_OPTION_QUANTITY, "80Gi", NULL, "memory that a pod asks for beside each GPU" },
  { "deadline", WL_OPTION_CHOICE, "keep", "keep|sla|ignore", "deadlines of the elasticflow files: keep them as x_deadline, which results count; also as waiting times for the plugin sla" },
  { NULL, WL_OPTION_TEXT, NULL, NULL, NULL },
};

/* GPUs in use 95 % of the time if every job of the cluster started at once: what enough_nodes() makes of the ten published files. */
static const struct { const char *cluster; guint gpus; } sizes[] = { { "cluster01", 132 }, { "cluster02", 193 }, { "cluster03", 352 }, { "cluster04", 752 }, { "cluster05", 68 },
                                                                      { "cluster06", 248 }, { "cluster07", 376 }, { "cluster08", 147 }, { "cluster09", 87 },  { "cluster10", 26 } };

/* Columns that results carry along. */
static const struct { int column; const char *name; } passed[] = { { C_MODEL, "x_model" }, { C_BATCH, "x_batch_size" }, { C_ITERATIONS, "x_iterations" } };

typedef struct {
  guint32 per_node;
  gint64 cpu, memory; /* beside each GPU */
  gboolean deadlines, sla; /* columns x_deadline and sla_waiting_time */
  gboolean has[3];     /* which of `passed` some file has */
  const char *queue;
  GHashTable *ids;     /* of the file at hand */
  GArray *uses;        /* WlUse of its GPUs */
  gint64 largest;      /* job of it */
} Shape;

/* A cluster that we know by the name of its file, else one for the jobs of the file; the largest of them has room in any case. */
static guint
enough_nodes (const WlImportHead *head, const Shape *shape)
{
  gint64 gpus = wl_uses_share (shape->uses, 95);

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    if (strstr (head->name, sizes[i].cluster) != NULL)
      gpus = sizes[i].gpus;
  return (guint) MIN ((MAX (gpus, shape->largest) + shape->per_node - 1) / shape->per_node, WL_OPTION_MAX);
}

/* Time from the submission to the deadline, and the longest wait that meets it, as texts; empty: none given. */
static gboolean
read_deadline (WlCsv *csv, int cell, WlTime submit, WlTime run, GString *after, GString *wait, GError **error)
{
  WlTime deadline;

  if (cell < 0 || wl_import_missing (csv, cell))
    return TRUE;
  if (!wl_import_time (csv, cell, &deadline, error))
    return FALSE;
  wl_append_time (after, MAX (deadline - submit, 0));
  wl_append_time (wait, MAX (deadline - submit - run, 0));
  return TRUE;
}

static gboolean
job_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  Shape *shape = user;
  WlTime submit, run;
  gint64 gpus;
  const char *id = wl_csv_required (csv, cell[C_ID], "a job", error);
  g_autoptr (GString) after = g_string_new (NULL), wait = g_string_new (NULL);

  if (id == NULL || !wl_import_time (csv, cell[C_SUBMIT], &submit, error) || !wl_import_time (csv, cell[C_DURATION], &run, error)
      || !wl_import_int (csv, cell[C_GPUS], 1, MAX_GPUS, &gpus, error) || (shape->deadlines && !read_deadline (csv, cell[C_DEADLINE], submit, run, after, wait, error)))
    return FALSE;
  if (run < 0)
    return wl_import_drop (imp, "negative duration");
  if (!g_hash_table_add (shape->ids, g_strdup (id)))
    return wl_import_drop (imp, "duplicate id");
  wl_uses_add (shape->uses, submit, submit + run, gpus);
  shape->largest = MAX (shape->largest, gpus);
  guint32 whole = (guint32) gpus / shape->per_node, rest = (guint32) gpus % shape->per_node;
  WlImportRole role[2];
  guint n = 0;

  for (guint k = 0; k < 2; k++) { /* whole nodes, and a pod for the rest */
    guint32 of_pod = k == 0 ? shape->per_node : rest;

    if (k == 0 ? whole == 0 : rest == 0)
      continue;
    role[n] = (WlImportRole){ .name = n == 0 ? "w" : "rest",
                              .replicas = k == 0 ? whole : 1,
                              .request = { .cpu_milli = wl_import_product (of_pod, shape->cpu, 1), .memory = wl_import_product (of_pod, shape->memory, 1), .gpus = of_pod },
                              .duration = run };
    n++;
  }
  const char *extra[6];
  guint n_extra = 0;

  if (shape->deadlines)
    extra[n_extra++] = after->str;
  if (shape->sla)
    extra[n_extra++] = wait->str;
  extra[n_extra++] = id;
  for (guint k = 0; k < G_N_ELEMENTS (passed); k++)
    if (shape->has[k])
      extra[n_extra++] = wl_csv_cell (csv, cell[passed[k].column]);
  const WlImportJob job = { .queue = shape->queue, .submit = submit, .role = role, .n_roles = n, .extra = extra };

  wl_import_job (imp, &job);
  wl_import_default (imp, "cpu and memory of pods");
  return TRUE;
}

static guint
detect (const WlImportHead *head)
{
  return wl_head_has (head, ',', "job_id,submission_time,duration,num_gpu") ? WL_DETECT_SURE : WL_DETECT_NO;
}

static void
declare_columns (WlImport *imp, Shape *shape)
{
  for (guint i = 0; i < wl_import_n_files (imp); i++) {
    const WlImportHead *head = wl_import_head (imp, i);

    shape->deadlines |= !wl_import_is (imp, "deadline", "ignore") && wl_head_has (head, ',', "deadline");
    for (guint k = 0; k < G_N_ELEMENTS (passed); k++)
      shape->has[k] |= wl_head_has (head, ',', columns[passed[k].column].name);
  }
  shape->sla &= shape->deadlines;
  if (shape->deadlines)
    wl_import_extra (imp, "x_deadline");
  if (shape->sla)
    wl_import_extra (imp, "sla_waiting_time");
  wl_import_extra (imp, "x_job_id");
  for (guint k = 0; k < G_N_ELEMENTS (passed); k++)
    if (shape->has[k])
      wl_import_extra (imp, passed[k].name);
}

static gboolean
run (WlImport *imp, GError **error)
{
  g_autoptr (GHashTable) ids = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GArray) uses = wl_uses_new ();
  Shape shape = { .per_node = MAX ((guint32) wl_import_number (imp, "gpus-per-node"), 1),
                  .cpu = wl_import_milli (imp, "pod-cpu"),
                  .memory = wl_import_bytes (imp, "pod-memory"),
                  .sla = wl_import_is (imp, "deadline", "sla"),
                  .ids = ids,
                  .uses = uses };
  guint n = wl_import_n_files (imp), nodes = (guint) wl_import_number (imp, "nodes");
  gboolean given = nodes > 0;

  declare_columns (imp, &shape);
  for (guint i = 0; i < n; i++) {
    const WlImportHead *head = wl_import_head (imp, i);
    g_autofree char *stem = g_strndup (head->name, strcspn (head->name, "."));

    shape.queue = n > 1 ? stem : NULL;
    if (n > 1) {
      const WlImportQueue queue = { .name = stem, .time = WL_TIME_NONE };

      wl_import_queue (imp, &queue);
    }
    shape.largest = 0;
    g_array_set_size (uses, 0);
    g_hash_table_remove_all (ids);
    if (!wl_import_table (imp, i, NULL, columns, N_COLUMNS, job_row, &shape, error))
      return FALSE;
    nodes += given ? 0 : enough_nodes (head, &shape);
  }
  const WlImportNode node = { .name = "n",
                              .time = WL_TIME_NONE,
                              .capacity = { .cpu_milli = wl_import_milli (imp, "node-cpu"), .memory = wl_import_bytes (imp, "node-memory"), .gpus = shape.per_node },
                              .count = MIN (nodes, WL_OPTION_MAX) };

  wl_import_node (imp, &node);
  wl_import_default_more (imp, "nodes", nodes);
  return TRUE;
}

extern const WlImportFormat wl_format_itp;
const WlImportFormat wl_format_itp = {
  .name = "itp",
  .title = "Microsoft ITP 2021 (ElasticFlow traces)",
  .files = "one or more cluster files (job_id,submission_time,duration,num_gpu); several become a queue each",
  .licence = "MIT; github.com/microsoft/elasticflow-traces",
  .options = options,
  .detect = detect,
  .run = run,
};
