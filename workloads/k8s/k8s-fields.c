#include "k8s-fields.h"
#include "k8s-objects.h"
#include "workloads/native/native.h"
#include "workloads/text/parse.h"
#include <stdarg.h>

#define SHOWN 60u /* bytes of a value that a message repeats */

/* ---- places and messages -------------------------------------------------------------------- */
/* Byte of the input at which @node begins, with its line (from 1); -1 when the parser keeps no
 * place for it. The parser gives no place for mappings and lists, so theirs is that of the first
 * scalar inside, or of the bracket before it. */
static gssize
place_of (K8sReader *r, struct fy_node *node, guint32 *line)
{
  gboolean inside = FALSE;

  for (int depth = 0; node != NULL && depth < 64 && !fy_node_is_scalar (node); depth++) {
    void *it = NULL;
    if (fy_node_is_mapping (node)) {
      struct fy_node_pair *pair = fy_node_mapping_iterate (node, &it);
      node = pair != NULL ? fy_node_pair_key (pair) : NULL;
    } else {
      node = fy_node_sequence_iterate (node, &it);
    }
    inside = TRUE;
  }
  struct fy_token *token
      = node != NULL && fy_node_is_scalar (node) ? fy_node_get_scalar_token (node) : NULL;
  const struct fy_mark *mark = token != NULL ? fy_token_start_mark (token) : NULL;
  if (mark == NULL)
    return -1;
  gsize at = MIN (r->base + mark->input_pos, r->len);
  enum fy_node_style style = fy_node_get_style (node);
  guint32 l = r->base_line + (guint32) mark->line + 1;

  if ((style == FYNS_DOUBLE_QUOTED || style == FYNS_SINGLE_QUOTED || style == FYNS_ALIAS)
      && at > r->base)
    at--; /* the mark is behind the quote or the asterisk */
  if (inside) {
    gsize p = at;
    guint32 up = 0;
    while (p > r->base && strchr (" \t\r\n", r->text[p - 1]) != NULL)
      up += r->text[--p] == '\n';
    if (p > r->base && (r->text[p - 1] == '{' || r->text[p - 1] == '[')) {
      at = p - 1;
      l -= up;
    }
  }
  *line = l;
  return (gssize) at;
}

static gsize
place_or_near (K8sReader *r, struct fy_node *node, guint32 *line)
{
  gssize at = place_of (r, node, line);
  for (const K8sPath *p = r->path; at < 0 && p != NULL; p = p->up)
    at = place_of (r, p->at, line);
  if (at < 0)
    at = place_of (r, r->object, line);
  if (at >= 0)
    return (gsize) at;
  *line = r->base_line + 1;
  return r->base;
}

guint32
k8s_line (K8sReader *r, struct fy_node *node)
{
  guint32 line;
  place_or_near (r, node, &line);
  return line;
}

static guint
column_of (const K8sReader *r, gsize at)
{
  gsize start = at;
  while (start > 0 && r->text[start - 1] != '\n')
    start--;
  guint column = 1;
  for (gsize i = start; i < at; i++)
    column += ((guchar) r->text[i] & 0xC0u) != 0x80u; /* characters, not bytes */
  return column;
}

/* @text on one line, cut to what a reader can take in. */
static void
append_shown (GString *out, const char *text, gsize len)
{
  gsize n = len;
  if (n > SHOWN) {
    n = SHOWN;
    while (n > 0 && ((guchar) text[n] & 0xC0u) == 0x80u)
      n--;
  }
  for (gsize i = 0; i < n; i++) {
    guchar c = (guchar) text[i];
    if (c < 0x20 || c == 0x7F)
      g_string_append_printf (out, "\\x%02x", c);
    else
      g_string_append_c (out, (char) c);
  }
  if (n < len)
    g_string_append (out, "…");
}

static void
append_path (GString *out, const K8sPath *path)
{
  if (path == NULL)
    return;
  append_path (out, path->up); /* as deep as the tables of fields are */
  if (path->key == NULL) {
    g_string_append_printf (out, "[%u]", path->index);
  } else {
    if (path->up != NULL)
      g_string_append_c (out, '.');
    append_shown (out, path->key, path->key_len);
  }
}

static GString *
message_start (K8sReader *r, struct fy_node *node)
{
  GString *out = g_string_new (NULL);
  guint32 line;
  gsize at = place_or_near (r, node, &line);

  g_string_append_printf (out, "%s:%u:%u: ", r->source, line, column_of (r, at));
  if (r->kind != NULL) {
    append_shown (out, r->kind, strlen (r->kind));
    if (r->name != NULL) {
      g_string_append_c (out, ' ');
      if (r->ns != NULL) {
        append_shown (out, r->ns, strlen (r->ns));
        g_string_append_c (out, '/');
      }
      append_shown (out, r->name, strlen (r->name));
    }
    g_string_append (out, ": ");
  }
  return out;
}

static gboolean
message_end (K8sReader *r, GString *out, int code)
{
  g_set_error_literal (r->error, WL_ERROR, code, out->str);
  g_string_free (out, TRUE);
  return FALSE;
}

gboolean
k8s_refuse (K8sReader *r, struct fy_node *node, const char *format, ...)
{
  GString *out = message_start (r, node);
  va_list ap;

  if (r->path != NULL) {
    append_path (out, r->path);
    g_string_append (out, ": ");
  }
  va_start (ap, format);
  g_string_append_vprintf (out, format, ap);
  va_end (ap);
  return message_end (r, out, WL_ERROR_VALUE);
}

gboolean
k8s_unsupported (K8sReader *r, struct fy_node *node, const char *what)
{
  GString *out = message_start (r, node);

  g_string_append_printf (out, "%s is not implemented yet", what);
  if (r->path != NULL) {
    g_string_append (out, " (");
    append_path (out, r->path);
    g_string_append_c (out, ')');
  }
  return message_end (r, out, WL_ERROR_UNSUPPORTED);
}

gboolean
k8s_refuse_at (K8sReader *r, gsize offset, int code, const char *format, ...)
{
  guint line = 1;
  va_list ap;

  offset = MIN (offset, r->len);
  for (gsize i = 0; i < offset; i++)
    line += r->text[i] == '\n';
  va_start (ap, format);
  g_autofree char *message = g_strdup_vprintf (format, ap);
  va_end (ap);
  g_set_error (r->error, WL_ERROR, code, "%s:%u:%u: %s", r->source, line, column_of (r, offset),
               message);
  return FALSE;
}

/* ---- scalars -------------------------------------------------------------------------------- */
typedef enum { SCALAR_NULL, SCALAR_BOOL, SCALAR_INT, SCALAR_FLOAT, SCALAR_TEXT } Scalar;

static gboolean
is_one_of (const char *text, gsize len, const char *const *words)
{
  for (; *words != NULL; words++)
    if (strlen (*words) == len && memcmp (*words, text, len) == 0)
      return TRUE;
  return FALSE;
}

/* What YAML 1.1 takes an unquoted scalar for, as the YAML reader of kubectl does: `on`, `0x1f`,
 * `1_000`, `1e3`. Where readers of YAML 1.1 do not agree, it is text: `y`, `n`, and `08`, which is
 * no octal number. */
static Scalar
classify_plain (const char *text, gsize len)
{
  static const char *const nulls[] = { "", "~", "null", "Null", "NULL", NULL };
  static const char *const bools[]
      = { "yes", "Yes", "YES",   "true",  "True",  "TRUE", "on",  "On",  "ON", "no",
          "No",  "NO",  "false", "False", "FALSE", "off",  "Off", "OFF", NULL };
  static const char *const floats[]
      = { ".inf",  ".Inf",  ".INF", "+.inf", "+.Inf", "+.INF", "-.inf",
          "-.Inf", "-.INF", ".nan", ".NaN",  ".NAN",  NULL };
  gsize i = 0, digits = 0;
  gboolean point = FALSE, octal = FALSE, high = FALSE;

  if (len <= 5 && is_one_of (text, len, nulls))
    return SCALAR_NULL;
  if (len <= 5 && is_one_of (text, len, bools))
    return SCALAR_BOOL;
  if (len <= 5 && is_one_of (text, len, floats))
    return SCALAR_FLOAT;
  if (text[0] == '+' || text[0] == '-')
    i++;
  if (len - i > 2 && text[i] == '0' && strchr ("xXbBoO", text[i + 1]) != NULL
      && text[i + 1] != '\0') {
    char base = g_ascii_tolower (text[i + 1]), top = base == 'b' ? '1' : base == 'o' ? '7' : '9';
    for (gsize k = i + 2; k < len; k++)
      if (text[k] != '_'
          && !(base == 'x' ? g_ascii_isxdigit (text[k]) : text[k] >= '0' && text[k] <= top))
        return SCALAR_TEXT;
    return SCALAR_INT;
  }
  if (i < len && text[i] == '_')
    return SCALAR_TEXT;
  octal = len - i > 1 && text[i] == '0';
  for (; i < len; i++) {
    high = high || text[i] == '8' || text[i] == '9';
    if (g_ascii_isdigit (text[i]))
      digits++;
    else if (text[i] == '.' && !point)
      point = TRUE;
    else if (text[i] != '_')
      break;
  }
  if (digits == 0)
    return SCALAR_TEXT;
  if (i == len)
    return point ? SCALAR_FLOAT : octal && high ? SCALAR_TEXT : SCALAR_INT;
  if (text[i] != 'e' && text[i] != 'E')
    return SCALAR_TEXT;
  i++;
  if (i < len && (text[i] == '+' || text[i] == '-'))
    i++;
  if (i == len)
    return SCALAR_TEXT;
  for (; i < len; i++)
    if (!g_ascii_isdigit (text[i]))
      return SCALAR_TEXT;
  return SCALAR_FLOAT;
}

static gboolean
has_text_tag (struct fy_node *node)
{
  gsize len = 0;
  const char *tag = fy_node_get_tag (node, &len);
  static const char *const tags[] = { "!", "tag:yaml.org,2002:str", NULL };

  return tag != NULL && is_one_of (tag, len, tags);
}

static Scalar
scalar_of (struct fy_node *node, const char **text, gsize *len)
{
  *len = 0;
  *text = fy_node_get_scalar (node, len);
  if (*text == NULL) {
    *text = "";
    *len = 0;
  }
  if (fy_node_get_style (node) != FYNS_PLAIN || has_text_tag (node))
    return SCALAR_TEXT;
  return classify_plain (*text, *len);
}

gboolean
k8s_expected (K8sReader *r, struct fy_node *node, const char *expected)
{
  GString *out = message_start (r, node);
  const char *text;
  gsize len;

  if (r->path != NULL) {
    append_path (out, r->path);
    g_string_append (out, ": ");
  }
  g_string_append_printf (out, "expected %s, found ", expected);
  if (node != NULL && fy_node_is_mapping (node)) {
    g_string_append (out, "a mapping");
  } else if (node != NULL && fy_node_is_sequence (node)) {
    g_string_append (out, "a list");
  } else {
    Scalar scalar = node != NULL ? scalar_of (node, &text, &len) : SCALAR_NULL;
    if (scalar == SCALAR_NULL) {
      g_string_append (out, "null");
    } else {
      /* Quotes in the message stand for the value, so a quoted number needs a word of its own. */
      if (scalar == SCALAR_TEXT && len > 0 && classify_plain (text, len) != SCALAR_TEXT)
        g_string_append (out, "the text ");
      g_string_append_c (out, '\'');
      append_shown (out, text, len);
      g_string_append_c (out, '\'');
    }
  }
  return message_end (r, out, WL_ERROR_VALUE);
}

static gboolean
spend (K8sReader *r, struct fy_node *node, gsize cost)
{
  if (cost > r->budget)
    return k8s_refuse (r, node, "aliases expand to too much");
  r->budget -= cost;
  return TRUE;
}

gboolean
k8s_resolve (K8sReader *r, struct fy_node **node)
{
  const char *text;
  gsize len;

  if (*node == NULL)
    return TRUE;
  if (fy_node_is_alias (*node)) {
    struct fy_node *target = fy_node_resolve_alias (*node);
    if (target == NULL) {
      g_autoptr (GString) name = g_string_new (NULL);
      text = fy_node_get_scalar (*node, &len);
      append_shown (name, text != NULL ? text : "", text != NULL ? len : 0);
      return k8s_refuse (r, *node, "no anchor for the alias *%s", name->str);
    }
    *node = target;
  }
  if (fy_node_is_scalar (*node) && scalar_of (*node, &text, &len) == SCALAR_NULL)
    *node = NULL;
  return TRUE;
}

gboolean
k8s_is_empty (struct fy_node *node)
{
  const char *text;
  gsize len;
  void *it = NULL;

  if (node == NULL)
    return TRUE;
  if (fy_node_is_scalar (node))
    return !fy_node_is_alias (node) && scalar_of (node, &text, &len) == SCALAR_NULL;
  if (fy_node_is_sequence (node))
    return fy_node_sequence_iterate (node, &it) == NULL;
  for (struct fy_node_pair *pair; (pair = fy_node_mapping_iterate (node, &it)) != NULL;)
    if (!k8s_is_empty (fy_node_pair_value (pair)))
      return FALSE;
  return TRUE;
}

gboolean
k8s_node (K8sReader *r, struct fy_node *node, gpointer out)
{
  *(struct fy_node **) out = node;
  return TRUE;
}

gboolean
k8s_text (K8sReader *r, struct fy_node *node, gpointer out)
{
  const char *text;
  gsize len;

  if (!fy_node_is_scalar (node) || scalar_of (node, &text, &len) != SCALAR_TEXT)
    return k8s_expected (r, node, "a text (quote it)");
  if (memchr (text, '\0', len) != NULL)
    return k8s_refuse (r, node, "a NUL character in a text");
  if (!spend (r, node, len))
    return FALSE;
  *(const char **) out = vc_arena_strndup (r->arena, text, len);
  return TRUE;
}

gboolean
k8s_bool (K8sReader *r, struct fy_node *node, gpointer out)
{
  const char *text;
  gsize len;

  if (!fy_node_is_scalar (node) || scalar_of (node, &text, &len) != SCALAR_BOOL)
    return k8s_expected (r, node, "true or false");
  char first = g_ascii_tolower (text[0]);
  *(gboolean *) out
      = first == 't' || first == 'y' || (first == 'o' && g_ascii_tolower (text[1]) == 'n');
  return TRUE;
}

static gboolean
read_integer (K8sReader *r, struct fy_node *node, gint64 min, gint64 max, const char *expected,
              gint64 *out)
{
  const char *text;
  gsize len, i = 0;
  gint64 v = 0;

  if (!fy_node_is_scalar (node) || scalar_of (node, &text, &len) != SCALAR_INT)
    return k8s_expected (r, node, expected);
  gboolean negative = text[0] == '-';

  if (negative || text[0] == '+')
    i++;
  if (len - i > 1 && text[i] == '0')
    return k8s_expected (r, node, expected); /* octal to YAML 1.1, decimal to everybody else */
  for (; i < len; i++) {
    if (!g_ascii_isdigit (text[i]) || __builtin_mul_overflow (v, (gint64) 10, &v)
        || __builtin_sub_overflow (v, (gint64) (text[i] - '0'),
                                   &v)) /* downwards: the least int64 has no positive twin */
      return k8s_expected (r, node, expected);
  }
  if (!negative && v == G_MININT64)
    return k8s_expected (r, node, expected);
  v = negative ? v : -v;
  if (v < min || v > max)
    return k8s_expected (r, node, expected);
  *out = v;
  return TRUE;
}

gboolean
k8s_int32 (K8sReader *r, struct fy_node *node, gpointer out)
{
  gint64 v = 0;
  if (!read_integer (r, node, G_MININT32, G_MAXINT32, "a whole number of 32 bits", &v))
    return FALSE;
  *(gint32 *) out = (gint32) v;
  return TRUE;
}

gboolean
k8s_given_int32 (K8sReader *r, struct fy_node *node, gpointer out)
{
  K8sInt32 *number = out;
  number->given = TRUE;
  return k8s_int32 (r, node, &number->value);
}

gboolean
k8s_int64 (K8sReader *r, struct fy_node *node, gpointer out)
{
  gint64 v = 0;
  if (!read_integer (r, node, G_MININT64, G_MAXINT64, "a whole number of 64 bits", &v))
    return FALSE;
  *(gint64 *) out = v;
  return TRUE;
}

gboolean
k8s_time (K8sReader *r, struct fy_node *node, gpointer out)
{
  const char *text;
  gsize len;
  char buf[64];

  if (!fy_node_is_scalar (node) || scalar_of (node, &text, &len) != SCALAR_TEXT || len >= sizeof buf
      || memchr (text, '\0', len) != NULL)
    return k8s_expected (r, node, "a time such as 2026-01-31T08:00:00Z");
  memcpy (buf, text, len);
  buf[len] = '\0';
  return vc_parse_rfc3339 (buf, out)
         || k8s_expected (r, node, "a time such as 2026-01-31T08:00:00Z");
}

gboolean
k8s_quantity (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const char *const expected = "a quantity";
  const char *text;
  gsize len;
  char buf[128];

  if (node == NULL) { /* Kubernetes keeps the name, with nothing of it */
    *(VcQuantity *) out = (VcQuantity){ 0, 0 };
    return TRUE;
  }
  if (!fy_node_is_scalar (node))
    return k8s_expected (r, node, expected);
  Scalar scalar = scalar_of (node, &text, &len);
  if (scalar == SCALAR_TEXT)
    for (; len > 0 && g_ascii_isspace (text[0]); text++)
      len--;
  while (scalar == SCALAR_TEXT && len > 0 && g_ascii_isspace (text[len - 1]))
    len--;
  if (scalar == SCALAR_BOOL || len >= sizeof buf || memchr (text, '\0', len) != NULL)
    return k8s_expected (r, node, expected);
  if (scalar == SCALAR_INT && len > 1 && text[0] == '0')
    return k8s_expected (r, node, expected); /* octal without quotes */
  memcpy (buf, text, len);
  buf[len] = '\0';
  VcQuantity q;
  if (!vc_quantity_parse (buf, &q, NULL))
    return k8s_expected (r, node, expected);
  if ((q.value < 0 || q.milli < 0) && !r->any_sign)
    return k8s_expected (r, node, "a quantity of zero or more");
  *(VcQuantity *) out = q;
  return TRUE;
}

/* ---- mappings and lists --------------------------------------------------------------------- */
static gboolean
key_of (K8sReader *r, struct fy_node_pair *pair, const char **text, gsize *len)
{
  struct fy_node *key = fy_node_pair_key (pair);

  if (!k8s_resolve (r, &key))
    return FALSE;
  if (key == NULL || !fy_node_is_scalar (key))
    return k8s_expected (r, key, "a text as key");
  scalar_of (key, text, len);
  if (memchr (*text, '\0', *len) != NULL)
    return k8s_refuse (r, key, "a NUL character in a key");
  if (*len == 2 && memcmp (*text, "<<", 2) == 0 && fy_node_get_style (key) == FYNS_PLAIN)
    return k8s_unsupported (r, key, "a merge key '<<'");
  return TRUE;
}

gboolean
k8s_fields (K8sReader *r, struct fy_node *node, const K8sField *fields, guint n_fields,
            gpointer out)
{
  guint64 seen = 0;
  void *it = NULL;

  if (node == NULL || !fy_node_is_mapping (node))
    return k8s_expected (r, node, "a mapping");
  for (struct fy_node_pair *pair; (pair = fy_node_mapping_iterate (node, &it)) != NULL;) {
    const char *key;
    gsize len;
    guint f = 0;

    if (!key_of (r, pair, &key, &len) || !spend (r, node, 1))
      return FALSE;
    while (f < n_fields && (strncmp (fields[f].name, key, len) != 0 || fields[f].name[len] != '\0'))
      f++;
    if (f == n_fields)
      continue;
    const K8sPath frame
        = { .up = r->path, .key = fields[f].name, .key_len = len, .at = fy_node_pair_key (pair) };
    struct fy_node *value = fy_node_pair_value (pair);
    r->path = &frame;
    gboolean ok = !(seen & (G_GUINT64_CONSTANT (1) << f))
                  || k8s_refuse (r, frame.at, "the key is given twice");
    seen |= G_GUINT64_CONSTANT (1) << f;
    ok = ok && k8s_resolve (r, &value)
         && (value == NULL || fields[f].read (r, value, (char *) out + fields[f].offset));
    r->path = frame.up;
    if (!ok)
      return FALSE;
  }
  return TRUE;
}

gboolean
k8s_field (K8sReader *r, const char *key, struct fy_node *node, K8sRead read, gpointer out)
{
  const K8sPath frame = { .up = r->path, .key = key, .key_len = strlen (key), .at = node };

  if (node == NULL)
    return TRUE;
  r->path = &frame;
  gboolean ok = read (r, node, out);
  r->path = frame.up;
  return ok;
}

gboolean
k8s_list (K8sReader *r, struct fy_node *node, gsize size, K8sRead read, gpointer *items, guint *n)
{
  void *it = NULL;
  guint count = 0, i = 0;

  if (!fy_node_is_sequence (node))
    return k8s_expected (r, node, "a list");
  while (fy_node_sequence_iterate (node, &it) != NULL)
    count++;
  if (!spend (r, node, count))
    return FALSE;
  char *list = vc_arena_alloc (r->arena, size * count);
  it = NULL;
  for (struct fy_node *item; (item = fy_node_sequence_iterate (node, &it)) != NULL; i++) {
    const K8sPath frame = { .up = r->path, .index = i, .at = item };
    r->path = &frame;
    gboolean ok = k8s_resolve (r, &item) && (item != NULL || k8s_expected (r, NULL, "an item"))
                  && read (r, item, list + size * i);
    r->path = frame.up;
    if (!ok)
      return FALSE;
  }
  *items = list;
  *n = count;
  return TRUE;
}

gboolean
k8s_texts (K8sReader *r, struct fy_node *node, gpointer out)
{
  K8sTexts *texts = out;
  gpointer items;
  if (!k8s_list (r, node, sizeof (char *), k8s_text, &items, &texts->n))
    return FALSE;
  texts->item = items;
  return TRUE;
}

/* One entry of a map from texts to something, while the map is read. */
typedef struct {
  const char *key;
  struct fy_node *at; /* the key's node */
  guint index;
  union {
    const char *text;
    VcQuantity q;
    struct fy_node *node; /* NULL for null */
  } u;
} Entry;
typedef enum { ENTRY_TEXT, ENTRY_QUANTITY, ENTRY_NODE } EntryType;

guint
k8s_entry_size (void)
{
  return sizeof (Entry);
}

static int
compare_entries (const void *a, const void *b)
{
  const Entry *l = a, *m = b;
  int c = strcmp (l->key, m->key);
  return c != 0 ? c : (l->index > m->index) - (l->index < m->index);
}

/* All entries of the mapping @node, ascending by key, in r->scratch. A value of null is the empty
 * value of the type: Kubernetes' decoder keeps such a key. */
static gboolean
read_map (K8sReader *r, struct fy_node *node, EntryType type)
{
  void *it = NULL;
  gboolean sorted = TRUE;

  g_array_set_size (r->scratch, 0);
  if (!fy_node_is_mapping (node))
    return k8s_expected (r, node, "a mapping");
  for (struct fy_node_pair *pair; (pair = fy_node_mapping_iterate (node, &it)) != NULL;) {
    Entry e = { .at = fy_node_pair_key (pair), .index = r->scratch->len };
    struct fy_node *value = fy_node_pair_value (pair);
    const char *key;
    gsize len;
    gboolean ok = TRUE;

    if (!key_of (r, pair, &key, &len) || !spend (r, node, 1 + len))
      return FALSE;
    const K8sPath frame = { .up = r->path, .key = key, .key_len = len, .at = e.at };
    r->path = &frame;
    e.key = vc_arena_strndup (r->arena, key, len);
    ok = k8s_resolve (r, &value);
    if (ok && type == ENTRY_TEXT) {
      e.u.text = "";
      ok = value == NULL || k8s_text (r, value, &e.u.text);
    } else if (ok && type == ENTRY_QUANTITY) {
      ok = k8s_quantity (r, value, &e.u.q);
    } else if (ok) {
      e.u.node = value;
    }
    r->path = frame.up;
    if (!ok)
      return FALSE;
    if (e.index > 0 && strcmp (g_array_index (r->scratch, Entry, e.index - 1).key, e.key) >= 0)
      sorted = FALSE;
    g_array_append_val (r->scratch, e);
  }
  if (sorted)
    return TRUE;
  qsort (r->scratch->data, r->scratch->len, sizeof (Entry), compare_entries);
  for (guint i = 1; i < r->scratch->len; i++) {
    const Entry *e = &g_array_index (r->scratch, Entry, i);
    if (strcmp (e[-1].key, e->key) == 0) {
      const K8sPath frame
          = { .up = r->path, .key = e->key, .key_len = strlen (e->key), .at = e->at };
      r->path = &frame;
      k8s_refuse (r, e->at, "the key is given twice");
      r->path = frame.up;
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
k8s_pairs (K8sReader *r, struct fy_node *node, gpointer out)
{
  if (!read_map (r, node, ENTRY_TEXT))
    return FALSE;
  guint n = r->scratch->len;
  VcPair *pair = vc_arena_new0 (r->arena, VcPair, n);
  for (guint i = 0; i < n; i++) {
    const Entry *e = &g_array_index (r->scratch, Entry, i);
    pair[i] = (VcPair){ e->key, e->u.text };
  }
  *(VcPairs *) out = (VcPairs){ pair, n };
  return TRUE;
}

gboolean
k8s_amounts (K8sReader *r, struct fy_node *node, gpointer out)
{
  if (!read_map (r, node, ENTRY_QUANTITY))
    return FALSE;
  guint n = r->scratch->len;
  VcAmount *amount = vc_arena_new0 (r->arena, VcAmount, n);
  for (guint i = 0; i < n; i++) {
    const Entry *e = &g_array_index (r->scratch, Entry, i);
    amount[i] = (VcAmount){ e->key, e->u.q };
  }
  *(VcAmounts *) out = (VcAmounts){ amount, n, TRUE };
  return TRUE;
}

/* ---- annotations ---------------------------------------------------------------------------- */

gboolean
k8s_time_note (K8sReader *r, struct fy_node *at, const VcPairs *notes, const char *key, gint64 *out)
{
  const char *text = vc_pairs_get (notes, key);
  g_autoptr (GError) e = NULL;

  if (text == NULL)
    return TRUE;
  return wl_parse_time (text, FALSE, out, &e) || k8s_refuse (r, at, "annotation %s: %s", key, e->message);
}

gboolean
k8s_map (K8sReader *r, struct fy_node *node, gsize size, K8sRead read, const char *const **keys, gpointer *items, guint *n)
{
  if (!read_map (r, node, ENTRY_NODE))
    return FALSE;
  guint count = r->scratch->len;
  g_autofree Entry *entry = g_memdup2 (r->scratch->data, MAX (count, 1) * sizeof *entry); /* the readers of values use the scratch, too */
  const char **key = vc_arena_new0 (r->arena, const char *, count);
  char *item = vc_arena_new0 (r->arena, char, count * size);

  for (guint i = 0; i < count; i++) {
    const K8sPath frame = { .up = r->path, .key = entry[i].key, .key_len = strlen (entry[i].key), .at = entry[i].at };

    key[i] = entry[i].key;
    r->path = &frame;
    gboolean ok = entry[i].u.node == NULL || read (r, entry[i].u.node, item + i * size);
    r->path = frame.up;
    if (!ok)
      return FALSE;
  }
  if (keys != NULL)
    *keys = key;
  *items = item;
  *n = count;
  return TRUE;
}
