#include "table.h"
#include "workloads/native/append.h"
#include "workloads/text/csv-table.h"
#include <string.h>

typedef struct {
  char **cell;  /* one for each column, NULL is "" */
  guint32 line; /* of the file, 0: it is in none */
} Row;

struct WlTable {
  GPtrArray *names; /* char * */
  GArray *rows;     /* Row */
};

#define ROW(t, i) (&g_array_index ((t)->rows, Row, i))

/* Rows have gaps: g_strfreev() would stop at the first. */
static void
clear_row (Row *row, guint width)
{
  for (guint i = 0; i < width; i++)
    g_free (row->cell[i]);
  g_free (row->cell);
}

WlTable *
wl_table_new (const char *columns)
{
  WlTable *t = g_new0 (WlTable, 1);
  g_auto (GStrv) name = g_strsplit (columns, ",", -1);

  t->names = g_ptr_array_new_with_free_func (g_free);
  t->rows = g_array_new (FALSE, FALSE, sizeof (Row));
  for (guint i = 0; name[i] != NULL; i++)
    g_ptr_array_add (t->names, g_strdup (name[i]));
  return t;
}

void
wl_table_free (WlTable *t)
{
  if (t == NULL)
    return;
  for (guint i = 0; i < t->rows->len; i++)
    clear_row (ROW (t, i), t->names->len);
  g_array_unref (t->rows);
  g_ptr_array_unref (t->names);
  g_free (t);
}

WlTable *
wl_table_read (const char *path, GError **error)
{
  g_autoptr (WlCsv) csv = wl_csv_open (path, error);
  g_autoptr (WlTable) t = NULL;
  gboolean got = TRUE;

  if (csv == NULL)
    return NULL;
  t = g_new0 (WlTable, 1);
  t->names = g_ptr_array_new_with_free_func (g_free);
  t->rows = g_array_new (FALSE, FALSE, sizeof (Row));
  for (guint i = 0; i < wl_csv_width (csv); i++)
    g_ptr_array_add (t->names, g_strdup (wl_csv_header (csv, i)));
  for (;;) {
    if (!wl_csv_next (csv, &got, error))
      return NULL;
    if (!got)
      return g_steal_pointer (&t);
    Row row = { g_new0 (char *, t->names->len), wl_csv_line (csv) };

    for (guint i = 0; i < t->names->len; i++) {
      const char *text = wl_csv_cell (csv, (int) i);

      row.cell[i] = *text != '\0' ? g_strdup (text) : NULL;
    }
    g_array_append_val (t->rows, row);
  }
}

guint
wl_table_rows (const WlTable *t)
{
  return t->rows->len;
}

guint
wl_table_width (const WlTable *t)
{
  return t->names->len;
}

const char *
wl_table_name (const WlTable *t, guint column)
{
  return t->names->pdata[column];
}

int
wl_table_column (const WlTable *t, const char *name)
{
  for (guint i = 0; i < t->names->len; i++)
    if (strcmp (t->names->pdata[i], name) == 0)
      return (int) i;
  return -1;
}

guint
wl_table_need (WlTable *t, const char *name)
{
  int at = wl_table_column (t, name);

  if (at >= 0)
    return (guint) at;
  for (guint i = 0; i < t->rows->len; i++) {
    ROW (t, i)->cell = g_renew (char *, ROW (t, i)->cell, t->names->len + 1);
    ROW (t, i)->cell[t->names->len] = NULL;
  }
  g_ptr_array_add (t->names, g_strdup (name));
  return t->names->len - 1;
}

const char *
wl_table_cell (const WlTable *t, guint row, int column)
{
  const char *text = column >= 0 ? ROW (t, row)->cell[column] : NULL;

  return text != NULL ? text : "";
}

guint
wl_table_line (const WlTable *t, guint row)
{
  return ROW (t, row)->line;
}

void
wl_table_set (WlTable *t, guint row, guint column, const char *text)
{
  char **cell = &ROW (t, row)->cell[column], *copy = *text != '\0' ? g_strdup (text) : NULL; /* it may be the old text */

  g_free (*cell);
  *cell = copy;
}

guint
wl_table_add_row (WlTable *t)
{
  const Row row = { g_new0 (char *, t->names->len), 0 };

  g_array_append_val (t->rows, row);
  return t->rows->len - 1;
}

guint
wl_table_append (WlTable *t, const WlTable *from, guint row)
{
  for (guint i = 0; from != t && i < from->names->len; i++)
    (void) wl_table_need (t, from->names->pdata[i]);
  const Row made = { g_new0 (char *, t->names->len), ROW (from, row)->line };

  for (guint i = 0; i < from->names->len; i++)
    made.cell[from == t ? i : wl_table_need (t, from->names->pdata[i])] = g_strdup (ROW (from, row)->cell[i]);
  g_array_append_val (t->rows, made);
  return t->rows->len - 1;
}

void
wl_table_filter (WlTable *t, const gboolean *keep)
{
  guint to = 0;

  for (guint i = 0; i < t->rows->len; i++)
    if (keep[i])
      *ROW (t, to++) = *ROW (t, i);
    else
      clear_row (ROW (t, i), t->names->len);
  g_array_set_size (t->rows, to);
}

void
wl_table_order (WlTable *t, const guint *order)
{
  g_autofree Row *old = g_memdup2 (t->rows->data, t->rows->len * sizeof (Row));

  for (guint i = 0; i < t->rows->len; i++)
    *ROW (t, i) = old[order[i]];
}

void
wl_table_write (const WlTable *t, GString *out)
{
  for (guint i = 0; i < t->names->len; i++) {
    g_string_append (out, i > 0 ? "," : "");
    wl_append_cell (out, t->names->pdata[i]);
  }
  g_string_append_c (out, '\n');
  for (guint r = 0; r < t->rows->len; r++) {
    for (guint i = 0; i < t->names->len; i++) {
      g_string_append (out, i > 0 ? "," : "");
      wl_append_cell (out, ROW (t, r)->cell[i]);
    }
    g_string_append_c (out, '\n');
  }
}
