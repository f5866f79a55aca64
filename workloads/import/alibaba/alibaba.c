/* workloads/import/alibaba/alibaba.c - see alibaba.h. */
#include "alibaba.h"
#include "workloads/import/dag.h"
#include "workloads/import/pods.h"
#include "workloads/import/records.h"
#include "workloads/text/parse.h"
#include <string.h>

#define MOST_MEMORY (G_GINT64_CONSTANT (1) << 42) /* of an instance */
#define MOST_OF_POD 1000                          /* instances of a pod */

typedef struct { const char *job, *task; } TaskKey; /* texts that are kept once */
typedef struct {
  WlTime start, end; /* as in WlBatchTask */
  const char *type;
  gint64 cpu_milli, memory;
  guint64 line, column;
  guint32 job, file;
  guint32 instances, listed, kept; /* said, rows of them, and rows that count */
  guint32 evictions;
  WlBatchState state;
  gboolean row;      /* the table of tasks has it */
} Task;
typedef struct {
  WlTime start, end;
  guint32 task, machine; /* machine: 1 + number, 0: not said */
} Instance;

struct WlBatch {
  WlImport *imp;
  gboolean dag, by_type;
  WlImportAmounts machine;
  guint32 most, group, wave; /* most 0: no limit; wave 0: not said */
  gint64 cpu_milli, memory;  /* of instances that nobody says it of; memory -1: by the core */
  WlTexts *texts;
  WlRecords *keys;     /* TaskKey: number of task */
  GArray *task, *instance;
  GHashTable *jobs, *machines; /* text → 1 + number */
  GPtrArray *job_names, *machine_names;
  WlTime last;         /* of all that happened, WL_TIME_NONE: nothing */
};

WlBatch *
wl_batch_new (WlImport *imp, gboolean dag, const WlImportAmounts *machine)
{
  WlBatch *b = g_new0 (WlBatch, 1);

  b->imp = imp;
  b->dag = dag;
  b->machine = *machine;
  b->by_type = dag && wl_import_is (imp, "queue-by", "task_type");
  b->most = (guint32) wl_import_number (imp, "max-instances");
  b->group = (guint32) CLAMP (wl_import_number (imp, "group-instances"), 1, MOST_OF_POD);
  b->wave = (guint32) wl_import_number (imp, "wave");
  b->cpu_milli = wl_import_milli (imp, "pod-cpu");
  b->memory = wl_import_given (imp, "pod-memory") ? wl_import_bytes (imp, "pod-memory") : -1;
  b->texts = wl_texts_new ();
  b->keys = wl_records_new (sizeof (TaskKey));
  b->task = g_array_new (FALSE, FALSE, sizeof (Task));
  b->instance = g_array_new (FALSE, FALSE, sizeof (Instance));
  b->jobs = g_hash_table_new (NULL, NULL);
  b->machines = g_hash_table_new (NULL, NULL);
  b->job_names = g_ptr_array_new ();
  b->machine_names = g_ptr_array_new ();
  b->last = WL_TIME_NONE;
  if (dag)
    wl_import_extra (imp, "x_type");
  wl_import_priority_class (imp, "batch", WL_BATCH_PRIORITY);
  return b;
}

void
wl_batch_free (WlBatch *b)
{
  if (b == NULL)
    return;
  wl_texts_free (b->texts);
  wl_records_free (b->keys);
  g_array_unref (b->task);
  g_array_unref (b->instance);
  g_hash_table_unref (b->jobs);
  g_hash_table_unref (b->machines);
  g_ptr_array_unref (b->job_names);
  g_ptr_array_unref (b->machine_names);
  g_free (b);
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static const char *const states[WL_BATCH_STATES] = { "Terminated", "Failed", "Running", "Waiting", "Cancelled", "Interrupted", "Ready" };

gboolean
wl_batch_state (const WlCsv *csv, int cell, WlBatchState *out, GError **error)
{
  const char *text = wl_csv_cell (csv, cell);

  for (guint i = 0; i < WL_BATCH_STATES; i++)
    if (strcmp (states[i], text) == 0) {
      *out = (WlBatchState) i;
      return TRUE;
    }
  g_autofree char *shown = wl_shown (text);

  return wl_csv_refuse (csv, cell, WL_ERROR_VALUE, "column 'status'", "Terminated, Failed, Running, Waiting, Cancelled, Interrupted or Ready", shown, error);
}

gboolean
wl_batch_memory (const WlCsv *csv, int cell, gint64 unit, gint64 per, gint64 *out, GError **error)
{
  if (!wl_import_scaled (csv, cell, unit, 0, MOST_MEMORY * per, out, error))
    return FALSE;
  *out = (*out + per / 2) / per;
  return TRUE;
}

/* The number, from 0, of a text that is kept once. */
static guint32
number_of (GHashTable *table, GPtrArray *names, const char *text)
{
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (table, text));

  if (number == 0) {
    g_ptr_array_add (names, (gpointer) text);
    number = names->len;
    g_hash_table_insert (table, (gpointer) text, GUINT_TO_POINTER (number));
  }
  return number - 1;
}

static Task *
task_of (WlBatch *b, const char *job, const char *task, guint32 *number)
{
  const TaskKey key = { wl_texts_add (b->texts, job), wl_texts_add (b->texts, task) };
  const Task fresh = { .job = number_of (b->jobs, b->job_names, key.job), .start = WL_TIME_NONE, .end = WL_TIME_NONE, .cpu_milli = -1, .memory = -1 };

  *number = wl_records_add (b->keys, &key);
  if (*number == b->task->len)
    g_array_append_val (b->task, fresh);
  return &g_array_index (b->task, Task, *number);
}

static void
note_times (WlBatch *b, WlTime start, WlTime end)
{
  if (start != WL_TIME_NONE)
    b->last = MAX (b->last, start);
  if (end != WL_TIME_NONE)
    b->last = MAX (b->last, end);
}

static const char *
waits (WlBatchState state)
{
  return state == WL_BATCH_WAITING ? "never ran (Waiting)" : state == WL_BATCH_READY ? "never ran (Ready)" : NULL;
}

gboolean
wl_batch_task (WlBatch *b, const WlBatchTask *row)
{
  guint32 number;
  Task *t = task_of (b, row->job, row->task, &number);

  if (t->row)
    return wl_import_drop (b->imp, "duplicate id");
  note_times (b, row->start, row->end);
  if (row->state == WL_BATCH_RUNNING && row->end != WL_TIME_NONE && row->end >= row->start)
    wl_import_default (b->imp, "end of running tasks (the last that the table says)");
  t->row = TRUE;
  t->start = row->start;
  t->end = row->end;
  t->type = wl_texts_add (b->texts, row->type);
  t->cpu_milli = row->cpu_milli;
  t->memory = row->memory;
  t->line = row->line;
  t->column = row->column;
  t->file = row->file;
  t->instances = (guint32) row->instances;
  t->state = row->state;
  return TRUE;
}

gboolean
wl_batch_instance (WlBatch *b, const WlBatchInstance *row)
{
  const char *machine = wl_texts_add (b->texts, row->machine);
  guint32 number;
  Task *t = task_of (b, row->job, row->task, &number);
  Instance i = { .start = row->start, .end = row->end, .machine = machine != NULL ? 1 + number_of (b->machines, b->machine_names, machine) : 0, .task = number };

  note_times (b, row->start, row->end);
  if (waits (row->state) != NULL)
    return wl_import_drop (b->imp, waits (row->state));
  if (row->try < row->tries) {
    t->evictions++;
    return wl_import_drop (b->imp, "an earlier try of an instance");
  }
  if (row->start == WL_TIME_NONE)
    return wl_import_drop (b->imp, "no start");
  if (row->end != WL_TIME_NONE && row->end < row->start)
    return wl_import_drop (b->imp, "ends before it starts");
  if (b->most > 0 && t->kept >= b->most)
    return wl_import_drop (b->imp, "instance beyond --max-instances");
  t->kept++;
  g_array_append_val (b->instance, i);
  return TRUE;
}

/* ---- tasks become roles ---------------------------------------------------------------------------------- */

typedef struct {
  const WlBatch *b;
  const Instance **of; /* instances by task, in the order of the rows */
  guint32 *from;       /* [tasks + 1] where those of each task begin */
  WlPods *pods;
  WlTime start, end;   /* of the job at hand, WL_TIME_NONE: none yet */
  guint32 evictions;
  gboolean mixed;
  WlBatchState state;
  guint tasks;
  WlTime first;        /* submission of all jobs, WL_TIME_NONE: none yet */
} Making;

/* NULL, or why a task is left out. */
static const char *
left_out (const Task *t)
{
  if (t->row && waits (t->state) != NULL)
    return waits (t->state);
  if (t->row && t->kept == 0 && t->start == WL_TIME_NONE)
    return "no start";
  if (t->row && t->start != WL_TIME_NONE && t->end != WL_TIME_NONE && t->end < t->start)
    return "ends before it starts";
  if (t->row && t->instances == 0 && t->kept == 0)
    return "no instances";
  return !t->row && t->kept == 0 ? "" : NULL; /* what its rows said is counted already */
}

static WlTime
start_of (const Making *m, guint32 task)
{
  const Task *t = &g_array_index (m->b->task, Task, task);
  WlTime start = t->start;

  for (guint32 i = m->from[task]; i < m->from[task + 1]; i++)
    start = start == WL_TIME_NONE ? m->of[i]->start : MIN (start, m->of[i]->start);
  return start;
}

static WlImportAmounts
request_of (const WlBatch *b, const Task *t)
{
  gint64 cpu = t->cpu_milli >= 0 ? t->cpu_milli : b->cpu_milli, memory = t->memory >= 0 ? t->memory : b->memory >= 0 ? b->memory : (cpu << 31) / 1000;

  if (t->cpu_milli < 0)
    wl_import_default (b->imp, "cpu of tasks");
  if (t->memory < 0)
    wl_import_default (b->imp, "memory of tasks");
  return (WlImportAmounts){ .cpu_milli = cpu, .memory = memory };
}

/* Instances of a pod: --group-instances, but no more than half of a machine holds. */
static guint32
group_of (const WlBatch *b, const WlImportAmounts *one)
{
  gint64 most = b->group;

  if (one->cpu_milli > 0)
    most = MIN (most, b->machine.cpu_milli / 2 / one->cpu_milli);
  if (one->memory > 0)
    most = MIN (most, b->machine.memory / 2 / one->memory);
  return (guint32) MAX (most, 1);
}

/* @n instances that run as long, as pods. */
static void
add_pods (Making *m, const char *role, const WlImportAmounts *one, WlTime run, const char *node, guint32 n)
{
  guint32 group = group_of (m->b, one);

  for (guint k = 0; k < 2; k++) {
    guint32 of_pod = k == 0 ? group : n % group, count = k == 0 ? n / group : 1;
    const WlPod pod = { .role = role, .request = { .cpu_milli = one->cpu_milli * of_pod, .memory = one->memory * of_pod }, .duration = run, .node = node, .count = count };

    if (of_pod > 0 && count > 0)
      wl_pods_add (m->pods, &pod);
  }
}

static WlTime
run_of (const Making *m, WlTime start, WlTime end)
{
  if (end != WL_TIME_NONE)
    return end - start;
  wl_import_default (m->b->imp, "end (still running when the trace ended)");
  return MAX (m->b->last - start, 0);
}

/* Instances that are listed; a pod of several runs as long as the longest. */
static void
add_listed (Making *m, guint32 task, const char *role, const WlImportAmounts *one)
{
  const WlBatch *b = m->b;
  guint32 to = m->from[task + 1], group = group_of (b, one);

  for (guint32 i = m->from[task]; i < to;) {
    guint32 next = MIN (i + group, to);
    WlTime run = 0;

    for (guint32 k = i; k < next; k++)
      run = MAX (run, run_of (m, m->of[k]->start, m->of[k]->end));
    add_pods (m, role, one, run, m->of[i]->machine > 0 ? b->machine_names->pdata[m->of[i]->machine - 1] : NULL, next - i);
    i = next;
  }
}

/* Add what is known of the task as pods of @role. */
static void
add_task (Making *m, guint32 task, const char *role)
{
  const WlBatch *b = m->b;
  const Task *t = &g_array_index (b->task, Task, task);
  WlImportAmounts one = request_of (b, t);
  guint32 listed = m->from[task + 1] - m->from[task], all = b->most > 0 ? MIN (t->instances, b->most) : t->instances;
  WlTime start = start_of (m, task), end = WL_TIME_NONE;

  add_listed (m, task, role, &one);
  if (all > listed) {
    WlTime run = run_of (m, start, t->end);

    if (b->wave > 0)
      run /= (all + b->wave - 1) / b->wave;
    add_pods (m, role, &one, run, NULL, all - listed);
    wl_import_default_more (b->imp, "duration of instances (their task's)", all - listed);
  }
  if (t->instances > all)
    wl_import_note (b->imp, "instances beyond --max-instances, left out", t->instances - all);
  if (!t->row)
    wl_import_note (b->imp, "tasks without a row of their own", 1);
  for (guint32 i = m->from[task]; i < m->from[task + 1]; i++)
    end = MAX (end, m->of[i]->end);
  end = MAX (end, t->end);
  m->start = m->start == WL_TIME_NONE ? start : MIN (m->start, start);
  m->end = MAX (m->end, end);
  m->evictions += t->evictions;
  m->mixed = m->mixed || (m->tasks > 0 && m->state != t->state);
  m->state = t->state;
  m->tasks++;
}

static void
begin_job (Making *m)
{
  wl_pods_clear (m->pods);
  m->start = m->end = WL_TIME_NONE;
  m->evictions = 0;
  m->tasks = 0;
  m->mixed = FALSE;
}

/* What has been added since begin_job() as a job. */
static guint32
give_job (Making *m, const char *name, const char *type, WlTime submit, const char *flow, const guint32 *after, guint n_after)
{
  const WlBatch *b = m->b;
  guint n;
  const WlImportRole *roles = wl_pods_roles (m->pods, &n);
  g_autofree char *queue = b->by_type && type != NULL ? g_strdup_printf ("type-%s", type) : g_strdup ("batch");
  const char *extra[] = { type };
  const WlImportJob job = { .name = name,
                            .queue = queue,
                            .priority = "batch",
                            .submit = submit,
                            .min_available = 1,
                            .role = roles,
                            .n_roles = n,
                            .flow = flow,
                            .after = after,
                            .n_after = n_after,
                            .extra = b->dag ? extra : NULL };
  const WlImportRecord record = { .wait = WL_TIME_NEVER,
                                  .start = m->start,
                                  .end = m->end,
                                  .status = m->mixed ? "Mixed" : states[m->state],
                                  .nodes = wl_pods_nodes (m->pods, b->imp),
                                  .evictions = m->evictions };
  guint32 number = wl_import_job (b->imp, &job);

  m->first = m->first == WL_TIME_NONE ? submit : MIN (m->first, submit);
  wl_import_recorded (b->imp, number, &record);
  return number;
}

/* ---- jobs --------------------------------------------------------------------------------------------------- */

/* Tasks of a job without an order: roles of one job. */
static void
make_roles (Making *m, const char *name, const guint32 *task, guint n, WlTime submit)
{
  guint later = 0;

  begin_job (m);
  for (guint i = 0; i < n; i++) {
    later += start_of (m, task[i]) > submit;
    add_task (m, task[i], ((const TaskKey *) wl_records_get (m->b->keys, task[i]))->task);
  }
  if (later > 0)
    wl_import_note (m->b->imp, "tasks that began later than their job come with it", later);
  give_job (m, name, g_array_index (m->b->task, Task, task[0]).type, submit, NULL, NULL, 0);
}

/* Tasks of a job of which some wait for others: a job each, in a flow (or, with --dag=times, submitted when it began). */
static void
make_flow (Making *m, const WlDag *dag, const char *name, const guint32 *task, guint n, WlTime submit)
{
  g_autofree guint32 *job = g_new (guint32, n);
  gboolean flow = wl_import_is (m->b->imp, "dag", "flow");

  for (guint i = 0; i < n; i++) {
    guint at = wl_dag_at (dag, i), n_needs;
    const guint32 *need = wl_dag_needs (dag, at, &n_needs);
    g_autofree guint32 *after = g_new (guint32, n_needs + 1);
    const char *step = ((const TaskKey *) wl_records_get (m->b->keys, task[at]))->task;
    g_autofree char *whole = g_strdup_printf ("%s-%s", name, step);

    for (guint k = 0; k < n_needs; k++)
      after[k] = job[need[k]];
    begin_job (m);
    add_task (m, task[at], step);
    job[at] = give_job (m, whole, g_array_index (m->b->task, Task, task[at]).type, flow ? submit : start_of (m, task[at]), flow ? name : NULL, after, flow ? n_needs : 0);
  }
}

/* FALSE with @error: a circle. */
static gboolean
refuse_circle (const WlBatch *b, const char *name, const guint32 *task, guint n, GError **error)
{
  const Task *first = &g_array_index (b->task, Task, task[0]);
  g_autoptr (GError) e = NULL;
  g_autofree char *shown = wl_shown (name);
  guint64 rows = 0;

  for (guint i = 0; i < n; i++) {
    const Task *t = &g_array_index (b->task, Task, task[i]);

    rows += t->row + t->kept;
    if (!first->row || (t->row && t->line < first->line))
      first = t;
  }
  g_set_error (&e, WL_ERROR, WL_ERROR_VALUE, "tasks of a job, expected an order in which each can wait for those that it names, found a circle among those of %s", shown);
  (void) wl_import_locate (b->imp, first->file, first->line, first->column, &e);
  if (!wl_import_bad_row (b->imp, &e)) {
    g_propagate_error (error, g_steal_pointer (&e));
    return FALSE;
  }
  wl_import_drop_more (b->imp, "job whose tasks wait for each other", rows - 1);
  return TRUE;
}

static gboolean
make_job (Making *m, WlDag *dag, const guint32 *all, guint n_all, GError **error)
{
  const WlBatch *b = m->b;
  g_autofree guint32 *task = g_new (guint32, n_all);
  WlTime submit = WL_TIME_NONE;
  guint n = 0, missing = 0, edges = 0;

  wl_dag_clear (dag);
  for (guint i = 0; i < n_all; i++) {
    const Task *t = &g_array_index (b->task, Task, all[i]);
    const char *why = left_out (t);

    if (why != NULL) {
      if (*why != '\0')
        wl_import_drop_more (b->imp, why, 1 + t->kept);
      continue;
    }
    WlTime start = start_of (m, all[i]);

    submit = submit == WL_TIME_NONE ? start : MIN (submit, start);
    task[n++] = all[i];
    wl_dag_add (dag, ((const TaskKey *) wl_records_get (b->keys, all[i]))->task);
  }
  if (n == 0)
    return TRUE;
  const char *id = b->job_names->pdata[g_array_index (b->task, Task, all[0]).job];
  g_autofree char *name = b->dag ? g_strdup (id) : g_strdup_printf ("job-%s", id);

  if (b->dag && !wl_import_is (b->imp, "dag", "ignore")) {
    if (!wl_dag_solve (dag, &missing, &edges))
      return refuse_circle (b, id, task, n, error);
    if (missing > 0)
      wl_import_note (b->imp, "dependencies on tasks that the job does not have: ignored", missing);
  }
  if (edges > 0)
    make_flow (m, dag, name, task, n, submit);
  else
    make_roles (m, name, task, n, submit);
  return TRUE;
}

static int
by_job (gconstpointer a, gconstpointer b, gpointer data)
{
  const Task *task = data;
  guint32 l = *(const guint32 *) a, r = *(const guint32 *) b;

  return task[l].job != task[r].job ? (task[l].job < task[r].job ? -1 : 1) : l < r ? -1 : l > r;
}

/* Instances by task: counted, then put in their places. */
static void
sort_instances (const WlBatch *b, Making *m)
{
  guint n = b->task->len;
  g_autofree guint32 *next = g_new (guint32, n + 1);

  m->from = g_new0 (guint32, n + 1);
  m->of = g_new (const Instance *, b->instance->len + 1);
  for (guint i = 0; i < b->instance->len; i++)
    m->from[g_array_index (b->instance, Instance, i).task + 1]++;
  for (guint i = 0; i < n; i++)
    m->from[i + 1] += m->from[i];
  memcpy (next, m->from, (n + 1) * sizeof *next);
  for (guint i = 0; i < b->instance->len; i++) {
    const Instance *in = &g_array_index (b->instance, Instance, i);

    m->of[next[in->task]++] = in;
  }
}

gboolean
wl_batch_finish (WlBatch *b, GError **error)
{
  guint n = b->task->len;
  g_autofree guint32 *order = g_new (guint32, n + 1);
  g_autoptr (WlPods) pods = wl_pods_new ();
  g_autoptr (WlDag) dag = wl_dag_new ();
  Making m = { .b = b, .pods = pods, .first = WL_TIME_NONE };
  gboolean good = TRUE;

  sort_instances (b, &m);
  for (guint32 i = 0; i < n; i++)
    order[i] = i;
  g_qsort_with_data (order, (gint) n, sizeof *order, by_job, b->task->data);
  for (guint from = 0, to; good && from < n; from = to) {
    for (to = from + 1; to < n && g_array_index (b->task, Task, order[to]).job == g_array_index (b->task, Task, order[from]).job;)
      to++;
    good = make_job (&m, dag, order + from, to - from, error);
  }
  if (m.first != WL_TIME_NONE)
    wl_import_span (b->imp, m.first, b->last);
  g_free (m.of);
  g_free (m.from);
  return good;
}
