/* workloads/import/alibaba/alibaba-2018.c - Alibaba's co-located cluster of 2018: tables without a header, 8 days, 4,034 machines. Batch jobs whose tasks wait for each other, told by their
 * names, and services in containers. Cores are in hundredths, memory in hundredths of a machine's. */
#include "alibaba.h"
#include "workloads/import/machines.h"
#include "workloads/import/pods.h"
#include "workloads/import/table-kind.h"
#include "workloads/text/parse.h"
#include <string.h>

enum { T_NAME, T_INSTANCES, T_JOB, T_TYPE, T_STATUS, T_START, T_END, T_CPU, T_MEMORY, N_TASK };
static const WlColumn task_columns[N_TASK] = {
  [T_NAME] = { "task_name", TRUE }, [T_INSTANCES] = { "instance_num", TRUE }, [T_JOB] = { "job_name", TRUE }, [T_TYPE] = { "task_type", FALSE }, [T_STATUS] = { "status", TRUE },
  [T_START] = { "start_time", TRUE }, [T_END] = { "end_time", TRUE },         [T_CPU] = { "plan_cpu", TRUE }, [T_MEMORY] = { "plan_mem", TRUE },
};
enum { I_NAME, I_TASK, I_JOB, I_TYPE, I_STATUS, I_START, I_END, I_MACHINE, I_SEQ, I_TOTAL, I_AVG_CPU, I_MAX_CPU, I_AVG_MEM, I_MAX_MEM, N_INSTANCE };
static const WlColumn instance_columns[N_INSTANCE] = {
  [I_NAME] = { "instance_name", TRUE },  [I_TASK] = { "task_name", TRUE },   [I_JOB] = { "job_name", TRUE },       [I_TYPE] = { "task_type", FALSE },     [I_STATUS] = { "status", TRUE },
  [I_START] = { "start_time", TRUE },    [I_END] = { "end_time", TRUE },     [I_MACHINE] = { "machine_id", TRUE }, [I_SEQ] = { "seq_no", FALSE },         [I_TOTAL] = { "total_seq_no", FALSE },
  [I_AVG_CPU] = { "cpu_avg", FALSE },    [I_MAX_CPU] = { "cpu_max", FALSE }, [I_AVG_MEM] = { "mem_avg", FALSE },   [I_MAX_MEM] = { "mem_max", FALSE },
};
enum { M_MACHINE, M_TIME, M_RACK, M_ROW, M_CPU, M_MEMORY, M_STATUS, N_MACHINE };
static const WlColumn machine_columns[N_MACHINE] = {
  [M_MACHINE] = { "machine_id", TRUE }, [M_TIME] = { "time_stamp", TRUE }, [M_RACK] = { "failure_domain_1", FALSE }, [M_ROW] = { "failure_domain_2", FALSE },
  [M_CPU] = { "cpu_num", TRUE },        [M_MEMORY] = { "mem_size", TRUE }, [M_STATUS] = { "status", TRUE },
};
enum { C_ID, C_MACHINE, C_TIME, C_APP, C_STATUS, C_CPU, C_LIMIT, C_MEMORY, N_CONTAINER };
static const WlColumn container_columns[N_CONTAINER] = {
  [C_ID] = { "container_id", TRUE }, [C_MACHINE] = { "machine_id", TRUE }, [C_TIME] = { "time_stamp", TRUE }, [C_APP] = { "app_du", TRUE },
  [C_STATUS] = { "status", TRUE },   [C_CPU] = { "cpu_request", TRUE },    [C_LIMIT] = { "cpu_limit", FALSE }, [C_MEMORY] = { "mem_size", TRUE },
};
static const WlColumn usage_columns[] = { { "machine_id", TRUE }, { "time_stamp", TRUE }, { "cpu_util_percent", TRUE } };

typedef enum { MACHINES, TASKS, INSTANCES, CONTAINERS, CONTAINER_USAGE, MACHINE_USAGE, N_KINDS } Kind;
static const WlTableKind kinds[N_KINDS] = {
  [MACHINES] = { "machine_meta", machine_columns, N_MACHINE, "m_*,i,*,*,N,N,USING|IMPORT*", "*,i,*,*,N,N,USING|IMPORT*", 0, FALSE },
  [TASKS] = { "batch_task", task_columns, N_TASK, "*,N,j_*,I," WL_BATCH_WORDS ",I,I,N,N", "*,N,*,I," WL_BATCH_WORDS ",I,I,N,N", 0, FALSE },
  [INSTANCES] = { "batch_instance", instance_columns, N_INSTANCE, "*,*,j_*,I," WL_BATCH_WORDS ",I,I,|m_*,I,I,N,N,N,N", "*,*,*,I," WL_BATCH_WORDS ",I,I,*,I,I,N,N,N,N", 0, FALSE },
  [CONTAINERS] = { "container_meta", container_columns, N_CONTAINER, "c_*,|m_*,i,*,started|stopped|allocated|unknown,N,N,N", "*,*,i,*,started|stopped|allocated|unknown,N,N,N", 0, FALSE },
  [CONTAINER_USAGE] = { "container_usage", usage_columns, G_N_ELEMENTS (usage_columns), "c_*,m_*,i,N,N,N,N,N,N,N,N", NULL, 0, TRUE },
  [MACHINE_USAGE] = { "machine_usage", usage_columns, G_N_ELEMENTS (usage_columns), "m_*,i,N,N,N,N,N,N,N", NULL, 0, TRUE },
};

static const WlImportOption options[] = {
  WL_BATCH_OPTIONS ("1", "4034"),
  { "dag", WL_OPTION_CHOICE, "flow", "flow|times|ignore", "tasks that wait for others: jobs of a JobFlow, jobs submitted when they began in reality, or roles that all come at once" },
  { "queue-by", WL_OPTION_CHOICE, "none", "task_type|none", "what the queues of batch jobs are; none: batch" },
  { NULL, WL_OPTION_TEXT, NULL, NULL, NULL },
};

#define PER 100 /* what the whole memory of a machine is */
#define MOST_CORES 10000
#define RACK "rack"

typedef struct { gint64 cpu_milli, memory; const char *id, *app, *machine; gboolean ran; guint32 rows; } Container;
typedef struct {
  WlBatch *batch;
  WlMachines *machines;
  gint64 unit;          /* bytes of memory 100 */
  guint file;           /* at hand */
  GStringChunk *texts;
  GHashTable *numbers;  /* id of a container → 1 + number */
  GArray *containers;   /* Container */
  GHashTable *listed, *unused; /* machines: of the list, and those that are not in use in any row */
} Reader;

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* The end of what may still run: 0 is none. */
static gboolean
end_of (WlCsv *csv, int cell, WlBatchState state, WlTime *out, GError **error)
{
  *out = WL_TIME_NONE;
  if (wl_import_missing (csv, cell))
    return TRUE;
  if (!wl_import_time (csv, cell, out, error))
    return FALSE;
  if (*out == 0 && state == WL_BATCH_RUNNING)
    *out = WL_TIME_NONE;
  return TRUE;
}

static gboolean
start_of (WlCsv *csv, int cell, WlTime *out, GError **error)
{
  *out = WL_TIME_NONE;
  return wl_import_missing (csv, cell) || wl_import_time (csv, cell, out, error);
}

static gboolean
task_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  const Reader *r = user;
  WlBatchTask t = { .task = wl_csv_required (csv, cell[T_NAME], "the name of a task", error), .cpu_milli = -1, .memory = -1 };

  if (t.task == NULL || (t.job = wl_csv_required (csv, cell[T_JOB], "the name of a job", error)) == NULL ||
      (!wl_import_missing (csv, cell[T_INSTANCES]) && !wl_import_int (csv, cell[T_INSTANCES], 0, WL_REPLICAS_MAX, &t.instances, error)) ||
      !wl_batch_state (csv, cell[T_STATUS], &t.state, error) || !start_of (csv, cell[T_START], &t.start, error) || !end_of (csv, cell[T_END], t.state, &t.end, error) ||
      (!wl_import_missing (csv, cell[T_CPU]) && !wl_import_scaled (csv, cell[T_CPU], 10, 0, MOST_CORES * 1000, &t.cpu_milli, error)) ||
      (!wl_import_missing (csv, cell[T_MEMORY]) && !wl_batch_memory (csv, cell[T_MEMORY], r->unit, PER, &t.memory, error)))
    return FALSE;
  guint32 line, column;

  wl_csv_place (csv, cell[T_NAME], &line, &column);
  t.type = wl_csv_cell (csv, cell[T_TYPE]);
  t.file = r->file;
  t.line = line;
  t.column = column;
  return wl_batch_task (r->batch, &t);
}

static gboolean
instance_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  const Reader *r = user;
  WlBatchInstance i = { .task = wl_csv_required (csv, cell[I_TASK], "the name of a task", error), .try = 1, .tries = 1 };

  if (i.task == NULL || (i.job = wl_csv_required (csv, cell[I_JOB], "the name of a job", error)) == NULL || !wl_batch_state (csv, cell[I_STATUS], &i.state, error) ||
      !start_of (csv, cell[I_START], &i.start, error) || !end_of (csv, cell[I_END], i.state, &i.end, error) ||
      (!wl_import_missing (csv, cell[I_SEQ]) && !wl_import_int (csv, cell[I_SEQ], 0, G_MAXINT32, &i.try, error)) ||
      (!wl_import_missing (csv, cell[I_TOTAL]) && !wl_import_int (csv, cell[I_TOTAL], 0, G_MAXINT32, &i.tries, error)))
    return FALSE;
  i.machine = wl_csv_cell (csv, cell[I_MACHINE]);
  return wl_batch_instance (r->batch, &i);
}

/* Machines that the list names, and those of them that are ever in use. */
static void
note_machine (const Reader *r, const char *machine, gboolean in_use)
{
  char *id = g_string_chunk_insert_const (r->texts, machine);

  g_hash_table_add (r->listed, id);
  if (in_use)
    g_hash_table_remove (r->unused, id);
  else if (!wl_machines_have (r->machines, id))
    g_hash_table_add (r->unused, id);
}

static gboolean
machine_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  const Reader *r = user;
  WlMachineRow row = { .machine = wl_csv_required (csv, cell[M_MACHINE], "the id of a machine", error), .event = WL_MACHINE_ADD };

  if (row.machine == NULL || !wl_import_time (csv, cell[M_TIME], &row.time, error))
    return FALSE;
  row.measured = !wl_import_missing (csv, cell[M_CPU]) && !wl_import_missing (csv, cell[M_MEMORY]);
  if (row.measured &&
      (!wl_import_scaled (csv, cell[M_CPU], 1000, 0, MOST_CORES * 1000, &row.cpu_milli, error) || !wl_batch_memory (csv, cell[M_MEMORY], r->unit, PER, &row.memory, error)))
    return FALSE;
  gboolean in_use = strcmp (wl_csv_cell (csv, cell[M_STATUS]), "USING") == 0;

  note_machine (r, row.machine, in_use);
  if (!in_use)
    return wl_import_drop (imp, "machine that is not in use yet");
  g_autofree char *rack = wl_import_label_value (wl_csv_cell (csv, cell[M_RACK])), *line = wl_import_label_value (wl_csv_cell (csv, cell[M_ROW]));
  g_autofree char *labels = g_strdup_printf ("%s%s%s%s%s", *rack != '\0' ? RACK "=" : "", rack, *rack != '\0' && *line != '\0' ? ";" : "", *line != '\0' ? "row=" : "", line);

  row.labels = labels;
  wl_machines_add (r->machines, &row);
  return TRUE;
}

static gboolean
container_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  const Reader *r = user;
  const char *id = wl_csv_required (csv, cell[C_ID], "the id of a container", error), *app = NULL, *status = wl_csv_cell (csv, cell[C_STATUS]);
  gint64 cpu = 0, memory = 0;
  WlTime time;

  if (id == NULL || (app = wl_csv_required (csv, cell[C_APP], "the application of a container", error)) == NULL || !wl_import_time (csv, cell[C_TIME], &time, error) ||
      (!wl_import_missing (csv, cell[C_CPU]) && !wl_import_scaled (csv, cell[C_CPU], 10, 0, MOST_CORES * 1000, &cpu, error)) ||
      (!wl_import_missing (csv, cell[C_MEMORY]) && !wl_batch_memory (csv, cell[C_MEMORY], r->unit, PER, &memory, error)))
    return FALSE;
  gboolean stopped = strcmp (status, "stopped") == 0;
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (r->numbers, id));

  if (stopped)
    wl_import_note (imp, "containers that are stopped: they run on", 1);
  if (number > 0) {
    Container *c = &g_array_index (r->containers, Container, number - 1);

    c->ran = c->ran || !stopped;
    return wl_import_drop (imp, "says nothing new of a container");
  }
  const Container fresh = { cpu, memory, g_string_chunk_insert (r->texts, id), g_string_chunk_insert_const (r->texts, app), g_string_chunk_insert_const (r->texts, wl_csv_cell (csv, cell[C_MACHINE])),
                            !stopped, 1 };

  g_array_append_val (r->containers, fresh);
  g_hash_table_insert (r->numbers, (gpointer) fresh.id, GUINT_TO_POINTER (r->containers->len));
  return TRUE;
}

/* ---- services ------------------------------------------------------------------------------------------ */

static int
by_app (gconstpointer a, gconstpointer b, gpointer data)
{
  const Container *c = data;
  guint32 l = *(const guint32 *) a, r = *(const guint32 *) b;
  int order = strcmp (c[l].app, c[r].app);

  return order != 0 ? order : l < r ? -1 : l > r;
}

/* The containers of an application are one job, which is there from the start and for ever. */
static void
give_app (WlImport *imp, const Reader *r, const guint32 *order, guint n, gboolean racks, WlPods *pods)
{
  const Container *all = (const Container *) (const void *) r->containers->data;
  guint n_roles;

  wl_pods_clear (pods);
  for (guint i = 0; i < n; i++) {
    const Container *c = &all[order[i]];
    const WlPod pod = { .role = "service",
                        .request = { .cpu_milli = c->cpu_milli, .memory = c->memory },
                        .duration = WL_TIME_NEVER,
                        .spread = racks ? RACK : NULL,
                        .node = *c->machine != '\0' ? c->machine : NULL };

    if (c->ran)
      wl_pods_add (pods, &pod);
    else
      wl_import_drop_more (imp, "container that never ran", c->rows);
  }
  if (wl_pods_count (pods) == 0)
    return;
  const WlImportRole *roles = wl_pods_roles (pods, &n_roles);
  const WlImportJob job = { .name = all[order[0]].app, .queue = "service", .priority = "service", .submit = 0, .min_available = 1, .role = roles, .n_roles = n_roles };
  const WlImportRecord record = { .wait = WL_TIME_NEVER, .start = 0, .end = WL_TIME_NONE, .status = "started", .nodes = wl_pods_nodes (pods, imp) };

  wl_import_recorded (imp, wl_import_job (imp, &job), &record);
}

static void
give_services (WlImport *imp, const Reader *r, gboolean racks)
{
  guint n = r->containers->len;
  const Container *c = (const Container *) (const void *) r->containers->data;
  g_autofree guint32 *order = g_new (guint32, n + 1);
  g_autoptr (WlPods) pods = wl_pods_new ();

  for (guint32 i = 0; i < n; i++)
    order[i] = i;
  g_qsort_with_data (order, (gint) n, sizeof *order, by_app, (gpointer) c);
  for (guint from = 0, to; from < n; from = to) {
    for (to = from + 1; to < n && strcmp (c[order[to]].app, c[order[from]].app) == 0;)
      to++;
    give_app (imp, r, order + from, to - from, racks, pods);
  }
  if (n > 0)
    wl_import_priority_class (imp, "service", WL_SERVICE_PRIORITY);
}

/* ---- the format ------------------------------------------------------------------------------------------ */

static gboolean
read_files (WlImport *imp, Reader *r, GError **error)
{
  static WlImportRow *const rows[N_KINDS] = { machine_row, task_row, instance_row, container_row, NULL, NULL };

  for (guint i = 0; i < wl_import_n_files (imp); i++) {
    int kind = wl_kind_find (wl_import_head (imp, i), kinds, N_KINDS);

    if (kind < 0)
      return wl_kind_unknown (imp, i, kinds, N_KINDS, error);
    r->file = i;
    if (rows[kind] == NULL)
      wl_import_note (imp, "files of usage, which nothing needs", 1);
    else if (!wl_kind_read (imp, i, &kinds[kind], rows[kind], r, error))
      return FALSE;
  }
  return TRUE;
}

static guint
detect (const WlImportHead *head)
{
  return wl_kind_detect (head, kinds, N_KINDS);
}

static gboolean
run (WlImport *imp, GError **error)
{
  const WlImportAmounts usual = { .cpu_milli = 96000, .memory = wl_import_bytes (imp, "unit-memory") }; /* machine */
  g_autoptr (WlBatch) batch = wl_batch_new (imp, TRUE, &usual);
  g_autoptr (WlMachines) machines = wl_machines_new (imp, -1);
  g_autoptr (GArray) containers = g_array_new (FALSE, FALSE, sizeof (Container));
  g_autoptr (GHashTable) numbers = g_hash_table_new (g_str_hash, g_str_equal), listed_machines = g_hash_table_new (NULL, NULL), unused = g_hash_table_new (NULL, NULL);
  Reader r = { .batch = batch,
               .machines = machines,
               .unit = wl_import_bytes (imp, "unit-memory"),
               .texts = g_string_chunk_new (16 * 1024),
               .numbers = numbers,
               .containers = containers,
               .listed = listed_machines,
               .unused = unused };
  gboolean good = read_files (imp, &r, error);

  if (good) {
    gboolean listed = wl_machines_finish (machines) > 0;
    const WlImportNode node = { .name = "n",
                                .time = WL_TIME_NONE,
                                .capacity = usual,
                                .pods = -1,
                                .count = (guint32) wl_import_number (imp, "nodes") };

    wl_import_note (imp, "machines in the list", g_hash_table_size (r.listed));
    wl_import_note (imp, "machines that are never in use: no nodes", g_hash_table_size (r.unused));
    if (!listed && node.count > 0)
      wl_import_node (imp, &node);
    if (!listed)
      wl_import_default_more (imp, "nodes", node.count);
    give_services (imp, &r, listed);
    good = wl_batch_finish (batch, error);
  }
  g_string_chunk_free (r.texts);
  return good;
}

extern const WlImportFormat wl_format_alibaba_2018;
const WlImportFormat wl_format_alibaba_2018 = {
  .name = "alibaba-2018",
  .title = "Alibaba co-located cluster 2018",
  .files = "batch_task, batch_instance, container_meta and machine_meta, none of which is needed",
  .licence = "study and research; github.com/alibaba/clusterdata",
  .options = options,
  .detect = detect,
  .run = run,
};
