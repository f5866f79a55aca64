/* tests/json-doc.c - see json-doc.h. */
#include "json-doc.h"
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 200

typedef struct {
  VcArena *arena;
  const char *at, *end;
  guint depth;
} Reader;

static Jd *read_value (Reader *r);

static void
skip_space (Reader *r)
{
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
    r->at++;
}

static gboolean
take (Reader *r, char c)
{
  skip_space (r);
  if (r->at >= r->end || *r->at != c)
    return FALSE;
  r->at++;
  return TRUE;
}

static gboolean
take_word (Reader *r, const char *word)
{
  gsize n = strlen (word);

  if ((gsize) (r->end - r->at) < n || memcmp (r->at, word, n) != 0)
    return FALSE;
  r->at += n;
  return TRUE;
}

static gboolean
read_hex (Reader *r, gunichar *out)
{
  gunichar v = 0;

  if (r->end - r->at < 4)
    return FALSE;
  for (int i = 0; i < 4; i++, r->at++) {
    int digit = g_ascii_xdigit_value (*r->at);

    if (digit < 0)
      return FALSE;
    v = v * 16 + (gunichar) digit;
  }
  *out = v;
  return TRUE;
}

/* After the opening quote. */
static const char *
read_string (Reader *r)
{
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  g_autoptr (GString) s = g_string_new (NULL);

  for (;;) {
    gunichar high, low;
    const char *known;

    if (r->at >= r->end || (guchar) *r->at < 0x20)
      return NULL;
    if (*r->at == '"') {
      r->at++;
      return vc_arena_strndup (r->arena, s->str, s->len);
    }
    if (*r->at != '\\') {
      g_string_append_c (s, *r->at++);
      continue;
    }
    if (++r->at >= r->end)
      return NULL;
    if (*r->at != 'u') {
      known = strchr (from, *r->at++);
      if (known == NULL)
        return NULL;
      g_string_append_c (s, to[known - from]);
      continue;
    }
    r->at++;
    if (!read_hex (r, &high))
      return NULL;
    if (high >= 0xd800 && high < 0xdc00) { /* the first half of a surrogate pair */
      if (!take_word (r, "\\u") || !read_hex (r, &low) || low < 0xdc00 || low > 0xdfff)
        return NULL;
      high = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
    }
    g_string_append_unichar (s, high);
  }
}

static int
compare_keys (gconstpointer a, gconstpointer b, gpointer user)
{
  const char *const *key = user;

  return strcmp (key[*(const guint *) a], key[*(const guint *) b]);
}

static gboolean
read_members (Reader *r, Jd *v, char closing)
{
  g_autoptr (GPtrArray) child = g_ptr_array_new (), key = g_ptr_array_new ();

  if (!take (r, closing)) {
    do {
      Jd *item;

      if (v->type == JD_OBJECT) {
        const char *k = take (r, '"') ? read_string (r) : NULL;

        if (k == NULL || !take (r, ':'))
          return FALSE;
        g_ptr_array_add (key, (gpointer) k);
      }
      item = read_value (r);
      if (item == NULL)
        return FALSE;
      g_ptr_array_add (child, item);
    } while (take (r, ','));
    if (!take (r, closing))
      return FALSE;
  }
  v->n = child->len;
  v->child = vc_arena_new0 (r->arena, Jd *, v->n + 1);
  if (v->n > 0)
    memcpy (v->child, child->pdata, v->n * sizeof (gpointer));
  if (v->type == JD_OBJECT) {
    v->key = vc_arena_new0 (r->arena, const char *, v->n + 1);
    v->by_key = vc_arena_new0 (r->arena, guint, v->n + 1);
    for (guint i = 0; i < v->n; i++) {
      v->key[i] = g_ptr_array_index (key, i);
      v->by_key[i] = i;
    }
    g_qsort_with_data (v->by_key, (gint) v->n, sizeof (guint), compare_keys, v->key);
  }
  return TRUE;
}

static gboolean
read_content (Reader *r, Jd *v)
{
  char *end;

  switch (*r->at) {
  case '{':
  case '[':
    v->type = *r->at == '{' ? JD_OBJECT : JD_ARRAY;
    r->at++;
    return ++r->depth <= DEPTH_MAX && read_members (r, v, v->type == JD_OBJECT ? '}' : ']')
           && r->depth-- > 0;
  case '"':
    v->type = JD_STRING;
    r->at++;
    v->string = read_string (r);
    return v->string != NULL;
  case 't':
  case 'f':
    v->type = JD_BOOL;
    v->number = *r->at == 't';
    return take_word (r, v->number > 0 ? "true" : "false");
  case 'n':
    v->type = JD_NULL;
    return take_word (r, "null");
  default:
    if (*r->at != '-' && !g_ascii_isdigit (*r->at))
      return FALSE;
    v->type = JD_NUMBER;
    v->number = g_ascii_strtod (r->at, &end);
    if (end == r->at || end > r->end)
      return FALSE;
    r->at = end;
    return TRUE;
  }
}

static Jd *
read_value (Reader *r)
{
  Jd *v;

  skip_space (r);
  if (r->at >= r->end)
    return NULL;
  v = vc_arena_new0 (r->arena, Jd, 1);
  v->raw = r->at;
  if (!read_content (r, v))
    return NULL;
  v->raw_len = (gsize) (r->at - v->raw);
  return v;
}

Jd *
jd_parse (VcArena *arena, const char *text, gsize len, gsize *where)
{
  Reader r = { .arena = arena, .at = text, .end = text + len };
  Jd *v = read_value (&r);

  skip_space (&r);
  if (where != NULL)
    *where = (gsize) (r.at - text);
  return r.at == r.end ? v : NULL;
}

Jd *
jd_get (const Jd *o, const char *key)
{
  guint lo = 0, hi = o != NULL && o->type == JD_OBJECT ? o->n : 0;

  while (lo < hi) {
    guint mid = lo + (hi - lo) / 2;
    int c = strcmp (o->key[o->by_key[mid]], key);

    if (c == 0)
      return o->child[o->by_key[mid]];
    if (c < 0)
      lo = mid + 1;
    else
      hi = mid;
  }
  return NULL;
}

const char *
jd_text (const Jd *v, const char *fallback)
{
  return v != NULL && v->type == JD_STRING ? v->string : fallback;
}

double
jd_number (const Jd *v, double fallback)
{
  return v != NULL && (v->type == JD_NUMBER || v->type == JD_BOOL) ? v->number : fallback;
}

gboolean
jd_is_null (const Jd *v)
{
  return v == NULL || v->type == JD_NULL;
}

gboolean
jd_equal (const Jd *a, const Jd *b)
{
  if (a == NULL || b == NULL)
    return a == b;
  if (a->type != b->type || a->n != b->n)
    return FALSE;
  if (a->type == JD_STRING)
    return strcmp (a->string, b->string) == 0;
  for (guint i = 0; i < a->n; i++)
    if (!jd_equal (a->child[i], a->type == JD_OBJECT ? jd_get (b, a->key[i]) : b->child[i]))
      return FALSE;
  return a->number == b->number;
}

char *
jd_dup_raw (const Jd *v)
{
  return v != NULL ? g_strndup (v->raw, v->raw_len) : g_strdup ("(nothing)");
}
