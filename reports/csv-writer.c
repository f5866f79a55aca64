/* reports/csv-writer.c - see csv-writer.h. */
#include "reports/csv-writer.h"
#include "reports/results/results.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#define FLUSH_AT ((gsize) 256 * 1024)
#define CACHE_SIZE 512u /* power of two */

typedef struct {
  double value;
  guint8 length; /* 0: free slot */
  char text[RP_DOUBLE_SIZE];
} CachedDouble;

struct RpCsv {
  char *path;
  char *beside; /* its name so far, when it is renamed to path in the end; else NULL */
  int fd;
  int error; /* errno of the first failure */
  guint n_fields, field;
  guint64 rows;
  gsize length, size;
  char *buf;
  CachedDouble cache[CACHE_SIZE]; /* shares repeat from row to row, and their digits are dear */
};

static const char two_digits[201]
    = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
      "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
      "8081828384858687888990919293949596979899";

static guint
count_digits (guint64 v)
{
  guint n = 1;

  for (; v >= 10000; v /= 10000)
    n += 4;
  return n + (v >= 10) + (v >= 100) + (v >= 1000);
}

static guint
format_uint (char *buf, guint64 v)
{
  const guint n = count_digits (v);
  char *p = buf + n;

  for (; v >= 100; v /= 100) {
    p -= 2;
    memcpy (p, two_digits + (v % 100) * 2, 2);
  }
  if (v >= 10)
    memcpy (buf, two_digits + v * 2, 2);
  else
    buf[0] = (char) ('0' + v);
  return n;
}

guint
rp_format_int (char buf[RP_DOUBLE_SIZE], gint64 v)
{
  if (v >= 0)
    return format_uint (buf, (guint64) v);
  buf[0] = '-';
  return 1 + format_uint (buf + 1, -(guint64) v);
}

/* A count of millionths, without trailing zeros. */
static guint
format_micro (char *buf, gint64 v)
{
  guint n = 0;
  guint64 u = (guint64) v, frac;

  if (v < 0) {
    buf[n++] = '-';
    u = -(guint64) v;
  }
  n += format_uint (buf + n, u / 1000000);
  frac = u % 1000000;
  if (frac != 0) {
    buf[n++] = '.';
    for (guint64 unit = 100000; frac != 0; unit /= 10) {
      buf[n++] = (char) ('0' + frac / unit);
      frac %= unit;
    }
  }
  return n;
}

guint
rp_format_time (char buf[RP_DOUBLE_SIZE], gint64 us)
{
  return format_micro (buf, us);
}

/* Numbers with at most six decimals and 15 digits: their text is exact, hence also the shortest. */
static guint
format_plain (char *buf, double v)
{
  if (v > -1e15 && v < 1e15) {
    if (v == (double) (gint64) v)
      return rp_format_int (buf, (gint64) v);
    if (v > -1e9 && v < 1e9) {
      const double millionths = rint (v * 1e6);

      if (millionths / 1e6 == v)
        return format_micro (buf, (gint64) millionths);
    }
  }
  return 0;
}

static guint
format_shortest (char buf[RP_DOUBLE_SIZE], double v)
{
  static const char *const formats[] = { "%.15g", "%.16g", "%.17g" };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_ascii_formatd (buf, RP_DOUBLE_SIZE, formats[i], v);
    if (g_ascii_strtod (buf, NULL) == v)
      break;
  }
  return (guint) strlen (buf);
}

guint
rp_format_double (char buf[RP_DOUBLE_SIZE], double v)
{
  guint n;

  if (!isfinite (v))
    return 0;
  n = format_plain (buf, v);
  return n > 0 ? n : format_shortest (buf, v);
}

/* @beside: where the file is until it is closed; NULL: in its place. Takes it over. */
static RpCsv *
start (const char *path, char *beside, int fd, guint n_fields, GError **error)
{
  if (fd < 0) {
    g_set_error (error, RP_ERROR, RP_ERROR_IO, "cannot create '%s': %s", path, g_strerror (errno));
    g_free (beside);
    return NULL;
  }
  RpCsv *w = g_new0 (RpCsv, 1);

  w->path = g_strdup (path);
  w->beside = beside;
  w->fd = fd;
  w->n_fields = n_fields;
  w->size = FLUSH_AT + 4096;
  w->buf = g_malloc (w->size);
  return w;
}

RpCsv *
rp_csv_open (const char *path, guint n_fields, GError **error)
{
  return start (path, NULL, open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), n_fields, error);
}

RpCsv *
rp_csv_open_over (const char *path, guint n_fields, GError **error)
{
  char *beside = g_strconcat (path, ".XXXXXX", NULL);

  return start (path, beside, g_mkstemp_full (beside, O_WRONLY | O_CLOEXEC, 0666), n_fields, error);
}

static void
flush (RpCsv *w)
{
  gsize done = 0;

  while (w->error == 0 && done < w->length) {
    const gssize n = write (w->fd, w->buf + done, w->length - done);

    if (n > 0)
      done += (gsize) n;
    else if (n < 0 && errno != EINTR)
      w->error = errno;
    else if (n == 0)
      w->error = EIO;
  }
  w->length = 0;
}

/* Start a field that takes at most @n characters; returns where they go. */
static inline char *
field (RpCsv *w, gsize n)
{
  if (G_UNLIKELY (w->size - w->length < n + 2)) {
    w->size = w->length + n + FLUSH_AT;
    w->buf = g_realloc (w->buf, w->size);
  }
  if (w->field++ > 0)
    w->buf[w->length++] = ',';
  return w->buf + w->length;
}

void
rp_csv_text (RpCsv *w, const char *text)
{
  const gsize n = text != NULL ? strlen (text) : 0;
  char *out = field (w, 2 * n + 2);
  gsize i;

  for (i = 0; i < n; i++) {
    const char c = text[i];

    if (G_UNLIKELY (c == '"' || c == ',' || c == '\n' || c == '\r'))
      break;
    out[i] = c;
  }
  if (i < n) {
    char *p = out;

    *p++ = '"';
    for (i = 0; i < n; i++) {
      if (text[i] == '"')
        *p++ = '"';
      *p++ = text[i];
    }
    *p++ = '"';
    i = (gsize) (p - out);
  }
  w->length += i;
}

void
rp_csv_int (RpCsv *w, gint64 v)
{
  char *out = field (w, RP_DOUBLE_SIZE);

  w->length += rp_format_int (out, v);
}

void
rp_csv_double (RpCsv *w, double v)
{
  char *out = field (w, RP_DOUBLE_SIZE);
  guint n = format_plain (out, v);

  if (n == 0 && isfinite (v)) {
    guint64 bits;
    CachedDouble *c;

    memcpy (&bits, &v, sizeof bits);
    c = &w->cache[(bits * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) >> 32 & (CACHE_SIZE - 1)];
    if (c->length == 0 || c->value != v) {
      c->value = v;
      c->length = (guint8) format_shortest (c->text, v);
    }
    n = c->length;
    memcpy (out, c->text, RP_DOUBLE_SIZE);
  }
  w->length += n;
}

void
rp_csv_time (RpCsv *w, gint64 us)
{
  char *out = field (w, RP_DOUBLE_SIZE);

  if (us != RP_NONE)
    w->length += format_micro (out, us);
}

void
rp_csv_empty (RpCsv *w)
{
  (void) field (w, 0);
}

void
rp_csv_end_row (RpCsv *w)
{
  g_assert (w->field == w->n_fields);
  w->field = 0;
  w->rows++;
  w->buf[w->length++] = '\n'; /* field() left room for it */
  if (w->length >= FLUSH_AT)
    flush (w);
}

guint64
rp_csv_rows (const RpCsv *w)
{
  return w->rows;
}

gboolean
rp_csv_close (RpCsv *w, GError **error)
{
  flush (w);
  if (w->fd >= 0 && close (w->fd) != 0 && w->error == 0 && errno != EINTR)
    w->error = errno;
  w->fd = -1;
  if (w->error == 0 && w->beside != NULL && g_rename (w->beside, w->path) != 0)
    w->error = errno;
  if (w->error == 0)
    g_clear_pointer (&w->beside, g_free);
  if (w->error != 0) {
    g_set_error (error, RP_ERROR, RP_ERROR_IO, "cannot write '%s': %s", w->path,
                 g_strerror (w->error));
    return FALSE;
  }
  return TRUE;
}

void
rp_csv_free (RpCsv *w)
{
  if (w == NULL)
    return;
  if (w->fd >= 0)
    (void) close (w->fd);
  if (w->beside != NULL)
    (void) g_unlink (w->beside);
  g_free (w->beside);
  g_free (w->path);
  g_free (w->buf);
  g_free (w);
}
