/* workloads/text/csv-columns.c - columns of a table by their names, and whole tables; see csv-table.h. */
#include "csv-table.h"
#include "parse.h"
#include "core/conf/conf.h" /* vc_nearest_name() */
#include <string.h>

gboolean
wl_csv_unknown_column (WlCsv *csv, guint cell, const WlColumn *known, guint n_known, GError **error)
{
  g_autofree const char **names = g_new (const char *, n_known);
  g_autofree char *shown = wl_shown (wl_csv_header (csv, cell));
  g_autofree char *expected = NULL;
  const char *nearest;

  for (guint i = 0; i < n_known; i++)
    names[i] = known[i].name;
  nearest = vc_nearest_name (wl_csv_header (csv, cell), names, n_known);
  expected = nearest != NULL
                 ? g_strdup_printf ("'%s', another known column, a name with '/' or x_…", nearest)
                 : g_strdup ("a known column, a name with '/' or x_…");
  return wl_csv_refuse (csv, (int) cell, WL_ERROR_HEADER, "unknown column", expected, shown, error);
}

/* Column @cell of the header repeats an earlier one. */
static gboolean
repeated (WlCsv *csv, guint cell, guint first, GError **error)
{
  g_autofree char *shown = wl_shown (wl_csv_header (csv, cell));
  g_autofree char *what = g_strdup_printf ("column %s given twice", shown);
  g_autofree char *found = g_strdup_printf ("it as columns %u and %u", first + 1, cell + 1);

  return wl_csv_refuse (csv, (int) cell, WL_ERROR_HEADER, what, "each column once", found, error);
}

/* The required column @k is not in the header; one of @others may be meant. */
static gboolean
missing (WlCsv *csv, const WlColumn *known, guint n_known, guint k, const GArray *others,
         GError **error)
{
  g_autofree char *what = g_strdup_printf ("column '%s' is missing", known[k].name);
  g_autoptr (GString) all = g_string_new (NULL);

  for (guint i = 0; i < wl_csv_width (csv); i++)
    g_string_append_printf (all, "%s%s", i > 0 ? "," : "", wl_csv_header (csv, i));
  g_autofree char *found = wl_shown (all->str);

  for (guint o = 0; o < others->len; o++) {
    guint cell = g_array_index (others, guint, o);

    if (vc_nearest_name (wl_csv_header (csv, cell), &known[k].name, 1) != NULL)
      return wl_csv_unknown_column (csv, cell, known, n_known, error);
  }
  return wl_csv_refuse (csv, 0, WL_ERROR_HEADER, what, "it in the header", found, error);
}

gboolean
wl_csv_columns (WlCsv *csv, const WlColumn *known, guint n_known, int *where, GArray *others,
                GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal); /* name → 1 + cell */
  guint found = 0;

  for (guint k = 0; k < n_known; k++)
    where[k] = -1;
  for (guint i = 0; i < wl_csv_width (csv); i++) {
    guint first = GPOINTER_TO_UINT (g_hash_table_lookup (seen, wl_csv_header (csv, i))), k = 0;

    if (first > 0 && *wl_csv_header (csv, i) != '\0')
      return repeated (csv, i, first - 1, error);
    g_hash_table_insert (seen, (gpointer) wl_csv_header (csv, i), GUINT_TO_POINTER (i + 1));
    while (k < n_known && strcmp (wl_csv_header (csv, i), known[k].name) != 0)
      k++;
    if (k < n_known) {
      where[k] = (int) i;
      found++;
    } else {
      g_array_append_val (others, i);
    }
  }
  if (found == 0) {
    g_autofree char *expected
        = g_strdup_printf ("a first line with column names such as %s", known[0].name);

    g_autofree char *shown = wl_shown (wl_csv_header (csv, 0));

    return wl_csv_refuse (csv, 0, WL_ERROR_HEADER, "no header", expected, shown, error);
  }
  for (guint k = 0; k < n_known; k++)
    if (known[k].required && where[k] < 0)
      return missing (csv, known, n_known, k, others, error);
  return TRUE;
}

/* ---- whole tables --------------------------------------------------------------------------- */

GArray *
wl_csv_read_rows (const char *path, const WlColumn *known, guint n_known, guint size, WlCsvReadRow *read, GDestroyNotify clear,
                  GError **error)
{
  g_autoptr (WlCsv) csv = wl_csv_open (path, error);
  g_autoptr (GArray) rows = g_array_new (FALSE, TRUE, size);
  g_autoptr (GArray) others = g_array_new (FALSE, FALSE, sizeof (guint));
  int where[16];

  g_assert (n_known <= G_N_ELEMENTS (where));
  g_array_set_clear_func (rows, clear);
  if (csv == NULL || !wl_csv_columns (csv, known, n_known, where, others, error))
    return NULL;
  if (others->len > 0) {
    wl_csv_unknown_column (csv, g_array_index (others, guint, 0), known, n_known, error);
    return NULL;
  }
  for (;;) {
    gboolean got = FALSE;

    if (!wl_csv_next (csv, &got, error))
      return NULL;
    if (!got)
      return g_steal_pointer (&rows);
    g_array_set_size (rows, rows->len + 1);
    if (!read (csv, where, rows->data + (gsize) (rows->len - 1) * size, error))
      return NULL;
  }
}
