/* workloads/import/dict.c - see dict.h. */
#include "dict.h"
#include "workloads/text/parse.h"
#include <string.h>

typedef struct {
  const char *text, *p;
  GString *key, *value;
} Walk;

static gboolean
bad (const Walk *w, const char *expected, GError **error)
{
  g_autofree char *shown = wl_shown (*w->p != '\0' ? w->p : "");

  g_set_error (error, WL_ERROR, WL_ERROR_SYNTAX, "map or list, expected %s, found %s", expected, *w->p != '\0' ? shown : "the end");
  return FALSE;
}

static void
skip_blanks (Walk *w)
{
  while (g_ascii_isspace (*w->p))
    w->p++;
}

/* The four digits of \uXXXX, and of a pair of them. */
static gboolean
read_code (Walk *w, GString *out, GError **error)
{
  gunichar c[2] = { 0, 0 };

  for (guint k = 0; k < 2; k++) {
    for (guint i = 0; i < 4; i++, w->p++) {
      int digit = g_ascii_xdigit_value (*w->p);

      if (digit < 0)
        return bad (w, "four hexadecimal digits", error);
      c[k] = c[k] << 4 | (guint) digit;
    }
    if ((c[k] & 0xfc00) != 0xd800 || k == 1)
      break;
    if (w->p[0] != '\\' || w->p[1] != 'u')
      return bad (w, "the second half of a character", error);
    w->p += 2;
  }
  gunichar whole = (c[0] & 0xfc00) == 0xd800 ? 0x10000 + ((c[0] & 0x3ff) << 10) + (c[1] & 0x3ff) : c[0];

  if (whole < 0x20 || !g_unichar_validate (whole))
    return bad (w, "a character that a text may have", error);
  g_string_append_unichar (out, whole);
  return TRUE;
}

static gboolean
read_string (Walk *w, GString *out, GError **error)
{
  char quote = *w->p++;

  while (*w->p != quote) {
    if (*w->p == '\0')
      return bad (w, "a quote at the end of a string", error);
    if (*w->p != '\\') {
      g_string_append_c (out, *w->p++);
      continue;
    }
    w->p++;
    if (*w->p == 'u') {
      w->p++;
      if (!read_code (w, out, error))
        return FALSE;
    } else if (*w->p == '\0') {
      return bad (w, "a character behind the backslash", error);
    } else {
      g_string_append_c (out, strchr ("bfnrt", *w->p) != NULL ? ' ' : *w->p);
      w->p++;
    }
  }
  w->p++;
  return TRUE;
}

/* A map or list as it stands. */
static gboolean
read_whole (Walk *w, GString *out, GError **error)
{
  const char *from = w->p;
  g_autoptr (GString) unused = g_string_new (NULL);
  guint depth = 0;

  do {
    if (*w->p == '"' || *w->p == '\'') {
      if (!read_string (w, unused, error))
        return FALSE;
      continue;
    }
    if (*w->p == '\0')
      return bad (w, "brackets that are closed", error);
    depth += *w->p == '{' || *w->p == '[';
    depth -= *w->p == '}' || *w->p == ']';
    w->p++;
  } while (depth > 0);
  g_string_append_len (out, from, w->p - from);
  return TRUE;
}

static gboolean
read_value (Walk *w, GString *out, GError **error)
{
  const char *from = w->p;

  g_string_truncate (out, 0);
  if (*w->p == '"' || *w->p == '\'')
    return read_string (w, out, error);
  if (*w->p == '{' || *w->p == '[')
    return read_whole (w, out, error);
  while (*w->p != '\0' && !g_ascii_isspace (*w->p) && strchr (",:]}[{\"'", *w->p) == NULL)
    w->p++;
  if (w->p == from)
    return bad (w, "a value", error);
  g_string_append_len (out, from, w->p - from);
  if (strcmp (out->str, "null") == 0 || strcmp (out->str, "None") == 0)
    g_string_truncate (out, 0);
  return TRUE;
}

static gboolean
walk (Walk *w, WlDictItem *item, gpointer user, gsize *place, GError **error)
{
  char end;

  skip_blanks (w);
  if (*w->p != '{' && *w->p != '[')
    return bad (w, "{ or [", error);
  end = *w->p++ == '{' ? '}' : ']';
  for (;;) {
    skip_blanks (w);
    if (*w->p == end)
      break;
    if (end == '}') {
      if (!read_value (w, w->key, error))
        return FALSE;
      skip_blanks (w);
      if (*w->p != ':')
        return bad (w, "a colon behind the key", error);
      w->p++;
      skip_blanks (w);
    }
    gsize at = (gsize) (w->p - w->text);

    if (!read_value (w, w->value, error))
      return FALSE;
    if (!item (end == '}' ? w->key->str : NULL, w->value->str, at, user, error)) {
      *place = at;
      return FALSE;
    }
    skip_blanks (w);
    if (*w->p == ',')
      w->p++;
    else if (*w->p == '\0')
      return bad (w, end == '}' ? "a comma or }" : "a comma or ]", error);
  }
  w->p++;
  skip_blanks (w);
  return *w->p == '\0' || bad (w, "the end", error);
}

gboolean
wl_dict_each (const char *text, WlDictItem *item, gpointer user, gsize *place, GError **error)
{
  g_autoptr (GString) key = g_string_new (NULL), value = g_string_new (NULL);
  Walk w = { text, text, key, value };

  *place = G_MAXSIZE;
  if (walk (&w, item, user, place, error))
    return TRUE;
  if (*place == G_MAXSIZE)
    *place = (gsize) (w.p - text);
  return FALSE;
}
