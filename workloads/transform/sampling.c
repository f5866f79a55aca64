/* More or fewer jobs: which of them, and copies under names of their own. */
#include "trace-private.h"
#include "core/base/random.h"
#include "workloads/text/parse.h"
#include <math.h>
#include <stdlib.h>

typedef struct { guint64 draw; guint job; } Drawn;

static int
by_draw (gconstpointer a, gconstpointer b)
{
  const Drawn *x = a, *y = b;

  return x->draw != y->draw ? (x->draw < y->draw ? -1 : 1) : (x->job > y->job) - (x->job < y->job);
}

static void
move_cell (WlTable *table, guint row, int column, WlTime by)
{
  WlTime time;

  if (column >= 0 && wl_parse_time (wl_table_cell (table, row, column), FALSE, &time, NULL))
    wl_trace_set_time (table, row, (guint) column, MAX (time + by, 0));
}

/* One more of job @job, under the name of copy @copy. */
static void
copy_job (WlTrace *t, guint job, guint first_row, guint n_rows, guint copy, WlTime move, guint64 seed)
{
  guint name = wl_table_need (t->jobs, "job");
  int submit = wl_table_column (t->jobs, "submit"), gone = wl_table_column (t->jobs, "delete");
  VcRandom r;

  vc_random_init (&r, seed, "move", wl_table_cell (t->jobs, first_row, (int) name), copy);
  WlTime by = move > 0 ? (WlTime) vc_random_below (&r, (guint64) move * 2 + 1) - move : 0;

  for (guint i = first_row; i < n_rows; i++) {
    if (t->job_of[i] != job)
      continue;
    guint made = wl_table_append (t->jobs, t->jobs, i);
    g_autofree char *new_name = g_strdup_printf ("%s-x%u", wl_table_cell (t->jobs, i, (int) name), copy + 1);

    wl_table_set (t->jobs, made, name, new_name);
    move_cell (t->jobs, made, submit, by);
    move_cell (t->jobs, made, gone, by);
  }
}

/* The same of the jobs and flows among the objects: a flow is drawn as one. */
typedef struct { guint next; guint *copies; WlTime move; guint64 seed; GPtrArray *names; } ObjectSample;

static gboolean
note_unit (const WlObjectFacts *facts, gpointer user, GError **error)
{
  ObjectSample *s = user;

  g_ptr_array_add (s->names, g_strdup (facts->name));
  return TRUE;
}

static gboolean
is_drawn (const WlObjectFacts *facts, gpointer user, GError **error)
{
  ObjectSample *s = user;

  return s->copies[s->next++] > 0;
}

static WlTime
move_copy (guint unit, const char *name, guint copy, gpointer user)
{
  const ObjectSample *s = user;
  VcRandom r;

  vc_random_init (&r, s->seed, "move", name, copy);
  return s->move > 0 ? (WlTime) vc_random_below (&r, (guint64) s->move * 2 + 1) - s->move : 0;
}

static gboolean
sample_objects (WlTrace *t, double factor, WlTime move, guint64 seed, GError **error)
{
  g_autoptr (GHashTable) gone = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  ObjectSample s = { 0, NULL, move, seed, names };

  if (t->objects == NULL)
    return TRUE;
  if (!wl_object_texts_keep (t->objects, "--sample", note_unit, &s, gone, error))
    return FALSE;
  const guint n = names->len, whole = (guint) factor, part = (guint) floor ((factor - whole) * n + 0.5);
  g_autofree Drawn *drawn = g_new0 (Drawn, n + 1);
  g_autofree guint *copies = g_new0 (guint, n + 1);

  if (factor * n > 100e6) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s: expected at most 100 million jobs, found a factor that makes %.0f", t->folder, factor * n);
    return FALSE;
  }
  for (guint k = 0; k < n; k++) {
    VcRandom r;

    vc_random_init (&r, seed, "sample", names->pdata[k], k);
    drawn[k] = (Drawn) { vc_random_next (&r), k };
  }
  qsort (drawn, n, sizeof (Drawn), by_draw);
  for (guint k = 0; k < n; k++)
    copies[drawn[k].job] = (whole > 0 ? whole - 1 : 0) + (k < part);
  s.copies = copies;
  if (whole > 0)
    return wl_object_texts_copy (t->objects, copies, move_copy, &s, error);
  if (!wl_object_texts_keep (t->objects, "--sample", is_drawn, &s, gone, error))
    return FALSE;
  wl_trace_drop_records (t, gone);
  return TRUE;
}

gboolean
wl_trace_sample (WlTrace *t, double factor, WlTime move, guint64 seed, GError **error)
{
  if (!sample_objects (t, factor, move, seed, error))
    return FALSE;
  guint n = t->n_jobs, n_rows = wl_table_rows (t->jobs), whole = (guint) factor, part = (guint) floor ((factor - whole) * n + 0.5);
  g_autofree Drawn *drawn = g_new0 (Drawn, n + 1);
  g_autofree guint *first = g_new0 (guint, n + 1);

  if (factor * n > 100e6) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s: expected at most 100 million jobs, found a factor that makes %.0f", t->folder, factor * n);
    return FALSE;
  }
  for (guint i = n_rows; i-- > 0;)
    first[t->job_of[i]] = i;
  for (guint k = 0; k < n; k++) {
    VcRandom r;

    vc_random_init (&r, seed, "sample", wl_table_cell (t->jobs, first[k], wl_table_column (t->jobs, "job")), k);
    drawn[k] = (Drawn) { vc_random_next (&r), k };
  }
  qsort (drawn, n, sizeof (Drawn), by_draw);
  if (whole == 0) {
    g_autofree gboolean *keep = g_new0 (gboolean, n + 1);

    for (guint k = 0; k < part; k++)
      keep[drawn[k].job] = TRUE;
    wl_trace_keep_jobs (t, keep);
    return TRUE;
  }
  for (guint copy = 1; copy <= whole; copy++) /* copy 0 is the job itself */
    for (guint k = 0; k < (copy < whole ? n : part); k++)
      copy_job (t, drawn[k].job, first[drawn[k].job], n_rows, copy, move, seed);
  wl_trace_index_jobs (t);
  return wl_trace_sort_jobs (t, error);
}
