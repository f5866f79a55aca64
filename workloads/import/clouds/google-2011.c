/* workloads/import/clouds/google-2011.c - Google ClusterData 2011-2: tables without a header (parts of them, too), and the list of tasks that were alive when the trace began, which others
 * made of it. One cell, 29 days; the trace begins at 600 s. */
#include "google.h"
#include "workloads/import/machines.h"
#include "workloads/import/table-kind.h"
#include "workloads/text/parse.h"
#include <string.h>

enum { J_TIME, J_MISSING, J_JOB, J_EVENT, J_USER, J_CLASS, J_NAME, J_LOGICAL, N_JOB };
static const WlColumn job_columns[N_JOB] = {
  [J_TIME] = { "time", TRUE }, [J_MISSING] = { "missing_info", FALSE }, [J_JOB] = { "job_id", TRUE },    [J_EVENT] = { "event_type", TRUE },
  [J_USER] = { "user", FALSE }, [J_CLASS] = { "scheduling_class", FALSE }, [J_NAME] = { "job_name", TRUE }, [J_LOGICAL] = { "logical_job_name", FALSE },
};
enum { T_TIME, T_MISSING, T_JOB, T_INDEX, T_MACHINE, T_EVENT, T_USER, T_CLASS, T_PRIORITY, T_CPU, T_MEMORY, T_DISK, T_APART, N_TASK };
static const WlColumn task_columns[N_TASK] = {
  [T_TIME] = { "time", TRUE },        [T_MISSING] = { "missing_info", FALSE },   [T_JOB] = { "job_id", TRUE },
  [T_INDEX] = { "task_index", TRUE }, [T_MACHINE] = { "machine_id", FALSE },     [T_EVENT] = { "event_type", TRUE },
  [T_USER] = { "user", FALSE },       [T_CLASS] = { "scheduling_class", FALSE }, [T_PRIORITY] = { "priority", FALSE },
  [T_CPU] = { "cpu_request", TRUE },  [T_MEMORY] = { "memory_request", TRUE },   [T_DISK] = { "disk_space_request", FALSE },
  [T_APART] = { "different_machines_restriction", FALSE },
};
enum { A_TIME, A_JOB, A_INDEX, A_USER, A_CLASS, A_PRIORITY, A_END, A_SECOND, A_CPU, A_MEMORY, N_ALIVE };
static const WlColumn alive_columns[N_ALIVE] = {
  [A_TIME] = { "time", TRUE },         [A_JOB] = { "job_id", TRUE },   [A_INDEX] = { "task_index", TRUE },   [A_USER] = { "user", FALSE },       [A_CLASS] = { "scheduling_class", FALSE },
  [A_PRIORITY] = { "priority", FALSE }, [A_END] = { "end_time", TRUE }, [A_SECOND] = { "second_time", FALSE }, [A_CPU] = { "cpu_request", TRUE }, [A_MEMORY] = { "memory_request", TRUE },
};
enum { M_TIME, M_MACHINE, M_EVENT, M_PLATFORM, M_CPU, M_MEMORY, N_MACHINE };
static const WlColumn machine_columns[N_MACHINE] = {
  [M_TIME] = { "time", TRUE },         [M_MACHINE] = { "machine_id", TRUE }, [M_EVENT] = { "event_type", TRUE },
  [M_PLATFORM] = { "platform_id", FALSE }, [M_CPU] = { "cpus", TRUE },        [M_MEMORY] = { "memory", TRUE },
};
enum { B_TIME, B_MACHINE, B_NAME, B_VALUE, B_DELETED, N_ATTRIBUTE };
static const WlColumn attribute_columns[N_ATTRIBUTE] = {
  [B_TIME] = { "time", TRUE }, [B_MACHINE] = { "machine_id", TRUE }, [B_NAME] = { "attribute_name", TRUE }, [B_VALUE] = { "attribute_value", TRUE }, [B_DELETED] = { "attribute_deleted", TRUE },
};
enum { C_TIME, C_JOB, C_INDEX, C_OPERATOR, C_NAME, C_VALUE, N_CONSTRAINT };
static const WlColumn constraint_columns[N_CONSTRAINT] = {
  [C_TIME] = { "time", TRUE },                    [C_JOB] = { "job_id", TRUE },          [C_INDEX] = { "task_index", TRUE },
  [C_OPERATOR] = { "comparison_operator", TRUE }, [C_NAME] = { "attribute_name", TRUE }, [C_VALUE] = { "attribute_value", TRUE },
};
enum { X_CPU, X_MEMORY, X_MACHINES, N_MIX };
static const WlColumn mix_columns[N_MIX] = { [X_CPU] = { "cpu_capacity", TRUE }, [X_MEMORY] = { "memory_capacity", TRUE }, [X_MACHINES] = { "machines", TRUE } };
static const WlColumn usage_columns[] = { { "start_time", TRUE }, { "end_time", TRUE }, { "job_id", TRUE }, { "task_index", TRUE }, { "machine_id", TRUE }, { "cpu_rate", TRUE } };

/* In the order in which they are read: attributes are kept when a constraint names them. */
typedef enum { CONSTRAINTS, JOBS, TASKS, ALIVE, ATTRIBUTES, MACHINES, MIX, USAGE, N_KINDS } Kind;
static const WlTableKind kinds[N_KINDS] = {
  [CONSTRAINTS] = { "task_constraints", constraint_columns, N_CONSTRAINT, "i,i,i,0|1|2|3,*,*", NULL, 0, FALSE },
  [JOBS] = { "job_events", job_columns, N_JOB, "i,I,i,0|1|2|3|4|5|6|7|8,*,|0|1|2|3,*,*", NULL, 0, FALSE },
  [TASKS] = { "task_events", task_columns, N_TASK, "i,I,i,i,I,0|1|2|3|4|5|6|7|8,*,|0|1|2|3,I,N,N,N,|0|1", NULL, 0, FALSE },
  [ALIVE] = { "tasks alive at the start", alive_columns, N_ALIVE, "i,i,i,*,I,I,i,I,N,N", NULL, ';', FALSE },
  [ATTRIBUTES] = { "machine_attributes", attribute_columns, N_ATTRIBUTE, "i,i,*,*,0|1", NULL, 0, FALSE },
  [MACHINES] = { "machine_events", machine_columns, N_MACHINE, "i,i,0|1|2,*,N,N", NULL, 0, FALSE },
  [MIX] = { "machine mix", mix_columns, N_MIX, "n,n,i", NULL, 0, FALSE },
  [USAGE] = { "task_usage", usage_columns, G_N_ELEMENTS (usage_columns), "i,i,i,i,I,N,N,N,N,N,N,N,N,N,N,N,N,N,N,N", NULL, 0, TRUE },
};

static const WlImportOption options[] = {
  WL_GOOGLE_OPTIONS,
  { "queue-by", WL_OPTION_CHOICE, "user", "user|band|none", "what the queues are; band: free (priority 0 and 1), middle (2 to 8) and production" },
  { "nodes", WL_OPTION_COUNT, "12583", NULL, "nodes in the published mix, where the files list no machines" },
  { NULL, WL_OPTION_TEXT, NULL, NULL, NULL },
};

/* The machines of the cell by capacity (Reiss et al., SoCC 2012), in hundredths of a unit. */
static const struct { guint cpu, memory, machines; } published[] = { { 50, 50, 6732 }, { 50, 25, 3863 }, { 50, 75, 1001 }, { 100, 100, 795 }, { 25, 25, 126 },
                                                                    { 50, 12, 52 },   { 50, 3, 5 },     { 50, 97, 5 },    { 100, 50, 3 },    { 50, 6, 1 } };

typedef struct {
  WlGoogle *google;
  WlMachines *machines;
  gint64 cpu, memory; /* of a unit */
  guint64 nodes;      /* of a mix */
} Reader;

/* ---- cells -------------------------------------------------------------------------------------------- */

static gboolean
time_of (WlCsv *csv, int cell, WlTime *out, GError **error)
{
  if (!wl_import_int (csv, cell, 0, WL_GOOGLE_AFTER, out, error))
    return FALSE;
  if (*out <= WL_TIME_MAX || *out == WL_GOOGLE_AFTER)
    return TRUE;
  g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "time out of range, expected microseconds up to 2^53, or 2^63-1, found '%s'", wl_csv_cell (csv, cell));
  return wl_csv_locate (csv, cell, error);
}

/* A whole number, or @missing for an empty cell. */
static gboolean
int_or (WlCsv *csv, int cell, gint64 missing, gint64 max, gint64 *out, GError **error)
{
  *out = missing;
  return *wl_csv_cell (csv, cell) == '\0' || wl_import_int (csv, cell, 0, max, out, error);
}

static const WlGoogleEvent events[] = { WL_GOOGLE_SUBMIT, WL_GOOGLE_SCHEDULE, WL_GOOGLE_EVICT, WL_GOOGLE_FAIL, WL_GOOGLE_FINISH, WL_GOOGLE_KILL, WL_GOOGLE_LOST, WL_GOOGLE_UPDATE_PENDING,
                                        WL_GOOGLE_UPDATE_RUNNING };

static void
note_missing (WlImport *imp, WlCsv *csv, int cell)
{
  if (*wl_csv_cell (csv, cell) != '\0')
    wl_import_note (imp, "events that the authors reconstructed (missing info)", 1);
}

static const char *
band (gint64 priority)
{
  return priority < 2 ? "free" : priority < 9 ? "middle" : "production";
}

/* Columns time, job, user and class of both tables of events, and its event. */
static gboolean
read_job (WlCsv *csv, const int *cell, const int place[5], WlGoogleJob *out, GError **error)
{
  gint64 event;

  if (!time_of (csv, cell[place[0]], &out->time, error) || !wl_import_int (csv, cell[place[1]], 0, G_MAXINT64, &out->job, error) ||
      !int_or (csv, cell[place[3]], -1, 3, &out->class, error) || (place[4] >= 0 && !wl_import_int (csv, cell[place[4]], 0, G_N_ELEMENTS (events) - 1, &event, error)))
    return FALSE;
  out->user = wl_csv_cell (csv, cell[place[2]]);
  out->priority = -1;
  out->event = place[4] >= 0 ? events[event] : WL_GOOGLE_SUBMIT;
  return TRUE;
}

/* CPU and memory, as parts of machine 1.0; *given: is one of them? */
static gboolean
read_request (const Reader *r, WlImport *imp, WlCsv *csv, int cpu_cell, int memory_cell, gint64 *cpu, gint64 *memory, gboolean *given, GError **error)
{
  gboolean has_cpu = !wl_import_missing (csv, cpu_cell), has_memory = !wl_import_missing (csv, memory_cell);

  *cpu = *memory = 0;
  if (has_cpu && !wl_google_part (wl_csv_cell (csv, cpu_cell), r->cpu, cpu, error))
    return wl_csv_locate (csv, cpu_cell, error);
  if (has_memory && !wl_google_part (wl_csv_cell (csv, memory_cell), r->memory, memory, error))
    return wl_csv_locate (csv, memory_cell, error);
  *given = has_cpu || has_memory;
  if (has_cpu != has_memory)
    wl_import_default (imp, has_cpu ? "memory of a row (none)" : "cpu of a row (none)");
  return TRUE;
}

/* ---- rows --------------------------------------------------------------------------------------------- */

static gboolean
job_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  static const int place[] = { J_TIME, J_JOB, J_USER, J_CLASS, J_EVENT };
  const Reader *r = user;
  WlGoogleJob e;

  if (!read_job (csv, cell, place, &e, error))
    return FALSE;
  note_missing (imp, csv, cell[J_MISSING]);
  return wl_google_job (r->google, &e);
}

static gboolean
task_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  static const int place[] = { T_TIME, T_JOB, T_USER, T_CLASS, T_EVENT };
  const Reader *r = user;
  WlGoogleTask e = { 0 };
  gint64 apart;

  if (!read_job (csv, cell, place, &e.of, error) || !wl_import_int (csv, cell[T_INDEX], 0, G_MAXINT32, &e.index, error) ||
      !int_or (csv, cell[T_MACHINE], 0, G_MAXINT64, &e.machine, error) || !int_or (csv, cell[T_PRIORITY], -1, 1000, &e.of.priority, error) ||
      !read_request (r, imp, csv, cell[T_CPU], cell[T_MEMORY], &e.cpu_milli, &e.memory, &e.asks, error) || !int_or (csv, cell[T_APART], 0, 1, &apart, error))
    return FALSE;
  e.apart = apart == 1;
  note_missing (imp, csv, cell[T_MISSING]);
  return wl_google_task (r->google, &e);
}

static gboolean
alive_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  static const int place[] = { A_TIME, A_JOB, A_USER, A_CLASS, -1 };
  const Reader *r = user;
  WlGoogleTask e = { 0 };
  WlTime end;

  if (!read_job (csv, cell, place, &e.of, error) || !wl_import_int (csv, cell[A_INDEX], 0, G_MAXINT32, &e.index, error) ||
      !int_or (csv, cell[A_PRIORITY], -1, 1000, &e.of.priority, error) || !time_of (csv, cell[A_END], &end, error) ||
      !read_request (r, imp, csv, cell[A_CPU], cell[A_MEMORY], &e.cpu_milli, &e.memory, &e.asks, error))
    return FALSE;
  return wl_google_life (r->google, &e, end, FALSE);
}

static gboolean
constraint_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  static const WlRelation relations[] = { WL_RELATION_EQUAL, WL_RELATION_NOT_EQUAL, WL_RELATION_LESS, WL_RELATION_GREATER };
  const Reader *r = user;
  const char *name = wl_csv_required (csv, cell[C_NAME], "the name of an attribute", error);
  gint64 job, index, relation;
  WlTime time;

  if (name == NULL || !time_of (csv, cell[C_TIME], &time, error) || !wl_import_int (csv, cell[C_JOB], 0, G_MAXINT64, &job, error) ||
      !wl_import_int (csv, cell[C_INDEX], 0, G_MAXINT32, &index, error) || !wl_import_int (csv, cell[C_OPERATOR], 0, 3, &relation, error))
    return FALSE;
  const WlGoogleConstraint c = { job, index, name, relations[relation], wl_csv_cell (csv, cell[C_VALUE]), TRUE };

  return wl_google_constraint (r->google, &c, TRUE, error) || wl_csv_locate (csv, cell[C_VALUE], error);
}

static gboolean
attribute_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  const Reader *r = user;
  const char *name = wl_csv_required (csv, cell[B_NAME], "the name of an attribute", error);
  gint64 machine, deleted;
  WlTime time;

  if (name == NULL || !time_of (csv, cell[B_TIME], &time, error) || !wl_import_int (csv, cell[B_MACHINE], 0, G_MAXINT64, &machine, error) ||
      !wl_import_int (csv, cell[B_DELETED], 0, 1, &deleted, error))
    return FALSE;
  return wl_google_attribute (r->google, r->machines, machine, time, name, deleted == 1 ? NULL : wl_csv_cell (csv, cell[B_VALUE]));
}

static gboolean
machine_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  static const WlMachineEvent kinds_of_event[] = { WL_MACHINE_ADD, WL_MACHINE_REMOVE, WL_MACHINE_UPDATE };
  const Reader *r = user;
  WlMachineRow row = { 0 };
  gint64 machine, event;

  if (!time_of (csv, cell[M_TIME], &row.time, error) || !wl_import_int (csv, cell[M_MACHINE], 0, G_MAXINT64, &machine, error) ||
      !wl_import_int (csv, cell[M_EVENT], 0, 2, &event, error) || !read_request (r, imp, csv, cell[M_CPU], cell[M_MEMORY], &row.cpu_milli, &row.memory, &row.measured, error))
    return FALSE;
  if (row.time == WL_GOOGLE_AFTER)
    return wl_import_drop (imp, "after the end of the trace");
  g_autofree char *name = wl_google_machine_name (machine), *platform = wl_import_label_value (wl_csv_cell (csv, cell[M_PLATFORM]));
  g_autofree char *labels = *platform != '\0' ? g_strdup_printf ("platform=%s", platform) : NULL;

  row.machine = name;
  row.event = kinds_of_event[event];
  row.labels = labels;
  wl_machines_add (r->machines, &row);
  return TRUE;
}

static void
add_nodes (WlImport *imp, gint64 cpu, gint64 memory, guint64 count)
{
  const WlImportNode node = { .name = NULL, .time = WL_TIME_NONE, .capacity = { .cpu_milli = cpu, .memory = memory }, .pods = -1, .count = (guint32) count };

  if (count > 0)
    wl_import_node (imp, &node);
}

static gboolean
mix_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  Reader *r = user;
  gint64 cpu, memory, machines;
  gboolean given;

  if (!read_request (r, imp, csv, cell[X_CPU], cell[X_MEMORY], &cpu, &memory, &given, error) || !wl_import_int (csv, cell[X_MACHINES], 0, 1000000, &machines, error))
    return FALSE;
  if (!given)
    return wl_import_drop (imp, "machine without capacity");
  add_nodes (imp, cpu, memory, (guint64) machines);
  r->nodes += (guint64) machines;
  return TRUE;
}

/* --nodes machines in the published mix. */
static void
add_published (WlImport *imp, const Reader *r)
{
  guint64 nodes = (guint64) wl_import_number (imp, "nodes"), all = 0, upto = 0;

  for (guint i = 0; i < G_N_ELEMENTS (published); i++)
    all += published[i].machines;
  for (guint i = 0; i < G_N_ELEMENTS (published); i++) {
    guint64 before = upto * nodes / all;

    upto += published[i].machines;
    add_nodes (imp, r->cpu * published[i].cpu / 100, r->memory / 100 * published[i].memory, upto * nodes / all - before);
  }
  wl_import_default_more (imp, "nodes (the published mix)", nodes);
}

/* ---- the format ------------------------------------------------------------------------------------------ */

static guint
detect (const WlImportHead *head)
{
  return wl_kind_detect (head, kinds, N_KINDS);
}

static gboolean
run (WlImport *imp, GError **error)
{
  static WlImportRow *const rows[N_KINDS] = { constraint_row, job_row, task_row, alive_row, attribute_row, machine_row, mix_row, NULL };
  static const WlGoogleRules rules = { 2, band };
  g_autoptr (WlGoogle) google = wl_google_new (imp, &rules);
  g_autoptr (WlMachines) machines = wl_machines_new (imp, -1);
  Reader r = { .google = google, .machines = machines, .cpu = wl_import_milli (imp, "unit-cpu"), .memory = wl_import_bytes (imp, "unit-memory") };
  gboolean attributes = FALSE;

  for (Kind k = 0; k < N_KINDS; k++)
    for (guint i = 0; i < wl_import_n_files (imp); i++) {
      int kind = wl_kind_find (wl_import_head (imp, i), kinds, N_KINDS);

      if (kind < 0) {
        if (k == 0)
          return wl_kind_unknown (imp, i, kinds, N_KINDS, error);
      } else if ((Kind) kind == k && rows[k] == NULL) {
        wl_import_note (imp, "files of usage, which nothing needs", 1);
      } else if ((Kind) kind == k && !wl_kind_read (imp, i, &kinds[k], rows[k], &r, error)) {
        return FALSE;
      }
      attributes = attributes || kind == ATTRIBUTES;
    }
  r.nodes += wl_machines_finish (machines);
  if (r.nodes == 0)
    add_published (imp, &r);
  wl_google_finish (google, attributes);
  return TRUE;
}

extern const WlImportFormat wl_format_google_2011;
const WlImportFormat wl_format_google_2011 = {
  .name = "google-2011",
  .title = "Google ClusterData 2011-2",
  .files = "parts of task_events, job_events, machine_events, machine_attributes and task_constraints; tasks alive at the start (;); a machine mix",
  .licence = "CC BY 4.0; github.com/google/cluster-data",
  .options = options,
  .detect = detect,
  .run = run,
};
