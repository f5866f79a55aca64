#include "json.h"
#include <errno.h>
#include <math.h>

#define DEPTH 512 /* nesting beyond this is refused */

G_DEFINE_QUARK (vc_json_error_quark, vc_json_error)

/* ---- writing ---------------------------------------------------------------------------------- */

void
vc_json_text (GString *out, const char *text)
{
  g_autofree char *valid = g_utf8_validate (text, -1, NULL) ? NULL : g_utf8_make_valid (text, -1);

  g_string_append_c (out, '"');
  for (const char *p = valid != NULL ? valid : text; *p != '\0'; p++) {
    guchar c = (guchar) *p;

    if (c == '"' || c == '\\')
      g_string_append_printf (out, "\\%c", c);
    else if (c == '\n')
      g_string_append (out, "\\n");
    else if (c == '\r')
      g_string_append (out, "\\r");
    else if (c == '\t')
      g_string_append (out, "\\t");
    else if (c < 0x20 || c == '<' || c == '>' || c == '&')
      g_string_append_printf (out, "\\u%04x", c);
    else if (strncmp (p, "\xe2\x80\xa8", 3) == 0 || strncmp (p, "\xe2\x80\xa9", 3) == 0) {
      g_string_append (out, p[2] == '\xa8' ? "\\u2028" : "\\u2029");
      p += 2;
    } else
      g_string_append_c (out, *p);
  }
  g_string_append_c (out, '"');
}

void
vc_json_key (GString *out, const char *key)
{
  if (out->len > 0 && out->str[out->len - 1] != '{')
    g_string_append_c (out, ',');
  vc_json_text (out, key);
  g_string_append_c (out, ':');
}

void
vc_json_int (GString *out, gint64 v)
{
  g_string_append_printf (out, "%" G_GINT64_FORMAT, v);
}

void
vc_json_bool (GString *out, gboolean v)
{
  g_string_append (out, v ? "true" : "false");
}

void
vc_json_number (GString *out, double v)
{
  char buf[G_ASCII_DTOSTR_BUF_SIZE];
  static const char *const format[] = { "%.15g", "%.16g", "%.17g" };

  if (!isfinite (v)) {
    g_string_append (out, "null");
    return;
  }
  if (v == trunc (v) && fabs (v) < 9e15) {
    vc_json_int (out, (gint64) v);
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (format); i++) {
    g_ascii_formatd (buf, sizeof buf, format[i], v);
    if (g_ascii_strtod (buf, NULL) == v)
      break;
  }
  g_string_append (out, buf);
}

/* ---- reading ---------------------------------------------------------------------------------- */

typedef struct {
  const char *start, *p, *end;
  VcArena *arena;
  guint depth;
  GError **error;
} Reader;

static gboolean
refuse (Reader *r, const char *expected)
{
  g_set_error (r->error, VC_JSON_ERROR, VC_JSON_ERROR_SYNTAX, "byte %" G_GSIZE_FORMAT ": expected %s, found %s", (gsize) (r->p - r->start) + 1,
               expected, r->p < r->end ? "something else" : "the end");
  return FALSE;
}

static void
skip_space (Reader *r)
{
  while (r->p < r->end && (*r->p == ' ' || *r->p == '\t' || *r->p == '\n' || *r->p == '\r'))
    r->p++;
}

static gboolean
read_hex (Reader *r, gunichar *out)
{
  *out = 0;
  for (guint i = 0; i < 4; i++, r->p++) {
    if (r->p >= r->end || !g_ascii_isxdigit (*r->p))
      return refuse (r, "four hexadecimal digits");
    *out = *out * 16 + (gunichar) g_ascii_xdigit_value (*r->p);
  }
  return TRUE;
}

/* Behind `\u`: a code point, of a pair of surrogates when there are two. What is none becomes U+FFFD, as does NUL, which a C text
 * cannot hold. */
static gboolean
read_code_point (Reader *r, GString *out)
{
  gunichar c, low;

  if (!read_hex (r, &c))
    return FALSE;
  if (c >= 0xD800 && c < 0xDC00 && r->end - r->p >= 6 && r->p[0] == '\\' && r->p[1] == 'u') {
    const char *back = r->p;
    r->p += 2;
    if (!read_hex (r, &low))
      return FALSE;
    if (low >= 0xDC00 && low < 0xE000)
      c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
    else
      r->p = back;
  }
  g_string_append_unichar (out, c == 0 || (c >= 0xD800 && c < 0xE000) ? 0xFFFD : c);
  return TRUE;
}

static gboolean
read_string (Reader *r, const char **out)
{
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  g_autoptr (GString) s = g_string_new (NULL);

  if (r->p >= r->end || *r->p != '"')
    return refuse (r, "a text");
  for (r->p++; r->p < r->end && *r->p != '"';) {
    const char *known;
    if ((guchar) *r->p < 0x20)
      return refuse (r, "an escape for a control character");
    if (*r->p != '\\') {
      g_string_append_c (s, *r->p++);
      continue;
    }
    r->p++;
    if (r->p < r->end && *r->p == 'u') {
      r->p++;
      if (!read_code_point (r, s))
        return FALSE;
      continue;
    }
    known = r->p < r->end && *r->p != '\0' ? strchr (from, *r->p) : NULL;
    if (known == NULL)
      return refuse (r, "an escape");
    g_string_append_c (s, to[known - from]);
    r->p++;
  }
  if (r->p >= r->end)
    return refuse (r, "the end of a text");
  r->p++;
  if (!g_utf8_validate (s->str, (gssize) s->len, NULL)) {
    g_autofree char *valid = g_utf8_make_valid (s->str, (gssize) s->len);
    *out = vc_arena_strdup (r->arena, valid);
  } else {
    *out = vc_arena_strndup (r->arena, s->str, s->len);
  }
  return TRUE;
}

static gboolean
skip_digits (Reader *r)
{
  const char *first = r->p;

  while (r->p < r->end && g_ascii_isdigit (*r->p))
    r->p++;
  return r->p > first || refuse (r, "a digit");
}

static gboolean
read_number (Reader *r, VcJson *v)
{
  const char *first = r->p;

  if (*r->p == '-')
    r->p++;
  if (r->p < r->end && *r->p == '0')
    r->p++;
  else if (!skip_digits (r))
    return FALSE;
  if (r->p < r->end && *r->p == '.') {
    r->p++;
    if (!skip_digits (r))
      return FALSE;
  }
  if (r->p < r->end && (*r->p == 'e' || *r->p == 'E')) {
    r->p++;
    if (r->p < r->end && (*r->p == '+' || *r->p == '-'))
      r->p++;
    if (!skip_digits (r))
      return FALSE;
  }
  v->kind = VC_JSON_NUMBER;
  v->text = vc_arena_strndup (r->arena, first, (gsize) (r->p - first));
  return TRUE;
}

static gboolean
read_word (Reader *r, const char *word)
{
  gsize n = strlen (word);

  if ((gsize) (r->end - r->p) < n || memcmp (r->p, word, n) != 0)
    return refuse (r, "a value");
  r->p += n;
  return TRUE;
}

static gboolean read_value (Reader *r, VcJson *v);

/* Behind the bracket of a list or map. */
static gboolean
read_children (Reader *r, VcJson *v, char close)
{
  VcJson **tail = &v->child;

  if (++r->depth > DEPTH)
    return refuse (r, "fewer levels");
  skip_space (r);
  if (r->p < r->end && *r->p == close) {
    r->p++;
    r->depth--;
    return TRUE;
  }
  for (;;) {
    VcJson *child = vc_arena_new0 (r->arena, VcJson, 1);

    skip_space (r);
    if (close == '}') {
      if (!read_string (r, &child->key))
        return FALSE;
      skip_space (r);
      if (r->p >= r->end || *r->p != ':')
        return refuse (r, "a colon");
      r->p++;
    }
    if (!read_value (r, child))
      return FALSE;
    *tail = child;
    tail = &child->next;
    skip_space (r);
    if (r->p < r->end && *r->p == ',') {
      r->p++;
      continue;
    }
    if (r->p >= r->end || *r->p != close)
      return refuse (r, close == '}' ? "a comma or }" : "a comma or ]");
    r->p++;
    r->depth--;
    return TRUE;
  }
}

static gboolean
read_value (Reader *r, VcJson *v)
{
  skip_space (r);
  switch (r->p < r->end ? *r->p : '\0') {
  case '{':
  case '[':
    v->kind = *r->p == '{' ? VC_JSON_MAP : VC_JSON_LIST;
    return read_children (r, v, *r->p++ == '{' ? '}' : ']');
  case '"':
    v->kind = VC_JSON_TEXT;
    return read_string (r, &v->text);
  case 't':
  case 'f':
    v->kind = VC_JSON_BOOL;
    v->truth = *r->p == 't';
    return read_word (r, v->truth ? "true" : "false");
  case 'n':
    return read_word (r, "null");
  default:
    if (r->p < r->end && (*r->p == '-' || g_ascii_isdigit (*r->p)))
      return read_number (r, v);
    return refuse (r, "a value");
  }
}

const VcJson *
vc_json_parse (const char *text, gsize len, VcArena *arena, GError **error)
{
  Reader r = { .start = text, .p = text, .end = text + len, .arena = arena, .error = error };
  VcJson *v = vc_arena_new0 (arena, VcJson, 1);

  return read_value (&r, v) ? v : NULL;
}

const VcJson *
vc_json_parse_all (const char *text, gsize len, VcArena *arena, GError **error)
{
  Reader r = { .start = text, .p = text, .end = text + len, .arena = arena, .error = error };
  VcJson *v = vc_arena_new0 (arena, VcJson, 1);

  if (!read_value (&r, v))
    return NULL;
  skip_space (&r);
  if (r.p < r.end) {
    refuse (&r, "the end");
    return NULL;
  }
  return v;
}

const VcJson *
vc_json_get (const VcJson *map, const char *key)
{
  const VcJson *exact = NULL, *other = NULL;

  for (const VcJson *c = map != NULL && map->kind == VC_JSON_MAP ? map->child : NULL; c != NULL; c = c->next)
    if (c->kind != VC_JSON_NULL) {
      exact = strcmp (c->key, key) == 0 ? c : exact;
      other = g_ascii_strcasecmp (c->key, key) == 0 ? c : other;
    }
  return exact != NULL ? exact : other;
}

static gboolean
wrong_type (const VcJson *v, const char *expected, GError **error)
{
  g_set_error (error, VC_JSON_ERROR, VC_JSON_ERROR_TYPE, "wrong type of '%s', expected %s", v->key != NULL ? v->key : "an item", expected);
  return FALSE;
}

gboolean
vc_json_get_text (const VcJson *map, const char *key, const char **out, GError **error)
{
  const VcJson *v = vc_json_get (map, key);

  if (v != NULL && v->kind != VC_JSON_TEXT)
    return wrong_type (v, "a text", error);
  if (v != NULL)
    *out = v->text;
  return TRUE;
}

gboolean
vc_json_get_bool (const VcJson *map, const char *key, gboolean *out, GError **error)
{
  const VcJson *v = vc_json_get (map, key);

  if (v != NULL && v->kind != VC_JSON_BOOL)
    return wrong_type (v, "true or false", error);
  if (v != NULL)
    *out = v->truth;
  return TRUE;
}

gboolean
vc_json_get_int (const VcJson *map, const char *key, gint64 *out, GError **error)
{
  const VcJson *v = vc_json_get (map, key);
  char *end = NULL;

  if (v == NULL)
    return TRUE;
  if (v->kind != VC_JSON_NUMBER)
    return wrong_type (v, "a whole number", error);
  errno = 0;
  gint64 n = g_ascii_strtoll (v->text, &end, 10);
  if (errno != 0 || *end != '\0')
    return wrong_type (v, "a whole number", error);
  *out = n;
  return TRUE;
}

gboolean
vc_json_as_double (const VcJson *v, double *out, GError **error)
{
  double d = v->kind == VC_JSON_NUMBER ? g_ascii_strtod (v->text, NULL) : HUGE_VAL;

  if (!isfinite (d))
    return wrong_type (v, "a number", error);
  *out = d;
  return TRUE;
}
