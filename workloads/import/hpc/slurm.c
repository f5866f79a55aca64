/* workloads/import/hpc/slurm.c - Slurm: what sacct and the job completion plugin have recorded, the inputs of the Slurm simulator (events, a table, a log like SWF), and slurm.conf
 * for the nodes and partitions. A job is a gang of as many pods as it has nodes. */
#include "slurm.h"
#include "slurm-job.h"
#include "workloads/import/hpc.h"
#include "workloads/text/parse.h"
#include <string.h>

static const WlImportOption options[] = {
  { "nodes", WL_OPTION_COUNT, NULL, NULL, "nodes, where there is no slurm.conf (default: those of the record, or as many as the jobs need)" },
  { "node-cpu", WL_OPTION_SIZE, NULL, NULL, "cores of such a node (default: the largest pod's)" },
  { "node-memory", WL_OPTION_SIZE, NULL, NULL, "memory of such a node (default: the largest pod's)" },
  { "gpus-per-node", WL_OPTION_INT, NULL, NULL, "GPUs of such a node (default: the largest pod's)" },
  { "memory-per-core", WL_OPTION_QUANTITY, "2Gi", NULL, "memory for each core, of jobs that do not say it and partitions without a default" },
  { "queue-by", WL_OPTION_CHOICE, "partition", "partition|account|qos|user|none", "what makes the queue" },
  { "priority-by", WL_OPTION_CHOICE, "qos", "qos|partition|priority|none", "what makes the priority: a class for each QOS, the partition's Priority, the column Priority" },
  { "qos-priority", WL_OPTION_TEXT, NULL, NULL, "values of QOS classes, as in high=100;low=10 (others: 0)" },
  { "submit-by", WL_OPTION_CHOICE, "submit", "submit|eligible", "when a job comes: its submission, or when it became eligible" },
  { "walltime", WL_OPTION_CHOICE, NULL, "ignore|kill", "a job that runs longer than its limit: goes on, or fails then (default: kill in inputs of the simulator, ignore in records)" },
  { "failed", WL_OPTION_CHOICE, "complete", "complete|fail", "what becomes of jobs at their end that did not complete in the record" },
  { NULL, WL_OPTION_TEXT, NULL, NULL, NULL },
};

/* "what: " in front of a refusal. */
static gboolean
of (const char *what, gboolean good, GError **error)
{
  if (!good)
    g_prefix_error (error, "%s: ", what);
  return good;
}

static gboolean
whole (const char *what, const char *text, gint64 max, gint64 *out, GError **error)
{
  return of (what, wl_parse_int (text, 0, max, out, error), error);
}

/* A limit; none when it is endless. */
static gboolean
limit_of (const char *what, const char *text, WlTime *out, GError **error)
{
  WlTime t;

  *out = 0;
  if (wl_import_parse_missing (text))
    return TRUE;
  if (!of (what, wl_slurm_duration (text, &t, error), error))
    return FALSE;
  *out = t == WL_TIME_NEVER ? 0 : t;
  return TRUE;
}

/* GPUs of a job in all, from TRES. */
static gboolean
gpus_of_tres (const char *text, WlSlurmJob *job, char **type, GError **error)
{
  g_autofree char *amount = NULL;

  if (!wl_slurm_tres (text, "gres/gpu", &amount))
    return TRUE;
  *type = wl_slurm_tres_type (text);
  job->gpu_type = *type;
  job->gpus_of_job = TRUE;
  return whole ("gres/gpu", amount, 1000000, &job->gpus, error);
}

/* ---- sacct ------------------------------------------------------------------------------------------ */

typedef struct {
  WlSlurmMaker *maker;
  WlSlurmRepair *repair; /* NULL: the header comes */
  GString *row;          /* a row that may go on */
  guint64 first;         /* its line */
  guint64 column;        /* of the cell that could not be read, from 1 */
} Sacct;

static const char *
cell_of (const WlSlurmRepair *r, char **cell, const char *name)
{
  const int at = wl_slurm_column (r, name);

  return at >= 0 ? cell[at] : "";
}

/* The first of these columns that says something. */
static const char *
first_of (const WlSlurmRepair *r, char **cell, const char *a, const char *b, const char *c)
{
  const char *text = cell_of (r, cell, a);

  if (wl_import_parse_missing (text))
    text = cell_of (r, cell, b);
  return wl_import_parse_missing (text) ? cell_of (r, cell, c) : text;
}

/* Byte column of the cell that a refusal names in front ("NCPUS: not a whole number"), or of the one that stood in for it; 1 when it names none. */
static guint64
place_of (const WlSlurmRepair *r, char **cell, const GError *refusal)
{
  static const char *const stand_ins[][3] = { { "NNodes", "AllocNodes", "ReqNodes" }, { "NCPUS", "AllocCPUS", "ReqCPUS" }, { "mem", "AllocTRES", "ReqTRES" },
                                              { "gres/gpu", "AllocTRES", "ReqTRES" }, { "ReqGRES", "AllocGRES", NULL } };
  g_autofree char *name = g_strndup (refusal->message, strcspn (refusal->message, ":"));
  int found = wl_slurm_column (r, name);
  guint64 place = 1;

  for (guint i = 0; i < G_N_ELEMENTS (stand_ins); i++)
    for (guint k = 1; strcmp (stand_ins[i][0], name) == 0 && k < G_N_ELEMENTS (stand_ins[i]) && (found < 0 || wl_import_parse_missing (cell[found])); k++)
      found = stand_ins[i][k] != NULL && wl_slurm_column (r, stand_ins[i][k]) >= 0 ? wl_slurm_column (r, stand_ins[i][k]) : found;
  for (int i = 0; i < found; i++)
    place += strlen (cell[i]) + 1;
  return place;
}

static gboolean
sacct_amounts (const WlSlurmRepair *r, char **cell, WlSlurmJob *job, char **type, GError **error)
{
  const char *nodes = first_of (r, cell, "NNodes", "AllocNodes", "ReqNodes"), *cpus = first_of (r, cell, "NCPUS", "AllocCPUS", "ReqCPUS"), *tres = first_of (r, cell, "AllocTRES", "ReqTRES", ""),
             *gres = first_of (r, cell, "ReqGRES", "AllocGRES", ""), *memory = cell_of (r, cell, "ReqMem"), *priority = cell_of (r, cell, "Priority");
  g_autofree char *in_tres = NULL;

  if (strcmp (cpus, "0") == 0) /* nothing was given to it */
    cpus = cell_of (r, cell, "ReqCPUS");
  if ((*nodes != '\0' && !whole ("NNodes", nodes, G_MAXINT32, &job->nodes, error)) || (*cpus != '\0' && !whole ("NCPUS", cpus, G_MAXINT32, &job->cpus, error))
      || !of ("ReqMem", wl_slurm_memory (memory, WL_SLURM_OF_JOB, &job->memory, &job->of, error), error)
      || (!wl_import_parse_missing (priority) && !whole ("Priority", priority, G_MAXINT64, &job->priority, error)))
    return FALSE;
  if (job->memory == 0 && wl_slurm_tres (tres, "mem", &in_tres) && !of ("mem", wl_slurm_memory (in_tres, WL_SLURM_OF_JOB, &job->memory, &job->of, error), error))
    return FALSE;
  if (!gpus_of_tres (tres, job, type, error))
    return FALSE;
  if (job->gpus == 0 && *gres != '\0') {
    g_clear_pointer (type, g_free);
    job->gpus_of_job = FALSE;
    if (!of ("ReqGRES", wl_slurm_gres (gres, &job->gpus, type, error), error))
      return FALSE;
    job->gpu_type = *type;
  }
  return TRUE;
}

static gboolean
sacct_times (const WlSlurmRepair *r, char **cell, WlSlurmJob *job, GError **error)
{
  const struct { const char *name; WlTime *into; } clocks[] = { { "Submit", &job->submit }, { "Eligible", &job->eligible }, { "Start", &job->start }, { "End", &job->end } };
  const char *raw = cell_of (r, cell, "ElapsedRaw"), *elapsed = cell_of (r, cell, "Elapsed"), *limit = cell_of (r, cell, "TimelimitRaw");
  gint64 v;

  for (guint i = 0; i < G_N_ELEMENTS (clocks); i++)
    if (!of (clocks[i].name, wl_slurm_clock (cell_of (r, cell, clocks[i].name), clocks[i].into, error), error))
      return FALSE;
  if (!wl_import_parse_missing (raw)) {
    if (!whole ("ElapsedRaw", raw, WL_TIME_MAX / G_USEC_PER_SEC, &v, error))
      return FALSE;
    job->run = v * G_USEC_PER_SEC;
  } else if (!wl_import_parse_missing (elapsed)) {
    if (!of ("Elapsed", wl_slurm_duration (elapsed, &job->run, error), error))
      return FALSE;
    if (job->run == WL_TIME_NEVER)
      job->run = WL_TIME_NONE;
  }
  if (wl_import_parse_missing (limit))
    return limit_of ("Timelimit", cell_of (r, cell, "Timelimit"), &job->limit, error);
  return limit_of ("TimelimitRaw", limit, &job->limit, error); /* minutes */
}

static gboolean
sacct_row (WlImport *imp, Sacct *t, GError **error)
{
  const WlSlurmRepair *r = t->repair;
  gboolean repaired;
  g_auto (GStrv) cell = wl_slurm_cells (r, t->row->str, &repaired, error);
  g_autofree char *type = NULL;
  WlSlurmJob job = WL_SLURM_JOB;

  t->column = 1;
  if (cell == NULL)
    return FALSE;
  if (repaired)
    wl_import_note (imp, "rows with separators within texts: put right", 1);
  job.id = first_of (r, cell, "JobID", "JobIDRaw", "");
  if (strchr (job.id, '.') != NULL)
    return wl_import_drop (imp, "step of a job");
  job.recorded = TRUE;
  job.user = cell_of (r, cell, "User");
  job.account = cell_of (r, cell, "Account");
  job.qos = cell_of (r, cell, "QOS");
  job.state = cell_of (r, cell, "State");
  job.hosts = cell_of (r, cell, "NodeList");
  job.constraint = cell_of (r, cell, "Constraints");
  g_autofree char *partition = g_strndup (cell_of (r, cell, "Partition"), strcspn (cell_of (r, cell, "Partition"), ","));

  job.partition = partition;
  if (strchr (cell_of (r, cell, "Partition"), ',') != NULL)
    wl_import_note (imp, "jobs of several partitions: the first counts", 1);
  g_autoptr (GError) refusal = NULL;

  if (sacct_amounts (r, cell, &job, &type, &refusal) && sacct_times (r, cell, &job, &refusal))
    return wl_slurm_add_job (t->maker, &job, error);
  t->column = place_of (r, cell, refusal);
  g_propagate_error (error, g_steal_pointer (&refusal));
  return FALSE;
}

static gboolean
flush_row (WlImport *imp, guint file, Sacct *t, GError **error)
{
  if (t->row->len == 0)
    return TRUE;
  wl_import_begin_row (imp);
  t->column = 1;
  gboolean good = wl_hpc_check_text (t->row->str, t->row->len, error) && sacct_row (imp, t, error);

  g_string_truncate (t->row, 0);
  return good || wl_import_locate (imp, file, t->first, t->column, error);
}

static gboolean
sacct_line (WlImport *imp, guint file, guint64 number, char *line, gsize len, gpointer user, GError **error)
{
  Sacct *t = user;

  if (t->repair == NULL) {
    if (*line == '\0')
      return TRUE;
    t->repair = wl_slurm_repair_new (line, error);
    if (t->repair != NULL && wl_slurm_column (t->repair, "Submit") >= 0 && wl_slurm_column (t->repair, "Start") >= 0)
      return TRUE;
    if (t->repair != NULL)
      g_set_error_literal (error, WL_ERROR, WL_ERROR_HEADER, "columns of sacct, expected Submit and Start among them, found not both");
    return wl_import_locate (imp, file, number, 1, error);
  }
  if (t->row->len > 0 && wl_slurm_may_go_on (t->repair) && !wl_slurm_begins (t->repair, line)) {
    if (*line != '\0')
      wl_import_note (imp, "lines that go on with the row before", 1);
    g_string_append_printf (t->row, "%s%s", *line != '\0' ? " " : "", line);
    return TRUE;
  }
  gboolean good = flush_row (imp, file, t, error);

  g_string_append_len (t->row, line, (gssize) len);
  t->first = number;
  return good;
}

static gboolean
read_sacct (WlImport *imp, guint file, WlSlurmMaker *maker, GError **error)
{
  g_autoptr (GString) row = g_string_new (NULL);
  Sacct t = { .maker = maker, .row = row };
  gboolean good = wl_import_lines (imp, file, sacct_line, &t, error);
  g_autoptr (GError) e = NULL;

  if (good && !flush_row (imp, file, &t, &e) && !wl_import_bad_row (imp, &e)) {
    g_propagate_error (error, g_steal_pointer (&e));
    good = FALSE;
  }
  wl_slurm_repair_free (t.repair);
  return good;
}

/* ---- jobcomp/filetxt -------------------------------------------------------------------------------- */

/* Where the value of " key=" begins in @line; NULL: nowhere. */
static const char *
find_key (const char *line, const char *key)
{
  g_autofree char *mark = g_strdup_printf (" %s=", key);
  const gboolean first = g_str_has_prefix (line, mark + 1);
  const char *at = first ? line : strstr (line, mark);

  return at != NULL ? at + strlen (mark) - first : NULL;
}

/* That value: up to the next blank before a word with '='. (transfer full) */
static char *
value_of (const char *line, const char *key)
{
  const char *at = find_key (line, key), *end;

  if (at == NULL)
    return g_strdup ("");
  for (end = at; *end != '\0'; end++) {
    if (*end != ' ')
      continue;
    const gsize word = strcspn (end + 1, " =");

    if (end[1] == '\0' || (word > 0 && end[1 + word] == '=' && g_ascii_isupper (end[1])))
      break;
  }
  return g_strchomp (g_strndup (at, (gsize) (end - at)));
}

static gboolean
jobcomp_line (WlImport *imp, guint file, guint64 number, char *line, gsize len, gpointer user, GError **error)
{
  WlSlurmJob job = WL_SLURM_JOB;

  if (line[strspn (line, " \t")] == '\0' && strlen (line) == len)
    return TRUE;
  wl_import_begin_row (imp);
  if (!wl_hpc_check_text (line, len, error))
    return wl_import_locate (imp, file, number, 1, error);
  g_autofree char *id = value_of (line, "JobId"), *owner = value_of (line, "UserId"), *account = value_of (line, "Account"), *partition = value_of (line, "Partition"), *qos = value_of (line, "QOS"),
                  *state = value_of (line, "JobState"), *hosts = value_of (line, "NodeList"), *nodes = value_of (line, "NodeCnt"), *cpus = value_of (line, "ProcCnt"), *gres = value_of (line, "Gres"),
                  *tres = value_of (line, "Tres"), *limit = value_of (line, "TimeLimit"), *type = NULL;
  const struct { const char *key; WlTime *into; } clocks[] = { { "SubmitTime", &job.submit }, { "EligibleTime", &job.eligible }, { "StartTime", &job.start }, { "EndTime", &job.end } };
  gboolean good = *id != '\0' || (g_set_error_literal (error, WL_ERROR, WL_ERROR_SYNTAX, "line of a job, expected JobId=…, found none"), FALSE);

  owner[strcspn (owner, "(")] = '\0'; /* user5(1005) */
  job.id = id;
  job.recorded = TRUE;
  job.user = owner;
  job.account = account;
  job.partition = partition;
  job.qos = qos;
  job.state = state;
  job.hosts = hosts;
  for (guint i = 0; good && i < G_N_ELEMENTS (clocks); i++) {
    g_autofree char *text = value_of (line, clocks[i].key);
    good = of (clocks[i].key, wl_slurm_clock (text, clocks[i].into, error), error);
  }
  good = good && whole ("NodeCnt", nodes, G_MAXINT32, &job.nodes, error) && whole ("ProcCnt", cpus, G_MAXINT32, &job.cpus, error) && limit_of ("TimeLimit", limit, &job.limit, error)
         && gpus_of_tres (tres, &job, &type, error);
  if (good && job.gpus == 0 && *gres != '\0') {
    g_clear_pointer (&type, g_free);
    job.gpus_of_job = FALSE;
    good = of ("Gres", wl_slurm_gres (gres, &job.gpus, &type, error), error);
    job.gpu_type = type;
  }
  if (good && *tres != '\0') {
    g_autofree char *memory = NULL;
    good = !wl_slurm_tres (tres, "mem", &memory) || of ("mem", wl_slurm_memory (memory, WL_SLURM_OF_JOB, &job.memory, &job.of, error), error);
  }
  if (good && wl_slurm_add_job (user, &job, error))
    return TRUE;
  g_autofree char *key = error != NULL && *error != NULL ? g_strndup ((*error)->message, strcspn ((*error)->message, ":")) : g_strdup ("");
  const char *at = find_key (line, key); /* refusals begin with the key */

  return wl_import_locate (imp, file, number, at != NULL ? (guint64) (at - line) + 1 : 1, error);
}

/* ---- inputs of the simulator ------------------------------------------------------------------------ */

typedef struct { char letter; const char *name; } SbatchOption; /* letter 0: none */
static const SbatchOption sbatch[] = {
  { 'J', "job-name" }, { 'N', "nodes" }, { 'n', "ntasks" }, { 'c', "cpus-per-task" }, { 't', "time" }, { 'q', "qos" }, { 'p', "partition" }, { 'A', "account" }, { 'C', "constraint" },
  { 0, "uid" }, { 0, "mem" }, { 0, "mem-per-cpu" }, { 0, "gres" }, { 'G', "gpus" }, { 0, "gpus-per-node" }, { 0, "ntasks-per-node" },
};

/* One option of the submission. */
static gboolean
take_option (const char *name, const char *value, WlSlurmJob *job, gint64 *tasks, gint64 *per_task, char **type, GError **error)
{
  if (strcmp (name, "job-name") == 0)
    job->id = value;
  else if (strcmp (name, "uid") == 0)
    job->user = value;
  else if (strcmp (name, "account") == 0)
    job->account = value;
  else if (strcmp (name, "qos") == 0)
    job->qos = value;
  else if (strcmp (name, "partition") == 0)
    job->partition = value;
  else if (strcmp (name, "constraint") == 0)
    job->constraint = value;
  else if (strcmp (name, "nodes") == 0) {
    g_autofree char *least = g_strndup (value, strcspn (value, "-")); /* "2-4" */
    return whole (name, least, G_MAXINT32, &job->nodes, error);
  } else if (strcmp (name, "ntasks") == 0)
    return whole (name, value, G_MAXINT32, tasks, error);
  else if (strcmp (name, "ntasks-per-node") == 0)
    return whole (name, value, G_MAXINT32, &job->tasks_per_node, error);
  else if (strcmp (name, "cpus-per-task") == 0)
    return whole (name, value, 100000, per_task, error);
  else if (strcmp (name, "time") == 0)
    return limit_of (name, value, &job->limit, error);
  else if (strcmp (name, "mem") == 0)
    return of (name, wl_slurm_memory (value, WL_SLURM_OF_NODE, &job->memory, &job->of, error), error);
  else if (strcmp (name, "mem-per-cpu") == 0)
    return of (name, wl_slurm_memory (value, WL_SLURM_OF_CPU, &job->memory, &job->of, error), error);
  else { /* GPUs: of each node, or of the job; the last one counts */
    g_autofree char *gres = strcmp (name, "gres") == 0 ? g_strdup (value) : g_strdup_printf ("gpu:%s", value);

    g_clear_pointer (type, g_free);
    job->gpus_of_job = strcmp (name, "gpus") == 0;
    if (!of (name, wl_slurm_gres (gres, &job->gpus, type, error), error))
      return FALSE;
    job->gpu_type = *type;
  }
  return TRUE;
}

/* The option that @word is, and its value in the word or behind it. NULL: none that matters. */
static const char *
find_option (char *word, char **at, char **value)
{
  for (guint i = 0; i < G_N_ELEMENTS (sbatch); i++) {
    const gsize n = strlen (sbatch[i].name);

    if (g_str_has_prefix (word, "--") && strncmp (word + 2, sbatch[i].name, n) == 0 && (word[2 + n] == '=' || word[2 + n] == '\0')) {
      *value = word[2 + n] == '=' ? word + 3 + n : wl_hpc_word (at);
      return sbatch[i].name;
    }
    if (sbatch[i].letter != 0 && word[0] == '-' && word[1] == sbatch[i].letter) {
      *value = word[2] != '\0' ? word + 2 : wl_hpc_word (at);
      return sbatch[i].name;
    }
  }
  return NULL;
}

static gboolean
seconds_of (const char *what, const char *text, WlTime *out, GError **error)
{
  if (text != NULL)
    return of (what, wl_import_parse_scaled (text, G_USEC_PER_SEC, -WL_TIME_MAX, WL_TIME_MAX, out, error), error);
  g_set_error (error, WL_ERROR, WL_ERROR_SYNTAX, "%s, expected seconds, found the end of the line", what);
  return FALSE;
}

/* A run below 0 lasts until the limit. */
static void
set_run (WlSlurmJob *job, WlTime run)
{
  job->run = run < 0 ? WL_SLURM_TO_LIMIT : run;
}

/* *fault is the word that could not be read. */
static gboolean
event (WlImport *imp, char *line, WlSlurmMaker *maker, const char **fault, GError **error)
{
  WlSlurmJob job = WL_SLURM_JOB;
  char *at = line, *word, *value = NULL, *type = NULL;
  const char *kind = NULL;
  gint64 tasks = 1, per_task = 1;
  WlTime run = WL_TIME_NONE;
  gboolean good = TRUE;

  while (good && (word = wl_hpc_word (&at)) != NULL) {
    const char *name = find_option (word, &at, &value);

    *fault = name != NULL && value != NULL ? value : word;

    if (strcmp (word, "-dt") == 0 || strcmp (word, "-sim-walltime") == 0) {
      const char *seconds = wl_hpc_word (&at);

      *fault = seconds != NULL ? seconds : word;
      good = seconds_of (word, seconds, word[1] == 'd' ? &job.submit : &run, error);
    } else if (strcmp (word, "-e") == 0)
      kind = wl_hpc_word (&at);
    else if (strcmp (word, "--exclusive") == 0)
      job.exclusive = TRUE;
    else if (g_str_has_prefix (word, "--exclusive=")) /* =user, =mcs: shared with the like */
      wl_import_note (imp, "nodes that only jobs of one user may share: shared by all", 1);
    else if (name != NULL && value != NULL)
      good = take_option (name, value, &job, &tasks, &per_task, &type, error);
    else if (name != NULL) {
      g_set_error (error, WL_ERROR, WL_ERROR_SYNTAX, "%s, expected a value, found the end of the line", name);
      good = FALSE;
    } else if (g_str_has_prefix (word, "--")) {
      g_autofree char *option = g_strndup (word, strcspn (word, "=")), *note = g_strdup_printf ("option %s of a submission: ignored", option);
      wl_import_note (imp, note, 1);
    }
  }
  if (good)
    *fault = line; /* what follows is about all of it */
  if (good && g_strcmp0 (kind, "submit_batch_job") != 0) {
    wl_import_drop (imp, "event other than a submission");
  } else if (good && run == WL_TIME_NONE) {
    g_set_error_literal (error, WL_ERROR, WL_ERROR_SYNTAX, "submission, expected -sim-walltime and seconds, found none");
    good = FALSE;
  } else if (good) {
    job.cpus = tasks * per_task;
    set_run (&job, run);
    good = wl_slurm_add_job (maker, &job, error);
  }
  g_free (type);
  return good;
}

static gboolean
event_line (WlImport *imp, guint file, guint64 number, char *line, gsize len, gpointer user, GError **error)
{
  const char *first = line + strspn (line, " \t"), *fault = line;

  if ((*first == '\0' && strlen (line) == len) || *first == '#')
    return TRUE;
  wl_import_begin_row (imp);
  return (wl_hpc_check_text (line, len, error) && event (imp, line, user, &fault, error)) || wl_import_locate (imp, file, number, (guint64) (fault - line) + 1, error);
}

enum { C_DT, C_ID, C_RUN, C_USER, C_LIMIT, C_TASKS, C_PER_NODE, C_ACCOUNT, C_PARTITION, C_QOS, C_CONSTRAINT, C_MEM, C_GRES, N_COLUMNS };
static const WlColumn columns[N_COLUMNS] = {
  [C_DT] = { "dt", TRUE },           [C_ID] = { "job_id", TRUE },        [C_RUN] = { "wall_time", TRUE },           [C_USER] = { "user", FALSE }, [C_LIMIT] = { "wall_limit", FALSE },
  [C_TASKS] = { "n_tasks", TRUE },   [C_PER_NODE] = { "ntasks_per_node", FALSE }, [C_ACCOUNT] = { "account", FALSE }, [C_PARTITION] = { "partition", FALSE }, [C_QOS] = { "qos", FALSE },
  [C_CONSTRAINT] = { "constraint", FALSE }, [C_MEM] = { "mem", FALSE },   [C_GRES] = { "gres", FALSE },
};
static const WlCsvShape table_shape = { .separator = ';', .trim = TRUE, .others = TRUE };

static gboolean
table_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  WlSlurmJob job = WL_SLURM_JOB;
  g_autofree char *type = NULL;
  const char *per_node = wl_csv_cell (csv, cell[C_PER_NODE]);
  WlTime run;

  job.id = wl_csv_required (csv, cell[C_ID], "a job", error);
  job.user = wl_csv_cell (csv, cell[C_USER]);
  job.account = wl_csv_cell (csv, cell[C_ACCOUNT]);
  job.partition = wl_csv_cell (csv, cell[C_PARTITION]);
  job.qos = wl_csv_cell (csv, cell[C_QOS]);
  job.constraint = wl_csv_cell (csv, cell[C_CONSTRAINT]);
  if (job.id == NULL || !wl_import_time (csv, cell[C_DT], &job.submit, error) || !wl_import_time (csv, cell[C_RUN], &run, error)
      || !wl_import_int (csv, cell[C_TASKS], 1, G_MAXINT32, &job.cpus, error) || (*per_node != '\0' && !wl_import_int (csv, cell[C_PER_NODE], 1, G_MAXINT32, &job.tasks_per_node, error)))
    return FALSE;
  if (!limit_of ("wall_limit", wl_csv_cell (csv, cell[C_LIMIT]), &job.limit, error))
    return wl_csv_locate (csv, cell[C_LIMIT], error);
  if (!wl_slurm_memory (wl_csv_cell (csv, cell[C_MEM]), WL_SLURM_OF_NODE, &job.memory, &job.of, error))
    return wl_csv_locate (csv, cell[C_MEM], error);
  if (!wl_slurm_gres (wl_csv_cell (csv, cell[C_GRES]), &job.gpus, &type, error))
    return wl_csv_locate (csv, cell[C_GRES], error);
  job.gpu_type = type;
  set_run (&job, run);
  return wl_slurm_add_job (user, &job, error) || wl_csv_locate (csv, cell[C_ID], error);
}

/* The fields of SWF with ';' between them and names for numbers: the limit in seconds (9), memory of a node in MB (7), user (12), account (13), QOS (15), partition (16). */
static gboolean
log_line (WlImport *imp, guint file, guint64 number, char *line, gsize len, gpointer user, GError **error)
{
  enum { SUBMIT = 1, RUN = 3, GIVEN, MEMORY = 6, ASKED, LIMIT };
  static const struct { const char *name; guint field; } named[] = { { "submit time", SUBMIT }, { "run time", RUN }, { "memory", MEMORY }, { "limit", LIMIT } };
  g_auto (GStrv) f = g_strsplit (line, ";", -1);
  const guint n = g_strv_length (f);
  WlSlurmJob job = WL_SLURM_JOB;
  WlTime run = 0;
  gboolean good;

  if (line[strspn (line, " \t")] == '\0' && strlen (line) == len)
    return TRUE;
  wl_import_begin_row (imp);
  good = wl_hpc_check_text (line, len, error);
  if (good && n < 18) {
    g_set_error (error, WL_ERROR, WL_ERROR_SYNTAX, "fields of a job, expected at least 18 with ';' between them, found %u", n);
    good = FALSE;
  }
  for (guint i = 0; good && i < n; i++)
    if (strcmp (g_strstrip (f[i]), "-1") == 0 && i != 3)
      *f[i] = '\0'; /* not known */
  const gboolean whole_line = good;
  const guint size = good && *f[GIVEN] != '\0' ? GIVEN : ASKED;

  good = good && seconds_of ("submit time", f[SUBMIT], &job.submit, error) && seconds_of ("run time", f[RUN], &run, error)
         && whole ("processors", f[size], G_MAXINT32, &job.cpus, error)
         && of ("memory", wl_slurm_memory (f[MEMORY], WL_SLURM_OF_NODE, &job.memory, &job.of, error), error)
         && (*f[LIMIT] == '\0' || of ("limit", wl_import_parse_scaled (f[LIMIT], G_USEC_PER_SEC, 0, WL_TIME_MAX, &job.limit, error), error));
  if (!good) {
    guint field = !whole_line ? 0 : size;
    const char *at = line;

    for (guint i = 0; whole_line && error != NULL && i < G_N_ELEMENTS (named); i++)
      field = g_str_has_prefix ((*error)->message, named[i].name) ? named[i].field : field;
    for (; field > 0; field--)
      at = strchr (at, ';') + 1;
    return wl_import_locate (imp, file, number, (guint64) (at - line) + 1, error);
  }
  job.id = f[0];
  job.user = f[11];
  job.account = f[12];
  job.qos = f[14];
  job.partition = f[15];
  set_run (&job, run);
  return wl_slurm_add_job (user, &job, error) || wl_import_locate (imp, file, number, 1, error);
}

/* ---- all files -------------------------------------------------------------------------------------- */

typedef enum { NOTHING, CONF, SACCT, JOBCOMP, EVENTS, TABLE, LOG } FileKind;

static FileKind
kind_of (const WlImportHead *head)
{
  g_autofree char *line = wl_head_line (head);
  const char *text = line + strspn (line, " \t");

  if (strchr (text, '|') != NULL && (wl_head_has (head, '|', "JobID") || wl_head_has (head, '|', "JobIDRaw")))
    return SACCT;
  if (g_str_has_prefix (text, "JobId=") && strstr (text, " JobState=") != NULL)
    return JOBCOMP;
  if (g_str_has_prefix (text, "-dt ") && strstr (text, " -e ") != NULL)
    return EVENTS;
  if (wl_head_has (head, ';', "dt,job_id,wall_time,n_tasks"))
    return TABLE;
  if (wl_head_fields (head, ';') >= 18 && g_ascii_isdigit (*text))
    return LOG;
  return wl_slurm_is_conf (head) ? CONF : NOTHING;
}

static guint
detect (const WlImportHead *head)
{
  return kind_of (head) != NOTHING ? WL_DETECT_SURE : WL_DETECT_NO;
}

static gboolean
read_file (WlImport *imp, guint i, FileKind kind, WlSlurmMaker *maker, GError **error)
{
  switch (kind) {
  case SACCT:
    wl_import_origin (imp, 0); /* clocks */
    return read_sacct (imp, i, maker, error);
  case JOBCOMP:
    wl_import_origin (imp, 0);
    return wl_import_lines (imp, i, jobcomp_line, maker, error);
  case EVENTS:
    return wl_import_lines (imp, i, event_line, maker, error);
  case TABLE:
    return wl_import_table (imp, i, &table_shape, columns, N_COLUMNS, table_row, maker, error);
  case LOG:
    return wl_import_lines (imp, i, log_line, maker, error);
  case NOTHING:
    g_set_error (error, WL_ERROR, WL_ERROR_HEADER, "kind of file, expected sacct --parsable2 with JobID, a job completion log, an input of the simulator or slurm.conf, found none of them");
    return wl_import_locate (imp, i, 1, 1, error);
  case CONF:
    break;
  }
  return TRUE;
}

static gboolean
run (WlImport *imp, GError **error)
{
  static const char *const extras[] = { "x_user", "x_account", "x_qos", "x_eligible" };
  const guint n = wl_import_n_files (imp);
  g_auto (WlSlurmCluster) cluster = wl_slurm_cluster_new ();

  for (guint i = 0; i < G_N_ELEMENTS (extras); i++)
    wl_import_extra (imp, extras[i]);
  for (guint i = 0; i < n; i++)
    if (kind_of (wl_import_head (imp, i)) == CONF && !wl_slurm_read_conf (imp, i, &cluster, error))
      return FALSE;
  if (!wl_slurm_settle (imp, &cluster, error))
    return FALSE;
  g_autoptr (WlSlurmMaker) maker = wl_slurm_maker_new (imp, &cluster, error);

  if (maker == NULL)
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!read_file (imp, i, kind_of (wl_import_head (imp, i)), maker, error))
      return FALSE;
  wl_slurm_add_cluster (maker);
  return TRUE;
}

extern const WlImportFormat wl_format_slurm;
const WlImportFormat wl_format_slurm = {
  .name = "slurm",
  .title = "Slurm accounting and simulator",
  .files = "sacct --parsable2, jobcomp/filetxt, or the simulator's events and tables; slurm.conf for nodes and partitions",
  .licence = "as the site says; samples: github.com/ubccr-slurm-simulator, publicly posted",
  .options = options,
  .detect = detect,
  .run = run,
};
