/* workloads/import/rows.c - jobs, roles and records as rows of packed tables. */
#include "import-private.h"

/* Columns of what is packed. Times are two columns, whole seconds and the microseconds beside them, which are nearly always none; those of a record are from the job's submission, or
 * from its start, on. Texts are where they lie. */
enum { J_NAME, J_NUMBER, J_FIRST_ROLE, J_STEP, J_STEADY, J_SUBMIT = J_STEADY, J_SUBMIT_REST, J_TRAITS, J_ROLES, J_WALLTIME, J_WALLTIME_REST, N_JOB };
enum { O_DURATION, O_DURATION_REST, O_REQUEST, O_TRAITS, O_REPLICAS, O_DURATIONS, N_ROLE };
enum { R_JOB, R_STEADY, R_START = R_STEADY, R_START_REST, R_SPAN, R_SPAN_REST, R_STATUS, R_NODES, R_WAIT, R_EVICTIONS, N_RECORD };

void
wl_import_rows_init (WlImport *imp)
{
  imp->jobs = wl_packed_new (N_JOB, J_STEADY);
  imp->roles = wl_packed_new (N_ROLE, 0);
  imp->records = wl_packed_new (N_RECORD, R_STEADY);
  imp->rising = imp->records_rising = TRUE;
}

static inline gint64
of_text (const char *text)
{
  return (gint64) (gintptr) text;
}

static inline const char *
to_text (gint64 v)
{
  return (const char *) (gintptr) v;
}

static inline void
put_time (gint64 *column, WlTime t)
{
  column[0] = t / G_USEC_PER_SEC;
  column[1] = t % G_USEC_PER_SEC;
}

static inline WlTime
get_time (const gint64 *column)
{
  return column[0] * G_USEC_PER_SEC + column[1];
}

guint32
wl_import_add_job_row (WlImport *imp, const WlStoredJob *j)
{
  gint64 row[N_JOB] = { [J_NAME] = of_text (j->name), [J_NUMBER] = j->number, [J_TRAITS] = j->traits, [J_FIRST_ROLE] = j->first_role,
                        [J_ROLES] = 2 * (gint64) j->n_roles + (j->by_object != FALSE), [J_STEP] = j->step };

  put_time (&row[J_SUBMIT], j->submit);
  put_time (&row[J_WALLTIME], j->walltime);
  imp->rising &= wl_packed_len (imp->jobs) == 0 || imp->last_submit <= j->submit;
  imp->last_submit = j->submit;
  wl_packed_add (imp->jobs, row);
  return wl_packed_len (imp->jobs) - 1;
}

WlStoredJob
wl_import_get_job (const WlImport *imp, guint32 number)
{
  const gint64 *row = wl_packed_get (imp->jobs, number);

  return (WlStoredJob){ .submit = get_time (&row[J_SUBMIT]) - (imp->settled ? imp->offset : 0), .walltime = get_time (&row[J_WALLTIME]), .name = to_text (row[J_NAME]),
                        .traits = (guint32) row[J_TRAITS], .first_role = (guint32) row[J_FIRST_ROLE], .n_roles = (guint32) (row[J_ROLES] / 2), .number = (guint32) row[J_NUMBER],
                        .step = (guint32) row[J_STEP], .by_object = (row[J_ROLES] & 1) != 0 };
}

void
wl_import_add_role_row (WlImport *imp, const WlStoredRole *r)
{
  gint64 row[N_ROLE] = { [O_REQUEST] = r->request, [O_TRAITS] = r->traits, [O_REPLICAS] = r->replicas, [O_DURATIONS] = r->durations };

  put_time (&row[O_DURATION], r->duration);
  wl_packed_add (imp->roles, row);
}

WlStoredRole
wl_import_get_role (const WlImport *imp, const WlStoredJob *j, guint k)
{
  const gint64 *row = wl_packed_get (imp->roles, j->first_role + k);

  return (WlStoredRole){ .request = (guint32) row[O_REQUEST], .traits = (guint32) row[O_TRAITS], .replicas = (guint32) row[O_REPLICAS],
                         .durations = (guint32) row[O_DURATIONS], .duration = get_time (&row[O_DURATION]) };
}

static inline gboolean
is_known (WlTime t)
{
  return t != WL_TIME_NONE && t != WL_TIME_NEVER;
}

/* @t as seen from @from, and back again. */
static inline WlTime
seen_from (WlTime t, WlTime from)
{
  return is_known (t) && is_known (from) ? t - from : t;
}

static inline WlTime
back (WlTime t, WlTime from)
{
  return is_known (t) && is_known (from) ? t + from : t;
}

/* Times that contradict each other are not passed on: a reader of recorded.csv would have to choose which of them to believe. */
static void
drop_contradictions (WlImport *imp, WlStoredRecord *r, WlTime submit)
{
  const WlTime wait = r->wait == WL_TIME_NONE && r->start != WL_TIME_NONE ? r->start - submit : r->wait;

  if (wait != WL_TIME_NONE && wait != WL_TIME_NEVER && wait < 0) {
    wl_import_note (imp, "recorded waits below 0: not kept", 1);
    r->wait = WL_TIME_NEVER;
  }
  if (r->end != WL_TIME_NONE && r->end != WL_TIME_NEVER && (r->end < submit || (r->start != WL_TIME_NONE && r->end < r->start))) {
    wl_import_note (imp, "recorded ends before the start or the submission: not kept", 1);
    r->end = WL_TIME_NONE;
  }
}

void
wl_import_add_record_row (WlImport *imp, WlStoredRecord *r)
{
  guint32 n = wl_packed_len (imp->records);
  const WlTime submit = r->job + 1 == wl_import_n_jobs (imp) ? imp->last_submit : wl_import_get_job (imp, r->job).submit;

  drop_contradictions (imp, r, submit);
  const WlTime start = seen_from (r->start, submit), end = seen_from (r->end, submit);
  gint64 row[N_RECORD] = { [R_JOB] = r->job, [R_WAIT] = r->wait == start && r->wait != WL_TIME_NEVER ? WL_TIME_NONE : r->wait, [R_STATUS] = of_text (r->status),
                           [R_NODES] = of_text (r->nodes), [R_EVICTIONS] = r->evictions };

  put_time (&row[R_START], start);
  put_time (&row[R_SPAN], seen_from (end, start));
  imp->records_rising &= n == 0 || imp->last_recorded <= r->job;
  imp->last_recorded = r->job;
  wl_packed_add (imp->records, row);
}

guint32
wl_import_job_of_record (const WlImport *imp, guint32 number)
{
  return (guint32) wl_packed_get (imp->records, number)[R_JOB];
}

WlStoredRecord
wl_import_get_record (const WlImport *imp, guint32 number, const WlStoredJob *job)
{
  const gint64 *row = wl_packed_get (imp->records, number);
  const WlTime start = get_time (&row[R_START]), end = back (get_time (&row[R_SPAN]), start);
  const WlTime wait = row[R_WAIT] == WL_TIME_NEVER ? WL_TIME_NONE : row[R_WAIT] == WL_TIME_NONE ? start : row[R_WAIT]; /* start minus submission unless it says something else */

  return (WlStoredRecord){ .wait = wait, .start = back (start, job->submit), .end = back (end, job->submit), .status = to_text (row[R_STATUS]),
                           .nodes = to_text (row[R_NODES]), .job = (guint32) row[R_JOB], .evictions = (guint32) row[R_EVICTIONS] };
}

/* ---- by submission ------------------------------------------------------------------------------------ */

static void
edit_job (gint64 *row, guint32 place, gpointer data)
{
  guint32 *n_roles = data;

  (void) place;
  row[J_FIRST_ROLE] = *n_roles;
  *n_roles += (guint32) (row[J_ROLES] / 2);
}

static void
edit_record (gint64 *row, guint32 place, gpointer data)
{
  const guint32 *place_of_job = data;

  (void) place;
  row[R_JOB] = place_of_job[row[R_JOB]];
}

/* What is counted in @count[1…@n] becomes where each begins. */
static void
sum_up (guint32 *count, guint32 n)
{
  for (guint32 i = 0; i < n; i++)
    count[i + 1] += count[i];
}

/* Roles stay with their jobs. */
static void
arrange_roles (WlImport *imp, const guint32 *place_of_job)
{
  const guint32 n_jobs = wl_import_n_jobs (imp), n_roles = wl_packed_len (imp->roles);
  g_autofree guint32 *first = g_new0 (guint32, (gsize) n_jobs + 1), *place = g_new (guint32, (gsize) n_roles + 1);

  for (guint32 i = 0; i < n_jobs; i++)
    first[place_of_job[i] + 1] = wl_import_get_job (imp, i).n_roles;
  sum_up (first, n_jobs);
  for (guint32 i = 0, r = 0; i < n_jobs; i++)
    for (guint32 k = first[place_of_job[i]]; k < first[place_of_job[i] + 1]; k++)
      place[r++] = k;
  imp->roles = wl_packed_rearranged (imp->roles, place, NULL, NULL);
}

static void
arrange_extras (WlImport *imp)
{
  const guint n_columns = imp->extra_columns->len;
  GPtrArray *extras = g_ptr_array_sized_new (imp->extras->len);

  for (guint32 i = 0; n_columns > 0 && i < wl_import_n_jobs (imp); i++)
    for (guint c = 0; c < n_columns; c++)
      g_ptr_array_add (extras, imp->extras->pdata[(gsize) imp->order[i] * n_columns + c]);
  g_ptr_array_unref (imp->extras);
  imp->extras = extras;
}

/* Records by the places of their jobs, those of one job as they came. */
static void
arrange_records (WlImport *imp, guint32 *place_of_job)
{
  const guint32 n_jobs = wl_import_n_jobs (imp), n = wl_packed_len (imp->records);
  g_autofree guint32 *first = g_new0 (guint32, (gsize) n_jobs + 1), *place = g_new (guint32, (gsize) n + 1);

  for (guint32 i = 0; i < n; i++) {
    place[i] = place_of_job[wl_packed_get (imp->records, i)[R_JOB]];
    first[place[i] + 1]++;
  }
  sum_up (first, n_jobs);
  for (guint32 i = 0; i < n; i++)
    place[i] = first[place[i]]++;
  imp->records = wl_packed_rearranged (imp->records, place, edit_record, place_of_job);
}

void
wl_import_arrange (WlImport *imp)
{
  const guint32 n_jobs = wl_import_n_jobs (imp);

  if (imp->order == NULL && imp->records_rising)
    return;
  g_autofree guint32 *place_of_job = g_new (guint32, (gsize) n_jobs + 1);
  guint32 n_roles = 0;

  for (guint32 i = 0; i < n_jobs; i++)
    place_of_job[wl_import_at (imp, i)] = i;
  arrange_records (imp, place_of_job);
  if (imp->order == NULL)
    return;
  arrange_roles (imp, place_of_job);
  imp->jobs = wl_packed_rearranged (imp->jobs, place_of_job, edit_job, &n_roles);
  for (guint i = 0; i < imp->after->len; i++)
    g_array_index (imp->after, guint32, i) = place_of_job[g_array_index (imp->after, guint32, i)];
  arrange_extras (imp);
  g_clear_pointer (&imp->order, g_free);
}
