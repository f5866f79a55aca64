/* workloads/native/native-nodes.c - nodes.csv: nodes, and what happens to them.
 *
 * After reading, the rows are gone through in order of time to see that a node is added when it is
 * not there and anything else happens to it when it is. */
#include "workloads/text/trace-columns.h"
#include <string.h>

#define MAX_COUNT 1000000
#define MAX_ROWS 10000000 /* after expansion */

typedef enum {
  C_NODE,
  C_TIME,
  C_EVENT,
  C_CPU,
  C_MEMORY,
  C_PODS,
  C_STORAGE,
  C_LABELS,
  C_TAINTS,
  C_ANNOTATIONS,
  C_COUNT,
  N_COLUMNS
} Column;

static const WlColumn known[N_COLUMNS] = {
  [C_NODE] = { "node", TRUE },
  [C_TIME] = { "time", FALSE },
  [C_EVENT] = { "event", FALSE },
  [C_CPU] = { "cpu", FALSE },
  [C_MEMORY] = { "memory", FALSE },
  [C_PODS] = { "pods", FALSE },
  [C_STORAGE] = { "ephemeral-storage", FALSE },
  [C_LABELS] = { "labels", FALSE },
  [C_TAINTS] = { "taints", FALSE },
  [C_ANNOTATIONS] = { "annotations", FALSE },
  [C_COUNT] = { "count", FALSE },
};
static const char *const plain[] = { "cpu", "memory", "pods", "ephemeral-storage", NULL };
static const char *const events[] = {
  [WL_NODE_ADD] = "add",           [WL_NODE_UPDATE] = "update", [WL_NODE_CORDON] = "cordon",
  [WL_NODE_UNCORDON] = "uncordon", [WL_NODE_DRAIN] = "drain",   [WL_NODE_NOTREADY] = "notready",
  [WL_NODE_READY] = "ready",       [WL_NODE_REMOVE] = "remove"
};

typedef struct {
  guint32 line, column; /* of the node's name */
} Place;

typedef struct {
  WlCsv *csv;
  int where[N_COLUMNS];
  GArray *amounts; /* WlAmountColumn */
  GArray *rows;    /* WlNodeRow */
  GArray *places;  /* Place, one a row */
} Reader;

static gboolean
read_event (const Reader *r, WlNodeEvent *out, GError **error)
{
  const char *text = wl_csv_cell (r->csv, r->where[C_EVENT]);
  g_autofree char *shown = NULL;

  if (*text == '\0')
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (events); i++)
    if (strcmp (text, events[i]) == 0) {
      *out = (WlNodeEvent) i;
      return TRUE;
    }
  shown = wl_shown (text);
  return wl_csv_refuse (r->csv, r->where[C_EVENT], WL_ERROR_VALUE, "unknown event",
                        "add, update, cordon, uncordon, drain, notready, ready or remove", shown,
                        error);
}

/* The groups of cells: resources, labels, taints, annotations. The arrays of @row exist already. */
static gboolean
read_groups (const Reader *r, WlNodeRow *row, GError **error)
{
  const char *labels = wl_csv_cell (r->csv, r->where[C_LABELS]),
             *taints = wl_csv_cell (r->csv, r->where[C_TAINTS]),
             *annotations = wl_csv_cell (r->csv, r->where[C_ANNOTATIONS]);

  if (!wl_trace_amounts (r->csv, r->amounts, TRUE, row->resources, &row->has_resources, error))
    return FALSE;
  row->has_labels = *labels != '\0';
  row->has_taints = *taints != '\0';
  row->has_annotations = *annotations != '\0';
  if (row->has_labels) {
    g_clear_pointer (&row->labels, g_array_unref);
    if (!wl_parse_pairs (labels, &row->labels, error))
      return wl_csv_locate (r->csv, r->where[C_LABELS], error);
  }
  if (row->has_taints) {
    g_clear_pointer (&row->taints, g_array_unref);
    if (!wl_parse_taints (taints, &row->taints, error))
      return wl_csv_locate (r->csv, r->where[C_TAINTS], error);
  }
  if (row->has_annotations) {
    g_clear_pointer (&row->annotations, g_array_unref);
    if (!wl_parse_annotations (annotations, &row->annotations, error))
      return wl_csv_locate (r->csv, r->where[C_ANNOTATIONS], error);
  }
  if (row->event == WL_NODE_UPDATE && !row->has_resources && !row->has_labels && !row->has_taints && !row->has_annotations)
    return wl_csv_refuse (r->csv, r->where[C_EVENT], WL_ERROR_VALUE,
                          "update without anything to change",
                          "a resource, labels, taints or annotations in the row", "empty cells", error);
  if ((row->event == WL_NODE_ADD || (row->event == WL_NODE_UPDATE && row->has_resources)) &&
      *wl_csv_cell (r->csv, r->where[C_PODS]) == '\0') {
    WlResource pods = { g_strdup ("pods"), { 110, 110000 } };

    g_array_append_val (row->resources, pods);
  }
  return TRUE;
}

/* @row stands for @count nodes; names are <node>-0 … when there are several. */
static gboolean
append_rows (Reader *r, const WlNodeRow *row, guint count, GError **error)
{
  Place place;
  g_autofree char *last = count > 1 ? g_strdup_printf ("%s-%u", row->name, count - 1) : NULL;

  wl_csv_place (r->csv, r->where[C_NODE], &place.line, &place.column);
  if (last != NULL && !wl_check_name (last, TRUE, WL_NAME_MAX, error))
    return wl_csv_locate (r->csv, r->where[C_NODE], error);
  if (r->rows->len + count > MAX_ROWS)
    return wl_csv_refuse (r->csv, r->where[C_COUNT], WL_ERROR_VALUE, "too many nodes",
                          "at most 10000000 in a file", "more", error);
  for (guint i = 0; i < count; i++) {
    WlNodeRow one = *row;

    one.name = count > 1 ? g_strdup_printf ("%s-%u", row->name, i) : g_strdup (row->name);
    g_array_ref (one.resources);
    g_array_ref (one.labels);
    g_array_ref (one.taints);
    g_array_ref (one.annotations);
    g_array_append_val (r->rows, one);
    g_array_append_val (r->places, place);
  }
  return TRUE;
}

static gboolean
read_row (Reader *r, GError **error)
{
  g_autoptr (GArray) scratch = wl_node_rows_new (); /* frees the row on every return */
  WlNodeRow *row;
  gint32 count = 1;
  const char *name
      = wl_trace_name (r->csv, r->where[C_NODE], "the name of a node", TRUE, WL_NAME_MAX, error);

  if (name == NULL)
    return FALSE;
  g_array_set_size (scratch, 1);
  row = &g_array_index (scratch, WlNodeRow, 0);
  *row = (WlNodeRow){ .name = g_strdup (name),
                      .line = wl_csv_line (r->csv),
                      .resources = wl_resources_new (),
                      .labels = wl_pairs_new (),
                      .taints = wl_taints_new (),
                      .annotations = wl_pairs_new () };
  return wl_trace_time (r->csv, r->where[C_TIME], &row->time, error)
         && read_event (r, &row->event, error)
         && wl_trace_int (r->csv, r->where[C_COUNT], 1, MAX_COUNT, &count, error)
         && read_groups (r, row, error) && append_rows (r, row, (guint) count, error);
}

static int
by_time (gconstpointer a, gconstpointer b, gpointer user)
{
  guint i = *(const guint *) a, j = *(const guint *) b;
  WlTime s = g_array_index ((GArray *) user, WlNodeRow, i).time,
         t = g_array_index ((GArray *) user, WlNodeRow, j).time;

  return s != t ? (s < t ? -1 : 1) : i < j ? -1 : i > j;
}

/* Row @i meets a node that is there, or not, against what its event needs; @last is the row that
 * made it so, or NULL. */
static gboolean
conflict (const Reader *r, guint i, const WlNodeRow *last, GError **error)
{
  const WlNodeRow *row = &g_array_index (r->rows, WlNodeRow, i);
  const Place *place = &g_array_index (r->places, Place, i);
  g_autoptr (GString) time = g_string_new (NULL);
  g_autofree char *what = NULL, *expected = NULL, *found = NULL;

  wl_append_time (time, row->time);
  if (row->event == WL_NODE_ADD) {
    what = g_strdup_printf ("node '%s' is already there", row->name);
    expected = g_strdup_printf ("no such node at time %s", time->str);
    found = g_strdup_printf ("it added in line %u", last->line);
  } else {
    what = g_strdup_printf ("%s of node '%s', which is not there", events[row->event], row->name);
    expected = g_strdup_printf ("a node added before time %s", time->str);
    found
        = last != NULL ? g_strdup_printf ("it removed in line %u", last->line) : g_strdup ("none");
  }
  return wl_csv_refuse_at (r->csv, place->line, place->column, WL_ERROR_CONFLICT, what, expected,
                           found, error);
}

static gboolean
check_presence (const Reader *r, GError **error)
{
  g_autoptr (GHashTable) changed
      = g_hash_table_new (g_str_hash, g_str_equal); /* name → row that added or removed it last */
  g_autofree guint *order = g_new (guint, r->rows->len);
  gboolean sorted = TRUE;

  for (guint i = 0; i < r->rows->len; i++) {
    order[i] = i;
    sorted = sorted
             && (i == 0
                 || g_array_index (r->rows, WlNodeRow, i - 1).time
                        <= g_array_index (r->rows, WlNodeRow, i).time);
  }
  if (!sorted)
    g_qsort_with_data (order, (gint) r->rows->len, sizeof (guint), by_time, r->rows);
  for (guint k = 0; k < r->rows->len; k++) {
    WlNodeRow *row = &g_array_index (r->rows, WlNodeRow, order[k]);
    const WlNodeRow *last = g_hash_table_lookup (changed, row->name);
    gboolean there = last != NULL && last->event == WL_NODE_ADD;

    if (there == (row->event == WL_NODE_ADD))
      return conflict (r, order[k], last, error);
    if (row->event == WL_NODE_ADD || row->event == WL_NODE_REMOVE)
      g_hash_table_replace (changed, row->name, row);
  }
  return TRUE;
}

GArray *
wl_read_nodes (const char *path, GError **error)
{
  g_autoptr (WlCsv) csv = wl_csv_open (path, error);
  g_autoptr (GArray) rows = wl_node_rows_new (),
                     places = g_array_new (FALSE, FALSE, sizeof (Place));
  g_autoptr (GArray) others = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) amounts = g_array_new (FALSE, FALSE, sizeof (WlAmountColumn));
  Reader r = { .csv = csv, .amounts = amounts, .rows = rows, .places = places };
  gboolean got;

  if (csv == NULL || !wl_csv_columns (csv, known, N_COLUMNS, r.where, others, error)
      || !wl_trace_columns (csv, known, N_COLUMNS, r.where, plain, others, amounts, NULL, error))
    return NULL;
  for (;;) {
    if (!wl_csv_next (csv, &got, error))
      return NULL;
    if (!got)
      break;
    if (!read_row (&r, error))
      return NULL;
  }
  return check_presence (&r, error) ? g_steal_pointer (&rows) : NULL;
}
