/* workloads/import/table-out.h - tables of tens of millions of cells, row by row into a file. */
#pragma once
#include "workloads/native/native.h"
#include <stdio.h>
#include <string.h>
G_BEGIN_DECLS

typedef struct {
  FILE *f;
  char *path;
  GString *row; /* what is not written yet; rows end by wl_out_end_row() */
} WlOut;

/** Open table @name of the folder @dir. FALSE with WL_ERROR_WRITE in @error. */
gboolean wl_out_open (WlOut *o, const char *dir, const char *name, GError **error);
/** Write what is left; failures of all writes before show here, as WL_ERROR_WRITE in @error. */
gboolean wl_out_close (WlOut *o, GError **error);
void wl_out_flush (WlOut *o);
void wl_out_clear (WlOut *o);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (WlOut, wl_out_clear)

static inline void
wl_out_end_row (WlOut *o)
{
  g_string_append_c (o->row, '\n');
  if (o->row->len > 192 * 1024)
    wl_out_flush (o);
}

/* ---- cells, without the commas between them ---------------------------------------------------------- */

/* g_string_append_len() in line: a table has tens of millions of cells. */
static inline void
wl_put (GString *s, const char *text, gsize n)
{
  if (s->len + n >= s->allocated_len) {
    g_string_append_len (s, text, (gssize) n);
    return;
  }
  memcpy (s->str + s->len, text, n);
  s->len += n;
  s->str[s->len] = '\0';
}

static inline void
wl_put_text (GString *s, const char *text)
{
  wl_put (s, text, strlen (text));
}

void wl_put_int (GString *s, gint64 v);

/* wl_put_int(), of what is mostly one digit. */
static inline void
wl_put_count (GString *s, gint64 v)
{
  if (v >= 0 && v < 10)
    g_string_append_c (s, (char) ('0' + v));
  else
    wl_put_int (s, v);
}

void wl_put_time (GString *s, WlTime t);
void wl_put_cpu (GString *s, gint64 milli);
void wl_put_bytes (GString *s, gint64 bytes);
/** A text, in quotes when it has to be; NULL is empty. */
void wl_put_cell (GString *s, const char *text);

G_END_DECLS
