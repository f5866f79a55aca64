/* Conditions on jobs: COLUMN, a comparison, and values. */
#include "trace-private.h"
#include "workloads/native/append.h"
#include "workloads/text/parse.h"
#include <math.h>
#include <string.h>

typedef enum { IS, IS_NOT, LESS, AT_MOST, MORE, AT_LEAST } Comparison;
typedef enum { OF_TEXT, OF_TIME, OF_NUMBER, OF_AMOUNT } Sort;
typedef struct {
  char *column;
  Comparison comparison;
  Sort sort;
  char **values;   /* of texts */
  double number;   /* of the others: µs, or units */
} Condition;

static void
condition_clear (gpointer data)
{
  Condition *c = data;

  g_free (c->column);
  g_strfreev (c->values);
}

static gboolean
refuse (const char *text, const char *expected, GError **error)
{
  g_autofree char *shown = wl_shown (text);

  g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "--keep %s, expected %s", shown, expected);
  return FALSE;
}

static gboolean
read_condition (const char *text, Condition *c, GError **error)
{
  static const struct { const char *sign; Comparison comparison; } signs[] = { { "!=", IS_NOT }, { "<=", AT_MOST }, { ">=", AT_LEAST }, { "<", LESS }, { ">", MORE }, { "=", IS } };
  static const char *const texts[] = { "job", "namespace", "queue", "priority", NULL }, *const times[] = { "submit", "duration", NULL }, *const amounts[] = { "cpu", "memory", "ephemeral-storage", NULL };
  gsize at = strcspn (text, "!<>=");
  guint k = 0;

  while (k < G_N_ELEMENTS (signs) && !g_str_has_prefix (text + at, signs[k].sign))
    k++;
  if (k == G_N_ELEMENTS (signs) || at == 0)
    return refuse (text, "COLUMN and one of = != < <= > >= and a value", error);
  const char *value = text + at + strlen (signs[k].sign);

  c->column = g_strndup (text, at);
  c->comparison = signs[k].comparison;
  if (g_strv_contains (times, c->column))
    c->sort = OF_TIME;
  else if (strcmp (c->column, "pods") == 0)
    c->sort = OF_NUMBER;
  else if (g_strv_contains (amounts, c->column) || strchr (c->column, '/') != NULL)
    c->sort = OF_AMOUNT;
  else if (!g_strv_contains (texts, c->column) && !g_str_has_prefix (c->column, "x_"))
    return refuse (text, "one of job, namespace, queue, priority, submit, duration, pods, a resource, or a column x_…", error);
  if (c->sort == OF_TEXT) {
    if (c->comparison != IS && c->comparison != IS_NOT)
      return refuse (text, "= or != for a text", error);
    c->values = g_strsplit (*value != '\0' ? value : "|", "|", -1); /* nothing is the empty text */
    return TRUE;
  }
  g_auto (WlDistribution) d = { 0 };

  if (!wl_parse_distribution_of (value, c->sort == OF_TIME ? WL_TIMES : c->sort == OF_NUMBER ? WL_NUMBERS : WL_AMOUNTS, &d, NULL) || !wl_distribution_is_constant (&d))
    return refuse (text, c->sort == OF_TIME ? "a time behind the comparison" : "a number behind the comparison", error);
  c->number = d.a;
  return TRUE;
}

/* The longest first run of its pods; endless is longer than any. */
static double
longest (const WlJob *job)
{
  double most = 0;

  for (guint i = 0; i < job->roles->len; i++) {
    const GArray *durations = g_array_index (job->roles, WlRole, i).durations;

    for (guint k = 0; k < durations->len; k++) {
      const GArray *runs = g_array_index (durations, GArray *, k);
      double d = runs->len > 0 && g_array_index (runs, WlTime, 0) != WL_TIME_NEVER ? (double) g_array_index (runs, WlTime, 0) : G_MAXDOUBLE;

      most = MAX (most, d);
    }
  }
  return most;
}

static double
number_of (const Condition *c, const WlJob *job)
{
  double sum = 0;

  if (strcmp (c->column, "submit") == 0)
    return (double) job->submit;
  if (strcmp (c->column, "duration") == 0)
    return longest (job);
  for (guint i = 0; i < job->roles->len; i++) {
    const WlRole *role = &g_array_index (job->roles, WlRole, i);

    if (c->sort == OF_NUMBER)
      sum += role->replicas;
    for (guint k = 0; c->sort == OF_AMOUNT && k < role->resources->len; k++) {
      const WlResource *r = &g_array_index (role->resources, WlResource, k);

      if (strcmp (r->name, c->column) == 0)
        sum += wl_units (r) * role->replicas;
    }
  }
  return sum;
}

static const char *
text_of (const Condition *c, const WlJob *job)
{
  if (strcmp (c->column, "job") == 0)
    return job->name;
  if (strcmp (c->column, "namespace") == 0)
    return job->ns;
  if (strcmp (c->column, "queue") == 0)
    return job->queue;
  if (strcmp (c->column, "priority") == 0)
    return job->priority != NULL ? job->priority : "";
  for (guint i = 0; i < job->extra->len; i++)
    if (strcmp (g_array_index (job->extra, WlPair, i).key, c->column) == 0)
      return g_array_index (job->extra, WlPair, i).value;
  return "";
}

static gboolean
compares (const Condition *c, double x)
{
  switch (c->comparison) {
  case IS:
    return x == c->number;
  case IS_NOT:
    return x != c->number;
  case LESS:
    return x < c->number;
  case AT_MOST:
    return x <= c->number;
  case MORE:
    return x > c->number;
  case AT_LEAST:
  default:
    return x >= c->number;
  }
}

static gboolean
holds (const Condition *c, const WlJob *job)
{
  if (c->sort == OF_TEXT)
    return g_strv_contains ((const char *const *) c->values, text_of (c, job)) == (c->comparison == IS);
  return compares (c, number_of (c, job));
}

/* The same of an object. */
static gboolean
holds_of_object (const Condition *c, const WlObjectFacts *f, GError **error)
{
  const char *text = strcmp (c->column, "job") == 0 ? f->name : strcmp (c->column, "namespace") == 0 ? f->ns : strcmp (c->column, "queue") == 0 ? f->queue : f->priority;
  double x = strcmp (c->column, "submit") == 0 ? (double) f->submit : c->sort == OF_NUMBER ? (double) f->pods : f->duration == WL_TIME_NEVER ? G_MAXDOUBLE : (double) f->duration;

  if (c->sort == OF_AMOUNT || g_str_has_prefix (c->column, "x_") || (c->sort == OF_TEXT && text == NULL)) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "--keep cannot be applied to it, expected a condition on job, namespace, queue, priority, submit, duration or pods%s, found one on %s",
                 c->sort == OF_TEXT && text == NULL ? " that is the same for all its steps" : "", c->column);
    return FALSE;
  }
  return c->sort == OF_TEXT ? g_strv_contains ((const char *const *) c->values, text) == (c->comparison == IS) : compares (c, x);
}

static gboolean
hold_of_object (const WlObjectFacts *facts, gpointer user, GError **error)
{
  const GArray *all = user;
  GError *e = NULL;
  gboolean keep = TRUE;

  for (guint i = 0; e == NULL && i < all->len; i++)
    keep &= holds_of_object (&g_array_index (all, Condition, i), facts, &e);
  if (e != NULL)
    g_propagate_error (error, e);
  return keep;
}

gboolean
wl_trace_keep (WlTrace *t, const char *const *conditions, GError **error)
{
  g_autoptr (GArray) all = g_array_new (FALSE, TRUE, sizeof (Condition));
  g_autofree gboolean *keep = g_new0 (gboolean, t->n_jobs + 1);
  g_autofree char *path = g_build_filename (t->folder, "jobs.csv", NULL);

  g_array_set_clear_func (all, condition_clear);
  for (guint i = 0; conditions[i] != NULL; i++) {
    g_array_set_size (all, i + 1);
    if (!read_condition (conditions[i], &g_array_index (all, Condition, i), error))
      return FALSE;
  }
  g_autoptr (GArray) jobs = t->n_jobs > 0 ? wl_read_jobs (path, error) : NULL; /* the same order of jobs; nothing has been changed yet */

  if (jobs == NULL && t->n_jobs > 0)
    return FALSE;
  for (guint j = 0; j < t->n_jobs; j++) {
    keep[j] = TRUE;
    for (guint i = 0; i < all->len; i++)
      keep[j] &= holds (&g_array_index (all, Condition, i), &g_array_index (jobs, WlJob, j));
  }
  wl_trace_keep_jobs (t, keep);
  g_autoptr (GHashTable) gone = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  if (t->objects != NULL && !wl_object_texts_keep (t->objects, "--keep", hold_of_object, all, gone, error))
    return FALSE;
  wl_trace_drop_records (t, gone);
  return TRUE;
}

/* ---- names that nobody has ----------------------------------------------------------------------- */

static gboolean
any_column (WlTrace *const *traces, guint n, const char *column)
{
  for (guint i = 0; i < n; i++)
    if (wl_table_column (traces[i]->jobs, column) >= 0)
      return TRUE;
  return FALSE;
}

typedef struct { GPtrArray *names; GHashTable *known; } Names;

static void
add_name (const char *name, gpointer user)
{
  Names *n = user;
  char *own;

  if (g_hash_table_contains (n->known, name))
    return;
  own = g_strdup (name);
  g_ptr_array_add (n->names, own);
  g_hash_table_add (n->known, own);
}

static const char *
itself (const char *queue, gconstpointer data)
{
  return queue;
}

/* Queues of jobs and objects; @rows: and of queues.csv, without root. In the order in which they come. */
static GPtrArray *
queues_of (WlTrace *const *traces, guint n, gboolean rows)
{
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  Names names = { g_ptr_array_new_with_free_func (g_free), known };

  for (guint i = 0; i < n; i++) {
    for (guint k = 0; k < (rows && traces[i]->queues != NULL ? 2 : 1); k++) {
      const WlTable *table = k == 0 ? traces[i]->jobs : traces[i]->queues;
      int at = wl_table_column (table, "queue");

      for (guint r = 0; r < wl_table_rows (table); r++) {
        const char *text = wl_table_cell (table, r, at), *name = *text != '\0' ? text : "default";

        if (!(k == 1 && strcmp (name, "root") == 0))
          add_name (name, &names);
      }
    }
    if (traces[i]->objects != NULL)
      (void) wl_object_texts_queues (traces[i]->objects, NULL, itself, NULL, add_name, &names, NULL);
  }
  return names.names;
}

/* Refuse @name for @option unless it is one of @names. */
static gboolean
known_queue (const GPtrArray *names, const char *option, const char *name, GError **error)
{
  g_autoptr (GString) all = g_string_new (NULL);

  for (guint i = 0; i < names->len; i++) {
    if (strcmp (names->pdata[i], name) == 0)
      return TRUE;
    if (i < 10)
      g_string_append_printf (all, "%s%s", i > 0 ? ", " : "", (const char *) names->pdata[i]);
  }
  g_autofree char *shown = wl_shown (name);
  g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s: no job has the queue %s, expected one of %s%s", option, shown, all->str, names->len > 10 ? ", \342\200\246" : "");
  return FALSE;
}

gboolean
wl_trace_check_names (WlTrace *const *traces, guint n, const char *const *conditions, const char *const *pairs, GError **error)
{
  g_autoptr (GPtrArray) of_jobs = queues_of (traces, n, FALSE), of_all = queues_of (traces, n, TRUE);

  for (guint i = 0; conditions != NULL && conditions[i] != NULL; i++) {
    Condition c = { 0 };
    gboolean good = read_condition (conditions[i], &c, error);

    if (good && (c.sort == OF_AMOUNT || g_str_has_prefix (c.column, "x_")) && !any_column (traces, n, c.column)) {
      g_autofree char *wanted = g_strdup_printf ("a column that jobs.csv has, found '%s', which no job has", c.column);
      good = refuse (conditions[i], wanted, error);
    }
    for (guint k = 0; good && strcmp (c.column, "queue") == 0 && c.values[k] != NULL; k++)
      good = known_queue (of_jobs, "--keep", c.values[k], error);
    condition_clear (&c);
    if (!good)
      return FALSE;
  }
  for (guint i = 0; pairs != NULL && pairs[i] != NULL; i++) {
    g_autofree char *old = g_strndup (pairs[i], strcspn (pairs[i], "="));

    if (strcmp (old, "*") != 0 && strchr (pairs[i], '=') != NULL && *old != '\0' && !known_queue (of_all, "--map-queue", old, error))
      return FALSE;
  }
  return TRUE;
}
