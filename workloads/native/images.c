#include "images.h"
#include "workloads/text/trace-columns.h"
#include <string.h>

enum { C_IMAGE, C_SIZE, C_TIME, C_NODE, N_COLUMNS };
static const WlColumn columns[N_COLUMNS] = {
  [C_IMAGE] = { "image", TRUE },
  [C_SIZE] = { "size", FALSE },
  [C_TIME] = { "time", FALSE },
  [C_NODE] = { "node", FALSE },
};

static void
image_clear (gpointer data)
{
  WlImage *i = data;

  g_free (i->image);
  g_free (i->node);
}

/* @seen: "image node" → line of its row. */
static gboolean
read_row (WlCsv *csv, const int *where, GHashTable *seen, WlImage *out, GError **error)
{
  const char *size = wl_csv_cell (csv, where[C_SIZE]), *node = wl_csv_cell (csv, where[C_NODE]);
  const char *image = wl_csv_required (csv, where[C_IMAGE], "the name of an image", error);
  VcQuantity q = { 0, 0 };

  if (image == NULL)
    return FALSE;
  out->image = g_strdup (image);
  out->node = *node != '\0' ? g_strdup (node) : NULL;
  out->line = wl_csv_line (csv);
  out->time = WL_TIME_NONE;
  if (*size != '\0' && !wl_parse_amount ("memory", size, &q, error))
    return wl_csv_locate (csv, where[C_SIZE], error);
  out->size = q.value;
  if (!wl_trace_time (csv, where[C_TIME], &out->time, error))
    return FALSE;
  if (*size == '\0' && out->time == WL_TIME_NONE) /* it would be there at once, and then the table has no need of it */
    return wl_csv_refuse (csv, where[C_SIZE] >= 0 ? where[C_SIZE] : where[C_IMAGE], WL_ERROR_VALUE, "neither size nor time", "one of them", "''", error);
  char *key = g_strconcat (image, " ", node, NULL);
  guint32 before = GPOINTER_TO_UINT (g_hash_table_lookup (seen, key));

  if (before > 0) {
    g_autofree char *expected = g_strdup_printf ("one row for each image and node, the first is line %u", before);
    g_autofree char *shown = wl_shown (image);

    g_free (key);
    return wl_csv_refuse (csv, where[C_IMAGE], WL_ERROR_CONFLICT, "image given twice", expected, shown, error);
  }
  g_hash_table_insert (seen, key, GUINT_TO_POINTER (out->line));
  return TRUE;
}

GArray *
wl_read_images (const char *path, GError **error)
{
  g_autoptr (WlCsv) csv = wl_csv_open (path, error);
  g_autoptr (GArray) rows = g_array_new (FALSE, TRUE, sizeof (WlImage)), others = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  int where[N_COLUMNS];

  g_array_set_clear_func (rows, image_clear);
  if (csv == NULL || !wl_csv_columns (csv, columns, N_COLUMNS, where, others, error))
    return NULL;
  if (others->len > 0) {
    wl_csv_unknown_column (csv, g_array_index (others, guint, 0), columns, N_COLUMNS, error);
    return NULL;
  }
  for (;;) {
    gboolean got = FALSE;
    WlImage i = { 0 };

    if (!wl_csv_next (csv, &got, error))
      return NULL;
    if (!got)
      return g_steal_pointer (&rows);
    if (!read_row (csv, where, seen, &i, error)) {
      image_clear (&i);
      return NULL;
    }
    g_array_append_val (rows, i);
  }
}
