/* workloads/import/alibaba/alibaba-2017.c - Alibaba's co-located cluster of 2017: tables without a header, 24 hours, 1,313 machines. Batch jobs of independent instances, services in
 * containers, and errors of machines. Cores of tasks are in hundredths; memory and disk are parts of the largest machine's. */
#include "alibaba.h"
#include "workloads/import/machines.h"
#include "workloads/import/table-kind.h"
#include "workloads/text/parse.h"
#include <string.h>

enum { T_START, T_END, T_JOB, T_TASK, T_INSTANCES, T_STATUS, T_CPU, T_MEMORY, N_TASK };
static const WlColumn task_columns[N_TASK] = {
  [T_START] = { "create_time", TRUE }, [T_END] = { "end_time", TRUE }, [T_JOB] = { "job_id", TRUE },     [T_TASK] = { "task_id", TRUE }, [T_INSTANCES] = { "instance_num", TRUE },
  [T_STATUS] = { "status", TRUE },     [T_CPU] = { "plan_cpu", TRUE }, [T_MEMORY] = { "plan_mem", TRUE },
};
enum { I_START, I_END, I_JOB, I_TASK, I_MACHINE, I_STATUS, I_SEQ, I_TOTAL, I_MAX_CPU, I_AVG_CPU, I_MAX_MEM, I_AVG_MEM, N_INSTANCE };
static const WlColumn instance_columns[N_INSTANCE] = {
  [I_START] = { "start_time", TRUE }, [I_END] = { "end_time", TRUE },         [I_JOB] = { "job_id", TRUE },       [I_TASK] = { "task_id", TRUE },
  [I_MACHINE] = { "machine_id", TRUE }, [I_STATUS] = { "status", TRUE },      [I_SEQ] = { "seq_no", FALSE },      [I_TOTAL] = { "total_seq_no", FALSE },
  [I_MAX_CPU] = { "cpu_max", FALSE }, [I_AVG_CPU] = { "cpu_avg", FALSE },     [I_MAX_MEM] = { "mem_max", FALSE }, [I_AVG_MEM] = { "mem_avg", FALSE },
};
enum { M_TIME, M_MACHINE, M_EVENT, M_DETAIL, M_CPU, M_MEMORY, M_DISK, N_MACHINE };
static const WlColumn machine_columns[N_MACHINE] = {
  [M_TIME] = { "timestamp", TRUE }, [M_MACHINE] = { "machine_id", TRUE }, [M_EVENT] = { "event_type", TRUE }, [M_DETAIL] = { "event_detail", FALSE },
  [M_CPU] = { "cpu", TRUE },        [M_MEMORY] = { "memory", TRUE },      [M_DISK] = { "disk", FALSE },
};
enum { C_TIME, C_EVENT, C_ID, C_MACHINE, C_CPU, C_MEMORY, C_DISK, C_CPUSET, N_CONTAINER };
static const WlColumn container_columns[N_CONTAINER] = {
  [C_TIME] = { "timestamp", TRUE }, [C_EVENT] = { "event_type", TRUE }, [C_ID] = { "instance_id", TRUE },  [C_MACHINE] = { "machine_id", TRUE },
  [C_CPU] = { "plan_cpu", TRUE },   [C_MEMORY] = { "plan_mem", TRUE },  [C_DISK] = { "plan_disk", FALSE }, [C_CPUSET] = { "cpuset", FALSE },
};
static const WlColumn usage_columns[] = { { "start_time", TRUE }, { "instance_id", TRUE }, { "used_percent_of_cpu", TRUE } };
static const WlColumn schema_columns[] = { { "file name", TRUE }, { "field number", TRUE }, { "content", TRUE }, { "format", TRUE }, { "mandatory", TRUE } };

typedef enum { MACHINES, TASKS, INSTANCES, CONTAINERS, CONTAINER_USAGE, SERVER_USAGE, SCHEMA, N_KINDS } Kind;
static const WlTableKind kinds[N_KINDS] = {
  [MACHINES] = { "server_event", machine_columns, N_MACHINE, "i,i,add|softerror|harderror,*,N,N,N", NULL, 0, FALSE },
  [TASKS] = { "batch_task", task_columns, N_TASK, "i,I,i,i,I," WL_BATCH_WORDS ",N,N", NULL, 0, FALSE },
  [INSTANCES] = { "batch_instance", instance_columns, N_INSTANCE, "I,I,I,I,I," WL_BATCH_WORDS ",I,I,N,N,N,N", NULL, 0, FALSE },
  [CONTAINERS] = { "container_event", container_columns, N_CONTAINER, "i,Create|Remove,i,i,N,N,N,*", NULL, 0, FALSE },
  [CONTAINER_USAGE] = { "container_usage", usage_columns, G_N_ELEMENTS (usage_columns), "i,i,N,N,N,N,N,N,N,N,N,N", NULL, 0, TRUE },
  [SERVER_USAGE] = { "server_usage", usage_columns, G_N_ELEMENTS (usage_columns), "i,i,N,N,N,N,N,N", NULL, 0, TRUE },
  [SCHEMA] = { "schema", schema_columns, G_N_ELEMENTS (schema_columns), "file name,field number,content,format,mandatory", NULL, 0, FALSE },
};

static const WlImportOption options[] = {
  WL_BATCH_OPTIONS ("500m", "1313"),
  { "repair", WL_OPTION_TIME, "30m", NULL, "how long a machine takes no new work after a soft error, and is off after a hard one" },
  { NULL, WL_OPTION_TEXT, NULL, NULL, NULL },
};

#define DISK "volsim.io/disk" /* in millionths of the largest machine's */
#define MILLION 1000000
#define MOST_CORES 10000

typedef struct { WlTime time; const char *machine; gboolean hard; } Error;
typedef struct { WlTime made, gone; gint64 cpu_milli, memory, disk; const char *machine; guint32 rows; } Container;
typedef struct {
  WlBatch *batch;
  WlMachines *machines;
  gint64 unit;           /* bytes of memory 1 */
  GStringChunk *texts;
  GArray *errors;        /* Error */
  GHashTable *numbers;   /* id of a container → 1 + number */
  GArray *containers;    /* Container */
  GPtrArray *ids;
} Reader;

/* ---- rows ---------------------------------------------------------------------------------------------- */

static gboolean
task_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  const Reader *r = user;
  WlBatchTask t = { .job = wl_csv_required (csv, cell[T_JOB], "the id of a job", error), .cpu_milli = -1, .memory = -1, .end = WL_TIME_NONE };

  if (t.job == NULL || (t.task = wl_csv_required (csv, cell[T_TASK], "the id of a task", error)) == NULL || !wl_import_time (csv, cell[T_START], &t.start, error) ||
      (!wl_import_missing (csv, cell[T_END]) && !wl_import_time (csv, cell[T_END], &t.end, error)) || !wl_import_int (csv, cell[T_INSTANCES], 0, WL_REPLICAS_MAX, &t.instances, error) ||
      !wl_batch_state (csv, cell[T_STATUS], &t.state, error) ||
      (!wl_import_missing (csv, cell[T_CPU]) && !wl_import_scaled (csv, cell[T_CPU], 10, 0, MOST_CORES * 1000, &t.cpu_milli, error)) ||
      (!wl_import_missing (csv, cell[T_MEMORY]) && !wl_batch_memory (csv, cell[T_MEMORY], r->unit, 1, &t.memory, error)))
    return FALSE;
  return wl_batch_task (r->batch, &t);
}

static gboolean
instance_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  const Reader *r = user;
  WlBatchInstance i = { .job = wl_csv_required (csv, cell[I_JOB], "the id of a job", error), .start = WL_TIME_NONE, .end = WL_TIME_NONE, .try = 1, .tries = 1 };

  if (i.job == NULL || (i.task = wl_csv_required (csv, cell[I_TASK], "the id of a task", error)) == NULL ||
      (!wl_import_missing (csv, cell[I_START]) && !wl_import_time (csv, cell[I_START], &i.start, error)) ||
      (!wl_import_missing (csv, cell[I_END]) && !wl_import_time (csv, cell[I_END], &i.end, error)) || !wl_batch_state (csv, cell[I_STATUS], &i.state, error) ||
      (!wl_import_missing (csv, cell[I_SEQ]) && !wl_import_int (csv, cell[I_SEQ], 0, G_MAXINT32, &i.try, error)) ||
      (!wl_import_missing (csv, cell[I_TOTAL]) && !wl_import_int (csv, cell[I_TOTAL], 0, G_MAXINT32, &i.tries, error)))
    return FALSE;
  const char *machine = wl_csv_cell (csv, cell[I_MACHINE]);
  g_autofree char *name = *machine != '\0' ? g_strdup_printf ("m-%s", machine) : g_strdup ("");

  i.machine = name;
  return wl_batch_instance (r->batch, &i);
}

static gboolean
machine_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  const Reader *r = user;
  const char *id = wl_csv_required (csv, cell[M_MACHINE], "the id of a machine", error), *event = wl_csv_cell (csv, cell[M_EVENT]);
  WlMachineRow row = { .event = WL_MACHINE_ADD };
  gint64 disk = 0;

  if (id == NULL || !wl_import_time (csv, cell[M_TIME], &row.time, error))
    return FALSE;
  g_autofree char *name = g_strdup_printf ("m-%s", id);

  if (strcmp (event, "softerror") == 0 || strcmp (event, "harderror") == 0) {
    const Error e = { row.time, g_string_chunk_insert_const (r->texts, name), *event == 'h' };

    g_array_append_val (r->errors, e);
    return TRUE;
  }
  if (strcmp (event, "add") != 0) {
    g_autofree char *shown = wl_shown (event);

    return wl_csv_refuse (csv, cell[M_EVENT], WL_ERROR_VALUE, "column 'event_type'", "add, softerror or harderror", shown, error);
  }
  row.measured = !wl_import_missing (csv, cell[M_CPU]) && !wl_import_missing (csv, cell[M_MEMORY]);
  if (row.measured &&
      (!wl_import_scaled (csv, cell[M_CPU], 1000, 0, MOST_CORES * 1000, &row.cpu_milli, error) || !wl_batch_memory (csv, cell[M_MEMORY], r->unit, 1, &row.memory, error)))
    return FALSE;
  if (!wl_import_missing (csv, cell[M_DISK]) && !wl_import_scaled (csv, cell[M_DISK], MILLION, 0, 1000 * MILLION, &disk, error))
    return FALSE;
  g_autofree char *more = disk > 0 ? g_strdup_printf (DISK "=%" G_GINT64_FORMAT, disk) : NULL;

  row.machine = name;
  row.more = more;
  wl_machines_add (r->machines, &row);
  return TRUE;
}

static Container *
container_of (const Reader *r, const char *id)
{
  const Container fresh = { .made = WL_TIME_NONE, .gone = WL_TIME_NONE };
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (r->numbers, id));

  if (number == 0) {
    char *kept = g_string_chunk_insert (r->texts, id);

    g_array_append_val (r->containers, fresh);
    g_ptr_array_add (r->ids, kept);
    number = r->containers->len;
    g_hash_table_insert (r->numbers, kept, GUINT_TO_POINTER (number));
  }
  return &g_array_index (r->containers, Container, number - 1);
}

static gboolean
container_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  const Reader *r = user;
  const char *id = wl_csv_required (csv, cell[C_ID], "the id of a container", error), *event = wl_csv_cell (csv, cell[C_EVENT]), *machine = wl_csv_cell (csv, cell[C_MACHINE]);
  gint64 cpu = 0, memory = 0, disk = 0;
  WlTime time;

  if (id == NULL || !wl_import_time (csv, cell[C_TIME], &time, error) ||
      (!wl_import_missing (csv, cell[C_CPU]) && !wl_import_scaled (csv, cell[C_CPU], 1000, 0, MOST_CORES * 1000, &cpu, error)) ||
      (!wl_import_missing (csv, cell[C_MEMORY]) && !wl_batch_memory (csv, cell[C_MEMORY], r->unit, 1, &memory, error)) ||
      (!wl_import_missing (csv, cell[C_DISK]) && !wl_import_scaled (csv, cell[C_DISK], MILLION, 0, 1000 * MILLION, &disk, error)))
    return FALSE;
  gboolean gone = strcmp (event, "Remove") == 0;

  if (!gone && strcmp (event, "Create") != 0) {
    g_autofree char *shown = wl_shown (event);

    return wl_csv_refuse (csv, cell[C_EVENT], WL_ERROR_VALUE, "column 'event_type'", "Create or Remove", shown, error);
  }
  Container *c = container_of (r, id);

  if ((gone ? c->gone : c->made) != WL_TIME_NONE)
    return wl_import_drop (imp, "duplicate id");
  c->rows++;
  if (gone) {
    c->gone = time;
    return TRUE;
  }
  g_autofree char *name = *machine != '\0' ? g_strdup_printf ("m-%s", machine) : NULL;

  *c = (Container){ time, c->gone, cpu, memory, disk, name != NULL ? g_string_chunk_insert_const (r->texts, name) : NULL, c->rows };
  return TRUE;
}

/* ---- what becomes of them ------------------------------------------------------------------------------ */

/* Errors of machines that are there: no new work for a while, or a crash. */
static void
give_errors (WlImport *imp, const Reader *r)
{
  WlTime repair = wl_import_duration (imp, "repair");

  for (guint i = 0; i < r->errors->len; i++) {
    const Error *e = &g_array_index (r->errors, Error, i);
    const WlImportFault fault = { .time = e->time, .kind = e->hard ? "crash" : "cordon", .target = e->machine, .duration = repair };

    if (!wl_machines_have (r->machines, e->machine)) {
      wl_import_drop_more (imp, "error of a machine that is not there", 1);
      continue;
    }
    wl_import_fault (imp, &fault);
    wl_import_default (imp, "duration of errors");
  }
}

/* Containers are services: one pod each, for as long as they are there. */
static void
give_containers (WlImport *imp, const Reader *r)
{
  for (guint i = 0; i < r->containers->len; i++) {
    const Container *c = &g_array_index (r->containers, Container, i);

    if (c->made == WL_TIME_NONE || (c->gone != WL_TIME_NONE && c->gone < c->made)) {
      wl_import_drop_more (imp, c->made == WL_TIME_NONE ? "removal of a container that is not there" : "ends before it starts", c->rows);
      continue;
    }
    g_autofree char *name = g_strdup_printf ("container-%s", (const char *) r->ids->pdata[i]), *more = c->disk > 0 ? g_strdup_printf (DISK "=%" G_GINT64_FORMAT, c->disk) : NULL;
    const WlImportRole role = { .name = "service",
                                .request = { .cpu_milli = c->cpu_milli, .memory = c->memory, .more = more },
                                .duration = c->gone != WL_TIME_NONE ? c->gone - c->made : WL_TIME_NEVER };
    const WlImportJob job = { .name = name, .queue = "service", .priority = "service", .submit = c->made, .min_available = 1, .role = &role, .n_roles = 1 };
    const WlImportRecord record = { .wait = WL_TIME_NEVER, .start = c->made, .end = c->gone, .status = c->gone != WL_TIME_NONE ? "Remove" : "Create", .nodes = c->machine };

    wl_import_recorded (imp, wl_import_job (imp, &job), &record);
  }
}

/* Machines of the usual kind. */
static void
add_nodes (WlImport *imp, const WlImportAmounts *usual, gboolean disks)
{
  const WlImportNode node = { .name = "n",
                              .time = WL_TIME_NONE,
                              .capacity = { .cpu_milli = usual->cpu_milli, .memory = usual->memory, .more = disks ? DISK "=1000000" : NULL },
                              .pods = -1,
                              .count = (guint32) wl_import_number (imp, "nodes") };

  if (node.count > 0)
    wl_import_node (imp, &node);
  wl_import_default_more (imp, "nodes", node.count);
}

static gboolean
read_files (WlImport *imp, Reader *r, GError **error)
{
  static WlImportRow *const rows[N_KINDS] = { machine_row, task_row, instance_row, container_row, NULL, NULL, NULL };

  for (guint i = 0; i < wl_import_n_files (imp); i++) {
    int kind = wl_kind_find (wl_import_head (imp, i), kinds, N_KINDS);

    if (kind < 0)
      return wl_kind_unknown (imp, i, kinds, N_KINDS, error);
    if (rows[kind] == NULL)
      wl_import_note (imp, kind == SCHEMA ? "lists of columns, which nothing needs" : "files of usage, which nothing needs", 1);
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
  const WlImportAmounts usual = { .cpu_milli = 64000, .memory = wl_import_bytes (imp, "unit-memory") / 100 * 69 }; /* machine */
  g_autoptr (WlBatch) batch = wl_batch_new (imp, FALSE, &usual);
  g_autoptr (WlMachines) machines = wl_machines_new (imp, -1);
  g_autoptr (GArray) errors = g_array_new (FALSE, FALSE, sizeof (Error)), containers = g_array_new (FALSE, FALSE, sizeof (Container));
  g_autoptr (GHashTable) numbers = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) ids = g_ptr_array_new ();
  Reader r = { .batch = batch,
               .machines = machines,
               .unit = wl_import_bytes (imp, "unit-memory"),
               .texts = g_string_chunk_new (16 * 1024),
               .errors = errors,
               .numbers = numbers,
               .containers = containers,
               .ids = ids };
  gboolean good = read_files (imp, &r, error) && wl_batch_finish (batch, error);

  if (good) {
    if (containers->len > 0)
      wl_import_priority_class (imp, "service", WL_SERVICE_PRIORITY);
    give_containers (imp, &r);
    give_errors (imp, &r);
    if (wl_machines_finish (machines) == 0)
      add_nodes (imp, &usual, containers->len > 0);
  }
  g_string_chunk_free (r.texts);
  return good;
}

extern const WlImportFormat wl_format_alibaba_2017;
const WlImportFormat wl_format_alibaba_2017 = {
  .name = "alibaba-2017",
  .title = "Alibaba co-located cluster 2017",
  .files = "batch_task, batch_instance, container_event and server_event, none of which is needed",
  .licence = "study and research; github.com/alibaba/clusterdata",
  .options = options,
  .detect = detect,
  .run = run,
};
