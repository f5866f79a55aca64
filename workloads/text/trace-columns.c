/* workloads/text/trace-columns.c - see trace-columns.h. */
#include "trace-columns.h"
#include <string.h>

#define MAX_MEMO 4096 /* distinct requests that are remembered: traces have hundreds */

static int
by_cell (gconstpointer a, gconstpointer b)
{
  return ((const WlAmountColumn *) a)->cell - ((const WlAmountColumn *) b)->cell;
}

gboolean
wl_trace_columns (WlCsv *csv, const WlColumn *known, guint n_known, const int *where,
                  const char *const *plain, const GArray *others, GArray *amounts, GArray *extra,
                  GError **error)
{
  for (guint k = 0; k < n_known; k++)
    if (where[k] >= 0 && g_strv_contains (plain, known[k].name)) {
      WlAmountColumn column = { where[k], known[k].name };

      g_array_append_val (amounts, column);
    }
  for (guint i = 0; i < others->len; i++) {
    guint cell = g_array_index (others, guint, i);
    const char *name = wl_csv_header (csv, cell);

    if (g_str_has_prefix (name, "x_")) {
      if (extra != NULL)
        g_array_append_val (extra, cell);
    } else if (strchr (name, '/') != NULL) {
      WlAmountColumn column = { (int) cell, name };

      if (!wl_check_resource (name, error))
        return wl_csv_locate (csv, (int) cell, error);
      g_array_append_val (amounts, column);
    } else {
      return wl_csv_unknown_column (csv, cell, known, n_known, error);
    }
  }
  g_array_sort (amounts, by_cell);
  return TRUE;
}

gboolean
wl_trace_amounts (const WlCsv *csv, const GArray *amounts, gboolean keep_zero, GArray *out,
                  gboolean *given, GError **error)
{
  *given = FALSE;
  for (guint i = 0; i < amounts->len; i++) {
    const WlAmountColumn *column = &g_array_index (amounts, WlAmountColumn, i);
    const char *text = wl_csv_cell (csv, column->cell);
    WlResource res;

    if (*text == '\0')
      continue;
    if (!wl_parse_amount (column->resource, text, &res.amount, error))
      return wl_csv_locate (csv, column->cell, error);
    *given = TRUE;
    if (res.amount.milli == 0 && !keep_zero)
      continue;
    res.name = g_strdup (column->resource);
    g_array_append_val (out, res);
  }
  return TRUE;
}

GHashTable *
wl_trace_memo_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_array_unref);
}

GArray *
wl_trace_shared_amounts (const WlCsv *csv, const GArray *amounts, GHashTable *known, GString *key,
                         GError **error)
{
  g_autoptr (GArray) fresh = NULL;
  GArray *shared;
  gboolean given;

  g_string_truncate (key, 0);
  for (guint i = 0; i < amounts->len; i++) {
    g_string_append (key, wl_csv_cell (csv, g_array_index (amounts, WlAmountColumn, i).cell));
    g_string_append_c (key, ','); /* a cell with a comma is no quantity, so keys do not collide */
  }
  shared = g_hash_table_lookup (known, key->str);
  if (shared != NULL)
    return g_array_ref (shared);
  fresh = wl_resources_new ();
  if (!wl_trace_amounts (csv, amounts, FALSE, fresh, &given, error))
    return NULL;
  if (g_hash_table_size (known) < MAX_MEMO)
    g_hash_table_insert (known, g_strdup (key->str), g_array_ref (fresh));
  return g_steal_pointer (&fresh);
}

gboolean
wl_trace_int (const WlCsv *csv, int cell, gint64 min, gint64 max, gint32 *out, GError **error)
{
  const char *text = wl_csv_cell (csv, cell);
  gint64 v = *out;

  if (*text != '\0' && !wl_parse_int (text, min, max, &v, error))
    return wl_csv_locate (csv, cell, error);
  *out = (gint32) v;
  return TRUE;
}

gboolean
wl_trace_bool (const WlCsv *csv, int cell, int *out, GError **error)
{
  const char *text = wl_csv_cell (csv, cell);

  return *text == '\0' || wl_parse_bool (text, out, error) || wl_csv_locate (csv, cell, error);
}

gboolean
wl_trace_time (const WlCsv *csv, int cell, WlTime *out, GError **error)
{
  const char *text = wl_csv_cell (csv, cell);

  return *text == '\0' || wl_parse_time (text, FALSE, out, error)
         || wl_csv_locate (csv, cell, error);
}

const char *
wl_trace_name (const WlCsv *csv, int cell, const char *what, gboolean dots, guint max,
               GError **error)
{
  const char *text = wl_csv_required (csv, cell, what, error);

  if (text != NULL && !wl_check_name (text, dots, max, error)) {
    wl_csv_locate (csv, cell, error);
    return NULL;
  }
  return text;
}
