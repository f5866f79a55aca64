/* workloads/import/table-out.c - see table-out.h. */
#include "table-out.h"
#include "workloads/text/parse.h"
#include <errno.h>

gboolean
wl_out_open (WlOut *o, const char *dir, const char *name, GError **error)
{
  *o = (WlOut){ .path = g_build_filename (dir, name, NULL), .row = g_string_sized_new (256 * 1024) };
  o->f = fopen (o->path, "wbe");
  if (o->f != NULL)
    return TRUE;
  g_set_error (error, WL_ERROR, WL_ERROR_WRITE, "%s: cannot write, expected a writable folder, found: %s", o->path, g_strerror (errno));
  return FALSE;
}

void
wl_out_flush (WlOut *o)
{
  if (o->f != NULL && o->row->len > 0)
    (void) fwrite (o->row->str, 1, o->row->len, o->f); /* what fails shows in ferror() */
  g_string_truncate (o->row, 0);
}

gboolean
wl_out_close (WlOut *o, GError **error)
{
  wl_out_flush (o);
  gboolean good = ferror (o->f) == 0;

  good = fclose (g_steal_pointer (&o->f)) == 0 && good;
  if (!good)
    g_set_error (error, WL_ERROR, WL_ERROR_WRITE, "%s: cannot write, expected room on the disk, found: %s", o->path, g_strerror (errno));
  return good;
}

void
wl_out_clear (WlOut *o)
{
  if (o->f != NULL)
    (void) fclose (o->f);
  g_free (o->path);
  if (o->row != NULL)
    g_string_free (o->row, TRUE);
}

void
wl_put_int (GString *s, gint64 v)
{
  static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869"
                              "707172737475767778798081828384858687888990919293949596979899";
  static const guint64 tens[] = { 0,
                                  10,
                                  100,
                                  1000,
                                  10000,
                                  100000,
                                  1000000,
                                  10000000,
                                  100000000,
                                  1000000000,
                                  G_GUINT64_CONSTANT (10000000000),
                                  G_GUINT64_CONSTANT (100000000000),
                                  G_GUINT64_CONSTANT (1000000000000),
                                  G_GUINT64_CONSTANT (10000000000000),
                                  G_GUINT64_CONSTANT (100000000000000),
                                  G_GUINT64_CONSTANT (1000000000000000),
                                  G_GUINT64_CONSTANT (10000000000000000),
                                  G_GUINT64_CONSTANT (100000000000000000),
                                  G_GUINT64_CONSTANT (1000000000000000000),
                                  G_GUINT64_CONSTANT (10000000000000000000) };
  guint64 left = v < 0 ? -(guint64) v : (guint64) v;
  const guint bits = 64 - (guint) __builtin_clzll (left | 1), guess = bits * 1233 >> 12, n = guess + (left >= tens[guess]); /* digits; 1233 / 4096 is log 2 */
  char *to;

  if (s->len + 24 >= s->allocated_len) { /* room for the longest */
    const gsize len = s->len;

    g_string_set_size (s, len + 24);
    s->len = len;
  }
  if (v < 0)
    s->str[s->len++] = '-';
  s->len += n;
  to = s->str + s->len;
  *to = '\0';
  for (; left > G_MAXUINT32; left /= 100) {
    to -= 2;
    memcpy (to, pairs + 2 * (left % 100), 2);
  }
  guint32 rest = (guint32) left; /* divisions of half the width */

  for (; rest >= 10; rest /= 100) {
    to -= 2;
    memcpy (to, pairs + 2 * (rest % 100), 2);
  }
  if (to > s->str + s->len - n)
    to[-1] = (char) ('0' + rest);
}

void
wl_put_time (GString *s, WlTime t)
{
  if (t >= 0 && t < WL_TIME_NEVER && t % 1000000 == 0)
    wl_put_int (s, t / 1000000);
  else
    wl_append_time (s, t);
}

void
wl_put_cpu (GString *s, gint64 milli)
{
  if (milli % 1000 == 0) {
    wl_put_int (s, milli / 1000);
  } else {
    wl_put_int (s, milli);
    g_string_append_c (s, 'm');
  }
}

void
wl_put_bytes (GString *s, gint64 bytes)
{
  static const struct { gint64 unit; const char *suffix; } units[] = { { G_GINT64_CONSTANT (1) << 30, "Gi" }, { 1 << 20, "Mi" }, { 1 << 10, "Ki" }, { 1, "" } };

  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    if (bytes % units[i].unit == 0) {
      wl_put_int (s, bytes / units[i].unit);
      g_string_append (s, units[i].suffix);
      return;
    }
}

void
wl_put_cell (GString *s, const char *text)
{
  if (text == NULL)
    return;
  gsize n = 0;

  while (text[n] != '\0' && text[n] != ',' && text[n] != '"' && text[n] != '\r' && text[n] != '\n') /* mostly short: strpbrk() would take longer */
    n++;
  if (text[n] == '\0') {
    wl_put (s, text, n);
    return;
  }
  g_string_append_c (s, '"');
  for (const char *p = text; *p != '\0'; p++) {
    if (*p == '"')
      g_string_append_c (s, '"');
    g_string_append_c (s, *p);
  }
  g_string_append_c (s, '"');
}

