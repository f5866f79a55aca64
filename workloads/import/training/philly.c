/* workloads/import/training/philly.c - Microsoft Philly 2017: the job log (one JSON array, attempts with machines and GPUs), or the flat list that others made of it,
 * and machine lists. Jobs of up to a node's GPUs are one pod, larger ones pods of a node and one for the rest, all needed. A queue for each virtual cluster,
 * with a deserved share in proportion to its recorded GPU time. Times are Pacific wall clock, taken as they stand. */
#include "workloads/import/gang.h"
#include "workloads/import/json.h"
#include "workloads/text/parse.h"
#include <string.h>

enum { F_TIME, F_DURATION, F_GPUS, F_GPU_TIME, F_CLUSTER, N_FLAT };
static const WlColumn flat_columns[N_FLAT] = {
  [F_TIME] = { "timestamp", TRUE }, [F_DURATION] = { "duration", TRUE }, [F_GPUS] = { "num_gpus", TRUE }, [F_GPU_TIME] = { "gpu_time", FALSE }, [F_CLUSTER] = { "cluster", TRUE },
};
enum { M_NAME, M_GPUS, M_MEMORY, N_MACHINE };
static const WlColumn machine_columns[N_MACHINE] = { [M_NAME] = { "machineId", TRUE }, [M_GPUS] = { "number of GPUs", TRUE }, [M_MEMORY] = { "single GPU mem", FALSE } };
static const WlCsvShape machine_shape = { .trim = TRUE, .others = TRUE, .by_magic = TRUE };

static const WlImportOption options[] = {
  { "nodes", WL_OPTION_COUNT, "50", NULL, "nodes, where there is no machine list" },
  WL_GANG_OPTIONS ("8", "48", "448Gi", "5.4", "50Gi"),
  { "philly-attempts", WL_OPTION_CHOICE, "sum", "sum|last|each", "running time of a job that was tried again: that of all attempts, of the last, or one run after the other" },
  { NULL, WL_OPTION_TEXT, NULL, NULL, NULL },
};

typedef struct {
  WlGangShape shape;
  GHashTable *work;   /* virtual cluster → double *, GPU seconds */
  GPtrArray *clusters; /* their names in the order in which they come (keys of work) */
  double gpus;        /* of the nodes */
} Reader;

static void
note_work (Reader *r, const char *vc, double gpu_seconds)
{
  double *sum = g_hash_table_lookup (r->work, vc);

  if (sum == NULL) {
    char *name = g_strdup (vc);

    sum = g_new0 (double, 1);
    g_hash_table_insert (r->work, name, sum);
    g_ptr_array_add (r->clusters, name);
  }
  *sum += gpu_seconds;
}

/* ---- the flat list --------------------------------------------------------------------------------- */

static gboolean
flat_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  Reader *r = user;
  const char *vc = wl_csv_required (csv, cell[F_CLUSTER], "a virtual cluster", error);
  WlTime submit, run;
  gint64 gpus;

  if (vc == NULL)
    return FALSE;
  if (!wl_import_parse_clock (wl_csv_cell (csv, cell[F_TIME]), &submit, error))
    return wl_csv_locate (csv, cell[F_TIME], error);
  if (!wl_import_time (csv, cell[F_DURATION], &run, error) || !wl_import_int (csv, cell[F_GPUS], 0, 100000, &gpus, error))
    return FALSE;
  if (gpus == 0)
    return wl_import_drop (imp, "no GPU");
  if (run < 0)
    return wl_import_drop (imp, "negative duration");
  WlImportRole role[2];
  const WlImportJob job = { .queue = vc, .submit = submit, .role = role, .n_roles = wl_gang_roles (&r->shape, (guint32) gpus, run, role) };

  wl_import_job (imp, &job);
  wl_import_default (imp, "cpu and memory of pods");
  note_work (r, vc, (double) gpus * (double) run / G_USEC_PER_SEC);
  return TRUE;
}

/* ---- the log --------------------------------------------------------------------------------------- */

typedef struct { WlTime start, end; gboolean started, ended; gint64 gpus; GString *nodes; } Attempt;

static gboolean
attempt_time (WlImport *imp, guint file, WlJson at, const char *key, WlTime *out, gboolean *given, GError **error)
{
  WlJson time = wl_json_get (at, key);
  const char *text = wl_json_text (time);

  *given = text != NULL && !wl_import_parse_missing (text);
  return !*given || wl_import_parse_clock (text, out, error) || wl_import_locate (imp, file, wl_json_line (time), wl_json_column (time), error);
}

static gboolean
read_attempt (WlImport *imp, guint file, WlJson at, Attempt *a, GError **error)
{
  WlJson detail = wl_json_get (at, "detail");

  a->gpus = 0;
  g_string_truncate (a->nodes, 0);
  for (guint i = 0; i < wl_json_count (detail); i++) {
    WlJson one = wl_json_at (detail, i);
    const char *ip = wl_json_text (wl_json_get (one, "ip"));
    guint n = wl_json_count (wl_json_get (one, "gpus"));

    a->gpus += n;
    if (ip != NULL)
      g_string_append_printf (a->nodes, "%s%s", a->nodes->len > 0 ? "|" : "", ip);
  }
  return attempt_time (imp, file, at, "start_time", &a->start, &a->started, error) && attempt_time (imp, file, at, "end_time", &a->end, &a->ended, error);
}

/* What the attempts of a job come to. */
typedef struct { WlTime first, last, run; GArray *runs; gint64 gpus; guint whole, tried; GString *nodes; } Tried;

static gboolean
read_attempts (WlImport *imp, guint file, WlJson list, Tried *t, GError **error)
{
  g_autoptr (GString) nodes = g_string_new (NULL);
  Attempt a = { .nodes = nodes };

  t->tried = wl_json_count (list);
  for (guint i = 0; i < t->tried; i++) {
    if (!read_attempt (imp, file, wl_json_at (list, i), &a, error))
      return FALSE;
    if (!a.started || !a.ended || a.end < a.start || a.gpus == 0)
      continue;
    WlTime run = a.end - a.start;

    if (t->whole++ == 0)
      t->first = a.start;
    t->last = a.end;
    t->gpus = a.gpus;
    t->run += run;
    g_array_append_val (t->runs, run);
    g_string_assign (t->nodes, nodes->str);
  }
  return TRUE;
}

static gboolean
log_job (WlImport *imp, guint file, WlJson at, Reader *r, GError **error)
{
  g_autoptr (GArray) runs = g_array_new (FALSE, FALSE, sizeof (WlTime));
  g_autoptr (GString) nodes = g_string_new (NULL);
  const char *id = wl_json_text (wl_json_get (at, "jobid")), *vc = wl_json_text (wl_json_get (at, "vc")), *status = wl_json_text (wl_json_get (at, "status")),
             *submitted = wl_json_text (wl_json_get (at, "submitted_time")), *owner = wl_json_text (wl_json_get (at, "user"));
  Tried t = { .runs = runs, .nodes = nodes };
  WlTime submit;

  if (id == NULL || *id == '\0' || vc == NULL || *vc == '\0' || submitted == NULL) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "job, expected jobid, vc and submitted_time, found none of one of them");
    return wl_import_locate (imp, file, wl_json_line (at), wl_json_column (at), error);
  }
  if (wl_import_parse_missing (submitted))
    return wl_import_drop (imp, "no time of submission");
  if (!wl_import_parse_clock (submitted, &submit, error)) {
    WlJson said = wl_json_get (at, "submitted_time");

    return wl_import_locate (imp, file, wl_json_line (said), wl_json_column (said), error);
  }
  if (!read_attempts (imp, file, wl_json_get (at, "attempts"), &t, error))
    return FALSE;
  if (t.tried == 0)
    return wl_import_drop (imp, "never tried");
  if (t.whole == 0)
    return wl_import_drop (imp, "no attempt with start, end and GPUs");
  if (t.whole < t.tried)
    wl_import_note (imp, "attempts without start, end or GPUs are left out", t.tried - t.whole);
  if (wl_import_is (imp, "philly-attempts", "last"))
    t.run = g_array_index (runs, WlTime, runs->len - 1);
  WlImportRole role[2];
  const char *extra[] = { owner != NULL ? owner : "", status != NULL ? status : "" };
  const WlImportJob job = { .name = id, .queue = vc, .submit = submit, .role = role, .n_roles = wl_gang_roles (&r->shape, (guint32) t.gpus, t.run, role), .extra = extra };
  const WlImportRecord record = { .wait = t.first - submit, .start = t.first, .end = t.last, .status = status, .nodes = nodes->str, .evictions = t.tried - 1 };

  wl_import_recorded (imp, wl_import_job (imp, &job), &record);
  wl_import_default (imp, "cpu and memory of pods");
  note_work (r, vc, (double) t.gpus * (double) t.run / G_USEC_PER_SEC);
  return TRUE;
}

static gboolean
read_log (WlImport *imp, guint file, Reader *r, GError **error)
{
  g_autoptr (WlJsonDoc) doc = NULL;
  gsize len;
  g_autofree char *text = wl_import_whole (imp, file, &len, error);

  if (text == NULL || (doc = wl_json_read (wl_import_path (imp, file), text, len, error)) == NULL)
    return FALSE;
  WlJson list = wl_json_root (doc);

  if (!wl_json_is_list (list)) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s:1:1: job log, expected a list of jobs, found something else", wl_import_path (imp, file));
    return FALSE;
  }
  WlJson one;

  for (void *it = NULL; (one = wl_json_next (list, &it)) != NULL;) {
    wl_import_begin_row (imp);
    if (!log_job (imp, file, one, r, error) && !wl_import_bad_row (imp, error))
      return FALSE;
  }
  return TRUE;
}

/* ---- machines -------------------------------------------------------------------------------------- */

/* Cores and memory in proportion to a node of 8 GPUs; the small machines of the list (2 GPUs) have half the cores and a quarter of the memory. */
static gboolean
machine_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  Reader *r = user;
  const char *name = wl_csv_required (csv, cell[M_NAME], "a machine", error);
  gint64 gpus;

  if (name == NULL || !wl_import_int (csv, cell[M_GPUS], 0, 1000, &gpus, error))
    return FALSE;
  const WlImportNode node = { .name = name,
                              .time = WL_TIME_NONE,
                              .capacity = { .cpu_milli = gpus <= 2 ? 24000 : 6000 * gpus, .memory = (G_GINT64_CONSTANT (56) << 30) * gpus, .gpus = (guint32) gpus } };

  wl_import_node (imp, &node);
  wl_import_default (imp, "cpu and memory of nodes");
  r->gpus += (double) gpus;
  return TRUE;
}

static gboolean
is_machine_list (const WlImportHead *head)
{
  return wl_head_has (head, ',', "machineId,number of GPUs");
}

static gboolean
is_log (const WlImportHead *head)
{
  const char *at = head->text;

  while (g_ascii_isspace (*at))
    at++;
  return *at == '[' && strstr (head->text, "\"jobid\"") != NULL && strstr (head->text, "\"attempts\"") != NULL;
}

static guint
detect (const WlImportHead *head)
{
  return is_machine_list (head) || is_log (head) || wl_head_has (head, ',', "timestamp,duration,num_gpus,cluster") ? WL_DETECT_SURE : WL_DETECT_NO;
}

/* A share of the GPUs for each virtual cluster, in whole nodes. */
static void
add_queues (WlImport *imp, const Reader *r)
{
  double all = 0;

  for (guint i = 0; i < r->clusters->len; i++)
    all += *(double *) g_hash_table_lookup (r->work, r->clusters->pdata[i]);
  for (guint i = 0; i < r->clusters->len; i++) {
    double part = all > 0 ? *(double *) g_hash_table_lookup (r->work, r->clusters->pdata[i]) / all : 0;
    const WlImportQueue queue = { .name = r->clusters->pdata[i], .time = WL_TIME_NONE, .deserved = { .gpus = (guint32) (part * r->gpus / r->shape.per_pod + 0.5) * r->shape.per_pod } };

    wl_import_queue (imp, &queue);
    wl_import_default (imp, "deserved of queues (recorded GPU time, in whole nodes)");
  }
}

static gboolean
run (WlImport *imp, GError **error)
{
  g_autoptr (GHashTable) work = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GPtrArray) clusters = g_ptr_array_new ();
  Reader r = { .shape = wl_gang_shape (imp), .work = work, .clusters = clusters };
  guint machines = 0, logs = 0;

  for (guint i = 0; i < wl_import_n_files (imp); i++) {
    machines += is_machine_list (wl_import_head (imp, i));
    logs += is_log (wl_import_head (imp, i));
  }
  if (logs > 0) {
    wl_import_extra (imp, "x_user");
    wl_import_extra (imp, "x_status");
  }
  for (guint i = 0; i < wl_import_n_files (imp); i++) {
    const WlImportHead *head = wl_import_head (imp, i);

    if (!(is_machine_list (head) ? wl_import_table (imp, i, &machine_shape, machine_columns, N_MACHINE, machine_row, &r, error)
          : is_log (head)        ? read_log (imp, i, &r, error)
                                 : wl_import_table (imp, i, NULL, flat_columns, N_FLAT, flat_row, &r, error)))
      return FALSE;
  }
  if (machines == 0) {
    guint32 nodes = (guint32) wl_import_number (imp, "nodes");

    wl_gang_nodes (imp, nodes);
    r.gpus = (double) nodes * r.shape.per_pod;
  }
  add_queues (imp, &r);
  return TRUE;
}

extern const WlImportFormat wl_format_philly;
const WlImportFormat wl_format_philly = {
  .name = "philly",
  .title = "Microsoft Philly 2017",
  .files = "cluster_job_log (JSON) or the flat list of jobs, and a machine list",
  .licence = "as is, cite Jeon et al., USENIX ATC 2019; github.com/msr-fiddle/philly-traces",
  .options = options,
  .detect = detect,
  .run = run,
};
