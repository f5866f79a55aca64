/* The functions: operators, strings, conversions, sets, optionals; those of quantities and versions are in cel-library.c. The checker has seen to the number of
 * arguments; their kinds are only known here where an attribute is among them. */
#include "cel-private.h"
#include <errno.h>
#include <math.h>

#define CALL(name) static CEL_CALL (name)

static VcCelValue
keep_text (CelRun *run, GString *text)
{
  VcCelValue v = vc_cel_string (vc_arena_strndup (run->arena, text->str, text->len));
  g_string_free (text, TRUE);
  return v;
}

static VcCelValue
keep_list (CelRun *run, const GPtrArray *texts)
{
  VcCelValue *item = vc_arena_new0 (run->arena, VcCelValue, texts->len);

  for (guint i = 0; i < texts->len; i++)
    item[i] = vc_cel_string (vc_arena_strdup (run->arena, texts->pdata[i]));
  return (VcCelValue) { .kind = VC_CEL_LIST, .n = texts->len, .v.item = item };
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static VcCelValue
int_or_overflow (CelRun *run, gboolean overflow, gint64 i)
{
  return overflow ? cel_fail (run, "integer overflow") : vc_cel_int (i);
}

static VcCelValue
uint_or_overflow (CelRun *run, gboolean overflow, guint64 u)
{
  return overflow ? cel_fail (run, "unsigned integer overflow") : (VcCelValue) { .kind = VC_CEL_UINT, .v.u = u };
}

static VcCelValue
as_double (double d)
{
  return (VcCelValue) { .kind = VC_CEL_DOUBLE, .v.d = d };
}

static VcCelValue
join_lists (CelRun *run, const VcCelValue *a, const VcCelValue *b)
{
  VcCelValue *item = vc_arena_new0 (run->arena, VcCelValue, a->n + b->n);

  for (guint32 i = 0; i < a->n + b->n; i++)
    item[i] = i < a->n ? a->v.item[i] : b->v.item[i - a->n];
  return (VcCelValue) { .kind = VC_CEL_LIST, .n = a->n + b->n, .v.item = item };
}

/* A left side that knows the operator at all, and one that does not. */
static VcCelValue
no_sum (CelRun *run, const CelNode *node, const VcCelValue *left)
{
  gboolean number = left->kind == VC_CEL_INT || left->kind == VC_CEL_UINT || (left->kind == VC_CEL_DOUBLE && node->name[1] != '%');

  if (number || (node->name[1] == '+' && (left->kind == VC_CEL_STRING || left->kind == VC_CEL_LIST)))
    return cel_no_overload ();
  return cel_fail (run, "no such overload: %s", node->name);
}

CALL (add)
{
  gint64 i = 0;
  guint64 u = 0;

  if (a[0].kind != a[1].kind)
    return no_sum (run, node, &a[0]);
  switch ((int) a[0].kind) {
  case VC_CEL_INT: {
    gboolean overflow = __builtin_add_overflow (a[0].v.i, a[1].v.i, &i);
    return int_or_overflow (run, overflow, i);
  }
  case VC_CEL_UINT: {
    gboolean overflow = __builtin_add_overflow (a[0].v.u, a[1].v.u, &u);
    return uint_or_overflow (run, overflow, u);
  }
  case VC_CEL_DOUBLE:
    return as_double (a[0].v.d + a[1].v.d);
  case VC_CEL_STRING: {
    GString *s = g_string_new_len (a[0].v.text, a[0].n);
    g_string_append_len (s, a[1].v.text, a[1].n);
    return keep_text (run, s);
  }
  case VC_CEL_LIST:
    return join_lists (run, &a[0], &a[1]);
  default:
    return no_sum (run, node, &a[0]);
  }
}

/* - * / % by the sign in the name. */
CALL (arithmetic)
{
  char sign = node->name[1];
  gint64 i = 0;
  guint64 u = 0;
  gboolean overflow = FALSE;

  if (a[0].kind != a[1].kind)
    return no_sum (run, node, &a[0]);
  if (a[0].kind == VC_CEL_DOUBLE && sign != '%')
    return as_double (sign == '-' ? a[0].v.d - a[1].v.d : sign == '*' ? a[0].v.d * a[1].v.d : a[0].v.d / a[1].v.d);
  if (a[0].kind != VC_CEL_INT && a[0].kind != VC_CEL_UINT)
    return no_sum (run, node, &a[0]);
  if ((sign == '/' || sign == '%') && a[1].v.u == 0)
    return cel_fail (run, sign == '/' ? "division by zero" : "modulus by zero");
  if (a[0].kind == VC_CEL_UINT) {
    if (sign == '-')
      overflow = __builtin_sub_overflow (a[0].v.u, a[1].v.u, &u);
    else if (sign == '*')
      overflow = __builtin_mul_overflow (a[0].v.u, a[1].v.u, &u);
    else
      u = sign == '/' ? a[0].v.u / a[1].v.u : a[0].v.u % a[1].v.u;
    return uint_or_overflow (run, overflow, u);
  }
  if (sign == '-')
    overflow = __builtin_sub_overflow (a[0].v.i, a[1].v.i, &i);
  else if (sign == '*')
    overflow = __builtin_mul_overflow (a[0].v.i, a[1].v.i, &i);
  else if (a[0].v.i == G_MININT64 && a[1].v.i == -1)
    overflow = TRUE;
  else
    i = sign == '/' ? a[0].v.i / a[1].v.i : a[0].v.i % a[1].v.i;
  return int_or_overflow (run, overflow, i);
}

CALL (negate)
{
  if (a[0].kind == VC_CEL_DOUBLE)
    return as_double (-a[0].v.d);
  if (a[0].kind != VC_CEL_INT)
    return cel_no_overload ();
  return int_or_overflow (run, a[0].v.i == G_MININT64, a[0].v.i == G_MININT64 ? 0 : -a[0].v.i);
}

CALL (invert)
{
  if (a[0].kind != VC_CEL_BOOL)
    return cel_no_overload ();
  return vc_cel_bool (!a[0].v.i);
}

/* `&&` and `||` are evaluated by the walk; this entry only gives them a type. */
CALL (logic)
{
  return cel_no_overload ();
}

static gboolean
can_be_ordered (const VcCelValue *v)
{
  return v->kind >= VC_CEL_BOOL && v->kind <= VC_CEL_STRING;
}

CALL (order)
{
  int c = 0;

  if ((a[0].kind == VC_CEL_DOUBLE && isnan (a[0].v.d)) || (a[1].kind == VC_CEL_DOUBLE && isnan (a[1].v.d)))
    return cel_fail (run, "NaN values cannot be ordered");
  if (!cel_order (&a[0], &a[1], &c))
    return can_be_ordered (&a[0]) ? cel_no_overload () : cel_fail (run, "no such overload: %s", node->name);
  gboolean equal = node->name[2] == '=', less = node->name[1] == '<';
  return vc_cel_bool ((less ? c < 0 : c > 0) || (equal && c == 0));
}

/* ---- conversions ------------------------------------------------------------------------------ */

static VcCelValue
no_conversion (CelRun *run, const VcCelValue *v, const char *to)
{
  if (v->kind == VC_CEL_STRING)
    return cel_fail (run, "type conversion error from 'string' to '%s'", to);
  return cel_no_overload_of (run, to, v, 1);
}

/* The whole text as Go's ParseInt and ParseUint read base 10. */
static gboolean
whole_number (const char *text, gboolean negative_too, gint64 *i, guint64 *u)
{
  const char *digits = negative_too && (*text == '-' || *text == '+') ? text + 1 : text;
  char *end = NULL;

  if (!g_ascii_isdigit (*digits))
    return FALSE;
  errno = 0;
  if (negative_too)
    *i = g_ascii_strtoll (text, &end, 10);
  else
    *u = g_ascii_strtoull (text, &end, 10);
  return errno == 0 && *end == '\0';
}

CALL (to_int)
{
  gint64 i = 0;

  switch ((int) a[0].kind) {
  case VC_CEL_INT:
    return a[0];
  case VC_CEL_UINT:
    return int_or_overflow (run, a[0].v.u > (guint64) G_MAXINT64, (gint64) a[0].v.u);
  case VC_CEL_DOUBLE:
    if (!(a[0].v.d > -9223372036854775808.0 && a[0].v.d < 9223372036854775807.0))
      return cel_fail (run, "integer overflow");
    return vc_cel_int ((gint64) a[0].v.d);
  case VC_CEL_STRING:
    if (whole_number (a[0].v.text, TRUE, &i, NULL))
      return vc_cel_int (i);
    break;
  default:
    break;
  }
  return no_conversion (run, &a[0], "int");
}

CALL (to_uint)
{
  guint64 u = 0;

  switch ((int) a[0].kind) {
  case VC_CEL_UINT:
    return a[0];
  case VC_CEL_INT:
    return uint_or_overflow (run, a[0].v.i < 0, (guint64) a[0].v.i);
  case VC_CEL_DOUBLE:
    if (!(a[0].v.d >= 0 && a[0].v.d < 18446744073709551615.0))
      return cel_fail (run, "unsigned integer overflow");
    return (VcCelValue) { .kind = VC_CEL_UINT, .v.u = (guint64) a[0].v.d };
  case VC_CEL_STRING:
    if (whole_number (a[0].v.text, FALSE, NULL, &u))
      return (VcCelValue) { .kind = VC_CEL_UINT, .v.u = u };
    break;
  default:
    break;
  }
  return no_conversion (run, &a[0], "uint");
}

CALL (to_double)
{
  char *end = NULL;
  double d = 0;

  switch ((int) a[0].kind) {
  case VC_CEL_DOUBLE:
    return a[0];
  case VC_CEL_INT:
    return as_double ((double) a[0].v.i);
  case VC_CEL_UINT:
    return as_double ((double) a[0].v.u);
  case VC_CEL_STRING:
    d = g_ascii_strtod (a[0].v.text, &end);
    if (a[0].n > 0 && *end == '\0' && !g_ascii_isspace (*a[0].v.text))
      return as_double (d);
    break;
  default:
    break;
  }
  return no_conversion (run, &a[0], "double");
}

CALL (to_string)
{
  GString *s = g_string_new (NULL);

  switch ((int) a[0].kind) {
  case VC_CEL_STRING:
    g_string_append (s, a[0].v.text);
    break;
  case VC_CEL_BOOL:
    g_string_append (s, a[0].v.i ? "true" : "false");
    break;
  case VC_CEL_INT:
    g_string_append_printf (s, "%" G_GINT64_FORMAT, a[0].v.i);
    break;
  case VC_CEL_UINT:
    g_string_append_printf (s, "%" G_GUINT64_FORMAT, a[0].v.u);
    break;
  default:
    g_string_free (s, TRUE);
    return no_conversion (run, &a[0], "string");
  }
  return keep_text (run, s);
}

CALL (to_bool)
{
  static const char *const words[] = { "1", "t", "T", "true", "TRUE", "True", "0", "f", "F", "false", "FALSE", "False" };

  if (a[0].kind == VC_CEL_BOOL)
    return a[0];
  for (guint i = 0; a[0].kind == VC_CEL_STRING && i < G_N_ELEMENTS (words); i++)
    if (strcmp (words[i], a[0].v.text) == 0)
      return vc_cel_bool (i < 6);
  return no_conversion (run, &a[0], "bool");
}

CALL (to_dyn)
{
  return a[0];
}

CALL (type_of)
{
  return (VcCelValue) { .kind = VC_CEL_TYPE, .v.i = a[0].kind };
}

/* ---- strings: places count characters ---------------------------------------------------------- */

static gint64
length (const VcCelValue *s)
{
  return g_utf8_strlen (s->v.text, s->n);
}

static const char *
at_place (const VcCelValue *s, gint64 place)
{
  return g_utf8_offset_to_pointer (s->v.text, place);
}

CALL (size)
{
  if (a[0].kind == VC_CEL_STRING)
    return vc_cel_int (length (&a[0]));
  if (a[0].kind == VC_CEL_LIST || a[0].kind == VC_CEL_MAP)
    return vc_cel_int (a[0].n);
  return cel_fail (run, "no such overload: size");
}

CALL (string_test)
{
  if (a[0].kind != VC_CEL_STRING || a[1].kind != VC_CEL_STRING)
    return cel_no_overload ();
  if (node->name[0] == 'c')
    return vc_cel_bool (strstr (a[0].v.text, a[1].v.text) != NULL);
  return vc_cel_bool (node->name[0] == 's' ? g_str_has_prefix (a[0].v.text, a[1].v.text) : g_str_has_suffix (a[0].v.text, a[1].v.text));
}

CALL (matches)
{
  GError *error = NULL;

  if (a[0].kind != VC_CEL_STRING)
    return cel_no_overload ();
  gboolean match = g_regex_match_full (node->regex, a[0].v.text, (gssize) a[0].n, 0, 0, NULL, &error);
  if (error != NULL) {
    g_error_free (error);
    return cel_fail (run, "a regular expression takes too long");
  }
  return vc_cel_bool (match);
}

CALL (char_at)
{
  CEL_NEED (0, VC_CEL_STRING);
  CEL_NEED (1, VC_CEL_INT);
  gint64 len = length (&a[0]), i = a[1].v.i;
  if (i < 0 || i > len)
    return cel_fail (run, "index out of range: %" G_GINT64_FORMAT, i);
  if (i == len)
    return vc_cel_string ("");
  const char *p = at_place (&a[0], i);
  return keep_text (run, g_string_new_len (p, g_utf8_next_char (p) - p));
}

CALL (index_of)
{
  CEL_NEED (0, VC_CEL_STRING);
  CEL_NEED (1, VC_CEL_STRING);
  gint64 len = length (&a[0]), from = 0;
  if (n == 3) {
    CEL_NEED (2, VC_CEL_INT);
    from = a[2].v.i;
  }
  if (a[1].n == 0)
    return vc_cel_int (from);
  if (from < 0)
    return cel_fail (run, "index out of range: %" G_GINT64_FORMAT, from);
  if (from >= len)
    return vc_cel_int (-1);
  const char *found = strstr (at_place (&a[0], from), a[1].v.text);
  return vc_cel_int (found != NULL ? g_utf8_pointer_to_offset (a[0].v.text, found) : -1);
}

CALL (last_index_of)
{
  CEL_NEED (0, VC_CEL_STRING);
  CEL_NEED (1, VC_CEL_STRING);
  gint64 len = length (&a[0]), sub = length (&a[1]), from = n == 3 ? 0 : len;
  if (n == 3) {
    CEL_NEED (2, VC_CEL_INT);
    from = a[2].v.i;
    if (from < 0)
      return a[1].n == 0 ? vc_cel_int (from) : cel_fail (run, "index out of range: %" G_GINT64_FORMAT, from);
    if (from >= len)
      return a[1].n == 0 ? vc_cel_int (from) : vc_cel_int (-1);
  }
  if (a[1].n == 0)
    return vc_cel_int (from);
  for (gint64 i = MIN (from, len - sub); i >= 0; i--)
    if (strncmp (at_place (&a[0], i), a[1].v.text, a[1].n) == 0)
      return vc_cel_int (i);
  return vc_cel_int (-1);
}

CALL (change_case)
{
  CEL_NEED (0, VC_CEL_STRING);
  GString *s = g_string_new_len (a[0].v.text, a[0].n);
  return keep_text (run, node->name[0] == 'l' ? g_string_ascii_down (s) : g_string_ascii_up (s));
}

CALL (trim)
{
  CEL_NEED (0, VC_CEL_STRING);
  const char *from = a[0].v.text, *to = from + a[0].n;
  while (from < to && g_unichar_isspace (g_utf8_get_char (from)))
    from = g_utf8_next_char (from);
  while (from < to && g_unichar_isspace (g_utf8_get_char (g_utf8_prev_char (to))))
    to = g_utf8_prev_char (to);
  return keep_text (run, g_string_new_len (from, to - from));
}

CALL (substring)
{
  CEL_NEED (0, VC_CEL_STRING);
  CEL_NEED (1, VC_CEL_INT);
  gint64 len = length (&a[0]), from = a[1].v.i, to = len;
  if (n == 3) {
    CEL_NEED (2, VC_CEL_INT);
    to = a[2].v.i;
    if (from > to)
      return cel_fail (run, "invalid substring range. start: %" G_GINT64_FORMAT ", end: %" G_GINT64_FORMAT, from, to);
  }
  if (from < 0 || from > len)
    return cel_fail (run, "index out of range: %" G_GINT64_FORMAT, from);
  if (to < 0 || to > len)
    return cel_fail (run, "index out of range: %" G_GINT64_FORMAT, to);
  const char *p = at_place (&a[0], from);
  return keep_text (run, g_string_new_len (p, at_place (&a[0], to) - p));
}

CALL (replace)
{
  gint64 most = -1;

  CEL_NEED (0, VC_CEL_STRING);
  CEL_NEED (1, VC_CEL_STRING);
  CEL_NEED (2, VC_CEL_STRING);
  if (n == 4) {
    CEL_NEED (3, VC_CEL_INT);
    most = a[3].v.i;
  }
  GString *s = g_string_new (NULL);
  const char *p = a[0].v.text;
  while (most != 0) {
    const char *found = strstr (p, a[1].v.text);
    if (found == NULL)
      break;
    g_string_append_len (s, p, found - p);
    g_string_append (s, a[2].v.text);
    p = found + a[1].n;
    most -= most > 0;
    if (a[1].n == 0) { /* between all characters */
      if (*p == '\0')
        break;
      g_string_append_len (s, p, g_utf8_next_char (p) - p);
      p = g_utf8_next_char (p);
    }
  }
  g_string_append (s, p);
  return keep_text (run, s);
}

CALL (split)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);
  gint64 most = -1;

  CEL_NEED (0, VC_CEL_STRING);
  CEL_NEED (1, VC_CEL_STRING);
  if (n == 3) {
    CEL_NEED (2, VC_CEL_INT);
    most = a[2].v.i;
  }
  if (most == 0)
    return keep_list (run, parts);
  const char *p = a[0].v.text;
  for (gboolean whole = a[1].n > 0; whole || *p != '\0';) {
    const char *found = whole ? strstr (p, a[1].v.text) : g_utf8_next_char (p);
    if (found == NULL || (most > 0 && (gint64) parts->len + 1 >= most))
      found = a[0].v.text + a[0].n;
    g_ptr_array_add (parts, g_strndup (p, (gsize) (found - p)));
    if (*found == '\0' && (!whole || found == a[0].v.text + a[0].n))
      break;
    p = found + (whole ? a[1].n : 0);
  }
  return keep_list (run, parts);
}

CALL (join)
{
  CEL_NEED (0, VC_CEL_LIST);
  if (n == 2)
    CEL_NEED (1, VC_CEL_STRING);
  GString *s = g_string_new (NULL);
  for (guint32 i = 0; i < a[0].n; i++) {
    if (a[0].v.item[i].kind != VC_CEL_STRING) {
      g_string_free (s, TRUE);
      return cel_no_overload ();
    }
    if (i > 0 && n == 2)
      g_string_append (s, a[1].v.text);
    g_string_append (s, a[0].v.item[i].v.text);
  }
  return keep_text (run, s);
}

/* ---- sets and optionals -------------------------------------------------------------------------- */

static gboolean
list_has (const VcCelValue *list, const VcCelValue *v)
{
  for (guint32 i = 0; i < list->n; i++)
    if (cel_equal (&list->v.item[i], v))
      return TRUE;
  return FALSE;
}

static gboolean
list_has_all (const VcCelValue *list, const VcCelValue *all)
{
  for (guint32 i = 0; i < all->n; i++)
    if (!list_has (list, &all->v.item[i]))
      return FALSE;
  return TRUE;
}

CALL (sets)
{
  CEL_NEED (0, VC_CEL_LIST);
  CEL_NEED (1, VC_CEL_LIST);
  switch (node->name[5]) {
  case 'c': /* contains */
    return vc_cel_bool (list_has_all (&a[0], &a[1]));
  case 'e': /* equivalent */
    return vc_cel_bool (list_has_all (&a[0], &a[1]) && list_has_all (&a[1], &a[0]));
  default: /* intersects */
    for (guint32 i = 0; i < a[0].n; i++)
      if (list_has (&a[1], &a[0].v.item[i]))
        return vc_cel_bool (TRUE);
    return vc_cel_bool (FALSE);
  }
}

static gboolean
is_zero (const VcCelValue *v)
{
  switch ((int) v->kind) {
  case VC_CEL_NULL:
    return TRUE;
  case VC_CEL_BOOL:
  case VC_CEL_INT:
  case VC_CEL_UINT:
    return v->v.u == 0;
  case VC_CEL_DOUBLE:
    return v->v.d == 0;
  case VC_CEL_STRING:
  case VC_CEL_LIST:
  case VC_CEL_MAP:
  case VC_CEL_OPTIONAL:
    return v->n == 0;
  default:
    return FALSE;
  }
}

CALL (optional_new)
{
  VcCelValue *kept = vc_arena_new0 (run->arena, VcCelValue, 1);

  if (n == 0 || (node->name[11] == 'N' && is_zero (&a[0])))
    return (VcCelValue) { .kind = VC_CEL_OPTIONAL };
  *kept = a[0];
  return (VcCelValue) { .kind = VC_CEL_OPTIONAL, .n = 1, .v.item = kept };
}

CALL (optional_get)
{
  CEL_NEED (0, VC_CEL_OPTIONAL);
  if (node->name[0] == 'h')
    return vc_cel_bool (a[0].n == 1);
  if (a[0].n == 1)
    return node->name[1] == 'r' && node->name[2] == '\0' ? a[0] : *a[0].v.item;
  return node->name[0] == 'v' ? cel_fail (run, "optional.none() dereference") : a[1];
}

gboolean
cel_is_lazy (const CelFunction *f)
{
  return f->call == optional_get;
}

/* ---- the table ----------------------------------------------------------------------------------- */

const CelFunction cel_functions[] = {
  { "_&&_", FALSE, "bb:b", logic },
  { "_||_", FALSE, "bb:b", logic },
  { "!_", FALSE, "b:b", invert },
  { "-_", FALSE, "i:i", negate },
  { "-_", FALSE, "d:d", negate },
#define ORDER(name)                                                                                                                                \
  { name, FALSE, "bb:b", order }, { name, FALSE, "ii:b", order }, { name, FALSE, "iu:b", order }, { name, FALSE, "id:b", order },                  \
    { name, FALSE, "ui:b", order }, { name, FALSE, "uu:b", order }, { name, FALSE, "ud:b", order }, { name, FALSE, "di:b", order },                \
    { name, FALSE, "du:b", order }, { name, FALSE, "dd:b", order }, { name, FALSE, "ss:b", order }
  ORDER ("_<_"),
  ORDER ("_<=_"),
  ORDER ("_>_"),
  ORDER ("_>=_"),
  { "_+_", FALSE, "ii:i", add },
  { "_+_", FALSE, "uu:u", add },
  { "_+_", FALSE, "dd:d", add },
  { "_+_", FALSE, "ss:s", add },
  { "_+_", FALSE, "LL:a", add },
#define ARITHMETIC(name) { name, FALSE, "ii:i", arithmetic }, { name, FALSE, "uu:u", arithmetic }
  ARITHMETIC ("_-_"),
  { "_-_", FALSE, "dd:d", arithmetic },
  ARITHMETIC ("_*_"),
  { "_*_", FALSE, "dd:d", arithmetic },
  ARITHMETIC ("_/_"),
  { "_/_", FALSE, "dd:d", arithmetic },
  ARITHMETIC ("_%_"),
  { "int", FALSE, "i:i", to_int },
  { "int", FALSE, "u:i", to_int },
  { "int", FALSE, "d:i", to_int },
  { "int", FALSE, "s:i", to_int },
  { "uint", FALSE, "u:u", to_uint },
  { "uint", FALSE, "i:u", to_uint },
  { "uint", FALSE, "d:u", to_uint },
  { "uint", FALSE, "s:u", to_uint },
  { "double", FALSE, "d:d", to_double },
  { "double", FALSE, "i:d", to_double },
  { "double", FALSE, "u:d", to_double },
  { "double", FALSE, "s:d", to_double },
  { "string", FALSE, "s:s", to_string },
  { "string", FALSE, "b:s", to_string },
  { "string", FALSE, "i:s", to_string },
  { "string", FALSE, "u:s", to_string },
  { "bool", FALSE, "b:b", to_bool },
  { "bool", FALSE, "s:b", to_bool },
  { "dyn", FALSE, "A:y", to_dyn },
  { "type", FALSE, "A:t", type_of },
  { "size", FALSE, "s:i", size },
  { "size", FALSE, "L:i", size },
  { "size", FALSE, "M:i", size },
  { "size", TRUE, "s:i", size },
  { "size", TRUE, "L:i", size },
  { "size", TRUE, "M:i", size },
  { "contains", TRUE, "ss:b", string_test },
  { "startsWith", TRUE, "ss:b", string_test },
  { "endsWith", TRUE, "ss:b", string_test },
  { "matches", FALSE, "ss:b", matches },
  { "matches", TRUE, "ss:b", matches },
  { "charAt", TRUE, "si:s", char_at },
  { "indexOf", TRUE, "ss:i", index_of },
  { "indexOf", TRUE, "ssi:i", index_of },
  { "lastIndexOf", TRUE, "ss:i", last_index_of },
  { "lastIndexOf", TRUE, "ssi:i", last_index_of },
  { "lowerAscii", TRUE, "s:s", change_case },
  { "upperAscii", TRUE, "s:s", change_case },
  { "trim", TRUE, "s:s", trim },
  { "substring", TRUE, "si:s", substring },
  { "substring", TRUE, "sii:s", substring },
  { "replace", TRUE, "sss:s", replace },
  { "replace", TRUE, "sssi:s", replace },
  { "split", TRUE, "ss:S", split },
  { "split", TRUE, "ssi:S", split },
  { "join", TRUE, "S:s", join },
  { "join", TRUE, "Ss:s", join },
  { "quantity", FALSE, "s:q", cel_quantity },
  { "isQuantity", FALSE, "s:b", cel_is_quantity },
  { "asInteger", TRUE, "q:i", cel_quantity_part },
  { "asApproximateFloat", TRUE, "q:d", cel_quantity_part },
  { "isInteger", TRUE, "q:b", cel_quantity_part },
  { "sign", FALSE, "q:i", cel_quantity_part },
  { "add", TRUE, "qq:q", cel_quantity_sum },
  { "add", TRUE, "qi:q", cel_quantity_sum },
  { "sub", TRUE, "qq:q", cel_quantity_sum },
  { "sub", TRUE, "qi:q", cel_quantity_sum },
  { "compareTo", TRUE, "qq:i", cel_compare },
  { "compareTo", TRUE, "vv:i", cel_compare },
  { "isLessThan", TRUE, "qq:b", cel_compare },
  { "isLessThan", TRUE, "vv:b", cel_compare },
  { "isGreaterThan", TRUE, "qq:b", cel_compare },
  { "isGreaterThan", TRUE, "vv:b", cel_compare },
  { "semver", FALSE, "s:v", cel_semver },
  { "semver", FALSE, "sb:v", cel_semver },
  { "isSemver", FALSE, "s:b", cel_is_semver },
  { "isSemver", FALSE, "sb:b", cel_is_semver },
  { "major", TRUE, "v:i", cel_version_part },
  { "minor", TRUE, "v:i", cel_version_part },
  { "patch", TRUE, "v:i", cel_version_part },
  { "sets.contains", FALSE, "LL:b", sets },
  { "sets.equivalent", FALSE, "LL:b", sets },
  { "sets.intersects", FALSE, "LL:b", sets },
  { "optional.of", FALSE, "A:o", optional_new },
  { "optional.ofNonZeroValue", FALSE, "A:o", optional_new },
  { "optional.none", FALSE, ":o", optional_new },
  { "hasValue", TRUE, "O:b", optional_get },
  { "value", TRUE, "O:e", optional_get },
  { "orValue", TRUE, "OE:e", optional_get },
  { "or", TRUE, "OO:a", optional_get },
};
const guint cel_n_functions = G_N_ELEMENTS (cel_functions);
