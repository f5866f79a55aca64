/* workloads/import/kubernetes/msgpack.c - see msgpack.h. */
#include "msgpack.h"
#include "workloads/native/append.h"
#include <math.h>
#include <string.h>

#define DEEPEST 100

typedef struct {
  const guint8 *data;
  gsize at, len;
  GError **error;
} In;

static gboolean
refuse (In *in, const char *what)
{
  g_set_error (in->error, WL_ERROR, WL_ERROR_SYNTAX, "%s at byte %" G_GSIZE_FORMAT, what, in->at);
  return FALSE;
}

/* The big-endian number of @n bytes. */
static gboolean
number (In *in, guint n, guint64 *out)
{
  if (in->len - in->at < n)
    return refuse (in, "MessagePack, expected more bytes, found the end");
  for (*out = 0; n > 0; n--)
    *out = *out << 8 | in->data[in->at++];
  return TRUE;
}

static gboolean put (In *in, GString *out, guint depth);

static gboolean
put_text (In *in, GString *out, guint64 n)
{
  if (n > in->len - in->at)
    return refuse (in, "MessagePack, expected more bytes, found the end");
  const char *text = (const char *) in->data + in->at;

  if (!g_utf8_validate_len (text, n, NULL) || memchr (text, '\0', n) != NULL)
    return refuse (in, "MessagePack, expected a text in UTF-8, found other bytes");
  g_autofree char *copy = g_strndup (text, n);

  wl_append_quoted (out, copy);
  in->at += n;
  return TRUE;
}

static gboolean
put_list (In *in, GString *out, guint64 n, guint depth)
{
  g_string_append_c (out, '[');
  for (guint64 i = 0; i < n; i++) {
    g_string_append (out, i > 0 ? ", " : "");
    if (!put (in, out, depth + 1))
      return FALSE;
  }
  g_string_append_c (out, ']');
  return TRUE;
}

static gboolean
put_key (In *in, GString *out, guint depth)
{
  g_autoptr (GString) key = g_string_new (NULL);

  if (!put (in, key, depth + 1))
    return FALSE;
  if (*key->str == '"')
    g_string_append_len (out, key->str, (gssize) key->len);
  else
    wl_append_quoted (out, key->str);
  return TRUE;
}

/* Long ones get lines: messages name them. */
static gboolean
put_map (In *in, GString *out, guint64 n, guint depth)
{
  g_string_append_c (out, '{');
  for (guint64 i = 0; i < n; i++) {
    g_string_append (out, i == 0 ? "" : depth < 4 ? ",\n" : ", ");
    if (!put_key (in, out, depth))
      return FALSE;
    g_string_append (out, ": ");
    if (!put (in, out, depth + 1))
      return FALSE;
  }
  g_string_append_c (out, '}');
  return TRUE;
}

static gboolean
put_float (In *in, GString *out, guint bytes)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  guint64 bits;
  double v;

  if (!number (in, bytes, &bits))
    return FALSE;
  if (bytes == 4) {
    guint32 half = (guint32) bits;
    float f;

    memcpy (&f, &half, sizeof f);
    v = (double) f;
  } else {
    memcpy (&v, &bits, sizeof v);
  }
  g_string_append (out, isfinite (v) ? g_ascii_formatd (text, sizeof text, "%.17g", v) : "null");
  return TRUE;
}

static gboolean
put_signed (In *in, GString *out, guint bytes)
{
  guint64 v;

  if (!number (in, bytes, &v))
    return FALSE;
  gint64 s = bytes == 1 ? (gint8) v : bytes == 2 ? (gint16) v : bytes == 4 ? (gint32) v : (gint64) v;

  g_string_append_printf (out, "%" G_GINT64_FORMAT, s);
  return TRUE;
}

static gboolean
put (In *in, GString *out, guint depth)
{
  guint64 n = 0;

  if (depth > DEEPEST)
    return refuse (in, "MessagePack, expected at most 100 levels, found more");
  if (!number (in, 1, &n))
    return FALSE;
  guint8 c = (guint8) n;

  if (c < 0x80) {
    g_string_append_printf (out, "%u", c);
    return TRUE;
  }
  if (c < 0x90)
    return put_map (in, out, c & 15, depth);
  if (c < 0xa0)
    return put_list (in, out, c & 15, depth);
  if (c < 0xc0)
    return put_text (in, out, c & 31);
  if (c >= 0xe0) {
    g_string_append_printf (out, "%d", (gint8) c);
    return TRUE;
  }
  switch (c) {
  case 0xc0:
    g_string_append (out, "null");
    return TRUE;
  case 0xc2:
  case 0xc3:
    g_string_append (out, c == 0xc3 ? "true" : "false");
    return TRUE;
  case 0xca:
  case 0xcb:
    return put_float (in, out, c == 0xca ? 4 : 8);
  case 0xcc:
  case 0xcd:
  case 0xce:
  case 0xcf:
    if (!number (in, 1u << (c - 0xcc), &n))
      return FALSE;
    g_string_append_printf (out, "%" G_GUINT64_FORMAT, n);
    return TRUE;
  case 0xd0:
  case 0xd1:
  case 0xd2:
  case 0xd3:
    return put_signed (in, out, 1u << (c - 0xd0));
  case 0xd9:
  case 0xda:
  case 0xdb:
    return number (in, 1u << (c - 0xd9), &n) && put_text (in, out, n);
  case 0xdc:
  case 0xdd:
    return number (in, 2u << (c - 0xdc), &n) && put_list (in, out, n, depth);
  case 0xde:
  case 0xdf:
    return number (in, 2u << (c - 0xde), &n) && put_map (in, out, n, depth);
  default: /* bytes, extensions, and what never is */
    in->at--;
    return refuse (in, "MessagePack, expected what JSON can say, found another kind of value");
  }
}

GString *
wl_msgpack_json (const guint8 *data, gsize len, GError **error)
{
  In in = { .data = data, .len = len, .error = error };
  GString *out = g_string_sized_new (len * 2);

  if (put (&in, out, 0) && (in.at == len || refuse (&in, "MessagePack, expected the end, found more")))
    return out;
  g_string_free (out, TRUE);
  return NULL;
}
