/* workloads/import/alibaba/pai.c - Alibaba PAI 2020: tables of jobs, tasks, instances and machines without a header (their names are in .header files), and the list of jobs of the PAI
 * simulator, with one.
 *
 * A job has tasks (roles) of equal instances, all of which must be there together. Requests are in percent of a core and of a GPU, and GB; times in seconds. Rows in any order: what is
 * kept is a record of fixed size for each job, task and instance. */
#include "pai.h"
#include "workloads/import/pods.h"
#include "workloads/import/records.h"
#include "workloads/import/table-kind.h"
#include "workloads/text/parse.h"
#include <string.h>

enum { J_NAME, J_INST, J_USER, J_STATUS, J_START, J_END, N_JOB };
static const WlColumn job_columns[N_JOB] = {
  [J_NAME] = { "job_name", TRUE }, [J_INST] = { "inst_id", TRUE }, [J_USER] = { "user", TRUE }, [J_STATUS] = { "status", TRUE }, [J_START] = { "start_time", TRUE }, [J_END] = { "end_time", TRUE },
};
enum { T_JOB, T_NAME, T_INSTANCES, T_STATUS, T_START, T_END, T_CPU, T_MEMORY, T_GPU, T_TYPE, N_TASK };
static const WlColumn task_columns[N_TASK] = {
  [T_JOB] = { "job_name", TRUE }, [T_NAME] = { "task_name", TRUE }, [T_INSTANCES] = { "inst_num", TRUE }, [T_STATUS] = { "status", TRUE }, [T_START] = { "start_time", TRUE },
  [T_END] = { "end_time", TRUE }, [T_CPU] = { "plan_cpu", TRUE },   [T_MEMORY] = { "plan_mem", TRUE },    [T_GPU] = { "plan_gpu", TRUE },  [T_TYPE] = { "gpu_type", FALSE },
};
enum { I_JOB, I_TASK, I_NAME, I_WORKER, I_INST, I_STATUS, I_START, I_END, I_MACHINE, N_INSTANCE };
static const WlColumn instance_columns[N_INSTANCE] = {
  [I_JOB] = { "job_name", TRUE },  [I_TASK] = { "task_name", TRUE }, [I_NAME] = { "inst_name", TRUE },   [I_WORKER] = { "worker_name", FALSE }, [I_INST] = { "inst_id", FALSE },
  [I_STATUS] = { "status", TRUE }, [I_START] = { "start_time", TRUE }, [I_END] = { "end_time", TRUE }, [I_MACHINE] = { "machine", TRUE },
};
enum { M_NAME, M_TYPE, M_CPU, M_MEMORY, M_GPU, N_MACHINE };
static const WlColumn machine_columns[N_MACHINE] = {
  [M_NAME] = { "machine", TRUE }, [M_TYPE] = { "gpu_type", TRUE }, [M_CPU] = { "cap_cpu", TRUE }, [M_MEMORY] = { "cap_mem", TRUE }, [M_GPU] = { "cap_gpu", TRUE },
};
enum { G_INST, G_USER, G_SPEC, G_GROUP, G_WORKLOAD, N_GROUP };
static const WlColumn group_columns[N_GROUP] = {
  [G_INST] = { "inst_id", TRUE }, [G_USER] = { "user", TRUE }, [G_SPEC] = { "gpu_type_spec", TRUE }, [G_GROUP] = { "group", TRUE }, [G_WORKLOAD] = { "workload", TRUE },
};
static const WlColumn sensor_columns[] = { { "job_name", TRUE }, { "task_name", TRUE }, { "worker_name", TRUE }, { "gpu_wrk_util", TRUE } };
static const WlColumn metric_columns[] = { { "worker_name", TRUE }, { "machine", TRUE }, { "machine_cpu_iowait", TRUE } };
static const WlColumn list_columns[] = { { "job_id", TRUE }, { "user", TRUE }, { "num_gpu", TRUE }, { "num_cpu", TRUE }, { "num_pod", TRUE }, { "duration", TRUE }, { "submit_time", TRUE } };

#define STATES "Terminated|Failed|Running|Waiting|Interrupted"
typedef enum { GROUPS, JOBS, TASKS, INSTANCES, MACHINES, LIST, SENSOR, METRIC, N_KINDS } Kind; /* in the order in which they are read */
static const WlTableKind kinds[N_KINDS] = {
  [GROUPS] = { "pai_group_tag_table", group_columns, N_GROUP, "h,h,*,H,*", "*,*,*,*,*", 0, FALSE },
  [JOBS] = { "pai_job_table", job_columns, N_JOB, "h,H,H," STATES ",N,N", "*,*,*," STATES ",N,N", 0, FALSE },
  [TASKS] = { "pai_task_table", task_columns, N_TASK, "h,*,N," STATES ",N,N,N,N,N,*", "*,*,N," STATES ",N,N,N,N,N,*", 0, FALSE },
  [INSTANCES] = { "pai_instance_table", instance_columns, N_INSTANCE, "h,*,H,H,H," STATES ",N,N,H", "*,*,*,*,*," STATES ",N,N,*", 0, FALSE },
  [MACHINES] = { "pai_machine_spec", machine_columns, N_MACHINE, "h,*,n,n,n", "*,CPU|MISC|P100*|T4*|V100*|A10*,n,n,n", 0, FALSE },
  [LIST] = { "list of jobs of the PAI simulator", list_columns, G_N_ELEMENTS (list_columns), "job_id,user,num_gpu,num_cpu,num_pod,duration,submit_time", NULL, 0, TRUE },
  [SENSOR] = { "pai_sensor_table", sensor_columns, G_N_ELEMENTS (sensor_columns), "h,*,H,H,H,*,N,N,N,N,N,N,N,N,N,N", NULL, 0, TRUE },
  [METRIC] = { "pai_machine_metric", metric_columns, G_N_ELEMENTS (metric_columns), "h,h,N,N,N,N,N,N,N,N,N,N", NULL, 0, TRUE },
};

static const WlImportOption options[] = {
  { "queue-by", WL_OPTION_CHOICE, "user", "user|group|none", "what the queues are; group: of the table of groups, or the list's" },
  { "pai-gpu-type", WL_OPTION_CHOICE, "require", "require|ignore", "the GPU type of a task: only machines that have it, or any" },
  { "pai-join-group", WL_OPTION_TIME, NULL, NULL, "rows of the list that have a group in common and come within this time are one job (default: each by itself)" },
  { "pod-cpu", WL_OPTION_QUANTITY, "6", NULL, "cores of an instance whose task does not say it" },
  { "pod-memory", WL_OPTION_QUANTITY, "29Gi", NULL, "memory of such an instance" },
  { "pod-gpu", WL_OPTION_QUANTITY, "1", NULL, "GPUs of an instance whose task is in no table; 500m is half of one" },
  { "nodes", WL_OPTION_COUNT, "1897", NULL, "nodes in the published mix, where the files list no machines" },
  { NULL, WL_OPTION_TEXT, NULL, NULL, NULL },
};

/* The machines of the trace. */
const WlPaiMachine wl_pai_machines[WL_PAI_MACHINES] = { { "P100", 64, 512, 2, 798 }, { "T4", 96, 512, 2, 497 },  { "MISC", 96, 512, 8, 280 }, { "V100M32", 96, 384, 8, 135 },
                                                        { "CPU", 96, 512, 0, 83 },   { "V100", 96, 512, 8, 59 }, { "V100", 96, 384, 8, 45 } };

typedef struct { const char *job, *task; } TaskKey; /* texts that are kept once */
typedef struct { guint64 hash[2]; } InstanceKey;    /* of its task and name */
typedef struct {
  WlTime start, end; /* WL_TIME_NONE: not said */
  const char *name, *user, *inst, *status;
  guint32 tasks;     /* of it */
  gboolean row;
} Job;
typedef struct {
  WlTime start, end;
  const char *type;
  gint64 cpu_milli, memory, gpu_milli; /* -1: not said */
  guint32 job, instances, listed, rows, waiting; /* rows: of instances, all of them; waiting: instances that never started */
  gboolean row, running;
} Task;
typedef struct {
  WlTime start, end;
  guint32 task, machine; /* machine: 1 + number, 0: none */
  gboolean waiting, running;
} Instance;

typedef struct {
  WlImport *imp;
  gboolean by_user, by_group, require;
  WlTexts *texts;
  GHashTable *job_numbers, *machine_numbers; /* text → 1 + number */
  GHashTable *groups;                        /* inst_id → group */
  GHashTable *listed;                        /* machines of the list */
  GPtrArray *machine_names;
  WlRecords *task_keys, *instance_keys;      /* numbers of task and instance */
  GArray *job, *task, *instance;
  WlPaiList *list;
  guint nodes;
  WlTime first, last; /* submission, what happened; WL_TIME_NONE: nothing */
} Reader;

/* ---- shared with the list ------------------------------------------------------------------------------ */

void
wl_pai_gpus (WlImport *imp, gint64 milli, WlImportAmounts *out)
{
  if (milli > 1000 && milli % 1000 != 0)
    wl_import_note (imp, "GPUs of a pod rounded up: more than one, and no whole number", 1);
  out->gpus = (guint32) ((milli + 999) / 1000);
  out->gpu_milli = milli > 0 && milli < 1000 ? (guint32) milli : 0;
}

char *
wl_pai_selector (const char *type)
{
  g_autofree char *value = wl_import_label_value (type != NULL ? type : "");

  return *value != '\0' && strcmp (type, "CPU") != 0 ? g_strdup_printf ("gpu-model=%s", value) : NULL;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static gboolean
time_or_none (WlCsv *csv, int cell, WlTime *out, GError **error)
{
  *out = WL_TIME_NONE;
  return wl_import_missing (csv, cell) || wl_import_time (csv, cell, out, error);
}

/* A decimal number times @scale, -1 for an empty cell. */
static gboolean
amount_or_none (WlCsv *csv, int cell, gint64 scale, gint64 max, gint64 *out, GError **error)
{
  *out = -1;
  return wl_import_missing (csv, cell) || wl_import_scaled (csv, cell, scale, 0, max, out, error);
}

static gboolean
check_status (WlCsv *csv, int cell, GError **error)
{
  const char *text = wl_csv_cell (csv, cell);
  g_autofree char *around = g_strdup_printf ("|%s|", text), *shown = wl_shown (text);

  if (*text != '\0' && strchr (text, '|') == NULL && strstr ("|" STATES "|", around) != NULL)
    return TRUE;
  return wl_csv_refuse (csv, cell, WL_ERROR_VALUE, "column 'status'", "Terminated, Failed, Running, Waiting or Interrupted", shown, error);
}

static void
note_times (Reader *r, WlTime start, WlTime end)
{
  r->last = MAX (r->last, MAX (start, end)); /* WL_TIME_NONE is below all */
}

static guint32
number_of (GHashTable *table, gpointer text, guint next)
{
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (table, text));

  if (number == 0)
    g_hash_table_insert (table, text, GUINT_TO_POINTER (number = next + 1));
  return number - 1;
}

static Job *
job_of (Reader *r, const char *name, guint32 *number)
{
  const char *kept = wl_texts_add (r->texts, name);
  const Job fresh = { .start = WL_TIME_NONE, .end = WL_TIME_NONE, .name = kept };

  *number = number_of (r->job_numbers, (gpointer) kept, r->job->len);
  if (*number == r->job->len)
    g_array_append_val (r->job, fresh);
  return &g_array_index (r->job, Job, *number);
}

static Task *
task_of (Reader *r, const char *job, const char *name, guint32 *number)
{
  guint32 of;
  Job *j = job_of (r, job, &of);
  const TaskKey key = { j->name, wl_texts_add (r->texts, name) };
  const Task fresh = { .start = WL_TIME_NONE, .end = WL_TIME_NONE, .cpu_milli = -1, .memory = -1, .gpu_milli = -1, .job = of };

  *number = wl_records_add (r->task_keys, &key);
  if (*number == r->task->len) {
    g_array_append_val (r->task, fresh);
    j->tasks++;
  }
  return &g_array_index (r->task, Task, *number);
}

static gboolean
job_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  Reader *r = user;
  const char *name = wl_csv_required (csv, cell[J_NAME], "the name of a job", error);
  WlTime start, end;
  guint32 number;

  if (name == NULL || !check_status (csv, cell[J_STATUS], error) || !time_or_none (csv, cell[J_START], &start, error) || !time_or_none (csv, cell[J_END], &end, error))
    return FALSE;
  Job *j = job_of (r, name, &number);

  if (j->row)
    return wl_import_drop (imp, "duplicate id");
  note_times (r, start, end);
  *j = (Job){ start, end, j->name, wl_texts_add (r->texts, wl_csv_cell (csv, cell[J_USER])), wl_texts_add (r->texts, wl_csv_cell (csv, cell[J_INST])),
              wl_texts_add (r->texts, wl_csv_cell (csv, cell[J_STATUS])), j->tasks, TRUE };
  return TRUE;
}

#define MOST_PERCENT 100000000
#define GIB (G_GINT64_CONSTANT (1) << 30)

static gboolean
task_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  Reader *r = user;
  const char *job = wl_csv_required (csv, cell[T_JOB], "the name of a job", error), *name = NULL;
  Task t = { 0 };
  gint64 instances;
  guint32 number;

  if (job == NULL || (name = wl_csv_required (csv, cell[T_NAME], "the name of a task", error)) == NULL || !wl_import_int (csv, cell[T_INSTANCES], 0, WL_REPLICAS_MAX, &instances, error) ||
      !check_status (csv, cell[T_STATUS], error) || !time_or_none (csv, cell[T_START], &t.start, error) || !time_or_none (csv, cell[T_END], &t.end, error) ||
      !amount_or_none (csv, cell[T_CPU], 10, MOST_PERCENT, &t.cpu_milli, error) || !amount_or_none (csv, cell[T_MEMORY], GIB, GIB << 12, &t.memory, error) ||
      !amount_or_none (csv, cell[T_GPU], 10, 1000000, &t.gpu_milli, error))
    return FALSE;
  Task *known = task_of (r, job, name, &number);

  if (known->row)
    return wl_import_drop (imp, "duplicate id");
  note_times (r, t.start, t.end);
  known->start = t.start;
  known->end = t.end;
  known->cpu_milli = t.cpu_milli;
  known->memory = t.memory;
  known->gpu_milli = MAX (t.gpu_milli, 0); /* roles without GPUs have an empty cell */
  if (t.gpu_milli == 0 && strpbrk (wl_csv_cell (csv, cell[T_GPU]), "123456789") != NULL)
    known->gpu_milli = 1;
  known->type = wl_texts_add (r->texts, wl_csv_cell (csv, cell[T_TYPE]));
  known->instances = (guint32) instances;
  known->running = strcmp (wl_csv_cell (csv, cell[T_STATUS]), "Running") == 0;
  known->row = TRUE;
  return TRUE;
}

/* Two numbers that stand for the task and the name: equal ones are taken for the same instance. */
static InstanceKey
instance_key (guint32 task, const char *name)
{
  InstanceKey k = { { task + G_GUINT64_CONSTANT (0x9e3779b97f4a7c15), task * G_GUINT64_CONSTANT (0xff51afd7ed558ccd) + 1 } };

  for (const char *p = name; *p != '\0'; p++) {
    k.hash[0] = (k.hash[0] ^ (guint8) *p) * G_GUINT64_CONSTANT (0x100000001b3);
    k.hash[1] = (k.hash[1] + (guint8) *p) * G_GUINT64_CONSTANT (0xc4ceb9fe1a85ec53);
    k.hash[1] ^= k.hash[1] >> 29;
  }
  return k;
}

static gboolean
instance_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  Reader *r = user;
  const char *job = wl_csv_required (csv, cell[I_JOB], "the name of a job", error), *task = NULL, *name = NULL;
  Instance i = { 0 };

  if (job == NULL || (task = wl_csv_required (csv, cell[I_TASK], "the name of a task", error)) == NULL || (name = wl_csv_required (csv, cell[I_NAME], "the name of an instance", error)) == NULL ||
      !check_status (csv, cell[I_STATUS], error) || !time_or_none (csv, cell[I_START], &i.start, error) || !time_or_none (csv, cell[I_END], &i.end, error))
    return FALSE;
  if (i.start != WL_TIME_NONE && i.end != WL_TIME_NONE && i.end < i.start)
    return wl_import_drop (imp, "ends before it starts");
  note_times (r, i.start, i.end);
  Task *t = task_of (r, job, task, &i.task);
  const InstanceKey key = instance_key (i.task, name);
  const char *machine = wl_texts_add (r->texts, wl_csv_cell (csv, cell[I_MACHINE])), *status = wl_csv_cell (csv, cell[I_STATUS]);
  guint32 at = wl_records_add (r->instance_keys, &key);

  i.waiting = strcmp (status, "Waiting") == 0;
  i.running = strcmp (status, "Running") == 0;
  if (machine != NULL) {
    i.machine = 1 + number_of (r->machine_numbers, (gpointer) machine, r->machine_names->len);
    if (i.machine > r->machine_names->len)
      g_ptr_array_add (r->machine_names, (gpointer) machine);
  }
  if (at < r->instance->len) { /* another try: what the first does not say counts */
    Instance *first = &g_array_index (r->instance, Instance, at);

    if (first->start == WL_TIME_NONE || first->end == WL_TIME_NONE) {
      t->waiting -= first->waiting && !i.waiting;
      if (i.start != WL_TIME_NONE && i.end != WL_TIME_NONE)
        *first = i;
      first->waiting = first->waiting && i.waiting;
    }
    return wl_import_drop (imp, "another try of an instance");
  }
  g_array_append_val (r->instance, i);
  t->rows++;
  t->waiting += i.waiting;
  return TRUE;
}

static gboolean
machine_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  Reader *r = user;
  WlImportNode node = { .name = wl_csv_required (csv, cell[M_NAME], "the name of a machine", error), .time = WL_TIME_NONE };
  gint64 gpus;

  if (node.name == NULL || !wl_import_scaled (csv, cell[M_CPU], 1000, 1, 10000000, &node.capacity.cpu_milli, error) ||
      !wl_import_scaled (csv, cell[M_MEMORY], GIB, 1, GIB << 16, &node.capacity.memory, error) || !wl_import_int (csv, cell[M_GPU], 0, 1000, &gpus, error))
    return FALSE;
  const char *kept = wl_texts_add (r->texts, node.name);

  if (!g_hash_table_add (r->listed, (gpointer) kept))
    return wl_import_drop (imp, "duplicate id");
  node.model = wl_csv_cell (csv, cell[M_TYPE]);
  node.capacity.gpus = (guint32) gpus;
  r->nodes++;
  wl_import_node (imp, &node);
  return TRUE;
}

static gboolean
group_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  Reader *r = user;
  const char *inst = wl_csv_required (csv, cell[G_INST], "the id of a job", error);

  if (inst == NULL)
    return FALSE;
  const char *kept = wl_texts_add (r->texts, inst), *group = wl_texts_add (r->texts, wl_csv_cell (csv, cell[G_GROUP]));

  if (g_hash_table_contains (r->groups, kept))
    return wl_import_drop (imp, "duplicate id");
  g_hash_table_insert (r->groups, (gpointer) kept, (gpointer) group);
  return TRUE;
}

/* ---- tasks become roles ------------------------------------------------------------------------------------ */

typedef struct {
  Reader *r;
  guint32 *tasks, *first_task;         /* by job */
  guint32 *instances, *first_instance; /* by task */
  WlPods *pods;
} Layout;

/* From when to when a job or task ran; WL_TIME_NONE: not said. */
typedef struct { WlTime start, end; gboolean running; } Span;

static void
widen (Span *s, WlTime start, WlTime end, gboolean running)
{
  if (start != WL_TIME_NONE)
    s->start = s->start == WL_TIME_NONE ? start : MIN (s->start, start);
  s->end = MAX (s->end, end);
  s->running = s->running || running;
}

/* Its own times, or those of its instances. */
static Span
span_of_task (const Layout *l, guint32 task)
{
  const Task *t = &g_array_index (l->r->task, Task, task);
  Span s = { WL_TIME_NONE, WL_TIME_NONE, t->running };

  for (guint32 k = l->first_instance[task]; k < l->first_instance[task + 1]; k++) {
    const Instance *i = &g_array_index (l->r->instance, Instance, l->instances[k]);

    widen (&s, i->start, i->end, i->running);
  }
  s.start = t->start != WL_TIME_NONE ? t->start : s.start;
  s.end = s.end != WL_TIME_NONE ? s.end : t->end; /* the latest instance */
  return s;
}

static WlTime
run_of (const Span *s)
{
  return s->start != WL_TIME_NONE && s->end != WL_TIME_NONE && s->end >= s->start ? s->end - s->start : WL_TIME_NONE;
}

/* How long pods of the task ran that do not say it themselves; WL_TIME_NONE: nobody knows. */
static WlTime
usual_run (const Layout *l, const Span *task, const Span *job, const char **what)
{
  WlTime run = run_of (task);

  *what = "duration of instances (their task's)";
  if (run != WL_TIME_NONE)
    return run;
  *what = "duration of instances (their job's)";
  if ((run = run_of (job)) != WL_TIME_NONE)
    return run;
  *what = "duration of instances (still running when the trace ended)";
  WlTime start = task->start != WL_TIME_NONE ? task->start : job->start;

  return (task->running || job->running) && start != WL_TIME_NONE ? l->r->last - start : WL_TIME_NONE;
}

static WlImportAmounts
request_of (const Layout *l, const Task *t)
{
  WlImport *imp = l->r->imp;
  WlImportAmounts a = { .cpu_milli = t->cpu_milli, .memory = t->memory };

  if (t->cpu_milli < 0) {
    a.cpu_milli = wl_import_milli (imp, "pod-cpu");
    wl_import_default (imp, "cpu of tasks");
  }
  if (t->memory < 0) {
    a.memory = wl_import_bytes (imp, "pod-memory");
    wl_import_default (imp, "memory of tasks");
  }
  if (!t->row)
    wl_import_default (imp, "GPUs of tasks without a row of their own");
  wl_pai_gpus (imp, t->row ? t->gpu_milli : wl_import_milli (imp, "pod-gpu"), &a);
  return a;
}

/* The pods of a task, which run as their instances did. */
static void
add_task (const Layout *l, guint32 task, const Span *job)
{
  const Reader *r = l->r;
  const Task *t = &g_array_index (r->task, Task, task);
  Span span = span_of_task (l, task);
  const char *what;
  WlTime usual = usual_run (l, &span, job, &what);
  g_autofree char *selector = r->require ? wl_pai_selector (t->type) : NULL;
  WlPod pod = { .role = ((const TaskKey *) wl_records_get (r->task_keys, task))->task, .request = request_of (l, t), .selector = wl_texts_add (r->texts, selector) };
  guint32 listed = l->first_instance[task + 1] - l->first_instance[task], made_up = t->instances > listed ? t->instances - listed : 0;

  for (guint32 k = l->first_instance[task]; k < l->first_instance[task + 1]; k++) {
    const Instance *i = &g_array_index (r->instance, Instance, l->instances[k]);
    const Span own = { i->start, i->end, FALSE };

    pod.duration = run_of (&own) != WL_TIME_NONE ? run_of (&own) : usual;
    pod.node = i->machine > 0 ? r->machine_names->pdata[i->machine - 1] : NULL;
    if (run_of (&own) == WL_TIME_NONE)
      wl_import_default (r->imp, what);
    wl_pods_add (l->pods, &pod);
  }
  pod.duration = usual;
  pod.node = NULL;
  pod.count = made_up;
  if (made_up > 0) {
    wl_pods_add (l->pods, &pod);
    wl_import_default_more (r->imp, what, made_up);
  }
}

static const char *
queue_of (const Reader *r, const Job *j, const char *group)
{
  if (r->by_group && group == NULL)
    wl_import_default (r->imp, "queue (the job has no group)");
  return r->by_group ? group : !r->by_user ? NULL : j->user != NULL ? j->user : "";
}

static void
give_job (Layout *l, const Job *j, WlTime submit, const Span *span)
{
  Reader *r = l->r;
  const char *group = j->inst != NULL ? g_hash_table_lookup (r->groups, j->inst) : NULL;
  const char *extra[] = { j->user, group };
  guint n;
  const WlImportRole *roles = wl_pods_roles (l->pods, &n);
  const WlImportJob job = { .name = j->name, .queue = queue_of (r, j, group), .submit = submit, .role = roles, .n_roles = n, .extra = extra };
  const WlImportRecord record = { .wait = span->start == WL_TIME_NONE ? WL_TIME_NEVER : MAX (span->start - submit, 0),
                                  .start = span->start,
                                  .end = span->end,
                                  .status = j->status,
                                  .nodes = wl_pods_nodes (l->pods, r->imp) };

  r->first = r->first == WL_TIME_NONE ? submit : MIN (r->first, submit);
  wl_import_recorded (r->imp, wl_import_job (r->imp, &job), &record);
}

static void
drop_job (const Layout *l, guint32 number, const char *why)
{
  const Reader *r = l->r;
  guint64 rows = g_array_index (r->job, Job, number).row;

  for (guint32 k = l->first_task[number]; k < l->first_task[number + 1]; k++) {
    const Task *t = &g_array_index (r->task, Task, l->tasks[k]);

    rows += t->row + t->rows;
  }
  wl_import_drop_more (r->imp, why, rows);
}

static void
make_job (Layout *l, guint32 number)
{
  const Job *j = &g_array_index (l->r->job, Job, number);
  guint32 from = l->first_task[number], to = l->first_task[number + 1];
  Span all = { WL_TIME_NONE, WL_TIME_NONE, FALSE };
  guint64 pods = 0, waiting = 0;
  const char *what;
  WlTime submit;

  for (guint32 k = from; k < to; k++) {
    const Task *t = &g_array_index (l->r->task, Task, l->tasks[k]);
    Span s = span_of_task (l, l->tasks[k]);

    widen (&all, s.start, s.end, s.running);
    pods += MAX (t->instances, t->rows);
    waiting += t->waiting;
  }
  Span whole = { all.start != WL_TIME_NONE ? all.start : j->start, all.end != WL_TIME_NONE ? all.end : j->end, all.running };

  submit = j->start != WL_TIME_NONE ? j->start : all.start;
  if (pods == 0)
    drop_job (l, number, "job without instances");
  else if (waiting == pods)
    drop_job (l, number, "never started (all instances waiting)");
  else if (submit == WL_TIME_NONE)
    drop_job (l, number, "no start");
  else if (usual_run (l, &whole, &whole, &what) == WL_TIME_NONE)
    drop_job (l, number, "no end");
  else {
    if (j->start == WL_TIME_NONE)
      wl_import_default (l->r->imp, "submission (the start of the first task)");
    wl_pods_clear (l->pods);
    for (guint32 k = from; k < to; k++)
      add_task (l, l->tasks[k], &whole);
    give_job (l, j, submit, &all);
  }
}

/* @of[i] is the owner of element i: elements by owner, in their order, and where those of each owner begin. */
static void
sort_by_owner (guint n, guint owners, guint32 (*owner) (const Reader *r, guint i), const Reader *r, guint32 **sorted, guint32 **first)
{
  g_autofree guint32 *next = g_new (guint32, owners + 1);

  *sorted = g_new (guint32, n + 1);
  *first = g_new0 (guint32, owners + 1);
  for (guint i = 0; i < n; i++)
    (*first)[owner (r, i) + 1]++;
  for (guint i = 0; i < owners; i++)
    (*first)[i + 1] += (*first)[i];
  memcpy (next, *first, (owners + 1) * sizeof *next);
  for (guint i = 0; i < n; i++)
    (*sorted)[next[owner (r, i)]++] = i;
}

static guint32
job_of_task (const Reader *r, guint i)
{
  return g_array_index (r->task, Task, i).job;
}

static guint32
task_of_instance (const Reader *r, guint i)
{
  return g_array_index (r->instance, Instance, i).task;
}

static void
make_jobs (Reader *r)
{
  g_autoptr (WlPods) pods = wl_pods_new ();
  Layout l = { .r = r, .pods = pods };

  sort_by_owner (r->task->len, r->job->len, job_of_task, r, &l.tasks, &l.first_task);
  sort_by_owner (r->instance->len, r->task->len, task_of_instance, r, &l.instances, &l.first_instance);
  for (guint32 i = 0; i < r->job->len; i++)
    make_job (&l, i);
  if (r->first != WL_TIME_NONE)
    wl_import_span (r->imp, r->first, r->last);
  g_free (l.tasks);
  g_free (l.first_task);
  g_free (l.instances);
  g_free (l.first_instance);
}

/* ---- the format ---------------------------------------------------------------------------------------------- */

/* --nodes machines in the published mix. */
static void
add_published (WlImport *imp)
{
  guint64 nodes = (guint64) wl_import_number (imp, "nodes"), all = 0, upto = 0;

  for (guint i = 0; i < WL_PAI_MACHINES; i++)
    all += wl_pai_machines[i].count;
  for (guint i = 0; i < WL_PAI_MACHINES; i++) {
    const WlPaiMachine *m = &wl_pai_machines[i];
    guint64 before = upto * nodes / all;

    upto += m->count;
    const WlImportNode node = { .time = WL_TIME_NONE,
                                .capacity = { .cpu_milli = m->cores * 1000, .memory = m->gib * GIB, .gpus = m->gpus },
                                .model = m->type,
                                .count = (guint32) (upto * nodes / all - before) };

    if (node.count > 0)
      wl_import_node (imp, &node);
  }
  wl_import_default_more (imp, "nodes (the published mix)", nodes);
}

static gboolean
read_files (Reader *r, GError **error)
{
  static WlImportRow *const rows[N_KINDS] = { group_row, job_row, task_row, instance_row, machine_row, NULL, NULL, NULL };
  WlImport *imp = r->imp;

  for (Kind k = 0; k < N_KINDS; k++)
    for (guint i = 0; i < wl_import_n_files (imp); i++) {
      int kind = wl_kind_find (wl_import_head (imp, i), kinds, N_KINDS);

      if (kind < 0)
        return wl_kind_unknown (imp, i, kinds, N_KINDS, error);
      if ((Kind) kind != k)
        continue;
      if (k == LIST ? !wl_pai_list_read (r->list, i, error) : rows[k] != NULL && !wl_kind_read (imp, i, &kinds[k], rows[k], r, error))
        return FALSE;
      if (k == SENSOR || k == METRIC)
        wl_import_note (imp, "files of usage, which nothing needs", 1);
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
  g_autoptr (WlTexts) texts = wl_texts_new ();
  g_autoptr (GHashTable) job_numbers = g_hash_table_new (NULL, NULL), machine_numbers = g_hash_table_new (NULL, NULL), groups = g_hash_table_new (NULL, NULL), listed = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) machine_names = g_ptr_array_new ();
  g_autoptr (WlRecords) task_keys = wl_records_new (sizeof (TaskKey)), instance_keys = wl_records_new (sizeof (InstanceKey));
  g_autoptr (GArray) job = g_array_new (FALSE, FALSE, sizeof (Job)), task = g_array_new (FALSE, FALSE, sizeof (Task)), instance = g_array_new (FALSE, FALSE, sizeof (Instance));
  g_autoptr (WlPaiList) list = wl_pai_list_new (imp);
  Reader r = { .imp = imp,
               .by_user = wl_import_is (imp, "queue-by", "user"),
               .by_group = wl_import_is (imp, "queue-by", "group"),
               .require = wl_import_is (imp, "pai-gpu-type", "require"),
               .texts = texts,
               .job_numbers = job_numbers,
               .machine_numbers = machine_numbers,
               .groups = groups,
               .listed = listed,
               .machine_names = machine_names,
               .task_keys = task_keys,
               .instance_keys = instance_keys,
               .job = job,
               .task = task,
               .instance = instance,
               .list = list,
               .first = WL_TIME_NONE,
               .last = WL_TIME_NONE };

  wl_import_extra (imp, "x_user");
  wl_import_extra (imp, "x_group");
  if (!read_files (&r, error))
    return FALSE;
  make_jobs (&r);
  wl_pai_list_finish (list);
  if (r.nodes == 0)
    add_published (imp);
  return TRUE;
}

extern const WlImportFormat wl_format_pai;
const WlImportFormat wl_format_pai = {
  .name = "pai",
  .title = "Alibaba PAI GPU cluster 2020",
  .files = "pai_job_table, pai_task_table, pai_instance_table, pai_machine_spec and pai_group_tag_table, none of which is needed; or the list of jobs of the PAI simulator",
  .licence = "CC BY 4.0; github.com/alibaba/clusterdata",
  .options = options,
  .detect = detect,
  .run = run,
};
