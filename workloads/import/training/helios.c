/* workloads/import/training/helios.c - SenseTime Helios 2020 (cluster_log.csv, and the GPUs of each virtual cluster by day) and Acme 2023 (Seren, Kalos), which have
 * nearly the same columns. Totals of a job are spread over its nodes, one pod each, all needed. Wall-clock times are taken as they stand. */
#include "workloads/import/import.h"
#include "workloads/text/parse.h"
#include <string.h>

enum { C_ID, C_USER, C_VC, C_GPUS, C_CPUS, C_NODES, C_STATE, C_SUBMIT, C_START, C_END, C_DURATION, C_QUEUE, C_TYPE, C_MEMORY, C_SHARED, C_FAIL, C_STOP, C_GPU_TIME, N_COLUMNS };
static const WlColumn helios_columns[] = {
  [C_ID] = { "job_id", TRUE },         [C_USER] = { "user", TRUE },          [C_VC] = { "vc", TRUE },
  [C_GPUS] = { "gpu_num", TRUE },      [C_CPUS] = { "cpu_num", TRUE },       [C_NODES] = { "node_num", TRUE },
  [C_STATE] = { "state", TRUE },       [C_SUBMIT] = { "submit_time", TRUE }, [C_START] = { "start_time", TRUE },
  [C_END] = { "end_time", TRUE },      [C_DURATION] = { "duration", FALSE }, [C_QUEUE] = { "queue", FALSE },
};
static const WlColumn acme_columns[N_COLUMNS] = {
  [C_ID] = { "job_id", TRUE },         [C_USER] = { "user", TRUE },          [C_VC] = { "vc", FALSE },
  [C_GPUS] = { "gpu_num", TRUE },      [C_CPUS] = { "cpu_num", TRUE },       [C_NODES] = { "node_num", TRUE },
  [C_STATE] = { "state", TRUE },       [C_SUBMIT] = { "submit_time", TRUE }, [C_START] = { "start_time", TRUE },
  [C_END] = { "end_time", TRUE },      [C_DURATION] = { "duration", FALSE }, [C_QUEUE] = { "queue", FALSE },
  [C_TYPE] = { "type", TRUE },         [C_MEMORY] = { "mem_per_pod_GB", FALSE }, [C_SHARED] = { "shared_mem_per_pod", FALSE },
  [C_FAIL] = { "fail_time", FALSE },   [C_STOP] = { "stop_time", FALSE },    [C_GPU_TIME] = { "gpu_time", FALSE },
};

static const WlImportOption helios_options[] = {
  { "nodes", WL_OPTION_COUNT, NULL, NULL, "nodes (default: as many as the most GPUs of the capacity file fill, else 133 as Venus had)" },
  { "gpus-per-node", WL_OPTION_COUNT, "8", NULL, "GPUs of a node" },
  { "node-cpu", WL_OPTION_SIZE, "48", NULL, "cores of a node" },
  { "node-memory", WL_OPTION_SIZE, "376Gi", NULL, "memory of a node" },
  { NULL, WL_OPTION_TEXT, NULL, NULL, NULL },
};
static const WlImportOption acme_options[] = {
  { "nodes", WL_OPTION_COUNT, NULL, NULL, "nodes (default: 302 where memory is given, as Kalos had, else 286 as Seren had)" },
  { "gpus-per-node", WL_OPTION_COUNT, "8", NULL, "GPUs of a node" },
  { "node-cpu", WL_OPTION_SIZE, "128", NULL, "cores of a node" },
  { "node-memory", WL_OPTION_SIZE, NULL, NULL, "memory of a node (default: 2Ti where memory is given, else 1Ti)" },
  { "queue-by", WL_OPTION_CHOICE, "type", "type|user|none", "what the queues are" },
  { "pretrain-reserved", WL_OPTION_INT, NULL, NULL, "so many nodes take pretraining alone" },
  { NULL, WL_OPTION_TEXT, NULL, NULL, NULL },
};

static const struct { const char *type; gint32 priority; } classes[] = { { "Pretrain", 400 }, { "SFT", 300 }, { "MLLM", 300 }, { "Debug", 200 }, { "Evaluation", 100 }, { "Other", 100 } };

typedef struct {
  gboolean acme, by_user, by_type, reserved;
  gint64 memory_per_gpu, memory_per_core; /* of a node */
} Reader;

/* A wall-clock cell; *given FALSE when it is missing. */
static gboolean
clock_of (WlCsv *csv, int cell, WlTime *out, gboolean *given, GError **error)
{
  *given = cell >= 0 && !wl_import_missing (csv, cell);
  if (!*given)
    return TRUE;
  return wl_import_parse_clock (wl_csv_cell (csv, cell), out, error) || wl_csv_locate (csv, cell, error);
}

typedef struct { WlTime submit, start, end; gboolean started, ended; gint64 gpus, cpus, nodes, memory; } Row;

static gboolean
read_row (const Reader *r, WlCsv *csv, const int *cell, Row *row, GError **error)
{
  gboolean given;

  *row = (Row) { 0 };
  if (!wl_import_int (csv, cell[C_GPUS], 0, 100000, &row->gpus, error) || !wl_import_int (csv, cell[C_CPUS], 0, 1000000, &row->cpus, error) ||
      !wl_import_int (csv, cell[C_NODES], 0, 100000, &row->nodes, error) || !clock_of (csv, cell[C_SUBMIT], &row->submit, &given, error) ||
      !clock_of (csv, cell[C_START], &row->start, &row->started, error) || !clock_of (csv, cell[C_END], &row->end, &row->ended, error))
    return FALSE;
  if (!given)
    return wl_csv_refuse (csv, cell[C_SUBMIT], WL_ERROR_VALUE, "column 'submit_time'", "a time", "nothing", error);
  return !r->acme || cell[C_MEMORY] < 0 || wl_import_missing (csv, cell[C_MEMORY]) ||
         wl_import_scaled (csv, cell[C_MEMORY], G_GINT64_CONSTANT (1) << 30, 0, G_GINT64_CONSTANT (1) << 50, &row->memory, error);
}

static gint32
priority_of (WlImport *imp, const char *type)
{
  for (guint i = 0; i < G_N_ELEMENTS (classes); i++)
    if (strcmp (classes[i].type, type) == 0)
      return classes[i].priority;
  wl_import_default (imp, *type == '\0' ? "type (none given: priority 100)" : "priority of a type that the format does not know (100)");
  return 100;
}

static gboolean
job_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  const Reader *r = user;
  const char *id = wl_csv_required (csv, cell[C_ID], "a job id", error), *state = wl_csv_cell (csv, cell[C_STATE]), *owner = wl_csv_cell (csv, cell[C_USER]);
  const char *type = r->acme ? wl_csv_cell (csv, cell[C_TYPE]) : "";
  Row row;

  if (id == NULL || !read_row (r, csv, cell, &row, error))
    return FALSE;
  if (!row.started)
    return wl_import_drop (imp, "never started");
  if (!row.ended)
    return wl_import_drop (imp, "no end");
  if (row.end < row.start)
    return wl_import_drop (imp, "ends before it starts");
  if (row.end == row.start && strcmp (state, "COMPLETED") != 0)
    return wl_import_drop (imp, "no running time (cancelled while waiting)");
  if (row.nodes == 0) {
    row.nodes = 1;
    wl_import_default (imp, "node_num (0 given)");
  }
  if (row.gpus == 0 && row.cpus == 0)
    return wl_import_drop (imp, "asks for nothing");
  gint64 gpus = (row.gpus + row.nodes - 1) / row.nodes, cpus = (row.cpus + row.nodes - 1) / row.nodes;

  if (row.gpus % row.nodes != 0 || row.cpus % row.nodes != 0)
    wl_import_note (imp, "request of a pod rounded up: totals are no multiple of the nodes", 1);
  if (row.memory == 0) { /* the GPUs' part of the node, or the cores' */
    row.memory = gpus > 0 ? wl_import_product (gpus, r->memory_per_gpu, 1) * 9 / 10 : wl_import_product (cpus, r->memory_per_core, 1) * 9 / 10;
    wl_import_default (imp, "memory of pods");
  }
  gboolean pretrain = strcmp (type, "Pretrain") == 0;
  g_autofree char *priority = r->acme ? g_strdup_printf ("%d", priority_of (imp, type)) : NULL;
  const char *queue = r->acme ? (r->by_type ? type : r->by_user ? owner : NULL) : wl_csv_cell (csv, cell[C_VC]);
  const WlImportRole role = { .name = "w",
                              .replicas = (guint32) row.nodes,
                              .request = { .cpu_milli = cpus * 1000, .memory = row.memory, .gpus = (guint32) gpus },
                              .duration = row.end - row.start,
                              .tolerations = pretrain && r->reserved ? "reserved=pretrain:NoSchedule" : NULL };
  const char *extra[] = { owner, type };
  g_autofree char *name = g_strdup_printf ("job-%s", id);
  const WlImportJob job = { .name = name, .queue = queue, .priority = priority, .submit = row.submit, .preemptable = strcmp (type, "Evaluation") == 0, .role = &role, .n_roles = 1,
                            .extra = extra };
  const WlImportRecord record = { .wait = row.start - row.submit, .start = row.start, .end = row.end, .status = state };

  wl_import_recorded (imp, wl_import_job (imp, &job), &record);
  return TRUE;
}

/* ---- the GPUs of each virtual cluster by day ------------------------------------------------------- */

enum { D_DATE, D_TOTAL, N_DAY };
static const WlColumn day_columns[N_DAY] = { [D_DATE] = { "date", TRUE }, [D_TOTAL] = { "total", TRUE } };
static const WlCsvShape day_shape = { .others = TRUE }; /* the virtual clusters, whatever their names */

/* "date" comes first (behind row numbers without a name, perhaps) and "total" last. */
static gboolean
is_capacity (const WlImportHead *head)
{
  g_autofree char *line = wl_head_line (head);
  g_auto (GStrv) name = g_strsplit (g_strdelimit (line, "\"", ' '), ",", -1);
  guint n = g_strv_length (name), first;

  for (guint i = 0; i < n; i++)
    g_strstrip (name[i]);
  first = n > 0 && *name[0] == '\0';
  return first + 2 < n && strcmp (name[first], "date") == 0 && strcmp (name[n - 1], "total") == 0;
}

typedef struct { WlTime day; gint64 *gpus; } Day; /* by column */
typedef struct { GArray *days; GPtrArray *names; gint64 most; } Capacity;

static void
day_clear (gpointer day)
{
  g_free (((Day *) day)->gpus);
}

static gint
by_day (gconstpointer a, gconstpointer b)
{
  const Day *x = a, *y = b;

  return x->day < y->day ? -1 : x->day > y->day;
}

static gboolean
day_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  Capacity *c = user;
  const guint n = wl_csv_width (csv);
  g_autofree char *midnight = g_strdup_printf ("%s 00:00:00", wl_csv_cell (csv, cell[D_DATE]));
  g_autofree gint64 *gpus = g_new0 (gint64, n);
  Day day;

  (void) imp;
  if (!wl_import_parse_clock (midnight, &day.day, NULL)) {
    g_autofree char *shown = wl_shown (wl_csv_cell (csv, cell[D_DATE]));

    return wl_csv_refuse (csv, cell[D_DATE], WL_ERROR_VALUE, "column 'date'", "a day such as 2020-04-01", shown, error);
  }
  for (guint i = 0; i < n; i++)
    if (*wl_csv_header (csv, i) != '\0' && (int) i != cell[D_DATE] && !wl_import_int (csv, (int) i, 0, 1000000, &gpus[i], error))
      return FALSE;
  for (guint i = c->names->len; i < n; i++)
    g_ptr_array_add (c->names, g_strdup (*wl_csv_header (csv, i) != '\0' && (int) i != cell[D_DATE] && (int) i != cell[D_TOTAL] ? wl_csv_header (csv, i) : NULL));
  c->most = MAX (c->most, gpus[cell[D_TOTAL]]);
  day.gpus = g_steal_pointer (&gpus);
  g_array_append_val (c->days, day);
  return TRUE;
}

/* Capabilities follow the file: a queue's row wherever its number changes. */
static gboolean
read_capacity (WlImport *imp, guint file, gint64 *most, GError **error)
{
  g_autoptr (GArray) days = g_array_new (FALSE, FALSE, sizeof (Day));
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  Capacity c = { .days = days, .names = names, .most = *most };

  g_array_set_clear_func (days, day_clear);
  if (!wl_import_table (imp, file, &day_shape, day_columns, N_DAY, day_row, &c, error))
    return FALSE;
  g_array_sort (days, by_day);
  for (guint d = 0; d < days->len; d++)
    for (guint k = 0; k < names->len; k++) {
      const gint64 last = d > 0 ? g_array_index (days, Day, d - 1).gpus[k] : -1, gpus = g_array_index (days, Day, d).gpus[k];
      const WlImportQueue queue = { .name = g_ptr_array_index (names, k),
                                    .time = d == 0 ? WL_TIME_NONE : g_array_index (days, Day, d).day,
                                    .capability = { .gpus = (guint32) gpus },
                                    .gpu_limit = TRUE };

      if (queue.name != NULL && gpus != last && (gpus > 0 || last > 0))
        wl_import_queue (imp, &queue);
    }
  *most = c.most;
  return TRUE;
}

/* ---- formats -------------------------------------------------------------------------------------- */

static void
add_nodes (WlImport *imp, guint32 nodes, gint64 memory, guint32 reserved)
{
  for (guint part = 0; part < 2; part++) {
    const WlImportNode node = { .name = part == 0 ? "n" : "pretrain",
                                .time = WL_TIME_NONE,
                                .capacity = { .cpu_milli = wl_import_milli (imp, "node-cpu"), .memory = memory, .gpus = (guint32) wl_import_number (imp, "gpus-per-node") },
                                .taints = part == 1 ? "reserved=pretrain:NoSchedule" : NULL,
                                .count = part == 0 ? nodes - reserved : reserved };

    if (node.count > 0)
      wl_import_node (imp, &node);
  }
  wl_import_default_more (imp, "nodes", nodes);
}

static gint64
per_gpu (const WlImport *imp, gint64 memory)
{
  return memory / MAX (wl_import_number (imp, "gpus-per-node"), 1);
}

static gboolean
run_helios (WlImport *imp, GError **error)
{
  gint64 memory = wl_import_bytes (imp, "node-memory"), gpus = MAX (wl_import_number (imp, "gpus-per-node"), 1);
  Reader r = { .memory_per_gpu = per_gpu (imp, memory), .memory_per_core = memory / MAX (wl_import_milli (imp, "node-cpu") / 1000, 1) };
  gint64 most = 0;

  wl_import_extra (imp, "x_user");
  for (guint i = 0; i < wl_import_n_files (imp); i++)
    if (is_capacity (wl_import_head (imp, i)) && !read_capacity (imp, i, &most, error))
      return FALSE;
  for (guint i = 0; i < wl_import_n_files (imp); i++)
    if (!is_capacity (wl_import_head (imp, i)) && !wl_import_table (imp, i, NULL, helios_columns, C_TYPE, job_row, &r, error))
      return FALSE;
  add_nodes (imp, wl_import_given (imp, "nodes") ? (guint32) wl_import_number (imp, "nodes") : most > 0 ? (guint32) ((most + gpus - 1) / gpus) : 133, memory, 0);
  return TRUE;
}

static gboolean
run_acme (WlImport *imp, GError **error)
{
  gboolean kalos = FALSE;

  for (guint i = 0; i < wl_import_n_files (imp); i++)
    kalos |= wl_head_has (wl_import_head (imp, i), ',', "mem_per_pod_GB");
  gint64 memory = wl_import_given (imp, "node-memory") ? wl_import_bytes (imp, "node-memory") : (kalos ? G_GINT64_CONSTANT (2) : G_GINT64_CONSTANT (1)) << 40;
  guint32 nodes = wl_import_given (imp, "nodes") ? (guint32) wl_import_number (imp, "nodes") : kalos ? 302 : 286, reserved = (guint32) wl_import_number (imp, "pretrain-reserved");
  Reader r = { .acme = TRUE,
               .by_type = wl_import_is (imp, "queue-by", "type"),
               .by_user = wl_import_is (imp, "queue-by", "user"),
               .reserved = reserved > 0,
               .memory_per_gpu = per_gpu (imp, memory),
               .memory_per_core = memory / MAX (wl_import_milli (imp, "node-cpu") / 1000, 1) };

  if (reserved > nodes) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "--pretrain-reserved, expected at most the %u nodes, found %u", nodes, reserved);
    return FALSE;
  }
  wl_import_extra (imp, "x_user");
  wl_import_extra (imp, "x_type");
  for (guint i = 0; i < wl_import_n_files (imp); i++)
    if (!wl_import_table (imp, i, NULL, acme_columns, N_COLUMNS, job_row, &r, error))
      return FALSE;
  add_nodes (imp, nodes, memory, reserved);
  return TRUE;
}

static guint
detect_helios (const WlImportHead *head)
{
  return is_capacity (head) || wl_head_has (head, ',', "job_id,user,vc,gpu_num,cpu_num,node_num,state") ? WL_DETECT_SURE : WL_DETECT_NO;
}

static guint
detect_acme (const WlImportHead *head)
{
  return wl_head_has (head, ',', "job_id,user,node_num,gpu_num,cpu_num,type,state") ? WL_DETECT_SURE : WL_DETECT_NO;
}

extern const WlImportFormat wl_format_helios, wl_format_acme;
const WlImportFormat wl_format_helios = {
  .name = "helios",
  .title = "SenseTime Helios 2020",
  .files = "cluster_log.csv, and cluster_gpu_number.csv for the capacity of virtual clusters over time",
  .licence = "CC BY 4.0; github.com/S-Lab-System-Group/HeliosData",
  .options = helios_options,
  .detect = detect_helios,
  .run = run_helios,
};
const WlImportFormat wl_format_acme = {
  .name = "acme",
  .title = "Acme LLM clusters 2023 (Seren, Kalos)",
  .files = "trace_seren.csv or trace_kalos.csv",
  .licence = "CC BY 4.0; github.com/InternLM/AcmeTrace",
  .options = acme_options,
  .detect = detect_acme,
  .run = run_acme,
};
