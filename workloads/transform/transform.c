/* The steps of a transformation, one after the other on the tables. */
#include "trace-private.h"
#include "workloads/k8s/k8s-objects.h"
#include "workloads/native/faults.h"
#include "workloads/text/parse.h"
#include <math.h>
#include <string.h>

/* ---- reading ------------------------------------------------------------------------------------- */

typedef GArray *Reader (const char *path, GError **error);

/* @check is the reader of a run, which says what is wrong in the words and with the place of a run; jobs, of which there may be millions, are read
 * again when they are written. NULL: it is left for then. */
static gboolean
read_table (const char *folder, const char *name, gboolean required, Reader *check, WlTable **out, GError **error)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GArray) rows = NULL;

  if (!required && !g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  if (check != NULL && (rows = check (path, error)) == NULL)
    return FALSE;
  *out = wl_table_read (path, error);
  return *out != NULL;
}

void
wl_trace_index_jobs (WlTrace *t)
{
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  int ns = wl_table_column (t->jobs, "namespace"), name = wl_table_column (t->jobs, "job");

  g_free (t->job_of);
  t->job_of = g_new0 (guint, wl_table_rows (t->jobs) + 1);
  t->n_jobs = 0;
  for (guint i = 0; i < wl_table_rows (t->jobs); i++) {
    const char *space = wl_table_cell (t->jobs, i, ns);
    char *key = g_strdup_printf ("%s/%s", *space != '\0' ? space : "default", wl_table_cell (t->jobs, i, name));
    gpointer at;

    if (g_hash_table_lookup_extended (known, key, NULL, &at)) {
      t->job_of[i] = GPOINTER_TO_UINT (at);
      g_free (key);
      continue;
    }
    t->job_of[i] = t->n_jobs++;
    g_hash_table_insert (known, key, GUINT_TO_POINTER (t->job_of[i]));
  }
}

WlTrace *
wl_trace_read (const char *folder, GError **error)
{
  static const char *const others[] = { "objects.json", "commands.csv", "scale.csv", "images.csv" };
  g_autoptr (WlTrace) t = g_new0 (WlTrace, 1);
  g_autofree char *base = g_path_get_basename (folder), *rows = g_build_filename (folder, "jobs.csv", NULL), *objects = g_build_filename (folder, "objects.yaml", NULL);
  const gboolean has_objects = g_file_test (objects, G_FILE_TEST_EXISTS);
  const gboolean has_rows = !has_objects || g_file_test (rows, G_FILE_TEST_EXISTS); /* imports of a cluster's objects have no rows */

  t->folder = g_strdup (folder);
  t->name = g_ascii_strdown (base, -1);
  g_strcanon (t->name, "abcdefghijklmnopqrstuvwxyz0123456789-", '-');
  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    g_autofree char *path = g_build_filename (folder, others[i], NULL);

    if (g_file_test (path, G_FILE_TEST_EXISTS)) {
      g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s: cannot be transformed, expected a trace of nodes, jobs, queues, faults and recorded, found %s too", folder, others[i]);
      return NULL;
    }
  }
  if (!read_table (folder, "nodes.csv", TRUE, wl_read_nodes, &t->nodes, error) || (has_rows && !read_table (folder, "jobs.csv", TRUE, NULL, &t->jobs, error)) ||
      !read_table (folder, "queues.csv", FALSE, wl_read_queues, &t->queues, error) || !read_table (folder, "faults.csv", FALSE, wl_read_faults, &t->faults, error) ||
      !read_table (folder, "recorded.csv", FALSE, wl_read_recorded, &t->recorded, error))
    return NULL;
  if (!has_rows)
    t->jobs = wl_table_new ("job,submit,replicas,cpu,memory,duration");
  if (wl_table_column (t->jobs, "job") < 0 || wl_table_column (t->jobs, "submit") < 0 || wl_table_column (t->nodes, "node") < 0) {
    g_set_error (error, WL_ERROR, WL_ERROR_HEADER, "%s: expected the columns job and submit in jobs.csv and node in nodes.csv, found none of the name", folder);
    return NULL;
  }
  wl_trace_index_jobs (t);
  if (has_objects && (t->objects = wl_object_texts_read (objects, error)) == NULL)
    return NULL;
  return wl_trace_read_scenario (t, error) ? g_steal_pointer (&t) : NULL;
}

guint
wl_trace_jobs (const WlTrace *t)
{
  return t->n_jobs + wl_object_texts_jobs (t->objects);
}

void
wl_trace_free (WlTrace *t)
{
  if (t == NULL)
    return;
  g_free (t->name);
  g_free (t->folder);
  wl_table_free (t->nodes);
  wl_table_free (t->jobs);
  wl_table_free (t->queues);
  wl_table_free (t->faults);
  wl_table_free (t->recorded);
  wl_object_texts_free (t->objects);
  g_free (t->conf);
  if (t->settings != NULL)
    g_string_free (t->settings, TRUE);
  g_free (t->job_of);
  g_free (t);
}

/* ---- cells --------------------------------------------------------------------------------------- */

gboolean
wl_trace_locate (const WlTrace *t, const WlTable *table, const char *file, guint row, int column, GError **error)
{
  g_prefix_error (error, "%s/%s:%u: column '%s': ", t->folder, file, wl_table_line (table, row), wl_table_name (table, (guint) column));
  return FALSE;
}

gboolean
wl_trace_time_of (const WlTrace *t, const WlTable *table, const char *file, guint row, int column, WlTime *out, gboolean *given, GError **error)
{
  const char *text = wl_table_cell (table, row, column);

  *given = *text != '\0';
  if (!*given)
    return TRUE;
  gboolean below = *text == '-' && table == t->recorded; /* what happened before the trace began */

  if (!wl_parse_time (below ? text + 1 : text, TRUE, out, error))
    return wl_trace_locate (t, table, file, row, column, error);
  *out = below ? -*out : *out;
  return TRUE;
}

void
wl_trace_set_time (WlTable *table, guint row, guint column, WlTime time)
{
  g_autoptr (GString) text = g_string_new (NULL);

  wl_append_time (text, time);
  wl_table_set (table, row, column, text->str);
}

/* WL_TIME_NONE: there is no such time. */
typedef WlTime Change (WlTime time, gconstpointer data);

static gboolean
too_late (const char *option, GError **error)
{
  g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s, expected times below 285 years, found one that becomes later", option);
  return FALSE;
}

/* Every time that is given in @column (nothing where there is no such). */
static gboolean
change_times (WlTrace *t, WlTable *table, const char *file, const char *column, Change *change, gconstpointer data, GError **error)
{
  int at = table != NULL ? wl_table_column (table, column) : -1;

  for (guint i = 0; at >= 0 && i < wl_table_rows (table); i++) {
    WlTime time = 0;
    gboolean given;

    if (!wl_trace_time_of (t, table, file, i, at, &time, &given, error))
      return FALSE;
    if (!given || time == WL_TIME_NEVER)
      continue;
    if ((time = change (time, data)) == WL_TIME_NONE) {
      too_late ("--stretch", error);
      return wl_trace_locate (t, table, file, i, at, error);
    }
    wl_trace_set_time (table, i, (guint) at, time);
  }
  return TRUE;
}

static gboolean
change_jobs (WlTrace *t, Change *change, gconstpointer data, GError **error)
{
  return change_times (t, t->jobs, "jobs.csv", "submit", change, data, error) && change_times (t, t->jobs, "jobs.csv", "delete", change, data, error) &&
         change_times (t, t->recorded, "recorded.csv", "submit", change, data, error) && change_times (t, t->recorded, "recorded.csv", "start", change, data, error) &&
         change_times (t, t->recorded, "recorded.csv", "end", change, data, error);
}

static gboolean
change_others (WlTrace *t, Change *change, gconstpointer data, GError **error)
{
  return change_times (t, t->nodes, "nodes.csv", "time", change, data, error) && change_times (t, t->queues, "queues.csv", "time", change, data, error) &&
         change_times (t, t->faults, "faults.csv", "time", change, data, error);
}

void
wl_trace_drop_records (WlTrace *t, GHashTable *gone)
{
  if (t->recorded == NULL)
    return;
  g_autofree gboolean *records = g_new0 (gboolean, wl_table_rows (t->recorded) + 1);
  int ns = wl_table_column (t->recorded, "namespace"), name = wl_table_column (t->recorded, "job");

  for (guint i = 0; i < wl_table_rows (t->recorded); i++) {
    const char *space = wl_table_cell (t->recorded, i, ns);
    g_autofree char *key = g_strdup_printf ("%s/%s", *space != '\0' ? space : "default", wl_table_cell (t->recorded, i, name));

    records[i] = !g_hash_table_contains (gone, key);
  }
  wl_table_filter (t->recorded, records);
}

void
wl_trace_keep_jobs (WlTrace *t, const gboolean *keep)
{
  guint n = wl_table_rows (t->jobs);
  g_autofree gboolean *rows = g_new0 (gboolean, n + 1);
  g_autoptr (GHashTable) gone = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  int ns = wl_table_column (t->jobs, "namespace"), name = wl_table_column (t->jobs, "job");

  for (guint i = 0; i < n; i++) {
    const char *space = wl_table_cell (t->jobs, i, ns);

    rows[i] = keep[t->job_of[i]];
    if (!rows[i])
      g_hash_table_add (gone, g_strdup_printf ("%s/%s", *space != '\0' ? space : "default", wl_table_cell (t->jobs, i, name)));
  }
  wl_table_filter (t->jobs, rows);
  wl_trace_drop_records (t, gone);
  wl_trace_index_jobs (t);
}

/* ---- window -------------------------------------------------------------------------------------- */

static WlTime
earlier (WlTime time, gconstpointer data)
{
  return time - *(const WlTime *) data;
}

/* What had happened before is so from the start. */
static WlTime
earlier_from_zero (WlTime time, gconstpointer data)
{
  return MAX (time - *(const WlTime *) data, 0);
}

/* Faults that were over: those without `every` that begin before. */
static gboolean
drop_past_faults (WlTrace *t, WlTime from, GError **error)
{
  int at = t->faults != NULL ? wl_table_column (t->faults, "time") : -1, every = t->faults != NULL ? wl_table_column (t->faults, "every") : -1;

  if (t->faults == NULL)
    return TRUE;
  g_autofree gboolean *keep = g_new0 (gboolean, wl_table_rows (t->faults) + 1);

  for (guint i = 0; i < wl_table_rows (t->faults); i++) {
    WlTime time = 0;
    gboolean given;

    if (!wl_trace_time_of (t, t->faults, "faults.csv", i, at, &time, &given, error))
      return FALSE;
    keep[i] = time >= from || *wl_table_cell (t->faults, i, every) != '\0';
  }
  wl_table_filter (t->faults, keep);
  return TRUE;
}

gboolean
wl_trace_begin_at (WlTrace *t, WlTime from, GError **error)
{
  if (t->start != WL_TIME_NONE)
    t->start += from;
  return drop_past_faults (t, from, error) && change_others (t, earlier_from_zero, &from, error);
}

typedef struct { WlTime from, to; } Window;

static gboolean
is_inside (const WlObjectFacts *facts, gpointer user, GError **error)
{
  const Window *w = user;

  return facts->submit >= w->from && facts->submit < w->to;
}

static gboolean
cut_objects (WlTrace *t, WlTime from, WlTime to, GError **error)
{
  g_autoptr (GHashTable) gone = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Window w = { from, to };

  if (t->objects == NULL)
    return TRUE;
  if (!wl_object_texts_keep (t->objects, "--from and --to", is_inside, &w, gone, error) || !wl_object_texts_times (t->objects, "--from", earlier_from_zero, &from, NULL, NULL, error))
    return FALSE;
  wl_trace_drop_records (t, gone);
  return TRUE;
}

gboolean
wl_trace_window (WlTrace *t, WlTime from, WlTime to, GError **error)
{
  g_autofree gboolean *keep = g_new0 (gboolean, t->n_jobs + 1);
  int submit = wl_table_column (t->jobs, "submit");

  for (guint i = 0; i < wl_table_rows (t->jobs); i++) {
    WlTime time = 0;
    gboolean given;

    if (!wl_trace_time_of (t, t->jobs, "jobs.csv", i, submit, &time, &given, error))
      return FALSE;
    keep[t->job_of[i]] = time >= from && time < to;
  }
  wl_trace_keep_jobs (t, keep);
  return cut_objects (t, from, to, error) && wl_trace_begin_at (t, from, error) && change_jobs (t, earlier, &from, error);
}

/* ---- stretching ---------------------------------------------------------------------------------- */

static WlTime
stretched (WlTime time, gconstpointer data)
{
  double x = floor ((double) time * *(const double *) data + 0.5);

  return fabs (x) < (double) WL_TIME_MAX ? (WlTime) x : WL_TIME_NONE;
}

/* Times of a cell: "d1|d2", each "a>b"; of `scale` "1h:5>2h:1", where what stands behind the colon is no time. NULL with @error. (transfer full) */
static char *
stretched_spans (const char *text, gconstpointer factor, GError **error)
{
  g_autoptr (GString) made = g_string_new (NULL);

  while (*text != '\0') {
    gsize len = strcspn (text, "|>"), of_time = MIN (len, strcspn (text, ":"));
    g_autofree char *one = g_strndup (text, of_time);
    WlTime time;

    if (!wl_parse_time (one, TRUE, &time, error) ||
        (time != WL_TIME_NEVER && (time = stretched (time, factor)) == WL_TIME_NONE && !too_late ("--stretch-run", error)))
      return NULL;
    wl_append_time (made, time);
    g_string_append_len (made, text + of_time, (gssize) (len - of_time));
    text += len;
    if (*text != '\0')
      g_string_append_c (made, *text++);
  }
  return g_string_free (g_steal_pointer (&made), FALSE);
}

static gboolean
stretch_column (WlTrace *t, const char *column, double factor, GError **error)
{
  int at = wl_table_column (t->jobs, column);

  for (guint i = 0; at >= 0 && i < wl_table_rows (t->jobs); i++) {
    g_autofree char *made = stretched_spans (wl_table_cell (t->jobs, i, at), &factor, error);

    if (made == NULL)
      return wl_trace_locate (t, t->jobs, "jobs.csv", i, at, error);
    wl_table_set (t->jobs, i, (guint) at, made);
  }
  return TRUE;
}

static gboolean
stretch_durations (WlTrace *t, double factor, GError **error)
{
  return stretch_column (t, "duration", factor, error) && stretch_column (t, "walltime", factor, error) && stretch_column (t, "checkpoint", factor, error)
         && stretch_column (t, "scale", factor, error);
}

gboolean
wl_trace_stretch (WlTrace *t, double factor, double run, GError **error)
{
  if (t->objects != NULL && (factor != 1 || run != 1) &&
      !wl_object_texts_times (t->objects, factor != 1 ? "--stretch" : "--stretch-run", factor != 1 ? stretched : NULL, &factor, run != 1 ? stretched_spans : NULL, &run, error))
    return FALSE;
  return (factor == 1 || (change_jobs (t, stretched, &factor, error) && change_others (t, stretched, &factor, error))) && (run == 1 || stretch_durations (t, run, error));
}

/* ---- order --------------------------------------------------------------------------------------- */

typedef struct { guint row, job; WlTime submit; } Placed;

static int
by_submit (gconstpointer a, gconstpointer b)
{
  const Placed *x = a, *y = b;

  return x->submit != y->submit ? (x->submit < y->submit ? -1 : 1) : (x->row > y->row) - (x->row < y->row);
}

/* Rows by submission of their job, rows of a job together as they came. */
gboolean
wl_trace_sort_jobs (WlTrace *t, GError **error)
{
  guint n = wl_table_rows (t->jobs);
  g_autofree Placed *placed = g_new0 (Placed, n + 1);
  g_autofree guint *order = g_new0 (guint, n + 1);
  int submit = wl_table_column (t->jobs, "submit");

  for (guint i = 0; i < n; i++) {
    gboolean given;

    placed[i] = (Placed) { i, t->job_of[i], 0 };
    if (!wl_trace_time_of (t, t->jobs, "jobs.csv", i, submit, &placed[i].submit, &given, error))
      return FALSE;
  }
  qsort (placed, n, sizeof (Placed), by_submit);
  for (guint i = 0; i < n; i++)
    order[i] = placed[i].row;
  wl_table_order (t->jobs, order);
  wl_trace_index_jobs (t);
  return TRUE;
}

/* ---- queues -------------------------------------------------------------------------------------- */

static const char *
mapped (const char *queue, gconstpointer data)
{
  const char *const *pairs = data;
  const char *rest = NULL;

  for (guint i = 0; pairs[i] != NULL; i++) {
    const char *equals = strchr (pairs[i], '=');

    if ((gsize) (equals - pairs[i]) == strlen (queue) && g_str_has_prefix (pairs[i], queue))
      return equals + 1;
    if (g_str_has_prefix (pairs[i], "*="))
      rest = equals + 1;
  }
  return rest != NULL ? rest : queue;
}

static void
note_queue (const char *queue, gpointer user)
{
  GPtrArray *names = user;

  g_ptr_array_add (names, g_strdup (queue));
}

gboolean
wl_trace_map_queues (WlTrace *t, const char *const *pairs, GError **error)
{
  guint queue = wl_table_need (t->jobs, "queue");

  for (guint i = 0; pairs[i] != NULL; i++) {
    const char *equals = strchr (pairs[i], '=');

    if (equals == NULL || equals == pairs[i] || equals[1] == '\0') {
      g_autofree char *shown = wl_shown (pairs[i]);
      g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "--map-queue, expected OLD=NEW, found %s", shown);
      return FALSE;
    }
    if (strcmp (equals + 1, "root") == 0) {
      g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "--map-queue, expected a queue that can have jobs, found root in '%s'", pairs[i]);
      return FALSE;
    }
    for (guint k = 0; k < i; k++)
      if (strncmp (pairs[k], pairs[i], (gsize) (equals - pairs[i]) + 1) == 0) {
        g_set_error (error, WL_ERROR, WL_ERROR_CONFLICT, "--map-queue, expected one new name for each queue, found '%s' and '%s'", pairs[k], pairs[i]);
        return FALSE;
      }
  }
  for (guint i = 0; i < wl_table_rows (t->jobs); i++) {
    const char *text = wl_table_cell (t->jobs, i, (int) queue);
    g_autofree char *now = g_strdup (mapped (*text != '\0' ? text : "default", pairs));

    wl_table_set (t->jobs, i, queue, now);
  }
  g_autoptr (GPtrArray) used = g_ptr_array_new_with_free_func (g_free); /* by jobs, then by objects */

  for (guint i = 0; i < wl_table_rows (t->jobs); i++)
    note_queue (wl_table_cell (t->jobs, i, (int) queue), used);
  if (t->objects != NULL && !wl_object_texts_queues (t->objects, "--map-queue", mapped, pairs, note_queue, used, error))
    return FALSE;
  if (t->queues == NULL)
    t->queues = wl_table_new ("queue");
  /* Rows of queues that nobody is in any more go, unless others have them for a parent; queues that are new get a row. */
  g_autoptr (GHashTable) there = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL), parents = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  int name = wl_table_column (t->queues, "queue"), parent = wl_table_column (t->queues, "parent");
  g_autofree gboolean *keep = g_new0 (gboolean, wl_table_rows (t->queues) + 1);

  for (guint i = 0; i < wl_table_rows (t->queues); i++)
    g_hash_table_add (parents, g_strdup (wl_table_cell (t->queues, i, parent)));
  for (guint i = 0; i < wl_table_rows (t->queues); i++) {
    const char *text = wl_table_cell (t->queues, i, name);

    keep[i] = strcmp (mapped (text, pairs), text) == 0 || strcmp (text, "root") == 0 || g_hash_table_contains (parents, text);
    if (keep[i])
      g_hash_table_add (there, g_strdup (text));
  }
  wl_table_filter (t->queues, keep);
  for (guint i = 0; i < used->len; i++) {
    const char *text = used->pdata[i];

    if (strcmp (text, "default") == 0 || !g_hash_table_add (there, g_strdup (text)))
      continue;
    wl_table_set (t->queues, wl_table_add_row (t->queues), (guint) name, text);
  }
  return TRUE;
}

/* ---- merging ------------------------------------------------------------------------------------- */

static void
prefix_cells (WlTable *table, const char *column, const char *prefix)
{
  int at = table != NULL ? wl_table_column (table, column) : -1;

  for (guint i = 0; at >= 0 && i < wl_table_rows (table); i++) {
    const char *text = wl_table_cell (table, i, at);
    g_autofree char *now = *text != '\0' ? g_strdup_printf ("%s-%s", prefix, text) : g_strdup ("");

    wl_table_set (table, i, (guint) at, now);
  }
}

/* "k=v" more in a cell of pairs; of nodes only where labels are given anew. */
static void
add_pair (WlTable *table, const char *column, const char *pair, gboolean nodes)
{
  guint at = wl_table_need (table, column);
  int event = wl_table_column (table, "event");

  for (guint i = 0; i < wl_table_rows (table); i++) {
    const char *text = wl_table_cell (table, i, (int) at), *what = wl_table_cell (table, i, event);
    gboolean fresh = *what == '\0' || strcmp (what, "add") == 0;
    g_autofree char *now = *text != '\0' ? g_strdup_printf ("%s;%s", text, pair) : g_strdup (pair);

    if (!nodes || fresh || (*text != '\0' && strcmp (what, "update") == 0))
      wl_table_set (table, i, at, now);
  }
}

static const char *
always (const char *queue, gconstpointer data)
{
  return data;
}

static gboolean
name_cluster (WlTrace *t, gboolean queues, gboolean pin, GError **error)
{
  g_autofree char *pair = g_strdup_printf ("cluster=%s", t->name);

  if (pin && !wl_object_texts_refuse (t->objects, "--pin", error))
    return FALSE;
  if (t->objects != NULL && (!wl_object_texts_prefix (t->objects, t->name, error) ||
                             (queues && !wl_object_texts_queues (t->objects, "--queue-per-cluster", always, t->name, NULL, NULL, error))))
    return FALSE;
  prefix_cells (t->nodes, "node", t->name);
  prefix_cells (t->jobs, "job", t->name);
  prefix_cells (t->recorded, "job", t->name);
  add_pair (t->nodes, "labels", pair, TRUE);
  if (pin)
    add_pair (t->jobs, "node_selector", pair, FALSE);
  if (!queues)
    return TRUE;
  guint queue = wl_table_need (t->jobs, "queue");

  for (guint i = 0; i < wl_table_rows (t->jobs); i++)
    wl_table_set (t->jobs, i, queue, t->name);
  wl_table_free (t->queues);
  t->queues = wl_table_new ("queue");
  wl_table_set (t->queues, wl_table_add_row (t->queues), 0, t->name);
  return TRUE;
}

static void
append_all (WlTable **to, const WlTable *from)
{
  if (from == NULL)
    return;
  if (*to == NULL)
    *to = wl_table_new (wl_table_name (from, 0));
  for (guint i = 0; i < wl_table_rows (from); i++)
    (void) wl_table_append (*to, from, i);
}

/* Does row @i of @a say the same as row @k of @b? A column that one of them has not is empty there. */
static gboolean
same_row (const WlTable *a, guint i, const WlTable *b, guint k)
{
  for (guint c = 0; c < wl_table_width (a); c++)
    if (strcmp (wl_table_cell (a, i, (int) c), wl_table_cell (b, k, wl_table_column (b, wl_table_name (a, c)))) != 0)
      return FALSE;
  for (guint c = 0; c < wl_table_width (b); c++)
    if (wl_table_column (a, wl_table_name (b, c)) < 0 && *wl_table_cell (b, k, (int) c) != '\0')
      return FALSE;
  return TRUE;
}

/* The rows of the queue of row @row of @from, in @from and in @t: 0, there is none in @t; 1, both say the same; -1, they differ. */
static int
agree_on (const WlTable *t, const WlTable *from, guint row)
{
  const char *name = wl_table_cell (from, row, wl_table_column (from, "queue"));
  const int here = wl_table_column (t, "queue"), there = wl_table_column (from, "queue");
  gboolean any = FALSE;
  guint k = 0;

  for (guint i = 0; i < wl_table_rows (t); i++) {
    if (strcmp (wl_table_cell (t, i, here), name) != 0)
      continue;
    for (any = TRUE; k < wl_table_rows (from) && strcmp (wl_table_cell (from, k, there), name) != 0;)
      k++;
    if (k == wl_table_rows (from) || !same_row (t, i, from, k++))
      return -1;
  }
  for (; any && k < wl_table_rows (from); k++)
    if (strcmp (wl_table_cell (from, k, there), name) == 0)
      return -1;
  return any;
}

/* Clusters may agree on a queue: its rows are there once. */
static gboolean
append_queues (WlTrace *t, const WlTrace *from, GError **error)
{
  if (from->queues == NULL)
    return TRUE;
  if (t->queues == NULL)
    t->queues = wl_table_new (wl_table_name (from->queues, 0));
  g_autofree gboolean *news = g_new0 (gboolean, wl_table_rows (from->queues) + 1);

  for (guint i = 0; i < wl_table_rows (from->queues); i++) {
    const int agree = agree_on (t->queues, from->queues, i);

    if (agree < 0) {
      g_set_error (error, WL_ERROR, WL_ERROR_CONFLICT, "%s and %s both have a queue '%s', expected the same rows for it, --queue-per-cluster or --map-queue, found others", t->folder,
                   from->folder, wl_table_cell (from->queues, i, wl_table_column (from->queues, "queue")));
      return FALSE;
    }
    news[i] = agree == 0;
  }
  for (guint i = 0; i < wl_table_rows (from->queues); i++)
    if (news[i])
      (void) wl_table_append (t->queues, from->queues, i);
  return TRUE;
}

gboolean
wl_trace_merge (WlTrace *t, WlTrace *const *more, guint n, gboolean queues, gboolean pin, GError **error)
{
  for (guint i = 0; i < n; i++)
    for (guint k = 0; k <= i; k++)
      if (strcmp (more[i]->name, k == 0 ? t->name : more[k - 1]->name) == 0) {
        g_set_error (error, WL_ERROR, WL_ERROR_CONFLICT, "%s: expected folders of different names, which become those of the clusters, found '%s' twice", more[i]->folder, more[i]->name);
        return FALSE;
      }
  if (!name_cluster (t, queues, pin, error))
    return FALSE;
  for (guint i = 0; i < n; i++) {
    if (more[i]->faults != NULL || t->faults != NULL) {
      g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s: faults of several clusters cannot be merged: their targets would mean nodes of all", t->faults != NULL ? t->folder : more[i]->folder);
      return FALSE;
    }
    if (!wl_trace_same_settings (t, more[i], error) || !wl_trace_sort_jobs (more[i], error)) /* a bad time is named with the folder that it is in */
      return FALSE;
    if (!name_cluster (more[i], queues, pin, error))
      return FALSE;
    if (t->objects == NULL)
      t->objects = g_steal_pointer (&more[i]->objects);
    else if (more[i]->objects != NULL && !wl_object_texts_append (t->objects, more[i]->objects, error))
      return FALSE;
    append_all (&t->nodes, more[i]->nodes);
    append_all (&t->jobs, more[i]->jobs);
    append_all (&t->recorded, more[i]->recorded);
    if (!append_queues (t, more[i], error))
      return FALSE;
  }
  wl_trace_index_jobs (t);
  return wl_trace_sort_jobs (t, error);
}

/* ---- writing ------------------------------------------------------------------------------------- */

static gboolean
add_table (WlFolder *f, const char *name, const WlTable *table, GString *scenario, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (table == NULL || (wl_table_rows (table) == 0 && strcmp (name, "jobs.csv") != 0 && strcmp (name, "nodes.csv") != 0))
    return TRUE;
  wl_table_write (table, text);
  g_autofree char *key = g_strndup (name, strlen (name) - 4);

  g_string_append_printf (scenario, "%s: %s\n", key, name);
  return wl_folder_add (f, name, text->str, text->len, error);
}

/* Objects are read as a run would before they are written: a step that breaks them would be our own fault. */
static gboolean
add_objects (WlFolder *f, const WlTrace *t, GString *scenario, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (wl_object_texts_count (t->objects) == 0)
    return TRUE;
  wl_object_texts_write (t->objects, text);
  g_autoptr (WlObjects) read = wl_objects_parse_workload (text->str, text->len, "objects.yaml", error);

  if (read == NULL) {
    g_prefix_error (error, "%s: what it makes cannot be read: ", t->folder);
    return FALSE;
  }
  g_string_append (scenario, "objects: objects.yaml\n");
  return wl_folder_add (f, "objects.yaml", text->str, text->len, error);
}

WlFolder *
wl_trace_write (const WlTrace *t, const char *folder, GError **error)
{
  g_autoptr (WlFolder) f = wl_folder_begin (folder, "transform", error);
  g_autoptr (GString) scenario = g_string_new (NULL);

  if (f == NULL || !add_table (f, "nodes.csv", t->nodes, scenario, error) || !add_table (f, "jobs.csv", t->jobs, scenario, error) ||
      !add_table (f, "queues.csv", t->queues, scenario, error) || !add_table (f, "faults.csv", t->faults, scenario, error) ||
      !add_table (f, "recorded.csv", t->recorded, scenario, error) || !add_objects (f, t, scenario, error))
    return NULL;
  wl_trace_append_settings (t, scenario);
  if ((t->conf != NULL && !wl_folder_add (f, "volcano-scheduler.conf", t->conf, strlen (t->conf), error)) ||
      !wl_folder_add (f, "scenario.yaml", scenario->str, scenario->len, error) || !wl_folder_check_trace (f, t->folder, error))
    return NULL;
  return g_steal_pointer (&f);
}
