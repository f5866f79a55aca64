#include "conf-yaml.h"
#include <libfyaml.h>
#include <math.h>
#include <string.h>

#define TAG_PREFIX "tag:yaml.org,2002:"

static void
node_free (gpointer data)
{
  VcYamlNode *n = data;

  g_free (n->tag);
  g_free (n->text);
  if (n->child != NULL)
    g_ptr_array_unref (n->child);
  g_free (n);
}

void
vc_yaml_doc_clear (VcYamlDoc *doc)
{
  if (doc->nodes != NULL)
    g_ptr_array_unref (doc->nodes);
  *doc = (VcYamlDoc){ 0 };
}

void
vc_yaml_fault_clear (VcYamlFault *fault)
{
  g_free (fault->what);
  *fault = (VcYamlFault){ 0 };
}

static gboolean G_GNUC_PRINTF (4, 5)
    fault_at (VcYamlFault *fault, guint32 line, guint32 col, const char *fmt, ...)
{
  va_list ap;

  vc_yaml_fault_clear (fault);
  va_start (ap, fmt);
  *fault = (VcYamlFault){ .line = line, .col = col, .what = g_strdup_vprintf (fmt, ap) };
  va_end (ap);
  return FALSE;
}

/* Refuse what no YAML reader takes, so that libfyaml only ever sees clean UTF-8 of a bounded size.
 */
static gboolean
check_characters (const char *text, gsize len, VcYamlFault *fault)
{
  guint32 line = 1, col = 1;

  if (len > VC_YAML_MAX_BYTES)
    return fault_at (fault, 1, 1,
                     "text is too long, expected at most %u bytes, found %" G_GSIZE_FORMAT,
                     VC_YAML_MAX_BYTES, len);
  if (len >= 2 && (memcmp (text, "\xff\xfe", 2) == 0 || memcmp (text, "\xfe\xff", 2) == 0))
    return fault_at (fault, 1, 1, "wrong encoding, expected UTF-8, found UTF-16");
  for (gsize i = 0; i < len;) {
    const guchar b = (guchar) text[i];
    gunichar c = b;

    if (b >= 0x80) {
      c = g_utf8_get_char_validated (text + i, (gssize) (len - i));
      if (c == (gunichar) -1 || c == (gunichar) -2)
        return fault_at (fault, line, col, "wrong encoding, expected UTF-8, found byte 0x%02x", b);
      if (c < 0xa0 ? c != 0x85 : (c & 0xfffe) == 0xfffe)
        return fault_at (fault, line, col,
                         "character not allowed, expected printable text, found U+%04X", c);
      i += (gsize) g_utf8_skip[b];
    } else {
      if ((b < 0x20 && b != '\t' && b != '\n' && b != '\r') || b == 0x7f)
        return fault_at (fault, line, col,
                         "control character, expected printable text, found U+%04X", c);
      i++;
    }
    if (b == '\n' || (b == '\r' && !(i < len && text[i] == '\n'))) {
      line++;
      col = 1;
    } else {
      col++;
    }
  }
  return TRUE;
}

typedef struct {
  VcYamlDoc *doc;
  VcYamlFault *fault;
  GPtrArray *open;     /* collections being filled, outermost first; borrowed */
  GHashTable *anchors; /* name to node; a later one of the same name takes its place */
  VcYamlNode *last;    /* lends its place to an empty value, which has none */
} Builder;

static char *
token_text (struct fy_token *token)
{
  gsize n = 0;
  const char *s = token != NULL ? fy_token_get_text (token, &n) : NULL;

  return g_strndup (s != NULL ? s : "", s != NULL ? n : 0);
}

/* The mark of a quoted text is behind its quote, that of an alias behind its star. */
static gboolean
begins_late (VcYamlKind kind, struct fy_event *ev)
{
  enum fy_scalar_style style = FYSS_PLAIN;

  if (kind == VC_YAML_SCALAR && ev->scalar.value != NULL)
    style = fy_token_scalar_style (ev->scalar.value);
  return kind == VC_YAML_ALIAS || style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
}

static VcYamlNode *
add_node (Builder *b, VcYamlKind kind, struct fy_event *ev)
{
  const struct fy_mark *mark = fy_event_start_mark (ev);
  struct fy_token *tag = fy_event_get_tag_token (ev), *anchor = fy_event_get_anchor_token (ev);
  VcYamlNode *n = g_new0 (VcYamlNode, 1);

  n->kind = kind;
  if (mark != NULL) {
    n->pos = mark->input_pos;
    n->line = (guint32) mark->line + 1;
    n->col = (guint32) mark->column + 1;
    if (n->pos > 0 && n->col > 1 && begins_late (kind, ev)) {
      n->pos--;
      n->col--;
    }
  } else if (b->last != NULL) {
    n->pos = b->last->pos;
    n->line = b->last->line;
    n->col = b->last->col;
  } else {
    n->line = n->col = 1;
  }
  if (kind == VC_YAML_LIST || kind == VC_YAML_MAP)
    n->child = g_ptr_array_new ();
  if (kind != VC_YAML_ALIAS && tag != NULL)
    n->tag = token_text (tag);
  g_ptr_array_add (b->doc->nodes, n);
  if (b->open->len > 0)
    g_ptr_array_add (((VcYamlNode *) b->open->pdata[b->open->len - 1])->child, n);
  else if (b->doc->root == NULL)
    b->doc->root = n;
  /* Known before its content, so that a value may name itself; the reader of the tree finds that
   * out. */
  if (kind != VC_YAML_ALIAS && anchor != NULL)
    g_hash_table_replace (b->anchors, token_text (anchor), n);
  b->last = n;
  return n;
}

static gboolean
add_scalar (Builder *b, struct fy_event *ev)
{
  VcYamlNode *n = add_node (b, VC_YAML_SCALAR, ev);
  struct fy_token *value = ev->scalar.value;
  const enum fy_scalar_style style = value != NULL ? fy_token_scalar_style (value) : FYSS_PLAIN;
  gsize len = 0;
  const char *s = value != NULL ? fy_token_get_text (value, &len) : NULL;

  if (s != NULL && memchr (s, '\0', len) != NULL)
    return fault_at (b->fault, n->line, n->col,
                     "text with a NUL character, expected printable text");
  n->text = g_strndup (s != NULL ? s : "", s != NULL ? len : 0);
  n->plain = style == FYSS_PLAIN;
  n->literal = style == FYSS_LITERAL;
  return TRUE;
}

static gboolean
add_alias (Builder *b, struct fy_event *ev)
{
  VcYamlNode *n = add_node (b, VC_YAML_ALIAS, ev);

  n->text = token_text (ev->alias.anchor);
  n->target = g_hash_table_lookup (b->anchors, n->text);
  if (n->target == NULL)
    return fault_at (b->fault, n->line, n->col,
                     "unknown alias, expected an anchor given above, found *%.40s", n->text);
  return TRUE;
}

static gboolean
open_collection (Builder *b, VcYamlKind kind, struct fy_event *ev)
{
  VcYamlNode *n = add_node (b, kind, ev);

  if (b->open->len == VC_YAML_MAX_DEPTH)
    return fault_at (b->fault, n->line, n->col,
                     "nested too deeply, expected at most %d levels, found more",
                     VC_YAML_MAX_DEPTH);
  g_ptr_array_add (b->open, n);
  return TRUE;
}

static gboolean
add_event (Builder *b, struct fy_event *ev)
{
  switch (ev->type) {
  case FYET_SCALAR:
    return add_scalar (b, ev);
  case FYET_ALIAS:
    return add_alias (b, ev);
  case FYET_SEQUENCE_START:
    return open_collection (b, VC_YAML_LIST, ev);
  case FYET_MAPPING_START:
    return open_collection (b, VC_YAML_MAP, ev);
  case FYET_SEQUENCE_END:
  case FYET_MAPPING_END:
    if (b->open->len > 0)
      g_ptr_array_set_size (b->open, (int) b->open->len - 1);
    return TRUE;
  case FYET_NONE:
  case FYET_STREAM_START:
  case FYET_STREAM_END:
  case FYET_DOCUMENT_START:
  case FYET_DOCUMENT_END:
  default:
    return TRUE;
  }
}

/* The first complaint of the parser; it knows lines and columns from 1. */
static gboolean
syntax_fault (struct fy_diag *diag, VcYamlFault *fault)
{
  void *iter = NULL;
  const struct fy_diag_error *e = fy_diag_errors_iterate (diag, &iter);
  guint32 col;

  if (e == NULL || e->msg == NULL)
    return fault_at (fault, 1, 1, "broken YAML");
  col = (guint32) MAX (e->column, 1);
  if (col > 1 && g_str_has_suffix (e->msg, "without closing quote"))
    col--; /* it counts from behind the quote */
  return fault_at (fault, (guint32) MAX (e->line, 1), col, "broken YAML: %s", e->msg);
}

/* Look past the first document. Volcano never does, so a fault there is only "something more". */
static void
find_more (struct fy_parser *parser, struct fy_diag *diag, VcYamlDoc *doc)
{
  struct fy_event *ev = fy_parser_parse (parser);
  const struct fy_mark *mark = ev != NULL ? fy_event_start_mark (ev) : NULL;

  if (ev == NULL && fy_parser_get_stream_error (parser)) {
    g_auto (VcYamlFault) fault = { 0 };

    syntax_fault (diag, &fault);
    doc->more_line = fault.line;
    doc->more_col = fault.col;
  } else if (ev != NULL && ev->type == FYET_DOCUMENT_START) {
    doc->more_line = mark != NULL ? (guint32) mark->line + 1 : 1;
    doc->more_col = mark != NULL ? (guint32) mark->column + 1 : 1;
  }
  if (ev != NULL)
    fy_parser_event_free (parser, ev);
}

static gboolean
read_events (struct fy_parser *parser, struct fy_diag *diag, Builder *b)
{
  for (;;) {
    struct fy_event *ev = fy_parser_parse (parser);
    enum fy_event_type type;
    gboolean ok;

    if (ev == NULL)
      return fy_parser_get_stream_error (parser) ? syntax_fault (diag, b->fault) : TRUE;
    type = ev->type;
    ok = add_event (b, ev);
    fy_parser_event_free (parser, ev);
    if (!ok)
      return FALSE;
    if (type == FYET_STREAM_END)
      return TRUE;
    if (type == FYET_DOCUMENT_END) {
      find_more (parser, diag, b->doc);
      return TRUE;
    }
  }
}

gboolean
vc_yaml_read (const char *text, gsize len, VcYamlDoc *doc, VcYamlFault *fault)
{
  g_autoptr (GPtrArray) open = g_ptr_array_new ();
  g_autofree char *completed = NULL;
  g_autoptr (GHashTable) anchors = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Builder b = { .doc = doc, .fault = fault, .open = open, .anchors = anchors };
  struct fy_diag_cfg diag_cfg;
  struct fy_parse_cfg cfg = { .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_DEFAULT_VERSION_1_1
                                       | FYPCF_SLOPPY_FLOW_INDENTATION };
  struct fy_diag *diag;
  struct fy_parser *parser;
  gboolean ok;

  *doc = (VcYamlDoc){ .nodes = g_ptr_array_new_with_free_func (node_free) };
  if (!check_characters (text, len, fault))
    return FALSE;
  if (len == 0)
    return TRUE;
  if (text[len - 1] == '-'
      || text[len - 1] == ' ') { /* libfyaml wants a line end behind an empty last list entry */
    gsize end = len;

    while (end > 0 && text[end - 1] == ' ')
      end--;
    if (end > 0 && text[end - 1] == '-') {
      completed = g_strdup_printf ("%.*s\n", (int) len, text);
      text = completed;
      len++;
    }
  }

  fy_diag_cfg_default (&diag_cfg);
  diag_cfg.fp = NULL;
  diag_cfg.level = FYET_ERROR;
  diag_cfg.colorize = FALSE;
  diag = fy_diag_create (&diag_cfg);
  if (diag == NULL)
    return fault_at (fault, 1, 1, "the YAML parser does not start");
  fy_diag_set_collect_errors (diag, TRUE);
  cfg.diag = diag;
  parser = fy_parser_create (&cfg);
  if (parser == NULL || fy_parser_set_string (parser, text, len) != 0)
    ok = fault_at (fault, 1, 1, "the YAML parser does not start");
  else
    ok = read_events (parser, diag, &b);
  if (parser != NULL)
    fy_parser_destroy (parser);
  fy_diag_destroy (diag);
  return ok;
}

gboolean
vc_yaml_is_merge (const VcYamlNode *n)
{
  return n->kind == VC_YAML_SCALAR && g_str_equal (n->text, "<<")
         && (n->tag == NULL
                 ? n->plain
                 : g_str_equal (n->tag, "!") || g_str_equal (n->tag, TAG_PREFIX "merge"));
}

typedef enum { INT_OK, INT_SYNTAX, INT_RANGE } IntResult;

/* Go's strconv.ParseUint for the digits after the sign; base 0 takes the base from the prefix, a
 * bare 0 meaning octal. */
static IntResult
parse_digits (const char *s, guint base, guint64 *out)
{
  guint64 v = 0;

  if (*s == '\0')
    return INT_SYNTAX;
  if (base == 0) {
    const char mark = s[0] == '0' ? g_ascii_tolower (s[1]) : '\0';

    base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : s[0] == '0' ? 8 : 10;
    if (strchr ("xob", mark) != NULL && mark != '\0' && *(s += 2) == '\0')
      return INT_SYNTAX;
  }
  for (; *s != '\0'; s++) {
    const int d = g_ascii_xdigit_value (*s);

    if (d < 0 || (guint) d >= base)
      return INT_SYNTAX;
    if (!g_uint64_checked_mul (&v, v, base) || !g_uint64_checked_add (&v, v, (guint64) d))
      return INT_RANGE;
  }
  *out = v;
  return INT_OK;
}

/* Go's strconv.ParseInt. */
static gboolean
parse_int (const char *s, guint base, gint64 *out)
{
  const gboolean negative = *s == '-';
  const guint64 limit = (guint64) G_MAXINT64 + (negative ? 1 : 0);
  guint64 v;

  if (parse_digits (s + (*s == '-' || *s == '+'), base, &v) != INT_OK || v > limit)
    return FALSE;
  *out = negative ? (gint64) (0 - v) : (gint64) v;
  return TRUE;
}

/* [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)? */
static gboolean
looks_like_float (const char *s)
{
  gsize before, after;

  s += *s == '-' || *s == '+';
  before = strspn (s, "0123456789");
  s += before;
  if (*s == '.') {
    after = strspn (++s, "0123456789");
    s += after;
    if (before + after == 0)
      return FALSE;
  } else if (before == 0) {
    return FALSE;
  }
  if (*s == 'e' || *s == 'E') {
    s++;
    s += *s == '-' || *s == '+';
    if (!g_ascii_isdigit (*s))
      return FALSE;
    s += strspn (s, "0123456789");
  }
  return *s == '\0';
}

/* A number beyond the range of a double is an error for Go, so the text stays a text. */
static gboolean
parse_float (const char *s, double *out)
{
  double v;

  if (!looks_like_float (s))
    return FALSE;
  v = g_ascii_strtod (s, NULL);
  if (isinf (v))
    return FALSE;
  *out = v;
  return TRUE;
}

static gboolean
resolve_word (const char *s, VcArg *out)
{
  static const char *const yes[]
      = { "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON", NULL };
  static const char *const no[]
      = { "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF", NULL };
  static const char *const null[] = { "", "~", "null", "Null", "NULL", NULL };
  static const char *const nan[] = { ".nan", ".NaN", ".NAN", NULL };
  static const char *const inf[] = { ".inf", ".Inf", ".INF", NULL };

  if (g_strv_contains (yes, s) || g_strv_contains (no, s)) {
    out->type = VC_VALUE_BOOL;
    out->b = g_strv_contains (yes, s);
  } else if (g_strv_contains (null, s)) {
    out->type = VC_VALUE_NULL;
  } else if (g_strv_contains (nan, s)) {
    out->type = VC_VALUE_FLOAT;
    out->f = NAN;
  } else if (g_strv_contains (inf, s + (*s == '-' || *s == '+'))) {
    out->type = VC_VALUE_FLOAT;
    out->f = *s == '-' ? -INFINITY : INFINITY;
  } else {
    return FALSE;
  }
  return TRUE;
}

static void
resolve_number (const char *s, VcArg *out)
{
  g_autofree char *digits = NULL;
  g_auto (GStrv) parts = NULL;
  guint64 big;

  if (!g_ascii_isdigit (*s) && *s != '.' && *s != '-' && *s != '+')
    return;
  parts = g_strsplit (s, "_", -1);
  digits = g_strjoinv (NULL, parts);
  if (*s == '.') { /* here alone an underscore has to stand between digits */
    for (const char *u = strchr (s, '_'); u != NULL; u = strchr (u + 1, '_'))
      if (!g_ascii_isdigit (u[-1]) || !g_ascii_isdigit (u[1]))
        return;
    if (parse_float (digits, &out->f))
      out->type = VC_VALUE_FLOAT;
    return;
  }
  if (parse_int (digits, 0, &out->i))
    out->type = VC_VALUE_INT;
  else if (parse_digits (digits, 0, &big) == INT_OK)
    out->type = VC_VALUE_OTHER; /* an unsigned number there, which no reader of arguments takes */
  else if (parse_float (digits, &out->f))
    out->type = VC_VALUE_FLOAT;
  else if (g_str_has_prefix (digits, "0b") && parse_int (digits + 2, 2, &out->i))
    out->type = VC_VALUE_INT; /* 0b-101: a sign behind the prefix */
}

static const char *
type_tag (VcValueType type)
{
  switch (type) {
  case VC_VALUE_NULL:
    return "null";
  case VC_VALUE_BOOL:
    return "bool";
  case VC_VALUE_INT:
  case VC_VALUE_OTHER:
    return "int";
  case VC_VALUE_FLOAT:
    return "float";
  case VC_VALUE_STRING:
  default:
    return "str";
  }
}

/* Go's base64.StdEncoding: padded, line ends ignored. NULL when it is none or holds a NUL. */
static char *
decode_binary (const char *text)
{
  g_auto (GStrv) lines = g_strsplit_set (text, "\r\n", -1);
  g_autofree char *packed = g_strjoinv (NULL, lines);
  const gsize n = strlen (packed),
              digits = strspn (packed, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                       "0123456789+/");
  g_autofree guchar *raw = NULL;
  gsize len = 0;

  if (n % 4 != 0 || n - digits > 2 || strspn (packed + digits, "=") != n - digits)
    return NULL;
  raw = g_base64_decode (packed, &len);
  return memchr (raw, '\0', len) == NULL && g_utf8_validate ((const char *) raw, (gssize) len, NULL)
             ? g_strndup ((const char *) raw, len)
             : NULL;
}

gboolean
vc_yaml_scalar (const VcYamlNode *n, VcArg *out, char **why)
{
  static const char *const typed[] = { "bool", "int", "float", "null", NULL };
  const char *tag = n->tag == NULL                          ? NULL
                    : g_str_has_prefix (n->tag, TAG_PREFIX) ? n->tag + strlen (TAG_PREFIX)
                                                            : ""; /* own tags mean text */
  VcArg v = { .type = VC_VALUE_STRING };

  if (tag != NULL && g_str_equal (tag, "binary")) {
    v.s = decode_binary (n->text);
    if (v.s == NULL) {
      *why = g_strdup ("expected base64 of a text");
      return FALSE;
    }
  } else if (tag == NULL ? n->plain : g_strv_contains (typed, tag)) {
    if (!resolve_word (n->text, &v))
      resolve_number (n->text, &v);
    if (tag != NULL && g_str_equal (tag, "float") && v.type == VC_VALUE_INT) {
      v.type = VC_VALUE_FLOAT;
      v.f = (double) v.i;
    }
    if (tag != NULL && !g_str_equal (tag, type_tag (v.type))) {
      *why = g_strdup_printf ("expected a value of type %s", tag);
      return FALSE;
    }
  }
  out->type = v.type;
  out->b = v.b;
  out->i = v.i;
  out->f = v.f;
  out->s = v.s != NULL ? v.s : g_strdup (n->text);
  return TRUE;
}
