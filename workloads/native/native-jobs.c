/* workloads/native/native-jobs.c - jobs.csv: jobs, one row for each role.
 *
 * Rows of one job need not stand together; their job-level cells must say the same (as values: 1
 * and 1.0 agree). A job's x_ cells are those of its first row. */
#include "behaviour.h"
#include "node-terms.h"
#include "workloads/text/trace-columns.h"
#include <string.h>

typedef enum {
  C_JOB,
  C_NAMESPACE,
  C_SUBMIT,
  C_QUEUE,
  C_PRIORITY,
  C_MIN_AVAILABLE,
  C_TASK,
  C_REPLICAS,
  C_TASK_MIN,
  C_CPU,
  C_MEMORY,
  C_STORAGE,
  C_DURATION,
  C_EXIT_CODE,
  C_SELECTOR,
  C_TOLERATIONS,
  C_MIN_RESOURCES,
  C_PREEMPTABLE,
  C_MAX_RETRY,
  C_TTL,
  C_MIN_SUCCESS,
  C_DELETE,
  C_WALLTIME,
  C_SLA,
  C_SCALE,
  C_IMAGE,
  C_APART,
  C_SCHEDULER,
  C_BEHAVIOUR, /* first of several */
  N_COLUMNS = C_BEHAVIOUR + WL_N_BEHAVIOURS
} Column;

static const WlColumn known[N_COLUMNS] = {
  [C_JOB] = { "job", TRUE },
  [C_NAMESPACE] = { "namespace", FALSE },
  [C_SUBMIT] = { "submit", TRUE },
  [C_QUEUE] = { "queue", FALSE },
  [C_PRIORITY] = { "priority", FALSE },
  [C_MIN_AVAILABLE] = { "min_available", FALSE },
  [C_TASK] = { "task", FALSE },
  [C_REPLICAS] = { "replicas", FALSE },
  [C_TASK_MIN] = { "task_min_available", FALSE },
  [C_CPU] = { "cpu", FALSE },
  [C_MEMORY] = { "memory", FALSE },
  [C_STORAGE] = { "ephemeral-storage", FALSE },
  [C_DURATION] = { "duration", TRUE },
  [C_EXIT_CODE] = { "exit_code", FALSE },
  [C_SELECTOR] = { "node_selector", FALSE },
  [C_TOLERATIONS] = { "tolerations", FALSE },
  [C_MIN_RESOURCES] = { "min_resources", FALSE },
  [C_PREEMPTABLE] = { "preemptable", FALSE },
  [C_MAX_RETRY] = { "max_retry", FALSE },
  [C_TTL] = { "ttl", FALSE },
  [C_MIN_SUCCESS] = { "min_success", FALSE },
  [C_DELETE] = { "delete", FALSE },
  [C_WALLTIME] = { "walltime", FALSE },
  [C_SLA] = { "sla_waiting_time", FALSE },
  [C_SCALE] = { "scale", FALSE },
  [C_IMAGE] = { "image", FALSE },
  [C_APART] = { "apart", FALSE },
  [C_SCHEDULER] = { "scheduler", FALSE },
  [C_BEHAVIOUR] = { "failure", FALSE }, /* wl_behaviour_names, in that order */
  [C_BEHAVIOUR + 1] = { "time_to_failure", FALSE },
  [C_BEHAVIOUR + 2] = { "checkpoint", FALSE },
  [C_BEHAVIOUR + 3] = { "usage", FALSE },
  [C_BEHAVIOUR + 4] = { "pre_stop", FALSE },
  [C_BEHAVIOUR + 5] = { "termination", FALSE },
  [C_BEHAVIOUR + 6] = { "restart_cost", FALSE },
};
static const char *const plain[] = { "cpu", "memory", "ephemeral-storage", NULL };

typedef struct {
  guint32 line, column; /* of a min_available cell that is given, else 0 */
} Place;

typedef struct {
  WlCsv *csv;
  int where[N_COLUMNS];
  GArray *amounts;   /* WlAmountColumn */
  GArray *extra;     /* guint: cells of x_ columns */
  GArray *jobs;      /* WlJob */
  GArray *places;    /* Place, one a job */
  GArray *scratch;   /* WlJob: what a later row says of its job */
  GHashTable *index; /* "namespace/name" → 1 + job */
  GStringChunk *keys;
  GString *key, *last; /* of this row and of the row before */
  guint last_job;
  GArray *no_pairs, *no_taints, *exit_zero; /* shared by those that say nothing */
  GHashTable *requests;                     /* shared by the roles that ask for the same */
  GHashTable *behaviours;                   /* text of the cells → WlBehaviour */
  GString *request;
} Reader;

static const char *
cell (const Reader *r, Column c)
{
  return wl_csv_cell (r->csv, r->where[c]);
}

static gboolean
read_name_or (const Reader *r, Column c, const char *fallback, gboolean dots, guint max, char **out,
              GError **error)
{
  const char *text = cell (r, c);

  if (*text == '\0')
    text = fallback;
  else if (!wl_check_name (text, dots, max, error))
    return wl_csv_locate (r->csv, r->where[c], error);
  *out = g_strdup (text);
  return TRUE;
}

static gboolean
read_ttl (const Reader *r, WlJob *job, GError **error)
{
  WlTime ttl = -1;
  g_autofree char *shown = NULL;

  if (!wl_trace_time (r->csv, r->where[C_TTL], &ttl, error))
    return FALSE;
  if (ttl < 0 || (ttl % 1000000 == 0 && ttl / 1000000 <= G_MAXINT32)) {
    job->ttl = ttl < 0 ? -1 : ttl / 1000000;
    return TRUE;
  }
  shown = wl_shown (cell (r, C_TTL));
  return wl_csv_refuse (r->csv, r->where[C_TTL], WL_ERROR_VALUE,
                        "column 'ttl': not a whole number of seconds", "0 to 2147483647", shown,
                        error);
}

/* The job-level cells except the name; @job is zeroed. */
static gboolean
read_job (const Reader *r, WlJob *job, GError **error)
{
  const char *priority = cell (r, C_PRIORITY), *min_resources = cell (r, C_MIN_RESOURCES);

  job->min_available = job->max_retry = job->min_success = -1;
  job->preemptable = -1;
  job->remove = job->walltime = job->sla = job->deadline = WL_TIME_NONE;
  job->line = wl_csv_line (r->csv);
  if (wl_csv_required (r->csv, r->where[C_SUBMIT], "a time", error) == NULL
      || !wl_trace_time (r->csv, r->where[C_SUBMIT], &job->submit, error)
      || !read_name_or (r, C_QUEUE, "default", TRUE, WL_NAME_MAX, &job->queue, error))
    return FALSE;
  if (*priority != '\0' && !wl_parse_priority (priority, &job->priority, error))
    return wl_csv_locate (r->csv, r->where[C_PRIORITY], error);
  if (*cell (r, C_SCHEDULER) != '\0' && !read_name_or (r, C_SCHEDULER, NULL, TRUE, WL_NAME_MAX, &job->scheduler, error))
    return FALSE;
  if (!wl_trace_int (r->csv, r->where[C_MIN_AVAILABLE], 0, G_MAXINT32, &job->min_available, error))
    return FALSE;
  if (job->min_available == 0) /* admission puts the default there */
    job->min_available = -1;
  if (*min_resources != '\0' && !wl_parse_resources (min_resources, &job->min_resources, error))
    return wl_csv_locate (r->csv, r->where[C_MIN_RESOURCES], error);
  if (!wl_trace_bool (r->csv, r->where[C_PREEMPTABLE], &job->preemptable, error)
      || !wl_trace_int (r->csv, r->where[C_MAX_RETRY], 0, G_MAXINT32, &job->max_retry, error)
      || !wl_trace_int (r->csv, r->where[C_MIN_SUCCESS], 1, G_MAXINT32, &job->min_success, error)
      || !wl_trace_time (r->csv, r->where[C_DELETE], &job->remove, error)
      || !wl_trace_time (r->csv, r->where[C_WALLTIME], &job->walltime, error)
      || !wl_trace_time (r->csv, r->where[C_SLA], &job->sla, error)
      || !read_ttl (r, job, error))
    return FALSE;
  if (job->remove != WL_TIME_NONE && job->remove < job->submit) {
    g_autofree char *shown = wl_shown (cell (r, C_DELETE)),
                    *expected = g_strdup_printf ("%s or later", cell (r, C_SUBMIT));

    return wl_csv_refuse (r->csv, r->where[C_DELETE], WL_ERROR_VALUE,
                          "column 'delete': before the job's submission", expected, shown, error);
  }
  return TRUE;
}

/* The first job-level column in which @a and @b differ, or -1. */
static int
first_difference (const WlJob *a, const WlJob *b)
{
  const struct {
    Column column;
    gboolean same;
  } checks[] = {
    { C_SUBMIT, a->submit == b->submit },
    { C_QUEUE, strcmp (a->queue, b->queue) == 0 },
    { C_PRIORITY, g_strcmp0 (a->priority, b->priority) == 0 },
    { C_MIN_AVAILABLE, a->min_available == b->min_available },
    { C_MIN_RESOURCES, wl_resources_equal (a->min_resources, b->min_resources) },
    { C_PREEMPTABLE, a->preemptable == b->preemptable },
    { C_MAX_RETRY, a->max_retry == b->max_retry },
    { C_TTL, a->ttl == b->ttl },
    { C_MIN_SUCCESS, a->min_success == b->min_success },
    { C_DELETE, a->remove == b->remove },
    { C_SCHEDULER, g_strcmp0 (a->scheduler, b->scheduler) == 0 },
    { C_WALLTIME, a->walltime == b->walltime },
    { C_SLA, a->sla == b->sla },
  };

  for (guint i = 0; i < G_N_ELEMENTS (checks); i++)
    if (!checks[i].same)
      return (int) checks[i].column;
  return -1;
}

/* A later row of @job: its job-level cells must agree. */
static gboolean
agree (const Reader *r, const WlJob *job, GError **error)
{
  WlJob *again;
  int differs;

  g_array_set_size (r->scratch, 0); /* frees what the row before left */
  g_array_set_size (r->scratch, 1);
  again = &g_array_index (r->scratch, WlJob, 0);
  if (!read_job (r, again, error))
    return FALSE;
  differs = first_difference (job, again);
  if (differs >= 0) {
    g_autofree char *what = g_strdup_printf ("column '%s': rows of job '%s' disagree",
                                             known[differs].name, job->name);
    g_autofree char *expected = g_strdup_printf ("the same as in line %u", job->line);
    g_autofree char *shown = wl_shown (cell (r, (Column) differs));

    return wl_csv_refuse (r->csv, r->where[differs], WL_ERROR_CONFLICT, what, expected, shown,
                          error);
  }
  return TRUE;
}

/* The job of this row, new or known: its place in jobs, or -1 with @error. */
static int
find_job (Reader *r, GError **error)
{
  const char *name
      = wl_trace_name (r->csv, r->where[C_JOB], "the name of a job", TRUE, WL_LABEL_MAX, error);
  const char *ns = *cell (r, C_NAMESPACE) != '\0' ? cell (r, C_NAMESPACE) : "default";
  Place place = { 0 };
  WlJob *job;
  guint known_job;

  if (name == NULL)
    return -1;
  if (!wl_check_name (ns, FALSE, WL_LABEL_MAX, error)) {
    wl_csv_locate (r->csv, r->where[C_NAMESPACE], error);
    return -1;
  }
  g_string_assign (r->key, ns);
  g_string_append_c (r->key, '/');
  g_string_append (r->key, name);
  known_job = r->last_job > 0 && g_string_equal (r->key, r->last)
                  ? r->last_job
                  : GPOINTER_TO_UINT (g_hash_table_lookup (r->index, r->key->str));
  if (known_job > 0) {
    r->last_job = known_job;
    g_string_assign (r->last, r->key->str);
    return agree (r, &g_array_index (r->jobs, WlJob, known_job - 1), error) ? (int) known_job - 1
                                                                            : -1;
  }
  g_array_set_size (r->jobs, r->jobs->len + 1); /* zeroed */
  job = &g_array_index (r->jobs, WlJob, r->jobs->len - 1);
  if (!read_job (r, job, error))
    return -1;
  job->name = g_strdup (name);
  job->ns = g_strdup (ns);
  job->roles = wl_roles_new ();
  job->extra = r->extra->len > 0 ? wl_pairs_new () : g_array_ref (r->no_pairs);
  for (guint i = 0; i < r->extra->len; i++) {
    guint c = g_array_index (r->extra, guint, i);
    WlPair pair
        = { g_strdup (wl_csv_header (r->csv, c)), g_strdup (wl_csv_cell (r->csv, (int) c)) };

    g_array_append_val (job->extra, pair);
    if (strcmp (pair.key, "x_deadline") == 0 && !wl_trace_time (r->csv, (int) c, &job->deadline, error))
      return -1;
  }
  if (job->min_available >= 0)
    wl_csv_place (r->csv, r->where[C_MIN_AVAILABLE], &place.line, &place.column);
  g_array_append_val (r->places, place);
  r->last_job = r->jobs->len;
  g_string_assign (r->last, r->key->str);
  g_hash_table_insert (r->index,
                       g_string_chunk_insert_len (r->keys, r->key->str, (gssize) r->key->len),
                       GUINT_TO_POINTER (r->jobs->len));
  return (int) r->jobs->len - 1;
}

static gboolean
read_lists (const Reader *r, WlRole *role, GError **error)
{
  const char *duration = wl_csv_required (r->csv, r->where[C_DURATION],
                                          "seconds (12.5), a duration (1h30m) or inf", error);
  const char *codes = cell (r, C_EXIT_CODE), *selector = cell (r, C_SELECTOR),
             *tolerations = cell (r, C_TOLERATIONS), *scale = cell (r, C_SCALE);

  if (duration == NULL)
    return FALSE;
  if (!wl_parse_durations (duration, role->replicas, &role->durations, error))
    return wl_csv_locate (r->csv, r->where[C_DURATION], error);
  if (*codes == '\0')
    role->exit_codes = g_array_ref (r->exit_zero);
  else if (!wl_parse_exit_codes (codes, role->replicas, &role->exit_codes, error))
    return wl_csv_locate (r->csv, r->where[C_EXIT_CODE], error);
  if (*selector == '\0')
    role->node_selector = g_array_ref (r->no_pairs);
  else if (!wl_parse_node_selector (selector, &role->node_selector, &role->node_terms, error))
    return wl_csv_locate (r->csv, r->where[C_SELECTOR], error);
  if (*tolerations == '\0')
    role->tolerations = g_array_ref (r->no_taints);
  else if (!wl_parse_tolerations (tolerations, &role->tolerations, error))
    return wl_csv_locate (r->csv, r->where[C_TOLERATIONS], error);
  if (*scale != '\0' && !wl_parse_scale (scale, &role->scale, error))
    return wl_csv_locate (r->csv, r->where[C_SCALE], error);
  return TRUE;
}

static gboolean
read_behaviour (const Reader *r, WlRole *role, GError **error)
{
  g_autoptr (WlBehaviour) fresh = NULL;
  gboolean any = FALSE;

  g_string_truncate (r->request, 0);
  for (guint k = 0; k < WL_N_BEHAVIOURS; k++) {
    const char *text = cell (r, (Column) (C_BEHAVIOUR + k));

    any |= *text != '\0';
    g_string_append (r->request, text);
    g_string_append_c (r->request, ',');
  }
  if (!any)
    return TRUE;
  role->behaviour = g_hash_table_lookup (r->behaviours, r->request->str);
  if (role->behaviour != NULL) {
    wl_behaviour_ref (role->behaviour);
    return TRUE;
  }
  fresh = wl_behaviour_new ();
  for (guint k = 0; k < WL_N_BEHAVIOURS; k++) {
    const char *text = cell (r, (Column) (C_BEHAVIOUR + k));

    if (*text != '\0' && !wl_behaviour_set (fresh, k, text, error))
      return wl_csv_locate (r->csv, r->where[C_BEHAVIOUR + k], error);
  }
  g_hash_table_insert (r->behaviours, g_strdup (r->request->str), wl_behaviour_ref (fresh));
  role->behaviour = g_steal_pointer (&fresh);
  return TRUE;
}

static gboolean
read_role (const Reader *r, WlJob *job, GError **error)
{
  gint32 replicas = 1;
  WlRole *role;

  g_array_set_size (job->roles, job->roles->len + 1);
  role = &g_array_index (job->roles, WlRole, job->roles->len - 1);
  role->min_available = -1;
  role->line = wl_csv_line (r->csv);
  if (!read_name_or (r, C_TASK, "task", FALSE, WL_LABEL_MAX, &role->name, error)
      || !wl_trace_int (r->csv, r->where[C_REPLICAS], 1, WL_REPLICAS_MAX, &replicas, error)
      || !wl_trace_int (r->csv, r->where[C_TASK_MIN], 0, G_MAXINT32, &role->min_available, error))
    return FALSE;
  role->resources = wl_trace_shared_amounts (r->csv, r->amounts, r->requests, r->request, error);
  if (role->resources == NULL)
    return FALSE;
  role->replicas = (guint32) replicas;
  if (*cell (r, C_IMAGE) != '\0')
    role->image = g_strdup (cell (r, C_IMAGE));
  if (*cell (r, C_APART) != '\0' && !wl_check_name (cell (r, C_APART), TRUE, WL_LABEL_MAX, error))
    return wl_csv_locate (r->csv, r->where[C_APART], error);
  if (*cell (r, C_APART) != '\0')
    role->apart = g_strdup (cell (r, C_APART));
  if (!read_behaviour (r, role, error))
    return FALSE;
  if (role->min_available > replicas) {
    g_autofree char *expected = g_strdup_printf ("at most %d", replicas);
    g_autofree char *found = g_strdup_printf ("%d", role->min_available);

    return wl_csv_refuse (r->csv, r->where[C_TASK_MIN], WL_ERROR_VALUE,
                          "column 'task_min_available': more than the replicas", expected, found,
                          error);
  }
  for (guint i = 0; i + 1 < job->roles->len; i++) {
    const WlRole *other = &g_array_index (job->roles, WlRole, i);

    if (strcmp (other->name, role->name) == 0) {
      g_autofree char *what
          = g_strdup_printf ("role '%s' of job '%s' given twice", role->name, job->name);
      g_autofree char *found = g_strdup_printf ("it in line %u as well", other->line);

      return wl_csv_refuse (r->csv, r->where[C_TASK] >= 0 ? r->where[C_TASK] : r->where[C_JOB],
                            WL_ERROR_CONFLICT, what, "one row for each role (column task)", found,
                            error);
    }
  }
  return read_lists (r, role, error);
}

/* What only the whole job shows. */
static gboolean
check_job (const Reader *r, guint i, GError **error)
{
  const WlJob *job = &g_array_index (r->jobs, WlJob, i);
  const Place *place = &g_array_index (r->places, Place, i);
  gint64 pods = 0;
  g_autofree char *what = NULL, *expected = NULL, *found = NULL;

  for (guint k = 0; k < job->roles->len; k++)
    pods += g_array_index (job->roles, WlRole, k).replicas;
  if (job->min_available <= pods)
    return TRUE;
  what = g_strdup_printf ("column 'min_available': more than the replicas of job '%s'", job->name);
  expected = g_strdup_printf ("at most %" G_GINT64_FORMAT, pods);
  found = g_strdup_printf ("%d", job->min_available);
  return wl_csv_refuse_at (r->csv, place->line, place->column, WL_ERROR_VALUE, what, expected,
                           found, error);
}

static void
reader_clear (Reader *r)
{
  GArray *const arrays[]
      = { r->amounts, r->extra, r->jobs, r->places, r->scratch, r->no_pairs, r->no_taints };

  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    if (arrays[i] != NULL)
      g_array_unref (arrays[i]);
  if (r->exit_zero != NULL)
    g_array_unref (r->exit_zero);
  g_hash_table_unref (r->index);
  g_hash_table_unref (r->requests);
  g_hash_table_unref (r->behaviours);
  g_string_free (r->request, TRUE);
  g_string_chunk_free (r->keys);
  g_string_free (r->key, TRUE);
  g_string_free (r->last, TRUE);
  wl_csv_free (r->csv);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Reader, reader_clear)

static void
reader_init (Reader *r, WlCsv *csv)
{
  *r = (Reader){ .csv = csv };
  r->amounts = g_array_new (FALSE, FALSE, sizeof (WlAmountColumn));
  r->extra = g_array_new (FALSE, FALSE, sizeof (guint));
  r->jobs = wl_jobs_new ();
  r->places = g_array_new (FALSE, FALSE, sizeof (Place));
  r->scratch = wl_jobs_new ();
  r->index = g_hash_table_new (g_str_hash, g_str_equal);
  r->keys = g_string_chunk_new (64 * 1024);
  r->key = g_string_new (NULL);
  r->last = g_string_new (NULL);
  r->requests = wl_trace_memo_new ();
  r->behaviours = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) wl_behaviour_unref);
  r->request = g_string_new (NULL);
  r->no_pairs = wl_pairs_new ();
  r->no_taints = wl_taints_new ();
  wl_parse_exit_codes ("0", 1, &r->exit_zero, NULL);
}

GArray *
wl_read_jobs (const char *path, GError **error)
{
  WlCsv *csv = wl_csv_open (path, error);
  g_autoptr (GArray) others = g_array_new (FALSE, FALSE, sizeof (guint));
  g_auto (Reader) r;
  gboolean got;

  reader_init (&r, csv);
  if (csv == NULL || !wl_csv_columns (csv, known, N_COLUMNS, r.where, others, error)
      || !wl_trace_columns (csv, known, N_COLUMNS, r.where, plain, others, r.amounts, r.extra,
                            error))
    return NULL;
  for (;;) {
    int at;

    if (!wl_csv_next (csv, &got, error))
      return NULL;
    if (!got)
      break;
    at = find_job (&r, error);
    if (at < 0 || !read_role (&r, &g_array_index (r.jobs, WlJob, at), error))
      return NULL;
  }
  for (guint i = 0; i < r.jobs->len; i++)
    if (!check_job (&r, i, error))
      return NULL;
  return g_steal_pointer (&r.jobs);
}
