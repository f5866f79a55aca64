/* workloads/import/hpc/swf.c - logs of the Parallel Workloads Archive (Standard Workload Format): header lines behind ';', then 18 numbers a job, -1 for what
 * is not known. Logs of the simulator Alea go on with 19 to 21 fields: the name of a DAG and of the task, or the nodes that were used, the queue, and the
 * request as PBS takes it (2:ppn=8:cl_x#excl). The cluster is in the header, or in a file beside the log: swf-machines.c.
 *
 * A job of n processors becomes a gang, by --swf-pods: pods that fill nodes (the default), one pod for each processor, or one pod on a cluster that is one
 * node. Requested times become the column walltime. */
#include "swf.h"
#include "workloads/import/hpc.h"
#include "workloads/text/parse.h"
#include <string.h>

#define FIELDS 18
#define MORE_FIELDS 3
#define MAX_PROCESSORS 100000000
#define KIB 1024

enum { F_ID, F_SUBMIT, F_WAIT, F_RUN, F_ALLOCATED, F_CPU_TIME, F_MEMORY_USED, F_REQUESTED, F_TIME, F_MEMORY, F_STATUS, F_USER, F_GROUP, F_PROGRAM, F_QUEUE, F_PARTITION, F_BEFORE, F_THINK };
static const char *const field_names[FIELDS] = { "job number", "submit time", "wait time", "run time", "allocated processors", "CPU time", "used memory", "requested processors", "requested time",
                                                 "requested memory", "status", "user", "group", "program", "queue", "partition", "preceding job", "think time" };

static const WlImportOption options[] = {
  { "swf-pods", WL_OPTION_CHOICE, "node", "node|proc|job", "pods of a job: node (as many processors as a node has, a smaller one for the rest), proc (one for each processor), "
    "job (one in all, and the cluster is one node)" },
  { "whole-nodes", WL_OPTION_SWITCH, NULL, NULL, "the pod for the rest takes a whole node, too: for machines that give whole nodes" },
  { "nodes", WL_OPTION_COUNT, NULL, NULL, "nodes of the cluster (default: by the header)" },
  { "node-cpu", WL_OPTION_SIZE, NULL, NULL, "processors of a node (default: MaxProcs / MaxNodes; 16 where a log does not say)" },
  { "node-memory", WL_OPTION_SIZE, NULL, NULL, "memory of a node (default: MaxMemory of the header, or what the processors have)" },
  { "memory-per-core", WL_OPTION_QUANTITY, "2Gi", NULL, "memory for each processor, of nodes and of jobs, where nothing else says it" },
  { "zero-run", WL_OPTION_CHOICE, "drop", "drop|second", "jobs with a run time of 0: left out, or a second" },
  { "walltime", WL_OPTION_CHOICE, "ignore", "ignore|kill", "a job that runs longer than it has asked for: goes on, or fails then" },
  { "failed", WL_OPTION_CHOICE, "complete", "complete|fail", "what becomes of jobs with the status failed at their end" },
  { "swf-think", WL_OPTION_SWITCH, NULL, NULL, "a job with a preceding job is submitted when that one ended in the record, plus the think time" },
  { "queue-by", WL_OPTION_CHOICE, "auto", "auto|queue|partition|group|user|none", "what makes the queue; auto: the queue, else the partition" },
  { "namespace-by", WL_OPTION_CHOICE, "none", "none|group|user", "what makes the namespace" },
  { NULL, WL_OPTION_TEXT, NULL, NULL, NULL },
};

/* ---- a log ----------------------------------------------------------------------------------------- */

typedef enum { PODS_NODE, PODS_PROC, PODS_JOB } Pods;

typedef struct {
  gint64 value[FIELDS]; /* times in µs; below 0: not known */
  gint64 id;
  const char *more[MORE_FIELDS];
  guint n_more;
} Row;

/* Lines of one job that was interrupted. */
typedef struct { Row row; gboolean done; } Parts;

typedef struct {
  Pods pods;
  gboolean whole_nodes, second, kill, fail, think, known; /* known: the cluster has been looked up */
  const char *queue_by, *namespace_by;
  gint64 per_core;
  /* header */
  gint64 max_nodes, max_procs, max_memory;
  gboolean doubled; /* interrupted jobs have a summary line, too */
  GHashTable *queues, *partitions; /* number → name */
  char *zone;
  /* cluster */
  const WlSwfMachines *machines;
  gboolean sized;        /* nothing says how large it is */
  gboolean cores_made_up;
  gint64 nodes, per_node, odd, rest; /* `odd` of the nodes have a processor more; another node has only `rest` */
  gint64 node_memory;    /* 0: not known */
  /* what was seen */
  gboolean rows;
  gint64 largest, largest_pod, largest_memory, last;
  GArray *uses;          /* processors */
  GHashTable *ends;      /* job number → recorded end (WlTime *) */
  GHashTable *parts_of;  /* job number → place in parts + 1 */
  GArray *parts;
} Log;

/* "Queue: 3 fast" and the like. */
static void
note_name (GHashTable *names, const char *value)
{
  char *end;
  gint64 number = g_ascii_strtoll (value, &end, 10);

  if (end == value || number < 0)
    return;
  g_autofree char *name = g_strstrip (g_strdup (end));

  if (*name != '\0' && !g_hash_table_contains (names, &number))
    g_hash_table_insert (names, g_memdup2 (&number, sizeof number), g_steal_pointer (&name));
}

static gboolean
header_line (WlImport *imp, guint file, guint64 number, char *line, Log *log, GError **error)
{
  char *colon = strchr (line, ':');

  if (colon == NULL)
    return TRUE;
  g_autofree char *name = g_strndup (line + 1, (gsize) (colon - line - 1)), *value = g_strstrip (g_strdup (colon + 1));
  const struct { const char *name; gint64 max, *into; } numbers[] = { { "MaxNodes", MAX_PROCESSORS, &log->max_nodes }, { "MaxProcs", MAX_PROCESSORS, &log->max_procs },
                                                                     { "MaxMemory", WL_AMOUNT_MAX / KIB, &log->max_memory } };
  gint64 v;

  g_strstrip (name);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (strcmp (name, numbers[i].name) == 0) {
      value[strcspn (value, " \t(")] = '\0'; /* "1152 (of 8 processors)" */
      if (!wl_import_parse_int (value, -1, numbers[i].max, &v, error))
        return wl_import_locate (imp, file, number, (guint64) (colon - line) + 2, error);
      *numbers[i].into = MAX (v, 0);
      return TRUE;
    }
  if (strcmp (name, "UnixStartTime") == 0) {
    if (!wl_import_parse_scaled (value, 1, -1, WL_TIME_MAX / G_USEC_PER_SEC, &v, error))
      return wl_import_locate (imp, file, number, (guint64) (colon - line) + 2, error);
    if (v > 0)
      wl_import_origin (imp, v);
  } else if (strcmp (name, "Queue") == 0) {
    note_name (log->queues, value);
  } else if (strcmp (name, "Partition") == 0) {
    note_name (log->partitions, value);
  } else if (strcmp (name, "Preemption") == 0) {
    log->doubled = g_ascii_strcasecmp (value, "Double") == 0;
  } else if ((strcmp (name, "TimeZoneString") == 0 || (strcmp (name, "TimeZone") == 0 && log->zone == NULL)) && wl_hpc_check_text (value, strlen (value), NULL)) {
    g_free (log->zone);
    log->zone = g_steal_pointer (&value);
  }
  return TRUE;
}

/* ---- the cluster ------------------------------------------------------------------------------------ */

/* Nodes of log->per_node processors, and one for the rest. */
static void
set_total (Log *log, gint64 processors)
{
  log->nodes = processors / log->per_node;
  log->rest = processors % log->per_node;
  log->odd = 0;
}

/* How many processors a node has must be known before the first job. */
static void
find_cluster (WlImport *imp, Log *log)
{
  const gint64 nodes = wl_import_number (imp, "nodes"), cpu = wl_import_milli (imp, "node-cpu") / 1000;

  log->known = TRUE;
  log->node_memory = wl_import_given (imp, "node-memory") ? wl_import_bytes (imp, "node-memory") : log->max_memory * KIB;
  if (log->machines->groups->len > 0) {
    log->per_node = wl_swf_least_processors (log->machines);
    log->node_memory = wl_swf_least_memory (log->machines);
    return;
  }
  log->nodes = nodes > 0 ? nodes : log->max_nodes;
  if (cpu > 0)
    log->per_node = cpu;
  else if (log->max_procs > 0 && log->nodes > 0)
    log->per_node = MAX (log->max_procs / log->nodes, 1);
  else if (log->nodes > 0)
    log->per_node = 1;
  else
    log->per_node = 16;
  log->cores_made_up = cpu == 0 && log->nodes == 0;
  if (nodes == 0 && log->max_procs > 0 && (cpu > 0 || log->nodes == 0))
    set_total (log, log->max_procs);
  else if (nodes == 0 && cpu == 0 && log->max_procs > log->nodes * log->per_node)
    log->odd = log->max_procs - log->nodes * log->per_node;
  log->sized = log->nodes + log->rest == 0;
}

static gint64
processors_of_cluster (const Log *log)
{
  return log->machines->groups->len > 0 ? wl_swf_processors (log->machines) : log->nodes * log->per_node + log->odd + log->rest;
}

/* Nodes at the end, when it is known what the jobs needed. */
static void
add_nodes (WlImport *imp, Log *log)
{
  const WlSwfMachines *machines = log->machines;

  gint64 total = processors_of_cluster (log);

  if (log->cores_made_up && log->pods == PODS_NODE && log->largest_pod > log->per_node) { /* a node holds the largest pod */
    log->per_node = log->largest_pod;
    set_total (log, total);
  }

  if (machines->groups->len == 0 && !wl_import_given (imp, "nodes") && total < log->largest) {
    gint64 peak = MAX (wl_uses_peak (log->uses), log->largest);

    if (!log->sized) {
      g_autofree char *note = g_strdup_printf ("the header's %" G_GINT64_FORMAT " processors are fewer than the largest job has: the cluster is sized after the trace", total);

      wl_import_note (imp, note, 1);
    }
    total = peak;
    set_total (log, total);
    wl_import_default_more (imp, "nodes (as many as were in use at once)", (guint64) log->nodes + (log->rest > 0));
  }
  const guint64 all = (guint64) log->nodes + (log->rest > 0);

  if (total < log->largest) {
    g_autofree char *note = g_strdup_printf ("the largest job has %" G_GINT64_FORMAT " processors, the cluster %" G_GINT64_FORMAT ": it never starts", log->largest, total);

    wl_import_note (imp, note, 1);
  }
  if (log->cores_made_up && log->pods != PODS_JOB)
    wl_import_default_more (imp, "processors of nodes", all);
  if (log->pods == PODS_JOB) {
    const gint64 memory = machines->groups->len > 0 ? wl_swf_memory (machines) : log->node_memory > 0 ? wl_import_product (log->node_memory, MAX (log->nodes + (log->rest > 0), 1), 1) : MAX (wl_import_product (total, log->per_core, 1), log->largest_memory);
    const WlImportNode node = { .name = "cluster", .time = WL_TIME_NONE, .capacity = { .cpu_milli = total * 1000, .memory = MIN (memory, WL_AMOUNT_MAX) }, .pods = -1 };

    if (total > 0)
      wl_import_node (imp, &node);
    return;
  }
  if (machines->groups->len > 0) {
    wl_swf_add_machines (imp, machines);
    return;
  }
  if (log->node_memory == 0)
    wl_import_default_more (imp, "memory of nodes", all);
  for (guint part = 0; part < 3; part++) {
    static const char *const names[] = { "m", "n", "rest" };
    const gint64 count = part == 0 ? log->odd : part == 1 ? log->nodes - log->odd : log->rest > 0, cores = part == 2 ? log->rest : log->per_node + (part == 0);
    const WlImportNode node = { .name = names[part],
                                .time = WL_TIME_NONE,
                                .capacity = { .cpu_milli = cores * 1000, .memory = log->node_memory > 0 ? log->node_memory : MIN (MAX (wl_import_product (cores, log->per_core, 1), log->largest_memory), WL_AMOUNT_MAX) },
                                .pods = -1,
                                .count = (guint32) count };

    if (count > 0)
      wl_import_node (imp, &node);
  }
}

/* ---- pods of a job ---------------------------------------------------------------------------------- */

typedef struct {
  WlImportRole role[WL_SWF_MAX_PARTS];
  guint n;
  char *selector;
} Gang;

static void
gang_clear (Gang *g)
{
  g_free (g->selector);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Gang, gang_clear)

static void
add_pods (Gang *g, const char *name, gint64 pods, gint64 cores)
{
  if (pods > 0)
    g->role[g->n++] = (WlImportRole) { .name = name, .replicas = (guint32) pods, .request = { .cpu_milli = cores * 1000 } };
}

/* Pods of @per_node processors and one for the rest. */
static void
fill_nodes (const Log *log, Gang *g, gint64 processors, gint64 per_node)
{
  const gint64 rest = processors % per_node;

  g->n = 0;
  add_pods (g, "w", processors / per_node, per_node);
  add_pods (g, g->n == 0 ? "w" : "rest", rest > 0 ? 1 : 0, log->whole_nodes ? per_node : rest);
}

static void
make_pods (WlImport *imp, Log *log, Gang *g, const Row *row, gint64 processors, gint64 per_processor)
{
  WlSwfRequest request;
  gint64 fit = per_processor > 0 && log->node_memory > 0 ? log->node_memory / per_processor : log->per_node;

  if (log->pods == PODS_PROC) {
    add_pods (g, "w", processors, 1);
  } else if (log->pods == PODS_JOB) {
    add_pods (g, "w", 1, processors);
  } else if (row->n_more == 3 && wl_swf_read_request (imp, row->more[2], processors, log->machines, &request)) {
    static const char *const names[WL_SWF_MAX_PARTS] = { "w", "w1", "w2", "w3", "w4", "w5", "w6", "w7" };

    for (guint i = 0; i < request.n; i++)
      add_pods (g, names[i], request.part[i].nodes, request.part[i].processors);
    g->selector = request.selector;
  } else {
    if (fit < log->per_node && fit >= 1)
      wl_import_note (imp, "fewer processors in a pod than a node has, because of the memory", 1);
    fill_nodes (log, g, processors, CLAMP (fit, 1, log->per_node));
  }
}

/* ---- rows ------------------------------------------------------------------------------------------- */

static const char *
numbered (GHashTable *names, const char *kind, gint64 number, char **made)
{
  const char *name = names != NULL ? g_hash_table_lookup (names, &number) : NULL;

  if (number < 0)
    return NULL;
  if (name == NULL)
    name = *made = g_strdup_printf ("%s-%" G_GINT64_FORMAT, kind, number);
  return name;
}

static const char *
named_queue (const Log *log, const Row *row, char **made)
{
  const char *by = log->queue_by;
  gboolean automatic = strcmp (by, "auto") == 0;

  if (automatic && row->n_more == 3)
    return row->more[1];
  if (strcmp (by, "queue") == 0 || (automatic && row->value[F_QUEUE] >= 0))
    return numbered (log->queues, "queue", row->value[F_QUEUE], made);
  if (strcmp (by, "partition") == 0 || automatic)
    return numbered (log->partitions, "partition", row->value[F_PARTITION], made);
  return strcmp (by, "group") == 0 ? numbered (NULL, "group", row->value[F_GROUP], made) : strcmp (by, "user") == 0 ? numbered (NULL, "user", row->value[F_USER], made) : NULL;
}

static const char *
queue_of (const Log *log, const Row *row, char **made)
{
  const char *name = named_queue (log, row, made);

  return name != NULL || strcmp (log->queue_by, "none") == 0 ? name : "";
}

static const char *
namespace_of (const Log *log, const Row *row, char **made)
{
  return strcmp (log->namespace_by, "group") == 0 ? numbered (NULL, "group", row->value[F_GROUP], made)
         : strcmp (log->namespace_by, "user") == 0 ? numbered (NULL, "user", row->value[F_USER], made)
                                                   : NULL;
}

/* Memory of a processor; Alea's logs say it of the job, in KiB or (with a request of nodes) in bytes. 0: not said. */
static gint64
memory_of (const Row *row, gint64 processors)
{
  const gint64 said = row->value[F_MEMORY];

  if (said <= 0)
    return 0;
  return row->n_more == 3 ? (said + processors - 1) / processors : row->n_more > 0 ? said * KIB / processors : said * KIB;
}

/* "{12,12,13}", a processor each, as "12|13". */
static char *
nodes_of (const Row *row)
{
  if (row->n_more < 3 || row->more[0][0] != '{')
    return NULL;
  g_autofree char *inner = g_strndup (row->more[0] + 1, strcspn (row->more[0] + 1, "}"));
  g_auto (GStrv) node = g_strsplit (inner, ",", -1);
  GString *out = g_string_new (NULL);

  for (char **p = node; *p != NULL; p++)
    if (p == node || strcmp (*p, p[-1]) != 0)
      g_string_append_printf (out, "%s%s", out->len > 0 ? "|" : "", *p);
  return g_string_free (out, FALSE);
}

static void
append_number (GString *out, gint64 v)
{
  g_string_truncate (out, 0);
  if (v >= 0)
    g_string_append_printf (out, "%" G_GINT64_FORMAT, v);
}

/* The submission with --swf-think. */
static WlTime
submission_of (WlImport *imp, Log *log, const Row *row)
{
  WlTime submit = row->value[F_SUBMIT];
  const gboolean follows = row->value[F_BEFORE] > 0 && row->n_more < 3; /* with a request of nodes the field is 1 everywhere */
  const WlTime *end = follows ? g_hash_table_lookup (log->ends, &row->value[F_BEFORE]) : NULL;

  if (follows && !log->think)
    wl_import_note (imp, "preceding job ignored (--swf-think)", 1);
  else if (follows && end == NULL)
    wl_import_note (imp, "preceding job that does not come before: ignored", 1);
  if (log->think && end != NULL)
    submit = MAX (submit, *end + MAX (row->value[F_THINK], 0));
  return submit;
}

static gboolean
add_job (WlImport *imp, Log *log, const Row *row)
{
  static const char *const states[] = { "failed", "completed", "partial", "completed", "failed", "cancelled" };
  const gint64 *v = row->value, processors = v[F_REQUESTED] > 0 ? v[F_REQUESTED] : v[F_ALLOCATED];

  if (v[F_SUBMIT] < 0)
    return wl_import_drop (imp, "no time of submission");
  if (processors <= 0)
    return wl_import_drop (imp, "no number of processors");
  if (v[F_RUN] < 0)
    return wl_import_drop (imp, "no run time (below 0)");
  if (v[F_RUN] == 0 && !log->second)
    return wl_import_drop (imp, "run time 0");
  g_auto (Gang) gang = { .n = 0 };
  g_autofree char *name = g_strdup_printf ("job-%" G_GINT64_FORMAT, row->id), *made_queue = NULL, *made_ns = NULL, *nodes = nodes_of (row);
  g_autoptr (GString) user = g_string_new (NULL), group = g_string_new (NULL), program = g_string_new (NULL);
  gint64 per_processor = memory_of (row, processors), fallback = log->node_memory > 0 ? MAX (log->node_memory / log->per_node / KIB, 1) * KIB : log->per_core;
  WlTime run = v[F_RUN] == 0 ? G_USEC_PER_SEC : v[F_RUN], submit = submission_of (imp, log, row), wait = v[F_WAIT];
  int exit_code = log->fail && (v[F_STATUS] == 0 || v[F_STATUS] == 4) ? 1 : 0;

  make_pods (imp, log, &gang, row, processors, per_processor);
  wl_hpc_limit (imp, log->kill, v[F_TIME], &run, &exit_code);
  if (v[F_RUN] == 0)
    wl_import_default (imp, "run time of a second");
  if (per_processor == 0)
    wl_import_default (imp, "memory of pods");
  for (guint i = 0; i < gang.n; i++) {
    WlImportRole *role = &gang.role[i];
    const gint64 cores = role->request.cpu_milli / 1000;

    role->request.memory = (gint64) MIN ((double) cores * (double) (per_processor > 0 ? per_processor : fallback), (double) WL_AMOUNT_MAX);
    role->duration = run;
    role->exit_code = exit_code;
    role->node_selector = gang.selector;
    log->largest_pod = MAX (log->largest_pod, cores);
    log->largest_memory = MAX (log->largest_memory, role->request.memory);
  }
  append_number (user, v[F_USER]);
  append_number (group, v[F_GROUP]);
  append_number (program, v[F_PROGRAM]);
  const char *extra[] = { user->str, group->str, program->str, row->n_more == 2 ? row->more[0] : NULL };
  const WlImportJob job = { .name = name, .ns = namespace_of (log, row, &made_ns), .queue = queue_of (log, row, &made_queue), .submit = submit, .walltime = v[F_TIME], .role = gang.role,
                            .n_roles = gang.n, .extra = extra };
  const guint32 number = wl_import_job (imp, &job);
  const WlTime start = submit + MAX (wait, 0), end = start + v[F_RUN];
  const WlImportRecord record = { .wait = wait >= 0 ? wait : WL_TIME_NONE, .start = wait >= 0 ? start : WL_TIME_NONE, .end = wait >= 0 ? end : WL_TIME_NONE,
                                  .status = v[F_STATUS] >= 0 && v[F_STATUS] < (gint64) G_N_ELEMENTS (states) ? states[v[F_STATUS]] : NULL, .nodes = nodes };

  if (number == G_MAXUINT32)
    return TRUE;
  wl_import_recorded (imp, number, &record);
  log->largest = MAX (log->largest, processors);
  log->last = MAX (log->last, submit);
  wl_uses_add (log->uses, start, end, processors);
  if (log->think)
    g_hash_table_insert (log->ends, g_memdup2 (&row->id, sizeof row->id), g_memdup2 (&end, sizeof end));
  return TRUE;
}

/* A line of an interrupted job is kept until its last one. */
static gboolean
add_part (WlImport *imp, Log *log, const Row *row)
{
  guint at = GPOINTER_TO_UINT (g_hash_table_lookup (log->parts_of, &row->id));
  gboolean last = row->value[F_STATUS] != 2;
  Parts first = { .row = *row };

  if (log->doubled)
    return wl_import_drop (imp, "part of a job that has a summary line");
  if (at == 0) {
    first.row.n_more = 0; /* texts of this line only */
    g_array_append_val (log->parts, first);
    at = log->parts->len;
    g_hash_table_insert (log->parts_of, g_memdup2 (&row->id, sizeof row->id), GUINT_TO_POINTER (at));
  } else {
    Parts *p = &g_array_index (log->parts, Parts, at - 1);

    p->row.value[F_RUN] = MAX (p->row.value[F_RUN], 0) + MAX (row->value[F_RUN], 0);
    p->row.value[F_STATUS] = row->value[F_STATUS];
    wl_import_note (imp, "parts of interrupted jobs put together", 1);
  }
  Parts *p = &g_array_index (log->parts, Parts, at - 1);

  if (!last || p->done)
    return TRUE;
  p->done = TRUE;
  return add_job (imp, log, &p->row);
}

static gboolean
read_row (WlImport *imp, guint file, guint64 number, char *line, Row *row, GError **error)
{
  char *at = line, *word;
  guint n = 0;

  for (; (word = wl_hpc_word (&at)) != NULL; n++) {
    const gboolean time = n == F_SUBMIT || n == F_WAIT || n == F_RUN || n == F_TIME || n == F_THINK;

    if (n >= FIELDS + MORE_FIELDS) {
      g_set_error (error, WL_ERROR, WL_ERROR_SYNTAX, "fields of a job, expected 18 (19 to 21 in logs of Alea), found more");
      return wl_import_locate (imp, file, number, (guint64) (word - line) + 1, error);
    }
    if (n >= FIELDS) {
      row->more[n - FIELDS] = word;
      continue;
    }
    const gboolean amount = n == F_CPU_TIME || n == F_MEMORY_USED || n == F_MEMORY;

    if (!(time || amount ? wl_import_parse_scaled (word, time ? G_USEC_PER_SEC : 1, -WL_TIME_MAX, WL_TIME_MAX, &row->value[n], error)
                         : wl_import_parse_int (word, -WL_TIME_MAX, WL_TIME_MAX, &row->value[n], error))) {
      g_prefix_error (error, "field %u (%s): ", n + 1, field_names[n]);
      return wl_import_locate (imp, file, number, (guint64) (word - line) + 1, error);
    }
    if ((n == F_ALLOCATED || n == F_REQUESTED) && row->value[n] > MAX_PROCESSORS) {
      g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "field %u (%s), expected at most %d, found %s", n + 1, field_names[n], MAX_PROCESSORS, word);
      return wl_import_locate (imp, file, number, (guint64) (word - line) + 1, error);
    }
  }
  if (n < FIELDS) {
    g_set_error (error, WL_ERROR, WL_ERROR_SYNTAX, "fields of a job, expected 18, found %u", n);
    return wl_import_locate (imp, file, number, 1, error);
  }
  row->n_more = n - FIELDS;
  row->id = row->value[F_ID];
  const double processors = (double) MAX (MAX (row->value[F_REQUESTED], row->value[F_ALLOCATED]), 1), unit = row->n_more == 3 ? 1 : KIB;

  if ((double) row->value[F_MEMORY] * unit * (row->n_more > 0 ? 1 : processors) > (double) WL_AMOUNT_MAX) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "field %u (%s), expected at most 8 Pi in all, found more", F_MEMORY + 1, field_names[F_MEMORY]);
    return wl_import_locate (imp, file, number, 1, error);
  }
  return TRUE;
}

static gboolean
log_line (WlImport *imp, guint file, guint64 number, char *line, gsize len, gpointer user, GError **error)
{
  Log *log = user;
  const char *first = line + strspn (line, " \t");
  Row row = { .n_more = 0 };

  if (*first == '\0' && (gsize) (first - line) == len)
    return TRUE;
  if (*first == ';')
    return header_line (imp, file, number, line + (first - line), log, error);
  if (!log->rows && g_ascii_isalpha (*first))
    return TRUE; /* names of the columns */
  wl_import_begin_row (imp);
  if (!wl_hpc_check_text (line, len, error))
    return wl_import_locate (imp, file, number, 1, error);
  if (!read_row (imp, file, number, line, &row, error))
    return FALSE;
  if (!log->rows) {
    log->rows = TRUE;
    for (guint i = 0; i < (row.n_more == 2 ? 4 : 3); i++)
      wl_import_extra (imp, (const char *const[]) { "x_user", "x_group", "x_program", "x_dag" }[i]);
    if (row.value[F_SUBMIT] > G_GINT64_CONSTANT (1000000000) * G_USEC_PER_SEC) { /* from 2001 on: no other axis begins there */
      wl_import_origin (imp, 0);
      wl_import_note (imp, "submissions are Unix times", 1);
    }
  }
  if (!log->known)
    find_cluster (imp, log);
  return row.value[F_STATUS] >= 2 && row.value[F_STATUS] <= 4 ? add_part (imp, log, &row) : add_job (imp, log, &row);
}

/* ---- the format ------------------------------------------------------------------------------------- */

/* 18 to 21 fields that begin with 18 numbers. */
static gboolean
is_row (char *line)
{
  char *at = line, *word;
  guint n = 0;
  gint64 v;

  for (; (word = wl_hpc_word (&at)) != NULL; n++)
    if (n < FIELDS && !wl_import_parse_scaled (word, 1, -WL_TIME_MAX, WL_TIME_MAX, &v, NULL))
      return FALSE;
  return n >= FIELDS && n <= FIELDS + MORE_FIELDS;
}

static guint
detect (const WlImportHead *head)
{
  static const char *const marks[] = { "Version:", "UnixStartTime:", "MaxJobs:", "MaxRecords:", "MaxProcs:", "MaxNodes:", "Computer:", "Acknowledge:", "Preemption:" };
  g_auto (GStrv) line = g_strsplit (head->text, "\n", 64);
  guint rows = 0;
  gboolean header = FALSE;

  if (wl_swf_is_machines (head))
    return WL_DETECT_LIKELY;
  for (char **p = line; *p != NULL; p++) {
    const char *at = g_str_has_prefix (*p, "\xef\xbb\xbf") ? *p + 3 : *p;

    g_strchomp (*p);
    at += strspn (at, " \t");
    if (*at == ';')
      for (guint i = 0; i < G_N_ELEMENTS (marks) && !header; i++)
        header = g_str_has_prefix (at + 1 + strspn (at + 1, " \t"), marks[i]);
    else if (*at != '\0' && (p[1] != NULL || head->len < 64 * 1024) && rows++ < 2 && is_row (*p + (at - *p)))
      return WL_DETECT_SURE;
  }
  return header ? WL_DETECT_SURE : WL_DETECT_NO;
}

static gboolean
read_all (WlImport *imp, Log *log, WlSwfMachines *machines, GError **error)
{
  guint logs = 0, odd = 0; /* odd: the last file that looks like nothing that belongs here, + 1 */
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < wl_import_n_files (imp); i++) { /* machines first: pods go by them */
    const gboolean of_machines = wl_swf_is_machines (wl_import_head (imp, i));

    logs += !of_machines;
    if (!of_machines)
      g_string_append_printf (names, "%s%s", names->len > 0 ? " and " : "", wl_import_path (imp, i));
    odd = of_machines || detect (wl_import_head (imp, i)) != WL_DETECT_NO ? odd : i + 1;
    if (of_machines && !wl_swf_read_machines (imp, i, machines, error))
      return FALSE;
  }
  if (logs > 1 && odd > 0) {
    g_set_error_literal (error, WL_ERROR, WL_ERROR_SYNTAX, "expected a log, or a list of machines (lines of 6 to 8 fields, or AccaSim's JSON), found neither");
    return wl_import_locate (imp, odd - 1, 1, 1, error);
  }
  if (logs > 1) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "the files, expected one log beside lists of machines, found %u: %s; 'volsim transform' merges what is imported one by one", logs, names->str);
    return FALSE;
  }
  if (machines->groups->len > 0 && (wl_import_given (imp, "nodes") || wl_import_given (imp, "node-cpu") || wl_import_given (imp, "node-memory"))) {
    g_set_error_literal (error, WL_ERROR, WL_ERROR_VALUE, "--nodes, --node-cpu, --node-memory: expected none of them beside a list of machines, found one");
    return FALSE;
  }
  for (guint i = 0; i < wl_import_n_files (imp); i++)
    if (!wl_swf_is_machines (wl_import_head (imp, i)) && !wl_import_lines (imp, i, log_line, log, error))
      return FALSE;
  return TRUE;
}

static gboolean
run (WlImport *imp, GError **error)
{
  g_auto (WlSwfMachines) machines = wl_swf_machines_new ();
  g_autoptr (GHashTable) queues = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free), partitions = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free),
                         ends = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free), parts_of = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autoptr (GArray) uses = wl_uses_new (), parts = g_array_new (FALSE, FALSE, sizeof (Parts));
  Log log = { .pods = wl_import_is (imp, "swf-pods", "proc") ? PODS_PROC : wl_import_is (imp, "swf-pods", "job") ? PODS_JOB : PODS_NODE,
              .whole_nodes = wl_import_on (imp, "whole-nodes"),
              .second = wl_import_is (imp, "zero-run", "second"),
              .kill = wl_import_is (imp, "walltime", "kill"),
              .fail = wl_import_is (imp, "failed", "fail"),
              .think = wl_import_on (imp, "swf-think"),
              .queue_by = wl_import_text (imp, "queue-by"),
              .namespace_by = wl_import_text (imp, "namespace-by"),
              .per_core = wl_import_bytes (imp, "memory-per-core"),
              .queues = queues,
              .partitions = partitions,
              .machines = &machines,
              .uses = uses,
              .ends = ends,
              .parts_of = parts_of,
              .parts = parts };

  if (!read_all (imp, &log, &machines, error)) {
    g_free (log.zone);
    return FALSE;
  }
  for (guint i = 0; i < parts->len; i++) { /* jobs whose last part is missing */
    Parts *p = &g_array_index (parts, Parts, i);

    if (!p->done) {
      wl_import_note (imp, "interrupted jobs without a last part", 1);
      add_job (imp, &log, &p->row);
    }
  }
  if (log.zone != NULL) {
    g_autofree char *note = g_strdup_printf ("time zone of the log: %s (times of the scenario are UTC)", log.zone);

    wl_import_note (imp, note, 1);
    g_free (log.zone);
  }
  if (!log.known)
    find_cluster (imp, &log);
  add_nodes (imp, &log);
  return TRUE;
}

extern const WlImportFormat wl_format_swf;
const WlImportFormat wl_format_swf = {
  .name = "swf",
  .title = "Standard Workload Format",
  .files = "one log; a list of machines (.machines, or AccaSim's JSON) may stand beside it",
  .licence = "archive terms, acknowledge those whom the header names; www.cs.huji.ac.il/labs/parallel/workload",
  .options = options,
  .detect = detect,
  .run = run,
};
