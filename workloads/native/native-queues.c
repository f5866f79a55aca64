/* workloads/native/native-queues.c - queues.csv: queues, and their changes.
 *
 * A row at a later time changes the queue: given cells replace, each group of capability, guarantee
 * and deserved as a whole. What the cluster starts with must be sound: a parent is there, and
 * guarantee ≤ deserved ≤ capability. Later rows are requests that admission may refuse while the run
 * goes on (workloads/admission/queue-admission.c); only that a queue becomes its own ancestor, which Volcano
 * lets pass and then never gets out of, is refused here. Queues `root` and `default` are always
 * there. */
#include "workloads/text/trace-columns.h"
#include <string.h>

typedef enum {
  C_QUEUE,
  C_PARENT,
  C_WEIGHT,
  C_RECLAIMABLE,
  C_PRIORITY,
  C_STATE,
  C_TIME,
  C_STRATEGY,
  C_HIERARCHY,
  C_WEIGHTS,
  C_GROUPS, /* as many as there are lists of node groups, in their order */
  N_COLUMNS = C_GROUPS + WL_N_GROUP_LISTS
} Column;

static const WlColumn known[N_COLUMNS] = {
  [C_QUEUE] = { "queue", TRUE },        [C_PARENT] = { "parent", FALSE },
  [C_WEIGHT] = { "weight", FALSE },     [C_RECLAIMABLE] = { "reclaimable", FALSE },
  [C_PRIORITY] = { "priority", FALSE }, [C_STATE] = { "state", FALSE },
  [C_TIME] = { "time", FALSE },         [C_STRATEGY] = { "dequeue_strategy", FALSE },
  [C_HIERARCHY] = { "hierarchy", FALSE },
  [C_WEIGHTS] = { "hierarchy_weights", FALSE },
  [C_GROUPS + WL_GROUPS_REQUIRED] = { "node_group_affinity", FALSE },
  [C_GROUPS + WL_GROUPS_PREFERRED] = { "node_group_affinity_preferred", FALSE },
  [C_GROUPS + WL_GROUPS_ANTI_REQUIRED] = { "node_group_anti_affinity", FALSE },
  [C_GROUPS + WL_GROUPS_ANTI_PREFERRED] = { "node_group_anti_affinity_preferred", FALSE },
};

enum { CAPABILITY, GUARANTEE, DESERVED, N_GROUPS };
static const char *const group_names[N_GROUPS] = { "capability", "guarantee", "deserved" };

typedef struct {
  guint32 line, column; /* of the name */
  guint32 parent_column;
  guint32 group_column[N_GROUPS]; /* of the first given cell */
} Place;

typedef struct {
  WlCsv *csv;
  int where[N_COLUMNS];
  GArray *amounts[N_GROUPS]; /* WlAmountColumn */
  GArray *rows;              /* WlQueueRow */
  GArray *places;            /* Place, one a row */
} Reader;

/* What a queue is at one moment: the rows that say it. */
typedef struct {
  const char *parent;            /* NULL: root */
  const GArray *group[N_GROUPS]; /* NULL: not given */
} Queue;

/* capability/…, guarantee/…, deserved/… */
static gboolean
sort_columns (Reader *r, const GArray *others, GError **error)
{
  for (guint i = 0; i < others->len; i++) {
    guint cell = g_array_index (others, guint, i), g = 0;
    const char *name = wl_csv_header (r->csv, cell), *slash = strchr (name, '/');
    WlAmountColumn column = { (int) cell, slash != NULL ? slash + 1 : NULL };

    if (g_str_has_prefix (name, "x_"))
      continue;
    while (slash != NULL && g < N_GROUPS
           && (strlen (group_names[g]) != (gsize) (slash - name)
               || !g_str_has_prefix (name, group_names[g])))
      g++;
    if (slash == NULL)
      return wl_csv_unknown_column (r->csv, cell, known, N_COLUMNS, error);
    if (g == N_GROUPS) {
      g_autofree char *shown = wl_shown (name);

      return wl_csv_refuse (r->csv, (int) cell, WL_ERROR_HEADER, "unknown column",
                            "capability/…, guarantee/… or deserved/… with the name of a resource",
                            shown, error);
    }
    if (!wl_check_resource (column.resource, error))
      return wl_csv_locate (r->csv, (int) cell, error);
    g_array_append_val (r->amounts[g], column);
  }
  return TRUE;
}

static gboolean
read_amounts (const Reader *r, WlQueueRow *row, Place *place, GError **error)
{
  GArray *const groups[N_GROUPS] = { row->capability, row->guarantee, row->deserved };

  for (guint g = 0; g < N_GROUPS; g++) {
    gboolean given;
    guint32 line;
    guint i = 0;

    if (!wl_trace_amounts (r->csv, r->amounts[g], TRUE, groups[g], &given, error))
      return FALSE;
    if (!given)
      continue;
    while (*wl_csv_cell (r->csv, g_array_index (r->amounts[g], WlAmountColumn, i).cell) == '\0')
      i++;
    wl_csv_place (r->csv, g_array_index (r->amounts[g], WlAmountColumn, i).cell, &line,
                  &place->group_column[g]);
    if (strcmp (row->name, "root") == 0 && row->time == 0)
      return wl_csv_refuse (r->csv, g_array_index (r->amounts[g], WlAmountColumn, i).cell,
                            WL_ERROR_VALUE, "queue root cannot be given resources", "empty cells",
                            group_names[g], error);
  }
  return TRUE;
}

static char *
text_cell (const Reader *r, int column)
{
  const char *text = wl_csv_cell (r->csv, r->where[column]);

  return *text != '\0' ? g_strdup (text) : NULL;
}

/* What is no number: the strategy, annotations, and names of node groups between semicolons. */
static gboolean
read_texts (const Reader *r, WlQueueRow *row, GError **error)
{
  row->strategy = text_cell (r, C_STRATEGY);
  row->hierarchy = text_cell (r, C_HIERARCHY);
  row->hierarchy_weights = text_cell (r, C_WEIGHTS);
  if (row->strategy != NULL && strcmp (row->strategy, "fifo") != 0
      && strcmp (row->strategy, "traverse") != 0) {
    g_autofree char *shown = wl_shown (row->strategy);

    return wl_csv_refuse (r->csv, r->where[C_STRATEGY], WL_ERROR_VALUE, "unknown strategy",
                          "fifo or traverse", shown, error);
  }
  for (guint i = 0; i < WL_N_GROUP_LISTS; i++) {
    const char *text = wl_csv_cell (r->csv, r->where[C_GROUPS + i]);

    if (*text == '\0')
      continue;
    row->groups[i] = g_strsplit (text, ";", -1);
    for (char **name = row->groups[i]; *name != NULL; name++)
      if (**name == '\0')
        return wl_csv_refuse (r->csv, r->where[C_GROUPS + i], WL_ERROR_VALUE, "list of node groups",
                              "names with one ';' between them", "an empty name", error);
  }
  return TRUE;
}

static gboolean
read_row (Reader *r, GError **error)
{
  const char *name
      = wl_trace_name (r->csv, r->where[C_QUEUE], "the name of a queue", TRUE, WL_NAME_MAX, error);
  const char *parent = wl_csv_cell (r->csv, r->where[C_PARENT]),
             *state = wl_csv_cell (r->csv, r->where[C_STATE]);
  WlQueueRow *row;
  Place place = { 0 };

  if (name == NULL)
    return FALSE;
  if (*parent != '\0'
      && wl_trace_name (r->csv, r->where[C_PARENT], "the name of a queue", TRUE, WL_NAME_MAX, error)
             == NULL)
    return FALSE;
  wl_csv_place (r->csv, r->where[C_QUEUE], &place.line, &place.column);
  if (*parent != '\0')
    wl_csv_place (r->csv, r->where[C_PARENT], &place.line, &place.parent_column);
  g_array_set_size (r->rows, r->rows->len + 1);
  row = &g_array_index (r->rows, WlQueueRow, r->rows->len - 1);
  *row = (WlQueueRow){ .name = g_strdup (name),
                       .parent = *parent != '\0' ? g_strdup (parent) : NULL,
                       .weight = -1,
                       .priority = -1,
                       .reclaimable = -1,
                       .capability = wl_resources_new (),
                       .guarantee = wl_resources_new (),
                       .deserved = wl_resources_new (),
                       .line = wl_csv_line (r->csv) };
  if (*state != '\0' && strcmp (state, "Open") != 0 && strcmp (state, "Closed") != 0
      && strcmp (state, "Deleted") != 0) {
    g_autofree char *shown = wl_shown (state);

    return wl_csv_refuse (r->csv, r->where[C_STATE], WL_ERROR_VALUE, "unknown state",
                          "Open, Closed or Deleted", shown, error);
  }
  row->state = *state != '\0' ? g_strdup (state) : NULL;
  if (!wl_trace_int (r->csv, r->where[C_WEIGHT], 1, 65535, &row->weight, error)
      || !wl_trace_int (r->csv, r->where[C_PRIORITY], 0, G_MAXINT32, &row->priority, error)
      || !wl_trace_bool (r->csv, r->where[C_RECLAIMABLE], &row->reclaimable, error)
      || !wl_trace_time (r->csv, r->where[C_TIME], &row->time, error)
      || !read_texts (r, row, error) || !read_amounts (r, row, &place, error))
    return FALSE;
  if (row->time == 0 && g_strcmp0 (row->state, "Deleted") == 0)
    return wl_csv_refuse (r->csv, r->where[C_STATE], WL_ERROR_CONFLICT,
                          "a queue that is deleted at the start", "a time above 0", "none", error);
  g_array_append_val (r->places, place);
  return TRUE;
}

static int
by_time (gconstpointer a, gconstpointer b, gpointer user)
{
  guint i = *(const guint *) a, j = *(const guint *) b;
  WlTime s = g_array_index ((GArray *) user, WlQueueRow, i).time,
         t = g_array_index ((GArray *) user, WlQueueRow, j).time;

  return s != t ? (s < t ? -1 : 1) : i < j ? -1 : i > j;
}

static const WlResource *
find_amount (const GArray *group, const char *name)
{
  for (guint i = 0; group != NULL && i < group->len; i++)
    if (strcmp (g_array_index (group, WlResource, i).name, name) == 0)
      return &g_array_index (group, WlResource, i);
  return NULL;
}

/* An amount for a message: bytes, or units with up to three decimals. */
static char *
show_amount (const WlResource *res)
{
  GString *out = g_string_new (NULL);

  if (wl_resource_is_bytes (res->name))
    g_string_append_printf (out, "%" G_GINT64_FORMAT, res->amount.value);
  else
    wl_append_time (out, res->amount.milli * 1000); /* at most WL_AMOUNT_MAX: no overflow */
  return g_string_free (out, FALSE);
}

/* Group @small of queue @name may not exceed group @large where both name a resource. */
static gboolean
check_pair (const Reader *r, guint i, const Queue *queue, guint small, guint large, GError **error)
{
  const WlQueueRow *row = &g_array_index (r->rows, WlQueueRow, i);
  const Place *place = &g_array_index (r->places, Place, i);

  for (guint k = 0; queue->group[small] != NULL && k < queue->group[small]->len; k++) {
    const WlResource *a = &g_array_index (queue->group[small], WlResource, k),
                     *b = find_amount (queue->group[large], a->name);
    g_autofree char *what = NULL, *expected = NULL, *most = NULL, *found = NULL;
    guint32 column
        = place->group_column[small] > 0 ? place->group_column[small] : place->group_column[large];

    if (b == NULL || a->amount.value < b->amount.value
        || (a->amount.value == b->amount.value && a->amount.milli <= b->amount.milli))
      continue;
    what = g_strdup_printf ("queue '%s' has %s/%s above %s/%s", row->name, group_names[small],
                            a->name, group_names[large], a->name);
    most = show_amount (b);
    found = show_amount (a);
    expected = g_strdup_printf ("at most %s", most);
    return wl_csv_refuse_at (r->csv, place->line, column, WL_ERROR_CONFLICT, what, expected, found,
                             error);
  }
  return TRUE;
}

/* Apply row @i. */
static gboolean
apply (const Reader *r, GHashTable *queues, guint i, GError **error)
{
  const WlQueueRow *row = &g_array_index (r->rows, WlQueueRow, i);
  const Place *place = &g_array_index (r->places, Place, i);
  const GArray *given[N_GROUPS] = { row->capability, row->guarantee, row->deserved };
  Queue *queue = g_hash_table_lookup (queues, row->name);
  gboolean any = FALSE;

  if (queue == NULL) {
    queue = g_new0 (Queue, 1);
    g_hash_table_insert (queues, row->name, queue);
  }
  if (row->parent != NULL) {
    if (strcmp (row->name, "root") == 0)
      return wl_csv_refuse_at (r->csv, place->line, place->parent_column, WL_ERROR_CONFLICT,
                               "queue root has no parent", "an empty cell", "a name", error);
    queue->parent = row->parent;
  }
  for (guint g = 0; g < N_GROUPS; g++)
    if (given[g]->len > 0) {
      queue->group[g] = given[g];
      any = TRUE;
    }
  return !any || row->time > 0
         || (check_pair (r, i, queue, GUARANTEE, CAPABILITY, error)
             && check_pair (r, i, queue, DESERVED, CAPABILITY, error)
             && check_pair (r, i, queue, GUARANTEE, DESERVED, error));
}

/* The parent that row @i names, now that every row of its time is applied. A cycle that only begins
 * above the queue is the affair of its own rows; the bound on the steps ends the walk around it. */
static gboolean
check_parent (const Reader *r, GHashTable *queues, guint i, GError **error)
{
  const WlQueueRow *row = &g_array_index (r->rows, WlQueueRow, i);
  const Place *place = &g_array_index (r->places, Place, i);
  const Queue *queue = g_hash_table_lookup (queues, row->name), *up = queue;

  if (row->parent == NULL || queue->parent != row->parent)
    return TRUE;
  if (g_hash_table_lookup (queues, row->parent) == NULL && row->time > 0)
    return TRUE; /* for admission to say */
  if (g_hash_table_lookup (queues, row->parent) == NULL) {
    g_autofree char *shown = wl_shown (row->parent);

    return wl_csv_refuse_at (r->csv, place->line, place->parent_column, WL_ERROR_CONFLICT,
                             "unknown parent", "a queue that is there at that time", shown, error);
  }
  for (guint steps = g_hash_table_size (queues); steps > 0 && up != NULL && up->parent != NULL;
       steps--) {
    if (strcmp (up->parent, row->name) == 0) {
      g_autofree char *what = g_strdup_printf ("queue '%s' is its own ancestor", row->name);
      g_autofree char *shown = wl_shown (row->parent);

      return wl_csv_refuse_at (r->csv, place->line, place->parent_column, WL_ERROR_CONFLICT, what,
                               "parents that lead to root", shown, error);
    }
    up = g_hash_table_lookup (queues, up->parent);
  }
  return TRUE;
}

static gboolean
check_rows (const Reader *r, GError **error)
{
  g_autoptr (GHashTable) queues = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  g_autoptr (GHashTable) seen
      = g_hash_table_new (g_str_hash, g_str_equal); /* at the current time: name → row */
  g_autofree guint *order = g_new (guint, r->rows->len);
  guint n = r->rows->len;

  g_hash_table_insert (queues, (gpointer) "root", g_new0 (Queue, 1));
  g_hash_table_insert (queues, (gpointer) "default", g_new0 (Queue, 1));
  for (guint i = 0; i < n; i++)
    order[i] = i;
  g_qsort_with_data (order, (gint) n, sizeof (guint), by_time, r->rows);
  for (guint first = 0, end; first < n; first = end) {
    WlTime now = g_array_index (r->rows, WlQueueRow, order[first]).time;

    g_hash_table_remove_all (seen);
    for (end = first; end < n && g_array_index (r->rows, WlQueueRow, order[end]).time == now;
         end++) {
      WlQueueRow *row = &g_array_index (r->rows, WlQueueRow, order[end]);
      const WlQueueRow *earlier = g_hash_table_lookup (seen, row->name);
      const Place *place = &g_array_index (r->places, Place, order[end]);

      if (earlier != NULL) {
        g_autofree char *what = g_strdup_printf ("queue '%s' given twice at one time", row->name);
        g_autofree char *found = g_strdup_printf ("it in line %u as well", earlier->line);

        return wl_csv_refuse_at (r->csv, place->line, place->column, WL_ERROR_CONFLICT, what,
                                 "one row for each queue and time", found, error);
      }
      g_hash_table_insert (seen, row->name, row);
      if (!apply (r, queues, order[end], error))
        return FALSE;
    }
    for (guint k = first; k < end; k++)
      if (!check_parent (r, queues, order[k], error))
        return FALSE;
  }
  return TRUE;
}

GArray *
wl_read_queues (const char *path, GError **error)
{
  g_autoptr (WlCsv) csv = wl_csv_open (path, error);
  g_autoptr (GArray) rows = wl_queue_rows_new (),
                     places = g_array_new (FALSE, FALSE, sizeof (Place));
  g_autoptr (GArray) others = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) capability = g_array_new (FALSE, FALSE, sizeof (WlAmountColumn));
  g_autoptr (GArray) guarantee = g_array_new (FALSE, FALSE, sizeof (WlAmountColumn));
  g_autoptr (GArray) deserved = g_array_new (FALSE, FALSE, sizeof (WlAmountColumn));
  Reader r = {
    .csv = csv, .amounts = { capability, guarantee, deserved }, .rows = rows, .places = places
  };
  gboolean got;

  if (csv == NULL || !wl_csv_columns (csv, known, N_COLUMNS, r.where, others, error)
      || !sort_columns (&r, others, error))
    return NULL;
  for (;;) {
    if (!wl_csv_next (csv, &got, error))
      return NULL;
    if (!got)
      break;
    if (!read_row (&r, error))
      return NULL;
  }
  return check_rows (&r, error) ? g_steal_pointer (&rows) : NULL;
}
