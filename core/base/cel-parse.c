/* The grammar of CEL: text to tree. Macros (has, all, exists, …, cel.bind) become nodes of their own. */
#include "cel-private.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>

G_DEFINE_QUARK (vc-cel-error-quark, vc_cel_error)

typedef enum { TOKEN_END, TOKEN_IDENT, TOKEN_INT, TOKEN_UINT, TOKEN_DOUBLE, TOKEN_STRING, TOKEN_SIGN } TokenKind;
typedef struct {
  const char *text, *p;
  VcArena *arena;
  GError **error;
  gboolean failed;
  guint depth;
  /* the token at hand */
  TokenKind kind;
  guint32 at;
  const char *start;
  gsize len;
  const char *string; /* value of a string; may hold no NUL */
} Parser;

void
cel_refuse (GError **error, VcCelError code, const char *text, guint32 at, const char *format, ...)
{
  va_list ap;
  guint column = 1;

  if (error == NULL || *error != NULL)
    return;
  for (guint32 i = 0; i < at; i++)
    column += ((guchar) text[i] & 0xC0u) != 0x80u;
  va_start (ap, format);
  g_autofree char *message = g_strdup_vprintf (format, ap);
  va_end (ap);
  g_set_error (error, VC_CEL_ERROR_DOMAIN, code, "column %u: %s", column, message);
}

static gpointer
fail (Parser *p, guint32 at, const char *what)
{
  if (!p->failed)
    cel_refuse (p->error, VC_CEL_ERROR_SYNTAX, p->text, at, "%s", what);
  p->failed = TRUE;
  return NULL;
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static gboolean
is_ident (char c, gboolean first)
{
  return c == '_' || g_ascii_isalpha (c) || (!first && g_ascii_isdigit (c));
}

static gboolean
read_code (Parser *p, const char **s, int digits, int base, GString *out)
{
  gunichar c = 0;

  for (int i = 0; i < digits; i++, (*s)++) {
    int d = g_ascii_xdigit_value (**s);
    if (d < 0 || d >= base)
      return FALSE;
    c = c * (gunichar) base + (gunichar) d;
  }
  if (c == 0 || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
    return FALSE;
  g_string_append_unichar (out, c);
  return TRUE;
}

static gboolean
read_escape (Parser *p, const char **s, GString *out)
{
  static const char from[] = "abfnrtv\\?\"'`", to[] = "\a\b\f\n\r\t\v\\?\"'`";
  const char *plain = **s != '\0' ? strchr (from, **s) : NULL;

  if (plain != NULL) {
    g_string_append_c (out, to[plain - from]);
    (*s)++;
    return TRUE;
  }
  switch (**s) {
  case 'x':
  case 'X':
    (*s)++;
    return read_code (p, s, 2, 16, out);
  case 'u':
    (*s)++;
    return read_code (p, s, 4, 16, out);
  case 'U':
    (*s)++;
    return read_code (p, s, 8, 16, out);
  default:
    return **s >= '0' && **s <= '3' && read_code (p, s, 3, 8, out);
  }
}

static void
read_string (Parser *p, gboolean raw)
{
  const char *s = p->p;
  char quote = *s;
  gboolean triple = s[1] == quote && s[2] == quote;
  g_autoptr (GString) out = g_string_new (NULL);

  s += triple ? 3 : 1;
  for (;;) {
    if (*s == '\0' || (!triple && (*s == '\n' || *s == '\r'))) {
      fail (p, p->at, "a string without its closing quote");
      return;
    }
    if (*s == quote && (!triple || (s[1] == quote && s[2] == quote)))
      break;
    if (*s == '\\' && !raw) {
      guint32 at = (guint32) (s - p->text);
      s++;
      if (!read_escape (p, &s, out)) {
        fail (p, at, "an escape sequence that is none");
        return;
      }
      continue;
    }
    if (*s == '\\' && raw && s[1] != '\0')
      g_string_append_c (out, *s++);
    g_string_append_c (out, *s++);
  }
  p->p = s + (triple ? 3 : 1);
  p->kind = TOKEN_STRING;
  p->string = vc_arena_strdup (p->arena, out->str);
}

static void
read_number (Parser *p)
{
  const char *s = p->p;

  p->kind = TOKEN_INT;
  if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && g_ascii_isxdigit (s[2])) {
    for (s += 2; g_ascii_isxdigit (*s);)
      s++;
  } else {
    while (g_ascii_isdigit (*s))
      s++;
    if (*s == '.' && g_ascii_isdigit (s[1])) {
      p->kind = TOKEN_DOUBLE;
      for (s++; g_ascii_isdigit (*s);)
        s++;
    }
    if ((*s == 'e' || *s == 'E') && g_ascii_isdigit (s[s[1] == '+' || s[1] == '-' ? 2 : 1])) {
      p->kind = TOKEN_DOUBLE;
      for (s += 2; g_ascii_isdigit (*s);)
        s++;
    }
  }
  if (p->kind == TOKEN_INT && (*s == 'u' || *s == 'U')) {
    p->kind = TOKEN_UINT;
    s++;
  }
  if (is_ident (*s, FALSE))
    fail (p, (guint32) (s - p->text), "a letter behind a number");
  p->p = s;
}

/* Length of the string prefix at @s, when a string follows. */
static gsize
string_prefix (const char *s, gboolean *raw, gboolean *bytes)
{
  gsize n = 0;

  *raw = *bytes = FALSE;
  for (; n < 2 && strchr ("rRbB", s[n]) != NULL && s[n] != '\0'; n++) {
    *raw |= g_ascii_tolower (s[n]) == 'r';
    *bytes |= g_ascii_tolower (s[n]) == 'b';
  }
  return s[n] == '"' || s[n] == '\'' ? n : G_MAXSIZE;
}

static void
advance (Parser *p)
{
  static const char *const two[] = { "==", "!=", "<=", ">=", "&&", "||", ".?", "[?" };
  gboolean raw, bytes;

  if (p->failed)
    return;
  for (;;) {
    while (*p->p == ' ' || *p->p == '\t' || *p->p == '\n' || *p->p == '\r' || *p->p == '\f')
      p->p++;
    if (p->p[0] != '/' || p->p[1] != '/')
      break;
    while (*p->p != '\0' && *p->p != '\n')
      p->p++;
  }
  p->start = p->p;
  p->at = (guint32) (p->p - p->text);
  gsize prefix = string_prefix (p->p, &raw, &bytes);
  if (*p->p == '\0') {
    p->kind = TOKEN_END;
  } else if (prefix != G_MAXSIZE) {
    if (bytes)
      cel_refuse (p->error, VC_CEL_ERROR_UNSUPPORTED, p->text, p->at, "bytes are not implemented yet");
    p->failed |= bytes;
    p->p += prefix;
    read_string (p, raw);
  } else if (is_ident (*p->p, TRUE)) {
    p->kind = TOKEN_IDENT;
    while (is_ident (*p->p, FALSE))
      p->p++;
  } else if (g_ascii_isdigit (*p->p) || (*p->p == '.' && g_ascii_isdigit (p->p[1]))) {
    read_number (p);
  } else {
    p->kind = TOKEN_SIGN;
    gsize n = 1;
    for (guint i = 0; i < G_N_ELEMENTS (two); i++)
      if (strncmp (p->p, two[i], 2) == 0)
        n = 2;
    p->p += n;
  }
  p->len = (gsize) (p->p - p->start);
}

static gboolean
is_sign (const Parser *p, const char *sign)
{
  return p->kind == TOKEN_SIGN && strlen (sign) == p->len && memcmp (p->start, sign, p->len) == 0;
}

static gboolean
take (Parser *p, const char *sign)
{
  if (p->failed || !is_sign (p, sign))
    return FALSE;
  advance (p);
  return !p->failed;
}

static gboolean
expect (Parser *p, const char *sign)
{
  if (take (p, sign))
    return TRUE;
  g_autofree char *message = g_strdup_printf ("expected '%s', found %s%.*s%s", sign, p->kind == TOKEN_END ? "the end" : "'",
                                              p->kind == TOKEN_END ? 0 : (int) MIN (p->len, 40), p->start, p->kind == TOKEN_END ? "" : "'");
  fail (p, p->at, message);
  return FALSE;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static CelNode *
node_new (Parser *p, CelNodeKind kind, guint32 at)
{
  CelNode *n = vc_arena_new0 (p->arena, CelNode, 1);
  n->kind = kind;
  n->at = at;
  return n;
}

static CelNode *
call_new (Parser *p, const char *name, guint32 at, CelNode *a, CelNode *b, CelNode *c)
{
  CelNode *n = node_new (p, NODE_CALL, at);
  CelNode *const args[] = { a, b, c };

  n->name = name;
  n->n = c != NULL ? 3 : b != NULL ? 2 : 1;
  n->arg = vc_arena_new0 (p->arena, CelNode *, 3);
  memcpy (n->arg, args, sizeof args);
  return n;
}

static CelNode *parse_expr (Parser *p);

/* Expressions up to @close. */
static CelNode **
parse_list (Parser *p, const char *close, gboolean pairs, guint *n)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new ();

  while (!p->failed && !is_sign (p, close)) {
    if (is_sign (p, "?")) {
      cel_refuse (p->error, VC_CEL_ERROR_UNSUPPORTED, p->text, p->at, "an optional element is not implemented yet");
      p->failed = TRUE;
      return NULL;
    }
    g_ptr_array_add (list, parse_expr (p));
    if (pairs && expect (p, ":"))
      g_ptr_array_add (list, parse_expr (p));
    if (!take (p, ","))
      break;
  }
  expect (p, close);
  *n = list->len;
  CelNode **items = vc_arena_new0 (p->arena, CelNode *, list->len + 1);
  if (list->len > 0)
    memcpy (items, list->pdata, list->len * sizeof *items);
  return items;
}

/* ---- macros ---------------------------------------------------------------------------------- */

static CelNode *
fold_new (Parser *p, guint32 at, CelFold fold, CelNode *range, const char *variable, CelNode *filter, CelNode *step)
{
  CelNode *n = node_new (p, NODE_FOLD, at);

  n->fold = fold;
  n->name = variable;
  n->n = filter != NULL ? 3 : 2;
  n->arg = vc_arena_new0 (p->arena, CelNode *, 3);
  n->arg[0] = range;
  n->arg[1] = step;
  n->arg[2] = filter;
  return n;
}

static const struct { const char *name; guint n; CelFold fold; } folds[] = {
  { "all", 2, FOLD_ALL },           { "exists", 2, FOLD_EXISTS }, { "exists_one", 2, FOLD_EXISTS_ONE },
  { "existsOne", 2, FOLD_EXISTS_ONE }, { "filter", 2, FOLD_FILTER }, { "map", 2, FOLD_MAP },
  { "map", 3, FOLD_MAP },           { "optMap", 2, FOLD_OPT_MAP }, { "optFlatMap", 2, FOLD_OPT_FLAT_MAP },
};

/* A member call that is a macro, else NULL. */
static CelNode *
member_macro (Parser *p, CelNode *target, const char *name, guint32 at, CelNode **arg, guint n)
{
  static const char *const two_variables[] = { "all", "exists", "exists_one", "existsOne", "transformList", "transformMap", "transformMapEntry" };

  if (target->kind == NODE_IDENT && strcmp (target->name, "cel") == 0 && strcmp (name, "bind") == 0 && n == 3) {
    if (arg[0]->kind != NODE_IDENT)
      return fail (p, arg[0]->at, "cel.bind() wants a name as its first argument");
    CelNode *b = node_new (p, NODE_BIND, at);
    b->name = arg[0]->name;
    b->arg = arg + 1;
    b->n = 2;
    return b;
  }
  for (guint i = 0; i < G_N_ELEMENTS (folds); i++) {
    if (strcmp (folds[i].name, name) != 0 || folds[i].n != n)
      continue;
    if (arg[0]->kind != NODE_IDENT)
      return fail (p, arg[0]->at, "a macro wants a simple name as its variable");
    return fold_new (p, at, folds[i].fold, target, arg[0]->name, n == 3 ? arg[1] : NULL, arg[n - 1]);
  }
  for (guint i = 0; i < G_N_ELEMENTS (two_variables); i++)
    if (n >= 3 && strcmp (two_variables[i], name) == 0) {
      cel_refuse (p->error, VC_CEL_ERROR_UNSUPPORTED, p->text, at, "%s() with two variables is not implemented yet", name);
      p->failed = TRUE;
      return NULL;
    }
  return NULL;
}

static CelNode *
has_macro (Parser *p, guint32 at, CelNode **arg, guint n)
{
  if (n != 1 || arg[0]->kind != NODE_SELECT || arg[0]->optional)
    return fail (p, at, "has() wants the selection of a field");
  arg[0]->test = TRUE;
  return arg[0];
}

/* ---- expressions, from the innermost out ------------------------------------------------------ */

static CelNode *
parse_literal (Parser *p, gboolean negative)
{
  CelNode *n = node_new (p, NODE_CONST, p->at);
  g_autofree char *digits = g_strndup (p->start, p->len - (p->kind == TOKEN_UINT));
  gboolean hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');

  errno = 0;
  if (p->kind == TOKEN_STRING) {
    n->value = vc_cel_string (p->string);
  } else if (p->kind == TOKEN_DOUBLE) {
    double d = g_ascii_strtod (digits, NULL);
    if (isinf (d))
      return fail (p, p->at, "a number out of range");
    n->value = (VcCelValue) { .kind = VC_CEL_DOUBLE, .v.d = negative ? -d : d };
  } else {
    guint64 u = g_ascii_strtoull (hex ? digits + 2 : digits, NULL, hex ? 16 : 10);
    if (errno != 0 || (p->kind == TOKEN_INT && u > (guint64) G_MAXINT64 + negative))
      return fail (p, p->at, "a number out of range");
    n->value = p->kind == TOKEN_UINT ? (VcCelValue) { .kind = VC_CEL_UINT, .v.u = u } : vc_cel_int ((gint64) (negative ? 0 - u : u));
  }
  advance (p);
  return n;
}

static const char *
take_ident (Parser *p, const char *what)
{
  if (p->failed || p->kind != TOKEN_IDENT)
    return fail (p, p->at, what);
  const char *name = vc_arena_strndup (p->arena, p->start, p->len);
  advance (p);
  return name;
}

static CelNode *
parse_ident (Parser *p)
{
  static const char *const reserved[] = { "as", "break", "const", "continue", "else", "for", "function", "if", "import", "in", "let", "loop", "package", "namespace", "return", "var", "void", "while" };
  guint32 at = p->at;
  const char *name = take_ident (p, "expected an expression");
  CelNode *n;

  if (name == NULL)
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (reserved); i++)
    if (strcmp (name, reserved[i]) == 0)
      return fail (p, at, "a reserved word as a name");
  if (strcmp (name, "true") == 0 || strcmp (name, "false") == 0) {
    n = node_new (p, NODE_CONST, at);
    n->value = vc_cel_bool (*name == 't');
  } else if (strcmp (name, "null") == 0) {
    n = node_new (p, NODE_CONST, at);
  } else if (take (p, "(")) {
    guint count = 0;
    CelNode **arg = parse_list (p, ")", FALSE, &count);
    if (p->failed)
      return NULL;
    if (strcmp (name, "has") == 0)
      return has_macro (p, at, arg, count);
    n = node_new (p, NODE_CALL, at);
    n->name = name;
    n->arg = arg;
    n->n = count;
  } else {
    n = node_new (p, NODE_IDENT, at);
    n->name = name;
  }
  return n;
}

static CelNode *
parse_primary (Parser *p)
{
  guint32 at = p->at;
  CelNode *n;

  if (p->failed)
    return NULL;
  if (p->kind == TOKEN_INT || p->kind == TOKEN_UINT || p->kind == TOKEN_DOUBLE || p->kind == TOKEN_STRING)
    return parse_literal (p, FALSE);
  if (take (p, "(")) {
    n = parse_expr (p);
    expect (p, ")");
    return n;
  }
  if (take (p, "[") || take (p, "{")) {
    gboolean map = p->text[at] == '{';
    n = node_new (p, map ? NODE_MAP : NODE_LIST, at);
    n->arg = parse_list (p, map ? "}" : "]", map, &n->n);
    return n;
  }
  take (p, "."); /* an absolute name */
  return parse_ident (p);
}

static CelNode *
parse_selection (Parser *p, CelNode *target, gboolean optional)
{
  guint32 at = p->at;
  const char *name = take_ident (p, "expected the name of a field or function");

  if (name == NULL)
    return NULL;
  if (!optional && take (p, "(")) {
    guint count = 0;
    CelNode **arg = parse_list (p, ")", FALSE, &count);
    if (p->failed)
      return NULL;
    CelNode *macro = member_macro (p, target, name, at, arg, count);
    if (macro != NULL || p->failed)
      return macro;
    CelNode *call = node_new (p, NODE_CALL, at);
    call->name = name;
    call->member = TRUE;
    call->n = count + 1;
    call->arg = vc_arena_new0 (p->arena, CelNode *, count + 1);
    call->arg[0] = target;
    if (count > 0)
      memcpy (call->arg + 1, arg, count * sizeof *arg);
    return call;
  }
  CelNode *n = node_new (p, NODE_SELECT, at);
  n->name = name;
  n->optional = optional;
  n->arg = vc_arena_new0 (p->arena, CelNode *, 1);
  n->arg[0] = target;
  n->n = 1;
  return n;
}

static CelNode *
parse_member (Parser *p)
{
  CelNode *n = parse_primary (p);

  while (!p->failed) {
    guint32 at = p->at;
    if (take (p, ".")) {
      n = parse_selection (p, n, FALSE);
    } else if (take (p, ".?")) {
      n = parse_selection (p, n, TRUE);
    } else if (take (p, "[") || take (p, "[?")) {
      gboolean optional = p->text[at + 1] == '?';
      CelNode *index = parse_expr (p);
      expect (p, "]");
      if (!p->failed)
        n = call_new (p, optional ? "_[?_]" : "_[_]", at, n, index, NULL);
    } else if (is_sign (p, "{")) {
      return fail (p, at, "a message is not known here");
    } else {
      break;
    }
  }
  return n;
}

static CelNode *
parse_unary (Parser *p)
{
  guint32 at = p->at;
  guint times = 0;
  gboolean not = is_sign (p, "!");

  if (!not && !is_sign (p, "-"))
    return parse_member (p);
  while (take (p, not ? "!" : "-"))
    times++;
  if (!not && times == 1 && !p->failed && (p->kind == TOKEN_INT || p->kind == TOKEN_DOUBLE)) {
    CelNode *number = parse_literal (p, TRUE);
    /* -1.x does not exist, so that a member of a negative literal is one of the literal */
    return number;
  }
  CelNode *n = parse_member (p);
  if (p->failed)
    return NULL;
  return times % 2 == 0 ? n : call_new (p, not ? "!_" : "-_", at, n, NULL, NULL);
}

/* Operators of one strength, left to right. */
static const struct { const char *sign, *name; guint strength; } operators[] = {
  { "==", "_==_", 0 }, { "!=", "_!=_", 0 }, { "<", "_<_", 0 },  { "<=", "_<=_", 0 }, { ">", "_>_", 0 }, { ">=", "_>=_", 0 },
  { "+", "_+_", 1 },   { "-", "_-_", 1 },   { "*", "_*_", 2 },  { "/", "_/_", 2 },   { "%", "_%_", 2 },
};

static CelNode *
parse_binary (Parser *p, guint strength)
{
  CelNode *n = strength == 3 ? parse_unary (p) : parse_binary (p, strength + 1);

  if (strength == 3)
    return n;
  for (gboolean more = TRUE; more && !p->failed;) {
    guint32 at = p->at;
    more = FALSE;
    for (guint i = 0; i < G_N_ELEMENTS (operators) && !more; i++)
      if (operators[i].strength == strength && take (p, operators[i].sign)) {
        CelNode *right = parse_binary (p, strength + 1);
        if (!p->failed)
          n = call_new (p, operators[i].name, at, n, right, NULL);
        more = TRUE;
      }
    if (!more && strength == 0 && p->kind == TOKEN_IDENT && p->len == 2 && memcmp (p->start, "in", 2) == 0) {
      advance (p);
      CelNode *right = parse_binary (p, 1);
      if (!p->failed)
        n = call_new (p, "@in", at, n, right, NULL);
      more = TRUE;
    }
  }
  return n;
}

static CelNode *
parse_logic (Parser *p, gboolean or)
{
  CelNode *n = or ? parse_logic (p, FALSE) : parse_binary (p, 0);

  for (guint32 at = p->at; take (p, or ? "||" : "&&"); at = p->at) {
    CelNode *right = or ? parse_logic (p, FALSE) : parse_binary (p, 0);
    if (!p->failed)
      n = call_new (p, or ? "_||_" : "_&&_", at, n, right, NULL);
  }
  return n;
}

static CelNode *
parse_expr (Parser *p)
{
  CelNode *n = NULL;

  if (++p->depth > CEL_DEPTH)
    return fail (p, p->at, "an expression that is nested too deeply");
  n = parse_logic (p, TRUE);
  guint32 at = p->at;
  if (take (p, "?")) {
    CelNode *then = parse_logic (p, TRUE);
    expect (p, ":");
    CelNode *otherwise = parse_expr (p);
    if (!p->failed)
      n = call_new (p, "_?_:_", at, n, then, otherwise);
  }
  p->depth--;
  return p->failed ? NULL : n;
}

CelNode *
cel_parse (const char *text, VcArena *arena, GError **error)
{
  Parser p = { .text = text, .p = text, .arena = arena, .error = error };

  advance (&p);
  CelNode *n = parse_expr (&p);
  if (n != NULL && p.kind != TOKEN_END)
    return fail (&p, p.at, "more behind the end of the expression");
  return n;
}
